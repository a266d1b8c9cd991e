// SPDX-License-Identifier: MIT
// Words, lines, messages and the builder of mesh_source.h. Every access is bounded by `end`; texts need no zero behind
// them and may hold zeros, which are ordinary (and wrong) characters.
#include "geometry/mesh_source.h"
#include "core/hash.h"
#include "core/text.h"

#include <limits.h>
#include <string.h>

// --------------------------------------------------------------------------------------------------------------- words

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

// Past LF, CR LF or CR.
static void pass_line_end(phxi_source* source) {
    if (*source->at == '\r' && source->end - source->at > 1 && source->at[1] == '\n') {
        ++source->at;
    }
    ++source->at;
    ++source->line;
}

static bool at_continuation(const phxi_source* source) {
    return source->continues && *source->at == '\\' && source->end - source->at > 1 && is_line_end(source->at[1]);
}

bool phxi_source_word(phxi_source* source, phxi_word* word) {
    while (source->at < source->end && (is_blank(*source->at) || at_continuation(source))) {
        if (*source->at++ == '\\') {
            pass_line_end(source);
        }
    }
    if (source->at < source->end && source->comment && *source->at == source->comment) {
        while (source->at < source->end && !is_line_end(*source->at)) {
            ++source->at;
        }
    }
    const char* begin = source->at;
    while (source->at < source->end && !is_blank(*source->at) && !is_line_end(*source->at) &&
           !at_continuation(source)) {
        ++source->at;
    }
    *word = (phxi_word){begin, (size_t)(source->at - begin)};
    return word->length > 0;
}

bool phxi_source_next_line(phxi_source* source) {
    phxi_word word;
    while (phxi_source_word(source, &word)) {
    }
    if (source->at < source->end) {
        pass_line_end(source);
    }
    return source->at < source->end;
}

bool phxi_source_any_word(phxi_source* source, phxi_word* word) {
    while (!phxi_source_word(source, word)) {
        if (source->at == source->end) {
            return false;
        }
        pass_line_end(source);
    }
    return true;
}

phxi_word phxi_source_rest(phxi_source* source) {
    phxi_word first, word;
    if (!phxi_source_word(source, &first)) {
        return first;
    }
    while (phxi_source_word(source, &word)) {
        first.length = (size_t)(source->at - first.text);
    }
    return first;
}

bool phxi_word_is(phxi_word word, const char* text) {
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

phxi_quote phxi_word_quote(phxi_word word) {
    phxi_quote quote;
    const size_t room = sizeof quote.text - 4;
    const size_t length = word.length < room ? word.length : room;
    for (size_t i = 0; i < length; ++i) {
        quote.text[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
    }
    memcpy(quote.text + length, length < word.length ? "..." : "\0\0\0", 4);
    return quote;
}

phxi_quote phxi_source_quote(const phxi_source* source, phxi_word word) {
    return source->known ? phxi_word_quote(word) : (phxi_quote){"..."};
}

// ------------------------------------------------------------------------------------------------------------ messages

int64_t phxi_source_place(const phxi_source* source) {
    return source->binary ? source->at - source->begin : source->line;
}

static phx_result fail_at(const phxi_source* source, int64_t place, const char* format, va_list arguments) {
    phxi_fail_v(PHX_ERROR_FORMAT, format, arguments);
    return phxi_fail_within(PHX_ERROR_FORMAT, source->binary ? "%s: byte %lld" : "%s:%lld", source->name,
                            (long long)place);
}

phx_result(phxi_source_fail)(const phxi_source* source, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const phx_result result = fail_at(source, phxi_source_place(source), format, arguments);
    va_end(arguments);
    return result;
}

phx_result(phxi_source_fail_at)(const phxi_source* source, int64_t place, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const phx_result result = fail_at(source, place, format, arguments);
    va_end(arguments);
    return result;
}

phx_result phxi_source_check_coordinate(const phxi_source* source, int64_t place, double value) {
    if (!(fabs(value) <= PHXI_MESH_LIMIT)) {
        return phxi_source_fail_at(source, place, "the coordinate %g, expected a number within %g", value,
                                   PHXI_MESH_LIMIT);
    }
    return PHX_OK;
}

phx_result phxi_source_coordinate(const phxi_source* source, phxi_word word, double* value) {
    if (!phxi_parse_double(word.text, word.length, false, value)) {
        return phxi_source_fail(source, "'%s' is not a finite number, expected a coordinate",
                                phxi_source_quote(source, word).text);
    }
    return phxi_source_check_coordinate(source, phxi_source_place(source), *value);
}

// ------------------------------------------------------------------------------------------------------------- builder

phx_result phxi_builder_begin(phxi_mesh_builder* builder, phxi_source* source, const phx_allocator* allocator) {
    *builder = (phxi_mesh_builder){.source = source, .top = -1, .group = -1};
    PHXI_TRY(phxi_mesh_new(allocator, 0, 0, &builder->mesh));
    builder->group_table.heap = &builder->mesh->heap;
    return PHX_OK;
}

phx_result phxi_builder_vertex(phxi_mesh_builder* builder, phx_vec3 position) {
    phx_vec3* slot = phxi_array_add(&builder->positions, &builder->mesh->heap, "mesh vertices");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = position;
    return PHX_OK;
}

/// Makes an array that came later as long as it should be, and gives the next items of it.
static int* next_marks(phxi_mesh_marks* marks, int wanted, int value, phxi_heap* heap, int extra) {
    if (!phxi_array_reserve(marks, wanted + extra - marks->count, heap, "mesh marks")) {
        return NULL;
    }
    while (marks->count < wanted) {
        marks->items[marks->count++] = value;
    }
    marks->count += extra;
    return marks->items + wanted;
}

static phx_result add_triangle(phxi_mesh_builder* builder, int vertex, int uv) {
    phxi_heap* heap = &builder->mesh->heap;
    const int before = builder->triangles.count;
    if (!phxi_array_reserve(&builder->triangles, 3, heap, "mesh triangles")) {
        return PHX_ERROR_MEMORY;
    }
    memcpy(builder->triangles.items + before, (const int[3]){builder->first, builder->previous, vertex},
           3 * sizeof(int));
    builder->triangles.count += 3;
    if (builder->corners == 4) {
        phxi_builder_polygon_place* place = phxi_array_add(&builder->polygons, heap, "mesh polygons");
        if (!place) {
            return PHX_ERROR_MEMORY;
        }
        place->first = before / 3 - 1;
    }
    if (builder->corners > 3) {
        builder->polygons.items[builder->polygons.count - 1].corners = (int)builder->corners;
    }
    if (uv >= 0 || builder->corner_uvs.count > 0) {
        int* uvs = next_marks(&builder->corner_uvs, before, -1, heap, 3);
        if (!uvs) {
            return PHX_ERROR_MEMORY;
        }
        memcpy(uvs, (const int[3]){builder->first_uv, builder->previous_uv, uv}, 3 * sizeof(int));
    }
    if (builder->group >= 0) {
        int* group = next_marks(&builder->groups, before / 3, 0, heap, 1);
        if (!group) {
            return PHX_ERROR_MEMORY;
        }
        *group = builder->group;
    }
    return PHX_OK;
}

phx_result phxi_builder_corner_uv(phxi_mesh_builder* builder, int64_t vertex, int64_t uv_number) {
    const int uv = uv_number >= 0 && uv_number < INT_MAX ? (int)uv_number : -1;
    if (vertex < 0 || vertex >= INT_MAX) {
        return phxi_source_fail(builder->source, "the vertex index %lld, expected 0 to the number of vertices less 1",
                                (long long)vertex);
    }
    if (vertex > builder->top) {
        builder->top = vertex;
        builder->top_at = phxi_source_place(builder->source);
    }
    if (builder->corners++ == 0) {
        builder->first = (int)vertex;
        builder->first_uv = uv;
    } else if (builder->corners > 2) {
        PHXI_TRY(add_triangle(builder, (int)vertex, uv));
    }
    builder->previous = (int)vertex;
    builder->previous_uv = uv;
    return PHX_OK;
}

phx_result phxi_builder_corner(phxi_mesh_builder* builder, int64_t vertex) {
    return phxi_builder_corner_uv(builder, vertex, -1);
}

phx_result phxi_builder_uv(phxi_mesh_builder* builder, double u, double v) {
    if (!phxi_array_reserve(&builder->uvs, 2, &builder->mesh->heap, "mesh marks")) {
        return PHX_ERROR_MEMORY;
    }
    builder->uvs.items[builder->uvs.count++] = (float)u;
    builder->uvs.items[builder->uvs.count++] = (float)v;
    return PHX_OK;
}

phx_result phxi_builder_group(phxi_mesh_builder* builder, const char* name, size_t length) {
    phxi_heap* heap = &builder->mesh->heap;
    if (builder->group < 0 && builder->triangles.count > 0 && length > 0) {
        PHXI_TRY(phxi_builder_group(builder, "", 0)); // of those before, number 0
    }
    int* slot = phxi_key_slot(&builder->group_table, phxi_hash_bytes(name, length, 0));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        char** added = phxi_array_add(&builder->group_names, heap, "mesh marks");
        char* copy = added ? phxi_alloc_zero(heap, length + 1, 1, "mesh marks") : NULL;
        if (!copy) {
            return PHX_ERROR_MEMORY;
        }
        memcpy(copy, name, length);
        *added = copy;
        *slot = builder->group_names.count - 1;
    }
    builder->group = *slot;
    return PHX_OK;
}

/// Texture coordinates of corners; those that the file does not have are 0.
static phx_result finish_uvs(phxi_mesh_builder* builder, phx_mesh* made) {
    const int count = builder->corner_uvs.count;
    if (count == 0 || builder->uvs.count == 0) {
        return PHX_OK;
    }
    made->uvs = phxi_alloc_zero(&made->heap, 2 * (size_t)count, sizeof *made->uvs, "mesh marks");
    if (!made->uvs) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        const int uv = builder->corner_uvs.items[i];
        if (uv >= 0 && uv < builder->uvs.count / 2) {
            memcpy(made->uvs + 2 * (ptrdiff_t)i, builder->uvs.items + 2 * (ptrdiff_t)uv, 2 * sizeof *made->uvs);
        }
    }
    return PHX_OK;
}

static void finish_groups(phxi_mesh_builder* builder, phx_mesh* made) {
    if (builder->groups.count > 0) {
        made->groups = builder->groups.items;
        made->group_names = builder->group_names.items;
        made->group_count = builder->group_names.count;
    }
}

phx_result phxi_builder_finish(phxi_mesh_builder* builder, phx_mesh** mesh) {
    if (builder->triangles.count == 0 && !(builder->cloud && builder->positions.count > 0)) {
        phxi_source_fail(builder->source, "no faces up to here, expected at least one triangle");
        return phxi_builder_abandon(builder, PHX_ERROR_FORMAT);
    }
    if (builder->top >= builder->positions.count) {
        phxi_source_fail_at(builder->source, builder->top_at, "a face with the vertex %lld, expected %d to %lld",
                            (long long)builder->top + builder->base, builder->base,
                            (long long)builder->positions.count - 1 + builder->base);
        return phxi_builder_abandon(builder, PHX_ERROR_FORMAT);
    }
    phx_mesh* made = builder->mesh;
    if (phxi_builder_recut_polygons(builder) != PHX_OK || finish_uvs(builder, made) != PHX_OK) {
        return phxi_builder_abandon(builder, PHX_ERROR_MEMORY);
    }
    finish_groups(builder, made);
    phxi_key_destroy(&builder->group_table);
    phxi_array_destroy(&builder->uvs, &made->heap);
    phxi_array_destroy(&builder->corner_uvs, &made->heap);
    phxi_array_destroy(&builder->polygons, &made->heap);
    phxi_free(&made->heap, made->positions);
    phxi_free(&made->heap, made->triangles);
    made->positions = builder->positions.items;
    made->vertex_count = builder->positions.count;
    made->triangles = builder->triangles.items;
    made->triangle_count = builder->triangles.count / 3;
    *builder = (phxi_mesh_builder){0};
    *mesh = made;
    return PHX_OK;
}

phx_result phxi_builder_abandon(phxi_mesh_builder* builder, phx_result result) {
    phx_mesh_destroy(builder->mesh); // its heap frees what the arrays hold
    *builder = (phxi_mesh_builder){0};
    return result;
}
