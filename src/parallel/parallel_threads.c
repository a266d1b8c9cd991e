// SPDX-License-Identifier: MIT
// A pool of POSIX threads that share the blocks of one loop at a time.
//
// The whole state of a loop is one number, `span`: the first block that is not taken yet and the one behind the last.
// Who moves one of its ends inwards owns the block there, and the loop cannot end before that block is done; so the
// fields that describe the loop are read only after a block was taken, and a worker that comes late, to no loop or to a
// later one, can do no harm: it takes a block of the loop that runs now, or none. The caller takes blocks from the
// front, the first worker from the back, and so on by turns: in loop after loop over the same particles a thread finds
// most of its data in its own cache. `unfinished` counts blocks that are not done; the caller works until none is left
// to take and then waits for blocks that are being worked on, never for a thread that has none.
//
// Both sides spin for some microseconds before they sleep, since a step is a row of short loops. Going to sleep is
// announced before the condition is looked at again, and the other side sets the condition before it looks for
// sleepers (both sequentially consistent): one of the two sees the other, so no wake-up is lost.
//
// A process made by fork() has the pool but none of its threads. The first loop there starts new ones.
#define _GNU_SOURCE // sched_getaffinity
#include "parallel/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SPINS = 400, CACHE_LINE = 64, SHARES = 3 };

struct phxi_pool {
    _Alignas(CACHE_LINE) _Atomic uint64_t span; // front | back << 32; none left where they are equal
    _Alignas(CACHE_LINE) atomic_int unfinished;
    _Alignas(CACHE_LINE) atomic_int sleepers; // workers that are, or soon will be, waiting for `work`
    atomic_int arrived;                       // workers that have begun
    atomic_bool caller_sleeps;
    atomic_bool quit;
    // The loop; read by those who own a block of it.
    phxi_loop_body* body;
    void* context;
    int count, grain, blocks;

    phxi_heap* heap;
    pthread_t* workers;
    int worker_count;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    int fork; // `forks` when the workers were started
};

static atomic_int forks; // that this process has come from, since the first pool was made

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_block(phxi_loop_body* body, void* context, int count, int grain, int block) {
    int begin = block * grain; // below count, so it does not overflow; the end might
    int end = count - begin > grain ? begin + grain : count;
    body(context, begin, end, block);
}

static bool any_left(uint64_t span) {
    return (uint32_t)span != span >> 32;
}

// A share of what is left: many blocks at first, since to take some costs a round of the cache line between processors,
// and single ones in the end, so that all get done at the same time.
static uint32_t share_of(const phxi_pool* pool, uint64_t span) {
    uint32_t share = ((uint32_t)(span >> 32) - (uint32_t)span) / (SHARES * (uint32_t)(pool->worker_count + 1));
    return share > 0 ? share : 1;
}

// Works while there are blocks to take.
static void take_blocks(phxi_pool* pool, bool from_back) {
    uint64_t span = atomic_load_explicit(&pool->span, memory_order_acquire);
    while (any_left(span)) {
        uint32_t taken = share_of(pool, span);
        uint64_t rest = from_back ? span - ((uint64_t)taken << 32) : span + taken;
        if (!atomic_compare_exchange_weak_explicit(&pool->span, &span, rest, memory_order_acquire,
                                                   memory_order_acquire)) {
            continue;
        }
        int first = (int)(from_back ? rest >> 32 : (uint32_t)span);
        for (int k = 0; k < (int)taken; ++k) {
            // outwards in, as the next ones
            int block = from_back ? first + (int)taken - 1 - k : first + k;
            run_block(pool->body, pool->context, pool->count, pool->grain, block);
        }
        if (atomic_fetch_sub(&pool->unfinished, (int)taken) == (int)taken && atomic_load(&pool->caller_sleeps)) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
        span = atomic_load_explicit(&pool->span, memory_order_acquire);
    }
}

static void await_work(phxi_pool* pool) {
    for (int i = 0; i < SPINS; ++i) {
        if (any_left(atomic_load_explicit(&pool->span, memory_order_relaxed))) {
            return;
        }
        relax();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!any_left(atomic_load(&pool->span)) && !atomic_load(&pool->quit)) {
        pthread_cond_wait(&pool->work, &pool->mutex);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void* run_worker(void* argument) {
    phxi_pool* pool = argument;
    bool from_back = atomic_fetch_add(&pool->arrived, 1) % 2 == 0;
    while (!atomic_load(&pool->quit)) {
        take_blocks(pool, from_back);
        await_work(pool);
    }
    return NULL;
}

static void wake_workers(phxi_pool* pool, int wanted) {
    int sleepers = atomic_load(&pool->sleepers);
    if (sleepers == 0) {
        return;
    }
    // Who looked at `span` before it was set holds the mutex until it sleeps; after this pair it can be woken.
    pthread_mutex_lock(&pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    if (wanted >= sleepers) {
        pthread_cond_broadcast(&pool->work);
    } else {
        for (int i = 0; i < wanted; ++i) {
            pthread_cond_signal(&pool->work);
        }
    }
}

static void await_blocks(phxi_pool* pool) {
    for (int i = 0; i < SPINS; ++i) {
        if (atomic_load(&pool->unfinished) == 0) {
            return;
        }
        relax();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->unfinished) != 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

static void start_again(phxi_pool* pool);

void phxi_parallel_for(phxi_pool* pool, int count, int grain, phxi_loop_body* body, void* context) {
    PHXI_ASSERT(grain > 0);
    if (count <= 0) {
        return;
    }
    int blocks = phxi_block_count(count, grain);
    if (!pool || pool->worker_count == 0 || blocks == 1) {
        for (int block = 0; block < blocks; ++block) {
            run_block(body, context, count, grain, block);
        }
        return;
    }
    if (pool->fork != atomic_load_explicit(&forks, memory_order_relaxed)) {
        start_again(pool);
    }
    pool->body = body;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    pool->blocks = blocks;
    atomic_store(&pool->unfinished, blocks);
    atomic_store(&pool->span, (uint64_t)blocks << 32);
    wake_workers(pool, blocks - 1);
    take_blocks(pool, false);
    await_blocks(pool);
}

static int processor_count(void) {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return CPU_COUNT(&allowed);
    }
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > PHXI_MAX_THREADS ? PHXI_MAX_THREADS : (int)count;
}

// Signals are for the program's own threads. Fewer workers than asked for are as good: the results are the same.
static void start_workers(phxi_pool* pool, int wanted) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->worker_count < wanted &&
           pthread_create(&pool->workers[pool->worker_count], NULL, run_worker, pool) == 0) {
        ++pool->worker_count;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void begin(phxi_pool* pool, int wanted) {
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->fork = atomic_load(&forks);
    start_workers(pool, wanted);
}

// After a fork: what other threads held or waited for is of no use here.
static void start_again(phxi_pool* pool) {
    int wanted = pool->worker_count;
    pool->worker_count = 0;
    atomic_store(&pool->span, 0);
    atomic_store(&pool->unfinished, 0);
    atomic_store(&pool->sleepers, 0);
    atomic_store(&pool->arrived, 0);
    atomic_store(&pool->caller_sleeps, false);
    begin(pool, wanted);
}

static void count_fork(void) {
    atomic_fetch_add(&forks, 1);
}

static void listen_for_forks(void) {
    pthread_atfork(NULL, NULL, count_fork);
}

phx_result phxi_pool_create(phxi_heap* heap, int threads, phxi_pool** pool) {
    *pool = NULL;
    if (threads > PHXI_MAX_THREADS) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%d threads, expected at most %d", threads, PHXI_MAX_THREADS);
    }
    threads = threads > 0 ? threads : processor_count();
    phxi_pool* made = phxi_alloc_zero(heap, 1, sizeof *made, "thread pool");
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    made->workers = phxi_alloc(heap, (size_t)threads, sizeof *made->workers, "thread pool");
    if (!made->workers) {
        phxi_free(heap, made);
        return PHX_ERROR_MEMORY;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listen_for_forks);
    begin(made, threads - 1);
    *pool = made;
    return PHX_OK;
}

static void stop_workers(phxi_pool* pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->worker_count; ++i) {
        pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
}

void phxi_pool_destroy(phxi_pool* pool) {
    if (!pool) {
        return;
    }
    if (pool->fork == atomic_load(&forks)) { // else they are threads of another process
        stop_workers(pool);
    }
    phxi_free(pool->heap, pool->workers);
    phxi_free(pool->heap, pool);
}

int phxi_pool_threads(const phxi_pool* pool) {
    return pool ? pool->worker_count + 1 : 1;
}
