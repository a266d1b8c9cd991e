// SPDX-License-Identifier: MIT
// Who is a neighbour of whom, with which weight, and the moment matrices: specs/efg.md section 3, README.md (1), (9).
//
// Radii come from the sampled spacing, not from the mean distance to the ten nearest that the specification names: that
// mean grows at faces, edges and corners, and with it the stencils there. The ten nearest only tell a cubic from a
// body-centred lattice, for the default.
#include "methods/efg/efg_internal.h"

#include "math/decompose3.h"
#include "neighbors/kernel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH     1.2  // of a radius with too few neighbours
#define GROWTHS    4    // at most
#define FLAT_RATIO 1e-2 // smallest over largest eigenvalue below which a neighbourhood counts as nearly plane
#define RANK_RATIO 1e-6 // and below which the direction is left out

/// What is needed while a body is being added; all of it is freed at the end.
typedef struct builder {
    phxi_heap* heap;
    phxi_pool* pool;
    const phxi_particles* particles;
    int begin, count;
    double scale;     // weights are multiplied by its cube, so that float never over- or underflows
    phx_real* radius; // h_i
    phx_real* enough; // first radius with four neighbours, 0: none yet
    phxi_lists lists;
    phxi_sym3* moment; // A_i
    phxi_sym3* inverse;
    double* stiffness; // c_i
    int* rank;
    phxi_mat3* basis;
    phxi_r4* scratch; // of stability.c
    phxi_search* search;
} builder;

static void builder_destroy(builder* b) {
    phxi_free(b->heap, b->radius);
    phxi_free(b->heap, b->enough);
    phxi_free(b->heap, b->moment);
    phxi_free(b->heap, b->inverse);
    phxi_free(b->heap, b->stiffness);
    phxi_free(b->heap, b->rank);
    phxi_free(b->heap, b->basis);
    phxi_free(b->heap, b->scratch);
    phxi_lists_destroy(b->heap, &b->lists);
    phxi_search_destroy(b->search);
}

static phx_result builder_init(builder* b, phxi_step* step, const phxi_body* body) {
    *b = (builder){.heap = step->heap,
                   .pool = step->pool,
                   .particles = step->particles,
                   .begin = body->begin,
                   .count = body->count};
    const char* label = "efg set-up";
    PHXI_NEW(b->radius, b->heap, b->count, label);
    PHXI_NEW(b->enough, b->heap, b->count, label);
    PHXI_NEW(b->moment, b->heap, b->count, label);
    PHXI_NEW(b->inverse, b->heap, b->count, label);
    PHXI_NEW(b->stiffness, b->heap, b->count, label);
    PHXI_NEW(b->rank, b->heap, b->count, label);
    PHXI_NEW(b->basis, b->heap, b->count, label);
    PHXI_NEW(b->scratch, b->heap, b->count + EFG_ROW_ALIGN, label);
    return phxi_search_create(b->heap, PHXI_SEARCH_GRID, &b->search);
}

static phxi_points rest_points(const builder* b) {
    const phxi_particles* p = b->particles;
    return (phxi_points){p->rest_x + b->begin, p->rest_y + b->begin, p->rest_z + b->begin, b->count};
}

static phx_vec3 rest_at(const builder* b, int i) {
    const phxi_particles* p = b->particles;
    return phxi_vec3(p->rest_x[b->begin + i], p->rest_y[b->begin + i], p->rest_z[b->begin + i]);
}

/// w_ij of the pair's mean radius, times scale^3.
static double weight(const builder* b, int i, int j, phx_vec3* x) {
    *x = phxi_sub(rest_at(b, j), rest_at(b, i));
    double h = ((double)b->radius[i] + (double)b->radius[j]) / 2 / b->scale;
    return phxi_kernel_value(PHXI_KERNEL_POLY6, phxi_length(*x) / b->scale, h);
}

static phx_result check_particles(const builder* b, const char* name) {
    const phxi_particles* p = b->particles;
    for (int i = b->begin; i < b->begin + b->count; ++i) {
        phx_vec3 x = rest_at(b, i - b->begin);
        if (!phxi_finite(x) || !(p->mass[i] > 0) || !(p->volume[i] > 0) || !(p->spacing[i] > 0) ||
            !isfinite(p->mass[i] + p->volume[i] + p->spacing[i])) {
            return phxi_fail(
                PHX_ERROR_ARGUMENT,
                "body '%s', particle %d: position (%g, %g, %g) m, mass %g kg, volume %g m^3, spacing %g m; "
                "expected finite positions and positive numbers",
                name, i - b->begin, x.x, x.y, x.z, (double)p->mass[i], (double)p->volume[i], (double)p->spacing[i]);
        }
    }
    return PHX_OK;
}

/// Particles along a space-filling curve, in bricks of four spacings.
static phx_result sort_particles(phxi_step* step, const phxi_body* body) {
    const phxi_particles* p = step->particles;
    phx_vec3* points = phxi_alloc(step->heap, (size_t)body->count, sizeof *points, "efg set-up");
    int* order = phxi_alloc(step->heap, (size_t)body->count, sizeof *order, "efg set-up");
    phx_result result = points && order ? PHX_OK : PHX_ERROR_MEMORY;
    double spacing = 0;
    for (int i = 0; i < body->count && result == PHX_OK; ++i) {
        int k = body->begin + i;
        points[i] = phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
        spacing += (double)p->spacing[k] / body->count;
    }
    if (result == PHX_OK) {
        // a little less than four, so that rounding does not decide where a fifth layer belongs
        result = phxi_curve_order(step->heap, points, body->count, 3.998 * spacing, order);
    }
    if (result == PHX_OK) {
        result = phxi_particles_reorder(step->particles, body->begin, body->count, order);
    }
    phxi_free(step->heap, points);
    phxi_free(step->heap, order);
    return result;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Mean distance r_i to the ten nearest (fewer in small bodies), m, into `mean`.
static phx_result mean_distances(builder* b, double* mean) {
    int* nearest;
    PHXI_NEW(nearest, b->heap, (size_t)b->count * EFG_NEAREST, "efg set-up");
    phx_result result = phxi_search_nearest(b->search, b->pool, rest_points(b), EFG_NEAREST, nearest);
    for (int i = 0; i < b->count && result == PHX_OK; ++i) {
        double sum = 0;
        int found = 0;
        for (; found < EFG_NEAREST && nearest[i * (int64_t)EFG_NEAREST + found] >= 0; ++found) {
            sum += phxi_distance(rest_at(b, i), rest_at(b, nearest[i * (int64_t)EFG_NEAREST + found]));
        }
        mean[i] = found ? sum / found : (double)b->particles->spacing[b->begin + i];
    }
    phxi_free(b->heap, nearest);
    return result;
}

/// r_i over the spacing is 1.166 inside a cubic lattice and 0.893 inside a body-centred one, more at surfaces; the
/// median tells them apart.
static phx_result automatic_support(builder* b, double* support) {
    double* mean;
    PHXI_NEW(mean, b->heap, b->count, "efg set-up");
    phx_result result = mean_distances(b, mean);
    if (result == PHX_OK) {
        for (int i = 0; i < b->count; ++i) {
            mean[i] /= (double)b->particles->spacing[b->begin + i];
        }
        qsort(mean, (size_t)b->count, sizeof *mean, compare_doubles);
        *support = mean[b->count / 2] < 1.06 ? 1.2 : 1.8;
    }
    phxi_free(b->heap, mean);
    return result;
}

static void moments_of(void* context, int begin, int end, int block) {
    (void)block;
    builder* b = context;
    for (int i = begin; i < end; ++i) {
        phxi_sym3 a = {0};
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            phx_vec3 x;
            double w = weight(b, i, b->lists.items[k], &x);
            a.xx += w * x.x * x.x, a.yy += w * x.y * x.y, a.zz += w * x.z * x.z;
            a.xy += w * x.x * x.y, a.xz += w * x.x * x.z, a.yz += w * x.y * x.z;
        }
        double values[3];
        phxi_eigen_sym3(&a, values, &b->basis[i]);
        b->moment[i] = a;
        b->rank[i] = 0;
        for (int k = 0; k < 3; ++k) {
            b->rank[i] += values[k] > RANK_RATIO * values[0];
        }
        // marked for growth: too few, or nearly in a plane
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        if (neighbors >= 4 && b->enough[i] == 0) {
            b->enough[i] = b->radius[i];
        }
        bool good = neighbors >= 4 && values[2] >= FLAT_RATIO * values[0];
        b->stiffness[i] = good ? 0 : 1;
    }
}

static phx_result find_pairs(builder* b) {
    PHXI_TRY(phxi_search_pairs(b->search, b->pool, rest_points(b), b->radius, 0, &b->lists));
    phxi_parallel_for(b->pool, b->count, EFG_BLOCK, moments_of, b);
    return PHX_OK;
}

/// Neighbourhoods with at least four neighbours that are not in a plane, where growing the radius can give them. Sheets
/// and rods, where it cannot, get the first radius with four neighbours back.
static phx_result find_neighborhoods(builder* b, double support) {
    double spacing = 0;
    for (int i = 0; i < b->count; ++i) {
        b->radius[i] = (phx_real)(support * (double)b->particles->spacing[b->begin + i]);
        b->enough[i] = 0;
        spacing += (double)b->particles->spacing[b->begin + i] / b->count;
    }
    b->scale = spacing;
    PHXI_TRY(find_pairs(b));
    for (int growth = 0; growth <= GROWTHS; ++growth) {
        int bad = 0;
        for (int i = 0; i < b->count; ++i) {
            if (b->stiffness[i] > 0) {
                ++bad;
                bool last = growth == GROWTHS;
                b->radius[i] = !last              ? (phx_real)(GROWTH * (double)b->radius[i])
                               : b->enough[i] > 0 ? b->enough[i]
                                                  : b->radius[i];
            }
        }
        if (!bad) {
            break;
        }
        PHXI_TRY(find_pairs(b));
    }
    return PHX_OK;
}

/// V_i = m_i / rho_i with rho_i = sum_j m_j w_ij (self included), m_i = s rho r_i^3, s such that the mean density of
/// particles with full neighbourhoods is rho. specs/efg.md section 3, option density_sum.
static phx_result density_volumes(builder* b, double density) {
    double *cube, *sum;
    PHXI_NEW(cube, b->heap, (size_t)b->count * 2, "efg set-up");
    sum = cube + b->count;
    phx_result result = mean_distances(b, cube);
    if (result != PHX_OK) {
        phxi_free(b->heap, cube);
        return result;
    }
    int64_t most = 0;
    for (int i = 0; i < b->count; ++i) {
        double r = cube[i] / b->scale;
        cube[i] = r * r * r;
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        most = neighbors > most ? neighbors : most;
    }
    double inside = 0;
    int inside_count = 0;
    for (int i = 0; i < b->count; ++i) {
        phx_vec3 x;
        double weights = weight(b, i, i, &x);
        sum[i] = cube[i] * weights;
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            double w = weight(b, i, b->lists.items[k], &x);
            sum[i] += cube[b->lists.items[k]] * w;
            weights += w;
        }
        if (10 * (b->lists.start[i + 1] - b->lists.start[i]) >= 9 * most) {
            inside += cube[i] * weights;
            ++inside_count;
        }
    }
    double s = inside_count / inside;
    for (int i = 0; i < b->count; ++i) {
        double mass = s * density * cube[i] * b->scale * b->scale * b->scale;
        b->particles->mass[b->begin + i] = (phx_real)mass;
        b->particles->volume[b->begin + i] = (phx_real)(mass / (s * density * sum[i]));
    }
    phxi_free(b->heap, cube);
    return PHX_OK;
}

/// A^+ and the hourglass stiffness c_i = alpha E V_i / tr A_i.
static void invert_moments(builder* b, double alpha_young) {
    for (int i = 0; i < b->count; ++i) {
        phxi_pseudo_inverse_sym3(&b->moment[i], RANK_RATIO, &b->inverse[i], NULL);
        double trace = b->moment[i].xx + b->moment[i].yy + b->moment[i].zz;
        b->stiffness[i] = trace > 0 ? alpha_young * (double)b->particles->volume[b->begin + i] / trace : 0;
    }
}

/// Room for everything, so that filling cannot fail.
static phx_result reserve(phxi_efg* efg, const builder* b, int rows, int* flats, int* pairs) {
    int64_t padded = 0;
    *flats = 0;
    for (int i = 0; i < b->count; ++i) {
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        padded += neighbors + neighbors % 2;
        *flats += b->rank[i] < 3;
    }
    int first = efg->u.count, blocks = (b->count + EFG_BLOCK - 1) / EFG_BLOCK;
    if (padded > INT_MAX - efg->offset.count || first > INT_MAX / (int)sizeof(phxi_r4) - rows) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "%d particles with %lld neighbours are more than one efg solver can hold", first + b->count,
                         (long long)padded + efg->offset.count);
    }
    *pairs = (int)padded;
    phxi_heap* heap = b->heap;
    bool room = phxi_array_reserve(&efg->start, rows + 1, heap, "efg rows") &&
                phxi_array_reserve(&efg->gradient, *pairs, heap, "efg pairs") &&
                phxi_array_reserve(&efg->offset, *pairs, heap, "efg pairs") &&
                phxi_array_reserve(&efg->groups, rows / EFG_LANES, heap, "efg rows") &&
                phxi_array_reserve(&efg->lanes, rows / EFG_LANES, heap, "efg rows") &&
                phxi_array_reserve(&efg->u, rows, heap, "efg rows") &&
                phxi_array_reserve(&efg->rows, rows, heap, "efg rows") &&
                phxi_array_reserve(&efg->flats, *flats, heap, "efg rows") &&
                phxi_array_reserve(&efg->blocks, blocks, heap, "efg blocks") &&
                phxi_array_reserve(&efg->sums, blocks, heap, "efg blocks") &&
                phxi_array_reserve(&efg->slots, 1, heap, "efg bodies");
    return room ? PHX_OK : PHX_ERROR_MEMORY;
}

/// Gradients, neighbours and constants of particle i of the body in row r.
static void fill_row(phxi_efg* efg, const builder* b, int i, int first) {
    int r = first + i, at = efg->start.items[r];
    double sum_y[3] = {0}, sum_w = 0, sum_cw = 0;
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k, ++at) {
        int j = b->lists.items[k];
        phx_vec3 x;
        double w = weight(b, i, j, &x);
        phxi_r4 y = {(phx_real)(w * x.x), (phx_real)(w * x.y), (phx_real)(w * x.z), (phx_real)w};
        efg->gradient.items[at] = y;
        efg->offset.items[at] = (first + j) * (int)sizeof(phxi_r4);
        // sums of what was stored: rigid shifts then cancel to the last digit that can be had
        sum_y[0] += (double)y[0], sum_y[1] += (double)y[1], sum_y[2] += (double)y[2];
        sum_w += (double)y[3];
        sum_cw += (double)y[3] * (double)(phx_real)b->stiffness[j];
    }
    for (; at < efg->start.items[r + 1]; ++at) {
        efg->gradient.items[at] = (phxi_r4){0};
        efg->offset.items[at] = r * (int)sizeof(phxi_r4);
    }
    phxi_efg_group* g = &efg->groups.items[r / EFG_LANES];
    int lane = r % EFG_LANES;
    const phxi_sym3* a = &b->inverse[i];
    const double inverse[6] = {a->xx, a->yy, a->zz, a->xy, a->xz, a->yz};
    for (int k = 0; k < 6; ++k) {
        g->inverse[k][lane] = (phx_real)inverse[k];
    }
    for (int k = 0; k < 3; ++k) {
        g->sum_y[k][lane] = (phx_real)sum_y[k];
    }
    g->sum_w[lane] = (phx_real)sum_w;
    g->sum_cw[lane] = (phx_real)sum_cw;
    g->volume[lane] = b->particles->volume[b->begin + i];
    g->stiffness[lane] = (phx_real)b->stiffness[i];
}

typedef struct fill_context {
    phxi_efg* efg;
    const builder* b;
    int first;
} fill_context;

static void fill_rows(void* context, int begin, int end, int block) {
    (void)block;
    const fill_context* c = context;
    for (int i = begin; i < end; ++i) {
        fill_row(c->efg, c->b, i, c->first);
    }
}

static void fill(phxi_efg* efg, const builder* b, int body, const phxi_efg_params* params, int rows, int flats,
                 int pairs) {
    int first = efg->u.count, pair = efg->offset.count;
    int* start = efg->start.items + first;
    start[0] = pair;
    for (int i = 0; i < rows; ++i) {
        int64_t neighbors = i < b->count ? b->lists.start[i + 1] - b->lists.start[i] : 0;
        start[i + 1] = start[i] + (int)(neighbors + neighbors % 2);
    }
    memset(efg->groups.items + first / EFG_LANES, 0, (size_t)rows / EFG_LANES * sizeof *efg->groups.items);
    memset(efg->lanes.items + first / EFG_LANES, 0, (size_t)rows / EFG_LANES * sizeof *efg->lanes.items);
    memset(efg->u.items + first, 0, (size_t)rows * sizeof *efg->u.items);
    memset(efg->rows.items + first, 0, (size_t)rows * sizeof *efg->rows.items);
    phxi_parallel_for(b->pool, b->count, EFG_BLOCK, fill_rows, &(fill_context){efg, b, first});

    int flat = efg->flats.count, blocks = efg->blocks.count;
    for (int begin = 0; begin < b->count; begin += EFG_BLOCK) {
        int count = b->count - begin < EFG_BLOCK ? b->count - begin : EFG_BLOCK, flat_begin = flat;
        for (int i = begin; i < begin + count; ++i) {
            if (b->rank[i] < 3) {
                efg->flats.items[flat++] = (phxi_efg_flat){first + i, b->rank[i], b->basis[i]};
            }
        }
        efg->blocks.items[blocks++] = (phxi_efg_block){first + begin, count, efg->slots.count, flat_begin, flat};
    }
    phxi_efg_slot* slot = &efg->slots.items[efg->slots.count];
    *slot = (phxi_efg_slot){.body = body,
                            .begin = b->begin,
                            .count = b->count,
                            .row = first,
                            .block_begin = efg->blocks.count,
                            .block_end = blocks,
                            .params = *params};
    phxi_efg_fit_sample(slot, b->particles);
    efg->start.count = first + rows + 1;
    efg->gradient.count = efg->offset.count = pair + pairs;
    efg->groups.count = efg->lanes.count = (first + rows) / EFG_LANES;
    efg->u.count = efg->rows.count = first + rows;
    efg->flats.count += flats;
    efg->blocks.count = efg->sums.count = blocks;
    ++efg->slots.count;
}

static phx_result build(phxi_efg* efg, phxi_step* step, builder* b, int index) {
    const phxi_body* body = &step->bodies[index];
    const phxi_efg_params* params = body->params;
    double support = params->support;
    if (support == 0) {
        PHXI_TRY(automatic_support(b, &support));
    }
    PHXI_TRY(find_neighborhoods(b, support));
    if (params->volumes == EFG_DENSITY_SUM) {
        PHXI_TRY(density_volumes(b, body->material.density));
    }
    invert_moments(b, params->hourglass * body->material.young);
    int rows = (b->count + EFG_ROW_ALIGN - 1) / EFG_ROW_ALIGN * EFG_ROW_ALIGN, flats = 0, pairs = 0;
    PHXI_TRY(reserve(efg, b, rows, &flats, &pairs));
    fill(efg, b, index, params, rows, flats, pairs);
    efg->slots.items[efg->slots.count - 1].support = support;
    phxi_efg_set_rest_dt(efg, step, efg->slots.count - 1, b->scratch);
    return PHX_OK;
}

phx_result phxi_efg_add_rows(phxi_efg* efg, phxi_step* step, int index) {
    const phxi_body* body = &step->bodies[index];
    builder b;
    phx_result result = builder_init(&b, step, body);
    if (result == PHX_OK) {
        result = check_particles(&b, body->name);
    }
    if (result == PHX_OK) {
        result = sort_particles(step, body);
    }
    if (result == PHX_OK) {
        result = build(efg, step, &b, index);
    }
    builder_destroy(&b);
    return result;
}
