// SPDX-License-Identifier: MIT
// Model `bond`, as the tutorial has it: targets r dir(F X) and r dir(Y), docs/theory/peridynamics.md (8). For every
// affine deformation both are the same spring along the bond, so the Poisson ratio is 1/4 whatever the moduli, and a
// body that was turned inside out stays so: the direction follows F.
#include "methods/peridynamics/pack.h"

#include "math/lanes.h"

bool phxi_peri_bond_local(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    phxi_peri_turn(slot, block, b);
    return phxi_peri_bond_rows(slot, block, b);
}

void phxi_peri_bond_force(const phxi_peri_slot* slot, int block, phx_real force[3][PERI_BLOCK]) {
    PHXI_LANES_CALL(phxi_peri_bond_pulls, slot, block, force);
}
