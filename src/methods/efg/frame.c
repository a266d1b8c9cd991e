// SPDX-License-Identifier: MIT
// The frame of a body, x = center + R (B (X - origin) + u), README.md (2).
//
// Any frame would do: forces do not depend on it but for rounding. Fitted to where the particles will be after the
// substep it leaves u small, so that float keeps the digits of small strains, and rounding does not push the body. It
// is fitted to a few particles, every substep anew, from what is in the saved fields: nothing to keep, nothing to
// restore.
#include "methods/efg/lattice.h"

#include "math/decompose3.h"

#include <string.h>

static int sample_count(const phxi_efg_slot* slot) {
    return slot->count < EFG_SAMPLES ? slot->count : EFG_SAMPLES;
}

/// Particle of sample k: spread over the whole range, hence over the whole curve.
static int sample_at(const phxi_efg_slot* slot, int k) {
    return slot->begin + (int)((int64_t)k * slot->count / sample_count(slot));
}

static phx_vec3 rest_of(const phxi_efg_slot* slot, const phxi_particles* p, int i) {
    return phxi_vec3(phxi_efg_reference(slot, p, 0)[i], phxi_efg_reference(slot, p, 1)[i],
                     phxi_efg_reference(slot, p, 2)[i]);
}

void phxi_efg_fit_sample(phxi_efg_slot* slot, const phxi_particles* particles) {
    int count = sample_count(slot);
    phx_vec3 origin = {0};
    for (int k = 0; k < count; ++k) {
        origin = phxi_add_scaled(origin, 1.0 / count, rest_of(slot, particles, sample_at(slot, k)));
    }
    phxi_sym3 moment = {0};
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(rest_of(slot, particles, sample_at(slot, k)), origin);
        moment.xx += d.x * d.x;
        moment.yy += d.y * d.y;
        moment.zz += d.z * d.z;
        moment.xy += d.x * d.y;
        moment.xz += d.x * d.z;
        moment.yz += d.y * d.z;
    }
    phxi_pseudo_inverse_sym3(&moment, 1e-6, &slot->sample_inverse, &slot->sample_span);
    slot->frame = (phxi_efg_frame){origin, origin, phxi_identity(), phxi_identity()};
}

/// Gram-Schmidt: a rotation near `a` in 50 ns, false if its columns are too dependent or mirrored.
static bool orthonormalize(const phxi_mat3* a, phxi_mat3* rotation) {
    phx_vec3 x = {a->m[0][0], a->m[1][0], a->m[2][0]}, y = {a->m[0][1], a->m[1][1], a->m[2][1]};
    phx_vec3 z = {a->m[0][2], a->m[1][2], a->m[2][2]};
    double length = phxi_length(x);
    x = phxi_scale(1 / length, x);
    y = phxi_add_scaled(y, -phxi_dot(x, y), x);
    double width = phxi_length(y);
    y = phxi_scale(1 / width, y);
    phx_vec3 normal = phxi_cross(x, y);
    double height = phxi_dot(normal, z);
    if (!(length > 1e-3 && width > 1e-3 && height > 1e-3 && length + width + height < 1e3)) {
        return false;
    }
    *rotation = (phxi_mat3){{{x.x, y.x, normal.x}, {x.y, y.y, normal.y}, {x.z, y.z, normal.z}}};
    return true;
}

/// The frame of the sample at these positions.
static void fit(phxi_efg_slot* slot, const phxi_particles* p, const phx_vec3* at) {
    phx_vec3 center = {0}, origin = slot->frame.origin;
    int count = sample_count(slot);
    for (int k = 0; k < count; ++k) {
        center = phxi_add_scaled(center, 1.0 / count, at[k]);
    }
    phxi_mat3 cross = {0}, inverse = phxi_sym3_full(&slot->sample_inverse);
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(rest_of(slot, p, sample_at(slot, k)), origin), r = phxi_sub(at[k], center);
        const double left[3] = {r.x, r.y, r.z}, right[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                cross.m[a][b] += left[a] * right[b];
            }
        }
    }
    phxi_mat3 affine = phxi_mat3_mul(&cross, &inverse), rotation;
    if (!orthonormalize(&affine, &rotation)) {
        rotation = phxi_polar_rotation(&affine); // flat bodies, and what has been crushed or blown up
    }
    phxi_mat3 turned = phxi_mat3_transpose(&rotation), stretch = phxi_mat3_mul(&turned, &affine);
    phxi_mat3 span = phxi_sym3_full(&slot->sample_span);
    double size = fabs(center.x) + fabs(center.y) + fabs(center.z);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            // directions the sample does not span are left as they were
            stretch.m[a][b] += (a == b ? 1 : 0) - span.m[a][b];
            size += fabs(stretch.m[a][b]);
        }
    }
    slot->frame = (phxi_efg_frame){center, origin, rotation, stretch};
    if (!isfinite(size)) {
        slot->frame = (phxi_efg_frame){origin, origin, phxi_identity(), phxi_identity()};
    }
    if (slot->lattice) {
        phxi_lattice_turn(slot);
    }
}

void phxi_efg_fit_frame(phxi_efg_slot* slot, const phxi_explicit* scheme, double dt) {
    const phxi_particles* p = scheme->particles;
    phx_vec3 at[EFG_SAMPLES];
    for (int k = 0; k < sample_count(slot); ++k) {
        int i = sample_at(slot, k);
        at[k] = phxi_vec3(p->x[i] + dt * p->vx[i], p->y[i] + dt * p->vy[i], p->z[i] + dt * p->vz[i]);
    }
    fit(slot, p, at);
}

void phxi_efg_fit_frame_at(phxi_efg_slot* slot, const phxi_particles* particles, const phx_vec3* x) {
    phx_vec3 at[EFG_SAMPLES];
    for (int k = 0; k < sample_count(slot); ++k) {
        at[k] = x[sample_at(slot, k) - slot->begin];
    }
    fit(slot, particles, at);
}

/// u = R^T (x - center - R B (X - origin)): what is in brackets is a small difference of large numbers and wants
/// double, the rest does not.
static PHXI_CLONES void efg_displacements(const phxi_efg_slot* slot, const phxi_efg_frame* frame,
                                          const phxi_explicit* scheme, int begin, int count, phx_real u[3][EFG_BLOCK]) {
    const phxi_particles* p = scheme->particles;
    const phx_real* restrict x = p->x + begin, * restrict y = p->y + begin, * restrict z = p->z + begin;
    const phx_real* restrict low_x = scheme->low[0] + begin, * restrict low_y = scheme->low[1] + begin;
    const phx_real* restrict low_z = scheme->low[2] + begin;
    const phx_real* restrict rest_x = phxi_efg_reference(slot, p, 0) + begin;
    const phx_real* restrict rest_y = phxi_efg_reference(slot, p, 1) + begin;
    const phx_real* restrict rest_z = phxi_efg_reference(slot, p, 2) + begin;
    phx_real* restrict u0 = u[0], * restrict u1 = u[1], * restrict u2 = u[2];
    const phxi_mat3 a = phxi_mat3_mul(&frame->rotation, &frame->stretch);
    const phx_vec3 c = phxi_sub(frame->center, phxi_mat3_apply(&a, frame->origin));
    phx_real r[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = (phx_real)frame->rotation.m[k / 3][k % 3];
    }
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        double ox = (double)rest_x[i], oy = (double)rest_y[i], oz = (double)rest_z[i];
        phx_real dx =
            (phx_real)((double)x[i] - c.x + (double)low_x[i] - (a.m[0][0] * ox + a.m[0][1] * oy + a.m[0][2] * oz));
        phx_real dy =
            (phx_real)((double)y[i] - c.y + (double)low_y[i] - (a.m[1][0] * ox + a.m[1][1] * oy + a.m[1][2] * oz));
        phx_real dz =
            (phx_real)((double)z[i] - c.z + (double)low_z[i] - (a.m[2][0] * ox + a.m[2][1] * oy + a.m[2][2] * oz));
        u0[i] = r[0] * dx + r[3] * dy + r[6] * dz;
        u1[i] = r[1] * dx + r[4] * dy + r[7] * dz;
        u2[i] = r[2] * dx + r[5] * dy + r[8] * dz;
    }
}

/// From one array an axis to rows of four and lanes of eight.
static PHXI_CLONES void efg_spread(int groups, phx_real u[3][EFG_BLOCK], phxi_r4* rows, phxi_efg_lane* lanes) {
    for (int q = 0; q < groups; ++q, rows += EFG_LANES) {
        for (int a = 0; a < 3; ++a) {
            lanes[q].u[a] = *(const phxi_r8*)(const void*)(u[a] + q * EFG_LANES);
        }
        for (int k = 0; k < EFG_LANES; ++k) {
            int i = q * EFG_LANES + k;
            rows[k] = (phxi_r4){u[0][i], u[1][i], u[2][i], 0};
        }
    }
}

void phxi_efg_displacements(const phxi_efg_slot* slot, const phxi_efg_frame* frame, const phxi_explicit* scheme,
                            int begin, int count, phx_real u[3][EFG_BLOCK]) {
    efg_displacements(slot, frame, scheme, begin, count, u);
}

void phxi_efg_fill(phxi_efg* efg, const phxi_explicit* scheme, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    efg_displacements(slot, &slot->frame, scheme, slot->begin + block->row - slot->row, block->count, u);
    for (int k = block->count; k < groups * EFG_LANES; ++k) {
        u[0][k] = u[1][k] = u[2][k] = 0;
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

void phxi_efg_fill_with(phxi_efg* efg, const phx_real* const from[3], const phxi_efg_block* block) {
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    int first = block->row - efg->slots.items[block->slot].row;
    for (int a = 0; a < 3; ++a) {
        memcpy(u[a], from[a] + first, (size_t)block->count * sizeof *u[a]);
        memset(u[a] + block->count, 0, (size_t)(groups * EFG_LANES - block->count) * sizeof *u[a]);
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

void phxi_efg_fill_at(phxi_efg* efg, const phxi_particles* p, const phx_vec3* x, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    const phxi_efg_frame* f = &slot->frame;
    phxi_mat3 back = phxi_mat3_transpose(&f->rotation);
    _Alignas(64) phx_real u[3][EFG_BLOCK];
    int groups = phxi_block_count(block->count, EFG_LANES);
    memset(u, 0, sizeof u);
    for (int k = 0; k < block->count; ++k) {
        int i = block->row - slot->row + k;
        phx_vec3 now = phxi_mat3_apply(&back, phxi_sub(x[i], f->center));
        phx_vec3 rest = phxi_mat3_apply(&f->stretch, phxi_sub(rest_of(slot, p, slot->begin + i), f->origin));
        u[0][k] = (phx_real)(now.x - rest.x), u[1][k] = (phx_real)(now.y - rest.y),
        u[2][k] = (phx_real)(now.z - rest.z);
    }
    efg_spread(groups, u, efg->u.items + block->row, efg->lanes.items + block->row / EFG_LANES);
}

typedef struct refresh_context {
    phxi_efg* efg;
    const phxi_explicit* scheme;
    int block_begin;
} refresh_context;

static void refresh_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const refresh_context* c = context;
    phxi_efg_fill(c->efg, c->scheme, &c->efg->blocks.items[c->block_begin + begin]);
}

void phxi_efg_refresh(phxi_efg* efg, phxi_step* step, int index) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_explicit scheme;
    phxi_explicit_bind(&scheme, step->particles, phxi_efg_fields);
    phxi_efg_fit_frame(slot, &scheme, 0);
    refresh_context context = {efg, &scheme, slot->block_begin};
    phxi_parallel_for(step->pool, slot->block_end - slot->block_begin, 1, refresh_block, &context);
}
