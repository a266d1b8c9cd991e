// SPDX-License-Identifier: MIT
// What happens to breaking bodies after each substep, docs/theory/fracture.md section 1, and how their state is kept.
//
//   grow       new facets where stress is too large, ligaments that tear             bonds
//   ramp       weights of broken bonds fall over six substeps                         rows
//   rebuild    constants of these rows; no more stiffness, no more energy
//   release    rows that were held back for their energy come back slowly
//   fragments  when a bond was cut for good
//
// This is the end of a substep, with displacements and stresses of the positions that the next one starts from.
#include "methods/efg/fracture/front_fracture.h"

#include <string.h>

static phx_result change_rows(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    // a scar may be in the list three times: rebuilt, released, softened
    int* changed = phxi_arena_take(s->step->arena, 3 * (size_t)f->scars.count, sizeof *changed);
    if (!changed) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0;
    PHXI_TRY(phxi_efg_reserve_cracks(s));
    PHXI_TRY(phxi_efg_ramp(s));
    for (int k = 0; k < f->scars.count; ++k) {
        if (f->scars.items[k].dirty) {
            changed[count++] = f->scars.items[k].particle;
        }
    }
    PHXI_TRY(phxi_efg_rebuild_scars(s, true));
    phxi_efg_release(s, changed, &count);
    PHXI_TRY(phxi_efg_find_fragments(s, changed, &count));
    if (count > 0) {
        PHXI_TRY(phxi_efg_finish_rows(s, changed, count));
    }
    return phxi_efg_damp_bonds(s);
}

phx_result phxi_efg_fracture_adapt(phxi_efg* efg, phxi_step* step, double dt) {
    for (int k = 0; k < efg->slots.count; ++k) {
        if (!efg->slots.items[k].fracture) {
            continue;
        }
        phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, k, dt);
        if (s.fracture->kernel_radius) {
            PHXI_TRY(phxi_efg_lose_bonds(&s));
        } else if (phxi_efg_cracks(s.body)) {
            PHXI_TRY(s.fracture->fronts ? phxi_efg_grow_fronts(&s) : phxi_efg_grow_cracks(&s));
        }
        if (s.fracture->scars.count > 0) {
            PHXI_TRY(change_rows(&s));
        }
        s.fracture->time += dt;
        ++s.fracture->ticks;
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- state

/// In packed form: a head for each body that can break, then its bonds, facets and scars.
typedef struct packed_head {
    int slot, bonds, facets, scars, ticks, padding;
    double time;
} packed_head;

typedef struct packed_scar {
    int particle, facets, labels, padding;
    phx_vec3 label[EFG_LABELS];
    double held;
} packed_scar;

void phxi_efg_pack(const void* state, phxi_sink* sink) {
    const phxi_efg* efg = state;
    for (int k = 0; k < efg->slots.count; ++k) {
        const phxi_efg_fracture* f = efg->slots.items[k].fracture;
        if (!f) {
            continue;
        }
        packed_head head = {k, f->bonds.count, f->facets.count, f->scars.count, f->ticks, 0, f->time};
        sink->put(sink, &head, sizeof head);
        sink->put(sink, f->bonds.items, (size_t)f->bonds.count * sizeof *f->bonds.items);
        sink->put(sink, f->facets.items, (size_t)f->facets.count * sizeof *f->facets.items);
        for (int n = 0; n < f->scars.count; ++n) {
            const phxi_efg_scar* scar = &f->scars.items[n];
            packed_scar packed = {
                .particle = scar->particle, .facets = scar->facets, .labels = scar->labels, .held = scar->held};
            memcpy(packed.label, scar->label, (size_t)scar->labels * sizeof *packed.label);
            sink->put(sink, &packed, sizeof packed);
        }
        if (f->fronts) {
            phxi_efg_fronts_pack(f->fronts, sink);
        }
    }
}

/// What one body has in the bytes, not aligned.
typedef struct section {
    packed_head head;
    const uint8_t *bonds, *facets, *scars;
    phxi_efg_packed_fronts fronts;
} section;

static bool take(const uint8_t** at, const uint8_t* end, int count, size_t size, const uint8_t** taken) {
    if (count < 0 || (size_t)(end - *at) / size < (size_t)count) {
        return false;
    }
    *taken = *at;
    *at += (size_t)count * size;
    return true;
}

static bool take_section(const phxi_efg* efg, const uint8_t** at, const uint8_t* end, section* s) {
    const uint8_t* head;
    if (!take(at, end, 1, sizeof s->head, &head)) {
        return false;
    }
    memcpy(&s->head, head, sizeof s->head);
    return take(at, end, s->head.bonds, sizeof(phxi_efg_bond), &s->bonds) &&
           take(at, end, s->head.facets, sizeof(phxi_efg_facet), &s->facets) &&
           take(at, end, s->head.scars, sizeof(packed_scar), &s->scars) && s->head.slot >= 0 &&
           s->head.slot < efg->slots.count &&
           (efg->slots.items[s->head.slot].params.fracture != EFG_FRACTURE_FRONT ||
            phxi_efg_fronts_take(at, end, s->head.bonds, &s->fronts));
}

static bool share_ok(double x) {
    return x >= 0 && x <= 1;
}

static bool pair_ok(const phxi_efg_crack_stage* s, int i, int pair, int other) {
    return pair >= phxi_efg_pair_begin(s, i) && pair < phxi_efg_pair_end(s, i) && phxi_efg_pair_other(s, pair) == other;
}

static bool bond_ok(const phxi_efg_crack_stage* s, const phxi_efg_bond* b, const packed_head* head) {
    bool gone = b->pair[0] == -1 && b->pair[1] == -1 && b->state == EFG_BOND_CUT;
    return b->i >= 0 && b->i < b->j && b->j < s->fracture->count &&
           (gone || (pair_ok(s, b->i, b->pair[0], b->j) && pair_ok(s, b->j, b->pair[1], b->i))) &&
           (b->state == EFG_BOND_RAMPING || b->state == EFG_BOND_CUT) && b->steps >= 0 && b->steps <= EFG_RAMP_STEPS &&
           b->facet >= -1 && b->facet < head->facets && share_ok(b->integrity) && share_ok(b->goal) &&
           share_ok(b->crossing) && b->distance >= 0 && isfinite(b->distance);
}

/// All that is used as an index or a number; `seen`: bits of particles (1) and pairs.
static bool section_ok(const phxi_efg_crack_stage* s, const section* from, uint8_t* scarred, uint8_t* broken) {
    memset(scarred, 0, (size_t)s->fracture->count);
    memset(broken, 0, (size_t)s->fracture->pair_count);
    bool good = from->head.time >= 0 && from->head.ticks >= 0 && isfinite(from->head.time);
    for (int k = 0; k < from->head.scars && good; ++k) {
        packed_scar scar;
        memcpy(&scar, from->scars + (size_t)k * sizeof scar, sizeof scar);
        good = scar.particle >= 0 && scar.particle < s->fracture->count && !scarred[scar.particle] &&
               scar.facets >= 0 && scar.labels >= 0 && scar.labels <= EFG_LABELS && share_ok(scar.held);
        for (int n = 0; n < scar.labels && good; ++n) {
            good = phxi_finite(scar.label[n]);
        }
        if (good) {
            scarred[scar.particle] = 1;
        }
    }
    for (int k = 0; k < from->head.facets && good; ++k) {
        phxi_efg_facet facet;
        memcpy(&facet, from->facets + (size_t)k * sizeof facet, sizeof facet);
        good = phxi_finite(facet.center) && phxi_finite(facet.normal) && isfinite(facet.radius + facet.time);
    }
    for (int k = 0; k < from->head.bonds && good; ++k) {
        phxi_efg_bond bond;
        memcpy(&bond, from->bonds + (size_t)k * sizeof bond, sizeof bond);
        good = bond_ok(s, &bond, &from->head) && scarred[bond.i] && scarred[bond.j];
        if (good && bond.pair[0] >= 0) {
            good = !broken[bond.pair[0]];
            broken[bond.pair[0]] = broken[bond.pair[1]] = 1;
        }
    }
    return good && (!s->fracture->fronts || phxi_efg_fronts_fit(s->fracture->fronts, &from->fronts));
}

static phx_result check_section(phxi_efg_crack_stage* s, const section* from) {
    uint8_t* scarred = phxi_alloc(s->step->heap, (size_t)s->fracture->count, 1, "efg fracture");
    uint8_t* broken = phxi_alloc(s->step->heap, (size_t)s->fracture->pair_count, 1, "efg fracture");
    phx_result result = PHX_ERROR_MEMORY;
    if (scarred && broken) {
        result = section_ok(s, from, scarred, broken)
                     ? PHX_OK
                     : phxi_fail(PHX_ERROR_FORMAT, "cracks of body '%s' are damaged", s->body->name);
    }
    phxi_free(s->step->heap, scarred);
    phxi_free(s->step->heap, broken);
    return result;
}

/// Makes room, then takes the section over. Out of memory leaves the body whole.
static phx_result read_section(phxi_efg_crack_stage* s, const section* from) {
    phxi_efg_fracture* f = s->fracture;
    phxi_heap* heap = s->step->heap;
    const packed_head* head = &from->head;
    phxi_efg_heal(s);
    if (!phxi_array_reserve(&f->bonds, head->bonds, heap, "efg fracture") ||
        !phxi_array_reserve(&f->facets, head->facets, heap, "efg fracture") ||
        !phxi_array_reserve(&f->scars, head->scars, heap, "efg fracture")) {
        return PHX_ERROR_MEMORY;
    }
    f->time = head->time;
    f->ticks = head->ticks;
    if (head->facets > 0) {
        memcpy(f->facets.items, from->facets, (size_t)head->facets * sizeof *f->facets.items);
    }
    f->facets.count = head->facets;
    for (int k = 0; k < head->scars; ++k) {
        packed_scar packed;
        memcpy(&packed, from->scars + (size_t)k * sizeof packed, sizeof packed);
        phxi_efg_scar* scar = phxi_efg_add_scar(s, packed.particle); // there is room
        scar->facets = packed.facets, scar->labels = packed.labels, scar->held = packed.held;
        memcpy(scar->label, packed.label, sizeof scar->label);
    }
    if (head->bonds > 0) {
        memcpy(f->bonds.items, from->bonds, (size_t)head->bonds * sizeof *f->bonds.items);
    }
    f->bonds.count = head->bonds;
    for (int k = 0; k < head->bonds; ++k) {
        phxi_efg_bond* bond = &f->bonds.items[k];
        phxi_efg_keep_weight(s, bond);
        if (bond->pair[0] >= 0) {
            f->bond[bond->pair[0]] = f->bond[bond->pair[1]] = k;
        }
        f->cuts += bond->state == EFG_BOND_CUT;
        if (bond->steps > 0) {
            ++f->scars.items[f->scar[bond->i]].broken;
            ++f->scars.items[f->scar[bond->j]].broken;
        }
    }
    PHXI_TRY(phxi_efg_index_facets(f, heap));
    if (f->fronts) {
        PHXI_TRY(phxi_efg_fronts_unpack(f->fronts, heap, &from->fronts));
    }
    return phxi_efg_reopen(s);
}

phx_result phxi_efg_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    phxi_efg* efg = state;
    section from = {0};
    PHXI_TRY(phxi_efg_rows_restored(efg, step)); // bonds are of rows that belong to the fields as they are now
    for (const uint8_t *at = bytes, *end = bytes + size; at < end;) {
        if (!take_section(efg, &at, end, &from)) {
            return phxi_fail(PHX_ERROR_FORMAT, "cracks are damaged or cut short");
        }
        PHXI_TRY(phxi_efg_fracture_create(efg, step, from.head.slot));
        phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, from.head.slot, 0);
        PHXI_TRY(check_section(&s, &from));
    }
    for (int k = 0; k < efg->slots.count; ++k) {
        if (efg->slots.items[k].fracture) {
            phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, k, 0);
            PHXI_TRY(read_section(&s, &(section){0}));
        }
    }
    for (const uint8_t *at = bytes, *end = bytes + size; at < end;) {
        take_section(efg, &at, end, &from);
        phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, from.head.slot, 0);
        PHXI_TRY(read_section(&s, &from));
    }
    return PHX_OK;
}
