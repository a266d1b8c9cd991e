// SPDX-License-Identifier: MIT
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    return phxf_mesh("fuzz.obj", bytes, size);
}
