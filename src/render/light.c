// SPDX-License-Identifier: MIT
#include "render/light.h"

#include "math/vec3.h"

#include <string.h>

static const float pi = 3.14159265f;

typedef struct stage_table {
    const char* name;
    float dome_low[3], dome_high[3], softbox;
    float behind_low[3], behind_high[3];
    float floor[3];
    struct {
        float right, back, up; // where it stands, seen from the camera
        float angle;           // half of it, degrees
        float irradiance[3];   // on a face that looks at it
    } lamps[PHXI_LAMPS];
} stage_table;

static const stage_table stages[] = {
    {"studio",
     {0.25f, 0.25f, 0.26f},
     {0.36f, 0.36f, 0.37f},
     0.75f,
     {0.27f, 0.275f, 0.285f},
     {0.10f, 0.105f, 0.115f},
     {0.36f, 0.36f, 0.365f},
     {{-0.75f, -0.55f, 0.9f, 14, {2.7f, 2.62f, 2.5f}}, {0.8f, 0.75f, 0.55f, 10, {0.85f, 0.9f, 0.98f}}}},
    {"sky",
     {0.55f, 0.62f, 0.72f},
     {0.22f, 0.38f, 0.72f},
     0,
     {0.62f, 0.69f, 0.78f},
     {0.20f, 0.36f, 0.68f},
     {0.50f, 0.46f, 0.40f},
     {{-0.6f, -0.35f, 0.75f, 1.5f, {4.2f, 3.9f, 3.4f}}, {0, 0, 1, 1, {0, 0, 0}}}},
    {"dark",
     {0.05f, 0.055f, 0.065f},
     {0.12f, 0.13f, 0.15f},
     0,
     {0.055f, 0.055f, 0.06f},
     {0.02f, 0.02f, 0.025f},
     {0.12f, 0.12f, 0.12f},
     {{0.8f, 0.7f, 0.5f, 10, {1.5f, 1.2f, 0.85f}}, {-0.7f, -0.5f, 0.8f, 14, {0.28f, 0.33f, 0.42f}}}},
};

/// What a lamp of the table sends; its share of the rays goes by its brightness.
static void make_lamp(const stage_table* s, int k, phxi_f3 right, phxi_f3 forward, phxi_lamp* lamp) {
    phxi_f3 at = phxi_f3_along(phxi_f3_scale(s->lamps[k].right, right), s->lamps[k].back, forward);
    at.z += s->lamps[k].up;
    float half = s->lamps[k].angle * pi / 180, sine = sinf(half);
    lamp->direction = phxi_f3_unit(at);
    lamp->cosine = cosf(half);
    lamp->radiance = phxi_f3_scale(1 / (pi * sine * sine), phxi_f3_of(s->lamps[k].irradiance));
    lamp->share = phxi_f3_brightness(phxi_f3_of(s->lamps[k].irradiance));
}

static const stage_table* find_stage(const char* stage) {
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
        if (!stage || strcmp(stages[i].name, stage) == 0) {
            return &stages[i];
        }
    }
    return NULL;
}

bool phxi_stage_known(const char* stage) {
    return find_stage(stage) != NULL;
}

void phxi_stage_light_make(const char* stage, phxi_f3 right, phxi_f3 forward, phxi_stage_light* light) {
    const stage_table* s = find_stage(stage);
    *light = (phxi_stage_light){.low = phxi_f3_of(s->dome_low),
                                .high = phxi_f3_of(s->dome_high),
                                .softbox = s->softbox,
                                .behind_low = phxi_f3_of(s->behind_low),
                                .behind_high = phxi_f3_of(s->behind_high),
                                .floor_color = phxi_f3_of(s->floor)};
    forward.z = 0, right.z = 0; // lamps stand by the compass: a camera that looks down does not lower them
    float sum = 0;
    for (int k = 0; k < PHXI_LAMPS; ++k) {
        make_lamp(s, k, phxi_f3_unit(right), phxi_f3_unit(forward), &light->lamps[k]);
        sum += light->lamps[k].share;
    }
    for (int k = 0; k < PHXI_LAMPS; ++k) {
        light->lamps[k].share /= sum;
    }
}

static phxi_f3 to_f3(phx_vec3 v) {
    return (phxi_f3){(float)v.x, (float)v.y, (float)v.z};
}

void phxi_stage_light_of(const phx_render_def* def, const phx_part* parts, int count, phxi_stage_light* light) {
    const phx_camera* c = &def->camera;
    phx_vec3 forward = phxi_normalize(phxi_sub(c->target, c->eye), (phx_vec3){0, 1, 0}), low = {1, 1, 1};
    phx_vec3 up = phxi_normalize(c->up, (phx_vec3){0, 0, 1}), high = {-1, -1, -1};
    phx_vec3 right = phxi_normalize(phxi_cross(forward, up), phxi_perpendicular(forward));
    phxi_stage_light_make(def->stage, to_f3(right), to_f3(forward), light);
    for (int i = 0; i < count; ++i) {
        (void)phx_frame_bounds(parts[i].frame, &low, &high);
    }
    double radius = low.x <= high.x ? 0.5 * phxi_distance(low, high) : 0;
    radius = fmax(radius, 0.05 * phxi_distance(c->eye, c->target));
    light->radius = (float)(def->stage_radius > 0 ? def->stage_radius : radius);
    light->floor = def->floor;
    light->floor_z = (float)(def->floor_height - c->target.z);
}

phxi_f3 phxi_dome(const phxi_stage_light* light, phxi_f3 d) {
    phxi_f3 color = phxi_f3_mix(light->low, light->high, fmaxf(d.z, 0));
    return phxi_f3_add(color, phxi_f3_all(light->softbox * phxi_smoothstep(0.55f, 0.9f, d.z)));
}

phxi_f3 phxi_behind(const phxi_stage_light* light, phxi_f3 d) {
    return phxi_f3_mix(light->behind_low, light->behind_high, phxi_smoothstep(0, 0.6f, d.z));
}

phxi_f3 phxi_floor_color(const phxi_stage_light* light, phxi_f3 place, float* fade) {
    float far = hypotf(place.x, place.y) / light->radius;
    *fade = phxi_smoothstep(2.2f, 6, far);
    return phxi_f3_scale(1 - 0.5f * phxi_smoothstep(0.8f, 5, far), light->floor_color);
}

int phxi_lamp_sample(const phxi_stage_light* light, float choice, float a, float b, phxi_f3* direction,
                     float* density) {
    int k = choice < light->lamps[0].share ? 0 : 1;
    const phxi_lamp* lamp = &light->lamps[k];
    float z = 1 - a * (1 - lamp->cosine), r = sqrtf(fmaxf(0, 1 - z * z)), angle = 2 * pi * b;
    *direction = phxi_f3_about(lamp->direction, r * cosf(angle), r * sinf(angle), z);
    *density = lamp->share / (2 * pi * (1 - lamp->cosine));
    return k;
}

phxi_f3 phxi_lamps_at(const phxi_stage_light* light, phxi_f3 direction, float* density) {
    phxi_f3 sum = {0, 0, 0};
    *density = 0;
    for (int k = 0; k < PHXI_LAMPS; ++k) {
        const phxi_lamp* lamp = &light->lamps[k];
        if (phxi_f3_dot(direction, lamp->direction) > lamp->cosine) {
            sum = phxi_f3_add(sum, lamp->radiance);
            *density += lamp->share / (2 * pi * (1 - lamp->cosine));
        }
    }
    return sum;
}
