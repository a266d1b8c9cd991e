// SPDX-License-Identifier: MIT
// Stiff bodies in a world, at 60 steps a second: floors, slopes, drivers, and what phx_world_dt says.
#include "support/test.h"

static phx_world* make_world(double young, const char* shape, phx_vec3 normal, double friction) {
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    phx_world* world = NULL;
    ENSURE_OK(phx_world_create(&def, &world));
    phx_material_def material = phx_material_def_default();
    material.young = young;
    material.density = 1000;
    phx_material_id material_id;
    ENSURE_OK(phx_material_create(world, &material, &material_id));
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = 0.05;
    body.material = material_id;
    phx_body_id body_id;
    ENSURE_OK(phx_body_create(world, &body, &body_id));
    if (friction >= 0) {
        char plane[128];
        snprintf(plane, sizeof plane, "plane(point=(0,0,0), normal=(%g,%g,%g))", normal.x, normal.y, normal.z);
        phx_collider_def collider = phx_collider_def_default();
        collider.shape = plane;
        collider.friction = friction;
        phx_collider_id id;
        ENSURE_OK(phx_collider_create(world, &collider, &id));
    }
    return world;
}

static phx_totals after(phx_world* world, int steps) {
    for (int k = 0; k < steps; ++k) {
        ENSURE_OK(phx_world_step(world, 1.0 / 60));
    }
    phx_totals totals = {0};
    ENSURE_OK(phx_world_measure(world, &totals));
    return totals;
}

TEST(a_stiff_body_takes_one_step_a_frame) {
    phx_world* world = make_world(1e11, "box(size=(0.3,0.3,0.3))", (phx_vec3){0, 0, 1}, -1);
    phx_dt_info info;
    ENSURE_OK(phx_world_dt(world, &info));
    ENSURE_NEAR(info.dt, 1.0 / 60, 1e-12);
    ENSURE(strstr(info.reason, "bdf2") && strstr(info.reason, "auto"));
    after(world, 3);
    ENSURE(phx_world_substeps(world) == 3);
    phx_world_destroy(world);
}

TEST(a_box_that_lands_on_its_corner_comes_to_rest) {
    phx_world* world =
        make_world(1e11, "move(rotate(box(size=(0.3,0.3,0.3)), axis=(1,0.7,0), angle=50), offset=(0,0,0.45))",
                   (phx_vec3){0, 0, 1}, 0.4);
    phx_totals first = after(world, 1);
    phx_totals last = after(world, 1);
    double energy = first.kinetic + first.potential;
    for (int k = 0; k < 240; ++k) {
        last = after(world, 1);
        ENSURE(last.kinetic + last.potential <= energy + 0.05 * fabs(first.potential) + 1);
    }
    ENSURE_NEAR(last.kinetic, 0, 1e-3); // 9 mm/s
    phx_world_destroy(world);
}

TEST(a_box_below_the_angle_of_friction_stays) {
    // tan of the slope is 0.2
    for (int rough = 0; rough < 2; ++rough) {
        phx_world* world =
            make_world(2e9, "box(center=(0.03,0,0.19), size=(0.3,0.3,0.3))", (phx_vec3){0.2, 0, 1}, rough ? 0.5 : 0.05);
        phx_totals before = after(world, 60), later = after(world, 60);
        double way = later.mean_position.x - before.mean_position.x;
        if (rough) {
            ENSURE_NEAR(way, 0, 1e-4);
            ENSURE_NEAR(later.kinetic, 0, 1e-6);
        } else {
            ENSURE(way > 0.5); // slides
        }
        phx_world_destroy(world);
    }
}

TEST(a_moved_end_takes_the_bar_along) {
    phx_world* world = make_world(1e10, "box(size=(0.6,0.15,0.15))", (phx_vec3){0, 0, 1}, -1);
    phx_driver_def driver = phx_driver_def_default();
    driver.kind = PHX_DRIVER_TWIST;
    driver.region = "plane(point=(-0.2,0,0), normal=(1,0,0))";
    driver.axis = (phx_vec3){0, 0, 1};
    driver.angle = 90;
    driver.ramp = 1;
    phx_driver_id id;
    ENSURE_OK(phx_driver_create(world, &driver, &id));
    phx_totals last = after(world, 120);
    // turned about the origin by 90 degrees: what lay along x lies along y
    phx_particle_view p = phx_world_particles(world);
    double low = 0, high = 0;
    for (int i = 0; i < p.count; ++i) {
        low = fmin(low, (double)p.y[i]);
        high = fmax(high, (double)p.y[i]);
    }
    ENSURE_NEAR(high - low, 0.6, 0.01);
    ENSURE_NEAR(last.kinetic, 0, 1e-3);
    phx_world_destroy(world);
}
