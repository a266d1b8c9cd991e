// SPDX-License-Identifier: MIT
#include "support/efg_fixture.h"

phx_result fixture_init(efg_fixture* f, const phx_allocator* allocator, int threads) {
    memset(f, 0, sizeof *f);
    phxi_heap_init(&f->heap, allocator);
    phxi_arena_init(&f->arena, &f->heap, "scratch");
    PHXI_TRY(phxi_particles_init(&f->particles, &f->heap));
    PHXI_TRY(phxi_pool_create(&f->heap, threads, &f->pool));
    f->method = phxi_method_find("efg");
    f->material = phx_material_def_default();
    f->material.density = 1000;
    f->material.young = 1e6;
    f->material.poisson = 0.3;
    f->material.law = PHX_LAW_STVK;
    f->spacing = 0.1;
    for (int k = 0; k < FIXTURE_BODIES; ++k) {
        phxi_params_defaults(f->method->params, &f->params[k]);
    }
    PHXI_TRY(phxi_particles_add_motion(&f->particles, f->method->motion));
    for (int k = 0; k < f->method->field_count; ++k) {
        PHXI_TRY(phxi_particles_add_field(&f->particles, &f->method->fields[k]));
    }
    f->state = phxi_alloc_zero(&f->heap, 1, f->method->state_size, "solver");
    if (!f->state) {
        return PHX_ERROR_MEMORY;
    }
    phxi_step step = fixture_step(f);
    return f->method->create(f->state, &step);
}

void fixture_destroy(efg_fixture* f) {
    phxi_step step = fixture_step(f);
    if (f->state) {
        f->method->destroy(f->state, &step);
        phxi_free(&f->heap, f->state);
    }
    phxi_pool_destroy(f->pool);
    phxi_particles_destroy(&f->particles);
    phxi_arena_destroy(&f->arena);
    phxi_heap_destroy(&f->heap);
}

phxi_step fixture_step(efg_fixture* f) {
    return (phxi_step){.heap = &f->heap,
                       .arena = &f->arena,
                       .pool = f->pool,
                       .particles = &f->particles,
                       .bodies = f->bodies,
                       .own = f->own,
                       .own_count = f->body_count,
                       .gravity = f->gravity};
}

phxi_efg* fixture_efg(efg_fixture* f) {
    return f->state;
}

/// The newest particles become a body; they go again if that fails.
static phx_result add_body(efg_fixture* f, int begin, int count) {
    int index = f->body_count;
    phxi_body* body = &f->bodies[index];
    *body = (phxi_body){.begin = begin, .count = count, .material = f->material, .params = &f->params[index]};
    snprintf(body->name, sizeof body->name, "block%d", index);
    body->elastic = phxi_elastic_from(&f->material);
    f->own[index] = index;
    ++f->body_count;
    phxi_step step = fixture_step(f);
    phx_result result = f->method->add_body(f->state, &step, index);
    if (result != PHX_OK) {
        --f->body_count;
        phxi_particles_drop(&f->particles, count);
    }
    return result;
}

phx_result fixture_add(efg_fixture* f, lattice kind, int nx, int ny, int nz, phx_vec3 shift) {
    int each = kind == BCC ? 2 : 1, count = nx * ny * nz * each, begin = f->particles.count;
    PHXI_TRY(phxi_particles_add(&f->particles, count));
    phxi_particles* p = &f->particles;
    uint64_t seed = 12345;
    for (int i = 0; i < count; ++i) {
        int cell = i / each, k = begin + i;
        double at = kind == BCC ? (i % 2 ? 0.75 : 0.25) : 0.5, a = f->spacing, volume = a * a * a / each;
        double jx = f->jitter * (2 * phxt_random(&seed) - 1), jy = f->jitter * (2 * phxt_random(&seed) - 1);
        double jz = f->jitter * (2 * phxt_random(&seed) - 1);
        p->x[k] = p->rest_x[k] = (phx_real)(shift.x + a * (cell % nx + at + jx));
        p->y[k] = p->rest_y[k] = (phx_real)(shift.y + a * (cell / nx % ny + at + jy));
        p->z[k] = p->rest_z[k] = (phx_real)(shift.z + a * (cell / nx / ny + at + jz));
        p->volume[k] = (phx_real)volume;
        p->mass[k] = (phx_real)(f->material.density * volume);
        p->spacing[k] = (phx_real)a;
        p->body[k] = f->body_count;
    }
    return add_body(f, begin, count);
}

phx_result fixture_add_points(efg_fixture* f, int count, const phx_vec3* points, const double* volumes) {
    int begin = f->particles.count;
    PHXI_TRY(phxi_particles_add(&f->particles, count));
    phxi_particles* p = &f->particles;
    for (int i = 0; i < count; ++i) {
        int k = begin + i;
        p->x[k] = p->rest_x[k] = (phx_real)points[i].x;
        p->y[k] = p->rest_y[k] = (phx_real)points[i].y;
        p->z[k] = p->rest_z[k] = (phx_real)points[i].z;
        p->volume[k] = (phx_real)volumes[i];
        p->mass[k] = (phx_real)(f->material.density * volumes[i]);
        p->spacing[k] = (phx_real)f->spacing;
        p->body[k] = f->body_count;
    }
    return add_body(f, begin, count);
}

/// What a world does.
static phx_result advance(efg_fixture* f, double dt, phxi_trouble* trouble) {
    phxi_step step = fixture_step(f);
    phxi_implicit_body bodies[FIXTURE_BODIES];
    phxi_implicit_list list = {bodies, 0, FIXTURE_BODIES};
    phxi_implicit_surroundings around = {.dt = dt, .last_dt = f->last_dt};
    PHXI_TRY(f->method->substep(f->state, &step, dt, trouble));
    PHXI_TRY(f->method->implicit->offer(f->state, &step, dt, &list));
    if (list.count > 0) {
        PHXI_TRY(phxi_implicit_step(&list, &around, &step, trouble));
        PHXI_TRY(f->method->implicit->finish(f->state, &step, dt, trouble));
    }
    f->last_dt = dt;
    return PHX_OK;
}

phx_result fixture_substep(efg_fixture* f, double dt) {
    phxi_trouble trouble = {.particle = -1};
    phx_result result = advance(f, dt, &trouble);
    phxi_arena_reset(&f->arena);
    PHXI_TRY(result);
    if (trouble.particle >= 0) {
        return phxi_fail(PHX_ERROR_UNSTABLE, "particle %d, %s", trouble.particle, trouble.stage);
    }
    return PHX_OK;
}

double fixture_stable_dt(efg_fixture* f) {
    char reason[160];
    phxi_step step = fixture_step(f);
    return f->method->stable_dt(f->state, &step, reason);
}

phx_totals fixture_measure(efg_fixture* f) {
    phx_totals totals = {.min_det = INFINITY};
    phxi_step step = fixture_step(f);
    const phxi_particles* p = &f->particles;
    for (int k = 0; k < f->body_count; ++k) {
        f->method->measure(f->state, &step, k, NULL, &totals);
    }
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->mass[i];
        phx_vec3 x = phxi_particles_place(p, i);
        phx_vec3 v = {p->vx[i], p->vy[i], p->vz[i]};
        totals.mass += m;
        totals.kinetic += m * phxi_dot(v, v) / 2;
        totals.momentum = phxi_add_scaled(totals.momentum, m, v);
        totals.angular_momentum = phxi_add_scaled(totals.angular_momentum, m, phxi_cross(x, v));
        totals.max_speed = fmax(totals.max_speed, phxi_length(v));
    }
    return totals;
}

void fixture_deform(efg_fixture* f, phx_vec3 (*map)(phx_vec3 x, void* context), void* context) {
    phxi_particles* p = &f->particles;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 x = map(phxi_vec3(p->x[i], p->y[i], p->z[i]), context);
        p->x[i] = (phx_real)x.x;
        p->y[i] = (phx_real)x.y;
        p->z[i] = (phx_real)x.z;
    }
}

void fixture_shake(efg_fixture* f, double amount, uint64_t seed) {
    phxi_particles* p = &f->particles;
    for (int i = 0; i < p->count; ++i) {
        double reach = 2 * amount * (double)p->spacing[i];
        p->x[i] += (phx_real)(reach * (phxt_random(&seed) - 0.5));
        p->y[i] += (phx_real)(reach * (phxt_random(&seed) - 0.5));
        p->z[i] += (phx_real)(reach * (phxt_random(&seed) - 0.5));
    }
}

/// All blocks one after the other: forces do not depend on the order.
void fixture_forces(efg_fixture* f, phx_vec3* forces) {
    phxi_efg* efg = f->state;
    phxi_step step = fixture_step(f);
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_refresh(efg, &step, k);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        const phxi_efg_block* block = &efg->blocks.items[b];
        phxi_efg_stress(efg, &f->bodies[efg->slots.items[block->slot].body].elastic, false, block);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        _Alignas(64) phx_real force[3][EFG_BLOCK];
        const phxi_efg_block* block = &efg->blocks.items[b];
        const phxi_efg_slot* slot = &efg->slots.items[block->slot];
        phxi_efg_force(efg, block, force);
        for (int k = 0; k < block->count; ++k) {
            forces[slot->begin + block->row - slot->row + k] =
                phxi_mat3_apply(&slot->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
        }
    }
}

phxi_mat3 random_matrix(double size, uint64_t* seed) {
    phxi_mat3 m;
    for (int k = 0; k < 9; ++k) {
        m.m[k / 3][k % 3] = size * (2 * phxt_random(seed) - 1);
    }
    return m;
}
