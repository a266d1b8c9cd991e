// SPDX-License-Identifier: MIT
// Finite elements: what they must do exactly (uniform stress, rigid motion, momenta, the chain that a bar with nu = 0
// is), and how they come to Timoshenko's beam. Other methods are judged beside them.
#include "validate/block.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const char* const elements[] = {"hexahedra", "tetrahedra"};

static phxi_block_def block_of(const phx_setting* element, int x, int y, int z) {
    phxi_block_def def = phxi_block_default(x, y, z);
    def.method = "fem";
    def.settings = element;
    def.setting_count = 1;
    return def;
}

/// Largest |f| of nodes that no face has, over E a^2.
static double inner_force(const phxi_block* block, const phxi_block_def* def) {
    double most = 0, a = def->spacing;
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 r = block->rest[i];
        const double at[3] = {r.x, r.y, r.z};
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside = inside && at[k] > 0.5 * a && at[k] < (def->cells[k] - 0.5) * a;
        }
        most = inside ? fmax(most, phxi_length(block->forces[i]) / (def->material.young * a * a)) : most;
    }
    return most;
}

static void totals_of(const phxi_block* block, const phx_vec3* x, double* force, double* torque) {
    phx_vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
    double sizes = 0, moments = 0;
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 moment = phxi_cross(x[i], block->forces[i]);
        sum = phxi_add(sum, block->forces[i]), turn = phxi_add(turn, moment);
        sizes += phxi_length(block->forces[i]), moments += phxi_length(moment);
    }
    *force = phxi_length(sum) / sizes;
    *torque = phxi_length(turn) / moments;
}

/// x = turn (stretch X) + noise a.
static void place(const phxi_block* block, const phxi_mat3* map, double noise, phx_vec3* x) {
    for (int i = 0; i < block->count; ++i) {
        double shift[3];
        for (int k = 0; k < 3; ++k) {
            shift[k] = noise * block->spacing * (phxi_hash_unit(phxi_hash_pair(5, (uint64_t)(3 * i + k))) - 0.5);
        }
        x[i] = phxi_add(phxi_mat3_apply(map, block->rest[i]), phxi_vec3(shift[0], shift[1], shift[2]));
    }
}

static phx_result forces_of(phxi_validation* v, const char* name, phxi_block* block, const phxi_block_def* def,
                            phx_vec3* x) {
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9);
    phxi_mat3 stretch = {{{1.2, 0.1, 0}, {0.05, 0.9, -0.1}, {0, 0.2, 1.1}}}, both = phxi_mat3_mul(&turn, &stretch);
    char quantity[96];
    place(block, &turn, 0, x);
    PHXI_TRY(phxi_block_forces(block, x));
    double most = 0, force, torque;
    for (int i = 0; i < block->count; ++i) {
        most = fmax(most, phxi_length(block->forces[i]) / (def->material.young * def->spacing * def->spacing));
    }
    snprintf(quantity, sizeof quantity, "%s: largest force / (E a^2) of a turned block", name);
    phxi_validate(v, quantity, most, 0, phxi_by_precision(1e-13, 1e-5));
    place(block, &both, 0, x);
    PHXI_TRY(phxi_block_forces(block, x));
    snprintf(quantity, sizeof quantity, "%s: largest force inside under uniform stress / (E a^2)", name);
    phxi_validate(v, quantity, inner_force(block, def), 0, phxi_by_precision(1e-13, 1e-5));
    place(block, &both, 0.1, x);
    PHXI_TRY(phxi_block_forces(block, x));
    totals_of(block, x, &force, &torque);
    snprintf(quantity, sizeof quantity, "%s: sum of forces over that of their sizes, shaken", name);
    phxi_validate(v, quantity, force, 0, phxi_by_precision(1e-15, 1e-7));
    snprintf(quantity, sizeof quantity, "%s: torque over sum of moments, shaken", name);
    phxi_validate(v, quantity, torque, 0, phxi_by_precision(1e-14, 1e-6));
    return PHX_OK;
}

static phx_result forces(phxi_validation* v) {
    for (int e = 0; e < 2; ++e) {
        phx_setting element = {"element", elements[e]};
        phxi_block_def def = block_of(&element, 5, 4, 6);
        phxi_block block;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_vec3* x = phxi_alloc(v->heap, (size_t)block.count, sizeof *x, "positions");
        phx_result result = x ? forces_of(v, elements[e], &block, &def, x) : PHX_ERROR_MEMORY;
        phxi_free(v->heap, x);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- stable step

/// The bound by one cell against the body's own fastest swing; and six motions without any.
static phx_result frequencies(phxi_validation* v) {
    for (int e = 0; e < 2; ++e) {
        phx_setting element = {"element", elements[e]};
        phxi_block_def def = block_of(&element, 3, 3, 3);
        phxi_block block;
        double* omegas = NULL;
        phx_dt_info info;
        char quantity[96];
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = phx_world_dt(block.world, &info);
        if (result == PHX_OK) {
            result = phxi_block_spectrum(&block, &omegas);
        }
        int zeros = 0, size = 3 * block.count;
        for (int k = 0; result == PHX_OK && k < size; ++k) {
            zeros += fabs(omegas[k]) < 1e-2 * omegas[size - 1];
        }
        if (result == PHX_OK) {
            snprintf(quantity, sizeof quantity, "%s: motions without a force", elements[e]);
            phxi_validate(v, quantity, zeros, 6, 0);
            snprintf(quantity, sizeof quantity, "%s: stable step over 2/omega of 3 x 3 x 3 cells", elements[e]);
            phxi_validate(v, quantity, info.stable * omegas[size - 1] / 2, 0.85, 0.15);
        }
        phxi_free(v->heap, omegas);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- bar

/// A bar of 10 x 2 x 2 cells, clamped, nu = 0: hexahedra are a chain of ten springs, whose swing and pull are known.
static phx_result bar_of(phxi_validation* v, phxi_block* block, const phxi_block_def* def, phx_vec3* q, phx_vec3* kq) {
    double a = def->spacing, length = def->cells[0] * a, e = def->material.young, density = def->material.density;
    double omega = 2 * sqrt(e / density) / a * sin(pi * a / (4 * length)), worst = 0, most = 0;
    const phx_real* mass = block->world->particles.mass;
    for (int i = 0; i < block->count; ++i) {
        block->held[i] = block->rest[i].x < 0.5 * a;
        q[i] = phxi_vec3(1e-3 * a * sin(pi * block->rest[i].x / (2 * length)), 0, 0);
    }
    PHXI_TRY(phxi_block_stiffness(block, q, kq));
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 expected = block->held[i] ? phxi_vec3(0, 0, 0) : phxi_scale(omega * omega * (double)mass[i], q[i]);
        worst = fmax(worst, phxi_length(phxi_sub(kq[i], expected)));
        most = fmax(most, phxi_length(expected));
    }
    phxi_validate(v, "K q - omega^2 M q of the first swing, over its size", worst / most, 0,
                  phxi_by_precision(1e-8, 1e-3));
    double area = def->cells[1] * def->cells[2] * a * a, pull = 1e-3 * e * area, tip = 0, tips = 0;
    for (int i = 0; i < block->count; ++i) {
        double share = (double)mass[i] / (density * a * area / 2); // of the end's half layer of cells
        q[i] = block->rest[i].x > length - 0.5 * a ? phxi_vec3(share * pull, 0, 0) : phxi_vec3(0, 0, 0);
        kq[i] = phxi_vec3(0, 0, 0);
    }
    PHXI_TRY(phxi_block_solve(block, q, phxi_by_precision(1e-10, 1e-6), kq));
    for (int i = 0; i < block->count; ++i) {
        bool end = block->rest[i].x > length - 0.5 * a;
        tip += end ? kq[i].x : 0;
        tips += end;
    }
    phxi_validate_relative(v, "extension over that of a bar", tip / tips / (1e-3 * length), 1,
                           phxi_by_precision(1e-6, 1e-4));
    return PHX_OK;
}

static phx_result bar(phxi_validation* v) {
    phx_setting element = {"element", "hexahedra"};
    phxi_block_def def = block_of(&element, 10, 2, 2);
    def.material.poisson = 0;
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_vec3* q = phxi_alloc(v->heap, (size_t)block.count, sizeof *q, "motion");
    phx_vec3* kq = phxi_alloc(v->heap, (size_t)block.count, sizeof *kq, "forces");
    phx_result result = q && kq ? bar_of(v, &block, &def, q, kq) : PHX_ERROR_MEMORY;
    phxi_free(v->heap, q);
    phxi_free(v->heap, kq);
    phxi_block_destroy(&block);
    return result;
}

/// Linear elements lock in bending: too stiff by a part that falls with the square of their size.
static phx_result cantilevers(phxi_validation* v) {
    static const double bounds[2][2] = {{0.83, 0.95}, {0.45, 0.78}}; // measured at 2 and 4 cells across, less a little
    for (int e = 0; e < 2; ++e) {
        double ratio[2];
        char quantity[96];
        for (int k = 0; k < 2; ++k) {
            int across = 2 << k;
            phx_setting element = {"element", elements[e]};
            phxi_block_def def = block_of(&element, 10 * across + PHXI_BLOCK_CLAMP - 1, across, across);
            PHXI_TRY(phxi_block_sag(v, &def, &ratio[k]));
            snprintf(quantity, sizeof quantity, "%s: tip over Timoshenko's, %d cells across", elements[e], across);
            phxi_validate(v, quantity, ratio[k], 0.5 * (1 + bounds[e][k]), 0.5 * (1 - bounds[e][k]));
        }
        snprintf(quantity, sizeof quantity, "%s: error at 2 cells across over that at 4", elements[e]);
        phxi_validate(v, quantity, (1 / ratio[0] - 1) / (1 / ratio[1] - 1), 4, 1);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ implicit

static phx_result implicit_block(phxi_validation* v, int x, const char* const words[3], double gravity,
                                 phxi_block* block) {
    const phx_setting settings[] = {{"integrator", words[0]}, {"tangent", words[1]}, {"tolerance", words[2]}};
    phxi_block_def def = phxi_block_default(x, 2, 2);
    def.method = "fem";
    def.settings = settings;
    def.setting_count = 3;
    def.material.poisson = gravity > 0 ? 0.3 : 0;
    phx_driver_def pin = phx_driver_def_default();
    phx_driver_id id;
    pin.region = gravity > 0 ? "box(size=(0.42,10,10))" : "box(size=(0.1,10,10))";
    PHXI_TRY(phxi_block_create(v, &def, block));
    block->world->def.gravity = phxi_vec3(0, 0, -gravity);
    phx_result result = phx_driver_create(block->world, &pin, &id);
    if (result != PHX_OK) {
        phxi_block_destroy(block);
    }
    return result;
}

/// sum m u sin(pi X/2L), which every swing but the first is orthogonal to.
static double first_swing(const phxi_block* block, const void* context) {
    const phxi_particles* p = &block->world->particles;
    double sum = 0;
    for (int i = 0; i < block->count; ++i) {
        double u = (double)p->x[i] + (double)block->low[0][i] - block->rest[i].x;
        sum += (double)p->mass[i] * u * sin(pi * block->rest[i].x / (2 * *(const double*)context));
    }
    return sum;
}

/// The bar of ten cells let go in its first swing, 60 steps a period.
static phx_result swing_of(phxi_validation* v, const char* const words[3], double* ratio) {
    phxi_block block;
    double length = 1, a = 0.1, omega = 2 * sqrt(1e6 / 1000) / a * sin(pi * a / (4 * length)), period = 2 * pi / omega;
    PHXI_TRY(implicit_block(v, 10, words, 0, &block));
    phxi_particles* p = &block.world->particles;
    for (int i = 0; i < block.count; ++i) {
        double x = block.rest[i].x + 1e-3 * sin(pi * block.rest[i].x / (2 * length));
        p->x[i] = (phx_real)x;
        block.low[0][i] = (phx_real)(x - (double)p->x[i]);
    }
    double measured;
    phx_result result = phxi_block_swing(&block, period, 60, 5, first_swing, &length, &measured);
    *ratio = measured / period;
    phxi_block_destroy(&block);
    return result;
}

/// Tip of the cantilever in steps so long that it is at rest, over Timoshenko's.
static phx_result sag_of(phxi_validation* v, const char* const words[3], double* ratio) {
    phxi_block block;
    const double g = 1e-2, start = 0.2, length = 2;
    PHXI_TRY(implicit_block(v, 22, words, g, &block));
    phx_result result = PHX_OK;
    for (int k = 0; k < 4 && result == PHX_OK; ++k) {
        result = phx_world_substep(block.world, 1e3);
    }
    double tip = 0, tips = 0;
    for (int i = 0; i < block.count; ++i) {
        if (block.rest[i].x > start + length - 0.05) {
            tip -= (double)block.world->particles.z[i] + (double)block.low[2][i] - block.rest[i].z;
            tips += 1;
        }
    }
    phxi_block_def def = phxi_block_default(22, 2, 2);
    *ratio = tip / tips / phxi_block_timoshenko(&def, g, length, length);
    phxi_block_destroy(&block);
    return result;
}

/// A period of n steps is longer by (2 pi/n)^2 times 1/3 (Euler, bdf2) or 1/12 (trapezoid): the phase of their roots.
static phx_result implicit(phxi_validation* v) {
    static const char* const kinds[][3] = {{"implicit_euler", "projected", "1e-5"},
                                           {"implicit_euler", "frozen", "1e-5"},
                                           {"bdf2", "projected", "1e-4"},
                                           {"trapezoid", "projected", "1e-5"}};
    static const double longer[] = {1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 12};
    char quantity[96];
    for (int k = 0; k < 4; ++k) {
        double ratio, step = 2 * pi / 60;
        PHXI_TRY(swing_of(v, kinds[k], &ratio));
        snprintf(quantity, sizeof quantity, "%s, %s: period over that of the chain", kinds[k][0], kinds[k][1]);
        phxi_validate(v, quantity, ratio, 1 + longer[k] * step * step, 1e-3);
    }
    phx_setting element = {"element", "hexahedra"};
    phxi_block_def def = block_of(&element, 22, 2, 2);
    double solved;
    PHXI_TRY(phxi_block_sag(v, &def, &solved));
    for (int k = 0; k < 2; ++k) {
        double ratio;
        PHXI_TRY(sag_of(v, kinds[k], &ratio));
        snprintf(quantity, sizeof quantity, "%s, %s: sag in steps of 1000 s over that of K u = b", kinds[k][0],
                 kinds[k][1]);
        phxi_validate(v, quantity, ratio / solved, 1, 2e-3);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_fem[] = {
    {"fem.forces", "turned, stretched and shaken blocks", forces},
    {"fem.frequencies", "six free motions; the stable step", frequencies},
    {"fem.bar", "first swing and extension of a bar, exactly", bar},
    {"fem.cantilevers", "tips of beams, and how fast they converge", cantilevers},
    {"fem.implicit", "implicit steps: period and sag", implicit},
    {NULL, NULL, NULL},
};
