// SPDX-License-Identifier: MIT
#include "validate/block.h"

#include "solve/cg.h"
#include "validate/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

phxi_block_def phxi_block_default(int x, int y, int z) {
    phxi_block_def def = {.cells = {x, y, z},
                          .sampling = PHX_SAMPLING_UNIFORM,
                          .spacing = 0.1,
                          .hourglass = 0.1,
                          .front_blur = 1,
                          .material = phx_material_def_default()};
    def.material.young = 1e6;
    def.material.density = 1000;
    def.material.poisson = 0.3;
    def.material.law = PHX_LAW_STVK;
    return def;
}

static phx_result make_world(phxi_validation* v, const phxi_block_def* d, phxi_block* block) {
    phx_world_def world = phx_world_def_default();
    world.gravity = (phx_vec3){0, 0, 0};
    world.threads = v->threads;
    PHXI_TRY(phx_world_create(&world, &block->world));
    phx_material_id material;
    PHXI_TRY(phx_material_create(block->world, &d->material, &material));
    char shape[256], support[32], hourglass[32], volume[32], blur[32];
    double s = d->spacing;
    snprintf(shape, sizeof shape, "box(center=(%.17g,%.17g,%.17g), size=(%.17g,%.17g,%.17g))", 0.5 * s * d->cells[0],
             0.5 * s * d->cells[1], 0.5 * s * d->cells[2], s * d->cells[0], s * d->cells[1], s * d->cells[2]);
    snprintf(support, sizeof support, "%.17g", d->support);
    snprintf(hourglass, sizeof hourglass, "%.17g", d->hourglass);
    snprintf(volume, sizeof volume, "%.17g", d->volume_stiffness);
    snprintf(blur, sizeof blur, "%.17g", d->front_blur);
    phx_setting settings[] = {{"support", support},
                              {"hourglass", hourglass},
                              {"volume_stiffness", volume},
                              {"front_blur", blur},
                              {"fracture", d->fracture}};
    phx_body_def body = phx_body_def_default();
    body.shape = d->mesh ? NULL : shape;
    body.spacing = s;
    body.sampling = d->mesh ? PHX_SAMPLING_POINTS : d->sampling;
    body.mesh = d->mesh;
    body.jitter = d->jitter;
    body.material = material;
    body.settings = settings;
    body.setting_count = d->fracture ? 5 : 4;
    if (d->method) {
        body.method = d->method;
        body.settings = d->settings;
        body.setting_count = d->setting_count;
    }
    return phx_body_create(block->world, &body, &block->body);
}

static phx_result fill(phxi_validation* v, phxi_block* block) {
    const phxi_particles* p = &block->world->particles;
    for (int k = 0; k < 3; ++k) {
        block->low[k] = p->low[k];
        block->acceleration[k] = p->acceleration[k];
    }
    block->count = p->count;
    PHXI_NEW(block->rest, v->heap, p->count, "rest");
    PHXI_NEW(block->forces, v->heap, p->count, "forces");
    block->held = phxi_alloc_zero(v->heap, (size_t)p->count, sizeof *block->held, "held");
    if (!block->held) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < p->count; ++i) {
        block->rest[i] = (phx_vec3){(double)p->rest_x[i], (double)p->rest_y[i], (double)p->rest_z[i]};
    }
    return PHX_OK;
}

phx_result phxi_block_create(phxi_validation* v, const phxi_block_def* def, phxi_block* block) {
    *block = (phxi_block){.validation = v, .spacing = def->spacing};
    phx_result result = make_world(v, def, block);
    if (result == PHX_OK) {
        result = fill(v, block);
    }
    if (result != PHX_OK) {
        phxi_block_destroy(block);
    }
    return result;
}

void phxi_block_destroy(phxi_block* block) {
    phx_world_destroy(block->world);
    block->world = NULL; // the arrays are the validation's
}

void phxi_block_place(phxi_block* block, const phx_vec3* x) {
    phxi_particles* p = &block->world->particles;
    phx_real* const* low = block->low;
    for (int i = 0; i < p->count; ++i) {
        p->x[i] = (phx_real)x[i].x, p->y[i] = (phx_real)x[i].y, p->z[i] = (phx_real)x[i].z;
        p->vx[i] = p->vy[i] = p->vz[i] = 0;
        low[0][i] = (phx_real)(x[i].x - (double)p->x[i]);
        low[1][i] = (phx_real)(x[i].y - (double)p->y[i]);
        low[2][i] = (phx_real)(x[i].z - (double)p->z[i]);
    }
}

phx_result phxi_block_forces(phxi_block* block, const phx_vec3* x) {
    phxi_particles* p = &block->world->particles;
    phx_real* const* a = block->acceleration;
    phxi_block_place(block, x);
    for (int k = 0; k < 3; ++k) {
        memset(a[k], 0, (size_t)p->count * sizeof *a[k]);
    }
    // A substep too short to move anything leaves the accelerations of these positions.
    PHXI_TRY(phx_world_substep(block->world, 1e-15));
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->mass[i];
        block->forces[i] = (phx_vec3){m * (double)a[0][i], m * (double)a[1][i], m * (double)a[2][i]};
    }
    return PHX_OK;
}

static double dot(const phxi_block* block, const phx_vec3* a, const phx_vec3* b) {
    double sum = 0;
    for (int i = 0; i < block->count; ++i) {
        sum += block->held[i] ? 0 : phxi_dot(a[i], b[i]);
    }
    return sum;
}

static double mass_dot(const phxi_block* block, const phx_vec3* a, const phx_vec3* b) {
    double sum = 0;
    for (int i = 0; i < block->count; ++i) {
        sum += block->held[i] ? 0 : (double)block->world->particles.mass[i] * phxi_dot(a[i], b[i]);
    }
    return sum;
}

static phx_result stiffness_with(phxi_block* block, const phx_vec3* q, phx_vec3* scratch, phx_vec3* result) {
    double largest = 0;
    for (int i = 0; i < block->count; ++i) {
        largest = block->held[i] ? largest : fmax(largest, phxi_length(q[i]));
    }
    // Large enough to stand above rounding, small enough that the cubic terms of the energy's third derivative vanish.
    double step = largest > 0 ? phxi_by_precision(1e-5, 1e-3) * block->spacing / largest : 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < block->count; ++i) {
            scratch[i] = phxi_add_scaled(block->rest[i], block->held[i] ? 0 : side * step, q[i]);
        }
        PHXI_TRY(phxi_block_forces(block, scratch));
        for (int i = 0; i < block->count; ++i) {
            phx_vec3 before = side < 0 ? (phx_vec3){0, 0, 0} : result[i];
            result[i] = step > 0 ? phxi_add_scaled(before, -side / (2 * step), block->forces[i]) : (phx_vec3){0, 0, 0};
        }
    }
    for (int i = 0; i < block->count; ++i) {
        result[i] = block->held[i] ? (phx_vec3){0, 0, 0} : result[i];
    }
    return PHX_OK;
}

phx_result phxi_block_stiffness(phxi_block* block, const phx_vec3* q, phx_vec3* result) {
    phx_vec3* scratch;
    PHXI_NEW(scratch, block->validation->heap, block->count, "positions");
    phx_result done = stiffness_with(block, q, scratch, result);
    phxi_free(block->validation->heap, scratch);
    return done;
}

typedef struct gradients {
    phxi_block* block;
    phx_vec3 *u, *r, *p, *kp, *scratch;
    phx_result result; // of the last product
} gradients;

static void turn(void* context, double beta) {
    const gradients* g = context;
    for (int i = 0; i < g->block->count; ++i) {
        g->p[i] = phxi_add_scaled(g->r[i], beta, g->p[i]);
    }
}

static double multiply(void* context) {
    gradients* g = context;
    g->result = stiffness_with(g->block, g->p, g->scratch, g->kp);
    return g->result == PHX_OK ? dot(g->block, g->p, g->kp) : 0;
}

static double forward(void* context, double alpha) {
    const gradients* g = context;
    for (int i = 0; i < g->block->count; ++i) {
        g->u[i] = phxi_add_scaled(g->u[i], alpha, g->p[i]);
        g->r[i] = phxi_add_scaled(g->r[i], -alpha, g->kp[i]);
    }
    return dot(g->block, g->r, g->r);
}

static phx_result conjugate_gradients(phxi_block* block, const phx_vec3* b, double tolerance, phx_vec3* u,
                                      phx_vec3* work) {
    int n = block->count;
    gradients g = {block, u, work, work + n, work + 2 * n, work + 3 * n, PHX_OK};
    phxi_cg_problem problem = {&g, turn, multiply, forward, NULL};
    PHXI_TRY(stiffness_with(block, u, g.scratch, g.kp));
    for (int i = 0; i < n; ++i) {
        g.p[i] = g.r[i] = block->held[i] ? (phx_vec3){0, 0, 0} : phxi_sub(b[i], g.kp[i]);
    }
    phxi_cg(&problem, dot(block, g.r, g.r), tolerance * tolerance * dot(block, b, b), 20000);
    return g.result;
}

phx_result phxi_block_solve(phxi_block* block, const phx_vec3* b, double tolerance, phx_vec3* u) {
    phx_vec3* work;
    PHXI_NEW(work, block->validation->heap, 4 * block->count, "conjugate gradients");
    phx_result result = conjugate_gradients(block, b, tolerance, u, work);
    phxi_free(block->validation->heap, work);
    return result;
}

phx_result phxi_block_fastest(phxi_block* block, int iterations, double* omega) {
    phx_vec3* work;
    PHXI_NEW(work, block->validation->heap, 2 * block->count, "power iteration");
    phx_vec3 *u = work, *ku = work + block->count;
    for (int i = 0; i < block->count; ++i) {
        // Any start that is not orthogonal to the fastest mode; its sign changes from particle to particle.
        u[i] = (phx_vec3){sin(12.9898 * i + 1), sin(78.233 * i + 2), sin(37.719 * i + 3)};
    }
    phx_result result = PHX_OK;
    for (int k = 0; k < iterations && result == PHX_OK; ++k) {
        result = phxi_block_stiffness(block, u, ku);
        *omega = sqrt(dot(block, u, ku) / mass_dot(block, u, u));
        double scale = 0;
        for (int i = 0; i < block->count; ++i) {
            u[i] = phxi_scale(1 / (double)block->world->particles.mass[i], ku[i]);
            scale = fmax(scale, phxi_length(u[i]));
        }
        for (int i = 0; i < block->count; ++i) {
            u[i] = phxi_scale(1 / scale, u[i]);
        }
    }
    phxi_free(block->validation->heap, work);
    return result;
}

phx_result phxi_block_spectrum(phxi_block* block, double** omegas) {
    int n = block->count, size = 3 * n;
    double* matrix;
    phx_vec3 *q, *kq;
    PHXI_NEW(matrix, block->validation->heap, (size_t)size * (size_t)size, "stiffness matrix");
    PHXI_NEW(*omegas, block->validation->heap, size, "spectrum");
    PHXI_NEW(kq, block->validation->heap, n, "column");
    q = phxi_alloc_zero(block->validation->heap, (size_t)n, sizeof *q, "unit vector");
    if (!q) {
        return PHX_ERROR_MEMORY;
    }
    const phx_real* mass = block->world->particles.mass;
    for (int column = 0; column < size; ++column) {
        double* entry = column % 3 == 0 ? &q[column / 3].x : column % 3 == 1 ? &q[column / 3].y : &q[column / 3].z;
        *entry = 1;
        PHXI_TRY(phxi_block_stiffness(block, q, kq));
        *entry = 0;
        for (int i = 0; i < n; ++i) {
            double scale = 1 / sqrt((double)mass[i] * (double)mass[column / 3]);
            matrix[(size_t)column * (size_t)size + (size_t)(3 * i)] = scale * kq[i].x;
            matrix[(size_t)column * (size_t)size + (size_t)(3 * i + 1)] = scale * kq[i].y;
            matrix[(size_t)column * (size_t)size + (size_t)(3 * i + 2)] = scale * kq[i].z;
        }
    }
    PHXI_TRY(phxi_eigenvalues_symmetric(block->validation->heap, matrix, size, *omegas));
    for (int k = 0; k < size; ++k) {
        (*omegas)[k] = (*omegas)[k] < 0 ? -sqrt(-(*omegas)[k]) : sqrt((*omegas)[k]);
    }
    phxi_free(block->validation->heap, matrix);
    phxi_free(block->validation->heap, q);
    phxi_free(block->validation->heap, kq);
    return PHX_OK;
}

phx_result phxi_block_swing(phxi_block* block, double period, int steps, int passages, phxi_block_amplitude amplitude,
                            const void* context, double* measured) {
    double dt = period / steps, last = 0, first_time = 0, last_time = 0;
    int passed = 0;
    for (int k = 0; k < steps * passages && passed < passages; ++k) {
        PHXI_TRY(phx_world_substep(block->world, dt));
        double now = amplitude(block, context);
        if (k > 0 && (now < 0) != (last < 0)) {
            last_time = dt * (k + last / (last - now));
            first_time = passed == 0 ? last_time : first_time;
            ++passed;
        }
        last = now;
    }
    *measured = passed == passages ? 2 * (last_time - first_time) / (passages - 1) : NAN;
    return PHX_OK;
}

double phxi_block_clamp(phxi_block* block, double layer) {
    double last = 0;
    for (int i = 0; i < block->count; ++i) {
        block->held[i] = block->rest[i].x < PHXI_BLOCK_CLAMP * layer;
        last = block->held[i] ? fmax(last, block->rest[i].x) : last;
    }
    return last;
}

double phxi_block_timoshenko(const phxi_block_def* def, double gravity, double length, double x) {
    double width = def->cells[1] * def->spacing, area = width * width, inertia = width * width * width * width / 12;
    double load = def->material.density * gravity * area, e = def->material.young, nu = def->material.poisson;
    double shear = 5.0 / 6 * e / (2 * (1 + nu)) * area;
    double bending = x * x * (6 * length * length - 4 * length * x + x * x) / (24 * e * inertia);
    return load * (bending + (length * x - 0.5 * x * x) / shear);
}

phx_result phxi_block_sag(phxi_validation* v, const phxi_block_def* def, double* ratio) {
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, def, &block));
    double start = phxi_block_clamp(&block, def->spacing), length = def->cells[0] * def->spacing - start;
    phx_vec3 *u, *b;
    PHXI_NEW(b, v->heap, block.count, "load");
    u = phxi_alloc_zero(v->heap, (size_t)block.count, sizeof *u, "sag");
    if (!u) {
        return PHX_ERROR_MEMORY;
    }
    double g = 1e-3, last = 0, tip = 0, tips = 0;
    for (int i = 0; i < block.count; ++i) {
        b[i] = (phx_vec3){0, 0, -g * (double)block.world->particles.mass[i]};
        last = fmax(last, block.rest[i].x);
    }
    phx_result result = phxi_block_solve(&block, b, 1e-8, u);
    for (int i = 0; i < block.count; ++i) {
        if (block.rest[i].x > last - 1e-6) {
            tip -= u[i].z;
            tips += 1;
        }
    }
    // where the last row is, which lies a little before the free face
    *ratio = tip / tips / phxi_block_timoshenko(def, g, length, last - start);
    phxi_free(v->heap, u);
    phxi_free(v->heap, b);
    phxi_block_destroy(&block);
    return result;
}
