// SPDX-License-Identifier: MIT
// The change of the reference of a body that has flowed far: plastic.h, docs/theory/efg.md (12).
//
// Reference positions are rounded to state precision, current ones have a low part, so J is not quite one afterwards.
// What is carried is J^-1 (after) J (before), which leaves F as it was. Rows are rebuilt: renew.c.
#include "methods/efg/plastic.h"

#include "methods/efg/fracture/fracture.h"

#include "math/decompose3.h"

#include <string.h>

// Strain between reference and shape that asks for a reset. A reset leaves the forces of hourglass modes behind, which
// hold what is unevenly stretched; bodies that bear high stress while they flow then give way, and tear. So those that
// harden wait for a stretch of 2.6, as long as no bonds want neighbours of the present shape.
#define FAR       0.2
#define FAR_HARD  3.0
#define HARD      0.2 // hardening from which on that is so
#define UNWIDENED 1.2 // largest stretch that round neighbourhoods bear as they are
#define WIDEST    2.5
#define LONGEST   4.0 // stretch that the metric of neighbourhoods follows, and its inverse
#define SANE      2.5 // stretch of a broken row since the last reset that is believed

/// Work space of a reset; by particle of the body.
typedef struct reset_work {
    phxi_efg* efg;
    phxi_efg_slot* slot;
    phxi_mat3 *before, *after;             // J
    phx_real *rest[3], *volume, *shape[7]; // as they were; the last: radius and metric of neighbourhoods
} reset_work;

void phxi_efg_plastic_added(phxi_efg* efg, phxi_step* step, int index) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    slot->plastic = phxi_plastic_from(&step->bodies[slot->body].material);
}

static void work_destroy(reset_work* w, phxi_heap* heap) {
    phxi_free(heap, w->before);
    phxi_free(heap, w->rest[0]);
}

static phx_result work_init(reset_work* w, phxi_efg* efg, phxi_step* step, phxi_efg_slot* slot) {
    size_t count = (size_t)slot->count;
    *w = (reset_work){.efg = efg, .slot = slot};
    PHXI_NEW(w->before, step->heap, 2 * count, "efg reset");
    w->after = w->before + count;
    w->rest[0] = phxi_alloc(step->heap, 11 * count, sizeof(phx_real), "efg reset");
    if (!w->rest[0]) {
        return PHX_ERROR_MEMORY;
    }
    w->rest[1] = w->rest[0] + count;
    w->rest[2] = w->rest[1] + count;
    w->volume = w->rest[2] + count;
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(w->rest[axis], phxi_efg_reference(slot, step->particles, axis) + slot->begin, count * sizeof(phx_real));
    }
    memcpy(w->volume, step->particles->volume + slot->begin, count * sizeof(phx_real));
    for (int k = 0; k < 7; ++k) {
        w->shape[k] = w->volume + (k + 1) * count;
        memcpy(w->shape[k], phxi_efg_plastic_field(efg, EFG_WIDENED + k) + slot->begin, count * sizeof(phx_real));
    }
    return PHX_OK;
}

typedef struct gradient_context {
    const reset_work* work;
    phxi_efg_law law;
    phxi_mat3* j;
    bool is_after;
} gradient_context;

/// J of a thin row that has broken, along the directions that what is left of its neighbours spans and tells without
/// nonsense; across them it turns along and is not stretched. So a turn is a turn, and no change is none.
static phxi_mat3 rigid_across(const phxi_efg_flat* flat, const phxi_mat3* j) {
    const phxi_mat3 from = phxi_mat3_transpose(&flat->basis);
    phx_vec3 q[3], f[3];
    int rank = 0;
    for (int k = 0; k < 3; ++k) {
        q[k] = phxi_vec3(flat->basis.m[0][k], flat->basis.m[1][k], flat->basis.m[2][k]);
        f[k] = phxi_mat3_apply(j, q[k]);
        double stretch = phxi_length(f[k]);
        rank += rank == k && k < flat->rank && stretch > 1 / SANE && stretch < SANE;
    }
    if (rank == 3 && phxi_mat3_det(j) > 1 / SANE) {
        return *j;
    }
    if (rank == 0) {
        return phxi_identity(); // the frame's turn
    }
    double sign = phxi_dot(phxi_cross(q[0], q[1]), q[2]) < 0 ? -1 : 1;
    if (rank == 1) {
        f[1] = phxi_add_scaled(q[1], -phxi_dot(f[0], q[1]) / phxi_dot(f[0], f[0]), f[0]);
        f[1] = phxi_normalize(f[1], phxi_perpendicular(phxi_normalize(f[0], q[0])));
    }
    f[2] = phxi_scale(sign, phxi_normalize(phxi_cross(f[0], f[1]), phxi_scale(sign, q[2])));
    phxi_mat3 to = {{{f[0].x, f[1].x, f[2].x}, {f[0].y, f[1].y, f[2].y}, {f[0].z, f[1].z, f[2].z}}};
    return phxi_mat3_mul(&to, &from);
}

static void gradient_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const gradient_context* c = context;
    const phxi_efg* efg = c->work->efg;
    const phxi_efg_slot* slot = c->work->slot;
    const phxi_efg_block* block = &efg->blocks.items[slot->block_begin + begin];
    for (int row = block->row; row < block->row + block->count; ++row) {
        phxi_mat3 j = phxi_efg_gradient(efg, slot, row, NULL);
        const phxi_efg_flat* flat = phxi_efg_find_flat(efg, block, row);
        bool broken = slot->fracture && phxi_efg_is_broken(slot->fracture, row - slot->row);
        if (flat && c->is_after) {
            // across a thin row J after the reset would ask for what is yet to be carried: it is one but for rounding
            j = phxi_mat3_transpose(&slot->frame.rotation);
        } else if (flat && !broken) {
            double thermal = phxi_efg_thermal_at(efg->particles, slot, row - slot->row);
            j = phxi_thermal_part(thermal, &j);
            j = phxi_efg_plastic_thin_gradient(efg, slot, flat, &c->law, &j);
            j = phxi_thermal_times(thermal, 1, &j);
        } else if (flat) {
            j = rigid_across(flat, &j);
        }
        c->j[row - slot->row] = phxi_mat3_mul(&slot->frame.rotation, &j);
    }
}

/// J of all particles of the body; false if one has none that could be inverted.
static bool find_gradients(const reset_work* w, phxi_step* step, phxi_mat3* j) {
    const phxi_elastic* elastic = &step->bodies[w->slot->body].elastic;
    gradient_context context = {w, {elastic, w->slot->params.volume_stiffness}, j, j == w->after};
    phxi_efg_refresh(w->efg, step, (int)(w->slot - w->efg->slots.items));
    phxi_parallel_for(step->pool, w->slot->block_end - w->slot->block_begin, 1, gradient_block, &context);
    for (int i = 0; i < w->slot->count; ++i) {
        if (!(fabs(phxi_mat3_det(&j[i])) > 1e-4)) {
            return false;
        }
    }
    return true;
}

static phxi_mat3 carried_at(const phxi_efg* efg, int at) {
    phxi_mat3 h = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        h.m[k / 3][k % 3] += (double)phxi_efg_plastic_field(efg, EFG_CARRIED + k)[at];
    }
    return h;
}

/// Radius and metric of the neighbourhood of a particle with H = U S V^T: G = U S^-2 U^T.
static void set_neighborhood(const phxi_efg* efg, int at, const phxi_mat3* u, const double s[3]) {
    static const int entries[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    phxi_efg_plastic_field(efg, EFG_WIDENED)[at] = (phx_real)(fmin(fmax(s[0] / UNWIDENED, 1), WIDEST) - 1);
    for (int k = 0; k < 6; ++k) {
        int r = entries[k][0], q = entries[k][1];
        double g = r == q ? -1 : 0;
        for (int d = 0; d < 3; ++d) {
            double stretch = fmin(fmax(s[d], 1 / LONGEST), LONGEST);
            g += u->m[r][d] * u->m[q][d] / (stretch * stretch);
        }
        phxi_efg_plastic_field(efg, EFG_METRIC + k)[at] = (phx_real)g;
    }
}

/// The current shape becomes the reference.
static void set_reference(const reset_work* w, phxi_particles* p) {
    phx_real* const x[3] = {p->x, p->y, p->z};
    size_t size = (size_t)w->slot->count * sizeof(phx_real);
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(phxi_efg_reference(w->slot, p, axis) + w->slot->begin, x[axis] + w->slot->begin, size);
    }
    for (int i = 0; i < w->slot->count; ++i) {
        int at = w->slot->begin + i;
        phxi_mat3 h = carried_at(w->efg, at), u, v;
        double s[3];
        h = phxi_mat3_mul(&w->before[i], &h);
        phxi_svd3(&h, &u, s, &v);
        set_neighborhood(w->efg, at, &u, s);
        if (w->slot->params.reset == EFG_RESET_ABSORB) {
            p->volume[at] = (phx_real)(fabs(phxi_mat3_det(&w->before[i])) * (double)p->volume[at]);
        }
    }
}

static void put_back(const reset_work* w, phxi_particles* p) {
    size_t size = (size_t)w->slot->count * sizeof(phx_real);
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(phxi_efg_reference(w->slot, p, axis) + w->slot->begin, w->rest[axis], size);
    }
    memcpy(p->volume + w->slot->begin, w->volume, size);
    for (int k = 0; k < 7; ++k) {
        memcpy(phxi_efg_plastic_field(w->efg, EFG_WIDENED + k) + w->slot->begin, w->shape[k], size);
    }
}

/// H <- J^-1 J H, and eps_p moves along if it is absorbed.
static void carry(const reset_work* w) {
    const phxi_efg* efg = w->efg;
    for (int i = 0; i < w->slot->count; ++i) {
        int at = w->slot->begin + i;
        phxi_mat3 inverse, step, h = carried_at(efg, at);
        if (!phxi_mat3_inverse(&w->after[i], &inverse)) {
            inverse = phxi_identity();
        }
        step = phxi_mat3_mul(&inverse, &w->before[i]);
        h = phxi_mat3_mul(&step, &h);
        for (int k = 0; k < 9; ++k) {
            phxi_efg_plastic_field(efg, EFG_CARRIED + k)[at] = (phx_real)(h.m[k / 3][k % 3] - (k % 4 == 0));
        }
        if (w->slot->params.reset != EFG_RESET_ABSORB) {
            continue;
        }
        phxi_sym3 strain;
        double* const number[6] = {&strain.xx, &strain.yy, &strain.zz, &strain.xy, &strain.xz, &strain.yz};
        for (int k = 0; k < 6; ++k) {
            *number[k] = (double)phxi_efg_plastic_field(efg, EFG_STRAIN + k)[at];
        }
        phxi_plastic_move(&step, &strain);
        for (int k = 0; k < 6; ++k) {
            phxi_efg_plastic_field(efg, EFG_STRAIN + k)[at] = (phx_real)*number[k];
        }
    }
}

phx_result phxi_efg_reset(phxi_efg* efg, phxi_step* step, int index) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_efg_crack_stage stage = phxi_efg_crack_stage_of(efg, step, index, 0);
    phxi_efg_old_pairs* old = NULL;
    reset_work w;
    phx_result result = work_init(&w, efg, step, slot);
    bool possible = result == PHX_OK && find_gradients(&w, step, w.before);
    if (possible && slot->fracture) {
        result = phxi_efg_bonds_keep(&stage, &old);
    }
    if (possible && result == PHX_OK) {
        set_reference(&w, step->particles);
        result = phxi_efg_renew_rows(efg, step, index);
        if (result == PHX_OK) {
            result = old ? phxi_efg_bonds_return(&stage, old) : PHX_OK;
            find_gradients(&w, step, w.after);
            carry(&w);
        } else {
            put_back(&w, step->particles);
        }
    }
    if (old && result == PHX_OK) {
        result = phxi_efg_bonds_settle(&stage, old);
    }
    phxi_efg_old_pairs_destroy(old, step->heap);
    work_destroy(&w, step->heap);
    return result;
}

/// Whether a body may get a new reference. Crack fronts tell how far a bond has broken by distances at creation.
static bool may_reset(const phxi_efg_slot* slot) {
    return slot->plastic.yield > 0 && slot->params.reset != EFG_RESET_OFF &&
           !(slot->fracture && slot->fracture->fronts);
}

static double limit_of(const phxi_efg_slot* slot) {
    bool hard = slot->plastic.hardening >= HARD && !slot->own_lists;
    return slot->params.reset_strain > 0 ? slot->params.reset_strain : hard ? FAR_HARD : FAR;
}

phx_result phxi_efg_plastic_adapt(phxi_efg* efg, phxi_step* step) {
    for (int k = 0; k < efg->slots.count; ++k) {
        const phxi_efg_slot* slot = &efg->slots.items[k];
        double far = 0;
        for (int b = slot->block_begin; b < slot->block_end && may_reset(slot); ++b) {
            far = fmax(far, efg->sums.items[b].flow);
        }
        if (far > limit_of(slot)) {
            PHXI_TRY(phxi_efg_reset(efg, step, k));
        }
    }
    return PHX_OK;
}
