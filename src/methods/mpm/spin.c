// SPDX-License-Identifier: MIT
// Angular momentum of implicit steps. Their forces are of the end of a substep and act at nodes where those were at its
// start, which makes a torque, as backward Euler does everywhere. What flies free gets back what its spin lost
// (methods/shared/free_spin.h), by clusters of bodies whose nodes may meet. Explicit substeps with `transfer: apic`
// keep it as they are.
#include "methods/mpm/mpm_internal.h"

#include "methods/shared/free_spin.h"

/// m sum w d d^T = moment I of the nodes that a particle sees.
static double moment_of(const phxi_mpm* s, int i) {
    return (double)s->step->particles->mass[i] * s->h * s->h / phxi_mpm_inverse_moment(s);
}

phx_vec3 phxi_mpm_spin_of(const phxi_mpm* s, int i) {
    if (s->params->transfer != MPM_APIC) {
        return phxi_vec3(0, 0, 0);
    }
    phx_real* const* c = s->field + MPM_AFFINE;
    return phxi_scale(moment_of(s, i), phxi_vec3((double)c[7][i] - (double)c[5][i], (double)c[2][i] - (double)c[6][i],
                                                 (double)c[3][i] - (double)c[1][i]));
}

static phx_vec3 angular_of(const phxi_mpm* s, int i) {
    const phxi_particles* p = s->step->particles;
    phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    return phxi_add(phxi_scale((double)p->mass[i], phxi_cross(x, v)), phxi_mpm_spin_of(s, i));
}

phx_result phxi_mpm_begin_spin(phxi_mpm* s, phx_vec3** given) {
    const phxi_step* step = s->step;
    const phxi_particles* p = step->particles;
    *given = NULL;
    if (!s->solves || s->params->transfer != MPM_APIC) {
        return PHX_OK;
    }
    *given = phxi_arena_take(step->arena, (size_t)step->own_count + 1, sizeof **given);
    for (int k = 0; *given && k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        phx_vec3 sum = {0, 0, 0};
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), f = phxi_vec3(p->fx[i], p->fy[i], p->fz[i]);
            phx_vec3 outer = phxi_add_scaled(f, (double)p->mass[i], step->gravity);
            sum = phxi_add(sum, phxi_add_scaled(angular_of(s, i), s->dt, phxi_cross(x, outer)));
        }
        (*given)[k] = sum;
    }
    return *given ? PHX_OK : PHX_ERROR_MEMORY;
}

/// What a body is after the substep, and what it made; widened by the nodes it sees.
static phxi_spin_sums sums_of(const phxi_mpm* s, const phxi_body* body, phx_vec3 given) {
    const phxi_particles* p = s->step->particles;
    phxi_spin_sums sums = PHXI_SPIN_NONE;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        phxi_spin_add(&sums, (double)p->mass[i], x, angular_of(s, i), 2 * s->h, p->fixed[i]);
        double moment = moment_of(s, i);
        sums.made.second.xx += moment, sums.made.second.yy += moment, sums.made.second.zz += moment;
    }
    sums.made.spin = phxi_sub(sums.made.spin, given);
    return sums;
}

static bool overlap(const phxi_spin_sums* a, const phxi_spin_sums* b) {
    const double reach = a->reach + b->reach;
    return a->low.x <= b->high.x + reach && b->low.x <= a->high.x + reach && a->low.y <= b->high.y + reach &&
           b->low.y <= a->high.y + reach && a->low.z <= b->high.z + reach && b->low.z <= a->high.z + reach;
}

static void take_off(phxi_mpm* s, const phxi_body* body, const phxi_rigid_motion* motion) {
    const phx_vec3 spin = motion->spin;
    const double w[9] = {0, -spin.z, spin.y, spin.z, 0, -spin.x, -spin.y, spin.x, 0};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phxi_spin_take_off(motion, s->step->particles, i);
        for (int n = 0; n < 9; ++n) {
            phx_real* c = &s->field[MPM_AFFINE + n][i];
            *c = (phx_real)((double)*c - w[n]);
        }
    }
}

/// Joins body k and all that may meet it, and what may meet those, under the number `cluster`.
static void gather(const phxi_spin_sums* sums, int count, int k, int cluster, int* cluster_of, phxi_spin_sums* all) {
    cluster_of[k] = cluster;
    phxi_spin_merge(all, &sums[k]);
    for (int other = 0; other < count; ++other) {
        if (cluster_of[other] < 0 && overlap(&sums[k], &sums[other])) {
            gather(sums, count, other, cluster, cluster_of, all);
        }
    }
}

phx_result phxi_mpm_end_spin(phxi_mpm* s, const phx_vec3* given) {
    phxi_step* step = s->step;
    const int count = step->own_count;
    if (!given) {
        return PHX_OK;
    }
    phxi_spin_sums* sums = phxi_arena_take(step->arena, (size_t)count + 1, sizeof *sums);
    int* cluster_of = phxi_arena_take(step->arena, (size_t)count + 1, sizeof *cluster_of);
    if (!sums || !cluster_of) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < count; ++k) {
        sums[k] = sums_of(s, &step->bodies[step->own[k]], given[k]);
        cluster_of[k] = -1;
    }
    for (int first = 0; first < count; ++first) {
        phxi_spin_sums all = PHXI_SPIN_NONE;
        phxi_rigid_motion motion;
        if (cluster_of[first] >= 0) {
            continue;
        }
        gather(sums, count, first, first, cluster_of, &all);
        for (int k = phxi_spin_solve(&all, step, &motion) ? first : count; k < count; ++k) {
            if (cluster_of[k] == first) {
                take_off(s, &step->bodies[step->own[k]], &motion);
            }
        }
    }
    return PHX_OK;
}
