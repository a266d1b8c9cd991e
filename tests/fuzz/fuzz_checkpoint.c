// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint of small worlds, of every method (support/many_worlds.h). Random bytes do not pass the
// checksums, so the same bytes are also used as the contents of a file whose checksums are sound: the first chooses the
// world, then groups of six (chunk, place in two bytes, kind, value in two bytes) change the unpacked state of a good
// checkpoint, which is then loaded and stepped.
#include "../support/many_worlds.h"

#include "io/chunk.h"
#include "world/world.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { CHANGE = 6 };

static void put(unsigned char* at, size_t room, const void* value, size_t size) {
    memcpy(at, value, size < room ? size : room);
}

// A byte, a whole number or a real one that is often wrong.
static void change(unsigned char* values, size_t size, const uint8_t* d) {
    static const int whole[] = {-1, INT_MAX, INT_MIN, 0, 1, 1 << 20};
    static const double real[] = {0, -1, 1e-30, 1e30, 1e300, -1e15};
    size_t place = ((size_t)d[1] << 8 | d[2]) % size, slot = place / 4 * 4;
    int number = d[4] < 128 ? whole[d[4] % 6] : d[5];
    double value = d[4] < 128 ? real[d[4] % 6] : d[5];
    float single = (float)(value > 1e30 ? 1e38 : value);
    switch (d[3] % 4) {
    case 0:
        values[place] = d[4];
        break;
    case 1:
        put(values + slot, size - slot, &number, sizeof number);
        break;
    case 2:
        put(values + slot, size - slot, &single, sizeof single);
        break;
    default:
        put(values + place / 8 * 8, size - place / 8 * 8, &value, sizeof value);
        break;
    }
}

// Rewrites the good file with some numbers of its unpacked chunks changed.
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
            for (size_t k = 0; k + CHANGE <= size; k += CHANGE) {
                if (data[k] == i && chunk.size > 0) {
                    change(values, (size_t)chunk.size, data + k);
                }
            }
            (void)phxi_chunks_add(&writer, chunk.name, values, chunk.size, chunk.item);
        }
        (void)phxi_chunks_commit(&writer);
    }
    phxi_chunks_close(&reader);
    phxi_heap_destroy(&heap);
}

static phx_world* worlds[PHXT_MANY_WORLDS]; // for all inputs: each begins by going back to the good state
static char good[PHXT_MANY_WORLDS][256], made[256];

static void clean_up(void) {
    remove(made);
    for (int k = 0; k < PHXT_MANY_WORLDS; ++k) {
        remove(good[k]);
        phx_world_destroy(worlds[k]);
    }
}

static void set_up(void) {
    const char* folder = getenv("TMPDIR");
    snprintf(made, sizeof made, "%s/fuzz-%ld-made.phx", folder ? folder : "/tmp", (long)getpid());
    for (int k = 0; k < PHXT_MANY_WORLDS; ++k) {
        snprintf(good[k], sizeof good[k], "%s/fuzz-%ld-good-%d.phx", folder ? folder : "/tmp", (long)getpid(), k);
        worlds[k] = phxt_many_world(k);
        if (!worlds[k] || phx_checkpoint_save(worlds[k], good[k]) != PHX_OK) {
            abort();
        }
    }
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!worlds[0]) {
        set_up();
    }
    int k = size > 0 ? data[0] % PHXT_MANY_WORLDS : 0;
    phx_world* world = worlds[k];
    if (phx_checkpoint_load(world, good[k]) != PHX_OK) {
        abort();
    }
    uint64_t hash = phx_world_hash(world);
    FILE* file = fopen(made, "wb");
    if (file) {
        fwrite(data, 1, size, file);
        fclose(file);
        if (phx_checkpoint_load(world, made) != PHX_OK && phx_world_hash(world) != hash) {
            abort(); // refused, and yet the world has changed
        }
    }
    rewrite(good[k], made, data + (size > 0), size > 0 ? size - 1 : 0);
    if (phx_checkpoint_load(world, made) == PHX_OK) {
        (void)phx_world_substep(world, 1e-4);
    } else if (phx_world_hash(world) != hash) {
        abort();
    }
    return 0;
}
