// SPDX-License-Identifier: MIT
// sound_limit: who gets a softer material, and which.
#include "materials/sound.h"
#include "support/points.h"
#include "world/slow_sound.h"

#include <stdio.h>

static int warnings;

static void count_warnings(void* context, phx_log_level level, const char* line) {
    (void)context, (void)line;
    warnings += level == PHX_LOG_WARNING;
}

/// A cube of glass, in a world of its own.
static phx_world* make(double sound_limit, double size, const char* method, const phx_setting* setting) {
    phx_world_def def = phx_world_def_default();
    def.log.write = count_warnings;
    phx_world* world = NULL;
    const phx_preset* glass;
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    char shape[64];
    snprintf(shape, sizeof shape, "box(size=(%g,%g,%g))", size, size, size);
    body.shape = shape, body.spacing = size / 5, body.method = method;
    body.settings = setting, body.setting_count = setting != NULL;
    warnings = 0;
    bool good = phx_preset_find("glass", &glass) == PHX_OK && phx_world_create(&def, &world) == PHX_OK;
    phx_material_def material = good ? glass->def : phx_material_def_default();
    material.sound_limit = sound_limit;
    good = good && phx_material_create(world, &material, &body.material) == PHX_OK &&
           phx_body_create(world, &body, &id) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static double young_of(double sound_limit, const char* method, const phx_setting* setting) {
    phx_world* world = make(sound_limit, 0.1, method, setting);
    double young = world->bodies.items[0].material.young;
    ENSURE_NEAR(world->bodies.items[0].modulus, young, 0);
    phx_world_destroy(world);
    return young;
}

TEST(waves_over_strength_and_energies_are_kept) {
    const phx_preset* glass;
    REQUIRE_OK(phx_preset_find("glass", &glass));
    phx_material_def real = glass->def;
    real.slowed_for = PHX_SLOWED_FOR_WAVES;
    phx_material_def slow = phxi_material_slowed(&real, phxi_material_slowing(&real));
    double sound = phxi_sound_speed(&slow);
    ENSURE_NEAR(sound, real.sound_limit, 1e-9 * sound);
    ENSURE_NEAR(sound * real.strength, phxi_sound_speed(&real) * slow.strength, 1e-9 * sound * real.strength);
    ENSURE_NEAR(slow.strength * slow.strength / slow.young, real.strength * real.strength / real.young, 1e-6);
    ENSURE(slow.toughness == real.toughness && slow.density == real.density);
    real.sound_limit = 1e6;
    ENSURE(phxi_material_slowing(&real) == 1); // never faster
}

// The force of a blow goes with E^(2/5), the energy that it leaves in the body with its square over E.
TEST(blows_over_strength_are_kept) {
    const phx_preset* glass;
    REQUIRE_OK(phx_preset_find("glass", &glass));
    const phx_material_def* real = &glass->def;
    ENSURE(real->slowed_for == PHX_SLOWED_FOR_BLOWS);
    phx_material_def slow = phxi_material_slowed(real, phxi_material_slowing(real));
    double softer = slow.young / real->young, force = pow(softer, 0.4);
    ENSURE_NEAR(phxi_sound_speed(&slow), real->sound_limit, 1e-9 * real->sound_limit);
    ENSURE_NEAR(slow.strength, force * real->strength, 1e-9 * slow.strength);
    ENSURE_NEAR(slow.toughness, force * force / softer * real->toughness, 1e-9 * slow.toughness);
    double length = real->young * real->toughness / (real->strength * real->strength);
    ENSURE_NEAR(slow.young * slow.toughness / (slow.strength * slow.strength), length, 1e-9 * length);
}

TEST(only_what_breaks_in_explicit_steps_is_softer) {
    const phx_setting whole = {"fracture", "none"}, kernel = {"fracture", "kernel"}, front = {"fracture", "front"};
    const phx_setting firm = {"breaks", "false"};
    double real = young_of(0, "efg", NULL), soft = young_of(100, "efg", NULL);
    ENSURE(real == 7e10 && soft < 3e7);
    ENSURE(young_of(100, NULL, NULL) == soft);
    ENSURE(young_of(100, "efg", &front) == soft);
    ENSURE(young_of(100, "efg", &whole) == real);
    ENSURE(young_of(100, "efg", &kernel) == real);
    ENSURE(young_of(100, "peridynamics", NULL) == real); // breaks in implicit ones
    ENSURE(young_of(100, "peridynamics", &firm) == real);
}

TEST(it_is_said_and_warned_of) {
    char text[256];
    phx_world* world = make(100, 0.1, "efg", NULL);
    phxi_body_describe_slow_sound(&world->bodies.items[0], text, sizeof text);
    ENSURE(strstr(text, "100 m/s instead of 5578") && strstr(text, "7e+10") && strstr(text, "4.5e+07"));
    ENSURE(warnings == 0);
    phx_world_destroy(world);
    world = make(100, 10, "efg", NULL); // its weight, 245 kPa, against a strength of 807 kPa
    ENSURE(warnings == 1);
    phx_world_destroy(world);
    world = make(0, 10, "efg", NULL);
    ENSURE(warnings == 0);
    phx_world_destroy(world);
}
