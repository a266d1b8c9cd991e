// SPDX-License-Identifier: MIT
// Particles that split: what must not change at a split, and what gets better by it. Equations: docs/theory/efg.md
// (13).
#include "validate/block.h"
#include "validate/efg/efg.h"

#include "core/hash.h"
#include "math/decompose3.h"

#include <math.h>
#include <stdio.h>

// A free bar whose ends fly apart while it turns: stretched about threefold within `time`.
static phx_result make_bar(phxi_validation* v, bool adaptive, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def stuff = phx_material_def_default();
    stuff.young = 2e4;
    stuff.density = 1000;
    stuff.poisson = 0.3;
    stuff.law = PHX_LAW_NEO_HOOKEAN;
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &stuff, &material));
    phx_setting settings[3] = {
        {"adaptive", adaptive ? "on" : "off"}, {"adaptive_limit", "4"}, {"adaptive_stretch", "1.6"}};
    phx_body_def body = phx_body_def_default();
    body.shape = "box(size=(1.6, 0.4, 0.4))";
    body.spacing = 0.1;
    body.material = material;
    body.settings = settings;
    body.setting_count = 3;
    phx_body_id id;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    PHXI_TRY(phx_body_set_velocity(*world, id, (phx_vec3){0.3, -0.2, 0.1}, (phx_vec3){0.5, 1, 2}));
    phxi_particles* p = &(*world)->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] += 16 * p->rest_x[i];
        p->vy[i] += (phx_real)(0.2 * (2 * phxi_hash_unit((uint64_t)i) - 1));
    }
    return PHX_OK;
}

typedef struct balance {
    double mass, energy, moments, impulses;
    phx_vec3 momentum, angular, center; // center: sum of m x
} balance;

static phx_result take_balance(phx_world* world, balance* b) {
    phx_totals totals;
    PHXI_TRY(phx_world_measure(world, &totals));
    const phxi_particles* p = &world->particles;
    *b = (balance){.energy = totals.kinetic + totals.elastic};
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->mass[i];
        phx_vec3 x = phxi_particles_place(p, i);
        phx_vec3 u = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        b->mass += m;
        b->momentum = phxi_add_scaled(b->momentum, m, u);
        b->angular = phxi_add_scaled(b->angular, m, phxi_cross(x, u));
        b->center = phxi_add_scaled(b->center, m, x);
        b->moments += m * phxi_length(x) * phxi_length(u);
        b->impulses += m * phxi_length(u);
    }
    return PHX_OK;
}

typedef struct worst {
    double mass, momentum, angular, center, energy;
    int splits; // substeps with some
} worst;

static void compare(const balance* a, const balance* b, double dt, worst* w) {
    phx_vec3 expected = phxi_add_scaled(a->center, dt, a->momentum);
    w->mass = fmax(w->mass, fabs(b->mass - a->mass) / a->mass);
    w->momentum = fmax(w->momentum, phxi_distance(b->momentum, a->momentum) / a->impulses);
    w->angular = fmax(w->angular, phxi_distance(b->angular, a->angular) / a->moments);
    w->center = fmax(w->center, phxi_distance(b->center, expected) / a->mass);
    w->energy = fmax(w->energy, (b->energy - a->energy) / a->energy);
    ++w->splits;
}

// Runs for a while; what changes in substeps in which particles split.
static phx_result pull(phx_world* world, double time, worst* w) {
    *w = (worst){0};
    while (world->time < time) {
        phx_dt_info dt;
        balance before, after;
        int count = world->particles.count;
        PHXI_TRY(phx_world_dt(world, &dt));
        PHXI_TRY(take_balance(world, &before));
        PHXI_TRY(phx_world_substep(world, dt.dt));
        if (world->particles.count != count) {
            PHXI_TRY(take_balance(world, &after));
            compare(&before, &after, dt.dt, w);
        }
    }
    return PHX_OK;
}

// The thinnest neighbourhood in the current shape, as a new reference would see it: fewest neighbours within 1.8
// spacings at creation, and smallest over largest spread of them.
static void thinnest(const phx_world* world, double radius, int* neighbors, double* spread) {
    const phxi_particles* p = &world->particles;
    *neighbors = p->count;
    *spread = 1;
    for (int i = 0; i < p->count; ++i) {
        phxi_sym3 a = {0};
        int count = 0;
        if (fabs((double)p->rest_x[i]) > 0.4) {
            continue; // ends are not stretched
        }
        for (int j = 0; j < p->count; ++j) {
            phx_vec3 d = {(double)p->x[j] - (double)p->x[i], (double)p->y[j] - (double)p->y[i],
                          (double)p->z[j] - (double)p->z[i]};
            if (j == i || phxi_length(d) > radius) {
                continue;
            }
            ++count;
            a.xx += d.x * d.x, a.yy += d.y * d.y, a.zz += d.z * d.z;
            a.xy += d.x * d.y, a.xz += d.x * d.z, a.yz += d.y * d.z;
        }
        double values[3];
        phxi_mat3 vectors;
        phxi_eigen_sym3(&a, values, &vectors);
        *neighbors = count < *neighbors ? count : *neighbors;
        *spread = fmin(*spread, values[0] > 0 ? values[2] / values[0] : 0);
    }
}

// A bar at rest but for an even stretch by 1.8: every particle splits, and the energy stays.
static phx_result even_stretch(phxi_validation* v) {
    phx_world* world = NULL;
    phx_totals before, after;
    phx_result result = make_bar(v, true, &world);
    int count = result == PHX_OK ? world->particles.count : 0;
    for (int i = 0; i < count; ++i) {
        phxi_particles* p = &world->particles;
        p->x[i] = (phx_real)(1.8 * (double)p->rest_x[i]);
        p->vx[i] = p->vy[i] = p->vz[i] = 0;
    }
    result = result == PHX_OK ? phx_world_measure(world, &before) : result;
    for (int k = 0; k < 8 && result == PHX_OK; ++k) {
        result = phx_world_substep(world, 1e-15);
    }
    result = result == PHX_OK ? phx_world_measure(world, &after) : result;
    if (result == PHX_OK) {
        phxi_validate(v, "particles of an evenly stretched bar, over those before",
                      (double)world->particles.count / count, 2, 0);
        phxi_validate(v, "its energy over that before, less 1", after.elastic / before.elastic - 1, 0,
                      phxi_by_precision(1e-13, 1e-5));
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_validate_adaptive(phxi_validation* v) {
    double least[2];
    int fewest[2];
    for (int on = 0; on < 2; ++on) {
        phx_world* world = NULL;
        worst w = {0};
        phx_result result = make_bar(v, on, &world);
        if (result == PHX_OK) {
            result = pull(world, 0.2, &w);
        }
        if (result == PHX_OK) {
            thinnest(world, 0.18, &fewest[on], &least[on]);
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
        if (on) {
            phxi_validate(v, "change of mass at a split, relative", w.mass, 0, 1e-15);
            phxi_validate(v, "change of momentum, over sum m |v|", w.momentum, 0, phxi_by_precision(1e-14, 1e-6));
            phxi_validate(v, "change of angular momentum, over sum m |x| |v|", w.angular, 0,
                          phxi_by_precision(1e-14, 1e-6));
            phxi_validate(v, "centre of mass, m from where it should be", w.center, 0, phxi_by_precision(1e-14, 1e-7));
            // what the halves move apart with, and what F of a pair does not see of its parent's
            phxi_validate(v, "growth of the energy when 1 of 2 split, relative", w.energy, 0, 0.01);
        }
    }
    PHXI_TRY(even_stretch(v));
    phxi_validate(v, "flattest neighbourhood of the stretched bar, without splits", least[0], 0, 1e-2);
    phxi_validate(v, "fewest neighbours with splits, below 10", fmax(0, 10 - fewest[1]), 0, 0);
    phxi_validate(v, "flattest neighbourhood with splits, below 0.05", fmax(0, 0.05 - least[1]), 0, 0);
    return PHX_OK;
}
