// SPDX-License-Identifier: MIT
// Totals of a group of particles: sums in double, per block and then in block order. What depends on positions and
// velocities alone is summed here; methods add elastic energy, internal force and extremes.
#include "world/world.h"

#include "contact/law/projection.h"

enum { GRAIN = 2048 };

phx_vec3 phxi_internal_force(const phx_world* world, int i) {
    const phxi_solver* solver = &world->solvers.items[world->bodies.items[world->particles.body[i]].solver];
    phx_real* const* a = world->particles.acceleration;
    bool known = solver->method->motion & PHXI_MOTION_ACCELERATION;
    return known ? phxi_scale(world->particles.mass[i], phxi_vec3(a[0][i], a[1][i], a[2][i])) : phxi_vec3(0, 0, 0);
}

phx_vec3 phxi_outer_force(const phx_world* world, int i) {
    const phxi_particles* p = &world->particles;
    double young = world->bodies.items[p->body[i]].modulus;
    phx_vec3 inner = phxi_internal_force(world, i), outer = phxi_scale(p->mass[i], world->def.gravity);
    bool alone = !world->bodies.items[p->body[i]].ignores_colliders && !phxi_world_is_rigid(world, p->body[i]);
    for (int c = 0; alone && c < world->colliders.count; ++c) {
        phxi_collider_load load = {.force = phxi_add(inner, outer), .dt = world->last_dt};
        if (world->def.contact == PHXI_PROJECTION) {
            load.projection = true;
            load.compliance = world->def.compliance;
            load.coming = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            load.kick = world->last_dt;
        }
        int at = phxi_friction_memory_from(&world->colliders.items[c].friction_memory, i, -1);
        load.before = phxi_friction_memory_find(&world->colliders.items[c].friction_memory, i, -1, &at);
        phx_vec3 force = phxi_collider_force(&world->colliders.items[c], p, i, young, &load);
        outer = phxi_add(outer, force);
    }
    return outer;
}

typedef struct sums {
    int count;
    double mass, kinetic, potential, contact, square_speed;
    double thermal, warmth, coldest, hottest;
    phx_vec3 momentum, angular, moment, force, low, high;
} sums;

static const phx_vec3 NOWHERE_LOW = {INFINITY, INFINITY, INFINITY}, NOWHERE_HIGH = {-INFINITY, -INFINITY, -INFINITY};

static phx_vec3 lower(phx_vec3 a, phx_vec3 b) {
    return phxi_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static phx_vec3 higher(phx_vec3 a, phx_vec3 b) {
    return phxi_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

typedef struct sum_context {
    const phx_world* world;
    const uint8_t* selected; // by particle, NULL: all
    int first;
    sums* blocks;
} sum_context;

/// Whether colliders push a particle by a stiffness: what was put into them leaves slowly instead (overlap.c).
static bool is_sprung(const phx_world* world, int i) {
    const phxi_particles* p = &world->particles;
    bool stiff = world->def.contact == PHXI_PENALTY || world->def.compliance > 0;
    return stiff && !(p->overlap[i] > 0) && !world->bodies.items[p->body[i]].ignores_colliders &&
           !phxi_world_is_rigid(world, p->body[i]);
}

static void sum_block(void* context, int begin, int end, int block) {
    const sum_context* c = context;
    const phx_world* world = c->world;
    const phxi_particles* p = &world->particles;
    sums s = {.coldest = INFINITY, .hottest = -INFINITY, .low = NOWHERE_LOW, .high = NOWHERE_HIGH};
    for (int i = c->first + begin; i < c->first + end; ++i) {
        if (c->selected && !c->selected[i]) {
            continue;
        }
        double mass = p->mass[i];
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        double square = phxi_dot(v, v);
        ++s.count;
        s.mass += mass;
        s.kinetic += 0.5 * mass * square;
        s.potential -= mass * phxi_dot(world->def.gravity, x);
        s.square_speed = square > s.square_speed ? square : s.square_speed;
        double temperature = (double)p->temperature[i];
        s.thermal += mass * phxi_enthalpy_get(p, i);
        s.warmth += mass * temperature;
        s.coldest = temperature < s.coldest ? temperature : s.coldest;
        s.hottest = temperature > s.hottest ? temperature : s.hottest;
        s.momentum = phxi_add_scaled(s.momentum, mass, v);
        s.angular = phxi_add_scaled(s.angular, mass, phxi_cross(x, v));
        s.moment = phxi_add_scaled(s.moment, mass, x);
        s.low = lower(s.low, x);
        s.high = higher(s.high, x);
        s.force = phxi_add(s.force, phxi_outer_force(world, i));
        for (int k = 0; is_sprung(world, i) && k < world->colliders.count; ++k) {
            double young = world->bodies.items[p->body[i]].modulus;
            double give = world->def.contact == PHXI_PROJECTION ? world->def.compliance : 0;
            double spring = phxi_gap_stiffness(give, mass, world->last_dt);
            s.contact += phxi_collider_energy(&world->colliders.items[k], p, i, young, spring);
        }
    }
    c->blocks[block] = s;
}

static phx_result sum_motion(phx_world* world, int begin, int count, const uint8_t* selected, phx_totals* t) {
    int blocks = phxi_block_count(count, GRAIN);
    sum_context context = {world, selected, begin, phxi_arena_take(&world->arena, (size_t)blocks, sizeof(sums))};
    if (!context.blocks) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(world->pool, count, GRAIN, sum_block, &context);
    double square_speed = 0, warmth = 0, coldest = INFINITY, hottest = -INFINITY;
    phx_vec3 moment = {0, 0, 0}, low = NOWHERE_LOW, high = NOWHERE_HIGH;
    for (int b = 0; b < blocks; ++b) {
        const sums* s = &context.blocks[b];
        t->count += s->count;
        t->mass += s->mass;
        t->kinetic += s->kinetic;
        t->potential += s->potential;
        t->contact += s->contact;
        t->thermal += s->thermal;
        warmth += s->warmth;
        coldest = fmin(coldest, s->coldest);
        hottest = fmax(hottest, s->hottest);
        t->momentum = phxi_add(t->momentum, s->momentum);
        t->angular_momentum = phxi_add(t->angular_momentum, s->angular);
        t->force = phxi_add(t->force, s->force);
        moment = phxi_add(moment, s->moment);
        low = lower(low, s->low);
        high = higher(high, s->high);
        square_speed = fmax(square_speed, s->square_speed);
    }
    t->max_speed = sqrt(square_speed);
    t->mean_temperature = t->mass > 0 ? warmth / t->mass : 0;
    t->min_temperature = t->count > 0 ? coldest : 0;
    t->max_temperature = t->count > 0 ? hottest : 0;
    t->lowest = t->count > 0 ? low : moment;
    t->highest = t->count > 0 ? high : moment;
    t->mean_position = t->mass > 0 ? phxi_scale(1 / t->mass, moment) : moment;
    return PHX_OK;
}

static void sum_drivers(const phx_world* world, int begin, int count, const uint8_t* selected, phx_totals* t) {
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        for (int k = 0; driver->used && k < driver->group.count; ++k) {
            int i = driver->group.indices[k];
            if (i >= begin && i < begin + count && (!selected || selected[i])) {
                const phx_real* r = driver->reactions + 3 * (size_t)k;
                t->reaction = phxi_add(t->reaction, phxi_vec3(r[0], r[1], r[2]));
            }
        }
    }
}

// Bodies lie one behind the other; those outside [begin, begin + count) have no part.
static void sum_methods(phx_world* world, int begin, int count, const uint8_t* selected, phx_totals* t) {
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        if (body->begin >= begin && body->begin < begin + count) {
            const phxi_solver* solver = &world->solvers.items[body->solver];
            phxi_step step = phxi_world_context(world, body->solver);
            solver->method->measure(solver->state, &step, b, selected ? selected + body->begin : NULL, t);
        }
    }
}

static phx_result sum_touch(phx_world* world, int begin, int count, const uint8_t* selected, phx_totals* t) {
    phxi_pair_forces touch;
    PHXI_TRY(phxi_world_touch_now(world, &touch));
    for (int i = begin; touch.energy && i < begin + count; ++i) {
        if (!selected || selected[i]) {
            t->contact += touch.energy[i];
            t->force = phxi_add(t->force, phxi_vec3(touch.force[0][i], touch.force[1][i], touch.force[2][i]));
        }
    }
    return PHX_OK;
}

static phx_result measure(const phx_world* shared, int begin, int count, const uint8_t* selected, phx_totals* totals) {
    phx_world* world = (phx_world*)shared; // its scratch memory is used; what it holds does not change
    *totals = (phx_totals){.min_det = INFINITY};
    phx_result result = sum_motion(world, begin, count, selected, totals);
    if (result == PHX_OK) {
        result = sum_touch(world, begin, count, selected, totals);
    }
    if (result == PHX_OK) {
        sum_drivers(world, begin, count, selected, totals);
        sum_methods(world, begin, count, selected, totals);
    }
    totals->min_det = isinf(totals->min_det) ? 1 : totals->min_det;
    phxi_arena_reset(&world->arena);
    return result;
}

/// What came into the whole world so far; and what drivers of colliders, which push all bodies, exert.
static void add_input(const phx_world* world, phx_totals* totals) {
    totals->external_work = world->past_work;
    for (int d = 0; d < world->drivers.count; ++d) {
        totals->external_work += world->drivers.items[d].work;
        totals->reaction = phxi_add(totals->reaction, world->drivers.items[d].held.reaction);
    }
    totals->heat_driven = world->heat.state.gain.driven;
    totals->heat_air = world->heat.state.gain.air;
    totals->heat_fixed = world->heat.state.gain.fixed;
    totals->expansion_work = world->heat.state.expansion;
}

phx_result phx_world_measure(const phx_world* world, phx_totals* totals) {
    PHXI_NEED(world && totals);
    PHXI_TRY(measure(world, 0, world->particles.count, NULL, totals));
    add_input(world, totals);
    return PHX_OK;
}

phx_result phx_body_measure(const phx_world* world, phx_body_id body, phx_totals* totals) {
    PHXI_NEED(world && totals);
    int begin, count;
    PHXI_TRY(phx_body_range(world, body, &begin, &count));
    return measure(world, begin, count, NULL, totals);
}

phx_result phx_probe_measure(const phx_world* world, phx_probe_id probe, phx_totals* totals) {
    PHXI_NEED(world && totals);
    if (!phxi_id_valid(&world->probe_ids, probe.index, probe.generation)) {
        return phxi_fail(PHX_ERROR_STALE_ID, "probe id %d.%u is not one of this world", probe.index, probe.generation);
    }
    const phxi_probe* p = &world->probes.items[probe.index];
    PHXI_TRY(measure(world, 0, p->selected_count, p->selected, totals));
    if (p->group.count == world->particles.count) {
        add_input(world, totals);
    }
    return phxi_probe_contact(world, p, totals);
}
