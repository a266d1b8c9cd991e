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

/// a C |t x F c|^2 of a segment's frame.
static double own_stiffness(const phxi_peri_slot* slot, int i) {
    const phxi_peri_segment* s = &slot->thin->twist->segments[i];
    const int ends[2] = {i, s->next};
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        phx_vec3 across = phxi_cross(s->tangent, s->target[side]);
        sum += s->share[side] * slot->thin->weaves[ends[side]].bending[0] * phxi_dot(across, across);
    }
    return sum;
}

static void prepare_chain(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const struct phxi_peri_twist* twist = p->slot->thin->twist;
    for (int c = begin; c < end; ++c) {
        const phxi_peri_chain* chain = &twist->chains[c];
        for (int k = chain->begin; k < chain->end && !chain->idle; ++k) {
            int i = twist->order[k];
            twist->diagonal[k] = twist->segments[i].whole ? own_stiffness(p->slot, i) : 0;
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

static phx_vec3 read4(phxi_r4 a) {
    return phxi_vec3((double)a[0], (double)a[1], (double)a[2]);
}

/// a C (dq - w x F c) of one end of segment i.
static phx_vec3 misfit(const phxi_peri_slot* slot, int i, int side, phx_vec3 turn) {
    const phxi_peri_segment* s = &slot->thin->twist->segments[i];
    int at = side == 0 ? i : s->next;
    return phxi_add_scaled(read4(slot->thin->curved[at][0]), -slot->thin->weaves[at].bending[0],
                           phxi_cross(turn, s->target[side]));
}

/// How tangents turn, and what that asks of the turns about them.
static void find_rates(const phxi_peri_slot* slot, const phxi_peri_chain* chain) {
    const struct phxi_peri_twist* twist = slot->thin->twist;
    for (int k = chain->begin; k < chain->end; ++k) {
        int i = twist->order[k];
        const phxi_peri_segment* s = &twist->segments[i];
        twist->rates[k] = phxi_vec3(0, 0, 0);
        twist->step[k] = 0;
        if (!s->whole) {
            continue;
        }
        phx_vec3 e = phxi_sub(read4(slot->u[s->next]), read4(slot->u[i]));
        twist->rates[k] = phxi_scale(1 / s->length, phxi_add_scaled(e, -phxi_dot(e, s->tangent), s->tangent));
        phx_vec3 turn = phxi_cross(s->tangent, twist->rates[k]);
        for (int side = 0; side < 2 && chain->curved; ++side) {
            phx_vec3 across = phxi_cross(s->tangent, s->target[side]);
            twist->step[k] += s->share[side] * phxi_dot(misfit(slot, i, side, turn), across);
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
        phx_vec3 turn = phxi_add_scaled(phxi_cross(s->tangent, twist->rates[k]), twist->step[k], s->tangent);
        phx_vec3 moment = {0, 0, 0}, here[2], there[2];
        for (int side = 0; side < 2 && chain->curved; ++side) {
            phx_vec3 m = misfit(slot, i, side, turn);
            moment = phxi_add_scaled(moment, -s->share[side], phxi_cross(s->target[side], m));
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
            double share = s->share[side] * slot->thin->weaves[at].bending[0];
            phx_vec3 by = phxi_scale(share, phxi_cross(turn, s->target[side]));
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
