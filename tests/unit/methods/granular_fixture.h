// SPDX-License-Identifier: MIT
// Worlds of sand for the tests of both integrators of granular.
#pragma once

#include "methods/granular/granular_internal.h"
#include "support/points.h"

static inline phx_material_def sand(double friction, double cohesion) {
    phx_material_def material = phx_material_def_default();
    material.density = 1500;
    material.young = 2e5;
    material.friction_angle = friction;
    material.cohesion = cohesion;
    return material;
}

static inline phx_result add(phx_world* world, const char* name, const char* method, const char* shape, double spacing,
                             const phx_material_def* material, const phx_setting* settings, int count) {
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    PHXI_TRY(phx_material_create(world, material, &bd.material));
    bd.name = name;
    bd.method = method;
    bd.shape = shape;
    bd.spacing = spacing;
    bd.settings = settings;
    bd.setting_count = count;
    bd.jitter = strcmp(method, "granular") == 0 ? 0.1 : 0;
    return phx_body_create(world, &bd, &body);
}

static inline phxi_granular* state_of(const phx_world* world) {
    for (int k = 0; k < world->solvers.count; ++k) {
        if (strcmp(world->solvers.items[k].method->name, "granular") == 0) {
            return world->solvers.items[k].state;
        }
    }
    return NULL;
}

static inline phx_world* lone(const phx_material_def* material, const char* shape, phx_vec3 gravity,
                              const phx_setting* settings, int count) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.gravity = gravity;
    def.threads = 1;
    if (phx_world_create(&def, &world) != PHX_OK ||
        add(world, "lone", "granular", shape, 0.01, material, settings, count) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

/// A block of wet sand in disorder, without gravity, for so many substeps.
static inline void check_momentum(const phx_setting* settings, int count, int substeps, double dt) {
    phx_material_def wet = sand(30, 200);
    phx_world* world = lone(&wet, "box(size=(0.06,0.05,0.07))", phxi_vec3(0, 0, 0), settings, count);
    REQUIRE(world);
    phxi_particles* p = &world->particles;
    double gross = 0;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = (phx_real)(0.5 * sin(100 * (double)p->y[i])), p->vy[i] = (phx_real)(5 * (double)p->x[i] - 0.1);
        p->vz[i] = (phx_real)(-8 * (double)p->z[i]);
        gross += (double)p->mass[i] * 0.3;
    }
    phx_totals start, totals;
    REQUIRE_OK(phx_world_measure(world, &start));
    for (int n = 0; n < substeps; ++n) {
        REQUIRE_OK(phx_world_substep(world, dt));
    }
    REQUIRE_OK(phx_world_measure(world, &totals));
    double tolerance = sizeof(phx_real) == sizeof(double) ? 1e-13 : 1e-5;
    ENSURE_NEAR(phxi_distance(totals.momentum, start.momentum) / gross, 0, tolerance);
    ENSURE(totals.kinetic < start.kinetic);
    phx_world_destroy(world);
}

/// Every allocation of a small block and two of its substeps fails once.
static inline void check_allocations(const phx_setting* settings, int count, double dt) {
    phx_material_def dry = sand(30, 0);
    bool whole = false;
    for (int64_t fail = 0; !whole && fail < 2000; ++fail) {
        phxt_heap heap;
        phxt_heap_init(&heap, fail);
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        def.threads = 1;
        def.allocator = heap.allocator;
        phx_result result = phx_world_create(&def, &world);
        if (result == PHX_OK) {
            result = add(world, "dry", "granular", "box(size=(0.03,0.03,0.03))", 0.01, &dry, settings, count);
        }
        for (int n = 0; result == PHX_OK && n < 2; ++n) {
            result = phx_world_substep(world, dt);
        }
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        whole = result == PHX_OK;
        phx_world_destroy(world);
        ENSURE(heap.live == 0);
    }
    ENSURE(whole);
}
