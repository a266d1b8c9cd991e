// SPDX-License-Identifier: MIT
// Equilibrium, docs/theory/statics.md: loads grow in steps, and the equilibrium of each is found by Newton's method on
// the operators of the implicit step (implicit/statics.c). All bodies are solved for, whatever they are stepped with.
//
// Drivers know time alone. While the search runs each has a ramp over one long step of pseudo time, at the share of
// which that is the load they are; forces and weight are scaled. Velocities are nothing then, and zero afterwards.
//
// Bodies that no driver holds rest on others. They are let down to what they rest on by short steps without inertia,
// each four times as long as the one before, until the steps are so long that only an equilibrium stays.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define STATICS_STAMP 0x53544154u
#define MOST_CUTS     6
#define FEW           8   // steps of Newton's method, up to which the next load step is twice as long
#define RAMP          1e8 // s of pseudo time, all load steps together
#define DROP          0.1 // spacings that a body falls in the first of the short steps
#define LONGER        4.0
#define FAR_OFF       100.0 // times the load: beyond that in float rounding buckles, too

phx_static_def phx_static_def_default(void) {
    return (phx_static_def){.tolerance = 1e-4, .stamp = STATICS_STAMP};
}

// ----------------------------------------------------------------------------------------------------------- what
// rests

static phx_result check_body(phx_world* world, int b) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_solver* solver = &world->solvers.items[body->solver];
    const phxi_implicit_table* table = solver->method->implicit;
    char why[160] = "";
    if (body->kinematic) {
        return PHX_OK;
    }
    if (!table || !table->rests) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "body '%s': method %s has no tangent to find a static state with; efg, corotated_sph, "
                         "elastoplastic_sph, fem and peridynamics have one, or let it come to rest in a run with "
                         "damping",
                         body->name, solver->method->name);
    }
    phxi_step step = phxi_world_context(world, body->solver);
    return table->rests(solver->state, &step, b, why)
               ? PHX_OK
               : phxi_fail(PHX_ERROR_UNSUPPORTED, "body '%s' %s", body->name, why);
}

static bool acts_now(const phx_world* world, const phxi_driver* driver) {
    return driver->used && driver->def.start <= world->time && world->time < driver->def.end;
}

/// Whether it pushes the same wherever the body goes. Torques and pressures turn with what they push, which the search
/// would have to follow.
static bool is_dead_load(const phx_driver_def* def) {
    return def->kind == PHX_DRIVER_FORCE || def->kind == PHX_DRIVER_TRACTION;
}

static phx_result check_driver(const phx_world* world, const phxi_driver* driver) {
    const phx_driver_def* def = &driver->def;
    bool still = def->kind == PHX_DRIVER_PIN || def->kind == PHX_DRIVER_MOVE || def->kind == PHX_DRIVER_TWIST ||
                 is_dead_load(def) || def->kind == PHX_DRIVER_HOLD_TEMPERATURE ||
                 (def->kind == PHX_DRIVER_VELOCITY && phxi_length(def->vector) == 0) ||
                 (def->kind == PHX_DRIVER_SPIN && def->angle == 0);
    if (!acts_now(world, driver)) {
        return PHX_OK;
    }
    if (def->kind == PHX_DRIVER_TORQUE || def->kind == PHX_DRIVER_PRESSURE) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "driver '%s' turns with what it pushes, which the search for a static state does not follow; "
                         "take a force or a traction, or a damped run",
                         driver->name);
    }
    if (!still) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "driver '%s' never comes to rest; a static state is one of pins, moves, twists, forces, "
                         "tractions and held temperatures",
                         driver->name);
    }
    if (driver->profile.plan != 0) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "driver '%s' has a profile, expected none: a static state has no time, its loads grow in load "
                         "steps",
                         driver->name);
    }
    if (def->ramp > 0) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "driver '%s' has a ramp of %g s, expected none: a static state has no time, its loads grow in "
                         "load steps",
                         driver->name, def->ramp);
    }
    return PHX_OK;
}

/// Whether a driver that acts now holds particles of a body.
static bool is_held(const phx_world* world, int b) {
    const phxi_body* body = &world->bodies.items[b];
    bool held = false;
    for (int d = 0; d < world->drivers.count && !held; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        bool holds = acts_now(world, driver) && !driver->moves_collider && !is_dead_load(&driver->def) &&
                     driver->def.kind != PHX_DRIVER_HOLD_TEMPERATURE;
        for (int k = 0; holds && !held && k < driver->group.count; ++k) {
            int i = driver->group.indices[k];
            held = i >= body->begin && i < body->begin + body->count;
        }
    }
    return held;
}

static phx_result fail_loose(const phx_world* world, int b) {
    return phxi_fail(PHX_ERROR_UNSUPPORTED,
                     "nothing holds body '%s', so it has no static state: pin a part of it, or put it on something",
                     world->bodies.items[b].name);
}

/// *free: some body is held by no driver.
static phx_result check(phx_world* world, bool* free) {
    *free = false;
    if (world->bodies.count == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a static state needs a body");
    }
    for (int d = 0; d < world->drivers.count; ++d) {
        PHXI_TRY(check_driver(world, &world->drivers.items[d]));
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        PHXI_TRY(check_body(world, b));
        bool loose = !world->bodies.items[b].kinematic && !is_held(world, b);
        if (loose && world->colliders.count == 0 && !phxi_world_could_touch(world)) {
            return fail_loose(world, b);
        }
        *free = *free || loose;
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------------
// loads

/// The world as it was, but for what is looked for.
typedef struct search {
    phx_world* world;
    const phx_static_def* def;
    phx_static_report* report;
    phx_driver_def* drivers; // as they were
    phx_vec3 gravity;
    double time, last_dt;
    bool free, buckling;
    phxi_implicit_statics found;
} search;

/// Pseudo time over RAMP at which a ramp is at this share.
static double when(double share) {
    double low = 0, high = 1;
    for (int k = 0; k < 60; ++k) {
        double u = (low + high) / 2;
        *(u * u * (3 - 2 * u) < share ? &low : &high) = u;
    }
    return share >= 1 ? 1 : share <= 0 ? 0 : high;
}

/// What is held at a temperature has it from the start. Heat takes time: the rest keeps its own.
static void hold_temperatures(phx_world* world) {
    phxi_particles* p = &world->particles;
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        bool holds = acts_now(world, driver) && driver->def.kind == PHX_DRIVER_HOLD_TEMPERATURE;
        for (int k = 0; holds && k < driver->group.count; ++k) {
            int i = driver->group.indices[k];
            const phxi_body* body = &world->bodies.items[p->body[i]];
            phxi_heat_law law = phxi_heat_law_of(&body->material);
            if (body->thermal != PHX_THERMAL_FIXED) {
                phxi_enthalpy_set(p, i, &law, phxi_enthalpy_at(&law, driver->def.temperature));
            }
        }
    }
}

/// Everything at this share of the load. Holds move on from where they are over the next step.
static void set_loads(search* s, double share) {
    for (int d = 0; d < s->world->drivers.count; ++d) {
        phx_driver_def* def = &s->world->drivers.items[d].def;
        const phx_driver_def* own = &s->drivers[d];
        *def = *own;
        def->start = own->start <= s->time && s->time < own->end ? 0 : INFINITY;
        def->end = INFINITY;
        def->ramp = RAMP;
        if (is_dead_load(own)) {
            def->ramp = 0;
            def->vector = phxi_scale(share, own->vector);
        }
    }
    s->world->def.gravity = phxi_scale(share, s->gravity);
    phxi_world_expand(s->world, share);
}

static void give_back(search* s) {
    for (int d = 0; d < s->world->drivers.count; ++d) {
        s->world->drivers.items[d].def = s->drivers[d];
    }
    s->world->def.gravity = s->gravity;
    s->world->time = s->time;
    s->world->last_dt = s->last_dt;
    s->world->statics = NULL;
    phxi_world_expand(s->world, 1);
}

static void stop(phx_world* world) {
    phxi_particles* p = &world->particles;
    phx_real* const* const rates[] = {p->carry, p->past, p->made};
    size_t size = (size_t)p->count * sizeof(phx_real);
    memset(p->vx, 0, size);
    memset(p->vy, 0, size);
    memset(p->vz, 0, size);
    for (int k = 0; k < 9; ++k) {
        if (rates[k / 3][k % 3]) {
            memset(rates[k / 3][k % 3], 0, size);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// search

/// A step of dt of pseudo time from `from` on.
static phx_result settle(search* s, double from, double dt) {
    s->found = (phxi_implicit_statics){
        .tolerance = s->def->tolerance, .load = 1, .loose = -1, .stressless = -1, .buckling = s->buckling};
    s->world->statics = &s->found;
    s->world->time = from;
    s->world->last_dt = 0;
    phx_result result = phxi_world_static_substep(s->world, dt);
    s->world->statics = NULL;
    stop(s->world);
    s->report->newton += s->found.newton;
    return result;
}

/// The first of the short steps of bodies that nothing holds: they fall by little.
static double short_step(const search* s) {
    const phxi_particles* p = &s->world->particles;
    double least = INFINITY, g = phxi_length(s->gravity);
    for (int i = 0; i < p->count; ++i) {
        least = fmin(least, (double)p->spacing[i]);
    }
    return g > 0 ? sqrt(DROP * least / g) : 1e-3;
}

/// The same; *good: it is an equilibrium. A body that nothing holds by then is refused.
static phx_result settle_held(search* s, double from, double dt, bool* good) {
    PHXI_TRY(settle(s, from, dt));
    *good = !s->found.missed;
    return s->found.loose < 0 ? PHX_OK : fail_loose(s->world, s->world->particles.body[s->found.loose]);
}

/// From one share of the load to another; *good: an equilibrium was found.
static phx_result load_step(search* s, double from, double to, bool* good) {
    double begin = RAMP * when(from), end = RAMP * when(to);
    set_loads(s, to);
    if (!s->free) {
        return settle_held(s, begin, end - begin, good);
    }
    // what only rests on something is let down, under loads and holds that are all there
    double dt = short_step(s);
    PHXI_TRY(settle_held(s, end - dt, dt, good));
    while (!*good && (dt *= LONGER) < PHXI_STATICS_DT) {
        PHXI_TRY(settle_held(s, end, dt, good));
    }
    return PHX_OK;
}

static phx_result give_up(const search* s, double to) {
    return phxi_fail(PHX_ERROR_UNSTABLE,
                     "no equilibrium was found at %.4g of the load, the last one is at %.4g (%d cuts; forces out of "
                     "balance by %.2g of all, expected at most %g): more load than it bears, or a state that buckles",
                     to, s->report->load, s->report->cuts, s->found.left / s->found.load, s->def->tolerance);
}

static phx_result find(search* s) {
    const phx_static_def* def = s->def;
    phx_static_report* r = s->report;
    double step = def->steps > 0 ? 1.0 / def->steps : 1;
    for (int in_row = 0; r->load < 1;) {
        double to = r->load + step > 1 - 1e-9 ? 1 : r->load + step;
        bool good = false;
        int newton = r->newton;
        PHXI_TRY(phxi_snapshot_take(s->world));
        phx_result result = load_step(s, r->load, to, &good);
        if (result != PHX_OK && result != PHX_ERROR_UNSTABLE) {
            phx_result back = phxi_snapshot_restore(s->world);
            return back == PHX_OK ? result : back;
        }
        if (result != PHX_OK || !good) {
            PHXI_TRY(phxi_snapshot_restore(s->world));
            step /= 2;
            ++r->cuts;
            if (++in_row > MOST_CUTS) {
                return give_up(s, to);
            }
            continue;
        }
        in_row = 0;
        r->load = to;
        r->left = s->found.left / s->found.load;
        ++r->steps;
        step *= def->steps == 0 && r->newton - newton <= FEW ? 2 : 1;
        give_back(s);
        if (def->progress && !def->progress(def->context, r)) {
            return phxi_fail(PHX_ERROR_CANCELLED, "stopped at %g of the load", r->load);
        }
    }
    return PHX_OK;
}

/// What the state that was found bears: another look at it.
static phx_result find_buckling(search* s) {
    const phxi_particles* p = &s->world->particles;
    bool good;
    s->buckling = true;
    set_loads(s, 1);
    PHXI_TRY(settle_held(s, RAMP, RAMP, &good));
    if (s->found.stressless >= 0) {
        const phxi_body* body = &s->world->bodies.items[p->body[s->found.stressless]];
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "body '%s' of %s has no tangent of stress to find a buckling load with; expected a solid body "
                         "of efg, elastoplastic_sph, corotated_sph (tangent: projected) or fem, no sheet or rod of one "
                         "particle across",
                         body->name, s->world->solvers.items[body->solver].method->name);
    }
    if (s->found.touching) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "something touches, which a buckling load does not know; expected bodies that drivers alone "
                         "hold");
    }
    s->report->buckling = s->found.steepest > 1 / FAR_OFF ? 1 / s->found.steepest : INFINITY;
    return PHX_OK;
}

phx_result phx_world_static(phx_world* world, const phx_static_def* def, phx_static_report* report) {
    if (!world || !def || def->stamp != STATICS_STAMP || def->steps < 0 || !(def->tolerance > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "phx_world_static needs a world and a definition made by "
                         "phx_static_def_default, with steps of at least 0 and a tolerance above 0");
    }
    phx_static_report own;
    search s = {.world = world,
                .def = def,
                .report = report ? report : &own,
                .gravity = world->def.gravity,
                .time = world->time,
                .last_dt = world->last_dt};
    *s.report = (phx_static_report){0};
    PHXI_TRY(check(world, &s.free));
    size_t count = (size_t)world->drivers.count + 1;
    PHXI_NEW(s.drivers, &world->heap, count, "statics");
    for (int d = 0; d < world->drivers.count; ++d) {
        s.drivers[d] = world->drivers.items[d].def;
    }
    hold_temperatures(world);
    phx_result result = find(&s);
    if (result == PHX_OK && def->buckling) {
        result = find_buckling(&s);
    }
    give_back(&s);
    phxi_free(&world->heap, s.drivers);
    return result;
}
