// SPDX-License-Identifier: MIT
// The work space of a body's implicit steps: made at once, so that steps allocate nothing.
#include "implicit/implicit_internal.h"

#include "math/decompose3.h"
#include "motion/explicit.h"

#include <string.h>

static phx_result allocate(phxi_implicit* s, int stencil_size) {
    phxi_heap* heap = s->heap;
    const char* label = "implicit";
    size_t n = (size_t)s->count, stride = (size_t)s->stride;
    phx_vec3* vectors;
    phx_real* planes;
    PHXI_NEW(vectors, heap, 12 * n, label);
    s->q = vectors;
    phx_vec3** const list[] = {&s->v,    &s->d,      &s->past,  &s->x, &s->xh, &s->force, &s->g, &s->contact_force,
                               &s->best, &s->kept_q, &s->kept_v};
    for (int k = 0; k < 11; ++k) {
        *list[k] = vectors + (size_t)(k + 1) * n;
    }
    planes = phxi_alloc_zero(heap, 30 * stride, sizeof *planes, label);
    if (!planes) {
        return PHX_ERROR_MEMORY;
    }
    s->dx[0] = planes;
    for (int k = 0; k < 30; ++k) {
        phx_real* plane = planes + (size_t)k * stride;
        if (k < 15) {
            phx_real** const five[] = {s->dx, s->r, s->z, s->p, s->ap};
            five[k / 3][k % 3] = plane;
        } else if (k < 27) {
            (k < 21 ? s->block : s->contact)[(k - 15) % 6] = plane;
        } else {
            s->arm[k - 27] = plane;
        }
    }
    PHXI_NEW(s->touched, heap, n, label);
    PHXI_NEW(s->drag, heap, n, label);
    PHXI_NEW(s->pair_begin, heap, 2 * n, label);
    s->pair_end = s->pair_begin + n;
    PHXI_NEW(s->rest_block, heap, 6 * n, label);
    PHXI_NEW(s->brick, heap, n, label);
    PHXI_NEW(s->brick_start, heap, n + 1, label);
    PHXI_NEW(s->brick_items, heap, n, label);
    PHXI_NEW(s->scratch, heap, n, label);
    s->sum_count = phxi_block_count(s->count, IMPLICIT_GRAIN);
    s->sums = phxi_alloc_zero(heap, (size_t)s->sum_count, sizeof *s->sums, label);
    PHXI_NEW(s->stencil.neighbor, heap, stencil_size, label);
    PHXI_NEW(s->stencil.gradient, heap, stencil_size, label);
    PHXI_NEW(s->stencil.arm, heap, stencil_size, label);
    size_t numbers = (size_t)stencil_size + (size_t)PHXI_NEAR_BRICKS * 6 * (size_t)(7 + 3 * stencil_size);
    PHXI_NEW(s->stencil.weight, heap, numbers, label);
    return s->sums ? PHX_OK : PHX_ERROR_MEMORY;
}

/// Mean and inverse second moment of the rest shape.
static void measure_rest(phxi_implicit* s, const phxi_particles* p) {
    double mass = 0;
    for (int i = s->begin; i < s->begin + s->count; ++i) {
        mass += (double)p->mass[i];
        s->rest_mean =
            phxi_add_scaled(s->rest_mean, (double)p->mass[i], phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
    }
    s->rest_mean = phxi_scale(1 / mass, s->rest_mean);
    phxi_sym3 span = {0};
    for (int i = s->begin; i < s->begin + s->count; ++i) {
        phx_vec3 x = phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), s->rest_mean);
        double m = (double)p->mass[i];
        span.xx += m * x.x * x.x, span.yy += m * x.y * x.y, span.zz += m * x.z * x.z;
        span.xy += m * x.x * x.y, span.xz += m * x.x * x.z, span.yz += m * x.y * x.z;
    }
    phxi_pseudo_inverse_sym3(&span, 1e-9, &s->rest_span, NULL);
}

phx_result phxi_implicit_create(phxi_heap* heap, const phxi_particles* particles, int begin, int count,
                                int stencil_size, bool bricks, phxi_implicit** implicit) {
    phxi_implicit* s = phxi_alloc_zero(heap, 1, sizeof *s, "implicit");
    if (!s) {
        return PHX_ERROR_MEMORY;
    }
    s->heap = heap;
    s->begin = begin;
    s->count = count;
    s->stride = (count + 15) / 16 * 16 + 16;
    phx_result result = allocate(s, stencil_size);
    if (result == PHX_OK) {
        result = bricks ? phxi_implicit_bricks(s, particles) : phxi_implicit_no_bricks(s);
    }
    if (result != PHX_OK) {
        phxi_implicit_destroy(s);
        return result;
    }
    measure_rest(s, particles);
    *implicit = s;
    return PHX_OK;
}

void phxi_implicit_destroy(phxi_implicit* s) {
    if (!s) {
        return;
    }
    void* const all[] = {s->q,
                         s->dx[0],
                         s->touched,
                         s->drag,
                         s->pair_begin,
                         s->rest_block,
                         s->brick,
                         s->brick_start,
                         s->brick_items,
                         s->scratch,
                         s->matrix,
                         s->built[0].inverse,
                         s->built[1].inverse,
                         s->coarse_r,
                         s->coarse_z,
                         s->stencil.neighbor,
                         s->stencil.gradient,
                         s->stencil.arm,
                         s->stencil.weight,
                         s->sums};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(s->heap, all[k]);
    }
    phxi_free(s->heap, s);
}

bool phxi_implicit_fits(const phxi_implicit* s, int begin, int count) {
    return s->begin == begin && s->count == count;
}

const phxi_implicit_report* phxi_implicit_last(const phxi_implicit* s) {
    return &s->report;
}

// -------------------------------------------------------------------------------------------------------------- choice

double phxi_implicit_length(const phxi_implicit_choice* choice) {
    return choice->dt > 0 ? choice->dt : 1.0 / 60;
}

phxi_implicit_def phxi_implicit_chosen(const phxi_implicit_choice* choice, const phx_material_def* material) {
    bool trapezoid = choice->integrator == PHXI_TRAPEZOID;
    bool newton = trapezoid || choice->integrator == PHXI_IMPLICIT_EULER;
    return (phxi_implicit_def){
        .newton = newton,
        .trapezoid = trapezoid,
        .iterations = choice->iterations > 0 ? choice->iterations : 6,
        .tolerance = choice->tolerance > 0 ? choice->tolerance
                     : newton              ? 1e-4
                                           : 1e-2,
        .newton_steps = 30,
        .newton_iterations = newton && choice->iterations > 0 ? choice->iterations : 60,
        .damping = material->damping,
        .young = material->young,
    };
}

void phxi_implicit_list_add(phxi_implicit_list* list, phxi_implicit_body body) {
    PHXI_ASSERT(list->count < list->capacity);
    int at = list->count++;
    for (; at > 0 && list->items[at - 1].implicit->begin > body.implicit->begin; --at) {
        list->items[at] = list->items[at - 1];
    }
    list->items[at] = body;
}
