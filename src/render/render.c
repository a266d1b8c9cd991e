// SPDX-License-Identifier: MIT
// From a frame to a picture, as a list of stages: colours, drawing, rays or z-buffer, bar and time.
#include <phyxel/render.h>

#include "core/hash.h"
#include "math/vec3.h"
#include "parallel/parallel.h"
#include "render/bar.h"
#include "render/expose.h"
#include "render/look.h"
#include "render/raster.h"
#include "render/shade.h"
#include "surface/frame.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { RENDER_STAMP = 0x52454e31, ROWS = 4 };

typedef struct painter {
    const phx_part* parts;
    int count;
    const phx_render_def* def;
    phxi_heap heap;         // all scratch of one picture
    phxi_drawing* drawings; // of the parts, then of obstacles
    float radius;           // of all of them, about the camera's target
    phxi_coloring coloring;
    phx_vec3 center;
    phxi_view view;
    phxi_lighting light;
    phxi_hit* hits; // z-buffer only
    float* sums;    // z-buffer only: colours of all samples
    uint64_t sample;
    phx_image* image;
    bool by_body; // drafts: a colour for each body of the frame
} painter;

phx_render_def phx_render_def_default(void) {
    return (phx_render_def){.width = 640,
                            .height = 480,
                            .samples = 4,
                            .occlusion = 8,
                            .shadows = true,
                            .floor = true,
                            .map = "viridis",
                            .bar = true,
                            .caption = true,
                            .stamp = RENDER_STAMP};
}

const char* phx_render_engine(void) {
    return phxi_tracer_name ? phxi_tracer_name : "z-buffer";
}

static phx_result check(const phx_part* parts, int count, const phx_render_def* d, phx_image** image) {
    if (!parts || count < 1 || !d || !image || d->stamp != RENDER_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture needs a frame and a definition from phx_render_def_default()");
    }
    for (int i = 0; i < count; ++i) {
        if (!parts[i].frame) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "part %d of the picture has no frame", i);
        }
        PHXI_TRY(phxi_look_check(&parts[i].look));
    }
    if (d->width < 16 || d->height < 16 || d->width > 16384 || d->height > 16384) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture of %d x %d pixels, expected 16 to 16384 each", d->width,
                         d->height);
    }
    if (d->samples < 1 || d->samples > 64 || d->occlusion < 0 || d->occlusion > 64) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%d samples and %d occlusion rays, expected 1 to 64 and 0 to 64",
                         d->samples, d->occlusion);
    }
    if (d->quality < PHX_QUALITY_DRAFT || d->quality > PHX_QUALITY_FINAL) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "quality %d, expected one of phx_quality", d->quality);
    }
    if (!phxi_stage_known(d->stage)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no stage '%s', expected studio, sky or dark", d->stage);
    }
    const phx_camera* c = &d->camera;
    if (!(c->field_of_view > 0.1 && c->field_of_view < 170) || !phxi_finite(c->eye) || !phxi_finite(c->target) ||
        !(phxi_distance(c->eye, c->target) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the camera sees nothing: make one with phx_camera_framing()");
    }
    return PHX_OK;
}

static bool by_paths(const painter* p) {
    return p->def->quality != PHX_QUALITY_DRAFT && phxi_tracer_name && !p->def->z_buffer;
}

// ------------------------------------------------------------------------------------------------------- drawing

static phx_result check_indices(const phx_frame* f) {
    for (int i = 0; i < 3 * f->triangles; ++i) {
        if (f->indices[i] < 0 || f->indices[i] >= f->points) {
            return phxi_fail(PHX_ERROR_FORMAT, "triangle %d uses point %d of %d", i / 3, f->indices[i], f->points);
        }
    }
    return PHX_OK;
}

/// Positions relative to the camera's target, in float; points that are not finite are put out of sight.
static void place_points(const painter* p, const phx_frame* f, double radius, phxi_drawing* d, float* positions) {
    const phx_frame_field* spacing = p->def->radius > 0 ? NULL : phx_frame_find(f, "spacing");
    const phx_frame_field* own = phx_frame_find(f, "radius");
    double extent = 0;
    for (int i = 0; i < f->points; ++i) {
        const double* from = f->positions + 3 * i;
        double x = from[0] - p->center.x, y = from[1] - p->center.y, z = from[2] - p->center.z;
        bool fine = isfinite(x) && isfinite(y) && isfinite(z);
        positions[4 * i] = fine ? (float)x : 1e18f;
        positions[4 * i + 1] = fine ? (float)y : 1e18f;
        positions[4 * i + 2] = fine ? (float)z : 1e18f;
        positions[4 * i + 3] = own && own->values[i] > 0           ? own->values[i]
                               : spacing && spacing->values[i] > 0 ? 0.5f * spacing->values[i]
                                                                   : (float)radius;
        extent = fine ? fmax(extent, x * x + y * y + z * z) : extent;
    }
    d->radius = (float)(sqrt(extent) + radius);
}

/// A field of three numbers a point; NULL: there is none.
static const float* colors_of(const phx_frame* f, const char* name) {
    const phx_frame_field* field = phx_frame_find(f, name);
    return field && field->components == 3 ? field->values : NULL;
}

/// One number a point.
static const float* numbers_of(const phx_frame* f, const char* name) {
    const phx_frame_field* field = phx_frame_find(f, name);
    return field && field->components == 1 ? field->values : NULL;
}

static phx_result make_drawing(painter* p, const phx_part* part, phxi_drawing* d) {
    const phx_frame* f = part->frame;
    float *positions, *colors;
    phxi_surface_look* look;
    PHXI_NEW(positions, &p->heap, 4 * (size_t)f->points, "drawing");
    PHXI_NEW(colors, &p->heap, 3 * (size_t)f->points, "colours");
    PHXI_NEW(look, &p->heap, 1, "drawing");
    *look = phxi_look_of_part(part, p->def);
    PHXI_TRY(check_indices(f));
    PHXI_TRY(phxi_color_part(part, p->def, p->by_body && !by_paths(p), &p->coloring, colors));
    *d = (phxi_drawing){.points = f->points,
                        .triangles = f->triangles,
                        .positions = positions,
                        .indices = f->indices,
                        .normals = colors_of(f, "normal"),
                        .colors = colors,
                        .glow = p->def->field ? NULL : colors_of(f, "glow"),
                        .roughness = p->def->field ? NULL : numbers_of(f, "roughness"),
                        .look = look};
    double radius = p->def->radius > 0 ? p->def->radius : f->triangles ? 0 : 0.5 * phxi_frame_spacing(f);
    place_points(p, f, radius, d, positions);
    return PHX_OK;
}

static phx_result add_obstacles(painter* p, phxi_drawing* d) {
    static const float grey = 0.33f;
    static const phxi_surface_look plain = {.roughness = 0.6f, .ior = 1.5f};
    const phx_frame* f = p->def->obstacles;
    float *positions, *colors;
    PHXI_NEW(positions, &p->heap, 4 * (size_t)f->points, "drawing");
    PHXI_NEW(colors, &p->heap, 3 * (size_t)f->points, "colours");
    for (int i = 0; i < 3 * f->points; ++i) {
        colors[i] = grey;
    }
    *d = (phxi_drawing){.points = f->points,
                        .triangles = f->triangles,
                        .positions = positions,
                        .indices = f->indices,
                        .colors = colors,
                        .look = &plain};
    place_points(p, f, 0, d, positions);
    return check_indices(f);
}

static phx_result make_drawings(painter* p) {
    bool obstacles = p->def->obstacles && p->def->obstacles->triangles > 0;
    PHXI_NEW(p->drawings, &p->heap, p->count + 1, "drawing");
    for (int i = 0; i < p->count; ++i) {
        PHXI_TRY(make_drawing(p, &p->parts[i], &p->drawings[i]));
        p->radius = fmaxf(p->radius, p->drawings[i].radius);
    }
    if (obstacles) {
        PHXI_TRY(add_obstacles(p, &p->drawings[p->count]));
    }
    for (int i = 0; i + 1 < p->count + obstacles; ++i) {
        p->drawings[i].beside = &p->drawings[i + 1];
    }
    p->radius = fmaxf(p->radius, (float)(0.05 * phxi_distance(p->def->camera.eye, p->def->camera.target)));
    return PHX_OK;
}

static void to_float(phx_vec3 v, float f[3]) {
    f[0] = (float)v.x, f[1] = (float)v.y, f[2] = (float)v.z;
}

static void place_camera(painter* p) {
    const phx_camera* c = &p->def->camera;
    phx_vec3 forward = phxi_normalize(phxi_sub(c->target, c->eye), (phx_vec3){0, 1, 0});
    phx_vec3 up = phxi_normalize(c->up, (phx_vec3){0, 0, 1});
    phx_vec3 right = phxi_normalize(phxi_cross(forward, up), phxi_perpendicular(forward));
    to_float(phxi_sub(c->eye, p->center), p->view.eye);
    to_float(forward, p->view.forward);
    to_float(right, p->view.right);
    to_float(phxi_cross(right, forward), p->view.up);
    p->view.width = phx_render_view_width(p->def);
    p->view.height = p->def->height;
    p->view.scale = (float)(0.5 * p->def->height / tan(c->field_of_view * 3.14159265358979323846 / 360));
    // The key light comes from above, over the viewer's left shoulder.
    phx_vec3 key = phxi_add_scaled(phxi_add_scaled(phxi_scale(-0.6, forward), -0.55, right), 0, up);
    key.z += 1.0;
    to_float(phxi_normalize(key, (phx_vec3){0, 0, 1}), p->light.key);
}

static void place_lights(painter* p) {
    float radius = p->radius;
    double grid = pow(10, floor(log10(0.5 * (double)radius)));
    grid *= (double)radius / grid > 10 ? 5 : (double)radius / grid > 5 ? 2 : 1;
    p->light.shadows = p->def->shadows;
    p->light.occlusion = p->def->occlusion;
    p->light.floor = p->def->floor;
    p->light.floor_z = (float)(p->def->floor_height - p->center.z);
    p->light.grid = (float)grid;
    p->light.reach = 0.6f * radius;
    p->light.radius = radius;
    phxi_lighting_turns(&p->light);
}

// ---------------------------------------------------------------------------------------------------------- rays

// Where in its pixel a sample lies: strata along x, the same strata in bit-reversed order along y.
static void sample_place(int sample, int samples, float* x, float* y) {
    *x = ((float)sample + 0.5f) / (float)samples;
    float place = 0, bit = 0.5f;
    for (int rest = sample; rest; rest >>= 1, bit *= 0.5f) {
        place += rest & 1 ? bit : 0;
    }
    *y = fmodf(place + 0.5f / (float)samples, 1);
}

static void store(phx_image* image, int x, int y, const float color[3]) {
    unsigned char* pixel = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    for (int k = 0; k < 3; ++k) {
        pixel[k] = phxi_srgb(color[k]);
    }
}

static void trace_rows(void* context, int begin, int end, int block) {
    const painter* p = context;
    (void)block;
    int samples = p->def->samples;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < p->view.width; ++x) {
            float sum[3] = {0, 0, 0};
            for (int s = 0; s < samples; ++s) {
                float dx, dy, direction[3], color[3];
                sample_place(s, samples, &dx, &dy);
                phxi_view_ray(&p->view, (float)x + dx, (float)y + dy, direction);
                phxi_hit hit;
                phxi_tracer_hit(p->light.tracer, p->view.eye, direction, &hit);
                uint64_t seed = phxi_hash_pair((uint64_t)y << 32 | (uint64_t)x, (uint64_t)s);
                phxi_shade(&p->light, p->view.eye, direction, &hit, seed, color);
                for (int k = 0; k < 3; ++k) {
                    sum[k] += (color[k] < 1 ? color[k] : 1) / (float)samples;
                }
            }
            store(p->image, x, y, sum);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ z-buffer

static void shade_rows(void* context, int begin, int end, int block) {
    painter* p = context;
    (void)block;
    float dx, dy;
    sample_place((int)p->sample, p->def->samples, &dx, &dy);
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < p->view.width; ++x) {
            size_t i = (size_t)y * (size_t)p->view.width + (size_t)x;
            float direction[3], color[3];
            phxi_view_ray(&p->view, (float)x + dx, (float)y + dy, direction);
            phxi_shade(&p->light, p->view.eye, direction, &p->hits[i], phxi_hash_pair(i, p->sample), color);
            for (int k = 0; k < 3; ++k) {
                p->sums[3 * i + (size_t)k] += fminf(color[k], 1) / (float)p->def->samples;
            }
        }
    }
}

static phx_result paint_by_z_buffer(painter* p, phxi_pool* pool) {
    size_t pixels = (size_t)p->view.width * (size_t)p->view.height;
    PHXI_NEW(p->hits, &p->heap, pixels, "z-buffer");
    p->sums = phxi_alloc_zero(&p->heap, pixels, 3 * sizeof *p->sums, "colour sums");
    if (!p->sums) {
        return PHX_ERROR_MEMORY;
    }
    for (p->sample = 0; p->sample < (uint64_t)p->def->samples; ++p->sample) {
        float dx, dy;
        sample_place((int)p->sample, p->def->samples, &dx, &dy);
        phxi_raster(p->drawings, &p->view, dx - 0.5f, dy - 0.5f, p->hits);
        phxi_parallel_for(pool, p->view.height, ROWS, shade_rows, p);
    }
    for (size_t i = 0; i < pixels; ++i) {
        store(p->image, (int)(i % (size_t)p->view.width), (int)(i / (size_t)p->view.width), p->sums + 3 * i);
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- paths

static phx_result paint_by_paths(painter* p, phxi_pool* pool, const phxi_tracer* tracer) {
    static const phxi_effort efforts[] = {[PHX_QUALITY_FILM] = {8, 64, 0.08f},
                                          [PHX_QUALITY_STILL] = {16, 128, 0.05f},
                                          [PHX_QUALITY_FINAL] = {256, 256, 0}};
    size_t pixels = (size_t)p->view.width * (size_t)p->view.height;
    phxi_stage_light light;
    phxi_exposed* exposed;
    PHXI_NEW(exposed, &p->heap, pixels, "picture");
    phxi_stage_light_make(p->def->stage, phxi_f3_of(p->view.right), phxi_f3_of(p->view.forward), &light);
    light.floor = p->def->floor;
    light.floor_z = p->light.floor_z;
    light.radius = p->def->stage_radius > 0 ? (float)p->def->stage_radius : p->radius;
    phxi_path_scene scene = {tracer, &light, 2e-5f * light.radius};
    PHXI_TRY(phxi_expose(&p->heap, pool, &scene, &p->view, efforts[p->def->quality], exposed));
    PHXI_TRY(phxi_denoise(&p->heap, pool, exposed, p->view.width, p->view.height));
    for (size_t i = 0; i < pixels; ++i) {
        phxi_f3 color = phxi_tone(exposed[i].light);
        const float rgb[3] = {color.x, color.y, color.z};
        store(p->image, (int)(i % (size_t)p->view.width), (int)(i / (size_t)p->view.width), rgb);
    }
    return PHX_OK;
}

static phx_result paint(painter* p) {
    phxi_pool* pool = NULL;
    PHXI_TRY(phxi_pool_create(&p->heap, p->def->threads, &pool));
    phxi_tracer* tracer = NULL;
    phx_result result = PHX_OK;
    if (phxi_tracer_name && !p->def->z_buffer) {
        result = phxi_tracer_create(&p->heap, p->drawings, &tracer);
    }
    p->light.tracer = tracer;
    if (result == PHX_OK && by_paths(p)) {
        result = paint_by_paths(p, pool, tracer);
    } else if (result == PHX_OK && tracer) {
        phxi_parallel_for(pool, p->view.height, ROWS, trace_rows, p);
    } else if (result == PHX_OK) {
        result = paint_by_z_buffer(p, pool);
    }
    phxi_tracer_destroy(&p->heap, tracer);
    phxi_pool_destroy(pool);
    return result;
}

// ------------------------------------------------------------------------------------------------------- caption

static void draw_caption(painter* p) {
    // dark letters on a bright ground, bright ones on a dark one
    const unsigned char* corner = p->image->pixels + 3 * (size_t)p->image->width * (size_t)(p->view.height - 2);
    unsigned char shade = corner[1] < 110 ? 225 : 30;
    const unsigned char ink[3] = {shade, shade, (unsigned char)(shade + 10)};
    int h = p->view.height, size = phxi_letter_height(h), margin = 2 * size;
    if (p->def->title) {
        phx_image_text(p->image, margin, margin, size + 2, p->def->title, ink);
    }
    char text[64];
    snprintf(text, sizeof text, "t = %.4g s", p->parts[0].frame->time);
    phx_image_text(p->image, margin, h - margin - size, size, text, ink);
}

static phx_result render(const phx_part* parts, int count, const phx_render_def* def, bool by_body, phx_image** image) {
    PHXI_TRY(check(parts, count, def, image));
    painter p = {.parts = parts, .count = count, .def = def, .center = def->camera.target, .by_body = by_body};
    PHXI_TRY(phxi_image_new(&def->allocator, def->width, def->height, image));
    p.image = *image;
    phxi_heap_init(&p.heap, &def->allocator);
    place_camera(&p);
    phx_result result = make_drawings(&p);
    if (result == PHX_OK) {
        place_lights(&p);
        result = paint(&p);
    }
    if (result == PHX_OK && def->caption) {
        draw_caption(&p);
    }
    if (result == PHX_OK && p.view.width < def->width) {
        phxi_bar_draw(p.image, p.view.width, def, &p.coloring);
    }
    phxi_heap_destroy(&p.heap);
    if (result != PHX_OK) {
        phx_image_destroy(*image);
        *image = NULL;
    }
    return result;
}

phx_result phx_render_parts(const phx_part* parts, int count, const phx_render_def* def, phx_image** image) {
    return render(parts, count, def, false, image);
}

phx_result phx_render(const phx_frame* frame, const phx_render_def* def, phx_image** image) {
    phx_part part = {.frame = frame, .look = phx_look_default()};
    return render(frame ? &part : NULL, 1, def, true, image);
}
