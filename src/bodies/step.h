// SPDX-License-Identifier: MIT
// What the stages of a substep are given: the part of the world that solvers and the implicit step may read and change.
#pragma once

#include "bodies/body.h"
#include "boundary/boundary.h"
#include "contact/collider.h"
#include "core/arena.h"
#include "neighbors/near.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

/// Particles that a driver holds in this substep. Their positions are already those of its end. Bodies with frames turn
/// them along, and add the couple they exert at the end of the substep.
typedef struct phxi_driver_hold {
    const int* indices; // ascending
    int count;          // 0: its window is closed, or it does not hold
    phxi_mat3 turn;     // of the substep
    phx_vec3 couple;    // N m
} phxi_driver_hold;

/// Everything a solver may touch.
typedef struct phxi_step {
    phxi_heap* heap;
    phxi_arena* arena; // scratch of this substep
    phxi_pool* pool;
    phxi_particles* particles;
    const phxi_body* bodies; // all bodies of the world; a solver's own are bodies[own[k]], k < own_count
    int body_count;
    const phxi_boundary_view* boundaries; // by body: how fluids feel it; NULL outside of substeps
    const int* own;
    int own_count;
    const phxi_collider*
        colliders; // for methods that handle them, and implicit steps; for others their forces are in fx fy fz
    int collider_count;
    phxi_collider_push* pushes; // by collider: solvers that find its forces themselves add them here; NULL: not wanted
    phx_vec3* body_pushes; // N of collider c on body b at [b * collider_count + c], likewise, of those that are watched
    phxi_driver_hold* holds; // by driver; hold_count 0: outside of substeps
    int hold_count;
    /// N by axis and particle: what bodies that leap-frog add to fx fy fz in the half kick that ends the substep, as
    /// what pushes them changes with time (world/drivers.c). NULL: nothing.
    phx_real* const* late_force;
    const phxi_near* near; // neighbours in space at the beginning of this substep, of all bodies with a reach
    phx_vec3 period;       // m; of the world, see neighbors/near.h
    phx_vec3 gravity;      // m/s^2
    double time;           // s
    bool watched;          // forces on walls are needed after this substep
    bool statics;          // the world looks for an equilibrium: every body is to be solved for (world/statics.c)
    const phx_log* log;
    /// Adds copies of own particles to a body, from `adapt` only: parents[k] counts from the body's first particle. The
    /// copies come after the body's last one, in order, with new ids, and belong to all groups their parent is in.
    /// Arrays and all later bodies move (every solver is told by `moved`); `step` itself stays valid.
    phx_result (*grow)(struct phxi_step* step, int body, const int* parents, int count);
    phx_world* world; // opaque here; for `grow`
} phxi_step;

/// Where the state went wrong: the lowest particle index, and a word for the stage.
typedef struct phxi_trouble {
    int particle; // -1: none
    const char* stage;
} phxi_trouble;
