// SPDX-License-Identifier: MIT
// Contacts with rigid sides (pairs.h, rigid.h): where they touch, how heavy a rigid body is there, how it answers to
// all of its contacts together. Sums over contacts run in their order, by one thread: rigid bodies have few.
#include "contact/pairs_internal.h"
#include "contact/rigid_collide.h"

const phxi_contact_rigid* phxi_contact_rigid_of(const phxi_contact_scene* scene, int i) {
    return scene->bodies[scene->particles->body[i]].rigid;
}

static const contact_node* side_of(const contact_set* set, const contact* c, bool second) {
    return &set->nodes[second ? c->node_b : c->node_a];
}

// ----------------------------------------------------------------------------------------------------------- geometry

/// Whose particles are the places where two rigid bodies may touch: those of the finer one.
static bool second_gives(const phxi_contact_scene* scene, const contact* c) {
    return phxi_contact_rigid_of(scene, c->j)->skin < phxi_contact_rigid_of(scene, c->i)->skin;
}

// Two rigid bodies touch where their cores are nearest, beginning below the particle that gives the place.
static void find_closest_points(contact* c, const phxi_contact_scene* scene, phx_vec3* to) {
    const phxi_contact_rigid *a = phxi_contact_rigid_of(scene, c->i), *b = phxi_contact_rigid_of(scene, c->j);
    phxi_closest_to one = phxi_rigid_closest_to(a), other = phxi_rigid_closest_to(b);
    bool second = second_gives(scene, c);
    phx_vec3 seen = second ? phxi_rigid_seen(b, scene->particles, c->j) : phxi_rigid_seen(a, scene->particles, c->i);
    c->at = *to = seen;
    if (second) {
        phxi_rigid_closest_points(&other, &one, to, &c->at);
    } else {
        phxi_rigid_closest_points(&one, &other, &c->at, to);
    }
    c->separation = phxi_distance(second ? *to : c->at, seen);
    c->weight = phxi_rigid_weight(c->separation / (2 * fmin(a->skin, b->skin)));
}

// A particle is touched where it is, and touches what is nearest of a core.
void phxi_contact_place(contact* c, const phxi_contact_scene* scene, double half_i, double half_j) {
    const phxi_particles* p = scene->particles;
    const phxi_contact_rigid *a = phxi_contact_rigid_of(scene, c->i), *b = phxi_contact_rigid_of(scene, c->j);
    phx_vec3 to = phxi_contact_position(p, c->j), normal;
    if (a && b) {
        find_closest_points(c, scene, &to);
    } else if (a) {
        c->at = phxi_rigid_core(a, to, &normal);
    } else {
        to = phxi_rigid_core(b, c->at, &normal);
    }
    double skin_i = a ? a->skin : half_i, skin_j = b ? b->skin : half_j;
    double less = c->range - c->distance; // of a soft side on its surface
    c->arm = phxi_sub(to, c->at);
    c->range = skin_i + skin_j;
    c->distance = c->range - less;
    c->couple = (a ? skin_i : skin_i - less) / c->distance; // friction acts between the surfaces
}

// ------------------------------------------------------------------------------------------------------------- shares

static bool both_rigid(const contact_set* set, const contact* c) {
    return c->rigid && phxi_contact_rigid_of(set->scene, c->i) && phxi_contact_rigid_of(set->scene, c->j);
}

phx_result phxi_rigid_thin(contact_set* set) {
    int two = 0;
    for (int k = 0; k < set->count; ++k) {
        two += both_rigid(set, &set->items[k]);
    }
    if (two == 0) {
        return PHX_OK;
    }
    int listed = set->pairs->listed.count, kept = 0;
    const int* body = set->scene->particles->body;
    int* last = phxi_arena_take(set->scene->arena, (size_t)listed, sizeof *last); // contact that a particle gives
    if (!last) {
        return PHX_ERROR_MEMORY;
    }
    for (int n = 0; n < listed; ++n) {
        last[n] = -1;
    }
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (both_rigid(set, c)) {
            bool second = second_gives(set->scene, c);
            int* before = &last[second ? c->b : c->a];
            if (*before >= 0 &&
                body[second ? set->items[*before].i : set->items[*before].j] == body[second ? c->i : c->j]) {
                continue;
            }
            *before = kept;
        }
        set->items[kept++] = *c;
    }
    set->count = kept;
    return PHX_OK;
}

// All that a soft particle touches of a rigid body is at one depth: its shares are a whole.
double phxi_rigid_smooth(const contact_set* set, const contact* c, double least) {
    bool first = phxi_contact_rigid_of(set->scene, c->i) != NULL;
    return 1 / fmax(set->nodes[first ? c->node_b : c->node_a].weight, least);
}

phx_result phxi_rigid_share(contact_set* set) {
    int two = 0;
    for (int k = 0; set->any_rigid && k < set->count; ++k) {
        two += both_rigid(set, &set->items[k]);
    }
    if (two == 0) {
        return PHX_OK;
    }
    phxi_rigid_spot* spots = phxi_arena_take(set->scene->arena, (size_t)two, sizeof *spots);
    if (!spots) {
        return PHX_ERROR_MEMORY;
    }
    const int* body = set->scene->particles->body;
    two = 0;
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (both_rigid(set, c)) {
            double width =
                2 * fmin(phxi_contact_rigid_of(set->scene, c->i)->skin, phxi_contact_rigid_of(set->scene, c->j)->skin);
            int64_t pair = (int64_t)body[c->i] * set->scene->body_count + body[c->j];
            spots[two++] =
                (phxi_rigid_spot){.group = pair, .index = k, .at = c->at, .weight = c->weight, .width = width};
        }
    }
    phxi_rigid_share_spots(spots, two);
    for (int k = 0; k < two; ++k) {
        set->items[spots[k].index].share = spots[k].share;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- motion

static phx_vec3 friction_point(const contact* c) {
    return phxi_add_scaled(c->at, c->couple, c->arm);
}

static phx_vec3 push_point(const contact* c) {
    return phxi_add_scaled(c->at, c->normal_share, c->aside);
}

// Of particles, velocities are continued to the place by how their fragments turn.
phx_vec3 phxi_contact_side_velocity(const contact_set* set, const contact* c, bool second) {
    const contact_node* node = side_of(set, c, second);
    const contact_fragment* fragment = &set->fragments[node->fragment];
    if (fragment->rigid) {
        return phxi_rigid_velocity_at(fragment->rigid, friction_point(c));
    }
    double way = second ? c->couple - 1 : c->couple;
    return phxi_add_scaled(node->velocity, way, phxi_cross(fragment->turn, c->arm));
}

phx_vec3 phxi_contact_side_rate(const contact_set* set, const contact* c, bool second) {
    const contact_node* node = side_of(set, c, second);
    const contact_fragment* fragment = &set->fragments[node->fragment];
    if (fragment->rigid) {
        phx_vec3 spin = phxi_add(fragment->spin_rate, fragment->spin), rate = phxi_add(fragment->rate, fragment->push);
        return phxi_add(rate, phxi_cross(spin, phxi_sub(friction_point(c), fragment->rigid->pivot)));
    }
    if (node->fixed) {
        return phxi_vec3(0, 0, 0);
    }
    const phxi_particles* p = set->scene->particles;
    phx_vec3 arm = phxi_sub(phxi_contact_position(p, node->particle), fragment->center);
    arm = phxi_add_scaled(arm, second ? c->couple - 1 : c->couple, c->arm);
    phx_vec3 rate = phxi_add(node->rate, phxi_cross(fragment->spin, arm));
    return phxi_add_scaled(rate, phxi_contact_inverse_mass(p, node->particle), node->sum);
}

// --------------------------------------------------------------------------------------------------------------- mass

static const double about_to = -0.2; // of the distance: deeper pairs push, or may in this substep

/// Sums of shares, of contacts that push or could.
static void count_shares(contact_set* set, bool pushing) {
    for (int k = 0; k < set->fragment_count; ++k) {
        set->fragments[k].shares = 0;
    }
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (c->rigid && (pushing ? c->push > 0 : c->share > 0 && c->depth > about_to * c->range)) {
            set->fragments[set->nodes[c->node_a].fragment].shares += c->share;
            set->fragments[set->nodes[c->node_b].fragment].shares += c->share;
        }
    }
}

/// 1/kg of one side along the normal.
static double side_inverse_mass(const contact_set* set, const contact* c, bool second) {
    const contact_node* node = side_of(set, c, second);
    const contact_fragment* fragment = &set->fragments[node->fragment];
    return fragment->rigid ? fragment->shares * phxi_rigid_inverse_mass(fragment->rigid, push_point(c), c->normal)
                           : phxi_contact_inverse_mass(set->scene->particles, node->particle);
}

void phxi_rigid_weigh(contact_set* set) {
    if (!set->any_rigid) {
        return;
    }
    count_shares(set, false);
    for (int k = 0; k < set->count; ++k) {
        contact* c = &set->items[k];
        double inverse_mass = c->rigid ? side_inverse_mass(set, c, false) + side_inverse_mass(set, c, true) : 0;
        c->mass = inverse_mass > 0 ? 1 / inverse_mass : c->mass;
    }
}

/// 1/kg of one side at right angles to the normal, for all that hold it.
static double side_inverse_mass_across(const contact_set* set, const contact* c, bool second) {
    const contact_node* node = side_of(set, c, second);
    const contact_fragment* fragment = &set->fragments[node->fragment];
    return fragment->rigid
               ? fragment->shares * phxi_rigid_inverse_mass_across(fragment->rigid, friction_point(c), c->normal)
               : node->shares * phxi_contact_inverse_mass(set->scene->particles, node->particle);
}

/// Shares of pushes that hold it; of a soft side these are a whole.
double phxi_rigid_amplification(const contact_set* set, const contact* c) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    double soft_a = set->fragments[a->fragment].rigid ? 1 : a->shares,
           soft_b = set->fragments[b->fragment].rigid ? 1 : b->shares;
    return fmax(1, fmax(soft_a, soft_b));
}

double phxi_rigid_gain(const contact_set* set, const contact* c) {
    double inverse_mass = side_inverse_mass_across(set, c, false) + side_inverse_mass_across(set, c, true);
    return inverse_mass > 0 ? c->share / inverse_mass : 0;
}

// ----------------------------------------------------------------------------------------------------------- response

/// Acceleration of the pivot, and of the spin, by a force at a point.
static void respond(const phxi_contact_rigid* r, phx_vec3 point, phx_vec3 force, phx_vec3* rate, phx_vec3* spin) {
    phx_vec3 torque = phxi_cross(phxi_sub(point, r->pivot), force);
    *rate = phxi_add_scaled(*rate, r->inverse_mass, force);
    *spin = phxi_add(*spin, phxi_mat3_apply(&r->inverse, torque));
}

/// Push of a contact on one side and its torque: the part that moves the normal acts at one point, the rest at another.
static void push_on(const contact* c, bool second, phx_vec3 from, phx_vec3* force, phx_vec3* torque) {
    double sign = second ? 1 : -1;
    phx_vec3 turning = phxi_scale(sign * c->gradient_push, c->normal);
    phx_vec3 bare = phxi_scale(sign * (c->push - c->gradient_push), c->normal);
    *force = phxi_add(turning, bare);
    *torque = phxi_cross(phxi_sub(push_point(c), from), turning);
    *torque = phxi_add(*torque, phxi_cross(phxi_sub(friction_point(c), from), bare));
}

void phxi_rigid_load(contact_set* set, bool pushes_known) {
    if (!set->any_rigid) {
        return;
    }
    if (pushes_known) {
        count_shares(set, true);
    }
    for (int k = 0; k < set->fragment_count; ++k) {
        contact_fragment* fragment = &set->fragments[k];
        fragment->rate = fragment->rigid ? fragment->rigid->rate : fragment->rate;
        fragment->spin_rate = fragment->rigid ? fragment->rigid->spin_rate : fragment->spin_rate;
    }
    for (int k = 0; set->moves_rigid && k < set->count; ++k) {
        const contact* c = &set->items[k];
        for (int second = 0; c->rigid && second < 2; ++second) {
            contact_fragment* fragment = &set->fragments[side_of(set, c, second)->fragment];
            if (fragment->rigid) {
                phx_vec3 force, torque;
                push_on(c, second, fragment->rigid->pivot, &force, &torque);
                fragment->rate = phxi_add_scaled(fragment->rate, fragment->rigid->inverse_mass, force);
                fragment->spin_rate = phxi_add(fragment->spin_rate, phxi_mat3_apply(&fragment->rigid->inverse, torque));
            }
        }
    }
}

double phxi_rigid_coming(const contact_set* set, const contact* c) {
    phx_vec3 rates[2];
    for (int second = 0; second < 2; ++second) {
        const contact_node* node = side_of(set, c, second);
        const contact_fragment* fragment = &set->fragments[node->fragment];
        rates[second] = phxi_add_scaled(node->rate, node->inverse_mass, node->sum);
        if (fragment->rigid) {
            phx_vec3 arm = phxi_sub(push_point(c), fragment->rigid->pivot);
            rates[second] = phxi_add(fragment->rate, phxi_cross(fragment->spin_rate, arm));
        }
    }
    return phxi_dot(phxi_sub(rates[1], rates[0]), c->normal);
}

// Colliders hold it too, and take up what they can of all else.
static bool hold_by_colliders(contact_fragment* fragment) {
    phx_vec3 rate = phxi_add(fragment->rate, fragment->push), spin = phxi_add(fragment->spin_rate, fragment->spin);
    phxi_rigid_grip_act(fragment->rigid->grip, &rate, &spin);
    bool changed = phxi_rigid_grip_sweep(fragment->rigid->grip, &rate, &spin);
    fragment->push = phxi_sub(rate, fragment->rate);
    fragment->spin = phxi_sub(spin, fragment->spin_rate);
    return changed;
}

bool phxi_rigid_hold(contact_set* set) {
    bool changed = false;
    for (int k = 0; set->any_rigid && k < set->fragment_count; ++k) {
        if (set->fragments[k].rigid) {
            set->fragments[k].push = set->fragments[k].spin = phxi_vec3(0, 0, 0);
        }
    }
    for (int k = 0; set->moves_rigid && k < set->count; ++k) {
        const contact* c = &set->items[k];
        for (int second = 0; c->rigid && c->grip > 0 && second < 2; ++second) {
            contact_fragment* fragment = &set->fragments[side_of(set, c, second)->fragment];
            if (fragment->rigid) {
                respond(fragment->rigid, friction_point(c), phxi_scale(second ? 1 : -1, c->friction), &fragment->push,
                        &fragment->spin);
            }
        }
    }
    for (int k = 0; set->any_rigid && k < set->fragment_count; ++k) {
        contact_fragment* fragment = &set->fragments[k];
        changed = (fragment->rigid && fragment->rigid->grip && hold_by_colliders(fragment)) || changed;
    }
    return changed;
}

void phxi_rigid_turn(contact_set* set) {
    for (int k = 0; k < set->fragment_count; ++k) {
        set->fragments[k].couple = set->fragments[k].rigid ? phxi_vec3(0, 0, 0) : set->fragments[k].couple;
    }
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        for (int second = 0; c->rigid && second < 2; ++second) {
            contact_fragment* fragment = &set->fragments[side_of(set, c, second)->fragment];
            phx_vec3 from = phxi_contact_position(set->scene->particles, second ? c->j : c->i);
            if (fragment->rigid) {
                phx_vec3 force, push;
                push_on(c, second, from, &force, &push);
                phx_vec3 hold = phxi_cross(phxi_sub(friction_point(c), from), phxi_scale(second ? 1 : -1, c->friction));
                fragment->couple = phxi_add(fragment->couple, phxi_add(push, hold));
            }
        }
    }
    for (int k = 0; k < set->fragment_count; ++k) {
        contact_fragment* fragment = &set->fragments[k];
        fragment->spin = fragment->rigid ? phxi_mat3_apply(&fragment->rigid->spread, fragment->couple) : fragment->spin;
    }
}
