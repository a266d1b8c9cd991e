// SPDX-License-Identifier: MIT
// One side of a body that is its own mirror image: `symmetry: [y]` holds particles on the plane y = 0 along y by a
// roller of its own, and takes off what of their area looks through the plane: that is no surface, and touches nothing.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define LEVEL 1e-3 // of the spacing: what counts as on the plane

static bool holds(const phx_body_def* def, int axis) {
    return def->symmetry && strchr(def->symmetry, 'x' + axis);
}

phx_result phxi_symmetry_check(const phx_body_def* def, const phxi_method* method, const phxi_samples* samples) {
    for (const char* at = def->symmetry ? def->symmetry : ""; *at; ++at) {
        if (*at != ' ' && (*at < 'x' || *at > 'z' || (at[1] && at[1] != ' '))) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "symmetry is '%s', expected some of x, y, z", def->symmetry);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        int on = 0;
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; holds(def, axis) && k < samples->count; ++k) {
            phx_vec3 x = samples->positions[k];
            double value = axis == 0 ? x.x : axis == 1 ? x.y : x.z;
            on += fabs(value) <= LEVEL * def->spacing;
            low = fmin(low, value), high = fmax(high, value);
        }
        if (holds(def, axis) && !method->rails) {
            return phxi_fail(PHX_ERROR_UNSUPPORTED,
                             "symmetry: %s cannot hold particles along one direction; expected "
                             "efg, elastoplastic_sph, corotated_sph, fem or peridynamics",
                             method->name);
        }
        if (holds(def, axis) && on == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "symmetry: no particle is on the plane %c = 0 (they are from %g to %g m); put the body at "
                             "it, with a sampling that has particles on the surface, such as conforming",
                             'x' + axis, low, high);
        }
        if (holds(def, axis) && fmin(-low, high) > LEVEL * def->spacing) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "symmetry: particles are on both sides of the plane %c = 0, from %g to %g m, expected one "
                             "side of the body",
                             'x' + axis, low, high);
        }
    }
    return PHX_OK;
}

static void close_plane(phxi_particles* p, const phxi_body* body, int axis) {
    phx_real* const area[3] = {p->area_x, p->area_y, p->area_z};
    const phx_real* const rest[3] = {p->rest_x, p->rest_y, p->rest_z};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        bool on = fabs((double)rest[axis][i]) <= LEVEL * (double)p->spacing[i];
        if (on) { // what lay in the plane is no surface any more
            p->surface[i] = (phx_real)fmax(0, (double)p->surface[i] - fabs((double)area[axis][i]));
            area[axis][i] = 0;
        }
    }
}

phx_result phxi_symmetry_hold(phx_world* world, const phx_body_def* def, int body) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!holds(def, axis)) {
            continue;
        }
        char name[64], region[128], word[2] = {(char)('x' + axis), 0};
        snprintf(name, sizeof name, "symmetry_%s", word);
        const double wide = 1e12, thin = 2 * LEVEL * def->spacing;
        snprintf(region, sizeof region, "box(center=(0,0,0), size=(%.17g,%.17g,%.17g))", axis == 0 ? thin : wide,
                 axis == 1 ? thin : wide, axis == 2 ? thin : wide);
        phx_driver_def hold = phx_driver_def_default();
        phx_driver_id id;
        hold.name = name;
        hold.body = world->bodies.items[body].name;
        hold.region = region;
        hold.axes = word;
        PHXI_TRY(phx_driver_create(world, &hold, &id));
        close_plane(&world->particles, &world->bodies.items[body], axis);
    }
    return PHX_OK;
}
