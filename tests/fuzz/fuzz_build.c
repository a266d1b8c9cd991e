// SPDX-License-Identifier: MIT
// Any bytes as a scene that is built, measured and stepped. A scene may ask for a lot and is then right to take long,
// so what is built here is bounded: few cells, short expressions, little memory. Any other input must be done quickly.
#include "geometry/region.h"
#include "geometry/sample.h"
#include "io/scene.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 4096, MAX_CELLS = 64, MAX_SHAPE = 200, MAX_ITEMS = 4, MAX_MEMORY = 32 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Memory that ends soon. Each block carries its size in front.
static void* take(void* context, size_t bytes, const char* label) {
    size_t* live = context;
    (void)label;
    if (bytes > MAX_MEMORY || *live > MAX_MEMORY - bytes) {
        return NULL;
    }
    char* block = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!block) {
        return NULL;
    }
    memcpy(block, &bytes, sizeof bytes);
    *live += bytes;
    return block + 64;
}

static void give(void* context, void* memory) {
    size_t bytes;
    memcpy(&bytes, (char*)memory - 64, sizeof bytes);
    *(size_t*)context -= bytes;
    free((char*)memory - 64);
}

static bool is_short(const char* shape) {
    return !shape || strlen(shape) <= MAX_SHAPE;
}

// Counts the cells as the samplers would; sheets thinner than a cell take as long as many of them. A body that is
// refused on the way may be built: it will be refused again.
static bool is_small_body(const phx_body_def* def) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_region region;
    bool small = is_short(def->shape);
    if (small && phxi_region_create(&heap, def, &region) == PHX_OK) {
        phxi_grid grid;
        int levels = def->sampling == PHX_SAMPLING_OCTREE ? def->levels : 0;
        if (phxi_region_grid(&region, def->spacing, &grid) == PHX_OK && phxi_grid_refine(&grid, levels) == PHX_OK) {
            phx_vec3 box = phxi_sub(region.box.high, region.box.low);
            int cells = grid.nx * grid.ny * grid.nz;
            small = cells <= (fmin(box.x, fmin(box.y, box.z)) < 0.5 * grid.edge ? 1 : MAX_CELLS);
        }
        phxi_region_destroy(&region);
    }
    phxi_heap_destroy(&heap);
    return small;
}

static bool is_small(const phx_scene* scene) {
    bool small = scene->bodies.count <= MAX_ITEMS && scene->colliders.count <= MAX_ITEMS &&
                 scene->drivers.count <= MAX_ITEMS && scene->probes.count <= MAX_ITEMS;
    for (int i = 0; small && i < scene->bodies.count; ++i) {
        small = is_small_body(&scene->bodies.items[i].def);
    }
    for (int i = 0; small && i < scene->colliders.count; ++i) {
        small = is_short(scene->colliders.items[i].def.shape);
    }
    for (int i = 0; small && i < scene->drivers.count; ++i) {
        small = is_short(scene->drivers.items[i].def.region);
    }
    for (int i = 0; small && i < scene->probes.count; ++i) {
        small = is_short(scene->probes.items[i].def.region);
    }
    return small;
}

static void use(phx_world* world) {
    phx_totals totals;
    (void)phx_world_measure(world, &totals);
    phx_dt_info info;
    if (phx_world_dt(world, &info) != PHX_OK) {
        return;
    }
    // a substep, then a step that must leave the world as it was if it fails
    (void)phx_world_step(world, info.dt < 1e9 ? info.dt : 1e-3);
    uint64_t hash = phx_world_hash(world);
    if (phx_world_step(world, info.dt < 1e9 ? 3 * info.dt : 1e-3) != PHX_OK && phx_world_hash(world) != hash) {
        abort();
    }
    (void)phx_world_measure(world, &totals);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    phx_scene* scene = NULL;
    if (size > MAX_BYTES || phx_scene_parse("fuzz.yaml", (const char*)data, size, NULL, NULL, &scene) != PHX_OK) {
        return 0;
    }
    if (is_small(scene)) {
        size_t live = 0;
        phx_world_def def = phx_world_def_default();
        def.threads = 1;
        def.allocator = (phx_allocator){take, give, &live};
        phx_world* world = NULL;
        if (phx_scene_build(scene, &def, &world) == PHX_OK) {
            use(world);
            phx_world_destroy(world);
        }
        if (live != 0) {
            abort();
        }
    }
    phx_scene_destroy(scene);
    return 0;
}
