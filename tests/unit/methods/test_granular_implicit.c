// SPDX-License-Identifier: MIT
// Implicit steps of sand and slime: same bits at any thread count and after a checkpoint; steps without allocation;
// free fall, rotation, momentum; steps far beyond the explicit ones; the matrix; what is refused.
#include "granular_fixture.h"

static const phx_setting implicit[] = {{"integrator", "implicit"}, {"squeeze", "0.5"}, {"spring", "1.02"}};
enum { SAND = 1, SLIME = 3 };

/// Sand on a floor beside a wall, wet sand on it, slime above.
static phx_world* heap_of(int threads, double period) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_material_def dry = sand(30, 0), wet = sand(25, 100), slime = sand(0, 300), stone = phx_material_def_default();
    wet.density = 1800;
    floor.damping = 0.5;
    def.threads = threads;
    def.period.y = period;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_collider_create(world, &floor, &collider) == PHX_OK &&
                add(world, "stone", "wall", "box(center=(0.06,0,0.02),size=(0.04,0.06,0.04))", 0.01, &stone, NULL, 0) ==
                    PHX_OK &&
                add(world, "dry", "granular", "box(center=(0,0,0.03),size=(0.08,0.06,0.06))", 0.01, &dry, implicit,
                    SAND) == PHX_OK &&
                add(world, "wet", "granular", "box(center=(0,0,0.09),size=(0.06,0.06,0.06))", 0.01, &wet, implicit,
                    SAND) == PHX_OK &&
                add(world, "slime", "granular", "sphere(center=(0,0,0.155),radius=0.03)", 0.01, &slime, implicit,
                    SLIME) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(same_bits_at_any_thread_count) {
    for (int k = 0; k < 2; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = heap_of(threads, k == 0 ? 0 : 0.07);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.012));
            ENSURE(world->substeps == 12);
            uint64_t own = phx_world_hash(world);
            ENSURE(threads == 1 || own == hash);
            hash = own;
            phx_world_destroy(world);
        }
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = heap_of(2, 0), *twin = heap_of(1, 0);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.02));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("heap.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("heap.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 0.02));
    REQUIRE_OK(phx_world_step(twin, 0.02));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(steps_allocate_nothing) {
    phx_world* world = heap_of(2, 0);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.2)); // the heap lies: no more of it touches the wall than did
    int64_t before = world->heap.allocations;
    for (int n = 0; n < 10; ++n) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    ENSURE(world->heap.allocations == before);
    phx_world_destroy(world);
}

// Backward Euler falls by g dt^2 n (n + 1) / 2.
TEST(free_fall_is_that_of_backward_euler) {
    phx_material_def wet = sand(30, 100);
    phx_world* world = lone(&wet, "sphere(radius=0.05)", phxi_vec3(0, 0, -9.81), implicit, SAND);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phxi_particles* p = &world->particles;
    ENSURE(world->substeps == 100);
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR(p->z[i], (double)p->rest_z[i] - 0.5 * 9.81 * 0.01 * 1.01, 2e-6);
        ENSURE_NEAR(p->vz[i], -0.981, 2e-5);
    }
    phx_world_destroy(world);
}

// Wet sand that turns by 0.57 degrees a step is strained by the centrifugal force alone; spin fades as v dt does.
TEST(rotation_is_free_of_stress) {
    phx_material_def wet = sand(30, 1e5);
    phx_world* world = lone(&wet, "sphere(radius=0.04)", phxi_vec3(0, 0, 0), implicit, SAND);
    REQUIRE(world);
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 10)));
    phx_totals totals;
    REQUIRE_OK(phx_world_step(world, 0.314159265));
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.max_stress < 1500 * 10 * 10 * 0.04 * 0.04); // rho (w r)^2
    ENSURE(totals.min_det > 0.999);
    phx_world_destroy(world);
}

TEST(momentum_is_kept) {
    check_momentum(implicit, SAND, 40, 1e-3);
}

// A shaken block at steps of 20 times the explicit limit does nothing but come to rest.
TEST(steps_of_sand_that_is_stiff_are_stable) {
    phx_material_def stiff = sand(30, 1e4);
    stiff.young = 5e7;
    phx_world* world = lone(&stiff, "box(size=(0.06,0.06,0.06))", phxi_vec3(0, 0, 0), implicit, SAND);
    REQUIRE(world);
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = (phx_real)(0.1 * sin(200 * (double)p->y[i] + i));
    }
    phx_totals start, totals;
    phx_dt_info info;
    REQUIRE_OK(phx_world_measure(world, &start));
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE_NEAR(info.dt, 1e-3, 1e-12);
    ENSURE(strstr(info.reason, "implicit steps of body 'lone'"));
    REQUIRE_OK(phx_world_step(world, 0.1));
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.kinetic < 0.05 * start.kinetic);
    phx_world_destroy(world);
}

// Symmetric, blind to shifts, and positive.
TEST(the_matrix_is_a_laplacian) {
    phx_world* world = heap_of(1, 0);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 3e-3));
    phxi_granular* s = state_of(world);
    phxi_step step = phxi_world_context(world, 1);
    REQUIRE(s && s->implicit.active);
    s->step = &step;
    enum { MOST = 2000 };
    static phx_real a[3][MOST], b[3][MOST], ka[3][MOST], kb[3][MOST];
    REQUIRE(s->grains < MOST);
    for (int i = 0; i < s->grains; ++i) {
        for (int k = 0; k < 3; ++k) {
            a[k][i] = 1;
            b[k][i] = (phx_real)sin(3.7 * i + k);
        }
    }
    const phx_real *const pa[3] = {a[0], a[1], a[2]}, *const pb[3] = {b[0], b[1], b[2]};
    phx_real *const oa[3] = {ka[0], ka[1], ka[2]}, *const ob[3] = {kb[0], kb[1], kb[2]};
    phxi_granular_product(s, pa, oa);
    phxi_granular_product(s, pb, ob);
    double most = 0, own = 0;
    for (int i = 0; i < s->grains; ++i) {
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fabs((double)ka[k][i]) / (1e-30 + (double)s->implicit.diagonal[i]));
            own += (double)b[k][i] * (double)kb[k][i];
        }
    }
    ENSURE_NEAR(most, 0, 1e-5);
    ENSURE(own > 0);
    for (int k = 0; k < 3; ++k) { // rows of b: 1 . K b = 0 as K is symmetric
        double sum = 0, size = 0;
        for (int i = 0; i < s->grains; ++i) {
            sum += (double)kb[k][i];
            size += fabs((double)kb[k][i]);
        }
        ENSURE_NEAR(sum / size, 0, 1e-5);
    }
    phx_world_destroy(world);
}

/// A block of wet sand on a floor that goes up, or not, after 0.2 s: how fast its grains are against the floor at most.
static double lie(double speed) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_driver_def lift = phx_driver_def_default();
    phx_driver_id driver;
    phx_material_def wet = sand(30, 500);
    double least = INFINITY, most = 0;
    def.threads = 1;
    floor.name = "floor";
    floor.damping = 0.5;
    lift.kind = PHX_DRIVER_VELOCITY;
    lift.collider = "floor";
    lift.vector = phxi_vec3(0, 0, speed);
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_collider_create(world, &floor, &collider) == PHX_OK &&
                add(world, "wet", "granular", "box(center=(0,0,0.03),size=(0.06,0.06,0.06))", 0.01, &wet, implicit,
                    SAND) == PHX_OK &&
                phx_driver_create(world, &lift, &driver) == PHX_OK && phx_world_step(world, 0.2) == PHX_OK;
    for (int i = 0; good && i < world->particles.count; ++i) {
        const phxi_particles* p = &world->particles;
        least = fmin(least, (double)p->z[i]);
        most = fmax(most, phxi_length(phxi_vec3(p->vx[i], p->vy[i], (double)p->vz[i] - speed)));
    }
    ENSURE_NEAR(least, 0.2 * speed + 0.005, 1e-3);
    phx_world_destroy(world);
    return most;
}

// With the simpler matrix of docs/theory/granular.md section 3 grains trembled with 0.05 m/s.
TEST(it_lies_still) {
    ENSURE_NEAR(lie(0), 0, 0.01);
}

// Forces of contact are found where the floor will be.
TEST(it_lies_on_a_floor_that_moves) {
    ENSURE_NEAR(lie(0.2), 0, 0.02);
}

// Grains that a driver moves are where they will be at the end of a step when it begins: a shear of 10 % a second is
// seen by their neighbours as it is.
TEST(it_follows_grains_that_are_held) {
    phx_material_def wet = sand(30, 1e5);
    phx_world* world = lone(&wet, "box(size=(0.06,0.06,0.06))", phxi_vec3(0, 0, 0), implicit, SAND);
    REQUIRE(world);
    phx_driver_def hold = phx_driver_def_default();
    phx_driver_id driver;
    hold.kind = PHX_DRIVER_VELOCITY;
    for (int side = -1; side <= 1; side += 2) {
        hold.name = side < 0 ? "lower" : "upper";
        hold.region = side < 0 ? "box(center=(0,0,-0.03),size=(1,1,0.03))" : "box(center=(0,0,0.03),size=(1,1,0.03))";
        hold.vector = phxi_vec3(0.003 * side, 0, 0);
        REQUIRE_OK(phx_driver_create(world, &hold, &driver));
    }
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phx_real* shear = phxi_particles_field(&world->particles, "granular.strain_xz");
    const phxi_particles* p = &world->particles;
    double sum = 0;
    int inside = 0;
    for (int i = 0; i < p->count; ++i) {
        bool middle = fabs((double)p->rest_z[i]) < 0.01 && fabs((double)p->rest_x[i]) < 0.02;
        sum += middle ? (double)shear[i] : 0;
        inside += middle;
    }
    double gamma = 2 * 0.003 * 0.1 / 0.04; // layers at -0.02 and 0.02 hold what is between
    ENSURE(inside > 20);
    ENSURE_NEAR(sum / inside, 0.5 * gamma, 0.15 * 0.5 * gamma);
    phx_world_destroy(world);
}

TEST(what_it_refuses) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def dry = sand(30, 0), stone = phx_material_def_default();
    const phx_setting frozen[] = {{"integrator", "implicit"}, {"freeze", "0.3"}}, word[] = {{"integrator", "verlet"}};
    REQUIRE_OK(phx_world_create(&def, &world));
    ENSURE_RESULT(add(world, "a", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, word, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("integrator");
    ENSURE_RESULT(add(world, "a", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, frozen, 2), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("freeze");
    REQUIRE_OK(add(world, "a", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, implicit, SAND));
    ENSURE_RESULT(add(world, "b", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("integrator is not that of body 'a'");
    REQUIRE_OK(add(world, "c", "wall", "box(center=(1,0,0),size=(0.03,0.03,0.03))", 0.01, &stone, NULL, 0));
    ENSURE_RESULT(add(world, "d", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, implicit, SAND),
                  PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("one after another");
    phx_world_destroy(world);
}

TEST(every_failing_allocation_is_survived) {
    check_allocations(implicit, SAND, 1e-3);
}
