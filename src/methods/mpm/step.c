// SPDX-License-Identifier: MIT
// The stages of a substep and how large one may be.
#include "methods/mpm/mpm_internal.h"

#include "materials/elastic.h"
#include "motion/rigid_motion.h"

#include <stdio.h>

// ------------------------------------------------------------------------------------------------------------ damping

/// The affine part of a velocity field turns with the body too: C -> W + keep (C - W).
static void damp_affine(phxi_mpm* s, const phxi_body* body, phx_vec3 spin, double keep) {
    const double w[9] = {0, -spin.z, spin.y, spin.z, 0, -spin.x, -spin.y, spin.x, 0};
    for (int n = 0; n < 9; ++n) {
        phx_real* c = s->field[MPM_AFFINE + n] + body->begin;
        for (int i = 0; i < body->count; ++i) {
            c[i] = (phx_real)(w[n] + keep * ((double)c[i] - w[n]));
        }
    }
}

static void damp(phxi_mpm* s, const phxi_body* body) {
    phxi_particles* p = s->step->particles;
    const int begin = body->begin, end = begin + body->count;
    const phx_vec3 origin = phxi_vec3(p->x[begin], p->y[begin], p->z[begin]);
    const double keep = exp(-body->material.damping * s->dt);
    phxi_rigid_sums sums[2] = {0};
    phxi_rigid_add(sums, p, origin, begin, end);
    phxi_rigid_motion motion = phxi_rigid_solve(sums, origin);
    phxi_rigid_damp(&motion, p, keep, begin, end);
    damp_affine(s, body, motion.spin, keep);
}

// -------------------------------------------------------------------------------------------------------------- stages

static void find_trouble(const phxi_mpm* s, phxi_trouble* trouble) {
    for (int h = 0; h < s->blocks.count; ++h) {
        int bad = s->blocks.items[h].bad;
        if (bad >= 0 && (trouble->particle < 0 || bad < trouble->particle)) {
            *trouble = (phxi_trouble){bad, "grid to particles"};
        }
    }
}

phx_result phxi_mpm_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_mpm* s = state;
    *trouble = (phxi_trouble){.particle = -1};
    phxi_mpm_choose_sound(s, step);
    phxi_mpm_bind(s, step);
    s->dt = dt;
    PHXI_TRY(phxi_mpm_find_mirrors(s, step));
    PHXI_TRY(phxi_mpm_find_walls(s));
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        if (body->material.damping > 0) {
            damp(s, body);
        }
    }
    PHXI_TRY(phxi_mpm_settle(s, trouble));
    if (trouble->particle >= 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_mpm_fill_wall_caches(s));
    phx_vec3* given;
    PHXI_TRY(phxi_mpm_begin_spin(s, &given));
    phxi_mpm_to_grid(s);
    PHXI_TRY(phxi_mpm_advance_grid(s));
    phxi_mpm_to_particles(s);
    find_trouble(s, trouble);
    PHXI_TRY(phxi_mpm_end_spin(s, given));
    ++s->words[MPM_WORD_STEPS];
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- stable steps

typedef struct speeds {
    const phxi_particles* p;
    int begin;
    double* squares; // by block
} speeds;

enum { GRAIN = 4096 };

static void speed_part(void* context, int begin, int end, int block) {
    const speeds* c = context;
    phx_real most = 0;
    for (int i = c->begin + begin; i < c->begin + end; ++i) {
        phx_real square = c->p->vx[i] * c->p->vx[i] + c->p->vy[i] * c->p->vy[i] + c->p->vz[i] * c->p->vz[i];
        most = square > most ? square : most;
    }
    c->squares[block] = (double)most;
}

/// Largest speed of a body's particles, m/s; INFINITY: no memory.
static double fastest(phxi_step* step, const phxi_body* body) {
    int blocks = phxi_block_count(body->count, GRAIN);
    speeds c = {step->particles, body->begin, phxi_arena_take(step->arena, (size_t)blocks, sizeof(double))};
    if (!c.squares) {
        return INFINITY;
    }
    phxi_parallel_for(step->pool, body->count, GRAIN, speed_part, &c);
    double most = 0;
    for (int b = 0; b < blocks; ++b) {
        most = fmax(most, c.squares[b]);
    }
    return sqrt(most);
}

double phxi_mpm_stable_dt(void* state, phxi_step* step, char reason[160]) {
    phxi_mpm* s = state;
    double dt = INFINITY;
    phxi_mpm_choose_sound(s, step);
    phxi_mpm_bind(s, step);
    const double way = s->h * phxi_mpm_courant(s);
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        double sound = phxi_mpm_sound(s, step->own[k]) / fmax(1, s->params->implicit), speed = fastest(step, body);
        if (way < dt * sound) {
            dt = way / sound;
            snprintf(reason, 160, "sound speed of body '%s'", body->name);
        }
        if (way < dt * speed) {
            dt = way / speed;
            snprintf(reason, 160, "speed of body '%s'", body->name);
        }
    }
    return dt;
}
