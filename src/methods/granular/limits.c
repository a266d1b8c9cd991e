// SPDX-License-Identifier: MIT
// How large a substep may be: dt = CFL dx / (c_0 + v_max + 1.3 zeta c_s), c_0 = sqrt((K + 4 mu/3)/rho), c_s =
// sqrt(mu/rho). Damping counts where neighbourhoods are cut: at zeta = 0.5 a block in the corner of two colliders
// trembles from 1.15 times this on. Implicit steps are bounded by motion alone, dt = 0.3 dx / (v_max + sqrt(g dx)): who
// is near whom is known at the start of a step only.
#include "methods/granular/granular_internal.h"

#include "core/log.h"
#include "methods/shared/expected_speed.h"

#include <stdio.h>

#define CFL      0.5
#define DAMPED   1.3
#define MOTION   0.3 // spacings in an implicit step
#define SQUEEZED 0.1 // share of its volume by which weight and impacts may compress it without a word

enum { GRAIN = 4096 };

typedef struct extremes {
    double square, spacing; // of speed; m
} extremes;

typedef struct limit_context {
    const phxi_particles* p;
    const phxi_body* body;
    extremes* blocks;
} limit_context;

static void limit_part(void* context, int begin, int end, int block) {
    const limit_context* c = context;
    extremes most = {0, INFINITY};
    for (int i = c->body->begin + begin; i < c->body->begin + end; ++i) {
        phx_vec3 v = phxi_vec3(c->p->vx[i], c->p->vy[i], c->p->vz[i]);
        most.square = fmax(most.square, phxi_dot(v, v));
        most.spacing = fmin(most.spacing, (double)c->p->spacing[i]);
    }
    c->blocks[block] = most;
}

/// Of sound, and what damping takes.
static double wave_speed(const phxi_body* body) {
    double shear = sqrt(body->elastic.mu / body->material.density);
    return phxi_sound_speed(&body->material) + DAMPED * phxi_granular_params_of(body)->zeta * shear;
}

/// After a fall of half a spacing.
static double fall_speed(const phxi_step* step, double spacing) {
    return sqrt(phxi_length(step->gravity) * spacing);
}

/// Grains are as soft as their material says, which may be too soft for what is to come.
static void warn_soft(const phxi_step* step, const phxi_body* body, double speed) {
    const phx_material_def* m = &body->material;
    double bulk = m->young / (3 * (1 - 2 * m->poisson)), squeezed = 0.5 * m->density * speed * speed / bulk;
    if (squeezed > SQUEEZED) {
        phxi_log(
            step->log, PHX_LOG_WARNING,
            "body '%s': a modulus of %g Pa is small for heights and speeds up to %.3g m/s, expected %.2g Pa or more; "
            "it will be compressed by %.0f %%",
            body->name, m->young, speed, m->young * squeezed / SQUEEZED, 100 * fmin(1, squeezed));
    }
}

static void look_at_stiffness(phxi_granular* s, const phxi_step* step) {
    if (s->looked_at == step->particles->count || s->words[GRANULAR_WORD_LAST_DT] > 0) {
        return;
    }
    s->looked_at = step->particles->count;
    double speed = phxi_expected_speed(step, PHXI_FAMILY_GRAINS);
    for (int k = 0; k < step->own_count; ++k) {
        warn_soft(step, &step->bodies[step->own[k]], speed);
    }
}

double phxi_granular_stable_dt(void* state, phxi_step* step, char reason[160]) {
    double best = INFINITY;
    look_at_stiffness(state, step);
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        int blocks = phxi_block_count(body->count, GRAIN);
        limit_context c = {step->particles, body, phxi_arena_take(step->arena, (size_t)blocks, sizeof(extremes))};
        if (!c.blocks) {
            snprintf(reason, 160, "memory");
            return 0;
        }
        phxi_parallel_for(step->pool, body->count, GRAIN, limit_part, &c);
        extremes most = {0, INFINITY};
        for (int b = 0; b < blocks; ++b) {
            most.square = fmax(most.square, c.blocks[b].square);
            most.spacing = fmin(most.spacing, c.blocks[b].spacing);
        }
        bool implicit = phxi_granular_params_of(body)->integrator == GRANULAR_IMPLICIT;
        double dt = implicit ? MOTION * most.spacing / (sqrt(most.square) + fall_speed(step, most.spacing))
                             : CFL * most.spacing / (wave_speed(body) + sqrt(most.square));
        if (dt < best) {
            best = dt;
            snprintf(reason, 160, "%s of body '%.64s'", implicit ? "motion" : "sound speed", body->name);
        }
    }
    return best;
}

/// Contact springs of half of this times the spacing: rho c_0^2 dx.
double phxi_granular_modulus(const void* state, const phxi_step* step, int body) {
    const phx_material_def* material = &step->bodies[body].material;
    double sound = phxi_sound_speed(material);
    (void)state;
    return 2 * material->density * sound * sound;
}
