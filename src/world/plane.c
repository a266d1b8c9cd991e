// SPDX-License-Identifier: MIT
// Slices: `plane: strain` and `plane: stress` of a body that is thin along one axis (docs/theory/loads.md section 4).
// Its particles keep their place along that axis by rollers; the law of one layer of particles then holds the thickness
// (strain) or leaves it free (stress). Several layers in plane strain need no law: none of them moves across. A cell
// across of a method of cells (fem) is free in its thickness where nothing holds its faces.
#include "world/world.h"

#include <stdio.h>

#define LEVEL 1e-3 // of the spacing: what counts as one layer, and as one thickness

typedef struct extent {
    double low[3], high[3];
} extent;

static extent extent_of(const phxi_samples* samples) {
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < samples->count; ++k) {
        const double x[3] = {samples->positions[k].x, samples->positions[k].y, samples->positions[k].z};
        for (int a = 0; a < 3; ++a) {
            e.low[a] = fmin(e.low[a], x[a]);
            e.high[a] = fmax(e.high[a], x[a]);
        }
    }
    return e;
}

/// The axis along which it is thinnest; -1: there are two.
static int thinnest(const extent* e, double spacing, double* thickness) {
    int axis = 0, as_thin = 0;
    for (int a = 1; a < 3; ++a) {
        axis = e->high[a] - e->low[a] < e->high[axis] - e->low[axis] ? a : axis;
    }
    *thickness = e->high[axis] - e->low[axis];
    for (int a = 0; a < 3; ++a) {
        as_thin += e->high[a] - e->low[a] < *thickness + LEVEL * spacing;
    }
    return as_thin == 1 ? axis : -1;
}

phx_result phxi_plane_find(const phx_body_def* def, const phxi_method* method, const phxi_samples* samples, int* axis) {
    *axis = -1;
    if (def->plane == PHX_SLICE_NONE) {
        return PHX_OK;
    }
    const bool strain = def->plane == PHX_SLICE_STRAIN;
    const char* kind = strain ? "strain" : "stress";
    if (method->sheet_layers == 0) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "plane: %s cannot be a slice; expected efg, elastoplastic_sph, corotated_sph, fem or "
                         "peridynamics",
                         method->name);
    }
    const extent e = extent_of(samples);
    double thickness;
    *axis = thinnest(&e, def->spacing, &thickness);
    if (*axis < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "plane is %s and its particles are as thin (%g m) along two axes, expected a body that is "
                         "thinnest along one",
                         kind, thickness);
    }
    const bool layer = thickness <= (method->sheet_layers - 1 + LEVEL) * def->spacing;
    if (!strain && !layer) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "plane is stress and its particles reach %g m along %c, expected %s (spacing %g m): several "
                         "have the thickness that their faces leave them without it",
                         thickness, 'x' + *axis, method->sheet_layers == 1 ? "one layer of them" : "one layer of cells",
                         def->spacing);
    }
    if (strain && layer && method->sheet_is_free) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "plane is strain and %s takes one layer of particles as a sheet of free thickness; expected "
                         "two layers or more, or plane: stress",
                         method->name);
    }
    return PHX_OK;
}

phx_result phxi_plane_hold(phx_world* world, const phx_body_def* def, int body, int axis) {
    const phxi_body* made = &world->bodies.items[body];
    const phxi_method* method = world->solvers.items[made->solver].method;
    if (axis < 0 || (def->plane == PHX_SLICE_STRESS && method->sheet_layers > 1)) {
        return PHX_OK; // faces of cells are free
    }
    const char word[2] = {(char)('x' + axis), 0};
    phx_driver_def hold = phx_driver_def_default();
    phx_driver_id id;
    hold.name = "plane";
    hold.body = made->name;
    hold.axes = word;
    return phx_driver_create(world, &hold, &id);
}
