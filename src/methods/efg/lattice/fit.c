// SPDX-License-Identifier: MIT
// Whether points lie on a cubic or body-centred lattice, and where each of them is in it.
//
// Three directions at right angles, one spacing long, are looked for around a few of the points. They give whole
// coordinates to all points, in spacings or, on body-centred lattices, halves of them (all three even, or all three
// odd); a least-squares fit to these then tells the axes to many more digits, and every point has to agree with it.
// Lattices may be turned in any way.
#include "methods/efg/lattice/lattice.h"

#include "math/decompose3.h"

#include <limits.h>
#include <string.h>

#define TRIES     32
#define ROUGH     1e-2 // spacings a neighbour may be off
#define TOLERANCE 1e-4 // spacings a point may be off in the end
#define STRIP     8    // lines in y that are done together, so that neighbouring lines are still in cache
#define MAX_WASTE 16   // places in the bounding box a point

/// Directions to neighbours of point `i`: three at right angles, one spacing long.
static bool find_axes(const phx_vec3* points, int count, int i, double spacing, phxi_mat3* axes) {
    phx_vec3 found[3];
    int have = 0;
    for (int j = 0; j < count && have < 3; ++j) {
        phx_vec3 d = phxi_scale(1 / spacing, phxi_sub(points[j], points[i]));
        bool fits = fabs(phxi_length(d) - 1) < ROUGH;
        for (int k = 0; k < have && fits; ++k) {
            fits = fabs(phxi_dot(d, found[k])) < ROUGH;
        }
        if (fits) {
            found[have++] = d;
        }
    }
    for (int k = 0; k < have; ++k) {
        const double d[3] = {found[k].x, found[k].y, found[k].z};
        for (int c = 0; c < 3; ++c) {
            axes->m[c][k] = d[c];
        }
    }
    return have == 3;
}

/// Axes named after the world's that they are nearest to, right-handed: a box that is not turned keeps its axes.
static void name_axes(phxi_mat3* axes) {
    phxi_mat3 named;
    bool used[3] = {false};
    for (int c = 0; c < 3; ++c) {
        int best = -1;
        for (int k = 0; k < 3; ++k) {
            if (!used[k] && (best < 0 || fabs(axes->m[c][k]) > fabs(axes->m[c][best]))) {
                best = k;
            }
        }
        used[best] = true;
        for (int r = 0; r < 3; ++r) {
            named.m[r][c] = axes->m[c][best] < 0 ? -axes->m[r][best] : axes->m[r][best];
        }
    }
    double hand = phxi_mat3_det(&named) < 0 ? -1 : 1;
    for (int r = 0; r < 3; ++r) {
        named.m[r][0] *= hand;
    }
    *axes = named;
}

/// In steps.
static void coordinates(const phxi_lattice_fit* fit, phx_vec3 origin, phx_vec3 x, double n[3]) {
    phx_vec3 d = phxi_scale(1 / fit->step, phxi_sub(x, origin));
    for (int k = 0; k < 3; ++k) {
        n[k] = fit->axes.m[0][k] * d.x + fit->axes.m[1][k] * d.y + fit->axes.m[2][k] * d.z;
    }
}

/// Sums of a least-squares fit x = origin + L n.
typedef struct fit_sums {
    double n[3];
    phx_vec3 x;
    phxi_mat3 xn, nn;
} fit_sums;

/// A better origin, step and axes from whole coordinates; false if the lattice is not cubic.
static bool refine(phxi_lattice_fit* fit, phx_vec3* origin, const phx_vec3* points, int count) {
    fit_sums s = {0};
    for (int i = 0; i < count; ++i) {
        double n[3];
        coordinates(fit, *origin, points[i], n);
        phx_vec3 d = phxi_sub(points[i], *origin);
        const double x[3] = {d.x, d.y, d.z};
        s.x = phxi_add(s.x, d);
        for (int a = 0; a < 3; ++a) {
            s.n[a] += round(n[a]);
            for (int b = 0; b < 3; ++b) {
                s.xn.m[a][b] += x[a] * round(n[b]);
                s.nn.m[a][b] += round(n[a]) * round(n[b]);
            }
        }
    }
    const double x[3] = {s.x.x / count, s.x.y / count, s.x.z / count};
    phxi_mat3 inverse;
    for (int a = 0; a < 3; ++a) {
        s.n[a] /= count;
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            s.xn.m[a][b] -= count * x[a] * s.n[b];
            s.nn.m[a][b] -= count * s.n[a] * s.n[b];
        }
    }
    if (!phxi_mat3_inverse(&s.nn, &inverse)) {
        return false;
    }
    phxi_mat3 l = phxi_mat3_mul(&s.xn, &inverse);
    double volume = phxi_mat3_det(&l);
    if (!(volume > 0)) {
        return false;
    }
    fit->step = cbrt(volume);
    fit->axes = phxi_polar_rotation(&l);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            if (fabs(l.m[a][b] / fit->step - fit->axes.m[a][b]) > TOLERANCE) {
                return false;
            }
        }
    }
    phx_vec3 mean = phxi_vec3(x[0], x[1], x[2]), back = phxi_vec3(s.n[0], s.n[1], s.n[2]);
    *origin = phxi_add(*origin, phxi_add_scaled(mean, -fit->step, phxi_mat3_apply(&fit->axes, back)));
    return true;
}

/// Whether whole coordinates are those of a point of the lattice.
static bool is_point(const phxi_lattice_fit* fit, const double n[3]) {
    double odd = fmod(fabs(round(n[0])), 2);
    return fit->kind == PHXI_CUBIC || (fmod(fabs(round(n[1])), 2) == odd && fmod(fabs(round(n[2])), 2) == odd);
}

/// Bounds of whole coordinates, the lower ones a multiple of the spacing; false if a point is off, or the box is mostly
/// empty or flat.
static bool find_bounds(phxi_lattice_fit* fit, phx_vec3 origin, const phx_vec3* points, int count, double low[3]) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    low[0] = low[1] = low[2] = INFINITY;
    for (int i = 0; i < count; ++i) {
        double n[3];
        coordinates(fit, origin, points[i], n);
        if (!is_point(fit, n)) {
            return false;
        }
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(n[k] - round(n[k])) < TOLERANCE)) {
                return false;
            }
            low[k] = fmin(low[k], round(n[k]));
            high[k] = fmax(high[k], round(n[k]));
        }
    }
    fit->regular = true;
    double cells = 1;
    for (int k = 0; k < 3; ++k) {
        if (high[k] == low[k]) {
            return false; // a sheet
        }
        low[k] = fit->kind * floor(low[k] / fit->kind);
        cells *= high[k] - low[k] + 1;
    }
    double places = cells / (fit->kind * fit->kind); // one in four is all even or all odd
    if (!(places <= MAX_WASTE * (double)count) || cells > INT_MAX / 16) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        fit->size[k] = (int)(high[k] - low[k]) + 1;
    }
    return true;
}

/// Turns the axes, by even permutations, until the longest is the last.
static void put_longest_last(phxi_lattice_fit* fit, double low[3]) {
    while (fit->size[2] < fit->size[0] || fit->size[2] < fit->size[1]) {
        phxi_mat3 axes = fit->axes;
        int size = fit->size[2];
        double bound = low[2];
        for (int k = 2; k > 0; --k) {
            fit->size[k] = fit->size[k - 1];
            low[k] = low[k - 1];
        }
        fit->size[0] = size;
        low[0] = bound;
        for (int r = 0; r < 3; ++r) {
            for (int k = 0; k < 3; ++k) {
                fit->axes.m[r][k] = axes.m[r][(k + 2) % 3];
            }
        }
    }
}

int phxi_lattice_cell(const phxi_lattice_fit* fit, const int n[3]) {
    int z = n[2] < 0 ? -1 : n[2] / fit->kind; // lines of odd columns are half a spacing higher
    bool out = n[0] < 0 || n[1] < 0 || z < 0 || n[0] >= fit->size[0] || n[1] >= fit->size[1] || z >= fit->size[2];
    return out ? -1 : (n[0] * fit->size[1] + n[1]) * fit->size[2] + z;
}

void phxi_lattice_steps(const phxi_lattice_fit* fit, int cell, int n[3]) {
    n[0] = cell / fit->size[2] / fit->size[1];
    n[1] = cell / fit->size[2] % fit->size[1];
    n[2] = fit->kind * (cell % fit->size[2]) + n[0] % fit->kind;
}

/// Points into cells; false if two meet.
static bool fill_cells(phxi_lattice_fit* fit, phx_vec3 origin, const double low[3], const phx_vec3* points, int count) {
    memset(fit->cells, -1, (size_t)fit->size[0] * fit->size[1] * fit->size[2] * sizeof *fit->cells);
    for (int i = 0; i < count; ++i) {
        double n[3];
        coordinates(fit, origin, points[i], n);
        const int at[3] = {(int)(round(n[0]) - low[0]), (int)(round(n[1]) - low[1]), (int)(round(n[2]) - low[2])};
        int* cell = &fit->cells[phxi_lattice_cell(fit, at)];
        if (*cell >= 0) {
            return false;
        }
        *cell = i;
    }
    return true;
}

/// Cells of a lattice of this kind, if the points lie on one.
static phx_result try_kind(phxi_heap* heap, const phx_vec3* points, int count, phxi_lattice_fit* fit) {
    phx_vec3 origin = points[count / 2];
    double low[3];
    if (!refine(fit, &origin, points, count) || !find_bounds(fit, origin, points, count, low)) {
        return PHX_OK;
    }
    put_longest_last(fit, low);
    fit->size[2] = (fit->size[2] - 1) / fit->kind + 1;
    PHXI_NEW(fit->cells, heap, (size_t)fit->size[0] * fit->size[1] * fit->size[2], "efg set-up");
    if (!fill_cells(fit, origin, low, points, count)) {
        phxi_lattice_fit_destroy(heap, fit);
    }
    return PHX_OK;
}

phx_result phxi_lattice_find(phxi_heap* heap, const phx_vec3* points, int count, double spacing,
                             phxi_lattice_fit* fit) {
    static const int kinds[] = {PHXI_CUBIC, PHXI_BODY_CENTRED};
    phxi_mat3 axes = phxi_identity();
    bool found = false;
    *fit = (phxi_lattice_fit){0};
    for (int k = 0; k < TRIES && !found; ++k) {
        found = find_axes(points, count, (int)((2 * k + 1) * (int64_t)count / (2 * TRIES)), spacing, &axes);
    }
    if (!found) {
        return PHX_OK;
    }
    name_axes(&axes);
    for (int k = 0; k < 2 && !fit->regular; ++k) {
        *fit = (phxi_lattice_fit){.kind = kinds[k], .step = spacing / kinds[k], .axes = axes};
        PHXI_TRY(try_kind(heap, points, count, fit));
    }
    return PHX_OK;
}

void phxi_lattice_order(phxi_lattice_fit* fit, int* order) {
    int rank = 0, strips = STRIP * fit->kind;
    for (int strip = 0; strip < fit->size[1]; strip += strips) {
        for (int x = 0; x < fit->size[0]; ++x) {
            for (int y = strip; y < strip + strips && y < fit->size[1]; ++y) {
                int* line = &fit->cells[((size_t)x * fit->size[1] + y) * fit->size[2]];
                for (int z = 0; z < fit->size[2]; ++z) {
                    if (line[z] >= 0) {
                        order[rank] = line[z];
                        line[z] = rank++;
                    }
                }
            }
        }
    }
}

void phxi_lattice_fit_destroy(phxi_heap* heap, phxi_lattice_fit* fit) {
    phxi_free(heap, fit->cells);
    fit->cells = NULL;
}
