// SPDX-License-Identifier: MIT
// Fracture of efg bodies, docs/theory/fracture.md sections 1 to 5: bonds that break, and what keeps that stable.
//
//   fracture.c   the order of things after a substep       facets.c     cracks: which bonds break next
//   bonds.c      bonds, weights, rebuilt rows              facet_grid.c where facets are
//   limiters.c   bounds of stiffness and energy            blade.c      bonds that a moving blade crosses
//   fragments.c  what still holds together                 cracks.c     what surface, contact and files see
//   ligaments.c  what is left between the sides of cracks  load.c       what breaks a particle
//   bond_reset.c bonds of bodies that get a new reference  kernel_fracture.c  bonds that kernels lose
//
// An unbroken bond is a pair of particles with a weight, and nothing else. A broken one has an entry in `bonds`; its
// two particles, and all that lie beside a crack, have one in `scars`. Rows have lists of gradients of their own, in
// which broken bonds lose their weight.
//
// Cracks (facets, labels, crossings, distances of layers) live in the frame of creation for ever: the lattice is
// regular there, and so are the cells of the surface. Bodies that flow may get new references (plastic.h); what changes
// then is which particles are neighbours, and with that the rows.
//
// Everything that matters is in bonds, facets, scars and a clock. Rows are functions of these, which is how a state is
// taken back (snapshot, checkpoint): constants of the whole body return to `pristine`, and scars are rebuilt.
#pragma once

#include "methods/efg/efg_internal.h"

#define EFG_RAMP_STEPS      6    // substeps from the first loss of weight to none
#define EFG_LEAST_INTEGRITY 0.02 // what is left of a bond below it is nothing: threads make rows all but singular
#define EFG_LABELS          3    // sides a particle can be on
#define EFG_TINY            4    // particles of a fragment that no longer breaks
#define EFG_SOFT            8    // particles of a fragment that is made soft
#define EFG_FIRM            4    // bonds of a particle that does not depend on a thread

typedef enum phxi_efg_bond_state { EFG_BOND_RAMPING, EFG_BOND_CUT } phxi_efg_bond_state;

/// A broken bond. Particles are numbered from the first of the body.
typedef struct phxi_efg_bond {
    int i, j;         // i < j
    int pair[2];      // of row i and row j, from the body's first pair; -1: they are no neighbours any more
    int state, steps; // phxi_efg_bond_state; substeps since it broke
    int facet;        // -1: torn
    int padding;
    double integrity;  // weight over weight at rest, 1 .. 0
    double goal;       // what it falls to: 0, or more while a front is near (front_fracture.h)
    double crossing;   // where it is cut, share of the way from i to j
    double distance;   // m, of the particles when it was cut
    phx_real whole[4]; // gradient of the pair of row i when it was whole; row j has its negative, and the same weight
} phxi_efg_bond;

/// A piece of a crack in the frame of creation: a disc.
typedef struct phxi_efg_facet {
    phx_vec3 center, normal;
    double radius, time; // m, s of the body's clock
    double slip;         // m, along the normal, off the crack's course: what it had to keep away from a particle
} phxi_efg_facet;

/// A particle that a crack has met.
typedef struct phxi_efg_scar {
    int particle;
    int facets; // that began here, at most 3
    int labels, broken;
    phx_vec3 label[EFG_LABELS]; // unit vectors to the side of the crack it is on, frame of creation
    double held;                // theta_d, against energy from cutting
    // what follows is made from the above
    double bound;       // theta, against stiffness beyond the step
    double base;        // hourglass stiffness without factors, N/m
    bool degenerate;    // `flat` counts
    bool dirty;         // its row must be rebuilt
    phxi_efg_flat flat; // directions that neighbours hardly span
    double energy;      // J, before the weights changed
    // ligaments.c
    int changes, looked; // of its bonds, from 1 on; up to which it was looked for threads
} phxi_efg_scar;

/// The particles of a bond.
typedef int phxi_efg_ends[2];

/// A cut bond, to be sorted.
typedef struct phxi_efg_cut_bond {
    int i, j, facet;
} phxi_efg_cut_bond;

/// Cells of a hash grid; chains of facets.
typedef struct phxi_efg_facet_grid {
    double cell; // m
    PHXI_ARRAY(int) head;
    PHXI_ARRAY(int) next; // by facet
} phxi_efg_facet_grid;

typedef struct phxi_efg_fracture {
    int slot, count; // particles
    int pair_count;
    double time; // s, this body's clock
    int ticks;   // substeps it has counted
    double dt;   // s, the stable step at rest
    // limits of the material
    double strength, noise; // Pa, relative
    double toughness;       // J/m^2, 0: not used
    double ductile;         // plastic strain that it takes
    double drawn;           // Pa, largest principal stress above which that counts
    double alarm_stress;    // Pa, below it nothing breaks
    double tear;            // stretch beyond which single bonds break
    double shear_speed, wave_speed, young, density;
    double layer;     // distance of layers over the spacing: 1, or 0.8 of body-centred lattices
    double reference; // l_ref times spacing, see bonds.c
    double peak;      // weight at no distance
    // as built
    phxi_efg_group* pristine;
    phxi_efg_flat* pristine_flats;
    int pristine_flat_count, pristine_flat_capacity;
    // now
    int* bond;              // of a pair, -1: unbroken
    phx_real* cut_distance; // of a pair, for contact/bonds.h; NULL: nothing is broken yet
    int cut_distance_count; // pairs that it is for
    uint32_t shown;         // version that it is of
    int bond_capacity;
    int* scar;               // of a particle, -1: none
    uint8_t* alarm;          // of a particle: stress may be above its strength
    phx_real* kernel_radius; // of a particle, m: how far its kernel reaches at rest; NULL unless fracture is kernel
    PHXI_ARRAY(phxi_efg_bond) bonds;
    int ramp_begin; // all before it are cut
    PHXI_ARRAY(phxi_efg_facet) facets;
    PHXI_ARRAY(phxi_efg_scar) scars;
    phxi_efg_facet_grid grid;
    int* fragment; // of a particle, by lowest member
    PHXI_ARRAY(int) fragment_size;
    bool split;                        // a cut bond may have parted a fragment
    int cuts;                          // bonds that are cut
    uint32_t version;                  // moves on whenever that changes
    PHXI_ARRAY(phxi_efg_ends) cut_log; // bonds cut since version `logged_from`, one for each
    uint32_t logged_from;
    struct phxi_efg_fronts* fronts; // front_fracture.h; NULL: cracks have none
    // for cracks.c: room for all bonds, filled when asked
    phxi_efg_cut_bond* order;
    int (*cut)[2];
    phx_vec3 *plane_point, *plane_normal;
    int cut_capacity;
    uint32_t listed; // version that the lists are of
    phxi_cracks cracks;
} phxi_efg_fracture;

/// Everything a fracture stage needs.
typedef struct phxi_efg_crack_stage {
    phxi_efg* efg;
    phxi_step* step;
    phxi_efg_slot* slot;
    phxi_efg_fracture* fracture;
    const phxi_body* body;
    double dt;
} phxi_efg_crack_stage;

/// Where a particle was at creation: the frame that cracks live in.
static inline phx_vec3 phxi_efg_rest_of(const phxi_efg_crack_stage* s, int i) {
    const phxi_particles* p = s->step->particles;
    int k = s->slot->begin + i;
    return phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
}

/// The same in the reference of the rows, which resets of bodies that flow change (plastic.h).
static inline phx_vec3 phxi_efg_reference_of(const phxi_efg_crack_stage* s, int i) {
    const phxi_particles* p = s->step->particles;
    int k = s->slot->begin + i;
    return phxi_vec3(phxi_efg_reference(s->slot, p, 0)[k], phxi_efg_reference(s->slot, p, 1)[k],
                     phxi_efg_reference(s->slot, p, 2)[k]);
}

static inline phx_vec3 phxi_efg_position_of(const phxi_efg_crack_stage* s, int i) {
    const phxi_particles* p = s->step->particles;
    int k = s->slot->begin + i;
    return phxi_vec3(p->x[k], p->y[k], p->z[k]);
}

/// Pairs of a particle, from the body's first pair.
static inline int phxi_efg_pair_begin(const phxi_efg_crack_stage* s, int i) {
    return s->efg->start.items[s->slot->row + i] - s->efg->start.items[s->slot->row];
}
static inline int phxi_efg_pair_end(const phxi_efg_crack_stage* s, int i) {
    return s->efg->start.items[s->slot->row + i + 1] - s->efg->start.items[s->slot->row];
}
/// The other particle of a pair; the particle itself for padding.
static inline int phxi_efg_pair_other(const phxi_efg_crack_stage* s, int pair) {
    int offset = s->efg->offset.items[s->efg->start.items[s->slot->row] + pair];
    return offset / (int)sizeof(phxi_r4) - s->slot->row;
}
/// The gradient {w x, w y, w z, w} of a pair of particle i, now.
static inline phxi_r4* phxi_efg_pair_gradient(const phxi_efg_crack_stage* s, int i, int pair) {
    int at = s->efg->list.items[s->slot->row + i] + pair - phxi_efg_pair_begin(s, i);
    return &s->efg->gradient.items[at];
}
static inline double phxi_efg_pair_weight(const phxi_efg_crack_stage* s, int i, int pair) {
    return (double)(*phxi_efg_pair_gradient(s, i, pair))[3];
}
static inline bool phxi_efg_pair_holds(const phxi_efg_fracture* f, int pair) {
    return f->bond[pair] < 0 || f->bonds.items[f->bond[pair]].state != EFG_BOND_CUT;
}
/// Whether the weight of a bond is about to change.
static inline bool phxi_efg_bond_falls(const phxi_efg_bond* bond) {
    return bond->state == EFG_BOND_RAMPING && bond->integrity > bond->goal;
}
static inline phxi_efg_scar* phxi_efg_scar_of(const phxi_efg_fracture* f, int i) {
    return f->scar[i] < 0 ? NULL : &f->scars.items[f->scar[i]];
}
/// Whether a particle has lost bonds: its gradient is that of what is left of its neighbourhood.
static inline bool phxi_efg_is_broken(const phxi_efg_fracture* f, int i) {
    const phxi_efg_scar* scar = phxi_efg_scar_of(f, i);
    return scar && scar->broken > 0;
}
static inline double phxi_efg_layer_at(const phxi_efg_crack_stage* s, int i) {
    return s->fracture->layer * (double)s->step->particles->spacing[s->slot->begin + i];
}
/// Of particles with this spacing, Pa. A crack opens at K = sqrt(E G), whatever the spacing, where stress at its tip,
/// as particles see it, is 0.75 sqrt(E G / spacing): measured, see validate efg.fracture_toughness.
static inline double phxi_efg_strength_at(const phxi_efg_fracture* f, double spacing) {
    return f->toughness > 0 ? fmin(f->strength, 0.75 * sqrt(f->young * f->toughness / spacing)) : f->strength;
}
static inline double phxi_efg_smoothstep(double t) {
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}
phxi_efg_crack_stage phxi_efg_crack_stage_of(phxi_efg* efg, phxi_step* step, int slot, double dt);

// bonds.c
/// Gives a slot what it needs to break; does nothing if it has it.
phx_result phxi_efg_fracture_create(phxi_efg* efg, phxi_step* step, int slot);
void phxi_efg_fracture_destroy(phxi_efg_fracture* fracture, phxi_heap* heap);
/// The entry of a particle beside a crack, made if there is none; NULL: no memory. Moves the entries.
phxi_efg_scar* phxi_efg_add_scar(phxi_efg_crack_stage* s, int i);
/// Breaks the unbroken bond of a pair of particle i; both particles get scars. Weights change later.
phx_result phxi_efg_break_bond(phxi_efg_crack_stage* s, int i, int pair, int facet, double crossing);
/// The next step of all ramps: integrities into the weights of rows, which become dirty. Energies are those before.
phx_result phxi_efg_ramp(phxi_efg_crack_stage* s);
/// Keeps the weight of a bond that is still whole.
void phxi_efg_keep_weight(const phxi_efg_crack_stage* s, phxi_efg_bond* bond);
/// Constants of all dirty rows from their weights; with `limit`, theta_d against energies that rose.
phx_result phxi_efg_rebuild_scars(phxi_efg_crack_stage* s, bool limit);
/// Factors of a row into the lanes: volume and stiffness.
void phxi_efg_set_factors(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar);
/// sum_j w c_j of rows whose neighbours have changed, and the list of degenerate rows.
phx_result phxi_efg_finish_rows(phxi_efg_crack_stage* s, const int* changed, int count);
/// Back to the state before anything broke.
void phxi_efg_heal(phxi_efg_crack_stage* s);
/// Weights of all bonds and rows of all scars after these were read from somewhere.
phx_result phxi_efg_reopen(phxi_efg_crack_stage* s);

/// A share of the weight of a bond into the rows of both of its particles, if they are neighbours.
void phxi_efg_set_weights(const phxi_efg_crack_stage* s, const phxi_efg_bond* bond, double share);

// bond_reset.c
typedef struct phxi_efg_old_pairs phxi_efg_old_pairs;
/// Room for that many pairs and thin rows.
phx_result phxi_efg_bonds_room(phxi_efg_fracture* f, phxi_heap* heap, int pairs, int flats);
/// Bonds are others than before, and not by having been cut.
void phxi_efg_bonds_anew(phxi_efg_fracture* f);
/// Rows of the body are new, for there is room: bonds lead nowhere, and nothing in the rows is broken.
void phxi_efg_bonds_detach(phxi_efg* efg, int slot);
/// Rows of bodies before this one are more, or less, by so many.
void phxi_efg_bonds_shift(phxi_efg_fracture* f, int rows);
/// Before rows are rebuilt for another reference: keeps the current neighbours, and writes energies into the scars.
phx_result phxi_efg_bonds_keep(phxi_efg_crack_stage* s, phxi_efg_old_pairs** old);
/// Afterwards: what was broken is broken in the new rows, and no bond has formed across a crack.
phx_result phxi_efg_bonds_return(phxi_efg_crack_stage* s, const phxi_efg_old_pairs* old);
/// The last step: no row has more energy than before.
phx_result phxi_efg_bonds_settle(phxi_efg_crack_stage* s, const phxi_efg_old_pairs* old);
void phxi_efg_old_pairs_destroy(phxi_efg_old_pairs* old, phxi_heap* heap);

// limiters.c
/// theta of a row: its stiffness must not be beyond what the step can take.
double phxi_efg_stiffness_bound(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar, const phxi_mat3* inverse);
/// Elastic and hourglass energy of a row at the displacements as they are, J; `rebuilt`: its constants are newer than
/// the list of degenerate rows.
double phxi_efg_scar_energy(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar, bool rebuilt);
/// Lets held rows go as far as they are relaxed. Rows that changed are added to `changed`.
void phxi_efg_release(phxi_efg_crack_stage* s, int* changed, int* count);
/// Dashpots along bonds.
phx_result phxi_efg_damp_bonds(phxi_efg_crack_stage* s);

// load.c
/// Cauchy stress (in the axes of the frame), F and plastic strain of a particle; false, and nothing of each, where it
/// is turned inside out.
bool phxi_efg_cauchy(const phxi_efg_crack_stage* s, int i, phxi_sym3* stress, phxi_mat3* gradient, double* amount);
/// Stress over strength, or plastic strain over what it bears, whichever is more; both with their random part.
double phxi_efg_load(const phxi_efg_crack_stage* s, int i, double stress, double amount);

// facet_grid.c
phx_result phxi_efg_add_facet(phxi_efg_crack_stage* s, const phxi_efg_facet* facet);
/// Facets with centres within `radius` of x (at most one cell), ascending, at most `capacity`; returns how many.
int phxi_efg_near_facets(const phxi_efg_fracture* f, phx_vec3 x, double radius, int* found, int capacity);
phx_result phxi_efg_index_facets(phxi_efg_fracture* f, phxi_heap* heap);

// facets.c
/// The next facets where stress is above strength; bonds they cut, and bonds stretched too far.
phx_result phxi_efg_grow_cracks(phxi_efg_crack_stage* s);
/// Where a disc crosses a pair of particles, share of the way from a to b; negative: it does not.
double phxi_efg_crossing(const phxi_efg_crack_stage* s, const phxi_efg_facet* facet, int a, int b);
/// Which side of a plane a particle is on, d its distance: its label's, near the plane.
int phxi_efg_side(const phxi_efg_fracture* f, int i, phx_vec3 normal, double d, double zone);

// ligaments.c
/// Bonds beside cracks that are stretched too far, and threads between two sides.
phx_result phxi_efg_tear_ligaments(phxi_efg_crack_stage* s);

// kernel_fracture.c
/// Radii of kernels at rest; bonds that kernels have lost.
phx_result phxi_efg_kernel_fracture_create(phxi_efg_crack_stage* s);
phx_result phxi_efg_lose_bonds(phxi_efg_crack_stage* s);

// fragments.c
/// New fragments, if bonds that were cut may have parted one. Rows whose softness changed are added to `changed`.
phx_result phxi_efg_find_fragments(phxi_efg_crack_stage* s, int* changed, int* count);
/// Whether two particles hold on to a common third one; `pristine`: whether they did before anything broke.
bool phxi_efg_bridged(const phxi_efg_crack_stage* s, int i, int j, bool pristine);
int phxi_efg_fragment_size(const phxi_efg_fracture* f, int i);
/// Rigid motions of all fragments, for damping; of the arena. NULL: no memory.
phxi_rigid_motion* phxi_efg_fragment_motions(const phxi_efg_crack_stage* s, phx_vec3 origin);
/// Damps particles [begin, end) of all, each against the motion of its fragment.
void phxi_efg_damp_fragments(const phxi_efg_crack_stage* s, double keep, int begin, int end);

// blade.c
/// Cuts what a blade crosses; NULL: only makes the body ready for it.
phx_result phxi_efg_cut(void* state, phxi_step* step, int body, const phxi_blade* blade);

// cracks.c
/// Room for the lists of all bonds.
phx_result phxi_efg_reserve_cracks(phxi_efg_crack_stage* s);
const phxi_cracks* phxi_efg_cracks_of(const void* state, phxi_step* step, int body);
const int* phxi_efg_fragments_of(const void* state, phxi_step* step, int body, int* count);
void phxi_efg_bonds(const void* state, const phxi_step* step, int body, phxi_bond_view* view);
/// Bonds may have broken: renews what phxi_efg_bonds shows of them.
phx_result phxi_efg_show_bonds(phxi_efg* efg, phxi_heap* heap);
/// Share of a particle's bonds that are broken; largest principal value of the Cauchy stress, Pa.
double phxi_efg_damage(const phxi_efg* efg, const phxi_efg_slot* slot, int i);
double phxi_efg_principal_stress(const phxi_efg_local* at);

// fracture.c
phx_result phxi_efg_fracture_adapt(phxi_efg* efg, phxi_step* step, double dt);
void phxi_efg_pack(const void* state, phxi_sink* sink);
phx_result phxi_efg_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size);
