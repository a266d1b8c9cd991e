// SPDX-License-Identifier: MIT
// The local step of model `state` and the forces that follow, docs/theory/peridynamics.md (4) to (7).
//
//   pass 1    S = sum w u_ij X^T / r^2, e = sum w (|Y| / r - 1)
//   between   A = S + G, R = polar A, s = tr R^T A
//   pass 2    f_i = sum_j [a_ij c_i (Y - s_i R_i X) + a_ji c_j (Y - s_j R_j X)] + [a_ij b_i + a_ji b_j] r Y / |Y|,
//             a_ij = V_i w_ij / r^2, c = c_dev, b = c_iso e
//
// Y - s R X is written u_ij - (s R - I) X: small numbers stay exact in float. Bodies with columns of bonds (pack.h) go
// by loops.c and between.c, which do the same; what is here goes by rows, with rest vectors that bonds own.
#include "methods/peridynamics/pack.h"

#include "math/decompose3.h"
#include "math/lanes.h"

#include <string.h>

#define SPLAT(a, lane) __builtin_shufflevector(a, a, lane, lane, lane, lane)

// -------------------------------------------------------------------------------------------------------------- pass 1

PHXI_INLINE phx_real root(phx_real x) {
#ifdef PHX_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

static PHXI_CLONES void peri_pass1(const phxi_peri_slot* slot, int first, int count, phxi_peri_block* b) {
    for (int i = 0; i < count; ++i) {
        phxi_r4 own = slot->u[first + i], s[3] = {{0}};
        phx_real stretch = 0;
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            phxi_r4 u = slot->u[slot->other[k]] - own, y = slot->near[k], x = slot->rest[k];
            s[0] += SPLAT(u, 0) * y;
            s[1] += SPLAT(u, 1) * y;
            s[2] += SPLAT(u, 2) * y;
            // |Y|^2 - r^2 = u . (2 X + u), in which the small part is not lost
            phxi_r4 more = u * (2 * x + u);
            phx_real r = x[3], square = more[0] + more[1] + more[2], now = r * r + square;
            phx_real length = root(now > 0 ? now : 0);
            stretch += y[3] * r * square / (length + r);
            slot->shrink[k] = length > 0 ? r / length : 0;
        }
        for (int c = 0; c < 3; ++c) {
            b->s[3 * c][i] = s[c][0], b->s[3 * c + 1][i] = s[c][1], b->s[3 * c + 2][i] = s[c][2];
            b->su[c][i] = s[c][3];
        }
        b->stretch[i] = stretch;
    }
}

// ------------------------------------------------------------------------------------------------------------- between

/// Component [row][column] of a symmetric matrix in six numbers.
static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

/// rank (S + G) - I: about R - I whatever the number of directions.
static PHXI_CLONES void peri_gradients(const phxi_peri_rest* rest, phxi_peri_block* b) {
    for (int k = 0; k < 9; ++k) {
        const phx_real *s = b->s[k], *moment = rest->moment[sym[k]], *rank = rest->rank;
        const phx_real one = k % 4 == 0;
        phx_real* restrict g = b->g[k];
        PHXI_SIMD
        for (int i = 0; i < PERI_BLOCK; ++i) {
            g[i] = rank[i] * s[i] + (rank[i] * moment[i] - one);
        }
    }
}

/// Where bonds lie in a plane or on a line, what is across is not known: completed as it would turn along unstretched.
static void complete(const phxi_peri_rest* rest, int i, phxi_peri_block* b) {
    phxi_sym3 g = {(double)rest->moment[0][i], (double)rest->moment[1][i], (double)rest->moment[2][i],
                   (double)rest->moment[3][i], (double)rest->moment[4][i], (double)rest->moment[5][i]};
    double values[3];
    phxi_mat3 axes, m;
    phxi_eigen_sym3(&g, values, &axes);
    for (int k = 0; k < 9; ++k) {
        m.m[k / 3][k % 3] = (double)b->g[k][i] + (k % 4 == 0);
    }
    int rank = (int)rest->rank[i];
    phx_vec3 q[3], image[3];
    for (int k = 0; k < 3; ++k) {
        q[k] = phxi_vec3(axes.m[0][k], axes.m[1][k], axes.m[2][k]);
        image[k] = phxi_mat3_apply(&m, q[k]);
    }
    phx_vec3 along = phxi_normalize(image[0], q[0]);
    if (rank < 1) {
        image[0] = along = q[0];
    }
    if (rank < 2) {
        phx_vec3 across = phxi_add_scaled(q[1], -phxi_dot(along, q[1]), along);
        image[1] = phxi_normalize(across, phxi_perpendicular(along));
    }
    image[2] = phxi_normalize(phxi_cross(image[0], image[1]), phxi_perpendicular(along));
    for (int k = 0; k < 9; ++k) {
        int row = k / 3, column = k % 3;
        double sum = 0;
        for (int a = 0; a < 3; ++a) {
            const double from[3] = {image[a].x, image[a].y, image[a].z}, to[3] = {q[a].x, q[a].y, q[a].z};
            sum += from[row] * to[column];
        }
        b->g[k][i] = (phx_real)(sum - (k % 4 == 0));
    }
}

/// s - 1 = R : S + (R - I) : G, as tr G = 1; and the rows of pass 2.
static PHXI_CLONES bool peri_rows(const phxi_peri_slot* slot, const phxi_peri_rest* rest, int first, int count,
                                  phxi_peri_block* b) {
    phx_real finite = 0;
    for (int i = 0; i < count; ++i) {
        const phxi_turn8* turn = &slot->turns[(first + i) / PERI_LANES];
        phx_real r[9], scale = 0, dev = rest->dev[i], volume = slot->volume[first + i];
        const phx_real hourglass = (phx_real)slot->params.hourglass * dev, affine = dev - hourglass;
        for (int k = 0; k < 9; ++k) {
            r[k] = turn->r[k][(first + i) % PERI_LANES];
            scale += r[k] * b->s[k][i] + (r[k] - (phx_real)(k % 4 == 0)) * rest->moment[sym[k]][i];
        }
        b->scale[i] = scale;
        phxi_r4 u = slot->u[first + i];
        phxi_peri_row* row = &slot->rows[first + i];
        for (int c = 0; c < 3; ++c) {
            phx_real q[3];
            for (int a = 0; a < 3; ++a) {
                q[a] = -dev * (scale * r[3 * c + a] + (r[3 * c + a] - (phx_real)(c == a)));
                for (int k = 0; k < 3; ++k) { // F - I = S G^+
                    q[a] += affine * b->s[3 * c + k][i] * rest->spread[sym[3 * k + a]][i];
                }
            }
            row->part[c] = (phxi_r4){q[0], q[1], q[2], hourglass * u[c]};
            phx_real own = hourglass * b->su[c][i] + q[0] * rest->middle[0][i] + q[1] * rest->middle[1][i] +
                           q[2] * rest->middle[2][i];
            slot->own[first + i][c] = volume * own;
            finite += 0 * (own + q[0] + q[1] + q[2]);
        }
        phx_real tension = rest->iso[i] * b->stretch[i];
        slot->own[first + i][3] = volume * tension;
        row->part[3] = (phxi_r4){hourglass, hourglass, hourglass, tension};
        finite += 0 * tension;
    }
    return finite == 0;
}

static int block_count(const phxi_peri_slot* slot, int block) {
    int left = slot->count - block * PERI_BLOCK;
    return left < PERI_BLOCK ? left : PERI_BLOCK;
}

/// Rotations of a block from its S.
static void turn_block(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    const phxi_peri_rest* rest = &slot->constants[block];
    int first = block * PERI_BLOCK, count = block_count(slot, block);
    peri_gradients(rest, b);
    for (int i = 0; i < count; ++i) {
        if (rest->rank[i] < 3) {
            complete(rest, i, b);
        }
    }
    phxi_rotations(b->g[0], PERI_BLOCK, count, slot->turns + first / PERI_LANES, b->det, b->distance);
    for (int i = 0; i < count; ++i) {
        b->det[i] *= rest->size[i];
    }
}

bool phxi_peri_local(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    int first = block * PERI_BLOCK, count = block_count(slot, block);
    if (count < PERI_BLOCK) {
        memset(b, 0, sizeof *b);
    }
    if (slot->pack) {
        PHXI_LANES_CALL(phxi_peri_state_sums, slot, block, b);
    } else {
        peri_pass1(slot, first, count, b);
    }
    for (int i = 0; slot->thermal && i < count; ++i) {
        b->stretch[i] -= slot->thermal[first + i];
    }
    turn_block(slot, block, b);
    return slot->pack ? phxi_peri_state_rows(slot, block, b)
                      : peri_rows(slot, &slot->constants[block], first, count, b);
}

void phxi_peri_turn(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    if (block_count(slot, block) < PERI_BLOCK) {
        memset(b, 0, sizeof *b);
    }
    PHXI_LANES_CALL(phxi_peri_sums, slot, block, b);
    turn_block(slot, block, b);
}

// -------------------------------------------------------------------------------------------------------------- pass 2

static PHXI_CLONES void peri_pass2(const phxi_peri_slot* slot, int first, int count, phx_real force[3][PERI_BLOCK]) {
    for (int i = 0; i < count; ++i) {
        phxi_r4 t[4] = {{0}}, pull = {0}, u = slot->u[first + i];
        phx_real tension = slot->own[first + i][3];
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            const phxi_peri_row* row = &slot->rows[slot->other[k]];
            phxi_r4 y = slot->far[k], last = row->part[3];
            t[0] += row->part[0] * y;
            t[1] += row->part[1] * y;
            t[2] += row->part[2] * y;
            t[3] += last * SPLAT(y, 3);
            phx_real both = (tension * slot->near[k][3] + last[3] * y[3]) * slot->shrink[k];
            pull += both * (slot->rest[k] + (slot->u[slot->other[k]] - u));
        }
        for (int c = 0; c < 3; ++c) {
            force[c][i] =
                slot->own[first + i][c] + ((t[c][0] + t[c][1]) + (t[c][2] + t[c][3])) - t[3][c] * u[c] + pull[c];
        }
    }
}

void phxi_peri_force(const phxi_peri_slot* slot, int block, phx_real force[3][PERI_BLOCK]) {
    int first = block * PERI_BLOCK;
    if (!slot->pack) {
        peri_pass2(slot, first, block_count(slot, block), force);
        return;
    }
    PHXI_LANES_CALL(phxi_peri_state_pulls, slot, block, force);
    for (int c = 0; c < 3; ++c) {
        const phx_real* own = slot->pack->plane[PLANE_OWN + c] + first;
        PHXI_SIMD
        for (int i = 0; i < PERI_BLOCK; ++i) {
            force[c][i] += own[i];
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- energy

double phxi_peri_energy(const phxi_peri_slot* slot, const phxi_peri_block* b, int i, double* shear) {
    int lane = i % PERI_BLOCK;
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    const phxi_turn8* turn = &slot->turns[i / PERI_LANES];
    double r[9], affine[9] = {0}, scale = (double)b->scale[lane], sum = 0, stretch = (double)b->stretch[lane];
    for (int k = 0; k < 9; ++k) {
        r[k] = (double)turn->r[k][i % PERI_LANES];
        r[k] = scale * r[k] + (r[k] - (k % 4 == 0)); // s R - I
        for (int a = 0; a < 3; ++a) {                // F - I = S G^+
            affine[k] += (double)b->s[k / 3 * 3 + a][lane] * (double)rest->spread[sym[3 * a + k % 3]][lane];
        }
    }
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phxi_r4 u = slot->u[slot->other[k]] - slot->u[i], x = slot->rest[k];
        for (int c = 0; c < 3; ++c) {
            double e =
                (double)u[c] - (r[3 * c] * (double)x[0] + r[3 * c + 1] * (double)x[1] + r[3 * c + 2] * (double)x[2]);
            double beyond = (double)u[c] - (affine[3 * c] * (double)x[0] + affine[3 * c + 1] * (double)x[1] +
                                            affine[3 * c + 2] * (double)x[2]);
            sum += (double)slot->near[k][3] * (e * e - (1 - slot->params.hourglass) * beyond * beyond);
        }
    }
    *shear = (double)rest->rank[lane] * sum;
    return (double)slot->volume[i] * ((double)rest->dev[lane] * sum + (double)rest->iso[lane] * stretch * stretch) / 2;
}
