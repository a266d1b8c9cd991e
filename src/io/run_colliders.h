// SPDX-License-Identifier: MIT
// The colliders of a run that have an end, where they are, beside its frames:
//
//   <folder>/obstacles/obstacle_00000.vtp ...   triangles of all that are shown; one file only if none moves
//   <folder>/obstacles.pvd                      list of them; not there if there is nothing to show
#pragma once

#include "io/scene.h"

typedef struct phxi_collider_output {
    phxi_heap* heap;
    const char* folder;
    const phx_world* world;
    phx_mesh** meshes; // by collider, in its own axes; NULL: not shown
    int count;
    bool any, moving;
    char* pvd;
} phxi_collider_output;

/// The world's colliders are those of the scene. Removes the list of an earlier run if there is nothing to write.
phx_result phxi_collider_output_open(phxi_collider_output* output, const phx_scene* scene, const phx_world* world,
                                     phxi_heap* heap, const char* folder);
void phxi_collider_output_close(phxi_collider_output* output);
/// Writes the list of the first `count` frames, as far as they are there.
phx_result phxi_collider_output_list(const phxi_collider_output* output, int count, double fps);
/// Frame `number` of those at number / fps.
phx_result phxi_collider_output_write(phxi_collider_output* output, int number, double fps);
