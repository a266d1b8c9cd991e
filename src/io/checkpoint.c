// SPDX-License-Identifier: MIT
// The whole state of a world in a file of chunks: every saved particle field, then every item of the world's state
// (time, solver words, drivers), in the order in which the world lists them. The file fits a world of the same plan.
//
// Loading goes through the file twice. The first pass checks all of it, unpacked values included, against a scratch
// copy; only then the second pass writes into the world. That costs the unpacking twice and one field of memory, and
// buys that a refused file leaves the world as it was.
#include <phyxel/io.h>

#include "io/chunk.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

// Something that belongs to the state.
typedef struct entry {
    char name[PHXI_CHUNK_NAME];
    void* data;
    size_t size, item;
    const phxi_field* field; // NULL: an item of the world
} entry;

// Entry i of a world; false past the end.
static bool entry_at(phx_world* world, int i, entry* e) {
    const phxi_particles* particles = &world->particles;
    for (int k = 0; k < particles->field_count; ++k) {
        const phxi_field* field = &particles->fields[k];
        if (field->def.saved && i-- == 0) {
            size_t item = phxi_field_size(field->def.type);
            *e = (entry){.data = field->data, .size = (size_t)particles->count * item, .item = item, .field = field};
            snprintf(e->name, sizeof e->name, "field %.90s", field->def.name);
            return true;
        }
    }
    phxi_state_item state;
    if (!phxi_world_state_item(world, i, &state)) {
        return false;
    }
    *e = (entry){.data = state.data, .size = state.size, .item = state.size % 8 == 0 ? 8 : state.size % 4 == 0 ? 4 : 1};
    snprintf(e->name, sizeof e->name, "state %s", state.name);
    return true;
}

phx_result phx_checkpoint_save(const phx_world* world, const char* path) {
    if (!world || !path) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_checkpoint_save needs a world and a path");
    }
    phx_world* readable = (phx_world*)(uintptr_t)world; // the world lists its state for reading and writing alike
    phxi_heap heap;
    phxi_heap_init(&heap, &world->heap.allocator);
    phxi_chunk_head head = {VERSION, sizeof(phx_real), phxi_world_plan(world)};
    phxi_chunk_writer writer;
    phx_result result = phxi_chunks_begin(&writer, &heap, path, &head);
    entry e;
    for (int i = 0; result == PHX_OK && entry_at(readable, i, &e); ++i) {
        result = phxi_chunks_add(&writer, e.name, e.data, e.size, e.item);
    }
    if (result == PHX_OK) {
        result = phxi_chunks_commit(&writer);
    } else {
        phxi_chunks_abandon(&writer);
    }
    phxi_heap_destroy(&heap);
    return result;
}

static phx_result check_head(const phx_world* world, const phxi_chunk_head* head) {
    if (head->version != VERSION) {
        return phxi_fail(PHX_ERROR_FORMAT, "the checkpoint has format version %u, expected %d", head->version, VERSION);
    }
    if (head->real_size != sizeof(phx_real)) {
        return phxi_fail(PHX_ERROR_FORMAT, "the checkpoint has numbers of %u bytes, this build has %zu",
                         head->real_size, sizeof(phx_real));
    }
    if (head->plan != phxi_world_plan(world)) {
        return phxi_fail(PHX_ERROR_FORMAT,
                         "the checkpoint is of another world (bodies, materials, methods or drivers differ)");
    }
    return PHX_OK;
}

// What is counted on: times, and how many substeps there were.
static phx_result check_clock(const entry* e, const void* values) {
    double number = 0;
    if ((strcmp(e->name, "state time") == 0 || strcmp(e->name, "state last dt") == 0) && e->size == sizeof number) {
        memcpy(&number, values, sizeof number);
    } else if (strcmp(e->name, "state substeps") == 0) {
        int64_t count = 0;
        memcpy(&count, values, sizeof count);
        number = (double)count;
    }
    return number >= 0 && number <= 1e15
               ? PHX_OK
               : phxi_fail(PHX_ERROR_FORMAT, "'%s' is %g, expected 0 to 1e15", e->name, number);
}

// Sound checksums do not make sound values: what other code relies on is checked.
static phx_result check_values(const entry* e, const void* values) {
    if (e->field && e->field->def.type != PHXI_FIELD_REAL) {
        // ids and bodies are part of the plan; a method that saves whole numbers keeps them constant likewise
        return memcmp(values, e->data, e->size) == 0 ? PHX_OK
                                                     : phxi_fail(PHX_ERROR_FORMAT, "'%s' is of another world", e->name);
    }
    if (e->field) {
        const phx_real* reals = values;
        for (size_t i = 0; i < e->size / sizeof *reals; ++i) {
            if (!isfinite(reals[i])) {
                return phxi_fail(PHX_ERROR_FORMAT, "'%s' of particle %zu is not finite", e->name, i);
            }
        }
    }
    PHXI_TRY(check_clock(e, values));
    if (!e->field && e->size == 1 && *(const unsigned char*)values > 1) {
        return phxi_fail(PHX_ERROR_FORMAT, "'%s' is neither true nor false", e->name);
    }
    return PHX_OK;
}

typedef struct loader {
    phx_world* world;
    phxi_heap* heap;
    phxi_chunk_reader reader;
    unsigned char *scratch, *values;
} loader;

// One pass over all chunks: into the scratch copy with checks, or into the world.
static phx_result pass(loader* l, bool write) {
    phxi_chunk chunk;
    entry e;
    for (int i = 0; entry_at(l->world, i, &e); ++i) {
        PHXI_TRY(phxi_chunks_next(&l->reader, &chunk));
        if (strcmp(chunk.name, e.name) != 0 || chunk.size != e.size || chunk.item != e.item) {
            return phxi_fail(PHX_ERROR_FORMAT, "chunk %d is '%s' of %llu bytes, expected '%s' of %zu", i, chunk.name,
                             (unsigned long long)chunk.size, e.name, e.size);
        }
        PHXI_TRY(phxi_chunk_unpack(&l->reader, &chunk, l->scratch, write ? e.data : l->values));
        if (!write) {
            PHXI_TRY(check_values(&e, l->values));
        }
    }
    PHXI_TRY(phxi_chunks_next(&l->reader, &chunk));
    return strcmp(chunk.name, "end") == 0 ? PHX_OK : phxi_fail(PHX_ERROR_FORMAT, "unexpected chunk '%s'", chunk.name);
}

static phx_result load(loader* l, const char* bytes, size_t size) {
    PHXI_TRY(phxi_chunks_open(&l->reader, bytes, size));
    PHXI_TRY(check_head(l->world, &l->reader.head));
    size_t largest = 1;
    entry e;
    for (int i = 0; entry_at(l->world, i, &e); ++i) {
        largest = e.size > largest ? e.size : largest;
    }
    PHXI_NEW(l->scratch, l->heap, largest, "checkpoint");
    PHXI_NEW(l->values, l->heap, largest, "checkpoint");
    PHXI_TRY(pass(l, false));
    phxi_chunks_rewind(&l->reader);
    PHXI_TRY(pass(l, true));
    return phxi_world_restored(l->world);
}

phx_result phx_checkpoint_load(phx_world* world, const char* path) {
    if (!world || !path) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_checkpoint_load needs a world and a path");
    }
    phxi_heap heap;
    phxi_heap_init(&heap, &world->heap.allocator);
    loader l = {.world = world, .heap = &heap};
    char* bytes = NULL;
    size_t size = 0;
    phx_result result = phxi_file_read(&heap, path, (size_t)1 << 40, &bytes, &size);
    if (result == PHX_OK) {
        result = load(&l, bytes, size);
        if (result != PHX_OK) {
            phxi_fail_within(result, "%s", path);
        }
    }
    phxi_chunks_close(&l.reader);
    phxi_heap_destroy(&heap);
    return result;
}
