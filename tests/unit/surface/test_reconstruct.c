// SPDX-License-Identifier: MIT
// Surfaces around particles: closed, where they should be, with the fields of the particles; odd input.
#include "support/test.h"
#include "support/topology.h"
#include "core/hash.h"
#include "surface/frame.h"

#include <phyxel/surface.h>

static const double pi = 3.14159265358979323846;

// A jittered lattice of spacing 1 inside a ball, moved by `offset` along all axes.
static phx_frame* ball(double radius, double jitter, double offset) {
    int side = (int)(2 * radius) + 2, count = 0;
    phx_frame* frame = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        uint64_t state = 3;
        count = 0;
        for (int i = 0; i < side * side * side; ++i) {
            double p[3] = {i % side, i / side % side, i / side / side}, r2 = 0;
            for (int k = 0; k < 3; ++k) {
                p[k] += jitter * (phxt_random(&state) - 0.5) - 0.5 * (side - 1);
                r2 += p[k] * p[k];
            }
            if (r2 < radius * radius) {
                for (int k = 0; pass && k < 3; ++k) {
                    phx_frame_positions(frame)[3 * count + k] = p[k] + offset;
                }
                ++count;
            }
        }
        if (!pass && phx_frame_create(count, 0, 1.5, NULL, &frame) != PHX_OK) {
            return NULL;
        }
    }
    return frame;
}

static phx_surface_def settings(void) {
    phx_surface_def def = phx_surface_def_default();
    def.spacing = 1;
    def.threads = 2;
    return def;
}

static phxt_topology topology(const phx_frame* f) {
    phxt_topology t = {.open = -1};
    ENSURE(phxt_topology_of(f->indices, f->triangles, f->points, &t));
    return t;
}

static double volume(const phx_frame* f) {
    return phxt_volume_of(f->positions, f->indices, f->triangles);
}

// Normals are of unit length and on the side of their triangles.
static int bad_normals(const phx_frame* f) {
    const float* n = phx_frame_find(f, "normal")->values;
    int bad = 0;
    for (int i = 0; i < f->triangles; ++i) {
        const int* t = f->indices + 3 * i;
        const double *a = f->positions + 3 * t[0], *b = f->positions + 3 * t[1], *c = f->positions + 3 * t[2];
        double u[3], v[3], along = 0;
        for (int k = 0; k < 3; ++k) {
            u[k] = b[k] - a[k];
            v[k] = c[k] - a[k];
        }
        double face[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        for (int k = 0; k < 3; ++k) {
            along += face[k] * (double)(n[3 * t[0] + k] + n[3 * t[1] + k] + n[3 * t[2] + k]);
        }
        bad += !(along > 0);
    }
    for (int i = 0; i < f->points; ++i) {
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            length += (double)n[3 * i + k] * (double)n[3 * i + k];
        }
        bad += !(fabs(length - 1) < 1e-5);
    }
    return bad;
}

TEST(a_ball_of_particles_gives_a_ball) {
    phx_frame *points = ball(10, 0.2, 0), *surface = NULL;
    REQUIRE(points);
    for (int kind = 0; kind < 3; ++kind) {
        phx_surface_def def = settings();
        phx_surface_times times;
        def.anisotropic = kind == 1;
        def.smoothing = kind == 2 ? 5 : 0;
        REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, &times));
        phxt_topology t = topology(surface);
        double area = phxt_area_of(surface->positions, surface->indices, surface->triangles);
        printf("kind %d: %d particles, volume %.1f, area %.1f (ball of 10: %.1f, %.1f), %d triangles, %d bad normals\n",
               kind, points->points, volume(surface), area, 4000.0 / 3 * pi, 400 * pi, surface->triangles,
               bad_normals(surface));
        ENSURE(phxt_is_closed(&t) && t.pieces == 1 && t.euler == 2);
        ENSURE_NEAR(volume(surface) / points->points, 1, 0.15);
        ENSURE(bad_normals(surface) <= surface->triangles / 500);
        ENSURE(phx_frame_time(surface) == 1.5);
        ENSURE(times.total > 0 && times.blocks > 0 && times.cells > 0 && times.density > 0 && times.sampling > 0 &&
               times.triangulation > 0 && times.attributes > 0);
        phx_frame_destroy(surface);
    }
    phx_frame_destroy(points);
}

TEST(anisotropic_kernels_are_smoother) {
    // Flat side of a half ball of jittered particles: the height of the vertices over the middle varies less.
    phx_frame *whole = ball(9, 0.5, 0), *points = NULL;
    REQUIRE(whole);
    int half = 0;
    for (int i = 0; i < whole->points; ++i) {
        half += whole->positions[3 * i + 2] < 0;
    }
    REQUIRE_OK(phx_frame_create(half, 0, 0, NULL, &points));
    for (int i = 0, k = 0; i < whole->points; ++i) {
        if (whole->positions[3 * i + 2] < 0) {
            memcpy(points->positions + 3 * k++, whole->positions + 3 * i, 3 * sizeof(double));
        }
    }
    phx_frame_destroy(whole);
    double spread[2];
    for (int kind = 0; kind < 2; ++kind) {
        phx_surface_def def = settings();
        phx_frame* surface = NULL;
        def.anisotropic = kind == 1;
        REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
        double sum = 0, sum2 = 0;
        int count = 0;
        for (int i = 0; i < surface->points; ++i) {
            const double* p = surface->positions + 3 * i;
            if (p[0] * p[0] + p[1] * p[1] < 16 && p[2] > -2) {
                sum += p[2];
                sum2 += p[2] * p[2];
                ++count;
            }
        }
        REQUIRE(count > 50);
        spread[kind] = sqrt(fmax(0, sum2 / count - sum / count * (sum / count)));
        phx_frame_destroy(surface);
    }
    printf("height varies by %.4f, stretched %.4f\n", spread[0], spread[1]);
    ENSURE(spread[1] < 0.8 * spread[0]);
    phx_frame_destroy(points);
}

TEST(fields_are_carried) {
    phx_frame *points = ball(6, 0.1, 0), *surface = NULL;
    REQUIRE(points);
    float *constant, *linear, *body, *tensor;
    REQUIRE_OK(phx_frame_add_field(points, "constant", 1, &constant));
    REQUIRE_OK(phx_frame_add_field(points, "linear", 3, &linear));
    REQUIRE_OK(phx_frame_add_field(points, "body", 1, &body));
    REQUIRE_OK(phx_frame_add_field(points, "tensor", 9, &tensor));
    for (int i = 0; i < points->points; ++i) {
        constant[i] = 3.25f;
        body[i] = points->positions[3 * i] < 0 ? 4 : 7;
        for (int k = 0; k < 3; ++k) {
            linear[3 * i + k] = (float)points->positions[3 * i + k];
        }
        tensor[9 * i + 8] = 1;
    }
    phx_surface_def def = settings();
    REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
    const phx_frame_field *c = phx_frame_find(surface, "constant"), *l = phx_frame_find(surface, "linear"),
                          *b = phx_frame_find(surface, "body"), *t = phx_frame_find(surface, "tensor");
    REQUIRE(c && l && b && t && l->components == 3 && t->components == 9);
    for (int i = 0; i < surface->points; ++i) {
        ENSURE_NEAR(c->values[i], 3.25, 1e-6);
        ENSURE(b->values[i] == 4 || b->values[i] == 7);
        ENSURE_NEAR(t->values[9 * i + 8], 1, 1e-6);
        for (int k = 0; k < 3; ++k) {
            ENSURE_NEAR(l->values[3 * i + k], surface->positions[3 * i + k], 1.5); // points are on one side only
        }
    }
    phx_frame_destroy(surface);
    phx_frame_destroy(points);
}

static uint64_t hash_of(const phx_frame* f) {
    uint64_t hash = phxi_hash_bytes(f->positions, (size_t)f->points * 3 * sizeof(double), 0);
    hash = phxi_hash_bytes(f->indices, (size_t)f->triangles * 3 * sizeof(int), hash);
    for (int i = 0; i < f->fields.count; ++i) {
        const phx_frame_field* field = &f->fields.items[i];
        hash = phxi_hash_bytes(field->values, (size_t)(f->points * field->components) * sizeof(float), hash);
    }
    return hash;
}

TEST(the_bits_do_not_depend_on_threads) {
    phx_frame* points = ball(9, 0.3, 0);
    REQUIRE(points);
    float* field;
    REQUIRE_OK(phx_frame_add_field(points, "value", 1, &field));
    for (int i = 0; i < points->points; ++i) {
        field[i] = (float)sin(i);
    }
    for (int kind = 0; kind < 2; ++kind) {
        static const int threads[] = {1, 2, 3, 8};
        uint64_t first = 0, first_splat = 0;
        for (int i = 0; i < 4; ++i) {
            phx_surface_def def = settings();
            phx_frame *surface = NULL, *splats = NULL;
            def.threads = threads[i];
            def.anisotropic = kind == 1;
            def.smoothing = kind;
            REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
            REQUIRE_OK(phx_surface_splats(points, &def, &splats));
            first = i == 0 ? hash_of(surface) : first;
            first_splat = i == 0 ? hash_of(splats) : first_splat;
            ENSURE(hash_of(surface) == first && hash_of(splats) == first_splat);
            phx_frame_destroy(surface);
            phx_frame_destroy(splats);
        }
    }
    phx_frame_destroy(points);
}

// An allocator that knows the most that was in use.
typedef struct peak {
    phxt_heap heap;
    int64_t most;
} peak;

static void* peak_alloc(void* context, size_t size, const char* label) {
    peak* p = context;
    void* memory = p->heap.allocator.alloc(&p->heap, size, label);
    p->most = p->heap.live_bytes > p->most ? p->heap.live_bytes : p->most;
    return memory;
}

static void peak_free(void* context, void* memory) {
    peak* p = context;
    p->heap.allocator.free(&p->heap, memory);
}

TEST(memory_follows_the_particles) {
    phx_frame* one = ball(6, 0, 0);
    REQUIRE(one);
    int64_t most[2];
    for (int far = 0; far < 2; ++far) {
        phx_frame *two = NULL, *surface = NULL;
        REQUIRE_OK(phx_frame_create(2 * one->points, 0, 0, NULL, &two));
        memcpy(two->positions, one->positions, (size_t)one->points * 3 * sizeof(double));
        for (int i = 0; i < 3 * one->points; ++i) {
            two->positions[3 * one->points + i] = one->positions[i] + (far ? 1e5 : 20);
        }
        peak memory = {0};
        phxt_heap_init(&memory.heap, -1);
        phx_surface_def def = settings();
        def.threads = 1;
        def.allocator = (phx_allocator){peak_alloc, peak_free, &memory};
        REQUIRE_OK(phx_surface_reconstruct(two, &def, &surface, NULL));
        phxt_topology t = topology(surface);
        ENSURE(phxt_is_closed(&t) && t.pieces == 2 && t.euler == 4);
        ENSURE_NEAR(volume(surface) / two->points, 1, 0.25);
        most[far] = memory.most;
        phx_frame_destroy(surface);
        phx_frame_destroy(two);
        ENSURE(memory.heap.live == 0);
    }
    printf("near %lld bytes, far %lld bytes\n", (long long)most[0], (long long)most[1]);
    ENSURE((double)most[1] < 1.2 * (double)most[0]);
    phx_frame_destroy(one);
}

TEST(no_particles_no_triangles) {
    phx_frame *points = NULL, *surface = NULL;
    float* value;
    REQUIRE_OK(phx_frame_create(0, 0, 2, NULL, &points));
    REQUIRE_OK(phx_frame_add_field(points, "value", 1, &value));
    for (int kind = 0; kind < 2; ++kind) {
        phx_surface_def def = phx_surface_def_default();
        def.anisotropic = kind == 1;
        def.smoothing = kind;
        REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
        ENSURE(phx_frame_points(surface) == 0 && phx_frame_triangles(surface) == 0);
        ENSURE(phx_frame_find(surface, "normal") && phx_frame_find(surface, "value"));
        phx_frame_destroy(surface);
        REQUIRE_OK(phx_surface_splats(points, &def, &surface));
        ENSURE(phx_frame_points(surface) == 0);
        phx_frame_destroy(surface);
    }
    phx_frame_destroy(points);
}

TEST(one_particle_is_a_ball) {
    // chi = (1 - r^2/h^2)^3 = 1/2 at r = h sqrt(1 - 2^(-1/3)); also when there are several at the same place.
    double r = 2 * sqrt(1 - cbrt(0.5));
    for (int count = 1; count <= 5; ++count) {
        phx_frame *points = NULL, *surface = NULL;
        REQUIRE_OK(phx_frame_create(count, 0, 0, NULL, &points));
        for (int i = 0; i < 3 * count; ++i) {
            points->positions[i] = -7.3;
        }
        phx_surface_def def = settings();
        def.spacing = count % 2; // 0: found to be 1
        def.cell = 0.1;
        REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
        phxt_topology t = topology(surface);
        ENSURE(phxt_is_closed(&t) && t.pieces == 1 && t.euler == 2);
        ENSURE_NEAR(volume(surface), 4.0 / 3 * pi * r * r * r, 0.03); // inscribed: second order in the cell
        ENSURE(bad_normals(surface) == 0);
        phx_frame_destroy(surface);
        phx_frame_destroy(points);
    }
}

TEST(any_cloud_has_a_closed_surface) {
    for (int attempt = 0; attempt < 12; ++attempt) {
        uint64_t state = (uint64_t)attempt;
        phx_frame *points = NULL, *surface = NULL;
        REQUIRE_OK(phx_frame_create(300, 0, 0, NULL, &points));
        for (int i = 0; i < 900; ++i) {
            double x = phxt_random(&state);
            points->positions[i] = attempt % 3 == 0 ? 12 * x : attempt % 3 == 1 ? floor(10 * x) / 2 : 40 * x * x * x;
        }
        phx_surface_def def = settings();
        def.anisotropic = attempt % 2 == 1;
        def.cell = attempt % 4 == 3 ? 0.3 : 0.5;
        def.radius = attempt % 5 == 4 ? 3.7 : 2;
        def.iso = attempt % 7 == 6 ? 0.01 : 0.5;
        REQUIRE_OK(phx_surface_reconstruct(points, &def, &surface, NULL));
        phxt_topology t = topology(surface);
        ENSURE(phxt_is_closed(&t) && surface->triangles > 0);
        ENSURE_OK(phx_frame_check(surface));
        phx_frame_destroy(surface);
        phx_frame_destroy(points);
    }
}

TEST(far_from_the_origin_it_is_the_same_surface) {
    phx_frame *here = ball(5, 0, 0), *there = ball(5, 0, 1 << 20), *a = NULL, *b = NULL;
    REQUIRE(here && there);
    phx_surface_def def = settings();
    REQUIRE_OK(phx_surface_reconstruct(here, &def, &a, NULL));
    REQUIRE_OK(phx_surface_reconstruct(there, &def, &b, NULL));
    REQUIRE(a->points == b->points && a->triangles == b->triangles);
    for (int i = 0; i < 3 * a->points; ++i) {
        ENSURE_NEAR(a->positions[i] + (1 << 20), b->positions[i], 1e-6);
    }
    phx_frame_destroy(a);
    phx_frame_destroy(b);
    phx_frame_destroy(here);
    phx_frame_destroy(there);
}

TEST(bad_input_is_told) {
    phx_frame *points = ball(3, 0, 0), *surface = NULL;
    REQUIRE(points);
    phx_surface_def def = settings();
    points->positions[3 * 17 + 1] = NAN;
    ENSURE_RESULT(phx_surface_reconstruct(points, &def, &surface, NULL), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("point 17");
    ENSURE(surface == NULL);
    points->positions[3 * 17 + 1] = 1e12;
    ENSURE_RESULT(phx_surface_reconstruct(points, &def, &surface, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("point 17");
    points->positions[3 * 17 + 1] = 1e300;
    ENSURE_RESULT(phx_surface_reconstruct(points, &def, &surface, NULL), PHX_ERROR_ARGUMENT);
    for (int i = 0; i < 3 * points->points; ++i) {
        points->positions[i] = 1e300; // all at one place
    }
    phx_result result = phx_surface_reconstruct(points, &def, &surface, NULL);
    ENSURE(result == PHX_ERROR_ARGUMENT && surface == NULL);
    phx_surface_def bad[6];
    for (int i = 0; i < 6; ++i) {
        bad[i] = def;
    }
    bad[0].stamp = 0;
    bad[1].radius = NAN;
    bad[2].cell = 3;
    bad[3].iso = 0;
    bad[4].spacing = -1;
    bad[5].smoothing = -1;
    for (int i = 0; i < 6; ++i) {
        ENSURE_RESULT(phx_surface_reconstruct(points, &bad[i], &surface, NULL), PHX_ERROR_ARGUMENT);
        ENSURE_RESULT(phx_surface_splats(points, &bad[i], &surface), PHX_ERROR_ARGUMENT);
    }
    ENSURE_RESULT(phx_surface_reconstruct(NULL, &def, &surface, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_surface_reconstruct(points, &def, NULL, NULL), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(points);
}

TEST(every_failing_allocation_is_survived) {
    phx_frame* points = ball(2.5, 0, 0);
    REQUIRE(points);
    float* value;
    REQUIRE_OK(phx_frame_add_field(points, "value", 1, &value));
    for (int kind = 0; kind < 2; ++kind) {
        for (int64_t fail = 0;; ++fail) {
            phxt_heap heap;
            phxt_heap_init(&heap, fail);
            phx_surface_def def = settings();
            def.threads = 1;
            def.anisotropic = true;
            def.smoothing = 1;
            def.allocator = heap.allocator;
            phx_frame* surface = NULL;
            phx_result result = kind ? phx_surface_splats(points, &def, &surface)
                                     : phx_surface_reconstruct(points, &def, &surface, NULL);
            ENSURE((result == PHX_OK) == (surface != NULL));
            ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
            phx_frame_destroy(surface);
            ENSURE(heap.live == 0);
            if (result == PHX_OK) {
                printf("%lld allocations\n", (long long)fail);
                break;
            }
        }
    }
    phx_frame_destroy(points);
}

TEST(splats_cover_the_surface_only) {
    int side = 12;
    phx_frame *points = NULL, *splats = NULL;
    REQUIRE_OK(phx_frame_create(side * side * side, 0, 0, NULL, &points));
    float* number;
    REQUIRE_OK(phx_frame_add_field(points, "number", 1, &number));
    for (int i = 0; i < side * side * side; ++i) {
        int at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            points->positions[3 * i + k] = at[k];
        }
        number[i] = (float)i;
    }
    phx_surface_def def = settings();
    REQUIRE_OK(phx_surface_splats(points, &def, &splats));
    ENSURE(splats->points == side * side * side - (side - 2) * (side - 2) * (side - 2));
    const float *normal = phx_frame_find(splats, "normal")->values, *kept = phx_frame_find(splats, "number")->values;
    for (int i = 0; i < splats->points; ++i) {
        const double* p = splats->positions + 3 * i;
        ENSURE(kept[i] == (float)(p[0] + side * (p[1] + side * p[2])));
        double outward = 0;
        for (int k = 0; k < 3; ++k) {
            outward += (double)normal[3 * i + k] * (p[k] - 0.5 * (side - 1));
        }
        ENSURE(outward > 0);
        ENSURE_NEAR(phx_frame_find(splats, "radius")->values[i], 0.75, 1e-6);
    }
    phx_frame_destroy(splats);
    // A sheet one particle thick, and a single particle.
    for (int i = 0; i < points->points; ++i) {
        points->positions[3 * i] = i % 41;
        points->positions[3 * i + 1] = i / 41;
        points->positions[3 * i + 2] = 0;
    }
    points->positions[2] = 50;
    REQUIRE_OK(phx_surface_splats(points, &def, &splats));
    ENSURE(splats->points == points->points);
    int upright = 0;
    normal = phx_frame_find(splats, "normal")->values;
    for (int i = 0; i < splats->points; ++i) {
        upright += normal[3 * i + 2] > 0.99f;
    }
    ENSURE(upright > splats->points * 3 / 4); // those on the rim look outwards
    phx_frame_destroy(splats);
    phx_frame_destroy(points);
}
