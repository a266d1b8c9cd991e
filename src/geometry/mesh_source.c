// SPDX-License-Identifier: MIT
// Words, lines, messages and the builder of mesh_source.h. Every access is bounded by `end`; texts need no zero behind
// them and may hold zeros, which are ordinary (and wrong) characters.
#include "geometry/mesh_source.h"
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
                                phxi_word_quote(word).text);
    }
    return phxi_source_check_coordinate(source, phxi_source_place(source), *value);
}

// ------------------------------------------------------------------------------------------------------------- builder

phx_result phxi_builder_begin(phxi_mesh_builder* builder, phxi_source* source, const phx_allocator* allocator) {
    *builder = (phxi_mesh_builder){.source = source, .top = -1};
    return phxi_mesh_new(allocator, 0, 0, &builder->mesh);
}

phx_result phxi_builder_vertex(phxi_mesh_builder* builder, phx_vec3 position) {
    phx_vec3* slot = phxi_array_add(&builder->positions, &builder->mesh->heap, "mesh vertices");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = position;
    return PHX_OK;
}

phx_result phxi_builder_corner(phxi_mesh_builder* builder, int64_t vertex) {
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
    } else if (builder->corners > 2) {
        if (!phxi_array_reserve(&builder->triangles, 3, &builder->mesh->heap, "mesh triangles")) {
            return PHX_ERROR_MEMORY;
        }
        int* triangle = builder->triangles.items + builder->triangles.count;
        triangle[0] = builder->first;
        triangle[1] = builder->previous;
        triangle[2] = (int)vertex;
        builder->triangles.count += 3;
    }
    builder->previous = (int)vertex;
    return PHX_OK;
}

phx_result phxi_builder_finish(phxi_mesh_builder* builder, phx_mesh** mesh) {
    if (builder->triangles.count == 0) {
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
