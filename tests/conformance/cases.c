// SPDX-License-Identifier: MIT
// The cases. What is held:
//
// * Mass to the last bit.
// * Momentum and angular momentum of the world to 1e-6 (double: 1e-12) of what is exchanged: the larger of the two
//   bodies' changes of momentum, what gravity gave them taken off; for angular momentum at least that times the radius
//   of a body, since the lever about the origin may be anything. What nothing is exchanged in is held against what it
//   carries, sum m |v|. In free fall all particles round alike, and errors of half a rounding a substep add up. Sums
//   are in double over the particles' own numbers. A body that moves by drivers alone takes whatever it is given, so
//   worlds with one are not asked.
// * Energy: kinetic, elastic, of contact and of gravity together never exceed what they were at the start, but for
//   ENERGY_SLACK of it: explicit schemes swing about the energy they keep. Nor do kinetic energy and that of gravity
//   alone, which no method may misreport.
#include "conformance.h"

static const double EXACT = sizeof(phx_real) == sizeof(float) ? 1e-6 : 1e-12;
static const double ULP = sizeof(phx_real) == sizeof(float) ? 0x1p-24 : 0x1p-53; // a rounding, relative
static const double ENERGY_SLACK = 0.01;
static const double RADIUS = 0.06; // m, of the balls
static const double G = 9.81;      // m/s^2

// ------------------------------------------------------------------------------------------------------ measurement

typedef struct state {
    phx_totals all, body[2];
    double carried, turned; // kg m/s: sum m |v|; kg m^2/s: sum m |x cross v|
} state;

static void say(test_outcome* o, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void say(test_outcome* o, const char* format, ...) {
    size_t used = strlen(o->red);
    va_list arguments;
    va_start(arguments, format);
    snprintf(o->red + used, used < sizeof o->red ? 2 : 0, "%s", used ? "," : "");
    used = strlen(o->red);
    snprintf(o->red + used, sizeof o->red - used, "%s", used ? " " : "");
    used = strlen(o->red);
    vsnprintf(o->red + used, sizeof o->red - used, format, arguments);
    va_end(arguments);
}

static void note(test_outcome* o, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void note(test_outcome* o, const char* format, ...) {
    size_t used = strlen(o->numbers);
    va_list arguments;
    va_start(arguments, format);
    if (used + 2 < sizeof o->numbers) {
        o->numbers[used++] = ' ';
        vsnprintf(o->numbers + used, sizeof o->numbers - used, format, arguments);
    }
    va_end(arguments);
}

/// Takes off what velocities are ahead of forces by: explicit and implicit bodies have exchanged the same by then, and
/// what turns is of the place where it was found.
static void sum_ahead(phx_world* world, int b, phx_totals* body, phx_totals* all) {
    const phxi_particles* p = &world->particles;
    const phxi_body* own = &world->bodies.items[b];
    if (own->kinematic || world->substeps == 0 || phxi_world_implicit_dt(world, b) > 0 ||
        !nature_runs_ahead(world->solvers.items[own->solver].method)) {
        return;
    }
    phx_vec3 push = {0, 0, 0}, turn = {0, 0, 0};
    for (int i = own->begin; i < own->begin + own->count; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        phx_vec3 f = phxi_add(phxi_vec3(p->fx[i], p->fy[i], p->fz[i]), phxi_internal_force(world, i));
        push = phxi_add_scaled(push, 0.5 * world->last_dt, f);
        turn = phxi_add_scaled(turn, 0.5 * world->last_dt, phxi_cross(x, f));
    }
    body->momentum = phxi_sub(body->momentum, push);
    body->angular_momentum = phxi_sub(body->angular_momentum, turn);
    all->momentum = phxi_sub(all->momentum, push);
    all->angular_momentum = phxi_sub(all->angular_momentum, turn);
}

static bool measure(phx_world* world, state* s, test_outcome* o) {
    *s = (state){0};
    phx_result result = phx_world_measure(world, &s->all);
    for (int b = 0; b < world->bodies.count && result == PHX_OK; ++b) {
        phx_body_id id = {b, world->bodies.items[b].generation};
        result = phx_body_measure(world, id, &s->body[b]);
        sum_ahead(world, b, &s->body[b], &s->all);
    }
    if (result != PHX_OK) {
        say(o, "cannot be measured: %s", phx_error_message());
    }
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        s->carried += (double)p->mass[i] * phxi_length(v);
        s->turned += (double)p->mass[i] * phxi_length(phxi_cross(x, v));
    }
    return result == PHX_OK;
}

static bool step(phx_world* world, double duration, test_outcome* o) {
    if (phx_world_step(world, duration) != PHX_OK) {
        say(o, "stopped: %.200s", phx_error_message());
        return false;
    }
    return true;
}

static bool has_still(const test_cast* cast) {
    bool still = false;
    for (int k = 0; k < cast->count; ++k) {
        still = still || cast->bodies[k]->kinematic;
    }
    return still;
}

static double energy(const phx_totals* t) {
    return t->kinetic + t->elastic + t->contact + t->potential;
}

// ------------------------------------------------------------------------------------------------------------- checks

/// A world under way: what it began with, and the worst of what was seen since.
typedef struct watch {
    state first, last;
    phx_vec3 gravity;
    double scale_p, scale_l, scale_e; // what momenta and energy are held against; 0: what is exchanged
    double momentum, angular;         // now, kg m/s, kg m^2/s
    double gain, kinetic, during;     // worst so far, J, J, kg m/s
    double exchanged, exchanged_l;
    double exact, slack; // of momenta; of energy
    int64_t substeps;
    bool mass;
} watch;

static bool watch_begin(watch* w, phx_world* world, test_outcome* o) {
    *w = (watch){.gravity = world->def.gravity, .exact = EXACT, .slack = ENERGY_SLACK, .mass = true};
    return measure(world, &w->first, o);
}

static bool watch_look(watch* w, phx_world* world, test_outcome* o) {
    if (!measure(world, &w->last, o)) {
        return false;
    }
    const phx_totals *a = &w->first.all, *b = &w->last.all;
    phx_vec3 fall = phxi_scale(world->time, w->gravity), given = phxi_scale(a->mass, fall);
    phx_vec3 turn = phxi_cross(a->mean_position, given); // of what falls from rest
    w->momentum = phxi_distance(b->momentum, phxi_add(a->momentum, given));
    w->during = fmax(w->during, w->momentum);
    w->angular = phxi_distance(b->angular_momentum, phxi_add(a->angular_momentum, turn));
    w->gain = fmax(w->gain, energy(b) - energy(a));
    w->kinetic = fmax(w->kinetic, b->kinetic + b->potential - energy(a));
    w->mass = w->mass && a->mass == b->mass;
    w->substeps = (int64_t)world->substeps;
    for (int k = 0; k < world->bodies.count; ++k) {
        const phx_totals *p = &w->first.body[k], *q = &w->last.body[k];
        phx_vec3 expected = phxi_add_scaled(p->momentum, p->mass, fall);
        phx_vec3 expected_l = phxi_add(p->angular_momentum, phxi_cross(p->mean_position, phxi_scale(p->mass, fall)));
        w->exchanged = fmax(w->exchanged, phxi_distance(q->momentum, expected));
        w->exchanged_l = fmax(w->exchanged_l, phxi_distance(q->angular_momentum, expected_l));
    }
    return true;
}

/// Of momenta, for what methods state themselves (natures.c).
static double stated(const test_cast* cast, double exact, double (*of)(const phxi_method* method)) {
    for (int k = 0; k < cast->count; ++k) {
        exact = fmax(exact, of(cast->bodies[k]->method));
    }
    return exact;
}

static void watch_end(const watch* w, const test_cast* cast, test_outcome* o) {
    double p = w->scale_p > 0 ? w->scale_p : w->exchanged;
    double l = w->scale_l > 0 ? w->scale_l : fmax(w->exchanged_l, RADIUS * w->exchanged);
    double momentum = w->momentum / fmax(p, 1e-300), angular = w->angular / fmax(l, 1e-300);
    double gain = w->gain / w->scale_e, kinetic = w->kinetic / w->scale_e;
    note(o, "gain %.2g kinetic %.2g", gain, kinetic);
    if (!w->mass) {
        say(o, "mass changes");
    }
    if (!(gain <= w->slack) || !(kinetic <= w->slack)) {
        say(o, "energy gained %.2g (of motion %.2g) of what there is", gain, kinetic);
    }
    if (has_still(cast)) {
        return;
    }
    note(o, "substeps %lld", (long long)w->substeps);
    note(o, "momentum %.1e (%.1e) angular %.1e", momentum, w->during / fmax(p, 1e-300), angular);
    double rounding = stated(cast, 0, nature_rounding) * ULP * (double)w->substeps;
    if (!(momentum <= w->exact + rounding)) {
        say(o, "momentum %.1e", momentum);
    }
    if (!(angular <= stated(cast, w->exact, nature_angular) + rounding)) {
        say(o, "angular momentum %.1e", angular);
    }
}

// -------------------------------------------------------------------------------------------------------------- cases

/// Builds, steps `count` times, watches: the common course.
static phx_world* watch_run(const test_scene* scene, const test_cast* cast, double duration, int count, watch* w,
                            test_outcome* o) {
    phx_world* world = scene_build(scene, cast, 1);
    if (!world) {
        say(o, "refused: %.300s", phx_error_message());
        return NULL;
    }
    bool good = watch_begin(w, world, o);
    for (int k = 0; k < count && good; ++k) {
        good = step(world, duration, o) && watch_look(w, world, o);
    }
    if (!good) {
        phx_world_destroy(world);
        world = NULL;
    }
    return world;
}

#define BLOCK                                                                                                          \
    { 0.1, 0.1, 0.1 }
#define BALL                                                                                                           \
    { 2 * 0.06, 0, 0 }
#define FRAME (1.0 / 60) // s, the implicit step where nothing is said

/// Side by side, half a spacing between them: within the reach of contact, which must not push yet. One alone is
/// turned, so that no axis is special.
static test_scene together(const test_cast* cast) {
    test_scene s = {.places = {{.size = BLOCK}, {.size = BLOCK, .translate = {0.11, 0, 0}}}, .friction = 0.3};
    if (cast->count == 1) {
        s.places[0].rotate = phxi_vec3(20, 30, 40);
    }
    return s;
}

/// Nothing pushes, nothing moves.
static void rest(const test_cast* cast, test_outcome* o) {
    test_scene s = together(cast);
    watch w;
    phx_world* world = watch_run(&s, cast, FRAME, 3, &w, o);
    if (!world) {
        return;
    }
    double sound = sqrt(YOUNG / 1000), speed = w.last.all.max_speed / sound;
    note(o, "speed %.1e of sound", speed);
    if (!(speed <= EXACT)) {
        say(o, "moves with %.1e of the speed of sound", speed);
    }
    if (w.last.all.mass != w.first.all.mass) {
        say(o, "mass changes");
    }
    phx_world_destroy(world);
}

/// Gravity and nothing else: momentum is m g t, and nothing moves relative to anything else.
static void free_fall(const test_cast* cast, test_outcome* o) {
    test_scene s = together(cast);
    s.gravity = phxi_vec3(1, -2, -9.81);
    watch w;
    phx_world* world = watch_run(&s, cast, FRAME, 3, &w, o);
    if (!world) {
        return;
    }
    const phx_totals* t = &w.last.all;
    double speed = phxi_length(s.gravity) * world->time, all = t->mass * speed;
    w.scale_p = all;
    w.scale_l = RADIUS * all;
    w.scale_e = 0.5 * t->mass * speed * speed;
    w.exact = EXACT + 0.5 * ULP * (double)world->substeps;
    w.slack = 2 * FRAME / world->time; // the way of schemes of first order is off by g t dt / 2
    if (!has_still(cast)) {
        double inner = (t->kinetic - w.scale_e) / w.scale_e; // of motion against the centre of mass
        note(o, "inner %.1e exchanged %.1e", inner, w.exchanged / all);
        if (!(fabs(inner) <= 2 * w.exact)) {
            say(o, "falls with motion of its own, %.1e of the energy", inner);
        }
    }
    watch_end(&w, cast, o);
    phx_world_destroy(world);
}

/// Thrown aside: the weight of what falls along a parabola has a torque about where it began, and none about itself.
static void thrown(const test_cast* cast, test_outcome* o) {
    test_scene s = together(cast);
    s.gravity = phxi_vec3(1, -2, -9.81);
    s.places[0].velocity = s.places[1].velocity = phxi_vec3(3, 1, 0.5);
    watch w;
    phx_world* world = has_still(cast) ? NULL : watch_run(&s, cast, FRAME, 3, &w, o);
    if (!world) {
        return;
    }
    const phx_totals* t = &w.last.all;
    double straight = 0.5 * phxi_dot(t->momentum, t->momentum) / t->mass, inner = t->kinetic / straight - 1;
    note(o, "inner %.1e", inner);
    if (!(fabs(inner) <= 2 * (EXACT + 0.5 * ULP * (double)world->substeps))) {
        say(o, "turns or swings with %.1e of the energy", inner);
    }
    phx_world_destroy(world);
}

/// Time in which a push of strength 1 would give what one with a ramp from 1.3 ms to 2.3 ms gives by 6.3 ms, with a
/// profile that steps integrate exactly.
static double pushed_time(void) {
    const double c[3] = {1, 80, -9000}, ramp = 0.001, end = 0.005;
    double sum = 0;
    for (int k = 0; k < 3; ++k) { // of c_k s^k, with s from the start: under the ramp 3 u^2 - 2 u^3, then alone
        sum += c[k] * pow(ramp, k + 1) * (3.0 / (k + 3) - 2.0 / (k + 4));
        sum += c[k] * (pow(end, k + 1) - pow(ramp, k + 1)) / (k + 1);
    }
    return sum;
}

/// The first is pushed for 5 ms, with a ramp. The impulse is that of the push, however steps are cut and whoever asks.
/// (What stands takes some of it from fluids beside it.)
static void impulse(const test_cast* cast, test_outcome* o) {
    static const double intervals[] = {0.05, 0.01, 0.005, 0.0037, 0.0011};
    double worst = 0, bound = EXACT;
    for (int k = 0; k < 5 && !has_still(cast); ++k) {
        test_scene s = together(cast);
        phx_world* world = scene_build(&s, cast, 1);
        phx_driver_def push = phx_driver_def_default();
        phx_driver_id id;
        phx_totals t;
        push.kind = PHX_DRIVER_FORCE;
        push.body = "one";
        push.start = 0.0013, push.end = 0.0063, push.ramp = 0.001;
        push.vector = phxi_vec3(3, -4, 12);
        push.profile = k % 2 ? "1 + 80*(t - 0.0013) - 9000*(t - 0.0013)^2" : NULL;
        phx_result result = world ? phx_driver_create(world, &push, &id) : PHX_ERROR_ARGUMENT;
        while (result == PHX_OK && world->time < 0.0149) {
            result = phx_world_step(world, fmin(intervals[k], 0.015 - world->time));
        }
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        if (result != PHX_OK) {
            say(o, "refused: %.300s", phx_error_message());
            phx_world_destroy(world);
            return;
        }
        double time = push.profile ? pushed_time() : push.end - push.start - 0.5 * push.ramp;
        phx_vec3 wrong = phxi_sub(t.momentum, phxi_scale(time, push.vector));
        worst = fmax(worst, phxi_length(wrong) / (time * phxi_length(push.vector)));
        bound = fmax(bound, EXACT + 0.5 * ULP * (double)world->substeps);
        phx_world_destroy(world);
    }
    note(o, "impulse off by %.1e", worst);
    if (!(worst <= bound)) {
        say(o, "impulse off by %.1e", worst);
    }
}

/// Flies and turns, two of them about their common middle: they part.
static void rigid_motion(const test_cast* cast, test_outcome* o) {
    test_scene s = together(cast);
    phx_vec3 spin = phxi_vec3(3, 4, -2), middle = phxi_vec3(cast->count == 1 ? 0 : 0.055, 0, 0);
    for (int k = 0; k < 2; ++k) {
        phx_vec3 arm = phxi_sub(s.places[k].translate, middle);
        s.places[k].velocity = phxi_add(phxi_vec3(0.6, -0.2, 0.4), phxi_cross(spin, arm));
        s.places[k].spin = spin;
    }
    watch w;
    phx_world* world = watch_run(&s, cast, FRAME, 6, &w, o);
    if (!world) {
        return;
    }
    w.scale_p = fmax(w.first.carried, 1e-30);
    w.scale_l = fmax(w.first.turned, 1e-30);
    w.scale_e = fmax(w.first.all.kinetic, 1e-30);
    watch_end(&w, cast, o);
    phx_world_destroy(world);
}

static void collide(const test_scene* s, const test_cast* cast, test_outcome* o) {
    watch w;
    phx_world* world = watch_run(s, cast, 2 * FRAME, 3, &w, o);
    if (!world) {
        return;
    }
    w.scale_e = fmax(w.first.all.kinetic, 1e-30);
    const char* passes = cast->count == 2 ? nature_passes(cast->bodies[0], cast->bodies[1]) : "alone";
    if (passes) {
        w.scale_p = fmax(w.first.carried, 1e-30);
        w.scale_l = fmax(w.first.turned, 1e-30);
    } else {
        double share = w.exchanged / fmax(w.first.carried, 1e-30);
        note(o, "exchanged %.2g", share);
        if (!(share >= 0.1)) {
            say(o, "they pass through each other: %.1e of the momentum is exchanged", share);
        }
    }
    watch_end(&w, cast, o);
    phx_world_destroy(world);
}

static void head_on(const test_cast* cast, test_outcome* o) {
    test_scene s = {.places = {{.size = BALL, .translate = {-0.065, 0, 0}, .velocity = {0.3, 0, 0}},
                               {.size = BALL, .translate = {0.065, 0, 0}, .velocity = {-0.3, 0, 0}}},
                    .friction = 0.3};
    collide(&s, cast, o);
}

/// Aside, turning, with friction; lattices do not fit.
static test_scene oblique_scene(void) {
    return (test_scene){.places = {{.size = BALL,
                                    .rotate = {15, 25, 35},
                                    .translate = {-0.06, -0.02, 0.01},
                                    .velocity = {0.3, 0.05, 0},
                                    .spin = {0, 2, 6}},
                                   {.size = BALL,
                                    .rotate = {50, 10, -20},
                                    .translate = {0.06, 0.02, -0.01},
                                    .velocity = {-0.3, 0, 0.05},
                                    .spin = {3, 0, 4}}},
                        .friction = 0.5};
}

static void oblique(const test_cast* cast, test_outcome* o) {
    test_scene s = oblique_scene();
    collide(&s, cast, o);
}

/// The first stands on a floor, the second, turned, on it. What keeps its shape stays where it is.
static void stack(const test_cast* cast, test_outcome* o) {
    test_scene s = {.places = {{.size = {0.12, 0.12, 0.1}, .translate = {0, 0, 0.05}},
                               {.size = BLOCK, .rotate = {0, 0, 25}, .translate = {0, 0, 0.15}}},
                    .gravity = {0, 0, -G},
                    .floor = true,
                    .friction = 0.3};
    watch w;
    phx_world* world = watch_run(&s, cast, 2 * FRAME, 4, &w, o);
    if (!world) {
        return;
    }
    bool keeps = true, mass_kept = w.mass;
    double weight = w.first.all.mass * G * SPACING, way = 0, moves = w.last.all.kinetic / weight;
    for (int k = 0; k < cast->count; ++k) {
        keeps = keeps && nature_keeps_shape(cast->bodies[k]->method);
        way = fmax(way, phxi_distance(w.first.body[k].mean_position, w.last.body[k].mean_position) / SPACING);
    }
    note(o, "gain %.2g kinetic %.2g way %.2g moves %.1e", w.gain / weight, w.kinetic / weight, way, moves);
    if (!mass_kept) {
        say(o, "mass changes");
    }
    if (!(w.gain <= ENERGY_SLACK * weight) || !(w.kinetic <= ENERGY_SLACK * weight)) {
        say(o, "energy gained %.2g (kinetic %.2g) of m g spacing", w.gain / weight, w.kinetic / weight);
    }
    if (keeps && !(way <= 0.5)) {
        say(o, "goes %.2g spacings", way);
    }
    if (keeps && !(moves <= 0.1)) { // bodies sag by a tenth of a spacing, and swing about that
        say(o, "does not rest, kinetic energy %.2g of m g spacing", moves);
    }
    phx_world_destroy(world);
}

// ---------------------------------------------------------------------------------------------------- the same bits

/// Bodies that come together, turning, above a floor, under gravity.
static test_scene busy(void) {
    test_scene s = oblique_scene();
    s.places[0].translate.x = -0.055;
    s.places[1].translate.x = 0.055;
    s.places[0].translate.z = s.places[1].translate.z = 0.065;
    s.gravity = phxi_vec3(0, 0, -G);
    s.floor = true;
    return s;
}

/// Substeps of the world's own size, few of them.
static bool substeps(phx_world* world, int count, test_outcome* o) {
    for (int k = 0; k < count; ++k) {
        phx_dt_info info; // no limit at all: as large as a frame
        if (phx_world_dt(world, &info) != PHX_OK || phx_world_substep(world, fmin(info.dt, FRAME)) != PHX_OK) {
            say(o, "stopped: %.200s", phx_error_message());
            return false;
        }
    }
    return true;
}

enum { BEFORE = 3, AFTER = 3 };

static bool run_on(phx_world* whole, phx_world* second, test_outcome* o) {
    if (!substeps(whole, BEFORE, o)) {
        return false;
    }
    if (phx_checkpoint_save(whole, phxt_path("half.phx")) != PHX_OK ||
        phx_checkpoint_load(second, phxt_path("half.phx")) != PHX_OK) {
        say(o, "no checkpoint: %.200s", phx_error_message());
        return false;
    }
    if (phx_world_hash(whole) != phx_world_hash(second)) {
        say(o, "the checkpoint has other bits");
    }
    return substeps(whole, AFTER, o) && substeps(second, AFTER, o);
}

static void restart_at(const test_cast* cast, double warmth, test_outcome* o) {
    test_scene s = busy();
    s.warmth = warmth;
    phx_world *whole = scene_build(&s, cast, 1), *second = whole ? scene_build(&s, cast, 3) : NULL;
    if (!second) {
        say(o, "refused: %.300s", phx_error_message());
    } else if (run_on(whole, second, o) && phx_world_hash(whole) != phx_world_hash(second)) {
        say(o, "other bits after a restart with more threads");
    }
    phx_world_destroy(whole);
    phx_world_destroy(second);
}

/// Heat flows, and what can expand does; bodies alone also without.
static void restart(const test_cast* cast, test_outcome* o) {
    restart_at(cast, 100, o);
    if (cast->count == 1) {
        restart_at(cast, 0, o);
    }
}

/// 1 thread, and 2, 3 or 8: bodies alone with each of them, pairs with one in turn.
static void threads(const test_cast* cast, test_outcome* o) {
    static const int counts[3] = {2, 3, 8};
    static int turn;
    test_scene s = busy();
    uint64_t first = 0;
    for (int k = -1; k < 3; ++k) {
        if (k >= 0 && cast->count == 2 && k != turn % 3) {
            continue;
        }
        phx_world* world = scene_build(&s, cast, k < 0 ? 1 : counts[k]);
        if (!world) {
            say(o, "refused: %.300s", phx_error_message());
            return;
        }
        bool good = substeps(world, BEFORE, o);
        uint64_t hash = phx_world_hash(world);
        phx_world_destroy(world);
        first = k < 0 ? hash : first;
        if (good && hash != first) {
            say(o, "other bits with %d threads", counts[k]);
        }
        if (!good) {
            return;
        }
    }
    ++turn;
}

// -------------------------------------------------------------------------------------------------------------- warmth

/// The first is warm from the start, would be larger, and gives heat to the second. What moves has its energy from that
/// alone. Nothing is asked of worlds in which nothing expands.
static void warmth(const test_cast* cast, test_outcome* o) {
    test_scene s = together(cast);
    s.warmth = 100;
    s.dt = 1e-4; // what is let go at once swings as fast as it can, and velocities are half a substep ahead
    bool grows = expands(cast->bodies[0]) || (cast->count == 2 && expands(cast->bodies[1]));
    watch w;
    phx_world* world = watch_run(&s, cast, FRAME / 5, grows ? 3 : 0, &w, o);
    if (!world || !grows) {
        phx_world_destroy(world);
        return;
    }
    double before = energy(&w.first.all), after = energy(&w.last.all), work = w.last.all.expansion_work;
    w.scale_p = w.scale_l = w.scale_e = fmax(before, 1e-30);
    double gain = (after - before - work) / fmax(before, fabs(work)), t = expm1(EXPANSION * s.warmth);
    note(o, "work %.2g of %.2g J, gain %.2g", work, before, gain);
    if (!(gain <= 2 * ENERGY_SLACK)) {
        say(o, "energy gained %.2g", gain);
    }
    if (expands(cast->bodies[0]) && !(before > 0)) {
        say(o, "a warm body that has not grown stores nothing");
    }
    const phx_totals* one = &w.last.body[0];
    double size = one->highest.x - one->lowest.x, was = w.first.body[0].highest.x - w.first.body[0].lowest.x;
    note(o, "longer by %.2g of what is free", (size / was - 1) / t);
    phx_world_destroy(world);
}

const test_case test_cases[] = {
    {"rest", "bodies side by side, no gravity: nothing moves", rest, false},
    {"free_fall", "the same under gravity: m g t, and nothing else", free_fall, false},
    {"thrown", "the same, thrown aside: nothing begins to turn", thrown, false},
    {"impulse", "pushed for a short time, by steps of any length", impulse, false},
    {"rigid_motion", "flies and turns", rigid_motion, false},
    {"head_on", "two balls meet", head_on, false},
    {"oblique", "two balls meet aside, turning, with friction", oblique, false},
    {"stack", "one on the other on a floor", stack, true},
    {"restart", "a checkpoint goes on with the same bits", restart, false},
    {"threads", "the same bits with 1, 2, 3, 8 threads", threads, false},
    {"warmth", "a warm body grows, and warms the one beside it", warmth, false},
};
const int test_case_count = sizeof test_cases / sizeof test_cases[0];
