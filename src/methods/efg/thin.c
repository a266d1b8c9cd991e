// SPDX-License-Identifier: MIT
// The law of particles whose neighbours lie in a plane, on a line, or nearly so: docs/theory/efg.md (4).
//
// In the directions q_k in which the neighbours spread (eigenvectors of A, largest first) F is known, across it is not.
// What is not known is free: the body may thin or thicken there until no stress is left, as in a membrane or a wire.
//   sheet   Psi_2(F) = min over t of Psi(f_1 q_1^T + f_2 q_2^T + t n q_3^T),   f_k = F q_k, n normal to f_1 and f_2
//   rod     Psi_1(F) = min over t of Psi(f_1 q_1^T + t n_2 q_2^T + t n_3 q_3^T)
// At the minimum Psi does not change with t, nor when n turns, so dPsi/dF at fixed t is the whole gradient and has no
// part along the free directions. Turning the body turns f and n: no force, for any rank.
//
// In between nothing switches: with phi_k = smoothstep((r_k / r_1 - 0.02) / 0.08) the energy is the mixture
//   Psi = phi_3 Psi(F) + (phi_2 - phi_3) Psi_2(F) + (1 - phi_2) Psi_1(F).
// This is Phi of docs/theory/fracture.md (3) for every law, with free thickness. Its band of 0.02 to 0.15 belongs to
// eigenvalues over those inside a body; over the row's own largest one, corners of bodies come down to 0.16, and must
// not be softened.
//
// A sheet that is a slice in plane strain (`held`) has t = 1.
//
// Scalar and in double: thin rows are few, or the body is small in memory.
#include "methods/efg/efg_internal.h"

#define PHI_NONE 0.02 // r_k / r_1 up to which a direction is left to itself
#define PHI_FULL 0.1  // from which on it is trusted
#define THINNEST 0.02 // t is kept between this and its inverse: St. Venant-Kirchhoff thins to nothing at finite stretch

static double smoothstep(double x) {
    x = fmin(1, fmax(0, x));
    return x * x * (3 - 2 * x);
}

static phx_vec3 column(const phxi_mat3* m, int k) {
    return (phx_vec3){m->m[0][k], m->m[1][k], m->m[2][k]};
}

/// m += s a b^T
static void add_outer(phxi_mat3* m, double s, phx_vec3 a, phx_vec3 b) {
    const double left[3] = {s * a.x, s * a.y, s * a.z}, right[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m->m[i][j] += left[i] * right[j];
        }
    }
}

static void add_scaled(phxi_mat3* m, double s, const phxi_mat3* a) {
    for (int k = 0; k < 9; ++k) {
        m->m[k / 3][k % 3] += s * a->m[k / 3][k % 3];
    }
}

bool phxi_efg_is_thin(const double spread[3]) {
    double most = fmax(spread[0], fmax(spread[1], spread[2]));
    return !(most > 0 && spread[1] >= PHI_FULL * most && spread[2] >= PHI_FULL * most);
}

phxi_efg_flat phxi_efg_thin_row(int row, int rank, const double spread[3], const phxi_mat3* basis) {
    phxi_efg_flat flat = {.row = row, .rank = rank, .basis = *basis};
    double phi[3] = {rank > 0, 0, 0}, most = fmax(spread[0], fmax(spread[1], spread[2]));
    for (int k = 1; k < rank; ++k) {
        phi[k] = fmin(phi[k - 1], smoothstep((spread[k] / most - PHI_NONE) / (PHI_FULL - PHI_NONE)));
    }
    flat.share[0] = 1 - phi[0];
    flat.share[1] = phi[0] - phi[1];
    flat.share[2] = phi[1] - phi[2];
    flat.share[3] = phi[2];
    return flat;
}

// ---------------------------------------------------------------------------------------------- free thickness

/// dPsi/dt over the number of free directions; s are the stretches in the span.
static double pull(const phxi_efg_law* law, int rank, const double s[2], double t) {
    const double all[3] = {s[0], rank == 2 ? s[1] : t, t};
    double psi[3];
    if (!phxi_elastic_principal(law->elastic, all, psi)) {
        return NAN;
    }
    return psi[2] + law->volume_stiffness * (all[0] * all[1] * all[2] - 1) * all[0] * all[1];
}

/// The thickness t at which nothing pulls across: Newton steps within a bracket. One where the law has no value.
static double free_thickness(const phxi_efg_law* law, int rank, const double s[2]) {
    double lambda = law->elastic->lambda + law->volume_stiffness, mu = law->elastic->mu;
    double thinning = rank == 2 ? lambda / (lambda + 2 * mu) : lambda / (2 * (lambda + mu));
    double area = rank == 2 ? s[0] * s[1] : s[0], low = THINNEST, high = 1 / THINNEST;
    if (law->elastic->law == PHX_LAW_STVK && law->volume_stiffness == 0) {
        double twice = rank == 2 ? s[0] * s[0] + s[1] * s[1] - 2 : s[0] * s[0] - 1; // 2 tr E
        return sqrt(fmax(low * low, 1 - thinning * twice));
    }
    if (law->elastic->law == PHX_LAW_COROTATED && law->volume_stiffness == 0) {
        return fmin(high, fmax(low, 1 - thinning * (rank == 2 ? s[0] + s[1] - 2 : s[0] - 1)));
    }
    double t = fmin(high, fmax(low, pow(area, -thinning))), goal = 1e-15 * (lambda + mu);
    for (int k = 0; k < 60; ++k) {
        double at = pull(law, rank, s, t), step = 1e-7 * t;
        if (isnan(at)) {
            return 1;
        }
        if (fabs(at) <= goal || high - low < 4e-16 * t) {
            break;
        }
        *(at > 0 ? &high : &low) = t;
        double next = t - at * step / (pull(law, rank, s, t + step) - at);
        if (next <= low && pull(law, rank, s, low) >= 0) {
            return low;
        }
        if (!(next > low && next < high)) {
            next = sqrt(low * high);
        }
        t = next;
    }
    return t;
}

/// Principal stretches of f_1, f_2.
static void find_stretches(int rank, const phx_vec3 f[2], double s[2]) {
    double a = phxi_dot(f[0], f[0]), b = rank == 2 ? phxi_dot(f[0], f[1]) : 0, c = rank == 2 ? phxi_dot(f[1], f[1]) : a;
    double mean = (a + c) / 2, radius = sqrt((a - c) * (a - c) / 4 + b * b);
    s[0] = sqrt(mean + radius);
    s[1] = sqrt(fmax(0, mean - radius));
}

/// F where only its first `rank` columns in the basis are known, the others free.
static phxi_mat3 complete(const phxi_efg_flat* flat, const phxi_efg_law* law, int rank, const phxi_mat3* f) {
    if (rank == 0) {
        return phxi_identity();
    }
    phx_vec3 image[3] = {phxi_mat3_apply(f, column(&flat->basis, 0)), phxi_mat3_apply(f, column(&flat->basis, 1))};
    double s[2];
    find_stretches(rank, image, s);
    double t = flat->held && rank == 2 ? 1 : free_thickness(law, rank, s);
    phx_vec3 normal = phxi_cross(image[0], image[1]);
    double size = phxi_length(normal);
    if (rank == 2 && size > 1e-6) {
        image[2] = phxi_scale(t / size, normal);
    } else {
        // any directions across the line: turning them about it does nothing; these turn as little as they can
        phx_vec3 along = phxi_normalize(image[0], phxi_vec3(1, 0, 0)), q = column(&flat->basis, 1);
        phx_vec3 across = phxi_normalize(phxi_add_scaled(q, -phxi_dot(along, q), along), phxi_perpendicular(along));
        image[1] = rank == 1 ? phxi_scale(t, across) : image[1];
        image[2] = phxi_scale(t, phxi_cross(along, across));
    }
    phxi_mat3 full = {0};
    for (int k = 0; k < 3; ++k) {
        add_outer(&full, 1, image[k], column(&flat->basis, k));
    }
    return full;
}

// ----------------------------------------------------------------------------------------------------------- law

phxi_mat3 phxi_efg_law_stress(const phxi_efg_law* law, const phxi_mat3* f) {
    phxi_mat3 p, cofactor = phxi_mat3_cofactor(f);
    if (!phxi_elastic_stress(law->elastic, f, &p)) {
        p = (phxi_mat3){0};
    }
    add_scaled(&p, law->volume_stiffness * (phxi_mat3_det(f) - 1), &cofactor);
    return p;
}

double phxi_efg_law_energy(const phxi_efg_law* law, const phxi_mat3* f) {
    double change = phxi_mat3_det(f) - 1;
    return phxi_elastic_energy(law->elastic, f) + law->volume_stiffness * change * change / 2;
}

phxi_mat3 phxi_efg_thin_gradient(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* f) {
    phxi_mat3 mixed = {0};
    add_scaled(&mixed, flat->share[3], f);
    for (int rank = 0; rank < 3; ++rank) {
        if (flat->share[rank] > 0) {
            phxi_mat3 full = complete(flat, law, rank, f);
            add_scaled(&mixed, flat->share[rank], &full);
        }
    }
    return mixed;
}

phxi_mat3 phxi_efg_thin_stress(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* f, double* energy) {
    phxi_mat3 mixed = {0};
    double sum = 0;
    for (int rank = 1; rank <= 3; ++rank) {
        if (!(flat->share[rank] > 0)) {
            continue;
        }
        phxi_mat3 full = rank < 3 ? complete(flat, law, rank, f) : *f, p = phxi_efg_law_stress(law, &full);
        for (int k = rank; k < 3 && !(flat->held && rank == 2); ++k) {
            // zero but for rounding, which A^+ may blow up, and beyond the bounds of t
            phx_vec3 q = column(&flat->basis, k);
            add_outer(&p, -1, phxi_mat3_apply(&p, q), q);
        }
        add_scaled(&mixed, flat->share[rank], &p);
        sum += energy ? flat->share[rank] * phxi_efg_law_energy(law, &full) : 0;
    }
    if (energy) {
        *energy = sum;
    }
    return mixed;
}

phxi_mat3 phxi_efg_thin_linear(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* h) {
    double mu = law->elastic->mu, lambda = law->elastic->lambda + law->volume_stiffness;
    // what is left of lambda when one or two directions are free
    const double sheet = flat->held ? lambda : 2 * mu * lambda / (2 * mu + lambda);
    const double first[4] = {0, mu * lambda / (mu + lambda), sheet, lambda};
    phxi_mat3 mixed = {0};
    for (int rank = 1; rank <= 3; ++rank) {
        double trace = 0;
        for (int k = 0; k < rank; ++k) {
            phx_vec3 q = column(&flat->basis, k);
            trace += phxi_dot(q, phxi_mat3_apply(h, q));
        }
        for (int a = 0; a < rank; ++a) {
            for (int b = 0; b < rank; ++b) {
                phx_vec3 x = column(&flat->basis, a), y = column(&flat->basis, b);
                double shear = mu * (phxi_dot(x, phxi_mat3_apply(h, y)) + phxi_dot(y, phxi_mat3_apply(h, x)));
                add_outer(&mixed, flat->share[rank] * (shear + (a == b ? first[rank] * trace : 0)), x, y);
            }
        }
    }
    return mixed;
}
