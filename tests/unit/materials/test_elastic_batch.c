// SPDX-License-Identifier: MIT
// The wide laws against the scalar ones: ordinary, tiny, crushed, inverted, huge and broken states; bits that do not
// depend on place and count.
#include "materials/elastic_batch.h"
#include "math/decompose3.h"
#include "support/test.h"

enum { MOST = 1008 };

typedef struct planes {
    _Alignas(64) phx_real g[9 * MOST], p[9 * MOST], energy[MOST];
} planes;

static planes data, other;
static const double epsilon = sizeof(phx_real) == 4 ? 0x1p-24 : 0x1p-53;
static const char* const names[] = {"corotated", "stvk", "nh", "nh square", "bounded", "general", "mooney", "hencky"};

static phxi_elastic some_material(int law) {
    phx_material_def def = phx_material_def_default();
    def.young = 2e6;
    def.poisson = 0.4;
    def.law = law;
    return phxi_elastic_from(&def);
}

static void set(planes* to, int i, const double g[9]) {
    for (int k = 0; k < 9; ++k) {
        to->g[k * MOST + i] = (phx_real)g[k];
    }
}

static phxi_mat3 gradient(const planes* from, int i) {
    phxi_mat3 f = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        f.m[k / 3][k % 3] += (double)from->g[k * MOST + i];
    }
    return f;
}

/// amplitude * (entries in [-1, 1]); the upper half of the cases also turned by any rotation.
static void fill_random(planes* to, uint64_t seed, double amplitude, bool turn) {
    for (int i = 0; i < MOST; ++i) {
        double g[9];
        phxi_mat3 f = phxi_identity();
        for (int k = 0; k < 9; ++k) {
            g[k] = amplitude * (2 * phxt_random(&seed) - 1);
            f.m[k / 3][k % 3] += g[k];
        }
        if (turn && i % 2) {
            phxi_mat3 q =
                phxi_rotation(phxi_vec3(phxt_random(&seed) - 0.5, 0.3, phxt_random(&seed)), 6 * phxt_random(&seed));
            f = phxi_mat3_mul(&q, &f);
            for (int k = 0; k < 9; ++k) {
                g[k] = f.m[k / 3][k % 3] - (k % 4 == 0);
            }
        }
        set(to, i, g);
    }
}

/// Largest differences to the scalar law, stress relative to `stress_scale`, energy to `energy_scale` (0: to the
/// largest of that particle). Particles with det F < 0.06 are left out if the law has a floor.
static void compare(int law, double stress_scale, double energy_scale, double* stress_error, double* energy_error) {
    phxi_elastic elastic = some_material(law);
    *stress_error = *energy_error = 0;
    phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
    for (int i = 0; i < MOST; ++i) {
        phxi_mat3 f = gradient(&data, i), p;
        bool everywhere = law == PHX_LAW_COROTATED || law == PHX_LAW_STVK || law == PHX_LAW_NEO_HOOKEAN_BOUNDED;
        if (!everywhere) {
            phxi_mat3 u, v;
            double s[3];
            phxi_svd3(&f, &u, s, &v);
            if (phxi_mat3_det(&f) < 0.06 || s[2] < 0.06) {
                continue;
            }
        }
        phxi_elastic_stress(&elastic, &f, &p);
        double energy = phxi_elastic_energy(&elastic, &f), most = 0, worst = 0;
        for (int k = 0; k < 9; ++k) {
            most = fmax(most, fabs(p.m[k / 3][k % 3]));
            double difference = fabs((double)data.p[k * MOST + i] - p.m[k / 3][k % 3]);
            worst = difference <= worst ? worst : difference; // a NaN stays
        }
        double es = fabs((double)data.energy[i] - energy) / (energy_scale > 0 ? energy_scale : fabs(energy));
        worst /= fmax(stress_scale, most);
        *stress_error = worst <= *stress_error ? *stress_error : worst;
        *energy_error = es <= *energy_error ? *energy_error : es;
    }
}

TEST(equals_scalar_at_moderate_strain) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        double stress, energy;
        fill_random(&data, 1, 0.25, true);
        double stiff = elastic.lambda + 2 * elastic.mu;
        compare(law, stiff, stiff, &stress, &energy);
        printf("%-10s stress %.1f energy %.1f epsilon\n", names[law], stress / epsilon, energy / epsilon);
        ENSURE_NEAR(stress, 0, 30 * epsilon);
        ENSURE_NEAR(energy, 0, 30 * epsilon);
    }
}

TEST(equals_scalar_at_large_strain) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        double stress, energy;
        fill_random(&data, 2, 1.2, true); // many reversed, many nearly flat
        compare(law, elastic.mu, 100 * elastic.mu, &stress, &energy);
        printf("%-10s stress %.1f energy %.1f epsilon\n", names[law], stress / epsilon, energy / epsilon);
        // hencky: a stretch from the eigenvalues of E is known to rounding of the largest, squared
        double bound = (law == PHX_LAW_HENCKY ? 3000 : 500) * epsilon;
        ENSURE_NEAR(stress, 0, bound);
        ENSURE_NEAR(energy, 0, bound);
    }
}

// At 1e-6, F - I has lost all but two digits in float; G has not. The scalar law in double is given the same G.
TEST(tiny_strains_keep_their_digits) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int power = -12; power <= -2; ++power) {
            phxi_elastic elastic = some_material(law);
            double amplitude = pow(10, power), stress = 0, energy = 0, stiff = elastic.lambda + 2 * elastic.mu;
            fill_random(&data, 3, amplitude, false);
            phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
            for (int i = 0; i < MOST; ++i) {
                // linear elasticity with the second-order terms bounded by 20 amplitude
                double e[9], tr = 0, square = 0, most = 0;
                for (int k = 0; k < 9; ++k) {
                    int t = 3 * (k % 3) + k / 3;
                    e[k] = 0.5 * ((double)data.g[k * MOST + i] + (double)data.g[t * MOST + i]);
                    tr += k % 4 == 0 ? e[k] : 0;
                    square += e[k] * e[k];
                }
                for (int k = 0; k < 9; ++k) {
                    double linear = 2 * elastic.mu * e[k] + (k % 4 == 0 ? elastic.lambda * tr : 0);
                    most = fmax(most, fabs((double)data.p[k * MOST + i] - linear));
                }
                double linear = elastic.mu * square + 0.5 * elastic.lambda * tr * tr;
                stress = fmax(stress, most / (stiff * amplitude));
                energy = fmax(energy, fabs((double)data.energy[i] - linear) / (stiff * amplitude * amplitude));
            }
            ENSURE_NEAR(stress, 0, 20 * amplitude + 30 * epsilon);
            ENSURE_NEAR(energy, 0, 20 * amplitude + 30 * epsilon);
        }
    }
}

TEST(rotations_give_no_stress) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        fill_random(&data, 4, 0, true);
        phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
        for (int i = 0; i < MOST; ++i) {
            for (int k = 0; k < 9; ++k) {
                ENSURE_NEAR(data.p[k * MOST + i], 0, 20 * epsilon * (elastic.lambda + 2 * elastic.mu));
            }
            ENSURE_NEAR(data.energy[i], 0, 20 * epsilon * (elastic.lambda + 2 * elastic.mu));
        }
    }
    // rest exactly
    const double rest[9] = {0};
    set(&data, 0, rest);
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        phxi_elastic_batch(&elastic, 1, MOST, data.g, data.p, data.energy);
        for (int k = 0; k < 9; ++k) {
            ENSURE(data.p[k * MOST] == 0 && data.energy[0] == 0);
        }
    }
}

TEST(bits_do_not_depend_on_place_and_count) {
    static const int counts[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 100, 1001};
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        fill_random(&data, 5, 0.6, true);
        phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            int count = counts[c], shift = (int)(5 * c) % 7;
            // particle i of `data` stands at place i - shift of `other`
            memset(&other, 0x55, sizeof other);
            for (int i = shift; i < count + shift; ++i) {
                for (int k = 0; k < 9; ++k) {
                    other.g[k * MOST + i - shift] = data.g[k * MOST + i];
                }
            }
            phx_real guard = other.p[count];
            phxi_elastic_batch(&elastic, count, MOST, other.g, other.p, c % 2 ? other.energy : NULL);
            bool same = true;
            for (int i = shift; i < count + shift; ++i) {
                for (int k = 0; k < 9; ++k) {
                    same = same && memcmp(&other.p[k * MOST + i - shift], &data.p[k * MOST + i], sizeof(phx_real)) == 0;
                }
                same = same && (c % 2 == 0 || memcmp(&other.energy[i - shift], &data.energy[i], sizeof(phx_real)) == 0);
            }
            ENSURE(same);
            for (int k = 0; k < 9; ++k) { // nothing is written behind the last
                ENSURE(memcmp(&other.p[k * MOST + count], &guard, sizeof guard) == 0);
            }
            ENSURE(memcmp(&other.energy[count], &guard, sizeof guard) == 0);
        }
    }
}

// Below the floor the law goes on smoothly: stress is still the gradient of the energy. Double only: differences of
// float energies say nothing.
TEST(crushed_states_have_an_energy) {
    if (sizeof(phx_real) == 4) {
        return;
    }
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        for (int depth = 0; depth < 8; ++depth) {
            // s_1 = 0.4 ... -1.0 in a frame of its own
            double s1 = 0.33 - 0.2 * depth, h = 1e-4;
            phxi_mat3 s = {{{s1, 0.01, 0}, {0.05, 0.8, 0.1}, {0, -0.1, 1.1}}};
            phxi_mat3 q = phxi_rotation(phxi_vec3(1, 2, 3), 0.7), f = phxi_mat3_mul(&q, &s);
            int count = 0;
            for (int k = -1; k < 9; ++k) {
                for (int n = 0; n < (k < 0 ? 1 : 4); ++n) {
                    double g[9];
                    for (int a = 0; a < 9; ++a) {
                        g[a] = f.m[a / 3][a % 3] - (a % 4 == 0);
                    }
                    if (k >= 0) {
                        g[k] += (const double[]){-2, -1, 1, 2}[n] * h;
                    }
                    set(&data, count++, g);
                }
            }
            phxi_elastic_batch(&elastic, count, MOST, data.g, data.p, data.energy);
            double scale = elastic.mu;
            for (int k = 0; k < 9; ++k) {
                scale = fmax(scale, fabs((double)data.p[k * MOST]));
            }
            for (int k = 0; k < 9; ++k) {
                const phx_real* e = data.energy + 1 + 4 * k;
                double slope = (double)((8 * (e[2] - e[1]) - (e[3] - e[0]))) / (12 * h);
                ENSURE_NEAR(slope / scale, (double)data.p[k * MOST] / scale, 2e-6);
            }
        }
    }
}

TEST(extreme_states_stay_finite) {
    static const double values[] = {0,    1e-30, -1,    -1.0000001, -2,       0.5,      1e3,
                                    -1e3, 1e10,  -1e18, 3e38,       INFINITY, -INFINITY};
    const int choices = sizeof values / sizeof values[0];
    uint64_t seed = 6;
    for (int i = 0; i < MOST; ++i) {
        double g[9];
        for (int k = 0; k < 9; ++k) {
            g[k] = i % 3 == 0 && k % 4 != 0 ? 0 : values[(int)(choices * phxt_random(&seed))];
        }
        set(&data, i, g);
    }
    const double zero[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, line[9] = {0, 0, 0, 0, -1, 0, 0, 0, -1};
    const double sheet[9] = {0, 0, 0, 0, 0, 0, 0, 0, -1}, mirror[9] = {0, 0, 0, 0, 0, 0, 0, 0, -2};
    set(&data, 0, zero), set(&data, 1, line), set(&data, 2, sheet), set(&data, 3, mirror);
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phx_material_def def = phx_material_def_default();
        def.young = 2e11; // steel
        def.law = law;
        phxi_elastic elastic = phxi_elastic_from(&def);
        phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
        for (int i = 0; i < MOST; ++i) {
            bool finite = isfinite(data.energy[i]);
            for (int k = 0; k < 9; ++k) {
                finite = finite && isfinite(data.p[k * MOST + i]);
            }
            ENSURE(finite);
        }
        // a sheet and a mirrored cube are pushed back: dPsi/ds < 0 (St. Venant-Kirchhoff has a well there, it rests)
        ENSURE(law == PHX_LAW_STVK || (data.p[8 * MOST + 2] < 0 && data.p[8 * MOST + 3] < 0));
    }
}

TEST(nan_stays_in_its_lane) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phxi_elastic elastic = some_material(law);
        fill_random(&data, 7, 0.3, true);
        other = data;
        for (int k = 0; k < 9; ++k) {
            data.g[k * MOST + 5 + 7 * k] = (phx_real)NAN;
        }
        phxi_elastic_batch(&elastic, MOST, MOST, data.g, data.p, data.energy);
        phxi_elastic_batch(&elastic, MOST, MOST, other.g, other.p, other.energy);
        for (int i = 0; i < MOST; ++i) {
            bool broken = i >= 5 && (i - 5) % 7 == 0 && (i - 5) / 7 < 9;
            ENSURE(broken ? isnan(data.energy[i]) : data.energy[i] == other.energy[i]);
            for (int k = 0; k < 9; ++k) {
                phx_real p = data.p[k * MOST + i];
                ENSURE(broken ? isnan(p) : p == other.p[k * MOST + i]);
            }
        }
    }
}
