// SPDX-License-Identifier: MIT
// Checkpoints with sound checksums and numbers that cannot be: whatever the method, they are refused and change
// nothing, or the world goes on (or blows up, with an error) and can be brought back.
#include "support/many_worlds.h"
#include "support/test.h"

#include "io/chunk.h"
#include "world/world.h"

#include <float.h>
#include <limits.h>

// A good file, unpacked.
typedef struct part {
    char name[PHXI_CHUNK_NAME];
    unsigned char* values;
    size_t size, item;
} part;

typedef struct parts {
    phxi_heap heap;
    phxi_chunk_head head;
    part all[256];
    int count;
} parts;

static bool unpack(parts* p, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    phxi_chunk_reader reader = {0};
    phxi_chunk chunk;
    p->count = 0;
    phxi_heap_init(&p->heap, NULL);
    bool good =
        phxi_file_read(&p->heap, path, 0, &bytes, &size) == PHX_OK && phxi_chunks_open(&reader, bytes, size) == PHX_OK;
    p->head = reader.head;
    while (good && phxi_chunks_next(&reader, &chunk) == PHX_OK && strcmp(chunk.name, "end") != 0 && p->count < 256) {
        part* one = &p->all[p->count++];
        *one = (part){.size = chunk.size, .item = chunk.item};
        memcpy(one->name, chunk.name, sizeof one->name);
        one->values = phxi_alloc(&p->heap, chunk.size + 8, 1, "test");
        void* scratch = phxi_alloc(&p->heap, chunk.size + 8, 1, "test");
        good = phxi_chunk_unpack(&reader, &chunk, scratch, one->values) == PHX_OK;
    }
    phxi_chunks_close(&reader);
    return good && p->count > 2;
}

// All chunks, chunk `changed` with other bytes at a place (and so many bytes fewer).
static void write_changed(parts* p, const char* path, int changed, size_t at, const void* bytes, size_t size,
                          size_t fewer) {
    phxi_chunk_writer writer;
    unsigned char old[8];
    part* one = &p->all[changed];
    memcpy(old, one->values + at, size);
    memcpy(one->values + at, bytes, size);
    REQUIRE_OK(phxi_chunks_begin(&writer, &p->heap, path, &p->head));
    for (int i = 0; i < p->count; ++i) {
        size_t length = p->all[i].size - (i == changed ? fewer : 0);
        ENSURE_OK(phxi_chunks_add(&writer, p->all[i].name, p->all[i].values, length, p->all[i].item));
    }
    ENSURE_OK(phxi_chunks_commit(&writer));
    memcpy(one->values + at, old, size);
}

typedef struct trial {
    phx_world* world;
    parts parts;
    const char *good, *made;
    uint64_t hash;
    int accepted, refused;
} trial;

static void try_change(trial* t, int changed, size_t at, const void* bytes, size_t size, size_t fewer) {
    write_changed(&t->parts, t->made, changed, at, bytes, size, fewer);
    phx_result result = phx_checkpoint_load(t->world, t->made);
    if (result != PHX_OK) {
        ++t->refused;
        if (phx_world_hash(t->world) != t->hash) {
            phxt_failed(__FILE__, __LINE__, "refused, and yet changed: '%s' at %zu: %s", t->parts.all[changed].name, at,
                        phx_error_message());
        }
        return;
    }
    ++t->accepted;
    phx_totals totals;
    (void)phx_world_substep(t->world, 1e-4);
    (void)phx_world_measure(t->world, &totals);
    if (phx_checkpoint_load(t->world, t->good) != PHX_OK || phx_world_hash(t->world) != t->hash) {
        phxt_failed(__FILE__, __LINE__, "cannot go back after '%s' at %zu: %s", t->parts.all[changed].name, at,
                    phx_error_message());
    }
}

static void try_part(trial* t, int changed, int trials, uint64_t* random) {
    static const int whole[] = {-1, INT_MAX, INT_MIN, 1 << 20, 1000, 0};
    static const double real[] = {NAN, INFINITY, -1e300, 1e30, -1, 0};
    const part* p = &t->parts.all[changed];
    for (int k = 0; k < trials && p->size > 0; ++k) {
        double value = real[(int)(6 * phxt_random(random))];
        float single = (float)fmax(fmin(value, (double)FLT_MAX), -(double)FLT_MAX);
        int number = whole[(int)(6 * phxt_random(random))];
        // first numbers are counts more often than others
        size_t slots = p->size / 4, slot = k % 3 == 0 ? (size_t)k / 3 : (size_t)((double)slots * phxt_random(random));
        size_t at = slots ? 4 * (slot % slots) : 0;
        if (k % 4 == 0 || p->size < 4) {
            unsigned char byte = (unsigned char)(256 * phxt_random(random));
            try_change(t, changed, (size_t)((double)p->size * phxt_random(random)), &byte, 1, 0);
        } else if (k % 4 == 1) {
            try_change(t, changed, at, &number, 4, 0);
        } else if (k % 4 == 2 || p->size < 8) {
            try_change(t, changed, at, &single, 4, 0);
        } else {
            try_change(t, changed, at % 8 && at + 8 > p->size ? at - 4 : at + 8 > p->size ? at - 8 : at, &value, 8, 0);
        }
    }
    if (p->size >= p->item && p->size > 0) {
        try_change(t, changed, 0, p->values, 0, p->item); // one number is missing
    }
}

static void damage(int first, int last) {
    uint64_t random = 7;
    const char* more = getenv("CHECKPOINT_TRIALS"); // for a search of hours
    for (int w = first; w < last; ++w) {
        trial t = {.world = phxt_many_world(w)};
        if (!t.world) {
            phxt_failed(__FILE__, __LINE__, "world %d: %s", w, phx_error_message());
            continue;
        }
        char good[1024], made[1024];
        snprintf(good, sizeof good, "%s", phxt_path("good.phx"));
        snprintf(made, sizeof made, "%s", phxt_path("made.phx"));
        t.good = good, t.made = made;
        REQUIRE_OK(phx_checkpoint_save(t.world, good));
        REQUIRE(unpack(&t.parts, good));
        t.hash = phx_world_hash(t.world);
        for (int c = 0; c < t.parts.count; ++c) {
            try_part(&t, c, more ? atoi(more) : PHXT_STEPS(4, 2), &random);
        }
        ENSURE(t.refused > 0 && t.accepted > 0);
        phxi_heap_destroy(&t.parts.heap);
        phx_world_destroy(t.world);
    }
}

TEST(damage_of_explicit_and_broken_ones) {
    damage(0, 5);
}

TEST(damage_of_other_solids) {
    damage(5, 13);
}

TEST(damage_of_grains_fluids_and_rigid_ones) {
    damage(13, PHXT_MANY_WORLDS);
}
