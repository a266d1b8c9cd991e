// SPDX-License-Identifier: MIT
// What breaks a particle: its stress, and the strength that this is held against.
#include "methods/efg/fracture.h"

#include "core/hash.h"

#define NOISE_SEED 0x6672616374757265u

bool phxi_efg_cauchy(const phxi_efg_crack_stage* s, int i, phxi_sym3* stress, phxi_mat3* gradient) {
    phxi_efg_law law = {&s->body->elastic, s->slot->params.volume_stiffness};
    phxi_mat3 f = phxi_efg_gradient(s->efg, s->slot, s->slot->row + i, NULL), turned = phxi_mat3_transpose(&f);
    phxi_mat3 piola = phxi_efg_law_stress(&law, &f), sigma = phxi_mat3_mul(&piola, &turned);
    double det = phxi_mat3_det(&f);
    if (!(det > 0)) {
        *stress = (phxi_sym3){0};
        *gradient = phxi_identity();
        return false;
    }
    *stress = (phxi_sym3){sigma.m[0][0] / det, sigma.m[1][1] / det, sigma.m[2][2] / det,
                          sigma.m[0][1] / det, sigma.m[0][2] / det, sigma.m[1][2] / det};
    *gradient = f;
    return true;
}

double phxi_efg_strength(const phxi_efg_crack_stage* s, int i) {
    const phxi_efg_fracture* f = s->fracture;
    const phxi_particles* p = s->step->particles;
    int k = s->slot->begin + i;
    double strength = f->strength;
    if (f->toughness > 0) {
        strength = fmin(strength, sqrt(f->young * f->toughness / (double)p->spacing[k]));
    }
    return strength * (1 + f->noise * (2 * phxi_hash_unit(phxi_hash_pair(p->id[k], NOISE_SEED)) - 1));
}
