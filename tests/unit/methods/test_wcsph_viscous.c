// SPDX-License-Identifier: MIT
// The implicit step of viscosity: against a dense solve, with walls, mirrors, strangers and periods; momentum; rigid
// motions; threads; extremes; memory.
#include "methods/wcsph/viscous_solve.h"

#include "neighbors/kernel.h"
#include "support/test.h"

#ifdef PHX_DOUBLE
#define PICK(single, full) (full)
#else
#define PICK(single, full) (single)
#endif

enum { SIDE = 8, MOST = SIDE * SIDE * SIDE };

typedef struct scene {
    phxt_heap tracked;
    phxi_heap heap;
    phxi_particles particles;
    phxi_pool* pool;
    phxi_near near;
    phxi_viscous* viscous;
    phxi_viscous_input input;
    phxi_viscous_report report;
    uint8_t kind[MOST];
    phx_real mass[MOST], volume[MOST], viscosity[MOST], depth[MOST];
    phx_real target[3][MOST], guess[3][MOST], normal[3][MOST], velocity[3][MOST];
} scene;

static const double dx = 0.01;

// A jittered lattice of nx * ny * nz, viscosities over four decades, random velocities.
static void scene_init(scene* s, int nx, int ny, int nz, int threads, phx_vec3 period) {
    uint64_t seed = 11;
    int count = nx * ny * nz;
    *s = (scene){0};
    phxt_heap_init(&s->tracked, -1);
    phxi_heap_init(&s->heap, &s->tracked.allocator);
    ENSURE_OK(phxi_particles_init(&s->particles, &s->heap));
    ENSURE_OK(phxi_pool_create(&s->heap, threads, &s->pool));
    ENSURE_OK(phxi_particles_add(&s->particles, count));
    for (int i = 0; i < count; ++i) {
        s->particles.x[i] = (phx_real)(dx * (i % nx + 0.3 * phxt_random(&seed)));
        s->particles.y[i] = (phx_real)(dx * (i / nx % ny + 0.3 * phxt_random(&seed)));
        s->particles.z[i] = (phx_real)(dx * (i / nx / ny + 0.3 * phxt_random(&seed)));
        s->particles.spacing[i] = (phx_real)(dx * (1 + 0.1 * phxt_random(&seed)));
    }
    phxi_near_init(&s->near, &s->heap);
    phxi_near_range range = {0, count, 3, false, 0};
    ENSURE_OK(phxi_near_update(&s->near, s->pool, PHXI_SEARCH_GRID, &s->particles, &range, 1, period));
    ENSURE_OK(phxi_viscous_create(&s->heap, &s->viscous));
    for (int i = 0; i < count; ++i) {
        s->kind[i] = PHXI_VISCOUS_FLUID;
        s->volume[i] = (phx_real)(dx * dx * dx * (0.9 + 0.2 * phxt_random(&seed)));
        s->mass[i] = 1000 * s->volume[i];
        s->viscosity[i] = (phx_real)pow(10, 4 * phxt_random(&seed));
        for (int a = 0; a < 3; ++a) {
            s->target[a][i] = (phx_real)(phxt_random(&seed) - 0.5);
            s->guess[a][i] = (phx_real)(phxt_random(&seed) - 0.5);
        }
    }
    s->input = (phxi_viscous_input){.near = &s->near,
                                    .dt = 1e-3,
                                    .kind = s->kind,
                                    .mass = s->mass,
                                    .volume = s->volume,
                                    .viscosity = s->viscosity,
                                    .target = {s->target[0], s->target[1], s->target[2]},
                                    .guess = {s->guess[0], s->guess[1], s->guess[2]}};
}

static void scene_destroy(scene* s) {
    phxi_viscous_destroy(s->viscous);
    phxi_near_destroy(&s->near);
    phxi_pool_destroy(s->pool);
    phxi_particles_destroy(&s->particles);
    phxi_heap_destroy(&s->heap);
    ENSURE(s->tracked.live == 0);
}

static phx_result solve(scene* s) {
    phx_real* const out[3] = {s->velocity[0], s->velocity[1], s->velocity[2]};
    return phxi_viscous_solve(s->viscous, s->pool, &s->input, out, &s->report);
}

// ---------------------------------------------------------------------------------------------------- dense reference

// The matrix of docs/theory/fluids.md (7), in double, places that are not fluid with a one on the diagonal.
static void dense_matrix(const scene* s, double* m, double* side) {
    int count = s->near.count, n = 3 * count;
    memset(m, 0, (size_t)n * (size_t)n * sizeof *m);
    for (int i = 0; i < count; ++i) {
        bool fluid = s->kind[i] == PHXI_VISCOUS_FLUID;
        for (int a = 0; a < 3; ++a) {
            m[(3 * i + a) * n + 3 * i + a] = fluid ? (double)s->mass[i] : 1;
            side[3 * i + a] = (fluid ? (double)s->mass[i] : 1) * (double)s->target[a][i];
        }
        for (int j = 0; fluid && j < count; ++j) {
            phx_vec3 x = phxi_near_delta(&s->near, i, j);
            double r = phxi_length(x), support = 0.5 * ((double)s->near.reach[i] + (double)s->near.reach[j]);
            if (i == j || s->kind[j] == PHXI_VISCOUS_OTHER || r >= support) {
                continue;
            }
            bool wall = s->kind[j] == PHXI_VISCOUS_WALL, angular = s->input.form == PHXI_VISCOUS_ANGULAR;
            double eta = (double)s->viscosity[i], other = (double)s->viscosity[j], mirror = 0;
            double e = wall ? eta : 2 * eta * other / (eta + other);
            double k = -s->input.dt * (angular ? 10 : 2) * (double)s->volume[i] * (double)s->volume[j] * e *
                       phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r, support) / r / (r * r + 0.01 * support * support / 9);
            if (wall && s->input.normal[0]) {
                double height =
                    x.x * (double)s->normal[0][j] + x.y * (double)s->normal[1][j] + x.z * (double)s->normal[2][j];
                double above = height - (double)s->depth[j];
                mirror = above > 0 ? fmin(1.5, (double)s->depth[j] / above) : 1.5;
            }
            const double d[3] = {x.x, x.y, x.z};
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; b < 3; ++b) {
                    double c = angular ? k * d[a] * d[b] : a == b ? k * r * r : 0;
                    m[(3 * i + a) * n + 3 * i + b] += (1 + mirror) * c;
                    if (wall) {
                        side[3 * i + a] += (1 + mirror) * c * (double)s->target[b][j];
                    } else {
                        m[(3 * i + a) * n + 3 * j + b] -= c;
                    }
                }
            }
        }
    }
}

static void eliminate(double* m, double* side, int n) {
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1; i < n; ++i) {
            double f = m[i * n + k] / m[k * n + k];
            for (int j = k; f != 0 && j < n; ++j) {
                m[i * n + j] -= f * m[k * n + j];
            }
            side[i] -= f * side[k];
        }
    }
    for (int k = n; k-- > 0;) {
        for (int j = k + 1; j < n; ++j) {
            side[k] -= m[k * n + j] * side[j];
        }
        side[k] /= m[k * n + k];
    }
}

// Velocities against the dense ones, at the tolerance of the precision.
static void compare(scene* s, const char* what) {
    int n = 3 * s->near.count;
    double *m = malloc((size_t)n * (size_t)n * sizeof *m), *side = malloc((size_t)n * sizeof *side);
    s->input.tolerance = PICK(1e-6, 1e-13);
    ENSURE_OK(solve(s));
    ENSURE(s->report.converged && s->report.iterations > 3 && s->report.iterations < 200);
    dense_matrix(s, m, side);
    eliminate(m, side, n);
    double worst = 0;
    for (int i = 0; i < s->near.count; ++i) {
        for (int a = 0; s->kind[i] == PHXI_VISCOUS_FLUID && a < 3; ++a) {
            worst = fmax(worst, fabs((double)s->velocity[a][i] - side[3 * i + a]));
        }
    }
    if (!(worst < PICK(2e-5, 1e-12))) {
        printf("%s: %g apart, %d iterations to %g\n", what, worst, s->report.iterations, s->report.residual);
    }
    ENSURE(worst < PICK(2e-5, 1e-12));
    free(m);
    free(side);
}

static void compare_forms(scene* s) {
    s->input.form = PHXI_VISCOUS_ANGULAR;
    compare(s, "angular");
    s->input.form = PHXI_VISCOUS_MORRIS;
    compare(s, "morris");
}

TEST(is_the_dense_solution) {
    scene s;
    scene_init(&s, 5, 4, 5, 2, phxi_vec3(0, 0, 0));
    compare_forms(&s);
    scene_destroy(&s);
}

TEST(is_the_dense_solution_in_periods) {
    scene s;
    scene_init(&s, 7, 2, 8, 2, phxi_vec3(7 * dx, 0, 8 * dx));
    compare_forms(&s);
    scene_destroy(&s);
}

// The lowest three layers become walls that move, mirrored or not; some particles take no part.
static void add_walls(scene* s) {
    for (int i = 0; i < s->near.count; ++i) {
        double z = (double)s->near.z[i];
        if (z < 2.5 * dx) {
            s->kind[i] = PHXI_VISCOUS_WALL;
            s->mass[i] = 0;
            s->depth[i] = (phx_real)(2.5 * dx - z);
            s->normal[2][i] = 1;
        } else if (s->near.particle[i] % 13 == 0) {
            s->kind[i] = PHXI_VISCOUS_OTHER;
            s->mass[i] = 0;
        }
    }
}

TEST(walls_are_known_and_others_do_not_matter) {
    scene s;
    scene_init(&s, 4, 4, 6, 2, phxi_vec3(0, 0, 0));
    add_walls(&s);
    compare_forms(&s);
    int fluid = s.report.unknowns;
    ENSURE(fluid > 30 && fluid < 48);
    for (int a = 0; a < 3; ++a) {
        s.input.normal[a] = s.normal[a];
    }
    s.input.depth = s.depth;
    compare_forms(&s);
    scene_destroy(&s);
}

// ------------------------------------------------------------------------------------------------------- conservation

static void momenta(const scene* s, phx_real v[3][MOST], double p[3], double l[3]) {
    for (int a = 0; a < 3; ++a) {
        p[a] = l[a] = 0;
    }
    for (int i = 0; i < s->near.count; ++i) {
        double m = (double)s->mass[i];
        const double x[3] = {(double)s->near.x[i], (double)s->near.y[i], (double)s->near.z[i]};
        const double w[3] = {m * (double)v[0][i], m * (double)v[1][i], m * (double)v[2][i]};
        for (int a = 0; a < 3; ++a) {
            p[a] += w[a];
            l[a] += x[(a + 1) % 3] * w[(a + 2) % 3] - x[(a + 2) % 3] * w[(a + 1) % 3];
        }
    }
}

TEST(momentum_is_conserved_at_any_tolerance) {
    scene s;
    scene_init(&s, 8, 8, 8, 2, phxi_vec3(0, 0, 0));
    double scale = 0;
    for (int i = 0; i < MOST; ++i) {
        s.target[0][i] += 3; // flies
        scale += 3 * (double)s.mass[i];
    }
    for (int form = 0; form < 2; ++form) {
        double p[2][3], l[2][3];
        s.input.form = (phxi_viscous_form)form;
        s.input.tolerance = 0.1;
        REQUIRE_OK(solve(&s));
        ENSURE(s.report.iterations > 0 && s.report.residual < 0.1);
        momenta(&s, s.target, p[0], l[0]);
        momenta(&s, s.velocity, p[1], l[1]);
        for (int a = 0; a < 3; ++a) {
            ENSURE_NEAR(p[0][a], p[1][a], scale * PICK(3e-8, 1e-14));
            if (form == PHXI_VISCOUS_ANGULAR) {
                ENSURE_NEAR(l[0][a], l[1][a], 8 * dx * scale * PICK(3e-8, 1e-14));
            }
        }
    }
    scene_destroy(&s);
}

TEST(a_body_that_turns_rigidly_feels_nothing) {
    scene s;
    scene_init(&s, 8, 8, 8, 2, phxi_vec3(0, 0, 0));
    for (int i = 0; i < MOST; ++i) {
        phx_vec3 x = phxi_vec3(s.near.x[i], s.near.y[i], s.near.z[i]);
        phx_vec3 v = phxi_add(phxi_vec3(1, -2, 0.5), phxi_cross(phxi_vec3(3, 10, -20), x));
        s.target[0][i] = (phx_real)v.x, s.target[1][i] = (phx_real)v.y, s.target[2][i] = (phx_real)v.z;
        s.viscosity[i] *= 1000;
    }
    REQUIRE_OK(solve(&s));
    ENSURE(s.report.converged && s.report.iterations == 0);
    double worst = 0;
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < MOST; ++i) {
            worst = fmax(worst, fabs((double)s.velocity[a][i] - (double)s.target[a][i]));
        }
    }
    ENSURE_NEAR(worst, 0, PICK(1e-6, 1e-13));
    scene_destroy(&s);
}

// ------------------------------------------------------------------------------------------------- threads, extremes

TEST(same_bits_at_any_thread_count_and_in_place) {
    static scene a, b;
    scene_init(&a, 8, 8, 8, 1, phxi_vec3(0, 8 * dx, 0));
    scene_init(&b, 8, 8, 8, 3, phxi_vec3(0, 8 * dx, 0));
    REQUIRE_OK(solve(&a));
    phx_real* const out[3] = {b.target[0], b.target[1], b.target[2]};
    REQUIRE_OK(phxi_viscous_solve(b.viscous, b.pool, &b.input, out, &b.report));
    ENSURE(memcmp(a.velocity, b.target, sizeof a.velocity) == 0);
    ENSURE(a.report.iterations == b.report.iterations && a.report.iterations > 0);
    scene_destroy(&a);
    scene_destroy(&b);
}

// How far velocities go along with v*, over the mass: what the load does.
static double work_of(const scene* s, const double* dense) {
    double sum = 0;
    for (int i = 0; i < s->near.count; ++i) {
        for (int a = 0; a < 3; ++a) {
            sum += (double)s->target[a][i] * (dense ? dense[3 * i + a] : (double)s->velocity[a][i]);
        }
    }
    return sum;
}

// As stiff as a cold solid, pressed together: what it gives way by is a hundred thousandth of v*, and is not taken for
// nothing, though the guess is at rest.
TEST(a_stiff_lump_gives_way_to_its_load) {
    scene s;
    scene_init(&s, 5, 4, 5, 1, phxi_vec3(0, 0, 0));
    int n = 3 * s.near.count;
    double *m = malloc((size_t)n * (size_t)n * sizeof *m), *side = malloc((size_t)n * sizeof *side);
    REQUIRE(m && side);
    memset(s.target, 0, sizeof s.target);
    memset(s.guess, 0, sizeof s.guess);
    for (int i = 0; i < s.near.count; ++i) {
        s.viscosity[i] = (phx_real)1e6;
        s.target[2][i] = (phx_real)((double)s.near.z[i] < 2 * dx ? 0.01 : -0.01);
    }
    REQUIRE_OK(solve(&s));
    dense_matrix(&s, m, side);
    eliminate(m, side, n);
    ENSURE(s.report.converged && s.report.iterations > 0);
    ENSURE_NEAR(work_of(&s, NULL) / work_of(&s, side), 1, 0.05);
    free(m);
    free(side);
    scene_destroy(&s);
}

TEST(a_good_guess_saves_iterations) {
    scene s;
    scene_init(&s, 6, 6, 6, 2, phxi_vec3(0, 0, 0));
    REQUIRE_OK(solve(&s));
    int first = s.report.iterations;
    memcpy(s.guess, s.velocity, sizeof s.guess);
    REQUIRE_OK(solve(&s));
    ENSURE(s.report.converged && s.report.iterations <= first / 4);
    scene_destroy(&s);
}

TEST(no_viscosity_is_no_work_and_no_fluid_either) {
    scene s;
    scene_init(&s, 6, 6, 6, 2, phxi_vec3(0, 0, 0));
    memset(s.viscosity, 0, sizeof s.viscosity);
    REQUIRE_OK(solve(&s));
    ENSURE(s.report.converged && s.report.iterations == 0);
    for (int i = 0; i < s.near.count; ++i) {
        ENSURE_NEAR(s.velocity[1][i], s.target[1][i], PICK(1e-7, 1e-15));
    }
    memset(s.kind, 0, sizeof s.kind);
    REQUIRE_OK(solve(&s));
    ENSURE(s.report.converged && s.report.unknowns == 0);
    scene_destroy(&s);
}

static bool all_finite(const scene* s) {
    for (int i = 0; i < 3 * MOST; ++i) {
        if (!isfinite(s->velocity[i / MOST][i % MOST])) {
            return false;
        }
    }
    return true;
}

TEST(failure_is_told_and_finite) {
    scene s;
    scene_init(&s, 6, 6, 6, 2, phxi_vec3(0, 0, 0));
    s.input.tolerance = 1e-9;
    s.input.iterations = 2;
    REQUIRE_OK(solve(&s));
    ENSURE(!s.report.converged && s.report.iterations == 2 && s.report.residual > 1e-9 && all_finite(&s));
    // numbers beyond all bounds
    s.input.iterations = 0;
    s.viscosity[17] = (phx_real)INFINITY;
    s.viscosity[18] = (phx_real)INFINITY;
    REQUIRE_OK(solve(&s));
    ENSURE(!s.report.converged && all_finite(&s));
    s.viscosity[17] = s.viscosity[18] = (phx_real)1e30;
    REQUIRE_OK(solve(&s));
    ENSURE(all_finite(&s));
    for (int i = 0; i < s.near.count; ++i) {
        s.target[0][i] *= (phx_real)PICK(1e37, 1e300);
    }
    REQUIRE_OK(solve(&s));
    ENSURE(all_finite(&s));
    scene_destroy(&s);
}

TEST(coincident_particles_and_loners) {
    scene s;
    scene_init(&s, 4, 4, 4, 2, phxi_vec3(0, 0, 0));
    for (int i = 0; i < 8; ++i) {
        s.particles.x[i] = s.particles.y[i] = s.particles.z[i] = 0; // eight in one place
    }
    s.particles.x[63] = 100;
    phxi_near_range range = {0, 64, 3, false, 0};
    REQUIRE_OK(phxi_near_update(&s.near, s.pool, PHXI_SEARCH_GRID, &s.particles, &range, 1, phxi_vec3(0, 0, 0)));
    REQUIRE_OK(solve(&s));
    ENSURE(s.report.converged && all_finite(&s));
    for (int i = 0; i < 64; ++i) {
        if (s.near.particle[i] == 63) {
            ENSURE_NEAR(s.velocity[2][i], s.target[2][i], 1e-3); // alone but for the rigid part
        }
    }
    scene_destroy(&s);
}

// ------------------------------------------------------------------------------------------------------------- memory

TEST(failing_allocations_and_none_after_the_first) {
    scene s;
    scene_init(&s, 4, 4, 4, 2, phxi_vec3(0, 0, 0));
    bool done = false;
    for (int n = 0; !done; ++n) {
        s.tracked.fail_at = s.tracked.allocations + n;
        phx_result result = solve(&s);
        done = result == PHX_OK;
        ENSURE(done || result == PHX_ERROR_MEMORY);
        s.tracked.fail_at = -1;
        REQUIRE(n < 100);
    }
    int64_t before = s.tracked.allocations;
    s.input.form = PHXI_VISCOUS_MORRIS;
    REQUIRE_OK(solve(&s));
    ENSURE(s.tracked.allocations == before);
    s.tracked.fail_at = before;
    phxi_viscous* other = NULL;
    ENSURE_RESULT(phxi_viscous_create(&s.heap, &other), PHX_ERROR_MEMORY);
    phxi_viscous_destroy(other);
    scene_destroy(&s);
}
