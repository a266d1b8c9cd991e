// SPDX-License-Identifier: MIT
// Nothing gets through walls: whoever comes closer to the surface of a wall, or of a collider, than 0.2 of its spacing
// is put back there and loses the velocity towards it. In a fluid at rest no particle comes so close; it is what fast
// single particles meet (docs/theory/fluids.md (13)).
#include "methods/wcsph/wcsph_internal.h"

#include "contact/law/friction.h"

#define CLOSEST 0.2 // of the spacing
#define SEEN    1.3 // of the spacing: where the nearest wall particle is beyond, the surface is not that close

/// Out along the normal by `depth`; the velocity against `wall` keeps what leads away.
static void push_out(const phxi_wcsph* s, int i, double depth, phx_vec3 normal, phx_vec3 wall) {
    phxi_particles* p = s->step->particles;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    p->x[i] += (phx_real)(depth * normal.x);
    p->y[i] += (phx_real)(depth * normal.y);
    p->z[i] += (phx_real)(depth * normal.z);
    if (phxi_dot(phxi_sub(v, wall), normal) < 0) {
        bool holds;
        v = phxi_friction_stop(v, wall, normal, 0, &holds); // viscosity is what fluids have along walls
        p->vx[i] = (phx_real)v.x;
        p->vy[i] = (phx_real)v.y;
        p->vz[i] = (phx_real)v.z;
    }
}

/// Against the wall that wall particle j belongs to.
static void guard_wall(const phxi_wcsph* s, int i, int j) {
    const phxi_particles* p = s->step->particles;
    const phxi_near* near = s->near;
    int b = p->body[j];
    phx_vec3 at = phxi_vec3(p->x[j], p->y[j], p->z[j]), normal;
    phx_vec3 point =
        phxi_add(at, phxi_vec3(phxi_near_image(near, 0, p->x[i] - p->x[j]), phxi_near_image(near, 1, p->y[i] - p->y[j]),
                               phxi_near_image(near, 2, p->z[i] - p->z[j])));
    double distance = phxi_boundary_distance(&s->step->boundaries[b], point, &normal);
    double depth = CLOSEST * (double)p->spacing[i] - distance;
    if (depth > 0) {
        push_out(s, i, depth, normal, phxi_vec3(p->vx[j], p->vy[j], p->vz[j]));
    }
}

/// Each wall body around once, by its first particle in the list.
static void guard_walls(const phxi_wcsph* s, int place, int i) {
    enum { MOST = 8 };
    const phxi_lists* lists = &s->near->lists;
    int seen[MOST], count = 0;
    for (int64_t n = lists->start[place]; n < lists->start[place + 1]; ++n) {
        int k = lists->items[n], j = s->near->particle[k], b = s->step->particles->body[j], known = 0;
        for (int c = 0; c < count; ++c) {
            known |= seen[c] == b;
        }
        if (s->kind[k] == WCSPH_WALL && !known && count < MOST) {
            seen[count++] = b;
            guard_wall(s, i, j);
        }
    }
}

static void guard_colliders(const phxi_wcsph* s, int i) {
    const phxi_particles* p = s->step->particles;
    for (int c = 0; c < s->step->collider_count; ++c) {
        phxi_collider_contact touch;
        phx_vec3 point = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        double spacing = (double)p->spacing[i];
        if (phxi_collider_find_contact(&s->step->colliders[c], p, i, point, 1, &touch) &&
            touch.depth > (0.5 - CLOSEST) * spacing) {
            push_out(s, i, touch.depth - (0.5 - CLOSEST) * spacing, touch.normal, touch.velocity);
        }
    }
}

void phxi_wcsph_guard(const phxi_wcsph* s, int place) {
    const phxi_particles* p = s->step->particles;
    int i = s->near->particle[place];
    double seen = SEEN * (double)p->spacing[i] * s->scale;
    if (p->fixed[i]) {
        return;
    }
    if ((double)s->acceleration[place][3] < seen * seen) {
        guard_walls(s, place, i);
    }
    if (p->fx[i] != 0 || p->fy[i] != 0 || p->fz[i] != 0) { // colliders push before they are this close
        guard_colliders(s, i);
    }
}
