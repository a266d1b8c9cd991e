// SPDX-License-Identifier: MIT
// Displacements of the positions as they are; energy, the stable step, and what can be shown. What cells know is shared
// by their corners: a node has the mean of the cells around it, an eighth of the energy of each.
#include "methods/fem/fem_internal.h"

#include "math/decompose3.h"

#include <stdio.h>
#include <string.h>

#define MARGIN 0.98 // of the stable step: cells are a bound for linear motion, and motion is not quite linear

void phxi_fem_fill(phxi_step* step, const phxi_fem_slot* slot, int block) {
    const phxi_particles* p = step->particles;
    int first = block * FEM_NODES, left = slot->count - first, count = left < FEM_NODES ? left : FEM_NODES;
    int at = slot->begin + first;
    phxi_frame_points points = {
        {p->x + at, p->y + at, p->z + at},
        {step->particles->low[0] + at, step->particles->low[1] + at, step->particles->low[2] + at},
        {p->rest_x + at, p->rest_y + at, p->rest_z + at}};
    phx_real u[3][FEM_NODES];
    phxi_frame_displacements(&slot->frame, &points, count, (phx_real* const[3]){u[0], u[1], u[2]});
    for (int i = 0; i < count; ++i) {
        slot->u[first + i] = (phxi_r4){u[0][i], u[1][i], u[2][i], 0};
    }
}

void phxi_fem_fit(const phxi_particles* p, phxi_fem_slot* slot, double dt) {
    phxi_fem_warm(p, slot);
    phxi_frame_fit_body(&slot->base, p, slot->begin, slot->count, dt, &slot->frame);
    slot->frame.stretch = phxi_identity(); // gradients of u are then F - I
}

// --------------------------------------------------------------------------------------------------------------- cells

enum { CELL_VON_MISES, CELL_DET, CELL_ENERGY, CELL_PRESSURE, CELL_F, CELL_NUMBERS = CELL_F + 9 };

typedef struct measure_context {
    phxi_step* step;
    const phxi_fem_slot* slot;
    const phxi_elastic* elastic;
    double (*cells)[CELL_NUMBERS]; // means over the points of a cell; of the arena
    const uint8_t* selected;       // NULL: all
    phx_real* values;              // of a derived field
    int field;
} measure_context;

static void fill_block(void* context, int begin, int end, int block) {
    const measure_context* c = context;
    (void)begin, (void)end;
    phxi_fem_fill(c->step, c->slot, block);
}

/// F and P of a lane.
static void load_point(const phxi_fem_block* b, int lane, phxi_mat3* f, phxi_mat3* p) {
    for (int n = 0; n < 9; ++n) {
        f->m[n / 3][n % 3] = (double)b->g[n][lane] + (n % 4 == 0);
        p->m[n / 3][n % 3] = (double)b->p[n][lane];
    }
}

/// -tr(P F^T) / (3 det F), Pa; 0 where there is none.
static double pressure_of(const phxi_mat3* f, const phxi_mat3* p) {
    double sum = 0, det = phxi_mat3_det(f);
    for (int n = 0; n < 9; ++n) {
        sum += f->m[n / 3][n % 3] * p->m[n / 3][n % 3];
    }
    return det > 0 ? -sum / (3 * det) : 0;
}

static void stretch_of(const phxi_mat3* f, double* least, double* most) {
    phxi_mat3 u, v;
    double s[3];
    phxi_svd3(f, &u, s, &v);
    *least = fmin(*least, s[2]);
    *most = fmax(*most, s[0]);
}

static void cell_block(void* context, int begin, int end, int block) {
    const measure_context* c = context;
    const phxi_fem_slot* slot = c->slot;
    phxi_fem_found* found = &slot->found[block];
    phxi_fem_block b;
    phxi_fem_stress(slot, c->elastic, block, true, &b);
    *found = (phxi_fem_found){.min_det = INFINITY, .least = 1, .most = 1};
    for (int cell = begin; cell < end; ++cell) {
        double mean[CELL_NUMBERS] = {0};
        for (int q = 0; q < slot->element.points; ++q) {
            int lane = q * FEM_CELLS + cell - begin;
            phxi_mat3 f, p;
            load_point(&b, lane, &f, &p);
            double von_mises = phxi_von_mises(&f, &p), det = phxi_mat3_det(&f);
            found->min_det = fmin(found->min_det, det);
            found->max_stress = fmax(found->max_stress, von_mises);
            stretch_of(&f, &found->least, &found->most);
            mean[CELL_VON_MISES] += von_mises / slot->element.points;
            mean[CELL_DET] += det / slot->element.points;
            mean[CELL_ENERGY] += (double)b.energy[lane] / slot->element.points;
            mean[CELL_PRESSURE] += pressure_of(&f, &p) / slot->element.points;
            for (int n = 0; n < 9; ++n) {
                mean[CELL_F + n] += f.m[n / 3][n % 3] / slot->element.points;
            }
        }
        found->energy += (double)slot->volume[cell] * mean[CELL_ENERGY];
        if (c->cells) {
            memcpy(c->cells[cell], mean, sizeof mean);
        }
    }
}

static void look_at_cells(measure_context* c, phxi_step* step, phxi_fem_slot* slot) {
    phxi_fem_fit(step->particles, slot, 0);
    phxi_parallel_for(step->pool, slot->count, FEM_NODES, fill_block, c);
    phxi_parallel_for(step->pool, slot->cell_count, FEM_CELLS, cell_block, c);
}

// ------------------------------------------------------------------------------------------------------------- totals

/// Energy of the cells around selected nodes, an eighth a node.
static double selected_energy(const measure_context* c, const uint8_t* selected) {
    const phxi_fem_slot* slot = c->slot;
    double sum = 0;
    for (int i = 0; i < slot->count; ++i) {
        for (int k = 0; selected[i] && k < FEM_CORNERS; ++k) {
            int cell = slot->around[i][k];
            sum += cell >= 0 ? (double)slot->volume[cell] * c->cells[cell][CELL_ENERGY] / FEM_CORNERS : 0;
        }
    }
    return sum;
}

static phx_vec3 force_of(phxi_step* step, const phxi_fem_slot* slot, const uint8_t* selected) {
    phx_vec3 sum = {0, 0, 0};
    for (int i = 0; i < slot->count; ++i) {
        int at = slot->begin + i;
        phx_vec3 a = {step->particles->acceleration[0][at], step->particles->acceleration[1][at],
                      step->particles->acceleration[2][at]};
        sum = !selected || selected[i] ? phxi_add_scaled(sum, (double)step->particles->mass[at], a) : sum;
    }
    return sum;
}

void phxi_fem_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    phxi_fem_slot* slot = phxi_fem_slot_of(state, body);
    measure_context c = {.step = step, .slot = slot, .elastic = &step->bodies[body].elastic};
    c.cells = selected ? phxi_arena_take(step->arena, (size_t)slot->cell_count, sizeof *c.cells) : NULL;
    look_at_cells(&c, step, slot);
    double energy = 0;
    for (int b = 0; b < phxi_fem_cell_blocks(slot); ++b) {
        const phxi_fem_found* found = &slot->found[b];
        energy += found->energy;
        totals->min_det = fmin(totals->min_det, found->min_det);
        totals->max_stress = fmax(totals->max_stress, found->max_stress);
    }
    totals->elastic += selected && c.cells ? selected_energy(&c, selected) : energy;
    totals->force = phxi_add(totals->force, force_of(step, slot, selected));
}

double phxi_fem_stable_dt(void* state, phxi_step* step, char reason[160]) {
    phxi_fem* fem = state;
    double dt = INFINITY;
    for (int k = 0; k < fem->slots.count; ++k) {
        phxi_fem_slot* slot = &fem->slots.items[k];
        if (phxi_implicit_is(slot->params.integrator)) {
            continue; // phxi_fem_implicit speaks for it
        }
        const phxi_elastic* elastic = &step->bodies[slot->body].elastic;
        measure_context c = {.step = step, .slot = slot, .elastic = elastic};
        look_at_cells(&c, step, slot);
        double least = 1, most = 1;
        for (int b = 0; b < phxi_fem_cell_blocks(slot); ++b) {
            least = fmin(least, slot->found[b].least);
            most = fmax(most, slot->found[b].most);
        }
        double own = MARGIN * slot->rest_dt / sqrt(phxi_elastic_stiffening(elastic, least, most, 0));
        if (own < dt) {
            dt = own;
            snprintf(reason, 160, "sound speed of body '%s'", step->bodies[slot->body].name);
        }
    }
    return dt;
}

// -------------------------------------------------------------------------------------------------------------- fields

const phxi_derived_field phxi_fem_derived[FEM_DERIVED_COUNT] = {
    {"von_mises", "Pa", "von Mises norm of the stress", 1},
    {"det_f", "", "volume over volume at rest", 1},
    {"energy_density", "J/m^3", "elastic energy per volume at rest", 1},
    {"pressure", "Pa", "mean pressure", 1},
    {"deformation", "", "deformation gradient F by rows", 9},
};

static void node_block(void* context, int begin, int end, int block) {
    const measure_context* c = context;
    const phxi_fem_slot* slot = c->slot;
    int components = phxi_fem_derived[c->field].components;
    (void)block;
    for (int i = begin; i < end; ++i) {
        double sum[9] = {0}, cells = 0;
        for (int k = 0; k < FEM_CORNERS; ++k) {
            int cell = slot->around[i][k];
            for (int n = 0; cell >= 0 && n < components; ++n) {
                sum[n] += c->cells[cell][components == 9 ? CELL_F + n : CELL_VON_MISES + c->field];
            }
            cells += cell >= 0;
        }
        for (int n = 0; n < components; ++n) {
            double value = 0; // F is in the axes of the frame
            for (int m = 0; m < 3; ++m) {
                value += components == 9 ? slot->frame.rotation.m[n / 3][m] * sum[3 * m + n % 3] : 0;
            }
            c->values[i * components + n] = (phx_real)((components == 9 ? value : sum[n]) / cells);
        }
    }
}

void phxi_fem_derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    phxi_fem_slot* slot = phxi_fem_slot_of(state, body);
    measure_context c = {
        .step = step, .slot = slot, .elastic = &step->bodies[body].elastic, .values = values, .field = field};
    c.cells = phxi_arena_take(step->arena, (size_t)slot->cell_count, sizeof *c.cells);
    if (!c.cells) {
        memset(values, 0, (size_t)slot->count * (size_t)phxi_fem_derived[field].components * sizeof *values);
        return;
    }
    look_at_cells(&c, step, slot);
    phxi_parallel_for(step->pool, slot->count, FEM_NODES, node_block, &c);
}
