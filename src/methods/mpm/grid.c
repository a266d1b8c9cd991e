// SPDX-License-Identifier: MIT
// Blocks of nodes: sums of the tiles that overlap them, velocities, fixed particles.
//
// A block of particles that share no row of nodes with those of other blocks is alone: its tile is all there is on its
// nodes, and moves as it is.
//
// A node where fixed particles have half of the mass or more moves with them: v_i = v_held. Fixed particles then see
//   u_i = v_i - (m_i / m_held,i) (v_i - v*_i),   v* before that,
// instead of v_i, which tells their drivers the whole force on such nodes, not their share of it.
#include "methods/mpm/mpm_internal.h"
#include "methods/mpm/rows.h"

#include <string.h>

/// The four numbers of a node.
typedef phxi_r4 node;

/// Rows of a block of nodes that particles see together with those of other blocks.
static uint32_t rows_of(const phxi_mpm* s, const phxi_mpm_nodes* nodes) {
    uint32_t rows = 0;
    for (int octant = 0; octant < 8; ++octant) {
        const phxi_mpm_block* block = nodes->blocks[octant] < 0 ? NULL : &s->blocks.items[nodes->blocks[octant]];
        rows |= block && !block->alone ? phxi_mpm_octant_rows(&block->rows, octant) : 0;
    }
    return rows;
}

static phxi_mpm_cube cube_of(const phxi_mpm* s, phx_real* numbers, int block, int part) {
    const phxi_mpm_nodes* nodes = &s->nodes.items[block];
    return (phxi_mpm_cube){.at = {nodes->at[0], nodes->at[1], nodes->at[2]},
                           .rows = nodes->rows,
                           .numbers = numbers + (ptrdiff_t)part * MPM_BLOCK,
                           .along_x = MPM_SIDE * MPM_ROW,
                           .along_y = MPM_ROW,
                           .block = block,
                           .place = block};
}

// --------------------------------------------------------------------------------------------------------- velocities

/// Momentum becomes velocity, with what `gain` adds to it; nodes without mass get none.
static void divide(const phxi_mpm* s, const phxi_mpm_cube* cube, const phxi_mpm_cube* masses, const node* gain) {
    const phx_real least = (phx_real)(1e-20 * s->mass_unit);
    uint64_t rows = cube->rows;
    for (int first; (first = phxi_mpm_next_nodes(&rows)) >= 0;) {
        node* v = phxi_mpm_node_of(cube, first);
        const node* mass = phxi_mpm_node_of(masses, first);
        for (int n = 0; n < MPM_SIDE; ++n) {
            const phx_real m = mass[n][0];
            const node zero = {0}, moved = v[n] / m + *gain;
            v[n] = m > least ? moved : zero;
            v[n][0] = m;
        }
    }
}

static void find_gain(const phxi_mpm* s, node* gain) {
    const phx_vec3 g = phxi_scale(s->dt, s->step->gravity);
    *gain = (node){0, (phx_real)g.x, (phx_real)g.y, (phx_real)g.z};
}

/// A node that fixed particles hold, and what these see.
static void hold_node(phxi_mpm* s, const phxi_mpm_cube* cube, const phxi_mpm_cube* theirs, int n) {
    node *v = phxi_mpm_node_of(cube, n), *held = phxi_mpm_node_of(theirs, n);
    const phx_real m = (*v)[0], part = (*held)[0];
    const node before = *v, own = *held / part;
    if (m > 0 && part >= (phx_real)0.5 * m) {
        *v = own;
        (*v)[0] = m;
        *held = own - (m / part) * (own - before);
        phxi_mpm_hold_node(s, cube, n);
    } else {
        *held = before;
    }
}

static void hold(phxi_mpm* s, const phxi_mpm_cube* cube) {
    const phxi_mpm_cube theirs = cube_of(s, s->held_velocity.items, cube->block, s->nodes.items[cube->block].held);
    uint64_t rows = cube->rows;
    for (int first; (first = phxi_mpm_next_nodes(&rows)) >= 0;) {
        for (int n = first; n < first + MPM_SIDE; ++n) {
            hold_node(s, cube, &theirs, n);
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- stages

static void sum_block(phxi_mpm* s, int n) {
    phxi_mpm_nodes* nodes = &s->nodes.items[n];
    nodes->rows = s->every_row ? MPM_CUBE_ROWS : rows_of(s, nodes);
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
    const phxi_mpm_cube cube = cube_of(s, s->velocity.items, n, n);
    const node none = {0};
    node gain;
    find_gain(s, &gain);
    if (s->keeps_old) {
        const phxi_mpm_cube old = cube_of(s, s->old_velocity.items, n, n);
        divide(s, &old, &cube, &none);
    }
    divide(s, &cube, &cube, &gain);
    if (s->nodes.items[n].held >= 0) {
        hold(s, &cube);
    }
    if (s->fixes_volume) {
        phxi_mpm_clear_space(s, n);
    }
    phxi_mpm_meet_colliders(s, &cube);
}

void phxi_mpm_move_alone(phxi_mpm* s, const phxi_mpm_block* block, phx_real* tile) {
    node gain;
    find_gain(s, &gain);
    for (int octant = 0; octant < 8; ++octant) {
        const phxi_mpm_cube cube = {
            .at = {block->at[0] + (octant & 4), block->at[1] + 2 * (octant & 2), block->at[2] + 4 * (octant & 1)},
            .rows = phxi_mpm_octant_rows(&block->rows, octant),
            .numbers = tile + phxi_mpm_octant_begin(octant),
            .along_x = MPM_ALONG_X,
            .along_y = MPM_ALONG_Y,
            .block = -1,
            .place = block->nodes[octant]};
        if (cube.rows) {
            divide(s, &cube, &cube, &gain);
            phxi_mpm_meet_colliders(s, &cube);
        }
    }
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

bool phxi_mpm_wants_pushes(const phxi_step* step) {
    bool asked = false;
    for (int c = 0; step->pushes && c < step->collider_count; ++c) {
        asked = asked || step->colliders[c].driven || step->colliders[c].watched;
    }
    return asked;
}

/// Reserves room for the forces of colliders, if they are wanted.
static phx_result begin_pushes(phxi_mpm* s) {
    if (!phxi_mpm_wants_pushes(s->step)) {
        return PHX_OK;
    }
    size_t count = (size_t)s->nodes.count * (size_t)s->step->collider_count;
    s->pushes = phxi_arena_take(s->step->arena, count, sizeof *s->pushes);
    if (!s->pushes) {
        return PHX_ERROR_MEMORY;
    }
    memset(s->pushes, 0, count * sizeof *s->pushes);
    return PHX_OK;
}

static void end_pushes(phxi_mpm* s) {
    const int colliders = s->step->collider_count;
    for (int n = 0; s->pushes && n < s->nodes.count; ++n) {
        for (int c = 0; c < colliders; ++c) {
            const phxi_collider_push* push = &s->pushes[(ptrdiff_t)n * colliders + c];
            s->step->pushes[c].force = phxi_add(s->step->pushes[c].force, push->force);
            s->step->pushes[c].mean += push->mean;
            if (s->step->body_pushes) { // of its first body: they share the grid (world/probes.c)
                phx_vec3* sum = &s->step->body_pushes[s->step->own[0] * colliders + c];
                *sum = phxi_add(*sum, push->force);
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------------- second order

static void sum_again_part(void* context, int begin, int end, int block) {
    phxi_mpm* s = context;
    (void)block;
    for (int n = begin; n < end; ++n) {
        phxi_mpm_add_tiles(s, &s->nodes.items[n], s->old_tiles.items, false,
                           s->old_velocity.items + (ptrdiff_t)n * MPM_BLOCK);
    }
}

/// 2 v - T v, which obeys colliders as v does; v where fixed particles are near.
static void sharpen_block(phxi_mpm* s, int n) {
    const phxi_mpm_cube from = cube_of(s, s->velocity.items, n, n);
    phxi_mpm_cube to = cube_of(s, s->old_velocity.items, n, n);
    const bool held = s->nodes.items[n].held >= 0;
    const node none = {0};
    divide(s, &to, &from, &none);
    uint64_t rows = to.rows;
    for (int first; (first = phxi_mpm_next_nodes(&rows)) >= 0;) {
        node* u = phxi_mpm_node_of(&to, first);
        const node* v = phxi_mpm_node_of(&from, first);
        for (int k = 0; k < MPM_SIDE; ++k) {
            u[k] = held ? v[k] : v[k] + (v[k] - u[k]);
            u[k][0] = v[k][0];
        }
    }
    to.again = true;
    phxi_mpm_meet_colliders(s, &to);
}

static void sharpen_part(void* context, int begin, int end, int block) {
    (void)block;
    for (int n = begin; n < end; ++n) {
        sharpen_block(context, n);
    }
}

static void sharpen(phxi_mpm* s) {
    phxi_mpm_give_again(s);
    phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, sum_again_part, s);
    phxi_mpm_fold_numbers(s, s->old_velocity.items);
    phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, sharpen_part, s);
    phxi_mpm_unfold_numbers(s, s->old_velocity.items);
}

// ----------------------------------------------------------------------------------------------------------------- all

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
    if (s->solves) {
        PHXI_TRY(phxi_mpm_solve_implicit(s));
    }
    if (s->sharpens) {
        sharpen(s);
    }
    end_pushes(s);
    if (s->fixes_volume) {
        phxi_mpm_find_excess(s);
    }
    return PHX_OK;
}
