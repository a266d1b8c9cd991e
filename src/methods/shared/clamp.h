// SPDX-License-Identifier: MIT
// What clamps leave of a body: docs/theory/discretisation.md (1b), (1c).
//
// Particles that one driver holds move as one, so what is between them has no strain. A particle all of whose
// neighbours are held with it is deep: it is left out of the body. One with other neighbours is at the rim of the
// clamp, which is the face that the rest of the body ends at: of its cell only the part outside of the clamp counts.
#pragma once

#include "math/decompose3.h"
#include "neighbors/neighbors.h"
#include "particles/particles.h"

typedef struct phxi_clamp {
    uint8_t* deep;    // by particle of the body; NULL: nothing was looked for
    phx_real* share;  // of its volume that is outside of clamps
    int count, deeps; // particles; how many are deep
} phxi_clamp;

/// Tells what is held of a body by whom; 0: nothing is.
uint64_t phxi_clamp_hash(const phxi_particles* particles, int begin, int count);
/// From `grip` of the particles and all neighbours of each.
phx_result phxi_clamp_find(phxi_heap* heap, const phxi_particles* particles, int begin, int count,
                           const phxi_lists* lists, phxi_clamp* clamp);
/// Takes pairs with deep particles out of the lists.
void phxi_clamp_filter(const phxi_clamp* clamp, phxi_lists* lists);
/// Deformation gradients, nine numbers a particle of the body, of what is deep, which has no neighbours to tell: the
/// rotation of its clamp. `start`: rows of the body's particles.
void phxi_clamp_turn_deep(const phxi_particles* particles, int begin, int count, const int* start, phx_real* gradients);
/// How far what one driver holds of a body has turned.
phxi_mat3 phxi_clamp_turn(const phxi_particles* particles, int begin, int count, int grip);
void phxi_clamp_destroy(phxi_heap* heap, phxi_clamp* clamp);

static inline bool phxi_clamp_is_deep(const phxi_clamp* clamp, int i) {
    return clamp->deep && clamp->deep[i];
}
/// Whether a clamp takes some of it, or all.
static inline bool phxi_clamp_cuts(const phxi_clamp* clamp, int i) {
    return phxi_clamp_is_deep(clamp, i) || (clamp->share && clamp->share[i] < 1);
}
/// The volume that takes part.
static inline phx_real phxi_clamp_volume(const phxi_clamp* clamp, phx_real volume, int i) {
    return clamp->share ? clamp->share[i] * volume : volume;
}
