// SPDX-License-Identifier: MIT
// Surfaces with cracks beside the frames of a run.
#include "support/points.h"

#include "io/run_cracks.h"

static bool always(const phxi_body* body) {
    (void)body;
    return true;
}

TEST(surfaces_are_listed_and_read_back) {
    phxi_method method = phxt_points;
    phx_world_def def = phx_world_def_default();
    phx_material_def stuff = phx_material_def_default();
    phx_material_id material;
    phx_body_id body;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    for (int breaks = 1; breaks >= 0; --breaks) {
        const phxi_fracture_table fracture = {.needs_cells = always};
        method.fracture = breaks ? &fracture : NULL;
        phx_world* world = NULL;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phxi_world_add_solver(world, &method));
        REQUIRE_OK(phx_material_create(world, &stuff, &material));
        REQUIRE_OK(phxt_body(world, "bar", "box(size=(0.4,0.2,0.2))", 0.1, NULL, &body));
        phxi_crack_output output;
        REQUIRE_OK(phxi_crack_output_open(&output, &heap, world, phxt_scratch(), "speed"));
        for (int i = 0; i < 2; ++i) {
            REQUIRE_OK(phxi_crack_output_write(&output, i, 25));
            REQUIRE_OK(phx_world_step(world, 0.04));
        }
        phxi_crack_output_close(&output);
        phx_world_destroy(world);
        phx_frames* frames = NULL;
        if (!breaks) { // the list of the run before is gone
            ENSURE_RESULT(phx_frames_open(phxt_path("surfaces.pvd"), &frames), PHX_ERROR_IO);
            break;
        }
        REQUIRE_OK(phx_frames_open(phxt_path("surfaces.pvd"), &frames));
        REQUIRE(phx_frames_count(frames) == 2);
        ENSURE_NEAR(phx_frames_time(frames, 1), 0.04, 1e-12);
        phx_frame* frame = NULL;
        REQUIRE_OK(phx_frames_read(frames, 1, &frame));
        ENSURE(phx_frame_triangles(frame) > 12 && phx_frame_find(frame, "inner") && phx_frame_find(frame, "speed"));
        phx_frame_destroy(frame);
        phx_frames_close(frames);
    }
    phxi_heap_destroy(&heap);
}
