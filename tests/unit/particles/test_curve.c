// SPDX-License-Identifier: MIT
#include "particles/particles.h"

#include "support/test.h"

enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };

static void lattice(phx_vec3* points, double spacing) {
    for (int i = 0; i < COUNT; ++i) {
        points[i] = phxi_vec3(spacing * (i % SIDE), spacing * (i / SIDE % SIDE), spacing * (i / (SIDE * SIDE)));
    }
}

static bool is_permutation(const int* order, int count) {
    unsigned char* seen = calloc((size_t)count + 1, 1);
    bool good = true;
    for (int k = 0; k < count; ++k) {
        good = good && order[k] >= 0 && order[k] < count && !seen[order[k]]++;
    }
    free(seen);
    return good;
}

// Mean distance of points that follow each other `step` places later.
static double spread_of(const phx_vec3* points, const int* order, int step) {
    double sum = 0;
    for (int k = 0; k + step < COUNT; ++k) {
        sum += phxi_distance(points[order[k]], points[order[k + step]]);
    }
    return sum / (COUNT - step);
}

static phx_vec3 points[COUNT];
static int order[COUNT];

TEST(permutation_and_locality) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    uint64_t seed = 3;
    lattice(points, 1);
    for (int i = COUNT - 1; i > 0; --i) { // shuffled
        int other = (int)(phxt_random(&seed) * (i + 1));
        phx_vec3 swap = points[i];
        points[i] = points[other];
        points[other] = swap;
    }
    for (int i = 0; i < COUNT; ++i) {
        order[i] = i;
    }
    double random_near = spread_of(points, order, 1), random_far = spread_of(points, order, 32);
    const double cells[] = {1, 2, 4};
    for (int c = 0; c < 3; ++c) {
        REQUIRE_OK(phxi_curve_order(&heap, points, COUNT, cells[c], order));
        ENSURE(is_permutation(order, COUNT));
        ENSURE(spread_of(points, order, 1) < 0.4 * random_near);
        ENSURE(spread_of(points, order, 32) < 0.6 * random_far);
    }
    phxi_heap_destroy(&heap);
}

TEST(bricks_follow_each_other) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    lattice(points, 0.25);
    REQUIRE_OK(phxi_curve_order(&heap, points, COUNT, 1.0, order)); // bricks of 4^3
    for (int brick = 0; brick < COUNT / 64; ++brick) {
        phx_vec3 first = points[order[64 * brick]];
        for (int k = 0; k < 64; ++k) {
            phx_vec3 p = points[order[64 * brick + k]];
            ENSURE(floor(p.x) == floor(first.x) && floor(p.y) == floor(first.y) && floor(p.z) == floor(first.z));
            ENSURE(k == 0 || order[64 * brick + k] > order[64 * brick + k - 1]); // stable
        }
    }
    // the first eight bricks are the cube of 2^3 bricks
    for (int k = 0; k < 512; ++k) {
        phx_vec3 p = points[order[k]];
        ENSURE(p.x < 2 && p.y < 2 && p.z < 2);
    }
    phxi_heap_destroy(&heap);
}

TEST(degenerate_points) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    REQUIRE_OK(phxi_curve_order(&heap, points, 0, 1, order));
    for (int i = 0; i < 100; ++i) {
        points[i] = phxi_vec3(3, -2, 1e6);
    }
    REQUIRE_OK(phxi_curve_order(&heap, points, 100, 1, order));
    for (int i = 0; i < 100; ++i) {
        ENSURE(order[i] == i); // ties by index
    }
    points[50] = phxi_vec3(1e8, 1e300, -1.7e308); // the cells grow until the numbers of bits suffice
    points[51] = phxi_vec3(-1.7e308, -1.7e308, 1.7e308);
    REQUIRE_OK(phxi_curve_order(&heap, points, 100, 1e-12, order));
    ENSURE(is_permutation(order, 100));
    points[99] = phxi_vec3(0, NAN, 0);
    ENSURE_RESULT(phxi_curve_order(&heap, points, 100, 1, order), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("point 99");
    ENSURE_RESULT(phxi_curve_order(&heap, points, 10, 0, order), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_curve_order(&heap, points, 10, NAN, order), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_curve_order(&heap, points, 10, INFINITY, order), PHX_ERROR_ARGUMENT);
    phxi_heap_destroy(&heap);
}

TEST(every_allocation_may_fail) {
    lattice(points, 1);
    for (int64_t n = 0, good = 0; !good; ++n) {
        phxt_heap counted;
        phxi_heap heap;
        phxt_heap_init(&counted, n);
        phxi_heap_init(&heap, &counted.allocator);
        phx_result result = phxi_curve_order(&heap, points, COUNT, 2, order);
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        ENSURE(counted.live == 0);
        good = result == PHX_OK;
        REQUIRE(n < 20);
        phxi_heap_destroy(&heap);
    }
}
