// SPDX-License-Identifier: MIT
// Points without a lattice, evenly apart: darts that keep REACH spacings from each other, relaxed by Lloyd's iteration.
//
// The body is cut into fine cells, FINE a spacing. In an order that a hash gives, each is a dart (somewhere in the
// cell) that sticks if no other is within REACH; then no more fit, and a point has a spacing's cube on the mean. SWEEPS
// times each fine cell goes to its nearest point and points go to the middle of what is theirs. What fine cells hold of
// the body adds up to the volume of a point: its Voronoi cell within the body to a FINE-th, without making one.
#include "core/hash.h"
#include "geometry/sample_internal.h"

#include <stdlib.h>

enum { FINE = 3, SWEEPS = 4 };
#define REACH 0.85 // of the spacing: of darts that fill space each then has about its cube
#define SEED  0x626c7565u

static const char* const label = "blue noise";

typedef struct dart {
    uint64_t order;
    int cell; // fine one
} dart;

/// Points in coarse cells of one spacing: lists by the first of a cell and the next of a point, -1: none.
typedef struct cloud {
    phxi_heap* heap;
    const phxi_cells* fine;
    double spacing;
    int n[3], *first; // of coarse cells
    PHXI_ARRAY(phx_vec3) at;
    PHXI_ARRAY(int) next;
} cloud;

static int coarse_of(const cloud* c, double x, double low, int axis) {
    int i = (int)((x - low) / c->spacing);
    return i < 0 ? 0 : i < c->n[axis] ? i : c->n[axis] - 1;
}

static void coarse_place(const cloud* c, phx_vec3 x, int place[3]) {
    phx_vec3 low = c->fine->grid.origin;
    place[0] = coarse_of(c, x.x, low.x, 0), place[1] = coarse_of(c, x.y, low.y, 1),
    place[2] = coarse_of(c, x.z, low.z, 2);
}

static int* coarse_cell(const cloud* c, int i, int j, int k) {
    return &c->first[((size_t)k * (size_t)c->n[1] + (size_t)j) * (size_t)c->n[0] + (size_t)i];
}

/// The nearest point of those at most `rings` coarse cells away, -1: none.
static int nearest_in(const cloud* c, phx_vec3 x, int rings, double* distance) {
    int p[3], found = -1;
    coarse_place(c, x, p);
    *distance = INFINITY;
    for (int k = p[2] - rings < 0 ? 0 : p[2] - rings; k <= p[2] + rings && k < c->n[2]; ++k) {
        for (int j = p[1] - rings < 0 ? 0 : p[1] - rings; j <= p[1] + rings && j < c->n[1]; ++j) {
            for (int i = p[0] - rings < 0 ? 0 : p[0] - rings; i <= p[0] + rings && i < c->n[0]; ++i) {
                for (int m = *coarse_cell(c, i, j, k); m >= 0; m = c->next.items[m]) {
                    double d = phxi_distance(x, c->at.items[m]);
                    if (d < *distance || (d == *distance && m < found)) {
                        *distance = d;
                        found = m;
                    }
                }
            }
        }
    }
    return found;
}

/// The nearest point: one beyond the next coarse cells is farther than a spacing.
static int nearest(const cloud* c, phx_vec3 x) {
    double distance;
    int found = -1;
    for (int rings = 1; rings <= 4; ++rings) {
        found = nearest_in(c, x, rings, &distance);
        if (distance <= rings * c->spacing) {
            break;
        }
    }
    return found;
}

static void link_point(cloud* c, int m) {
    int p[3];
    coarse_place(c, c->at.items[m], p);
    int* first = coarse_cell(c, p[0], p[1], p[2]);
    c->next.items[m] = *first;
    *first = m;
}

static void link_all(cloud* c) {
    for (int i = 0; i < c->n[0] * c->n[1] * c->n[2]; ++i) {
        c->first[i] = -1;
    }
    for (int m = 0; m < c->at.count; ++m) {
        link_point(c, m);
    }
}

/// A place in fine cell `index`: shift (0.5, 0.5, 0.5) is its middle.
static phx_vec3 place_in(const phxi_grid* g, int index, phx_vec3 shift) {
    int i = index % g->nx, j = index / g->nx % g->ny, k = index / g->nx / g->ny;
    return phxi_add_scaled(g->origin, g->edge, phxi_vec3(i + shift.x, j + shift.y, k + shift.z));
}

static phx_vec3 anywhere(uint64_t hash) {
    return phxi_vec3(phxi_hash_unit(phxi_hash_pair(hash, 1)), phxi_hash_unit(phxi_hash_pair(hash, 2)),
                     phxi_hash_unit(phxi_hash_pair(hash, 3)));
}

static int by_order(const void* a, const void* b) {
    const dart *p = a, *q = b;
    return p->order != q->order ? (p->order < q->order ? -1 : 1) : p->cell - q->cell;
}

static phx_result add_point(cloud* c, phx_vec3 x) {
    phx_vec3* at = phxi_array_add(&c->at, c->heap, label);
    int* next = phxi_array_add(&c->next, c->heap, label);
    if (!at || !next) {
        return PHX_ERROR_MEMORY;
    }
    *at = x;
    link_point(c, c->at.count - 1);
    return PHX_OK;
}

/// Darts at all fine cells that are at least half inside, or anywhere inside if none is.
static phx_result throw_darts(cloud* c, dart* darts, float least) {
    const phxi_grid* g = &c->fine->grid;
    int count = 0;
    for (int i = 0; i < g->nx * g->ny * g->nz; ++i) {
        if (c->fine->fractions[i] >= least && c->fine->fractions[i] > 0) {
            darts[count++] = (dart){phxi_hash_pair((uint64_t)i, SEED), i};
        }
    }
    qsort(darts, (size_t)count, sizeof *darts, by_order);
    for (int k = 0; k < count; ++k) {
        phx_vec3 x = place_in(g, darts[k].cell, anywhere(darts[k].order));
        double distance;
        nearest_in(c, x, 1, &distance);
        if (distance >= REACH * c->spacing) {
            PHXI_TRY(add_point(c, x));
        }
    }
    return count == 0 && least > 0 ? throw_darts(c, darts, 0) : PHX_OK;
}

/// Fine cells to their nearest points: what each holds, in fine cells, and the middle of it.
static void share_out(const cloud* c, double* volume, phx_vec3* middle) {
    const phxi_grid* g = &c->fine->grid;
    for (int m = 0; m < c->at.count; ++m) {
        volume[m] = 0;
        middle[m] = (phx_vec3){0};
    }
    for (int i = 0; i < g->nx * g->ny * g->nz; ++i) {
        double held = (double)c->fine->fractions[i];
        if (held > 0) {
            phx_vec3 x = place_in(g, i, phxi_vec3(0.5, 0.5, 0.5));
            int m = nearest(c, x);
            volume[m] += held;
            middle[m] = phxi_add_scaled(middle[m], held, x);
        }
    }
}

static phx_result relax(cloud* c, double* volume, phx_vec3* middle) {
    for (int sweep = 0; sweep <= SWEEPS; ++sweep) {
        share_out(c, volume, middle);
        for (int m = 0; m < c->at.count && sweep < SWEEPS; ++m) {
            c->at.items[m] = volume[m] > 0 ? phxi_scale(1 / volume[m], middle[m]) : c->at.items[m];
        }
        link_all(c);
    }
    return PHX_OK;
}

static phx_result fill(cloud* c, phxi_sample_list* list) {
    const phxi_grid* g = &c->fine->grid;
    double cell = g->edge * g->edge * g->edge;
    dart* darts = phxi_alloc(c->heap, (size_t)g->nx * (size_t)g->ny * (size_t)g->nz, sizeof *darts, label);
    link_all(c);
    phx_result result = darts ? throw_darts(c, darts, 0.5f) : PHX_ERROR_MEMORY;
    phxi_free(c->heap, darts);
    size_t count = (size_t)c->at.count;
    double* volume = phxi_alloc(c->heap, count + 1, sizeof *volume, label);
    phx_vec3* middle = phxi_alloc(c->heap, count + 1, sizeof *middle, label);
    result = result == PHX_OK && !(volume && middle) ? PHX_ERROR_MEMORY : result;
    if (result == PHX_OK && count > 0) {
        result = relax(c, volume, middle);
    }
    for (size_t m = 0; result == PHX_OK && m < count; ++m) {
        if (volume[m] > 0) {
            result = phxi_sample_add(list, c->at.items[m], volume[m] * cell, c->spacing);
        }
    }
    list->exact = c->fine->sum * cell;
    phxi_free(c->heap, volume);
    phxi_free(c->heap, middle);
    return result;
}

phx_result phxi_sample_blue_noise(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    phxi_grid grid;
    phxi_cells fine;
    PHXI_TRY(phxi_region_grid(region, def->spacing / FINE, &grid));
    PHXI_TRY(phxi_cells_create(list->heap, region, &grid, &fine));
    cloud c = {.heap = list->heap, .fine = &fine, .spacing = def->spacing};
    c.n[0] = grid.nx / FINE + 1, c.n[1] = grid.ny / FINE + 1, c.n[2] = grid.nz / FINE + 1;
    c.first = phxi_alloc(c.heap, (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2], sizeof *c.first, label);
    phx_result result = c.first ? fill(&c, list) : PHX_ERROR_MEMORY;
    phxi_free(c.heap, c.first);
    phxi_array_destroy(&c.at, c.heap);
    phxi_array_destroy(&c.next, c.heap);
    phxi_cells_destroy(list->heap, &fine);
    return result;
}
