// SPDX-License-Identifier: MIT
// The two laws of friction: cones, what sticks, what slides, and that none of it gives energy.
#include "contact/law/friction.h"
#include "support/test.h"

/// Directions and lengths that have nothing in common.
static phx_vec3 some_vector(int k) {
    double size = exp(3 * sin(1.7 * k));
    return phxi_vec3(size * sin(2.1 * k + 1), size * cos(3.3 * k), size * sin(5.9 * k + 2));
}

static phx_vec3 some_normal(int k) {
    phx_vec3 n = some_vector(7 * k + 3);
    return phxi_scale(1 / phxi_length(n), n);
}

// --------------------------------------------------------------------------------------------------- at a known push

TEST(a_cone_holds_or_slides) {
    const phx_vec3 up = {0, 0, 1};
    phxi_friction f = phxi_friction_cone((phx_vec3){3, 4, 100}, up, 6); // within the cone; nothing along the normal
    ENSURE(f.force.x == 3 && f.force.y == 4 && f.force.z == 0 && f.left == 0);
    f = phxi_friction_cone((phx_vec3){3, 4, 100}, up, 1);
    ENSURE_NEAR(f.force.x, 0.6, 1e-15);
    ENSURE_NEAR(f.force.y, 0.8, 1e-15);
    ENSURE_NEAR(f.left, 0.8, 1e-15);
    ENSURE(f.force.z == 0 && f.wanted.x == 3 && f.wanted.z == 0);
    f = phxi_friction_cone((phx_vec3){0, 0, 100}, up, 0);
    ENSURE(phxi_length(f.force) == 0 && f.left == 0);
}

TEST(cones_are_along_the_surface_and_bounded) {
    for (int k = 0; k < 200; ++k) {
        phx_vec3 n = some_normal(k), wanted = some_vector(k);
        double most = fabs(some_vector(k + 500).x);
        phxi_friction f = phxi_friction_cone(wanted, n, most);
        double size = phxi_length(wanted);
        ENSURE(fabs(phxi_dot(f.force, n)) <= 1e-14 * size);
        ENSURE(phxi_length(f.force) <= most * (1 + 1e-14));
        phx_vec3 sum = phxi_add_scaled(f.force, f.left, f.wanted); // what acts and what is left are all of it
        ENSURE(phxi_distance(sum, f.wanted) <= 1e-14 * size);
        ENSURE(f.left >= 0 && f.left < 1 + 1e-14);
    }
}

/// A block on a slope: below the angle of friction it takes up the load, above it slides with g (sin - mu cos).
TEST(a_block_on_a_slope) {
    const double g = 9.81, m = 2, dt = 1e-3, mu = 0.5;
    const phx_vec3 none = {0, 0, 0}, up = {0, 0, 1};
    for (int steep = 0; steep < 2; ++steep) {
        double angle = steep ? 0.6 : 0.4, push = m * g * cos(angle), v = 0;
        phx_vec3 load = {m * g * sin(angle), 0, -push};
        for (int step = 0; step < 1000; ++step) {
            phx_vec3 urge = phxi_friction_urge(load, m, phxi_vec3(v, 0, 0), none, dt);
            v += dt * (load.x + phxi_friction_cone(phxi_scale(-1, urge), up, mu * push).force.x) / m;
        }
        ENSURE_NEAR(v, steep ? g * (sin(angle) - mu * cos(angle)) : 0, 1e-9);
    }
}

/// By forces with their mass as by accelerations with mass 1; and what is remembered adds to what is held.
TEST(an_urge_has_three_parts) {
    const double dt = 0.01, m = 3;
    const phx_vec3 acts = {6, 0, 0}, v = {0, 2, 0}, w = {0, 0, 5e-4};
    phx_vec3 force = phxi_friction_urge(acts, m, v, w, dt),
             rate = phxi_friction_urge(phxi_scale(1 / m, acts), 1, v, w, dt);
    ENSURE_NEAR(force.x, 6, 1e-12);
    ENSURE_NEAR(force.y, m * 2 / (2 * dt), 1e-9);
    ENSURE_NEAR(force.z, m * PHXI_FRICTION_TAKEN * 5e-4 / (dt * dt), 1e-9);
    ENSURE(phxi_distance(force, phxi_scale(m, rate)) < 1e-9);
}

TEST(slip_is_never_turned_around) {
    const phx_vec3 none = {0, 0, 0};
    const double m = 0.7, dt = 2e-3;
    for (int k = 0; k < 200; ++k) {
        phx_vec3 n = some_normal(k), v = some_vector(k);
        v = phxi_add_scaled(v, -phxi_dot(v, n), n);
        phx_vec3 urge = phxi_friction_urge(none, m, v, none, dt);
        phx_vec3 f = phxi_friction_cone(phxi_scale(-1, urge), n, 100 * fabs(some_vector(k + 31).y)).force;
        phx_vec3 after = phxi_add_scaled(v, dt / m, f);
        ENSURE(phxi_dot(f, v) <= 0);
        ENSURE(phxi_dot(after, v) >= 0.5 * phxi_dot(v, v) * (1 - 1e-12)); // half of it is left at least
        ENSURE(phxi_length(after) <= phxi_length(v));
    }
}

TEST(what_is_stopped_loses_energy) {
    for (int k = 0; k < 200; ++k) {
        phx_vec3 n = some_normal(k), own = some_vector(k + 9), v = some_vector(k);
        double mu = k % 4 == 0 ? 0 : fabs(some_vector(k + 77).z);
        phx_vec3 before = phxi_sub(v, own);
        if (phxi_dot(before, n) >= 0) {
            continue;
        }
        bool holds;
        phx_vec3 after = phxi_sub(phxi_friction_stop(v, own, n, mu, &holds), own);
        double size = phxi_length(before) + phxi_length(own);
        ENSURE(fabs(phxi_dot(after, n)) <= 1e-13 * size); // goes in no more
        ENSURE(phxi_length(after) <= phxi_length(before) + 1e-13 * size);
        phx_vec3 impulse = phxi_sub(after, before);
        double push = phxi_dot(impulse, n), across = phxi_length(phxi_add_scaled(impulse, -push, n));
        ENSURE(across <= mu * push + 1e-13 * size); // Coulomb's bound
        ENSURE(holds == (mu > 0 && phxi_length(after) <= 1e-13 * size));
    }
}

// ------------------------------------------------------------------------------------------------- in implicit steps

static const phxi_friction_pressed pressed = {.most = 4, .stiffness = 1e9, .spacing = 0.01, .grip = 1, .moving = false};

TEST(a_drag_is_the_cone_beyond_a_small_slip) {
    for (int k = 0; k < 12; ++k) {
        phx_vec3 slip = {pow(10, k - 12), 0, 0};
        double force = phxi_friction_drag(&pressed, slip) * slip.x;
        ENSURE(force <= 4 * (1 + 1e-15));
        if (slip.x > PHXI_FRICTION_STICK * pressed.spacing) {
            ENSURE_NEAR(force, 4, 1e-14);
        } else {
            ENSURE_NEAR(force, 4 * slip.x / (PHXI_FRICTION_STICK * pressed.spacing), 1e-14);
        }
    }
    ENSURE(isfinite(phxi_friction_drag(&pressed, (phx_vec3){0, 0, 0})));
}

TEST(a_drag_is_no_stiffer_than_allowed) {
    const phx_vec3 none = {0, 0, 0};
    phxi_friction_pressed c = pressed;
    c.stiffness = 1e3;
    ENSURE(phxi_friction_drag(&c, none) == PHXI_FRICTION_HOLD * 1e3);
    c.moving = true;
    ENSURE(phxi_friction_drag(&c, none) == 1e3);
    c = pressed;
    c.grip = 10; // what is held slips ten times less
    ENSURE_NEAR(phxi_friction_drag(&c, none) / phxi_friction_drag(&pressed, none), 10, 1e-12);
    c.most = 0;
    ENSURE(phxi_friction_drag(&c, none) == 0);
}

TEST(the_matrix_is_that_of_the_forces) {
    for (int k = 0; k < 50; ++k) {
        phxi_contact_matrix matrix = {some_normal(k), 1e3, fabs(some_vector(k).x)};
        phx_vec3 u = some_vector(k + 5), along = phxi_scale(phxi_dot(u, matrix.normal), matrix.normal);
        phx_vec3 wanted = phxi_add_scaled(phxi_scale(1e3, along), matrix.across, phxi_sub(u, along));
        phx_vec3 got = phxi_contact_matrix_apply(&matrix, u);
        double size = 1e3 * phxi_length(u), block[6] = {0};
        ENSURE(phxi_distance(got, wanted) <= 1e-13 * size);
        ENSURE(phxi_dot(u, got) >= 0); // takes energy, whatever moves
        phxi_contact_matrix_add(&matrix, 2, block);
        phx_vec3 twice = {block[0] * u.x + block[3] * u.y + block[4] * u.z,
                          block[3] * u.x + block[1] * u.y + block[5] * u.z,
                          block[4] * u.x + block[5] * u.y + block[2] * u.z};
        ENSURE(phxi_distance(twice, phxi_scale(2, got)) <= 1e-13 * size);
    }
}
