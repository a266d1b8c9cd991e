// SPDX-License-Identifier: MIT
// Shared by the files of particle contact:
//   pairs.c         which particles may touch           pair_nodes.c    where, and in which direction
//   pair_faces.c    the faces they belong to
//   pair_overlap.c  bodies created inside each other    pair_pushes.c   normal forces
//   pair_forces.c   friction and the sum of forces      pair_couples.c  couples that balance friction
//   pair_springs.c  contacts for implicit steps         pair_rigid.c    contacts with a rigid side
//   pair_renew.c    what changes in that list
#pragma once

#include "contact/pairs.h"
#include "core/array.h"
#include "neighbors/neighbors.h"

/// Axis-parallel, closed; low > high: empty.
typedef struct contact_box {
    phx_real low[3], high[3];
} contact_box;

/// Up to 256 consecutive particles of a body; they lie together because bodies are sorted along a curve.
typedef struct contact_block {
    int body, begin, end;
    contact_box box;
    bool listed; // its particles are in the list
} contact_block;

/// The properties of a body that decide which pairs may be listed.
typedef struct contact_key {
    int begin, count;
    bool others, within, ignores_own_kind, rigid;
    int family;
} contact_key;

/// A body in the list: its box, the diameter of its particles over their spacing, the largest diameter.
typedef struct contact_slot {
    contact_key key;
    uint32_t version; // of its bonds, that the list is of
    contact_box box;
    double fill, span, widest; // span: how far a particle is seen, over its spacing; `fill`, or more of rigid bodies
    int block_begin, block_end;
    int partner_begin, partner_end; // bodies whose boxes are near
    bool surface;                   // some of its particles stand on its surface
} contact_slot;

/// Two particles that may touch: indices into `listed`, a < b, and the distance at which they touch.
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
    PHXI_ARRAY(contact_candidate) incoming;   // scratch: pairs that come in
    PHXI_ARRAY(int) node_of;                  // by particle: its node, -1: none; all -1 between calls
    PHXI_ARRAY(uint8_t)
    receives;       // by particle: may receive a force because a normal depends on it; all 0 between calls
    double skin;    // m
    phx_vec3 shift; // m, what all have moved by since the list was made, more or less; of `place`
    bool possible;  // contact is possible at all
    bool built;
    int64_t builds;
};

/// A pair near each other in this substep.
typedef struct contact {
    int a, b; // in `listed`
    int i, j; // particles
    int node_a, node_b;
    phx_vec3 line;       // from particle i to j
    phx_vec3 at;         // where i is touched: itself, or on its core if it is rigid
    phx_vec3 arm;        // from there to where j is
    phx_vec3 aside;      // its part at right angles to the normal
    double normal_share; // share of i in the torque of the push; the rest belongs to j
    phx_vec3 velocity;   // of j relative to i, where they touch
    double parting;      // how fast the gap grows, m/s
    phx_vec3 normal;
    double range, length; // d and r
    double distance;      // at which they touch: d of balls, less of what stands on surfaces
    double seen;          // how far aside
    bool rigid;           // at least one side is rigid
    double separation;    // of two rigid sides: how far from the particle they touch, m
    double depth, stiffness, damping;
    double own_depth;     // m, along the normal that it has where none is `forced`
    double mass;          // reduced, kg
    double weight;        // w
    double slope;         // dw/dr, 1/m
    double share, smooth; // the part of the share proportional to the weight, over the weight
    double central;       // fraction of the normal that is that of two balls
    double share_force;   // N, on j along the line, from the change of shares
    double push, grip;    // |f_n|, the largest |f_t|; N
    double
        gradient_push; // part of the push that acts on the particles that define the normal; couples balance the rest
    double most;       // N, largest push
    bool projected;    // by projection instead of a stiffness
    bool slow;         // of bodies created inside each other: separates slowly
    bool overlaps;     // slow, and its normal is `forced`, from i to j
    phx_vec3 forced;
    double least, target; // N, smallest push; m/s, smallest parting at the end of the substep
    double fastest;       // m/s, of projection with a compliance: how fast pushes may part them
    phx_vec3 friction;    // f_t on j
    phx_vec3 slip;        // m, remembered slip of j (law/friction_memory.h)
    double couple;        // share of i in the couple of friction; the rest belongs to j
    double gain;          // of a sweep: N by m/s^2 of slip
} contact;

/// A particle near others, with the particles bonded to it.
typedef struct contact_node {
    int particle;
    int begin, end;            // of `incident`
    phx_vec3 own;              // outward normal
    phx_vec3 normal;           // of its face: mean of the normals around it, weighted by flatness
    bool faceless;             // touches its own body alone, as balls do: nothing asks for its face
    double clear;              // 1: has a normal, 0: none
    double flatness;           // F of its own
    double level;              // F of the face
    double known;              // how much `own` alone tells the face: it stands on the surface, where that is flat
    double faces;              // the same, or as much as its bonds say that it is in a face
    bool at_surface;           // it stands on the surface of its body, or touches one that does
    double weight;             // S
    double shares;             // of contacts that push
    phx_vec3 center;           // of mass of it and its bonds
    phxi_mat3 inverse;         // of their second moments, if it has a normal
    phxi_mat3 motion;          // their gradient of velocity, 1/s
    phxi_mat3 normal_gradient; // force on one of them over m (x - center)
    int fragment;              // of `fragments`
    bool fixed;
    double inverse_mass;   // 1/kg
    phx_vec3 side;         // sum of normals, towards the particles it is in front of
    double share_gradient; // J, energy that its contacts lose per unit of weight that another gets
    phx_vec3 velocity;     // without the current forces
    phx_vec3 rate;         // m/s^2, acceleration by all forces but friction
    phx_vec3 sum;          // of friction, N
} contact_node;

/// A body, or a fragment of one.
typedef struct contact_fragment {
    int body;
    phx_vec3 center;   // of mass
    phxi_mat3 inverse; // of the inertia
    bool able;         // can take couples: it is not a rod
    phx_vec3 turn;     // angular velocity, rad/s
    phx_vec3 couple;   // N m
    phx_vec3 spin;     // inverse inertia times couple
    // of a rigid one:
    const phxi_contact_rigid* rigid; // NULL: it is not
    double shares;                   // of its contacts
    phx_vec3 rate, spin_rate;        // by all forces but friction: of its pivot, and rad/s^2
    phx_vec3 push;                   // acceleration of the pivot by friction; `spin` is likewise by all friction
} contact_fragment;

/// pair_overlap.c
typedef struct contact_overlap contact_overlap;

/// Contacts of one substep, ascending, and the contacts of each node in order of the partners' indices.
typedef struct contact_set {
    phxi_pairs* pairs;
    const phxi_contact_scene* scene;
    bool implicit; // for implicit steps
    contact* items;
    int count;
    contact_node* nodes; // ascending
    int node_count;
    int* incident;
    contact_fragment* fragments;
    int fragment_count;
    int* fragment_begin;       // by body: its first, -1: has no node
    bool any_rigid;            // fragments
    bool moves_rigid;          // and one of them moves when it is pushed
    contact_overlap* overlaps; // a hash table of bodies that overlap; NULL: none
    int overlap_room;
} contact_set;

/// pairs.c: largest distance of a pair, over d.
#define CONTACT_REACH 1.41421356237309505
/// Of contacts of a particle; on a square lattice they have 0.5 or more.
#define CONTACT_LEAST_WEIGHT 0.4

/// pairs.c: updates the list; *any is false if nothing can touch.
phx_result phxi_pairs_update(phxi_pairs* pairs, const phxi_contact_scene* scene, bool* any);
/// The distance at which particles i and j touch, m; 0: never.
double phxi_pairs_distance(const phxi_pairs* pairs, const phxi_contact_scene* scene, int i, int j);

/// pair_renew.c: whether the list can be kept up with the bonds that were cut since; `any`: whether some were.
bool phxi_pairs_cuts_known(const phxi_pairs* pairs, const phxi_contact_scene* scene, bool* any);
/// Adds their pairs to the list.
phx_result phxi_pairs_add_cuts(phxi_pairs* pairs, const phxi_contact_scene* scene);
/// Makes the part of listed particles (places in the list, ascending) anew, from where they are now.
phx_result phxi_pairs_add_moved(phxi_pairs* pairs, const phxi_contact_scene* scene, const int* moved, int count);

/// pair_shift.c: finds the shift of all that is listed anew; false: there is no other than before.
bool phxi_pairs_follow(phxi_pairs* pairs, const phxi_particles* particles);

/// pair_nodes.c: finds contacts and nodes (including `node_of`), and everything that depends on positions alone:
/// normals, depths, shares.
phx_result phxi_contacts_find(contact_set* set);
/// pair_faces.c: for each node the face it belongs to.
void phxi_faces_find(contact_set* set);
/// Whether a side of the contact takes couples.
bool phxi_contact_turns(const contact_set* set, const contact* c);
/// Clears `node_of` again.
void phxi_contacts_forget(const contact_set* set);
/// 1/m of a particle, 0 if a driver holds it.
double phxi_contact_inverse_mass(const phxi_particles* particles, int i);

/// pair_pushes.c: finds the normal forces of all contacts.
phx_result phxi_pushes_find(contact_set* set);
/// pair_forces.c: the sum of pushes on the particle of node n, N.
phx_vec3 phxi_contact_pushes(const contact_set* set, int n);

/// pair_rigid.c: the description of the body of a particle if it is rigid, else NULL.
const phxi_contact_rigid* phxi_contact_rigid_of(const phxi_contact_scene* scene, int i);
/// Keeps one of the contacts between a particle of a rigid body and another rigid body.
phx_result phxi_rigid_thin(contact_set* set);
/// Share over weight of a contact with one rigid side; shares of those with two.
double phxi_rigid_smooth(const contact_set* set, const contact* c, double least);
phx_result phxi_rigid_share(contact_set* set);
/// Where the two sides touch, for a contact with rigid sides; half_i and half_j are the radii of particles.
void phxi_contact_place(contact* c, const phxi_contact_scene* scene, double half_i, double half_j);
/// Velocity of one side where they touch, without the current forces.
phx_vec3 phxi_contact_side_velocity(const contact_set* set, const contact* c, bool second);
/// Masses of contacts with rigid sides, along the normal; accelerations of rigid fragments by all forces but friction,
/// with the current pushes; and the gain of a friction sweep.
void phxi_rigid_weigh(contact_set* set);
void phxi_rigid_load(contact_set* set, bool pushes_known);
double phxi_rigid_gain(const contact_set* set, const contact* c);
/// Relative acceleration of the two sides of a contact with a rigid side, by load and pushes; and how many times more
/// than its own mass implies they respond when all their contacts push.
double phxi_rigid_coming(const contact_set* set, const contact* c);
double phxi_rigid_amplification(const contact_set* set, const contact* c);
/// Acceleration of one side where they touch, including friction.
phx_vec3 phxi_contact_side_rate(const contact_set* set, const contact* c, bool second);
/// Acceleration of rigid fragments by the current friction, including that of colliders; true while the latter changes.
bool phxi_rigid_hold(contact_set* set);
/// Sets `spin` of rigid fragments to what shifts forces from their particles to where they act.
void phxi_rigid_turn(contact_set* set);

/// pair_overlap.c: the direction in which overlapping bodies are pushed; their speed of separation, m/s; writes
/// scene->still_overlaps.
phx_result phxi_overlaps_find(contact_set* set);
double phxi_overlap_speed(const contact_set* set, const contact* c);
void phxi_overlaps_tell(contact_set* set);

/// pair_normal_gradient.c: adds the forces on particles that define normals.
phx_result phxi_normal_gradient_add(contact_set* set, phx_real* const force[3]);

/// pair_couples.c: finds fragments with nodes, and their spin.
phx_result phxi_fragments_find(contact_set* set);
/// Couples and spins of the fragments for the current friction; false if there is none.
bool phxi_couples_find(contact_set* set);
/// Adds the forces that balance the torque of friction.
void phxi_couples_add(contact_set* set, phx_real* const force[3]);

static inline phx_vec3 phxi_contact_position(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}
static inline phx_vec3 phxi_contact_velocity(const phxi_particles* p, int i) {
    return phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
}
