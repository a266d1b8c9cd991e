// SPDX-License-Identifier: MIT
// Particles against particles: of different bodies, of fragments of one body, and of one body with itself
// (docs/theory/contact.md section 2).
//
// Particles have a diameter d_i: their spacing a, or less on denser lattices (0.8 a on body-centred ones). Balls on two
// lattices would lock like egg cartons, so a particle touches the face that its partners form. At rest the centre of
// mass of i and its bonded particles lies inward of i; cof(F) carries that normal along. Its distance distinguishes
// faces (flatness F_i near 1) from edges and corners (0.01) and from the interior, which has no normal; nor have
// particles without bonds. Normals n_i are averaged over bonded particles that are in contact too, weighted by F.
// Particles of one body, on both sides of a crack or a fold, touch as balls, kept as far apart as they were when the
// bond broke: a new crack is rough and starts without force, which faces would not.
//   n = along F_i n_i - F_j n_j, or x_ij / r if neither has a normal  of a pair, from i to j; both, by flatness, if one
//   has depth = d - x_ij . n                                              d = (d_i + d_j) / 2, or what the method says
//   w = clamp(2 - r^2 / d^2, 0, 1)^3, S_i = sum_j w_ij                pairs reach to r = 1.41 d
// What stands on the surface of its body touches there (reach.h): with touch = d less half a spacing for each such
// side,
//   depth = touch - x_ij . n,   w = clamp(1 - (r^2 - touch^2) / d^2, 0, 1)^3
// and its normal and its flatness are those of its area vector (pair_faces.c), which tell alone where they are known.
//   share = w / max(S_i, S_j, 0.4), or 1 if neither has a normal      on flat faces the shares of a particle sum to 1
// Forces on j, and the opposite on i, with v the velocity of j relative to i and m the reduced mass:
//   f_n = share max(0, k depth - b v_n) n      k = k_i k_j / (k_i + k_j), k_i = E V / a^2: E a / 2 for equal cubes
//   f_t = at most mu |f_n|, against the slip   b = 2 zeta sqrt(k m), at most m / (2 dt)
// Without damping f_n is the derivative of sum share k depth^2 / 2. Normals move with the particles they come from,
// which receive forces too (pair_normal_gradient.c), and shares change with r. The derivatives of averaging normals are
// neglected.
//
// Friction takes up the load (all other forces) and half of the velocity, as in collider.h. The velocity is that of the
// last half substep: one that contains the current forces makes friction chatter. With several contacts per particle
// this is a system of equations, solved by Jacobi sweeps weighted by shares. The sweeps end before all contacts of a
// heap agree; the slip left over is remembered and taken back (law/friction_memory.h).
//
// Friction turns the pair. The balancing couple goes, half to each side, to the whole body or fragment as forces
// without a net push (pair_couples.c; docs/theory/contact.md (13)). A rod or a single particle leaves it to the other
// side; if neither side can take it there is no friction. Fixed particles belong to the outside world and take any
// couple.
//
// A rigid side (rigid.h) is touched where its core is nearest to the other side, and a push there moves the whole body:
// in the law above its mass is 1 / (S g), with g its inverse mass at that place along the push and S the sum of shares
// of all its contacts, since each contact also moves what the others move. Jacobi sweeps with S g converge, because no
// two contacts are coupled more strongly than each is to itself. Pushes and friction act at one point of the line
// through the pair; a rigid side takes couples and the forces by which normals move as its own torques.
//
// Pairs are found in three steps, each of which rules out most candidates: boxes of bodies, boxes of 256 particles, and
// the neighbour grid with a skin (a Verlet list, rebuilt when something has moved by half of the skin). Only pairs that
// do touch count, summed in order of their indices: results depend neither on when the list was built nor on threads.
#pragma once

#include "contact/bonds.h"
#include "contact/rigid.h"
#include "contact/law/friction_memory.h"
#include "core/arena.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

/// Contact properties of a body, from its definition.
typedef struct phxi_contact_traits {
    bool others, self;        // whether it touches other bodies; itself
    double stiffness;         // N/m per pair of such particles; 0: half of Young's modulus times the spacing
    double damping, friction; // fraction of critical; Coulomb. A pair uses the arithmetic, geometric mean
    int family;               // not 0: bodies of one family do not touch here; their methods handle it
    bool ignores_own_kind;    // two such bodies do not touch here; implicit steps handle it
} phxi_contact_traits;

typedef struct phxi_contact_body {
    int begin, count;
    phxi_contact_traits traits;
    double young;         // Pa
    phxi_bond_view bonds; // of its particles; version not 0: something is broken, so it may touch itself
    int fragment_count;
    const int* fragment;             // of each particle of the body; NULL: there is one
    const phxi_contact_rigid* rigid; // NULL: not rigid
    bool implicit; // takes implicit steps: touches explicit bodies by springs, also where these touch by projection
    /// By `grip` of the particles less 1: how far what a driver holds of it has turned, which tells the normals of what
    /// is deep in a clamp and has no bonds. NULL: nothing is held.
    const phxi_mat3* turns;
    double slight; // of the distance: depth of overlap at creation that is not reported (phxi_pairs_find_overlap)
} phxi_contact_body;

/// Everything contact reads in a substep.
typedef struct phxi_contact_scene {
    phxi_pool* pool;
    phxi_arena* arena;
    const phxi_particles* particles;
    const phxi_contact_body* bodies;
    int body_count;
    double dt;         // s; 0: no bounds on damping, no friction
    double kick;       // s, how long current forces act on the velocities of the substep
    bool projection;   // contact without stiffness (pair_pushes.c)
    double compliance; // m/N, of projection
    /// By particle, m: how deep its body was inside another when it was created (pair_overlap.c); NULL: none was.
    const phx_real* overlap;
    double overlap_time; // s, in which overlapping bodies are moved apart
    /// Output, by particle, m: its overlap, or that of the bodies it has come to be in; 0 where it is out; NULL: not
    /// wanted.
    phx_real* still_overlaps;
    int first_new; // for phxi_pairs_find_overlap: at least one body of a pair has this index or a higher one
    phxi_friction_memory* friction_memory; // what friction remembers
    phxi_heap* keep; // slips of this substep are stored with its memory; NULL: `friction_memory` is left unchanged
    const void* context;
    /// All other forces on i, N. For pushes those within bodies with implicit steps are left out: they are what such a
    /// body answered to the last push, and a push that takes them up grows without end.
    phx_vec3 (*load)(const void* context, int i, bool for_push);
    /// Its velocity without the current forces, as far as known.
    phx_vec3 (*velocity)(const void* context, int i);
} phxi_contact_scene;

/// Writes the particles bonded to i and returns how many; how far apart particles i < j of one body are kept, m, 0:
/// bonded.
static inline int phxi_contact_bonds(const phxi_contact_scene* scene, int i, int neighbors[PHXI_MAX_BONDS]) {
    const phxi_contact_body* body = &scene->bodies[scene->particles->body[i]];
    return phxi_bonds_of(&body->bonds, body->begin, i - body->begin, neighbors);
}
static inline double phxi_contact_distance(const phxi_contact_scene* scene, int i, int j) {
    const phxi_contact_body* body = &scene->bodies[scene->particles->body[i]];
    return phxi_bond_distance(&body->bonds, scene->particles, body->begin, i, j);
}

/// Lists and memory kept from step to step; results do not depend on them.
typedef struct phxi_pairs phxi_pairs;

phx_result phxi_pairs_create(phxi_heap* heap, phxi_pairs** pairs);
void phxi_pairs_destroy(phxi_pairs* pairs);
/// Positions may have changed arbitrarily (a restored state).
void phxi_pairs_forget(phxi_pairs* pairs);
/// Adds contact forces to force[axis][particle], and half of the energy of every contact to each of its two particles,
/// J (NULL: not wanted).
phx_result phxi_pairs_add_forces(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* const force[3],
                                 double* energy);

/// Writes to each particle how deep its body is inside another, m, and reports every such pair of bodies with the
/// number of particles and the depth.
typedef void phxi_overlap_report(void* context, int a, int b, int count, double depth);
phx_result phxi_pairs_find_overlap(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* overlap,
                                   phxi_overlap_report* report, void* context);

/// A contact as an implicit step sees it: where they touch, the two sides move relative to each other by U, the sum of
/// coefficient times displacement of its members (pair_springs.c). Forces coefficient times f on the members have no
/// net force and no torque, whatever f.
typedef struct phxi_spring {
    int i, j;         // particles
    int contact;      // for pair_springs.c
    int begin, end;   // range of `members`; a particle may occur more than once
    phx_vec3 normal;  // from i to j
    double distance;  // at which they touch, along the normal, m
    double stiffness; // N/m, and reduced mass, kg: the pair's share
    double mass;
    double damping, friction; // fraction of critical; coefficient
    phx_vec3 share_force;     // N, on j: from the change of shares, at this depth
} phxi_spring;
typedef struct phxi_spring_member {
    int particle;
    double coefficient;
} phxi_spring_member;
/// Allocated in the arena.
typedef struct phxi_springs {
    phxi_spring* items; // ascending in i, then j
    int count;
    phxi_spring_member* members;
} phxi_springs;
/// Contacts of particles that touch at their current positions, or nearly do (nearer than 1.5 times their distance).
/// Load, velocity and dt of the scene are not used.
phx_result phxi_pairs_find_springs(phxi_pairs* pairs, const phxi_contact_scene* scene, phxi_springs* springs);

/// Stiffness of one side of a contact, N/m; both sides in series give k. `width`: phxi_contact_width.
double phxi_contact_stiffness(const phxi_contact_body* body, double width);
/// How often the list was built, and the number of pairs in it: for tests and benchmarks.
int64_t phxi_pairs_builds(const phxi_pairs* pairs);
int phxi_pairs_candidates(const phxi_pairs* pairs);
