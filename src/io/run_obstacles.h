// SPDX-License-Identifier: MIT
// The obstacles of a run that have an end, where they are, beside its frames:
//
//   <folder>/obstacles/obstacle_00000.vtp ...   triangles of all that are shown; one file only if none moves
//   <folder>/obstacles.pvd                      list of them; not there if there is nothing to show
#pragma once

#include "io/scene.h"

typedef struct phxi_obstacle_output {
    phxi_heap* heap;
    const char* folder;
    const phx_world* world;
    phx_mesh** meshes; // by collider, in its own axes; NULL: not shown
    int count;
    bool any, moving;
    char* pvd;
} phxi_obstacle_output;

/// The world's colliders are those of the scene. Removes the list of an earlier run if there is nothing to write.
phx_result phxi_obstacle_output_open(phxi_obstacle_output* output, const phx_scene* scene, const phx_world* world,
                                     phxi_heap* heap, const char* folder);
void phxi_obstacle_output_close(phxi_obstacle_output* output);
/// Frame `number` of those at number / fps.
phx_result phxi_obstacle_output_write(phxi_obstacle_output* output, int number, double fps);
