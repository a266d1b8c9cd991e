// SPDX-License-Identifier: MIT
// What particles on the surface own of it: of boxes exactly, of anything else the whole surface and nothing twice.
#include "support/test.h"

#include "geometry/body_mesh.h"
#include "geometry/sample.h"
#include "geometry/surface_shares.h"

static const double pi = 3.14159265358979323846;

static phx_body_def body(const char* shape, double spacing) {
    phx_body_def def = phx_body_def_default();
    def.shape = shape;
    def.spacing = spacing;
    def.sampling = PHX_SAMPLING_VERTICES;
    return def;
}

static phxi_samples sample(phxi_heap* heap, const phx_body_def* def) {
    phxi_samples samples = {0};
    phxi_heap_init(heap, NULL);
    if (!phxt_result(__FILE__, __LINE__, def->shape, phxi_sample_body(heap, def, &samples, NULL), PHX_OK)) {
        exit(1);
    }
    return samples;
}

static void done(phxi_heap* heap, phxi_samples* samples) {
    phxi_samples_destroy(heap, samples);
    ENSURE(heap->live_bytes == 0);
    phxi_heap_destroy(heap);
}

/// The sum of area vectors is zero, that of their lengths what is expected.
static void ensure_closed(const phxi_samples* s, double area, double tolerance) {
    phx_vec3 sum = {0, 0, 0};
    double lengths = 0;
    for (int i = 0; i < s->count; ++i) {
        sum = phxi_add(sum, s->areas[i]);
        lengths += phxi_length(s->areas[i]);
    }
    ENSURE_NEAR(phxi_length(sum), 0, 1e-12 * area);
    ENSURE_NEAR(lengths / area, 1, tolerance);
}

/// A particle of a box owns a cell's face, half of it on an edge, a quarter at a corner, of each face it is on.
static void ensure_box(const phxi_samples* s, phx_vec3 half, double h) {
    double faces = 0;
    for (int i = 0; i < s->count; ++i) {
        const double x[3] = {s->positions[i].x, s->positions[i].y, s->positions[i].z}, l[3] = {half.x, half.y, half.z};
        const double area[3] = {s->areas[i].x, s->areas[i].y, s->areas[i].z};
        int side[3], on = 0;
        for (int c = 0; c < 3; ++c) {
            side[c] = fabs(fabs(x[c]) - l[c]) < 1e-9 ? (x[c] > 0 ? 1 : -1) : 0;
            on += side[c] != 0;
        }
        for (int c = 0; c < 3; ++c) {
            ENSURE_NEAR(area[c], side[c] * h * h / (on == 3 ? 4 : on == 2 ? 2 : 1), 1e-12 * h * h);
            faces += fabs(area[c]);
        }
        ENSURE_NEAR(s->sizes[i], fabs(area[0]) + fabs(area[1]) + fabs(area[2]), 1e-12 * h * h);
    }
    ENSURE_NEAR(faces, 8 * (half.x * half.y + half.y * half.z + half.z * half.x), 1e-12 * faces);
}

TEST(boxes_are_exact) {
    phx_body_def def = body("box(size=(1,0.6,0.4))", 0.1);
    phxi_heap heap;
    phxi_samples s = sample(&heap, &def);
    ensure_box(&s, phxi_vec3(0.5, 0.3, 0.2), 0.1);
    done(&heap, &s);
}

TEST(turned_and_odd_boxes_are_whole) {
    // Sides that are no whole number of cells, and a box that is turned against the grid.
    phx_body_def def = body("box(size=(1.03,0.57,0.46))", 0.1);
    phxi_heap heap;
    phxi_samples s = sample(&heap, &def);
    double sum = 0;
    for (int i = 0; i < s.count; ++i) {
        sum += fabs(s.areas[i].x) + fabs(s.areas[i].y) + fabs(s.areas[i].z);
    }
    ENSURE_NEAR(sum, 2 * (1.03 * 0.57 + 0.57 * 0.46 + 0.46 * 1.03), 1e-12 * sum);
    done(&heap, &s);
    def = body("box(size=(1,1,1))", 0.05);
    def.rotate = phxi_vec3(20, 30, 40);
    s = sample(&heap, &def);
    const phxi_mat3 turn = phxi_rotation_degrees(def.rotate), back = phxi_mat3_transpose(&turn);
    sum = 0;
    for (int i = 0; i < s.count; ++i) {
        phx_vec3 a = phxi_mat3_apply(&back, s.areas[i]);
        sum += fabs(a.x) + fabs(a.y) + fabs(a.z);
    }
    ENSURE_NEAR(sum, 6, 1e-12);
    done(&heap, &s);
}

TEST(round_bodies) {
    const struct {
        const char* shape;
        double area;
    } all[] = {{"sphere(radius=0.5)", pi},
               {"torus(axis=(1,2,3), major=0.5, minor=0.2)", 4 * pi * pi * 0.1},
               {"difference(sphere(radius=0.5), sphere(radius=0.3))", pi * (1 + 0.36)}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phx_body_def def = body(all[k].shape, 0.0625);
        phxi_heap heap;
        phxi_samples s = sample(&heap, &def);
        ensure_closed(&s, all[k].area, 0.01);
        for (int i = 0; i < s.count; ++i) {
            double r = phxi_length(s.positions[i]);
            ENSURE(k != 0 || phxi_length(s.areas[i]) == 0 || r > 0.5 - 1.5 * def.spacing);
            ENSURE(k != 0 || phxi_dot(s.areas[i], s.positions[i]) >= 0);
        }
        done(&heap, &s);
    }
}

/// Two particles and the plane between them through a cube's middle: half of the cube each. Inside out all the same.
TEST(halves_of_a_cube) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_body_def def = body("box(size=(2,2,2))", 1);
    phx_mesh* mesh = NULL;
    ENSURE_OK(phxi_body_mesh(&heap, &def, &mesh));
    const phx_vec3 places[2] = {{-0.7, 0.1, 0.2}, {0.7, 0.1, 0.2}};
    const double spacings[2] = {1, 1};
    for (int turned = 0; turned < 2; ++turned) {
        phx_vec3 areas[2];
        double sizes[2];
        ENSURE_OK(phxi_surface_shares(&heap, mesh, 2, places, spacings, areas, sizes));
        for (int k = 0; k < 2; ++k) {
            ENSURE_NEAR(areas[k].x, k == 0 ? -4 : 4, 1e-12);
            ENSURE_NEAR(fabs(areas[k].y) + fabs(areas[k].z), 0, 1e-12);
            ENSURE(sizes[k] == 0); // they do not stand there
        }
        for (int t = 0; t < mesh->triangle_count; ++t) {
            int swap = mesh->triangles[3 * t];
            mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
            mesh->triangles[3 * t + 1] = swap;
        }
    }
    phx_mesh_destroy(mesh);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(other_samplings_have_none) {
    phx_body_def def = body("box(size=(1,1,1))", 0.25);
    for (int k = 0; k < 4; ++k) {
        const int samplings[] = {PHX_SAMPLING_UNIFORM, PHX_SAMPLING_BCC, PHX_SAMPLING_OCTREE, PHX_SAMPLING_BLUE_NOISE};
        def.sampling = samplings[k];
        phxi_heap heap;
        phxi_samples s = sample(&heap, &def);
        ENSURE(!s.areas);
        done(&heap, &s);
    }
}
