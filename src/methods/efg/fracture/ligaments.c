// SPDX-License-Identifier: MIT
// What is left between the sides of a crack, docs/theory/fracture.md section 2: bonds that are stretched too far, and
// threads, the last bonds between two sides. There are many bonds beside cracks, and almost none of them is either; so
// stretch is looked for every fourth substep (every eighth costs a rod that shatters 2 % of its energy), and threads
// every eighth, where bonds have changed: whether a bond is a thread depends on the bonds of its two particles alone.
#include "methods/efg/fracture/fracture.h"

#include <string.h>

#define STRETCH_EVERY 4 // substeps
#define THREADS_EVERY 8 // a multiple of it

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

/// Whether an unbroken bond is stretched beyond what the material can bear.
static bool is_stretched(const phxi_efg_crack_stage* s, int i, int j) {
    phx_vec3 rest = phxi_sub(phxi_efg_rest_of(s, i), phxi_efg_rest_of(s, j));
    phx_vec3 now = phxi_sub(phxi_efg_position_of(s, i), phxi_efg_position_of(s, j));
    double most = 1 + s->fracture->tear;
    return phxi_dot(now, now) > most * most * phxi_dot(rest, rest);
}

/// The bonds of a particle beside a crack; those between two of these come up once.
static phx_result tear_bonds(phxi_efg_crack_stage* s, int i, bool look_for_threads) {
    phxi_efg_fracture* f = s->fracture;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        bool here = f->bond[pair] < 0 && j != i && (j > i || !phxi_efg_is_broken(f, j));
        if (here && (is_stretched(s, i, j) || (look_for_threads && is_thread(s, i, j))) &&
            phxi_efg_pair_weight(s, i, pair) > 0) {
            PHXI_TRY(phxi_efg_break_bond(s, i, pair, -1, 0.5));
        }
    }
    return PHX_OK;
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
    if (f->ticks % STRETCH_EVERY != 0 || f->scars.count == 0) {
        return PHX_OK;
    }
    bool look_for_threads = f->ticks % THREADS_EVERY == 0;
    const uint8_t* changed = look_for_threads ? mark_changed(s) : NULL;
    if (look_for_threads && !changed) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0, count = f->scars.count; k < count; ++k) {
        int i = f->scars.items[k].particle;
        if (f->scars.items[k].broken > 0) {
            PHXI_TRY(tear_bonds(s, i, changed && changed[i]));
        }
    }
    return PHX_OK;
}
