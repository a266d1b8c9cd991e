// SPDX-License-Identifier: MIT
// What breaks a particle: its stress and plastic strain, and what these are held against.
#include "methods/efg/fracture/fracture.h"

#include "core/hash.h"

#define NOISE_SEED 0x6672616374757265u

bool phxi_efg_cauchy(const phxi_efg_crack_stage* s, int i, phxi_sym3* stress, phxi_mat3* gradient, double* amount) {
    phxi_efg_local at = phxi_efg_local_stress(s->efg, s->slot, NULL, &s->body->elastic, s->slot->row + i);
    phxi_mat3 turned = phxi_mat3_transpose(&at.elastic), sigma = phxi_mat3_mul(&at.p, &turned);
    double det = phxi_mat3_det(&at.elastic);
    *amount = at.amount;
    if (!(det > 0)) {
        *stress = (phxi_sym3){0};
        *gradient = phxi_identity();
        return false;
    }
    *stress = (phxi_sym3){sigma.m[0][0] / det, sigma.m[1][1] / det, sigma.m[2][2] / det,
                          sigma.m[0][1] / det, sigma.m[0][2] / det, sigma.m[1][2] / det};
    *gradient = at.f;
    return true;
}

double phxi_efg_load(const phxi_efg_crack_stage* s, int i, double stress, double amount) {
    const phxi_efg_fracture* f = s->fracture;
    const phxi_particles* p = s->step->particles;
    int k = s->slot->begin + i;
    double strength = phxi_efg_strength_at(f, (double)p->spacing[k]);
    double noise = 1 + f->noise * (2 * phxi_hash_unit(phxi_hash_pair(p->id[k], NOISE_SEED)) - 1);
    // what has flowed far breaks where it is drawn, not where it is pushed together
    return fmax(stress / (strength * noise), stress > f->drawn ? amount / (f->ductile * noise) : 0);
}
