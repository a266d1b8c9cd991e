// SPDX-License-Identifier: MIT
// The scalar law is the reference; the wide one is the same line by line, with numbers kept in what float can hold.
// Powers are exp(n ln D) there, with the exponent cut at 80: beyond it other terms decide, or no fluid flows so fast.
#include "materials/rheology.h"

#include "core/error.h"
#include "math/wide.h"

#include <math.h>

/// Shear rates count as this at most, 1/s, and rates over g as well.
#define FASTEST 1e12
/// Temperatures count as this at most.
#define HOTTEST 1e9

phxi_rheology phxi_rheology_from(const phx_material_def* def) {
    phxi_rheology r = {.flow = def->flow, .viscosity = def->viscosity, .index = def->flow_index};
    bool melts = isfinite(def->solidus) && isfinite(def->liquidus);
    r.solidus = melts ? def->solidus : 0;
    r.per_range = melts ? 1 / (def->liquidus - def->solidus) : 0;
    if (def->flow == PHX_FLOW_NEWTONIAN) {
        return r;
    }
    r.consistency = def->consistency;
    if (def->flow == PHX_FLOW_BINGHAM) {
        r.consistency = def->viscosity;
        r.index = 1;
    }
    r.viscosity = def->solid_viscosity;
    r.yield_stress = def->flow == PHX_FLOW_POWER_LAW ? 0 : def->yield_stress;
    r.softened = r.yield_stress > 0 && def->yield_stress_liquid >= 0 ? def->yield_stress_liquid / r.yield_stress : 1;
    if (def->flow == PHX_FLOW_JUMP) {
        r.per_rate = pow(r.consistency / r.yield_stress, 1 / r.index);
        r.yield_stress *= r.per_rate;
        r.jump_solid = def->jump_solid + 1;
        r.jump_liquid = def->jump_liquid + 1;
        r.log_solid = log(r.jump_solid);
        r.log_change = log(r.jump_liquid) - r.log_solid;
        r.logarithmic = def->jump_scale == 1;
    }
    return r;
}

// ---------------------------------------------------------------------------------------------------------- one of it

// Comparisons that are false for NaN, so that it passes.
static double limited(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

/// 0 at solidus and below, 1 at liquidus and above.
static double molten(const phxi_rheology* r, double temperature) {
    return limited((limited(temperature, -HOTTEST, HOTTEST) - r->solidus) * r->per_range, 0, 1);
}

static double jump_viscosity(const phxi_rheology* r, double rate, double u) {
    double jump = !r->logarithmic ? (1 - u) * r->jump_solid + u * r->jump_liquid
                  : u == 0        ? r->jump_solid
                  : u == 1        ? r->jump_liquid
                                  : exp(r->log_solid + r->log_change * u);
    double d = limited(rate * r->per_rate, 0, FASTEST), z = jump * d;
    double phi = z < 1e-8 ? 1 - z / 2 : -expm1(-z) / z;
    return r->yield_stress * (1 - u + r->softened * u) * jump * phi * (1 + pow(d, r->index));
}

static double flow_viscosity(const phxi_rheology* r, double rate, double u) {
    double d = limited(rate, 1e-200, FASTEST);
    double ratio = r->yield_stress * (1 - u + r->softened * u) / d + r->consistency * pow(d, r->index - 1); // tau / D
    double z = r->viscosity / ratio;
    return z < 1e-8 ? r->viscosity * (1 - z / 2) : -expm1(-z) * ratio;
}

double phxi_viscosity(const phxi_rheology* r, double shear_rate, double temperature) {
    double rate = limited(fabs(shear_rate), 0, FASTEST), u = molten(r, temperature);
    return r->flow == PHX_FLOW_NEWTONIAN ? r->viscosity
           : r->flow == PHX_FLOW_JUMP    ? jump_viscosity(r, rate, u)
                                         : flow_viscosity(r, rate, u);
}

double phxi_yield_stress(const phxi_rheology* r, double temperature) {
    double u = molten(r, temperature),
           solid = r->flow == PHX_FLOW_JUMP ? r->yield_stress / r->per_rate : r->yield_stress;
    return solid * (1 - u + r->softened * u);
}

// --------------------------------------------------------------------------------------------------------- many of it

/// The constants in state precision.
typedef struct wide_rheology {
    phx_real viscosity, yield_stress, consistency, index, per_rate, solidus, per_range, softened;
    phx_real jump_solid, jump_liquid, log_solid, log_change;
} wide_rheology;

/// Slowest rate: its powers and inverse are finite in state precision.
#define SLOWEST (sizeof(phx_real) == 4 ? 1e-30 : 1e-200)

PHXI_INLINE void limit_wide(phxi_rw* value, phx_real low, phx_real high) {
    const phxi_rw zero = {0};
    *value = PHXI_SELECT((phxi_mw)(*value < low), zero + low, *value);
    *value = PHXI_SELECT((phxi_mw)(*value > high), zero + high, *value);
}

PHXI_INLINE void exp_wide(const phxi_rw* exponent, phxi_rw* value) {
    phxi_rw x = *exponent;
    limit_wide(&x, PHXI_R(-79), PHXI_R(79));
    phxi_wide_exp(&x, value);
}

/// base^exponent of a positive base.
PHXI_INLINE void power_wide(const phxi_rw* base, phx_real exponent, phxi_rw* value) {
    phxi_rw log;
    phxi_wide_log(base, &log);
    log *= exponent;
    exp_wide(&log, value);
}

/// 1 - exp(-z)
PHXI_INLINE void risen_wide(const phxi_rw* z, phxi_rw* value) {
    phxi_rw x = -*z, rest;
    limit_wide(&x, PHXI_R(-79), PHXI_R(0));
    phxi_wide_expm1(&x, value, &rest);
    *value = -*value;
}

PHXI_INLINE void molten_wide(const wide_rheology* r, const phxi_rw* temperature, phxi_rw* u) {
    *u = *temperature;
    limit_wide(u, PHXI_R(-HOTTEST), PHXI_R(HOTTEST));
    *u = (*u - r->solidus) * r->per_range;
    limit_wide(u, 0, 1);
}

PHXI_INLINE void jump_wide(const wide_rheology* r, bool logarithmic, const phxi_rw* rate, const phxi_rw* u,
                           phxi_rw* viscosity) {
    phxi_rw jump, power, risen, d = *rate * r->per_rate;
    if (logarithmic) {
        const phxi_rw exponent = r->log_solid + r->log_change * *u;
        exp_wide(&exponent, &jump);
    } else {
        jump = (PHXI_R(1) - *u) * r->jump_solid + *u * r->jump_liquid;
    }
    limit_wide(&d, PHXI_R(SLOWEST), PHXI_R(FASTEST));
    const phxi_rw z = jump * d;
    risen_wide(&z, &risen);
    power_wide(&d, r->index, &power);
    const phxi_rw slow = jump * (PHXI_R(1) - PHXI_R(0.5) * z);
    *viscosity = r->yield_stress * (PHXI_R(1) - *u + r->softened * *u) *
                 PHXI_SELECT((phxi_mw)(z < PHXI_R(1e-8)), slow, risen / d) * (PHXI_R(1) + power);
}

PHXI_INLINE void flow_wide(const wide_rheology* r, const phxi_rw* rate, const phxi_rw* u, phxi_rw* viscosity) {
    phxi_rw d = *rate, power, risen;
    limit_wide(&d, PHXI_R(SLOWEST), PHXI_R(FASTEST));
    power_wide(&d, r->index - 1, &power);
    const phxi_rw ratio = r->yield_stress * (PHXI_R(1) - *u + r->softened * *u) / d + r->consistency * power;
    const phxi_rw z = r->viscosity / ratio;
    risen_wide(&z, &risen);
    *viscosity = PHXI_SELECT((phxi_mw)(z < PHXI_R(1e-8)), r->viscosity * (PHXI_R(1) - PHXI_R(0.5) * z), risen * ratio);
}

// `which`: 0 not jump, 1 jump, 2 jump in logarithms; a constant in each of the three calls below.
PHXI_INLINE void blocks_wide(const wide_rheology* r, int which, int count, const phx_real* rates,
                             const phx_real* temperatures, phx_real* viscosities) {
    for (int i = 0; i < count; i += PHXI_LANES) {
        size_t size = (size_t)(count - i < PHXI_LANES ? count - i : PHXI_LANES) * sizeof(phx_real);
        phxi_rw rate = {0}, temperature = {0}, u, viscosity;
        memcpy(&rate, rates + i, size);
        memcpy(&temperature, temperatures + i, size);
        rate = PHXI_SELECT((phxi_mw)(rate < PHXI_R(0)), -rate, rate);
        limit_wide(&rate, 0, PHXI_R(FASTEST));
        molten_wide(r, &temperature, &u);
        if (which == 0) {
            flow_wide(r, &rate, &u, &viscosity);
        } else {
            jump_wide(r, which == 2, &rate, &u, &viscosity);
        }
        memcpy(viscosities + i, &viscosity, size);
    }
}

PHXI_CLONES static void rheology_flow_blocks(const wide_rheology* r, int count, const phx_real* rates,
                                             const phx_real* temperatures, phx_real* viscosities) {
    blocks_wide(r, 0, count, rates, temperatures, viscosities);
}
PHXI_CLONES static void rheology_jump_blocks(const wide_rheology* r, int count, const phx_real* rates,
                                             const phx_real* temperatures, phx_real* viscosities) {
    blocks_wide(r, 1, count, rates, temperatures, viscosities);
}
PHXI_CLONES static void rheology_log_jump_blocks(const wide_rheology* r, int count, const phx_real* rates,
                                                 const phx_real* temperatures, phx_real* viscosities) {
    blocks_wide(r, 2, count, rates, temperatures, viscosities);
}

void phxi_viscosity_batch(const phxi_rheology* r, int count, const phx_real* shear_rate, const phx_real* temperature,
                          phx_real* viscosity) {
    if (r->flow == PHX_FLOW_NEWTONIAN) {
        for (int i = 0; i < count; ++i) {
            viscosity[i] = (phx_real)r->viscosity;
        }
        return;
    }
    const wide_rheology wide = {
        .viscosity = (phx_real)r->viscosity,
        .yield_stress = (phx_real)r->yield_stress,
        .consistency = (phx_real)r->consistency,
        .index = (phx_real)r->index,
        .per_rate = (phx_real)r->per_rate,
        .solidus = (phx_real)r->solidus,
        .per_range = (phx_real)r->per_range,
        .softened = (phx_real)r->softened,
        .jump_solid = (phx_real)r->jump_solid,
        .jump_liquid = (phx_real)r->jump_liquid,
        .log_solid = (phx_real)r->log_solid,
        .log_change = (phx_real)r->log_change,
    };
    if (r->flow != PHX_FLOW_JUMP) {
        rheology_flow_blocks(&wide, count, shear_rate, temperature, viscosity);
    } else if (r->logarithmic) {
        rheology_log_jump_blocks(&wide, count, shear_rate, temperature, viscosity);
    } else {
        rheology_jump_blocks(&wide, count, shear_rate, temperature, viscosity);
    }
}

// -------------------------------------------------------------------------------------------------------------- checks

static phx_result check_jump(const phx_material_def* def) {
    if (!(def->yield_stress > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "flow jump: yield_stress is %g Pa, expected above 0", def->yield_stress);
    }
    if (def->jump_liquid > def->jump_solid) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "flow jump: jump_liquid is %g, expected at most jump_solid, which is %g",
                         def->jump_liquid, def->jump_solid);
    }
    double rate = pow(def->yield_stress / def->consistency, 1 / def->flow_index);
    if (!(rate >= 1e-12 && rate <= 1e12)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "flow jump: (yield_stress / consistency)^(1 / flow_index) is %g 1/s, expected 1e-12 to 1e12",
                         rate);
    }
    return PHX_OK;
}

phx_result phxi_rheology_check(const phx_material_def* def) {
    double liquid = def->yield_stress_liquid;
    if (liquid != -1 && !(liquid >= 0 && liquid <= def->yield_stress)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "yield_stress_liquid is %g Pa, expected -1 or from 0 to yield_stress, which is %g", liquid,
                         def->yield_stress);
    }
    if (def->flow == PHX_FLOW_BINGHAM && !(def->solid_viscosity > def->viscosity)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "flow bingham: solid_viscosity is %g Pa s, expected above viscosity, which is %g",
                         def->solid_viscosity, def->viscosity);
    }
    return def->flow == PHX_FLOW_JUMP ? check_jump(def) : PHX_OK;
}
