// SPDX-License-Identifier: MIT
// Which method each body of a run has, in words: named by the scene, or chosen by its material and why;
// and which bodies are softer than they are said to be.
#pragma once

#include "world/world.h"

/// "body 'hare': method granular, chosen for material 'sand' (friction_angle)"; bodies alike in one, "; " between them.
/// Cut with "..." where the room ends.
void phxi_run_methods(const phx_world* world, char* text, size_t size);
/// The bodies that are computed softer than their material is, with both values; "": none.
void phxi_run_softened(const phx_world* world, char* text, size_t size);
