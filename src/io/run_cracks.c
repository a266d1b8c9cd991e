// SPDX-License-Identifier: MIT
#include "io/run_cracks.h"

#include "core/file.h"
#include "io/frame.h"
#include "world/world.h"

#include <stdio.h>
#include <unistd.h>

static bool can_break(const phx_world* world) {
    for (int i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.items[i].cells) {
            return true;
        }
    }
    return false;
}

phx_result phxi_crack_output_open(phxi_crack_output* output, phxi_heap* heap, const phx_world* world,
                                  const char* folder, const char* fields) {
    *output = (phxi_crack_output){.heap = heap, .folder = folder};
    output->pvd = phxi_path_join(heap, folder, "surfaces.pvd");
    if (!output->pvd) {
        return PHX_ERROR_MEMORY;
    }
    if (!can_break(world)) {
        unlink(output->pvd); // of an earlier run
        return PHX_OK;
    }
    char* path = phxi_path_join(heap, folder, "surfaces");
    phx_result result = path ? phxi_make_folder(path) : PHX_ERROR_MEMORY;
    phxi_free(heap, path);
    PHXI_TRY(result);
    phx_crack_surface_def def = phx_crack_surface_def_default();
    def.fields = fields;
    return phx_crack_surface_create(world, &def, &output->surface);
}

void phxi_crack_output_close(phxi_crack_output* output) {
    phx_crack_surface_destroy(output->surface);
    output->surface = NULL; // memory goes with the heap
}

static void pvd_entry(const void* context, int i, phxi_pvd_entry* entry) {
    entry->time = i / *(const double*)context;
    snprintf(entry->file, sizeof entry->file, "surfaces/surface_%05d.vtp", i);
}

phx_result phxi_crack_output_list(const phxi_crack_output* output, int count, double fps) {
    return output->surface ? phxi_pvd_save(output->heap, output->pvd, count, pvd_entry, &fps) : PHX_OK;
}

phx_result phxi_crack_output_write(phxi_crack_output* output, int number, double fps) {
    if (!output->surface) {
        return PHX_OK;
    }
    char name[64];
    snprintf(name, sizeof name, "surfaces/surface_%05d.vtp", number);
    char* path = phxi_path_join(output->heap, output->folder, name);
    phx_frame* frame = NULL;
    phx_result result = path ? phx_crack_surface_frame(output->surface, &frame) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = phx_frame_write(frame, path);
    }
    phx_frame_destroy(frame);
    phxi_free(output->heap, path);
    PHXI_TRY(result);
    return phxi_crack_output_list(output, number + 1, fps);
}
