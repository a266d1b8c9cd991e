// SPDX-License-Identifier: MIT
// Breaking bodies beside F9 of docs/theory/fracture.md, all on one thread: what the search for overloaded particles
// adds to a whole body, what a shattering one spends on its cracks, the cost of rebuilding a row, and its surface.
#include "bench/bench_block.h"
#include "validate/trial.h"

#include <phyxel/surface.h>

#include <time.h>

enum { SIDE = 32, SMALL_SIDE = 16, STEPS = 150 };
static const double rate = 0.88; // 1/s, at which blocks are torn apart: about 1500 facets in 150 substeps

/// Of the processor, s: shattering happens once, and others may be using the machine.
static double busy(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static phx_result make(int side, bool breaks, phx_world** world) {
    phxi_bench_block block = phxi_bench_cube(side, 1);
    block.path = "rows";
    block.integrator = "velocity_verlet";
    block.strength = breaks ? 0.02 * block.young : 0;
    return phxi_bench_world(&block, world);
}

static phxi_efg_fracture* fracture_of(const phx_world* world) {
    return ((phxi_efg*)world->solvers.items[0].state)->slots.items[0].fracture;
}

/// Less is better; `reference` is the prototype's.
static void compare(phxi_bench* bench, const phx_world* world, const char* name, const char* unit, double measured,
                    double reference) {
    phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                               .particles = world->particles.count,
                                               .threads = 1,
                                               .unit = unit,
                                               .measured = measured,
                                               .against = "the prototype",
                                               .reference = reference,
                                               .ratio = reference / measured,
                                               .goal = 1});
}

// -------------------------------------------------------------------------------------------------------------- whole

static phx_result run_whole(phxi_bench* bench) {
    phx_world* worlds[2] = {NULL, NULL};
    double times[3];
    phx_result result = make(SIDE, true, &worlds[0]);
    if (result == PHX_OK) {
        result = make(SIDE, false, &worlds[1]);
    }
    if (result == PHX_OK) {
        result = phxi_bench_turns(worlds, 2, NULL, NULL, bench->def->seconds, times);
    }
    if (result == PHX_OK) {
        compare(bench, worlds[0], "whole body: what strength adds", "ns a particle",
                1e9 * fmax(0, times[0] - times[1]) / worlds[0]->particles.count, 50);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

// --------------------------------------------------------------------------------------------------------- shattering

/// Seconds of all substeps, and of what they spend on cracks. The stage is taken out of the method, and called here.
static phx_result shatter(phx_world* world, double* total, double* cracks) {
    phxi_solver* solver = &world->solvers.items[0];
    phxi_method bare = *solver->method;
    const phxi_method* whole = solver->method;
    phx_dt_info info;
    bare.adapt = NULL;
    solver->method = &bare;
    phxi_trial_explode(world, rate);
    phx_result result = phx_world_dt(world, &info);
    *total = *cracks = 0;
    for (int k = 0; k < STEPS && result == PHX_OK; ++k) {
        double begin = busy();
        result = phx_world_substep(world, info.dt);
        double middle = busy();
        if (result == PHX_OK) {
            phxi_step step = phxi_world_context(world, 0);
            result = whole->adapt(solver->state, &step, info.dt);
            phxi_arena_reset(&world->arena);
        }
        double end = busy();
        *total += end - begin;
        *cracks += end - middle;
    }
    solver->method = whole;
    return result;
}

/// Microseconds to rebuild one row, with its two energies.
static phx_result rebuild(phxi_bench* bench, phx_world* world, double* each) {
    phxi_efg_fracture* f = fracture_of(world);
    phxi_step step = phxi_world_context(world, 0);
    phxi_efg_crack_stage s = phxi_efg_crack_stage_of(world->solvers.items[0].state, &step, 0, 0);
    phx_result result = PHX_OK;
    *each = INFINITY;
    double start = busy();
    do {
        int count = 0;
        double begin = busy();
        for (int k = 0; k < f->scars.count; ++k) {
            phxi_efg_scar* scar = &f->scars.items[k];
            scar->dirty = scar->broken > 0;
            count += scar->dirty;
            scar->energy = scar->dirty ? phxi_efg_scar_energy(&s, scar, true) : 0;
        }
        result = phxi_efg_rebuild_scars(&s, true);
        *each = fmin(*each, 1e6 * (busy() - begin) / (count > 0 ? count : 1));
        phxi_arena_reset(&world->arena);
    } while (result == PHX_OK && busy() - start < bench->def->seconds / 4);
    return result;
}

static phx_result run_shattering(phxi_bench* bench) {
    phx_world* world = NULL;
    double total, cracks, each;
    phx_result result = make(SIDE, true, &world);
    if (result == PHX_OK) {
        result = shatter(world, &total, &cracks);
    }
    if (result == PHX_OK) {
        result = rebuild(bench, world, &each);
    }
    if (result == PHX_OK) {
        phxi_bench_report(bench, &(phx_bench_line){.name = "shattering: facets after 150 substeps",
                                                   .particles = world->particles.count,
                                                   .threads = 1,
                                                   .unit = "",
                                                   .measured = fracture_of(world)->facets.count,
                                                   .against = "the prototype",
                                                   .reference = 1451,
                                                   .ratio = NAN,
                                                   .goal = NAN});
        compare(bench, world, "shattering: cracks", "ms a substep", 1e3 * cracks / STEPS, 4.8);
        compare(bench, world, "shattering: all", "ms a substep", 1e3 * total / STEPS, 49);
        compare(bench, world, "a row rebuilt", "us", each, 4);
    }
    phx_world_destroy(world);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ surface

static phx_result draw(phxi_bench* bench, phx_world* world) {
    phx_crack_surface_def def = phx_crack_surface_def_default();
    double best = INFINITY, start = busy();
    int triangles = 0;
    do {
        phx_crack_surface* surface = NULL;
        phx_frame* frame = NULL;
        phx_result result = phx_crack_surface_create(world, &def, &surface);
        double begin = busy();
        if (result == PHX_OK) {
            result = phx_crack_surface_frame(surface, &frame);
        }
        best = fmin(best, busy() - begin);
        triangles = result == PHX_OK ? phx_frame_triangles(frame) : 0;
        phx_frame_destroy(frame);
        phx_crack_surface_destroy(surface);
        PHXI_TRY(result);
    } while (busy() - start < bench->def->seconds / 4);
    // the prototype: 3 to 12 ms for 5 to 16 thousand triangles
    compare(bench, world, "surface of cracks", "us a thousand triangles", 1e9 * best / fmax(1, triangles), 750);
    return PHX_OK;
}

static phx_result run_surface(phxi_bench* bench) {
    phx_world *world = NULL, *plain = NULL;
    double begin = busy(), total, cracks;
    phx_result result = make(SMALL_SIDE, false, &plain);
    double middle = busy();
    if (result == PHX_OK) {
        result = make(SMALL_SIDE, true, &world);
    }
    double end = busy();
    if (result == PHX_OK) {
        compare(bench, world, "cells of the surface, once", "ms", 1e3 * fmax(0, end - middle - (middle - begin)), 60);
        result = shatter(world, &total, &cracks);
    }
    if (result == PHX_OK) {
        result = draw(bench, world);
    }
    phx_world_destroy(world);
    phx_world_destroy(plain);
    return result;
}

phx_result phxi_bench_efg_fracture(phxi_bench* bench) {
    PHXI_TRY(run_surface(bench));
    if (bench->def->max_particles > 0 && bench->def->max_particles < SIDE * SIDE * SIDE) {
        return PHX_OK;
    }
    PHXI_TRY(run_whole(bench));
    return run_shattering(bench);
}
