// SPDX-License-Identifier: MIT
// The inside of glTF files: a JSON text and a block of numbers that grow together (gltf_writer.c), and how parts move
// (gltf_motion.c).
#pragma once

#include <phyxel/render.h>
#include "core/array.h"
#include "surface/frame.h"

typedef PHXI_ARRAY(char) phxi_gltf_bytes;

typedef struct phxi_gltf_writer {
    phxi_heap heap;
    phxi_gltf_bytes json, binary;
    phxi_gltf_bytes views, accessors; // lists of the JSON
    int view_count;
    bool good; // false: no memory, or larger than a file may be
} phxi_gltf_writer;

void phxi_gltf_put_bytes(phxi_gltf_writer* w, phxi_gltf_bytes* to, const void* from, size_t size);
void phxi_gltf_put(phxi_gltf_writer* w, phxi_gltf_bytes* to, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// A name of the scene as a text of JSON.
void phxi_gltf_put_name(phxi_gltf_writer* w, const char* name);

typedef enum phxi_gltf_array_kind {
    PHXI_GLTF_NUMBERS, // floats
    PHXI_GLTF_VECTORS, // of three
    PHXI_GLTF_QUATERNIONS,
    PHXI_GLTF_INDICES,
    PHXI_GLTF_PAIRS, // of floats
} phxi_gltf_array_kind;
enum { PHXI_GLTF_VERTICES = 34962, PHXI_GLTF_TRIANGLES = 34963 };
/// Adds an array to the numbers and returns that of its accessor. `target`: one of the above; 0: neither.
int phxi_gltf_array(phxi_gltf_writer* w, const void* items, int count, phxi_gltf_array_kind kind, int target);
/// Of a part: a look as far as glTF and its ratified extensions go.
void phxi_gltf_material(phxi_gltf_writer* w, const phx_part* part, int number);
phx_result phxi_gltf_save(phxi_gltf_writer* w, const char* path);

/// A surface whose vertices have one place on a texture each: those with several are there several times.
typedef struct phxi_gltf_split {
    int points;
    int* source;  // vertex of the surface that each is, `points`
    int* indices; // 3 a triangle
    float* uvs;   // 2 a point, v down as glTF has it
} phxi_gltf_split;
/// `uvs` are 6 a triangle, v up (geometry/mesh.h). The arrays are on the heap.
phx_result phxi_gltf_split_by_uvs(phxi_heap* heap, const phx_frame* surface, const float* uvs, phxi_gltf_split* split);

/// Where a body that does not change its shape has gone since its first frame: x = R X + t, the rotation as a
/// quaternion x, y, z, w.
typedef struct phxi_gltf_pose {
    float rotation[4], translation[3];
} phxi_gltf_pose;
/// The pose that takes `first` to `now`, three floats a point; false: they differ in shape by more than `tolerance`, m.
bool phxi_gltf_find_pose(const float* first, const float* now, int points, double tolerance, phxi_gltf_pose* pose);
