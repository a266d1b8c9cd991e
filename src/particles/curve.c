// SPDX-License-Identifier: MIT
// The order of points along a Z curve (Morton order): cells of three 21-bit coordinates, their bits interleaved to one
// key, keys sorted by bytes. The sort is stable, so points of one cell keep their order.
//
// A Hilbert curve would have no jumps but needs a table and gains little once the cells are bricks of many particles.
#include "particles/particles.h"

#include <string.h>

enum { AXIS_BITS = 21 };
static const char label[] = "curve order";

typedef struct entry {
    uint64_t key;
    int index;
} entry;

// Puts two zero bits behind each of the low 21 bits.
static uint64_t spread(uint64_t v) {
    v = (v | v << 32) & 0x001F00000000FFFFu;
    v = (v | v << 16) & 0x001F0000FF0000FFu;
    v = (v | v << 8) & 0x100F00F00F00F00Fu;
    v = (v | v << 4) & 0x10C30C30C30C30C3u;
    return (v | v << 2) & 0x1249249249249249u;
}

// Sorts by the bytes of the keys, lowest first; leaves the result in `entries`.
static void radix_sort(entry* entries, entry* scratch, int count) {
    entry *from = entries, *to = scratch;
    for (int shift = 0; shift < 64; shift += 8) {
        int place[256] = {0};
        for (int k = 0; k < count; ++k) {
            ++place[from[k].key >> shift & 255];
        }
        if (place[from[0].key >> shift & 255] == count) {
            continue; // this byte is the same in all keys
        }
        for (int digit = 0, sum = 0; digit < 256; ++digit) {
            int here = place[digit];
            place[digit] = sum;
            sum += here;
        }
        for (int k = 0; k < count; ++k) {
            to[place[from[k].key >> shift & 255]++] = from[k];
        }
        entry* swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, (size_t)count * sizeof *entries);
    }
}

// Halves of coordinates are used so that the extent of any finite points is finite.
static void make_keys(const phx_vec3* points, int count, double cell, phx_vec3 low, phx_vec3 high, entry* entries) {
    phx_vec3 size = phxi_sub(phxi_scale(0.5, high), phxi_scale(0.5, low));
    double largest = fmax(size.x, fmax(size.y, size.z));
    double edge = fmax(0.5 * cell, largest / ((1 << AXIS_BITS) - 1));
    edge = fmax(edge, 1e-300);
    for (int i = 0; i < count; ++i) {
        phx_vec3 p = phxi_sub(phxi_scale(0.5, points[i]), phxi_scale(0.5, low));
        uint64_t x = (uint64_t)(p.x / edge), y = (uint64_t)(p.y / edge), z = (uint64_t)(p.z / edge);
        entries[i] = (entry){spread(x) | spread(y) << 1 | spread(z) << 2, i};
    }
}

phx_result phxi_curve_order(phxi_heap* heap, const phx_vec3* points, int count, double cell, int* order) {
    if (!(cell > 0) || !isfinite(cell)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the cell of a curve order must be positive and finite, not %g", cell);
    }
    phx_vec3 low = phxi_vec3(INFINITY, INFINITY, INFINITY), high = phxi_scale(-1, low);
    for (int i = 0; i < count; ++i) {
        if (!phxi_finite(points[i])) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "point %d at (%g, %g, %g) is not finite", i, points[i].x, points[i].y,
                             points[i].z);
        }
        low = phxi_min(low, points[i]);
        high = phxi_max(high, points[i]);
    }
    if (count <= 0) {
        return PHX_OK;
    }
    entry* entries = phxi_alloc(heap, 2 * (size_t)count, sizeof *entries, label);
    if (!entries) {
        return PHX_ERROR_MEMORY;
    }
    make_keys(points, count, cell, low, high, entries);
    radix_sort(entries, entries + count, count);
    for (int k = 0; k < count; ++k) {
        order[k] = entries[k].index;
    }
    phxi_free(heap, entries);
    return PHX_OK;
}

phx_result phxi_curve_sort(phxi_particles* p, int begin, int count) {
    // a little less than four, so that rounding does not decide where a fifth layer belongs
    const double brick = 3.998;
    phx_vec3* points = phxi_alloc(p->heap, (size_t)count, sizeof *points, label);
    int* order = phxi_alloc(p->heap, (size_t)count, sizeof *order, label);
    phx_result result = points && order ? PHX_OK : PHX_ERROR_MEMORY;
    for (int k = 0; result == PHX_OK && k < count; ++k) {
        points[k] = phxi_vec3(p->rest_x[begin + k], p->rest_y[begin + k], p->rest_z[begin + k]);
    }
    if (result == PHX_OK) {
        result = phxi_curve_order(p->heap, points, count, brick * (double)p->spacing[begin], order);
    }
    if (result == PHX_OK) {
        result = phxi_particles_reorder(p, begin, count, order);
    }
    phxi_free(p->heap, points);
    phxi_free(p->heap, order);
    return result;
}
