// SPDX-License-Identifier: MIT
// Colliders that move: what they do is what their drivers do, and what lies on them goes along as far as friction can.
#include "validate/validate.h"

#include "world/world.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

/// A block of rubber, 2 cm apart, that some colliders meet.
typedef struct meeting {
    phx_world* world;
    phx_body_id body;
} meeting;

typedef struct block_def {
    const char *shape, *integrator; // NULL: velocity_verlet
    double young, gravity, safety;  // Pa, m/s^2, of the substep
} block_def;

static phx_result begin(phxi_validation* v, const block_def* made, meeting* m) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, -made->gravity};
    def.safety = made->safety > 0 ? made->safety : def.safety;
    def.threads = v->threads;
    *m = (meeting){0};
    PHXI_TRY(phx_world_create(&def, &m->world));
    phx_material_def material = phx_material_def_default();
    material.young = made->young;
    phx_material_id id;
    PHXI_TRY(phx_material_create(m->world, &material, &id));
    phx_body_def block = phx_body_def_default();
    const phx_setting setting = {"integrator", made->integrator ? made->integrator : "velocity_verlet"};
    block.shape = made->shape;
    block.spacing = 0.02;
    block.material = id;
    block.settings = &setting;
    block.setting_count = 1;
    return phx_body_create(m->world, &block, &m->body);
}

static phx_result add_collider(meeting* m, const char* name, const char* shape, double friction, double damping) {
    phx_collider_def def = phx_collider_def_default();
    def.name = name;
    def.shape = shape;
    def.friction = friction;
    def.damping = damping;
    phx_collider_id id;
    return phx_collider_create(m->world, &def, &id);
}

static phx_result add_driver(meeting* m, phx_driver_def def, phx_driver_kind kind, const char* collider) {
    def.name = def.collider = collider;
    def.kind = kind;
    phx_driver_id id;
    return phx_driver_create(m->world, &def, &id);
}

static double energy(const phx_totals* t) {
    return t->kinetic + t->elastic + t->contact;
}

// ---------------------------------------------------------------------------------------------------------- turntable

/// After the table has turned up to speed within a second: where the block is after two more.
static phx_result turn(phxi_validation* v, double rate, const char* integrator, double* radius, double* lag) {
    meeting m;
    phx_driver_def spin = phx_driver_def_default();
    spin.angle = rate * 180 / PI;
    spin.ramp = 1;
    phx_totals t = {0};
    const block_def block = {"box(center=(0.3,0,0.03), size=(0.1,0.1,0.06))", integrator, 1e6, 9.81, 0};
    phx_result result = begin(v, &block, &m);
    result = result == PHX_OK ? add_collider(&m, "table", "cylinder(from=(0,0,-0.1), to=(0,0,0), radius=1)", 0.5, 1)
                              : result;
    result = result == PHX_OK ? add_driver(&m, spin, PHX_DRIVER_SPIN, "table") : result;
    result = result == PHX_OK ? phx_world_step(m.world, 3) : result;
    result = result == PHX_OK ? phx_world_measure(m.world, &t) : result;
    phx_world_destroy(m.world);
    *radius = hypot(t.mean_position.x, t.mean_position.y);
    *lag = remainder(2.5 * rate - atan2(t.mean_position.y, t.mean_position.x), 2 * PI);
    return result;
}

static phx_result turntable(phxi_validation* v) {
    double radius, lag; // friction 0.5 holds up to 4.04 rad/s
    PHXI_TRY(turn(v, 3.5, NULL, &radius, &lag));
    phxi_validate_relative(v, "radius after 3 s at 3.5 rad/s, m", radius, 0.3, 0.005);
    phxi_validate(v, "angle behind the table, rad", lag, 0, 0.005);
    PHXI_TRY(turn(v, 4.6, NULL, &radius, &lag));
    phxi_validate(v, "at 4.6 rad/s it slips out: radius above 0.6 m, of 0.3 m", fmin(radius, 0.6), 0.6, 0);
    PHXI_TRY(turn(v, 3.5, "bdf2", &radius, &lag));
    phxi_validate_relative(v, "implicit steps: radius after 3 s at 3.5 rad/s, m", radius, 0.3, 0.005);
    phxi_validate(v, "implicit steps: angle behind the table, rad", lag, 0, 0.005);
    PHXI_TRY(turn(v, 4.6, "bdf2", &radius, &lag));
    phxi_validate(v, "implicit steps at 4.6 rad/s: radius above 0.6 m", fmin(radius, 0.6), 0.6, 0);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- work

/// A piston, or a paddle that turns, hits a block that is free.
static phx_result strike(phxi_validation* v, bool paddle, double safety, double* work, double* gained,
                         double* momentum) {
    meeting m;
    phx_driver_def def = phx_driver_def_default();
    def.vector = (phx_vec3){0, 0, 0.5};
    def.axis = (phx_vec3){0, 1, 0};
    def.angle = -60; // a second
    def.center = (phx_vec3){-0.5, 0, 0};
    phx_totals t = {0};
    const block_def block = {"box(center=(0,0,0.05), size=(0.1,0.1,0.08))", NULL, 1e6, 0, safety};
    phx_result result = begin(v, &block, &m);
    result = result == PHX_OK ? add_collider(&m, "piston", "box(center=(0,0,-0.1), size=(1,1,0.2))", 0, 0) : result;
    result = result == PHX_OK ? add_driver(&m, def, paddle ? PHX_DRIVER_SPIN : PHX_DRIVER_VELOCITY, "piston") : result;
    result = result == PHX_OK ? phx_world_step(m.world, 0.2) : result;
    result = result == PHX_OK ? phx_world_measure(m.world, &t) : result;
    phx_world_destroy(m.world);
    *work = t.external_work;
    *gained = energy(&t);
    *momentum = t.momentum.z;
    return result;
}

/// A piston presses a block against a wall over a while and stands.
static phx_result press(phxi_validation* v, const char* integrator, double* work, double* gained, double* balance) {
    meeting m;
    phx_driver_def def = phx_driver_def_default();
    def.vector = (phx_vec3){0, 0, -0.012};
    def.ramp = 0.2;
    phx_totals t = {0};
    const block_def block = {"box(center=(0,0,0.05), size=(0.1,0.1,0.1))", integrator, 1e5, 0, 0};
    phx_result result = begin(v, &block, &m);
    result = result == PHX_OK ? add_collider(&m, "wall", "plane()", 0, 0) : result;
    result = result == PHX_OK ? add_collider(&m, "piston", "plane(point=(0,0,0.1), normal=(0,0,-1))", 0, 0) : result;
    result = result == PHX_OK ? add_driver(&m, def, PHX_DRIVER_MOVE, "piston") : result;
    result = result == PHX_OK ? add_driver(&m, phx_driver_def_default(), PHX_DRIVER_PIN, "wall") : result;
    result = result == PHX_OK ? phx_world_step(m.world, 0.2) : result;
    result = result == PHX_OK ? phx_world_measure(m.world, &t) : result;
    if (result == PHX_OK) {
        double above = m.world->drivers.items[0].held.reaction.z, below = m.world->drivers.items[1].held.reaction.z;
        *balance = (above + below) / (below - above);
    }
    phx_world_destroy(m.world);
    *work = t.external_work;
    *gained = energy(&t);
    return result;
}

static phx_result work(phxi_validation* v) {
    double done, gained, other;
    PHXI_TRY(strike(v, false, 0, &done, &gained, &other));
    phxi_validate_relative(v, "a piston hits a block: work over its speed times momentum gained", done / (0.5 * other),
                           1, phxi_by_precision(1e-12, 1e-5));
    phxi_validate_relative(v, "work over energy gained", done / gained, 1, 0.01);
    PHXI_TRY(strike(v, false, 0.2, &done, &gained, &other));
    phxi_validate_relative(v, "the same, substeps of 0.2 over the frequency of contact", done / gained, 1, 0.002);
    PHXI_TRY(strike(v, true, 0, &done, &gained, &other));
    phxi_validate_relative(v, "a paddle that turns hits it: work over energy gained", done / gained, 1, 0.01);
    PHXI_TRY(press(v, NULL, &done, &gained, &other));
    phxi_validate_relative(v, "a piston presses a block: work over energy", done / gained, 1, 0.001);
    phxi_validate(v, "pushes of piston and wall: sum over difference", other, 0, 0.01);
    PHXI_TRY(press(v, "bdf2", &done, &gained, &other));
    phxi_validate_relative(v, "the same by implicit steps: work over energy", done / gained, 1, 0.02);
    phxi_validate(v, "pushes of piston and wall: sum over difference", other, 0, 0.01);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_collider[] = {
    {"collider.turntable", "a block on a turning table goes along, or slips", turntable},
    {"collider.work", "the work of obstacles that move is the energy gained", work},
    {NULL, NULL, NULL},
};
