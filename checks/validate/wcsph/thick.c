// SPDX-License-Identifier: MIT
// Thick fluids that fall on a floor (docs/theory/fluids.md W8, W9): their long steps lead to where short ones do, and
// what is cold is as good as a solid.
#include "validate/wcsph/fluid_trial.h"

#define SPACING 0.005

/// A box of 4 x 4 x 6 cm, tilted so that it lands on an edge, 5 cm above a floor.
static phx_result make_box(phxi_validation* v, const phx_material_def* material, double dt, const char* sound,
                           phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    def.threads = v->threads;
    def.dt = dt;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_collider_create(*world, &floor, &id));
    phx_body_def box = phxi_fluid_trial_body("box", "wcsph", "box(size=(0.04,0.04,0.06))", SPACING);
    box.rotate = phxi_vec3(0, 20, 0);
    box.translate = phxi_vec3(0, 0, 0.09);
    return phxi_fluid_trial_add(*world, box, material, (const char*[]){"sound_speed", sound, NULL});
}

/// Root of the mean square of the distance from the middle, m; and the middle.
static double size_of(const phx_world* world, phx_vec3* middle) {
    const phxi_particles* p = &world->particles;
    double square = 0;
    phx_vec3 sum = {0, 0, 0};
    for (int i = 0; i < p->count; ++i) {
        sum = phxi_add(sum, phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    *middle = phxi_scale(1.0 / p->count, sum);
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), *middle);
        square += phxi_dot(arm, arm);
    }
    return sqrt(square / p->count);
}

// ------------------------------------------------------------------------------------------------------- long steps

typedef struct outcome {
    double size, height, sound; // m, m, m/s
} outcome;

static phx_result let_fall(phxi_validation* v, const phx_material_def* material, double dt, const char* sound,
                           outcome* r) {
    phx_world* world;
    phx_result result = make_box(v, material, dt, sound, &world);
    result = result == PHX_OK ? phx_world_step(world, 0.4) : result;
    if (result == PHX_OK) {
        phx_vec3 middle;
        r->size = size_of(world, &middle);
        r->height = middle.z;
        r->sound = phxi_fluid_trial_state(world)->sound;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result long_steps(phxi_validation* v) {
    phx_material_def syrup = phx_material_def_default();
    outcome own, reference;
    syrup.density = 1400;
    syrup.viscosity = 30;
    PHXI_TRY(let_fall(v, &syrup, 0, "0", &own));
    PHXI_TRY(let_fall(v, &syrup, 1e-4, "16", &reference)); // a third of what sound allows
    phxi_validate_relative(v, "syrup that fell: size over that with short steps and one speed of sound", own.size,
                           reference.size, 0.02);
    phxi_validate_relative(v, "the same, height of its middle", own.height, reference.height, 0.03);
    phxi_validate(v, "the same, speed of sound over that of the start, which it need not be", own.sound / 16, 0, 0.8);
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- cold

static phx_result cold(phxi_validation* v) {
    static const char* const names[] = {"wax", "chocolate", "lava"};
    static const char* const words[][2] = {
        {"cold wax that fell on an edge: size over that before", "its creep in the last 0.1 s, over its size"},
        {"cold chocolate", "its creep"},
        {"cold lava", "its creep"},
    };
    for (int k = 0; k < 3; ++k) {
        const phx_preset* preset;
        phx_world* world;
        phx_vec3 middle;
        PHXI_TRY(phx_preset_find(names[k], &preset));
        phx_result result = make_box(v, &preset->def, 0, "0", &world);
        double before = result == PHX_OK ? size_of(world, &middle) : 1, between = 1;
        result = result == PHX_OK ? phx_world_step(world, 0.4) : result;
        between = result == PHX_OK ? size_of(world, &middle) : 1;
        result = result == PHX_OK ? phx_world_step(world, 0.1) : result;
        if (result == PHX_OK) {
            double after = size_of(world, &middle);
            phxi_validate_relative(v, words[k][0], after / before, 1, 0.005);
            phxi_validate(v, words[k][1], after / between - 1, 0, 0.001);
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_wcsph_thick[] = {
    {"wcsph.long_steps", "syrup falls on a floor, with the steps of its choice and with short ones", long_steps},
    {"wcsph.cold", "what melts falls while it is cold, and keeps its shape", cold},
    {0},
};
