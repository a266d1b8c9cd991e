// SPDX-License-Identifier: MIT
// Couples that make up for what friction and pushes that do not move their normals turn (pairs.h), by fragment: bodies,
// and fragments of bodies.
//
// A fragment takes a couple tau as forces m (I^-1 tau) x (x - c) on all of its particles, I its inertia. (Spread over
// the neighbours of a contact instead, couples of many contacts side by side add up to half of the friction on the
// layer that touches, the load on it is misjudged by as much, and sticking friction pumps energy in: a stack of three
// cubes then wakes up and falls over.)
#include "contact/pairs_internal.h"

#include <string.h>

static const double near_singular = 0.05; // smallest over largest moment of inertia

/// Sums by mass about a point near the body.
typedef struct fragment_sums {
    double mass;
    phx_vec3 first, momentum, angular;
    phxi_mat3 second;
} fragment_sums;

typedef struct piece_context {
    contact_set* set;
    fragment_sums* blocks; // by block of the list
    phx_real* const* force;
} piece_context;

static void add_particle(fragment_sums* s, const phxi_particles* p, int i, phx_vec3 origin) {
    phx_vec3 d = phxi_sub(phxi_contact_position(p, i), origin), v = phxi_contact_velocity(p, i);
    double m = p->mass[i];
    phx_vec3 md = phxi_scale(m, d);
    s->mass += m;
    s->first = phxi_add(s->first, md);
    s->momentum = phxi_add_scaled(s->momentum, m, v);
    s->angular = phxi_add(s->angular, phxi_cross(md, v));
    s->second.m[0][0] += md.x * d.x;
    s->second.m[1][1] += md.y * d.y;
    s->second.m[2][2] += md.z * d.z;
    s->second.m[0][1] += md.x * d.y;
    s->second.m[0][2] += md.x * d.z;
    s->second.m[1][2] += md.y * d.z;
}

static void merge(fragment_sums* s, const fragment_sums* more) {
    s->mass += more->mass;
    s->first = phxi_add(s->first, more->first);
    s->momentum = phxi_add(s->momentum, more->momentum);
    s->angular = phxi_add(s->angular, more->angular);
    for (int k = 0; k < 9; ++k) {
        s->second.m[k / 3][k % 3] += more->second.m[k / 3][k % 3];
    }
}

static phx_vec3 origin_of(const contact_set* set, int body) {
    return phxi_contact_position(set->scene->particles, set->scene->bodies[body].begin);
}

static void sum_block(void* context, int begin, int end, int index) {
    const piece_context* c = context;
    (void)index;
    for (int b = begin; b < end; ++b) {
        const contact_block* block = &c->set->pairs->blocks.items[b];
        const phxi_contact_body* body = &c->set->scene->bodies[block->body];
        if (c->set->fragment_begin[block->body] < 0 || body->fragment || body->rigid) {
            continue;
        }
        fragment_sums s = {0};
        for (int i = block->begin; i < block->end; ++i) {
            add_particle(&s, c->set->scene->particles, i, origin_of(c->set, block->body));
        }
        c->blocks[b] = s;
    }
}

static void set_fragment(contact_fragment* fragment, const fragment_sums* s, phx_vec3 origin) {
    phx_vec3 d = phxi_scale(1 / s->mass, s->first);
    const double(*q)[3] = s->second.m;
    double xx = q[0][0] - s->mass * d.x * d.x, yy = q[1][1] - s->mass * d.y * d.y, zz = q[2][2] - s->mass * d.z * d.z;
    double xy = s->mass * d.x * d.y - q[0][1], xz = s->mass * d.x * d.z - q[0][2], yz = s->mass * d.y * d.z - q[1][2];
    phxi_mat3 inertia = {{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}};
    // one moment far below the others, which then are each half of their sum: det = l (sum / 2)^2
    double sum = 2 * (xx + yy + zz);
    fragment->center = phxi_add(origin, d);
    fragment->able = 8 * phxi_mat3_det(&inertia) > near_singular * sum * sum * sum &&
                     phxi_mat3_inverse(&inertia, &fragment->inverse);
    if (fragment->able) {
        fragment->turn = phxi_mat3_apply(&fragment->inverse, phxi_sub(s->angular, phxi_cross(d, s->momentum)));
    }
}

// Fragments of one body lie anywhere in it: they are summed one particle after the other.
static phx_result find_fragments(contact_set* set, int body) {
    const phxi_contact_body* b = &set->scene->bodies[body];
    fragment_sums* sums = phxi_arena_take(set->scene->arena, (size_t)b->fragment_count, sizeof *sums);
    if (!sums) {
        return PHX_ERROR_MEMORY;
    }
    int* origins = phxi_arena_take(set->scene->arena, (size_t)b->fragment_count, sizeof *origins);
    if (!origins) {
        return PHX_ERROR_MEMORY;
    }
    memset(sums, 0, (size_t)b->fragment_count * sizeof *sums);
    memset(origins, -1, (size_t)b->fragment_count * sizeof *origins);
    for (int i = b->begin; i < b->begin + b->count; ++i) {
        int fragment = b->fragment[i - b->begin];
        origins[fragment] =
            origins[fragment] < 0 ? i : origins[fragment]; // their own, so that nothing cancels in small ones
        phx_vec3 origin = phxi_contact_position(set->scene->particles, origins[fragment]);
        add_particle(&sums[fragment], set->scene->particles, i, origin);
    }
    for (int k = 0; k < b->fragment_count; ++k) {
        if (origins[k] >= 0) {
            phx_vec3 origin = phxi_contact_position(set->scene->particles, origins[k]);
            set_fragment(&set->fragments[set->fragment_begin[body] + k], &sums[k], origin);
        }
    }
    return PHX_OK;
}

static void set_rigid(contact_set* set, int body) {
    const phxi_contact_rigid* rigid = set->scene->bodies[body].rigid;
    set->fragments[set->fragment_begin[body]] = (contact_fragment){
        .body = body, .rigid = rigid, .center = rigid->center, .able = rigid->able, .turn = rigid->spin};
    set->any_rigid = true;
    set->moves_rigid = set->moves_rigid || !phxi_rigid_held(rigid);
}

static phx_result sum_pieces(piece_context* c) {
    contact_set* set = c->set;
    phxi_pairs* pairs = set->pairs;
    c->blocks = phxi_arena_take(set->scene->arena, (size_t)pairs->blocks.count, sizeof *c->blocks);
    if (!c->blocks) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, pairs->blocks.count, 4, sum_block, c);
    for (int b = 0; b < set->scene->body_count; ++b) {
        if (set->fragment_begin[b] < 0) {
            continue;
        }
        if (set->scene->bodies[b].rigid) {
            set_rigid(set, b);
            continue;
        }
        if (set->scene->bodies[b].fragment) {
            PHXI_TRY(find_fragments(set, b));
            continue;
        }
        fragment_sums s = {0};
        for (int k = pairs->slots.items[b].block_begin; k < pairs->slots.items[b].block_end; ++k) {
            merge(&s, &c->blocks[k]);
        }
        set_fragment(&set->fragments[set->fragment_begin[b]], &s, origin_of(set, b));
    }
    return PHX_OK;
}

phx_result phxi_fragments_find(contact_set* set) {
    const phxi_contact_scene* scene = set->scene;
    set->fragment_begin = phxi_arena_take(scene->arena, (size_t)scene->body_count, sizeof(int));
    if (!set->fragment_begin) {
        return PHX_ERROR_MEMORY;
    }
    memset(set->fragment_begin, -1, (size_t)scene->body_count * sizeof(int));
    for (int n = 0; n < set->node_count; ++n) {
        set->fragment_begin[scene->particles->body[set->nodes[n].particle]] = 0;
    }
    int count = 0;
    for (int b = 0; b < scene->body_count; ++b) {
        if (set->fragment_begin[b] == 0) {
            set->fragment_begin[b] = count;
            count += scene->bodies[b].fragment ? scene->bodies[b].fragment_count : 1;
        }
    }
    set->fragments = phxi_arena_take(scene->arena, (size_t)count, sizeof *set->fragments);
    if (!set->fragments) {
        return PHX_ERROR_MEMORY;
    }
    set->fragment_count = count;
    memset(set->fragments, 0, (size_t)count * sizeof *set->fragments);
    for (int n = 0; n < set->node_count; ++n) {
        contact_node* node = &set->nodes[n];
        const phxi_contact_body* body = &scene->bodies[scene->particles->body[node->particle]];
        node->fragment = set->fragment_begin[scene->particles->body[node->particle]];
        node->fragment += body->fragment ? body->fragment[node->particle - body->begin] : 0;
        node->fixed = body->rigid ? phxi_rigid_held(body->rigid) : scene->particles->fixed[node->particle] != 0;
    }
    piece_context c = {.set = set};
    return sum_pieces(&c);
}

// ------------------------------------------------------------------------------------------------------------ couples

static void turn_block(void* context, int begin, int end, int index) {
    const piece_context* c = context;
    const phxi_particles* p = c->set->scene->particles;
    (void)index;
    for (int b = begin; b < end; ++b) {
        const contact_block* block = &c->set->pairs->blocks.items[b];
        const phxi_contact_body* body = &c->set->scene->bodies[block->body];
        int first = c->set->fragment_begin[block->body];
        for (int i = block->begin; i < block->end && first >= 0; ++i) {
            const contact_fragment* fragment =
                &c->set->fragments[first + (body->fragment ? body->fragment[i - body->begin] : 0)];
            phx_vec3 arm = phxi_sub(phxi_contact_position(p, i), fragment->center);
            phx_vec3 force = phxi_scale(p->mass[i], phxi_cross(fragment->spin, arm));
            c->force[0][i] += (phx_real)force.x;
            c->force[1][i] += (phx_real)force.y;
            c->force[2][i] += (phx_real)force.z;
        }
    }
}

// A force f on j and -f on i turns the pair by x_ij x f; the couples are the opposite. Pushes that do not move their
// normals count too.
bool phxi_couples_find(contact_set* set) {
    bool any = false;
    for (int k = 0; k < set->fragment_count; ++k) {
        set->fragments[k].couple = phxi_vec3(0, 0, 0);
    }
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        double bare = c->push - c->gradient_push;
        if (!(c->grip > 0) && bare == 0) {
            continue;
        }
        const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
        contact_fragment *at_a = &set->fragments[a->fragment], *at_b = &set->fragments[b->fragment];
        phx_vec3 turned = phxi_cross(c->arm, phxi_add_scaled(c->friction, bare, c->normal));
        bool free_a = !a->fixed && !at_a->rigid, free_b = !b->fixed && !at_b->rigid;
        at_a->couple = !free_a ? at_a->couple : phxi_add_scaled(at_a->couple, -c->couple, turned);
        at_b->couple = !free_b ? at_b->couple : phxi_add_scaled(at_b->couple, c->couple - 1, turned);
        any = true;
    }
    for (int k = 0; k < set->fragment_count; ++k) {
        contact_fragment* fragment = &set->fragments[k];
        fragment->spin =
            fragment->able && !fragment->rigid ? phxi_mat3_apply(&fragment->inverse, fragment->couple) : fragment->spin;
    }
    return any;
}

void phxi_couples_add(contact_set* set, phx_real* const force[3]) {
    piece_context context = {.set = set, .force = force};
    bool any = phxi_couples_find(set);
    if (set->any_rigid) {
        phxi_rigid_turn(set);
    }
    if (any || set->any_rigid) {
        phxi_parallel_for(set->scene->pool, set->pairs->blocks.count, 4, turn_block, &context);
    }
}
