// SPDX-License-Identifier: MIT
// Parameters, fields and bodies of the method, and its table.
#include "methods/granular/granular_internal.h"

const phxi_field_def phxi_granular_fields[GRANULAR_FIELD_COUNT] = {
    {"granular.strain_xx", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.strain_yy", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.strain_zz", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.strain_xy", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.strain_xz", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.strain_yz", "", "elastic logarithmic strain", PHXI_FIELD_REAL, true},
    {"granular.opening", "", "volume strain to be closed before pressure returns", PHXI_FIELD_REAL, true},
    {"granular.crowded", "", "density over that at rest that the spring leaves alone; 0: not known yet",
     PHXI_FIELD_REAL, true},
};

#define STEEP 40 // degrees

static const char* const integrator_words[] = {"explicit", "implicit", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_granular_params, integrator, integrator_words, "explicit",
              "implicit: larger steps, for grains that are coupled to bodies with implicit ones; no faster"),
    PHXI_REAL(phxi_granular_params, alpha, "", "-1", -1, 10,
              "viscosity of motion that no gradient sees; -1: 0.1, or 1 for friction angles of 40 degrees and more; "
              "0.3 of slime and implicit steps"),
    PHXI_REAL(phxi_granular_params, speed, "m/s", "0", 0, 1e6, "speed in that viscosity; 0: 4 sqrt(gravity spacing)"),
    PHXI_REAL(phxi_granular_params, chi, "", "0.1", 0, 10,
              "stiffness of bonds against motion that no gradient sees; 0: none, beds creep"),
    PHXI_REAL(phxi_granular_params, limit, "", "0.3", 0, 100, "largest strain of such bonds, over what yields"),
    PHXI_REAL(phxi_granular_params, zeta, "", "0.5", 0, 2, "damping of grains that do not yield"),
    PHXI_REAL(
        phxi_granular_params, squeeze, "", "-1", -1, 4,
        "viscosity of what approaches; -1: 0.5 for slime (no friction angle) whose weights are not frozen, else 0"),
    PHXI_REAL(phxi_granular_params, spring, "", "0", 0, 10,
              "slime: density over that at rest above which a spring acts; 1.02 is usual, 0: none, as for sand"),
    PHXI_REAL(phxi_granular_params, freeze, "", "0", 0, 10,
              "slime: bonds keep their weight, which follows the particles by plastic shear of this much; for threads, "
              "0.3 with chi 1 and limit 10; 0: weights follow at once"),
    PHXI_REAL(phxi_granular_params, redistribute, "spacings/s", "0", -10, 10,
              "slime: how fast particles are drawn together where their density falls off, at most; below 0: spaced "
              "evenly instead; more than 0.5 scatters them"),
    PHXI_REAL(phxi_granular_params, implicit_dt, "s", "1e-3", 1e-9, 1,
              "implicit steps; less where grains would move by more than 0.3 spacings in one"),
    PHXI_INT(phxi_granular_params, outer, "3", 1, 1000, "linear solves of an implicit step"),
    PHXI_INT(phxi_granular_params, iterations, "60", 1, 100000, "of each solve, at most"),
    PHXI_REAL(phxi_granular_params, tolerance, "", "1e-2", 1e-12, 1, "of each solve, relative"),
};
static const phx_param_table table = {"granular", "updated-Lagrangian peridynamics: sand, wet sand, slime", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_granular_params)};

static phx_result create(void* state, phxi_step* step) {
    phxi_granular* s = state;
    s->heap = step->heap;
    s->known = -1;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_granular* s = state;
    if (s->heap) {
        phxi_granular_release(s);
        phxi_array_destroy(&s->bodies, step->heap);
    }
}

static double reach(const phxi_body* body) {
    return GRANULAR_SUPPORT * (phxi_granular_params_of(body)->freeze > 0 ? GRANULAR_CUT : 1);
}

/// Without it a lump of slime that lands is torn to clods by what springs back.
static double squeeze_of(const phxi_body* body) {
    const phxi_granular_params* own = phxi_granular_params_of(body);
    bool slime = body->material.friction_angle == 0 && own->freeze == 0;
    return own->squeeze >= 0 ? own->squeeze : slime ? 0.5 : 0;
}

/// Sand runs as far as it should with little of it. Slime needs more when it lands, implicit steps and steep sand to
/// come to rest.
static double alpha_of(const phxi_body* body) {
    const phxi_granular_params* own = phxi_granular_params_of(body);
    const double angle = body->material.friction_angle;
    const bool runs = angle > 0 && own->integrator == GRANULAR_EXPLICIT;
    return own->alpha >= 0 ? own->alpha : angle >= STEEP ? 1 : runs ? 0.1 : 0.3;
}

phxi_granular_body phxi_granular_describe(const phxi_body* body) {
    const phx_material_def* material = &body->material;
    const phxi_granular_params* own = phxi_granular_params_of(body);
    return (phxi_granular_body){.grain = true,
                                .law = phxi_drucker_prager_from(material),
                                .density = material->density,
                                .sound = phxi_sound_speed(material),
                                .shear_sound = sqrt(body->elastic.mu / material->density),
                                .alpha = alpha_of(body),
                                .squeeze = squeeze_of(body),
                                .params = own};
}

/// Cells that the surface has cut hold less; grains move about and are to be equal.
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

/// The pressure of the spring is none of the cone's: sand on it would flow as on a lubricant, down to four degrees.
static phx_result check_spring(const phxi_body* body) {
    const double spring = phxi_granular_params_of(body)->spring, angle = body->material.friction_angle;
    return spring > 0 && angle > 0
               ? phxi_fail(PHX_ERROR_ARGUMENT,
                           "spring is %g for sand of friction_angle %g, expected spring 0: its pressure knows no "
                           "friction, so sand would flow like a liquid; it is for slime (friction_angle 0). "
                           "redistribute -0.5 keeps grains apart",
                           spring, angle)
               : PHX_OK;
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_granular* s = state;
    const phxi_body* body = &step->bodies[index];
    PHXI_TRY(phxi_granular_check_implicit(step));
    PHXI_TRY(check_spring(body));
    share_volume(step->particles, body);
    s->known = -1;
    s->grains = 0;
    s->planes = 3;
    for (int k = 0; k < step->own_count; ++k) {
        s->grains += step->bodies[step->own[k]].count;
        s->planes = phxi_granular_params_of(&step->bodies[step->own[k]])->freeze > 0 ? 4 : s->planes;
    }
    return PHX_OK;
}

/// Everything is rebuilt from saved fields, words and packed bonds.
static phx_result restored(void* state, phxi_step* step) {
    (void)step;
    ((phxi_granular*)state)->known = -1;
    return PHX_OK;
}

static void moved(void* state, phxi_step* step) {
    (void)step;
    ((phxi_granular*)state)->known = -1;
}

static double* words(void* state) {
    return ((phxi_granular*)state)->words;
}

static const phxi_display_table display = {
    .fields = phxi_granular_derived, .count = GRANULAR_DERIVED_COUNT, .derive = phxi_granular_derive};
static const phxi_saving_table saving = {.word_count = GRANULAR_WORD_COUNT,
                                         .words = words,
                                         .pack = phxi_granular_pack,
                                         .unpack = phxi_granular_unpack,
                                         .restored = restored};
static const phxi_touch_table touch = {.family = PHXI_FAMILY_GRAINS, .modulus = phxi_granular_modulus};
static const phxi_space_table space = {.reach = reach};

extern const phxi_method phxi_method_granular;
const phxi_method phxi_method_granular = {
    .name = "granular",
    .summary = "updated-Lagrangian peridynamics: sand that flows and rests, wet sand, slime",
    .state_version = 3,
    .motion = PHXI_MOTION_EXPLICIT | PHXI_MOTION_IMPLICIT,
    .fields = phxi_granular_fields,
    .field_count = GRANULAR_FIELD_COUNT,
    .params = &table,
    .laws = PHXI_LAW_GRAINS | PHXI_LAW_DAMPING,
    .made_for = PHXI_LAW_GRAINS,
    .cost = {2300, 1.4e-6, 0},
    .state_size = sizeof(phxi_granular),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = phxi_granular_stable_dt,
    .substep = phxi_granular_substep,
    .moved = moved,
    .measure = phxi_granular_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .space = &space,
    .implicit = &phxi_granular_implicit_steps,
};
