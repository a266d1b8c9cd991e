// SPDX-License-Identifier: MIT
// The one table of the material's parameters, and the check every definition passes before it is used.
#include "materials/material.h"

#include "core/error.h"
#include "materials/drucker_prager.h"
#include "materials/laws.h"
#include "materials/rheology.h"

#include <math.h>
#include <stddef.h>

const char* const phxi_law_words[] = {
    "corotated",     "stvk",   "neo_hookean", "neo_hookean_square", "neo_hookean_bounded", "neo_hookean_general",
    "mooney_rivlin", "hencky", NULL};
_Static_assert(sizeof phxi_law_words / sizeof phxi_law_words[0] == PHX_LAW_COUNT + 1, "one word for each law");

const char* const phxi_flow_words[] = {"newtonian", "power_law", "bingham", "herschel_bulkley", "jump", NULL};
_Static_assert(sizeof phxi_flow_words / sizeof phxi_flow_words[0] == PHX_FLOW_COUNT + 1, "one word for each flow");
static const char* const plasticity_words[] = {"green", "hencky", NULL};
_Static_assert(sizeof plasticity_words / sizeof plasticity_words[0] == PHX_PLASTICITY_COUNT + 1, "one word for each");
static const char* const slowed_for_words[] = {"waves", "blows", NULL};
_Static_assert(sizeof slowed_for_words / sizeof slowed_for_words[0] == PHX_SLOWED_FOR_COUNT + 1, "one word for each");
static const char* const jump_scale_words[] = {"linear", "logarithmic", NULL};

// Poisson's ratio ends short of 1/2: there lambda is infinite, and no explicit step is stable.
static const phx_param params[] = {
    PHXI_POSITIVE(phx_material_def, density, "kg/m^3", "1000", 1e6, "mass per rest volume"),
    PHXI_POSITIVE(phx_material_def, young, "Pa", "1e5", 1e13, "Young's modulus, stiffness in tension"),
    PHXI_REAL(phx_material_def, poisson, "", "0.3", -0.99, 0.4999, "Poisson's ratio, thinning over stretching"),
    PHXI_WORD(phx_material_def, law, phxi_law_words, "stvk", "stress from deformation, see docs/guide/materials.md"),
    PHXI_REAL(phx_material_def, bound, "", "0.1", 0.001, 0.9,
              "neo_hookean_bounded: stretch below which the logarithm goes on as a line"),
    PHXI_REAL(phx_material_def, mooney, "", "0.25", 0, 1, "mooney_rivlin: share mu2/mu of the second invariant"),
    PHXI_REAL(phx_material_def, damping, "1/s", "0", 0, 1e9,
              "rate at which velocity against the body's rigid motion decays"),
    PHXI_REAL(
        phx_material_def, restitution, "", "0", 0, 1,
        "of bodies with implicit steps, whose blows are shorter than a step: speed after a blow over that before"),
    PHXI_REAL(phx_material_def, strength, "Pa", "0", 0, 1e13, "largest principal stress it bears; 0: it never breaks"),
    PHXI_REAL(phx_material_def, toughness, "J/m^2", "0", 0, 1e9,
              "energy to open a crack; limits strength to 0.75 sqrt(E G / spacing); 0: not used"),
    PHXI_REAL(phx_material_def, strength_noise, "", "0.05", 0, 0.9, "random part of the strength of each particle"),
    PHXI_REAL(phx_material_def, ductile_strain, "", "0", 0, 1e6,
              "materials that flow: accumulated plastic strain at which they break; 0: never"),
    PHXI_REAL(
        phx_material_def, sound_limit, "m/s", "0", 0, 1e6,
        "what can break and so takes explicit steps is computed softer, as if sound were no faster than this, with "
        "strength lowered to match, see slowed_for (docs/guide/breaking.md); 0: as it is"),
    PHXI_WORD(
        phx_material_def, slowed_for, slowed_for_words, "waves",
        "what sound slowed k times leaves as it is: the stress of waves over the strength, which falls k times, or "
        "the force of blows on round parts, with a strength that falls k^(4/5) times and k^(2/5) times the toughness"),
    PHXI_REAL(phx_material_def, yield, "", "0", 0, 10,
              "elastic strain (norm of its deviator) above which the material flows; 0: never"),
    PHXI_REAL(phx_material_def, creep, "1/s", "0", 0, 1e9,
              "rate of the flow above yield, and of sand and slime above their strength; 0: at once"),
    PHXI_REAL(phx_material_def, hardening, "", "0", 0, 1e6, "growth of yield by the plastic strain gathered so far"),
    PHXI_POSITIVE(phx_material_def, plastic_limit, "", "10", 1e3,
                  "plastic strain (norm) that the material takes at most"),
    PHXI_BOOL(phx_material_def, volumetric, "false", "flow takes changes of volume as well"),
    PHXI_WORD(
        phx_material_def, plasticity, plasticity_words, "green",
        "in which strain it yields: green's, or hencky's (logarithmic; a yield stress P is a yield of P/(2.449 G))"),
    PHXI_REAL(phx_material_def, flow_rate, "", "0", 0, 10,
              "hencky: share of what is above yield that flows in a substep, whatever its length; 0: all of it"),
    PHXI_REAL(phx_material_def, friction_angle, "degrees", "0", 0, 80,
              "sand: the slope at which it flows, see cone; 0 with no cohesion: not used"),
    PHXI_REAL(phx_material_def, cohesion, "Pa", "0", 0, 1e12,
              "sand, slime: shear stress it bears without pressure; of wet sand that at a saturation of 0.1"),
    PHXI_WORD(phx_material_def, cone, phxi_cone_words, "repose",
              "sand: what friction_angle means: slope of a bed, plane strain, compression or extension test"),
    PHXI_REAL(phx_material_def, saturation, "", "0.1", 0, 1,
              "sand: share of the pores that water fills; cohesion grows with it up to 0.1 and stays above"),
    PHXI_REAL(phx_material_def, tension, "Pa", "-1", -1, 1e12,
              "sand, slime: tension at which it opens; -1: the end of the cone, 2 cohesion without friction_angle"),
    PHXI_REAL(phx_material_def, relaxation, "s", "0", 0, 1e9,
              "sand, slime: time in which shear stress fades; 0: never"),
    PHXI_REAL(phx_material_def, stiffening, "", "0", 0, 1e3,
              "sand: stiffness grows as exp(stiffening (rho/rho_0 - 1)) where it is compressed"),
    PHXI_REAL(phx_material_def, softening, "", "0", 0, 1e3,
              "sand, slime: cohesion falls as exp(-softening (1 - exp(-opening))) where it has opened"),
    PHXI_REAL(phx_material_def, critical_compression, "", "0", 0, 0.9,
              "snow: what it is compressed by, as a share of its length, before it packs; 0: it is not snow"),
    PHXI_REAL(phx_material_def, critical_stretch, "", "0", 0, 10,
              "snow: what it is stretched by, as a share of its length, before it parts"),
    PHXI_REAL(
        phx_material_def, packing, "", "0", 0, 1e3,
        "snow: stiffness grows as exp(packing (1 - J_p)), J_p its volume by packing and parting over that before"),
    PHXI_BOOL(phx_material_def, fluid, "false", "it is a fluid, also if its viscosity is 0"),
    PHXI_WORD(phx_material_def, flow, phxi_flow_words, "newtonian",
              "fluids: stress from the rate of deformation, see docs/guide/materials.md"),
    PHXI_REAL(phx_material_def, viscosity, "Pa s", "0", 0, 1e12,
              "newtonian: all of it; bingham: that beyond the yield stress; above 0: the material is a fluid"),
    PHXI_POSITIVE(phx_material_def, consistency, "Pa s^n", "100", 1e12,
                  "fluids: K of power_law, herschel_bulkley and jump"),
    PHXI_POSITIVE(phx_material_def, flow_index, "", "0.5", 10, "fluids: n of the same; below 1 they thin when sheared"),
    PHXI_REAL(phx_material_def, yield_stress, "Pa", "100", 0, 1e12,
              "fluids: bingham, herschel_bulkley and jump stand below it"),
    PHXI_REAL(phx_material_def, yield_stress_liquid, "Pa", "-1", -1, 1e12,
              "fluids: the same at liquidus and above, linear between; -1: yield_stress"),
    PHXI_POSITIVE(phx_material_def, solid_viscosity, "Pa s", "1e5", 1e15,
                  "fluids: viscosity at rest of power_law, bingham and herschel_bulkley, which have none without it"),
    PHXI_REAL(phx_material_def, jump_solid, "", "2e4", 0, 1e15,
              "fluids: jump number J at solidus and below; the viscosity at rest is (J + 1) times that of the liquid"),
    PHXI_REAL(phx_material_def, jump_liquid, "", "0", 0, 1e15, "fluids: jump number at liquidus and above"),
    PHXI_WORD(phx_material_def, jump_scale, jump_scale_words, "logarithmic",
              "fluids: how the jump number goes from solidus to liquidus"),
    PHXI_REAL(phx_material_def, conductivity, "W/(m K)", "0", 0, 1e6, "heat that spreads in it; 0: none"),
    PHXI_POSITIVE(phx_material_def, heat_capacity, "J/(kg K)", "1000", 1e9, "heat that warms it"),
    PHXI_REAL(phx_material_def, solidus, "degrees C", "inf", -273.15, INFINITY,
              "where it begins to melt; inf: never, whatever liquidus and latent_heat say"),
    PHXI_REAL(phx_material_def, liquidus, "degrees C", "inf", -273.15, INFINITY, "where it is liquid, above solidus"),
    PHXI_REAL(phx_material_def, latent_heat, "J/kg", "0", 0, 1e9, "heat that melting takes, between the two"),
    PHXI_REAL(phx_material_def, soften_from, "degrees C", "inf", -273.15, INFINITY,
              "peridynamics: where warmth begins to soften it"),
    PHXI_REAL(phx_material_def, soften_to, "degrees C", "inf", -273.15, INFINITY,
              "peridynamics: where it is as soft as it gets, above soften_from"),
    PHXI_POSITIVE(phx_material_def, soften_left, "", "0.01", 1,
                  "peridynamics: share of its stiffness that is left there; between the two a power of it"),
    PHXI_REAL(phx_material_def, expansion, "1/K", "0", -0.01, 0.01,
              "solids: how much longer it gets by a kelvin; negative: shorter"),
    PHXI_REAL(phx_material_def, exchange, "W/(m^2 K)", "0", 0, 1e9, "heat its free surface gives to cooler air"),
};

const phx_param_table phxi_material_table = {"material", "what a body is made of", params,
                                             sizeof params / sizeof params[0], sizeof(phx_material_def)};

phx_material_def phx_material_def_default(void) {
    phx_material_def def = {0};
    phxi_params_defaults(&phxi_material_table, &def);
    def.stamp = PHXI_MATERIAL_STAMP;
    return def;
}

phx_result phxi_material_check(const phx_material_def* def) {
    if (!def) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "material: no definition, expected one from phx_material_def_default()");
    }
    if (def->stamp != PHXI_MATERIAL_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "material: the definition is not initialised, start from "
                                             "phx_material_def_default()");
    }
    phx_result result = phxi_params_check(&phxi_material_table, def);
    // a preset that melts is kept solid by `solidus: inf` alone
    if (result == PHX_OK && isfinite(def->solidus) && !(def->solidus < def->liquidus && isfinite(def->liquidus))) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "liquidus is %g degrees C, expected above solidus, which is %g",
                           def->liquidus, def->solidus);
    }
    if (result == PHX_OK && def->latent_heat > 0 && !isfinite(def->liquidus)) {
        result = phxi_fail(PHX_ERROR_ARGUMENT,
                           "latent_heat is %g J/kg, but it never melts: expected a finite solidus and liquidus",
                           def->latent_heat);
    }
    if (result == PHX_OK && def->flow_rate > 0 && def->plasticity != PHX_PLASTICITY_HENCKY) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "flow_rate is %g, which plasticity green does not know: expected hencky",
                           def->flow_rate);
    }
    if (result == PHX_OK && isfinite(def->soften_from) && !(def->soften_from < def->soften_to)) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "soften_to is %g degrees C, expected above soften_from, which is %g",
                           def->soften_to, def->soften_from);
    }
    if (result == PHX_OK && isfinite(def->soften_from) && !isfinite(def->soften_to)) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "soften_to is missing, expected a finite one above soften_from, %g",
                           def->soften_from);
    }
    if (result == PHX_OK) {
        result = phxi_rheology_check(def);
    }
    if (result == PHX_OK) {
        result = phxi_material_check_laws(def);
    }
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "material");
}
