// SPDX-License-Identifier: MIT
// What changes in the list of who may touch without its being made again (pairs.h).
//
// Bonds that break: what holds together does not touch; where a bond is cut its pair comes into the list, which is
// right otherwise. Bodies that shatter cut bonds in every substep.
//
// Few that have moved far: splinters fly while all else rests. Their pairs leave the list, and come in again from where
// they are now: one by one against all.
#include "contact/pairs_internal.h"
#include "math/simd.h"

#include <stdlib.h>
#include <string.h>

static const char label[] = "contact";

bool phxi_pairs_cuts_known(const phxi_pairs* pairs, const phxi_contact_scene* scene, bool* any) {
    *any = false;
    for (int b = 0; b < scene->body_count; ++b) {
        const phxi_bond_view* bonds = &scene->bodies[b].bonds;
        uint32_t known = pairs->slots.items[b].version - bonds->cuts_from, now = bonds->version - bonds->cuts_from;
        if (bonds->version == pairs->slots.items[b].version) {
            continue;
        }
        if (!bonds->cuts || known > now) { // before the first that is told, or none
            return false;
        }
        *any = true;
    }
    return true;
}

/// The place of a particle in the list; all of a body that touches itself are there.
static int listed_at(const phxi_pairs* pairs, int particle) {
    int low = 0, high = pairs->listed.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pairs->listed.items[middle] < particle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    PHXI_ASSERT(low < pairs->listed.count && pairs->listed.items[low] == particle);
    return low;
}

static int compare_candidates(const void* x, const void* y) {
    const contact_candidate *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static phx_result gather_cuts(phxi_pairs* pairs, const phxi_contact_scene* scene) {
    pairs->incoming.count = 0;
    for (int b = 0; b < scene->body_count; ++b) {
        const phxi_bond_view* bonds = &scene->bodies[b].bonds;
        contact_slot* slot = &pairs->slots.items[b];
        for (; slot->version != bonds->version; ++slot->version) {
            const int* cut = bonds->cuts[slot->version - bonds->cuts_from];
            int i = slot->key.begin + cut[0], j = slot->key.begin + cut[1];
            contact_candidate* one = phxi_array_add(&pairs->incoming, pairs->heap, label);
            if (!one) {
                return PHX_ERROR_MEMORY;
            }
            *one =
                (contact_candidate){listed_at(pairs, i), listed_at(pairs, j), phxi_pairs_distance(pairs, scene, i, j)};
        }
    }
    return PHX_OK;
}

/// What comes in is put in order, too; from the end, so that there is room.
static phx_result merge(phxi_pairs* pairs) {
    int more = pairs->incoming.count, old = pairs->candidates.count;
    if (more == 0) {
        return PHX_OK;
    }
    if (!phxi_array_reserve(&pairs->candidates, more, pairs->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    qsort(pairs->incoming.items, (size_t)more, sizeof *pairs->incoming.items, compare_candidates);
    contact_candidate* to = pairs->candidates.items;
    for (int m = more - 1, k = old - 1; m >= 0;) {
        bool keep = k >= 0 && compare_candidates(&to[k], &pairs->incoming.items[m]) > 0;
        to[k + m + 1] = keep ? to[k] : pairs->incoming.items[m];
        k -= keep, m -= !keep;
    }
    pairs->candidates.count = old + more;
    return PHX_OK;
}

phx_result phxi_pairs_add_cuts(phxi_pairs* pairs, const phxi_contact_scene* scene) {
    PHXI_TRY(gather_cuts(pairs, scene));
    return merge(pairs);
}

// -------------------------------------------------------------------------------------------------------- few that
// moved

/// Marks those that a particle may see, rather one too many.
static PHXI_CLONES void contact_mark_near(const phx_real* restrict place, int count, int m, uint8_t* restrict near) {
    const phx_real *x = place, *y = x + count, *z = y + count, *radius = z + count;
    const phx_real mx = x[m], my = y[m], mz = z[m], own = radius[m];
    PHXI_SIMD
    for (int k = 0; k < count; ++k) {
        phx_real dx = x[k] - mx, dy = y[k] - my, dz = z[k] - mz, far = (radius[k] + own) * (phx_real)0.50001;
        near[k] = dx * dx + dy * dy + dz * dz < far * far;
    }
}

/// Pairs of one particle; those of two that moved come up once.
static phx_result look_around(phxi_pairs* pairs, const phxi_contact_scene* scene, int m, const uint8_t* has_moved,
                              uint8_t* near) {
    int count = pairs->listed.count;
    contact_mark_near(pairs->place.items, count, m, near);
    for (uint8_t* at = near; (at = memchr(at, 1, (size_t)(near + count - at))); ++at) {
        int k = (int)(at - near), a = k < m ? k : m, b = k < m ? m : k;
        if (k == m || (has_moved[k] && k < m)) {
            continue;
        }
        double distance = phxi_pairs_distance(pairs, scene, pairs->listed.items[a], pairs->listed.items[b]);
        contact_candidate* one = distance > 0 ? phxi_array_add(&pairs->incoming, pairs->heap, label) : NULL;
        if (one) {
            *one = (contact_candidate){a, b, distance};
        } else if (distance > 0) {
            return PHX_ERROR_MEMORY;
        }
    }
    return PHX_OK;
}

phx_result phxi_pairs_add_moved(phxi_pairs* pairs, const phxi_contact_scene* scene, const int* moved, int count) {
    const phxi_particles* p = scene->particles;
    int listed = pairs->listed.count, kept = 0;
    uint8_t* has_moved = phxi_arena_take(scene->arena, (size_t)listed, 1);
    uint8_t* near = phxi_arena_take(scene->arena, (size_t)listed, 1);
    if (!has_moved || !near) {
        return PHX_ERROR_MEMORY;
    }
    memset(has_moved, 0, (size_t)listed);
    for (int k = 0; k < count; ++k) {
        int i = pairs->listed.items[moved[k]];
        pairs->place.items[moved[k]] = (phx_real)((double)p->x[i] - pairs->shift.x);
        pairs->place.items[moved[k] + listed] = (phx_real)((double)p->y[i] - pairs->shift.y);
        pairs->place.items[moved[k] + 2 * listed] = (phx_real)((double)p->z[i] - pairs->shift.z);
        has_moved[moved[k]] = 1;
    }
    for (int k = 0; k < pairs->candidates.count; ++k) {
        contact_candidate one = pairs->candidates.items[k];
        if (!has_moved[one.a] && !has_moved[one.b]) {
            pairs->candidates.items[kept++] = one;
        }
    }
    pairs->candidates.count = kept;
    pairs->incoming.count = 0;
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(look_around(pairs, scene, moved[k], has_moved, near));
    }
    return merge(pairs);
}
