// SPDX-License-Identifier: MIT
// Bytes of a mesh file on their way to a mesh: words and lines of texts, places for messages, and a builder that grows
// the arrays as vertices and polygons come. Nothing is allocated on the word of a header: growth follows what was read.
#pragma once

#include "core/array.h"
#include "geometry/key_table.h"
#include "geometry/mesh.h"

typedef struct phxi_source {
    const char* name;
    const char *begin, *at, *end;
    int64_t line;   // 1 for the first
    bool binary;    // places are byte offsets instead of lines
    char comment;   // a word that starts with it ends the line; 0: none
    bool continues; // a backslash at its end joins a line with the next
    bool known;     // it has begun as a mesh of its format does
} phxi_source;

typedef struct phxi_word {
    const char* text;
    size_t length;
} phxi_word;

static inline phxi_source phxi_source_of(const char* name, const char* bytes, size_t size) {
    return (phxi_source){.name = name, .begin = bytes, .at = bytes, .end = bytes + size, .line = 1};
}

/// The next word of this line; false at its end.
bool phxi_source_word(phxi_source* source, phxi_word* word);
/// Leaves the rest of this line; false if nothing follows. Lines end in LF, CR LF or CR.
bool phxi_source_next_line(phxi_source* source);
/// The next word of this or any later line; false at the end.
bool phxi_source_any_word(phxi_source* source, phxi_word* word);
/// The rest of this line, without blanks around it.
phxi_word phxi_source_rest(phxi_source* source);
static inline size_t phxi_source_left(const phxi_source* source) {
    return (size_t)(source->end - source->at);
}

bool phxi_word_is(phxi_word word, const char* text);
/// Printable and short, for messages.
typedef struct phxi_quote {
    char text[32];
} phxi_quote;
phxi_quote phxi_word_quote(phxi_word word);
/// The same for a mesh, whose path may come from a scene of somebody else: "..." until the file has shown that it is a
/// mesh, so that messages say nothing of what is in other files.
phxi_quote phxi_source_quote(const phxi_source* source, phxi_word word);

/// Line, or offset if binary: where a message points.
int64_t phxi_source_place(const phxi_source* source);
/// PHX_ERROR_FORMAT, "name:line: ..." or "name: byte N: ...".
phx_result phxi_source_fail(const phxi_source* source, const char* format, ...) __attribute__((format(printf, 2, 3)));
phx_result phxi_source_fail_at(const phxi_source* source, int64_t place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // as in core/error.h
#define phxi_source_fail(source, ...)           (phxi_source_fail(source, __VA_ARGS__), PHX_ERROR_FORMAT)
#define phxi_source_fail_at(source, place, ...) (phxi_source_fail_at(source, place, __VA_ARGS__), PHX_ERROR_FORMAT)
#endif
/// The word as a coordinate: finite, within PHXI_MESH_LIMIT.
phx_result phxi_source_coordinate(const phxi_source* source, phxi_word word, double* value);
phx_result phxi_source_check_coordinate(const phxi_source* source, int64_t place, double value);

/// A polygon of more than three corners: where the triangles of its fan begin.
typedef struct phxi_builder_polygon_place {
    int first, corners;
} phxi_builder_polygon_place;

typedef PHXI_ARRAY(int) phxi_mesh_marks;

typedef struct phxi_mesh_builder {
    phxi_source* source;
    phx_mesh* mesh; // its heap holds the arrays
    bool cloud;     // points without a face are good, too
    PHXI_ARRAY(phx_vec3) positions;
    PHXI_ARRAY(int) triangles;
    int64_t corners;     // of the polygon so far
    int first, previous; // of them
    int64_t top, top_at; // largest index so far and where it stood: vertices may come after the faces
    int base;            // what files of this format call the first vertex, for messages
    PHXI_ARRAY(phxi_builder_polygon_place) polygons;
    // marks of a mesh (mesh.h), empty unless the file has them
    PHXI_ARRAY(float) uvs;      // 2 each
    phxi_mesh_marks corner_uvs; // by corner of the triangles: which of them; -1: none
    int first_uv, previous_uv;  // of the polygon
    phxi_mesh_marks groups;     // by triangle
    PHXI_ARRAY(char*) group_names;
    phxi_key_table group_table; // by hash of the name
    int group;                  // of triangles to come; -1: none
} phxi_mesh_builder;

phx_result phxi_builder_begin(phxi_mesh_builder* builder, phxi_source* source, const phx_allocator* allocator);
phx_result phxi_builder_vertex(phxi_mesh_builder* builder, phx_vec3 position);
/// Begins a polygon of any number of corners; concave ones are cut as they should be (mesh_polygons.c).
static inline void phxi_builder_polygon(phxi_mesh_builder* builder) {
    builder->corners = 0;
}
phx_result phxi_builder_corner(phxi_mesh_builder* builder, int64_t vertex);
/// The same, with a texture coordinate by its number, which may come later or never; -1: none.
phx_result phxi_builder_corner_uv(phxi_mesh_builder* builder, int64_t vertex, int64_t uv);
phx_result phxi_builder_uv(phxi_mesh_builder* builder, double u, double v);
/// The group that triangles from here on belong to, by name.
phx_result phxi_builder_group(phxi_mesh_builder* builder, const char* name, size_t length);
/// Triangles of concave polygons, when all vertices are there.
phx_result phxi_builder_recut_polygons(phxi_mesh_builder* builder);
/// Checks what only the end can tell. The builder is empty after it, on failure too.
phx_result phxi_builder_finish(phxi_mesh_builder* builder, phx_mesh** mesh);
/// Gives up; returns `result`.
phx_result phxi_builder_abandon(phxi_mesh_builder* builder, phx_result result);
