// SPDX-License-Identifier: MIT
// The frame of a body (motion/frame.h), docs/theory/efg.md (2), and displacements in it.
#include "methods/efg/lattice/lattice.h"

#include <string.h>

static phx_vec3 rest_of(const phxi_efg_slot* slot, const phxi_particles* p, int i) {
    return phxi_vec3(phxi_efg_reference(slot, p, 0)[i], phxi_efg_reference(slot, p, 1)[i],
                     phxi_efg_reference(slot, p, 2)[i]);
}

/// Rest positions of the sample; returns their number.
static int rest_of_sample(const phxi_efg_slot* slot, const phxi_particles* p, phx_vec3 rest[PHXI_FRAME_SAMPLES]) {
    int count = phxi_frame_sample_count(slot->count);
    for (int k = 0; k < count; ++k) {
        rest[k] = rest_of(slot, p, slot->begin + phxi_frame_sample(slot->count, k));
    }
    return count;
}

void phxi_efg_fit_sample(phxi_efg_slot* slot, const phxi_particles* particles) {
    phx_vec3 rest[PHXI_FRAME_SAMPLES];
    int count = rest_of_sample(slot, particles, rest);
    phxi_frame_rest(rest, count, &slot->base, &slot->frame);
}

/// The frame of the sample at these positions.
static void fit(phxi_efg_slot* slot, const phxi_particles* p, const phx_vec3* at) {
    phx_vec3 rest[PHXI_FRAME_SAMPLES];
    int count = rest_of_sample(slot, p, rest);
    phxi_frame_fit(&slot->base, rest, at, count, &slot->frame);
    if (slot->lattice) {
        phxi_lattice_turn(slot);
    }
}

void phxi_efg_fit_frame(phxi_efg_slot* slot, const phxi_particles* particles, double dt) {
    const phxi_particles* p = particles;
    phx_vec3 at[PHXI_FRAME_SAMPLES];
    for (int k = 0; k < phxi_frame_sample_count(slot->count); ++k) {
        int i = slot->begin + phxi_frame_sample(slot->count, k);
        at[k] = phxi_vec3(p->x[i] + dt * p->vx[i], p->y[i] + dt * p->vy[i], p->z[i] + dt * p->vz[i]);
    }
    fit(slot, p, at);
}

void phxi_efg_fit_frame_at(phxi_efg_slot* slot, const phxi_particles* particles, const phx_vec3* x) {
    phx_vec3 at[PHXI_FRAME_SAMPLES];
    for (int k = 0; k < phxi_frame_sample_count(slot->count); ++k) {
        at[k] = x[phxi_frame_sample(slot->count, k)];
    }
    fit(slot, particles, at);
}

/// From one array an axis to rows of four and lanes of eight.
static PHXI_CLONES void efg_spread(int groups, phx_real u[3][EFG_BLOCK], phxi_r4* rows, phxi_efg_lane* lanes) {
    for (int q = 0; q < groups; ++q, rows += EFG_LANES) {
        for (int a = 0; a < 3; ++a) {
            lanes[q].u[a] = *(const phxi_r8*)(const void*)(u[a] + q * EFG_LANES);
        }
        for (int k = 0; k < EFG_LANES; ++k) {
            int i = q * EFG_LANES + k;
            rows[k] = (phxi_r4){u[0][i], u[1][i], u[2][i], 0};
        }
    }
}

void phxi_efg_displacements(const phxi_efg_slot* slot, const phxi_frame* frame, const phxi_particles* particles,
                            int begin, int count, phx_real u[3][EFG_BLOCK]) {
    const phxi_particles* p = particles;
    phxi_frame_points points = {{p->x + begin, p->y + begin, p->z + begin}, {0}, {0}};
    for (int a = 0; a < 3; ++a) {
        points.low[a] = p->low[a] + begin;
        points.rest[a] = phxi_efg_reference(slot, p, a) + begin;
    }
    phxi_frame_displacements(frame, &points, count, (phx_real* const[3]){u[0], u[1], u[2]});
}

void phxi_efg_fill(phxi_efg* efg, const phxi_particles* particles, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    phxi_efg_displacements(slot, &slot->frame, particles, slot->begin + block->row - slot->row, block->count, u);
    for (int k = block->count; k < groups * EFG_LANES; ++k) {
        u[0][k] = u[1][k] = u[2][k] = 0;
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

void phxi_efg_fill_with(phxi_efg* efg, const phx_real* const from[3], const phxi_efg_block* block) {
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    int first = block->row - efg->slots.items[block->slot].row;
    for (int a = 0; a < 3; ++a) {
        memcpy(u[a], from[a] + first, (size_t)block->count * sizeof *u[a]);
        memset(u[a] + block->count, 0, (size_t)(groups * EFG_LANES - block->count) * sizeof *u[a]);
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

void phxi_efg_fill_at(phxi_efg* efg, const phxi_particles* p, const phx_vec3* x, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    const phxi_frame* f = &slot->frame;
    phxi_mat3 back = phxi_mat3_transpose(&f->rotation);
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    memset(u, 0, sizeof u);
    for (int k = 0; k < block->count; ++k) {
        int i = block->row - slot->row + k;
        phx_vec3 now = phxi_mat3_apply(&back, phxi_sub(x[i], f->center));
        phx_vec3 rest = phxi_mat3_apply(&f->stretch, phxi_sub(rest_of(slot, p, slot->begin + i), f->origin));
        u[0][k] = (phx_real)(now.x - rest.x), u[1][k] = (phx_real)(now.y - rest.y),
        u[2][k] = (phx_real)(now.z - rest.z);
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

typedef struct refresh_context {
    phxi_efg* efg;
    const phxi_particles* particles;
    int block_begin;
} refresh_context;

static void refresh_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const refresh_context* c = context;
    phxi_efg_fill(c->efg, c->particles, &c->efg->blocks.items[c->block_begin + begin]);
}

void phxi_efg_refresh(phxi_efg* efg, phxi_step* step, int index) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_efg_fit_frame(slot, step->particles, 0);
    refresh_context context = {efg, step->particles, slot->block_begin};
    phxi_parallel_for(step->pool, slot->block_end - slot->block_begin, 1, refresh_block, &context);
}
