// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "parallel/parallel.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 10007 };
static const int thread_counts[] = {1, 2, 3, 8};

static void pause_for(int microseconds) {
    nanosleep(&(struct timespec){.tv_nsec = 1000L * microseconds}, NULL);
}

typedef struct visits {
    int count, grain;
    unsigned char seen[ITEMS];
    atomic_int bad_blocks;
} visits;

static void visit(void* context, int begin, int end, int block) {
    visits* v = context;
    int wanted_end = v->count - begin < v->grain ? v->count : begin + v->grain;
    if (begin != block * v->grain || end != wanted_end || begin >= end) {
        atomic_fetch_add(&v->bad_blocks, 1);
    }
    for (int i = begin; i < end; ++i) {
        ++v->seen[i];
    }
}

static void ensure_every_index_once(phxi_pool* pool, int count, int grain) {
    static _Thread_local visits v;
    memset(v.seen, 0, sizeof v.seen);
    v.count = count;
    v.grain = grain;
    atomic_store(&v.bad_blocks, 0);
    phxi_parallel_for(pool, count, grain, visit, &v);
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        wrong += v.seen[i] != 1;
    }
    ENSURE(wrong == 0 && atomic_load(&v.bad_blocks) == 0);
}

TEST(every_index_once) {
    static const int counts[] = {0, 1, 2, 3, 63, 64, 65, 1000, ITEMS};
    static const int grains[] = {1, 2, 7, 64, 1000, ITEMS, INT_MAX};
    for (int t = 0; t < 4; ++t) {
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phxi_pool* pool;
        REQUIRE_OK(phxi_pool_create(&heap, thread_counts[t], &pool));
        ENSURE(phxi_pool_threads(pool) == thread_counts[t]);
        int64_t allocations = heap.allocations;
        for (int c = 0; c < 9; ++c) {
            for (int g = 0; g < 7; ++g) {
                ensure_every_index_once(pool, counts[c], grains[g]);
                ensure_every_index_once(NULL, counts[c], grains[g]);
            }
        }
        ENSURE(heap.allocations == allocations);
        phxi_pool_destroy(pool);
        ENSURE(heap.live_bytes == 0);
        phxi_heap_destroy(&heap);
    }
}

static void add_one(void* context, int begin, int end, int block) {
    (void)block;
    for (int i = begin; i < end; ++i) {
        ++((int*)context)[i];
    }
}

static void run_tiny_loops(int threads, int loops) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool* pool;
    REQUIRE_OK(phxi_pool_create(&heap, threads, &pool));
    int items[16] = {0}, wanted = 0;
    for (int i = 0; i < loops; ++i) {
        int count = 1 + i % 16;
        phxi_parallel_for(pool, count, 1 + i % 3, add_one, items);
        wanted += count == 16;
        if (i % 1000 == 0) {
            pause_for(200); // lets the workers fall asleep, so that waking is tried too
        }
    }
    ENSURE(items[15] == wanted);
    ENSURE(items[0] == loops);
    phxi_pool_destroy(pool);
    phxi_heap_destroy(&heap);
}

TEST(ten_thousand_tiny_loops) {
    for (int t = 0; t < 4; ++t) {
        run_tiny_loops(thread_counts[t], 10000);
    }
}

static void* run_pool_of_two(void* context) {
    (void)context;
    run_tiny_loops(2, 5000);
    return NULL;
}

TEST(two_pools_in_two_threads) {
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, run_pool_of_two, NULL) == 0);
    run_tiny_loops(3, 5000);
    pthread_join(other, NULL);
}

typedef struct block_sums {
    const float* items;
    double sums[ITEMS / 100 + 1];
} block_sums;

static void sum_block(void* context, int begin, int end, int block) {
    block_sums* sums = context;
    float sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += sums->items[i];
    }
    sums->sums[block] = (double)sum;
}

TEST(ordered_block_sum_has_the_same_bits) {
    static float items[ITEMS];
    uint64_t state = 1;
    for (int i = 0; i < ITEMS; ++i) {
        items[i] = (float)(phxt_random(&state) * pow(10, 8 * phxt_random(&state)));
    }
    double first = 0;
    for (int t = 0; t < 4; ++t) {
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phxi_pool* pool;
        REQUIRE_OK(phxi_pool_create(&heap, thread_counts[t], &pool));
        for (int repeat = 0; repeat < 20; ++repeat) {
            block_sums sums = {.items = items};
            phxi_parallel_for(pool, ITEMS, 100, sum_block, &sums);
            double total = 0;
            for (int b = 0; b < phxi_block_count(ITEMS, 100); ++b) {
                total += sums.sums[b];
            }
            first = t == 0 && repeat == 0 ? total : first;
            ENSURE(memcmp(&total, &first, sizeof total) == 0);
        }
        phxi_pool_destroy(pool);
        phxi_heap_destroy(&heap);
    }
}

static void sleep_in_block(void* context, int begin, int end, int block) {
    (void)begin, (void)end, (void)block;
    pause_for(1000); // both sides stop spinning and sleep
    atomic_fetch_add((atomic_int*)context, 1);
}

TEST(long_blocks_put_the_caller_to_sleep) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool* pool;
    REQUIRE_OK(phxi_pool_create(&heap, 4, &pool));
    for (int i = 0; i < 40; ++i) {
        atomic_int calls = 0;
        int blocks = 2 + i % 7;
        phxi_parallel_for(pool, blocks, 1, sleep_in_block, &calls);
        ENSURE(atomic_load(&calls) == blocks);
    }
    phxi_pool_destroy(pool);
    phxi_heap_destroy(&heap);
}

TEST(create_and_destroy_in_a_row) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    for (int i = 0; i < 200; ++i) {
        phxi_pool* pool;
        REQUIRE_OK(phxi_pool_create(&heap, 1 + i % 5, &pool));
        int items[4] = {0};
        phxi_parallel_for(pool, i % 5, 1, add_one, items);
        phxi_pool_destroy(pool);
    }
    phxi_pool_destroy(NULL);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(thread_counts) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool* pool;
    REQUIRE_OK(phxi_pool_create(&heap, 0, &pool));
    ENSURE(phxi_pool_threads(pool) >= 1);
    ENSURE(phxi_pool_threads(pool) <= sysconf(_SC_NPROCESSORS_CONF));
    phxi_pool_destroy(pool);
    REQUIRE_OK(phxi_pool_create(&heap, -5, &pool));
    phxi_pool_destroy(pool);
    ENSURE_RESULT(phxi_pool_create(&heap, 1000000, &pool), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("1000000 threads");
    ENSURE(pool == NULL && phxi_pool_threads(NULL) == 1);
    phxi_heap_destroy(&heap);
}

TEST(block_count_has_no_overflow) {
    ENSURE(phxi_block_count(0, 5) == 0);
    ENSURE(phxi_block_count(1, 5) == 1);
    ENSURE(phxi_block_count(10, 5) == 2);
    ENSURE(phxi_block_count(11, 5) == 3);
    ENSURE(phxi_block_count(INT_MAX, INT_MAX) == 1);
    ENSURE(phxi_block_count(INT_MAX, 1) == INT_MAX);
}

TEST(survives_failing_allocation) {
    for (int n = 0; n < 3; ++n) {
        phxt_heap counting;
        phxt_heap_init(&counting, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &counting.allocator);
        phxi_pool* pool;
        phx_result result = phxi_pool_create(&heap, 2, &pool);
        ENSURE(result == (n < 2 ? PHX_ERROR_MEMORY : PHX_OK));
        phxi_pool_destroy(pool);
        ENSURE(counting.live == 0);
        phxi_heap_destroy(&heap);
    }
}

TEST(a_child_has_threads_of_its_own) {
#ifndef PHXI_SANITIZED // whose own threads and locks do not outlive a fork
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool *used = NULL, *unused = NULL;
    REQUIRE_OK(phxi_pool_create(&heap, 3, &used));
    REQUIRE_OK(phxi_pool_create(&heap, 3, &unused));
    ensure_every_index_once(used, ITEMS, 7);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20); // a lost wake-up would wait for ever
        static _Thread_local visits v;
        v.count = ITEMS;
        v.grain = 7;
        phxi_parallel_for(used, ITEMS, 7, visit, &v);
        int wrong = atomic_load(&v.bad_blocks) + (phxi_pool_threads(used) != 3);
        for (int i = 0; i < ITEMS; ++i) {
            wrong += v.seen[i] != 1;
        }
        phxi_pool_destroy(used);
        phxi_pool_destroy(unused);
        _exit(wrong == 0 ? 0 : 1);
    }
    int status = -1;
    ENSURE(waitpid(child, &status, 0) == child && status == 0);
    ensure_every_index_once(used, ITEMS, 7);
    phxi_pool_destroy(used);
    phxi_pool_destroy(unused);
    phxi_heap_destroy(&heap);
#endif
}
