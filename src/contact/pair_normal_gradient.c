// SPDX-License-Identifier: MIT
// What a push along the normal of a face does to those that the normal comes from (pairs.h).
//
// A face turns with the gradient L of displacements: dn = -L^T n at right angles to n, so that a gap x_ij . n with the
// part y of x_ij aside changes by -n . L y; with L = sum m u d^T B^-1, B = sum m d d^T, the forces conjugate to that
// are
//   f_k = -push m_k (d_k . B^-1 y) n
// on a particle and its bonds. Their sum is zero, and they turn by the opposite of what the push does to the pair. They
// are found for each particle in contact and gathered by all that are bonded to one. Who may receive a part is marked
// by bytes, whichever thread comes first; then each of them looks through its own bonds, so sums have one order.
#include "contact/pairs_internal.h"

#include <string.h>

enum { GRAIN = 64 };

typedef struct gradient_context {
    contact_set* set;
    int* receivers;
    phx_real* const* force;
} gradient_context;

// Sum of -push n y^T over the contacts of a node; false if there are none.
static bool couple_of(const contact_set* set, int n, phxi_mat3* couple) {
    bool any = false;
    memset(couple, 0, sizeof *couple);
    for (int k = set->nodes[n].begin; k < set->nodes[n].end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double size = -c->gradient_push * (c->node_a == n ? c->normal_share : 1 - c->normal_share);
        if (size == 0 || c->central == 1) {
            continue;
        }
        const double x[3] = {size * c->normal.x, size * c->normal.y, size * c->normal.z};
        const double y[3] = {c->aside.x, c->aside.y, c->aside.z};
        for (int m = 0; m < 9; ++m) {
            couple->m[m / 3][m % 3] += x[m / 3] * y[m % 3];
        }
        any = true;
    }
    return any;
}

static void gradient_block(void* context, int begin, int end, int index) {
    const gradient_context* c = context;
    const phxi_contact_scene* scene = c->set->scene;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &c->set->nodes[n];
        phxi_mat3 couple;
        if (!(node->level > 0) || c->set->fragments[node->fragment].rigid || !couple_of(c->set, n, &couple)) {
            continue;
        }
        node->normal_gradient = phxi_mat3_mul(&couple, &node->inverse);
        int count = phxi_contact_bonds(scene, node->particle, bonds);
        bonds[count++] = node->particle;
        for (int k = 0; k < count; ++k) {
            __atomic_store_n(&c->set->pairs->receives.items[bonds[k]], 1, __ATOMIC_RELAXED);
        }
    }
}

static void receive_block(void* context, int begin, int end, int index) {
    const gradient_context* c = context;
    const phxi_contact_scene* scene = c->set->scene;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int k = begin; k < end; ++k) {
        int i = c->receivers[k], count = phxi_contact_bonds(scene, i, bonds);
        phx_vec3 at = phxi_contact_position(scene->particles, i), sum = {0, 0, 0};
        bonds[count++] = i;
        for (int m = 0; m < count; ++m) {
            int n = c->set->pairs->node_of.items[bonds[m]];
            if (n >= 0) {
                const contact_node* node = &c->set->nodes[n];
                sum = phxi_add(sum, phxi_mat3_apply(&node->normal_gradient, phxi_sub(at, node->center)));
            }
        }
        c->force[0][i] += (phx_real)(scene->particles->mass[i] * sum.x);
        c->force[1][i] += (phx_real)(scene->particles->mass[i] * sum.y);
        c->force[2][i] += (phx_real)(scene->particles->mass[i] * sum.z);
    }
}

// Marked particles in order; the marks are taken away.
static int collect(const gradient_context* c) {
    uint8_t* receives = c->set->pairs->receives.items;
    const uint8_t* end = receives + c->set->scene->particles->count;
    int count = 0;
    for (uint8_t* at = receives; (at = memchr(at, 1, (size_t)(end - at))); ++at) {
        c->receivers[count++] = (int)(at - receives);
        *at = 0;
    }
    return count;
}

phx_result phxi_normal_gradient_add(contact_set* set, phx_real* const force[3]) {
    gradient_context c = {.set = set, .force = force};
    c.receivers = phxi_arena_take(set->scene->arena, (size_t)set->scene->particles->count, sizeof *c.receivers);
    if (!c.receivers) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, gradient_block, &c);
    phxi_parallel_for(set->scene->pool, collect(&c), GRAIN, receive_block, &c);
    return PHX_OK;
}
