// SPDX-License-Identifier: MIT
// Wavefront OBJ: v, vt and f are read, in all their forms (more numbers behind a vertex, a, a/t, a//n, a/t/n, counted
// from 1 or backwards from the last, polygons of any shape, lines joined by a backslash); o, g and usemtl name groups
// of triangles; statements that make no triangles are known and passed over; anything else is refused, as a misspelt
// statement should not quietly lose a face.
#include "geometry/mesh_source.h"
#include "core/text.h"

#include <limits.h>
#include <string.h>

/// What groups are named after, as last said.
typedef struct obj_names {
    phxi_word object, group, material;
} obj_names;

static const char* const passed_over[] = {
    "vn",        "vp",    "s",     "mg",    "l",        "p",        "mtllib", "usemap", "maplib", "lod",  "shadow_obj",
    "trace_obj", "bevel", "ctech", "stech", "c_interp", "d_interp", "cstype", "deg",    "bmat",   "step", "curv",
    "curv2",     "surf",  "parm",  "trim",  "hole",     "scrv",     "sp",     "end",    "con",    "call", "csh",
};

static phx_result read_vertex(phxi_source* source, phxi_mesh_builder* builder) {
    double value[3] = {0};
    phxi_word word;
    int count = 0;
    for (; phxi_source_word(source, &word); ++count) {
        double unused; // w or a colour
        PHXI_TRY(phxi_source_coordinate(source, word, count < 3 ? &value[count] : &unused));
    }
    if (count < 3) {
        return phxi_source_fail(source, "a vertex of %d numbers, expected 3", count);
    }
    return phxi_builder_vertex(builder, (phx_vec3){value[0], value[1], value[2]});
}

// A texture coordinate that is not a number is not worth refusing a mesh for; the point stays, to be counted.
static phx_result read_uv(phxi_source* source, phxi_mesh_builder* builder) {
    double value[2] = {0};
    phxi_word word;
    for (int count = 0; count < 2 && phxi_source_word(source, &word); ++count) {
        if (!phxi_parse_double(word.text, word.length, false, &value[count]) || fabs(value[count]) > 1e30) {
            value[count] = 0;
        }
    }
    return phxi_builder_uv(builder, value[0], value[1]);
}

// Triangles from here on are of the group "object/group/material", as far as these are named.
static phx_result name_group(phxi_source* source, phxi_mesh_builder* builder, phxi_word* slot, const obj_names* names) {
    char text[512];
    size_t length = 0;
    *slot = phxi_source_rest(source);
    const phxi_word words[3] = {names->object, names->group, names->material};
    for (int k = 0; k < 3; ++k) {
        const bool repeats = k == 1 && words[1].length == words[0].length && words[0].length > 0 &&
                             memcmp(words[0].text, words[1].text, words[0].length) == 0;
        for (size_t i = 0; i < words[k].length && !repeats && length + 2 < sizeof text; ++i) {
            if (i == 0 && length > 0) {
                text[length++] = '/';
            }
            const char c = words[k].text[i];
            text[length++] = c == '\n' || c == '\r' || c == 0 ? ' ' : c;
        }
    }
    return phxi_builder_group(builder, text, length);
}

// One of the up to three indices between slashes: `begin` to the next slash or `end`.
static bool take_index(const char** begin, const char* end, int64_t* index) {
    const char* stop = *begin;
    while (stop < end && *stop != '/') {
        ++stop;
    }
    const bool good = phxi_parse_int(*begin, (size_t)(stop - *begin), index) && *index != 0;
    *begin = stop;
    return good;
}

// "3", "3/1", "3//2", "3/1/2". The normal is not used, but has to be an index.
static bool parse_corner(phxi_word word, int64_t* vertex, int64_t* uv) {
    const char *at = word.text, *end = word.text + word.length;
    int64_t unused;
    if (!take_index(&at, end, vertex)) {
        return false;
    }
    *uv = 0;
    if (at < end && ++at < end && *at != '/' && !take_index(&at, end, uv)) {
        return false;
    }
    return at == end || (++at < end && take_index(&at, end, &unused) && at == end);
}

static phx_result read_face(phxi_source* source, phxi_mesh_builder* builder) {
    phxi_word word;
    phxi_builder_polygon(builder);
    while (phxi_source_word(source, &word)) {
        int64_t index, uv;
        if (!parse_corner(word, &index, &uv)) {
            return phxi_source_fail(source,
                                    "'%s' is not a corner of a face, expected vertex, vertex/texture/normal "
                                    "with indices from 1, or from -1 backwards",
                                    phxi_source_quote(source, word).text);
        }
        const int count = builder->positions.count;
        if (index < -(int64_t)count || index >= INT_MAX) {
            return phxi_source_fail(source, "the vertex %lld of a face, but %d are there so far", (long long)index,
                                    count);
        }
        uv = uv < 0 ? builder->uvs.count / 2 + uv : uv - 1;
        PHXI_TRY(phxi_builder_corner_uv(builder, index > 0 ? index - 1 : count + index, uv));
    }
    if (builder->corners < 3) {
        return phxi_source_fail(source, "a face of %d corners, expected at least 3", (int)builder->corners);
    }
    return PHX_OK;
}

static phx_result read_statement(phxi_source* source, phxi_word keyword, phxi_mesh_builder* builder, obj_names* names) {
    if (phxi_word_is(keyword, "v")) {
        source->known = true;
        return read_vertex(source, builder);
    }
    if (phxi_word_is(keyword, "f") || phxi_word_is(keyword, "fo")) {
        return read_face(source, builder);
    }
    if (phxi_word_is(keyword, "vt")) {
        return read_uv(source, builder);
    }
    phxi_word* slot = phxi_word_is(keyword, "o")        ? &names->object
                      : phxi_word_is(keyword, "g")      ? &names->group
                      : phxi_word_is(keyword, "usemtl") ? &names->material
                                                        : NULL;
    if (slot) {
        return name_group(source, builder, slot, names);
    }
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; ++i) {
        if (phxi_word_is(keyword, passed_over[i])) {
            return PHX_OK;
        }
    }
    return phxi_source_fail(source, "'%s' is not an OBJ statement, expected v, vt, vn, f, g, o, s, usemtl, ...",
                            phxi_source_quote(source, keyword).text);
}

phx_result phxi_mesh_read_obj(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                              phx_mesh** mesh) {
    phxi_source source = phxi_source_of(name, bytes, size);
    source.comment = '#';
    source.continues = true;
    phxi_mesh_builder builder;
    PHXI_TRY(phxi_builder_begin(&builder, &source, allocator));
    builder.base = 1;
    obj_names names = {0};
    do {
        phxi_word keyword;
        if (phxi_source_word(&source, &keyword)) {
            const phx_result result = read_statement(&source, keyword, &builder, &names);
            if (result != PHX_OK) {
                return phxi_builder_abandon(&builder, result);
            }
        }
    } while (phxi_source_next_line(&source));
    return phxi_builder_finish(&builder, mesh);
}

phx_result phxi_mesh_write_obj(const phx_mesh* mesh, FILE* stream) {
    for (int i = 0; i < mesh->vertex_count; ++i) {
        char x[32], y[32], z[32];
        phxi_format_double(mesh->positions[i].x, x);
        phxi_format_double(mesh->positions[i].y, y);
        phxi_format_double(mesh->positions[i].z, z);
        fprintf(stream, "v %s %s %s\n", x, y, z);
    }
    for (int i = 0; mesh->uvs && i < 3 * mesh->triangle_count; ++i) {
        char u[32], v[32];
        phxi_format_float(mesh->uvs[2 * (size_t)i], u);
        phxi_format_float(mesh->uvs[2 * (size_t)i + 1], v);
        fprintf(stream, "vt %s %s\n", u, v);
    }
    for (int t = 0, group = -1; t < mesh->triangle_count; ++t) {
        const int* corner = mesh->triangles + 3 * (size_t)t;
        if (mesh->groups && mesh->groups[t] != group) {
            group = mesh->groups[t];
            fprintf(stream, "g %s\n", mesh->group_names[group]);
        }
        fputc('f', stream);
        for (int k = 0; k < 3; ++k) {
            fprintf(stream, " %d", corner[k] + 1);
            if (mesh->uvs) {
                fprintf(stream, "/%d", 3 * t + k + 1);
            }
        }
        fputc('\n', stream);
    }
    return PHX_OK;
}
