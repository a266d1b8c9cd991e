// SPDX-License-Identifier: MIT
// How large a substep may be (docs/theory/fluids.md (10), (14)).
//
//   dt = min( 1.2 h / c, 0.5 h / v_max, 0.16 rho h^2 / eta where viscosity is explicit, 0.25 sqrt(h / |a|_max) )
//
// On a lattice the leap-frog of pressure and velocity is stable up to 2.27 h/c (quintic; cubic: 1.83), where 2/dt is
// the largest frequency of the pairs' divergence and gradient; a splash at 1.3 h/c has the energies of one at 0.4 h/c
// to 2 %. Particles move along with their neighbours, so speed counts by itself: the farthest a drop may go at once.
// Implicit viscosity that is large everywhere damps what pressure could make unstable: steps of sound may be longer
// then.
#include "methods/wcsph/wcsph_internal.h"

#include "methods/shared/expected_speed.h"

#include <stdio.h>

#define CFL        1.2
#define VISCOUS    0.16 // 0.200 is where the form `angular` becomes unstable on a lattice
#define FORCE      0.25
#define WORTH      2.5 // what an implicit step costs in explicit ones
#define MOST_SLACK 4.0 // how much longer thick fluids may make a step of sound
#define GENTLE     0.1 // spacings in a substep beyond LOOSE: what hits the floor in long steps is pressed into itself
#define LOOSE      2.0 // the same where a single drop touches a collider, which nothing damps: 2.4 h / c, its limit is 2.8

enum { GRAIN = 4096 };

double phxi_wcsph_viscous_dt(double rate) {
    return VISCOUS / rate;
}

double phxi_wcsph_modulus(const void* state, const phxi_step* step, int body) {
    const phxi_wcsph* s = state;
    double c = phxi_wcsph_sound_of(s, &step->bodies[body]);
    c = c > 0 ? c : PHXI_SLOW_SOUND;
    double soft = s->slack > LOOSE ? LOOSE / s->slack : 1;
    return step->bodies[body].material.density * c * c * soft * soft;
}

// -------------------------------------------------------------------------------------------------------------- steps

/// Extremes of a body: speed, acceleration, eta / (rho h^2) most and least, spacing, temperature.
typedef struct extremes {
    double speed, push, rate, least_rate, spacing, hottest;
} extremes;
static const extremes no_extremes = {0, 0, 0, INFINITY, INFINITY, -INFINITY};

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
    extremes most = no_extremes;
    for (int i = c->body->begin + begin; i < c->body->begin + end; ++i) {
        phx_real *const *a = p->acceleration, *const *e = p->external;
        double x = (double)a[0][i] + (double)e[0][i] + g.x, y = (double)a[1][i] + (double)e[1][i] + g.y;
        double z = (double)a[2][i] + (double)e[2][i] + g.z, h = (double)p->spacing[i];
        most.speed = fmax(most.speed, square3(v, i));
        most.push = fmax(most.push, x * x + y * y + z * z);
        double rate = (double)c->field[WCSPH_VISCOSITY][i] / (density * h * h);
        most.rate = fmax(most.rate, rate);
        most.least_rate = fmin(most.least_rate, rate);
        most.spacing = fmin(most.spacing, h);
        most.hottest = fmax(most.hottest, (double)p->temperature[i]);
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
    *most = no_extremes;
    for (int b = 0; b < blocks; ++b) {
        most->speed = fmax(most->speed, c.blocks[b].speed);
        most->push = fmax(most->push, c.blocks[b].push);
        most->rate = fmax(most->rate, c.blocks[b].rate);
        most->least_rate = fmin(most->least_rate, c.blocks[b].least_rate);
        most->spacing = fmin(most->spacing, c.blocks[b].spacing);
        most->hottest = fmax(most->hottest, c.blocks[b].hottest);
    }
    most->speed = sqrt(most->speed);
    most->push = sqrt(most->push);
    return true;
}

/// The least eta / (rho h^2) that a body has, or would have if its speed were gone within a spacing: paste that flies
/// is stiff, and thin as soon as it hits the floor, 1/s.
static double least_rate(const phxi_wcsph* s, int index, const phxi_body* body, const extremes* e, double speed) {
    double least = e->least_rate;
    for (int f = 0; f < s->fluids.count; ++f) {
        const phxi_wcsph_fluid* fluid = &s->fluids.items[f];
        if (fluid->thick && fluid->body == index) {
            double viscosity = phxi_viscosity(&fluid->rheology, speed / e->spacing, e->hottest);
            least = fmin(least, viscosity / (body->material.density * e->spacing * e->spacing));
        }
    }
    return least;
}

/// Walls may come at a fluid faster than it flows.
double phxi_wcsph_wall_speed(const phxi_step* step) {
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

/// Of sound in a fluid whose viscosity is stepped implicitly and is nowhere less than `rate` rho h^2 (14): longer than
/// `thin`, which sound alone allows.
static double damped_dt(double thin, double rate, double gentle) {
    double dt = thin * (rate * thin + sqrt(rate * thin * rate * thin + 1));
    double slow = fmin(MOST_SLACK * thin, gentle);
    return fmin(dt, fmax(LOOSE * thin, slow));
}

/// What limits the steps of all bodies.
typedef struct limits {
    limit sound, motion, force, viscous;
    double least_rate; // 1/s
    double gentle;     // s
} limits;

static double choose(phxi_wcsph* s, const limits* l, char reason[160]) {
    limit thin = l->sound, best = {damped_dt(l->sound.dt, l->least_rate, l->gentle), l->sound.body};
    int choice = s->params->viscosity;
    double rest = fmin(l->motion.dt, l->force.dt);
    bool implicit = choice == WCSPH_IMPLICIT || (choice == WCSPH_AUTO && s->params->form != WCSPH_STRESS &&
                                                 WORTH * l->viscous.dt < fmin(best.dt, rest));
    const char* word = "sound speed";
    s->slack = implicit ? best.dt / thin.dt : 1;
    best = implicit ? best : thin;
    if (!implicit && l->viscous.dt < best.dt) {
        best = l->viscous;
        word = "viscosity";
    }
    if (l->motion.dt < best.dt) {
        best = l->motion;
        word = "speed";
    }
    if (l->force.dt < best.dt) {
        best = l->force;
        word = "acceleration";
    }
    const char* how = !(l->viscous.dt < INFINITY) ? "" : implicit ? ", viscosity implicit" : ", viscosity explicit";
    snprintf(reason, 160, "%s of body '%.64s'%s", word, best.body ? best.body : "", how);
    return best.dt;
}

double phxi_wcsph_stable_dt(void* state, phxi_step* step, char reason[160]) {
    phxi_wcsph* s = state;
    phxi_wcsph_choose_sound(s, step);
    double walls = phxi_wcsph_wall_speed(step);
    const limit none = {INFINITY, NULL};
    limits l = {none, none, none, none, INFINITY, INFINITY};
    double bulk = fmax(s->words[WCSPH_WORD_SPEED], walls);
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        extremes e;
        if (!find_extremes(step, body, &e)) {
            snprintf(reason, 160, "memory");
            return 0;
        }
        lower(&l.sound, CFL * e.spacing / phxi_wcsph_sound_of(s, body), body);
        lower(&l.motion, WCSPH_MOTION * e.spacing / fmax(e.speed, walls), body);
        lower(&l.force, FORCE * sqrt(e.spacing / e.push), body);
        lower(&l.viscous, phxi_wcsph_viscous_dt(e.rate), body);
        l.least_rate = fmin(l.least_rate, least_rate(s, step->own[k], body, &e, bulk));
        l.gentle = fmin(l.gentle, GENTLE * e.spacing / bulk);
    }
    return choose(s, &l, reason);
}

double phxi_wcsph_contact_slack(const void* state, const phxi_step* step, int body) {
    (void)step;
    (void)body;
    return fmin(((const phxi_wcsph*)state)->slack, LOOSE);
}
