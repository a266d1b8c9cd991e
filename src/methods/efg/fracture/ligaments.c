// SPDX-License-Identifier: MIT
// What is left between the sides of a crack, docs/theory/fracture.md section 2: bonds that are stretched too far, and
// threads, the last bonds between two sides. Both are asked for in every substep, or every eighth, of all particles
// beside cracks, and almost never found; so neither is looked for where it cannot be.
//
// Stretch: two particles come apart by no more than twice what any particle moves against all others. The sum of that
// over substeps is `travel`; a particle whose bonds could all be stretched by some length more is looked at again when
// that length has been travelled.
//
// Threads: whether a bond is one depends on the bonds of its two particles alone.
#include "methods/efg/fracture/fracture.h"

#include <string.h>

#define THREADS_EVERY 8 // substeps

static bool hangs_loose(const phxi_efg_crack_stage* s, int i) {
    int held = 0;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        held += phxi_efg_pair_other(s, pair) != i && phxi_efg_pair_holds(s->fracture, pair);
    }
    return held < EFG_FIRM;
}

/// Whether an unbroken bond is the last thread between two sides: its particles have no common neighbour any more.
/// (Threads hold nothing, but keep two pieces one. A particle on few threads is left on them: no dust.)
static bool is_thread(const phxi_efg_crack_stage* s, int i, int j) {
    const phxi_efg_scar* other = phxi_efg_scar_of(s->fracture, j);
    return i < j && other && other->broken > 0 && !phxi_efg_bridged(s, i, j, false) &&
           phxi_efg_bridged(s, i, j, true) && !hangs_loose(s, i) && !hangs_loose(s, j);
}

/// How much farther an unbroken bond can be stretched, m; below 0: it tears.
static double room_of(const phxi_efg_crack_stage* s, int i, int j) {
    double rest = phxi_distance(phxi_efg_rest_of(s, i), phxi_efg_rest_of(s, j));
    return (1 + s->fracture->tear) * rest - phxi_distance(phxi_efg_position_of(s, i), phxi_efg_position_of(s, j));
}

/// The bonds of a particle beside a crack; those between two of these come up once.
static phx_result tear_bonds(phxi_efg_crack_stage* s, int k, bool look_for_threads) {
    phxi_efg_fracture* f = s->fracture;
    int i = f->scars.items[k].particle;
    double least = INFINITY;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        if (f->bond[pair] >= 0 || j == i) {
            continue;
        }
        double room = room_of(s, i, j);
        least = fmin(least, room);
        bool here = j > i || !phxi_efg_is_broken(f, j);
        if (here && phxi_efg_pair_weight(s, i, pair) > 0 && (room < 0 || (look_for_threads && is_thread(s, i, j)))) {
            PHXI_TRY(phxi_efg_break_bond(s, i, pair, -1, 0.5));
        }
    }
    f->scars.items[k].due = f->travel + fmax(0, least);
    return PHX_OK;
}

/// What any two particles can have come apart by since the last substep, m.
static double farthest_apart(const phxi_efg_crack_stage* s) {
    const phxi_efg_fracture* f = s->fracture;
    const phxi_particles* p = s->step->particles;
    const phx_real* const at[3] = {p->x + s->slot->begin, p->y + s->slot->begin, p->z + s->slot->begin};
    double mean[3] = {0}, most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < f->count; ++i) {
            mean[axis] += (double)(at[axis][i] - f->before[axis][i]);
        }
        mean[axis] /= f->count;
    }
    for (int i = 0; i < f->count; ++i) {
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double d = (double)at[axis][i] - (double)f->before[axis][i] - mean[axis];
            square += d * d;
        }
        most = fmax(most, square);
    }
    return 2.001 * sqrt(most); // rounding
}

static void keep_places(const phxi_efg_crack_stage* s) {
    const phxi_particles* p = s->step->particles;
    const phx_real* const at[3] = {p->x + s->slot->begin, p->y + s->slot->begin, p->z + s->slot->begin};
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(s->fracture->before[axis], at[axis], (size_t)s->fracture->count * sizeof(phx_real));
    }
}

/// Marks of particles whose bonds have changed since they were looked for threads, and of their neighbours; NULL: no
/// memory.
static uint8_t* mark_changed(const phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    uint8_t* changed = phxi_arena_take(s->step->arena, (size_t)f->count, 1);
    if (!changed) {
        return NULL;
    }
    memset(changed, 0, (size_t)f->count);
    for (int k = 0; k < f->scars.count; ++k) {
        phxi_efg_scar* scar = &f->scars.items[k];
        if (scar->changes == scar->looked) {
            continue;
        }
        scar->looked = scar->changes;
        changed[scar->particle] = 1;
        for (int pair = phxi_efg_pair_begin(s, scar->particle); pair < phxi_efg_pair_end(s, scar->particle); ++pair) {
            changed[phxi_efg_pair_other(s, pair)] = 1;
        }
    }
    return changed;
}

phx_result phxi_efg_tear_ligaments(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    bool look_for_threads = f->ticks % THREADS_EVERY == 0;
    if (f->scars.count == 0) {
        return PHX_OK;
    }
    bool all = f->travel < 0;
    f->travel = all ? 0 : f->travel + farthest_apart(s);
    keep_places(s);
    const uint8_t* changed = look_for_threads ? mark_changed(s) : NULL;
    if (look_for_threads && !changed) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0, count = f->scars.count; k < count; ++k) {
        const phxi_efg_scar* scar = &f->scars.items[k];
        bool threads = changed && changed[scar->particle];
        if (scar->broken > 0 && (all || threads || f->travel >= scar->due)) {
            PHXI_TRY(tear_bonds(s, k, threads));
        }
    }
    return PHX_OK;
}
