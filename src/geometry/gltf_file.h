// SPDX-License-Identifier: MIT
// A glTF 2.0 file opened: its JSON, its buffers, and numbers of its accessors. What they mean is mesh_gltf.c's.
#pragma once

#include "core/json.h"
#include "geometry/mesh.h"

typedef struct phxi_gltf_buffer {
    const unsigned char* bytes;
    size_t size;
} phxi_gltf_buffer;

typedef struct phxi_gltf {
    phxi_heap* heap;
    const char* name;   // for messages
    const char* folder; // where other files are looked for; NULL: nowhere
    phxi_json json;
    phxi_gltf_buffer binary; // chunk of a .glb; NULL: none
    PHXI_ARRAY(phxi_gltf_buffer) buffers;
} phxi_gltf;

/// .glb by its first four bytes, or .gltf. Close it on failure, too; the heap frees what buffers hold.
phx_result phxi_gltf_open(phxi_gltf* gltf, phxi_heap* heap, const char* name, const char* folder, const char* bytes,
                          size_t size);
void phxi_gltf_close(phxi_gltf* gltf);

/// Numbers in a buffer, checked to be all there.
typedef struct phxi_gltf_accessor {
    const unsigned char* bytes;
    size_t stride;
    int count, components;
    int type; // 5120 to 5126
    bool normalized;
} phxi_gltf_accessor;

/// Accessor by its number, with so many components; `what` it is for, in messages.
phx_result phxi_gltf_access(const phxi_gltf* gltf, int number, int components, const char* what,
                            phxi_gltf_accessor* accessor);
/// Component c of item i, as it is meant; and as it is stored, of whole numbers.
double phxi_gltf_number(const phxi_gltf_accessor* accessor, int i, int c);
uint32_t phxi_gltf_whole(const phxi_gltf_accessor* accessor, int i);

enum {
    PHXI_GLTF_BYTE = 5120,
    PHXI_GLTF_UBYTE,
    PHXI_GLTF_SHORT,
    PHXI_GLTF_USHORT,
    PHXI_GLTF_UINT = 5125,
    PHXI_GLTF_FLOAT
};
