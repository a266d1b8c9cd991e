// SPDX-License-Identifier: MIT
// The models that come with the project: closed, of the promised size, fit to be sampled.
#include "support/test.h"

#include "geometry/sample.h"

static void ensure_model(const char* name, double spacing) {
    char path[128];
    snprintf(path, sizeof path, "scenes/models/%s.obj", name);
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_source(path), &mesh));
    int triangles = phx_mesh_triangle_count(mesh);
    ENSURE(triangles >= 1000 && triangles <= 12000);
    ENSURE(phx_mesh_open_edges(mesh) == 0);
    ENSURE(phx_mesh_volume(mesh) > 0);
    phxi_box box = phxi_mesh_box(mesh);
    phx_vec3 size = phxi_sub(box.high, box.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    ENSURE(longest > 0.1 && longest < 0.55);
    ENSURE(box.low.z == 0);

    phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = spacing, .levels = 1};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_samples samples;
    phx_sample_report report;
    if (phxt_result(__FILE__, __LINE__, name, phxi_sample_body(&heap, &def, &samples, &report), PHX_OK)) {
        ENSURE(report.closed);
        ENSURE(fabs(report.raw_error) < 0.02);
        ENSURE(samples.count > 500 && samples.count < 20000);
        ENSURE_NEAR(report.volume, phx_mesh_volume(mesh), 1e-9 * report.volume);
        phxi_samples_destroy(&heap, &samples);
    }
    phxi_heap_destroy(&heap);
    phx_mesh_destroy(mesh);
}

TEST(hare) {
    ensure_model("hare", 0.01);
}

TEST(fish) {
    ensure_model("fish", 0.008);
}

TEST(plant) {
    ensure_model("plant", 0.008);
}

TEST(logo) {
    ensure_model("logo", 0.007);
}

TEST(chair) {
    ensure_model("chair", 0.01);
}

TEST(gargoyle) {
    ensure_model("gargoyle", 0.01);
}

TEST(jelly) {
    ensure_model("jelly", 0.01);
}
