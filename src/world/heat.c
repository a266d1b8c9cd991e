// SPDX-License-Identifier: MIT
// Heat in the world: when it is advanced, among whom, and from which drivers.
//
// Heat is slow. It is advanced over all the time since it last was, once an explicit step of its own is together, or
// particles have moved far enough to have other neighbours, or the step that the caller asked for ends; with as many
// explicit steps as that time wants (heat/heat.h). So a stiff solid with thousands of substeps a second pays for few of
// them, and one implicit step over many of heat's is no trouble. Where nothing has moved the conductances are kept.
//
// Where every body looks far enough around in space anyway (fluids and walls), heat uses those neighbours; else it has
// its own, of all bodies, so that no method sees other neighbours because of heat.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum { GRAIN = 2048 };
#define REACH   3.0 // spacings that particles see at least
#define TRAVEL  0.1 // spacings, where something flows
#define SLIDE   1.0 // spacings, where only solids move, whose neighbours stay but for others that they slide along
#define PATIENT 100 // explicit steps of heat that a substep may have

// ---------------------------------------------------------------------------------------------------------------
// whether

static bool is_heat(const phxi_driver* driver) {
    return driver->used && phxi_driver_heats(&driver->def);
}

phxi_heat_body phxi_world_heat_body(const phxi_body* body) {
    const phx_material_def* material = &body->material;
    return (phxi_heat_body){.thermal = body->thermal,
                            .law = phxi_heat_law_of(material),
                            .conductivity = material->conductivity,
                            .exchange = material->exchange,
                            .face = phxi_heat_face_factor(fmax(body->reach, REACH))};
}

void phxi_world_heat_added(phx_world* world, const phxi_body* body) {
    const phxi_particles* p = &world->particles;
    phxi_world_heat* h = &world->heat;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        h->coldest = fmin(h->coldest, (double)p->temperature[i]);
        h->hottest = fmax(h->hottest, (double)p->temperature[i]);
    }
}

// If the temperature is the same everywhere and nothing changes it, it stays.
static bool is_awake(const phx_world* world) {
    const phxi_world_heat* h = &world->heat;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_heat_body* body = &h->bodies.items[b];
        bool by_air = body->exchange > 0 && (h->coldest != world->def.air_temperature || h->hottest != h->coldest);
        if (body->thermal == PHX_THERMAL_CONDUCTS && ((body->conductivity > 0 && h->hottest > h->coldest) || by_air)) {
            return true;
        }
    }
    for (int d = 0; d < world->drivers.count; ++d) {
        if (is_heat(&world->drivers.items[d])) {
            return true;
        }
    }
    return false;
}

/// The shortest explicit step of a body, and whose.
static double shortest(const phx_world* world, int* whose) {
    double dt = INFINITY;
    for (int b = 0; b < world->bodies.count; ++b) {
        double own = phxi_heat_body_dt(&world->heat.bodies.items[b], world->bodies.items[b].material.density,
                                       world->extremes.items[b].spacing);
        if (own < dt) {
            dt = own;
            *whose = b;
        }
    }
    return dt;
}

void phxi_world_limit_heat(const phx_world* world, phx_dt_info* info) {
    int body = 0;
    double dt = is_awake(world) ? PATIENT * shortest(world, &body) : INFINITY;
    if (dt < info->stable) {
        info->stable = dt;
        snprintf(info->reason, sizeof info->reason, "limited by heat conduction in body '%.48s'",
                 world->bodies.items[body].name);
    }
}

// ------------------------------------------------------------------------------------------------------------------
// when

typedef struct speeds {
    const phxi_particles* particles;
    double* squares; // by block
} speeds;

static void speed_block(void* context, int begin, int end, int block) {
    const speeds* s = context;
    const phxi_particles* p = s->particles;
    phx_real most = 0;
    for (int i = begin; i < end; ++i) {
        phx_real square = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        most = square > most ? square : most;
    }
    s->squares[block] = (double)most;
}

/// The fastest of all particles and moving sources, m/s.
static phx_result fastest(phx_world* world, double* speed) {
    int count = world->particles.count, blocks = phxi_block_count(count, GRAIN);
    speeds s = {&world->particles, phxi_arena_take(&world->arena, (size_t)blocks, sizeof(double))};
    if (!s.squares) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(world->pool, count, GRAIN, speed_block, &s);
    *speed = 0;
    for (int b = 0; b < blocks; ++b) {
        *speed = fmax(*speed, sqrt(s.squares[b]));
    }
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        *speed = is_heat(driver) ? fmax(*speed, phxi_length(driver->def.vector)) : *speed;
    }
    return PHX_OK;
}

/// How far particles may go, m.
static double allowed(const phx_world* world) {
    double spacing = INFINITY;
    bool flows = false;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        spacing = fmin(spacing, world->extremes.items[b].spacing);
        flows = flows || (body->reach > 0 && !body->kinematic);
    }
    return spacing * (flows ? TRAVEL : SLIDE);
}

// ------------------------------------------------------------------------------------------------------------ with
// what

/// Whether heat's own neighbours are of the particles as they are, and where they are.
static bool is_same(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    const phxi_near* near = &world->heat.near;
    bool same = near->count == p->count && world->heat.births == world->births.count;
    for (int k = 0; k < near->count && same; ++k) {
        int i = near->particle[k];
        same = near->x[k] == phxi_near_image(near, 0, p->x[i]) && near->y[k] == phxi_near_image(near, 1, p->y[i]) &&
               near->z[k] == phxi_near_image(near, 2, p->z[i]);
    }
    return same;
}

static phx_result find_near(phx_world* world, phxi_heat_input* input) {
    bool all = true;
    for (int b = 0; b < world->bodies.count; ++b) {
        all = all && world->bodies.items[b].reach >= REACH;
    }
    input->near = all ? &world->near : &world->heat.near;
    input->same = !all && is_same(world);
    world->heat.births = world->births.count;
    return all || input->same ? PHX_OK : phxi_world_update_neighbors(world, &world->heat.near, REACH);
}

/// Volumes over those at rest, by particle; NULL where no method tells.
static phx_result find_expansion(phx_world* world, const phx_real** expansion) {
    phx_real* values = phxi_arena_take(&world->arena, (size_t)world->particles.count, sizeof *values);
    if (!values) {
        return PHX_ERROR_MEMORY;
    }
    *expansion = phxi_world_volume_ratios(world, values) ? values : NULL;
    return PHX_OK;
}

/// What a group is held at when the time has come to `time`: from where each particle was as the window opened, on.
static phx_result find_targets(phx_world* world, phxi_driver* driver, double time, phxi_heat_source* source) {
    const phx_real* temperature = world->particles.temperature;
    phx_real* targets = phxi_arena_take(&world->arena, (size_t)driver->group.count, sizeof *targets);
    if (!targets) {
        return PHX_ERROR_MEMORY;
    }
    double share = phxi_driver_share(driver, time);
    for (int k = 0; k < driver->group.count; ++k) {
        phx_real* start = &driver->start[3 * (size_t)k];
        *start = driver->window == PHXI_WINDOW_OPEN ? *start : temperature[driver->group.indices[k]];
        targets[k] = (phx_real)(share * driver->def.temperature + (1 - share) * (double)*start);
    }
    driver->window = PHXI_WINDOW_OPEN;
    source->targets = targets;
    return PHX_OK;
}

static bool make_source(const phxi_driver* driver, double from, double to, phxi_heat_source* source) {
    const phx_driver_def* def = &driver->def;
    double share = phxi_driver_mean_share(driver, phxi_vec3(0, 0, 0), from, to);
    double middle = 0.5 * (from + to);
    *source = (phxi_heat_source){
        .kind = def->kind == PHX_DRIVER_HEAT   ? PHXI_HEAT_POWER
                : def->kind == PHX_DRIVER_SPOT ? PHXI_HEAT_SPOT
                : def->kind == PHX_DRIVER_BALL ? PHXI_HEAT_BALL
                                               : PHXI_HEAT_HOLD,
        .particles = driver->group.indices,
        .count = driver->group.count,
        .power = share * def->power,
        .temperature = def->temperature,
        .exchange = fmax(0, share) * def->exchange,
        .radius = def->radius,
        .center = phxi_add_scaled(def->center, fmax(0, middle - def->start), def->vector),
        .axis = phxi_normalize(def->axis, phxi_vec3(0, 0, 1)),
    };
    return source->kind == PHXI_HEAT_HOLD ? def->start <= middle && middle < def->end : share != 0;
}

static phx_result find_sources(phx_world* world, double from, double to, phxi_heat_input* input) {
    phxi_heat_source* sources = phxi_arena_take(&world->arena, (size_t)world->drivers.count + 1, sizeof *sources);
    if (!sources) {
        return PHX_ERROR_MEMORY;
    }
    for (int d = 0; d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        phxi_heat_source* source = &sources[input->source_count];
        if (is_heat(driver) && make_source(driver, from, to, source)) {
            PHXI_TRY(source->kind == PHXI_HEAT_HOLD ? find_targets(world, driver, to, source) : PHX_OK);
            ++input->source_count;
        }
    }
    input->sources = sources;
    return PHX_OK;
}

static phx_result flush(phx_world* world, double end) {
    phxi_world_heat* h = &world->heat;
    phxi_heat_input input = {.pool = world->pool,
                             .arena = &world->arena,
                             .particles = &world->particles,
                             .bodies = h->bodies.items,
                             .air_temperature = world->def.air_temperature,
                             .duration = h->state.pending};
    PHXI_TRY(find_near(world, &input));
    PHXI_TRY(find_expansion(world, &input.expansion));
    PHXI_TRY(find_sources(world, end - h->state.pending, end, &input));
    PHXI_TRY(phxi_heat_advance(&h->heat, &input, &h->state.gain));
    h->state.pending = h->state.travelled = 0;
    return phxi_world_expand_by_heat(world);
}

/// Whether bodies that expand should be told how warm they are: what grows by jumps rings. Implicit steps are long, and
/// in EVERY explicit ones a wave passes two particles or three.
static bool is_awaited(phx_world* world) {
    enum { EVERY = 4 };
    bool awaited = world->particles.thermal && world->substeps % EVERY == EVERY - 1;
    for (int b = 0; b < world->bodies.count && !awaited; ++b) {
        awaited = world->bodies.items[b].expands && phxi_world_implicit_dt(world, b) > 0;
    }
    return awaited;
}

phx_result phxi_world_advance_heat(phx_world* world, double dt, bool last) {
    if (world->particles.count == 0 || !is_awake(world)) {
        return PHX_OK;
    }
    phxi_world_heat* h = &world->heat;
    double speed;
    int whose;
    PHXI_TRY(fastest(world, &speed));
    h->state.pending += dt;
    h->state.travelled += speed * dt;
    bool due = h->state.pending >= shortest(world, &whose) || h->state.travelled >= allowed(world);
    due = due || is_awaited(world);
    phx_result result = last || due ? flush(world, world->time + dt) : PHX_OK;
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "heat at t = %g s", world->time);
}
