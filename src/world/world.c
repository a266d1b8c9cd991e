// SPDX-License-Identifier: MIT
// Making and destroying a world, its materials, colliders and probes; the small readers.
#include "world/world.h"

#include "geometry/solid.h"

#include <string.h>

phx_result phxi_stamp_check(uint32_t stamp, uint32_t wanted, const char* what) {
    if (stamp != wanted) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "unstamped phx_%s_def: make it with phx_%s_def_default()", what, what);
    }
    return PHX_OK;
}

phx_result phxi_name_copy(char copy[PHXI_NAME_SIZE], const char* what, const char* name) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length >= PHXI_NAME_SIZE) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a %s needs a name of 1 to %d bytes, this one has %zu", what,
                         PHXI_NAME_SIZE - 1, length);
    }
    for (size_t i = 0; i < length; ++i) { // names stand in messages, and probes' in paths
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F || name[i] == '/') {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "byte 0x%02x in the name of a %s, expected no '/', no control character",
                             (unsigned)(unsigned char)name[i], what);
        }
    }
    memcpy(copy, name, length + 1);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- world

// The ids of a world begin at a generation of its own, so that those of another world are noticed.
static void init_ids(phx_world* world) {
    static uint32_t worlds;
    uint32_t first = __atomic_fetch_add(&worlds, 1, __ATOMIC_RELAXED) << 16;
    phxi_id_pool* const pools[] = {&world->material_ids, &world->body_ids, &world->collider_ids, &world->driver_ids,
                                   &world->probe_ids};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; ++i) {
        pools[i]->first = first;
    }
}

static phx_result init(phx_world* world, const phx_world_def* def) {
    world->def = *def;
    init_ids(world);
    phx_world_def known = *def;
    known.threads = 0; // which do not matter
    PHXI_TRY(phxi_definition_table(world, PHXI_OF_WORLD, "world", NULL, -1, &phxi_world_table, &known));
    phxi_arena_init(&world->arena, &world->heap, "step scratch");
    phxi_near_init(&world->near, &world->heap);
    phxi_near_init(&world->heat.near, &world->heap);
    phxi_heat_init(&world->heat.heat, &world->heap);
    world->heat.coldest = INFINITY;
    world->heat.hottest = -INFINITY;
    PHXI_TRY(phxi_particles_init(&world->particles, &world->heap));
    PHXI_TRY(phxi_pairs_create(&world->heap, &world->pairs));
    PHXI_TRY(phxi_friction_memory_create(&world->friction_memory, &world->heap));
    PHXI_TRY(phxi_pairs_create(&world->heap, &world->implicit_pairs));
    return phxi_pool_create(&world->heap, def->threads, &world->pool);
}

phx_result phx_world_create(const phx_world_def* def, phx_world** world) {
    if (!def || !world) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_world_create needs a definition and a place for the world");
    }
    *world = NULL;
    PHXI_TRY(phxi_stamp_check(def->stamp, PHXI_WORLD_STAMP, "world"));
    phx_result result = phxi_params_check(&phxi_world_table, def);
    if (result == PHX_OK && !(def->period.x >= 0 && def->period.y >= 0 && def->period.z >= 0)) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "period is (%g, %g, %g) m, expected 0 or more along each axis",
                           def->period.x, def->period.y, def->period.z);
    }
    if (result != PHX_OK) {
        return phxi_fail_within(result, "world");
    }

    // the world lies in its own heap
    phxi_heap heap;
    phxi_heap_init(&heap, &def->allocator);
    phx_world* made = phxi_alloc_zero(&heap, 1, sizeof *made, "world");
    if (!made) {
        phxi_heap_destroy(&heap);
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    result = init(made, def);
    if (result != PHX_OK) {
        phx_world_destroy(made);
        return result;
    }
    *world = made;
    return PHX_OK;
}

void phx_world_destroy(phx_world* world) {
    if (!world) {
        return;
    }
    for (int i = 0; i < world->solvers.count; ++i) {
        phxi_step step = phxi_world_context(world, i);
        world->solvers.items[i].method->destroy(world->solvers.items[i].state, &step);
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        phxi_solid_destroy(world->bodies.items[b].solid);
    }
    for (int k = 0; k < world->mesh_fields.count; ++k) {
        phxi_distance_field_destroy(world->mesh_fields.items[k].field);
    }
    phxi_pool_destroy(world->pool);
    phxi_heap heap = world->heap; // everything else is memory of this heap, the world too
    phxi_heap_destroy(&heap);
}

static phx_result grow(phxi_step* step, int body, const int* parents, int count) {
    return phxi_world_grow(step->world, body, parents, count);
}

phxi_step phxi_world_context(phx_world* world, int solver) {
    const phxi_solver* s = solver < 0 ? NULL : &world->solvers.items[solver];
    return (phxi_step){.heap = &world->heap,
                       .arena = &world->arena,
                       .pool = world->pool,
                       .particles = &world->particles,
                       .bodies = world->bodies.items,
                       .body_count = world->bodies.count,
                       .boundaries = world->boundaries,
                       .own = s ? s->own.items : NULL,
                       .own_count = s ? s->own.count : 0,
                       .colliders = world->colliders.items,
                       .collider_count = world->colliders.count,
                       .pushes = world->pushes,
                       .body_pushes = world->body_pushes,
                       .holds = world->holds,
                       .hold_count = world->holds ? world->drivers.count : 0,
                       .late_force = world->late_force[0] ? world->late_force : NULL,
                       .near = &world->near,
                       .period = world->def.period,
                       .gravity = world->def.gravity,
                       .time = world->time,
                       .watched = world->watched,
                       .statics = world->statics != NULL,
                       .log = &world->def.log,
                       .grow = grow,
                       .world = world};
}

// ---------------------------------------------------------------------------------------------------- small things

phx_result phx_material_create(phx_world* world, const phx_material_def* def, phx_material_id* material) {
    if (!world || !def || !material) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_material_create needs a world, a definition and a place for the id");
    }
    PHXI_TRY(phxi_material_check(def));
    phx_material_def made = *def;
    char name[PHXI_NAME_SIZE];
    if (def->name) {
        PHXI_TRY(phxi_name_copy(name, "material", def->name));
        made.name = phxi_strdup(&world->heap, name, "materials");
    }
    if ((def->name && !made.name) || !phxi_array_reserve(&world->materials, 1, &world->heap, "materials")) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_definition_table(world, PHXI_OF_MATERIAL, "materials", made.name, world->materials.count,
                                   &phxi_material_table, &made));
    phx_result result =
        phxi_id_take(&world->material_ids, &world->heap, "materials", &material->index, &material->generation);
    if (result != PHX_OK) {
        phxi_definition_drop(world, PHXI_OF_MATERIAL, world->materials.count);
        return result;
    }
    world->materials.items[world->materials.count++] = made;
    return PHX_OK;
}

static phx_result define_collider(phx_world* world, const phx_collider_def* def) {
    char* text;
    PHXI_TRY(phxi_definition_reserve(world));
    phxi_record record = phxi_record_begin(&world->heap, "colliders", def->name, -1);
    phxi_record_table(&record, &phxi_collider_table, def);
    phxi_record_mesh(&record, def->mesh);
    PHXI_TRY(phxi_record_end(&record, &text));
    phxi_definition_add(world, PHXI_OF_COLLIDER, world->colliders.count, text);
    return PHX_OK;
}

phx_result phx_collider_create(phx_world* world, const phx_collider_def* def, phx_collider_id* collider) {
    if (!world || !def || !collider) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_collider_create needs a world, a definition and a place for the id");
    }
    phxi_collider made = {0};
    const phxi_distance_field* field = NULL;
    uint64_t mesh = 0;
    PHXI_TRY(phxi_world_collider_field(world, def, &field, &mesh));
    phx_result result = phxi_collider_init(&made, &world->heap, def, field, mesh);
    if (result == PHX_OK && !phxi_array_reserve(&world->colliders, 1, &world->heap, "colliders")) {
        result = PHX_ERROR_MEMORY;
    }
    if (result == PHX_OK) {
        result = define_collider(world, def);
    }
    if (result == PHX_OK) {
        result = phxi_id_take(&world->collider_ids, &world->heap, "colliders", &collider->index, &collider->generation);
    }
    if (result != PHX_OK) {
        phxi_definition_drop(world, PHXI_OF_COLLIDER, world->colliders.count);
        phxi_collider_destroy(&made, &world->heap);
        return result;
    }
    world->colliders.items[world->colliders.count++] = made;
    world->energy.known = false;
    return PHX_OK;
}

static phx_result probe_init(phxi_probe* probe, phx_world* world, const phx_probe_def* def) {
    PHXI_TRY(phxi_stamp_check(def->stamp, PHXI_PROBE_STAMP, "probe"));
    PHXI_TRY(phxi_name_copy(probe->name, "probe", def->name));
    PHXI_TRY(phxi_params_check(&phxi_probe_table, def));
    for (int i = 0; i < world->probes.count; ++i) {
        if (strcmp(world->probes.items[i].name, def->name) == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "there is a probe of this name already, and their files would clash");
        }
    }
    probe->every = def->every;
    PHXI_TRY(phxi_probe_find_collider(world, def, probe));
    PHXI_TRY(phxi_group_init(&probe->group, world, def->body, def->region, def->face));
    probe->selected_count = world->particles.count;
    probe->selected = phxi_alloc_zero(&world->heap, (size_t)probe->selected_count, 1, "probe");
    if (!probe->selected) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < probe->group.count; ++k) {
        probe->selected[probe->group.indices[k]] = 1;
    }
    return phxi_array_reserve(&world->probes, 1, &world->heap, "probes") ? PHX_OK : PHX_ERROR_MEMORY;
}

phx_result phx_probe_create(phx_world* world, const phx_probe_def* def, phx_probe_id* probe) {
    if (!world || !def || !probe) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_probe_create needs a world, a definition and a place for the id");
    }
    phxi_probe made = {0};
    phx_result result = probe_init(&made, world, def);
    if (result == PHX_OK) {
        result = phxi_definition_table(world, PHXI_OF_PROBE, "probes", def->name, world->probes.count,
                                       &phxi_probe_table, def);
    }
    if (result == PHX_OK) {
        result = phxi_id_take(&world->probe_ids, &world->heap, "probes", &probe->index, &probe->generation);
    }
    if (result != PHX_OK) {
        phxi_definition_drop(world, PHXI_OF_PROBE, world->probes.count);
        phxi_group_destroy(&made.group, &world->heap);
        phxi_free(&world->heap, made.selected);
        return made.name[0] ? phxi_fail_within(result, "probe '%s'", made.name) : result;
    }
    world->probes.items[world->probes.count++] = made;
    return PHX_OK;
}

phx_material_id phx_world_material_id(const phx_world* world, int index) {
    return (phx_material_id){index, world ? phxi_id_generation(&world->material_ids, index) : 0};
}

phx_probe_id phx_world_probe_id(const phx_world* world, int index) {
    return (phx_probe_id){index, world ? phxi_id_generation(&world->probe_ids, index) : 0};
}

double phx_world_time(const phx_world* world) {
    return world ? world->time : 0;
}

int64_t phx_world_substeps(const phx_world* world) {
    return world ? world->substeps : 0;
}

int phx_world_threads(const phx_world* world) {
    return world ? phxi_pool_threads(world->pool) : 0;
}

phx_particle_view phx_world_particles(const phx_world* world) {
    if (!world) {
        return (phx_particle_view){0};
    }
    const phxi_particles* p = &world->particles;
    return (phx_particle_view){p->count, p->id, p->body, p->x, p->y, p->z, p->vx, p->vy, p->vz, p->mass, p->volume};
}

size_t phx_world_memory(phx_world* world, void (*visit)(void* context, const char* label, size_t bytes, int blocks),
                        void* context) {
    if (world && visit) {
        phxi_heap_visit(&world->heap, visit, context);
    }
    return world ? world->heap.live_bytes : 0;
}

int64_t phx_world_allocations(const phx_world* world) {
    return world ? world->heap.allocations : 0;
}
