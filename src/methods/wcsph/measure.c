// SPDX-License-Identifier: MIT
// What can be said of a fluid: energy of its compression, forces, fields to show. Densities and pressures are of the
// beginning of the last substep.
#include "methods/wcsph/wcsph_internal.h"

enum { TAIT = 7 };

double phxi_wcsph_pressure(const phxi_wcsph_body* body, double compression) {
    double stiffness = body->density * body->sound * body->sound;
    if (!(compression > 0)) {
        return compression <= 0 ? 0 : compression; // NaN stays
    }
    if (body->equation == WCSPH_TAIT) {
        double ratio = 1 + compression, cube = ratio * ratio * ratio;
        return stiffness / TAIT * (cube * cube * ratio - 1);
    }
    return stiffness * compression;
}

/// Integral of p / rho^2 from rest on, J/kg.
static double energy_of(const phxi_wcsph_body* body, double compression) {
    if (!(compression > 0)) {
        return 0;
    }
    double ratio = 1 + compression, square = body->sound * body->sound;
    if (body->equation == WCSPH_TAIT) {
        double cube = ratio * ratio * ratio;
        return square / TAIT * (cube * cube / (TAIT - 1) + 1 / ratio - TAIT / (TAIT - 1.0));
    }
    return square * (log1p(compression) - compression / ratio);
}

static phxi_wcsph_body body_of(const phxi_wcsph* s, const phxi_body* body) {
    return (phxi_wcsph_body){.kind = WCSPH_FLUID,
                             .density = body->material.density,
                             .sound = phxi_wcsph_sound_of(s, body),
                             .equation = phxi_wcsph_params_of(body)->equation};
}

void phxi_wcsph_measure(void* state, phxi_step* step, int index, const uint8_t* selected, phx_totals* totals) {
    const phxi_body* body = &step->bodies[index];
    phxi_wcsph_body law = body_of(state, body);
    const phx_real* compression = phxi_wcsph_field(step, WCSPH_COMPRESSION);
    phx_real* const* a = step->particles->acceleration;
    for (int k = 0; k < body->count; ++k) {
        int i = body->begin + k;
        if (selected && !selected[k]) {
            continue;
        }
        double mass = (double)step->particles->mass[i], s = (double)compression[i];
        totals->elastic += mass * energy_of(&law, s);
        totals->force = phxi_add_scaled(totals->force, mass, phxi_vec3(a[0][i], a[1][i], a[2][i]));
        totals->min_det = fmin(totals->min_det, 1 / (1 + s));
    }
}

const phxi_derived_field phxi_wcsph_derived[WCSPH_DERIVED_COUNT] = {
    {"density", "kg/m^3", "of fluids", 1},
    {"pressure", "Pa", "of fluids", 1},
    {"viscosity", "Pa s", "of fluids, at their shear rate and temperature", 1},
    {"shear_rate", "1/s", "of fluids whose viscosity depends on it", 1},
};

void phxi_wcsph_derive(void* state, phxi_step* step, int index, int field, phx_real* values) {
    const phxi_body* body = &step->bodies[index];
    phxi_wcsph_body law = body_of(state, body);
    const phx_real* compression = phxi_wcsph_field(step, WCSPH_COMPRESSION);
    const phx_real* as_it_is = phxi_wcsph_field(step, field == 2 ? WCSPH_VISCOSITY : WCSPH_SHEAR_RATE);
    for (int k = 0; k < body->count; ++k) {
        double s = (double)compression[body->begin + k];
        values[k] = field == 0   ? (phx_real)(law.density * (1 + s))
                    : field == 1 ? (phx_real)phxi_wcsph_pressure(&law, s)
                                 : as_it_is[body->begin + k];
    }
}
