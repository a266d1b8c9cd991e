// SPDX-License-Identifier: MIT
// Displacements to stresses to forces, docs/theory/fem.md (4): cells in blocks of sixteen, then nodes.
#include "methods/fem/fem_internal.h"

#include "materials/elastic_batch.h"

#include <string.h>

/// Lanes without a cell hold zeros: they are at rest.
static void load_corners(const phxi_fem_slot* slot, int first, int count, phxi_fem_block* b) {
    memset(b->u, 0, sizeof b->u);
    for (int c = 0; c < count; ++c) {
        for (int k = 0; k < FEM_CORNERS; ++k) {
            phxi_r4 u = slot->u[slot->corner[first + c][k]];
            b->u[3 * k][c] = u[0], b->u[3 * k + 1][c] = u[1], b->u[3 * k + 2][c] = u[2];
        }
    }
}

/// F - I = sum_k u_k grad N_k / edge, row by row.
static PHXI_CLONES void fem_gradients(const phxi_fem_element* e, phx_real per_edge, phxi_fem_block* b) {
    for (int q = 0; q < e->points; ++q) {
        for (int n = 0; n < 9; ++n) {
            const int row = n / 3, column = n % 3;
            phx_real* restrict g = b->g[n] + q * FEM_CELLS;
            phx_real sum[FEM_CELLS] = {0};
            for (int k = 0; k < FEM_CORNERS; ++k) {
                const phx_real slope = e->gradient[q][k][column], *u = b->u[3 * k + row];
                PHXI_SIMD
                for (int c = 0; c < FEM_CELLS; ++c) {
                    sum[c] += slope * u[c];
                }
            }
            PHXI_SIMD
            for (int c = 0; c < FEM_CELLS; ++c) {
                g[c] = per_edge * sum[c];
            }
        }
    }
}

void phxi_fem_gradients(const phxi_fem_slot* slot, int block, phxi_fem_block* b) {
    int first = block * FEM_CELLS, left = slot->cell_count - first;
    load_corners(slot, first, left < FEM_CELLS ? left : FEM_CELLS, b);
    fem_gradients(&slot->element, (phx_real)(1 / slot->edge), b);
}

const phx_real* phxi_fem_thermal(const phxi_fem_slot* slot, int block, phx_real thermal[FEM_LANES]) {
    const phxi_fem_element* e = &slot->element;
    memset(thermal, 0, FEM_LANES * sizeof *thermal);
    for (int c = 0; slot->thermal && c < FEM_CELLS && block * FEM_CELLS + c < slot->cell_count; ++c) {
        for (int q = 0; q < e->points; ++q) {
            for (int k = 0; k < FEM_CORNERS; ++k) {
                thermal[q * FEM_CELLS + c] += e->value[q][k] * slot->thermal[slot->corner[block * FEM_CELLS + c][k]];
            }
        }
    }
    return slot->thermal ? thermal : NULL;
}

void phxi_fem_stress(const phxi_fem_slot* slot, const phxi_elastic* elastic, int block, bool energy,
                     phxi_fem_block* b) {
    const int lanes = slot->element.points * FEM_CELLS;
    phx_real room[FEM_LANES];
    const phx_real* thermal = phxi_fem_thermal(slot, block, room);
    phxi_fem_gradients(slot, block, b);
    phxi_thermal_take(thermal, lanes, FEM_STRIDE, b->g[0]);
    phxi_elastic_batch(elastic, lanes, FEM_STRIDE, b->g[0], b->p[0], energy ? b->energy : NULL);
    phxi_thermal_put(thermal, lanes, FEM_STRIDE, b->g[0]);
    phxi_thermal_stress(thermal, lanes, FEM_STRIDE, b->p[0]);
    phxi_thermal_energy(thermal, lanes, FEM_STRIDE, energy, b->energy);
}

/// f_k = -V / points sum_q P grad N_k / edge.
static PHXI_CLONES void fem_forces(const phxi_fem_element* e, const phx_real factor[FEM_CELLS], const phxi_fem_block* b,
                                   phxi_fem_forces* out) {
    for (int k = 0; k < FEM_CORNERS; ++k) {
        for (int row = 0; row < 3; ++row) {
            phx_real sum[FEM_CELLS] = {0};
            for (int q = 0; q < e->points; ++q) {
                const phx_real* slope = e->gradient[q][k];
                const phx_real *p0 = b->p[3 * row] + q * FEM_CELLS, *p1 = b->p[3 * row + 1] + q * FEM_CELLS,
                               *p2 = b->p[3 * row + 2] + q * FEM_CELLS;
                PHXI_SIMD
                for (int c = 0; c < FEM_CELLS; ++c) {
                    sum[c] += p0[c] * slope[0] + p1[c] * slope[1] + p2[c] * slope[2];
                }
            }
            PHXI_SIMD
            for (int c = 0; c < FEM_CELLS; ++c) {
                out->f[3 * k + row][c] = factor[c] * sum[c];
            }
        }
    }
}

void phxi_fem_corner_forces(const phxi_fem_slot* slot, int block, const phxi_fem_block* b) {
    phx_real factor[FEM_CELLS], each = (phx_real)(-1 / (slot->element.points * slot->edge));
    for (int c = 0; c < FEM_CELLS; ++c) {
        factor[c] = each * slot->volume[block * FEM_CELLS + c];
    }
    fem_forces(&slot->element, factor, b, &slot->forces[block]);
}

void phxi_fem_gather(const phxi_fem_slot* slot, int block, phx_real force[3][FEM_NODES]) {
    int first = block * FEM_NODES, left = slot->count - first, count = left < FEM_NODES ? left : FEM_NODES;
    for (int i = 0; i < count; ++i) {
        phx_real sum[3] = {0};
        for (int k = 0; k < FEM_CORNERS; ++k) {
            int cell = slot->around[first + i][k];
            if (cell >= 0) {
                const phxi_fem_forces* from = &slot->forces[cell / FEM_CELLS];
                for (int a = 0; a < 3; ++a) {
                    sum[a] += from->f[3 * k + a][cell % FEM_CELLS];
                }
            }
        }
        force[0][i] = sum[0], force[1][i] = sum[1], force[2][i] = sum[2];
    }
}
