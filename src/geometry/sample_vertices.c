// SPDX-License-Identifier: MIT
// One particle at each corner of the cells, as nodes of finite elements are: faces of a box have particles on them. A
// cell shares what it holds among its eight corners, so that those inside hold a cell and those on faces, edges and
// corners of a box a half, a quarter and an eighth of it (docs/theory/discretisation.md section 1).
#include "geometry/sample_internal.h"

/// Volume of the corner (i, j, k), in cells.
static double corner_volume(const phxi_cells* cells, int i, int j, int k) {
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        sum += phxi_cells_volume(cells, i - (n & 1), j - (n >> 1 & 1), k - (n >> 2 & 1));
    }
    return sum / 8;
}

static phx_result add_corners(const phxi_cells* cells, phxi_sample_list* list) {
    const phxi_grid* g = &cells->grid;
    double cell = g->edge * g->edge * g->edge;
    for (int k = 0; k <= g->nz; ++k) {
        for (int j = 0; j <= g->ny; ++j) {
            for (int i = 0; i <= g->nx; ++i) {
                double volume = corner_volume(cells, i, j, k);
                if (volume > 0) {
                    phx_vec3 corner = phxi_add_scaled(g->origin, g->edge, phxi_vec3(i, j, k));
                    PHXI_TRY(phxi_sample_add(list, corner, volume * cell, g->edge));
                }
            }
        }
    }
    list->exact = cells->sum * cell;
    return PHX_OK;
}

phx_result phxi_sample_vertices(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    return phxi_sample_cells(region, def, list, add_corners);
}
