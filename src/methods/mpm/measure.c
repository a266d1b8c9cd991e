// SPDX-License-Identifier: MIT
// Energies of bodies, and what can be shown.
#include "methods/mpm/mpm_internal.h"

#include "materials/elastic.h"

typedef struct sums {
    double energy, min_det, max_stress;
    phx_vec3 force;
    phx_vec3 spin; // of the affine parts, kg m^2/s
} sums;

typedef struct look {
    phxi_mpm* s;
    const phxi_body* body;
    const uint8_t* selected; // NULL: all
    sums* sums;              // by chunk
    phx_real* values;        // of a derived field
    int field;
} look;

/// What fluids that carry no shear strain have of viscous stress: 2 eta dev C.
static void add_viscous_stress(const phxi_mpm* s, const phxi_fluid* fluid, phxi_mpm_chunk* c) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    phx_real* const* rate = s->field + MPM_AFFINE;
    for (int k = 0; k < c->count; ++k) {
        const int i = c->at[k];
        const double eta = phxi_mpm_viscosity(s, fluid, i), mean = (double)(rate[0][i] + rate[4][i] + rate[8][i]) / 3;
        for (int n = 0; n < 6; ++n) {
            double both = (double)(rate[3 * row[n] + column[n]][i] + rate[3 * column[n] + row[n]][i]);
            c->tau[n][k] += (phx_real)(eta * (both - (n < 3 ? 2 * mean : 0)));
        }
    }
}

/// Particles [begin, end) of a body with their stress and energy.
static void load(const look* c, int begin, int end, int at[MPM_CHUNK], phxi_mpm_chunk* chunk) {
    for (int k = begin; k < end; ++k) {
        at[k - begin] = c->body->begin + k;
    }
    chunk->at = at;
    chunk->count = end - begin;
    chunk->packed = true;
    phxi_mpm_stress(c->s, chunk, true);
    const phxi_mpm_material* material = &c->s->materials.items[c->s->step->particles->body[at[0]]];
    if (material->kind == MPM_FLUID && !(material->fluid.shear > 0)) {
        add_viscous_stress(c->s, &material->fluid, chunk);
    }
}

static double det_of(const look* l, const phxi_mpm_chunk* c, int k) {
    if (l->s->materials.items[l->s->step->particles->body[c->at[k]]].kind == MPM_FLUID) {
        return 1 + (double)c->g[0][k] + (double)c->g[4][k] + (double)c->g[8][k];
    }
    phxi_mat3 f = phxi_identity();
    for (int n = 0; n < 9; ++n) {
        f.m[n / 3][n % 3] += (double)c->g[n][k];
    }
    return phxi_mat3_det(&f);
}

static double von_mises_of(const phxi_mpm_chunk* c, int k, double det) {
    const phxi_sym3 tau = {(double)c->tau[0][k], (double)c->tau[1][k], (double)c->tau[2][k],
                           (double)c->tau[3][k], (double)c->tau[4][k], (double)c->tau[5][k]};
    const phxi_mat3 one = phxi_identity(), full = phxi_sym3_full(&tau);
    return det > 0 ? phxi_von_mises(&one, &full) / det : 0;
}

static void measure_part(void* context, int begin, int end, int block) {
    const look* c = context;
    const phxi_particles* p = c->s->step->particles;
    phx_real* const* a = c->s->step->particles->acceleration;
    phxi_mpm_chunk chunk;
    int at[MPM_CHUNK];
    sums found = {.min_det = INFINITY};
    load(c, begin, end, at, &chunk);
    for (int k = 0; k < end - begin; ++k) {
        if (c->selected && !c->selected[begin + k]) {
            continue;
        }
        double det = det_of(c, &chunk, k);
        found.energy += (double)p->volume[at[k]] * (double)chunk.energy[k];
        found.min_det = fmin(found.min_det, det);
        found.max_stress = fmax(found.max_stress, von_mises_of(&chunk, k, det));
        phx_vec3 v = phxi_vec3(a[0][at[k]], a[1][at[k]], a[2][at[k]]);
        found.force = phxi_add_scaled(found.force, (double)p->mass[at[k]], v);
        found.spin = phxi_add(found.spin, phxi_mpm_spin_of(c->s, at[k]));
    }
    c->sums[block] = found;
}

void phxi_mpm_measure(void* state, phxi_step* step, int index, const uint8_t* selected, phx_totals* totals) {
    phxi_mpm* s = state;
    phxi_mpm_bind(s, step);
    const phxi_body* body = &step->bodies[index];
    int blocks = phxi_block_count(body->count, MPM_CHUNK);
    look c = {s, body, selected, phxi_arena_take(step->arena, (size_t)blocks, sizeof(sums)), NULL, 0};
    if (!c.sums) {
        totals->elastic = NAN; // there is no way to say more
        return;
    }
    phxi_parallel_for(step->pool, body->count, MPM_CHUNK, measure_part, &c);
    for (int b = 0; b < blocks; ++b) {
        totals->elastic += c.sums[b].energy;
        totals->min_det = fmin(totals->min_det, c.sums[b].min_det);
        totals->max_stress = fmax(totals->max_stress, c.sums[b].max_stress);
        totals->force = phxi_add(totals->force, c.sums[b].force);
        totals->angular_momentum = phxi_add(totals->angular_momentum, c.sums[b].spin);
    }
}

// -------------------------------------------------------------------------------------------------------------- fields

enum { FIELD_VON_MISES, FIELD_DET_F, FIELD_ENERGY, FIELD_PRESSURE, FIELD_PLASTIC, FIELD_PACKED };

const phxi_derived_field phxi_mpm_derived[MPM_DERIVED_COUNT] = {
    {"von_mises", "Pa", "von Mises norm of the stress", 1},
    {"det_f", "", "volume over volume at rest, elastic part", 1},
    {"energy_density", "J/m^3", "elastic energy per volume at rest", 1},
    {"pressure", "Pa", "minus a third of the trace of the stress", 1},
    {"plastic_strain", "", "accumulated plastic strain", 1},
    {"packed", "", "of snow, J_p: volume by packing and parting; of grains and fluids, 1 and how far they are open", 1},
};

static void derive_part(void* context, int begin, int end, int block) {
    const look* c = context;
    phxi_mpm_chunk chunk;
    int at[MPM_CHUNK];
    (void)block;
    load(c, begin, end, at, &chunk);
    for (int k = 0; k < end - begin; ++k) {
        double det = det_of(c, &chunk, k);
        double trace = (double)chunk.tau[0][k] + (double)chunk.tau[1][k] + (double)chunk.tau[2][k];
        double value = c->field == FIELD_VON_MISES  ? von_mises_of(&chunk, k, det)
                       : c->field == FIELD_DET_F    ? det
                       : c->field == FIELD_ENERGY   ? (double)chunk.energy[k]
                       : c->field == FIELD_PRESSURE ? (det > 0 ? -trace / (3 * det) : 0)
                       : c->field == FIELD_PLASTIC  ? (double)c->s->field[MPM_AMOUNT][at[k]]
                                                    : 1 + (double)c->s->field[MPM_SWELL][at[k]];
        c->values[begin + k] = (phx_real)value;
    }
}

void phxi_mpm_derive(void* state, phxi_step* step, int index, int field, phx_real* values) {
    phxi_mpm* s = state;
    phxi_mpm_bind(s, step);
    look c = {s, &step->bodies[index], NULL, NULL, values, field};
    phxi_parallel_for(step->pool, c.body->count, MPM_CHUNK, derive_part, &c);
}
