// SPDX-License-Identifier: MIT
// Parameters, fields and bodies of the method, and its table.
#include "core/log.h"
#include "methods/mpm/mpm_internal.h"

#include <string.h>

#define MPM_REAL(name, unit, help)                                                                                     \
    { "mpm." name, unit, help, PHXI_FIELD_REAL, true }

const phxi_field_def phxi_mpm_fields[MPM_FIELD_COUNT] = {
    MPM_REAL("g_xx", "", "elastic deformation gradient less one"),
    MPM_REAL("g_xy", "", "elastic deformation gradient less one"),
    MPM_REAL("g_xz", "", "elastic deformation gradient less one"),
    MPM_REAL("g_yx", "", "elastic deformation gradient less one"),
    MPM_REAL("g_yy", "", "elastic deformation gradient less one"),
    MPM_REAL("g_yz", "", "elastic deformation gradient less one"),
    MPM_REAL("g_zx", "", "elastic deformation gradient less one"),
    MPM_REAL("g_zy", "", "elastic deformation gradient less one"),
    MPM_REAL("g_zz", "", "elastic deformation gradient less one"),
    MPM_REAL("c_xx", "1/s", "gradient of velocity: the affine part of what it carries"),
    MPM_REAL("c_xy", "1/s", "gradient of velocity"),
    MPM_REAL("c_xz", "1/s", "gradient of velocity"),
    MPM_REAL("c_yx", "1/s", "gradient of velocity"),
    MPM_REAL("c_yy", "1/s", "gradient of velocity"),
    MPM_REAL("c_yz", "1/s", "gradient of velocity"),
    MPM_REAL("c_zx", "1/s", "gradient of velocity"),
    MPM_REAL("c_zy", "1/s", "gradient of velocity"),
    MPM_REAL("c_zz", "1/s", "gradient of velocity"),
    MPM_REAL("plastic", "", "accumulated plastic strain"),
    MPM_REAL("opening", "", "of grains and fluids that were pulled apart; of snow, volume by packing less one"),
    {"mpm.place", "", "block and first node when blocks were last found", PHXI_FIELD_UINT64, true},
};

static const char* const kernel_words[] = {"cubic", "quadratic", NULL};
static const char* const transfer_words[] = {"apic", "flip", "pic", NULL};
static const char* const order_words[] = {"auto", "first", "second", NULL};
static const char* const boundary_words[] = {"friction", "separate", "slip", "sticky", "mirror", NULL};

static const char* const phase_words[] = {"auto", "solid", "fluid", NULL};
static const char* const volume_words[] = {"followed", "kept", NULL};
static const char* const viscous_words[] = {"strain", "implicit", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_mpm_params, kernel, kernel_words, "cubic",
              "B-spline between particles and grid; quadratic: a third cheaper, a little coarser"),
    PHXI_WORD(phxi_mpm_params, transfer, transfer_words, "apic",
              "apic: affine, conserves angular momentum; flip: keeps most energy, noisy; pic: keeps least"),
    PHXI_REAL(phxi_mpm_params, blend, "", "0.95", 0, 1, "share of flip, the rest is pic"),
    PHXI_WORD(phxi_mpm_params, order, order_words, "auto",
              "of apic; first: as published, motion of a few cells is damped by the substep; second: what the transfer "
              "smooths away is given back once, which leaves next to no damping and costs twice as much; auto: second "
              "for grains"),
    PHXI_REAL(phxi_mpm_params, cell, "", "2", 1, 8, "edge of the cells of the grid over the spacing of particles"),
    PHXI_REAL(phxi_mpm_params, courant, "", "0", 0, 1,
              "cells that sound, or the fastest particle, goes in the largest substep; 0: 0.8, or 0.4 with fluids, "
              "grains or flip"),
    PHXI_WORD(phxi_mpm_params, boundary, boundary_words, "friction",
              "at colliders; friction: by their coefficient; separate: none; slip: not to be left; sticky: not to be "
              "moved along; mirror: planes across an axis are planes of symmetry"),
    PHXI_WORD(phxi_mpm_params, phase, phase_words, "auto",
              "auto: fluid if the material is, or if it melts and its flow is not newtonian"),
    PHXI_REAL(phxi_mpm_params, sound_speed, "m/s", "0", 0, 1e9,
              "of fluids as they are simulated; 0: ten times the largest speed that is to be expected"),
    PHXI_WORD(phxi_mpm_params, viscous, viscous_words, "strain",
              "shear stress of fluids; strain: of an elastic strain that flows away, at no cost, but inertia swings "
              "where viscosity over density is not small against sound speed times size; implicit: of the velocity at "
              "the end of the substep, by a linear solve on the grid"),
    PHXI_WORD(phxi_mpm_params, volume, volume_words, "kept",
              "of fluids; followed: by the gradient of velocity alone, which lets them pack; kept: where there is more "
              "than a full cell of them, pressure makes room"),
    PHXI_REAL(
        phxi_mpm_params, implicit, "", "0", 0, 1000,
        "substeps are this many times those that sound allows, by a linear solve on the grid (backward Euler); 0: "
        "explicit"),
};
static const phx_param_table table = {"mpm", "material point method: elastic and plastic solids, sand, snow, fluids",
                                      params, sizeof params / sizeof params[0], sizeof(phxi_mpm_params)};

static phx_result create(void* state, phxi_step* step) {
    phxi_mpm* s = state;
    s->heap = step->heap;
    s->placed = true;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_mpm* s = state;
    (void)step;
    if (s->heap) {
        phxi_mpm_release(s);
    }
}

// ------------------------------------------------------------------------------------------------------------- bodies

/// All bodies of a world stand on one grid: what they say of it must be the same.
static phx_result check_shared(const phxi_mpm* s, const phxi_step* step, const phxi_body* body, double h) {
    const phxi_body* first = &step->bodies[step->own[0]];
    for (int k = 0; k < table.count; ++k) {
        const phx_param* param = &table.params[k];
        bool own = strcmp(param->name, "cell") == 0 || strcmp(param->name, "phase") == 0 ||
                   strcmp(param->name, "sound_speed") == 0;
        if (!own && !phxi_param_same(param, first->params, body->params)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "%s differs from that of body '%s': bodies of one grid share it",
                             param->name, first->name);
        }
    }
    if (step->own_count > 1 && fabs(h - s->h) > 1e-6 * s->h) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "cell is %g, which makes cells of %g m, but body '%s' has cells of %g m and all share one "
                         "grid: expected cell %g",
                         phxi_mpm_params_of(body)->cell, h, first->name, s->h,
                         phxi_mpm_params_of(body)->cell * s->h / h);
    }
    return PHX_OK;
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_mpm* s = state;
    const phxi_body* body = &step->bodies[index];
    const phxi_particles* p = step->particles;
    double spacing = 0, lightest = INFINITY;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        spacing = fmax(spacing, (double)p->spacing[i]);
        lightest = fmin(lightest, (double)p->mass[i]);
    }
    const double h = spacing * phxi_mpm_params_of(body)->cell;
    if (step->period.x > 0 || step->period.y > 0 || step->period.z > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the world has a period, expected none: the grid of mpm does not repeat");
    }
    PHXI_TRY(phxi_mpm_check_material(body));
    PHXI_TRY(check_shared(s, step, body, h));
    PHXI_TRY(phxi_mpm_reserve_materials(s, index));
    if (step->own_count == 1) {
        s->h = h;
        s->mass_unit = lightest;
    }
    s->mass_unit = fmin(s->mass_unit, lightest);
    s->params = step->bodies[step->own[0]].params;
    s->settled = false;
    if (s->params->implicit > 0 && body->material.friction_angle > 0) {
        phxi_log(step->log, PHX_LOG_WARNING,
                 "body '%s': implicit steps of mpm hold grains together: sand runs a tenth to a quarter as far as it "
                 "should; implicit: 0 lets it run",
                 body->name);
    }
    return phxi_mpm_sort_body(s, step, index);
}

/// Everything is rebuilt from saved fields.
static phx_result restored(void* state, phxi_step* step) {
    phxi_mpm* s = state;
    (void)step;
    s->settled = false;
    return PHX_OK;
}

static void moved(void* state, phxi_step* step) {
    phxi_mpm* s = state;
    s->params = step->own_count > 0 ? step->bodies[step->own[0]].params : NULL;
    s->settled = false;
}

static double* words(void* state) {
    return ((phxi_mpm*)state)->words;
}

static const phxi_display_table display = {
    .fields = phxi_mpm_derived, .count = MPM_DERIVED_COUNT, .derive = phxi_mpm_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {.word_count = MPM_WORD_COUNT, .words = words, .restored = restored};
static const phxi_touch_table touch = {
    .family = PHXI_FAMILY_GRID, .meets_colliders = true, .modulus = phxi_mpm_modulus};

extern const phxi_method phxi_method_mpm;
const phxi_method phxi_method_mpm = {
    .name = "mpm",
    .summary = "material point method: solids, dough, metal, sand, snow and fluids on one grid",
    .state_version = 2,
    .motion = PHXI_MOTION_LOW | PHXI_MOTION_ACCELERATION,
    .fields = phxi_mpm_fields,
    .field_count = MPM_FIELD_COUNT,
    .params = &table,
    .laws = PHXI_LAW_ELASTIC | PHXI_LAW_YIELD | PHXI_LAW_GRAINS | PHXI_LAW_SNOW | PHXI_LAW_FLUID | PHXI_LAW_MELT |
            PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .made_for = PHXI_LAW_SNOW,
    .cost = {500, 100e-9, 0},
    .state_size = sizeof(phxi_mpm),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = phxi_mpm_stable_dt,
    .substep = phxi_mpm_substep,
    .moved = moved,
    .measure = phxi_mpm_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
};
