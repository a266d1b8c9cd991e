// SPDX-License-Identifier: MIT
// A particle stands for as much sand as its spacing holds, so its stones lie in a ball of that size, and along the ways
// to its nearest neighbours up to the middle: where particles have moved apart they would show as clusters otherwise.
// What is deep inside is not drawn.
#include "surface/stones.h"

#include "core/hash.h"
#include "neighbors/neighbors.h"

#include <math.h>
#include <string.h>

enum { NEAREST = 12 };

static float unit(uint64_t id, uint64_t stone, uint64_t what) {
    return (float)phxi_hash_unit(phxi_hash_pair(phxi_hash_pair(id, stone), what));
}

typedef struct crowd {
    phxi_heap heap;
    bool* shown;
    int* nearest; // NEAREST a particle
} crowd;

/// Surrounded on all sides: the nearest ones are close and their mean place is the particle's own.
static bool is_inside(const phx_frame* f, const crowd* c, const phxi_stones_def* d, int i) {
    const double* x = f->positions + 3 * (size_t)i;
    double sum = 0, mean[3] = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < NEAREST && c->nearest[NEAREST * (size_t)i + (size_t)k] >= 0; ++k, ++count) {
        const double* y = f->positions + 3 * (size_t)c->nearest[NEAREST * (size_t)i + (size_t)k];
        sum += sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
        for (int a = 0; a < 3; ++a) {
            mean[a] += y[a] - x[a];
        }
    }
    double aside = sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]);
    return count == NEAREST && sum < 1.45 * NEAREST * d->spacing && aside < 0.12 * NEAREST * d->spacing;
}

static phx_result find_shown(const phx_frame* f, const phxi_stones_def* d, crowd* c) {
    phxi_points points; // memory goes with the heap
    phxi_search* search;
    PHXI_TRY(phxi_frame_points_of(&c->heap, f->positions, f->points, &points));
    PHXI_NEW(c->shown, &c->heap, f->points, "stones");
    PHXI_NEW(c->nearest, &c->heap, NEAREST * (size_t)f->points, "stones");
    PHXI_TRY(phxi_search_create(&c->heap, PHXI_SEARCH_GRID, &search));
    phx_result result = phxi_search_nearest(search, NULL, points, NEAREST, c->nearest);
    phxi_search_destroy(search);
    for (int i = 0; result == PHX_OK && i < f->points; ++i) {
        c->shown[i] = !is_inside(f, c, d, i);
    }
    return result;
}

/// A neighbour for a stone to lean to, by its number: whatever the order of the others, it stays. -1: none is near.
static int choose_neighbor(const phx_frame* f, const crowd* c, const phxi_stones_def* d, int i, int stone) {
    uint64_t best = 0;
    int chosen = -1;
    const double* x = f->positions + 3 * (size_t)i;
    for (int k = 0; k < NEAREST; ++k) {
        int j = c->nearest[NEAREST * (size_t)i + (size_t)k];
        if (j < 0) {
            break;
        }
        const double* y = f->positions + 3 * (size_t)j;
        double r2 = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
        uint64_t rank = phxi_hash_pair(phxi_hash_pair((uint64_t)i, (uint64_t)stone), (uint64_t)j);
        if (r2 < 16 * d->spacing * d->spacing && (chosen < 0 || rank > best)) {
            best = rank;
            chosen = j;
        }
    }
    return chosen;
}

static void put_stone(const phx_frame* f, const crowd* c, const phxi_stones_def* d, int i, int stone, double* to,
                      float* radius, float* color) {
    const uint64_t id = (uint64_t)i, k = (uint64_t)stone;
    const double *x = f->positions + 3 * (size_t)i, *y = x;
    int neighbor = choose_neighbor(f, c, d, i, stone);
    if (neighbor >= 0) {
        y = f->positions + 3 * (size_t)neighbor;
    }
    // along the way, then evenly in a ball: a direction, and the cube root of a share
    double along = 0.5 * (double)unit(id, k, 8);
    float z = 2 * unit(id, k, 1) - 1, angle = 6.2831853f * unit(id, k, 2), flat = sqrtf(fmaxf(0, 1 - z * z));
    float r = 0.5f * (float)d->spacing * cbrtf(unit(id, k, 3));
    to[0] = x[0] + along * (y[0] - x[0]) + (double)(r * flat * cosf(angle));
    to[1] = x[1] + along * (y[1] - x[1]) + (double)(r * flat * sinf(angle));
    to[2] = x[2] + along * (y[2] - x[2]) + (double)(r * z);
    *radius = 0.13f * (float)d->spacing * (0.55f + 0.9f * unit(id, k, 4) * unit(id, k, 5));
    float kind = unit(id, k, 6), bright = 1 + d->vary * (2 * unit(id, k, 7) - 1);
    for (int a = 0; a < 3; ++a) {
        float own = d->color[a] * bright;
        own = d->vary > 0.2f && kind < 0.07f ? 0.75f : d->vary > 0.2f && kind > 0.94f ? 0.25f * d->color[a] : own;
        color[a] = fminf(own, 1);
    }
}

/// Stones have what their particle has, but for what they have of their own.
static phx_result carry_fields(const phx_frame* f, const crowd* c, int each, phx_frame* out) {
    for (int field = 0; field < f->fields.count; ++field) {
        const phx_frame_field* from = &f->fields.items[field];
        size_t width = (size_t)from->components;
        float* to;
        if (width > 3 || strcmp(from->name, "radius") == 0 || strcmp(from->name, "color") == 0 ||
            strcmp(from->name, "spacing") == 0) {
            continue;
        }
        PHXI_TRY(phx_frame_add_field(out, from->name, from->components, &to));
        for (int i = 0, n = 0; i < f->points; ++i) {
            for (int k = 0; k < each && c->shown[i]; ++k, ++n) {
                memcpy(to + width * (size_t)n, from->values + width * (size_t)i, width * sizeof *to);
            }
        }
    }
    return PHX_OK;
}

static phx_result fill(const phx_frame* f, const phxi_stones_def* d, const crowd* c, int each, phx_frame* out) {
    float *radius, *color;
    PHXI_TRY(carry_fields(f, c, each, out));
    PHXI_TRY(phx_frame_add_field(out, "radius", 1, &radius));
    PHXI_TRY(phx_frame_add_field(out, "color", 3, &color));
    int n = 0;
    for (int i = 0; i < f->points; ++i) {
        for (int k = 0; k < each && c->shown[i]; ++k, ++n) {
            put_stone(f, c, d, i, k, out->positions + 3 * (size_t)n, radius + n, color + 3 * (size_t)n);
        }
    }
    return PHX_OK;
}

phx_result phxi_stones(const phx_frame* particles, const phxi_stones_def* def, phx_frame** stones) {
    crowd c = {0};
    PHXI_TRY(phx_frame_check(particles));
    phxi_heap_init(&c.heap, &particles->heap.allocator);
    phx_result result = find_shown(particles, def, &c);
    int shown = 0;
    for (int i = 0; result == PHX_OK && i < particles->points; ++i) {
        shown += c.shown[i];
    }
    int each = def->stones > 0 ? def->stones : 24;
    each = shown > 0 && each > def->most / shown ? def->most / shown : each;
    each = each > 0 ? each : 1;
    if (result == PHX_OK) {
        result = phx_frame_create(shown * each, 0, particles->time, &particles->heap.allocator, stones);
    }
    if (result == PHX_OK) {
        result = fill(particles, def, &c, each, *stones);
    }
    phxi_heap_destroy(&c.heap);
    return result;
}
