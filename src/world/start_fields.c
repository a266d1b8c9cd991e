// SPDX-License-Identifier: MIT
// What a body begins with from place to place: formulas of where each particle starts, for velocity and temperature.
#include "world/world.h"

#include "core/expression.h"

static const char* const names[] = {"x", "y", "z"};

typedef struct place {
    double at[3];
} place;

static place place_of(const phxi_particles* p, int i) {
    return (place){{(double)p->rest_x[i], (double)p->rest_y[i], (double)p->rest_z[i]}};
}

static phx_result fail_at(const char* what, const place* x) {
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s is not finite at (%g, %g, %g) m", what, x->at[0], x->at[1], x->at[2]);
}

static phx_result add_velocities(phxi_particles* p, const phxi_body* body, phxi_expression* const field[3]) {
    phx_real* const v[3] = {p->vx, p->vy, p->vz};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        place x = place_of(p, i);
        for (int k = 0; k < 3; ++k) {
            v[k][i] += (phx_real)phxi_expression_value(field[k], x.at);
            if (!isfinite((double)v[k][i])) {
                return fail_at("velocity_field", &x);
            }
        }
    }
    return PHX_OK;
}

phx_result phxi_start_velocities(phxi_heap* heap, phxi_particles* p, const phxi_body* body, const char* text) {
    phxi_expression* field[3];
    if (!text || !text[0]) {
        return PHX_OK;
    }
    phx_result result = phxi_expression_parse_vector(heap, text, names, 3, field);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "velocity_field");
    }
    result = add_velocities(p, body, field);
    for (int k = 0; k < 3; ++k) {
        phxi_expression_destroy(heap, field[k]);
    }
    return result;
}

phx_result phxi_start_temperature_parse(phxi_heap* heap, const char* text, phxi_expression** field) {
    *field = NULL;
    phx_result result = text && text[0] ? phxi_expression_parse(heap, text, names, 3, field) : PHX_OK;
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "temperature_field");
}

double phxi_start_temperature(const phxi_expression* field, phx_vec3 position) {
    const double at[3] = {position.x, position.y, position.z};
    return field ? phxi_expression_value(field, at) : 0;
}
