// SPDX-License-Identifier: MIT
// Peridynamics as an operator of the implicit solver (implicit/implicit.h), whose contact, drivers and history
// it shares. The linear system is in the axes of the body's frame.
#include "methods/peridynamics/flow.h"
#include "methods/peridynamics/softening.h"
#include "methods/peridynamics/twist.h"

#include <stdio.h>
#include <string.h>

#define FRAME_DT (1.0 / 60)

typedef phxi_peri_binding binding;

static void run(const binding* b, phxi_loop_body* body) {
    phxi_parallel_for(b->step->pool, phxi_peri_blocks(b->slot), 1, body, (void*)b);
}

// -------------------------------------------------------------------------------------------------------------- forces

static void local_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_peri_slot* slot = b->slot;
    phxi_peri_block block;
    bool tame = slot->params.model == PERI_BOND ? phxi_peri_bond_local(slot, begin, &block)
                                                : phxi_peri_local(slot, begin, &block);
    phxi_peri_found* found = &slot->found[begin];
    found->bad = !tame;
    found->min_det = INFINITY;
    found->most = 0;
    for (int i = 0; i < PERI_BLOCK && begin * PERI_BLOCK + i < slot->count; ++i) {
        found->min_det = fmin(found->min_det, (double)block.det[i]);
        found->most = fmax(found->most, (double)block.distance[i]);
    }
}

static void force_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    _Alignas(64) phx_real force[3][PERI_BLOCK];
    if (b->slot->params.model == PERI_BOND) {
        phxi_peri_bond_force(b->slot, begin, force);
    } else {
        phxi_peri_force(b->slot, begin, force);
    }
    for (int i = begin * PERI_BLOCK, k = 0; i < b->slot->count && k < PERI_BLOCK; ++i, ++k) {
        b->force[i] = phxi_mat3_apply(&b->slot->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
    }
}

static bool forces(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain) {
    binding* b = context;
    b->force = force;
    b->x = x;
    if (b->slot->thin) {
        phxi_peri_thin_forces(b->step, b->slot, x, force);
    } else if (b->slot->flow) {
        phxi_peri_flow_forces(b->step, b->slot, x, force);
    } else {
        phxi_peri_place(b->step, b->slot, x);
        run(b, local_block);
        run(b, force_block);
    }
    *strain = (phxi_strain){INFINITY, 0};
    bool tame = true;
    for (int k = 0; k < phxi_peri_blocks(b->slot); ++k) {
        const phxi_peri_found* found = &b->slot->found[k];
        strain->least_det = fmin(strain->least_det, found->min_det);
        strain->most = fmax(strain->most, sqrt(found->most));
        tame = tame && !found->bad;
    }
    return tame;
}

static void energy_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_peri_slot* slot = b->slot;
    phxi_peri_block block;
    double sum = 0, shear;
    if (!slot->thin && !slot->flow) {
        phxi_peri_local(slot, begin, &block);
    }
    for (int i = begin * PERI_BLOCK; i < slot->count && i < (begin + 1) * PERI_BLOCK; ++i) {
        sum += slot->flow   ? phxi_peri_flow_energy(slot, i, &shear)
               : slot->thin ? phxi_peri_thin_energy(slot, b->x, i, &shear)
                            : phxi_peri_energy(slot, &block, i, &shear);
    }
    slot->found[begin].energy = sum;
}

static double energy(void* context) {
    const binding* b = context;
    run(b, energy_block);
    double sum = 0;
    for (int k = 0; k < phxi_peri_blocks(b->slot); ++k) {
        sum += b->slot->found[k].energy;
    }
    return sum;
}

// -------------------------------------------------------------------------------------------------------------- matrix

/// The tangent of targets that follow is the only one there is.
static bool project(void* context, bool exact) {
    (void)context, (void)exact;
    return false;
}

static phxi_mat3 axes(void* context) {
    const phxi_peri_slot* slot = ((const binding*)context)->slot;
    return slot->thin || slot->flow ? phxi_identity() : slot->frame.rotation;
}

static void rotation(void* context, int particle, phx_real r[9]) {
    const phxi_turn8* turn = &((const binding*)context)->slot->turns[particle / PERI_LANES];
    for (int k = 0; k < 9; ++k) {
        r[k] = turn->r[k][particle % PERI_LANES];
    }
}

static void product(void* context, const phx_real* const q[3], phx_real* const kq[3]) {
    const binding* b = context;
    if (b->slot->thin) {
        phxi_peri_thin_product(b->step, b->slot, q, kq);
    } else if (b->slot->params.integrator == PERI_PROJECTIVE) {
        phxi_peri_laplacian(b->step, b->slot, q, kq);
    } else {
        phxi_peri_tangent(b->step, b->slot, q, kq);
    }
}

static void thin_diagonal(void* context, int particle, double block[6]) {
    phxi_peri_thin_diagonal(((const binding*)context)->slot, particle, block);
}

static void flow_diagonal(void* context, int particle, double block[6]) {
    for (int k = 0; k < 6; ++k) {
        block[k] = k < 3 ? (double)((const binding*)context)->slot->diagonal[particle] : 0;
    }
}

/// Of the scalar matrix springs between particles; of the tangent a strain and what is left of bonds beside it.
static void stencil(void* context, int particle, phxi_stencil* t) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const binding* b = context;
    const phxi_peri_slot* slot = b->slot;
    const phxi_elastic* elastic = &b->step->bodies[slot->body].elastic;
    const phxi_peri_rest* rest = &slot->constants[particle / PERI_BLOCK];
    int lane = particle % PERI_BLOCK;
    bool scalar = slot->params.integrator == PERI_PROJECTIVE;
    t->count = 0;
    t->volume = (double)slot->volume[particle];
    t->mu = scalar ? 0 : elastic->mu;
    t->lambda = scalar ? 0 : elastic->lambda;
    t->hourglass = t->volume * ((double)rest->dev[lane] + (scalar ? (double)rest->iso[lane] : 0));
    for (int k = slot->start[particle]; k < slot->start[particle + 1] && !slot->flow; ++k) {
        phxi_r4 y = slot->near[k], x = slot->rest[k];
        double g[3] = {0};
        for (int a = 0; a < 9 && !scalar; ++a) {
            g[a % 3] += (double)y[a / 3] * (double)rest->spread[sym[a]][lane];
        }
        t->neighbor[t->count] = slot->other[k];
        t->gradient[t->count] = phxi_vec3(g[0], g[1], g[2]);
        t->arm[t->count] = phxi_vec3(x[0], x[1], x[2]);
        t->weight[t->count++] = (double)y[3];
    }
}

/// Bodies that yield have a diagonal of their own and rows of any length.
static int longest_row(const phxi_peri_slot* slot) {
    int longest = 1;
    for (int i = 0; i < slot->count && !slot->flow; ++i) {
        int length = slot->start[i + 1] - slot->start[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool twists(const phxi_peri_slot* slot) {
    return slot->thin && slot->thin->twist;
}

phxi_operator phxi_peri_operator(binding* b) {
    if (twists(b->slot)) {
        phxi_peri_begin_twist(b->step, b->slot);
    }
    return (phxi_operator){.context = b,
                           .stencil_size = longest_row(b->slot),
                           .forces = forces,
                           .energy = energy,
                           .project = project,
                           .axes = axes,
                           .rotation = rotation,
                           .product = product,
                           .stencil = stencil,
                           .diagonal = b->slot->thin   ? thin_diagonal
                                       : b->slot->flow ? flow_diagonal
                                                       : NULL};
}

// --------------------------------------------------------------------------------------------------------------- steps

static phx_result prepare(phxi_step* step, phxi_peri_slot* slot) {
    if (slot->implicit && !phxi_implicit_fits(slot->implicit, slot->begin, slot->count)) {
        phxi_implicit_destroy(slot->implicit); // the body has moved in memory
        slot->implicit = NULL;
    }
    return slot->implicit
               ? PHX_OK
               : phxi_implicit_create(step->heap, step->particles, slot->begin, slot->count, longest_row(slot),
                                      slot->params.integrator != PERI_PROJECTIVE, &slot->implicit);
}

/// Local and global steps of a projective step: rotations of stiff bodies take more. The matrix holds what the mean
/// deformation does not see as if its stiffness were 1; where it is less, a step that is over too early is too stiff.
static int outer_of(const phxi_peri_slot* slot, double kappa) {
    int usual = kappa > 100 ? 5 : kappa > 10 ? 3 : 2;
    usual += slot->params.hourglass < 1;
    return slot->params.integrator != PERI_PROJECTIVE ? 0 : slot->params.outer > 0 ? slot->params.outer : usual;
}

static phxi_implicit_def def_of(const phxi_step* step, const phxi_peri_slot* slot, double dt) {
    const phxi_body* body = &step->bodies[slot->body];
    bool newton = slot->params.integrator == PERI_EULER, projective = slot->params.integrator == PERI_PROJECTIVE;
    int iterations = slot->params.iterations;
    double tolerance = slot->params.tolerance, kappa = slot->kappa * dt * dt;
    return (phxi_implicit_def){
        .newton = newton,
        .outer = outer_of(slot, kappa),
        .spin_fades = slot->params.spin == PERI_SPIN_FADES,
        .solver = (phxi_linear_solver)slot->params.solver,
        .kappa = kappa,
        .iterations = iterations > 0 ? iterations
                      : slot->thin   ? 200
                      : projective   ? 30
                                     : 6,
        .tolerance = tolerance > 0 ? tolerance
                     : newton      ? 1e-4
                     : slot->thin  ? 1e-3
                                   : 1e-2,
        .newton_steps = 30,
        .newton_iterations = newton && iterations > 0 ? iterations : 60,
        .damping = body->material.damping,
        .young = body->material.young,
    };
}

static phx_result offer(void* state, phxi_step* step, double dt, phxi_implicit_list* list) {
    phxi_peri* peri = state;
    for (int k = 0; k < peri->slots.count; ++k) {
        phxi_peri_slot* slot = &peri->slots.items[k];
        binding* b = phxi_arena_take(step->arena, 1, sizeof *b);
        if (!b) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(prepare(step, slot));
        PHXI_TRY(phxi_peri_soften(step, slot));
        if (slot->flow) {
            slot->flow->dt = dt;
        }
        *b = (binding){.step = step, .slot = slot};
        phxi_implicit_list_add(list,
                               (phxi_implicit_body){slot->implicit, phxi_peri_operator(b), def_of(step, slot, dt)});
    }
    return PHX_OK;
}

static phx_result finish(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_peri* peri = state;
    (void)dt, (void)trouble;
    for (int k = 0; k < peri->slots.count; ++k) {
        if (twists(&peri->slots.items[k])) {
            phxi_peri_end_twist(step, &peri->slots.items[k]);
        }
    }
    return PHX_OK;
}

static double step_length(void* state, phxi_step* step, int body, char reason[160]) {
    const phxi_peri_slot* slot = phxi_peri_slot_of(state, body);
    snprintf(reason, 160, "%s steps of body '%s'", phxi_peri_integrator_words[slot->params.integrator],
             step->bodies[body].name);
    return slot->params.implicit_dt > 0 ? slot->params.implicit_dt : FRAME_DT;
}

static bool rests(void* state, const phxi_step* step, int body, char why[160]) {
    const phxi_peri_slot* slot = phxi_peri_slot_of(state, body);
    const phx_material_def* m = &step->bodies[body].material;
    const char* what = slot->flow        ? "yields, and a static state is that of an elastic body"
                       : m->strength > 0 ? "may break, and a static state is that of an elastic body"
                       : slot->params.integrator == PERI_PROJECTIVE
                           ? "takes projective steps, which have no tangent: set its integrator to implicit_euler"
                           : NULL;
    snprintf(why, 160, "%s", what ? what : "");
    return !what;
}

const phxi_implicit_table phxi_peri_implicit = {.dt = step_length, .offer = offer, .finish = finish, .rests = rests};
