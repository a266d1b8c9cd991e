// SPDX-License-Identifier: MIT
// What particles that touch exert on each other (pairs.h): pushes, friction, sums. Every particle sums over its
// contacts in order of the partners' indices.
#include "contact/pairs_internal.h"

enum { GRAIN = 256, SWEEPS = 12, RIGID_SWEEPS = 40 }; // contacts far apart on a rigid body feel each other
static const double settled = 1e-3;                   // friction that changes by less of its bound is found

typedef struct force_context {
    contact_set* set;
    uint8_t* changed; // by block of contacts
    phx_real* const* force;
    double* energy;
} force_context;

phx_vec3 phxi_contact_pushes(const contact_set* set, int n) {
    phx_vec3 sum = {0, 0, 0};
    for (int k = set->nodes[n].begin; k < set->nodes[n].end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double sign = c->node_b == n ? 1 : -1;
        sum = phxi_add_scaled(sum, sign * c->push, c->normal);
        sum = c->length > 0 ? phxi_add_scaled(sum, sign * c->squeeze / c->length, c->line) : sum;
    }
    return sum;
}

// ----------------------------------------------------------------------------------------------------------- friction

static void rate_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &f->set->nodes[n];
        if (f->set->pieces[node->piece].rigid) {
            continue; // its body has one rate, see pair_rigid.c
        }
        phx_vec3 acts = phxi_add(phxi_contact_pushes(f->set, n), scene->load(scene->context, node->particle));
        node->rate = phxi_scale(phxi_contact_lightness(scene->particles, node->particle), acts);
        node->shares = 0;
        for (int k = node->begin; k < node->end; ++k) {
            const contact* c = &f->set->items[f->set->incident[k]];
            node->shares += c->push > 0 ? c->share : 0;
        }
    }
}

static void sum_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &f->set->nodes[n];
        node->sum = phxi_vec3(0, 0, 0);
        for (int k = node->begin; k < node->end; ++k) {
            const contact* c = &f->set->items[f->set->incident[k]];
            node->sum = phxi_add_scaled(node->sum, c->node_b == n ? 1 : -1, c->friction);
        }
    }
}

// Acceleration by all that acts, friction and its couples too.
static phx_vec3 rate_of(const contact_set* set, const contact_node* node) {
    const phxi_particles* p = set->scene->particles;
    if (node->fixed) {
        return phxi_vec3(0, 0, 0);
    }
    const contact_piece* piece = &set->pieces[node->piece];
    phx_vec3 arm = phxi_sub(phxi_contact_position(p, node->particle), piece->center);
    phx_vec3 rate = phxi_add(node->rate, phxi_cross(piece->spin, arm));
    return phxi_add_scaled(rate, phxi_contact_lightness(p, node->particle), node->sum);
}

// How fast the slip grows, were it half gone already.
static phx_vec3 slip_of(const contact_set* set, const contact* c) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    if (c->rigid) {
        phx_vec3 slip = phxi_sub(phxi_contact_side_rate(set, c, true), phxi_contact_side_rate(set, c, false));
        return phxi_add_scaled(slip, 0.5 / set->scene->dt, c->velocity);
    }
    phx_vec3 turn = phxi_scale(c->couple, set->pieces[a->piece].spin);
    turn = phxi_add_scaled(turn, 1 - c->couple, set->pieces[b->piece].spin);
    phx_vec3 slip = phxi_sub(rate_of(set, b), rate_of(set, a));
    slip = phxi_sub(slip, phxi_cross(turn, c->arm));
    return phxi_add_scaled(slip, 0.5 / set->scene->dt, c->velocity);
}

// What one sweep takes up of the slip: all that hold a particle, or a rigid body, do so together.
static void gain_block(void* context, int begin, int end, int index) {
    contact_set* set = ((const force_context*)context)->set;
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &set->items[k];
        const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
        if (c->grip > 0) {
            c->gain = c->rigid ? phxi_rigid_gain(set, c) : c->mass * c->share / fmax(a->shares, b->shares);
        }
    }
}

static void slip_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    f->changed[index] = 0;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        if (!(c->grip > 0)) {
            continue;
        }
        phx_vec3 hold = phxi_add_scaled(c->friction, -c->gain, slip_of(f->set, c));
        hold = phxi_add_scaled(hold, -phxi_dot(hold, c->normal), c->normal);
        double strength = phxi_length(hold);
        hold = strength > c->grip ? phxi_scale(c->grip / strength, hold) : hold;
        f->changed[index] |= phxi_distance(hold, c->friction) > settled * c->grip;
        c->friction = hold;
    }
}

// The largest friction follows from the coefficient and the push. What pushes made of the nodes' sums is gone.
static void find_grips(contact_set* set) {
    for (int k = 0; k < set->count; ++k) {
        set->items[k].grip *= set->items[k].push;
    }
    for (int n = 0; n < set->node_count; ++n) {
        set->nodes[n].sum = phxi_vec3(0, 0, 0);
    }
}

static bool is_slippery(const contact_set* set) {
    for (int k = 0; k < set->count; ++k) {
        if (set->items[k].grip > 0) {
            return false;
        }
    }
    return true;
}

static phx_result find_friction(force_context* f) {
    contact_set* set = f->set;
    phxi_pool* pool = set->scene->pool;
    int blocks = phxi_block_count(set->count, GRAIN);
    f->changed = phxi_arena_take(set->scene->arena, (size_t)blocks, 1);
    if (!f->changed) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(pool, set->node_count, GRAIN, rate_block, f);
    phxi_rigid_load(set, true);
    phxi_parallel_for(pool, set->count, GRAIN, gain_block, f);
    bool changed = true;
    for (int sweep = 0, most = set->any_rigid ? RIGID_SWEEPS : SWEEPS; sweep < most && changed; ++sweep) {
        phxi_parallel_for(pool, set->count, GRAIN, slip_block, f);
        phxi_parallel_for(pool, set->node_count, GRAIN, sum_block, f);
        phxi_couples_find(set);
        changed = phxi_rigid_hold(set);
        for (int b = 0; b < blocks; ++b) {
            changed = changed || f->changed[b];
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- sums

static double energy_of(const contact_set* set, const contact* c) {
    if (set->scene->projection) {
        return c->push > 0 ? 0.5 * set->scene->compliance * c->push * c->push / c->share : 0;
    }
    return c->depth > 0 && !c->overlaps ? 0.5 * c->share * c->stiffness * c->depth * c->depth : 0;
}

static void gather_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const contact_set* set = f->set;
    (void)index;
    for (int n = begin; n < end; ++n) {
        const contact_node* node = &set->nodes[n];
        phx_vec3 sum = phxi_add(phxi_contact_pushes(set, n), node->sum);
        f->force[0][node->particle] += (phx_real)sum.x;
        f->force[1][node->particle] += (phx_real)sum.y;
        f->force[2][node->particle] += (phx_real)sum.z;
        for (int k = node->begin; f->energy && k < node->end; ++k) {
            const contact* c = &set->items[set->incident[k]];
            f->energy[node->particle] += 0.5 * energy_of(set, c);
        }
    }
}

static phx_result add_forces(force_context* f) {
    contact_set* set = f->set;
    PHXI_TRY(phxi_contacts_find(set));
    if (set->count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_pushes_find(set));
    phxi_overlaps_tell(set);
    find_grips(set);
    if (set->scene->dt > 0 && !is_slippery(set)) {
        PHXI_TRY(find_friction(f));
    }
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, gather_block, f);
    phxi_couples_add(set, f->force);
    return phxi_levers_add(set, f->force);
}

phx_result phxi_pairs_add_forces(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* const force[3],
                                 double* energy) {
    bool any;
    contact_set set = {.pairs = pairs, .scene = scene};
    force_context f = {.set = &set, .force = force, .energy = energy};
    PHXI_TRY(phxi_pairs_update(pairs, scene, &any));
    phx_result result = any ? add_forces(&f) : PHX_OK;
    phxi_contacts_forget(&set);
    return result;
}
