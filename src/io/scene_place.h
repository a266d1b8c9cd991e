// SPDX-License-Identifier: MIT
// Meshes of a scene as they are built: read, turned so that z is up, and put on the floor where the scene asks for it.
#pragma once

#include "io/scene.h"

/// The definition of a body or collider with its mesh, which the caller destroys (NULL: it has a shape).
phx_result phxi_scene_place_body(const phx_scene* scene, const phxi_scene_body* body, const phx_allocator* allocator,
                                 phx_body_def* def, phx_mesh** mesh);
phx_result phxi_scene_place_collider(const phx_scene* scene, const phxi_scene_collider* collider,
                                     const phx_allocator* allocator, phx_collider_def* def, phx_mesh** mesh);
