// SPDX-License-Identifier: MIT
// What a run keeps for its pictures, beside the frames:
//
//   <folder>/camera.txt           the scene's camera; removed if it has none
//   <folder>/bodies.csv           body,name,mesh: with `run.skin`, the meshes that bodies were made of
//   <folder>/bodies/<name>.obj    these, where the bodies stood at the beginning
#pragma once

#include "io/scene.h"

phx_result phxi_look_save(phxi_heap* heap, const phx_scene* scene, const char* folder);
/// Fields that frames need to carry a skin.
#define PHXI_SKIN_FIELDS "rest deformation spacing"
