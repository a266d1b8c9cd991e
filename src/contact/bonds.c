// SPDX-License-Identifier: MIT
#include "contact/bonds.h"

#include "math/simd.h"

#include <math.h>

int phxi_bonds_of(const phxi_bond_view* view, int begin, int own, int neighbors[PHXI_MAX_BONDS]) {
    int count = 0;
    for (int k = view->start ? view->start[own] : 0, end = view->start ? view->start[own + 1] : 0;
         k < end && count < PHXI_MAX_BONDS; ++k) {
        int other = phxi_bond_other(view, k);
        bool whole = !view->cut_distance || view->cut_distance[k - view->start[0]] < 0;
        if (other != own && whole) {
            neighbors[count++] = begin + other;
        }
    }
    return count;
}

/// The last of entries [begin, end) that is `wanted`, -1: none is. All of them are looked at, many at a time: that is
/// faster than to stop at the right one.
static PHXI_CLONES int bonds_find(const int* restrict other, int begin, int end, int wanted) {
    int found = -1;
    for (int k = begin; k < end; ++k) {
        int here = other[k] == wanted ? k : -1;
        found = here > found ? here : found;
    }
    return found;
}

/// The entry of i that leads to j, -1: none.
static int find(const phxi_bond_view* view, int i, int j) {
    // what is below the shift is nothing
    return bonds_find(view->other, view->start[i], view->start[i + 1], (j + view->first) * (1 << view->shift));
}

double phxi_bond_distance(const phxi_bond_view* view, const phxi_particles* particles, int begin, int i, int j) {
    if (!view->start || !(view->layer > 0)) {
        return 0;
    }
    const phxi_particles* p = particles;
    double usual = view->layer * (((double)p->spacing[i] + (double)p->spacing[j]) / 2);
    int entry = find(view, i - begin, j - begin);
    if (entry >= 0) {
        double cut_distance = view->cut_distance ? (double)view->cut_distance[entry - view->start[0]] : -1;
        return cut_distance < 0 ? 0 : fmin(usual, cut_distance);
    }
    if (view->rest_nearer) {
        phx_vec3 a = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        usual = fmin(usual, phxi_distance(a, phxi_vec3(p->rest_x[j], p->rest_y[j], p->rest_z[j])));
    }
    return usual;
}
