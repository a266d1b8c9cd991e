// SPDX-License-Identifier: MIT
// Plastic flow after a substep: what of the deformation is not elastic is forgotten.
//
// The state is the elastic part of F alone. Metals, clay and dough flow by materials/plastic.h from a reference without
// plastic strain, so that however far they flow the numbers stay near one. Grains flow by materials/drucker_prager.h,
// on the logarithmic strain e = ln(F F^T)/2; the rotation does not matter to them and is dropped: F <- exp(e).
#include "methods/mpm/mpm_internal.h"

#include "materials/drucker_prager.h"
#include "materials/plastic.h"
#include "math/eigen3_wide.h"

#include <string.h>

phx_result phxi_mpm_check_flow(const phx_material_def* def) {
    if (def->volumetric && def->yield > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "volumetric is true, expected false: flow in mpm keeps the volume");
    }
    if (phxi_drucker_prager_is(def) && def->stiffening > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "stiffening is %g, expected 0: mpm does not have it", def->stiffening);
    }
    return PHX_OK;
}

phxi_elastic phxi_mpm_elastic(const phxi_body* body) {
    phxi_elastic elastic = body->elastic;
    elastic.law = phxi_drucker_prager_is(&body->material) ? PHX_LAW_HENCKY : elastic.law; // grains are Hencky's
    return elastic;
}

/// Metals and dough. Planes that are free by now take what the law also tells.
static void flow_plastic(const phxi_mpm* s, const phxi_body* body, phxi_mpm_chunk* c, int begin, int end) {
    const phxi_plastic law = phxi_plastic_from(&body->material);
    const phxi_plastic_planes planes = {&c->g[0][begin], &c->tau[0][begin], &c->amount[begin], &c->p[0][begin],
                                        &c->p[6][begin]};
    for (int n = 0; n < 6; ++n) {
        memset(&c->tau[n][begin], 0, (size_t)(end - begin) * sizeof(phx_real));
    }
    phxi_plastic_batch(&law, s->dt, end - begin, MPM_STRIDE, &planes);
}

/// F F^T - I = G + G^T + G G^T.
PHXI_INLINE void left_strain(const phxi_rw g[9], phxi_rw b[6]) {
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int n = 0; n < 6; ++n) {
        const phxi_rw *x = &g[3 * rows[n]], *y = &g[3 * columns[n]];
        b[n] = x[columns[n]] + y[rows[n]] + (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    }
}

/// The law in the principal axes of as many particles as there are lanes, which flow does not turn.
static PHXI_CLONES void phxi_mpm_flow_grains(const phxi_drucker_prager* law, double dt, phxi_mpm_chunk* c, int begin,
                                             int end) {
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = begin; k < end; k += PHXI_LANES) {
        const size_t bytes = (size_t)(end - k < PHXI_LANES ? end - k : PHXI_LANES) * sizeof(phx_real);
        const phxi_rw zero = {0}, flat = zero + PHXI_R(1e-6 - 1);
        phxi_rw g[9] = {{0}}, b[6], values[3], q[9], rest;
        phxi_grain_lanes lanes = {0};
        for (int n = 0; n < 9; ++n) {
            memcpy(&g[n], &c->g[n][k], bytes);
        }
        memcpy(&lanes.opening, &c->swell[k], bytes);
        left_strain(g, b);
        phxi_eigen3_wide(b, values, q);
        for (int a = 0; a < 3; ++a) {
            const phxi_rw value = PHXI_SELECT((phxi_mw)(values[a] > flat), values[a], flat);
            phxi_wide_log1p(&value, &lanes.strain[a], &rest);
            lanes.strain[a] *= PHXI_R(0.5);
        }
        phxi_drucker_prager_lanes(law, dt, &lanes);
        phxi_rw s[6] = {{0}};
        for (int a = 0; a < 3; ++a) {
            phxi_rw value;
            phxi_wide_expm1(&lanes.strain[a], &value, &rest);
            const phxi_rw x = q[a], y = q[3 + a], z = q[6 + a];
            s[0] += value * x * x, s[1] += value * y * y, s[2] += value * z * z;
            s[3] += value * x * y, s[4] += value * x * z, s[5] += value * y * z;
        }
        for (int n = 0; n < 9; ++n) {
            memcpy(&c->g[n][k], &s[full[n]], bytes);
        }
        memcpy(&c->swell[k], &lanes.opening, bytes);
    }
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
    const phxi_particles* p = s->step->particles;
    for (int begin = 0, end; begin < c->count; begin = end) {
        const phxi_body* body = &s->step->bodies[p->body[c->at[begin]]];
        for (end = begin + 1; end < c->count && &s->step->bodies[p->body[c->at[end]]] == body;) {
            ++end;
        }
        bool grains = phxi_drucker_prager_is(&body->material);
        if (!grains && !(body->material.yield > 0)) {
            continue;
        }
        load(s, c, begin, end);
        if (grains) {
            const phxi_drucker_prager law = phxi_drucker_prager_from(&body->material);
            phxi_mpm_flow_grains(&law, s->dt, c, begin, end);
        } else {
            flow_plastic(s, body, c, begin, end);
        }
        store(s, c, begin, end);
    }
}
