// SPDX-License-Identifier: MIT
// Worlds of one body or two, each of the material its method is for.
#include "conformance.h"

static phx_result make_material(phx_world* world, const test_scene* scene, const variant* v, phx_material_id* id) {
    phx_material_def def = phx_material_def_default();
    const material_kind kind = nature_material(v->method);
    def.young = YOUNG;
    def.conductivity = scene->warmth != 0 ? 1e3 : 0; // it goes through a body within two tenths of a second
    def.expansion = scene->warmth != 0 && expands(v) ? EXPANSION : 0;
    if (kind == FLUID) {
        def.fluid = true;
        def.viscosity = 1;
    } else if (kind == GRAINS) { // wet, so that a lump of them holds together
        def.law = PHX_LAW_HENCKY;
        def.friction_angle = 30;
        def.cohesion = 600;
    }
    return phx_material_create(world, &def, id);
}

/// Particles at the corners of cells are on steps where a body is round or turned, and touch others as balls of half a
/// spacing that reach beyond it.
static bool has_steps(const placing* place, const variant* v) {
    const phxi_sampling_table* sampling = v->method->sampling;
    bool conforming =
        sampling && (sampling->conforming ? v->sampling == PHX_SAMPLING_AUTO : v->sampling == PHX_SAMPLING_CONFORMING);
    bool fits = place->size.y > 0 && phxi_length(place->rotate) == 0;
    return sampling && sampling->corners && !conforming && !fits;
}

static void write_shape(const placing* place, const variant* v, char text[100]) {
    double less = has_steps(place, v) ? SPACING : 0;
    if (place->size.y > 0) {
        snprintf(text, 100, "box(size=(%.17g,%.17g,%.17g))", place->size.x - less, place->size.y - less,
                 place->size.z - less);
    } else {
        snprintf(text, 100, "sphere(radius=%.17g)", 0.5 * (place->size.x - less));
    }
}

static phx_result make_body(phx_world* world, const test_scene* scene, int k, const variant* v) {
    const placing* place = &scene->places[k];
    phx_body_def def = phx_body_def_default();
    PHXI_TRY(make_material(world, scene, v, &def.material));
    static const char* const names[2] = {"one", "two"};
    def.name = names[k];
    def.method = v->method->name;
    def.settings = &v->setting;
    def.setting_count = v->setting.name ? 1 : 0;
    char shape[100];
    write_shape(place, v, shape);
    def.shape = shape;
    def.spacing = SPACING;
    def.sampling = v->sampling;
    def.rotate = place->rotate;
    def.translate = place->translate;
    def.friction = scene->friction;
    def.temperature = 20 + (k == 0 ? scene->warmth : 0);
    def.reference_temperature = 20;
    bool moves = !v->kinematic;
    def.velocity = moves ? place->velocity : phxi_vec3(0, 0, 0);
    def.angular_velocity = moves ? place->spin : phxi_vec3(0, 0, 0);
    phx_body_id body;
    return phx_body_create(world, &def, &body);
}

static phx_result fill(phx_world* world, const test_scene* scene, const test_cast* cast) {
    if (scene->floor) {
        phx_collider_def floor = phx_collider_def_default();
        floor.shape = "plane()";
        floor.name = "floor";
        phx_collider_id id;
        PHXI_TRY(phx_collider_create(world, &floor, &id));
    }
    for (int k = 0; k < cast->count; ++k) {
        PHXI_TRY(make_body(world, scene, k, cast->bodies[k]));
    }
    return PHX_OK;
}

phx_world* scene_build(const test_scene* scene, const test_cast* cast, int threads) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = threads;
    def.gravity = scene->gravity;
    def.dt = scene->dt;
    const char* contact = getenv("CONFORMANCE_CONTACT");
    def.contact = contact && strcmp(contact, "projection") == 0 ? PHXI_PROJECTION : PHXI_PENALTY;
    if (phx_world_create(&def, &world) != PHX_OK) {
        return NULL;
    }
    if (fill(world, scene, cast) != PHX_OK) {
        phx_world_destroy(world); // keeps the message
        return NULL;
    }
    return world;
}
