// SPDX-License-Identifier: MIT
// See rotation_wide.h: Newton's iteration in lanes of eight, and one at a time by singular values where it is not made
// for: flat, turned inside out, far away.
#include "math/rotation_wide.h"

#include "math/decompose3.h"

#include <string.h>

enum { LANES = 8, STEPS = 6 }; // steps of Newton's iteration Q <- (Q + cof Q / det Q) / 2

PHXI_INLINE void cofactor8(const phxi_r8 q[9], phxi_r8 c[9]) {
    for (int a = 0; a < 3; ++a) {
        int a1 = 3 * ((a + 1) % 3), a2 = 3 * ((a + 2) % 3);
        for (int b = 0; b < 3; ++b) {
            int b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            c[3 * a + b] = q[a1 + b1] * q[a2 + b2] - q[a1 + b2] * q[a2 + b1];
        }
    }
}

/// Of a group; det F, |F - R|^2, and what the last step of the iteration still changed, squared.
static PHXI_CLONES void rotate_group(const phx_real* g, int stride, phxi_turn8* turn, phx_real* det, phx_real* distance,
                                     phx_real* change) {
    phxi_r8 f[9], q[9], c[9], size = {0}, last = {0};
    for (int a = 0; a < 9; ++a) {
        memcpy(&f[a], g + a * stride, sizeof f[a]);
        q[a] = f[a] += (phx_real)(a % 4 == 0);
    }
    for (int step = 0; step < STEPS; ++step) {
        cofactor8(q, c);
        phxi_r8 volume = q[0] * c[0] + q[1] * c[1] + q[2] * c[2], half = (phx_real)0.5 / volume;
        if (step == 0) {
            memcpy(det, &volume, sizeof volume);
        }
        for (int a = 0; a < 9; ++a) {
            phxi_r8 next = (phx_real)0.5 * q[a] + half * c[a], step_size = next - q[a];
            last = step == STEPS - 1 ? last + step_size * step_size : last;
            q[a] = next;
        }
    }
    for (int a = 0; a < 9; ++a) {
        turn->r[a] = q[a];
        size += (f[a] - q[a]) * (f[a] - q[a]);
    }
    memcpy(distance, &size, sizeof size);
    memcpy(change, &last, sizeof last);
}

static double rotate_one(const phx_real* g, int stride, phxi_turn8* turn, int lane) {
    phxi_mat3 f;
    for (int a = 0; a < 9; ++a) {
        f.m[a / 3][a % 3] = (double)g[a * stride + lane] + (a % 4 == 0);
    }
    phxi_mat3 r = phxi_polar_rotation(&f);
    double size = 0;
    for (int a = 0; a < 9; ++a) {
        double e = f.m[a / 3][a % 3] - r.m[a / 3][a % 3];
        turn->r[a][lane] = (phx_real)r.m[a / 3][a % 3];
        size += e * e;
    }
    return size;
}

void phxi_rotations(const phx_real* g, int stride, int count, phxi_turn8* turns, phx_real* det, phx_real* distance) {
    for (int i = 0; i < count; i += LANES, ++turns) {
        phx_real d[LANES], size[LANES], change[LANES];
        rotate_group(g + i, stride, turns, d, size, change);
        for (int lane = 0; lane < LANES && i + lane < count; ++lane) {
            if (!(d[lane] > (phx_real)0.02 && change[lane] < (phx_real)1e-8)) {
                size[lane] = (phx_real)rotate_one(g + i, stride, turns, lane);
            }
            det[i + lane] = d[lane];
            distance[i + lane] = size[lane];
        }
    }
}
