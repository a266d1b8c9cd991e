// SPDX-License-Identifier: MIT
// How fast sound is in fluids that leave it open (docs/theory/fluids.md (10), (15)).
//
// At the start c = 10 max(v, sqrt(2 g H)) with H the height from the top of the fluid down to the lowest wall or
// collider below: the density then changes by about one percent. A fluid that has fallen and come to rest is slow and
// low, and would do with a smaller one; so it is looked at again every few substeps: c is what would be chosen if the
// world began now, not less than the pressures of the moment ask for (compressed by a percent), and never more than was
// chosen at the start, nor less than a tenth of that. It falls slowly, so that contact springs, which follow it, are
// not felt to give way, and rises at once. What flies and will meet nothing soon has neither weight nor speed but those
// of its parts against each other; c is chosen by these, without delay, and is back in time for the impact. Pressures
// are kept: the compression follows, p(s', c') = p(s, c). A density that is summed is given by positions and cannot
// follow; its speed of sound stays.
#include "methods/wcsph/wcsph_internal.h"

#include "core/log.h"
#include "methods/shared/expected_speed.h"

#define SQUEEZED 0.02  // compression that pressures of the moment may make
#define DROP     0.97  // c may fall by this much from look to look
#define LEAST    0.1   // of the first choice: else a fluid that is still, without weight, would stop all sound
#define DROPS    0.005 // share of the particles that may be faster
enum { LOOK = 16, GRAIN = 4096 }; // substeps between looks

static void warn_slow(const phxi_step* step, double speed) {
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        double given = phxi_wcsph_params_of(body)->sound_speed, least = 10 / sqrt(2) * speed;
        if (given > 0 && given < 0.9 * least) {
            phxi_log(step->log, PHX_LOG_WARNING,
                     "body '%s': sound_speed %g m/s is small for speeds up to %.3g m/s, expected %.3g m/s or more; the "
                     "fluid will be compressed by %.0f %%",
                     body->name, given, speed, least, 100 * fmin(1, 0.5 * speed * speed / (given * given)));
        }
    }
}

static double sound_for(double speed) {
    return speed > 0 ? PHXI_SOUND_PER_SPEED * speed : PHXI_SLOW_SOUND;
}

double phxi_wcsph_sound_of(const phxi_wcsph* s, const phxi_body* body) {
    double given = phxi_wcsph_params_of(body)->sound_speed;
    return given > 0 ? given : s->words[WCSPH_WORD_SOUND];
}

void phxi_wcsph_choose_sound(phxi_wcsph* s, phxi_step* step) {
    if (s->words[WCSPH_WORD_LAST_DT] > 0 || s->chosen_for == step->particles->count) {
        return; // bodies that come later take what is there
    }
    double speed = phxi_expected_speed(step, PHXI_FAMILY_FLUID);
    s->words[WCSPH_WORD_SOUND] = s->words[WCSPH_WORD_MOST_SOUND] = sound_for(speed);
    s->words[WCSPH_WORD_SPEED] = speed;
    s->chosen_for = step->particles->count;
    warn_slow(step, speed);
}

// ------------------------------------------------------------------------------------------------------------- follow

/// Compression that has the pressure of s at another speed of sound; ratio: square of the old one over the new one.
static double same_pressure(int equation, double s, double ratio) {
    if (!(s > 0)) {
        return s; // no pressure; NaN stays
    }
    if (equation == WCSPH_TAIT) {
        return expm1(log1p(ratio * expm1(7 * log1p(s))) / 7);
    }
    return ratio * s;
}

typedef struct follow_context {
    const phxi_wcsph* s;
    double ratio;
} follow_context;

static void follow_part(void* context, int begin, int end, int block) {
    const follow_context* c = context;
    const phxi_wcsph* s = c->s;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = s->near->particle[k], b = s->step->particles->body[i];
        if (s->kind[k] == WCSPH_FLUID && !(phxi_wcsph_params_of(&s->step->bodies[b])->sound_speed > 0)) {
            phx_real* compression = &s->field[WCSPH_COMPRESSION][i];
            *compression = (phx_real)same_pressure(s->bodies.items[b].equation, (double)*compression, c->ratio);
        }
    }
}

/// How many particles have how much of something, four steps to the octave.
enum { STEPS = 4, OCTAVES = 128, STEP_COUNT = STEPS * OCTAVES };
typedef struct census {
    int count[STEP_COUNT], all;
} census;

static void count_in(census* c, double value) {
    int octave = 0, step = 0;
    if (value > 0 && isfinite(value)) {
        double part = frexp(value, &octave);
        step = STEPS * (octave + OCTAVES / 2) + (int)(2 * STEPS * (part - 0.5));
    }
    ++c->count[step < 0 ? 0 : step < STEP_COUNT ? step : STEP_COUNT - 1];
    ++c->all;
}

/// What all but a share of DROPS have at most: single drops that fly off are nobody's to press on.
static double most_have(const census* c) {
    int left = (int)(DROPS * c->all), step = STEP_COUNT - 1;
    while (step > 0 && left - c->count[step] >= 0) {
        left -= c->count[step--];
    }
    return step > 0 ? ldexp(0.5 + 0.5 * (step % STEPS + 1) / STEPS, step / STEPS - OCTAVES / 2) : 0;
}

/// Squares of speeds, (m/s)^2: now, after a fall to the lowest place there is, and p / rho.
typedef struct squares {
    census now, fallen, push;
} squares;

/// `frame`: what velocities are relative to; NULL: the world, where they may fall.
static void take_census(const phxi_wcsph* s, const phx_vec3* frame, squares* q) {
    const phxi_particles* p = s->step->particles;
    double lowest = phxi_lowest_fall(s->step, PHXI_FAMILY_FLUID);
    phx_vec3 g = frame ? phxi_vec3(0, 0, 0) : s->step->gravity, base = frame ? *frame : phxi_vec3(0, 0, 0);
    for (int f = 0; f < s->fluids.count; ++f) {
        const phxi_body* body = &s->step->bodies[s->fluids.items[f].body];
        const phxi_wcsph_body* law = &s->bodies.items[s->fluids.items[f].body];
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            phx_vec3 v = phxi_sub(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]), base);
            phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
            double square = phxi_dot(v, v), fall = phxi_length(g) * lowest - phxi_dot(g, x);
            count_in(&q->now, square);
            count_in(&q->fallen, square + 2 * fmax(0, fall));
            count_in(&q->push, phxi_wcsph_pressure(law, (double)s->field[WCSPH_COMPRESSION][i]) / law->density);
        }
    }
}

/// All of the fluid, its middle and mean velocity.
typedef struct cloud {
    phx_vec3 center, velocity;
    double radius, spacing; // m
    bool held;              // something pushes or holds some of it
} cloud;

static cloud cloud_of(const phxi_wcsph* s) {
    const phxi_particles* p = s->step->particles;
    cloud c = {.spacing = s->spacing};
    int count = 0;
    for (int k = 0; k < s->step->own_count; ++k) {
        const phxi_body* body = &s->step->bodies[s->step->own[k]];
        count += body->count;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            c.center = phxi_add(c.center, phxi_vec3(p->x[i], p->y[i], p->z[i]));
            c.velocity = phxi_add(c.velocity, phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
            c.held = c.held || p->fixed[i] || p->fx[i] != 0 || p->fy[i] != 0 || p->fz[i] != 0;
        }
    }
    c.center = phxi_scale(1.0 / count, c.center);
    c.velocity = phxi_scale(1.0 / count, c.velocity);
    for (int k = 0; k < s->step->own_count; ++k) {
        const phxi_body* body = &s->step->bodies[s->step->own[k]];
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), c.center);
            c.radius = fmax(c.radius, phxi_dot(arm, arm));
        }
    }
    c.radius = sqrt(c.radius);
    return c;
}

/// Whether it flies and will meet nothing until it is looked at again; its mean velocity.
static bool flies(const phxi_wcsph* s, phx_vec3* velocity) {
    const phxi_step* step = s->step;
    cloud c = cloud_of(s);
    bool free = step->body_count == step->own_count && !s->periodic && !c.held;
    for (int k = 0; k < step->collider_count && free; ++k) {
        double gap = phxi_collider_distance(&step->colliders[k], c.center) - c.radius;
        free = !step->colliders[k].driven && gap > 2 * LOOK * WCSPH_MOTION * c.spacing;
    }
    *velocity = c.velocity;
    return free;
}

static void change_sound(phxi_wcsph* s, double next) {
    double now = s->words[WCSPH_WORD_SOUND];
    follow_context c = {s, now * now / (next * next)};
    phxi_parallel_for(s->step->pool, s->near->count, GRAIN, follow_part, &c);
    s->words[WCSPH_WORD_SOUND] = next;
    for (int k = 0; k < s->step->own_count; ++k) {
        int b = s->step->own[k];
        s->bodies.items[b].sound = phxi_wcsph_sound_of(s, &s->step->bodies[b]);
    }
}

void phxi_wcsph_follow_sound(phxi_wcsph* s) {
    double* words = s->words;
    if (++words[WCSPH_WORD_LOOK] < LOOK) {
        return;
    }
    words[WCSPH_WORD_LOOK] = 0;
    squares q = {0};
    phx_vec3 frame;
    bool free = flies(s, &frame);
    take_census(s, free ? &frame : NULL, &q);
    double walls = phxi_wcsph_wall_speed(s->step), now = words[WCSPH_WORD_SOUND], most = words[WCSPH_WORD_MOST_SOUND];
    words[WCSPH_WORD_SPEED] = sqrt(most_have(&q.now));
    double wanted =
        fmax(PHXI_SOUND_PER_SPEED * fmax(sqrt(most_have(&q.fallen)), walls), sqrt(most_have(&q.push) / SQUEEZED));
    double next = fmin(fmax(fmax(wanted, LEAST * most), free ? 0 : DROP * now), most);
    if (next != now && s->params->density != WCSPH_SUMMATION) {
        change_sound(s, next);
    }
}
