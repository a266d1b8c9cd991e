// SPDX-License-Identifier: MIT
// Contacts of this substep (pairs.h): which candidates are near, and with the faces they belong to (pair_faces.c) their
// normals, depths and shares.
//
// A contact is computed once, for its lower particle first, so that both sides get the same numbers.
#include "contact/pairs_internal.h"
#include "contact/reach.h"

enum { GRAIN = 256 };
static const double least_weight = CONTACT_LEAST_WEIGHT;

typedef struct find_context {
    contact_set* set;
    int* counts;  // contacts found in a block of candidates, those with someone behind in a block of contacts
    int* node_of; // by listed particle
} find_context;

double phxi_contact_inverse_mass(const phxi_particles* particles, int i) {
    return particles->fixed[i] ? 0 : 1 / (double)particles->mass[i];
}

double phxi_contact_stiffness(const phxi_contact_body* body, double width) {
    return body->traits.stiffness > 0 ? 2 * body->traits.stiffness : body->young * width;
}

// ----------------------------------------------------------------------------------------------------- who is near

// A rigid body is as stiff everywhere, however the surface cuts its cells.
static double width_of(const phxi_contact_body* body, const phxi_particles* p, int i, bool within) {
    double a = p->spacing[i];
    return body->rigid ? 8 * body->rigid->skin * body->rigid->skin * body->rigid->skin / (a * a)
           : within    ? phxi_ball_width(p, i)
                       : phxi_contact_width(p, i);
}

// The numbers of a contact that come from its two bodies.
static void set_law(contact* c, const phxi_contact_scene* scene) {
    const phxi_particles* p = scene->particles;
    const phxi_contact_body* a = &scene->bodies[p->body[c->i]];
    const phxi_contact_body* b = &scene->bodies[p->body[c->j]];
    double side_a = phxi_contact_stiffness(a, width_of(a, p, c->i, a == b));
    double side_b = phxi_contact_stiffness(b, width_of(b, p, c->j, a == b));
    c->stiffness = side_a * (side_b / (side_a + side_b));
    c->damping = 0.5 * (a->traits.damping + b->traits.damping);
    c->projected = scene->projection && !a->implicit && !b->implicit;
    c->grip = sqrt(a->traits.friction * b->traits.friction); // the coefficient, until the push is known
}

static phx_vec3 seen_at(const phxi_contact_scene* scene, int i) {
    const phxi_contact_rigid* rigid = phxi_contact_rigid_of(scene, i);
    return rigid ? phxi_rigid_seen(rigid, scene->particles, i) : phxi_contact_position(scene->particles, i);
}

static bool is_deep(const phxi_contact_scene* scene, int i) {
    const phxi_contact_rigid* rigid = phxi_contact_rigid_of(scene, i);
    return rigid && (double)rigid->depth[i] > PHXI_RIGID_DEEP * rigid->skin;
}

/// Not 0 if pushes move the particle.
static double movable(const phxi_contact_scene* scene, int i) {
    const phxi_contact_rigid* rigid = phxi_contact_rigid_of(scene, i);
    return rigid ? !phxi_rigid_held(rigid) : phxi_contact_inverse_mass(scene->particles, i);
}

/// How far a particle reaches as a ball: less on denser lattices.
static double half_width(const contact_set* set, int i) {
    const phxi_particles* p = set->scene->particles;
    return 0.5 * set->pairs->slots.items[p->body[i]].fill * p->spacing[i];
}

/// How much less it reaches, since it stands on the surface or near it.
static double cut_of(const contact_set* set, int i) {
    const phxi_particles* p = set->scene->particles;
    double inset = p->inset[i];
    return inset > 0 && set->pairs->slots.items[p->body[i]].surface ? fmin(inset, half_width(set, i)) : 0;
}

/// How far a pair is seen, over d. Edges know least about where they are touched, and lean: two of them must be nearer.
static double range_of(const phxi_particles* p, int i, int j) {
    static const double edges = 0.6;
    bool both = phxi_is_surface(p, i) && phxi_is_surface(p, j);
    return both ? edges + (1 - edges) * fmax(phxi_surface_flatness(p, i), phxi_surface_flatness(p, j)) : 1;
}

/// 1 where the places that touch are one above the other, 0 where they are so far aside that the pair is not seen. What
/// touches nearer than balls do is no farther aside for that.
static double rise_of(const contact_set* set, contact* c, double square) {
    const phxi_particles* p = set->scene->particles;
    double d = c->range, touch = c->distance;
    if (touch == d) {
        return 2 - square / (d * d);
    }
    c->seen = range_of(p, c->i, c->j) * d;
    return 1 - (square - touch * touch) / (c->seen * c->seen);
}

// Contacts of a block of candidates go to the front of the block's own part.
static void near_block(void* context, int begin, int end, int index) {
    const find_context* f = context;
    const contact_set* set = f->set;
    const phxi_particles* p = set->scene->particles;
    int found = 0;
    for (int k = begin; k < end; ++k) {
        const contact_candidate* candidate = &set->pairs->candidates.items[k];
        int i = set->pairs->listed.items[candidate->a], j = set->pairs->listed.items[candidate->b];
        phx_vec3 arm = phxi_sub(phxi_contact_position(p, j), phxi_contact_position(p, i));
        double square = phxi_dot(arm, arm), d = candidate->distance;
        double inverse_mass = phxi_contact_inverse_mass(p, i) + phxi_contact_inverse_mass(p, j);
        bool within = p->body[i] == p->body[j];
        bool rigid = phxi_contact_rigid_of(set->scene, i) || phxi_contact_rigid_of(set->scene, j);
        if (rigid) {
            arm = phxi_sub(seen_at(set->scene, j), seen_at(set->scene, i));
            square = is_deep(set->scene, i) || is_deep(set->scene, j) ? INFINITY : phxi_dot(arm, arm);
            inverse_mass = movable(set->scene, i) + movable(set->scene, j);
        }
        contact* c = &set->items[begin + found];
        *c = (contact){.a = candidate->a, .b = candidate->b, .i = i, .j = j, .mass = 1 / inverse_mass};
        c->range = c->distance = c->seen = d;
        c->distance -= within ? 0 : cut_of(set, i) + cut_of(set, j);
        double rise = rise_of(set, c, square);
        if (!(rise > (within ? 1 : 0)) || inverse_mass == 0) {
            continue;
        }
        ++found;
        rise = within ? 0 : fmin(1, rise);
        c->line = c->arm = arm;
        c->at = phxi_contact_position(p, i);
        c->couple = 0.5;
        c->length = sqrt(square);
        c->weight = rise * rise * rise;
        c->slope = rise < 1 ? -6 * rise * rise * c->length / (c->seen * c->seen) : 0;
        c->central = within;
        set_law(c, set->scene);
        c->rigid = rigid;
    }
    f->counts[index] = found;
}

static phx_result find_near(find_context* f) {
    contact_set* set = f->set;
    int count = set->pairs->candidates.count, blocks = phxi_block_count(count, GRAIN);
    set->items = phxi_arena_take(set->scene->arena, (size_t)count, sizeof *set->items);
    f->counts = phxi_arena_take(set->scene->arena, (size_t)blocks, sizeof(int));
    if (!set->items || !f->counts) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, count, GRAIN, near_block, f);
    set->count = 0;
    for (int b = 0; b < blocks; ++b) {
        for (int k = 0; k < f->counts[b]; ++k) {
            set->items[set->count++] = set->items[b * GRAIN + k];
        }
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ nodes

static phx_result number_nodes(find_context* f) {
    contact_set* set = f->set;
    int listed = set->pairs->listed.count;
    f->node_of = phxi_arena_take(set->scene->arena, (size_t)listed, sizeof(int));
    if (!f->node_of) {
        return PHX_ERROR_MEMORY;
    }
    for (int n = 0; n < listed; ++n) {
        f->node_of[n] = 0;
    }
    for (int k = 0; k < set->count; ++k) {
        ++f->node_of[set->items[k].a];
        ++f->node_of[set->items[k].b];
    }
    int count = 0;
    for (int n = 0; n < listed; ++n) {
        count += f->node_of[n] > 0;
    }
    set->nodes = phxi_arena_take(set->scene->arena, (size_t)count, sizeof *set->nodes);
    set->incident = phxi_arena_take(set->scene->arena, 2 * (size_t)set->count, sizeof(int));
    return set->nodes && set->incident ? PHX_OK : PHX_ERROR_MEMORY;
}

// Contacts are sorted by a, then b: those where a particle is b come first, in order of the partner, then the others.
static phx_result find_nodes(find_context* f) {
    contact_set* set = f->set;
    PHXI_TRY(number_nodes(f));
    set->node_count = 0;
    for (int n = 0, at = 0; n < set->pairs->listed.count; ++n) {
        int degree = f->node_of[n];
        if (degree > 0) {
            set->pairs->node_of.items[set->pairs->listed.items[n]] = set->node_count;
            set->nodes[set->node_count] =
                (contact_node){.particle = set->pairs->listed.items[n], .begin = at, .end = at};
            f->node_of[n] = set->node_count++;
            at += degree;
        }
    }
    for (int k = 0; k < set->count; ++k) {
        contact* c = &set->items[k];
        c->node_a = f->node_of[c->a];
        c->node_b = f->node_of[c->b];
        set->incident[set->nodes[c->node_a].end++] = k;
        set->incident[set->nodes[c->node_b].end++] = k;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------- pair geometry

static bool turns(const contact_set* set, const contact_node* node) {
    return node->fixed || set->fragments[node->fragment].able;
}

bool phxi_contact_turns(const contact_set* set, const contact* c) {
    return turns(set, &set->nodes[c->node_a]) || turns(set, &set->nodes[c->node_b]);
}

/// Half to each side that can; fixed particles are a part of the outer world and take anything.
static void share_couple(contact* c, const contact_set* set) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    bool can_a = turns(set, a), can_b = turns(set, b);
    c->couple = can_a == can_b ? c->couple : can_a;
    if (!can_a && !can_b) {
        c->grip = 0;
    }
}

/// Of the two sides where they touch: velocities are continued by half of the way by how the fragments turn.
static phx_vec3 velocity_between(const contact* c, const contact_set* set) {
    if (c->rigid) {
        return phxi_sub(phxi_contact_side_velocity(set, c, true), phxi_contact_side_velocity(set, c, false));
    }
    phx_vec3 turn = phxi_scale(c->couple, set->fragments[set->nodes[c->node_a].fragment].turn);
    turn = phxi_add_scaled(turn, 1 - c->couple, set->fragments[set->nodes[c->node_b].fragment].turn);
    return phxi_sub(phxi_sub(set->nodes[c->node_b].velocity, set->nodes[c->node_a].velocity), phxi_cross(turn, c->arm));
}

/// How fast the gap grows: normals turn with the faces they come from, by the gradient of velocity.
static double parting_of(const contact* c, const contact_set* set) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    const phxi_contact_rigid *one = set->fragments[a->fragment].rigid, *other = set->fragments[b->fragment].rigid;
    phx_vec3 to = phxi_add(c->at, c->arm);
    phx_vec3 apart = phxi_sub(other ? phxi_rigid_velocity_at(other, to) : b->velocity,
                              one ? phxi_rigid_velocity_at(one, c->at) : a->velocity);
    phx_vec3 turning = phxi_scale(c->normal_share, phxi_mat3_apply(&a->motion, c->aside));
    turning = phxi_add_scaled(turning, 1 - c->normal_share, phxi_mat3_apply(&b->motion, c->aside));
    return phxi_dot(phxi_sub(apart, turning), c->normal);
}

/// One of the two is not in front of the other's face. (What is inside of a rigid body is told from its solid.)
static bool is_behind(const contact* c) {
    return !c->rigid && !c->overlaps && c->central < 1 && c->depth > 0.7 * c->range;
}

/// What is touched of a rigid body is known, as of a collider: where it is flat it alone tells the normal, and
/// elsewhere as much as the other side is not flat. Normals of edges and corners of soft bodies lean outwards, and
/// would see what they lie on, or hang over, as deep in them.
static void trust_rigid(double* rigid, double* other) {
    *other *= 1 - fmin(1, *rigid);
    *rigid = fmax(*rigid, 1 - fmin(1, *other));
}

/// How much the faces of both sides have to say about the normal.
static void find_levels(const contact_set* set, const contact* c, double* a, double* b) {
    const contact_node *one = &set->nodes[c->node_a], *other = &set->nodes[c->node_b];
    const phxi_contact_rigid* rigid_a = set->fragments[one->fragment].rigid;
    const phxi_contact_rigid* rigid_b = set->fragments[other->fragment].rigid;
    *a = one->level;
    *b = other->level;
    if (rigid_a && !rigid_b) {
        trust_rigid(a, b);
    } else if (rigid_b && !rigid_a) {
        trust_rigid(b, a);
    }
}

/// Where a rigid side is touched its normal is along the arm, unless the other is in its core.
static phx_vec3 rigid_normal(const contact_set* set, const contact* c, double level_a, double level_b, phx_vec3 line) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    bool rigid_a = set->fragments[a->fragment].rigid, rigid_b = set->fragments[b->fragment].rigid;
    bool apart = phxi_length(c->arm) > 1e-3 * c->range;
    phx_vec3 way_a = rigid_a && apart ? line : a->normal, way_b = rigid_b && apart ? phxi_scale(-1, line) : b->normal;
    return phxi_add_scaled(phxi_scale(level_a, way_a), -level_b, way_b);
}

/// What two faces say together: where the surface of a side is known, it tells alone; then what is likely to be a face.
/// Where there is neither, as at two edges that lie on each other, the faces around them tell. `surface`: a side stands
/// on the surface of its body. Of all others, faces tell by their levels.
static phx_vec3 soft_normal(const contact_node* a, const contact_node* b, bool surface, double* level_a,
                            double* level_b) {
    double known = fmax(a->known, b->known), likely = surface ? fmax(a->faces, b->faces) : 0;
    double more_a = (1 - known) * (surface ? a->faces - a->known + (1 - likely) * *level_a : *level_a);
    double more_b = (1 - known) * (surface ? b->faces - b->known + (1 - likely) * *level_b : *level_b);
    phx_vec3 normal = phxi_add_scaled(phxi_scale(more_a, a->normal), -more_b, b->normal);
    *level_a = a->known + more_a;
    *level_b = b->known + more_b;
    return phxi_add_scaled(phxi_add_scaled(normal, a->known, a->own), -b->known, b->own);
}

/// How much two touch as balls do: wholly where neither has a normal; and where one has none, the less the other is
/// flat. Normals of edges and corners lean outwards, and without a face on the other side to set them right they see
/// what lies below them as deep in them: a block that was put on a lattice would be thrown off.
static double ball_part(const contact_set* set, const contact_node* without, const contact_node* with) {
    bool surface = phxi_is_surface(set->scene->particles, with->particle);
    return (1 - without->clear) * (1 - fmin(1, surface ? with->known : with->level));
}

/// What stands on a surface and has lost its face is a ball again where it meets others without one.
static double ball_reach(const contact_set* set, const contact* c) {
    const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
    double cut_a = c->central > 0 ? (1 - a->clear) * cut_of(set, c->i) : 0;
    double cut_b = c->central > 0 ? (1 - b->clear) * cut_of(set, c->j) : 0;
    return c->central * (cut_a + cut_b);
}

static double depth_along(const contact* c, phx_vec3 normal) {
    return fmin(c->distance - phxi_dot(c->arm, normal), c->range);
}

static void pair_block(void* context, int begin, int end, int index) {
    const find_context* f = context;
    f->counts[index] = 0;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        const contact_node *a = &f->set->nodes[c->node_a], *b = &f->set->nodes[c->node_b];
        if (c->rigid) {
            phxi_contact_place(c, f->set->scene, half_width(f->set, c->i), half_width(f->set, c->j));
        }
        phx_vec3 line = phxi_normalize(c->arm, phxi_vec3(0, 0, 1));
        double level_a, level_b;
        find_levels(f->set, c, &level_a, &level_b);
        bool within = c->central > 0;
        c->central = within ? 1 : fmax(ball_part(f->set, a, b), ball_part(f->set, b, a));
        phx_vec3 normal = phxi_scale(c->central, line);
        if (c->rigid) {
            normal = rigid_normal(f->set, c, level_a, level_b, line);
        } else if (!within) {
            bool surface = c->distance != c->range;
            phx_vec3 faces = soft_normal(a, b, surface, &level_a, &level_b);
            normal = phxi_add_scaled(normal, surface ? 1 - c->central : 1, faces);
        }
        c->normal = phxi_normalize(normal, line);
        c->distance += within ? 0 : ball_reach(f->set, c);
        c->depth = c->own_depth = depth_along(c, c->normal);
        if (c->overlaps) {
            c->normal = c->forced;
            c->depth = depth_along(c, c->forced);
            c->central = within ? 1 : 0;
        }
        // nothing touches with its back
        double both = a->clear * b->clear, facing = fmin(1, fmax(0, 2 - 3.3 * phxi_dot(a->normal, b->normal)));
        f->counts[index] += is_behind(c);
        double looks = c->overlaps ? 1 : 1 - both * (1 - facing);
        c->smooth = (1 - c->central) * looks / fmax(fmax(a->weight, b->weight), least_weight);
        c->smooth = c->rigid ? phxi_rigid_smooth(f->set, c, least_weight) : c->smooth;
        c->share = c->central + c->smooth * c->weight;
        share_couple(c, f->set);
        c->aside = phxi_add_scaled(c->arm, -phxi_dot(c->arm, c->normal), c->normal);
        c->normal_share = level_a + level_b > 0 ? level_a / (level_a + level_b) : 0.5;
        c->velocity = velocity_between(c, f->set);
        c->parting = parting_of(c, f->set);
    }
}

// ---------------------------------------------------------------------------------------------------------- thin walls

// A particle that has been pressed into one face of a wall gets near the opposite one, from behind. Faces that it is in
// front of tell on which side it belongs; what draws it to the other side does not count.
static void side_block(void* context, int begin, int end, int index) {
    const contact_set* set = ((const find_context*)context)->set;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &set->nodes[n];
        node->side = phxi_vec3(0, 0, 0);
        for (int k = node->begin; k < node->end; ++k) {
            const contact* c = &set->items[set->incident[k]];
            double front = fmax(0, 1 - c->depth / c->range) * c->weight;
            node->side = phxi_add_scaled(node->side, c->node_a == n ? front : -front, c->normal);
        }
    }
}

static void drop_block(void* context, int begin, int end, int index) {
    const contact_set* set = ((const find_context*)context)->set;
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &set->items[k];
        bool wrong =
            phxi_dot(set->nodes[c->node_a].side, c->normal) < 0 || phxi_dot(set->nodes[c->node_b].side, c->normal) > 0;
        if (is_behind(c) && wrong) {
            c->share = c->smooth = 0;
        }
    }
}

static void drop_backs(find_context* f) {
    contact_set* set = f->set;
    int behind = 0;
    for (int b = 0; b < phxi_block_count(set->count, GRAIN); ++b) {
        behind += f->counts[b];
    }
    if (behind > 0) {
        phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, side_block, f);
        phxi_parallel_for(set->scene->pool, set->count, GRAIN, drop_block, f);
    }
}

// ---------------------------------------------------------------------------------------------------- change of shares

static double energy_per_share(const contact* c) {
    return c->depth > 0 && !c->slow ? 0.5 * c->stiffness * c->depth * c->depth : 0;
}

// Shares are w / S; what a partner gains, the others lose.
static void share_gradient_block(void* context, int begin, int end, int index) {
    const contact_set* set = ((const find_context*)context)->set;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &set->nodes[n];
        for (int k = node->begin; k < node->end && node->weight > least_weight; ++k) {
            const contact* c = &set->items[set->incident[k]];
            const contact_node* other = &set->nodes[c->node_a == n ? c->node_b : c->node_a];
            if (node->weight >= other->weight) {
                double half = node->weight > other->weight ? 1 : 0.5;
                node->share_gradient += half * energy_per_share(c) * c->smooth * c->weight / node->weight;
            }
        }
    }
}

static void share_force_block(void* context, int begin, int end, int index) {
    const contact_set* set = ((const find_context*)context)->set;
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &set->items[k];
        if (c->projected) {
            continue;
        }
        double gain = energy_per_share(c) * c->smooth - set->nodes[c->node_a].share_gradient -
                      set->nodes[c->node_b].share_gradient;
        c->share_force = c->rigid ? 0 : -gain * c->slope; // shares of rigid sides are of the place alone
    }
}

void phxi_contacts_forget(const contact_set* set) {
    for (int n = 0; n < set->node_count; ++n) {
        set->pairs->node_of.items[set->nodes[n].particle] = -1;
    }
}

phx_result phxi_contacts_find(contact_set* set) {
    find_context f = {.set = set};
    PHXI_TRY(find_near(&f));
    PHXI_TRY(phxi_rigid_thin(set));
    if (set->count > 0) {
        PHXI_TRY(find_nodes(&f));
        PHXI_TRY(phxi_fragments_find(set));
        phxi_faces_find(set);
        PHXI_TRY(phxi_overlaps_find(set));
        phxi_parallel_for(set->scene->pool, set->count, GRAIN, pair_block, &f);
        drop_backs(&f);
        phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, share_gradient_block, &f);
        phxi_parallel_for(set->scene->pool, set->count, GRAIN, share_force_block, &f);
        PHXI_TRY(phxi_rigid_share(set));
        phxi_rigid_weigh(set);
    }
    return PHX_OK;
}
