// SPDX-License-Identifier: MIT
// What particles that drivers hold feel of their body. A solve that stops early leaves forces on the free particles
// that their motion does not answer, g/s = f + external - m a. Stiff bodies magnify them: they may be many times what
// is needed to move the body. The held particles are given them, as rigid motion shares forces out, so that what
// drivers exert adds up to the change of both momenta of the body, and their work to its energy.
#include "implicit/implicit_internal.h"

static void left_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_implicit_sums sums = {0};
    for (int i = begin; i < end; ++i) {
        phx_vec3 r = phxi_sub(s->x[i], w->origin);
        if (w->fixed[i]) {
            phxi_implicit_add_motion(&sums, (double)w->mass[i], r, phxi_vec3(0, 0, 0));
        } else {
            sums.force = phxi_add_scaled(sums.force, 1 / s->s, s->g[i]);
            sums.torque = phxi_add_scaled(sums.torque, 1 / s->s, phxi_cross(r, s->g[i]));
        }
    }
    s->sums[block] = sums;
}

void phxi_implicit_balance_held(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    if (!s->any_fixed || !s->current) {
        return;
    }
    phxi_implicit_loop(w, left_part);
    phxi_implicit_sums all = phxi_implicit_merge(s);
    if (!(all.mass > 0)) { // held by rails alone
        return;
    }
    phx_vec3 mean = phxi_scale(1 / all.mass, all.first), shift = phxi_scale(1 / all.mass, all.force);
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(all.mass, mean, all.second);
    phx_vec3 turn = phxi_mat3_apply(&inverse, phxi_sub(all.torque, phxi_cross(mean, all.force)));
    phx_vec3 center = phxi_add(w->origin, mean);
    for (int i = 0; i < s->count; ++i) {
        if (w->fixed[i]) {
            phx_vec3 more = phxi_add(shift, phxi_cross(turn, phxi_sub(s->x[i], center)));
            s->force[i] = phxi_add_scaled(s->force[i], (double)w->mass[i], more);
        }
    }
}
