// SPDX-License-Identifier: MIT
// The matrix of viscosity by rows: per unknown the fluid neighbours and their k_ij, padded to whole vectors with the
// unknown itself, which adds nothing; walls go to a 3x3 block and a right side; the inverse of the diagonal block.
#include "methods/wcsph/viscous_internal.h"

#include "core/error.h"
#include "neighbors/kernel.h"
#include "neighbors/near_wide.h"

static const char label[] = "viscous solve";

// ------------------------------------------------------------------------------------------------------------- memory

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

void phxi_viscous_drop(phxi_viscous* s) {
    drop_unknowns(s);
    drop_pairs(s);
    phxi_free(s->heap, s->unknown);
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
    PHXI_NEW(s->sums, s->heap, phxi_block_count(wanted, VISCOUS_GRAIN), label);
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

phx_result phxi_viscous_number(phxi_viscous* s) {
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
            pairs += (near->lists.start[i + 1] - near->lists.start[i] + PHXI_GROUP - 1) / PHXI_GROUP * PHXI_GROUP;
        }
    }
    return reserve_pairs(s, pairs);
}

static void gather_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    const phxi_viscous_input* in = s->input;
    phxi_viscous_sums total = {0};
    for (int u = begin; u < end; ++u) {
        int i = s->place[u];
        s->x[u] = (phxi_r4){in->near->x[i], in->near->y[i], in->near->z[i], 0};
        s->trait[u] = (phxi_r4){in->volume[i], 1 / in->viscosity[i], in->near->reach[i], 0};
        s->mass[u] = in->mass[i];
        phx_vec3 v = phxi_viscous_velocity(in->target, i);
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
        phxi_viscous_set(&s->target[u], phxi_sub(phxi_viscous_velocity(s->input->target, s->place[u]), s->mean));
        phxi_viscous_set(&s->d[u], phxi_sub(phxi_viscous_velocity(s->input->guess, s->place[u]), s->mean));
    }
}

static void gather(phxi_viscous* s, phxi_pool* pool) {
    phxi_viscous_loop(s, pool, gather_part);
    double mass = 0, momentum[3] = {0};
    for (int b = 0; b < phxi_block_count(s->count, VISCOUS_GRAIN); ++b) {
        mass += s->sums[b].mass;
        for (int a = 0; a < 3; ++a) {
            momentum[a] += s->sums[b].momentum[a];
        }
    }
    s->mean = mass > 0 ? phxi_vec3(momentum[0] / mass, momentum[1] / mass, momentum[2] / mass) : phxi_vec3(0, 0, 0);
    phxi_viscous_loop(s, pool, relate_part);
}

// --------------------------------------------------------------------------------------------------------------- rows

/// One wall particle's share in the diagonal and the right side.
static void add_wall(phxi_viscous* s, int u, int j, double block[6], phx_vec3* side) {
    const phxi_viscous_input* in = s->input;
    int i = s->place[u];
    phx_vec3 x = phxi_near_delta(in->near, i, j), v = phxi_sub(phxi_viscous_velocity(in->target, j), s->mean);
    double square = phxi_dot(x, x), support = 0.5 * ((double)in->near->reach[i] + (double)in->near->reach[j]);
    double r = sqrt(square);
    if (!(r > 0 && r < support)) {
        return;
    }
    double mirror = 0;
    if (in->normal[0]) {
        phx_vec3 normal = phxi_viscous_velocity(in->normal, j);
        bool zero = normal.x == 0 && normal.y == 0 && normal.z == 0;
        mirror = zero ? 0 : phxi_wall_mirror((double)in->depth[j], phxi_dot(x, normal));
    }
    double slope = phxi_kernel_slope(in->cubic ? PHXI_KERNEL_CUBIC : PHXI_KERNEL_QUINTIC, r, support) / r;
    double k = -(s->angular ? 10 : 2) * s->input->dt * (1 + mirror) * (double)in->volume[i] * (double)in->volume[j] *
               (double)in->viscosity[i] * slope / (square + (in->cubic ? 0.01 / 4 : 0.01 / 9) * support * support);
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

static void store_columns(const double m[6], phxi_viscous_columns* out) {
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

/// Neighbours of a row that has unknowns alone, as most have; whether it does.
static bool fill_plain_row(const int* unknown, const int* places, int length, int* item) {
    int signs = 0;
    for (int n = 0; n < length; ++n) {
        item[n] = unknown[places[n]];
        signs |= item[n];
    }
    return signs >= 0;
}

/// Neighbours of a row that are fluid, padded; its walls.
static bool fill_row(phxi_viscous* s, int u, double walls[6], phx_vec3* side) {
    const phxi_near* near = s->input->near;
    const uint8_t* kind = s->input->kind;
    int i = s->place[u], length = (int)(near->lists.start[i + 1] - near->lists.start[i]);
    const int* places = near->lists.items + near->lists.start[i];
    int* item = s->item + s->start[u];
    bool any = false;
    if (!fill_plain_row(s->unknown, places, length, item)) {
        int all = length;
        length = 0;
        for (int n = 0; n < all; ++n) {
            int j = places[n], other = s->unknown[j];
            item[length] = other;
            length += other >= 0;
            if (kind[j] == PHXI_VISCOUS_WALL) {
                add_wall(s, u, j, walls, side);
                any = true;
            }
        }
    }
    while (length % PHXI_GROUP != 0) {
        item[length++] = u;
    }
    s->length[u] = length;
    return any;
}

static void rows_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    phxi_viscous_sums total = {0};
    for (int u = begin; u < end; ++u) {
        double walls[6] = {0}, diagonal[6], inverse[6], mass = (double)s->mass[u];
        phx_vec3 side = {0, 0, 0};
        total.walls |= fill_row(s, u, walls, &side);
        PHXI_LANES_CALL(phxi_viscous_coefficients, s, u, diagonal);
        for (int a = 0; a < 6; ++a) {
            diagonal[a] += walls[a] + (a < 3 ? mass : 0);
        }
        invert(diagonal, inverse);
        store_columns(walls, &s->wall[u]);
        store_columns(inverse, &s->inverse[u]);
        phxi_viscous_set(&s->wall_side[u], side);
        phx_vec3 v = phxi_viscous_velocity(s->input->target, s->place[u]);
        total.size += v.x * v.x * diagonal[0] + v.y * v.y * diagonal[1] + v.z * v.z * diagonal[2];
    }
    s->sums[block] = total;
}

void phxi_viscous_make_rows(phxi_viscous* s, phxi_pool* pool) {
    gather(s, pool);
    phxi_viscous_loop(s, pool, rows_part);
}
