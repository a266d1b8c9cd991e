// SPDX-License-Identifier: MIT
// What implicit steps must survive: docs/theory/implicit_steps.md S6 (random impulses: energy stays below the work put
// in), and random scenes of everything at once, none of which may end in a state that is not finite.
#include "validate/dice.h"
#include "validate/efg/efg.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

/// Adds a velocity to the particles within `radius` of a random one; returns the kinetic energy that brings, J.
static double strike(phxi_dice* d, phx_world* world, double radius, double speed) {
    phxi_particles* p = &world->particles;
    int at = phxi_pick(d, p->count);
    phx_vec3 change = phxi_roll_vector(d, speed), middle = phxi_vec3(p->rest_x[at], p->rest_y[at], p->rest_z[at]);
    double work = 0;
    for (int i = 0; i < p->count; ++i) {
        if (phxi_distance(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), middle) > radius) {
            continue;
        }
        phx_vec3 before = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        p->vx[i] += (phx_real)change.x, p->vy[i] += (phx_real)change.y, p->vz[i] += (phx_real)change.z;
        phx_vec3 after = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        work += 0.5 * (double)p->mass[i] * (phxi_dot(after, after) - phxi_dot(before, before));
    }
    return work;
}

// ------------------------------------------------------------------------------------------------------------ S6

static phx_result block_world(int threads, double young, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = young;
    material.poisson = 0.3;
    material.density = 1000;
    material.law = PHX_LAW_COROTATED;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_setting setting = {"integrator", "bdf2"};
    phx_body_def body = phx_body_def_default();
    body.shape = "box(size=(0.5,0.5,0.5))";
    body.spacing = 0.0625;
    body.material = id;
    body.settings = &setting;
    body.setting_count = 1;
    phx_body_id body_id;
    return phx_body_create(*world, &body, &body_id);
}

/// Largest energy over the work put in so far.
static phx_result impulses(phx_world* world, uint64_t seed, double speed, int count, double* worst) {
    phxi_dice d = {phxi_hash_pair(seed, 6)};
    double work = 0;
    for (int k = 0; k < count; ++k) {
        if (k % 10 == 0) {
            work += strike(&d, world, 2.5 * 0.0625, speed);
        }
        PHXI_TRY(phx_world_substep(world, 1.0 / 60));
        phx_totals t;
        PHXI_TRY(phx_world_measure(world, &t));
        *worst = fmax(*worst, (t.kinetic + t.elastic) / work);
    }
    return PHX_OK;
}

static phx_result random_impulses_of(phxi_validation* v, int seeds, int count) {
    static const double youngs[] = {1e5, 1e7, 2e11}, speeds[] = {5, 30};
    for (int k = 0; k < 6; ++k) {
        double worst = 0;
        for (uint64_t seed = 1; seed <= (uint64_t)seeds; ++seed) {
            phx_world* world = NULL;
            phx_result result = block_world(v->threads, youngs[k / 2], &world);
            if (result == PHX_OK) {
                result = impulses(world, seed, speeds[k % 2], count, &worst);
            }
            phx_world_destroy(world);
            PHXI_TRY(result);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "most energy over work, E = %g, %g m/s", youngs[k / 2], speeds[k % 2]);
        phxi_validate(v, quantity, fmax(1, worst), 1, 1e-3);
    }
    return PHX_OK;
}

static phx_result random_impulses(phxi_validation* v) {
    return random_impulses_of(v, 5, 1000);
}

static phx_result some_impulses(phxi_validation* v) {
    return random_impulses_of(v, 2, 100);
}

// ------------------------------------------------------------------------------------------------------------ soak

static const char* const shapes[] = {
    "box(size=(0.4,0.4,0.4))",
    "box(size=(1.2,0.3,0.3))",
    "sphere(radius=0.25)",
    "box(size=(0.8,0.8,0.1))",
    "cylinder(from=(-0.4,0,0), to=(0.4,0,0), radius=0.16)",
};

static phx_result add_random_body(phxi_dice* d, phx_world* world, phx_material_id material, int index) {
    static const char* const integrators[] = {"bdf2", "bdf2", "bdf2", "implicit_euler"};
    char dt[32];
    snprintf(dt, sizeof dt, "%.17g", 1.0 / 30);
    phx_setting settings[2] = {{"integrator", integrators[phxi_pick(d, 4)]}, {"implicit_dt", dt}};
    phx_body_def body = phx_body_def_default();
    char name[24];
    snprintf(name, sizeof name, "body %d", index);
    body.name = name;
    body.shape = shapes[phxi_pick(d, 5)];
    body.spacing = 0.1;
    body.friction = phxi_roll(d, 0, 1);
    body.self_contact = phxi_pick(d, 4) == 0;
    body.translate =
        phxi_vec3(index == 0 ? 0 : phxi_roll(d, -0.1, 0.1), index == 0 ? 0 : phxi_roll(d, -0.1, 0.1), 0.95 * index);
    body.material = material;
    body.settings = settings;
    body.setting_count = 2;
    body.velocity = phxi_roll_vector(d, phxi_roll(d, 0, 5));
    body.angular_velocity = phxi_roll_vector(d, phxi_roll(d, 0, 10));
    phx_body_id id;
    return phx_body_create(world, &body, &id);
}

/// Up to two drivers at opposite ends, pulling at random.
static phx_result add_random_drivers(phxi_dice* d, phx_world* world) {
    static const int kinds[] = {PHX_DRIVER_PIN, PHX_DRIVER_MOVE, PHX_DRIVER_TWIST, PHX_DRIVER_FORCE,
                                PHX_DRIVER_VELOCITY};
    static const char* const regions[] = {"plane(point=(-0.1,0,0), normal=(1,0,0))",
                                          "plane(point=(0.1,0,0), normal=(-1,0,0))"};
    for (int k = 0; k < phxi_pick(d, 3); ++k) {
        phx_driver_def driver = phx_driver_def_default();
        char name[32];
        snprintf(name, sizeof name, "hand %d", k);
        driver.name = name;
        driver.kind = kinds[phxi_pick(d, 5)];
        driver.region = regions[k];
        driver.vector =
            phxi_roll_vector(d, driver.kind == PHX_DRIVER_FORCE ? phxi_roll_log(d, 1, 1e5) : phxi_roll(d, 0, 1));
        driver.angle = phxi_roll(d, -180, 180);
        driver.axis = phxi_vec3(1, 0, 0);
        driver.ramp = phxi_roll(d, 0.1, 0.5);
        driver.end = phxi_roll(d, 0.3, 2);
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(world, &driver, &id));
    }
    return PHX_OK;
}

static phx_result random_material(phxi_dice* d, phx_world* world, phx_material_id* id) {
    phx_material_def material = phx_material_def_default();
    material.young = phxi_roll_log(d, 1e3, 1e11);
    material.poisson = phxi_roll(d, 0, 0.49);
    material.density = phxi_roll_log(d, 100, 1e4);
    material.law = phxi_pick(d, 8);
    material.damping = phxi_pick(d, 2) * phxi_roll(d, 0, 10);
    return phx_material_create(world, &material, id);
}

/// One body, or up to three above each other, some of which will meet.
static phx_result random_world(phxi_dice* d, int threads, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, world));
    int bodies = 1 + phxi_pick(d, 3);
    for (int k = 0; k < bodies; ++k) {
        phx_material_id id;
        PHXI_TRY(random_material(d, *world, &id));
        PHXI_TRY(add_random_body(d, *world, id, k));
    }
    PHXI_TRY(add_random_drivers(d, *world));
    if (phxi_pick(d, 2)) {
        phx_collider_def floor = phx_collider_def_default();
        floor.shape = "plane(point=(0,0,-0.5))";
        floor.friction = phxi_roll(d, 0, 1);
        phx_collider_id collider;
        PHXI_TRY(phx_collider_create(*world, &floor, &collider));
    }
    return PHX_OK;
}

/// One scene; `gained` if a body that no driver touched has more energy than went in.
static phx_result soak_scene(uint64_t seed, int threads, bool* gained) {
    enum { STEPS = 90 };
    phxi_dice d = {phxi_hash_pair(seed, 30)};
    phx_world* world = NULL;
    phx_totals t = {0};
    phx_result result = random_world(&d, threads, &world);
    double dt = phxi_roll(&d, 1.0 / 240, 1.0 / 30), speed = phxi_pick(&d, 2) * phxi_roll_log(&d, 0.1, 30), work = 0;
    if (result == PHX_OK) {
        result = phx_world_measure(world, &t);
    }
    double start = t.kinetic + t.potential, scale = t.mass * 9.81;
    for (int k = 0; k < STEPS && result == PHX_OK; ++k) {
        if (k % 10 == 0 && speed > 0) {
            work += strike(&d, world, 0.25, speed);
        }
        result = phx_world_substep(world, dt);
        if (result == PHX_OK) {
            result = phx_world_measure(world, &t);
        }
        double more = t.kinetic + t.elastic + t.potential - start - work;
        *gained = *gained || (world->drivers.count == 0 && !(more <= 0.01 * (fabs(start) + work + scale)));
    }
    phx_world_destroy(world);
    return result;
}

static phx_result soak_scenes(phxi_validation* v, int count) {
    int failed = 0, grown = 0;
    for (int k = 0; k < count; ++k) {
        bool gained = false;
        phx_result result = soak_scene((uint64_t)k + 1, v->threads, &gained);
        if (result == PHX_ERROR_UNSTABLE) {
            ++failed;
        } else if (result != PHX_OK) {
            return phxi_fail_within(result, "scene %d", k + 1);
        }
        grown += gained;
    }
    char quantity[96];
    snprintf(quantity, sizeof quantity, "of %d random scenes not finite", count);
    phxi_validate(v, quantity, failed, 0, 0);
    snprintf(quantity, sizeof quantity, "of %d random scenes with energy from nowhere", count);
    phxi_validate(v, quantity, grown, 0, 0);
    return PHX_OK;
}

static phx_result soak(phxi_validation* v) {
    return soak_scenes(v, 200);
}

static phx_result short_soak(phxi_validation* v) {
    return soak_scenes(v, 20);
}

const phxi_validation_case phxi_cases_efg_soak[] = {
    {"efg.implicit_impulses", "S6: energy after random blows stays below their work, 100 steps", some_impulses},
    {"efg.implicit_soak", "random materials, pulls, blows and steps up to 1/30 s, 20 scenes", short_soak},
    {NULL, NULL, NULL},
};

const phxi_validation_case phxi_cases_slow[] = {
    {"efg.implicit_impulses_full", "S6: random blows over 1000 steps and 5 seeds", random_impulses},
    {"efg.implicit_soak_full", "200 random scenes", soak},
    {"conforming.elastica_full", "slender bars bent farther, and 8 across", phxi_validate_conforming_elastica_full},
    {"contact.pile_full", "1000 cubes, 5 s at rest", phxi_validate_contact_pile_full},
    {"contact.hertz_full", "a ball between two plates: Hertz, explicit steps", phxi_validate_contact_hertz_full},
    {"contact.balls_full", "two balls pressed together: Hertz, explicit steps", phxi_validate_contact_balls_full},
    {"soak.methods_full", "the same as soak.methods, 200 scenes of each method", phxi_validate_soak_full},
    {"soak.mpm", "200 random scenes of the material point method", phxi_validate_soak_mpm},
    {"soak.peridynamics", "200 random scenes of peridynamics", phxi_validate_soak_peridynamics},
    {"efg.fracture_bars", "F1: the notched bar at six more lattices and notches", phxi_validate_fracture_bars},
    {"efg.fracture_plates", "F2: the edge crack at three more lattices", phxi_validate_fracture_plates},
    {"efg.fracture_impacts", "F3: twice the speed of the ball", phxi_validate_fracture_impacts},
    {"efg.fracture_ductile_full", "F8: other lattices, references and speeds", phxi_validate_ductile_bars},
    {"contact.drops_full", "100 drops at up to 10 m/s: nothing passes through", phxi_validate_contact_drops_full},
    {"rigid.stack_full", "three rigid boxes keep still for 5 s", phxi_validate_rigid_stack_full},
    {"mpm.taylor", "a copper rod hits a wall at 227 m/s", phxi_validate_mpm_taylor},
    {"mpm.sand_full", "the column of sand, 16 particles a radius", phxi_validate_mpm_sand_full},
    {"mpm.run_out_full", "columns of sand of three heights, two cones and two stiffnesses beside experiments",
     phxi_validate_mpm_run_out_full},
    {"heat.stefan_full", "the melting front at 20, 40 and 80 particles", phxi_validate_heat_stefan_full},
    {"wcsph.poiseuille_full", "flow between plates, 40 particles across", phxi_validate_wcsph_poiseuille_full},
    {"wcsph.tank_full", "water in a tank for 5 s", phxi_validate_wcsph_tank_full},
    {"wcsph.dam_break_full", "the reference dam break, 2.5 s", phxi_validate_wcsph_dam_break_full},
    {"granular.column_full", "columns of four shapes, three sands, half the step", phxi_validate_granular_column_full},
    {"granular.bed_full", "beds of three sands: on which slope they rest and flow", phxi_validate_granular_bed_full},
    {"granular.cut_full", "vertical cuts of 16 spacings in two sands", phxi_validate_granular_cut_full},
    {"granular.slime_full", "balls of slime, thick, viscous and fading", phxi_validate_granular_slime_full},
    {"granular.thread_full", "how far strands of slime hold, by method", phxi_validate_granular_thread_full},
    {"granular.redistribution_full", "a ball of slime whose particles are redistributed",
     phxi_validate_granular_redistribution_full},
    {"granular.steps_full", "sand, slime and clay at steps of 0.5 and 1 ms", phxi_validate_granular_steps_full},
    {"granular.heap_full", "slopes of heaps that were poured, and of wedges let go", phxi_validate_granular_heap_full},
    {"granular.resolution_full", "run-out by resolution and shape, beside mpm", phxi_validate_granular_resolution_full},
    {"granular.implicit_full", "columns, beds and slime by implicit steps", phxi_validate_granular_implicit_full},
    {"wcsph.block_full", "the melting block of docs/theory/melting.md, H6", phxi_validate_wcsph_block_full},
    {"esph.wave_full", "a bar let go, at four resolutions", phxi_validate_esph_wave_full},
    {"esph.irregular_full", "162, 1016 and 2025 irregular points that flow, 10 s", phxi_validate_esph_irregular_full},
    {"corotated.stretch_full", "all rows of the table of bars", phxi_validate_corotated_stretch_full},
    {"peridynamics.elastica_full", "slender beams that weight bends, 8 across",
     phxi_validate_peridynamics_elastica_full},
    {"peridynamics.spring_full", "coil springs, more and finer", phxi_validate_peridynamics_spring_full},
    {"peridynamics.griffith_full", "the same at other Poisson ratios", phxi_validate_peridynamics_griffith_full},
    {"peridynamics.column_full", "columns of sand by bonds that yield", phxi_validate_peridynamics_column_full},
    {"corotated.cantilevers", "tips of bars, corrected and as published", phxi_validate_corotated_cantilevers},
    {NULL, NULL, NULL},
};
