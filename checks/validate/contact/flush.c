// SPDX-License-Identifier: MIT
// Bodies that touch other bodies at their true surfaces: what is put flush on another begins without force, a stack is
// as high as its parts, and two balls that are pressed together follow Hertz (docs/theory/contact.md K9 to K11).
#include "validate/validate.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SIDE = 0.08, SPACING = 0.01, YOUNG = 1e6, DENSITY = 1000, POISSON = 0.3; // m, m, Pa, kg/m^3

/// How bodies move and are sampled.
typedef struct kind {
    const char *method, *integrator; // NULL: the default
    int sampling;
} kind;

typedef struct solid {
    kind kind;
    const char* shape;
    double spacing, turn; // m; degrees about z
    phx_vec3 at;
} solid;

static void count_warnings(void* context, phx_log_level level, const char* line) {
    (void)line;
    *(int*)context += level == PHX_LOG_WARNING;
}

static phx_result begin(phxi_validation* v, double gravity, int* warnings, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, -gravity};
    def.threads = v->threads;
    def.log = (phx_log){count_warnings, warnings};
    return phx_world_create(&def, world);
}

static phx_result add(phx_world* world, const solid* s, double damping, phx_body_id* made) {
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.poisson = POISSON;
    material.density = DENSITY;
    material.damping = damping;
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(world, &material, &body.material));
    const phx_setting setting = {"integrator", s->kind.integrator};
    char name[16];
    snprintf(name, sizeof name, "%d", world->bodies.count);
    body.name = name;
    body.shape = s->shape;
    body.method = s->kind.method;
    body.sampling = s->kind.sampling;
    body.spacing = s->spacing;
    body.rotate = (phx_vec3){0, 0, s->turn};
    body.translate = s->at;
    body.settings = &setting;
    body.setting_count = s->kind.integrator != NULL;
    return phx_body_create(world, &body, made);
}

static phx_result add_floor(phx_world* world, const char* name, const char* shape) {
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    floor.name = name;
    floor.shape = shape;
    floor.friction = 0;
    floor.damping = 1;
    return phx_collider_create(world, &floor, &collider);
}

// -------------------------------------------------------------------------------------------------------------- flush

static const char block[] = "box(size=(0.08,0.08,0.08))";
static const kind by_default = {"efg", NULL, PHX_SAMPLING_CONFORMING};

/// Speed over that of sound after 5 ms, in which sound crosses two cells; 1: something was said to be in another.
static phx_result stir(phxi_validation* v, const solid* solids, int count, double* speed) {
    int warnings = 0;
    phx_world* world = NULL;
    phx_totals t = {0};
    phx_result result = begin(v, 0, &warnings, &world);
    for (int k = 0; k < count && result == PHX_OK; ++k) {
        phx_body_id id;
        result = add(world, &solids[k], 0, &id);
    }
    for (int k = 0; k < 5 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.001);
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        *speed = fmax(*speed, t.max_speed / sqrt(YOUNG / DENSITY));
    }
    phx_world_destroy(world);
    *speed = warnings > 0 ? 1 : *speed;
    return result;
}

typedef struct pile {
    const char* name;
    solid solids[4];
    int count;
} pile;

/// All on a block of 8 cells with its middle in the origin.
static const pile piles[] = {
    {"the same", {{.shape = block, .at = {0, 0, 0.08}}}, 1},
    {"a finer one", {{.shape = block, .at = {0, 0, 0.08}, .spacing = 0.008}}, 1},
    {"a coarser one", {{.shape = block, .at = {0, 0, 0.08}, .spacing = 0.016}}, 1},
    {"a turned one", {{.shape = block, .at = {0, 0, 0.08}, .turn = 25}}, 1},
    {"a shifted one", {{.shape = block, .at = {0.003, 0.0041, 0.08}}}, 1},
    {"one that hangs over", {{.shape = block, .at = {0.035, 0.02, 0.08}}}, 1},
    {"a wider one", {{.shape = "box(size=(0.15,0.15,0.06))", .at = {0, 0, 0.07}, .turn = 25}}, 1},
    {"a flat one", {{.shape = "box(size=(0.08,0.08,0.03))", .at = {0, 0, 0.055}}}, 1},
    {"one on edges alone", {{.shape = block, .at = {0.08, 0, 0.08}}}, 1},
    {"one on corners alone", {{.shape = block, .at = {0.08, 0.08, 0.08}}}, 1},
    {"a cylinder", {{.shape = "cylinder(from=(0,0,-0.04), to=(0,0,0.04), radius=0.03)", .at = {0, 0, 0.08}}}, 1},
    {"bricks", {{.shape = block, .at = {0.08, 0, 0}}, {.shape = block, .at = {0.04, 0, 0.08}}}, 2},
    {"four round a line",
     {{.shape = block, .at = {0.08, 0, 0}},
      {.shape = block, .at = {0, 0, 0.08}},
      {.shape = block, .at = {0.08, 0, 0.08}}},
     3},
    {"a peg in a hole",
     {{.shape =
           "difference(box(center=(0,0,0.08), size=(0.16,0.16,0.08)), box(center=(0,0,0.08), size=(0.08,0.08,0.1)))"},
      {.shape = block, .at = {0, 0, 0.08}}},
     2},
};

static phx_result lay(phxi_validation* v, const pile* p, kind below, kind above, const char* who) {
    solid all[5] = {{.kind = below, .shape = block, .spacing = SPACING}};
    char text[160];
    double speed = 0;
    for (int k = 0; k < p->count; ++k) {
        all[k + 1] = p->solids[k];
        all[k + 1].kind = above;
        all[k + 1].spacing = p->solids[k].spacing > 0 ? p->solids[k].spacing : SPACING;
    }
    PHXI_TRY(stir(v, all, p->count + 1, &speed));
    snprintf(text, sizeof text, "%s, %s: speed after 5 ms over that of sound", p->name, who);
    // the mesh that tells where the hole is, is good to 5e-9 m
    phxi_validate(v, text, speed, 0, p->count == 2 ? 1e-6 : phxi_by_precision(1e-13, 1e-6));
    return PHX_OK;
}

static phx_result flush(phxi_validation* v) {
    const size_t count = sizeof piles / sizeof piles[0];
    for (size_t k = 0; k < count; ++k) {
        PHXI_TRY(lay(v, &piles[k], by_default, by_default, "efg"));
    }
    static const struct {
        const char* who;
        kind below, above;
    } others[] = {
        {"efg bdf2", {"efg", "bdf2", PHX_SAMPLING_CONFORMING}, {"efg", "bdf2", PHX_SAMPLING_CONFORMING}},
        {"corotated_sph",
         {"corotated_sph", NULL, PHX_SAMPLING_CONFORMING},
         {"corotated_sph", NULL, PHX_SAMPLING_CONFORMING}},
        {"peridynamics",
         {"peridynamics", NULL, PHX_SAMPLING_CONFORMING},
         {"peridynamics", NULL, PHX_SAMPLING_CONFORMING}},
        {"elastoplastic_sph",
         {"elastoplastic_sph", NULL, PHX_SAMPLING_CONFORMING},
         {"elastoplastic_sph", NULL, PHX_SAMPLING_CONFORMING}},
        {"fem", {"fem", "velocity_verlet", PHX_SAMPLING_AUTO}, {"fem", "velocity_verlet", PHX_SAMPLING_AUTO}},
        {"conforming on uniform", {"efg", NULL, PHX_SAMPLING_UNIFORM}, {"efg", NULL, PHX_SAMPLING_CONFORMING}},
        {"uniform on conforming", {"efg", NULL, PHX_SAMPLING_CONFORMING}, {"efg", NULL, PHX_SAMPLING_UNIFORM}},
        {"conforming on rigid", {"rigid", NULL, PHX_SAMPLING_AUTO}, {"efg", NULL, PHX_SAMPLING_CONFORMING}},
        {"rigid on conforming", {"efg", NULL, PHX_SAMPLING_CONFORMING}, {"rigid", NULL, PHX_SAMPLING_AUTO}},
        {"conforming on wall", {"wall", NULL, PHX_SAMPLING_AUTO}, {"efg", NULL, PHX_SAMPLING_CONFORMING}},
        {"mpm on conforming", {"efg", NULL, PHX_SAMPLING_CONFORMING}, {"mpm", NULL, PHX_SAMPLING_AUTO}},
    };
    for (size_t m = 0; m < sizeof others / sizeof others[0]; ++m) {
        static const int which[] = {0, 1, 3, 4, 5};
        for (size_t k = 0; k < sizeof which / sizeof which[0]; ++k) {
            if (which[k] == 3 && others[m].above.sampling != PHX_SAMPLING_CONFORMING) {
                continue; // other lattices are not turned with the body, which then has steps
            }
            PHXI_TRY(lay(v, &piles[which[k]], others[m].below, others[m].above, others[m].who));
        }
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- stacks

enum { HIGH = 3 };

/// Heights of the blocks of a stack above where they are drawn, less what its weight takes, over the spacing; the one
/// that is farthest off.
static phx_result stand(phxi_validation* v, const kind kinds[HIGH], double turn, double* off) {
    int warnings = 0;
    phx_world* world = NULL;
    phx_body_id ids[HIGH] = {{0}};
    double sum[HIGH] = {0};
    enum { LOOKS = 40 };
    phx_result result = begin(v, 9.81, &warnings, &world);
    result = result == PHX_OK ? add_floor(world, "floor", "plane()") : result;
    for (int k = 0; k < HIGH && result == PHX_OK; ++k) {
        const solid s = {kinds[k], block, SPACING, k * turn, {0, 0, SIDE * (k + 0.5)}};
        result = add(world, &s, 10, &ids[k]);
    }
    result = result == PHX_OK ? phx_world_step(world, 0.4) : result;
    for (int n = 0; n < LOOKS && result == PHX_OK; ++n) {
        result = phx_world_step(world, 0.005);
        for (int k = 0; k < HIGH && result == PHX_OK; ++k) {
            phx_totals t;
            result = phx_body_measure(world, ids[k], &t);
            sum[k] += t.mean_position.z / LOOKS;
        }
    }
    phx_world_destroy(world);
    *off = warnings > 0 ? 1 : 0;
    for (int k = 0; k < HIGH; ++k) {
        // the mean over a block of -rho g (H z - z^2/2) / E
        double low = SIDE * k, high = low + SIDE, all = SIDE * HIGH;
        double way = (all * (high * high - low * low) / 2 - (pow(high, 3) - pow(low, 3)) / 6) / SIDE;
        double sag = DENSITY * 9.81 * way / YOUNG, here = (sum[k] - 0.5 * (low + high) + sag) / SPACING;
        *off = fabs(here) > fabs(*off) ? here : *off;
    }
    return result;
}

static phx_result stacks(phxi_validation* v) {
    static const kind efg = {"efg", NULL, PHX_SAMPLING_CONFORMING}, cells = {"efg", NULL, PHX_SAMPLING_UNIFORM},
                      late = {"efg", "bdf2", PHX_SAMPLING_CONFORMING}, rigid = {"rigid", NULL, PHX_SAMPLING_AUTO},
                      sph = {"elastoplastic_sph", NULL, PHX_SAMPLING_CONFORMING},
                      corotated = {"corotated_sph", NULL, PHX_SAMPLING_CONFORMING},
                      bonds = {"peridynamics", NULL, PHX_SAMPLING_CONFORMING}, nodes = {"fem", NULL, PHX_SAMPLING_AUTO};
    const struct {
        const char* name;
        kind kinds[HIGH];
        double turn;
    } all[] = {
        {"efg", {efg, efg, efg}, 0},
        {"efg, turned", {efg, efg, efg}, 25},
        {"efg bdf2", {late, late, late}, 25},
        {"conforming, uniform, conforming", {efg, cells, efg}, 25},
        {"elastoplastic_sph", {sph, sph, sph}, 25},
        {"corotated_sph", {corotated, corotated, corotated}, 25},
        {"peridynamics", {bonds, bonds, bonds}, 25},
        {"fem", {nodes, nodes, nodes}, 0},
        {"efg, elastoplastic_sph, corotated_sph", {efg, sph, corotated}, 0},
        {"efg, rigid, efg", {efg, rigid, efg}, 0},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        double off;
        char text[120];
        PHXI_TRY(stand(v, all[k].kinds, all[k].turn, &off));
        snprintf(text, sizeof text, "%s: height of three blocks, off by spacings", all[k].name);
        phxi_validate(v, text, off, 0, 0.02);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- Hertz

/// Two balls between a floor and a plate that comes down; how near their middles are tells the force.
static phx_result press(phxi_validation* v, kind of, double turn, double down, double* approach, double* force) {
    static const char ball[] = "sphere(radius=0.08)";
    int warnings = 0;
    phx_world* world = NULL;
    phx_body_id ids[2] = {{0}};
    enum { LOOKS = 10 };
    double close = 0;
    *force = 0;
    phx_result result = begin(v, 0, &warnings, &world);
    result = result == PHX_OK ? add_floor(world, "floor", "plane()") : result;
    result = result == PHX_OK ? add_floor(world, "plate", "plane(point=(0,0,0.32), normal=(0,0,-1))") : result;
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        const solid s = {of, ball, SPACING, k * turn, {0, 0, 0.08 + 0.16 * k}};
        result = add(world, &s, 60, &ids[k]);
    }
    phx_driver_def move = phx_driver_def_default();
    phx_driver_id driver;
    move.kind = PHX_DRIVER_MOVE;
    move.collider = "plate";
    move.vector = (phx_vec3){0, 0, -down};
    move.ramp = 0.4;
    result = result == PHX_OK ? phx_driver_create(world, &move, &driver) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    for (int k = 0; k < LOOKS && result == PHX_OK; ++k) {
        phx_totals all, one, two;
        result = phx_world_step(world, 0.01);
        result = result == PHX_OK ? phx_world_measure(world, &all) : result;
        result = result == PHX_OK ? phx_body_measure(world, ids[0], &one) : result;
        result = result == PHX_OK ? phx_body_measure(world, ids[1], &two) : result;
        if (result == PHX_OK) {
            *force += fabs(all.reaction.z) / LOOKS;
            close += (two.mean_position.z - one.mean_position.z) / LOOKS;
        }
    }
    phx_world_destroy(world);
    *approach = 0.16 - close;
    return result;
}

static phx_result balls(phxi_validation* v, const kind* kinds, size_t count) {
    static const double radius = 0.08, ways[] = {0.17, 0.24};
    for (size_t k = 0; k < count; ++k) {
        for (int w = 0; w < 2; ++w) {
            double approach, force;
            char text[120];
            PHXI_TRY(press(v, kinds[k], 0, ways[w] * radius, &approach, &force));
            double exact = 4.0 / 3 * YOUNG / (2 * (1 - POISSON * POISSON)) * sqrt(radius / 2) * pow(approach, 1.5);
            snprintf(text, sizeof text, "%s, %s: two balls, force at an approach of %.3f R, N", kinds[k].method,
                     kinds[k].integrator ? kinds[k].integrator : "explicit", approach / radius);
            phxi_validate_relative(v, text, force, exact, 0.1);
        }
    }
    return PHX_OK;
}

static phx_result hertz(phxi_validation* v) {
    static const kind quick[] = {{"efg", "bdf2", PHX_SAMPLING_CONFORMING},
                                 {"peridynamics", "bdf2", PHX_SAMPLING_CONFORMING}};
    return balls(v, quick, 2);
}

phx_result phxi_validate_contact_balls_full(phxi_validation* v) {
    static const kind all[] = {{"efg", NULL, PHX_SAMPLING_CONFORMING},
                               {"elastoplastic_sph", NULL, PHX_SAMPLING_CONFORMING},
                               {"elastoplastic_sph", "bdf2", PHX_SAMPLING_CONFORMING},
                               {"corotated_sph", NULL, PHX_SAMPLING_CONFORMING},
                               {"peridynamics", NULL, PHX_SAMPLING_CONFORMING}};
    return balls(v, all, sizeof all / sizeof all[0]);
}

const phxi_validation_case phxi_cases_contact_flush[] = {
    {"contact.flush", "bodies put on each other begin without force", flush},
    {"contact.stack_height", "a stack is as high as its parts, less what its weight takes", stacks},
    {"contact.balls", "two balls pressed together, 8 spacings a radius: Hertz", hertz},
    {NULL, NULL, NULL},
};
