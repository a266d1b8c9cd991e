// SPDX-License-Identifier: MIT
// Neighbours in space among the particles of a moving world, found from the positions at the beginning of each
// substep, and shared by all who look at neighbours in space (fluids, walls, heat), whatever their method.
//
// Particles of the bodies that take part stand here in an order of their own, their `place`: by cells of a box around
// them, along x, then y, then z, those of one cell in the order of the ranges. So neighbours in space are near in
// memory. Whoever runs over pairs gathers what it needs by place (near->particle[k]), works on those arrays and
// scatters its results back. Order and lists follow from the positions alone and from nothing that happened before: a
// resumed run has the same ones. Arrays by place (x, y, z, reach, list_radius) may be read up to PHXI_NEAR_SLACK
// numbers behind the last place.
//
// Who is listed is decided in state precision, |x_i - x_j|^2 < ((l_i + l_j) / 2)^2, l the list radius, with the
// differences of phxi_near_delta, whatever the engine and the number of threads; j is listed with i whenever i is
// listed with j. The list radius is at most the reach: kernels that fall off flatly at their end do not need the last
// of it. A pair at the very end may be in or out by rounding.
//
// Particles of ranges that ignore their own kind are not listed with each other: those of walls, most of which are near
// nothing but wall.
//
// A period of L metres along an axis makes the world repeat there: positions by place are wrapped to [-L/2, L/2), and
// differences of two places are those to the nearest image (phxi_near_delta). Particles themselves are left where they
// are.
#pragma once

#include "math/vec3.h"
#include "neighbors/neighbors.h"
#include "particles/particles.h"

#include <math.h>

/// Particles [begin, begin + count) take part; each sees as far as `reach` times its spacing.
typedef struct phxi_near_range {
    int begin, count;
    double reach;
    bool ignores_own_kind; // not listed with particles of this range and of others that do so too
    double list_radius;    // lists end at this times the spacing; 0: reach
} phxi_near_range;

enum { PHXI_NEAR_SLACK = 64 };

typedef struct phxi_near {
    phxi_heap* heap;
    phxi_search* search; // NULL until an octree is asked for, or particles are too far apart for cells
    phxi_search_engine engine;
    int count;                 // places in use
    int* particle;             // by place
    phx_real *x, *y, *z;       // by place, m, wrapped
    phx_real* reach;           // by place, m
    phx_real* list_radius;     // by place, m
    uint8_t* ignores_own_kind; // by place; only if some_ignore_own_kind
    bool some_ignore_own_kind;
    phxi_lists
        lists; // by place: places within the mean of both list radii, ascending, without itself; 16 more readable
    phx_real period[3];     // m; 0: none
    phx_real per_period[3]; // 1 / period, or 0
    int capacity;
    struct phxi_near_cells* cells;
} phxi_near;

void phxi_near_init(phxi_near* near, phxi_heap* heap);
void phxi_near_destroy(phxi_near* near);
/// A period must be 0 or more than twice the largest reach. On failure the lists are empty. With no more particles and
/// pairs than before it allocates nothing.
phx_result phxi_near_update(phxi_near* near, phxi_pool* pool, phxi_search_engine engine,
                            const phxi_particles* particles, const phxi_near_range* ranges, int range_count,
                            phx_vec3 period);

/// Component `axis` of a difference of positions, to the nearest image.
static inline phx_real phxi_near_image(const phxi_near* near, int axis, phx_real difference) {
    return difference - near->period[axis] * (phx_real)rint((double)(difference * near->per_period[axis]));
}
/// x_i - x_j of two places.
static inline phx_vec3 phxi_near_delta(const phxi_near* near, int i, int j) {
    return phxi_vec3(phxi_near_image(near, 0, near->x[i] - near->x[j]),
                     phxi_near_image(near, 1, near->y[i] - near->y[j]),
                     phxi_near_image(near, 2, near->z[i] - near->z[j]));
}
