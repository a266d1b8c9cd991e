// SPDX-License-Identifier: MIT
// Every benchmark runs and gives sane lines; how fast is for `phyxel bench` on a quiet machine.
#include "support/test.h"

#include <checks/check.h>

typedef struct tally {
    int lines, comparisons;
} tally;

static void check_line(void* context, const phx_bench_line* line) {
    tally* t = context;
    ++t->lines;
    t->comparisons += line->unit != NULL;
    ENSURE(line->section && line->name && line->threads >= 1 && line->particles <= 5000);
    if (strcmp(line->section, "efg.scaling") == 0 && line->unit) {
        ENSURE(isfinite(line->measured)); // a line through times of a busy machine may have any slope
    } else if (line->unit) {
        ENSURE(line->measured > 0 && line->ratio > 0);
    } else {
        bool surface = strncmp(line->name, "surface", 7) == 0; // has no pairs
        ENSURE(line->ns_per_particle > 0 && (surface || line->ns_per_pair > 0));
    }
}

static void run(const char* name, int max_particles, int lines, int comparisons) {
    tally t = {0};
    phx_bench_def def = phx_bench_def_default();
    def.name = name;
    def.seconds = 0.005;
    def.max_particles = max_particles;
    def.max_threads = 2;
    ENSURE_OK(phx_bench_run(&def, check_line, &t));
    ENSURE(t.lines == lines && t.comparisons == comparisons);
}

TEST(paths_are_sane) {
    run("efg.paths", 5000, 12, 6);
}
TEST(shapes_are_sane) {
    run("efg.shapes", 5000, 3, 3);
}
TEST(rows_of_the_thesis_are_sane) {
    run("efg.thesis", 5000, 7, 7);
}
TEST(real_time_is_sane) {
    run("efg.real_time", 1000, 10, 10);
}
TEST(budget_is_sane) {
    run("real_time", 64, 11, 11);
}
TEST(loops_of_peridynamics_are_sane) {
    run("peridynamics.loops", 2200, 6, 0);
}
TEST(scaling_is_sane) {
    run("efg.scaling", 5000, 2 + 2 + 8 + 1, 1); // two sizes are too few for a line
}
TEST(neighbors_are_sane) {
    run("neighbors", 5000, 8, 0);
}
TEST(surfaces_are_sane) {
    run("surface", 5000, 10, 0);
}

TEST(bad_arguments_are_refused) {
    tally lines = {0};
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

TEST(sections_have_names_and_titles) {
    for (int i = 0; i < phx_bench_section_count(); ++i) {
        const char* title = NULL;
        ENSURE(phx_bench_section(i, &title) && title);
    }
    ENSURE(!phx_bench_section(-1, NULL) && !phx_bench_section(phx_bench_section_count(), NULL));
}
