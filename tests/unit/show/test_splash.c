// SPDX-License-Identifier: MIT
// A hundred frames of a splash as they are drawn: closed, without cavities, with the volume of the water, without a
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

TEST(a_splash_is_whole_from_frame_to_frame) {
    REQUIRE_OK(phxt_run_text(splash, NULL, phxt_path("run")));
    phx_show* show = NULL;
    phx_show_def def = phx_show_def_default();
    def.run = phxt_path("run");
    REQUIRE_OK(phx_show_open(&def, &show));
    const double true_volume = 0.2 * 0.16 * 0.24;
    double last_volume = 0, last_area = 0, off = 0, volume_jump = 0, area_jump = 0;
    int cavities = 0, open = 0;
    for (int i = 0; i < phx_show_count(show); ++i) {
        phx_frame* f = NULL;
        phxt_topology t;
        REQUIRE_OK(phx_show_surface(show, i, &f));
        REQUIRE(phxt_topology_of(f->indices, f->triangles, f->points, &t));
        double volume = phxt_volume_of(f->positions, f->indices, f->triangles) / true_volume;
        double area = phxt_area_of(f->positions, f->indices, f->triangles);
        open += t.open != 0;
        cavities += count_cavities(f);
        off = fmax(off, fabs(volume - 1));
        volume_jump = i > 0 ? fmax(volume_jump, fabs(volume - last_volume)) : 0;
        area_jump = i > 0 ? fmax(area_jump, fabs(area / last_area - 1)) : 0;
        last_volume = volume, last_area = area;
        phx_frame_destroy(f);
    }
    printf("      volume off by %.4f, from frame to frame by %.4f; area from frame to frame by %.4f\n", off,
           volume_jump, area_jump);
    printf("      %d frames, %d open, %d cavities\n", phx_show_count(show), open, cavities);
    ENSURE(phx_show_count(show) == 101 && open == 0 && cavities == 0);
    ENSURE(off <= 0.03 && volume_jump <= 0.005 && area_jump <= 0.05);
    phx_show_close(show);
}
