// SPDX-License-Identifier: MIT
// Implicit steps of elastoplastic SPH, docs/theory/elastoplastic_sph.md E10: the matrix, how many iterations its solves
// take, what backward Euler and the trapezoidal rule make of swinging bars.
#include "methods/efg/efg_internal.h"
#include "validate/elastoplastic_sph/bar.h"

#include <math.h>
#include <stdio.h>

/// The only body's part of the solver.
static phxi_efg_slot* slot_of(const phxi_block* block) {
    return &((phxi_efg*)block->world->solvers.items[0].state)->slots.items[0];
}

// -------------------------------------------------------------------------------------------------------------- matrix

/// q . K p - p . K q over its size, of pairs of motions, at a state that is stretched and shaken.
static phx_result symmetry(phxi_block* block, double* worst, double* least) {
    phxi_step step = phxi_world_context(block->world, 0);
    phxi_efg* efg = block->world->solvers.items[0].state;
    phxi_efg_binding binding = {
        .efg = efg, .step = &step, .slot = slot_of(block), .elastic = &block->world->bodies.items[0].elastic};
    phxi_operator op = phxi_efg_operator(&binding);
    phx_vec3 *x, *force;
    phxi_heap* heap = block->validation->heap;
    int n = block->count, stride = n + 16;
    PHXI_NEW(x, heap, 2 * n, "positions");
    phx_real* planes = phxi_alloc_zero(heap, 12 * (size_t)stride, sizeof *planes, "motions");
    if (!planes) {
        return PHX_ERROR_MEMORY;
    }
    force = x + n;
    phx_real *q[3], *p[3], *kq[3], *kp[3];
    for (int a = 0; a < 3; ++a) {
        q[a] = planes + a * stride, p[a] = q[a] + 3 * stride, kq[a] = q[a] + 6 * stride, kp[a] = q[a] + 9 * stride;
    }
    for (int i = 0; i < n; ++i) {
        phx_vec3 shift = {sin(2.1 * i), sin(3.7 * i + 1), sin(4.9 * i + 2)};
        x[i] = phxi_add_scaled(block->rest[i], 0.1 * block->spacing, shift);
        x[i].x *= 1.1;
    }
    phxi_strain strain;
    op.forces(op.context, x, force, &strain);
    *worst = 0;
    *least = INFINITY;
    for (int trial = 0; trial < 8; ++trial) {
        for (int i = 0; i < n; ++i) {
            for (int a = 0; a < 3; ++a) {
                q[a][i] = (phx_real)sin((1.3 + trial) * i + 2 * a);
                p[a][i] = (phx_real)sin((2.9 + 0.7 * trial) * i + 3 * a + 1);
            }
        }
        op.product(op.context, (const phx_real* const*)q, kq);
        op.product(op.context, (const phx_real* const*)p, kp);
        double pkq = 0, qkp = 0, qkq = 0, pkp = 0;
        for (int a = 0; a < 3; ++a) {
            for (int i = 0; i < n; ++i) {
                pkq += (double)p[a][i] * (double)kq[a][i], qkp += (double)q[a][i] * (double)kp[a][i];
                qkq += (double)q[a][i] * (double)kq[a][i], pkp += (double)p[a][i] * (double)kp[a][i];
            }
        }
        *worst = fmax(*worst, fabs(pkq - qkp) / sqrt(qkq * pkp));
        *least = fmin(*least, fmin(qkq, pkp));
    }
    phxi_free(heap, x);
    phxi_free(heap, planes);
    return PHX_OK;
}

static phx_result matrix(phxi_validation* v) {
    phxi_esph_bar def = {
        .cells = {4, 3, 3}, .spacing = 0.5, .law = PHX_LAW_COROTATED, .poisson = 0.2, .integrator = "implicit_euler"};
    phxi_block block;
    double worst = NAN, least = NAN;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phx_result result = phx_world_substep(block.world, 0.1); // makes the work space
    result = result == PHX_OK ? symmetry(&block, &worst, &least) : result;
    phxi_block_destroy(&block);
    phxi_validate(v, "(p K q - q K p)/sqrt(q K q p K p), worst of 8", worst, 0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "motions with q K q not above 0", least > 0 ? 0 : 1, 0, 0);
    return result;
}

// --------------------------------------------------------------------------------------------------------------- swing

typedef struct swing {
    double period, kept, energy; // s; amplitude of the first mode in the last half over that of the start; of energy
    int iterations;              // of a linear solve, the most
} swing;

/// A bar let go from eps and followed for `duration` in steps of `dt`.
static phx_result follow(phxi_validation* v, phxi_esph_bar def, double eps, double dt, double duration, swing* s) {
    phxi_block block;
    double length = def.cells[0] * def.spacing;
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phxi_esph_stretch(&block, eps);
    double start = phxi_esph_energy(&block), before = phxi_esph_mode(&block, &length), amplitude = before, first = NAN,
           last = NAN;
    int crossings = 0;
    phx_result result = PHX_OK;
    *s = (swing){0};
    for (int k = 1; k * dt <= duration && result == PHX_OK; ++k) {
        result = phx_world_substep(block.world, dt);
        double now = phxi_esph_mode(&block, &length), energy = phxi_esph_energy(&block);
        if (before * now < 0) {
            last = dt * (k - now / (now - before));
            first = crossings++ == 0 ? last : first;
        }
        before = now;
        if (k * dt > 0.5 * duration) {
            s->kept = fmax(s->kept, fabs(now) / amplitude);
            s->energy = fmax(s->energy, energy / start);
        }
        const phxi_implicit_report* r = result == PHX_OK ? phxi_implicit_last(slot_of(&block)->implicit) : NULL;
        int each = r && r->passes > 0 ? r->iterations / r->passes : 0;
        s->iterations = each > s->iterations ? each : s->iterations;
    }
    s->period = crossings > 1 ? 2 * (last - first) / (crossings - 1) : NAN;
    phxi_block_destroy(&block);
    return result;
}

/// The cell of 1 cm: backward Euler slows and damps, the trapezoidal rule slows a little and keeps all.
static phx_result cell(phxi_validation* v) {
    phxi_esph_bar def = {.cells = {1, 1, 1},
                         .spacing = 0.01,
                         .law = PHX_LAW_COROTATED,
                         .held = true,
                         .tolerance = phxi_by_precision(0, 1) > 0 ? "1e-6" : "1e-8"};
    swing s;
    def.integrator = "implicit_euler";
    PHXI_TRY(follow(v, def, 0.002, 2e-3, 0.2, &s));
    phxi_validate_relative(v, "backward Euler, steps of 2 ms: frequency, Hz", 1 / s.period, 21.94, 5e-3);
    phxi_validate(v, "amplitude in the second half of 0.2 s", s.kept, 0.11, 0.03);
    def.integrator = "trapezoid";
    PHXI_TRY(follow(v, def, 0.002, 2e-3, 0.2, &s));
    phxi_validate_relative(v, "trapezoid, steps of 2 ms: frequency, Hz", 1 / s.period, 22.36, 2e-3);
    phxi_validate(v, "amplitude in the second half of 0.2 s", s.kept, 1, 0.01);
    PHXI_TRY(follow(v, def, 0.002, 5e-4, 0.2, &s));
    phxi_validate_relative(v, "trapezoid, steps of 0.5 ms: frequency, Hz", 1 / s.period, 22.50, 1e-3);
    return PHX_OK;
}

static const double limit = 1.13; // explicit stability limit, in d/c

/// The long bar at multiples of the explicit limit: the trapezoidal rule keeps its energy, backward Euler is slow.
/// After 100 s the bar, pressed by a fifth of its length in every swing, buckles.
static phx_result bars(phxi_validation* v) {
    phxi_esph_bar def = phxi_esph_long(0.5);
    char quantity[96];
    swing s;
    def.integrator = "trapezoid";
    def.tolerance = "1e-6";
    for (int k = 0; k < 4; ++k) {
        const int times[4] = {2, 5, 10, 20};
        PHXI_TRY(follow(v, def, 0.2, times[k] * limit * def.spacing, 60, &s));
        snprintf(quantity, sizeof quantity, "trapezoid at %d times the explicit limit: energy", times[k]);
        phxi_validate(v, quantity, s.energy, 1, 0.01);
        snprintf(quantity, sizeof quantity, "at %d times: iterations of a solve, the most", times[k]);
        phxi_validate(v, quantity, s.iterations, 50, 50);
    }
    def = phxi_esph_long(0.25);
    def.integrator = "implicit_euler";
    PHXI_TRY(follow(v, def, 0.2, 0.9 * limit * def.spacing, 60, &s));
    phxi_validate_relative(v, "backward Euler at 0.9 times: period, s", s.period, 20.06, 5e-3);
    phxi_validate(v, "its amplitude after 30 s", s.kept, 0.61, 0.1);
    PHXI_TRY(follow(v, def, 0.2, 4.5 * limit * def.spacing, 60, &s));
    phxi_validate_relative(v, "at 4.5 times: longer, far from the square root of 2", s.period, 21.06, 0.03);
    phxi_validate(v, "its amplitude after 30 s", s.kept, 0.087, 0.1);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_esph_implicit[] = {
    {"esph.matrix", "the matrix of implicit steps is symmetric and positive", matrix},
    {"esph.cell", "the bar of eight nodes in implicit steps", cell},
    {"esph.implicit", "a bar at multiples of the explicit limit", bars},
    {NULL, NULL, NULL},
};
