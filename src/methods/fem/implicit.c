// SPDX-License-Identifier: MIT
// Finite elements as an operator of the implicit solver (implicit/implicit.h), docs/theory/fem.md (6). The linear
// system is in the axes of the body's frame: a direction q is a displacement u, and K q what cells make of it with a
// tangent in the place of the law. The preconditioner takes each node with the mean gradient of the cells around it;
// diagonals are those of the cells themselves.
#include "methods/fem/fem_internal.h"

#include <stdio.h>

enum { TURNS = FEM_LANES / 8, NUMBERS = PHXI_TANGENT_NUMBERS * FEM_STRIDE };
#define HOURGLASS 0.3 // of Young's modulus, in the preconditioner: what cells have against modes no mean gradient sees

typedef struct binding {
    phxi_step* step;
    phxi_fem_slot* slot;
    const phxi_elastic* elastic;
    const phx_vec3* x;
    phx_vec3* force;
    const phx_real* const* q;
    phx_real* const* kq;
    bool exact;
} binding;

static void run_nodes(binding* b, phxi_loop_body* body) {
    phxi_parallel_for(b->step->pool, b->slot->count, FEM_NODES, body, b);
}

static void run_cells(binding* b, phxi_loop_body* body) {
    phxi_parallel_for(b->step->pool, b->slot->cell_count, FEM_CELLS, body, b);
}

// -------------------------------------------------------------------------------------------------------------- forces

static phx_vec3 rest_of(const binding* b, int i) {
    const phxi_particles* p = b->step->particles;
    int k = b->slot->begin + i;
    return phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
}

static void fit(binding* b) {
    phxi_fem_warm(b->step->particles, b->slot);
    phxi_frame_fit_at(&b->slot->base, b->step->particles, b->slot->begin, b->slot->count, b->x, &b->slot->frame);
    b->slot->frame.stretch = phxi_identity();
}

static void place_block(void* context, int begin, int end, int block) {
    (void)block;
    const binding* b = context;
    phxi_frame_place(&b->slot->frame, b->step->particles, b->slot->begin, b->x, begin, end, b->slot->u);
}

static void stress_block(void* context, int begin, int end, int block) {
    const binding* b = context;
    phxi_fem_slot* slot = b->slot;
    phxi_fem_found* found = &slot->found[block];
    phxi_fem_block data;
    phx_real det[FEM_LANES], distance[FEM_LANES];
    phxi_fem_stress(slot, b->elastic, block, false, &data);
    int lanes = slot->element.points * FEM_CELLS;
    phxi_rotations(data.g[0], FEM_STRIDE, lanes, slot->turns + (ptrdiff_t)block * TURNS, det, distance);
    found->min_det = INFINITY;
    found->most = 0;
    bool finite = true;
    for (int i = 0; i < lanes; ++i) {
        if (i % FEM_CELLS < end - begin) {
            found->min_det = fmin(found->min_det, (double)det[i]);
            found->most = fmax(found->most, (double)distance[i]);
            finite = finite && isfinite(det[i]) && isfinite(distance[i]);
        }
    }
    found->bad = !finite;
    phxi_fem_corner_forces(slot, block, &data);
}

static void force_block(void* context, int begin, int end, int block) {
    const binding* b = context;
    _Alignas(64) phx_real force[3][FEM_NODES];
    phxi_fem_gather(b->slot, block, force);
    for (int i = begin; i < end; ++i) {
        int k = i - begin;
        b->force[i] = phxi_mat3_apply(&b->slot->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
    }
}

static bool forces(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain) {
    binding* b = context;
    b->x = x;
    b->force = force;
    b->slot->projected = false;
    fit(b);
    run_nodes(b, place_block);
    run_cells(b, stress_block);
    *strain = (phxi_strain){INFINITY, 0};
    bool tame = true;
    for (int k = 0; k < phxi_fem_cell_blocks(b->slot); ++k) {
        const phxi_fem_found* found = &b->slot->found[k];
        strain->least_det = fmin(strain->least_det, found->min_det);
        strain->most = fmax(strain->most, sqrt(found->most));
        tame = tame && !found->bad;
    }
    run_nodes(b, force_block);
    return tame;
}

static void energy_block(void* context, int begin, int end, int block) {
    const binding* b = context;
    phxi_fem_block data;
    phxi_fem_stress(b->slot, b->elastic, block, true, &data);
    double sum = 0;
    for (int cell = begin; cell < end; ++cell) {
        double mean = 0;
        for (int q = 0; q < b->slot->element.points; ++q) {
            mean += (double)data.energy[q * FEM_CELLS + cell - begin] / b->slot->element.points;
        }
        sum += (double)b->slot->volume[cell] * mean;
    }
    b->slot->found[block].energy = sum;
}

static double energy(void* context) {
    binding* b = context;
    run_cells(b, energy_block);
    double sum = 0;
    for (int k = 0; k < phxi_fem_cell_blocks(b->slot); ++k) {
        sum += b->slot->found[k].energy;
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------- tangent

static phxi_mat3 axes(void* context) {
    return ((const binding*)context)->slot->frame.rotation;
}

/// The rotation of point q of a cell.
static void turn_at(const phxi_fem_slot* slot, int cell, int q, phx_real r[9]) {
    int lane = q * FEM_CELLS + cell % FEM_CELLS;
    const phxi_turn8* turn = &slot->turns[cell / FEM_CELLS * TURNS + lane / 8];
    for (int k = 0; k < 9; ++k) {
        r[k] = turn->r[k][lane % 8];
    }
}

/// That of the first cell around a node: near by.
static void rotation(void* context, int particle, phx_real r[9]) {
    const phxi_fem_slot* slot = ((const binding*)context)->slot;
    for (int k = 0; k < FEM_CORNERS; ++k) {
        if (slot->around[particle][k] >= 0) {
            turn_at(slot, slot->around[particle][k], 0, r);
            return;
        }
    }
}

static void project_block(void* context, int begin, int end, int block) {
    (void)begin, (void)end;
    const binding* b = context;
    phxi_fem_block data;
    const int lanes = b->slot->element.points * FEM_CELLS;
    phx_real *stiffness = b->slot->stiffness + (ptrdiff_t)block * NUMBERS, room[FEM_LANES];
    const phx_real* thermal = phxi_fem_thermal(b->slot, block, room);
    phxi_fem_gradients(b->slot, block, &data);
    phxi_thermal_take(thermal, lanes, FEM_STRIDE, data.g[0]);
    phxi_tangent_batch(b->elastic, 0, b->exact, lanes, FEM_STRIDE, data.g[0], stiffness);
    phxi_thermal_tangent(thermal, lanes, FEM_STRIDE, stiffness);
}

static bool project(void* context, bool exact) {
    binding* b = context;
    if (b->slot->params.tangent == FEM_FROZEN) {
        return false;
    }
    b->exact = exact;
    run_cells(b, project_block);
    b->slot->projected = true;
    return true;
}

static bool knows_stress(void* context) {
    return ((const binding*)context)->slot->params.tangent == FEM_PROJECTED;
}

static void direction_block(void* context, int begin, int end, int block) {
    (void)block;
    const binding* b = context;
    for (int i = begin; i < end; ++i) {
        b->slot->u[i] = (phxi_r4){b->q[0][i], b->q[1][i], b->q[2][i], 0};
    }
}

static void tangent_block(void* context, int begin, int end, int block) {
    (void)begin, (void)end;
    const binding* b = context;
    const phxi_fem_slot* slot = b->slot;
    int lanes = slot->element.points * FEM_CELLS;
    phxi_fem_block data;
    phxi_fem_gradients(slot, block, &data);
    if (slot->projected) {
        phxi_tangent_apply_batch(lanes, FEM_STRIDE, slot->stiffness + (ptrdiff_t)block * NUMBERS, data.g[0], data.p[0]);
    } else {
        phxi_tangent_frozen(b->elastic->mu, b->elastic->lambda, slot->turns + (ptrdiff_t)block * TURNS, lanes,
                            FEM_STRIDE, data.g[0], data.p[0]);
    }
    phxi_fem_corner_forces(slot, block, &data);
}

static void product_block(void* context, int begin, int end, int block) {
    const binding* b = context;
    _Alignas(64) phx_real force[3][FEM_NODES];
    phxi_fem_gather(b->slot, block, force);
    for (int a = 0; a < 3; ++a) {
        for (int i = begin; i < end; ++i) {
            b->kq[a][i] = -force[a][i - begin];
        }
    }
}

static void product(void* context, const phx_real* const q[3], phx_real* const kq[3]) {
    binding* b = context;
    b->q = q;
    b->kq = kq;
    run_nodes(b, direction_block);
    run_cells(b, tangent_block);
    run_nodes(b, product_block);
}

/// sum over points of V/points (mu |g|^2 I + (mu + lambda) (R g)(R g)^T), g of the node.
static void diagonal(void* context, int particle, double block[6]) {
    const binding* b = context;
    const phxi_fem_slot* slot = b->slot;
    for (int k = 0; k < 6; ++k) {
        block[k] = 0;
    }
    for (int k = 0; k < FEM_CORNERS; ++k) {
        int cell = slot->around[particle][k];
        for (int q = 0; cell >= 0 && q < slot->element.points; ++q) {
            phx_real r[9];
            double g[3], turned[3] = {0}, square = 0, volume = (double)slot->volume[cell] / slot->element.points;
            turn_at(slot, cell, q, r);
            for (int a = 0; a < 3; ++a) {
                g[a] = (double)slot->element.gradient[q][k][a] / slot->edge;
                square += g[a] * g[a];
            }
            for (int a = 0; a < 9; ++a) {
                turned[a / 3] += (double)r[a] * g[a % 3];
            }
            static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
            for (int a = 0; a < 6; ++a) {
                block[a] += volume * ((b->elastic->mu + b->elastic->lambda) * turned[at[a][0]] * turned[at[a][1]] +
                                      (a < 3 ? b->elastic->mu * square : 0));
            }
        }
    }
}

static int neighbor_at(phxi_stencil* t, int node) {
    int at = 0;
    while (at < t->count && t->neighbor[at] != node) {
        ++at;
    }
    if (at == t->count) {
        t->neighbor[t->count++] = node; // 26 at most
        t->gradient[at] = phxi_vec3(0, 0, 0);
        t->weight[at] = 1;
    }
    return at;
}

/// The node's share of the matrix: the mean gradient of the cells around it, and an hourglass term beside it.
static void stencil(void* context, int particle, phxi_stencil* t) {
    const binding* b = context;
    const phxi_fem_slot* slot = b->slot;
    int cells = 0;
    double spread = 0;
    t->count = 0;
    t->volume = 0;
    t->mu = b->elastic->mu;
    t->lambda = b->elastic->lambda;
    for (int k = 0; k < FEM_CORNERS; ++k) {
        cells += slot->around[particle][k] >= 0;
    }
    for (int k = 0; k < FEM_CORNERS; ++k) {
        int cell = slot->around[particle][k];
        t->volume += cell >= 0 ? (double)slot->volume[cell] / FEM_CORNERS : 0;
        for (int m = 0; cell >= 0 && m < FEM_CORNERS; ++m) {
            if (m == k) {
                continue;
            }
            int at = neighbor_at(t, slot->corner[cell][m]);
            t->arm[at] = phxi_sub(rest_of(b, slot->corner[cell][m]), rest_of(b, particle));
            for (int q = 0; q < slot->element.points; ++q) {
                const phx_real* g = slot->element.gradient[q][m];
                t->gradient[at] = phxi_add_scaled(t->gradient[at], 1 / (slot->edge * slot->element.points * cells),
                                                  phxi_vec3(g[0], g[1], g[2]));
            }
        }
    }
    for (int k = 0; k < t->count; ++k) {
        spread += phxi_dot(t->arm[k], t->arm[k]);
    }
    double young = b->elastic->mu * (3 * t->lambda + 2 * t->mu) / (t->lambda + t->mu);
    t->hourglass = spread > 0 ? HOURGLASS * young * t->volume / spread : 0;
}

// --------------------------------------------------------------------------------------------------------------- steps

void phxi_fem_implicit_destroy(phxi_fem_slot* slot, phxi_heap* heap) {
    phxi_implicit_destroy(slot->implicit);
    phxi_free(heap, slot->turns);
    phxi_free(heap, slot->stiffness);
    slot->implicit = NULL;
    slot->turns = NULL;
    slot->stiffness = NULL;
}

static phx_result prepare(phxi_step* step, phxi_fem_slot* slot) {
    if (slot->implicit && !phxi_implicit_fits(slot->implicit, slot->begin, slot->count)) {
        phxi_fem_implicit_destroy(slot, step->heap); // the body has moved in memory
    }
    size_t blocks = (size_t)phxi_fem_cell_blocks(slot);
    if (!slot->turns) {
        slot->turns = phxi_alloc_zero(step->heap, blocks * TURNS, sizeof *slot->turns, "fem implicit");
    }
    if (!slot->stiffness && slot->params.tangent == FEM_PROJECTED) {
        slot->stiffness = phxi_alloc_zero(step->heap, blocks * NUMBERS, sizeof *slot->stiffness, "fem implicit");
    }
    if (!slot->turns || (!slot->stiffness && slot->params.tangent == FEM_PROJECTED)) {
        return PHX_ERROR_MEMORY;
    }
    return slot->implicit ? PHX_OK
                          : phxi_implicit_create(step->heap, step->particles, slot->begin, slot->count, FEM_NEIGHBORS,
                                                 true, &slot->implicit);
}

static phxi_operator operator_of(binding* b) {
    return (phxi_operator){.context = b,
                           .stencil_size = FEM_NEIGHBORS,
                           .forces = forces,
                           .energy = energy,
                           .project = project,
                           .knows_stress = knows_stress,
                           .axes = axes,
                           .rotation = rotation,
                           .product = product,
                           .stencil = stencil,
                           .diagonal = diagonal};
}

static phx_result offer(void* state, phxi_step* step, double dt, phxi_implicit_list* list) {
    phxi_fem* fem = state;
    (void)dt;
    for (int k = 0; k < fem->slots.count; ++k) {
        phxi_fem_slot* slot = &fem->slots.items[k];
        if (!phxi_implicit_is(slot->params.integrator) && !step->statics) {
            continue;
        }
        const phxi_body* body = &step->bodies[slot->body];
        binding* b = phxi_arena_take(step->arena, 1, sizeof *b);
        if (!b) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(prepare(step, slot));
        *b = (binding){.step = step, .slot = slot, .elastic = &body->elastic};
        phxi_implicit_choice choice = phxi_fem_choice(slot);
        phxi_implicit_def def = phxi_implicit_chosen(&choice, &body->material);
        phxi_implicit_list_add(list, (phxi_implicit_body){slot->implicit, operator_of(b), def});
    }
    return PHX_OK;
}

static double step_length(void* state, phxi_step* step, int body, char reason[160]) {
    const phxi_fem_slot* slot = phxi_fem_slot_of(state, body);
    if (!phxi_implicit_is(slot->params.integrator)) {
        return 0;
    }
    snprintf(reason, 160, "%s steps of body '%s'", phxi_integrator_words[slot->params.integrator],
             step->bodies[body].name);
    phxi_implicit_choice choice = phxi_fem_choice(slot);
    return phxi_implicit_length(&choice);
}

static bool rests(void* state, const phxi_step* step, int body, char why[160]) {
    (void)state, (void)step, (void)body;
    why[0] = '\0';
    return true;
}

const phxi_implicit_table phxi_fem_implicit = {.dt = step_length, .offer = offer, .rests = rests};
