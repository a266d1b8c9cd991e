// SPDX-License-Identifier: MIT
// Body-centred cubic lattice: two points a cell of edge a, at 1/4 and 3/4 of it in each direction, V = a^3/2. Points
// are in or out; there are no partial volumes, and the common factor makes up for what the surface cuts.
#include "geometry/sample_internal.h"

static phx_result add_row(phxi_region* region, const phxi_grid* g, int j, int k, uint8_t* marks,
                          phxi_sample_list* list) {
    double a = g->edge;
    for (int half = 0; half < 2; ++half) {
        double shift = half ? 0.75 : 0.25;
        phx_vec3 p = phxi_add_scaled(g->origin, a, phxi_vec3(shift, j + shift, k + shift));
        PHXI_TRY(phxi_region_marks(region, p.x, a, g->nx, p.y, p.z, marks));
        for (int i = 0; i < g->nx; ++i) {
            if (marks[i]) {
                PHXI_TRY(phxi_sample_add(list, phxi_vec3(p.x + i * a, p.y, p.z), 0.5 * a * a * a, a));
            }
        }
    }
    return PHX_OK;
}

static phx_result add_points(phxi_region* region, const phxi_grid* g, float* row, uint8_t* marks,
                             phxi_sample_list* list) {
    double sum = 0;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            PHXI_TRY(add_row(region, g, j, k, marks, list));
            if (region->volume == 0) { // unknown: integrate it
                PHXI_TRY(phxi_region_fractions(region, g, j, k, row));
                for (int i = 0; i < g->nx; ++i) {
                    sum += row[i];
                }
            }
        }
    }
    list->exact = sum * g->edge * g->edge * g->edge;
    return PHX_OK;
}

phx_result phxi_sample_bcc(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    phxi_grid grid;
    PHXI_TRY(phxi_region_grid(region, def->spacing, &grid));
    uint8_t* marks = phxi_alloc(list->heap, (size_t)grid.nx, sizeof *marks, "column marks");
    float* row = phxi_alloc(list->heap, (size_t)grid.nx, sizeof *row, "row fractions");
    phx_result result = marks && row ? add_points(region, &grid, row, marks, list) : PHX_ERROR_MEMORY;
    phxi_free(list->heap, row);
    phxi_free(list->heap, marks);
    return result;
}
