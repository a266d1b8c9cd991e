// SPDX-License-Identifier: MIT
// POV-Ray: a whole scene. Triangles become a mesh2 with normals and a texture at every vertex, points a union of
// spheres. Colours are rounded to 6 bits a channel so that a few hundred textures serve any number of vertices.
//
// POV-Ray's axes are left-handed; the camera's `right` vector points the other way to undo that.
#include "io/frame.h"

#include "core/text.h"
#include "math/vec3.h"
#include "render/coloring.h"
#include "surface/frame.h"

#include <string.h>

enum { LEVELS = 64, PALETTE = LEVELS * LEVELS * LEVELS };

typedef struct pov {
    FILE* out;
    const phx_frame* frame;
    const phx_render_def* def;
    int* color;   // of a point: index into the palette
    int* texture; // of a colour: its number, -1: not used
} pov;

static void put_number(FILE* out, double value) {
    char text[32];
    phxi_format_float((float)value, text);
    fputs(text, out);
}

static void put_vector(FILE* out, double x, double y, double z) {
    fputc('<', out);
    put_number(out, x);
    fputc(',', out);
    put_number(out, y);
    fputc(',', out);
    put_number(out, z);
    fputc('>', out);
}

static void put_place(FILE* out, const char* key, phx_vec3 p) {
    fprintf(out, "%s ", key);
    put_vector(out, p.x, p.y, p.z);
    fputc('\n', out);
}

static void put_surroundings(const pov* v) {
    const phx_camera* c = &v->def->camera;
    double aspect = (double)v->def->width / v->def->height;
    double half = atan(aspect * tan(c->field_of_view * 3.14159265358979323846 / 360));
    fprintf(v->out,
            "// phyxel, m. povray +W%d +H%d FILE\n#version 3.7;\nglobal_settings { assumed_gamma 1 }\n"
            "background { rgb <0.80, 0.84, 0.90> }\ncamera {\n",
            v->def->width, v->def->height);
    put_place(v->out, "location", c->eye);
    fputs("right <-", v->out);
    put_number(v->out, aspect);
    fputs(", 0, 0>\n", v->out);
    put_place(v->out, "sky", c->up);
    fputs("angle ", v->out);
    put_number(v->out, half * 360 / 3.14159265358979323846);
    fputc('\n', v->out);
    put_place(v->out, "look_at", c->target);
    // Light over the viewer's left shoulder, and a weak one without shadow from the eye.
    phx_vec3 back = phxi_sub(c->eye, c->target);
    phx_vec3 right = phxi_cross(phxi_normalize(c->up, (phx_vec3){0, 0, 1}), back);
    phx_vec3 key = phxi_add_scaled(phxi_add_scaled(c->eye, -3, right), 4 * phxi_length(back), (phx_vec3){0, 0, 1});
    put_place(v->out, "}\nlight_source {", key);
    put_place(v->out, "rgb 0.85 }\nlight_source {", c->eye);
    fputs("rgb 0.35 shadowless }\n", v->out);
    if (v->def->floor) {
        fputs("plane { z, ", v->out);
        put_number(v->out, v->def->floor_height);
        fputs(" pigment { rgb 0.75 } finish { ambient 0.1 diffuse 0.8 } }\n", v->out);
    }
}

// Declares C0, C1, ... for the colours that occur.
static phx_result put_textures(pov* v, phxi_heap* heap) {
    float* colors;
    PHXI_NEW(colors, heap, 3 * (size_t)v->frame->points, "colours");
    PHXI_NEW(v->color, heap, v->frame->points, "colours");
    PHXI_NEW(v->texture, heap, PALETTE, "palette");
    phxi_coloring coloring = {0};
    PHXI_TRY(phxi_color_frame(v->frame, v->def, &coloring, colors));
    memset(v->texture, -1, PALETTE * sizeof *v->texture);
    int count = 0;
    for (int i = 0; i < v->frame->points; ++i) {
        int rgb[3];
        for (int k = 0; k < 3; ++k) {
            rgb[k] = phxi_srgb(colors[3 * i + k]) / (256 / LEVELS);
        }
        v->color[i] = (rgb[0] * LEVELS + rgb[1]) * LEVELS + rgb[2];
        if (v->texture[v->color[i]] < 0) {
            v->texture[v->color[i]] = count;
            fprintf(v->out, "#declare C%d = texture { pigment { srgb ", count++);
            put_vector(v->out, rgb[0] / (LEVELS - 1.0), rgb[1] / (LEVELS - 1.0), rgb[2] / (LEVELS - 1.0));
            fputs(" } finish { ambient 0.15 diffuse 0.75 specular 0.15 roughness 0.03 } }\n", v->out);
        }
    }
    return PHX_OK;
}

static void put_spheres(const pov* v) {
    const phx_frame* f = v->frame;
    const phx_frame_field* spacing = v->def->radius > 0 ? NULL : phx_frame_find(f, "spacing");
    double radius = v->def->radius > 0 ? v->def->radius : 0.5 * phxi_frame_spacing(f);
    fputs("union {\n", v->out);
    for (int i = 0; i < f->points; ++i) {
        fputs("sphere { ", v->out);
        put_vector(v->out, f->positions[3 * i], f->positions[3 * i + 1], f->positions[3 * i + 2]);
        fputs(", ", v->out);
        put_number(v->out, spacing && spacing->values[i] > 0 ? 0.5 * (double)spacing->values[i] : radius);
        fprintf(v->out, " texture { C%d } }\n", v->texture[v->color[i]]);
    }
    fputs("}\n", v->out);
}

static void put_mesh(const pov* v) {
    const phx_frame* f = v->frame;
    const phx_frame_field* normal = phx_frame_find(f, "normal");
    fprintf(v->out, "mesh2 {\nvertex_vectors { %d", f->points);
    for (int i = 0; i < f->points; ++i) {
        fputs(",\n", v->out);
        put_vector(v->out, f->positions[3 * i], f->positions[3 * i + 1], f->positions[3 * i + 2]);
    }
    if (normal && normal->components == 3) {
        fprintf(v->out, " }\nnormal_vectors { %d", f->points);
        for (int i = 0; i < f->points; ++i) {
            const float* from = normal->values + 3 * i;
            phx_vec3 n =
                phxi_normalize(phxi_vec3((double)from[0], (double)from[1], (double)from[2]), (phx_vec3){0, 0, 1});
            fputs(",\n", v->out);
            put_vector(v->out, n.x, n.y, n.z);
        }
    }
    int count = 0;
    for (int i = 0; i < f->points; ++i) { // textures are numbered in the order of their first point
        count = v->texture[v->color[i]] >= count ? v->texture[v->color[i]] + 1 : count;
    }
    fprintf(v->out, " }\ntexture_list { %d", count);
    for (int i = 0; i < count; ++i) {
        fprintf(v->out, ", texture { C%d }", i);
    }
    fprintf(v->out, " }\nface_indices { %d", f->triangles);
    for (int i = 0; i < f->triangles; ++i) {
        const int* t = f->indices + 3 * i;
        fprintf(v->out, ",\n<%d,%d,%d>,%d,%d,%d", t[0], t[1], t[2], v->texture[v->color[t[0]]],
                v->texture[v->color[t[1]]], v->texture[v->color[t[2]]]);
    }
    fputs(" }\n}\n", v->out);
}

static phx_result write_scene(const phx_frame* frame, const phx_render_def* def, phxi_heap* heap, const char* path) {
    phxi_file_writer writer = {0};
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    pov v = {.out = writer.stream, .frame = frame, .def = def};
    put_surroundings(&v);
    phx_result result = put_textures(&v, heap);
    if (result != PHX_OK) {
        phxi_file_abandon(&writer);
        return result;
    }
    if (frame->triangles > 0) {
        put_mesh(&v);
    } else if (frame->points > 0) {
        put_spheres(&v);
    }
    return phxi_file_commit(&writer);
}

phx_result phx_render_write_pov(const phx_frame* frame, const phx_render_def* def, const char* path) {
    if (!frame || !def || !path || def->stamp != phx_render_def_default().stamp || def->width < 1 || def->height < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a POV-Ray scene needs a frame, a path and a definition from phx_render_def_default()");
    }
    PHXI_TRY(phx_frame_check(frame));
    phxi_heap heap;
    phxi_heap_init(&heap, &frame->heap.allocator);
    phx_result result = write_scene(frame, def, &heap, path);
    phxi_heap_destroy(&heap);
    return result;
}
