// SPDX-License-Identifier: MIT
// The largest stable substep: 2 / omega of the stiffest motion of the body at rest, by power iteration with the forces
// themselves at displacements so small that nothing turns. Known beforehand for cubic lattices and corrected gradients:
// spacing over the speed of sound (docs/theory/corotated_sph.md section 4).
#include "methods/corotated_sph/corotated_internal.h"

#include "core/hash.h"

#include <stdio.h>
#include <string.h>

#define ITERATIONS 40
#define MARGIN     0.95 // power iteration comes from below
#define SMALL      1e-4 // of the spacing

typedef struct power_context {
    phxi_step* step;
    phxi_csph_slot* slot;
    phx_real (*next)[4];
    double* norms; // by block
} power_context;

static void stress_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    phxi_csph_block b;
    phxi_csph_stress(c->slot, &c->step->bodies[c->slot->body].elastic, NULL, begin, &b);
}

static void force_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const power_context* c = context;
    _Alignas(64) phx_real force[3][CSPH_BLOCK];
    phxi_csph_force(c->slot, begin, force);
    double sum = 0;
    for (int i = begin * CSPH_BLOCK, k = 0; i < c->slot->count && k < CSPH_BLOCK; ++i, ++k) {
        double mass = (double)c->step->particles->mass[c->slot->begin + i];
        for (int a = 0; a < 3; ++a) {
            double q = (double)force[a][k] / mass;
            c->next[i][a] = (phx_real)q;
            sum += mass * q * q;
        }
    }
    c->norms[begin] = sum;
}

/// Gives u the norm sqrt(sum m u^2) = size; returns what it had.
static double scale(const power_context* c, phx_real (*from)[4], double size) {
    const phxi_csph_slot* slot = c->slot;
    double sum = 0;
    for (int i = 0; i < slot->count; ++i) {
        double mass = (double)c->step->particles->mass[slot->begin + i];
        for (int a = 0; a < 3; ++a) {
            sum += mass * (double)from[i][a] * (double)from[i][a];
        }
    }
    double factor = sum > 0 ? size / sqrt(sum) : 0;
    for (int i = 0; i < slot->count; ++i) {
        slot->u[i] = (phxi_r4){(phx_real)(factor * (double)from[i][0]), (phx_real)(factor * (double)from[i][1]),
                               (phx_real)(factor * (double)from[i][2]), 0};
    }
    return sqrt(sum);
}

phx_result phxi_csph_set_rest_dt(phxi_step* step, phxi_csph_slot* slot) {
    power_context c = {step, slot, NULL, NULL};
    c.next = phxi_alloc_zero(step->heap, (size_t)slot->count, sizeof *c.next, "corotated stability");
    c.norms = phxi_alloc_zero(step->heap, (size_t)phxi_csph_blocks(slot), sizeof *c.norms, "corotated stability");
    if (!c.next || !c.norms) {
        phxi_free(step->heap, c.next);
        phxi_free(step->heap, c.norms);
        return PHX_ERROR_MEMORY;
    }
    double mass = 0, spacing = INFINITY;
    for (int i = 0; i < slot->count; ++i) {
        mass += (double)step->particles->mass[slot->begin + i];
        spacing = fmin(spacing, (double)step->particles->spacing[slot->begin + i]);
        for (int a = 0; a < 3; ++a) {
            c.next[i][a] = (phx_real)(phxi_hash_unit(phxi_hash_pair(7, (uint64_t)(3 * (int64_t)i + a))) - 0.5);
        }
    }
    double size = SMALL * spacing * sqrt(mass), square = 0;
    for (int k = 0; k < ITERATIONS; ++k) {
        scale(&c, c.next, size);
        phxi_parallel_for(step->pool, phxi_csph_blocks(slot), 1, stress_block, &c);
        phxi_parallel_for(step->pool, phxi_csph_blocks(slot), 1, force_block, &c);
        double sum = 0;
        for (int b = 0; b < phxi_csph_blocks(slot); ++b) {
            sum += c.norms[b];
        }
        square = sqrt(sum) / size; // omega^2
    }
    slot->rest_dt = square > 0 ? MARGIN * 2 / sqrt(square) : INFINITY;
    phxi_free(step->heap, c.next);
    phxi_free(step->heap, c.norms);
    return PHX_OK;
}

double phxi_csph_stable_dt(void* state, phxi_step* step, char reason[160]) {
    const phxi_csph* csph = state;
    double dt = INFINITY;
    for (int k = 0; k < csph->slots.count; ++k) {
        const phxi_csph_slot* slot = &csph->slots.items[k];
        if (!phxi_csph_is_implicit(slot) && slot->rest_dt < dt) {
            dt = slot->rest_dt;
            snprintf(reason, 160, "sound speed of body '%s'%s", step->bodies[slot->body].name,
                     slot->automatic ? " (auto: explicit)" : "");
        }
    }
    return dt;
}
