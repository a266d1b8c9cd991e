// SPDX-License-Identifier: MIT
// Weakly compressible SPH: the solver's state and its stages. Equations: docs/theory/fluids.md; order of stages:
// README.md beside this file.
//
//   wcsph.c        parameters, fields, bodies; the method's table     limits.c   stable steps
//   step.c         the stages of a substep                            sound.c    speed of sound
//                                                                     guard.c    nothing gets through walls
//   bodies.c       what is fluid, wall, other                         measure.c  energies, fields to show
//   pairs.h        what the two loops over pairs share
//   pair_rates.c   first loop: density, gradient of velocity          viscous_solve.c  implicit viscosity
//   pair_forces.c  second loop: pressure, viscosity, XSPH             walls.c, pair_walls.c  what fluids do to walls
//
// The loops run over places (neighbors/near.h), on rows of four numbers packed for them. Lengths in rows are in units
// of L, a power of two near the support, so that sums of single precision stay in range at any scale and nothing is
// rounded by the change of unit. Velocities are in m/s.
#pragma once

#include "core/array.h"
#include "materials/rheology.h"
#include "math/gather.h"
#include "boundary/mirror.h"
#include "methods/method.h"
#include "methods/shared/free_spin.h"
#include "methods/wcsph/viscous_solve.h"

typedef enum phxi_wcsph_density { WCSPH_CONTINUITY, WCSPH_SUMMATION } phxi_wcsph_density;
typedef enum phxi_wcsph_equation { WCSPH_LINEAR, WCSPH_TAIT } phxi_wcsph_equation;
typedef enum phxi_wcsph_form { WCSPH_ANGULAR, WCSPH_MORRIS, WCSPH_STRESS } phxi_wcsph_form;
typedef enum phxi_wcsph_viscosity { WCSPH_AUTO, WCSPH_EXPLICIT, WCSPH_IMPLICIT } phxi_wcsph_viscosity;

typedef struct phxi_wcsph_params {
    int kernel;         // phxi_sph_kernel
    int density;        // phxi_wcsph_density
    int equation;       // phxi_wcsph_equation
    double sound_speed; // m/s; 0: chosen
    int form;           // phxi_wcsph_form
    int viscosity;      // phxi_wcsph_viscosity
    double alpha, xsph, delta, floor;
    double tolerance;
} phxi_wcsph_params;

enum {
    WCSPH_COMPRESSION,
    WCSPH_VISCOSITY,
    WCSPH_SHEAR_RATE,
    WCSPH_FIELD_COUNT,
};
extern const phxi_field_def phxi_wcsph_fields[WCSPH_FIELD_COUNT];

enum {
    WCSPH_WORD_LAST_DT,
    WCSPH_WORD_SOUND,      // m/s, of bodies that leave it open
    WCSPH_WORD_MOST_SOUND, // m/s, as it was chosen at the start
    WCSPH_WORD_SPEED,      // m/s, of all but a few drops
    WCSPH_WORD_LOOK,       // substeps since these were looked at
    WCSPH_WORD_COUNT
};
enum { WCSPH_GRAIN = 128 };
#define WCSPH_MOTION 0.5 // spacings that a particle may go in a substep

/// What a place is; OTHER: takes no part (solids that conduct heat).
typedef enum phxi_wcsph_kind { WCSPH_OTHER, WCSPH_FLUID, WCSPH_WALL } phxi_wcsph_kind;

/// Arrays by place for the implicit step.
enum {
    WCSPH_SOLVE_TARGET,
    WCSPH_SOLVE_GUESS = 3,
    WCSPH_SOLVE_NORMAL = 6,
    WCSPH_SOLVE_DEPTH = 9,
    WCSPH_SOLVE_MASS,
    WCSPH_SOLVE_VOLUME,
    WCSPH_SOLVE_VISCOSITY,
    WCSPH_SOLVE_COUNT,
};

/// Numbers of a body, by its index.
typedef struct phxi_wcsph_body {
    int kind;            // phxi_wcsph_kind
    double density, per; // kg/m^3 at rest; 1 / it
    double sound;        // m/s
    int equation;        // phxi_wcsph_equation
    bool slip;           // walls
} phxi_wcsph_body;

/// A fluid's rheology, by its turn among the solver's bodies.
typedef struct phxi_wcsph_fluid {
    int body;
    phxi_rheology rheology;
    bool thick; // viscosity depends on shear rate
} phxi_wcsph_fluid;

/// Sums of a block, merged in block order.
typedef struct phxi_wcsph_sums {
    int bad; // place of the lowest particle that is not finite, or -1
    const char* stage;
    double viscosity; // largest eta / (rho h^2), 1/s
    phxi_spin_sums spin;
} phxi_wcsph_sums;

typedef struct phxi_wcsph {
    phxi_heap* heap;
    double words[WCSPH_WORD_COUNT];
    PHXI_ARRAY(phxi_wcsph_fluid) fluids;
    PHXI_ARRAY(phxi_wcsph_body) bodies;
    const phxi_wcsph_params* params; // shared by all bodies, but for equation and sound_speed
    phxi_viscous* viscous;
    phxi_viscous_report report; // of the last implicit step
    double implicit_steps, explicit_steps, iterations;
    double slack; // how much longer the last stable step was than that of sound in a thin fluid

    // by place
    int capacity, solve_capacity, stress_capacity, walls_capacity;
    uint8_t* kind;
    uint8_t* mixed;        // its row has walls or others
    uint8_t* role;         // phxi_viscous_kind
    phxi_r4* position;     // and volume
    phxi_r4* velocity;     // of the last half step; compression of fluids
    phxi_r4* hydrostatic;  // fluids: slope of density, a / (2 c^2) of the last substep, 1 / L; others: 1 in the fourth
    phxi_r4* pressure;     // V^2 p, 1 / rho, 1 / eta, mass by `mass_unit`
    phxi_r4* wall_normal;  // and depth; not walls: WCSPH_IS_FLUID or WCSPH_IS_OTHER in place of the depth
    phxi_r4* acceleration; // by fluids and walls; square of the distance of the nearest wall
    phxi_r4* drift;        // XSPH velocity
    phxi_r4 *stress_xx, *stress_xz;   // xx yy zz xy, xz yz
    phxi_r4 *push, *solved;           // for walls: phxi_wcsph_push_of; velocities of the implicit step
    const phxi_r4* friction_velocity; // that friction acts with: velocity or `solved`
    phx_real* solve[WCSPH_SOLVE_COUNT];
    phxi_wcsph_sums* sums;

    // of all particles, found again when there are more
    int known, chosen_for; // how many particles they were; and when sound was chosen
    double support;        // m, the largest
    double mass_unit;      // kg, the heaviest particle
    double lattice;        // sum of V w on a lattice
    double rest_density;   // kg/m^3, of the first fluid: what walls have
    bool uniform;          // all supports are the same

    // of this substep
    phxi_step* step;
    phx_real* field[WCSPH_FIELD_COUNT];
    const phxi_near* near;
    double dt, last_dt;
    double unit, scale; // L in m, and 1 / L
    double sound;       // m/s, the largest
    bool others;        // there are walls or others
    bool periodic, shear, implicit, inviscid;
    phx_real period[3], per_period[3];                                // in L
    phx_real inverse;                                                 // 1 / support, in L, where uniform
    phx_real soft;                                                    // 0.01 h^2 in L^2, where uniform
    double spacing;                                                   // m, h of the kernel
    double slope_unit, value_unit, spread_unit, force_unit, hat_unit; // what sums over pairs are multiplied with
} phxi_wcsph;

/// In place of the depth of wall rows.
#define WCSPH_IS_FLUID (-1)
#define WCSPH_IS_OTHER (-2)
#define WCSPH_SLIPS    1e5 // added to the depth: no friction

static inline phx_real* phxi_wcsph_field(const phxi_step* step, int field) {
    return phxi_particles_field(step->particles, phxi_wcsph_fields[field].name);
}
static inline const phxi_wcsph_params* phxi_wcsph_params_of(const phxi_body* body) {
    return body->params;
}

/// Of fluid at place i against walls: V_w times [0] + [1..3] . (x_i - x_w), where positive, is the pressure's share.
static inline void phxi_wcsph_push_of(const phxi_wcsph* s, int i, phxi_r4* push) {
    const phxi_wcsph_body* body = &s->bodies.items[s->step->particles->body[s->near->particle[i]]];
    double volume = (double)s->position[i][3], ratio = body->density * (double)s->pressure[i][1];
    double pressure = (double)s->pressure[i][0] / (volume * volume);
    double weight = pressure > 0 ? -volume * body->density * s->unit / (ratio * ratio) : 0;
    phx_vec3 g = s->step->gravity;
    *push = (phxi_r4){(phx_real)(volume * pressure * (ratio + 1 / ratio)), (phx_real)(weight * g.x),
                      (phx_real)(weight * g.y), (phx_real)(weight * g.z)};
}

// sound.c
/// Chooses the speed of sound of bodies that leave it open; says so where a given one is too small.
void phxi_wcsph_choose_sound(phxi_wcsph* s, phxi_step* step);
double phxi_wcsph_sound_of(const phxi_wcsph* s, const phxi_body* body);
/// At the end of a substep: a smaller speed of sound for a fluid that has become slow, or again a larger one.
void phxi_wcsph_follow_sound(phxi_wcsph* s);

// limits.c
double phxi_wcsph_stable_dt(void* state, phxi_step* step, char reason[160]);
/// Largest explicit step of viscosity for eta / (rho h^2) of this many 1/s, s.
double phxi_wcsph_viscous_dt(double rate);
double phxi_wcsph_wall_speed(const phxi_step* step);
double phxi_wcsph_modulus(const void* state, const phxi_step* step, int body);
double phxi_wcsph_contact_slack(const void* state, const phxi_step* step, int body);

// bodies.c
/// The kind and support of each body; updated when bodies were added.
phx_result phxi_wcsph_update_bodies(phxi_wcsph* s, phxi_step* step);

// step.c
phx_result phxi_wcsph_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
void phxi_wcsph_release(phxi_wcsph* s);

// pair_rates.c: of fluid places [begin, end) to acceleration: d s/dt, shear rate, sum of V w; and D_ab to stress_xx,
// stress_xz if there is room; mixed. By PHXI_LANES_CALL.
void phxi_wcsph_rates(phxi_wcsph* s, int begin, int end);
void phxi_wcsph_rates_avx512(phxi_wcsph* s, int begin, int end);
// pair_forces.c: of fluid places [begin, end) to acceleration and drift. By PHXI_LANES_CALL.
void phxi_wcsph_forces(phxi_wcsph* s, int begin, int end);
void phxi_wcsph_forces_avx512(phxi_wcsph* s, int begin, int end);

// pair_walls.c: N on wall places [begin, end) to acceleration, from push and friction_velocity. By PHXI_LANES_CALL.
void phxi_wcsph_walls(phxi_wcsph* s, int begin, int end);
void phxi_wcsph_walls_avx512(phxi_wcsph* s, int begin, int end);
// walls.c
/// After forces and the implicit step, if the result is needed.
phx_result phxi_wcsph_push_walls(phxi_wcsph* s);
void phxi_wcsph_drop_walls(phxi_wcsph* s);

// guard.c
void phxi_wcsph_guard(const phxi_wcsph* s, int place);

// measure.c
enum { WCSPH_DERIVED_COUNT = 4 };
extern const phxi_derived_field phxi_wcsph_derived[WCSPH_DERIVED_COUNT];
void phxi_wcsph_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
void phxi_wcsph_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
/// Pa, of a compression s = rho / rho_0 - 1.
double phxi_wcsph_pressure(const phxi_wcsph_body* body, double compression);
