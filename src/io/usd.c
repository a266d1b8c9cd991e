// SPDX-License-Identifier: MIT
// USD as text (.usda): Mesh or Points prims whose attributes all vary in time, topology included (which is written
// again only where it changes), and the looks of bodies as preview surfaces.
//
// In the format every attribute has all of its time samples in one place, but frames come one after the other. Each
// attribute is therefore collected in a temporary file of its own beside the target and put together at the end, so
// memory does not grow with the number of frames and a full disk leaves what was there before.
#include <phyxel/render.h>

#include "core/array.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "geometry/mesh.h"
#include "io/usd_marks.h"
#include "surface/frame.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 16, NAME = PHXI_USD_NAME };

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
    uint64_t last; // checksum of the topology that was written last
    attribute attribute;
} column;

/// A body, or all of a frame.
typedef struct prim {
    char* body;      // as its run names it
    char name[NAME]; // as USD does
    bool mesh;
    const phx_look* look; // NULL: none
    phx_mesh* marks;      // texture coordinates and groups; NULL: none
    PHXI_ARRAY(column) columns;
} prim;

struct phx_usd {
    phxi_heap heap; // owns this, too
    char* path;
    double fps, first, last; // time codes
    int frames;
    PHXI_ARRAY(prim) prims;
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
    const phx_frame_field *own = phx_frame_find(frame, "spacing"), *radius = phx_frame_find(frame, "radius");
    fputc('[', out);
    for (int i = 0; i < frame->points; ++i) {
        fputs(i ? ", " : "", out);
        put_float(out, radius && radius->components == 1 ? 2 * (double)radius->values[i]
                       : own && own->components == 1     ? (double)own->values[i]
                                                         : spacing);
    }
    fputc(']', out);
}

// ----------------------------------------------------------------------------------------------------------- columns

static column* add_column(phx_usd* usd, prim* p, source from, const char* declaration, const char* metadata) {
    column* c = phxi_array_add(&p->columns, &usd->heap, "usd attributes");
    if (!c) {
        return NULL;
    }
    *c = (column){.source = from};
    snprintf(c->attribute.declaration, sizeof c->attribute.declaration, "%s", declaration);
    snprintf(c->attribute.metadata, sizeof c->attribute.metadata, "%s", metadata);
    if (phxi_file_begin(&c->attribute.samples, &usd->heap, usd->path) != PHX_OK) {
        --p->columns.count;
        return NULL;
    }
    return c;
}

static phx_result add_field_column(phx_usd* usd, prim* p, const phx_frame_field* field) {
    char name[NAME], declaration[160], metadata[64] = "interpolation = \"vertex\"";
    bool normal = p->mesh && field->components == 3 && strcmp(field->name, "normal") == 0;
    bool velocity = field->components == 3 && strcmp(field->name, "velocity") == 0; // for motion blur
    bool color = field->components == 3 && strcmp(field->name, "color") == 0;
    phxi_usd_identifier(field->name, name);
    snprintf(declaration, sizeof declaration, "%s primvars:%s", field->components == 3 ? "vector3f[]" : "float[]",
             name);
    if (field->components != 1 && field->components != 3) {
        snprintf(metadata, sizeof metadata, "interpolation = \"vertex\"\n            elementSize = %d",
                 field->components);
    }
    column* c = add_column(usd, p, normal ? NORMALS : FIELD,
                           normal     ? "normal3f[] normals"
                           : velocity ? "vector3f[] velocities"
                           : color    ? "color3f[] primvars:displayColor"
                                      : declaration,
                           velocity ? "" : metadata);
    if (!c) {
        return PHX_ERROR_MEMORY;
    }
    snprintf(c->field, sizeof c->field, "%s", field->name);
    c->components = field->components;
    return PHX_OK;
}

// The first frame decides what there is.
static phx_result begin_columns(phx_usd* usd, prim* p, const phx_frame* frame) {
    p->mesh = frame->triangles > 0;
    bool good = add_column(usd, p, POINTS, "point3f[] points", "") && add_column(usd, p, EXTENT, "float3[] extent", "");
    if (p->mesh) {
        good = good && add_column(usd, p, COUNTS, "int[] faceVertexCounts", "") &&
               add_column(usd, p, INDICES, "int[] faceVertexIndices", "");
    } else {
        good = good && add_column(usd, p, WIDTHS, "float[] widths", "interpolation = \"vertex\"");
    }
    if (!good) {
        return PHX_ERROR_IO; // or no memory: the message is there
    }
    for (int i = 0; i < frame->fields.count; ++i) {
        PHXI_TRY(add_field_column(usd, p, &frame->fields.items[i]));
    }
    return PHX_OK;
}

static phx_result check_columns(const phx_usd* usd, const prim* p, const phx_frame* frame) {
    if ((frame->triangles > 0) != p->mesh && frame->points > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': frame %d has %s, the first one had %s", usd->path, usd->frames,
                         p->mesh ? "points" : "triangles", p->mesh ? "triangles" : "points");
    }
    for (int i = 0; i < p->columns.count; ++i) {
        const column* c = &p->columns.items[i];
        const phx_frame_field* field = c->components ? phx_frame_find(frame, c->field) : NULL;
        if (c->components && (!field || field->components != c->components)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "'%s': frame %d has no field '%s' of %d numbers, the first one had",
                             usd->path, usd->frames, c->field, c->components);
        }
    }
    return PHX_OK;
}

/// Whether a column has what it had: topology holds until the next sample.
static bool holds(column* c, const phx_frame* frame) {
    if (c->source != COUNTS && c->source != INDICES) {
        return false;
    }
    uint64_t now = phxi_hash_bytes(frame->indices, 3 * (size_t)frame->triangles * sizeof(int), 1) | 1;
    bool same = now == c->last;
    c->last = now;
    return same;
}

static void put_sample(column* c, const phx_frame* frame, const char* code, double spacing) {
    FILE* out = c->attribute.samples.stream;
    if (holds(c, frame)) {
        return;
    }
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

static prim* find_prim(phx_usd* usd, const char* body) {
    for (int i = 0; i < usd->prims.count; ++i) {
        if (strcmp(usd->prims.items[i].body, body) == 0) {
            return &usd->prims.items[i];
        }
    }
    return NULL;
}

/// A name that no other prim has: bodies may differ only in letters that USD does not take.
static void name_prim(const phx_usd* usd, prim* p) {
    phxi_usd_identifier(p->body, p->name);
    size_t length = strlen(p->name) < NAME - 12 ? strlen(p->name) : NAME - 12;
    bool taken = strcmp(p->name, "looks") == 0; // where materials are
    for (const prim* other = usd->prims.items; other < p; ++other) {
        taken = taken || strcmp(other->name, p->name) == 0;
    }
    if (taken) {
        snprintf(p->name + length, NAME - length, "_%d", usd->prims.count - 1);
    }
}

/// Marks are of the triangles that a body begins with: where these change (it melts, it is torn) it loses them.
static phx_result keep_marks(prim* p, const phx_mesh* mesh, const phx_frame* frame, bool first) {
    bool fits = mesh && mesh->triangle_count == frame->triangles;
    if (first && fits && (mesh->uvs || mesh->groups)) {
        PHXI_TRY(phxi_mesh_new(NULL, 0, mesh->triangle_count, &p->marks));
        return phxi_mesh_copy_marks(mesh, p->marks);
    }
    if (p->marks && !fits) {
        phx_mesh_destroy(p->marks);
        p->marks = NULL;
    }
    return PHX_OK;
}

/// Bodies may come later than the first frame, and none are taken away.
static phx_result add_sample(phx_usd* usd, const char* name, const phx_part* part, bool with_look, const char* code) {
    const phx_frame* frame = part->frame;
    PHXI_TRY(phx_frame_check(frame));
    prim* p = find_prim(usd, name);
    if (p) {
        PHXI_TRY(check_columns(usd, p, frame));
    } else {
        p = phxi_array_add(&usd->prims, &usd->heap, "usd prims");
        if (!p) {
            return PHX_ERROR_MEMORY;
        }
        *p = (prim){0};
        p->body = phxi_strdup(&usd->heap, name, "usd prims");
        if (!p->body) {
            --usd->prims.count;
            return PHX_ERROR_MEMORY;
        }
        name_prim(usd, p);
        if (with_look) {
            phx_look* own;
            PHXI_NEW(own, &usd->heap, 1, "usd prims");
            *own = part->look;
            p->look = own;
        }
        PHXI_TRY(begin_columns(usd, p, frame));
        PHXI_TRY(keep_marks(p, part->mesh, frame, true));
    }
    PHXI_TRY(keep_marks(p, part->mesh, frame, false));
    double spacing = p->mesh ? 0 : phxi_frame_spacing(frame);
    for (int i = 0; i < p->columns.count; ++i) {
        column* c = &p->columns.items[i];
        put_sample(c, frame, code, spacing);
        FILE* out = c->attribute.samples.stream;
        if (fflush(out) != 0 || ferror(out)) {
            return phxi_fail(PHX_ERROR_IO, "cannot write '%s': its frames do not fit on the disk", usd->path);
        }
    }
    return PHX_OK;
}

/// Time codes count frames; a frame that is not after the one before takes the next whole step.
static void next_code(phx_usd* usd, double time, char text[32]) {
    double code = time * usd->fps;
    code = fabs(code - round(code)) < 1e-6 * fmax(1, fabs(code)) ? round(code) : code;
    if (usd->frames > 0 && !(code > usd->last)) {
        code = floor(usd->last) + 1;
    }
    phxi_format_double(code, text);
    usd->first = usd->frames ? usd->first : code;
    usd->last = code;
}

phx_result phx_usd_add(phx_usd* usd, const phx_frame* frame) {
    if (!usd || !frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_usd_add needs a file that was begun and a frame");
    }
    char code[32];
    const char* name = usd->prims.count ? usd->prims.items[0].body : frame->triangles > 0 ? "surface" : "particles";
    double first = usd->first, last = usd->last;
    next_code(usd, frame->time, code);
    phx_result result = add_sample(usd, name, &(phx_part){.frame = frame}, false, code);
    if (result != PHX_OK) {
        usd->first = first, usd->last = last;
        return result;
    }
    ++usd->frames;
    return PHX_OK;
}

phx_result phx_usd_add_parts(phx_usd* usd, const phx_part* parts, const char* const* names, int count) {
    if (!usd || !parts || !names || count < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_usd_add_parts needs a file that was begun, parts and their names");
    }
    for (int i = 0; i < count; ++i) {
        PHXI_NEED(parts[i].frame && names[i]);
    }
    char code[32];
    next_code(usd, parts[0].frame->time, code);
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(add_sample(usd, names[i], &parts[i], true, code));
    }
    ++usd->frames;
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

static void put_color(FILE* out, phx_vec3 c) {
    fputc('(', out);
    put_float(out, c.x);
    fputs(", ", out);
    put_float(out, c.y);
    fputs(", ", out);
    put_float(out, c.z);
    fputc(')', out);
}

static bool has_field(const prim* p, const char* field, int components) {
    for (int i = 0; i < p->columns.count; ++i) {
        const column* c = &p->columns.items[i];
        if (c->components == components && strcmp(c->field, field) == 0) {
            return true;
        }
    }
    return false;
}

/// An input of the preview surface from the points, by a shader of its own that reads them.
static void put_reader(FILE* out, const char* field, const char* primvar, int components) {
    const char* type = components == 3 ? "float3" : "float";
    fprintf(out,
            "            def Shader \"%s\"\n            {\n"
            "                uniform token info:id = \"UsdPrimvarReader_%s\"\n"
            "                string inputs:varname = \"%s\"\n                %s outputs:result\n            }\n",
            field, type, primvar, type);
}

static const struct {
    const char *field, *primvar, *input;
    int components;
} by_points[] = {{"color", "displayColor", "color3f inputs:diffuseColor", 3},
                 {"glow", "glow", "color3f inputs:emissiveColor", 3},
                 {"roughness", "roughness", "float inputs:roughness", 1}};
enum { BY_POINTS = sizeof by_points / sizeof by_points[0] };

/// The inputs of a preview surface. What is clear is a thin tint of its colour: more it does not have.
static void put_inputs(FILE* out, const prim* p) {
    static const char indent[] = "\n                ";
    const phx_look* l = p->look;
    bool clear = l->transmission > 0.5, read[BY_POINTS];
    for (int i = 0; i < BY_POINTS; ++i) {
        read[i] = !(clear && i == 0) && has_field(p, by_points[i].field, by_points[i].components);
        if (read[i]) {
            fprintf(out, "%s%s.connect = </phyxel/looks/%s/%s.outputs:result>", indent, by_points[i].input, p->name,
                    by_points[i].field);
        }
    }
    if (!read[0]) {
        fprintf(out, "%scolor3f inputs:diffuseColor = ", indent);
        put_color(out, clear ? l->tint : l->color);
    }
    if (!read[1] && l->glow_full > l->glow_from) {
        fprintf(out, "%scolor3f inputs:emissiveColor = (1.1, 0.2, 0.01)", indent);
    }
    const struct {
        const char* name;
        double value;
    } numbers[] = {{"roughness", l->roughness}, {"metallic", l->metal}, {"ior", l->ior}, {"opacity", clear ? 0.25 : 1}};
    for (size_t i = read[2]; i < sizeof numbers / sizeof numbers[0]; ++i) {
        fprintf(out, "%sfloat inputs:%s = ", indent, numbers[i].name);
        put_float(out, numbers[i].value);
    }
}

/// A look as far as preview surfaces go.
static void put_material(FILE* out, const prim* p) {
    fprintf(out,
            "        def Material \"%s\"\n        {\n            token outputs:surface.connect = "
            "</phyxel/looks/%s/surface.outputs:surface>\n\n            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"",
            p->name, p->name);
    put_inputs(out, p);
    fputs("\n                token outputs:surface\n            }\n", out);
    for (int i = 0; i < BY_POINTS; ++i) {
        if (has_field(p, by_points[i].field, by_points[i].components)) {
            put_reader(out, by_points[i].field, by_points[i].primvar, by_points[i].components);
        }
    }
    fputs("        }\n", out);
}

static phx_result put_prim(FILE* out, const prim* p, char* chunk) {
    fprintf(out, "    def %s \"%s\"", p->mesh ? "Mesh" : "Points", p->name);
    fputs(p->look ? " (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n" : "\n    {\n", out);
    if (p->mesh) {
        fputs("        uniform token subdivisionScheme = \"none\"\n", out);
    }
    if (p->marks && p->marks->groups) {
        fputs("        uniform token subsetFamily:groups:familyType = \"partition\"\n", out);
    }
    if (p->look) {
        fprintf(out, "        rel material:binding = </phyxel/looks/%s>\n", p->name);
    }
    for (int i = 0; i < p->columns.count; ++i) {
        PHXI_TRY(copy_samples(out, &p->columns.items[i].attribute, chunk));
    }
    if (p->marks) {
        phxi_usd_put_uvs(out, p->marks);
        phxi_usd_put_groups(out, p->marks);
    }
    fputs("    }\n", out);
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
            "def Xform \"phyxel\"\n{\n",
            first, last, fps, fps);
    bool looks = false;
    for (int i = 0; i < usd->prims.count; ++i) {
        looks = looks || usd->prims.items[i].look;
        PHXI_TRY(put_prim(writer->stream, &usd->prims.items[i], chunk));
    }
    if (looks) {
        fputs("    def Scope \"looks\"\n    {\n", writer->stream);
        for (int i = 0; i < usd->prims.count; ++i) {
            if (usd->prims.items[i].look) {
                put_material(writer->stream, &usd->prims.items[i]);
            }
        }
        fputs("    }\n", writer->stream);
    }
    fputs("}\n", writer->stream);
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
    for (int i = 0; i < usd->prims.count; ++i) {
        phx_mesh_destroy(usd->prims.items[i].marks);
        for (int k = 0; k < usd->prims.items[i].columns.count; ++k) {
            phxi_file_abandon(&usd->prims.items[i].columns.items[k].attribute.samples);
        }
    }
    phxi_heap heap = usd->heap; // the file is one of its blocks
    phxi_heap_destroy(&heap);
    return result;
}
