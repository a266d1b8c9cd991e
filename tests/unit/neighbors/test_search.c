// SPDX-License-Identifier: MIT
// Every engine against a naive double loop written here, on point sets that are known to make trouble.
#include "neighbors/neighbors.h"

#include "support/test.h"

enum { MOST = 1800, ENGINES = 3 };

static phx_real xs[MOST], ys[MOST], zs[MOST], radii[MOST];

typedef struct cloud {
    const char* name;
    int count;
    double radius;
    bool varied;
} cloud;

static void put(int i, double x, double y, double z) {
    xs[i] = (phx_real)x;
    ys[i] = (phx_real)y;
    zs[i] = (phx_real)z;
}

static void put_random(int count, double size, uint64_t seed) {
    for (int i = 0; i < count; ++i) {
        double x = size * phxt_random(&seed), y = size * phxt_random(&seed);
        put(i, x, y, size * phxt_random(&seed));
    }
}

static cloud random_cloud(void) {
    put_random(1500, 1, 1);
    return (cloud){"random", 1500, 0.12, false};
}
static cloud clusters(void) {
    uint64_t seed = 2;
    for (int i = 0; i < 1500; ++i) {
        double size = i % 3 == 0 ? 1e-4 : i % 3 == 1 ? 0.01 : 1, at = i % 7;
        put(i, at + size * phxt_random(&seed), -at + size * phxt_random(&seed), size * phxt_random(&seed));
    }
    return (cloud){"clusters", 1500, 0.05, false};
}
static cloud coplanar(void) {
    put_random(1200, 1, 3);
    for (int i = 0; i < 1200; ++i) {
        zs[i] = (phx_real)0.25;
    }
    return (cloud){"coplanar", 1200, 0.07, false};
}
static cloud line(void) {
    put_random(900, 1, 4);
    for (int i = 0; i < 900; ++i) {
        ys[i] = zs[i] = (phx_real)-7;
    }
    return (cloud){"line", 900, 0.01, false};
}
static cloud coincident(void) {
    for (int i = 0; i < 400; ++i) {
        put(i, 0.1, 0.2, i % 50 == 0 ? 0.3 : 0.1);
    }
    return (cloud){"coincident", 400, 0.05, false};
}
static cloud lattice(void) {
    for (int i = 0; i < 1728; ++i) {
        put(i, 0.25 * (i % 12), 0.25 * (i / 12 % 12), 0.25 * (i / 144));
    }
    return (cloud){"lattice, radius on the shell", 1728, 0.5, false}; // pairs at exactly the radius do not count
}
static cloud shifted_lattice(void) {
    for (int i = 0; i < 1728; ++i) {
        put(i, 0.1 * (i % 12) - 0.6, 0.1 * (i / 12 % 12) - 0.6, 0.1 * (i / 144) - 0.6);
    }
    return (cloud){"lattice, rounded", 1728, 0.1, false}; // distances just below and above the radius
}
static cloud outlier(void) {
    put_random(1000, 1, 5);
    put(500, 1e8, -1e8, 1e8);
    return (cloud){"outlier", 1000, 0.1, false};
}
static cloud huge_outlier(void) {
    put_random(1000, 1, 5);
    put(500, 3e38, -3e38, 3e38);
    put(501, -3e38, 3e38, -3e38);
    return (cloud){"huge outlier", 1000, 0.1, false};
}
static cloud large(void) {
    put_random(1000, 1e6, 6);
    return (cloud){"large", 1000, 1e5, false};
}
static cloud small(void) {
    put_random(1000, 1e-6, 7);
    return (cloud){"small", 1000, 1e-7, false};
}
static cloud tiny(void) {
    put_random(300, 1e-38, 7);
    return (cloud){"tiny", 300, 3e-39, false};
}
static cloud sparse(void) {
    put_random(1000, 1e6, 8);
    for (int i = 0; i < 1000; i += 2) { // close pairs, far apart: cells are hashed
        put(i + 1, (double)xs[i] + 0.25, (double)ys[i], (double)zs[i] - 0.125);
    }
    return (cloud){"sparse pairs", 1000, 0.5, false};
}
static cloud varied(void) {
    put_random(1500, 1, 9);
    uint64_t seed = 10;
    for (int i = 0; i < 1500; ++i) {
        radii[i] = (phx_real)(0.02 + 0.1 * phxt_random(&seed));
    }
    return (cloud){"varied radii", 1500, 0, true};
}
static cloud very_varied(void) {
    put_random(1200, 1, 11);
    for (int i = 0; i < 1200; ++i) {
        radii[i] = (phx_real)(i % 400 == 7 ? 0.9 : i % 5 == 0 ? 0 : 0.01);
    }
    return (cloud){"very different radii", 1200, 0, true};
}
static cloud none(void) {
    return (cloud){"none", 0, 1, false};
}
static cloud one(void) {
    put(0, 1, 2, 3);
    return (cloud){"one", 1, 1, false};
}
static cloud two(void) {
    put(0, 1, 2, 3);
    put(1, 1.5, 2, 3);
    return (cloud){"two", 2, 1, false};
}
static cloud two_at_radius(void) {
    put(0, 1, 2, 3);
    put(1, 1.5, 2, 3);
    return (cloud){"two at the radius", 2, 0.5, false};
}
static cloud radius_zero(void) {
    put_random(100, 1, 12);
    return (cloud){"radius zero", 100, 0, false};
}
static cloud radius_huge(void) {
    put_random(300, 1, 13);
    return (cloud){"all pairs", 300, 1e30, false};
}

static cloud (*const clouds[])(void) = {random_cloud, clusters,     coplanar,       line,  coincident, lattice,
                                        outlier,      huge_outlier, large,          small, tiny,       sparse,
                                        varied,       very_varied,  none,           one,   two,        two_at_radius,
                                        radius_zero,  radius_huge,  shifted_lattice};
enum { CLOUDS = sizeof clouds / sizeof *clouds };

static phxi_points points_of(const cloud* c) {
    return (phxi_points){xs, ys, zs, c->count};
}

static double square_between(int i, int j) {
    double dx = (double)xs[i] - (double)xs[j], dy = (double)ys[i] - (double)ys[j], dz = (double)zs[i] - (double)zs[j];
    return dx * dx + dy * dy + dz * dz;
}

static bool naive_pair(const cloud* c, int i, int j) {
    double limit = c->varied ? 0.5 * ((double)radii[i] + (double)radii[j]) : c->radius;
    return i != j && square_between(i, j) < limit * limit;
}

static void check_lists(const cloud* c, const phxi_lists* lists, int engine) {
    int64_t at = 0;
    bool good = lists->count == c->count && lists->start[0] == 0;
    for (int i = 0; i < c->count && good; ++i) {
        good = lists->start[i] == at;
        for (int j = 0; j < c->count && good; ++j) {
            if (naive_pair(c, i, j)) {
                good = at < lists->start[c->count] && lists->items[at] == j;
                ++at;
            }
        }
    }
    if (!good || lists->start[c->count] != at) {
        phxt_failed(__FILE__, __LINE__, "engine %d, points '%s': lists differ from the double loop", engine, c->name);
    }
}

TEST(pairs_equal_the_double_loop) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool* pool = NULL;
    REQUIRE_OK(phxi_pool_create(&heap, 3, &pool));
    for (int engine = 0; engine < ENGINES; ++engine) {
        phxi_search* search = NULL;
        phxi_lists lists = {0};
        REQUIRE_OK(phxi_search_create(&heap, engine, &search)); // one search for all clouds: nothing may be left over
        for (int k = 0; k < CLOUDS; ++k) {
            cloud c = clouds[k]();
            REQUIRE_OK(phxi_search_pairs(search, pool, points_of(&c), c.varied ? radii : NULL, c.radius, &lists));
            check_lists(&c, &lists, engine);
        }
        phxi_lists_destroy(&heap, &lists);
        phxi_search_destroy(search);
    }
    phxi_pool_destroy(pool);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(same_lists_at_any_thread_count) {
    const int threads[] = {1, 2, 3, 8};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    cloud c = random_cloud();
    for (int engine = 0; engine < ENGINES; ++engine) {
        phxi_lists first = {0};
        static int first_nearest[MOST * 9], nearest[MOST * 9];
        for (int t = 0; t < 4; ++t) {
            phxi_pool* pool = NULL;
            phxi_search* search = NULL;
            phxi_lists lists = {0};
            REQUIRE_OK(phxi_pool_create(&heap, threads[t], &pool));
            REQUIRE_OK(phxi_search_create(&heap, engine, &search));
            REQUIRE_OK(phxi_search_pairs(search, pool, points_of(&c), NULL, c.radius, &lists));
            REQUIRE_OK(phxi_search_nearest(search, pool, points_of(&c), 9, nearest));
            if (t == 0) {
                first = lists;
                memcpy(first_nearest, nearest, sizeof nearest);
            } else {
                size_t rows = ((size_t)c.count + 1) * sizeof *lists.start;
                ENSURE(memcmp(lists.start, first.start, rows) == 0);
                ENSURE(memcmp(lists.items, first.items, (size_t)lists.start[c.count] * sizeof(int)) == 0);
                ENSURE(memcmp(first_nearest, nearest, sizeof nearest) == 0);
                phxi_lists_destroy(&heap, &lists);
            }
            phxi_search_destroy(search);
            phxi_pool_destroy(pool);
        }
        phxi_lists_destroy(&heap, &first);
    }
    phxi_heap_destroy(&heap);
}

// Row i by the definition: each time the nearest that is left, ties to the lower index.
static bool naive_nearest_matches(int count, int i, int k, const int* row) {
    double last = -1;
    int last_index = -1;
    for (int m = 0; m < k; ++m) {
        int best = -1;
        double square = INFINITY;
        for (int j = 0; j < count; ++j) {
            double here = square_between(i, j);
            bool left = here > last || (here == last && j > last_index);
            if (j != i && left && (best < 0 || here < square)) {
                best = j;
                square = here;
            }
        }
        if (row[m] != best) {
            return false;
        }
        last = square;
        last_index = best < 0 ? count : best;
    }
    return true;
}

// Brute force by the definition, on a sample of rows.
TEST(nearest_equal_the_definition) {
    static int nearest[MOST * 64];
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_search* search = NULL;
    REQUIRE_OK(phxi_search_create(&heap, PHXI_SEARCH_BRUTE, &search));
    for (int number = 0; number < CLOUDS; ++number) {
        cloud c = clouds[number]();
        const int numbers[] = {1, 9, 17}, steps[] = {31, 97, 199};
        for (int n = 0; n < 3; ++n) {
            REQUIRE_OK(phxi_search_nearest(search, NULL, points_of(&c), numbers[n], nearest));
            for (int i = 0; i < c.count; i += steps[n]) {
                if (!naive_nearest_matches(c.count, i, numbers[n], nearest + (size_t)i * (size_t)numbers[n])) {
                    phxt_failed(__FILE__, __LINE__, "points '%s': the %d nearest of %d are wrong", c.name, numbers[n],
                                i);
                }
            }
        }
    }
    phxi_search_destroy(search);
    phxi_heap_destroy(&heap);
}

// The other engines by brute force, on all rows.
static void check_nearest(int k) {
    static int reference[MOST * 64], nearest[MOST * 64];
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_search* searches[ENGINES] = {0};
    for (int engine = 0; engine < ENGINES; ++engine) {
        REQUIRE_OK(phxi_search_create(&heap, engine, &searches[engine]));
    }
    for (int number = 0; number < CLOUDS; ++number) {
        cloud c = clouds[number]();
        size_t bytes = (size_t)c.count * (size_t)k * sizeof(int);
        REQUIRE_OK(phxi_search_nearest(searches[PHXI_SEARCH_BRUTE], NULL, points_of(&c), k, reference));
        for (int engine = 0; engine < PHXI_SEARCH_BRUTE; ++engine) {
            REQUIRE_OK(phxi_search_nearest(searches[engine], NULL, points_of(&c), k, nearest));
            if (memcmp(reference, nearest, bytes) != 0) {
                phxt_failed(__FILE__, __LINE__, "engine %d, points '%s': the %d nearest differ", engine, c.name, k);
            }
        }
    }
    for (int engine = 0; engine < ENGINES; ++engine) {
        phxi_search_destroy(searches[engine]);
    }
    phxi_heap_destroy(&heap);
}

TEST(nearest_one_is_the_same_by_all_engines) {
    check_nearest(1);
}

TEST(nearest_nine_are_the_same_by_all_engines) {
    check_nearest(9);
}

TEST(nearest_most_are_the_same_by_all_engines) {
    check_nearest(64);
}

// More neighbours than the first staging holds, rows longer than a page and than what is sorted by rank.
TEST(long_rows) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    put_random(MOST, 1, 21);
    cloud c = {"long rows", MOST, 0.9, false};
    phxi_lists reference = {0};
    for (int engine = ENGINES; engine-- > 0;) {
        phxi_search* search = NULL;
        phxi_lists lists = {0};
        REQUIRE_OK(phxi_search_create(&heap, engine, &search));
        REQUIRE_OK(phxi_search_pairs(search, NULL, points_of(&c), NULL, c.radius, &lists));
        if (engine == PHXI_SEARCH_BRUTE) {
            check_lists(&c, &lists, engine);
            reference = lists;
        } else {
            ENSURE(memcmp(lists.start, reference.start, (MOST + 1) * sizeof *lists.start) == 0);
            ENSURE(memcmp(lists.items, reference.items, (size_t)lists.start[MOST] * sizeof(int)) == 0);
            phxi_lists_destroy(&heap, &lists);
        }
        phxi_search_destroy(search);
    }
    phxi_lists_destroy(&heap, &reference);
    phxi_heap_destroy(&heap);
}

TEST(second_build_allocates_nothing) {
    static int nearest[MOST * 9];
    for (int engine = 0; engine < ENGINES; ++engine) {
        phxt_heap counted;
        phxi_heap heap;
        phxt_heap_init(&counted, -1);
        phxi_heap_init(&heap, &counted.allocator);
        phxi_search* search = NULL;
        phxi_lists lists = {0};
        REQUIRE_OK(phxi_search_create(&heap, engine, &search));
        cloud c = random_cloud();
        REQUIRE_OK(phxi_search_pairs(search, NULL, points_of(&c), NULL, c.radius, &lists));
        REQUIRE_OK(phxi_search_nearest(search, NULL, points_of(&c), 9, nearest));
        int64_t before = counted.allocations;
        REQUIRE_OK(phxi_search_pairs(search, NULL, points_of(&c), NULL, c.radius, &lists));
        put(0, 1e6, 1e7, 1e8); // from a full table of cells to a hashed one
        c.count -= 100;
        REQUIRE_OK(phxi_search_pairs(search, NULL, points_of(&c), NULL, c.radius, &lists));
        check_lists(&c, &lists, engine);
        REQUIRE_OK(phxi_search_nearest(search, NULL, points_of(&c), 9, nearest));
        ENSURE(counted.allocations == before);
        phxi_lists_destroy(&heap, &lists);
        phxi_search_destroy(search);
        ENSURE(counted.live == 0);
        phxi_heap_destroy(&heap);
    }
}

TEST(every_allocation_may_fail) {
    cloud c = varied();
    static int nearest[MOST * 4];
    for (int engine = 0; engine < ENGINES; ++engine) {
        bool good = false;
        for (int64_t n = 0; n < 100 && !good; ++n) {
            phxt_heap counted;
            phxi_heap heap;
            phxt_heap_init(&counted, n);
            phxi_heap_init(&heap, &counted.allocator);
            phxi_search* search = NULL;
            phxi_lists lists = {0};
            phx_result made = phxi_search_create(&heap, engine, &search);
            if (made == PHX_OK) {
                phx_result paired = phxi_search_pairs(search, NULL, points_of(&c), radii, 0, &lists);
                phx_result found = phxi_search_nearest(search, NULL, points_of(&c), 4, nearest);
                ENSURE(paired == PHX_OK || paired == PHX_ERROR_MEMORY);
                ENSURE(found == PHX_OK || found == PHX_ERROR_MEMORY);
                good = paired == PHX_OK && found == PHX_OK;
                if (!good) { // and again when there is memory
                    counted.fail_at = -1;
                    ENSURE_OK(phxi_search_pairs(search, NULL, points_of(&c), radii, 0, &lists));
                    if (n % 4 == 0) {
                        check_lists(&c, &lists, engine);
                    }
                }
            } else {
                ENSURE(made == PHX_ERROR_MEMORY && search == NULL);
            }
            phxi_lists_destroy(&heap, &lists);
            phxi_search_destroy(search);
            ENSURE(counted.live == 0);
            phxi_heap_destroy(&heap);
        }
        ENSURE(good);
    }
}

TEST(bad_input_is_refused) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_search* search = NULL;
    ENSURE_RESULT(phxi_search_create(&heap, (phxi_search_engine)17, &search), PHX_ERROR_ARGUMENT);
    phxi_search_destroy(NULL);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int engine = 0; engine < ENGINES; ++engine) {
        phxi_lists lists = {0};
        int nearest[65];
        REQUIRE_OK(phxi_search_create(&heap, engine, &search));
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < 3; ++k) {
                cloud c = random_cloud();
                phx_real* axes[] = {xs, ys, zs};
                axes[axis][137] = (phx_real)bad[k];
                ENSURE_RESULT(phxi_search_pairs(search, NULL, points_of(&c), NULL, 0.1, &lists), PHX_ERROR_ARGUMENT);
                ENSURE_MESSAGE("point 137 ");
                ENSURE_RESULT(phxi_search_nearest(search, NULL, points_of(&c), 1, nearest), PHX_ERROR_ARGUMENT);
                ENSURE_MESSAGE("point 137 ");
            }
        }
        cloud c = varied();
        radii[44] = (phx_real)NAN;
        ENSURE_RESULT(phxi_search_pairs(search, NULL, points_of(&c), radii, 0, &lists), PHX_ERROR_ARGUMENT);
        ENSURE_MESSAGE("point 44 ");
        const double bad_radii[] = {-1, NAN, INFINITY};
        for (int k = 0; k < 3; ++k) {
            ENSURE_RESULT(phxi_search_pairs(search, NULL, points_of(&c), NULL, bad_radii[k], &lists),
                          PHX_ERROR_ARGUMENT);
        }
        ENSURE_RESULT(phxi_search_nearest(search, NULL, points_of(&c), 65, nearest), PHX_ERROR_ARGUMENT);
        ENSURE_RESULT(phxi_search_nearest(search, NULL, points_of(&c), -1, nearest), PHX_ERROR_ARGUMENT);
        ENSURE_RESULT(phxi_search_pairs(search, NULL, (phxi_points){xs, ys, zs, -1}, NULL, 1, &lists),
                      PHX_ERROR_ARGUMENT);
        phxi_lists_destroy(&heap, &lists);
        phxi_search_destroy(search);
    }
    phxi_heap_destroy(&heap);
}
