// SPDX-License-Identifier: MIT
// What still holds together: components of the bonds that are not cut, by union-find with the lowest index as root.
//
// Most cuts part nothing. If the particles of every bond that was just cut still hold on to a common neighbour, no
// component has changed and nothing is done.
#include "methods/efg/fracture/fracture.h"

#include <string.h>

int phxi_efg_fragment_size(const phxi_efg_fracture* f, int i) {
    return f->fragment_size.items[f->fragment[i]];
}

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join_bonds(const phxi_efg_crack_stage* s, int* parent) {
    const phxi_efg_fracture* f = s->fracture;
    for (int i = 0; i < f->count; ++i) {
        for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
            int j = phxi_efg_pair_other(s, pair);
            if (j < i && phxi_efg_pair_holds(f, pair)) {
                int a = root_of(parent, i), b = root_of(parent, j);
                parent[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
}

bool phxi_efg_bridged(const phxi_efg_crack_stage* s, int i, int j, bool pristine) {
    const phxi_efg_fracture* f = s->fracture;
    for (int a = phxi_efg_pair_begin(s, i); a < phxi_efg_pair_end(s, i); ++a) {
        int k = phxi_efg_pair_other(s, a);
        if (k == i || k == j || !(pristine || phxi_efg_pair_holds(f, a))) {
            continue;
        }
        for (int b = phxi_efg_pair_begin(s, j); b < phxi_efg_pair_end(s, j); ++b) {
            if (phxi_efg_pair_other(s, b) == k && (pristine || phxi_efg_pair_holds(f, b))) {
                return true;
            }
        }
    }
    return false;
}

/// Looks at the bonds that were cut in this substep, and moves the beginning of those that are still ramping.
static void look_at_cuts(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    for (int b = f->ramp_begin; b < f->bonds.count; ++b) {
        const phxi_efg_bond* bond = &f->bonds.items[b];
        if (bond->state == EFG_BOND_CUT) {
            f->split = f->split || !phxi_efg_bridged(s, bond->i, bond->j, false);
            f->ramp_begin += b == f->ramp_begin;
        }
    }
}

phx_result phxi_efg_find_fragments(phxi_efg_crack_stage* s, int* changed, int* count) {
    phxi_efg_fracture* f = s->fracture;
    look_at_cuts(s);
    if (!f->split) {
        return PHX_OK;
    }
    int* parent = phxi_arena_take(s->step->arena, (size_t)f->count, sizeof *parent);
    int* old = phxi_arena_take(s->step->arena, (size_t)f->count, sizeof *old);
    if (!parent || !old ||
        !phxi_array_reserve(&f->fragment_size, f->count - f->fragment_size.count, s->step->heap, "efg fracture")) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < f->count; ++i) {
        parent[i] = i;
        old[i] = changed ? phxi_efg_fragment_size(f, i) : 0;
    }
    join_bonds(s, parent);
    f->fragment_size.count = 0;
    for (int i = 0; i < f->count; ++i) {
        int root = root_of(parent, i);
        if (root == i) {
            f->fragment[i] = f->fragment_size.count;
            f->fragment_size.items[f->fragment_size.count++] = 0;
        }
        f->fragment[i] = f->fragment[root];
        ++f->fragment_size.items[f->fragment[i]];
    }
    f->split = false;
    for (int k = 0; k < f->scars.count && changed; ++k) {
        const phxi_efg_scar* scar = &f->scars.items[k];
        int i = scar->particle;
        if (scar->broken > 0 && old[i] > EFG_SOFT && phxi_efg_fragment_size(f, i) <= EFG_SOFT) {
            phxi_efg_set_factors(s, scar);
            changed[(*count)++] = i;
        }
    }
    return PHX_OK;
}

phxi_rigid_motion* phxi_efg_fragment_motions(const phxi_efg_crack_stage* s, phx_vec3 origin) {
    const phxi_efg_fracture* f = s->fracture;
    size_t count = (size_t)f->fragment_size.count;
    phxi_rigid_motion* motions = phxi_arena_take(s->step->arena, count, sizeof *motions);
    phxi_rigid_sums(*sums)[2] = phxi_arena_take(s->step->arena, count, sizeof *sums);
    if (!motions || !sums) {
        return NULL;
    }
    memset(sums, 0, count * sizeof *sums);
    for (int i = 0; i < f->count; ++i) {
        int k = s->slot->begin + i;
        phxi_rigid_add(sums[f->fragment[i]], s->step->particles, origin, k, k + 1);
    }
    for (size_t n = 0; n < count; ++n) {
        motions[n] = phxi_rigid_solve(sums[n], origin);
    }
    return motions;
}

void phxi_efg_damp_fragments(const phxi_efg_crack_stage* s, double keep, int begin, int end) {
    for (int k = begin; k < end; ++k) {
        const phxi_rigid_motion* motion = &s->slot->motions[s->fracture->fragment[k - s->slot->begin]];
        phxi_rigid_damp(motion, s->step->particles, keep, k, k + 1);
    }
}
