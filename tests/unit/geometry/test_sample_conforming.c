// SPDX-License-Identifier: MIT
// Nodes on the surface: where they stand, how far apart, how much they hold.
#include "support/meshes.h"
#include "support/test.h"

#include "geometry/body_mesh.h"
#include "geometry/sample.h"
#include "geometry/solid.h"

static const double pi = 3.14159265358979323846;

static phx_body_def body(const char* shape, double spacing) {
    return (phx_body_def){.shape = shape, .scale = 1, .spacing = spacing, .sampling = PHX_SAMPLING_CONFORMING};
}

typedef struct sampled {
    phxi_heap heap;
    phxi_samples samples;
    phx_sample_report report;
} sampled;

static void sample(sampled* s, const phx_body_def* def) {
    phxi_heap_init(&s->heap, NULL);
    if (!phxt_result(__FILE__, __LINE__, def->shape ? def->shape : "mesh",
                     phxi_sample_body(&s->heap, def, &s->samples, &s->report), PHX_OK)) {
        exit(1);
    }
    double sum = 0;
    for (int i = 0; i < s->samples.count; ++i) {
        sum += s->samples.volumes[i];
    }
    ENSURE_NEAR(sum / s->report.exact, 1, 1e-12);
}

static void done(sampled* s) {
    phxi_samples_destroy(&s->heap, &s->samples);
    ENSURE(s->heap.live_bytes == 0);
    phxi_heap_destroy(&s->heap);
}

/// Apart, each with some volume, none far out of the body; returns how many are on its surface.
static int ensure_sound(const sampled* s, const phx_body_def* def) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_solid* solid = NULL;
    if (!phxt_result(__FILE__, __LINE__, "solid", phxi_solid_create(&heap, def, &solid), PHX_OK)) {
        return 0;
    }
    int on = 0;
    double least = INFINITY, smallest = INFINITY, out = 0;
    for (int i = 0; i < s->samples.count; ++i) {
        double h = s->samples.spacings[i], distance = phxi_solid_distance(solid, s->samples.positions[i], NULL);
        smallest = fmin(smallest, s->samples.volumes[i] / (h * h * h));
        out = fmax(out, distance / h);
        on += fabs(distance) < 0.02 * h;
        for (int j = 0; j < i; ++j) {
            least = fmin(least, phxi_distance(s->samples.positions[i], s->samples.positions[j]) / h);
        }
    }
    ENSURE(least > 0.6);
    ENSURE(smallest > 0.099);
    ENSURE(out < 0.03);
    phxi_solid_destroy(solid);
    phxi_heap_destroy(&heap);
    return on;
}

/// Lengths that are no whole number of spacings: the lattice fits them, and volumes are halves, quarters, eighths.
TEST(box) {
    phx_body_def def = body("box(center=(2.25,0,0), size=(4.5,1,1.1))", 0.26);
    sampled s;
    sample(&s, &def);
    const double e[3] = {4.5 / 17, 1. / 4, 1.1 / 4};
    ENSURE(s.samples.count == 18 * 5 * 5);
    ENSURE_NEAR(s.report.volume, 4.5 * 1.1, 1e-12);
    for (int i = 0; i < s.samples.count; ++i) {
        phx_vec3 p = s.samples.positions[i];
        int faces = (fabs(p.x) < 1e-12 || fabs(p.x - 4.5) < 1e-12) + (fabs(fabs(p.y) - 0.5) < 1e-12) +
                    (fabs(fabs(p.z) - 0.55) < 1e-12);
        ENSURE_NEAR(s.samples.volumes[i], e[0] * e[1] * e[2] / (1 << faces), 1e-14);
        ENSURE_NEAR(s.samples.spacings[i], cbrt(e[0] * e[1] * e[2]), 1e-14);
        ENSURE_NEAR(p.x / e[0], round(p.x / e[0]), 1e-9);
    }
    ensure_sound(&s, &def);
    done(&s);
}

/// A body that is turned and moved has the nodes of the one that is not, turned and moved.
TEST(placed) {
    phx_body_def def = body("cylinder(from=(0,0,0), to=(0,0,1), radius=0.3)", 0.1), placed = def;
    placed.rotate = phxi_vec3(20, 30, 40);
    placed.translate = phxi_vec3(1, 2, 3);
    sampled s, t;
    sample(&s, &def);
    sample(&t, &placed);
    phxi_mat3 turn = phxi_rotation_degrees(placed.rotate);
    ENSURE(s.samples.count == t.samples.count);
    for (int i = 0; i < s.samples.count; ++i) {
        phx_vec3 p = phxi_add(phxi_mat3_apply(&turn, s.samples.positions[i]), placed.translate);
        ENSURE(phxi_distance(p, t.samples.positions[i]) < 1e-12);
        ENSURE(s.samples.volumes[i] == t.samples.volumes[i]);
    }
    done(&s);
    done(&t);
}

static void ensure_shape(const char* shape, double spacing, double volume, double area) {
    phx_body_def def = body(shape, spacing);
    sampled s;
    sample(&s, &def);
    int on = ensure_sound(&s, &def);
    ENSURE_NEAR(s.report.volume / volume, 1, 1e-3);
    ENSURE_NEAR(on * spacing * spacing / area, 1, 0.35); // the surface is covered, once
    done(&s);
}

TEST(curved_shapes) {
    ensure_shape("sphere(radius=1)", 0.25, 4 * pi / 3, 4 * pi);
    ensure_shape("sphere(radius=1)", 0.125, 4 * pi / 3, 4 * pi);
    ensure_shape("torus(major=1, minor=0.3)", 0.1, 2 * pi * pi * 0.09, 4 * pi * pi * 0.3);
    ensure_shape("cylinder(from=(0,0,0), to=(0,0,2), radius=0.5)", 0.14, 0.5 * pi, 2.5 * pi);
}

/// Sharp edges that are not along the lattice: nodes stand on them.
TEST(turned_bar) {
    phx_body_def def = body("rotate((0,0,1), 30, box(size=(1,1,3)))", 0.2);
    sampled s;
    sample(&s, &def);
    ensure_sound(&s, &def);
    double c = cos(pi / 6), sine = sin(pi / 6);
    int on_edges = 0;
    for (int i = 0; i < s.samples.count; ++i) {
        phx_vec3 p = s.samples.positions[i];
        double x = c * p.x + sine * p.y, y = c * p.y - sine * p.x;
        on_edges += fabs(fabs(x) - 0.5) < 1e-3 && fabs(fabs(y) - 0.5) < 1e-3;
    }
    ENSURE(on_edges >= 4 * 13);
    done(&s);
}

TEST(meshes) {
    phx_mesh* ball = phxt_sphere_mesh((phx_vec3){0.3, 0.2, 0.1}, 0.5, 20, 30);
    phx_body_def def = {.mesh = ball, .scale = 1, .spacing = 0.1, .sampling = PHX_SAMPLING_CONFORMING};
    sampled s;
    sample(&s, &def);
    ENSURE_NEAR(s.report.volume / phx_mesh_volume(ball), 1, 1e-9);
    ENSURE(fabs(s.report.raw_error) < 1e-6);
    ensure_sound(&s, &def);
    done(&s);
    phx_mesh_destroy(ball);
}

/// Inside of the body jitter moves nodes, on its surface it does not.
TEST(jitter) {
    phx_body_def def = body("box(size=(1,1,1))", 0.1);
    def.jitter = 0.3;
    sampled s;
    sample(&s, &def);
    int on = 0;
    for (int i = 0; i < s.samples.count; ++i) {
        phx_vec3 p = s.samples.positions[i];
        on += fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > 0.5 - 1e-9;
        ENSURE(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) < 0.5 + 1e-9);
    }
    ENSURE(on == 11 * 11 * 11 - 9 * 9 * 9);
    done(&s);
}

/// One layer of particles is what it was.
TEST(sheet) {
    phx_body_def def = body("box(size=(1,1,0.1))", 0.1), plain = def;
    plain.sampling = PHX_SAMPLING_UNIFORM;
    sampled s, t;
    sample(&s, &def);
    sample(&t, &plain);
    ENSURE(s.samples.count == 100 && t.samples.count == 100);
    for (int i = 0; i < 100; ++i) {
        ENSURE(phxi_distance(s.samples.positions[i], t.samples.positions[i]) == 0);
    }
    done(&s);
    done(&t);
}

/// How thick a body is under half of its surface, measured up to four spacings.
TEST(thickness) {
    static const struct {
        const char* shape;
        double spacings;
    } all[] = {{"box(size=(2,0.2,0.2))", 2},
               {"box(size=(2,0.8,0.24))", 2.4},
               {"box(size=(2,1,1))", 4},
               {"difference(sphere(radius=0.8), sphere(radius=0.5))", 3},
               {"sphere(radius=0.5)", 4}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phx_body_def def = body(all[k].shape, 0.1);
        sampled s;
        sample(&s, &def);
        ENSURE_NEAR(s.samples.thickness / 0.1, all[k].spacings, 0.35);
        done(&s);
    }
}
