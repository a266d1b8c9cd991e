// SPDX-License-Identifier: MIT
// Meshes as objects: making, measuring, moving, loading and saving them. What a format looks like is known only by its
// own file (mesh_obj.c, mesh_ply.c, mesh_stl.c); which edges are open by mesh_edges.c.
//
// A mesh is a soup of indexed triangles that promises little: indices are in range, coordinates finite and not beyond
// PHXI_MESH_LIMIT. Triangles without area, doubled triangles, unused vertices, holes and self-intersections are all
// accepted; inside.h says what they mean for what is inside.
#include "geometry/mesh.h"
#include "core/file.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

phx_result phxi_mesh_new(const phx_allocator* allocator, int vertex_count, int triangle_count, phx_mesh** mesh) {
    if (vertex_count < 0 || triangle_count < 0 || triangle_count > INT_MAX / 3) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a mesh of %d vertices and %d triangles, expected 0 to %d of each",
                         vertex_count, triangle_count, INT_MAX / 3);
    }
    // The heap lives in the mesh that it owns: it is made outside and moved in.
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    phx_mesh* made = phxi_alloc(&heap, 1, sizeof *made, "mesh");
    phx_vec3* positions = phxi_alloc(&heap, (size_t)vertex_count, sizeof *positions, "mesh vertices");
    int* triangles = phxi_alloc(&heap, (size_t)triangle_count * 3, sizeof *triangles, "mesh triangles");
    if (!made || !positions || !triangles) {
        phxi_heap_destroy(&heap);
        return PHX_ERROR_MEMORY;
    }
    *made = (phx_mesh){.heap = heap,
                       .positions = positions,
                       .triangles = triangles,
                       .vertex_count = vertex_count,
                       .triangle_count = triangle_count};
    *mesh = made;
    return PHX_OK;
}

void phx_mesh_destroy(phx_mesh* mesh) {
    if (mesh) {
        phxi_heap heap = mesh->heap;
        phxi_heap_destroy(&heap);
    }
}

static phx_result check_arrays(int vertex_count, const double* positions, int triangle_count, const int* triangles) {
    if (vertex_count < 1 || triangle_count < 1 || !positions || !triangles) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a mesh of %d vertices and %d triangles, expected at least one triangle",
                         vertex_count, triangle_count);
    }
    for (size_t i = 0; i < (size_t)vertex_count * 3; ++i) {
        if (!(fabs(positions[i]) <= PHXI_MESH_LIMIT)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "vertex %d has the coordinate %g, expected a number within %g",
                             (int)(i / 3), positions[i], PHXI_MESH_LIMIT);
        }
    }
    for (size_t i = 0; i < (size_t)triangle_count * 3; ++i) {
        if (triangles[i] < 0 || triangles[i] >= vertex_count) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "triangle %d has the vertex %d, expected 0 to %d", (int)(i / 3),
                             triangles[i], vertex_count - 1);
        }
    }
    return PHX_OK;
}

phx_result phx_mesh_create(int vertex_count, const double* positions, int triangle_count, const int* triangles,
                           phx_mesh** mesh) {
    PHXI_NEED(mesh);
    *mesh = NULL;
    PHXI_TRY(check_arrays(vertex_count, positions, triangle_count, triangles));
    PHXI_TRY(phxi_mesh_new(NULL, vertex_count, triangle_count, mesh));
    memcpy((*mesh)->positions, positions, (size_t)vertex_count * sizeof(phx_vec3));
    memcpy((*mesh)->triangles, triangles, (size_t)triangle_count * 3 * sizeof *triangles);
    return PHX_OK;
}

int phx_mesh_vertex_count(const phx_mesh* mesh) {
    return mesh ? mesh->vertex_count : 0;
}

int phx_mesh_triangle_count(const phx_mesh* mesh) {
    return mesh ? mesh->triangle_count : 0;
}

const double* phx_mesh_positions(const phx_mesh* mesh) {
    return mesh ? &mesh->positions->x : NULL;
}

const int* phx_mesh_triangles(const phx_mesh* mesh) {
    return mesh ? mesh->triangles : NULL;
}

const float* phx_mesh_uvs(const phx_mesh* mesh) {
    return mesh ? mesh->uvs : NULL;
}

const int* phx_mesh_groups(const phx_mesh* mesh) {
    return mesh ? mesh->groups : NULL;
}

int phx_mesh_group_count(const phx_mesh* mesh) {
    return mesh ? mesh->group_count : 0;
}

const char* phx_mesh_group_name(const phx_mesh* mesh, int group) {
    return mesh && group >= 0 && group < mesh->group_count ? mesh->group_names[group] : NULL;
}

static void* copy_of(phxi_heap* heap, const void* from, size_t count, size_t size) {
    void* copy = phxi_alloc(heap, count, size, "mesh marks");
    if (copy) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

phx_result phxi_mesh_copy_marks(const phx_mesh* from, phx_mesh* to) {
    const size_t triangles = (size_t)from->triangle_count;
    to->up = from->up;
    if (from->uvs && !(to->uvs = copy_of(&to->heap, from->uvs, 6 * triangles, sizeof *to->uvs))) {
        return PHX_ERROR_MEMORY;
    }
    if (!from->groups) {
        return PHX_OK;
    }
    to->groups = copy_of(&to->heap, from->groups, triangles, sizeof *to->groups);
    to->group_names = phxi_alloc_zero(&to->heap, (size_t)from->group_count, sizeof *to->group_names, "mesh marks");
    bool good = to->groups && to->group_names;
    for (int g = 0; good && g < from->group_count; ++g) {
        to->group_names[g] = copy_of(&to->heap, from->group_names[g], strlen(from->group_names[g]) + 1, 1);
        good = to->group_names[g] != NULL;
    }
    to->group_count = good ? from->group_count : 0;
    return good ? PHX_OK : PHX_ERROR_MEMORY;
}

// ------------------------------------------------------------------------------------------------------------ measures

phxi_box phxi_mesh_box(const phx_mesh* mesh) {
    if (mesh->vertex_count == 0) {
        return (phxi_box){{0, 0, 0}, {0, 0, 0}};
    }
    phxi_box box = {mesh->positions[0], mesh->positions[0]};
    for (int i = 1; i < mesh->vertex_count; ++i) {
        box.low = phxi_min(box.low, mesh->positions[i]);
        box.high = phxi_max(box.high, mesh->positions[i]);
    }
    return box;
}

double phxi_mesh_area(const phx_mesh* mesh) {
    double twice = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = mesh->triangles + 3 * (size_t)t;
        const phx_vec3 a = mesh->positions[corner[0]];
        twice +=
            phxi_length(phxi_cross(phxi_sub(mesh->positions[corner[1]], a), phxi_sub(mesh->positions[corner[2]], a)));
    }
    return 0.5 * twice;
}

// Divergence theorem, cones from the middle of the box: far from the origin nothing cancels, and the number an open
// mesh gives does not depend on where it stands.
double phx_mesh_volume(const phx_mesh* mesh) {
    if (!mesh) {
        return 0;
    }
    const phxi_box box = phxi_mesh_box(mesh);
    const phx_vec3 middle = phxi_scale(0.5, phxi_add(box.low, box.high));
    double six = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = mesh->triangles + 3 * (size_t)t;
        const phx_vec3 a = phxi_sub(mesh->positions[corner[0]], middle);
        const phx_vec3 b = phxi_sub(mesh->positions[corner[1]], middle);
        const phx_vec3 c = phxi_sub(mesh->positions[corner[2]], middle);
        six += phxi_dot(a, phxi_cross(b, c));
    }
    return six / 6;
}

// ------------------------------------------------------------------------------------------------------------- moving

// Exact at multiples of 90 degrees, so that a box turned by a right angle stays on its grid.
static void sine_cosine(double degrees, double* sine, double* cosine) {
    int quarter = 0;
    const double rest = remquo(degrees, 90, &quarter) * 0.017453292519943295;
    const double s = sin(rest), c = cos(rest);
    const double sines[4] = {s, c, -s, -c};
    *sine = sines[quarter & 3];
    *cosine = sines[(quarter + 1) & 3];
}

phxi_mat3 phxi_rotation_degrees(phx_vec3 degrees) {
    double sx, cx, sy, cy, sz, cz;
    sine_cosine(degrees.x, &sx, &cx);
    sine_cosine(degrees.y, &sy, &cy);
    sine_cosine(degrees.z, &sz, &cz);
    const phxi_mat3 about_x = {{{1, 0, 0}, {0, cx, -sx}, {0, sx, cx}}};
    const phxi_mat3 about_y = {{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}};
    const phxi_mat3 about_z = {{{cz, -sz, 0}, {sz, cz, 0}, {0, 0, 1}}};
    const phxi_mat3 first = phxi_mat3_mul(&about_y, &about_x);
    return phxi_mat3_mul(&about_z, &first);
}

phx_result phxi_mesh_transformed(const phx_mesh* mesh, double scale, phx_vec3 rotate, phx_vec3 translate,
                                 const phx_allocator* allocator, phx_mesh** result) {
    *result = NULL;
    if (!(scale > 0) || !isfinite(scale)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "scale is %g, expected a number above 0", scale);
    }
    if (!phxi_finite(rotate) || !phxi_finite(translate)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "rotate (%g, %g, %g) and translate (%g, %g, %g), expected finite numbers",
                         rotate.x, rotate.y, rotate.z, translate.x, translate.y, translate.z);
    }
    phx_mesh* made = NULL;
    PHXI_TRY(phxi_mesh_new(allocator, mesh->vertex_count, mesh->triangle_count, &made));
    const phxi_mat3 turn = phxi_rotation_degrees(rotate);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const phx_vec3 p = phxi_add(phxi_mat3_apply(&turn, phxi_scale(scale, mesh->positions[i])), translate);
        if (!(fabs(p.x) <= PHXI_MESH_LIMIT && fabs(p.y) <= PHXI_MESH_LIMIT && fabs(p.z) <= PHXI_MESH_LIMIT)) {
            phx_mesh_destroy(made);
            return phxi_fail(PHX_ERROR_ARGUMENT, "vertex %d comes to (%g, %g, %g), expected numbers within %g", i, p.x,
                             p.y, p.z, PHXI_MESH_LIMIT);
        }
        made->positions[i] = p;
    }
    memcpy(made->triangles, mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof *mesh->triangles);
    if (phxi_mesh_copy_marks(mesh, made) != PHX_OK) {
        phx_mesh_destroy(made);
        return PHX_ERROR_MEMORY;
    }
    *result = made;
    return PHX_OK;
}

/// A turn by a right angle that brings an axis to z, or back: exact.
static phx_vec3 turned_up(phx_vec3 p, int up, bool back) {
    if (up == PHX_UP_Y) {
        return back ? phxi_vec3(p.x, p.z, -p.y) : phxi_vec3(p.x, -p.z, p.y);
    }
    if (up == PHX_UP_X) {
        return back ? phxi_vec3(p.z, p.y, -p.x) : phxi_vec3(-p.z, p.y, p.x);
    }
    return p;
}

void phx_mesh_turn_up(phx_mesh* mesh, phx_up up) {
    if (!mesh || up == PHX_UP_AUTO || (int)up == mesh->up) {
        return;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        mesh->positions[i] = turned_up(turned_up(mesh->positions[i], mesh->up, true), up, false);
    }
    mesh->up = up;
}

// -------------------------------------------------------------------------------------------------------------- files

static bool ends_in(const char* name, const char* ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

// The first word tells a PLY whatever it is called; otherwise the name decides, and if that says nothing a text that
// begins like an STL, then a size that fits a binary STL, then OBJ, which has no mark of its own.
static phxi_mesh_reader* choose_reader(const char* name, const char* bytes, size_t size) {
    if (size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r')) {
        return phxi_mesh_read_ply;
    }
    if (ends_in(name, ".gltf") || ends_in(name, ".glb") || (size >= 4 && memcmp(bytes, "glTF", 4) == 0)) {
        return phxi_mesh_read_gltf;
    }
    if (ends_in(name, ".obj")) {
        return phxi_mesh_read_obj;
    }
    if (ends_in(name, ".ply")) {
        return phxi_mesh_read_ply;
    }
    if (ends_in(name, ".stl") || (size >= 5 && strncasecmp(bytes, "solid", 5) == 0) ||
        (size >= 84 && (size - 84) % 50 == 0 && memchr(bytes, 0, 84))) {
        return phxi_mesh_read_stl;
    }
    return phxi_mesh_read_obj;
}

phx_result phx_mesh_parse(const char* name, const void* bytes, size_t size, const phx_allocator* allocator,
                          phx_mesh** mesh) {
    PHXI_NEED(mesh);
    *mesh = NULL;
    if (!name) {
        name = "mesh";
    }
    if (!bytes || size == 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "%s:1: nothing is there, expected an OBJ, PLY, STL or glTF mesh", name);
    }
    return choose_reader(name, bytes, size)(name, bytes, size, allocator, mesh);
}

phx_result phxi_mesh_load(const char* path, const phx_allocator* allocator, phx_mesh** mesh) {
    *mesh = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    char* bytes = NULL;
    size_t size = 0;
    phx_result result = phxi_file_read(&heap, path, 0, &bytes, &size);
    if (result == PHX_OK && size > 0 && choose_reader(path, bytes, size) == phxi_mesh_read_gltf) {
        char* folder = phxi_path_folder(&heap, path);
        result = folder ? phxi_mesh_read_gltf_beside(folder, path, bytes, size, allocator, mesh) : PHX_ERROR_MEMORY;
    } else if (result == PHX_OK) {
        result = phx_mesh_parse(path, bytes, size, allocator, mesh);
    }
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phx_mesh_load(const char* path, phx_mesh** mesh) {
    PHXI_NEED(path && mesh);
    return phxi_mesh_load(path, NULL, mesh);
}

phx_result phx_mesh_save(const phx_mesh* mesh, const char* path) {
    PHXI_NEED(mesh && path);
    phxi_mesh_writer* write = ends_in(path, ".obj")   ? phxi_mesh_write_obj
                              : ends_in(path, ".ply") ? phxi_mesh_write_ply
                              : ends_in(path, ".stl") ? phxi_mesh_write_stl
                                                      : NULL;
    if (!write) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%s: unknown kind of mesh file, expected .obj, .ply or .stl", path);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_file_writer writer = {0};
    phx_result result = phxi_file_begin(&writer, &heap, path);
    if (result == PHX_OK) {
        result = write(mesh, writer.stream);
        if (result == PHX_OK) {
            result = phxi_file_commit(&writer);
        } else {
            result = phxi_fail_within(result, "%s", path);
        }
        phxi_file_abandon(&writer);
    }
    phxi_heap_destroy(&heap);
    return result;
}
