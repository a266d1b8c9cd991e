// SPDX-License-Identifier: MIT
// chi at the nodes of a block, or the distance to the nearest point: every point in reach adds its kernel to rows of
// nodes, eight at a time.
//
// Rows have room for a chunk of eight to begin before their first node and end behind the last:
//
//   | 8 spare | 16 nodes | 8 spare |
//
// so chunks begin where the kernel does: with a reach of four cells one chunk holds a row of it. Rows in the corners
// of the kernel's box are not skipped: a test would cost more than the adding of zeros.
#include "surface/cloud.h"
#include "surface/lanes.h"

#include <string.h>

enum { NODES = PHXI_BLOCK_NODES, SPARE = PHXI_LANES, STRIDE = SPARE + NODES + SPARE };

// Nodes of one axis that a kernel reaches: lo ... hi, from the fraction, relative to the node below.
static inline int reach_low(float fraction, float reach) {
    return (int)floorf(fraction - reach) + 1;
}

static inline int reach_high(float fraction, float reach) {
    return (int)ceilf(fraction + reach) - 1;
}

// The part of a kernel's box that is in a block.
typedef struct window {
    int x, y, z; // the point's node, relative to the block
    int from_x, to_x, from_y, to_y, from_z, to_z;
} window;

static inline bool find_window(const phxi_grain* g, phxi_place base, float reach, window* w) {
    w->x = g->x - base.x, w->y = g->y - base.y, w->z = g->z - base.z;
    w->from_x = w->x + reach_low(g->u, reach), w->to_x = w->x + reach_high(g->u, reach);
    w->from_y = w->y + reach_low(g->v, reach), w->to_y = w->y + reach_high(g->v, reach);
    w->from_z = w->z + reach_low(g->w, reach), w->to_z = w->z + reach_high(g->w, reach);
    const int last = NODES - 1;
    if (w->to_x < 0 || w->to_y < 0 || w->to_z < 0 || w->from_x > last || w->from_y > last || w->from_z > last) {
        return false;
    }
    if (w->from_x <= -SPARE) {
        w->from_x += -w->from_x / SPARE * SPARE;
    }
    w->to_x = w->to_x < last ? w->to_x : last;
    w->from_y = w->from_y > 0 ? w->from_y : 0;
    w->to_y = w->to_y < last ? w->to_y : last;
    w->from_z = w->from_z > 0 ? w->from_z : 0;
    w->to_z = w->to_z < last ? w->to_z : last;
    return true;
}

// The same numbers come out for a node whichever block asks: offsets are whole numbers minus the fraction.
PHXI_CLONES static void phxi_surface_add_round(const phxi_cloud* cloud, phxi_grain_range range, phxi_place base,
                                               float* rows) {
    const phxi_f8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    const float reach = cloud->reach, h2 = reach * reach;
    window w;
    for (int i = range.begin; i < range.end; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        if (!find_window(g, base, reach, &w)) {
            continue;
        }
        for (int x = w.from_x; x <= w.to_x; x += PHXI_LANES) {
            const phxi_f8 dx = steps + (float)(x - w.x) - g->u, dx2 = dx * dx;
            for (int z = w.from_z; z <= w.to_z; ++z) {
                const float dz = (float)(z - w.z) - g->w, plane = h2 - dz * dz;
                float* row = rows + STRIDE * (NODES * z + w.from_y) + SPARE + x;
                for (int y = w.from_y; y <= w.to_y; ++y, row += STRIDE) {
                    const float dy = (float)(y - w.y) - g->v;
                    const phxi_f8 rest = (plane - dy * dy) - dx2, weight = PHXI_F8_POSITIVE(rest);
                    *(phxi_f8u*)row += g->volume * weight * (weight * weight);
                }
            }
        }
    }
}

// Stretched kernels: (1 - d^T S d)^3.
PHXI_CLONES static void phxi_surface_add_shaped(const phxi_cloud* cloud, phxi_grain_range range, phxi_place base,
                                                float* rows) {
    const phxi_f8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    window w;
    for (int i = range.begin; i < range.end; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        const float* s = cloud->shapes[i];
        if (!find_window(g, base, cloud->reach, &w)) {
            continue;
        }
        for (int x = w.from_x; x <= w.to_x; x += PHXI_LANES) {
            const phxi_f8 dx = steps + (float)(x - w.x) - g->u;
            for (int z = w.from_z; z <= w.to_z; ++z) {
                const float dz = (float)(z - w.z) - g->w;
                float* row = rows + STRIDE * (NODES * z + w.from_y) + SPARE + x;
                for (int y = w.from_y; y <= w.to_y; ++y, row += STRIDE) {
                    const float dy = (float)(y - w.y) - g->v;
                    const float across = 1 - (s[1] * dy * dy + s[2] * dz * dz + 2 * s[5] * dy * dz);
                    const float along = 2 * (s[3] * dy + s[4] * dz);
                    const phxi_f8 rest = across - dx * (s[0] * dx + along), weight = PHXI_F8_POSITIVE(rest);
                    *(phxi_f8u*)row += g->volume * weight * (weight * weight);
                }
            }
        }
    }
}

// The least square of the distance to a point.
PHXI_CLONES static void phxi_surface_add_nearest(const phxi_cloud* cloud, phxi_grain_range range, phxi_place base,
                                                 float* rows) {
    const phxi_f8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    window w;
    for (int i = range.begin; i < range.end; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        if (!find_window(g, base, cloud->reach, &w)) {
            continue;
        }
        for (int x = w.from_x; x <= w.to_x; x += PHXI_LANES) {
            const phxi_f8 dx = steps + (float)(x - w.x) - g->u, dx2 = dx * dx;
            for (int z = w.from_z; z <= w.to_z; ++z) {
                const float dz = (float)(z - w.z) - g->w;
                float* row = rows + STRIDE * (NODES * z + w.from_y) + SPARE + x;
                for (int y = w.from_y; y <= w.to_y; ++y, row += STRIDE) {
                    const float dy = (float)(y - w.y) - g->v;
                    const phxi_f8 r2 = (dz * dz + dy * dy) + dx2, old = *(phxi_f8u*)row;
                    const phxi_i8 nearer = r2 < old;
                    *(phxi_f8u*)row = (phxi_f8)(((phxi_i8)r2 & nearer) | ((phxi_i8)old & ~nearer));
                }
            }
        }
    }
}

void phxi_cloud_nearest(const phxi_cloud* cloud, phxi_place base, float* values) {
    float rows[STRIDE * NODES * NODES];
    phxi_place low, high;
    for (int i = 0; i < STRIDE * NODES * NODES; ++i) {
        rows[i] = cloud->reach * cloud->reach;
    }
    phxi_cloud_node_bins(cloud, base, &low, &high);
    for (int z = low.z; z <= high.z; ++z) {
        for (int y = low.y; y <= high.y; ++y) {
            phxi_surface_add_nearest(cloud, phxi_cloud_row(cloud, y, z, low.x, high.x), base, rows);
        }
    }
    for (int row = 0; row < NODES * NODES; ++row) {
        for (int x = 0; x < NODES; ++x) {
            values[NODES * row + x] = sqrtf(rows[STRIDE * row + SPARE + x]);
        }
    }
}

bool phxi_cloud_sample(void* context, phxi_place block, float* values) {
    const phxi_cloud* cloud = context;
    float rows[STRIDE * NODES * NODES];
    memset(rows, 0, sizeof rows);
    phxi_place base = {PHXI_BLOCK_CELLS * block.x, PHXI_BLOCK_CELLS * block.y, PHXI_BLOCK_CELLS * block.z}, low, high;
    phxi_cloud_node_bins(cloud, base, &low, &high);
    // Bins in ascending order: every node sums its points in the order of the cloud.
    for (int z = low.z; z <= high.z; ++z) {
        for (int y = low.y; y <= high.y; ++y) {
            phxi_grain_range range = phxi_cloud_row(cloud, y, z, low.x, high.x);
            if (cloud->shapes) {
                phxi_surface_add_shaped(cloud, range, base, rows);
            } else {
                phxi_surface_add_round(cloud, range, base, rows);
            }
        }
    }
    for (int row = 0; row < NODES * NODES; ++row) {
        memcpy(values + NODES * row, rows + STRIDE * row + SPARE, NODES * sizeof *values);
    }
    return true;
}
