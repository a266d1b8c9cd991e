// SPDX-License-Identifier: MIT
// What particles give to the grid and take from it, block by block.
//
// With d = x_i - x_p, w_i the weight, D^-1 = 3/h^2 (cubic) or 4/h^2 (quadratic), sum_i w_i d d^T = D I:
//   give  m_i += w_i m,  q_i += w_i (m v + dt f + (m C - dt V tau D^-1) d)
//   take  v = sum w_i v_i,  C = D^-1 sum w_i v_i d^T,  x += dt v,  F <- (I + dt C) F
// The force -V tau D^-1 w_i d is that of F's own change, so both have one gradient and energy goes nowhere between
// them; as it is in proportion to w_i, light nodes at the rim are not torn off. Without the affine part (PIC, FLIP) m C
// is left out; FLIP also asks what velocities were before the forces, of tiles of their own.
//
// Second order: T v, what nodes would have if particles took v and gave it back, is smoother than v. Particles
// stretch with v but move with and carry on 2 v - T v, so that the next substep begins with T (2 - T) v instead of T v:
// a wave of which the transfer loses a share e loses e^2. T keeps both momenta, and so does 2 - T.
#include "methods/mpm/mpm_internal.h"

#include "motion/explicit.h"

#include <string.h>

static int number_of(const phxi_mpm* s, const phxi_mpm_block* block) {
    return (int)(block - s->blocks.items);
}

// --------------------------------------------------------------------------------------------------------------- give

/// After forces of `dt` seconds, as all that follows.
static void load_momenta(const phxi_mpm* s, const phxi_mpm_chunk* chunk, phx_real dt, phxi_mpm_gift_planes* g) {
    const phxi_particles* p = s->step->particles;
    for (int k = 0; k < chunk->count; ++k) {
        int i = chunk->at[k];
        g->m[k] = p->mass[i];
        g->q[0][k] = p->mass[i] * p->vx[i] + dt * p->fx[i];
        g->q[1][k] = p->mass[i] * p->vy[i] + dt * p->fy[i];
        g->q[2][k] = p->mass[i] * p->vz[i] + dt * p->fz[i];
    }
}

static PHXI_CLONES void phxi_mpm_affine(const phxi_mpm_chunk* c, const phx_real* volume, phx_real h, phx_real push,
                                        phxi_mpm_gift_planes* g) {
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int n = 0; n < 9; ++n) {
        const phx_real* tau = c->tau[full[n]];
        PHXI_SIMD
        for (int k = 0; k < c->count; ++k) {
            g->a[n][k] = g->m[k] * h * c->c[n][k] - push * volume[k] * tau[k];
        }
    }
    for (int n = 0; n < 3; ++n) {
        PHXI_SIMD
        for (int k = 0; k < c->count; ++k) {
            g->q[n][k] -=
                c->f[0][k] * g->a[3 * n][k] + c->f[1][k] * g->a[3 * n + 1][k] + c->f[2][k] * g->a[3 * n + 2][k];
        }
    }
}

/// m h C - dt V tau / (h D): the affine matrix for distances in cells, and momentum at the first node.
static void add_affine(const phxi_mpm* s, phxi_mpm_chunk* chunk, double dt, phxi_mpm_gift_planes* g) {
    const phxi_particles* p = s->step->particles;
    _Alignas(64) phx_real volume[MPM_STRIDE];
    bool affine = s->params->transfer == MPM_APIC;
    for (int n = 0; n < 9; ++n) {
        if (affine) {
            phxi_mpm_load_plane(chunk, s->field[MPM_AFFINE + n], chunk->c[n]);
        } else {
            memset(chunk->c[n], 0, sizeof chunk->c[n]);
        }
    }
    phxi_mpm_load_plane(chunk, p->volume, volume);
    phxi_mpm_affine(chunk, volume, (phx_real)s->h, (phx_real)(dt * phxi_mpm_inverse_moment(s) / s->h), g);
}

static void make_gift(const phxi_mpm_chunk* c, const phxi_mpm_gift_planes* g, int k, phxi_mpm_gift* gift) {
    const phxi_r4 q = {g->m[k], g->q[0][k], g->q[1][k], g->q[2][k]};
    const phxi_r4 x = {0, g->a[0][k], g->a[3][k], g->a[6][k]}, y = {0, g->a[1][k], g->a[4][k], g->a[7][k]},
                  z = {0, g->a[2][k], g->a[5][k], g->a[8][k]};
    for (int n = 0; n < 4; ++n) {
        const phx_real w = c->w[2][n][k];
        *(phxi_r4*)&gift->k[4 * n] = w * (q + (phx_real)n * z);
        *(phxi_r4*)&gift->x[4 * n] = w * x;
        *(phxi_r4*)&gift->y[4 * n] = w * y;
        gift->wx[n] = c->w[0][n][k];
        gift->wy[n] = c->w[1][n][k];
    }
    gift->base = c->base[k];
}

void phxi_mpm_make_gifts(const phxi_mpm_chunk* c, const phxi_mpm_gift_planes* planes, phxi_mpm_gift* gifts) {
    for (int k = 0; k < c->count; ++k) {
        make_gift(c, planes, k, &gifts[k]);
    }
}

/// Mass and momentum alone, of particles [begin, end) or of those of them that are fixed; how many gifts that are.
static int make_plain_gifts(const phxi_mpm* s, const phxi_mpm_chunk* chunk, int begin, int end, bool held,
                            phxi_mpm_gift* gifts) {
    const phxi_particles* p = s->step->particles;
    int count = 0;
    for (int k = begin; k < end; ++k) {
        int i = chunk->at[k];
        if (held && !p->fixed[i]) {
            continue;
        }
        const phxi_r4 q = {p->mass[i], p->mass[i] * p->vx[i], p->mass[i] * p->vy[i], p->mass[i] * p->vz[i]};
        phxi_mpm_gift* gift = &gifts[count++];
        *gift = (phxi_mpm_gift){.base = chunk->base[k]};
        for (int n = 0; n < 4; ++n) {
            *(phxi_r4*)&gift->k[4 * n] = chunk->w[2][n][k] * q;
            gift->wx[n] = chunk->w[0][n][k];
            gift->wy[n] = chunk->w[1][n][k];
        }
    }
    return count;
}

/// What is given to tiles: one block after the other.
typedef struct giving {
    phxi_mpm* s;
    phxi_mpm_chunk chunk;
    phxi_mpm_gift gifts[MPM_CHUNK];
} giving;

/// Gifts of one block; its tile is kept when all of its particles have given.
static void give_block(const giving* g, int b, const phxi_mpm_gift* gifts, int count, phx_real* tile, phx_real* kept) {
    phxi_mpm_block* block = &g->s->blocks.items[number_of(g->s, &g->chunk.blocks[b])];
    if (block->begin >= g->chunk.turn) {
        phxi_mpm_clear_tile(&block->rows, tile);
    }
    PHXI_LANES_CALL(phxi_mpm_scatter, tile, gifts, count, g->s->params->kernel == MPM_CUBIC);
    if (block->begin + block->count > g->chunk.turn + g->chunk.count) {
        return;
    }
    if (block->alone) {
        phxi_mpm_move_alone(g->s, block, tile);
    }
    if (block->taken) {
        phxi_mpm_take takes[MPM_CHUNK];
        int begin, end;
        phxi_mpm_part_of_block(&g->chunk, b, &begin, &end);
        PHXI_LANES_CALL(phxi_mpm_gather, tile, &g->chunk, begin, end, g->s->params->kernel == MPM_CUBIC, takes);
        memcpy(kept + (ptrdiff_t)block->tile * MPM_ROW, takes + begin, (size_t)(end - begin) * sizeof *takes);
    } else {
        phxi_mpm_keep_tile(block, tile, kept);
    }
}

/// Mass, momentum and its affine part.
static void give_planes(giving* g, const phxi_mpm_gift_planes* planes, phx_real* tile, phx_real* kept) {
    phxi_mpm_make_gifts(&g->chunk, planes, g->gifts);
    for (int b = 0; b < g->chunk.block_count; ++b) {
        int begin, end;
        phxi_mpm_part_of_block(&g->chunk, b, &begin, &end);
        give_block(g, b, g->gifts + begin, end - begin, tile, kept);
    }
}

/// The same, after forces of `dt` seconds.
static void give_all(giving* g, double dt, phx_real* tile, phx_real* kept) {
    phxi_mpm_gift_planes planes;
    load_momenta(g->s, &g->chunk, (phx_real)dt, &planes);
    add_affine(g->s, &g->chunk, dt, &planes);
    give_planes(g, &planes, tile, kept);
}

/// Mass and momentum, of all particles or of the fixed ones in blocks that have such.
static void give_plain(giving* g, bool held, phx_real* tile, phx_real* kept) {
    for (int b = 0; b < g->chunk.block_count; ++b) {
        int begin, end;
        phxi_mpm_part_of_block(&g->chunk, b, &begin, &end);
        if (!held || g->chunk.blocks[b].held > 0) {
            give_block(g, b, g->gifts, make_plain_gifts(g->s, &g->chunk, begin, end, held, g->gifts), tile, kept);
        }
    }
}

static void give_batch(phxi_mpm* s, const phxi_mpm_batch* batch) {
    _Alignas(64) phx_real tile[MPM_TILE_NUMBERS], old[MPM_TILE_NUMBERS], held[MPM_TILE_NUMBERS];
    giving g;
    g.s = s;
    for (int from = 0; from < phxi_mpm_batch_size(s, batch); from += MPM_CHUNK) {
        phxi_mpm_open_chunk(s, batch, from, &g.chunk);
        phxi_mpm_weigh(s, &g.chunk);
        phxi_mpm_stress(s, &g.chunk, false);
        give_all(&g, s->dt, tile, s->tiles.items);
        if (s->keeps_old && s->solves && s->params->transfer == MPM_APIC) {
            give_all(&g, 0, old, s->old_tiles.items);
        } else if (s->keeps_old && !s->sharpens) {
            give_plain(&g, false, old, s->old_tiles.items);
        }
        if (s->held_count > 0) {
            give_plain(&g, true, held, s->held_tiles.items);
        }
    }
}

static void give_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    (void)part;
    for (int n = begin; n < end; ++n) {
        give_batch(s, &s->batches.items[n]);
    }
}

void phxi_mpm_to_grid(phxi_mpm* s) {
    phxi_parallel_for(s->step->pool, s->batches.count, 1, give_part, s);
}

// --------------------------------------------------------------------------------------------------------------- take

/// C from its sums.
static PHXI_CLONES void phxi_mpm_scale_gradient(phxi_mpm_chunk* c, phx_real scale) {
    for (int n = 0; n < 9; ++n) {
        PHXI_SIMD
        for (int k = 0; k < c->count; ++k) {
            c->c[n][k] *= scale;
        }
    }
}

void phxi_mpm_finish_takes(const phxi_mpm* s, phxi_mpm_chunk* c, const phxi_mpm_take* takes, phx_real (*v)[MPM_STRIDE],
                           bool gradient) {
    for (int k = 0; k < c->count; ++k) {
        const phxi_mpm_take* take = &takes[k];
        phxi_r4 sum = {0}, x = {0}, y = {0}, z = {0};
        for (int n = 0; n < 4; ++n) {
            const phx_real w = c->w[2][n][k];
            const phxi_r4 t = w * *(const phxi_r4*)&take->s[4 * n];
            sum += t;
            z += (phx_real)n * t;
            x += w * *(const phxi_r4*)&take->x[4 * n];
            y += w * *(const phxi_r4*)&take->y[4 * n];
        }
        c->excess[k] = sum[0];
        x -= c->f[0][k] * sum, y -= c->f[1][k] * sum, z -= c->f[2][k] * sum;
        for (int row = 0; row < 3; ++row) {
            v[row][k] = sum[row + 1];
            if (gradient) {
                c->c[3 * row][k] = x[row + 1];
                c->c[3 * row + 1][k] = y[row + 1];
                c->c[3 * row + 2][k] = z[row + 1];
            }
        }
    }
    if (gradient) { // so far its sums times i, j, k, less the particle's own place: h D C
        phxi_mpm_scale_gradient(c, (phx_real)(phxi_mpm_inverse_moment(s) / s->h));
    }
}

/// Accelerations that others see: what the grid did to the velocity, less what everybody knows.
static void accelerate(const phxi_mpm* s, int i, const phx_real v[3]) {
    const phxi_particles* p = s->step->particles;
    const phx_vec3 gravity = s->step->gravity;
    const phx_real per = (phx_real)(1 / s->dt), inverse = 1 / p->mass[i];
    p->acceleration[0][i] = (v[0] - p->vx[i]) * per - (phx_real)gravity.x - p->fx[i] * inverse;
    p->acceleration[1][i] = (v[1] - p->vy[i]) * per - (phx_real)gravity.y - p->fy[i] * inverse;
    p->acceleration[2][i] = (v[2] - p->vz[i]) * per - (phx_real)gravity.z - p->fz[i] * inverse;
}

/// Planes to the store. Fixed particles keep position and velocity; `held` is what they would have got.
static void store(phxi_mpm* s, phxi_mpm_block* block, const phxi_mpm_chunk* c, const phx_real (*held)[MPM_STRIDE]) {
    phxi_particles* p = s->step->particles;
    const phx_real dt = (phx_real)s->dt, flip = (phx_real)s->params->blend;
    const phx_real(*end)[MPM_STRIDE] = s->sharpens ? c->old : c->v;
    phx_real* const x[3] = {p->x, p->y, p->z};
    phx_real* const velocity[3] = {p->vx, p->vy, p->vz};
    bool blends = s->params->transfer == MPM_FLIP;
    for (int k = 0; k < c->count; ++k) {
        int i = c->at[k], fixed = p->fixed[i];
        phx_real v[3], check = 0;
        for (int axis = 0; axis < 3; ++axis) {
            v[axis] = end[axis][k];
            v[axis] += blends ? flip * (velocity[axis][i] - c->old[axis][k]) : 0;
        }
        accelerate(s, i, held && fixed ? (const phx_real[3]){held[0][k], held[1][k], held[2][k]} : v);
        for (int axis = 0; axis < 3; ++axis) {
            phxi_explicit_move(&x[axis][i], &p->low[axis][i], dt * end[axis][k], fixed);
            velocity[axis][i] = fixed ? velocity[axis][i] : v[axis];
            check += (x[axis][i] + velocity[axis][i]) * 0;
        }
        if (check != 0 && (block->bad < 0 || i < block->bad)) {
            block->bad = i;
        }
    }
    for (int n = 0; n < 9; ++n) {
        phxi_mpm_store_plane(c, c->g[n], s->field[MPM_G + n]);
        phxi_mpm_store_plane(c, c->c[n], s->field[MPM_AFFINE + n]);
    }
}

/// The tile of the block that was looked at last.
typedef struct tile_view {
    _Alignas(64) phx_real tile[MPM_TILE_NUMBERS];
    const phx_real* numbers; // of blocks of nodes
    bool held;               // as fixed particles see them
    const phxi_mpm_block* of;
} tile_view;

static void look_at(const phxi_mpm* s, const phxi_mpm_block* block, tile_view* view) {
    int nodes[8];
    if (view->of == block) {
        return;
    }
    view->of = block;
    if (block->alone) {
        phxi_mpm_restore_tile(block, s->tiles.items, view->tile);
        return;
    }
    for (int n = 0; n < 8; ++n) {
        nodes[n] = view->held ? s->nodes.items[block->nodes[n]].held : block->nodes[n];
    }
    phxi_mpm_fill_tile(view->numbers, nodes, &block->rows, view->tile);
}

/// Velocities that the particles of a chunk see, and where `gradient` C.
static void take_velocities(const phxi_mpm* s, phxi_mpm_chunk* chunk, tile_view* view, bool gradient,
                            phx_real (*v)[MPM_STRIDE]) {
    phxi_mpm_take takes[MPM_CHUNK];
    for (int b = 0; b < chunk->block_count; ++b) {
        const phxi_mpm_block* block = &chunk->blocks[b];
        int begin, end;
        phxi_mpm_part_of_block(chunk, b, &begin, &end);
        if (block->taken) {
            memcpy(takes + begin, s->tiles.items + (ptrdiff_t)block->tile * MPM_ROW,
                   (size_t)(end - begin) * sizeof *takes);
            continue;
        }
        look_at(s, block, view);
        PHXI_LANES_CALL(phxi_mpm_gather, view->tile, chunk, begin, end, s->params->kernel == MPM_CUBIC, takes);
    }
    phxi_mpm_finish_takes(s, chunk, takes, v, gradient);
}

static bool holds_some(const phxi_mpm* s, const phxi_mpm_batch* batch) {
    bool some = false;
    for (int b = 0; b < batch->count; ++b) {
        some = some || s->blocks.items[batch->first + b].held > 0;
    }
    return some;
}

static void take_batch(phxi_mpm* s, const phxi_mpm_batch* batch) {
    const bool blends = s->params->transfer == MPM_FLIP, holds = holds_some(s, batch);
    tile_view now, old, apparent;
    _Alignas(64) phx_real held[3][MPM_STRIDE];
    phxi_mpm_chunk chunk;
    now.numbers = s->velocity.items, old.numbers = s->old_velocity.items, apparent.numbers = s->held_velocity.items;
    now.held = old.held = false, apparent.held = true;
    now.of = old.of = apparent.of = NULL;
    for (int from = 0; from < phxi_mpm_batch_size(s, batch); from += MPM_CHUNK) {
        phxi_mpm_open_chunk(s, batch, from, &chunk);
        phxi_mpm_weigh(s, &chunk);
        if (blends) {
            take_velocities(s, &chunk, &old, false, chunk.old);
        }
        if (holds) {
            take_velocities(s, &chunk, &apparent, false, held);
        }
        take_velocities(s, &chunk, &now, true, chunk.v);
        for (int n = 0; n < 9; ++n) {
            phxi_mpm_load_plane(&chunk, s->field[MPM_G + n], chunk.g[n]);
        }
        phxi_mpm_flow(s, &chunk);
        if (s->sharpens) { // moved with and carried on; the stretch is that of the grid
            take_velocities(s, &chunk, &old, true, chunk.old);
        }
        store(s, &s->blocks.items[batch->first], &chunk, holds ? (const phx_real(*)[MPM_STRIDE])held : NULL);
    }
}

static void take_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    (void)part;
    for (int n = begin; n < end; ++n) {
        for (int b = 0; b < s->batches.items[n].count; ++b) {
            s->blocks.items[s->batches.items[n].first + b].bad = -1;
        }
        take_batch(s, &s->batches.items[n]);
    }
}

void phxi_mpm_to_particles(phxi_mpm* s) {
    phxi_parallel_for(s->step->pool, s->batches.count, 1, take_part, s);
}

// --------------------------------------------------------------------------------------------------------- give again

/// The planes of what is given: what has just been taken, without forces.
static void load_taken(const phxi_mpm* s, phxi_mpm_chunk* c, phxi_mpm_gift_planes* g) {
    const phxi_particles* p = s->step->particles;
    for (int k = 0; k < c->count; ++k) {
        g->m[k] = p->mass[c->at[k]];
        for (int axis = 0; axis < 3; ++axis) {
            g->q[axis][k] = g->m[k] * c->v[axis][k];
        }
    }
    memset(c->tau, 0, sizeof c->tau);
    phxi_mpm_affine(c, g->m, (phx_real)s->h, 0, g);
}

static void give_again_batch(phxi_mpm* s, const phxi_mpm_batch* batch) {
    _Alignas(64) phx_real tile[MPM_TILE_NUMBERS];
    tile_view now = {.numbers = s->velocity.items};
    phxi_mpm_gift_planes planes;
    giving g;
    g.s = s;
    for (int from = 0; from < phxi_mpm_batch_size(s, batch); from += MPM_CHUNK) {
        phxi_mpm_open_chunk(s, batch, from, &g.chunk);
        phxi_mpm_weigh(s, &g.chunk);
        take_velocities(s, &g.chunk, &now, true, g.chunk.v);
        load_taken(s, &g.chunk, &planes);
        give_planes(&g, &planes, tile, s->old_tiles.items);
    }
}

static void give_again_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    (void)part;
    for (int n = begin; n < end; ++n) {
        give_again_batch(s, &s->batches.items[n]);
    }
}

void phxi_mpm_give_again(phxi_mpm* s) {
    phxi_parallel_for(s->step->pool, s->batches.count, 1, give_again_part, s);
}
