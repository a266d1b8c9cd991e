// SPDX-License-Identifier: MIT
// Projective peridynamics against what is known: docs/theory/peridynamics.md D1 to D5.
#include "validate/peridynamics/trial.h"

#include "core/hash.h"

#include <stdio.h>

// ------------------------------------------------------------------------------------------------------------ weights

/// Bonds of particle i of a block, as the method finds them.
static int bonds_of(const phxi_block* block, int i, phx_vec3* bonds) {
    const phxi_peri_slot* slot = phxi_peri_trial_slot(block);
    int count = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        bonds[count++] = phxi_sub(block->rest[slot->other[k]], block->rest[i]);
    }
    return count;
}

static phx_result weights(phxi_validation* v) {
    static const struct {
        const char* name;
        int cells[3], rank;
        double bound;
    } shapes[] = {{"block", {6, 6, 6}, 3, 0.04}, {"sheet", {8, 8, 1}, 2, 0.04}, {"rod", {12, 1, 1}, 1, 1e-12}};
    for (int s = 0; s < 3; ++s) {
        phxi_block block;
        PHXI_TRY(phxi_peri_trial(v, shapes[s].cells, 0.3, NULL, 0, &block));
        double sum_error = 0, moment_error = 0, wrong = 0;
        for (int i = 0; i < block.count; ++i) {
            phx_vec3 bonds[128];
            double w[128], sum = 0, d = shapes[s].rank;
            phxi_sym3 g;
            int count = bonds_of(&block, i, bonds), rank = phxi_peri_weigh(bonds, count, PERI_FLAT_CUT, w, &g);
            for (int k = 0; k < count; ++k) {
                sum += w[k];
            }
            sum_error = fmax(sum_error, fabs(sum - 1));
            wrong += rank != shapes[s].rank;
            const double errors[6] = {g.xx - 1 / d, g.yy - (d > 1 ? 1 / d : 0), g.zz - (d > 2 ? 1 / d : 0), g.xy, g.xz,
                                      g.yz};
            for (int k = 0; k < 6 && !(rank == 2 && count < 5);
                 ++k) { // three bonds in a corner of a sheet have no choice
                moment_error = fmax(moment_error, fabs(errors[k]));
            }
        }
        phxi_block_destroy(&block);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "particles of a %s that span other than %d", shapes[s].name,
                 shapes[s].rank);
        phxi_validate(v, quantity, wrong, 0, 0);
        snprintf(quantity, sizeof quantity, "largest |sum w - 1|, %s", shapes[s].name);
        phxi_validate(v, quantity, sum_error, 0, 1e-12);
        snprintf(quantity, sizeof quantity, "largest |sum w n n^T - I/d|, %s", shapes[s].name);
        phxi_validate(v, quantity, moment_error, 0, shapes[s].bound);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- rigid

/// Largest force of a turned body over E dx^2, and of a deformed one the sums of forces and torques over their sizes.
static phx_result turned_forces(phxi_validation* v, const char* model) {
    static const int cells[3] = {6, 5, 4};
    phx_setting settings[] = {{"model", model}};
    phxi_block block;
    PHXI_TRY(phxi_peri_trial(v, cells, 0.3, settings, 1, &block));
    phxi_peri_rigidity r;
    phx_result result = phxi_peri_trial_rigidity(&block, 0.2 * PERI_TRIAL_SPACING, &r);
    phxi_block_destroy(&block);
    PHXI_TRY(result);
    double largest = r.largest / (PERI_TRIAL_YOUNG * PERI_TRIAL_SPACING * PERI_TRIAL_SPACING);
    char quantity[96];
    snprintf(quantity, sizeof quantity, "largest force / (E a^2), turned, %s", model);
    phxi_validate(v, quantity, largest, 0, phxi_by_precision(1e-10, 1e-5));
    snprintf(quantity, sizeof quantity, "sum of forces over sum of sizes, shaken, %s", model);
    phxi_validate(v, quantity, r.force, 0, phxi_by_precision(1e-12, 1e-6));
    snprintf(quantity, sizeof quantity, "sum of torques over sum of sizes, shaken, %s", model);
    if (model[0] == 's') { // targets along F X do turn the body
        phxi_validate(v, quantity, r.torque, 0, phxi_by_precision(1e-12, 1e-5));
    }
    return PHX_OK;
}

/// Momentum over m v, and angular momentum over that of the start.
static phx_result spin_of(phxi_validation* v, const char* integrator, const char* spins, int steps, double* drift,
                          double* kept) {
    static const int cells[3] = {6, 6, 6};
    const double dt = 1.0 / 240, omega = 5;
    phx_setting settings[] = {{"integrator", integrator}, {"spin", spins}, {"tolerance", "1e-5"}};
    phxi_block block;
    PHXI_TRY(phxi_peri_trial(v, cells, 0.3, settings, 3, &block));
    phx_result result =
        phx_body_set_velocity(block.world, block.body, (phx_vec3){1, 0.5, -0.3}, (phx_vec3){0, 0, omega});
    double spin[2] = {0};
    phx_vec3 momentum[2] = {{0}};
    for (int k = 0; k <= steps && result == PHX_OK; ++k) {
        if (k == 0 || k == steps) {
            const phxi_particles* p = &block.world->particles;
            phx_vec3 sum = {0}, first = {0}, turn = {0};
            double mass = 0;
            for (int i = 0; i < p->count; ++i) {
                phx_vec3 x = phxi_settle_place(&block, i), w = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
                double m = (double)p->mass[i];
                mass += m;
                first = phxi_add_scaled(first, m, x);
                sum = phxi_add_scaled(sum, m, w);
                turn = phxi_add_scaled(turn, m, phxi_cross(x, w));
            }
            momentum[k > 0] = sum;
            spin[k > 0] = phxi_sub(turn, phxi_cross(phxi_scale(1 / mass, first), sum)).z;
        }
        if (k < steps) {
            result = phx_world_substep(block.world, dt);
        }
    }
    *drift = phxi_distance(momentum[0], momentum[1]) / phxi_length(momentum[0]);
    *kept = spin[1] / spin[0];
    phxi_block_destroy(&block);
    return result;
}

/// What backward Euler leaves of the angular momentum of a rigid body: it turns by theta_k in step k, 2 sin theta_k =
/// sin(theta_k + theta_k-1), tan theta_1 = omega dt; to first order (1 + (omega dt)^2)^-steps.
static double left_by_euler(double turn, int steps) {
    double theta = atan(turn);
    for (int k = 1; k < steps; ++k) {
        theta = atan(sin(theta) / (2 - cos(theta)));
    }
    return sin(theta) / turn;
}

static phx_result rigid(phxi_validation* v) {
    PHXI_TRY(turned_forces(v, "state"));
    PHXI_TRY(turned_forces(v, "bond"));
    for (int steps = 50; steps <= 100; steps += 50) {
        double drift, kept, turn = 5.0 / 240;
        char quantity[96];
        PHXI_TRY(spin_of(v, "projective", "fades", steps, &drift, &kept));
        snprintf(quantity, sizeof quantity, "change of momentum, %d steps", steps);
        phxi_validate(v, quantity, drift, 0, phxi_by_precision(1e-12, 1e-5));
        snprintf(quantity, sizeof quantity, "angular momentum left, backward Euler, %d steps", steps);
        phxi_validate_relative(v, quantity, kept, left_by_euler(turn, steps), 0.002);
    }
    double drift, kept;
    PHXI_TRY(spin_of(v, "projective", "kept", 100, &drift, &kept));
    phxi_validate(v, "change of momentum, spin kept", drift, 0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "angular momentum left, spin kept", kept, 1, phxi_by_precision(1e-10, 1e-5));
    PHXI_TRY(spin_of(v, "bdf2", "kept", 100, &drift, &kept));
    phxi_validate(v, "change of momentum, bdf2", drift, 0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "angular momentum left, bdf2", kept, 1, phxi_by_precision(1e-10, 1e-5));
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- bar

typedef struct bar_answer {
    double young, poisson; // over E, and as it is
    int steps;
} bar_answer;

/// A bar with clamped ends, stretched by 1 %: what its middle half does, and what its end pulls.
static phx_result stretch_bar(phxi_validation* v, const int cells[3], double nu, const char* model,
                              bar_answer* answer) {
    phx_setting settings[] = {{"model", model}, {"tolerance", "1e-6"}, {"iterations", "1000"}};
    phxi_block block;
    PHXI_TRY(phxi_peri_trial(v, cells, nu, settings, 3, &block));
    double length = cells[0] * PERI_TRIAL_SPACING;
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block.count, "positions");
    for (int i = 0; i < block.count; ++i) {
        x[i] = block.rest[i];
        x[i].x *= 1.01;
    }
    phxi_block_place(&block, x);
    PHXI_TRY(phxi_peri_trial_pin(&block, 0, 2 * PERI_TRIAL_SPACING));
    PHXI_TRY(phxi_peri_trial_pin(&block, length - 2 * PERI_TRIAL_SPACING, length + 1));
    phxi_settle_def settle = phxi_settle_default();
    PHXI_TRY(phxi_settle(&block, &settle, &answer->steps));
    double pull = 0; // by the last layers
    double sxx = 0, sxu = 0, syy = 0, syv = 0;
    const phxi_particles* p = &block.world->particles;
    double y_mid = cells[1] * PERI_TRIAL_SPACING / 2;
    for (int i = 0; i < block.count; ++i) {
        phx_vec3 now = phxi_settle_place(&block, i), r = block.rest[i];
        pull -= r.x > length - 2 * PERI_TRIAL_SPACING ? (double)p->mass[i] * (double)block.acceleration[0][i] : 0;
        if (fabs(r.x - length / 2) < length / 8) {
            sxx += (r.x - length / 2) * (r.x - length / 2), sxu += (r.x - length / 2) * (now.x - r.x);
            syy += (r.y - y_mid) * (r.y - y_mid), syv += (r.y - y_mid) * (now.y - r.y);
        }
    }
    double strain = sxu / sxx, across = syy > 0 ? syv / syy : 0,
           area = cells[1] * cells[2] * PERI_TRIAL_SPACING * PERI_TRIAL_SPACING;
    answer->young = pull / (area * strain * PERI_TRIAL_YOUNG);
    answer->poisson = -across / strain;
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return PHX_OK;
}

static phx_result bar(phxi_validation* v) {
    static const struct {
        const char *name, *model;
        int cells[3];
        double nu, young_bound, nu_bound;
    } rows[] = {
        {"state", "state", {20, 6, 6}, 0.1, 0.02, 0.01},  {"state", "state", {20, 6, 6}, 0.25, 0.02, 0.01},
        {"state", "state", {20, 6, 6}, 0.4, 0.02, 0.01},  {"bond", "bond", {20, 8, 8}, 0.25, 0.03, 0.01},
        {"sheet", "state", {30, 12, 1}, 0.3, 0.01, 0.01}, {"rod", "state", {30, 1, 1}, 0.3, 0.01, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        bar_answer answer;
        char quantity[96];
        PHXI_TRY(stretch_bar(v, rows[k].cells, rows[k].nu, rows[k].model, &answer));
        snprintf(quantity, sizeof quantity, "E over that of the material, %s, nu %g", rows[k].name, rows[k].nu);
        phxi_validate(v, quantity, answer.young, 1, rows[k].young_bound);
        if (rows[k].cells[1] > 1) {
            snprintf(quantity, sizeof quantity, "Poisson ratio, %s, nu %g", rows[k].name, rows[k].nu);
            phxi_validate(v, quantity, answer.poisson, rows[k].nu, rows[k].nu_bound);
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- cantilever

enum { CLAMPED = 3 }; // layers

typedef struct beam {
    phxi_block block;
    phxi_block_def def;
    double start, length, last, gravity;
} beam;

/// A cantilever along x of `thick` particles across and as many slender times longer, with the weight that makes its
/// tip sag by `sag` of its free length.
static phx_result make_beam(phxi_validation* v, int thick, int slender, double sag, const phx_setting* settings,
                            int count, double damping, beam* b) {
    b->def = phxi_block_default(slender * thick + CLAMPED, thick, thick);
    b->def.method = "peridynamics";
    b->def.settings = settings;
    b->def.setting_count = count;
    b->def.spacing = 0.2 / thick;
    b->def.material.damping = damping;
    PHXI_TRY(phxi_block_create(v, &b->def, &b->block));
    b->start = (CLAMPED - 0.5) * b->def.spacing;
    b->length = b->def.cells[0] * b->def.spacing - b->start;
    b->last = b->length - b->def.spacing / 2;
    b->gravity = sag * b->length / phxi_block_timoshenko(&b->def, 1, b->length, b->length);
    b->block.world->def.gravity = (phx_vec3){0, 0, -b->gravity};
    return phxi_peri_trial_pin(&b->block, 0, CLAMPED * b->def.spacing);
}

/// Mean sag of the last row over Timoshenko's.
static double sag_of(const beam* b) {
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < b->block.count; ++i) {
        if (b->block.rest[i].x > b->start + b->last - 0.1 * b->def.spacing) {
            sum += b->block.rest[i].z - phxi_settle_place(&b->block, i).z;
            ++rows;
        }
    }
    return sum / rows / phxi_block_timoshenko(&b->def, b->gravity, b->length, b->last);
}

static phx_result cantilever(phxi_validation* v) {
    phx_setting fine[] = {{"tolerance", "1e-5"}, {"iterations", "1000"}};
    beam still;
    phxi_settle_def settle = phxi_settle_default();
    PHXI_TRY(make_beam(v, 6, 5, 0.02, fine, 2, 0, &still));
    PHXI_TRY(phxi_settle(&still.block, &settle, NULL));
    phxi_validate(v, "static sag over Timoshenko's, 6 across", sag_of(&still), 1.035, 0.085);
    phxi_block_destroy(&still.block);
    static const char* const integrators[] = {"projective", "bdf2"};
    for (int k = 0; k < 2; ++k) {
        double sag[2];
        phx_setting settings[] = {{"integrator", integrators[k]}};
        for (int fast = 0; fast < 2; ++fast) {
            beam b;
            double dt = fast ? 1.0 / 240 : 1.0 / 60;
            PHXI_TRY(make_beam(v, 4, 4, 0.02, settings, 1, 8, &b));
            for (int step = 0; step * dt < 1.5; ++step) {
                PHXI_TRY(phx_world_substep(b.block.world, dt));
            }
            sag[fast] = sag_of(&b);
            phxi_block_destroy(&b.block);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "sag after 1.5 s, dt 1/60, %s", integrators[k]);
        phxi_validate(v, quantity, sag[0], 1.035, 0.085);
        snprintf(quantity, sizeof quantity, "sag with dt 1/240 against 1/60, %s", integrators[k]);
        phxi_validate_relative(v, quantity, sag[1], sag[0], 0.05);
    }
    return PHX_OK;
}

/// A slender beam under a weight of rho g A L^3 / EI = `load`, when it has come to rest: sag of its tip over its
/// length.
static phx_result far_bent(phxi_validation* v, int thick, double load, double* sag) {
    phx_setting settings[] = {{"integrator", "bdf2"}};
    beam b;
    PHXI_TRY(make_beam(v, thick, 10, 0.02, settings, 1, 3, &b));
    double width = thick * b.def.spacing, stiffness = PERI_TRIAL_YOUNG * width * width / 12; // over the area
    double gravity = load * stiffness / (b.def.material.density * b.length * b.length * b.length);
    b.block.world->def.gravity = (phx_vec3){0, 0, -gravity};
    phx_result result = PHX_OK;
    for (int k = 0; k < 300 && result == PHX_OK; ++k) {
        result = phx_world_substep(b.block.world, 1.0 / 60);
    }
    double last = 0, before = 0; // of the last two rows: the tip lies half a spacing behind
    int rows = 0;
    for (int i = 0; i < b.block.count; ++i) {
        double from = b.def.cells[0] * b.def.spacing - b.block.rest[i].x;
        double down = b.block.rest[i].z - phxi_settle_place(&b.block, i).z;
        last += from < b.def.spacing ? down : 0;
        before += from > b.def.spacing && from < 2 * b.def.spacing ? down : 0;
        rows += from < b.def.spacing;
    }
    *sag = (last + (last - before) / 2) / rows / b.length;
    phxi_block_destroy(&b.block);
    return result;
}

/// The elastica under its own weight: sag of the tip over the length.
static phx_result elastica_of(phxi_validation* v, int thick, int first, int count) {
    static const double loads[] = {1, 2, 5}, exact[] = {0.123, 0.239, 0.496};
    for (int k = first; k < first + count; ++k) {
        double sag;
        char quantity[96];
        PHXI_TRY(far_bent(v, thick, loads[k], &sag));
        snprintf(quantity, sizeof quantity, "sag over length, rho g A L^3/EI = %g, %d across", loads[k], thick);
        phxi_validate_relative(v, quantity, sag, exact[k], 0.06);
    }
    return PHX_OK;
}

static phx_result elastica(phxi_validation* v) {
    return elastica_of(v, 6, 1, 1);
}

phx_result phxi_validate_peridynamics_elastica_full(phxi_validation* v) {
    return elastica_of(v, 8, 0, 3);
}

// ---------------------------------------------------------------------------------------------------------- inversion

typedef enum wreck { RANDOM, MIRRORED, FLAT } wreck;

/// Where a particle of a cube of edge `size` is put.
static phx_vec3 wreck_place(wreck kind, phx_vec3 rest, double size, int i) {
    switch (kind) {
    case RANDOM:
        return phxi_vec3(size * phxi_hash_unit(phxi_hash_pair(11, (uint64_t)(3 * (int64_t)i))),
                         size * phxi_hash_unit(phxi_hash_pair(11, (uint64_t)(3 * (int64_t)i + 1))),
                         size * phxi_hash_unit(phxi_hash_pair(11, (uint64_t)(3 * (int64_t)i + 2))));
    case MIRRORED:
        return phxi_vec3(-rest.x, rest.y, rest.z);
    case FLAT:
        return phxi_vec3(rest.x, rest.y, 0);
    }
    return rest;
}

/// Root of the mean square of the stretch of bonds, and how many particles are inside out.
static phx_result recover(phxi_validation* v, wreck kind, const phx_setting* settings, int count, int steps,
                          double* stretch, double* inverted) {
    static const int cells[3] = {8, 8, 8};
    phxi_block block;
    PHXI_TRY(phxi_peri_trial(v, cells, 0.3, settings, count, &block));
    phx_vec3* x;
    PHXI_NEW(x, v->heap, block.count, "positions");
    for (int i = 0; i < block.count; ++i) {
        x[i] = wreck_place(kind, block.rest[i], 8 * PERI_TRIAL_SPACING, i);
    }
    phxi_block_place(&block, x);
    for (int k = 0; k < steps; ++k) {
        PHXI_TRY(phx_world_substep(block.world, 1.0 / 60));
    }
    const phxi_peri_slot* slot = phxi_peri_trial_slot(&block);
    double sum = 0;
    for (int i = 0; i < block.count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            double now = phxi_distance(phxi_settle_place(&block, i), phxi_settle_place(&block, slot->other[k]));
            sum += (now / (double)slot->rest[k][3] - 1) * (now / (double)slot->rest[k][3] - 1);
        }
    }
    *stretch = sqrt(sum / slot->bond_count);
    phx_real det[512];
    phxi_step step = phxi_world_context(block.world, block.world->bodies.items[0].solver);
    phxi_peri_derive(block.world->solvers.items[0].state, &step, 0, 1, det);
    *inverted = 0;
    for (int i = 0; i < block.count; ++i) {
        *inverted += !(det[i] > 0);
    }
    phxi_free(v->heap, x);
    phxi_block_destroy(&block);
    return PHX_OK;
}

static phx_result inversion(phxi_validation* v) {
    static const char* const names[] = {"random", "mirrored", "flat"};
    phx_setting settings[] = {{"model", "bond"}};
    for (int kind = RANDOM; kind <= FLAT; ++kind) {
        double stretch, inverted;
        char quantity[96];
        PHXI_TRY(recover(v, (wreck)kind, NULL, 0, 60, &stretch, &inverted));
        snprintf(quantity, sizeof quantity, "stretch of bonds after 60 steps, %s start", names[kind]);
        phxi_validate(v, quantity, stretch, 0, 0.01);
        snprintf(quantity, sizeof quantity, "particles inside out, %s start", names[kind]);
        phxi_validate(v, quantity, inverted, 0, 0);
    }
    double stretch, inverted; // the tutorial's direction follows an inverted F
    PHXI_TRY(recover(v, MIRRORED, settings, 1, 20, &stretch, &inverted));
    phxi_validate(v, "particles inside out, mirrored, model bond", inverted, 512, 0);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_peridynamics[] = {
    {"peridynamics.weights", "weights of bonds: sum, isotropy, what they span", weights},
    {"peridynamics.rigid", "turned bodies feel nothing; momenta and the loss of spin of backward Euler", rigid},
    {"peridynamics.bar", "stretched bars, sheets and rods: Young's modulus and Poisson's ratio", bar},
    {"peridynamics.cantilever", "beams under their own weight, at rest and after a while", cantilever},
    {"peridynamics.elastica", "slender beams that their own weight bends far, 6 across", elastica},
    {"peridynamics.inversion", "cubes that begin in disorder, mirrored and flat find back", inversion},
    {NULL, NULL, NULL},
};
