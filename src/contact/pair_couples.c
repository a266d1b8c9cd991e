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

static void add_product(phxi_mat3* sum, double scale, phx_vec3 a, phx_vec3 b) {
    const double x[3] = {scale * a.x, scale * a.y, scale * a.z}, y[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; ++k) {
        sum->m[k / 3][k % 3] += x[k / 3] * y[k % 3];
    }
}

// The sum of f r^T of what makes up for forces f on j and -f on i: they turn the pair by x_ij x f. Of pushes only what
// is at right angles to them counts.
static phxi_mat3 couple_of(const contact_set* set, int n) {
    phxi_mat3 couple = {0};
    for (int k = set->nodes[n].begin; k < set->nodes[n].end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double share = c->node_a == n ? c->couple : 1 - c->couple;
        if (c->central < 1 && c->push > 0) {
            add_product(&couple, -share * c->push, c->normal, c->aside);
        }
        add_product(&couple, -share, c->friction, c->arm);
    }
    return couple;
}

// Forces T (x - center) by mass: all of f r^T where the cluster has an extent in all directions, else its turning
// alone.
static phxi_mat3 spread_of(const contact_node* node, const phxi_mat3* couple) {
    if (!node->flat) {
        return phxi_mat3_mul(couple, &node->inverse);
    }
    const double(*q)[3] = couple->m;
    phx_vec3 moment = {q[2][1] - q[1][2], q[0][2] - q[2][0], q[1][0] - q[0][1]};
    phx_vec3 w = phxi_mat3_apply(&node->inverse, moment);
    return (phxi_mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

static bool is_zero(const phxi_mat3* a) {
    bool zero = true;
    for (int k = 0; k < 9; ++k) {
        zero = zero && a->m[k / 3][k % 3] == 0;
    }
    return zero;
}

static void spread_block(void* context, int begin, int end, int index) {
    const couple_context* c = context;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &c->set->nodes[n];
        phxi_mat3 couple = {0};
        if (node->able && !node->fixed) {
            couple = couple_of(c->set, n);
        }
        if (is_zero(&couple)) {
            continue;
        }
        node->spread = spread_of(node, &couple);
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
    return phxi_scale(p->mass[i], phxi_mat3_apply(&node->spread, arm));
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
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, spread_block, &c);
    phxi_parallel_for(set->scene->pool, collect(&c), GRAIN, receive_block, &c);
    return PHX_OK;
}
