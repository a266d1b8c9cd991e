// SPDX-License-Identifier: MIT
// Heat in worlds: between bodies of any method, from every driver, the same at any thread count and after a checkpoint.
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <string.h>

#define REFUSED(call, message)                                                                                         \
    do {                                                                                                               \
        ENSURE_RESULT(call, PHX_ERROR_ARGUMENT);                                                                       \
        ENSURE_MESSAGE(message);                                                                                       \
    } while (0)

typedef struct part {
    const char *name, *shape, *method;
    double temperature;
    int thermal;
} part;

static phx_result add_part(phx_world* world, const part* from, phx_material_id material) {
    phx_body_def def = phx_body_def_default();
    def.name = from->name;
    def.shape = from->shape;
    def.method = from->method;
    def.spacing = 0.01;
    def.material = material;
    def.temperature = from->temperature;
    def.thermal = from->thermal;
    def.contact = false;
    phx_body_id id;
    return phx_body_create(world, &def, &id);
}

/// Parts of a soft metal, without weight.
static phx_world* make(int threads, double exchange, const part* parts, int count) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = threads;
    phx_material_def metal = phx_material_def_default();
    metal.conductivity = 50;
    metal.heat_capacity = 500;
    metal.exchange = exchange;
    metal.young = 1;
    phx_material_id material;
    phx_world* world = NULL;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_material_create(world, &metal, &material) == PHX_OK;
    for (int k = 0; k < count && good; ++k) {
        good = add_part(world, &parts[k], material) == PHX_OK;
    }
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static const part bar[] = {{"hot", "box(center=(0.05,0,0), size=(0.1,0.06,0.06))", "efg", 100, 0},
                           {"cold", "box(center=(-0.05,0,0), size=(0.1,0.06,0.06))", "wall", 0, 0}};

static phx_totals totals(const phx_world* world) {
    phx_totals t = {0};
    ENSURE_OK(phx_world_measure(world, &t));
    return t;
}

static phx_driver_def heating(int kind) {
    phx_driver_def def = phx_driver_def_default();
    def.kind = kind;
    def.body = "hot";
    def.power = 20;
    def.radius = 0.02;
    def.temperature = 300;
    return def;
}

TEST(crosses_methods_and_is_conserved) {
    phx_world* world = make(1, 0, bar, 2);
    REQUIRE(world);
    phx_totals before = totals(world);
    ENSURE_NEAR(before.thermal, before.mass / 2 * 500 * 100, 1e-3 * before.thermal);
    ENSURE(before.max_temperature == 100 && before.min_temperature == 0);
    REQUIRE_OK(phx_world_step(world, 20));
    phx_totals after = totals(world);
    ENSURE_NEAR(after.thermal, before.thermal, 1e-12 * before.thermal);
    ENSURE(after.max_temperature < 95 && after.min_temperature > 5);
    phx_body_id cold = {1, world->bodies.items[1].generation};
    phx_totals other;
    ENSURE_OK(phx_body_measure(world, cold, &other));
    ENSURE(other.mean_temperature > 20 && other.heat_driven == 0);
    phx_world_destroy(world);
}

TEST(one_temperature_costs_nothing) {
    part same[2] = {bar[0], bar[1]};
    same[1].temperature = 100;
    phx_world* world = make(1, 0, same, 2);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.5));
    ENSURE(world->heat.heat.network.count == 0 && world->heat.near.count == 0);
    phx_world_destroy(world);
}

TEST(fixed_gives_and_insulated_does_not) {
    part parts[2] = {bar[0], bar[1]};
    parts[1].thermal = PHX_THERMAL_FIXED;
    phx_world* world = make(1, 0, parts, 2);
    REQUIRE(world);
    phx_totals before = totals(world), after;
    REQUIRE_OK(phx_world_step(world, 10));
    after = totals(world);
    ENSURE(after.heat_fixed < 0 && after.min_temperature == 0);
    ENSURE_NEAR(after.thermal - after.heat_fixed, before.thermal, 1e-12 * before.thermal);
    phx_world_destroy(world);
    parts[1].thermal = PHX_THERMAL_INSULATED;
    world = make(1, 0, parts, 2);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 10));
    ENSURE(totals(world).max_temperature == 100 && totals(world).min_temperature == 0);
    phx_world_destroy(world);
}

TEST(air_takes_what_it_is_said_to) {
    phx_world* world = make(1, 200, bar, 1);
    REQUIRE(world);
    phx_totals before = totals(world), after;
    REQUIRE_OK(phx_world_step(world, 10));
    after = totals(world);
    ENSURE(after.heat_air < 0 && after.max_temperature < 100 && after.min_temperature > 20);
    ENSURE_NEAR(after.thermal - after.heat_air, before.thermal, 1e-12 * before.thermal);
    phx_world_destroy(world);
}

TEST(drivers_put_in_what_they_say) {
    static const int kinds[] = {PHX_DRIVER_HEAT, PHX_DRIVER_HOLD_TEMPERATURE, PHX_DRIVER_SPOT, PHX_DRIVER_BALL};
    for (int k = 0; k < 4; ++k) {
        phx_world* world = make(1, 0, bar, 1);
        REQUIRE(world);
        phx_driver_def def = heating(kinds[k]);
        def.end = 1.5;
        def.ramp = kinds[k] == PHX_DRIVER_HEAT ? 0.5 : 0;
        def.region = kinds[k] == PHX_DRIVER_HEAT || kinds[k] == PHX_DRIVER_HOLD_TEMPERATURE
                         ? "box(center=(0.1,0,0), size=(0.04,1,1))"
                         : NULL;
        def.axis = (phx_vec3){0, 0, -1};
        def.center = (phx_vec3){0.03, 0, 0};
        def.vector = (phx_vec3){0.02, 0, 0};
        phx_driver_id driver;
        REQUIRE_OK(phx_driver_create(world, &def, &driver));
        phx_totals before = totals(world);
        REQUIRE_OK(phx_world_step(world, 0.4));
        REQUIRE_OK(phx_world_step(world, 1.6));
        phx_totals after = totals(world);
        ENSURE_NEAR(after.thermal - after.heat_driven, before.thermal, 1e-12 * before.thermal);
        ENSURE(after.heat_driven > 0 && after.max_temperature > 100);
        if (kinds[k] == PHX_DRIVER_HEAT) {
            ENSURE_NEAR(after.heat_driven, 20 * (1.5 - 0.25), 1e-9 * 25);
        } else if (kinds[k] == PHX_DRIVER_SPOT) {
            ENSURE_NEAR(after.heat_driven, 20 * 1.5, 0.05 * 30); // little of it falls beside the bar
        } else {
            ENSURE(after.max_temperature <= 300);
        }
        phx_world_destroy(world);
    }
}

// From where each particle is as the window opens, along 3 u^2 - 2 u^3.
TEST(held_temperatures_follow_their_ramp) {
    const part parts[] = {{"hot", bar[0].shape, "wall", 100, 0}, {"cold", bar[1].shape, "wall", 0, 0}};
    for (int form = 0; form < 2; ++form) { // at once, and with a checkpoint on the way
        phx_world* world = make(1, 0, parts, 2);
        REQUIRE(world);
        phx_driver_def def = heating(PHX_DRIVER_HOLD_TEMPERATURE);
        def.body = NULL;
        def.start = 0.5;
        def.ramp = 2;
        phx_driver_id driver;
        REQUIRE_OK(phx_driver_create(world, &def, &driver));
        REQUIRE_OK(phx_world_step(world, 0.5));
        phx_totals began = totals(world);
        REQUIRE_OK(phx_world_step(world, 0.5));
        double share = 0.25 * 0.25 * (3 - 0.5);
        phx_totals quarter = totals(world);
        ENSURE_NEAR(quarter.max_temperature, share * 300 + (1 - share) * began.max_temperature, 1e-4);
        ENSURE_NEAR(quarter.min_temperature, share * 300 + (1 - share) * began.min_temperature, 1e-4);
        ENSURE_NEAR(quarter.thermal - quarter.heat_driven, began.thermal, 1e-12 * began.thermal);
        if (form == 1) {
            REQUIRE_OK(phx_checkpoint_save(world, phxt_path("held.phx")));
            phx_world_destroy(world);
            world = make(1, 0, parts, 2);
            REQUIRE(world);
            REQUIRE_OK(phx_driver_create(world, &def, &driver));
            REQUIRE_OK(phx_checkpoint_load(world, phxt_path("held.phx")));
        }
        REQUIRE_OK(phx_world_step(world, 0.5));
        ENSURE_NEAR(totals(world).max_temperature, 150 + 0.5 * began.max_temperature, 1e-4);
        REQUIRE_OK(phx_world_step(world, 1));
        ENSURE(totals(world).min_temperature == 300 && totals(world).max_temperature == 300);
        phx_world_destroy(world);
    }
}

static double mean_at(const phx_world* world, double low, double high) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        if (p->rest_z[i] > low && p->rest_z[i] < high) {
            sum += (double)p->temperature[i];
            ++count;
        }
    }
    return sum / count;
}

// A plate in the beam keeps what is behind it dark.
TEST(spot_lights_what_is_in_front) {
    const part plates[] = {{"lower", "box(center=(0,0,0), size=(0.1,0.1,0.03))", "efg", 20, 0},
                           {"upper", "box(center=(0,0,0.1), size=(0.1,0.1,0.03))", "efg", 20, 0}};
    phx_world* world = make(1, 0, plates, 2);
    REQUIRE(world);
    phx_driver_def def = heating(PHX_DRIVER_SPOT);
    def.body = NULL;
    def.axis = (phx_vec3){0, 0, -3};
    phx_driver_id driver;
    REQUIRE_OK(phx_driver_create(world, &def, &driver));
    REQUIRE_OK(phx_world_step(world, 0.01));
    ENSURE(mean_at(world, -1, 0.05) == 20);
    ENSURE(mean_at(world, 0.105, 1) > 20.001);
    ENSURE_NEAR(mean_at(world, 0.08, 0.095), 20, 1e-3); // the far side of the upper one
    phx_world_destroy(world);
}

static phx_world* busy(int threads) {
    phx_world* world = make(threads, 30, bar, 2);
    phx_driver_def def = heating(PHX_DRIVER_SPOT);
    def.axis = (phx_vec3){0, 0, -1};
    def.center = (phx_vec3){0.02, 0, 0};
    def.vector = (phx_vec3){0.05, 0, 0};
    phx_driver_id driver;
    phx_body_id hot = phx_world_body_id(world, 0);
    if (world && (phx_driver_create(world, &def, &driver) != PHX_OK ||
                  phx_body_set_velocity(world, hot, (phx_vec3){0}, (phx_vec3){0, 0, 0.5}) != PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

TEST(same_bits_at_any_thread_count) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world* world = busy(threads);
        REQUIRE(world);
        for (int k = 0; k < 5; ++k) {
            REQUIRE_OK(phx_world_step(world, 0.02));
        }
        hash = threads == 1 ? phx_world_hash(world) : hash;
        ENSURE(phx_world_hash(world) == hash);
        phx_world_destroy(world);
    }
}

TEST(goes_on_after_a_checkpoint) {
    phx_world *a = busy(1), *b = busy(2);
    REQUIRE(a && b);
    const char* path = phxt_path("heat.phx");
    REQUIRE_OK(phx_world_step(a, 0.05));
    REQUIRE_OK(phx_checkpoint_save(a, path));
    REQUIRE_OK(phx_checkpoint_load(b, path));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    REQUIRE_OK(phx_world_step(a, 0.05));
    REQUIRE_OK(phx_world_step(b, 0.05));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_totals t = totals(b);
    ENSURE(t.heat_driven > 0 && t.heat_air < 0);
    phx_world_destroy(a);
    phx_world_destroy(b);
}

TEST(allocates_nothing_once_warm) {
    phx_world* world = busy(2);
    REQUIRE(world);
    for (int k = 0; k < 6; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.01));
    }
    int64_t before = phx_world_allocations(world);
    for (int k = 0; k < 3; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.01));
    }
    ENSURE(phx_world_allocations(world) == before);
    phx_world_destroy(world);
}

static phx_result heat_within(phxt_heap* heap, int64_t* made) {
    phx_world_def def = phx_world_def_default();
    def.allocator = heap->allocator;
    def.threads = 1;
    phx_world* world = NULL;
    phx_material_def metal = phx_material_def_default();
    metal.conductivity = 50;
    metal.young = 1;
    phx_material_id material;
    phx_driver_id driver;
    phx_driver_def spot = heating(PHX_DRIVER_SPOT);
    PHXI_TRY(phx_world_create(&def, &world));
    phx_result result = phx_material_create(world, &metal, &material);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = add_part(world, &bar[k], material);
    }
    result = result == PHX_OK ? phx_driver_create(world, &spot, &driver) : result;
    *made = result == PHX_OK ? heap->allocations : *made;
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 1e-3);
    }
    phx_world_destroy(world);
    return result;
}

TEST(every_failing_allocation) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    int64_t made = 0;
    REQUIRE_OK(heat_within(&heap, &made));
    int64_t count = heap.allocations, first = made;
    ENSURE(count > first + 10 && heap.live == 0);
    for (int64_t n = first; n < count; ++n) {
        phxt_heap_init(&heap, n);
        ENSURE_RESULT(heat_within(&heap, &made), PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
}

TEST(what_is_no_number_is_told) {
    phx_world* world = make(1, 0, bar, 2);
    REQUIRE(world);
    world->particles.enthalpy[5] = NAN;
    uint64_t hash = phx_world_hash(world);
    ENSURE_RESULT(phx_world_step(world, 0.1), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("has a temperature of nan degrees C");
    ENSURE(phx_world_hash(world) == hash);
    ENSURE_RESULT(phx_world_substep(world, 1e12), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("heat would take");
    phx_world_destroy(world);
}

TEST(names_itself_as_the_limit) {
    const part still[] = {{"block", "box(size=(0.06,0.06,0.06))", "wall", 0, 0},
                          {"other", "box(center=(0.06,0,0), size=(0.06,0.06,0.06))", "wall", 10, 0}};
    phx_world* world = make(1, 0, still, 2);
    REQUIRE(world);
    phx_dt_info info;
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE(strcmp(info.reason, "limited by heat conduction in body 'block'") == 0);
    ENSURE_NEAR(info.stable, 100 * 1e-4 / 1e-4 / 10, 0.01 * 10); // 100 times 0.1 a^2 / diffusivity
    phx_world_destroy(world);
}

// det F is 0, or below: heat goes on from hot to cold.
TEST(what_is_squeezed_flat_conducts) {
    static const double squeezes[3] = {0, -0.2, 1e-3};
    for (int k = 0; k < 3; ++k) {
        phx_world* world = make(1, 10, bar, 2);
        REQUIRE(world);
        for (int i = 0; i < world->particles.count; ++i) {
            world->particles.z[i] *= (phx_real)squeezes[k];
        }
        phx_totals before = totals(world);
        for (int step = 0; step < 3; ++step) {
            REQUIRE_OK(phx_world_substep(world, 1e-6));
        }
        phx_totals after = totals(world);
        ENSURE(before.min_det < 0.01);
        ENSURE_NEAR(after.thermal + after.heat_air, before.thermal, 1e-4 * before.thermal);
        ENSURE(after.max_temperature <= before.max_temperature && after.min_temperature >= before.min_temperature);
        phx_world_destroy(world);
    }
}

TEST(bad_input_is_refused) {
    phx_world* world = make(1, 0, bar, 1);
    REQUIRE(world);
    phx_driver_id driver;
    phx_driver_def def = heating(PHX_DRIVER_SPOT);
    def.power = 0;
    REFUSED(phx_driver_create(world, &def, &driver), "power is 0 W, expected above 0 for a spot");
    def = heating(PHX_DRIVER_SPOT);
    def.axis = (phx_vec3){0, 0, 0};
    REFUSED(phx_driver_create(world, &def, &driver), "expected the way the beam goes");
    def.radius = 0;
    REFUSED(phx_driver_create(world, &def, &driver), "radius");
    def = heating(PHX_DRIVER_HEAT);
    def.power = 0;
    REFUSED(phx_driver_create(world, &def, &driver), "power is 0 W");
    def.power = NAN;
    REFUSED(phx_driver_create(world, &def, &driver), "power");
    def = heating(PHX_DRIVER_HOLD_TEMPERATURE);
    def.temperature = NAN;
    REFUSED(phx_driver_create(world, &def, &driver), "temperature");
    def = heating(PHX_DRIVER_BALL);
    def.exchange = 0;
    REFUSED(phx_driver_create(world, &def, &driver), "exchange is 0");
    phx_material_def material = phx_material_def_default();
    phx_material_id id;
    material.latent_heat = 1e5;
    REFUSED(phx_material_create(world, &material, &id), "it never melts");
    material.solidus = material.liquidus = 50;
    REFUSED(phx_material_create(world, &material, &id), "expected above solidus");
    material = phx_material_def_default();
    material.conductivity = -1;
    REFUSED(phx_material_create(world, &material, &id), "conductivity");
    phx_world_destroy(world);
}

TEST(bad_temperatures_are_refused) {
    part wrong = bar[0];
    phx_world* world = make(1, 0, bar, 1);
    REQUIRE(world);
    phx_body_def def = phx_body_def_default();
    def.name = "wrong";
    def.shape = wrong.shape;
    def.spacing = 0.01;
    def.material = phx_world_material_id(world, 0);
    phx_body_id id;
    def.temperature = NAN;
    REFUSED(phx_body_create(world, &def, &id), "temperature");
    def.temperature = 20;
    def.temperature_gradient = (phx_vec3){0, NAN, 0};
    REFUSED(phx_body_create(world, &def, &id), "temperature_gradient");
    def.temperature_gradient = (phx_vec3){-1e5, 0, 0};
    REFUSED(phx_body_create(world, &def, &id), "absolute zero");
    phx_world_destroy(world);
}
