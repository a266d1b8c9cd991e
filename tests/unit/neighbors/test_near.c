// SPDX-License-Identifier: MIT
// Neighbours of moving particles: lists against all pairs, with and without periods; order, engines, threads; particles
// far apart, in one place, not finite; memory.
#include "neighbors/near_cells.h"

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

static phxi_near_range ranges[2] = {{0, 180, 3, false, 0}, {200, 200, 3, false, 0}};

static phx_result update(cloud* c, phx_vec3 period) {
    return phxi_near_update(&c->near, c->pool, PHXI_SEARCH_GRID, &c->particles, ranges, 2, period);
}

// The lists as another engine or number of threads makes them.
static void compare_with(cloud* c, phxi_search_engine engine, int threads, phx_vec3 period) {
    phxi_near other;
    phxi_pool* pool = NULL;
    phxi_near_init(&other, &c->heap);
    ENSURE_OK(phxi_pool_create(&c->heap, threads, &pool));
    REQUIRE_OK(phxi_near_update(&other, pool, engine, &c->particles, ranges, 2, period));
    const phxi_near* near = &c->near;
    size_t count = (size_t)near->count, pairs = (size_t)near->lists.start[count];
    REQUIRE(other.count == near->count && other.lists.start[count] == near->lists.start[count]);
    ENSURE(memcmp(other.particle, near->particle, count * sizeof *near->particle) == 0);
    ENSURE(memcmp(other.x, near->x, count * sizeof *near->x) == 0);
    ENSURE(memcmp(other.lists.start, near->lists.start, (count + 1) * sizeof *near->lists.start) == 0);
    ENSURE(memcmp(other.lists.items, near->lists.items, pairs * sizeof *near->lists.items) == 0);
    phxi_near_destroy(&other);
    phxi_pool_destroy(pool);
}

static void compare_with_all_pairs(const phxi_near* near) {
    ENSURE(near->count == 380 && near->lists.count == 380);
    for (int i = 0; i < near->count; ++i) {
        int64_t next = near->lists.start[i], end = near->lists.start[i + 1];
        for (int j = 0; j < near->count; ++j) {
            double far = phxi_length(phxi_near_delta(near, i, j));
            double reach = 0.5 * ((double)near->reach[i] + (double)near->reach[j]);
            bool listed = next < end && near->lists.items[next] == j;
            bool ignores_own_kind = near->ignores_own_kind[i] && near->ignores_own_kind[j];
            ENSURE(listed == (i != j && !ignores_own_kind && far < reach) ||
                   (!ignores_own_kind && fabs(far - reach) < 1e-6));
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

TEST(engines_and_threads_agree) {
    const phx_vec3 periods[] = {{0, 0, 0}, {1, 0, 0}, {0.61, 0.65, 0.7}, {0, 3, 1.01}};
    for (int k = 0; k < 16; ++k) {
        cloud c;
        ranges[0].ignores_own_kind = k / 4 & 1;
        ranges[1].ignores_own_kind = k / 8;
        cloud_init(&c);
        REQUIRE_OK(update(&c, periods[k % 4]));
        compare_with_all_pairs(&c.near);
        compare_with(&c, PHXI_SEARCH_OCTREE, 2, periods[k % 4]);
        compare_with(&c, PHXI_SEARCH_BRUTE, 1, periods[k % 4]);
        compare_with(&c, PHXI_SEARCH_GRID, 3, periods[k % 4]);
        cloud_destroy(&c);
    }
    ranges[0].ignores_own_kind = ranges[1].ignores_own_kind = false;
}

// A lattice has many pairs at the very end of their reach: whoever decides, decides alike, and for both.
TEST(ties_are_decided_alike) {
    cloud c;
    cloud_init(&c);
    for (int i = 0; i < COUNT; ++i) {
        c.particles.x[i] = (phx_real)(0.1 * (i % 8)) + (phx_real)7.3;
        c.particles.y[i] = (phx_real)(0.1 * (i / 8 % 8)) - (phx_real)0.77;
        c.particles.z[i] = (phx_real)(0.1 * (i / 64));
        c.particles.spacing[i] = (phx_real)0.1;
    }
    const phx_vec3 periods[] = {{0, 0, 0}, {0.8, 0.8, 0}};
    for (int k = 0; k < 2; ++k) {
        REQUIRE_OK(update(&c, periods[k]));
        compare_with(&c, PHXI_SEARCH_OCTREE, 2, periods[k]);
        for (int i = 0; i < c.near.count; ++i) {
            for (int64_t s = c.near.lists.start[i]; s < c.near.lists.start[i + 1]; ++s) {
                int j = c.near.lists.items[s];
                bool back = false;
                for (int64_t t = c.near.lists.start[j]; t < c.near.lists.start[j + 1]; ++t) {
                    back = back || c.near.lists.items[t] == i;
                }
                ENSURE(back);
            }
        }
    }
    cloud_destroy(&c);
}

TEST(order_depends_on_positions_alone) {
    cloud c;
    cloud_init(&c);
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    uint8_t seen[COUNT] = {0};
    for (int k = 0; k < c.near.count; ++k) {
        int i = c.near.particle[k];
        REQUIRE(i >= 0 && i < COUNT && (i < 180 || i >= 200) && !seen[i]++);
        ENSURE(c.near.x[k] == c.particles.x[i] && c.near.z[k] == c.particles.z[i]);
    }
    // neighbours in memory are neighbours in space: mean distance below that of random pairs, 0.66
    double sum = 0;
    for (int k = 1; k < c.near.count; ++k) {
        sum += phxi_length(phxi_near_delta(&c.near, k, k - 1));
    }
    ENSURE(sum / c.near.count < 0.4);
    // what was there before does not matter
    for (int i = 0; i < COUNT; ++i) {
        c.particles.y[i] = -c.particles.y[i];
    }
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    compare_with(&c, PHXI_SEARCH_GRID, 2, phxi_vec3(0, 0, 0));
    cloud_destroy(&c);
}

TEST(particles_far_apart) {
    const double far[] = {30, 1e4, 1e18, 1e30};
    for (int k = 0; k < 4; ++k) {
        cloud c;
        cloud_init(&c);
        c.particles.x[5] = (phx_real)far[k];
        c.particles.y[6] = (phx_real)-far[k];
        REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
        compare_with_all_pairs(&c.near);
        compare_with(&c, PHXI_SEARCH_OCTREE, 2, phxi_vec3(0, 0, 0));
        ENSURE(far[k] > 1e6 || c.near.cells->fine); // two strays do not make the cells of all others coarse
        cloud_destroy(&c);
    }
}

TEST(particles_in_one_place_or_without_reach) {
    cloud c;
    cloud_init(&c);
    for (int i = 0; i < COUNT; ++i) {
        c.particles.x[i] = c.particles.y[i] = c.particles.z[i] = (phx_real)0.25;
    }
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    ENSURE(c.near.lists.start[c.near.count] == 380 * 379);
    compare_with(&c, PHXI_SEARCH_OCTREE, 2, phxi_vec3(0, 0, 0));
    memset(c.particles.spacing, 0, COUNT * sizeof *c.particles.spacing);
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    ENSURE(c.near.count == 380 && c.near.lists.start[380] == 0);
    REQUIRE_OK(phxi_near_update(&c.near, c.pool, PHXI_SEARCH_GRID, &c.particles, ranges, 0, phxi_vec3(1, 0, 0)));
    ENSURE(c.near.count == 0 && c.near.lists.count == 0);
    cloud_destroy(&c);
}

TEST(what_is_not_finite_is_named) {
    cloud c;
    cloud_init(&c);
    c.particles.y[190] = (phx_real)NAN; // takes no part
    REQUIRE_OK(update(&c, phxi_vec3(0, 0, 0)));
    c.particles.y[231] = (phx_real)NAN;
    ENSURE_RESULT(update(&c, phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("particle 231");
    ENSURE(c.near.count == 0 && c.near.lists.count == 0);
    c.particles.y[231] = (phx_real)INFINITY;
    ENSURE_RESULT(update(&c, phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    cloud_destroy(&c);
}

TEST(nothing_is_allocated_again) {
    cloud c;
    cloud_init(&c);
    for (int engine = 0; engine < 2; ++engine) {
        const phx_vec3 period = {1, 1, 1};
        int64_t before = 0;
        for (int k = 0; k < 5; ++k) {
            REQUIRE_OK(phxi_near_update(&c.near, c.pool, (phxi_search_engine)engine, &c.particles, ranges, 2, period));
            before = k == 0 ? c.tracked.allocations : before;
        }
        ENSURE(c.tracked.allocations == before);
    }
    cloud_destroy(&c);
}

static void fail_allocations(phxi_search_engine engine) {
    cloud c;
    cloud_init(&c);
    bool done = false;
    for (int n = 0; !done; ++n) {
        c.tracked.fail_at = c.tracked.allocations + n;
        phx_result result = phxi_near_update(&c.near, c.pool, engine, &c.particles, ranges, 2, phxi_vec3(1, 1, 1));
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

TEST(failing_allocations) {
    fail_allocations(PHXI_SEARCH_GRID);
    fail_allocations(PHXI_SEARCH_OCTREE);
}
