// SPDX-License-Identifier: MIT
// See explicit.h. One loop an axis and a scheme; all are plain loops over arrays that compilers make wide.
#include "motion/explicit.h"

#include "parallel/parallel.h"

const char* const phxi_integrator_words[] = {
    "verlet", "damped_verlet", "leapfrog", "velocity_verlet", "bdf2", "implicit_euler", "trapezoid", "auto", NULL};

enum { PART = 256 }; // particles at a time

/// One axis of a range, and the numbers of the substep in state precision.
typedef struct axis {
    int count;
    phx_real *x, *v, *low, *a, *e, *carry;
    const phx_real *f, *inverse_mass; // force and 1/m
    const int* fixed;
    phx_real gravity, dt, half, half_old, half_sum; // dt, dt/2, dt_old/2, (dt_old+dt)/2
    phx_real inverse_dt, span_old, inverse_old,
        stretch; // 1/dt; dt_old or dt at the start, its inverse; exp(-c dt) dt/span_old
} axis;

/// The numbers of a substep; divisions only for those who need them, since ranges are short.
static axis numbers_of(const phxi_explicit* s) {
    axis n = {
        .dt = (phx_real)s->dt,
        .half = (phx_real)(s->dt / 2),
        .half_old = (phx_real)(s->last_dt / 2),
        .half_sum = (phx_real)((s->last_dt + s->dt) / 2),
    };
    if (s->kind == PHXI_VERLET || s->kind == PHXI_DAMPED_VERLET) {
        double span_old = s->last_dt > 0 ? s->last_dt : s->dt;
        double keep = s->kind == PHXI_DAMPED_VERLET ? exp(-s->damping * s->dt) : 1;
        n.inverse_dt = (phx_real)(1 / s->dt);
        n.span_old = (phx_real)span_old;
        n.inverse_old = (phx_real)(1 / span_old);
        n.stretch = (phx_real)(keep * s->dt / span_old);
    }
    return n;
}

/// Points at axis k of a range.
static void aim(axis* n, const phxi_explicit* s, int k, int begin, int end, const phx_real* inverse_mass) {
    phxi_particles* p = s->particles;
    phx_real* const x[3] = {p->x, p->y, p->z};
    phx_real* const v[3] = {p->vx, p->vy, p->vz};
    const phx_real* const f[3] = {p->fx, p->fy, p->fz};
    const double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
    n->count = end - begin;
    n->x = x[k] + begin;
    n->v = v[k] + begin;
    n->low = p->low[k] + begin;
    n->a = p->acceleration[k] + begin;
    n->e = p->external[k] + begin;
    n->carry = p->carry[k] + begin;
    n->f = f[k] + begin;
    n->inverse_mass = inverse_mass;
    n->fixed = p->fixed + begin;
    n->gravity = (phx_real)g[k];
}

static PHXI_CLONES void explicit_drift_velocity_verlet(const axis* s) {
    phx_real* restrict x = s->x, * restrict v = s->v, * restrict low = s->low, * restrict e = s->e;
    const phx_real* restrict a = s->a, * restrict f = s->f, * restrict inverse_mass = s->inverse_mass;
    const int* restrict fixed = s->fixed;
    phx_real gravity = s->gravity, dt = s->dt, half = s->half, half_old = s->half_old;
    PHXI_SIMD
    for (int i = 0; i < s->count; ++i) {
        phx_real push = f[i] * inverse_mass[i];
        phx_real kick = half * (a[i] + gravity + push) + half_old * (push - e[i]);
        phx_real mid = v[i] + (fixed[i] ? 0 : kick);
        phxi_explicit_move(&x[i], &low[i], dt * mid, fixed[i]);
        v[i] = mid;
        e[i] = push;
    }
}

static PHXI_CLONES void explicit_drift_leapfrog(const axis* s) {
    phx_real* restrict x = s->x, * restrict low = s->low, * restrict e = s->e, * restrict carry = s->carry;
    const phx_real* restrict v = s->v, * restrict a = s->a, * restrict f = s->f, * restrict inverse_mass = s->inverse_mass;
    const int* restrict fixed = s->fixed;
    phx_real gravity = s->gravity, dt = s->dt, half_old = s->half_old, half_sum = s->half_sum;
    PHXI_SIMD
    for (int i = 0; i < s->count; ++i) {
        phx_real push = f[i] * inverse_mass[i];
        phx_real kick = half_old * (a[i] + gravity + e[i]);
        phx_real old = carry[i] + kick == v[i] ? carry[i] : v[i] - kick;
        phx_real mid = old + half_sum * (a[i] + gravity + push);
        phxi_explicit_move(&x[i], &low[i], dt * mid, fixed[i]);
        carry[i] = mid;
        e[i] = push;
    }
}

static PHXI_CLONES void explicit_drift_verlet(const axis* s) {
    phx_real* restrict x = s->x, * restrict low = s->low, * restrict e = s->e, * restrict carry = s->carry;
    const phx_real* restrict v = s->v, * restrict a = s->a, * restrict f = s->f, * restrict inverse_mass = s->inverse_mass;
    const int* restrict fixed = s->fixed;
    phx_real gravity = s->gravity, half_old = s->half_old, reach = s->dt * s->half_sum;
    phx_real span_old = s->span_old, inverse_old = s->inverse_old, stretch = s->stretch;
    PHXI_SIMD
    for (int i = 0; i < s->count; ++i) {
        phx_real push = f[i] * inverse_mass[i];
        phx_real kick = half_old * (a[i] + gravity + e[i]);
        phx_real old = carry[i] * inverse_old + kick == v[i] ? carry[i] : (v[i] - kick) * span_old;
        phx_real d = stretch * old + reach * (a[i] + gravity + push);
        phxi_explicit_move(&x[i], &low[i], d, fixed[i]);
        carry[i] = d;
        e[i] = push;
    }
}

/// v(t+dt) = scale * from + dt/2 (a+g+e), where `from` is v(mid) or d.
static PHXI_CLONES void explicit_kick(const axis* s, const phx_real* from, phx_real scale) {
    phx_real* restrict v = s->v;
    const phx_real* restrict a = s->a, * restrict e = s->e;
    const int* restrict fixed = s->fixed;
    phx_real gravity = s->gravity, half = s->half;
    PHXI_SIMD
    for (int i = 0; i < s->count; ++i) {
        phx_real kicked = from[i] * scale + half * (a[i] + gravity + e[i]);
        v[i] = fixed[i] ? v[i] : kicked;
    }
}

static PHXI_CLONES void explicit_invert(const phx_real* restrict mass, int count, phx_real* restrict inverse_mass) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        inverse_mass[i] = 1 / mass[i];
    }
}

static void drift_part(const phxi_explicit* scheme, int begin, int end, const phx_real* inverse_mass) {
    axis s = numbers_of(scheme);
    for (int k = 0; k < 3; ++k) {
        aim(&s, scheme, k, begin, end, inverse_mass);
        if (scheme->kind == PHXI_VELOCITY_VERLET) {
            explicit_drift_velocity_verlet(&s);
        } else if (scheme->kind == PHXI_LEAPFROG) {
            explicit_drift_leapfrog(&s);
        } else {
            explicit_drift_verlet(&s);
        }
    }
}

// What particles on rails are pushed with across them is taken up by drivers: it is taken off for a loop, so that the
// loops need not know. The accelerations are given back, for drivers to feel. Velocities across are theirs and stay.
typedef struct kept {
    phx_vec3 a[PART], f[PART];
} kept;

static void put_on_rails(const phxi_explicit* s, int begin, int end, kept* own) {
    phxi_particles* p = s->particles;
    phx_real* const f[3] = {p->fx, p->fy, p->fz};
    for (int i = begin; p->rails && i < end; ++i) {
        if (phxi_on_rail(p, i)) {
            phx_vec3 a = phxi_vector_at(p->acceleration, i), push = phxi_vector_at(f, i);
            phx_vec3 free = phxi_along_rail(p, i, phxi_add(a, s->gravity));
            own->a[i - begin] = a, own->f[i - begin] = push;
            phxi_vector_set(p->acceleration, i, phxi_sub(free, s->gravity));
            phxi_vector_set(p->external, i, phxi_along_rail(p, i, phxi_vector_at(p->external, i)));
            phxi_vector_set(f, i, phxi_along_rail(p, i, push));
        }
    }
}

static void take_off_rails(const phxi_explicit* s, int begin, int end, const kept* own) {
    phxi_particles* p = s->particles;
    phx_real* const f[3] = {p->fx, p->fy, p->fz};
    for (int i = begin; p->rails && i < end; ++i) {
        if (phxi_on_rail(p, i)) {
            phxi_vector_set(p->acceleration, i, own->a[i - begin]);
            phxi_vector_set(f, i, own->f[i - begin]);
        }
    }
}

void phxi_explicit_drift(const phxi_explicit* scheme, int begin, int end) {
    phx_real inverse_mass[PART]; // one division for three axes
    kept own;
    for (int at = begin; at < end; at += PART) {
        int stop = end - at < PART ? end : at + PART;
        explicit_invert(scheme->particles->mass + at, stop - at, inverse_mass);
        put_on_rails(scheme, at, stop, &own);
        drift_part(scheme, at, stop, inverse_mass);
        take_off_rails(scheme, at, stop, &own);
    }
}

static void kick_part(const phxi_explicit* scheme, int begin, int end) {
    axis s = numbers_of(scheme);
    for (int k = 0; k < 3; ++k) {
        aim(&s, scheme, k, begin, end, NULL);
        if (scheme->kind == PHXI_VELOCITY_VERLET) {
            explicit_kick(&s, s.v, 1);
        } else if (scheme->kind == PHXI_LEAPFROG) {
            explicit_kick(&s, s.carry, 1);
        } else {
            explicit_kick(&s, s.carry, s.inverse_dt);
        }
    }
}

void phxi_explicit_kick(const phxi_explicit* scheme, int begin, int end) {
    kept own;
    for (int at = begin; at < end; at += scheme->particles->rails ? PART : end - begin) {
        int stop = scheme->particles->rails && end - at > PART ? at + PART : end;
        put_on_rails(scheme, at, stop, &own);
        kick_part(scheme, at, stop);
        take_off_rails(scheme, at, stop, &own);
    }
}
