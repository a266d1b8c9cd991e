// SPDX-License-Identifier: MIT
// How hard particles that touch push each other (pairs.h), by one of two laws.
//
// Penalty: springs and dampers of a stiffness. A body that comes fast, or one that much weighs on, would go through
// such a spring; so where a pair were to be deeper than `limit` of its distance at the end of the substep, its push is
// what it takes that it is not. That takes energy away, never gives any, and only what springs could not stop feels it.
//
// Projection: no stiffness. The push of a pair is what it takes that the gap at the end of the substep is not negative,
//   gap_end = -depth + dt (parting + kick (a_j - a_i) . n) >= -compliance push / share,
// or that the pair parts with e times the speed it came with, e = exp(-pi zeta / sqrt(1 - zeta^2)) by its damping zeta:
// that of the spring and damper that it stands for (projection.h). What is too deep already is let out slowly. What
// takes implicit steps touches by springs all the same: its particles are held by others, and no push on one of them
// alone tells how it will move.
//
// Either way a system of equations over particles that have several contacts, solved by Jacobi sweeps weighted by
// shares, in which each particle knows all that acts on it. Masses take what they take: nothing of this bounds dt.
#include "contact/pairs_internal.h"
#include "contact/law/projection.h"

enum { GRAIN = 256, SWEEPS = 24 };
static const double limit = 0.6;    // of the distance: deeper pairs are stopped
static const double settled = 1e-3; // pushes that change by less of themselves are found

typedef struct push_context {
    contact_set* set;
    uint8_t* flags; // by block of contacts
} push_context;

// ------------------------------------------------------------------------------------------------------------ penalty

/// Bodies that were put into each other part at a speed, no harder than by their depth.
static void set_overlap(const contact_set* set, contact* c) {
    c->push = c->least = 0;
    c->most = c->depth > 0 ? c->share * c->stiffness * c->depth : 0;
    c->target = phxi_overlap_speed(set, c);
}

/// True if the push may have to be more than that of the spring.
static bool set_penalty(const contact_set* set, contact* c) {
    double dt = set->scene->dt, most = dt > 0 ? c->mass / (2 * dt) : INFINITY;
    double drag = fmin(2 * c->damping * sqrt(c->stiffness * c->mass), most);
    double push = c->stiffness * c->depth - drag * c->parting;
    c->push = c->least = c->depth > 0 && push > 0 ? c->share * push : 0;
    c->most = INFINITY;
    if (c->slow && dt > 0) {
        set_overlap(set, c);
        return true;
    }
    double room = limit * c->range - c->depth;
    c->target = dt > 0 ? -fmax(room, 0) / dt : -INFINITY;
    // what acts can close a third of the room at most within a stable substep
    return c->depth - dt * c->parting > 0.667 * limit * c->range;
}

static void penalty_block(void* context, int begin, int end, int index) {
    const push_context* f = context;
    bool fast = false;
    for (int k = begin; k < end; ++k) {
        fast = set_penalty(f->set, &f->set->items[k]) || fast;
    }
    f->flags[index] = fast;
}

// --------------------------------------------------------------------------------------------------------- projection

static double acceleration_between(const contact_set* set, const contact* c) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    if (c->rigid) {
        return phxi_rigid_coming(set, c);
    }
    phx_vec3 rate_a = phxi_add_scaled(a->rate, a->inverse_mass, a->sum);
    phx_vec3 rate_b = phxi_add_scaled(b->rate, b->inverse_mass, b->sum);
    return phxi_dot(phxi_sub(rate_b, rate_a), c->normal);
}

/// How fast a pair is to part at least.
static void target_block(void* context, int begin, int end, int index) {
    const push_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    bool near = false;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        if (!c->projected) {
            near = set_penalty(f->set, c) || c->push > 0 || near;
            continue;
        }
        double load = scene->kick * acceleration_between(f->set, c);
        phxi_gap gap = {c->depth, c->parting, load, c->damping, c->mass};
        phxi_gap_speeds speeds = phxi_gap_find_speeds(&gap, scene->dt, scene->compliance);
        c->target = speeds.target;
        c->fastest = speeds.most;
        c->push = c->least = 0;
        c->most = INFINITY;
        if (c->slow) {
            set_overlap(f->set, c);
        }
        near = near || c->parting + load < c->target;
    }
    f->flags[index] = near;
}

// ------------------------------------------------------------------------------------------------------------- sweeps

static void load_block(void* context, int begin, int end, int index) {
    const push_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &f->set->nodes[n];
        node->inverse_mass = phxi_contact_inverse_mass(scene->particles, node->particle);
        node->rate = phxi_scale(node->inverse_mass, scene->load(scene->context, node->particle, true));
        node->sum = phxi_vec3(0, 0, 0);
        node->shares = 0;
        for (int k = node->begin; k < node->end; ++k) {
            node->shares += f->set->items[f->set->incident[k]].share;
        }
    }
}

static void sum_block(void* context, int begin, int end, int index) {
    const push_context* f = context;
    (void)index;
    for (int n = begin; n < end; ++n) {
        f->set->nodes[n].sum = phxi_contact_pushes(f->set, n);
    }
}

static void push_block(void* context, int begin, int end, int index) {
    const push_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    f->flags[index] = 0;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        if (!(c->share > 0)) {
            continue;
        }
        const contact_node *a = &f->set->nodes[c->node_a], *b = &f->set->nodes[c->node_b];
        double give = c->projected && !c->slow ? scene->compliance / (c->share * scene->dt) : 0;
        double wanted = give > 0 ? fmin(c->target - give * c->push, c->fastest) : c->target;
        double lacks = wanted - c->parting - scene->kick * acceleration_between(f->set, c);
        double amplification = c->rigid ? phxi_rigid_amplification(f->set, c) : fmax(a->shares, b->shares);
        double gain = c->mass * c->share / amplification;
        double push = fmin(c->most, fmax(c->least, c->push + lacks / (scene->kick / gain + give)));
        f->flags[index] |= fabs(push - c->push) > settled * fmax(push, c->push);
        c->push = push;
    }
}

static bool any(const push_context* f, int blocks) {
    bool found = false;
    for (int b = 0; b < blocks; ++b) {
        found = found || f->flags[b];
    }
    return found;
}

// Forces by which normals move (pair_normal_gradient.c) belong to the energy of springs. Others at particles that are
// crushed together would fling them about, so what such a push turns is left to the whole body; unless neither is able.
static void gradient_push_block(void* context, int begin, int end, int index) {
    const contact_set* set = ((const push_context*)context)->set;
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &set->items[k];
        c->gradient_push = phxi_contact_turns(set, c) ? c->least : c->push;
    }
}

phx_result phxi_pushes_find(contact_set* set) {
    const phxi_contact_scene* scene = set->scene;
    push_context f = {.set = set};
    int blocks = phxi_block_count(set->count, GRAIN);
    f.flags = phxi_arena_take(scene->arena, (size_t)blocks, 1);
    if (!f.flags) {
        return PHX_ERROR_MEMORY;
    }
    bool project = scene->projection && scene->dt > 0;
    if (project) {
        phxi_parallel_for(scene->pool, set->node_count, GRAIN, load_block, &f);
        phxi_rigid_load(set, false);
    }
    phxi_parallel_for(scene->pool, set->count, GRAIN, project ? target_block : penalty_block, &f);
    bool more = scene->dt > 0 && any(&f, blocks);
    if (more && !project) {
        phxi_parallel_for(scene->pool, set->node_count, GRAIN, load_block, &f);
    }
    if (more) { // what springs push
        phxi_parallel_for(scene->pool, set->node_count, GRAIN, sum_block, &f);
        phxi_rigid_load(set, false);
    }
    for (int sweep = 0; sweep < SWEEPS && more; ++sweep) {
        phxi_parallel_for(scene->pool, set->count, GRAIN, push_block, &f);
        phxi_parallel_for(scene->pool, set->node_count, GRAIN, sum_block, &f);
        phxi_rigid_load(set, false);
        more = any(&f, blocks);
    }
    phxi_parallel_for(scene->pool, set->count, GRAIN, gradient_push_block, &f);
    return PHX_OK;
}
