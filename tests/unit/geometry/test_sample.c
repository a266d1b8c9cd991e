// SPDX-License-Identifier: MIT
// Samplers: counts and volumes of bodies with known ones, small cells given away, balance of the octree, refusals.
#include "support/test.h"

#include "geometry/sample.h"

static const double pi = 3.14159265358979323846;

static phx_body_def body(const char* shape, double spacing, int sampling) {
    return (phx_body_def){.shape = shape, .scale = 1, .spacing = spacing, .sampling = sampling, .levels = 1};
}

static double sum(const phxi_samples* samples) {
    double total = 0;
    for (int i = 0; i < samples->count; ++i) {
        total += samples->volumes[i];
    }
    return total;
}

/// Samples; the caller destroys. The report must agree with what it is about.
static phxi_samples sample(phxi_heap* heap, const phx_body_def* def, phx_sample_report* report) {
    phxi_samples samples = {0};
    phxi_heap_init(heap, NULL);
    if (!phxt_result(__FILE__, __LINE__, def->shape ? def->shape : "mesh",
                     phxi_sample_body(heap, def, &samples, report), PHX_OK)) {
        exit(1);
    }
    ENSURE(report->count == samples.count && samples.count > 0);
    ENSURE_NEAR(sum(&samples), report->exact, 1e-12 * report->exact);
    ENSURE_NEAR(report->volume, report->exact, 1e-12 * report->exact);
    ENSURE(report->spacing == def->spacing);
    return samples;
}

static void done(phxi_heap* heap, phxi_samples* samples) {
    phxi_samples_destroy(heap, samples);
    ENSURE(heap->live_bytes == 0);
    phxi_heap_destroy(heap);
}

static void ensure_volume(const phx_body_def* def, double volume, double tolerance, double raw) {
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, def, &report);
    ENSURE_NEAR(report.exact / volume, 1, tolerance);
    ENSURE_NEAR(report.raw_error, 0, raw);
    ENSURE(report.closed);
    done(&heap, &samples);
}

TEST(whole_cells_are_exact) {
    // Boxes of whole cells, at places and spacings that do not round kindly.
    const char* const texts[] = {"box(size=(0.8,0.8,0.8))", "box(center=(0.123,-7.7,0.3333), size=(0.8,0.8,0.8))",
                                 "union(box((0.2,0,0), (0.4,0.8,0.8)), box((-0.2,0,0), (0.4,0.8,0.8)))"};
    for (int t = 0; t < 3; ++t) {
        phx_body_def def = body(texts[t], 0.1, PHX_SAMPLING_UNIFORM);
        phxi_heap heap;
        phx_sample_report report;
        phxi_samples samples = sample(&heap, &def, &report);
        ENSURE(samples.count == 512);
        for (int i = 0; i < samples.count; ++i) {
            ENSURE(samples.volumes[i] == 0.1 * 0.1 * 0.1);
            ENSURE(samples.spacings[i] == 0.1);
        }
        done(&heap, &samples);
    }
    // Placed by the definition, with a scale that makes whole cells and a quarter turn that keeps them.
    phx_body_def def = body("box(size=(2,1,1))", 0.1, PHX_SAMPLING_UNIFORM);
    def.scale = 0.4;
    def.rotate = phxi_vec3(90, 0, 90);
    def.translate = phxi_vec3(0.77, 3, -2);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 128);
    ENSURE_NEAR(report.exact, 0.128, 1e-12);
    done(&heap, &samples);
}

TEST(flat_sides_leave_half_cells_at_least) {
    for (int n = 0; n < 10; ++n) {
        char text[64];
        snprintf(text, sizeof text, "box(size=(%g,1,1))", 0.5 + 0.01 * n);
        phx_body_def def = body(text, 0.1, PHX_SAMPLING_UNIFORM);
        phxi_heap heap;
        phx_sample_report report;
        phxi_samples samples = sample(&heap, &def, &report);
        ENSURE(samples.count == (n ? 600 : 500));
        for (int i = 0; i < samples.count; ++i) {
            ENSURE(samples.volumes[i] > 0.4999 * 1e-3);
        }
        done(&heap, &samples);
    }
}

static void ensure_volumes(int sampling, double raw, double raw_thin) {
    phx_body_def def = body("sphere(radius=0.5)", 0.06, sampling);
    ensure_volume(&def, pi / 6, 1e-4, raw);
    def = body("ellipsoid(radii=(0.5,0.3,0.4))", 0.05, sampling);
    ensure_volume(&def, 4 * pi / 3 * 0.06, 2e-4, raw);
    def = body("torus(axis=(1,2,3), major=0.5, minor=0.15)", 0.05, sampling);
    ensure_volume(&def, 2 * pi * pi * 0.5 * 0.0225, 2e-4, raw);
    def = body("cone(from=(0,0,0), to=(0.3,0.4,1.2), radius1=0.5, radius2=0)", 0.06, sampling);
    ensure_volume(&def, pi * 0.25 * 1.3 / 3, 2e-4, raw);
    def = body("rotate((1,2,3), 33, box(size=(1,0.7,0.4)))", 0.06, sampling);
    ensure_volume(&def, 0.28, 2e-4, raw);
    def = body("difference(box(), sphere())", 0.07, sampling);
    ensure_volume(&def, 1 - pi / 6, 2e-4, raw_thin);
}

TEST(volumes_uniform) {
    ensure_volumes(PHX_SAMPLING_UNIFORM, 2e-3, 5e-3);
}

TEST(volumes_bcc) {
    ensure_volumes(PHX_SAMPLING_BCC, 0.03, 0.15);
}

TEST(volumes_octree) {
    ensure_volumes(PHX_SAMPLING_OCTREE, 2e-3, 5e-3);
}

TEST(volumes_vertices) {
    ensure_volumes(PHX_SAMPLING_VERTICES, 2e-3, 5e-3);
}

TEST(volumes_blue_noise) {
    phx_body_def def = body("torus(axis=(1,2,3), major=0.5, minor=0.15)", 0.05, PHX_SAMPLING_BLUE_NOISE);
    ensure_volume(&def, 2 * pi * pi * 0.5 * 0.0225, 2e-4, 1e-6);
    def = body("rotate((1,2,3), 33, box(size=(1,0.7,0.4)))", 0.06, PHX_SAMPLING_BLUE_NOISE);
    ensure_volume(&def, 0.28, 2e-4, 1e-6);
}

/// As many as cells of the spacing; none nearer than half of it to another; all of about one volume; on no lattice.
TEST(blue_noise_is_even_and_irregular) {
    phx_body_def def = body("sphere(radius=0.5)", 0.08, PHX_SAMPLING_BLUE_NOISE);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples s = sample(&heap, &def, &report);
    double cells = pi / 6 / (0.08 * 0.08 * 0.08), mean = report.volume / s.count, spread = 0, offset = 0;
    ENSURE(s.count > 0.9 * cells && s.count < 1.25 * cells);
    for (int i = 0; i < s.count; ++i) {
        double nearest = INFINITY;
        for (int j = 0; j < s.count; ++j) {
            nearest = j == i ? nearest : fmin(nearest, phxi_distance(s.positions[i], s.positions[j]));
        }
        ENSURE(nearest > 0.5 * 0.08 && nearest < 1.3 * 0.08);
        ENSURE(s.volumes[i] > 0.4 * mean && s.volumes[i] < 2 * mean);
        spread += (s.volumes[i] / mean - 1) * (s.volumes[i] / mean - 1) / s.count;
        offset += fmod(s.positions[i].x + 10, 0.08) / 0.08 / s.count;
    }
    ENSURE(sqrt(spread) < 0.2);
    ENSURE_NEAR(offset, 0.5, 0.05); // of a lattice it would be one number
    done(&heap, &s);
}

/// A bar of 10 x 2 x 2 cells: 11 x 3 x 3 corners, which hold a cell divided by two for each face they are on.
TEST(vertices_of_a_bar) {
    phx_body_def def = body("box(center=(2.5,0,0), size=(5,1,1))", 0.5, PHX_SAMPLING_VERTICES);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 99);
    ENSURE_NEAR(report.volume, 5, 1e-12);
    for (int i = 0; i < samples.count; ++i) {
        phx_vec3 p = samples.positions[i];
        int faces = (p.x == 0 || p.x == 5) + (fabs(p.y) == 0.5) + (fabs(p.z) == 0.5);
        ENSURE_NEAR(samples.volumes[i], 0.125 / (1 << faces), 1e-14);
        ENSURE(samples.spacings[i] == 0.5);
    }
    done(&heap, &samples);
}

/// As few cells as there can be: one, which is the ball.
TEST(coarse_spacing) {
    phx_body_def def = body("sphere(radius=0.5)", 1, PHX_SAMPLING_UNIFORM);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 1);
    ENSURE_NEAR(report.exact, pi / 6, 1e-4);
    done(&heap, &samples);
}

TEST(no_light_particles) {
    // On a round body, everything below a third finds a neighbour to give to.
    const double spacings[] = {0.05, 0.061, 0.077, 0.09, 0.11};
    for (int s = 0; s < 10; ++s) {
        phx_body_def def =
            body("sphere(radius=0.5)", spacings[s / 2], s % 2 ? PHX_SAMPLING_OCTREE : PHX_SAMPLING_UNIFORM);
        phxi_heap heap;
        phx_sample_report report;
        phxi_samples samples = sample(&heap, &def, &report);
        phx_vec3 mean = {0, 0, 0};
        for (int i = 0; i < samples.count; ++i) {
            double part = samples.volumes[i] / pow(samples.spacings[i], 3);
            ENSURE(part > 0.33 && part < 2);
            mean = phxi_add_scaled(mean, samples.volumes[i], samples.positions[i]);
        }
        ENSURE(phxi_length(mean) < 1e-6); // what is given away is given evenly
        ENSURE(fabs(report.raw_error) < 2e-4);
        done(&heap, &samples);
    }
}

/// Whether every particle is reached from the first by steps to face, edge or corner neighbours.
static bool connected(const phxi_samples* samples, double spacing) {
    int reached = 1, count = samples->count;
    int* order = malloc((size_t)count * sizeof *order);
    if (!order) {
        exit(1);
    }
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (int from = 0; from < reached; ++from) {
        for (int to = reached; to < count; ++to) {
            phx_vec3 d = phxi_sub(samples->positions[order[from]], samples->positions[order[to]]);
            if (fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) < 1.1 * spacing) {
                int swap = order[to];
                order[to] = order[reached];
                order[reached++] = swap;
            }
        }
    }
    free(order);
    return reached == count;
}

TEST(thin_parts_stay_connected) {
    // Stems of about a cell's width at many angles, between two balls.
    for (int angle = 0; angle <= 90; angle += 9) {
        for (int thick = 0; thick < 3; ++thick) {
            char text[256];
            snprintf(text, sizeof text,
                     "rotate((0.3,1,0.2), %d, union(sphere((-0.5,0.03,0.02), 0.15), sphere((0.5,0,0), 0.15), "
                     "capsule((-0.5,0,0), (0.5,0.01,0.02), %g)))",
                     angle, 0.028 + 0.008 * thick);
            phx_body_def def = body(text, 0.05, PHX_SAMPLING_UNIFORM);
            phxi_heap heap;
            phx_sample_report report;
            phxi_samples samples = sample(&heap, &def, &report);
            if (!connected(&samples, 0.05)) {
                phxt_failed(__FILE__, __LINE__, "not connected: %s", text);
            }
            done(&heap, &samples);
        }
    }
}

TEST(leaves_stay_on_their_stem) {
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_source("scenes/models/plant.obj"), &mesh));
    const double spacings[] = {0.0065, 0.0075, 0.009, 0.012};
    for (int s = 0; s < 4; ++s) {
        phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = spacings[s]};
        phxi_heap heap;
        phx_sample_report report;
        phxi_samples samples = sample(&heap, &def, &report);
        ENSURE(connected(&samples, spacings[s]));
        done(&heap, &samples);
    }
    phx_mesh_destroy(mesh);
}

TEST(thin_plates_are_kept) {
    // A plate of a quarter of a cell has no fuller neighbours anywhere.
    phx_body_def def = body("box(size=(1,1,0.025))", 0.1, PHX_SAMPLING_UNIFORM);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 100);
    ENSURE_NEAR(samples.volumes[55], 2.5e-4, 1e-9);
    done(&heap, &samples);
}

TEST(bcc_counts) {
    phx_body_def def = body("box(size=(0.8,0.8,0.8))", 0.1, PHX_SAMPLING_BCC);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 1024);
    int first = 0;
    for (int i = 0; i < samples.count; ++i) {
        ENSURE_NEAR(samples.volumes[i], 0.5e-3, 1e-15);
        // Each coordinate is at 1/4 or at 3/4 of a cell, all three alike.
        double u[3] = {samples.positions[i].x, samples.positions[i].y, samples.positions[i].z};
        int quarter[3];
        for (int c = 0; c < 3; ++c) {
            double cell = (u[c] + 0.4) / 0.1;
            quarter[c] = (int)lround(4 * (cell - floor(cell)));
            ENSURE_NEAR(4 * (cell - floor(cell)), quarter[c], 1e-9);
        }
        ENSURE(quarter[0] == quarter[1] && quarter[1] == quarter[2] && (quarter[0] == 1 || quarter[0] == 3));
        first += quarter[0] == 1;
    }
    ENSURE(first == 512);
    done(&heap, &samples);
}

/// Leaves that touch, by face, edge or corner, differ by a factor of two at most.
static void ensure_balanced(const char* text, double spacing, int levels) {
    phx_body_def def = body(text, spacing, PHX_SAMPLING_OCTREE);
    def.levels = levels;
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    double finest = spacing, coarsest = 0;
    int broken = 0;
    for (int i = 0; i < samples.count; ++i) {
        finest = fmin(finest, samples.spacings[i]);
        coarsest = fmax(coarsest, samples.spacings[i]);
        for (int j = 0; j < i; ++j) {
            phx_vec3 d = phxi_sub(samples.positions[i], samples.positions[j]);
            double gap = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))), a = samples.spacings[i], b = samples.spacings[j];
            bool touch = gap < 0.5 * (a + b) * (1 + 1e-9);
            ENSURE(!(gap < 0.5 * (a + b) * (1 - 1e-9))); // none overlap
            broken += touch && fmax(a, b) > 2.01 * fmin(a, b);
        }
    }
    ENSURE(broken == 0);
    ENSURE_NEAR(finest, ldexp(spacing, -levels), 1e-12);
    ENSURE(coarsest == spacing);
    done(&heap, &samples);
}

TEST(octree_is_balanced) {
    ensure_balanced("sphere(radius=0.5)", 0.12, 1);
    ensure_balanced("sphere(radius=0.8)", 0.2, 2);
    ensure_balanced("box(size=(1.5,1,1))", 0.2, 2);
    ensure_balanced("union(box(size=(2,0.5,0.5)), sphere(radius=0.7))", 0.17, 2);
}

TEST(octree_refines_the_surface) {
    // The outer layer of a box of 4^3 cells is halved once: 8 cells stay, 56 become 8 each.
    phx_body_def def = body("box(size=(0.4,0.4,0.4))", 0.1, PHX_SAMPLING_OCTREE);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 8 + 56 * 8);
    done(&heap, &samples);
    def.levels = 0;
    samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 64);
    done(&heap, &samples);
}

/// A closed box as a mesh, its triangles turned outwards.
static phx_mesh* box_mesh(double size) {
    double p[24];
    for (int v = 0; v < 8; ++v) {
        p[3 * v] = v & 1 ? size : 0;
        p[3 * v + 1] = v & 2 ? size : 0;
        p[3 * v + 2] = v & 4 ? size : 0;
    }
    const int t[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    phx_mesh* mesh = NULL;
    if (!phxt_result(__FILE__, __LINE__, "mesh", phx_mesh_create(8, p, 12, t, &mesh), PHX_OK)) {
        exit(1);
    }
    return mesh;
}

TEST(meshes) {
    phx_mesh* mesh = box_mesh(0.8);
    const int counts[] = {512, 1024, 6 * 6 * 6 + 8 * (512 - 216)};
    for (int sampling = PHX_SAMPLING_UNIFORM; sampling <= PHX_SAMPLING_OCTREE; ++sampling) {
        phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = 0.1, .sampling = sampling, .levels = 1};
        phxi_heap heap;
        phx_sample_report report;
        phxi_samples samples = sample(&heap, &def, &report);
        ENSURE(samples.count == counts[sampling]);
        ENSURE(report.closed);
        ENSURE_NEAR(report.exact, 0.512, 1e-12);
        ENSURE(sampling == PHX_SAMPLING_OCTREE || samples.volumes[7] == (sampling ? 0.5 : 1) * (0.1 * 0.1 * 0.1));
        done(&heap, &samples);

        def.scale = 0.5;
        def.rotate = phxi_vec3(20, 30, 40);
        def.translate = phxi_vec3(1, 2, 3);
        def.spacing = 0.05;
        samples = sample(&heap, &def, &report);
        ENSURE_NEAR(report.exact, 0.064, 1e-12);
        ENSURE(fabs(report.raw_error) < (sampling == PHX_SAMPLING_BCC ? 0.05 : 0.01));
        done(&heap, &samples);
    }
    phx_mesh_destroy(mesh);
}

TEST(points_are_the_vertices) {
    phx_mesh* mesh = box_mesh(0.8);
    phx_body_def def = {.mesh = mesh, .scale = 2, .spacing = 0.1, .sampling = PHX_SAMPLING_POINTS};
    def.translate = phxi_vec3(1, 0, 0);
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(samples.count == 8);
    for (int i = 0; i < 8; ++i) {
        const double* p = phx_mesh_positions(mesh) + (size_t)3 * (size_t)i;
        ENSURE_NEAR(phxi_distance(samples.positions[i], phxi_vec3(2 * p[0] + 1, 2 * p[1], 2 * p[2])), 0, 1e-12);
        ENSURE_NEAR(samples.volumes[i], 1e-3, 1e-15); // a cell each, whatever the mesh holds
    }
    done(&heap, &samples);
    phx_mesh_destroy(mesh);
}

TEST(open_meshes_count_their_cells) {
    phx_mesh* closed = box_mesh(0.8);
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_create(8, phx_mesh_positions(closed), 11, phx_mesh_triangles(closed), &mesh));
    phx_body_def def = {.mesh = mesh, .scale = 1, .spacing = 0.1, .levels = 1};
    phxi_heap heap;
    phx_sample_report report;
    phxi_samples samples = sample(&heap, &def, &report);
    ENSURE(!report.closed);
    ENSURE_NEAR(report.exact, 0.512, 0.1);
    done(&heap, &samples);
    phx_mesh_destroy(mesh);
    phx_mesh_destroy(closed);
}

TEST(jitter) {
    phx_body_def def = body("box(size=(0.8,0.8,0.8))", 0.1, PHX_SAMPLING_UNIFORM);
    phxi_heap heap, other;
    phx_sample_report report;
    phxi_samples still = sample(&heap, &def, &report);
    def.jitter = 0.25;
    phxi_samples moved = sample(&other, &def, &report);
    double mean = 0, most = 0;
    for (int i = 0; i < still.count; ++i) {
        phx_vec3 d = phxi_sub(moved.positions[i], still.positions[i]);
        most = fmax(most, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
        mean += d.x + d.y + d.z;
    }
    ENSURE(most > 0.024 && most <= 0.025 + 1e-15);
    ENSURE(fabs(mean / (3 * still.count)) < 0.002);
    done(&heap, &still);
    phxi_samples again = sample(&heap, &def, &report);
    ENSURE(memcmp(again.positions, moved.positions, (size_t)again.count * sizeof *again.positions) == 0);
    done(&heap, &again);
    done(&other, &moved);
}

static void ensure_refused(phx_body_def def, phx_result wanted, const char* message) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_samples samples;
    phx_sample_report report;
    ENSURE_RESULT(phxi_sample_body(&heap, &def, &samples, &report), wanted);
    ENSURE_MESSAGE(message);
    ENSURE(samples.count == 0 && !samples.positions);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(refusals) {
    ensure_refused(body("box(size=(1,1,0.02))", 0.21, 0), PHX_ERROR_ARGUMENT,
                   "no particle fits: spacing 0.21 m, the body is 0.02 m thick");
    ensure_refused(body("intersection(sphere(), sphere((3,0,0)))", 0.1, 0), PHX_ERROR_ARGUMENT, "no particle fits");
    ensure_refused(body("sphere()", 0.0025, 0), PHX_ERROR_ARGUMENT, "400 x 400 x 400 cells of 0.0025 m");
    ensure_refused(body("sphere()", 0.005, PHX_SAMPLING_OCTREE), PHX_ERROR_ARGUMENT, "expected at most 50 million");
    ensure_refused(body("sphere()", 1e-300, 0), PHX_ERROR_ARGUMENT, "expected at most 50 million");
    ensure_refused(body("plane()", 0.1, 0), PHX_ERROR_ARGUMENT, "the shape has no end");
    ensure_refused(body("sphere(", 0.1, 0), PHX_ERROR_FORMAT, "shape: column 8: ");
    ensure_refused(body(NULL, 0.1, 0), PHX_ERROR_ARGUMENT, "neither a mesh nor a shape");
    ensure_refused(body("sphere()", 0, 0), PHX_ERROR_ARGUMENT, "spacing is 0 m");
    ensure_refused(body("sphere()", NAN, 0), PHX_ERROR_ARGUMENT, "spacing is nan m");
    ensure_refused(body("sphere()", INFINITY, 0), PHX_ERROR_ARGUMENT, "spacing is inf m");
    ensure_refused(body("sphere()", 0.1, 8), PHX_ERROR_ARGUMENT, "sampling is 8");
    ensure_refused(body("sphere()", 0.1, PHX_SAMPLING_POINTS), PHX_ERROR_ARGUMENT, "expected a mesh");
    phx_body_def def = body("sphere()", 0.1, 0);
    def.levels = 7;
    ensure_refused(def, PHX_ERROR_ARGUMENT, "levels is 7");
    def = body("sphere()", 0.1, 0);
    def.scale = -1;
    ensure_refused(def, PHX_ERROR_ARGUMENT, "scale is -1");
    def = body("sphere()", 0.1, 0);
    def.jitter = 0.6;
    ensure_refused(def, PHX_ERROR_ARGUMENT, "jitter is 0.6");
    def = body("sphere()", 0.1, 0);
    def.translate.x = NAN;
    ensure_refused(def, PHX_ERROR_ARGUMENT, "not finite");
    phx_mesh* mesh = box_mesh(1);
    def = body("sphere()", 0.1, 0);
    def.mesh = mesh;
    ensure_refused(def, PHX_ERROR_ARGUMENT, "both a mesh and a shape");
    phx_mesh_destroy(mesh);
}

TEST(every_allocation_may_fail) {
    phx_mesh* mesh = box_mesh(1);
    static const int samplings[] = {PHX_SAMPLING_UNIFORM, PHX_SAMPLING_BCC, PHX_SAMPLING_OCTREE, PHX_SAMPLING_VERTICES,
                                    PHX_SAMPLING_BLUE_NOISE};
    for (int kind = 0; kind < 10; ++kind) {
        phx_body_def def = body(kind < 5 ? "box(size=(2,0.3,0.3))" : NULL, 0.21, samplings[kind % 5]);
        def.mesh = kind < 5 ? NULL : mesh;
        def.scale = 1.5;
        def.levels = 2;
        for (int64_t n = 0;; ++n) {
            phxt_heap counted;
            phxt_heap_init(&counted, n);
            phxi_heap heap;
            phxi_heap_init(&heap, &counted.allocator);
            phxi_samples samples;
            phx_result result = phxi_sample_body(&heap, &def, &samples, NULL);
            phxi_samples_destroy(&heap, &samples);
            ENSURE(counted.live == 0);
            phxi_heap_destroy(&heap);
            if (result == PHX_OK) {
                ENSURE(n > 4);
                break;
            }
            ENSURE(result == PHX_ERROR_MEMORY);
            REQUIRE(n < 200);
        }
    }
    phx_mesh_destroy(mesh);
}
