// SPDX-License-Identifier: MIT
// Particles against particles: of different bodies, of fragments of one body, and of one body with itself.
//
// Particles have a diameter d_i: their spacing a, or less where lattices are denser (0.8 a on body-centred ones).
// Bodies are lattices, and balls on lattices lock like egg cartons; so what a particle touches is the face that its
// partners make. At rest the centre of mass of i and all that are bonded to it lies inward of i; cof(F) carries that
// normal along. Its distance tells faces (F_i about 1) from edges and corners (0.01) and from the inside, which has no
// normal, as whatever has no bonds. Normals n_i are means over bonded particles that are in contact too, by F.
// Particles of one body, on both sides of a crack or of a fold, are balls: a crack has just opened between them, its
// faces are rough, and balls kept as far apart as they were when the bond broke feel nothing at first, which faces
// would.
//   n = along F_i n_i - F_j n_j, or x_ij / r if neither has a normal  of a pair, from i to j
//   depth = d - x_ij . n                                              d = (d_i + d_j) / 2, or what the method says
//   w = clamp(2 - r^2 / d^2, 0, 1)^3, S_i = sum_j w_ij                pairs reach to r = 1.41 d
//   share = w / max(S_i, S_j, 0.4), or 1 if neither has a normal      on flat faces the shares of a particle sum to 1
// Forces on j, and the opposite on i, with v the velocity of j against i and m the reduced mass:
//   f_n = share max(0, k depth - b v_n) n      k = k_i k_j / (k_i + k_j), k_i = E V / a^2: E a / 2 for equal cubes
//   f_t = at most mu |f_n|, against the slip   b = 2 zeta sqrt(k m), at most m / (2 dt)
// Without damping f_n is the derivative of sum share k depth^2 / 2: normals move with those they come from, who bear a
// part (pair_levers.c), and shares change with r. Left out are the derivatives of the means of normals.
//
// Friction is what takes up the load (all else that acts) and half of the slip, as in collider.h. The slip is that of
// the last half substep: the velocity of now has the forces of now in it, and friction made of it chatters. With many
// contacts a particle that is a system of equations, solved by Jacobi sweeps weighted by shares. They end before all
// contacts of a heap agree; what is slipped by then is remembered and taken back (slips.h).
//
// Friction turns the pair. The couple that makes up for it goes, half to each side, to the whole body or fragment as
// forces that turn and do not push (pair_couples.c; specs/fracture.md section 5 has the bonded neighbours instead).
// What is a rod, or one particle, leaves it to the other side; where neither side can there is no friction. Fixed
// particles are a part of the outer world and take any couple.
//
// A side that is rigid (rigid.h) is touched where its core is nearest to the other side, and a push at that place moves
// all of it: in the law above its mass is 1 / (S g), with g its lightness at that place along the push and S the sum of
// shares of all its contacts, since each of these moves what the others move. Jacobi sweeps with S g converge, as no
// two contacts are more alike than each is to itself. Pushes and friction act in one point of the line through the
// pair; couples and levers of a rigid side are its own torques.
//
// Who may touch is found in three steps, each of which ends it for most: boxes of bodies, boxes of 256 particles, the
// neighbour grid with a skin (a Verlet list, made anew when something has moved by half of the skin). Only pairs that
// do touch count, summed in order of their indices: results do not depend on when the list was made, nor on threads.
#pragma once

#include "contact/rigid.h"
#include "contact/law/friction_memory.h"
#include "core/arena.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

enum { PHXI_MAX_BONDS = 1024 };

/// What a body is for contact; from its definition.
typedef struct phxi_contact_traits {
    bool others, self;        // does it touch other bodies; itself
    double stiffness;         // N/m a pair of such particles; 0: half of Young's modulus times the spacing
    double damping, friction; // fraction of critical; Coulomb. Pairs take means: arithmetic, geometric
    int family;               // not 0: bodies of the same one do not touch each other, their methods see to it
    bool apart;               // two such do not touch here: implicit steps see to them
} phxi_contact_traits;

typedef struct phxi_contact_body {
    int begin, count;
    phxi_contact_traits traits;
    double young;                    // Pa
    uint32_t version;                // of its bonds; not 0: something is broken, so it may touch itself
    int piece_count;                 // fragments
    const int* piece;                // by particle of the body, its fragment; NULL: one
    const phxi_contact_rigid* rigid; // NULL: its particles move on their own
} phxi_contact_body;

/// All that contact looks at in a substep.
typedef struct phxi_contact_scene {
    phxi_pool* pool;
    phxi_arena* arena;
    const phxi_particles* particles;
    const phxi_contact_body* bodies;
    int body_count;
    double dt;         // s; 0: no bounds on damping, no friction
    double kick;       // s, in which forces of now change the velocities that the substep moves with
    bool projection;   // pushes follow from gaps, not from a stiffness (pair_pushes.c)
    double compliance; // m/N, of projection
    /// By particle, m: how deep the body was in another when they came (pair_overlap.c); NULL: none was.
    const phx_real* overlap;
    double overlap_time; // s, in which they are moved apart
    uint8_t* deep;       // by particle: 1 is written where it still is in another; NULL: nobody wants to know
    int first_new;       // of bodies, for phxi_pairs_find_overlap: of two at least one is of these
    phxi_slips* slips;   // what friction remembers
    phxi_heap* keep;     // ways of this substep go to its memory and into `slips`; NULL: they stay as they are
    const void* context;
    /// How far apart particles i < j of one body are kept, m; 0: bonded.
    double (*distance)(const void* context, int i, int j);
    /// Writes the particles bonded to i, each of which is bonded to i, and returns how many.
    int (*bonds)(const void* context, int i, int neighbors[PHXI_MAX_BONDS]);
    /// All else that acts on i, N.
    phx_vec3 (*load)(const void* context, int i);
    /// Its velocity without the forces of now, as far as it can be known.
    phx_vec3 (*velocity)(const void* context, int i);
} phxi_contact_scene;

/// Lists and memory that live from step to step; nothing in it decides results.
typedef struct phxi_pairs phxi_pairs;

phx_result phxi_pairs_create(phxi_heap* heap, phxi_pairs** pairs);
void phxi_pairs_destroy(phxi_pairs* pairs);
/// Positions may be anything now (a restored state).
void phxi_pairs_forget(phxi_pairs* pairs);
/// Adds the forces of contact to force[axis][particle]; and half of the energy of every contact to each of its
/// particles, J (NULL: not wanted).
phx_result phxi_pairs_add_forces(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* const force[3],
                                 double* energy);

/// Writes how deep bodies are in each other to their particles, m, and tells of every two: how many particles, how
/// deep.
typedef void phxi_overlap_report(void* context, int a, int b, int count, double depth);
phx_result phxi_pairs_find_overlap(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* overlap,
                                   phxi_overlap_report* report, void* context);

/// A contact as an implicit step sees it: the two sides move by U = sum of coefficient times displacement of its
/// members against each other where they touch (pair_springs.c). Forces coefficient times f on the members have no
/// sum and no torque, whatever f.
typedef struct phxi_spring {
    int i, j;         // particles
    int contact;      // for pair_springs.c
    int begin, end;   // of `members`; a particle may be there more than once
    phx_vec3 normal;  // from i to j
    double distance;  // at which they touch, along the normal, m
    double stiffness; // N/m, and reduced mass, kg: the pair's share of them
    double mass;
    double damping, friction; // fraction of critical; coefficient
} phxi_spring;
typedef struct phxi_spring_member {
    int particle;
    double coefficient;
} phxi_spring_member;
/// Of the arena.
typedef struct phxi_springs {
    phxi_spring* items; // ascending in i, then j
    int count;
    phxi_spring_member* members;
} phxi_springs;
/// Contacts of particles that touch where they are, or all but do (nearer than 1.5 times their distance). The scene's
/// load, velocity and dt are not looked at.
phx_result phxi_pairs_find_springs(phxi_pairs* pairs, const phxi_contact_scene* scene, phxi_springs* springs);

/// How stiff one side of a contact is, N/m; two in series make k.
double phxi_contact_stiffness(const phxi_contact_body* body, double volume, double spacing);
/// Number of times that the list was made, and of pairs in it: for tests and benchmarks.
int64_t phxi_pairs_builds(const phxi_pairs* pairs);
int phxi_pairs_candidates(const phxi_pairs* pairs);
