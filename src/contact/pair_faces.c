// SPDX-License-Identifier: MIT
// The face that each particle in contact belongs to (pairs.h): its normal, and how flat the body is there.
//
// Where a body is sampled with particles on its surface, what they own of it tells both: the area vector at rest,
// carried along by cof(F), and how much shorter that is than what they own is large (reach.h). Elsewhere the centre of
// mass of a particle and its bonds tells, which lies inward of it.
#include "contact/pairs_internal.h"
#include "contact/reach.h"
#include "math/simd.h"

#include <string.h>

enum { GRAIN = 64 };
static const double least_weight = CONTACT_LEAST_WEIGHT;

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

/// That distance.
static double offset_of(const moments* s) {
    double square = phxi_dot(s->rest_first, s->rest_first) / (s->mass * s->mass);
    double spread = (s->rest_second.m[0][0] + s->rest_second.m[1][1] + s->rest_second.m[2][2]) / s->mass + square;
    return spread > 0 ? sqrt(square / spread) : 0;
}

/// The same below a surface with particles on it. These have half a cell and less, as if there were less around; so all
/// count by the cells that they would have.
static double inner_offset_of(const phxi_particles* p, int i, const int* bonds, int count) {
    phx_vec3 first = {0, 0, 0}, here = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
    double sum = pow((double)p->spacing[i], 3), spread = 0;
    for (int k = 0; k < count; ++k) {
        int j = bonds[k];
        double cell = pow((double)p->spacing[j], 3);
        phx_vec3 line = phxi_sub(phxi_vec3(p->rest_x[j], p->rest_y[j], p->rest_z[j]), here);
        first = phxi_add_scaled(first, cell, line);
        spread += cell * phxi_dot(line, line);
        sum += cell;
    }
    return spread > 0 ? phxi_length(first) / sqrt(sum * spread) : 0;
}

/// The normal of the deformed body is along cof(F) N; F = A B^-1 by least squares, with A the mixed moments and B those
/// at rest: along cof(A) B N.
static phx_vec3 carried(const moments* s, phx_vec3 rest) {
    phxi_mat3 cofactor = phxi_mat3_cofactor(&s->mixed);
    phx_vec3 now = phxi_mat3_apply(&cofactor, phxi_mat3_apply(&s->rest_second, rest));
    return phxi_normalize(now, phxi_vec3(0, 0, 0));
}

/// Bodies of a few particles are all edges and corners: their normals swing with every particle that is pushed, which
/// pumps energy into heaps of them. They touch as balls do. (Heaps of cubes of 125 particles come to rest with faces,
/// those of 64 and fewer do not. Implicit steps pump nothing.)
static bool is_small(const contact_set* set, int particle) {
    enum { SMALL = 100 };
    const phxi_contact_scene* scene = set->scene;
    return !set->implicit && scene->bodies[scene->particles->body[particle]].count < SMALL;
}

/// On the surface, from the area vector now; `kept`: how much it is to be believed.
static void set_surface(const contact_set* set, contact_node* node, phx_vec3 normal, double kept) {
    node->own = normal;
    node->clear = kept;
    node->known = node->faces = kept * phxi_surface_flatness(set->scene->particles, node->particle);
    node->flatness = fmax(node->known, 0.01 * kept);
}

/// What is deep in a clamp has no bonds, but turns as the clamp does.
static void set_clamped(const contact_set* set, contact_node* node) {
    const phxi_particles* p = set->scene->particles;
    int i = node->particle;
    const phxi_mat3* turns = set->scene->bodies[p->body[i]].turns;
    if (turns && p->grip[i] > 0 && phxi_is_surface(p, i)) {
        phx_vec3 rest = phxi_vec3(p->area_x[i], p->area_y[i], p->area_z[i]);
        set_surface(set, node, phxi_normalize(phxi_mat3_apply(&turns[p->grip[i] - 1], rest), rest), 1);
    }
}

static void set_normal(const contact_set* set, contact_node* node, const moments* s, const int* bonds, int count) {
    const phxi_particles* p = set->scene->particles;
    int i = node->particle;
    // det F, by which normals of what is crushed or turned inside out are of no use
    double kept = phxi_mat3_det(&s->mixed) / phxi_mat3_det(&s->rest_second);
    kept = fmin(1, fmax(0, 10 * kept - 1));
    if (phxi_is_surface(p, i)) {
        set_surface(set, node, carried(s, phxi_vec3(p->area_x[i], p->area_y[i], p->area_z[i])), kept);
        return;
    }
    node->own = carried(s, phxi_scale(-1, s->rest_first));
    if (phxi_dot(node->own, node->own) > 0 && !is_small(set, i)) {
        bool inner = set->pairs->slots.items[p->body[i]].surface;
        set_flatness(node, inner ? inner_offset_of(p, i, bonds, count) : offset_of(s), kept);
        node->faces = fmin(1, fmax(0, (node->flatness - 0.03) / 0.06)); // faces have 0.11 or more, edges 0.02
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

/// One of the two stands on the surface of its body.
static bool touches_surface(const contact* c) {
    return c->distance != c->range;
}

static void face_block(void* context, int begin, int end, int index) {
    const contact_set* set = context;
    const phxi_contact_scene* scene = set->scene;
    int bonds[PHXI_MAX_BONDS];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &set->nodes[n];
        bool within = !set->implicit;
        for (int k = node->begin; k < node->end; ++k) {
            node->weight += set->items[set->incident[k]].weight;
            within = within && set->items[set->incident[k]].central == 1;
            node->at_surface = node->at_surface || touches_surface(&set->items[set->incident[k]]);
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
            if (count == 0 && !within) {
                set_clamped(set, node);
            }
            continue;
        }
        moments s = moments_of(scene->particles, node->particle, bonds, count);
        double trace = s.second.m[0][0] + s.second.m[1][1] + s.second.m[2][2];
        // 0.037 for a ball, 0.01 for a face; sheets of one layer have no inside, and no normal
        if (phxi_mat3_det(&s.second) > 1e-3 * trace * trace * trace && phxi_mat3_inverse(&s.second, &node->inverse)) {
            node->center =
                phxi_add_scaled(phxi_contact_position(scene->particles, node->particle), 1 / s.mass, s.first);
            node->motion = phxi_mat3_mul(&s.flow, &node->inverse);
            set_normal(set, node, &s, bonds, count);
        }
    }
}

/// From particle to particle; what stands on a surface counts where it would be half a spacing below. (Faces that lie
/// on each other are apart by rounding alone.)
static phx_vec3 inner_arm(const contact_set* set, const contact* c) {
    const phxi_particles* p = set->scene->particles;
    double a = phxi_is_surface(p, c->i) ? (double)p->inset[c->i] : 0;
    double b = phxi_is_surface(p, c->j) ? (double)p->inset[c->j] : 0;
    phx_vec3 arm = a > 0 ? phxi_add_scaled(c->arm, a, set->nodes[c->node_a].own) : c->arm;
    return b > 0 ? phxi_add_scaled(arm, -b, set->nodes[c->node_b].own) : arm;
}

/// Whether the face of a node looks where its contacts are, 0 to 1: what comes down on a plate edge-on touches with its
/// edge, and only the plate's face counts.
static double facing_of(const contact_set* set, int n, phx_vec3 normal) {
    const contact_node* node = &set->nodes[n];
    phx_vec3 sum = {0, 0, 0};
    for (int k = node->begin; k < node->end; ++k) {
        const contact* c = &set->items[set->incident[k]];
        sum = phxi_add_scaled(sum, c->node_a == n ? c->weight : -c->weight, inner_arm(set, c));
    }
    double length = phxi_length(sum);
    return length > 0 ? fmin(1, fmax(0, (phxi_dot(sum, normal) / length - 0.1) / 0.4)) : 1;
}

/// The side of a block that stands on another one is near it, and tells nothing.
static void facing_block(void* context, int begin, int end, int index) {
    const contact_set* set = context;
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &set->nodes[n];
        double facing = node->at_surface && node->faces > 0 ? facing_of(set, n, node->own) : 1;
        node->known *= facing;
        node->faces *= facing;
    }
}

// At the rim of a face that touches, edges and corners have normals of their own that lead astray; the face they bound
// has more weight.
static void smooth_block(void* context, int begin, int end, int index) {
    const contact_set* set = context;
    const phxi_contact_scene* scene = set->scene;
    int bonds[PHXI_MAX_BONDS + 1];
    (void)index;
    for (int n = begin; n < end; ++n) {
        contact_node* node = &set->nodes[n];
        if (node->faceless || phxi_contact_rigid_of(scene, node->particle)) {
            continue;
        }
        int count = phxi_contact_bonds(scene, node->particle, bonds);
        bonds[count++] = node->particle;
        phx_vec3 sum = {0, 0, 0}, clear = {0, 0, 0};
        double first = 0, second = 0, sure = 0;
        for (int k = 0; k < count; ++k) {
            int m = set->pairs->node_of.items[bonds[k]];
            double flatness = m >= 0 ? set->nodes[m].flatness * fmin(1, set->nodes[m].weight / least_weight) : 0;
            if (flatness > 0) {
                sum = phxi_add_scaled(sum, flatness, set->nodes[m].own);
                clear = phxi_add_scaled(clear, flatness * set->nodes[m].faces, set->nodes[m].own);
                sure += flatness * set->nodes[m].faces;
                first += flatness;
                second += flatness * flatness;
            }
        }
        // of faces on faces edges are to say nothing at all
        double edges = node->at_surface ? fmax(0, 1 - sure / 0.1) : 1;
        sum = edges < 1 ? phxi_add_scaled(clear, edges, phxi_sub(sum, clear)) : sum;
        node->normal = phxi_normalize(sum, node->own);
        node->level = first > 0 ? node->clear * facing_of(set, n, node->normal) * second / first : 0;
    }
}

void phxi_faces_find(contact_set* set) {
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, face_block, set);
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, facing_block, set);
    phxi_parallel_for(set->scene->pool, set->node_count, GRAIN, smooth_block, set);
}
