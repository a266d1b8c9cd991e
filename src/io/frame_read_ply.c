// SPDX-License-Identifier: MIT
// Our .ply files back into frames: columns of floats and ints, then triangles. Columns a_x a_y a_z and a_0 ... a_8 are
// put together again, nx ny nz become the field "normal". A PLY file of another program is read as a mesh.
#include "io/frame_read.h"

#include "core/text.h"
#include "geometry/mesh_source.h"
#include "surface/frame.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 256, NAME = 64, FACE_BYTES = 13 };
static const char SIGN[] = "ply\nformat binary_little_endian 1.0\ncomment phyxel";

typedef struct column {
    char name[NAME];
    bool is_int;
} column;

typedef struct ply {
    phxi_source source;
    double time;
    int64_t points, triangles;
    column columns[COLUMNS];
    int column_count;
} ply;

static phx_result read_count(ply* p, int64_t* count) {
    phxi_word word = {"", 0};
    phxi_source_word(&p->source, &word);
    if (!phxi_parse_int(word.text, word.length, count) || *count < 0 || *count > INT32_MAX / 9) {
        return phxi_source_fail(&p->source, "the number of rows is '%s', expected 0 to %d", phxi_word_quote(word).text,
                                INT32_MAX / 9);
    }
    return PHX_OK;
}

static phx_result read_property(ply* p, bool in_faces) {
    phxi_word type = {"", 0}, name = {"", 0};
    phxi_source_word(&p->source, &type);
    if (in_faces) {
        phxi_word rest = phxi_source_rest(&p->source);
        return phxi_word_is(type, "list") && phxi_word_is(rest, "uchar int vertex_indices")
                   ? PHX_OK
                   : phxi_source_fail(&p->source, "faces have '%s', expected 'list uchar int vertex_indices'",
                                      phxi_word_quote(rest).text);
    }
    phxi_source_word(&p->source, &name);
    bool is_int = phxi_word_is(type, "int");
    if ((!is_int && !phxi_word_is(type, "float")) || name.length == 0 || name.length >= NAME ||
        memchr(name.text, 0, name.length) || p->column_count == COLUMNS) {
        return phxi_source_fail(&p->source, "property '%s' of type '%s', expected at most %d of float or int",
                                phxi_word_quote(name).text, phxi_word_quote(type).text, COLUMNS);
    }
    column* c = &p->columns[p->column_count++];
    memcpy(c->name, name.text, name.length);
    c->name[name.length] = 0;
    c->is_int = is_int;
    return PHX_OK;
}

static phx_result read_comment(ply* p) {
    phxi_word word = {"", 0};
    phxi_source_word(&p->source, &word);
    phxi_word time = phxi_source_rest(&p->source);
    if (phxi_word_is(word, "time")) {
        if (!phxi_parse_double(time.text, time.length, false, &p->time)) {
            return phxi_source_fail(&p->source, "the time is '%s', expected a number", phxi_word_quote(time).text);
        }
    }
    return PHX_OK;
}

// One line of the header; *done behind the last.
static phx_result read_line(ply* p, int* element, bool* done) {
    phxi_source* s = &p->source;
    phxi_word word;
    if (!phxi_source_word(s, &word)) {
        return phxi_source_fail(s, "an empty line in the header");
    }
    if (phxi_word_is(word, "comment")) {
        return read_comment(p);
    }
    if (phxi_word_is(word, "property") && *element > 0) {
        return read_property(p, *element == 2);
    }
    if (phxi_word_is(word, "end_header")) {
        *done = true;
        return PHX_OK;
    }
    phxi_word kind = {"", 0};
    if (!phxi_word_is(word, "element") || !phxi_source_word(s, &kind) || *element == 2 ||
        !phxi_word_is(kind, *element ? "face" : "vertex")) {
        return phxi_source_fail(s, "'%s %s' in the header, expected what phyxel writes", phxi_word_quote(word).text,
                                phxi_word_quote(kind).text);
    }
    return read_count(p, ++*element == 1 ? &p->points : &p->triangles);
}

static phx_result read_head(ply* p) {
    phxi_source* s = &p->source;
    phxi_source_next_line(s);
    phxi_source_next_line(s);
    int element = 0;
    for (bool done = false; !done;) {
        PHXI_TRY(read_line(p, &element, &done));
        if (s->at == s->end || *s->at != '\n') {
            return phxi_source_fail(s, done || s->at < s->end ? "the line goes on, expected its end"
                                                              : "the file ends in its header");
        }
        ++s->at; // by hand: data may follow, and begin with a line end
        ++s->line;
    }
    if (p->column_count < 3 || strcmp(p->columns[0].name, "x") != 0 || strcmp(p->columns[1].name, "y") != 0 ||
        strcmp(p->columns[2].name, "z") != 0) {
        return phxi_source_fail(s, "the vertices do not begin with x, y and z");
    }
    s->binary = true;
    int64_t bytes = p->points * 4 * p->column_count + p->triangles * FACE_BYTES;
    if ((int64_t)phxi_source_left(s) != bytes) {
        return phxi_source_fail(s, "%lld bytes of data, expected %lld%s", (long long)phxi_source_left(s),
                                (long long)bytes, (int64_t)phxi_source_left(s) < bytes ? ": the file is cut" : "");
    }
    return PHX_OK;
}

static double value_at(const ply* p, int64_t row, int c) {
    const char* at = p->source.at + 4 * (row * p->column_count + c);
    if (p->columns[c].is_int) {
        int32_t value;
        memcpy(&value, at, 4);
        return value;
    }
    float value;
    memcpy(&value, at, 4);
    return (double)value;
}

// How many columns from `first` on are one field, and its name.
static int group(const ply* p, int first, char name[NAME]) {
    static const char* const endings[] = {"xyz", "012345678"};
    const column* c = &p->columns[first];
    memcpy(name, c->name, NAME);
    if (strcmp(name, "nx") == 0 && first + 2 < p->column_count && strcmp(c[1].name, "ny") == 0 &&
        strcmp(c[2].name, "nz") == 0) {
        snprintf(name, NAME, "normal");
        return 3;
    }
    size_t length = strlen(name);
    for (int kind = 0; kind < 2 && length > 2 && name[length - 2] == '_'; ++kind) {
        int count = (int)strlen(endings[kind]), same = 0;
        while (same < count && first + same < p->column_count && strlen(c[same].name) == length &&
               memcmp(c[same].name, name, length - 1) == 0 && c[same].name[length - 1] == endings[kind][same]) {
            ++same;
        }
        if (same == count) {
            name[length - 2] = 0;
            return count;
        }
    }
    return 1;
}

static phx_result copy_fields(const ply* p, phx_frame* frame) {
    for (int first = 3, count; first < p->column_count; first += count) {
        char name[NAME];
        count = group(p, first, name);
        if (phx_frame_find(frame, name)) {
            return phxi_source_fail(&p->source, "the field '%s' is there twice", name);
        }
        float* values;
        PHXI_TRY(phx_frame_add_field(frame, name, count, &values));
        for (int64_t i = 0; i < p->points; ++i) {
            for (int k = 0; k < count; ++k) {
                *values++ = (float)value_at(p, i, first + k);
            }
        }
    }
    return PHX_OK;
}

static phx_result copy_data(const ply* p, phx_frame* frame) {
    for (int64_t i = 0; i < 3 * p->points; ++i) {
        frame->positions[i] = value_at(p, i / 3, (int)(i % 3));
    }
    const char* face = p->source.at + 4 * p->points * p->column_count;
    for (int64_t i = 0; i < p->triangles; ++i, face += FACE_BYTES) {
        if (*face != 3) {
            return phxi_source_fail_at(&p->source, face - p->source.begin, "a face of %d corners, expected 3",
                                       (unsigned char)*face);
        }
        memcpy(frame->indices + 3 * i, face + 1, 3 * sizeof(int32_t));
    }
    PHXI_TRY(copy_fields(p, frame));
    phx_result result = phx_frame_check(frame);
    return result == PHX_OK ? result : phxi_fail_within(result, "%s", p->source.name);
}

phx_result phxi_frame_parse_ply(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                phx_frame** frame) {
    if (size < sizeof SIGN - 1 || memcmp(bytes, SIGN, sizeof SIGN - 1) != 0) {
        return phxi_frame_parse_mesh(name, bytes, size, allocator, frame);
    }
    ply p = {.source = phxi_source_of(name, bytes, size)};
    PHXI_TRY(read_head(&p));
    phx_frame* made = NULL;
    PHXI_TRY(phx_frame_create((int)p.points, (int)p.triangles, p.time, allocator, &made));
    phx_result result = copy_data(&p, made);
    if (result != PHX_OK) {
        phx_frame_destroy(made);
        return result;
    }
    *frame = made;
    return PHX_OK;
}
