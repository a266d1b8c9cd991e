// SPDX-License-Identifier: MIT
// What can be said of a body: energies, extremes, fields. One particle at a time and in double; the scalar twin of
// forces.c that the tests hold it against.
#include "methods/efg/fracture/fracture.h"
#include "methods/shared/clamp.h"
#include "methods/efg/plastic.h"

#include <string.h>

const phxi_efg_flat* phxi_efg_find_flat(const phxi_efg* efg, const phxi_efg_block* block, int row) {
    for (int k = block->flat_begin; k < block->flat_end; ++k) {
        if (efg->flats.items[k].row == row) {
            return &efg->flats.items[k];
        }
    }
    return NULL;
}

static phxi_mat3 inverse_of(const phxi_efg* efg, int row) {
    phxi_mat3 inverse;
    for (int k = 0; k < 9; ++k) {
        inverse.m[k / 3][k % 3] = (double)efg->groups.items[row / EFG_LANES].inverse[k][row % EFG_LANES];
    }
    return inverse;
}

static const phxi_r4* u_of_pair(const phxi_efg* efg, int pair) {
    return &efg->u.items[efg->offset.items[pair] / (int)sizeof(phxi_r4)];
}

phxi_mat3 phxi_efg_gradient(const phxi_efg* efg, const phxi_efg_slot* slot, int row, double* residual) {
    phxi_mat3 m = {0}, inverse = inverse_of(efg, row);
    phxi_r4 u = efg->u.items[row];
    const phxi_r4* list = efg->gradient.items + efg->list.items[row];
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
        phxi_r4 y = list[k - efg->start.items[row]], v = *u_of_pair(efg, k);
        for (int c = 0; c < 3; ++c) {
            double d = (double)v[c] - (double)u[c];
            for (int b = 0; b < 3; ++b) {
                m.m[c][b] += d * (double)y[b];
            }
        }
    }
    phxi_mat3 h = phxi_mat3_mul(&m, &inverse);
    if (residual) {
        double sum = 0;
        for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
            phxi_r4 y = list[k - efg->start.items[row]], v = *u_of_pair(efg, k);
            double w = (double)y[3];
            for (int c = 0; c < 3 && w > 0; ++c) {
                double e = (double)v[c] - (double)u[c] -
                           (h.m[c][0] * (double)y[0] + h.m[c][1] * (double)y[1] + h.m[c][2] * (double)y[2]) / w;
                sum += w * e * e;
            }
        }
        *residual = sum * (double)efg->groups.items[row / EFG_LANES].stiffness[row % EFG_LANES] / 2;
    }
    for (int k = 0; k < 9; ++k) {
        h.m[k / 3][k % 3] += slot->frame.stretch.m[k / 3][k % 3];
    }
    return h;
}

/// All but hourglass energy, from F without what warmth makes of it.
static phxi_efg_local cold_at(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                              const phxi_elastic* elastic, int row, const phxi_mat3* f) {
    phxi_efg_law law = {elastic, slot->params.volume_stiffness};
    phxi_efg_local s = {.f = *f};
    if (slot->plastic.yield > 0) {
        phxi_efg_state state = phxi_efg_plastic_state(efg, slot, row, flat, &law, &s.f);
        return (phxi_efg_local){state.total, state.elastic, state.stress, state.energy,
                                s.hourglass, state.amount,  state.strain};
    }
    if (flat) {
        s.p = phxi_efg_thin_stress(flat, &law, &s.f, &s.energy);
        s.f = phxi_efg_thin_gradient(flat, &law, &s.f);
    } else {
        s.p = phxi_efg_law_stress(&law, &s.f);
        s.energy = phxi_efg_law_energy(&law, &s.f);
    }
    s.elastic = s.f;
    return s;
}

/// With it: stress is that of the elastic part, of which Cauchy's is the same.
static phxi_efg_local local_at(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                               const phxi_elastic* elastic, int row, const phxi_mat3* f) {
    double thermal = phxi_efg_thermal_at(efg->particles, slot, row - slot->row), th = 1 + thermal;
    phxi_mat3 cold = phxi_thermal_part(thermal, f);
    phxi_efg_local s = cold_at(efg, slot, flat, elastic, row, &cold);
    s.f = phxi_thermal_times(thermal, 1, &s.f);
    s.energy *= th * th * th;
    return s;
}

phxi_efg_local phxi_efg_local_of(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                 const phxi_elastic* elastic, int row) {
    double hourglass;
    phxi_mat3 f = phxi_efg_gradient(efg, slot, row, &hourglass);
    phxi_efg_local s = local_at(efg, slot, flat, elastic, row, &f);
    s.hourglass = hourglass;
    return s;
}

phxi_efg_local phxi_efg_local_stress(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                     const phxi_elastic* elastic, int row) {
    phxi_mat3 f = phxi_efg_gradient(efg, slot, row, NULL);
    return local_at(efg, slot, flat, elastic, row, &f);
}

typedef struct measure_context {
    phxi_efg* efg;
    const phxi_efg_slot* slot;
    const phxi_elastic* elastic;
    const phxi_particles* particles;
    phx_real* acceleration[3];
    const uint8_t* selected;
} measure_context;

static void measure_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measure_context* c = context;
    const phxi_efg* efg = c->efg;
    const phxi_efg_block* block = &efg->blocks.items[c->slot->block_begin + begin];
    phxi_efg_sums* sums = &efg->sums.items[c->slot->block_begin + begin];
    *sums = (phxi_efg_sums){.min_det = INFINITY};
    for (int row = block->row; row < block->row + block->count; ++row) {
        int i = row - c->slot->row, k = c->slot->begin + i;
        if (c->selected && !c->selected[i]) {
            continue;
        }
        double volume = (double)efg->groups.items[row / EFG_LANES].volume[row % EFG_LANES];
        const phxi_efg_flat* flat = phxi_efg_find_flat(efg, block, row);
        phxi_efg_local s = phxi_efg_local_of(efg, c->slot, flat, c->elastic, row);
        sums->energy += volume * s.energy + s.hourglass;
        sums->min_det = fmin(sums->min_det, phxi_mat3_det(&s.f));
        sums->max_von_mises = fmax(sums->max_von_mises, phxi_von_mises(&s.elastic, &s.p));
        phx_vec3 a = {c->acceleration[0][k], c->acceleration[1][k], c->acceleration[2][k]};
        sums->force = phxi_add_scaled(sums->force, (double)c->particles->mass[k], a);
    }
}

double phxi_efg_energy(phxi_efg* efg, phxi_step* step, const phxi_efg_slot* slot) {
    measure_context context = {
        .efg = efg, .slot = slot, .elastic = &step->bodies[slot->body].elastic, .particles = step->particles};
    memcpy(context.acceleration, step->particles->acceleration, sizeof context.acceleration);
    phxi_parallel_for(step->pool, slot->block_end - slot->block_begin, 1, measure_block, &context);
    double energy = 0;
    for (int k = slot->block_begin; k < slot->block_end; ++k) {
        energy += efg->sums.items[k].energy;
    }
    return energy;
}

static measure_context context_of(phxi_efg* efg, phxi_step* step, int body) {
    phxi_efg_slot* slot = phxi_efg_slot_of(efg, body);
    phxi_efg_refresh(efg, step, (int)(slot - efg->slots.items));
    measure_context context = {
        .efg = efg, .slot = slot, .elastic = &step->bodies[body].elastic, .particles = step->particles};
    memcpy(context.acceleration, step->particles->acceleration, sizeof context.acceleration);
    return context;
}

void phxi_efg_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    if (phxi_efg_catch_up(state, step) != PHX_OK) {
        return;
    }
    measure_context context = context_of(state, step, body);
    const phxi_efg_slot* slot = context.slot;
    context.selected = selected;
    phxi_parallel_for(step->pool, slot->block_end - slot->block_begin, 1, measure_block, &context);
    for (int k = slot->block_begin; k < slot->block_end; ++k) {
        const phxi_efg_sums* sums = &context.efg->sums.items[k];
        totals->elastic += sums->energy;
        totals->min_det = fmin(totals->min_det, sums->min_det);
        totals->max_stress = fmax(totals->max_stress, sums->max_von_mises);
        totals->force = phxi_add(totals->force, sums->force);
    }
}

// ------------------------------------------------------------------------------------------------------ fields

typedef enum field {
    FIELD_VON_MISES,
    FIELD_DET_F,
    FIELD_PRESSURE,
    FIELD_ENERGY,
    FIELD_DEFORMATION,
    FIELD_PLASTIC,
    FIELD_PLASTIC_STRAIN,
    FIELD_PRINCIPAL_STRESS,
    FIELD_FRAGMENT,
    FIELD_DAMAGE
} field;

const phxi_derived_field phxi_efg_derived[EFG_DERIVED_COUNT] = {
    {"von_mises", "Pa", "von Mises norm of the Cauchy stress", 1},
    {"det_f", "", "volume over volume at rest", 1},
    {"pressure", "Pa", "minus a third of the trace of the Cauchy stress", 1},
    {"energy_density", "J/m^3", "elastic energy per volume at rest, without hourglass energy", 1},
    {"deformation", "", "deformation gradient F by rows", 9},
    {"plastic", "", "accumulated plastic strain, logarithmic", 1},
    {"plastic_strain", "", "norm of the plastic strain", 1},
    {"principal_stress", "Pa", "largest principal value of the Cauchy stress", 1},
    {"fragment", "", "number of the piece of a broken body, from 0", 1},
    {"damage", "", "share of broken bonds", 1},
};

static double field_value(const phxi_efg_local* s, field kind) {
    if (kind == FIELD_DET_F) {
        return phxi_mat3_det(&s->f);
    }
    if (kind == FIELD_ENERGY) {
        return s->energy;
    }
    if (kind == FIELD_PLASTIC || kind == FIELD_PLASTIC_STRAIN) {
        return kind == FIELD_PLASTIC ? s->amount : s->strain;
    }
    if (kind == FIELD_PRINCIPAL_STRESS) {
        return phxi_efg_principal_stress(s);
    }
    if (kind == FIELD_VON_MISES) {
        return phxi_von_mises(&s->elastic, &s->p);
    }
    double trace = 0, det = phxi_mat3_det(&s->elastic); // tr(P F^T) / det F
    for (int k = 0; k < 9; ++k) {
        trace += s->p.m[k / 3][k % 3] * s->elastic.m[k / 3][k % 3];
    }
    return det > 0 ? -trace / (3 * det) : 0;
}

void phxi_efg_derive(void* state, phxi_step* step, int body, int kind, phx_real* values) {
    if (phxi_efg_catch_up(state, step) != PHX_OK) {
        memset(values, 0,
               (size_t)step->bodies[body].count * (size_t)phxi_efg_derived[kind].components * sizeof *values);
        return;
    }
    if (kind == FIELD_FRAGMENT || kind == FIELD_DAMAGE) {
        const phxi_efg_slot* slot = phxi_efg_slot_of(state, body);
        for (int i = 0; i < slot->count; ++i) {
            int fragment = slot->fracture ? slot->fracture->fragment[i] : 0;
            values[i] = (phx_real)(kind == FIELD_FRAGMENT ? fragment : phxi_efg_damage(state, slot, i));
        }
        return;
    }
    measure_context c = context_of(state, step, body);
    const phxi_efg* efg = c.efg;
    for (int b = c.slot->block_begin; b < c.slot->block_end; ++b) {
        const phxi_efg_block* block = &efg->blocks.items[b];
        for (int row = block->row; row < block->row + block->count; ++row) {
            int i = row - c.slot->row;
            const phxi_efg_flat* flat = phxi_efg_find_flat(efg, block, row);
            phxi_efg_local s = phxi_efg_local_of(efg, c.slot, flat, c.elastic, row);
            if (kind != FIELD_DEFORMATION) {
                values[i] = (phx_real)field_value(&s, (field)kind);
                continue;
            }
            phxi_mat3 f = phxi_mat3_mul(&c.slot->frame.rotation, &s.f);
            for (int k = 0; k < 9; ++k) {
                values[9 * (size_t)i + k] = (phx_real)f.m[k / 3][k % 3];
            }
        }
    }
    if (kind == FIELD_DEFORMATION && c.slot->deeps > 0) {
        phxi_clamp_turn_deep(step->particles, c.slot->begin, c.slot->count, efg->start.items + c.slot->row, values);
    }
}
