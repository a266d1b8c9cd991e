// SPDX-License-Identifier: MIT
// The operator of implicit steps as a matrix, docs/theory/implicit_steps.md S1, and Newton's method with the tangents
// of the laws themselves against closed forms of strongly stretched and pressed bars.
#include "core/hash.h"
#include "methods/efg/efg_internal.h"
#include "validate/dense.h"
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bar_def {
    int rows[3]; // of particles, the outer ones on its faces
    double spacing, poisson;
    int law;
    const char *integrator, *path, *tangent;
} bar_def;

static const double young = 1e6;

static phx_result make_bar(phxi_validation* v, const bar_def* d, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = young;
    material.poisson = d->poisson;
    material.density = 1000;
    material.law = d->law;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    char shape[128];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", d->spacing * (d->rows[0] - 1),
             d->spacing * (d->rows[1] - 1), d->spacing * (d->rows[2] - 1));
    phx_setting settings[5] = {{"integrator", d->integrator},
                               {"path", d->path},
                               {"tangent", d->tangent},
                               {"implicit_dt", "1"},
                               {"hourglass", "1"}};
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = d->spacing;
    body.material = id;
    body.settings = settings;
    body.setting_count = 5;
    phx_body_id body_id;
    return phx_body_create(*world, &body, &body_id);
}

// ------------------------------------------------------------------------------------------------------------ S1

enum { SIDE = 4, COUNT = SIDE * SIDE * SIDE, SIZE = 3 * COUNT };

/// One block with its operator. Everything is by particle of the body.
typedef struct bench {
    phx_world* world;
    phxi_step step;
    phxi_efg_binding binding;
    phxi_operator op;
    phx_vec3 x[COUNT], force[COUNT];
} bench;

static phx_result bench_create(phxi_validation* v, const char* path, bench* b) {
    bar_def d = {{SIDE, SIDE, SIDE}, 0.1, 0.3, PHX_LAW_COROTATED, "implicit_euler", path, "projected"};
    b->world = NULL;
    PHXI_TRY(make_bar(v, &d, &b->world));
    PHXI_TRY(phx_world_substep(b->world, 1.0 / 60)); // makes the work space
    b->step = phxi_world_context(b->world, 0);
    phxi_efg* efg = b->world->solvers.items[0].state;
    b->binding = (phxi_efg_binding){
        .efg = efg, .step = &b->step, .slot = &efg->slots.items[0], .elastic = &b->world->bodies.items[0].elastic};
    b->op = phxi_efg_operator(&b->binding);
    return PHX_OK;
}

/// Turned by one radian, and every particle moved by up to `noise` spacings, by where it is.
static void place(bench* b, double noise) {
    const phxi_particles* p = &b->world->particles;
    phxi_mat3 turn = phxi_rotation(phxi_vec3(1, 2, 3), 1);
    for (int i = 0; i < COUNT; ++i) {
        phx_vec3 rest = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        uint64_t seed = 0;
        for (int k = 0; k < 3; ++k) {
            seed = phxi_hash_pair(seed, (uint64_t)lrint(100 * (k == 0 ? rest.x : k == 1 ? rest.y : rest.z) + 1000));
        }
        phx_vec3 random =
            phxi_vec3(phxi_hash_unit(phxi_hash_pair(seed, 1)) - 0.5, phxi_hash_unit(phxi_hash_pair(seed, 2)) - 0.5,
                      phxi_hash_unit(phxi_hash_pair(seed, 3)) - 0.5);
        b->x[i] = phxi_add_scaled(phxi_mat3_apply(&turn, rest), 0.2 * noise, random);
    }
}

static bool forces_of(bench* b, double* energy) {
    phxi_strain strain;
    bool tame = b->op.forces(b->op.context, b->x, b->force, &strain);
    *energy = b->op.energy(b->op.context);
    return tame;
}

static void product_of(bench* b, const phx_vec3 q[COUNT], phx_vec3 kq[COUNT]) {
    phxi_mat3 axes = b->op.axes(b->op.context), back = phxi_mat3_transpose(&axes);
    _Alignas(64) phx_real in[3][COUNT + 16], out[3][COUNT + 16];
    for (int i = 0; i < COUNT; ++i) {
        phx_vec3 u = phxi_mat3_apply(&back, q[i]);
        in[0][i] = (phx_real)u.x, in[1][i] = (phx_real)u.y, in[2][i] = (phx_real)u.z;
    }
    const phx_real* const from[3] = {in[0], in[1], in[2]};
    phx_real* const to[3] = {out[0], out[1], out[2]};
    b->op.product(b->op.context, from, to);
    for (int i = 0; i < COUNT; ++i) {
        kq[i] = phxi_mat3_apply(&axes, phxi_vec3(out[0][i], out[1][i], out[2][i]));
    }
}

static double* component(phx_vec3* v, int k) {
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

/// K, row after row.
static void fill_matrix(bench* b, double* matrix) {
    for (int k = 0; k < SIZE; ++k) {
        phx_vec3 q[COUNT] = {{0}}, kq[COUNT];
        *component(&q[k / 3], k % 3) = 1;
        product_of(b, q, kq);
        for (int m = 0; m < SIZE; ++m) {
            matrix[m * SIZE + k] = *component(&kq[m / 3], m % 3);
        }
    }
}

static double norm_of(const double* a, const double* b, bool transposed) {
    double sum = 0;
    for (int k = 0; k < SIZE * SIZE; ++k) {
        double more = a[k] - (b ? b[transposed ? k % SIZE * SIZE + k / SIZE : k] : 0);
        sum += more * more;
    }
    return sqrt(sum);
}

static void check_matrix(phxi_validation* v, const char* name, double* matrix, double* values) {
    char quantity[96];
    snprintf(quantity, sizeof quantity, "K - K^T over K, %s", name);
    phxi_validate(v, quantity, norm_of(matrix, matrix, true) / norm_of(matrix, NULL, false), 0,
                  phxi_by_precision(1e-14, 1e-6));
    if (phxi_eigenvalues_symmetric(v->heap, matrix, SIZE, values) == PHX_OK) {
        snprintf(quantity, sizeof quantity, "least eigenvalue below 0 over largest, %s", name);
        phxi_validate(v, quantity, fmax(0, -values[0] / values[SIZE - 1]), 0, phxi_by_precision(1e-12, 1e-6));
    }
}

/// Largest |K q| over |K| |q| of three rotations of the turned block.
static double spin_of(bench* b) {
    double worst = 0;
    for (int axis = 0; axis < 3; ++axis) {
        phx_vec3 q[COUNT], kq[COUNT], any[COUNT], kany[COUNT];
        double sums[4] = {0};
        for (int i = 0; i < COUNT; ++i) {
            q[i] = phxi_cross(phxi_vec3(axis == 0, axis == 1, axis == 2), b->x[i]);
            any[i] = phxi_vec3(i % 2, i % 3 - 1, i % 5 - 2);
        }
        product_of(b, q, kq);
        product_of(b, any, kany);
        for (int i = 0; i < COUNT; ++i) {
            sums[0] += phxi_dot(kq[i], kq[i]), sums[1] += phxi_dot(q[i], q[i]);
            sums[2] += phxi_dot(kany[i], kany[i]), sums[3] += phxi_dot(any[i], any[i]);
        }
        worst = fmax(worst, sqrt(sums[0] / sums[1] * sums[3] / sums[2]));
    }
    return worst;
}

/// Relative error of f . q = -dU along a direction.
static bool slope_error(bench* b, double* error) {
    double step = 1e-4, up = 0, down = 0, energy, exact = 0, size = 0;
    phx_vec3 kept[COUNT], force[COUNT], q[COUNT];
    bool tame = forces_of(b, &energy);
    memcpy(kept, b->x, sizeof kept);
    memcpy(force, b->force, sizeof force);
    double slopes[2];
    for (int i = 0; i < COUNT; ++i) {
        q[i] = phxi_vec3(sin(3.0 * i), sin(5.0 * i + 1), sin(7.0 * i + 2));
        exact -= phxi_dot(force[i], q[i]);
        size += phxi_dot(force[i], force[i]);
    }
    for (int k = 0; k < 2; ++k) { // Richardson: the error is of fourth order
        double h = step / (k + 1);
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < COUNT; ++i) {
                b->x[i] = phxi_add_scaled(kept[i], side ? -h : h, q[i]);
            }
            tame = forces_of(b, side ? &down : &up) && tame;
        }
        slopes[k] = (up - down) / (2 * h);
    }
    memcpy(b->x, kept, sizeof kept);
    *error = fabs((4 * slopes[1] - slopes[0]) / 3 - exact) / sqrt(size);
    return tame;
}

static phx_result check_path(phxi_validation* v, bench* b, const char* path, double* matrix, double* scratch,
                             double* values) {
    static const char* const tangents[] = {"frozen", "projected"};
    char quantity[96], name[48];
    double energy, error = NAN;
    bool tame = true;
    for (int k = 1; k >= 0; --k) {
        place(b, 0.25);
        tame = forces_of(b, &energy) && tame;
        if (k == 1) {
            b->op.project(b->op.context, false);
        }
        fill_matrix(b, matrix);
        memcpy(scratch, matrix, SIZE * SIZE * sizeof *matrix);
        snprintf(name, sizeof name, "%s, %s", path, tangents[k]);
        check_matrix(v, name, scratch, values);
    }
    tame = slope_error(b, &error) && tame;
    if (phxi_by_precision(1, 0) > 0) { // differences of energies in float tell nothing
        snprintf(quantity, sizeof quantity, "f + dU/du over f, %s", path);
        phxi_validate(v, quantity, error, 0, 1e-9);
    }
    place(b, 0);
    tame = forces_of(b, &energy) && tame;
    snprintf(quantity, sizeof quantity, "K of rotations over K, %s", path);
    phxi_validate(v, quantity, spin_of(b), 0, phxi_by_precision(1e-14, 1e-6));
    return tame ? PHX_OK : phxi_fail(PHX_ERROR_UNSTABLE, "forces are not finite");
}

/// K of the lattice in the order of the rows' particles, which need not be the same.
static double paths_differ(const bench* rows, const bench* lattice, const double* a, const double* b) {
    int same[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < COUNT; ++j) {
            if (phxi_distance(rows->x[i], lattice->x[j]) < 1e-3) {
                same[i] = j;
            }
        }
    }
    double sum = 0, all = 0;
    for (int k = 0; k < SIZE * SIZE; ++k) {
        int row = 3 * same[k / SIZE / 3] + k / SIZE % 3, column = 3 * same[k % SIZE / 3] + k % SIZE % 3;
        sum += pow(a[k] - b[row * SIZE + column], 2);
        all += a[k] * a[k];
    }
    return sqrt(sum / all);
}

static phx_result operator_of(phxi_validation* v) {
    static const char* const paths[] = {"rows", "lattice"};
    static bench benches[2]; // as large as this they do not fit on a stack
    double* matrices;
    const size_t square = (size_t)SIZE * SIZE;
    PHXI_NEW(matrices, v->heap, 3 * square + SIZE, "validation");
    phx_result result = PHX_OK;
    benches[0].world = benches[1].world = NULL;
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = bench_create(v, paths[k], &benches[k]);
        if (result == PHX_OK) {
            result = check_path(v, &benches[k], paths[k], matrices + (size_t)k * square, matrices + 2 * square,
                                matrices + 3 * square);
        }
    }
    if (result == PHX_OK) {
        double differ = paths_differ(&benches[0], &benches[1], matrices, matrices + square);
        phxi_validate(v, "K of the lattice and of rows", differ, 0, 1e-5);
    }
    phx_world_destroy(benches[0].world);
    phx_world_destroy(benches[1].world);
    phxi_free(v->heap, matrices);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ Newton

/// Stress over the area at rest of a bar of nu = 0 pulled to `stretch`, which keeps its width, Pa.
static double uniaxial(int law, double stretch) {
    return law == PHX_LAW_STVK ? young * stretch * (stretch * stretch - 1) / 2
                               : 0.5 * young * (stretch - 1 / stretch); // mu = E/2
}

/// Two layers at each end, moved apart or together over so many steps of a second.
static phx_result move_ends(phx_world* world, double way, double end, int steps) {
    for (int side = -1; side <= 1; side += 2) {
        char region[128];
        snprintf(region, sizeof region, "plane(point=(%.17g,0,0), normal=(%d,0,0))", side * end, -side);
        phx_driver_def driver = phx_driver_def_default();
        driver.name = side < 0 ? "left" : "right";
        driver.kind = PHX_DRIVER_MOVE;
        driver.region = region;
        driver.vector = (phx_vec3){side * way, 0, 0};
        driver.ramp = steps;
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(world, &driver, &id));
    }
    return PHX_OK;
}

/// What pulls at the right end from within, N.
static double tension_of(const phx_world* world, double end) {
    double sum = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        sum -= (double)world->particles.rest_x[i] > end ? phxi_internal_force(world, i).x : 0;
    }
    return sum;
}

/// Stretch of the middle of the bar as its particles see it, over two spacings: where ends are held, rows are near and
/// far in turns.
static double middle_stretch(const phx_world* world, double spacing) {
    const phxi_particles* p = &world->particles;
    double sum = 0, count = 0;
    for (int i = 0; i < p->count; ++i) {
        double rest = (double)p->rest_x[i] / spacing;
        if (fabs(rest) < 1.6) { // rows at -1.5, -0.5, 0.5, 1.5
            sum += (rest < 0 ? -1 : 1) * (double)p->x[i] / spacing;
            count += 1;
        }
    }
    return sum / count; // (x(1.5) - x(-0.5) + x(0.5) - x(-1.5)) / 4
}

/// One bar by one kind of tangent: decades by which an iteration of Newton's method lowers the residual while the ends
/// move, down to rounding; and the tension afterwards over that of the closed form for the stretch of its middle.
static phx_result stretch_bar(phxi_validation* v, int law, double stretch, const char* tangent, double* rate,
                              double* ratio) {
    enum { LENGTH = 16, WIDTH = 6, STEPS = 4 };
    bar_def d = {{LENGTH, WIDTH, WIDTH}, 0.05, 0, law, "implicit_euler", "auto", tangent};
    phx_world* world = NULL;
    phx_result result = make_bar(v, &d, &world);
    // the bar between the innermost moved rows has LENGTH - 3 spacings
    double area = pow((WIDTH - 1) * d.spacing, 2), end = (LENGTH / 2 - 2) * d.spacing;
    double way = 0.5 * (stretch - 1) * (LENGTH - 3) * d.spacing;
    if (result == PHX_OK) {
        result = move_ends(world, way, end, STEPS);
    }
    double decades = 0, iterations = 0;
    for (int k = 0; k <= STEPS && result == PHX_OK; ++k) {
        result = phx_world_substep(world, 1);
        const phxi_efg* efg = world->solvers.items[0].state;
        if (result == PHX_OK && k < STEPS) {
            const phxi_implicit_report* report = phxi_implicit_last(efg->slots.items[0].implicit);
            decades -= log10(report->reduced);
            iterations += report->passes;
        }
    }
    *rate = decades / iterations;
    if (result == PHX_OK) {
        *ratio = tension_of(world, end) / (uniaxial(law, middle_stretch(world, d.spacing)) * area);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result newton(phxi_validation* v) {
    static const struct {
        int law;
        double stretch;
        const char* name;
    } bars[] = {{PHX_LAW_NEO_HOOKEAN, 1.5, "neo-Hookean to 1.5"},
                {PHX_LAW_NEO_HOOKEAN, 0.7, "neo-Hookean to 0.7"},
                {PHX_LAW_STVK, 1.5, "stvk to 1.5"},
                {PHX_LAW_STVK, 0.8, "stvk to 0.8"}};
    for (size_t k = 0; k < sizeof bars / sizeof bars[0]; ++k) {
        double ratio[2] = {NAN, NAN}, rate[2] = {NAN, NAN};
        for (int frozen = 0; frozen < 2; ++frozen) {
            PHXI_TRY(stretch_bar(v, bars[k].law, bars[k].stretch, frozen ? "frozen" : "projected", &rate[frozen],
                                 &ratio[frozen]));
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "tension of a bar, %s", bars[k].name);
        phxi_validate(v, quantity, ratio[0], 1, 5e-3);
        snprintf(quantity, sizeof quantity, "iterations for a decade, %s", bars[k].name);
        phxi_validate(v, quantity, 1 / rate[0], 0, 1);
        snprintf(quantity, sizeof quantity, "over those of frozen rotations (%.1f), %s", 1 / rate[1], bars[k].name);
        phxi_validate(v, quantity, rate[1] / rate[0], 0, 0.5);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_efg_tangent[] = {
    {"efg.implicit_operator", "S1: symmetry, eigenvalues, rotations, forces as slopes; lattice and rows", operator_of},
    {"efg.implicit_newton", "Newton's method by projected and by frozen tangents; stretched bars", newton},
    {NULL, NULL, NULL},
};
