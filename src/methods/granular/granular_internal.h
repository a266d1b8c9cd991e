// SPDX-License-Identifier: MIT
// Sand, wet sand and slime by updated-Lagrangian state peridynamics : the solver's state and its stages. Equations:
// docs/theory/granular.md.
//
//   granular.c     parameters, fields, bodies; the method's table    limits.c   stable steps
//   step.c         the stages of an explicit substep                 measure.c  energies, fields to show
//   implicit.c     the same forces at trial positions, for the implicit solver; stiffness.c its matrix
//   pairs.h        what the two loops over pairs share               bonds.c    what bonds remember
//   pair_rates.c   first loop: shape K of the neighbourhood, gradient of velocity
//   flow.c         a particle: gradient, return mapping, stress; what the second loop needs of it
//   poor.c         the same gradient where neighbours are few
//   pair_forces.c  second loop: stress, residual control
//   redistribute.c particles of slime are drawn together, or spaced evenly
//
// The loops run over places (neighbors/near.h), on rows of four numbers packed for them. Lengths in rows are in units
// of L, a power of two near the support, so that sums of single precision stay in range at any scale and nothing is
// rounded by the change of unit. Velocities are in m/s, forces in N over `mass_unit`.
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "methods/shared/free_spin.h"
#include "materials/drucker_prager.h"
#include "math/gather.h"
#include "motion/explicit.h"
#include "implicit/implicit.h"

typedef enum phxi_granular_integrator { GRANULAR_EXPLICIT, GRANULAR_IMPLICIT } phxi_granular_integrator;

typedef struct phxi_granular_params {
    int integrator;      // phxi_granular_integrator
    double alpha;        // residual viscosity; below 0: chosen
    double speed;        // m/s, that it is made of; 0: 4 sqrt(g dx)
    double chi;          // residual stiffness
    double limit;        // of the residual strain, over the strength
    double zeta;         // damping of what does not yield
    double squeeze;      // viscosity of what approaches; below 0: chosen
    double spring;       // density above which a spring acts, over that at rest; 0: none
    double freeze;       // plastic shear by which weights of bonds follow; 0: they follow at once
    double redistribute; // spacings/s, of positions alone: together, or apart if below 0
    double implicit_dt;  // s
    int outer;           // solves of an implicit step
    int iterations;      // of each, at most
    double tolerance;    // of each, relative
} phxi_granular_params;

enum {
    GRANULAR_STRAIN,
    GRANULAR_OPENING = GRANULAR_STRAIN + 6,
    GRANULAR_CROWDED,
    GRANULAR_FIELD_COUNT,
};
extern const phxi_field_def phxi_granular_fields[GRANULAR_FIELD_COUNT];

enum { GRANULAR_WORD_LAST_DT, GRANULAR_WORD_COUNT };
enum { GRANULAR_GRAIN = 128 };
#define GRANULAR_SUPPORT 2.0 // spacings: H of the weight (1 - (r/H)^2)^2
#define GRANULAR_CUT     1.5 // supports: where a bond ends that keeps its weight

/// Numbers of a body, by its index. What is not grain takes no part.
typedef struct phxi_granular_body {
    bool grain;
    int first; // ordinal of its first particle among all grains
    phxi_drucker_prager law;
    double density, sound, shear_sound; // kg/m^3, m/s
    double alpha, squeeze;              // residual viscosity, that of what approaches
    const phxi_granular_params* params;
} phxi_granular_body;

/// What a bond remembers: z, the part of its stretch that no gradient sees, in m. Rows by ordinal of a grain, in the
/// order of its list of the last substep; `stride` numbers a plane, x, y and z one behind the other. z of i with j is
/// -z of j with i to the last bit, as all that makes it is. If any body freezes weights they are the fourth plane,
/// the same seen from both sides; below 0: not known yet.
typedef struct phxi_granular_bonds {
    int rows, stride, planes;
    int* count;
    int* key; // ordinals of neighbours
    phx_real* z;
} phxi_granular_bonds;
enum { GRANULAR_MOST_BONDS = 512, GRANULAR_MOST_PLANES = 4 };
static inline phx_real* phxi_granular_bonds_of(const phxi_granular_bonds* bonds, int row) {
    return bonds->z + (size_t)row * (size_t)(bonds->planes * bonds->stride);
}

/// What the second loop reads of a place; last numbers of r:
enum {
    GRANULAR_ROW_X,     // position; largest residual strain
    GRANULAR_ROW_V,     // velocity; 1 / (2 s)
    GRANULAR_ROW_G,     // half of the gradient of velocity, three rows; residual stiffness, viscosity, squeeze
    GRANULAR_ROW_T = 5, // V tau K^-1, three rows; 1 for grains; how much of z stays, and of the weight
    GRANULAR_ROWS = 8,
};
typedef struct phxi_granular_row {
    phxi_r4 r[GRANULAR_ROWS];
} phxi_granular_row;

/// Sums of the first loop: Kxx Kyy Kzz Kxy, Kxz Kyz s Gxx, Gxy Gxz Gyx Gyy, Gyz Gzx Gzy Gzz; density, bonds.
enum { GRANULAR_SUMS = 5 };
typedef struct phxi_granular_sums {
    phxi_r4 r[GRANULAR_SUMS];
} phxi_granular_sums;

/// What implicit steps need besides. By ordinal of a grain, which is the number of a particle of the solver's range:
/// grains stand in one row there.
typedef struct phxi_granular_implicit {
    phxi_implicit* solver;
    int begin, count;    // that it was made for
    bool active, trial;  // implicit steps; a state that is tried and not kept
    phx_vec3* start;     // m, of the step
    phx_real* diagonal;  // N/m
    const phx_vec3* x;   // m, tried
    phx_vec3* force;     // N
    int capacity;        // by place:
    phxi_r4* moved;      // what the matrix is applied to
    phx_real* stiff;     // a grain's share in the stiffness of its bonds, N/m
    phx_real* firm;      // largest sigma of the step so far
    int64_t entries;     // by entry of the lists:
    phx_real* stiffness; // of a bond, N/m
} phxi_granular_implicit;

/// Of a block, merged in block order.
typedef struct phxi_granular_block {
    int bad; // lowest particle that is not finite, or -1
    const char* stage;
    int longest; // list
    phxi_spin_sums spin;
} phxi_granular_block;

typedef struct phxi_granular {
    phxi_heap* heap;
    double words[GRANULAR_WORD_COUNT];
    PHXI_ARRAY(phxi_granular_body) bodies;
    phxi_granular_bonds bonds;
    int grains;    // in all bodies
    int planes;    // of what bonds remember: 3, or 4 with weights
    int looked_at; // particles in the world when the stiffness of its bodies was looked at

    // by place
    int capacity;
    int* ordinal;       // -1: stranger
    phxi_r4* x;         // position, volume
    phxi_r4* u;         // velocity of the last half step; 1 for grains
    phx_real* supports; // in L
    phxi_granular_sums* sums;
    phxi_granular_row* rows;
    phxi_r4* a;     // acceleration by grains
    phxi_r4* dense; // gradient of density, over the support; density. While any body redistributes
    phx_real* tau;  // redistribute.c
    phxi_granular_block* blocks;
    phxi_granular_implicit implicit;

    // of all particles, found again when there are more
    int known;
    double support, mass_unit; // m, the largest; kg, the heaviest
    bool uniform;              // all supports are the same

    // of this substep
    phxi_step* step;
    phx_real* field[GRANULAR_FIELD_COUNT];
    const phxi_near* near;
    double dt, last_dt;
    double unit, scale; // L in m, and 1 / L
    bool general, memory, squeezes, springs, others, frozen, redistributes;
    phx_real period[3], per_period[3]; // in L
    phx_real per_square;               // 1 / H^2, in L, where uniform
} phxi_granular;

static inline phx_real* phxi_granular_field(const phxi_step* step, int field) {
    return phxi_particles_field(step->particles, phxi_granular_fields[field].name);
}
static inline const phxi_granular_params* phxi_granular_params_of(const phxi_body* body) {
    return body->params;
}

// granular.c
phxi_granular_body phxi_granular_describe(const phxi_body* body);

// limits.c
double phxi_granular_stable_dt(void* state, phxi_step* step, char reason[160]);
double phxi_granular_modulus(const void* state, const phxi_step* step, int body);

// step.c
phx_result phxi_granular_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
void phxi_granular_release(phxi_granular* s);
/// Gradient, strain and stress of places [begin, end) from positions and velocities by place.
void phxi_granular_rates_part(void* context, int begin, int end, int block);
/// NULL, or what is not finite at a place.
const char* phxi_granular_fault(const phxi_granular* s, int place);

// implicit.c: bodies take implicit steps all or none
static inline bool phxi_granular_is_implicit(const phxi_step* step) {
    return phxi_granular_params_of(&step->bodies[step->own[0]])->integrator == GRANULAR_IMPLICIT;
}
/// What implicit steps cannot do; bodies as they are in `step`.
phx_result phxi_granular_check_implicit(const phxi_step* step);
extern const phxi_implicit_table phxi_granular_implicit_steps;
/// The rest of a substep whose places are packed.
void phxi_granular_release_implicit(phxi_granular* s);

// stiffness.c
/// Stiffness of bonds from the current rows; its product with displacements, by ordinal.
void phxi_granular_stiffness(phxi_granular* s);
void phxi_granular_product(phxi_granular* s, const phx_real* const q[3], phx_real* const kq[3]);

// pair_rates.c: of grains at [begin, end) to sums. By PHXI_LANES_CALL.
void phxi_granular_rates(phxi_granular* s, int begin, int end);
void phxi_granular_rates_avx512(phxi_granular* s, int begin, int end);
// flow.c: of places [begin, end) strain, opening, rows.
void phxi_granular_flow(phxi_granular* s, int begin, int end);
// poor.c
/// What a grain sees of how its neighbours move.
typedef struct phxi_granular_sight {
    phxi_sym3 inverse;         // K^-1, without directions in which nothing is seen
    phxi_sym3 share;           // S
    double least;              // of s_a^2
    phxi_mat3 g, strain, spin; // G, D', W'
} phxi_granular_sight;
/// From K and M; eigenvalues of K from `enough` on are seen in full.
void phxi_granular_see_poorly(const phxi_sym3* k, const phxi_mat3* m, double enough, phxi_granular_sight* sight);

// pair_forces.c: of grains at [begin, end) to a. By PHXI_LANES_CALL.
void phxi_granular_forces(phxi_granular* s, int begin, int end);
void phxi_granular_forces_avx512(phxi_granular* s, int begin, int end);

// redistribute.c: after everything has moved
void phxi_granular_redistribute(phxi_granular* s);

// bonds.c
void phxi_granular_drop_bonds(phxi_granular* s);
/// Room for rows of so many bonds.
phx_result phxi_granular_reserve_bonds(phxi_granular* s, int longest);
/// Brings the row of a grain into the order of its current list: places items[0..count).
void phxi_granular_match(phxi_granular* s, int ordinal, const int* items, int count);
void phxi_granular_pack(const void* state, phxi_sink* sink);
phx_result phxi_granular_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size);

// measure.c
enum { GRANULAR_DERIVED_COUNT = 3 };
extern const phxi_derived_field phxi_granular_derived[GRANULAR_DERIVED_COUNT];
void phxi_granular_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
void phxi_granular_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
