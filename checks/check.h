// SPDX-License-Identifier: MIT
/// Known answers and speed: what `phyxel validate` and `phyxel bench` print.
#pragma once

#include <phyxel/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One measured quantity of a case.
typedef struct phx_check {
    const char* name;                     ///< "efg.patch"
    const char* quantity;                 ///< "max |F - (I+L)|, cubic"
    double measured, exact, error, bound; ///< pass: error <= bound
    bool pass;
} phx_check;

typedef struct phx_check_case {
    const char* name;
    const char* summary; ///< one line
    bool slow;           ///< takes minutes: run only when it is named
} phx_check_case;
int phx_check_case_count(void);
const phx_check_case* phx_check_case_at(int i);
/// Runs case `i`, calling `report` for each of its quantities. PHX_OK also when checks do not pass.
phx_result phx_check_run(int i, int threads, void (*report)(void* context, const phx_check* check), void* context);

/// One line of the benchmark: a speed, or with a `unit` a comparison of two numbers of one run.
typedef struct phx_bench_line {
    const char* section;           ///< "efg.paths"
    const char* name;              ///< "lattice"
    int particles, pairs, threads; ///< pairs: 0 where there are none
    double ns_per_particle;        ///< of one substep
    double ns_per_pair;
    double x_limit;          ///< time over two passes of a bare loop over the same lists (load, gather, multiply-add)
    double speedup;          ///< against one thread; 1 on one
    int triangles;           ///< made, for surfaces; 0 elsewhere
    double share;            ///< of the whole's time, for stages of a whole; NaN elsewhere
    const char* unit;        ///< of a comparison; NULL: a speed
    double measured;         ///< in that unit
    const char* against;     ///< what it is compared with; NULL: nothing
    double reference, ratio; ///< NaN: none
    double goal;             ///< the ratio should be at least this; NaN: there is no goal
} phx_bench_line;
typedef struct phx_bench_def {
    const char* name;  ///< which: a section, or what its name begins with ("efg"); NULL: all
    double seconds;    ///< about this long a line; 1
    int max_particles; ///< leave out larger ones; 0: none
    int max_threads;   ///< 0: one per processor
    uint32_t stamp;
} phx_bench_def;
int phx_bench_section_count(void);
/// Name of section `i` and what it measures.
const char* phx_bench_section(int i, const char** title);
phx_bench_def phx_bench_def_default(void);
phx_result phx_bench_run(const phx_bench_def* def, void (*report)(void* context, const phx_bench_line* line),
                         void* context);

#ifdef __cplusplus
}
#endif
