// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint of a small world. Random bytes do not pass the checksums, so the same bytes are also used
// as the contents of a file whose checksums are sound: input byte triples (chunk, place, value) change the unpacked
// state of a good checkpoint, which is then loaded and stepped.
#include <phyxel/io.h>

#include "io/chunk.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char SCENE[] = "bodies: {a: {shape: 'box(size=(1, 1, 1))', spacing: 0.34, material: jelly}}\n"
                            "colliders: {floor: {shape: plane()}}\n"
                            "drivers: {d: {kind: move, vector: [0, 0, 1], region: 'plane()', ramp: 1}}\n";

static phx_world* make_world(void) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    if (phx_scene_parse("fuzz.yaml", SCENE, sizeof SCENE - 1, NULL, NULL, &scene) == PHX_OK) {
        (void)phx_scene_build(scene, &def, &world);
    }
    phx_scene_destroy(scene);
    return world;
}

// Rewrites the good file with some bytes of its unpacked chunks changed.
static void rewrite(const char* from, const char* to, const uint8_t* data, size_t size) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    char* bytes = NULL;
    size_t length = 0;
    phxi_chunk_reader reader = {0};
    phxi_chunk_writer writer = {0};
    if (phxi_file_read(&heap, from, 0, &bytes, &length) == PHX_OK &&
        phxi_chunks_open(&reader, bytes, length) == PHX_OK &&
        phxi_chunks_begin(&writer, &heap, to, &reader.head) == PHX_OK) {
        phxi_chunk chunk;
        for (int i = 0; phxi_chunks_next(&reader, &chunk) == PHX_OK && strcmp(chunk.name, "end") != 0; ++i) {
            unsigned char* values = phxi_alloc(&heap, chunk.size + 1, 1, "fuzz");
            void* scratch = phxi_alloc(&heap, chunk.size + 1, 1, "fuzz");
            if (!values || !scratch || phxi_chunk_unpack(&reader, &chunk, scratch, values) != PHX_OK) {
                break;
            }
            for (size_t k = 0; k + 3 <= size; k += 3) {
                if (data[k] == i && chunk.size > 0) {
                    values[data[k + 1] % chunk.size] = data[k + 2];
                }
            }
            (void)phxi_chunks_add(&writer, chunk.name, values, chunk.size, chunk.item);
        }
        (void)phxi_chunks_commit(&writer);
    }
    phxi_chunks_close(&reader);
    phxi_heap_destroy(&heap);
}

static phx_world* world; // one for all inputs: each begins by going back to the good state
static char good[256], made[256];

static void clean_up(void) {
    remove(good);
    remove(made);
    phx_world_destroy(world);
}

static void set_up(void) {
    const char* folder = getenv("TMPDIR");
    snprintf(good, sizeof good, "%s/fuzz-%ld-good.phx", folder ? folder : "/tmp", (long)getpid());
    snprintf(made, sizeof made, "%s/fuzz-%ld-made.phx", folder ? folder : "/tmp", (long)getpid());
    world = make_world();
    if (!world || phx_checkpoint_save(world, good) != PHX_OK) {
        abort();
    }
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!world) {
        set_up();
    }
    if (phx_checkpoint_load(world, good) != PHX_OK) {
        abort();
    }
    FILE* file = fopen(made, "wb");
    if (file) {
        fwrite(data, 1, size, file);
        fclose(file);
        uint64_t hash = phx_world_hash(world);
        if (phx_checkpoint_load(world, made) != PHX_OK && phx_world_hash(world) != hash) {
            abort(); // refused, and yet the world has changed
        }
    }
    rewrite(good, made, data, size);
    if (phx_checkpoint_load(world, made) == PHX_OK) {
        (void)phx_world_substep(world, 1e-4);
    }
    return 0;
}
