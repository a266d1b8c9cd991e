// SPDX-License-Identifier: MIT
// Any bytes as a scene, with the last line as an override. Nothing is built here: see fuzz_build.c.
#include <phyxel/io.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    phx_scene* scene = NULL;
    if (phx_scene_parse("fuzz.yaml", (const char*)data, size, NULL, NULL, &scene) == PHX_OK) {
        phx_scene_destroy(scene);
    }
    size_t begin = size;
    while (begin > 0 && data[begin - 1] != '\n') {
        --begin;
    }
    char* setting = malloc(size - begin + 1);
    if (setting) {
        memcpy(setting, data + begin, size - begin);
        setting[size - begin] = 0;
        const char* overrides[] = {setting, NULL};
        scene = NULL;
        if (phx_scene_parse("fuzz.yaml", (const char*)data, begin, NULL, overrides, &scene) == PHX_OK) {
            phx_scene_destroy(scene);
        }
        free(setting);
    }
    return 0;
}
