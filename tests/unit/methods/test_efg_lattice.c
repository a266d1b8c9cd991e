// SPDX-License-Identifier: MIT
// The lattice path: when it is taken, and that it gives the forces of the rows to rounding.
#include "methods/efg/lattice/lattice.h"
#include "support/efg_fixture.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

typedef enum shape { BOX, BALL, RING, SLAB, SPARSE, SHAPES } shape;

typedef struct cloud {
    int count;
    phx_vec3 points[8000];
    double volumes[8000];
} cloud;

static bool inside(shape kind, const int size[3], const int n[3]) {
    double d[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = n[k] + 0.5 - size[k] / 2.0;
        square += d[k] * d[k];
    }
    switch (kind) {
    case BALL:
        return square < size[0] * size[0] / 4.0;
    case RING:
        return d[0] * d[0] + d[1] * d[1] > 9; // a hole through the box
    case SPARSE:
        return (n[0] < 2 && n[1] < 2) || (n[1] < 2 && n[2] < 2); // an angle in a box that is mostly empty
    default:
        return true;
    }
}

/// Particles of a shape, 0.1 m apart, with partial volumes outside, turned by `turn`; body-centred if `packing` says
/// so.
static void make_cloud(cloud* c, shape kind, int packing, const phxi_mat3* turn) {
    static const int sizes[SHAPES][3] = {{6, 9, 5}, {11, 11, 11}, {10, 9, 7}, {5, 17, 2}, {18, 5, 18}};
    const int* size = sizes[kind];
    uint64_t seed = 3;
    c->count = 0;
    for (int k = 0; k < size[0] * size[1] * size[2]; ++k) {
        const int n[3] = {k % size[0], k / size[0] % size[1], k / size[0] / size[1]};
        for (int half = 0; half < (packing == BCC ? 2 : 1) && inside(kind, size, n); ++half) {
            double shift = 0.05 * half;
            phx_vec3 x = {0.1 * n[0] - 0.35 + shift, 0.1 * n[1] + 0.15 + shift, 0.1 * n[2] - 0.05 + shift};
            bool partial = kind != BOX && phxt_random(&seed) < 0.3;
            c->points[c->count] = phxi_mat3_apply(turn, x);
            c->volumes[c->count++] = (packing == BCC ? 5e-4 : 1e-3) * (partial ? 0.2 + 0.8 * phxt_random(&seed) : 1);
        }
    }
}

static void forces_on_lattice(efg_fixture* f, int index, phx_vec3* forces) {
    phxi_efg_slot* slot = &fixture_efg(f)->slots.items[index];
    const phxi_efg_lattice* l = slot->lattice;
    phxi_mat3 rotation = phxi_mat3_mul(&slot->frame.rotation, &l->axes);
    for (int t = 0; t < l->tile_count; ++t) {
        phxi_lattice_fill(slot, &f->particles, &l->tiles[t]);
    }
    for (int t = 0; t < l->tile_count; ++t) {
        ENSURE(phxi_lattice_stress(slot, &f->bodies[slot->body].elastic, &l->tiles[t]));
    }
    for (int t = 0; t < l->tile_count; ++t) {
        _Alignas(64) phx_real force[3][EFG_BLOCK];
        phxi_lattice_force(slot, &l->tiles[t], force);
        for (int k = 0; k < l->tiles[t].count; ++k) {
            forces[slot->begin + l->tiles[t].first + k] =
                phxi_mat3_apply(&rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
        }
    }
}

/// Largest difference of the forces of both paths over the largest force.
static double difference(efg_fixture* f) {
    int count = f->particles.count;
    phx_vec3 *rows = malloc((size_t)count * sizeof *rows), *grid = malloc((size_t)count * sizeof *grid);
    fixture_forces(f, rows);
    forces_on_lattice(f, 0, grid);
    double worst = 0, size = 0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, phxi_distance(rows[i], grid[i]));
        size = fmax(size, phxi_length(rows[i]));
    }
    free(rows);
    free(grid);
    return worst / size;
}

static phx_vec3 affine(phx_vec3 x, void* context) {
    return phxi_add(phxi_mat3_apply(context, x), phxi_vec3(0.3, -0.2, 0.1));
}

static phxi_mat3 turn_of(int k) {
    return k ? phxi_rotation(phxi_vec3(1, -2, 0.5), 0.9 * k) : phxi_identity();
}

static void compare_paths(shape kind, int packing, int law, double volume_stiffness, double support) {
    cloud* c = malloc(sizeof *c);
    uint64_t seed = 17;
    for (int t = 0; t < 3; ++t) {
        phxi_mat3 turn = turn_of(t), map = random_matrix(0.2, &seed);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.law = law;
        f.params[0].path = EFG_PATH_LATTICE;
        f.params[0].volume_stiffness = volume_stiffness;
        f.params[0].support = support;
        make_cloud(c, kind, packing, &turn);
        REQUIRE_OK(fixture_add_points(&f, c->count, c->points, c->volumes));
        for (int k = 0; k < 3; ++k) {
            map.m[k][k] += 1;
        }
        fixture_deform(&f, affine, &map);
        fixture_shake(&f, 0.1, 99);
        ENSURE_NEAR(difference(&f), 0, BOUND(1e-12, 1e-5));
        fixture_destroy(&f);
    }
    free(c);
}

TEST(forces_are_those_of_the_rows_box) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        compare_paths(BOX, CUBIC, law, 0, 0);
    }
    compare_paths(BOX, BCC, PHX_LAW_STVK, 0, 0);
}
TEST(forces_are_those_of_the_rows_ball) {
    compare_paths(BALL, CUBIC, PHX_LAW_STVK, 1e5, 0);
    compare_paths(BALL, BCC, PHX_LAW_STVK, 1e5, 0);
}
TEST(forces_are_those_of_the_rows_hole) {
    compare_paths(RING, CUBIC, PHX_LAW_STVK, 0, 0);
    compare_paths(RING, BCC, PHX_LAW_STVK, 0, 0);
}
TEST(forces_are_those_of_the_rows_two_layers) {
    compare_paths(SLAB, CUBIC, PHX_LAW_STVK, 0, 0);
    compare_paths(SLAB, BCC, PHX_LAW_STVK, 0, 0);
}
TEST(forces_are_those_of_the_rows_mostly_empty_box) {
    compare_paths(SPARSE, CUBIC, PHX_LAW_STVK, 0, 0);
    compare_paths(SPARSE, BCC, PHX_LAW_STVK, 0, 0);
}
TEST(forces_are_those_of_the_rows_other_supports) {
    compare_paths(BOX, CUBIC, PHX_LAW_STVK, 0, 1.5);
    compare_paths(BALL, CUBIC, PHX_LAW_STVK, 0, 1.95);
    compare_paths(BOX, BCC, PHX_LAW_STVK, 0, 1.05);
    compare_paths(BALL, BCC, PHX_LAW_STVK, 0, 1.4);
}

static bool on_lattice(efg_fixture* f) {
    const phxi_efg* efg = fixture_efg(f);
    return efg->slots.items[efg->slots.count - 1].lattice != NULL;
}

TEST(the_path_is_chosen_by_the_body) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 0)));
    ENSURE(on_lattice(&f));
    REQUIRE_OK(fixture_add(&f, BCC, 5, 5, 5, phxi_vec3(0, 0, 2)));
    ENSURE(on_lattice(&f));
    REQUIRE_OK(fixture_add(&f, CUBIC, 9, 9, 1, phxi_vec3(0, 0, 4))); // a sheet
    ENSURE(!on_lattice(&f));
    REQUIRE_OK(fixture_add(&f, CUBIC, 1, 1, 9, phxi_vec3(0, 0, 6))); // a rod
    ENSURE(!on_lattice(&f));
    REQUIRE_OK(fixture_add(&f, CUBIC, 1, 1, 1, phxi_vec3(0, 0, 8)));
    ENSURE(!on_lattice(&f));
    f.params[5].path = EFG_PATH_ROWS;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 10)));
    ENSURE(!on_lattice(&f));
    f.params[6].support = 2.6;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 12)));
    ENSURE(!on_lattice(&f));
    f.jitter = 0.01;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 14)));
    ENSURE(!on_lattice(&f));
    f.params[8].path = EFG_PATH_LATTICE;
    ENSURE_RESULT(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 14)), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("lattice");
    fixture_destroy(&f);
}

TEST(coincident_particles_leave_the_lattice) {
    cloud* c = malloc(sizeof *c);
    phxi_mat3 turn = phxi_identity();
    make_cloud(c, BOX, CUBIC, &turn);
    c->points[7] = c->points[8];
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add_points(&f, c->count, c->points, c->volumes));
    ENSURE(!on_lattice(&f));
    fixture_destroy(&f);
    free(c);
}

/// Positions of a ball and two blocks after some substeps.
static void run(int threads, phx_real* out, int leave_at) {
    cloud* c = malloc(sizeof *c);
    phxi_mat3 turn = turn_of(1);
    make_cloud(c, BALL, CUBIC, &turn);
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, threads));
    f.material.damping = 1;
    REQUIRE_OK(fixture_add_points(&f, c->count, c->points, c->volumes));
    REQUIRE_OK(fixture_add(&f, CUBIC, 8, 8, 8, phxi_vec3(0, 0, 4)));
    REQUIRE_OK(fixture_add(&f, BCC, 6, 6, 6, phxi_vec3(0, 0, 8)));
    fixture_shake(&f, 0.05, 5);
    double dt = 0.5 * fixture_stable_dt(&f);
    int64_t allocations = f.heap.allocations;
    for (int k = 0; k < 30; ++k) {
        if (k == leave_at) {
            for (int slot = 0; slot < 3; ++slot) {
                ENSURE(fixture_efg(&f)->slots.items[slot].lattice != NULL);
                phxi_efg_leave_lattice(fixture_efg(&f), &f.heap, slot);
                ENSURE(fixture_efg(&f)->slots.items[slot].lattice == NULL);
            }
        }
        REQUIRE_OK(fixture_substep(&f, dt));
    }
    ENSURE(f.heap.allocations == allocations);
    memcpy(out, f.particles.x, (size_t)f.particles.count * sizeof *out);
    fixture_destroy(&f);
    free(c);
}

TEST(same_bits_at_any_thread_count) {
    enum { MOST = 4000 };
    static const int threads[] = {1, 2, 3, 8};
    phx_real* x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = calloc(MOST, sizeof *x[k]);
        run(threads[k], x[k], -1);
        ENSURE(memcmp(x[k], x[0], MOST * sizeof *x[0]) == 0);
    }
    for (int k = 0; k < 4; ++k) {
        free(x[k]);
    }
}

TEST(leaving_the_lattice_changes_rounding_alone) {
    enum { MOST = 4000 };
    phx_real *stay = calloc(MOST, sizeof *stay), *leave = calloc(MOST, sizeof *leave);
    run(2, stay, -1);
    run(2, leave, 10);
    double worst = 0;
    for (int i = 0; i < MOST; ++i) {
        worst = fmax(worst, fabs((double)stay[i] - (double)leave[i]));
    }
    ENSURE_NEAR(worst, 0, BOUND(1e-14, 1e-6));
    free(stay);
    free(leave);
}

TEST(trouble_is_found_on_the_lattice) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 8, 8, 8, phxi_vec3(0, 0, 0)));
    ENSURE(on_lattice(&f));
    double dt = fixture_stable_dt(&f);
    REQUIRE_OK(fixture_substep(&f, dt));
    f.particles.x[300] = (phx_real)NAN;
    ENSURE_RESULT(fixture_substep(&f, dt), PHX_ERROR_UNSTABLE);
    fixture_destroy(&f);
}

TEST(every_failing_allocation_is_survived) {
    bool done = false;
    for (int64_t n = 0; !done && n < 1000; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, &heap.allocator, 1));
        REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(0, 0, 0)));
        heap.fail_at = heap.allocations + n;
        phx_result result = fixture_add(&f, CUBIC, 5, 4, 4, phxi_vec3(1, 0, 0));
        heap.fail_at = -1;
        done = result == PHX_OK;
        if (!done) {
            ENSURE(result == PHX_ERROR_MEMORY);
            ENSURE(f.body_count == 1 && fixture_efg(&f)->slots.count == 1);
            ENSURE_OK(fixture_substep(&f, 1e-3));
            ENSURE_OK(fixture_add(&f, CUBIC, 5, 4, 4, phxi_vec3(1, 0, 0)));
        }
        ENSURE(on_lattice(&f));
        ENSURE_OK(fixture_substep(&f, 1e-3));
        fixture_destroy(&f);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
}

/// K q of a strained ball by both paths.
static void compare_products(int packing) {
    cloud* c = malloc(sizeof *c);
    phxi_mat3 turn = turn_of(1);
    make_cloud(c, BALL, packing, &turn);
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 2));
    f.params[0].integrator = PHXI_BDF2;
    f.params[0].path = EFG_PATH_LATTICE;
    f.material.young = 1e7;
    REQUIRE_OK(fixture_add_points(&f, c->count, c->points, c->volumes));
    REQUIRE_OK(fixture_substep(&f, 1e-3)); // makes room
    fixture_shake(&f, 0.1, 21);
    int n = c->count;
    phxi_step step = fixture_step(&f);
    phxi_efg* efg = fixture_efg(&f);
    phxi_efg_slot* slot = &efg->slots.items[0];
    const phxi_elastic* elastic = &f.bodies[0].elastic;
    phx_vec3 *x = calloc((size_t)n, sizeof *x), *force = calloc((size_t)n, sizeof *force);
    phx_real* planes = calloc(6 * (size_t)n, sizeof *planes);
    uint64_t seed = 4;
    for (int i = 0; i < n; ++i) {
        x[i] = phxi_vec3(f.particles.x[i], f.particles.y[i], f.particles.z[i]);
    }
    for (int i = 0; i < 3 * n; ++i) {
        planes[i] = (phx_real)(phxt_random(&seed) - 0.5);
    }
    const phx_real* const q[3] = {planes, planes + n, planes + 2 * n};
    phx_real* const fast[3] = {planes + 3 * n, planes + 4 * n, planes + 5 * n};
    phxi_strain strain;
    phxi_efg_fit_frame_at(slot, &f.particles, x);
    ENSURE(phxi_lattice_forces_at(&step, slot, elastic, x, force, &strain));
    phxi_lattice_product(&step, slot, elastic, q, fast);
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_fill_with(efg, q, &efg->blocks.items[b]);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_tangent(efg, elastic, &efg->blocks.items[b]); // with the rotations that the lattice has left
    }
    double worst = 0, size = 0;
    for (int b = 0; b < efg->blocks.count; ++b) {
        const phxi_efg_block* block = &efg->blocks.items[b];
        _Alignas(64) phx_real minus[3][EFG_BLOCK];
        phxi_efg_force(efg, block, minus);
        for (int k = 0; k < 3 * block->count; ++k) {
            double one = -(double)minus[k % 3][k / 3], other = (double)fast[k % 3][block->row - slot->row + k / 3];
            worst = fmax(worst, fabs(one - other));
            size = fmax(size, fabs(one));
        }
    }
    ENSURE_NEAR(worst / size, 0, BOUND(1e-12, 1e-5));
    free(x), free(force), free(planes), free(c);
    fixture_destroy(&f);
}

TEST(products_are_those_of_the_rows) {
    compare_products(CUBIC);
    compare_products(BCC);
}

/// Positions of a kicked block after implicit steps.
static void run_implicit(int packing, int path, int threads, phx_real* out) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, threads));
    f.params[0].integrator = PHXI_BDF2;
    f.params[0].path = path;
    f.params[0].iterations = 60;
    f.params[0].tolerance = 1e-6;
    f.material.young = 1e7;
    if (packing == BCC) {
        REQUIRE_OK(fixture_add(&f, BCC, 6, 6, 7, phxi_vec3(0, 0, 0)));
    } else {
        REQUIRE_OK(fixture_add(&f, CUBIC, 9, 7, 8, phxi_vec3(0, 0, 0)));
    }
    ENSURE(f.particles.count == 504);
    uint64_t seed = 8;
    for (int i = 0; i < f.particles.count; ++i) {
        f.particles.vx[i] = f.particles.rest_y[i] + (phx_real)(0.1 * phxt_random(&seed) * (path == EFG_PATH_AUTO));
    }
    for (int k = 0; k < 8; ++k) {
        REQUIRE_OK(fixture_substep(&f, 1.0 / 60));
        ENSURE(k > 0 || on_lattice(&f) == (path != EFG_PATH_ROWS));
    }
    for (int i = 0; i < f.particles.count; ++i) {
        out[f.particles.id[i] % 504] = f.particles.x[i]; // particles are in another order on another path
    }
    fixture_destroy(&f);
}

TEST(implicit_steps_are_those_of_the_rows) {
    static const int lattices[] = {CUBIC, BCC};
    for (int k = 0; k < 2; ++k) {
        phx_real one[504], other[504], worst = 0;
        run_implicit(lattices[k], EFG_PATH_LATTICE, 1, one);
        run_implicit(lattices[k], EFG_PATH_ROWS, 1, other);
        for (int i = 0; i < 504; ++i) {
            worst = (phx_real)fmax((double)worst, fabs((double)(one[i] - other[i])));
        }
        ENSURE_NEAR((double)worst, 0, BOUND(1e-7, 1e-5));
    }
}

TEST(implicit_steps_have_the_same_bits_at_any_thread_count) {
    static const int threads[] = {1, 2, 3, 8};
    phx_real x[4][504];
    for (int k = 0; k < 4; ++k) {
        run_implicit(k == 3 ? CUBIC : BCC, EFG_PATH_AUTO, threads[k], x[k]);
        ENSURE(k == 3 || memcmp(x[k], x[0], sizeof x[0]) == 0);
    }
    run_implicit(CUBIC, EFG_PATH_AUTO, 1, x[0]);
    ENSURE(memcmp(x[3], x[0], sizeof x[0]) == 0);
}
