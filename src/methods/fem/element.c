// SPDX-License-Identifier: MIT
// Shape functions of a cell, docs/theory/fem.md (1), (2), and how fast it can swing (5).
#include "methods/fem/fem_internal.h"

#include "core/hash.h"

#include <string.h>

/// Trilinear, at the eight points of Gauss.
static void make_hexahedron(phxi_fem_element* e) {
    const double near = 0.5 - 0.5 / sqrt(3);
    e->points = 8;
    for (int q = 0; q < 8; ++q) {
        for (int k = 0; k < FEM_CORNERS; ++k) {
            double value[3], slope[3];
            for (int a = 0; a < 3; ++a) {
                double at = q >> a & 1 ? 1 - near : near;
                bool far = k >> a & 1;
                value[a] = far ? at : 1 - at;
                slope[a] = far ? 1 : -1;
            }
            e->gradient[q][k][0] = (phx_real)(slope[0] * value[1] * value[2]);
            e->gradient[q][k][1] = (phx_real)(value[0] * slope[1] * value[2]);
            e->gradient[q][k][2] = (phx_real)(value[0] * value[1] * slope[2]);
            e->value[q][k] = (phx_real)(value[0] * value[1] * value[2]);
        }
    }
}

/// Six tetrahedra about the diagonal, one for each order in which a path along edges takes the three directions: linear
/// there, so one point each. Diagonals of faces fit those of the cells beside.
static void make_tetrahedra(phxi_fem_element* e) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    e->points = 6;
    for (int q = 0; q < 6; ++q) {
        int corner = 0;
        e->value[q][0] = (phx_real)0.25;
        for (int n = 0; n < 3; ++n) { // from a corner to the next the coordinate order[n] goes from 0 to 1
            e->gradient[q][corner][order[q][n]] -= 1;
            corner |= 1 << order[q][n];
            e->gradient[q][corner][order[q][n]] += 1;
            e->value[q][corner] = (phx_real)0.25;
        }
    }
}

void phxi_fem_element_make(int kind, phxi_fem_element* element) {
    memset(element, 0, sizeof *element);
    if (kind == FEM_HEXAHEDRA) {
        make_hexahedron(element);
    } else {
        make_tetrahedra(element);
    }
}

/// K u of a cell of edge 1 with the law at rest.
static void linear_forces(const phxi_fem_element* e, const phxi_elastic* law, const double u[FEM_CORNERS][3],
                          double f[FEM_CORNERS][3]) {
    memset(f, 0, FEM_CORNERS * sizeof *f);
    for (int q = 0; q < e->points; ++q) {
        double h[3][3] = {{0}}, sigma[3][3];
        for (int k = 0; k < FEM_CORNERS; ++k) {
            for (int n = 0; n < 9; ++n) {
                h[n / 3][n % 3] += u[k][n / 3] * (double)e->gradient[q][k][n % 3];
            }
        }
        double trace = h[0][0] + h[1][1] + h[2][2];
        for (int n = 0; n < 9; ++n) {
            int a = n / 3, b = n % 3;
            sigma[a][b] = law->mu * (h[a][b] + h[b][a]) + (a == b ? law->lambda * trace : 0);
        }
        for (int k = 0; k < FEM_CORNERS; ++k) {
            for (int n = 0; n < 9; ++n) {
                f[k][n / 3] += sigma[n / 3][n % 3] * (double)e->gradient[q][k][n % 3] / e->points;
            }
        }
    }
}

void phxi_fem_element_matrix(const phxi_fem_element* element, const phxi_elastic* elastic, phxi_fem_matrix* k) {
    for (int n = 0; n < FEM_FREEDOMS; ++n) {
        double u[FEM_CORNERS][3] = {{0}}, f[FEM_CORNERS][3];
        u[n / 3][n % 3] = 1;
        linear_forces(element, elastic, (const double(*)[3])u, f);
        memcpy(k->column[n], f, sizeof k->column[n]);
    }
}

double phxi_fem_element_stiffness(const phxi_fem_matrix* k, const double share[FEM_CORNERS]) {
    // Powers of M^-1/2 K M^-1/2, whose eigenvalues are those of M^-1 K.
    double w[FEM_FREEDOMS], root[FEM_FREEDOMS], sum = 0;
    for (int n = 0; n < FEM_FREEDOMS; ++n) {
        root[n] = 1 / sqrt(share[n / 3]);
        w[n] = phxi_hash_unit(phxi_hash_pair(3, (uint64_t)n)) - 0.5;
        sum += w[n] * w[n];
    }
    double largest = 0;
    for (int turn = 0; turn < 200; ++turn) {
        double next[FEM_FREEDOMS] = {0};
        for (int n = 0; n < FEM_FREEDOMS; ++n) {
            double u = root[n] * w[n] / sqrt(sum);
            for (int m = 0; m < FEM_FREEDOMS; ++m) {
                next[m] += u * k->column[n][m];
            }
        }
        sum = 0;
        for (int n = 0; n < FEM_FREEDOMS; ++n) {
            w[n] = root[n] * next[n];
            sum += w[n] * w[n];
        }
        largest = sqrt(sum);
    }
    return largest;
}
