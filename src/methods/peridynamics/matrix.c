// SPDX-License-Identifier: MIT
// Products with the matrices of the global step, in the axes of the frame.
//
//   scalar    L q_i = sum_j link (q_i - q_j): targets stand still, docs/theory/peridynamics.md (9)
//   tangent   targets follow: with dA = sum w q_ij X^T / r^2 and M = R^T dA the mean stretch changes by tau = tr M and
//             the targets turn by omega = (I - G)^+ sum w n x R^T q_ij / r, docs/theory/peridynamics.md (10):
//               K q_i = -sum_j a_ij [c_i q_ij - B_i X] + a_ji [c_j q_ij - B_j X],
//               B = R (c ([omega]x + tau I) - c_iso tau I)
#include "methods/peridynamics/pack.h"

#include "math/lanes.h"

#include <string.h>

#define SPLAT(a, lane) __builtin_shufflevector(a, a, lane, lane, lane, lane)

typedef struct product {
    phxi_peri_slot* slot;
    const phx_real* const* q;
    phx_real* const* kq;
} product;

static void load_block(void* context, int begin, int end, int index) {
    (void)index;
    const product* c = context;
    if (c->slot->pack && c->slot->pack->straight) {
        for (int a = 0; a < 3; ++a) {
            memcpy(c->slot->pack->plane[PLANE_U + a] + begin, c->q[a] + begin,
                   (size_t)(end - begin) * sizeof(phx_real));
        }
        return;
    }
    for (int i = begin; i < end; ++i) {
        const phxi_r4 q = {c->q[0][i], c->q[1][i], c->q[2][i], 0};
        phxi_peri_put_u(c->slot, i, &q);
    }
}

// ------------------------------------------------------------------------------------------------------------- scalar

static PHXI_CLONES void peri_laplacian(const phxi_peri_slot* slot, int begin, int end, phx_real* const kq[3]) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 sum = slot->u[i] * slot->diagonal[i];
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            sum -= slot->u[slot->other[k]] * slot->link[k];
        }
        kq[0][i] = sum[0], kq[1][i] = sum[1], kq[2][i] = sum[2];
    }
}

static void laplacian_block(void* context, int begin, int end, int index) {
    const product* c = context;
    if (!c->slot->pack || !c->slot->pack->straight) {
        peri_laplacian(c->slot, begin, end, c->kq);
        return;
    }
    _Alignas(64) phx_real pulls[3][PERI_BLOCK];
    PHXI_LANES_CALL(phxi_peri_link_pulls, c->slot, index, pulls);
    for (int a = 0; a < 3; ++a) {
        for (int i = begin; i < end; ++i) {
            c->kq[a][i] = c->slot->diagonal[i] * c->q[a][i] - pulls[a][i - begin];
        }
    }
}

void phxi_peri_laplacian(phxi_step* step, phxi_peri_slot* slot, const phx_real* const q[3], phx_real* const kq[3]) {
    product c = {slot, q, kq};
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, load_block, &c);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, laplacian_block, &c);
}

// ------------------------------------------------------------------------------------------------------------ tangent

/// The row of particle i and its own part, from dA.
PHXI_INLINE void tangent_row(const phxi_peri_slot* slot, int i, const phxi_r4 da[3]) {
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    const phxi_turn8* turn = &slot->turns[i / PERI_LANES];
    const int lane = i % PERI_BLOCK;
    phx_real r[9], m[9], dev = rest->dev[lane], volume = slot->volume[i];
    for (int k = 0; k < 9; ++k) {
        r[k] = turn->r[k][i % PERI_LANES];
    }
    for (int k = 0; k < 9; ++k) {
        const int a = k / 3, b = k % 3;
        m[k] = r[a] * da[0][b] + r[3 + a] * da[1][b] + r[6 + a] * da[2][b];
    }
    phx_real trace = m[0] + m[4] + m[8], t[3] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]}, w[3];
    const phx_real* const turning[6] = {rest->turning[0], rest->turning[1], rest->turning[2],
                                        rest->turning[3], rest->turning[4], rest->turning[5]};
    w[0] = turning[0][lane] * t[0] + turning[3][lane] * t[1] + turning[4][lane] * t[2];
    w[1] = turning[3][lane] * t[0] + turning[1][lane] * t[1] + turning[5][lane] * t[2];
    w[2] = turning[4][lane] * t[0] + turning[5][lane] * t[1] + turning[2][lane] * t[2];
    const phx_real hourglass = (phx_real)slot->params.hourglass * dev, affine = dev - hourglass;
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    phx_real d = (dev - rest->iso[lane]) * trace;
    const phx_real inner[9] = {d, -dev * w[2], dev * w[1], dev * w[2], d, -dev * w[0], -dev * w[1], dev * w[0], d};
    phxi_r4 q = slot->u[i];
    phxi_peri_row* row = &slot->rows[i];
    for (int c = 0; c < 3; ++c) {
        phx_real b[3];
        for (int a = 0; a < 3; ++a) {
            b[a] = -(r[3 * c] * inner[a] + r[3 * c + 1] * inner[3 + a] + r[3 * c + 2] * inner[6 + a]);
            for (int k = 0; k < 3; ++k) {
                b[a] += affine * da[c][k] * rest->spread[sym[3 * k + a]][lane];
            }
        }
        row->part[c] = (phxi_r4){b[0], b[1], b[2], hourglass * q[c]};
        slot->own[i][c] = volume * (hourglass * da[c][3] + b[0] * rest->middle[0][lane] + b[1] * rest->middle[1][lane] +
                                    b[2] * rest->middle[2][lane]);
    }
    row->part[3] = (phxi_r4){hourglass, hourglass, hourglass, 0};
}

static PHXI_CLONES void peri_tangent_rows(const phxi_peri_slot* slot, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 own = slot->u[i], da[3] = {{0}};
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phxi_r4 q = slot->u[slot->other[k]] - own, y = slot->near[k];
            da[0] += SPLAT(q, 0) * y;
            da[1] += SPLAT(q, 1) * y;
            da[2] += SPLAT(q, 2) * y;
        }
        tangent_row(slot, i, da);
    }
}

static PHXI_CLONES void peri_tangent_gather(const phxi_peri_slot* slot, int begin, int end, phx_real* const kq[3]) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 t[4] = {{0}}, q = slot->u[i];
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            const phxi_peri_row* row = &slot->rows[slot->other[k]];
            phxi_r4 y = slot->far[k];
            t[0] += row->part[0] * y;
            t[1] += row->part[1] * y;
            t[2] += row->part[2] * y;
            t[3] += row->part[3] * SPLAT(y, 3);
        }
        for (int c = 0; c < 3; ++c) {
            kq[c][i] = -(slot->own[i][c] + ((t[c][0] + t[c][1]) + (t[c][2] + t[c][3])) - t[3][c] * q[c]);
        }
    }
}

static void rows_block(void* context, int begin, int end, int index) {
    const phxi_peri_slot* slot = ((const product*)context)->slot;
    if (slot->pack) {
        phxi_peri_block b;
        PHXI_LANES_CALL(phxi_peri_sums, slot, index, &b);
        phxi_peri_tangent_rows(slot, index, &b);
    } else {
        peri_tangent_rows(slot, begin, end);
    }
}

static void gather_block(void* context, int begin, int end, int index) {
    const product* c = context;
    if (!c->slot->pack) {
        peri_tangent_gather(c->slot, begin, end, c->kq);
        return;
    }
    _Alignas(64) phx_real pulls[3][PERI_BLOCK];
    PHXI_LANES_CALL(phxi_peri_tangent_pulls, c->slot, index, pulls);
    for (int a = 0; a < 3; ++a) {
        for (int i = begin; i < end; ++i) {
            c->kq[a][i] = -(c->slot->pack->plane[PLANE_OWN + a][i] + pulls[a][i - begin]);
        }
    }
}

void phxi_peri_tangent(phxi_step* step, phxi_peri_slot* slot, const phx_real* const q[3], phx_real* const kq[3]) {
    product c = {slot, q, kq};
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, load_block, &c);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, rows_block, &c);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, gather_block, &c);
}
