// SPDX-License-Identifier: MIT
// Element-free Galerkin, bodies that flow: permanent set of bars, creep, resets (docs/theory/efg.md section 7 and T11).
//
// Exact values. A bar under uniaxial stress at yield has the elastic Green strain (e, -nu e, -nu e),
// St.Venant-Kirchhoff being Hooke's law in it; the norm of its deviator, sqrt(2/3) (1 + nu) |e|, is the yield strain y,
// so
//     e = +- y / (sqrt(2/3) (1 + nu)),   s_e = sqrt(1 + 2 e),   t_e = sqrt(1 - 2 nu e).
// Stretched to s, the rest is plastic and keeps volume: s_p = s/s_e along, 1/sqrt(s_p) across, and when the bar is let
// go the elastic part goes: its length is s_p times what it was. The bar is led along F = diag(s_e s_p, t_e/sqrt(s_p),
// ...), on which the sides are free of stress, by setting positions, which gradients reproduce exactly, and then left
// alone.
//
// Creep at rate c at a fixed small shear strain: dev eps_e = exp(-c t) dev eps, so the plastic strain after t is
// (1 - exp(-c t)) of it (small strain: to its square).
#include "validate/block.h"
#include "validate/efg/efg.h"

#include "methods/efg/plastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static phxi_block_def plastic_block(int x, int y, int z, double yield) {
    phxi_block_def def = phxi_block_default(x, y, z);
    def.material.yield = yield;
    return def;
}

/// All particles to map(rest), at rest, and one substep that moves nothing but lets the material flow for dt.
static phx_result lead(phxi_block* block, const phxi_mat3* map, phx_vec3* x, double dt) {
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_mat3_apply(map, block->rest[i]);
    }
    phxi_block_place(block, x);
    phxi_particles* p = &block->world->particles;
    for (int k = 0; k < 3; ++k) {
        memset(p->acceleration[k], 0, (size_t)p->count * sizeof(phx_real));
    }
    return phx_world_substep(block->world, dt);
}

/// Half the length of the box around the particles along x, in terms of what it was.
static double length_of(const phxi_block* block) {
    const phxi_particles* p = &block->world->particles;
    double low = INFINITY, high = -INFINITY, rest_low = INFINITY, rest_high = -INFINITY;
    for (int i = 0; i < block->count; ++i) {
        low = fmin(low, (double)p->x[i]), high = fmax(high, (double)p->x[i]);
        rest_low = fmin(rest_low, block->rest[i].x), rest_high = fmax(rest_high, block->rest[i].x);
    }
    return (high - low) / (rest_high - rest_low);
}

static double width_of(const phxi_block* block) {
    const phxi_particles* p = &block->world->particles;
    double low = INFINITY, high = -INFINITY, rest_low = INFINITY, rest_high = -INFINITY;
    for (int i = 0; i < block->count; ++i) {
        low = fmin(low, (double)p->y[i]), high = fmax(high, (double)p->y[i]);
        rest_low = fmin(rest_low, block->rest[i].y), rest_high = fmax(rest_high, block->rest[i].y);
    }
    return (high - low) / (rest_high - rest_low);
}

static double total_energy(phxi_block* block) {
    phx_totals totals;
    return phx_world_measure(block->world, &totals) == PHX_OK ? totals.kinetic + totals.elastic : NAN;
}

static phx_result set_of_bar(phxi_validation* v, double stretch, const char* name) {
    const double y = 0.02, nu = 0.3, side = stretch > 1 ? 1 : -1;
    const double e = side * y / (sqrt(2.0 / 3) * (1 + nu)), along = sqrt(1 + 2 * e), across = sqrt(1 - 2 * nu * e);
    phxi_block_def def = plastic_block(10, 4, 4, y);
    def.material.damping = 40;
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_vec3* x = phxi_alloc(v->heap, (size_t)block.count, sizeof *x, "positions");
    phx_result result = x ? PHX_OK : PHX_ERROR_MEMORY;
    const int steps = 400;
    for (int k = 1; k <= steps && result == PHX_OK; ++k) {
        double plastic = exp(log(stretch / along) * k / steps);
        double t = across / sqrt(plastic);
        phxi_mat3 map = {{{along * plastic, 0, 0}, {0, t, 0}, {0, 0, t}}};
        result = lead(&block, &map, x, 1e-12);
    }
    double energy = total_energy(&block), growth = 0;
    for (int k = 0; k < 50 && result == PHX_OK; ++k) {
        result = phx_world_step(block.world, 0.01);
        double now = total_energy(&block);
        growth = fmax(growth, now - energy);
        energy = fmin(energy, now);
    }
    char quantity[96];
    snprintf(quantity, sizeof quantity, "length left, %s to %g", name, stretch);
    phxi_validate_relative(v, quantity, length_of(&block), stretch / along, 2e-3);
    snprintf(quantity, sizeof quantity, "width left, %s to %g", name, stretch);
    phxi_validate_relative(v, quantity, width_of(&block), 1 / sqrt(stretch / along), 2e-3);
    snprintf(quantity, sizeof quantity, "energy gained after release, %s", name);
    phxi_validate(v, quantity, growth, 0, 1e-3 * def.material.young * y * y * 0.16);
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return result;
}

phx_result phxi_validate_permanent_set(phxi_validation* v) {
    PHXI_TRY(set_of_bar(v, 1.2, "stretched"));
    PHXI_TRY(set_of_bar(v, 2, "stretched"));
    PHXI_TRY(set_of_bar(v, 0.8, "compressed"));
    return set_of_bar(v, 0.5, "compressed");
}

phx_result phxi_validate_creep(phxi_validation* v) {
    const double rate = 3, shear = 1e-3;
    for (int steps = 10; steps <= 1000; steps *= 10) {
        phxi_block_def def = plastic_block(4, 4, 4, 1e-6);
        def.material.creep = rate;
        phxi_block block;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_vec3* x = phxi_alloc(v->heap, (size_t)block.count, sizeof *x, "positions");
        phx_result result = x ? PHX_OK : PHX_ERROR_MEMORY;
        for (int k = 0; k < steps && result == PHX_OK; ++k) {
            phxi_mat3 map = {{{1, shear, 0}, {0, 1, 0}, {0, 0, 1}}};
            result = lead(&block, &map, x, 0.2 / steps);
        }
        const phx_real* strain = phxi_particles_field(&block.world->particles, "efg.p_xy");
        double sum = 0;
        for (int i = 0; i < block.count; ++i) {
            sum += (double)strain[i] / block.count;
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "plastic shear after 0.2 s in %d steps", steps);
        phxi_validate_relative(v, quantity, sum, shear / 2 * (1 - exp(-0.2 * rate)), 0.01);
        phxi_free(v->heap, x);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// T11: a block is pressed to half its height, with the resets that this asks for, and then turned by 90 degrees with a
// reset at every degree.
phx_result phxi_validate_resets(phxi_validation* v) {
    phxi_block_def def = plastic_block(4, 4, 4, 0.02);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_vec3* x = phxi_alloc(v->heap, (size_t)block.count, sizeof *x, "positions");
    phx_real* stress = phxi_alloc(v->heap, 2 * (size_t)block.count, sizeof *stress, "stress");
    phx_result result = x && stress ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_mat3 shape = phxi_identity();
    int resets = 0;
    const phx_real* reference = phxi_particles_field(&block.world->particles, "efg.ref_x");
    for (int k = 1; k <= 300 && result == PHX_OK; ++k) {
        double s = exp(-0.7 * k / 300);
        shape = (phxi_mat3){{{1 / sqrt(s), 0.2 * (1 - s), 0}, {0, 1 / sqrt(s), 0}, {0, 0, s}}};
        double before = (double)reference[0];
        result = lead(&block, &shape, x, 1e-12);
        resets += (double)reference[0] != before;
    }
    for (int k = 0; k < 10 && result == PHX_OK; ++k) {
        result = lead(&block, &shape, x, 1e-12); // down to yield: a step takes all but a thousandth of what is above it
    }
    phx_totals first, last;
    if (result == PHX_OK) {
        result = phx_world_field(block.world, "von_mises", stress);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(block.world, &first);
    }
    for (int k = 1; k <= 90 && result == PHX_OK; ++k) {
        phxi_mat3 turn = phxi_rotation((phx_vec3){1, -0.4, 0.3}, k * acos(-1.0) / 180);
        turn = phxi_mat3_mul(&turn, &shape);
        result = lead(&block, &turn, x, 1e-12);
        phxi_step step = phxi_world_context(block.world, 0);
        result = result == PHX_OK ? phxi_efg_reset(block.world->solvers.items[0].state, &step, 0) : result;
    }
    if (result == PHX_OK) {
        result = phx_world_field(block.world, "von_mises", stress + block.count);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(block.world, &last);
        double worst = 0;
        for (int i = 0; i < block.count; ++i) {
            worst = fmax(worst, fabs((double)stress[block.count + i] / (double)stress[i] - 1));
        }
        phxi_validate(v, "resets while pressed to half", resets, 4, 2);
        phxi_validate(v, "change of stress by a quarter turn in 90 resets", worst, 0, phxi_by_precision(1e-12, 1e-2));
        phxi_validate_relative(v, "elastic energy after the turn", last.elastic, first.elastic,
                               phxi_by_precision(1e-12, 1e-2));
    }
    phxi_free(v->heap, stress);
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return result;
}
