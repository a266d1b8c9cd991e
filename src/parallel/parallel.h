// SPDX-License-Identifier: MIT
// Threads: a pool and one loop. Block bounds depend on count and grain alone, never on the number of threads, so any
// result that is written per item, or summed per block and then in block order, has the same bits at any thread count.
//
// The pool never waits for a thread that the system does not run: the caller works too, and a worker that is not awake
// by the time the blocks are gone is not waited for. (OpenMP's loops end in a barrier of all threads; on a machine that
// is busy with other work that was measured 20 times slower than one thread.)
#pragma once

#include "core/heap.h"

#define PHXI_SIMD _Pragma("omp simd")

enum { PHXI_MAX_THREADS = 1024 };

typedef struct phxi_pool phxi_pool;

/// After fork() the child may go on with a pool of its parent, unless a loop was running: new threads are started.
/// `threads` <= 0: one per processor this process may use. One thread starts none.
phx_result phxi_pool_create(phxi_heap* heap, int threads, phxi_pool** pool);
void phxi_pool_destroy(phxi_pool* pool);
int phxi_pool_threads(const phxi_pool* pool);

typedef void phxi_loop_body(void* context, int begin, int end, int block);

/// Calls body for blocks [b*grain, min((b+1)*grain, count)), on any thread, in any order; returns when all are done.
/// `pool` NULL: this thread alone. Not to be called from within a body. Allocates nothing.
void phxi_parallel_for(phxi_pool* pool, int count, int grain, phxi_loop_body* body, void* context);

/// Number of blocks that phxi_parallel_for makes.
static inline int phxi_block_count(int count, int grain) {
    return count / grain + (count % grain != 0);
}
