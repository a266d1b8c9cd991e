// SPDX-License-Identifier: MIT
// Corotated SPH: how exact its forces are (docs/theory/corotated_sph.md C1, C2), its stable substeps (C4). Bars that
// are pulled and twisted until their kernels lose them: bars.c.
#include "validate/block.h"

#include "core/hash.h"
#include "methods/corotated_sph/corotated_internal.h"

#include <math.h>
#include <stdio.h>

typedef struct scheme {
    const char* name;
    phx_setting settings[5];
    int setting_count;
} scheme;

enum { CORRECTED, PLAIN, DENSITY, PUBLISHED, SCHEMES };
static const scheme schemes[SCHEMES] = {
    {"corrected", {{"hourglass", "0"}}, 1},
    {"plain", {{"hourglass", "0"}, {"gradient", "plain"}, {"rotation", "shape"}}, 3},
    {"plain, V = m / rho",
     {{"hourglass", "0"}, {"gradient", "plain"}, {"rotation", "shape"}, {"volumes", "density"}},
     4},
    {"as published",
     {{"hourglass", "0"}, {"gradient", "plain"}, {"rotation", "shape"}, {"volumes", "density"}, {"pair_share", "0.5"}},
     5},
};

static phxi_block_def block_of(const scheme* s, int x, int y, int z) {
    phxi_block_def def = phxi_block_default(x, y, z);
    def.spacing = 0.0048;
    def.method = "corotated_sph";
    def.settings = s->settings;
    def.setting_count = s->setting_count;
    def.material.poisson = 0.33;
    return def;
}

static const phxi_csph_slot* slot_of(const phxi_block* block) {
    const phxi_csph* csph = block->world->solvers.items[block->world->bodies.items[0].solver].state;
    return &csph->slots.items[0];
}

// ------------------------------------------------------------------------------------------------------------ momenta

typedef struct pushes {
    double force, largest, torque; // sum of forces over that of their sizes; |f| / (E a^2); torque over sum of moments
} pushes;

static phx_result push(phxi_block* block, double young, const phx_vec3* x, pushes* p) {
    PHXI_TRY(phxi_block_forces(block, x));
    phx_vec3 force = {0}, torque = {0};
    double sizes = 0, moments = 0;
    *p = (pushes){0};
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 f = block->forces[i], moment = phxi_cross(x[i], f);
        force = phxi_add(force, f), torque = phxi_add(torque, moment);
        sizes += phxi_length(f), moments += phxi_length(moment);
        p->largest = fmax(p->largest, phxi_length(f) / (young * block->spacing * block->spacing));
    }
    p->force = phxi_length(force) / sizes, p->torque = phxi_length(torque) / moments;
    return PHX_OK;
}

/// A bar along z bent to an arc and shaken; turned as a whole.
static void bend(const phxi_block* block, bool bent, phx_vec3* x) {
    double a = block->spacing, radius = 40 * a;
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9);
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 r = block->rest[i];
        double angle = r.z / radius;
        phx_vec3 curved = {(radius + r.x) * cos(angle) - radius, r.y, (radius + r.x) * sin(angle)};
        for (int k = 0; k < 3; ++k) {
            double* axis = k == 0 ? &curved.x : k == 1 ? &curved.y : &curved.z;
            *axis += 0.05 * a * (phxi_hash_unit(phxi_hash_pair(11, (uint64_t)(3 * i + k))) - 0.5);
        }
        x[i] = phxi_mat3_apply(&turn, bent ? curved : r);
    }
}

static phx_result momenta_of(phxi_validation* v, const scheme* s, pushes* rigid, pushes* bent) {
    phxi_block_def def = block_of(s, 6, 6, 22);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_vec3* x = phxi_alloc(v->heap, (size_t)block.count, sizeof *x, "positions");
    phx_result result = x ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        bend(&block, false, x);
        result = push(&block, def.material.young, x, rigid);
    }
    if (result == PHX_OK) {
        bend(&block, true, x);
        result = push(&block, def.material.young, x, bent);
    }
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return result;
}

static phx_result momenta(phxi_validation* v) {
    static const scheme now = {"kernels on current positions", {{"mode", "current"}, {"kernel", "principal"}}, 2};
    static const scheme turned = {"corrected, rotation by shape", {{"hourglass", "0"}, {"rotation", "shape"}}, 2};
    const struct {
        const scheme* scheme;
        double torque, bound; // 0: none but rounding; NAN: there is one
    } rows[] = {{&schemes[CORRECTED], 0, 0}, {&turned, 7e-4, 7e-4}, {&schemes[PLAIN], 2.9e-3, 2.9e-3}, {&now, NAN, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pushes rigid, bent;
        char quantity[96];
        PHXI_TRY(momenta_of(v, rows[k].scheme, &rigid, &bent));
        snprintf(quantity, sizeof quantity, "largest force / (E a^2) of a turned bar, %s", rows[k].scheme->name);
        phxi_validate(v, quantity, rigid.largest, 0, phxi_by_precision(1e-13, 1e-5));
        snprintf(quantity, sizeof quantity, "sum of forces, %s", rows[k].scheme->name);
        phxi_validate(v, quantity, bent.force, 0, phxi_by_precision(1e-15, 1e-7));
        if (isnan(rows[k].torque)) {
            continue;
        }
        snprintf(quantity, sizeof quantity, "torque over sum of moments, %s", rows[k].scheme->name);
        phxi_validate(v, quantity, bent.torque, rows[k].torque,
                      rows[k].bound > 0 ? rows[k].bound : phxi_by_precision(1e-14, 1e-6));
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- stiffness

/// M_xx of a particle amid the block, and of one at a corner: how much of a gradient the kernel sees.
static phx_result gradient_factors(phxi_validation* v, const scheme* s, double* inside, double* corner) {
    phxi_block_def def = block_of(s, 8, 8, 8);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    const phxi_csph_slot* slot = slot_of(&block);
    double size = 8 * block.spacing;
    for (int i = 0; i < block.count; ++i) {
        phx_vec3 r = block.rest[i];
        double m = (double)slot->sums[i / CSPH_BLOCK].moment[0][i % CSPH_BLOCK];
        double away = fmax(fmax(fabs(r.x - size / 2), fabs(r.y - size / 2)), fabs(r.z - size / 2));
        *inside = away < block.spacing ? m : *inside;
        *corner = fmax(fmax(r.x, r.y), r.z) < block.spacing ? m : *corner;
    }
    phxi_block_destroy(&block);
    return PHX_OK;
}

/// Holds two layers at both ends and moves the upper ones by `strain` times the length between the inner ones.
static double grip(phxi_block* block, double strain, phx_vec3* u) {
    double a = block->spacing, top = 22 * a, length = 19 * a;
    for (int i = 0; i < block->count; ++i) {
        double z = block->rest[i].z, share = fmin(1, fmax(0, (z - 1.5 * a) / length));
        block->held[i] = z < 2 * a || z > top - 2 * a;
        u[i] = (phx_vec3){0, 0, strain * length * share};
    }
    return length;
}

/// K u with the grips free to move: as if nothing were held.
static phx_result loads(phxi_block* block, const phx_vec3* u, phx_vec3* x, phx_vec3* load) {
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_add(block->rest[i], u[i]);
    }
    PHXI_TRY(phxi_block_forces(block, x));
    for (int i = 0; i < block->count; ++i) {
        load[i] = phxi_scale(-1, block->forces[i]);
    }
    return PHX_OK;
}

/// Pull of a gripped bar over E A strain.
static phx_result axial(phxi_block* block, double young, double* ratio) {
    enum { VECTORS = 4 };
    const double strain = 1e-3, a = block->spacing;
    phx_vec3* work = phxi_alloc_zero(block->validation->heap, (size_t)(VECTORS * block->count), sizeof *work, "pull");
    if (!work) {
        return PHX_ERROR_MEMORY;
    }
    phx_vec3 *u = work, *x = work + block->count, *load = x + block->count, *more = load + block->count;
    grip(block, strain, u);
    phx_result result = loads(block, u, x, load);
    for (int i = 0; i < block->count; ++i) {
        load[i] = block->held[i] ? (phx_vec3){0, 0, 0} : phxi_scale(-1, load[i]);
    }
    if (result == PHX_OK) {
        result = phxi_block_solve(block, load, phxi_by_precision(1e-8, 1e-3), more);
    }
    for (int i = 0; i < block->count; ++i) {
        u[i] = phxi_add(u[i], more[i]);
    }
    if (result == PHX_OK) {
        result = loads(block, u, x, load);
    }
    double pull = 0;
    for (int i = 0; i < block->count; ++i) {
        pull += block->rest[i].z > 20 * a ? load[i].z : 0;
    }
    *ratio = pull / (young * 36 * a * a * strain);
    phxi_free(block->validation->heap, work);
    return result;
}

static phx_result axial_stiffness(phxi_validation* v, const scheme* s, double* ratio) {
    phxi_block_def def = block_of(s, 6, 6, 22);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_result result = axial(&block, def.material.young, ratio);
    phxi_block_destroy(&block);
    return result;
}

static phx_result stiffness(phxi_validation* v) {
    static const double inside[SCHEMES] = {0.835, 0.835, 0.568, 0.568}, corner[SCHEMES] = {0.357, 0.357, 0.270, 0.270};
    static const double along[SCHEMES] = {0.996, 0.629, 0.220, 0.110};
    for (int k = 0; k < SCHEMES; ++k) {
        char quantity[96];
        double amid = NAN, edge = NAN, ratio = NAN;
        PHXI_TRY(gradient_factors(v, &schemes[k], &amid, &edge));
        snprintf(quantity, sizeof quantity, "share of a gradient inside, before correction, %s", schemes[k].name);
        phxi_validate(v, quantity, amid, inside[k], 1e-3);
        snprintf(quantity, sizeof quantity, "share of a gradient at a corner, %s", schemes[k].name);
        phxi_validate(v, quantity, edge, corner[k], 1e-3);
        PHXI_TRY(axial_stiffness(v, &schemes[k], &ratio));
        snprintf(quantity, sizeof quantity, "pull of a bar over E A strain, %s", schemes[k].name);
        phxi_validate(v, quantity, ratio, along[k], 0.02);
    }
    if (sizeof(phx_real) == sizeof(double)) { // differences of forces
        phxi_block_def def = block_of(&schemes[CORRECTED], 48 + PHXI_BLOCK_CLAMP, 6, 6);
        double ratio = NAN;
        PHXI_TRY(phxi_block_sag(v, &def, &ratio));
        phxi_validate_relative(v, "tip of a cantilever over Timoshenko's, corrected", ratio, 1.091, 0.02);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- bending

/// A cantilever along x as Saint-Venant bends it under a load at its end, and nothing where it is clamped: w = x^2 (3 L
/// - x) / 6 with the sections that stay plane and swell. `size` makes it small.
static void bend_beam(const phxi_block* block, double start, double length, double width, double nu, double size,
                      phx_vec3* u) {
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 r = block->rest[i];
        double x = r.x - start, y = r.y - width / 2, z = r.z - width / 2;
        double w = x * x * (3 * length - x) / 6, slope = x * (2 * length - x) / 2, curve = length - x;
        double shear = width * width * (1 + nu) / 5 * x; // 2 (1 + nu) I / (5/6 A)
        u[i] = block->held[i] ? (phx_vec3){0, 0, 0}
                              : phxi_scale(size, phxi_vec3(-z * slope, nu * curve * y * z,
                                                           w + shear + nu * curve * (z * z - y * y) / 2));
    }
}

/// Least that the end of a cantilever can give way under a load there, over Timoshenko's. A load does as much work on
/// the beam as it can: b.u = max (b.v)^2 / v.Kv over all v, so every v gives a bound.
static phx_result least_tip(phxi_validation* v, const scheme* s, double* ratio) {
    phxi_block_def def = block_of(s, 48 + PHXI_BLOCK_CLAMP, 6, 6);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_vec3 *u, *x;
    PHXI_NEW(u, v->heap, 2 * block.count, "beam");
    x = u + block.count;
    double start = phxi_block_clamp(&block, def.spacing), last = 0, width = 6 * def.spacing, work = 0, tip = 0;
    for (int i = 0; i < block.count; ++i) {
        last = fmax(last, block.rest[i].x);
    }
    double length = last - start, e = def.material.young, nu = def.material.poisson;
    bend_beam(&block, start, length, width, nu, 1e-6 / (length * length), u);
    for (int i = 0; i < block.count; ++i) {
        x[i] = phxi_add(block.rest[i], u[i]);
    }
    phx_result result = phxi_block_forces(&block, x);
    for (int i = 0; i < block.count && result == PHX_OK; ++i) {
        work -= phxi_dot(u[i], block.forces[i]);
        tip += block.rest[i].x > last - 1e-6 ? u[i].z / 36 : 0;
    }
    double inertia = width * width * width * width / 12, shear = 5.0 / 6 * e / (2 * (1 + nu)) * width * width;
    *ratio = tip * tip / work / (length * length * length / (3 * e * inertia) + length / shear);
    phxi_free(v->heap, u);
    phxi_block_destroy(&block);
    return result;
}

/// The prototype has 1.395, 3.57 and 7.14 for the tips of plain cantilevers, less than their stiffness allows: their
/// energy when they are bent as Saint-Venant has it says so, and so do positions where forces balance the load (below).
static const double printed[SCHEMES] = {1.091, 1.395, 3.57, 7.14};

static phx_result bending(phxi_validation* v) {
    if (sizeof(phx_real) != sizeof(double)) { // differences of forces
        return PHX_OK;
    }
    for (int k = PLAIN; k < SCHEMES; ++k) {
        char quantity[112];
        double least = NAN;
        PHXI_TRY(least_tip(v, &schemes[k], &least));
        snprintf(quantity, sizeof quantity, "least tip over what the prototype has, %s, up to 1.1", schemes[k].name);
        phxi_validate(v, quantity, fmin(1.1, least / printed[k]), 1.1, 0);
    }
    return PHX_OK;
}

phx_result phxi_validate_corotated_cantilevers(phxi_validation* v) {
    static const double tips[SCHEMES] = {1.091, 1.680, 4.484, 8.969};
    for (int k = 0; k < SCHEMES && sizeof(phx_real) == sizeof(double); ++k) {
        phxi_block_def def = block_of(&schemes[k], 48 + PHXI_BLOCK_CLAMP, 6, 6);
        char quantity[96];
        double ratio = NAN;
        PHXI_TRY(phxi_block_sag(v, &def, &ratio));
        snprintf(quantity, sizeof quantity, "tip of a cantilever over Timoshenko's, %s", schemes[k].name);
        phxi_validate_relative(v, quantity, ratio, tips[k], 0.02);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- stable step

static phx_result stable_dt(phxi_validation* v) {
    static const double limits[SCHEMES] = {2.49e-5, 4.72e-5, 7.75e-5, 1.10e-4};
    for (int k = 0; k < SCHEMES; ++k) {
        phxi_block_def def = block_of(&schemes[k], 6, 6, 22);
        def.material.young = 9e8;
        def.material.density = 4e-3 / (def.spacing * def.spacing * def.spacing);
        phxi_block block;
        double omega = NAN;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        double own = slot_of(&block)->rest_dt;
        phx_result result = phxi_block_fastest(&block, 300, &omega);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest stable step of the published bar, s, %s", schemes[k].name);
        phxi_validate_relative(v, quantity, 2 / omega, limits[k], 0.02);
        snprintf(quantity, sizeof quantity, "the method's own limit over it, %s", schemes[k].name);
        phxi_validate(v, quantity, own * omega / 2, 0.95, 0.05);
    }
    return PHX_OK;
}

/// A bar that is pulled at both ends by steps of a size: largest speed over that of the ends, after 300 of them.
static phx_result pull_with(phxi_validation* v, const scheme* s, double dt, double* speed) {
    phxi_block_def def = block_of(s, 6, 6, 22);
    def.material.young = 9e8;
    def.material.density = 4e-3 / (def.spacing * def.spacing * def.spacing);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phxi_particles* p = &block.world->particles;
    double half = 11 * def.spacing, most = 0;
    for (int i = 0; i < block.count; ++i) {
        p->vz[i] = (phx_real)((block.rest[i].z - half) / half);
        p->vx[i] = (phx_real)(0.01 * (phxi_hash_unit(phxi_hash_pair(5, (uint64_t)i)) - 0.5)); // something to grow
    }
    phx_result result = PHX_OK;
    for (int k = 0; k < 300 && result == PHX_OK && most < 1e3; ++k) {
        result = phx_world_substep(block.world, dt);
        most = 0;
        for (int i = 0; i < block.count; ++i) {
            most = fmax(most, phxi_length(phxi_vec3(p->vx[i], p->vy[i], p->vz[i])));
        }
    }
    *speed = result == PHX_OK ? most : INFINITY; // a step that went wrong has exploded
    phxi_block_destroy(&block);
    return PHX_OK;
}

static phx_result steps(phxi_validation* v) {
    static const struct {
        int scheme;
        double dt;
        bool stable;
    } rows[] = {
        {CORRECTED, 2.4e-5, true}, {CORRECTED, 3e-5, false}, {PUBLISHED, 1e-4, true}, {PUBLISHED, 1.2e-4, false}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        double speed = NAN;
        char quantity[96];
        PHXI_TRY(pull_with(v, &schemes[rows[k].scheme], rows[k].dt, &speed));
        snprintf(quantity, sizeof quantity, "a step of %.3g s blows up (1) or does not, %s", rows[k].dt,
                 schemes[rows[k].scheme].name);
        phxi_validate(v, quantity, speed > 100, !rows[k].stable, 0);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_corotated[] = {
    {"corotated.momenta", "forces of turned and bent bars: none, no sum, no torque", momenta},
    {"corotated.stiffness", "gradients, pull and bending of bars, corrected and as published", stiffness},
    {"corotated.bending", "cantilevers as published are softer than the prototype has them", bending},
    {"corotated.stable_dt", "the largest stable step, corrected and as published", stable_dt},
    {"corotated.steps", "runs with steps below and above the limit", steps},
    {NULL, NULL, NULL},
};
