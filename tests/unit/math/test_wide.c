// SPDX-License-Identifier: MIT
// Wide functions against the C library, in every lane.
#include "math/decompose3.h"
#include "math/eigen3_wide.h"
#include "support/test.h"

static const double epsilon = sizeof(phx_real) == 4 ? 0x1p-24 : 0x1p-53;

/// Steps through [low, high] a register at a time; the largest relative errors of value and rest.
static void sweep(bool logarithm, double low, double high, double* value_error, double* rest_error) {
    *value_error = *rest_error = 0;
    for (int i = 0; i < 40000; i += PHXI_LANES) {
        phxi_rw x, value, rest;
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            x[lane] = (phx_real)(low + (high - low) * (i + lane) / 40000);
        }
        if (logarithm) {
            phxi_wide_log1p(&x, &value, &rest);
        } else {
            phxi_wide_expm1(&x, &value, &rest);
        }
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            long double at = (long double)x[lane];
            long double exact = logarithm ? log1pl(at) : expm1l(at);
            long double beyond = logarithm ? at - exact : exact - at;
            if (fabsl(at) < 0.02L) { // the difference of long doubles has lost digits: series
                long double term = at;
                beyond = 0;
                for (int n = 2; n < 14; ++n) {
                    term *= logarithm ? -at : at / n;
                    beyond += logarithm ? -term / n : term;
                }
            }
            if (at != 0) {
                *value_error = fmax(*value_error, (double)fabsl(((long double)value[lane] - exact) / exact));
                *rest_error = fmax(*rest_error, (double)fabsl(((long double)rest[lane] - beyond) / beyond));
            }
        }
    }
}

TEST(log1p_and_its_rest) {
    static const double ranges[][2] = {{-1e-6, 1e-6}, {-0.01, 0.01}, {-0.3, 0.42}, {-0.95, 3}, {1, 1e4}, {1e4, 1e9}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        double value, rest;
        sweep(true, ranges[i][0], ranges[i][1], &value, &rest);
        ENSURE_NEAR(value, 0, 4 * epsilon);
        ENSURE_NEAR(rest, 0, 30 * epsilon); // the rest of numbers beyond one octave is a difference
    }
}

TEST(logarithm_and_exponential) {
    for (int i = -750; i < 750; ++i) {
        phxi_rw x, log, exponent, power;
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            exponent[lane] = (phx_real)(i + 0.1 * lane) / 10;
            x[lane] = (phx_real)exp((double)exponent[lane]);
        }
        phxi_wide_log(&x, &log);
        phxi_wide_exp(&exponent, &power);
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            double exact = logl((long double)x[lane]), value = expl((long double)exponent[lane]);
            ENSURE_NEAR((double)log[lane], exact, 4 * epsilon * fmax(1, fabs(exact)));
            ENSURE_NEAR((double)power[lane] / value, 1, 6 * epsilon);
        }
    }
}

TEST(expm1_and_its_rest) {
    static const double ranges[][2] = {{-1e-6, 1e-6}, {-0.01, 0.01}, {-0.34, 0.34}, {-4, -0.5},
                                       {0.5, 4},      {-40, -4},     {4, 40}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        double value, rest;
        sweep(false, ranges[i][0], ranges[i][1], &value, &rest);
        ENSURE_NEAR(value, 0, 6 * epsilon);
        ENSURE_NEAR(rest, 0, 20 * epsilon);
    }
}

TEST(square_root_and_selection) {
    phxi_rw x, root;
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        x[lane] = (phx_real)(lane * lane);
    }
    phxi_wide_sqrt(&x, &root);
    phxi_mw big = (phxi_mw)(root > PHXI_R(1.5)), none = (phxi_mw)(root < PHXI_R(-1));
    phxi_rw chosen = PHXI_SELECT(big, x, -x);
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        ENSURE(root[lane] == (phx_real)lane);
        ENSURE(chosen[lane] == (phx_real)(lane > 1 ? lane * lane : -lane * lane));
    }
    ENSURE(phxi_wide_any(&big) && !phxi_wide_any(&none));
}

/// Signed singular values of random matrices, some inverted, some flat, against phxi_svd3; U and V rotations.
TEST(singular_values) {
    uint64_t seed = 3;
    for (int turn = 0; turn < 300; ++turn) {
        phxi_rw f[9], c[6], value[3], u[9], s[3], v[9];
        phxi_mw lost;
        for (int k = 0; k < 9; ++k) {
            for (int lane = 0; lane < PHXI_LANES; ++lane) {
                f[k][lane] = (phx_real)((lane % 2 && k > 5 ? 1e-4 : 1) * (2 * phxt_random(&seed) - 1));
            }
        }
        for (int k = 0; k < 6; ++k) {
            static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
            c[k] = f[row[k]] * f[column[k]] + f[3 + row[k]] * f[3 + column[k]] + f[6 + row[k]] * f[6 + column[k]];
        }
        phxi_eigen3_wide(c, value, v);
        phxi_svd3_wide(f, value, v, u, s, &lost);
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            phxi_mat3 a, su, sv, wide;
            double exact[3];
            for (int k = 0; k < 9; ++k) {
                a.m[k / 3][k % 3] = (double)f[k][lane];
                wide.m[k / 3][k % 3] = (double)v[k][lane];
            }
            phxi_svd3(&a, &su, exact, &sv);
            if (lost[lane]) {
                ENSURE(fabs(exact[1]) < 0.02 * exact[0]);
                continue;
            }
            ENSURE_NEAR(phxi_mat3_det(&wide), 1, 40 * epsilon);
            double gain = exact[0] / exact[1]; // rounding of u_1
            for (int k = 0; k < 3; ++k) {
                ENSURE_NEAR(s[k][lane], exact[k], 40 * epsilon * exact[0] * gain);
            }
            for (int k = 0; k < 9; ++k) {
                double back = 0;
                for (int n = 0; n < 3; ++n) {
                    back += (double)u[k / 3 * 3 + n][lane] * (double)s[n][lane] * (double)v[k % 3 * 3 + n][lane];
                }
                ENSURE_NEAR(back, a.m[k / 3][k % 3], 40 * epsilon * exact[0] * gain);
            }
        }
    }
}
