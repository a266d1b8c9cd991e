// SPDX-License-Identifier: MIT
// Which laws a material has, as bits: what a method has to obey for a body of it to do what its material says.
// methods/choose.h compares them with the laws that a method declares.
#pragma once

#include <phyxel/types.h>

enum {
    PHXI_LAW_ELASTIC = 1 << 0,  // a solid that springs back and has no way to flow
    PHXI_LAW_YIELD = 1 << 1,    // flows above an elastic strain: metals, clay, dough
    PHXI_LAW_GRAINS = 1 << 2,   // flows by friction angle and cohesion: sand, slime
    PHXI_LAW_SNOW = 1 << 3,     // packs and parts
    PHXI_LAW_FLUID = 1 << 4,    // flows by a viscosity, whatever its temperature
    PHXI_LAW_MELT = 1 << 5,     // flows by a viscosity once it is warm
    PHXI_LAW_STRENGTH = 1 << 6, // breaks at a stress
    PHXI_LAW_DUCTILE = 1 << 7,  // breaks at a plastic strain
    PHXI_LAW_SOFTEN = 1 << 8,   // is softer when it is warm
    PHXI_LAW_DAMPING = 1 << 9,  // vibrations fade
    PHXI_LAW_EXPAND = 1 << 10,  // is larger when it is warm
    PHXI_LAW_COUNT = 11,
};

/// Of a method whose bodies keep their shape: it asks its material for density, contact and heat alone.
#define PHXI_LAWS_SHAPE_KEPT 0xffffffffu

/// One to three of the first six (what a material is), and any of the others (what it has besides).
uint32_t phxi_material_laws(const phx_material_def* def);
/// The key that gives the material a law of its own, "friction_angle"; "elasticity" for PHXI_LAW_ELASTIC.
const char* phxi_law_key(const phx_material_def* def, uint32_t law);
/// What to write to be without it, "friction_angle: 0".
const char* phxi_law_off(const phx_material_def* def, uint32_t law);
/// What gives any material a law, in words: "a friction_angle or a cohesion".
const char* phxi_law_given_by(uint32_t law);
/// Fails if the material has two ways to flow: no method has both at a time.
phx_result phxi_material_check_laws(const phx_material_def* def);
