// SPDX-License-Identifier: MIT
// What a world was made with, as text: every value of every definition that it was given. A checkpoint keeps it, so
// that it fits only a world that was made with the same, and what differs can be named.
#include "world/world.h"

#include "core/hash.h"

#include <string.h>

// What may change between a run and its resume, beside threads: how finely it steps, since a run that blew up can go on
// only with smaller steps.
const phxi_record_rule phxi_definition_rules[] = {
    {"world.dt", "from here on steps differ from those of a run without a stop"},
    {"world.force_dt", "from here on steps differ from those of a run without a stop"},
    {"world.safety", "from here on steps differ from those of a run without a stop"},
    {NULL, NULL}};

phx_result phxi_definition_reserve(phx_world* world) {
    return phxi_array_reserve(&world->definitions, 1, &world->heap, "definition") ? PHX_OK : PHX_ERROR_MEMORY;
}

void phxi_definition_add(phx_world* world, phxi_definition_kind kind, int index, char* text) {
    PHXI_ASSERT(world->definitions.count < world->definitions.capacity);
    world->definitions.items[world->definitions.count++] = (phxi_definition){kind, index, text};
}

void phxi_definition_drop(phx_world* world, phxi_definition_kind kind, int index) {
    int kept = 0;
    for (int i = 0; i < world->definitions.count; ++i) {
        phxi_definition* one = &world->definitions.items[i];
        if (one->kind == kind && one->index == index) {
            phxi_free(&world->heap, one->text);
        } else {
            world->definitions.items[kept++] = *one;
        }
    }
    world->definitions.count = kept;
}

phx_result phxi_definition_table(phx_world* world, phxi_definition_kind kind, const char* section, const char* name,
                                 int index, const phx_param_table* table, const void* values) {
    char* text;
    PHXI_TRY(phxi_definition_reserve(world));
    phxi_record record = phxi_record_begin(&world->heap, section, name, index);
    phxi_record_table(&record, table, values);
    PHXI_TRY(phxi_record_end(&record, &text));
    phxi_definition_add(world, kind, index, text);
    return PHX_OK;
}

void phxi_record_mesh(phxi_record* record, const phx_mesh* mesh) {
    if (mesh) {
        uint64_t hash = phxi_hash_bytes(mesh->positions, (size_t)mesh->vertex_count * sizeof *mesh->positions, 1);
        hash = phxi_hash_bytes(mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof *mesh->triangles, hash);
        phxi_record_line(record, "mesh", "%d vertices, %d triangles, checksum %016llx", mesh->vertex_count,
                         mesh->triangle_count, (unsigned long long)hash);
    } else {
        phxi_record_line(record, "mesh", "none");
    }
}

char* phxi_world_definition(const phx_world* world, phxi_heap* heap) {
    size_t size = 1;
    for (int i = 0; i < world->definitions.count; ++i) {
        size += strlen(world->definitions.items[i].text);
    }
    char* all = phxi_alloc(heap, size, 1, "definition");
    char* at = all;
    // things of one kind follow each other as they were made, whatever was made in between
    for (int kind = 0; all && kind < PHXI_DEFINITION_KINDS; ++kind) {
        for (int i = 0; i < world->definitions.count; ++i) {
            const phxi_definition* one = &world->definitions.items[i];
            if ((int)one->kind == kind) {
                size_t length = strlen(one->text);
                memcpy(at, one->text, length);
                at += length;
            }
        }
    }
    if (all) {
        *at = 0;
    }
    return all;
}

uint64_t phxi_world_plan(const phx_world* world) {
    uint64_t plan = phxi_hash_pair(sizeof(phx_real), 0);
    for (int kind = 0; kind < PHXI_DEFINITION_KINDS; ++kind) {
        for (int i = 0; i < world->definitions.count; ++i) {
            const phxi_definition* one = &world->definitions.items[i];
            plan = (int)one->kind == kind ? phxi_hash_bytes(one->text, strlen(one->text), plan) : plan;
        }
    }
    return plan;
}
