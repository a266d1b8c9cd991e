// SPDX-License-Identifier: MIT
// Loads on surfaces: faces and their areas, tractions, pressures that follow, closed surfaces.
#include "support/test.h"

#include "world/world.h"

static const double EXACT = sizeof(phx_real) == sizeof(float) ? 1e-6 : 1e-12;

/// A box of 0.4 x 0.3 x 0.2 m at (1, 0, 0), with particles on its faces, that nothing pulls.
static phx_world* box(const char* method, const char* shape) {
    phx_world_def wd = phx_world_def_default();
    wd.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    phx_material_def md = phx_material_def_default();
    phx_material_id material;
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    md.young = 1e6;
    bd.name = "box";
    bd.shape = shape ? shape : "box(center=(1,0,0), size=(0.4,0.3,0.2))";
    bd.sampling = PHX_SAMPLING_VERTICES;
    bd.spacing = 0.05;
    bd.method = method;
    if (!phxt_result(__FILE__, __LINE__, "world", phx_world_create(&wd, &world), PHX_OK)) {
        return NULL;
    }
    phx_result result = phx_material_create(world, &md, &material);
    bd.material = material;
    result = result == PHX_OK ? phx_body_create(world, &bd, &body) : result;
    if (!phxt_result(__FILE__, __LINE__, method, result, PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static phx_result drive(phx_world* world, const phx_driver_def* def) {
    phx_driver_id id;
    return phx_driver_create(world, def, &id);
}

static phx_vec3 sum_of(const phx_world* world) {
    const phxi_driver* d = &world->drivers.items[0];
    phx_vec3 sum = {0, 0, 0};
    for (int k = 0; k < d->group.count; ++k) {
        const phx_real* f = d->reactions + 3 * (size_t)k;
        sum = phxi_add(sum, phxi_vec3(f[0], f[1], f[2]));
    }
    return sum;
}

static double gross_of(const phx_world* world) {
    const phxi_driver* d = &world->drivers.items[0];
    double sum = 0;
    for (int k = 0; k < d->group.count; ++k) {
        const phx_real* f = d->reactions + 3 * (size_t)k;
        sum += phxi_length(phxi_vec3(f[0], f[1], f[2]));
    }
    return sum;
}

TEST(a_face_is_all_that_looks_along) {
    static const char* const faces[] = {"-x", "y", "+z", "(0, 0, 3)"};
    static const int counts[] = {7 * 5, 9 * 5, 9 * 7, 9 * 7};
    phx_world* world = box("efg", NULL);
    REQUIRE(world);
    for (int k = 0; k < 4; ++k) {
        phxi_group group;
        REQUIRE_OK(phxi_group_init(&group, world, "box", NULL, faces[k]));
        ENSURE(group.count == counts[k]);
        phxi_group_destroy(&group, &world->heap);
    }
    phxi_group group;
    ENSURE_RESULT(phxi_group_init(&group, world, "box", NULL, "up"), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("face 'up' is no direction");
    ENSURE_RESULT(phxi_group_init(&group, world, "box", "box(center=(1,0,0), size=(0.1,0.1,0.1))", "x"),
                  PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("stands on its surface");
    phx_world_destroy(world);
}

TEST(a_traction_is_its_vector_times_the_area) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "corotated_sph", "peridynamics", "rigid"};
    for (int m = 0; m < 5; ++m) {
        phx_world* world = box(methods[m], NULL);
        REQUIRE(world);
        phx_driver_def def = phx_driver_def_default();
        def.kind = PHX_DRIVER_TRACTION;
        def.face = "-x";
        def.vector = phxi_vec3(10, 20, -30);
        REQUIRE_OK(drive(world, &def));
        REQUIRE_OK(phx_world_substep(world, 1e-5));
        phx_vec3 wrong = phxi_sub(sum_of(world), phxi_scale(0.06, def.vector));
        ENSURE_NEAR(phxi_length(wrong), 0, 10 * EXACT);
        phx_world_destroy(world);
    }
}

TEST(a_force_by_area_leaves_the_inside_alone) {
    phx_world* world = box("efg", NULL);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_FORCE;
    def.share = PHX_SHARE_AREA;
    def.face = "x";
    def.vector = phxi_vec3(0, 0, 12);
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_substep(world, 1e-5));
    ENSURE_NEAR(sum_of(world).z, 12, 12 * EXACT);
    const phxi_driver* d = &world->drivers.items[0];
    for (int k = 0; k < d->group.count; ++k) { // corners get a quarter, edges half, of 6 x 4 squares
        ENSURE(world->particles.rest_x[d->group.indices[k]] > (phx_real)1.19);
        double share = (double)d->reactions[3 * (size_t)k + 2] / 12 * 24;
        ENSURE_NEAR(share * 4, rint(share * 4), 1e-4);
    }
    phx_world_destroy(world);
}

TEST(pressure_on_one_face_follows_it) {
    phx_world* world = box("rigid", NULL);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_PRESSURE;
    def.face = "x";
    def.pressure = 100;
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 1)));
    REQUIRE_OK(drive(world, &def));
    for (int k = 0; k < 1000; ++k) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    const phxi_particles* p = &world->particles;
    int far = p->count - 1; // two corners tell how it has turned
    double was = atan2(p->rest_y[far] - p->rest_y[0], p->rest_x[far] - p->rest_x[0]);
    double angle = atan2(p->y[far] - p->y[0], p->x[far] - p->x[0]) - was;
    phx_vec3 sum = sum_of(world);
    ENSURE_NEAR(hypot(sum.x, sum.y), 6, 1e-4);
    ENSURE_NEAR(-sum.x, 6 * cos(angle), 0.02); // as it was at the start of the step
    ENSURE_NEAR(-sum.y, 6 * sin(angle), 0.02);
    phx_world_destroy(world);
}

TEST(pressure_all_around_pushes_nothing) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "corotated_sph", "peridynamics", "fem"};
    for (int m = 0; m < 5; ++m) {
        phx_world* world = box(methods[m], "rotate(axis=(1,2,3), angle=20, box(size=(0.4,0.3,0.2)))");
        REQUIRE(world);
        phx_driver_def def = phx_driver_def_default();
        def.kind = PHX_DRIVER_PRESSURE;
        def.pressure = 1e4;
        REQUIRE_OK(drive(world, &def));
        phxi_particles* p = &world->particles;
        for (int i = 0; i < p->count; ++i) { // bent by far
            p->x[i] += (phx_real)0.5 * p->rest_z[i] * p->rest_z[i] + (phx_real)0.1 * p->rest_y[i];
        }
        REQUIRE_OK(phx_world_substep(world, 1e-6));
        ENSURE(gross_of(world) > 1e3);
        ENSURE_NEAR(phxi_length(sum_of(world)), 0, gross_of(world) * 1e-6);
        phx_world_destroy(world);
    }
}

// Squeezed from all sides a box shrinks by p (1 - 2 nu) / E.
TEST(pressure_squeezes_by_the_bulk_modulus) {
    phx_world* world = box("efg", NULL);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_PRESSURE;
    def.pressure = 1e3;
    def.ramp = 0.5;
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_step(world, 0.6));
    const phxi_particles* p = &world->particles;
    phx_real low, high;
    phxi_range(p->x, p->count, &low, &high);
    ENSURE_NEAR(((double)(high - low) - 0.4) / 0.4 / (-1e3 * 0.4 / 1e6), 1, 0.05);
    phx_world_destroy(world);
}

TEST(what_cannot_be_pressed) {
    phx_world* world = box("mpm", NULL);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_PRESSURE;
    ENSURE_RESULT(drive(world, &def), PHX_ERROR_UNSUPPORTED);
    ENSURE_MESSAGE("body 'box' is mpm");
    def.kind = PHX_DRIVER_TRACTION;
    ENSURE_RESULT(drive(world, &def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("face is not given");
    phx_world_destroy(world);
}
