// SPDX-License-Identifier: MIT
// What a run keeps for its pictures, beside the frames:
//
//   <folder>/camera.txt           the scene's camera; removed if it has none
//   <folder>/bodies.csv           body,name,shown,mesh: 0 or 1 as the scene says; no mesh unless `run.skin`
//   <folder>/bodies/<name>.obj    the meshes that bodies were made of, where they stood at the beginning
#pragma once

#include "io/scene.h"

phx_result phxi_look_save(phxi_heap* heap, const phx_scene* scene, const char* folder);
/// Fields that frames need to carry a skin.
#define PHXI_SKIN_FIELDS "rest deformation spacing"
