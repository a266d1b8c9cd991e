// SPDX-License-Identifier: MIT
// Model `bond`, as the tutorial has it: targets r dir(F X) and r dir(Y), README.md (8). For every affine deformation
// both are the same spring along the bond, so the Poisson ratio is 1/4 whatever the moduli, and a body that was turned
// inside out stays so: the direction follows F.
#include "methods/peridynamics/peri_internal.h"

#include "math/vec3.h"

/// Rows of F = (S + G) G^+, and both moduli.
static void make_rows(const phxi_peri_slot* slot, const phxi_peri_rest* rest, int first, int count,
                      const phxi_peri_block* b) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < count; ++i) {
        phxi_peri_row* row = &slot->rows[first + i];
        for (int c = 0; c < 3; ++c) {
            phx_real f[3] = {0};
            for (int a = 0; a < 9; ++a) {
                f[a % 3] += (b->s[3 * c + a / 3][i] + rest->moment[sym[3 * c + a / 3]][i]) * rest->spread[sym[a]][i];
            }
            row->part[c] = (phxi_r4){f[0], f[1], f[2], 0};
        }
        row->part[3] = (phxi_r4){rest->dev[i], rest->iso[i], 0, 0};
    }
}

bool phxi_peri_bond_local(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    int first = block * PERI_BLOCK, count = slot->count - first < PERI_BLOCK ? slot->count - first : PERI_BLOCK;
    bool finite = phxi_peri_local(slot, block, b);
    make_rows(slot, &slot->constants[block], first, count, b);
    return finite;
}

/// c_dev (Y - r dir(F X)) + c_iso (Y - r dir(Y)) with F of a row.
static phx_vec3 tension(const phxi_peri_row* row, phx_vec3 x, double r, phx_vec3 y, double shrink) {
    const phxi_r4* f = row->part;
    phx_vec3 turned = {(double)f[0][0] * x.x + (double)f[0][1] * x.y + (double)f[0][2] * x.z,
                       (double)f[1][0] * x.x + (double)f[1][1] * x.y + (double)f[1][2] * x.z,
                       (double)f[2][0] * x.x + (double)f[2][1] * x.y + (double)f[2][2] * x.z};
    phx_vec3 target = phxi_scale(r, phxi_normalize(turned, phxi_vec3(0, 0, 0)));
    return phxi_add_scaled(phxi_scale((double)f[3][0], phxi_sub(y, target)), (double)f[3][1] * (1 - shrink), y);
}

void phxi_peri_bond_force(const phxi_peri_slot* slot, int block, phx_real force[3][PERI_BLOCK]) {
    int first = block * PERI_BLOCK, count = slot->count - first < PERI_BLOCK ? slot->count - first : PERI_BLOCK;
    for (int i = 0; i < count; ++i) {
        phx_vec3 sum = {0};
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            phxi_r4 u = slot->u[slot->other[k]] - slot->u[first + i], rest = slot->rest[k];
            phx_vec3 x = phxi_vec3(rest[0], rest[1], rest[2]), y = phxi_add(x, phxi_vec3(u[0], u[1], u[2]));
            double r = (double)rest[3], shrink = (double)slot->shrink[k];
            double here = (double)slot->volume[first + i] * (double)slot->near[k][3], there = (double)slot->far[k][3];
            sum = phxi_add_scaled(sum, here, tension(&slot->rows[first + i], x, r, y, shrink));
            sum = phxi_add_scaled(sum, there, tension(&slot->rows[slot->other[k]], x, r, y, shrink));
        }
        force[0][i] = (phx_real)sum.x, force[1][i] = (phx_real)sum.y, force[2][i] = (phx_real)sum.z;
    }
}
