// SPDX-License-Identifier: MIT
// Contacts of this substep (pairs.h): which candidates are near, the faces they belong to, normals, depths, shares.
//
// A contact is computed once, for its lower particle first, so that both sides get the same numbers.
#include "contact/pairs_internal.h"
#include "math/simd.h"

#include <string.h>

enum { GRAIN = 256 };
static const double least_weight = 0.4; // on a square lattice S is 0.5 or more

typedef struct find_context {
    contact_set* set;
    int* counts;  // contacts found in a block of candidates, those with someone behind in a block of contacts
    int* node_of; // by listed particle
} find_context;

double phxi_contact_inverse_mass(const phxi_particles* particles, int i) {
    return particles->fixed[i] ? 0 : 1 / (double)particles->mass[i];
}

double phxi_contact_stiffness(const phxi_contact_body* body, double volume, double spacing) {
    return body->traits.stiffness > 0 ? 2 * body->traits.stiffness : body->young * volume / (spacing * spacing);
}

// ----------------------------------------------------------------------------------------------------- who is near

// A rigid body is as stiff everywhere, however the surface cuts its cells.
static double volume_of(const phxi_contact_body* body, const phxi_particles* p, int i) {
    return body->rigid ? 8 * body->rigid->skin * body->rigid->skin * body->rigid->skin : (double)p->volume[i];
}

// The numbers of a contact that come from its two bodies.
static void set_law(contact* c, const phxi_contact_scene* scene) {
    const phxi_particles* p = scene->particles;
    const phxi_contact_body* a = &scene->bodies[p->body[c->i]];
    const phxi_contact_body* b = &scene->bodies[p->body[c->j]];
    double side_a = phxi_contact_stiffness(a, volume_of(a, p, c->i), p->spacing[c->i]);
    double side_b = phxi_contact_stiffness(b, volume_of(b, p, c->j), p->spacing[c->j]);
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

static double half_width(const contact_set* set, int i) {
    const phxi_particles* p = set->scene->particles;
    return 0.5 * set->pairs->slots.items[p->body[i]].fill * p->spacing[i];
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
        if (!(square < (within ? 1 : 2) * d * d) || inverse_mass == 0) {
            continue;
        }
        double rise = within ? 0 : fmin(1, 2 - square / (d * d));
        contact* c = &set->items[begin + found++];
        *c = (contact){.a = candidate->a, .b = candidate->b, .i = i, .j = j, .mass = 1 / inverse_mass};
        c->line = c->arm = arm;
        c->at = phxi_contact_position(p, i);
        c->distance = d;
        c->couple = 0.5;
        c->length = sqrt(square);
        c->weight = rise * rise * rise;
        c->slope = rise < 1 ? -6 * rise * rise * c->length / (d * d) : 0;
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

// ------------------------------------------------------------------------------------------------------------ faces

/// Sums over a particle and its bonds, by mass, of distances now (d) and at rest (D), of velocities, and of products.
typedef struct moments {
    double mass;
    phx_vec3 first, rest_first, momentum;
    phxi_mat3 second, rest_second, mixed, flow; // d d^T, D D^T, d D^T, v d^T; v is against that of the particle
} moments;

static void add_product(phxi_mat3* sum, phx_vec3 a, phx_vec3 b) {
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; ++k) {
        sum->m[k / 3][k % 3] += x[k / 3] * y[k % 3];
    }
}

/// Eight bonds at a time: sums are by lane, so that they have one order however wide the machine is.
enum { LANES = 8, SUMS = 40 };
typedef struct bond_lanes {
    double mass[LANES], now[3][LANES], rest[3][LANES], motion[3][LANES]; // against those of the particle
} bond_lanes;

static void set_lane(bond_lanes* b, int lane, const phxi_particles* p, int i, int j) {
    b->mass[lane] = p->mass[j];
    b->now[0][lane] = (double)p->x[j] - (double)p->x[i];
    b->now[1][lane] = (double)p->y[j] - (double)p->y[i];
    b->now[2][lane] = (double)p->z[j] - (double)p->z[i];
    b->rest[0][lane] = (double)p->rest_x[j] - (double)p->rest_x[i];
    b->rest[1][lane] = (double)p->rest_y[j] - (double)p->rest_y[i];
    b->rest[2][lane] = (double)p->rest_z[j] - (double)p->rest_z[i];
    b->motion[0][lane] = (double)p->vx[j] - (double)p->vx[i];
    b->motion[1][lane] = (double)p->vy[j] - (double)p->vy[i];
    b->motion[2][lane] = (double)p->vz[j] - (double)p->vz[i];
}

PHXI_INLINE void add_lanes(double* restrict sum, const double* restrict x, const double* restrict y) {
    for (int l = 0; l < LANES; ++l) {
        sum[l] += x[l] * y[l];
    }
}

PHXI_CLONES static void contact_moments(const bond_lanes* b, double sums[SUMS][LANES]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double now[3][LANES], rest[3][LANES];
    for (int l = 0; l < LANES; ++l) {
        sums[0][l] += b->mass[l];
        for (int k = 0; k < 3; ++k) {
            now[k][l] = b->mass[l] * b->now[k][l];
            rest[k][l] = b->mass[l] * b->rest[k][l];
            sums[1 + k][l] += now[k][l];
            sums[4 + k][l] += rest[k][l];
            sums[7 + k][l] += b->mass[l] * b->motion[k][l];
        }
    }
    for (int k = 0; k < 6; ++k) {
        add_lanes(sums[10 + k], now[row[k]], b->now[column[k]]);
        add_lanes(sums[16 + k], rest[row[k]], b->rest[column[k]]);
    }
    for (int k = 0; k < 9; ++k) {
        add_lanes(sums[22 + k], now[k / 3], b->rest[k % 3]);
        add_lanes(sums[31 + k], b->motion[k / 3], now[k % 3]);
    }
}

static phxi_mat3 symmetric(const double s[6]) {
    return (phxi_mat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

/// About the centres of mass.
static moments moments_of(const phxi_particles* p, int i, const int* bonds, int count) {
    double lanes[SUMS][LANES] = {{0}}, t[SUMS];
    for (int k = 0; k < count; k += LANES) {
        bond_lanes b = {0};
        for (int l = 0; l < LANES && k + l < count; ++l) {
            set_lane(&b, l, p, i, bonds[k + l]);
        }
        contact_moments(&b, lanes);
    }
    for (int k = 0; k < SUMS; ++k) {
        const double* l = lanes[k];
        t[k] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    }
    moments s = {.mass = t[0] + (double)p->mass[i],
                 .first = phxi_vec3(t[1], t[2], t[3]),
                 .rest_first = phxi_vec3(t[4], t[5], t[6]),
                 .momentum = phxi_vec3(t[7], t[8], t[9]),
                 .second = symmetric(t + 10),
                 .rest_second = symmetric(t + 16)};
    memcpy(&s.mixed, t + 22, sizeof s.mixed);
    memcpy(&s.flow, t + 31, sizeof s.flow);
    phx_vec3 d = phxi_scale(-1 / s.mass, s.first), rest = phxi_scale(-1 / s.mass, s.rest_first);
    add_product(&s.second, d, s.first);
    add_product(&s.flow, s.momentum, d);
    add_product(&s.rest_second, rest, s.rest_first);
    add_product(&s.mixed, d, s.rest_first);
    return s;
}

/// By the distance of the centre of mass over the root of the mean square distance, at rest, which is 0 inside, 0.37
/// (few neighbours) to 0.48 (many) on faces, 0.55 to 0.68 on edges, more at corners: whether there is a normal, and its
/// weight in that of a pair. Faces outweigh edges by far; edges and corners are equals, so that flush ones cancel.
static void set_flatness(contact_node* node, double offset, double kept) {
    node->clear = kept * fmin(1, fmax(0, (offset - 0.1) / 0.1));
    double edge = 0.4 / fmax(offset, 0.37), cube = edge * edge * edge;
    node->flatness = node->clear * fmax(cube * cube * cube * cube, 0.01);
}

/// The normal at rest is along -C, that of the deformed body along cof(F) of it; F = A B^-1 by least squares, with A
/// the mixed moments and B those at rest: along -cof(A) B C.
static void set_normal(contact_node* node, const moments* s) {
    double square = phxi_dot(s->rest_first, s->rest_first) / (s->mass * s->mass);
    double spread = (s->rest_second.m[0][0] + s->rest_second.m[1][1] + s->rest_second.m[2][2]) / s->mass + square;
    if (!(spread > 0)) {
        return;
    }
    // det F, by which normals of what is crushed or turned inside out are of no use
    double kept = phxi_mat3_det(&s->mixed) / phxi_mat3_det(&s->rest_second);
    phxi_mat3 cofactor = phxi_mat3_cofactor(&s->mixed);
    phx_vec3 normal = phxi_mat3_apply(&cofactor, phxi_mat3_apply(&s->rest_second, s->rest_first));
    node->own = phxi_normalize(phxi_scale(-1, normal), phxi_vec3(0, 0, 0));
    if (phxi_dot(node->own, node->own) > 0) {
        set_flatness(node, sqrt(square / spread), fmin(1, fmax(0, 10 * kept - 1)));
    }
}

/// Of a rigid body the surface is known, and turns as the body does.
static void set_rigid_face(contact_node* node, const phxi_contact_rigid* rigid) {
    phx_vec3 w = rigid->spin;
    node->own = node->normal = phxi_rigid_normal(rigid, node->particle);
    node->clear = 1;
    node->flatness = node->level = rigid->flatness[node->particle];
    node->motion = (phxi_mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

/// Bodies of a few particles are all edges and corners: their normals swing with every particle that is pushed, which
/// pumps energy into heaps of them. They touch as balls do. (Heaps of cubes of 125 particles come to rest with faces,
/// those of 64 and fewer do not. Implicit steps pump nothing.)
static bool is_small(const contact_set* set, int particle) {
    enum { SMALL = 100 };
    const phxi_contact_scene* scene = set->scene;
    return !set->implicit && scene->bodies[scene->particles->body[particle]].count < SMALL;
}

static void face_block(void* context, int begin, int end, int index) {
    const find_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    int bonds[PHXI_MAX_BONDS];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &f->set->nodes[n];
        bool within = !f->set->implicit;
        for (int k = node->begin; k < node->end; ++k) {
            node->weight += f->set->items[f->set->incident[k]].weight;
            within = within && f->set->items[f->set->incident[k]].central == 1;
        }
        node->faceless = within;
        const phxi_contact_rigid* rigid = phxi_contact_rigid_of(scene, node->particle);
        if (rigid) {
            set_rigid_face(node, rigid);
            continue;
        }
        node->velocity = scene->velocity(scene->context, node->particle);
        int count = within ? 0 : phxi_contact_bonds(scene, node->particle, bonds);
        if (count < 3) {
            continue;
        }
        moments s = moments_of(scene->particles, node->particle, bonds, count);
        double trace = s.second.m[0][0] + s.second.m[1][1] + s.second.m[2][2];
        // 0.037 for a ball, 0.01 for a face; sheets of one layer have no inside, and no normal
        if (phxi_mat3_det(&s.second) > 1e-3 * trace * trace * trace && phxi_mat3_inverse(&s.second, &node->inverse)) {
            node->center =
                phxi_add_scaled(phxi_contact_position(scene->particles, node->particle), 1 / s.mass, s.first);
            node->motion = phxi_mat3_mul(&s.flow, &node->inverse);
            set_normal(node, &s);
        }
        if (is_small(f->set, node->particle)) {
            node->clear = node->flatness = 0;
        }
    }
}

/// Whether the face of a node looks where its contacts are, 0 to 1: what comes down on a plate edge-on touches with its
/// edge, and only the plate's face counts.
static double facing_of(const contact_set* set, int n) {
    const contact_node* node = &set->nodes[n];
    phx_vec3 sum = {0, 0, 0};
    for (int k = node->begin; k < node->end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        sum = phxi_add_scaled(sum, c->node_a == n ? c->weight : -c->weight, c->arm);
    }
    double length = phxi_length(sum);
    return length > 0 ? fmin(1, fmax(0, (phxi_dot(sum, node->normal) / length - 0.1) / 0.4)) : 1;
}

// At the rim of a face that touches, edges and corners have normals of their own that lead astray; the face they bound
// has more weight.
static void smooth_block(void* context, int begin, int end, int index) {
    const find_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &f->set->nodes[n];
        if (node->faceless || phxi_contact_rigid_of(scene, node->particle)) {
            continue;
        }
        int count = phxi_contact_bonds(scene, node->particle, bonds);
        bonds[count++] = node->particle;
        phx_vec3 sum = {0, 0, 0};
        double first = 0, second = 0;
        for (int k = 0; k < count; ++k) {
            int m = f->set->pairs->node_of.items[bonds[k]];
            double flatness = m >= 0 ? f->set->nodes[m].flatness * fmin(1, f->set->nodes[m].weight / least_weight) : 0;
            if (flatness > 0) {
                sum = phxi_add_scaled(sum, flatness, f->set->nodes[m].own);
                first += flatness;
                second += flatness * flatness;
            }
        }
        node->normal = phxi_normalize(sum, node->own);
        node->level = first > 0 ? node->clear * facing_of(f->set, n) * second / first : 0;
    }
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
    return !c->rigid && !c->overlaps && c->central < 1 && c->distance - c->depth < 0.3 * c->distance;
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
    bool apart = phxi_length(c->arm) > 1e-3 * c->distance;
    phx_vec3 way_a = rigid_a && apart ? line : a->normal, way_b = rigid_b && apart ? phxi_scale(-1, line) : b->normal;
    return phxi_add_scaled(phxi_scale(level_a, way_a), -level_b, way_b);
}

/// How much two touch as balls do: wholly where neither has a normal; and where one has none, the less the other is
/// flat. Normals of edges and corners lean outwards, and without a face on the other side to set them right they see
/// what lies below them as deep in them: a block that was put on a lattice would be thrown off.
static double ball_part(const contact_node* without, const contact_node* with) {
    return (1 - without->clear) * (1 - fmin(1, with->level));
}

static double depth_along(const contact* c, phx_vec3 normal) {
    return fmin(c->distance - phxi_dot(c->arm, normal), c->distance);
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
        c->central = within ? 1 : fmax(ball_part(a, b), ball_part(b, a));
        phx_vec3 normal = phxi_scale(c->central, line);
        if (c->rigid) {
            normal = rigid_normal(f->set, c, level_a, level_b, line);
        } else if (!within) {
            normal = phxi_add_scaled(normal, level_a, a->normal);
            normal = phxi_add_scaled(normal, -level_b, b->normal);
        }
        c->normal = phxi_normalize(normal, line);
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
            double front = fmax(0, 1 - c->depth / c->distance) * c->weight;
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
        phxi_parallel_for(set->scene->pool, set->node_count, GRAIN / 4, face_block, &f);
        phxi_parallel_for(set->scene->pool, set->node_count, GRAIN / 4, smooth_block, &f);
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
