// SPDX-License-Identifier: MIT
// Element-free Galerkin in sheets of one layer and rods of one line of particles, against membranes, wires and strings:
// docs/theory/efg.md (4).
//
// Strains are small where the answer is of linear theory. What differences such forces is run in double only.
#include "validate/block.h"
#include "validate/efg/efg.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

typedef struct shape {
    const char* name;
    int cells[3];
    double jitter; // also across: 0.4 makes rows that are neither sheets nor solids
} shape;
static const shape shapes[] = {
    {"sheet", {10, 10, 1}, 0},
    {"rod", {16, 1, 1}, 0},
    {"sheet, jitter 0.1", {10, 10, 1}, 0.1},
    {"sheet, jitter 0.4", {10, 10, 1}, 0.4},
    {"rod, jitter 0.3", {16, 1, 1}, 0.3},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool in_double(void) {
    return sizeof(phx_real) == sizeof(double);
}

static phx_result make(phxi_validation* v, const shape* s, phxi_block* block) {
    phxi_block_def def = phxi_block_default(s->cells[0], s->cells[1], s->cells[2]);
    def.jitter = s->jitter;
    return phxi_block_create(v, &def, block);
}

static double random_sign(uint64_t a, int b) {
    return 2 * phxi_hash_unit(phxi_hash_pair(a, (uint64_t)b)) - 1;
}

// ---------------------------------------------------------------------------------- exact for any shape and rank

static phx_result largest_force(phxi_block* block, const phxi_mat3* map, double* worst) {
    phx_vec3* x;
    PHXI_NEW(x, block->validation->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_add(phxi_mat3_apply(map, block->rest[i]), (phx_vec3){0.3, -0.2, 0.1});
    }
    phx_result result = phxi_block_forces(block, x);
    *worst = 0;
    for (int i = 0; i < block->count && result == PHX_OK; ++i) {
        *worst = fmax(*worst, phxi_length(block->forces[i]) / (1e6 * block->spacing * block->spacing));
    }
    phxi_free(block->validation->heap, x);
    return result;
}

phx_result phxi_validate_thin_rotation(phxi_validation* v) {
    phxi_mat3 still = phxi_identity(), turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9);
    for (int k = 0; k < SHAPES; ++k) {
        phxi_block block;
        double rest = NAN, turned = NAN;
        PHXI_TRY(make(v, &shapes[k], &block));
        phx_result result = largest_force(&block, &still, &rest);
        if (result == PHX_OK) {
            result = largest_force(&block, &turn, &turned);
        }
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest force / (E a^2) at rest, %s", shapes[k].name);
        phxi_validate(v, quantity, rest, 0, phxi_by_precision(1e-13, 1e-5));
        snprintf(quantity, sizeof quantity, "largest force / (E a^2) turned, %s", shapes[k].name);
        phxi_validate(v, quantity, turned, 0, phxi_by_precision(1e-13, 1e-5));
    }
    return PHX_OK;
}

// Random positions: forces and torques add up to nothing.
static phx_result balance(phxi_validation* v, phxi_block* block, const char* name) {
    phx_vec3 *x, force = {0, 0, 0}, torque = {0, 0, 0};
    double forces = 0, moments = 0;
    PHXI_NEW(x, v->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 own = {random_sign(11, i), random_sign(12, i), random_sign(13, i)};
        x[i] = phxi_add_scaled(block->rest[i], 0.05 * block->spacing, own);
    }
    PHXI_TRY(phxi_block_forces(block, x));
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 f = block->forces[i];
        force = phxi_add(force, f);
        torque = phxi_add(torque, phxi_cross(x[i], f));
        forces += phxi_length(f);
        moments += phxi_length(x[i]) * phxi_length(f);
    }
    phxi_free(v->heap, x);
    char quantity[96];
    snprintf(quantity, sizeof quantity, "|sum f| / sum |f|, %s", name);
    phxi_validate(v, quantity, phxi_length(force) / forces, 0, phxi_by_precision(1e-15, 1e-7));
    snprintf(quantity, sizeof quantity, "|torque| / sum of moments, %s", name);
    phxi_validate(v, quantity, phxi_length(torque) / moments, 0, phxi_by_precision(1e-15, 1e-6));
    return PHX_OK;
}

// Set going at random, left alone for 1000 steps of the length the method asks for.
static phx_result fly(phxi_validation* v, phxi_block* block, const char* name) {
    phxi_particles* p = &block->world->particles;
    PHXI_TRY(phxi_block_forces(block, block->rest));
    PHXI_TRY(phx_body_set_velocity(block->world, block->body, (phx_vec3){0.1, 0.2, -0.1}, (phx_vec3){2, 3, -4}));
    for (int i = 0; i < block->count; ++i) {
        p->vx[i] += (phx_real)(0.3 * random_sign(21, i));
        p->vy[i] += (phx_real)(0.3 * random_sign(22, i));
        p->vz[i] += (phx_real)(0.3 * random_sign(23, i));
    }
    phx_totals first, last;
    double low = INFINITY, high = 0;
    PHXI_TRY(phx_world_measure(block->world, &first));
    for (int k = 0; k < 1000; ++k) {
        phx_dt_info dt;
        PHXI_TRY(phx_world_dt(block->world, &dt));
        PHXI_TRY(phx_world_substep(block->world, dt.dt));
        if (k % 20 == 19) {
            PHXI_TRY(phx_world_measure(block->world, &last));
            low = fmin(low, last.kinetic + last.elastic);
            high = fmax(high, last.kinetic + last.elastic);
        }
    }
    PHXI_TRY(phx_world_measure(block->world, &last));
    char quantity[96];
    snprintf(quantity, sizeof quantity, "momentum after 1000 steps, %s", name);
    phxi_validate(v, quantity, phxi_distance(last.momentum, first.momentum) / phxi_length(first.momentum), 0,
                  phxi_by_precision(1e-13, 1e-4));
    snprintf(quantity, sizeof quantity, "angular momentum, %s", name);
    phxi_validate(v, quantity,
                  phxi_distance(last.angular_momentum, first.angular_momentum) / phxi_length(first.angular_momentum), 0,
                  phxi_by_precision(1e-13, 1e-4));
    snprintf(quantity, sizeof quantity, "spread of the energy, relative, %s", name);
    phxi_validate(v, quantity, (high - low) / (first.kinetic + first.elastic), 0, 0.01);
    return PHX_OK;
}

phx_result phxi_validate_thin_momenta(phxi_validation* v) {
    for (int k = 0; k < SHAPES; ++k) {
        phxi_block block;
        PHXI_TRY(make(v, &shapes[k], &block));
        phx_result result = balance(v, &block, shapes[k].name);
        if (result == PHX_OK) {
            result = fly(v, &block, shapes[k].name);
        }
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------- modulus and contraction

// Mean of du_a/dx_a over the middle half of the block: the slope of a line through the displacements.
static double strain(const phxi_block* block, const phx_vec3* u, int axis, double length) {
    double sum = 0, xx = 0, xu = 0, mean_x = 0, mean_u = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < block->count; ++i) {
            const double x[3] = {block->rest[i].x, block->rest[i].y, block->rest[i].z};
            const double d[3] = {u[i].x, u[i].y, u[i].z};
            if (fabs(x[0] - length / 2) > length / 4) {
                continue;
            }
            if (pass == 0) {
                sum += 1;
                mean_x += x[axis];
                mean_u += d[axis];
            } else {
                xx += (x[axis] - mean_x) * (x[axis] - mean_x);
                xu += (x[axis] - mean_x) * (d[axis] - mean_u);
            }
        }
        mean_x = pass == 0 ? mean_x / sum : mean_x;
        mean_u = pass == 0 ? mean_u / sum : mean_u;
    }
    return xu / xx;
}

// Held by its first layer and pulled at its last: in the middle stress is what is pulled over the section.
static phx_result pull(phxi_validation* v, const shape* s, double* modulus, double* contraction) {
    phxi_block block;
    PHXI_TRY(make(v, s, &block));
    double length = s->cells[0] * block.spacing, force = 1e-3 * s->cells[1];
    double area = s->cells[1] * block.spacing * block.spacing;
    phx_vec3 *u, *b;
    PHXI_NEW(b, v->heap, block.count, "load");
    u = phxi_alloc_zero(v->heap, (size_t)block.count, sizeof *u, "displacement");
    if (!u) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < block.count; ++i) {
        block.held[i] = block.rest[i].x < block.spacing;
        b[i] = (phx_vec3){block.rest[i].x > length - block.spacing ? force / s->cells[1] : 0, 0, 0};
    }
    phx_result result = phxi_block_solve(&block, b, 1e-9, u);
    double along = strain(&block, u, 0, length);
    *modulus = force / area / along;
    *contraction = s->cells[1] > 1 ? -strain(&block, u, 1, length) / along : NAN;
    phxi_free(v->heap, b);
    phxi_free(v->heap, u);
    phxi_block_destroy(&block);
    return result;
}

// A stretched rod keeps no pull across: its volume says how far it has thinned.
static phx_result thinning(phxi_validation* v, double* contraction) {
    const double e = 1e-3;
    phxi_block block;
    PHXI_TRY(make(v, &shapes[1], &block));
    phx_vec3* x;
    phx_real* det;
    PHXI_NEW(x, v->heap, block.count, "positions");
    PHXI_NEW(det, v->heap, block.count, "volumes");
    for (int i = 0; i < block.count; ++i) {
        x[i] = (phx_vec3){(1 + e) * block.rest[i].x, block.rest[i].y, block.rest[i].z};
    }
    phxi_block_place(&block, x);
    phx_result result = phx_world_field(block.world, "det_f", det);
    *contraction = (1 - sqrt((double)det[block.count / 2] / (1 + e))) / e;
    phxi_free(v->heap, x);
    phxi_free(v->heap, det);
    phxi_block_destroy(&block);
    return result;
}

phx_result phxi_validate_thin_pull(phxi_validation* v) {
    const shape sheet = {"sheet", {48, 12, 1}, 0}, rod = {"rod", {40, 1, 1}, 0};
    double modulus = NAN, contraction = NAN;
    if (in_double()) {
        PHXI_TRY(pull(v, &sheet, &modulus, &contraction));
        phxi_validate_relative(v, "modulus of a sheet", modulus, 1e6, 0.01);
        phxi_validate_relative(v, "contraction of a sheet, Poisson's ratio", contraction, 0.3, 0.01);
        PHXI_TRY(pull(v, &rod, &modulus, &contraction));
        phxi_validate_relative(v, "modulus of a rod", modulus, 1e6, 0.01);
    }
    PHXI_TRY(thinning(v, &contraction));
    phxi_validate_relative(v, "contraction of a rod, Poisson's ratio", contraction, 0.3, 0.01);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------ strings, bending

static phx_result pin_ends(phxi_block* block, double length) {
    const double at[2] = {block->spacing, length - block->spacing};
    for (int side = 0; side < 2; ++side) {
        char region[128];
        snprintf(region, sizeof region, "plane(point=(%.17g,0,0), normal=(%d,0,0))", at[side], side ? -1 : 1);
        phx_driver_def pin = phx_driver_def_default();
        pin.region = region;
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(block->world, &pin, &id));
    }
    return PHX_OK;
}

typedef struct lowest_mode {
    bool across;
    double start, length;
} lowest_mode;

static double amplitude_of(const phxi_block* block, const void* context) {
    const lowest_mode* m = context;
    const phxi_particles* p = &block->world->particles;
    double amplitude = 0;
    for (int i = 0; i < block->count; ++i) {
        double s = (block->rest[i].x - m->start) / m->length;
        double moved = m->across ? (double)p->z[i] - block->rest[i].z : (double)p->x[i] - block->rest[i].x;
        amplitude += moved * (m->across ? sin(pi * s) : cos(pi * s));
    }
    return amplitude;
}

// A string stretched by 10 %, plucked across, and a free rod swinging along itself, over what theory says.
static phx_result period_of(phxi_validation* v, bool across, double* ratio) {
    const shape rod = {"rod", {60, 1, 1}, 0};
    phxi_block block;
    PHXI_TRY(make(v, &rod, &block));
    double a = block.spacing, stretch = across ? 1.1 : 1, start = across ? a / 2 : 0, length = (across ? 59 : 60) * a;
    // pull over section, Pa: E times Green strain, on the stretched length; wave speed of the rest length squared
    double pull_by_area = 1e6 * stretch * (stretch * stretch - 1) / 2;
    double square = across ? pull_by_area / stretch / 1000 : 1e6 / 1000.0;
    double period = 2 * length / sqrt(square), measured = NAN;
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block.count, "positions");
    for (int i = 0; i < block.count; ++i) {
        double s = (block.rest[i].x - start) / length, small = 1e-2 * a;
        x[i] = (phx_vec3){stretch * block.rest[i].x + (across ? 0 : small * cos(pi * s)), block.rest[i].y,
                          block.rest[i].z + (across ? small * sin(pi * s) : 0)};
    }
    phx_result result = PHX_OK;
    phxi_block_place(&block, x);
    if (across) {
        result = pin_ends(&block, 60 * a);
    }
    if (result == PHX_OK) {
        result =
            phxi_block_swing(&block, period, 2000, 5, amplitude_of, &(lowest_mode){across, start, length}, &measured);
    }
    *ratio = measured / period;
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return result;
}

// Bending stiffness of a strip held by two layers and loaded at its end, over that of a plate one spacing thick.
static phx_result bending(phxi_validation* v, const shape* s, double* ratio) {
    phxi_block block;
    PHXI_TRY(make(v, s, &block));
    double a = block.spacing, force = 1e-9, last = (s->cells[0] - 0.5) * a, length = last - 1.5 * a, tip = 0;
    phx_vec3 *u, *b;
    PHXI_NEW(b, v->heap, block.count, "load");
    u = phxi_alloc_zero(v->heap, (size_t)block.count, sizeof *u, "displacement");
    if (!u) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < block.count; ++i) {
        block.held[i] = block.rest[i].x < 2 * a;
        b[i] = (phx_vec3){0, 0, block.rest[i].x > last - a / 2 ? force : 0};
    }
    phx_result result = phxi_block_solve(&block, b, 1e-9, u);
    for (int i = 0; i < block.count; ++i) {
        tip += block.rest[i].x > last - a / 2 ? u[i].z / s->cells[1] : 0;
    }
    // u = F L^3 / (3 E I), a row of particles at a time
    *ratio = force * length * length * length / (3 * tip) / (1e6 * a * a * a * a / 12);
    phxi_free(v->heap, b);
    phxi_free(v->heap, u);
    phxi_block_destroy(&block);
    return result;
}

phx_result phxi_validate_thin_strings(phxi_validation* v) {
    if (!in_double()) {
        return PHX_OK;
    }
    double ratio = NAN;
    PHXI_TRY(period_of(v, true, &ratio));
    phxi_validate(v, "period of a string over 2 L sqrt(rho A / T)", ratio, 1, 0.01);
    PHXI_TRY(period_of(v, false, &ratio));
    phxi_validate(v, "period of a rod along itself over 2 L / c", ratio, 1, 0.01);
    const shape rod = {"rod", {24, 1, 1}, 0}, sheet = {"sheet", {24, 6, 1}, 0};
    // By hand: (alpha E V / 8 a^2) |u_+ - 2 u + u_-|^2 a particle is alpha E a^4 / 4 = 3 alpha E I in a rod. In a sheet
    // tr A has twice the weight, hence half of that.
    PHXI_TRY(bending(v, &rod, &ratio));
    phxi_validate(v, "bending of a rod over E a^4 / 12, by hourglass control", ratio, 0.3, 0.03);
    PHXI_TRY(bending(v, &sheet, &ratio));
    phxi_validate(v, "bending of a sheet over E a^3 / 12, by hourglass control", ratio, 0.15, 0.015);
    return PHX_OK;
}
