// SPDX-License-Identifier: MIT
// Chains of front nodes: beginnings, and what happens to them after an advance. See crack_front.h for the picture.
#include "methods/efg/fracture/crack_front.h"

#include <limits.h>

#define DISC_RADIUS   0.5  // of a new crack, over the spacing
#define LONGEST_EDGE  1.0  // is divided
#define SHORTEST_EDGE 0.25 // is collapsed
#define MEETING       0.25 // a node with a crack this near ahead is covered
#define ACROSS        0.5  // offset of cracks across their surfaces that is overlooked
#define PARALLEL      0.5  // sine of the angle from which on a crack counts as crossed, not as met
#define SIDE_BY_SIDE  1.5  // distance of fronts that join
#define MOST_STEPS    64   // of half a spacing, from an end to the surface
#define SMALL_LOOP    1.0  // length of a closed front that vanishes
#define SMALL_FRONT   0.5  // length of an open one that vanishes

void phxi_cracks_init(phxi_crack_set* set, double spacing) {
    set->spacing = set->surface.cell = spacing;
    set->unused = -1;
}

void phxi_cracks_destroy(phxi_crack_set* set, phxi_heap* heap) {
    phxi_array_destroy(&set->nodes, heap);
    phxi_array_destroy(&set->parent, heap);
    phxi_array_destroy(&set->chains, heap);
    phxi_array_destroy(&set->seen, heap);
    phxi_array_destroy(&set->reach, heap);
    phxi_crack_surface_destroy(&set->surface, heap);
    set->unused = -1;
}

int phxi_cracks_root(const phxi_crack_set* set, int crack) {
    while (set->parent.items[crack] != crack) {
        crack = set->parent.items[crack];
    }
    return crack;
}

phx_result phxi_cracks_cover(phxi_crack_set* set, phxi_heap* heap, phx_vec3 a, phx_vec3 b, phx_vec3 c, int crack) {
    return phxi_crack_surface_add(&set->surface, heap, (phx_vec3[]){a, b, c}, crack);
}

// --------------------------------------------------------------------------------------------------------- nodes

/// A live node without neighbours, -1: no memory. Moves the nodes.
static int add_node(phxi_crack_set* set, phxi_heap* heap, phx_vec3 at, phx_vec3 normal, phx_vec3 ahead, int crack) {
    int index = set->unused;
    if (index >= 0) {
        set->unused = set->nodes.items[index].next;
    } else {
        if (!phxi_array_reserve(&set->nodes, 1, heap, "efg cracks")) {
            return -1;
        }
        index = set->nodes.count++;
    }
    set->nodes.items[index] = (phxi_crack_node){.at = at,
                                                .from = at,
                                                .normal = normal,
                                                .ahead = ahead,
                                                .prev = -1,
                                                .next = -1,
                                                .crack = crack,
                                                .state = PHXI_NODE_LIVE};
    return index;
}

static void free_node(phxi_crack_set* set, int index) {
    set->nodes.items[index] = (phxi_crack_node){.prev = -1, .next = set->unused, .state = PHXI_NODE_UNUSED};
    set->unused = index;
}

static void link_nodes(phxi_crack_set* set, int first, int second) {
    if (first >= 0) {
        set->nodes.items[first].next = second;
    }
    if (second >= 0) {
        set->nodes.items[second].prev = first;
    }
}

static bool is_live(const phxi_crack_set* set, int node) {
    return node >= 0 && set->nodes.items[node].state == PHXI_NODE_LIVE;
}

bool phxi_cracks_is_edge(const phxi_crack_set* set, int node) {
    const phxi_crack_node* n = &set->nodes.items[node];
    return n->state != PHXI_NODE_UNUSED && n->next >= 0 && (is_live(set, node) || is_live(set, n->next));
}

static double edge_length(const phxi_crack_set* set, int node) {
    return phxi_distance(set->nodes.items[node].at, set->nodes.items[set->nodes.items[node].next].at);
}

phx_vec3 phxi_cracks_tangent(const phxi_crack_set* set, int node) {
    const phxi_crack_node* n = &set->nodes.items[node];
    phx_vec3 none = {0, 0, 0}, before = none, after = none;
    if (n->prev >= 0) {
        before = phxi_normalize(phxi_sub(n->at, set->nodes.items[n->prev].at), none);
    }
    if (n->next >= 0) {
        after = phxi_normalize(phxi_sub(set->nodes.items[n->next].at, n->at), none);
    }
    return phxi_normalize(phxi_add(before, after), none);
}

phx_vec3 phxi_cracks_nearest(const phxi_crack_set* set, int node, phx_vec3 x) {
    phx_vec3 a = set->nodes.items[node].at, ab = phxi_sub(set->nodes.items[set->nodes.items[node].next].at, a);
    double square = phxi_dot(ab, ab), t = square > 0 ? phxi_dot(phxi_sub(x, a), ab) / square : 0;
    return phxi_add_scaled(a, t < 0 ? 0 : t > 1 ? 1 : t, ab);
}

double phxi_cracks_distance(const phxi_crack_set* set, int crack, phx_vec3 x) {
    double least = INFINITY, reach = INFINITY;
    int root = crack < 0 ? -1 : phxi_cracks_root(set, crack);
    for (int k = 0; k < set->nodes.count; ++k) {
        phx_vec3 away = phxi_sub(set->nodes.items[k].at, x);
        // edges are not longer than the longest, so those that begin farther away need no closer look
        if (phxi_dot(away, away) > reach || !phxi_cracks_is_edge(set, k) ||
            (crack >= 0 && phxi_cracks_root(set, set->nodes.items[k].crack) != root)) {
            continue;
        }
        double d = phxi_distance(x, phxi_cracks_nearest(set, k, x));
        if (d < least) {
            double far = d + 1.01 * LONGEST_EDGE * set->spacing;
            least = d;
            reach = far * far;
        }
    }
    return least;
}

int phxi_cracks_live_nodes(const phxi_crack_set* set) {
    int count = 0;
    for (int k = 0; k < set->nodes.count; ++k) {
        count += set->nodes.items[k].state == PHXI_NODE_LIVE;
    }
    return count;
}

phx_result phxi_cracks_find_chains(phxi_crack_set* set, phxi_heap* heap) {
    set->chains.count = set->seen.count = 0;
    if (!phxi_array_reserve(&set->seen, set->nodes.count, heap, "efg cracks")) {
        return PHX_ERROR_MEMORY;
    }
    bool* seen = set->seen.items;
    for (int k = 0; k < set->nodes.count; ++k) {
        seen[k] = set->nodes.items[k].state == PHXI_NODE_UNUSED;
    }
    // open ones from their first node, then what is left is closed
    for (int closed = 0; closed < 2; ++closed) {
        for (int k = 0; k < set->nodes.count; ++k) {
            if (seen[k] || (!closed && set->nodes.items[k].prev >= 0)) {
                continue;
            }
            phxi_crack_chain* chain = phxi_array_add(&set->chains, heap, "efg cracks");
            if (!chain) {
                return PHX_ERROR_MEMORY;
            }
            *chain = (phxi_crack_chain){k, 0, closed};
            for (int i = k; i >= 0 && !seen[i]; i = set->nodes.items[i].next) {
                seen[i] = true;
                ++chain->count;
            }
        }
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- beginnings

static int add_crack(phxi_crack_set* set, phxi_heap* heap) {
    int* parent = phxi_array_add(&set->parent, heap, "efg cracks");
    if (!parent) {
        return -1;
    }
    return *parent = set->parent.count - 1;
}

phx_result phxi_cracks_nucleate(phxi_crack_set* set, phxi_heap* heap, phx_vec3 center, phx_vec3 normal, int count) {
    const double turn = 6.283185307179586;
    count = count < 3 ? 3 : count > 8 ? 8 : count;
    phx_vec3 u = phxi_perpendicular(normal), v = phxi_cross(normal, u);
    int crack = add_crack(set, heap), first = -1, last = -1;
    if (crack < 0) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < count; ++k) {
        // half a step off the axes, along which lattices have their particles
        double angle = turn * (k + 0.5) / count;
        phx_vec3 ahead = phxi_add(phxi_scale(cos(angle), u), phxi_scale(sin(angle), v));
        phx_vec3 at = phxi_add_scaled(center, DISC_RADIUS * set->spacing, ahead);
        int node = add_node(set, heap, at, normal, ahead, crack);
        if (node < 0) {
            return PHX_ERROR_MEMORY;
        }
        if (last >= 0) {
            link_nodes(set, last, node);
            PHXI_TRY(phxi_cracks_cover(set, heap, center, set->nodes.items[last].at, at, crack));
        } else {
            first = node;
        }
        last = node;
    }
    link_nodes(set, last, first);
    return phxi_cracks_cover(set, heap, center, set->nodes.items[last].at, set->nodes.items[first].at, crack);
}

phx_result phxi_cracks_add_strip(phxi_crack_set* set, phxi_heap* heap, const phx_vec3* back, const phx_vec3* front,
                                 int count) {
    int crack = add_crack(set, heap), last = -1;
    if (crack < 0) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < count; ++k) {
        int before = k > 0 ? k - 1 : 0, after = k + 1 < count ? k + 1 : k;
        phx_vec3 none = {0, 0, 0}, tangent = phxi_normalize(phxi_sub(front[after], front[before]), none);
        phx_vec3 out = phxi_normalize(phxi_sub(front[k], back[k]), none);
        phx_vec3 normal = phxi_normalize(phxi_cross(out, tangent), phxi_vec3(0, 0, 1));
        phx_vec3 ahead = phxi_normalize(phxi_cross(tangent, normal), out);
        int node = add_node(set, heap, front[k], normal, ahead, crack);
        if (node < 0) {
            return PHX_ERROR_MEMORY;
        }
        link_nodes(set, last, node);
        if (k > 0) {
            PHXI_TRY(phxi_cracks_cover(set, heap, back[before], back[k], front[k], crack));
            PHXI_TRY(phxi_cracks_cover(set, heap, back[before], front[k], front[before], crack));
        }
        last = node;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------- meeting

int phxi_cracks_at(const phxi_crack_set* set, phx_vec3 x, phx_vec3 normal) {
    double across = ACROSS * set->spacing, t;
    return phxi_crack_surface_cut(&set->surface, phxi_add_scaled(x, -across, normal),
                                  phxi_add_scaled(x, across, normal), 0, PARALLEL, &t);
}

/// Triangles to the neighbours of a node that has moved from where it was.
static phx_result cover_move(phxi_crack_set* set, phxi_heap* heap, int node, phx_vec3 before) {
    const phxi_crack_node n = set->nodes.items[node];
    int sides[2] = {n.prev, n.next};
    for (int k = 0; k < 2; ++k) {
        if (sides[k] >= 0) {
            PHXI_TRY(phxi_cracks_cover(set, heap, set->nodes.items[sides[k]].at, before, n.at, n.crack));
        }
    }
    return PHX_OK;
}

/// Nodes with a crack just ahead close the gap to it and die. All are asked before any moves.
static phx_result join_fronts_that_meet(phxi_crack_set* set, phxi_heap* heap) {
    double gap = MEETING * set->spacing;
    for (int k = 0; k < set->nodes.count; ++k) {
        phxi_crack_node* n = &set->nodes.items[k];
        int met = -1;
        if (n->state == PHXI_NODE_LIVE) {
            met = phxi_cracks_at(set, phxi_add_scaled(n->at, gap, n->ahead), n->normal);
        }
        if (met >= 0) {
            n->state = PHXI_NODE_COVERED;
            int a = phxi_cracks_root(set, n->crack);
            int b = phxi_cracks_root(set, set->surface.triangles.items[met].crack);
            set->parent.items[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (int k = 0; k < set->nodes.count; ++k) {
        phxi_crack_node* n = &set->nodes.items[k];
        // `from` is behind, but for those that have just met
        if (n->state == PHXI_NODE_COVERED && n->pending >= 0) {
            phx_vec3 before = n->at;
            n->at = phxi_add_scaled(n->at, gap, n->ahead);
            n->pending = -1;
            PHXI_TRY(cover_move(set, heap, k, before));
        }
    }
    return PHX_OK;
}

/// Takes out a node inside a chain.
static phx_result collapse(phxi_crack_set* set, phxi_heap* heap, int node) {
    const phxi_crack_node n = set->nodes.items[node];
    PHXI_TRY(phxi_cracks_cover(set, heap, set->nodes.items[n.prev].at, n.at, set->nodes.items[n.next].at, n.crack));
    link_nodes(set, n.prev, n.next);
    free_node(set, node);
    return PHX_OK;
}

/// Covered nodes between live ones that are near each other: a dent has closed.
static phx_result close_dents(phxi_crack_set* set, phxi_heap* heap) {
    for (int k = 0; k < set->nodes.count; ++k) {
        int covered = 0, end = set->nodes.items[k].next;
        while (is_live(set, k) && end >= 0 && end != k && set->nodes.items[end].state == PHXI_NODE_COVERED) {
            end = set->nodes.items[end].next;
            ++covered;
        }
        if (covered == 0 || !is_live(set, end) || end == k ||
            phxi_distance(set->nodes.items[k].at, set->nodes.items[end].at) > LONGEST_EDGE * set->spacing) {
            continue;
        }
        for (; covered > 0; --covered) {
            PHXI_TRY(collapse(set, heap, set->nodes.items[k].next));
        }
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- ending

/// Dead nodes part their chains: no edge between two of them, none inside a chain, none alone.
static phx_result part_fronts(phxi_crack_set* set, phxi_heap* heap) {
    for (int k = 0, count = set->nodes.count; k < count; ++k) {
        if (set->nodes.items[k].state == PHXI_NODE_UNUSED || is_live(set, k)) {
            continue;
        }
        int prev = set->nodes.items[k].prev, next = set->nodes.items[k].next;
        if (prev >= 0 && !is_live(set, prev)) {
            link_nodes(set, prev, -1);
            set->nodes.items[k].prev = prev = -1;
        }
        if (next >= 0 && !is_live(set, next)) {
            link_nodes(set, -1, next);
            set->nodes.items[k].next = next = -1;
        }
        if (prev >= 0 && next >= 0) {
            const phxi_crack_node twin = set->nodes.items[k];
            int other = add_node(set, heap, twin.at, twin.normal, twin.ahead, twin.crack);
            if (other < 0) {
                return PHX_ERROR_MEMORY;
            }
            set->nodes.items[other].state = twin.state;
            set->nodes.items[other].pending = twin.pending;
            link_nodes(set, other, next);
            set->nodes.items[k].next = -1;
        }
    }
    for (int k = 0; k < set->nodes.count; ++k) {
        const phxi_crack_node* n = &set->nodes.items[k];
        if (n->state != PHXI_NODE_UNUSED && n->prev < 0 && n->next < 0) {
            free_node(set, k);
        }
    }
    return PHX_OK;
}

/// Turns a chain around, so that it fits one with opposite normals.
static void reverse(phxi_crack_set* set, int node) {
    while (set->nodes.items[node].prev >= 0) {
        node = set->nodes.items[node].prev;
    }
    while (node >= 0) {
        phxi_crack_node* n = &set->nodes.items[node];
        int next = n->next;
        n->next = n->prev;
        n->prev = next;
        n->normal = phxi_scale(-1, n->normal);
        node = next;
    }
}

/// The live neighbour of a covered end of a chain, -1: it is none.
static int beside_end(const phxi_crack_set* set, int node) {
    const phxi_crack_node* n = &set->nodes.items[node];
    if (n->state != PHXI_NODE_COVERED || (n->prev >= 0 && n->next >= 0)) {
        return -1;
    }
    return n->prev >= 0 ? n->prev : n->next;
}

/// Whether two covered ends can become one front: side by side, and with surfaces that agree.
static bool can_join(const phxi_crack_set* set, int a, int b, double* distance) {
    int p = beside_end(set, a), q = a == b ? -1 : beside_end(set, b);
    if (p < 0 || q < 0 || p == q) {
        return false;
    }
    const phxi_crack_node *m = &set->nodes.items[p], *n = &set->nodes.items[q];
    bool opposite = (set->nodes.items[a].prev >= 0) != (set->nodes.items[b].prev >= 0);
    *distance = phxi_distance(m->at, n->at);
    return (opposite ? 1 : -1) * phxi_dot(m->normal, n->normal) > 0.5;
}

static phx_result join(phxi_crack_set* set, phxi_heap* heap, int a, int b) {
    if ((set->nodes.items[a].prev >= 0) == (set->nodes.items[b].prev >= 0)) {
        reverse(set, b);
    }
    int last = set->nodes.items[a].prev >= 0 ? a : b, first = last == a ? b : a;
    int p = set->nodes.items[last].prev, q = set->nodes.items[first].next;
    phx_vec3 from = set->nodes.items[p].at, to = set->nodes.items[q].at;
    int crack = set->nodes.items[p].crack, both[2] = {last, first};
    for (int k = 0; k < 2; ++k) {
        PHXI_TRY(phxi_cracks_cover(set, heap, from, set->nodes.items[both[k]].at, to, crack));
        free_node(set, both[k]);
    }
    link_nodes(set, p, q);
    return PHX_OK;
}

/// Fronts that were parted where they met become one, around both cracks.
static phx_result join_fronts(phxi_crack_set* set, phxi_heap* heap) {
    for (int a = 0; a < set->nodes.count; ++a) {
        int best = -1;
        double least = SIDE_BY_SIDE * set->spacing, distance;
        for (int b = 0; beside_end(set, a) >= 0 && b < set->nodes.count; ++b) {
            if (can_join(set, a, b, &distance) && distance < least) {
                best = b;
                least = distance;
            }
        }
        if (best >= 0) {
            PHXI_TRY(join(set, heap, a, best));
        }
    }
    return PHX_OK;
}

static bool is_inner(const phxi_crack_set* set, int node) {
    const phxi_crack_node* n = &set->nodes.items[node];
    return n->state == PHXI_NODE_LIVE && n->prev >= 0 && n->next >= 0 && n->prev != n->next;
}

static phx_result shorten(phxi_crack_set* set, phxi_heap* heap) {
    for (int k = 0; k < set->nodes.count; ++k) {
        while (phxi_cracks_is_edge(set, k) && edge_length(set, k) < SHORTEST_EDGE * set->spacing) {
            int next = set->nodes.items[k].next;
            if (!is_inner(set, next) && !is_inner(set, k)) {
                break;
            }
            bool forward = is_inner(set, next);
            PHXI_TRY(collapse(set, heap, forward ? next : k));
            if (!forward) {
                break;
            }
        }
    }
    return PHX_OK;
}

/// Puts a node into the edge behind another.
static int divide_edge(phxi_crack_set* set, phxi_heap* heap, int edge, phx_vec3 at) {
    int next = set->nodes.items[edge].next;
    const phxi_crack_node p = set->nodes.items[edge], q = set->nodes.items[next];
    phx_vec3 normal = phxi_normalize(phxi_add(p.normal, q.normal), p.normal);
    phx_vec3 along = phxi_normalize(phxi_sub(q.at, p.at), phxi_vec3(0, 0, 0));
    phx_vec3 ahead = phxi_normalize(phxi_cross(along, normal), p.ahead);
    int node = add_node(set, heap, at, normal, ahead, p.crack);
    if (node >= 0) {
        link_nodes(set, edge, node);
        link_nodes(set, node, next);
    }
    return node;
}

/// A live end of a chain belongs at the body's surface. One that has come away from it gets a dead end outside.
static phx_result anchor_end(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium, int node) {
    const phxi_crack_node n = set->nodes.items[node];
    double step = 0.5 * set->spacing;
    phx_vec3 inner = set->nodes.items[n.prev >= 0 ? n.prev : n.next].at, none = {0, 0, 0}, at = n.at;
    phx_vec3 away = phxi_sub(n.at, inner), flat = phxi_add_scaled(away, -phxi_dot(away, n.normal), n.normal);
    phx_vec3 out = phxi_normalize(flat, none);
    for (int k = 0; k < MOST_STEPS && medium->solid(medium->context, at, out); ++k) {
        at = phxi_add_scaled(at, step, out);
    }
    if (phxi_distance(at, n.at) == 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_cracks_cover(set, heap, n.from, n.at, at, n.crack));
    int end = add_node(set, heap, at, n.normal, n.ahead, n.crack);
    if (end < 0) {
        return PHX_ERROR_MEMORY;
    }
    set->nodes.items[end].state = PHXI_NODE_DEAD;
    link_nodes(set, n.prev >= 0 ? node : end, n.prev >= 0 ? end : node);
    return PHX_OK;
}

static phx_result anchor_ends(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium) {
    for (int k = 0, count = set->nodes.count; k < count; ++k) {
        const phxi_crack_node* n = &set->nodes.items[k];
        if (n->state == PHXI_NODE_LIVE && (n->prev < 0) != (n->next < 0)) {
            PHXI_TRY(anchor_end(set, heap, medium, k));
        }
    }
    return PHX_OK;
}

/// Divides an edge in the middle.
static phx_result halve(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium, int edge) {
    int next = set->nodes.items[edge].next;
    bool sure = is_live(set, edge) && is_live(set, next);
    phx_vec3 middle = phxi_scale(0.5, phxi_add(set->nodes.items[edge].at, set->nodes.items[next].at));
    int node = divide_edge(set, heap, edge, middle);
    if (node < 0) {
        return PHX_ERROR_MEMORY;
    }
    phxi_crack_node* n = &set->nodes.items[node];
    // between where a front has died and where it lives
    if (!sure && !medium->solid(medium->context, n->at, n->ahead)) {
        n->state = PHXI_NODE_DEAD;
    } else if (!sure && phxi_cracks_at(set, phxi_add_scaled(n->at, MEETING * set->spacing, n->ahead), n->normal) >= 0) {
        n->state = PHXI_NODE_COVERED;
        n->pending = -1;
    }
    return PHX_OK;
}

static phx_result lengthen(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium) {
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < set->nodes.count; ++k) {
            if (phxi_cracks_is_edge(set, k) && edge_length(set, k) > LONGEST_EDGE * set->spacing) {
                PHXI_TRY(halve(set, heap, medium, k));
                again = true;
            }
        }
    }
    return PHX_OK;
}

static phx_result vanish_chain(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_chain* chain) {
    int second = set->nodes.items[chain->first].next;
    phx_vec3 hub = set->nodes.items[chain->first].at;
    int crack = set->nodes.items[chain->first].crack;
    for (int k = second, c = 2; c < chain->count; ++c) {
        int next = set->nodes.items[k].next;
        PHXI_TRY(phxi_cracks_cover(set, heap, hub, set->nodes.items[k].at, set->nodes.items[next].at, crack));
        k = next;
    }
    for (int k = chain->first, c = 0; c < chain->count; ++c) {
        int next = set->nodes.items[k].next;
        free_node(set, k);
        k = next;
    }
    return PHX_OK;
}

/// Loops that have closed, remains of zips, and chains without a live node.
static phx_result vanish(phxi_crack_set* set, phxi_heap* heap) {
    PHXI_TRY(phxi_cracks_find_chains(set, heap));
    for (int c = 0; c < set->chains.count; ++c) {
        const phxi_crack_chain chain = set->chains.items[c];
        double length = 0;
        int live = 0;
        for (int k = chain.first, i = 0; i < chain.count; ++i, k = set->nodes.items[k].next) {
            live += is_live(set, k);
            length += set->nodes.items[k].next >= 0 ? edge_length(set, k) : 0;
        }
        double small = (chain.closed ? SMALL_LOOP : SMALL_FRONT) * set->spacing;
        if (live == 0 || length < small || (chain.closed && chain.count < 3)) {
            PHXI_TRY(vanish_chain(set, heap, &chain));
        }
    }
    return PHX_OK;
}

phx_result phxi_cracks_mend(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium) {
    PHXI_TRY(join_fronts_that_meet(set, heap));
    PHXI_TRY(close_dents(set, heap));
    PHXI_TRY(part_fronts(set, heap));
    PHXI_TRY(join_fronts(set, heap));
    PHXI_TRY(anchor_ends(set, heap, medium));
    PHXI_TRY(shorten(set, heap));
    PHXI_TRY(lengthen(set, heap, medium));
    PHXI_TRY(part_fronts(set, heap));
    return vanish(set, heap);
}
