// SPDX-License-Identifier: MIT
#include "core/hash.h"
#include "geometry/distance_field.h"
#include "geometry/solid.h"
#include "support/test.h"

#include <math.h>

static phx_mesh* mesh_of(const char* shape, double spacing) {
    phx_mesh* mesh = NULL;
    if (phx_mesh_from_shape(shape, spacing, &mesh) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return mesh;
}

static phx_vec3 point_at(uint64_t k, double reach) {
    double u[3];
    for (uint64_t a = 0; a < 3; ++a) {
        u[a] = reach * (2 * phxi_hash_unit(phxi_hash_pair(a, k)) - 1);
    }
    return phxi_vec3(u[0], u[1], u[2]);
}

TEST(signs_and_far_points) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_mesh* ring = mesh_of("torus(major=1, minor=0.3)", 0.08);
    REQUIRE(ring);
    phxi_distance_field* field = NULL;
    REQUIRE_OK(phxi_distance_field_create(&heap, NULL, ring, 0.05, &field));
    ENSURE(phxi_distance_field_open_edges(field) == 0 && phxi_distance_field_cell(field) == 0.05);
    for (uint64_t k = 0; k < 3000; ++k) {
        phx_vec3 p = point_at(k, 4), n;
        double around = hypot(p.x, p.y) - 1, exact = hypot(around, p.z) - 0.3;
        double value = phxi_distance_field_at(field, p, &n), far = phxi_distance_field_far(field, p);
        ENSURE_NEAR(value, exact, 0.01);
        ENSURE(far == 0 || (far < 0) == (exact < 0));
        ENSURE(fabs(far) <= fabs(exact) + 0.01);
        ENSURE_NEAR(phxi_length(n), 1, 1e-6);
    }
    ENSURE_NEAR(phxi_distance_field_at(field, phxi_vec3(1e6, 0, 0), NULL), 1e6 - 1.3, 1);
    ENSURE(phxi_distance_field_far(field, phxi_vec3(0, 0, -50)) > 49);
    double nothing = phxi_distance_field_at(field, phxi_vec3(NAN, 0, 0), NULL); // may be anything
    (void)nothing;
    phxi_distance_field_destroy(field);
    phx_mesh_destroy(ring);
    phxi_heap_destroy(&heap);
}

// Away from its blocks the field asks the triangles, with less to search than the solid has: the same bits.
TEST(far_points_are_exact) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_mesh* ring = mesh_of("torus(major=1, minor=0.5)", 0.08);
    REQUIRE(ring);
    const phx_body_def def = {.mesh = ring, .scale = 1};
    phxi_distance_field* field = NULL;
    phxi_solid* solid = NULL;
    REQUIRE_OK(phxi_distance_field_create(&heap, NULL, ring, 0.02, &field));
    REQUIRE_OK(phxi_solid_create(&heap, &def, &solid));
    int inside = 0, outside = 0;
    for (uint64_t k = 0; k < 3000; ++k) {
        phx_vec3 p = point_at(k, 1.6), n, m;
        if (phxi_distance_field_far(field, p) != 0) {
            double value = phxi_distance_field_at(field, p, &n), exact = phxi_solid_distance(solid, p, &m);
            ENSURE(value == exact && n.x == m.x && n.y == m.y && n.z == m.z);
            inside += value < 0;
            outside += value > 0;
        }
    }
    ENSURE(inside > 100 && outside > 1000);
    phxi_solid_destroy(solid);
    phxi_distance_field_destroy(field);
    phx_mesh_destroy(ring);
    phxi_heap_destroy(&heap);
}

TEST(values_and_normals_are_continuous) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_mesh* ball = mesh_of("sphere(radius=0.5)", 0.08);
    REQUIRE(ball);
    phxi_distance_field* field = NULL;
    REQUIRE_OK(phxi_distance_field_create(&heap, NULL, ball, 0.04, &field));
    phx_vec3 a = {0, 0, 0}, b;
    double last = 0;
    for (int k = 0; k < 20000; ++k) { // along a line that crosses faces of cells and blocks near the surface
        phx_vec3 p = phxi_vec3(0.3 + 1e-5 * k, 0.35 - 0.7e-5 * k, 0.25);
        double value = phxi_distance_field_at(field, p, &b);
        if (k > 0) {
            ENSURE(fabs(value - last) < 2e-5 && phxi_distance(a, b) < 5e-4);
        }
        last = value;
        a = b;
    }
    phxi_distance_field_destroy(field);
    phx_mesh_destroy(ball);
    phxi_heap_destroy(&heap);
}

TEST(same_bits_at_any_thread_count) {
    phx_mesh* mesh = mesh_of("union(sphere(radius=0.3), box(size=(0.2,1,0.2)))", 0.05);
    REQUIRE(mesh);
    uint64_t hash[3] = {0};
    for (int threads = 1; threads <= 3; ++threads) {
        phxi_heap heap;
        phxi_pool* pool = NULL;
        phxi_heap_init(&heap, NULL);
        REQUIRE_OK(phxi_pool_create(&heap, threads, &pool));
        phxi_distance_field* field = NULL;
        REQUIRE_OK(phxi_distance_field_create(&heap, pool, mesh, 0.03, &field));
        for (uint64_t k = 0; k < 2000; ++k) {
            double value = phxi_distance_field_at(field, point_at(k, 0.6), NULL);
            hash[threads - 1] = phxi_hash_bytes(&value, sizeof value, hash[threads - 1]);
        }
        phxi_distance_field_destroy(field);
        phxi_pool_destroy(pool);
        phxi_heap_destroy(&heap);
    }
    ENSURE(hash[0] == hash[1] && hash[0] == hash[2]);
    phx_mesh_destroy(mesh);
}

/// A cube without its lid, or with all triangles turned around.
static phx_mesh* cube(int triangles, bool inverted) {
    static const double corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    int list[36] = {0, 2, 3, 0, 3, 1, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3,
                    0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 4, 5, 7, 4, 7, 6};
    for (int t = 0; inverted && t < 12; ++t) {
        int swap = list[3 * t];
        list[3 * t] = list[3 * t + 1];
        list[3 * t + 1] = swap;
    }
    phx_mesh* mesh = NULL;
    return phx_mesh_create(8, corners, triangles, list, &mesh) == PHX_OK ? mesh : NULL;
}

TEST(open_and_inverted_meshes) {
    for (int k = 0; k < 3; ++k) { // closed, inside out, open
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phx_mesh* mesh = cube(k == 2 ? 10 : 12, k == 1);
        REQUIRE(mesh);
        phxi_distance_field* field = NULL;
        REQUIRE_OK(phxi_distance_field_create(&heap, NULL, mesh, 0, &field));
        ENSURE(phxi_distance_field_open_edges(field) == (k == 2 ? 4 : 0));
        phx_vec3 n;
        ENSURE_NEAR(phxi_distance_field_at(field, phxi_vec3(0.4, 0.5, 0.1), &n), -0.1, 1e-3);
        ENSURE_NEAR(n.z, -1, 1e-6);
        ENSURE_NEAR(phxi_distance_field_at(field, phxi_vec3(0.4, 0.5, -0.1), &n), 0.1, 1e-3);
        ENSURE_NEAR(n.z, -1, 1e-6);
        phxi_distance_field_destroy(field);
        phx_mesh_destroy(mesh);
        phxi_heap_destroy(&heap);
    }
}

TEST(bad_input_and_no_memory) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_distance_field* field = NULL;
    static const double line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static const int one[3] = {0, 1, 2};
    phx_mesh *flat = NULL, *box = cube(12, false);
    REQUIRE_OK(phx_mesh_create(3, line, 1, one, &flat));
    REQUIRE(box);
    ENSURE_RESULT(phxi_distance_field_create(&heap, NULL, flat, 0, &field), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("has no area");
    ENSURE_RESULT(phxi_distance_field_create(&heap, NULL, box, 1e-9, &field), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected at most");
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
    phx_result result = PHX_ERROR_MEMORY;
    for (int64_t n = 0; result == PHX_ERROR_MEMORY && n < 100; ++n) {
        phxt_heap failing;
        phxi_heap own;
        phxt_heap_init(&failing, n);
        phxi_heap_init(&own, &failing.allocator);
        result = phxi_distance_field_create(&own, NULL, box, 0.2, &field);
        if (result == PHX_OK) {
            ENSURE(n > 5);
            phxi_distance_field_destroy(field);
        }
        ENSURE(own.live_bytes == 0);
        phxi_heap_destroy(&own);
    }
    ENSURE(result == PHX_OK);
    phx_mesh_destroy(flat);
    phx_mesh_destroy(box);
}
