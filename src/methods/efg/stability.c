// SPDX-License-Identifier: MIT
// The largest stable step, docs/theory/efg.md (10) and T7.
//
// At rest: 0.45 h / c_p, or what power iterations with the linearised forces give if that is less (light particles at
// surfaces). Deformed: divided by the root of the growth of the law's modulus at the largest and smallest stretch.
// The step changes seldom: it goes down in quarter octaves, and up again by half an octave, or by a quarter after a
// thousand steps that did not need the shorter one. (With a step that followed every stretch the energy of an undamped
// block grew 200-fold in 10 000 steps.)
#include "methods/efg/lattice/lattice.h"

#include "core/hash.h"

#include <stdio.h>

#define ITERATIONS 24
#define MARGIN     0.95 // power iteration comes from below
#define COURANT    0.45
#define QUIET      1000.0 // steps at rest, after which a level that they did not need is left

typedef struct power_context {
    phxi_efg* efg;
    const phxi_efg_slot* slot;
    const phxi_elastic* elastic;
    const phxi_particles* particles;
    phxi_r4* force; // by row of the slot
    double scale;
} power_context;

static const phxi_efg_block* block_at(const power_context* c, int k) {
    return &c->efg->blocks.items[c->slot->block_begin + k];
}

static void set_u(phxi_efg* efg, int row, const phxi_r4* u) {
    efg->u.items[row] = *u;
    for (int k = 0; k < 3; ++k) {
        efg->lanes.items[row / EFG_LANES].u[k][row % EFG_LANES] = (*u)[k];
    }
}

static void start_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    const phxi_efg_block* block = block_at(c, begin);
    for (int row = block->row; row < block->row + block->count; ++row) {
        uint64_t seed = (uint64_t)(row - c->slot->row);
        phxi_r4 u = {0};
        for (int k = 0; k < 3; ++k) {
            u[k] = (phx_real)(phxi_hash_unit(phxi_hash_pair(seed, (uint64_t)k)) - 0.5);
        }
        set_u(c->efg, row, &u);
    }
}

static void stress_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    phxi_efg_stress(c->efg, c->elastic, true, block_at(c, begin));
}

/// q' = M^-1 K q and the norms sum m q^2, sum m q'^2.
static void force_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    const phxi_efg_block* block = block_at(c, begin);
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    phxi_efg_force(c->efg, block, force);
    double before = 0, after = 0;
    for (int k = 0; k < block->count; ++k) {
        int row = block->row + k;
        double mass = (double)c->particles->mass[c->slot->begin + row - c->slot->row];
        phxi_r4 u = c->efg->u.items[row], q = {0};
        for (int a = 0; a < 3; ++a) {
            q[a] = (phx_real)((double)force[a][k] / mass);
            before += mass * (double)u[a] * (double)u[a];
            after += mass * (double)q[a] * (double)q[a];
        }
        c->force[row - c->slot->row] = q;
    }
    phxi_efg_sums* sums = &c->efg->sums.items[c->slot->block_begin + begin];
    sums->before = before;
    sums->after = after;
}

static void scale_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    const phxi_efg_block* block = block_at(c, begin);
    for (int row = block->row; row < block->row + block->count; ++row) {
        phxi_r4 u = c->force[row - c->slot->row] * (phx_real)c->scale;
        set_u(c->efg, row, &u);
    }
}

double phxi_efg_spectral_dt(phxi_efg* efg, phxi_step* step, int index, int iterations, phxi_r4* scratch) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    power_context c = {efg, slot, &step->bodies[slot->body].elastic, step->particles, scratch, 1};
    int blocks = slot->block_end - slot->block_begin;
    double ratio = 0;
    phxi_parallel_for(step->pool, blocks, 1, start_block, &c);
    for (int k = 0; k < iterations; ++k) {
        phxi_parallel_for(step->pool, blocks, 1, stress_block, &c);
        phxi_parallel_for(step->pool, blocks, 1, force_block, &c);
        double before = 0, after = 0;
        for (int b = slot->block_begin; b < slot->block_end; ++b) {
            before += efg->sums.items[b].before;
            after += efg->sums.items[b].after;
        }
        ratio = sqrt(after / before); // |M^-1 K q| / |q| <= omega^2
        if (!(ratio > 0) || !isfinite(ratio)) {
            return INFINITY; // nothing holds it together
        }
        c.scale = 1 / ratio;
        phxi_parallel_for(step->pool, blocks, 1, scale_block, &c);
    }
    return 2 / sqrt(ratio);
}

void phxi_efg_set_rest_dt(phxi_efg* efg, phxi_step* step, int index, phxi_r4* scratch) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    const phxi_body* body = &step->bodies[slot->body];
    double spacing = INFINITY;
    for (int i = slot->begin; i < slot->begin + slot->count; ++i) {
        spacing = fmin(spacing, (double)step->particles->spacing[i]);
    }
    double stiffness = body->elastic.lambda + 2 * body->elastic.mu + slot->params.volume_stiffness;
    double speed = sqrt(stiffness / body->material.density);
    slot->rest_dt = fmin(COURANT * slot->support * spacing / speed,
                         MARGIN * phxi_efg_spectral_dt(efg, step, index, ITERATIONS, scratch));
}

// ------------------------------------------------------------------------------------------------- deformed state

static void stretch_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    const phxi_efg_block* block = block_at(c, begin);
    phxi_efg_sums* sums = &c->efg->sums.items[c->slot->block_begin + begin];
    sums->flow = phxi_efg_stretches(c->efg, c->elastic, block, &sums->min_stretch, &sums->max_stretch);
}

/// Of a body by its rows; how much stiffer than its law plasticity makes it.
static double stretches_of_rows(power_context* c, phxi_step* step, double* least, double* most) {
    const phxi_efg_slot* slot = c->slot;
    double stiffer = 1;
    phxi_efg_refresh(c->efg, step, (int)(slot - c->efg->slots.items));
    phxi_parallel_for(step->pool, slot->block_end - slot->block_begin, 1, stretch_block, c);
    *least = *most = 1;
    for (int b = slot->block_begin; b < slot->block_end; ++b) {
        *least = fmin(*least, c->efg->sums.items[b].min_stretch);
        *most = fmax(*most, c->efg->sums.items[b].max_stretch);
        stiffer = fmax(stiffer, c->efg->sums.items[b].flow);
    }
    return stiffer;
}

/// The level of the step, in quarter octaves below that at rest, for what is needed now. Asking leaves no trace but a
/// change of the level: the clock is set by the steps that need it (phxi_efg_use_level).
static double level_for(phxi_efg* efg, double need, double base, double now) {
    double *level = &efg->words[EFG_WORD_LEVEL], *time = &efg->words[EFG_WORD_LEVEL_TIME];
    if (need > *level || need <= *level - 2) {
        *level = ceil(need);
        *time = now;
    } else if (need <= *level - 1 && now - *time > QUIET * base) {
        *level -= 1;
        *time = now;
    }
    efg->level_is_needed = need > *level - 1;
    return *level;
}

void phxi_efg_use_level(phxi_efg* efg, double now) {
    double* time = &efg->words[EFG_WORD_LEVEL_TIME];
    if (efg->level_is_needed || now < *time) {
        *time = now;
    }
}

double phxi_efg_stable_dt(void* state, phxi_step* step, char reason[160]) {
    phxi_efg* efg = state;
    double base = INFINITY, wanted = INFINITY;
    int slowest = -1;
    if (phxi_efg_catch_up(efg, step) != PHX_OK) {
        snprintf(reason, 160, "no memory for neighbourhoods"); // the substep will say so
        return INFINITY;
    }
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_slot* slot = &efg->slots.items[k];
        if (phxi_efg_is_implicit(slot)) {
            continue; // phxi_efg_implicit speaks for it
        }
        power_context c = {efg, slot, &step->bodies[slot->body].elastic, step->particles, NULL, 1};
        double least, most, stiffer = 1;
        if (slot->lattice) {
            phxi_lattice_stretches(step, slot, &least, &most);
        } else {
            stiffer = stretches_of_rows(&c, step, &least, &most);
        }
        double dt = slot->rest_dt /
                    sqrt(stiffer * phxi_elastic_stiffening(c.elastic, least, most, slot->params.volume_stiffness));
        base = fmin(base, slot->rest_dt);
        if (dt < wanted || slowest < 0) {
            wanted = dt;
            slowest = k;
        }
    }
    if (slowest < 0) {
        return INFINITY;
    }
    // rounding is not a stretch
    double need = fmax(0, 4 * log2(base / wanted) - 0.01), level = level_for(efg, need, base, step->time);
    const phxi_efg_slot* first = &efg->slots.items[slowest];
    snprintf(reason, 160, "sound speed of body '%s'%s%s", step->bodies[first->body].name,
             level > 0 ? ", stiffened by its stretch" : "", first->automatic ? " (auto: explicit)" : "");
    return base * exp2(-level / 4);
}
