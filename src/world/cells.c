// SPDX-License-Identifier: MIT
// Cells of bodies that can break: the surface of a fragment is then the surface of its particles' cells, and holds
// their volume exactly.
#include "world/cells.h"

#include "geometry/body_mesh.h"
#include "geometry/shape_mesh.h"

// Particles must have some mass, even those whose cell is next to nothing (jittered out of the body): what they lack is
// taken from the largest of their neighbours. A fragment may then be off by this much.
#define LEAST 0.01 // of spacing^3

static phx_result set_volumes(phxi_heap* heap, const phxi_cell_complex* c, const double* spacings, const int* order,
                              phxi_samples* samples) {
    double* volumes;
    PHXI_NEW(volumes, heap, c->particle_count, "cell volumes");
    phx_result result = phxi_cell_volumes(heap, c, spacings, LEAST, volumes);
    for (int k = 0; k < c->particle_count && result == PHX_OK; ++k) {
        samples->volumes[order[k]] = volumes[k];
    }
    phxi_free(heap, volumes);
    return result;
}

/// The surface of the body; one of its own around what is inside, where its mesh is open.
static phx_result closed_mesh(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh, int* open_edges) {
    phx_mesh* given = NULL;
    PHXI_TRY(phxi_body_mesh(heap, def, &given));
    *open_edges = phx_mesh_open_edges(given);
    if (*open_edges == 0) {
        *mesh = given;
        return PHX_OK;
    }
    phx_result result =
        *open_edges < 0 ? PHX_ERROR_MEMORY : phxi_mesh_close(&heap->allocator, given, 0.5 * def->spacing, mesh);
    phx_mesh_destroy(given);
    return result;
}

phx_result phxi_body_make_cells(phxi_heap* heap, const phx_body_def* def, const int* order, phxi_samples* samples,
                                phxi_cell_complex** cells, int* open_edges) {
    phx_mesh* mesh = NULL;
    *open_edges = 0;
    phx_vec3* positions = phxi_alloc(heap, (size_t)samples->count, sizeof *positions, "cell sites");
    double* spacings = phxi_alloc(heap, (size_t)samples->count, sizeof *spacings, "cell sites");
    phx_result result = positions && spacings ? closed_mesh(heap, def, &mesh, open_edges) : PHX_ERROR_MEMORY;
    for (int k = 0; result == PHX_OK && k < samples->count; ++k) {
        positions[k] = samples->positions[order[k]];
        spacings[k] = samples->spacings[order[k]];
    }
    if (result == PHX_OK) {
        result = phxi_cell_complex_create(heap, mesh, samples->count, positions, spacings, cells);
    }
    if (result == PHX_OK) {
        result = set_volumes(heap, *cells, spacings, order, samples);
    }
    phx_mesh_destroy(mesh);
    phxi_free(heap, positions);
    phxi_free(heap, spacings);
    if (result != PHX_OK) {
        phxi_cell_complex_destroy(*cells);
        *cells = NULL;
        return result == PHX_ERROR_MEMORY ? result : phxi_fail_within(result, "cells for cracks");
    }
    return PHX_OK;
}
