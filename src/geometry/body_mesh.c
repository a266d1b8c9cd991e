// SPDX-License-Identifier: MIT
#include "geometry/body_mesh.h"

#include "geometry/shape_mesh.h"
#include "geometry/shape_node.h"

#include <string.h>

static phx_result make_box(const phx_allocator* allocator, phx_vec3 center, phx_vec3 size, phx_mesh** mesh) {
    static const int triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    PHXI_TRY(phxi_mesh_new(allocator, 8, 12, mesh));
    for (int c = 0; c < 8; ++c) {
        (*mesh)->positions[c] =
            phxi_vec3(center.x + (c & 1 ? 0.5 : -0.5) * size.x, center.y + (c & 2 ? 0.5 : -0.5) * size.y,
                      center.z + (c & 4 ? 0.5 : -0.5) * size.z);
    }
    memcpy((*mesh)->triangles, triangles, sizeof triangles);
    return PHX_OK;
}

/// `sharp`: with creases, and before rotations and shifts.
static phx_result mesh_shape(phxi_heap* heap, const phx_body_def* def, bool sharp, phx_mesh** mesh) {
    phxi_shape* shape = NULL;
    phx_result result = phxi_shape_parse(heap, def->shape, &shape);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "shape");
    }
    if (sharp) {
        phxi_mat3 turn;
        phx_vec3 shift;
        phxi_shape_peel(shape, &turn, &shift);
    }
    const phxi_shape_node* node = &shape->nodes.items[0];
    if (strcmp(node->kind->name, "box") == 0 && node->r == 0) {
        result = make_box(&heap->allocator, node->a, node->b, mesh);
    } else {
        result = (sharp ? phxi_mesh_sharp_from_shape : phxi_mesh_from_shape)(&heap->allocator, def->shape,
                                                                             0.5 * def->spacing / def->scale, mesh);
    }
    phxi_shape_destroy(heap, shape);
    return result;
}

static phx_result make_mesh(phxi_heap* heap, const phx_body_def* def, bool sharp, phx_mesh** mesh) {
    const phx_vec3 none = {0, 0, 0};
    *mesh = NULL;
    phx_mesh* local = NULL;
    if (!def->mesh) {
        PHXI_TRY(mesh_shape(heap, def, sharp, &local));
    }
    phx_result result = phxi_mesh_transformed(def->mesh ? def->mesh : local, def->scale, sharp ? none : def->rotate,
                                              sharp ? none : def->translate, &heap->allocator, mesh);
    phx_mesh_destroy(local);
    return result;
}

phx_result phxi_body_mesh(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh) {
    return make_mesh(heap, def, false, mesh);
}

phx_result phxi_body_mesh_unplaced(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh) {
    return make_mesh(heap, def, true, mesh);
}
