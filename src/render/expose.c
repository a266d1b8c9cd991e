// SPDX-License-Identifier: MIT
#include "render/expose.h"

#include <string.h>

enum { TILE = 8 };

typedef struct exposure {
    const phxi_path_scene* scene;
    const phxi_view* view;
    phxi_effort effort;
    int across; // tiles
    phxi_exposed* pixels;
} exposure;

typedef struct sums {
    phxi_f3 light, albedo, normal;
    double bright, bright2, depth;
    int count;
} sums;

static void add_sample(const exposure* e, int x, int y, sums* s) {
    phxi_sampler sampler = {(uint32_t)y * (uint32_t)e->view->width + (uint32_t)x, (uint32_t)s->count, 0};
    sampler.pixel = phxi_mix_bits(sampler.pixel);
    float dx, dy, ray[3];
    phxi_sampler_pair(&sampler, &dx, &dy);
    phxi_view_ray(e->view, (float)x + dx, (float)y + dy, ray);
    phxi_path p = phxi_path_trace(e->scene, phxi_f3_of(e->view->eye), phxi_f3_of(ray), &sampler);
    double bright = (double)phxi_f3_brightness(p.light);
    s->light = phxi_f3_add(s->light, p.light);
    s->albedo = phxi_f3_add(s->albedo, p.albedo);
    s->normal = phxi_f3_add(s->normal, p.normal);
    s->bright += bright;
    s->bright2 += bright * bright;
    s->depth += (double)fminf(p.depth, 1e9f);
    s->count += 1;
}

static double variance_of_mean(const sums* s) {
    double mean = s->bright / s->count;
    return s->count > 1 ? fmax(s->bright2 / s->count - mean * mean, 0) / (s->count - 1) : mean * mean;
}

static void store(const sums* s, phxi_exposed* pixel) {
    float share = 1 / (float)s->count;
    *pixel = (phxi_exposed){phxi_f3_scale(share, s->light), (float)variance_of_mean(s), phxi_f3_scale(share, s->albedo),
                            phxi_f3_unit(s->normal), (float)(s->depth / s->count)};
}

/// Samples that bring the mean relative error of a tile down to the grain, as far as that can be told from those it
/// has.
static int more_samples(const exposure* e, const sums* tile, int count) {
    double error = 0;
    if (!(e->effort.grain > 0)) {
        return 0;
    }
    for (int i = 0; i < count; ++i) {
        double mean = tile[i].bright / tile[i].count;
        error += variance_of_mean(&tile[i]) / (mean * mean + 0.01) / count;
    }
    double grain = (double)e->effort.grain, wanted = e->effort.least * error / (grain * grain);
    return (int)fmin(wanted, e->effort.most) - e->effort.least;
}

static void expose_tile(const exposure* e, int tile) {
    sums all[TILE * TILE];
    int x0 = tile % e->across * TILE, y0 = tile / e->across * TILE;
    int width = e->view->width - x0 < TILE ? e->view->width - x0 : TILE;
    int height = e->view->height - y0 < TILE ? e->view->height - y0 : TILE;
    memset(all, 0, sizeof all);
    for (int round = 0, samples = e->effort.least; round < 2; ++round) {
        for (int i = 0; i < width * height; ++i) {
            for (int k = 0; k < samples; ++k) {
                add_sample(e, x0 + i % width, y0 + i / width, &all[i]);
            }
        }
        samples = more_samples(e, all, width * height);
    }
    for (int i = 0; i < width * height; ++i) {
        store(&all[i], &e->pixels[(size_t)(y0 + i / width) * (size_t)e->view->width + (size_t)(x0 + i % width)]);
    }
}

static void expose_tiles(void* context, int begin, int end, int block) {
    (void)block;
    for (int tile = begin; tile < end; ++tile) {
        expose_tile(context, tile);
    }
}

phx_result phxi_expose(phxi_heap* heap, phxi_pool* pool, const phxi_path_scene* scene, const phxi_view* view,
                       phxi_effort effort, phxi_exposed* pixels) {
    (void)heap;
    exposure e = {scene, view, effort, (view->width + TILE - 1) / TILE, pixels};
    phxi_parallel_for(pool, e.across * ((view->height + TILE - 1) / TILE), 1, expose_tiles, &e);
    return PHX_OK;
}

phxi_f3 phxi_tone(phxi_f3 c) {
    static const float start = 0.8f - 0.04f, desaturation = 0.15f;
    float least = fminf(c.x, fminf(c.y, c.z)), offset = least < 0.08f ? least - 6.25f * least * least : 0.04f;
    c = phxi_f3_sub(c, phxi_f3_all(offset));
    float peak = phxi_f3_most(c);
    if (peak < start) {
        return c;
    }
    float d = 1 - start, pressed = 1 - d * d / (peak + d - start);
    c = phxi_f3_scale(pressed / peak, c);
    float white = 1 - 1 / (desaturation * (peak - pressed) + 1);
    return phxi_f3_mix(c, phxi_f3_all(pressed), white);
}
