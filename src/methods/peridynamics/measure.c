// SPDX-License-Identifier: MIT
// Energy, and what can be shown.
#include "methods/peridynamics/breaking.h"
#include "methods/peridynamics/flow.h"

typedef struct measuring {
    phxi_step* step;
    const phxi_peri_slot* slot;
    const uint8_t* selected; // NULL: all
    phx_real* values;        // of a derived field
    int field;
    const phx_vec3* where; // of a thin body
} measuring;

/// What a particle is like.
typedef struct particle_state {
    double det, energy, strain, von_mises;
} particle_state;

/// The local step of where particles are; of a thin body at once, of others block by block.
static const phx_vec3* refresh(phxi_step* step, phxi_peri_slot* slot) {
    if (slot->thin) {
        return phxi_peri_thin_refresh(step, slot);
    }
    if (slot->flow) {
        phxi_peri_flow_local(step, slot);
        return NULL;
    }
    phxi_peri_refresh(step, slot);
    return NULL;
}

static particle_state state_of(const measuring* c, const phxi_peri_block* b, int i) {
    const phxi_peri_slot* slot = c->slot;
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    int lane = i % PERI_BLOCK;
    double rank = (double)rest->rank[lane], shear = 0;
    double mean = slot->flow   ? slot->flow->now[i].borne.mean
                  : slot->thin ? phxi_peri_thin_stretch(slot, i)
                               : (double)b->stretch[lane];
    particle_state s = {.det = slot->flow   ? phxi_peri_flow_det(c->step, slot, i)
                               : slot->thin ? phxi_peri_thin_det(slot, i)
                                            : (double)b->det[lane]};
    if (slot->flow) {
        s.energy = phxi_peri_flow_energy(slot, i, &shear);
    } else if (slot->thin) {
        s.energy = phxi_peri_thin_energy(slot, c->where, i, &shear);
    } else {
        s.energy = phxi_peri_energy(slot, b, i, &shear);
    }
    // strain: deviator and rank times the mean; von Mises sqrt(3 J2), sqrt(J2) = mu sqrt(2 eps_d : eps_d)
    double mu = rank > 0 ? (double)rest->dev[lane] / (2 * rank) : 0;
    s.strain = sqrt(shear + rank * mean * mean);
    s.von_mises = mu * sqrt(6 * shear);
    return s;
}

static void measure_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measuring* c = context;
    const phxi_peri_slot* slot = c->slot;
    const phxi_particles* p = c->step->particles;
    phx_real* const* acceleration = c->step->particles->acceleration;
    phxi_peri_found* found = &slot->found[begin];
    phxi_peri_block b;
    if (!slot->thin && !slot->flow) {
        phxi_peri_local(slot, begin, &b);
    }
    found->energy = found->max_stress = 0;
    found->min_det = INFINITY;
    found->force = (phx_vec3){0};
    for (int i = begin * PERI_BLOCK; i < slot->count && i < (begin + 1) * PERI_BLOCK; ++i) {
        if (c->selected && !c->selected[i]) {
            continue;
        }
        particle_state s = state_of(c, &b, i);
        int at = slot->begin + i;
        found->energy += s.energy;
        found->min_det = fmin(found->min_det, s.det);
        found->max_stress = fmax(found->max_stress, s.von_mises);
        phx_vec3 a = {acceleration[0][at], acceleration[1][at], acceleration[2][at]};
        found->force = phxi_add_scaled(found->force, (double)p->mass[at], a);
    }
}

void phxi_peri_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    phxi_peri_slot* slot = phxi_peri_slot_of(state, body);
    measuring c = {.step = step, .slot = slot, .selected = selected};
    c.where = refresh(step, slot);
    phxi_parallel_for(step->pool, phxi_peri_blocks(slot), 1, measure_block, &c);
    for (int k = 0; k < phxi_peri_blocks(slot); ++k) {
        const phxi_peri_found* found = &slot->found[k];
        totals->elastic += found->energy;
        totals->min_det = fmin(totals->min_det, found->min_det);
        totals->max_stress = fmax(totals->max_stress, found->max_stress);
        totals->force = phxi_add(totals->force, found->force);
    }
}

// -------------------------------------------------------------------------------------------------------------- fields

typedef enum peri_field {
    FIELD_VON_MISES,
    FIELD_DET_F,
    FIELD_ENERGY,
    FIELD_STRAIN,
    FIELD_PLASTIC,
    FIELD_PLASTIC_STRAIN,
    FIELD_DAMAGE
} peri_field;

const phxi_derived_field phxi_peri_derived[PERI_DERIVED_COUNT] = {
    {"von_mises", "Pa", "von Mises norm of the stress", 1},
    {"det_f", "", "volume over volume at rest; area of sheets, length of rods", 1},
    {"energy_density", "J/m^3", "elastic energy per volume at rest", 1},
    {"strain", "", "norm of the strain", 1},
    {"plastic", "", "accumulated plastic strain, logarithmic", 1},
    {"plastic_strain", "", "norm of the plastic strain", 1},
    {"damage", "", "share of the bonds at the start that have broken", 1},
};

static void derive_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measuring* c = context;
    phxi_peri_block b;
    if (!c->slot->thin && !c->slot->flow) {
        phxi_peri_local(c->slot, begin, &b);
    }
    const phx_real* amount = phxi_peri_remember(c->step->particles).amount;
    for (int i = begin * PERI_BLOCK; i < c->slot->count && i < (begin + 1) * PERI_BLOCK; ++i) {
        particle_state s = state_of(c, &b, i);
        const double all[PERI_DERIVED_COUNT] = {
            [FIELD_VON_MISES] = s.von_mises,
            [FIELD_DET_F] = s.det,
            [FIELD_ENERGY] = c->slot->volume[i] > 0 ? s.energy / (double)c->slot->volume[i] : 0,
            [FIELD_STRAIN] = s.strain,
            [FIELD_PLASTIC] = (double)amount[c->slot->begin + i],
            [FIELD_PLASTIC_STRAIN] = c->slot->flow ? phxi_peri_flow_strain(c->step, c->slot, i) : 0,
            [FIELD_DAMAGE] = phxi_peri_damage(c->slot, i),
        };
        c->values[i] = (phx_real)all[c->field];
    }
}

void phxi_peri_derive(void* state, phxi_step* step, int body, int kind, phx_real* values) {
    phxi_peri_slot* slot = phxi_peri_slot_of(state, body);
    measuring c = {.step = step, .slot = slot, .values = values, .field = kind};
    c.where = refresh(step, slot);
    phxi_parallel_for(step->pool, phxi_peri_blocks(slot), 1, derive_block, &c);
}
