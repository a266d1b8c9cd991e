// SPDX-License-Identifier: MIT
// Cloth and rods as they are drawn: whole while they stretch, in pieces where they are torn.
#include "support/test.h"
#include "support/topology.h"
#include "surface/rest_shape.h"

enum { SIDE = 10 };

/// Particles of a square lattice of spacing 1, stretched by `stretch`; those beyond the middle of x moved by `gap`.
static phx_frame* layer(int rows, double stretch, double gap) {
    phx_frame* frame = NULL;
    if (phx_frame_create(SIDE * rows, 0, 0, NULL, &frame) != PHX_OK) {
        return NULL;
    }
    for (int i = 0; i < frame->points; ++i) {
        double* x = frame->positions + 3 * (size_t)i;
        x[0] = stretch * (i % SIDE) + (i % SIDE < SIDE / 2 ? 0 : gap);
        x[1] = stretch * (i / SIDE);
        x[2] = 0;
    }
    return frame;
}

/// Pieces of what is drawn of such a layer (a rod: of one row); -1: it is not closed.
static int pieces(int rows, double stretch, double gap) {
    phxi_heap heap;
    phxi_rest_shape shape;
    phx_frame *first = layer(rows, 1, 0), *now = layer(rows, stretch, gap), *drawn = NULL;
    phxt_topology t = {.pieces = -1};
    bool made = false;
    phxi_heap_init(&heap, NULL);
    ENSURE_OK(phxi_rest_shape_create(&heap, first, 1, &shape));
    if (rows == 1) {
        ENSURE_OK(phxi_rest_shape_tubes(&shape, now, 0.2, &drawn, &made));
    } else {
        ENSURE_OK(phxi_rest_shape_sheet(&shape, now, 0.2, &drawn, &made));
    }
    ENSURE(made && phxt_topology_of(drawn->indices, drawn->triangles, drawn->points, &t));
    phx_frame_destroy(first);
    phx_frame_destroy(now);
    phx_frame_destroy(drawn);
    phxi_rest_shape_destroy(&shape);
    phxi_heap_destroy(&heap);
    return t.open == 0 ? t.pieces : -1;
}

TEST(cloth_is_whole_until_it_is_torn) {
    ENSURE(pieces(SIDE, 1, 0) == 1);
    ENSURE(pieces(SIDE, 3, 0) == 1); // a membrane of rubber
    ENSURE(pieces(SIDE, 1, 2) == 2);
    ENSURE(pieces(SIDE, 3, 5) == 2);
}

TEST(a_rod_is_whole_until_it_is_torn) {
    ENSURE(pieces(1, 1, 0) == 1);
    ENSURE(pieces(1, 3, 0) == 1);
    ENSURE(pieces(1, 1, 2) == 2);
}
