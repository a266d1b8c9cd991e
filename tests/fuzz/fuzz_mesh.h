// SPDX-License-Identifier: MIT
// What the three mesh targets share: read the bytes under a name, then check and use what came out.
#pragma once

#include "geometry/inside.h"
#include "geometry/mesh.h"

#include <math.h>
#include <stdlib.h>

static inline int phxf_mesh(const char* name, const uint8_t* bytes, size_t size) {
    phx_mesh* mesh = NULL;
    const phx_result result = phx_mesh_parse(name, bytes, size, NULL, &mesh);
    if (result != PHX_OK) {
        if (mesh || result != PHX_ERROR_FORMAT) {
            abort();
        }
        return 0;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            abort();
        }
    }
    if (!isfinite(phx_mesh_volume(mesh)) || !isfinite(phxi_mesh_area(mesh)) || phx_mesh_open_edges(mesh) < 0) {
        abort();
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_inside* inside = NULL;
    uint8_t marks[8];
    const phx_vec3 p = mesh->positions[0];
    const double step = 0.2 * (phxi_mesh_box(mesh).high.x - p.x) + 1e-30;
    if (phxi_inside_create(&heap, mesh, &inside) != PHX_OK ||
        phxi_inside_column(inside, p.x - 2 * step, step, 8, p.y, p.z, marks) != PHX_OK) {
        abort();
    }
    phxi_inside_destroy(&heap, inside);
    phx_mesh_destroy(mesh);
    return 0;
}
