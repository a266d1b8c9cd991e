// SPDX-License-Identifier: MIT
// Who is a neighbour of whom, with which weight, and the moment matrices: docs/theory/efg.md (1), (9).
//
// Radii come from the sampled spacing, not from the mean distance to the ten nearest of the published method: that mean
// grows at faces, edges and corners, and with it the stencils there. The ten nearest only tell a cubic from a
// body-centred lattice, for the default.
#include "methods/efg/build/build.h"

#include "math/decompose3.h"
#include "methods/efg/fracture/fracture.h"
#include "methods/efg/lattice/lattice.h"
#include "methods/efg/plastic.h"
#include "neighbors/kernel.h"

#define GROWTH  1.2 // of a radius with too few neighbours
#define GROWTHS 4   // at most
/// Of the radius: edges of a lattice that fits its body are not all one spacing, and a neighbour two edges away that is
/// within 1.999 spacings would weigh a ten thousandth of the nearest, at a seventh of the time of a substep.
#define CUT        0.98
#define FLAT_RATIO 1e-2 // smallest over largest eigenvalue below which a neighbourhood counts as nearly plane

static const char label[] = "efg set-up";

static void builder_destroy(builder* b) {
    phxi_free(b->heap, b->radius);
    phxi_free(b->heap, b->enough);
    phxi_free(b->heap, b->moment);
    phxi_free(b->heap, b->stiffness);
    phxi_free(b->heap, b->rank);
    phxi_free(b->heap, b->spread);
    phxi_free(b->heap, b->basis);
    phxi_free(b->heap, b->scratch);
    phxi_free(b->heap, b->balance);
    phxi_free(b->heap, b->metric);
    phxi_free(b->heap, b->reach);
    phxi_free(b->heap, b->wide);
    phxi_lists_destroy(b->heap, &b->lists);
    phxi_clamp_destroy(b->heap, &b->clamp);
    phxi_search_destroy(b->search);
}

static phx_result builder_init(builder* b, const phxi_efg* efg, phxi_step* step, const phxi_body* body, int reference) {
    *b = (builder){.heap = step->heap,
                   .held = body->plane == PHX_SLICE_STRAIN,
                   .pool = step->pool,
                   .particles = step->particles,
                   .begin = body->begin,
                   .count = body->count,
                   .reference = reference,
                   .kernel = efg->variant->kernel,
                   .cut = body->conforming ? CUT : 1,
                   .usual = body->conforming ? EFG_SUPPORT : efg->variant->support,
                   .expands = body->expands,
                   .own_lists = phxi_efg_cracks(body)};
    for (int axis = 0; axis < 3; ++axis) {
        b->rest[axis] = step->particles->fields[reference + axis].data;
    }
    b->rest_areas = body->conforming && b->rest[0] == step->particles->rest_x;
    PHXI_NEW(b->radius, b->heap, b->count, label);
    PHXI_NEW(b->enough, b->heap, b->count, label);
    PHXI_NEW(b->moment, b->heap, b->count, label);
    PHXI_NEW(b->stiffness, b->heap, b->count, label);
    PHXI_NEW(b->rank, b->heap, b->count, label);
    PHXI_NEW(b->spread, b->heap, b->count, label);
    PHXI_NEW(b->basis, b->heap, b->count, label);
    PHXI_NEW(b->scratch, b->heap, b->count + EFG_ROW_ALIGN, label);
    return phxi_search_create(b->heap, PHXI_SEARCH_GRID, &b->search);
}

/// x^T G x.
static double square_in(const phxi_sym3* g, phx_vec3 x) {
    return g->xx * x.x * x.x + g->yy * x.y * x.y + g->zz * x.z * x.z +
           2 * (g->xy * x.x * x.y + g->xz * x.x * x.z + g->yz * x.y * x.z);
}

/// Of a pair, in the mean of its metrics: the same bits either way.
static double distance(const builder* b, int i, int j, phx_vec3 x) {
    return b->metric ? sqrt((square_in(&b->metric[i], x) + square_in(&b->metric[j], x)) / 2) : phxi_length(x);
}

double phxi_efg_weight(const builder* b, int i, int64_t pair, phx_vec3 x) {
    int j = b->lists.items[pair];
    double h = ((double)b->radius[i] + (double)b->radius[j]) / 2 / b->scale;
    double w = phxi_kernel_value(b->kernel, distance(b, i, j, x) / b->scale, h);
    return b->balance ? b->balance[pair] * w : w;
}

/// Weight and difference of a pair.
static double weight(const builder* b, int i, int64_t pair, phx_vec3* x) {
    *x = phxi_sub(phxi_efg_rest(b, b->lists.items[pair]), phxi_efg_rest(b, i));
    return phxi_efg_weight(b, i, pair, *x);
}

static phx_result check_particles(const builder* b, const char* name) {
    const phxi_particles* p = b->particles;
    for (int i = b->begin; i < b->begin + b->count; ++i) {
        phx_vec3 x = phxi_efg_rest(b, i - b->begin);
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

/// Particles along the runs of their lattice, if they have one; else along a space-filling curve, in bricks of four
/// spacings.
static phx_result sort_particles(phxi_step* step, const phxi_body* body, phxi_lattice_fit* fit) {
    const phxi_particles* p = step->particles;
    phx_vec3* points = phxi_alloc(step->heap, (size_t)body->count, sizeof *points, "efg set-up");
    int* order = phxi_alloc(step->heap, (size_t)body->count, sizeof *order, "efg set-up");
    phx_result result = points && order ? PHX_OK : PHX_ERROR_MEMORY;
    double spacing = 0;
    const phxi_efg_params* params = body->params;
    bool even = !phxi_efg_cracks(body);
    for (int i = 0; i < body->count && result == PHX_OK; ++i) {
        int k = body->begin + i;
        points[i] = phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
        spacing += (double)p->spacing[k] / body->count;
        even = even && p->spacing[k] == p->spacing[body->begin];
    }
    if (result == PHX_OK && even) {
        result = phxi_lattice_find(step->heap, points, body->count, (double)p->spacing[body->begin], fit);
    }
    if (result == PHX_OK && fit->cells && params->path != EFG_PATH_ROWS) {
        phxi_lattice_order(fit, order);
    } else if (result == PHX_OK) {
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

static phx_real first_radius(const builder* b, int i) {
    double widened = b->widened ? 1 + (double)b->widened[b->begin + i] : 1;
    return (phx_real)(b->support * widened * (double)b->particles->spacing[b->begin + i]);
}

/// How far the neighbours are spread along each direction q of a basis: one over sum_j d^2, d = A^-1 w x_ij . q, the
/// gradient's sensitivity to their displacements. One neighbour at z gives z^2, whatever its weight.
static void find_spread(builder* b, int i, const phxi_mat3* basis) {
    double *spread = b->spread[i], square[3] = {0};
    spread[0] = spread[1] = spread[2] = 0;
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
        phx_vec3 x;
        double w = weight(b, i, k, &x);
        for (int d = 0; d < 3; ++d) {
            double along = x.x * basis->m[0][d] + x.y * basis->m[1][d] + x.z * basis->m[2][d];
            spread[d] += w * along * along;
            square[d] += w * w * along * along;
        }
    }
    for (int d = 0; d < 3; ++d) {
        spread[d] = square[d] > 0 ? spread[d] * spread[d] / square[d] : 0;
    }
}

/// What a neighbourhood looks like in the metric of its particle: eigenvalues of its moment, and spreads. A stretched
/// shape is then as solid as it was before it was stretched.
static void find_shape(builder* b, int i, double values[3]) {
    phxi_eigen_sym3(&b->moment[i], values, &b->basis[i]);
    b->rank[i] = 0;
    for (int k = 0; k < 3; ++k) {
        b->rank[i] += values[k] > EFG_RANK_RATIO * values[0];
    }
    if (!b->metric) {
        find_spread(b, i, &b->basis[i]);
        return;
    }
    double squares[3];
    phxi_mat3 axes, root = {0}, moment = phxi_sym3_full(&b->moment[i]);
    phxi_eigen_sym3(&b->metric[i], squares, &axes);
    for (int k = 0; k < 27; ++k) {
        root.m[k / 9][k / 3 % 3] += axes.m[k / 9][k % 3] * sqrt(squares[k % 3]) * axes.m[k / 3 % 3][k % 3];
    }
    moment = phxi_mat3_mul(&root, &moment);
    moment = phxi_mat3_mul(&moment, &root);
    phxi_sym3 seen = {moment.m[0][0], moment.m[1][1], moment.m[2][2], moment.m[0][1], moment.m[0][2], moment.m[1][2]};
    phxi_eigen_sym3(&seen, values, &axes);
    axes = phxi_mat3_mul(&root, &axes);
    find_spread(b, i, &axes);
}

static void moments_of(void* context, int begin, int end, int block) {
    (void)block;
    builder* b = context;
    for (int i = begin; i < end; ++i) {
        phxi_sym3 a = {0};
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            phx_vec3 x;
            double w = weight(b, i, k, &x);
            a.xx += w * x.x * x.x, a.yy += w * x.y * x.y, a.zz += w * x.z * x.z;
            a.xy += w * x.x * x.y, a.xz += w * x.x * x.z, a.yz += w * x.y * x.z;
        }
        double values[3];
        b->moment[i] = a;
        find_shape(b, i, values);
        // marked for growth: too few, or nearly in a plane; a radius once grown must give a solid, or it is not kept
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        bool first = b->radius[i] == first_radius(b, i);
        if (neighbors > b->rank[i] && b->enough[i] == 0) {
            b->enough[i] = b->radius[i];
        }
        bool good = neighbors >= 4 && (first ? values[2] >= FLAT_RATIO * values[0] : !phxi_efg_is_thin(b->spread[i]));
        b->stiffness[i] = good || phxi_clamp_is_deep(&b->clamp, i) ? 0 : 1;
    }
}

/// Pairs of the lists that are near each other in their metric; the others go.
static void keep_near(builder* b) {
    int64_t* start = b->lists.start;
    int64_t kept = 0;
    for (int i = 0; i < b->count; ++i) {
        int64_t k = start[i];
        start[i] = kept;
        for (; k < start[i + 1]; ++k) {
            int j = b->lists.items[k];
            double h = ((double)b->radius[i] + (double)b->radius[j]) / 2;
            if (distance(b, i, j, phxi_sub(phxi_efg_rest(b, j), phxi_efg_rest(b, i))) < b->cut * h) {
                b->lists.items[kept++] = j;
            }
        }
    }
    start[b->count] = kept;
}

static phx_result find_pairs(builder* b) {
    if (!b->wide && b->cut < 1) {
        PHXI_NEW(b->wide, b->heap, b->count, "efg set-up");
    }
    for (int i = 0; i < b->count && b->wide; ++i) {
        b->wide[i] = (phx_real)((b->metric ? b->reach[i] : b->cut) * (double)b->radius[i]);
    }
    const phx_real* radius = b->wide ? b->wide : b->radius;
    PHXI_TRY(phxi_search_pairs(b->search, b->pool, phxi_efg_rest_points(b), radius, 0, &b->lists));
    if (b->metric) {
        keep_near(b);
    }
    if (b->gripped && !b->clamp.deep) {
        PHXI_TRY(phxi_clamp_find(b->heap, b->particles, b->begin, b->count, &b->lists, &b->clamp));
    }
    if (b->clamp.deeps > 0) {
        phxi_clamp_filter(&b->clamp, &b->lists);
    }
    phxi_parallel_for(b->pool, b->count, EFG_BLOCK, moments_of, b);
    return PHX_OK;
}

/// Mean of the ten smallest distances in a row of the lists over the spacing; large if there are not so many.
static double crowding(const builder* b, int i) {
    double least[EFG_NEAREST];
    int found = 0;
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
        double r = phxi_distance(phxi_efg_rest(b, i), phxi_efg_rest(b, b->lists.items[k]));
        int at = found < EFG_NEAREST ? found++ : EFG_NEAREST;
        for (; at > 0 && least[at - 1] > r; --at) {
            if (at < EFG_NEAREST) {
                least[at] = least[at - 1];
            }
        }
        if (at < EFG_NEAREST) {
            least[at] = r;
        }
    }
    double sum = 0;
    for (int k = 0; k < found; ++k) {
        sum += least[k] / EFG_NEAREST;
    }
    return found < EFG_NEAREST ? INFINITY : sum / (double)b->particles->spacing[b->begin + i];
}

/// r_i over the spacing is 1.166 inside a cubic lattice and 0.893 inside a body-centred one, more at surfaces; most of
/// the particles tell them apart. Looks at the lists of the usual radius.
static double automatic_support(const builder* b) {
    int close = 0;
    for (int i = 0; i < b->count; ++i) {
        close += crowding(b, i) < 1.06;
    }
    return 2 * (int64_t)close > b->count ? 1.2 : b->usual;
}

static phx_result start_search(builder* b, double support) {
    b->scale = 0;
    b->support = support;
    for (int i = 0; i < b->count; ++i) {
        b->radius[i] = first_radius(b, i);
        b->enough[i] = 0;
        b->scale += (double)b->particles->spacing[b->begin + i] / b->count;
    }
    return find_pairs(b);
}

/// Neighbourhoods with at least four neighbours that are not in a plane, where growing the radius can give them. Sheets
/// and rods, where it cannot, get the first radius back that spans them.
static phx_result find_neighborhoods(builder* b, double* support) {
    bool automatic = *support == 0;
    PHXI_TRY(start_search(b, automatic ? b->usual : *support));
    if (automatic && (*support = automatic_support(b)) != b->usual) {
        PHXI_TRY(start_search(b, *support));
    }
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

/// What weights of bodies without a lattice are made of: of all pairs the factor by the volumes of their cells, which
/// is most of the way where cells have two sizes, the weight with it, and e of balance.h; of particles what is asked.
typedef struct balance_arrays {
    double *cells, *weight, *volume;
    float* e;
    bool *flat, *open;
} balance_arrays;

static void fill_balance(const builder* b, balance_arrays* a) {
    const phx_real* spacing = b->particles->spacing + b->begin;
    for (int i = 0; i < b->count; ++i) {
        a->volume[i] = (double)phxi_efg_volume(b, i);
        a->open[i] = phxi_clamp_cuts(&b->clamp, i);
        a->flat[i] = b->rank[i] < 3 || phxi_efg_is_thin(b->spread[i]);
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            phx_vec3 x;
            double w = weight(b, i, k, &x),
                   edges = (double)spacing[i] / b->scale * ((double)spacing[b->lists.items[k]] / b->scale);
            a->cells[k] = edges * edges * edges;
            a->weight[k] = a->cells[k] * w;
        }
    }
}

static phx_result allocate_balance(const builder* b, balance_arrays* a) {
    size_t count = (size_t)b->count, pairs = (size_t)b->lists.start[b->count];
    PHXI_NEW(a->cells, b->heap, pairs, label);
    PHXI_NEW(a->weight, b->heap, pairs, label);
    PHXI_NEW(a->volume, b->heap, count, label);
    PHXI_NEW(a->e, b->heap, pairs, label);
    PHXI_NEW(a->flat, b->heap, count, label);
    PHXI_NEW(a->open, b->heap, count, label);
    return PHX_OK;
}

/// Weights of bodies without a lattice.
static phx_result balance(builder* b) {
    const phxi_particles* p = b->particles;
    const phx_real* const area[3] = {p->area_x, p->area_y, p->area_z};
    balance_arrays a = {0};
    bool regular;
    phx_result result = allocate_balance(b, &a);
    if (result == PHX_OK) {
        fill_balance(b, &a);
        phxi_balance_body body = {.heap = b->heap,
                                  .pool = b->pool,
                                  .label = label,
                                  .count = b->count,
                                  .lists = &b->lists,
                                  .rest = {b->rest[0] + b->begin, b->rest[1] + b->begin, b->rest[2] + b->begin},
                                  .spacing = p->spacing + b->begin,
                                  .volume = a.volume,
                                  .flat = a.flat,
                                  .open = b->clamp.deeps > 0 ? a.open : NULL,
                                  .rank_ratio = EFG_RANK_RATIO};
        for (int k = 0; k < 3 && b->rest_areas; ++k) {
            body.area[k] = area[k] + b->begin;
        }
        result = phxi_balance(&body, a.weight, a.e, &regular);
    }
    for (int64_t k = 0; result == PHX_OK && k < b->lists.start[b->count]; ++k) {
        a.cells[k] *= exp((double)a.e[k]);
    }
    if (result == PHX_OK) {
        b->balance = a.cells;
        a.cells = NULL;
        phxi_parallel_for(b->pool, b->count, EFG_BLOCK, moments_of, b);
    }
    phxi_free(b->heap, a.cells);
    phxi_free(b->heap, a.weight);
    phxi_free(b->heap, a.volume);
    phxi_free(b->heap, a.e);
    phxi_free(b->heap, a.flat);
    phxi_free(b->heap, a.open);
    return result;
}

/// c_i = alpha E V_i / tr A_i.
static void set_stiffness(builder* b, double alpha_young) {
    for (int i = 0; i < b->count; ++i) {
        const phxi_sym3 one = {1, 1, 1, 0, 0, 0}, *a = &b->moment[i], *g = b->metric ? &b->metric[i] : &one;
        double trace = g->xx * a->xx + g->yy * a->yy + g->zz * a->zz +
                       2 * (g->xy * a->xy + g->xz * a->xz + g->yz * a->yz); // of G A
        b->stiffness[i] = trace > 0 ? alpha_young * (double)phxi_efg_volume(b, i) / trace : 0;
    }
}

/// The grid of the body if it can have one and wants one.
static phx_result build_lattice(const builder* b, const phxi_body* body, const phxi_lattice_fit* fit,
                                phxi_efg_lattice** lattice) {
    const phxi_efg_params* params = body->params;
    const char* why = NULL;
    *lattice = NULL;
    if (params->path == EFG_PATH_ROWS) {
        return PHX_OK;
    }
    if (params->adaptive) {
        why = "its particles may split (adaptive)";
    } else if (body->material.yield > 0) {
        why = "its material can flow (yield)";
    } else if (params->fracture == EFG_FRACTURE_KERNEL) {
        why = "kernels can lose its bonds (fracture)";
    } else if (phxi_efg_cracks(body)) {
        why = "its material can break (strength)";
    } else {
        PHXI_TRY(phxi_lattice_build(b, fit, lattice, &why));
    }
    if (params->path == EFG_PATH_LATTICE && !*lattice) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "body '%s' cannot take the lattice path: %s", body->name, why);
    }
    return PHX_OK;
}

/// Keeps what the lattice of a body is made from, if it may be made again.
static phx_result keep_fit(phxi_heap* heap, bool again, phxi_lattice_fit* fit, phxi_lattice_fit** kept) {
    *kept = NULL;
    if (again) {
        PHXI_NEW(*kept, heap, 1, "efg lattice");
        **kept = *fit;
        fit->cells = NULL;
    }
    return PHX_OK;
}

static phx_result build(phxi_efg* efg, phxi_step* step, builder* b, int index, phxi_lattice_fit* fit) {
    const phxi_body* body = &step->bodies[index];
    const phxi_efg_params* params = body->params;
    double support = params->support;
    PHXI_TRY(find_neighborhoods(b, &support));
    if (params->volumes == EFG_DENSITY_SUM) {
        PHXI_TRY(phxi_efg_density_volumes(b, body->material.density));
    }
    // weights that may break, and volumes that do not add up, are left as they are
    bool balanced = !fit->regular && params->volumes == EFG_GEOMETRIC && params->weights == EFG_WEIGHTS_BALANCED &&
                    !phxi_efg_cracks(body);
    if (balanced) {
        PHXI_TRY(balance(b));
    }
    set_stiffness(b, params->hourglass * body->material.young);
    phxi_efg_lattice* lattice;
    PHXI_TRY(build_lattice(b, body, fit, &lattice));
    int jobs = lattice ? lattice->tile_count : phxi_block_count(b->count, EFG_BLOCK);
    phx_result result = phxi_array_reserve(&efg->jobs, jobs, b->heap, "efg blocks") ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_lattice_fit* kept = NULL;
    if (result == PHX_OK) {
        result = keep_fit(b->heap, lattice && body->conforming, fit, &kept);
    }
    if (result == PHX_OK) {
        result = phxi_efg_fill_rows(efg, b, index, params);
    }
    if (result != PHX_OK) {
        phxi_efg_forget_fit(&(phxi_efg_slot){.fit = kept}, b->heap);
        phxi_lattice_destroy(b->heap, lattice);
        return result;
    }
    efg->slots.items[efg->slots.count - 1].support = support;
    efg->slots.items[efg->slots.count - 1].balanced = balanced;
    efg->slots.items[efg->slots.count - 1].lattice = lattice;
    efg->slots.items[efg->slots.count - 1].fit = kept;
    phxi_efg_plastic_added(efg, step, efg->slots.count - 1);
    phxi_efg_adaptive_added(efg, step, efg->slots.count - 1);
    phxi_efg_rows_added(efg, step, efg->slots.count - 1);
    phxi_efg_list_jobs(efg);
    phxi_efg_set_rest_dt(efg, step, efg->slots.count - 1, b->scratch);
    phxi_efg_choose(&efg->slots.items[efg->slots.count - 1], step);
    return PHX_OK;
}

phx_result phxi_efg_add_rows(phxi_efg* efg, phxi_step* step, int index) {
    const phxi_body* body = &step->bodies[index];
    builder b;
    phxi_lattice_fit fit = {0};
    int fields = step->particles->field_count, reference = 0;
    phx_result result = phxi_efg_plastic_prepare(efg, step, body, &reference);
    b = (builder){.heap = step->heap};
    if (result == PHX_OK) {
        result = builder_init(&b, efg, step, body, reference);
    }
    if (result == PHX_OK) {
        result = check_particles(&b, body->name);
    }
    if (result == PHX_OK) {
        result = sort_particles(step, body, &fit);
    }
    if (result == PHX_OK) {
        result = build(efg, step, &b, index, &fit);
    }
    phxi_lattice_fit_destroy(step->heap, &fit);
    builder_destroy(&b);
    if (result != PHX_OK) {
        phxi_efg_plastic_undo(efg, step, fields);
    }
    return result;
}

/// How neighbourhoods of a body that has flowed are measured: in the metric of its shape, or with wider radii if its
/// bonds can break.
static phx_result set_metric(builder* b, const phxi_efg* efg, const phxi_efg_slot* slot) {
    if (!(slot->plastic.yield > 0)) {
        return PHX_OK;
    }
    if (b->own_lists) {
        b->widened = phxi_efg_plastic_field(efg, EFG_WIDENED);
        return PHX_OK;
    }
    PHXI_NEW(b->metric, b->heap, b->count, "efg set-up");
    PHXI_NEW(b->reach, b->heap, b->count, "efg set-up");
    PHXI_NEW(b->wide, b->heap, b->count, "efg set-up");
    for (int i = 0; i < b->count; ++i) {
        double values[3], g[6];
        phxi_mat3 vectors;
        for (int k = 0; k < 6; ++k) {
            g[k] = (k < 3) + (double)phxi_efg_plastic_field(efg, EFG_METRIC + k)[b->begin + i];
        }
        b->metric[i] = (phxi_sym3){g[0], g[1], g[2], g[3], g[4], g[5]};
        phxi_eigen_sym3(&b->metric[i], values, &vectors);
        b->reach[i] = 1.001 / sqrt(values[2]);
    }
    return PHX_OK;
}

/// Rows, and the lattice if there is one, from neighbourhoods that are known.
static phx_result refill(phxi_efg* efg, phxi_step* step, int index, builder* b) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_efg part = {0};
    phx_result result = slot->balanced ? balance(b) : PHX_OK;
    if (result == PHX_OK) {
        set_stiffness(b, slot->params.hourglass * step->bodies[slot->body].material.young);
        result = phxi_efg_fill_rows(&part, b, slot->body, &slot->params);
    }
    if (result == PHX_OK && slot->fracture) {
        result = phxi_efg_bonds_room(slot->fracture, step->heap, part.offset.count, part.flats.count);
    }
    phxi_efg_lattice* lattice = slot->lattice;
    const char* why;
    if (result == PHX_OK && slot->fit) {
        result = phxi_lattice_build(b, slot->fit, &lattice, &why);
    }
    if (result == PHX_OK && lattice && !phxi_array_reserve(&efg->jobs, lattice->tile_count, step->heap, "efg blocks")) {
        result = PHX_ERROR_MEMORY;
    }
    if (result == PHX_OK) {
        result = phxi_efg_splice_rows(efg, step->heap, index, &part);
    }
    phxi_efg_destroy_rows(&part, step->heap);
    if (lattice != slot->lattice) {
        phxi_lattice_destroy(step->heap, result == PHX_OK ? slot->lattice : lattice);
        slot->lattice = result == PHX_OK ? lattice : slot->lattice;
        phxi_efg_list_jobs(efg);
    }
    if (result != PHX_OK) {
        return result;
    }
    phxi_efg_set_rest_dt(efg, step, index, b->scratch);
    if (slot->fracture) {
        phxi_efg_bonds_detach(efg, index);
    }
    phxi_efg_implicit_destroy(slot, step->heap); // rebuilt by the next step
    slot->deeps = b->clamp.deeps;
    return PHX_OK;
}

/// Whether the rows of a body end at clamps. What flows, breaks or splits keeps all of them: its past is in them.
static bool ends_at_clamps(const phxi_efg_slot* slot, const phxi_body* body) {
    return body->conforming && !slot->fracture && !slot->own_lists && !(slot->plastic.yield > 0) &&
           !slot->params.adaptive && slot->params.volumes == EFG_GEOMETRIC;
}

/// `always`: also if no particle is deep in a clamp, now or before.
static phx_result rebuild(phxi_efg* efg, phxi_step* step, int index, bool always) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    const phxi_body* body = &step->bodies[slot->body];
    builder b;
    double support = slot->support;
    phx_result result = builder_init(&b, efg, step, body, slot->reference);
    b.own_lists = slot->own_lists;
    uint64_t grip = ends_at_clamps(slot, body) ? phxi_clamp_hash(step->particles, body->begin, body->count) : 0;
    b.gripped = grip != 0;
    if (result == PHX_OK) {
        result = set_metric(&b, efg, slot);
    }
    if (result == PHX_OK) {
        result = find_neighborhoods(&b, &support);
    }
    if (result == PHX_OK && (always || b.clamp.deeps > 0 || slot->deeps > 0)) {
        result = refill(efg, step, index, &b);
    }
    slot->grip = result == PHX_OK ? grip : slot->grip;
    builder_destroy(&b);
    return result;
}

phx_result phxi_efg_rebuild_rows(phxi_efg* efg, phxi_step* step, int index) {
    return rebuild(efg, step, index, true);
}

phx_result phxi_efg_grip(void* state, phxi_step* step, int body) {
    phxi_efg* efg = state;
    phxi_efg_slot* slot = phxi_efg_slot_of(efg, body);
    const phxi_body* own = &step->bodies[body];
    if (!ends_at_clamps(slot, own) || phxi_clamp_hash(step->particles, own->begin, own->count) == slot->grip) {
        return PHX_OK;
    }
    return rebuild(efg, step, (int)(slot - efg->slots.items), false);
}
