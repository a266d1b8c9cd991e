// SPDX-License-Identifier: MIT
// Heat in bodies of worlds: bars of one and of two methods, moving ones, surfaces in air, two materials, sources.
#include "validate/heat/trial.h"
#include "world/world.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

// ---------------------------------------------------------------------------------------------------------------- bars

typedef struct bar_def {
    double young;       // Pa
    double spin;        // rad/s about z
    double stretch;     // along x, at the start
    const char* second; // method of the right half; NULL: efg as the left one
    int sampling;       // phx_sampling
} bar_def;

/// 0.05 m between particles, no contact.
static phx_body_def box_of(const char* name, const char* shape, const char* method, phx_material_id material) {
    phx_body_def def = phx_body_def_default();
    def.name = name;
    def.shape = shape;
    def.method = method;
    def.spacing = 0.05;
    def.sampling =
        PHX_SAMPLING_UNIFORM; // as walls are: on their faces particles would be nearer to those than to each other
    def.material = material;
    def.contact = false;
    return def;
}

static phx_result add_box(phx_world* world, phx_body_def def) {
    phx_body_id id;
    return phx_body_create(world, &def, &id);
}

/// A bar of 20 x 6 x 6 particles from x = 0 to 1, diffusivity 1 m^2/s, free all around; T = cos(pi x).
static phx_result make_bar(phxi_validation* v, const bar_def* def, phx_world** world) {
    phx_world_def world_def = phx_world_def_default();
    world_def.gravity = (phx_vec3){0};
    world_def.threads = v->threads;
    PHXI_TRY(phx_world_create(&world_def, world));
    phx_material_def metal = phxi_heat_trial_unit();
    metal.young = def->young;
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &metal, &material));
    if (def->second) {
        PHXI_TRY(add_box(*world, box_of("left", "box(center=(0.25,0,0), size=(0.5,0.3,0.3))", "efg", material)));
        PHXI_TRY(add_box(*world, box_of("right", "box(center=(0.75,0,0), size=(0.5,0.3,0.3))", def->second, material)));
    } else {
        phx_body_def bar = box_of("bar", "box(center=(0.5,0,0), size=(1,0.3,0.3))", "efg", material);
        bar.sampling = def->sampling;
        PHXI_TRY(add_box(*world, bar));
    }
    phxi_particles* p = &(*world)->particles;
    for (int i = 0; i < p->count; ++i) {
        const phxi_heat_law* law = &(*world)->heat.bodies.items[p->body[i]].law;
        phxi_enthalpy_set(p, i, law, phxi_enthalpy_at(law, cos(PI * (double)p->rest_x[i])));
        p->x[i] *= (phx_real)def->stretch;
    }
    phxi_world_heat_added(*world, &(*world)->bodies.items[0]);
    phx_body_id first = {0, (*world)->bodies.items[0].generation};
    return def->spin > 0 ? phx_body_set_velocity(*world, first, (phx_vec3){0}, (phx_vec3){0, 0, def->spin}) : PHX_OK;
}

/// L2 error after `time`, in which cos(pi x) should have decayed by `decay`.
static phx_result run_bar(phxi_validation* v, const bar_def* def, double time, double decay, double* error) {
    phx_world* world = NULL;
    phx_result result = make_bar(v, def, &world);
    for (int n = 0; n < 10 && result == PHX_OK; ++n) {
        result = phx_world_step(world, time / 10);
    }
    double wrong = 0, right = 0;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        double wanted = decay * cos(PI * (double)world->particles.rest_x[i]);
        double off = (double)world->particles.temperature[i] - wanted;
        wrong += off * off;
        right += wanted * wanted;
    }
    *error = sqrt(wrong / right);
    phx_world_destroy(world);
    return result;
}

static phx_result bars(phxi_validation* v) {
    double error, decay = exp(-PI * PI * 0.1);
    PHXI_TRY(run_bar(v, &(bar_def){1e-9, 0, 1, NULL, 0}, 0.1, decay, &error));
    phxi_validate(v, "L2 error of an efg bar, 20 x 6 x 6", error, 0, 0.01);
    PHXI_TRY(run_bar(v, &(bar_def){1e8, 10, 1, NULL, 0}, 0.1, decay, &error));
    phxi_validate(v, "L2 error of one that turns", error, 0, 0.01);
    // longer by a tenth and as thick: the same flux through a cell that is farther from the next
    PHXI_TRY(run_bar(v, &(bar_def){1e-9, 0, 1.1, NULL, 0}, 0.1, exp(-PI * PI * 0.1 / 1.1), &error));
    phxi_validate(v, "L2 error of one that is stretched by a tenth", error, 0, 0.01);
    PHXI_TRY(run_bar(v, &(bar_def){1e-9, 0, 1, "wall", 0}, 0.1, decay, &error));
    phxi_validate(v, "L2 error of a bar, half efg and half wall", error, 0, 0.01);
    PHXI_TRY(run_bar(v, &(bar_def){1e-9, 0, 1, NULL, PHX_SAMPLING_BCC}, 0.1, decay, &error));
    phxi_validate(v, "L2 error of a body-centred one", error, 0, 0.01);
    PHXI_TRY(run_bar(v, &(bar_def){1e-9, 0, 1, NULL, PHX_SAMPLING_OCTREE}, 0.1, decay, &error));
    phxi_validate(v, "L2 error of one that is finer at its surface", error, 0, 0.015);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- walls

/// A bar of 20 x 10 x 10 particles at 1 between two wide walls of 0.
static phx_result make_press(phxi_validation* v, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def metal = phxi_heat_trial_unit();
    metal.young = 1e-9;
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &metal, &material));
    phx_body_def parts[3] = {box_of("bar", "box(center=(0.5,0,0), size=(1,0.5,0.5))", "efg", material),
                             box_of("left", "box(center=(-0.25,0,0), size=(0.5,1.5,1.5))", "wall", material),
                             box_of("right", "box(center=(1.25,0,0), size=(0.5,1.5,1.5))", "wall", material)};
    for (int k = 0; k < 3; ++k) {
        parts[k].temperature = k == 0 ? 1 : 0;
        parts[k].thermal = k == 0 ? PHX_THERMAL_CONDUCTS : PHX_THERMAL_FIXED;
        PHXI_TRY(add_box(*world, parts[k]));
    }
    return PHX_OK;
}

static phx_result walls(phxi_validation* v) {
    phx_world* world = NULL;
    double time = 0.05, wrong = 0, right = 0;
    phx_result result = make_press(v, &world);
    if (result == PHX_OK) {
        result = phx_world_step(world, time);
    }
    for (int i = 0; result == PHX_OK && i < world->bodies.items[0].count; ++i) {
        double wanted = phxi_heat_quenched((double)world->particles.x[i], time);
        double off = (double)world->particles.temperature[i] - wanted;
        wrong += off * off;
        right += wanted * wanted;
    }
    phxi_validate(v, "L2 error of an efg bar between walls, 20 particles", sqrt(wrong / right), 0, 0.015);
    phx_world_destroy(world);
    return result;
}

// ----------------------------------------------------------------------------------------------------------------- air

/// A lump at 1 in air at 0, as a wall that is kept as a whole.
static phx_result make_lump(phxi_validation* v, const char* shape, double exchange, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.air_temperature = 0;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def metal = phxi_heat_trial_unit();
    metal.exchange = exchange;
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &metal, &material));
    phx_setting whole = {"layers", "1e6"};
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.method = "wall";
    body.settings = &whole;
    body.setting_count = 1;
    body.spacing = 1;
    body.temperature = 1;
    body.material = material;
    phx_body_id id;
    return phx_body_create(*world, &body, &id);
}

/// The surface that the air meets, m^2, by what a lump of one temperature loses in a moment.
static phx_result measure_surface(phxi_validation* v, const char* shape, double* area) {
    phx_world* world = NULL;
    phx_totals totals = {0};
    double moment = 1e-6;
    phx_result result = make_lump(v, shape, 1, &world);
    if (result == PHX_OK) {
        result = phx_world_step(world, moment);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &totals);
    }
    *area = -totals.heat_air / moment;
    phx_world_destroy(world);
    return result;
}

/// Mean temperature of a sphere after the time in which it should have lost all but 1/e; Biot number r / 3 h / k 0.027.
static phx_result cool_sphere(phxi_validation* v, double* temperature) {
    phx_world* world = NULL;
    phx_totals totals = {0};
    double exchange = 0.01;
    phx_result result = make_lump(v, "sphere(radius=8)", exchange, &world);
    if (result == PHX_OK) {
        result = phx_world_step(world, 8 / (3 * exchange));
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &totals);
    }
    *temperature = totals.mean_temperature;
    phx_world_destroy(world);
    return result;
}

static phx_result air(phxi_validation* v) {
    double area, temperature;
    PHXI_TRY(measure_surface(v, "box(size=(10,10,10))", &area));
    phxi_validate_relative(v, "surface of a cube of 10 spacings, m^2", area, 600, 0.15);
    PHXI_TRY(measure_surface(v, "box(size=(20,20,20))", &area));
    phxi_validate_relative(v, "surface of a cube of 20 spacings, m^2", area, 2400, 0.08);
    PHXI_TRY(measure_surface(v, "sphere(radius=8)", &area));
    phxi_validate_relative(v, "surface of a sphere of 8 spacings, m^2", area, 4 * PI * 64, 0.06);
    PHXI_TRY(measure_surface(v, "sphere(radius=16)", &area));
    phxi_validate_relative(v, "surface of a sphere of 16 spacings, m^2", area, 4 * PI * 256, 0.06);
    PHXI_TRY(cool_sphere(v, &temperature));
    phxi_validate_relative(v, "a sphere of 8 spacings in air, of 1", temperature, exp(-1), 0.05);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------ two materials

/// A step of temperature between two materials at x = 1/2: both sides go towards the same temperature there.
typedef struct contact_def {
    double k[2], capacity[2]; // W/(m K), J/(m^3 K)
    int finer;                // spacings of the right one are so many times smaller
    double middle, time;
} contact_def;

static double touched(double x, double y, const void* context) {
    const contact_def* c = context;
    int side = x > 0.5;
    double far = side ? 0 : 1, reach = 2 * sqrt(c->k[side] / c->capacity[side] * c->time);
    (void)y;
    return c->middle + (far - c->middle) * erf(fabs(x - 0.5) / reach);
}

static phx_result run_contact(phxi_heat_trial* t, const contact_def* c, double* error) {
    enum { HALF = 20, ACROSS = 7 };
    double a = 0.5 / HALF, wrong = 0, all = 0;
    t->period = (phx_vec3){0, ACROSS * a, ACROSS * a};
    for (int side = 0; side < 2; ++side) {
        phx_material_def material = phxi_heat_trial_unit();
        material.conductivity = c->k[side];
        material.heat_capacity = c->capacity[side] / material.density;
        int n = side ? c->finer : 1;
        phxi_heat_box box = {
            .cells = {n * HALF, n * ACROSS, n * ACROSS}, .spacing = a / n, .x = 0.5 * side, .reach = 3};
        PHXI_TRY(phxi_heat_trial_add(t, &box, &material));
    }
    for (int i = 0; i < t->particles.count; ++i) {
        phxi_heat_trial_set(t, i, t->particles.body[i] == 0 ? 1 : 0);
    }
    double before = phxi_heat_trial_energy(t);
    PHXI_TRY(phxi_heat_trial_run(t, c->time));
    phxi_validate(t->v, "heat in two materials that touch, change", phxi_heat_trial_energy(t) / before - 1, 0, 1e-13);
    for (int i = 0; i < t->particles.count; ++i) {
        double off = (double)t->particles.temperature[i] - touched((double)t->particles.x[i], 0, c);
        wrong += (double)t->particles.volume[i] * off * off;
        all += (double)t->particles.volume[i];
    }
    *error = sqrt(wrong / all);
    return PHX_OK;
}

static phx_result interface(phxi_validation* v) {
    static const double k[5][2] = {{1, 1}, {1, 10}, {100, 1}, {1, 1}, {3, 1}};
    static const double capacity[5][2] = {{1, 1}, {1, 2}, {10, 1}, {1, 1}, {1, 1}};
    for (int n = 0; n < 5; ++n) {
        contact_def c = {.k = {k[n][0], k[n][1]}, .capacity = {capacity[n][0], capacity[n][1]}, .finer = 1 + n / 3};
        double left = sqrt(c.k[0] * c.capacity[0]), right = sqrt(c.k[1] * c.capacity[1]), error = 0;
        c.middle = left / (left + right);
        c.time = 0.008 / fmax(c.k[0] / c.capacity[0], c.k[1] / c.capacity[1]); // before the ends feel it
        phxi_heat_trial t;
        phx_result result = phxi_heat_trial_create(v, &t);
        if (result == PHX_OK) {
            result = run_contact(&t, &c, &error);
        }
        phxi_heat_trial_destroy(&t);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "error (rms, of the step), materials that touch at T = %.3g%s", c.middle,
                 c.finer > 1 ? ", spacings 2:1" : "");
        phxi_validate(v, quantity, error, 0, 0.02);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------
// sources

/// What a driver says it put into a plate of 1 x 1 x 0.2 m over what the plate has taken up; and the former, J.
static phx_result heat_plate(phxi_validation* v, const phx_driver_def* driver, double* ratio, double* heat) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = v->threads;
    phx_world* world = NULL;
    phx_material_def metal = phxi_heat_trial_unit();
    metal.conductivity = 1e-3;
    metal.young = 1e-9;
    phx_material_id material;
    phx_driver_id id;
    phx_totals before = {0}, after = {0};
    phx_result result = phx_world_create(&def, &world);
    if (result == PHX_OK) {
        result = phx_material_create(world, &metal, &material);
    }
    if (result == PHX_OK) {
        result = add_box(world, box_of("plate", "box(size=(1,1,0.2))", "efg", material));
    }
    if (result == PHX_OK) {
        result = phx_driver_create(world, driver, &id);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &before);
    }
    for (int n = 0; n < 7 && result == PHX_OK; ++n) {
        result = phx_world_step(world, 0.2);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &after);
    }
    *heat = after.heat_driven;
    *ratio = after.heat_driven / (after.thermal - before.thermal);
    phx_world_destroy(world);
    return result;
}

static phx_result sources(phxi_validation* v) {
    static const char* const names[4] = {"heat", "hold_temperature", "spot", "hot_ball"};
    for (int k = 0; k < 4; ++k) {
        phx_driver_def driver = phx_driver_def_default();
        driver.kind = PHX_DRIVER_HEAT + k;
        driver.power = 3;
        driver.temperature = 400;
        driver.radius = 0.15;
        driver.axis = (phx_vec3){0, 0, -1};
        driver.center = (phx_vec3){-0.1, 0, 0};
        driver.vector = (phx_vec3){0.2, 0, 0};
        driver.region = k == 1 ? "box(center=(0.5,0,0), size=(0.2,2,2))" : NULL;
        driver.start = 0.11;
        driver.end = 1.13;
        driver.ramp = k == 0 ? 0.5 : 0;
        double ratio, heat;
        char quantity[96];
        PHXI_TRY(heat_plate(v, &driver, &ratio, &heat));
        snprintf(quantity, sizeof quantity, "heat of driver %s, counted over taken up", names[k]);
        phxi_validate(v, quantity, ratio, 1, 1e-11);
        if (k == 0) {
            phxi_validate_relative(v, "heat of 3 W over 1.02 s with a ramp of 0.5 s, J", heat, 3 * (1.02 - 0.25),
                                   1e-12);
        } else if (k == 2) {
            phxi_validate_relative(v, "heat of a spot of 3 W over 1.02 s, J", heat, 3 * 1.02, 0.01);
        }
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_heat_bodies[] = {
    {"heat.bars", "bars of efg conduct: at rest, turning, stretched, beside another method", bars},
    {"heat.walls", "a bar of efg between walls of fixed temperature, against its series", walls},
    {"heat.air", "the surface that meets the air, and a lump that cools", air},
    {"heat.interface", "two materials that touch, at one temperature there", interface},
    {"heat.sources", "drivers put in what they say they do", sources},
    {NULL, NULL, NULL},
};
