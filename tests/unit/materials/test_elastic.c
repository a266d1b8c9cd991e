// SPDX-License-Identifier: MIT
// The scalar laws: numbers of docs/theory/materials.md M2, energy against stress, matrix against principal form,
// invariance.
#include "materials/elastic.h"
#include "math/decompose3.h"
#include "support/test.h"

static const double gap = -1e300; // the table has no number there
static const double none = 1e300; // the law has no value there

/// mu = 100, lambda = 27.78, the constants of the table (not those of any E and nu).
static phxi_elastic table_material(int law, double bound) {
    double mu = 100, lambda = 27.78;
    return (phxi_elastic){law, mu, lambda, lambda + 2 * mu / 3, 75, 25, bound};
}

static phxi_elastic some_material(int law) {
    phx_material_def def = phx_material_def_default();
    def.young = 3e4;
    def.poisson = 0.35;
    def.law = law;
    return phxi_elastic_from(&def);
}

/// I + amplitude * (entries in [-1, 1])
static phxi_mat3 random_matrix(uint64_t* state, double amplitude) {
    phxi_mat3 f = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        f.m[k / 3][k % 3] += amplitude * (2 * phxt_random(state) - 1);
    }
    return f;
}

static double largest(const phxi_mat3* a) {
    double most = 0;
    for (int k = 0; k < 9; ++k) {
        most = fmax(most, fabs(a->m[k / 3][k % 3]));
    }
    return most;
}

static bool everywhere(int law) {
    return law == PHX_LAW_COROTATED || law == PHX_LAW_STVK || law == PHX_LAW_NEO_HOOKEAN_BOUNDED;
}

// docs/theory/materials.md M2: psi_1(s, 1, 1).
TEST(stress_table) {
    static const struct {
        double s, corotated, stvk, hookean, square, bounded1, bounded2, general, mooney;
    } rows[] = {
        {-1, -455.5600, 0, 1e300, 1e300, -4795.4581, -1656.9509, 1e300, 1e300},
        {-0.5, -341.6700, 42.7088, 1e300, 1e300, -3356.4581, -1259.7009, 1e300, 1e300},
        {0, -227.7800, 0, 1e300, 1e300, -1917.4581, -862.4509, 1e300, 1e300},
        {0.1, -205.0020, -11.2751, -1629.6581, -1015.0020, -1629.6581, -783.0009, -3148.4506, -5937.4057},
        {0.2, -182.2240, -21.8669, -703.5509, -502.2240, -703.5509, -703.5509, -1011.2430, -1461.3120},
        {0.5, -113.8900, -42.7088, -188.5113, -163.8900, -188.5113, -188.5113, -205.9634, -229.2745},
        {0.57735026918962576, -96.2712, -43.8363, -141.9007, -127.2113, -1e300, -1e300, -150.9423, -163.2174},
        {0.8, -45.5560, -32.8003, -52.7487, -50.5560, -1e300, -1e300, -53.7012, -55.0972},
        {1, 0, 0, 0, 0, 0, 0, 0, 0},
        {1.25, 56.9450, 80.0789, 49.9591, 51.9450, -1e300, -1e300, 49.4649, 48.5715},
        {1.5, 113.8900, 213.5438, 90.8425, 97.2233, -1e300, -1e300, 89.6202, 87.1097},
        {2, 227.7800, 683.3400, 159.6278, 177.7800, -1e300, -1e300, 157.4427, 151.6150},
        {4, 683.3400, 6833.4000, 384.6278, 458.3400, -1e300, -1e300, 382.5526, 367.5926},
    };
    static const struct {
        int law;
        double bound;
    } columns[] = {{PHX_LAW_COROTATED, 0.1},           {PHX_LAW_STVK, 0.1},
                   {PHX_LAW_NEO_HOOKEAN, 0.1},         {PHX_LAW_NEO_HOOKEAN_SQUARE, 0.1},
                   {PHX_LAW_NEO_HOOKEAN_BOUNDED, 0.1}, {PHX_LAW_NEO_HOOKEAN_BOUNDED, 0.2},
                   {PHX_LAW_NEO_HOOKEAN_GENERAL, 0.1}, {PHX_LAW_MOONEY_RIVLIN, 0.1}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
        const double* expected = &rows[row].corotated;
        for (int column = 0; column < 8; ++column) {
            phxi_elastic elastic = table_material(columns[column].law, columns[column].bound);
            double s[3] = {rows[row].s, 1, 1}, psi[3];
            phxi_mat3 f = {{{rows[row].s, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, p;
            bool principal = phxi_elastic_principal(&elastic, s, psi), matrix = phxi_elastic_stress(&elastic, &f, &p);
            if (expected[column] == none) {
                ENSURE(!principal && !matrix && isinf(phxi_elastic_energy(&elastic, &f)));
                ENSURE(largest(&p) == 0 && psi[0] == 0);
            } else if (expected[column] != gap) {
                ENSURE(principal && matrix);
                ENSURE_NEAR(psi[0], expected[column], 1e-4);
                // at s = -1 all singular values have the same size, and any axis may be the reversed one
                if (rows[row].s != -1) {
                    ENSURE_NEAR(p.m[0][0], expected[column], 1e-4);
                }
            }
        }
    }
}

// Barrier and wells of the St. Venant-Kirchhoff law under (13).
TEST(stvk_flips) {
    phxi_elastic elastic = table_material(PHX_LAW_STVK, 0.1);
    phxi_mat3 flat = {{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, flipped = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ENSURE_NEAR(phxi_elastic_energy(&elastic, &flat), 100 / 4.0 + 27.78 / 8, 1e-12);
    ENSURE_NEAR(phxi_elastic_energy(&elastic, &flipped), 0, 1e-12);
    phxi_mat3 stretched = {{{1.5, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ENSURE_NEAR(phxi_elastic_energy(&elastic, &stretched), 44.49, 5e-3);
}

static void check_gradient(const phxi_elastic* elastic, const phxi_mat3* f, double bound) {
    phxi_mat3 p;
    REQUIRE(phxi_elastic_stress(elastic, f, &p));
    double scale = fmax(largest(&p), 1e-3 * elastic->mu), worst = 0;
    for (int k = 0; k < 9; ++k) {
        // fourth-order central difference: with h = 1e-3 both truncation and rounding stay near 1e-11
        double h = 1e-3, e[4], at[4] = {-2, -1, 1, 2};
        for (int n = 0; n < 4; ++n) {
            phxi_mat3 moved = *f;
            moved.m[k / 3][k % 3] += at[n] * h;
            e[n] = phxi_elastic_energy(elastic, &moved);
        }
        double slope = (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
        worst = fmax(worst, fabs(slope - p.m[k / 3][k % 3]) / scale);
    }
    ENSURE_NEAR(worst, 0, bound);
}

TEST(stress_is_gradient_of_energy) {
    uint64_t state = 7;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int n = 0; n < 50; ++n) {
            phxi_mat3 f = random_matrix(&state, 0.25);
            check_gradient(&elastic, &f, 1e-8);
        }
    }
}

TEST(stress_is_gradient_through_inversion) {
    uint64_t state = 8;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int n = 0; everywhere(law) && n < 50; ++n) {
            phxi_elastic elastic = some_material(law);
            phxi_mat3 f = random_matrix(&state, 0.1);
            f.m[0][0] -= 1.6; // one stretch near -0.6
            check_gradient(&elastic, &f, 1e-8);
        }
    }
}

TEST(rest_and_stiffness_at_rest) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        phxi_mat3 f = phxi_identity(), p;
        ENSURE(phxi_elastic_stress(&elastic, &f, &p));
        ENSURE_NEAR(largest(&p), 0, 1e-12 * elastic.mu);
        ENSURE_NEAR(phxi_elastic_energy(&elastic, &f), 0, 1e-15 * elastic.mu);
        double h = 1e-5;
        phxi_mat3 low = f, high = f, a, b;
        low.m[0][0] -= h, high.m[0][0] += h;
        ENSURE(phxi_elastic_stress(&elastic, &low, &a) && phxi_elastic_stress(&elastic, &high, &b));
        double stiff = elastic.lambda + 2 * elastic.mu;
        ENSURE_NEAR((b.m[0][0] - a.m[0][0]) / (2 * h), stiff, 1e-8 * stiff);
        ENSURE_NEAR((b.m[1][1] - a.m[1][1]) / (2 * h), elastic.lambda, 1e-8 * stiff);
        low = high = f;
        low.m[0][1] -= h, high.m[0][1] += h;
        ENSURE(phxi_elastic_stress(&elastic, &low, &a) && phxi_elastic_stress(&elastic, &high, &b));
        ENSURE_NEAR((b.m[0][1] - a.m[0][1]) / (2 * h), elastic.mu, 1e-8 * stiff);
    }
}

TEST(frame_indifference_and_isotropy) {
    uint64_t state = 9;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int n = 0; n < 20; ++n) {
            phxi_mat3 f = random_matrix(&state, 0.3), p, rotated_p;
            phxi_mat3 q =
                phxi_rotation(phxi_vec3(phxt_random(&state), 1, phxt_random(&state)), 6 * phxt_random(&state));
            phxi_mat3 rotated = phxi_mat3_mul(&q, &f), turned = phxi_mat3_mul(&f, &q);
            double energy = phxi_elastic_energy(&elastic, &f);
            ENSURE_NEAR(phxi_elastic_energy(&elastic, &rotated), energy, 1e-11 * elastic.mu);
            ENSURE_NEAR(phxi_elastic_energy(&elastic, &turned), energy, 1e-11 * elastic.mu);
            ENSURE(phxi_elastic_stress(&elastic, &f, &p) && phxi_elastic_stress(&elastic, &rotated, &rotated_p));
            phxi_mat3 expected = phxi_mat3_mul(&q, &p);
            for (int k = 0; k < 9; ++k) {
                ENSURE_NEAR(rotated_p.m[k / 3][k % 3], expected.m[k / 3][k % 3], 1e-11 * elastic.mu);
            }
        }
    }
}

TEST(principal_equals_matrix_form) {
    uint64_t state = 10;
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int n = 0; n < 50; ++n) {
            phxi_mat3 f = random_matrix(&state, 0.3), p, u, v;
            if (everywhere(law) && n % 3 == 0) {
                f.m[1][1] -= 1.5;
            }
            double s[3], psi[3];
            phxi_svd3(&f, &u, s, &v);
            ENSURE(phxi_elastic_principal(&elastic, s, psi) && phxi_elastic_stress(&elastic, &f, &p));
            double bound = 1e-11 * fmax(elastic.mu, largest(&p));
            for (int k = 0; k < 9; ++k) {
                double sum = 0;
                for (int a = 0; a < 3; ++a) {
                    sum += u.m[k / 3][a] * psi[a] * v.m[k % 3][a];
                }
                ENSURE_NEAR(p.m[k / 3][k % 3], sum, bound);
            }
        }
    }
}

TEST(laws_without_value) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        double flat[3] = {1, 1, 0}, inverted[3] = {1.2, 0.9, -0.4}, psi[3];
        phxi_mat3 f = {{{1.2, 0, 0}, {0, 0.9, 0}, {0, 0, -0.4}}}, zero = {0}, p;
        bool has = everywhere(law);
        ENSURE(phxi_elastic_principal(&elastic, flat, psi) == has);
        ENSURE(phxi_elastic_principal(&elastic, inverted, psi) == has);
        ENSURE(phxi_elastic_stress(&elastic, &f, &p) == has);
        ENSURE(phxi_elastic_stress(&elastic, &zero, &p) == has);
        ENSURE(isinf(phxi_elastic_energy(&elastic, &f)) == !has);
        ENSURE(isinf(phxi_elastic_energy(&elastic, &zero)) == !has);
        f.m[1][2] = NAN;
        ENSURE(isnan(phxi_elastic_energy(&elastic, &f)));
        ENSURE(!phxi_elastic_stress(&elastic, &f, &p) || isnan(p.m[0][0] + p.m[1][1] + p.m[2][2]));
    }
}

TEST(von_mises) {
    phxi_elastic elastic = some_material(PHX_LAW_NEO_HOOKEAN);
    // uniaxial Cauchy stress: its own norm; pressure: none; rotation changes nothing
    phxi_mat3 f = phxi_identity(), p = {{{5, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    ENSURE_NEAR(phxi_von_mises(&f, &p), 5, 1e-14);
    p = (phxi_mat3){{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}}};
    ENSURE_NEAR(phxi_von_mises(&f, &p), 2 * sqrt(3), 1e-14);
    f = (phxi_mat3){{{1.1, 0, 0}, {0, 1.1, 0}, {0, 0, 1.1}}};
    ENSURE(phxi_elastic_stress(&elastic, &f, &p));
    ENSURE_NEAR(phxi_von_mises(&f, &p), 0, 1e-9);
    uint64_t state = 11;
    f = random_matrix(&state, 0.2);
    phxi_mat3 q = phxi_rotation(phxi_vec3(1, 2, 3), 1), rotated = phxi_mat3_mul(&q, &f), rotated_p;
    ENSURE(phxi_elastic_stress(&elastic, &f, &p) && phxi_elastic_stress(&elastic, &rotated, &rotated_p));
    ENSURE_NEAR(phxi_von_mises(&f, &p), phxi_von_mises(&rotated, &rotated_p), 1e-9 * elastic.mu);
    f = (phxi_mat3){0};
    ENSURE(phxi_von_mises(&f, &p) == 0);
    f.m[0][0] = NAN;
    ENSURE(phxi_von_mises(&f, &p) == 0);
}

TEST(constants_and_sound_speed) {
    phx_material_def def = phx_material_def_default();
    def.young = 100;
    def.poisson = 0.2;
    def.density = 50;
    phxi_elastic elastic = phxi_elastic_from(&def);
    ENSURE_NEAR(elastic.mu, 41.6667, 1e-4);
    ENSURE_NEAR(elastic.lambda, 27.7778, 1e-4);
    ENSURE_NEAR(elastic.kappa, 100 / (3 * (1 - 0.4)), 1e-12);
    ENSURE_NEAR(elastic.mu1 + elastic.mu2, elastic.mu, 1e-13);
    ENSURE_NEAR(phxi_sound_speed(&def), sqrt(100 * 0.8 / (1.2 * 0.6) / 50), 1e-12);
}
