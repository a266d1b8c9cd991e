// SPDX-License-Identifier: MIT
// See breaking.h. A bond is loaded by its elastic stretch over what it bears, the least of
//     strength     sigma / E: the stretch of bonds along a bar that is pulled with sigma
//     toughness    sqrt(G / (k E r)), r the mean length of bonds, so that a crack takes G per area
// k is measured (phyxel validate peridynamics.griffith). Energy alone gives less: of a body swollen by s a bond holds
// V w c_iso s^2/2, and through a unit of area pass sum_j w |X . N| = m r of them over V, m = 1/2 in space, 2/pi in a
// plane, which makes k = m c_iso/(2 E). But bonds that are left take over the weight of those that broke, so that
// stress acts across an opening crack until the most slanting of them breaks: 1.2 to 3.5 times as much. What is found
// for nu = 0, 0.25, 0.4 is 2.84/(1 - nu) in space and 2.04/sqrt(1 - nu) in a plane; one bond of a rod holds 1/2.
// As in other methods a strength of 0 never breaks, whatever the toughness. Strength varies from particle to particle
// by strength_noise. Materials that flow break, too, where their accumulated plastic strain is above ductile_strain and
// they are drawn.
//
// Of all that is overloaded only the worst around breaks in a step (all within LEAST of it), which takes load off the
// rest; a bar that is pulled evenly would else fall to dust. What is overloaded by OVERLOAD does not wait.
#include "methods/peridynamics/breaking.h"

#include "methods/peridynamics/flow.h"

#include "core/hash.h"

static const char* const label = "peridynamics breaking";

#define LEAST      0.98
#define OVERLOAD   1.5
#define NOISE_SEED 0x626f6e6473u

bool phxi_peri_is_weak(const phx_material_def* m) {
    return m->strength > 0 || (m->yield > 0 && m->ductile_strain > 0);
}

// ------------------------------------------------------------------------------------------------------------- making

/// Stretch that breaks bonds of particle i, without noise.
static double limit_of(const phxi_peri_slot* slot, const phx_material_def* m, int i) {
    int rank = (int)slot->constants[i / PERI_BLOCK].rank[i % PERI_BLOCK];
    double k = rank == 3 ? 2.84 / (1 - m->poisson) : rank == 2 ? 2.04 / sqrt(1 - m->poisson) : 0.5, length = 0;
    for (int n = slot->start[i]; n < slot->start[i + 1]; ++n) {
        double r = (double)slot->rest[n][3];
        length += (double)slot->near[n][3] * r * r * r;
    }
    double strong = m->strength > 0 ? m->strength / m->young : INFINITY;
    bool tough = m->strength > 0 && m->toughness > 0 && length > 0;
    return fmin(strong, tough ? sqrt(m->toughness / (k * m->young * length)) : INFINITY);
}

phx_result phxi_peri_make_breaking(phxi_step* step, phxi_peri_slot* slot) {
    const phx_material_def* m = &step->bodies[slot->body].material;
    const phxi_particles* p = step->particles;
    phxi_heap* heap = step->heap;
    struct phxi_peri_breaking* b = slot->breaking = phxi_alloc_zero(heap, 1, sizeof *b, label);
    if (!b) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_NEW(b->limit, heap, slot->count, label);
    PHXI_NEW(b->worst, heap, slot->count, label);
    PHXI_NEW(b->around, heap, slot->count, label);
    PHXI_NEW(b->where, heap, slot->count, label);
    PHXI_NEW(b->bonds, heap, slot->count, label);
    bool ductile = m->yield > 0 && m->ductile_strain > 0;
    if (ductile) {
        PHXI_NEW(b->ductile, heap, slot->count, label);
    }
    b->drawn = m->yield / 2;
    for (int i = 0; i < slot->count; ++i) {
        uint64_t id = p->id[slot->begin + i];
        double noise = 1 + m->strength_noise * (2 * phxi_hash_unit(phxi_hash_pair(id, NOISE_SEED)) - 1);
        b->bonds[i] = slot->start[i + 1] - slot->start[i];
        b->limit[i] = (phx_real)fmin(noise * limit_of(slot, m, i), 1e30);
        if (ductile) {
            b->ductile[i] = (phx_real)(noise * m->ductile_strain);
        }
    }
    return PHX_OK;
}

void phxi_peri_release_breaking(phxi_heap* heap, struct phxi_peri_breaking* b) {
    if (!b) {
        return;
    }
    void* const all[] = {b->limit, b->ductile, b->worst, b->around, b->where, b->bonds, b};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
}

double phxi_peri_damage(const phxi_peri_slot* slot, int i) {
    if (!slot->breaking || slot->breaking->bonds[i] == 0) {
        return 0;
    }
    return 1 - (double)(slot->start[i + 1] - slot->start[i]) / slot->breaking->bonds[i];
}

// ------------------------------------------------------------------------------------------------------------ breaking

typedef struct breaking {
    const phxi_peri_slot* slot;
    const struct phxi_peri_breaking* b;
    const phx_real* amount;  // accumulated plastic strain
    const phx_real* thermal; // th - 1 of the particles of the slot (materials/expansion.h); NULL: none
} breaking;

/// Load over strength of bond k of particle i; the same number from both ends.
static double load_of(const breaking* c, int i, int k) {
    const phxi_peri_slot* slot = c->slot;
    int j = slot->other[k];
    double now = phxi_distance(c->b->where[i], c->b->where[j]);
    double stretch = (now / (double)slot->rest[k][3] + now / (double)slot->rest[slot->mirror[k]][3]) / 2 - 1;
    stretch -= c->thermal ? ((double)c->thermal[i] + (double)c->thermal[j]) / 2 : 0;
    double load = 2 * stretch / ((double)c->b->limit[i] + (double)c->b->limit[j]);
    if (c->b->ductile && stretch > c->b->drawn) {
        double flowed = (double)c->amount[slot->begin + i] + (double)c->amount[slot->begin + j];
        load = fmax(load, flowed / ((double)c->b->ductile[i] + (double)c->b->ductile[j]));
    }
    return load;
}

static void worst_block(void* context, int begin, int end, int index) {
    const breaking* c = context;
    double most = 0;
    for (int i = begin; i < end; ++i) {
        double worst = 0;
        for (int k = c->slot->start[i]; k < c->slot->start[i + 1]; ++k) {
            worst = fmax(worst, load_of(c, i, k));
        }
        c->b->worst[i] = (phx_real)worst;
        most = fmax(most, worst);
    }
    c->slot->found[index].most = most;
}

static void around_block(void* context, int begin, int end, int index) {
    (void)index;
    const breaking* c = context;
    for (int i = begin; i < end; ++i) {
        phx_real around = c->b->worst[i];
        for (int k = c->slot->start[i]; k < c->slot->start[i + 1]; ++k) {
            phx_real there = c->b->worst[c->slot->other[k]];
            around = there > around ? there : around;
        }
        c->b->around[i] = around;
    }
}

static bool is_cut(const breaking* c, int i, int k) {
    double load = load_of(c, i, k);
    double around = fmax((double)c->b->around[i], (double)c->b->around[c->slot->other[k]]);
    return load > 1 && (load >= LEAST * around || load > OVERLOAD);
}

/// Marks broken bonds in an array that every local step overwrites.
static void cut_block(void* context, int begin, int end, int index) {
    const breaking* c = context;
    int cut = 0;
    for (int i = begin; i < end; ++i) {
        for (int k = c->slot->start[i]; k < c->slot->start[i + 1]; ++k) {
            bool broken = is_cut(c, i, k);
            c->slot->shrink[k] = broken ? -1 : 1;
            cut += broken;
        }
    }
    c->slot->found[index].cut = cut;
}

void phxi_peri_drop_bonds(phxi_peri_slot* slot) {
    int count = 0;
    for (int i = 0, k = 0; i < slot->count; ++i) {
        int end = slot->start[i + 1];
        slot->start[i] = count;
        for (; k < end; ++k) {
            if (slot->shrink[k] > 0) {
                slot->other[count] = slot->other[k];
                slot->rest[count++] = slot->rest[k];
            }
        }
    }
    slot->start[slot->count] = slot->bond_count = count;
}

phx_result phxi_peri_break(phxi_step* step, phxi_peri_slot* slot) {
    struct phxi_peri_breaking* b = slot->breaking;
    const phx_real* thermal = step->particles->thermal;
    breaking c = {slot, b, phxi_peri_remember(step->particles).amount, thermal ? thermal + slot->begin : NULL};
    phxi_peri_positions(step, slot, b->where);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, worst_block, &c);
    double most = 0;
    for (int k = 0; k < phxi_peri_blocks(slot); ++k) {
        most = fmax(most, slot->found[k].most);
    }
    if (!(most > 1)) {
        return PHX_OK;
    }
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, around_block, &c);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, cut_block, &c);
    int cut = 0;
    for (int k = 0; k < phxi_peri_blocks(slot); ++k) {
        cut += slot->found[k].cut;
    }
    b->broken += cut / 2;
    phxi_peri_drop_bonds(slot);
    return phxi_peri_renew(step, slot);
}
