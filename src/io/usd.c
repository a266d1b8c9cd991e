// SPDX-License-Identifier: MIT
// USD as text (.usda): one Mesh or Points prim whose attributes all vary in time, topology included.
//
// In the format every attribute has all of its time samples in one place, but frames come one after the other. Each
// attribute is therefore collected in a temporary file of its own beside the target and put together at the end, so
// memory does not grow with the number of frames and a full disk leaves what was there before.
#include <phyxel/frame.h>

#include "core/array.h"
#include "core/file.h"
#include "core/text.h"
#include "surface/frame.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 16, NAME = 64 };

// One attribute: how it is declared and where its samples are.
typedef struct attribute {
    char declaration[160]; // "point3f[] points"
    char metadata[64];     // "interpolation = \"vertex\""; "": none
    phxi_file_writer samples;
} attribute;

// Where an attribute's numbers come from.
typedef enum source { POINTS, COUNTS, INDICES, EXTENT, WIDTHS, NORMALS, FIELD } source;
typedef struct column {
    source source;
    char field[NAME];
    int components;
    attribute attribute;
} column;

struct phx_usd {
    phxi_heap heap; // owns this, too
    char* path;
    double fps, first, last; // time codes
    int frames;
    bool mesh;
    PHXI_ARRAY(column) columns;
};

// ----------------------------------------------------------------------------------------------------------- numbers

static void put_float(FILE* out, double value) {
    char text[32];
    phxi_format_float((float)value, text);
    fputs(text, out);
}

static void put_values(FILE* out, const float* values, size_t count, int components) {
    bool tuple = components == 3;
    fputc('[', out);
    for (size_t i = 0; i < count * (size_t)components; ++i) {
        fputs(i == 0 ? (tuple ? "(" : "") : tuple && i % 3 == 0 ? "), (" : ", ", out);
        put_float(out, (double)values[i]);
    }
    fputs(tuple && count ? ")]" : "]", out);
}

static void put_points(FILE* out, const double* points, size_t count) {
    fputc('[', out);
    for (size_t i = 0; i < count; ++i) {
        fputs(i ? ", (" : "(", out);
        for (int k = 0; k < 3; ++k) {
            fputs(k ? ", " : "", out);
            put_float(out, points[3 * i + (size_t)k]);
        }
        fputc(')', out);
    }
    fputc(']', out);
}

static void put_extent(FILE* out, const phx_frame* frame, double margin) {
    double box[6] = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < frame->points; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = frame->positions[3 * i + k];
            box[k] = i == 0 || x - margin < box[k] ? x - margin : box[k];
            box[3 + k] = i == 0 || x + margin > box[3 + k] ? x + margin : box[3 + k];
        }
    }
    put_points(out, box, 2);
}

static void put_ints(FILE* out, const int* values, int count, int constant) {
    fputc('[', out);
    for (int i = 0; i < count; ++i) {
        fprintf(out, "%s%d", i ? ", " : "", values ? values[i] : constant);
    }
    fputc(']', out);
}

static void put_widths(FILE* out, const phx_frame* frame, double spacing) {
    const phx_frame_field* own = phx_frame_find(frame, "spacing");
    fputc('[', out);
    for (int i = 0; i < frame->points; ++i) {
        fputs(i ? ", " : "", out);
        put_float(out, own && own->components == 1 ? (double)own->values[i] : spacing);
    }
    fputc(']', out);
}

// ----------------------------------------------------------------------------------------------------------- columns

static column* add_column(phx_usd* usd, source from, const char* declaration, const char* metadata) {
    column* c = phxi_array_add(&usd->columns, &usd->heap, "usd attributes");
    if (!c) {
        return NULL;
    }
    *c = (column){.source = from};
    snprintf(c->attribute.declaration, sizeof c->attribute.declaration, "%s", declaration);
    snprintf(c->attribute.metadata, sizeof c->attribute.metadata, "%s", metadata);
    if (phxi_file_begin(&c->attribute.samples, &usd->heap, usd->path) != PHX_OK) {
        --usd->columns.count;
        return NULL;
    }
    return c;
}

// Names in USD are identifiers.
static void identifier(const char* name, char out[NAME]) {
    size_t n = 0;
    for (; name[n] && n < NAME - 1; ++n) {
        char c = name[n];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (n > 0 && c >= '0' && c <= '9');
        out[n] = good ? c : '_';
    }
    out[n] = 0;
}

static phx_result add_field_column(phx_usd* usd, const phx_frame_field* field) {
    char name[NAME], declaration[160], metadata[64] = "interpolation = \"vertex\"";
    bool normal = usd->mesh && field->components == 3 && strcmp(field->name, "normal") == 0;
    identifier(field->name, name);
    snprintf(declaration, sizeof declaration, "%s primvars:%s", field->components == 3 ? "vector3f[]" : "float[]",
             name);
    if (field->components != 1 && field->components != 3) {
        snprintf(metadata, sizeof metadata, "interpolation = \"vertex\"\n            elementSize = %d",
                 field->components);
    }
    column* c = add_column(usd, normal ? NORMALS : FIELD, normal ? "normal3f[] normals" : declaration, metadata);
    if (!c) {
        return PHX_ERROR_MEMORY;
    }
    snprintf(c->field, sizeof c->field, "%s", field->name);
    c->components = field->components;
    return PHX_OK;
}

// The first frame decides what there is.
static phx_result begin_columns(phx_usd* usd, const phx_frame* frame) {
    usd->mesh = frame->triangles > 0;
    bool good = add_column(usd, POINTS, "point3f[] points", "") && add_column(usd, EXTENT, "float3[] extent", "");
    if (usd->mesh) {
        good = good && add_column(usd, COUNTS, "int[] faceVertexCounts", "") &&
               add_column(usd, INDICES, "int[] faceVertexIndices", "");
    } else {
        good = good && add_column(usd, WIDTHS, "float[] widths", "interpolation = \"vertex\"");
    }
    if (!good) {
        return PHX_ERROR_IO; // or no memory: the message is there
    }
    for (int i = 0; i < frame->fields.count; ++i) {
        PHXI_TRY(add_field_column(usd, &frame->fields.items[i]));
    }
    return PHX_OK;
}

static phx_result check_columns(const phx_usd* usd, const phx_frame* frame) {
    if ((frame->triangles > 0) != usd->mesh && frame->points > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': frame %d has %s, the first one had %s", usd->path, usd->frames,
                         usd->mesh ? "points" : "triangles", usd->mesh ? "triangles" : "points");
    }
    for (int i = 0; i < usd->columns.count; ++i) {
        const column* c = &usd->columns.items[i];
        const phx_frame_field* field = c->components ? phx_frame_find(frame, c->field) : NULL;
        if (c->components && (!field || field->components != c->components)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': frame %d has no field '%s' of %d numbers, the first one had",
                             usd->path, usd->frames, c->field, c->components);
        }
    }
    return PHX_OK;
}

static void put_sample(const column* c, const phx_frame* frame, const char* code, double spacing) {
    FILE* out = c->attribute.samples.stream;
    const phx_frame_field* field = c->components ? phx_frame_find(frame, c->field) : NULL;
    fprintf(out, "            %s: ", code);
    switch (c->source) {
    case POINTS:
        put_points(out, frame->positions, (size_t)frame->points);
        break;
    case EXTENT:
        put_extent(out, frame, frame->triangles ? 0 : 0.5 * spacing);
        break;
    case COUNTS:
        put_ints(out, NULL, frame->triangles, 3);
        break;
    case INDICES:
        put_ints(out, frame->indices, 3 * frame->triangles, 0);
        break;
    case WIDTHS:
        put_widths(out, frame, spacing);
        break;
    case NORMALS:
    case FIELD:
        if (field) { // check_columns made sure of it
            put_values(out, field->values, (size_t)frame->points, c->components);
        }
        break;
    }
    fputs(",\n", out);
}

// ------------------------------------------------------------------------------------------------------------ public

phx_result phx_usd_begin(const char* path, double fps, phx_usd** usd) {
    if (!path || !usd || !(fps > 0) || !isfinite(fps)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "an animated USD file needs a path and frames per second above 0");
    }
    size_t length = strlen(path);
    if (length < 6 || strcmp(path + length - 5, ".usda") != 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' does not end in .usda", path);
    }
    *usd = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_usd* made = phxi_alloc_zero(&heap, 1, sizeof *made, "usd");
    char* copy = made ? phxi_strdup(&heap, path, "usd") : NULL;
    phxi_file_writer trial = {0}; // told now rather than at the end
    phx_result result = copy ? phxi_file_begin(&trial, &heap, path) : PHX_ERROR_MEMORY;
    if (result == PHX_OK && !trial.temporary) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "'%s' is no regular file", path);
    }
    phxi_file_abandon(&trial);
    if (result != PHX_OK) {
        phxi_heap_destroy(&heap);
        return result;
    }
    *made = (phx_usd){.heap = heap, .path = copy, .fps = fps};
    *usd = made;
    return PHX_OK;
}

phx_result phx_usd_add(phx_usd* usd, const phx_frame* frame) {
    if (!usd || !frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_usd_add needs a file that was begun and a frame");
    }
    PHXI_TRY(phx_frame_check(frame));
    PHXI_TRY(usd->frames == 0 && usd->columns.count == 0 ? begin_columns(usd, frame) : check_columns(usd, frame));
    // Time codes count frames; a frame that is not after the one before takes the next whole step.
    double code = frame->time * usd->fps;
    code = fabs(code - round(code)) < 1e-6 * fmax(1, fabs(code)) ? round(code) : code;
    if (usd->frames > 0 && !(code > usd->last)) {
        code = floor(usd->last) + 1;
    }
    char text[32];
    phxi_format_double(code, text);
    double spacing = usd->mesh ? 0 : phxi_frame_spacing(frame);
    for (int i = 0; i < usd->columns.count; ++i) {
        put_sample(&usd->columns.items[i], frame, text, spacing);
    }
    usd->first = usd->frames ? usd->first : code;
    usd->last = code;
    ++usd->frames;
    for (int i = 0; i < usd->columns.count; ++i) {
        FILE* out = usd->columns.items[i].attribute.samples.stream;
        if (fflush(out) != 0 || ferror(out)) {
            return phxi_fail(PHX_ERROR_IO, "cannot write '%s': its frames do not fit on the disk", usd->path);
        }
    }
    return PHX_OK;
}

static phx_result copy_samples(FILE* out, const attribute* a, char* chunk) {
    bool written = fflush(a->samples.stream) == 0 && !ferror(a->samples.stream);
    FILE* in = written ? fopen(a->samples.temporary, "rb") : NULL;
    if (!in) {
        return phxi_fail(PHX_ERROR_IO, "cannot read '%s' back", a->samples.temporary);
    }
    fprintf(out, "        %s", a->declaration);
    if (a->metadata[0]) {
        fprintf(out, " (\n            %s\n        )\n        %s", a->metadata, a->declaration);
    }
    fputs(".timeSamples = {\n", out);
    for (size_t n; (n = fread(chunk, 1, CHUNK, in)) > 0;) {
        fwrite(chunk, 1, n, out);
    }
    fputs("        }\n", out);
    fclose(in);
    return PHX_OK;
}

static phx_result put_together(phx_usd* usd, phxi_file_writer* writer) {
    char first[32], last[32], fps[32];
    phxi_format_double(usd->first, first);
    phxi_format_double(usd->last, last);
    phxi_format_double(usd->fps, fps);
    char* chunk;
    PHXI_NEW(chunk, &usd->heap, CHUNK, "usd");
    fprintf(writer->stream,
            "#usda 1.0\n(\n    defaultPrim = \"phyxel\"\n    startTimeCode = %s\n    endTimeCode = %s\n"
            "    timeCodesPerSecond = %s\n    framesPerSecond = %s\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n\n"
            "def Xform \"phyxel\"\n{\n    def %s\n    {\n",
            first, last, fps, fps, usd->mesh ? "Mesh \"surface\"" : "Points \"particles\"");
    if (usd->mesh) {
        fputs("        uniform token subdivisionScheme = \"none\"\n", writer->stream);
    }
    for (int i = 0; i < usd->columns.count; ++i) {
        PHXI_TRY(copy_samples(writer->stream, &usd->columns.items[i].attribute, chunk));
    }
    fputs("    }\n}\n", writer->stream);
    return PHX_OK;
}

phx_result phx_usd_end(phx_usd* usd, bool keep) {
    if (!usd) {
        return PHX_OK;
    }
    phx_result result = PHX_OK;
    phxi_file_writer writer = {0};
    if (keep && usd->frames == 0) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "'%s' has no frames", usd->path);
    } else if (keep) {
        result = phxi_file_begin(&writer, &usd->heap, usd->path);
        result = result == PHX_OK ? put_together(usd, &writer) : result;
        result = result == PHX_OK ? phxi_file_commit(&writer) : result;
        phxi_file_abandon(&writer);
    }
    for (int i = 0; i < usd->columns.count; ++i) {
        phxi_file_abandon(&usd->columns.items[i].attribute.samples);
    }
    phxi_heap heap = usd->heap; // the file is one of its blocks
    phxi_heap_destroy(&heap);
    return result;
}
