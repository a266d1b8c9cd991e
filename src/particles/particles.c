// SPDX-License-Identifier: MIT
// The particle store. The X-macro of the header makes the core part of the field table; everything below walks the
// table, so a field of a method is allocated, grown, sorted and hashed exactly like a core field.
//
// Growth allocates all new arrays before it frees an old one: for a moment both sets live, in exchange a failure leaves
// every value and every pointer as it was. Arrays are longer than the capacity, so that a loop over whole vectors of
// eight or sixteen may run past the last particle (and write there: add() clears what it hands out).
#include "particles/particles.h"

#include "core/hash.h"
#include "math/simd.h"

#include <limits.h>
#include <string.h>

enum {
#define X(member, type, suffix, unit, saved, help) CORE_##member,
    PHXI_CORE_FIELDS(X)
#undef X
        CORE_COUNT
};

static const phxi_field_def core_defs[CORE_COUNT] = {
#define X(member, type, suffix, unit, saved, help) {#member, unit, help, PHXI_FIELD_##suffix, saved},
    PHXI_CORE_FIELDS(X)
#undef X
};

static const phxi_field_def motion_defs[PHXI_MOTION_COUNT][3] = {
#define X(member, x, y, z, unit, help)                                                                                 \
    {{x, unit, help, PHXI_FIELD_REAL, true},                                                                           \
     {y, unit, help, PHXI_FIELD_REAL, true},                                                                           \
     {z, unit, help, PHXI_FIELD_REAL, true}},
    PHXI_MOTION_FIELDS(X)
#undef X
};

static const phxi_field_def boundary_defs[] = {
#define X(member, name, unit, saved, help) {name, unit, help, PHXI_FIELD_REAL, saved},
    PHXI_BOUNDARY_FIELDS(X)
#undef X
};

static const phxi_field_def thermal_def = {"thermal", "", "how much longer warmth makes it", PHXI_FIELD_REAL, false};

enum { VECTOR = 16 };
static const char label[] = "particles";

size_t phxi_field_size(phxi_field_type type) {
    switch (type) {
    case PHXI_FIELD_REAL:
        return sizeof(phx_real);
    case PHXI_FIELD_INT:
        return sizeof(int);
    case PHXI_FIELD_UINT64:
        return sizeof(uint64_t);
    }
    return 0;
}

// Items to allocate for a capacity: a multiple of the vector and one vector more.
static size_t padded(int capacity) {
    return ((size_t)capacity + VECTOR - 1) / VECTOR * VECTOR + VECTOR;
}

static char* item(const phxi_field* field, int index) {
    return (char*)field->data + (size_t)index * phxi_field_size(field->def.type);
}

// Makes the members point to what the table holds.
static void publish(phxi_particles* particles) {
#define X(member, type, suffix, unit, saved, help) particles->member = particles->fields[CORE_##member].data;
    PHXI_CORE_FIELDS(X)
#undef X
    for (int axis = 0; axis < 3; ++axis) {
#define X(member, x, y, z, unit, help)                                                                                 \
    particles->member[axis] = phxi_particles_field(particles, motion_defs[PHXI_MOTION_BIT_##member][axis].name);
        PHXI_MOTION_FIELDS(X)
#undef X
    }
    const phxi_field_def* boundary = boundary_defs;
#define X(member, text, unit, saved, help) particles->member = phxi_particles_field(particles, (boundary++)->name);
    PHXI_BOUNDARY_FIELDS(X)
#undef X
    particles->thermal = phxi_particles_field(particles, thermal_def.name);
}

phx_result phxi_particles_init(phxi_particles* particles, phxi_heap* heap) {
    *particles = (phxi_particles){.heap = heap, .next_id = 1};
    for (int f = 0; f < CORE_COUNT; ++f) {
        phx_result result = phxi_particles_add_field(particles, &core_defs[f]);
        if (result != PHX_OK) {
            phxi_particles_destroy(particles);
            return result;
        }
    }
    publish(particles);
    return PHX_OK;
}

void phxi_particles_destroy(phxi_particles* particles) {
    for (int f = 0; f < particles->field_count; ++f) {
        phxi_free(particles->heap, particles->fields[f].data);
    }
    phxi_free(particles->heap, particles->fields);
    *particles = (phxi_particles){.heap = particles->heap};
}

static phx_result grow(phxi_particles* particles, int needed) {
    phxi_heap* heap = particles->heap;
    int64_t more = (int64_t)particles->capacity + particles->capacity / 8; // copies are cheap, idle memory is not
    int64_t wanted = more > needed ? more : needed;
    wanted = (wanted + VECTOR - 1) / VECTOR * VECTOR;
    int capacity = wanted < INT_MAX ? (int)wanted : INT_MAX;
    void** fresh = phxi_alloc_zero(heap, (size_t)particles->field_count, sizeof *fresh, label);
    if (!fresh) {
        return PHX_ERROR_MEMORY;
    }
    for (int f = 0; f < particles->field_count; ++f) {
        fresh[f] = phxi_alloc_zero(heap, padded(capacity), phxi_field_size(particles->fields[f].def.type), label);
        if (!fresh[f]) {
            while (f-- > 0) {
                phxi_free(heap, fresh[f]);
            }
            phxi_free(heap, fresh);
            return PHX_ERROR_MEMORY;
        }
    }
    for (int f = 0; f < particles->field_count; ++f) {
        phxi_field* field = &particles->fields[f];
        memcpy(fresh[f], field->data, (size_t)particles->count * phxi_field_size(field->def.type));
        phxi_free(heap, field->data);
        field->data = fresh[f];
    }
    phxi_free(heap, fresh);
    particles->capacity = capacity;
    publish(particles);
    return PHX_OK;
}

phx_result phxi_particles_add(phxi_particles* particles, int count) {
    if (count < 0 || count > INT_MAX - particles->count) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "cannot add %d particles to %d: a world holds 0 to %d", count,
                         particles->count, INT_MAX);
    }
    int first = particles->count;
    if (first + count > particles->capacity) {
        PHXI_TRY(grow(particles, first + count));
    }
    for (int f = 0; f < particles->field_count; ++f) {
        const phxi_field* field = &particles->fields[f];
        memset(item(field, first), 0, (size_t)count * phxi_field_size(field->def.type));
    }
    for (int k = 0; k < count; ++k) {
        particles->id[first + k] = particles->next_id++;
    }
    particles->count += count;
    return PHX_OK;
}

// If these are the newest ids, in whatever order, they are unused and given back.
static void give_back_ids(phxi_particles* particles, int at, int count) {
    uint64_t first_id = particles->next_id - (uint64_t)count;
    bool newest = true;
    for (int i = at; i < at + count; ++i) {
        newest = newest && particles->id[i] >= first_id;
    }
    particles->next_id = newest ? first_id : particles->next_id;
}

void phxi_particles_drop(phxi_particles* particles, int count) {
    PHXI_ASSERT(count >= 0 && count <= particles->count);
    give_back_ids(particles, particles->count - count, count);
    particles->count -= count;
}

phx_result phxi_particles_insert(phxi_particles* particles, int at, const int* parents, int count) {
    int old = particles->count;
    PHXI_ASSERT(at >= 0 && at <= old);
    PHXI_TRY(phxi_particles_add(particles, count)); // gives room and ids, which stand at the end now
    uint64_t first_id = particles->next_id - (uint64_t)count;
    for (int f = 0; f < particles->field_count; ++f) {
        const phxi_field* field = &particles->fields[f];
        size_t size = phxi_field_size(field->def.type);
        memmove(item(field, at + count), item(field, at), (size_t)(old - at) * size);
        for (int k = 0; k < count; ++k) {
            memcpy(item(field, at + k), item(field, parents[k]), size);
        }
    }
    for (int k = 0; k < count; ++k) {
        particles->id[at + k] = first_id + (uint64_t)k;
    }
    return PHX_OK;
}

void phxi_particles_remove(phxi_particles* particles, int at, int count) {
    PHXI_ASSERT(at >= 0 && count >= 0 && at <= particles->count - count);
    give_back_ids(particles, at, count);
    particles->count -= count;
    for (int f = 0; f < particles->field_count; ++f) {
        const phxi_field* field = &particles->fields[f];
        memmove(item(field, at), item(field, at + count),
                (size_t)(particles->count - at) * phxi_field_size(field->def.type));
    }
}

static phxi_field* find(const phxi_particles* particles, const char* name) {
    for (int f = 0; f < particles->field_count; ++f) {
        if (particles->fields[f].def.name == name) { // who asks each substep asks with the text it was added by
            return &particles->fields[f];
        }
    }
    for (int f = 0; f < particles->field_count; ++f) {
        if (strcmp(particles->fields[f].def.name, name) == 0) {
            return &particles->fields[f];
        }
    }
    return NULL;
}

phx_result phxi_particles_add_field(phxi_particles* particles, const phxi_field_def* def) {
    const phxi_field* there = find(particles, def->name);
    if (there) {
        return there->def.type == def->type
                   ? PHX_OK
                   : phxi_fail(PHX_ERROR_ARGUMENT, "particle field '%s' is there already, with another type",
                               def->name);
    }
    if (particles->field_count == particles->field_capacity) {
        int capacity = particles->field_capacity + particles->field_capacity / 2 + CORE_COUNT;
        phxi_field* fields = phxi_realloc(particles->heap, particles->fields, (size_t)capacity, sizeof *fields, label);
        if (!fields) {
            return PHX_ERROR_MEMORY;
        }
        particles->fields = fields;
        particles->field_capacity = capacity;
    }
    void* data = phxi_alloc_zero(particles->heap, padded(particles->capacity), phxi_field_size(def->type), label);
    if (!data) {
        return PHX_ERROR_MEMORY;
    }
    particles->fields[particles->field_count++] = (phxi_field){*def, data};
    return PHX_OK;
}

phx_result phxi_particles_add_motion(phxi_particles* particles, unsigned groups) {
    for (int k = 0; k < 3 * PHXI_MOTION_COUNT; ++k) {
        if (groups >> (k / 3) & 1) {
            PHXI_TRY(phxi_particles_add_field(particles, &motion_defs[k / 3][k % 3]));
        }
    }
    publish(particles);
    return PHX_OK;
}

phx_result phxi_particles_add_boundary(phxi_particles* particles) {
    for (size_t k = 0; k < sizeof boundary_defs / sizeof boundary_defs[0]; ++k) {
        PHXI_TRY(phxi_particles_add_field(particles, &boundary_defs[k]));
    }
    publish(particles);
    return PHX_OK;
}

phx_result phxi_particles_add_thermal(phxi_particles* particles) {
    PHXI_TRY(phxi_particles_add_field(particles, &thermal_def));
    publish(particles);
    return PHX_OK;
}

void phxi_particles_drop_fields(phxi_particles* particles, int count) {
    while (particles->field_count > count) {
        phxi_free(particles->heap, particles->fields[--particles->field_count].data);
    }
    publish(particles);
}

void* phxi_particles_field(const phxi_particles* particles, const char* name) {
    const phxi_field* field = find(particles, name);
    return field ? field->data : NULL;
}

// True if every number of 0 .. count-1 stands in `order` once; `seen` is scratch of count bytes.
static bool is_permutation(const int* order, int count, unsigned char* seen) {
    memset(seen, 0, (size_t)count);
    for (int k = 0; k < count; ++k) {
        if (order[k] < 0 || order[k] >= count || seen[order[k]]) {
            return false;
        }
        seen[order[k]] = 1;
    }
    return true;
}

static void gather(const phxi_field* field, int begin, int count, const int* order, void* scratch) {
    size_t size = phxi_field_size(field->def.type);
    char* data = item(field, begin);
    memcpy(scratch, data, (size_t)count * size);
    if (size == sizeof(uint32_t)) {
        for (int k = 0; k < count; ++k) {
            memcpy(data + (size_t)k * 4, (const char*)scratch + (size_t)order[k] * 4, 4);
        }
    } else {
        for (int k = 0; k < count; ++k) {
            memcpy(data + (size_t)k * 8, (const char*)scratch + (size_t)order[k] * 8, 8);
        }
    }
}

phx_result phxi_particles_reorder(phxi_particles* particles, int begin, int count, const int* order) {
    if (begin < 0 || count < 0 || begin > particles->count - count) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "cannot reorder %d particles from %d on: there are %d", count, begin,
                         particles->count);
    }
    void* scratch = phxi_alloc(particles->heap, (size_t)count, sizeof(uint64_t), "particles.reorder");
    if (!scratch) {
        return PHX_ERROR_MEMORY;
    }
    phx_result result = PHX_OK;
    if (is_permutation(order, count, scratch)) {
        for (int f = 0; f < particles->field_count; ++f) {
            gather(&particles->fields[f], begin, count, order, scratch);
        }
    } else {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "the new order of %d particles does not name each of them once", count);
    }
    phxi_free(particles->heap, scratch);
    return result;
}

uint64_t phxi_particles_hash(const phxi_particles* particles) {
    uint64_t hash = (uint64_t)particles->count;
    for (int f = 0; f < particles->field_count; ++f) {
        const phxi_field_def* def = &particles->fields[f].def;
        if (def->saved) {
            hash = phxi_hash_bytes(def->name, strlen(def->name), hash);
            hash =
                phxi_hash_bytes(particles->fields[f].data, (size_t)particles->count * phxi_field_size(def->type), hash);
        }
    }
    return hash;
}

static PHXI_CLONES void particles_range(const phx_real* restrict x, int count, phx_real* low, phx_real* high) {
    phx_real least = INFINITY, most = -INFINITY;
#pragma omp simd reduction(min : least) reduction(max : most)
    for (int i = 0; i < count; ++i) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    *low = least;
    *high = most;
}

void phxi_range(const phx_real* values, int count, phx_real* low, phx_real* high) {
    particles_range(values, count, low, high);
}
