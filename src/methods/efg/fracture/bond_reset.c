// SPDX-License-Identifier: MIT
// Bonds of a body whose rows are rebuilt: fracture.h, plastic.h.
//
// Cracks live in the frame of creation and do not notice a reset. Neighbourhoods do: they are those of the shape of
// now.
//   a pair that was one before        is what it was: whole, breaking, or cut
//   a broken pair that is none now    stays in the list of bonds, cut: the surface has a face there, and it may return
//   a pair that is new                is a bond if it joins what held together before: particles of one fragment with a
//                                     common neighbour, and no facet between them. Otherwise it is cut from the start
// So nothing grows together, neither across a crack nor around its end. Contact takes new pairs that are cut as it took
// them before, from the distance of layers on.
#include "methods/efg/fracture/fracture.h"

#include "core/array.h"

#include <math.h>
#include <string.h>

#define MAX_NEAR 256

/// Neighbours of particle i: other[start[i]] ...; whether they hold.
struct phxi_efg_old_pairs {
    int *start, *other;
    bool* holds;
    int scars; // there were
};

// -------------------------------------------------------------------------------------------------------- new rows

phx_result phxi_efg_bonds_room(phxi_efg_fracture* f, phxi_heap* heap, int pairs, int flats) {
    if (pairs > f->bond_capacity) {
        int* bond = phxi_alloc(heap, (size_t)pairs, sizeof *bond, "efg fracture");
        if (!bond) {
            return PHX_ERROR_MEMORY;
        }
        if (f->bond) {
            memcpy(bond, f->bond, (size_t)f->pair_count * sizeof *bond);
        }
        phxi_free(heap, f->bond);
        f->bond = bond;
        f->bond_capacity = pairs;
    }
    if (flats > f->pristine_flat_capacity) {
        phxi_efg_flat* thin = phxi_alloc(heap, (size_t)flats, sizeof *thin, "efg fracture");
        if (!thin) {
            return PHX_ERROR_MEMORY;
        }
        if (f->pristine_flats) {
            memcpy(thin, f->pristine_flats, (size_t)f->pristine_flat_count * sizeof *thin);
        }
        phxi_free(heap, f->pristine_flats);
        f->pristine_flats = thin;
        f->pristine_flat_capacity = flats;
    }
    return PHX_OK;
}

void phxi_efg_bonds_anew(phxi_efg_fracture* f) {
    ++f->version;
    f->logged_from = f->version;
    f->cut_log.count = 0;
}

/// Rounded up by a 64th of an octave at most. The stable step of a body is an estimate, whose last digits change with
/// the direction the body lies in; what holds its rows back must not.
static double coarse_step(double dt) {
    return exp2(ceil(64 * log2(dt)) / 64);
}

void phxi_efg_bonds_detach(phxi_efg* efg, int index) {
    const phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_efg_fracture* f = slot->fracture;
    f->pair_count = efg->start.items[slot->row + slot->count] - efg->start.items[slot->row];
    f->dt = coarse_step(slot->rest_dt);
    PHXI_ASSERT(f->pair_count <= f->bond_capacity);
    memset(f->bond, -1, (size_t)f->pair_count * sizeof *f->bond);
    for (int b = 0; b < f->bonds.count; ++b) {
        f->bonds.items[b].pair[0] = f->bonds.items[b].pair[1] = -1;
    }
    memcpy(f->pristine, efg->groups.items + slot->row / EFG_LANES,
           (size_t)phxi_block_count(f->count, EFG_LANES) * sizeof *f->pristine);
    for (int k = 0; k < f->scars.count; ++k) {
        f->scars.items[k].looked = 0;
    }
    f->pristine_flat_count = 0;
    for (int b = slot->block_begin; b < slot->block_end; ++b) {
        for (int k = efg->blocks.items[b].flat_begin; k < efg->blocks.items[b].flat_end; ++k) {
            f->pristine_flats[f->pristine_flat_count++] = efg->flats.items[k];
        }
    }
    phxi_efg_bonds_anew(f);
}

void phxi_efg_bonds_shift(phxi_efg_fracture* f, int rows) {
    for (int k = 0; k < f->pristine_flat_count; ++k) {
        f->pristine_flats[k].row += rows;
    }
    for (int k = 0; k < f->scars.count; ++k) {
        f->scars.items[k].flat.row += rows;
    }
}

// ------------------------------------------------------------------------------------------------------- old bonds

void phxi_efg_old_pairs_destroy(phxi_efg_old_pairs* old, phxi_heap* heap) {
    if (old) {
        phxi_free(heap, old->start);
        phxi_free(heap, old->other);
        phxi_free(heap, old->holds);
        phxi_free(heap, old);
    }
}

phx_result phxi_efg_bonds_keep(phxi_efg_crack_stage* s, phxi_efg_old_pairs** result) {
    const phxi_efg_fracture* f = s->fracture;
    phxi_heap* heap = s->step->heap;
    phxi_efg_old_pairs* old = phxi_alloc_zero(heap, 1, sizeof *old, "efg reset");
    *result = old;
    if (!old) {
        return PHX_ERROR_MEMORY;
    }
    old->scars = f->scars.count;
    PHXI_NEW(old->start, heap, f->count + 1, "efg reset");
    PHXI_NEW(old->other, heap, f->pair_count, "efg reset");
    PHXI_NEW(old->holds, heap, f->pair_count, "efg reset");
    for (int i = 0; i <= f->count; ++i) {
        old->start[i] = phxi_efg_pair_begin(s, i);
    }
    for (int pair = 0; pair < f->pair_count; ++pair) {
        old->other[pair] = phxi_efg_pair_other(s, pair);
        old->holds[pair] = phxi_efg_pair_holds(f, pair);
    }
    for (int k = 0; k < f->scars.count; ++k) {
        f->scars.items[k].energy = phxi_efg_scar_energy(s, &f->scars.items[k], false);
    }
    return PHX_OK;
}

static bool were_neighbors(const phxi_efg_old_pairs* old, int i, int j) {
    for (int pair = old->start[i]; pair < old->start[i + 1]; ++pair) {
        if (old->other[pair] == j) {
            return true;
        }
    }
    return false;
}

/// Whether both held on to a common third one.
static bool were_bridged(const phxi_efg_old_pairs* old, int i, int j) {
    for (int a = old->start[i]; a < old->start[i + 1]; ++a) {
        int k = old->other[a];
        for (int b = old->start[j]; k != i && old->holds[a] && b < old->start[j + 1]; ++b) {
            if (old->other[b] == k && old->holds[b]) {
                return true;
            }
        }
    }
    return false;
}

/// Whether a facet lies between two particles.
static bool are_parted(const phxi_efg_crack_stage* s, int i, int j) {
    const phxi_efg_fracture* f = s->fracture;
    phx_vec3 middle = phxi_scale(0.5, phxi_add(phxi_efg_rest_of(s, i), phxi_efg_rest_of(s, j)));
    int near[MAX_NEAR], count = phxi_efg_near_facets(f, middle, f->grid.cell, near, MAX_NEAR);
    for (int k = 0; k < count; ++k) {
        if (phxi_efg_crossing(s, &f->facets.items[near[k]], i, j) >= 0) {
            return true;
        }
    }
    return false;
}

/// Writes the old bonds into the new rows, as far as they are still neighbours.
static void attach(phxi_efg_crack_stage* s, int b) {
    phxi_efg_fracture* f = s->fracture;
    phxi_efg_bond* bond = &f->bonds.items[b];
    int ends[2] = {bond->i, bond->j};
    for (int side = 0; side < 2; ++side) {
        for (int k = phxi_efg_pair_begin(s, ends[side]); k < phxi_efg_pair_end(s, ends[side]); ++k) {
            if (phxi_efg_pair_other(s, k) == ends[1 - side]) {
                bond->pair[side] = k;
                f->bond[k] = b;
            }
        }
    }
    PHXI_ASSERT((bond->pair[0] < 0) == (bond->pair[1] < 0)); // neighbours are each other's
    phxi_efg_keep_weight(s, bond);
    if (bond->pair[0] < 0 && bond->state != EFG_BOND_CUT) {
        bond->state = EFG_BOND_CUT;
        bond->integrity = bond->goal = 0;
        if (bond->steps == 0) {
            ++f->scars.items[f->scar[bond->i]].broken;
            ++f->scars.items[f->scar[bond->j]].broken;
        }
        bond->steps = EFG_RAMP_STEPS;
        bond->distance = phxi_distance(phxi_efg_position_of(s, bond->i), phxi_efg_position_of(s, bond->j));
        ++f->cuts;
    }
}

/// A new pair of particle i that must not become a bond.
static phx_result refuse(phxi_efg_crack_stage* s, int i, int pair) {
    phxi_efg_fracture* f = s->fracture;
    int j = phxi_efg_pair_other(s, pair);
    PHXI_TRY(phxi_efg_break_bond(s, i, pair, -1, 0.5));
    phxi_efg_bond* bond = &f->bonds.items[f->bonds.count - 1];
    bond->state = EFG_BOND_CUT;
    bond->steps = EFG_RAMP_STEPS;
    bond->integrity = 0;
    bond->distance = (phxi_efg_layer_at(s, i) + phxi_efg_layer_at(s, j)) / 2;
    ++phxi_efg_scar_of(f, i)->broken;
    ++phxi_efg_scar_of(f, j)->broken;
    ++f->cuts;
    return PHX_OK;
}

phx_result phxi_efg_bonds_return(phxi_efg_crack_stage* s, const phxi_efg_old_pairs* old) {
    phxi_efg_fracture* f = s->fracture;
    if (f->scars.count == 0) {
        return PHX_OK; // nothing has broken
    }
    for (int b = 0; b < f->bonds.count; ++b) {
        attach(s, b);
    }
    for (int i = 0; i < f->count; ++i) {
        for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
            int j = phxi_efg_pair_other(s, pair);
            if (j <= i || f->bond[pair] >= 0 || were_neighbors(old, i, j)) {
                continue;
            }
            if (f->fragment[i] != f->fragment[j] || !were_bridged(old, i, j) || are_parted(s, i, j)) {
                PHXI_TRY(refuse(s, i, pair));
            }
        }
    }
    phxi_efg_bonds_anew(f);
    return phxi_efg_reopen(s);
}

phx_result phxi_efg_bonds_settle(phxi_efg_crack_stage* s, const phxi_efg_old_pairs* old) {
    phxi_efg_fracture* f = s->fracture;
    int* changed = phxi_arena_take(s->step->arena, (size_t)old->scars, sizeof *changed);
    if (!changed) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0;
    for (int k = 0; k < old->scars; ++k) { // rows of new ones have the same gradient, and are no stiffer than they were
        phxi_efg_scar* scar = &f->scars.items[k];
        double energy = scar->broken > 0 ? phxi_efg_scar_energy(s, scar, true) : 0;
        if (energy > scar->energy) {
            scar->held *= scar->energy / energy;
            phxi_efg_set_factors(s, scar);
            changed[count++] = scar->particle;
        }
    }
    return count > 0 ? phxi_efg_finish_rows(s, changed, count) : PHX_OK;
}
