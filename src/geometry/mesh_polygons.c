// SPDX-License-Identifier: MIT
// Polygons of a mesh file that fans cannot fill: those with a corner that turns inwards get the triangles of ear
// clipping. It is done when all vertices are known, as files may name them before they come; a fan around the first
// corner holds the place of each polygon until then, and stays where it is right.
#include "geometry/ear_clip.h"
#include "geometry/mesh_source.h"

#include <string.h>

enum { MOST_CORNERS = 256 }; // ears are searched among all corners for each; larger ones stay fans

/// The corners of a fan: the first, the second, and the last of each triangle.
static int ring_corner(const phxi_builder_polygon_place* polygon, int k) {
    return k < 2 ? 3 * polygon->first + k : 3 * (polygon->first + k - 2) + 2;
}

static phx_vec3 corner_position(const phxi_mesh_builder* b, const phxi_builder_polygon_place* polygon, int k) {
    return b->positions.items[b->triangles.items[ring_corner(polygon, k % polygon->corners)]];
}

/// Area vector of the polygon: twice the area, along its normal.
static phx_vec3 area_of(const phxi_mesh_builder* b, const phxi_builder_polygon_place* polygon) {
    const phx_vec3 from = corner_position(b, polygon, 0);
    phx_vec3 sum = {0, 0, 0};
    for (int k = 1; k + 1 < polygon->corners; ++k) {
        sum = phxi_add(sum, phxi_cross(phxi_sub(corner_position(b, polygon, k), from),
                                       phxi_sub(corner_position(b, polygon, k + 1), from)));
    }
    return sum;
}

/// Whether a triangle of its fan looks the other way.
static bool is_bent(const phxi_mesh_builder* b, const phxi_builder_polygon_place* polygon, phx_vec3 normal) {
    const phx_vec3 from = corner_position(b, polygon, 0);
    bool bent = false;
    for (int k = 1; k + 1 < polygon->corners; ++k) {
        const phx_vec3 area = phxi_cross(phxi_sub(corner_position(b, polygon, k), from),
                                         phxi_sub(corner_position(b, polygon, k + 1), from));
        bent = bent || phxi_dot(area, normal) < -1e-9 * phxi_length(area);
    }
    return bent;
}

/// New triangles in the place of the fan.
static void replace_fan(phxi_mesh_builder* b, const phxi_builder_polygon_place* polygon, const phxi_ear_clipper* ears,
                        const int (*ring)[2]) {
    for (int i = 0; i < 3 * ears->triangles.count; ++i) {
        const int corner = ears->triangles.items[i / 3].id[i % 3];
        b->triangles.items[3 * polygon->first + i] = ring[corner][0];
        if (b->corner_uvs.count > 0) {
            b->corner_uvs.items[3 * polygon->first + i] = ring[corner][1];
        }
    }
}

static phx_result recut(phxi_mesh_builder* b, const phxi_builder_polygon_place* polygon, phx_vec3 normal,
                        phxi_ear_clipper* ears) {
    int ring[MOST_CORNERS][2];
    const phx_vec3 u = phxi_perpendicular(normal), v = phxi_cross(normal, u);
    const phx_vec3 from = corner_position(b, polygon, 0);
    phxi_ear_reset(ears);
    int* begin = phxi_array_add(&ears->ring_begin, ears->heap, "mesh polygon");
    if (!begin || !phxi_array_reserve(&ears->points, polygon->corners, ears->heap, "mesh polygon")) {
        return PHX_ERROR_MEMORY;
    }
    *begin = 0;
    for (int k = 0; k < polygon->corners; ++k) {
        const phx_vec3 way = phxi_sub(corner_position(b, polygon, k), from);
        const int at = ring_corner(polygon, k);
        ring[k][0] = b->triangles.items[at];
        ring[k][1] = b->corner_uvs.count > 0 ? b->corner_uvs.items[at] : -1;
        ears->points.items[ears->points.count++] = (phxi_flat_point){phxi_dot(way, u), phxi_dot(way, v), k};
    }
    PHXI_TRY(phxi_ear_clip(ears));
    if (ears->triangles.count == polygon->corners - 2) {
        replace_fan(b, polygon, ears, (const int(*)[2])ring);
    }
    return PHX_OK;
}

phx_result phxi_builder_recut_polygons(phxi_mesh_builder* builder) {
    phxi_ear_clipper ears = {.heap = &builder->mesh->heap};
    phx_result result = PHX_OK;
    for (int p = 0; result == PHX_OK && p < builder->polygons.count; ++p) {
        const phxi_builder_polygon_place* polygon = &builder->polygons.items[p];
        const phx_vec3 area = area_of(builder, polygon);
        const double size = phxi_length(area);
        if (polygon->corners <= MOST_CORNERS && size > 0 && isfinite(size)) {
            const phx_vec3 normal = phxi_scale(1 / size, area);
            result = is_bent(builder, polygon, normal) ? recut(builder, polygon, normal, &ears) : PHX_OK;
        }
    }
    phxi_ear_destroy(&ears);
    return result;
}
