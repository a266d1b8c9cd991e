// SPDX-License-Identifier: MIT
// Parts as one binary glTF 2.0 file (.glb): a mesh and a material each, and how they move.
//
//   header | JSON chunk: nodes, meshes, materials, where numbers are | binary chunk: positions, normals, indices, times
//
// glTF has y up: a node above all others turns the scene. Looks that glTF does not have by itself (clear bodies, index
// of refraction, what they absorb) are its ratified extensions, which viewers may ignore.
//
// A body that keeps its shape is moved by its node. One that does not has a morph target for each frame after the
// first, of which the animation shows one after the other: large, so there is a limit. Triangles cannot change.
#include "io/gltf.h"

#include <phyxel/io.h>
#include "core/text.h"

#include <math.h>
#include <string.h>

enum { POINTS = 0, TRIANGLES = 4, MOST_TARGETS = 60 };

/// A part at one time.
typedef struct shot {
    float *positions, *normals; // normals NULL: none
} shot;

typedef struct actor {
    char* name;
    phx_part part;         // its frame is that of the first time, a copy
    phxi_gltf_split split; // of its triangles by texture coordinates; no points: has none
    PHXI_ARRAY(shot) shots;
    bool rigid;
    phxi_gltf_pose* poses; // if it is
} actor;

struct phx_gltf {
    phxi_heap heap; // owns this, too
    char* path;
    PHXI_ARRAY(actor) actors;
    PHXI_ARRAY(float) times; // s since the first
    double first;
};

// ------------------------------------------------------------------------------------------------------------ collect

static const float* normals_of(const phx_frame* f) {
    const phx_frame_field* normal = phx_frame_find(f, "normal");
    return normal && normal->components == 3 && f->triangles > 0 ? normal->values : NULL;
}

static int points_of(const actor* a) {
    return a->split.points > 0 ? a->split.points : a->part.frame->points;
}

/// Of the frame, for a point of the file.
static size_t vertex_of(const actor* a, size_t point) {
    return a->split.points > 0 ? (size_t)a->split.source[point] : point;
}

static phx_result add_shot(phx_gltf* gltf, actor* a, const phx_frame* f) {
    const float* normals = normals_of(f);
    size_t count = 3 * (size_t)points_of(a);
    shot* s = phxi_array_add(&a->shots, &gltf->heap, "gltf");
    if (!s) {
        return PHX_ERROR_MEMORY;
    }
    *s = (shot){0};
    PHXI_NEW(s->positions, &gltf->heap, count, "gltf");
    for (size_t i = 0; i < count; ++i) {
        s->positions[i] = (float)f->positions[3 * vertex_of(a, i / 3) + i % 3];
    }
    if (normals) { // unit vectors are asked for
        PHXI_NEW(s->normals, &gltf->heap, count, "gltf");
        for (size_t i = 0; i < count; i += 3) {
            const float* n = normals + 3 * vertex_of(a, i / 3);
            float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (size_t k = 0; k < 3; ++k) {
                s->normals[i + k] = length > 0 ? n[k] / length : k == 2;
            }
        }
    }
    return PHX_OK;
}

static phx_result begin_actor(phx_gltf* gltf, const phx_part* part, const char* name) {
    phx_frame* first = NULL;
    actor* a = phxi_array_add(&gltf->actors, &gltf->heap, "gltf");
    if (!a) {
        return PHX_ERROR_MEMORY;
    }
    *a = (actor){.part = *part};
    a->part.frame = NULL;
    PHXI_TRY(phxi_frame_copy(part->frame, &first));
    a->part.frame = first;
    if (part->mesh && phx_mesh_uvs(part->mesh) && phx_mesh_triangle_count(part->mesh) == first->triangles) {
        PHXI_TRY(phxi_gltf_split_by_uvs(&gltf->heap, first, phx_mesh_uvs(part->mesh), &a->split));
    }
    a->name = phxi_strdup(&gltf->heap, name, "gltf");
    return a->name ? add_shot(gltf, a, first) : PHX_ERROR_MEMORY;
}

static phx_result go_on(phx_gltf* gltf, actor* a, const phx_frame* f) {
    const phx_frame* first = a->part.frame;
    size_t size = 3 * (size_t)first->triangles * sizeof(int);
    if (f->points != first->points || f->triangles != first->triangles ||
        memcmp(f->indices, first->indices, size) != 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "'%s': '%s' has other triangles at %g s than at %g s, which glTF cannot animate (USD can)",
                         gltf->path, a->name, f->time, first->time);
    }
    return add_shot(gltf, a, f);
}

phx_result phx_gltf_add_parts(phx_gltf* gltf, const phx_part* parts, const char* const* names, int count) {
    if (!gltf || !parts || !names || count < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a glTF file needs a path, parts and their names");
    }
    for (int i = 0; i < count; ++i) {
        PHXI_NEED(parts[i].frame && names[i]);
    }
    bool first = gltf->times.count == 0;
    if (!first && count != gltf->actors.count) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': %d parts, the first frame had %d", gltf->path, count,
                         gltf->actors.count);
    }
    gltf->first = first ? parts[0].frame->time : gltf->first;
    float time = (float)(parts[0].frame->time - gltf->first), *slot;
    if (!first && !(time > gltf->times.items[gltf->times.count - 1])) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': a frame at %g s after one that is not before it", gltf->path,
                         parts[0].frame->time);
    }
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(phx_frame_check(parts[i].frame));
        if (parts[i].frame->points == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': part '%s' has no points", gltf->path, names[i]);
        }
        PHXI_TRY(first ? begin_actor(gltf, &parts[i], names[i]) : go_on(gltf, &gltf->actors.items[i], parts[i].frame));
    }
    slot = phxi_array_add(&gltf->times, &gltf->heap, "gltf");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = time;
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- motion

/// Poses for those that keep their shape, to a ten-thousandth of their size.
static phx_result find_motion(phx_gltf* gltf, actor* a) {
    phx_vec3 low = {1, 1, 1}, high = {-1, -1, -1};
    (void)phx_frame_bounds(a->part.frame, &low, &high);
    double size = sqrt((high.x - low.x) * (high.x - low.x) + (high.y - low.y) * (high.y - low.y) +
                       (high.z - low.z) * (high.z - low.z));
    PHXI_NEW(a->poses, &gltf->heap, a->shots.count, "gltf");
    a->rigid = true;
    for (int i = 0; i < a->shots.count && a->rigid; ++i) {
        a->rigid = phxi_gltf_find_pose(a->shots.items[0].positions, a->shots.items[i].positions, points_of(a),
                                       1e-4 * size, &a->poses[i]);
    }
    if (!a->rigid && a->shots.count > MOST_TARGETS + 1) {
        return phxi_fail(
            PHX_ERROR_ARGUMENT,
            "'%s': '%s' changes its shape in %d frames, expected at most %d in a glTF file (leave some out)",
            gltf->path, a->name, a->shots.count, MOST_TARGETS + 1);
    }
    return PHX_OK;
}

static bool moves(const phx_gltf* gltf, const actor* a) {
    if (gltf->times.count < 2) {
        return false;
    }
    for (int i = 1; a->rigid && i < a->shots.count; ++i) {
        if (memcmp(&a->poses[i], &a->poses[0], sizeof a->poses[0]) != 0) {
            return true;
        }
    }
    return !a->rigid;
}

// ----------------------------------------------------------------------------------------------------------------
// write

static void put_difference(phxi_gltf_writer* w, const char* key, const float* from, const float* to, int points) {
    float* change = phxi_alloc(&w->heap, 3 * (size_t)points, sizeof *change, "gltf");
    w->good = w->good && change;
    for (size_t i = 0; change && i < 3 * (size_t)points; ++i) {
        change[i] = to[i] - from[i];
    }
    if (change) {
        int at = phxi_gltf_array(w, change, points, PHXI_GLTF_VECTORS, PHXI_GLTF_VERTICES);
        phxi_gltf_put(w, &w->json, "%s%d", key, at);
    }
    phxi_free(&w->heap, change);
}

static void put_targets(phxi_gltf_writer* w, const actor* a) {
    const shot* first = &a->shots.items[0];
    int points = points_of(a);
    phxi_gltf_put(w, &w->json, ",\"targets\":[");
    for (int i = 1; i < a->shots.count; ++i) {
        const shot* s = &a->shots.items[i];
        put_difference(w, i > 1 ? ",{\"POSITION\":" : "{\"POSITION\":", first->positions, s->positions, points);
        if (first->normals && s->normals) {
            put_difference(w, ",\"NORMAL\":", first->normals, s->normals, points);
        }
        phxi_gltf_put(w, &w->json, "}");
    }
    phxi_gltf_put(w, &w->json, "]");
}

static void put_mesh(phxi_gltf_writer* w, const actor* a, int number, bool targets) {
    const phx_frame* f = a->part.frame;
    const shot* first = &a->shots.items[0];
    bool split = a->split.points > 0;
    int points = points_of(a), at = phxi_gltf_array(w, first->positions, points, PHXI_GLTF_VECTORS, PHXI_GLTF_VERTICES);
    phxi_gltf_put(w, &w->json, "%s{\"primitives\":[{\"mode\":%d,\"material\":%d,\"attributes\":{\"POSITION\":%d",
                  number ? "," : "", f->triangles > 0 ? TRIANGLES : POINTS, number, at);
    if (first->normals) {
        at = phxi_gltf_array(w, first->normals, points, PHXI_GLTF_VECTORS, PHXI_GLTF_VERTICES);
        phxi_gltf_put(w, &w->json, ",\"NORMAL\":%d", at);
    }
    if (split) {
        at = phxi_gltf_array(w, a->split.uvs, points, PHXI_GLTF_PAIRS, PHXI_GLTF_VERTICES);
        phxi_gltf_put(w, &w->json, ",\"TEXCOORD_0\":%d", at);
    }
    phxi_gltf_put(w, &w->json, "}");
    if (f->triangles > 0) {
        at = phxi_gltf_array(w, split ? a->split.indices : f->indices, 3 * f->triangles, PHXI_GLTF_INDICES,
                             PHXI_GLTF_TRIANGLES);
        phxi_gltf_put(w, &w->json, ",\"indices\":%d", at);
    }
    if (targets) {
        put_targets(w, a);
    }
    phxi_gltf_put(w, &w->json, "}]");
    for (int i = 1; targets && i < a->shots.count; ++i) {
        phxi_gltf_put(w, &w->json, "%s0%s", i > 1 ? "," : ",\"weights\":[", i + 1 == a->shots.count ? "]" : "");
    }
    phxi_gltf_put(w, &w->json, "}");
}

typedef struct animation {
    phxi_gltf_bytes samplers, channels;
    int count, times; // of samplers; the accessor of the times
} animation;

static void put_channel(phxi_gltf_writer* w, animation* an, int node, const char* path, int output) {
    phxi_gltf_put(w, &an->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", an->count ? "," : "",
                  an->times, output);
    phxi_gltf_put(w, &an->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", an->count ? "," : "",
                  an->count, node, path);
    ++an->count;
}

/// Frame i shows target i - 1 alone.
static void put_weights(phxi_gltf_writer* w, animation* an, const actor* a, int node) {
    int frames = a->shots.count, targets = frames - 1;
    float* weights = phxi_alloc_zero(&w->heap, (size_t)frames * (size_t)targets, sizeof *weights, "gltf");
    w->good = w->good && weights;
    for (int i = 1; weights && i < frames; ++i) {
        weights[(size_t)i * (size_t)targets + (size_t)(i - 1)] = 1;
    }
    if (weights) {
        put_channel(w, an, node, "weights", phxi_gltf_array(w, weights, frames * targets, PHXI_GLTF_NUMBERS, 0));
    }
    phxi_free(&w->heap, weights);
}

static void put_poses(phxi_gltf_writer* w, animation* an, const actor* a, int node) {
    int frames = a->shots.count;
    float* turns = phxi_alloc(&w->heap, 4 * (size_t)frames, sizeof *turns, "gltf");
    float* shifts = phxi_alloc(&w->heap, 3 * (size_t)frames, sizeof *shifts, "gltf");
    w->good = w->good && turns && shifts;
    for (size_t i = 0; turns && shifts && i < (size_t)frames; ++i) {
        const float* q = a->poses[i].rotation;
        float along =
            i ? q[0] * turns[4 * i - 4] + q[1] * turns[4 * i - 3] + q[2] * turns[4 * i - 2] + q[3] * turns[4 * i - 1]
              : 1;
        for (size_t k = 0; k < 4; ++k) { // the shorter way round
            turns[4 * i + k] = along < 0 ? -q[k] : q[k];
        }
        memcpy(shifts + 3 * i, a->poses[i].translation, 3 * sizeof *shifts);
    }
    if (turns && shifts) {
        put_channel(w, an, node, "rotation", phxi_gltf_array(w, turns, frames, PHXI_GLTF_QUATERNIONS, 0));
        put_channel(w, an, node, "translation", phxi_gltf_array(w, shifts, frames, PHXI_GLTF_VECTORS, 0));
    }
    phxi_free(&w->heap, turns);
    phxi_free(&w->heap, shifts);
}

static void put_animation(phxi_gltf_writer* w, const phx_gltf* gltf) {
    animation an = {.times = -1};
    for (int i = 0; i < gltf->actors.count; ++i) {
        const actor* a = &gltf->actors.items[i];
        if (!moves(gltf, a)) {
            continue;
        }
        if (an.times < 0) {
            an.times = phxi_gltf_array(w, gltf->times.items, gltf->times.count, PHXI_GLTF_NUMBERS, 0);
        }
        a->rigid ? put_poses(w, &an, a, i + 1) : put_weights(w, &an, a, i + 1);
    }
    if (an.count > 0) {
        phxi_gltf_put(w, &w->json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
        phxi_gltf_put_bytes(w, &w->json, an.samplers.items, (size_t)an.samplers.count);
        phxi_gltf_put(w, &w->json, "],\"channels\":[");
        phxi_gltf_put_bytes(w, &w->json, an.channels.items, (size_t)an.channels.count);
        phxi_gltf_put(w, &w->json, "]}]");
    }
}

static void put_nodes(phxi_gltf_writer* w, const phx_gltf* gltf) {
    int count = gltf->actors.count;
    phxi_gltf_put(w, &w->json,
                  "{\"asset\":{\"version\":\"2.0\",\"generator\":\"phyxel\"},\"extensionsUsed\":["
                  "\"KHR_materials_ior\",\"KHR_materials_transmission\",\"KHR_materials_volume\"],\"scene\":0,"
                  "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"phyxel\",\"rotation\":[-0.70710678,0,0,"
                  "0.70710678],\"children\":[");
    for (int i = 0; i < count; ++i) {
        phxi_gltf_put(w, &w->json, "%s%d", i ? "," : "", i + 1);
    }
    phxi_gltf_put(w, &w->json, "]}");
    for (int i = 0; i < count; ++i) {
        phxi_gltf_put(w, &w->json, ",{\"mesh\":%d,\"name\":", i);
        phxi_gltf_put_name(w, gltf->actors.items[i].name);
        phxi_gltf_put(w, &w->json, "}");
    }
}

static void put_json(phxi_gltf_writer* w, const phx_gltf* gltf) {
    put_nodes(w, gltf);
    phxi_gltf_put(w, &w->json, "],\"materials\":[");
    for (int i = 0; i < gltf->actors.count; ++i) {
        phxi_gltf_material(w, &gltf->actors.items[i].part, i);
    }
    phxi_gltf_put(w, &w->json, "],\"meshes\":[");
    for (int i = 0; i < gltf->actors.count; ++i) {
        const actor* a = &gltf->actors.items[i];
        put_mesh(w, a, i, !a->rigid && moves(gltf, a));
    }
    phxi_gltf_put(w, &w->json, "]");
    put_animation(w, gltf);
    phxi_gltf_put(w, &w->json, ",\"bufferViews\":[");
    phxi_gltf_put_bytes(w, &w->json, w->views.items, (size_t)w->views.count);
    phxi_gltf_put(w, &w->json, "],\"accessors\":[");
    phxi_gltf_put_bytes(w, &w->json, w->accessors.items, (size_t)w->accessors.count);
    phxi_gltf_put(w, &w->json, "],\"buffers\":[{\"byteLength\":%d}]}", w->binary.count);
    while (w->good && w->json.count % 4) {
        phxi_gltf_put(w, &w->json, " ");
    }
}

static phx_result write_file(phx_gltf* gltf) {
    phxi_gltf_writer w = {.good = true};
    for (int i = 0; i < gltf->actors.count; ++i) {
        PHXI_TRY(find_motion(gltf, &gltf->actors.items[i]));
    }
    phxi_heap_init(&w.heap, NULL);
    put_json(&w, gltf);
    phx_result result = w.good ? phxi_gltf_save(&w, gltf->path) : phxi_fail_memory("gltf");
    phxi_heap_destroy(&w.heap);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------
// public

phx_result phx_gltf_begin(const char* path, phx_gltf** gltf) {
    if (!path || !gltf) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a glTF file needs a path, parts and their names");
    }
    *gltf = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_gltf* made = phxi_alloc_zero(&heap, 1, sizeof *made, "gltf");
    char* copy = made ? phxi_strdup(&heap, path, "gltf") : NULL;
    if (!copy) {
        phxi_heap_destroy(&heap);
        return PHX_ERROR_MEMORY;
    }
    *made = (phx_gltf){.heap = heap, .path = copy};
    *gltf = made;
    return PHX_OK;
}

phx_result phx_gltf_end(phx_gltf* gltf, bool keep) {
    if (!gltf) {
        return PHX_OK;
    }
    phx_result result = PHX_OK;
    if (keep && gltf->times.count == 0) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "'%s' has no frames", gltf->path);
    } else if (keep) {
        result = write_file(gltf);
    }
    for (int i = 0; i < gltf->actors.count; ++i) {
        phx_frame_destroy((phx_frame*)(uintptr_t)gltf->actors.items[i].part.frame);
    }
    phxi_heap heap = gltf->heap; // the file is one of its blocks
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phx_gltf_write(const char* path, const phx_part* parts, const char* const* names, int count) {
    phx_gltf* gltf = NULL;
    PHXI_TRY(phx_gltf_begin(path, &gltf));
    phx_result result = phx_gltf_add_parts(gltf, parts, names, count);
    phx_result ended = phx_gltf_end(gltf, result == PHX_OK);
    return result == PHX_OK ? ended : result;
}
