// SPDX-License-Identifier: MIT
// Elastic laws: the table of principal stresses, and stress as the derivative of energy
// (docs/theory/materials.md M1, M2). Viscosity: limits, maxima, melting (docs/theory/melting.md H5). Sand: opening and
// the cone (docs/theory/materials.md M3).
#include "validate/validate.h"

#include "core/hash.h"
#include "materials/drucker_prager.h"
#include "materials/material.h"
#include "materials/rheology.h"

#include <math.h>
#include <stdio.h>

// First Piola stress along x of F = diag(s, 1, 1), mu = 100, lambda = 27.78 N/m^2, mooney_rivlin 75 + 25; NAN: no
// value.
enum { ROWS = 13, COLUMNS = 8 };
static const double stretches[ROWS] = {-1, -0.5, 0, 0.1, 0.2, 0.5, 0.57735026918962576, 0.8, 1, 1.25, 1.5, 2, 4};
static const struct {
    const char* name;
    int law;
    double bound;
    double stress[ROWS];
} columns[COLUMNS] = {
    {"corotated",
     PHX_LAW_COROTATED,
     0.1,
     {-455.56, -341.67, -227.78, -205.002, -182.224, -113.89, -96.2712, -45.556, 0, 56.945, 113.89, 227.78, 683.34}},
    {"stvk",
     PHX_LAW_STVK,
     0.1,
     {0, 42.7088, 0, -11.2751, -21.8669, -42.7088, -43.8363, -32.8003, 0, 80.0789, 213.5438, 683.34, 6833.4}},
    {"neo_hookean",
     PHX_LAW_NEO_HOOKEAN,
     0.1,
     {NAN, NAN, NAN, -1629.6581, -703.5509, -188.5113, -141.9007, -52.7487, 0, 49.9591, 90.8425, 159.6278, 384.6278}},
    {"neo_hookean_square",
     PHX_LAW_NEO_HOOKEAN_SQUARE,
     0.1,
     {NAN, NAN, NAN, -1015.002, -502.224, -163.89, -127.2113, -50.556, 0, 51.945, 97.2233, 177.78, 458.34}},
    {"bounded, a = 0.1",
     PHX_LAW_NEO_HOOKEAN_BOUNDED,
     0.1,
     {-4795.4581, -3356.4581, -1917.4581, -1629.6581, -703.5509, -188.5113, -141.9007, -52.7487, 0, 49.9591, 90.8425,
      159.6278, 384.6278}},
    {"bounded, a = 0.2",
     PHX_LAW_NEO_HOOKEAN_BOUNDED,
     0.2,
     {-1656.9509, -1259.7009, -862.4509, -783.0009, -703.5509, -188.5113, -141.9007, -52.7487, 0, 49.9591, 90.8425,
      159.6278, 384.6278}},
    {"neo_hookean_general",
     PHX_LAW_NEO_HOOKEAN_GENERAL,
     0.1,
     {NAN, NAN, NAN, -3148.4506, -1011.243, -205.9634, -150.9423, -53.7012, 0, 49.4649, 89.6202, 157.4427, 382.5526}},
    {"mooney_rivlin",
     PHX_LAW_MOONEY_RIVLIN,
     0.1,
     {NAN, NAN, NAN, -5937.4057, -1461.312, -229.2745, -163.2174, -55.0972, 0, 48.5715, 87.1097, 151.615, 367.5926}},
};

static phx_result table(phxi_validation* v) {
    for (int column = 0; column < COLUMNS; ++column) {
        phxi_elastic law = {columns[column].law, 100, 27.78, 27.78 + 200.0 / 3, 75, 25, columns[column].bound};
        double worst = 0;
        for (int row = 0; row < ROWS; ++row) {
            double exact = columns[column].stress[row], s[3] = {stretches[row], 1, 1}, psi[3] = {NAN, NAN, NAN};
            bool defined = phxi_elastic_principal(&law, s, psi);
            double error = isnan(exact) ? (defined ? INFINITY : 0) : fabs(psi[0] - exact);
            worst = fmax(worst, isnan(error) ? INFINITY : error);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest error in the table, %s, Pa", columns[column].name);
        phxi_validate(v, quantity, worst, 0, 1e-4);
    }
    return PHX_OK;
}

// Stress against central differences of the energy at random states that are well away from inversion.
static double gradient_error(const phxi_elastic* law) {
    double worst = 0;
    for (uint64_t trial = 0; trial < 50; ++trial) {
        phxi_mat3 f = phxi_identity(), p;
        for (int k = 0; k < 9; ++k) {
            f.m[k / 3][k % 3] += 0.5 * (phxi_hash_unit(phxi_hash_pair(trial, (uint64_t)k)) - 0.5);
        }
        if (!phxi_elastic_stress(law, &f, &p)) {
            return INFINITY;
        }
        double error = 0, size = 0, step = 1e-5;
        for (int k = 0; k < 9; ++k) {
            phxi_mat3 up = f, down = f;
            up.m[k / 3][k % 3] += step;
            down.m[k / 3][k % 3] -= step;
            double slope = (phxi_elastic_energy(law, &up) - phxi_elastic_energy(law, &down)) / (2 * step);
            error = fmax(error, fabs(slope - p.m[k / 3][k % 3]));
            size = fmax(size, fabs(p.m[k / 3][k % 3]));
        }
        worst = fmax(worst, error / size);
    }
    return worst;
}

static phx_result gradient(phxi_validation* v) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        phx_material_def def = phx_material_def_default();
        def.law = law;
        phxi_elastic elastic = phxi_elastic_from(&def);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "P against dPsi/dF, %s", phxi_law_words[law]);
        phxi_validate(v, quantity, gradient_error(&elastic), 0, 1e-8);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------ viscosity (docs/theory/melting.md H5)

/// The jump law without dimensions: tau_0 = K = 1, n = 1/2, so that g = 1 and rates and viscosities are those with a
/// star.
static phxi_rheology jump_law(double jump) {
    phx_material_def def = phx_material_def_default();
    def.flow = PHX_FLOW_JUMP;
    def.yield_stress = def.consistency = 1;
    def.flow_index = 0.5;
    def.jump_solid = jump;
    return phxi_rheology_from(&def);
}

static phx_result viscosity(phxi_validation* v) {
    static const double jumps[] = {0, 1, 10, 100, 1000}, maxima[] = {1.346, 1.199, 1.043, 1.005, 1.0005};
    double wrong = 0, infinite = 0, at = 0;
    for (int k = 0; k < 5; ++k) {
        phxi_rheology law = jump_law(jumps[k]);
        wrong += fabs(phxi_viscosity(&law, 0, 20) - (jumps[k] + 1));
        for (double power = -300; power <= 6; power += 0.5) {
            infinite += !isfinite(phxi_viscosity(&law, pow(10, power), 20));
        }
        double largest = 0, step = 1 + 1e-4;
        for (double rate = 1e-8; rate < 1e3; rate *= step) {
            double eta = phxi_viscosity(&law, rate, 20) / (jumps[k] + 1);
            at = k == 0 && eta > largest ? rate : at;
            largest = fmax(largest, eta);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest viscosity over that at rest, J = %g", jumps[k]);
        phxi_validate(v, quantity, largest, maxima[k], k < 4 ? 5e-4 : 5e-5);
    }
    phxi_validate(v, "rate of the largest viscosity, J = 0", at, 0.4244, 5e-4); // of (1 - e^-D)(1 + sqrt D)/D
    phxi_validate(v, "viscosity at rest less J + 1", wrong, 0, 0);
    phxi_validate(v, "viscosities that are not finite, rates 1e-300 to 1e6", infinite, 0, 0);
    double worst = 0;
    phxi_rheology law = jump_law(1000);
    for (double rate = 1; rate < 1e6; rate *= 1.1) {
        worst = fmax(worst, fabs(phxi_viscosity(&law, rate, 20) / (1 / rate + 1 / sqrt(rate)) - 1));
    }
    phxi_validate(v, "against 1/D + D^(n-1), D >= 1, J = 1000", worst, 0, 1e-10);
    return PHX_OK;
}

static phx_result melting(phxi_validation* v) {
    static const char* const scales[] = {"linear", "logarithmic"};
    for (int scale = 0; scale < 2; ++scale) {
        phx_material_def def = phx_material_def_default();
        def.flow = PHX_FLOW_JUMP;
        def.yield_stress = def.consistency = 1;
        def.yield_stress_liquid = 0.25;
        def.jump_liquid = 3;
        def.jump_scale = scale;
        def.solidus = 40;
        def.liquidus = 60;
        phxi_rheology law = phxi_rheology_from(&def);
        double rises = 0;
        for (int i = 0; i < 1000; ++i) {
            double t = 30 + 40 * i / 1000.0;
            rises += phxi_viscosity(&law, 0, t + 0.04) > phxi_viscosity(&law, 0, t);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "J at solidus, %s", scales[scale]);
        phxi_validate_relative(v, quantity, phxi_viscosity(&law, 0, 40) - 1, def.jump_solid, 1e-14);
        snprintf(quantity, sizeof quantity, "J at liquidus, %s", scales[scale]);
        phxi_validate_relative(v, quantity, phxi_viscosity(&law, 0, 60) / 0.25 - 1, def.jump_liquid, 1e-14);
        snprintf(quantity, sizeof quantity, "hotter and more viscous at rest, %s", scales[scale]);
        phxi_validate(v, quantity, rises, 0, 0);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------- sand (docs/theory/materials.md M3)

static double shear_stress(const phxi_sym3* stress) {
    double third = (stress->xx + stress->yy + stress->zz) / 3;
    double x = stress->xx - third, y = stress->yy - third, z = stress->zz - third;
    double square = stress->xy * stress->xy + stress->xz * stress->xz + stress->yz * stress->yz;
    return sqrt(0.5 * (x * x + y * y + z * z) + square);
}

static double largest_of(const phxi_sym3* s) {
    return fmax(fmax(fmax(fabs(s->xx), fabs(s->yy)), fmax(fabs(s->zz), fabs(s->xy))), fmax(fabs(s->xz), fabs(s->yz)));
}

/// Dry sand pulled apart and sheared in steps, and closed again.
static void open_and_close(phxi_validation* v, const phxi_drucker_prager* law) {
    phxi_sym3 strain = {0, 0, 0, 0, 0, 0}, stress;
    double opening = 0, volume = 0, loaded = 0, off = 0, early = 0, late = 0;
    for (int step = 0; step < 200; ++step) {
        double rate = step < 100 ? 1e-3 : -1.5e-3;
        strain.xx += 2 * rate;
        strain.yy -= 0.5 * rate;
        strain.xy += step < 100 ? 3e-4 : 0;
        volume += 1.5 * rate;
        phxi_drucker_prager_return(law, 1e-4, &strain, &opening, &stress);
        double closed = fmax(0, -volume); // what is pressed together after it has closed
        if (step < 100) {
            loaded = fmax(loaded, largest_of(&stress));
            off = fmax(off, fabs(opening - volume));
        } else if (volume > 1e-12) {
            early = fmax(early, largest_of(&stress));
        } else if (volume < -1e-12) {
            late = fmax(late, fabs(-(stress.xx + stress.yy + stress.zz) / 3 / (law->bulk * closed) - 1));
        }
    }
    phxi_validate(v, "largest stress of dry sand pulled apart, Pa", loaded, 0, 0);
    phxi_validate(v, "opening less volume strain", off, 0, 1e-15);
    phxi_validate(v, "largest stress before it has closed, Pa", early, 0, 0);
    phxi_validate(v, "pressure after it has closed, over K times volume strain, less 1", late, 0, 1e-10);
}

static phx_result cone(phxi_validation* v) {
    for (int kind = 0; kind < PHX_CONE_COUNT; ++kind) {
        phx_material_def def = phx_material_def_default();
        def.friction_angle = 30;
        def.cone = kind;
        phxi_drucker_prager dry = phxi_drucker_prager_from(&def);
        if (kind == 0) {
            open_and_close(v, &dry);
        }
        def.cohesion = 100;
        phxi_drucker_prager law = phxi_drucker_prager_from(&def);
        double worst = 0;
        for (uint64_t trial = 0; trial < 200; ++trial) {
            phxi_sym3 strain = {-0.01, -0.01, -0.01, 0, 0, 0}, stress;
            double* numbers = (double*)&strain;
            for (int k = 0; k < 6; ++k) {
                numbers[k] += 0.1 * (phxi_hash_unit(phxi_hash_pair(trial, (uint64_t)k)) - (k < 3 ? 0.6 : 0.5));
            }
            double opening = 0;
            int state = phxi_drucker_prager_return(&law, 1e-4, &strain, &opening, &stress);
            double strength = phxi_drucker_prager_strength(&law, -(stress.xx + stress.yy + stress.zz) / 3);
            double shear = shear_stress(&stress);
            worst = state == PHXI_GRAIN_YIELDS ? fmax(worst, fabs(shear - strength) / strength)
                                               : fmax(worst, shear > strength * (1 + 1e-9) + 1e-9 ? INFINITY : 0);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "shear stress off the cone, %s", phxi_cone_words[kind]);
        phxi_validate(v, quantity, worst, 0, 1e-12);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_materials[] = {
    {"materials.table", "principal stresses of all laws at thirteen stretches", table},
    {"materials.gradient", "stress is the derivative of energy, all laws", gradient},
    {"materials.viscosity", "the jump law at rest, at all rates, and where it is largest", viscosity},
    {"materials.melting", "jump number from solidus to liquidus", melting},
    {"materials.sand", "dry sand opens without stress; shear ends on the cone", cone},
    {NULL, NULL, NULL},
};
