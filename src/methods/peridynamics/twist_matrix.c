// SPDX-License-Identifier: MIT
// The part of frames in the matrix of the global step: that of the squares
//     sum a C/2 |dq - w x F c|^2 + G J/2l (dphi - dphi' + kb . (dt + dt')/2)^2,   w = t x dt + dphi t,
// with targets that follow the segments and turns dphi for which they are least. What is left of the true one is with
// the twisting couple T: T/2 (dt' x dt) . t, of either sign. As |T dt x (dt - dt')| <= w |dt - dt'|^2/2 + T^2/w
// |dt|^2/2 a quarter of these squares is added, so that no motion has less than half its stiffness here: what has may
// overshoot. w is E I/l (T l/E I)^(1/2): both vanish with T.
#include "methods/peridynamics/twist.h"

#define BOUND 0.25

typedef struct pass {
    const phxi_peri_slot* slot;
} pass;

/// a C of one end of segment i, times the share that is by its frame.
static double weight_of(const phxi_peri_slot* slot, int i, int side) {
    const phxi_peri_segment* s = &slot->thin->twist->segments[i];
    return s->share[side] * slot->thin->weaves[side == 0 ? i : s->next].bending[0];
}

/// H of a segment: sum a C (|v|^2 I - v v^T) of its targets v = F c, which resist when they turn with it.
static phxi_sym3 stiffness_of(const phxi_peri_slot* slot, int i) {
    const phxi_peri_segment* s = &slot->thin->twist->segments[i];
    phxi_sym3 sum = {0, 0, 0, 0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        phx_vec3 v = s->target[side];
        double w = weight_of(slot, i, side);
        sum.xx += w * (v.y * v.y + v.z * v.z), sum.yy += w * (v.x * v.x + v.z * v.z);
        sum.zz += w * (v.x * v.x + v.y * v.y), sum.xy -= w * v.x * v.y;
        sum.xz -= w * v.x * v.z, sum.yz -= w * v.y * v.z;
    }
    return sum;
}

static phx_vec3 apply(const phxi_sym3* h, phx_vec3 w) {
    return phxi_vec3(h->xx * w.x + h->xy * w.y + h->xz * w.z, h->xy * w.x + h->yy * w.y + h->yz * w.z,
                     h->xz * w.x + h->yz * w.y + h->zz * w.z);
}

static void prepare_chain(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int c = begin; c < end; ++c) {
        const phxi_peri_chain* chain = &twist->chains[c];
        for (int k = chain->begin; k < chain->end && !chain->idle; ++k) {
            const phxi_peri_segment* s = &twist->segments[twist->order[k]];
            twist->diagonal[k] = 0;
            if (s->whole) {
                twist->frames[k] = stiffness_of(p->slot, twist->order[k]);
                twist->diagonal[k] = phxi_dot(s->tangent, apply(&twist->frames[k], s->tangent));
            }
        }
        if (!chain->idle) {
            phxi_peri_twist_system(twist, chain, &twist->systems[c]);
            phxi_tridiagonal_factor(&twist->systems[c]);
        }
    }
}

void phxi_peri_twist_prepare(phxi_step* step, const phxi_peri_slot* slot) {
    pass p = {slot};
    phxi_parallel_for(step->pool, slot->thin->twist->chain_count, 1, prepare_chain, &p);
}

static phx_vec3 read4(const phxi_r4* a) {
    return phxi_vec3((double)(*a)[0], (double)(*a)[1], (double)(*a)[2]);
}

/// How tangents turn, what couple that makes, H w - sum v x (a C dq), and what it asks of the turns about them.
static void find_rates(const phxi_peri_slot* slot, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        int i = twist->order[k];
        const phxi_peri_segment* s = &twist->segments[i];
        twist->rates[k] = twist->moments[k] = phxi_vec3(0, 0, 0);
        twist->step[k] = 0;
        if (!s->whole) {
            continue;
        }
        phx_vec3 e = phxi_sub(read4(&slot->u[s->next]), read4(&slot->u[i]));
        twist->rates[k] = phxi_scale(1 / s->length, phxi_add_scaled(e, -phxi_dot(e, s->tangent), s->tangent));
        if (chain->curved) {
            phx_vec3 m = apply(&twist->frames[k], phxi_cross(s->tangent, twist->rates[k]));
            m = phxi_add_scaled(m, -s->share[0], phxi_cross(s->target[0], read4(&slot->thin->curved[i][0])));
            m = phxi_add_scaled(m, -s->share[1], phxi_cross(s->target[1], read4(&slot->thin->curved[s->next][0])));
            twist->moments[k] = m;
            twist->step[k] = -phxi_dot(s->tangent, m);
        }
    }
}

/// G J/l kb . (dt + dt')/2 of the node where segment k begins.
static double swept(const struct phxi_peri_twist* twist, int k, int before) {
    const phxi_peri_segment* s = &twist->segments[twist->order[k]];
    return s->stiff * phxi_dot(s->binormal, phxi_add(twist->rates[k], twist->rates[before])) / 2;
}

static void find_turns(const phxi_peri_slot* slot, const phxi_peri_chain* chain, const phxi_tridiagonal* system) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        int before = k > chain->begin ? k - 1 : chain->end - 1;
        double couple = swept(twist, k, before);
        twist->step[k] -= couple;
        twist->step[before] += couple;
        twist->turned[k] = couple;
    }
    for (int k = chain->begin; k < chain->end; ++k) {
        const phxi_peri_segment* s = &twist->segments[twist->order[k]];
        twist->step[k] = s->whole && s->hold[0] < 0 ? twist->step[k] : 0;
    }
    phxi_tridiagonal_solve(system, twist->step + chain->begin);
    for (int k = chain->begin; k < chain->end; ++k) { // couples of nodes
        int before = k > chain->begin ? k - 1 : chain->end - 1;
        twist->turned[k] += twist->segments[twist->order[k]].stiff * (twist->step[k] - twist->step[before]);
    }
}

/// What bounds the part of a couple T in the matrix, at the node where segment k begins; on dt' and dt.
static void bound(const struct phxi_peri_twist* twist, int k, int before, phx_vec3 on[2]) {
    const phxi_peri_segment* s = &twist->segments[twist->order[k]];
    on[0] = on[1] = phxi_vec3(0, 0, 0);
    if (s->stiff > 0 && s->bent > 0 && s->couple != 0) {
        double weight = s->bent * sqrt(fmin(1, fabs(s->couple) / s->bent));
        phx_vec3 change = phxi_sub(twist->rates[k], twist->rates[before]);
        phx_vec3 mean = phxi_scale(0.5, phxi_add(twist->rates[k], twist->rates[before]));
        double turn = BOUND * s->couple * s->couple / weight / 2;
        on[0] = phxi_add_scaled(phxi_scale(-BOUND * weight, change), turn, mean);
        on[1] = phxi_add_scaled(phxi_scale(BOUND * weight, change), turn, mean);
    }
}

static void find_pulls(const phxi_peri_slot* slot, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        int i = twist->order[k], before = k > chain->begin ? k - 1 : chain->end - 1,
            after = k + 1 < chain->end ? k + 1 : chain->begin;
        phxi_peri_segment* s = &twist->segments[i];
        if (!s->whole) {
            s->pull = phxi_vec3(0, 0, 0);
            continue;
        }
        const phxi_peri_segment* next = &twist->segments[s->next];
        phx_vec3 moment = twist->moments[k], here[2], there[2];
        if (chain->curved) {
            moment = phxi_add_scaled(moment, twist->step[k], apply(&twist->frames[k], s->tangent));
        }
        bound(twist, k, before, here);
        bound(twist, after, k, there);
        phx_vec3 by =
            phxi_add(phxi_scale(twist->turned[k], s->binormal), phxi_scale(twist->turned[after], next->binormal));
        by = phxi_add_scaled(phxi_add(phxi_cross(moment, s->tangent), phxi_add(here[1], there[0])), 0.5, by);
        by = phxi_add_scaled(by, -phxi_dot(by, s->tangent), s->tangent);
        s->pull = phxi_scale(1 / s->length, by);
    }
}

/// a C q becomes a C (q - mean of w x F c).
static void correct_moments(const phxi_peri_slot* slot, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = chain->begin; k < chain->end && chain->curved; ++k) {
        int i = twist->order[k];
        const phxi_peri_segment* s = &twist->segments[i];
        phx_vec3 turn = phxi_add_scaled(phxi_cross(s->tangent, twist->rates[k]), twist->step[k], s->tangent);
        for (int side = 0; side < 2 && s->whole; ++side) {
            int at = side == 0 ? i : s->next;
            phx_vec3 by = phxi_scale(weight_of(slot, i, side), phxi_cross(turn, s->target[side]));
            slot->thin->curved[at][0] -= (phxi_r4){(phx_real)by.x, (phx_real)by.y, (phx_real)by.z, 0};
        }
    }
}

static void product_chain(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int c = begin; c < end; ++c) {
        const phxi_peri_chain* chain = &twist->chains[c];
        if (!chain->idle) {
            find_rates(p->slot, chain);
            find_turns(p->slot, chain, &twist->systems[c]);
            find_pulls(p->slot, chain);
            correct_moments(p->slot, chain);
        }
    }
}

void phxi_peri_twist_product(phxi_step* step, const phxi_peri_slot* slot) {
    pass p = {slot};
    phxi_parallel_for(step->pool, slot->thin->twist->chain_count, 1, product_chain, &p);
}
