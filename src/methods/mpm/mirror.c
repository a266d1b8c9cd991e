// SPDX-License-Identifier: MIT
// Planes of symmetry: colliders that are half spaces across an axis, when `boundary` is mirror.
//
// The grid is laid so that they go through nodes. Particles on the free side see one layer of nodes beyond the plane;
// what they gave to it belongs to the layer in front as its mirror image does: mass and tangential momentum are added
// to it, the normal one taken off. On the plane there is no normal velocity. Afterwards the layer beyond gets the image
// of the one in front. The body moves as half of one of twice the size would, to rounding: no node is held that half a
// cell of the body hangs on, which makes bars longer by their cells.
#include "methods/mpm/mpm_internal.h"

/// Whether a shape is a half space across an axis: its distance is that of a plane wherever it is asked.
static bool half_space(const phxi_collider* collider, int* axis, int* side, double* at) {
    static const phx_vec3 probes[] = {{0, 0, 0},   {1e3, 0, 0},  {0, -1e3, 0},
                                      {0, 0, 1e3}, {-7, 11, 13}, {0.3, 0.1, -0.7}};
    phxi_surface_point point;
    double distance = phxi_collider_surface(collider, probes[0], &point);
    const double n[3] = {point.normal.x, point.normal.y, point.normal.z};
    for (int k = 1; k < 6; ++k) {
        double expected = distance + phxi_dot(point.normal, probes[k]);
        phxi_surface_point other;
        if (fabs(phxi_collider_surface(collider, probes[k], &other) - expected) > 1e-9 * (fabs(expected) + 1)) {
            return false;
        }
    }
    for (int a = 0; a < 3; ++a) {
        if (fabs(n[a]) > 1 - 1e-9) {
            *axis = a;
            *side = n[a] > 0 ? 1 : -1;
            *at = -distance * *side;
            return true;
        }
    }
    return false;
}

phx_result phxi_mpm_find_mirrors(phxi_mpm* s, const phxi_step* step) {
    const phx_vec3 before = s->origin;
    double* const origin[3] = {&s->origin.x, &s->origin.y, &s->origin.z};
    bool laid[3] = {false, false, false};
    s->origin = phxi_vec3(0, 0, 0);
    s->mirror_count = 0;
    for (int c = 0; s->params->boundary == MPM_MIRROR && c < step->collider_count; ++c) {
        int axis, side;
        double at;
        if (!half_space(&step->colliders[c], &axis, &side, &at)) {
            continue;
        }
        *origin[axis] = laid[axis] ? *origin[axis] : at;
        laid[axis] = true;
        double node = (at - *origin[axis]) / s->h;
        if (fabs(node - round(node)) > 1e-4 || s->mirror_count == 6) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "collider '%s' is a mirror %g cells of the grid from another one, expected a whole number",
                             step->colliders[c].name, node);
        }
        s->mirrors[s->mirror_count++] = (phxi_mpm_mirror){c, axis, (int)round(node), side};
    }
    if (phxi_distance(before, s->origin) > 0 && s->settled) { // places are told from the origin
        s->settled = s->placed = false;
    }
    return PHX_OK;
}

bool phxi_mpm_is_mirror(const phxi_mpm* s, int collider) {
    for (int k = 0; k < s->mirror_count; ++k) {
        if (s->mirrors[k].collider == collider) {
            return true;
        }
    }
    return false;
}

/// The numbers of one node; NULL: there are none.
static phxi_r4* node_at(const phxi_mpm* s, phx_real* numbers, bool held, const int at[3]) {
    int corner[3], inner = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int within = at[axis] & (MPM_SIDE - 1);
        corner[axis] = at[axis] - within;
        inner = inner * MPM_SIDE + within;
    }
    int block = phxi_key_find(&s->table, phxi_mpm_block_key(corner));
    block = held && block >= 0 ? s->nodes.items[block].held : block;
    return block < 0 ? NULL : (phxi_r4*)(numbers + (ptrdiff_t)block * MPM_BLOCK + 4 * inner);
}

/// What is done with a node of the layer beyond the plane and its image.
typedef void node_pair(phxi_r4* beyond, phxi_r4* image, int axis);

static void fold_pair(phxi_r4* beyond, phxi_r4* image, int axis) {
    (*beyond)[axis + 1] = -(*beyond)[axis + 1];
    *image += *beyond;
    *beyond = *image;
}

static void unfold_pair(phxi_r4* beyond, phxi_r4* image, int axis) {
    *beyond = *image;
    (*beyond)[axis + 1] = -(*beyond)[axis + 1];
}

static void each_pair(const phxi_mpm* s, phx_real* numbers, bool held, const phxi_mpm_mirror* mirror, node_pair* act) {
    const int axis = mirror->axis, u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int b = 0; b < s->nodes.count; ++b) {
        const phxi_mpm_nodes* nodes = &s->nodes.items[b];
        int layer = mirror->at - mirror->side - nodes->at[axis];
        for (int n = 0; layer >= 0 && layer < MPM_SIDE && n < MPM_SIDE * MPM_SIDE; ++n) {
            int at[3];
            at[u] = nodes->at[u] + n / MPM_SIDE, at[v] = nodes->at[v] + n % MPM_SIDE;
            at[axis] = mirror->at - mirror->side;
            phxi_r4* beyond = node_at(s, numbers, held, at);
            at[axis] = mirror->at + mirror->side;
            phxi_r4* image = node_at(s, numbers, held, at);
            if (beyond && image) {
                act(beyond, image, axis);
            }
        }
    }
}

/// No normal velocity on the plane.
static void stop_plane(const phxi_mpm* s, phx_real* numbers, const phxi_mpm_mirror* mirror) {
    for (int b = 0; b < s->nodes.count; ++b) {
        int layer = mirror->at - s->nodes.items[b].at[mirror->axis];
        for (int n = 0; layer >= 0 && layer < MPM_SIDE && n < MPM_BLOCK / 4; ++n) {
            const int at[3] = {n / (MPM_SIDE * MPM_SIDE), n / MPM_SIDE % MPM_SIDE, n % MPM_SIDE};
            if (at[mirror->axis] == layer) {
                numbers[(ptrdiff_t)b * MPM_BLOCK + 4 * n + 1 + mirror->axis] = 0;
            }
        }
    }
}

void phxi_mpm_fold_numbers(const phxi_mpm* s, phx_real* numbers) {
    for (int k = 0; k < s->mirror_count; ++k) {
        each_pair(s, numbers, false, &s->mirrors[k], fold_pair);
    }
}

void phxi_mpm_unfold_numbers(const phxi_mpm* s, phx_real* numbers) {
    for (int k = 0; k < s->mirror_count; ++k) {
        stop_plane(s, numbers, &s->mirrors[k]);
        each_pair(s, numbers, false, &s->mirrors[k], unfold_pair);
    }
}

/// Nodes beyond a plane are images, those on it have no normal velocity.
void phxi_mpm_bind_mirrors(const phxi_mpm* s) {
    for (int k = 0; k < s->mirror_count; ++k) {
        const phxi_mpm_mirror* mirror = &s->mirrors[k];
        const phx_vec3 normal = phxi_vec3(mirror->axis == 0, mirror->axis == 1, mirror->axis == 2);
        for (int b = 0; b < s->nodes.count; ++b) {
            for (int n = 0; n < MPM_BLOCK / 4; ++n) {
                const int at[3] = {n / (MPM_SIDE * MPM_SIDE), n / MPM_SIDE % MPM_SIDE, n % MPM_SIDE};
                int out = mirror->side * (mirror->at - s->nodes.items[b].at[mirror->axis] - at[mirror->axis]);
                phxi_r4* bound = (phxi_r4*)(s->bound.items + (ptrdiff_t)b * MPM_BLOCK + 4 * n);
                if (out > 0) {
                    *bound = (phxi_r4){MPM_HELD, 0, 0, 0};
                } else if (out == 0) {
                    phxi_mpm_bind_along((phx_real*)bound, normal);
                }
            }
        }
    }
}

void phxi_mpm_double_planes(const phxi_mpm* s) {
    for (int k = 0; k < s->mirror_count; ++k) {
        const phxi_mpm_mirror* mirror = &s->mirrors[k];
        for (int b = 0; b < s->nodes.count; ++b) {
            int layer = mirror->at - s->nodes.items[b].at[mirror->axis];
            for (int n = 0; layer >= 0 && layer < MPM_SIDE && n < MPM_BLOCK / 4; ++n) {
                const int at[3] = {n / (MPM_SIDE * MPM_SIDE), n / MPM_SIDE % MPM_SIDE, n % MPM_SIDE};
                s->velocity.items[(ptrdiff_t)b * MPM_BLOCK + 4 * n] *= at[mirror->axis] == layer ? 2 : 1;
            }
        }
    }
}

void phxi_mpm_fold(const phxi_mpm* s) {
    for (int k = 0; k < s->mirror_count; ++k) {
        each_pair(s, s->velocity.items, false, &s->mirrors[k], fold_pair);
        each_pair(s, s->held_velocity.items, true, &s->mirrors[k], fold_pair);
        if (s->keeps_old) {
            each_pair(s, s->old_velocity.items, false, &s->mirrors[k], fold_pair);
        }
    }
}

void phxi_mpm_unfold(const phxi_mpm* s) {
    for (int k = 0; k < s->mirror_count; ++k) {
        stop_plane(s, s->velocity.items, &s->mirrors[k]);
        each_pair(s, s->velocity.items, false, &s->mirrors[k], unfold_pair);
        each_pair(s, s->held_velocity.items, true, &s->mirrors[k], unfold_pair);
        if (s->keeps_old) {
            stop_plane(s, s->old_velocity.items, &s->mirrors[k]);
            each_pair(s, s->old_velocity.items, false, &s->mirrors[k], unfold_pair);
        }
    }
}
