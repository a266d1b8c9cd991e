// SPDX-License-Identifier: MIT
// Prints a hash of every field of every particle, and of the whole state, after short runs of the scenes that are
// named. Built twice, against the library as it is and against one for any x86-64: the outputs must be equal.
#include "core/hash.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <stdio.h>
#include <string.h>

static void print_fields(const char* name, const phxi_particles* p) {
    for (int f = 0; f < p->field_count; ++f) {
        const phxi_field* field = &p->fields[f];
        size_t size = phxi_field_size(field->def.type) * (size_t)p->count;
        printf("%s %s %016llx\n", name, field->def.name, (unsigned long long)phxi_hash_bytes(field->data, size, 0));
    }
}

static phx_result run(const char* path, bool* met) {
    const char* name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    def.threads = 2;
    phx_result result = phx_scene_load(path, NULL, &scene);
    result = result == PHX_OK ? phx_scene_build(scene, &def, &world) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.05) : result;
    if (result == PHX_OK) {
        print_fields(name, &world->particles);
        printf("%s all of it %016llx, %lld substeps\n", name, (unsigned long long)phx_world_hash(world),
               (long long)phx_world_substeps(world));
        for (int b = 0; b < phx_world_body_count(world); ++b) {
            for (int m = 0; m < phx_method_count(); ++m) {
                met[m] = met[m] || strcmp(phx_method_name(m), phx_world_body_method(world, b)) == 0;
            }
        }
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
    return result;
}

int main(int count, char** paths) {
    bool met[64] = {false};
    for (int k = 1; k < count; ++k) {
        if (run(paths[k], met) != PHX_OK) {
            fprintf(stderr, "%s: %s\n", paths[k], phx_error_message());
            return 1;
        }
    }
    for (int m = 0; m < phx_method_count(); ++m) {
        if (!met[m]) {
            fprintf(stderr, "no scene has a body of method %s\n", phx_method_name(m));
            return 1;
        }
    }
    return 0;
}
