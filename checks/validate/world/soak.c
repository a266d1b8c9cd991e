// SPDX-License-Identifier: MIT
// What every method must survive: random scenes of bodies of all methods, with random materials, options, shapes, pulls
// and walls. None may end in a state that is not finite; nor, where no driver works and all options are as usual, with
// more energy than it began with (some options repeat published mistakes, which pump). Methods and their options are
// those of the tables, so a new method is soaked from its first day.
#include "validate/dice.h"
#include "validate/validate.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SETTINGS = 16, SUBSTEPS = 300, SHAPE_COUNT = 6 };

static const char* const shapes[SHAPE_COUNT] = {
    "box(size=(0.4,0.4,0.4))",
    "box(size=(0.9,0.3,0.3))",
    "sphere(radius=0.25)",
    "box(size=(0.6,0.6,0.1))",
    "cylinder(from=(-0.35,0,0), to=(0.35,0,0), radius=0.16)",
    "torus(major=0.3, minor=0.12)",
};

// ---------------------------------------------------------------------------------------------------------- materials

/// Snow, fluids, what flows: more than half of the time.
static void add_matter(phxi_dice* d, phx_material_def* material) {
    int kind = phxi_pick(d, 5);
    material->yield = kind < 3 ? 0 : material->yield;
    material->friction_angle = material->cohesion = kind < 3 ? 0 : material->cohesion;
    if (kind == 0) {
        material->critical_compression = phxi_roll_log(d, 0.01, 0.1);
        material->critical_stretch = phxi_roll(d, 0, 0.05);
        material->packing = phxi_roll(d, 0, 10);
    } else if (kind == 1) {
        material->fluid = true;
        material->flow = phxi_pick(d, PHX_FLOW_COUNT);
        material->viscosity = phxi_roll_log(d, 1e-3, 1e3);
    } else if (kind == 2) {
        material->yield = phxi_roll_log(d, 1e-3, 0.1);
        material->creep = phxi_pick(d, 2) * phxi_roll_log(d, 1, 100);
    }
}

/// What bonds that change make of a material: one in four stays as it is.
static void make_bonds_change(phxi_dice* d, phx_material_def* material) {
    switch (phxi_pick(d, 4)) {
    case 1:
        material->yield = phxi_roll_log(d, 1e-3, 0.1);
        material->hardening = phxi_pick(d, 2) * phxi_roll(d, 0, 1);
        material->creep = phxi_pick(d, 2) * phxi_roll_log(d, 0.1, 100);
        material->ductile_strain = phxi_pick(d, 2) * phxi_roll(d, 0.05, 0.5);
        break;
    case 2:
        material->friction_angle = phxi_roll(d, 0, 50);
        material->cohesion = phxi_pick(d, 2) * phxi_roll_log(d, 10, 1e4);
        material->cone = phxi_pick(d, PHX_CONE_COUNT);
        break;
    case 3:
        material->strength = phxi_roll_log(d, 1e-3, 0.1) * material->young;
        material->toughness = phxi_pick(d, 2) * phxi_roll_log(d, 0.1, 1e3);
        break;
    default:
        break;
    }
}

/// A preset, or an elastic solid of any stiffness; stiff ones are softened, as only so many substeps are taken.
static phx_result random_material(phxi_dice* d, phx_world* world, const char* method, phx_material_id* id) {
    const bool grains = strcmp(method, "granular") == 0;
    phx_material_def material = phx_material_def_default();
    if (phxi_pick(d, 2)) {
        material = phx_preset_at(phxi_pick(d, phx_preset_count()))->def;
        material.young = fmin(material.young, 1e7);
    } else {
        material.young = phxi_roll_log(d, 1e4, 1e7);
        material.poisson = phxi_roll(d, 0, 0.45);
        material.density = phxi_roll_log(d, 300, 5e3);
        material.law = phxi_pick(d, PHX_LAW_COUNT);
        material.damping = phxi_pick(d, 2) * phxi_roll(d, 0, 10);
    }
    material.plasticity = material.yield > 0 ? phxi_pick(d, PHX_PLASTICITY_COUNT) : material.plasticity;
    if (strcmp(method, "peridynamics") == 0) {
        make_bonds_change(d, &material);
    }
    if (grains) { // which others than grains may be, but they must
        material.friction_angle = phxi_pick(d, 4) == 0 ? 0 : phxi_roll(d, 10, 50);
        material.cohesion = phxi_pick(d, 2) && material.friction_angle > 0 ? 0 : phxi_roll_log(d, 10, 1e4);
        material.cone = phxi_pick(d, PHX_CONE_COUNT);
    }
    if (strcmp(method, "mpm") == 0) {
        add_matter(d, &material);
    }
    return phx_material_create(world, &material, id);
}

// ------------------------------------------------------------------------------------------------------------- bodies

typedef struct options {
    phx_setting items[MOST_SETTINGS];
    int count;
} options;

/// Every fourth choice of words or of yes and no is made at random; numbers keep their defaults.
static void random_options(phxi_dice* d, const phx_param_table* table, options* made) {
    made->count = 0;
    bool usual = phxi_pick(d, 2);
    for (int k = 0; k < table->count && made->count < MOST_SETTINGS && !usual; ++k) {
        const phx_param* param = &table->params[k];
        int words = 0;
        while (param->kind == PHX_PARAM_WORD && param->words[words]) {
            ++words;
        }
        if (phxi_pick(d, 4) != 0 || (words == 0 && param->kind != PHX_PARAM_BOOL)) {
            continue;
        }
        const char* value = words > 0 ? param->words[phxi_pick(d, words)] : phxi_pick(d, 2) ? "true" : "false";
        made->items[made->count++] = (phx_setting){param->name, value};
    }
}

static bool is_refused(phx_result result) {
    return result == PHX_ERROR_ARGUMENT || result == PHX_ERROR_UNSUPPORTED;
}

/// Options that do not go together are refused, with a reason; then the body does without. One that does not go with
/// those before it (fluids share their options) is left out.
static phx_result create(phx_world* world, phx_body_def* body, bool first) {
    phx_body_id id;
    phx_result result = phx_body_create(world, body, &id);
    if (is_refused(result)) {
        body->setting_count = 0;
        result = phx_body_create(world, body, &id);
    }
    return is_refused(result) && !first ? PHX_OK : result;
}

static phx_result add_body(phxi_dice* d, phx_world* world, int method, int index, bool* usual) {
    options chosen;
    char name[24];
    phx_body_def body = phx_body_def_default();
    body.method = phx_method_name(method);
    PHXI_TRY(random_material(d, world, body.method, &body.material));
    snprintf(name, sizeof name, "body %d", index);
    body.name = name;
    body.shape = shapes[phxi_pick(d, SHAPE_COUNT)];
    body.spacing = 0.08;
    body.friction = phxi_roll(d, 0, 1);
    body.self_contact = phxi_pick(d, 4) == 0;
    body.translate = phxi_vec3(index == 0 ? 0 : phxi_roll(d, -0.1, 0.1), 0, 0.75 * index);
    body.rotate = phxi_roll_vector(d, index == 0 ? 0 : 20);
    random_options(d, phx_method_params(method), &chosen);
    if (strcmp(body.method, "mpm") == 0 && chosen.count > 0 && chosen.count < MOST_SETTINGS && phxi_pick(d, 2)) {
        chosen.items[chosen.count++] = (phx_setting){"implicit", "10"};
    }
    body.settings = chosen.items;
    body.setting_count = chosen.count;
    *usual = *usual && chosen.count == 0;
    if (strcmp(body.method, "wall") != 0) { // moves by drivers alone
        body.velocity = phxi_roll_vector(d, phxi_roll(d, 0, 3));
        body.angular_velocity = phxi_roll_vector(d, phxi_roll(d, 0, 5));
    }
    return create(world, &body, index == 0);
}

// ------------------------------------------------------------------------------------------------------------- scenes

static phx_result add_driver(phxi_dice* d, phx_world* world) {
    static const int kinds[] = {PHX_DRIVER_PIN, PHX_DRIVER_MOVE, PHX_DRIVER_TWIST, PHX_DRIVER_FORCE,
                                PHX_DRIVER_VELOCITY};
    phx_driver_def driver = phx_driver_def_default();
    driver.kind = kinds[phxi_pick(d, 5)];
    driver.body = "body 0";
    driver.region = phxi_pick(d, 2) ? "plane(point=(-0.1,0,0), normal=(1,0,0))" : NULL;
    driver.vector = phxi_roll_vector(d, driver.kind == PHX_DRIVER_FORCE ? phxi_roll_log(d, 1, 1e3) : 0.3);
    driver.angle = phxi_roll(d, -90, 90);
    driver.axis = phxi_vec3(1, 0, 0);
    driver.ramp = phxi_roll(d, 0.1, 0.5);
    phx_driver_id id;
    return phx_driver_create(world, &driver, &id);
}

/// A body of the method, up to two of any others above it, sometimes a floor below, sometimes a driver. `usual`: no
/// option and no driver.
static phx_result random_world(phxi_dice* d, int method, int threads, phx_world** world, bool* usual) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, world));
    int bodies = 1 + phxi_pick(d, 3);
    for (int k = 0; k < bodies; ++k) {
        PHXI_TRY(add_body(d, *world, k == 0 ? method : phxi_pick(d, phx_method_count()), k, usual));
    }
    if (phxi_pick(d, 2)) {
        phx_collider_def floor = phx_collider_def_default();
        floor.shape = "plane(point=(0,0,-0.5))";
        floor.friction = phxi_roll(d, 0, 1);
        phx_collider_id collider;
        PHXI_TRY(phx_collider_create(*world, &floor, &collider));
    }
    bool driven = phxi_pick(d, 3) == 0;
    *usual = *usual && !driven;
    return driven ? add_driver(d, *world) : PHX_OK;
}

static double energy_of(const phx_totals* t) {
    return t->kinetic + t->elastic + t->potential + t->contact;
}

/// `gained`: energy from nowhere, over that of the motion at the start, of the fall, and of one by a spacing.
static phx_result soak_scene(int method, uint64_t seed, int threads, double* gained) {
    phxi_dice d = {phxi_hash_pair(seed, (uint64_t)method)};
    phx_world* world = NULL;
    phx_totals before = {0}, after = {0};
    phx_dt_info info;
    bool usual = true;
    phx_result result = random_world(&d, method, threads, &world, &usual);
    if (result == PHX_OK) {
        result = phx_world_measure(world, &before);
    }
    for (int k = 0; k < 3 && result == PHX_OK; ++k) { // in parts, as the stable substep changes
        result = phx_world_dt(world, &info);
        result = result == PHX_OK ? phx_world_step(world, fmin(0.1, SUBSTEPS / 3 * info.dt)) : result;
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &after);
    }
    double scale = before.kinetic + fabs(after.potential - before.potential) + before.mass * 9.81 * 0.08;
    *gained = result == PHX_OK && usual ? (energy_of(&after) - energy_of(&before)) / scale : 0;
    phx_world_destroy(world);
    return result;
}

static phx_result soak_method(phxi_validation* v, int method, int count) {
    int failed = 0;
    double most = 0;
    for (int k = 0; k < count; ++k) {
        double gained;
        phx_result result = soak_scene(method, (uint64_t)k + 1, v->threads, &gained);
        if (result == PHX_ERROR_UNSTABLE) {
            ++failed;
        } else if (result != PHX_OK && !is_refused(result)) { // bodies may turn out not to fit when they first move
            return phxi_fail_within(result, "scene %d of method %s", k + 1, phx_method_name(method));
        }
        most = fmax(most, gained);
    }
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: of %d random scenes not finite", phx_method_name(method), count);
    phxi_validate(v, quantity, failed, 0, 0);
    snprintf(quantity, sizeof quantity, "%s: most energy from nowhere, over that of its motion",
             phx_method_name(method));
    phxi_validate(v, quantity, most, 0, 0.1);
    return PHX_OK;
}

static phx_result soak(phxi_validation* v, int count) {
    for (int method = 0; method < phx_method_count(); ++method) {
        PHXI_TRY(soak_method(v, method, count));
    }
    return PHX_OK;
}

static phx_result short_soak(phxi_validation* v) {
    return soak(v, 4);
}

phx_result phxi_validate_soak_full(phxi_validation* v) {
    return soak(v, 200);
}

static phx_result soak_one(phxi_validation* v, const char* name) {
    for (int method = 0; method < phx_method_count(); ++method) {
        if (strcmp(phx_method_name(method), name) == 0) {
            PHXI_TRY(soak_method(v, method, 200));
        }
    }
    return PHX_OK;
}

phx_result phxi_validate_soak_mpm(phxi_validation* v) {
    return soak_one(v, "mpm");
}

phx_result phxi_validate_soak_peridynamics(phxi_validation* v) {
    return soak_one(v, "peridynamics");
}

const phxi_validation_case phxi_cases_soak[] = {
    {"soak.methods", "bodies of all methods, random materials, options and pulls, 4 scenes each", short_soak},
    {NULL, NULL, NULL},
};
