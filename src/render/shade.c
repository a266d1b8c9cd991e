// SPDX-License-Identifier: MIT
#include "render/shade.h"

#include "core/hash.h"
#include "render/f3.h"

#include <math.h>

static const float background_low[3] = {0.93f, 0.93f, 0.94f}, background_high[3] = {0.62f, 0.70f, 0.80f};
static const float floor_color[3] = {0.60f, 0.60f, 0.60f};

static float dot3(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float unit_random(uint64_t seed, uint64_t k) {
    return (float)phxi_hash_unit(phxi_hash_pair(seed, k));
}

// A direction about n by a point of the unit disc: cosine-distributed for spread 1, a narrow cone for a small one.
static void about(const float n[3], float spread, float r1, float r2, float direction[3]) {
    float radius = spread * sqrtf(r1), angle = 6.2831853f * r2;
    float u = radius * cosf(angle), v = radius * sinf(angle), w = sqrtf(fmaxf(0, 1 - u * u - v * v));
    phxi_f3 d = phxi_f3_about(phxi_f3_of(n), u, v, w);
    direction[0] = d.x, direction[1] = d.y, direction[2] = d.z;
}

void phxi_lighting_turns(phxi_lighting* l) {
    for (int k = 0; k < 64; ++k) {
        double angle = 6.283185307179586 * 0.6180339887498949 * k;
        l->turns[k][0] = (float)cos(angle), l->turns[k][1] = (float)sin(angle);
    }
}

// Share of the sky that is open at a point: stratified rings and angles, turned by a random amount per sample.
static float open_sky(const phxi_lighting* l, const float point[3], const float normal[3], uint64_t seed) {
    if (!l->tracer || l->occlusion == 0 || !phxi_tracer_near(l->tracer, point, l->reach)) {
        return 1;
    }
    int blocked = 0;
    float angle = 6.2831853f * unit_random(seed, 101), shift = unit_random(seed, 102);
    float cosine = cosf(angle), sine = sinf(angle), each = 1 / (float)l->occlusion;
    phxi_f3 n = phxi_f3_of(normal), a, b;
    phxi_f3_frame(n, &a, &b);
    for (int done = 0; done < l->occlusion; done += 8) {
        float directions[3][8];
        int count = l->occlusion - done < 8 ? l->occlusion - done : 8;
        for (int k = 0; k < 8; ++k) {
            const float* turn = l->turns[done + k];
            float r1 = fminf(((float)(done + k) + shift) * each, 1), radius = sqrtf(r1), w = sqrtf(1 - r1);
            float u = radius * (cosine * turn[0] - sine * turn[1]), v = radius * (cosine * turn[1] + sine * turn[0]);
            directions[0][k] = u * a.x + v * b.x + w * n.x;
            directions[1][k] = u * a.y + v * b.y + w * n.y;
            directions[2][k] = u * a.z + v * b.z + w * n.z;
        }
        blocked += phxi_tracer_blocked(l->tracer, point, (const float(*)[8])directions, count, l->reach);
    }
    return 1 - (float)blocked * each;
}

static float key_light(const phxi_lighting* l, const float point[3], const float normal[3], uint64_t seed) {
    float facing = dot3(normal, l->key);
    if (facing <= 0) {
        return 0;
    }
    if (l->tracer && l->shadows) {
        float direction[3];
        about(l->key, 0.06f, unit_random(seed, 201), unit_random(seed, 202), direction);
        if (phxi_tracer_shaded(l->tracer, point, direction)) {
            return 0;
        }
    }
    return facing;
}

static void light(const phxi_lighting* l, const float point[3], const float normal[3], const float albedo[3],
                  uint64_t seed, float color[3]) {
    float sky = open_sky(l, point, normal, seed), key = key_light(l, point, normal, seed);
    float ambient = sky * (0.42f + 0.12f * normal[2]);
    for (int k = 0; k < 3; ++k) {
        color[k] = albedo[k] * (ambient + 0.85f * key);
    }
}

static void background(const float direction[3], float color[3]) {
    float t = fminf(fmaxf(0.5f + direction[2], 0), 1);
    for (int k = 0; k < 3; ++k) {
        color[k] = background_low[k] + t * t * (background_high[k] - background_low[k]);
    }
}

// Faint lines every `grid`; `width` grows with distance so that they do not flicker.
static float grid_line(float x, float grid, float width) {
    float distance = fabsf(x / grid - roundf(x / grid)) * grid;
    return distance < width ? 1 - distance / width : 0;
}

static bool shade_floor(const phxi_lighting* l, const float origin[3], const float direction[3], float limit,
                        uint64_t seed, float color[3]) {
    float t = direction[2] < -1e-5f ? (l->floor_z - origin[2]) / direction[2] : -1;
    if (!l->floor || !(t > 0) || t >= limit) {
        return false;
    }
    float point[3] = {origin[0] + t * direction[0], origin[1] + t * direction[1], l->floor_z + 1e-4f * l->radius};
    const float up[3] = {0, 0, 1};
    float line = fmaxf(grid_line(point[0], l->grid, 0.0015f * t), grid_line(point[1], l->grid, 0.0015f * t));
    float albedo[3], lit[3], behind[3];
    for (int k = 0; k < 3; ++k) {
        albedo[k] = floor_color[k] * (1 - 0.25f * line);
    }
    light(l, point, up, albedo, seed, lit);
    background(direction, behind);
    float away = (point[0] * point[0] + point[1] * point[1]) / (36 * l->radius * l->radius), fade = away < 1 ? away : 1;
    for (int k = 0; k < 3; ++k) {
        color[k] = lit[k] + fade * (behind[k] - lit[k]);
    }
    return true;
}

void phxi_shade(const phxi_lighting* l, const float origin[3], const float direction[3], const phxi_hit* hit,
                uint64_t seed, float color[3]) {
    if (shade_floor(l, origin, direction, hit->distance, seed, color)) {
        return;
    }
    if (!isfinite(hit->distance)) {
        background(direction, color);
        return;
    }
    // Rays start a little off the surface, along its own normal: no speckles.
    float point[3], lift = 2e-4f * l->radius;
    for (int k = 0; k < 3; ++k) {
        point[k] = origin[k] + hit->distance * direction[k] + lift * hit->face[k];
    }
    light(l, point, hit->normal, hit->color, seed, color);
    // A soft highlight gives shape without looking like plastic.
    float half[3] = {l->key[0] - direction[0], l->key[1] - direction[1], l->key[2] - direction[2]};
    float length = sqrtf(dot3(half, half)), shine = length > 0 ? dot3(hit->normal, half) / length : 0;
    float eighth = shine * shine * shine * shine; // to the 40th, without the call
    eighth *= eighth;
    shine = shine > 0 ? 0.06f * eighth * eighth * eighth * eighth * eighth : 0;
    for (int k = 0; k < 3; ++k) {
        color[k] += shine;
    }
}
