// SPDX-License-Identifier: MIT
// How many times the load an equilibrium bears before it buckles, docs/theory/statics.md section 4.
//
// K_0 is the tangent of a material without stress, turned along with every particle: what implicit steps call frozen.
// The exact tangent is K_0 + K_g; K_g grows with the load. So K_0 + t K_g has a direction without stiffness where 1/t
// is an eigenvalue of -K_0^-1 K_g, and the largest one is found by the method of Lanczos (1950) in the norm of K_0:
// each step is one product with the exact tangent and one linear solve with K_0, as any implicit step has it. Vectors
// are in double and made orthogonal to all before.
#include "implicit/implicit_internal.h"

#include "core/hash.h"

#include <string.h>

#define MOST   40   // steps
#define LEAST  4    // of them
#define LINEAR 1000 // iterations of a linear solve
#define EXACT  1e-4 // of a linear solve, and of the eigenvalue

/// Vectors go over all bodies of the system, one after the other, in the axes of the world.
typedef struct lanczos {
    phxi_implicit_system* y;
    int count; // particles
    phx_vec3 *v[MOST + 1], *kv[MOST + 1];
    phx_vec3 *load, *kept; // -K_g v; positions
    double alpha[MOST], beta[MOST + 1];
} lanczos;

static phx_result take(lanczos* l, phx_vec3** vector) {
    *vector = phxi_alloc_zero(l->y->step->heap, (size_t)l->count, sizeof **vector, "buckling");
    return *vector ? PHX_OK : PHX_ERROR_MEMORY;
}

static void release(lanczos* l) {
    for (int k = 0; k <= MOST; ++k) {
        phxi_free(l->y->step->heap, l->v[k]);
        phxi_free(l->y->step->heap, l->kv[k]);
    }
    phxi_free(l->y->step->heap, l->load);
    phxi_free(l->y->step->heap, l->kept);
}

static double dot(const lanczos* l, const phx_vec3* a, const phx_vec3* b) {
    double sum = 0;
    for (int i = 0; i < l->count; ++i) {
        sum += phxi_dot(a[i], b[i]);
    }
    return sum;
}

/// to = scale (to + factor from)
static void combine(const lanczos* l, phx_vec3* to, double factor, const phx_vec3* from, double scale) {
    for (int i = 0; i < l->count; ++i) {
        to[i] = phxi_scale(scale, phxi_add_scaled(to[i], factor, from[i]));
    }
}

static phx_vec3 free_part(const phxi_implicit_work* w, int i, phx_vec3 v) {
    return w->fixed[i]                   ? phxi_vec3(0, 0, 0)
           : phxi_implicit_on_rail(w, i) ? phxi_implicit_on_rail_only(w, i, v, phxi_vec3(0, 0, 0))
                                         : v;
}

/// Products are about the equilibrium again, by the frozen tangent.
static bool return_to_it(const lanczos* l) {
    const phx_vec3* from = l->kept;
    for (int k = 0; k < l->y->count; ++k) {
        phxi_implicit* s = l->y->works[k].s;
        memcpy(s->x, from, (size_t)s->count * sizeof *s->x);
        from += s->count;
    }
    return phxi_implicit_residual(l->y);
}

/// kv = K v, by the tangent that is set.
static void product(const lanczos* l, const phx_vec3* v, phx_vec3* kv) {
    for (int k = 0; k < l->y->count; ++k) {
        const phxi_implicit_work* w = &l->y->works[k];
        const phxi_implicit* s = w->s;
        phxi_mat3 axes = w->op->axes(w->op->context), back = phxi_mat3_transpose(&axes);
        for (int i = 0; i < s->count; ++i) {
            phxi_vector_set(s->p, i, phxi_mat3_apply(&back, v[i]));
        }
        w->op->product(w->op->context, (const phx_real* const*)s->p, s->ap);
        for (int i = 0; i < s->count; ++i) {
            kv[i] = free_part(w, i, phxi_mat3_apply(&axes, phxi_vector_at(s->ap, i)));
        }
        v += s->count, kv += s->count;
    }
}

/// x = K_0^-1 g
static void solve(const lanczos* l, const phx_vec3* g, phx_vec3* x) {
    for (int k = 0; k < l->y->count; ++k) {
        phxi_implicit_work* w = &l->y->works[k];
        for (int i = 0; i < w->s->count; ++i) {
            w->s->g[i] = phxi_scale(w->s->s, free_part(w, i, g[i]));
        }
        g += w->s->count;
    }
    phxi_implicit_solve(l->y, LINEAR, EXACT);
    for (int k = 0; k < l->y->count; ++k) {
        const phxi_implicit_work* w = &l->y->works[k];
        for (int i = 0; i < w->s->count; ++i) {
            x[i] = free_part(w, i, phxi_mat3_apply(&w->axes, phxi_vector_at(w->s->dx, i)));
        }
        x += w->s->count;
    }
}

/// How many eigenvalues of the tridiagonal matrix of `steps` steps are above x (Sturm).
static int above(const lanczos* l, int steps, double x) {
    int count = 0;
    double d = 1;
    for (int k = 0; k < steps; ++k) {
        d = l->alpha[k] - x - (k > 0 ? l->beta[k] * l->beta[k] / d : 0);
        d = d == 0 ? 1e-300 : d;
        count += d > 0;
    }
    return count;
}

static double largest(const lanczos* l, int steps) {
    double high = 0;
    for (int k = 0; k < steps; ++k) {
        high = fmax(high, fabs(l->alpha[k]) + (k > 0 ? l->beta[k] : 0) + (k + 1 < steps ? l->beta[k + 1] : 0));
    }
    double low = -high;
    for (int k = 0; k < 100; ++k) {
        double middle = (low + high) / 2;
        *(above(l, steps, middle) > 0 ? &low : &high) = middle;
    }
    return high;
}

/// Makes vector `at` orthogonal to those before and of unit length in the norm of K_0; returns its length before.
static double normalise(lanczos* l, int at) {
    for (int turn = 0; turn < 2; ++turn) {
        for (int k = 0; k < at; ++k) {
            combine(l, l->v[at], -dot(l, l->v[at], l->kv[k]), l->v[k], 1);
        }
    }
    product(l, l->v[at], l->kv[at]);
    double length = sqrt(fmax(0, dot(l, l->v[at], l->kv[at])));
    if (length > 0) {
        combine(l, l->v[at], 0, l->v[at], 1 / length);
        combine(l, l->kv[at], 0, l->kv[at], 1 / length);
    }
    return length;
}

/// Any force, and what gives way to it.
static phx_result begin(lanczos* l) {
    int at = 0;
    PHXI_TRY(take(l, &l->load));
    PHXI_TRY(take(l, &l->kept));
    PHXI_TRY(take(l, &l->v[0]));
    PHXI_TRY(take(l, &l->kv[0]));
    for (int k = 0; k < l->y->count; ++k) {
        const phxi_implicit_work* w = &l->y->works[k];
        for (int i = 0; i < w->s->count; ++i, ++at) {
            double unit[3];
            for (int a = 0; a < 3; ++a) {
                unit[a] = phxi_hash_unit(phxi_hash_pair(w->step->particles->id[w->s->begin + i], (uint64_t)a)) - 0.5;
            }
            l->kept[at] = w->s->x[i];
            l->load[at] = phxi_scale((double)w->mass[i], phxi_vec3(unit[0], unit[1], unit[2]));
        }
    }
    if (return_to_it(l)) {
        solve(l, l->load, l->v[0]);
        normalise(l, 0);
    }
    return PHX_OK;
}

/// -K_g v = K_0 v - K v
static bool find_load(lanczos* l, int at) {
    bool all = return_to_it(l);
    for (int k = 0; k < l->y->count; ++k) {
        all = l->y->works[k].op->project(l->y->works[k].op->context, true) && all;
    }
    product(l, l->v[at], l->load);
    combine(l, l->load, -1, l->kv[at], -1);
    return return_to_it(l) && all;
}

static phx_result iterate(lanczos* l, double* eigenvalue) {
    double last = 0;
    PHXI_TRY(begin(l));
    for (int k = 0; k < MOST; ++k) {
        if (!find_load(l, k)) {
            return PHX_OK;
        }
        l->alpha[k] = dot(l, l->v[k], l->load);
        *eigenvalue = largest(l, k + 1);
        bool settled = fabs(*eigenvalue - last) <= EXACT * fabs(*eigenvalue);
        if ((k >= LEAST && settled) || k + 1 == MOST) {
            return PHX_OK;
        }
        last = *eigenvalue;
        PHXI_TRY(take(l, &l->v[k + 1]));
        PHXI_TRY(take(l, &l->kv[k + 1]));
        solve(l, l->load, l->v[k + 1]);
        l->beta[k + 1] = normalise(l, k + 1);
        if (!(l->beta[k + 1] > 0)) {
            return PHX_OK; // there is no other direction
        }
    }
    return PHX_OK;
}

phx_result phxi_implicit_buckling(phxi_implicit_system* y) {
    phxi_implicit_statics* found = y->around->statics;
    lanczos l = {.y = y};
    double eigenvalue = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        l.count += w->s->count;
        found->touching = found->touching || w->touching || (w->paired && y->touching);
        if (!w->op->knows_stress || !w->op->knows_stress(w->op->context)) {
            found->stressless = w->s->begin;
        }
    }
    if (found->touching || found->stressless >= 0) {
        return PHX_OK;
    }
    phx_result result = iterate(&l, &eigenvalue);
    if (l.kept) {
        return_to_it(&l);
    }
    release(&l);
    found->steepest = fmax(found->steepest, eigenvalue);
    return result;
}
