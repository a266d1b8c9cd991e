// SPDX-License-Identifier: MIT
// What can be said of grains: elastic energy, forces, fields to show. Stress is of the beginning of the last substep,
// without damping and springs.
#include "methods/granular/granular_internal.h"

/// The stress of the law at an elastic strain that has been returned already.
static phxi_sym3 stress_at(const phxi_drucker_prager* law, phx_real* const e[6], int i, double* trace) {
    phxi_sym3 strain = {e[0][i], e[1][i], e[2][i], e[3][i], e[4][i], e[5][i]}, stress;
    double opening = 0;
    *trace = strain.xx + strain.yy + strain.zz;
    phxi_drucker_prager as_it_is = *law;
    as_it_is.creep = as_it_is.relaxation = as_it_is.softening = 0;
    as_it_is.a = as_it_is.cut = INFINITY; // no yield
    phxi_drucker_prager_return(&as_it_is, 0, &strain, &opening, &stress);
    return stress;
}

static void bind(phxi_step* step, phx_real* e[6]) {
    for (int k = 0; k < 6; ++k) {
        e[k] = phxi_granular_field(step, GRANULAR_STRAIN + k);
    }
}

static double von_mises(const phxi_sym3* s) {
    double third = (s->xx + s->yy + s->zz) / 3, x = s->xx - third, y = s->yy - third, z = s->zz - third;
    return sqrt(1.5 * (x * x + y * y + z * z) + 3 * (s->xy * s->xy + s->xz * s->xz + s->yz * s->yz));
}

void phxi_granular_measure(void* state, phxi_step* step, int index, const uint8_t* selected, phx_totals* totals) {
    const phxi_body* body = &step->bodies[index];
    phxi_granular_body made = phxi_granular_describe(body);
    phx_real *e[6], *const *a = step->particles->acceleration;
    (void)state;
    bind(step, e);
    for (int k = 0; k < body->count; ++k) {
        int i = body->begin + k;
        if (selected && !selected[k]) {
            continue;
        }
        double trace;
        phxi_sym3 s = stress_at(&made.law, e, i, &trace);
        double work = s.xx * (double)e[0][i] + s.yy * (double)e[1][i] + s.zz * (double)e[2][i] +
                      2 * (s.xy * (double)e[3][i] + s.xz * (double)e[4][i] + s.yz * (double)e[5][i]);
        totals->elastic += 0.5 * work * (double)step->particles->volume[i];
        totals->force =
            phxi_add_scaled(totals->force, (double)step->particles->mass[i], phxi_vec3(a[0][i], a[1][i], a[2][i]));
        totals->min_det = fmin(totals->min_det, exp(trace));
        totals->max_stress = fmax(totals->max_stress, von_mises(&s));
    }
}

const phxi_derived_field phxi_granular_derived[GRANULAR_DERIVED_COUNT] = {
    {"pressure", "Pa", "of grains", 1},
    {"von_mises", "Pa", "equivalent stress", 1},
    {"opening", "", "volume strain of grains that have come apart", 1},
};

void phxi_granular_derive(void* state, phxi_step* step, int index, int field, phx_real* values) {
    const phxi_body* body = &step->bodies[index];
    phxi_granular_body made = phxi_granular_describe(body);
    const phx_real* opening = phxi_granular_field(step, GRANULAR_OPENING);
    phx_real* e[6];
    (void)state;
    bind(step, e);
    for (int k = 0; k < body->count; ++k) {
        double trace;
        phxi_sym3 s = stress_at(&made.law, e, body->begin + k, &trace);
        values[k] = field == 0   ? (phx_real)(-(s.xx + s.yy + s.zz) / 3)
                    : field == 1 ? (phx_real)von_mises(&s)
                                 : opening[body->begin + k];
    }
}
