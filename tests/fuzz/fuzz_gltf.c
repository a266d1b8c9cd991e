// SPDX-License-Identifier: MIT
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const bool binary = size >= 4 && bytes[0] == 'g';
    return phxf_mesh(binary ? "fuzz.glb" : "fuzz.gltf", bytes, size);
}
