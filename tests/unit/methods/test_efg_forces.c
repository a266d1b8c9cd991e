// SPDX-License-Identifier: MIT
// docs/theory/efg.md T1 to T4: exact gradients, no force from rigid motion, both momenta, force = -dU/du; for cubic,
// body-centred and jittered lattices, every law, sheets and rods.
#include "support/efg_fixture.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

typedef struct sample {
    lattice kind;
    double jitter;
} sample;
static const sample samples[3] = {{CUBIC, 0}, {BCC, 0}, {CUBIC, 0.2}};

static bool make(efg_fixture* f, const sample* s, int n) {
    if (!phxt_result(__FILE__, __LINE__, "fixture_init", fixture_init(f, NULL, 1), PHX_OK)) {
        return false;
    }
    f->jitter = s->jitter;
    return true;
    (void)n;
}

static phx_vec3 affine(phx_vec3 x, void* context) {
    return phxi_add(phxi_mat3_apply(context, x), phxi_vec3(0.3, -0.2, 0.1));
}

static double largest(const phx_vec3* forces, int count) {
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, phxi_length(forces[i]));
    }
    return most;
}

TEST(t1_gradients_of_affine_maps_are_exact) {
    uint64_t seed = 5;
    for (int s = 0; s < 3; ++s) {
        efg_fixture f;
        REQUIRE(make(&f, &samples[s], 5));
        REQUIRE_OK(fixture_add(&f, samples[s].kind, 5, 5, 5, phxi_vec3(0, 0, 0)));
        phxi_mat3 map = random_matrix(0.3, &seed);
        for (int k = 0; k < 3; ++k) {
            map.m[k][k] += 1;
        }
        fixture_deform(&f, affine, &map);
        phx_real* values = malloc((size_t)f.particles.count * 9 * sizeof *values);
        phxi_step step = fixture_step(&f);
        f.method->display->derive(f.state, &step, 0, 4, values);
        double worst = 0;
        for (int i = 0; i < 9 * f.particles.count; ++i) {
            worst = fmax(worst, fabs((double)values[i] - map.m[i % 9 / 3][i % 3]));
        }
        ENSURE_NEAR(worst, 0, BOUND(1e-13, 1e-5));
        free(values);
        fixture_destroy(&f);
    }
}

TEST(t2_rigid_motion_gives_no_force) {
    phxi_mat3 turn = phxi_rotation(phxi_vec3(1, 2, -3), 2.1);
    for (int s = 0; s < 3; ++s) {
        efg_fixture f;
        REQUIRE(make(&f, &samples[s], 5));
        f.params[0].volume_stiffness = 1e5;
        REQUIRE_OK(fixture_add(&f, samples[s].kind, 5, 5, 5, phxi_vec3(0, 0, 0)));
        fixture_deform(&f, affine, &turn);
        phx_vec3* forces = malloc((size_t)f.particles.count * sizeof *forces);
        fixture_forces(&f, forces);
        // E a^2 = 1e4 N; in float a position is rounded by 6e-8 of about a metre, 6e-7 of the spacing
        ENSURE_NEAR(largest(forces, f.particles.count) / 1e4, 0, BOUND(1e-13, 3e-6));
        free(forces);
        fixture_destroy(&f);
    }
}

TEST(t3_momenta_of_random_deformation) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int s = 0; s < 3; ++s) {
            efg_fixture f;
            REQUIRE(make(&f, &samples[s], 5));
            f.params[0].volume_stiffness = 1e5;
            f.material.law = law;
            REQUIRE_OK(fixture_add(&f, samples[s].kind, 5, 5, 5, phxi_vec3(0, 0, 0)));
            fixture_shake(&f, 0.05, 77);
            int count = f.particles.count;
            phx_vec3 *forces = malloc((size_t)count * sizeof *forces), sum = {0}, torque = {0};
            fixture_forces(&f, forces);
            double size = 0, moments = 0;
            for (int i = 0; i < count; ++i) {
                phx_vec3 x = {f.particles.x[i], f.particles.y[i], f.particles.z[i]};
                sum = phxi_add(sum, forces[i]);
                torque = phxi_add(torque, phxi_cross(x, forces[i]));
                size += phxi_length(forces[i]);
                moments += phxi_length(phxi_cross(x, forces[i]));
            }
            ENSURE_NEAR(phxi_length(sum) / size, 0, BOUND(1e-15, 1e-6));
            ENSURE_NEAR(phxi_length(torque) / moments, 0, BOUND(1e-15, 1e-6));
            free(forces);
            fixture_destroy(&f);
        }
    }
}

/// Largest |f + dU/dx| over the largest |f|, by central differences at some particles.
static double gradient_error(efg_fixture* f) {
    int count = f->particles.count;
    phx_vec3* forces = malloc((size_t)count * sizeof *forces);
    fixture_forces(f, forces);
    double worst = 0, step = BOUND(1e-6, 0x1p-12);
    phx_real* const axes[3] = {f->particles.x, f->particles.y, f->particles.z};
    for (int i = 0; i < count; i += count / 7 + 1) {
        const double force[3] = {forces[i].x, forces[i].y, forces[i].z};
        for (int k = 0; k < 3; ++k) {
            phx_real at = axes[k][i];
            axes[k][i] = (phx_real)((double)at + step);
            double up = fixture_measure(f).elastic, x_up = (double)axes[k][i];
            axes[k][i] = (phx_real)((double)at - step);
            double down = fixture_measure(f).elastic, x_down = (double)axes[k][i];
            axes[k][i] = at;
            worst = fmax(worst, fabs((up - down) / (x_up - x_down) + force[k]));
        }
    }
    worst /= largest(forces, count);
    free(forces);
    return worst;
}

TEST(t4_force_is_minus_the_gradient_of_the_energy) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int s = 0; s < 3; ++s) {
            efg_fixture f;
            REQUIRE(make(&f, &samples[s], 4));
            f.params[0].volume_stiffness = 1e5;
            f.material.law = law;
            REQUIRE_OK(fixture_add(&f, samples[s].kind, 4, 4, 4, phxi_vec3(-0.2, -0.2, -0.2)));
            fixture_shake(&f, 0.05, 5);
            ENSURE_NEAR(gradient_error(&f), 0, BOUND(1e-8, 2e-3));
            fixture_destroy(&f);
        }
    }
}

TEST(wide_supports_have_exact_gradients_too) {
    for (int s = 0; s < 2; ++s) {
        efg_fixture f;
        REQUIRE(make(&f, &samples[s], 5));
        f.params[0].support = s ? 2.0 : 2.6;
        REQUIRE_OK(fixture_add(&f, samples[s].kind, 5, 5, 5, phxi_vec3(-0.2, -0.2, -0.2)));
        fixture_shake(&f, 0.05, 9);
        ENSURE_NEAR(gradient_error(&f), 0, BOUND(1e-8, 2e-3));
        fixture_destroy(&f);
    }
}

TEST(sheets_and_rods_rest_and_turn_without_force) {
    const int sizes[3][3] = {{8, 8, 1}, {9, 1, 1}, {1, 7, 1}};
    phxi_mat3 turn = phxi_rotation(phxi_vec3(1, -2, 0.5), 1.3), still = phxi_identity();
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int s = 0; s < 9; ++s) {
            efg_fixture f;
            REQUIRE(make(&f, &samples[0], 1));
            f.material.law = law;
            f.jitter = 0.15 * (s / 3);
            f.params[0].volume_stiffness = 1e5;
            const int* n = sizes[s % 3];
            // what is spread little has a long lever: up to ten times the rounding
            double lever = s < 3 ? 1 : 10;
            REQUIRE_OK(fixture_add(&f, CUBIC, n[0], n[1], n[2], phxi_vec3(0, 0, 0)));
            phx_vec3* forces = malloc((size_t)f.particles.count * sizeof *forces);
            fixture_deform(&f, affine, &still);
            fixture_forces(&f, forces);
            ENSURE_NEAR(largest(forces, f.particles.count) / 1e4, 0, lever * BOUND(1e-14, 3e-6));
            fixture_deform(&f, affine, &turn);
            fixture_forces(&f, forces);
            ENSURE_NEAR(largest(forces, f.particles.count) / 1e4, 0, lever * BOUND(1e-13, 3e-6));
            free(forces);
            fixture_destroy(&f);
        }
    }
}

TEST(sheets_and_rods_have_exact_forces) {
    // flat, noisy, and so noisy that rows are half sheets and half solids
    const int sizes[2][3] = {{6, 6, 1}, {9, 1, 1}};
    const double noise[3] = {0, 0.1, 0.4};
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int s = 0; s < 6; ++s) {
            efg_fixture f;
            REQUIRE(make(&f, &samples[0], 1));
            f.material.law = law;
            f.jitter = noise[s / 2];
            f.params[0].volume_stiffness = s % 2 ? 2e5 : 0;
            REQUIRE_OK(
                fixture_add(&f, CUBIC, sizes[s % 2][0], sizes[s % 2][1], sizes[s % 2][2], phxi_vec3(-0.2, 0, 0)));
            fixture_shake(&f, 0.02, 3);
            ENSURE_NEAR(gradient_error(&f), 0, BOUND(1e-7, 5e-3));
            fixture_destroy(&f);
        }
    }
}

TEST(stretched_sheets_and_rods_thin_freely) {
    // St. Venant-Kirchhoff: E_nn = -nu/(1-nu) E_xx in a sheet held at its width, both -nu E_xx in a rod
    const int sizes[2][3] = {{8, 8, 1}, {64, 1, 1}};
    for (int s = 0; s < 2; ++s) {
        efg_fixture f;
        REQUIRE(make(&f, &samples[0], 1));
        REQUIRE_OK(fixture_add(&f, CUBIC, sizes[s][0], sizes[s][1], sizes[s][2], phxi_vec3(0, 0, 0)));
        phxi_mat3 map = phxi_identity();
        map.m[0][0] = 1.01;
        fixture_deform(&f, affine, &map);
        phx_real det[64], energy[64];
        phxi_step step = fixture_step(&f);
        f.method->display->derive(f.state, &step, 0, 1, det);
        f.method->display->derive(f.state, &step, 0, 3, energy);
        double e = (1.01 * 1.01 - 1) / 2, nu = 0.3, young = 1e6;
        double thickness = s == 0 ? sqrt(1 - 2 * nu / (1 - nu) * e) : 1 - 2 * nu * e;
        double modulus = s == 0 ? young / (1 - nu * nu) : young;
        for (int i = 0; i < 64; ++i) {
            ENSURE_NEAR(det[i], 1.01 * thickness, BOUND(1e-13, 1e-4));
            ENSURE_NEAR((double)energy[i] / (modulus / 2 * e * e), 1, BOUND(1e-11, 1e-2));
        }
        fixture_destroy(&f);
    }
}

TEST(nearly_flat_rows_mix_the_laws_smoothly) {
    double last = 0;
    for (int k = 0; k <= 100; ++k) {
        const double values[3] = {2, 0.3 + 0.01 * k, 0.004 * k};
        phxi_mat3 basis = phxi_identity();
        ENSURE(phxi_efg_is_thin(values) == (0.002 * k < 0.1));
        phxi_efg_flat flat = phxi_efg_thin_row(7, 3, values, &basis);
        double sum = flat.share[0] + flat.share[1] + flat.share[2] + flat.share[3];
        ENSURE_NEAR(sum, 1, 1e-15);
        for (int r = 0; r < 4; ++r) {
            ENSURE(flat.share[r] >= 0);
        }
        ENSURE(flat.share[3] >= last && flat.share[3] - last < 0.05);
        ENSURE(flat.share[3] == 0 || 0.002 * k > 0.02);
        last = flat.share[3];
    }
    ENSURE_NEAR(last, 1, 0);
}

TEST(an_isolated_particle_has_no_force) {
    efg_fixture f;
    REQUIRE(make(&f, &samples[0], 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 1, 1, 1, phxi_vec3(0, 0, 0)));
    f.particles.vx[0] = 1;
    ENSURE(isfinite(fixture_stable_dt(&f)) && fixture_stable_dt(&f) > 0);
    for (int k = 0; k < 10; ++k) {
        REQUIRE_OK(fixture_substep(&f, 1e-3));
    }
    ENSURE_NEAR(f.particles.x[0], 0.06, 1e-7);
    phx_totals t = fixture_measure(&f);
    ENSURE_NEAR(t.elastic, 0, 0);
    ENSURE_NEAR(t.min_det, 1, 0);
    fixture_destroy(&f);
}

TEST(measure_adds_selected_particles_only) {
    efg_fixture f;
    REQUIRE(make(&f, &samples[0], 4));
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 6, 6, phxi_vec3(0, 0, 0)));
    fixture_shake(&f, 0.05, 3);
    REQUIRE_OK(fixture_substep(&f, 1e-6));
    phxi_step step = fixture_step(&f);
    uint8_t first[216], second[216];
    for (int i = 0; i < 216; ++i) {
        first[i] = i % 3 == 0;
        second[i] = !first[i];
    }
    phx_totals all = {.min_det = 1}, a = {.min_det = 1}, b = {.min_det = 1};
    f.method->measure(f.state, &step, 0, NULL, &all);
    f.method->measure(f.state, &step, 0, first, &a);
    f.method->measure(f.state, &step, 0, second, &b);
    ENSURE(a.elastic > 0 && b.elastic > a.elastic);
    ENSURE_NEAR(all.elastic / (a.elastic + b.elastic), 1, 1e-12);
    ENSURE_NEAR(all.min_det, fmin(a.min_det, b.min_det), 0);
    ENSURE_NEAR(all.max_stress, fmax(a.max_stress, b.max_stress), 0);
    ENSURE_NEAR(phxi_length(all.force) / phxi_length(a.force), 0, 1e-4);
    ENSURE_NEAR(phxi_length(phxi_add(a.force, b.force)) / phxi_length(a.force), 0, 1e-4);
    fixture_destroy(&f);
}

TEST(small_strains_keep_their_digits) {
    // a strain of 1e-5 in a body turned by 1 rad and 10 m from the origin: stress within 1 %, also in float
    efg_fixture f;
    REQUIRE(make(&f, &samples[0], 4));
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 0)));
    phxi_mat3 turn = phxi_rotation(phxi_vec3(0, 0, 1), 1), stretch = phxi_identity();
    stretch.m[0][0] += 1e-5;
    turn = phxi_mat3_mul(&turn, &stretch);
    phx_real* const axes[3] = {f.particles.x, f.particles.y, f.particles.z};
    for (int i = 0; i < f.particles.count; ++i) {
        phx_vec3 x = phxi_mat3_apply(&turn, phxi_vec3(axes[0][i], axes[1][i], axes[2][i]));
        const double to[3] = {x.x + 10, x.y, x.z};
        for (int k = 0; k < 3; ++k) {
            axes[k][i] = (phx_real)to[k];
            f.particles.low[k][i] = (phx_real)(to[k] - (double)axes[k][i]);
        }
    }
    phx_totals t = fixture_measure(&f);
    double mu = f.bodies[0].elastic.mu;
    ENSURE_NEAR(t.max_stress / (2 * mu * 1e-5), 1, 0.01);
    double lambda = f.bodies[0].elastic.lambda;
    ENSURE_NEAR(t.elastic / (0.125 * (lambda / 2 + mu) * 1e-10), 1, 0.01);
    fixture_destroy(&f);
}
