// SPDX-License-Identifier: MIT
// The whole state of a world in a file of chunks: which particles were born on the way, every saved particle field,
// every item of the world's state (time, solver words, drivers) in the order in which the world lists them, and what
// solvers and friction pack. The text of everything that the world was made with comes first: the file fits a world
// that was made with the same. A second text is about the run, which decides what else is to stay as it was.
//
// Loading keeps a snapshot of the world first and goes back to it if anything is wrong with the file: a refused file
// leaves the world as it was.
#include "io/checkpoint.h"

#include "io/chunk.h"
#include "world/world.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { VERSION = 4 };

static const char PACKED[] = "packed"; // one a part that is packed, in their order

// Something that belongs to the state.
typedef struct entry {
    char name[PHXI_CHUNK_NAME];
    void* data;
    size_t size, item;
    const phxi_field* field; // NULL: an item of the world, and what it may be
    phxi_item_kind kind;
    int most;
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
    *e = (entry){.data = state.data,
                 .size = state.size,
                 .item = state.size % 8 == 0   ? 8
                         : state.size % 4 == 0 ? 4
                                               : 1,
                 .kind = state.kind,
                 .most = state.most};
    snprintf(e->name, sizeof e->name, "state %s", state.name);
    return true;
}

static phx_result save_packed(const phx_world* world, int part, phxi_heap* heap, phxi_chunk_writer* writer) {
    size_t size;
    if (!phxi_world_packed_size(world, part, &size)) {
        return PHX_OK;
    }
    uint8_t* bytes;
    PHXI_NEW(bytes, heap, size, "checkpoint");
    phxi_world_pack(world, part, bytes);
    phx_result result = phxi_chunks_add(writer, PACKED, bytes, size, size % 4 == 0 ? 4 : 1);
    phxi_free(heap, bytes);
    return result;
}

static phx_result save_definitions(const phx_world* world, const char* run, phxi_heap* heap,
                                   phxi_chunk_writer* writer) {
    char* text = phxi_world_definition(world, heap);
    if (!text) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_chunks_add(writer, "definition", text, strlen(text), 1));
    return phxi_chunks_add(writer, "run", run, strlen(run), 1);
}

phx_result phx_checkpoint_save(const phx_world* world, const char* path) {
    PHXI_NEED(world && path);
    return phxi_checkpoint_save(world, path, "");
}

phx_result phxi_checkpoint_save(const phx_world* world, const char* path, const char* run) {
    phx_world* readable = (phx_world*)(uintptr_t)world; // the world lists its state for reading and writing alike
    phxi_heap heap;
    phxi_heap_init(&heap, &world->heap.allocator);
    phxi_chunk_head head = {VERSION, sizeof(phx_real)};
    phxi_chunk_writer writer;
    phx_result result = phxi_chunks_begin(&writer, &heap, path, &head);
    if (result == PHX_OK) {
        result = save_definitions(world, run, &heap, &writer);
    }
    if (result == PHX_OK) {
        result = phxi_chunks_add(&writer, "births", world->births.items,
                                 sizeof *world->births.items * (size_t)world->births.count, sizeof(int));
    }
    entry e;
    for (int i = 0; result == PHX_OK && entry_at(readable, i, &e); ++i) {
        result = phxi_chunks_add(&writer, e.name, e.data, e.size, e.item);
    }
    for (int i = 0; result == PHX_OK && i < phxi_world_packed_count(world); ++i) {
        result = save_packed(world, i, &heap, &writer);
    }
    if (result == PHX_OK) {
        result = phxi_chunks_commit(&writer);
    } else {
        phxi_chunks_abandon(&writer);
    }
    phxi_heap_destroy(&heap);
    return result;
}

static phx_result check_head(const phxi_chunk_head* head) {
    if (head->version != VERSION) {
        return phxi_fail(PHX_ERROR_FORMAT, "the checkpoint has format version %u, expected %d", head->version, VERSION);
    }
    if (head->real_size != sizeof(phx_real)) {
        return phxi_fail(PHX_ERROR_FORMAT, "the checkpoint has numbers of %u bytes, this build has %zu",
                         head->real_size, sizeof(phx_real));
    }
    return PHX_OK;
}

// Numbers of the world's own.
static phx_result check_item(const entry* e, const void* values) {
    const double* numbers = values;
    const phx_real* reals = values;
    for (size_t i = 0; e->kind == PHXI_ITEM_REALS && i < e->size / sizeof *reals; ++i) {
        if (!isfinite(reals[i])) {
            return phxi_fail(PHX_ERROR_FORMAT, "number %zu of '%s' is not finite", i, e->name);
        }
    }
    bool time = e->kind == PHXI_ITEM_TIME;
    for (size_t i = 0; (time || e->kind == PHXI_ITEM_NUMBERS) && i < e->size / sizeof *numbers; ++i) {
        if (!(fabs(numbers[i]) <= 1e300) || (time && !(numbers[i] >= 0 && numbers[i] <= 1e15))) {
            return phxi_fail(PHX_ERROR_FORMAT, "'%s' is %g, expected %s", e->name, numbers[i],
                             time ? "0 to 1e15" : "a finite number");
        }
    }
    int count = 0;
    int64_t steps = 0;
    if (e->kind == PHXI_ITEM_STEPS) {
        memcpy(&steps, values, sizeof steps);
    } else if (e->kind == PHXI_ITEM_COUNT) {
        memcpy(&count, values, sizeof count);
    }
    if (steps < 0 || steps > (int64_t)1e15 || count < 0 || count > e->most) {
        return phxi_fail(PHX_ERROR_FORMAT, "'%s' is %lld, expected 0 to %lld", e->name,
                         (long long)(count ? count : steps), count ? (long long)e->most : (long long)1e15);
    }
    return PHX_OK;
}

// Sound checksums do not make sound values: what other code relies on is checked. A solver checks what its own numbers
// mean.
static phx_result check_field(const entry* e, const void* values) {
    enum { MOST = 1 << 30 };
    const phx_real* reals = values;
    const int* whole = values;
    const phxi_field_type type = e->field->def.type;
    if (strcmp(e->field->def.name, "body") == 0) { // what bodies are made of is part of the definition
        bool same = e->size == 0 || memcmp(values, e->data, e->size) == 0;
        return same ? PHX_OK : phxi_fail(PHX_ERROR_FORMAT, "'%s' is of another world", e->name);
    }
    for (size_t i = 0; type == PHXI_FIELD_REAL && i < e->size / sizeof *reals; ++i) {
        if (!isfinite(reals[i])) {
            return phxi_fail(PHX_ERROR_FORMAT, "'%s' of particle %zu is not finite", e->name, i);
        }
    }
    for (size_t i = 0; type == PHXI_FIELD_INT && i < e->size / sizeof *whole; ++i) {
        if (whole[i] < -MOST || whole[i] > MOST) {
            return phxi_fail(PHX_ERROR_FORMAT, "'%s' of particle %zu is %d", e->name, i, whole[i]);
        }
    }
    return PHX_OK;
}

// Ids tell whose cell is whose: those of the beginning are as they were given, and later ones are none of them.
static phx_result check_ids(const phx_world* world, const uint64_t* ids) {
    const phxi_particles* p = &world->particles;
    uint64_t last = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        for (int i = body->begin; i < body->begin + body->count - body->grown; ++i) {
            if (ids[i] != p->id[i]) {
                return phxi_fail(PHX_ERROR_FORMAT, "the id of particle %d is %llu, expected %llu", i,
                                 (unsigned long long)ids[i], (unsigned long long)p->id[i]);
            }
            last = ids[i] > last ? ids[i] : last;
        }
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        for (int i = body->begin + body->count - body->grown; i < body->begin + body->count; ++i) {
            if (ids[i] <= last) {
                return phxi_fail(PHX_ERROR_FORMAT, "the id of particle %d, which was born later, is %llu", i,
                                 (unsigned long long)ids[i]);
            }
        }
    }
    return PHX_OK;
}

static phx_result check_values(const phx_world* world, const entry* e, const void* values) {
    bool ids = e->field && strcmp(e->field->def.name, "id") == 0;
    return ids ? check_ids(world, values) : e->field ? check_field(e, values) : check_item(e, values);
}

typedef struct loader {
    phx_world* world;
    phxi_heap* heap;
    const char* run; // NULL: any
    phxi_chunk_reader reader;
    unsigned char *scratch, *values;
    size_t capacity; // of both
} loader;

// The next chunk, which has this name, into `values`.
static phx_result next(loader* l, const char* name, phxi_chunk* chunk) {
    PHXI_TRY(phxi_chunks_next(&l->reader, chunk));
    if (strcmp(chunk->name, name) != 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "chunk '%s', expected '%s'", chunk->name, name);
    }
    if (chunk->size >> 17 > chunk->packed_size) { // no packing is that good
        return phxi_fail(PHX_ERROR_FORMAT, "chunk '%s' claims %llu bytes", chunk->name,
                         (unsigned long long)chunk->size);
    }
    if (chunk->size > l->capacity) {
        phxi_free(l->heap, l->scratch);
        phxi_free(l->heap, l->values);
        l->scratch = l->values = NULL;
        l->capacity = 0;
        PHXI_NEW(l->scratch, l->heap, chunk->size, "checkpoint");
        PHXI_NEW(l->values, l->heap, chunk->size, "checkpoint");
        l->capacity = chunk->size;
    }
    return phxi_chunk_unpack(&l->reader, chunk, l->scratch, l->values);
}

// Both texts are compared before anything is changed.
static phx_result check_definitions(loader* l) {
    phxi_chunk chunk;
    const phx_log* log = &l->world->def.log;
    PHXI_TRY(next(l, "definition", &chunk));
    const char* now = phxi_world_definition(l->world, l->heap);
    if (!now) {
        return PHX_ERROR_MEMORY;
    }
    phx_result result =
        phxi_record_compare((const char*)l->values, chunk.size, now, strlen(now), phxi_definition_rules, log);
    if (result == PHX_OK) {
        PHXI_TRY(next(l, "run", &chunk));
        bool known = l->run && chunk.size > 0;
        result =
            known ? phxi_record_compare((const char*)l->values, chunk.size, l->run, strlen(l->run), NULL, log) : PHX_OK;
    }
    return result == PHX_ERROR_FORMAT ? phxi_fail_within(result, "the checkpoint is of another world") : result;
}

static phx_result load_births(loader* l) {
    phxi_chunk chunk;
    PHXI_TRY(next(l, "births", &chunk));
    if (chunk.size % sizeof(phxi_birth) != 0 || chunk.size / sizeof(phxi_birth) > INT_MAX) {
        return phxi_fail(PHX_ERROR_FORMAT, "%llu bytes of births", (unsigned long long)chunk.size);
    }
    return phxi_world_set_births(l->world, (const phxi_birth*)(const void*)l->values,
                                 (int)(chunk.size / sizeof(phxi_birth)));
}

static phx_result load_entries(loader* l) {
    phxi_chunk chunk;
    entry e;
    for (int i = 0; entry_at(l->world, i, &e); ++i) {
        PHXI_TRY(next(l, e.name, &chunk));
        if (chunk.size != e.size || chunk.item != e.item) {
            return phxi_fail(PHX_ERROR_FORMAT, "'%s' has %llu bytes, expected %zu", chunk.name,
                             (unsigned long long)chunk.size, e.size);
        }
        PHXI_TRY(check_values(l->world, &e, l->values));
        if (e.size > 0) {
            memcpy(e.data, l->values, e.size);
        }
    }
    return PHX_OK;
}

static phx_result load_packed(loader* l) {
    for (int s = 0; s < phxi_world_packed_count(l->world); ++s) {
        size_t size;
        phxi_chunk chunk;
        if (phxi_world_packed_size(l->world, s, &size)) {
            PHXI_TRY(next(l, PACKED, &chunk));
            PHXI_TRY(phxi_world_unpack(l->world, s, l->values, (size_t)chunk.size));
        }
    }
    return PHX_OK;
}

static phx_result load_chunks(loader* l) {
    PHXI_TRY(load_births(l));
    PHXI_TRY(load_entries(l));
    PHXI_TRY(load_packed(l));
    phxi_chunk chunk;
    PHXI_TRY(phxi_chunks_next(&l->reader, &chunk));
    if (strcmp(chunk.name, "end") != 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "unexpected chunk '%s'", chunk.name);
    }
    return phxi_world_restored(l->world);
}

static phx_result load(loader* l, const char* bytes, size_t size) {
    PHXI_TRY(phxi_chunks_open(&l->reader, bytes, size));
    PHXI_TRY(check_head(&l->reader.head));
    PHXI_TRY(check_definitions(l));
    PHXI_TRY(phxi_snapshot_take(l->world));
    phx_result result = load_chunks(l);
    if (result != PHX_OK) {
        phx_result back = phxi_snapshot_restore(l->world);
        return back == PHX_OK ? result : back;
    }
    return PHX_OK;
}

phx_result phx_checkpoint_load(phx_world* world, const char* path) {
    PHXI_NEED(world && path);
    return phxi_checkpoint_load(world, path, NULL);
}

phx_result phxi_checkpoint_load(phx_world* world, const char* path, const char* run) {
    phxi_heap heap;
    phxi_heap_init(&heap, &world->heap.allocator);
    loader l = {.world = world, .heap = &heap, .run = run};
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
