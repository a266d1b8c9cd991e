// SPDX-License-Identifier: MIT
// A draft of water that sloshes in a tank, of as many particles as the gallery's dam break: what an artist waits for.
// The water is made up (a bed with waves, and drops above it), so that nothing has to be simulated first.
#include "bench/bench.h"

#include "core/hash.h"

#include <phyxel/render.h>
#include <phyxel/surface.h>

#include <math.h>

enum { COLUMNS = 120, ROWS = 40, LAYERS = 48, MOST = COLUMNS * ROWS * LAYERS, DROPS = 2000 };
static const double spacing = 0.004, us_goal = 3, frame_goal = 1; // m; us a particle, s

static double part(int i, int k) {
    return phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k));
}

/// Positions, x[3 * count], of particles below the waves, then of drops.
static int place_water(double* x) {
    int count = 0;
    for (int i = 0; i < MOST; ++i) {
        int at[3] = {i % COLUMNS, i / COLUMNS % ROWS, i / COLUMNS / ROWS};
        double u = (double)at[0] / COLUMNS, v = (double)at[1] / ROWS;
        if (at[2] < LAYERS * (0.54 + 0.3 * cos(5 * u) + 0.06 * sin(31 * u + 9 * v) + 0.04 * sin(40 * v))) {
            for (int k = 0; k < 3; ++k) {
                x[3 * count + k] = spacing * (at[k] + 0.5 + 0.6 * (part(i, k) - 0.5));
            }
            ++count;
        }
    }
    for (int i = 0; i < DROPS; ++i, ++count) {
        x[3 * count] = spacing * COLUMNS * part(i, 5);
        x[3 * count + 1] = spacing * ROWS * part(i, 6);
        x[3 * count + 2] = spacing * LAYERS * (1 + 0.5 * part(i, 7));
    }
    return count;
}

static phx_result make_water(phxi_bench* bench, phx_frame** points) {
    double* x;
    PHXI_NEW(x, bench->heap, 3 * (MOST + DROPS), "water");
    int count = place_water(x);
    PHXI_TRY(phx_frame_create(count, 0, 0, NULL, points));
    double* to = phx_frame_positions(*points);
    for (int i = 0; i < 3 * count; ++i) {
        to[i] = x[i];
    }
    phxi_free(bench->heap, x);
    return PHX_OK;
}

/// One frame; seconds of its surface and of all.
static phx_result draw(const phx_frame* points, int threads, double* surface_time, double* whole) {
    const double length = spacing * COLUMNS, depth = spacing * ROWS;
    const phx_plane tank[] = {{{0, 0, 0}, {0, 0, 1}},
                              {{0, 0, 0}, {1, 0, 0}},
                              {{length, 0, 0}, {-1, 0, 0}},
                              {{0, 0, 0}, {0, 1, 0}},
                              {{0, depth, 0}, {0, -1, 0}}};
    phx_liquid_def ld = phx_liquid_def_default();
    ld.spacing = spacing, ld.threads = threads;
    ld.planes = tank, ld.plane_count = 5;
    ld.volume = pow(spacing, 3) * phx_frame_points(points);
    phx_render_def rd = phx_render_def_default();
    rd.width = 960, rd.height = 540, rd.threads = threads;
    rd.camera =
        (phx_camera){.eye = {0.34, -0.85, 0.42}, .target = {0.24, 0.08, 0.16}, .up = {0, 0, 1}, .field_of_view = 28};
    phx_frame* surface = NULL;
    phx_image* image = NULL;
    double begin = phxi_bench_clock();
    PHXI_TRY(phx_liquid_surface(points, &ld, &surface));
    *surface_time = phxi_bench_clock() - begin;
    phx_part water = {.frame = surface, .look = phx_look_of_number(0)};
    phx_result result = phx_render_parts(&water, 1, &rd, &image);
    *whole = phxi_bench_clock() - begin;
    phx_image_destroy(image);
    phx_frame_destroy(surface);
    return result;
}

static void report(phxi_bench* bench, const char* name, int particles, int threads, const char* unit, double measured,
                   double asked) {
    phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                               .particles = particles,
                                               .threads = threads,
                                               .unit = unit,
                                               .measured = measured,
                                               .against = "what was asked for",
                                               .reference = asked,
                                               .ratio = asked / measured,
                                               .goal = 1});
}

phx_result phxi_bench_pictures(phxi_bench* bench) {
    phx_frame* points = NULL;
    int threads = 1;
    if (bench->def->max_particles > 0 && bench->def->max_particles < 100000) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_bench_threads(bench, &threads));
    PHXI_TRY(make_water(bench, &points));
    double surface = INFINITY, whole = INFINITY, begin = phxi_bench_clock();
    phx_result result = PHX_OK;
    for (int round = 0; result == PHX_OK && (round < 3 || phxi_bench_clock() - begin < bench->def->seconds); ++round) {
        double s = 0, w = 0;
        result = draw(points, threads, &s, &w);
        surface = fmin(surface, s), whole = fmin(whole, w);
    }
    int count = phx_frame_points(points);
    phx_frame_destroy(points);
    PHXI_TRY(result);
    report(bench, "surface of water", count, threads, "us a particle", 1e6 * surface / count, us_goal);
    report(bench, "draft, 960x540", count, threads, "s a frame", whole, frame_goal);
    return PHX_OK;
}
