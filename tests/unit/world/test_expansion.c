// SPDX-License-Identifier: MIT
// Thermal expansion in worlds: what a warm body stores, what heat pays for, what cannot expand, and where it begins.
#include "support/test.h"
#include "world/world.h"

#include <string.h>

#define EXPANSION 1e-4
#define YOUNG     1e5

typedef struct ball {
    const char* method;
    const char *name, *value;      // a setting
    double temperature, reference; // degrees C; reference INFINITY: as it is made
    double yield;
    bool uniform; // its sampling
} ball;

static phx_world* empty(void) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = 1;
    phx_world* world = NULL;
    ENSURE_OK(phx_world_create(&def, &world));
    return world;
}

static phx_result add(phx_world* world, const ball* b) {
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.expansion = EXPANSION;
    material.conductivity = 50;
    material.heat_capacity = 500;
    material.yield = b->yield;
    phx_material_id id;
    PHXI_TRY(phx_material_create(world, &material, &id));
    const phx_setting setting = {b->name, b->value};
    phx_body_def def = phx_body_def_default();
    def.name = b->method;
    def.method = b->method;
    def.shape = "box(size=(0.1,0.1,0.1))";
    def.spacing = 0.02;
    def.sampling = b->uniform ? PHX_SAMPLING_UNIFORM : def.sampling;
    def.material = id;
    def.settings = &setting;
    def.setting_count = b->name != NULL;
    def.temperature = b->temperature;
    def.reference_temperature = b->reference;
    phx_body_id body;
    return phx_body_create(world, &def, &body);
}

static bool can_expand(const phxi_method* method) {
    return method->laws != PHXI_LAWS_SHAPE_KEPT && (method->laws & PHXI_LAW_EXPAND) &&
           (method->laws & PHXI_LAW_ELASTIC);
}

/// 9/2 K t^2 of its volume, whatever the method.
TEST(a_warm_body_that_has_not_grown_stores_energy) {
    const double t = expm1(EXPANSION * 100), bulk = YOUNG / (3 * (1 - 2 * 0.3));
    for (int m = 0; phxi_methods[m]; ++m) {
        phx_world* world = can_expand(phxi_methods[m]) ? empty() : NULL;
        if (!world) {
            continue;
        }
        ball b = {.method = phxi_methods[m]->name, .temperature = 120, .reference = 20};
        ENSURE_OK(add(world, &b));
        phx_totals totals;
        ENSURE_OK(phx_world_measure(world, &totals));
        double energy = 4.5 * bulk * t * t * totals.mass / 1000;
        printf("%s: energy over 9/2 K t^2 V is %.5f\n", b.method, totals.elastic / energy);
        ENSURE(fabs(totals.elastic / energy - 1) < 0.04); // t is a hundredth, and laws differ
        phx_world_destroy(world);
    }
}

TEST(it_begins_where_it_was_made) {
    ball b = {.method = "efg", .temperature = 300, .reference = INFINITY};
    phx_world* world = empty();
    phx_totals totals;
    ENSURE_OK(add(world, &b));
    ENSURE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.elastic < 1e-12);
    phx_world_destroy(world);
}

static void warm(phx_world* world, double ramp, bool pinned) {
    phx_driver_def hold = phx_driver_def_default(), pin = phx_driver_def_default();
    phx_driver_id id;
    hold.name = "warm";
    hold.kind = PHX_DRIVER_HOLD_TEMPERATURE;
    hold.temperature = 220;
    hold.ramp = ramp;
    pin.name = "pin";
    ENSURE_OK(phx_driver_create(world, &hold, &id));
    if (pinned) {
        ENSURE_OK(phx_driver_create(world, &pin, &id));
    }
}

/// What cannot move stores all that heat pays for; what moves has no more than that. (Conforming bodies end at clamps:
/// one that is held as a whole is deep in it, stores nothing and costs nothing.)
TEST(heat_pays) {
    for (int m = 0; phxi_methods[m]; ++m) {
        for (int pinned = 0; pinned < 2 && can_expand(phxi_methods[m]); ++pinned) {
            phx_world* world = empty();
            ball b = {.method = phxi_methods[m]->name, .temperature = 20, .reference = INFINITY, .uniform = pinned};
            ENSURE_OK(add(world, &b));
            warm(world, 0.01, pinned);
            phx_totals totals = {0};
            for (int k = 0; k < 4; ++k) {
                ENSURE_OK(phx_world_step(world, 0.005));
            }
            ENSURE_OK(phx_world_measure(world, &totals));
            double now = totals.elastic + totals.kinetic, paid = totals.expansion_work;
            printf("%s%s: %.6g J from %.6g J\n", b.method, pinned ? ", pinned" : "", now, paid);
            ENSURE(totals.mean_temperature > 219);
            ENSURE(pinned ? paid > 0 && fabs(now / paid - 1) < 1e-4 : now < 0.2);
            phx_world_destroy(world);
        }
    }
}

#define REFUSED(call, code, message)                                                                                   \
    do {                                                                                                               \
        ENSURE_RESULT(call, code);                                                                                     \
        ENSURE_MESSAGE(message);                                                                                       \
    } while (0)

TEST(what_cannot_expand_says_so) {
    phx_world* world = empty();
    phx_material_def fluid = phx_material_def_default();
    phx_material_id id;
    fluid.viscosity = 1;
    fluid.expansion = EXPANSION;
    REFUSED(phx_material_create(world, &fluid, &id), PHX_ERROR_ARGUMENT, "only solids");
    fluid.viscosity = 0;
    fluid.expansion = 1;
    REFUSED(phx_material_create(world, &fluid, &id), PHX_ERROR_ARGUMENT, "expansion");
    ball bonds = {.method = "peridynamics", .name = "model", .value = "bond", .temperature = 20, .reference = INFINITY};
    REFUSED(add(world, &bonds), PHX_ERROR_ARGUMENT, "model bond");
    ball grains = {.method = "wcsph", .temperature = 20, .reference = INFINITY};
    ENSURE(add(world, &grains) != PHX_OK);
    ball stiff = {.method = "rigid", .temperature = 20, .reference = INFINITY}; // keeps its shape, as it says
    ENSURE_OK(add(world, &stiff));
    phx_world_destroy(world);
}

TEST(slow_sound_is_refused) {
    phx_world* world = empty();
    phx_material_def glass = phx_material_def_default();
    glass.young = 7e10, glass.density = 2500, glass.strength = 4.5e7, glass.sound_limit = 30;
    glass.expansion = 9e-6;
    phx_material_id id;
    ENSURE_OK(phx_material_create(world, &glass, &id));
    phx_body_def def = phx_body_def_default();
    def.method = "efg";
    def.shape = "box(size=(0.1,0.1,0.1))";
    def.spacing = 0.02;
    def.material = id;
    phx_body_id body;
    REFUSED(phx_body_create(world, &def, &body), PHX_ERROR_UNSUPPORTED, "sound_limit");
    phx_world_destroy(world);
}

/// Held temperatures are there in a static state; heat does not flow.
TEST(static_states_take_held_temperatures) {
    phx_world* world = empty();
    ball b = {.method = "efg", .temperature = 20, .reference = INFINITY};
    ENSURE_OK(add(world, &b));
    phx_driver_def hold = phx_driver_def_default(), pin = phx_driver_def_default();
    phx_driver_id id;
    hold.name = "warm";
    hold.kind = PHX_DRIVER_HOLD_TEMPERATURE;
    hold.temperature = 120;
    ENSURE_OK(phx_driver_create(world, &hold, &id));
    pin.name = "pin";
    pin.region = "sphere(radius=0.03)";
    ENSURE_OK(phx_driver_create(world, &pin, &id));
    phx_static_def def = phx_static_def_default();
    phx_totals before, after;
    ENSURE_OK(phx_world_measure(world, &before));
    ENSURE_OK(phx_world_static(world, &def, NULL));
    ENSURE_OK(phx_world_measure(world, &after));
    double longer = (after.highest.x - after.lowest.x) / (before.highest.x - before.lowest.x) - 1;
    printf("longer by %.5g\n", longer);
    ENSURE(longer > 0.6 * EXPANSION * 100 && longer < 1.05 * EXPANSION * 100); // but for what is pinned
    ENSURE(after.min_temperature == 120);
    phx_world_destroy(world);
}
