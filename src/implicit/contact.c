// SPDX-License-Identifier: MIT
// Contact with colliders at trial positions: a penalty of time t is blind to what happens within a step of 1/60 s.
//
// The law is that of contact/collider.h, evaluated at the end of the step: f_n = max(0, k depth - c n.(x - q)/dt). Its
// stiffness k + c/dt along the normal goes into the matrix. Friction is a drag (contact/law/friction.h) on the slip,
// the tangential part of x - q, and goes into the matrix too: what holds moves 1e-5 spacings a step at most, or less by
// def.grip; what slides feels mu f_n.
// Stiffness is held back to what brings the whole body to rest within a step through a single particle: more would
// only cost iterations.
//
// Colliders that move are where they will be at the end; x - q is then taken against the displacement of what they
// touch with.
#include "implicit/implicit_internal.h"

#include "contact/collider.h"
#include "contact/law/friction.h"

#define MOST 2.25 // stiffness over mass of the body / dt^2
#define SLOW 2e-4 // way along the normal in the step before over the spacing, above which something is hit or leaves

/// What was put into a collider leaves it slowly: of the depth at the start of the step so much does not push, m.
static double spared(const phxi_implicit_work* w, const phxi_collider* collider, int i) {
    const phxi_implicit* s = w->s;
    const double overlap = (double)w->step->particles->overlap[s->begin + i];
    phxi_collider_contact t;
    if (!(overlap > 0) ||
        !phxi_collider_find_contact(collider, w->step->particles, s->begin + i, s->q[i], w->def->young, &t)) {
        return 0;
    }
    return fmin(overlap, fmax(0, t.depth - overlap / w->system->around->overlap_time * s->dt));
}

/// One collider on one particle: adds to force and, world axes, to the stiffness (xx yy zz xy xz yz). True if it
/// touches; the sums get its potential, how it holds, and whether it came or went fast. *drag, of friction, is that of
/// the last matrix; it becomes that of the next, 0 without a push.
static bool add_contact_force(const phxi_implicit_work* w, const phxi_collider* collider, int i, phx_vec3* force,
                              double stiffness[6], double* drag, phxi_implicit_sums* sums) {
    const phxi_implicit* s = w->s;
    phxi_collider_contact t;
    double solved = *drag;
    *drag = 0;
    if (!phxi_collider_find_contact(collider, w->step->particles, s->begin + i, s->x[i], w->def->young, &t)) {
        return false;
    }
    t.depth -= spared(w, collider, i);
    phx_vec3 before = phxi_add_scaled(s->d[i], -s->last_dt / s->dt, t.displacement); // as if it had moved so then, too
    bool comes = fabs(phxi_dot(before, t.normal)) > SLOW * (double)w->spacing[i];
    sums->moving = sums->moving || comes;
    double mass = (double)w->mass[i], dt = s->dt;
    double most = w->system->around->statics ? INFINITY : MOST * w->total_mass / (dt * dt);
    double k = fmin(t.stiffness, most); // the same for both schemes: a rest stays one
    double c = fmin(2 * collider->damping * sqrt(k * mass), 0.5 * mass / dt);
    phx_vec3 moved = phxi_sub(phxi_sub(s->x[i], s->q[i]), t.displacement);
    double along = phxi_dot(moved, t.normal), push = k * t.depth - c * along / dt;
    if (push <= 0) {
        return true;
    }
    phx_vec3 slip = phxi_add_scaled(moved, -along, t.normal);
    phxi_friction_pressed pressed = {.most = collider->friction * push,
                                     .stiffness = k,
                                     .spacing = (double)w->spacing[i],
                                     .grip = w->def->grip > 0 ? w->def->grip : 1,
                                     .moving = comes};
    phxi_contact_matrix matrix = {t.normal, k + c / dt, phxi_friction_drag(&pressed, slip)};
    phxi_implicit_grip_add(&sums->grip, push, t.normal);
    phxi_implicit_grip_rub(&sums->grip, solved, slip, pressed.most, phxi_friction_least(&pressed));
    sums->potential += push * push / (2 * matrix.along) + 0.5 * matrix.across * phxi_dot(slip, slip);
    *drag = matrix.across;
    *force = phxi_add(*force, phxi_add_scaled(phxi_scale(push, t.normal), -matrix.across, slip));
    phxi_contact_matrix_add(&matrix, 1, stiffness);
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
        phxi_collider_contact t;
        if (phxi_collider_find_contact(&w->system->colliders[c], w->step->particles, w->s->begin + i, x, w->def->young,
                                       &t)) {
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
    sums->grip = (phxi_implicit_grip){0};
    sums->potential = 0;
    bool near = false;
    for (int c = 0; c < w->step->collider_count; ++c) {
        near = near || may_touch(w, &w->system->colliders[c], s->x, begin, end);
    }
    for (int i = begin; i < end; ++i) {
        s->touched[i] = 0;
        s->drag[i] = near ? s->drag[i] : 0;
        s->contact_force[i] = phxi_vec3(0, 0, 0);
    }
    for (int i = begin; near && i < end; ++i) {
        double stiffness[6] = {0}, solved = s->drag[i];
        s->drag[i] = 0;
        for (int c = 0; c < w->step->collider_count && !w->fixed[i]; ++c) {
            double drag = solved;
            s->touched[i] |=
                add_contact_force(w, &w->system->colliders[c], i, &s->contact_force[i], stiffness, &drag, sums);
            s->drag[i] = fmax(s->drag[i], drag); // one memory is enough: few touch two colliders
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
    w->pushed = w->grip.push;
    w->grip = (phxi_implicit_grip){0};
    w->potential = 0;
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
        phxi_implicit_grip_merge(&w->grip, &s->sums[b].grip);
        w->potential += s->sums[b].potential;
    }
    w->touching = s->report.contacts > 0;
}

// ------------------------------------------------------------------------------------------------------ moving ones

void phxi_implicit_place_colliders(phxi_implicit_system* y, double from, double to) {
    for (int c = 0; c < y->step->collider_count; ++c) {
        const phxi_collider* whole = &y->step->colliders[c];
        y->colliders[c] = *whole;
        if (whole->driven) {
            y->colliders[c].now = phxi_pose_between(&whole->now, &whole->next, from);
            y->colliders[c].next = phxi_pose_between(&whole->now, &whole->next, to);
        }
    }
    y->from = from;
    y->to = to;
}

/// One collider on one body, for the sums of its driver.
typedef struct push_context {
    const phxi_implicit_work* w;
    const phxi_collider* collider;
} push_context;

static void push_part(void* context, int begin, int end, int block) {
    const push_context* c = context;
    const phxi_implicit_work* w = c->w;
    phxi_implicit_sums* sums = &w->s->sums[block];
    sums->force = phxi_vec3(0, 0, 0);
    sums->dot[0] = 0;
    if (!may_touch(w, c->collider, w->s->x, begin, end)) {
        return;
    }
    for (int i = begin; i < end; ++i) {
        phxi_collider_contact t;
        double unused[6] = {0}, drag = 0;
        phx_vec3 force = {0, 0, 0};
        phxi_implicit_sums ignored = {0};
        if (!w->fixed[i] && add_contact_force(w, c->collider, i, &force, unused, &drag, &ignored) &&
            phxi_collider_find_contact(c->collider, w->step->particles, w->s->begin + i, w->s->x[i], w->def->young,
                                       &t)) {
            sums->force = phxi_add(sums->force, force);
            sums->dot[0] += phxi_dot(force, t.velocity);
        }
    }
}

void phxi_implicit_add_pushes(phxi_implicit_system* y, double share, bool last) {
    for (int c = 0; y->pushes && c < y->step->collider_count; ++c) {
        for (int k = 0; (y->colliders[c].driven || y->colliders[c].watched) && k < y->count; ++k) {
            const phxi_implicit_work* w = &y->works[k];
            push_context context = {w, &y->colliders[c]};
            phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, push_part, &context);
            for (int b = 0; b < w->s->sum_count; ++b) {
                y->pushes[c].force = phxi_add_scaled(y->pushes[c].force, share, w->s->sums[b].force);
                if (y->body_pushes) {
                    phx_vec3* sum = &y->body_pushes[k * y->step->collider_count + c];
                    *sum = phxi_add_scaled(*sum, share, w->s->sums[b].force);
                }
                y->pushes[c].mean += share * w->s->sums[b].dot[0];
                y->pushes[c].last += last ? share * w->s->sums[b].dot[0] : 0;
            }
        }
    }
}

void phxi_implicit_end_pushes(phxi_implicit_system* y, bool keep) {
    for (int c = 0; y->pushes && c < y->step->collider_count; ++c) {
        if (keep) {
            y->step->pushes[c].force = phxi_add(y->step->pushes[c].force, y->pushes[c].force);
            y->step->pushes[c].mean += y->pushes[c].mean;
            y->step->pushes[c].last += y->pushes[c].last;
        }
        y->pushes[c] = (phxi_collider_push){0};
    }
    for (int k = 0; y->body_pushes && k < y->count; ++k) {
        int body = y->step->particles->body[y->works[k].s->begin];
        for (int c = 0; c < y->step->collider_count; ++c) {
            phx_vec3 *own = &y->body_pushes[k * y->step->collider_count + c],
                     *sum = &y->step->body_pushes[body * y->step->collider_count + c];
            *sum = keep ? phxi_add(*sum, *own) : *sum;
            *own = phxi_vec3(0, 0, 0);
        }
    }
}

bool phxi_implicit_driven_collider_pushes(const phxi_implicit_system* y) {
    bool moving = false;
    for (int c = 0; c < y->step->collider_count; ++c) {
        const phxi_collider_pose* pose = &y->colliders[c].next;
        moving = moving || phxi_length(pose->velocity) > 0 || phxi_length(pose->spin) > 0;
    }
    return moving && y->touching;
}

static void before_part(void* context, int begin, int end, int block) {
    const phxi_implicit_work* w = context;
    int contacts = 0;
    bool near = false;
    for (int c = 0; c < w->step->collider_count; ++c) {
        near = near || may_touch(w, &w->system->colliders[c], w->s->q, begin, end);
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

static void carried_part(void* context, int begin, int end, int block) {
    const push_context* c = context;
    const phxi_implicit_work* w = c->w;
    phxi_collider_contact t;
    int contacts = 0;
    bool near = may_touch(w, c->collider, w->s->q, begin, end);
    for (int i = begin; near && i < end; ++i) {
        contacts +=
            phxi_collider_find_contact(c->collider, w->step->particles, w->s->begin + i, w->s->q[i], w->def->young, &t);
    }
    w->s->sums[block].contacts = contacts;
}

/// Where the point now at x was `dt` ago, by the current rates.
static phx_vec3 came_from(const phxi_collider_pose* pose, phx_vec3 x, double dt) {
    phx_vec3 turn = phxi_add_scaled(phxi_scale(-dt, pose->spin), dt * dt / 2, pose->spin_rate);
    phxi_mat3 back = phxi_rotation(turn, phxi_length(turn));
    phx_vec3 moved = phxi_add_scaled(phxi_scale(-dt, pose->velocity), dt * dt / 2, pose->acceleration);
    return phxi_add(phxi_add(pose->center, moved), phxi_mat3_apply(&back, phxi_sub(x, pose->center)));
}

bool phxi_implicit_carried(phxi_implicit_work* w, phx_vec3* way) {
    int most = 0;
    for (int c = 0; c < w->step->collider_count; ++c) {
        const phxi_collider* collider = &w->system->colliders[c];
        if (!collider->driven) {
            continue;
        }
        push_context context = {w, collider};
        phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, carried_part, &context);
        int contacts = 0;
        for (int b = 0; b < w->s->sum_count; ++b) {
            contacts += w->s->sums[b].contacts;
        }
        if (contacts > most) {
            most = contacts;
            phx_vec3 to = phxi_pose_world(&collider->next, phxi_pose_local(&collider->now, w->center));
            phx_vec3 slip =
                phxi_sub(w->drift, phxi_sub(w->center, came_from(&collider->now, w->center, w->s->last_dt)));
            *way = phxi_add_scaled(phxi_sub(to, w->center), w->s->ratio, slip);
        }
    }
    return most > 0;
}
