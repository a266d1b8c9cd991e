// SPDX-License-Identifier: MIT
// A column of fluid is let go in a tank, sloshes and comes to rest: it stands as high as its volume over the tank's
// area says, 0.2 x 0.24 / 0.48 = 0.1 m, and nothing of it is in the colliders.
#include "validate/mpm/trial.h"

#include <math.h>
#include <stdio.h>

#define LENGTH 0.48
#define WIDTH  0.04
#define LEVEL  0.1

static phx_result add_box(phx_world* world, const char* shape) {
    phx_collider_def box = phx_collider_def_default();
    phx_collider_id id;
    box.shape = shape;
    box.friction = 0;
    return phx_collider_create(world, &box, &id);
}

/// Planes of symmetry all around, or floor and ends of boxes, which are colliders.
static phx_result add_tank(phx_world* world, bool boxes) {
    PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(0, 0, 0), phxi_vec3(0, 1, 0)));
    PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(0, WIDTH, 0), phxi_vec3(0, -1, 0)));
    if (boxes) {
        PHXI_TRY(add_box(world, "difference(box(center=(0.24,0,0.3),size=(0.88,1,1)),"
                                "box(center=(0.24,0,1),size=(0.48,2,2)))"));
        return PHX_OK;
    }
    PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 1)));
    PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(0, 0, 0), phxi_vec3(1, 0, 0)));
    return phxi_mpm_trial_plane(world, phxi_vec3(LENGTH, 0, 0), phxi_vec3(-1, 0, 0));
}

typedef struct level_row {
    double viscosity, time; // Pa s, s
    bool boxes;
    const char* volume;
    double bound, motion; // of the level over the exact one, and of kinetic over potential energy
} level_row;

/// Twice the height of the centre, less what swings lift it: as much energy as is in their motion.
static phx_result find_level(phxi_validation* v, const level_row* row, double* level, double* deepest, double* motion) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def stuff = phx_material_def_default();
    const phx_setting settings[] = {{"boundary", "mirror"}, {"volume", row->volume}};
    phx_totals totals = {0};
    stuff.fluid = true, stuff.viscosity = row->viscosity;
    def.threads = v->threads;
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? add_tank(world, row->boxes) : result;
    result = result == PHX_OK ? phxi_mpm_trial_body(world, &stuff, "box(center=(0.1,0.02,0.12),size=(0.2,0.04,0.24))",
                                                    0.01, settings, 2)
                              : result;
    result = result == PHX_OK ? phx_world_step(world, row->time) : result;
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    double mass = 0, most = 0;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        const double x = (double)world->particles.x[i], z = (double)world->particles.z[i];
        mass += (double)world->particles.mass[i];
        most = fmax(most, fmax(-z, fmax(-x, x - LENGTH)));
    }
    *level = 2 * (totals.potential - totals.kinetic) / (9.81 * mass);
    *deepest = most;
    *motion = totals.kinetic / totals.potential;
    phx_world_destroy(world);
    return result;
}

static phx_result levels(phxi_validation* v, const level_row* rows, int count) {
    for (int n = 0; n < count; ++n) {
        double level, deepest, motion;
        char quantity[128];
        PHXI_TRY(find_level(v, &rows[n], &level, &deepest, &motion));
        const char* tank = rows[n].boxes ? "obstacles" : "planes";
        snprintf(quantity, sizeof quantity, "level of a fluid of %g Pa s after %g s, m, %s", rows[n].viscosity,
                 rows[n].time, tank);
        phxi_validate_relative(v, quantity, level, LEVEL, rows[n].bound);
        snprintf(quantity, sizeof quantity, "how deep it is in them, cells, %s", tank);
        phxi_validate(v, quantity, deepest / 0.02, 0, 0.1);
        snprintf(quantity, sizeof quantity, "its kinetic over its potential energy, %s", tank);
        phxi_validate(v, quantity, motion, 0, rows[n].motion);
    }
    return PHX_OK;
}

static phx_result level_of_oil(phxi_validation* v) {
    static const level_row rows[] = {{10, 1.2, true, "kept", 0.02, 0.05}};
    return levels(v, rows, sizeof rows / sizeof rows[0]);
}

static phx_result level_of_water(phxi_validation* v) {
    static const level_row rows[] = {{0.001, 12, false, "kept", 0.02, 0.04}, {0.001, 12, true, "kept", 0.02, 0.04}};
    return levels(v, rows, sizeof rows / sizeof rows[0]);
}

const phxi_validation_case phxi_cases_mpm_level[] = {
    {"mpm.level", "a column of oil comes to rest in a tank", level_of_oil},
    {"mpm.level_full", "water sloshes for 12 s in it", level_of_water},
    {NULL, NULL, NULL},
};
