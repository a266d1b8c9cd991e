// SPDX-License-Identifier: MIT
// Sand and slime, one particle: cones, friction, opening and closing, viscosity; the wide form against the scalar one.
#include "core/hash.h"
#include "materials/drucker_prager.h"
#include "materials/material.h"
#include "support/test.h"

static const double degree = 3.14159265358979323846 / 180;

static phx_material_def sand(double phi, double cohesion, int cone) {
    phx_material_def def = phx_material_def_default();
    def.density = 1500;
    def.young = 2e5;
    def.friction_angle = phi;
    def.cohesion = cohesion;
    def.cone = cone;
    return def;
}

static double trace(const phxi_sym3* s) {
    return s->xx + s->yy + s->zz;
}

static double shear_of(const phxi_sym3* stress) {
    double third = trace(stress) / 3, x = stress->xx - third, y = stress->yy - third, z = stress->zz - third;
    double square = stress->xy * stress->xy + stress->xz * stress->xz + stress->yz * stress->yz;
    return sqrt(0.5 * (x * x + y * y + z * z) + square);
}

TEST(cones) {
    phx_material_def def = sand(30, 100, PHX_CONE_REPOSE);
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    ENSURE_NEAR(3 * law.b, tan(30 * degree), 1e-15);
    ENSURE_NEAR(law.a, 73.205, 1e-3);
    def.cone = PHX_CONE_PLANE;
    law = phxi_drucker_prager_from(&def);
    ENSURE_NEAR(3 * law.b, 0.5, 1e-15);
    ENSURE_NEAR(law.a, 86.603, 1e-3);
    def.cone = PHX_CONE_COMPRESSION;
    law = phxi_drucker_prager_from(&def);
    ENSURE_NEAR(atan(3 * law.b) / degree, 34.7, 0.05);
    def.cone = PHX_CONE_EXTENSION;
    law = phxi_drucker_prager_from(&def);
    ENSURE_NEAR(law.b, 1 / (sqrt(3) * 3.5), 1e-15);
    // no friction: A = c, or 2 c / sqrt 3
    ENSURE_NEAR(law.a / (600 * cos(30 * degree)), 1 / (sqrt(3) * 3.5), 1e-15);
    def = sand(0, 100, PHX_CONE_REPOSE);
    law = phxi_drucker_prager_from(&def);
    ENSURE(law.b == 0);
    ENSURE_NEAR(law.a, 100, 1e-12);
    ENSURE_NEAR(law.cut * law.bulk, 200, 1e-9);
    ENSURE(phxi_drucker_prager_is(&def));
    def.cohesion = 0;
    ENSURE(!phxi_drucker_prager_is(&def));
}

TEST(cohesion_grows_with_water) {
    phx_material_def def = sand(30, 200, PHX_CONE_PLANE);
    const double saturations[] = {0, 0.01, 0.05, 0.1, 0.5}, cohesions[] = {0, 20, 100, 200, 200};
    for (int k = 0; k < 5; ++k) {
        def.saturation = saturations[k];
        ENSURE_OK(phxi_material_check(&def));
        phxi_drucker_prager law = phxi_drucker_prager_from(&def);
        ENSURE_NEAR(law.a, cohesions[k] * cos(30 * degree), 1e-12);
    }
    // steeper than repose can be fitted with cohesion: no less than at 40 degrees
    for (double phi = 40; phi <= 80; phi += 5) {
        def = sand(phi, 200, PHX_CONE_REPOSE);
        ENSURE_NEAR(phxi_drucker_prager_from(&def).a, 200 * 0.34505, 0.01);
    }
}

TEST(below_the_cone_it_is_elastic) {
    phx_material_def def = sand(30, 0, PHX_CONE_REPOSE);
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    phxi_sym3 strain = {-0.01, -0.012, -0.011, 0.001, -0.002, 0.0015}, before = strain, stress;
    double opening = 0;
    ENSURE(phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress) == PHXI_GRAIN_ELASTIC);
    ENSURE_NEAR(strain.xx, before.xx, 1e-16);
    ENSURE_NEAR(strain.yz, before.yz, 1e-16);
    double lambda = law.bulk - 2 * law.mu / 3;
    ENSURE_NEAR(stress.xx, 2 * law.mu * before.xx + lambda * trace(&before), 1e-9);
    ENSURE_NEAR(stress.xz, 2 * law.mu * before.xz, 1e-9);
    ENSURE(opening == 0);
}

TEST(shear_ends_on_the_cone) {
    for (int cone = 0; cone < PHX_CONE_COUNT; ++cone) {
        phx_material_def def = sand(30, 50, cone);
        phxi_drucker_prager law = phxi_drucker_prager_from(&def);
        phxi_sym3 strain = {-0.01, -0.002, -0.011, 0.05, -0.02, 0.03}, stress;
        double opening = 0, volume = trace(&strain);
        ENSURE(phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress) == PHXI_GRAIN_YIELDS);
        ENSURE_NEAR(trace(&strain), volume, 1e-16);
        double strength = phxi_drucker_prager_strength(&law, -law.bulk * volume);
        ENSURE_NEAR(shear_of(&stress) / strength, 1, 1e-12);
        ENSURE_NEAR(stress.xy / stress.yz, 5.0 / 3, 1e-12); // its direction stays
    }
}

TEST(opens_and_closes) {
    phx_material_def def = sand(30, 0, PHX_CONE_REPOSE);
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    phxi_sym3 strain = {0.01, 0.03, 0.02, 0.05, 0, 0}, stress;
    double opening = 0;
    ENSURE(phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress) == PHXI_GRAIN_OPEN);
    ENSURE_NEAR(opening, 0.06, 1e-16);
    ENSURE(stress.xx == 0 && stress.yy == 0 && stress.zz == 0 && stress.xy == 0 && stress.xz == 0 && stress.yz == 0);
    for (int k = 0; k < 5; ++k) { // pressed together by 0.06 in all: nothing until then
        strain.xx -= 0.01;
        phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress);
        ENSURE(stress.xx == 0 && trace(&strain) == 0);
        ENSURE_NEAR(opening, 0.05 - 0.01 * k, 1e-15);
    }
    strain.xx -= 0.02;
    phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress);
    ENSURE(opening == 0);
    ENSURE_NEAR(-trace(&stress) / 3, law.bulk * 0.01, 1e-9);
}

TEST(tension_is_cut_off) {
    phx_material_def def = sand(0, 300, PHX_CONE_REPOSE);
    def.tension = 600;
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    phxi_sym3 strain = {0.1, 0, 0, 0.1, 0, 0}, stress;
    double opening = 0;
    ENSURE(phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress) == PHXI_GRAIN_OPEN);
    ENSURE_NEAR(trace(&stress) / 3, 600, 1e-9);
    ENSURE_NEAR(shear_of(&stress), 300, 1e-9); // its shear strength it keeps
    ENSURE_NEAR(opening, 0.1 - 600 / law.bulk, 1e-15);
    // of wet sand the end of the cone is c / tan(phi') here
    def = sand(30, 100, PHX_CONE_PLANE);
    law = phxi_drucker_prager_from(&def);
    strain = (phxi_sym3){0.1, 0, 0, 0.1, 0, 0};
    opening = 0;
    phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress);
    ENSURE_NEAR(trace(&stress) / 3, 100 / tan(30 * degree), 1e-9);
    ENSURE_NEAR(shear_of(&stress), 0, 1e-9);
}

TEST(viscous_above_strength) {
    phx_material_def def = sand(0, 100, PHX_CONE_REPOSE);
    def.creep = 20;
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    phxi_sym3 strain = {0, 0, 0, 0, 0, 0}, stress;
    double opening = 0, rate = 3, dt = 1e-4;
    for (int k = 0; k < 20000; ++k) {
        strain.xy += 0.5 * rate * dt;
        phxi_drucker_prager_return(&law, dt, &strain, &opening, &stress);
    }
    ENSURE_NEAR(stress.xy / (100 + law.mu / 20 * rate), 1, 1e-3); // steady shear: yield stress and viscosity mu / creep
    def.creep = 0;
    def.relaxation = 0.1;
    law = phxi_drucker_prager_from(&def);
    strain = (phxi_sym3){0, 0, 0, 1e-4, 0, 0};
    phxi_drucker_prager_return(&law, 0.1, &strain, &opening, &stress);
    ENSURE_NEAR(strain.xy, 1e-4 * exp(-1), 1e-15);
}

TEST(stiffens_and_softens) {
    phx_material_def def = sand(30, 100, PHX_CONE_PLANE);
    def.stiffening = 5;
    def.softening = 3;
    phxi_drucker_prager law = phxi_drucker_prager_from(&def);
    phxi_sym3 strain = {-0.01, -0.01, -0.01, 0, 0, 0}, stress;
    double opening = 0;
    phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress);
    ENSURE_NEAR(-stress.xx / (law.bulk * 0.03), exp(5 * (exp(0.03) - 1)), 1e-12);
    opening = 0.2;
    strain = (phxi_sym3){0};
    phxi_drucker_prager_return(&law, 1e-3, &strain, &opening, &stress);
    ENSURE_NEAR(trace(&stress) / 3, 100 / tan(30 * degree) * exp(-3 * (1 - exp(-0.2))), 1e-9);
}

static void compare(const phx_material_def* def, uint64_t seed) {
    phxi_drucker_prager law = phxi_drucker_prager_from(def);
    phxi_grain_lanes lanes;
    phxi_sym3 strain[PHXI_LANES];
    double opening[PHXI_LANES];
    for (int k = 0; k < PHXI_LANES; ++k) {
        double* numbers = (double*)&strain[k];
        uint64_t lane = phxi_hash_pair(seed, (uint64_t)k);
        double size = pow(10, -3 * phxi_hash_unit(lane)), bias = phxi_hash_unit(phxi_hash_pair(lane, 9)) - 0.7;
        for (int c = 0; c < 6; ++c) {
            numbers[c] = 0.2 * size * (phxi_hash_unit(phxi_hash_pair(lane, (uint64_t)c)) - 0.5 + (c < 3 ? bias : 0));
            lanes.strain[c][k] = (phx_real)numbers[c];
            numbers[c] = (double)lanes.strain[c][k];
        }
        lanes.opening[k] = (phx_real)fmax(0, 0.05 * (phxi_hash_unit(phxi_hash_pair(lane, 7)) - 0.5));
        opening[k] = (double)lanes.opening[k];
    }
    phxi_drucker_prager_lanes(&law, 2e-4, &lanes);
    double tolerance = sizeof(phx_real) == sizeof(double) ? 1e-13 : 3e-6;
    for (int k = 0; k < PHXI_LANES; ++k) {
        phxi_sym3 stress;
        phxi_drucker_prager_return(&law, 2e-4, &strain[k], &opening[k], &stress);
        for (int c = 0; c < 6; ++c) {
            ENSURE_NEAR((double)lanes.strain[c][k], ((double*)&strain[k])[c], 0.1 * tolerance);
            ENSURE_NEAR((double)lanes.stress[c][k], ((double*)&stress)[c], tolerance * (law.bulk + law.mu));
        }
        ENSURE_NEAR((double)lanes.opening[k], opening[k], 0.1 * tolerance);
    }
}

TEST(wide_as_scalar) {
    for (int kind = 0; kind < 6; ++kind) {
        phx_material_def def = sand(kind == 2 ? 0 : 30, kind == 0 ? 0 : 2000, kind % PHX_CONE_COUNT);
        def.creep = kind == 2 ? 50 : 0;
        def.relaxation = kind == 3 ? 0.001 : 0;
        def.stiffening = kind == 4 ? 5 : 0;
        def.softening = kind >= 4 ? 5 : 0;
        def.tension = kind == 5 ? 1000 : -1;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            compare(&def, phxi_hash_pair(seed, (uint64_t)kind));
        }
    }
}

TEST(bad_parameters) {
    phx_material_def def = sand(90, 0, PHX_CONE_REPOSE);
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("friction_angle");
    def = sand(30, -1, PHX_CONE_REPOSE);
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("cohesion");
    def = sand(30, 1, PHX_CONE_COUNT);
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("cone");
    def = sand(30, 1, PHX_CONE_PLANE);
    def.saturation = 1.1;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("saturation");
}
