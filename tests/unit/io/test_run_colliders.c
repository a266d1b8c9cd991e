// SPDX-License-Identifier: MIT
// Colliders that a run writes for its pictures: only those with an end, in place at every frame if one moves.
#include "support/test.h"

#include <phyxel/io.h>
#include <phyxel/render.h>

#include <math.h>
#include <sys/stat.h>

static const char SCENE[] =
    "materials: {soft: {young: 1e4}}\n"
    "bodies: {a: {shape: \"box(center=(0,0,0.5), size=(0.2,0.2,0.2))\", spacing: 0.1, material: soft}}\n"
    "colliders:\n"
    "  floor: {shape: plane()}\n"
    "  room: {shape: \"box(size=(9,9,9))\", inside: true}\n"
    "  gone: {shape: sphere(radius=0.1), translate: [5, 0, 0], shown: false}\n"
    "  plate: {shape: \"box(size=(1,1,0.1))\", scale: 0.5, translate: [0, 0, -1]}\n"
    "drivers: {lift: {kind: velocity, collider: plate, vector: [0, 0, 2]}}\n"
    "run: {duration: 0.1, fps: 20}\n";

static phx_result run(const char* text, size_t size, const char* folder, const char* const* settings) {
    phx_scene* scene = NULL;
    phx_result result = phx_scene_parse("s.yaml", text, size, NULL, settings, &scene);
    phx_run_def def = phx_run_def_default();
    def.scene = scene;
    def.folder = folder;
    def.threads = 1;
    result = result == PHX_OK ? phx_run(&def, NULL) : result;
    phx_scene_destroy(scene);
    return result;
}

TEST(moving_ones_are_in_every_frame) {
    REQUIRE_OK(run(SCENE, sizeof SCENE - 1, phxt_path("out"), NULL));
    phx_frames* frames = NULL;
    char list[2048];
    snprintf(list, sizeof list, "%s/obstacles.pvd", phxt_path("out"));
    REQUIRE_OK(phx_frames_open(list, &frames));
    ENSURE(phx_frames_count(frames) == 3);
    for (int i = 0; i < 3; ++i) {
        phx_frame* frame = NULL;
        phx_vec3 low = {1, 1, 1}, high = {-1, -1, -1};
        REQUIRE_OK(phx_frames_read(frames, i, &frame));
        ENSURE(phx_frame_triangles(frame) == 12 && phx_frame_bounds(frame, &low, &high));
        ENSURE_NEAR(high.x, 0.25, 1e-6);
        ENSURE_NEAR(low.z, -1.025 + 0.1 * i, 1e-6);
        phx_frame_destroy(frame);
    }
    phx_frames_close(frames);
}

TEST(standing_ones_are_written_once_and_none_not_at_all) {
    static const char* const still[] = {"drivers.lift.collider=room", NULL};
    struct stat info;
    char list[2048];
    REQUIRE_OK(run(SCENE, sizeof SCENE - 1, phxt_path("out"), still));
    phx_frames* frames = NULL;
    snprintf(list, sizeof list, "%s/obstacles.pvd", phxt_path("out"));
    REQUIRE_OK(phx_frames_open(list, &frames));
    ENSURE(phx_frames_count(frames) == 1);
    phx_frames_close(frames);
    static const char* const hidden[] = {"colliders.plate.shown=false", NULL};
    REQUIRE_OK(run(SCENE, sizeof SCENE - 1, phxt_path("out"), hidden));
    ENSURE(stat(list, &info) != 0); // that of the run before is gone
}
