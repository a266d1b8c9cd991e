// SPDX-License-Identifier: MIT
// glTF 2.0 (.glb and .gltf): the triangles of all meshes of the scene, in place, as one mesh. Groups are named after
// node and material; texture coordinates are turned to v up. Points and lines, bones, animations and looks are passed
// over. y is up in glTF, so the mesh is turned.
#include "geometry/gltf_file.h"
#include "geometry/mesh_source.h"

#include <string.h>

enum { DEEPEST = 64, MOST_TRIANGLES = 200000000 };

/// x = m X + shift
typedef struct placement {
    phxi_mat3 m;
    phx_vec3 shift;
} placement;

typedef struct reader {
    phxi_gltf file;
    phxi_mesh_builder builder;
    phxi_source source;
    bool* visited; // by node
    int node_count;
} reader;

#define READER_FAIL(r, ...)                                                                                            \
    (phxi_fail(PHX_ERROR_FORMAT, __VA_ARGS__), phxi_fail_within(PHX_ERROR_FORMAT, "%s", (r)->file.name))

static int member(const reader* r, int parent, const char* key) {
    return phxi_json_member(&r->file.json, parent, key);
}

static int index_of(const reader* r, int parent, const char* key, int otherwise) {
    return phxi_json_index(&r->file.json, member(r, parent, key), otherwise);
}

static int item(const reader* r, const char* list, int i) {
    return phxi_json_item(&r->file.json, member(r, 0, list), i);
}

// -------------------------------------------------------------------------------------------------------------- places

/// `count` numbers of an array, which stay as they are where it is missing; false: it is something else.
static bool read_numbers(const reader* r, int parent, const char* key, int count, double* numbers) {
    const int array = member(r, parent, key);
    if (array < 0) {
        return true;
    }
    int k = 0;
    for (int v = phxi_json_first(&r->file.json, array); v >= 0 && k < count; v = r->file.json.values.items[v].next) {
        const phxi_json_value* value = &r->file.json.values.items[v];
        if (value->kind != PHXI_JSON_NUMBER || !(fabs(value->number) <= PHXI_MESH_LIMIT)) {
            return false;
        }
        numbers[k++] = value->number;
    }
    return k == count;
}

static placement compose(const placement* outer, const placement* inner) {
    return (placement){phxi_mat3_mul(&outer->m, &inner->m),
                       phxi_add(phxi_mat3_apply(&outer->m, inner->shift), outer->shift)};
}

/// A matrix by columns, or shift, quaternion (x, y, z, w) and scale.
static bool read_placement(const reader* r, int node, placement* place) {
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (!read_numbers(r, node, "matrix", 16, m) || !read_numbers(r, node, "translation", 3, t) ||
        !read_numbers(r, node, "rotation", 4, q) || !read_numbers(r, node, "scale", 3, s)) {
        return false;
    }
    if (member(r, node, "matrix") >= 0) {
        *place = (placement){{{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}}, {m[12], m[13], m[14]}};
        return true;
    }
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(size > 0) || !isfinite(size)) {
        return false;
    }
    const double x = q[0] / size, y = q[1] / size, z = q[2] / size, w = q[3] / size;
    const phxi_mat3 turn = {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
    const phxi_mat3 scale = {{{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}}};
    *place = (placement){phxi_mat3_mul(&turn, &scale), {t[0], t[1], t[2]}};
    return true;
}

static double determinant(const phxi_mat3* a) {
    const double(*m)[3] = a->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// ---------------------------------------------------------------------------------------------------------- primitives

/// What a primitive's triangles are made of.
typedef struct primitive {
    phxi_gltf_accessor positions, indices, uvs;
    bool indexed, has_uvs, mirrored;
    int mode, first_vertex, first_uv;
} primitive;

static phx_result add_vertices(reader* r, const primitive* p, const placement* place) {
    for (int i = 0; i < p->positions.count; ++i) {
        const phx_vec3 local = {phxi_gltf_number(&p->positions, i, 0), phxi_gltf_number(&p->positions, i, 1),
                                phxi_gltf_number(&p->positions, i, 2)};
        const phx_vec3 at = phxi_add(phxi_mat3_apply(&place->m, local), place->shift);
        if (!(fabs(at.x) <= PHXI_MESH_LIMIT && fabs(at.y) <= PHXI_MESH_LIMIT && fabs(at.z) <= PHXI_MESH_LIMIT)) {
            return READER_FAIL(r, "a vertex at (%g, %g, %g), expected numbers within %g", at.x, at.y, at.z,
                               PHXI_MESH_LIMIT);
        }
        PHXI_TRY(phxi_builder_vertex(&r->builder, at));
    }
    for (int i = 0; i < p->positions.count && p->has_uvs; ++i) {
        const double u = phxi_gltf_number(&p->uvs, i, 0), v = 1 - phxi_gltf_number(&p->uvs, i, 1);
        PHXI_TRY(phxi_builder_uv(&r->builder, fabs(u) <= 1e30 ? u : 0, fabs(v) <= 1e30 ? v : 0));
    }
    return PHX_OK;
}

/// Corners a, b, c of the list of indices, or of vertices where there is none.
static phx_result add_triangle(reader* r, const primitive* p, int a, int b, int c) {
    const int corners[3] = {a, p->mirrored ? c : b, p->mirrored ? b : c};
    phxi_builder_polygon(&r->builder);
    for (int k = 0; k < 3; ++k) {
        const uint32_t vertex = p->indexed ? phxi_gltf_whole(&p->indices, corners[k]) : (uint32_t)corners[k];
        if (vertex >= (uint32_t)p->positions.count) {
            return READER_FAIL(r, "a triangle with the vertex %u, expected 0 to %d", vertex, p->positions.count - 1);
        }
        PHXI_TRY(phxi_builder_corner_uv(&r->builder, p->first_vertex + (int64_t)vertex,
                                        p->has_uvs ? p->first_uv + (int64_t)vertex : -1));
    }
    return PHX_OK;
}

static phx_result add_triangles(reader* r, const primitive* p) {
    enum { TRIANGLES = 4, STRIP, FAN };
    const int count = p->indexed ? p->indices.count : p->positions.count;
    const int triangles = p->mode == TRIANGLES ? count / 3 : count - 2;
    if (r->builder.triangles.count / 3 + (int64_t)triangles > MOST_TRIANGLES) {
        return READER_FAIL(r, "more than %d triangles, expected fewer", MOST_TRIANGLES);
    }
    for (int t = 0; t < triangles; ++t) {
        const int odd = t & 1;
        PHXI_TRY(p->mode == TRIANGLES ? add_triangle(r, p, 3 * t, 3 * t + 1, 3 * t + 2)
                 : p->mode == STRIP   ? add_triangle(r, p, t, t + 1 + odd, t + 2 - odd)
                                      : add_triangle(r, p, 0, t + 1, t + 2));
    }
    return PHX_OK;
}

static phx_result access_primitive(reader* r, int value, primitive* p) {
    const int attributes = member(r, value, "attributes");
    const int positions = index_of(r, attributes, "POSITION", -1), uvs = index_of(r, attributes, "TEXCOORD_0", -1);
    const int indices = index_of(r, value, "indices", -1);
    PHXI_TRY(phxi_gltf_access(&r->file, positions, 3, "POSITION", &p->positions));
    if (uvs != -1) {
        PHXI_TRY(phxi_gltf_access(&r->file, uvs, 2, "TEXCOORD_0", &p->uvs));
        p->has_uvs = p->uvs.count >= p->positions.count;
    }
    if (indices != -1) {
        PHXI_TRY(phxi_gltf_access(&r->file, indices, 1, "indices", &p->indices));
        p->indexed = true;
        if (p->indices.type != PHXI_GLTF_UBYTE && p->indices.type != PHXI_GLTF_USHORT &&
            p->indices.type != PHXI_GLTF_UINT) {
            return READER_FAIL(r, "indices of type %d, expected 5121, 5123 or 5125", p->indices.type);
        }
    }
    return PHX_OK;
}

static size_t add_name(const reader* r, int value, char* text, size_t length, size_t room) {
    const int name = member(r, value, "name");
    const phxi_json_value* v = name < 0 ? NULL : &r->file.json.values.items[name];
    if (!v || v->kind != PHXI_JSON_STRING || v->length == 0 || length + v->length + 2 > room) {
        return length;
    }
    if (length > 0) {
        text[length++] = '/';
    }
    memcpy(text + length, v->text, v->length);
    return length + v->length;
}

static phx_result add_primitive(reader* r, int value, int node, int mesh, const placement* place) {
    char name[256];
    primitive p = {.mode = index_of(r, value, "mode", 4)};
    if (p.mode >= 0 && p.mode < 4) {
        return PHX_OK; // points and lines
    }
    if (p.mode < 0 || p.mode > 6) {
        return READER_FAIL(r, "a primitive of another mode, expected 0 to 6");
    }
    PHXI_TRY(access_primitive(r, value, &p));
    p.mirrored = determinant(&place->m) < 0;
    p.first_vertex = r->builder.positions.count;
    p.first_uv = r->builder.uvs.count / 2;
    size_t length = add_name(r, member(r, node, "name") >= 0 ? node : mesh, name, 0, sizeof name);
    length = add_name(r, item(r, "materials", index_of(r, value, "material", -1)), name, length, sizeof name);
    PHXI_TRY(phxi_builder_group(&r->builder, name, length));
    PHXI_TRY(add_vertices(r, &p, place));
    return add_triangles(r, &p);
}

// --------------------------------------------------------------------------------------------------------------- nodes

static phx_result add_mesh(reader* r, int number, int node, const placement* place) {
    const int mesh = item(r, "meshes", number);
    if (mesh < 0) {
        return READER_FAIL(r, "a node with mesh %d, which is not there", number);
    }
    for (int v = phxi_json_first(&r->file.json, member(r, mesh, "primitives")); v >= 0;
         v = r->file.json.values.items[v].next) {
        PHXI_TRY(add_primitive(r, v, node, mesh, place));
    }
    return PHX_OK;
}

static phx_result add_node(reader* r, int number, const placement* parent, int depth) {
    const int node = item(r, "nodes", number);
    placement own;
    if (node < 0 || number >= r->node_count || r->visited[number] || depth > DEEPEST) {
        return READER_FAIL(r, "node %d %s, expected a tree of nodes, at most %d deep", number,
                           node < 0 ? "is not there" : "comes twice, or is too deep", DEEPEST);
    }
    r->visited[number] = true;
    if (!read_placement(r, node, &own)) {
        return READER_FAIL(r, "node %d has a matrix, translation, rotation or scale that is none, expected numbers",
                           number);
    }
    const placement place = compose(parent, &own);
    const int mesh = index_of(r, node, "mesh", -1);
    if (mesh != -1) {
        PHXI_TRY(add_mesh(r, mesh, node, &place));
    }
    for (int v = phxi_json_first(&r->file.json, member(r, node, "children")); v >= 0;
         v = r->file.json.values.items[v].next) {
        PHXI_TRY(add_node(r, phxi_json_index(&r->file.json, v, -1), &place, depth + 1));
    }
    return PHX_OK;
}

static phx_result add_scene(reader* r) {
    const placement none = {.m = phxi_rotation_degrees(phxi_vec3(0, 0, 0))};
    const int scene = item(r, "scenes", index_of(r, 0, "scene", 0)), nodes = member(r, 0, "nodes");
    r->node_count = nodes < 0 ? 0 : r->file.json.values.items[nodes].count;
    r->visited = phxi_alloc_zero(r->file.heap, (size_t)r->node_count + 1, sizeof *r->visited, "glTF file");
    if (!r->visited) {
        return PHX_ERROR_MEMORY;
    }
    for (int v = phxi_json_first(&r->file.json, member(r, scene, "nodes")); v >= 0;
         v = r->file.json.values.items[v].next) {
        PHXI_TRY(add_node(r, phxi_json_index(&r->file.json, v, -1), &none, 0));
    }
    for (int m = 0; scene < 0 && item(r, "meshes", m) >= 0; ++m) { // a library of meshes without a scene
        PHXI_TRY(add_mesh(r, m, -1, &none));
    }
    return PHX_OK;
}

phx_result phxi_mesh_read_gltf_beside(const char* folder, const char* name, const char* bytes, size_t size,
                                      const phx_allocator* allocator, phx_mesh** mesh) {
    reader r = {.source = phxi_source_of(name, bytes, size)};
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    r.source.binary = true;
    r.source.at = r.source.end;
    phx_result result = phxi_gltf_open(&r.file, &heap, name, folder, bytes, size);
    result = result == PHX_OK ? phxi_builder_begin(&r.builder, &r.source, allocator) : result;
    if (result == PHX_OK) {
        result = add_scene(&r);
        result = result == PHX_OK ? phxi_builder_finish(&r.builder, mesh) : phxi_builder_abandon(&r.builder, result);
    }
    if (result == PHX_OK) {
        phx_mesh_turn_up(*mesh, PHX_UP_Y);
    }
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phxi_mesh_read_gltf(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                               phx_mesh** mesh) {
    return phxi_mesh_read_gltf_beside(NULL, name, bytes, size, allocator, mesh);
}
