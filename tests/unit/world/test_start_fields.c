// SPDX-License-Identifier: MIT
// Velocities and temperatures from formulas of where particles start, and the ends of groups in totals.
#include "support/test.h"

#include "world/world.h"

static phx_result make(phx_world** world, const char* velocity, const char* temperature, const char* integrator) {
    phx_world_def wd = phx_world_def_default();
    phx_material_def md = phx_material_def_default();
    phx_body_def bd = phx_body_def_default();
    phx_setting setting = {"integrator", integrator};
    phx_material_id material;
    phx_body_id body;
    wd.gravity = phxi_vec3(0, 0, 0);
    bd.shape = "box(center=(0.5,0,0), size=(0.4,0.2,0.2))";
    bd.spacing = 0.05;
    bd.method = "efg";
    bd.settings = &setting;
    bd.setting_count = 1;
    bd.velocity = phxi_vec3(1, 0, 0);
    bd.velocity_field = velocity;
    bd.temperature_field = temperature;
    PHXI_TRY(phx_world_create(&wd, world));
    PHXI_TRY(phx_material_create(*world, &md, &material));
    bd.material = material;
    return phx_body_create(*world, &bd, &body);
}

TEST(fields_are_added) {
    phx_world* world;
    REQUIRE_OK(make(&world, "(-2*y, 2*x, sin(z))", "100*x + z", "leapfrog"));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = (double)p->rest_x[i], y = (double)p->rest_y[i], z = (double)p->rest_z[i];
        ENSURE_NEAR((double)p->vx[i], 1 - 2 * y, 1e-6);
        ENSURE_NEAR((double)p->vy[i], 2 * x, 1e-6);
        ENSURE_NEAR((double)p->vz[i], sin(z), 1e-6);
        ENSURE_NEAR((double)p->temperature[i], 20 + 100 * x + z, 1e-4);
    }
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.lowest.x, 0.3, 1e-6);
    ENSURE_NEAR(t.highest.x, 0.7, 1e-6);
    ENSURE_NEAR(t.highest.z, 0.1, 1e-6);
    phx_world_destroy(world);
}

// A body that turns and flies by its field does so from the first step on.
TEST(implicit_histories_know_them) {
    static const char* const integrators[] = {"leapfrog", "bdf2", "implicit_euler", "trapezoid"};
    for (int k = 0; k < 4; ++k) {
        phx_world* world;
        REQUIRE_OK(make(&world, "(-2*y, 2*(x - 0.5), 0.5)", NULL, integrators[k]));
        phx_totals before, after;
        REQUIRE_OK(phx_world_measure(world, &before));
        REQUIRE_OK(phx_world_step(world, 0.1));
        REQUIRE_OK(phx_world_measure(world, &after));
        ENSURE_NEAR(after.mean_position.x, 0.6, 1e-5);
        ENSURE_NEAR(after.mean_position.z, 0.05, 1e-5);
        double spin = before.angular_momentum.z - before.mean_position.x * before.momentum.y;
        double left = after.angular_momentum.z - after.mean_position.x * after.momentum.y +
                      after.mean_position.y * after.momentum.x;
        if (!(fabs(left / spin - 1) <= 3e-4)) { // implicit_euler is solved to 1e-4
            phxt_failed(__FILE__, __LINE__, "%s: angular momentum %.9g of what it was", integrators[k], left / spin);
        }
        phx_world_destroy(world);
    }
}

TEST(mistakes) {
    phx_world* world;
    ENSURE_RESULT(make(&world, "(1, 2)", NULL, "leapfrog"), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("velocity_field: column 6");
    phx_world_destroy(world);
    ENSURE_RESULT(make(&world, "(1, t, 2)", NULL, "leapfrog"), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("unknown name 't'");
    phx_world_destroy(world);
    ENSURE_RESULT(make(&world, "(1, log(y), 2)", NULL, "leapfrog"), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("velocity_field is not finite at (");
    phx_world_destroy(world);
    ENSURE_RESULT(make(&world, NULL, "-1e9*x", "leapfrog"), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("temperature_field make");
    phx_world_destroy(world);
}
