// SPDX-License-Identifier: MIT
// Bodies that are computed with slower sound than their material has (materials/sound.h).
#pragma once

#include "world/world.h"

/// The material that a body is computed with, and what follows from it.
void phxi_body_set_material(phxi_body* body, const phx_material_def* material);
/// A body that breaks in explicit steps gets the softer material that its `sound_limit` asks for. The one place where
/// that is decided: all that comes later, of whatever method, knows the material of the body alone.
void phxi_body_slow_sound(phxi_body* body, const phxi_fracture_table* fracture);
/// Says so if its weight or its speed is too much for that.
void phxi_body_warn_slow_sound(const phx_world* world, const phxi_body* body);
/// "sound at 100 m/s instead of 5577, E 7e+10 -> 2.25e+07 Pa, strength 4.5e+07 -> 8.07e+05 Pa"; of a body with slower
/// sound.
void phxi_body_describe_slow_sound(const phxi_body* body, char* text, size_t size);
