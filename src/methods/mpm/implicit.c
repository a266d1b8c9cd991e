// SPDX-License-Identifier: MIT
// Implicit steps: backward Euler, linear about the state before the substep.
//
// The grid has made velocities v of momenta with the current forces, and met colliders. Forces of the end of the
// substep differ by -dt K v', so v' = v + y with
//     S (M + dt^2 K) S y = -S dt^2 K v
// where S leaves out what colliders, fixed particles and planes of symmetry hold. K is never made: to apply it to a
// field u of nodes is to take its gradient C of particles, dF = C F, dP by the stiffness of the law
// (materials/tangent.h, projected to be positive), and to give V dP F^T to the nodes as a stress is given. Fluids have
// d tau = K J tr C + 2 G' dev C, with G' what their flow leaves of G in a substep. Friction, plastic flow and what
// opens are explicit.
//
// `viscous: implicit`: fluids carry no shear strain, their stress is 2 eta dev C of the end of the substep, with eta of
// the rate before it: dt^2 K becomes dt eta's. If nothing else is implicit, this is an equation of first order,
// M dv/dt = f - N v, with f what made v of the velocity u before all forces. It is solved by the method of Alexander
// 1977 with two stages, of second order, L-stable, and at rest where f and N v are in balance:
//     B v = v + y, (M + a dt N) y = -a dt N v, a = 1 - 1/sqrt2:   w = B (v - (1 - a) (v - u)),
//     v' = B (v + (1 + sqrt2) y), with the y of w
// Eddies that stop within a few substeps stop at their rate, which is lost by a fifth with backward Euler.
//
// Conjugate gradients with the masses for a preconditioner: forces are in proportion to the weights, as masses are, so
// light nodes at the rim are no stiffer than others. Sums are made in double, by block of nodes, in the order of
// blocks.
#include "methods/mpm/mpm_internal.h"

#include "materials/tangent.h"
#include "solve/cg.h"

#include <string.h>

enum { GRAIN = 8, MOST = 400 };
#define TOLERANCE 1e-3                // of the first residual
#define STAGE     0.29289321881345248 // 1 - 1/sqrt2

// ----------------------------------------------------------------------------------------------------------
// stiffnesses

static phx_real* tangents_of(const phxi_mpm* s, const phxi_mpm_block* block, int from) {
    return s->tangents.items + (ptrdiff_t)(block->chunk + from / MPM_CHUNK) * PHXI_TANGENT_NUMBERS * MPM_STRIDE;
}

static void no_stiffness(int begin, int end, phx_real* t) {
    for (int n = 0; n < PHXI_TANGENT_NUMBERS; ++n) {
        memset(&t[n * MPM_STRIDE + begin], 0, (size_t)(end - begin) * sizeof *t);
    }
}

/// Bulk and shear stiffness in the first two planes; the rest is zero, so that the elastic part is none.
static void fluid_stiffness(const phxi_mpm* s, const phxi_fluid* fluid, const phxi_mpm_chunk* c, int begin, int end,
                            phx_real* t) {
    const bool whole = s->params->implicit > 0, carried = fluid->shear > 0;
    for (int k = begin; k < end && (whole || !carried); ++k) {
        const int i = c->at[k];
        const double eta = phxi_mpm_viscosity(s, fluid, i);
        const double volume = 1 + (double)c->g[0][k] + (double)c->g[4][k] + (double)c->g[8][k];
        t[k] = !whole || s->field[MPM_SWELL][i] > 0 ? 0 : (phx_real)(fluid->bulk * volume);
        t[MPM_STRIDE + k] =
            (phx_real)(carried ? fluid->shear * eta / (eta + fluid->shear * s->dt) : (whole ? 1 : STAGE) * eta / s->dt);
    }
}

static void solid_stiffness(const phxi_mpm* s, const phxi_mpm_material* material, const phxi_mpm_chunk* c, int begin,
                            int end, phx_real* t) {
    _Alignas(64) phx_real own[PHXI_TANGENT_NUMBERS * MPM_STRIDE];
    _Alignas(64) phx_real g[9][MPM_STRIDE];
    phx_real room[MPM_STRIDE];
    const phx_real* thermal = phxi_mpm_thermal(s, c, begin, end, room);
    const int from = begin & ~15;
    memcpy(g, c->g, sizeof g);
    phxi_thermal_take(thermal, end - begin, MPM_STRIDE, &g[0][begin]);
    phxi_tangent_batch(&material->elastic, 0, false, end - from, MPM_STRIDE, &g[0][from], &own[from]);
    phxi_thermal_tangent(thermal, end - begin, MPM_STRIDE, &own[begin]);
    for (int n = 0; n < PHXI_TANGENT_NUMBERS; ++n) {
        memcpy(&t[n * MPM_STRIDE + begin], &own[n * MPM_STRIDE + begin], (size_t)(end - begin) * sizeof *t);
    }
    for (int k = begin; material->kind == MPM_SNOW && k < end; ++k) {
        const phx_real by = (phx_real)phxi_snow_stiffness(&material->snow, (double)s->field[MPM_SWELL][c->at[k]]);
        for (int n = 18; n < PHXI_TANGENT_NUMBERS; ++n) {
            t[n * MPM_STRIDE + k] *= by;
        }
    }
}

static void load_strain(const phxi_mpm* s, phxi_mpm_chunk* c) {
    for (int n = 0; n < 9; ++n) {
        phxi_mpm_load_plane(c, s->field[MPM_G + n], c->g[n]);
        memset(&c->g[n][c->count], 0, (size_t)(MPM_STRIDE - c->count) * sizeof(phx_real));
    }
}

static void begin_chunk(const phxi_mpm* s, const phxi_mpm_block* block, int from, phxi_mpm_chunk* c) {
    phxi_mpm_open_chunk(s, &(phxi_mpm_batch){(int)(block - s->blocks.items), 1}, from, c);
    load_strain(s, c);
}

static void stiffness_part(void* context, int begin, int end, int part) {
    const phxi_mpm* s = context;
    phxi_mpm_chunk c;
    (void)part;
    for (int h = begin; h < end; ++h) {
        const phxi_mpm_block* block = &s->blocks.items[h];
        for (int from = 0; from < block->count; from += MPM_CHUNK) {
            begin_chunk(s, block, from, &c);
            phx_real* t = tangents_of(s, block, from);
            for (int first = 0, last, body; first < c.count; first = last) {
                last = phxi_mpm_run(s, &c, first, &body);
                const phxi_mpm_material* material = &s->materials.items[body];
                if (material->kind == MPM_FLUID) {
                    no_stiffness(first, last, t);
                    fluid_stiffness(s, &material->fluid, &c, first, last, t);
                } else if (!(s->params->implicit > 0)) {
                    no_stiffness(first, last, t);
                } else {
                    solid_stiffness(s, material, &c, first, last, t);
                }
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- product

/// c->p: C F; then dP F^T, or d tau of fluids.
static PHXI_CLONES void phxi_mpm_strain_rate(phxi_mpm_chunk* c) {
    PHXI_SIMD
    for (int k = 0; k < c->count; ++k) {
        for (int n = 0; n < 9; ++n) {
            const int row = n / 3 * 3, column = n % 3;
            c->p[n][k] = c->c[n][k] + (c->c[row][k] * c->g[column][k] + c->c[row + 1][k] * c->g[3 + column][k] +
                                       c->c[row + 2][k] * c->g[6 + column][k]);
        }
    }
}

static PHXI_CLONES void phxi_mpm_stress_rate(const phxi_mpm_chunk* c, const phx_real* volume, phx_real scale,
                                             phxi_mpm_gift_planes* planes) {
    PHXI_SIMD
    for (int k = 0; k < c->count; ++k) {
        for (int n = 0; n < 9; ++n) {
            const int row = n / 3 * 3, column = n % 3 * 3;
            planes->a[n][k] =
                scale * volume[k] *
                (c->p[row + n % 3][k] + (c->p[row][k] * c->g[column][k] + c->p[row + 1][k] * c->g[column + 1][k] +
                                         c->p[row + 2][k] * c->g[column + 2][k]));
        }
    }
}

static void fluid_rate(const phxi_mpm_chunk* c, const phx_real* t, const phx_real* volume, phx_real scale, int begin,
                       int end, phxi_mpm_gift_planes* planes) {
    for (int k = begin; k < end; ++k) {
        const phx_real trace = c->c[0][k] + c->c[4][k] + c->c[8][k], shear = t[MPM_STRIDE + k];
        const phx_real mean = (t[k] - (phx_real)(2.0 / 3) * shear) * trace;
        for (int n = 0; n < 9; ++n) {
            planes->a[n][k] =
                scale * volume[k] * (shear * (c->c[n][k] + c->c[3 * (n % 3) + n / 3][k]) + (n % 4 == 0 ? mean : 0));
        }
    }
}

typedef struct product {
    phxi_mpm* s;
    const phx_real* of;
    phx_real* to;
    double* sums; // by block of the loop: of . to
} product;

static void product_chunk(const phxi_mpm* s, const phx_real* t, phxi_mpm_chunk* c, phxi_mpm_gift_planes* planes) {
    const phx_real scale = (phx_real)(s->dt * s->dt * phxi_mpm_inverse_moment(s) / s->h);
    _Alignas(64) phx_real volume[MPM_STRIDE];
    for (int k = 0; k < c->count; ++k) {
        volume[k] = s->step->particles->volume[c->at[k]];
    }
    phxi_mpm_strain_rate(c);
    phxi_tangent_apply_batch(c->count, MPM_STRIDE, t, c->p[0], c->p[0]);
    phxi_mpm_stress_rate(c, volume, scale, planes);
    for (int first = 0, last, body; first < c->count; first = last) {
        last = phxi_mpm_run(s, c, first, &body);
        if (s->materials.items[body].kind == MPM_FLUID) {
            fluid_rate(c, t, volume, scale, first, last, planes);
        }
    }
    memset(planes->m, 0, sizeof planes->m);
    for (int n = 0; n < 3; ++n) {
        for (int k = 0; k < c->count; ++k) {
            planes->q[n][k] = -(c->f[0][k] * planes->a[3 * n][k] + c->f[1][k] * planes->a[3 * n + 1][k] +
                                c->f[2][k] * planes->a[3 * n + 2][k]);
        }
    }
}

static void product_part(void* context, int begin, int end, int part) {
    const product* p = context;
    phxi_mpm* s = p->s;
    _Alignas(64) phx_real tile[MPM_TILE_NUMBERS], own[MPM_TILE_NUMBERS];
    phxi_mpm_chunk c;
    phxi_mpm_take takes[MPM_CHUNK];
    phxi_mpm_gift gifts[MPM_CHUNK];
    phxi_mpm_gift_planes planes;
    (void)part;
    for (int h = begin; h < end; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        const bool cubic = s->params->kernel == MPM_CUBIC;
        memset(own, 0, sizeof own);
        phxi_mpm_fill_tile(p->of, block->nodes, &block->rows, tile);
        for (int from = 0; from < block->count; from += MPM_CHUNK) {
            begin_chunk(s, block, from, &c);
            phxi_mpm_weigh(s, &c);
            PHXI_LANES_CALL(phxi_mpm_gather, tile, &c, 0, c.count, cubic, takes);
            phxi_mpm_finish_takes(s, &c, takes, c.v, true);
            product_chunk(s, tangents_of(s, block, from), &c, &planes);
            phxi_mpm_make_gifts(&c, &planes, gifts);
            PHXI_LANES_CALL(phxi_mpm_scatter, own, gifts, c.count, cubic);
        }
        phxi_mpm_keep_tile(block, own, s->tiles.items);
    }
}

static void sum_part(void* context, int begin, int end, int block) {
    const product* p = context;
    (void)block;
    for (int n = begin; n < end; ++n) {
        phxi_mpm_add_tiles(p->s, &p->s->nodes.items[n], p->s->tiles.items, false, p->to + (ptrdiff_t)n * MPM_BLOCK);
    }
}

// --------------------------------------------------------------------------------------------------------------- nodes

void phxi_mpm_bind_along(phx_real* bound, phx_vec3 normal) {
    const phxi_mpm_bound before = (phxi_mpm_bound)bound[0];
    const phx_vec3 old = phxi_vec3((double)bound[1], (double)bound[2], (double)bound[3]);
    phxi_r4 now = {MPM_HELD, 0, 0, 0};
    if (before == MPM_FREE) {
        now = (phxi_r4){MPM_NOT_ALONG, (phx_real)normal.x, (phx_real)normal.y, (phx_real)normal.z};
    } else if (before == MPM_NOT_ALONG) {
        const phx_vec3 edge = phxi_cross(old, normal);
        const double sine = phxi_length(edge);
        const phx_vec3 t = phxi_scale(1 / fmax(sine, 1e-300), edge);
        now = sine > 1e-3 ? (phxi_r4){MPM_ALONG, (phx_real)t.x, (phx_real)t.y, (phx_real)t.z} : *(phxi_r4*)bound;
    } else if (before == MPM_ALONG && fabs(phxi_dot(old, normal)) < 1e-3) {
        return;
    }
    *(phxi_r4*)bound = now;
}

/// Leaves of a node's vector what is not held.
PHXI_INLINE void set_free(const phx_real* bound, phxi_r4* v) {
    const phxi_r4 zero = {0};
    (*v)[0] = 0;
    if (bound[0] == MPM_FREE) {
        return;
    }
    const phxi_r4 direction = {0, bound[1], bound[2], bound[3]};
    const phxi_r4 along = (bound[1] * (*v)[1] + bound[2] * (*v)[2] + bound[3] * (*v)[3]) * direction;
    *v = bound[0] == MPM_NOT_ALONG ? *v - along : bound[0] == MPM_ALONG ? along : zero;
}

PHXI_INLINE double dot(const phxi_r4* a, const phxi_r4* b) {
    return (double)(*a)[1] * (double)(*b)[1] + (double)(*a)[2] * (double)(*b)[2] + (double)(*a)[3] * (double)(*b)[3];
}

/// to = S (M of + to), and of . to.
static void mass_part(void* context, int begin, int end, int block) {
    const product* p = context;
    double sum = 0;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        const phxi_r4 u = *(const phxi_r4*)(p->of + n);
        phxi_r4* to = (phxi_r4*)(p->to + n);
        *to += p->s->velocity.items[n] * u;
        set_free(p->s->bound.items + n, to);
        sum += dot(&u, to);
    }
    p->sums[block] = sum;
}

static double added(const double* sums, int count) {
    double sum = 0;
    for (int b = 0; b < count; ++b) {
        sum += sums[b];
    }
    return sum;
}

/// to = dt^2 K of, all nodes.
static void stiffness_times(product* p) {
    phxi_pool* pool = p->s->step->pool;
    phxi_parallel_for(pool, p->s->blocks.count, 1, product_part, p);
    phxi_parallel_for(pool, p->s->nodes.count, GRAIN, sum_part, p);
    phxi_mpm_fold_numbers(p->s, p->to);
}

// --------------------------------------------------------------------------------------------------------------- solve

/// r = -S dt^2 K v, direction = r / m, change = 0.
static void first_part(void* context, int begin, int end, int block) {
    const product* p = context;
    phxi_mpm* s = p->s;
    double sum = 0;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        const phxi_r4 zero = {0};
        phxi_r4 r = -*(const phxi_r4*)(s->image.items + n);
        set_free(s->bound.items + n, &r);
        const phx_real m = s->velocity.items[n];
        const phxi_r4 z = m > 0 ? r / m : zero;
        *(phxi_r4*)(s->rest.items + n) = r;
        *(phxi_r4*)(s->direction.items + n) = z;
        *(phxi_r4*)(s->change.items + n) = zero;
        sum += dot(&r, &z);
    }
    p->sums[block] = sum;
}

typedef struct advance {
    phxi_mpm* s;
    phx_real by;
    double* sums;
} advance;

/// change += by direction, r -= by image; r . r / m.
static void forward_part(void* context, int begin, int end, int block) {
    const advance* a = context;
    phxi_mpm* s = a->s;
    double sum = 0;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        phxi_r4 *y = (phxi_r4*)(s->change.items + n), *r = (phxi_r4*)(s->rest.items + n);
        const phx_real m = s->velocity.items[n];
        *y += a->by * *(const phxi_r4*)(s->direction.items + n);
        *r -= a->by * *(const phxi_r4*)(s->image.items + n);
        sum += m > 0 ? dot(r, r) / (double)m : 0;
    }
    a->sums[block] = sum;
}

/// direction = r / m + by direction.
static void turn_part(void* context, int begin, int end, int block) {
    const advance* a = context;
    phxi_mpm* s = a->s;
    (void)block;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        const phx_real m = s->velocity.items[n];
        const phxi_r4 zero = {0}, z = m > 0 ? *(const phxi_r4*)(s->rest.items + n) / m : zero;
        phxi_r4* direction = (phxi_r4*)(s->direction.items + n);
        *direction = z + a->by * *direction;
        set_free(s->bound.items + n, direction);
    }
}

/// v += by change.
static void finish_part(void* context, int begin, int end, int block) {
    const advance* a = context;
    phxi_mpm* s = a->s;
    (void)block;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        const phx_real m = s->velocity.items[n];
        phxi_r4* v = (phxi_r4*)(s->velocity.items + n);
        *v += a->by * *(const phxi_r4*)(s->change.items + n);
        (*v)[0] = m;
    }
}

/// Stage one begins before part of the forces: gain = (1 - a) S (v - u), v -= gain.
static void begin_stages_part(void* context, int begin, int end, int block) {
    phxi_mpm* s = context;
    (void)block;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        phxi_r4* v = (phxi_r4*)(s->velocity.items + n);
        phxi_r4 gain = (phx_real)(1 - STAGE) * (*v - *(const phxi_r4*)(s->old_velocity.items + n));
        set_free(s->bound.items + n, &gain);
        *v -= gain;
        *(phxi_r4*)(s->gain.items + n) = gain;
    }
}

/// Stage two has all of them.
static void add_gain_part(void* context, int begin, int end, int block) {
    phxi_mpm* s = context;
    (void)block;
    for (ptrdiff_t n = (ptrdiff_t)begin * MPM_BLOCK; n < (ptrdiff_t)end * MPM_BLOCK; n += 4) {
        *(phxi_r4*)(s->velocity.items + n) += *(const phxi_r4*)(s->gain.items + n);
    }
}

phx_result phxi_mpm_begin_implicit(phxi_mpm* s) {
    const int numbers = s->nodes.count * MPM_BLOCK;
    int chunks = 0;
    for (int h = 0; h < s->blocks.count; ++h) {
        s->blocks.items[h].chunk = chunks;
        chunks += (s->blocks.items[h].count + MPM_CHUNK - 1) / MPM_CHUNK;
    }
    if (chunks > INT32_MAX / (PHXI_TANGENT_NUMBERS * MPM_STRIDE)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "implicit is above 0 with %d parts of blocks, expected at most %d", chunks,
                         INT32_MAX / (PHXI_TANGENT_NUMBERS * MPM_STRIDE));
    }
    PHXI_MPM_RESERVE(&s->tangents, chunks * PHXI_TANGENT_NUMBERS * MPM_STRIDE);
    PHXI_MPM_RESERVE(&s->bound, numbers);
    PHXI_MPM_RESERVE(&s->change, numbers);
    PHXI_MPM_RESERVE(&s->rest, numbers);
    PHXI_MPM_RESERVE(&s->direction, numbers);
    PHXI_MPM_RESERVE(&s->image, numbers);
    PHXI_MPM_RESERVE(&s->gain, numbers);
    memset(s->bound.items, 0, (size_t)numbers * sizeof *s->bound.items);
    return PHX_OK;
}

typedef struct iteration {
    phxi_mpm* s;
    double* sums;
    int blocks;
} iteration;

static void run(const iteration* c, phx_real by, phxi_loop_body* body) {
    advance a = {c->s, by, c->sums};
    phxi_parallel_for(c->s->step->pool, c->s->nodes.count, GRAIN, body, &a);
}

/// -S dt^2 K v, and r . z.
static double start(const iteration* c) {
    product p = {c->s, c->s->velocity.items, c->s->image.items, c->sums};
    stiffness_times(&p);
    phxi_parallel_for(c->s->step->pool, c->s->nodes.count, GRAIN, first_part, &p);
    return added(c->sums, c->blocks);
}

static void next_direction(void* context, double beta) {
    if (beta != 0) { // the first direction is there
        run(context, (phx_real)beta, turn_part);
    }
}

static double multiply(void* context) {
    const iteration* c = context;
    product p = {c->s, c->s->direction.items, c->s->image.items, c->sums};
    phxi_mpm_unfold_numbers(c->s, c->s->direction.items);
    stiffness_times(&p);
    phxi_parallel_for(c->s->step->pool, c->s->nodes.count, GRAIN, mass_part, &p);
    return added(c->sums, c->blocks);
}

static double forward(void* context, double alpha) {
    const iteration* c = context;
    run(c, (phx_real)alpha, forward_part);
    return added(c->sums, c->blocks);
}

/// v += by y, with y of the equation above. What is not finite, particles will tell.
static void solve(phxi_mpm* s, double by, double* sums) {
    iteration c = {s, sums, phxi_block_count(s->nodes.count, GRAIN)};
    phxi_cg_problem problem = {&c, next_direction, multiply, forward, NULL};
    double first = start(&c);
    s->words[MPM_WORD_SOLVES] += phxi_cg(&problem, first, TOLERANCE * TOLERANCE * first, MOST).iterations;
    run(&c, (phx_real)by, finish_part);
    phxi_mpm_unfold_numbers(s, s->velocity.items);
}

phx_result phxi_mpm_solve_implicit(phxi_mpm* s) {
    double* sums = phxi_arena_take(s->step->arena, (size_t)phxi_block_count(s->nodes.count, GRAIN) + 1, sizeof *sums);
    if (!sums) {
        return PHX_ERROR_MEMORY;
    }
    phxi_mpm_bind_mirrors(s);
    phxi_parallel_for(s->step->pool, s->blocks.count, 1, stiffness_part, s);
    if (!(s->params->implicit > 0)) {
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, begin_stages_part, s);
        phxi_mpm_unfold_numbers(s, s->velocity.items);
        solve(s, 1 + sqrt(2), sums);
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, add_gain_part, s);
        phxi_mpm_unfold_numbers(s, s->velocity.items);
    }
    solve(s, 1, sums);
    return PHX_OK;
}
