// SPDX-License-Identifier: MIT
// An edge-avoiding a-trous filter guided by variance (Dammertz et al. 2010, Schied et al. 2017): five rounds of a small
// filter whose taps are 1, 2, 4, 8, 16 pixels apart. What is averaged is light over albedo, so colours stay sharp; a
// tap counts less the more it differs in normal, depth, albedo, or in light by more than chance explains.
#include "render/expose.h"

enum { ROUNDS = 5, ROWS = 4 };

typedef struct filter {
    int width, height, step;
    const phxi_exposed* guide;
    const phxi_f3* from; // light over albedo
    const float* variance;
    phxi_f3* to;
    float* next_variance;
} filter;

static phxi_f3 base_of(const phxi_exposed* p) {
    return (phxi_f3){fmaxf(p->albedo.x, 0.25f), fmaxf(p->albedo.y, 0.25f), fmaxf(p->albedo.z, 0.25f)};
}

// Of the variance itself, which is noisy too: a little of the pixels around.
static float calm_variance(const filter* f, int x, int y) {
    static const float weights[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0, total = 0;
    for (int v = -1; v <= 1; ++v) {
        for (int u = -1; u <= 1; ++u) {
            int px = x + u, py = y + v;
            if (px >= 0 && py >= 0 && px < f->width && py < f->height) {
                float weight = weights[u + 1] * weights[v + 1];
                sum += weight * f->variance[(size_t)py * (size_t)f->width + (size_t)px];
                total += weight;
            }
        }
    }
    return sum / total;
}

static float likeness(const filter* f, size_t a, size_t b, float far) {
    const phxi_exposed *p = &f->guide[a], *q = &f->guide[b];
    float turn = fmaxf(phxi_f3_dot(p->normal, q->normal), 0), t2 = turn * turn, t4 = t2 * t2, t8 = t4 * t4;
    phxi_f3 d = phxi_f3_sub(p->albedo, q->albedo);
    float depth = fabsf(p->depth - q->depth) / (0.02f * fminf(p->depth, q->depth) * far + 1e-20f);
    float color = phxi_f3_dot(d, d) / 0.01f;
    return t8 * t8 * t8 * t8 * expf(-fminf(depth + color, 50));
}

static void filter_pixel(const filter* f, int x, int y) {
    static const float weights[3] = {0.375f, 0.25f, 0.0625f};
    size_t here = (size_t)y * (size_t)f->width + (size_t)x;
    float spread = 4 * sqrtf(calm_variance(f, x, y)) + 1e-4f, total = 0, variance = 0;
    float bright = phxi_f3_brightness(f->from[here]);
    phxi_f3 sum = {0, 0, 0};
    for (int v = -2; v <= 2; ++v) {
        for (int u = -2; u <= 2; ++u) {
            int px = x + u * f->step, py = y + v * f->step;
            if (px < 0 || py < 0 || px >= f->width || py >= f->height) {
                continue;
            }
            size_t there = (size_t)py * (size_t)f->width + (size_t)px;
            float weight = weights[u < 0 ? -u : u] * weights[v < 0 ? -v : v];
            if (there != here) {
                float differs = fabsf(phxi_f3_brightness(f->from[there]) - bright) / spread;
                weight *= likeness(f, here, there, (float)f->step) * expf(-fminf(differs, 50));
            }
            sum = phxi_f3_along(sum, weight, f->from[there]);
            variance += weight * weight * f->variance[there];
            total += weight;
        }
    }
    f->to[here] = phxi_f3_scale(1 / total, sum);
    f->next_variance[here] = variance / (total * total);
}

static void filter_rows(void* context, int begin, int end, int block) {
    const filter* f = context;
    (void)block;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < f->width; ++x) {
            filter_pixel(f, x, y);
        }
    }
}

phx_result phxi_denoise(phxi_heap* heap, phxi_pool* pool, phxi_exposed* pixels, int width, int height) {
    size_t count = (size_t)width * (size_t)height;
    phxi_f3 *from, *to;
    float *variance, *next;
    PHXI_NEW(from, heap, count, "denoiser");
    PHXI_NEW(to, heap, count, "denoiser");
    PHXI_NEW(variance, heap, count, "denoiser");
    PHXI_NEW(next, heap, count, "denoiser");
    for (size_t i = 0; i < count; ++i) {
        phxi_f3 base = base_of(&pixels[i]);
        float bright = phxi_f3_brightness(base);
        from[i] = (phxi_f3){pixels[i].light.x / base.x, pixels[i].light.y / base.y, pixels[i].light.z / base.z};
        variance[i] = pixels[i].variance / (bright * bright);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        filter f = {width, height, 1 << round, pixels, from, variance, to, next};
        phxi_parallel_for(pool, height, ROWS, filter_rows, &f);
        phxi_f3* swap = from;
        float* swap_variance = variance;
        from = to, to = swap;
        variance = next, next = swap_variance;
    }
    for (size_t i = 0; i < count; ++i) {
        pixels[i].light = phxi_f3_mul(from[i], base_of(&pixels[i]));
    }
    phxi_free(heap, from);
    phxi_free(heap, to);
    phxi_free(heap, variance);
    phxi_free(heap, next);
    return PHX_OK;
}
