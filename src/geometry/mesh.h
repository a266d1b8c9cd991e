// SPDX-License-Identifier: MIT
// Triangle meshes: vertices in double, three indices a triangle, counter-clockwise seen from outside.
#pragma once

#include <phyxel/io.h>
#include "core/heap.h"
#include "math/vec3.h"

struct phx_mesh {
    phxi_heap heap; // owns the arrays and the mesh itself
    phx_vec3* positions;
    int* triangles; // 3 a triangle, each in [0, vertex_count)
    int vertex_count, triangle_count;
};

typedef struct phxi_box {
    phx_vec3 low, high;
} phxi_box;

/// An empty mesh with uninitialised arrays of these sizes.
phx_result phxi_mesh_new(const phx_allocator* allocator, int vertex_count, int triangle_count, phx_mesh** mesh);
/// A copy, scaled, then rotated (degrees about x, y, z in this order), then moved. A negative scale is refused.
phx_result phxi_mesh_transformed(const phx_mesh* mesh, double scale, phx_vec3 rotate, phx_vec3 translate, const phx_allocator* allocator,
                                 phx_mesh** result);
phxi_box phxi_mesh_box(const phx_mesh* mesh);
double phxi_mesh_area(const phx_mesh* mesh);
/// Readers and writers (mesh_obj.c, mesh_ply.c, mesh_stl.c) work on memory; messages have name:line.
typedef phx_result phxi_mesh_reader(const char* name, const char* bytes, size_t size, const phx_allocator* allocator, phx_mesh** mesh);
phxi_mesh_reader phxi_mesh_read_obj, phxi_mesh_read_ply, phxi_mesh_read_stl;
