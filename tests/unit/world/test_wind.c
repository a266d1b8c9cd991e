// SPDX-License-Identifier: MIT
// The driver `wind`: what it does to sheets, rods and solids, and that nothing overtakes it.
#include "support/points.h"
#include "world/world.h"

/// A body of 1000 kg/m^3 in a wind along x, without weight.
static phx_world* windy(const char* shape, double speed, double density) {
    phx_world_def def = phx_world_def_default();
    def.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    material.density = density, material.young = 1e6;
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    body.shape = shape, body.spacing = 0.02, body.method = "peridynamics";
    phx_driver_def wind = phx_driver_def_default();
    phx_driver_id driver;
    wind.kind = PHX_DRIVER_WIND, wind.vector = phxi_vec3(speed, 0, 0);
    bool good = phx_world_create(&def, &world) == PHX_OK &&
                phx_material_create(world, &material, &body.material) == PHX_OK &&
                phx_body_create(world, &body, &id) == PHX_OK && phx_driver_create(world, &wind, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

/// Force along x of the first millisecond, N.
static double force_on(const char* shape) {
    phx_world* world = windy(shape, 10, 1000);
    double momentum = 0;
    if (world && phx_world_substep(world, 1e-3) == PHX_OK) {
        for (int i = 0; i < world->particles.count; ++i) {
            momentum += (double)world->particles.mass[i] * (double)world->particles.vx[i];
        }
    }
    phx_world_destroy(world);
    return momentum / 1e-3;
}

// 1.2/2 v^2 is 60 Pa.
TEST(wind_pushes_what_it_meets) {
    ENSURE_NEAR(force_on("box(size=(0.02,0.2,0.2))"), 60 * 0.2 * 0.2, 0.02);    // a sheet across
    ENSURE_NEAR(force_on("box(size=(0.2,0.02,0.2))"), 0, 1e-6);                 // and along
    ENSURE_NEAR(force_on("box(size=(0.02,0.02,0.2))"), 60 * 0.02 * 0.2, 0.002); // a rod across
    ENSURE_NEAR(force_on("box(size=(0.2,0.02,0.02))"), 0, 1e-6);
    double cube = force_on("box(size=(0.12,0.12,0.12))"); // edges of its face look aside
    ENSURE(cube > 0.5 * 60 * 0.12 * 0.12 && cube < 1.05 * 60 * 0.12 * 0.12);
}

TEST(nothing_overtakes_the_wind) {
    phx_world* world = windy("box(size=(0.02,0.2,0.2))", 10, 1);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.5));
    double most = 0, least = INFINITY;
    for (int i = 0; i < world->particles.count; ++i) {
        most = fmax(most, (double)world->particles.vx[i]);
        least = fmin(least, (double)world->particles.vx[i]);
    }
    ENSURE(most < 10.1 && least > 9);
    phx_world_destroy(world);
}

TEST(gusts_blow_to_and_fro) {
    phx_world* world = windy("box(size=(0.02,0.2,0.2))", 10, 1000);
    REQUIRE(world);
    phx_driver_def gusts = phx_driver_def_default();
    gusts.name = "gusts", gusts.kind = PHX_DRIVER_WIND, gusts.vector = phxi_vec3(0, 0, 5), gusts.gust = 1;
    gusts.axis = phxi_vec3(1, 0, 0), gusts.period = 0.2, gusts.wavelength = 1e6;
    gusts.air = 12;
    phx_driver_id id;
    REQUIRE_OK(phx_driver_create(world, &gusts, &id));
    int more = 0, less = 0; // the second wind lies along the sheet but for its gusts
    for (int k = 0; k < 20; ++k) {
        double before = (double)world->particles.vx[0];
        REQUIRE_OK(phx_world_substep(world, 0.01));
        double force = ((double)world->particles.vx[0] - before) / 0.01;
        more += force > 60 / (1000 * 0.02) * 1.1;
        less += force < 60 / (1000 * 0.02) * 0.9;
    }
    ENSURE(more > 4 && less > 4);
    phx_world_destroy(world);
}
