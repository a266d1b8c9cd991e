// SPDX-License-Identifier: MIT
// Drivers: exact trajectories, ramps, windows, reactions and work.
#include "support/points.h"

static const double EXACT = sizeof(phx_real) == sizeof(float) ? 2e-6 : 1e-12;

// A bar of 5 particles along x at spacing 0.1 m: x = -0.2 ... 0.2, masses of 1 kg.
static phx_world* bar(double dt, phx_vec3 gravity, const char* spring) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    def.gravity = gravity;
    def.dt = dt;
    def.threads = 2;
    phx_world* world = phxt_world(&def, &material);
    if (world && !phxt_result(__FILE__, __LINE__, "body",
                              phxt_body(world, "bar", "box(size=(0.5,0.1,0.1))", 0.1, spring, &body), PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static phx_result drive(phx_world* world, phx_driver_def def, phx_driver_id* id) {
    phx_driver_id ignored;
    return phx_driver_create(world, &def, id ? id : &ignored);
}

static phx_driver_def driver(int kind, phx_vec3 vector) {
    phx_driver_def def = phx_driver_def_default();
    def.kind = kind;
    def.vector = vector;
    return def;
}

static const phx_vec3 ZERO = {0, 0, 0}, DOWN = {0, 0, -9.81};

TEST(pin_holds) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world && world->particles.count == 5);
    REQUIRE_OK(drive(world, driver(PHX_DRIVER_PIN, ZERO), NULL));
    uint64_t before = phxi_particles_hash(&world->particles);
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE(phxi_particles_hash(&world->particles) == before);
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.reaction.z, 5 * 9.81, 1e-4);
    ENSURE_NEAR(t.force.z, -5 * 9.81, 1e-4);
    ENSURE_NEAR(t.external_work, 0, 1e-12);
    phx_world_destroy(world);
}

TEST(pin_of_a_region_leaves_the_rest_free) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_PIN, ZERO);
    def.region = "box(center=(-0.2,0,0), size=(0.1,1,1))";
    REQUIRE_OK(drive(world, def, NULL));
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < 5; ++i) {
        ENSURE_NEAR(p->z[i], p->rest_x[i] < -0.15 ? 0 : -0.5 * 9.81 * 0.01, 20 * EXACT);
    }
    phx_world_destroy(world);
}

TEST(move_follows_the_ramp) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_MOVE, (phx_vec3){0.3, -0.2, 0.1});
    def.ramp = 0.2;
    REQUIRE_OK(drive(world, def, NULL));
    const phxi_particles* p = &world->particles;
    for (int k = 1; k <= 6; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.05));
        double u = fmin(1, k * 0.05 / 0.2), s = u * u * (3 - 2 * u), rate = u < 1 ? 6 * u * (1 - u) / 0.2 : 0;
        for (int i = 0; i < 5; ++i) {
            ENSURE_NEAR(p->x[i], p->rest_x[i] + 0.3 * s, EXACT);
            ENSURE_NEAR(p->y[i], p->rest_y[i] - 0.2 * s, EXACT);
            ENSURE_NEAR(p->z[i], p->rest_z[i] + 0.1 * s, EXACT);
            ENSURE_NEAR(p->vx[i], 0.3 * rate, 10 * EXACT);
            ENSURE_NEAR(p->vz[i], 0.1 * rate, 10 * EXACT);
        }
    }
    // lifted by 0.1 m against gravity, at rest again: the work is m g h
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.external_work, 5 * 9.81 * 0.1, 1e-4);
    ENSURE_NEAR(t.reaction.z, 5 * 9.81, 1e-3);
    phx_world_destroy(world);
}

TEST(twist_turns_about_its_axis) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_TWIST, ZERO);
    def.axis = (phx_vec3){0, 0, 5};
    def.center = (phx_vec3){0.2, 0, 7};
    def.angle = 90;
    def.ramp = 0.1;
    REQUIRE_OK(drive(world, def, NULL));
    const phxi_particles* p = &world->particles;
    REQUIRE_OK(phx_world_step(world, 0.05)); // half way: 45 degrees, at its fastest
    double rate = acos(-1.0) / 2 * 1.5 / 0.1;
    for (int i = 0; i < 5; ++i) {
        double arm = p->rest_x[i] - 0.2, c = sqrt(0.5);
        ENSURE_NEAR(p->x[i], 0.2 + arm * c, EXACT);
        ENSURE_NEAR(p->y[i], arm * c, EXACT);
        ENSURE_NEAR(p->vx[i], -rate * arm * c, 20 * EXACT);
        ENSURE_NEAR(p->vy[i], rate * arm * c, 20 * EXACT);
    }
    REQUIRE_OK(phx_world_step(world, 0.1));
    for (int i = 0; i < 5; ++i) {
        ENSURE_NEAR(p->x[i], 0.2, EXACT);
        ENSURE_NEAR(p->y[i], p->rest_x[i] - 0.2, EXACT);
        ENSURE(p->vx[i] == 0 && p->vy[i] == 0);
    }
    phx_world_destroy(world);
}

TEST(spin_turns_steadily) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_SPIN, ZERO);
    def.center = (phx_vec3){0.2, 0, 0};
    def.angle = 900;
    REQUIRE_OK(drive(world, def, NULL));
    const phxi_particles* p = &world->particles;
    REQUIRE_OK(phx_world_step(world, 0.1)); // a quarter of a turn
    double rate = 5 * acos(-1.0);
    for (int i = 0; i < 5; ++i) {
        double arm = p->rest_x[i] - 0.2;
        ENSURE_NEAR(p->x[i], 0.2, EXACT);
        ENSURE_NEAR(p->y[i], arm, EXACT);
        ENSURE_NEAR(p->vx[i], -rate * arm, 20 * EXACT);
    }
    def.axis = ZERO;
    ENSURE_RESULT(drive(world, def, NULL), PHX_ERROR_ARGUMENT);
    phx_world_destroy(world);
}

TEST(force_accelerates_by_mass) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    REQUIRE_OK(drive(world, driver(PHX_DRIVER_FORCE, (phx_vec3){10, 0, -5}), NULL));
    REQUIRE_OK(phx_world_step(world, 0.5));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < 5; ++i) {
        ENSURE_NEAR(p->x[i] - p->rest_x[i], 0.5 * 2 * 0.25, 50 * EXACT);
        ENSURE_NEAR(p->vz[i], -1 * 0.5, 50 * EXACT);
    }
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.reaction.x, 10, 1e-5);
    ENSURE_NEAR(t.external_work, t.kinetic, 1e-3 * t.kinetic);
    phx_world_destroy(world);
}

TEST(force_ramp_gives_its_impulse) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_FORCE, (phx_vec3){10, 0, 0});
    def.ramp = 0.2;
    REQUIRE_OK(drive(world, def, NULL));
    REQUIRE_OK(phx_world_step(world, 0.2));
    ENSURE_NEAR(world->particles.vx[0], 2 * 0.1, 2e-5); // half of force times time
    phx_world_destroy(world);
}

TEST(velocity_carries_along) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_VELOCITY, (phx_vec3){0, 2, 0});
    def.ramp = 0.1;
    REQUIRE_OK(drive(world, def, NULL));
    REQUIRE_OK(phx_world_step(world, 0.05));
    const phxi_particles* p = &world->particles;
    ENSURE_NEAR(p->vy[2], 1, 10 * EXACT);
    ENSURE_NEAR(p->y[2], 2 * 0.1 * (0.125 - 0.0625 / 2), EXACT);
    REQUIRE_OK(phx_world_step(world, 0.25));
    ENSURE_NEAR(p->vy[2], 2, 10 * EXACT);
    ENSURE_NEAR(p->y[2], 2 * (0.3 - 0.05), 10 * EXACT);
    ENSURE_NEAR(p->z[2], 0, EXACT);
    phx_world_destroy(world);
}

TEST(windows_open_and_close) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world);
    phx_driver_def def = driver(PHX_DRIVER_PIN, ZERO);
    def.start = 0.1;
    def.end = 0.2;
    REQUIRE_OK(drive(world, def, NULL));
    const phxi_particles* p = &world->particles;
    phx_totals t;
    REQUIRE_OK(phx_world_step(world, 0.1));
    double fallen = p->z[0];
    ENSURE_NEAR(fallen, -0.5 * 9.81 * 0.01, 20 * EXACT);
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE(p->z[0] == (phx_real)fallen && p->vz[0] == 0);
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.reaction.z, 5 * 9.81, 1e-3);
    ENSURE_NEAR(t.external_work, -0.5 * 5 * 0.981 * 0.981, 1e-3); // it took the energy of the fall away
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE_NEAR(p->z[0], fallen - 0.5 * 9.81 * 0.01, 20 * EXACT);
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE(phxi_length(t.reaction) == 0);
    phx_world_destroy(world);
}

TEST(windows_that_meet_never_share_a_substep) {
    phx_world* world = bar(0.03, ZERO, NULL); // 0.1 is not a multiple of it
    REQUIRE(world);
    phx_driver_def first = driver(PHX_DRIVER_VELOCITY, (phx_vec3){1, 0, 0});
    first.end = 0.1;
    phx_driver_def second = driver(PHX_DRIVER_VELOCITY, (phx_vec3){0, 1, 0});
    second.start = 0.1;
    REQUIRE_OK(drive(world, first, NULL));
    REQUIRE_OK(drive(world, second, NULL));
    REQUIRE_OK(phx_world_step(world, 0.3));
    const phxi_particles* p = &world->particles;
    ENSURE_NEAR(p->x[0] - p->rest_x[0], 0.1, 0.016);
    ENSURE_NEAR(p->y[0] - p->rest_y[0], 0.2, 0.016);
    phx_world_destroy(world);
}

TEST(two_cannot_fix_one_particle) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    phx_driver_id id;
    phx_driver_def left = driver(PHX_DRIVER_PIN, ZERO), middle = left;
    left.name = "left";
    left.region = "box(center=(-0.2,0,0), size=(0.3,1,1))";
    left.end = 1;
    middle.name = "middle";
    middle.region = "box(size=(0.3,1,1))";
    REQUIRE_OK(drive(world, left, &id));
    uint64_t hash = phx_world_hash(world);
    ENSURE_RESULT(drive(world, middle, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("driver 'middle'");
    ENSURE_MESSAGE("driver 'left' fixes 1 of its particles");
    ENSURE_MESSAGE("body 'bar'");
    ENSURE(phx_world_hash(world) == hash);
    // a force may act on them; after the window, or without the other, it may be fixed
    phx_driver_def push = middle;
    push.kind = PHX_DRIVER_FORCE;
    ENSURE_OK(drive(world, push, NULL));
    phx_driver_def later = middle;
    later.start = 1;
    ENSURE_OK(drive(world, later, NULL));
    ENSURE_OK(phx_driver_destroy(world, id));
    middle.end = 0.5;
    ENSURE_OK(drive(world, middle, &id));
    ENSURE(id.index == 0 && world->drivers.count == 3);
    phx_world_destroy(world);
}

TEST(destroyed_drivers_let_go_and_leave_their_work) {
    phx_world* world = bar(1e-3, DOWN, NULL);
    REQUIRE(world);
    phx_driver_id id;
    REQUIRE_OK(drive(world, driver(PHX_DRIVER_VELOCITY, (phx_vec3){0, 0, 1}), &id));
    REQUIRE_OK(phx_world_step(world, 0.1));
    phx_totals held, free_now;
    REQUIRE_OK(phx_world_measure(world, &held));
    ENSURE_NEAR(held.external_work, 2.5 + 5 * 9.81 * 0.1, 1e-3);
    REQUIRE_OK(phx_driver_destroy(world, id));
    REQUIRE_OK(phx_world_measure(world, &free_now));
    ENSURE(free_now.external_work == held.external_work);
    ENSURE(phxi_length(free_now.reaction) == 0);
    ENSURE_RESULT(phx_driver_destroy(world, id), PHX_ERROR_STALE_ID);
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE_NEAR(world->particles.vz[0], 1 - 0.981, 50 * EXACT);
    phx_world_destroy(world);
}

TEST(late_drivers_begin_when_they_are_made) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 1));
    phx_driver_def def = driver(PHX_DRIVER_MOVE, (phx_vec3){1, 0, 0});
    def.ramp = 1;
    REQUIRE_OK(drive(world, def, NULL));
    REQUIRE_OK(phx_world_step(world, 0.5));
    ENSURE_NEAR(world->particles.x[0] - world->particles.rest_x[0], 0.5, EXACT);
    phx_world_destroy(world);
}

TEST(spring_work_is_elastic_energy) {
    // stretching a chain of four springs of 1 kN/m slowly by 0.04 m: k/4 * 0.04^2 / 2 = 0.2 J
    phx_world* world = bar(0, ZERO, "1000");
    REQUIRE(world);
    phx_driver_def pin = driver(PHX_DRIVER_PIN, ZERO), pull = driver(PHX_DRIVER_MOVE, (phx_vec3){0.04, 0, 0});
    pin.region = "plane(point=(-0.19,0,0), normal=(1,0,0))";
    pull.region = "plane(point=(0.19,0,0), normal=(-1,0,0))";
    pull.ramp = 10;
    REQUIRE_OK(drive(world, pin, NULL));
    REQUIRE_OK(drive(world, pull, NULL));
    REQUIRE_OK(phx_world_step(world, 10));
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.elastic, 0.2, 2e-4);
    ENSURE_NEAR(t.external_work, t.elastic + t.kinetic, 2e-4);

    phx_probe_def probe = phx_probe_def_default();
    phx_probe_id id;
    probe.region = pull.region;
    REQUIRE_OK(phx_probe_create(world, &probe, &id));
    REQUIRE_OK(phx_probe_measure(world, id, &t));
    ENSURE_NEAR(t.reaction.x, 10, 0.05); // 250 N/m * 0.04 m
    ENSURE_NEAR(t.force.x, -10, 0.05);
    phx_world_destroy(world);
}

TEST(bad_definitions) {
    phx_world* world = bar(1e-3, ZERO, NULL);
    REQUIRE(world);
    phx_driver_def bad = {0};
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("phx_driver_def_default()");
    bad = driver(PHX_DRIVER_PIN, ZERO);
    bad.body = "bra";
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("there is no body 'bra', did you mean 'bar'?");
    bad.body = "bar";
    bad.region = "sphere(center=(9,9,9), radius=1)";
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("no particle of body 'bar' starts inside region sphere(center=(9,9,9), radius=1)");
    bad.region = "sphare()";
    ENSURE(drive(world, bad, NULL) != PHX_OK);
    ENSURE_MESSAGE("driver 'driver': region: ");
    bad = driver(99, ZERO);
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    bad = driver(PHX_DRIVER_MOVE, (phx_vec3){NAN, 0, 0});
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    bad = driver(PHX_DRIVER_TWIST, ZERO);
    bad.axis = ZERO;
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("axis");
    bad = driver(PHX_DRIVER_PIN, ZERO);
    bad.start = 2;
    bad.end = 1;
    ENSURE_RESULT(drive(world, bad, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("end is 1 s");
    ENSURE(world->drivers.count == 0);
    phx_world_destroy(world);
}
