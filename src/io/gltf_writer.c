// SPDX-License-Identifier: MIT
#include "io/gltf.h"

#include "core/file.h"
#include "core/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { FLOAT32 = 5126, UINT32 = 5125 };

void phxi_gltf_put_bytes(phxi_gltf_writer* w, phxi_gltf_bytes* to, const void* from, size_t size) {
    w->good = w->good && size < INT_MAX && phxi_array_reserve(to, (int)size, &w->heap, "gltf");
    if (w->good && size > 0) {
        memcpy(to->items + to->count, from, size);
        to->count += (int)size;
    }
}

void phxi_gltf_put(phxi_gltf_writer* w, phxi_gltf_bytes* to, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    phxi_gltf_put_bytes(w, to, text, length > 0 ? (size_t)length : 0);
}

static void put_number(phxi_gltf_writer* w, phxi_gltf_bytes* to, double value) {
    char text[32];
    phxi_format_float((float)value, text);
    phxi_gltf_put(w, to, "%s", text);
}

static void put_triple(phxi_gltf_writer* w, phxi_gltf_bytes* to, const double v[3]) {
    for (int k = 0; k < 3; ++k) {
        phxi_gltf_put(w, to, "%s", k ? "," : "[");
        put_number(w, to, v[k]);
    }
    phxi_gltf_put(w, to, "]");
}

/// A name of the scene as a text of JSON.
void phxi_gltf_put_name(phxi_gltf_writer* w, const char* name) {
    phxi_gltf_put(w, &w->json, "\"");
    for (; *name; ++name) {
        unsigned char c = (unsigned char)*name;
        if (c == '"' || c == '\\' || c < 0x20) {
            phxi_gltf_put(w, &w->json, "\\u%04x", c);
        } else {
            phxi_gltf_put_bytes(w, &w->json, name, 1);
        }
    }
    phxi_gltf_put(w, &w->json, "\"");
}

/// Least and most of each component, which positions and times must have.
static void put_range(phxi_gltf_writer* w, const float* items, int count, int components) {
    for (int side = 0; side < 2; ++side) {
        phxi_gltf_put(w, &w->accessors, side ? ",\"max\":[" : ",\"min\":[");
        for (int k = 0; k < components; ++k) {
            float end = count > 0 ? items[k] : 0;
            for (int i = 1; i < count; ++i) {
                float value = items[(size_t)components * (size_t)i + (size_t)k];
                end = side ? fmaxf(end, value) : fminf(end, value);
            }
            phxi_gltf_put(w, &w->accessors, "%s", k ? "," : "");
            put_number(w, &w->accessors, (double)end);
        }
        phxi_gltf_put(w, &w->accessors, "]");
    }
}

int phxi_gltf_array(phxi_gltf_writer* w, const void* items, int count, phxi_gltf_array_kind kind, int target) {
    static const char* const types[] = {"SCALAR", "VEC3", "VEC4", "SCALAR", "VEC2"};
    static const size_t sizes[] = {4, 12, 16, 4, 8};
    size_t size = (size_t)count * sizes[kind];
    phxi_gltf_put(w, &w->views, "%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%zu", w->view_count ? "," : "",
                  w->binary.count, size);
    if (target) {
        phxi_gltf_put(w, &w->views, ",\"target\":%d", target);
    }
    phxi_gltf_put(w, &w->views, "}");
    phxi_gltf_put(w, &w->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
                  w->view_count ? "," : "", w->view_count, kind == PHXI_GLTF_INDICES ? UINT32 : FLOAT32, count,
                  types[kind]);
    if (kind == PHXI_GLTF_NUMBERS || kind == PHXI_GLTF_VECTORS) {
        put_range(w, items, count, kind == PHXI_GLTF_VECTORS ? 3 : 1);
    }
    phxi_gltf_put(w, &w->accessors, "}");
    phxi_gltf_put_bytes(w, &w->binary, items, size);
    return w->view_count++;
}

void phxi_gltf_material(phxi_gltf_writer* w, const phx_part* part, int number) {
    const phx_look* l = &part->look;
    bool clear = l->transmission > 0.5;
    phxi_gltf_put(w, &w->json, "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[", number ? "," : "");
    const double color[4] = {clear ? 1 : l->color.x, clear ? 1 : l->color.y, clear ? 1 : l->color.z, 1};
    for (int k = 0; k < 4; ++k) {
        phxi_gltf_put(w, &w->json, "%s", k ? "," : "");
        put_number(w, &w->json, color[k]);
    }
    phxi_gltf_put(w, &w->json, "],\"metallicFactor\":");
    put_number(w, &w->json, l->metal);
    phxi_gltf_put(w, &w->json, ",\"roughnessFactor\":");
    put_number(w, &w->json, l->roughness);
    phxi_gltf_put(w, &w->json, "}");
    if (l->glow_full > l->glow_from) {
        phxi_gltf_put(w, &w->json, ",\"emissiveFactor\":[1,0.2,0.01]");
    }
    phxi_gltf_put(w, &w->json, ",\"extensions\":{\"KHR_materials_ior\":{\"ior\":");
    put_number(w, &w->json, l->ior);
    phxi_gltf_put(w, &w->json, "}");
    if (clear) {
        const double tint[3] = {l->tint.x, l->tint.y, l->tint.z};
        phxi_gltf_put(w, &w->json,
                      ",\"KHR_materials_transmission\":{\"transmissionFactor\":1},\"KHR_materials_volume\":{"
                      "\"thicknessFactor\":");
        put_number(w, &w->json, part->size > 0 ? part->size : 1);
        if (l->depth > 0) {
            phxi_gltf_put(w, &w->json, ",\"attenuationDistance\":");
            put_number(w, &w->json, l->depth * (part->size > 0 ? part->size : 1));
            phxi_gltf_put(w, &w->json, ",\"attenuationColor\":");
            put_triple(w, &w->json, tint);
        }
        phxi_gltf_put(w, &w->json, "}");
    }
    phxi_gltf_put(w, &w->json, "}}");
}

phx_result phxi_gltf_save(phxi_gltf_writer* w, const char* path) {
    phxi_file_writer file;
    const uint32_t json = (uint32_t)w->json.count, binary = (uint32_t)w->binary.count;
    const uint32_t head[5] = {0x46546c67u, 2, 12 + 8 + json + 8 + binary, json, 0x4e4f534au};
    const uint32_t chunk[2] = {binary, 0x004e4942u};
    PHXI_TRY(phxi_file_begin(&file, &w->heap, path));
    fwrite(head, sizeof head, 1, file.stream);
    fwrite(w->json.items, 1, json, file.stream);
    fwrite(chunk, sizeof chunk, 1, file.stream);
    fwrite(w->binary.items, 1, binary, file.stream);
    return phxi_file_commit(&file);
}
