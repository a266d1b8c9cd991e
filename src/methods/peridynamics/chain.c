// SPDX-License-Identifier: MIT
// Chains of particles that rods are made of, and what their frames are at rest. See twist.h.
//
// Particles follow each other if each is the other's nearest on its side of the tangent. A chain begins at an end of
// it, one without ends anywhere. It stays what it was when bonds break: segments are then no longer whole, nodes
// beside them do not twist.
#include "methods/peridynamics/twist.h"

static const char* const label = "peridynamics twist";

// -------------------------------------------------------------------------------------------------------------- chains

/// The nearest particle behind (side 0) or before (side 1) particle i; -1: none.
static int nearest(const phxi_peri_slot* slot, int i, int side) {
    int found = -1;
    phx_real least = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        bool ahead = phxi_dot(phxi_peri_rest_bond(slot, k), slot->thin->weaves[i].tangent[0]) > 0;
        if (ahead == (side == 1) && (found < 0 || slot->rest[k][3] < least)) {
            found = slot->other[k];
            least = slot->rest[k][3];
        }
    }
    return found;
}

/// The particle on that side of i, if that sees i as its nearest, too.
static int neighbor(const phxi_peri_slot* slot, int i, int side) {
    int j = nearest(slot, i, side);
    return j >= 0 && (nearest(slot, j, 0) == i || nearest(slot, j, 1) == i) ? j : -1;
}

/// Follows the chain of particle i: from one of its ends, or around.
static void walk(const phxi_peri_slot* slot, int i, int* used) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    phxi_peri_chain* chain = &twist->chains[twist->chain_count++];
    *chain = (phxi_peri_chain){.begin = *used};
    int first = i, from = -1;
    do {
        int behind = neighbor(slot, i, 0), ahead = neighbor(slot, i, 1);
        int next = ahead >= 0 && ahead != from ? ahead : behind != from ? behind : -1;
        twist->order[(*used)++] = i;
        twist->segments[i].prev = from;
        twist->segments[i].next = next;
        from = i;
        i = next;
    } while (i >= 0 && i != first);
    chain->end = *used;
    chain->closed = i == first;
    twist->segments[first].prev = chain->closed ? from : -1;
}

static void find_chains(const phxi_peri_slot* slot) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    int used = 0;
    for (int i = 0; i < slot->count; ++i) {
        twist->segments[i] = (phxi_peri_segment){.next = -2, .prev = -1, .hold = {-1, -1}};
    }
    for (int closed = 0; closed < 2; ++closed) { // those with ends first
        for (int i = 0; i < slot->count; ++i) {
            bool end = neighbor(slot, i, 0) < 0 || neighbor(slot, i, 1) < 0;
            if (twist->segments[i].next == -2 && (end || closed)) {
                walk(slot, i, &used);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- rest

static phx_vec3 rest_tangent(const phxi_peri_slot* slot, int i) {
    int k = phxi_peri_find_bond(slot, i, slot->thin->twist->segments[i].next);
    return phxi_normalize(phxi_peri_rest_bond(slot, k), phxi_vec3(1, 0, 0));
}

/// Directors are turned along the chain, so that nodes have no twist at rest but for the last of a loop.
static void set_directors(const phxi_peri_slot* slot) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = 0; k < slot->count; ++k) {
        int i = twist->order[k];
        phxi_peri_segment* s = &twist->segments[i];
        if (s->next < 0) {
            continue;
        }
        phx_vec3 t = rest_tangent(slot, i);
        bool first = s->prev < 0 || k == 0 || twist->order[k - 1] != s->prev;
        s->rest = first ? phxi_perpendicular(t)
                        : phxi_peri_transport(rest_tangent(slot, s->prev), t, twist->segments[s->prev].rest);
    }
}

/// Torsion constant of a section, m^4: pi r^4/2 of a circle, 0.1406 t^4 of a square (Saint-Venant).
static double torsion_of(const phxi_peri_params* params, const phxi_peri_section* section) {
    return params->radius > 0 ? 2 * section->inertia : 0.1405770 * section->area * section->area;
}

static void set_segment(const phxi_peri_slot* slot, int i) {
    phxi_peri_segment* segments = slot->thin->twist->segments;
    phxi_peri_segment* s = &segments[i];
    const int ends[2] = {i, s->next};
    phx_vec3 t = rest_tangent(slot, i), d = s->rest, e = phxi_cross(t, d);
    for (int side = 0; side < 2; ++side) {
        const phxi_peri_segment* other = side == 0 ? &segments[i] : &segments[s->next];
        bool both = side == 0 ? s->prev >= 0 && segments[s->prev].whole : other->whole;
        phx_vec3 q = slot->thin->weaves[ends[side]].rest[0];
        s->curve[side] = phxi_vec3(phxi_dot(q, t), phxi_dot(q, d), phxi_dot(q, e));
        s->share[side] = both ? 0.5 : 1;
    }
}

/// The node between a segment and the one before. Turned against each other by rho about the tangent between them, in
/// a bend of angle b at rest, two frames differ by m = rho / cos(b/2), and their targets cost E I/l sin^2(b/2) rho^2/2:
/// with both taken out, G J is that of the curve and not of its polygon.
static void set_node(const phxi_peri_slot* slot, double torsion, int i) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    phxi_peri_segment* s = &twist->segments[i];
    double soft = slot->stiff ? (double)slot->stiff[i] : 1;
    int before = phxi_peri_find_bond(slot, s->prev, i), after = phxi_peri_find_bond(slot, i, s->next);
    double length = ((double)slot->rest[before][3] + (double)slot->rest[after][3]) / 2;
    double square = (1 + phxi_dot(rest_tangent(slot, s->prev), rest_tangent(slot, i))) / 2; // cos^2(b/2)
    s->bent = slot->thin->weaves[i].bending[0] / (length * length);
    s->stiff = square * fmax(soft * torsion / length - (1 - square) * s->bent, 0.1 * soft * torsion / length);
    s->twist_rest = phxi_peri_twist_between(rest_tangent(slot, s->prev), twist->segments[s->prev].rest,
                                            rest_tangent(slot, i), s->rest);
}

void phxi_peri_renew_twist(phxi_step* step, phxi_peri_slot* slot) {
    struct phxi_peri_twist* twist = slot->thin->twist;
    const phx_material_def* material = &step->bodies[slot->body].material;
    phxi_peri_section section = phxi_peri_section_of(&slot->params, (double)step->particles->spacing[slot->begin]);
    double torsion = material->young / (2 * (1 + material->poisson)) * torsion_of(&slot->params, &section);
    for (int i = 0; i < slot->count; ++i) {
        phxi_peri_segment* s = &twist->segments[i];
        s->whole = s->next >= 0 && phxi_peri_find_bond(slot, i, s->next) >= 0;
        s->stiff = s->bent = 0;
    }
    for (int i = 0; i < slot->count; ++i) {
        phxi_peri_segment* s = &twist->segments[i];
        if (s->whole) {
            set_segment(slot, i);
        }
        if (s->whole && s->prev >= 0 && twist->segments[s->prev].whole) {
            set_node(slot, torsion, i);
        }
    }
    for (int c = 0; c < twist->chain_count; ++c) {
        phxi_peri_chain* chain = &twist->chains[c];
        chain->curved = false;
        for (int k = chain->begin; k < chain->end; ++k) {
            chain->curved = chain->curved || slot->thin->weaves[twist->order[k]].curved;
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- making

phx_result phxi_peri_make_twist(phxi_step* step, phxi_peri_slot* slot) {
    phxi_heap* heap = step->heap;
    size_t count = (size_t)slot->count;
    struct phxi_peri_twist* twist = slot->thin->twist = phxi_alloc_zero(heap, 1, sizeof *twist, label);
    if (!twist) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_NEW(twist->segments, heap, count, label);
    PHXI_NEW(twist->order, heap, count, label);
    PHXI_NEW(twist->chains, heap, count, label);
    PHXI_NEW(twist->holder, heap, count, label);
    PHXI_NEW(twist->turned, heap, 7 * count, label);
    PHXI_NEW(twist->rates, heap, 2 * count, label);
    PHXI_NEW(twist->frames, heap, count, label);
    PHXI_NEW(twist->systems, heap, count, label);
    twist->moments = twist->rates + count;
    twist->step = twist->turned + count;
    twist->coupling = twist->turned + 2 * count;
    twist->diagonal = twist->turned + 4 * count;
    twist->off = twist->turned + 5 * count;
    twist->loop = twist->turned + 6 * count;
    find_chains(slot);
    set_directors(slot);
    phxi_peri_renew_twist(step, slot);
    return PHX_OK;
}

void phxi_peri_release_twist(phxi_heap* heap, struct phxi_peri_twist* twist) {
    if (!twist) {
        return;
    }
    void* const all[] = {twist->segments, twist->order, twist->chains,  twist->holder,
                         twist->turned,   twist->rates, twist->systems, twist};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
}
