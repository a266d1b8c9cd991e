// SPDX-License-Identifier: MIT
// Memory that runs out in the middle of a step is told as that, whatever the method: never as a simulation that blew
// up, and never as nothing at all.
#include "support/many_worlds.h"
#include "support/test.h"

#include "world/world.h"

/// Fails one allocation, and none after it.
typedef struct scarce {
    phx_allocator allocator;
    int64_t count, fail;
    bool failed;
    const char* label;
} scarce;

static void* take(void* context, size_t size, const char* label) {
    scarce* s = context;
    if (s->count++ == s->fail) {
        s->failed = true;
        s->label = label;
        return NULL;
    }
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void give(void* context, void* memory) {
    (void)context;
    free(memory);
}

static phx_world* build(int k, scarce* s) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    *s = (scarce){.allocator = {take, give, s}, .fail = -1};
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.allocator = s->allocator;
    ENSURE_OK(phx_scene_parse("many.yaml", phxt_many_worlds[k], strlen(phxt_many_worlds[k]), NULL, NULL, &scene));
    ENSURE_OK(phx_scene_build(scene, &def, &world));
    phx_scene_destroy(scene);
    return world;
}

static phx_result measure(phx_world* world, double dt) {
    phx_totals totals;
    (void)dt;
    return phx_world_measure(world, &totals);
}

static phx_result ask_dt(phx_world* world, double dt) {
    phx_dt_info info;
    (void)dt;
    return phx_world_dt(world, &info);
}

// Allocation after allocation fails until the call makes fewer.
static void fail_each(int k, const char* what, phx_result (*call)(phx_world* world, double dt), double dt) {
    scarce s;
    phx_world* world = build(k, &s);
    REQUIRE(world);
    bool anew = getenv("MEMORY_ALL"); // what one call allocated is there for the next: a new world each time
    for (int64_t n = 0;; ++n) {
        s.failed = false;
        s.fail = s.count + n;
        phx_result result = call(world, dt);
        s.fail = -1;
        if (!s.failed) {
            ENSURE_OK(result);
            break;
        }
        // what merges scratch memory after a call may be done later
        bool merging = result == PHX_OK && strcmp(s.label, "step scratch") == 0;
        if (result != PHX_ERROR_MEMORY && !merging) {
            phxt_failed(__FILE__, __LINE__, "world %d, %s, allocation %d (%s): %s: %s", k, what, (int)n, s.label,
                        phx_result_name(result), result == PHX_OK ? "" : phx_error_message());
        }
        if (anew) {
            phx_world_destroy(world);
            world = build(k, &s);
            REQUIRE(world);
        }
    }
    ENSURE_OK(phx_world_step(world, dt)); // it still works
    phx_world_destroy(world);
}

static void fail_all(int first, int last) {
    for (int k = first; k < last; ++k) {
        fail_each(k, "step", phx_world_step, 0.005);
        fail_each(k, "dt", ask_dt, 0.005);
        fail_each(k, "measure", measure, 0.005);
    }
}

TEST(explicit_and_broken_ones) {
    fail_all(0, 5);
}

TEST(other_solids) {
    fail_all(5, 13);
}

TEST(grains_fluids_and_rigid_ones) {
    fail_all(13, PHXT_MANY_WORLDS);
}
