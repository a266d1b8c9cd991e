// SPDX-License-Identifier: MIT
// Particles that drivers hold along some directions only (docs/theory/loads.md (6), (8)): where they are tried first,
// and their part of the preconditioner.
#include "implicit/implicit_internal.h"

#include "core/hash.h"

#include <string.h>

void phxi_implicit_go_to_start(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    memcpy(s->x, s->q, (size_t)s->count * sizeof *s->x);
    for (int i = 0; w->railed && i < s->count; ++i) {
        if (phxi_implicit_on_rail(w, i)) {
            s->x[i] = phxi_implicit_on_rail_only(w, i, s->q[i], phxi_add_scaled(s->q[i], s->dt, s->v[i]));
        }
    }
}

uint64_t phxi_implicit_held_hash(const phxi_implicit_work* w) {
    const phxi_particles* p = w->step->particles;
    int count = w->s->count, begin = w->s->begin;
    uint64_t hash = phxi_hash_bytes(w->fixed, (size_t)count * sizeof *w->fixed, 0);
    for (int i = 0; w->railed && i < count; ++i) {
        hash = phxi_implicit_on_rail(w, i) ? phxi_hash_bytes(&p->rails[p->rail[begin + i] - 1], sizeof *p->rails,
                                                             phxi_hash_pair(hash, (uint64_t)i))
                                           : hash;
    }
    return hash;
}

/// I - P of a rail in the axes of the linear system, as xx yy zz xy xz yz.
static void across_rail(const phxi_implicit_work* w, int i, double n[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    phxi_mat3 p = phxi_implicit_rail_axes(w, i);
    for (int k = 0; k < 6; ++k) {
        n[k] = (row[k] == column[k]) - p.m[row[k]][column[k]];
    }
}

double phxi_implicit_keep_to_rail(const phxi_implicit_work* w, int i, double d[6]) {
    double n[6], mean = (d[0] + d[1] + d[2]) / 3;
    across_rail(w, i, n);
    phxi_mat3 p = phxi_implicit_rail_axes(w, i), own = {{{d[0], d[3], d[4]}, {d[3], d[1], d[5]}, {d[4], d[5], d[2]}}};
    phxi_mat3 right = phxi_mat3_mul(&own, &p), both = phxi_mat3_mul(&p, &right);
    const double kept[6] = {both.m[0][0], both.m[1][1], both.m[2][2], both.m[0][1], both.m[0][2], both.m[1][2]};
    for (int k = 0; k < 6; ++k) {
        d[k] = kept[k] + n[k] * mean;
    }
    return mean;
}

void phxi_implicit_leave_rail_out(const phxi_implicit_work* w, int i, double mean) {
    double n[6];
    across_rail(w, i, n);
    for (int k = 0; k < 6; ++k) {
        w->s->block[k][i] -= (phx_real)(n[k] / mean);
    }
}
