// SPDX-License-Identifier: MIT
// What the drivers of a scene hold of a body, known before it is made: particles are put on its surface.
#pragma once

#include "core/heap.h"
#include "io/scene.h"

/// The regions of all drivers that hold particles of the body named, as one expression of `heap`; NULL: there is none.
phx_result phxi_scene_clamp(const phx_scene* scene, const char* body, phxi_heap* heap, char** text);
