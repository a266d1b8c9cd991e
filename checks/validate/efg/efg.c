// SPDX-License-Identifier: MIT
// Element-free Galerkin, exact properties: patch test, rotations, momenta, force as gradient of energy, spin, free
// flight, vibration (docs/theory/efg.md T1 to T4, T9). Modes, bending and stable steps: modes.c.
#include "validate/block.h"
#include "validate/efg/efg.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>

typedef struct lattice {
    const char* name;
    int sampling;
    double jitter;
} lattice;
static const lattice lattices[] = {{"cubic", PHX_SAMPLING_UNIFORM, 0},
                                   {"bcc", PHX_SAMPLING_BCC, 0},
                                   {"jittered 20 %", PHX_SAMPLING_UNIFORM, 0.2},
                                   {"octree", PHX_SAMPLING_OCTREE, 0}};
enum { LATTICES = sizeof lattices / sizeof lattices[0] };

static phxi_block_def block_of(const lattice* l, int cells) {
    phxi_block_def def = phxi_block_default(cells, cells, cells);
    def.sampling = l->sampling;
    def.jitter = l->jitter;
    return def;
}

static double random_sign(uint64_t a, uint64_t b) {
    return 2 * phxi_hash_unit(phxi_hash_pair(a, b)) - 1;
}

// ---------------------------------------------------------------------------------------------------- T1, T2

// max |F - (I + L)| after the affine map x -> (I + L) x.
static phx_result affine_error(phxi_block* block, const phxi_mat3* map, double* worst) {
    phx_vec3* x;
    phx_real* f;
    PHXI_NEW(x, block->validation->heap, block->count, "positions");
    PHXI_NEW(f, block->validation->heap, 9 * block->count, "deformation");
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_mat3_apply(map, block->rest[i]);
    }
    phxi_block_place(block, x);
    PHXI_TRY(phx_world_field(block->world, "deformation", f));
    *worst = 0;
    for (int i = 0; i < 9 * block->count; ++i) {
        *worst = fmax(*worst, fabs((double)f[i] - map->m[i % 9 / 3][i % 3]));
    }
    phxi_free(block->validation->heap, x);
    phxi_free(block->validation->heap, f);
    return PHX_OK;
}

static phx_result patch(phxi_validation* v) {
    phxi_mat3 map = {{{1.10, 0.05, -0.07}, {0.02, 0.93, 0.11}, {-0.04, 0.08, 1.06}}};
    for (int k = 0; k < LATTICES; ++k) {
        phxi_block_def def = block_of(&lattices[k], 6);
        phxi_block block;
        double worst = NAN;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = affine_error(&block, &map, &worst);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "max |F - (I + L)|, %s", lattices[k].name);
        phxi_validate(v, quantity, worst, 0, phxi_by_precision(1e-13, 1e-5));
    }
    return PHX_OK;
}

static phx_result rotated_forces(phxi_block* block, double young, double* worst) {
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9);
    phx_vec3* x;
    PHXI_NEW(x, block->validation->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_add(phxi_mat3_apply(&turn, block->rest[i]), (phx_vec3){0.3, -0.2, 0.1});
    }
    phx_result result = phxi_block_forces(block, x);
    *worst = 0;
    for (int i = 0; i < block->count && result == PHX_OK; ++i) {
        *worst = fmax(*worst, phxi_length(block->forces[i]) / (young * block->spacing * block->spacing));
    }
    phxi_free(block->validation->heap, x);
    return result;
}

static phx_result rotation(phxi_validation* v) {
    for (int k = 0; k < LATTICES; ++k) {
        phxi_block_def def = block_of(&lattices[k], 6);
        phxi_block block;
        double worst = NAN;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = rotated_forces(&block, def.material.young, &worst);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest force / (E a^2), %s", lattices[k].name);
        phxi_validate(v, quantity, worst, 0, phxi_by_precision(1e-13, 1e-5));
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------- uniform stress

// A block strained evenly is at rest inside. Largest force on particles further than `depth` spacings from its surface,
// over stress and the square of the particle's spacing.
static phx_result force_inside(phxi_block* block, const phxi_block_def* def, double depth, double* worst) {
    const double strain = 1e-3, size = def->cells[0] * def->spacing;
    phxi_mat3 map = phxi_identity();
    map.m[0][0] += strain, map.m[0][1] += strain / 2, map.m[1][0] += strain / 2;
    phx_vec3* x;
    PHXI_NEW(x, block->validation->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_mat3_apply(&map, block->rest[i]);
    }
    phx_result result = phxi_block_forces(block, x);
    *worst = 0;
    for (int i = 0; i < block->count && result == PHX_OK; ++i) {
        phx_vec3 r = block->rest[i], q = phxi_sub(phxi_vec3(size, size, size), r);
        double away = fmin(fmin(fmin(r.x, r.y), r.z), fmin(fmin(q.x, q.y), q.z));
        double spacing = (double)block->world->particles.spacing[i];
        if (away > depth * def->spacing) {
            double scale = strain * def->material.young * spacing * spacing;
            *worst = fmax(*worst, phxi_length(block->forces[i]) / scale);
        }
    }
    phxi_free(block->validation->heap, x);
    return result;
}

static phx_result uniform_stress(phxi_validation* v) {
    // two layers of lattices feel the surface; cells of octrees change their size half a spacing below it
    static const double depths[LATTICES] = {2, 2, 2, 0.5};
    for (int k = 0; k < LATTICES; ++k) {
        phxi_block_def def = block_of(&lattices[k], 8);
        def.material.poisson = 0;
        phxi_block block;
        double worst = NAN;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = force_inside(&block, &def, depths[k], &worst);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "force inside / (stress spacing^2), %s", lattices[k].name);
        phxi_validate(v, quantity, worst, 0, k < 2 ? phxi_by_precision(1e-10, 1e-3) : 0.05);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- T3, T4

// Random 5 % deformation: an affine part and a part of its own for every particle.
static void shake(phxi_block* block, phx_vec3* x) {
    phxi_mat3 map = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        map.m[k / 3][k % 3] += 0.05 * random_sign(7, (uint64_t)k);
    }
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 own = {random_sign(11, (uint64_t)i), random_sign(12, (uint64_t)i), random_sign(13, (uint64_t)i)};
        x[i] = phxi_add_scaled(phxi_mat3_apply(&map, block->rest[i]), 0.05 * block->spacing, own);
    }
}

static phx_result shaken_balance(phxi_validation* v, phxi_block* block, const char* name) {
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block->count, "positions");
    shake(block, x);
    PHXI_TRY(phxi_block_forces(block, x));
    phx_vec3 force = {0, 0, 0}, torque = {0, 0, 0}, center = {0.3, 0.3, 0.3};
    double forces = 0, moments = 0;
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 arm = phxi_sub(x[i], center), f = block->forces[i];
        force = phxi_add(force, f);
        torque = phxi_add(torque, phxi_cross(arm, f));
        forces += phxi_length(f);
        moments += phxi_length(arm) * phxi_length(f);
    }
    char quantity[96];
    snprintf(quantity, sizeof quantity, "|sum f| / sum |f|, %s", name);
    phxi_validate(v, quantity, phxi_length(force) / forces, 0, phxi_by_precision(1e-15, 1e-7));
    snprintf(quantity, sizeof quantity, "|torque| / sum of moments, %s", name);
    phxi_validate(v, quantity, phxi_length(torque) / moments, 0, phxi_by_precision(1e-15, 1e-7));
    phxi_free(v->heap, x);
    return PHX_OK;
}

static phx_result momenta(phxi_validation* v) {
    for (int k = 0; k < LATTICES; ++k) {
        phxi_block_def def = block_of(&lattices[k], 6);
        def.volume_stiffness = 1e5;
        phxi_block block;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = shaken_balance(v, &block, lattices[k].name);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

static phx_result energy_at(phxi_block* block, const phx_vec3* x, double* energy) {
    phxi_block_place(block, x);
    phx_totals totals;
    PHXI_TRY(phx_world_measure(block->world, &totals));
    *energy = totals.elastic;
    return PHX_OK;
}

// Largest difference of -dU/du and f over the largest force, for some particles at corners, faces and inside.
static phx_result gradient_error(phxi_block* block, double* worst) {
    phx_vec3* x;
    PHXI_NEW(x, block->validation->heap, block->count, "positions");
    shake(block, x);
    PHXI_TRY(phxi_block_forces(block, x));
    double largest = 0, step = phxi_by_precision(2.5e-6, 3e-3) * block->spacing;
    *worst = 0;
    for (int i = 0; i < block->count; ++i) {
        largest = fmax(largest, phxi_length(block->forces[i]));
    }
    for (int i = 0; i < block->count; i += 7) {
        double* entries[3] = {&x[i].x, &x[i].y, &x[i].z};
        double force[3] = {block->forces[i].x, block->forces[i].y, block->forces[i].z};
        for (int k = 0; k < 3; ++k) {
            double start = *entries[k], up = 0, down = 0;
            *entries[k] = start + step;
            PHXI_TRY(energy_at(block, x, &up));
            *entries[k] = start - step;
            PHXI_TRY(energy_at(block, x, &down));
            *entries[k] = start;
            *worst = fmax(*worst, fabs(-(up - down) / (2 * step) - force[k]) / largest);
        }
    }
    phxi_free(block->validation->heap, x);
    return PHX_OK;
}

// Every law on jittered points, and the usual one on every other set.
static phx_result gradient(phxi_validation* v) {
    for (int k = 0; k < PHX_LAW_COUNT + LATTICES; ++k) {
        const lattice* set = &lattices[k < PHX_LAW_COUNT ? 2 : k - PHX_LAW_COUNT];
        int law = k < PHX_LAW_COUNT ? k : PHX_LAW_STVK;
        if (k == PHX_LAW_COUNT + 2) {
            continue; // had its turn
        }
        phxi_block_def def = block_of(set, 4);
        def.material.law = law;
        def.volume_stiffness = 1e5;
        phxi_block block;
        double worst = NAN;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = gradient_error(&block, &worst);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "-dU/du against f, %s, %s", phxi_law_words[law], set->name);
        phxi_validate(v, quantity, worst, 0, phxi_by_precision(1e-8, 1e-3));
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ T9

static phx_result turn(phxi_validation* v, phxi_block* block, const lattice* set) {
    PHXI_TRY(phx_body_set_velocity(block->world, block->body, (phx_vec3){0, 0, 0}, (phx_vec3){0, 0, 20}));
    phx_totals first, last;
    PHXI_TRY(phx_world_measure(block->world, &first));
    // support of the finest particles
    double support = set->sampling == PHX_SAMPLING_BCC ? 1.2 : set->sampling == PHX_SAMPLING_OCTREE ? 0.9 : 1.8;
    double dt = 0.4 * support * block->spacing * sqrt(1000 / 1e6);
    for (int k = 0; k < 400; ++k) {
        PHXI_TRY(phx_world_substep(block->world, dt));
    }
    PHXI_TRY(phx_world_measure(block->world, &last));
    phx_vec3 drift = phxi_sub(last.angular_momentum, first.angular_momentum);
    double energy = first.kinetic + first.elastic;
    char quantity[96];
    snprintf(quantity, sizeof quantity, "angular momentum drift, relative, %s", set->name);
    phxi_validate(v, quantity, phxi_length(drift) / phxi_length(first.angular_momentum), 0,
                  phxi_by_precision(1e-13, 1e-5));
    snprintf(quantity, sizeof quantity, "energy drift, relative, %s", set->name);
    phxi_validate(v, quantity, (last.kinetic + last.elastic - energy) / energy, 0, 1e-3);
    return PHX_OK;
}

static phx_result spin(phxi_validation* v) {
    for (int k = 0; k < LATTICES; ++k) {
        phxi_block_def def = block_of(&lattices[k], 4);
        phxi_block block;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = lattices[k].jitter > 0 ? PHX_OK : turn(v, &block, &lattices[k]);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------- free flight and vibration

// A jittered block, shaken, spinning and flying: nothing acts on it, so both momenta stay.
static phx_result fly(phxi_validation* v, phxi_block* block) {
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block->count, "positions");
    shake(block, x);
    phxi_block_place(block, x);
    PHXI_TRY(phx_body_set_velocity(block->world, block->body, (phx_vec3){0.7, -0.4, 0.5}, (phx_vec3){2, 3, -4}));
    phx_totals first, last;
    phx_dt_info dt;
    PHXI_TRY(phx_world_measure(block->world, &first));
    PHXI_TRY(phx_world_dt(block->world, &dt));
    for (int k = 0; k < 10000; ++k) {
        PHXI_TRY(phx_world_substep(block->world, dt.dt));
    }
    PHXI_TRY(phx_world_measure(block->world, &last));
    double momentum = phxi_length(first.momentum), angular = phxi_length(first.angular_momentum);
    phxi_validate(v, "momentum drift in 10 000 steps", phxi_length(phxi_sub(last.momentum, first.momentum)) / momentum,
                  0, phxi_by_precision(1e-12, 1e-4));
    phxi_validate(v, "angular momentum drift",
                  phxi_length(phxi_sub(last.angular_momentum, first.angular_momentum)) / angular, 0,
                  phxi_by_precision(1e-12, 1e-3));
    phxi_free(v->heap, x);
    return PHX_OK;
}

static phx_result free_flight(phxi_validation* v) {
    phxi_block_def def = block_of(&lattices[2], 6);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_result result = fly(v, &block);
    phxi_block_destroy(&block);
    return result;
}

// A bar let go from its first axial mode, strained by 5 % and slimmed as Poisson says, vibrates undamped: the total
// energy stays within one per cent.
static phx_result vibrate(phxi_validation* v, phxi_block* block) {
    const double pi = 3.14159265358979323846, length = 20 * block->spacing, middle = 2 * block->spacing;
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 r = block->rest[i];
        double strain = 0.05 * sin(pi * r.x / length), slimmer = 1 - 0.3 * strain;
        x[i] = (phx_vec3){r.x - 0.05 * length / pi * cos(pi * r.x / length), middle + slimmer * (r.y - middle),
                          middle + slimmer * (r.z - middle)};
    }
    phxi_block_place(block, x);
    phx_dt_info dt;
    PHXI_TRY(phx_world_dt(block->world, &dt));
    double low = INFINITY, high = 0, start = 0;
    for (int k = 0; k < 6000; ++k) {
        PHXI_TRY(phx_world_substep(block->world, dt.dt));
        if (k % 10 != 0) {
            continue;
        }
        phx_totals t;
        PHXI_TRY(phx_world_measure(block->world, &t));
        double energy = t.kinetic + t.elastic;
        start = k == 0 ? energy : start;
        low = fmin(low, energy);
        high = fmax(high, energy);
    }
    phxi_validate(v, "spread of the energy in 6000 steps, relative", (high - low) / start, 0, 0.01);
    phxi_free(v->heap, x);
    return PHX_OK;
}

static phx_result vibration(phxi_validation* v) {
    phxi_block_def def = phxi_block_default(20, 4, 4);
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    phx_result result = vibrate(v, &block);
    phxi_block_destroy(&block);
    return result;
}

const phxi_validation_case phxi_cases_efg[] = {
    {"efg.patch", "T1: affine maps are reproduced exactly", patch},
    {"efg.rotation", "T2: a rotated body feels no force", rotation},
    {"efg.uniform_stress", "a uniform stress is at rest inside, whatever the sampling", uniform_stress},
    {"efg.momenta", "T3: forces and torques of any deformation add up to nothing", momenta},
    {"efg.gradient", "T4: forces are the gradient of the energy, all laws", gradient},
    {"efg.bar_modes", "T5: first axial mode, free and clamped", phxi_validate_bar_modes},
    {"efg.cantilever", "T6: sag under its own weight against Timoshenko", phxi_validate_cantilever},
    {"efg.stable_step", "T7: largest stable step, all supports", phxi_validate_stable_step},
    {"efg.zero_modes", "T8: six zero modes and no others", phxi_validate_zero_modes},
    {"efg.spin", "T9: a spinning block keeps angular momentum and energy", spin},
    {"efg.free_flight", "both momenta over 10 000 steps", free_flight},
    {"efg.vibration", "energy of an undamped vibration stays bounded", vibration},
    {"efg.permanent_set", "what is left of bars stretched and pressed beyond yield", phxi_validate_permanent_set},
    {"efg.creep", "plastic strain grows with the rate of creep, whatever the step", phxi_validate_creep},
    {"efg.resets", "T11: stress and energy under resets of the reference", phxi_validate_resets},
    {"efg.pulled_bar", "force and permanent set of a hardening bar at 2.5 times its length, particles split or not",
     phxi_validate_pulled_bar},
    {"efg.thin_rotation", "sheets and rods at rest and turned feel no force, also noisy ones",
     phxi_validate_thin_rotation},
    {"efg.thin_momenta", "sheets and rods keep both momenta, and 1000 steps are stable", phxi_validate_thin_momenta},
    {"efg.thin_pull", "modulus and contraction of sheets and rods", phxi_validate_thin_pull},
    {"efg.thin_strings", "periods of a string and a rod, bending by hourglass control", phxi_validate_thin_strings},
    {"efg.adaptive", "particles that split keep mass, momenta and centre, and neighbourhoods full",
     phxi_validate_adaptive},
    {"efg.fracture_bar", "F1: a notched bar breaks in two at its notch", phxi_validate_fracture_bar},
    {"efg.fracture_plate", "F2: an edge crack runs straight, whatever the lattice", phxi_validate_fracture_plate},
    {"efg.fracture_toughness", "a crack grows at sqrt(E G), whatever the spacing", phxi_validate_fracture_toughness},
    {"efg.fracture_impact", "F3: a ball breaks a plate into pieces, not into dust", phxi_validate_fracture_impact},
    {"efg.sound_limit", "what breaks, and into what, is that of the real stiffness", phxi_validate_sound_limit},
    {"efg.blow", "a blow of a softer ball is to its strength as that of the real one", phxi_validate_blow},
    {"efg.fracture_energy", "F4: breaking gives no energy", phxi_validate_fracture_energy},
    {"efg.fracture_momenta", "F5: mass and both momenta through complete shattering", phxi_validate_fracture_momenta},
    {"efg.fracture_ductile", "F8: a bar that flows gets a neck and breaks in two", phxi_validate_ductile_bar},
    {"efg.fracture_threads", "F6: the pattern is the same at any thread count", phxi_validate_fracture_threads},
    {NULL, NULL, NULL},
};
