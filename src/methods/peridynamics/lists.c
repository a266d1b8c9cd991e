// SPDX-License-Identifier: MIT
// Bonds of a body that has flowed far, found again: docs/theory/peridynamics.md (20). Lengths are those at rest, of
// X, and of pairs that are not bonded yet those of F^-1 Y: what is only stretched keeps its bonds.
//
//   new      F_i^-1 Y shorter than the horizon (R_i^T Y where det F is beyond [0.1, 8]); mean of both ends
//   kept     shorter than KEEP horizons; or FAR horizons, where there is no other way to know that direction: material
//            that is drawn to threads would else fall apart into the layers that its particles were put in
//
// Both ends come to the same answer, as they compute the same numbers. X of what is kept stays.
#include "methods/peridynamics/flow.h"

#include "math/decompose3.h"

#include <string.h>

static const char* const label = "peridynamics lists";

#define KEEP      1.1  // horizons
#define FAR       2.   // horizons
#define LONELY    6.   // n^T M^-1 n, 3 where M = mean n n^T is isotropic, from which a direction is hardly known
#define ROUND     0.02 // added to M
#define STRAYED   0.1  // plastic strain after which lists are rebuilt
#define LEAST_F   0.1  // det F of which F^-1 is taken
#define LARGEST_F 8.

typedef struct renewing {
    phxi_step* step;
    phxi_peri_slot* slot;
    struct phxi_peri_flow* flow;
    phxi_mat3* pull;  // by particle: F^-1, or R^T
    phxi_sym3* known; // by particle: (M + ROUND I)^-1
    bool fill;
} renewing;

void phxi_peri_release_lists(phxi_heap* heap, struct phxi_peri_flow* flow) {
    void* const all[] = {flow->radii, flow->next_start, flow->next_other, flow->next_rest};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
    phxi_lists_destroy(heap, &flow->found);
    phxi_search_destroy(flow->search);
}

static double horizon_of(const renewing* c, int i, int j) {
    const phxi_particles* p = c->step->particles;
    int begin = c->slot->begin;
    return c->slot->params.horizon * ((double)p->spacing[begin + i] + (double)p->spacing[begin + j]) / 2;
}

static void prepare_block(void* context, int begin, int end, int index) {
    (void)index;
    const renewing* c = context;
    const phxi_peri_slot* slot = c->slot;
    for (int i = begin; i < end; ++i) {
        const phxi_peri_flowing* f = &c->flow->now[i];
        const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
        int lane = i % PERI_BLOCK;
        phxi_sym3 spread = {(double)rest->spread[0][lane], (double)rest->spread[1][lane],
                            (double)rest->spread[2][lane], (double)rest->spread[3][lane],
                            (double)rest->spread[4][lane], (double)rest->spread[5][lane]};
        phxi_mat3 full = phxi_sym3_full(&spread), gradient = phxi_mat3_mul(&f->gradient, &full);
        double det = rest->rank[lane] == 3 ? phxi_mat3_det(&gradient) : 0;
        if (!(det > LEAST_F && det < LARGEST_F) || !phxi_mat3_inverse(&gradient, &c->pull[i])) {
            c->pull[i] = phxi_mat3_transpose(&f->rotation);
        }
        phxi_sym3 m = {ROUND, ROUND, ROUND, 0, 0, 0};
        int near = 0;
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            near += (double)slot->rest[k][3] < KEEP * horizon_of(c, i, slot->other[k]);
        }
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            double r = (double)slot->rest[k][3];
            if (r < KEEP * horizon_of(c, i, slot->other[k])) {
                double x = (double)slot->rest[k][0] / r, y = (double)slot->rest[k][1] / r,
                       z = (double)slot->rest[k][2] / r;
                m.xx += x * x / near, m.yy += y * y / near, m.zz += z * z / near;
                m.xy += x * y / near, m.xz += x * z / near, m.yz += y * z / near;
            }
        }
        phxi_pseudo_inverse_sym3(&m, 1e-12, &c->known[i], NULL);
    }
}

/// Whether particle i hardly knows the direction of its bond k.
static bool is_lonely(const renewing* c, int i, int k) {
    phxi_mat3 known = phxi_sym3_full(&c->known[i]);
    phxi_r4 rest = c->slot->rest[k];
    phx_vec3 n = phxi_scale(1 / (double)rest[3], phxi_vec3(rest[0], rest[1], rest[2]));
    return phxi_dot(n, phxi_mat3_apply(&known, n)) > LONELY;
}

static bool is_kept(const renewing* c, int i, int k) {
    const phxi_peri_slot* slot = c->slot;
    int j = slot->other[k], back = slot->mirror[k];
    double length = ((double)slot->rest[k][3] + (double)slot->rest[back][3]) / 2, h = horizon_of(c, i, j);
    return length < KEEP * h || (length < FAR * h && (is_lonely(c, i, k) || is_lonely(c, j, back)));
}

/// X of a pair that is not bonded yet; false if it stays so.
static bool is_new(const renewing* c, int i, int j, phxi_r4* rest) {
    phx_vec3 y = phxi_sub(c->flow->where[j], c->flow->where[i]);
    phx_vec3 here = phxi_mat3_apply(&c->pull[i], y), there = phxi_mat3_apply(&c->pull[j], y);
    double length = phxi_length(here), h = horizon_of(c, i, j);
    *rest = (phxi_r4){(phx_real)here.x, (phx_real)here.y, (phx_real)here.z, (phx_real)length};
    return length + phxi_length(there) < 2 * h && fmin(length, phxi_length(there)) > 1e-3 * h;
}

/// The row of particle i, from its old one and from those that are near, both ascending; returns its length.
static int make_row(const renewing* c, int i, int at) {
    const phxi_peri_slot* slot = c->slot;
    const phxi_lists* found = &c->flow->found;
    int k = slot->start[i], end = slot->start[i + 1], count = 0;
    int64_t n = found->start[i], last = found->start[i + 1];
    while (k < end || n < last) {
        int old = k < end ? slot->other[k] : INT32_MAX, near = n < last ? found->items[n] : INT32_MAX;
        phxi_r4 rest = {0};
        bool in;
        if (old <= near) {
            in = is_kept(c, i, k);
            rest = slot->rest[k];
            ++k;
            n += near == old;
        } else {
            in = is_new(c, i, near, &rest);
            ++n;
        }
        if (in && c->fill) {
            c->flow->next_other[at + count] = old <= near ? old : near;
            c->flow->next_rest[at + count] = rest;
        }
        count += in;
    }
    return count;
}

static void row_block(void* context, int begin, int end, int index) {
    (void)index;
    const renewing* c = context;
    for (int i = begin; i < end; ++i) {
        if (c->fill) {
            make_row(c, i, c->flow->next_start[i]);
        } else {
            c->flow->next_start[i + 1] = make_row(c, i, 0);
        }
    }
}

/// Buffers of the first time.
static phx_result reserve(phxi_step* step, const phxi_peri_slot* slot, struct phxi_peri_flow* flow) {
    if (flow->search) {
        return PHX_OK;
    }
    if (!flow->radii) {
        PHXI_NEW(flow->radii, step->heap, slot->count, label);
    }
    if (!flow->next_start) {
        PHXI_NEW(flow->next_start, step->heap, slot->count + 1, label);
    }
    for (int i = 0; i < slot->count; ++i) {
        flow->radii[i] = (phx_real)(KEEP * slot->params.horizon * (double)step->particles->spacing[slot->begin + i]);
    }
    return phxi_search_create(step->heap, PHXI_SEARCH_GRID, &flow->search);
}

/// Room for the rows as they will be.
static phx_result reserve_rows(phxi_step* step, struct phxi_peri_flow* flow, int bonds) {
    if (bonds <= flow->next_capacity) {
        return PHX_OK;
    }
    phxi_free(step->heap, flow->next_other);
    phxi_free(step->heap, flow->next_rest);
    flow->next_capacity = 0;
    flow->next_other = NULL, flow->next_rest = NULL;
    int capacity = bonds + bonds / 4;
    PHXI_NEW(flow->next_other, step->heap, capacity, label);
    PHXI_NEW(flow->next_rest, step->heap, capacity, label);
    flow->next_capacity = capacity;
    return PHX_OK;
}

/// The rows that were made become those of the body.
static void take_rows(phxi_peri_slot* slot, struct phxi_peri_flow* flow) {
    int *start = slot->start, *other = slot->other, capacity = slot->row_capacity;
    phxi_r4* rest = slot->rest;
    slot->start = flow->next_start, slot->other = flow->next_other, slot->rest = flow->next_rest;
    slot->row_capacity = flow->next_capacity;
    flow->next_start = start, flow->next_other = other, flow->next_rest = rest;
    flow->next_capacity = capacity;
    slot->bond_count = slot->start[slot->count];
}

static phx_result check_rows(const renewing* c) {
    int* start = c->flow->next_start;
    start[0] = 0;
    for (int i = 0; i < c->slot->count; ++i) {
        if (start[i + 1] > PERI_MOST_BONDS) {
            return phxi_fail(PHX_ERROR_UNSTABLE,
                             "particle %d of body '%s' has %d bonds, expected at most %d: it is crushed", i,
                             c->step->bodies[c->slot->body].name, start[i + 1], PERI_MOST_BONDS);
        }
        start[i + 1] += start[i];
    }
    return PHX_OK;
}

phx_result phxi_peri_flow_lists(phxi_step* step, phxi_peri_slot* slot) {
    struct phxi_peri_flow* flow = slot->flow;
    if (flow->steady || flow->strayed < STRAYED) {
        return PHX_OK;
    }
    flow->strayed = 0;
    PHXI_TRY(reserve(step, slot, flow));
    renewing c = {.step = step, .slot = slot, .flow = flow};
    c.pull = phxi_arena_take(step->arena, (size_t)slot->count, sizeof *c.pull);
    c.known = phxi_arena_take(step->arena, (size_t)slot->count, sizeof *c.known);
    if (!c.pull || !c.known) {
        return PHX_ERROR_MEMORY;
    }
    const phxi_particles* p = step->particles;
    phxi_points points = {p->x + slot->begin, p->y + slot->begin, p->z + slot->begin, slot->count};
    phxi_peri_flow_local(step, slot);
    PHXI_TRY(phxi_search_pairs(flow->search, step->pool, points, flow->radii, 0, &flow->found));
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, prepare_block, &c);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, row_block, &c);
    PHXI_TRY(check_rows(&c));
    PHXI_TRY(reserve_rows(step, flow, flow->next_start[slot->count]));
    c.fill = true;
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, row_block, &c);
    take_rows(slot, flow);
    return phxi_peri_renew(step, slot);
}
