// SPDX-License-Identifier: MIT
// Contacts as springs of an implicit step (pairs.h): who moves when a pair comes nearer, and by how much.
//
// The two sides of a pair are continued to where they touch by the displacement gradient of what is bonded to each,
// L = sum_k m_k u_k d_k^T B^-1 (pair_normal_gradient.c). With arm x = x_j - x_i,
//   U = u_j - u_i - (s L_i + (1 - s) L_j) x = sum_k c_k u_k,    sum c_k = 0,  sum c_k x_k = 0:
// rigid motion gives none, so any force c_k f on the members has neither a sum nor a torque. s is a half, or goes to
// the side that has a gradient; two that have none touch as balls, without friction. A rigid side (it is moved by
// drivers alone) is touched at its core: its particle stands for that place, as far away along the normal as it is.
#include "contact/pairs_internal.h"

static const double least_share = 1e-3; // of a contact that counts

typedef struct spring_context {
    const contact_set* set;
    phxi_springs* springs;
} spring_context;

static bool has_gradient(const contact_node* node) {
    return node->inverse.m[0][0] > 0;
}

static bool counts(const contact* c) {
    return c->share > least_share && c->depth > -0.5 * c->range;
}

/// Adds -share c_k of one side; returns how many members there are then.
static int add_side(const spring_context* s, const contact_node* node, double share, phx_vec3 arm, int at) {
    const phxi_contact_scene* scene = s->set->scene;
    int bonds[PHXI_MAX_BONDS + 1], count = phxi_contact_bonds(scene, node->particle, bonds);
    bonds[count++] = node->particle;
    phx_vec3 slope = phxi_mat3_apply(&node->inverse, arm);
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(phxi_contact_position(scene->particles, bonds[k]), node->center);
        s->springs->members[at++] =
            (phxi_spring_member){bonds[k], -share * (double)scene->particles->mass[bonds[k]] * phxi_dot(d, slope)};
    }
    return at;
}

/// How much farther apart, along the normal, two particles are than the places where they touch.
static double offset_of(const contact_set* set, const contact* c) {
    const phxi_particles* p = set->scene->particles;
    phx_vec3 arm = phxi_sub(phxi_contact_position(p, c->j), phxi_contact_position(p, c->i));
    return c->rigid ? phxi_dot(phxi_sub(arm, c->arm), c->normal) : 0;
}

static int side_size(const contact_set* set, const contact_node* node) {
    int bonds[PHXI_MAX_BONDS];
    return has_gradient(node) ? phxi_contact_bonds(set->scene, node->particle, bonds) + 1 : 0;
}

/// Springs and where their members begin; the members come later, from many threads.
static phx_result lay_out(spring_context* s) {
    const contact_set* set = s->set;
    phxi_springs* springs = s->springs;
    springs->items = phxi_arena_take(set->scene->arena, (size_t)set->count, sizeof *springs->items);
    if (!springs->items) {
        return PHX_ERROR_MEMORY;
    }
    int members = 0;
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (!counts(c)) {
            continue;
        }
        const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
        bool able = has_gradient(a) || has_gradient(b) || c->rigid;
        phxi_spring* spring = &springs->items[springs->count++];
        *spring = (phxi_spring){.i = c->i,
                                .j = c->j,
                                .contact = k,
                                .begin = members,
                                .normal = able ? c->normal : phxi_normalize(c->arm, c->normal),
                                .distance = c->distance + offset_of(set, c),
                                .stiffness = c->share * c->stiffness,
                                .mass = c->share * c->mass,
                                .damping = c->damping,
                                .friction = able ? c->grip : 0,
                                .share_force = c->length > 0 ? phxi_scale(c->share_force / c->length, c->line)
                                                             : phxi_vec3(0, 0, 0)};
        members += 2 + side_size(set, a) + side_size(set, b);
        spring->end = members;
    }
    springs->members = phxi_arena_take(set->scene->arena, (size_t)members, sizeof *springs->members);
    return springs->members ? PHX_OK : PHX_ERROR_MEMORY;
}

static void member_block(void* context, int begin, int end, int index) {
    const spring_context* s = context;
    (void)index;
    for (int k = begin; k < end; ++k) {
        const phxi_spring* spring = &s->springs->items[k];
        const contact* c = &s->set->items[spring->contact];
        const contact_node *a = &s->set->nodes[c->node_a], *b = &s->set->nodes[c->node_b];
        int at = spring->begin;
        s->springs->members[at++] = (phxi_spring_member){c->i, -1};
        s->springs->members[at++] = (phxi_spring_member){c->j, 1};
        double share = has_gradient(a) == has_gradient(b) ? 0.5 : has_gradient(a);
        at = has_gradient(a) ? add_side(s, a, share, c->arm, at) : at;
        at = has_gradient(b) ? add_side(s, b, 1 - share, c->arm, at) : at;
        PHXI_ASSERT(at == spring->end);
    }
}

phx_result phxi_pairs_find_springs(phxi_pairs* pairs, const phxi_contact_scene* scene, phxi_springs* springs) {
    bool any;
    contact_set set = {.pairs = pairs, .scene = scene, .implicit = true};
    spring_context s = {&set, springs};
    *springs = (phxi_springs){0};
    PHXI_TRY(phxi_pairs_update(pairs, scene, &any));
    phx_result result = any ? phxi_contacts_find(&set) : PHX_OK;
    if (result == PHX_OK && set.count > 0) {
        result = lay_out(&s);
    }
    if (result == PHX_OK && springs->count > 0) {
        phxi_parallel_for(scene->pool, springs->count, 16, member_block, &s);
    }
    phxi_contacts_forget(&set);
    return result;
}
