// SPDX-License-Identifier: MIT
#include "io/scene_clamp.h"

#include "math/vec3.h"

#include <string.h>

static const size_t most = 60000; // bytes, of what a shape may have

static bool is_given(const char* text) {
    return text && text[0];
}

/// Whether a driver holds all of what is in its region.
static bool holds(const phx_driver_def* def, const char* body) {
    bool rigid = def->kind == PHX_DRIVER_PIN || def->kind == PHX_DRIVER_MOVE || def->kind == PHX_DRIVER_TWIST ||
                 def->kind == PHX_DRIVER_VELOCITY || def->kind == PHX_DRIVER_SPIN;
    bool part = is_given(def->face) || is_given(def->axes) || phxi_length(def->normal) > 0;
    bool same = !is_given(def->body) || strcmp(def->body, body) == 0;
    return rigid && !part && same && is_given(def->region) && !is_given(def->collider);
}

phx_result phxi_scene_clamp(const phx_scene* scene, const char* body, phxi_heap* heap, char** text) {
    size_t length = sizeof "union()";
    int count = 0;
    *text = NULL;
    for (int d = 0; d < scene->drivers.count; ++d) {
        const phx_driver_def* def = &scene->drivers.items[d].def;
        if (holds(def, body)) {
            length += strlen(def->region) + 2;
            ++count;
        }
    }
    if (count == 0 || length > most) {
        return PHX_OK;
    }
    PHXI_NEW(*text, heap, length, "scene clamp");
    strcpy(*text, "union(");
    for (int d = 0; d < scene->drivers.count; ++d) {
        const phx_driver_def* def = &scene->drivers.items[d].def;
        if (holds(def, body)) {
            strcat(*text, (*text)[6] ? ", " : "");
            strcat(*text, def->region);
        }
    }
    strcat(*text, ")");
    return PHX_OK;
}
