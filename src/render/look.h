// SPDX-License-Identifier: MIT
// What things look like: the table of the key `look`, and the looks of presets.
#pragma once

#include <phyxel/render.h>

extern const phx_param_table phxi_look_table;
phx_result phxi_look_check(const phx_look* look);
phx_look phxi_look_of_obstacles(void); ///< of colliders without one of their own: a calm grey

/// A look as rays need it: in single precision, lengths in m.
typedef struct phxi_surface_look {
    float roughness, metal, transmission, ior;
    float absorption[3]; // 1/m
    float scatter;       // 1/m
    float subsurface;    // m
} phxi_surface_look;
phxi_surface_look phxi_look_in_meters(const phx_look* look, double size);
