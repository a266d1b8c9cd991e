// SPDX-License-Identifier: MIT
// Where the nodes of crack fronts go in a step (docs/theory/fracture.md (13)).
//
//   aim     direction and wanted length of every node, from the stress half a spacing ahead
//   stop    nodes that would cross the surface of another crack end there; those with no body ahead step out of it
//   sweep   the surface between old and new places
//   mend    topology, crack_front.c
#include "methods/efg/fracture/crack_front.h"

#define LONGEST_STEP  0.5   // of a node, over the spacing
#define SHORTEST_STEP 0.125 // shorter ones are gathered, so that slow cracks do not make slivers
#define LEAVING_STEP  0.75  // of a node at the body's surface: beyond the outermost particles for certain
#define LOOK_AHEAD    0.25  // slits between a front and the surface of another crack close
#define STEEPNESS     0.2   // surfaces met under a smaller angle (sine) are those of fronts that join
#define LIGAMENT      2.0   // narrower ones tear without being asked

/// Whether the ligament ahead of a node soon ends: no body there, or another crack.
static bool is_narrow(const phxi_crack_set* set, const phxi_crack_medium* medium, int node) {
    const phxi_crack_node* n = &set->nodes.items[node];
    double width = LIGAMENT * set->spacing;
    if (!medium->solid(medium->context, phxi_add_scaled(n->at, width / 2, n->ahead), n->ahead)) {
        return true;
    }
    for (int k = 1; k <= 4; ++k) {
        if (phxi_cracks_at(set, phxi_add_scaled(n->at, width * k / 4, n->ahead), n->normal) >= 0) {
            return true;
        }
    }
    return false;
}

static bool all_narrow(const phxi_crack_set* set, const phxi_crack_medium* medium, const phxi_crack_chain* chain) {
    for (int k = chain->first, c = 0; c < chain->count; ++c, k = set->nodes.items[k].next) {
        if (set->nodes.items[k].state == PHXI_NODE_LIVE && !is_narrow(set, medium, k)) {
            return false;
        }
    }
    return true;
}

/// Direction and length of one node.
static double aim_node(phxi_crack_set* set, const phxi_crack_medium* medium, int node, bool tearing, double dt) {
    phxi_crack_node* n = &set->nodes.items[node];
    phx_vec3 tangent = phxi_cracks_tangent(set, node), normal = n->normal;
    double a = set->spacing,
           tension = medium->tension(medium->context, phxi_add_scaled(n->at, a / 2, n->ahead), &normal);
    if (!(tension > 1)) {
        normal = n->normal;
        tension = tearing ? 1 : 0;
    }
    if (tension == 0) {
        return 0;
    }
    n->normal = phxi_dot(normal, n->normal) < 0 ? phxi_scale(-1, normal) : normal;
    n->ahead = phxi_normalize(phxi_cross(tangent, n->normal), n->ahead);
    n->pending = fmin(n->pending + medium->speed * tension * dt, LONGEST_STEP * a);
    return n->pending < SHORTEST_STEP * a ? 0 : n->pending;
}

static void aim(phxi_crack_set* set, const phxi_crack_medium* medium, double dt) {
    for (int c = 0; c < set->chains.count; ++c) {
        const phxi_crack_chain* chain = &set->chains.items[c];
        bool tearing = all_narrow(set, medium, chain);
        for (int k = chain->first, done = 0; done < chain->count; ++done, k = set->nodes.items[k].next) {
            if (set->nodes.items[k].state == PHXI_NODE_LIVE) {
                set->reach.items[k] = aim_node(set, medium, k, tearing, dt);
            }
        }
    }
}

static void move_node(phxi_crack_set* set, const phxi_crack_medium* medium, int node) {
    phxi_crack_node* n = &set->nodes.items[node];
    double length = set->reach.items[node], a = set->spacing, t;
    if (!medium->solid(medium->context, n->at, n->ahead)) {
        length = LEAVING_STEP * a;
        n->state = PHXI_NODE_DEAD;
    }
    if (length == 0) {
        return;
    }
    phx_vec3 to = phxi_add_scaled(n->at, length + LOOK_AHEAD * a, n->ahead);
    // triangles of its own crack touch the node, and count only farther on
    if (phxi_crack_surface_cut(&set->surface, n->at, to, 0.1, STEEPNESS, &t) >= 0) {
        length = t * (length + LOOK_AHEAD * a);
        n->state = PHXI_NODE_DEAD;
    }
    n->at = phxi_add_scaled(n->at, length, n->ahead);
    n->pending = 0;
}

static phx_result sweep(phxi_crack_set* set, phxi_heap* heap) {
    for (int k = 0; k < set->nodes.count; ++k) {
        const phxi_crack_node* p = &set->nodes.items[k];
        if (p->state == PHXI_NODE_UNUSED || p->next < 0) {
            continue;
        }
        const phxi_crack_node* q = &set->nodes.items[p->next];
        phx_vec3 p0 = p->from, p1 = p->at, q0 = q->from, q1 = q->at;
        int crack = p->crack;
        PHXI_TRY(phxi_cracks_cover(set, heap, p0, q0, q1, crack));
        PHXI_TRY(phxi_cracks_cover(set, heap, p0, q1, p1, crack));
    }
    return PHX_OK;
}

phx_result phxi_cracks_grow(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium, double dt) {
    if (set->nodes.count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_cracks_find_chains(set, heap));
    if (set->chains.count == 0) {
        return PHX_OK;
    }
    set->reach.count = 0;
    if (!phxi_array_reserve(&set->reach, set->nodes.count, heap, "efg cracks")) {
        return PHX_ERROR_MEMORY;
    }
    set->reach.count = set->nodes.count;
    for (int k = 0; k < set->nodes.count; ++k) {
        set->reach.items[k] = 0;
        set->nodes.items[k].from = set->nodes.items[k].at;
    }
    aim(set, medium, dt);
    for (int k = 0; k < set->nodes.count; ++k) {
        if (set->nodes.items[k].state == PHXI_NODE_LIVE) {
            move_node(set, medium, k);
        }
    }
    PHXI_TRY(sweep(set, heap));
    return phxi_cracks_mend(set, heap, medium);
}
