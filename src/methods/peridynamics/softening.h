// SPDX-License-Identifier: MIT
// Bodies that warmth softens (materials/softening.h): moduli of particles follow their temperature.
#pragma once

#include "methods/peridynamics/peri_internal.h"

/// Sets the moduli for the current temperatures; does nothing if these have not changed.
phx_result phxi_peri_soften(phxi_step* step, phxi_peri_slot* slot);
/// Those of particle i, which have just been set to those of its material, by slot->stiff.
void phxi_peri_soften_particle(phxi_peri_slot* slot, int i);
