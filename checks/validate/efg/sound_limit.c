// SPDX-License-Identifier: MIT
// Slower sound for what breaks (materials/sound.h, docs/theory/fracture.md section 7): a rod of glass flies away from
// its held end, at 0 < x < 2 cm, which sends a wave of tension through it. Against the real stiffness, in times and
// stresses of the slowed body: the wave is as high over the strength, and what breaks leaves as much energy.
#include "materials/sound.h"
#include "methods/efg/fracture/fracture.h"
#include "validate/efg/efg.h"
#include "world/world.h"

#include <stdio.h>

#define LENGTH 0.24 // m
#define WIDTH  0.04
#define ACROSS 8.0 // how often sound passes the rod

typedef struct rod_result {
    double stress; // largest so far, over the strength
    double energy; // kinetic and elastic at the end, over that at the start
    int pieces;    // of a sixteenth of it and more
} rod_result;

/// `load`: density * sound * speed over the strength of the real material.
static phx_result make_rod(phxi_validation* v, double sound_limit, double load, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    const phx_preset* glass;
    PHXI_TRY(phx_preset_find("glass", &glass));
    phx_material_def material = glass->def;
    material.sound_limit = sound_limit;
    material.slowed_for = PHX_SLOWED_FOR_WAVES;
    material.toughness = 0;
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &material, &body.material));
    char shape[96];
    snprintf(shape, sizeof shape, "box(center=(%g, 0, 0), size=(%g, %g, %g))", LENGTH / 2, LENGTH, WIDTH, WIDTH);
    body.shape = shape;
    body.spacing = 0.01;
    body.sampling = PHX_SAMPLING_UNIFORM; // light particles on edges ring up to the strength: which crack is chance
    body.velocity.x = load * material.strength / (material.density * phxi_sound_speed(&material));
    phx_body_id id;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    phx_driver_def grip = phx_driver_def_default();
    grip.kind = PHX_DRIVER_PIN;
    grip.region = "plane(point=(0.02, 0, 0), normal=(1, 0, 0))";
    phx_driver_id driver;
    return phx_driver_create(*world, &grip, &driver);
}

static int count_pieces(const phx_world* world) {
    const phxi_efg* efg = world->solvers.items[0].state;
    const phxi_efg_fracture* f = efg->slots.items[0].fracture;
    int count = 0;
    for (int k = 0; k < f->fragment_size.count; ++k) {
        count += 16 * f->fragment_size.items[k] >= f->count;
    }
    return count;
}

static phx_result pull_rod(phxi_validation* v, double sound_limit, double load, rod_result* r) {
    enum { LOOKS = 80 };
    phx_world* world = NULL;
    phx_result result = make_rod(v, sound_limit, load, &world);
    phx_totals first = {0}, now = {0};
    for (int k = 0; k <= LOOKS && result == PHX_OK; ++k) {
        const phx_material_def* m = &world->bodies.items[0].material;
        result = k > 0 ? phx_world_step(world, ACROSS * LENGTH / phxi_sound_speed(m) / LOOKS) : PHX_OK;
        if (result == PHX_OK) {
            result = phx_world_measure(world, &now);
        }
        first = k == 0 ? now : first;
        r->stress = fmax(r->stress, now.max_stress / m->strength);
    }
    if (result == PHX_OK) {
        r->energy = (now.kinetic + now.elastic) / (first.kinetic + first.elastic);
        r->pieces = count_pieces(world);
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_validate_sound_limit(phxi_validation* v) {
    static const double limits[3] = {0, 1000, 100}; // m/s; that of glass is 5578
    for (int hard = 0; hard < 2; ++hard) {
        rod_result real = {0};
        for (int k = 0; k < 3; ++k) {
            rod_result r = {0};
            char what[96];
            PHXI_TRY(pull_rod(v, limits[k], hard ? 2 : 0.6, &r));
            real = k == 0 ? r : real;
            if (k == 0) {
                continue;
            }
            if (!hard) { // beside cracks rows of few bonds have stresses that mean nothing
                snprintf(what, sizeof what, "largest stress over strength, whole, %g m/s over real", limits[k]);
                phxi_validate(v, what, r.stress / real.stress, 1, 0.02);
            }
            snprintf(what, sizeof what, "energy left over that at the start, %s, %g m/s less real",
                     hard ? "breaks" : "whole", limits[k]);
            phxi_validate(v, what, r.energy - real.energy, 0, 0.02);
            snprintf(what, sizeof what, "pieces, %s, %g m/s", hard ? "breaks" : "whole", limits[k]);
            phxi_validate(v, what, r.pieces, real.pieces, 0);
        }
    }
    return PHX_OK;
}
