// SPDX-License-Identifier: MIT
// See heat_trial.h.
#include "validate/heat/trial.h"

#include "core/hash.h"
#include "boundary/mirror.h"

phx_material_def phxi_heat_trial_unit(void) {
    phx_material_def material = phx_material_def_default();
    material.density = 1000;
    material.heat_capacity = 0.001;
    material.conductivity = 1;
    return material;
}

phx_result phxi_heat_trial_create(phxi_validation* v, phxi_heat_trial* t) {
    *t = (phxi_heat_trial){.v = v};
    phxi_arena_init(&t->arena, v->heap, "heat trial");
    phxi_near_init(&t->near, v->heap);
    phxi_heat_init(&t->heat, v->heap);
    PHXI_TRY(phxi_particles_init(&t->particles, v->heap));
    PHXI_TRY(phxi_particles_add_boundary(&t->particles));
    return phxi_pool_create(v->heap, v->threads, &t->pool);
}

void phxi_heat_trial_destroy(phxi_heat_trial* t) {
    phxi_heat_destroy(&t->heat);
    phxi_near_destroy(&t->near);
    phxi_particles_destroy(&t->particles);
    phxi_arena_destroy(&t->arena);
    phxi_pool_destroy(t->pool);
}

static double noise(int i, int k) {
    return 2 * phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k)) - 1;
}

static void place(phxi_heat_trial* t, const phxi_heat_box* box, int k, int i) {
    phxi_particles* p = &t->particles;
    const int* n = box->cells;
    const double cell[3] = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]}; // NOLINT: whole numbers
    double at[3], a = box->spacing, density = t->density[t->body_count];
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (cell[axis] + 0.5 + box->jitter * noise(i, axis)) * a + (axis == 0 ? box->x : 0);
    }
    p->x[i] = (phx_real)at[0];
    p->y[i] = (phx_real)at[1];
    p->z[i] = (phx_real)at[2];
    p->body[i] = t->body_count;
    p->spacing[i] = (phx_real)a;
    p->volume[i] = (phx_real)(a * a * a * (1 + box->noise * noise(i, 4)));
    p->mass[i] = (phx_real)(density * a * a * a * (1 + box->noise * noise(i, 3)));
    if (box->mirror) {
        p->boundary_normal[0][i] = at[0] < 0.5 ? 1 : -1;
        p->boundary_depth[i] = (phx_real)(at[0] < 0.5 ? -at[0] : at[0] - 1);
    }
}

phx_result phxi_heat_trial_add(phxi_heat_trial* t, const phxi_heat_box* box, const phx_material_def* material) {
    PHXI_ASSERT(t->body_count < PHXI_HEAT_TRIAL_BODIES);
    int begin = t->particles.count, count = box->cells[0] * box->cells[1] * box->cells[2];
    PHXI_TRY(phxi_particles_add(&t->particles, count));
    t->density[t->body_count] = material->density;
    for (int k = 0; k < count; ++k) {
        place(t, box, k, begin + k);
    }
    t->bodies[t->body_count] = (phxi_heat_body){.thermal = box->thermal,
                                                .law = phxi_heat_law_of(material),
                                                .conductivity = material->conductivity,
                                                .exchange = material->exchange,
                                                .face = phxi_heat_face_factor(box->reach)};
    t->ranges[t->body_count++] = (phxi_near_range){begin, count, box->reach, false, 0};
    return PHX_OK;
}

void phxi_heat_trial_set(phxi_heat_trial* t, int i, double temperature) {
    const phxi_heat_law* law = &t->bodies[t->particles.body[i]].law;
    phxi_enthalpy_set(&t->particles, i, law, phxi_enthalpy_at(law, temperature));
}

phx_result phxi_heat_trial_run(phxi_heat_trial* t, double duration) {
    PHXI_TRY(phxi_near_update(&t->near, t->pool, PHXI_SEARCH_GRID, &t->particles, t->ranges, t->body_count, t->period));
    phxi_heat_input input = {.pool = t->pool,
                             .arena = &t->arena,
                             .particles = &t->particles,
                             .bodies = t->bodies,
                             .near = &t->near,
                             .air_temperature = t->air,
                             .duration = duration};
    phx_result result = phxi_heat_advance(&t->heat, &input, &t->gain);
    phxi_arena_reset(&t->arena);
    return result;
}

double phxi_heat_trial_energy(const phxi_heat_trial* t) {
    double energy = 0;
    for (int i = 0; i < t->particles.count; ++i) {
        energy += (double)t->particles.mass[i] * phxi_enthalpy_get(&t->particles, i);
    }
    return energy;
}

double phxi_heat_trial_error(const phxi_heat_trial* t, double (*exact)(double x, double y, const void* context),
                             const void* context) {
    const phxi_particles* p = &t->particles;
    double wrong = 0, right = 0;
    for (int i = 0; i < t->ranges[0].count; ++i) {
        double wanted = exact((double)p->x[i], (double)p->y[i], context), error = (double)p->temperature[i] - wanted;
        wrong += error * error;
        right += wanted * wanted;
    }
    return sqrt(wrong / right);
}
