// SPDX-License-Identifier: MIT
// Texture coordinates belong to corners of triangles; glTF has them with vertices. A vertex on a seam becomes several.
#include "io/gltf.h"

phx_result phxi_gltf_split_by_uvs(phxi_heap* heap, const phx_frame* surface, const float* uvs, phxi_gltf_split* split) {
    size_t corners = 3 * (size_t)surface->triangles;
    int *first, *next; // copies of a vertex, as a list
    *split = (phxi_gltf_split){0};
    PHXI_NEW(first, heap, surface->points, "gltf");
    PHXI_NEW(next, heap, corners, "gltf");
    PHXI_NEW(split->source, heap, corners, "gltf");
    PHXI_NEW(split->indices, heap, corners, "gltf");
    PHXI_NEW(split->uvs, heap, 2 * corners, "gltf");
    for (int i = 0; i < surface->points; ++i) {
        first[i] = -1;
    }
    for (size_t c = 0; c < corners; ++c) {
        int vertex = surface->indices[c], copy = first[vertex];
        float u = uvs[2 * c], v = 1 - uvs[2 * c + 1];
        while (copy >= 0 && !(split->uvs[2 * (size_t)copy] == u && split->uvs[2 * (size_t)copy + 1] == v)) {
            copy = next[copy];
        }
        if (copy < 0) {
            copy = split->points++;
            split->source[copy] = vertex;
            split->uvs[2 * (size_t)copy] = u, split->uvs[2 * (size_t)copy + 1] = v;
            next[copy] = first[vertex];
            first[vertex] = copy;
        }
        split->indices[c] = copy;
    }
    phxi_free(heap, first);
    phxi_free(heap, next);
    return PHX_OK;
}
