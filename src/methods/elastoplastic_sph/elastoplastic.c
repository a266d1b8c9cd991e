// SPDX-License-Identifier: MIT
// Elastoplastic SPH after Zhou et al. 2013, total-Lagrangian: gradients by weighted least squares over the neighbours
// at rest, every elastic law, multiplicative plasticity, explicit and implicit steps. Equations:
// docs/theory/elastoplastic_sph.md.
//
// Its sums over pairs are those of efg (methods/efg/efg_internal.h) with another weight, its zero-energy control is the
// hourglass term of efg, its plastic state C_p = F_p^T F_p that of materials/plastic.h: so this is a variant of efg and
// runs its loops. What is here is what differs: the weight, nodes at corners, the reference that never changes, and the
// defaults.
#include "methods/efg/fracture/fracture.h"
#include "methods/efg/plastic.h"

static const char* const tangent_words[] = {"projected", "frozen", NULL};
static const char* const path_words[] = {"auto", "lattice", "rows", NULL};
static const char* const weight_words[] = {"balanced", "plain", NULL};

static const phx_param params[] = {
    PHXI_REAL(phxi_efg_params, support, "", "0", 0, 6,
              "radius h of the weights over the spacing; 0: 1.999 of conforming samples, else 1.7675 "
              "(1.01 times 1.75), or 1.2 on body-centred lattices"),
    PHXI_REAL(phxi_efg_params, hourglass, "", "0.2", 0, 10,
              "zero-energy control, fraction of Young's modulus; without it there are modes that no gradient sees"),
    PHXI_WORD(phxi_efg_params, weights, weight_words, "balanced",
              "points that are no lattice: weights changed so that a uniform stress is at rest, or as published"),
    PHXI_WORD(phxi_efg_params, integrator, phxi_integrator_words, "velocity_verlet",
              "time integration; auto: velocity_verlet, or bdf2 for stiff bodies"),
    PHXI_REAL(phxi_efg_params, implicit_dt, "s", "0", 0, 1e6, "step of implicit integrators; 0: 1/60 s"),
    PHXI_INT(phxi_efg_params, iterations, "0", 0, 10000, "of a linear solve, at most; 0: 6 (bdf2) or 60 (the others)"),
    PHXI_REAL(phxi_efg_params, tolerance, "", "0", 0, 1,
              "of linear solves, and of Newton's method; 0: 0.01 (bdf2) or 1e-4 (the others)"),
    PHXI_WORD(phxi_efg_params, tangent, tangent_words, "projected",
              "of Newton's method: the law's own at every particle, made positive, or that of rest turned along"),
    PHXI_WORD(phxi_efg_params, path, path_words, "auto",
              "how neighbours are summed: by the fast grid where particles lie on a lattice, or by lists"),
};
static const phx_param_table table = {"elastoplastic_sph", "total-Lagrangian SPH: elastic and plastic solids", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_efg_params)};

static const phxi_field_def fields[EFG_FIELD_COUNT] = {EFG_FIELDS("elastoplastic_sph")};
static const phxi_field_def plastic_fields[EFG_PLASTIC_FIELDS] = {EFG_PLASTIC_FIELD_DEFS("elastoplastic_sph")};
static const phxi_efg_variant variant = {"elastoplastic_sph", fields, plastic_fields, PHXI_KERNEL_COSINE, 1.01 * 1.75};

static phx_result create(void* state, phxi_step* step) {
    (void)step;
    ((phxi_efg*)state)->variant = &variant;
    return PHX_OK;
}

/// What its table does not name has the value 0, which is right but for this: weights, neighbours, A and V stay those
/// at creation however far a body flows.
static phx_result add_body(void* state, phxi_step* step, int body) {
    phxi_efg_params* own = step->bodies[body].params;
    own->reset = EFG_RESET_OFF;
    return phxi_efg_add_body(state, step, body);
}

/// All of efg's that have a meaning here: what breaks is left out.
enum { DERIVED_COUNT = EFG_DERIVED_COUNT - 2 };

static const phxi_display_table display = {
    .fields = phxi_efg_derived, .count = DERIVED_COUNT, .derive = phxi_efg_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {
    .word_count = EFG_WORD_COUNT, .words = phxi_efg_words, .restored = phxi_efg_restored};
static const phxi_sampling_table sampling = {.conforming = true, .corners = true};

extern const phxi_method phxi_method_elastoplastic_sph;
const phxi_method phxi_method_elastoplastic_sph = {
    .name = "elastoplastic_sph",
    .summary = "total-Lagrangian SPH: elastic and plastic solids",
    .state_version = 1,
    .motion = PHXI_MOTION_EXPLICIT | PHXI_MOTION_IMPLICIT,
    .fields = fields,
    .field_count = EFG_FIELD_COUNT,
    .params = &table,
    .rails = true,
    .sheet_layers = 1,
    .laws = PHXI_LAW_ELASTIC | PHXI_LAW_YIELD | PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .cost = {800, 180e-9, 0},
    .state_size = sizeof(phxi_efg),
    .create = create,
    .destroy = phxi_efg_destroy,
    .add_body = add_body,
    .stable_dt = phxi_efg_stable_dt,
    .substep = phxi_efg_substep,
    .adapt = phxi_efg_adapt,
    .moved = phxi_efg_moved,
    .grip = phxi_efg_grip,
    .measure = phxi_efg_measure,
    .display = &display,
    .saving = &saving,
    .touch = &phxi_efg_touch,
    .implicit = &phxi_efg_implicit,
    .sampling = &sampling,
};
