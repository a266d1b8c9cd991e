// SPDX-License-Identifier: MIT
// Slices: what they refuse by name, that nothing moves across, the same bits at any number of threads and after a
// restart.
#include "support/test.h"

#include <phyxel/io.h>
#include "world/world.h"

#include <string.h>

typedef struct slice {
    const char *method, *shape;
    int plane, sampling;
} slice;

static phx_result add(phx_world* world, const slice* s) {
    phx_material_def m = phx_material_def_default();
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    if (strcmp(s->method, "granular") == 0) {
        m.friction_angle = 30;
    }
    if (phx_material_create(world, &m, &def.material) != PHX_OK) {
        return PHX_ERROR_ARGUMENT;
    }
    def.name = "slice";
    def.method = s->method;
    def.shape = s->shape;
    def.spacing = 0.1;
    def.sampling = s->sampling;
    def.plane = s->plane;
    return phx_body_create(world, &def, &body);
}

static phx_world* make(int threads, const slice* s) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = threads;
    def.gravity = (phx_vec3){1, -2, 3}; // across too, which the rollers bear
    if (phx_world_create(&def, &world) != PHX_OK || add(world, s) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    phx_driver_def pin = phx_driver_def_default();
    phx_driver_id id;
    pin.region = "box(center=(-0.5,0,0),size=(0.25,2,2))";
    if (phx_driver_create(world, &pin, &id) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static const char layer[] = "box(size=(1,0.5,0.1))", block[] = "box(size=(1,0.5,0.4))", rod[] = "box(size=(1,0.2,0.2))";

TEST(what_is_no_slice_is_refused_by_name) {
    const struct {
        slice s;
        const char* why;
    } bad[] = {
        {{"mpm", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM}, "mpm cannot be a slice"},
        {{"granular", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM}, "granular cannot be a slice"},
        {{"efg", rod, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM}, "along two axes"},
        {{"efg", block, PHX_SLICE_STRESS, PHX_SAMPLING_UNIFORM}, "one layer of them"},
        {{"fem", block, PHX_SLICE_STRESS, PHX_SAMPLING_VERTICES}, "one layer of cells"},
        {{"peridynamics", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM}, "two layers or more"},
    };
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&def, &world));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        ENSURE(add(world, &bad[k].s) != PHX_OK);
        ENSURE_MESSAGE(bad[k].why);
    }
    phx_world_destroy(world);
}

static uint64_t end_of(phx_world* world) {
    ENSURE(phx_world_step(world, 0.02) == PHX_OK);
    return phx_world_hash(world);
}

TEST(nothing_moves_across_and_bits_are_the_same) {
    const slice kinds[] = {
        {"efg", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM},
        {"efg", layer, PHX_SLICE_STRESS, PHX_SAMPLING_UNIFORM},
        {"efg", block, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM},
        {"corotated_sph", layer, PHX_SLICE_STRESS, PHX_SAMPLING_UNIFORM},
        {"corotated_sph", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_UNIFORM},
        {"fem", layer, PHX_SLICE_STRAIN, PHX_SAMPLING_VERTICES},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        phx_world *one = make(1, &kinds[k]), *three = make(3, &kinds[k]), *again = make(1, &kinds[k]);
        REQUIRE(one && three && again);
        phx_vec3 low, high, low_after, high_after;
        phx_totals t;
        REQUIRE_OK(phx_world_measure(one, &t));
        low = t.lowest, high = t.highest;
        const uint64_t hash = end_of(one);
        ENSURE(end_of(three) == hash);
        REQUIRE_OK(phx_world_measure(one, &t));
        low_after = t.lowest, high_after = t.highest;
        ENSURE_NEAR(low_after.z, low.z, 0);
        ENSURE_NEAR(high_after.z, high.z, 0);
        ENSURE(high_after.x != high.x);
        ENSURE(t.kinetic > 0);
        REQUIRE_OK(phx_world_step(again, 0.01));
        REQUIRE_OK(phx_checkpoint_save(again, phxt_path("plane.phx")));
        REQUIRE_OK(phx_world_step(again, 0.01));
        const uint64_t whole = phx_world_hash(again);
        REQUIRE_OK(phx_checkpoint_load(again, phxt_path("plane.phx")));
        REQUIRE_OK(phx_world_step(again, 0.01));
        ENSURE(phx_world_hash(again) == whole);
        phx_world_destroy(one);
        phx_world_destroy(three);
        phx_world_destroy(again);
    }
}
