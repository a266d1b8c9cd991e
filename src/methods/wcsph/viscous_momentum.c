// SPDX-License-Identifier: MIT
// Conjugate gradients are stopped early; what the answer then lacks in momentum and angular momentum is known, and a
// rigid motion makes up for it.
#include "methods/wcsph/viscous_internal.h"

#include "math/decompose3.h"

/// Sums of what d lacks in momentum.
static void lack_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    phxi_viscous_sums t = {0};
    for (int u = begin; u < end; ++u) {
        double m = (double)s->mass[u], x[3], v[3];
        for (int a = 0; a < 3; ++a) {
            x[a] = (double)s->x[u][a];
            v[a] = (double)s->target[u][a] - (double)s->d[u][a];
            t.first[a] += m * x[a];
            t.momentum[a] += m * v[a];
        }
        t.mass += m;
        t.spin[0] += m * (x[1] * v[2] - x[2] * v[1]);
        t.spin[1] += m * (x[2] * v[0] - x[0] * v[2]);
        t.spin[2] += m * (x[0] * v[1] - x[1] * v[0]);
        t.second[0] += m * x[0] * x[0], t.second[1] += m * x[1] * x[1], t.second[2] += m * x[2] * x[2];
        t.second[3] += m * x[0] * x[1], t.second[4] += m * x[0] * x[2], t.second[5] += m * x[1] * x[2];
    }
    s->sums[block] = t;
}

static void rigid_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        phx_vec3 arm = phxi_sub(phxi_vec3(s->x[u][0], s->x[u][1], s->x[u][2]), s->center);
        phxi_r4 motion;
        phxi_viscous_set(&motion, phxi_add(s->shift, phxi_cross(s->turn, arm)));
        s->d[u] += motion;
    }
}

void phxi_viscous_match_momentum(phxi_viscous* s, phxi_pool* pool) {
    if (s->walls) {
        return;
    }
    phxi_viscous_loop(s, pool, lack_part);
    phxi_viscous_sums t = {0};
    for (int b = 0; b < phxi_block_count(s->count, VISCOUS_GRAIN); ++b) {
        t.mass += s->sums[b].mass;
        for (int a = 0; a < 3; ++a) {
            t.momentum[a] += s->sums[b].momentum[a];
            t.spin[a] += s->sums[b].spin[a];
            t.first[a] += s->sums[b].first[a];
        }
        for (int a = 0; a < 6; ++a) {
            t.second[a] += s->sums[b].second[a];
        }
    }
    phx_vec3 lack = phxi_vec3(t.momentum[0], t.momentum[1], t.momentum[2]);
    s->center = phxi_vec3(t.first[0] / t.mass, t.first[1] / t.mass, t.first[2] / t.mass);
    s->shift = phxi_scale(1 / t.mass, lack);
    s->turn = phxi_vec3(0, 0, 0);
    if (s->angular && !s->periodic) {
        phx_vec3 c = s->center, spin = phxi_sub(phxi_vec3(t.spin[0], t.spin[1], t.spin[2]), phxi_cross(c, lack));
        double mass = t.mass, xx = t.second[0] - mass * c.x * c.x, yy = t.second[1] - mass * c.y * c.y;
        double zz = t.second[2] - mass * c.z * c.z;
        phxi_sym3 inverse, inertia = {yy + zz,
                                      xx + zz,
                                      xx + yy,
                                      mass * c.x * c.y - t.second[3],
                                      mass * c.x * c.z - t.second[4],
                                      mass * c.y * c.z - t.second[5]};
        phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
        s->turn = phxi_vec3(inverse.xx * spin.x + inverse.xy * spin.y + inverse.xz * spin.z,
                            inverse.xy * spin.x + inverse.yy * spin.y + inverse.yz * spin.z,
                            inverse.xz * spin.x + inverse.yz * spin.y + inverse.zz * spin.z);
    }
    phxi_viscous_loop(s, pool, rigid_part);
}
