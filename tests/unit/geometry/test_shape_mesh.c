// SPDX-License-Identifier: MIT
// Surfaces of shapes: closed, manifold, outward, on the surface, of the right volume.
#include "support/meshes.h"
#include "support/test.h"

#include "geometry/shape.h"
#include "geometry/shape_mesh.h"

static void* claim(size_t count) {
    void* memory = calloc(count, sizeof(int));
    if (!memory) {
        exit(1);
    }
    return memory;
}

/// The vertex `turn` places after this corner in its triangle.
static int after(const phx_mesh* mesh, int corner, int turn) {
    return mesh->triangles[corner / 3 * 3 + (corner % 3 + turn) % 3];
}

/// The triangles at each vertex form one fan: going from one to the next about the vertex visits all of them.
static void ensure_fans(const phx_mesh* mesh) {
    int corners = 3 * mesh->triangle_count, bad = 0;
    int* start = claim((size_t)mesh->vertex_count + 2);
    int* sorted = claim((size_t)corners);
    for (int c = 0; c < corners; ++c) {
        ++start[mesh->triangles[c] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        start[v + 2] += start[v + 1];
    }
    for (int c = 0; c < corners; ++c) {
        sorted[start[mesh->triangles[c] + 1]++] = c;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int count = start[v + 1] - start[v], walked = 0, at = sorted[start[v]];
        do {
            int next = -1;
            for (int s = start[v]; s < start[v + 1]; ++s) {
                next = after(mesh, sorted[s], 1) == after(mesh, at, 2) ? sorted[s] : next;
            }
            at = next;
            ++walked;
        } while (at >= 0 && at != sorted[start[v]] && walked <= count);
        bad += count < 3 || walked != count;
    }
    ENSURE(bad == 0);
    free(sorted);
    free(start);
}

static void ensure_surface(const char* text, double spacing, double volume, double tolerance) {
    bool smooth = !strstr(text, "box") && !strstr(text, "union");
    phx_mesh* mesh = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape = NULL;
    REQUIRE_OK(phx_mesh_from_shape(text, spacing, &mesh));
    REQUIRE_OK(phxi_shape_parse(&heap, text, &shape));
    if (phx_mesh_open_edges(mesh) != 0) {
        phxt_failed(__FILE__, __LINE__, "%s: %d edges are not between two triangles", text, phx_mesh_open_edges(mesh));
    }
    ensure_fans(mesh);
    if (volume > 0) {
        ENSURE_NEAR(phx_mesh_volume(mesh) / volume, 1, tolerance);
    }
    ENSURE(phx_mesh_volume(mesh) > 0);
    double mean = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mean += fabs(phxi_shape_distance(shape, mesh->positions[v])) / mesh->vertex_count;
    }
    ENSURE(mean < (smooth ? 1e-6 : 0.06) * spacing);
    phxi_shape_destroy(&heap, shape);
    phxi_heap_destroy(&heap);
    phx_mesh_destroy(mesh);
}

TEST(known_volumes) {
    const double pi = 3.14159265358979323846;
    ensure_surface("sphere(radius=0.5)", 0.05, pi / 6, 0.01);
    ensure_surface("sphere(radius=0.5)", 0.025, pi / 6, 0.0025);
    ensure_surface("torus(axis=(1,2,3), major=0.5, minor=0.2)", 0.04, 2 * pi * pi * 0.5 * 0.04, 0.02);
    ensure_surface("box(size=(1,0.5,0.7))", 0.03, 0.35, 0.02);
    ensure_surface("rotate((1,2,3), 40, box(size=(1,0.5,0.7)))", 0.03, 0.35, 0.02);
    ensure_surface("difference(box(), sphere(radius=0.4))", 0.05, 1 - pi / 6 * 0.512, 0.02);
}

TEST(awkward_places_stay_manifold) {
    // Balls and boxes that touch at corners and edges, parts about as thin as a cell, many of them.
    ensure_surface("union(box((0.5,0.5,0.5)), box((-0.5,-0.5,0.5)), box((0.5,-0.5,-0.5)), box((-0.5,0.5,-0.5)))", 0.1,
                   0, 0);
    ensure_surface("union(box((0.5,0.5,0.5)), box((-0.5,-0.5,-0.5)))", 0.0999, 0, 0);
    ensure_surface("union(sphere((-0.5,0,0)), sphere((0.5,0,0)), sphere((0,0.866,0)))", 0.07, 0, 0);
    uint64_t state = 5;
    for (int t = 0; t < 6; ++t) {
        char text[4096] = "union(";
        size_t used = strlen(text);
        for (int c = 0; c < 30; ++c) {
            double r[7];
            for (int i = 0; i < 7; ++i) {
                r[i] = phxt_random(&state);
            }
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%scapsule((%.4f,%.4f,%.4f), (%.4f,%.4f,%.4f), %.4f)",
                                 c ? "," : "", r[0], r[1], r[2], r[3], r[4], r[5], 0.02 + 0.05 * r[6]);
        }
        snprintf(text + used, sizeof text - used, ")");
        phx_mesh* mesh = NULL;
        REQUIRE_OK(phx_mesh_from_shape(text, 0.05, &mesh));
        ENSURE(phx_mesh_open_edges(mesh) == 0);
        ensure_fans(mesh);
        phx_mesh_destroy(mesh);
    }
}

/// A ball without its top gets a lid; the rest stays where it is.
TEST(open_meshes_get_a_lid) {
    phx_mesh* whole = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 24, 32);
    const double volume = phx_mesh_volume(whole);
    phx_mesh *open = phxt_cut_mesh(whole, 0.3), *closed = NULL;
    REQUIRE(phx_mesh_open_edges(open) > 0);
    REQUIRE_OK(phxi_mesh_close(NULL, open, 0.05, &closed));
    ENSURE(phx_mesh_open_edges(closed) == 0);
    ensure_fans(closed);
    const double part = phx_mesh_volume(closed) / volume; // a flat lid would leave 0.90
    ENSURE(part > 0.88 && part < 0.99);
    double farthest = 0;
    for (int v = 0; v < closed->vertex_count; ++v) {
        const phx_vec3 p = closed->positions[v];
        farthest = p.z < 0.2 ? fmax(farthest, fabs(phxi_length(p) - 0.5)) : farthest;
        ENSURE(phxi_length(p) < 0.51);
    }
    ENSURE(farthest < 0.01); // its triangles are that far inside of the ball
    phx_mesh_destroy(open);
    phx_mesh_destroy(closed);
}

TEST(refusals) {
    phx_mesh* mesh = (phx_mesh*)1;
    ENSURE_RESULT(phx_mesh_from_shape("plane()", 0.1, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("no end");
    ENSURE(!mesh);
    ENSURE_RESULT(phx_mesh_from_shape("sphere(", 0.1, &mesh), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phx_mesh_from_shape(NULL, 0.1, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_from_shape("sphere()", 0, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_from_shape("sphere()", NAN, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_from_shape("sphere()", 1e-9, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("50 million");
    ENSURE_RESULT(phx_mesh_from_shape("intersection(sphere(), sphere((3,0,0)))", 0.1, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("no surface");
    ENSURE_RESULT(phx_mesh_from_shape("sphere()", 0.1, NULL), PHX_ERROR_ARGUMENT);
}

TEST(every_allocation_may_fail) {
    for (int64_t n = 0;; ++n) {
        phxt_heap counted;
        phxt_heap_init(&counted, n);
        phx_mesh* mesh = NULL;
        phx_result result = phxi_mesh_from_shape(&counted.allocator, "sphere()", 0.2, &mesh);
        phx_mesh_destroy(mesh);
        ENSURE(counted.live == 0);
        if (result == PHX_OK) {
            ENSURE(n > 6);
            break;
        }
        ENSURE(result == PHX_ERROR_MEMORY);
        REQUIRE(n < 200);
    }
}
