// SPDX-License-Identifier: MIT
// The local step of bodies that yield, and their forces: docs/theory/peridynamics.md (16) to (18). Yield is inside the
// solver: stress is that which the material bears at the end of the step, and the matrix has the secant stiffness,
// which is no less than the tangent, so that each global step still lowers what it is to lower. Without it a step would
// add a viscosity mu dt.
#include "methods/peridynamics/flow.h"

#include "math/decompose3.h"

static const char* const label = "peridynamics flow";

#define LEAST_STIFF 1e-3 // of the secant stiffness, of the elastic one: a particle is never without a matrix
#define FEW_BONDS   4    // fewer do not tell a strain: such a particle bears nothing

// ------------------------------------------------------------------------------------------------------------- making

phx_result phxi_peri_make_flow(phxi_step* step, phxi_peri_slot* slot) {
    phxi_heap* heap = step->heap;
    struct phxi_peri_flow* flow = slot->flow = phxi_alloc_zero(heap, 1, sizeof *flow, label);
    if (!flow) {
        return PHX_ERROR_MEMORY;
    }
    flow->law = phxi_yield_from(&step->bodies[slot->body].material);
    flow->steady = slot->breaking != NULL;
    PHXI_NEW(flow->now, heap, slot->count, label);
    PHXI_NEW(flow->where, heap, slot->count, label);
    return PHX_OK;
}

void phxi_peri_release_flow(phxi_heap* heap, struct phxi_peri_flow* flow) {
    if (!flow) {
        return;
    }
    phxi_peri_release_lists(heap, flow);
    phxi_free(heap, flow->now);
    phxi_free(heap, flow->where);
    phxi_free(heap, flow);
}

phxi_peri_memory phxi_peri_remember(phxi_particles* particles) {
    phxi_peri_memory m = {.amount = phxi_particles_field(particles, "peridynamics.plastic"),
                          .opening = phxi_particles_field(particles, "peridynamics.opening")};
    static const char* const names[6] = {"peridynamics.p_xx", "peridynamics.p_yy", "peridynamics.p_zz",
                                         "peridynamics.p_xy", "peridynamics.p_xz", "peridynamics.p_yz"};
    for (int k = 0; k < 6; ++k) {
        m.strain[k] = phxi_particles_field(particles, names[k]);
    }
    return m;
}

// ---------------------------------------------------------------------------------------------------------- local step

typedef struct pass {
    const phxi_peri_slot* slot;
    const phx_vec3* x;
    phx_vec3* force;
    phxi_peri_memory memory;
} pass;

typedef double d4 __attribute__((vector_size(32))); // a padded 3-vector

/// Bonds of a particle now.
typedef struct bonds_now {
    d4 y[PERI_MOST_BONDS], away[PERI_MOST_BONDS]; // Y, Y - s R X
    double length[PERI_MOST_BONDS];               // |Y|
} bonds_now;

PHXI_INLINE double square_of(const d4* a) {
    d4 q = *a * *a;
    return q[0] + q[1] + q[2];
}

static PHXI_CLONES void gradient_of(const pass* p, int i, bonds_now* now, phxi_mat3* gradient) {
    const phxi_peri_slot* slot = p->slot;
    const d4 own = {p->x[i].x, p->x[i].y, p->x[i].z, 0};
    d4 a[3] = {{0}, {0}, {0}};
    for (int k = slot->start[i], n = 0; k < slot->start[i + 1]; ++k, ++n) {
        const phx_vec3* there = &p->x[slot->other[k]];
        d4 y = (d4){there->x, there->y, there->z, 0} - own, near = __builtin_convertvector(slot->near[k], d4);
        a[0] += y[0] * near, a[1] += y[1] * near, a[2] += y[2] * near;
        now->y[n] = y;
        now->length[n] = sqrt(square_of(&y));
    }
    *gradient = (phxi_mat3){{{a[0][0], a[0][1], a[0][2]}, {a[1][0], a[1][1], a[1][2]}, {a[2][0], a[2][1], a[2][2]}}};
}

static PHXI_CLONES void spread_of(const phxi_peri_slot* slot, int i, bonds_now* now, phxi_peri_flowing* f) {
    double scale = 0, spread = 0, longer = 0;
    for (int k = 0; k < 9; ++k) {
        scale += f->rotation.m[k / 3][k % 3] * f->gradient.m[k / 3][k % 3];
    }
    d4 to[3];
    for (int c = 0; c < 3; ++c) {
        to[c] = scale * (d4){f->rotation.m[0][c], f->rotation.m[1][c], f->rotation.m[2][c], 0};
    }
    for (int k = slot->start[i], n = 0; k < slot->start[i + 1]; ++k, ++n) {
        d4 x = __builtin_convertvector(slot->rest[k], d4),
           away = now->y[n] - (x[0] * to[0] + x[1] * to[1] + x[2] * to[2]);
        double w = (double)slot->near[k][3], r = (double)slot->rest[k][3];
        now->away[n] = away;
        spread += w * square_of(&away);
        longer += w * r * (now->length[n] - r);
    }
    f->scale = scale, f->spread = spread;
    // what pressure does work on is the length of bonds; s - 1 would let grains part under pressure that does not fall
    f->stretch = (slot->flow->law.grains ? longer : scale - 1) - phxi_peri_warmth(slot, i);
}

static void strain_of(const pass* p, int i, bonds_now* now, phxi_peri_flowing* f) {
    gradient_of(p, i, now, &f->gradient);
    f->rotation = phxi_near_rotation(&f->gradient);
    spread_of(p->slot, i, now, f);
}

/// Whether the plastic strain is as large as it may be, and grows by a deformation as this one.
static bool is_full(const pass* p, int i, const phxi_peri_flowing* f) {
    const phxi_peri_slot* slot = p->slot;
    double limit = slot->flow->law.flow.limit, square = 0, along = 0;
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = 0; k < 9; ++k) {
        double e = (double)p->memory.strain[full[k]][slot->begin + i];
        square += e * e;
    }
    if (square < limit * limit) {
        return false;
    }
    for (int k = 0; k < 9; ++k) { // (R^T A - s/3 I) : eps_p
        double s = -(k % 4 == 0) * f->scale / 3;
        for (int c = 0; c < 3; ++c) {
            s += f->rotation.m[c][k / 3] * f->gradient.m[c][k % 3];
        }
        along += s * (double)p->memory.strain[full[k]][slot->begin + i];
    }
    return along > 0;
}

static void bear(const pass* p, int i, phxi_peri_flowing* f) {
    const phxi_peri_slot* slot = p->slot;
    int bonds = slot->start[i + 1] - slot->start[i];
    double rank = (double)slot->constants[i / PERI_BLOCK].rank[i % PERI_BLOCK];
    if (bonds < FEW_BONDS) {
        f->borne = (phxi_yielded){.growth = 1, .flows = true};
        return;
    }
    phxi_yield_past past = {.amount = (double)p->memory.amount[slot->begin + i],
                            .opening = (double)p->memory.opening[slot->begin + i],
                            .full = is_full(p, i, f)};
    double stiff = slot->stiff ? (double)slot->stiff[i] : 1;
    f->borne = phxi_yield_return(&slot->flow->law, stiff, slot->flow->dt, f->stretch, sqrt(rank * f->spread), &past);
}

static PHXI_CLONES void pull(const pass* p, int i, const bonds_now* now, const phxi_peri_flowing* f) {
    const phxi_peri_slot* slot = p->slot;
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    double volume = (double)slot->volume[i] * f->borne.growth;
    double dev = volume * (double)rest->dev[i % PERI_BLOCK], iso = volume * (double)rest->iso[i % PERI_BLOCK];
    double share = f->stretch * f->borne.mean > 0 ? fmin(1, f->borne.mean / f->stretch) : f->stretch == 0;
    double secant = dev * fmax(f->borne.kept, LEAST_STIFF) + iso * fmax(share, LEAST_STIFF);
    dev *= f->borne.kept, iso *= f->borne.mean;
    for (int k = slot->start[i], n = 0; k < slot->start[i + 1]; ++k, ++n) {
        double w = (double)slot->near[k][3], along = now->length[n] > 0 ? (double)slot->rest[k][3] / now->length[n] : 0;
        d4 t = w * (dev * now->away[n] + iso * along * now->y[n]);
        t[3] = w * secant;
        slot->far[k] = __builtin_convertvector(t, phxi_r4);
    }
}

static void local_block(void* context, int begin, int end, int index) {
    const pass* p = context;
    phxi_peri_found* found = &p->slot->found[index];
    bonds_now now;
    *found = (phxi_peri_found){.min_det = INFINITY};
    for (int i = begin; i < end; ++i) {
        phxi_peri_flowing* f = &p->slot->flow->now[i];
        strain_of(p, i, &now, f);
        bear(p, i, f);
        pull(p, i, &now, f);
        found->bad = found->bad || !isfinite(f->spread + f->stretch);
        found->min_det = fmin(found->min_det, phxi_mat3_det(&f->gradient));
        found->most = fmax(found->most, f->spread);
    }
}

static void gather_block(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const phxi_peri_slot* slot = p->slot;
    for (int i = begin; i < end; ++i) {
        double x = 0, y = 0, z = 0, diagonal = 0;
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phxi_r4 here = slot->far[k], there = slot->far[slot->mirror[k]];
            x += (double)here[0] - (double)there[0];
            y += (double)here[1] - (double)there[1];
            z += (double)here[2] - (double)there[2];
            slot->link[k] = here[3] + there[3];
            diagonal += (double)slot->link[k];
        }
        slot->diagonal[i] = (phx_real)diagonal;
        p->force[i] = phxi_vec3(x, y, z);
    }
}

static pass pass_of(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x) {
    return (pass){.slot = slot, .x = x, .memory = phxi_peri_remember(step->particles)};
}

void phxi_peri_flow_forces(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x, phx_vec3* force) {
    pass p = pass_of(step, slot, x);
    p.force = force;
    phxi_peri_warm(step, slot);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, local_block, &p);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, gather_block, &p);
}

void phxi_peri_flow_local(phxi_step* step, const phxi_peri_slot* slot) {
    phxi_peri_positions(step, slot, slot->flow->where);
    phxi_peri_warm(step, slot);
    pass p = pass_of(step, slot, slot->flow->where);
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, local_block, &p);
}

void phxi_peri_flow_again(phxi_step* step, const phxi_peri_slot* slot, int i) {
    pass p = pass_of(step, slot, slot->flow->where);
    bonds_now now;
    strain_of(&p, i, &now, &slot->flow->now[i]);
    bear(&p, i, &slot->flow->now[i]);
}

// ----------------------------------------------------------------------------------------------------------- measuring

double phxi_peri_flow_energy(const phxi_peri_slot* slot, int i, double* shear) {
    const phxi_peri_flowing* f = &slot->flow->now[i];
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    double kept = f->borne.kept * f->borne.kept * f->spread, mean = f->borne.mean;
    *shear = (double)rest->rank[i % PERI_BLOCK] * kept;
    return (double)slot->volume[i] * f->borne.growth *
           ((double)rest->dev[i % PERI_BLOCK] * kept + (double)rest->iso[i % PERI_BLOCK] * mean * mean) / 2;
}

static phxi_mat3 left_of(const phxi_step* step, const phxi_peri_slot* slot, int i) {
    phxi_peri_memory m = phxi_peri_remember(step->particles);
    double e[6];
    for (int k = 0; k < 6; ++k) {
        e[k] = (double)m.strain[k][slot->begin + i];
    }
    phxi_sym3 strain = {e[0], e[1], e[2], e[3], e[4], e[5]};
    return phxi_sym3_full(&strain);
}

double phxi_peri_flow_det(const phxi_step* step, const phxi_peri_slot* slot, int i) {
    phxi_mat3 b = left_of(step, slot, i);
    for (int k = 0; k < 9; ++k) {
        b.m[k / 3][k % 3] = 2 * b.m[k / 3][k % 3] + (k % 4 == 0);
    }
    // 27 det A is det F where weights are isotropic; docs/theory/peridynamics.md (4)
    double size = 27 * (double)slot->constants[i / PERI_BLOCK].size[i % PERI_BLOCK];
    return size * phxi_mat3_det(&slot->flow->now[i].gradient) * sqrt(fmax(0, phxi_mat3_det(&b)));
}

double phxi_peri_flow_strain(const phxi_step* step, const phxi_peri_slot* slot, int i) {
    phxi_mat3 e = left_of(step, slot, i);
    double sum = 0;
    for (int k = 0; k < 9; ++k) {
        sum += e.m[k / 3][k % 3] * e.m[k / 3][k % 3];
    }
    return sqrt(sum);
}
