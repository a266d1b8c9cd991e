// SPDX-License-Identifier: MIT
#pragma once

#include "validate/validate.h"

phx_result phxi_validate_bar_modes(phxi_validation* v);
phx_result phxi_validate_cantilever(phxi_validation* v);
phx_result phxi_validate_stable_step(phxi_validation* v);
phx_result phxi_validate_zero_modes(phxi_validation* v);
phx_result phxi_validate_fracture_bar(phxi_validation* v);
phx_result phxi_validate_fracture_bars(phxi_validation* v);
phx_result phxi_validate_fracture_energy(phxi_validation* v);
phx_result phxi_validate_fracture_plate(phxi_validation* v);
phx_result phxi_validate_fracture_plates(phxi_validation* v);
phx_result phxi_validate_fracture_impact(phxi_validation* v);
phx_result phxi_validate_fracture_impacts(phxi_validation* v);
phx_result phxi_validate_sound_limit(phxi_validation* v);
phx_result phxi_validate_blow(phxi_validation* v);
phx_result phxi_validate_fracture_toughness(phxi_validation* v);
phx_result phxi_validate_fracture_momenta(phxi_validation* v);
phx_result phxi_validate_fracture_threads(phxi_validation* v);
// validate_efg_ductile.c
phx_result phxi_validate_ductile_bar(phxi_validation* v);
phx_result phxi_validate_ductile_bars(phxi_validation* v);
// validate_efg_plastic.c
phx_result phxi_validate_permanent_set(phxi_validation* v);
phx_result phxi_validate_creep(phxi_validation* v);
phx_result phxi_validate_resets(phxi_validation* v);
// validate_efg_thin.c
phx_result phxi_validate_thin_rotation(phxi_validation* v);
phx_result phxi_validate_thin_momenta(phxi_validation* v);
phx_result phxi_validate_thin_pull(phxi_validation* v);
phx_result phxi_validate_thin_strings(phxi_validation* v);
// validate_efg_adaptive.c
phx_result phxi_validate_adaptive(phxi_validation* v);
// validate_efg_pull.c
phx_result phxi_validate_pulled_bar(phxi_validation* v);
