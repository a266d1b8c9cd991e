// SPDX-License-Identifier: MIT
// Implicit steps of a body on a lattice: forces at given positions, and products with the tangent at frozen rotations,
// tile by tile. The solver's vectors are by particle and in the axes of the frame; they are turned into those of the
// lattice on their way in and back on their way out.
#include "methods/efg/block_data.h"
#include "methods/efg/lattice/lattice.h"

typedef struct tile_loop {
    const phxi_efg_slot* slot;
    const phxi_elastic* elastic;
    const phxi_particles* particles;
    const phx_vec3* x;
    phx_vec3* force;
    const phx_real* const* q;
    phx_real* const* kq;
    bool exact;
} tile_loop;

phx_result phxi_lattice_prepare(phxi_heap* heap, phxi_efg_lattice* l) {
    if (!l->turns) {
        size_t turns = (size_t)l->tile_count * (EFG_BLOCK / EFG_LANES);
        l->turns = phxi_alloc_zero(heap, turns, sizeof *l->turns, "efg implicit");
    }
    return l->turns ? PHX_OK : PHX_ERROR_MEMORY;
}

static phxi_efg_turn* turns_of(const phxi_efg_lattice* l, const phxi_lattice_tile* tile) {
    return l->turns + (tile - l->tiles) * (EFG_BLOCK / EFG_LANES);
}

static int groups_of(const phxi_lattice_tile* tile) {
    return phxi_block_count(tile->run_count * PHXI_LANES, EFG_LANES);
}

static void run(phxi_step* step, tile_loop* loop, phxi_loop_body* body) {
    phxi_parallel_for(step->pool, loop->slot->lattice->tile_count, 1, body, loop);
}

// -------------------------------------------------------------------------------------------------------- rotations

/// R in the axes of the frame, axes R axes^T, of eight lanes.
static PHXI_CLONES void lattice_turn_back(const phx_real axes[9], const phxi_efg_turn* in, phxi_efg_turn* out) {
    phxi_r8 half[9];
    for (int k = 0; k < 9; ++k) {
        const phx_real* a = axes + 3 * (k / 3);
        half[k] = a[0] * in->r[k % 3] + a[1] * in->r[3 + k % 3] + a[2] * in->r[6 + k % 3];
    }
    for (int k = 0; k < 9; ++k) {
        const phxi_r8* row = half + 3 * (k / 3);
        const phx_real* a = axes + 3 * (k % 3);
        out->r[k] = row[0] * a[0] + row[1] * a[1] + row[2] * a[2];
    }
}

void phxi_lattice_freeze(const phxi_efg_slot* slot, phxi_lattice_tile* tile, const block_data* d) {
    const phxi_efg_lattice* l = slot->lattice;
    phxi_efg_turn *turns = turns_of(l, tile), turned[EFG_BLOCK / EFG_LANES];
    phx_real axes[9];
    for (int k = 0; k < 9; ++k) {
        axes[k] = (phx_real)l->axes.m[k / 3][k % 3];
    }
    phxi_efg_rotate_lanes(d, tile->run_count * PHXI_LANES, turns, &tile->strain);
    for (int k = 0; k < groups_of(tile); ++k) {
        lattice_turn_back(axes, &turns[k], &turned[k]);
    }
    for (int k = 0; k < tile->count; ++k) {
        int i = tile->first + k, lane = l->place[i];
        for (int a = 0; a < 9; ++a) {
            // one number, not a vector read and written: the next tile may share its group
            phx_real* shared = (phx_real*)&slot->turns[i / EFG_LANES].r[a];
            shared[i % EFG_LANES] = turned[lane / EFG_LANES].r[a][lane % EFG_LANES];
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- forces

static void place_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    const phxi_particles* p = c->particles;
    const phxi_frame* f = &l->frame;
    phxi_mat3 back = phxi_mat3_transpose(&f->rotation);
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    for (int k = 0; k < tile->count; ++k) {
        int i = c->slot->begin + tile->first + k;
        phx_vec3 rest = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        phx_vec3 now = phxi_mat3_apply(&back, phxi_sub(c->x[tile->first + k], f->center));
        phx_vec3 d = phxi_sub(now, phxi_mat3_apply(&f->stretch, phxi_sub(rest, f->origin)));
        u[0][k] = (phx_real)d.x, u[1][k] = (phx_real)d.y, u[2][k] = (phx_real)d.z;
    }
    phxi_lattice_put(l, tile, u);
    phxi_lattice_warm(c->slot, p, tile);
}

static void stress_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    phxi_lattice_tile* tile = &c->slot->lattice->tiles[begin];
    tile->bad = !phxi_lattice_stress(c->slot, c->elastic, tile);
}

static void force_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    phxi_lattice_force(c->slot, tile, force);
    for (int k = 0; k < tile->count; ++k) {
        c->force[tile->first + k] =
            phxi_mat3_apply(&l->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
    }
}

bool phxi_lattice_forces_at(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic, const phx_vec3* x,
                            phx_vec3* force, phxi_strain* strain) {
    tile_loop loop = {.slot = slot, .elastic = elastic, .particles = step->particles, .x = x, .force = force};
    run(step, &loop, place_tile);
    run(step, &loop, stress_tile);
    run(step, &loop, force_tile);
    *strain = (phxi_strain){INFINITY, 0};
    bool tame = true;
    for (int t = 0; t < slot->lattice->tile_count; ++t) {
        const phxi_lattice_tile* tile = &slot->lattice->tiles[t];
        strain->least_det = fmin(strain->least_det, tile->strain.least_det);
        strain->most = fmax(strain->most, tile->strain.most);
        tame = tame && !tile->bad;
    }
    return tame;
}

// ---------------------------------------------------------------------------------------------------------- products

/// out = scale m in, or scale m^T in, for `count` vectors.
static PHXI_CLONES void lattice_turn_lanes(const phxi_mat3* m, bool transposed, phx_real scale,
                                           const phx_real* const in[3], int count, phx_real* const out[3]) {
    phx_real a[9];
    for (int k = 0; k < 9; ++k) {
        a[k] = scale * (phx_real)(transposed ? m->m[k % 3][k / 3] : m->m[k / 3][k % 3]);
    }
    const phx_real* restrict x = in[0], * restrict y = in[1], * restrict z = in[2];
    phx_real* restrict ox = out[0], * restrict oy = out[1], * restrict oz = out[2];
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        phx_real u = x[i], v = y[i], w = z[i];
        ox[i] = a[0] * u + a[1] * v + a[2] * w;
        oy[i] = a[3] * u + a[4] * v + a[5] * w;
        oz[i] = a[6] * u + a[7] * v + a[8] * w;
    }
}

/// Projected tangents at the displacements of the last forces, in the axes of the lattice.
static void project_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    const phx_real* thermal = l->thermal ? l->thermal + tile->run * PHXI_LANES : NULL;
    phx_real* stiffness = c->slot->stiffness + (size_t)begin * EFG_BLOCK_STIFFNESS;
    const int lanes = tile->run_count * PHXI_LANES;
    block_data d;
    phxi_lattice_gradients(l, tile, l->stretch, &d);
    phxi_thermal_take(thermal, lanes, EFG_BLOCK, d.g[0]);
    phxi_tangent_batch(c->elastic, c->slot->params.volume_stiffness, c->exact, lanes, EFG_BLOCK, d.g[0], stiffness);
    phxi_thermal_tangent(thermal, lanes, EFG_BLOCK, stiffness);
}

void phxi_lattice_project(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic, bool exact) {
    tile_loop loop = {.slot = slot, .elastic = elastic, .exact = exact};
    run(step, &loop, project_tile);
}

static void direction_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    const phx_real* const q[3] = {c->q[0] + tile->first, c->q[1] + tile->first, c->q[2] + tile->first};
    lattice_turn_lanes(&l->axes, true, 1, q, tile->count, (phx_real* const[3]){u[0], u[1], u[2]});
    phxi_lattice_put(l, tile, u);
}

static void tangent_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    static const phx_real no_stretch[9];
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    block_data d;
    phxi_lattice_gradients(l, tile, no_stretch, &d);
    if (c->slot->projected) {
        phxi_tangent_apply_batch(tile->run_count * PHXI_LANES, EFG_BLOCK,
                                 c->slot->stiffness + (size_t)begin * EFG_BLOCK_STIFFNESS, d.h[0], d.p[0]);
    } else {
        phxi_efg_frozen_law(&d, groups_of(tile), turns_of(l, tile), c->elastic->mu,
                            c->elastic->lambda + c->slot->params.volume_stiffness);
    }
    phxi_lattice_store(l, tile, &d);
}

static void product_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const tile_loop* c = context;
    const phxi_efg_lattice* l = c->slot->lattice;
    const phxi_lattice_tile* tile = &l->tiles[begin];
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    phxi_lattice_force(c->slot, tile, force);
    phx_real* const kq[3] = {c->kq[0] + tile->first, c->kq[1] + tile->first, c->kq[2] + tile->first};
    lattice_turn_lanes(&l->axes, false, -1, (const phx_real* const[3]){force[0], force[1], force[2]}, tile->count, kq);
}

void phxi_lattice_product(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic,
                          const phx_real* const q[3], phx_real* const kq[3]) {
    tile_loop loop = {.slot = slot, .elastic = elastic, .q = q, .kq = kq};
    run(step, &loop, direction_tile);
    run(step, &loop, tangent_tile);
    run(step, &loop, product_tile);
}

void phxi_lattice_spill(phxi_efg* efg, const phxi_efg_slot* slot) {
    const phxi_efg_lattice* l = slot->lattice;
    for (int t = 0; t < l->tile_count; ++t) {
        const phxi_lattice_tile* tile = &l->tiles[t];
        for (int i = tile->first; i < tile->first + tile->count; ++i) {
            const phxi_rw* u = l->u[tile->run + l->place[i] / PHXI_LANES];
            int lane = l->place[i] % PHXI_LANES;
            phx_vec3 turned = phxi_mat3_apply(&l->axes, phxi_vec3(u[0][lane], u[1][lane], u[2][lane]));
            efg->u.items[slot->row + i] = (phxi_r4){(phx_real)turned.x, (phx_real)turned.y, (phx_real)turned.z, 0};
        }
    }
}
