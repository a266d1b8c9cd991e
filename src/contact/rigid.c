// SPDX-License-Identifier: MIT
#include "contact/rigid.h"

#include "geometry/solid.h"

#include <stdlib.h>

double phxi_rigid_surface(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal) {
    phxi_mat3 back = phxi_mat3_transpose(&body->rotation);
    phx_vec3 at = phxi_add(body->rest, phxi_mat3_apply(&back, phxi_sub(point, body->now))), out;
    double distance = phxi_solid_distance(body->solid, at, &out);
    *normal = phxi_mat3_apply(&body->rotation, out);
    return distance;
}

phx_vec3 phxi_rigid_core(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal) {
    // distances of combined shapes are bounds, not more: each look is nearer. From the corner of a box it takes four
    enum { LOOKS = 6 };
    for (int look = 0; look < LOOKS; ++look) {
        phx_vec3 out;
        double above = phxi_rigid_surface(body, point, &out) + body->skin;
        *normal = look == 0 ? out : *normal;
        if (!(above > 1e-9 * body->skin)) {
            break;
        }
        point = phxi_add_scaled(point, -above, out);
    }
    return point;
}

phx_vec3 phxi_rigid_normal(const phxi_contact_rigid* body, int i) {
    phx_vec3 rest = phxi_vec3(body->normal[0][i], body->normal[1][i], body->normal[2][i]);
    return phxi_mat3_apply(&body->rotation, rest);
}

phx_vec3 phxi_rigid_seen(const phxi_contact_rigid* body, const phxi_particles* p, int i) {
    phx_vec3 at = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    return phxi_add_scaled(at, (double)body->depth[i] - body->skin, phxi_rigid_normal(body, i));
}

// ------------------------------------------------------------------------------------------------------ closest points

static phx_vec3 nearest_of_core(const void* context, phx_vec3 point) {
    phx_vec3 normal;
    return phxi_rigid_core(context, point, &normal);
}

phxi_closest_to phxi_rigid_closest_to(const phxi_contact_rigid* body) {
    return (phxi_closest_to){nearest_of_core, body};
}

// Back and forth converges slowly where both are round, by the same part each time: after two rounds the limit of the
// series is known. Where both are flat and almost parallel there is none, and the step is bounded.
void phxi_rigid_closest_points(const phxi_closest_to* a, const phxi_closest_to* b, phx_vec3* on_a, phx_vec3* on_b) {
    enum { TURNS = 3 };
    static const double most = 0.9;
    for (int turn = 0; turn < TURNS; ++turn) {
        phx_vec3 first = *on_a, across = b->nearest(b->context, first);
        phx_vec3 second = a->nearest(a->context, across);
        phx_vec3 before = phxi_sub(second, first);
        double square = phxi_dot(before, before), gap = phxi_distance(first, across);
        if (square <= 1e-14 * gap * gap) {
            *on_b = across;
            return;
        }
        phx_vec3 third = a->nearest(a->context, b->nearest(b->context, second));
        phx_vec3 after = phxi_sub(third, second);
        double rate = fmin(most, fmax(0, phxi_dot(before, after) / square));
        *on_a = a->nearest(a->context, phxi_add_scaled(third, rate / (1 - rate), after));
    }
    *on_b = b->nearest(b->context, *on_a);
}

// ------------------------------------------------------------------------------------------------------------ response

double phxi_rigid_inverse_mass(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 direction) {
    phx_vec3 turn = phxi_cross(phxi_sub(point, body->pivot), direction);
    return body->inverse_mass + phxi_dot(turn, phxi_mat3_apply(&body->inverse, turn));
}

double phxi_rigid_inverse_mass_across(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 normal) {
    phx_vec3 u = phxi_perpendicular(normal), v = phxi_cross(normal, u), arm = phxi_sub(point, body->pivot);
    phx_vec3 by_u = phxi_cross(arm, u), by_v = phxi_cross(arm, v);
    phx_vec3 spin = phxi_mat3_apply(&body->inverse, by_u);
    double uu = phxi_dot(by_u, spin), uv = phxi_dot(by_v, spin);
    double vv = phxi_dot(by_v, phxi_mat3_apply(&body->inverse, by_v));
    return body->inverse_mass + 0.5 * (uu + vv) + sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
}

// -------------------------------------------------------------------------------------------------------------- shares

static const double least_weight = 0.4; // fewer are on their way out
static const double reach = 1.1283792;  // widths: (1 - t^2)^3 of this radius has an area of 1

double phxi_rigid_weight(double apart) {
    double rise = fmax(0, 1 - 0.5 * apart * apart);
    return rise * rise * rise;
}

static int compare(const void* one, const void* other) {
    const phxi_rigid_spot *a = one, *b = other;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    if (a->at.x != b->at.x) {
        return a->at.x < b->at.x ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

void phxi_rigid_share_spots(phxi_rigid_spot* spots, int count) {
    qsort(spots, (size_t)count, sizeof *spots, compare);
    for (int k = 0; k < count; ++k) {
        spots[k].share = spots[k].weight;
    }
    // share is the sum of weights around, until all are known
    for (int k = 0; k < count; ++k) {
        double radius = reach * spots[k].width;
        for (int m = k + 1; m < count && spots[m].group == spots[k].group && spots[m].at.x - spots[k].at.x < radius;
             ++m) {
            phx_vec3 line = phxi_sub(spots[m].at, spots[k].at);
            double rise = fmax(0, 1 - phxi_dot(line, line) / (radius * radius)), kernel = rise * rise * rise;
            spots[k].share += kernel * spots[m].weight;
            spots[m].share += kernel * spots[k].weight;
        }
    }
    for (int k = 0; k < count; ++k) {
        spots[k].share = spots[k].weight / fmax(spots[k].share, least_weight);
    }
}
