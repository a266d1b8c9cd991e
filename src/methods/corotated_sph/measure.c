// SPDX-License-Identifier: MIT
// Displacements of the positions as they are; energy, and what can be shown.
#include "methods/corotated_sph/corotated_internal.h"

#include "materials/elastic.h"

#include <string.h>

void phxi_csph_fill(phxi_step* step, const phxi_csph_slot* slot, int block) {
    const phxi_particles* p = step->particles;
    int first = block * CSPH_BLOCK, count = phxi_csph_count(slot, block);
    int at = slot->begin + first;
    phxi_frame_points points = {
        {p->x + at, p->y + at, p->z + at},
        {step->particles->low[0] + at, step->particles->low[1] + at, step->particles->low[2] + at},
        {p->rest_x + at, p->rest_y + at, p->rest_z + at}};
    phx_real u[3][CSPH_BLOCK];
    phxi_frame_displacements(&slot->frame, &points, count, (phx_real* const[3]){u[0], u[1], u[2]});
    for (int i = 0; i < count; ++i) {
        slot->u[first + i] = (phxi_r4){u[0][i], u[1][i], u[2][i], 0};
    }
}

/// Where the frame will be in dt. It turns with the body and does not stretch: then separations in it are X + u.
void phxi_csph_fit(const phxi_particles* p, phxi_csph_slot* slot, double dt) {
    phxi_frame_fit_body(&slot->base, p, slot->begin, slot->count, dt, &slot->frame);
    slot->frame.stretch = phxi_identity();
}

typedef struct measure_context {
    phxi_step* step;
    const phxi_csph_slot* slot;
    const phxi_elastic* elastic;
    const uint8_t* selected; // NULL: all
    phx_real* values;        // of a derived field
    int field;
} measure_context;

static void fill_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measure_context* c = context;
    phxi_csph_fill(c->step, c->slot, begin);
}

/// False: there is nothing to measure.
static bool refresh(phxi_step* step, phxi_csph_slot* slot) {
    measure_context c = {.step = step, .slot = slot};
    slot->thermal = step->particles->thermal;
    phxi_csph_fit(step->particles, slot, 0);
    phxi_parallel_for(step->pool, phxi_csph_blocks(slot), 1, fill_block, &c);
    int lost = -1;
    return !slot->current || (phxi_csph_current_search(step, slot, &lost) == PHX_OK && lost < 0);
}

/// Strains, stresses and what they are made of.
static void stress(const measure_context* c, int block, phxi_csph_block* b) {
    if (c->slot->current) {
        phx_real* shape[6];
        phxi_csph_shapes(c->step, shape);
        phxi_csph_current_stress(c->slot, c->elastic, shape, false, block, b);
    } else {
        phxi_csph_stress(c->slot, c->elastic, NULL, block, b);
    }
}

/// sigma of the strain of a lane, in rest axes; nothing across what is flat and free.
static phxi_mat3 sigma_of(const measure_context* c, const phxi_csph_block* b, int i) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double trace = (double)b->strain[0][i] + (double)b->strain[1][i] + (double)b->strain[2][i];
    phxi_mat3 sigma;
    for (int k = 0; k < 9; ++k) {
        sigma.m[k / 3][k % 3] =
            2 * c->elastic->mu * (double)b->strain[sym[k]][i] +
            (double)b->lambda[i] * trace * (c->slot->held ? k % 4 == 0 : (double)b->span[sym[k] * CSPH_BLOCK + i]);
    }
    return sigma;
}

static double energy_density(const measure_context* c, const phxi_csph_block* b, int i) {
    double trace = 0, square = 0;
    for (int k = 0; k < 6; ++k) {
        double e = (double)b->strain[k][i];
        trace += k < 3 ? e : 0;
        square += (k < 3 ? 1 : 2) * e * e;
    }
    return 0.5 * (double)b->lambda[i] * trace * trace + c->elastic->mu * square;
}

double phxi_csph_hourglass_energy(const phxi_csph_slot* slot, const phxi_csph_block* b, int i, int lane) {
    double sum = 0;
    if (slot->current) {
        return b->hourglass[lane];
    }
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        if (!(slot->seen[k] & CSPH_SEEN)) {
            continue;
        }
        phxi_r4 u = slot->u[slot->other[k]] - slot->u[i], x = slot->rest[k];
        for (int c = 0; c < 3; ++c) {
            double e = (double)u[c] -
                       ((double)b->k[3 * c][lane] * (double)x[0] + (double)b->k[3 * c + 1][lane] * (double)x[1] +
                        (double)b->k[3 * c + 2][lane] * (double)x[2]);
            sum += (double)slot->near[k][3] * e * e;
        }
    }
    return 0.5 * (double)slot->stiffness[i] * sum;
}

static double von_mises(const phxi_mat3* sigma) {
    phxi_mat3 rest = phxi_identity();
    return phxi_von_mises(&rest, sigma);
}

static void measure_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measure_context* c = context;
    const phxi_csph_slot* slot = c->slot;
    const phxi_particles* p = c->step->particles;
    phx_real* const* acceleration = c->step->particles->acceleration;
    phxi_csph_found* found = &slot->found[begin];
    phxi_csph_block b;
    stress(c, begin, &b);
    found->energy = found->max_stress = 0;
    found->min_det = INFINITY;
    found->force = (phx_vec3){0};
    for (int i = begin * CSPH_BLOCK, lane = 0; i < slot->count && lane < CSPH_BLOCK; ++i, ++lane) {
        if (c->selected && !c->selected[i]) {
            continue;
        }
        int at = slot->begin + i;
        phxi_mat3 sigma = sigma_of(c, &b, lane);
        found->energy +=
            (double)slot->volume[i] * energy_density(c, &b, lane) + phxi_csph_hourglass_energy(slot, &b, i, lane);
        found->min_det = fmin(found->min_det, (double)b.det[lane]);
        found->max_stress = fmax(found->max_stress, von_mises(&sigma));
        phx_vec3 a = {acceleration[0][at], acceleration[1][at], acceleration[2][at]};
        found->force = phxi_add_scaled(found->force, (double)p->mass[at], a);
    }
}

void phxi_csph_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    phxi_csph_slot* slot = phxi_csph_slot_of(state, body);
    measure_context c = {.step = step, .slot = slot, .elastic = &step->bodies[body].elastic, .selected = selected};
    if (!refresh(step, slot)) {
        return;
    }
    phxi_parallel_for(step->pool, phxi_csph_blocks(slot), 1, measure_block, &c);
    for (int k = 0; k < phxi_csph_blocks(slot); ++k) {
        const phxi_csph_found* found = &slot->found[k];
        totals->elastic += found->energy;
        totals->min_det = fmin(totals->min_det, found->min_det);
        totals->max_stress = fmax(totals->max_stress, found->max_stress);
        totals->force = phxi_add(totals->force, found->force);
    }
}

// -------------------------------------------------------------------------------------------------------------- fields

typedef enum csph_field { FIELD_VON_MISES, FIELD_DET_F, FIELD_ENERGY, FIELD_STRAIN, FIELD_LOST, FIELD_F } csph_field;

const phxi_derived_field phxi_csph_derived[CSPH_DERIVED_COUNT] = {
    {"von_mises", "Pa", "von Mises norm of the stress", 1},
    {"det_f", "", "volume over volume at rest", 1},
    {"energy_density", "J/m^3", "elastic energy per volume at rest, without hourglass energy", 1},
    {"strain", "", "norm of the strain, less that of warmth", 1},
    {"damage", "", "share of the neighbours at rest that are no longer seen", 1},
    {"deformation", "", "deformation gradient, by rows", 9},
};

static double lost_share(const phxi_csph_slot* slot, int i) {
    int lost = 0, all = slot->start[i + 1] - slot->start[i];
    if (slot->current) {
        return phxi_csph_current_lost(slot, i);
    }
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        lost += !(slot->seen[k] & CSPH_SEEN);
    }
    return all > 0 ? (double)lost / all : 0;
}

static double field_value(const measure_context* c, const phxi_csph_block* b, int i, int lane) {
    phxi_mat3 sigma = sigma_of(c, b, lane);
    double square = 0;
    switch ((csph_field)c->field) {
    case FIELD_VON_MISES:
        return von_mises(&sigma);
    case FIELD_DET_F:
        return (double)b->det[lane];
    case FIELD_ENERGY:
        return energy_density(c, b, lane);
    case FIELD_LOST:
        return lost_share(c->slot, i);
    case FIELD_STRAIN:
        for (int k = 0; k < 6; ++k) {
            square += (k < 3 ? 1 : 2) * (double)b->strain[k][lane] * (double)b->strain[k][lane];
        }
        return sqrt(square);
    case FIELD_F: // put_deformation
        break;
    }
    return 0;
}

/// F = K, turned to the axes of the world.
static void put_deformation(const measure_context* c, const phxi_csph_block* b, int lane, phx_real* values) {
    phxi_mat3 k;
    for (int n = 0; n < 9; ++n) {
        k.m[n / 3][n % 3] = (double)b->k[n][lane] + (n % 4 == 0);
    }
    phxi_mat3 f = phxi_mat3_mul(&c->slot->frame.rotation, &k);
    for (int n = 0; n < 9; ++n) {
        values[n] = (phx_real)f.m[n / 3][n % 3];
    }
}

static void derive_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const measure_context* c = context;
    phxi_csph_block b;
    stress(c, begin, &b);
    for (int i = begin * CSPH_BLOCK, lane = 0; i < c->slot->count && lane < CSPH_BLOCK; ++i, ++lane) {
        if (c->field == FIELD_F) {
            put_deformation(c, &b, lane, c->values + 9 * (size_t)i);
        } else {
            c->values[i] = (phx_real)field_value(c, &b, i, lane);
        }
    }
}

void phxi_csph_derive(void* state, phxi_step* step, int body, int kind, phx_real* values) {
    phxi_csph_slot* slot = phxi_csph_slot_of(state, body);
    measure_context c = {
        .step = step, .slot = slot, .elastic = &step->bodies[body].elastic, .values = values, .field = kind};
    memset(values, 0, (size_t)(slot->count * phxi_csph_derived[kind].components) * sizeof *values);
    if (refresh(step, slot)) {
        phxi_parallel_for(step->pool, phxi_csph_blocks(slot), 1, derive_block, &c);
    }
    if (kind == FIELD_F && slot->grip != 0) {
        phxi_clamp_turn_deep(step->particles, slot->begin, slot->count, slot->start, values);
    }
}
