// SPDX-License-Identifier: MIT
// Conjugate gradients for viscosity, over rows of the fluid alone.
//
//   number      fluid places become unknowns, in the same order; all below is by unknown
//   rows        per unknown the fluid neighbours and their k_ij, padded to whole vectors with the unknown itself, which
//               adds nothing; walls go to a 3x3 block and a right side; the inverse of the diagonal block
//   residuals   of v* and of the guess: the smaller starts, that of v* is what the tolerance is relative to
//   iterate     q = B p | d += alpha p, r -= alpha q, z = D^-1 r | p = z + beta p
//   finish      without walls the rigid part of the error is known from the sums of momentum: it is taken off
//
// Velocities are taken relative to their mean, so that float is fine enough for bodies that fly. Relative differences
// x_ij are made again from positions in every product: a row holds 8 bytes a pair, and memory is what limits the
// product (storing x_ij: 20 bytes). Vectors of unknowns are rows of four numbers, the last is zero.
//
// The solver of methods/implicit has an operator like this one but is bound to bodies with a rest shape (bricks,
// contact, turning axes); what the two would share is the ten lines of the iteration.
#include "methods/wcsph/viscous_solve.h"

#include "core/error.h"
#include "math/decompose3.h"
#include "math/gather.h"
#include "neighbors/kernel.h"
#include "neighbors/kernel_wide.h"
#include "neighbors/near_wide.h"

#include <float.h>
#include <string.h>

enum { GRAIN = 128, LANES = 8 };

#ifdef PHX_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING FLT_EPSILON
#endif

static const char label[] = "viscous solve";

/// Sums of one block, added in block order.
typedef struct sums {
    double dot, size;
    double mass;
    double momentum[3], spin[3], first[3];
    double second[6]; // of positions, by mass: xx, yy, zz, xy, xz, yz
    bool walls;
} sums;

/// Symmetric 3x3 by columns.
typedef struct columns {
    phxi_r4 c[3];
} columns;

struct phxi_viscous {
    phxi_heap* heap;
    int place_capacity, capacity, block_capacity;
    int64_t pair_capacity;
    int* unknown; // by place: its number, or -1
    // by unknown
    int* place;
    int64_t* start; // of its row
    int* length;    // whole vectors
    phxi_r4* x;     // m
    phxi_r4* trait; // volume, 1 / viscosity, reach
    phx_real* mass;
    columns *wall, *inverse; // wall: sum (1 + b) k x x^T dt; inverse: of the diagonal block
    phxi_r4* wall_side;      // what walls add to the right side
    phxi_r4 *target, *d, *r, *z, *p, *q;
    // by pair
    int* item;
    phx_real* k; // dt k_ij
    sums* sums;

    // this solve
    const phxi_viscous_input* input;
    phx_real* const* velocity;
    int count;
    bool angular, periodic, walls;
    double alpha, beta;
    phx_real inertia; // 1: product with M + dt A, 0: with dt A
    phx_vec3 mean, shift, turn, center;
};

// ------------------------------------------------------------------------------------------------------------- memory

phx_result phxi_viscous_create(phxi_heap* heap, phxi_viscous** viscous) {
    *viscous = phxi_alloc_zero(heap, 1, sizeof **viscous, label);
    if (!*viscous) {
        return PHX_ERROR_MEMORY;
    }
    (*viscous)->heap = heap;
    return PHX_OK;
}

static void drop_unknowns(phxi_viscous* s) {
    void** const all[] = {(void**)&s->place,     (void**)&s->start,  (void**)&s->length, (void**)&s->x,
                          (void**)&s->trait,     (void**)&s->mass,   (void**)&s->wall,   (void**)&s->inverse,
                          (void**)&s->wall_side, (void**)&s->target, (void**)&s->d,      (void**)&s->r,
                          (void**)&s->z,         (void**)&s->p,      (void**)&s->q,      (void**)&s->sums};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(s->heap, *all[k]);
        *all[k] = NULL;
    }
    s->capacity = 0;
}

static void drop_pairs(phxi_viscous* s) {
    phxi_free(s->heap, s->item);
    phxi_free(s->heap, s->k);
    s->item = NULL;
    s->k = NULL;
    s->pair_capacity = 0;
}

void phxi_viscous_destroy(phxi_viscous* s) {
    if (!s) {
        return;
    }
    drop_unknowns(s);
    drop_pairs(s);
    phxi_free(s->heap, s->unknown);
    phxi_free(s->heap, s);
}

static phx_result reserve_unknowns(phxi_viscous* s, int count) {
    if (count <= s->capacity) {
        return PHX_OK;
    }
    drop_unknowns(s);
    int wanted = count + count / 2;
    PHXI_NEW(s->place, s->heap, wanted, label);
    PHXI_NEW(s->start, s->heap, wanted + 1, label);
    PHXI_NEW(s->length, s->heap, wanted, label);
    PHXI_NEW(s->x, s->heap, wanted, label);
    PHXI_NEW(s->trait, s->heap, wanted, label);
    PHXI_NEW(s->mass, s->heap, wanted, label);
    PHXI_NEW(s->wall, s->heap, wanted, label);
    PHXI_NEW(s->inverse, s->heap, wanted, label);
    PHXI_NEW(s->wall_side, s->heap, wanted, label);
    PHXI_NEW(s->target, s->heap, wanted, label);
    PHXI_NEW(s->d, s->heap, wanted, label);
    PHXI_NEW(s->r, s->heap, wanted, label);
    PHXI_NEW(s->z, s->heap, wanted, label);
    PHXI_NEW(s->p, s->heap, wanted, label);
    PHXI_NEW(s->q, s->heap, wanted, label);
    PHXI_NEW(s->sums, s->heap, phxi_block_count(wanted, GRAIN), label);
    s->capacity = wanted;
    return PHX_OK;
}

static phx_result reserve_pairs(phxi_viscous* s, int64_t count) {
    if (count <= s->pair_capacity) {
        return PHX_OK;
    }
    drop_pairs(s);
    int64_t wanted = count + count / 4;
    PHXI_NEW(s->item, s->heap, wanted, label);
    PHXI_NEW(s->k, s->heap, wanted, label);
    s->pair_capacity = wanted;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ numbers

static void loop(phxi_viscous* s, phxi_pool* pool, phxi_loop_body* body) {
    phxi_parallel_for(pool, s->count, GRAIN, body, s);
}

static double sum_dots(const phxi_viscous* s) {
    double sum = 0;
    for (int b = 0; b < phxi_block_count(s->count, GRAIN); ++b) {
        sum += s->sums[b].dot;
    }
    return sum;
}

/// Fluid places get their numbers; rows get room for all of their neighbours.
static phx_result number(phxi_viscous* s) {
    const phxi_viscous_input* in = s->input;
    const phxi_near* near = in->near;
    if (near->count > s->place_capacity) {
        phxi_free(s->heap, s->unknown);
        s->unknown = NULL;
        s->place_capacity = 0;
        PHXI_NEW(s->unknown, s->heap, near->count + near->count / 2, label);
        s->place_capacity = near->count + near->count / 2;
    }
    s->count = 0;
    for (int i = 0; i < near->count; ++i) {
        bool fluid = in->kind[i] == PHXI_VISCOUS_FLUID && in->mass[i] > 0;
        s->unknown[i] = fluid ? s->count++ : -1;
    }
    PHXI_TRY(reserve_unknowns(s, s->count));
    int64_t pairs = 0;
    for (int i = 0, u = 0; i < near->count; ++i) {
        if (s->unknown[i] >= 0) {
            s->place[u] = i;
            s->start[u++] = pairs;
            pairs += (near->lists.start[i + 1] - near->lists.start[i] + LANES - 1) / LANES * LANES;
        }
    }
    return reserve_pairs(s, pairs);
}

static phx_vec3 velocity_at(const phx_real* const v[3], int i) {
    return phxi_vec3(v[0][i], v[1][i], v[2][i]);
}

static void set_row(phxi_r4* row, phx_vec3 a) {
    *row = (phxi_r4){(phx_real)a.x, (phx_real)a.y, (phx_real)a.z, 0};
}

static void gather_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    const phxi_viscous_input* in = s->input;
    sums total = {0};
    for (int u = begin; u < end; ++u) {
        int i = s->place[u];
        s->x[u] = (phxi_r4){in->near->x[i], in->near->y[i], in->near->z[i], 0};
        s->trait[u] = (phxi_r4){in->volume[i], 1 / in->viscosity[i], in->near->reach[i], 0};
        s->mass[u] = in->mass[i];
        phx_vec3 v = velocity_at(in->target, i);
        total.mass += (double)in->mass[i];
        total.momentum[0] += (double)in->mass[i] * v.x;
        total.momentum[1] += (double)in->mass[i] * v.y;
        total.momentum[2] += (double)in->mass[i] * v.z;
    }
    s->sums[block] = total;
}

/// Velocities relative to the mean of v*: what is left is what viscosity acts on.
static void relate_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        set_row(&s->target[u], phxi_sub(velocity_at(s->input->target, s->place[u]), s->mean));
        set_row(&s->d[u], phxi_sub(velocity_at(s->input->guess, s->place[u]), s->mean));
    }
}

static void gather(phxi_viscous* s, phxi_pool* pool) {
    loop(s, pool, gather_part);
    double mass = 0, momentum[3] = {0};
    for (int b = 0; b < phxi_block_count(s->count, GRAIN); ++b) {
        mass += s->sums[b].mass;
        for (int a = 0; a < 3; ++a) {
            momentum[a] += s->sums[b].momentum[a];
        }
    }
    s->mean = mass > 0 ? phxi_vec3(momentum[0] / mass, momentum[1] / mass, momentum[2] / mass) : phxi_vec3(0, 0, 0);
    loop(s, pool, relate_part);
}

// --------------------------------------------------------------------------------------------------------------- rows

/// k of a row's pairs, and the sums of k x x^T (or of k): xx, yy, zz, xy, xz, yz.
PHXI_INLINE void row_coefficients(const phxi_viscous* s, int u, bool angular, bool periodic, double block[6]) {
    phxi_r4 own = s->x[u], trait = s->trait[u];
    const phx_real scale = (phx_real)(s->input->dt * (angular ? -20.0 : -4.0));
    phxi_r8 sum[6] = {{0}};
    const int* item = s->item + s->start[u];
    phx_real* k = s->k + s->start[u];
    for (int n = 0; n < s->length[u]; n += LANES) {
        phxi_r8 x[4], t[4], slope;
        phxi_near_deltas8(s->input->near, s->x, &own, item + n, periodic, x);
        phxi_gather8(s->trait, item + n, t);
        phxi_r8 square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        phxi_r8 support = (phx_real)0.5 * (trait[2] + t[2]), inverse = 1 / support;
        phxi_quintic8(&square, &inverse, NULL, &slope);
        // volumes by the support's cube: numbers of order one, whatever the scale of length
        phxi_r8 cube = inverse * inverse * inverse;
        phxi_r8 share = (trait[0] * cube) * (t[0] * cube) * support * slope;
        phxi_r8 soft = square + (phx_real)(0.01 / 9) * (support * support);
        phxi_r8 c = scale * share / ((trait[1] + t[1]) * soft);
        c = angular ? c : c * square;
        *(phxi_r8*)(void*)(k + n) = c;
        for (int a = 0; angular && a < 3; ++a) {
            phxi_r8 cx = c * x[a];
            sum[a] += cx * x[a];
            sum[a == 0 ? 3 : a == 1 ? 5 : 4] += cx * x[(a + 1) % 3];
        }
        sum[0] += angular ? (phxi_r8){0} : c;
    }
    for (int a = 0; a < 6; ++a) {
        block[a] = (double)phxi_sum8(&sum[a]);
    }
    if (!angular) {
        block[1] = block[2] = block[0];
    }
}

static PHXI_CLONES void viscous_coefficients(const phxi_viscous* s, int u, double block[6]) {
    if (s->angular) {
        s->periodic ? row_coefficients(s, u, true, true, block) : row_coefficients(s, u, true, false, block);
    } else {
        s->periodic ? row_coefficients(s, u, false, true, block) : row_coefficients(s, u, false, false, block);
    }
}

/// One wall particle's share in the diagonal and the right side.
static void add_wall(phxi_viscous* s, int u, int j, double block[6], phx_vec3* side) {
    const phxi_viscous_input* in = s->input;
    int i = s->place[u];
    phx_vec3 x = phxi_near_delta(in->near, i, j), v = phxi_sub(velocity_at(in->target, j), s->mean);
    double square = phxi_dot(x, x), support = 0.5 * ((double)in->near->reach[i] + (double)in->near->reach[j]);
    double r = sqrt(square);
    if (!(r > 0 && r < support)) {
        return;
    }
    double mirror = 0;
    if (in->normal[0]) {
        phx_vec3 normal = velocity_at(in->normal, j);
        bool zero = normal.x == 0 && normal.y == 0 && normal.z == 0;
        mirror = zero ? 0 : phxi_wall_mirror((double)in->depth[j], phxi_dot(x, normal));
    }
    double slope = phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r, support) / r;
    double k = -(s->angular ? 10 : 2) * s->input->dt * (1 + mirror) * (double)in->volume[i] * (double)in->volume[j] *
               (double)in->viscosity[i] * slope / (square + 0.01 / 9 * support * support);
    if (s->angular) {
        block[0] += k * x.x * x.x, block[1] += k * x.y * x.y, block[2] += k * x.z * x.z;
        block[3] += k * x.x * x.y, block[4] += k * x.x * x.z, block[5] += k * x.y * x.z;
        *side = phxi_add_scaled(*side, k * phxi_dot(x, v), x);
    } else {
        k *= square;
        block[0] += k, block[1] += k, block[2] += k;
        *side = phxi_add_scaled(*side, k, v);
    }
}

static void store_columns(const double m[6], columns* out) {
    const phx_real xx = (phx_real)m[0], yy = (phx_real)m[1], zz = (phx_real)m[2];
    const phx_real xy = (phx_real)m[3], xz = (phx_real)m[4], yz = (phx_real)m[5];
    out->c[0] = (phxi_r4){xx, xy, xz, 0};
    out->c[1] = (phxi_r4){xy, yy, yz, 0};
    out->c[2] = (phxi_r4){xz, yz, zz, 0};
}

/// Of a positive definite matrix, scaled by its trace so that no determinant leaves its range.
static void invert(const double m[6], double out[6]) {
    double size = m[0] + m[1] + m[2], a[6];
    for (int k = 0; k < 6; ++k) {
        a[k] = m[k] / size;
    }
    double c0 = a[1] * a[2] - a[5] * a[5], c1 = a[4] * a[5] - a[3] * a[2], c2 = a[3] * a[5] - a[4] * a[1];
    double by = 1 / ((a[0] * c0 + a[3] * c1 + a[4] * c2) * size);
    out[0] = c0 * by;
    out[1] = (a[0] * a[2] - a[4] * a[4]) * by;
    out[2] = (a[0] * a[1] - a[3] * a[3]) * by;
    out[3] = c1 * by;
    out[4] = c2 * by;
    out[5] = (a[3] * a[4] - a[0] * a[5]) * by;
}

/// Neighbours of a row that are fluid, padded; its walls.
static bool fill_row(phxi_viscous* s, int u, double walls[6], phx_vec3* side) {
    const phxi_near* near = s->input->near;
    const uint8_t* kind = s->input->kind;
    int i = s->place[u], length = 0;
    int* item = s->item + s->start[u];
    bool any = false;
    for (int64_t n = near->lists.start[i]; n < near->lists.start[i + 1]; ++n) {
        int j = near->lists.items[n], other = s->unknown[j];
        item[length] = other;
        length += other >= 0;
        if (kind[j] == PHXI_VISCOUS_WALL) {
            add_wall(s, u, j, walls, side);
            any = true;
        }
    }
    while (length % LANES != 0) {
        item[length++] = u;
    }
    s->length[u] = length;
    return any;
}

static void rows_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    sums total = {0};
    for (int u = begin; u < end; ++u) {
        double walls[6] = {0}, diagonal[6], inverse[6], mass = (double)s->mass[u];
        phx_vec3 side = {0, 0, 0};
        total.walls |= fill_row(s, u, walls, &side);
        viscous_coefficients(s, u, diagonal);
        for (int a = 0; a < 6; ++a) {
            diagonal[a] += walls[a] + (a < 3 ? mass : 0);
        }
        invert(diagonal, inverse);
        store_columns(walls, &s->wall[u]);
        store_columns(inverse, &s->inverse[u]);
        set_row(&s->wall_side[u], side);
        phx_vec3 v = velocity_at(s->input->target, s->place[u]);
        total.size += v.x * v.x * diagonal[0] + v.y * v.y * diagonal[1] + v.z * v.z * diagonal[2];
    }
    s->sums[block] = total;
}

// ------------------------------------------------------------------------------------------------------------ product

PHXI_INLINE void times_columns(const columns* m, const phxi_r4* v, phxi_r4* out) {
    *out = m->c[0] * (*v)[0] + m->c[1] * (*v)[1] + m->c[2] * (*v)[2];
}

PHXI_INLINE double dot3(const phxi_r4* a, const phxi_r4* b) {
    return (double)(*a)[0] * (double)(*b)[0] + (double)(*a)[1] * (double)(*b)[1] + (double)(*a)[2] * (double)(*b)[2];
}

/// q = (inertia M + dt A) p of rows [begin, end), and p . q.
PHXI_INLINE double product(const phxi_viscous* s, int begin, int end, bool angular, bool periodic) {
    double dot = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 own = s->x[u], p = s->p[u];
        phxi_r8 sum[3] = {{0}};
        const int* item = s->item + s->start[u];
        const phx_real* k = s->k + s->start[u];
        for (int n = 0; n < s->length[u]; n += LANES) {
            phxi_r8 c = *(const phxi_r8*)(const void*)(k + n), x[4], v[4];
            phxi_gather8(s->p, item + n, v);
            for (int a = 0; a < 3; ++a) {
                v[a] = p[a] - v[a];
            }
            if (angular) {
                phxi_near_deltas8(s->input->near, s->x, &own, item + n, periodic, x);
                c *= v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
            }
            for (int a = 0; a < 3; ++a) {
                sum[a] += c * (angular ? x[a] : v[a]);
            }
        }
        phxi_r4 q, pairs = {phxi_sum8(&sum[0]), phxi_sum8(&sum[1]), phxi_sum8(&sum[2]), 0};
        times_columns(&s->wall[u], &p, &q);
        q += pairs + s->inertia * s->mass[u] * p;
        s->q[u] = q;
        dot += dot3(&p, &q);
    }
    return dot;
}

static PHXI_CLONES double viscous_product_angular(const phxi_viscous* s, int begin, int end) {
    return s->periodic ? product(s, begin, end, true, true) : product(s, begin, end, true, false);
}
static PHXI_CLONES double viscous_product_morris(const phxi_viscous* s, int begin, int end) {
    return product(s, begin, end, false, false);
}

static void product_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    s->sums[block].dot = s->angular ? viscous_product_angular(s, begin, end) : viscous_product_morris(s, begin, end);
}

/// r = M (v* - p) + walls - dt A p, with dt A p in q; r . z.
static void residual_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    double dot = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 r = s->mass[u] * (s->target[u] - s->p[u]) + (s->wall_side[u] - s->q[u]), z;
        times_columns(&s->inverse[u], &r, &z);
        s->r[u] = r;
        s->z[u] = z;
        dot += dot3(&r, &z);
    }
    s->sums[block].dot = dot;
}

static double residual_of(phxi_viscous* s, phxi_pool* pool, const phxi_r4* v) {
    memcpy(s->p, v, (size_t)s->count * sizeof *v);
    s->inertia = 0;
    loop(s, pool, product_part);
    loop(s, pool, residual_part);
    s->inertia = 1;
    return sum_dots(s);
}

/// d += alpha p, r -= alpha q, z = D^-1 r, r . z
static void advance_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    phx_real alpha = (phx_real)s->alpha;
    double dot = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 r = s->r[u] - alpha * s->q[u], z;
        s->d[u] += alpha * s->p[u];
        times_columns(&s->inverse[u], &r, &z);
        s->r[u] = r;
        s->z[u] = z;
        dot += dot3(&r, &z);
    }
    s->sums[block].dot = dot;
}

static void direction_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    phx_real beta = (phx_real)s->beta;
    for (int u = begin; u < end; ++u) {
        s->p[u] = s->z[u] + beta * s->p[u];
    }
}

/// From r, z and d on; returns r . z in the end.
static double iterate(phxi_viscous* s, phxi_pool* pool, double rz, double goal, int most, int* taken) {
    s->beta = 0;
    for (*taken = 0; *taken < most && rz > goal; ++*taken) {
        loop(s, pool, direction_part);
        loop(s, pool, product_part);
        double curvature = sum_dots(s);
        if (!(curvature > 0 && isfinite(curvature))) {
            break; // rounding: what is left cannot be told from zero; or beyond bounds
        }
        s->alpha = rz / curvature;
        loop(s, pool, advance_part);
        double next = sum_dots(s);
        s->beta = next / rz;
        rz = next;
    }
    return rz;
}

// ----------------------------------------------------------------------------------------------------------- momentum

/// Sums of what d lacks in momentum.
static void lack_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    sums t = {0};
    for (int u = begin; u < end; ++u) {
        double m = (double)s->mass[u], x[3], v[3];
        for (int a = 0; a < 3; ++a) {
            x[a] = (double)s->x[u][a];
            v[a] = (double)s->target[u][a] - (double)s->d[u][a];
            t.first[a] += m * x[a];
            t.momentum[a] += m * v[a];
        }
        t.mass += m;
        t.spin[0] += m * (x[1] * v[2] - x[2] * v[1]);
        t.spin[1] += m * (x[2] * v[0] - x[0] * v[2]);
        t.spin[2] += m * (x[0] * v[1] - x[1] * v[0]);
        t.second[0] += m * x[0] * x[0], t.second[1] += m * x[1] * x[1], t.second[2] += m * x[2] * x[2];
        t.second[3] += m * x[0] * x[1], t.second[4] += m * x[0] * x[2], t.second[5] += m * x[1] * x[2];
    }
    s->sums[block] = t;
}

static void rigid_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        phx_vec3 arm = phxi_sub(phxi_vec3(s->x[u][0], s->x[u][1], s->x[u][2]), s->center);
        phxi_r4 motion;
        set_row(&motion, phxi_add(s->shift, phxi_cross(s->turn, arm)));
        s->d[u] += motion;
    }
}

/// Adds the rigid motion to d that gives it the momentum of v*. A knows no rigid motion, so the residual loses just
/// this part. Not with walls, which take momentum; in periods, and by the form morris, spin is not conserved.
static void match_momentum(phxi_viscous* s, phxi_pool* pool) {
    if (s->walls) {
        return;
    }
    loop(s, pool, lack_part);
    sums t = {0};
    for (int b = 0; b < phxi_block_count(s->count, GRAIN); ++b) {
        t.mass += s->sums[b].mass;
        for (int a = 0; a < 3; ++a) {
            t.momentum[a] += s->sums[b].momentum[a];
            t.spin[a] += s->sums[b].spin[a];
            t.first[a] += s->sums[b].first[a];
        }
        for (int a = 0; a < 6; ++a) {
            t.second[a] += s->sums[b].second[a];
        }
    }
    phx_vec3 lack = phxi_vec3(t.momentum[0], t.momentum[1], t.momentum[2]);
    s->center = phxi_vec3(t.first[0] / t.mass, t.first[1] / t.mass, t.first[2] / t.mass);
    s->shift = phxi_scale(1 / t.mass, lack);
    s->turn = phxi_vec3(0, 0, 0);
    if (s->angular && !s->periodic) {
        phx_vec3 c = s->center, spin = phxi_sub(phxi_vec3(t.spin[0], t.spin[1], t.spin[2]), phxi_cross(c, lack));
        double mass = t.mass, xx = t.second[0] - mass * c.x * c.x, yy = t.second[1] - mass * c.y * c.y;
        double zz = t.second[2] - mass * c.z * c.z;
        phxi_sym3 inverse, inertia = {yy + zz,
                                      xx + zz,
                                      xx + yy,
                                      mass * c.x * c.y - t.second[3],
                                      mass * c.x * c.z - t.second[4],
                                      mass * c.y * c.z - t.second[5]};
        phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
        s->turn = phxi_vec3(inverse.xx * spin.x + inverse.xy * spin.y + inverse.xz * spin.z,
                            inverse.xy * spin.x + inverse.yy * spin.y + inverse.yz * spin.z,
                            inverse.xz * spin.x + inverse.yz * spin.y + inverse.zz * spin.z);
    }
    loop(s, pool, rigid_part);
}

// -------------------------------------------------------------------------------------------------------------- solve

static void scatter_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    double size = 0;
    const double mean[3] = {s->mean.x, s->mean.y, s->mean.z};
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            phx_real v = (phx_real)(mean[a] + (double)s->d[u][a]);
            s->d[u][a] = v;
            size += (double)(v - v); // zero for finite numbers alone
        }
    }
    s->sums[block].dot = size;
}

static void write_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            s->velocity[a][s->place[u]] = s->d[u][a];
        }
    }
}

static void keep_target_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            s->velocity[a][s->place[u]] = s->input->target[a][s->place[u]];
        }
    }
}

/// The better of v* and the guess to d, its residual to r and z; returns r . z, and that of v*.
static double begin(phxi_viscous* s, phxi_pool* pool, double goal, double* reference) {
    *reference = residual_of(s, pool, s->target);
    if (*reference > goal) {
        match_momentum(s, pool);
        double guessed = residual_of(s, pool, s->d);
        if (guessed < *reference) {
            return guessed;
        }
        residual_of(s, pool, s->target);
    }
    memcpy(s->d, s->target, (size_t)s->count * sizeof *s->d);
    return *reference;
}

/// What rounding of velocities leaves of r . z, and whether there are walls.
static double rounding_goal(phxi_viscous* s) {
    double size = 0;
    s->walls = false;
    for (int b = 0; b < phxi_block_count(s->count, GRAIN); ++b) {
        size += s->sums[b].size;
        s->walls |= s->sums[b].walls;
    }
    return size * ROUNDING * ROUNDING;
}

phx_result phxi_viscous_solve(phxi_viscous* s, phxi_pool* pool, const phxi_viscous_input* input,
                              phx_real* const velocity[3], phxi_viscous_report* report) {
    *report = (phxi_viscous_report){.converged = true};
    s->input = input;
    s->velocity = velocity;
    s->angular = input->form == PHXI_VISCOUS_ANGULAR;
    s->periodic = phxi_near_periodic(input->near);
    PHXI_TRY(number(s));
    report->unknowns = s->count;
    if (s->count == 0) {
        return PHX_OK;
    }
    gather(s, pool);
    loop(s, pool, rows_part);
    double goal = rounding_goal(s), tolerance = input->tolerance > 0 ? input->tolerance : 1e-4, reference;
    double rz = begin(s, pool, goal, &reference);
    goal = fmax(goal, tolerance * tolerance * reference);
    rz = iterate(s, pool, rz, goal, input->iterations > 0 ? input->iterations : 500, &report->iterations);
    report->converged = rz <= goal;
    report->residual = reference > 0 ? sqrt(rz / reference) : 0;
    if (report->iterations > 0) {
        match_momentum(s, pool);
    }
    loop(s, pool, scatter_part);
    bool finite = sum_dots(s) == 0;
    report->converged = report->converged && finite;
    loop(s, pool, finite ? write_part : keep_target_part);
    return PHX_OK;
}
