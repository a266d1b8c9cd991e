// SPDX-License-Identifier: MIT
// Who may touch (pairs.h). Boxes of blocks are made every time; they cost one pass over the positions of bodies that
// could touch anything at all. A block is near if its box, widened by the reach of contact, meets the box of a near
// body. The list holds for as long as every near block is in it and no listed particle has moved by half of the skin:
// two particles that touch now are both in near blocks, so both were listed, and were then no farther apart than the
// list looks. Moved: beside what they have all moved by (pair_shift.c), so that what falls or flies as one keeps its
// list. Where few have moved so far, splinters of what has shattered, only their part is made again (pair_renew.c).
#include "contact/pairs.h"

#include "contact/pairs_internal.h"
#include "contact/reach.h"
#include "math/simd.h"

#include <string.h>

enum { BLOCK = 256, GRAIN = 2048, FEW = 64 }; // few: of so many one
static const double skin_share = 0.35; // of the smallest diameter: what is listed stays within the reach of most bonds
static const char label[] = "contact";

phx_result phxi_pairs_create(phxi_heap* heap, phxi_pairs** pairs) {
    *pairs = phxi_alloc_zero(heap, 1, sizeof **pairs, label);
    if (!*pairs) {
        return PHX_ERROR_MEMORY;
    }
    (*pairs)->heap = heap;
    phx_result result = phxi_search_create(heap, PHXI_SEARCH_GRID, &(*pairs)->search);
    if (result != PHX_OK) {
        phxi_free(heap, *pairs);
        *pairs = NULL;
    }
    return result;
}

void phxi_pairs_destroy(phxi_pairs* pairs) {
    if (!pairs) {
        return;
    }
    phxi_heap* heap = pairs->heap;
    phxi_search_destroy(pairs->search);
    phxi_lists_destroy(heap, &pairs->lists);
    phxi_array_destroy(&pairs->slots, heap);
    phxi_array_destroy(&pairs->blocks, heap);
    phxi_array_destroy(&pairs->order, heap);
    phxi_array_destroy(&pairs->partners, heap);
    phxi_array_destroy(&pairs->listed, heap);
    phxi_array_destroy(&pairs->place, heap);
    phxi_array_destroy(&pairs->candidates, heap);
    phxi_array_destroy(&pairs->incoming, heap);
    phxi_array_destroy(&pairs->node_of, heap);
    phxi_array_destroy(&pairs->receives, heap);
    phxi_free(heap, pairs);
}

void phxi_pairs_forget(phxi_pairs* pairs) {
    pairs->slots.count = 0; // another number of bodies than any scene with contact has
    pairs->built = false;
}

int64_t phxi_pairs_builds(const phxi_pairs* pairs) {
    return pairs->builds;
}

int phxi_pairs_candidates(const phxi_pairs* pairs) {
    return pairs->built ? pairs->candidates.count : 0;
}

// ------------------------------------------------------------------------------------------------------------ layout

static contact_key key_of(const phxi_contact_body* body) {
    return (contact_key){.begin = body->begin,
                         .count = body->count,
                         .others = body->traits.others,
                         .within = body->traits.self || body->bonds.version != 0,
                         .ignores_own_kind = body->traits.ignores_own_kind,
                         .rigid = body->rigid != NULL,
                         .family = body->traits.family};
}

static bool same_key(const contact_key* a, const contact_key* b) {
    return a->begin == b->begin && a->count == b->count && a->others == b->others && a->within == b->within &&
           a->ignores_own_kind == b->ignores_own_kind && a->rigid == b->rigid && a->family == b->family;
}

/// Whether two bodies may touch each other.
static bool may_touch(const contact_key* a, const contact_key* b) {
    return a->others && b->others && !(a->ignores_own_kind && b->ignores_own_kind) &&
           (a->family == 0 || a->family != b->family);
}

static bool same_layout(const phxi_pairs* pairs, const phxi_contact_scene* scene) {
    bool same = pairs->slots.count == scene->body_count;
    for (int b = 0; same && b < scene->body_count; ++b) {
        contact_key key = key_of(&scene->bodies[b]);
        same = same_key(&key, &pairs->slots.items[b].key);
    }
    return same;
}

// A particle of a full cubic cell is as wide as the cell; on denser lattices the fullest one tells.
static void fit_slot(contact_slot* slot, const phxi_particles* p) {
    double full = 0, widest = 0;
    slot->surface = false;
    for (int i = slot->key.begin; i < slot->key.begin + slot->key.count; ++i) {
        double a = p->spacing[i];
        full = fmax(full, p->volume[i] / (a * a * a));
        widest = fmax(widest, a);
        slot->surface = slot->surface || phxi_is_surface(p, i);
    }
    // the outermost particles of a rigid body lie up to a spacing below its surface, and are seen half of one below
    slot->fill = fmin(1, cbrt(full));
    slot->span = slot->fill + (slot->key.rigid ? 1 / CONTACT_REACH : 0);
    slot->widest = slot->span * widest;
}

static phx_result add_blocks(phxi_pairs* pairs, int body) {
    contact_slot* slot = &pairs->slots.items[body];
    int end = slot->key.begin + slot->key.count;
    slot->block_begin = pairs->blocks.count;
    for (int begin = slot->key.begin; begin < end; begin += BLOCK) {
        contact_block* block = phxi_array_add(&pairs->blocks, pairs->heap, label);
        if (!block) {
            return PHX_ERROR_MEMORY;
        }
        *block = (contact_block){.body = body, .begin = begin, .end = begin + BLOCK < end ? begin + BLOCK : end};
    }
    slot->block_end = pairs->blocks.count;
    return PHX_OK;
}

static phx_result size_by_particle(phxi_pairs* pairs, int count) {
    int before = pairs->node_of.count, more = count - before;
    if (more > 0 && !(phxi_array_reserve(&pairs->node_of, more, pairs->heap, label) &&
                      phxi_array_reserve(&pairs->receives, more, pairs->heap, label))) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = before; i < count; ++i) {
        pairs->node_of.items[i] = -1;
        pairs->receives.items[i] = 0;
    }
    pairs->node_of.count = pairs->receives.count = more > 0 ? count : before;
    return PHX_OK;
}

static phx_result lay_out(phxi_pairs* pairs, const phxi_contact_scene* scene) {
    int sociable = 0, count = scene->body_count;
    phxi_pairs_forget(pairs);
    pairs->blocks.count = pairs->order.count = 0;
    pairs->skin = INFINITY;
    pairs->possible = false;
    if (!phxi_array_reserve(&pairs->slots, count, pairs->heap, label) ||
        !phxi_array_reserve(&pairs->order, count, pairs->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < count; ++b) {
        contact_slot* slot = &pairs->slots.items[b];
        *slot = (contact_slot){.key = key_of(&scene->bodies[b])};
        sociable += slot->key.others;
        pairs->possible = pairs->possible || slot->key.within || sociable > 1;
        pairs->order.items[b] = b;
    }
    for (int b = 0; pairs->possible && b < count; ++b) {
        contact_slot* slot = &pairs->slots.items[b];
        if (slot->key.within || (slot->key.others && sociable > 1)) {
            fit_slot(slot, scene->particles);
            PHXI_TRY(add_blocks(pairs, b));
            for (int i = slot->key.begin; i < slot->key.begin + slot->key.count; ++i) {
                pairs->skin = fmin(pairs->skin, skin_share * slot->fill * scene->particles->spacing[i]);
            }
        }
    }
    if (pairs->possible) {
        PHXI_TRY(size_by_particle(pairs, scene->particles->count));
    }
    pairs->slots.count = pairs->order.count = count; // complete: from here on the keys say so
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- boxes

typedef struct update_context {
    phxi_pairs* pairs;
    const phxi_contact_scene* scene;
    double margin; // beyond the reach of contact, m
    uint8_t* flags;
    int *moved, *counts;
} update_context;

static void box_blocks(void* context, int begin, int end, int index) {
    const update_context* c = context;
    const phxi_particles* p = c->scene->particles;
    const phx_real* const x[3] = {p->x, p->y, p->z};
    (void)index;
    for (int b = begin; b < end; ++b) {
        contact_block* block = &c->pairs->blocks.items[b];
        for (int k = 0; k < 3; ++k) {
            phxi_range(x[k] + block->begin, block->end - block->begin, &block->box.low[k], &block->box.high[k]);
        }
    }
}

static void box_slots(phxi_pairs* pairs) {
    for (int s = 0; s < pairs->slots.count; ++s) {
        contact_slot* slot = &pairs->slots.items[s];
        slot->box = (contact_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int b = slot->block_begin; b < slot->block_end; ++b) {
            const contact_box* box = &pairs->blocks.items[b].box;
            for (int k = 0; k < 3; ++k) {
                slot->box.low[k] = box->low[k] < slot->box.low[k] ? box->low[k] : slot->box.low[k];
                slot->box.high[k] = box->high[k] > slot->box.high[k] ? box->high[k] : slot->box.high[k];
            }
        }
    }
}

static bool boxes_overlap(const contact_box* a, const contact_box* b, double reach) {
    for (int k = 0; k < 3; ++k) {
        if (!((double)a->low[k] - (double)b->high[k] <= reach && (double)b->low[k] - (double)a->high[k] <= reach)) {
            return false;
        }
    }
    return true;
}

static double reach_of(const contact_slot* a, const contact_slot* b) {
    return CONTACT_REACH * 0.5 * (a->widest + b->widest);
}

// Bodies move little from step to step: insertion finds them almost in order.
static void sort_order(phxi_pairs* pairs) {
    int* order = pairs->order.items;
    for (int k = 1; k < pairs->order.count; ++k) {
        int moved = order[k], at = k;
        phx_real low = pairs->slots.items[moved].box.low[0];
        for (; at > 0 && pairs->slots.items[order[at - 1]].box.low[0] > low; --at) {
            order[at] = order[at - 1];
        }
        order[at] = moved;
    }
}

// Calls with every two bodies whose boxes are near, found by a sweep along x.
static int sweep(phxi_pairs* pairs, double margin, void (*visit)(phxi_pairs* pairs, int a, int b)) {
    double widest = 0;
    int found = 0;
    for (int s = 0; s < pairs->slots.count; ++s) {
        widest = fmax(widest, pairs->slots.items[s].widest);
    }
    for (int k = 0; k < pairs->order.count; ++k) {
        const contact_slot* a = &pairs->slots.items[pairs->order.items[k]];
        for (int m = k + 1; m < pairs->order.count && a->key.others && a->block_begin < a->block_end; ++m) {
            const contact_slot* b = &pairs->slots.items[pairs->order.items[m]];
            if ((double)b->box.low[0] - (double)a->box.high[0] > CONTACT_REACH * widest + margin) {
                break;
            }
            if (may_touch(&a->key, &b->key) && boxes_overlap(&a->box, &b->box, reach_of(a, b) + margin)) {
                visit(pairs, pairs->order.items[k], pairs->order.items[m]);
                ++found;
            }
        }
    }
    return found;
}

static void count_partners(phxi_pairs* pairs, int a, int b) {
    ++pairs->slots.items[a].partner_end;
    ++pairs->slots.items[b].partner_end;
}

static void add_partners(phxi_pairs* pairs, int a, int b) {
    pairs->partners.items[pairs->slots.items[a].partner_end++] = b;
    pairs->partners.items[pairs->slots.items[b].partner_end++] = a;
}

static phx_result find_partners(phxi_pairs* pairs, double margin) {
    sort_order(pairs);
    for (int s = 0; s < pairs->slots.count; ++s) {
        pairs->slots.items[s].partner_end = 0;
    }
    int found = sweep(pairs, margin, count_partners);
    pairs->partners.count = 0;
    if (!phxi_array_reserve(&pairs->partners, 2 * found, pairs->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    for (int s = 0, sum = 0; s < pairs->slots.count; ++s) {
        contact_slot* slot = &pairs->slots.items[s];
        int count = slot->partner_end;
        slot->partner_begin = slot->partner_end = sum;
        sum += count;
    }
    pairs->partners.count = 2 * found;
    sweep(pairs, margin, add_partners);
    return PHX_OK;
}

static bool is_near(const phxi_pairs* pairs, const contact_block* block, double margin) {
    const contact_slot* slot = &pairs->slots.items[block->body];
    bool near = slot->key.within;
    for (int k = slot->partner_begin; k < slot->partner_end && !near; ++k) {
        const contact_slot* other = &pairs->slots.items[pairs->partners.items[k]];
        near = boxes_overlap(&block->box, &other->box, reach_of(slot, other) + margin);
    }
    return near;
}

// ------------------------------------------------------------------------------------------- does the list still hold

// Flags 1: a near block is not listed.
static void check_blocks(void* context, int begin, int end, int index) {
    const update_context* c = context;
    c->flags[index] = 0;
    for (int b = begin; b < end && !c->flags[index]; ++b) {
        const contact_block* block = &c->pairs->blocks.items[b];
        c->flags[index] = !block->listed && is_near(c->pairs, block, c->margin);
    }
}

// Listed particles that have moved by half of the skin beside the shift of all, or cannot be compared: at the front of
// the block's own part.
static void check_moves(void* context, int begin, int end, int index) {
    const update_context* c = context;
    const phxi_particles* p = c->scene->particles;
    int count = c->pairs->listed.count;
    const phx_real *x = c->pairs->place.items, *y = x + count, *z = y + count;
    double most = 0.25 * c->pairs->skin * c->pairs->skin;
    const phx_vec3 shift = c->pairs->shift;
    int moved = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->pairs->listed.items[k];
        double dx = (double)p->x[i] - (double)x[k] - shift.x, dy = (double)p->y[i] - (double)y[k] - shift.y,
               dz = (double)p->z[i] - (double)z[k] - shift.z;
        bool still = dx * dx + dy * dy + dz * dz <= 0.999 * most; // rounding of boxes and limits
        if (!still) {
            c->moved[begin + moved++] = k;
        }
    }
    c->counts[index] = moved;
}

static phx_result any_flag(update_context* c, int count, int grain, phxi_loop_body* body, bool* any) {
    int blocks = phxi_block_count(count, grain);
    c->flags = phxi_arena_take(c->scene->arena, (size_t)blocks, 1);
    if (!c->flags) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(c->scene->pool, count, grain, body, c);
    *any = blocks > 0 && memchr(c->flags, 1, (size_t)blocks) != NULL;
    return PHX_OK;
}

/// Those of all blocks, ascending, into `moved`.
static phx_result list_moved(update_context* c, int* count) {
    int listed = c->pairs->listed.count, blocks = phxi_block_count(listed, GRAIN);
    c->moved = phxi_arena_take(c->scene->arena, (size_t)listed, sizeof *c->moved);
    c->counts = phxi_arena_take(c->scene->arena, (size_t)blocks, sizeof *c->counts);
    if (!c->moved || !c->counts) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(c->scene->pool, listed, GRAIN, check_moves, c);
    *count = 0;
    for (int b = 0; b < blocks; ++b) {
        for (int k = 0; k < c->counts[b]; ++k) {
            c->moved[(*count)++] = c->moved[b * GRAIN + k];
        }
    }
    return PHX_OK;
}

/// Those that have moved beside the rest; the shift of all is found anew if they are more than a few.
static phx_result find_moved(update_context* c, int* count) {
    PHXI_TRY(list_moved(c, count));
    if (*count > c->pairs->listed.count / FEW && phxi_pairs_follow(c->pairs, c->scene->particles)) {
        PHXI_TRY(list_moved(c, count));
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- the list

static phx_result list_particles(phxi_pairs* pairs, const phxi_contact_scene* scene) {
    const phxi_particles* p = scene->particles;
    int count = 0;
    for (int b = 0; b < pairs->blocks.count; ++b) {
        contact_block* block = &pairs->blocks.items[b];
        block->listed = is_near(pairs, block, pairs->skin);
        count += block->listed ? block->end - block->begin : 0;
    }
    pairs->listed.count = pairs->place.count = 0;
    if (count > INT32_MAX / 4 || !phxi_array_reserve(&pairs->listed, count, pairs->heap, label) ||
        !phxi_array_reserve(&pairs->place, 4 * count, pairs->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    if (count == 0) {
        return PHX_OK;
    }
    phx_real *x = pairs->place.items, *y = x + count, *z = y + count, *radius = z + count;
    int k = 0;
    for (int b = 0; b < pairs->blocks.count; ++b) {
        const contact_block* block = &pairs->blocks.items[b];
        double span = pairs->slots.items[block->body].span;
        for (int i = block->begin; block->listed && i < block->end; ++i, ++k) {
            pairs->listed.items[k] = i;
            x[k] = p->x[i];
            y[k] = p->y[i];
            z[k] = p->z[i];
            radius[k] = (phx_real)(1.0001 * (CONTACT_REACH * span * p->spacing[i] + pairs->skin));
        }
    }
    pairs->listed.count = count;
    pairs->place.count = 4 * count;
    return PHX_OK;
}

double phxi_pairs_distance(const phxi_pairs* pairs, const phxi_contact_scene* scene, int i, int j) {
    const phxi_particles* p = scene->particles;
    int a = p->body[i], b = p->body[j];
    const contact_slot *s = &pairs->slots.items[a], *t = &pairs->slots.items[b];
    double diameter = 0.5 * (s->fill * p->spacing[i] + t->fill * p->spacing[j]);
    if (a == b) {
        return s->key.within ? fmin(diameter, phxi_contact_distance(scene, i, j)) : 0;
    }
    return may_touch(&s->key, &t->key) ? diameter : 0;
}

// Rows keep those after themselves that may touch, at their front.
static void sift_rows(void* context, int begin, int end, int index) {
    const update_context* c = context;
    const int* listed = c->pairs->listed.items;
    (void)index;
    for (int a = begin; a < end; ++a) {
        int* row = c->pairs->lists.items + c->pairs->lists.start[a];
        int length = (int)(c->pairs->lists.start[a + 1] - c->pairs->lists.start[a]), kept = 0;
        for (int k = 0; k < length; ++k) {
            if (row[k] > a && phxi_pairs_distance(c->pairs, c->scene, listed[a], listed[row[k]]) > 0) {
                row[kept++] = row[k];
            }
        }
        c->counts[a + 1] = kept;
    }
}

static void fill_rows(void* context, int begin, int end, int index) {
    const update_context* c = context;
    const int* listed = c->pairs->listed.items;
    (void)index;
    for (int a = begin; a < end; ++a) {
        const int* row = c->pairs->lists.items + c->pairs->lists.start[a];
        for (int k = c->counts[a]; k < c->counts[a + 1]; ++k) {
            int b = row[k - c->counts[a]];
            c->pairs->candidates.items[k] =
                (contact_candidate){a, b, phxi_pairs_distance(c->pairs, c->scene, listed[a], listed[b])};
        }
    }
}

static phx_result list_candidates(update_context* c) {
    phxi_pairs* pairs = c->pairs;
    int count = pairs->listed.count;
    const phx_real* x = pairs->place.items;
    phxi_points points = {x, x + count, x + 2 * count, count};
    PHXI_TRY(phxi_search_pairs(pairs->search, c->scene->pool, points, x + 3 * count, 0, &pairs->lists));
    c->counts = phxi_arena_take(c->scene->arena, (size_t)count + 1, sizeof(int));
    if (!c->counts) {
        return PHX_ERROR_MEMORY;
    }
    c->counts[0] = 0;
    phxi_parallel_for(c->scene->pool, count, 256, sift_rows, c);
    int64_t total = 0;
    for (int a = 1; a <= count; ++a) {
        total += c->counts[a];
        c->counts[a] = (int)(total < INT32_MAX ? total : INT32_MAX);
    }
    pairs->candidates.count = 0;
    if (total >= INT32_MAX) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED, "%lld pairs of particles may touch, more than contact can hold",
                         (long long)total);
    }
    if (!phxi_array_reserve(&pairs->candidates, (int)total, pairs->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(c->scene->pool, count, 256, fill_rows, c);
    pairs->candidates.count = (int)total;
    return PHX_OK;
}

static phx_result build(update_context* c, bool* any) {
    c->pairs->built = false;
    PHXI_TRY(find_partners(c->pairs, c->pairs->skin));
    PHXI_TRY(list_particles(c->pairs, c->scene));
    c->pairs->candidates.count = 0;
    c->pairs->shift = (phx_vec3){0};
    if (c->pairs->listed.count > 0) {
        PHXI_TRY(list_candidates(c));
    }
    for (int b = 0; b < c->scene->body_count; ++b) {
        c->pairs->slots.items[b].version = c->scene->bodies[b].bonds.version;
    }
    c->pairs->built = true;
    ++c->pairs->builds;
    *any = c->pairs->candidates.count > 0;
    return PHX_OK;
}

phx_result phxi_pairs_update(phxi_pairs* pairs, const phxi_contact_scene* scene, bool* any) {
    update_context c = {.pairs = pairs, .scene = scene};
    bool stale = false;
    *any = false;
    if (!same_layout(pairs, scene)) {
        PHXI_TRY(lay_out(pairs, scene));
    }
    if (!pairs->possible) {
        return PHX_OK;
    }
    phxi_parallel_for(scene->pool, pairs->blocks.count, 16, box_blocks, &c);
    box_slots(pairs);
    int moved = 0;
    bool cut = false;
    if (pairs->built) {
        PHXI_TRY(find_partners(pairs, 0));
        PHXI_TRY(any_flag(&c, pairs->blocks.count, 64, check_blocks, &stale));
        PHXI_TRY(find_moved(&c, &moved));
        stale = stale || moved > pairs->listed.count / FEW || !phxi_pairs_cuts_known(pairs, scene, &cut);
    }
    if (!pairs->built || stale) {
        return build(&c, any);
    }
    PHXI_TRY(cut ? phxi_pairs_add_cuts(pairs, scene) : PHX_OK);
    PHXI_TRY(moved > 0 ? phxi_pairs_add_moved(pairs, scene, c.moved, moved) : PHX_OK);
    *any = pairs->candidates.count > 0;
    return PHX_OK;
}
