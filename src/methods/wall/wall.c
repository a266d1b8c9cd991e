// SPDX-License-Identifier: MIT
// Walls: the variant of `rigid` all of whose bodies are kinematic. What is here is what differs: that word, and its
// settings without those of bodies that forces move.
#include "methods/rigid/rigid_internal.h"

static const phx_param_table table = {"wall", "bodies that fluids flow along, moved by drivers alone",
                                      phxi_rigid_param_list + PHXI_RIGID_OWN_PARAMS, PHXI_RIGID_WALL_PARAMS,
                                      sizeof(phxi_rigid_params)};
static const phxi_field_def fields[PHXI_RIGID_WALL_FIELDS] = {PHXI_RIGID_WALL_FIELD_DEFS("wall")};

static phx_result create(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    s->heap = step->heap;
    s->fields = fields;
    s->field_count = PHXI_RIGID_WALL_FIELDS;
    return PHX_OK;
}

static phx_result substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    (void)dt, (void)trouble;
    return phxi_kinematic_substep(state, step);
}

static void derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    phxi_rigid_derive(state, step, body, PHXI_RIGID_SHOWN + field, values);
}

static const phxi_display_table display = {
    .fields = phxi_rigid_derived + PHXI_RIGID_SHOWN, .count = PHXI_RIGID_WALL_SHOWN, .derive = derive};
static const phxi_saving_table saving = {.word_count = 1, .words = phxi_rigid_words, .restored = phxi_rigid_restored};
static const phxi_touch_table touch = {.family = PHXI_FAMILY_FLUID,
                                       .kinematic = true,
                                       .rigid = phxi_rigid_describe,
                                       .contact_mass = phxi_rigid_contact_mass};

extern const phxi_method phxi_method_wall;
const phxi_method phxi_method_wall = {
    .name = "wall",
    .summary = "walls of fluids: any shape or mesh, moved by drivers alone",
    .state_version = 1,
    .motion = PHXI_MOTION_ACCELERATION, // force of fluids by mass
    .fields = fields,
    .field_count = PHXI_RIGID_WALL_FIELDS,
    .params = &table,
    .laws = PHXI_LAWS_SHAPE_KEPT,
    .cost = {200, 10e-9, 1},
    .state_size = sizeof(phxi_rigid_solver),
    .create = create,
    .destroy = phxi_rigid_destroy,
    .add_body = phxi_rigid_add_body,
    .stable_dt = phxi_rigid_stable_dt,
    .substep = substep,
    .measure = phxi_rigid_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .space = &phxi_kinematic_space,
    .boundary = &phxi_kinematic_boundary,
    .sampling = &phxi_rigid_sampling,
};
