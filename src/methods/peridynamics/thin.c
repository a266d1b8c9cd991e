// SPDX-License-Identifier: MIT
// The membrane of sheets and rods, docs/theory/peridynamics.md (11): targets in the tangent space only, so that it has
// no part in bending, and its matrix of 3x3 blocks.
//
//   sheet   T = c_dev (P Y - s R X) + c_iso e r Y / |Y|,  P = I - N N^T,  R = polar of A as a map of the plane
//   rod     T = [c_dev (1 - (1 + e) r / |Y|) + c_iso e r / |Y|] Y
//   matrix  c_dev P + c_iso h h^T, of a rod (c_dev + c_iso) h h^T, h = dir Y; and across a bond in tension the
//   stiffness of
//           a string, without which taut ropes would overshoot
#include "methods/peridynamics/twist.h"

#include "math/decompose3.h"

#include <string.h>

static const char* const label = "peridynamics thin";

// ------------------------------------------------------------------------------------------------------------- making

phxi_peri_section phxi_peri_section_of(const phxi_peri_params* params, double spacing) {
    static const double pi = 3.14159265358979323846;
    double t = params->thickness > 0 ? params->thickness : spacing, r = params->radius;
    return r > 0 ? (phxi_peri_section){2 * r, pi * r * r, pi * r * r * r * r / 4}
                 : (phxi_peri_section){t, t * t, t * t * t * t / 12};
}

/// Directions that the bonds of particle i span.
static void span(const phxi_peri_slot* slot, int i, phxi_peri_weave* weave) {
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    int lane = i % PERI_BLOCK;
    phxi_sym3 g = {(double)rest->moment[0][lane], (double)rest->moment[1][lane], (double)rest->moment[2][lane],
                   (double)rest->moment[3][lane], (double)rest->moment[4][lane], (double)rest->moment[5][lane]};
    double values[3];
    phxi_mat3 axes;
    phxi_eigen_sym3(&g, values, &axes);
    weave->rank = (int)rest->rank[lane];
    weave->plane = 0;
    for (int k = 0; k < 2; ++k) {
        weave->tangent[k] = phxi_vec3(axes.m[0][k], axes.m[1][k], axes.m[2][k]);
        weave->plane += k < weave->rank ? values[k] : 0;
    }
}

phx_result phxi_peri_make_thin(phxi_step* step, phxi_peri_slot* slot, int rank) {
    phxi_heap* heap = step->heap;
    size_t count = (size_t)slot->count, bonds = (size_t)slot->bond_count;
    struct phxi_peri_thin* thin = slot->thin = phxi_alloc_zero(heap, 1, sizeof *thin, label);
    if (!thin) {
        return PHX_ERROR_MEMORY;
    }
    thin->patches = phxi_alloc_zero(heap, count, sizeof *thin->patches, label);
    thin->weaves = phxi_alloc_zero(heap, count, sizeof *thin->weaves, label);
    PHXI_NEW(thin->where, heap, count, label);
    PHXI_NEW(thin->block, heap, count, label);
    PHXI_NEW(thin->bend, heap, bonds, label);
    PHXI_NEW(thin->near, heap, 2 * bonds, label);
    thin->far = thin->near + bonds;
    PHXI_NEW(thin->matrix, heap, bonds, label);
    PHXI_NEW(thin->bending, heap, count, label);
    PHXI_NEW(thin->curved, heap, count, label);
    if (!thin->patches || !thin->weaves) {
        return PHX_ERROR_MEMORY;
    }
    phxi_peri_renew_thin(step, slot);
    return rank == 1 ? phxi_peri_make_twist(step, slot) : PHX_OK;
}

void phxi_peri_renew_thin(phxi_step* step, phxi_peri_slot* slot) {
    for (int i = 0; i < slot->count; ++i) {
        span(slot, i, &slot->thin->weaves[i]);
    }
    phxi_peri_section section = phxi_peri_section_of(&slot->params, (double)step->particles->spacing[slot->begin]);
    phxi_peri_bending(slot, &section, &step->bodies[slot->body].material);
    if (slot->thin->twist) {
        phxi_peri_renew_twist(step, slot);
    }
}

void phxi_peri_release_thin(phxi_heap* heap, struct phxi_peri_thin* thin) {
    if (!thin) {
        return;
    }
    phxi_peri_release_twist(heap, thin->twist);
    void* const all[] = {thin->patches, thin->weaves, thin->where,  thin->block,   thin->bend,
                         thin->near,    thin->matrix, thin->curved, thin->bending, thin};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
}

// ---------------------------------------------------------------------------------------------------------- local step

typedef struct pass {
    const phxi_peri_slot* slot;
    const phx_vec3* x;
    phx_vec3* force;
    const phx_real* const* q;
    phx_real* const* kq;
} pass;

/// R of the plane: F (F^T F)^(-1/2) of its two columns; s its trace.
static void turn_sheet(phxi_peri_patch* patch, const phxi_peri_weave* weave, phx_vec3 f1, phx_vec3 f2) {
    double a = phxi_dot(f1, f1), b = phxi_dot(f1, f2), c = phxi_dot(f2, f2);
    double root = sqrt(fmax(0, a * c - b * b)), trace = sqrt(a + c + 2 * root);
    phx_vec3 r1, r2;
    if (root > 1e-6 * (a + c)) {
        // S = (C + root I) / trace, S^-1 = adj S / root
        double xx = (a + root) / trace, yy = (c + root) / trace, xy = b / trace;
        r1 = phxi_scale(1 / root, phxi_sub(phxi_scale(yy, f1), phxi_scale(xy, f2)));
        r2 = phxi_scale(1 / root, phxi_sub(phxi_scale(xx, f2), phxi_scale(xy, f1)));
    } else { // pressed to a line
        r1 = phxi_normalize(f1, weave->tangent[0]);
        phx_vec3 across = phxi_add_scaled(weave->tangent[1], -phxi_dot(weave->tangent[1], r1), r1);
        r2 = phxi_normalize(across, phxi_perpendicular(r1));
    }
    patch->normal = phxi_normalize(phxi_cross(r1, r2), phxi_vec3(0, 0, 1));
    patch->scale = trace / weave->plane; // of a curved sheet bonds have a share across, which does not count
    patch->det = 4 * root;
    patch->turn[0] = r1, patch->turn[1] = r2;
    const double left[2][3] = {{r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}};
    const double right[2][3] = {{weave->tangent[0].x, weave->tangent[0].y, weave->tangent[0].z},
                                {weave->tangent[1].x, weave->tangent[1].y, weave->tangent[1].z}};
    for (int k = 0; k < 9; ++k) {
        patch->turned.m[k / 3][k % 3] =
            patch->scale * (left[0][k / 3] * right[0][k % 3] + left[1][k / 3] * right[1][k % 3]);
    }
}

/// Y - p_dev of a sheet. Where it is curved at rest bonds are chords that leave the tangent plane, and do so more as it
/// bends: targets leave it as far, so that only lengths and directions within the sheet count,
/// docs/theory/peridynamics.md (15).
static phx_vec3 sheet_offset(const phxi_peri_patch* patch, bool curved, phx_vec3 x, double r, phx_vec3 y) {
    phx_vec3 n = patch->normal, turned = phxi_mat3_apply(&patch->turned, x);
    double across = phxi_dot(n, y);
    phx_vec3 along = phxi_add_scaled(y, -across, n);
    if (!curved) {
        return phxi_sub(along, turned);
    }
    double length = phxi_length(y), size = phxi_length(turned), per = length > 0 ? patch->scale * r / length : 0;
    phx_vec3 target = phxi_scale(size > 0 ? per * phxi_length(along) / size : 0, turned);
    return phxi_sub(y, phxi_add_scaled(target, per * across, n));
}

/// s of a curved sheet: the mean of |Y| / r along the targets.
static double curved_scale(const pass* p, int i) {
    const phxi_peri_slot* slot = p->slot;
    const phxi_peri_patch* patch = &slot->thin->patches[i];
    double sum = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phx_vec3 y = phxi_sub(p->x[slot->other[k]], p->x[i]), along, turned;
        turned = phxi_mat3_apply(&patch->turned, phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]));
        along = phxi_add_scaled(y, -phxi_dot(patch->normal, y), patch->normal);
        double size = phxi_length(turned) * phxi_length(along);
        double cosine = size > 0 ? phxi_dot(turned, along) / size : 0;
        sum += (double)slot->near[k][3] * (double)slot->rest[k][3] * phxi_length(y) * cosine;
    }
    return sum;
}

static void local_particle(const pass* p, int i) {
    const phxi_peri_slot* slot = p->slot;
    phxi_peri_patch* patch = &slot->thin->patches[i];
    const phxi_peri_weave* weave = &slot->thin->weaves[i];
    phx_vec3 f1 = {0}, f2 = {0};
    patch->stretch = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phx_vec3 y = phxi_sub(p->x[slot->other[k]], p->x[i]);
        phxi_r4 n = slot->near[k];
        phx_vec3 arm = phxi_vec3(n[0], n[1], n[2]);
        double r = (double)slot->rest[k][3];
        f1 = phxi_add_scaled(f1, phxi_dot(arm, weave->tangent[0]), y);
        f2 = phxi_add_scaled(f2, phxi_dot(arm, weave->tangent[1]), y);
        patch->stretch += (double)n[3] * r * (phxi_length(y) - r);
    }
    patch->det = 1 + patch->stretch;
    patch->strain = patch->stretch - phxi_peri_warmth(slot, i);
    if (weave->rank == 2) {
        turn_sheet(patch, weave, f1, f2);
        patch->scale = weave->curved ? curved_scale(p, i) : patch->scale;
    }
    phxi_peri_bend(slot, p->x, i);
}

static void local_block(void* context, int begin, int end, int index) {
    (void)index;
    for (int i = begin; i < end; ++i) {
        local_particle(context, i);
    }
}

// -------------------------------------------------------------------------------------------------------------- forces

/// T of a bond from one end over V w / r^2, and its matrix (xx yy zz xy xz yz), both added.
static void bond_from(const phxi_peri_slot* slot, int i, phx_vec3 x, double r, phx_vec3 y, double share,
                      phx_vec3* force, double matrix[6]) {
    const phxi_peri_patch* patch = &slot->thin->patches[i];
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    double dev = share * (double)rest->dev[i % PERI_BLOCK], iso = share * (double)rest->iso[i % PERI_BLOCK];
    double length = phxi_length(y), shrink = length > 0 ? r / length : 0;
    bool sheet = slot->thin->weaves[i].rank == 2;
    phx_vec3 n = patch->normal, h = phxi_scale(length > 0 ? 1 / length : 0, y), t;
    if (sheet) {
        t = sheet_offset(patch, slot->thin->weaves[i].curved, x, r, y);
        t = phxi_add_scaled(phxi_scale(dev, t), iso * patch->strain * shrink, y);
    } else {
        t = phxi_scale(dev * (1 - (1 + patch->stretch) * shrink) + iso * patch->strain * shrink, y);
    }
    *force = phxi_add(*force, t);
    double taut = length > 0 ? fmax(0, phxi_dot(t, h)) / length : dev + iso;
    double along = (sheet ? iso : dev + iso) - taut, plain = (sheet ? dev : 0) + taut, across = sheet ? -dev : 0;
    const double hs[3] = {h.x, h.y, h.z}, ns[3] = {n.x, n.y, n.z};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        matrix[k] += along * hs[row[k]] * hs[column[k]] + across * ns[row[k]] * ns[column[k]] + (k < 3 ? plain : 0);
    }
}

static void force_particle(const pass* p, int i) {
    const phxi_peri_slot* slot = p->slot;
    const struct phxi_peri_thin* thin = slot->thin;
    phx_vec3 force = phxi_peri_bending_force(slot, i);
    if (thin->twist) {
        force = phxi_add(force, phxi_peri_twist_force(slot, i));
    }
    double bending = thin->weaves[i].diagonal;
    for (int c = 0; c < 6; ++c) {
        thin->block[i][c] = c < 3 ? bending : 0;
    }
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        int j = slot->other[k];
        phx_vec3 y = phxi_sub(p->x[j], p->x[i]), x = phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]);
        double matrix[6] = {0}, r = (double)slot->rest[k][3];
        bond_from(slot, i, x, r, y, (double)slot->volume[i] * (double)slot->near[k][3], &force, matrix);
        bond_from(slot, j, x, r, y, (double)slot->far[k][3], &force, matrix);
        static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
        for (int c = 0; c < 3; ++c) {
            thin->matrix[k][c] =
                (phxi_r4){(phx_real)matrix[at[c][0]], (phx_real)matrix[at[c][1]], (phx_real)matrix[at[c][2]], 0};
        }
        for (int c = 0; c < 6; ++c) {
            thin->block[i][c] += matrix[c];
        }
    }
    p->force[i] = force;
}

static void force_block(void* context, int begin, int end, int index) {
    const pass* p = context;
    phxi_peri_found* found = &p->slot->found[index];
    *found = (phxi_peri_found){.min_det = INFINITY};
    for (int i = begin; i < end; ++i) {
        force_particle(p, i);
        found->bad = found->bad || !phxi_finite(p->force[i]);
        found->min_det = fmin(found->min_det, p->slot->thin->patches[i].det);
        found->most = fmax(found->most, p->slot->thin->patches[i].stretch * p->slot->thin->patches[i].stretch);
    }
}

void phxi_peri_thin_local(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x) {
    pass p = {.slot = slot, .x = x};
    phxi_peri_warm(step, slot);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, local_block, &p);
}

void phxi_peri_thin_forces(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x, phx_vec3* force) {
    pass p = {.slot = slot, .x = x, .force = force};
    bool twists = slot->thin->twist && !slot->thin->twist->idle;
    if (twists) {
        phxi_peri_twist_local(step, slot, x);
        phxi_peri_twist_prepare(step, slot);
    }
    phxi_peri_thin_local(step, slot, x);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, force_block, &p);
}

void phxi_peri_thin_diagonal(const phxi_peri_slot* slot, int i, double block[6]) {
    memcpy(block, slot->thin->block[i], 6 * sizeof *block);
}

// -------------------------------------------------------------------------------------------------------------- matrix

static void load_block(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    for (int i = begin; i < end; ++i) {
        p->slot->u[i] = (phxi_r4){p->q[0][i], p->q[1][i], p->q[2][i], 0};
    }
}

static void rows_block(void* context, int begin, int end, int index) {
    (void)index;
    phxi_peri_bending_rows(((const pass*)context)->slot, begin, end);
}

/// Bending and membrane in one pass over the bonds.
static PHXI_CLONES void peri_thin_gather(const phxi_peri_slot* slot, int begin, int end, phx_real* const kq[3]) {
    const struct phxi_peri_thin* thin = slot->thin;
    for (int i = begin; i < end; ++i) {
        const phx_real* middle = thin->bending[i] + 6;
        const phxi_r4 *m = thin->curved[i], own = slot->u[i];
        phxi_r4 sum = -(middle[0] * m[0] + middle[1] * m[1] + middle[2] * m[2]);
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int j = slot->other[k];
            phxi_r4 b = thin->far[k], d = own - slot->u[j];
            const phxi_r4 *c = thin->matrix[k], *there = thin->curved[j];
            sum += b[0] * there[0] + b[1] * there[1] + b[2] * there[2];
            sum += d[0] * c[0] + d[1] * c[1] + d[2] * c[2];
        }
        kq[0][i] = sum[0], kq[1][i] = sum[1], kq[2][i] = sum[2];
    }
}

static void product_block(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    peri_thin_gather(p->slot, begin, end, p->kq);
}

void phxi_peri_thin_product(phxi_step* step, const phxi_peri_slot* slot, const phx_real* const q[3],
                            phx_real* const kq[3]) {
    pass p = {.slot = slot, .q = q, .kq = kq};
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, load_block, &p);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, rows_block, &p);
    bool twists = slot->thin->twist && !slot->thin->twist->idle;
    if (twists) {
        phxi_peri_twist_product(step, slot);
    }
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, product_block, &p);
    for (int i = 0; i < slot->count && twists; ++i) {
        phx_vec3 pull = phxi_peri_twist_force(slot, i);
        kq[0][i] -= (phx_real)pull.x, kq[1][i] -= (phx_real)pull.y, kq[2][i] -= (phx_real)pull.z;
    }
}

// -------------------------------------------------------------------------------------------------------------- energy

double phxi_peri_thin_energy(const phxi_peri_slot* slot, const phx_vec3* x, int i, double* shear) {
    const phxi_peri_patch* patch = &slot->thin->patches[i];
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    double sum = 0;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phx_vec3 y = phxi_sub(x[slot->other[k]], x[i]);
        double r = (double)slot->rest[k][3], w = (double)slot->near[k][3],
               e = phxi_length(y) - r * (1 + patch->stretch);
        phx_vec3 at = phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]);
        phx_vec3 t = sheet_offset(patch, slot->thin->weaves[i].curved, at, r, y);
        sum += w * (slot->thin->weaves[i].rank == 2 ? phxi_dot(t, t) : e * e);
    }
    *shear = (double)rest->rank[i % PERI_BLOCK] * sum;
    double dev = (double)rest->dev[i % PERI_BLOCK], iso = (double)rest->iso[i % PERI_BLOCK];
    return (double)slot->volume[i] * (dev * sum + iso * patch->strain * patch->strain) / 2 + patch->bent;
}

double phxi_peri_thin_det(const phxi_peri_slot* slot, int i) {
    return slot->thin->patches[i].det * (double)slot->constants[i / PERI_BLOCK].size[i % PERI_BLOCK];
}

double phxi_peri_thin_stretch(const phxi_peri_slot* slot, int i) {
    return slot->thin->patches[i].strain;
}

const phx_vec3* phxi_peri_thin_refresh(phxi_step* step, const phxi_peri_slot* slot) {
    phxi_peri_positions(step, slot, slot->thin->where);
    if (slot->thin->twist) {
        phxi_peri_twist_show(step, slot, slot->thin->where);
    }
    phxi_peri_thin_local(step, slot, slot->thin->where);
    return slot->thin->where;
}
