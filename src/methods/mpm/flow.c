// SPDX-License-Identifier: MIT
// The new deformation after a substep, and plastic flow: what of it is not elastic is forgotten.
//
// The state is the elastic part of F, with what warmth makes of it (materials/expansion.h). Metals, clay and dough flow
// by materials/plastic.h from a reference without plastic strain, so that however far they flow the numbers stay near
// one. Grains flow by materials/drucker_prager.h, on the logarithmic strain e = ln(F F^T)/2, snow by materials/snow.h
// on the principal stretches; the rotation does not matter to them and is dropped: F <- exp(e). Fluids have no F but
// what materials/fluid.h carries.
#include "methods/mpm/mpm_internal.h"

#include "math/eigen3_wide.h"

#include <string.h>

/// F <- (I + dt C) F in terms of F - I, of particles [begin, end).
static PHXI_CLONES void phxi_mpm_deform(phxi_mpm_chunk* c, phx_real dt, int begin, int end) {
    PHXI_SIMD
    for (int k = begin; k < end; ++k) {
        phx_real g[9];
        for (int n = 0; n < 9; ++n) {
            const phx_real* const row[3] = {c->c[n / 3 * 3], c->c[n / 3 * 3 + 1], c->c[n / 3 * 3 + 2]};
            g[n] = row[n % 3][k] +
                   (row[0][k] * c->g[n % 3][k] + row[1][k] * c->g[3 + n % 3][k] + row[2][k] * c->g[6 + n % 3][k]);
        }
        for (int n = 0; n < 9; ++n) {
            c->g[n][k] += dt * g[n];
        }
    }
}

/// Metals and dough. Planes that are free by now take what the law also tells.
static void flow_plastic(const phxi_plastic* law, double dt, phxi_mpm_chunk* c, int begin, int end) {
    const phxi_plastic_planes planes = {&c->g[0][begin], &c->tau[0][begin], &c->amount[begin], &c->p[0][begin],
                                        &c->p[6][begin]};
    for (int n = 0; n < 6; ++n) {
        memset(&c->tau[n][begin], 0, (size_t)(end - begin) * sizeof(phx_real));
    }
    phxi_plastic_batch(law, dt, end - begin, MPM_STRIDE, &planes);
}

/// F F^T - I = G + G^T + G G^T.
PHXI_INLINE void left_strain(const phxi_rw g[9], phxi_rw b[6]) {
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int n = 0; n < 6; ++n) {
        const phxi_rw *x = &g[3 * rows[n]], *y = &g[3 * columns[n]];
        b[n] = x[columns[n]] + y[rows[n]] + (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    }
}

/// Particles [k, k + PHXI_LANES) in their principal axes, which flow does not turn.
typedef struct principal {
    phxi_rw values[3], axes[9]; // of F F^T - I
} principal;

PHXI_INLINE void find_principal(const phxi_mpm_chunk* c, int k, size_t bytes, principal* own) {
    const phxi_rw zero = {0}, flat = zero + PHXI_R(1e-6 - 1);
    phxi_rw g[9] = {{0}}, b[6];
    for (int n = 0; n < 9; ++n) {
        memcpy(&g[n], &c->g[n][k], bytes);
    }
    left_strain(g, b);
    phxi_eigen3_wide(b, own->values, own->axes);
    for (int a = 0; a < 3; ++a) {
        own->values[a] = PHXI_SELECT((phxi_mw)(own->values[a] > flat), own->values[a], flat);
    }
}

/// F - I with these principal values.
PHXI_INLINE void store_principal(phxi_mpm_chunk* c, int k, size_t bytes, const phxi_rw values[3], const phxi_rw q[9]) {
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    phxi_rw s[6] = {{0}};
    for (int a = 0; a < 3; ++a) {
        const phxi_rw value = values[a], x = q[a], y = q[3 + a], z = q[6 + a];
        s[0] += value * x * x, s[1] += value * y * y, s[2] += value * z * z;
        s[3] += value * x * y, s[4] += value * x * z, s[5] += value * y * z;
    }
    for (int n = 0; n < 9; ++n) {
        memcpy(&c->g[n][k], &s[full[n]], bytes);
    }
}

static PHXI_CLONES void phxi_mpm_flow_grains(const phxi_drucker_prager* law, double dt, phxi_mpm_chunk* c, int begin,
                                             int end) {
    for (int k = begin; k < end; k += PHXI_LANES) {
        const size_t bytes = (size_t)(end - k < PHXI_LANES ? end - k : PHXI_LANES) * sizeof(phx_real);
        phxi_rw value[3], rest;
        phxi_grain_lanes lanes = {0};
        principal own;
        memcpy(&lanes.opening, &c->swell[k], bytes);
        find_principal(c, k, bytes, &own);
        for (int a = 0; a < 3; ++a) {
            phxi_wide_log1p(&own.values[a], &lanes.strain[a], &rest);
            lanes.strain[a] *= PHXI_R(0.5);
        }
        phxi_drucker_prager_lanes(law, dt, &lanes);
        for (int a = 0; a < 3; ++a) {
            phxi_wide_expm1(&lanes.strain[a], &value[a], &rest);
        }
        store_principal(c, k, bytes, value, own.axes);
        memcpy(&c->swell[k], &lanes.opening, bytes);
    }
}

static PHXI_CLONES void phxi_mpm_flow_snow(const phxi_snow* law, phxi_mpm_chunk* c, int begin, int end) {
    for (int k = begin; k < end; k += PHXI_LANES) {
        const size_t bytes = (size_t)(end - k < PHXI_LANES ? end - k : PHXI_LANES) * sizeof(phx_real);
        phxi_rw stretch[3], packed = {0};
        principal own;
        memcpy(&packed, &c->swell[k], bytes);
        find_principal(c, k, bytes, &own);
        for (int a = 0; a < 3; ++a) { // sqrt(1 + x) - 1
            const phxi_rw square = PHXI_R(1) + own.values[a];
            phxi_rw root;
            phxi_wide_sqrt(&square, &root);
            stretch[a] = own.values[a] / (PHXI_R(1) + root);
        }
        phxi_snow_lanes(law, stretch, &packed);
        store_principal(c, k, bytes, stretch, own.axes);
        memcpy(&c->swell[k], &packed, bytes);
    }
}

static void flow_fluid(const phxi_mpm* s, const phxi_fluid* law, phxi_mpm_chunk* c, int begin, int end) {
    const phx_real* temperature = s->step->particles->temperature;
    for (int k = begin; k < end; ++k) {
        c->temperature[k] = temperature[c->at[k]];
    }
    if (s->fixes_volume) {
        phxi_mpm_fix_volumes(s, law, c, begin, end);
    }
    const phxi_fluid_planes planes = {&c->g[0][begin], &c->c[0][begin], &c->temperature[begin], &c->swell[begin]};
    phxi_fluid_advance_batch(law, s->dt, end - begin, MPM_STRIDE, &planes);
}

static void load(const phxi_mpm* s, phxi_mpm_chunk* c, int begin, int end) {
    for (int k = begin; k < end; ++k) {
        c->amount[k] = s->field[MPM_AMOUNT][c->at[k]];
        c->swell[k] = s->field[MPM_SWELL][c->at[k]];
    }
}

static void store(const phxi_mpm* s, const phxi_mpm_chunk* c, int begin, int end) {
    for (int k = begin; k < end; ++k) {
        s->field[MPM_AMOUNT][c->at[k]] = c->amount[k];
        s->field[MPM_SWELL][c->at[k]] = c->swell[k];
    }
}

void phxi_mpm_flow(const phxi_mpm* s, phxi_mpm_chunk* c) {
    for (int begin = 0, end, body; begin < c->count; begin = end) {
        end = phxi_mpm_run(s, c, begin, &body);
        const phxi_mpm_material* material = &s->materials.items[body];
        if (material->kind != MPM_FLUID) {
            phxi_mpm_deform(c, (phx_real)s->dt, begin, end);
        }
        if (material->kind == MPM_ELASTIC) {
            continue;
        }
        load(s, c, begin, end);
        if (material->kind == MPM_PLASTIC) {
            phx_real room[MPM_STRIDE];
            const phx_real* thermal = phxi_mpm_thermal(s, c, begin, end, room);
            phxi_thermal_take(thermal, end - begin, MPM_STRIDE, &c->g[0][begin]);
            flow_plastic(&material->plastic, s->dt, c, begin, end);
            phxi_thermal_put(thermal, end - begin, MPM_STRIDE, &c->g[0][begin]);
        } else if (material->kind == MPM_GRAINS) {
            phxi_mpm_flow_grains(&material->grains, s->dt, c, begin, end);
        } else if (material->kind == MPM_SNOW) {
            phxi_mpm_flow_snow(&material->snow, c, begin, end);
        } else {
            flow_fluid(s, &material->fluid, c, begin, end);
        }
        store(s, c, begin, end);
    }
}
