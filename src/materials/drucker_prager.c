// SPDX-License-Identifier: MIT
// Cones, and the return mapping for one particle in double and for several at once.
#include "materials/drucker_prager.h"

static const double degree = 3.14159265358979323846 / 180;

#define FULL_SATURATION 0.1 // above it more water changes little
#define STEEPEST_WET    40. // degrees; see drucker_prager.h
#define SLIME_TENSION   2.  // cohesions, where there is no cone that would end
#define LARGEST_GROWTH  50. // exponent of stiffening at most

const char* const phxi_cone_words[] = {"repose", "plane", "compression", "extension", NULL};
_Static_assert(sizeof phxi_cone_words / sizeof phxi_cone_words[0] == PHX_CONE_COUNT + 1, "one word for each cone");

bool phxi_drucker_prager_is(const phx_material_def* def) {
    return def->friction_angle > 0 || def->cohesion > 0;
}

static void fit_cone(int cone, double phi, double c, double* a, double* b) {
    if (cone == PHX_CONE_REPOSE) {
        double steep = fmin(phi, STEEPEST_WET * degree);
        *b = tan(phi) / 3;
        *a = c * tan(45 * degree + 0.5 * steep) * (1 - tan(steep));
    } else if (cone == PHX_CONE_PLANE) {
        *b = sin(phi) / 3;
        *a = c * cos(phi);
    } else {
        double by = sqrt(3) * (3 + (cone == PHX_CONE_EXTENSION ? sin(phi) : -sin(phi)));
        *b = 2 * sin(phi) / by;
        *a = 6 * c * cos(phi) / by;
    }
}

phxi_drucker_prager phxi_drucker_prager_from(const phx_material_def* def) {
    phxi_elastic elastic = phxi_elastic_from(def);
    double cohesion = def->cohesion * fmin(1, def->saturation / FULL_SATURATION);
    phxi_drucker_prager law = {.mu = elastic.mu,
                               .bulk = elastic.lambda + 2 * elastic.mu / 3,
                               .creep = def->creep,
                               .relaxation = def->relaxation,
                               .stiffening = def->stiffening,
                               .softening = def->softening};
    fit_cone(def->cone, def->friction_angle * degree, cohesion, &law.a, &law.b);
    double tension = def->tension >= 0 ? def->tension : law.b > 0 ? INFINITY : SLIME_TENSION * cohesion;
    law.cut = tension / law.bulk;
    return law;
}

phxi_grain_state phxi_drucker_prager_return(const phxi_drucker_prager* law, double dt, phxi_sym3* strain,
                                            double* opening, phxi_sym3* stress) {
    double trace = strain->xx + strain->yy + strain->zz, volume = trace + *opening, third = trace / 3;
    phxi_sym3 d = {strain->xx - third, strain->yy - third, strain->zz - third, strain->xy, strain->xz, strain->yz};
    double cohesion = law->softening > 0 ? law->a * exp(-law->softening * (1 - exp(-*opening))) : law->a;

    // volume: tension ends at the apex of the cone, or where it is cut off
    double tip = law->b > 0 ? cohesion / (3 * law->b * law->bulk) : INFINITY, apex = fmin(tip, law->cut);
    bool open = volume > apex;
    *opening = open ? volume - apex : 0;
    volume = open ? apex : volume;
    double growth = law->stiffening > 0 && volume < 0
                        ? exp(fmin(law->stiffening * (exp(fmin(-volume, 1)) - 1), LARGEST_GROWTH))
                        : 1;
    double mu = growth * law->mu, pressure = -growth * law->bulk * volume;

    // shape
    double strength = open && tip <= law->cut ? 0 : fmax(0, cohesion + 3 * law->b * pressure);
    double fade = law->relaxation > 0 ? exp(-dt / law->relaxation) : 1;
    double square = d.xx * d.xx + d.yy * d.yy + d.zz * d.zz + 2 * (d.xy * d.xy + d.xz * d.xz + d.yz * d.yz);
    double shear = fade * 2 * mu * sqrt(0.5 * square);
    bool yields = shear > strength;
    double rest = strength > 0 && law->creep > 0 ? (shear - strength) / (1 + dt * law->creep) : 0;
    double keep = yields ? fade * (strength + rest) / shear : fade;

    d = (phxi_sym3){keep * d.xx, keep * d.yy, keep * d.zz, keep * d.xy, keep * d.xz, keep * d.yz};
    third = volume / 3;
    *strain = (phxi_sym3){d.xx + third, d.yy + third, d.zz + third, d.xy, d.xz, d.yz};
    double twice = 2 * mu;
    *stress = (phxi_sym3){twice * d.xx - pressure,
                          twice * d.yy - pressure,
                          twice * d.zz - pressure,
                          twice * d.xy,
                          twice * d.xz,
                          twice * d.yz};
    return open ? PHXI_GRAIN_OPEN : yields ? PHXI_GRAIN_YIELDS : PHXI_GRAIN_ELASTIC;
}

/// The law in state precision, and what is the same for all lanes.
typedef struct numbers {
    phx_real mu, bulk, a, b3, per_tip, cut, slow, fade, stiffening, softening;
    bool cone, grows, softens;
} numbers;

static numbers numbers_of(const phxi_drucker_prager* law, double dt) {
    const double large = sizeof(phx_real) == sizeof(double) ? 1e300 : 1e37;
    return (numbers){
        .mu = (phx_real)law->mu,
        .bulk = (phx_real)law->bulk,
        .a = (phx_real)law->a,
        .b3 = (phx_real)(3 * law->b),
        .per_tip = (phx_real)(law->b > 0 ? 1 / (3 * law->b * law->bulk) : 0),
        .cut = (phx_real)fmin(law->cut, large),
        .slow = (phx_real)(law->creep > 0 ? 1 / (1 + dt * law->creep) : 0),
        .fade = (phx_real)(law->relaxation > 0 ? exp(-dt / law->relaxation) : 1),
        .stiffening = (phx_real)law->stiffening,
        .softening = (phx_real)law->softening,
        .cone = law->b > 0,
        .grows = law->stiffening > 0,
        .softens = law->softening > 0,
    };
}

PHXI_INLINE void soften(const numbers* n, const phxi_rw* opening, phxi_rw* cohesion) {
    phxi_rw less = -*opening, power, factor;
    phxi_mw wide = (phxi_mw)(less < PHXI_R(-50));
    less = PHXI_SELECT(wide, (phxi_rw){0} - PHXI_R(50), less);
    phxi_wide_exp(&less, &power);
    less = n->softening * (power - PHXI_R(1));
    wide = (phxi_mw)(less < PHXI_R(-50));
    less = PHXI_SELECT(wide, (phxi_rw){0} - PHXI_R(50), less);
    phxi_wide_exp(&less, &factor);
    *cohesion *= factor;
}

PHXI_INLINE void grow(const numbers* n, const phxi_rw* volume, phxi_rw* growth) {
    const phxi_rw zero = {0};
    phxi_rw less = -*volume, power;
    less = PHXI_SELECT((phxi_mw)(less > zero), less, zero);
    less = PHXI_SELECT((phxi_mw)(less > PHXI_R(1)), zero + PHXI_R(1), less);
    phxi_wide_exp(&less, &power);
    power = n->stiffening * (power - PHXI_R(1));
    power = PHXI_SELECT((phxi_mw)(power > PHXI_R(LARGEST_GROWTH)), zero + PHXI_R(LARGEST_GROWTH), power);
    phxi_wide_exp(&power, growth);
}

static PHXI_CLONES void drucker_prager_lanes(const numbers* n, phxi_grain_lanes* l) {
    const phxi_rw zero = {0};
    phxi_rw trace = l->strain[0] + l->strain[1] + l->strain[2], volume = trace + l->opening, d[6];
    for (int k = 0; k < 6; ++k) {
        d[k] = k < 3 ? l->strain[k] - trace * PHXI_R(1.0 / 3) : l->strain[k];
    }
    phxi_rw cohesion = zero + n->a, growth = zero + PHXI_R(1), cut = zero + n->cut;
    if (n->softens) {
        soften(n, &l->opening, &cohesion);
    }
    phxi_rw tip = cohesion * n->per_tip;
    phxi_mw pointed = n->cone ? (phxi_mw)(tip <= cut) : (phxi_mw){0};
    phxi_rw apex = PHXI_SELECT(pointed, tip, cut);
    phxi_mw open = (phxi_mw)(volume > apex);
    l->opening = PHXI_SELECT(open, volume - apex, zero);
    volume = PHXI_SELECT(open, apex, volume);
    if (n->grows) {
        grow(n, &volume, &growth);
    }
    phxi_rw twice = PHXI_R(2) * (growth * n->mu), pressure = -(growth * n->bulk * volume);
    phxi_rw strength = cohesion + n->b3 * pressure;
    strength = PHXI_SELECT((phxi_mw)(strength < zero) | (open & pointed), zero, strength);
    phxi_rw square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + PHXI_R(2) * (d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    phxi_rw half = PHXI_R(0.5) * square, shear;
    phxi_wide_sqrt(&half, &shear);
    shear *= n->fade * twice;
    phxi_mw yields = (phxi_mw)(shear > strength);
    phxi_rw rest = PHXI_SELECT((phxi_mw)(strength > zero), (shear - strength) * n->slow, zero);
    phxi_rw by = PHXI_SELECT(yields, shear, zero + PHXI_R(1)); // no division by zero
    phxi_rw keep = n->fade * PHXI_SELECT(yields, (strength + rest) / by, zero + PHXI_R(1));
    phxi_rw third = volume * PHXI_R(1.0 / 3);
    for (int k = 0; k < 6; ++k) {
        d[k] *= keep;
        l->strain[k] = k < 3 ? d[k] + third : d[k];
        l->stress[k] = k < 3 ? twice * d[k] - pressure : twice * d[k];
    }
    l->still = ~(yields | open);
}

void phxi_drucker_prager_lanes(const phxi_drucker_prager* law, double dt, phxi_grain_lanes* lanes) {
    numbers n = numbers_of(law, dt);
    drucker_prager_lanes(&n, lanes);
}
