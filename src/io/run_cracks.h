// SPDX-License-Identifier: MIT
// The surfaces of a run's bodies that can break, beside its frames:
//
//   <folder>/surfaces/surface_00000.vtp ...   of frame 0 ...
//   <folder>/surfaces.pvd                     list of them; not there if no body can break
#pragma once

#include "io/scene.h"
#include <phyxel/surface.h>

typedef struct phxi_crack_output {
    phxi_heap* heap;
    const char* folder;
    phx_crack_surface* surface; // NULL: nothing can break
    char* pvd;
} phxi_crack_output;

/// `fields` are those of the frames. Removes the list of an earlier run if there is nothing to write.
phx_result phxi_crack_output_open(phxi_crack_output* output, phxi_heap* heap, const phx_world* world,
                                  const char* folder, const char* fields);
void phxi_crack_output_close(phxi_crack_output* output);
/// Writes the list of the first `count` frames, as far as they are there.
phx_result phxi_crack_output_list(const phxi_crack_output* output, int count, double fps);
/// Frame `number` of those at number / fps.
phx_result phxi_crack_output_write(phxi_crack_output* output, int number, double fps);
