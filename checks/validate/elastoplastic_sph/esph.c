// SPDX-License-Identifier: MIT
// Elastoplastic SPH against docs/theory/elastoplastic_sph.md E1 to E7 and E11: gradients, volumes and forces, the bar
// of eight nodes, statics and waves of the long bar, large extensions. The stress table of E4 is materials.laws.
#include "validate/elastoplastic_sph/bar.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

// ----------------------------------------------------------------------------------------------------------- gradients

/// How points are put into a box of 0.6 x 0.5 x 0.4 m, volume 0.12.
static const struct {
    const char* name;
    int sampling;
    double jitter;
    const char* weights;
    double patch; // measured, with room: near faces, and as far as weights can be balanced
} sets[] = {{"corners", PHX_SAMPLING_UNIFORM, 0, "balanced", 0},
            {"body-centred", PHX_SAMPLING_BCC, 0, "balanced", 0.015},
            {"octree", PHX_SAMPLING_OCTREE, 0, "balanced", 3e-3},
            {"shaken", PHX_SAMPLING_UNIFORM, 0.3, "balanced", 0.09},
            {"shaken, plain weights", PHX_SAMPLING_UNIFORM, 0.3, "plain", 1},
            {"blue noise", PHX_SAMPLING_BLUE_NOISE, 0, "balanced", 5e-3}};
enum { SET_COUNT = sizeof sets / sizeof sets[0] };

static phxi_block_def block_of(int set, const phx_setting* weights) {
    phxi_block_def def = phxi_block_default(6, 5, 4);
    def.method = "elastoplastic_sph";
    def.sampling = sets[set].sampling;
    def.jitter = sets[set].jitter;
    def.settings = weights;
    def.setting_count = 1;
    return def;
}

static void place(phxi_block* block, const phxi_mat3* map, double noise, phx_vec3* x) {
    for (int i = 0; i < block->count; ++i) {
        double shift[3];
        for (int k = 0; k < 3; ++k) {
            shift[k] = noise * block->spacing * (phxi_hash_unit(phxi_hash_pair(5, (uint64_t)(3 * i + k))) - 0.5);
        }
        x[i] = phxi_add(phxi_mat3_apply(map, block->rest[i]), phxi_vec3(shift[0], shift[1], shift[2]));
    }
}

static const phxi_mat3 affine = {{{1.2, 0.1, -0.2}, {0.05, 0.9, -0.1}, {0.3, 0.2, 1.1}}};

/// Largest difference of F from the affine map, at any particle.
static phx_result gradient_error(phxi_block* block, phx_vec3* x, double* worst) {
    phx_real* f = phxi_alloc(block->validation->heap, 9 * (size_t)block->count, sizeof *f, "gradients");
    if (!f) {
        return PHX_ERROR_MEMORY;
    }
    place(block, &affine, 0, x);
    phxi_block_place(block, x);
    phx_result result = phx_world_field(block->world, "deformation", f);
    *worst = 0;
    for (int k = 0; k < 9 * block->count; ++k) {
        *worst = fmax(*worst, fabs((double)f[k] - affine.m[k % 9 / 3][k % 3]));
    }
    phxi_free(block->validation->heap, f);
    return result;
}

/// Root mean square of forces more than 1.45 spacings from the faces under a uniform stress, over its traction on a
/// particle's face.
static phx_result patch_error(phxi_block* block, const phxi_block_def* def, phx_vec3* x, double* error) {
    const double size[3] = {0.6, 0.5, 0.4}, rim = 1.45 * def->spacing;
    phxi_mat3 stretch = phxi_identity();
    stretch.m[0][0] = 1.01;
    place(block, &stretch, 0, x);
    PHXI_TRY(phxi_block_forces(block, x));
    double sum = 0, count = 0;
    for (int i = 0; i < block->count; ++i) {
        const double at[3] = {block->rest[i].x, block->rest[i].y, block->rest[i].z};
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside = inside && at[k] > rim && at[k] < size[k] - rim;
        }
        double traction = 0.01 * def->material.young * def->spacing * def->spacing;
        sum += inside ? phxi_dot(block->forces[i], block->forces[i]) / (traction * traction) : 0;
        count += inside;
    }
    *error = sqrt(sum / count);
    return PHX_OK;
}

static phx_result set_of(phxi_validation* v, int set, const phxi_block_def* def, phxi_block* block) {
    phx_vec3* x;
    double volume = 0, worst, patch;
    char quantity[96];
    PHXI_NEW(x, v->heap, block->count, "positions");
    for (int i = 0; i < block->count; ++i) {
        volume += (double)block->world->particles.volume[i];
    }
    snprintf(quantity, sizeof quantity, "%s: sum of volumes over that of the shape", sets[set].name);
    phxi_validate(v, quantity, volume / 0.12, 1, phxi_by_precision(1e-12, 1e-6));
    PHXI_TRY(gradient_error(block, x, &worst));
    snprintf(quantity, sizeof quantity, "%s: F of an affine map, largest error", sets[set].name);
    phxi_validate(v, quantity, worst, 0, phxi_by_precision(1e-12, 1e-5));
    PHXI_TRY(patch_error(block, def, x, &patch));
    snprintf(quantity, sizeof quantity, "%s: force inside under uniform stress over traction", sets[set].name);
    phxi_validate(v, quantity, patch, 0, fmax(sets[set].patch, phxi_by_precision(1e-12, 2e-5)));
    phxi_free(v->heap, x);
    return PHX_OK;
}

static phx_result gradients(phxi_validation* v) {
    for (int set = 0; set < SET_COUNT; ++set) {
        phx_setting weights = {"weights", sets[set].weights};
        phxi_block_def def = block_of(set, &weights);
        phxi_block block;
        PHXI_TRY(phxi_block_create(v, &def, &block));
        phx_result result = set_of(v, set, &def, &block);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- forces

/// -f . q against the change of the energy along a random q, by central differences.
static phx_result slope_error(phxi_block* block, phx_vec3* x, double* error) {
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9), map = phxi_mat3_mul(&turn, &affine);
    double step = phxi_by_precision(1e-5, 3e-3) * block->spacing, energy[2], along = 0, size = 0;
    for (int side = 0; side < 2; ++side) {
        place(block, &map, 0.2, x);
        for (int i = 0; i < block->count; ++i) {
            phx_vec3 q = {sin(3.1 * i), sin(5.3 * i + 1), sin(7.7 * i + 2)};
            x[i] = phxi_add_scaled(x[i], side ? step : -step, q);
        }
        phxi_block_place(block, x);
        energy[side] = phxi_esph_energy(block);
    }
    place(block, &map, 0.2, x);
    PHXI_TRY(phxi_block_forces(block, x));
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 q = {sin(3.1 * i), sin(5.3 * i + 1), sin(7.7 * i + 2)};
        along -= phxi_dot(block->forces[i], q);
        size += phxi_length(block->forces[i]);
    }
    *error = fabs((energy[1] - energy[0]) / (2 * step) - along) / size;
    return PHX_OK;
}

static void net_of(const phxi_block* block, const phx_vec3* x, double net[2]) {
    phx_vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
    double sizes = 0, moments = 0;
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 moment = phxi_cross(x[i], block->forces[i]);
        sum = phxi_add(sum, block->forces[i]), turn = phxi_add(turn, moment);
        sizes += phxi_length(block->forces[i]), moments += phxi_length(moment);
    }
    net[0] = phxi_length(sum) / sizes;
    net[1] = phxi_length(turn) / moments;
}

static phx_result forces(phxi_validation* v) {
    double slope = 0, net[2] = {0, 0};
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_block_def def = phxi_block_default(4, 3, 3);
        def.method = "elastoplastic_sph";
        def.material.law = law;
        phxi_block block;
        phx_vec3* x;
        double one = NAN, both[2];
        PHXI_TRY(phxi_block_create(v, &def, &block));
        PHXI_NEW(x, v->heap, block.count, "positions");
        phx_result result = slope_error(&block, x, &one);
        net_of(&block, x, both);
        slope = fmax(slope, one), net[0] = fmax(net[0], both[0]), net[1] = fmax(net[1], both[1]);
        phxi_free(v->heap, x);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    phxi_validate(v, "f + dW/dq along a motion over sum |f|, worst of 8 laws", slope, 0, phxi_by_precision(1e-7, 1e-4));
    phxi_validate(v, "sum of forces over that of their sizes", net[0], 0, phxi_by_precision(1e-12, 1e-6));
    phxi_validate(v, "torque over sum of moments", net[1], 0, phxi_by_precision(1e-12, 1e-6));
    return PHX_OK;
}

static phx_result modes(phxi_validation* v) {
    phxi_esph_bar def = {.cells = {3, 2, 2}, .spacing = 0.5, .law = PHX_LAW_COROTATED, .poisson = 0.2};
    phxi_block block;
    double* omegas;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    PHXI_TRY(phxi_block_spectrum(&block, &omegas));
    int zeros = 0, size = 3 * block.count;
    for (int k = 0; k < size; ++k) {
        zeros += fabs(omegas[k]) < 1e-2 * omegas[size - 1];
    }
    phxi_validate(v, "motions without a force", zeros, 6, 0);
    phxi_free(v->heap, omegas);
    phxi_block_destroy(&block);
    // the stable step of the bar, nu = 0, in d/c
    def = phxi_esph_long(0.25);
    double omega;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phx_result result = phxi_block_fastest(&block, 60, &omega);
    phxi_block_destroy(&block);
    phxi_validate(v, "2/omega of the bar over d/c", 2 / omega / 0.25, 1.135, 0.03);
    return result;
}

// --------------------------------------------------------------------------------------------------------- eight nodes

static const phxi_esph_bar cell = {.cells = {1, 1, 1}, .spacing = 0.01, .law = PHX_LAW_COROTATED};

/// The force that a stretch of 0.002 with the sides held takes on the face at x = L, and the largest share of a node.
static phx_result face_force(phxi_validation* v, double poisson, double* face, double* node) {
    phxi_esph_bar def = cell;
    def.poisson = poisson;
    phxi_block block;
    phx_vec3 x[8];
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    for (int i = 0; i < 8; ++i) {
        x[i] = block.rest[i];
        x[i].x *= 1.002;
    }
    phx_result result = phxi_block_forces(&block, x);
    *face = *node = 0;
    for (int i = 0; i < 8; ++i) {
        *face -= block.rest[i].x > 0.005 ? block.forces[i].x : 0;
        *node = fmax(*node, fabs(block.forces[i].x));
    }
    phxi_block_destroy(&block);
    return result;
}

/// Of a bar of so many cells, held at one end, stretched and let go.
static phx_result held_frequency(phxi_validation* v, int cells, double stretch, double* frequency) {
    phxi_esph_bar def = cell;
    phxi_block block;
    double period, length = cells * cell.spacing;
    def.held = true;
    def.cells[0] = cells;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phxi_esph_stretch(&block, stretch);
    phx_result result = phxi_block_swing(&block, cells / 22.508, 200 * cells, 5, phxi_esph_mode, &length, &period);
    phxi_block_destroy(&block);
    *frequency = 1 / period;
    return result;
}

static phx_result nodes(phxi_validation* v) {
    double face, node, held;
    PHXI_TRY(face_force(v, 0, &face, &node));
    PHXI_TRY(face_force(v, 0.2, &held, &node));
    PHXI_TRY(face_force(v, 0, &face, &node));
    double bound = phxi_by_precision(1e-9, 2e-5);
    phxi_validate_relative(v, "force on a face of 1 cm stretched by 0.002, N", face, 2e-5, bound);
    phxi_validate_relative(v, "share of each of its four nodes, N", node, 5e-6, bound);
    phxi_validate_relative(v, "the same face with nu = 0.2 and sides held, over it", held / face, 10.0 / 9, bound);
    double small, large, two;
    PHXI_TRY(held_frequency(v, 1, 0.002, &small));
    PHXI_TRY(held_frequency(v, 1, 0.2, &large));
    PHXI_TRY(held_frequency(v, 2, 0.002, &two));
    const double exact = sqrt(2) / (2 * PI * cell.spacing);
    phxi_validate_relative(v, "its frequency, held on one side, Hz", small, exact, 1e-3);
    phxi_validate_relative(v, "the same stretched by 0.2, Hz", large, exact, 1e-3);
    // Gradients of the middle nodes are over both cells, so two cells are no chain of two springs (12.18 Hz): with
    // masses 1, 1/2 and stiffnesses 1.093, -0.546, 0.773 of EA/d, zero-energy control with them, w^2 = 0.5143 c^2/d^2.
    phxi_validate_relative(v, "of two such cells in a row, Hz", two, sqrt(0.5143) / (2 * PI * cell.spacing), 0.01);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- bars

/// u(L, t) of the released bar over u(L, 0): a triangle.
static double triangle(double t) {
    double phase = fmod(t, 20) / 10;
    return 1 - 2 * (phase < 1 ? phase : 2 - phase);
}

typedef struct wave {
    double period, tip, energy; // s; L2 against the triangle over two periods; largest change of energy, relative
} wave;

static phx_result release(phxi_validation* v, double spacing, wave* w) {
    phxi_esph_bar def = phxi_esph_long(spacing);
    phxi_block block;
    const double length = 5, dt = 0.3 * spacing, eps = 0.2;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phxi_esph_stretch(&block, eps);
    double start = phxi_esph_energy(&block), before = phxi_esph_mode(&block, &length), crossing[4] = {0}, miss = 0,
           size = 0;
    int found = 0, steps = (int)lrint(40 / dt);
    phx_result result = PHX_OK;
    w->energy = 0;
    for (int k = 1; k <= steps && result == PHX_OK; ++k) {
        result = phx_world_substep(block.world, dt);
        double now = phxi_esph_mode(&block, &length), exact = triangle(k * dt);
        double tip = phxi_esph_tip(&block, length) / (eps * length);
        if (found < 4 && before * now < 0) {
            crossing[found++] = dt * (k - now / (now - before));
        }
        before = now;
        miss += (tip - exact) * (tip - exact);
        size += exact * exact;
        w->energy = fmax(w->energy, fabs(phxi_esph_energy(&block) / start - 1));
    }
    w->period = 2 * (crossing[3] - crossing[0]) / 3;
    w->tip = sqrt(miss / size);
    phxi_block_destroy(&block);
    return result;
}

static phx_result waves(phxi_validation* v, int from, int to) {
    static const double periods[4] = {0.016, 0.006, 0.002, 0.0006}, tips[4] = {0.27, 0.13, 0.07, 0.04};
    double error[4] = {0};
    char quantity[96];
    for (int k = from; k <= to; ++k) {
        double d = 1.0 / (1 << k);
        wave w;
        PHXI_TRY(release(v, d, &w));
        error[k] = w.period / 20 - 1;
        snprintf(quantity, sizeof quantity, "d = %g m: period, s", d);
        phxi_validate_relative(v, quantity, w.period, 20, periods[k]);
        snprintf(quantity, sizeof quantity, "d = %g m: tip against the triangle, L2", d);
        phxi_validate(v, quantity, w.tip, 0, tips[k]);
        snprintf(quantity, sizeof quantity, "d = %g m: change of energy in two periods", d);
        phxi_validate(v, quantity, w.energy, 0, 0.01);
        if (k > from) {
            snprintf(quantity, sizeof quantity, "error of the period at %g m over that at %g m", 2 * d, d);
            phxi_validate(v, quantity, error[k - 1] / error[k], 4, 1);
        }
    }
    return PHX_OK;
}

static phx_result wave_three(phxi_validation* v) {
    return waves(v, 0, 2);
}

phx_result phxi_validate_esph_wave_full(phxi_validation* v) {
    return waves(v, 0, 3);
}

/// 20 N on the end face, shared by mass, which is by area; one implicit step of 1e4 s after the other.
static phx_result extension(phxi_validation* v, double spacing, int law, double* tip) {
    phxi_esph_bar def = phxi_esph_long(spacing);
    def.law = law;
    def.integrator = "implicit_euler";
    def.tolerance = "1e-7";
    phxi_block block;
    phx_driver_def pull = phx_driver_def_default();
    phx_driver_id id;
    char region[128];
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    snprintf(region, sizeof region, "box(center=(5,0,0), size=(%g,1e3,1e3))", spacing);
    pull.kind = PHX_DRIVER_FORCE;
    pull.region = region;
    pull.vector = phxi_vec3(20, 0, 0);
    phx_result result = phx_driver_create(block.world, &pull, &id);
    for (int k = 0; k < 4 && result == PHX_OK; ++k) {
        result = phx_world_substep(block.world, 1e4);
    }
    *tip = phxi_esph_tip(&block, 5);
    phxi_block_destroy(&block);
    return result;
}

static phx_result statics(phxi_validation* v) {
    char quantity[96];
    for (int k = 0; k < 3; ++k) {
        double tip, d = 1.0 / (1 << k);
        PHXI_TRY(extension(v, d, PHX_LAW_COROTATED, &tip));
        snprintf(quantity, sizeof quantity, "d = %g m: extension under 20 N, steps of 1e4 s, m", d);
        phxi_validate_relative(v, quantity, tip, 1, 1e-4);
    }
    // laws that are not linear, by their own tangents: mu (s - 1/s) = 20 Pa, and 50 s (s^2 - 1) = 20 Pa of stvk
    double tip, stretch = 0.2 + sqrt(1.04), stvk = 1.1597048527648617;
    PHXI_TRY(extension(v, 0.5, PHX_LAW_NEO_HOOKEAN, &tip));
    phxi_validate_relative(v, "neo-Hookean, d = 0.5 m: extension, m", tip, 5 * (stretch - 1), 1e-4);
    PHXI_TRY(extension(v, 0.5, PHX_LAW_STVK, &tip));
    phxi_validate_relative(v, "stvk, d = 0.5 m: extension, m", tip, 5 * (stvk - 1), 1e-4);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- large

/// Two periods after a release from eps: the smallest det F and the largest change of energy.
static phx_result large(phxi_validation* v, int law, double eps, double* least, double* energy) {
    phxi_esph_bar def = phxi_esph_long(0.5);
    def.law = law;
    phxi_block block;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phxi_esph_stretch(&block, eps);
    double start = phxi_esph_energy(&block);
    phx_result result = PHX_OK;
    *least = 1;
    *energy = 0;
    for (int k = 0; k < 800 && result == PHX_OK; ++k) {
        phx_totals totals;
        result = phx_world_substep(block.world, 0.05);
        result = result == PHX_OK ? phx_world_measure(block.world, &totals) : result;
        *least = result == PHX_OK ? fmin(*least, totals.min_det) : NAN;
        *energy = fmax(*energy, fabs((totals.kinetic + totals.elastic) / start - 1));
    }
    phxi_block_destroy(&block);
    return result;
}

static phx_result flips(phxi_validation* v) {
    double least, energy;
    PHXI_TRY(large(v, PHX_LAW_NEO_HOOKEAN, 1, &least, &energy));
    phxi_validate(v, "neo-Hookean, let go from twice its length: smallest det F", least, 0.034, 0.03);
    phxi_validate(v, "its change of energy", energy, 0, 0.01);
    PHXI_TRY(large(v, PHX_LAW_STVK, 0.5, &least, &energy));
    phxi_validate(v, "stvk, let go from 1.5, turns inside out", least < 0, 1, 0);
    PHXI_TRY(large(v, PHX_LAW_NEO_HOOKEAN_BOUNDED, 1, &least, &energy));
    phxi_validate(v, "bounded neo-Hookean, from twice its length: smallest det F", least, -0.022, 0.1);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_esph[] = {
    {"esph.gradients", "volumes, gradients and uniform stress of lattices and irregular points", gradients},
    {"esph.forces", "forces are the gradient of the energy, for every law; momenta", forces},
    {"esph.modes", "six free motions; the stable step", modes},
    {"esph.nodes", "the bar of eight nodes: force on its face, frequency", nodes},
    {"esph.wave", "a bar let go: period, triangle wave of its tip, energy", wave_three},
    {"esph.statics", "a bar under a load, in long implicit steps", statics},
    {"esph.flips", "large extensions: which laws turn inside out", flips},
    {NULL, NULL, NULL},
};
