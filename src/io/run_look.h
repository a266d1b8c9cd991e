// SPDX-License-Identifier: MIT
// What a run keeps for its pictures, beside the frames:
//
//   <folder>/camera.txt           the scene's camera; removed if it has none
//   <folder>/bodies.csv           a line a body: number, name, whether the scene shows it, its mesh, how it is drawn,
//   method,
//                                 material, spacing and thickness (m), where it melts (C), its look as
//                                 "key=value;key=value"
//   <folder>/bodies/<name>.obj    the meshes that bodies were made of, where they stood at the beginning
//   <folder>/walls.csv            planes that do not move: point and normal
#pragma once

#include "io/scene.h"

#define PHXI_BODIES_HEAD    "body,name,shown,mesh,draw,method,material,spacing,volume,thickness,solidus,liquidus,look\n"
#define PHXI_OBSTACLES_HEAD "body,name,look\n"
#define PHXI_WALLS_HEAD     "x[m],y[m],z[m],nx,ny,nz\n"

phx_result phxi_look_save(phxi_heap* heap, const phx_scene* scene, const phx_world* world, const char* folder);
/// Whether a body of the scene looks different when it is warm.
bool phxi_looks_need_temperature(const phx_scene* scene);
/// Fields that frames need to carry a skin.
#define PHXI_SKIN_FIELDS "rest deformation spacing"
