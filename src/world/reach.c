// SPDX-License-Identifier: MIT
// How far the particles of a new body reach (contact/reach.h): found once, from where they stand at rest.
#include "contact/reach.h"

#include "math/vec3.h"
#include "neighbors/neighbors.h"
#include "world/world.h"

/// Less of a spacing squared is what rounding leaves, or both sides of a sheet cancel.
static const double least_area = 0.02;

static bool owns_surface(const phxi_particles* p, int i) {
    double a2 = (double)p->spacing[i] * (double)p->spacing[i];
    return phxi_length(phxi_vec3(p->area_x[i], p->area_y[i], p->area_z[i])) > least_area * a2;
}

/// Particles inside: half way to the nearest one on the surface.
static void set_reach(phxi_particles* p, int begin, const phxi_lists* lists) {
    for (int k = 0; k < lists->count; ++k) {
        int i = begin + k;
        double half = 0.5 * (double)p->spacing[i], radius = half;
        for (int64_t n = lists->start[k]; n < lists->start[k + 1] && !owns_surface(p, i); ++n) {
            int j = begin + lists->items[n];
            phx_vec3 line = phxi_vec3((double)p->x[i] - (double)p->x[j], (double)p->y[i] - (double)p->y[j],
                                      (double)p->z[i] - (double)p->z[j]);
            radius = owns_surface(p, j) ? fmin(radius, 0.5 * phxi_length(line)) : radius;
        }
        p->inset[i] = owns_surface(p, i) ? p->spacing[i] / 2 : (phx_real)(half - radius);
    }
}

phx_result phxi_world_find_reach(phx_world* world, const phxi_body* body) {
    phxi_particles* p = &world->particles;
    const phxi_touch_table* touch = world->solvers.items[body->solver].method->touch;
    int surface = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        surface += owns_surface(p, i);
    }
    if (surface == 0 || !touch || !touch->bonds || touch->rigid) {
        return PHX_OK;
    }
    phxi_search* search = NULL;
    phxi_lists lists = {0};
    PHXI_TRY(phxi_search_create(&world->heap, PHXI_SEARCH_GRID, &search));
    phxi_points points = {p->x + body->begin, p->y + body->begin, p->z + body->begin, body->count};
    phx_result result = phxi_search_pairs(search, world->pool, points, p->spacing + body->begin, 0, &lists);
    if (result == PHX_OK) {
        set_reach(p, body->begin, &lists);
    }
    phxi_lists_destroy(&world->heap, &lists);
    phxi_search_destroy(search);
    return result;
}
