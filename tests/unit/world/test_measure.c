// SPDX-License-Identifier: MIT
// Totals of world, bodies and probes; fields by name.
#include "support/points.h"

static phx_world* two_bodies(void) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_world* world = phxt_world(&def, &material);
    if (world && (phxt_body(world, "left", "box(center=(-1,0,0), size=(0.4,0.4,0.4))", 0.1, NULL, &body) != PHX_OK ||
                  phxt_body(world, "right", "box(center=(1,0,2), size=(0.2,0.2,0.2))", 0.1, "100", &body) != PHX_OK)) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

TEST(totals_of_a_known_motion) {
    phx_world* world = two_bodies();
    REQUIRE(world);
    phx_totals all, left, right;
    phx_body_id a = phx_world_body_id(world, 0), b = phx_world_body_id(world, 1);
    REQUIRE_OK(phx_body_set_velocity(world, a, (phx_vec3){0, 3, 0}, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_body_set_velocity(world, b, (phx_vec3){0, 0, 0}, (phx_vec3){0, 0, 2}));
    REQUIRE_OK(phx_world_measure(world, &all));
    REQUIRE_OK(phx_body_measure(world, a, &left));
    REQUIRE_OK(phx_body_measure(world, b, &right));
    ENSURE(all.count == 72 && left.count == 64 && right.count == 8);
    ENSURE_NEAR(left.mass, 64, 1e-4);
    ENSURE_NEAR(left.kinetic, 0.5 * 64 * 9, 1e-3);
    ENSURE_NEAR(left.momentum.y, 64 * 3, 1e-3);
    ENSURE_NEAR(left.angular_momentum.z, -64 * 3, 1e-3);
    ENSURE_NEAR(left.mean_position.x, -1, 1e-6);
    ENSURE_NEAR(left.max_speed, 3, 1e-6);
    ENSURE_NEAR(left.force.z, -64 * 9.81, 1e-3);
    ENSURE_NEAR(right.potential, 8 * 9.81 * 2, 1e-3);
    ENSURE_NEAR(right.angular_momentum.z, 8 * 2 * 2 * 0.05 * 0.05, 1e-5);
    ENSURE_NEAR(all.kinetic, left.kinetic + right.kinetic, 1e-9);
    ENSURE(all.min_det == 1 && all.max_stress == 0);
    phx_world_destroy(world);
}

TEST(contact_energy_and_force) {
    phx_world* world = two_bodies();
    REQUIRE(world);
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    floor.shape = "plane(point=(0,0,-0.19))"; // lowest particles at -0.15, of radius 0.05: 0.01 deep
    REQUIRE_OK(phx_collider_create(world, &floor, &id));
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.contact, 16 * 0.5 * 5000 * 1e-4, 1e-4);
    ENSURE_NEAR(t.force.z, 16 * 50 - 72 * 9.81, 1e-2);
    phx_world_destroy(world);
}

TEST(probes_choose_by_body_and_region) {
    phx_world* world = two_bodies();
    REQUIRE(world);
    phx_probe_def def = phx_probe_def_default();
    phx_probe_id whole, top, right;
    phx_totals t;
    REQUIRE_OK(phx_probe_create(world, &def, &whole));
    ENSURE_RESULT(phx_probe_create(world, &def, &top), PHX_ERROR_ARGUMENT); // same name
    ENSURE_MESSAGE("probe 'probe'");
    def.name = "top";
    def.body = "left";
    def.region = "plane(point=(0,0,0.1), normal=(0,0,-1))";
    REQUIRE_OK(phx_probe_create(world, &def, &top));
    def.name = "right";
    def.region = NULL;
    def.body = "right";
    REQUIRE_OK(phx_probe_create(world, &def, &right));
    REQUIRE_OK(phx_probe_measure(world, whole, &t));
    ENSURE(t.count == 72);
    REQUIRE_OK(phx_probe_measure(world, top, &t));
    ENSURE(t.count == 16);
    ENSURE_NEAR(t.mean_position.z, 0.15, 1e-6);
    REQUIRE_OK(phx_probe_measure(world, right, &t));
    ENSURE(t.count == 8);

    // the choice is by where particles start, and does not grow with later bodies
    REQUIRE_OK(phx_world_step(world, 0.5));
    phx_body_id later;
    REQUIRE_OK(phxt_body(world, "later", "box(center=(0,5,0), size=(0.2,0.2,0.2))", 0.1, NULL, &later));
    REQUIRE_OK(phx_probe_measure(world, top, &t));
    ENSURE(t.count == 16);
    REQUIRE_OK(phx_probe_measure(world, whole, &t));
    ENSURE(t.count == 72);

    // a particle on the border belongs to the region
    def.name = "border";
    def.body = "left";
    def.region = "plane(point=(0,0,-0.15))";
    REQUIRE_OK(phx_probe_create(world, &def, &top));
    REQUIRE_OK(phx_probe_measure(world, top, &t));
    ENSURE(t.count == 16);

    def.name = "nowhere";
    def.region = "sphere(center=(50,0,0), radius=1)";
    ENSURE_RESULT(phx_probe_create(world, &def, &top), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("probe 'nowhere': no particle of body 'left' starts inside region sphere(");
    def.stamp = 0;
    ENSURE_RESULT(phx_probe_create(world, &def, &top), PHX_ERROR_ARGUMENT);
    phx_world_destroy(world);
}

TEST(fields_by_name) {
    phx_world* world = two_bodies();
    REQUIRE(world);
    enum { COUNT = 72 };
    phx_real values[9 * COUNT];
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), (phx_vec3){3, 0, 4}, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phxi_particles* p = &world->particles;
    REQUIRE_OK(phx_world_field(world, "velocity", values));
    ENSURE(values[3 * 5 + 2] == p->vz[5]);
    REQUIRE_OK(phx_world_field(world, "speed", values));
    ENSURE_NEAR(values[0], sqrt(9 + (4 - 0.981) * (4 - 0.981)), 1e-5);
    REQUIRE_OK(phx_world_field(world, "displacement", values));
    ENSURE_NEAR(values[0], 0.3, 1e-6);
    REQUIRE_OK(phx_world_field(world, "rest", values));
    ENSURE(values[3 * 70 + 1] == p->rest_y[70]);
    REQUIRE_OK(phx_world_field(world, "force", values));
    ENSURE_NEAR(values[3 * 70 + 2], -9.81, 1e-3);
    REQUIRE_OK(phx_world_field(world, "body", values));
    ENSURE(values[0] == 0 && values[71] == 1);
    REQUIRE_OK(phx_world_field(world, "det_f", values));
    ENSURE(values[0] == 2 && values[71] == 2);
    REQUIRE_OK(phx_world_field(world, "gap", values));
    ENSURE(values[0] > 0.05);
    ENSURE_RESULT(phx_world_field(world, "sped", values), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("there is no field 'sped', did you mean 'speed'?");
    ENSURE_RESULT(phx_world_field(world, NULL, values), PHX_ERROR_ARGUMENT);

    int count = 0;
    for (; phx_world_field_info(world, count); ++count) {
        const phx_field_info* info = phx_world_field_info(world, count);
        ENSURE(info->name[0] && info->help[0] && info->unit);
        ENSURE(info->components == 1 || info->components == 3 || info->components == 9);
        ENSURE_OK(phx_world_field(world, info->name, values));
    }
    ENSURE(count == 12 && phx_world_field_info(world, -1) == NULL);
    phx_world_destroy(world);
}
