// SPDX-License-Identifier: MIT
// Frames of rods at trial positions, what they do to particles, and how drivers hold them. See twist.h.
//
//   energy    a C/2 (|q|^2 + |q_0|^2) - a C q . p,  p = mean of F c over the two segments of a particle, c = F_0^T q_0;
//             G J / 2l (m - m_0)^2,  m the angle about t between the director and that of the segment before, which is
//             turned along the bend between them
//   theta     as function of the turn of one frame the first is -(X cos theta + Y sin theta): curved by no more than
//             |(X, Y)|, so that steps with that on the diagonal always lower the energy
//   forces    dE/de = [W x t + (T kb + T' kb')/2] / |e|,  W = -sum a C F c x q,  T = G J/l (m - m_0): frames follow the
//             tangent without turning about it, and m changes by kb . (de/|e| + de'/|e'|)/2, the area that the tangent
//             sweeps on the sphere
//
// Torques sum to zero because dE/dtheta does, of every segment that is not held.
#include "methods/peridynamics/twist.h"

#define MOST_TURNS 100   // of the search for theta
#define TURNED     1e-13 // rad: turns below are rounding
#define STALLED    1e-6  // and those that do not become smaller any more: a turn of all frames that changes nothing
#define PIN        1e-6  // of the stiffness of a node: what could turn freely, a straight rod, stays as it is

// -------------------------------------------------------------------------------------------------------------- frames

phx_vec3 phxi_peri_transport(phx_vec3 from, phx_vec3 to, phx_vec3 a) {
    // R a = cos a + axis x a + axis (axis . a) / (1 + cos), axis = from x to
    double cosine = phxi_dot(from, to);
    phx_vec3 axis = phxi_cross(from, to);
    phx_vec3 turned = phxi_add(phxi_scale(cosine, a), phxi_cross(axis, a));
    turned = phxi_add_scaled(turned, phxi_dot(axis, a) / fmax(1 + cosine, 1e-9), axis);
    turned = phxi_add_scaled(turned, -phxi_dot(turned, to), to); // rounding, and where it turned round
    return phxi_normalize(turned, phxi_perpendicular(to));
}

double phxi_peri_twist_between(phx_vec3 t, phx_vec3 a, phx_vec3 u, phx_vec3 b) {
    phx_vec3 turned = phxi_peri_transport(t, u, a);
    return atan2(phxi_dot(phxi_cross(turned, b), u), phxi_dot(turned, b));
}

static double wrap(double angle) {
    static const double whole = 6.283185307179586476925;
    return angle - whole * nearbyint(angle / whole);
}

typedef struct pass {
    phxi_step* step;
    const phxi_peri_slot* slot;
    const phx_vec3* x;
    bool all; // chains, idle ones too
} pass;

/// Tangents and directors at x, as they follow from the begin of the step; twist of nodes.
static void place_frames(const pass* p, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        int i = twist->order[k];
        phxi_peri_segment* s = &twist->segments[i];
        if (s->whole) {
            phx_vec3 e = phxi_sub(p->x[s->next], p->x[i]);
            s->length = fmax(phxi_length(e), 1e-30);
            s->tangent = phxi_normalize(e, s->from);
            s->director = phxi_peri_transport(s->from, s->tangent, s->from_director);
        }
    }
    for (int k = chain->begin; k < chain->end; ++k) {
        phxi_peri_segment* s = &twist->segments[twist->order[k]];
        s->twist = 0;
        s->binormal = phxi_vec3(0, 0, 0);
        if (s->stiff > 0) {
            const phxi_peri_segment* before = &twist->segments[s->prev];
            double cosine = phxi_dot(before->tangent, s->tangent);
            s->binormal = phxi_scale(2 / fmax(1 + cosine, 1e-6), phxi_cross(before->tangent, s->tangent));
            s->twist = wrap(phxi_peri_twist_between(before->tangent, before->director, s->tangent, s->director) -
                            s->twist_rest);
        }
    }
}

/// q_0 of its particles as the frame of a segment is turned.
static void set_targets(phxi_peri_segment* s) {
    phx_vec3 across = phxi_cross(s->tangent, s->director);
    for (int side = 0; side < 2; ++side) {
        phx_vec3 c = s->curve[side];
        s->target[side] = phxi_add_scaled(phxi_add_scaled(phxi_scale(c.x, s->tangent), c.y, s->director), c.z, across);
    }
}

// --------------------------------------------------------------------------------------------------------------- theta

/// a C q of both particles of a segment, times the share that is by its frame.
static void weighed_curvature(const pass* p, int i, phx_vec3 m[2]) {
    const phxi_peri_segment* s = &p->slot->thin->twist->segments[i];
    const int ends[2] = {i, s->next};
    for (int side = 0; side < 2; ++side) {
        const phxi_peri_weave* weave = &p->slot->thin->weaves[ends[side]];
        m[side] = weave->curved ? phxi_scale(s->share[side] * weave->bending[0],
                                             phxi_peri_rod_curvature(p->slot, p->x, ends[side]))
                                : phxi_vec3(0, 0, 0);
    }
}

static void find_coupling(const pass* p, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        phxi_peri_segment* s = &twist->segments[twist->order[k]];
        double* c = &twist->coupling[2 * (size_t)k];
        c[0] = c[1] = 0;
        twist->turned[k] = s->spun;
        if (s->whole && chain->curved) {
            phx_vec3 m[2];
            weighed_curvature(p, twist->order[k], m);
            set_targets(s);
            for (int side = 0; side < 2; ++side) {
                phx_vec3 across = phxi_cross(s->tangent, s->target[side]); // of what is normal to t
                c[0] += phxi_dot(m[side], phxi_cross(across, s->tangent));
                c[1] += phxi_dot(m[side], across);
            }
        }
    }
}

/// dE/dm of the node where segment k of the order begins, with frames turned.
static double couple_of(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain, int k) {
    const phxi_peri_segment* s = &twist->segments[twist->order[k]];
    int before = k > chain->begin ? k - 1 : chain->end - 1;
    return s->stiff > 0 ? s->stiff * (s->twist + twist->turned[k] - twist->turned[before]) : 0;
}

/// dE/dtheta of segment k.
static double turning_of(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain, int k) {
    int after = k + 1 < chain->end ? k + 1 : chain->begin;
    const double *c = &twist->coupling[2 * (size_t)k], angle = twist->turned[k];
    double next = k + 1 < chain->end || chain->closed ? couple_of(twist, chain, after) : 0;
    double bending = chain->curved ? c[0] * sin(angle) - c[1] * cos(angle) : 0;
    return bending + couple_of(twist, chain, k) - next;
}

static bool is_free(const phxi_peri_segment* s) {
    return s->whole && s->hold[0] < 0;
}

void phxi_peri_twist_system(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain, phxi_tridiagonal* m) {
    int begin = chain->begin, count = chain->end - begin;
    *m = (phxi_tridiagonal){twist->diagonal + begin, twist->off + begin, twist->loop + begin, 0, count};
    for (int k = 0; k < count; ++k) {
        const phxi_peri_segment* s = &twist->segments[twist->order[begin + k]];
        m->off[k] = 0;
        if (!is_free(s)) {
            m->diagonal[k] = 1;
            continue;
        }
        const phxi_peri_segment* next = &twist->segments[s->next];
        bool wraps = chain->closed && k + 1 == count;
        m->diagonal[k] += next->stiff > 0 && !(wraps && is_free(next)) ? next->stiff : 0;
        if (s->stiff > 0 && !is_free(&twist->segments[s->prev])) {
            m->diagonal[k] += s->stiff;
        } else if (s->stiff > 0 && k > 0) {
            m->diagonal[k] += s->stiff;
            m->off[k] = -s->stiff;
        } else {
            m->spring = k == 0 ? s->stiff : m->spring; // a loop closes here; or a chain begins
            m->diagonal[k] += PIN * fmax(next->stiff, s->stiff) + 1e-300;
        }
    }
}

/// Energy as far as it is by the turns.
static double turned_energy(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain) {
    double sum = 0;
    for (int k = chain->begin; k < chain->end; ++k) {
        const double *c = &twist->coupling[2 * (size_t)k], couple = couple_of(twist, chain, k),
                     stiff = twist->segments[twist->order[k]].stiff;
        sum += stiff > 0 ? couple * couple / (2 * stiff) : 0;
        sum -= chain->curved ? c[0] * cos(twist->turned[k]) + c[1] * sin(twist->turned[k]) : 0;
    }
    return sum;
}

/// How far to turn next, into twist->step: by the curvature of the energy where that is positive or, `safe`, by a bound
/// of it that no turn can exceed. Returns the largest turn.
static double find_step(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain, bool safe) {
    double most = 0;
    for (int k = chain->begin; k < chain->end; ++k) {
        const double *c = &twist->coupling[2 * (size_t)k], angle = twist->turned[k];
        bool free = is_free(&twist->segments[twist->order[k]]);
        twist->diagonal[k] = safe            ? sqrt(c[0] * c[0] + c[1] * c[1])
                             : chain->curved ? fmax(0, c[0] * cos(angle) + c[1] * sin(angle))
                                             : 0;
        twist->step[k] = free ? -turning_of(twist, chain, k) : 0;
    }
    phxi_tridiagonal system;
    phxi_peri_twist_system(twist, chain, &system);
    phxi_tridiagonal_factor(&system);
    phxi_tridiagonal_solve(&system, twist->step + chain->begin);
    for (int k = chain->begin; k < chain->end; ++k) {
        most = fmax(most, fabs(twist->step[k]));
    }
    return most;
}

static void add_step(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain, double times) {
    for (int k = chain->begin; k < chain->end; ++k) {
        twist->turned[k] += times * twist->step[k];
    }
}

/// Turns of all segments of a chain for which the energy is least: Newton's method, where that would climb by steps
/// that cannot.
static void relax(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain) {
    double last = INFINITY, energy = turned_energy(twist, chain);
    for (int n = 0; n < MOST_TURNS; ++n) {
        double most = find_step(twist, chain, false);
        add_step(twist, chain, 1);
        double now = turned_energy(twist, chain);
        if (most > STALLED && !(now <= energy)) {
            add_step(twist, chain, -1);
            most = find_step(twist, chain, true);
            add_step(twist, chain, 1);
            now = turned_energy(twist, chain);
        }
        if (!(most > TURNED) || (most < STALLED && most > 0.9 * last)) {
            break;
        }
        last = most, energy = now;
    }
}

static void turn_frames(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain) {
    for (int k = chain->begin; k < chain->end; ++k) {
        phxi_peri_segment* s = &twist->segments[twist->order[k]];
        s->couple = couple_of(twist, chain, k);
        s->turning = s->whole ? turning_of(twist, chain, k) : 0;
    }
    for (int k = chain->begin; k < chain->end; ++k) {
        phxi_peri_segment* s = &twist->segments[twist->order[k]];
        s->twist = s->stiff > 0 ? s->couple / s->stiff : 0;
        if (s->whole) {
            phx_vec3 across = phxi_cross(s->tangent, s->director);
            double angle = twist->turned[k];
            s->director = phxi_add_scaled(phxi_scale(cos(angle), s->director), sin(angle), across);
            set_targets(s);
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- forces

static void set_pulls(const pass* p, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        phxi_peri_segment* s = &twist->segments[twist->order[k]];
        s->pull = phxi_vec3(0, 0, 0);
        if (!s->whole) {
            continue;
        }
        phx_vec3 m[2], moment = {0, 0, 0};
        weighed_curvature(p, twist->order[k], m);
        for (int side = 0; side < 2; ++side) {
            moment = phxi_sub(moment, phxi_cross(s->target[side], m[side]));
        }
        const phxi_peri_segment* next = &twist->segments[s->next];
        phx_vec3 swept = phxi_add(phxi_scale(s->couple, s->binormal), phxi_scale(next->couple, next->binormal));
        s->pull = phxi_scale(1 / s->length, phxi_add_scaled(phxi_cross(moment, s->tangent), 0.5, swept));
    }
}

static void local_chain(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int c = begin; c < end; ++c) {
        const phxi_peri_chain* chain = &twist->chains[c];
        if (chain->idle && !p->all) {
            continue;
        }
        place_frames(p, chain);
        find_coupling(p, chain);
        relax(twist, chain);
        turn_frames(twist, chain);
        set_pulls(p, chain);
    }
}

void phxi_peri_twist_local(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x) {
    pass p = {.step = step, .slot = slot, .x = x};
    phxi_parallel_for(step->pool, slot->thin->twist->chain_count, 1, local_chain, &p);
}

bool phxi_peri_twist_target(const phxi_peri_slot* slot, int i, phx_vec3* target) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    const phxi_peri_segment* s = twist ? &twist->segments[i] : NULL;
    bool before = s && s->prev >= 0 && twist->segments[s->prev].whole, after = s && s->whole;
    *target = phxi_vec3(0, 0, 0);
    if (before) {
        *target = phxi_scale(twist->segments[s->prev].share[1], twist->segments[s->prev].target[1]);
    }
    if (after) {
        *target = phxi_add_scaled(*target, s->share[0], s->target[0]);
    }
    return before || after;
}

double phxi_peri_twist_energy(const phxi_peri_slot* slot, int i) {
    const phxi_peri_segment* s = &slot->thin->twist->segments[i];
    const phxi_peri_weave* weave = &slot->thin->weaves[i];
    phx_vec3 target;
    double energy = s->stiff * s->twist * s->twist / 2;
    if (weave->curved && phxi_peri_twist_target(slot, i, &target)) {
        energy += weave->bending[0] * (phxi_dot(weave->rest[0], weave->rest[0]) - phxi_dot(target, target)) / 2;
    }
    return energy;
}

phx_vec3 phxi_peri_twist_force(const phxi_peri_slot* slot, int i) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    const phxi_peri_segment* s = &twist->segments[i];
    phx_vec3 force = s->whole ? s->pull : phxi_vec3(0, 0, 0);
    return s->prev >= 0 && twist->segments[s->prev].whole ? phxi_sub(force, twist->segments[s->prev].pull) : force;
}

// --------------------------------------------------------------------------------------------------------------- state

static void state_fields(phxi_particles* p, phx_real* frame[3]) {
    frame[0] = phxi_particles_field(p, "peridynamics.frame_x");
    frame[1] = phxi_particles_field(p, "peridynamics.frame_y");
    frame[2] = phxi_particles_field(p, "peridynamics.frame_z");
}

static void store(phx_real* const frame[3], int k, phx_vec3 d) {
    frame[0][k] = (phx_real)d.x, frame[1][k] = (phx_real)d.y, frame[2][k] = (phx_real)d.z;
}

/// Tangents where particles are, and directors of the state at right angles to them.
static void load_frames(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    phx_real* frame[3];
    state_fields(step->particles, frame);
    for (int i = 0; i < slot->count; ++i) {
        phxi_peri_segment* s = &twist->segments[i];
        if (s->whole) {
            int k = slot->begin + i;
            s->hold[0] = s->hold[1] = -1;
            s->spun = 0;
            s->from = phxi_normalize(phxi_sub(x[s->next], x[i]), phxi_vec3(1, 0, 0));
            s->from_director = phxi_peri_transport(s->from, s->from, phxi_vec3(frame[0][k], frame[1][k], frame[2][k]));
        }
    }
}

void phxi_peri_start_twist(phxi_step* step, const phxi_peri_slot* slot) {
    const phxi_particles* p = step->particles;
    phx_real* frame[3];
    state_fields(step->particles, frame);
    for (int i = 0; i < slot->count; ++i) {
        const phxi_peri_segment* s = &slot->thin->twist->segments[i];
        if (s->next >= 0) {
            int k = slot->begin + i, n = slot->begin + s->next;
            phx_vec3 rest = phxi_sub(phxi_vec3(p->rest_x[n], p->rest_y[n], p->rest_z[n]),
                                     phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]));
            phx_vec3 now = phxi_sub(phxi_vec3(p->x[n], p->y[n], p->z[n]), phxi_vec3(p->x[k], p->y[k], p->z[k]));
            rest = phxi_normalize(rest, phxi_vec3(1, 0, 0));
            store(frame, k, phxi_peri_transport(rest, phxi_normalize(now, rest), s->rest));
        }
    }
}

/// A segment of which drivers hold both particles turns with these; if they are two, as both do on the mean. How far it
/// turns about itself is told apart, so that nodes may twist by more than half a turn before others follow.
static void hold_frame(const phxi_step* step, phxi_peri_segment* s, phx_vec3 director) {
    double spun = 0;
    for (int end = 1; end >= 0; --end) {
        const phxi_mat3* turn = &step->holds[s->hold[end]].turn;
        phxi_mat3 back = phxi_mat3_transpose(turn);
        phx_vec3 before = phxi_mat3_apply(&back, s->from), turned = phxi_mat3_apply(turn, director);
        s->from_director = phxi_peri_transport(before, s->from, director);
        spun += atan2(phxi_dot(phxi_cross(s->from_director, turned), s->from), phxi_dot(s->from_director, turned)) / 2;
    }
    s->spun = spun;
}

static void hold_frames(phxi_step* step, const phxi_peri_slot* slot, int* holder) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    phx_real* frame[3];
    state_fields(step->particles, frame);
    for (int i = 0; i < slot->count; ++i) {
        holder[i] = -1;
    }
    for (int h = 0; h < step->hold_count; ++h) {
        for (int k = 0; k < step->holds[h].count; ++k) {
            int i = step->holds[h].indices[k] - slot->begin;
            if (i >= 0 && i < slot->count) {
                holder[i] = h;
            }
        }
    }
    for (int i = 0; i < slot->count; ++i) {
        phxi_peri_segment* s = &twist->segments[i];
        if (s->whole && holder[i] >= 0 && holder[s->next] >= 0) {
            s->hold[0] = holder[i], s->hold[1] = holder[s->next];
            int k = slot->begin + i;
            hold_frame(step, s, phxi_vec3(frame[0][k], frame[1][k], frame[2][k]));
        }
    }
}

void phxi_peri_begin_twist(phxi_step* step, const phxi_peri_slot* slot) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    phxi_peri_positions(step, slot, slot->thin->where);
    load_frames(step, slot, slot->thin->where);
    hold_frames(step, slot, slot->thin->twist->holder);
    twist->idle = true;
    for (int c = 0; c < twist->chain_count; ++c) {
        phxi_peri_chain* chain = &twist->chains[c];
        int held = 0;
        for (int k = chain->begin; k < chain->end; ++k) {
            held += twist->segments[twist->order[k]].whole && twist->segments[twist->order[k]].hold[0] >= 0;
        }
        chain->idle = !chain->closed && !chain->curved && held < 2;
        twist->idle = twist->idle && chain->idle;
        for (int k = chain->begin; k < chain->end && chain->idle; ++k) {
            phxi_peri_segment* s = &twist->segments[twist->order[k]];
            s->pull = phxi_vec3(0, 0, 0);
            s->target[0] = s->target[1] = phxi_vec3(0, 0, 0);
            s->couple = s->twist = 0;
        }
    }
}

void phxi_peri_end_twist(phxi_step* step, const phxi_peri_slot* slot) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    phx_real* frame[3];
    state_fields(step->particles, frame);
    phxi_peri_positions(step, slot, slot->thin->where);
    pass p = {.step = step, .slot = slot, .x = slot->thin->where, .all = true};
    phxi_parallel_for(step->pool, twist->chain_count, 1, local_chain, &p);
    for (int i = 0; i < slot->count; ++i) {
        const phxi_peri_segment* s = &twist->segments[i];
        if (s->whole) {
            store(frame, slot->begin + i, s->director);
        }
        for (int end = 0; s->whole && s->hold[0] >= 0 && end < 2; ++end) {
            phxi_driver_hold* hold = &step->holds[s->hold[end]];
            hold->couple = phxi_add_scaled(hold->couple, -s->turning / 2, s->tangent);
        }
    }
}

void phxi_peri_twist_show(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    pass p = {.step = step, .slot = slot, .x = x};
    load_frames(step, slot, x);
    for (int c = 0; c < twist->chain_count; ++c) {
        place_frames(&p, &twist->chains[c]);
    }
    for (int i = 0; i < slot->count; ++i) {
        if (twist->segments[i].whole) {
            set_targets(&twist->segments[i]);
        }
    }
}
