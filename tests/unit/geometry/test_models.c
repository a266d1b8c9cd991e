// SPDX-License-Identifier: MIT
// The models that come with the project: closed, of the promised size, fit to be sampled.
#include "support/test.h"

#include "geometry/sample.h"
#include "neighbors/neighbors.h"

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

static double area_of(const phx_mesh* mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = &mesh->triangles[3 * t];
        phx_vec3 a = mesh->positions[corner[0]];
        phx_vec3 ab = phxi_sub(mesh->positions[corner[1]], a), ac = phxi_sub(mesh->positions[corner[2]], a);
        sum += 0.5 * phxi_length(phxi_cross(ab, ac));
    }
    return sum;
}

/// The distance of each of the points to the nearest other one, m.
static void nearest(phxi_heap* heap, const phxi_samples* s, double* distances) {
    phx_real* at = phxi_alloc(heap, 3 * (size_t)s->count, sizeof *at, "test");
    int* other = phxi_alloc(heap, (size_t)s->count, sizeof *other, "test");
    phxi_search* search = NULL;
    phxi_pool* pool = NULL;
    REQUIRE(at && other);
    REQUIRE_OK(phxi_search_create(heap, PHXI_SEARCH_GRID, &search));
    REQUIRE_OK(phxi_pool_create(heap, 1, &pool));
    phx_real *x = at, *y = x + s->count, *z = y + s->count;
    for (int i = 0; i < s->count; ++i) {
        x[i] = (phx_real)s->positions[i].x, y[i] = (phx_real)s->positions[i].y, z[i] = (phx_real)s->positions[i].z;
    }
    REQUIRE_OK(phxi_search_nearest(search, pool, (phxi_points){x, y, z, s->count}, 1, other));
    for (int i = 0; i < s->count; ++i) {
        distances[i] = phxi_distance(s->positions[i], s->positions[other[i]]);
    }
    phxi_search_destroy(search);
    phxi_pool_destroy(pool);
    phxi_free(heap, at);
    phxi_free(heap, other);
}

static void ensure_samples(phxi_heap* heap, const phx_mesh* mesh, const phxi_samples* s) {
    double *distances = phxi_alloc(heap, (size_t)s->count, sizeof *distances, "test"), sum = 0, shares = 0;
    phx_vec3 closed = {0, 0, 0};
    REQUIRE(distances && s->areas);
    nearest(heap, s, distances);
    double least = INFINITY, smallest = INFINITY;
    for (int i = 0; i < s->count; ++i) {
        double h = s->spacings[i];
        least = fmin(least, distances[i] / h);
        smallest = fmin(smallest, s->volumes[i] / (h * h * h));
        sum += s->volumes[i];
        shares += phxi_length(s->areas[i]);
        closed = phxi_add(closed, s->areas[i]);
    }
    ENSURE(least > 0.6);
    ENSURE(smallest > 0.0999);
    ENSURE_NEAR(sum / phx_mesh_volume(mesh), 1, 1e-6);
    // vectors: shorter than their shares where these are curved or have edges
    double area = area_of(mesh);
    ENSURE(shares > 0.93 * area && shares < area);
    ENSURE(phxi_length(closed) < 1e-9 * area);
    phxi_free(heap, distances);
}

/// Conforming samples of a model: all of its volume, its surface, apart from each other, none a sliver.
static void ensure_conforming(const char* name, double spacing) {
    char path[128];
    snprintf(path, sizeof path, "scenes/models/%s.obj", name);
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_source(path), &mesh));
    phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = spacing, .sampling = PHX_SAMPLING_CONFORMING};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_samples samples;
    phx_sample_report report;
    if (phxt_result(__FILE__, __LINE__, name, phxi_sample_body(&heap, &def, &samples, &report), PHX_OK)) {
        ENSURE(fabs(report.raw_error) < 1e-6);
        ensure_samples(&heap, mesh, &samples);
        phxi_samples_destroy(&heap, &samples);
    }
    phxi_heap_destroy(&heap);
    phx_mesh_destroy(mesh);
}

TEST(conforming) {
    static const struct {
        const char* name;
        double spacing;
    } all[] = {{"hare", 0.01},  {"fish", 0.008}, {"plant", 0.008}, {"logo", 0.007},
               {"chair", 0.01}, {"jelly", 0.01}, {"figure", 0.01}, {"gargoyle", 0.01}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        ensure_conforming(all[k].name, all[k].spacing);
    }
}

/// A line of triangles without area has nothing inside.
TEST(line) {
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_source("scenes/models/spring.obj"), &mesh));
    phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = 0.01, .sampling = PHX_SAMPLING_CONFORMING};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_samples samples;
    ENSURE_RESULT(phxi_sample_body(&heap, &def, &samples, NULL), PHX_ERROR_ARGUMENT);
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
