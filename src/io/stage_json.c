// SPDX-License-Identifier: MIT
// A picture as files for other renderers: a description in JSON (camera, lamps, floor, looks with lengths in metres)
// and beside it one .ply file a part. extras/blender_render.py reads them.
#include <phyxel/render.h>

#include "core/file.h"
#include "core/text.h"
#include "render/coloring.h"
#include "render/light.h"
#include "surface/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 16, NAME = 300 }; // of colours by height; of a file

/// `key` is what stands before the value: ",\"ior\":".
static void put_number(FILE* out, const char* key, double value) {
    char text[32];
    phxi_format_double(value, text);
    fprintf(out, "%s%s", key, text);
}

static void put_triple(FILE* out, const char* key, double x, double y, double z) {
    put_number(out, key, x);
    put_number(out, ",", y);
    put_number(out, ",", z);
    fputc(']', out);
}

static void put_place(FILE* out, const char* key, phx_vec3 v) {
    put_triple(out, key, v.x, v.y, v.z);
}

static void put_color(FILE* out, const char* key, phxi_f3 c) {
    put_triple(out, key, (double)c.x, (double)c.y, (double)c.z);
}

static void put_text(FILE* out, const char* key, const char* text) {
    fprintf(out, "%s\"", key);
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\' || c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void put_camera(FILE* out, const phx_render_def* def) {
    fprintf(out, "\"width\":%d,\"height\":%d,\n\"camera\":{", phx_render_view_width(def), def->height);
    put_place(out, "\"eye\":[", def->camera.eye);
    put_place(out, ",\"target\":[", def->camera.target);
    put_place(out, ",\"up\":[", def->camera.up);
    put_number(out, ",\"field_of_view\":", def->camera.field_of_view);
    fputs("},\n", out);
}

/// Colours from the horizon to straight up, in equal steps of height.
static void put_sky(FILE* out, const char* key, const phxi_stage_light* light,
                    phxi_f3 (*color)(const phxi_stage_light* light, phxi_f3 direction)) {
    fputs(key, out);
    for (int i = 0; i <= STEPS; ++i) {
        float z = (float)i / STEPS;
        put_color(out, i ? ",[" : "[", color(light, (phxi_f3){0, sqrtf(1 - z * z), z}));
    }
    fputc(']', out);
}

static void put_stage(FILE* out, const phx_render_def* def, const phxi_stage_light* light) {
    put_text(out, "\"stage\":{\"name\":", def->stage ? def->stage : "studio");
    put_place(out, ",\"center\":[", def->camera.target);
    put_number(out, ",\"radius\":", (double)light->radius);
    put_color(out, ",\"floor_color\":[", light->floor_color);
    if (def->floor) {
        put_number(out, ",\"floor\":", def->floor_height);
    } else {
        fputs(",\"floor\":null", out);
    }
    put_sky(out, ",\n\"dome\":[", light, phxi_dome);
    put_sky(out, ",\n\"behind\":[", light, phxi_behind);
    fputs(",\n\"lamps\":[", out);
    for (int k = 0, some = 0; k < PHXI_LAMPS; ++k) {
        const phxi_lamp* lamp = &light->lamps[k];
        float sine2 = 1 - lamp->cosine * lamp->cosine;
        if (phxi_f3_most(lamp->radiance) > 0) {
            put_color(out, some++ ? ",{\"direction\":[" : "{\"direction\":[", lamp->direction);
            put_number(out, ",\"half_angle\":", acos((double)lamp->cosine));
            put_color(out, ",\"irradiance\":[", phxi_f3_scale(3.14159265f * sine2, lamp->radiance));
            fputc('}', out);
        }
    }
    fputs("]},\n", out);
}

static void put_look(FILE* out, const phx_part* part, const phx_render_def* def) {
    const phxi_surface_look l = phxi_look_of_part(part, def);
    put_place(out, "\"look\":{\"color\":[", part->look.color);
    put_number(out, ",\"roughness\":", (double)l.roughness);
    put_number(out, ",\"metal\":", (double)l.metal);
    put_number(out, ",\"transmission\":", (double)l.transmission);
    put_number(out, ",\"ior\":", (double)l.ior);
    put_color(out, ",\"absorption\":[", phxi_f3_of(l.absorption));
    put_number(out, ",\"scatter\":", (double)l.scatter);
    put_number(out, ",\"subsurface\":", (double)l.subsurface);
    fputc('}', out);
}

/// "a/b.json" and 2: "a/b_2.ply".
static phx_result name_file(const char* path, int part, char name[NAME]) {
    size_t length = strlen(path), ending = strlen(".json");
    if (length < ending || strcmp(path + length - ending, ".json") != 0 || length + 12 > NAME) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' does not end in .json, or is too long", path);
    }
    snprintf(name, NAME, "%.*s_%d.ply", (int)(length - ending), path, part);
    return PHX_OK;
}

/// The points and fields of a part; where a field colours it, with the colours of that.
static phx_result write_part(const char* file, const phx_part* part, const phx_render_def* def) {
    if (!def->field) {
        return phx_frame_write(part->frame, file);
    }
    phx_frame* colored = NULL;
    float* colors = NULL;
    phxi_coloring coloring = {0};
    PHXI_TRY(phxi_frame_copy(part->frame, &colored));
    phx_result result = phx_frame_add_field(colored, "color", 3, &colors);
    result = result == PHX_OK ? phxi_color_part(part, def, false, &coloring, colors) : result;
    result = result == PHX_OK ? phx_frame_write(colored, file) : result;
    phx_frame_destroy(colored);
    return result;
}

static phx_result put_parts(FILE* out, const char* path, const phx_part* parts, const char* const* names, int count,
                            const phx_render_def* def) {
    fputs("\"parts\":[\n", out);
    for (int i = 0; i < count; ++i) {
        const phx_frame* f = parts[i].frame;
        char file[NAME];
        PHXI_TRY(name_file(path, i, file));
        PHXI_TRY(write_part(file, &parts[i], def));
        const char* slash = strrchr(file, '/');
        put_text(out, i ? ",\n{\"name\":" : "{\"name\":", names[i]);
        put_text(out, ",\"file\":", slash ? slash + 1 : file);
        fprintf(out, ",\"points\":%d,\"triangles\":%d", f->points, f->triangles);
        double radius = def->radius > 0 ? def->radius : f->triangles || !f->points ? 0 : 0.5 * phxi_frame_spacing(f);
        put_number(out, ",\"radius\":", radius);
        fputs(",\n", out);
        put_look(out, &parts[i], def);
        fputc('}', out);
    }
    fputs("]}\n", out);
    return PHX_OK;
}

static phx_result write_all(phxi_heap* heap, const char* path, const phx_part* parts, const char* const* names,
                            int count, const phx_render_def* def) {
    phxi_stage_light light;
    phxi_file_writer writer = {0};
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    phxi_stage_light_of(def, parts, count, &light);
    put_number(writer.stream, "{\"phyxel\":1,\"time\":", parts[0].frame->time);
    fputs(",\n", writer.stream);
    put_camera(writer.stream, def);
    put_stage(writer.stream, def, &light);
    phx_result result = put_parts(writer.stream, path, parts, names, count, def);
    result = result == PHX_OK ? phxi_file_commit(&writer) : result;
    phxi_file_abandon(&writer);
    return result;
}

phx_result phx_stage_write(const char* path, const phx_part* parts, const char* const* names, int count,
                           const phx_render_def* def) {
    if (!path || !parts || !names || count < 1 || !def || def->stamp != phx_render_def_default().stamp) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a picture for other programs needs a path, parts, their names and a definition from "
                         "phx_render_def_default()");
    }
    char file[NAME];
    PHXI_TRY(name_file(path, 0, file));
    if (!phxi_stage_known(def->stage)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no stage '%s', expected studio, sky or dark", def->stage);
    }
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(phxi_look_check(&parts[i].look));
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_result result = write_all(&heap, path, parts, names, count, def);
    phxi_heap_destroy(&heap);
    return result;
}
