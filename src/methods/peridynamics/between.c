// SPDX-License-Identifier: MIT
// Between the two passes of loops.c: from the sums of a block and its rotations to what neighbours read of a particle
// and its own part of the force, eight particles at a time. Matrices are over c_dev.
//
//   state     M = -(s R - I) + (1 - a) (F - I), t = (c_iso / c_dev) e,  s - 1 = R : S + (R - I) : G, as tr G = 1
//   bond      M = F - I = S G^+ (across what bonds span it does not matter), t = c_iso / c_dev
//   tangent   M = -R ([omega]x + (1 - c_iso / c_dev) tau I) + (1 - a) dF, matrix.c
//   own part  V c_dev (a sum w u_ij / r^2 + M sum w X / r^2 + t sum w (r / |Y|) Y / r^2)
//
// a is the weight of what is not affine: Y - F X is orthogonal to all that is, so the energy of a bond splits into that
// of F X - s R X and this (docs/theory/peridynamics.md (7a)).
#include "methods/peridynamics/pack.h"

#include <string.h>

/// Component [row][column] of a symmetric matrix in six numbers.
static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

/// Eight particles of a block.
typedef struct eight {
    const phxi_peri_slot* slot;
    const phxi_peri_rest* rest;
    int first, lane; // of the slot, of the block
} eight;

typedef struct rows8 {
    phxi_r8 m[9], last, own[3];
} rows8;

PHXI_INLINE void take(const phx_real* from, phxi_r8* to) {
    memcpy(to, from, sizeof *to);
}

PHXI_INLINE void ratio_of(const eight* e, phxi_r8* ratio) {
    phx_real all[8];
    for (int k = 0; k < 8; ++k) {
        phx_real dev = e->rest->dev[e->lane + k];
        all[k] = dev > 0 ? e->rest->iso[e->lane + k] / dev : 0;
    }
    take(all, ratio);
}

/// M sum w X / r^2 with what is in `own`, times V c_dev.
PHXI_INLINE void finish_own(const eight* e, rows8* r) {
    phxi_r8 volume, dev, middle[3];
    take(e->slot->volume + e->first, &volume);
    take(e->rest->dev + e->lane, &dev);
    for (int a = 0; a < 3; ++a) {
        take(e->rest->middle[a] + e->lane, &middle[a]);
    }
    for (int c = 0; c < 3; ++c) {
        const phxi_r8* m = r->m + 3 * c;
        r->own[c] += m[0] * middle[0] + m[1] * middle[1] + m[2] * middle[2];
        r->own[c] *= volume * dev;
    }
}

/// Behind the last particle there is nothing, which loops may read and weigh with nothing.
static void clear_behind(const eight* e, rows8* r) {
    int count = e->slot->count - e->first;
    for (int lane = count > 0 ? count : 0; lane < 8; ++lane) {
        for (int k = 0; k < 9; ++k) {
            r->m[k][lane] = 0;
        }
        r->last[lane] = r->own[0][lane] = r->own[1][lane] = r->own[2][lane] = 0;
    }
}

PHXI_INLINE void put_rows(const eight* e, rows8* r) {
    const phxi_peri_slot* slot = e->slot;
    const struct phxi_peri_pack* pack = slot->pack;
    if (e->first + 8 > slot->count) {
        clear_behind(e, r);
    }
    for (int c = 0; c < 3; ++c) {
        memcpy(pack->plane[PLANE_OWN + c] + e->first, &r->own[c], sizeof r->own[c]);
    }
    if (pack->straight) {
        for (int k = 0; k < 9; ++k) {
            memcpy(pack->plane[PLANE_M + k] + e->first, &r->m[k], sizeof r->m[k]);
        }
        memcpy(pack->plane[PLANE_T] + e->first, &r->last, sizeof r->last);
        return;
    }
    for (int lane = 0; lane < 8; ++lane) {
        int i = e->first + lane;
        for (int c = 0; c < 3; ++c) {
            slot->rows[i].part[c] =
                (phxi_r4){r->m[3 * c][lane], r->m[3 * c + 1][lane], r->m[3 * c + 2][lane], slot->u[i][c]};
        }
        slot->rows[i].part[3] = pack->rest[i];
        slot->rows[i].part[3][3] = r->last[lane];
    }
}

/// 0 where all is finite.
PHXI_INLINE phx_real not_finite(const rows8* r) {
    phxi_r8 sum = r->own[0] + r->own[1] + r->own[2] + r->last;
    for (int k = 0; k < 9; ++k) {
        sum += r->m[k];
    }
    sum *= 0;
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/// Adds (1 - a) S G^+ to M; nothing where a is 1.
PHXI_INLINE void add_affine(const eight* e, const phxi_r8 s[9], rows8* r) {
    const phx_real rest = 1 - (phx_real)e->slot->params.hourglass;
    if (rest == 0) {
        return;
    }
    phxi_r8 g[6];
    for (int k = 0; k < 6; ++k) {
        take(e->rest->spread[k] + e->lane, &g[k]);
        g[k] *= rest;
    }
    for (int c = 0; c < 9; c += 3) {
        r->m[c] += s[c] * g[0] + s[c + 1] * g[3] + s[c + 2] * g[4];
        r->m[c + 1] += s[c] * g[3] + s[c + 1] * g[1] + s[c + 2] * g[5];
        r->m[c + 2] += s[c] * g[4] + s[c + 1] * g[5] + s[c + 2] * g[2];
    }
}

PHXI_INLINE void state_eight(const eight* e, phxi_peri_block* b, rows8* r) {
    const phxi_turn8* turn = &e->slot->turns[e->first / PERI_LANES];
    phxi_r8 scale = {0}, stretch, s[9];
    for (int k = 0; k < 9; ++k) {
        phxi_r8 moment;
        take(b->s[k] + e->lane, &s[k]);
        take(e->rest->moment[sym[k]] + e->lane, &moment);
        scale += turn->r[k] * s[k] + (turn->r[k] - (phx_real)(k % 4 == 0)) * moment;
    }
    memcpy(b->scale + e->lane, &scale, sizeof scale);
    for (int k = 0; k < 9; ++k) {
        r->m[k] = -(scale * turn->r[k] + (turn->r[k] - (phx_real)(k % 4 == 0)));
    }
    add_affine(e, s, r);
    ratio_of(e, &r->last);
    take(b->stretch + e->lane, &stretch);
    r->last *= stretch;
    for (int c = 0; c < 3; ++c) {
        phxi_r8 su, pull;
        take(b->su[c] + e->lane, &su);
        take(b->pull[c] + e->lane, &pull);
        r->own[c] = (phx_real)e->slot->params.hourglass * su + r->last * pull;
    }
    finish_own(e, r);
}

static PHXI_CLONES bool peri_state_rows(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    phx_real bad = 0;
    for (int lane = 0; lane < PERI_BLOCK; lane += 8) {
        const eight e = {slot, &slot->constants[block], block * PERI_BLOCK + lane, lane};
        rows8 r;
        state_eight(&e, b, &r);
        put_rows(&e, &r);
        bad += not_finite(&r);
    }
    return bad == 0;
}

bool phxi_peri_state_rows(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    return peri_state_rows(slot, block, b);
}

static PHXI_CLONES bool peri_bond_rows(const phxi_peri_slot* slot, int block, const phxi_peri_block* b) {
    phx_real bad = 0;
    for (int lane = 0; lane < PERI_BLOCK; lane += 8) {
        const eight e = {slot, &slot->constants[block], block * PERI_BLOCK + lane, lane};
        rows8 r;
        memset(&r, 0, sizeof r);
        for (int k = 0; k < 27; ++k) {
            int c = k / 9, a = k % 9;
            phxi_r8 s, spread;
            take(b->s[3 * c + a / 3] + lane, &s);
            take(e.rest->spread[sym[a]] + lane, &spread);
            r.m[3 * c + a % 3] += s * spread;
        }
        ratio_of(&e, &r.last);
        put_rows(&e, &r);
        bad += not_finite(&r);
    }
    return bad == 0;
}

bool phxi_peri_bond_rows(const phxi_peri_slot* slot, int block, const phxi_peri_block* b) {
    return peri_bond_rows(slot, block, b);
}

PHXI_INLINE void tangent_eight(const eight* e, const phxi_peri_block* b, rows8* r) {
    const phxi_r8* turn = e->slot->turns[e->first / PERI_LANES].r;
    phxi_r8 da[9], m[9], turning[6], ratio;
    for (int k = 0; k < 9; ++k) {
        take(b->s[k] + e->lane, &da[k]);
    }
    for (int k = 0; k < 6; ++k) {
        take(e->rest->turning[k] + e->lane, &turning[k]);
    }
    for (int k = 0; k < 9; ++k) {
        m[k] = turn[k / 3] * da[k % 3] + turn[3 + k / 3] * da[3 + k % 3] + turn[6 + k / 3] * da[6 + k % 3];
    }
    const phxi_r8 t[3] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    phxi_r8 w[3];
    for (int a = 0; a < 3; ++a) {
        w[a] = turning[sym[3 * a]] * t[0] + turning[sym[3 * a + 1]] * t[1] + turning[sym[3 * a + 2]] * t[2];
    }
    ratio_of(e, &ratio);
    const phxi_r8 d = (1 - ratio) * (m[0] + m[4] + m[8]);
    const phxi_r8 inner[9] = {d, -w[2], w[1], w[2], d, -w[0], -w[1], w[0], d};
    for (int k = 0; k < 9; ++k) {
        const phxi_r8* row = turn + 3 * (k / 3);
        r->m[k] = -(row[0] * inner[k % 3] + row[1] * inner[3 + k % 3] + row[2] * inner[6 + k % 3]);
    }
    add_affine(e, da, r);
    for (int c = 0; c < 3; ++c) {
        take(b->su[c] + e->lane, &r->own[c]);
        r->own[c] *= (phx_real)e->slot->params.hourglass;
    }
    memset(&r->last, 0, sizeof r->last);
    finish_own(e, r);
}

static PHXI_CLONES void peri_tangent_eights(const phxi_peri_slot* slot, int block, const phxi_peri_block* b) {
    for (int lane = 0; lane < PERI_BLOCK; lane += 8) {
        const eight e = {slot, &slot->constants[block], block * PERI_BLOCK + lane, lane};
        rows8 r;
        tangent_eight(&e, b, &r);
        put_rows(&e, &r);
    }
}

void phxi_peri_tangent_rows(const phxi_peri_slot* slot, int block, const phxi_peri_block* b) {
    peri_tangent_eights(slot, block, b);
}
