// SPDX-License-Identifier: MIT
// Rigid bodies: particles that keep their places in a body which moves as one.
//
//   rigid.c  the method: building, measuring, saving      step.c  from forces on particles to the next state
//   hold.c   what drivers that hold particles leave free  free_rotation.c  how a free one turns
//   kinematic.c  those that drivers alone move: walls, along which fluids flow
//
// Methods are `rigid`, and `wall`, all of whose bodies are kinematic (methods/wall/wall.c).
//
// The state of a body is where its centre is, how it is turned, and its velocity and angular momentum of half a substep
// ago, all in double; particles are placed from these in every substep, so that nothing drifts. Forces are known at t
// alone (motion/explicit.h), so a substep is that of leap-frog:
//   V(mid) += (dt_old + dt)/2 (F/M + g)      L(mid) += (dt_old + dt)/2 T
//   c += dt V(mid)                           R turned by the free motion with L(mid), free_rotation.h
//   V(t + dt) = V(mid) + dt/2 (F/M + g)      L(t + dt) = L(mid) + dt/2 T
// Where drivers hold particles of it, what they hold decides: one point (or several at one place) leaves the turning
// about it, a line leaves the angle about it, anything else leaves nothing and the body follows. About a point P that
// is moved with the mean velocity u in this substep, r = c - P,
//   L_P = L(mid) + M r x (V(mid) - u) + (dt_old + dt)/2 (T + r x (F + M g)),
// which holds too when the driver has just begun: its impulse acts at P and has no torque about it.
//
// A kinematic body (phxi_body.kinematic) has no such state: drivers put all of its particles where they are, and three
// of them tell where the body is (boundary/boundary.h), to contact as to fluids. Each of its particles knows the unit
// normal of the surface above it, which turns with the body, and its depth below: the boundary fields of particles.h.
// Its volume is what fluids take for their sums: its own, or, by Akinci et al. (2012), gamma / sum_k W_bk over the
// walls around it.
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "methods/rigid/free_rotation.h"

typedef struct phxi_rigid_params {
    double mass;    // kg; 0: density times volume
    double modulus; // Pa; 0: Young's of its material
    bool kinematic;
    // of kinematic bodies:
    int kernel; // phxi_sph_kernel
    double layers;
    int masses; // phxi_rigid_masses
    double gamma;
    bool slip;
    const char* surface; // a shape, or NULL
} phxi_rigid_params;
typedef enum phxi_rigid_masses { PHXI_RIGID_MASS_VOLUME, PHXI_RIGID_MASS_AKINCI } phxi_rigid_masses;

/// Those of `rigid`; the last ones, from `kernel` on, are those of `wall`.
enum { PHXI_RIGID_OWN_PARAMS = 3, PHXI_RIGID_WALL_PARAMS = 6 };
extern const phx_param phxi_rigid_param_list[PHXI_RIGID_OWN_PARAMS + PHXI_RIGID_WALL_PARAMS];

/// Fields of particles, not saved: all follow from the solid at rest. Kinematic bodies have the depth as a boundary.
enum { PHXI_RIGID_NORMAL, PHXI_RIGID_FLATNESS = 3, PHXI_RIGID_DEPTH, PHXI_RIGID_FIELDS };
enum { PHXI_RIGID_WALL_FIELDS = PHXI_RIGID_DEPTH };
#define PHXI_RIGID_WALL_FIELD_DEFS(method)                                                                             \
    {method ".normal_x", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false},                     \
        {method ".normal_y", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false},                 \
        {method ".normal_z", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false}, {               \
        method ".flatness", "", "1 below faces, near 0 at edges and corners", PHXI_FIELD_REAL, false                   \
    }

/// Fields to show: the first two are those of `rigid`, the others those of `wall`.
enum { PHXI_RIGID_SHOWN = 2, PHXI_RIGID_WALL_SHOWN = 2 };
extern const phxi_derived_field phxi_rigid_derived[PHXI_RIGID_SHOWN + PHXI_RIGID_WALL_SHOWN];

/// What is saved of a body.
typedef struct phxi_rigid_motion_state {
    phx_vec3 center;
    phxi_quat orientation;               // from rest
    phx_vec3 velocity, angular_momentum; // of half a substep ago; the latter about the centre
    phx_vec3 velocity_now, angular_now;  // the same as others see them
    double last_dt;                      // s; 0: there was no substep yet
} phxi_rigid_motion_state;

typedef struct phxi_rigid_body {
    int index; // in the world
    double mass;
    phx_vec3 rest;     // centre of mass at rest
    phxi_sym3 inertia; // about it, at rest
    phxi_principal_inertia principal;
    double contact_mass, skin;
    int chunk_begin, chunk_end;
    phxi_rigid_motion_state state;
} phxi_rigid_body;

/// Particles that are summed and placed together.
typedef struct phxi_rigid_chunk {
    int body;       // own number
    int begin, end; // from the first particle of the body
} phxi_rigid_chunk;

typedef struct phxi_rigid_solver {
    phxi_heap* heap;
    const phxi_field_def* fields; // of the method
    int field_count;
    double packed; // kinematic bodies whose volumes were made from the walls around them; saved
    PHXI_ARRAY(phxi_rigid_body) bodies;
    PHXI_ARRAY(phxi_rigid_chunk) chunks;
} phxi_rigid_solver;

/// hold.c: what drivers leave of a body's freedom in this substep.
typedef enum phxi_hold_kind { PHXI_HOLD_NONE, PHXI_HOLD_POINT, PHXI_HOLD_LINE, PHXI_HOLD_ALL } phxi_hold_kind;
typedef struct phxi_hold {
    phxi_hold_kind kind;
    int count;               // particles that are held
    double mass;             // of these
    phx_vec3 rest;           // their centre of mass at rest
    phx_vec3 now;            // and where drivers have put it for the end of the substep
    phx_vec3 velocity, spin; // at the end; the spin is known if all is held
    phx_vec3 axis;           // at rest, of a line: a unit vector
    phx_vec3 turned;         // where the line points at the end of the substep
    phxi_mat3 rotation;      // from rest, if all is held
    double misfit;           // m: root of the mean square by which held particles do not fit a rigid motion
} phxi_hold;
phxi_hold phxi_hold_of(const phxi_particles* particles, const phxi_body* body, const phxi_rigid_body* rigid);
/// Where a place of the body at rest is now.
phx_vec3 phxi_rigid_where(const phxi_rigid_body* body, phx_vec3 rest);
/// Inertia about another place of the body, at rest.
phxi_sym3 phxi_rigid_inertia_about(const phxi_rigid_body* body, phx_vec3 rest);

/// step.c
phx_result phxi_rigid_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);

/// kinematic.c: the surface at rest as fluids see it; pose and motion as contact does; a substep.
void phxi_kinematic_set_surface(phxi_particles* particles, int i, double depth, phx_vec3 normal);
void phxi_kinematic_describe(const phxi_rigid_body* own, const phxi_particles* particles, const phxi_body* body,
                             phxi_contact_rigid* rigid);
phx_result phxi_kinematic_substep(phxi_rigid_solver* solver, phxi_step* step);
/// Normals of all kinematic bodies as they are turned now.
void phxi_kinematic_restored(const phxi_rigid_solver* solver, phxi_step* step);
extern const phxi_boundary_table phxi_kinematic_boundary;
extern const phxi_space_table phxi_kinematic_space;

/// rigid.c, for variants.
static inline const phxi_rigid_params* phxi_rigid_params_of(const phxi_body* body) {
    return body->params;
}
/// Fields at rest by PHXI_RIGID_NORMAL ...; NULL where the method has none.
void phxi_rigid_bind(const phxi_rigid_solver* solver, const phxi_particles* particles,
                     phx_real* data[PHXI_RIGID_FIELDS]);
void phxi_rigid_destroy(void* state, phxi_step* step);
phx_result phxi_rigid_add_body(void* state, phxi_step* step, int body);
double phxi_rigid_stable_dt(void* state, phxi_step* step, char reason[160]);
void phxi_rigid_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
void phxi_rigid_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
void phxi_rigid_describe(const void* state, const phxi_step* step, int body, phxi_contact_rigid* rigid);
double phxi_rigid_contact_mass(const void* state, const phxi_step* step, int body);
double* phxi_rigid_words(void* state);
phx_result phxi_rigid_restored(void* state, phxi_step* step);
extern const phxi_sampling_table phxi_rigid_sampling;
