// SPDX-License-Identifier: MIT
// The state of a world: saved particle fields, a list of named numbers beside them, and what solvers and friction pack.
// Hash, snapshot and checkpoint all walk these, so what one of them knows, all know.
#include "world/world.h"

#include "core/hash.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------- packed state

typedef struct packer {
    phxi_sink base;
    uint8_t* bytes; // where they go
    size_t size;    // so far
    uint64_t hash;
} packer;

static void put_size(phxi_sink* sink, const void* data, size_t size) {
    (void)data;
    ((packer*)sink)->size += size;
}

static void put_bytes(phxi_sink* sink, const void* data, size_t size) {
    packer* p = (packer*)sink;
    if (size > 0) {
        memcpy(p->bytes + p->size, data, size);
    }
    p->size += size;
}

static void put_hash(phxi_sink* sink, const void* data, size_t size) {
    packer* p = (packer*)sink;
    p->hash = phxi_hash_bytes(data, size, p->hash);
}

int phxi_world_friction_memories(const phx_world* world) {
    return 1 + world->colliders.count;
}

phxi_friction_memory* phxi_world_friction_memory(phx_world* world, int k) {
    return k == 0 ? &world->friction_memory : &world->colliders.items[k - 1].friction_memory;
}

int phxi_world_packed_count(const phx_world* world) {
    return world->solvers.count + phxi_world_friction_memories(world);
}

static bool pack(const phx_world* world, int s, packer* p) {
    int solvers = world->solvers.count;
    if (s >= solvers && s < phxi_world_packed_count(world)) {
        const phxi_friction_memory* memory =
            phxi_world_friction_memory((phx_world*)(uintptr_t)world, s - solvers); // for reading alone
        p->base.put(&p->base, memory->now.items, sizeof *memory->now.items * (size_t)memory->now.count);
        return true;
    }
    const phxi_saving_table* saving = s >= 0 && s < solvers ? world->solvers.items[s].method->saving : NULL;
    if (!saving || !saving->pack) {
        return false;
    }
    saving->pack(world->solvers.items[s].state, &p->base);
    return true;
}

bool phxi_world_packed_size(const phx_world* world, int s, size_t* size) {
    packer p = {.base.put = put_size};
    bool packs = pack(world, s, &p);
    *size = p.size;
    return packs;
}

void phxi_world_pack(const phx_world* world, int s, uint8_t* bytes) {
    packer p = {.base.put = put_bytes, .bytes = bytes};
    pack(world, s, &p);
}

phx_result phxi_world_unpack(phx_world* world, int s, const uint8_t* bytes, size_t size) {
    if (s >= world->solvers.count) {
        phxi_friction_memory* memory = phxi_world_friction_memory(world, s - world->solvers.count);
        return phxi_friction_memory_unpack(memory, &world->heap, bytes, size, world->particles.count);
    }
    phxi_step step = phxi_world_context(world, s);
    return world->solvers.items[s].method->saving->unpack(world->solvers.items[s].state, &step, bytes, size);
}

phx_result phxi_world_restore_solver(phx_world* world, int s) {
    const phxi_saving_table* saving = world->solvers.items[s].method->saving;
    phxi_step step = phxi_world_context(world, s);
    return saving && saving->restored ? saving->restored(world->solvers.items[s].state, &step) : PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- items

static bool fill(phxi_state_item* item, void* data, size_t size, phxi_item_kind kind, const char* name) {
    *item = (phxi_state_item){.data = data, .size = size, .kind = kind};
    snprintf(item->name, sizeof item->name, "%s", name);
    return true;
}

static bool fill_part(phxi_state_item* item, void* data, size_t size, phxi_item_kind kind, const char* of, int index,
                      const char* part) {
    *item = (phxi_state_item){.data = data, .size = size, .kind = kind};
    snprintf(item->name, sizeof item->name, "%s %d %s", of, index, part);
    return true;
}

static bool fill_count(phxi_state_item* item, int* count, int most, const char* name) {
    fill(item, count, sizeof *count, PHXI_ITEM_COUNT, name);
    item->most = most;
    return true;
}

static bool solver_item(phx_world* world, int* i, phxi_state_item* item) {
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        const phxi_saving_table* saving = solver->method->saving;
        if (saving && saving->word_count > 0 && (*i)-- == 0) {
            size_t size = sizeof(double) * (size_t)saving->word_count;
            return fill_part(item, saving->words(solver->state), size, PHXI_ITEM_NUMBERS, "solver", s, "words");
        }
    }
    return false;
}

static bool driver_part(phxi_driver* driver, int d, int part, phxi_state_item* item) {
    size_t size = 3 * sizeof(phx_real) * (size_t)driver->group.count;
    switch (part) {
    case 0:
        fill_part(item, &driver->window, sizeof driver->window, PHXI_ITEM_COUNT, "driver", d, "window");
        item->most = PHXI_WINDOW_CLOSED;
        return true;
    case 1:
        return fill_part(item, &driver->work, sizeof driver->work, PHXI_ITEM_NUMBERS, "driver", d, "work");
    case 2:
        return driver->moves_collider
                   ? fill_part(item, &driver->held, sizeof driver->held, PHXI_ITEM_NUMBERS, "driver", d, "held")
                   : fill_part(item, driver->start, size, PHXI_ITEM_REALS, "driver", d, "start");
    case 3:
        return fill_part(item, driver->reactions, size, PHXI_ITEM_REALS, "driver", d, "reactions");
    default:
        return fill_part(item, &driver->couple, sizeof driver->couple, PHXI_ITEM_NUMBERS, "driver", d, "couple");
    }
}

static bool driver_item(phx_world* world, int* i, phxi_state_item* item) {
    for (int d = 0; d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        int parts = !driver->used ? 0 : driver->moves_collider ? 3 : 5;
        if (*i < parts) {
            return driver_part(driver, d, *i, item);
        }
        *i -= parts;
    }
    return false;
}

static bool collider_item(phx_world* world, int* i, phxi_state_item* item) {
    for (int c = 0; c < world->colliders.count; ++c) {
        phxi_collider* collider = &world->colliders.items[c];
        if (collider->driven && (*i)-- == 0) {
            return fill_part(item, &collider->now, sizeof collider->now, PHXI_ITEM_NUMBERS, "collider", c, "pose");
        }
    }
    return false;
}

static bool probe_item(phx_world* world, int* i, phxi_state_item* item) {
    for (int k = 0; k < world->probes.count; ++k) {
        phxi_probe* probe = &world->probes.items[k];
        if (probe->collider >= 0 && (*i)-- == 0) {
            return fill_part(item, &probe->contact, sizeof probe->contact, PHXI_ITEM_NUMBERS, "probe", k, "contact");
        }
    }
    return false;
}

bool phxi_world_state_item(phx_world* world, int i, phxi_state_item* item) {
    switch (i) {
    case 0:
        return fill(item, &world->time, sizeof world->time, PHXI_ITEM_TIME, "time");
    case 1:
        return fill(item, &world->substeps, sizeof world->substeps, PHXI_ITEM_STEPS, "substeps");
    case 2:
        return fill(item, &world->last_dt, sizeof world->last_dt, PHXI_ITEM_TIME, "last dt");
    case 3:
        return fill(item, &world->past_work, sizeof world->past_work, PHXI_ITEM_NUMBERS, "past work");
    case 4:
        return fill(item, &world->heat.state, sizeof world->heat.state, PHXI_ITEM_NUMBERS, "heat");
    case 5:
        return fill_count(item, &world->looked.bodies, world->bodies.count, "bodies looked at for overlap");
    case 6:
        return fill_count(item, &world->looked.colliders, world->colliders.count, "colliders looked at for overlap");
    default:
        i -= 7;
        return i >= 0 && (solver_item(world, &i, item) || driver_item(world, &i, item) ||
                          collider_item(world, &i, item) || probe_item(world, &i, item));
    }
}

phx_result phxi_world_restored(phx_world* world) {
    phxi_pairs_forget(world->pairs);
    phxi_pairs_forget(world->implicit_pairs);
    world->overlapping = true; // for all that is known; it is looked up
    world->energy.known = false;
    for (int c = 0; c < world->colliders.count; ++c) {
        world->colliders.items[c].next = world->colliders.items[c].now;
    }
    phxi_world_expand(world, 1);
    for (int s = 0; s < world->solvers.count; ++s) {
        PHXI_TRY(phxi_world_restore_solver(world, s));
    }
    for (int b = 0; b < world->bodies.count; ++b) { // particles that have split, or are whole again
        if (world->bodies.items[b].grown > 0 || world->extremes.items[b].count != world->bodies.items[b].count) {
            phxi_world_renew_extremes(world, b);
        }
    }
    world->clamps.unknown = true;
    return phxi_clamps_update(world);
}

uint64_t phx_world_hash(const phx_world* world) {
    if (!world) {
        return 0;
    }
    uint64_t hash = phxi_particles_hash(&world->particles);
    phxi_state_item item;
    // items are addresses into the world; nothing is written through them here
    for (int i = 0; phxi_world_state_item((phx_world*)world, i, &item); ++i) {
        hash = phxi_hash_bytes(item.data, item.size, hash);
    }
    packer p = {.base.put = put_hash, .hash = hash};
    for (int s = 0; s < phxi_world_packed_count(world); ++s) {
        pack(world, s, &p);
    }
    return p.hash;
}

// ---------------------------------------------------------------------------------------------------- snapshot

// In memory one after the other: births, saved fields, items, and what is packed, each of these after its size.
typedef struct tape {
    uint8_t* bytes; // NULL: only measured
    size_t at;
    bool back; // from the tape into the world
} tape;

static void pass(tape* t, void* data, size_t size) {
    if (t->bytes && size > 0) {
        memcpy(t->back ? data : t->bytes + t->at, t->back ? t->bytes + t->at : data, size);
    }
    t->at += size;
}

static void pass_fields_and_items(phx_world* world, tape* t) {
    const phxi_particles* p = &world->particles;
    for (int f = 0; f < p->field_count; ++f) {
        if (p->fields[f].def.saved) {
            pass(t, p->fields[f].data, phxi_field_size(p->fields[f].def.type) * (size_t)p->count);
        }
    }
    phxi_state_item item;
    for (int i = 0; phxi_world_state_item(world, i, &item); ++i) {
        pass(t, item.data, item.size);
    }
}

static void keep(phx_world* world, tape* t) {
    pass(t, &world->births.count, sizeof world->births.count);
    pass(t, world->births.items, sizeof *world->births.items * (size_t)world->births.count);
    pass_fields_and_items(world, t);
    for (int s = 0; s < phxi_world_packed_count(world); ++s) {
        size_t size;
        if (phxi_world_packed_size(world, s, &size)) {
            pass(t, &size, sizeof size);
            if (t->bytes) {
                phxi_world_pack(world, s, t->bytes + t->at);
            }
            t->at += size;
        }
    }
}

/// Bytes that friction may need without its lists growing, so that snapshots grow no more often than these.
static size_t spare_memory(phx_world* world) {
    size_t spare = 0;
    for (int k = 0; k < phxi_world_friction_memories(world); ++k) {
        const phxi_friction_memory* memory = phxi_world_friction_memory(world, k);
        int room = memory->now.capacity > memory->next.capacity ? memory->now.capacity : memory->next.capacity;
        spare += sizeof(phxi_friction_slip) * (size_t)(room - memory->now.count);
    }
    return spare;
}

phx_result phxi_snapshot_take(phx_world* world) {
    tape t = {0};
    keep(world, &t);
    if (t.at > world->snapshot_capacity) {
        size_t capacity = t.at + spare_memory(world);
        uint8_t* bytes = phxi_alloc(&world->heap, capacity, 1, "snapshot");
        if (!bytes) {
            return PHX_ERROR_MEMORY;
        }
        phxi_free(&world->heap, world->snapshot);
        world->snapshot = bytes;
        world->snapshot_capacity = capacity;
    }
    keep(world, &(tape){.bytes = world->snapshot});
    return PHX_OK;
}

phx_result phxi_snapshot_restore(phx_world* world) {
    tape t = {.bytes = world->snapshot, .back = true};
    phxi_arena_reset(&world->arena);
    int births = 0;
    pass(&t, &births, sizeof births);
    PHXI_TRY(phxi_world_set_births(world, (const phxi_birth*)(const void*)(t.bytes + t.at), births));
    t.at += sizeof(phxi_birth) * (size_t)births;
    pass_fields_and_items(world, &t);
    for (int s = 0; s < phxi_world_packed_count(world); ++s) {
        size_t size = 0;
        if (phxi_world_packed_size(world, s, &size)) {
            pass(&t, &size, sizeof size);
            PHXI_TRY(phxi_world_unpack(world, s, t.bytes + t.at, size));
            t.at += size;
        }
    }
    return phxi_world_restored(world);
}
