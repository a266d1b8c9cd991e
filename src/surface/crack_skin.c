// SPDX-License-Identifier: MIT
// x = sum_i w_i (p_i + F_i (X - X_i)) / sum_i w_i (docs/theory/surfaces.md (2)) over the particles of the cells that
// hang together at a copy and those across their closed walls; w = (1 - r^2/h^2)^3. No weight crosses a crack, and both
// sides of a crack that has opened move on their own. Exact for affine motion. Normals: sum w cof(F) n_0.
#include "surface/crack_body.h"

#define RADIUS 1.6  // spacings
#define LEAST  1e-3 // weight of a cell at its own vertex, however far its particle is

static phx_result add_carrier(phxi_crack_body* b, phxi_crack_copy* copy, int cell, bool own) {
    for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
        if (b->carriers.items[k] == cell) {
            return PHX_OK;
        }
    }
    phx_vec3 d = phxi_sub(b->positions[copy->vertex], b->rest[cell]);
    double h = RADIUS * b->spacings[cell], q = 1 - phxi_dot(d, d) / (h * h), w = q > 0 ? q * q * q : 0;
    w = own ? fmax(w, LEAST) : w;
    if (!(w > 0)) {
        return PHX_OK;
    }
    if (!phxi_array_reserve(&b->carriers, 1, b->heap, "crack weights") ||
        !phxi_array_reserve(&b->weights, 1, b->heap, "crack weights")) {
        return PHX_ERROR_MEMORY;
    }
    b->carriers.items[b->carriers.count++] = cell;
    b->weights.items[b->weights.count++] = w;
    ++copy->count;
    return PHX_OK;
}

phx_result phxi_crack_carry(phxi_crack_body* b, const int* around, int count) {
    phxi_crack_copy* copy = &b->copies.items[b->copies.count - 1];
    copy->begin = b->carriers.count;
    copy->count = 0;
    for (int i = 0; i < count; ++i) {
        PHXI_TRY(add_carrier(b, copy, around[i], true));
    }
    for (int i = 0; i < count; ++i) {
        for (int k = b->particle_wall_begin[around[i]]; k < b->particle_wall_begin[around[i] + 1]; ++k) {
            const int wall = b->particle_walls[k], *cell = b->cells->walls[wall].particle;
            if (!phxi_crack_open(b, wall)) {
                PHXI_TRY(add_carrier(b, copy, cell[cell[0] == around[i]], false));
            }
        }
    }
    double sum = 0;
    for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
        sum += b->weights.items[k];
    }
    for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
        b->weights.items[k] /= sum;
    }
    return PHX_OK;
}

typedef struct motion {
    const phxi_crack_body* body;
    const phx_vec3* positions;
    const phxi_mat3* deformations;
    phx_vec3 *copies, *normals;
} motion;

static void move_copies(void* context, int begin, int end, int block) {
    (void)block;
    const motion* m = context;
    const phxi_crack_body* b = m->body;
    for (int i = begin; i < end; ++i) {
        const phxi_crack_copy* copy = &b->copies.items[i];
        phx_vec3 at = b->positions[copy->vertex], sum = {0, 0, 0};
        for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
            int cell = b->carriers.items[k];
            phx_vec3 arm = phxi_mat3_apply(&m->deformations[cell], phxi_sub(at, b->rest[cell]));
            sum = phxi_add_scaled(sum, b->weights.items[k], phxi_add(m->positions[cell], arm));
        }
        m->copies[i] = sum;
    }
}

static phxi_mat3 mean_deformation(const motion* m, const phxi_crack_copy* copy) {
    phxi_mat3 mean = {0};
    for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
        const phxi_mat3* f = &m->deformations[m->body->carriers.items[k]];
        for (int e = 0; e < 9; ++e) {
            mean.m[e / 3][e % 3] += m->body->weights.items[k] * f->m[e / 3][e % 3];
        }
    }
    return mean;
}

static void turn_normals(void* context, int begin, int end, int block) {
    (void)block;
    const motion* m = context;
    const phxi_crack_body* b = m->body;
    for (int i = begin; i < end; ++i) {
        const phxi_crack_point* point = &b->points.items[i];
        if (point->wall < 0) {
            phxi_mat3 mean = mean_deformation(m, &b->copies.items[point->copy]), cofactor = phxi_mat3_cofactor(&mean);
            m->normals[i] = phxi_normalize(phxi_mat3_apply(&cofactor, point->normal), point->normal);
        }
    }
}

// One normal for each side of a wall: that of its area, where it now is.
static void flat_normals(const motion* m) {
    const phxi_crack_body* b = m->body;
    for (int i = 0; i < b->points.count; ++i) {
        if (b->points.items[i].wall >= 0) {
            m->normals[i] = phxi_vec3(0, 0, 0);
        }
    }
    for (int t = 0; t < b->triangles.count; ++t) {
        if (b->points.items[b->triangles.items[t].v[0]].wall < 0) {
            continue;
        }
        const int* v = b->copy_triangles.items[t].v;
        phx_vec3 area =
            phxi_cross(phxi_sub(m->copies[v[1]], m->copies[v[0]]), phxi_sub(m->copies[v[2]], m->copies[v[0]]));
        for (int k = 0; k < 3; ++k) {
            phx_vec3* n = &m->normals[b->triangles.items[t].v[k]];
            *n = phxi_add(*n, area);
        }
    }
    for (int i = 0; i < b->points.count; ++i) {
        if (b->points.items[i].wall >= 0) {
            m->normals[i] = phxi_normalize(m->normals[i], phxi_vec3(0, 0, 1));
        }
    }
}

void phxi_crack_body_move(const phxi_crack_body* body, phxi_pool* pool, const phx_vec3* positions,
                          const phxi_mat3* deformations, phx_vec3* copies, phx_vec3* normals) {
    motion m = {body, positions, deformations, copies, normals};
    phxi_parallel_for(pool, body->copies.count, 512, move_copies, &m);
    if (normals) {
        phxi_parallel_for(pool, body->points.count, 512, turn_normals, &m);
        flat_normals(&m);
    }
}
