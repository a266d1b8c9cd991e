// SPDX-License-Identifier: MIT
// The particle store: structure of arrays, 64-byte aligned, every array named in one field table. Allocation, growth,
// sorting, checkpoint, comparison and export walk the table; fields are never listed by hand.
//
//   core      id, body, x y z, vx vy vz, mass, volume, spacing, rest_x rest_y rest_z ...; always there
//   motion    what integrators keep besides x and v, shared by all methods; a group comes with the first that needs it
//   boundary  of bodies that fluids flow along, likewise
//   method    of one method, with its first body
//
// A body is a contiguous range; sorting along a space-filling curve happens inside a range when the body is created.
#pragma once

#include "core/heap.h"
#include "math/vec3.h"

typedef enum phxi_field_type { PHXI_FIELD_REAL, PHXI_FIELD_INT, PHXI_FIELD_UINT64 } phxi_field_type;

typedef struct phxi_field_def {
    const char* name; // unique: "vx", "efg.force_x"
    const char* unit;
    const char* help;
    phxi_field_type type;
    bool saved; // part of the state: checkpoint, hash and comparison; false: scratch that is recomputed
} phxi_field_def;

typedef struct phxi_field {
    phxi_field_def def;
    void* data;
} phxi_field;

// X(member, type, enum suffix, unit, saved, help)
#define PHXI_CORE_FIELDS(X)                                                                                            \
    X(id, uint64_t, UINT64, "", true, "permanent number")                                                              \
    X(body, int, INT, "", true, "index of the body")                                                                   \
    X(x, phx_real, REAL, "m", true, "position")                                                                        \
    X(y, phx_real, REAL, "m", true, "position")                                                                        \
    X(z, phx_real, REAL, "m", true, "position")                                                                        \
    X(vx, phx_real, REAL, "m/s", true, "velocity")                                                                     \
    X(vy, phx_real, REAL, "m/s", true, "velocity")                                                                     \
    X(vz, phx_real, REAL, "m/s", true, "velocity")                                                                     \
    X(fx, phx_real, REAL, "N", false, "external force: contact and force drivers, reset each substep")                 \
    X(fy, phx_real, REAL, "N", false, "external force")                                                                \
    X(fz, phx_real, REAL, "N", false, "external force")                                                                \
    X(mass, phx_real, REAL, "kg", true, "mass")                                                                        \
    X(volume, phx_real, REAL, "m^3", true, "volume at rest")                                                           \
    X(spacing, phx_real, REAL, "m", true, "distance of particles at rest")                                             \
    X(rest_x, phx_real, REAL, "m", true, "position at creation")                                                       \
    X(rest_y, phx_real, REAL, "m", true, "position at creation")                                                       \
    X(rest_z, phx_real, REAL, "m", true, "position at creation")                                                       \
    X(area_x, phx_real, REAL, "m^2", true, "outward area at rest of what it owns of the surface; zero: nothing")       \
    X(area_y, phx_real, REAL, "m^2", true, "outward area at rest")                                                     \
    X(area_z, phx_real, REAL, "m^2", true, "outward area at rest")                                                     \
    X(surface, phx_real, REAL, "m^2", true,                                                                            \
      "how much of the surface it owns at rest: more than its area is long at edges")                                  \
    X(inset, phx_real, REAL, "m", true, "how much less than half a spacing it reaches (contact/reach.h)")              \
    X(temperature, phx_real, REAL, "degrees C", true, "temperature")                                                   \
    X(enthalpy, phx_real, REAL, "J/kg", true, "heat from 0 degrees C on, which temperature follows from")              \
    X(enthalpy_low, phx_real, REAL, "J/kg", true, "what is too small for it")                                          \
    X(overlap, phx_real, REAL, "m", true, "how deep the body was put into another or an obstacle, until it is out")    \
    X(fixed, int, INT, "", false, "1: a driver decides the position, 2: rollers do; reset each substep")               \
    X(rail, int, INT, "", false, "k + 1: a driver decides part of it, what rails[k] leaves is free; reset likewise")   \
    X(grip, int, INT, "", false, "k + 1: driver k holds all of it, in bodies that end at clamps (world/clamps.c)")

/// Vectors that integrators keep besides x and v, the same for all methods.
// X(member, names of the three fields, unit, help)
#define PHXI_MOTION_FIELDS(X)                                                                                          \
    X(low, "low_x", "low_y", "low_z", "m", "what rounding cut off the position")                                       \
    X(acceleration, "ax", "ay", "az", "m/s^2", "acceleration by internal forces")                                      \
    X(external, "ex", "ey", "ez", "m/s^2", "acceleration by external forces, last substep")                            \
    X(carry, "carry_x", "carry_y", "carry_z", "", "velocity at half time, or last displacement")                       \
    X(past, "past_x", "past_y", "past_z", "m/s", "velocity one step earlier, of implicit steps")                       \
    X(made, "made_x", "made_y", "made_z", "m/s", "velocity as the last implicit step left it")
/// How fluids and heat feel the surface of a body whose particles stand below it; zero normals: not at all.
// X(member, name, unit, saved, help)
#define PHXI_BOUNDARY_FIELDS(X)                                                                                        \
    X(boundary_normal[0], "boundary.x", "", false, "unit normal of the surface above, outward")                        \
    X(boundary_normal[1], "boundary.y", "", false, "unit normal of the surface above, outward")                        \
    X(boundary_normal[2], "boundary.z", "", false, "unit normal of the surface above, outward")                        \
    X(boundary_depth, "boundary.depth", "m", false, "how far below the surface")                                       \
    X(boundary_volume, "boundary.volume", "m^3", true, "the volume that fluids take it for")
/// Which of the motion fields a method needs.
enum {
#define X(member, x, y, z, unit, help) PHXI_MOTION_BIT_##member,
    PHXI_MOTION_FIELDS(X)
#undef X
        PHXI_MOTION_COUNT,
    PHXI_MOTION_LOW = 1 << PHXI_MOTION_BIT_low,
    PHXI_MOTION_ACCELERATION = 1 << PHXI_MOTION_BIT_acceleration,
    PHXI_MOTION_EXTERNAL = 1 << PHXI_MOTION_BIT_external,
    PHXI_MOTION_EXPLICIT =
        PHXI_MOTION_LOW | PHXI_MOTION_ACCELERATION | PHXI_MOTION_EXTERNAL | 1 << PHXI_MOTION_BIT_carry,
    PHXI_MOTION_IMPLICIT = PHXI_MOTION_LOW | PHXI_MOTION_ACCELERATION | 1 << PHXI_MOTION_BIT_carry |
                           1 << PHXI_MOTION_BIT_past | 1 << PHXI_MOTION_BIT_made,
};

typedef struct phxi_particles {
    phxi_heap* heap;
    int count, capacity;
    uint64_t next_id;
#define X(member, type, suffix, unit, saved, help) type* member;
    PHXI_CORE_FIELDS(X)
#undef X
#define X(member, x, y, z, unit, help) phx_real* member[3]; // NULL unless added
    PHXI_MOTION_FIELDS(X)
#undef X
    phx_real *boundary_normal[3], *boundary_depth, *boundary_volume; // NULL unless added
    phx_real* thermal;        // how much longer warmth makes it, less 1 (materials/expansion.h); NULL: nothing expands
    uint64_t thermal_version; // grows when that changes
    const phxi_mat3* rails; // in this substep: projectors onto the directions that are left free; NULL: there are none
    phxi_field* fields;     // all of them, core first; `data` equals the member pointers
    int field_count, field_capacity;
} phxi_particles;

phx_result phxi_particles_init(phxi_particles* particles, phxi_heap* heap);
void phxi_particles_destroy(phxi_particles* particles);
/// Adds `count` particles at the end: new ids, everything else zero. Unchanged on failure. Pointers move.
phx_result phxi_particles_add(phxi_particles* particles, int count);
/// Drops the last `count` (undoing a failed body); their ids are given again if they are the newest.
void phxi_particles_drop(phxi_particles* particles, int count);
/// Puts copies of the particles parents[k] < at, with new ids, before particle `at`; later ones move up. Unchanged on
/// failure. Pointers move.
phx_result phxi_particles_insert(phxi_particles* particles, int at, const int* parents, int count);
/// Takes out [at, at + count); later ones move down. Ids are given again as phxi_particles_drop does.
void phxi_particles_remove(phxi_particles* particles, int at, int count);
/// Adds an array of zeros, or does nothing if the name is there with the same type.
phx_result phxi_particles_add_field(phxi_particles* particles, const phxi_field_def* def);
/// Adds the motion fields of these groups (PHXI_MOTION_LOW | ...), zero, unless they are there.
phx_result phxi_particles_add_motion(phxi_particles* particles, unsigned groups);
/// Likewise the fields of boundaries.
phx_result phxi_particles_add_boundary(phxi_particles* particles);
/// Likewise that of thermal expansion.
phx_result phxi_particles_add_thermal(phxi_particles* particles);
/// Takes away all fields from the `count`-th on.
void phxi_particles_drop_fields(phxi_particles* particles, int count);
/// Its data, NULL if there is none.
void* phxi_particles_field(const phxi_particles* particles, const char* name);
/// Orders particles [begin, begin+count) of all fields: particle begin+k becomes what was at begin+order[k]. `order` is
/// a permutation of 0 .. count-1 (what phxi_curve_order gives), else PHX_ERROR_ARGUMENT. Unchanged on failure.
phx_result phxi_particles_reorder(phxi_particles* particles, int begin, int count, const int* order);
/// Least and largest of an array; what is not a number does not count. Empty: INFINITY, -INFINITY.
void phxi_range(const phx_real* values, int count, phx_real* low, phx_real* high);
/// Over the bits of all saved fields.
uint64_t phxi_particles_hash(const phxi_particles* particles);
size_t phxi_field_size(phxi_field_type type);
/// A vector of three arrays.
static inline phx_vec3 phxi_vector_at(phx_real* const field[3], int i) {
    return phxi_vec3(field[0][i], field[1][i], field[2][i]);
}
static inline void phxi_vector_set(phx_real* const field[3], int i, phx_vec3 value) {
    field[0][i] = (phx_real)value.x, field[1][i] = (phx_real)value.y, field[2][i] = (phx_real)value.z;
}
/// Whether drivers decide some directions of a particle but not all.
static inline bool phxi_on_rail(const phxi_particles* particles, int i) {
    return particles->rails && particles->rail[i] && !particles->fixed[i];
}
/// What of a vector its rail leaves free.
static inline phx_vec3 phxi_along_rail(const phxi_particles* particles, int i, phx_vec3 v) {
    return phxi_mat3_apply(&particles->rails[particles->rail[i] - 1], v);
}
/// x + low, as exactly as the store knows it.
static inline phx_vec3 phxi_particles_place(const phxi_particles* particles, int i) {
    return phxi_vec3((double)particles->x[i] + (double)particles->low[0][i],
                     (double)particles->y[i] + (double)particles->low[1][i],
                     (double)particles->z[i] + (double)particles->low[2][i]);
}

/// order[k] = index of the k-th point along a Z curve (ties by index), in cells of `cell` edge: 4^3 bricks for cell =
/// 4 spacings keep neighbours near in memory. Stable, reproducible.
phx_result phxi_curve_order(phxi_heap* heap, const phx_vec3* points, int count, double cell, int* order);
/// Puts a new body's particles in that order, by their rest positions, in bricks of four spacings.
phx_result phxi_curve_sort(phxi_particles* particles, int begin, int count);
