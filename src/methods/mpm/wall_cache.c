// SPDX-License-Identifier: MIT
// Colliders that stand, as nodes know them: distance, and the way out.
//
// Nodes stay where they are and so do most colliders, hence what a node knows of one is asked for once, when particles
// first come to its block. (A mesh takes a microsecond or ten to answer where its distance field has no cells; a run
// asks each node thousands of times.) The answers are those of the collider itself, in double: the same bits as if it
// were asked each time. Whether it stands is seen from its pose, so that one which a driver stops is kept as well.
//
//   table: block of nodes -> 0, no node of it is near the surface | 1 + number of its 64 nodes in `nodes`
//
// Missing blocks are noted by one thread, asked by all, and packed by one in the order of blocks.
#include "methods/mpm/mpm_internal.h"
#include "methods/mpm/rows.h"

#include <string.h>

enum { NODES = MPM_BLOCK / 4, AT_ONCE = 64 };

/// What is asked of one block.
typedef struct answers {
    int at[3];
    bool near;
    phxi_mpm_wall_node nodes[NODES];
    phx_vec3 normals[NODES][MPM_WALLS];
} answers;

typedef struct asking {
    const phxi_mpm* s;
    const phxi_collider* collider;
    answers* blocks;
} asking;

int phxi_mpm_find_surfaces(const phxi_mpm* s, const phxi_collider* collider, phx_vec3 position,
                           phxi_surface_point at[MPM_WALLS]) {
    for (int wall = 0; wall < MPM_WALLS; ++wall) {
        const double depth = -phxi_collider_surface(collider, position, &at[wall]);
        position = phxi_add_scaled(position, fmax(depth, 0) + 0.5 * s->h, at[wall].normal);
        if (phxi_collider_distance_within(collider, position, MPM_ON_SURFACE * s->h) > MPM_ON_SURFACE * s->h) {
            return wall + 1;
        }
    }
    return MPM_WALLS;
}

bool phxi_mpm_block_near(const phxi_mpm* s, const phxi_collider* collider, const phxi_mpm_cube* cube) {
    const double half = 0.5 * (MPM_SIDE - 1) * s->h, radius = 1.7320508075688772 * half + 0.5 * s->h;
    const phx_vec3 middle = phxi_add(phxi_mpm_node_position(s, cube, 0), phxi_vec3(half, half, half));
    return phxi_collider_near(collider, middle, radius);
}

static void ask_part(void* context, int begin, int end, int part) {
    const asking* a = context;
    const double reach = 0.5 * a->s->h;
    (void)part;
    for (int b = begin; b < end; ++b) {
        answers* block = &a->blocks[b];
        const phxi_mpm_cube cube = {.at = {block->at[0], block->at[1], block->at[2]}};
        const int asked = phxi_mpm_block_near(a->s, a->collider, &cube) ? NODES : 0;
        block->near = false;
        for (int n = 0; n < asked; ++n) {
            const phx_vec3 position = phxi_mpm_node_position(a->s, &cube, n);
            phxi_mpm_wall_node* node = &block->nodes[n];
            *node = (phxi_mpm_wall_node){.distance = phxi_collider_distance_within(a->collider, position, reach)};
            if (node->distance <= MPM_ON_SURFACE * a->s->h) {
                phxi_surface_point at[MPM_WALLS];
                node->count = phxi_mpm_find_surfaces(a->s, a->collider, position, at);
                for (int w = 0; w < node->count; ++w) {
                    block->normals[n][w] = at[w].normal;
                }
            }
            block->near = block->near || node->distance <= reach;
        }
    }
}

/// What was asked of a block goes to where it is kept.
static phx_result keep(phxi_mpm* s, phxi_mpm_wall_cache* cache, const answers* block) {
    int* slot = phxi_key_slot(&cache->table, phxi_mpm_block_key(block->at));
    if (!slot || !phxi_array_reserve(&cache->nodes, NODES, s->heap, "mpm")) {
        return PHX_ERROR_MEMORY;
    }
    *slot = block->near ? 1 + cache->nodes.count / NODES : 0;
    for (int n = 0; n < NODES && block->near; ++n) {
        phxi_mpm_wall_node* node = &cache->nodes.items[cache->nodes.count++];
        *node = block->nodes[n];
        node->first = cache->normals.count;
        for (int w = 0; w < node->count; ++w) {
            phx_vec3* normal = phxi_array_add(&cache->normals, s->heap, "mpm");
            if (!normal) {
                return PHX_ERROR_MEMORY;
            }
            *normal = block->normals[n][w];
        }
    }
    return PHX_OK;
}

static phx_result ask(phxi_mpm* s, int c, answers* blocks, int count) {
    asking a = {s, &s->step->colliders[c], blocks};
    phxi_parallel_for(s->step->pool, count, 1, ask_part, &a);
    for (int b = 0; b < count; ++b) {
        PHXI_TRY(keep(s, &s->wall_caches.items[c], &blocks[b]));
    }
    return PHX_OK;
}

/// Asks for blocks of nodes that are new, so many at once; and notes which of those kept each one is.
static phx_result fill(phxi_mpm* s, int c, answers* blocks) {
    phxi_mpm_wall_cache* cache = &s->wall_caches.items[c];
    int missing = 0;
    for (int n = 0; n < s->nodes.count; ++n) {
        const int* at = s->nodes.items[n].at;
        if (phxi_key_find(&cache->table, phxi_mpm_block_key(at)) < 0) {
            memcpy(blocks[missing++].at, at, sizeof blocks->at);
        }
        if (missing == AT_ONCE || n + 1 == s->nodes.count) {
            PHXI_TRY(ask(s, c, blocks, missing));
            missing = 0;
        }
    }
    PHXI_MPM_RESERVE(&cache->of_block, s->nodes.count);
    for (int n = 0; n < s->nodes.count; ++n) {
        cache->of_block.items[n] = phxi_key_find(&cache->table, phxi_mpm_block_key(s->nodes.items[n].at)) - 1;
    }
    return PHX_OK;
}

static bool at_rest(const phxi_collider_pose* pose) {
    return phxi_dot(pose->velocity, pose->velocity) + phxi_dot(pose->spin, pose->spin) == 0;
}

static bool same_place(const phxi_collider_pose* a, const phxi_collider_pose* b) {
    return memcmp(&a->rotation, &b->rotation, sizeof a->rotation) == 0 &&
           memcmp(&a->shift, &b->shift, sizeof a->shift) == 0;
}

/// Whether a collider stands where the cache knows it; forgets what it knows of it elsewhere.
static bool stands(const phxi_mpm* s, const phxi_collider* collider, phxi_mpm_wall_cache* cache) {
    const phxi_collider_pose* pose = &collider->next;
    const bool same = cache->plan == collider->plan && cache->h == s->h && same_place(&cache->pose, pose) &&
                      memcmp(&cache->origin, &s->origin, sizeof s->origin) == 0;
    if (!same) {
        phxi_key_clear(&cache->table);
        cache->nodes.count = cache->normals.count = cache->of_block.count = 0;
        cache->table.heap = s->heap;
        cache->plan = collider->plan;
        cache->h = s->h;
        cache->origin = s->origin;
        cache->pose = *pose;
        cache->sorts = -1;
    }
    return at_rest(pose) && (same || !collider->driven); // driven ones, only when they have stood for a substep
}

phx_result phxi_mpm_fill_wall_caches(phxi_mpm* s) {
    const int known = s->wall_caches.count, count = s->step->collider_count;
    if (count > known) {
        if (!phxi_array_reserve(&s->wall_caches, count - known, s->heap, "mpm")) {
            return PHX_ERROR_MEMORY;
        }
        memset(s->wall_caches.items + known, 0, (size_t)(count - known) * sizeof *s->wall_caches.items);
        s->wall_caches.count = count;
    }
    answers* blocks = NULL;
    for (int c = 0; c < count; ++c) {
        phxi_mpm_wall_cache* cache = &s->wall_caches.items[c];
        phxi_mpm_wall* wall = &s->walls.items[c];
        if (wall->flat || wall->mirror || !stands(s, &s->step->colliders[c], cache)) {
            continue;
        }
        wall->cached = true;
        if (cache->sorts == s->builds) {
            continue;
        }
        if (!blocks && !(blocks = phxi_arena_take(s->step->arena, AT_ONCE, sizeof *blocks))) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(fill(s, c, blocks));
        cache->sorts = s->builds;
    }
    return PHX_OK;
}

void phxi_mpm_release_wall_caches(phxi_mpm* s) {
    for (int c = 0; c < s->wall_caches.count; ++c) {
        phxi_mpm_wall_cache* cache = &s->wall_caches.items[c];
        phxi_key_destroy(&cache->table);
        phxi_array_destroy(&cache->nodes, s->heap);
        phxi_array_destroy(&cache->normals, s->heap);
        phxi_array_destroy(&cache->of_block, s->heap);
    }
    phxi_array_destroy(&s->wall_caches, s->heap);
}
