// SPDX-License-Identifier: MIT
// Drivers: groups of particles that are held, moved, turned, carried or pushed for a time; and blades. (Those that move
// colliders are in collider_drivers.c.)
//
// A substep belongs to a window if its middle does, so windows that follow each other never share one. What pushes
// (loads, muscle, wind) acts in every substep that its window meets, by its mean over the time in which forces of that
// substep act (motion.c): its impulse is that of the window whatever the substeps are. All others are rigid motions:
// at time t a particle that was at X when the window opened is at C + R(t) (X - C) + T(t), and drivers set position and
// velocity of the END of the substep before the solvers run (motion.c).
//
// What a driver exerts follows from the momentum balance of each of its particles,
//   r = m (v1 - v0) / dt - f_internal - f_external - m g,
// and its work from the same terms times the way, with the internal force averaged over start and end:
//   W += m (v1^2 - v0^2) / 2 - ((f_internal0 + f_internal1) / 2 + f_external + m g) . (x1 - x0).
// Frames of rods turn with the particles that drivers hold, and exert couples: W -= (c0 + c1)/2 . angle.
// The terms of the start are taken before the solvers run, those of the end after.
#include "world/world.h"

#include <string.h>

enum { GRAIN = 1024 };

// ---------------------------------------------------------------------------------------------------- motion

bool phxi_driver_heats(const phx_driver_def* def) {
    return def->kind == PHX_DRIVER_HEAT || def->kind == PHX_DRIVER_HOLD_TEMPERATURE || def->kind == PHX_DRIVER_SPOT ||
           def->kind == PHX_DRIVER_BALL;
}

static bool pushes(const phxi_driver* driver) {
    return phxi_driver_loads(&driver->def) || driver->def.kind == PHX_DRIVER_MUSCLE ||
           driver->def.kind == PHX_DRIVER_WIND;
}

bool phxi_driver_fixes(const phx_driver_def* def) {
    return def->kind == PHX_DRIVER_PIN || def->kind == PHX_DRIVER_MOVE || def->kind == PHX_DRIVER_VELOCITY ||
           def->kind == PHX_DRIVER_TWIST || def->kind == PHX_DRIVER_SPIN;
}

static bool fixes(const phxi_driver* driver) {
    return phxi_driver_fixes(&driver->def);
}

// The blade of a cut: its edge where it is at this time.
static phxi_blade blade_at(const phx_driver_def* def, double time) {
    phx_vec3 along = phxi_normalize(def->axis, phxi_vec3(0, 0, 1));
    phx_vec3 forward = phxi_normalize(phxi_add_scaled(def->vector, -phxi_dot(def->vector, along), along), along);
    return (phxi_blade){.edge = phxi_add_scaled(def->center, phxi_driver_ramp(def, time).integral, def->vector),
                        .along = along,
                        .forward = forward,
                        .normal = phxi_cross(along, forward),
                        .half_width = def->width / 2,
                        .depth = def->depth};
}

// Every body that has particles in the group; blade NULL: makes them ready.
static phx_result cut(phx_world* world, const phxi_driver* driver, const phxi_blade* blade) {
    const int *next = driver->group.indices, *end = next + driver->group.count;
    while (next < end) {
        int b = world->particles.body[*next];
        const phxi_body* body = &world->bodies.items[b];
        const phxi_solver* solver = &world->solvers.items[body->solver];
        const phxi_fracture_table* fracture = solver->method->fracture;
        if (!fracture || !fracture->cut) {
            return phxi_fail(PHX_ERROR_UNSUPPORTED, "body '%s' cannot be cut, its method is %s", body->name,
                             solver->method->name);
        }
        phxi_step step = phxi_world_context(world, body->solver);
        PHXI_TRY(fracture->cut(solver->state, &step, b, blade));
        while (next < end && *next < body->begin + body->count) {
            ++next;
        }
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- blocks

typedef struct block_context {
    phx_world* world;
    phxi_driver* driver;
    phxi_motion before, after; // of the substep
    double dt;
    const phx_vec3* units; // of what pushes: force of each particle at full strength, N; NULL: the reactions are it
    double* work;          // J, by block
} block_context;

static phx_vec3 load3(const phx_real* values, int k) {
    const phx_real* three = values + 3 * (size_t)k;
    return phxi_vec3(three[0], three[1], three[2]);
}

static void store3(phx_real* values, int k, phx_vec3 v) {
    phx_real* three = values + 3 * (size_t)k;
    three[0] = (phx_real)v.x;
    three[1] = (phx_real)v.y;
    three[2] = (phx_real)v.z;
}

static void capture_block(void* context, int begin, int end, int block) {
    const block_context* c = context;
    const phxi_particles* p = &c->world->particles;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        store3(c->driver->start, k, phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
}

static void fix_block(void* context, int begin, int end, int block) {
    const block_context* c = context;
    phxi_particles* p = &c->world->particles;
    double work = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        phx_vec3 start = load3(c->driver->start, k), moved = phxi_motion_displacement(&c->after, start);
        phx_vec3 way = phxi_sub(moved, phxi_motion_displacement(&c->before, start));
        phx_vec3 position = phxi_add(start, moved), velocity = phxi_motion_velocity(&c->after, position);
        phx_vec3 old = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        p->x[i] = (phx_real)position.x;
        p->y[i] = (phx_real)position.y;
        p->z[i] = (phx_real)position.z;
        p->vx[i] = (phx_real)velocity.x;
        p->vy[i] = (phx_real)velocity.y;
        p->vz[i] = (phx_real)velocity.z;
        p->fixed[i] = 1;
        store3(c->driver->reactions, k, phxi_scale(p->mass[i] / c->dt, phxi_sub(velocity, old)));
        work += 0.5 * p->mass[i] * (phxi_dot(velocity, velocity) - phxi_dot(old, old));
        work -= 0.5 * phxi_dot(phxi_internal_force(c->world, i), way);
    }
    c->work[block] = work;
}

static void react_block(void* context, int begin, int end, int block) {
    const block_context* c = context;
    const phxi_particles* p = &c->world->particles;
    double work = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        phx_vec3 start = load3(c->driver->start, k);
        phx_vec3 way =
            phxi_sub(phxi_motion_displacement(&c->after, start), phxi_motion_displacement(&c->before, start));
        phx_vec3 inner = phxi_internal_force(c->world, i);
        phx_vec3 outer = phxi_add_scaled(phxi_vec3(p->fx[i], p->fy[i], p->fz[i]), p->mass[i], c->world->def.gravity);
        phx_vec3 inertia = load3(c->driver->reactions, k);
        store3(c->driver->reactions, k, phxi_sub(inertia, phxi_add(inner, outer)));
        work -= phxi_dot(phxi_add_scaled(outer, 0.5, inner), way);
    }
    c->work[block] = work;
}

/// How much more than its mean a wind or muscles push over this substep alone: for what is not a load it is a guess.
static double late_share(const phxi_push* push) {
    return push->mean != 0 ? fmax(-1, fmin(1, push->late / push->mean)) : 0;
}

// Work of a constant force is the difference of f . x over the substep: minus its start here, plus its end below.
static void push_block(void* context, int begin, int end, int block) {
    const block_context* c = context;
    phxi_particles* p = &c->world->particles;
    phx_real* const* late = c->world->late_force;
    double work = 0;
    phxi_push push = {0};
    for (int k = begin, body = -1; k < end; ++k) {
        int i = c->driver->group.indices[k];
        if (p->body[i] != body || c->driver->profile.local) {
            body = p->body[i];
            push = phxi_driver_push(c->world, c->driver, i, c->dt);
        }
        if (c->units) {
            store3(c->driver->reactions, k, phxi_scale(push.mean, c->units[k]));
        }
        phx_vec3 force = load3(c->driver->reactions, k);
        phx_vec3 more = c->units ? phxi_scale(push.late, c->units[k]) : phxi_scale(late_share(&push), force);
        p->fx[i] += (phx_real)force.x;
        p->fy[i] += (phx_real)force.y;
        p->fz[i] += (phx_real)force.z;
        if (push.late != 0) {
            late[0][i] += (phx_real)more.x;
            late[1][i] += (phx_real)more.y;
            late[2][i] += (phx_real)more.z;
        }
        work -= phxi_dot(force, phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    c->work[block] = work;
}

static void pushed_block(void* context, int begin, int end, int block) {
    const block_context* c = context;
    const phxi_particles* p = &c->world->particles;
    double work = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        work += phxi_dot(load3(c->driver->reactions, k), phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    c->work[block] = work;
}

// Runs a loop over the driver's particles and adds the work of its blocks in their order.
static phx_result run_blocks(block_context* context, phxi_loop_body* body) {
    phx_world* world = context->world;
    int count = context->driver->group.count, blocks = phxi_block_count(count, GRAIN);
    context->work = phxi_arena_take(&world->arena, (size_t)blocks, sizeof(double));
    if (!context->work) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(world->pool, count, GRAIN, body, context);
    for (int b = 0; b < blocks; ++b) {
        context->driver->work += context->work[b];
    }
    return isfinite(context->driver->work)
               ? PHX_OK
               : phxi_fail(PHX_ERROR_UNSTABLE, "driver '%s': its strength is not finite at t = %g s%s",
                           context->driver->name, world->time,
                           context->driver->profile.plan ? ", mind its profile" : "");
}

// ---------------------------------------------------------------------------------------------------- substep

static block_context context_of(phx_world* world, phxi_driver* driver, double dt) {
    block_context context = {.world = world, .driver = driver, .dt = dt};
    if (fixes(driver)) {
        context.before = phxi_driver_motion(driver, world->time);
        context.after = phxi_driver_motion(driver, world->time + dt);
    }
    return context;
}

bool phxi_driver_active(const phx_driver_def* def, double time, double dt) {
    double middle = time + 0.5 * dt;
    return def->start <= middle && middle < def->end;
}

static bool acts(const phx_world* world, const phxi_driver* driver, double dt) {
    double time = world->time; // bodies that leap-frog are still to take half of the last substep's impulse
    return pushes(driver) ? phxi_driver_covered(&driver->def, time - world->last_dt, time + dt) > 0
                          : phxi_driver_active(&driver->def, time, dt);
}

/// How the particles of a driver turn in a substep; in the first all that it begins with.
static phxi_mat3 turn_of(const block_context* context, bool first) {
    phxi_mat3 back = first ? phxi_identity() : phxi_mat3_transpose(&context->before.rotation);
    return phxi_mat3_mul(&context->after.rotation, &back);
}

/// Couples of frames at the end, and their work.
static void end_hold(block_context* context, const phxi_driver_hold* hold) {
    phxi_driver* driver = context->driver;
    phxi_quat q = phxi_quat_from_matrix(&hold->turn);
    phx_vec3 axis = phxi_vec3(q.x, q.y, q.z);
    double sine = phxi_length(axis), angle = 2 * atan2(sine, q.w);
    phx_vec3 couple = phxi_scale(0.5, phxi_add(driver->couple, hold->couple));
    driver->work -= sine > 0 ? angle / sine * phxi_dot(couple, axis) : 0;
    driver->couple = hold->couple;
}

static phx_result begin(phx_world* world, phxi_driver* driver, double dt) {
    if (!acts(world, driver, dt)) {
        if (driver->window == PHXI_WINDOW_OPEN) {
            driver->window = PHXI_WINDOW_CLOSED;
            memset(driver->reactions, 0, 3 * sizeof(phx_real) * (size_t)driver->group.count);
            driver->couple = phxi_vec3(0, 0, 0);
        }
        return PHX_OK;
    }
    block_context context = context_of(world, driver, dt);
    bool first = driver->window != PHXI_WINDOW_OPEN;
    if (first) {
        phxi_parallel_for(world->pool, driver->group.count, GRAIN, capture_block, &context);
        driver->window = PHXI_WINDOW_OPEN;
    }
    if (fixes(driver) && !phxi_finite(phxi_motion_displacement(&context.after, phxi_vec3(1, 1, 1)))) {
        return phxi_fail(PHX_ERROR_UNSTABLE, "driver '%s': its way is not finite at t = %g s, mind its profile",
                         driver->name, world->time + dt);
    }
    if (pushes(driver) && !world->late_force[0]) {
        PHXI_TRY(phxi_world_take_forces(world, world->late_force));
    }
    if (driver->def.kind == PHX_DRIVER_MUSCLE) {
        phxi_muscle_forces(world, driver, dt);
    }
    if (driver->def.kind == PHX_DRIVER_WIND) {
        PHXI_TRY(phxi_wind_forces(world, driver, dt));
    }
    if (phxi_driver_loads(&driver->def)) {
        phx_vec3* units;
        PHXI_TRY(phxi_load_units(world, driver, &units));
        context.units = units;
    }
    if (driver->slides) {
        return phxi_roller_begin(world, driver, &context.before, &context.after, dt);
    }
    if (fixes(driver)) {
        world->holds[driver - world->drivers.items] =
            (phxi_driver_hold){driver->group.indices, driver->group.count, turn_of(&context, first), {0, 0, 0}};
    }
    return driver->def.kind == PHX_DRIVER_CUT ? PHX_OK : run_blocks(&context, fixes(driver) ? fix_block : push_block);
}

bool phxi_drivers_move_walls(const phx_world* world) {
    bool any = false;
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        const phxi_group* group = &driver->group;
        for (int b = 0; driver->used && fixes(driver) && b < world->bodies.count && group->count > 0; ++b) {
            const phxi_body* body = &world->bodies.items[b];
            any = any || (body->kinematic && group->indices[0] < body->begin + body->count &&
                          group->indices[group->count - 1] >= body->begin);
        }
    }
    return any;
}

phx_result phxi_drivers_begin(phx_world* world, double dt) {
    world->holds = phxi_arena_take(&world->arena, (size_t)world->drivers.count + 1, sizeof *world->holds);
    if (!world->holds) {
        return PHX_ERROR_MEMORY;
    }
    memset(world->holds, 0, (size_t)world->drivers.count * sizeof *world->holds);
    world->rails.count = 0;
    for (int i = 0; i < 2 * world->drivers.count; ++i) { // what holds altogether comes first, then rollers
        phxi_driver* driver = &world->drivers.items[i % world->drivers.count];
        bool now = driver->slides == (i >= world->drivers.count);
        if (driver->used && now && !driver->moves_collider && !phxi_driver_heats(&driver->def)) {
            PHXI_TRY(begin(world, driver, dt));
        }
    }
    PHXI_TRY(phxi_clamps_update(world));
    return phxi_collider_drivers_begin(world, dt);
}

phx_result phxi_drivers_end(phx_world* world, double dt) {
    for (int i = 0; i < world->drivers.count; ++i) {
        phxi_driver* driver = &world->drivers.items[i];
        if (!driver->used || driver->window != PHXI_WINDOW_OPEN || driver->moves_collider) {
            continue;
        }
        if (driver->def.kind == PHX_DRIVER_CUT) {
            phxi_blade blade = blade_at(&driver->def, world->time + dt);
            PHXI_TRY(cut(world, driver, &blade));
        } else if (driver->slides) {
            block_context context = context_of(world, driver, dt);
            PHXI_TRY(phxi_roller_end(world, driver, &context.before, &context.after));
        } else {
            block_context context = context_of(world, driver, dt);
            PHXI_TRY(run_blocks(&context, fixes(driver) ? react_block : pushed_block));
            if (fixes(driver)) {
                end_hold(&context, &world->holds[i]);
            }
        }
    }
    phxi_collider_drivers_end(world, dt);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- create, destroy

static void release(phxi_driver* driver, phxi_heap* heap) {
    phxi_group_destroy(&driver->group, heap);
    phxi_profile_destroy(&driver->profile, heap);
    phxi_free(heap, driver->start);
    phxi_free(heap, driver->reactions);
    *driver = (phxi_driver){0};
}

// Two drivers cannot both decide where a particle is.
static phx_result check_overlap(const phx_world* world, const phxi_driver* made) {
    for (int d = 0; d < world->drivers.count && fixes(made) && !made->slides; ++d) {
        const phxi_driver* other = &world->drivers.items[d];
        double from = fmax(made->def.start, other->def.start), to = fmin(made->def.end, other->def.end);
        if (!other->used || !fixes(other) || other->slides || !(from < to)) { // a roller leaves room for others
            continue;
        }
        int shared = 0, first = -1;
        for (int a = 0, b = 0; a < made->group.count && b < other->group.count;) {
            int i = made->group.indices[a], j = other->group.indices[b];
            if (i == j) {
                first = shared++ == 0 ? i : first;
            }
            a += i <= j;
            b += j <= i;
        }
        if (shared > 0) {
            return phxi_fail(
                PHX_ERROR_ARGUMENT,
                "driver '%s' fixes %d of its particles at the same time, from %g s to %g s (the first is of "
                "body '%s'); part their windows or their regions",
                other->name, shared, from, to, world->bodies.items[world->particles.body[first]].name);
        }
    }
    return PHX_OK;
}

static phx_result check_heat(const phx_driver_def* def) {
    if (def->kind == PHX_DRIVER_HEAT && def->power == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "power is 0 W, expected what it heats (or, below 0, cools) with");
    }
    if (def->kind == PHX_DRIVER_SPOT && !(def->power > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "power is %g W, expected above 0 for a spot", def->power);
    }
    if (def->kind == PHX_DRIVER_SPOT && !(phxi_length(def->axis) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "axis is zero, expected the way the beam goes");
    }
    if (def->kind == PHX_DRIVER_BALL && !(def->exchange > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "exchange is %g W/(m^2 K), expected above 0 for a hot_ball",
                         def->exchange);
    }
    return PHX_OK;
}

/// What of its kind can follow a profile, and where that may differ from place to place.
static phx_result check_profile(const phxi_driver* driver, const phx_driver_def* def) {
    static const char* const rigid = "expected move or twist, whose way it is a share of, or what pushes or heats";
    bool turns = def->kind == PHX_DRIVER_PIN || def->kind == PHX_DRIVER_VELOCITY || def->kind == PHX_DRIVER_SPIN ||
                 def->kind == PHX_DRIVER_CUT;
    if (driver->profile.plan != 0 && turns) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "profile: a driver of this kind has no strength that a profile could "
                         "change, %s",
                         rigid);
    }
    bool anywhere = phxi_driver_loads(def) && def->kind != PHX_DRIVER_TORQUE;
    if (driver->profile.local && !anywhere) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "profile: it has x, y or z in it, expected a formula of t alone for a "
                                             "driver of this kind");
    }
    return PHX_OK;
}

static phx_result init(phxi_driver* driver, phx_world* world, const phx_driver_def* def) {
    PHXI_TRY(phxi_params_check(&phxi_driver_table, def));
    PHXI_TRY(check_heat(def));
    PHXI_TRY(phxi_profile_init(&driver->profile, &world->heap, def->profile));
    PHXI_TRY(check_profile(driver, def));
    if (!(def->end > def->start)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "end is %g s, expected above start, %g s", def->end, def->start);
    }
    if ((def->kind == PHX_DRIVER_TWIST || def->kind == PHX_DRIVER_SPIN || def->kind == PHX_DRIVER_MUSCLE ||
         def->kind == PHX_DRIVER_TORQUE) &&
        !(phxi_length(def->axis) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "axis is zero, expected a direction");
    }
    if (def->kind == PHX_DRIVER_CUT && !(phxi_length(phxi_cross(def->axis, def->vector)) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a blade along axis (%g, %g, %g) that moves with (%g, %g, %g) m/s has no "
                         "plane; expected two directions",
                         def->axis.x, def->axis.y, def->axis.z, def->vector.x, def->vector.y, def->vector.z);
    }
    driver->def = *def;
    driver->def.name = driver->def.body = driver->def.region = driver->def.collider = NULL;
    driver->def.profile = driver->def.face = driver->def.axes = NULL;
    driver->def.start = fmax(def->start, world->time);
    if (def->collider && def->collider[0]) {
        return phxi_collider_driver_init(driver, world, def);
    }
    PHXI_TRY(phxi_group_init(&driver->group, world, def->body, def->region, def->face));
    PHXI_TRY(phxi_face_parse(&world->heap, def->face, &driver->face));
    PHXI_TRY(phxi_load_check(world, driver));
    PHXI_TRY(phxi_roller_init(driver, world, def));
    PHXI_TRY(check_overlap(world, driver));
    size_t numbers = 3 * (size_t)driver->group.count;
    driver->start = phxi_alloc_zero(&world->heap, numbers, sizeof(phx_real), "driver");
    driver->reactions = phxi_alloc_zero(&world->heap, numbers, sizeof(phx_real), "driver");
    if (!driver->start || !driver->reactions) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < driver->group.count; ++k) {
        driver->mass += world->particles.mass[driver->group.indices[k]];
    }
    driver->used = true;
    if (def->kind == PHX_DRIVER_CUT) {
        PHXI_TRY(cut(world, driver, NULL));
    }
    PHXI_TRY(phxi_clamps_tell(world, driver, def->region, def->face));
    return phxi_array_reserve(&world->drivers, 1, &world->heap, "drivers") ? PHX_OK : PHX_ERROR_MEMORY;
}

// It begins when it was made, if not later.
static phx_result describe(phx_world* world, const phxi_driver* made, const phx_driver_def* def, char** text) {
    phx_driver_def known = *def;
    known.start = made->def.start;
    PHXI_TRY(phxi_definition_reserve(world));
    phxi_record record = phxi_record_begin(&world->heap, "drivers", def->name, -1);
    known.profile = made->profile.count > 0 ? "a table" : known.profile; // wherever it lies
    phxi_record_table(&record, &phxi_driver_table, &known);
    if (made->profile.plan != 0) { // a table may have changed in its file
        phxi_record_line(&record, "profile_checksum", "%016llx", (unsigned long long)made->profile.plan);
    }
    return phxi_record_end(&record, text);
}

phx_result phx_driver_create(phx_world* world, const phx_driver_def* def, phx_driver_id* driver) {
    if (!world || !def || !driver) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_driver_create needs a world, a definition and a place for the id");
    }
    PHXI_TRY(phxi_stamp_check(def->stamp, PHXI_DRIVER_STAMP, "driver"));
    phxi_driver made = {0};
    PHXI_TRY(phxi_name_copy(made.name, "driver", def->name));
    phx_result result = init(&made, world, def);
    char* text = NULL;
    if (result == PHX_OK) {
        result = describe(world, &made, def, &text);
    }
    if (result == PHX_OK) {
        result = phxi_id_take(&world->driver_ids, &world->heap, "drivers", &driver->index, &driver->generation);
    }
    if (result != PHX_OK) {
        phxi_free(&world->heap, text);
        release(&made, &world->heap);
        return phxi_fail_within(result, "driver '%s'", def->name);
    }
    if (driver->index == world->drivers.count) {
        ++world->drivers.count;
    }
    world->drivers.items[driver->index] = made;
    phxi_definition_add(world, PHXI_OF_DRIVER, driver->index, text);
    return PHX_OK;
}

phx_result phx_driver_destroy(phx_world* world, phx_driver_id driver) {
    PHXI_NEED(world);
    if (!phxi_id_valid(&world->driver_ids, driver.index, driver.generation)) {
        return phxi_fail(PHX_ERROR_STALE_ID, "driver id %d.%u is not one of this world", driver.index,
                         driver.generation);
    }
    world->past_work += world->drivers.items[driver.index].work;
    release(&world->drivers.items[driver.index], &world->heap);
    phxi_definition_drop(world, PHXI_OF_DRIVER, driver.index);
    phxi_id_give(&world->driver_ids, driver.index);
    return PHX_OK;
}
