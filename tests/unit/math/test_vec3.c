// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "math/vec3.h"

static phx_vec3 random_vector(uint64_t* state, double size) {
    double x = phxt_random(state), y = phxt_random(state), z = phxt_random(state);
    return phxi_vec3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

static phxi_mat3 random_matrix(uint64_t* state) {
    phxi_mat3 a;
    for (int i = 0; i < 9; ++i) {
        a.m[i / 3][i % 3] = 2 * phxt_random(state) - 1;
    }
    return a;
}

static double difference(const phxi_mat3* a, const phxi_mat3* b) {
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        double d = fabs(a->m[i / 3][i % 3] - b->m[i / 3][i % 3]);
        largest = d <= largest ? largest : d; // keeps NaN
    }
    return largest;
}

TEST(normalize_at_any_scale) {
    static const double scales[] = {5e-324, 1e-310, 1e-200, 1e-30, 1, 1e30, 1e200, 1e308};
    phx_vec3 fallback = {0, 0, 7};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        phx_vec3 n = phxi_normalize(phxi_vec3(0, -scales[i], 0), fallback);
        ENSURE(n.x == 0 && n.y == -1 && n.z == 0);
        n = phxi_normalize(phxi_vec3(scales[i], scales[i], scales[i]), fallback);
        ENSURE_NEAR(n.x, 1 / sqrt(3.0), 2e-16);
        ENSURE_NEAR(phxi_length(n), 1, 4e-16);
    }
    static const double bad[] = {0, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i) {
        ENSURE(phxi_normalize(phxi_vec3(bad[i], 0, 0), fallback).z == 7);
    }
    ENSURE(phxi_normalize(phxi_vec3(1, 2, NAN), fallback).z == 7);
}

TEST(perpendicular_is_unit_and_square) {
    uint64_t state = 1;
    for (int i = 0; i < 10000; ++i) {
        phx_vec3 n = phxi_normalize(random_vector(&state, 1), phxi_vec3(1, 0, 0)), p = phxi_perpendicular(n);
        ENSURE_NEAR(phxi_length(p), 1, 4e-16);
        ENSURE_NEAR(phxi_dot(n, p), 0, 4e-16);
    }
    for (int axis = 0; axis < 3; ++axis) {
        phx_vec3 n = {axis == 0, axis == 1, -(axis == 2)}, p = phxi_perpendicular(n);
        ENSURE(phxi_length(p) == 1 && phxi_dot(n, p) == 0);
    }
}

TEST(inverse_of_random_matrices) {
    uint64_t state = 2;
    for (int i = 0; i < 10000; ++i) {
        phxi_mat3 a = random_matrix(&state), inverse;
        double det = fabs(phxi_mat3_det(&a));
        REQUIRE(phxi_mat3_inverse(&a, &inverse));
        phxi_mat3 product = phxi_mat3_mul(&a, &inverse), one = phxi_identity();
        ENSURE_NEAR(difference(&product, &one), 0, 1e-14 / det);
    }
}

TEST(inverse_at_any_scale) {
    for (int power = -290; power <= 290; power += 29) {
        double s = pow(10, power);
        phxi_mat3 a = {{{2 * s, 0, 0}, {0, 0, 4 * s}, {0, -8 * s, 0}}}, inverse;
        REQUIRE(phxi_mat3_inverse(&a, &inverse));
        ENSURE_NEAR(inverse.m[0][0] * s, 0.5, 1e-15);
        ENSURE_NEAR(inverse.m[1][2] * s, -0.125, 1e-15);
        ENSURE_NEAR(inverse.m[2][1] * s, 0.25, 1e-15);
    }
    phxi_mat3 thin = {{{1, 0, 0}, {0, 1e-25, 0}, {0, 0, 1}}}, inverse; // small, yet not singular
    ENSURE(phxi_mat3_inverse(&thin, &inverse));
    ENSURE_NEAR(inverse.m[1][1], 1e25, 1e10);
}

TEST(inverse_refuses_singular_matrices) {
    static const phxi_mat3 bad[] = {
        {{{0}}},
        {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}},
        {{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}}}, // singular but for rounding
        {{{1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 0}}},
        {{{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{1, 0, 0}, {0, 1, INFINITY}, {0, 0, 1}}},
        {{{5e-324, 0, 0}, {0, 5e-324, 0}, {0, 0, 5e-324}}}, // its inverse is no number
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        phxi_mat3 inverse = phxi_identity(), zero = {{{0}}};
        ENSURE(!phxi_mat3_inverse(&bad[i], &inverse));
        ENSURE(difference(&inverse, &zero) == 0);
    }
}

TEST(cofactor_is_det_times_inverse_transposed) {
    uint64_t state = 3;
    for (int i = 0; i < 1000; ++i) {
        phxi_mat3 a = random_matrix(&state), c = phxi_mat3_cofactor(&a), t = phxi_mat3_transpose(&c);
        phxi_mat3 product = phxi_mat3_mul(&a, &t), wanted = {{{0}}};
        wanted.m[0][0] = wanted.m[1][1] = wanted.m[2][2] = phxi_mat3_det(&a);
        ENSURE_NEAR(difference(&product, &wanted), 0, 2e-15);
    }
    phxi_mat3 singular = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}}, c = phxi_mat3_cofactor(&singular);
    ENSURE(c.m[2][2] == 1 && c.m[0][0] == 0);
}

TEST(rotation_turns_the_right_way) {
    double right = acos(0.0);
    phxi_mat3 r = phxi_rotation(phxi_vec3(0, 0, 5), right);
    phx_vec3 v = phxi_mat3_apply(&r, phxi_vec3(1, 0, 0));
    ENSURE_NEAR(v.x, 0, 4e-16);
    ENSURE_NEAR(v.y, 1, 4e-16);
    phxi_mat3 none = phxi_rotation(phxi_vec3(0, 0, 0), 1), one = phxi_identity();
    ENSURE(difference(&none, &one) == 0);
    none = phxi_rotation(phxi_vec3(NAN, 0, 0), 1);
    ENSURE(difference(&none, &one) == 0);
}

TEST(quaternions_and_matrices_agree) {
    uint64_t state = 4;
    for (int i = 0; i < 10000; ++i) {
        phx_vec3 axis = random_vector(&state, 1), v = random_vector(&state, 1);
        double angle = 7 * phxt_random(&state);
        if (i % 10 == 0) {
            angle = acos(-1.0); // half turns: the scalar part is zero
            axis = i % 20 ? axis : phxi_vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        }
        phxi_quat q = phxi_quat_from_axis(axis, angle);
        phxi_mat3 r = phxi_quat_matrix(q);
        phxi_mat3 t = phxi_mat3_transpose(&r), square = phxi_mat3_mul(&r, &t), one = phxi_identity();
        ENSURE_NEAR(difference(&square, &one), 0, 2e-15);
        ENSURE_NEAR(phxi_mat3_det(&r), 1, 2e-15);
        phxi_quat back = phxi_quat_from_matrix(&r);
        phxi_mat3 again = phxi_quat_matrix(back);
        ENSURE_NEAR(difference(&r, &again), 0, 2e-15);
        ENSURE(back.w >= 0);
        ENSURE_NEAR(phxi_distance(phxi_quat_rotate(q, v), phxi_mat3_apply(&r, v)), 0, 2e-15);
        phxi_quat p = phxi_quat_from_axis(random_vector(&state, 1), 1);
        phxi_mat3 rp = phxi_quat_matrix(p), both = phxi_mat3_mul(&r, &rp),
                  product = phxi_quat_matrix(phxi_quat_mul(q, p));
        ENSURE_NEAR(difference(&both, &product), 0, 3e-15);
    }
}

TEST(quat_normalize_is_safe) {
    static const double scales[] = {5e-324, 1e-200, 1, 1e200, 1e308};
    for (int i = 0; i < 5; ++i) {
        phxi_quat q = phxi_quat_normalize((phxi_quat){scales[i], -scales[i], scales[i], scales[i]});
        ENSURE_NEAR(q.w, 0.5, 1e-15);
        ENSURE_NEAR(q.x, -0.5, 1e-15);
    }
    static const phxi_quat bad[] = {
        {0, 0, 0, 0}, {NAN, 0, 0, 1}, {1, NAN, 0, 0}, {INFINITY, 0, 0, 0}, {1, 0, -INFINITY, 2}};
    for (int i = 0; i < 5; ++i) {
        phxi_quat q = phxi_quat_normalize(bad[i]);
        ENSURE(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
    }
}
