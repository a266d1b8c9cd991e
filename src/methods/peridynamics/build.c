// SPDX-License-Identifier: MIT
// Bonds and constants of a body at rest, docs/theory/peridynamics.md (1) to (3).
#include "methods/peridynamics/breaking.h"
#include "methods/peridynamics/flow.h"
#include "methods/peridynamics/pack.h"
#include "methods/peridynamics/thin.h"

#include "math/decompose3.h"
#include "neighbors/neighbors.h"

#include <string.h>

static const char* const label = "peridynamics";

// ------------------------------------------------------------------------------------------------------------- memory

static phx_result allocate(phxi_heap* heap, phxi_peri_slot* slot) {
    size_t blocks = (size_t)phxi_peri_blocks(slot), count = blocks * PERI_BLOCK, bonds = (size_t)slot->bond_count;
    slot->bond_capacity = slot->row_capacity = slot->bond_count;
    slot->mirror = phxi_alloc(heap, bonds, sizeof *slot->mirror, label);
    slot->near = phxi_alloc(heap, bonds, sizeof *slot->near, label);
    slot->far = phxi_alloc(heap, bonds, sizeof *slot->far, label);
    slot->rest = phxi_alloc(heap, bonds, sizeof *slot->rest, label);
    slot->link = phxi_alloc_zero(heap, bonds, sizeof *slot->link, label);
    slot->shrink = phxi_alloc_zero(heap, bonds, sizeof *slot->shrink, label);
    slot->constants = phxi_alloc_zero(heap, blocks, sizeof *slot->constants, label);
    slot->volume = phxi_alloc_zero(heap, count, sizeof *slot->volume, label);
    slot->diagonal = phxi_alloc_zero(heap, count, sizeof *slot->diagonal, label);
    slot->u = phxi_alloc_zero(heap, count, sizeof *slot->u, label);
    slot->rows = phxi_alloc_zero(heap, count, sizeof *slot->rows, label);
    slot->own = phxi_alloc_zero(heap, count, sizeof *slot->own, label);
    slot->turns = phxi_alloc_zero(heap, count / PERI_LANES, sizeof *slot->turns, label);
    slot->found = phxi_alloc_zero(heap, blocks, sizeof *slot->found, label);
    bool all = slot->mirror && slot->near && slot->far && slot->rest && slot->link && slot->shrink && slot->constants &&
               slot->volume && slot->diagonal && slot->u && slot->rows && slot->own && slot->turns && slot->found;
    return all ? PHX_OK : PHX_ERROR_MEMORY;
}

void phxi_peri_release(phxi_heap* heap, phxi_peri_slot* slot) {
    void* const all[] = {slot->start, slot->other,  slot->mirror,    slot->near,   slot->far, slot->rest,
                         slot->link,  slot->shrink, slot->constants, slot->volume, slot->u,   slot->diagonal,
                         slot->rows,  slot->own,    slot->turns,     slot->found};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
    phxi_free(heap, slot->stiff);
    phxi_free(heap, slot->thermal);
    phxi_implicit_destroy(slot->implicit);
    phxi_peri_release_pack(heap, slot);
    phxi_peri_release_flow(heap, slot->flow);
    phxi_peri_release_breaking(heap, slot->breaking);
    phxi_peri_release_thin(heap, slot->thin);
}

// -------------------------------------------------------------------------------------------------------------- bonds

static phx_vec3 rest_at(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

/// From lists of the search to rows; particles in one place have no bond, which would have no direction.
static phx_result take_lists(phxi_step* step, const phxi_lists* lists, phxi_peri_slot* slot) {
    int64_t most = lists->start[slot->count];
    if (most > INT32_MAX / 64) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%lld bonds, expected fewer: is horizon too large?", (long long)most);
    }
    PHXI_NEW(slot->start, step->heap, slot->count + 1, label);
    PHXI_NEW(slot->other, step->heap, most, label);
    const phxi_particles* p = step->particles;
    for (int i = 0; i < slot->count; ++i) {
        slot->start[i] = slot->bond_count;
        double least = 1e-6 * (double)p->spacing[slot->begin + i];
        for (int64_t k = lists->start[i]; k < lists->start[i + 1]; ++k) {
            int j = lists->items[k];
            if (phxi_distance(rest_at(p, slot->begin + i), rest_at(p, slot->begin + j)) > least) {
                slot->other[slot->bond_count++] = j;
            }
        }
    }
    slot->start[slot->count] = slot->bond_count;
    return PHX_OK;
}

/// Pairs nearer than the mean of their horizons.
static phx_result find_bonds(phxi_step* step, phxi_peri_slot* slot) {
    const phxi_particles* p = step->particles;
    phxi_search* search = NULL;
    phxi_lists lists = {0};
    phxi_points points = {p->rest_x + slot->begin, p->rest_y + slot->begin, p->rest_z + slot->begin, slot->count};
    phx_real* radii = phxi_alloc(step->heap, (size_t)slot->count, sizeof *radii, label);
    phx_result result = radii ? phxi_search_create(step->heap, PHXI_SEARCH_GRID, &search) : PHX_ERROR_MEMORY;
    for (int i = 0; result == PHX_OK && i < slot->count; ++i) {
        radii[i] = (phx_real)(slot->params.horizon * (double)p->spacing[slot->begin + i]);
    }
    if (result == PHX_OK) {
        result = phxi_search_pairs(search, step->pool, points, radii, 0, &lists);
    }
    if (result == PHX_OK && slot->grip != 0) {
        result = phxi_clamp_find(step->heap, p, slot->begin, slot->count, &lists, &slot->clamp);
        if (result == PHX_OK) {
            phxi_clamp_filter(&slot->clamp, &lists);
        }
    }
    if (result == PHX_OK) {
        result = take_lists(step, &lists, slot);
    }
    phxi_lists_destroy(step->heap, &lists);
    phxi_search_destroy(search);
    phxi_free(step->heap, radii);
    return result;
}

/// Particles in lines, if that makes columns of bonds straight; along a curve if not.
static phx_result find_ordered(phxi_step* step, phxi_peri_slot* slot, bool* straight) {
    PHXI_TRY(phxi_peri_line_order(step, slot->begin, slot->count));
    PHXI_TRY(find_bonds(step, slot));
    *straight = phxi_peri_is_straight(slot);
    if (!*straight) {
        phxi_free(step->heap, slot->start);
        phxi_free(step->heap, slot->other);
        slot->start = slot->other = NULL;
        slot->bond_count = 0;
        PHXI_TRY(phxi_curve_sort(step->particles, slot->begin, slot->count));
        PHXI_TRY(find_bonds(step, slot));
    }
    return PHX_OK;
}

void phxi_peri_find_mirrors(const phxi_peri_slot* slot, int* next) {
    memcpy(next, slot->start, (size_t)slot->count * sizeof *next);
    for (int i = 0; i < slot->count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            slot->mirror[k] = next[slot->other[k]]++;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- constants

static void put_sym(phx_real to[6][PERI_BLOCK], int lane, const phxi_sym3* from) {
    const double all[6] = {from->xx, from->yy, from->zz, from->xy, from->xz, from->yz};
    for (int k = 0; k < 6; ++k) {
        to[k][lane] = (phx_real)all[k];
    }
}

/// Product of rank times the eigenvalues that are not zero: 1 where weights are isotropic.
static double size_of(const phxi_sym3* moment, int rank) {
    double values[3], product = 1;
    phxi_mat3 axes;
    phxi_eigen_sym3(moment, values, &axes);
    for (int k = 0; k < rank; ++k) {
        product *= rank * values[k];
    }
    return product;
}

/// The same from rest positions. `bonds` and `weights` have room for all of them.
static void set_particle(phxi_peri_slot* slot, const phxi_particles* p, const phx_material_def* material, int i,
                         phx_vec3* bonds, double* weights) {
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        bonds[k - slot->start[i]] = phxi_sub(rest_at(p, slot->begin + slot->other[k]), rest_at(p, slot->begin + i));
    }
    phxi_peri_set_particle(slot, p, material, i, bonds, weights);
}

void phxi_peri_set_particle(phxi_peri_slot* slot, const phxi_particles* p, const phx_material_def* material, int i,
                            const phx_vec3* bonds, double* weights) {
    int begin = slot->start[i], count = slot->start[i + 1] - begin, lane = i % PERI_BLOCK;
    phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    phxi_sym3 moment, inverse, turning;
    // a section is of a sheet or rod, which may be curved
    bool section = slot->params.thickness > 0 || slot->params.radius > 0;
    double cut = section ? PERI_CURVED_CUT : slot->flow ? PERI_SPREAD_CUT : PERI_FLAT_CUT;
    int rank = phxi_peri_weigh(bonds, count, cut, weights, &moment);
    phxi_sym3 across = {1 - moment.xx, 1 - moment.yy, 1 - moment.zz, -moment.xy, -moment.xz, -moment.yz};
    phxi_near_inverse_sym3(&moment, 1e-6, &inverse);
    phxi_near_inverse_sym3(&across, 1e-6, &turning);
    put_sym(rest->moment, lane, &moment);
    put_sym(rest->spread, lane, &inverse);
    put_sym(rest->turning, lane, &turning);
    rest->size[lane] = (phx_real)(1 / size_of(&moment, rank));
    phxi_peri_moduli moduli = phxi_peri_moduli_of(material, slot->params.model, rank);
    rest->rank[lane] = (phx_real)rank;
    rest->dev[lane] = (phx_real)moduli.dev, rest->iso[lane] = (phx_real)moduli.iso;
    slot->volume[i] = p->volume[slot->begin + i];
    phx_vec3 middle = {0};
    for (int k = 0; k < count; ++k) {
        double r = phxi_length(bonds[k]), w = weights[k] / (r * r);
        middle = phxi_add_scaled(middle, w, bonds[k]);
        slot->near[begin + k] =
            (phxi_r4){(phx_real)(w * bonds[k].x), (phx_real)(w * bonds[k].y), (phx_real)(w * bonds[k].z), (phx_real)w};
        slot->rest[begin + k] =
            (phxi_r4){(phx_real)bonds[k].x, (phx_real)bonds[k].y, (phx_real)bonds[k].z, (phx_real)r};
    }
    rest->middle[0][lane] = (phx_real)middle.x, rest->middle[1][lane] = (phx_real)middle.y;
    rest->middle[2][lane] = (phx_real)middle.z;
}

/// Stiffness of bond k of particle i in the scalar matrix, from its own side.
static double link_of(const phxi_peri_slot* slot, int i, int k) {
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    double moduli = (double)rest->dev[i % PERI_BLOCK] + (double)rest->iso[i % PERI_BLOCK];
    return (double)slot->volume[i] * moduli * (double)slot->near[k][3];
}

void phxi_peri_set_links(phxi_peri_slot* slot, const phxi_particles* p) {
    for (int i = 0; i < slot->count; ++i) {
        double sum = 0;
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int j = slot->other[k];
            slot->far[k] = slot->near[slot->mirror[k]] * -slot->volume[j];
            slot->far[k][3] = -slot->far[k][3];
            double link = link_of(slot, i, k) + link_of(slot, j, slot->mirror[k]);
            slot->link[k] = (phx_real)link;
            sum += link;
        }
        slot->diagonal[i] = (phx_real)sum;
        slot->kappa = fmax(slot->kappa, sum / (double)p->mass[slot->begin + i]);
    }
}

static phx_result set_constants(phxi_step* step, phxi_peri_slot* slot) {
    int longest = 1;
    for (int i = 0; i < slot->count; ++i) {
        int length = slot->start[i + 1] - slot->start[i];
        longest = length > longest ? length : longest;
    }
    int* next = phxi_alloc(step->heap, (size_t)slot->count, sizeof *next, label);
    phx_vec3* bonds = phxi_alloc(step->heap, (size_t)longest, sizeof *bonds, label);
    double* weights = phxi_alloc(step->heap, (size_t)longest, sizeof *weights, label);
    bool all = next && bonds && weights;
    if (all) {
        phxi_peri_find_mirrors(slot, next);
        for (int i = 0; i < slot->count; ++i) {
            set_particle(slot, step->particles, &step->bodies[slot->body].material, i, bonds, weights);
            slot->volume[i] = phxi_clamp_volume(&slot->clamp, slot->volume[i], i);
        }
        phxi_peri_set_links(slot, step->particles);
    }
    phxi_free(step->heap, next);
    phxi_free(step->heap, bonds);
    phxi_free(step->heap, weights);
    return all ? PHX_OK : PHX_ERROR_MEMORY;
}

// --------------------------------------------------------------------------------------------------------------- thin

static int rank_of(const phxi_peri_slot* slot) {
    int most = 0;
    for (int i = 0; i < slot->count; ++i) {
        int rank = (int)slot->constants[i / PERI_BLOCK].rank[i % PERI_BLOCK];
        most = rank > most ? rank : most;
    }
    return most;
}

/// Particles of a sheet are as thick as it is, and not as its layer.
static void set_section(phxi_step* step, phxi_peri_slot* slot, int rank) {
    phxi_particles* p = step->particles;
    for (int k = slot->begin; k < slot->begin + slot->count; ++k) {
        double spacing = (double)p->spacing[k];
        phxi_peri_section section = phxi_peri_section_of(&slot->params, spacing);
        double factor = rank == 2 ? section.thickness / spacing : section.area / (spacing * spacing);
        p->volume[k] = (phx_real)(factor * (double)p->volume[k]);
        p->mass[k] = (phx_real)(factor * (double)p->mass[k]);
        slot->volume[k - slot->begin] = p->volume[k];
    }
    slot->kappa = 0;
    phxi_peri_set_links(slot, p);
}

static phx_result set_thin(phxi_step* step, phxi_peri_slot* slot) {
    const phxi_peri_params* own = &slot->params;
    int rank = rank_of(slot);
    if (rank == 3 || rank == 0) {
        const char* given = own->thickness > 0 ? "thickness" : own->radius > 0 ? "radius" : NULL;
        return !given ? PHX_OK
                      : phxi_fail(PHX_ERROR_ARGUMENT,
                                  "%s is %g m, expected 0: the body is more than one layer of particles", given,
                                  fmax(own->thickness, own->radius));
    }
    if (rank == 2 && own->radius > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "radius is %g m, expected 0: the body is a sheet; mind thickness",
                         own->radius);
    }
    if (own->model == PERI_BOND) {
        return PHX_OK; // as the tutorial has it
    }
    if (own->integrator != PERI_PROJECTIVE) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "integrator is %s, expected projective: the body is one layer of particles, a sheet or rod",
                         phxi_peri_integrator_words[own->integrator]);
    }
    set_section(step, slot, rank);
    return phxi_peri_make_thin(step, slot, rank);
}

/// What a body needs whose bonds change.
static phx_result set_changes(phxi_step* step, phxi_peri_slot* slot) {
    const phx_material_def* material = &step->bodies[slot->body].material;
    bool flows = phxi_yield_is(material), breaks = slot->params.breaks && phxi_peri_is_weak(material);
    if (!flows && !breaks) {
        return PHX_OK;
    }
    if (flows && (slot->thin || rank_of(slot) < 3)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "the material yields, expected one that does not (yield 0, friction_angle 0, cohesion 0): the "
                         "body is one layer of particles, a sheet or rod");
    }
    for (int i = 0; i < slot->count; ++i) {
        if (slot->start[i + 1] - slot->start[i] > PERI_MOST_BONDS) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "horizon is %g spacings, expected less: a particle has %d bonds, and of bodies that "
                             "yield or break it may have %d",
                             slot->params.horizon, slot->start[i + 1] - slot->start[i], PERI_MOST_BONDS);
        }
    }
    if (breaks) {
        PHXI_TRY(phxi_peri_make_breaking(step, slot));
    }
    if (flows) {
        PHXI_TRY(phxi_peri_make_flow(step, slot));
    }
    return phxi_peri_renew(step, slot); // as after a checkpoint, to the last bit
}

static void begin(const phxi_step* step, int index, phxi_peri_slot* slot) {
    const phxi_body* body = &step->bodies[index];
    *slot = (phxi_peri_slot){.body = index, .begin = body->begin, .count = body->count};
    slot->params = *(const phxi_peri_params*)body->params;
    if (phxi_yield_is(&body->material)) {
        slot->params.hourglass = 1; // what flows has no such part
    } else if (slot->params.hourglass < 0) {
        slot->params.hourglass = body->conforming ? 0.3 : 1;
    }
}

/// From bonds that are known.
static phx_result build(phxi_step* step, phxi_peri_slot* slot, bool straight) {
    phx_result result = allocate(step->heap, slot);
    if (result == PHX_OK) {
        result = phxi_peri_make_warmth(step, slot);
    }
    if (result == PHX_OK) {
        result = set_constants(step, slot);
    }
    if (result == PHX_OK) {
        result = set_thin(step, slot);
    }
    if (result == PHX_OK) {
        result = set_changes(step, slot);
    }
    if (result == PHX_OK && !slot->thin && !slot->flow) {
        result = phxi_peri_make_pack(step, slot, straight);
    }
    phxi_clamp_destroy(step->heap, &slot->clamp);
    if (result != PHX_OK) {
        return result;
    }
    phx_vec3 rest[PHXI_FRAME_SAMPLES];
    int samples = phxi_frame_sample_count(slot->count);
    for (int k = 0; k < samples; ++k) {
        rest[k] = rest_at(step->particles, slot->begin + phxi_frame_sample(slot->count, k));
    }
    phxi_frame_rest(rest, samples, &slot->base, &slot->frame);
    return PHX_OK;
}

phx_result phxi_peri_build(phxi_step* step, int index, phxi_peri_slot* slot) {
    bool straight = false;
    begin(step, index, slot);
    phx_result result = find_ordered(step, slot, &straight);
    if (result == PHX_OK) {
        result = build(step, slot, straight);
    }
    if (result != PHX_OK) {
        phxi_peri_release(step->heap, slot);
    }
    return result;
}

phx_result phxi_peri_grip(void* state, phxi_step* step, int index) {
    phxi_peri_slot *slot = phxi_peri_slot_of(state, index), made;
    uint64_t grip = phxi_clamp_hash(step->particles, slot->begin, slot->count);
    if (grip == slot->grip || slot->thin || slot->flow || slot->breaking) {
        return PHX_OK;
    }
    begin(step, index, &made);
    made.grip = grip;
    phx_result result = find_bonds(step, &made);
    if (result == PHX_OK) {
        result = build(step, &made, slot->pack->straight);
    }
    if (result != PHX_OK) {
        phxi_clamp_destroy(step->heap, &made.clamp);
        phxi_peri_release(step->heap, &made);
        return result;
    }
    phxi_peri_release(step->heap, slot);
    *slot = made;
    return PHX_OK;
}
