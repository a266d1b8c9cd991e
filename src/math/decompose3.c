// SPDX-License-Identifier: MIT
// Jacobi's method for 3x3 matrices: two-sided for eigenvalues, one-sided for singular values. It is not the fastest,
// but it is as accurate as the arithmetic for every input; singular values from the eigenvalues of a^T a would lose
// half of the digits of the small ones. Input is scaled by a power of two, which is exact, so that no square can
// overflow and only what is below 1e-150 of the largest entry can underflow.
#include "math/decompose3.h"

#include <float.h>

enum { MAX_SWEEPS = 30 }; // quadratic convergence: four to six are enough

// Brings the largest entry near one by a power of two, *unit: input = unit * scaled. False if an entry is not finite.
static bool scale_down(const phxi_mat3* a, phxi_mat3* scaled, double* unit) {
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        double value = fabs(a->m[i / 3][i % 3]);
        if (!isfinite(value)) {
            return false;
        }
        largest = value > largest ? value : largest;
    }
    int exponent;
    frexp(largest, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent; // unit and 1/unit are numbers
    *unit = ldexp(1, exponent);
    double inverse = ldexp(1, -exponent);
    for (int i = 0; i < 9; ++i) {
        scaled->m[i / 3][i % 3] = inverse * a->m[i / 3][i % 3];
    }
    return true;
}

static phx_vec3 column(const phxi_mat3* a, int j) {
    return (phx_vec3){a->m[0][j], a->m[1][j], a->m[2][j]};
}

static void set_column(phxi_mat3* a, int j, phx_vec3 v) {
    a->m[0][j] = v.x;
    a->m[1][j] = v.y;
    a->m[2][j] = v.z;
}

// The rotation in the plane (p, q) that makes a coupling c != 0 between diagonal entries zero; half = (d_q - d_p) / 2.
typedef struct plane_rotation {
    double cosine, sine, tangent;
} plane_rotation;

static plane_rotation annihilate(double half, double c) {
    double ratio = half / c;                                // may be infinite: no rotation then
    double t = 1 / (fabs(ratio) + sqrt(1 + ratio * ratio)); // the smaller angle
    t = ratio < 0 ? -t : t;
    double cosine = 1 / sqrt(1 + t * t);
    return (plane_rotation){cosine, cosine * t, t};
}

static void rotate_columns(phxi_mat3* a, int p, int q, plane_rotation r) {
    for (int i = 0; i < 3; ++i) {
        double x = a->m[i][p], y = a->m[i][q];
        a->m[i][p] = r.cosine * x - r.sine * y;
        a->m[i][q] = r.sine * x + r.cosine * y;
    }
}

// Indices of three keys in descending order.
static void sort3(const double key[3], int order[3]) {
    int a = 0, b = 1, c = 2, swap;
    if (key[a] < key[b]) {
        swap = a, a = b, b = swap;
    }
    if (key[b] < key[c]) {
        swap = b, b = c, c = swap;
    }
    if (key[a] < key[b]) {
        swap = a, a = b, b = swap;
    }
    order[0] = a, order[1] = b, order[2] = c;
}

// A rotation from two columns that are nearly at right angles, of any length: takes away the rounding of the sweeps.
// A second column that is zero or not at a right angle, which only happens below the underflow, has no say.
static void set_rotation(phxi_mat3* q, phx_vec3 first, phx_vec3 second) {
    first = phxi_normalize(first, phxi_vec3(1, 0, 0));
    second = phxi_normalize(second, first);
    second = phxi_add_scaled(second, -phxi_dot(first, second), first);
    second = phxi_dot(second, second) > 0.25 ? second : phxi_perpendicular(first);
    second = phxi_normalize(second, second);
    set_column(q, 0, first);
    set_column(q, 1, second);
    set_column(q, 2, phxi_cross(first, second));
}

void phxi_eigen_sym3(const phxi_sym3* a, double values[3], phxi_mat3* vectors) {
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    phxi_mat3 full = phxi_sym3_full(a), q = phxi_identity(), m;
    double unit;
    if (!scale_down(&full, &m, &unit)) {
        *vectors = q;
        values[0] = values[1] = values[2] = NAN;
        return;
    }
    bool rotated = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && rotated; ++sweep) {
        rotated = false;
        for (int k = 0; k < 3; ++k) {
            int i = pairs[k][0], j = pairs[k][1], other = 3 - i - j;
            double c = m.m[i][j];
            if (fabs(c) <= 0.125 * DBL_EPSILON * sqrt(fabs(m.m[i][i] * m.m[j][j])) || fabs(c) < 1e-20) {
                continue; // below the rounding of the diagonal
            }
            rotated = true;
            plane_rotation r = annihilate(0.5 * (m.m[j][j] - m.m[i][i]), c);
            m.m[i][i] -= r.tangent * c;
            m.m[j][j] += r.tangent * c;
            m.m[i][j] = m.m[j][i] = 0;
            double x = m.m[i][other], y = m.m[j][other];
            m.m[i][other] = m.m[other][i] = r.cosine * x - r.sine * y;
            m.m[j][other] = m.m[other][j] = r.sine * x + r.cosine * y;
            rotate_columns(&q, i, j, r);
        }
    }
    double diagonal[3] = {m.m[0][0], m.m[1][1], m.m[2][2]};
    int order[3];
    sort3(diagonal, order);
    for (int i = 0; i < 3; ++i) {
        values[i] = unit * diagonal[order[i]];
    }
    set_rotation(vectors, column(&q, order[0]), column(&q, order[1]));
}

// Turns the columns of `a` by rotations, collected in `v`, until they are orthogonal (Hestenes 1958).
static void orthogonalize(phxi_mat3* a, phxi_mat3* v) {
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    bool rotated = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && rotated; ++sweep) {
        rotated = false;
        for (int k = 0; k < 3; ++k) {
            int p = pairs[k][0], q = pairs[k][1];
            phx_vec3 x = column(a, p), y = column(a, q);
            double xx = phxi_dot(x, x), yy = phxi_dot(y, y), xy = phxi_dot(x, y);
            if (fabs(xy) <= DBL_EPSILON * sqrt(xx) * sqrt(yy)) {
                continue;
            }
            rotated = true;
            plane_rotation r = annihilate(0.5 * (yy - xx), xy);
            rotate_columns(a, p, q, r);
            rotate_columns(v, p, q, r);
        }
    }
}

void phxi_svd3(const phxi_mat3* a, phxi_mat3* u, double s[3], phxi_mat3* v) {
    *u = *v = phxi_identity();
    phxi_mat3 b, w = phxi_identity();
    double unit;
    if (!scale_down(a, &b, &unit)) {
        s[0] = s[1] = s[2] = NAN;
        return;
    }
    orthogonalize(&b, &w);
    double length[3];
    for (int j = 0; j < 3; ++j) {
        length[j] = phxi_length(column(&b, j));
    }
    int order[3];
    sort3(length, order);
    set_rotation(v, column(&w, order[0]), column(&w, order[1]));
    set_rotation(u, column(&b, order[0]), column(&b, order[1]));
    s[0] = length[order[0]];
    s[1] = length[order[1]];
    // The sign of det a ends up here; sorting may have turned the third column of v over.
    double third = phxi_dot(column(u, 2), column(&b, order[2]));
    third = phxi_dot(column(v, 2), column(&w, order[2])) < 0 ? -third : third;
    s[2] = fabs(third) > s[1] ? copysign(s[1], third) : third;
    for (int i = 0; i < 3; ++i) {
        s[i] *= unit;
    }
}

phxi_mat3 phxi_polar_rotation(const phxi_mat3* a) {
    phxi_mat3 u, v;
    double s[3];
    phxi_svd3(a, &u, s, &v);
    phxi_mat3 transposed = phxi_mat3_transpose(&v);
    return phxi_mat3_mul(&u, &transposed);
}

/// Cofactors, and the determinant.
static double cofactors(const phxi_mat3* a, phxi_mat3* c) {
    for (int i = 0; i < 3; ++i) {
        const double *x = a->m[(i + 1) % 3], *y = a->m[(i + 2) % 3];
        for (int j = 0; j < 3; ++j) {
            c->m[i][j] = x[(j + 1) % 3] * y[(j + 2) % 3] - x[(j + 2) % 3] * y[(j + 1) % 3];
        }
    }
    return a->m[0][0] * c->m[0][0] + a->m[0][1] * c->m[0][1] + a->m[0][2] * c->m[0][2];
}

static double square_of(const phxi_mat3* a) {
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += a->m[i / 3][i % 3] * a->m[i / 3][i % 3];
    }
    return sum;
}

// Q <- (Q + cof Q / det Q)/2 makes singular values (s + 1/s)/2: squares of the distance from one, so that the step
// after one that leaves NEARLY is exact.
#define FAR_SQUARE 6.   // |Q|^2, 3 of a rotation, beyond which singular values are farther apart than 2.2 : 1
#define NEARLY     1e-8 // |Q|^2 - 3
phxi_mat3 phxi_near_rotation(const phxi_mat3* a) {
    enum { MOST_STEPS = 12 };
    phxi_mat3 q = *a, c;
    double det = cofactors(&q, &c), size = 1 / cbrt(det);
    if (!(det > 0) || !isfinite(size) || !(size * size * square_of(&q) < FAR_SQUARE)) {
        return phxi_polar_rotation(a);
    }
    double more = size * size * square_of(&q) - 3;
    for (int step = 0; step < MOST_STEPS; ++step) {
        bool last = step > 0 && more < NEARLY;
        // the first step divides by the cube root of det as well
        double own = step == 0 ? 0.5 * size : 0.5, other = step == 0 ? 0.5 / (size * det) : 0.5 / det;
        for (int i = 0; i < 9; ++i) {
            q.m[i / 3][i % 3] = own * q.m[i / 3][i % 3] + other * c.m[i / 3][i % 3];
        }
        if (last) {
            break;
        }
        det = cofactors(&q, &c);
        more = square_of(&q) - 3;
    }
    return q;
}

// sum over i of weight_i q_i q_i^T
static phxi_sym3 compose(const double weight[3], const phxi_mat3* q) {
    phxi_sym3 sum = {0};
    for (int i = 0; i < 3; ++i) {
        phx_vec3 x = column(q, i), y = phxi_scale(weight[i], x);
        sum.xx += y.x * x.x;
        sum.yy += y.y * x.y;
        sum.zz += y.z * x.z;
        sum.xy += y.x * x.y;
        sum.xz += y.x * x.z;
        sum.yz += y.y * x.z;
    }
    return sum;
}

int phxi_pseudo_inverse_sym3(const phxi_sym3* a, double tolerance, phxi_sym3* inverse, phxi_sym3* projector) {
    double values[3], inverses[3] = {0, 0, 0}, ones[3] = {0, 0, 0};
    phxi_mat3 q;
    phxi_eigen_sym3(a, values, &q);
    int rank = 0;
    while (rank < 3 && values[rank] > 0 && values[rank] > tolerance * values[0] && isfinite(1 / values[rank])) {
        inverses[rank] = 1 / values[rank];
        ones[rank++] = 1;
    }
    *inverse = compose(inverses, &q);
    if (projector) {
        *projector = compose(ones, &q);
    }
    return rank;
}

// The determinant over the cube of the mean eigenvalue; the least eigenvalue is then above 1e-3 of the largest.
#define LEAST_DET 1e-2
int phxi_near_inverse_sym3(const phxi_sym3* a, double tolerance, phxi_sym3* inverse) {
    double third = (a->xx + a->yy + a->zz) / 3, minor = a->xx * a->yy - a->xy * a->xy;
    phxi_sym3 c = {a->yy * a->zz - a->yz * a->yz, a->xx * a->zz - a->xz * a->xz, minor,
                   a->xz * a->yz - a->xy * a->zz, a->xy * a->yz - a->xz * a->yy, a->xy * a->xz - a->yz * a->xx};
    double det = a->xx * c.xx + a->xy * c.xy + a->xz * c.xz, by = 1 / det;
    bool well = a->xx > 0 && minor > 0 && det > LEAST_DET * third * third * third && isfinite(by);
    if (!well || !(tolerance <= 1e-3)) {
        return phxi_pseudo_inverse_sym3(a, tolerance, inverse, NULL);
    }
    *inverse = (phxi_sym3){by * c.xx, by * c.yy, by * c.zz, by * c.xy, by * c.xz, by * c.yz};
    return 3;
}
