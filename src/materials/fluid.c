// SPDX-License-Identifier: MIT
// The flow of one particle, in double, is the reference; planes take the same steps in state precision.
//
// The stress of the flow curve is found by secants from below: S(D) + G dt D rises and, where fluids thin, bends down,
// so secants through two points below the root end below it and never overshoot; a bracket takes care of the others.
#include "materials/fluid.h"

#include "materials/elastic.h"
#include "parallel/parallel.h"

#include <math.h>
#include <string.h>
#include <stddef.h>

enum { SECANTS = 24 };
#define THIRD ((phx_real)(1.0 / 3))
#define CLOSE 1e-5 // of the trial stress
/// Least and largest change of volume that is followed.
#define LEAST (-0.95)
#define OPEN  0.1

#ifdef PHX_DOUBLE
#define ROOT sqrt
#else
#define ROOT sqrtf
#endif

bool phxi_fluid_is(const phx_material_def* def) {
    bool flows = def->viscosity > 0 || (def->flow != PHX_FLOW_NEWTONIAN && def->flow != PHX_FLOW_JUMP);
    return def->fluid || flows || phxi_fluid_melts(def);
}

bool phxi_fluid_melts(const phx_material_def* def) {
    return isfinite(def->solidus);
}

phxi_fluid phxi_fluid_from(const phx_material_def* def, double bulk) {
    phxi_fluid fluid = {.rheology = phxi_rheology_from(def), .shear = 0.5 * bulk, .bulk = bulk, .open = OPEN};
    if (!def->fluid && phxi_fluid_melts(def)) {
        const phxi_elastic solid = phxi_elastic_from(def);
        fluid.shear = solid.mu;
        fluid.bulk = solid.kappa;
    }
    return fluid;
}

double phxi_fluid_sound(const phxi_fluid* fluid, double density, double dt) {
    double rest = phxi_viscosity(&fluid->rheology, 0, -INFINITY);
    double shear = fluid->shear > 0 ? fluid->shear * rest / (rest + fluid->shear * dt) : 0;
    return sqrt((fluid->bulk + 4.0 / 3 * shear) / density);
}

double phxi_fluid_tension(const phxi_fluid* fluid, double temperature) {
    return sqrt(3) * phxi_yield_stress(&fluid->rheology, temperature);
}

// ---------------------------------------------------------------------------------------------------------- one of it

/// Ratio t/t* from the viscosity at the rate that was found.
double phxi_fluid_flow(const phxi_fluid* fluid, double dt, double trial, double temperature) {
    const phxi_rheology* r = &fluid->rheology;
    const double a = fluid->shear * dt;
    double viscosity = phxi_viscosity(r, 0, temperature), low = 0, high = trial / a;
    double x0 = 0, f0 = -trial, x1 = trial / (viscosity + a);
    for (int k = 0; k < 4 * SECANTS; ++k) {
        viscosity = phxi_viscosity(r, x1, temperature);
        double f1 = x1 * (viscosity + a) - trial;
        if (fabs(f1) <= 1e-14 * trial) {
            break;
        }
        *(f1 > 0 ? &high : &low) = x1;
        double next = x1 - f1 * (x1 - x0) / (f1 - f0);
        x0 = x1, f0 = f1;
        x1 = next > low && next < high ? next : 0.5 * (low + high);
    }
    return trial * viscosity / (viscosity + a);
}

void phxi_fluid_advance(const phxi_fluid* fluid, double dt, const double c[9], double temperature, double strain[6],
                        double* opening) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double q = strain[0] + strain[1] + strain[2];
    const phxi_mat3 grown = {{{1 + dt * c[0], dt * c[1], dt * c[2]},
                              {dt * c[3], 1 + dt * c[4], dt * c[5]},
                              {dt * c[6], dt * c[7], 1 + dt * c[8]}}};
    double e[3][3], w[3][3], turn[3][3], again[3][3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            e[i][j] = strain[at[i][j]] - (i == j ? q / 3 : 0);
            w[i][j] = 0.5 * (c[3 * i + j] - c[3 * j + i]);
        }
    }
    for (int pass = 0; pass < 2; ++pass) { // W e - e W, and the same of it
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double(*of)[3] = pass == 0 ? e : turn, (*to)[3] = pass == 0 ? turn : again;
                to[i][j] = 0;
                for (int k = 0; k < 3; ++k) {
                    to[i][j] += w[i][k] * of[k][j] - of[i][k] * w[k][j];
                }
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double rate = 0.5 * (c[3 * i + j] + c[3 * j + i]) - (i == j ? (c[0] + c[4] + c[8]) / 3 : 0);
            e[i][j] += dt * (turn[i][j] + 0.5 * dt * again[i][j]) + dt * rate;
            sum += e[i][j] * e[i][j];
        }
    }
    const double trial = fluid->shear * sqrt(2 * sum);
    const double ratio = trial > 0 ? phxi_fluid_flow(fluid, dt, trial, temperature) / trial : 0;
    const double limit = phxi_fluid_tension(fluid, temperature) / fluid->bulk;
    double volume = fmax((1 + q) * phxi_mat3_det(&grown) - 1, LEAST) + *opening;
    *opening = fmin(fmax(volume - limit, 0), fluid->open);
    volume = fmin(volume, limit);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            strain[at[i][j]] = ratio * e[i][j] + (i == j ? volume / 3 : 0);
        }
    }
}

double phxi_fluid_stress(const phxi_fluid* fluid, const double strain[6], double stress[6]) {
    const double q = strain[0] + strain[1] + strain[2];
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
        double e = strain[k] - (k < 3 ? q / 3 : 0);
        stress[k] = 2 * fluid->shear * e + (k < 3 ? fluid->bulk * q : 0);
        sum += (k < 3 ? 1 : 2) * e * e;
    }
    return fluid->shear * sum + fluid->bulk * (q - log1p(q));
}

// --------------------------------------------------------------------------------------------------------- many of it

typedef struct flow_planes {
    _Alignas(64) phx_real e[6][PHXI_FLUID_BATCH], volume[PHXI_FLUID_BATCH];
    _Alignas(64) phx_real trial[PHXI_FLUID_BATCH], ratio[PHXI_FLUID_BATCH];
    _Alignas(64) phx_real x0[PHXI_FLUID_BATCH], f0[PHXI_FLUID_BATCH], x1[PHXI_FLUID_BATCH];
    _Alignas(64) phx_real low[PHXI_FLUID_BATCH], high[PHXI_FLUID_BATCH], viscosity[PHXI_FLUID_BATCH];
} flow_planes;

/// Trial strains: e turned and strained, volume grown.
static PHXI_CLONES void phxi_fluid_trial_planes(int count, int stride, phx_real dt, phx_real shear,
                                                const phxi_fluid_planes* p, flow_planes* f) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        phx_real c[9], g[6];
        static const int from[6] = {0, 4, 8, 1, 2, 5};
        for (int k = 0; k < 9; ++k) {
            c[k] = dt * p->gradient[k * stride + i];
        }
        for (int k = 0; k < 6; ++k) {
            g[k] = p->strain[from[k] * stride + i];
        }
        const phx_real q = g[0] + g[1] + g[2], third = q * THIRD;
        g[0] -= third, g[1] -= third, g[2] -= third;
        // det(I + c) - 1, in the order of sizes
        const phx_real trace = c[0] + c[4] + c[8];
        const phx_real m0 = c[4] * c[8] - c[5] * c[7], m1 = c[3] * c[8] - c[5] * c[6], m2 = c[3] * c[7] - c[4] * c[6];
        const phx_real minors = m0 + (c[0] * c[8] - c[2] * c[6]) + (c[0] * c[4] - c[1] * c[3]);
        const phx_real grown = trace + (minors + (c[0] * m0 - c[1] * m1 + c[2] * m2));
        f->volume[i] = q + (grown + q * grown);
        // with w the spin as a vector, (W e)_ij = eps_ikl w_k e_lj
        const phx_real half = (phx_real)0.5;
        const phx_real wx = half * (c[7] - c[5]), wy = half * (c[2] - c[6]), wz = half * (c[3] - c[1]);
        phx_real a[6], b[6];
        a[0] = 2 * (wy * g[4] - wz * g[3]);
        a[1] = 2 * (wz * g[3] - wx * g[5]);
        a[2] = 2 * (wx * g[5] - wy * g[4]);
        a[3] = wz * (g[0] - g[1]) + wy * g[5] - wx * g[4];
        a[4] = wy * (g[2] - g[0]) + wx * g[3] - wz * g[5];
        a[5] = wx * (g[1] - g[2]) + wz * g[4] - wy * g[3];
        b[0] = 2 * (wy * a[4] - wz * a[3]);
        b[1] = 2 * (wz * a[3] - wx * a[5]);
        b[2] = 2 * (wx * a[5] - wy * a[4]);
        b[3] = wz * (a[0] - a[1]) + wy * a[5] - wx * a[4];
        b[4] = wy * (a[2] - a[0]) + wx * a[3] - wz * a[5];
        b[5] = wx * (a[1] - a[2]) + wz * a[4] - wy * a[3];
        const phx_real mean = trace * THIRD;
        const phx_real rate[6] = {c[0] - mean,          c[4] - mean,          c[8] - mean,
                                  half * (c[1] + c[3]), half * (c[2] + c[6]), half * (c[5] + c[7])};
        phx_real sum = 0;
        for (int k = 0; k < 6; ++k) {
            const phx_real e = g[k] + (a[k] + half * b[k]) + rate[k];
            f->e[k][i] = e;
            sum += (k < 3 ? 1 : 2) * (e * e);
        }
        f->trial[i] = shear * ROOT(2 * sum);
    }
}

/// One secant. `left`: how many are not there yet.
static PHXI_CLONES int phxi_fluid_secant(int count, phx_real a, flow_planes* f) {
    int left = 0;
    for (int i = 0; i < count; ++i) {
        const phx_real x1 = f->x1[i], f1 = x1 * (f->viscosity[i] + a) - f->trial[i];
        const bool there = !((f1 < 0 ? -f1 : f1) > (phx_real)CLOSE * f->trial[i]);
        const phx_real low = f1 > 0 ? f->low[i] : x1, high = f1 > 0 ? x1 : f->high[i];
        phx_real next = x1 - f1 * (x1 - f->x0[i]) / (f1 - f->f0[i]);
        next = next > low && next < high ? next : (phx_real)0.5 * (low + high);
        f->low[i] = low, f->high[i] = high;
        f->x0[i] = x1, f->f0[i] = f1;
        f->x1[i] = there ? x1 : next;
        left += !there;
    }
    return left;
}

/// t/t* of all.
static void find_ratios(const phxi_fluid* fluid, double dt, int count, const phx_real* temperature, flow_planes* f) {
    const phx_real a = (phx_real)(fluid->shear * dt);
    if (!(fluid->shear > 0)) {
        memset(f->ratio, 0, sizeof f->ratio);
        return;
    }
    memset(f->x0, 0, sizeof f->x0);
    for (int i = 0; i < count; ++i) {
        f->low[i] = 0;
        f->f0[i] = -f->trial[i];
        f->high[i] = f->trial[i] / a;
    }
    phxi_viscosity_batch(&fluid->rheology, count, f->x0, temperature, f->viscosity);
    for (int i = 0; i < count; ++i) {
        f->x1[i] = f->trial[i] / (f->viscosity[i] + a);
    }
    for (int k = 0; k < SECANTS && fluid->rheology.flow != PHX_FLOW_NEWTONIAN; ++k) {
        phxi_viscosity_batch(&fluid->rheology, count, f->x1, temperature, f->viscosity);
        if (phxi_fluid_secant(count, a, f) == 0) {
            break;
        }
    }
    for (int i = 0; i < count; ++i) {
        f->ratio[i] = f->viscosity[i] / (f->viscosity[i] + a);
    }
}

void phxi_fluid_advance_batch(const phxi_fluid* fluid, double dt, int count, int stride, const phxi_fluid_planes* p) {
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    flow_planes f;
    phxi_fluid_trial_planes(count, stride, (phx_real)dt, (phx_real)fluid->shear, p, &f);
    find_ratios(fluid, dt, count, p->temperature, &f);
    const phx_real per_bulk = (phx_real)(1 / fluid->bulk), open = (phx_real)fluid->open;
    for (int i = 0; i < count; ++i) {
        const phx_real limit = per_bulk * (phx_real)phxi_fluid_tension(fluid, (double)p->temperature[i]);
        phx_real volume = (f.volume[i] < (phx_real)LEAST ? (phx_real)LEAST : f.volume[i]) + p->opening[i];
        const phx_real beyond = volume - limit;
        p->opening[i] = !(beyond > 0) ? 0 : beyond < open ? beyond : open;
        volume = beyond > 0 ? limit : volume;
        f.volume[i] = volume * THIRD;
    }
    for (int k = 0; k < 9; ++k) {
        const phx_real *e = f.e[full[k]], share = k % 4 == 0;
        phx_real* to = p->strain + (ptrdiff_t)k * stride;
        PHXI_SIMD
        for (int i = 0; i < count; ++i) {
            to[i] = f.ratio[i] * e[i] + share * f.volume[i];
        }
    }
}

void phxi_fluid_stress_batch(const phxi_fluid* fluid, int count, int stride, const phx_real* strain, phx_real* stress,
                             phx_real* energy) {
    static const int from[6] = {0, 4, 8, 1, 2, 5};
    const phx_real shear = (phx_real)(2 * fluid->shear), bulk = (phx_real)(fluid->bulk - 2.0 / 3 * fluid->shear);
    for (int k = 0; k < 6; ++k) {
        const phx_real *own = strain + (ptrdiff_t)from[k] * stride, share = k < 3 ? bulk : 0;
        phx_real* to = stress + (ptrdiff_t)k * stride;
        PHXI_SIMD
        for (int i = 0; i < count; ++i) {
            to[i] = shear * own[i] + share * (strain[i] + strain[4 * stride + i] + strain[8 * stride + i]);
        }
    }
    for (int i = 0; energy && i < count; ++i) {
        double one[6], ignored[6];
        for (int k = 0; k < 6; ++k) {
            one[k] = (double)strain[from[k] * stride + i];
        }
        energy[i] = (phx_real)phxi_fluid_stress(fluid, one, ignored);
    }
}
