// SPDX-License-Identifier: MIT
// Couples that make up for what contacts turn (pairs.h): found for each particle in contact, summed over its contacts,
// and gathered by all particles bonded to one that has a couple. Who may receive a part is marked by bytes, whichever
// thread comes first; then each of them looks through its own bonds, so sums have one order.
#include "contact/pairs_internal.h"

#include <string.h>

enum { GRAIN = 64 };

typedef struct couple_context {
    contact_set* set;
    int* receivers;
    phx_real* const* force;
} couple_context;

// A force f on j and -f on i turns the pair by x_ij x f; the couples are the opposite. Central pushes turn nothing.
static phx_vec3 couple_of(const contact_set* set, int n) {
    phx_vec3 couple = {0, 0, 0};
    for (int k = set->nodes[n].begin; k < set->nodes[n].end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double share = c->node_a == n ? c->couple : 1 - c->couple;
        phx_vec3 force = c->central < 1 ? phxi_add(c->friction, c->thrust) : c->friction;
        couple = phxi_add_scaled(couple, -share, phxi_cross(c->arm, force));
    }
    return couple;
}

static void spin_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &c->set->nodes[n];
        phx_vec3 couple = node->able && !node->fixed ? couple_of(c->set, n) : phxi_vec3(0, 0, 0);
        if (couple.x == 0 && couple.y == 0 && couple.z == 0) {
            continue;
        }
        node->spin = phxi_mat3_apply(&node->inverse, couple);
        int count = c->set->scene->bonds(c->set->scene->context, node->particle, bonds);
        bonds[count++] = node->particle;
        for (int k = 0; k < count; ++k) {
            __atomic_store_n(&c->set->pairs->receives.items[bonds[k]], 1, __ATOMIC_RELAXED);
        }
    }
}

static phx_vec3 part_of(const couple_context* c, int i, const contact_node* node) {
    const phxi_particles* p = c->set->scene->particles;
    phx_vec3 arm = phxi_sub(phxi_contact_position(p, i), node->center);
    return phxi_scale(p->mass[i], phxi_cross(node->spin, arm));
}

static void receive_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    const int* node_of = c->set->pairs->node_of.items;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int k = begin; k < end; ++k) {
        int i = c->receivers[k], count = c->set->scene->bonds(c->set->scene->context, i, bonds);
        bonds[count++] = i;
        phx_vec3 sum = {0, 0, 0};
        for (int m = 0; m < count; ++m) {
            int n = node_of[bonds[m]];
            sum = n >= 0 ? phxi_add(sum, part_of(c, i, &c->set->nodes[n])) : sum;
        }
        c->force[0][i] += (phx_real)sum.x;
        c->force[1][i] += (phx_real)sum.y;
        c->force[2][i] += (phx_real)sum.z;
    }
}

// Marked particles in order; the marks are taken away.
static int collect(const couple_context* c) {
    uint8_t* receives = c->set->pairs->receives.items;
    const uint8_t* end = receives + c->set->scene->particles->count;
    int count = 0;
    for (uint8_t* at = receives; (at = memchr(at, 1, (size_t)(end - at))); ++at) {
        c->receivers[count++] = (int)(at - receives);
        *at = 0;
    }
    return count;
}

phx_result phxi_couples_add(contact_set* set, phx_real* const force[3]) {
    couple_context c = {.set = set, .force = force};
    c.receivers = phxi_arena_take(set->scene->arena, (size_t)set->scene->particles->count, sizeof *c.receivers);
    if (!c.receivers) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, spin_block, &c);
    phxi_parallel_for(set->scene->pool, collect(&c), GRAIN, receive_block, &c);
    return PHX_OK;
}
