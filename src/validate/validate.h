// SPDX-License-Identifier: MIT
// Known answers. A case is a function that measures and reports quantities with their exact values and bounds; the list
// of all cases stands in validate.c. Cases of one subject share a file.
#pragma once

#include <phyxel/check.h>
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
/// The first in double, the second in float: bounds that depend on the precision of the state.
double phxi_by_precision(double for_double, double for_float);

/// Lists of cases, each ending with a NULL name.
extern const phxi_validation_case phxi_cases_kernels[], phxi_cases_materials[], phxi_cases_efg[],
    phxi_cases_efg_implicit[], phxi_cases_efg_tangent[], phxi_cases_efg_soak[], phxi_cases_efg_front[],
    phxi_cases_implicit_contact[], phxi_cases_world[], phxi_cases_contact[], phxi_cases_collider[],
    phxi_cases_surface[], phxi_cases_cracks[], phxi_cases_heat[], phxi_cases_heat_bodies[], phxi_cases_wcsph[],
    phxi_cases_wcsph_tank[], phxi_cases_wcsph_melt[], phxi_cases_corotated[], phxi_cases_corotated_bars[],
    phxi_cases_soak[];
/// Those that take minutes, run only when they are named.
extern const phxi_validation_case phxi_cases_slow[];
phx_result phxi_validate_soak_full(phxi_validation* validation);
phx_result phxi_validate_heat_stefan_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_poiseuille_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_tank_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_dam_break_full(phxi_validation* validation);
phx_result phxi_validate_wcsph_block_full(phxi_validation* validation);
phx_result phxi_validate_corotated_stretch_full(phxi_validation* validation);
phx_result phxi_validate_corotated_cantilevers(phxi_validation* validation);
