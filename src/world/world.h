// SPDX-License-Identifier: MIT
// The world: owns particles, bodies, solvers, colliders, drivers, probes; runs the step (step.c).
#pragma once

#include <phyxel/world.h>
#include "contact/collider.h"
#include "core/id_pool.h"
#include "methods/method.h"

extern const phx_param_table phxi_world_table, phxi_body_table, phxi_driver_table, phxi_probe_table;
#define PHXI_WORLD_STAMP  0x574f5231u
#define PHXI_BODY_STAMP   0x424f4431u
#define PHXI_DRIVER_STAMP 0x44524931u
#define PHXI_PROBE_STAMP  0x50524f31u

typedef struct phxi_solver {
    const phxi_method* method;
    void* state;
    PHXI_ARRAY(int) own; // bodies
} phxi_solver;

/// Particles chosen once, by body and region, when the driver or probe is made (bodies created later are not in it).
typedef struct phxi_group {
    int* indices; // ascending
    int count;
} phxi_group;

typedef struct phxi_driver {
    phx_driver_def def; // texts NULL
    char name[64];
    phxi_group group;
    phx_real *start_x, *start_y, *start_z; // where its particles were when its window opened
    bool open;                             // the window has opened
    phx_vec3 reaction;                     // N, of the last substep
    double work;                           // J so far
    bool used;
} phxi_driver;

typedef struct phxi_probe {
    char name[64];
    phxi_group group;
    uint8_t* selected; // one a particle
    double every;
    bool used;
} phxi_probe;

struct phx_world {
    phxi_heap heap;
    phxi_arena arena;
    phxi_pool* pool;
    phx_world_def def;
    phxi_particles particles;
    PHXI_ARRAY(phx_material_def) materials;
    PHXI_ARRAY(phxi_body) bodies;
    PHXI_ARRAY(phxi_solver) solvers;
    PHXI_ARRAY(phxi_collider) colliders;
    PHXI_ARRAY(phxi_driver) drivers;
    PHXI_ARRAY(phxi_probe) probes;
    phxi_id_pool material_ids, body_ids, collider_ids, driver_ids, probe_ids;
    double* young; // by body
    double time;
    int64_t substeps;
    double last_dt;
};

phxi_step phxi_world_context(phx_world* world, int solver);

/// What is in a checkpoint besides the particle fields: named numbers, in a fixed order. Visits time, substeps, solver
/// words, drivers' state. io/checkpoint.c saves and restores through it.
typedef struct phxi_state_item {
    char name[96];
    void* data;
    size_t size;
} phxi_state_item;
/// Item i of the world's state, false past the end.
bool phxi_world_state_item(phx_world* world, int i, phxi_state_item* item);
/// After a restore: renew caches.
phx_result phxi_world_restored(phx_world* world);
/// A number over how the world was built (bodies, methods, materials, counts): a checkpoint fits only the same one.
uint64_t phxi_world_plan(const phx_world* world);
