// SPDX-License-Identifier: MIT
// One particle in the middle of each cell that holds enough (sample_cells.c).
#include "geometry/sample_internal.h"

static phx_result add_cells(const phxi_cells* cells, phxi_sample_list* list) {
    const phxi_grid* g = &cells->grid;
    double cell = g->edge * g->edge * g->edge;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; ++i) {
                double volume = phxi_cells_volume(cells, i, j, k);
                phx_vec3 center = phxi_add_scaled(g->origin, g->edge, phxi_vec3(i + 0.5, j + 0.5, k + 0.5));
                if (volume > 0) {
                    PHXI_TRY(phxi_sample_add(list, center, volume * cell, g->edge));
                }
            }
        }
    }
    list->exact = cells->sum * cell;
    return PHX_OK;
}

phx_result phxi_sample_uniform(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    return phxi_sample_cells(region, def, list, add_cells);
}
