// SPDX-License-Identifier: MIT
// Finite elements on the lattice of a body's cells, total-Lagrangian: the reference that particle methods are compared
// with. Parameters, the order of stages, the method's table; implicit steps: implicit.c. Equations: docs/theory/fem.md.
#include "methods/fem/fem_internal.h"

static const char* const element_words[] = {"hexahedra", "tetrahedra", NULL};
static const char* const tangent_words[] = {"projected", "frozen", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_fem_params, element, element_words, "hexahedra",
              "trilinear hexahedra with eight points each, or six linear tetrahedra a cell (stiffer)"),
    PHXI_WORD(phxi_fem_params, integrator, phxi_integrator_words, "velocity_verlet", "all but auto"),
    PHXI_REAL(phxi_fem_params, implicit_dt, "s", "0", 0, 1e6, "step of implicit integrators; 0: 1/60 s"),
    PHXI_INT(phxi_fem_params, iterations, "0", 0, 10000, "of a linear solve, at most; 0: 6 (bdf2) or 60 (the others)"),
    PHXI_REAL(phxi_fem_params, tolerance, "", "0", 0, 1,
              "of linear solves, and of Newton's method; 0: 0.01 (bdf2) or 1e-4 (the others)"),
    PHXI_WORD(phxi_fem_params, tangent, tangent_words, "projected",
              "of Newton's method: the law's own at every point, made positive, or that of rest turned along"),
};
static const phx_param_table table = {"fem", "finite elements on a lattice: elastic solids, for comparison", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_fem_params)};

// -------------------------------------------------------------------------------------------------------------- bodies

static phx_result create(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_fem* fem = state;
    for (int k = 0; k < fem->slots.count; ++k) {
        phxi_fem_implicit_destroy(&fem->slots.items[k], step->heap);
        phxi_fem_release(step->heap, &fem->slots.items[k]);
    }
    phxi_array_destroy(&fem->slots, step->heap);
}

phxi_fem_slot* phxi_fem_slot_of(phxi_fem* fem, int body) {
    for (int k = 0; k < fem->slots.count; ++k) {
        if (fem->slots.items[k].body == body) {
            return &fem->slots.items[k];
        }
    }
    return NULL;
}

static phx_result add_body(void* state, phxi_step* step, int body) {
    phxi_fem* fem = state;
    phxi_fem_slot slot;
    const phxi_fem_params* own = step->bodies[body].params;
    if (own->integrator == PHXI_AUTOMATIC) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "integrator is auto, expected an explicit one, bdf2, implicit_euler or "
                                             "trapezoid: fem does not choose by itself");
    }
    if (!phxi_array_reserve(&fem->slots, 1, step->heap, "fem bodies")) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_fem_build(step, body, &slot));
    fem->slots.items[fem->slots.count++] = slot;
    return PHX_OK;
}

static void moved(void* state, phxi_step* step) {
    phxi_fem* fem = state;
    for (int k = 0; k < fem->slots.count; ++k) {
        fem->slots.items[k].begin = step->bodies[fem->slots.items[k].body].begin;
    }
}

// ------------------------------------------------------------------------------------------------------------- substep

typedef struct stage {
    phxi_step* step;
    phxi_fem_slot* slot;
    phxi_explicit scheme;
} stage;

static void drift_block(void* context, int begin, int end, int block) {
    const stage* s = context;
    phxi_explicit_drift(&s->scheme, s->slot->begin + begin, s->slot->begin + end);
    phxi_fem_fill(s->step, s->slot, block);
}

static void stress_block(void* context, int begin, int end, int block) {
    const stage* s = context;
    (void)begin, (void)end;
    phxi_fem_block b;
    phxi_fem_stress(s->slot, &s->step->bodies[s->slot->body].elastic, block, false, &b);
    phxi_fem_corner_forces(s->slot, block, &b);
}

static void kick_block(void* context, int begin, int end, int block) {
    const stage* s = context;
    int first = s->slot->begin + begin;
    phx_real* const* a = s->scheme.particles->acceleration;
    _Alignas(64) phx_real force[3][FEM_NODES];
    phxi_fem_gather(s->slot, block, force);
    s->slot->found[block].bad = !phxi_frame_accelerate(
        &s->slot->frame.rotation, (const phx_real* const[3]){force[0], force[1], force[2]},
        s->step->particles->mass + first, end - begin, (phx_real* const[3]){a[0] + first, a[1] + first, a[2] + first});
    phxi_explicit_kick(&s->scheme, first, s->slot->begin + end);
}

static void find_trouble(const stage* s, phxi_trouble* trouble) {
    phx_real* const* a = s->scheme.particles->acceleration;
    for (int b = 0; b < phxi_fem_node_blocks(s->slot) && trouble->particle < 0; ++b) {
        for (int i = b * FEM_NODES; s->slot->found[b].bad && i < s->slot->count && trouble->particle < 0; ++i) {
            int at = s->slot->begin + i;
            if (!phxi_finite(phxi_vec3(a[0][at], a[1][at], a[2][at]))) {
                *trouble = (phxi_trouble){at, "internal forces"};
            }
        }
    }
}

static phx_result advance(stage* s, double damping) {
    phxi_step* step = s->step;
    phxi_fem_slot* slot = s->slot;
    if (damping > 0 && s->scheme.kind != PHXI_DAMPED_VERLET) {
        PHXI_TRY(phxi_rigid_damp_body(step->pool, step->arena, step->particles, exp(-damping * s->scheme.dt),
                                      slot->begin, slot->count));
    }
    phxi_fem_fit(step->particles, slot, s->scheme.dt);
    phxi_parallel_for(step->pool, slot->count, FEM_NODES, drift_block, s);
    phxi_parallel_for(step->pool, slot->cell_count, FEM_CELLS, stress_block, s);
    phxi_parallel_for(step->pool, slot->count, FEM_NODES, kick_block, s);
    return PHX_OK;
}

static phx_result substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_fem* fem = state;
    *trouble = (phxi_trouble){.particle = -1};
    for (int k = 0; k < fem->slots.count; ++k) {
        phxi_fem_slot* slot = &fem->slots.items[k];
        double damping = step->bodies[slot->body].material.damping;
        if (phxi_implicit_is(slot->params.integrator)) {
            continue;
        }
        stage s = {step, slot, {.dt = dt, .last_dt = fem->words[FEM_WORD_LAST_DT], .gravity = step->gravity}};
        s.scheme.particles = step->particles;
        s.scheme.kind = (phxi_integrator)slot->params.integrator;
        s.scheme.damping = damping;
        PHXI_TRY(advance(&s, damping));
        find_trouble(&s, trouble);
    }
    fem->words[FEM_WORD_LAST_DT] = dt;
    return PHX_OK;
}

static double* words(void* state) {
    return ((phxi_fem*)state)->words;
}

// ------------------------------------------------------------------------------------------------------------- contact

/// Elements do not touch those of their own body.
static void bonds(const void* state, const phxi_step* step, int body, phxi_bond_view* view) {
    const phxi_fem_slot* slot = phxi_fem_slot_of((phxi_fem*)state, body);
    (void)step;
    *view = (phxi_bond_view){.start = slot->bond_start, .other = slot->bond_other};
}

static const phxi_display_table display = {
    .fields = phxi_fem_derived, .count = FEM_DERIVED_COUNT, .derive = phxi_fem_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {.word_count = FEM_WORD_COUNT, .words = words};
static const phxi_touch_table touch = {.bonds = bonds};
static const phxi_sampling_table sampling = {.corners = true};

extern const phxi_method phxi_method_fem;
const phxi_method phxi_method_fem = {
    .name = "fem",
    .summary = "finite elements on a lattice: elastic solids, for comparison",
    .state_version = 2,
    .motion = PHXI_MOTION_EXPLICIT | PHXI_MOTION_IMPLICIT,
    .params = &table,
    .rails = true,
    .sheet_layers = 2,
    .laws = PHXI_LAW_ELASTIC | PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .cost = {700, 2e-6, 0},
    .state_size = sizeof(phxi_fem),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = phxi_fem_stable_dt,
    .substep = substep,
    .moved = moved,
    .measure = phxi_fem_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .implicit = &phxi_fem_implicit,
    .sampling = &sampling,
};
