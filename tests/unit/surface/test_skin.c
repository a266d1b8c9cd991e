// SPDX-License-Identifier: MIT
// Meshes carried by particles: exact for affine motion, volume kept by rigid motion, also for leaves and rods.
#include "support/meshes.h"
#include "support/test.h"
#include "support/topology.h"
#include "geometry/mesh.h"
#include "surface/frame.h"
#include "surface/skin.h"

// A lattice of nx ny nz particles around the origin with fields rest, deformation, spacing, body.
static phx_frame* lattice(int nx, int ny, int nz, double spacing) {
    phx_frame* frame = NULL;
    if (phx_frame_create(nx * ny * nz, 0, 0, NULL, &frame) != PHX_OK) {
        return NULL;
    }
    float *rest, *f, *size, *body;
    phx_frame_add_field(frame, "rest", 3, &rest);
    phx_frame_add_field(frame, "deformation", 9, &f);
    phx_frame_add_field(frame, "spacing", 1, &size);
    phx_frame_add_field(frame, "body", 1, &body);
    for (int i = 0; i < frame->points; ++i) {
        int at[3] = {i % nx, i / nx % ny, i / nx / ny}, n[3] = {nx, ny, nz};
        for (int k = 0; k < 3; ++k) {
            rest[3 * i + k] = (float)(spacing * (at[k] - 0.5 * (n[k] - 1)));
            frame->positions[3 * i + k] = (double)rest[3 * i + k];
            f[9 * i + 4 * k] = 1;
        }
        size[i] = (float)spacing;
    }
    return frame;
}

// x = A X + t for all particles, F = A.
static void deform(phx_frame* frame, const phxi_mat3* a, phx_vec3 t) {
    float* f;
    phx_frame_add_field(frame, "deformation", 9, &f);
    const float* rest = phx_frame_find(frame, "rest")->values;
    for (int i = 0; i < frame->points; ++i) {
        phx_vec3 x = {(double)rest[3 * i], (double)rest[3 * i + 1], (double)rest[3 * i + 2]};
        x = phxi_add(phxi_mat3_apply(a, x), t);
        frame->positions[3 * i] = x.x, frame->positions[3 * i + 1] = x.y, frame->positions[3 * i + 2] = x.z;
        for (int k = 0; k < 9; ++k) {
            f[9 * i + k] = (float)a->m[k / 3][k % 3];
        }
    }
}

static const phxi_mat3 shear = {{{1.3, 0.4, -0.2}, {0.1, 0.8, 0.3}, {-0.3, 0.2, 1.1}}};

TEST(affine_motion_is_exact_in_double) {
    enum { SIDE = 7, COUNT = SIDE * SIDE * SIDE, POINTS = 500 };
    double rest[3 * COUNT], now[3 * COUNT], f[9 * COUNT], moved[3 * POINTS], turned[3 * POINTS];
    phx_vec3 points[POINTS], normals[POINTS];
    uint64_t state = 1;
    for (int i = 0; i < COUNT; ++i) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int k = 0; k < 3; ++k) {
            rest[3 * i + k] = 0.1 * (at[k] - 3 + 0.3 * (phxt_random(&state) - 0.5));
        }
        phx_vec3 x = phxi_mat3_apply(&shear, (phx_vec3){rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]});
        now[3 * i] = x.x + 5, now[3 * i + 1] = x.y, now[3 * i + 2] = x.z - 3;
        memcpy(f + 9 * i, &shear, sizeof shear);
    }
    for (int i = 0; i < POINTS; ++i) {
        points[i] = (phx_vec3){0.7 * phxt_random(&state) - 0.35, 0.7 * phxt_random(&state) - 0.35,
                               0.7 * phxt_random(&state) - 0.35};
        normals[i] = phxi_normalize(points[i], (phx_vec3){0, 0, 1});
    }
    points[0] = (phx_vec3){9, 9, 9}; // far away: the radius grows
    phxi_mat3 cofactor = phxi_mat3_cofactor(&shear);
    for (int kind = 0; kind < 2; ++kind) {
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phxi_binding binding = {.count = POINTS, .points = points, .normals = normals, .rest = rest};
        REQUIRE_OK(phxi_skin_bind(&heap, &binding, COUNT, 0.2, (phx_skin_kind)kind));
        phxi_skin_move(&binding, now, f, moved, turned);
        double worst = 0, worst_normal = 0;
        int tetrahedra = 0;
        for (int i = 0; i < POINTS; ++i) {
            phx_vec3 x = phxi_mat3_apply(&shear, points[i]), n = phxi_mat3_apply(&cofactor, normals[i]);
            n = phxi_normalize(n, n);
            worst = fmax(worst, phxi_distance((phx_vec3){x.x + 5, x.y, x.z - 3},
                                              (phx_vec3){moved[3 * i], moved[3 * i + 1], moved[3 * i + 2]}));
            worst_normal =
                fmax(worst_normal, phxi_distance(n, (phx_vec3){turned[3 * i], turned[3 * i + 1], turned[3 * i + 2]}));
            tetrahedra += binding.tetrahedron[i];
        }
        printf("kind %d: position %.2e, normal %.2e, %d of %d in tetrahedra\n", kind, worst, worst_normal, tetrahedra,
               POINTS);
        ENSURE(worst < 1e-12 && worst_normal < 1e-12);
        ENSURE(kind == 0 ? tetrahedra == 0 : tetrahedra > POINTS * 8 / 10);
        phxi_skin_unbind(&binding);
        ENSURE(heap.live_bytes == 0);
        phxi_heap_destroy(&heap);
    }
}

// Binds a mesh to particles, moves them, and compares every vertex.
static void carry(phx_mesh* mesh, phx_frame* particles, int kind, const phxi_mat3* a, double bound) {
    phx_skin_def def = phx_skin_def_default();
    phx_skin* skin = NULL;
    phx_frame* surface = NULL;
    def.mesh = mesh;
    def.particles = particles;
    def.kind = kind;
    REQUIRE_OK(phx_skin_create(&def, &skin));
    deform(particles, a, (phx_vec3){1, 2, 3});
    REQUIRE_OK(phx_skin_apply(skin, particles, &surface));
    REQUIRE(surface->points == mesh->vertex_count && surface->triangles == mesh->triangle_count);
    const float* normal = phx_frame_find(surface, "normal")->values;
    double worst = 0;
    for (int i = 0; i < surface->points; ++i) {
        phx_vec3 x = phxi_add(phxi_mat3_apply(a, mesh->positions[i]), (phx_vec3){1, 2, 3});
        const double* p = surface->positions + 3 * i;
        worst = fmax(worst, phxi_distance(x, (phx_vec3){p[0], p[1], p[2]}));
        ENSURE_NEAR(normal[3 * i] * normal[3 * i] + normal[3 * i + 1] * normal[3 * i + 1] +
                        normal[3 * i + 2] * normal[3 * i + 2],
                    1, 1e-5);
    }
    ENSURE(worst < bound);
    double before = phx_mesh_volume(mesh);
    double after = phxt_volume_of(surface->positions, surface->indices, surface->triangles);
    ENSURE_NEAR(after, before * phxi_mat3_det(a), 1e-4 * fabs(before));
    printf("position %.2e, volume %.9g of %.9g\n", worst, after, before * phxi_mat3_det(a));
    phx_frame_destroy(surface);
    phx_skin_destroy(skin);
}

TEST(bodies_leaves_and_rods_are_carried) {
    static const int sizes[4][3] = {{9, 9, 9}, {12, 12, 1}, {30, 1, 1}, {1, 1, 1}};
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, 2, -1}, 1.1);
    for (int i = 0; i < 4; ++i) {
        for (int kind = 0; kind < 2; ++kind) {
            for (int rigid = 0; rigid < 2; ++rigid) {
                const int* n = sizes[i];
                double h = 0.1;
                phx_frame* particles = lattice(n[0], n[1], n[2], h);
                phx_vec3 half = {0.5 * h * n[0], 0.5 * h * n[1], 0.5 * h * n[2]};
                phx_mesh* mesh = phxt_box_mesh((phx_vec3){-half.x, -half.y, -half.z}, half);
                REQUIRE(particles && mesh);
                carry(mesh, particles, kind, rigid ? &turn : &shear, 2e-6);
                phx_mesh_destroy(mesh);
                phx_frame_destroy(particles);
            }
        }
    }
}

TEST(a_rigid_body_keeps_its_volume) {
    phx_frame* particles = lattice(11, 11, 11, 0.1);
    phx_mesh* mesh = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 24, 48);
    phxi_mat3 turn = phxi_rotation((phx_vec3){-1, 0.3, 0.7}, 2.5);
    REQUIRE(particles && mesh);
    phx_skin_def def = phx_skin_def_default();
    phx_skin* skin = NULL;
    phx_frame* surface = NULL;
    def.mesh = mesh;
    def.particles = particles;
    REQUIRE_OK(phx_skin_create(&def, &skin));
    deform(particles, &turn, (phx_vec3){0, 0, 10});
    REQUIRE_OK(phx_skin_apply(skin, particles, &surface));
    double after = phxt_volume_of(surface->positions, surface->indices, surface->triangles);
    ENSURE_NEAR(after / phx_mesh_volume(mesh), 1, 1e-6);
    phx_frame_destroy(surface);
    phx_skin_destroy(skin);
    phx_mesh_destroy(mesh);
    phx_frame_destroy(particles);
}

TEST(fields_and_bodies_are_respected) {
    // Two bodies beside each other; the skin of the second one follows that one alone.
    phx_frame* particles = lattice(10, 5, 5, 0.1);
    REQUIRE(particles);
    float *body, *value;
    phx_frame_add_field(particles, "body", 1, &body);
    phx_frame_add_field(particles, "value", 1, &value);
    for (int i = 0; i < particles->points; ++i) {
        body[i] = i % 10 >= 5;
        value[i] = 5 + body[i];
    }
    phx_mesh* mesh = phxt_box_mesh((phx_vec3){0, -0.25, -0.25}, (phx_vec3){0.5, 0.25, 0.25});
    REQUIRE(mesh);
    phx_skin_def def = phx_skin_def_default();
    phx_skin* skin = NULL;
    phx_frame* surface = NULL;
    def.mesh = mesh;
    def.particles = particles;
    def.body = 1;
    REQUIRE_OK(phx_skin_create(&def, &skin));
    for (int i = 0; i < particles->points; ++i) {
        particles->positions[3 * i + 2] += body[i] > 0 ? 2 : -2;
    }
    REQUIRE_OK(phx_skin_apply(skin, particles, &surface));
    for (int i = 0; i < surface->points; ++i) {
        ENSURE_NEAR(surface->positions[3 * i + 2], mesh->positions[i].z + 2, 1e-6);
        ENSURE(phx_frame_find(surface, "body")->values[i] == 1);
        ENSURE_NEAR(phx_frame_find(surface, "value")->values[i], 6, 1e-6);
    }
    phx_frame_destroy(surface);
    // Frames of something else are refused.
    phx_frame* other = lattice(4, 4, 4, 0.1);
    ENSURE_RESULT(phx_skin_apply(skin, other, &surface), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(other);
    other = lattice(5, 10, 5, 0.1);
    ENSURE_RESULT(phx_skin_apply(skin, other, &surface), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("not the one");
    phx_frame_destroy(other);
    phx_skin_destroy(skin);
    def.body = 9;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("body 9");
    phx_mesh_destroy(mesh);
    phx_frame_destroy(particles);
}

TEST(bad_input_is_told) {
    phx_frame* particles = lattice(3, 3, 3, 0.1);
    phx_frame* bare = NULL;
    phx_mesh* mesh = phxt_box_mesh((phx_vec3){-1, -1, -1}, (phx_vec3){1, 1, 1});
    REQUIRE(particles && mesh);
    REQUIRE_OK(phx_frame_create(5, 0, 0, NULL, &bare));
    phx_skin* skin = NULL;
    phx_skin_def def = phx_skin_def_default();
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    def.mesh = mesh;
    def.particles = bare;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("\"rest\"");
    def.particles = particles;
    def.radius = NAN;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    def.radius = 2;
    def.kind = 7;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    def.kind = PHX_SKIN_MLS;
    def.stamp = 0;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    def = phx_skin_def_default();
    def.mesh = mesh;
    def.particles = particles;
    float* rest;
    phx_frame_add_field(particles, "rest", 3, &rest);
    rest[3 * 4] = NAN;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("particle 4");
    rest[3 * 4] = 1e30f;
    ENSURE_RESULT(phx_skin_create(&def, &skin), PHX_ERROR_ARGUMENT);
    ENSURE(skin == NULL);
    ENSURE_RESULT(phx_skin_apply(NULL, particles, &bare), PHX_ERROR_ARGUMENT);
    phx_skin_destroy(NULL);
    phx_frame_destroy(bare);
    phx_frame_destroy(particles);
    phx_mesh_destroy(mesh);
}

TEST(every_failing_allocation_is_survived) {
    phx_frame* particles = lattice(3, 3, 3, 0.1);
    phx_mesh* mesh = phxt_box_mesh((phx_vec3){-0.15, -0.15, -0.15}, (phx_vec3){0.15, 0.15, 0.15});
    REQUIRE(particles && mesh);
    for (int kind = 0; kind < 2; ++kind) {
        for (int64_t fail = 0;; ++fail) {
            phxt_heap heap;
            phxt_heap_init(&heap, fail);
            phx_skin_def def = phx_skin_def_default();
            def.mesh = mesh;
            def.particles = particles;
            def.kind = kind;
            def.allocator = heap.allocator;
            phx_skin* skin = NULL;
            phx_frame* surface = NULL;
            phx_result result = phx_skin_create(&def, &skin);
            if (result == PHX_OK) {
                result = phx_skin_apply(skin, particles, &surface);
            }
            ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
            ENSURE((result == PHX_OK) == (surface != NULL));
            phx_frame_destroy(surface);
            phx_skin_destroy(skin);
            ENSURE(heap.live == 0);
            if (result == PHX_OK) {
                break;
            }
        }
    }
    phx_frame_destroy(particles);
    phx_mesh_destroy(mesh);
}
