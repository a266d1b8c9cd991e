// SPDX-License-Identifier: MIT
#include "validate/elastoplastic_sph/bar.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

phxi_esph_bar phxi_esph_long(double spacing) {
    int across = (int)lrint(1 / spacing);
    return (phxi_esph_bar){
        .cells = {5 * across, across, across}, .spacing = spacing, .law = PHX_LAW_COROTATED, .held = true};
}

phx_result phxi_esph_create(phxi_validation* v, const phxi_esph_bar* def, phxi_block* block) {
    const phx_setting settings[] = {{"integrator", def->integrator ? def->integrator : "velocity_verlet"},
                                    {"tolerance", def->tolerance ? def->tolerance : "0"}};
    phxi_block_def made = phxi_block_default(def->cells[0], def->cells[1], def->cells[2]);
    made.spacing = def->spacing;
    made.method = "elastoplastic_sph";
    made.settings = settings;
    made.setting_count = 2;
    made.material.young = made.material.density = 100;
    made.material.poisson = def->poisson;
    made.material.law = def->law;
    double shear = 100 / (2 * (1 + def->poisson));
    made.material.plasticity = PHX_PLASTICITY_HENCKY;
    made.material.yield = def->yield_stress / (sqrt(6) * shear);
    made.material.hardening = def->modulus / (sqrt(6) * shear);
    made.material.flow_rate = def->flow_rate;
    made.material.creep = def->time > 0 ? 1 / def->time : 0;
    PHXI_TRY(phxi_block_create(v, &made, block));
    if (!def->held) {
        return PHX_OK;
    }
    char region[128];
    snprintf(region, sizeof region, "box(size=(%g,1e3,1e3))", def->spacing);
    phx_driver_def pin = phx_driver_def_default();
    pin.region = region;
    phx_driver_id id;
    for (int i = 0; i < block->count; ++i) {
        block->held[i] = block->rest[i].x < 0.5 * def->spacing;
    }
    phx_result result = phx_driver_create(block->world, &pin, &id);
    if (result != PHX_OK) {
        phxi_block_destroy(block);
    }
    return result;
}

void phxi_esph_stretch(phxi_block* block, double eps) {
    phxi_particles* p = &block->world->particles;
    for (int i = 0; i < block->count; ++i) {
        double x = (1 + eps) * block->rest[i].x;
        p->x[i] = (phx_real)x;
        block->low[0][i] = (phx_real)(x - (double)p->x[i]);
    }
}

static double displacement(const phxi_block* block, int i) {
    return (double)block->world->particles.x[i] + (double)block->low[0][i] - block->rest[i].x;
}

double phxi_esph_mode(const phxi_block* block, const void* length) {
    const phxi_particles* p = &block->world->particles;
    double sum = 0;
    for (int i = 0; i < block->count; ++i) {
        sum += (double)p->mass[i] * displacement(block, i) * sin(PI * block->rest[i].x / (2 * *(const double*)length));
    }
    return sum;
}

double phxi_esph_energy(const phxi_block* block) {
    phx_totals totals;
    return phx_world_measure(block->world, &totals) == PHX_OK ? totals.kinetic + totals.elastic : NAN;
}

double phxi_esph_tip(const phxi_block* block, double length) {
    double sum = 0, total = 0;
    for (int i = 0; i < block->count; ++i) {
        if (block->rest[i].x > length - 0.25 * block->spacing) {
            double mass = (double)block->world->particles.mass[i];
            sum += mass * displacement(block, i);
            total += mass;
        }
    }
    return sum / total;
}
