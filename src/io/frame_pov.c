// SPDX-License-Identifier: MIT
// POV-Ray: a whole scene. Triangles become a mesh2 with normals and a texture at every vertex, points a union of
// spheres, each part with its look.
#include "io/frame.h"

#include "io/pov.h"
#include "math/vec3.h"
#include "render/coloring.h"
#include "surface/frame.h"

static void put_point(FILE* out, const double* p) {
    phxi_pov_vector(out, p[0], p[1], p[2]);
}

typedef struct thing {
    FILE* out;
    int number;
    const phx_part* part;
    const phx_render_def* def;
    phxi_surface_look look;
    phxi_pov_textures textures;
} thing;

static void put_spheres(const thing* t) {
    const phx_frame* f = t->part->frame;
    const phx_frame_field* spacing = t->def->radius > 0 ? NULL : phx_frame_find(f, "spacing");
    const phx_frame_field* own = phx_frame_find(f, "radius");
    double radius = t->def->radius > 0 ? t->def->radius : 0.5 * phxi_frame_spacing(f);
    fputs("union {\n", t->out);
    for (int i = 0; i < f->points; ++i) {
        fputs("sphere { ", t->out);
        put_point(t->out, f->positions + 3 * (size_t)i);
        fputs(", ", t->out);
        phxi_pov_number(t->out, own && own->values[i] > 0           ? (double)own->values[i]
                                : spacing && spacing->values[i] > 0 ? 0.5 * (double)spacing->values[i]
                                                                    : radius);
        fprintf(t->out, " texture { T%d_%d } }\n", t->number, t->textures.of_point[i]);
    }
}

static void put_normals(FILE* out, const phx_frame* f) {
    const phx_frame_field* normal = phx_frame_find(f, "normal");
    if (!normal || normal->components != 3) {
        return;
    }
    fprintf(out, " }\nnormal_vectors { %d", f->points);
    for (int i = 0; i < f->points; ++i) {
        const float* from = normal->values + 3 * (size_t)i;
        phx_vec3 n = phxi_normalize(phxi_vec3((double)from[0], (double)from[1], (double)from[2]), (phx_vec3){0, 0, 1});
        fputs(",\n", out);
        phxi_pov_vector(out, n.x, n.y, n.z);
    }
}

static void put_mesh(const thing* t) {
    const phx_frame* f = t->part->frame;
    const int* of = t->textures.of_point;
    fprintf(t->out, "mesh2 {\nvertex_vectors { %d", f->points);
    for (int i = 0; i < f->points; ++i) {
        fputs(",\n", t->out);
        put_point(t->out, f->positions + 3 * (size_t)i);
    }
    put_normals(t->out, f);
    fprintf(t->out, " }\ntexture_list { %d", t->textures.items.count);
    for (int i = 0; i < t->textures.items.count; ++i) {
        fprintf(t->out, ", texture { T%d_%d }", t->number, i);
    }
    fprintf(t->out, " }\nface_indices { %d", f->triangles);
    for (int i = 0; i < f->triangles; ++i) {
        const int* c = f->indices + 3 * (size_t)i;
        fprintf(t->out, ",\n<%d,%d,%d>,%d,%d,%d", c[0], c[1], c[2], of[c[0]], of[c[1]], of[c[2]]);
    }
    fputs(" }\n", t->out);
}

static const float* field_of(const phx_frame* f, const char* name, int components) {
    const phx_frame_field* field = phx_frame_find(f, name);
    return field && field->components == components ? field->values : NULL;
}

static phx_result put_part(thing* t, phxi_heap* heap, bool by_body) {
    const phx_frame* f = t->part->frame;
    float* colors;
    phxi_coloring coloring = {0};
    bool plain = t->def->field != NULL; // what it looks like is what its colours say
    if (f->points == 0) {
        return PHX_OK;
    }
    PHXI_NEW(colors, heap, 3 * (size_t)f->points, "colours");
    PHXI_TRY(phxi_color_part(t->part, t->def, by_body, &coloring, colors));
    t->look = phxi_look_of_part(t->part, t->def);
    PHXI_TRY(phxi_pov_textures_find(heap, f->points, colors, plain ? NULL : field_of(f, "glow", 3),
                                    plain ? NULL : field_of(f, "roughness", 1), &t->look, &t->textures));
    phxi_pov_put_textures(t->out, t->number, &t->textures, &t->look);
    f->triangles > 0 ? put_mesh(t) : put_spheres(t);
    phxi_pov_put_interior(t->out, &t->look);
    fputs("}\n", t->out);
    return PHX_OK;
}

static phx_result put_parts(FILE* out, phxi_heap* heap, const phx_part* parts, int count, const phx_render_def* def,
                            bool by_body) {
    phxi_stage_light light;
    phxi_stage_light_of(def, parts, count, &light);
    phxi_pov_put_stage(out, def, &light);
    for (int i = 0; i < count; ++i) {
        thing t = {.out = out, .number = i, .part = &parts[i], .def = def};
        PHXI_TRY(put_part(&t, heap, by_body));
    }
    return PHX_OK;
}

static phx_result write_scene(const char* path, const phx_part* parts, int count, const phx_render_def* def,
                              bool by_body) {
    if (!parts || count < 1 || !def || !path || def->stamp != phx_render_def_default().stamp || def->width < 1 ||
        def->height < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a POV-Ray scene needs parts, a path and a definition from phx_render_def_default()");
    }
    if (!phxi_stage_known(def->stage)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no stage '%s', expected studio, sky or dark", def->stage);
    }
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(phx_frame_check(parts[i].frame));
        PHXI_TRY(phxi_look_check(&parts[i].look));
    }
    phxi_heap heap;
    phxi_heap_init(&heap, &parts[0].frame->heap.allocator);
    phxi_file_writer writer = {0};
    phx_result result = phxi_file_begin(&writer, &heap, path);
    if (result == PHX_OK) {
        result = put_parts(writer.stream, &heap, parts, count, def, by_body);
        result = result == PHX_OK ? phxi_file_commit(&writer) : result;
        phxi_file_abandon(&writer);
    }
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phx_pov_write(const char* path, const phx_part* parts, int count, const phx_render_def* def) {
    return write_scene(path, parts, count, def, false);
}

phx_result phx_render_write_pov(const phx_frame* frame, const phx_render_def* def, const char* path) {
    phx_part part = {.frame = frame, .look = phx_look_default()};
    return write_scene(path, frame ? &part : NULL, 1, def, true);
}
