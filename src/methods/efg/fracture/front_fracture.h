// SPDX-License-Identifier: MIT
// The option `fracture: front`: which bonds get which integrity from cracks with fronts (crack_front.h),
// docs/theory/fracture.md section 6. Bonds, limiters and fragments are those of fracture.h.
//
// A bond that a crack's surface crosses at a distance d from its front has the weight
//   w' = w(h (r/h + (2 d / (kappa h))^2)):
// at the front it is whole, and it is gone from about half a radius behind it. As long as a front is near, the
// integrity that a bond is to have (its goal) is recomputed whenever the front moves; it never rises. When a crack has
// no front left all its bonds go.
#pragma once

#include "methods/efg/fracture/crack_front.h"
#include "methods/efg/fracture/fracture.h"
#include "methods/efg/build/rest_grid.h"

/// Where a crack crosses a bond that it has not cut yet.
typedef struct phxi_efg_hit {
    int bond, crack;
    phx_vec3 at; // reference frame, m
} phxi_efg_hit;

typedef struct phxi_efg_fronts {
    phxi_crack_set set;
    phxi_rest_grid grid;
    PHXI_ARRAY(phxi_efg_hit) hits;
    int tested; // triangles that have been held against bonds
    // of this substep, in the arena
    phxi_sym3* stress;
    phxi_mat3* gradient;
    double* amount; // plastic strain
    uint8_t* known;
} phxi_efg_fronts;

phx_result phxi_efg_fronts_create(phxi_efg_crack_stage* s);
void phxi_efg_fronts_destroy(phxi_efg_fronts* fronts, phxi_heap* heap);
/// Forgets all cracks.
void phxi_efg_fronts_heal(phxi_efg_fronts* fronts);

/// The fracture pass: new cracks where stress is too large, then all fronts move, and bonds they cross get goals.
phx_result phxi_efg_grow_fronts(phxi_efg_crack_stage* s);
/// Its second part.
phx_result phxi_efg_move_fronts(phxi_efg_crack_stage* s);
/// Holds new pieces of cracks against bonds, and sets goals; for cracks that were put in by hand.
phx_result phxi_efg_fronts_cross(phxi_efg_crack_stage* s);

// front_state.c
void phxi_efg_fronts_pack(const phxi_efg_fronts* fronts, phxi_sink* sink);
/// What a body has in packed bytes; checked before anything is changed.
typedef struct phxi_efg_packed_fronts {
    int nodes, cracks, triangles, hits, tested, unused;
    const uint8_t *node, *parent, *triangle, *hit; // not aligned
} phxi_efg_packed_fronts;
bool phxi_efg_fronts_take(const uint8_t** at, const uint8_t* end, int bonds, phxi_efg_packed_fronts* packed);
/// Whether all of it is in or near the body.
bool phxi_efg_fronts_fit(const phxi_efg_fronts* fronts, const phxi_efg_packed_fronts* packed);
phx_result phxi_efg_fronts_unpack(phxi_efg_fronts* fronts, phxi_heap* heap, const phxi_efg_packed_fronts* packed);
