// SPDX-License-Identifier: MIT
// Stiffness: against differences of the stress, symmetric, positive semi-definite everywhere, the wide form equal.
#include "materials/elastic_batch.h"
#include "materials/tangent.h"
#include "math/decompose3.h"
#include "support/test.h"

static phxi_elastic some_material(int law) {
    phx_material_def def = phx_material_def_default();
    def.young = 2e4;
    def.poisson = 0.35;
    def.law = law;
    return phxi_elastic_from(&def);
}

static phxi_mat3 random_matrix(uint64_t* state, double amplitude) {
    phxi_mat3 f = {0};
    for (int k = 0; k < 9; ++k) {
        f.m[k / 3][k % 3] = amplitude * (2 * phxt_random(state) - 1);
    }
    return f;
}

static phxi_mat3 plus(const phxi_mat3* a, double s, const phxi_mat3* b) {
    phxi_mat3 c;
    for (int k = 0; k < 9; ++k) {
        c.m[k / 3][k % 3] = a->m[k / 3][k % 3] + s * b->m[k / 3][k % 3];
    }
    return c;
}

static double contract(const phxi_mat3* a, const phxi_mat3* b) {
    double sum = 0;
    for (int k = 0; k < 9; ++k) {
        sum += a->m[k / 3][k % 3] * b->m[k / 3][k % 3];
    }
    return sum;
}

static double size(const phxi_mat3* a) {
    return sqrt(contract(a, a));
}

/// Stress of the law and of the volume term.
static bool stress(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, phxi_mat3* p) {
    bool fine = phxi_elastic_stress(elastic, f, p);
    phxi_mat3 cofactor = phxi_mat3_cofactor(f);
    *p = plus(p, bulk * (phxi_mat3_det(f) - 1), &cofactor);
    return fine;
}

/// || C:dF - dP || / || C || by central differences of fourth order; C the exact stiffness.
static double difference_error(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, uint64_t* seed) {
    phxi_tangent tangent;
    phxi_tangent_exact(elastic, bulk, f, &tangent);
    phxi_mat3 df = random_matrix(seed, 1), p[4], sum = {0};
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double h = 2e-4;
    for (int k = 0; k < 4; ++k) {
        phxi_mat3 g = plus(f, h * at[k], &df);
        if (!stress(elastic, bulk, &g, &p[k])) {
            return 0;
        }
        sum = plus(&sum, weight[k] / (12 * h), &p[k]);
    }
    phxi_mat3 dp = phxi_tangent_apply(&tangent, &df), error = plus(&dp, -1, &sum);
    return size(&error) / (size(&dp) + elastic->mu);
}

TEST(equals_differences_of_the_stress) {
    uint64_t seed = 5;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        double worst = 0;
        for (int k = 0; k < 300; ++k) {
            phxi_mat3 f = random_matrix(&seed, 0.4), one = phxi_identity();
            phxi_mat3 q = phxi_rotation(phxi_vec3(phxt_random(&seed), 0.2, -0.5), 6 * phxt_random(&seed));
            f = plus(&one, 1, &f);
            f = phxi_mat3_mul(&q, &f);
            if (phxi_mat3_det(&f) > 0.3) {
                worst = fmax(worst, difference_error(&elastic, k % 2 ? 3e4 : 0, &f, &seed));
            }
        }
        if (!(worst < 1e-7)) {
            phxt_failed(__FILE__, __LINE__, "law %d: %g", law, worst);
        }
    }
}

// Equal stretches, nearly equal ones, and the bounded law on both sides of its bound and inverted.
TEST(equals_differences_where_stretches_meet) {
    uint64_t seed = 6;
    static const double gaps[] = {0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        double worst = 0;
        for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; ++k) {
            for (double s = 0.7; s < 1.6; s += 0.3) {
                phxi_mat3 f = {{{s, 0, 0}, {0, s + gaps[k], 0}, {0, 0, s - 2 * gaps[k]}}};
                phxi_mat3 q = phxi_rotation(phxi_vec3(1, -0.2, 0.5), s);
                worst = fmax(worst, difference_error(&elastic, 1e3, &f, &seed));
                f = phxi_mat3_mul(&q, &f);
                worst = fmax(worst, difference_error(&elastic, 1e3, &f, &seed));
            }
        }
        if (!(worst < 1e-7)) {
            phxt_failed(__FILE__, __LINE__, "law %d: %g", law, worst);
        }
    }
    phxi_elastic bounded = some_material(PHX_LAW_NEO_HOOKEAN_BOUNDED);
    static const double third[] = {0.3, 0.05, -0.2};
    for (int k = 0; k < 3; ++k) {
        phxi_mat3 f = {{{1.1, 0.1, 0}, {0, 0.06, 0}, {0, 0, third[k]}}};
        ENSURE(difference_error(&bounded, 0, &f, &seed) < 1e-7);
    }
}

// The laws that stop at J = 0 are continued as their wide forms are: differences of those, in double.
TEST(equals_differences_of_the_continued_laws) {
    if (sizeof(phx_real) == 4) {
        return;
    }
    static const double third[] = {0.2, 0.04, -0.01, -0.5};
    _Alignas(64) static phx_real g[9 * 16], p[9 * 16];
    const double h = 1e-5;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int state = 0; state < 4; ++state) {
            uint64_t seed = 9;
            phxi_mat3 f = {{{1.3, 0.1, -0.2}, {0.05, 0.8, 0.1}, {0.02, 0, third[state]}}}, df = random_matrix(&seed, 1);
            for (int k = 0; k < 9; ++k) {
                double rest = f.m[k / 3][k % 3] - (k % 4 == 0), step = h * df.m[k / 3][k % 3];
                g[k * 16] = (phx_real)(rest + step);
                g[k * 16 + 1] = (phx_real)(rest - step);
            }
            phxi_elastic_batch(&elastic, 2, 16, g, p, NULL);
            phxi_tangent tangent;
            phxi_tangent_exact(&elastic, 0, &f, &tangent);
            phxi_mat3 dp = phxi_tangent_apply(&tangent, &df);
            double error = 0;
            for (int k = 0; k < 9; ++k) {
                error = fmax(error, fabs(dp.m[k / 3][k % 3] - (double)(p[k * 16] - p[k * 16 + 1]) / (2 * h)));
            }
            if (!(error < 1e-6 * (size(&dp) + elastic.mu))) {
                phxt_failed(__FILE__, __LINE__, "law %d state %d: %g of %g", law, state, error, size(&dp));
            }
        }
    }
}

TEST(at_rest_it_is_hooke) {
    phxi_mat3 one = phxi_identity(), df = {{{1, 2, -1}, {0.5, 3, 0.2}, {-2, 1, 0.7}}};
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        phxi_tangent tangent;
        phxi_tangent_at(&elastic, 0, &one, &tangent);
        phxi_mat3 dp = phxi_tangent_apply(&tangent, &df);
        for (int k = 0; k < 9; ++k) {
            double expected =
                elastic.mu * (df.m[k / 3][k % 3] + df.m[k % 3][k / 3]) + (k % 4 ? 0 : elastic.lambda * 4.7);
            ENSURE_NEAR(dp.m[k / 3][k % 3], expected, 1e-10 * elastic.mu);
        }
    }
}

/// Ordinary, crushed, flat, inverted, stretched and huge states.
static phxi_mat3 wild_state(int k, uint64_t* seed) {
    static const double amplitude[] = {0.1, 0.7, 2, 50, 1e5};
    phxi_mat3 f = random_matrix(seed, amplitude[k % 5]), one = phxi_identity();
    f = plus(&one, 1, &f);
    double squash = k % 3 == 1 ? 1e-3 : k % 3 == 2 ? -1 : 1;
    for (int j = 0; j < 3; ++j) {
        f.m[2][j] *= squash;
        f.m[1][j] *= k % 7 == 0 ? 0 : 1;
    }
    return f;
}

TEST(symmetric_and_positive_everywhere) {
    uint64_t seed = 7;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int k = 0; k < 1000; ++k) {
            phxi_mat3 f = wild_state(k, &seed), a = random_matrix(&seed, 1), b = random_matrix(&seed, 1);
            phxi_tangent tangent;
            phxi_tangent_at(&elastic, k % 2 ? 1e4 : 0, &f, &tangent);
            phxi_mat3 ca = phxi_tangent_apply(&tangent, &a), cb = phxi_tangent_apply(&tangent, &b);
            double scale = size(&ca) + size(&cb);
            ENSURE(isfinite(scale));
            ENSURE(fabs(contract(&ca, &b) - contract(&cb, &a)) <= 1e-12 * scale);
            ENSURE(contract(&ca, &a) >= -1e-12 * scale && contract(&cb, &b) >= -1e-12 * scale);
        }
    }
}

// Where nothing is clamped the projection is the derivative itself, to the bit.
TEST(projection_leaves_definite_states_alone) {
    uint64_t seed = 8;
    phxi_elastic elastic = some_material(PHX_LAW_NEO_HOOKEAN);
    for (int k = 0; k < 100; ++k) {
        phxi_mat3 f = random_matrix(&seed, 0.05), one = phxi_identity();
        phxi_tangent exact, projected;
        f = plus(&one, 1, &f);
        phxi_tangent_exact(&elastic, 0, &f, &exact);
        phxi_tangent_at(&elastic, 0, &f, &projected);
        bool definite = exact.flip[0] >= 0 && exact.flip[1] >= 0 && exact.flip[2] >= 0 && exact.twist[0] >= 0 &&
                        exact.twist[1] >= 0 && exact.twist[2] >= 0;
        ENSURE(!definite || memcmp(&exact, &projected, sizeof exact) == 0);
    }
}

TEST(not_a_number_gives_the_stiffness_of_rest) {
    phxi_elastic elastic = some_material(PHX_LAW_STVK);
    phxi_mat3 one = phxi_identity(), f = one;
    f.m[1][2] = NAN;
    phxi_tangent rest, tangent;
    phxi_tangent_at(&elastic, 0, &one, &rest);
    phxi_tangent_at(&elastic, 0, &f, &tangent);
    ENSURE(memcmp(&rest, &tangent, sizeof rest) == 0);
    f.m[1][2] = INFINITY;
    phxi_tangent_at(&elastic, 0, &f, &tangent);
    ENSURE(memcmp(&rest, &tangent, sizeof rest) == 0);
}

TEST(wide_form_equals_the_scalar_one) {
    enum { COUNT = 77, STRIDE = 80 };
    _Alignas(64) static phx_real g[9 * STRIDE], t[PHXI_TANGENT_NUMBERS * STRIDE], df[9 * STRIDE], dp[9 * STRIDE],
        other[9 * STRIDE];
    const double epsilon = sizeof(phx_real) == 4 ? 0x1p-23 : 0x1p-52;
    uint64_t seed = 11;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int i = 0; i < COUNT; ++i) {
            phxi_mat3 f = wild_state(i % 5 > 2 ? 5 * i : i, &seed), a = random_matrix(&seed, 1);
            for (int k = 0; k < 9; ++k) {
                g[k * STRIDE + i] = (phx_real)(f.m[k / 3][k % 3] - (k % 4 == 0));
                df[k * STRIDE + i] = (phx_real)a.m[k / 3][k % 3];
            }
        }
        phxi_tangent_batch(&elastic, 1e4, false, COUNT, STRIDE, g, t);
        phxi_tangent_apply_batch(COUNT, STRIDE, t, df, dp);
        for (int i = 0; i < COUNT; ++i) {
            phxi_mat3 f = phxi_identity(), a;
            phxi_tangent tangent;
            double largest = 0;
            for (int k = 0; k < 9; ++k) {
                f.m[k / 3][k % 3] += (double)g[k * STRIDE + i];
                a.m[k / 3][k % 3] = (double)df[k * STRIDE + i];
            }
            phxi_tangent_at(&elastic, 1e4, &f, &tangent);
            for (int k = 0; k < 3; ++k) {
                largest = fmax(largest, fmax(tangent.flip[k], tangent.twist[k]));
            }
            largest = fmax(largest, tangent.block.xx + tangent.block.yy + tangent.block.zz);
            phxi_mat3 p = phxi_tangent_apply(&tangent, &a);
            for (int k = 0; k < 9; ++k) {
                ENSURE_NEAR(dp[k * STRIDE + i], p.m[k / 3][k % 3], 20 * epsilon * largest);
            }
        }
        // alone, in place, and with fewer others: the same bits
        memcpy(other, df, sizeof other);
        phxi_tangent_apply_batch(COUNT - 10, STRIDE, t, other, other);
        for (int k = 0; k < 9; ++k) {
            ENSURE(memcmp(other + k * STRIDE, dp + k * STRIDE, (COUNT - 10) * sizeof(phx_real)) == 0);
        }
    }
}
