// SPDX-License-Identifier: MIT
// A scene that stands in a test, run into a folder.
#pragma once

#include <phyxel/io.h>

#include <string.h>

/// `settings`: as --set takes them, NULL behind the last; NULL: none.
static inline phx_result phxt_run_text(const char* text, const char* const* settings, const char* folder) {
    phx_scene* scene = NULL;
    phx_result result = phx_scene_parse("scene", text, strlen(text), NULL, settings, &scene);
    if (result == PHX_OK) {
        phx_run_def def = phx_run_def_default();
        def.scene = scene;
        def.folder = folder;
        def.threads = 1;
        result = phx_run(&def, NULL);
    }
    phx_scene_destroy(scene);
    return result;
}
