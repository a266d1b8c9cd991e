// SPDX-License-Identifier: MIT
// Couples that make up for what friction turns (pairs.h): found for each particle in contact, summed over its contacts,
// and gathered by all particles bonded to one that has a couple. Who may receive a part is marked by bytes, whichever
// thread comes first; then each of them looks through its own bonds, so sums have one order.
#include "contact/pairs_internal.h"

#include <string.h>

enum { GRAIN = 64 };
static const double near_singular = 0.05; // smallest over largest moment of inertia

typedef struct couple_context {
    contact_set* set;
    contact_cluster* clusters; // by node
    phx_vec3* spins;           // by node: I^-1 tau
    int* receivers;
    phx_real* const* force;
} couple_context;

static phx_vec3 position_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static int bonds_of(const couple_context* c, int i, int* bonds) {
    return c->set->scene->bonds(c->set->scene->context, i, bonds);
}

// ----------------------------------------------------------------------------------------------------------- clusters

static contact_cluster cluster_of(const couple_context* c, int i, int* bonds) {
    const phxi_particles* p = c->set->scene->particles;
    contact_cluster cluster = {.fixed = p->fixed[i] != 0};
    int count = cluster.fixed ? 0 : bonds_of(c, i, bonds);
    if (count < 3) {
        return cluster;
    }
    bonds[count++] = i;
    // about the particle first, so that nothing cancels
    phx_vec3 origin = position_of(p, i), moment = {0, 0, 0};
    double mass = 0;
    phxi_sym3 s = {0};
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(position_of(p, bonds[k]), origin);
        double m = p->mass[bonds[k]];
        mass += m;
        moment = phxi_add_scaled(moment, m, d);
        s.xx += m * d.x * d.x;
        s.yy += m * d.y * d.y;
        s.zz += m * d.z * d.z;
        s.xy += m * d.x * d.y;
        s.xz += m * d.x * d.z;
        s.yz += m * d.y * d.z;
    }
    phx_vec3 d = phxi_scale(1 / mass, moment);
    cluster.center = phxi_add(origin, d);
    s.xx -= mass * d.x * d.x;
    s.yy -= mass * d.y * d.y;
    s.zz -= mass * d.z * d.z;
    s.xy -= mass * d.x * d.y;
    s.xz -= mass * d.x * d.z;
    s.yz -= mass * d.y * d.z;
    phxi_sym3 inertia = {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
    phxi_mat3 full = phxi_sym3_full(&inertia);
    // one moment far below the others, which then are each half of the trace: det = l (trace / 2)^2
    double trace = inertia.xx + inertia.yy + inertia.zz;
    cluster.able =
        8 * phxi_mat3_det(&full) > near_singular * trace * trace * trace && phxi_mat3_inverse(&full, &cluster.inverse);
    return cluster;
}

static void cluster_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int node = begin; node < end; ++node) {
        int i = c->set->pairs->listed.items[c->set->nodes[node]];
        c->clusters[node] = cluster_of(c, i, bonds);
    }
}

static void share(contact* c, const contact_cluster* a, const contact_cluster* b) {
    if (a->fixed || b->fixed) {
        c->share = a->fixed;
    } else if (a->able && b->able) {
        c->share = 0.5;
    } else if (a->able || b->able) {
        c->share = a->able;
    } else {
        c->grip = 0;
    }
}

phx_result phxi_couples_prepare(contact_set* set, const int* node_of, contact_cluster** clusters) {
    couple_context c = {.set = set};
    c.clusters = *clusters = phxi_arena_take(set->scene->arena, (size_t)set->node_count, sizeof **clusters);
    if (!c.clusters) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, cluster_block, &c);
    for (int k = 0; k < set->count; ++k) {
        contact* item = &set->items[k];
        share(item, &c.clusters[node_of[item->a]], &c.clusters[node_of[item->b]]);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ couples

// Friction f on j and -f on i turns the pair by (x_j - x_i) x f; the couples are the opposite.
static phx_vec3 couple_of(const contact_set* set, int n) {
    const phxi_particles* p = set->scene->particles;
    phx_vec3 couple = {0, 0, 0};
    for (int k = set->start[n]; k < set->start[n + 1]; ++k) {
        const contact* c = &set->items[set->incident[k]];
        phx_vec3 arm = phxi_sub(position_of(p, c->j), position_of(p, c->i));
        couple = phxi_add_scaled(couple, -(c->a == n ? c->share : 1 - c->share), phxi_cross(arm, c->friction));
    }
    return couple;
}

static void spin_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    phxi_pairs* pairs = c->set->pairs;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int node = begin; node < end; ++node) {
        int n = c->set->nodes[node], i = pairs->listed.items[n];
        phx_vec3 couple = c->clusters[node].able ? couple_of(c->set, n) : phxi_vec3(0, 0, 0);
        if (couple.x == 0 && couple.y == 0 && couple.z == 0) {
            continue;
        }
        c->spins[node] = phxi_mat3_apply(&c->clusters[node].inverse, couple);
        pairs->spin_of.items[i] = node;
        int count = bonds_of(c, i, bonds);
        bonds[count++] = i;
        for (int k = 0; k < count; ++k) {
            __atomic_store_n(&pairs->receives.items[bonds[k]], 1, __ATOMIC_RELAXED);
        }
    }
}

static phx_vec3 part_of(const couple_context* c, int i, int node) {
    const phxi_particles* p = c->set->scene->particles;
    phx_vec3 arm = phxi_sub(position_of(p, i), c->clusters[node].center);
    return phxi_scale(p->mass[i], phxi_cross(c->spins[node], arm));
}

static void receive_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    const int* spin_of = c->set->pairs->spin_of.items;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int k = begin; k < end; ++k) {
        int i = c->receivers[k], count = bonds_of(c, i, bonds);
        bonds[count++] = i;
        phx_vec3 sum = {0, 0, 0};
        for (int m = 0; m < count; ++m) {
            int node = spin_of[bonds[m]];
            sum = node >= 0 ? phxi_add(sum, part_of(c, i, node)) : sum;
        }
        c->force[0][i] += (phx_real)sum.x;
        c->force[1][i] += (phx_real)sum.y;
        c->force[2][i] += (phx_real)sum.z;
    }
}

// Marked particles in order; the marks are taken away.
static int collect(const couple_context* c) {
    uint8_t *receives = c->set->pairs->receives.items, *end = receives + c->set->scene->particles->count;
    int count = 0;
    for (uint8_t* at = receives; (at = memchr(at, 1, (size_t)(end - at))); ++at) {
        c->receivers[count++] = (int)(at - receives);
        *at = 0;
    }
    return count;
}

phx_result phxi_couples_add(contact_set* set, contact_cluster* clusters, phx_real* const force[3]) {
    phxi_arena* arena = set->scene->arena;
    couple_context c = {.set = set, .clusters = clusters, .force = force};
    c.spins = phxi_arena_take(arena, (size_t)set->node_count, sizeof *c.spins);
    c.receivers = phxi_arena_take(arena, (size_t)set->scene->particles->count, sizeof *c.receivers);
    if (!c.spins || !c.receivers) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, spin_block, &c);
    phxi_parallel_for(set->scene->pool, collect(&c), GRAIN, receive_block, &c);
    for (int node = 0; node < set->node_count; ++node) {
        set->pairs->spin_of.items[set->pairs->listed.items[set->nodes[node]]] = -1;
    }
    return PHX_OK;
}
