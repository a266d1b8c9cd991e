// SPDX-License-Identifier: MIT
// Generalised winding number: the sum of the solid angles of all triangles over 4 pi (Jacobson et al. 2013), one by one
// (phxi_winding_number, the reference) or with far branches replaced by dipoles (Barill et al. 2018).
//
//   triangle   tan(omega/2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)   (van Oosterom, Strackee 1983)
//   far branch omega = N.r / |r|^3 - r.Q.r / |r|^5,   r from the point to the centre c of the branch,
//              N = sum of area vectors n,   Q = sum of 3 sym(m n) - (m.n) 1,   m from c to the middle of a triangle
//
// A branch is far when the point is BETA radii away. Points of a column come in runs that share one walk: a branch is
// then far only if it is so for the whole run, and the sums over the run are plain vectorisable loops.
#include "geometry/winding.h"
#include "geometry/inside.h"

#include <float.h>

typedef struct phxi_dipole {
    phx_vec3 center; // of the area
    phx_vec3 area;   // vector N, m^2
    phxi_sym3 twist; // Q, m^3
    double reach;    // BETA times the radius around the center that holds all corners
} phxi_dipole;

enum { RUN = 4 };
static const double BETA = 2.5;
static const double pi = 3.14159265358979323846;

static void triangle_corners(const phx_mesh* mesh, int triangle, phx_vec3 corner[3]) {
    for (int k = 0; k < 3; ++k) {
        corner[k] = mesh->positions[mesh->triangles[3 * (size_t)triangle + (size_t)k]];
    }
}

// Half the solid angle of a triangle seen from a point. In the plane of the triangle this is 0, or half a turn on it.
static double half_angle(const phx_vec3 corner[3], phx_vec3 point) {
    const phx_vec3 a = phxi_sub(corner[0], point), b = phxi_sub(corner[1], point), c = phxi_sub(corner[2], point);
    const double la = phxi_length(a), lb = phxi_length(b), lc = phxi_length(c);
    return atan2(phxi_dot(a, phxi_cross(b, c)),
                 la * lb * lc + phxi_dot(a, b) * lc + phxi_dot(b, c) * la + phxi_dot(c, a) * lb);
}

double phxi_winding_number(const phx_mesh* mesh, phx_vec3 point) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        phx_vec3 corner[3];
        triangle_corners(mesh, t, corner);
        sum += half_angle(corner, point);
    }
    return sum / (2 * pi);
}

static phx_vec3 area_vector(const phx_vec3 corner[3]) {
    return phxi_scale(0.5, phxi_cross(phxi_sub(corner[1], corner[0]), phxi_sub(corner[2], corner[0])));
}

static phx_vec3 middle_of(const phx_vec3 corner[3]) {
    return phxi_scale(1.0 / 3, phxi_add(corner[0], phxi_add(corner[1], corner[2])));
}

static void add_twist(phxi_sym3* twist, phx_vec3 m, phx_vec3 n) {
    const double trace = phxi_dot(m, n);
    twist->xx += 3 * m.x * n.x - trace;
    twist->yy += 3 * m.y * n.y - trace;
    twist->zz += 3 * m.z * n.z - trace;
    twist->xy += 1.5 * (m.x * n.y + m.y * n.x);
    twist->xz += 1.5 * (m.x * n.z + m.z * n.x);
    twist->yz += 1.5 * (m.y * n.z + m.z * n.y);
}

static phxi_dipole make_dipole(const phx_mesh* mesh, const int* triangles, int count) {
    phxi_dipole dipole = {0};
    phx_vec3 corner[3], weighted = {0};
    double weight = 0;
    for (int i = 0; i < count; ++i) {
        triangle_corners(mesh, triangles[i], corner);
        const phx_vec3 area = area_vector(corner);
        const double size = phxi_length(area) + DBL_MIN; // never 0: triangles without area still have a place
        dipole.area = phxi_add(dipole.area, area);
        weighted = phxi_add_scaled(weighted, size, middle_of(corner));
        weight += size;
    }
    dipole.center = phxi_scale(1 / weight, weighted);
    for (int i = 0; i < count; ++i) {
        triangle_corners(mesh, triangles[i], corner);
        add_twist(&dipole.twist, phxi_sub(middle_of(corner), dipole.center), area_vector(corner));
        for (int k = 0; k < 3; ++k) {
            dipole.reach = fmax(dipole.reach, BETA * phxi_distance(corner[k], dipole.center));
        }
    }
    return dipole;
}

phx_result phxi_winding_create(phxi_heap* heap, const phx_mesh* mesh, phxi_winding* winding) {
    *winding = (phxi_winding){.mesh = mesh};
    PHXI_TRY(phxi_tree_create(heap, mesh, PHXI_TREE_X | PHXI_TREE_Y | PHXI_TREE_Z, &winding->tree));
    const phxi_tree* tree = &winding->tree;
    winding->dipoles = phxi_alloc(heap, (size_t)tree->node_count, sizeof *winding->dipoles, "winding number");
    if (!winding->dipoles) {
        phxi_winding_destroy(heap, winding);
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < tree->node_count; ++i) {
        winding->dipoles[i] = make_dipole(mesh, tree->order + tree->nodes[i].first, tree->nodes[i].count);
    }
    return PHX_OK;
}

void phxi_winding_destroy(phxi_heap* heap, phxi_winding* winding) {
    phxi_tree_destroy(heap, &winding->tree);
    phxi_free(heap, winding->dipoles);
    *winding = (phxi_winding){0};
}

static void add_dipole(const phxi_dipole* dipole, const double* xs, int count, double y, double z, double* sums) {
    const phxi_sym3* q = &dipole->twist;
    const double ry = dipole->center.y - y, rz = dipole->center.z - z, away = ry * ry + rz * rz;
    const double across = dipole->area.y * ry + dipole->area.z * rz;
    const double bent = q->yy * ry * ry + q->zz * rz * rz + 2 * q->yz * ry * rz, tilt = 2 * (q->xy * ry + q->xz * rz);
    for (int i = 0; i < count; ++i) {
        const double rx = dipole->center.x - xs[i];
        const double square = 1 / (rx * rx + away);
        const double first = dipole->area.x * rx + across, second = (q->xx * rx + tilt) * rx + bent;
        sums[i] += 0.5 * (first - second * square) * square * sqrt(square);
    }
}

// One walk for a run of points; sums of half solid angles.
static void walk(const phxi_winding* winding, const double* xs, int count, double y, double z, double* sums) {
    const phxi_tree* tree = &winding->tree;
    const double first = xs[0], last = xs[count - 1];
    for (int i = 0; i < tree->node_count;) {
        const phxi_dipole* dipole = &winding->dipoles[i];
        const double ry = dipole->center.y - y, rz = dipole->center.z - z;
        const double rx = fmax(0, fmax(first - dipole->center.x, dipole->center.x - last));
        if (rx * rx + ry * ry + rz * rz > dipole->reach * dipole->reach) {
            add_dipole(dipole, xs, count, y, z, sums);
            i = tree->nodes[i].next;
            continue;
        }
        if (phxi_tree_is_leaf(tree, i)) {
            const phxi_tree_node* node = &tree->nodes[i];
            for (int k = node->first; k < node->first + node->count; ++k) {
                phx_vec3 corner[3];
                triangle_corners(winding->mesh, tree->order[k], corner);
                for (int j = 0; j < count; ++j) {
                    sums[j] += half_angle(corner, (phx_vec3){xs[j], y, z});
                }
            }
        }
        ++i;
    }
}

void phxi_winding_column(const phxi_winding* winding, double x0, double dx, int count, double y, double z,
                         double* numbers) {
    for (int begin = 0; begin < count; begin += RUN) {
        const int size = count - begin < RUN ? count - begin : RUN;
        double xs[RUN], sums[RUN] = {0};
        for (int i = 0; i < size; ++i) {
            xs[i] = x0 + (begin + i) * dx;
        }
        walk(winding, xs, size, y, z, sums);
        for (int i = 0; i < size; ++i) {
            numbers[begin + i] = sums[i] / (2 * pi);
        }
    }
}
