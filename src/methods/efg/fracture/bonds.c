// SPDX-License-Identifier: MIT
// Bonds and the rows they change, docs/theory/fracture.md (1) to (4).
//
// The weight of a broken bond is s w, s its integrity, in the rows of both of its particles. From the weights follow
//   A = sum_j s w x x^T = Q diag(l) Q^T,   A^+ without eigenvalues below EFG_RANK_RATIO l_ref,
//   phi_k = smoothstep((l_k / l_ref - 0.02) / 0.13): how far direction k is trusted (thin.c makes a law of it),
//   c = alpha E V / max(tr A, 0.3 l_ref), and the factors theta, theta_d of limiters.c.
// l_ref is l of a particle inside. With spacing a and weights in units of a^-3 it goes as 1/a, so what is kept is the
// upper quartile of a tr(A) / 3 over the body as it was built.
//
// Rows are independent of each other but for sum_j w c_j, which is made last. Work is shared out by groups of eight
// rows, since lanes of one group are neighbours in memory.
#include "methods/efg/build/build.h"
#include "methods/efg/fracture/front_fracture.h"

#include "methods/efg/lattice/lattice.h"
#include "methods/efg/plastic.h"

#include "math/decompose3.h"
#include "neighbors/kernel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PHI_NONE 0.02
#define PHI_FULL 0.15
#define LEAST_A  0.3  // of l_ref: the trace of A that hourglass stiffness is limited to
#define SOFTNESS 0.4  // of fragments with few particles
#define CROWDED  0.93 // mean distance of the nearest six over the spacing below which a lattice is body-centred

phxi_efg_crack_stage phxi_efg_crack_stage_of(phxi_efg* efg, phxi_step* step, int slot, double dt) {
    phxi_efg_slot* at = &efg->slots.items[slot];
    return (phxi_efg_crack_stage){efg, step, at, at->fracture, &step->bodies[at->body], dt};
}

// -------------------------------------------------------------------------------------------------------- create

void phxi_efg_fracture_destroy(phxi_efg_fracture* f, phxi_heap* heap) {
    if (!f) {
        return;
    }
    phxi_free(heap, f->kernel_radius);
    phxi_free(heap, f->pristine);
    phxi_free(heap, f->pristine_flats);
    phxi_free(heap, f->bond);
    phxi_free(heap, f->cut_distance);
    phxi_free(heap, f->scar);
    phxi_free(heap, f->alarm);
    phxi_free(heap, f->fragment);
    phxi_free(heap, f->cut);
    phxi_free(heap, f->plane_point);
    phxi_free(heap, f->plane_normal);
    phxi_efg_fronts_destroy(f->fronts, heap);
    phxi_array_destroy(&f->bonds, heap);
    phxi_array_destroy(&f->cut_log, heap);
    phxi_array_destroy(&f->facets, heap);
    phxi_array_destroy(&f->scars, heap);
    phxi_array_destroy(&f->grid.head, heap);
    phxi_array_destroy(&f->grid.next, heap);
    phxi_array_destroy(&f->fragment_size, heap);
    phxi_free(heap, f->order);
    phxi_free(heap, f);
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Mean distance of the six nearest over the spacing; infinite if there are not so many.
static double crowding(const phxi_efg_crack_stage* s, int i) {
    enum { NEAREST = 6 };
    double least[NEAREST];
    int found = 0;
    for (int k = phxi_efg_pair_begin(s, i); k < phxi_efg_pair_end(s, i); ++k) {
        int j = phxi_efg_pair_other(s, k);
        double r = phxi_distance(phxi_efg_rest_of(s, i), phxi_efg_rest_of(s, j));
        if (j == i || (found == NEAREST && least[NEAREST - 1] <= r)) {
            continue;
        }
        int at = found < NEAREST ? found++ : NEAREST - 1;
        for (; at > 0 && least[at - 1] > r; --at) {
            least[at] = least[at - 1];
        }
        least[at] = r;
    }
    double sum = 0;
    for (int k = 0; k < found; ++k) {
        sum += least[k] / NEAREST;
    }
    return found < NEAREST ? INFINITY : sum / (double)s->step->particles->spacing[s->slot->begin + i];
}

/// tr A of a row from its weights.
static double trace_of(const phxi_efg_crack_stage* s, int i) {
    int row = s->slot->row + i;
    const phxi_r4* list = s->efg->gradient.items + s->efg->list.items[row];
    double trace = 0;
    for (int k = s->efg->start.items[row]; k < s->efg->start.items[row + 1]; ++k, ++list) {
        int j = s->efg->offset.items[k] / (int)sizeof(phxi_r4) - s->slot->row;
        phx_vec3 x = phxi_sub(phxi_efg_reference_of(s, j), phxi_efg_reference_of(s, i));
        trace += x.x * (double)(*list)[0] + x.y * (double)(*list)[1] + x.z * (double)(*list)[2];
    }
    return trace;
}

/// l_ref over `reference`: what the particle's spacing and radius make of it. A goes with the square of the radius.
static double reference_scale(const phxi_efg_crack_stage* s, int i) {
    int k = s->slot->begin + i;
    double wide = s->slot->plastic.yield > 0 ? 1 + (double)phxi_efg_plastic_field(s->efg, EFG_WIDENED)[k] : 1;
    return wide * wide / (double)s->step->particles->spacing[k];
}

/// What the lattice tells: l_ref and the distance of layers. `scratch`: one number a particle.
static void find_reference(const phxi_efg_crack_stage* s, double* scratch) {
    phxi_efg_fracture* f = s->fracture;
    int crowded = 0;
    double spacing = 0;
    for (int i = 0; i < f->count; ++i) {
        spacing = fmax(spacing, (double)s->step->particles->spacing[s->slot->begin + i]);
        scratch[i] = trace_of(s, i) / 3 / reference_scale(s, i);
        crowded += crowding(s, i) < CROWDED;
    }
    qsort(scratch, (size_t)f->count, sizeof *scratch, compare_doubles);
    f->reference = scratch[(int)((int64_t)f->count * 3 / 4)];
    f->layer = 2 * (int64_t)crowded > f->count ? 0.8 : 1;
    f->grid.cell = 3 * spacing;
    f->peak = phxi_kernel_value(PHXI_KERNEL_POLY6, 0, s->slot->support);
}

static void set_limits(const phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    const phx_material_def* m = &s->body->material;
    const phxi_elastic* elastic = &s->body->elastic;
    bool cracks = phxi_efg_cracks(s->body) && s->slot->params.fracture != EFG_FRACTURE_KERNEL;
    bool brittle = cracks && m->strength > 0, ductile = cracks && m->yield > 0 && m->ductile_strain > 0;
    f->strength = brittle ? m->strength : INFINITY;
    f->ductile = ductile ? m->ductile_strain : INFINITY;
    f->drawn = 0.5 * m->yield * m->young;
    if (ductile) { // broken ends do not flow for ever
        s->slot->plastic.limit = fmin(s->slot->plastic.limit, 4 * m->ductile_strain);
    }
    f->noise = m->strength_noise;
    f->toughness = brittle ? m->toughness : 0;
    f->young = m->young;
    double strength = phxi_efg_strength_at(f, f->grid.cell / 3); // of the coarsest particles
    // ductile: bonds twice as long as the flow that breaks particles makes them (logarithmic)
    f->tear = ductile ? expm1(2 * m->ductile_strain) : brittle ? fmax(3 * strength / m->young, 0.05) : INFINITY;
    f->density = m->density;
    f->shear_speed = sqrt(elastic->mu / m->density);
    f->wave_speed = sqrt((elastic->lambda + 2 * elastic->mu + s->slot->params.volume_stiffness) / m->density);
    f->alarm_stress = strength * (1 - f->noise);
}

static phx_result fill(const phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    phxi_heap* heap = s->step->heap;
    const char* label = "efg fracture";
    int pairs = s->efg->start.items[s->slot->row + f->count] - s->efg->start.items[s->slot->row], flats = 0;
    for (int b = s->slot->block_begin; b < s->slot->block_end; ++b) {
        flats += s->efg->blocks.items[b].flat_end - s->efg->blocks.items[b].flat_begin;
    }
    PHXI_NEW(f->scar, heap, f->count, label);
    PHXI_NEW(f->alarm, heap, phxi_block_count(f->count, EFG_LANES) * EFG_LANES, label);
    PHXI_NEW(f->fragment, heap, f->count, label);
    PHXI_NEW(f->pristine, heap, phxi_block_count(f->count, EFG_LANES), label);
    PHXI_TRY(phxi_efg_bonds_room(f, heap, pairs, flats));
    memset(f->scar, -1, (size_t)f->count * sizeof(int));
    memset(f->alarm, 0, (size_t)f->count);
    phxi_efg_bonds_detach(s->efg, (int)(s->slot - s->efg->slots.items));
    double* scratch;
    PHXI_NEW(scratch, heap, f->count, label);
    find_reference(s, scratch);
    phxi_free(heap, scratch);
    set_limits(s);
    f->split = true;
    int none = 0;
    PHXI_TRY(phxi_efg_find_fragments((phxi_efg_crack_stage*)s, NULL, &none));
    if (s->slot->params.fracture == EFG_FRACTURE_FRONT) {
        PHXI_TRY(phxi_efg_fronts_create((phxi_efg_crack_stage*)s));
    } else if (s->slot->params.fracture == EFG_FRACTURE_KERNEL) {
        PHXI_TRY(phxi_efg_kernel_fracture_create((phxi_efg_crack_stage*)s));
    }
    return phxi_efg_index_facets(f, heap);
}

phx_result phxi_efg_fracture_create(phxi_efg* efg, phxi_step* step, int slot) {
    phxi_efg_slot* at = &efg->slots.items[slot];
    if (at->fracture) {
        return PHX_OK;
    }
    if (at->params.adaptive) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "body '%s' is to break, which bodies whose particles split (adaptive) "
                         "cannot do",
                         step->bodies[at->body].name);
    }
    if (phxi_efg_is_implicit(at) && !at->automatic) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "body '%s' is to break, which %s steps cannot do; take auto or an "
                         "explicit integrator",
                         step->bodies[at->body].name, phxi_integrator_words[at->params.integrator]);
    }
    if (phxi_efg_is_implicit(at)) {
        phxi_efg_implicit_destroy(at, step->heap);
        at->params.integrator = PHXI_VELOCITY_VERLET;
    }
    if (!at->own_lists) {
        at->own_lists = true;
        at->balanced = false; // as if it could always have been cut
        PHXI_TRY(phxi_efg_rebuild_rows(efg, step, slot));
    }
    phxi_efg_fracture* f = phxi_alloc_zero(step->heap, 1, sizeof *f, "efg fracture");
    if (!f) {
        return PHX_ERROR_MEMORY;
    }
    f->count = at->count;
    at->fracture = f;
    phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, slot, 0);
    phx_result result = fill(&s);
    if (result != PHX_OK) {
        phxi_efg_fracture_destroy(f, step->heap);
        at->fracture = NULL;
        return result;
    }
    // bonds are in the rows only, which have no more jobs than a lattice
    phxi_lattice_destroy(step->heap, at->lattice);
    at->lattice = NULL;
    phxi_efg_forget_fit(at, step->heap);
    phxi_efg_list_jobs(efg);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- bonds

phxi_efg_scar* phxi_efg_add_scar(phxi_efg_crack_stage* s, int i) {
    phxi_efg_fracture* f = s->fracture;
    if (f->scar[i] < 0) {
        phxi_efg_scar* scar = phxi_array_add(&f->scars, s->step->heap, "efg fracture");
        if (!scar) {
            return NULL;
        }
        f->scar[i] = f->scars.count - 1;
        *scar = (phxi_efg_scar){.particle = i, .held = 1, .bound = 1, .changes = 1};
    }
    return &f->scars.items[f->scar[i]];
}

/// The pair of particle j that leads to i.
static int opposite_pair(const phxi_efg_crack_stage* s, int j, int i) {
    int pair = phxi_efg_pair_begin(s, j);
    while (phxi_efg_pair_other(s, pair) != i) {
        ++pair;
        PHXI_ASSERT(pair < phxi_efg_pair_end(s, j));
    }
    return pair;
}

phx_result phxi_efg_break_bond(phxi_efg_crack_stage* s, int i, int pair, int facet, double crossing) {
    phxi_efg_fracture* f = s->fracture;
    int j = phxi_efg_pair_other(s, pair), back = opposite_pair(s, j, i), low = i < j ? i : j, high = i < j ? j : i;
    PHXI_ASSERT(f->bond[pair] < 0 && i != j);
    if (!phxi_efg_add_scar(s, low) || !phxi_efg_add_scar(s, high)) {
        return PHX_ERROR_MEMORY;
    }
    phxi_efg_bond* bond = phxi_array_add(&f->bonds, s->step->heap, "efg fracture");
    if (!bond) {
        return PHX_ERROR_MEMORY;
    }
    *bond = (phxi_efg_bond){.i = low,
                            .j = high,
                            .pair = {i < j ? pair : back, i < j ? back : pair},
                            .state = EFG_BOND_RAMPING,
                            .facet = facet,
                            .integrity = 1,
                            .crossing = i < j ? crossing : 1 - crossing};
    phxi_efg_keep_weight(s, bond);
    f->bond[pair] = f->bond[back] = f->bonds.count - 1;
    return PHX_OK;
}

void phxi_efg_keep_weight(const phxi_efg_crack_stage* s, phxi_efg_bond* bond) {
    if (bond->pair[0] < 0) {
        memset(bond->whole, 0, sizeof bond->whole);
        return;
    }
    const phxi_r4* whole = phxi_efg_pair_gradient(s, bond->i, bond->pair[0]);
    for (int k = 0; k < 4; ++k) {
        bond->whole[k] = (*whole)[k];
    }
}

void phxi_efg_set_weights(const phxi_efg_crack_stage* s, const phxi_efg_bond* bond, double share) {
    if (bond->pair[0] < 0) {
        return;
    }
    phxi_r4 weight = {bond->whole[0], bond->whole[1], bond->whole[2], bond->whole[3]}, back = -weight;
    back[3] = weight[3];
    *phxi_efg_pair_gradient(s, bond->i, bond->pair[0]) = weight * (phx_real)share;
    *phxi_efg_pair_gradient(s, bond->j, bond->pair[1]) = back * (phx_real)share;
}

static void energy_block(void* context, int begin, int end, int index) {
    (void)index;
    const phxi_efg_crack_stage* s = context;
    for (int k = begin; k < end; ++k) {
        phxi_efg_scar* scar = &s->fracture->scars.items[k];
        if (scar->dirty) {
            scar->energy = phxi_efg_scar_energy(s, scar, false);
        }
    }
}

/// The next integrity of a bond. Facets cut it smoothly in a few substeps; fronts ask for less and less.
static void let_fall(phxi_efg_bond* bond, bool fronts) {
    double ramp = fronts ? bond->integrity - 1.0 / EFG_RAMP_STEPS
                         : 1 - phxi_efg_smoothstep((double)(bond->steps + 1) / EFG_RAMP_STEPS);
    bond->integrity = fmax(ramp < EFG_LEAST_INTEGRITY ? 0 : ramp, bond->goal);
    bond->steps += bond->steps < EFG_RAMP_STEPS;
}

/// A bond is cut for good: contact is shown its distance at once, if it was shown all others.
static phx_result end_bond(phxi_efg_fracture* f, phxi_heap* heap, phxi_efg_bond* bond, double distance) {
    bool shown = f->shown == f->version && f->cut_distance_count == f->pair_count;
    phxi_efg_ends* logged = phxi_array_add(&f->cut_log, heap, "efg fracture");
    if (!logged) {
        return PHX_ERROR_MEMORY;
    }
    (*logged)[0] = bond->i, (*logged)[1] = bond->j;
    bond->state = EFG_BOND_CUT;
    bond->distance = distance;
    ++f->cuts, ++f->version;
    ++f->scars.items[f->scar[bond->i]].changes;
    ++f->scars.items[f->scar[bond->j]].changes;
    if (shown && bond->pair[0] >= 0) {
        f->cut_distance[bond->pair[0]] = f->cut_distance[bond->pair[1]] = (phx_real)distance;
        f->shown = f->version;
    }
    return PHX_OK;
}

phx_result phxi_efg_ramp(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    for (int b = f->ramp_begin; b < f->bonds.count; ++b) {
        const phxi_efg_bond* bond = &f->bonds.items[b];
        if (phxi_efg_bond_falls(bond)) {
            f->scars.items[f->scar[bond->i]].dirty = true;
            f->scars.items[f->scar[bond->j]].dirty = true;
        }
    }
    phxi_parallel_for(s->step->pool, f->scars.count, 16, energy_block, s);
    for (int b = f->ramp_begin; b < f->bonds.count; ++b) {
        phxi_efg_bond* bond = &f->bonds.items[b];
        if (!phxi_efg_bond_falls(bond)) {
            continue;
        }
        if (bond->steps == 0) {
            phxi_efg_scar *one = &f->scars.items[f->scar[bond->i]], *other = &f->scars.items[f->scar[bond->j]];
            ++one->broken, ++other->broken;
            ++one->changes, ++other->changes;
        }
        let_fall(bond, f->fronts != NULL);
        if (bond->integrity == 0) {
            double distance = phxi_distance(phxi_efg_position_of(s, bond->i), phxi_efg_position_of(s, bond->j));
            PHXI_TRY(end_bond(f, s->step->heap, bond, distance));
        }
        phxi_efg_set_weights(s, bond, bond->integrity);
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- rows

/// A of a row and its sums, from the weights as they are.
static phxi_mat3 moment_of(const phxi_efg_crack_stage* s, int i, double sum[4]) {
    int row = s->slot->row + i;
    const phxi_r4* list = s->efg->gradient.items + s->efg->list.items[row];
    phxi_mat3 moment = {0};
    for (int k = s->efg->start.items[row]; k < s->efg->start.items[row + 1]; ++k, ++list) {
        int j = s->efg->offset.items[k] / (int)sizeof(phxi_r4) - s->slot->row;
        phx_vec3 x = phxi_sub(phxi_efg_reference_of(s, j), phxi_efg_reference_of(s, i));
        for (int c = 0; c < 3; ++c) {
            double y = (double)(*list)[c];
            moment.m[0][c] += x.x * y;
            moment.m[1][c] += x.y * y;
            moment.m[2][c] += x.z * y;
            sum[c] += y;
        }
        sum[3] += (double)(*list)[3];
    }
    return moment;
}

/// A^+ and how far its directions are trusted.
static phxi_mat3 invert(phxi_efg_scar* scar, int row, const phxi_mat3* m, double reference) {
    phxi_sym3 a = {m->m[0][0],
                   m->m[1][1],
                   m->m[2][2],
                   (m->m[0][1] + m->m[1][0]) / 2,
                   (m->m[0][2] + m->m[2][0]) / 2,
                   (m->m[1][2] + m->m[2][1]) / 2};
    double value[3], phi[4] = {1, 1, 1, 0};
    phxi_mat3 basis, inverse = {0};
    phxi_eigen_sym3(&a, value, &basis);
    int rank = 0;
    for (int k = 0; k < 3; ++k) {
        phi[k] = phxi_efg_smoothstep((value[k] / reference - PHI_NONE) / (PHI_FULL - PHI_NONE));
        rank += value[k] > EFG_RANK_RATIO * reference;
    }
    scar->degenerate = phi[2] < 1;
    scar->flat = (phxi_efg_flat){
        .row = row, .rank = rank, .basis = basis, .share = {1 - phi[0], phi[0] - phi[1], phi[1] - phi[2], phi[2]}};
    if (rank == 3 && phxi_mat3_inverse(m, &inverse)) {
        return inverse;
    }
    for (int k = 0; k < rank; ++k) {
        for (int b = 0; b < 9; ++b) {
            inverse.m[b / 3][b % 3] += basis.m[b / 3][k] * basis.m[b % 3][k] / value[k];
        }
    }
    return inverse;
}

static double softness_of(const phxi_efg_fracture* f, int i) {
    return phxi_efg_fragment_size(f, i) <= EFG_SOFT ? SOFTNESS : 1;
}

void phxi_efg_set_factors(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar) {
    int row = s->slot->row + scar->particle, lane = row % EFG_LANES;
    phxi_efg_group* g = &s->efg->groups.items[row / EFG_LANES];
    double factor = scar->held * softness_of(s->fracture, scar->particle);
    double volume = (double)s->step->particles->volume[s->slot->begin + scar->particle];
    g->volume[lane] = (phx_real)(volume * scar->bound * factor);
    g->stiffness[lane] = (phx_real)(scar->base * factor);
}

static void rebuild_row(const phxi_efg_crack_stage* s, phxi_efg_scar* scar) {
    int i = scar->particle, row = s->slot->row + i, lane = row % EFG_LANES, k = s->slot->begin + i;
    phxi_efg_group* g = &s->efg->groups.items[row / EFG_LANES];
    double sum[4] = {0}, reference = s->fracture->reference * reference_scale(s, i);
    phxi_mat3 moment = moment_of(s, i, sum), inverse = invert(scar, row, &moment, reference);
    double trace = moment.m[0][0] + moment.m[1][1] + moment.m[2][2];
    for (int b = 0; b < 9; ++b) {
        g->inverse[b][lane] = (phx_real)inverse.m[b / 3][b % 3];
    }
    for (int c = 0; c < 3; ++c) {
        g->sum_y[c][lane] = (phx_real)sum[c];
    }
    g->sum_w[lane] = (phx_real)sum[3];
    scar->base = s->slot->params.hourglass * s->fracture->young * (double)s->step->particles->volume[k] /
                 fmax(trace, LEAST_A * reference);
    scar->bound = phxi_efg_stiffness_bound(s, scar, &inverse);
    phxi_efg_set_factors(s, scar);
}

typedef struct rebuild_context {
    const phxi_efg_crack_stage* s;
    const int* dirty; // scars, by particle
    const int* group; // first of each group of rows in `dirty`, and the end
    bool limit;
} rebuild_context;

static void rebuild_group(void* context, int begin, int end, int index) {
    (void)index;
    const rebuild_context* c = context;
    for (int k = c->group[begin]; k < c->group[end]; ++k) {
        phxi_efg_scar* scar = &c->s->fracture->scars.items[c->dirty[k]];
        rebuild_row(c->s, scar);
        if (c->limit) {
            // cutting must not give energy: A^+ fits F to the few bonds that are left, which are stretched most
            double energy = phxi_efg_scar_energy(c->s, scar, true);
            if (energy > scar->energy) {
                scar->held *= scar->energy / energy;
                phxi_efg_set_factors(c->s, scar);
            }
        }
        scar->dirty = false;
    }
}

phx_result phxi_efg_rebuild_scars(phxi_efg_crack_stage* s, bool limit) {
    phxi_efg_fracture* f = s->fracture;
    int* dirty = phxi_arena_take(s->step->arena, (size_t)f->scars.count, sizeof *dirty);
    int* group = phxi_arena_take(s->step->arena, (size_t)f->scars.count + 1, sizeof *group);
    if (!dirty || !group) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0, groups = 0, last = -1;
    for (int i = 0; i < f->count; ++i) {
        if (f->scar[i] >= 0 && f->scars.items[f->scar[i]].dirty) {
            if (i / EFG_LANES != last) {
                last = i / EFG_LANES;
                group[groups++] = count;
            }
            dirty[count++] = f->scar[i];
        }
    }
    group[groups] = count;
    rebuild_context c = {s, dirty, group, limit};
    phxi_parallel_for(s->step->pool, groups, 1, rebuild_group, &c);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- finish

static void sum_stiffness(const phxi_efg_crack_stage* s, int i) {
    const phxi_efg* efg = s->efg;
    int row = s->slot->row + i;
    const phxi_r4* list = efg->gradient.items + efg->list.items[row];
    double sum = 0;
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k, ++list) {
        int other = efg->offset.items[k] / (int)sizeof(phxi_r4);
        sum += (double)(*list)[3] * (double)efg->groups.items[other / EFG_LANES].stiffness[other % EFG_LANES];
    }
    s->efg->groups.items[row / EFG_LANES].sum_cw[row % EFG_LANES] = (phx_real)sum;
}

/// The list of degenerate rows of all bodies: rebuilt for this body, unchanged for the others.
static phx_result list_flats(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    phxi_efg* efg = s->efg;
    int most = efg->flats.count + f->pristine_flat_count + f->scars.count, count = 0, pristine = 0;
    phxi_efg_flat* flats = phxi_arena_take(s->step->arena, (size_t)most, sizeof *flats);
    if (!flats ||
        !phxi_array_reserve(&efg->flats, f->pristine_flat_count + f->scars.count, s->step->heap, "efg rows")) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_block* block = &efg->blocks.items[b];
        int begin = count;
        for (int k = block->flat_begin; k < block->flat_end && &efg->slots.items[block->slot] != s->slot; ++k) {
            flats[count++] = efg->flats.items[k];
        }
        for (int row = block->row; row < block->row + block->count && &efg->slots.items[block->slot] == s->slot;
             ++row) {
            const phxi_efg_scar* scar = phxi_efg_scar_of(f, row - s->slot->row);
            bool thin = pristine < f->pristine_flat_count && f->pristine_flats[pristine].row == row;
            if (scar && scar->broken > 0 ? scar->degenerate : thin) {
                flats[count++] = scar && scar->broken > 0 ? scar->flat : f->pristine_flats[pristine];
            }
            pristine += thin;
        }
        block->flat_begin = begin, block->flat_end = count;
    }
    if (count > 0) { // an empty array has no address
        memcpy(efg->flats.items, flats, (size_t)count * sizeof *flats);
    }
    efg->flats.count = count;
    return PHX_OK;
}

phx_result phxi_efg_finish_rows(phxi_efg_crack_stage* s, const int* changed, int count) {
    phxi_efg_fracture* f = s->fracture;
    uint8_t* seen = phxi_arena_take(s->step->arena, (size_t)f->count, 1);
    if (!seen) {
        return PHX_ERROR_MEMORY;
    }
    memset(seen, 0, (size_t)f->count);
    for (int k = 0; k < count; ++k) {
        int i = changed[k];
        seen[i] = 1;
        for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
            seen[phxi_efg_pair_other(s, pair)] = 1;
        }
    }
    for (int i = 0; i < f->count; ++i) {
        if (seen[i]) {
            sum_stiffness(s, i);
        }
    }
    return list_flats(s);
}

// ------------------------------------------------------------------------------------------------------ from a file

void phxi_efg_heal(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    int groups = phxi_block_count(f->count, EFG_LANES);
    for (int b = 0; b < f->bonds.count; ++b) {
        phxi_efg_set_weights(s, &f->bonds.items[b], 1);
    }
    memcpy(s->efg->groups.items + s->slot->row / EFG_LANES, f->pristine, (size_t)groups * sizeof *f->pristine);
    memset(f->bond, -1, (size_t)f->pair_count * sizeof(int));
    memset(f->scar, -1, (size_t)f->count * sizeof(int));
    memset(f->alarm, 0, (size_t)f->count);
    f->bonds.count = f->facets.count = f->scars.count = f->ramp_begin = f->cuts = 0;
    phxi_efg_bonds_anew(f);
    f->time = 0;
    f->ticks = 0;
    f->split = true;
    if (f->fronts) {
        phxi_efg_fronts_heal(f->fronts);
    }
}

phx_result phxi_efg_reopen(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    int none = 0;
    f->split = true;
    PHXI_TRY(phxi_efg_reserve_cracks(s));
    PHXI_TRY(phxi_efg_find_fragments(s, NULL, &none)); // softness is part of the rows
    int* changed = phxi_arena_take(s->step->arena, (size_t)f->scars.count, sizeof *changed);
    if (!changed) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0;
    for (int k = 0; k < f->scars.count; ++k) {
        phxi_efg_scar* scar = &f->scars.items[k];
        if (scar->broken > 0) {
            scar->dirty = true;
            changed[count++] = scar->particle;
        }
    }
    for (int b = 0; b < f->bonds.count; ++b) {
        if (f->bonds.items[b].steps > 0) {
            phxi_efg_set_weights(s, &f->bonds.items[b], f->bonds.items[b].integrity);
        }
    }
    PHXI_TRY(phxi_efg_rebuild_scars(s, false));
    return phxi_efg_finish_rows(s, changed, count);
}
