// SPDX-License-Identifier: MIT
// Triangle meshes: vertices in double, three indices a triangle, counter-clockwise seen from outside.
#pragma once

#include <phyxel/io.h>
#include "core/heap.h"
#include "math/vec3.h"

#include <stdio.h>

/// Largest coordinate (m) a mesh may have: products of six of them are still finite.
#define PHXI_MESH_LIMIT 1e30

struct phx_mesh {
    phxi_heap heap; // owns the arrays and the mesh itself
    phx_vec3* positions;
    int* triangles; // 3 a triangle, each in [0, vertex_count)
    int vertex_count, triangle_count;
    // what a file says beyond that, of no meaning to physics; kept through phxi_mesh_transformed
    float* uvs;         // texture coordinates: 6 a triangle, u and v of each corner, v up; NULL: none
    int* groups;        // by triangle, each in [0, group_count); NULL: none
    char** group_names; // "object/group/material", as far as the file names them
    int group_count;
    int up; // phx_up: the axis of the file that became z; auto: as it was
};

typedef struct phxi_box {
    phx_vec3 low, high;
} phxi_box;

/// A mesh with uninitialised arrays of these sizes. Allocator NULL: malloc and free.
phx_result phxi_mesh_new(const phx_allocator* allocator, int vertex_count, int triangle_count, phx_mesh** mesh);
/// A copy, scaled, then rotated (degrees about x, y, z in this order; exact at right angles), then moved. Only a
/// positive scale is taken: a negative one would turn the mesh inside out.
phx_result phxi_mesh_transformed(const phx_mesh* mesh, double scale, phx_vec3 rotate, phx_vec3 translate,
                                 const phx_allocator* allocator, phx_mesh** result);
/// Copies texture coordinates and groups to a mesh of the same triangles.
phx_result phxi_mesh_copy_marks(const phx_mesh* from, phx_mesh* to);
/// The rotation of that: degrees about x, y, z in this order.
phxi_mat3 phxi_rotation_degrees(phx_vec3 degrees);
/// Around all vertices; zero for an empty mesh.
phxi_box phxi_mesh_box(const phx_mesh* mesh);
double phxi_mesh_area(const phx_mesh* mesh);
/// map[i] = the first vertex at exactly the position of vertex i (-0 is 0).
phx_result phxi_mesh_weld_map(phxi_heap* heap, const phx_vec3* positions, int count, int* map);

/// Readers (mesh_obj.c, mesh_ply.c, mesh_stl.c, mesh_gltf.c) work on memory; messages have name:line, or name: byte
/// where binary.
typedef phx_result phxi_mesh_reader(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                    phx_mesh** mesh);
/// The last also reads points without faces, as a mesh of no triangles.
phxi_mesh_reader phxi_mesh_read_obj, phxi_mesh_read_ply, phxi_mesh_read_stl, phxi_mesh_read_gltf,
    phxi_mesh_read_ply_cloud;
/// A glTF file may have its numbers in others: these are looked for in the folder.
phx_result phxi_mesh_read_gltf_beside(const char* folder, const char* name, const char* bytes, size_t size,
                                      const phx_allocator* allocator, phx_mesh** mesh);
/// phx_mesh_load with memory of the caller.
phx_result phxi_mesh_load(const char* path, const phx_allocator* allocator, phx_mesh** mesh);
/// Writers leave it to phxi_file_commit to find writes that failed; their own errors are meshes a format cannot hold.
typedef phx_result phxi_mesh_writer(const phx_mesh* mesh, FILE* stream);
phxi_mesh_writer phxi_mesh_write_obj, phxi_mesh_write_ply, phxi_mesh_write_stl;
