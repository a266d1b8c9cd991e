// SPDX-License-Identifier: MIT
// Parameters, fields and bodies of the method, and its table.
#include "methods/peridynamics/breaking.h"
#include "methods/peridynamics/flow.h"
#include "methods/peridynamics/state.h"
#include "methods/peridynamics/twist.h"

#define FRAME_HELP  "of rods: the director of the segment that begins here, across it"
#define STRAIN_HELP "plastic strain of bodies that yield, in the frame of their bonds"
const phxi_field_def phxi_peri_fields[PERI_FIELD_COUNT] = {
    {"peridynamics.plastic", "", "accumulated plastic strain", PHXI_FIELD_REAL, true},
    {"peridynamics.opening", "", "how far grains have opened, volume", PHXI_FIELD_REAL, true},
    {"peridynamics.p_xx", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.p_yy", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.p_zz", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.p_xy", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.p_xz", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.p_yz", "", STRAIN_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.frame_x", "", FRAME_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.frame_y", "", FRAME_HELP, PHXI_FIELD_REAL, true},
    {"peridynamics.frame_z", "", FRAME_HELP, PHXI_FIELD_REAL, true},
};

static const char* const model_words[] = {"state", "bond", NULL};
const char* const phxi_peri_integrator_words[] = {"projective", "bdf2", "implicit_euler", NULL};

static const char* const spin_words[] = {"kept", "fades", NULL};
static const char* const start_words[] = {"rest", "random", "mirrored", "flat", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_peri_params, model, model_words, "state",
              "state: bonds know the rotation and mean stretch of their neighbourhood, both moduli are right; bond: "
              "springs as in the tutorial, Poisson ratio 1/4 whatever the material says"),
    PHXI_REAL(phxi_peri_params, horizon, "", "1.8", 1.01, 4, "how far bonds reach, over the spacing"),
    PHXI_REAL(phxi_peri_params, hourglass, "", "-1", -1, 1,
              "elastic solids by model state: stiffness against what the mean deformation of a neighbourhood does not "
              "see, fraction of the shear stiffness of bonds; 1: as published; -1: 0.3 of conforming samples, else 1"),
    PHXI_WORD(phxi_peri_params, integrator, phxi_peri_integrator_words, "projective",
              "projective: backward Euler, local and global steps in turn, takes everything; bdf2: second order, keeps "
              "spin and swing; implicit_euler: backward Euler by Newton's method"),
    PHXI_WORD(phxi_peri_params, spin, spin_words, "kept",
              "angular momentum of bodies that fly free under projective; kept: exact; fades: as backward Euler leaves "
              "it, of turns of 5 degrees a step half is left after 90 steps"),
    PHXI_REAL(phxi_peri_params, implicit_dt, "s", "0", 0, 1, "step; 0: 1/60 s"),
    PHXI_INT(
        phxi_peri_params, outer, "0", 0, 10000,
        "local and global steps of a projective step; 0: 2 to 5, the stiffer the more, and one more if hourglass is "
        "below 1"),
    PHXI_WORD(phxi_peri_params, solver, phxi_linear_solver_words, "pcg",
              "of the global step of projective; jacobi and chebyshev soften bodies unless they get many iterations"),
    PHXI_INT(phxi_peri_params, iterations, "0", 0, 100000,
             "of a linear solve, at most; 0: 30 (projective; 200 of sheets and rods), 6 (bdf2), 60 (implicit_euler)"),
    PHXI_REAL(phxi_peri_params, tolerance, "", "0", 0, 1,
              "of linear solves; 0: 0.01, 1e-3 of sheets and rods, 1e-4 (implicit_euler)"),
    PHXI_WORD(
        phxi_peri_params, start, start_words, "rest",
        "where particles begin: at rest, or, to see a body find its shape again, anywhere in its bounds, mirrored "
        "left to right, pressed flat"),
    PHXI_REAL(phxi_peri_params, thickness, "m", "0", 0, 1000,
              "of a sheet of one layer of particles, or the side of a rod of one line; 0: the spacing"),
    PHXI_REAL(phxi_peri_params, radius, "m", "0", 0, 1000, "of a rod of one line of particles; 0: it is square"),
    PHXI_BOOL(phxi_peri_params, breaks, "true", "bonds break if the material has a strength or ductile_strain"),
};

static const phx_param_table table = {"peridynamics",
                                      "projective peridynamics: solids that spring back, flow or break, sheets, rods",
                                      params, sizeof params / sizeof params[0], sizeof(phxi_peri_params)};

static phx_result create(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_peri* peri = state;
    for (int k = 0; k < peri->slots.count; ++k) {
        phxi_peri_release(step->heap, &peri->slots.items[k]);
    }
    phxi_array_destroy(&peri->slots, step->heap);
}

phxi_peri_slot* phxi_peri_slot_of(phxi_peri* peri, int body) {
    for (int k = 0; k < peri->slots.count; ++k) {
        if (peri->slots.items[k].body == body) {
            return &peri->slots.items[k];
        }
    }
    return NULL;
}

static phx_result check(const phxi_body* body) {
    const phxi_peri_params* own = body->params;
    if (own->model == PERI_BOND && own->integrator != PERI_PROJECTIVE) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "integrator is %s, expected projective: model bond has no energy that others could follow",
                         phxi_peri_integrator_words[own->integrator]);
    }
    if (own->solver != PHXI_SOLVER_PCG && own->integrator != PERI_PROJECTIVE) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "solver is %s, expected pcg: others are for integrator projective",
                         phxi_linear_solver_words[own->solver]);
    }
    if (phxi_yield_is(&body->material) && (own->model == PERI_BOND || own->integrator != PERI_PROJECTIVE)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "the material yields and %s is %s, expected %s: yield 0, friction_angle 0 and cohesion 0 make "
                         "it elastic",
                         own->model == PERI_BOND ? "model" : "integrator",
                         own->model == PERI_BOND ? "bond" : phxi_peri_integrator_words[own->integrator],
                         own->model == PERI_BOND ? "state" : "projective");
    }
    if (own->model == PERI_BOND && body->expands) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the material has an expansion, which model bond does not know; expected "
                                             "model state, or expansion: 0");
    }
    if (own->start != PERI_AT_REST && own->breaks && phxi_peri_is_weak(&body->material)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "start is %s, expected rest or breaks: false: the material has a strength, and bonds that "
                         "begin far from rest would all break",
                         start_words[own->start]);
    }
    if (own->start != PERI_AT_REST && phxi_yield_is(&body->material)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "start is %s, expected rest: the material yields, and would flow instead of finding back",
                         start_words[own->start]);
    }
    return PHX_OK;
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_peri* peri = state;
    PHXI_TRY(check(&step->bodies[index]));
    phxi_peri_slot slot;
    PHXI_TRY(phxi_peri_build(step, index, &slot));
    phxi_peri_slot* place = phxi_array_add(&peri->slots, step->heap, "peridynamics");
    if (!place) {
        phxi_peri_release(step->heap, &slot);
        return PHX_ERROR_MEMORY;
    }
    *place = slot;
    phxi_peri_begin(step, place);
    if (place->thin && place->thin->twist) {
        phxi_peri_start_twist(step, place);
    }
    return PHX_OK;
}

static void moved(void* state, phxi_step* step) {
    phxi_peri* peri = state;
    for (int k = 0; k < peri->slots.count; ++k) {
        peri->slots.items[k].begin = step->bodies[peri->slots.items[k].body].begin;
    }
}

/// Implicit steps are stable at any size.
static double stable_dt(void* state, phxi_step* step, char reason[160]) {
    (void)state, (void)step;
    reason[0] = 0;
    return INFINITY;
}

// --------------------------------------------------------------------------------------------------------------- bonds

int phxi_peri_find_bond(const phxi_peri_slot* slot, int i, int j) {
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        if (slot->other[k] == j) {
            return k;
        }
    }
    return -1;
}

static phx_result adapt(void* state, phxi_step* step, double dt) {
    phxi_peri* peri = state;
    for (int k = 0; k < peri->slots.count; ++k) {
        phxi_peri_slot* slot = &peri->slots.items[k];
        if (slot->flow) {
            phxi_peri_flow_update(step, slot, dt);
            PHXI_TRY(phxi_peri_flow_lists(step, slot));
        }
        if (slot->breaking) {
            PHXI_TRY(phxi_peri_break(step, slot));
        }
    }
    return PHX_OK;
}

/// What flows and cannot break bonds with whatever of itself it meets. Pairs that broke nearer than usual do not spring
/// apart.
static void bonds(const void* state, const phxi_step* step, int body, phxi_bond_view* view) {
    const phxi_peri_slot* slot = phxi_peri_slot_of((phxi_peri*)state, body);
    bool merges = slot->flow && !slot->flow->steady;
    (void)step;
    *view = (phxi_bond_view){.start = slot->start,
                             .other = slot->other,
                             .layer = merges ? 0 : 1,
                             .rest_nearer = slot->breaking,
                             .version = slot->breaking ? (uint32_t)slot->breaking->broken : 0};
}

static const phxi_display_table display = {
    .fields = phxi_peri_derived, .count = PERI_DERIVED_COUNT, .derive = phxi_peri_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {.pack = phxi_peri_pack, .unpack = phxi_peri_unpack};
static const phxi_touch_table touch = {.bonds = bonds};
static const phxi_sampling_table sampling = {.conforming = true};

extern const phxi_method phxi_method_peridynamics;
const phxi_method phxi_method_peridynamics = {
    .name = "peridynamics",
    .summary = "projective peridynamics: elastic, plastic and brittle solids, sheets and rods in implicit steps",
    .state_version = 4,
    .motion = PHXI_MOTION_IMPLICIT,
    .fields = phxi_peri_fields,
    .field_count = PERI_FIELD_COUNT,
    .params = &table,
    .rails = true,
    .sheet_layers = 1,
    .sheet_is_free = true,
    .laws = PHXI_LAW_ELASTIC | PHXI_LAW_YIELD | PHXI_LAW_GRAINS | PHXI_LAW_STRENGTH | PHXI_LAW_DUCTILE |
            PHXI_LAW_SOFTEN | PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .cost = {3200, 14e-6, 1.0 / 60},
    .state_size = sizeof(phxi_peri),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = stable_dt,
    .adapt = adapt,
    .moved = moved,
    .grip = phxi_peri_grip,
    .measure = phxi_peri_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .sampling = &sampling,
    .implicit = &phxi_peri_implicit,
};
