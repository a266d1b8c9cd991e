// SPDX-License-Identifier: MIT
// Blocks of nodes: sums of the tiles that overlap them, velocities, fixed particles, colliders.
//
// A node where fixed particles have half of the mass or more moves with them: v_i = v_held. Fixed particles then see
//   u_i = v_i - (m_i / m_held,i) (v_i - v*_i),   v* before that,
// instead of v_i, which tells their drivers the whole force on such nodes, not their share of it.
#include "methods/mpm/mpm_internal.h"
#include "methods/mpm/rows.h"

#include "contact/law/friction.h"

#include <string.h>

/// The four numbers of a node.
typedef phxi_r4 node;

/// Rows of a block of nodes that some particle sees.
static uint32_t rows_of(const phxi_mpm* s, const phxi_mpm_nodes* nodes) {
    uint32_t rows = 0;
    for (int octant = 0; octant < 8; ++octant) {
        const int block = nodes->blocks[octant];
        rows |= block >= 0 ? phxi_mpm_octant_rows(&s->blocks.items[block].rows, octant) : 0;
    }
    return rows;
}

/// The first of the next four nodes along z that some particle sees; -1: there are no more.
static int next_nodes(uint64_t* rows) {
    return *rows ? phxi_mpm_row_in_block(phxi_mpm_next_row(rows)) / 4 : -1;
}

static node* node_at(phx_real* numbers, int block, int n) {
    return (node*)(numbers + (ptrdiff_t)block * MPM_BLOCK + 4 * n);
}

static phx_vec3 position_of(const phxi_mpm* s, const phxi_mpm_nodes* nodes, int n) {
    return phxi_vec3(s->origin.x + s->h * (nodes->at[0] + n / (MPM_SIDE * MPM_SIDE)),
                     s->origin.y + s->h * (nodes->at[1] + n / MPM_SIDE % MPM_SIDE),
                     s->origin.z + s->h * (nodes->at[2] + n % MPM_SIDE));
}

// --------------------------------------------------------------------------------------------------------- velocities

/// Momentum becomes velocity, with what `gain` adds to it; nodes without mass get none.
static void divide(const phxi_mpm* s, uint64_t rows, phx_real* numbers, const phx_real* mass, const node* gain) {
    const phx_real least = (phx_real)(1e-20 * s->mass_unit);
    for (int first; (first = next_nodes(&rows)) >= 0;) {
        for (int n = first; n < first + MPM_SIDE; ++n) {
            node* v = (node*)(numbers + 4 * n);
            const phx_real m = mass[4 * n];
            const node zero = {0}, moved = *v / m + *gain;
            *v = m > least ? moved : zero;
            (*v)[0] = m;
        }
    }
}

/// Linear solves leave a node what it has here: along a normal, or wholly.
static void bind_node(phxi_mpm* s, int block, int n, phxi_mpm_bound how, phx_vec3 normal) {
    if (!s->solves) {
        return;
    }
    node* bound = node_at(s->bound.items, block, n);
    if (how == MPM_HELD) {
        *bound = (node){MPM_HELD, 0, 0, 0};
    } else {
        phxi_mpm_bind_along((phx_real*)bound, normal);
    }
}

/// A node that fixed particles hold, and what these see.
static void hold_node(phxi_mpm* s, int block, const phxi_mpm_nodes* nodes, int n) {
    node *v = node_at(s->velocity.items, block, n), *held = node_at(s->held_velocity.items, nodes->held, n);
    const phx_real m = (*v)[0], part = (*held)[0];
    const node before = *v, theirs = *held / part;
    if (m > 0 && part >= (phx_real)0.5 * m) {
        *v = theirs;
        (*v)[0] = m;
        *held = theirs - (m / part) * (theirs - before);
        bind_node(s, block, n, MPM_HELD, phxi_vec3(0, 0, 0));
    } else {
        *held = before;
    }
}

static void hold(phxi_mpm* s, int block, const phxi_mpm_nodes* nodes) {
    uint64_t rows = nodes->rows;
    for (int first; (first = next_nodes(&rows)) >= 0;) {
        for (int n = first; n < first + MPM_SIDE; ++n) {
            hold_node(s, block, nodes, n);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- colliders

/// The velocity that a collider with outward normal n leaves to a node in it, and how it binds it.
static phx_vec3 collide_node(int boundary, double friction, phx_vec3 n, phx_vec3 own, phx_vec3 v, phxi_mpm_bound* how) {
    *how = MPM_HELD;
    if (boundary == MPM_STICKY) {
        return own;
    }
    if (phxi_dot(phxi_sub(v, own), n) >= 0 && boundary != MPM_SLIP) {
        *how = MPM_FREE;
        return v;
    }
    bool rough = boundary == MPM_FRICTION || boundary == MPM_MIRROR, holds;
    phx_vec3 to = phxi_friction_stop(v, own, n, rough ? friction : 0, &holds);
    *how = holds ? MPM_HELD : MPM_NOT_ALONG;
    return to;
}

/// Takes the change of a node's momentum down, for whoever drives the collider.
static void note_push(phxi_mpm* s, int block, int c, const node* before, phx_vec3 after, phx_vec3 own) {
    if (!s->pushes) {
        return;
    }
    phx_vec3 change = phxi_sub(after, phxi_vec3((*before)[1], (*before)[2], (*before)[3]));
    phx_vec3 force = phxi_scale((double)(*before)[0] / s->dt, change);
    phxi_collider_push* push = &s->pushes[(ptrdiff_t)block * s->step->collider_count + c];
    push->force = phxi_add(push->force, force);
    push->mean += phxi_dot(force, own);
}

/// A node at `depth` in a collider, whose nearest surface is `at`; in corners there is another wall half a cell before
/// that.
static void meet_walls(phxi_mpm* s, int block, int n, int c, double depth, phxi_surface_point* at) {
    const phxi_collider* collider = &s->step->colliders[c];
    node* v = node_at(s->velocity.items, block, n);
    phx_vec3 position = position_of(s, &s->nodes.items[block], n);
    for (int wall = 0; wall < 3; ++wall) {
        phxi_mpm_bound how;
        phx_vec3 to = collide_node(s->params->boundary, collider->friction, at->normal, at->velocity,
                                   phxi_vec3((*v)[1], (*v)[2], (*v)[3]), &how);
        if (how != MPM_FREE) {
            bind_node(s, block, n, how, at->normal);
        }
        note_push(s, block, c, v, to, at->velocity);
        *v = (node){(*v)[0], (phx_real)to.x, (phx_real)to.y, (phx_real)to.z};
        position = phxi_add_scaled(position, fmax(depth, 0) + 0.5 * s->h, at->normal);
        if (collider->flat || phxi_collider_distance(collider, position) > MPM_ON_SURFACE * s->h) {
            return;
        }
        depth = -phxi_collider_surface(collider, position, at);
    }
}

/// A collider near a block of nodes. Of flat ones the distance of a node follows from that of another.
typedef struct near_wall {
    int collider;
    double distance, along[3];  // of the block's first node; what it grows by from node to node
    phxi_surface_point surface; // near the block
} near_wall;

static void meet_collider(phxi_mpm* s, int block, int n, near_wall* wall) {
    const phxi_collider* collider = &s->step->colliders[wall->collider];
    if (!((*node_at(s->velocity.items, block, n))[0] > 0)) {
        return;
    }
    const phx_vec3 position = position_of(s, &s->nodes.items[block], n);
    const double distance = collider->flat
                                ? wall->distance + wall->along[0] * (n / (MPM_SIDE * MPM_SIDE)) +
                                      wall->along[1] * (n / MPM_SIDE % MPM_SIDE) + wall->along[2] * (n % MPM_SIDE)
                                : phxi_collider_distance(collider, position);
    if (s->fixes_volume) {
        phxi_mpm_take_space(s, block, n, distance);
    }
    if (distance > MPM_ON_SURFACE * s->h) {
        return;
    }
    if (collider->flat) {
        wall->surface.velocity = phxi_pose_velocity(&collider->next, position);
    } else {
        phxi_collider_surface(collider, position, &wall->surface);
    }
    meet_walls(s, block, n, wall->collider, -distance, &wall->surface);
}

static near_wall wall_of(const phxi_mpm* s, const phxi_mpm_nodes* nodes, int collider) {
    near_wall wall = {.collider = collider};
    if (s->step->colliders[collider].flat) {
        wall.distance = phxi_collider_surface(&s->step->colliders[collider], position_of(s, nodes, 0), &wall.surface);
        wall.along[0] = s->h * wall.surface.normal.x;
        wall.along[1] = s->h * wall.surface.normal.y;
        wall.along[2] = s->h * wall.surface.normal.z;
    }
    return wall;
}

static void meet_colliders(phxi_mpm* s, int block, const phxi_mpm_nodes* nodes) {
    const double half = 0.5 * (MPM_SIDE - 1) * s->h,
                 radius = 1.7320508075688772 * half + (s->fixes_volume ? 0.5 * s->h : 0);
    const phx_vec3 middle = phxi_add(position_of(s, nodes, 0), phxi_vec3(half, half, half));
    for (int c = 0; c < s->step->collider_count; ++c) {
        if (!phxi_collider_near(&s->step->colliders[c], middle, radius) || phxi_mpm_is_mirror(s, c)) {
            continue;
        }
        near_wall wall = wall_of(s, nodes, c);
        uint64_t rows = nodes->rows;
        for (int first; (first = next_nodes(&rows)) >= 0;) {
            for (int n = first; n < first + MPM_SIDE; ++n) {
                meet_collider(s, block, n, &wall);
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- stages

static void sum_block(phxi_mpm* s, int n) {
    phxi_mpm_nodes* nodes = &s->nodes.items[n];
    nodes->rows = s->every_row ? MPM_BLOCK_ROWS : rows_of(s, nodes);
    phxi_mpm_add_tiles(s, nodes, s->tiles.items, false, s->velocity.items + (ptrdiff_t)n * MPM_BLOCK);
    if (s->keeps_old) {
        phxi_mpm_add_tiles(s, nodes, s->old_tiles.items, false, s->old_velocity.items + (ptrdiff_t)n * MPM_BLOCK);
    }
    if (nodes->held >= 0) {
        phxi_mpm_add_tiles(s, nodes, s->held_tiles.items, true,
                           s->held_velocity.items + (ptrdiff_t)nodes->held * MPM_BLOCK);
    }
}

static void move_block(phxi_mpm* s, int n) {
    const phxi_mpm_nodes* nodes = &s->nodes.items[n];
    const phx_vec3 g = phxi_scale(s->dt, s->step->gravity);
    const node gain = {0, (phx_real)g.x, (phx_real)g.y, (phx_real)g.z}, none = {0};
    phx_real* numbers = s->velocity.items + (ptrdiff_t)n * MPM_BLOCK;
    if (s->keeps_old) {
        divide(s, nodes->rows, s->old_velocity.items + (ptrdiff_t)n * MPM_BLOCK, numbers, &none);
    }
    divide(s, nodes->rows, numbers, numbers, &gain);
    if (nodes->held >= 0) {
        hold(s, n, nodes);
    }
    if (s->fixes_volume) {
        phxi_mpm_clear_space(s, n);
    }
    meet_colliders(s, n, nodes);
}

static void sum_part(void* context, int begin, int end, int block) {
    (void)block;
    for (int n = begin; n < end; ++n) {
        sum_block(context, n);
    }
}

static void move_part(void* context, int begin, int end, int block) {
    (void)block;
    for (int n = begin; n < end; ++n) {
        move_block(context, n);
    }
}

static void both_part(void* context, int begin, int end, int block) {
    (void)block;
    for (int n = begin; n < end; ++n) {
        sum_block(context, n);
        move_block(context, n);
    }
}

enum { GRAIN = 8 };

/// Reserves room for the forces of colliders, if they are wanted.
static phx_result begin_pushes(phxi_mpm* s) {
    bool asked = false;
    for (int c = 0; s->step->pushes && c < s->step->collider_count; ++c) {
        asked = asked || s->step->colliders[c].driven;
    }
    size_t count = (size_t)s->nodes.count * (size_t)s->step->collider_count;
    s->pushes = asked ? phxi_arena_take(s->step->arena, count, sizeof *s->pushes) : NULL;
    if (asked && !s->pushes) {
        return PHX_ERROR_MEMORY;
    }
    if (asked) {
        memset(s->pushes, 0, count * sizeof *s->pushes);
    }
    return PHX_OK;
}

static void end_pushes(phxi_mpm* s) {
    const int colliders = s->step->collider_count;
    for (int n = 0; s->pushes && n < s->nodes.count; ++n) {
        for (int c = 0; c < colliders; ++c) {
            const phxi_collider_push* push = &s->pushes[(ptrdiff_t)n * colliders + c];
            s->step->pushes[c].force = phxi_add(s->step->pushes[c].force, push->force);
            s->step->pushes[c].mean += push->mean;
        }
    }
}

phx_result phxi_mpm_advance_grid(phxi_mpm* s) {
    PHXI_TRY(begin_pushes(s));
    if (s->fixes_volume) {
        PHXI_TRY(phxi_mpm_begin_volume_fix(s));
    }
    if (s->solves) {
        PHXI_TRY(phxi_mpm_begin_implicit(s));
    }
    if (s->mirror_count == 0) {
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, both_part, s);
    } else {
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, sum_part, s);
        phxi_mpm_fold(s);
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, move_part, s);
        phxi_mpm_unfold(s);
    }
    end_pushes(s);
    if (s->solves) {
        PHXI_TRY(phxi_mpm_solve_implicit(s));
    }
    if (s->fixes_volume) {
        phxi_mpm_find_excess(s);
    }
    return PHX_OK;
}
