// SPDX-License-Identifier: MIT
// Frames of a splash and of honey as they are drawn: closed, without cavities, with the volume of the liquid, without a
// pop.
#include "support/run_text.h"
#include "support/test.h"
#include "support/topology.h"
#include "surface/frame.h"

#include <phyxel/show.h>

#include <math.h>
#include <stdlib.h>

#define SPACING 0.01

static const char* const splash =
    "bodies:\n"
    "  water: {shape: \"box(center=(0.1,0.08,0.12),size=(0.2,0.16,0.24))\", spacing: 0.01, sampling: blue_noise,\n"
    "          material: water, method: mpm, mpm: {boundary: mirror}}\n"
    "colliders:\n"
    "  floor: {}\n"
    "  near: {shape: \"plane(point=(0,0,0),normal=(1,0,0))\"}\n"
    "  far: {shape: \"plane(point=(0.48,0,0),normal=(-1,0,0))\"}\n"
    "  front: {shape: \"plane(point=(0,0,0),normal=(0,1,0))\"}\n"
    "  back: {shape: \"plane(point=(0,0.16,0),normal=(0,-1,0))\"}\n"
    "run: {duration: 1, fps: 100}\n";

/// Pieces that enclose nothing but are enclosed: their triangles face inward.
static int count_cavities(const phx_frame* f) {
    int *root = malloc(sizeof(int) * (size_t)f->points), cavities = 0;
    double* volume = calloc((size_t)f->points, sizeof(double));
    for (int i = 0; i < f->points; ++i) {
        root[i] = i;
    }
    for (int changed = 1; changed;) { // each vertex takes the least number around it until none changes
        changed = 0;
        for (int t = 0; t < f->triangles; ++t) {
            const int* v = f->indices + 3 * t;
            for (int k = 0; k < 3; ++k) {
                int a = v[k], b = v[(k + 1) % 3], least = root[a] < root[b] ? root[a] : root[b];
                least = root[least];
                changed |= root[a] != least || root[b] != least;
                root[a] = root[b] = least;
            }
        }
    }
    for (int t = 0; t < f->triangles; ++t) {
        volume[root[f->indices[3 * t]]] += phxt_volume_of(f->positions, f->indices + 3 * t, 1);
    }
    for (int i = 0; i < f->points; ++i) {
        cavities += volume[i] < -1e-6 * pow(SPACING, 3); // a film pressed flat on a wall is none
    }
    free(root);
    free(volume);
    return cavities;
}

static const char* const honey =
    "bodies:\n"
    "  honey: {shape: \"sphere(center=(0,0,0.06),radius=0.05)\", spacing: 0.005, sampling: blue_noise,\n"
    "          material: honey, method: mpm}\n"
    "colliders:\n"
    "  floor: {friction: 1}\n"
    "run: {duration: 0.2, fps: 200}\n";

typedef struct wholeness {
    int frames, open, cavities;
    double off, volume_jump, area_jump;
} wholeness;

/// Of the surfaces of a run, as they are drawn.
static wholeness watch(const char* text, double true_volume) {
    wholeness w = {0};
    phx_show* show = NULL;
    phx_show_def def = phx_show_def_default();
    ENSURE_OK(phxt_run_text(text, NULL, phxt_path("run")));
    def.run = phxt_path("run");
    def.bare = true;
    ENSURE_OK(phx_show_open(&def, &show));
    double last_volume = 0, last_area = 0;
    w.frames = show ? phx_show_count(show) : 0;
    for (int i = 0; i < w.frames; ++i) {
        phx_frame* f = NULL;
        phxt_topology t = {0};
        ENSURE_OK(phx_show_surface(show, i, &f));
        ENSURE(f && phxt_topology_of(f->indices, f->triangles, f->points, &t));
        ENSURE(f && phx_frame_find(f, "normal") && !phx_frame_find(f, "velocity"));
        double volume = phxt_volume_of(f->positions, f->indices, f->triangles) / true_volume;
        double area = phxt_area_of(f->positions, f->indices, f->triangles);
        w.open += t.open != 0;
        w.cavities += count_cavities(f);
        w.off = fmax(w.off, fabs(volume - 1));
        w.volume_jump = i > 0 ? fmax(w.volume_jump, fabs(volume - last_volume)) : 0;
        w.area_jump = i > 0 ? fmax(w.area_jump, fabs(area / last_area - 1)) : 0;
        last_volume = volume, last_area = area;
        phx_frame_destroy(f);
    }
    printf("      volume off by %.4f, from frame to frame by %.4f; area from frame to frame by %.4f\n", w.off,
           w.volume_jump, w.area_jump);
    printf("      %d frames, %d open, %d cavities\n", w.frames, w.open, w.cavities);
    phx_show_close(show);
    return w;
}

TEST(a_splash_is_whole_from_frame_to_frame) {
    wholeness w = watch(splash, 0.2 * 0.16 * 0.24);
    ENSURE(w.frames == 101 && w.open == 0 && w.cavities == 0);
    ENSURE(w.off <= 0.03 && w.volume_jump <= 0.005 && w.area_jump <= 0.05);
}

// Its area grows fastest as it spreads over the floor: by 0.056 a frame at 100 frames a second, 0.028 at 200. A pop
// would not halve.
TEST(honey_is_whole_from_frame_to_frame) {
    wholeness w = watch(honey, 4.0 / 3 * 3.14159265358979 * pow(0.05, 3));
    ENSURE(w.frames == 41 && w.open == 0 && w.cavities == 0);
    ENSURE(w.off <= 0.03 && w.volume_jump <= 0.005 && w.area_jump <= 0.05);
}
