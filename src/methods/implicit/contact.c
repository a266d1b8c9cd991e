// SPDX-License-Identifier: MIT
// Contact with colliders at trial positions: a penalty of time t is blind to what happens within a step of 1/60 s.
//
// The law is that of contact/collider.h, evaluated at the end of the step: f_n = max(0, k depth - c n.(x - q)/dt). Its
// stiffness k + c/dt along the normal goes into the matrix. Coulomb's friction is a drag with a bound,
//   f_t = -b slip,  b = mu f_n / max(|slip|, 1e-5 spacing),  slip = tangential part of x - q,
// and b goes into the matrix too: what holds moves 1e-5 spacings a step at most, what slides feels mu f_n.
// Stiffness is held back to what brings the whole body to rest within a step through a single particle: more would
// only cost iterations.
#include "methods/implicit/implicit_internal.h"

#include "contact/collider.h"

#define MOST  2.25 // stiffness over mass of the body / dt^2
#define STICK 1e-5 // slip over the spacing below which friction holds
#define HOLD  100  // stiffness of what holds over that of contact, at most
#define SLOW  2e-4 // way along the normal in the step before over the spacing, above which something is hit or leaves

/// One collider on one particle: adds to force and, world axes, to the stiffness (xx yy zz xy xz yz). True if it
/// touches; the sums get its potential, and whether it came or went fast.
static bool touch(const phxi_implicit_work* w, const phxi_collider* collider, int i, phx_vec3* force,
                  double stiffness[6], phxi_implicit_sums* sums) {
    const phxi_implicit* s = w->s;
    phxi_touch t;
    if (!phxi_collider_touch(collider, w->step->particles, s->begin + i, s->x[i], w->def->young, &t)) {
        return false;
    }
    bool comes = fabs(phxi_dot(s->d[i], t.normal)) > SLOW * (double)w->spacing[i];
    sums->moving = sums->moving || comes;
    double mass = (double)w->mass[i], dt = s->dt;
    double k = fmin(t.stiffness, MOST * w->total_mass / (dt * dt)); // the same for both schemes: a rest stays one
    double c = fmin(2 * collider->damping * sqrt(k * mass), 0.5 * mass / dt);
    phx_vec3 way = phxi_sub(s->x[i], s->q[i]);
    double along = phxi_dot(way, t.normal), push = k * t.depth - c * along / dt;
    if (push <= 0) {
        return true;
    }
    phx_vec3 slip = phxi_add_scaled(way, -along, t.normal);
    double drag = collider->friction * push / fmax(phxi_length(slip), STICK * (double)w->spacing[i]);
    drag = fmin(drag, (comes ? 1 : HOLD) * k); // the push of a first guess says little about friction
    double normal = k + c / dt - drag;         // drag I + normal n n^T
    *force = phxi_add(*force, phxi_add_scaled(phxi_scale(push, t.normal), -drag, slip));
    const double n[3] = {t.normal.x, t.normal.y, t.normal.z};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int a = 0; a < 6; ++a) {
        stiffness[a] += normal * n[row[a]] * n[column[a]] + (a < 3 ? drag : 0);
    }
    return true;
}

/// Axes^T S axes, times s, into the planes of the linear system.
static void store(const phxi_implicit_work* w, int i, const double k[6]) {
    phxi_implicit* s = w->s;
    phxi_sym3 packed = {k[0], k[1], k[2], k[3], k[4], k[5]};
    phxi_mat3 full = phxi_sym3_full(&packed), half = phxi_mat3_mul(&full, &w->axes),
              back = phxi_mat3_transpose(&w->axes);
    phxi_mat3 turned = phxi_mat3_mul(&back, &half);
    const double all[6] = {turned.m[0][0], turned.m[1][1], turned.m[2][2],
                           turned.m[0][1], turned.m[0][2], turned.m[1][2]};
    for (int a = 0; a < 6; ++a) {
        s->contact[a][i] = (phx_real)(s->s * all[a]);
    }
}

/// False if no particle of [begin, end) can touch at the given positions.
static bool may_touch(const phxi_implicit_work* w, const phxi_collider* collider, const phx_vec3* x, int begin,
                      int end) {
    phx_vec3 low = x[begin], high = x[begin];
    double widest = 0;
    for (int i = begin; i < end; ++i) {
        low = phxi_min(low, x[i]);
        high = phxi_max(high, x[i]);
        widest = fmax(widest, (double)w->spacing[i]);
    }
    return phxi_collider_near(collider, phxi_scale(0.5, phxi_add(low, high)),
                              0.5 * phxi_distance(low, high) + 0.5 * widest);
}

static bool touches_at(const phxi_implicit_work* w, int i, phx_vec3 x) {
    for (int c = 0; c < w->step->collider_count; ++c) {
        phxi_touch t;
        if (phxi_collider_touch(&w->step->colliders[c], w->step->particles, w->s->begin + i, x, w->def->young, &t)) {
            return true;
        }
    }
    return false;
}

static void contact_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_implicit_sums* sums = &s->sums[block];
    sums->contacts = 0;
    sums->moving = false;
    for (int i = begin; i < end; ++i) {
        s->touched[i] = 0;
        s->touch[i] = phxi_vec3(0, 0, 0);
    }
    bool near = false;
    for (int c = 0; c < w->step->collider_count; ++c) {
        near = near || may_touch(w, &w->step->colliders[c], s->x, begin, end);
    }
    for (int i = begin; near && i < end; ++i) {
        double stiffness[6] = {0};
        for (int c = 0; c < w->step->collider_count && !w->fixed[i]; ++c) {
            s->touched[i] |= touch(w, &w->step->colliders[c], i, &s->touch[i], stiffness, sums);
        }
        if (s->touched[i]) {
            store(w, i, stiffness);
            ++sums->contacts;
        }
    }
}

void phxi_implicit_contact(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    w->touching = false;
    s->report.contacts = 0;
    s->report.impact = false;
    if (w->step->collider_count == 0) {
        return;
    }
    w->axes = w->op->axes(w->op->context);
    phxi_implicit_loop(w, contact_part);
    for (int b = 0; b < s->sum_count; ++b) {
        s->report.contacts += s->sums[b].contacts;
        s->report.impact = s->report.impact || s->sums[b].moving;
    }
    w->touching = s->report.contacts > 0;
}

static void before_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    int contacts = 0;
    bool near = false;
    for (int c = 0; c < w->step->collider_count; ++c) {
        near = near || may_touch(w, &w->step->colliders[c], w->s->q, begin, end);
    }
    for (int i = begin; near && i < end; ++i) {
        contacts += touches_at(w, i, w->s->q[i]);
    }
    w->s->sums[block].contacts = contacts;
}

int phxi_implicit_contacts_before(phxi_implicit_work* w) {
    if (w->step->collider_count == 0) {
        return 0;
    }
    phxi_implicit_loop(w, before_part);
    int contacts = 0;
    for (int b = 0; b < w->s->sum_count; ++b) {
        contacts += w->s->sums[b].contacts;
    }
    return contacts;
}
