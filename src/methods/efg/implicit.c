// SPDX-License-Identifier: MIT
// Element-free Galerkin as an operator of the implicit solver (implicit/implicit.h), and the choice of `auto`.
//
// The linear system is in the axes of the body's frame, which are those of the rest shape turned along: there a
// direction q is a displacement u of forces.c, and K q is what the two pair loops make of it with the frozen tangent
// between them.
#include "methods/efg/lattice/lattice.h"
#include "methods/shared/stiffness.h"

#include <stdio.h>
#include <string.h>

typedef phxi_efg_binding binding;

static const phxi_efg_block* block_at(const binding* b, int k) {
    return &b->efg->blocks.items[b->slot->block_begin + k];
}

static void run(binding* b, phxi_loop_body* body) {
    phxi_parallel_for(b->step->pool, b->slot->block_end - b->slot->block_begin, 1, body, b);
}

// ------------------------------------------------------------------------------------------------------- forces

static void place_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_efg_fill_at(b->efg, b->step->particles, b->x, block_at(b, begin));
}

static void stress_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    bool tame = phxi_efg_stress(b->efg, b->elastic, false, block_at(b, begin));
    b->efg->sums.items[b->slot->block_begin + begin].bad = !tame;
}

static void force_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    const phxi_efg_block* block = block_at(b, begin);
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    phxi_efg_force(b->efg, block, force);
    for (int k = 0; k < block->count; ++k) {
        b->force[block->row - b->slot->row + k] =
            phxi_mat3_apply(&b->slot->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
    }
}

static bool forces(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain) {
    binding* b = context;
    b->x = x;
    b->force = force;
    b->slot->projected = false;
    phxi_efg_fit_frame_at(b->slot, b->step->particles, x);
    if (b->slot->lattice) {
        return phxi_lattice_forces_at(b->step, b->slot, b->elastic, x, force, strain);
    }
    run(b, place_block);
    run(b, stress_block);
    run(b, force_block);
    *strain = (phxi_strain){INFINITY, 0};
    bool tame = true;
    for (int k = b->slot->block_begin; k < b->slot->block_end; ++k) {
        const phxi_efg_sums* sums = &b->efg->sums.items[k];
        strain->least_det = fmin(strain->least_det, sums->min_det);
        strain->most = fmax(strain->most, sums->max_stretch);
        tame = tame && !sums->bad;
    }
    return tame;
}

static double energy(void* context) {
    const binding* b = context;
    if (b->slot->lattice) {
        phxi_lattice_spill(b->efg, b->slot);
    }
    return phxi_efg_energy(b->efg, b->step, b->slot);
}

// ------------------------------------------------------------------------------------------------------- tangent

static phxi_mat3 axes(void* context) {
    return ((const binding*)context)->slot->frame.rotation;
}

static void rotation(void* context, int particle, phx_real r[9]) {
    const phxi_efg_turn* turn = &((const binding*)context)->slot->turns[particle / EFG_LANES];
    for (int k = 0; k < 9; ++k) {
        r[k] = turn->r[k][particle % EFG_LANES];
    }
}

static void project_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_efg_project(b->efg, b->elastic, b->exact, block_at(b, begin));
}

static bool project(void* context, bool exact) {
    binding* b = context;
    if (b->slot->params.tangent == EFG_TANGENT_FROZEN) {
        return false;
    }
    b->exact = exact;
    if (b->slot->lattice) {
        phxi_lattice_project(b->step, b->slot, b->elastic, exact);
    } else {
        run(b, project_block);
    }
    b->slot->projected = true;
    return true;
}

/// Thin rows have the frozen tangent alone; those that clamps leave out have nothing to be stressed.
static bool knows_stress(void* context) {
    const binding* b = context;
    int thin = 0;
    for (int k = b->slot->block_begin; k < b->slot->block_end; ++k) {
        thin += b->efg->blocks.items[k].flat_end - b->efg->blocks.items[k].flat_begin;
    }
    return b->slot->params.tangent == EFG_TANGENT_PROJECTED && thin <= b->slot->deeps;
}

static void direction_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_efg_fill_with(b->efg, b->q, block_at(b, begin));
}

static void tangent_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_efg_tangent(b->efg, b->elastic, block_at(b, begin));
}

static void product_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    const phxi_efg_block* block = block_at(b, begin);
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    phxi_efg_force(b->efg, block, force);
    int first = block->row - b->slot->row;
    for (int a = 0; a < 3; ++a) {
        for (int k = 0; k < block->count; ++k) {
            b->kq[a][first + k] = -force[a][k];
        }
    }
}

static void product(void* context, const phx_real* const q[3], phx_real* const kq[3]) {
    binding* b = context;
    if (b->slot->lattice) {
        phxi_lattice_product(b->step, b->slot, b->elastic, q, kq);
        return;
    }
    b->q = q;
    b->kq = kq;
    run(b, direction_block);
    run(b, tangent_block);
    run(b, product_block);
}

static void stencil(void* context, int particle, phxi_stencil* t) {
    const binding* b = context;
    const phxi_efg* efg = b->efg;
    int row = b->slot->row + particle, lane = row % EFG_LANES;
    const phxi_efg_group* group = &efg->groups.items[row / EFG_LANES];
    const phxi_r4* list = efg->gradient.items + efg->list.items[row];
    t->count = 0;
    t->volume = (double)group->volume[lane];
    t->hourglass = (double)group->stiffness[lane];
    t->mu = b->elastic->mu;
    t->lambda = b->elastic->lambda + b->slot->params.volume_stiffness;
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
        phxi_r4 y = list[k - efg->start.items[row]];
        double w = (double)y[3], g[3] = {0};
        if (!(w > 0)) {
            continue; // padding
        }
        for (int a = 0; a < 9; ++a) {
            g[a % 3] += (double)y[a / 3] * (double)group->inverse[a][lane];
        }
        t->neighbor[t->count] = efg->offset.items[k] / (int)sizeof(phxi_r4) - b->slot->row;
        t->gradient[t->count] = phxi_vec3(g[0], g[1], g[2]);
        t->arm[t->count] = phxi_vec3((double)y[0] / w, (double)y[1] / w, (double)y[2] / w);
        t->weight[t->count++] = w;
    }
}

// ------------------------------------------------------------------------------------------------------- steps

static int longest_row(const phxi_efg* efg, const phxi_efg_slot* slot) {
    int longest = 1;
    for (int r = slot->row; r < slot->row + slot->count; ++r) {
        int length = efg->start.items[r + 1] - efg->start.items[r];
        longest = length > longest ? length : longest;
    }
    return longest;
}

void phxi_efg_implicit_destroy(phxi_efg_slot* slot, phxi_heap* heap) {
    phxi_implicit_destroy(slot->implicit);
    phxi_free(heap, slot->turns);
    phxi_free(heap, slot->stiffness);
    slot->implicit = NULL;
    slot->turns = NULL;
    slot->stiffness = NULL;
}

phxi_operator phxi_efg_operator(binding* b) {
    return (phxi_operator){.context = b,
                           .stencil_size = longest_row(b->efg, b->slot),
                           .forces = forces,
                           .energy = energy,
                           .project = project,
                           .knows_stress = knows_stress,
                           .axes = axes,
                           .rotation = rotation,
                           .product = product,
                           .stencil = stencil};
}

static phx_result prepare(phxi_efg* efg, phxi_step* step, phxi_efg_slot* slot) {
    if (slot->implicit && !phxi_implicit_fits(slot->implicit, slot->begin, slot->count)) {
        phxi_efg_implicit_destroy(slot, step->heap); // the body has moved in memory, or grown
    }
    if (!slot->turns) {
        int groups = phxi_block_count(slot->count, EFG_ROW_ALIGN) * EFG_ROW_ALIGN / EFG_LANES;
        slot->turns = phxi_alloc_zero(step->heap, (size_t)groups, sizeof *slot->turns, "efg implicit");
        if (!slot->turns) {
            return PHX_ERROR_MEMORY;
        }
    }
    if (slot->lattice) {
        PHXI_TRY(phxi_lattice_prepare(step->heap, slot->lattice));
    }
    if (!slot->stiffness && slot->params.tangent == EFG_TANGENT_PROJECTED) {
        int blocks = slot->block_end - slot->block_begin, tiles = slot->lattice ? slot->lattice->tile_count : 0;
        size_t most = (size_t)(blocks > tiles ? blocks : tiles); // a lattice may be left later
        slot->stiffness = phxi_alloc_zero(step->heap, most * EFG_BLOCK_STIFFNESS, sizeof(phx_real), "efg implicit");
        if (!slot->stiffness) {
            return PHX_ERROR_MEMORY;
        }
    }
    return slot->implicit ? PHX_OK
                          : phxi_implicit_create(step->heap, step->particles, slot->begin, slot->count,
                                                 longest_row(efg, slot), true, &slot->implicit);
}

static binding binding_of(phxi_efg* efg, phxi_step* step, phxi_efg_slot* slot) {
    return (binding){.efg = efg, .step = step, .slot = slot, .elastic = &step->bodies[slot->body].elastic};
}

static phxi_implicit_choice choice_of(const phxi_efg_slot* slot) {
    const phxi_efg_params* p = &slot->params;
    return (phxi_implicit_choice){p->integrator, p->implicit_dt, p->iterations, p->tolerance};
}

/// The step was elastic; what is beyond yield flows at its end.
static void flow(binding* b, int index, double dt) {
    phxi_efg_refresh(b->efg, b->step, index);
    b->efg->flow_dt = dt;
    run(b, stress_block);
    b->efg->flow_dt = 0;
}

static phx_result offer(void* state, phxi_step* step, double dt, phxi_implicit_list* list) {
    phxi_efg* efg = state;
    (void)dt;
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_slot* slot = &efg->slots.items[k];
        if (!phxi_efg_is_implicit(slot) && !step->statics) {
            continue;
        }
        binding* b = phxi_arena_take(step->arena, 1, sizeof *b);
        if (!b) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(prepare(efg, step, slot));
        *b = binding_of(efg, step, slot);
        phxi_implicit_choice choice = choice_of(slot);
        phxi_implicit_def def = phxi_implicit_chosen(&choice, &step->bodies[slot->body].material);
        phxi_implicit_list_add(list, (phxi_implicit_body){slot->implicit, phxi_efg_operator(b), def});
    }
    return PHX_OK;
}

static phx_result finish(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_efg* efg = state;
    (void)trouble;
    for (int k = 0; k < efg->slots.count; ++k) {
        if (phxi_efg_is_implicit(&efg->slots.items[k]) && efg->slots.items[k].plastic.yield > 0) {
            binding b = binding_of(efg, step, &efg->slots.items[k]);
            flow(&b, k, dt);
        }
    }
    return PHX_OK;
}

static phxi_stiffness stiffness_of(const phxi_efg_slot* slot) {
    phxi_implicit_choice choice = choice_of(slot);
    return (phxi_stiffness){phxi_implicit_length(&choice), slot->params.implicit_dt > 0, slot->rest_dt, EFG_STEP_COST};
}

void phxi_efg_choose(phxi_efg_slot* slot, const phxi_step* step) {
    if (slot->params.integrator == PHXI_AUTOMATIC) {
        phxi_stiffness stiffness = stiffness_of(slot);
        slot->automatic = true;
        slot->params.integrator = phxi_stiffness_pays(&stiffness, step, slot->body) ? PHXI_BDF2 : PHXI_VELOCITY_VERLET;
    }
}

static double step_length(void* state, phxi_step* step, int body, char reason[160]) {
    const phxi_efg_slot* slot = phxi_efg_slot_of(state, body);
    if (!phxi_efg_is_implicit(slot)) {
        return 0;
    }
    phxi_stiffness stiffness = stiffness_of(slot);
    phxi_stiffness_reason(&stiffness, slot->params.integrator, slot->automatic, step->bodies[body].name, reason);
    return stiffness.length;
}

static bool rests(void* state, const phxi_step* step, int body, char why[160]) {
    const phxi_efg_slot* slot = phxi_efg_slot_of(state, body);
    const char* what = slot->plastic.yield > 0                    ? "yields"
                       : step->bodies[body].material.strength > 0 ? "may break"
                                                                  : NULL;
    snprintf(why, 160, "%s, and a static state is that of an elastic body", what ? what : "");
    return !what;
}

const phxi_implicit_table phxi_efg_implicit = {.dt = step_length, .offer = offer, .finish = finish, .rests = rests};
