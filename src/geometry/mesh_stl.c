// SPDX-License-Identifier: MIT
// STL, text and binary. STL has no indices: corners at exactly the same position become one vertex. Normals are not
// read (they are often wrong or nan), the order of corners counts.
//
// Binary files may begin with "solid" too. A file whose size is the one its triangle count asks for is binary: no text
// can be mistaken for it, as four printable bytes would count more triangles than any file holds.
#include "geometry/mesh_source.h"
#include "core/text.h"

#include <float.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 80, START = 84, RECORD = 50 };

static uint32_t load32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void store32(uint32_t value, char* bytes) {
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (char)(value >> 8 * i);
    }
}

// Adds a triangle of the last three vertices.
static phx_result add_triangle(phxi_mesh_builder* builder) {
    phxi_builder_polygon(builder);
    for (int k = 3; k > 0; --k) {
        PHXI_TRY(phxi_builder_corner(builder, builder->positions.count - k));
    }
    return PHX_OK;
}

static phx_result weld(phxi_mesh_builder* builder) {
    phxi_heap* heap = &builder->mesh->heap;
    const int count = builder->positions.count;
    int* map = NULL;
    PHXI_NEW(map, heap, count, "welding");
    PHXI_TRY(phxi_mesh_weld_map(heap, builder->positions.items, count, map));
    // First occurrences keep their order; map[i] <= i, so its new number is known when i is reached.
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (map[i] == i) {
            builder->positions.items[kept] = builder->positions.items[i];
            map[i] = kept++;
        } else {
            map[i] = map[map[i]];
        }
    }
    builder->positions.count = kept;
    for (int i = 0; i < builder->triangles.count; ++i) {
        builder->triangles.items[i] = map[builder->triangles.items[i]];
    }
    builder->top = kept - 1;
    phxi_free(heap, map);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- text

static bool word_is(phxi_word word, const char* text) {
    return strlen(text) == word.length && strncasecmp(word.text, text, word.length) == 0;
}

static phx_result expect(phxi_source* source, const char* text) {
    phxi_word word;
    if (!phxi_source_any_word(source, &word)) {
        return phxi_source_fail(source, "the file ends, expected '%s'", text);
    }
    if (!word_is(word, text)) {
        return phxi_source_fail(source, "'%s', expected '%s'", phxi_source_quote(source, word).text, text);
    }
    return PHX_OK;
}

static phx_result read_normal(phxi_source* source) {
    PHXI_TRY(expect(source, "normal"));
    for (int k = 0; k < 3; ++k) {
        phxi_word word;
        double unused;
        if (!phxi_source_any_word(source, &word)) {
            return phxi_source_fail(source, "the file ends, expected a normal of 3 numbers");
        }
        if (!phxi_parse_double(word.text, word.length, true, &unused)) {
            return phxi_source_fail(source, "'%s' is not a number, expected a normal of 3 numbers",
                                    phxi_source_quote(source, word).text);
        }
    }
    return PHX_OK;
}

static phx_result read_vertex(phxi_source* source, phxi_mesh_builder* builder) {
    PHXI_TRY(expect(source, "vertex"));
    double value[3];
    for (int k = 0; k < 3; ++k) {
        phxi_word word;
        if (!phxi_source_any_word(source, &word)) {
            return phxi_source_fail(source, "the file ends, expected a vertex of 3 numbers");
        }
        PHXI_TRY(phxi_source_coordinate(source, word, &value[k]));
    }
    return phxi_builder_vertex(builder, (phx_vec3){value[0], value[1], value[2]});
}

// What stands behind the word "facet".
static phx_result read_facet(phxi_source* source, phxi_mesh_builder* builder) {
    source->known = true;
    PHXI_TRY(read_normal(source));
    PHXI_TRY(expect(source, "outer"));
    PHXI_TRY(expect(source, "loop"));
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(read_vertex(source, builder));
    }
    PHXI_TRY(expect(source, "endloop"));
    PHXI_TRY(expect(source, "endfacet"));
    return add_triangle(builder);
}

// One or more solids.
static phx_result read_text(phxi_source* source, phxi_mesh_builder* builder) {
    phxi_word word;
    while (phxi_source_any_word(source, &word)) {
        if (!word_is(word, "solid")) {
            return phxi_source_fail(source, "'%s', expected 'solid' or the end", phxi_source_quote(source, word).text);
        }
        phxi_source_next_line(source);
        for (;;) {
            if (!phxi_source_any_word(source, &word)) {
                return phxi_source_fail(source, "the file ends, expected 'facet' or 'endsolid'");
            }
            if (word_is(word, "endsolid")) {
                break;
            }
            if (!word_is(word, "facet")) {
                return phxi_source_fail(source, "'%s', expected 'facet' or 'endsolid'",
                                        phxi_source_quote(source, word).text);
            }
            PHXI_TRY(read_facet(source, builder));
        }
        phxi_source_next_line(source);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- binary

static phx_result read_binary(phxi_source* source, phxi_mesh_builder* builder) {
    const size_t size = phxi_source_left(source);
    if (size < START) {
        return phxi_source_fail(source, "%zu bytes, expected 'solid' (text) or at least %d bytes (binary STL)", size,
                                START);
    }
    const uint32_t count = load32(source->begin + HEADER);
    const uint64_t wanted = START + (uint64_t)RECORD * count;
    if (wanted != size) {
        source->at = source->begin + HEADER;
        return phxi_source_fail(source, "%u triangles in %zu bytes, expected %llu bytes", count, size,
                                (unsigned long long)wanted);
    }
    for (uint32_t t = 0; t < count; ++t) {
        for (int k = 0; k < 3; ++k) {
            float value[3];
            for (int j = 0; j < 3; ++j) {
                source->at = source->begin + START + (size_t)RECORD * t + 12 + (size_t)(3 * k + j) * 4;
                const uint32_t bits = load32(source->at);
                memcpy(&value[j], &bits, 4);
                PHXI_TRY(phxi_source_check_coordinate(source, phxi_source_place(source), (double)value[j]));
            }
            PHXI_TRY(phxi_builder_vertex(builder, (phx_vec3){value[0], value[1], value[2]}));
        }
        PHXI_TRY(add_triangle(builder));
    }
    return PHX_OK;
}

static bool is_text(const phxi_source* source) {
    const size_t size = phxi_source_left(source);
    if (size >= START && START + (uint64_t)RECORD * load32(source->begin + HEADER) == size) {
        return false;
    }
    phxi_source look = *source;
    phxi_word word;
    // A zero at the start: a binary file that was cut, whose header says solid.
    return phxi_source_any_word(&look, &word) && word_is(word, "solid") &&
           !memchr(source->begin, 0, size < START ? size : START);
}

phx_result phxi_mesh_read_stl(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                              phx_mesh** mesh) {
    phxi_source source = phxi_source_of(name, bytes, size);
    source.binary = !is_text(&source);
    phxi_mesh_builder builder;
    PHXI_TRY(phxi_builder_begin(&builder, &source, allocator));
    phx_result result = source.binary ? read_binary(&source, &builder) : read_text(&source, &builder);
    if (result == PHX_OK) {
        result = weld(&builder);
    }
    return result == PHX_OK ? phxi_builder_finish(&builder, mesh) : phxi_builder_abandon(&builder, result);
}

phx_result phxi_mesh_write_stl(const phx_mesh* mesh, FILE* stream) {
    char start[START] = "binary STL";
    store32((uint32_t)mesh->triangle_count, start + HEADER);
    fwrite(start, 1, sizeof start, stream);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = mesh->triangles + 3 * (size_t)t;
        const phx_vec3 p[3] = {mesh->positions[corner[0]], mesh->positions[corner[1]], mesh->positions[corner[2]]};
        const phx_vec3 normal = phxi_normalize(phxi_cross(phxi_sub(p[1], p[0]), phxi_sub(p[2], p[0])), (phx_vec3){0});
        const double values[12] = {normal.x, normal.y, normal.z, p[0].x, p[0].y, p[0].z,
                                   p[1].x,   p[1].y,   p[1].z,   p[2].x, p[2].y, p[2].z};
        char record[RECORD] = {0};
        for (int i = 0; i < 12; ++i) {
            const float value = (float)values[i]; // within PHXI_MESH_LIMIT, so it fits
            uint32_t bits;
            memcpy(&bits, &value, 4);
            store32(bits, record + (size_t)i * 4);
        }
        fwrite(record, 1, sizeof record, stream);
    }
    return PHX_OK;
}
