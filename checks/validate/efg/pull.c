// SPDX-License-Identifier: MIT
// A hardening bar pulled to 2.5 times its length between grips, let go, with and without particles that split.
//
// Exact values: a bar under uniaxial stress is in one state everywhere away from its grips, so its force and what stays
// of its length are those of one point of the material, led to the same stretch in small steps while its sides stay
// free of stress. The stretch is what the middle of the bar has, by a straight line through rest and current positions;
// how far particles are from that line tells whether they have fallen into lumps. The last bar gets new references on
// its way, which takes neighbourhoods that follow the stretch: with round ones it tears.
#include "validate/efg/efg.h"

#include "materials/plastic.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SPACING 0.025
#define LENGTH  0.5
#define WIDTH   0.1
#define GRIP    0.05
#define STEPS   2000

/// One point of the material under uniaxial stress.
typedef struct point {
    phxi_plastic plastic;
    phxi_elastic elastic;
    double along, across; // stretches
    phxi_sym3 strain;
    double amount;
    double stress; // force over the area at rest, Pa
} point;

/// Stresses along and across after flow at F = diag(along, across, across); `p` becomes the state if it is kept.
static double side_stress(point* p, double along, double across) {
    const phxi_mat3 f = {{{along, 0, 0}, {0, across, 0}, {0, 0, across}}};
    phxi_mat3 part, map, stress;
    phxi_plastic_flow(&p->plastic, &f, 1, &p->strain, &p->amount);
    double weight = phxi_plastic_split(&p->strain, &f, &part, &map);
    phxi_elastic_stress(&p->elastic, &part, &stress);
    p->along = along, p->across = across;
    p->stress = weight * stress.m[0][0] * map.m[0][0];
    return stress.m[1][1];
}

/// Leads the point to a stretch; sides are found by halving.
static void lead(point* p, double stretch) {
    double from = p->along;
    for (int k = 1; k <= STEPS; ++k) {
        double along = from + (stretch - from) * k / STEPS, low = 0.98 * p->across, high = 1.02 * p->across;
        for (int halving = 0; halving < 50; ++halving) {
            point trial = *p;
            double middle = (low + high) / 2;
            if (side_stress(&trial, along, middle) > 0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        side_stress(p, along, (low + high) / 2);
    }
}

static phx_material_def taffy(double hardening) {
    phx_material_def m = phx_material_def_default();
    m.young = 1e5;
    m.density = 1000;
    m.poisson = 0.3;
    m.law = PHX_LAW_STVK;
    m.yield = 0.05;
    m.hardening = hardening;
    m.damping = 10;
    return m;
}

typedef struct bar {
    const char* name;
    double hardening;
    phx_setting settings[3];
    int setting_count;
} bar;

static phx_result make_bar(phxi_validation* v, const bar* b, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def stuff = taffy(b->hardening);
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &stuff, &material));
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%g, %g, %g))", LENGTH, WIDTH, WIDTH);
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = SPACING;
    body.material = material;
    body.settings = b->settings;
    body.setting_count = b->setting_count;
    phx_body_id id;
    return phx_body_create(*world, &body, &id);
}

/// A grip at each end; from now on the one at the right moves by `way` in a second.
static phx_result grip(phx_world* world, double way, phx_driver_id grips[2]) {
    for (int k = 0; k < 2; ++k) {
        char region[96];
        snprintf(region, sizeof region, "box(center=(%g, 0, 0), size=(%g, 1, 1))", (k - 0.5) * LENGTH, 2 * GRIP);
        phx_driver_def driver = phx_driver_def_default();
        driver.kind = k ? PHX_DRIVER_MOVE : PHX_DRIVER_PIN;
        driver.region = region;
        driver.vector.x = k * way;
        driver.start = world->time;
        driver.ramp = 1;
        PHXI_TRY(phx_driver_create(world, &driver, &grips[k]));
    }
    return PHX_OK;
}

static phx_result let_go(phx_world* world, phx_driver_id grips[2]) {
    for (int k = 0; k < 2; ++k) {
        PHXI_TRY(phx_driver_destroy(world, grips[k]));
    }
    return PHX_OK;
}

/// Stretch of the middle half, and how far from even it is, over the distance of layers.
static double middle_stretch(const phx_world* world, double* uneven) {
    const phxi_particles* p = &world->particles;
    double n = 0, rest = 0, now = 0, rr = 0, rn = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < p->count; ++i) {
            double r = (double)p->rest_x[i] - (pass ? rest : 0), x = (double)p->x[i] - (pass ? now : 0);
            if (fabs((double)p->rest_x[i]) < LENGTH / 4) {
                n += !pass, rr += pass ? r * r : 0, rn += pass ? r * x : 0;
                rest += pass ? 0 : r, now += pass ? 0 : x;
            }
        }
        rest /= pass ? 1 : n, now /= pass ? 1 : n;
    }
    double stretch = rn / rr;
    *uneven = 0;
    for (int i = 0; i < p->count; ++i) {
        if (fabs((double)p->rest_x[i]) < LENGTH / 4) {
            double off = (double)p->x[i] - now - stretch * ((double)p->rest_x[i] - rest);
            *uneven = fmax(*uneven, fabs(off) / (stretch * SPACING));
        }
    }
    return stretch;
}

/// What the bar pulls the right grip back with, N.
static double pull_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    const phx_real* a = p->acceleration[0];
    double force = 0;
    for (int i = 0; i < p->count; ++i) {
        force -= p->fixed[i] && p->rest_x[i] > 0 ? (double)p->mass[i] * (double)a[i] : 0;
    }
    return force;
}

static phx_result pull(phxi_validation* v, phx_world* world, const bar* b) {
    const char* name = b->name;
    phx_driver_id grips[2];
    PHXI_TRY(grip(world, 1.5 * (LENGTH - 2 * GRIP), grips));
    PHXI_TRY(phx_world_step(world, 1.3));
    phx_material_def stuff = taffy(b->hardening);
    point exact = {.plastic = phxi_plastic_from(&stuff), .elastic = phxi_elastic_from(&stuff), .along = 1, .across = 1};
    double uneven, stretch = middle_stretch(world, &uneven), force = pull_of(world);
    lead(&exact, stretch);
    char quantity[96];
    snprintf(quantity, sizeof quantity, "stretch of the middle, %s", name);
    phxi_validate(v, quantity, stretch, 2.6, 0.15); // 2.5 in the mean, less beside the grips
    snprintf(quantity, sizeof quantity, "off its place over the distance of layers, %s", name);
    phxi_validate(v, quantity, uneven, 0, 0.1);
    snprintf(quantity, sizeof quantity, "force at this stretch, N, %s", name);
    phxi_validate_relative(v, quantity, force, exact.stress * WIDTH * WIDTH, 0.02);
    // back most of the way before it is let go: it would snap together otherwise
    double stays = sqrt(1 + 2 * exact.strain.xx);
    PHXI_TRY(let_go(world, grips));
    PHXI_TRY(grip(world, 0.95 * (stays - stretch) * (LENGTH - 2 * GRIP), grips));
    PHXI_TRY(phx_world_step(world, 1.1));
    PHXI_TRY(let_go(world, grips));
    PHXI_TRY(phx_world_step(world, 0.5));
    snprintf(quantity, sizeof quantity, "stretch that stays, %s", name);
    phxi_validate_relative(v, quantity, middle_stretch(world, &uneven), stays, 0.02);
    return PHX_OK;
}

phx_result phxi_validate_pulled_bar(phxi_validation* v) {
    static const bar bars[] = {
        {"whole particles", 1, {{"adaptive", "off"}}, 1},
        {"split", 1, {{"adaptive", "on"}, {"adaptive_stretch", "1.8"}, {"adaptive_limit", "4"}}, 3},
        {"new references", 0.5, {{"reset_strain", "0.5"}}, 1},
    };
    for (int k = 0; k < 3; ++k) {
        phx_world* world = NULL;
        phx_result result = make_bar(v, &bars[k], &world);
        int before = result == PHX_OK ? world->particles.count : 0;
        if (result == PHX_OK) {
            result = pull(v, world, &bars[k]);
        }
        if (result == PHX_OK && k == 1) {
            // all but those in the grips, and those that do not stretch beside them
            phxi_validate(v, "particles over those at the start", (double)world->particles.count / before, 1.8, 0.1);
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
