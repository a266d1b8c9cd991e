// SPDX-License-Identifier: MIT
// What bodies are made of: which law their particles follow, and how fast sound is in them.
#include "methods/mpm/mpm_internal.h"

#include "methods/shared/expected_speed.h"

// ---------------------------------------------------------------------------------------------------------------- kind

static phxi_mpm_kind kind_of(const phxi_body* body) {
    const phx_material_def* def = &body->material;
    const int phase = phxi_mpm_params_of(body)->phase;
    if (phase == MPM_PHASE_FLUID || (phase == MPM_PHASE_AUTO && phxi_fluid_is(def))) {
        return MPM_FLUID;
    }
    return phxi_drucker_prager_is(def) ? MPM_GRAINS
           : phxi_snow_is(def)         ? MPM_SNOW
           : def->yield > 0            ? MPM_PLASTIC
                                       : MPM_ELASTIC;
}

phx_result phxi_mpm_check_material(const phxi_body* body) {
    const phx_material_def* def = &body->material;
    const phxi_mpm_kind kind = kind_of(body);
    if (kind == MPM_PLASTIC && def->volumetric) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "volumetric is true, expected false: flow in mpm keeps the volume");
    }
    if (kind == MPM_GRAINS && def->stiffening > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "stiffening is %g, expected 0: mpm does not have it", def->stiffening);
    }
    if (!phxi_snow_is(def) && (def->critical_stretch > 0 || def->packing > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "critical_compression is 0, expected above 0 with critical_stretch or packing: snow has all");
    }
    return kind == MPM_FLUID ? phxi_rheology_check(def) : PHX_OK;
}

/// Fluids that a method parameter makes of solids have no moduli of their own.
static phxi_fluid fluid_of(const phxi_mpm* s, const phxi_body* body) {
    const phxi_mpm_params* params = phxi_mpm_params_of(body);
    phx_material_def def = body->material;
    def.fluid = def.fluid || params->phase == MPM_PHASE_FLUID;
    double chosen = s->words[MPM_WORD_SOUND] > 0 ? s->words[MPM_WORD_SOUND] : PHXI_SLOW_SOUND;
    double sound = params->sound_speed > 0 ? params->sound_speed : chosen;
    phxi_fluid fluid = phxi_fluid_from(&def, def.density * sound * sound);
    if (def.fluid && s->params->viscous == MPM_IMPLICIT) {
        fluid.shear = 0; // what melts is an elastic solid too, and keeps its strain
    }
    return fluid;
}

double phxi_mpm_viscosity(const phxi_mpm* s, const phxi_fluid* fluid, int particle) {
    double rate = 0, c[9];
    for (int n = 0; n < 9; ++n) {
        c[n] = (double)s->field[MPM_AFFINE + n][particle];
    }
    for (int n = 0; n < 9; ++n) {
        double both = c[n] + c[3 * (n % 3) + n / 3];
        rate += 0.5 * both * both;
    }
    return phxi_viscosity(&fluid->rheology, sqrt(rate), (double)s->step->particles->temperature[particle]);
}

// --------------------------------------------------------------------------------------------------------------- sound

void phxi_mpm_choose_sound(phxi_mpm* s, const phxi_step* step) {
    if (s->words[MPM_WORD_STEPS] > 0) {
        return; // bodies that come later take what is there
    }
    double speed = phxi_expected_speed(step, PHXI_FAMILY_GRID);
    s->words[MPM_WORD_SOUND] = speed > 0 ? PHXI_SOUND_PER_SPEED * speed : PHXI_SLOW_SOUND;
}

// At 0.8 solids are what they are at 0.4. Fluids sink by half a percent more (validate mpm.level), coarse columns of
// grains run out a third further (granular.beside_mpm), and energy of flip, which is of velocities half a substep late,
// swings by more than half a percent (mpm.discs). Of snow the few stiffest particles bound the substep of all.
double phxi_mpm_courant(const phxi_mpm* s) {
    bool careful = s->params->transfer == MPM_FLIP;
    for (int k = 0; k < s->step->own_count; ++k) {
        phxi_mpm_kind kind = s->materials.items[s->step->own[k]].kind;
        careful = careful || kind == MPM_FLUID || kind == MPM_GRAINS;
    }
    return s->params->courant > 0 ? s->params->courant : careful ? 0.4 : 0.8;
}

/// The stiffest particle of snow, over fresh snow.
static double packed_most(const phxi_mpm* s, const phxi_body* body, const phxi_snow* snow) {
    const phx_real* packed = s->field[MPM_SWELL];
    phx_real least = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        least = packed[i] < least ? packed[i] : least;
    }
    return phxi_snow_stiffness(snow, (double)least);
}

double phxi_mpm_sound(const phxi_mpm* s, int index) {
    const phxi_body* body = &s->step->bodies[index];
    const phxi_mpm_material* material = &s->materials.items[index];
    const double density = body->material.density;
    if (material->kind == MPM_FLUID) {
        return phxi_fluid_sound(&material->fluid, density,
                                s->h * phxi_mpm_courant(s) / sqrt(material->fluid.bulk / density));
    }
    double rest = phxi_sound_speed(&body->material);
    return material->kind == MPM_SNOW ? rest * sqrt(packed_most(s, body, &material->snow)) : rest;
}

double phxi_mpm_modulus(const void* state, const phxi_step* step, int body) {
    const phxi_mpm* s = state;
    bool known = body < s->materials.count && s->materials.items[body].kind == MPM_FLUID;
    return known ? s->materials.items[body].fluid.bulk : step->bodies[body].material.young;
}

// ---------------------------------------------------------------------------------------------------------------- bind

phx_result phxi_mpm_reserve_materials(phxi_mpm* s, int body) {
    if (body < s->materials.count) {
        return PHX_OK;
    }
    if (!phxi_array_reserve(&s->materials, body + 1 - s->materials.count, s->heap, "mpm")) {
        return PHX_ERROR_MEMORY;
    }
    s->materials.count = body + 1;
    return PHX_OK;
}

static bool sharpens(const phxi_mpm* s) {
    if (!s->params || s->params->transfer != MPM_APIC || s->params->order == MPM_ORDER_FIRST) {
        return false;
    }
    bool grains = false;
    for (int k = 0; k < s->step->own_count; ++k) {
        grains = grains || s->materials.items[s->step->own[k]].kind == MPM_GRAINS;
    }
    return grains || s->params->order == MPM_ORDER_SECOND;
}

void phxi_mpm_bind(phxi_mpm* s, phxi_step* step) {
    s->step = step;
    s->solves = s->params && s->params->implicit > 0;
    s->fixes_volume = false;
    for (int k = 0; k < MPM_PLACE; ++k) {
        s->field[k] = phxi_particles_field(step->particles, phxi_mpm_fields[k].name);
    }
    s->place = phxi_particles_field(step->particles, phxi_mpm_fields[MPM_PLACE].name);
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        phxi_mpm_material* material = &s->materials.items[step->own[k]];
        *material = (phxi_mpm_material){.kind = kind_of(body), .elastic = body->elastic};
        if (material->kind == MPM_GRAINS) {
            material->elastic.law = PHX_LAW_HENCKY;
            material->grains = phxi_drucker_prager_from(&body->material);
        } else if (material->kind == MPM_SNOW) {
            material->snow = phxi_snow_from(&body->material);
        } else if (material->kind == MPM_PLASTIC) {
            material->plastic = phxi_plastic_from(&body->material);
        } else if (material->kind == MPM_FLUID) {
            material->fluid = fluid_of(s, body);
            s->solves = s->solves || !(material->fluid.shear > 0);
            s->fixes_volume = s->params->volume == MPM_KEPT;
        }
    }
    s->every_row = s->solves || s->fixes_volume || (s->params && s->params->boundary == MPM_MIRROR);
    s->sharpens = sharpens(s);
    s->keeps_old =
        s->sharpens || (s->params && (s->params->transfer == MPM_FLIP || (s->solves && !(s->params->implicit > 0))));
}
