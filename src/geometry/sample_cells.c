// SPDX-License-Identifier: MIT
// Cells at the surface that hold too little to be a particle give it to their neighbours (see sample.h).
//
// All decisions are taken on the fractions as they were sampled, so that a symmetric body stays symmetric; only the
// question whether a cell is a neck depends on the cells decided before it, in the order of the grid. A cell that gave
// its volume away is marked by a minus sign, and what it gave is gathered by those who get it when they are read.
#include "geometry/sample_internal.h"

#define DROP  0.1f
#define SMALL (1.0f / 3.0f)

static const int faces[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

phx_result phxi_cells_create(phxi_heap* heap, phxi_region* region, const phxi_grid* grid, phxi_cells* cells) {
    *cells = (phxi_cells){.grid = *grid};
    PHXI_NEW(cells->fractions, heap, (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz, "cell fractions");
    for (int k = 0; k < grid->nz; ++k) {
        for (int j = 0; j < grid->ny; ++j) {
            float* row = cells->fractions + phxi_cell_index(grid, 0, j, k);
            phx_result result = phxi_region_fractions(region, grid, j, k, row);
            if (result != PHX_OK) {
                phxi_cells_destroy(heap, cells);
                return result;
            }
            double sum = 0;
            for (int i = 0; i < grid->nx; ++i) {
                sum += row[i];
            }
            cells->sum += sum;
        }
    }
    return PHX_OK;
}

void phxi_cells_destroy(phxi_heap* heap, phxi_cells* cells) {
    phxi_free(heap, cells->fractions);
    *cells = (phxi_cells){0};
}

/// The largest fraction among the face neighbours, and how many have it.
static float fullest(const phxi_cells* cells, int i, int j, int k, int* count) {
    float most = 0;
    *count = 0;
    for (int n = 0; n < 6; ++n) {
        float f = phxi_cells_at(cells, i + faces[n][0], j + faces[n][1], k + faces[n][2]);
        if (f > most) {
            most = f;
            *count = 0;
        }
        *count += f == most;
    }
    return most;
}

/// Whether the particles around a cell touch one another (by face, edge or corner) without it.
static bool is_spare(const phxi_cells* cells, int i, int j, int k) {
    int around[26][3], count = 0;
    for (int n = 0; n < 27; ++n) {
        int d[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (n != 13 && phxi_cells_at(cells, i + d[0], j + d[1], k + d[2]) >= DROP) {
            around[count][0] = d[0], around[count][1] = d[1], around[count][2] = d[2];
            ++count;
        }
    }
    // Those reached from the first are moved to the front.
    int reached = count ? 1 : 0;
    for (int from = 0; from < reached; ++from) {
        for (int to = reached; to < count; ++to) {
            int dx = around[to][0] - around[from][0], dy = around[to][1] - around[from][1],
                dz = around[to][2] - around[from][2];
            if (dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1) {
                for (int c = 0; c < 3; ++c) {
                    int swap = around[to][c];
                    around[to][c] = around[reached][c];
                    around[reached][c] = swap;
                }
                ++reached;
            }
        }
    }
    return reached == count;
}

void phxi_cells_merge(phxi_cells* cells) {
    const phxi_grid* grid = &cells->grid;
    for (int k = 0; k < grid->nz; ++k) {
        for (int j = 0; j < grid->ny; ++j) {
            for (int i = 0; i < grid->nx; ++i) {
                float* f = &cells->fractions[phxi_cell_index(grid, i, j, k)];
                int count;
                if (*f > 0 && *f < SMALL && fullest(cells, i, j, k, &count) >= SMALL &&
                    (*f < DROP || is_spare(cells, i, j, k))) {
                    *f = -*f;
                }
            }
        }
    }
}

double phxi_cells_volume(const phxi_cells* cells, int i, int j, int k) {
    float own = phxi_cells_at(cells, i, j, k);
    if (own < DROP) {
        return 0;
    }
    double volume = own;
    for (int n = 0; n < 6 && own >= SMALL; ++n) {
        int x = i + faces[n][0], y = j + faces[n][1], z = k + faces[n][2], count;
        float given = phxi_cells_at(cells, x, y, z);
        if (given < 0 && fullest(cells, x, y, z, &count) == own) {
            volume += -(double)given / count;
        }
    }
    return volume;
}

phx_result phxi_sample_cells(phxi_region* region, const phx_body_def* def, phxi_sample_list* list,
                             phx_result (*add)(const phxi_cells* cells, phxi_sample_list* list)) {
    phxi_grid grid;
    phxi_cells cells;
    PHXI_TRY(phxi_region_grid(region, def->spacing, &grid));
    PHXI_TRY(phxi_cells_create(list->heap, region, &grid, &cells));
    phxi_cells_merge(&cells);
    phx_result result = add(&cells, list);
    phxi_cells_destroy(list->heap, &cells);
    return result;
}
