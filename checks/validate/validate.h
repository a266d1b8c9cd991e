// SPDX-License-Identifier: MIT
// Known answers. A case is a function that measures and reports quantities with their exact values and bounds; the list
// of all cases stands in validate.c. Cases of one subject share a file.
#pragma once

#include <checks/check.h>
#include "core/heap.h"

typedef struct phxi_validation {
    const char* name; // of the case
    phxi_heap* heap;
    int threads;
    void (*report)(void* context, const phx_check* check);
    void* context;
} phxi_validation;

typedef struct phxi_validation_case {
    const char* name;
    const char* summary;
    phx_result (*run)(phxi_validation* validation);
} phxi_validation_case;

/// Reports |measured - exact| against `bound`.
void phxi_validate(phxi_validation* v, const char* quantity, double measured, double exact, double bound);
/// Reports |measured - exact| / |exact|.
void phxi_validate_relative(phxi_validation* v, const char* quantity, double measured, double exact, double bound);
/// Reports that it lies between two bounds: against the middle of them.
void phxi_validate_between(phxi_validation* v, const char* quantity, double measured, double low, double high);
/// The first in double, the second in float: bounds that depend on the precision of the state.
double phxi_by_precision(double for_double, double for_float);

/// Lists of cases, each ending with a NULL name. Those of `slow` take minutes and run only when they are named.
// clang-format off
#define PHXI_CASE_LISTS(LIST) \
    LIST(kernels) \
    LIST(materials) \
    LIST(conforming) \
    LIST(clamps) \
    LIST(twists) \
    LIST(efg) \
    LIST(efg_implicit) \
    LIST(efg_tangent) \
    LIST(efg_soak) \
    LIST(efg_front) \
    LIST(implicit_contact) \
    LIST(incline) \
    LIST(statics) \
    LIST(rebound) \
    LIST(world) \
    LIST(loads) \
    LIST(contact) \
    LIST(contact_pile) \
    LIST(contact_proofs) \
    LIST(contact_surface) \
    LIST(contact_flush) \
    LIST(collider) \
    LIST(collider_mesh) \
    LIST(surface) \
    LIST(cracks) \
    LIST(heat) \
    LIST(heat_bodies) \
    LIST(expansion) \
    LIST(wcsph) \
    LIST(wcsph_tank) \
    LIST(wcsph_melt) \
    LIST(wcsph_thick) \
    LIST(corotated) \
    LIST(corotated_implicit) \
    LIST(corotated_bars) \
    LIST(efg_sight) \
    LIST(plane) \
    LIST(cook) \
    LIST(esph) \
    LIST(esph_plastic) \
    LIST(esph_implicit) \
    LIST(fem) \
    LIST(peridynamics) \
    LIST(peridynamics_thin) \
    LIST(peridynamics_curved) \
    LIST(peridynamics_twist) \
    LIST(peridynamics_flow) \
    LIST(peridynamics_column) \
    LIST(peridynamics_break) \
    LIST(mpm) \
    LIST(mpm_fluids) \
    LIST(mpm_discs) \
    LIST(mpm_level) \
    LIST(mpm_hertz) \
    LIST(granular) \
    LIST(granular_implicit) \
    LIST(rigid) \
    LIST(rigid_contact) \
    LIST(soak) \
    LIST(slow)
// clang-format on
#define PHXI_DECLARE_LIST(name) extern const phxi_validation_case phxi_cases_##name[];
PHXI_CASE_LISTS(PHXI_DECLARE_LIST)
phx_result phxi_validate_conforming_elastica_full(phxi_validation* validation);
phx_result phxi_validate_mpm_taylor(phxi_validation* validation);
phx_result phxi_validate_mpm_sand_full(phxi_validation* validation);
phx_result phxi_validate_mpm_run_out_full(phxi_validation* validation);
phx_result phxi_validate_contact_pile_full(phxi_validation* validation);
phx_result phxi_validate_contact_hertz_full(phxi_validation* validation);
phx_result phxi_validate_contact_balls_full(phxi_validation* validation);
phx_result phxi_validate_soak_full(phxi_validation* validation);
phx_result phxi_validate_soak_mpm(phxi_validation* validation);
phx_result phxi_validate_soak_peridynamics(phxi_validation* validation);
phx_result phxi_validate_contact_drops_full(phxi_validation* validation);
phx_result phxi_validate_rigid_stack_full(phxi_validation* validation);
phx_result phxi_validate_heat_stefan_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_poiseuille_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_tank_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_dam_break_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_block_full(phxi_validation* validation);
phx_result phxi_validate_esph_wave_full(phxi_validation* validation);
phx_result phxi_validate_esph_irregular_full(phxi_validation* validation);
phx_result phxi_validate_corotated_stretch_full(phxi_validation* validation);
phx_result phxi_validate_peridynamics_elastica_full(phxi_validation* validation);
phx_result phxi_validate_peridynamics_spring_full(phxi_validation* validation);
phx_result phxi_validate_peridynamics_griffith_full(phxi_validation* validation);
phx_result phxi_validate_peridynamics_column_full(phxi_validation* validation);
phx_result phxi_validate_corotated_cantilevers(phxi_validation* validation);
phx_result phxi_validate_granular_column_full(phxi_validation* validation);
phx_result phxi_validate_granular_bed_full(phxi_validation* validation);
phx_result phxi_validate_granular_cut_full(phxi_validation* validation);
phx_result phxi_validate_granular_slime_full(phxi_validation* validation);
phx_result phxi_validate_granular_thread_full(phxi_validation* validation);
phx_result phxi_validate_granular_redistribution_full(phxi_validation* validation);
phx_result phxi_validate_granular_steps_full(phxi_validation* validation);
phx_result phxi_validate_granular_heap_full(phxi_validation* validation);
phx_result phxi_validate_granular_beside_mpm(phxi_validation* validation);
phx_result phxi_validate_granular_resolution_full(phxi_validation* validation);
phx_result phxi_validate_granular_implicit_full(phxi_validation* validation);
