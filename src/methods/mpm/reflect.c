// SPDX-License-Identifier: MIT
// Fluids do not flow into obstacles.
//
// A node in an obstacle stands still, but a particle on the surface still takes a sixth of its velocity from the first
// node before it, and goes in: what presses on it long enough fills the obstacle to the depth of a cell. As a plane of
// symmetry does, nodes in the obstacle take the opposite of what comes from the other side: with d the depth of a node,
// j the node nearest to its image x + 2 d n, and d_j the distance of that from the surface,
//     v_n = -v_j,n d / d_j   where v_j,n < 0
// so that the velocity normal to the surface is none on it. Friction holds against that push as against any other.
#include "methods/mpm/mpm_internal.h"

enum { NODES = MPM_BLOCK / 4, GRAIN = 8 };
#define STEEPEST 1.5 // d / d_j, at most: images of nodes are not where nodes are

/// The first node before the surface across a node at `depth` in an obstacle, and how far it is from the surface in
/// depths; NULL: there is none.
static const phxi_r4* image_of(const phxi_mpm* s, const int at[3], double depth, phx_vec3 normal, double* over) {
    const double n[3] = {normal.x, normal.y, normal.z};
    int image[3];
    double along = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int way = (int)round(2 * depth / s->h * n[axis]);
        image[axis] = at[axis] + way;
        along += way * s->h * n[axis];
    }
    const phxi_r4* node = phxi_mpm_node_at(s, s->velocity.items, false, image);
    if (!node || s->inside.items[((const phx_real*)node - s->velocity.items) / 4] || !(along > depth)) {
        return NULL; // those in obstacles change while this is read
    }
    *over = fmin(depth / (along - depth), STEEPEST);
    return node;
}

/// The velocity of a node, `against` that of the surface before, whose part along the normal becomes `out`.
static phx_vec3 pushed(const phxi_mpm* s, const phxi_collider* collider, const phxi_surface_point* at, phx_vec3 against,
                       double out) {
    const bool rough = s->params->boundary == MPM_FRICTION || s->params->boundary == MPM_MIRROR;
    const double has = phxi_dot(against, at->normal);
    const phx_vec3 along = phxi_add_scaled(against, -has, at->normal);
    const double slip = phxi_length(along), hold = rough ? collider->friction * fmax(out - has, 0) : 0;
    const phx_vec3 kept = phxi_add_scaled(at->velocity, slip > hold ? 1 - hold / slip : 0, along);
    return phxi_add_scaled(kept, out, at->normal);
}

static void reflect_node(phxi_mpm* s, int block, int n, int collider, phx_vec3 position) {
    const phxi_mpm_nodes* nodes = &s->nodes.items[block];
    const int at[3] = {nodes->at[0] + n / (MPM_SIDE * MPM_SIDE), nodes->at[1] + n / MPM_SIDE % MPM_SIDE,
                       nodes->at[2] + n % MPM_SIDE};
    phxi_r4* v = (phxi_r4*)(s->velocity.items + (ptrdiff_t)block * MPM_BLOCK + 4 * n);
    phxi_surface_point surface;
    const double depth = -phxi_collider_surface(&s->step->colliders[collider], position, &surface);
    double over;
    const phxi_r4* image = depth > MPM_ON_SURFACE * s->h ? image_of(s, at, depth, surface.normal, &over) : NULL;
    if (!image || !((*image)[0] > 0)) {
        return;
    }
    const phx_vec3 other = phxi_sub(phxi_vec3((*image)[1], (*image)[2], (*image)[3]), surface.velocity);
    const double comes = phxi_dot(other, surface.normal);
    if (comes < 0) {
        const phx_vec3 to = pushed(s, &s->step->colliders[collider], &surface,
                                   phxi_sub(phxi_vec3((*v)[1], (*v)[2], (*v)[3]), surface.velocity), -over * comes);
        phxi_mpm_note_push(s, block, collider, v, to, surface.velocity);
        *v = (phxi_r4){(*v)[0], (phx_real)to.x, (phx_real)to.y, (phx_real)to.z};
    }
}

static void reflect_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    const double half = 0.5 * (MPM_SIDE - 1) * s->h, radius = 1.7320508075688772 * half;
    (void)part;
    for (int block = begin; block < end; ++block) {
        const phx_vec3 first = phxi_mpm_position(s, &s->nodes.items[block], 0);
        const phx_vec3 middle = phxi_add(first, phxi_vec3(half, half, half));
        for (int c = 0; c < s->step->collider_count; ++c) {
            if (phxi_mpm_is_mirror(s, c) || !phxi_collider_near(&s->step->colliders[c], middle, radius)) {
                continue;
            }
            for (int n = 0; n < NODES; ++n) {
                const ptrdiff_t index = (ptrdiff_t)block * NODES + n;
                if (s->velocity.items[4 * index] > 0 && s->inside.items[index]) {
                    reflect_node(s, block, n, c, phxi_mpm_position(s, &s->nodes.items[block], n));
                }
            }
        }
    }
}

void phxi_mpm_reflect(phxi_mpm* s) {
    if (s->step->collider_count > s->mirror_count) {
        phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, reflect_part, s);
    }
}
