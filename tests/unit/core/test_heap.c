// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "core/arena.h"
#include "core/array.h"
#include "core/heap.h"
#include "core/id_pool.h"

#include <limits.h>
#include <pthread.h>

TEST(blocks_are_aligned_and_counted) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    size_t bytes = 0;
    for (size_t size = 0; size < 300; ++size) {
        char* memory = phxi_alloc(&heap, size, 3, "sizes");
        REQUIRE(memory);
        ENSURE((uintptr_t)memory % 64 == 0);
        memset(memory, 0x5A, 3 * size);
        bytes += 3 * size;
        ENSURE(heap.live_bytes == bytes && heap.peak_bytes == bytes);
    }
    ENSURE(heap.allocations == 300);
    phxi_heap_destroy(&heap); // frees what is left
    ENSURE(heap.live_bytes == 0 && heap.blocks == NULL);
}

TEST(zero_free_realloc_strdup) {
    phxt_heap counting;
    phxt_heap_init(&counting, -1);
    phxi_heap heap;
    phxi_heap_init(&heap, &counting.allocator);
    unsigned char* bytes = phxi_alloc_zero(&heap, 1000, 1, "zeros");
    REQUIRE(bytes);
    int sum = 0;
    for (int i = 0; i < 1000; ++i) {
        sum += bytes[i];
        bytes[i] = (unsigned char)i;
    }
    ENSURE(sum == 0);
    bytes = phxi_realloc(&heap, bytes, 2000, 1, "zeros");
    REQUIRE(bytes);
    ENSURE(bytes[999] == (unsigned char)999);
    bytes = phxi_realloc(&heap, bytes, 10, 1, "zeros");
    REQUIRE(bytes);
    ENSURE(bytes[9] == 9 && heap.live_bytes == 10 && heap.peak_bytes == 3000);
    ENSURE(phxi_realloc(&heap, bytes, SIZE_MAX, 2, "zeros") == NULL);
    ENSURE(bytes[9] == 9);
    phxi_free(&heap, bytes);
    phxi_free(&heap, NULL);
    char* text = phxi_strdup(&heap, "soft", "text");
    ENSURE(text && strcmp(text, "soft") == 0);
    phxi_free(&heap, text);
    ENSURE(counting.live == 0);
    phxi_heap_destroy(&heap);
}

TEST(overflow_and_exhaustion_are_errors) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    ENSURE(phxi_alloc(&heap, SIZE_MAX, 2, "mountains") == NULL);
    ENSURE_MESSAGE("mountains");
    ENSURE(phxi_alloc(&heap, SIZE_MAX, 1, "seas") == NULL);
    ENSURE_MESSAGE("seas");
    ENSURE(phxi_alloc_zero(&heap, SIZE_MAX / 2 + 1, 2, "skies") == NULL);
    phxi_heap_destroy(&heap);
    phxt_heap counting;
    phxt_heap_init(&counting, 1);
    phxi_heap_init(&heap, &counting.allocator);
    void* first = phxi_alloc(&heap, 1, 1, "one");
    ENSURE(first && phxi_alloc(&heap, 1, 1, "two") == NULL);
    ENSURE_MESSAGE("two");
    ENSURE(phxi_realloc(&heap, first, 2, 1, "three") == NULL);
    ENSURE(heap.live_bytes == 1 && heap.allocations == 1);
    phxi_heap_destroy(&heap);
    ENSURE(counting.live == 0);
}

static void* misaligned_alloc(void* context, size_t size, const char* label) {
    (void)label;
    char* block = aligned_alloc(64, (size + 127) / 64 * 64);
    *(void**)context = block;
    return block ? block + 16 : NULL;
}

static void misaligned_free(void* context, void* memory) {
    (void)memory;
    free(*(void**)context);
}

TEST(misaligned_allocator_is_refused) {
    void* block = NULL;
    phx_allocator allocator = {misaligned_alloc, misaligned_free, &block};
    phxi_heap heap;
    phxi_heap_init(&heap, &allocator);
    ENSURE(phxi_alloc(&heap, 10, 1, "bricks") == NULL);
    ENSURE_MESSAGE("aligned");
    phxi_heap_destroy(&heap);
}

static void list_label(void* context, const char* label, size_t bytes, int blocks) {
    char* text = context;
    size_t used = strlen(text);
    snprintf(text + used, 200 - used, "%s:%zu/%d ", label, bytes, blocks);
}

TEST(visit_sums_by_label_in_order) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    char text[200] = "";
    phxi_heap_visit(&heap, list_label, text);
    ENSURE(text[0] == 0);
    phxi_alloc(&heap, 3, 1, "pears");
    char other_apples[] = "apples"; // the same label at another address
    phxi_alloc(&heap, 5, 1, "apples");
    phxi_alloc(&heap, 7, 1, other_apples);
    void* plums = phxi_alloc(&heap, 1, 1, "plums");
    phxi_alloc(&heap, 0, 1, "figs");
    phxi_free(&heap, plums);
    phxi_heap_visit(&heap, list_label, text);
    ENSURE(strcmp(text, "apples:12/2 figs:0/1 pears:3/1 ") == 0);
    phxi_heap_destroy(&heap);
}

static void* churn(void* context) {
    phxi_heap* heap = context;
    void* memory[8] = {0};
    for (int i = 0; i < 4000; ++i) {
        phxi_free(heap, memory[i % 8]);
        memory[i % 8] = phxi_alloc(heap, (size_t)(i % 50), 1, "churn");
    }
    for (int i = 0; i < 8; ++i) {
        phxi_free(heap, memory[i]);
    }
    return NULL;
}

TEST(threads_share_a_heap) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) {
        REQUIRE(pthread_create(&threads[i], NULL, churn, &heap) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        pthread_join(threads[i], NULL);
    }
    ENSURE(heap.live_bytes == 0 && heap.blocks == NULL && heap.allocations == 12000);
    phxi_heap_destroy(&heap);
}

TEST(arena_allocates_nothing_once_warm) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_arena arena;
    phxi_arena_init(&arena, &heap, "scratch");
    int64_t warm = 0;
    for (int step = 0; step < 5; ++step) {
        for (int i = 1; i < 200; ++i) {
            char* memory = phxi_arena_take(&arena, (size_t)(i * 37), 13);
            REQUIRE(memory);
            ENSURE((uintptr_t)memory % 64 == 0);
            memset(memory, i, (size_t)(i * 37 * 13));
        }
        phxi_arena_reset(&arena);
        warm = step == 0 ? heap.allocations : warm;
    }
    ENSURE(heap.allocations == warm);
    ENSURE(arena.total == 0 && arena.high_water > 0);
    ENSURE(heap.live_bytes <= arena.high_water + 64); // one chunk is left
    phxi_arena_destroy(&arena);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(arena_blocks_do_not_overlap) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_arena arena;
    phxi_arena_init(&arena, &heap, "scratch");
    unsigned char* blocks[100];
    for (int i = 0; i < 100; ++i) {
        blocks[i] = phxi_arena_take(&arena, (size_t)(i * i), 1);
        REQUIRE(blocks[i]);
        memset(blocks[i], i, (size_t)(i * i));
    }
    for (int i = 1; i < 100; ++i) {
        ENSURE(blocks[i][0] == i && blocks[i][i * i - 1] == i);
    }
    phxi_arena_destroy(&arena);
    phxi_heap_destroy(&heap);
}

TEST(arena_survives_failing_allocation) {
    for (int n = 0; n < 4; ++n) {
        phxt_heap counting;
        phxt_heap_init(&counting, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &counting.allocator);
        phxi_arena arena;
        phxi_arena_init(&arena, &heap, "scratch");
        for (int i = 0; i < 3; ++i) {
            bool good = phxi_arena_take(&arena, 1 << 17, (size_t)(i + 1)) != NULL;
            ENSURE(good == (i < n));
        }
        ENSURE(phxi_arena_take(&arena, SIZE_MAX, 8) == NULL);
        ENSURE_MESSAGE("scratch");
        phxi_arena_reset(&arena); // cannot have its one chunk when n is 2 or 3
        ENSURE((phxi_arena_take(&arena, 64, 1) != NULL) == (n == 1));
        phxi_arena_destroy(&arena);
        phxi_heap_destroy(&heap);
        ENSURE(counting.live == 0);
    }
}

TEST(array_grows) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    PHXI_ARRAY(int) ids = {0};
    for (int i = 0; i < 100000; ++i) {
        int* slot = phxi_array_add(&ids, &heap, "ids");
        REQUIRE(slot);
        *slot = i;
    }
    int wrong = 0;
    for (int i = 0; i < ids.count; ++i) {
        wrong += ids.items[i] != i;
    }
    ENSURE(wrong == 0 && ids.count == 100000 && heap.allocations < 40);
    ENSURE(phxi_array_reserve(&ids, 0, &heap, "ids"));
    ENSURE(!phxi_array_reserve(&ids, INT_MAX, &heap, "ids"));
    ENSURE_MESSAGE("ids");
    ENSURE(ids.count == 100000 && ids.items[99999] == 99999);
    phxi_array_destroy(&ids, &heap);
    ENSURE(!ids.items && ids.count == 0 && ids.capacity == 0 && heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(array_is_unchanged_when_memory_ends) {
    phxt_heap counting;
    phxt_heap_init(&counting, 1);
    phxi_heap heap;
    phxi_heap_init(&heap, &counting.allocator);
    PHXI_ARRAY(double) values = {0};
    double* slot = NULL;
    while ((slot = phxi_array_add(&values, &heap, "values"))) {
        *slot = values.count;
    }
    ENSURE_MESSAGE("values");
    ENSURE(values.count == values.capacity && values.count >= 8 && values.items[7] == 8);
    phxi_array_destroy(&values, &heap);
    ENSURE(counting.live == 0);
    phxi_heap_destroy(&heap);
}

TEST(ids_notice_what_is_gone) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_id_pool pool = {0};
    ENSURE(!phxi_id_valid(&pool, 0, 0) && !phxi_id_valid(&pool, 0, 1) && !phxi_id_valid(&pool, -1, 1));
    int a, b, c;
    uint32_t ga, gb, gc;
    REQUIRE_OK(phxi_id_take(&pool, &heap, "ids", &a, &ga));
    REQUIRE_OK(phxi_id_take(&pool, &heap, "ids", &b, &gb));
    ENSURE(a != b && phxi_id_valid(&pool, a, ga) && phxi_id_valid(&pool, b, gb));
    ENSURE(!phxi_id_valid(&pool, 2, 1) && !phxi_id_valid(&pool, a, 0) && !phxi_id_valid(&pool, a, ga + 2));
    phxi_id_give(&pool, a);
    phxi_id_give(&pool, a); // twice does no harm
    phxi_id_give(&pool, -1);
    phxi_id_give(&pool, 99);
    ENSURE(!phxi_id_valid(&pool, a, ga) && !phxi_id_valid(&pool, a, ga + 1) && phxi_id_valid(&pool, b, gb));
    REQUIRE_OK(phxi_id_take(&pool, &heap, "ids", &c, &gc));
    ENSURE(c == a && gc != ga && phxi_id_valid(&pool, c, gc) && !phxi_id_valid(&pool, a, ga));
    pool.generations.items[c] = UINT32_MAX; // the last one of its slot
    phxi_id_give(&pool, c);
    int d;
    uint32_t gd;
    REQUIRE_OK(phxi_id_take(&pool, &heap, "ids", &d, &gd));
    ENSURE(d != c);
    phxi_id_pool_destroy(&pool, &heap);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(ids_survive_failing_allocation) {
    for (int n = 0; n < 8; ++n) {
        phxt_heap counting;
        phxt_heap_init(&counting, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &counting.allocator);
        phxi_id_pool pool = {0};
        int index, taken = 0;
        uint32_t generation;
        while (taken < 30 && phxi_id_take(&pool, &heap, "ids", &index, &generation) == PHX_OK) {
            ++taken;
        }
        ENSURE(pool.generations.count == taken);
        for (int i = 0; i < taken; ++i) {
            phxi_id_give(&pool, i); // needs no memory
        }
        ENSURE(pool.free_slots.count == taken);
        phxi_id_pool_destroy(&pool, &heap);
        ENSURE(counting.live == 0);
        phxi_heap_destroy(&heap);
    }
}
