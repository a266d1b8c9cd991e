// SPDX-License-Identifier: MIT
// The frame of a body and displacements in it (motion/frame.h).
#include "methods/peridynamics/pack.h"

#include "core/hash.h"

typedef struct placing {
    phxi_step* step;
    const phxi_peri_slot* slot;
    const phx_vec3* x; // NULL: the particles as they are
} placing;

/// Where particle i of the slot is.
static phx_vec3 position(const placing* c, int i) {
    const phxi_particles* p = c->step->particles;
    int k = c->slot->begin + i;
    return c->x ? c->x[i] : phxi_particles_place(p, k);
}

static phx_vec3 rest_of(const placing* c, int i) {
    const phxi_particles* p = c->step->particles;
    int k = c->slot->begin + i;
    return phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
}

static void place_block(void* context, int begin, int end, int index) {
    (void)index;
    const placing* c = context;
    const phxi_frame* f = &c->slot->frame;
    phxi_mat3 back = phxi_mat3_transpose(&f->rotation);
    for (int i = begin; i < end; ++i) {
        phx_vec3 now = phxi_mat3_apply(&back, phxi_sub(position(c, i), f->center));
        phx_vec3 u = phxi_sub(now, phxi_sub(rest_of(c, i), f->origin));
        const phxi_r4 all = {(phx_real)u.x, (phx_real)u.y, (phx_real)u.z, 0};
        phxi_peri_put_u(c->slot, i, &all);
    }
}

void phxi_peri_place(phxi_step* step, phxi_peri_slot* slot, const phx_vec3* x) {
    placing c = {step, slot, x};
    phxi_peri_warm(step, slot);
    phx_vec3 rest[PHXI_FRAME_SAMPLES], at[PHXI_FRAME_SAMPLES];
    int samples = phxi_frame_sample_count(slot->count);
    for (int k = 0; k < samples; ++k) {
        int i = phxi_frame_sample(slot->count, k);
        rest[k] = rest_of(&c, i);
        at[k] = position(&c, i);
    }
    phxi_frame_fit(&slot->base, rest, at, samples, &slot->frame);
    slot->frame.stretch = phxi_identity(); // then separations in it are X + u
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, place_block, &c);
}

void phxi_peri_refresh(phxi_step* step, phxi_peri_slot* slot) {
    phxi_peri_place(step, slot, NULL);
}

// --------------------------------------------------------------------------------------------------------------- start

static double unit_of(uint64_t id, int axis) {
    return phxi_hash_unit(phxi_hash_pair(id, (uint64_t)axis));
}

void phxi_peri_begin(phxi_step* step, const phxi_peri_slot* slot) {
    phxi_particles* p = step->particles;
    phx_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = slot->begin; i < slot->begin + slot->count; ++i) {
        phx_vec3 x = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        low = phxi_min(low, x);
        high = phxi_max(high, x);
    }
    for (int i = slot->begin; i < slot->begin + slot->count; ++i) {
        switch ((phxi_peri_start)slot->params.start) {
        case PERI_AT_REST:
            break;
        case PERI_RANDOM:
            p->x[i] = (phx_real)(low.x + (high.x - low.x) * unit_of(p->id[i], 0));
            p->y[i] = (phx_real)(low.y + (high.y - low.y) * unit_of(p->id[i], 1));
            p->z[i] = (phx_real)(low.z + (high.z - low.z) * unit_of(p->id[i], 2));
            break;
        case PERI_MIRRORED:
            p->x[i] = (phx_real)(low.x + high.x - (double)p->rest_x[i]);
            break;
        case PERI_FLAT:
            p->z[i] = (phx_real)low.z;
            break;
        }
    }
}
