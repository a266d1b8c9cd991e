// SPDX-License-Identifier: MIT
// Particles that split where a body is stretched far, or where a neighbourhood has become thin: docs/theory/efg.md
// (13).
//
// A particle becomes two, a quarter of its spacing to either side along the direction it is stretched most in, or in
// which its neighbours are spread least. Each has half of mass and volume and 2^(-1/3) of the spacing. With F and the
// velocity gradient F' of the particle's own fit, and d the step in the rest shape:
//
//     rest x +- d      position p +- F d      velocity v +- F' d
//
// In bodies that flow F = J H (plastic.h): reference positions move by H d, and J, J' of the fit act on that.
//
// Mass, momentum and centre of mass are what they were. Angular momentum grows by m (F d) x (F' d), the spin that a
// point did not have: the neighbours give it, by the smallest rigid turn of their velocities, or F' d is cut down to
// its part along F d where they cannot. A body that is stretched evenly has the same F everywhere before and after,
// hence the same elastic energy; what kinetic energy comes in is at most m |F' d|^2 / 2.
//
// Every eighth substep looks, and every implicit one. The rows of the body are then rebuilt from its rest positions
// and spacings; they depend on nothing else, so a restart makes the same ones.
#include "methods/efg/plastic.h"

#include "math/decompose3.h"

#include <stdlib.h>

#define LOOK_EVERY 8                   // substeps
#define STEP       0.25                // |d| over the spacing
#define MOST       6                   // splits in a row
#define SPACING    0.79370052598409974 // 2^(-1/3)

/// A particle that is to split.
typedef struct split {
    int row;
    double need;                    // how far beyond its limit it is stretched
    phx_vec3 rest, reference, x, v; // d, H d, F d, F' d
} split;

typedef struct stage {
    phxi_efg* efg;
    phxi_step* step;
    phxi_efg_slot* slot;
    phxi_efg_law law;
    int* splits; // field of the particles
} stage;

static stage stage_of(phxi_efg* efg, phxi_step* step, int index) {
    stage s = {.efg = efg, .step = step, .slot = &efg->slots.items[index]};
    s.law = (phxi_efg_law){&step->bodies[s.slot->body].elastic, s.slot->params.volume_stiffness};
    s.splits = phxi_particles_field(step->particles, efg->variant->fields[EFG_FIELD_COUNT - 1].name);
    return s;
}

static int particle_of(const stage* s, int row) {
    return s->slot->begin + row - s->slot->row;
}

static phx_vec3 position_of(const stage* s, int i) {
    const phxi_particles* p = s->step->particles;
    phx_real* const* low = s->step->particles->low;
    return phxi_vec3((double)p->x[i] + (double)low[0][i], (double)p->y[i] + (double)low[1][i],
                     (double)p->z[i] + (double)low[2][i]);
}

static phx_vec3 velocity_of(const stage* s, int i) {
    const phxi_particles* p = s->step->particles;
    return phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
}

static const phxi_efg_flat* flat_of(const stage* s, int row) {
    const phxi_efg_block* block = &s->efg->blocks.items[s->slot->block_begin + (row - s->slot->row) / EFG_BLOCK];
    return phxi_efg_find_flat(s->efg, block, row);
}

/// J of a row in the axes of the frame, completed if it is thin.
static phxi_mat3 gradient_of(const stage* s, int row, const phxi_efg_flat* flat) {
    phxi_mat3 j = phxi_efg_gradient(s->efg, s->slot, row, NULL);
    return !flat                        ? j
           : s->slot->plastic.yield > 0 ? phxi_efg_plastic_thin_gradient(s->efg, s->slot, flat, &s->law, &j)
                                        : phxi_efg_thin_gradient(flat, &s->law, &j);
}

/// H of a particle.
static phxi_mat3 carried(const stage* s, int i) {
    phxi_mat3 h = phxi_identity();
    for (int k = 0; k < 9 && s->slot->plastic.yield > 0; ++k) {
        h.m[k / 3][k % 3] += (double)phxi_efg_plastic_field(s->efg, EFG_CARRIED + k)[i];
    }
    return h;
}

static void set_velocity(const stage* s, int i, phx_vec3 v) {
    phxi_particles* p = s->step->particles;
    p->vx[i] = (phx_real)v.x, p->vy[i] = (phx_real)v.y, p->vz[i] = (phx_real)v.z;
}

// ------------------------------------------------------------------------------------------------------ who splits

/// Splits so far; those thin from the start count down from -1.
static int generation(int splits) {
    return splits < 0 ? -1 - splits : splits;
}

/// Whether the particle of a row splits, along which direction of the rest shape, and how badly it should.
static bool wants_split(const stage* s, int row, phx_vec3* direction, double* need) {
    int i = particle_of(s, row), splits = s->splits[i];
    if (s->step->particles->fixed[i] || generation(splits) >= MOST) {
        return false; // a driver has one place for it
    }
    const phxi_efg_flat* flat = flat_of(s, row);
    phxi_mat3 j = gradient_of(s, row, flat), h = carried(s, i), back, vectors;
    if (flat && splits >= 0 && !(flat->share[3] > 0) && phxi_mat3_inverse(&h, &back)) {
        phx_vec3 least = {flat->basis.m[0][2], flat->basis.m[1][2], flat->basis.m[2][2]};
        *direction = phxi_normalize(phxi_mat3_apply(&back, least), least);
        *need = INFINITY;
        return true;
    }
    phxi_mat3 f = phxi_mat3_mul(&j, &h), t = phxi_mat3_transpose(&f), c = phxi_mat3_mul(&t, &f);
    phxi_sym3 square = {c.m[0][0], c.m[1][1], c.m[2][2], c.m[0][1], c.m[0][2], c.m[1][2]};
    double values[3];
    phxi_eigen_sym3(&square, values, &vectors);
    *direction = phxi_vec3(vectors.m[0][0], vectors.m[1][0], vectors.m[2][0]);
    *need = sqrt(values[0]) / ldexp(s->slot->params.adaptive_stretch, generation(splits));
    return *need > 1 && isfinite(*need);
}

static int by_need(const void* a, const void* b) {
    const split *x = a, *y = b;
    if (x->need != y->need) {
        return x->need > y->need ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/// Blocks in which a particle may have to split; the others are skipped.
static void look_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_efg_block* block = &s->efg->blocks.items[s->slot->block_begin + begin];
    phxi_efg_sums* sums = &s->efg->sums.items[s->slot->block_begin + begin];
    phxi_efg_stretches(s->efg, s->law.elastic, block, &sums->min_stretch, &sums->max_stretch);
}

/// Fills `found` (NULL: only counts) in order of rows.
static int find_splits(const stage* s, split* found) {
    int count = 0;
    for (int b = s->slot->block_begin; b < s->slot->block_end; ++b) {
        const phxi_efg_block* block = &s->efg->blocks.items[b];
        // the stretches of blocks are elastic ones
        bool stretched =
            s->slot->plastic.yield > 0 || s->efg->sums.items[b].max_stretch > s->slot->params.adaptive_stretch;
        if (!stretched && block->flat_begin == block->flat_end) {
            continue;
        }
        for (int row = block->row; row < block->row + block->count; ++row) {
            split one = {.row = row};
            if (wants_split(s, row, &one.rest, &one.need)) {
                if (found) {
                    found[count] = one;
                }
                ++count;
            }
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------------------ how

/// F' of a row in the axes of the world.
static phxi_mat3 velocity_gradient(const stage* s, int row) {
    const phxi_efg* efg = s->efg;
    phxi_mat3 m = {0}, inverse;
    phx_vec3 own = velocity_of(s, particle_of(s, row));
    const phxi_r4* y = efg->gradient.items + efg->list.items[row];
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k, ++y) {
        phx_vec3 v = phxi_sub(velocity_of(s, particle_of(s, efg->offset.items[k] / (int)sizeof(phxi_r4))), own);
        for (int b = 0; b < 3; ++b) {
            m.m[0][b] += v.x * (double)(*y)[b];
            m.m[1][b] += v.y * (double)(*y)[b];
            m.m[2][b] += v.z * (double)(*y)[b];
        }
    }
    for (int k = 0; k < 9; ++k) {
        inverse.m[k / 3][k % 3] = (double)efg->groups.items[row / EFG_LANES].inverse[k][row % EFG_LANES];
    }
    return phxi_mat3_mul(&m, &inverse);
}

/// Neighbours of a row that a driver does not hold: mass, centre of mass, inertia about it.
static void neighbors_body(const stage* s, int row, double* mass, phx_vec3* center, phxi_sym3* inertia) {
    *mass = 0;
    *center = phxi_vec3(0, 0, 0);
    *inertia = (phxi_sym3){0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = s->efg->start.items[row]; k < s->efg->start.items[row + 1]; ++k) {
            int other = s->efg->offset.items[k] / (int)sizeof(phxi_r4), j = particle_of(s, other);
            if (other == row || s->step->particles->fixed[j]) {
                continue;
            }
            double m = (double)s->step->particles->mass[j];
            phx_vec3 r = phxi_sub(position_of(s, j), *center);
            if (pass == 0) {
                *mass += m;
                *center = phxi_add_scaled(*center, m / *mass, r);
            } else {
                inertia->xx += m * (r.y * r.y + r.z * r.z);
                inertia->yy += m * (r.x * r.x + r.z * r.z);
                inertia->zz += m * (r.x * r.x + r.y * r.y);
                inertia->xy -= m * r.x * r.y;
                inertia->xz -= m * r.x * r.z;
                inertia->yz -= m * r.y * r.z;
            }
        }
    }
}

/// Takes angular momentum out of the neighbours of a row; false if they cannot give it.
static bool take_spin(const stage* s, int row, phx_vec3 spin) {
    double mass;
    phx_vec3 center;
    phxi_sym3 inertia, inverse, span;
    neighbors_body(s, row, &mass, &center, &inertia);
    phxi_pseudo_inverse_sym3(&inertia, 1e-3, &inverse, &span);
    phxi_mat3 solve = phxi_sym3_full(&inverse), within = phxi_sym3_full(&span);
    if (!(phxi_distance(phxi_mat3_apply(&within, spin), spin) <= 1e-12 * phxi_length(spin))) {
        return false;
    }
    phx_vec3 turn = phxi_mat3_apply(&solve, spin);
    for (int k = s->efg->start.items[row]; k < s->efg->start.items[row + 1]; ++k) {
        int other = s->efg->offset.items[k] / (int)sizeof(phxi_r4), j = particle_of(s, other);
        if (other != row && !s->step->particles->fixed[j]) {
            phx_vec3 arm = phxi_sub(position_of(s, j), center);
            set_velocity(s, j, phxi_sub(velocity_of(s, j), phxi_cross(turn, arm)));
        }
    }
    return true;
}

/// d, H d, F d and F' d from the direction; the neighbours balance them.
static void plan_split(const stage* s, split* one) {
    int i = particle_of(s, one->row);
    phxi_mat3 j = gradient_of(s, one->row, flat_of(s, one->row)), rate = velocity_gradient(s, one->row);
    phxi_mat3 h = carried(s, i);
    j = phxi_mat3_mul(&s->slot->frame.rotation, &j);
    one->rest = phxi_scale(STEP * (double)s->step->particles->spacing[i], one->rest);
    one->reference = phxi_mat3_apply(&h, one->rest);
    one->x = phxi_mat3_apply(&j, one->reference);
    one->v = phxi_mat3_apply(&rate, one->reference);
    phx_vec3 spin = phxi_scale((double)s->step->particles->mass[i], phxi_cross(one->x, one->v));
    if (!take_spin(s, one->row, spin)) {
        double square = phxi_dot(one->x, one->x);
        one->v = phxi_scale(square > 0 ? phxi_dot(one->x, one->v) / square : 0, one->x);
    }
}

static void set_place(const stage* s, int i, phx_vec3 x) {
    phxi_particles* p = s->step->particles;
    phx_real* const axes[3] = {p->x, p->y, p->z};
    const double at[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; ++k) {
        axes[k][i] = (phx_real)at[k];
        s->step->particles->low[k][i] = (phx_real)(at[k] - (double)axes[k][i]);
    }
}

/// fields[axis][i] += side d
static void shift(phx_real* const fields[3], int i, double side, phx_vec3 d) {
    fields[0][i] = (phx_real)((double)fields[0][i] + side * d.x);
    fields[1][i] = (phx_real)((double)fields[1][i] + side * d.y);
    fields[2][i] = (phx_real)((double)fields[2][i] + side * d.z);
}

/// Two copies of one particle become its halves.
static void halve(const stage* s, const split* one, int parent, int child) {
    phxi_particles* p = s->step->particles;
    phx_real *const rest[3] = {p->rest_x, p->rest_y, p->rest_z}, *const reference[3] = {
                                                                     phxi_efg_reference(s->slot, p, 0),
                                                                     phxi_efg_reference(s->slot, p, 1),
                                                                     phxi_efg_reference(s->slot, p, 2)};
    phx_vec3 x = position_of(s, parent), v = velocity_of(s, parent);
    const int both[2] = {parent, child};
    for (int k = 0; k < 2; ++k) {
        int i = both[k];
        double side = k == 0 ? -1 : 1;
        set_place(s, i, phxi_add_scaled(x, side, one->x));
        set_velocity(s, i, phxi_add_scaled(v, side, one->v));
        shift(rest, i, side, one->rest);
        if (reference[0] != rest[0]) {
            shift(reference, i, side, one->reference);
        }
        p->mass[i] /= 2;
        p->volume[i] /= 2;
        p->area_x[i] /= 2, p->area_y[i] /= 2, p->area_z[i] /= 2, p->surface[i] /= 2;
        p->spacing[i] = (phx_real)(SPACING * (double)p->spacing[i]);
        p->inset[i] = (phx_real)(SPACING * (double)p->inset[i]);
        s->splits[i] += s->splits[i] < 0 ? -1 : 1;
    }
}

// ------------------------------------------------------------------------------------------------------ stages

static phx_result split_all(phxi_efg* efg, phxi_step* step, int index, split* list, int* parents, int count) {
    stage s = stage_of(efg, step, index);
    for (int k = 0; k < count; ++k) {
        plan_split(&s, &list[k]);
        parents[k] = list[k].row - s.slot->row;
    }
    int first = s.slot->begin + s.slot->count;
    PHXI_TRY(step->grow(step, s.slot->body, parents, count));
    s = stage_of(efg, step, index);
    for (int k = 0; k < count; ++k) {
        halve(&s, &list[k], s.slot->begin + parents[k], first + k);
    }
    return phxi_efg_renew_rows(efg, step, index);
}

static phx_result adapt_slot(phxi_efg* efg, phxi_step* step, int index) {
    stage s = stage_of(efg, step, index);
    const phxi_body* body = &step->bodies[s.slot->body];
    double room = floor(s.slot->params.adaptive_limit * (body->count - body->grown)) - body->count;
    if (!(room >= 1)) {
        return PHX_OK;
    }
    phxi_efg_refresh(efg, step, index);
    phxi_parallel_for(step->pool, s.slot->block_end - s.slot->block_begin, 1, look_block, &s);
    int count = find_splits(&s, NULL);
    if (count == 0) {
        return PHX_OK;
    }
    split* list = phxi_alloc(step->heap, (size_t)count, sizeof *list, "efg splits");
    int* parents = phxi_alloc(step->heap, (size_t)count, sizeof *parents, "efg splits");
    phx_result result = list && parents ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        find_splits(&s, list);
        qsort(list, (size_t)count, sizeof *list, by_need);
        result = split_all(efg, step, index, list, parents, room < count ? (int)room : count);
    }
    phxi_free(step->heap, list);
    phxi_free(step->heap, parents);
    return result;
}

void phxi_efg_adaptive_added(phxi_efg* efg, phxi_step* step, int index) {
    stage s = stage_of(efg, step, index);
    if (!s.slot->params.adaptive) {
        return;
    }
    int flat_begin = efg->blocks.items[s.slot->block_begin].flat_begin;
    for (int k = flat_begin; k < efg->flats.count; ++k) {
        s.splits[particle_of(&s, efg->flats.items[k].row)] = -1;
    }
}

phx_result phxi_efg_adaptive_adapt(phxi_efg* efg, phxi_step* step) {
    double* substeps = &efg->words[EFG_WORD_SUBSTEPS];
    *substeps += 1;
    for (int k = 0; k < efg->slots.count; ++k) {
        const phxi_efg_slot* slot = &efg->slots.items[k];
        if (slot->params.adaptive && (phxi_efg_is_implicit(slot) || fmod(*substeps, LOOK_EVERY) == 0)) {
            PHXI_TRY(adapt_slot(efg, step, k));
        }
    }
    return PHX_OK;
}
