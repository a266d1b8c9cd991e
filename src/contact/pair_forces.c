// SPDX-License-Identifier: MIT
// What particles that touch exert on each other (pairs.h): pushes, friction, sums. Every particle sums over its
// contacts in order of the partners' indices.
#include "contact/law/friction.h"
#include "contact/pairs_internal.h"
#include "contact/law/projection.h"

enum { GRAIN = 256, SWEEPS = 12, RIGID_SWEEPS = 40 }; // contacts far apart on a rigid body feel each other
static const double settled = 1e-3;                   // friction that changes by less of its bound is found

typedef struct force_context {
    contact_set* set;
    uint8_t* changed;          // by block of contacts
    phxi_friction_slip* slips; // by contact
    phx_real* const* force;
    double* energy;
} force_context;

phx_vec3 phxi_contact_pushes(const contact_set* set, int n) {
    phx_vec3 sum = {0, 0, 0};
    for (int k = set->nodes[n].begin; k < set->nodes[n].end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double sign = c->node_b == n ? 1 : -1;
        sum = phxi_add_scaled(sum, sign * c->push, c->normal);
        sum = c->length > 0 ? phxi_add_scaled(sum, sign * c->share_force / c->length, c->line) : sum;
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
        if (f->set->fragments[node->fragment].rigid) {
            continue; // its body has one rate, see pair_rigid.c
        }
        phx_vec3 acts = phxi_add(phxi_contact_pushes(f->set, n), scene->load(scene->context, node->particle, false));
        node->rate = phxi_scale(phxi_contact_inverse_mass(scene->particles, node->particle), acts);
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
    const contact_fragment* fragment = &set->fragments[node->fragment];
    phx_vec3 arm = phxi_sub(phxi_contact_position(p, node->particle), fragment->center);
    phx_vec3 rate = phxi_add(node->rate, phxi_cross(fragment->spin, arm));
    return phxi_add_scaled(rate, phxi_contact_inverse_mass(p, node->particle), node->sum);
}

// Acceleration of one side from the other where they touch.
static phx_vec3 rate_between(const contact_set* set, const contact* c) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    if (c->rigid) {
        return phxi_sub(phxi_contact_side_rate(set, c, true), phxi_contact_side_rate(set, c, false));
    }
    phx_vec3 turn = phxi_scale(c->couple, set->fragments[a->fragment].spin);
    turn = phxi_add_scaled(turn, 1 - c->couple, set->fragments[b->fragment].spin);
    return phxi_sub(phxi_sub(rate_of(set, b), rate_of(set, a)), phxi_cross(turn, c->arm));
}

// What the slip would still do against the aim of friction (law/friction_memory.h), m/s^2.
static phx_vec3 urge_of(const contact_set* set, const contact* c) {
    return phxi_friction_urge(rate_between(set, c), 1, c->velocity, c->slip, set->scene->dt);
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

// Ways up to now. What takes them back is where sweeps begin.
static void recall_block(void* context, int begin, int end, int index) {
    contact_set* set = ((const force_context*)context)->set;
    const phxi_contact_scene* scene = set->scene;
    double taken = phxi_friction_slip_rate(scene->dt);
    int at = phxi_friction_memory_from(scene->friction_memory, set->items[begin].i, set->items[begin].j);
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &set->items[k];
        if (!(c->gain > 0)) {
            continue;
        }
        const contact_fragment *a = &set->fragments[set->nodes[c->node_a].fragment],
                               *b = &set->fragments[set->nodes[c->node_b].fragment];
        phx_vec3 turn = phxi_scale(0.5, phxi_add(a->turn, b->turn));
        c->slip = phxi_friction_slip_now(phxi_friction_memory_find(scene->friction_memory, c->i, c->j, &at),
                                         (phxi_friction_times){scene->dt, scene->kick}, c->velocity, turn, c->normal,
                                         c->grip / (taken * c->gain));
        c->friction = phxi_scale(-taken * c->gain, c->slip);
    }
}

// Who slides does what is left to it; who holds is meant to.
static void remember_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    (void)index;
    for (int k = begin; k < end; ++k) {
        const contact* c = &f->set->items[k];
        phx_vec3 left = {0, 0, 0};
        if (c->gain > 0 && phxi_length(c->friction) > (1 - settled) * c->grip) {
            left = urge_of(f->set, c);
        }
        f->slips[k] = phxi_friction_slip_ahead(c->i, c->j, (phxi_friction_times){scene->dt, scene->kick}, c->slip,
                                               c->velocity, left);
    }
}

static phx_result remember(force_context* f) {
    const contact_set* set = f->set;
    f->slips = phxi_arena_take(set->scene->arena, (size_t)set->count, sizeof *f->slips);
    if (!f->slips) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, set->count, GRAIN, remember_block, f);
    int count = 0;
    for (int k = 0; k < set->count; ++k) {
        if (set->items[k].gain > 0) {
            f->slips[count++] = f->slips[k];
        }
    }
    return phxi_friction_memory_add(set->scene->friction_memory, set->scene->keep, f->slips, count);
}

static void slip_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    f->changed[index] = 0;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        if (!(c->grip > 0)) {
            continue;
        }
        phx_vec3 wanted = phxi_add_scaled(c->friction, -c->gain, urge_of(f->set, c));
        phx_vec3 hold = phxi_friction_cone(wanted, c->normal, c->grip).force;
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

/// What friction as it is does; true if colliders answer with another one.
static bool hold(force_context* f) {
    phxi_parallel_for(f->set->scene->pool, f->set->node_count, GRAIN, sum_block, f);
    phxi_couples_find(f->set);
    return phxi_rigid_hold(f->set);
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
    phxi_parallel_for(pool, set->count, GRAIN, recall_block, f);
    hold(f);
    bool changed = true;
    for (int sweep = 0, most = set->moves_rigid ? RIGID_SWEEPS : SWEEPS; sweep < most && changed; ++sweep) {
        phxi_parallel_for(pool, set->count, GRAIN, slip_block, f);
        changed = hold(f);
        for (int b = 0; b < blocks; ++b) {
            changed = changed || f->changed[b];
        }
    }
    return set->scene->keep ? remember(f) : PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- sums

static double energy_of(const contact_set* set, const contact* c) {
    const phxi_contact_scene* scene = set->scene;
    double stiffness = c->projected ? phxi_gap_stiffness(scene->compliance, c->mass, scene->dt) : c->stiffness;
    return c->depth > 0 && !c->slow ? 0.5 * c->share * stiffness * c->depth * c->depth : 0;
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
    return phxi_normal_gradient_add(set, f->force);
}

phx_result phxi_pairs_add_forces(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* const force[3],
                                 double* energy) {
    bool any;
    contact_set set = {.pairs = pairs, .scene = scene};
    force_context f = {.set = &set, .force = force, .energy = energy};
    PHXI_TRY(phxi_pairs_update(pairs, scene, &any));
    phx_result result = any ? add_forces(&f) : PHX_OK;
    phxi_contacts_forget(&set);
    if (scene->keep && result == PHX_OK) {
        phxi_friction_memory_turn(scene->friction_memory);
    }
    return result;
}
