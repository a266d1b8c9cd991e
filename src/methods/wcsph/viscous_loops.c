// SPDX-License-Identifier: MIT
// Loops over the pairs of the fluid for the implicit step. Rows are padded to whole groups with the unknown itself,
// which adds nothing.
#include "methods/wcsph/viscous_internal.h"

#include "neighbors/kernel_wide.h"
#include "neighbors/near_wide.h"

// ------------------------------------------------------------------------------------------------------- coefficients

/// xx, yy, zz; xy, xz, yz: four at a time.
typedef struct block_sums {
    phxi_lanes diagonal[4], off[4];
} block_sums;

PHXI_INLINE void add_coefficients(const phxi_viscous* s, int u, bool angular, bool periodic, const int* item,
                                  phx_real* k, block_sums* t) {
    phxi_r4 own = s->x[u], trait = s->trait[u];
    const phx_real scale = (phx_real)(s->input->dt * (angular ? -20.0 : -4.0));
    const phx_real softening = (phx_real)(s->input->cubic ? 0.01 / 4 : 0.01 / 9);
    phxi_lanes x[4], other[4], slope;
    phxi_near_delta_lanes(s->input->near, s->x, &own, item, periodic, x);
    phxi_lanes_gather(s->trait, item, other);
    phxi_lanes square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    phxi_lanes support = (phx_real)0.5 * (trait[2] + other[2]), inverse = 1 / support;
    if (s->input->cubic) {
        phxi_cubic_lanes(&square, &inverse, NULL, &slope);
    } else {
        phxi_quintic_lanes(&square, &inverse, NULL, &slope);
    }
    // volumes by the support's cube: numbers of order one, whatever the scale of length
    phxi_lanes cube = inverse * inverse * inverse;
    phxi_lanes share = (trait[0] * cube) * (other[0] * cube) * support * slope;
    phxi_lanes soft = square + softening * (support * support);
    phxi_lanes c = scale * share / ((trait[1] + other[1]) * soft);
    c = angular ? c : c * square;
    *(phxi_lanes*)(void*)k = c;
    if (!angular) {
        t->diagonal[0] += c;
        return;
    }
    for (int a = 0; a < 3; ++a) {
        phxi_lanes cx = c * x[a];
        t->diagonal[a] += cx * x[a];
        t->off[a == 0 ? 0 : a == 1 ? 2 : 1] += cx * x[(a + 1) % 3];
    }
}

PHXI_INLINE void row_coefficients(const phxi_viscous* s, int u, bool angular, bool periodic, double block[6]) {
    block_sums t[PHXI_PARTS] = {{.off = {{0}}}};
    const int* item = s->item + s->start[u];
    phx_real* k = s->k + s->start[u];
    for (int n = 0; n < s->length[u]; n += PHXI_GROUP) {
        for (int part = 0; part < PHXI_PARTS; ++part) {
            int at = n + part * PHXI_LANE_COUNT;
            add_coefficients(s, u, angular, periodic, item + at, k + at, &t[part]);
        }
    }
    phxi_r4 diagonal, off;
    phxi_sum_lanes4(t->diagonal, sizeof(block_sums) / sizeof(phxi_lanes), &diagonal);
    phxi_sum_lanes4(t->off, sizeof(block_sums) / sizeof(phxi_lanes), &off);
    for (int a = 0; a < 3; ++a) {
        block[a] = (double)diagonal[angular ? a : 0];
        block[3 + a] = (double)off[a];
    }
}

static PHXI_LOOP_CLONES void viscous_coefficients(const phxi_viscous* s, int u, double block[6]) {
    if (s->angular) {
        s->periodic ? row_coefficients(s, u, true, true, block) : row_coefficients(s, u, true, false, block);
    } else {
        s->periodic ? row_coefficients(s, u, false, true, block) : row_coefficients(s, u, false, false, block);
    }
}

void PHXI_LANES_NAME(phxi_viscous_coefficients)(const phxi_viscous* s, int u, double block[6]) {
    viscous_coefficients(s, u, block);
}

// ------------------------------------------------------------------------------------------------------------ product

typedef struct product_sums {
    phxi_lanes of[4];
} product_sums;

PHXI_INLINE void add_products(const phxi_viscous* s, bool angular, bool periodic, const phxi_r4* own, const phxi_r4* p,
                              const int* item, const phx_real* k, product_sums* t) {
    phxi_lanes c = *(const phxi_lanes*)(const void*)k, x[4], v[4];
    phxi_lanes_gather(s->p, item, v);
    for (int a = 0; a < 3; ++a) {
        v[a] = (*p)[a] - v[a];
    }
    if (angular) {
        phxi_near_delta_lanes(s->input->near, s->x, own, item, periodic, x);
        c *= v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
    }
    for (int a = 0; a < 3; ++a) {
        t->of[a] += c * (angular ? x[a] : v[a]);
    }
}

PHXI_INLINE double product(const phxi_viscous* s, int begin, int end, bool angular, bool periodic) {
    double dot = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 own = s->x[u], p = s->p[u], pairs, q;
        product_sums t[PHXI_PARTS] = {{{{0}}}};
        const int* item = s->item + s->start[u];
        const phx_real* k = s->k + s->start[u];
        for (int n = 0; n < s->length[u]; n += PHXI_GROUP) {
            for (int part = 0; part < PHXI_PARTS; ++part) {
                int at = n + part * PHXI_LANE_COUNT;
                add_products(s, angular, periodic, &own, &p, item + at, k + at, &t[part]);
            }
        }
        phxi_sum_lanes4(t->of, sizeof(product_sums) / sizeof(phxi_lanes), &pairs);
        phxi_viscous_times(&s->wall[u], &p, &q);
        q += pairs + s->inertia * s->mass[u] * p;
        s->q[u] = q;
        dot += phxi_viscous_dot(&p, &q);
    }
    return dot;
}

static PHXI_LOOP_CLONES double viscous_product(const phxi_viscous* s, int begin, int end) {
    if (!s->angular) {
        return product(s, begin, end, false, false);
    }
    return s->periodic ? product(s, begin, end, true, true) : product(s, begin, end, true, false);
}

double PHXI_LANES_NAME(phxi_viscous_product)(const phxi_viscous* s, int begin, int end) {
    return viscous_product(s, begin, end);
}
