// SPDX-License-Identifier: MIT
// Volumes of particles from the cells they own: some mass for all.
#include "geometry/cell_complex.h"

static phx_result largest_neighbors(phxi_heap* heap, const phxi_cell_complex* c, int** neighbors) {
    int most = 0;
    PHXI_NEW(*neighbors, heap, c->particle_count, "cell volumes");
    for (int i = 0; i < c->particle_count; ++i) {
        most = c->volumes[i] > c->volumes[most] ? i : most;
        (*neighbors)[i] = -1;
    }
    for (int w = 0; w < c->wall_count; ++w) {
        for (int k = 0; k < 2; ++k) {
            int i = c->walls[w].particle[k], j = c->walls[w].particle[1 - k], *known = &(*neighbors)[i];
            *known = *known < 0 || c->volumes[j] > c->volumes[*known] ? j : *known;
        }
    }
    for (int i = 0; i < c->particle_count; ++i) {
        (*neighbors)[i] = (*neighbors)[i] < 0 ? most : (*neighbors)[i];
    }
    return PHX_OK;
}

phx_result phxi_cell_volumes(phxi_heap* heap, const phxi_cell_complex* c, const double* spacings, double least,
                             double* volumes) {
    int* neighbors = NULL;
    PHXI_TRY(largest_neighbors(heap, c, &neighbors));
    for (int i = 0; i < c->particle_count; ++i) {
        volumes[i] = c->volumes[i];
    }
    for (int i = 0; i < c->particle_count; ++i) {
        double bound = least * pow(spacings[i], 3), lack = bound - c->volumes[i];
        double* giver = &volumes[neighbors[i]];
        if (lack > 0 && *giver - lack > bound) {
            volumes[i] += lack;
            *giver -= lack;
        }
    }
    phxi_free(heap, neighbors);
    return PHX_OK;
}
