// SPDX-License-Identifier: MIT
// How large a substep may be (docs/theory/fluids.md (10)), and how fast sound is.
//
//   dt = min( 1.2 h / c, 0.5 h / v_max, 0.16 rho h^2 / eta where viscosity is explicit, 0.25 sqrt(h / |a|_max) )
//
// On a lattice the leap-frog of pressure and velocity is stable up to 2.27 h/c (quintic; cubic: 1.83), where 2/dt is
// the largest frequency of the pairs' divergence and gradient; a splash at 1.3 h/c has the energies of one at 0.4 h/c
// to 2 %. Particles move along with their neighbours, so speed counts by itself: the farthest a drop may go at once.
//
// Left to itself the speed of sound is 10 max(v_max, sqrt(2 g H)) with H the height from the top of the fluid down to
// the lowest wall or collider below: the density then changes by about one percent.
#include "methods/wcsph/wcsph_internal.h"

#include "core/log.h"
#include "methods/shared/expected_speed.h"

#include <stdio.h>

#define CFL     1.2
#define MOTION  0.5  // spacings in a substep
#define VISCOUS 0.16 // 0.200 is where the form `angular` becomes unstable on a lattice
#define FORCE   0.25
#define WORTH   2.5 // what an implicit step costs in explicit ones

enum { GRAIN = 4096 };

double phxi_wcsph_viscous_dt(double rate) {
    return VISCOUS / rate;
}

double phxi_wcsph_sound_of(const phxi_wcsph* s, const phxi_body* body) {
    double given = phxi_wcsph_params_of(body)->sound_speed;
    return given > 0 ? given : s->words[WCSPH_WORD_SOUND];
}

double phxi_wcsph_modulus(const void* state, const phxi_step* step, int body) {
    const phxi_wcsph* s = state;
    double c = phxi_wcsph_sound_of(s, &step->bodies[body]);
    c = c > 0 ? c : PHXI_SLOW_SOUND;
    return step->bodies[body].material.density * c * c;
}

// -------------------------------------------------------------------------------------------------------------- sound

static void warn_slow(const phxi_step* step, double speed) {
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        double given = phxi_wcsph_params_of(body)->sound_speed, least = 10 / sqrt(2) * speed;
        if (given > 0 && given < 0.9 * least) {
            phxi_log(step->log, PHX_LOG_WARNING,
                     "body '%s': sound_speed %g m/s is small for speeds up to %.3g m/s, expected %.3g m/s or more; the "
                     "fluid will be compressed by %.0f %%",
                     body->name, given, speed, least, 100 * fmin(1, 0.5 * speed * speed / (given * given)));
        }
    }
}

void phxi_wcsph_choose_sound(phxi_wcsph* s, phxi_step* step) {
    if (s->words[WCSPH_WORD_LAST_DT] > 0 || s->chosen_for == step->particles->count) {
        return; // bodies that come later take what is there
    }
    double speed = phxi_expected_speed(step, PHXI_FAMILY_FLUID);
    s->words[WCSPH_WORD_SOUND] = speed > 0 ? PHXI_SOUND_PER_SPEED * speed : PHXI_SLOW_SOUND;
    s->chosen_for = step->particles->count;
    warn_slow(step, speed);
}

// -------------------------------------------------------------------------------------------------------------- steps

/// Extremes of a body: speed, acceleration, eta / (rho h^2), spacing.
typedef struct extremes {
    double speed, push, rate, spacing;
} extremes;

typedef struct limit_context {
    const phxi_step* step;
    const phxi_body* body;
    const phx_real* field[WCSPH_FIELD_COUNT];
    extremes* blocks;
} limit_context;

static double square3(const phx_real* const a[3], int i) {
    phx_vec3 v = phxi_vec3(a[0][i], a[1][i], a[2][i]);
    return phxi_dot(v, v);
}

static void limit_part(void* context, int begin, int end, int block) {
    const limit_context* c = context;
    const phxi_particles* p = c->step->particles;
    const phx_real* const v[3] = {p->vx, p->vy, p->vz};
    phx_vec3 g = c->step->gravity;
    double density = c->body->material.density;
    extremes most = {0, 0, 0, INFINITY};
    for (int i = c->body->begin + begin; i < c->body->begin + end; ++i) {
        phx_real *const *a = p->acceleration, *const *e = p->external;
        double x = (double)a[0][i] + (double)e[0][i] + g.x, y = (double)a[1][i] + (double)e[1][i] + g.y;
        double z = (double)a[2][i] + (double)e[2][i] + g.z, h = (double)p->spacing[i];
        most.speed = fmax(most.speed, square3(v, i));
        most.push = fmax(most.push, x * x + y * y + z * z);
        most.rate = fmax(most.rate, (double)c->field[WCSPH_VISCOSITY][i] / (density * h * h));
        most.spacing = fmin(most.spacing, h);
    }
    c->blocks[block] = most;
}

static bool find_extremes(phxi_step* step, const phxi_body* body, extremes* most) {
    limit_context c = {.step = step, .body = body};
    int blocks = phxi_block_count(body->count, GRAIN);
    c.blocks = phxi_arena_take(step->arena, (size_t)blocks, sizeof *c.blocks);
    if (!c.blocks) {
        return false;
    }
    for (int k = 0; k < WCSPH_FIELD_COUNT; ++k) {
        c.field[k] = phxi_wcsph_field(step, k);
    }
    phxi_parallel_for(step->pool, body->count, GRAIN, limit_part, &c);
    *most = (extremes){0, 0, 0, INFINITY};
    for (int b = 0; b < blocks; ++b) {
        most->speed = fmax(most->speed, c.blocks[b].speed);
        most->push = fmax(most->push, c.blocks[b].push);
        most->rate = fmax(most->rate, c.blocks[b].rate);
        most->spacing = fmin(most->spacing, c.blocks[b].spacing);
    }
    most->speed = sqrt(most->speed);
    most->push = sqrt(most->push);
    return true;
}

/// Walls may come at a fluid faster than it flows.
static double wall_speed(const phxi_step* step) {
    const phxi_particles* p = step->particles;
    const phx_real* const v[3] = {p->vx, p->vy, p->vz};
    double most = 0;
    int bodies = p->count > 0 ? p->body[p->count - 1] + 1 : 0;
    for (int b = 0; b < bodies; ++b) {
        const phxi_body* body = &step->bodies[b];
        for (int i = body->begin; body->kinematic && i < body->begin + body->count; ++i) {
            most = fmax(most, square3(v, i));
        }
    }
    return sqrt(most);
}

/// The smallest of one kind of limit over all bodies, and whose it is.
typedef struct limit {
    double dt;
    const char* body;
} limit;

static void lower(limit* l, double dt, const phxi_body* body) {
    if (dt < l->dt) {
        *l = (limit){dt, body->name};
    }
}

static double choose(const phxi_wcsph* s, limit sound, limit force, limit viscous, char reason[160]) {
    limit best = force.dt < sound.dt ? force : sound;
    const char* word = force.dt < sound.dt ? "acceleration" : "sound speed";
    int choice = s->params->viscosity;
    bool implicit = choice == WCSPH_IMPLICIT ||
                    (choice == WCSPH_AUTO && s->params->form != WCSPH_STRESS && WORTH * viscous.dt < best.dt);
    if (!implicit && viscous.dt < best.dt) {
        best = viscous;
        word = "viscosity";
    }
    const char* how = !(viscous.dt < INFINITY) ? "" : implicit ? ", viscosity implicit" : ", viscosity explicit";
    snprintf(reason, 160, "%s of body '%.64s'%s", word, best.body ? best.body : "", how);
    return best.dt;
}

double phxi_wcsph_stable_dt(void* state, phxi_step* step, char reason[160]) {
    phxi_wcsph* s = state;
    phxi_wcsph_choose_sound(s, step);
    double walls = wall_speed(step);
    limit sound = {INFINITY, NULL}, force = sound, viscous = sound;
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        extremes e;
        if (!find_extremes(step, body, &e)) {
            snprintf(reason, 160, "memory");
            return 0;
        }
        double speed = fmax(e.speed, walls);
        lower(&sound, e.spacing / fmax(phxi_wcsph_sound_of(s, body) / CFL, speed / MOTION), body);
        lower(&force, FORCE * sqrt(e.spacing / e.push), body);
        lower(&viscous, phxi_wcsph_viscous_dt(e.rate), body);
    }
    return choose(s, sound, force, viscous, reason);
}
