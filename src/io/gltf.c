// SPDX-License-Identifier: MIT
// Parts of a frame as one binary glTF 2.0 file (.glb): a mesh and a material each.
//
//   header | JSON chunk: nodes, meshes, materials, where numbers are | binary chunk: positions, normals, indices
//
// glTF has y up: a node above all others turns the scene. Looks that glTF does not have by itself (clear bodies, index
// of refraction, what they absorb) are its ratified extensions, which viewers may ignore.
#include <phyxel/render.h>

#include "core/array.h"
#include "core/file.h"
#include "core/text.h"
#include "surface/frame.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FLOAT32 = 5126, UINT32 = 5125, VERTICES = 34962, INDICES = 34963, POINTS = 0, TRIANGLES = 4 };

typedef PHXI_ARRAY(char) bytes;

typedef struct writer {
    phxi_heap heap;
    bytes json, binary;
    bytes views, accessors; // lists of the JSON
    int view_count;
    bool good;
} writer;

static void put_bytes(writer* w, bytes* to, const void* from, size_t size) {
    w->good = w->good && size < INT_MAX && phxi_array_reserve(to, (int)size, &w->heap, "gltf");
    if (w->good && size > 0) {
        memcpy(to->items + to->count, from, size);
        to->count += (int)size;
    }
}

static void put(writer* w, bytes* to, const char* format, ...) __attribute__((format(printf, 3, 4)));
static void put(writer* w, bytes* to, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_bytes(w, to, text, length > 0 ? (size_t)length : 0);
}

static void put_number(writer* w, bytes* to, double value) {
    char text[32];
    phxi_format_float((float)value, text);
    put(w, to, "%s", text);
}

static void put_triple(writer* w, bytes* to, const double v[3]) {
    for (int k = 0; k < 3; ++k) {
        put(w, to, "%s", k ? "," : "[");
        put_number(w, to, v[k]);
    }
    put(w, to, "]");
}

/// A name of the scene as a text of JSON.
static void put_name(writer* w, const char* name) {
    put(w, &w->json, "\"");
    for (; *name; ++name) {
        unsigned char c = (unsigned char)*name;
        if (c == '"' || c == '\\' || c < 0x20) {
            put(w, &w->json, "\\u%04x", c);
        } else {
            put_bytes(w, &w->json, name, 1);
        }
    }
    put(w, &w->json, "\"");
}

/// Adds an array to the binary chunk and returns the number of its accessor.
static int add_array(writer* w, const void* items, size_t size, int count, int type, bool vectors, int target) {
    put(w, &w->views, "%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%zu,\"target\":%d}", w->view_count ? "," : "",
        w->binary.count, size, target);
    put(w, &w->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
        w->view_count ? "," : "", w->view_count, type, count, vectors ? "VEC3" : "SCALAR");
    put_bytes(w, &w->binary, items, size);
    return w->view_count++;
}

static int add_positions(writer* w, const phx_frame* f) {
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    float* positions = phxi_alloc(&w->heap, 3 * (size_t)f->points, sizeof *positions, "gltf");
    w->good = w->good && positions;
    for (int i = 0; positions && i < 3 * f->points; ++i) {
        positions[i] = (float)f->positions[i];
        double value = (double)positions[i];
        low[i % 3] = i < 3 || value < low[i % 3] ? value : low[i % 3];
        high[i % 3] = i < 3 || value > high[i % 3] ? value : high[i % 3];
    }
    int number = 0;
    if (positions) {
        number = add_array(w, positions, 3 * (size_t)f->points * sizeof *positions, f->points, FLOAT32, true, VERTICES);
        put(w, &w->accessors, ",\"min\":");
        put_triple(w, &w->accessors, low);
        put(w, &w->accessors, ",\"max\":");
        put_triple(w, &w->accessors, high);
        put(w, &w->accessors, "}");
    }
    phxi_free(&w->heap, positions);
    return number;
}

static void add_mesh(writer* w, const phx_part* part, int number) {
    const phx_frame* f = part->frame;
    const phx_frame_field* normal = phx_frame_find(f, "normal");
    put(w, &w->json, "%s{\"primitives\":[{\"mode\":%d,\"material\":%d,\"attributes\":{\"POSITION\":%d",
        number ? "," : "", f->triangles > 0 ? TRIANGLES : POINTS, number, add_positions(w, f));
    if (normal && normal->components == 3 && f->triangles > 0) {
        int at =
            add_array(w, normal->values, 3 * (size_t)f->points * sizeof(float), f->points, FLOAT32, true, VERTICES);
        put(w, &w->accessors, "}");
        put(w, &w->json, ",\"NORMAL\":%d", at);
    }
    put(w, &w->json, "}");
    if (f->triangles > 0) {
        int at =
            add_array(w, f->indices, 3 * (size_t)f->triangles * sizeof(int), 3 * f->triangles, UINT32, false, INDICES);
        put(w, &w->accessors, "}");
        put(w, &w->json, ",\"indices\":%d", at);
    }
    put(w, &w->json, "}]}");
}

static void add_material(writer* w, const phx_part* part, int number) {
    const phx_look* l = &part->look;
    bool clear = l->transmission > 0.5;
    put(w, &w->json, "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[", number ? "," : "");
    const double color[4] = {clear ? 1 : l->color.x, clear ? 1 : l->color.y, clear ? 1 : l->color.z, 1};
    for (int k = 0; k < 4; ++k) {
        put(w, &w->json, "%s", k ? "," : "");
        put_number(w, &w->json, color[k]);
    }
    put(w, &w->json, "],\"metallicFactor\":");
    put_number(w, &w->json, l->metal);
    put(w, &w->json, ",\"roughnessFactor\":");
    put_number(w, &w->json, l->roughness);
    put(w, &w->json, "}");
    if (l->glow_full > l->glow_from) {
        put(w, &w->json, ",\"emissiveFactor\":[1,0.2,0.01]");
    }
    put(w, &w->json, ",\"extensions\":{\"KHR_materials_ior\":{\"ior\":");
    put_number(w, &w->json, l->ior);
    put(w, &w->json, "}");
    if (clear) {
        const double tint[3] = {l->tint.x, l->tint.y, l->tint.z};
        put(w, &w->json,
            ",\"KHR_materials_transmission\":{\"transmissionFactor\":1},\"KHR_materials_volume\":{"
            "\"thicknessFactor\":");
        put_number(w, &w->json, part->size > 0 ? part->size : 1);
        if (l->depth > 0) {
            put(w, &w->json, ",\"attenuationDistance\":");
            put_number(w, &w->json, l->depth * (part->size > 0 ? part->size : 1));
            put(w, &w->json, ",\"attenuationColor\":");
            put_triple(w, &w->json, tint);
        }
        put(w, &w->json, "}");
    }
    put(w, &w->json, "}}");
}

static void put_json(writer* w, const phx_part* parts, const char* const* names, int count) {
    put(w, &w->json,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"phyxel\"},\"extensionsUsed\":[\"KHR_materials_ior\","
        "\"KHR_materials_transmission\",\"KHR_materials_volume\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"phyxel\",\"rotation\":[-0.70710678,0,0,0.70710678],\"children\":[");
    for (int i = 0; i < count; ++i) {
        put(w, &w->json, "%s%d", i ? "," : "", i + 1);
    }
    put(w, &w->json, "]}");
    for (int i = 0; i < count; ++i) {
        put(w, &w->json, ",{\"mesh\":%d,\"name\":", i);
        put_name(w, names[i]);
        put(w, &w->json, "}");
    }
    put(w, &w->json, "],\"materials\":[");
    for (int i = 0; i < count; ++i) {
        add_material(w, &parts[i], i);
    }
    put(w, &w->json, "],\"meshes\":[");
    for (int i = 0; i < count; ++i) {
        add_mesh(w, &parts[i], i);
    }
    put(w, &w->json, "],\"bufferViews\":[");
    put_bytes(w, &w->json, w->views.items, (size_t)w->views.count);
    put(w, &w->json, "],\"accessors\":[");
    put_bytes(w, &w->json, w->accessors.items, (size_t)w->accessors.count);
    put(w, &w->json, "],\"buffers\":[{\"byteLength\":%d}]}", w->binary.count);
    while (w->good && w->json.count % 4) {
        put(w, &w->json, " ");
    }
}

static phx_result save(writer* w, const char* path) {
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

phx_result phx_gltf_write(const char* path, const phx_part* parts, const char* const* names, int count) {
    if (!path || !parts || !names || count < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a glTF file needs a path, parts and their names");
    }
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(phx_frame_check(parts[i].frame));
        if (parts[i].frame->points == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': part '%s' has no points", path, names[i]);
        }
    }
    writer w = {.good = true};
    phxi_heap_init(&w.heap, NULL);
    put_json(&w, parts, names, count);
    phx_result result = w.good ? save(&w, path) : phxi_fail_memory("gltf");
    phxi_heap_destroy(&w.heap);
    return result;
}
