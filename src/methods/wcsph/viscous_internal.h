// SPDX-License-Identifier: MIT
// The state of the implicit step of viscosity, shared by its parts:
//
//   viscous_solve.c     conjugate gradients, the solve
//   viscous_loops.c     loops over pairs: the coefficients, the product with the matrix
//   viscous_rows.c      memory, unknowns, the matrix by rows
//   viscous_momentum.c  what the answer lacks in momentum
#pragma once

#include "math/gather.h"
#include "methods/wcsph/viscous_solve.h"
#include "parallel/parallel.h"

enum { VISCOUS_GRAIN = 128 };

/// Sums of one block, added in block order.
typedef struct phxi_viscous_sums {
    double dot, size, impulse;
    double mass;
    double momentum[3], spin[3], first[3];
    double second[6]; // of positions, by mass: xx, yy, zz, xy, xz, yz
    bool walls;
} phxi_viscous_sums;

/// Symmetric 3x3 by columns.
typedef struct phxi_viscous_columns {
    phxi_r4 c[3];
} phxi_viscous_columns;

struct phxi_viscous {
    phxi_heap* heap;
    int place_capacity, capacity, block_capacity;
    int64_t pair_capacity;
    int* unknown; // by place: its number, or -1
    // by unknown
    int* place;
    int64_t* start; // of its row
    int* length;    // whole groups
    phxi_r4* x;     // m
    phxi_r4* trait; // volume, 1 / viscosity, reach
    phx_real* mass;
    phxi_viscous_columns *wall, *inverse; // wall: sum (1 + b) k x x^T dt; inverse: of the diagonal block
    phxi_r4* wall_side;                   // what walls add to the right side
    phxi_r4 *target, *d, *r, *z, *p, *q;
    // by pair
    int* item;
    phx_real* k; // dt k_ij
    phxi_viscous_sums* sums;

    // this solve
    const phxi_viscous_input* input;
    phx_real* const* velocity;
    int count;
    bool angular, periodic, walls;
    double alpha, beta;
    double impulse;   // square of the impulse of viscosity at the start, as r . z
    phx_real inertia; // 1: product with M + dt A, 0: with dt A
    phx_vec3 mean, shift, turn, center;
};

static inline void phxi_viscous_loop(phxi_viscous* s, phxi_pool* pool, phxi_loop_body* body) {
    phxi_parallel_for(pool, s->count, VISCOUS_GRAIN, body, s);
}
static inline phx_vec3 phxi_viscous_velocity(const phx_real* const v[3], int i) {
    return phxi_vec3(v[0][i], v[1][i], v[2][i]);
}
static inline void phxi_viscous_set(phxi_r4* row, phx_vec3 a) {
    *row = (phxi_r4){(phx_real)a.x, (phx_real)a.y, (phx_real)a.z, 0};
}

PHXI_INLINE void phxi_viscous_times(const phxi_viscous_columns* m, const phxi_r4* v, phxi_r4* out) {
    *out = m->c[0] * (*v)[0] + m->c[1] * (*v)[1] + m->c[2] * (*v)[2];
}
PHXI_INLINE double phxi_viscous_dot(const phxi_r4* a, const phxi_r4* b) {
    return (double)(*a)[0] * (double)(*b)[0] + (double)(*a)[1] * (double)(*b)[1] + (double)(*a)[2] * (double)(*b)[2];
}

// viscous_loops.c, by PHXI_LANES_CALL
/// k of a row's pairs, and the sums of k x x^T (or of k): xx, yy, zz, xy, xz, yz.
void phxi_viscous_coefficients(const phxi_viscous* s, int u, double block[6]);
void phxi_viscous_coefficients_avx512(const phxi_viscous* s, int u, double block[6]);
/// q = (inertia M + dt A) p of rows [begin, end); returns p . q.
double phxi_viscous_product(const phxi_viscous* s, int begin, int end);
double phxi_viscous_product_avx512(const phxi_viscous* s, int begin, int end);

// viscous_rows.c
void phxi_viscous_drop(phxi_viscous* s);
/// Fluid places get their numbers; rows get room for all of their neighbours.
phx_result phxi_viscous_number(phxi_viscous* s);
/// Positions, traits, velocities of the unknowns; the matrix and its diagonal blocks.
void phxi_viscous_make_rows(phxi_viscous* s, phxi_pool* pool);

// viscous_momentum.c
/// Adds the rigid motion to d that gives it the momentum of v*. A knows no rigid motion, so the residual loses just
/// this part. Not with walls, which take momentum; in periods, and by the form morris, spin is not conserved.
void phxi_viscous_match_momentum(phxi_viscous* s, phxi_pool* pool);
