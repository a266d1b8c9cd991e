// SPDX-License-Identifier: MIT
// Meshes as objects: volumes of known solids, open edges, moving, refusing what is no mesh.
#include "support/test.h"
#include "support/meshes.h"
#include "geometry/mesh.h"

static const double pi = 3.14159265358979323846;

TEST(volumes_of_known_solids) {
    phx_mesh* box = phxt_box_mesh((phx_vec3){-1, 2, 3}, (phx_vec3){1, 5, 7});
    ENSURE_NEAR(phx_mesh_volume(box), 24, 1e-12);
    ENSURE_NEAR(phxi_mesh_area(box), 52, 1e-12);
    const phxi_box bounds = phxi_mesh_box(box);
    ENSURE(bounds.low.x == -1 && bounds.low.y == 2 && bounds.low.z == 3);
    ENSURE(bounds.high.x == 1 && bounds.high.y == 5 && bounds.high.z == 7);
    box = phxt_inverted_mesh(box);
    ENSURE_NEAR(phx_mesh_volume(box), -24, 1e-12);
    phx_mesh_destroy(box);

    phx_mesh* sphere = phxt_sphere_mesh((phx_vec3){100, 0, 0}, 2, 200, 400);
    ENSURE_NEAR(phx_mesh_volume(sphere) / (4.0 / 3 * pi * 8), 1, 2e-4);
    ENSURE_NEAR(phxi_mesh_area(sphere) / (16 * pi), 1, 2e-4);
    phx_mesh_destroy(sphere);

    phx_mesh* torus = phxt_torus_mesh(1, 0.25, 200, 200);
    ENSURE_NEAR(phx_mesh_volume(torus) / (2 * pi * pi * 0.0625), 1, 5e-4);
    phx_mesh_destroy(torus);
}

TEST(volume_far_from_the_origin) {
    phx_mesh* box = phxt_box_mesh((phx_vec3){1e9, 1e9, 1e9}, (phx_vec3){1e9 + 1, 1e9 + 2, 1e9 + 3});
    ENSURE_NEAR(phx_mesh_volume(box), 6, 1e-6);
    phx_mesh_destroy(box);
}

TEST(open_edges) {
    phx_mesh* box = phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1});
    ENSURE(phx_mesh_open_edges(box) == 0);
    box = phxt_cut_mesh(box, 0.9); // the lid is gone
    ENSURE(phx_mesh_triangle_count(box) == 10);
    ENSURE(phx_mesh_open_edges(box) == 4);
    phx_mesh_destroy(box);

    // Two boxes that share an edge: four triangles at it, two each way.
    phx_mesh* pair = phxt_joined_mesh(phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1}),
                                      phxt_box_mesh((phx_vec3){1, 1, 0}, (phx_vec3){2, 2, 1}));
    ENSURE(phx_mesh_open_edges(pair) == 0);
    pair->triangles[0] = pair->triangles[1]; // a triangle lost: its edges are open
    ENSURE(phx_mesh_open_edges(pair) == 3);
    phx_mesh_destroy(pair);

    phx_mesh* turned = phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1});
    const int swap = turned->triangles[0];
    turned->triangles[0] = turned->triangles[1];
    turned->triangles[1] = swap;
    ENSURE(phx_mesh_open_edges(turned) == 3);
    phx_mesh_destroy(turned);
}

TEST(transformed) {
    phx_mesh* box = phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 2, 3});
    phx_mesh* moved = NULL;
    // x: (x, -z, y); then y: (z, y, -x); then z: (-y, x, z), all exactly
    REQUIRE_OK(phxi_mesh_transformed(box, 2, (phx_vec3){90, 90, 90}, (phx_vec3){10, 0, 0}, NULL, &moved));
    for (int i = 0; i < 8; ++i) {
        const phx_vec3 p = box->positions[i];
        phx_vec3 q = {p.x, -p.z, p.y};
        q = (phx_vec3){q.z, q.y, -q.x};
        q = (phx_vec3){-q.y, q.x, q.z};
        ENSURE(moved->positions[i].x == 2 * q.x + 10 && moved->positions[i].y == 2 * q.y &&
               moved->positions[i].z == 2 * q.z);
    }
    ENSURE_NEAR(phx_mesh_volume(moved), 48, 1e-12);
    phx_mesh_destroy(moved);
    REQUIRE_OK(phxi_mesh_transformed(box, 0.5, (phx_vec3){12, -345, 3600.5}, (phx_vec3){1, 2, 3}, NULL, &moved));
    ENSURE_NEAR(phx_mesh_volume(moved), 0.75, 1e-13);
    ENSURE(phx_mesh_open_edges(moved) == 0);
    phx_mesh_destroy(moved);

    const phx_vec3 none = {0, 0, 0};
    ENSURE_RESULT(phxi_mesh_transformed(box, -1, none, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("scale is -1, expected a number above 0");
    ENSURE_RESULT(phxi_mesh_transformed(box, 0, none, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_mesh_transformed(box, NAN, none, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_mesh_transformed(box, INFINITY, none, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_mesh_transformed(box, 1, (phx_vec3){0, NAN, 0}, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_mesh_transformed(box, 1e300, none, none, NULL, &moved), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected numbers within 1e+30");
    ENSURE(moved == NULL);
    phx_mesh_destroy(box);
}

TEST(refuses_what_is_no_mesh) {
    double p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int t[] = {0, 1, 2};
    phx_mesh* mesh = NULL;
    ENSURE_RESULT(phx_mesh_create(0, p, 1, t, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_create(3, p, 0, t, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_create(3, NULL, 1, t, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_mesh_create(-1, p, -5, t, &mesh), PHX_ERROR_ARGUMENT);
    t[2] = 3;
    ENSURE_RESULT(phx_mesh_create(3, p, 1, t, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("triangle 0 has the vertex 3, expected 0 to 2");
    t[2] = -1;
    ENSURE_RESULT(phx_mesh_create(3, p, 1, t, &mesh), PHX_ERROR_ARGUMENT);
    t[2] = 2;
    p[4] = NAN;
    ENSURE_RESULT(phx_mesh_create(3, p, 1, t, &mesh), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("vertex 1 has the coordinate");
    ENSURE(mesh == NULL);
    phx_mesh_destroy(NULL);
}

TEST(accessors) {
    const double p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int t[] = {0, 1, 2};
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_create(3, p, 1, t, &mesh));
    ENSURE(phx_mesh_vertex_count(mesh) == 3 && phx_mesh_triangle_count(mesh) == 1);
    ENSURE(memcmp(phx_mesh_positions(mesh), p, sizeof p) == 0);
    ENSURE(memcmp(phx_mesh_triangles(mesh), t, sizeof t) == 0);
    ENSURE(phx_mesh_open_edges(mesh) == 3);
    phx_mesh_destroy(mesh);
}

TEST(allocation_failures) {
    phx_mesh* box = phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1});
    const phx_vec3 none = {0, 0, 0};
    bool done = false;
    for (int n = 0; !done && n < 20; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, n);
        phx_mesh* mesh = NULL;
        phx_result result = phxi_mesh_transformed(box, 1, none, none, &heap.allocator, &mesh);
        if (result == PHX_OK) {
            const int open = phx_mesh_open_edges(mesh);
            ENSURE(open == 0 || open == -1);
            done = open == 0;
        } else {
            ENSURE(result == PHX_ERROR_MEMORY && !mesh);
        }
        phx_mesh_destroy(mesh);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
    phx_mesh_destroy(box);
}
