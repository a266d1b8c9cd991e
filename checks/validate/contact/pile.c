// SPDX-License-Identifier: MIT
// Heaps of many small bodies: dropped into a box they come to rest and stay.
#include "validate/validate.h"

#include <phyxel/world.h>

#include "math/vec3.h"
#include "validate/dice.h"

#include <stdio.h>

static const double spacing = 0.01, cube = 0.03, pitch = 0.055; // m; 27 particles a cube

/// Cubes in layers above each other, each a little aside.
static phx_result fill(phx_world* world, int count, int side, phx_material_id material) {
    phxi_dice d = {17};
    for (int k = 0; k < count; ++k) {
        char name[24], shape[64];
        snprintf(name, sizeof name, "cube %d", k);
        snprintf(shape, sizeof shape, "box(size=(%g,%g,%g))", cube, cube, cube);
        phx_body_def body = phx_body_def_default();
        body.name = name;
        body.shape = shape;
        body.spacing = spacing;
        body.material = material;
        body.method = k % 2 ? "corotated_sph" : "efg";
        body.friction = 0.5;
        body.contact_damping = 1;
        body.translate = phxi_vec3((k % side - 0.5 * (side - 1)) * pitch + phxi_roll(&d, -0.003, 0.003),
                                   (k / side % side - 0.5 * (side - 1)) * pitch + phxi_roll(&d, -0.003, 0.003),
                                   0.03 + k / (side * side) * 0.05);
        phx_body_id id;
        PHXI_TRY(phx_body_create(world, &body, &id));
    }
    return PHX_OK;
}

static phx_result make_world(int threads, int count, int side, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.poisson = 0.3, material.density = 1000, material.damping = 10;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_collider_def box = phx_collider_def_default();
    char shape[96];
    snprintf(shape, sizeof shape, "box(center=(0,0,5),size=(%g,%g,10))", side * pitch + 0.01, side * pitch + 0.01);
    box.shape = shape;
    box.inside = true;
    box.friction = box.damping = 0.5;
    phx_collider_id collider;
    PHXI_TRY(phx_collider_create(*world, &box, &collider));
    return fill(*world, count, side, id);
}

/// Farthest that a particle is from where it was, spacings.
static double moved(const phx_world* world, const phx_vec3* was) {
    phx_particle_view v = phx_world_particles(world);
    double most = 0;
    for (int i = 0; i < v.count; ++i) {
        most = fmax(most, phxi_distance(phxi_vec3(v.x[i], v.y[i], v.z[i]), was[i]));
    }
    return most / spacing;
}

/// After `settle` s: the energy of motion over that of a fall by a spacing, and the way in the next `rest` s.
static phx_result heap_of(phxi_validation* v, int count, int side, double settle, double rest) {
    phx_world* world = NULL;
    phx_vec3* was = NULL;
    phx_totals totals;
    phx_result result = make_world(v->threads, count, side, &world);
    if (result == PHX_OK) {
        result = phx_world_step(world, settle);
    }
    if (result == PHX_OK) {
        phx_particle_view p = phx_world_particles(world);
        was = phxi_alloc(v->heap, (size_t)p.count, sizeof *was, "places");
        for (int i = 0; was && i < p.count; ++i) {
            was[i] = phxi_vec3(p.x[i], p.y[i], p.z[i]);
        }
        result = was ? phx_world_step(world, rest) : PHX_ERROR_MEMORY;
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &totals);
    }
    if (result == PHX_OK) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "%d cubes after %g s: kinetic energy over m g spacing", count,
                 settle + rest);
        phxi_validate(v, quantity, totals.kinetic / (totals.mass * 9.81 * spacing), 0, 1e-4);
        snprintf(quantity, sizeof quantity, "farthest that a particle went in the last %g s, spacings", rest);
        phxi_validate(v, quantity, moved(world, was), 0, 0.05);
    }
    phxi_free(v->heap, was);
    phx_world_destroy(world);
    return result;
}

static phx_result pile(phxi_validation* v) {
    return heap_of(v, 18, 3, 1.5, 1);
}

phx_result phxi_validate_contact_pile_full(phxi_validation* v) {
    return heap_of(v, 1000, 10, 3, 5);
}

const phxi_validation_case phxi_cases_contact_pile[] = {
    {"contact.pile", "18 cubes of 27 particles fall into a box and come to rest", pile},
    {NULL, NULL, NULL},
};
