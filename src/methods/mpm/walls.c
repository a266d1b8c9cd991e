// SPDX-License-Identifier: MIT
// Nodes in colliders: what velocity is left to them.
#include "methods/mpm/mpm_internal.h"
#include "methods/mpm/rows.h"

#include "contact/law/friction.h"

/// Linear solves leave a node what it has here: along a normal, or wholly.
static void bind_node(phxi_mpm* s, const phxi_mpm_cube* cube, int n, phxi_mpm_bound how, phx_vec3 normal) {
    if (!s->solves || cube->again) {
        return;
    }
    phx_real* bound = s->bound.items + (ptrdiff_t)cube->block * MPM_BLOCK + 4 * n;
    if (how == MPM_HELD) {
        *(phxi_r4*)bound = (phxi_r4){MPM_HELD, 0, 0, 0};
    } else {
        phxi_mpm_bind_along(bound, normal);
    }
}

/// The velocity that a collider with outward normal n leaves to a node in it, and how it binds it.
static phx_vec3 collide_node(int boundary, double friction, phx_vec3 n, phx_vec3 own, phx_vec3 v, phxi_mpm_bound* how) {
    *how = MPM_HELD;
    if (boundary == MPM_STICKY) {
        return own;
    }
    if (phxi_dot(phxi_sub(v, own), n) >= 0 && boundary != MPM_SLIP) {
        *how = MPM_FREE;
        return v;
    }
    bool rough = boundary == MPM_FRICTION || boundary == MPM_MIRROR, holds;
    phx_vec3 to = phxi_friction_stop(v, own, n, rough ? friction : 0, &holds);
    *how = holds ? MPM_HELD : MPM_NOT_ALONG;
    return to;
}

/// Takes the change of a node's momentum down, for whoever drives the collider.
static void note_push(phxi_mpm* s, int block, int c, const phxi_r4* before, phx_vec3 after, phx_vec3 own) {
    if (!s->pushes) {
        return;
    }
    phx_vec3 change = phxi_sub(after, phxi_vec3((*before)[1], (*before)[2], (*before)[3]));
    phx_vec3 force = phxi_scale((double)(*before)[0] / s->dt, change);
    phxi_collider_push* push = &s->pushes[(ptrdiff_t)block * s->step->collider_count + c];
    push->force = phxi_add(push->force, force);
    push->mean += phxi_dot(force, own);
}

/// A node in a collider, at a surface.
static void meet_surface(phxi_mpm* s, const phxi_mpm_cube* cube, int n, int c, const phxi_surface_point* at) {
    phxi_r4* v = phxi_mpm_node_of(cube, n);
    phxi_mpm_bound how;
    phx_vec3 to = collide_node(s->params->boundary, s->step->colliders[c].friction, at->normal, at->velocity,
                               phxi_vec3((*v)[1], (*v)[2], (*v)[3]), &how);
    if (how != MPM_FREE) {
        bind_node(s, cube, n, how, at->normal);
    }
    note_push(s, cube->block, c, v, to, at->velocity);
    *v = (phxi_r4){(*v)[0], (phx_real)to.x, (phx_real)to.y, (phx_real)to.z};
}

// ---------------------------------------------------------------------------------------------------------- any shape

/// What all that have a say at a node of positive mass do to it.
static void meet_node(phxi_mpm* s, const phxi_mpm_cube* cube, int n, int c, double distance) {
    if (s->fixes_volume && !cube->again) {
        phxi_mpm_take_space(s, cube->block, n, distance);
    }
    if (distance <= MPM_ON_SURFACE * s->h) {
        phxi_surface_point at[MPM_WALLS];
        const int count = phxi_mpm_find_surfaces(s, &s->step->colliders[c], phxi_mpm_node_position(s, cube, n), at);
        for (int w = 0; w < count; ++w) {
            meet_surface(s, cube, n, c, &at[w]);
        }
    }
}

static void meet_any(phxi_mpm* s, const phxi_mpm_cube* cube, int c) {
    const phxi_collider* collider = &s->step->colliders[c];
    const double reach = 0.5 * s->h;
    uint64_t rows = phxi_mpm_block_near(s, collider, cube) ? cube->rows : 0;
    for (int first; (first = phxi_mpm_next_nodes(&rows)) >= 0;) {
        for (int n = first; n < first + MPM_SIDE; ++n) {
            if ((*phxi_mpm_node_of(cube, n))[0] > 0) {
                meet_node(s, cube, n, c,
                          phxi_collider_distance_within(collider, phxi_mpm_node_position(s, cube, n), reach));
            }
        }
    }
}

/// The same by what nodes know.
static void meet_cached(phxi_mpm* s, const phxi_mpm_cube* cube, int c) {
    const phxi_mpm_wall_cache* cache = &s->wall_caches.items[c];
    const int kept = cache->of_block.items[cube->place];
    const phxi_mpm_wall_node* nodes = cache->nodes.items + (ptrdiff_t)kept * (MPM_BLOCK / 4);
    uint64_t rows = kept >= 0 ? cube->rows : 0;
    for (int first; (first = phxi_mpm_next_nodes(&rows)) >= 0;) {
        for (int n = first; n < first + MPM_SIDE; ++n) {
            if (!((*phxi_mpm_node_of(cube, n))[0] > 0)) {
                continue;
            }
            if (s->fixes_volume && !cube->again) {
                phxi_mpm_take_space(s, cube->block, n, nodes[n].distance);
            }
            for (int w = 0; w < nodes[n].count; ++w) {
                const phxi_surface_point at = {cache->normals.items[nodes[n].first + w], {0, 0, 0}};
                meet_surface(s, cube, n, c, &at);
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- planes

/// Of a row of nodes, the first of which is at this distance of a plane; where somebody asks what is done to them.
static void meet_plane_nodes(phxi_mpm* s, const phxi_mpm_cube* cube, int first, int c, double distance) {
    const phxi_mpm_wall* wall = &s->walls.items[c];
    for (int n = first; n < first + MPM_SIDE; ++n, distance += wall->along[2]) {
        if (!((*phxi_mpm_node_of(cube, n))[0] > 0)) {
            continue;
        }
        if (s->fixes_volume && !cube->again) {
            phxi_mpm_take_space(s, cube->block, n, distance);
        }
        if (distance <= MPM_ON_SURFACE * s->h) {
            const phx_vec3 position = phxi_mpm_node_position(s, cube, n);
            const phxi_surface_point at = {wall->normal, phxi_pose_velocity(&s->step->colliders[c].next, position)};
            meet_surface(s, cube, n, c, &at);
        }
    }
}

/// What planes that stand do to four nodes: phxi_friction_stop in few operations. On a floor full of scattered grains
/// most nodes are of this kind, and most of them hold.
static void stop_row(phxi_r4* row, const phxi_mpm_wall* wall, double distance, double limit) {
    const phx_vec3 n = wall->normal;
    for (int k = 0; k < MPM_SIDE; ++k, distance += wall->along[2]) {
        if (!(distance <= limit) || !(row[k][0] > 0)) {
            continue;
        }
        const phx_vec3 v = phxi_vec3(row[k][1], row[k][2], row[k][3]);
        const double along = phxi_dot(v, n);
        if (!(along < 0 || wall->slips)) {
            continue;
        }
        const phx_vec3 slip = phxi_add_scaled(v, -along, n);
        const double most = wall->friction * fabs(along), square = phxi_dot(slip, slip);
        const double left = square > most * most ? 1 - (most > 0 ? most / sqrt(square) : 0) : 0;
        row[k] = (phxi_r4){row[k][0], (phx_real)(left * slip.x), (phx_real)(left * slip.y), (phx_real)(left * slip.z)};
    }
}

static void meet_plane(phxi_mpm* s, const phxi_mpm_cube* cube, int c) {
    const phxi_mpm_wall* wall = &s->walls.items[c];
    double first = wall->distance, least = 0;
    for (int axis = 0; axis < 3; ++axis) {
        first += wall->along[axis] * cube->at[axis];
        least += fmin(0, (MPM_SIDE - 1) * wall->along[axis]);
    }
    if (first + least > (s->fixes_volume ? 0.5 : MPM_ON_SURFACE) * s->h) {
        return;
    }
    uint64_t rows = cube->rows;
    for (int n; (n = phxi_mpm_next_nodes(&rows)) >= 0;) {
        const double distance = first + wall->along[0] * phxi_mpm_node_x(n) + wall->along[1] * phxi_mpm_node_y(n);
        if (wall->plain) {
            stop_row(phxi_mpm_node_of(cube, n), wall, distance, MPM_ON_SURFACE * s->h);
        } else {
            meet_plane_nodes(s, cube, n, c, distance);
        }
    }
}

// ----------------------------------------------------------------------------------------------------------------- all

phx_result phxi_mpm_find_walls(phxi_mpm* s) {
    PHXI_MPM_RESERVE(&s->walls, s->step->collider_count);
    for (int c = 0; c < s->step->collider_count; ++c) {
        phxi_mpm_wall* wall = &s->walls.items[c];
        *wall = (phxi_mpm_wall){.flat = s->step->colliders[c].flat, .mirror = phxi_mpm_is_mirror(s, c)};
        if (wall->flat) {
            const phxi_collider* collider = &s->step->colliders[c];
            const int boundary = s->params->boundary;
            phxi_surface_point at;
            wall->plain =
                !collider->driven && !collider->watched && !s->solves && !s->fixes_volume && boundary != MPM_STICKY;
            wall->slips = boundary == MPM_SLIP;
            wall->friction = boundary == MPM_FRICTION || boundary == MPM_MIRROR ? collider->friction : 0;
            wall->distance = phxi_collider_surface(collider, s->origin, &at);
            wall->normal = at.normal;
            wall->along[0] = s->h * at.normal.x;
            wall->along[1] = s->h * at.normal.y;
            wall->along[2] = s->h * at.normal.z;
        }
    }
    return PHX_OK;
}

void phxi_mpm_meet_colliders(phxi_mpm* s, const phxi_mpm_cube* cube) {
    for (int c = 0; c < s->step->collider_count; ++c) {
        if (s->walls.items[c].flat && !s->walls.items[c].mirror) {
            meet_plane(s, cube, c);
        } else if (s->walls.items[c].cached) {
            meet_cached(s, cube, c);
        } else if (!s->walls.items[c].mirror) {
            meet_any(s, cube, c);
        }
    }
}

void phxi_mpm_hold_node(phxi_mpm* s, const phxi_mpm_cube* cube, int n) {
    bind_node(s, cube, n, MPM_HELD, phxi_vec3(0, 0, 0));
}
