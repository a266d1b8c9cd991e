// SPDX-License-Identifier: MIT
// After a step what has yielded becomes rest, docs/theory/peridynamics.md (19).
//
// The published rule is X += alpha e X + beta (R^T Y - (1 + e) X), which is right to first order. Here a homogeneous
// state ends exactly where the law says: with S = sym(R^T F), d = dev S, the elastic stretch becomes
//     S' = s' I + kept d,   X' = S'^-1 (beta R^T Y + kept S X),   beta = 1 - kept,
// which for an affine Y = F X is S'^-1 S X, and has the published formula as its first order. s' follows from the
// volume, which metals keep: det S' = det S ((1 + mean)/(1 + e))^3. The strength of grains hangs on e, which has to end
// as `mean`: of e a part, e - (tr S/3 - 1), is of disorder and of neighbourhoods that are not alike all around, and
// fades as kept^2, so that s' = 1 + mean - kept^2 (e - (tr S/3 - 1)). With all of that part in s' (as if kept were 1)
// grains at surfaces that yield are left with a pressure that nothing caused: it throws them off.
#include "methods/peridynamics/flow.h"

#include "math/decompose3.h"

#define NEWTON_STEPS  6
#define LEAST_DET     0.05 // of S': below, or where bonds do not span space, it is the same all around
#define PASSES        3    // of the update of a particle
#define LEAST_FLOW    1e-4 // plastic strain of a pass that another one is for: below, the next step takes what is left
#define LEAST_STRETCH 0.3  // of S', where it is the same all around
#define LEAST_BOND    0.1  // of the length at rest that a bond may change to in a step, and the most 1/it

typedef struct updating {
    phxi_step* step;
    phxi_peri_slot* slot;
    phxi_peri_memory memory;
} updating;

/// S = sym(R^T A G^+)
static phxi_mat3 stretch_of(const phxi_peri_slot* slot, int i) {
    const phxi_peri_flowing* f = &slot->flow->now[i];
    const phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
    int lane = i % PERI_BLOCK;
    phxi_sym3 packed = {(double)rest->spread[0][lane], (double)rest->spread[1][lane], (double)rest->spread[2][lane],
                        (double)rest->spread[3][lane], (double)rest->spread[4][lane], (double)rest->spread[5][lane]};
    phxi_mat3 spread = phxi_sym3_full(&packed), back = phxi_mat3_transpose(&f->rotation);
    phxi_mat3 m = phxi_mat3_mul(&f->gradient, &spread), s;
    m = phxi_mat3_mul(&back, &m);
    for (int k = 0; k < 9; ++k) {
        s.m[k / 3][k % 3] = (m.m[k / 3][k % 3] + m.m[k % 3][k / 3]) / 2;
    }
    return s;
}

/// s of det(s I + d) = det, d of trace 0 with d:d/2 = half and det d = third; from s on.
static double solve_volume(double s, double half, double third, double det) {
    for (int k = 0; k < NEWTON_STEPS; ++k) {
        double slope = 3 * s * s - half;
        s -= slope > 0 ? (s * s * s - half * s + third - det) / slope : 0;
    }
    return s;
}

/// s' of grains, where tr S/3 is `mean`.
static double mean_after(const phxi_peri_flowing* f, double mean) {
    return 1 + f->borne.mean - f->borne.kept * f->borne.kept * (f->stretch + 1 - mean);
}

/// S' of S; false where it would be flat or inside out.
static bool new_stretch(const phxi_peri_slot* slot, int i, const phxi_mat3* s, phxi_mat3* to) {
    const phxi_peri_flowing* f = &slot->flow->now[i];
    double mean = (s->m[0][0] + s->m[1][1] + s->m[2][2]) / 3, kept = f->borne.kept, square = 0;
    phxi_mat3 d = *s;
    for (int k = 0; k < 9; ++k) {
        d.m[k / 3][k % 3] -= k % 4 == 0 ? mean : 0;
        square += d.m[k / 3][k % 3] * d.m[k / 3][k % 3];
    }
    double det = phxi_mat3_det(s), ratio = (1 + f->borne.mean) / (1 + f->stretch);
    if (!(det > LEAST_DET) || !(ratio > 0) || !(mean > 0)) {
        return false;
    }
    double along = slot->flow->law.grains
                       ? mean_after(f, mean)
                       : solve_volume(mean * ratio, kept * kept * square / 2, kept * kept * kept * phxi_mat3_det(&d),
                                      det * ratio * ratio * ratio);
    for (int k = 0; k < 9; ++k) {
        to->m[k / 3][k % 3] = kept * d.m[k / 3][k % 3] + (k % 4 == 0 ? along : 0);
    }
    return phxi_mat3_det(to) > LEAST_DET;
}

/// Plastic strain grows by P: I + 2 eps <- P (I + 2 eps) P^T; and the amount. Returns |P - I|.
static double gather(const updating* u, int i, const phxi_mat3* p) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    int at = u->slot->begin + i;
    double e[6], square = 0, mean = (p->m[0][0] + p->m[1][1] + p->m[2][2]) / 3, shear = 0;
    for (int k = 0; k < 6; ++k) {
        e[k] = (double)u->memory.strain[k][at];
    }
    phxi_sym3 packed = {e[0], e[1], e[2], e[3], e[4], e[5]};
    phxi_mat3 b = phxi_sym3_full(&packed), t = phxi_mat3_transpose(p);
    b = phxi_mat3_mul(&b, &t);
    b = phxi_mat3_mul(p, &b);
    t = phxi_mat3_mul(p, &t);
    for (int k = 0; k < 6; ++k) {
        double whole = b.m[row[k]][column[k]] + (t.m[row[k]][column[k]] - (k < 3)) / 2;
        u->memory.strain[k][at] = (phx_real)whole;
    }
    for (int k = 0; k < 9; ++k) {
        double g = p->m[k / 3][k % 3] - (k % 4 == 0), d = p->m[k / 3][k % 3] - (k % 4 == 0 ? mean : 0);
        square += g * g;
        shear += d * d;
    }
    u->memory.amount[at] = (phx_real)((double)u->memory.amount[at] + phxi_plastic_amount(sqrt(shear)));
    return sqrt(square);
}

/// Where that cannot be: S as if it were the same all around.
static void plain_stretch(const phxi_peri_slot* slot, int i, phxi_mat3* s, phxi_mat3* to) {
    const phxi_peri_flowing* f = &slot->flow->now[i];
    double along = mean_after(f, f->scale);
    *s = *to = phxi_identity();
    for (int k = 0; k < 3; ++k) {
        s->m[k][k] = f->scale;
        to->m[k][k] = fmax(along, LEAST_STRETCH);
    }
}

/// X' of all bonds of particle i. `back` is S'^-1.
static void move_bonds(const phxi_peri_slot* slot, int i, const phxi_mat3* s, const phxi_mat3* back) {
    const phxi_peri_flowing* f = &slot->flow->now[i];
    const phx_vec3* where = slot->flow->where;
    const phxi_mat3 turn = phxi_mat3_transpose(&f->rotation);
    double kept = f->borne.kept;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phx_vec3 x = phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]);
        phx_vec3 now = phxi_mat3_apply(&turn, phxi_sub(where[slot->other[k]], where[i]));
        phx_vec3 to = phxi_mat3_apply(back, phxi_add_scaled(phxi_scale(1 - kept, now), kept, phxi_mat3_apply(s, x)));
        double r = (double)slot->rest[k][3], length = phxi_length(to);
        if (length > 0 && isfinite(length)) {
            double becomes = fmin(fmax(length, LEAST_BOND * r), r / LEAST_BOND);
            to = phxi_scale(becomes / length, to);
            slot->rest[k] = (phxi_r4){(phx_real)to.x, (phx_real)to.y, (phx_real)to.z, (phx_real)becomes};
        }
    }
}

/// Returns how much flowed.
static double update_particle(const updating* u, int i) {
    phxi_peri_slot* slot = u->slot;
    const phxi_peri_flowing* f = &slot->flow->now[i];
    u->memory.opening[slot->begin + i] = (phx_real)f->borne.opening;
    if (!f->borne.flows || slot->start[i] == slot->start[i + 1]) {
        return 0;
    }
    double flowed = (1 - f->borne.kept) * sqrt(f->spread) + fabs(f->stretch - f->borne.mean);
    phxi_mat3 s = stretch_of(slot, i), to, inverse;
    bool spans = slot->constants[i / PERI_BLOCK].rank[i % PERI_BLOCK] == 3 && new_stretch(slot, i, &s, &to);
    if (!spans) {
        plain_stretch(slot, i, &s, &to);
    }
    if (phxi_mat3_inverse(&to, &inverse)) {
        phxi_mat3 p = phxi_mat3_mul(&inverse, &s);
        move_bonds(slot, i, &s, &inverse);
        flowed = spans ? gather(u, i, &p) : flowed;
    }
    phxi_peri_renew_particle(u->step, slot, i);
    return flowed;
}

/// Weights follow the bonds, and the strain the weights: what is still above yield flows again, unless flow takes time.
static double settle_particle(const updating* u, int i) {
    const phxi_yield* law = &u->slot->flow->law;
    bool slow = law->grains ? law->cone.creep > 0 || law->cone.relaxation > 0 : law->flow.creep > 0;
    double sum = 0, flowed = update_particle(u, i);
    for (int k = 1; k < PASSES && flowed > LEAST_FLOW && !slow; ++k) {
        sum += flowed;
        phxi_peri_flow_again(u->step, u->slot, i);
        flowed = update_particle(u, i);
    }
    return sum + flowed;
}

static void update_block(void* context, int begin, int end, int index) {
    const updating* u = context;
    double most = 0;
    for (int i = begin; i < end; ++i) {
        most = fmax(most, settle_particle(u, i));
    }
    u->slot->found[index].most = most;
}

void phxi_peri_flow_update(phxi_step* step, phxi_peri_slot* slot, double dt) {
    slot->flow->dt = dt;
    phxi_peri_flow_local(step, slot);
    updating u = {step, slot, phxi_peri_remember(step->particles)};
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, update_block, &u);
    double most = 0;
    for (int k = 0; k < phxi_peri_blocks(slot); ++k) {
        most = fmax(most, slot->found[k].most);
    }
    slot->flow->strayed += most;
    slot->flow->dt = 0;
}
