// SPDX-License-Identifier: MIT
// Bodies that were put into each other. Their particles have an `overlap`: how deep the two bodies were, m. Contacts of
// such particles do not push by their depth, which would fling them apart, but as it takes to part with the speed
// overlap / overlap_time, and never harder than they would by their depth. Faces tell nothing within another body: all
// contacts of two bodies that overlap push the same way, that of the faces that are in each other, summed up.
#include "contact/pairs_internal.h"

#include <string.h>

static const double least_share = 1e-3; // of a contact that counts

/// Two bodies, a < b.
struct contact_overlap {
    int a, b;           // a = -1: no entry
    phx_vec3 sum;       // of faces, from a to b
    phx_vec3 line;      // from particles of a to those of b, summed
    phx_vec3 way;       // a unit vector, from a to b
    double first, last; // along it: of b's particles the first, of a's the last, m
    double depth;       // the largest `overlap` of the particles that are in both, m
    int count;          // particles
};

/// Of a side of a contact; a rigid body leaves as a whole.
static double overlap_of(const contact_set* set, int i) {
    const phxi_contact_rigid* rigid = phxi_contact_rigid_of(set->scene, i);
    return rigid ? rigid->overlap : (double)set->scene->overlap[i];
}

static double depth_of(const contact_set* set, const contact* c) {
    return set->scene->overlap ? fmax(overlap_of(set, c->i), overlap_of(set, c->j)) : 0;
}

static bool overlaps(const contact_set* set, const contact* c) {
    return depth_of(set, c) > 0;
}

double phxi_overlap_speed(const contact_set* set, const contact* c) {
    return depth_of(set, c) / set->scene->overlap_time;
}

static contact_overlap* entry_of(contact_set* set, int a, int b) {
    unsigned mask = (unsigned)set->overlap_room - 1, at = ((unsigned)a * 2654435761u + (unsigned)b * 40503u) & mask;
    while (set->overlaps[at].a >= 0 && (set->overlaps[at].a != a || set->overlaps[at].b != b)) {
        at = (at + 1) & mask;
    }
    return &set->overlaps[at];
}

static phx_result make_table(contact_set* set, int entries) {
    set->overlap_room = 16;
    while (set->overlap_room < 2 * entries) {
        set->overlap_room *= 2;
    }
    set->overlaps = phxi_arena_take(set->scene->arena, (size_t)set->overlap_room, sizeof *set->overlaps);
    if (!set->overlaps) {
        return PHX_ERROR_MEMORY;
    }
    memset(set->overlaps, 0, (size_t)set->overlap_room * sizeof *set->overlaps);
    for (int k = 0; k < set->overlap_room; ++k) {
        set->overlaps[k].a = -1;
    }
    return PHX_OK;
}

static void note_bodies(contact_set* set) {
    const phxi_particles* p = set->scene->particles;
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (c->overlaps) {
            contact_overlap* o = entry_of(set, p->body[c->i], p->body[c->j]);
            o->a = p->body[c->i];
            o->b = p->body[c->j];
            o->depth = fmax(o->depth, depth_of(set, c));
        }
    }
}

/// Contacts that arise while two bodies are still inside each other begin deep, as the first ones did: they part as
/// slowly, and go on so when the first ones are out (phxi_overlaps_tell).
static void include_all(contact_set* set) {
    const phxi_particles* p = set->scene->particles;
    for (int k = 0; k < set->count; ++k) {
        contact* c = &set->items[k];
        if (!c->slow && !c->rigid && p->body[c->i] != p->body[c->j] &&
            entry_of(set, p->body[c->i], p->body[c->j])->a >= 0) {
            c->slow = c->overlaps = true;
        }
    }
}

/// Of contacts of different bodies that are chosen; after the first look those of rigid bodies,
/// whose surfaces are known, tell no way.
static phx_result find_ways(contact_set* set, bool (*chosen)(const contact_set* set, const contact* c),
                            bool first_look) {
    const phxi_particles* p = set->scene->particles;
    int count = 0;
    set->overlaps = NULL;
    for (int k = 0; k < set->count; ++k) {
        contact* c = &set->items[k];
        c->slow = p->body[c->i] != p->body[c->j] && chosen(set, c);
        c->overlaps = c->slow && (first_look || !c->rigid);
        count += c->overlaps;
    }
    if (count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(make_table(set, count));
    note_bodies(set);
    if (!first_look) {
        include_all(set);
    }
    for (int k = 0; k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (!c->overlaps) {
            continue;
        }
        const contact_node *a = &set->nodes[c->node_a], *b = &set->nodes[c->node_b];
        contact_overlap* o = entry_of(set, p->body[c->i], p->body[c->j]);
        o->sum = phxi_add_scaled(o->sum, c->weight * a->flatness, a->own);
        o->sum = phxi_add_scaled(o->sum, -c->weight * b->flatness, b->own);
        phx_vec3 centers = phxi_sub(set->fragments[b->fragment].center, set->fragments[a->fragment].center);
        o->line = phxi_add_scaled(o->line, c->weight, phxi_normalize(centers, phxi_vec3(0, 0, 1)));
        o->count += 1;
    }
    for (int k = 0; k < set->overlap_room; ++k) {
        contact_overlap* o = &set->overlaps[k];
        // where faces all but cancel, as those of a body that is wholly in another, centres of mass tell
        bool clear = o->a >= 0 && phxi_length(o->sum) > 0.05 * phxi_length(o->line);
        o->way = phxi_normalize(clear ? o->sum : o->line, phxi_vec3(0, 0, 1));
    }
    return PHX_OK;
}

phx_result phxi_overlaps_find(contact_set* set) {
    if (!set->scene->overlap) {
        return PHX_OK;
    }
    PHXI_TRY(find_ways(set, overlaps, false));
    for (int k = 0; k < set->count && set->overlaps; ++k) {
        contact* c = &set->items[k];
        if (c->overlaps) {
            const phxi_particles* p = set->scene->particles;
            c->forced = entry_of(set, p->body[c->i], p->body[c->j])->way;
        }
    }
    return PHX_OK;
}

/// Left to its spring, it parts no faster than it does, and is pushed no harder; whether that acts along the way of the
/// bodies or along the normal that the contact then has.
static bool is_out(const contact_set* set, const contact* c) {
    double depth = fmax(c->depth, c->own_depth);
    double slow = phxi_overlap_speed(set, c) * sqrt(c->mass / c->stiffness);
    return !(depth > fmin(slow, 0.02 * c->range)) || c->push >= c->share * c->stiffness * depth;
}

void phxi_overlaps_tell(contact_set* set) {
    const phxi_particles* p = set->scene->particles;
    phx_real* still = set->scene->still_overlaps;
    for (int k = 0; still && k < set->count; ++k) {
        const contact* c = &set->items[k];
        if (c->slow && !is_out(set, c)) {
            // a contact with a rigid side has no entry where no other of the two bodies has one
            double depth = c->overlaps ? entry_of(set, p->body[c->i], p->body[c->j])->depth : depth_of(set, c);
            still[c->i] = (phx_real)fmax((double)still[c->i], depth);
            still[c->j] = (phx_real)fmax((double)still[c->j], depth);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ the first look

static bool is_deep(const contact_set* set, const contact* c) {
    const phxi_particles* p = set->scene->particles;
    int newest = p->body[c->i] > p->body[c->j] ? p->body[c->i] : p->body[c->j];
    // bodies side by side that cut cells are nearer by a little already
    double slight = fmin(set->scene->bodies[p->body[c->i]].slight, set->scene->bodies[p->body[c->j]].slight);
    return newest >= set->scene->first_new && c->share > least_share && c->depth > slight * c->range;
}

/// How thick the part of the two is that is in both, along their way apart; faces that cut cells, and lean, may see
/// more.
static void measure(contact_set* set, phx_real* overlap) {
    const phxi_particles* p = set->scene->particles;
    for (int k = 0; k < set->overlap_room; ++k) {
        set->overlaps[k].first = INFINITY;
        set->overlaps[k].last = -INFINITY;
        set->overlaps[k].count = 0;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < set->count; ++k) {
            const contact* c = &set->items[k];
            if (!c->overlaps) {
                continue;
            }
            contact_overlap* o = entry_of(set, p->body[c->i], p->body[c->j]);
            if (pass == 0) {
                o->last = fmax(o->last, phxi_dot(phxi_contact_position(p, c->i), o->way) + c->distance);
                o->first = fmin(o->first, phxi_dot(phxi_contact_position(p, c->j), o->way));
                continue;
            }
            const int both[2] = {c->i, c->j};
            for (int m = 0; m < 2; ++m) {
                o->count += !(overlap[both[m]] > 0);
                overlap[both[m]] = (phx_real)fmax((double)overlap[both[m]], fmax(o->last - o->first, c->depth));
            }
        }
    }
}

phx_result phxi_pairs_find_overlap(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* overlap,
                                   phxi_overlap_report* report, void* context) {
    bool any;
    contact_set set = {.pairs = pairs, .scene = scene};
    PHXI_TRY(phxi_pairs_update(pairs, scene, &any));
    phx_result result = any ? phxi_contacts_find(&set) : PHX_OK;
    result = result == PHX_OK ? find_ways(&set, is_deep, true) : result;
    if (result == PHX_OK && set.overlaps) {
        measure(&set, overlap);
        for (int k = 0; k < set.overlap_room; ++k) {
            const contact_overlap* o = &set.overlaps[k];
            if (o->a >= 0) {
                report(context, o->a, o->b, o->count, o->last - o->first);
            }
        }
    }
    phxi_contacts_forget(&set);
    return result;
}
