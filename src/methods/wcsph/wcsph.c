// SPDX-License-Identifier: MIT
// Parameters, fields and bodies of the method, and its table.
#include "methods/wcsph/wcsph_internal.h"

#include <string.h>

const phxi_field_def phxi_wcsph_fields[WCSPH_FIELD_COUNT] = {
    {"wcsph.compression", "", "density over that at rest, less one", PHXI_FIELD_REAL, true},
    {"wcsph.viscosity", "Pa s", "viscosity", PHXI_FIELD_REAL, true},
    {"wcsph.shear_rate", "1/s", "shear rate", PHXI_FIELD_REAL, true},
};

static const char* const density_words[] = {"continuity", "summation", NULL};
static const char* const equation_words[] = {"linear", "tait", NULL};
static const char* const form_words[] = {"angular", "morris", "stress", NULL};
static const char* const viscosity_words[] = {"auto", "explicit", "implicit", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_wcsph_params, kernel, phxi_sph_kernel_words, "quintic",
              "quintic: support of 3 spacings; cubic: 2, cheaper and coarser"),
    PHXI_WORD(phxi_wcsph_params, density, density_words, "continuity",
              "continuity: advanced by the divergence of velocity; summation: from where the neighbours are"),
    PHXI_WORD(phxi_wcsph_params, equation, equation_words, "linear",
              "pressure from density: linear c^2 (rho - rho_0), or tait's with the power 7; never below zero"),
    PHXI_REAL(phxi_wcsph_params, sound_speed, "m/s", "0", 0, 1e9,
              "of the fluid as it is simulated; 0: ten times the largest speed that is to be expected, less while it "
              "is slow"),
    PHXI_WORD(phxi_wcsph_params, form, form_words, "angular",
              "of viscosity; angular: conserves angular momentum; morris: most accurate in channels; stress: by its "
              "divergence, explicit steps only"),
    PHXI_WORD(phxi_wcsph_params, viscosity, viscosity_words, "auto",
              "steps of viscosity: explicit, implicit, or implicit where that is faster"),
    PHXI_REAL(phxi_wcsph_params, alpha, "", "0.1", 0, 10, "artificial viscosity of what approaches"),
    PHXI_REAL(phxi_wcsph_params, xsph, "", "0.3", 0, 1, "share of the neighbours' velocity that particles move with"),
    PHXI_REAL(phxi_wcsph_params, delta, "", "0.1", 0, 1, "diffusion of density; continuity"),
    PHXI_REAL(phxi_wcsph_params, floor, "", "0.99", 0, 1, "least density, as a share of that at rest"),
    PHXI_POSITIVE(phxi_wcsph_params, tolerance, "", "1e-4", 1, "of implicit viscosity"),
};
static const phx_param_table table = {"wcsph", "weakly compressible SPH: fluids", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_wcsph_params)};

static phx_result create(void* state, phxi_step* step) {
    phxi_wcsph* s = state;
    s->heap = step->heap;
    s->known = s->chosen_for = -1;
    s->slack = 1;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_wcsph* s = state;
    if (s->heap) {
        phxi_wcsph_release(s);
        phxi_array_destroy(&s->fluids, step->heap);
        phxi_array_destroy(&s->bodies, step->heap);
    }
}

static double reach(const phxi_body* body) {
    return phxi_sph_support(phxi_wcsph_params_of(body)->kernel);
}

static double list_radius(const phxi_body* body) {
    return phxi_sph_list_radius(phxi_wcsph_params_of(body)->kernel);
}

// ------------------------------------------------------------------------------------------------------------- bodies

/// All fluids of a world are advanced together: what the loops over pairs take must be the same for all.
static phx_result check_shared(const phxi_wcsph* s, const phxi_step* step, const phxi_body* body) {
    const phxi_body* first = &step->bodies[step->own[0]];
    (void)s;
    for (int k = 0; k < table.count; ++k) {
        const phx_param* param = &table.params[k];
        if (strcmp(param->name, "equation") == 0 || strcmp(param->name, "sound_speed") == 0) {
            continue;
        }
        if (!phxi_param_same(param, first->params, body->params)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "%s differs from that of body '%s': fluids of one world share it",
                             param->name, first->name);
        }
    }
    return PHX_OK;
}

static phx_result check(const phxi_wcsph* s, const phxi_step* step, const phxi_body* body) {
    const phxi_wcsph_params* own = phxi_wcsph_params_of(body);
    PHXI_TRY(phxi_rheology_check(&body->material));
    PHXI_TRY(check_shared(s, step, body));
    if (own->form == WCSPH_STRESS && own->viscosity == WCSPH_IMPLICIT) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "viscosity is implicit, which form stress does not have; expected angular or "
                         "morris");
    }
    const phxi_particles* p = step->particles;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (!isfinite((double)p->temperature[i])) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "temperature of a particle is %g degrees C, expected a finite one",
                             (double)p->temperature[i]);
        }
    }
    return PHX_OK;
}

/// Cells that the surface has cut hold less; in a fluid they move about and are to be equal.
static void share_volume(phxi_particles* p, const phxi_body* body) {
    double volume = 0;
    bool same = true;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        volume += (double)p->volume[i];
        same = same && p->spacing[i] == p->spacing[body->begin];
    }
    volume /= body->count;
    for (int i = body->begin; same && i < body->begin + body->count; ++i) {
        p->volume[i] = (phx_real)volume;
        p->mass[i] = (phx_real)(volume * body->material.density);
    }
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_wcsph* s = state;
    const phxi_body* body = &step->bodies[index];
    phxi_particles* p = step->particles;
    PHXI_TRY(check(s, step, body));
    phxi_wcsph_fluid* fluid = phxi_array_add(&s->fluids, step->heap, "wcsph");
    if (!fluid) {
        return PHX_ERROR_MEMORY;
    }
    *fluid = (phxi_wcsph_fluid){index, phxi_rheology_from(&body->material), body->material.flow != PHX_FLOW_NEWTONIAN};
    s->params = step->bodies[step->own[0]].params;
    share_volume(p, body);
    phx_real *rate = phxi_wcsph_field(step, WCSPH_SHEAR_RATE), *viscosity = phxi_wcsph_field(step, WCSPH_VISCOSITY);
    phxi_viscosity_batch(&fluid->rheology, body->count, rate + body->begin, p->temperature + body->begin,
                         viscosity + body->begin);
    return PHX_OK;
}

/// Everything is rebuilt from saved fields and words.
static phx_result restored(void* state, phxi_step* step) {
    phxi_wcsph* s = state;
    (void)step;
    s->known = s->chosen_for = -1;
    return PHX_OK;
}

static double* words(void* state) {
    return ((phxi_wcsph*)state)->words;
}

static const phxi_display_table display = {
    .fields = phxi_wcsph_derived, .count = WCSPH_DERIVED_COUNT, .derive = phxi_wcsph_derive};
static const phxi_saving_table saving = {.word_count = WCSPH_WORD_COUNT, .words = words, .restored = restored};
static const phxi_touch_table touch = {
    .family = PHXI_FAMILY_FLUID, .modulus = phxi_wcsph_modulus, .contact_slack = phxi_wcsph_contact_slack};
static const phxi_space_table space = {.reach = reach, .list_radius = list_radius};

extern const phxi_method phxi_method_wcsph;
const phxi_method phxi_method_wcsph = {
    .name = "wcsph",
    .summary = "weakly compressible SPH: fluids, thick and thin, that freeze and melt",
    .state_version = 2,
    .motion = PHXI_MOTION_LOW | PHXI_MOTION_ACCELERATION | PHXI_MOTION_EXTERNAL,
    .fields = phxi_wcsph_fields,
    .field_count = WCSPH_FIELD_COUNT,
    .params = &table,
    .laws = PHXI_LAW_FLUID | PHXI_LAW_MELT,
    .made_for = PHXI_LAW_FLUID | PHXI_LAW_MELT,
    .cost = {1000, 1.3e-6, 0},
    .state_size = sizeof(phxi_wcsph),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = phxi_wcsph_stable_dt,
    .substep = phxi_wcsph_substep,
    .measure = phxi_wcsph_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .space = &space,
};
