// SPDX-License-Identifier: MIT
#include "validate/peridynamics/trial.h"

#include "core/hash.h"

#include <stdio.h>

phx_result phxi_peri_trial(phxi_validation* v, const int cells[3], double poisson, const phx_setting* settings,
                           int count, phxi_block* block) {
    phxi_block_def def = phxi_block_default(cells[0], cells[1], cells[2]);
    def.method = "peridynamics";
    def.settings = settings;
    def.setting_count = count;
    def.material.poisson = poisson;
    return phxi_block_create(v, &def, block);
}

phx_result phxi_peri_trial_points(phxi_validation* v, const phx_vec3* points, int count, const phxi_block_def* def,
                                  phxi_block* block) {
    int made = 0, *triangles;
    PHXI_NEW(triangles, v->heap, 3 * count, "faces");
    for (int k = 0; k + 2 < count; ++k) { // faces of points that follow each other: only vertices matter
        triangles[made++] = k, triangles[made++] = k + 1, triangles[made++] = k + 2;
    }
    phx_mesh* mesh = NULL;
    phxi_block_def own = *def;
    phx_result result = phx_mesh_create(count, &points[0].x, made / 3, triangles, &mesh);
    if (result == PHX_OK) {
        own.mesh = mesh;
        own.method = "peridynamics";
        result = phxi_block_create(v, &own, block);
    }
    phx_mesh_destroy(mesh);
    phxi_free(v->heap, triangles);
    return result;
}

phxi_peri_slot* phxi_peri_trial_slot(const phxi_block* block) {
    phxi_peri* peri = block->world->solvers.items[block->world->bodies.items[0].solver].state;
    return &peri->slots.items[0];
}

void phxi_peri_trial_forces(phxi_block* block, const phx_vec3* x, phx_vec3* force) {
    phxi_step step = phxi_world_context(block->world, block->world->bodies.items[0].solver);
    phxi_peri_binding binding = {.step = &step, .slot = phxi_peri_trial_slot(block)};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    op.forces(op.context, x, force, &strain);
}

/// Sums of forces and torques over the sums of their sizes.
static void balance(const phx_vec3* x, const phx_vec3* f, int count, phxi_peri_rigidity* out) {
    phx_vec3 sum = {0}, torque = {0};
    double size = 0, twist = 0;
    for (int i = 0; i < count; ++i) {
        phx_vec3 turning = phxi_cross(phxi_sub(x[i], x[0]), f[i]);
        sum = phxi_add(sum, f[i]);
        torque = phxi_add(torque, turning);
        size += phxi_length(f[i]);
        twist += phxi_length(turning);
    }
    out->force = phxi_length(sum) / size;
    out->torque = phxi_length(torque) / twist;
}

phx_result phxi_peri_trial_rigidity(phxi_block* block, double shake, phxi_peri_rigidity* out) {
    phxi_heap* heap = block->validation->heap;
    phx_vec3* x;
    PHXI_NEW(x, heap, 2 * block->count, "positions and forces");
    phx_vec3* f = x + block->count;
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -0.5}, 1.9);
    for (int i = 0; i < block->count; ++i) {
        x[i] = phxi_add(phxi_mat3_apply(&turn, block->rest[i]), (phx_vec3){3, -2, 1});
    }
    phxi_peri_trial_forces(block, x, f);
    out->largest = 0;
    for (int i = 0; i < block->count; ++i) {
        out->largest = fmax(out->largest, phxi_length(f[i]));
        double by[3];
        for (int a = 0; a < 3; ++a) {
            by[a] = shake * (2 * phxi_hash_unit(phxi_hash_pair(3, (uint64_t)(3 * (int64_t)i + a))) - 1);
        }
        x[i] = phxi_add(x[i], phxi_vec3(by[0], by[1], by[2]));
    }
    phxi_peri_trial_forces(block, x, f);
    balance(x, f, block->count, out);
    phxi_free(heap, x);
    return PHX_OK;
}

phx_result phxi_peri_trial_drive(phxi_block* block, int kind, const char* region, phx_vec3 vector) {
    char name[32];
    snprintf(name, sizeof name, "driver%d", block->world->drivers.count);
    phx_driver_def def = phx_driver_def_default();
    def.name = name;
    def.kind = kind;
    def.region = region;
    def.vector = vector;
    phx_driver_id id;
    return phx_driver_create(block->world, &def, &id);
}

/// Of all particles with low < x < high.
static phx_result drive(phxi_block* block, int kind, double low, double high, phx_vec3 vector) {
    char region[128];
    snprintf(region, sizeof region, "box(center=(%.17g,0,0), size=(%.17g,100,100))", (low + high) / 2, high - low);
    return phxi_peri_trial_drive(block, kind, region, vector);
}

phx_result phxi_peri_trial_pin(phxi_block* block, double low, double high) {
    return drive(block, PHX_DRIVER_PIN, low, high, (phx_vec3){0, 0, 0});
}

phx_result phxi_peri_trial_pull(phxi_block* block, double low, double high, phx_vec3 force) {
    return drive(block, PHX_DRIVER_FORCE, low, high, force);
}
