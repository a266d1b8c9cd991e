// SPDX-License-Identifier: MIT
// Shared by the files of particle contact: pairs.c finds who may touch, pair_forces.c what they exert, pair_couples.c
// what friction turns.
#pragma once

#include "contact/pairs.h"
#include "core/array.h"
#include "neighbors/neighbors.h"

/// Axis-parallel, closed; low > high: empty.
typedef struct contact_box {
    phx_real low[3], high[3];
} contact_box;

/// Up to 256 particles of a body that lie together, as bodies are sorted along a curve.
typedef struct contact_block {
    int body, begin, end;
    contact_box box;
    bool listed; // its particles are in the list
} contact_block;

/// What of a body decides who may be in the list.
typedef struct contact_key {
    int begin, count;
    bool others, within;
    uint32_t version;
} contact_key;

/// A body in the list: its box, the diameter of its particles over their spacing, the largest diameter.
typedef struct contact_slot {
    contact_key key;
    contact_box box;
    double fill, widest;
    int block_begin, block_end;
    int partner_begin, partner_end; // bodies whose boxes are near
} contact_slot;

/// Two that may touch: numbers in `listed`, a < b, and the distance at which they do.
typedef struct contact_candidate {
    int a, b;
    double distance;
} contact_candidate;

struct phxi_pairs {
    phxi_heap* heap;
    phxi_search* search;
    phxi_lists lists;
    PHXI_ARRAY(contact_slot) slots; // by body
    PHXI_ARRAY(contact_block) blocks;
    PHXI_ARRAY(int) order;                    // bodies by the low end of their boxes
    PHXI_ARRAY(int) partners;                 // by slot
    PHXI_ARRAY(int) listed;                   // particles, ascending
    PHXI_ARRAY(phx_real) place;               // where they were: all x, all y, all z, then radii
    PHXI_ARRAY(contact_candidate) candidates; // ascending
    PHXI_ARRAY(int) spin_of;                  // by particle: its couple in the arena, -1: none; all -1 between calls
    PHXI_ARRAY(uint8_t) receives;             // by particle: may get a part of a couple; all 0 between calls
    double skin;                              // m
    bool possible;                            // there are bodies that could touch at all
    bool built;
    int64_t builds;
};

/// Two that touch, in this substep.
typedef struct contact {
    int a, b;        // in `listed`
    int i, j;        // particles
    phx_vec3 normal; // from i to j
    double depth, stiffness, damping;
    double mass;       // reduced, kg
    double push, grip; // |f_n|, the largest |f_t|; N
    phx_vec3 friction; // f_t on j
    double share;      // of i in the couple; the rest is for j
} contact;

/// Contacts of one substep, and those of each listed particle in order of the partners' indices.
typedef struct contact_set {
    phxi_pairs* pairs;
    const phxi_contact_scene* scene;
    contact* items;
    int count;
    int* start; // by listed particle, one more
    int* incident;
    int* nodes; // listed particles with contacts, ascending
    int node_count;
} contact_set;

/// pairs.c: brings the list up to date; false in *any: nobody can touch.
phx_result phxi_pairs_update(phxi_pairs* pairs, const phxi_contact_scene* scene, bool* any);

/// pair_forces.c: 1/m of a particle, 0 if a driver holds it.
double phxi_contact_lightness(const phxi_particles* particles, int i);

/// pair_couples.c. What couples need of a particle.
typedef struct contact_cluster {
    phx_vec3 center;
    phxi_mat3 inverse; // of the inertia of it and those bonded to it
    bool able, fixed;
} contact_cluster;
/// By node. Sets `share` of each contact, and grip to 0 where neither side can.
phx_result phxi_couples_prepare(contact_set* set, const int* node_of, contact_cluster** clusters);
/// Adds the forces that make up for what friction turns.
phx_result phxi_couples_add(contact_set* set, contact_cluster* clusters, phx_real* const force[3]);
