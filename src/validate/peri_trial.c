// SPDX-License-Identifier: MIT
#include "validate/peri_trial.h"

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

phxi_peri_slot* phxi_peri_trial_slot(const phxi_block* block) {
    phxi_peri* peri = block->world->solvers.items[block->world->bodies.items[0].solver].state;
    return &peri->slots.items[0];
}

static phx_result drive(phxi_block* block, int kind, double low, double high, phx_vec3 vector) {
    char region[128], name[32];
    snprintf(region, sizeof region, "box(center=(%.17g,0,0), size=(%.17g,100,100))", (low + high) / 2, high - low);
    snprintf(name, sizeof name, "driver%d", block->world->drivers.count);
    phx_driver_def def = phx_driver_def_default();
    def.name = name;
    def.kind = kind;
    def.region = region;
    def.vector = vector;
    phx_driver_id id;
    return phx_driver_create(block->world, &def, &id);
}

phx_result phxi_peri_trial_pin(phxi_block* block, double low, double high) {
    return drive(block, PHX_DRIVER_PIN, low, high, (phx_vec3){0, 0, 0});
}

phx_result phxi_peri_trial_pull(phxi_block* block, double low, double high, phx_vec3 force) {
    return drive(block, PHX_DRIVER_FORCE, low, high, force);
}
