// SPDX-License-Identifier: MIT
// Every benchmark runs and gives sane lines; how fast is for `phyxel bench` on a quiet machine.
#include "support/test.h"

static void check_line(void* context, const phx_bench_line* line) {
    int* lines = context;
    ++*lines;
    bool surface = strncmp(line->name, "surface", 7) == 0; // has no pairs
    ENSURE(line->particles == 4096 && (surface || line->pairs > 20 * line->particles));
    ENSURE(line->ns_per_particle > 0 && (surface || line->ns_per_pair > 0) && line->speedup > 0);
}

TEST(lines_are_sane) {
    int lines = 0;
    phx_bench_def def = phx_bench_def_default();
    def.seconds = 0.01;
    def.max_particles = 5000;
    def.max_threads = 2;
    ENSURE_OK(phx_bench_run(&def, check_line, &lines));
    ENSURE(lines == 6 + 10); // the surface has four stages
}

TEST(bad_arguments_are_refused) {
    int lines = 0;
    phx_bench_def def = phx_bench_def_default();
    def.name = "nothing";
    ENSURE_RESULT(phx_bench_run(&def, check_line, &lines), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("efg");
    def.name = NULL;
    def.seconds = -1;
    ENSURE_RESULT(phx_bench_run(&def, check_line, &lines), PHX_ERROR_ARGUMENT);
    phx_bench_def none = {0};
    ENSURE_RESULT(phx_bench_run(&none, check_line, &lines), PHX_ERROR_ARGUMENT);
}
