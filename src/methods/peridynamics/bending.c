// SPDX-License-Identifier: MIT
// Bending of sheets and rods, docs/theory/peridynamics.md (12) to (14): the second derivatives Q of the surface by
// least squares over the neighbourhood at rest, y_j - y_i = g X + X^T Q X / 2, and a quadratic energy of them. Its
// matrix is constant and the same for x, y and z; turning the body changes nothing, since a rigid motion has no second
// differences.
#include "methods/peridynamics/twist.h"

#include "math/decompose3.h"

#define FLAT   1e-4 // bends of less over a bond are rounding
#define UNSEEN 1e-3 // eigenvalues of S below this share of the largest: directions that a free edge cannot measure

/// Moments of a neighbourhood in its tangent plane: g of first, h of second order.
typedef struct moments {
    double gg[2][2], hg[3][2], hh[3][3];
} moments;

static void second_order(const phxi_peri_weave* weave, phx_vec3 bond, double g[2], double h[3]) {
    g[0] = phxi_dot(bond, weave->tangent[0]);
    g[1] = weave->rank > 1 ? phxi_dot(bond, weave->tangent[1]) : 0;
    h[0] = g[0] * g[0] / 2, h[1] = g[0] * g[1], h[2] = g[1] * g[1] / 2;
}

static moments moments_of(const phxi_peri_slot* slot, const phxi_peri_weave* weave, int i) {
    moments m = {0};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        double g[2], h[3], w = (double)slot->near[k][3];
        second_order(weave, phxi_peri_rest_bond(slot, k), g, h);
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                m.hh[a][b] += w * h[a] * h[b];
                m.hg[a][b % 2] += b < 2 ? w * h[a] * g[b] : 0;
                m.gg[a % 2][b % 2] += a < 2 && b < 2 ? w * g[a] * g[b] : 0;
            }
        }
    }
    return m;
}

/// N_hg N_gg^+, of what is linear.
static void linear_part(const moments* m, double part[3][2]) {
    phxi_sym3 packed = {m->gg[0][0], m->gg[1][1], 0, m->gg[0][1], 0, 0}, inverse;
    phxi_pseudo_inverse_sym3(&packed, 1e-9, &inverse, NULL);
    for (int a = 0; a < 3; ++a) {
        part[a][0] = m->hg[a][0] * inverse.xx + m->hg[a][1] * inverse.xy;
        part[a][1] = m->hg[a][0] * inverse.xy + m->hg[a][1] * inverse.yy;
    }
}

static double quadratic(double c[3][3], phx_vec3 z, double cz[3]) {
    const double v[3] = {z.x, z.y, z.z};
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        cz[a] = c[a][0] * v[0] + c[a][1] * v[1] + c[a][2] * v[2];
        sum += v[a] * cz[a];
    }
    return sum;
}

/// What a free edge does not measure takes the value that costs least: C <- C - C z z^T C / (z^T C z).
static void release(double c[3][3], phx_vec3 z) {
    double cz[3], size = quadratic(c, z, cz);
    for (int a = 0; a < 3 && size > 0; ++a) {
        for (int b = 0; b < 3; ++b) {
            c[a][b] -= cz[a] * cz[b] / size;
        }
    }
}

/// Bending stiffness of a particle: of a plate, N m, times its area; of a rod, N m^2, times its length.
static void stiffness_of(const phxi_peri_section* section, const phx_material_def* material, int rank, double volume,
                         double c[3][3]) {
    double e = material->young, nu = material->poisson, t = section->thickness;
    double plate = e * t * t * t / (12 * (1 - nu * nu)) * volume / t,
           rod = e * section->inertia * volume / section->area;
    const double sheet[3][3] = {{1, 0, nu}, {0, 2 * (1 - nu), 0}, {nu, 0, 1}};
    for (int k = 0; k < 9; ++k) {
        c[k / 3][k % 3] = rank == 2 ? plate * sheet[k / 3][k % 3] : rank == 1 && k == 0 ? rod : 0;
    }
}

/// q = sum_j b_ij (y_j - y_i) of bonds y.
static void add_curvature(phx_vec3 b, phx_vec3 y, phx_vec3 q[3]) {
    q[0] = phxi_add_scaled(q[0], b.x, y);
    q[1] = phxi_add_scaled(q[1], b.y, y);
    q[2] = phxi_add_scaled(q[2], b.z, y);
}

/// q at rest, docs/theory/peridynamics.md (15); less than what rounding makes of flat ones is none.
static void set_rest(const phxi_peri_slot* slot, int i) {
    phxi_peri_weave* weave = &slot->thin->weaves[i];
    double size = 0, reach = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        add_curvature(slot->thin->bend[k], phxi_peri_rest_bond(slot, k), weave->rest);
        reach = fmax(reach, (double)slot->rest[k][3]);
    }
    for (int a = 0; a < 3; ++a) {
        size = fmax(size, phxi_length(weave->rest[a]));
    }
    weave->curved = size * reach > FLAT;
    for (int a = 0; a < 3 && !weave->curved; ++a) {
        weave->rest[a] = phxi_vec3(0, 0, 0);
    }
}

/// b of all bonds of particle i, and C with what cannot be measured released.
static void set_particle(const phxi_peri_slot* slot, const phxi_peri_section* section, const phx_material_def* material,
                         int i) {
    phxi_peri_weave* weave = &slot->thin->weaves[i];
    moments m = moments_of(slot, weave, i);
    double part[3][2], c[3][3], values[3], seen[3][3] = {{0}};
    linear_part(&m, part);
    double s[3][3];
    for (int k = 0; k < 9; ++k) {
        int a = k / 3, b = k % 3;
        s[a][b] = m.hh[a][b] - part[a][0] * m.hg[b][0] - part[a][1] * m.hg[b][1];
    }
    double soft = slot->stiff ? (double)slot->stiff[i] : 1;
    stiffness_of(section, material, weave->rank, soft * (double)slot->volume[i], c);
    phxi_sym3 packed = {s[0][0], s[1][1], s[2][2], s[0][1], s[0][2], s[1][2]};
    phxi_mat3 axes;
    phxi_eigen_sym3(&packed, values, &axes);
    double scale = m.hh[0][0] + m.hh[1][1] + m.hh[2][2], most = fmax(values[0], UNSEEN * scale);
    for (int n = 0; n < 3; ++n) {
        phx_vec3 z = phxi_vec3(axes.m[0][n], axes.m[1][n], axes.m[2][n]);
        if (!(values[n] > UNSEEN * most) || !(scale > 0)) {
            release(c, z);
            continue;
        }
        for (int k = 0; k < 9; ++k) {
            seen[k / 3][k % 3] += axes.m[k / 3][n] * axes.m[k % 3][n] / values[n];
        }
    }
    const double kept[6] = {c[0][0], c[0][1], c[0][2], c[1][1], c[1][2], c[2][2]};
    for (int k = 0; k < 6; ++k) {
        weave->bending[k] = kept[k];
    }
    weave->middle = phxi_vec3(0, 0, 0);
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        double g[2], h[3], rest[3], w = (double)slot->near[k][3];
        second_order(weave, phxi_peri_rest_bond(slot, k), g, h);
        for (int a = 0; a < 3; ++a) {
            rest[a] = w * (h[a] - part[a][0] * g[0] - part[a][1] * g[1]);
        }
        slot->thin->bend[k] = phxi_vec3(seen[0][0] * rest[0] + seen[0][1] * rest[1] + seen[0][2] * rest[2],
                                        seen[1][0] * rest[0] + seen[1][1] * rest[1] + seen[1][2] * rest[2],
                                        seen[2][0] * rest[0] + seen[2][1] * rest[1] + seen[2][2] * rest[2]);
        weave->middle = phxi_add(weave->middle, slot->thin->bend[k]);
    }
    set_rest(slot, i);
}

/// v^T a C v
static double stiff(const double c[6], phx_vec3 v) {
    return v.x * (c[0] * v.x + 2 * c[1] * v.y + 2 * c[2] * v.z) + v.y * (c[3] * v.y + 2 * c[4] * v.z) +
           v.z * c[5] * v.z;
}

void phxi_peri_bending(const phxi_peri_slot* slot, const phxi_peri_section* section, const phx_material_def* material) {
    for (int i = 0; i < slot->count; ++i) {
        set_particle(slot, section, material, i);
    }
    for (int i = 0; i < slot->count; ++i) {
        phxi_peri_weave* weave = &slot->thin->weaves[i];
        weave->diagonal = stiff(weave->bending, weave->middle);
        const double all[9] = {weave->bending[0], weave->bending[1], weave->bending[2],
                               weave->bending[3], weave->bending[4], weave->bending[5],
                               weave->middle.x,   weave->middle.y,   weave->middle.z};
        for (int c = 0; c < 9; ++c) {
            slot->thin->bending[i][c] = (phx_real)all[c];
        }
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phx_vec3 here = slot->thin->bend[k], there = slot->thin->bend[slot->mirror[k]];
            weave->diagonal += stiff(slot->thin->weaves[slot->other[k]].bending, there);
            slot->thin->near[k] = (phxi_r4){(phx_real)here.x, (phx_real)here.y, (phx_real)here.z, 0};
            slot->thin->far[k] = (phxi_r4){(phx_real)there.x, (phx_real)there.y, (phx_real)there.z, 0};
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- forces

/// m = a C q of three vectors.
static void moments_from(const double c[6], const phx_vec3 q[3], phx_vec3 m[3]) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; ++a) {
        m[a] = phxi_add(phxi_add(phxi_scale(c[at[a][0]], q[0]), phxi_scale(c[at[a][1]], q[1])),
                        phxi_scale(c[at[a][2]], q[2]));
    }
}

/// q - R q_0. Of a sheet R turns tangents and normal, of a rod its frames do (twist.h). What is left of a sheet where
/// it is torn to threads has no frames: curvature at rest lies where it costs least, along q.
static void subtract_rest(const phxi_peri_slot* slot, int i, phx_vec3 q[3]) {
    const phxi_peri_patch* patch = &slot->thin->patches[i];
    const phxi_peri_weave* weave = &slot->thin->weaves[i];
    phx_vec3 target;
    if (phxi_peri_twist_target(slot, i, &target)) {
        q[0] = phxi_sub(q[0], target);
        return;
    }
    if (weave->rank == 1) {
        double now = phxi_length(q[0]), rest = phxi_length(weave->rest[0]);
        q[0] = phxi_scale(now > 0 ? 1 - rest / now : 0, q[0]);
        return;
    }
    phx_vec3 normal = phxi_cross(weave->tangent[0], weave->tangent[1]);
    for (int a = 0; a < 3; ++a) {
        q[a] = phxi_add_scaled(q[a], -phxi_dot(weave->rest[a], weave->tangent[0]), patch->turn[0]);
        q[a] = phxi_add_scaled(q[a], -phxi_dot(weave->rest[a], weave->tangent[1]), patch->turn[1]);
        q[a] = phxi_add_scaled(q[a], -phxi_dot(weave->rest[a], normal), patch->normal);
    }
}

void phxi_peri_bend(const phxi_peri_slot* slot, const phx_vec3* x, int i) {
    phxi_peri_patch* patch = &slot->thin->patches[i];
    phx_vec3 q[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        add_curvature(slot->thin->bend[k], phxi_sub(x[slot->other[k]], x[i]), q);
    }
    if (slot->thin->weaves[i].curved) {
        subtract_rest(slot, i, q);
    }
    moments_from(slot->thin->weaves[i].bending, q, patch->moment);
    patch->bent = 0;
    for (int a = 0; a < 3; ++a) {
        patch->bent += phxi_dot(q[a], patch->moment[a]) / 2;
    }
    patch->bent += slot->thin->twist ? phxi_peri_twist_energy(slot, i) : 0;
}

phx_vec3 phxi_peri_rod_curvature(const phxi_peri_slot* slot, const phx_vec3* x, int i) {
    phx_vec3 q = {0, 0, 0};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        q = phxi_add_scaled(q, slot->thin->bend[k].x, phxi_sub(x[slot->other[k]], x[i]));
    }
    return q;
}

static phx_vec3 weigh(phx_vec3 b, const phx_vec3 m[3]) {
    return phxi_add_scaled(phxi_add_scaled(phxi_scale(b.x, m[0]), b.y, m[1]), b.z, m[2]);
}

phx_vec3 phxi_peri_bending_force(const phxi_peri_slot* slot, int i) {
    const struct phxi_peri_thin* thin = slot->thin;
    phx_vec3 force = weigh(thin->weaves[i].middle, thin->patches[i].moment);
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        force = phxi_sub(force, weigh(thin->bend[slot->mirror[k]], thin->patches[slot->other[k]].moment));
    }
    return force;
}

// ------------------------------------------------------------------------------------------------------------- matrix

static PHXI_CLONES void peri_bending_rows(const phxi_peri_slot* slot, int begin, int end) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = begin; i < end; ++i) {
        const phx_real* c = slot->thin->bending[i];
        phxi_r4 q[3] = {{0}, {0}, {0}}, own = slot->u[i];
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phxi_r4 b = slot->thin->near[k], y = slot->u[slot->other[k]] - own;
            q[0] += b[0] * y;
            q[1] += b[1] * y;
            q[2] += b[2] * y;
        }
        for (int a = 0; a < 3; ++a) {
            slot->thin->curved[i][a] = c[at[a][0]] * q[0] + c[at[a][1]] * q[1] + c[at[a][2]] * q[2];
        }
    }
}

void phxi_peri_bending_rows(const phxi_peri_slot* slot, int begin, int end) {
    peri_bending_rows(slot, begin, end);
}
