// SPDX-License-Identifier: MIT
// Particles that methods add to their bodies while the world moves.
//
// A newborn is a copy of its parent at the end of the parent's body, in every group that the parent is in. The list of
// births is all that is needed to make the same particles again: snapshots and checkpoints keep it, and going back is
// taking out the youngest. Everything that may fail comes before anything is changed.
#include "world/world.h"

#include <string.h>

/// Members of a group with numbers beside them, as it will be.
typedef struct grown_group {
    int* indices;
    phx_real *start, *reactions; // of drivers
} grown_group;

typedef struct growth {
    phx_world* world;
    int body, at, count; // where the newborn begin
    const int* parents;  // in the world
    grown_group* drivers;
    grown_group* probes;
    uint8_t** selected; // of probes
} growth;

static bool is_in(const phxi_group* group, int particle, int* place) {
    int low = 0, high = group->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (group->indices[middle] < particle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *place = low;
    return low < group->count && group->indices[low] == particle;
}

static int members_born(const growth* g, const phxi_group* group) {
    int members = 0, place;
    for (int k = 0; k < g->count; ++k) {
        members += is_in(group, g->parents[k], &place);
    }
    return members;
}

static phx_result prepare_group(const growth* g, const phxi_group* group, bool driver, grown_group* fresh) {
    phxi_heap* heap = &g->world->heap;
    size_t count = (size_t)group->count + (size_t)members_born(g, group);
    PHXI_NEW(fresh->indices, heap, count, "group");
    if (driver) {
        PHXI_NEW(fresh->start, heap, 3 * count, "driver");
        PHXI_NEW(fresh->reactions, heap, 3 * count, "driver");
    }
    return PHX_OK;
}

static void copy_member(const grown_group* fresh, int to, const phxi_driver* driver, int from) {
    for (int axis = 0; driver && axis < 3; ++axis) {
        fresh->start[3 * (size_t)to + axis] = driver->start[3 * (size_t)from + axis];
        fresh->reactions[3 * (size_t)to + axis] = driver->reactions[3 * (size_t)from + axis];
    }
}

/// Old members before the newborn, the newborn, old members after them.
static void fill_group(const growth* g, phxi_group* group, phxi_driver* driver, grown_group* fresh) {
    int count = 0, k = 0, place;
    for (; k < group->count && group->indices[k] < g->at; ++k) {
        copy_member(fresh, count, driver, k);
        fresh->indices[count++] = group->indices[k];
    }
    for (int n = 0; n < g->count; ++n) {
        if (is_in(group, g->parents[n], &place)) {
            copy_member(fresh, count, driver, place);
            fresh->indices[count++] = g->at + n;
        }
    }
    for (; k < group->count; ++k) {
        copy_member(fresh, count, driver, k);
        fresh->indices[count++] = group->indices[k] + g->count;
    }
    phxi_free(&g->world->heap, group->indices);
    group->indices = fresh->indices;
    group->count = count;
    if (driver) {
        phxi_free(&g->world->heap, driver->start);
        phxi_free(&g->world->heap, driver->reactions);
        driver->start = fresh->start;
        driver->reactions = fresh->reactions;
    }
}

static phx_result prepare(growth* g) {
    phx_world* world = g->world;
    phxi_heap* heap = &world->heap;
    if (!phxi_array_reserve(&world->births, g->count, heap, "births")) {
        return PHX_ERROR_MEMORY;
    }
    g->drivers = phxi_alloc_zero(heap, (size_t)world->drivers.count, sizeof *g->drivers, "groups");
    g->probes = phxi_alloc_zero(heap, (size_t)world->probes.count, sizeof *g->probes, "groups");
    g->selected = phxi_alloc_zero(heap, (size_t)world->probes.count, sizeof *g->selected, "groups");
    if (!g->drivers || !g->probes || !g->selected) {
        return PHX_ERROR_MEMORY;
    }
    for (int d = 0; d < world->drivers.count; ++d) {
        if (world->drivers.items[d].used && !world->drivers.items[d].moves_collider) {
            PHXI_TRY(prepare_group(g, &world->drivers.items[d].group, true, &g->drivers[d]));
        }
    }
    for (int k = 0; k < world->probes.count; ++k) {
        const phxi_probe* probe = &world->probes.items[k];
        PHXI_TRY(prepare_group(g, &probe->group, false, &g->probes[k]));
        if (g->at <= probe->selected_count) { // the body was there when the probe was made
            PHXI_NEW(g->selected[k], heap, probe->selected_count + g->count, "probe");
        }
    }
    return PHX_OK;
}

static void abandon(growth* g) {
    phxi_heap* heap = &g->world->heap;
    for (int d = 0; g->drivers && d < g->world->drivers.count; ++d) {
        phxi_free(heap, g->drivers[d].indices);
        phxi_free(heap, g->drivers[d].start);
        phxi_free(heap, g->drivers[d].reactions);
    }
    for (int k = 0; g->probes && k < g->world->probes.count; ++k) {
        phxi_free(heap, g->probes[k].indices);
        if (g->selected) {
            phxi_free(heap, g->selected[k]);
        }
    }
}

static void fill_selected(const growth* g, phxi_probe* probe, uint8_t* fresh) {
    memcpy(fresh, probe->selected, (size_t)g->at);
    for (int n = 0; n < g->count; ++n) {
        fresh[g->at + n] = probe->selected[g->parents[n]];
    }
    memcpy(fresh + g->at + g->count, probe->selected + g->at, (size_t)(probe->selected_count - g->at));
    phxi_free(&g->world->heap, probe->selected);
    probe->selected = fresh;
    probe->selected_count += g->count;
}

static void tell_moved(phx_world* world) {
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (solver->method->moved) {
            phxi_step step = phxi_world_context(world, s);
            solver->method->moved(solver->state, &step);
        }
    }
}

/// A body has `count` more particles at its end (less, if negative).
static void shift_bodies(phx_world* world, int body, int count) {
    int end = world->bodies.items[body].begin + world->bodies.items[body].count;
    for (int b = 0; b < world->bodies.count; ++b) {
        if (b != body && world->bodies.items[b].begin >= end) {
            world->bodies.items[b].begin += count;
        }
    }
    world->bodies.items[body].count += count;
    world->bodies.items[body].grown += count;
}

static void commit(growth* g) {
    phx_world* world = g->world;
    for (int d = 0; d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        if (driver->used && !driver->moves_collider) {
            fill_group(g, &driver->group, driver, &g->drivers[d]);
        }
    }
    for (int k = 0; k < world->probes.count; ++k) {
        phxi_probe* probe = &world->probes.items[k];
        fill_group(g, &probe->group, NULL, &g->probes[k]);
        if (g->selected[k]) {
            fill_selected(g, probe, g->selected[k]);
        }
    }
    for (int k = 0; k < phxi_world_friction_memories(world); ++k) {
        phxi_friction_memory_shift(phxi_world_friction_memory(world, k), g->at, g->count);
    }
    int begin = world->bodies.items[g->body].begin;
    for (int n = 0; n < g->count; ++n) {
        world->births.items[world->births.count++] = (phxi_birth){g->body, g->parents[n] - begin};
    }
    shift_bodies(world, g->body, g->count);
}

phx_result phxi_world_grow(phx_world* world, int body, const int* parents, int count) {
    const phxi_body* b = &world->bodies.items[body];
    int* absolute;
    PHXI_NEW(absolute, &world->heap, count, "births");
    for (int k = 0; k < count; ++k) {
        PHXI_ASSERT(parents[k] >= 0 && parents[k] < b->count);
        absolute[k] = b->begin + parents[k];
    }
    growth g = {.world = world, .body = body, .at = b->begin + b->count, .count = count, .parents = absolute};
    phx_result result = prepare(&g);
    if (result == PHX_OK) {
        result = phxi_particles_insert(&world->particles, g.at, absolute, count);
    }
    if (result == PHX_OK) {
        commit(&g);
        tell_moved(world);
    } else {
        abandon(&g);
    }
    phxi_free(&world->heap, g.drivers);
    phxi_free(&world->heap, g.probes);
    phxi_free(&world->heap, g.selected);
    phxi_free(&world->heap, absolute);
    return result;
}

// ---------------------------------------------------------------------------------------------------- going back

/// Drops members in [at, at + count), and lowers what comes later.
static void shrink_group(phxi_group* group, phxi_driver* driver, int at, int count) {
    int kept = 0;
    for (int k = 0; k < group->count; ++k) {
        int i = group->indices[k];
        if (i >= at && i < at + count) {
            continue;
        }
        if (driver) {
            memmove(driver->start + 3 * (size_t)kept, driver->start + 3 * (size_t)k, 3 * sizeof *driver->start);
            memmove(driver->reactions + 3 * (size_t)kept, driver->reactions + 3 * (size_t)k,
                    3 * sizeof *driver->reactions);
        }
        group->indices[kept++] = i < at ? i : i - count;
    }
    group->count = kept;
}

/// The last `count` births were all in one body.
static void take_back(phx_world* world, int count) {
    int body = world->births.items[world->births.count - 1].body;
    int at = world->bodies.items[body].begin + world->bodies.items[body].count - count;
    for (int d = 0; d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        if (driver->used && !driver->moves_collider) {
            shrink_group(&driver->group, driver, at, count);
        }
    }
    for (int k = 0; k < world->probes.count; ++k) {
        phxi_probe* probe = &world->probes.items[k];
        shrink_group(&probe->group, NULL, at, count);
        if (at < probe->selected_count) {
            probe->selected_count -= count;
            memmove(probe->selected + at, probe->selected + at + count, (size_t)(probe->selected_count - at));
        }
    }
    phxi_particles_remove(&world->particles, at, count);
    shift_bodies(world, body, -count);
    world->births.count -= count;
}

/// How many births from `first` on follow each other in one body without naming one of themselves as a parent.
static int run_length(const phx_world* world, const phxi_birth* births, int first, int count) {
    int body = births[first].body, k = first;
    while (k < count && births[k].body == body && births[k].parent < world->bodies.items[body].count) {
        ++k;
    }
    return k - first;
}

static phx_result repeat(phx_world* world, const phxi_birth* births, int count) {
    phx_result result = PHX_OK;
    int* parents;
    PHXI_NEW(parents, &world->heap, count, "births");
    for (int first = 0; first < count && result == PHX_OK;) {
        const phxi_birth* birth = &births[first];
        if (birth->body < 0 || birth->body >= world->bodies.count || birth->parent < 0 ||
            birth->parent >= world->bodies.items[birth->body].count) {
            result = phxi_fail(PHX_ERROR_FORMAT, "particle %d of body %d cannot have been split: there is none",
                               birth->parent, birth->body);
            break;
        }
        int length = run_length(world, births, first, count);
        for (int k = 0; k < length; ++k) {
            parents[k] = births[first + k].parent;
        }
        result = phxi_world_grow(world, birth->body, parents, length);
        first += length;
    }
    phxi_free(&world->heap, parents);
    return result;
}

phx_result phxi_world_set_births(phx_world* world, const phxi_birth* births, int count) {
    int same = 0, old = world->births.count;
    while (same < count && same < old && births[same].body == world->births.items[same].body &&
           births[same].parent == world->births.items[same].parent) {
        ++same;
    }
    while (world->births.count > same) {
        int last = world->births.count - 1, body = world->births.items[last].body, length = 1;
        while (last - length >= same && world->births.items[last - length].body == body) {
            ++length;
        }
        take_back(world, length);
    }
    if (old > same) {
        tell_moved(world);
    }
    return count > same ? repeat(world, births + same, count - same) : PHX_OK;
}
