// SPDX-License-Identifier: MIT
// Neighbours of moving particles: lists against all pairs, with and without periods; failing allocations.
#include "neighbors/near.h"

#include "support/test.h"

typedef struct cloud {
    phxt_heap tracked;
    phxi_heap heap;
    phxi_particles particles;
    phxi_pool* pool;
    phxi_near near;
} cloud;

enum { COUNT = 400 };

// A box of edge 1 about the origin, cut in two bodies with different spacings, and a body between that takes no part.
static void cloud_init(cloud* c) {
    uint64_t seed = 7;
    *c = (cloud){0};
    phxt_heap_init(&c->tracked, -1);
    phxi_heap_init(&c->heap, &c->tracked.allocator);
    ENSURE_OK(phxi_particles_init(&c->particles, &c->heap));
    ENSURE_OK(phxi_pool_create(&c->heap, 2, &c->pool));
    ENSURE_OK(phxi_particles_add(&c->particles, COUNT));
    for (int i = 0; i < COUNT; ++i) {
        c->particles.x[i] = (phx_real)(phxt_random(&seed) - 0.5);
        c->particles.y[i] = (phx_real)(phxt_random(&seed) - 0.5);
        c->particles.z[i] = (phx_real)(phxt_random(&seed) - 0.5);
        c->particles.spacing[i] = (phx_real)(i < COUNT / 2 ? 0.1 : 0.07);
    }
    phxi_near_init(&c->near, &c->heap);
}

static void cloud_destroy(cloud* c) {
    phxi_near_destroy(&c->near);
    phxi_pool_destroy(c->pool);
    phxi_particles_destroy(&c->particles);
    phxi_heap_destroy(&c->heap);
    ENSURE(c->tracked.live == 0);
}

static const phxi_near_range ranges[2] = {{0, 180, 3}, {200, 200, 3}};

static phx_result update(cloud* c, phx_vec3 period) {
    return phxi_near_update(&c->near, c->pool, PHXI_SEARCH_GRID, &c->particles, ranges, 2, period);
}

static void compare_with_all_pairs(const phxi_near* near) {
    ENSURE(near->count == 380 && near->lists.count == 380);
    for (int i = 0; i < near->count; ++i) {
        int64_t next = near->lists.start[i], end = near->lists.start[i + 1];
        for (int j = 0; j < near->count; ++j) {
            double far = phxi_length(phxi_near_delta(near, i, j));
            double reach = 0.5 * ((double)near->reach[i] + (double)near->reach[j]);
            bool listed = next < end && near->lists.items[next] == j;
            ENSURE(listed == (i != j && far < reach) || fabs(far - reach) < 1e-6);
            next += listed;
        }
        ENSURE(next == end);
    }
}

TEST(lists_hold_all_pairs_in_reach) {
    cloud c;
    cloud_init(&c);
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    compare_with_all_pairs(&c.near);
    cloud_destroy(&c);
}

TEST(periods_join_both_ends) {
    cloud c;
    cloud_init(&c);
    REQUIRE_OK(update(&c, phxi_vec3(0, 1, 0)));
    compare_with_all_pairs(&c.near);
    int64_t one = c.near.lists.start[c.near.count];
    REQUIRE_OK(update(&c, phxi_vec3(1, 1.1, 0.9)));
    compare_with_all_pairs(&c.near);
    ENSURE(c.near.lists.start[c.near.count] > one);
    // particles that have left by some periods are where they were
    for (int i = 0; i < COUNT; i += 3) {
        c.particles.x[i] += 2;
    }
    REQUIRE_OK(update(&c, phxi_vec3(1, 1.1, 0.9)));
    compare_with_all_pairs(&c.near);
    cloud_destroy(&c);
}

TEST(periods_must_be_longer_than_two_reaches) {
    cloud c;
    cloud_init(&c);
    ENSURE_RESULT(update(&c, phxi_vec3(0, 0.6, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("period along y");
    ENSURE(c.near.count == 0 && c.near.lists.count == 0);
    cloud_destroy(&c);
}

TEST(failing_allocations) {
    cloud c;
    cloud_init(&c);
    bool done = false;
    for (int n = 0; !done; ++n) {
        c.tracked.fail_at = c.tracked.allocations + n;
        phx_result result = update(&c, phxi_vec3(1, 1, 1));
        done = result == PHX_OK;
        ENSURE(done || (result == PHX_ERROR_MEMORY && c.near.count == 0));
        c.tracked.fail_at = -1;
        ENSURE(n < 100);
        if (!done) {
            phxi_near_destroy(&c.near);
        }
    }
    compare_with_all_pairs(&c.near);
    cloud_destroy(&c);
}
