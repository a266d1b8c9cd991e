// SPDX-License-Identifier: MIT
// The plastic law of a block of particles and of one, and the fields it lives in; plastic.h, docs/theory/efg.md (12).
#include "methods/efg/plastic.h"

#include "math/decompose3.h"
#include "methods/efg/fracture/fracture.h"

#include <string.h>

// -------------------------------------------------------------------------------------------------------------- fields

static int find_field(const phxi_particles* particles, const char* name) {
    int k = 0;
    while (strcmp(particles->fields[k].def.name, name) != 0) {
        ++k;
    }
    return k;
}

void phxi_efg_plastic_undo(phxi_efg* efg, phxi_step* step, int count) {
    phxi_particles* p = step->particles;
    while (p->field_count > count) {
        phxi_free(p->heap, p->fields[--p->field_count].data);
        efg->plastic_fields = 0;
    }
}

phx_result phxi_efg_plastic_prepare(phxi_efg* efg, phxi_step* step, const phxi_body* body, int* reference) {
    phxi_particles* p = step->particles;
    efg->particles = p;
    *reference = find_field(p, "rest_x");
    if (!(body->material.yield > 0)) {
        return PHX_OK;
    }
    if (!efg->plastic_fields) {
        int first = p->field_count;
        for (int k = 0; k < EFG_PLASTIC_FIELDS; ++k) {
            PHXI_TRY(phxi_particles_add_field(p, &efg->variant->plastic[k]));
        }
        efg->plastic_fields = first;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const phx_real* rest = p->fields[*reference + axis].data;
        memcpy(phxi_efg_plastic_field(efg, EFG_REFERENCE + axis) + body->begin, rest + body->begin,
               (size_t)body->count * sizeof(phx_real));
    }
    *reference = efg->plastic_fields + EFG_REFERENCE;
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- block

/// What is gathered of a block.
typedef struct block_fields {
    _Alignas(64) phx_real strain[6][EFG_BLOCK];
    _Alignas(64) phx_real amount[EFG_BLOCK];
    _Alignas(64) phx_real map[6][EFG_BLOCK]; // L^-T - I
} block_fields;

/// F - I = G + K + G K for H = I + K, in place of G; and the Frobenius norm of (J^T J - I)/2 squared, huge where det J
/// is not between 1/2 and 2.
static PHXI_CLONES void efg_total_gradients(int rows, phx_real g[9][EFG_BLOCK], phx_real k[9][EFG_BLOCK],
                                            phx_real* restrict change) {
    PHXI_SIMD
    for (int i = 0; i < rows; ++i) {
        phx_real a = g[0][i], b = g[1][i], c = g[2][i], d = g[3][i], e = g[4][i], f = g[5][i];
        phx_real h = g[6][i], l = g[7][i], m = g[8][i];
        phx_real xx = a + (a * a + d * d + h * h) / 2, yy = e + (b * b + e * e + l * l) / 2;
        phx_real zz = m + (c * c + f * f + m * m) / 2, xy = (b + d + a * b + d * e + h * l) / 2;
        phx_real xz = (c + h + a * c + d * f + h * m) / 2, yz = (f + l + b * c + e * f + l * m) / 2;
        phx_real x = 1 + a, y = 1 + e, z = 1 + m;
        phx_real det = x * (y * z - f * l) - b * (d * z - f * h) + c * (d * l - y * h);
        phx_real norm = xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz);
        change[i] = det < (phx_real)0.5 || det > 2 ? (phx_real)1e9 : norm;
        const phx_real row[3][3] = {{a, b, c}, {d, e, f}, {h, l, m}};
        for (int r = 0; r < 3; ++r) {
            for (int q = 0; q < 3; ++q) {
                g[3 * r + q][i] = row[r][q] + k[3 * r + q][i] +
                                  (row[r][0] * k[q][i] + row[r][1] * k[3 + q][i] + row[r][2] * k[6 + q][i]);
            }
        }
    }
}

/// B - I = K + X + K X for L^-T = I + X (upper triangle), in place of K, and ||B B^T - I|| squared.
static PHXI_CLONES void efg_flow_maps(int rows, phx_real k[9][EFG_BLOCK], phx_real x[6][EFG_BLOCK],
                                      phx_real* restrict size) {
    PHXI_SIMD
    for (int i = 0; i < rows; ++i) {
        phx_real b[3][3], xx = x[0][i], yy = x[1][i], zz = x[2][i], xy = x[3][i], xz = x[4][i], yz = x[5][i];
        for (int r = 0; r < 3; ++r) {
            phx_real k0 = k[3 * r][i], k1 = k[3 * r + 1][i], k2 = k[3 * r + 2][i];
            b[r][0] = k0 + k0 * xx;
            b[r][1] = k1 + k0 * xy + k1 * yy;
            b[r][2] = k2 + k0 * xz + k1 * yz + k2 * zz;
        }
        b[0][0] += xx, b[1][1] += yy, b[2][2] += zz, b[0][1] += xy, b[0][2] += xz, b[1][2] += yz;
        phx_real sum = 0;
        for (int r = 0; r < 3; ++r) {
            for (int q = 0; q < 3; ++q) {
                phx_real s = b[r][q] + b[q][r] + b[r][0] * b[q][0] + b[r][1] * b[q][1] + b[r][2] * b[q][2];
                sum += s * s;
                k[3 * r + q][i] = b[r][q];
            }
        }
        size[i] = sum;
    }
}

static PHXI_CLONES void efg_pull_stress(const phxi_efg_flow* flow, int rows, phx_real p[9][EFG_BLOCK]) {
    const phx_real(*b)[EFG_BLOCK] = flow->b;
    const phx_real* restrict w = flow->weight;
    for (int r = 0; r < 3; ++r) {
        phx_real* restrict x = p[3 * r], * restrict y = p[3 * r + 1], * restrict z = p[3 * r + 2];
        PHXI_SIMD
        for (int i = 0; i < rows; ++i) {
            phx_real u = x[i], v = y[i], t = z[i];
            x[i] = w[i] * (u + (u * b[0][i] + v * b[1][i] + t * b[2][i]));
            y[i] = w[i] * (v + (u * b[3][i] + v * b[4][i] + t * b[5][i]));
            z[i] = w[i] * (t + (u * b[6][i] + v * b[7][i] + t * b[8][i]));
        }
    }
}

static void load(const phx_real* from, int count, int rows, phx_real* to) {
    memcpy(to, from, (size_t)count * sizeof *to);
    memset(to + count, 0, (size_t)(rows - count) * sizeof *to);
}

double phxi_efg_plastic_begin(const phxi_efg* efg, const phxi_efg_block* block, double dt, phx_real g[9][EFG_BLOCK],
                              phxi_efg_flow* flow) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    int first = slot->begin + block->row - slot->row, count = block->count;
    int rows = phxi_block_count(count, EFG_LANES) * EFG_LANES;
    block_fields f;
    _Alignas(64) phx_real change[EFG_BLOCK], size[EFG_BLOCK];
    for (int k = 0; k < 9; ++k) {
        if (slot->params.reset == EFG_RESET_ABSORB) {
            memset(flow->b[k], 0, sizeof flow->b[k]);
        } else {
            load(phxi_efg_plastic_field(efg, EFG_CARRIED + k) + first, count, rows, flow->b[k]);
        }
    }
    for (int k = 0; k < 6; ++k) {
        load(phxi_efg_plastic_field(efg, EFG_STRAIN + k) + first, count, rows, f.strain[k]);
    }
    load(phxi_efg_plastic_field(efg, EFG_AMOUNT) + first, count, rows, f.amount);
    efg_total_gradients(rows, g, flow->b, change);
    const phxi_plastic_planes planes = {g[0], f.strain[0], f.amount, f.map[0], flow->weight};
    phxi_plastic_batch(&slot->plastic, dt, rows, EFG_BLOCK, &planes);
    if (dt > 0) {
        for (int k = 0; k < 6; ++k) {
            memcpy(phxi_efg_plastic_field(efg, EFG_STRAIN + k) + first, f.strain[k], (size_t)count * sizeof(phx_real));
        }
        memcpy(phxi_efg_plastic_field(efg, EFG_AMOUNT) + first, f.amount, (size_t)count * sizeof(phx_real));
    }
    efg_flow_maps(rows, flow->b, f.map, size);
    double far = 0, largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, (double)size[i]);
        if (slot->fracture && phxi_efg_is_broken(slot->fracture, block->row - slot->row + i)) {
            continue; // cracks open: no reason for a new reference
        }
        // both: a reset changes the first to zero, the second only as far as it is not elastic
        double both = fmin((double)change[i], (double)size[i] / 4);
        both = change[i] < (phx_real)1e8 ? both : (double)change[i];
        far = fmax(far, both);
    }
    flow->stiffer = sqrt(largest);
    return sqrt(far);
}

void phxi_efg_plastic_end(const phxi_efg_flow* flow, int rows, phx_real p[9][EFG_BLOCK]) {
    efg_pull_stress(flow, rows, p);
}

// -------------------------------------------------------------------------------------------------------- one particle

static phxi_sym3 strain_at(const phxi_efg* efg, int i) {
    double e[6];
    for (int k = 0; k < 6; ++k) {
        e[k] = (double)phxi_efg_plastic_field(efg, EFG_STRAIN + k)[i];
    }
    return (phxi_sym3){e[0], e[1], e[2], e[3], e[4], e[5]};
}

/// B and H of a particle; returns w.
static double maps_of(const phxi_efg* efg, const phxi_efg_slot* slot, int row, phxi_mat3* b, phxi_mat3* h) {
    int i = slot->begin + row - slot->row;
    phxi_sym3 strain = strain_at(efg, i);
    phxi_mat3 map, whole;
    *h = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        h->m[k / 3][k % 3] += (double)phxi_efg_plastic_field(efg, EFG_CARRIED + k)[i];
    }
    double weight = phxi_plastic_split(&strain, h, &whole, &map);
    *b = slot->params.reset == EFG_RESET_ABSORB ? map : whole;
    return weight;
}

/// The directions of a thin row as F_e = J B sees them, and Q^T F_e. J is known along the first basis vectors q_k and
/// free along the rest; J B is known along B^-1 q_k, and all that is at right angles to these is free. What is free
/// turns as little as it can, from Q = polar(B): that is how far the particle has turned with its references.
static phxi_efg_flat turned(const phxi_efg_flat* flat, const phxi_mat3* j, const phxi_mat3* b, phxi_mat3* inverse,
                            phxi_mat3* turn, phxi_mat3* f) {
    phxi_efg_flat result = *flat;
    *turn = phxi_polar_rotation(b);
    phxi_mat3 back = phxi_mat3_transpose(turn);
    *f = phxi_mat3_mul(j, b);
    *f = phxi_mat3_mul(&back, f);
    if (!phxi_mat3_inverse(b, inverse)) {
        *inverse = phxi_identity();
    }
    phxi_mat3 q = phxi_mat3_mul(inverse, &flat->basis);
    phx_vec3 x = {q.m[0][0], q.m[1][0], q.m[2][0]}, y = {q.m[0][1], q.m[1][1], q.m[2][1]};
    x = phxi_normalize(x, phxi_vec3(1, 0, 0));
    y = phxi_normalize(phxi_add_scaled(y, -phxi_dot(x, y), x), phxi_perpendicular(x));
    phx_vec3 z = phxi_cross(x, y);
    result.basis = (phxi_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return result;
}

phxi_mat3 phxi_efg_plastic_thin_gradient(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                         const phxi_efg_law* law, const phxi_mat3* j) {
    phxi_mat3 b, h, inverse, turn, f;
    maps_of(efg, slot, flat->row, &b, &h);
    phxi_efg_flat own = turned(flat, j, &b, &inverse, &turn, &f);
    f = phxi_efg_thin_gradient(&own, law, &f);
    f = phxi_mat3_mul(&turn, &f);
    return phxi_mat3_mul(&f, &inverse);
}

static phxi_mat3 pull(const phxi_mat3* p, const phxi_mat3* b, double weight) {
    phxi_mat3 t = phxi_mat3_transpose(b), q = phxi_mat3_mul(p, &t);
    for (int k = 0; k < 9; ++k) {
        q.m[k / 3][k % 3] *= weight;
    }
    return q;
}

phxi_mat3 phxi_efg_plastic_thin_stress(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                       const phxi_efg_law* law, const phxi_mat3* j) {
    phxi_mat3 b, h, inverse, turn, f;
    double weight = maps_of(efg, slot, flat->row, &b, &h);
    phxi_efg_flat own = turned(flat, j, &b, &inverse, &turn, &f);
    phxi_mat3 p = phxi_efg_thin_stress(&own, law, &f, NULL);
    p = phxi_mat3_mul(&turn, &p);
    return pull(&p, &b, weight);
}

phxi_efg_state phxi_efg_plastic_state(const phxi_efg* efg, const phxi_efg_slot* slot, int row,
                                      const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* j) {
    phxi_efg_state state;
    phxi_mat3 b, h, inverse, turn, f;
    double weight = maps_of(efg, slot, row, &b, &h);
    state.elastic = phxi_mat3_mul(j, &b);
    state.total = phxi_mat3_mul(j, &h);
    if (flat) {
        phxi_efg_flat own = turned(flat, j, &b, &inverse, &turn, &f);
        state.stress = phxi_efg_thin_stress(&own, law, &f, &state.energy);
        state.stress = phxi_mat3_mul(&turn, &state.stress);
        state.elastic = phxi_efg_thin_gradient(&own, law, &f);
        state.elastic = phxi_mat3_mul(&turn, &state.elastic);
        phxi_mat3 whole = phxi_mat3_mul(&state.elastic, &inverse);
        state.total = phxi_mat3_mul(&whole, &h);
    } else {
        state.stress = phxi_efg_law_stress(law, &state.elastic);
        state.energy = phxi_efg_law_energy(law, &state.elastic);
    }
    state.energy *= weight;
    int i = slot->begin + row - slot->row;
    phxi_sym3 strain = strain_at(efg, i);
    state.amount = (double)phxi_efg_plastic_field(efg, EFG_AMOUNT)[i];
    state.strain = sqrt(strain.xx * strain.xx + strain.yy * strain.yy + strain.zz * strain.zz +
                        2 * (strain.xy * strain.xy + strain.xz * strain.xz + strain.yz * strain.yz));
    return state;
}
