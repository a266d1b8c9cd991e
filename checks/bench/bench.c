// SPDX-License-Identifier: MIT
// Speed, as ratios within one run: the machines we meet are noisy, so the best of many short slices of the measured
// work and of the bare loop, taken in turns, are compared.
#include <checks/check.h>

#include "bench/bench.h"
#include "parallel/parallel.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BENCH_STAMP = 0x42454e31 };

static const struct {
    const char *name, *title;
    phx_result (*run)(phxi_bench* bench);
} sections[] = {
    {"efg.paths", "one substep of a block: by the lattice, by rows that share lists, by full lists",
     phxi_bench_efg_paths},
    {"efg.shapes", "one substep of bodies that fill their shape, against as many particles in the middle of cells",
     phxi_bench_efg_shapes},
    {"efg.thesis", "Stegmayr 2008, table 5.1: frames of 0.01 s a second, body-centred jelly of 0.5 m",
     phxi_bench_efg_thesis},
    {"efg.real_time", "the largest block of 0.5 m that keeps up with 60 frames a second", phxi_bench_efg_real_time},
    {"efg.implicit", "one bdf2 step of 1/60 s of a spinning block of 0.5 m", phxi_bench_efg_implicit},
    {"corotated_sph.implicit", "the same of corotated_sph", phxi_bench_corotated_implicit},
    {"efg.fracture", "bodies that break: what they cost whole, shattering, and drawn, beside F9 of the theory page",
     phxi_bench_efg_fracture},
    {"efg.scaling", "time of a substep against particles and against neighbours, with linear fits",
     phxi_bench_efg_scaling},
    {"contact", "two blocks that touch along a face; the share of a substep is that of contact", phxi_bench_contact},
    {"neighbors", "finding all pairs", phxi_bench_neighbors},
    {"heat", "heat among disordered particles: neighbours, conductances, one step; shares of the three",
     phxi_bench_heat},
    {"wcsph", "one substep of a block of water: all of it, its lists, its loops over pairs", phxi_bench_wcsph},
    {"granular",
     "one substep of a block of wet sand: all of it, its lists, its two loops over pairs and what is between",
     phxi_bench_granular},
    {"granular.implicit", "a column of sand that collapses: processor's time for a second of it, explicit and implicit",
     phxi_bench_granular_implicit},
    {"melt", "Paiva et al. 2006: time of an iteration at its four sizes; and 4 s of the largest", phxi_bench_melt},
    {"mpm", "one substep of a block of the material point method, and its stages", phxi_bench_mpm},
    {"mpm.dough", "a ball of dough is pressed, lifted and stretched: simulated seconds a second", phxi_bench_mpm_dough},
    {"mpm.implicit", "a stiff block that is struck: processor's time for a second of it, by longer steps",
     phxi_bench_mpm_implicit},
    {"mpm.obstacle", "water around a mesh, against the same as an ellipsoid: processor's time of a substep",
     phxi_bench_mpm_obstacle},
    {"corotated_sph", "Liu et al.: milliseconds a step at the five sizes of table I; what anisotropic kernels cost",
     phxi_bench_corotated},
    {"peridynamics.loops", "steps of 1/60 s of a spinning block: local steps, products of the global step, whole steps",
     phxi_bench_peridynamics},
    {"peridynamics.swing", "a jelly beam swings: how much of its time a second of a processor makes, at equal error",
     phxi_bench_swing},
    {"real_time",
     "the largest elastic, plastic, granular cube of 0.3 m on a floor that keeps up with 60 frames a second",
     phxi_bench_real_time},
    {"surface", "making a surface, and its stages", phxi_bench_surface},
    {"pictures", "a draft of 960x540 of sloshing water: its surface, and surface and picture together",
     phxi_bench_pictures},
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

int phx_bench_section_count(void) {
    return SECTION_COUNT;
}

const char* phx_bench_section(int i, const char** title) {
    if (i < 0 || i >= SECTION_COUNT) {
        return NULL;
    }
    if (title) {
        *title = sections[i].title;
    }
    return sections[i].name;
}

phx_bench_def phx_bench_def_default(void) {
    return (phx_bench_def){.seconds = 1, .stamp = BENCH_STAMP};
}

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double phxi_bench_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double phxi_bench_cpu_clock(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void phxi_bench_report(phxi_bench* bench, const phx_bench_line* line) {
    phx_bench_line complete = *line;
    complete.section = bench->section;
    bench->report(bench->context, &complete);
}

phx_result phxi_bench_threads(phxi_bench* bench, int* threads) {
    phxi_pool* pool = NULL;
    PHXI_TRY(phxi_pool_create(bench->heap, bench->def->max_threads, &pool));
    *threads = phxi_pool_threads(pool);
    phxi_pool_destroy(pool);
    return PHX_OK;
}

// A section is chosen by its name, or by the part of it before a dot.
static bool chosen(const char* section, const char* name) {
    size_t length = name ? strlen(name) : 0;
    return !name || (strncmp(section, name, length) == 0 && (section[length] == 0 || section[length] == '.'));
}

/// There is no such section: names those that there are.
static phx_result no_section(const char* name) {
    char names[1024] = "";
    size_t length = 0;
    for (int i = 0; i < SECTION_COUNT && length < sizeof names; ++i) {
        int more = snprintf(names + length, sizeof names - length, "%s%s",
                            i == 0                  ? ""
                            : i + 1 < SECTION_COUNT ? ", "
                                                    : " or ",
                            sections[i].name);
        length += more > 0 ? (size_t)more : 0;
    }
    return phxi_fail(PHX_ERROR_ARGUMENT, "there is no benchmark '%s', expected %s, or the part before a dot", name,
                     names);
}

phx_result phx_bench_run(const phx_bench_def* def, void (*report)(void* context, const phx_bench_line* line),
                         void* context) {
    if (!def || def->stamp != BENCH_STAMP || !report) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "benchmark: expected a definition from phx_bench_def_default() and a report function");
    }
    if (!(def->seconds > 0) || def->seconds > 3600 || def->max_particles < 0 || def->max_threads < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "benchmark: %g s, %d particles, %d threads: expected 0 < s <= 3600, others 0 or more",
                         def->seconds, def->max_particles, def->max_threads);
    }
    bool found = false;
    for (int i = 0; i < SECTION_COUNT; ++i) {
        if (!chosen(sections[i].name, def->name)) {
            continue;
        }
        found = true;
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phxi_bench bench = {def, &heap, report, context, sections[i].name};
        phx_result result = sections[i].run(&bench);
        phxi_heap_destroy(&heap);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "benchmark %s", sections[i].name);
        }
    }
    return found ? PHX_OK : no_section(def->name);
}
