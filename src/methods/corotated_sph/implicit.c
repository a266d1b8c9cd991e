// SPDX-License-Identifier: MIT
// Corotated SPH as an operator of the implicit solver (implicit/implicit.h), docs/theory/corotated_sph.md section 5.
//
// Its forces are the gradient of an energy where no pair can be lost, gradients are corrected and rotations are those
// of F: then R^T F - I is a symmetric strain, and the law is one of materials/elastic.h. The linear system is in the
// axes of the body's frame: a direction q is a displacement u, and K q what the two loops over pairs make of it with a
// tangent between them.
#include "methods/corotated_sph/corotated_internal.h"
#include "methods/shared/stiffness.h"

#include <stdio.h>

enum { TURNS = CSPH_BLOCK / CSPH_LANES };

typedef struct binding {
    phxi_step* step;
    phxi_csph_slot* slot;
    phxi_elastic law;
    const phx_vec3* x;
    phx_vec3* force;
    const phx_real* const* q;
    phx_real* const* kq;
    bool exact;
} binding;

static void run(binding* b, phxi_loop_body* body) {
    phxi_parallel_for(b->step->pool, phxi_csph_blocks(b->slot), 1, body, b);
}

// -------------------------------------------------------------------------------------------------------------- forces

static void fit(binding* b) {
    phxi_frame_fit_at(&b->slot->base, b->step->particles, b->slot->begin, b->slot->count, b->x, &b->slot->frame);
    b->slot->frame.stretch = phxi_identity();
    b->slot->thermal = b->step->particles->thermal;
}

static void place_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    int first = begin * CSPH_BLOCK, last = first + phxi_csph_count(b->slot, begin);
    phxi_frame_place(&b->slot->frame, b->step->particles, b->slot->begin, b->x, first, last, b->slot->u);
}

static void stress_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* c = context;
    phxi_csph_found* found = &c->slot->found[begin];
    phxi_csph_block b;
    found->bad = !phxi_csph_law_stress(c->slot, &c->law, begin, &b, NULL);
    found->min_det = INFINITY;
    found->most = 0;
    for (int i = 0; i < phxi_csph_count(c->slot, begin); ++i) {
        found->min_det = fmin(found->min_det, (double)b.det[i]);
        found->most = fmax(found->most, (double)b.distance[i]);
        found->bad = found->bad || !isfinite(b.det[i]);
    }
}

static void force_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    _Alignas(64) phx_real force[3][CSPH_BLOCK];
    phxi_csph_force(b->slot, begin, force);
    for (int i = 0; i < phxi_csph_count(b->slot, begin); ++i) {
        b->force[begin * CSPH_BLOCK + i] =
            phxi_mat3_apply(&b->slot->frame.rotation, phxi_vec3(force[0][i], force[1][i], force[2][i]));
    }
}

static bool forces(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain) {
    binding* b = context;
    b->x = x;
    b->force = force;
    b->slot->projected = false;
    fit(b);
    run(b, place_block);
    run(b, stress_block);
    run(b, force_block);
    *strain = (phxi_strain){INFINITY, 0};
    bool tame = true;
    for (int k = 0; k < phxi_csph_blocks(b->slot); ++k) {
        const phxi_csph_found* found = &b->slot->found[k];
        strain->least_det = fmin(strain->least_det, found->min_det);
        strain->most = fmax(strain->most, sqrt(found->most));
        tame = tame && !found->bad;
    }
    return tame;
}

static void energy_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* c = context;
    _Alignas(64) phx_real density[CSPH_BLOCK];
    phxi_csph_block b;
    double sum = 0;
    phxi_csph_law_stress(c->slot, &c->law, begin, &b, density);
    for (int i = begin * CSPH_BLOCK, lane = 0; lane < phxi_csph_count(c->slot, begin); ++i, ++lane) {
        sum += (double)c->slot->volume[i] * (double)density[lane] + phxi_csph_hourglass_energy(c->slot, &b, i, lane);
    }
    c->slot->found[begin].energy = sum;
}

static double energy(void* context) {
    binding* b = context;
    run(b, energy_block);
    double sum = 0;
    for (int k = 0; k < phxi_csph_blocks(b->slot); ++k) {
        sum += b->slot->found[k].energy;
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------- tangent

static phxi_mat3 axes(void* context) {
    return ((const binding*)context)->slot->frame.rotation;
}

static void rotation(void* context, int particle, phx_real r[9]) {
    const phxi_turn8* turn = &((const binding*)context)->slot->turns[particle / CSPH_LANES];
    for (int k = 0; k < 9; ++k) {
        r[k] = turn->r[k][particle % CSPH_LANES];
    }
}

static void project_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_csph_project(b->slot, &b->law, b->exact, begin);
}

static bool project(void* context, bool exact) {
    binding* b = context;
    if (b->slot->params.tangent == CSPH_FROZEN) {
        return false;
    }
    b->exact = exact;
    run(b, project_block);
    b->slot->projected = true;
    return true;
}

static bool knows_stress(void* context) {
    const phxi_csph_slot* slot = ((const binding*)context)->slot;
    return slot->params.tangent == CSPH_PROJECTED && phxi_csph_all_span(slot);
}

static void direction_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    int first = begin * CSPH_BLOCK, last = first + phxi_csph_count(b->slot, begin);
    for (int i = first; i < last; ++i) {
        b->slot->u[i] = (phxi_r4){b->q[0][i], b->q[1][i], b->q[2][i], 0};
    }
}

static void tangent_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    phxi_csph_tangent(b->slot, &b->law, begin);
}

static void product_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const binding* b = context;
    _Alignas(64) phx_real force[3][CSPH_BLOCK];
    phxi_csph_force(b->slot, begin, force);
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < phxi_csph_count(b->slot, begin); ++i) {
            b->kq[a][begin * CSPH_BLOCK + i] = -force[a][i];
        }
    }
}

static void product(void* context, const phx_real* const q[3], phx_real* const kq[3]) {
    binding* b = context;
    b->q = q;
    b->kq = kq;
    run(b, direction_block);
    run(b, tangent_block);
    run(b, product_block);
}

static void stencil(void* context, int particle, phxi_stencil* t) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const binding* b = context;
    const phxi_csph_slot* slot = b->slot;
    const phxi_csph_sums* sums = &slot->sums[particle / CSPH_BLOCK];
    t->count = 0;
    t->volume = (double)slot->volume[particle];
    t->hourglass = (double)slot->stiffness[particle];
    t->mu = b->law.mu;
    t->lambda = b->law.lambda;
    for (int k = slot->start[particle]; k < slot->start[particle + 1]; ++k) {
        phxi_r4 y = slot->near[k], x = slot->rest[k];
        double g[3] = {0};
        for (int a = 0; a < 9; ++a) {
            g[a % 3] += (double)y[a / 3] * (double)sums->inverse[sym[a]][particle % CSPH_BLOCK];
        }
        t->neighbor[t->count] = slot->other[k];
        t->gradient[t->count] = phxi_vec3(g[0], g[1], g[2]);
        t->arm[t->count] = phxi_vec3(x[0], x[1], x[2]);
        t->weight[t->count++] = (double)y[3];
    }
}

// --------------------------------------------------------------------------------------------------------------- steps

void phxi_csph_implicit_destroy(phxi_csph_slot* slot, phxi_heap* heap) {
    phxi_implicit_destroy(slot->implicit);
    phxi_free(heap, slot->turns);
    phxi_free(heap, slot->tangents);
    slot->implicit = NULL;
    slot->turns = NULL;
    slot->tangents = NULL;
}

static int longest_row(const phxi_csph_slot* slot) {
    int longest = 1;
    for (int i = 0; i < slot->count; ++i) {
        int length = slot->start[i + 1] - slot->start[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static phx_result prepare(phxi_step* step, phxi_csph_slot* slot) {
    if (slot->implicit && !phxi_implicit_fits(slot->implicit, slot->begin, slot->count)) {
        phxi_csph_implicit_destroy(slot, step->heap); // the body has moved in memory
    }
    size_t blocks = (size_t)phxi_csph_blocks(slot);
    bool projects = slot->params.tangent == CSPH_PROJECTED;
    if (!slot->turns) {
        slot->turns = phxi_alloc_zero(step->heap, blocks * TURNS, sizeof *slot->turns, "corotated implicit");
    }
    if (!slot->tangents && projects) {
        slot->tangents =
            phxi_alloc_zero(step->heap, blocks * CSPH_TANGENTS, sizeof *slot->tangents, "corotated implicit");
    }
    if (!slot->turns || (!slot->tangents && projects)) {
        return PHX_ERROR_MEMORY;
    }
    return slot->implicit ? PHX_OK
                          : phxi_implicit_create(step->heap, step->particles, slot->begin, slot->count,
                                                 longest_row(slot), true, &slot->implicit);
}

static phxi_operator operator_of(binding* b) {
    return (phxi_operator){.context = b,
                           .stencil_size = longest_row(b->slot),
                           .forces = forces,
                           .energy = energy,
                           .project = project,
                           .knows_stress = knows_stress,
                           .axes = axes,
                           .rotation = rotation,
                           .product = product,
                           .stencil = stencil};
}

static phxi_implicit_choice choice_of(const phxi_csph_params* p) {
    return (phxi_implicit_choice){p->integrator, p->implicit_dt, p->iterations, p->tolerance};
}

static phx_result offer(void* state, phxi_step* step, double dt, phxi_implicit_list* list) {
    phxi_csph* csph = state;
    (void)dt;
    for (int k = 0; k < csph->slots.count; ++k) {
        phxi_csph_slot* slot = &csph->slots.items[k];
        if (!phxi_csph_is_implicit(slot) && !step->statics) {
            continue;
        }
        const phxi_body* body = &step->bodies[slot->body];
        binding* b = phxi_arena_take(step->arena, 1, sizeof *b);
        if (!b) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(prepare(step, slot));
        *b = (binding){.step = step, .slot = slot, .law = body->elastic};
        b->law.law = slot->params.strain == CSPH_GREEN ? PHX_LAW_STVK : PHX_LAW_COROTATED;
        b->law.lambda = phxi_csph_lambda(slot, &body->elastic, phxi_csph_widest(slot));
        phxi_implicit_choice choice = choice_of(&slot->params);
        phxi_implicit_def def = phxi_implicit_chosen(&choice, &body->material);
        phxi_implicit_list_add(list, (phxi_implicit_body){slot->implicit, operator_of(b), def});
    }
    return PHX_OK;
}

static phxi_stiffness stiffness_of(const phxi_csph_slot* slot) {
    phxi_implicit_choice choice = choice_of(&slot->params);
    return (phxi_stiffness){phxi_implicit_length(&choice), slot->params.implicit_dt > 0, slot->rest_dt, CSPH_STEP_COST};
}

static double step_length(void* state, phxi_step* step, int body, char reason[160]) {
    const phxi_csph_slot* slot = phxi_csph_slot_of(state, body);
    if (!phxi_csph_is_implicit(slot)) {
        return 0;
    }
    phxi_stiffness stiffness = stiffness_of(slot);
    phxi_stiffness_reason(&stiffness, slot->params.integrator, slot->automatic, step->bodies[body].name, reason);
    return stiffness.length;
}

const char* phxi_csph_no_energy(const phxi_csph_params* p) {
    return p->mode == CSPH_MEMBERSHIP          ? "mode membership, in which neighbours are lost"
           : p->mode == CSPH_CURRENT           ? "mode current, whose forces have no energy"
           : p->gradient != CSPH_CORRECTED     ? "gradient plain, whose forces have no energy"
           : p->rotation != CSPH_FROM_GRADIENT ? "rotation shape, whose forces have no energy"
           : p->pair_share != 1                ? "a pair_share, which is no law of a material"
                                               : NULL;
}

void phxi_csph_choose(phxi_csph_slot* slot, const phxi_step* step) {
    if (slot->params.integrator == PHXI_AUTOMATIC) {
        phxi_stiffness stiffness = stiffness_of(slot);
        bool pays = !phxi_csph_no_energy(&slot->params) && phxi_stiffness_pays(&stiffness, step, slot->body);
        slot->automatic = true;
        slot->params.integrator = pays ? PHXI_BDF2 : PHXI_LEAPFROG;
    }
}

static bool rests(void* state, const phxi_step* step, int body, char why[160]) {
    const char* what = phxi_csph_no_energy(&phxi_csph_slot_of(state, body)->params);
    (void)step;
    snprintf(why, 160,
             "has %s; a static state needs mode reference, gradient corrected, rotation gradient, pair_share 1",
             what ? what : "");
    return !what;
}

const phxi_implicit_table phxi_csph_implicit = {.dt = step_length, .offer = offer, .rests = rests};
