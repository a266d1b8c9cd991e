// SPDX-License-Identifier: MIT
// What drivers hold of a rigid body: nothing, a point, a line, or so much that nothing is left free. Told by how far
// the held particles are apart at rest.
#include "methods/rigid/rigid_internal.h"

#include "math/decompose3.h"
#include "motion/rigid_motion.h"

static const double apart = 0.05; // spacings: particles that are less apart are at one place

phx_vec3 phxi_rigid_where(const phxi_rigid_body* body, phx_vec3 rest) {
    phxi_mat3 rotation = phxi_quat_matrix(body->state.orientation);
    return phxi_add(body->state.center, phxi_mat3_apply(&rotation, phxi_sub(rest, body->rest)));
}

phxi_sym3 phxi_rigid_inertia_about(const phxi_rigid_body* body, phx_vec3 rest) {
    phx_vec3 r = phxi_sub(body->rest, rest);
    phxi_sym3 i = body->inertia;
    double m = body->mass;
    return (phxi_sym3){i.xx + m * (r.y * r.y + r.z * r.z),
                       i.yy + m * (r.x * r.x + r.z * r.z),
                       i.zz + m * (r.x * r.x + r.y * r.y),
                       i.xy - m * r.x * r.y,
                       i.xz - m * r.x * r.z,
                       i.yz - m * r.y * r.z};
}

static phx_vec3 rest_at(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

static phx_vec3 position_at(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

/// Centres and the velocity of the centre.
static void find_center(const phxi_particles* p, const phxi_body* body, phxi_hold* hold) {
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->fixed[i]) {
            double m = p->mass[i];
            ++hold->count;
            hold->mass += m;
            hold->rest = phxi_add_scaled(hold->rest, m, rest_at(p, i));
            hold->now = phxi_add_scaled(hold->now, m, position_at(p, i));
            hold->velocity = phxi_add_scaled(hold->velocity, m, phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
        }
    }
    if (hold->count > 0) {
        hold->rest = phxi_scale(1 / hold->mass, hold->rest);
        hold->now = phxi_scale(1 / hold->mass, hold->now);
        hold->velocity = phxi_scale(1 / hold->mass, hold->velocity);
    }
}

/// Second moments at rest, and of places now with places at rest; by mass.
static void find_moments(const phxi_particles* p, const phxi_body* body, const phxi_hold* hold, phxi_sym3* rest,
                         phxi_mat3* mixed) {
    *rest = (phxi_sym3){0};
    *mixed = (phxi_mat3){0};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (!p->fixed[i]) {
            continue;
        }
        double m = p->mass[i] / hold->mass;
        phx_vec3 r = phxi_sub(rest_at(p, i), hold->rest), x = phxi_sub(position_at(p, i), hold->now);
        const double a[3] = {m * x.x, m * x.y, m * x.z}, b[3] = {r.x, r.y, r.z};
        rest->xx += m * r.x * r.x;
        rest->yy += m * r.y * r.y;
        rest->zz += m * r.z * r.z;
        rest->xy += m * r.x * r.y;
        rest->xz += m * r.x * r.z;
        rest->yz += m * r.y * r.z;
        for (int k = 0; k < 9; ++k) {
            mixed->m[k / 3][k % 3] += a[k / 3] * b[k % 3];
        }
    }
}

/// How far held particles are from where the hold puts them.
static double misfit_of(const phxi_particles* p, const phxi_body* body, const phxi_hold* hold) {
    double sum = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->fixed[i]) {
            phx_vec3 r = phxi_sub(rest_at(p, i), hold->rest), at = hold->now;
            at = hold->kind == PHXI_HOLD_LINE ? phxi_add_scaled(at, phxi_dot(r, hold->axis), hold->turned)
                                              : phxi_add(at, phxi_mat3_apply(&hold->rotation, r));
            phx_vec3 off = phxi_sub(position_at(p, i), at);
            sum += p->mass[i] / hold->mass * phxi_dot(off, off);
        }
    }
    return sqrt(sum);
}

phxi_hold phxi_hold_of(const phxi_particles* p, const phxi_body* body, const phxi_rigid_body* rigid) {
    phxi_hold hold = {.rotation = phxi_quat_matrix(rigid->state.orientation)};
    find_center(p, body, &hold);
    if (hold.count == 0) {
        return hold;
    }
    phxi_sym3 rest;
    phxi_mat3 mixed, vectors;
    double values[3], least = apart * (double)p->spacing[body->begin];
    find_moments(p, body, &hold, &rest, &mixed);
    phxi_eigen_sym3(&rest, values, &vectors);
    int extents = 0;
    for (int k = 0; k < 3; ++k) {
        extents += values[k] > least * least;
    }
    hold.kind = extents == 0 ? PHXI_HOLD_POINT : extents == 1 ? PHXI_HOLD_LINE : PHXI_HOLD_ALL;
    hold.axis = phxi_vec3(vectors.m[0][0], vectors.m[1][0], vectors.m[2][0]);
    hold.turned = phxi_normalize(phxi_mat3_apply(&mixed, hold.axis), hold.axis);
    if (hold.kind == PHXI_HOLD_ALL) {
        phxi_rigid_sums sums[2] = {0};
        hold.rotation = phxi_polar_rotation(&mixed);
        phxi_rigid_add(sums, p, hold.now, body->begin, body->begin + body->count);
        hold.spin = phxi_rigid_solve(sums, hold.now).spin;
    }
    hold.misfit = hold.kind == PHXI_HOLD_POINT ? 0 : misfit_of(p, body, &hold);
    return hold;
}
