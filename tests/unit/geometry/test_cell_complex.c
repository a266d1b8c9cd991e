// SPDX-License-Identifier: MIT
// Bodies cut into cells: closed around every particle, exact in volume, for all samplings and for meshes that are
// curved, have holes, or are thin; refusals for what cannot be cut.
#include "support/test.h"

#include "core/array.h"
#include "core/hash.h"
#include "geometry/body_mesh.h"
#include "geometry/cell_complex.h"
#include "geometry/key_table.h"
#include "geometry/sample.h"
#include "support/meshes.h"

typedef struct sides {
    phxi_key_table keys;
    PHXI_ARRAY(int) balance;
} sides;

static void use(sides* s, phxi_heap* heap, int particle, int from, int to) {
    uint64_t pair = from < to ? phxi_key_pair(from, to) : phxi_key_pair(to, from);
    int* slot = phxi_key_slot(&s->keys, phxi_hash_pair(pair, (uint64_t)particle));
    REQUIRE(slot);
    if (*slot < 0) {
        *slot = s->balance.count;
        int* balance = phxi_array_add(&s->balance, heap, "sides");
        REQUIRE(balance);
        *balance = 0;
    }
    s->balance.items[*slot] += from < to ? 1 : -1;
}

/// Sides that do not cancel around some particle.
static int unmatched(const phxi_cell_complex* c, phxi_heap* heap) {
    sides s = {.keys = {.heap = heap}};
    for (int t = 0; t < c->piece_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            use(&s, heap, c->piece_particle[t], c->pieces[t].v[k], c->pieces[t].v[(k + 1) % 3]);
        }
    }
    for (int w = 0; w < c->wall_count; ++w) {
        const phxi_cell_wall* wall = &c->walls[w];
        ENSURE(wall->particle[0] < wall->particle[1]);
        for (int t = wall->begin; t < wall->begin + wall->count; ++t) {
            for (int k = 0; k < 3; ++k) {
                int a = c->wall_triangles[t].v[k], b = c->wall_triangles[t].v[(k + 1) % 3];
                use(&s, heap, wall->particle[0], a, b);
                use(&s, heap, wall->particle[1], b, a);
            }
        }
    }
    int open = 0;
    for (int i = 0; i < s.balance.count; ++i) {
        open += s.balance.items[i] != 0;
    }
    phxi_key_destroy(&s.keys);
    phxi_array_destroy(&s.balance, heap);
    return open;
}

static phx_body_def body(const char* shape, const phx_mesh* mesh, double spacing, int sampling) {
    return (phx_body_def){
        .shape = shape, .mesh = mesh, .scale = 1, .spacing = spacing, .sampling = sampling, .levels = 1};
}

static phx_result cut(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh, phxi_samples* samples,
                      phxi_cell_complex** complex) {
    *complex = NULL;
    *samples = (phxi_samples){0};
    PHXI_TRY(phxi_body_mesh(heap, def, mesh));
    PHXI_TRY(phxi_sample_body(heap, def, samples, NULL));
    return phxi_cell_complex_create(heap, *mesh, samples->count, samples->positions, samples->spacings, complex);
}

/// Cuts and checks everything.
static void ensure_cut(const phx_body_def* def) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_mesh* mesh = NULL;
    phxi_samples samples;
    phxi_cell_complex* c;
    bool good =
        phxt_result(__FILE__, __LINE__, def->shape ? def->shape : "mesh", cut(&heap, def, &mesh, &samples, &c), PHX_OK);
    if (good) {
        double sum = 0;
        for (int i = 0; i < c->particle_count; ++i) {
            sum += c->volumes[i];
            ENSURE_NEAR(fmin(c->volumes[i], 0), 0, 1e-4 * pow(def->spacing, 3)); // creases of the vase are folded
        }
        ENSURE(c->particle_count == samples.count);
        ENSURE_NEAR(sum / fabs(phx_mesh_volume(mesh)), 1, 1e-12);
        ENSURE(unmatched(c, &heap) == 0);
        for (int i = 0; i < c->vertex_count; ++i) {
            ENSURE(phxi_finite(c->vertices[i]));
        }
    }
    phxi_cell_complex_destroy(c);
    phxi_samples_destroy(&heap, &samples);
    phx_mesh_destroy(mesh);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

static void ensure_samplings(const char* shape, const phx_mesh* mesh, double spacing) {
    static const phx_vec3 turns[] = {{0, 0, 0}, {0, 0, 45}, {20, 25, 10}};
    for (int t = 0; t < 3; ++t) {
        for (int sampling = t == 1 ? 1 : 0; sampling < (t == 1 ? 2 : 4); ++sampling) {
            phx_body_def def = body(shape, mesh, spacing, sampling == 3 ? PHX_SAMPLING_UNIFORM : sampling);
            def.rotate = turns[t];
            def.jitter = sampling == 3 ? 0.3 : 0;
            def.spacing *= sampling == PHX_SAMPLING_OCTREE ? 1.7 : 1;
            ensure_cut(&def);
        }
    }
}

TEST(box) {
    ensure_samplings("box(size=(1,0.8,0.6))", NULL, 0.1);
}

TEST(sphere) {
    phx_mesh* mesh = phxt_sphere_mesh((phx_vec3){0.3, 0.2, 0.1}, 0.5, 20, 30);
    ensure_samplings(NULL, mesh, 0.1);
    phx_mesh_destroy(mesh);
}

TEST(torus) {
    phx_mesh* mesh = phxt_torus_mesh(0.5, 0.2, 40, 20);
    ensure_samplings(NULL, mesh, 0.09);
    phx_mesh_destroy(mesh);
}

TEST(thin_vase) {
    ensure_samplings("difference(sphere(radius=0.5), sphere(radius=0.44), box(center=(0,0,0.5),size=(1,1,0.5)))", NULL,
                     0.1);
}

TEST(models) {
    static const char* const names[] = {"hare", "chair", "gargoyle"};
    for (int i = 0; i < 3; ++i) {
        char path[64];
        snprintf(path, sizeof path, "scenes/models/%s.obj", names[i]);
        phx_mesh* mesh = NULL;
        REQUIRE_OK(phx_mesh_load(phxt_source(path), &mesh));
        for (int sampling = 0; sampling < 3; ++sampling) {
            phx_body_def def = body(NULL, mesh, sampling == PHX_SAMPLING_OCTREE ? 0.05 : 0.03, sampling);
            def.jitter = i == 2 ? 0.4 : 0;
            ensure_cut(&def);
        }
        phx_mesh_destroy(mesh);
    }
}

/// Whole cells of lattices are what they should be: cubes, and truncated octahedra of half a cube.
TEST(lattice_cells_are_exact) {
    for (int bcc = 0; bcc < 2; ++bcc) {
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phx_body_def def = body("box(size=(1,1,1))", NULL, 0.125, bcc ? PHX_SAMPLING_BCC : PHX_SAMPLING_UNIFORM);
        phx_mesh* mesh = NULL;
        phxi_samples samples;
        phxi_cell_complex* c;
        REQUIRE_OK(cut(&heap, &def, &mesh, &samples, &c));
        double cell = (bcc ? 0.5 : 1) * 0.125 * 0.125 * 0.125;
        int whole = 0;
        for (int i = 0; i < c->particle_count; ++i) {
            phx_vec3 p = samples.positions[i];
            if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) < 0.3) {
                ENSURE_NEAR(c->volumes[i] / cell, 1, 1e-7); // the shear
                ++whole;
            }
        }
        ENSURE(whole == (bcc ? 250 : 64)); // 2 5^3 and 4^3
        // six walls a cube, fourteen an octahedron: half of them each, less those at the surface
        ENSURE(c->wall_count <= samples.count * (bcc ? 7 : 3));
        phxi_cell_complex_destroy(c);
        phxi_samples_destroy(&heap, &samples);
        phx_mesh_destroy(mesh);
        phxi_heap_destroy(&heap);
    }
}

TEST(few_particles) {
    phx_mesh* mesh = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 1, 8, 12);
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    // inside, far from the middle, outside, and far outside
    static const phx_vec3 places[4] = {{0, 0, 0}, {0.9, 0.1, 0}, {1.3, 0, 0}, {7, 0, 0}};
    static const double spacings[4] = {0.5, 0.2, 0.3, 1};
    for (int i = 0; i < 4; ++i) {
        phxi_cell_complex* c = NULL;
        REQUIRE_OK(phxi_cell_complex_create(&heap, mesh, 1, &places[i], &spacings[i], &c));
        ENSURE_NEAR(c->volumes[0], phx_mesh_volume(mesh), 1e-12);
        ENSURE(c->wall_count == 0 && unmatched(c, &heap) == 0);
        phxi_cell_complex_destroy(c);
        REQUIRE_OK(phxi_cell_complex_create(&heap, mesh, 4, places, spacings, &c));
        ENSURE_NEAR(c->volumes[0] + c->volumes[1] + c->volumes[2] + c->volumes[3], phx_mesh_volume(mesh), 1e-12);
        ENSURE(unmatched(c, &heap) == 0);
        phxi_cell_complex_destroy(c);
    }
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
    phx_mesh_destroy(mesh);
}

/// Cells that reach through the gap between two bodies belong to neither's other side.
TEST(sheets_apart) {
    phx_mesh* mesh = phxt_joined_mesh(phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 0.4}),
                                      phxt_box_mesh((phx_vec3){0, 0, 0.45}, (phx_vec3){1, 1, 0.6}));
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    const phx_vec3 places[3] = {{0.25, 0.5, 0.2}, {0.75, 0.5, 0.2}, {0.5, 0.5, 0.5}};
    const double spacings[3] = {0.5, 0.5, 0.5};
    phxi_cell_complex* c = NULL;
    REQUIRE_OK(phxi_cell_complex_create(&heap, mesh, 3, places, spacings, &c));
    ENSURE_NEAR(c->volumes[2], 0.15, 1e-12); // though it is the nearest to much of the lower one
    ENSURE_NEAR(c->volumes[0] + c->volumes[1], 0.4, 1e-12);
    ENSURE(unmatched(c, &heap) == 0);
    phxi_cell_complex_destroy(c);
    phxi_heap_destroy(&heap);
    phx_mesh_destroy(mesh);
}

TEST(inverted_and_repeated) {
    phx_mesh* mesh = phxt_inverted_mesh(phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16));
    phx_body_def def = body(NULL, mesh, 0.12, PHX_SAMPLING_UNIFORM);
    ensure_cut(&def);
    phx_mesh_destroy(mesh);
    // a hollow: the inner sphere turned over
    mesh = phxt_joined_mesh(phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16),
                            phxt_inverted_mesh(phxt_sphere_mesh((phx_vec3){0.01, 0.02, 0.03}, 0.04, 8, 8)));
    def = body(NULL, mesh, 0.12, PHX_SAMPLING_BCC);
    ensure_cut(&def);
    phx_mesh_destroy(mesh);
}

TEST(refusals) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    const phx_vec3 places[2] = {{0.1, 0, 0}, {0.1, 0, 0}}, wild = {NAN, 0, 0};
    const double spacings[2] = {0.2, 0.2}, none = 0;
    phxi_cell_complex* c = NULL;
    phx_mesh* open = phxt_cut_mesh(phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16), 0.3);
    ENSURE_RESULT(phxi_cell_complex_create(&heap, open, 1, places, spacings, &c), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("open edges");
    phx_mesh_destroy(open);
    phx_mesh* sphere = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16);
    ENSURE_RESULT(phxi_cell_complex_create(&heap, sphere, 0, places, spacings, &c), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_cell_complex_create(&heap, sphere, 2, places, spacings, &c), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("two particles");
    ENSURE_RESULT(phxi_cell_complex_create(&heap, sphere, 1, &wild, spacings, &c), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_cell_complex_create(&heap, sphere, 1, places, &none, &c), PHX_ERROR_ARGUMENT);
    const double tiny = 1e-9;
    ENSURE_RESULT(phxi_cell_complex_create(&heap, sphere, 1, places, &tiny, &c), PHX_ERROR_ARGUMENT);
    phx_mesh_destroy(sphere);
    ENSURE(c == NULL && heap.live_bytes == 0);
    // two spheres that overlap
    phx_mesh* crossing = phxt_joined_mesh(phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16),
                                          phxt_sphere_mesh((phx_vec3){0.4, 0.1, 0.05}, 0.5, 12, 16));
    phx_body_def def = body(NULL, crossing, 0.1, PHX_SAMPLING_UNIFORM);
    phx_mesh* mesh = NULL;
    phxi_samples samples;
    ENSURE_RESULT(cut(&heap, &def, &mesh, &samples, &c), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("cross itself");
    phxi_samples_destroy(&heap, &samples);
    phx_mesh_destroy(mesh);
    phx_mesh_destroy(crossing);
    phxi_heap_destroy(&heap);
}

/// Closed soups of triangles: tetrahedra thrown together at random. Cut or refused, never worse.
TEST(random_meshes) {
    uint64_t state = 7;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    int made = 0;
    for (int round = 0; round < 24; ++round) {
        enum { MOST = 8 };
        double points[MOST * 4 * 3];
        int triangles[MOST * 4 * 3], count = 1 + round % MOST;
        for (int i = 0; i < count * 12; ++i) {
            points[i] = phxt_random(&state);
            points[i] = round % 3 ? points[i] : floor(4 * points[i]) / 4; // flat ones, doubled ones, on the lattice
        }
        for (int i = 0; i < count; ++i) {
            static const int faces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
            for (int k = 0; k < 12; ++k) {
                triangles[12 * i + k] = 4 * i + faces[k];
            }
        }
        phx_mesh* mesh = NULL;
        REQUIRE_OK(phx_mesh_create(4 * count, points, 4 * count, triangles, &mesh));
        phx_vec3 places[40];
        double spacings[40];
        int particles = 1 + (int)(39 * phxt_random(&state));
        for (int i = 0; i < particles; ++i) {
            places[i] = (phx_vec3){phxt_random(&state), phxt_random(&state), phxt_random(&state)};
            spacings[i] = 0.1 + 0.2 * phxt_random(&state);
        }
        phxi_cell_complex* c = NULL;
        if (phxi_cell_complex_create(&heap, mesh, particles, places, spacings, &c) == PHX_OK) {
            ++made;
            ENSURE(unmatched(c, &heap) == 0);
        }
        phxi_cell_complex_destroy(c);
        phx_mesh_destroy(mesh);
    }
    ENSURE(made >= 3); // of single tetrahedra most
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(failing_allocations) {
    phx_mesh* mesh = phxt_torus_mesh(0.5, 0.2, 10, 6);
    phx_vec3 places[24];
    double spacings[24];
    for (int i = 0; i < 24; ++i) {
        places[i] = (phx_vec3){0.5 * cos(i * 0.2618), 0.5 * sin(i * 0.2618), 0.01 * i};
        spacings[i] = 0.25;
    }
    for (int64_t n = 0;; ++n) {
        phxt_heap counting;
        phxt_heap_init(&counting, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &counting.allocator);
        phxi_cell_complex* c = NULL;
        phx_result result = phxi_cell_complex_create(&heap, mesh, 24, places, spacings, &c);
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        ENSURE((c != NULL) == (result == PHX_OK));
        phxi_cell_complex_destroy(c);
        ENSURE(heap.live_bytes == 0);
        phxi_heap_destroy(&heap);
        ENSURE(counting.live == 0);
        if (result == PHX_OK) {
            break;
        }
    }
    phx_mesh_destroy(mesh);
}
