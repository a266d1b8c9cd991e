// SPDX-License-Identifier: MIT
// The stages of a substep on a lattice, docs/theory/efg.md (11): PHXI_LANES particles at a time, without lists.
//
// Lines along z around a run at (x, y) are first added up by the signs of their steps in x and y:
//
//   C = (0,0)   F = sum of the 4 face lines   E = sum of the 4 edge lines
//   X = (1,0) - (-1,0)   D = (1,1) + (1,-1) - (-1,1) - (-1,-1)   and Y, G likewise along y
//
// With weights w1, w2, w3 of faces, edges, corners, sums over the 26 neighbours of cell z are then
//
//   sum w n_x v = [w1 X + w2 D](z) + [w2 X + w3 D](z+1) + [w2 X + w3 D](z-1)        and likewise along y
//   sum w n_z v = T(z+1) - T(z-1),  T = w1 C + w2 F + w3 E
//   sum w v     = [w1 F + w2 E](z) + T(z+1) + T(z-1)
//
// So neighbours along z meet in two shifts by one lane, after all products: pass 1 has 39 additions and products and 9
// loads a component for 26 neighbours, pass 2 has 53 and 30 (for four sums). Neighbours outside the stored runs are run
// 0, which is zero.
//
// On body-centred lattices n counts half spacings. The four lines across are those of the other half of the particles,
// with weight w1 at z +- 1; the four beside are two steps away and have w2, as the particle's own at z +- 2:
//
//   sum w n_x v = 2 w2 X(z) + w1 D(z+1) + w1 D(z-1)
//   sum w n_z v = 2 w2 C(z+2) - 2 w2 C(z-2) + w1 E(z+1) - w1 E(z-1),   sum w v likewise
//
// Lanes are a whole spacing apart, and lines of odd columns begin half of one higher. So two steps are a shift by one
// lane, and one step up is none from an even column and one lane from an odd one; down it is the other way round.
#include "methods/efg/lattice/lattice.h"

#include "materials/elastic_batch.h"
#include "methods/efg/block_data.h"

#include <string.h>

/// Lanes moved by one: the value at z + 1 from this run and the next, at z - 1 from the one before and this.
#ifdef PHX_DOUBLE
#define ABOVE(this, next)   __builtin_shufflevector(this, next, 1, 2, 3, 4)
#define BELOW(before, this) __builtin_shufflevector(before, this, 3, 4, 5, 6)
#else
#define ABOVE(this, next)   __builtin_shufflevector(this, next, 1, 2, 3, 4, 5, 6, 7, 8)
#define BELOW(before, this) __builtin_shufflevector(before, this, 7, 8, 9, 10, 11, 12, 13, 14)
#endif

/// What a line along z is of; known when its sums are compiled.
typedef enum line_kind { CUBIC_LINE, EVEN_LINE, ODD_LINE } line_kind;

/// What is a step above or below a particle of the line.
#define STEP_UP(kind, this, next)     ((kind) == EVEN_LINE ? (this) : ABOVE(this, next))
#define STEP_DOWN(kind, before, this) ((kind) == ODD_LINE ? (this) : BELOW(before, this))

PHXI_INLINE phxi_rw* lanes_at(phx_real* row, int run) {
    return (phxi_rw*)(void*)(row + run * PHXI_LANES);
}

/// out = m A^-1, or m A^-T; all by rows.
PHXI_INLINE void times_inverse(const phxi_rw m[9], const phxi_lattice_constants* k, bool transposed, phxi_rw out[9]) {
    const phxi_rw* a = k->inverse;
    if (k->diagonal) { // the same bits
        for (int c = 0; c < 9; ++c) {
            out[c] = m[c] * a[4 * (c % 3)];
        }
        return;
    }
    int across = transposed ? 1 : 3, along = transposed ? 3 : 1;
    for (int c = 0; c < 3; ++c) {
        for (int b = 0; b < 3; ++b) {
            out[3 * c + b] = m[3 * c] * a[along * b] + m[3 * c + 1] * a[along * b + across] +
                             m[3 * c + 2] * a[along * b + 2 * across];
        }
    }
}

/// Stored runs around run number `e` of a line of `length` from `run` on, [3 (dx + 1) + dy + 1] by the signs of their
/// steps. Those before and after the line need not be stored: then into `near`, or NULL if all around are run 0.
PHXI_INLINE const int* runs_around(const phxi_efg_lattice* l, int run, int length, int e, int near[9]) {
    if (e >= 0 && e < length) {
        return l->near[run + e].runs;
    }
    if (!(e < 0 ? l->near[run].before : l->near[run + e - 1].after)) {
        return NULL;
    }
    for (int k = 0; k < 9; ++k) {
        near[k] = l->table[l->at[run] + e + l->around[k]];
    }
    return near;
}

/// Runs of the tile from `k` on that follow each other along z.
PHXI_INLINE int line_length(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, int k) {
    int length = 1;
    while (k + length < tile->run_count && l->at[tile->run + k + length] == l->at[tile->run + k] + length) {
        ++length;
    }
    return length;
}

/// Whether the runs around entry `e` of a line, 0 before it and length + 1 after it, meet it at z +- 1.
PHXI_INLINE bool is_met(line_kind kind, int e, int length) {
    return e == 0 ? kind != ODD_LINE : e <= length || kind != EVEN_LINE;
}

PHXI_INLINE line_kind kind_of(const phxi_efg_lattice* l, int run) {
    // columns of the table begin at an even number of steps
    return l->kind == PHXI_CUBIC ? CUBIC_LINE : l->at[run] / l->stride[0] % 2 ? ODD_LINE : EVEN_LINE;
}

// --------------------------------------------------------------------------------------------------------- pass 1

/// Of a run and one component: what meets at z +- 1, and at the same z where that shares its sums.
typedef struct sums1 {
    phxi_rw bx, by, t, x, y, s;
} sums1;

static const sums1 nothing1[3]; // beyond the ends of a line

PHXI_INLINE void add_lines(line_kind kind, const phxi_rw (*u)[3], const int near[9], const phx_real w[2],
                           sums1 out[3]) {
    for (int c = 0; c < 3; ++c) {
        phxi_rw a = u[near[8]][c], b = u[near[0]][c], d = u[near[6]][c], e = u[near[2]][c];
        phxi_rw diagonal = a - b, across = d - e, edges = (a + b) + (d + e);
        phxi_rw dx = diagonal + across, dy = diagonal - across;
        if (kind != CUBIC_LINE) {
            out[c].bx = dx, out[c].by = dy, out[c].t = edges;
            continue;
        }
        a = u[near[7]][c], b = u[near[1]][c], d = u[near[5]][c], e = u[near[3]][c];
        phxi_rw x = a - b, y = d - e, faces = (a + b) + (d + e);
        out[c].x = x + w[0] * dx;
        out[c].bx = w[0] * x + w[1] * dx;
        out[c].y = y + w[0] * dy;
        out[c].by = w[0] * y + w[1] * dy;
        out[c].s = faces + w[0] * edges;
        out[c].t = u[near[4]][c] + w[0] * faces + w[1] * edges;
    }
}

/// Three runs that follow each other along a line: sums of their lines, and where they are themselves.
typedef struct trio {
    const void* sums[3]; // sums1 or sums2, three components each
    int run[3];
} trio;

/// sum w n_x v, sum w n_y v, sum w n_z v and sum w v of one run and component.
PHXI_INLINE void sum_neighbours(line_kind kind, const phxi_rw (*u)[3], const trio* t, int c, const int near[9],
                                const phx_real w[2], phxi_rw sum[4]) {
    const sums1 *before = (const sums1*)t->sums[0] + c, *this = (const sums1*)t->sums[1] + c;
    const sums1* next = (const sums1*)t->sums[2] + c;
    phxi_rw up = STEP_UP(kind, this->t, next->t), down = STEP_DOWN(kind, before->t, this->t);
    sum[0] = STEP_UP(kind, this->bx, next->bx) + STEP_DOWN(kind, before->bx, this->bx);
    sum[1] = STEP_UP(kind, this->by, next->by) + STEP_DOWN(kind, before->by, this->by);
    sum[2] = up - down, sum[3] = up + down;
    if (kind == CUBIC_LINE) {
        sum[0] += this->x, sum[1] += this->y, sum[3] += this->s;
        return;
    }
    phxi_rw a = u[near[7]][c], b = u[near[1]][c], d = u[near[5]][c], e = u[near[3]][c], own = u[t->run[1]][c];
    phxi_rw above = ABOVE(own, u[t->run[2]][c]), below = BELOW(u[t->run[0]][c], own);
    sum[0] += w[1] * (a - b), sum[1] += w[1] * (d - e), sum[2] += w[1] * (above - below);
    sum[3] += w[0] * (((a + b) + (d + e)) + (above + below));
}

/// H = M A^-1, G = B - I + H and s of one run, from the sums of it and its two neighbours along z.
PHXI_INLINE void emit_gradients(line_kind kind, const phxi_efg_lattice* l, const trio* t, const phx_real stretch[9],
                                int place, block_data* d, phxi_rw* squares) {
    const phxi_rw(*u)[3] = (const phxi_rw(*)[3])l->u;
    int run = t->run[1];
    const phxi_lattice_constants* k = &l->constants[l->shared[run]];
    phxi_rw m[9], h[9];
    for (int c = 0; c < 3; ++c) {
        phxi_rw sum[4], own = u[run][c];
        sum_neighbours(kind, u, t, c, l->near[run].runs, l->weight, sum);
        for (int b = 0; b < 3; ++b) {
            m[3 * c + b] = sum[b] - own * k->sum_n[b];
        }
        *lanes_at(d->s[c], place) = sum[3] - own * k->sum_w;
    }
    times_inverse(m, k, false, h);
    for (int b = 0; b < 9; ++b) {
        phxi_rw g = h[b] + stretch[b];
        *lanes_at(d->h[b], place) = h[b];
        *lanes_at(d->g[b], place) = g;
        *squares += g * g;
    }
}

/// The runs at `e` - 1, `e` and `e` + 1 of a line, e from 1 on; `sums` begin with that before the line.
PHXI_INLINE trio trio_at(const int runs[], const void* const sums[], int e) {
    return (trio){{sums[e - 1], sums[e], sums[e + 1]}, {runs[e - 1], runs[e], runs[e + 1]}};
}

/// Pass 1 of `length` runs in line.
PHXI_INLINE void gradients_of_line(line_kind kind, const phxi_efg_lattice* l, const phxi_lattice_tile* tile, int k,
                                   int length, const phx_real stretch[9], block_data* d, phxi_rw* squares) {
    sums1 sums[EFG_TILE_RUNS + 2][3];
    const void* part[EFG_TILE_RUNS + 2];
    int runs[EFG_TILE_RUNS + 2];
    for (int e = 0; e < length + 2; ++e) {
        int room[9];
        const int* near = runs_around(l, tile->run + k, length, e - 1, room);
        part[e] = near ? sums[e] : nothing1;
        runs[e] = near ? near[4] : 0;
        if (near && is_met(kind, e, length)) {
            add_lines(kind, (const phxi_rw(*)[3])l->u, near, l->weight, sums[e]);
        }
    }
    for (int e = 1; e <= length; ++e) {
        trio t = trio_at(runs, part, e);
        emit_gradients(kind, l, &t, stretch, k + e - 1, d, squares);
    }
}

/// Pass 1 of a tile; true if an F may be beyond all bounds or not a number.
static PHXI_CLONES bool lattice_pass1(const phxi_efg_lattice* l, const phxi_lattice_tile* tile,
                                      const phx_real stretch[9], block_data* d) {
    phxi_rw squares = {0};
    for (int k = 0, length; k < tile->run_count; k += length) {
        length = line_length(l, tile, k);
        switch (kind_of(l, tile->run + k)) {
        case CUBIC_LINE:
            gradients_of_line(CUBIC_LINE, l, tile, k, length, stretch, d, &squares);
            break;
        case EVEN_LINE:
            gradients_of_line(EVEN_LINE, l, tile, k, length, stretch, d, &squares);
            break;
        case ODD_LINE:
            gradients_of_line(ODD_LINE, l, tile, k, length, stretch, d, &squares);
            break;
        }
    }
    bool wild = false;
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        wild = wild || !(squares[lane] < (phx_real)(EFG_WILD * EFG_WILD));
    }
    return wild;
}

// ------------------------------------------------------------------------------------------------------------ law

/// Q = V P A^-T - c H step, (Q | c u) for neighbours and the own part of the force.
static PHXI_CLONES void lattice_stress_runs(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, block_data* d) {
    phx_real step = (phx_real)l->step;
    for (int k = 0; k < tile->run_count; ++k) {
        int run = tile->run + k;
        const phxi_lattice_constants* constants = &l->constants[l->shared[run]];
        phxi_rw p[9], m[9], reach = constants->stiffness * step;
        for (int b = 0; b < 9; ++b) {
            p[b] = *lanes_at(d->p[b], k) * constants->volume;
        }
        times_inverse(p, constants, true, m);
        for (int c = 0; c < 3; ++c) {
            phxi_rw u = l->u[run][c], own = constants->stiffness * *lanes_at(d->s[c], k) - u * constants->sum_cw;
            for (int b = 0; b < 3; ++b) {
                phxi_rw q = m[3 * c + b] - reach * *lanes_at(d->h[3 * c + b], k);
                l->q[run][4 * c + b] = q;
                own += q * constants->sum_n[b];
            }
            l->q[run][4 * c + 3] = constants->stiffness * u;
            l->own[run][c] = own;
        }
    }
}

bool phxi_lattice_gradients(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, const phx_real stretch[9],
                            block_data* d) {
    return !lattice_pass1(l, tile, stretch, d);
}

void phxi_lattice_store(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, block_data* d) {
    lattice_stress_runs(l, tile, d);
}

/// Of the lanes of a tile.
static const phx_real* thermal_of(const phxi_efg_lattice* l, const phxi_lattice_tile* tile) {
    return l->thermal ? l->thermal + tile->run * PHXI_LANES : NULL;
}

bool phxi_lattice_stress(const phxi_efg_slot* slot, const phxi_elastic* elastic, phxi_lattice_tile* tile) {
    const phxi_efg_lattice* l = slot->lattice;
    int lanes = tile->run_count * PHXI_LANES;
    block_data d;
    bool tame = phxi_lattice_gradients(l, tile, l->stretch, &d);
    phxi_thermal_take(thermal_of(l, tile), lanes, EFG_BLOCK, d.g[0]);
    phxi_elastic_batch(elastic, lanes, EFG_BLOCK, d.g[0], d.p[0], NULL);
    if (slot->params.volume_stiffness > 0) {
        phxi_efg_volume_term(&d, phxi_block_count(lanes, EFG_LANES), slot->params.volume_stiffness);
    }
    phxi_thermal_stress(thermal_of(l, tile), lanes, EFG_BLOCK, d.p[0]);
    if (slot->turns) {
        phxi_lattice_freeze(slot, tile, &d);
    }
    phxi_lattice_store(l, tile, &d);
    return tame;
}

// --------------------------------------------------------------------------------------------------------- pass 2

/// Of a run and one component of force: what goes to z - 1 (its neighbour above), to z + 1, and to the same z where
/// that shares its sums.
typedef struct sums2 {
    phxi_rw above, below, here;
} sums2;

static const sums2 nothing2[3];

PHXI_INLINE void add_stresses(line_kind kind, const phxi_rw (*q)[12], const int near[9], const phx_real w[2],
                              sums2 out[3]) {
    for (int c = 0; c < 3; ++c) {
        int x = 4 * c, y = x + 1, z = x + 2, s = x + 3;
        phxi_rw x_edges = (q[near[8]][x] - q[near[0]][x]) + (q[near[6]][x] - q[near[2]][x]);
        phxi_rw y_edges = (q[near[8]][y] - q[near[0]][y]) - (q[near[6]][y] - q[near[2]][y]);
        phxi_rw s_edges = (q[near[8]][s] + q[near[0]][s]) + (q[near[6]][s] + q[near[2]][s]);
        phxi_rw z_edges = (q[near[8]][z] + q[near[0]][z]) + (q[near[6]][z] + q[near[2]][z]);
        phxi_rw edges = x_edges + y_edges + s_edges;
        if (kind != CUBIC_LINE) {
            out[c].above = edges + z_edges, out[c].below = edges - z_edges;
            continue;
        }
        phxi_rw x_faces = q[near[7]][x] - q[near[1]][x], y_faces = q[near[5]][y] - q[near[3]][y];
        phxi_rw s_faces = (q[near[7]][s] + q[near[1]][s]) + (q[near[5]][s] + q[near[3]][s]);
        phxi_rw z_faces = (q[near[7]][z] + q[near[1]][z]) + (q[near[5]][z] + q[near[3]][z]);
        phxi_rw faces = x_faces + y_faces + s_faces;
        phxi_rw both = q[near[4]][s] + w[0] * faces + w[1] * edges;
        phxi_rw odd = q[near[4]][z] + w[0] * z_faces + w[1] * z_edges;
        out[c].here = faces + w[0] * edges, out[c].above = both + odd, out[c].below = both - odd;
    }
}

/// Adds what one run and component gets from all around it.
PHXI_INLINE void add_force(line_kind kind, const phxi_rw (*q)[12], const trio* t, int c, const int near[9],
                           const phx_real w[2], phxi_rw* force) {
    const sums2 *before = (const sums2*)t->sums[0] + c, *this = (const sums2*)t->sums[1] + c;
    const sums2* next = (const sums2*)t->sums[2] + c;
    *force += STEP_UP(kind, this->above, next->above) + STEP_DOWN(kind, before->below, this->below);
    if (kind == CUBIC_LINE) {
        *force += this->here;
        return;
    }
    int x = 4 * c, y = x + 1, z = x + 2, s = x + 3;
    const phxi_rw *below = q[t->run[0]], *own = q[t->run[1]], *above = q[t->run[2]];
    phxi_rw up_s = ABOVE(own[s], above[s]), down_s = BELOW(below[s], own[s]);
    phxi_rw up_z = ABOVE(own[z], above[z]), down_z = BELOW(below[z], own[z]);
    phxi_rw odd = (q[near[7]][x] - q[near[1]][x]) + (q[near[5]][y] - q[near[3]][y]) + (up_z - down_z);
    phxi_rw even = (q[near[7]][s] + q[near[1]][s]) + (q[near[5]][s] + q[near[3]][s]) + (up_s + down_s);
    *force += w[1] * odd + w[0] * even;
}

/// Pass 2 of `length` runs in line.
PHXI_INLINE void forces_of_line(line_kind kind, const phxi_efg_lattice* l, const phxi_lattice_tile* tile, int k,
                                int length, phx_real force[3][EFG_BLOCK]) {
    const phxi_rw(*q)[12] = (const phxi_rw(*)[12])l->q;
    sums2 sums[EFG_TILE_RUNS + 2][3];
    const void* part[EFG_TILE_RUNS + 2];
    int runs[EFG_TILE_RUNS + 2];
    for (int e = 0; e < length + 2; ++e) {
        int room[9];
        const int* near = runs_around(l, tile->run + k, length, e - 1, room);
        part[e] = near ? sums[e] : nothing2;
        runs[e] = near ? near[4] : 0;
        if (near && is_met(kind, e, length)) {
            add_stresses(kind, q, near, l->weight, sums[e]);
        }
    }
    for (int e = 1; e <= length; ++e) {
        trio t = trio_at(runs, part, e);
        for (int c = 0; c < 3; ++c) {
            phxi_rw sum = l->own[t.run[1]][c];
            add_force(kind, q, &t, c, l->near[t.run[1]].runs, l->weight, &sum);
            *lanes_at(force[c], k + e - 1) = sum;
        }
    }
}

static PHXI_CLONES void lattice_pass2(const phxi_efg_lattice* l, const phxi_lattice_tile* tile,
                                      phx_real force[3][EFG_BLOCK]) {
    for (int k = 0, length; k < tile->run_count; k += length) {
        length = line_length(l, tile, k);
        switch (kind_of(l, tile->run + k)) {
        case CUBIC_LINE:
            forces_of_line(CUBIC_LINE, l, tile, k, length, force);
            break;
        case EVEN_LINE:
            forces_of_line(EVEN_LINE, l, tile, k, length, force);
            break;
        case ODD_LINE:
            forces_of_line(ODD_LINE, l, tile, k, length, force);
            break;
        }
    }
}

/// What is deep in clamps takes no part.
static void clear_deep(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, phx_real v[3][EFG_BLOCK]) {
    for (int k = 0; k < tile->count; ++k) {
        for (int c = 0; c < 3 && l->deep[tile->first + k]; ++c) {
            v[c][k] = 0;
        }
    }
}

void phxi_lattice_force(const phxi_efg_slot* slot, const phxi_lattice_tile* tile, phx_real force[3][EFG_BLOCK]) {
    const phxi_efg_lattice* l = slot->lattice;
    lattice_pass2(l, tile, force);
    if (!tile->full) {
        const uint8_t* place = l->place + tile->first;
        for (int k = 0; k < tile->count; ++k) { // places ascend, none is below k
            for (int c = 0; c < 3; ++c) {
                force[c][k] = force[c][place[k]];
            }
        }
    }
    if (tile->clamped) {
        clear_deep(l, tile, force);
    }
}

// ------------------------------------------------------------------------------------------------------------ fill

void phxi_lattice_put(const phxi_efg_lattice* l, const phxi_lattice_tile* tile, phx_real u[3][EFG_BLOCK]) {
    if (tile->clamped) {
        clear_deep(l, tile, u);
    }
    if (tile->full) {
        for (int k = 0; k < tile->run_count; ++k) {
            for (int c = 0; c < 3; ++c) {
                l->u[tile->run + k][c] = *lanes_at(u[c], k);
            }
        }
        return;
    }
    const uint8_t* place = l->place + tile->first;
    for (int k = 0; k < tile->count; ++k) {
        int run = tile->run + place[k] / PHXI_LANES, lane = place[k] % PHXI_LANES;
        for (int c = 0; c < 3; ++c) {
            ((phx_real*)&l->u[run][c])[lane] = u[c][k];
        }
    }
}

void phxi_lattice_warm(const phxi_efg_slot* slot, const phxi_particles* particles, const phxi_lattice_tile* tile) {
    const phxi_efg_lattice* l = slot->lattice;
    for (int i = tile->first; l->thermal && i < tile->first + tile->count; ++i) {
        l->thermal[tile->run * PHXI_LANES + l->place[i]] = particles->thermal[slot->begin + i];
    }
}

void phxi_lattice_fill(const phxi_efg_slot* slot, const phxi_particles* particles, const phxi_lattice_tile* tile) {
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    phxi_efg_displacements(slot, &slot->lattice->frame, particles, slot->begin + tile->first, tile->count, u);
    phxi_lattice_put(slot->lattice, tile, u);
    phxi_lattice_warm(slot, particles, tile);
}

// -------------------------------------------------------------------------------------------------------- stretches

typedef struct stretch_loop {
    const phxi_efg_slot* slot;
    const phxi_particles* particles;
} stretch_loop;

static void fill_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stretch_loop* c = context;
    phxi_lattice_fill(c->slot, c->particles, &c->slot->lattice->tiles[begin]);
}

/// Cells without a particle have the stretch of the body as a whole.
static void stretch_tile(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const phxi_efg_lattice* l = ((const stretch_loop*)context)->slot->lattice;
    phxi_lattice_tile* tile = &l->tiles[begin];
    int lanes = tile->run_count * PHXI_LANES, groups = phxi_block_count(lanes, EFG_LANES);
    block_data d;
    phxi_lattice_gradients(l, tile, l->stretch, &d);
    phxi_thermal_take(thermal_of(l, tile), lanes, EFG_BLOCK, d.g[0]);
    for (int b = 0; b < 9; ++b) { // a run may be half a group
        memset(d.g[b] + lanes, 0, (size_t)(groups * EFG_LANES - lanes) * sizeof *d.g[b]);
    }
    phxi_efg_stretch_range(&d, groups, &tile->least, &tile->most);
}

void phxi_lattice_stretches(phxi_step* step, phxi_efg_slot* slot, double* least, double* most) {
    phxi_efg_fit_frame(slot, step->particles, 0);
    const phxi_efg_lattice* l = slot->lattice;
    stretch_loop loop = {slot, step->particles};
    phxi_parallel_for(step->pool, l->tile_count, 1, fill_tile, &loop);
    phxi_parallel_for(step->pool, l->tile_count, 1, stretch_tile, &loop);
    *least = *most = 1;
    for (int t = 0; t < l->tile_count; ++t) {
        *least = fmin(*least, l->tiles[t].least);
        *most = fmax(*most, l->tiles[t].most);
    }
}
