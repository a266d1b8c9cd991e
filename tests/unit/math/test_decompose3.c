// SPDX-License-Identifier: MIT
// Decompositions are checked by what they promise: factors multiply to the input, rotations are rotations, values are
// in order, at every scale and for every degenerate class.
#include "support/test.h"
#include "math/decompose3.h"

static const double TOLERANCE = 1e-14, ORTHOGONAL = 1e-15;

static double random_signed(uint64_t* state) {
    return 2 * phxt_random(state) - 1;
}

static double largest_entry(const phxi_mat3* a) {
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        double value = fabs(a->m[i / 3][i % 3]);
        largest = value <= largest ? largest : value; // keeps NaN
    }
    return largest;
}

static phxi_mat3 subtract(const phxi_mat3* a, const phxi_mat3* b) {
    phxi_mat3 c;
    for (int i = 0; i < 9; ++i) {
        c.m[i / 3][i % 3] = a->m[i / 3][i % 3] - b->m[i / 3][i % 3];
    }
    return c;
}

static phxi_mat3 compose(const phxi_mat3* u, const double s[3], const phxi_mat3* v) {
    phxi_mat3 us = *u, vt = phxi_mat3_transpose(v);
    for (int i = 0; i < 9; ++i) {
        us.m[i / 3][i % 3] *= s[i % 3];
    }
    return phxi_mat3_mul(&us, &vt);
}

static void ensure_rotation(const phxi_mat3* q) {
    phxi_mat3 t = phxi_mat3_transpose(q), square = phxi_mat3_mul(&t, q), one = phxi_identity();
    phxi_mat3 error = subtract(&square, &one);
    ENSURE_NEAR(largest_entry(&error), 0, ORTHOGONAL);
    ENSURE_NEAR(phxi_mat3_det(q), 1, 2 * ORTHOGONAL);
}

// The error of the reconstruction, with the input brought to size one first so that nothing overflows in the test.
static void ensure_svd(const phxi_mat3* a) {
    phxi_mat3 u, v;
    double s[3], size = largest_entry(a), unit = size > 0 ? size : 1;
    phxi_svd3(a, &u, s, &v);
    ensure_rotation(&u);
    ensure_rotation(&v);
    ENSURE(s[0] >= s[1] && s[1] >= fabs(s[2]));
    double scaled[3] = {s[0] / unit, s[1] / unit, s[2] / unit};
    phxi_mat3 b = *a, product = compose(&u, scaled, &v);
    for (int i = 0; i < 9; ++i) {
        b.m[i / 3][i % 3] /= unit;
    }
    phxi_mat3 error = subtract(&b, &product);
    ENSURE_NEAR(largest_entry(&error), 0, TOLERANCE * (size > 0));
    double det = phxi_mat3_det(&b);
    ENSURE(fabs(det) < 1e-14 || (det > 0) == (s[2] > 0));
    phxi_mat3 r = phxi_polar_rotation(a), vt = phxi_mat3_transpose(&v), uv = phxi_mat3_mul(&u, &vt);
    phxi_mat3 gap = subtract(&r, &uv);
    ENSURE(largest_entry(&gap) == 0);
}

static void ensure_eigen(const phxi_sym3* a) {
    phxi_mat3 full = phxi_sym3_full(a), q;
    double values[3], size = largest_entry(&full), unit = size > 0 ? size : 1;
    phxi_eigen_sym3(a, values, &q);
    ensure_rotation(&q);
    ENSURE(values[0] >= values[1] && values[1] >= values[2]);
    double scaled[3] = {values[0] / unit, values[1] / unit, values[2] / unit};
    phxi_mat3 product = compose(&q, scaled, &q);
    for (int i = 0; i < 9; ++i) {
        full.m[i / 3][i % 3] /= unit;
    }
    phxi_mat3 error = subtract(&full, &product);
    ENSURE_NEAR(largest_entry(&error), 0, TOLERANCE * (size > 0));
}

// Random, of a degenerate class or not.
static phxi_mat3 random_matrix(uint64_t* state, int class, double scale) {
    phxi_mat3 a;
    double x[3], y[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = random_signed(state);
        y[i] = random_signed(state);
    }
    for (int i = 0; i < 9; ++i) {
        int row = i / 3, col = i % 3;
        double value = random_signed(state);
        switch (class) {
        case 1: // rank one
            value = x[row] * y[col];
            break;
        case 2: // nearly rank one
            value = x[row] * y[col] + 1e-9 * value;
            break;
        case 3: // columns of very different length
            value *= pow(1e-7, col);
            break;
        case 4: // rows of very different length
            value *= pow(1e-12, row);
            break;
        case 5: // sparse
            value = phxt_random(state) < 0.5 ? 0 : value;
            break;
        case 6: // small whole numbers: often singular, often with equal singular values
            value = floor(3 * phxt_random(state)) - 1;
            break;
        default:
            break;
        }
        a.m[row][col] = scale * value;
    }
    if (class == 7) { // rank two
        for (int i = 0; i < 3; ++i) {
            a.m[i][2] = 0.5 * a.m[i][0] - a.m[i][1];
        }
    }
    return a;
}

TEST(svd_of_random_matrices_at_all_scales) {
    static const int powers[] = {-300, -150, -30, -10, 0, 10, 30, 150, 300};
    uint64_t state = 1;
    for (int i = 0; i < 40000; ++i) {
        phxi_mat3 a = random_matrix(&state, i % 8, pow(10, powers[i / 8 % 9]));
        ensure_svd(&a);
    }
}

TEST(svd_of_degenerate_matrices) {
    static const phxi_mat3 cases[] = {
        {{{0}}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
        {{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}},
        {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
        {{{0, 0, 0}, {0, 0, 0}, {0, 0, -3}}},
        {{{0, 2, 0}, {0, 0, 0}, {0, 0, 0}}},
        {{{1, 0, 0}, {0, 1e-17, 0}, {0, 0, 1e-34}}},
        {{{1, 0, 0}, {0, 1e-170, 0}, {0, 0, -1e-300}}},
        {{{1, 1e-17, 0}, {1e-17, 1, 0}, {0, 0, 1}}},
        {{{1, 2, 3}, {2, 4, 6}, {3, 6, 9.0000000001}}},
        {{{5e-324, 0, 0}, {0, 5e-324, 0}, {0, 0, 5e-324}}},
        {{{1e308, 0, 0}, {0, 1e308, 0}, {0, 0, -1e308}}},
        {{{0, 0, 1e-200}, {0, 0, 1e-200}, {0, 0, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ensure_svd(&cases[i]);
    }
}

TEST(svd_finds_the_singular_values_it_is_given) {
    static const double given[][3] = {{3, 2, 1},  {3, 3, 1},       {2, 2, 2},          {2, 1, -1},
                                      {2, 2, -2}, {1, 1e-3, 1e-6}, {1, 1e-10, -1e-10}, {1, 1e-4, 0},
                                      {1, 0, 0},  {1, 1, 0},       {1, 1, 1 - 1e-9}};
    uint64_t state = 2;
    for (int k = 0; k < 11; ++k) {
        for (int i = 0; i < 500; ++i) {
            phx_vec3 p = phxi_vec3(random_signed(&state), random_signed(&state), random_signed(&state));
            phx_vec3 r = phxi_vec3(random_signed(&state), random_signed(&state), random_signed(&state));
            phxi_mat3 left = phxi_rotation(p, 6 * phxt_random(&state)),
                      right = phxi_rotation(r, 6 * phxt_random(&state));
            phxi_mat3 a = compose(&left, given[k], &right), u, v;
            double s[3];
            ensure_svd(&a);
            phxi_svd3(&a, &u, s, &v);
            for (int j = 0; j < 3; ++j) {
                ENSURE_NEAR(s[j], given[k][j], TOLERANCE * given[k][0]);
            }
        }
    }
}

TEST(svd_keeps_small_singular_values_of_scaled_columns) {
    // Columns of length 1, 1e-8, 1e-16 at right angles: one-sided Jacobi has every one of them to full precision, where
    // the eigenvalues of a^T a would have lost the last two.
    phxi_mat3 q = phxi_rotation(phxi_vec3(1, 2, 3), 1), one = phxi_identity(), u, v;
    double given[3] = {1, 1e-8, 1e-16}, s[3];
    phxi_mat3 a = compose(&q, given, &one);
    phxi_svd3(&a, &u, s, &v);
    for (int j = 0; j < 3; ++j) {
        ENSURE_NEAR(s[j] / given[j], 1, TOLERANCE);
    }
}

TEST(polar_is_the_nearest_rotation) {
    phxi_mat3 turn = phxi_rotation(phxi_vec3(1, -2, 0.5), 2.5), one = phxi_identity();
    static const double stretches[][3] = {{1, 1, 1}, {3, 2, 0.5}, {1e-30, 1e-30, 1e-30}, {1e30, 1e29, 1e28}};
    for (int k = 0; k < 4; ++k) {
        phxi_mat3 a = compose(&turn, stretches[k], &one), r = phxi_polar_rotation(&a), error = subtract(&r, &turn);
        ENSURE_NEAR(largest_entry(&error), 0, 4e-15);
    }
    static const double inverted[3] = {3, 2, -0.5}; // the least stretched axis is the one that is turned over
    phxi_mat3 a = compose(&turn, inverted, &one), r = phxi_polar_rotation(&a), error = subtract(&r, &turn);
    ENSURE_NEAR(largest_entry(&error), 0, 4e-15);
    phxi_mat3 zero = {{{0}}}, any = phxi_polar_rotation(&zero);
    ensure_rotation(&any);
}

TEST(near_rotation_is_the_polar_one) {
    uint64_t state = 11;
    for (int i = 0; i < 20000; ++i) {
        phxi_mat3 a = random_matrix(&state, i % 8, 1), turn = phxi_rotation(phxi_vec3(i % 3, i % 5 - 2, 1), 0.01 * i);
        double share = i % 4 == 0 ? 1 : 0.1 * (i % 4); // any matrix, and such that are nearly rotations
        for (int k = 0; k < 9; ++k) {
            a.m[k / 3][k % 3] = share * a.m[k / 3][k % 3] + (1 - share) * 7 * turn.m[k / 3][k % 3];
        }
        phxi_mat3 near = phxi_near_rotation(&a), polar = phxi_polar_rotation(&a), u, v;
        double s[3];
        phxi_svd3(&a, &u, s, &v);
        if (s[1] + s[2] > 1e-3 * s[0]) { // else the rotation is not well known
            phxi_mat3 error = subtract(&near, &polar);
            ENSURE_NEAR(largest_entry(&error), 0, 1e-11);
        }
        phxi_mat3 back = phxi_mat3_transpose(&near), one = phxi_identity(), square = phxi_mat3_mul(&near, &back),
                  error = subtract(&square, &one);
        ENSURE_NEAR(largest_entry(&error), 0, 4e-15);
        ENSURE_NEAR(phxi_mat3_det(&near), 1, 4e-15);
    }
}

TEST(near_inverse_is_the_pseudo_inverse) {
    uint64_t state = 12;
    for (int i = 0; i < 20000; ++i) {
        phxi_mat3 a = random_matrix(&state, i % 8, 1), square = phxi_mat3_transpose(&a);
        square = phxi_mat3_mul(&a, &square);
        phxi_sym3 sym = {square.m[0][0], square.m[1][1], square.m[2][2],
                         square.m[0][1], square.m[0][2], square.m[1][2]},
                  near, pseudo;
        int rank = phxi_pseudo_inverse_sym3(&sym, 1e-6, &pseudo, NULL);
        ENSURE(phxi_near_inverse_sym3(&sym, 1e-6, &near) == rank);
        phxi_mat3 one = phxi_sym3_full(&near), other = phxi_sym3_full(&pseudo), error = subtract(&one, &other);
        ENSURE(largest_entry(&error) <= 1e-11 * (1 + largest_entry(&other)));
    }
    phxi_sym3 negative = {-1, -2, -3, 0, 0, 0}, inverse;
    ENSURE(phxi_near_inverse_sym3(&negative, 1e-9, &inverse) == 0);
}

TEST(not_finite_gives_identity_and_nan) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    phxi_mat3 one = phxi_identity();
    for (int k = 0; k < 27; ++k) {
        phxi_mat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}}, u, v;
        a.m[k % 9 / 3][k % 3] = bad[k / 9];
        double s[3];
        phxi_svd3(&a, &u, s, &v);
        phxi_mat3 r = phxi_polar_rotation(&a);
        ENSURE(isnan(s[0]) && isnan(s[1]) && isnan(s[2]));
        ENSURE(memcmp(&u, &one, sizeof u) == 0 && memcmp(&v, &one, sizeof v) == 0 && memcmp(&r, &one, sizeof r) == 0);
    }
    for (int k = 0; k < 18; ++k) {
        phxi_sym3 a = {1, 2, 3, 4, 5, 6}, inverse, projector;
        double values[3];
        phxi_mat3 q;
        (&a.xx)[k % 6] = bad[k / 6];
        phxi_eigen_sym3(&a, values, &q);
        ENSURE(isnan(values[0]) && isnan(values[1]) && isnan(values[2]));
        ENSURE(memcmp(&q, &one, sizeof q) == 0);
        ENSURE(phxi_pseudo_inverse_sym3(&a, 1e-9, &inverse, &projector) == 0);
        ENSURE(inverse.xx == 0 && inverse.yz == 0 && projector.zz == 0);
    }
}

static phxi_sym3 symmetric(const phxi_mat3* a) {
    return (phxi_sym3){a->m[0][0], a->m[1][1], a->m[2][2], a->m[0][1], a->m[0][2], a->m[1][2]};
}

TEST(eigen_of_random_matrices_at_all_scales) {
    static const int powers[] = {-300, -150, -30, -10, 0, 10, 30, 150, 300};
    uint64_t state = 3;
    for (int i = 0; i < 40000; ++i) {
        phxi_mat3 a = random_matrix(&state, i % 8, pow(10, powers[i / 8 % 9]));
        phxi_sym3 sym = symmetric(&a);
        ensure_eigen(&sym);
    }
}

TEST(eigen_of_degenerate_matrices) {
    static const phxi_sym3 cases[] = {
        {0},
        {1, 1, 1, 0, 0, 0},
        {-1, -1, -1, 0, 0, 0},
        {1, 1, 1, 1, 1, 1},
        {0, 0, 0, 1, 1, 1},
        {0, 0, 0, 1, 0, 0},
        {0, 0, 5, 0, 0, 0},
        {1, 1, 1, 1e-17, 1e-17, 1e-17},
        {1, 1e-20, 1e-40, 1e-11, 1e-21, 1e-31},
        {1e-305, 0, 0, 1e-305, 0, 0},
        {1e308, 1e308, -1e308, 1e300, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ensure_eigen(&cases[i]);
    }
    double values[3];
    phxi_mat3 q;
    phxi_eigen_sym3(&cases[3], values, &q);
    ENSURE_NEAR(values[0], 3, 1e-15);
    ENSURE_NEAR(values[1], 0, 1e-15);
    ENSURE_NEAR(values[2], 0, 1e-15);
}

TEST(pseudo_inverse_of_every_rank) {
    static const double given[][3] = {{3, 2, 1}, {3, 2, 0}, {3, 0, 0}, {0, 0, 0}, {1, 1e-3, 1e-12}};
    static const int ranks[] = {3, 2, 1, 0, 2};
    phxi_mat3 q = phxi_rotation(phxi_vec3(3, -1, 2), 1.2);
    for (int power = -150; power <= 150; power += 50) {
        for (int k = 0; k < 5; ++k) {
            double size = pow(10, power), scaled[3], inverses[3] = {0}, ones[3] = {0};
            for (int i = 0; i < 3; ++i) {
                scaled[i] = size * given[k][i];
                inverses[i] = i < ranks[k] ? 1 / given[k][i] : 0;
                ones[i] = i < ranks[k];
            }
            phxi_mat3 a = compose(&q, scaled, &q), wanted = compose(&q, inverses, &q), onto = compose(&q, ones, &q);
            phxi_sym3 sym = symmetric(&a), inverse, projector, alone;
            ENSURE(phxi_pseudo_inverse_sym3(&sym, 1e-9, &inverse, &projector) == ranks[k]);
            ENSURE(phxi_pseudo_inverse_sym3(&sym, 1e-9, &alone, NULL) == ranks[k]);
            ENSURE(memcmp(&alone, &inverse, sizeof alone) == 0);
            phxi_mat3 got = phxi_sym3_full(&inverse), shadow = phxi_sym3_full(&projector);
            for (int i = 0; i < 9; ++i) {
                got.m[i / 3][i % 3] *= size;
            }
            phxi_mat3 error = subtract(&got, &wanted), gap = subtract(&shadow, &onto);
            ENSURE_NEAR(largest_entry(&error), 0, k == 4 ? 1e-9 : 1e-14);
            ENSURE_NEAR(largest_entry(&gap), 0, k == 4 ? 1e-12 : 1e-14);
        }
    }
    phxi_sym3 negative = {-1, -2, -3, 0, 0, 0}, inverse;
    ENSURE(phxi_pseudo_inverse_sym3(&negative, 1e-9, &inverse, NULL) == 0);
    ENSURE(inverse.xx == 0);
}
