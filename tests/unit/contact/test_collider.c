// SPDX-License-Identifier: MIT
// Colliders: the force law, bounce, friction on a slope, inside and outside, blocks.
#include "support/points.h"

#include "contact/reach.h"

typedef struct setup {
    phx_world* world;
    phx_body_id body;
    double mass, spacing, stiffness, omega;
} setup;

// One particle of 0.1 m at the origin, in the given gravity, with a collider and a fixed substep of dt_omega / omega.
static bool make(setup* s, phx_vec3 gravity, const phx_collider_def* collider, double dt_omega) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_collider_id id;
    def.gravity = gravity;
    def.threads = 1;
    s->spacing = 0.1;
    s->mass = 1000 * 1e-3;
    s->stiffness = collider->stiffness > 0 ? collider->stiffness : 0.5 * 1e5 * s->spacing;
    s->omega = sqrt(s->stiffness / s->mass);
    def.dt = dt_omega / s->omega;
    s->world = phxt_world(&def, &material);
    return s->world &&
           phxt_result(__FILE__, __LINE__, "body",
                       phxt_body(s->world, "ball", "box(size=(0.1,0.1,0.1))", 0.1, NULL, &s->body), PHX_OK) &&
           phxt_result(__FILE__, __LINE__, "collider", phx_collider_create(s->world, collider, &id), PHX_OK) &&
           s->world->particles.count == 1;
}

static void put(setup* s, double x, double y, double z) {
    s->world->particles.x[0] = (phx_real)x;
    s->world->particles.y[0] = (phx_real)y;
    s->world->particles.z[0] = (phx_real)z;
}

TEST(force_law) {
    phx_collider_def def = phx_collider_def_default();
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.2));
    const phxi_collider* floor = &s.world->colliders.items[0];
    const phxi_particles* p = &s.world->particles;
    phxi_collider_load none = {.dt = 1e-3};
    ENSURE_NEAR(phxi_collider_stiffness(floor, 1e5, phxi_collider_width(p, 0)), 5000, 1e-4);

    put(&s, 0, 0, 0.06); // half a spacing is 0.05: no touch
    ENSURE(phxi_length(phxi_collider_force(floor, p, 0, 1e5, &none)) == 0);
    ENSURE(phxi_collider_energy(floor, p, 0, 1e5, 0) == 0);
    put(&s, 3, -2, 0.04);
    phx_vec3 f = phxi_collider_force(floor, p, 0, 1e5, &none);
    ENSURE_NEAR(f.z, 5000 * 0.01, 1e-4);
    ENSURE(f.x == 0 && f.y == 0);
    ENSURE_NEAR(phxi_collider_energy(floor, p, 0, 1e5, 0), 0.5 * 5000 * 1e-4, 1e-6);

    // damping adds on the way in, and a collider never pulls on the way out
    double critical = 2 * 0.1 * sqrt(5000 * 1.0);
    s.world->particles.vz[0] = -1;
    ENSURE_NEAR(phxi_collider_force(floor, p, 0, 1e5, &none).z, 50 + critical, 1e-3);
    s.world->particles.vz[0] = 100;
    ENSURE(phxi_collider_force(floor, p, 0, 1e5, &none).z == 0);

    // friction: at most mu f_n, and never more than it takes to stop half of the slip
    s.world->particles.vz[0] = 0;
    s.world->particles.vx[0] = 1;
    ENSURE_NEAR(phxi_collider_force(floor, p, 0, 1e5, &none).x, -0.3 * 50, 1e-3);
    s.world->particles.vx[0] = (phx_real)1e-3;
    ENSURE_NEAR(phxi_collider_force(floor, p, 0, 1e5, &none).x, -0.5, 1e-4);
    phx_world_destroy(s.world);
}

// The substep ends with the particle 0.4 spacings deep at most, however fast it comes and whatever pushes.
TEST(nothing_goes_through) {
    phx_collider_def def = phx_collider_def_default();
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.2));
    const phxi_collider* floor = &s.world->colliders.items[0];
    const phxi_particles* p = &s.world->particles;
    put(&s, 0, 0, 0.04);
    for (int k = 0; k < 8; ++k) {
        phxi_collider_load load = {.force = {0, 0, -1e6 * (k % 4)}, .coming = {0, 0, -30 * (1 + k / 4)}};
        load.dt = load.kick = 1e-3;
        double force = phxi_collider_force(floor, p, 0, 1e5, &load).z + load.force.z;
        double end = p->z[0] + load.dt * (load.coming.z + load.kick * force / p->mass[0]);
        ENSURE(end > 0.01 - 1e-6 && end < 0.0101);
    }
    phx_world_destroy(s.world);
}

TEST(bounce_keeps_speed) {
    // at dt = 0.2 / omega and at half of it: what is lost must shrink
    for (int n = 1; n <= 2; ++n) {
        phx_collider_def def = phx_collider_def_default();
        def.damping = 0;
        setup s;
        REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.2 / n));
        put(&s, 0, 0, 0.0712);
        REQUIRE_OK(phx_body_set_velocity(s.world, s.body, (phx_vec3){0, 0, -1}, (phx_vec3){0, 0, 0}));
        REQUIRE_OK(phx_world_step(s.world, 0.15));
        double speed = s.world->particles.vz[0];
        ENSURE_NEAR(speed, 1, n == 1 ? 0.005 : 0.002);
        ENSURE(s.world->particles.z[0] > 0.05);
        phx_world_destroy(s.world);
    }
}

TEST(ball_under_gravity_keeps_energy) {
    phx_collider_def def = phx_collider_def_default();
    def.damping = 0;
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, -9.81}, &def, 0.2));
    put(&s, 0, 0, 0.3);
    phx_totals first, last;
    REQUIRE_OK(phx_world_measure(s.world, &first));
    double highest = 0;
    for (int frame = 0; frame < 300; ++frame) {
        REQUIRE_OK(phx_world_step(s.world, 0.01)); // 3 s, five bounces
        double z = s.world->particles.z[0];
        highest = frame > 200 && z > highest ? z : highest;
    }
    REQUIRE_OK(phx_world_measure(s.world, &last));
    ENSURE_NEAR(highest, 0.3, 0.01);
    double before = first.kinetic + first.potential + first.contact;
    double after = last.kinetic + last.potential + last.contact;
    ENSURE_NEAR(after / before, 1, 0.02);
    phx_world_destroy(s.world);
}

TEST(damping_slows_the_bounce) {
    phx_collider_def def = phx_collider_def_default();
    def.damping = 0.2;
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.05));
    put(&s, 0, 0, 0.06);
    REQUIRE_OK(phx_body_set_velocity(s.world, s.body, (phx_vec3){0, 0, -1}, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_world_step(s.world, 0.15));
    // a damped half swing that ends when the force, not the depth, is zero:
    // e = exp(-z/sqrt(1-z^2) (pi - atan(2 z sqrt(1-z^2) / (1 - 2 z^2)))) for the ratio z of damping
    double z = 0.2, root = sqrt(1 - z * z), end = acos(-1.0) - atan2(2 * z * root, 1 - 2 * z * z);
    ENSURE_NEAR(s.world->particles.vz[0], exp(-z / root * end), 0.02);
    phx_world_destroy(s.world);
}

// A slope by tilted gravity: angle theta, floor z = 0, so tangential gravity is g sin(theta) along x.
static double slide(double theta, double friction, double time, double* velocity) {
    phx_collider_def def = phx_collider_def_default();
    def.friction = friction;
    setup s;
    if (!make(&s, (phx_vec3){9.81 * sin(theta), 0, -9.81 * cos(theta)}, &def, 0.2)) {
        return NAN;
    }
    put(&s, 0, 0, 0.05 - s.mass * 9.81 * cos(theta) / s.stiffness); // where weight and floor balance
    ENSURE_OK(phx_world_step(s.world, time));
    double way = s.world->particles.x[0];
    *velocity = s.world->particles.vx[0];
    phx_world_destroy(s.world);
    return way;
}

TEST(slope_slides_above_the_angle_of_friction) {
    for (int k = 1; k <= 4; ++k) {
        double friction = 0.3, theta = atan(friction) + 0.08 * k, velocity;
        double way = slide(theta, friction, 0.5, &velocity);
        double a = 9.81 * (sin(theta) - friction * cos(theta));
        ENSURE_NEAR(way / (0.5 * a * 0.25), 1, 0.02);
        ENSURE_NEAR(velocity / (a * 0.5), 1, 0.01);
    }
}

TEST(slope_sticks_below_the_angle_of_friction) {
    for (int k = 1; k <= 3; ++k) {
        double velocity, way = slide(atan(0.3) - 0.02 * k, 0.3, 1, &velocity);
        ENSURE_NEAR(way, 0, 1e-4);
        ENSURE_NEAR(velocity, 0, 1e-5);
    }
}

TEST(sliding_stops_and_does_not_turn_around) {
    phx_collider_def def = phx_collider_def_default();
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, -9.81}, &def, 0.2));
    put(&s, 0, 0, 0.05 - s.mass * 9.81 / s.stiffness);
    REQUIRE_OK(phx_body_set_velocity(s.world, s.body, (phx_vec3){1, 0, 0}, (phx_vec3){0, 0, 0}));
    double lowest = 1;
    for (int i = 0; i < 200; ++i) {
        REQUIRE_OK(phx_world_step(s.world, 0.005));
        lowest = fmin(lowest, s.world->particles.vx[0]);
    }
    ENSURE_NEAR(s.world->particles.x[0], 1 / (2 * 0.3 * 9.81), 0.004); // v^2 / (2 mu g)
    ENSURE(lowest > -1e-3);
    ENSURE_NEAR(s.world->particles.vx[0], 0, 1e-6);
    phx_world_destroy(s.world);
}

TEST(inside_of_a_box) {
    phx_collider_def def = phx_collider_def_default();
    def.shape = "box(size=(1,1,1))";
    def.inside = true;
    def.damping = 0;
    def.friction = 0;
    setup s;
    REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.1));
    REQUIRE_OK(phx_body_set_velocity(s.world, s.body, (phx_vec3){1.3, -0.7, 0.4}, (phx_vec3){0, 0, 0}));
    for (int frame = 0; frame < 100; ++frame) {
        REQUIRE_OK(phx_world_step(s.world, 0.05));
        const phxi_particles* p = &s.world->particles;
        ENSURE(fabs(p->x[0]) < 0.48 && fabs(p->y[0]) < 0.48 && fabs(p->z[0]) < 0.48);
    }
    // faces turn one component around, edges mix them; speed stays
    const phxi_particles* p = &s.world->particles;
    phx_totals t;
    REQUIRE_OK(phx_world_measure(s.world, &t));
    ENSURE_NEAR((t.kinetic + t.contact) / (0.5 * p->mass[0] * (1.69 + 0.49 + 0.16)), 1, 0.02);
    phx_world_destroy(s.world);

    // one face alone is a plane
    REQUIRE(make(&s, (phx_vec3){0, 0, 0}, &def, 0.1));
    REQUIRE_OK(phx_body_set_velocity(s.world, s.body, (phx_vec3){1.3, -0.2, 0.1}, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_world_step(s.world, 0.6));
    ENSURE_NEAR(s.world->particles.vx[0], -1.3, 0.005);
    ENSURE_NEAR(s.world->particles.vy[0], -0.2, 1e-5);
    phx_world_destroy(s.world);
}

TEST(blocks_equal_single_particles) {
    // leaving out blocks that cannot touch must not change a bit, at any thread count
    static const char* const shapes[] = {"plane()", "sphere(radius=0.4)",
                                         "difference(box(size=(1,1,1)), sphere(center=(0.2,0,0), radius=0.3))",
                                         "union(sphere(radius=0.2), cylinder(from=(0,0,-1), to=(0,0,1), radius=0.1))"};
    for (int k = 0; k < 8; ++k) {
        phx_world_def def = phx_world_def_default();
        def.threads = 1 + k % 4;
        phx_material_id material;
        phx_body_id body;
        phx_collider_id id;
        phx_collider_def collider = phx_collider_def_default();
        collider.shape = shapes[k % 4];
        collider.inside = k >= 4;
        phx_world* world = phxt_world(&def, &material);
        REQUIRE(world);
        REQUIRE_OK(phxt_body(world, "cloud", "box(size=(2,2,2))", 0.1, NULL, &body));
        REQUIRE_OK(phx_collider_create(world, &collider, &id));
        phxi_particles* p = &world->particles;
        REQUIRE(p->count > 4000);
        int touching = 0;
        phx_vec3 gravity = {0, 0, -9.81};
        phxi_contact_range range = {.count = p->count, .young = 1e5};
        phxi_collide(&world->colliders.items[0], world->pool, p, &range, gravity, 1e-3);
        for (int i = 0; i < p->count; ++i) {
            phxi_collider_load load = {.force = phxi_scale(p->mass[i], gravity), .dt = 1e-3, .kick = 5e-4};
            load.coming = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            phx_vec3 f = phxi_collider_force(&world->colliders.items[0], p, i, 1e5, &load);
            ENSURE(p->fx[i] == (phx_real)f.x && p->fy[i] == (phx_real)f.y && p->fz[i] == (phx_real)f.z);
            touching += phxi_length(f) > 0;
        }
        ENSURE(touching > 0 && touching < p->count);
        phx_world_destroy(world);
    }
}

TEST(bad_definitions) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_collider_id id;
    phx_world* world = phxt_world(&def, &material);
    REQUIRE(world);
    phx_collider_def bad = {0};
    ENSURE_RESULT(phx_collider_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("phx_collider_def_default()");
    bad = phx_collider_def_default();
    bad.friction = -1;
    ENSURE_RESULT(phx_collider_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("collider 'collider': friction is -1");
    bad = phx_collider_def_default();
    bad.stiffness = NAN;
    ENSURE_RESULT(phx_collider_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    bad = phx_collider_def_default();
    bad.shape = "sphere(";
    ENSURE(phx_collider_create(world, &bad, &id) != PHX_OK);
    ENSURE_MESSAGE("shape of collider 'collider'");
    bad.shape = NULL;
    ENSURE_RESULT(phx_collider_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    bad = phx_collider_def_default();
    bad.name = "";
    ENSURE_RESULT(phx_collider_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE(world->colliders.count == 0);
    phx_world_destroy(world);
}
