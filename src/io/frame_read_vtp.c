// SPDX-License-Identifier: MIT
// Our .vtp files back into frames. The XML is read tag by tag and must have the shape that frame_vtp.c gives it; sizes
// are compared with the bytes that are there before anything is allocated, and the file must end where the data ends,
// so that a cut, spoilt or foreign file is told from a good one.
#include "io/frame_read.h"

#include "core/text.h"
#include "io/frame.h"
#include "io/xml.h"
#include "surface/frame.h"

#include <string.h>

enum { ARRAYS = 64, NAME = 64 };

typedef struct array {
    char name[NAME];
    phxi_channel_type type;
    int components;
    int64_t offset, count; // bytes behind the '_'; tuples
    const char* data;
} array;

typedef struct vtp {
    phxi_source source;
    double time;
    int64_t points, triangles;
    array fields[ARRAYS];
    int field_count;
    array positions, connectivity, offsets;
} vtp;

static phx_result read_type(const phxi_source* s, const phxi_tag* tag, phxi_channel_type* type) {
    static const char* const names[] = {"Float32", "Float64", "Int32", "UInt64"};
    phxi_word word = {"", 0};
    phxi_tag_find(tag, "type", &word);
    for (int i = 0; i < 4; ++i) {
        if (phxi_word_is(word, names[i])) {
            *type = (phxi_channel_type)i;
            return PHX_OK;
        }
    }
    return phxi_source_fail(s, "an array of type \"%s\", expected Float32, Float64, Int32 or UInt64",
                            phxi_word_quote(word).text);
}

static phx_result read_array(const phxi_source* s, const phxi_tag* tag, int64_t count, array* a) {
    phxi_word name;
    int64_t components;
    if (!phxi_tag_is(tag, "DataArray") || !tag->empty) {
        return phxi_source_fail(s, "<%s%s> where <DataArray .../> was expected, as phyxel writes it",
                                tag->closes ? "/" : "", phxi_word_quote(tag->name).text);
    }
    if (!phxi_tag_find(tag, "Name", &name) || name.length == 0 || name.length >= NAME ||
        memchr(name.text, 0, name.length)) {
        return phxi_source_fail(s, "an array without a name of 1 to %d letters", NAME - 1);
    }
    memcpy(a->name, name.text, name.length);
    a->name[name.length] = 0;
    a->count = count;
    PHXI_TRY(read_type(s, tag, &a->type));
    PHXI_TRY(phxi_tag_demand(s, tag, "format", "appended"));
    PHXI_TRY(phxi_tag_count(s, tag, "NumberOfComponents", 9, &components));
    if (components < 1) {
        return phxi_source_fail(s, "array '%s' has no components", a->name);
    }
    a->components = (int)components;
    return phxi_tag_count(s, tag, "offset", INT64_MAX / 4, &a->offset);
}

// <name> with arrays of these names and types in it, </name>.
static phx_result read_cells(vtp* v, const char* name, int64_t corners, int64_t cells) {
    phxi_source* s = &v->source;
    phxi_tag tag;
    char closing[16];
    snprintf(closing, sizeof closing, "/%s", name);
    PHXI_TRY(phxi_tag_expect(s, name, &tag));
    PHXI_TRY(phxi_tag_next(s, &tag));
    PHXI_TRY(read_array(s, &tag, corners, &v->connectivity));
    PHXI_TRY(phxi_tag_next(s, &tag));
    PHXI_TRY(read_array(s, &tag, cells, &v->offsets));
    if (v->connectivity.type != PHXI_CHANNEL_INT || v->connectivity.components != 1 ||
        v->offsets.type != PHXI_CHANNEL_INT || v->offsets.components != 1) {
        return phxi_source_fail(s, "cells are not of Int32, as phyxel writes them");
    }
    return phxi_tag_expect(s, closing, &tag);
}

static phx_result read_time(vtp* v) {
    phxi_source* s = &v->source;
    phxi_tag tag;
    PHXI_TRY(phxi_tag_expect(s, "DataArray", &tag));
    PHXI_TRY(phxi_tag_demand(s, &tag, "Name", "TimeValue"));
    PHXI_TRY(phxi_tag_expect(s, "/DataArray", &tag));
    if (!phxi_parse_double(tag.before.text, tag.before.length, false, &v->time)) {
        return phxi_source_fail(s, "TimeValue is '%s', expected a number", phxi_word_quote(tag.before).text);
    }
    return phxi_tag_expect(s, "/FieldData", &tag);
}

static phx_result read_fields(vtp* v) {
    phxi_source* s = &v->source;
    phxi_tag tag;
    PHXI_TRY(phxi_tag_expect(s, "PointData", &tag));
    PHXI_TRY(phxi_tag_next(s, &tag));
    while (!phxi_tag_is(&tag, "/PointData")) {
        if (v->field_count == ARRAYS) {
            return phxi_source_fail(s, "more than %d fields", ARRAYS);
        }
        array* a = &v->fields[v->field_count];
        PHXI_TRY(read_array(s, &tag, v->points, a));
        for (int i = 0; i < v->field_count; ++i) {
            if (strcmp(v->fields[i].name, a->name) == 0) {
                return phxi_source_fail(s, "the field '%s' is there twice", a->name);
            }
        }
        ++v->field_count;
        PHXI_TRY(phxi_tag_next(s, &tag));
    }
    return PHX_OK;
}

// Everything up to the '_' that the data follows.
static phx_result read_head(vtp* v) {
    phxi_source* s = &v->source;
    phxi_tag tag;
    PHXI_TRY(phxi_tag_expect(s, "VTKFile", &tag));
    PHXI_TRY(phxi_tag_demand(s, &tag, "type", "PolyData"));
    PHXI_TRY(phxi_tag_demand(s, &tag, "byte_order", "LittleEndian"));
    PHXI_TRY(phxi_tag_demand(s, &tag, "header_type", "UInt64"));
    phxi_word word;
    if (phxi_tag_find(&tag, "compressor", &word)) {
        return phxi_source_fail(s, "compressed data, expected raw data as phyxel writes it");
    }
    PHXI_TRY(phxi_tag_expect(s, "PolyData", &tag));
    PHXI_TRY(phxi_tag_next(s, &tag));
    if (phxi_tag_is(&tag, "FieldData")) {
        PHXI_TRY(read_time(v));
        PHXI_TRY(phxi_tag_next(s, &tag));
    }
    if (!phxi_tag_is(&tag, "Piece")) {
        return phxi_source_fail(s, "<%s> where <Piece> was expected", phxi_word_quote(tag.name).text);
    }
    int64_t verts;
    PHXI_TRY(phxi_tag_count(s, &tag, "NumberOfPoints", INT32_MAX / 9, &v->points));
    PHXI_TRY(phxi_tag_count(s, &tag, "NumberOfVerts", INT32_MAX / 9, &verts));
    PHXI_TRY(phxi_tag_count(s, &tag, "NumberOfPolys", INT32_MAX / 9, &v->triangles));
    PHXI_TRY(phxi_tag_demand(s, &tag, "NumberOfLines", "0"));
    PHXI_TRY(phxi_tag_demand(s, &tag, "NumberOfStrips", "0"));
    if (verts != (v->triangles ? 0 : v->points)) {
        return phxi_source_fail(s, "%lld vertices for %lld points, expected one each or triangles alone",
                                (long long)verts, (long long)v->points);
    }
    PHXI_TRY(read_fields(v));
    PHXI_TRY(phxi_tag_expect(s, "Points", &tag));
    PHXI_TRY(phxi_tag_next(s, &tag));
    PHXI_TRY(read_array(s, &tag, v->points, &v->positions));
    if (v->positions.components != 3 || v->positions.type > PHXI_CHANNEL_DOUBLE) {
        return phxi_source_fail(s, "the points are not three Float32 or Float64 each");
    }
    PHXI_TRY(phxi_tag_expect(s, "/Points", &tag));
    PHXI_TRY(v->triangles ? read_cells(v, "Polys", 3 * v->triangles, v->triangles)
                          : read_cells(v, "Verts", verts, verts));
    PHXI_TRY(phxi_tag_expect(s, "/Piece", &tag));
    PHXI_TRY(phxi_tag_expect(s, "/PolyData", &tag));
    PHXI_TRY(phxi_tag_expect(s, "AppendedData", &tag));
    return phxi_tag_demand(s, &tag, "encoding", "raw");
}

// Finds the bytes of an array, which must stand at *expected, and moves that past them.
static phx_result place_array(vtp* v, const char* data, int64_t available, int64_t* expected, array* a) {
    phxi_source* s = &v->source;
    int64_t bytes = a->count * a->components * (int64_t)phxi_channel_size(a->type);
    if (a->offset != *expected) {
        return phxi_source_fail(s, "array '%s' is at offset %lld, expected %lld", a->name, (long long)a->offset,
                                (long long)*expected);
    }
    int64_t end = a->offset + 8 + bytes;
    if (available - a->offset < 8 || available - a->offset - 8 < bytes) {
        return phxi_source_fail(s,
                                "the file ends in the middle of array '%s': it has %lld bytes of data, expected %lld",
                                a->name, (long long)available, (long long)end);
    }
    uint64_t stated;
    memcpy(&stated, data + a->offset, sizeof stated);
    if (stated != (uint64_t)bytes) {
        return phxi_source_fail(s, "array '%s' has %llu bytes, expected %lld", a->name, (unsigned long long)stated,
                                (long long)bytes);
    }
    a->data = data + a->offset + 8;
    *expected = end;
    return PHX_OK;
}

static phx_result place_data(vtp* v) {
    static const char END[] = "\n</AppendedData>\n</VTKFile>\n";
    phxi_source* s = &v->source;
    while (s->at < s->end && (*s->at == '\n' || *s->at == ' ')) {
        ++s->at;
    }
    if (s->at == s->end || *s->at != '_') {
        return phxi_source_fail(s, "the data does not begin with '_'");
    }
    const char* data = s->at + 1;
    s->binary = true;
    int64_t available = s->end - data, expected = 0;
    for (int i = 0; i < v->field_count; ++i) {
        PHXI_TRY(place_array(v, data, available, &expected, &v->fields[i]));
    }
    PHXI_TRY(place_array(v, data, available, &expected, &v->positions));
    PHXI_TRY(place_array(v, data, available, &expected, &v->connectivity));
    PHXI_TRY(place_array(v, data, available, &expected, &v->offsets));
    s->at = data + expected;
    if (phxi_source_left(s) != sizeof END - 1 || memcmp(s->at, END, sizeof END - 1) != 0) {
        return phxi_source_fail(s, "the file does not end behind its data");
    }
    return PHX_OK;
}

static double number_at(const array* a, size_t i) {
    switch (a->type) {
    case PHXI_CHANNEL_FLOAT: {
        float value;
        memcpy(&value, a->data + 4 * i, 4);
        return (double)value;
    }
    case PHXI_CHANNEL_INT: {
        int32_t value;
        memcpy(&value, a->data + 4 * i, 4);
        return value;
    }
    case PHXI_CHANNEL_UINT64: {
        uint64_t value;
        memcpy(&value, a->data + 8 * i, 8);
        return (double)value;
    }
    default: {
        double value;
        memcpy(&value, a->data + 8 * i, 8);
        return value;
    }
    }
}

static phx_result copy_data(const vtp* v, phx_frame* frame) {
    for (size_t i = 0; i < 3 * (size_t)v->points; ++i) {
        frame->positions[i] = number_at(&v->positions, i);
    }
    if (v->triangles) {
        memcpy(frame->indices, v->connectivity.data, 3 * (size_t)v->triangles * sizeof(int32_t));
    }
    for (int64_t i = 0; i < v->offsets.count; ++i) {
        double end = (double)(i + 1) * (v->triangles ? 3 : 1);
        if (number_at(&v->offsets, (size_t)i) != end) {
            return phxi_source_fail(&v->source, "cell %lld is not a %s", (long long)i,
                                    v->triangles ? "triangle" : "vertex");
        }
    }
    for (int f = 0; f < v->field_count; ++f) {
        const array* a = &v->fields[f];
        float* values;
        PHXI_TRY(phx_frame_add_field(frame, a->name, a->components, &values));
        for (size_t i = 0; i < (size_t)a->count * (size_t)a->components; ++i) {
            values[i] = (float)number_at(a, i);
        }
    }
    phx_result result = phx_frame_check(frame);
    return result == PHX_OK ? result : phxi_fail_within(result, "%s", v->source.name);
}

phx_result phxi_frame_parse_vtp(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                phx_frame** frame) {
    vtp v = {.source = phxi_source_of(name, bytes, size)};
    PHXI_TRY(read_head(&v));
    PHXI_TRY(place_data(&v));
    phx_frame* made = NULL;
    PHXI_TRY(phx_frame_create((int)v.points, (int)v.triangles, v.time, allocator, &made));
    phx_result result = copy_data(&v, made);
    if (result != PHX_OK) {
        phx_frame_destroy(made);
        return result;
    }
    *frame = made;
    return PHX_OK;
}
