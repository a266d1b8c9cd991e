// SPDX-License-Identifier: MIT
// One particle at each vertex of a mesh, which is not filled: a layer of a surface, or the line of a wire whose faces
// are three points each that follow each other. A particle holds a cell of the spacing; methods with sheets and rods
// know better how thick it is.
#include "geometry/sample_internal.h"

phx_result phxi_sample_points(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    if (!region->mesh) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "sampling is points, expected a mesh: a shape has no vertices");
    }
    double cell = def->spacing * def->spacing * def->spacing;
    for (int i = 0; i < region->mesh->vertex_count; ++i) {
        PHXI_TRY(phxi_sample_add(list, region->mesh->positions[i], cell, def->spacing));
    }
    list->exact = cell * region->mesh->vertex_count;
    return PHX_OK;
}
