// SPDX-License-Identifier: MIT
// Surfaces of known functions: always closed, second order in the cell, the same bits at any number of threads.
#include "support/test.h"
#include "support/topology.h"
#include "core/hash.h"
#include "surface/cell.h"
#include "surface/marching_cubes.h"

static const double pi = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------------------ random fields

// Random numbers with many values exactly at the level, many equal ones (ties) and many ambiguous faces.
static float random_value(uint64_t hash, int kind) {
    double unit = phxi_hash_unit(hash);
    switch (kind) {
    case 0:
        return (float)(2 * unit - 1);
    case 1:
        return (float)((int)(3 * unit) - 1); // -1, 0, 1
    case 2:
        return unit < 0.5 ? -1.0f : 1.0f;
    case 3:
        return (float)((int)(9 * unit) - 4) * (hash & 1 ? 1e-3f : 1.0f);
    default:
        return (hash & 1 ? 1.0f : -1.0f) * (float)exp(20 * unit - 10);
    }
}

// n^3 random nodes with a border outside, triangulated with phxi_cell_build alone.
static bool random_grid_is_closed(int n, uint64_t seed, int kind) {
    enum { MOST = 8 };
    static float values[MOST * MOST * MOST];
    static int indices[3 * PHXI_CELL_TRIANGLES * MOST * MOST * MOST];
    int nodes = n + 2, all = nodes * nodes * nodes, triangles = 0, vertices = 3 * all;
    for (int i = 0; i < all; ++i) {
        int x = i % nodes, y = i / nodes % nodes, z = i / nodes / nodes;
        bool border = x == 0 || y == 0 || z == 0 || x > n || y > n || z > n;
        uint64_t hash = phxi_hash_pair(seed, (uint64_t)i);
        values[i] = border ? -0.5f - (float)(hash >> 60) : random_value(hash, kind);
    }
    for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); ++i) {
        int at[8];
        float v[8];
        for (int c = 0; c < 8; ++c) {
            int x = i % (n + 1) + (c & 1), y = i / (n + 1) % (n + 1) + (c >> 1 & 1),
                z = i / (n + 1) / (n + 1) + (c >> 2);
            at[c] = (z * nodes + y) * nodes + x;
            v[c] = values[at[c]];
        }
        phxi_cell cell;
        phxi_cell_build(v, &cell);
        for (int k = 0; k < 3 * cell.triangle_count; ++k) {
            int code = cell.triangles[k / 3][k % 3];
            indices[3 * triangles + k] = code < PHXI_CELL_EDGES ? all * (code >> 2) + at[phxi_cell_edge_corner(code)]
                                                                : vertices + code - PHXI_CELL_EDGES;
        }
        triangles += cell.triangle_count;
        vertices += cell.center_count;
    }
    phxt_topology t;
    return phxt_topology_of(indices, triangles, vertices, &t) && phxt_is_closed(&t);
}

TEST(surfaces_of_small_random_fields_are_closed_manifolds) {
    int open = 0;
    for (int i = 0; i < 10000; ++i) {
        open += !random_grid_is_closed(3, (uint64_t)i, i % 5);
    }
    ENSURE(open == 0);
}

TEST(surfaces_of_larger_random_fields_are_closed_manifolds) {
    int open = 0;
    for (int i = 0; i < 500; ++i) {
        open += !random_grid_is_closed(6, 77777 + (uint64_t)i, i % 5);
    }
    ENSURE(open == 0);
}

// ------------------------------------------------------------------------------------------------------------- blocks

typedef struct field {
    float (*value)(const struct field* field, double x, double y, double z); // at a node, in cells
    int side;                                                                // nodes 1 ... side - 1 may be inside
    double a, b;                                                             // of the function
    uint64_t seed;
    int kind;
} field;

static bool sample_field(void* context, phxi_place block, float* values) {
    const field* f = context;
    for (int i = 0; i < PHXI_BLOCK_VALUES; ++i) {
        int x = PHXI_BLOCK_CELLS * block.x + i % 16, y = PHXI_BLOCK_CELLS * block.y + i / 16 % 16,
            z = PHXI_BLOCK_CELLS * block.z + i / 256;
        bool within = x > 0 && y > 0 && z > 0 && x < f->side && y < f->side && z < f->side;
        values[i] = within ? f->value(f, x, y, z) : -1;
    }
    return true;
}

static float random_field(const field* f, double x, double y, double z) {
    return random_value(phxi_hash_pair(f->seed, phxi_hash_pair((uint64_t)x << 20 | (uint64_t)y, (uint64_t)z)), f->kind);
}

typedef struct surface {
    double* positions;
    int* indices;
    int vertices, triangles;
} surface;

static phx_result march_field(const field* f, int threads, double cell, surface* s) {
    *s = (surface){0};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_pool* pool = NULL;
    int side = f->side / PHXI_BLOCK_CELLS + 1, count = 0;
    phxi_place* blocks = phxi_alloc(&heap, (size_t)(side * side * side), sizeof *blocks, "blocks");
    phx_result result = blocks ? phxi_pool_create(&heap, threads, &pool) : PHX_ERROR_MEMORY;
    for (int i = 0; result == PHX_OK && i < side * side * side; ++i) {
        blocks[count++] = (phxi_place){i % side, i / side % side, i / side / side};
    }
    phxi_iso_source source = {sample_field, (void*)(uintptr_t)f, blocks, count, 0};
    phxi_iso iso = {0};
    if (result == PHX_OK) {
        result = phxi_iso_build(&heap, pool, &source, &iso);
    }
    if (result == PHX_OK) {
        s->vertices = iso.vertex_count;
        s->triangles = iso.triangle_count;
        s->positions = malloc((size_t)(3 * s->vertices + 1) * sizeof *s->positions);
        s->indices = malloc((size_t)(3 * s->triangles + 1) * sizeof *s->indices);
        phxi_iso_fill(&iso, pool, (phx_vec3){0, 0, 0}, cell, s->positions, s->indices);
        phxi_iso_destroy(&iso);
    }
    phxi_pool_destroy(pool);
    phxi_heap_destroy(&heap);
    return result;
}

static void free_surface(surface* s) {
    free(s->positions);
    free(s->indices);
}

TEST(blocks_fit_together) {
    for (int kind = 0; kind < 5; ++kind) {
        field f = {random_field, 32, 0, 0, 5, kind};
        surface s;
        phxt_topology t;
        REQUIRE_OK(march_field(&f, 2, 1, &s));
        ENSURE(phxt_topology_of(s.indices, s.triangles, s.vertices, &t) && phxt_is_closed(&t));
        ENSURE(s.triangles > 10000);
        free_surface(&s);
    }
}

TEST(the_bits_do_not_depend_on_threads) {
    field f = {random_field, 50, 0, 0, 11, 0};
    uint64_t first = 0;
    static const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; ++i) {
        surface s;
        REQUIRE_OK(march_field(&f, threads[i], 0.1, &s));
        uint64_t hash = phxi_hash_bytes(s.positions, (size_t)s.vertices * 3 * sizeof(double), 0);
        hash = phxi_hash_bytes(s.indices, (size_t)s.triangles * 3 * sizeof(int), hash);
        first = i == 0 ? hash : first;
        ENSURE(hash == first);
        free_surface(&s);
    }
}

// -------------------------------------------------------------------------------------------------------- convergence

// All in a box of edge 1, centred: side cells.
static float sphere(const field* f, double x, double y, double z) {
    double h = 1.0 / f->side;
    x = x * h - 0.5 - 0.0123, y = y * h - 0.5 + 0.0071, z = z * h - 0.5 - 0.0031;
    return (float)(f->a - sqrt(x * x + y * y + z * z));
}

static float torus(const field* f, double x, double y, double z) {
    double h = 1.0 / f->side;
    x = x * h - 0.5 - 0.0123, y = y * h - 0.5 + 0.0071, z = z * h - 0.5 - 0.0031;
    double ring = sqrt(x * x + y * y) - f->a;
    return (float)(f->b - sqrt(ring * ring + z * z));
}

// Two spheres that touch in a point off the nodes.
static float pair(const field* f, double x, double y, double z) {
    double h = 1.0 / f->side;
    x = x * h - 0.5 - 0.0123, y = y * h - 0.5 + 0.0071, z = z * h - 0.5 - 0.0031;
    double left = f->a - sqrt((x - f->a) * (x - f->a) + y * y + z * z);
    double right = f->a - sqrt((x + f->a) * (x + f->a) + y * y + z * z);
    return (float)(left > right ? left : right);
}

// Errors relative to the exact numbers at 24, 48, 96 cells; the order from the first to the last.
static void orders(field f, double volume, double area, int euler, double order[2]) {
    double error[3][2];
    for (int i = 0; i < 3; ++i) {
        surface s;
        phxt_topology t;
        f.side = 24 << i;
        REQUIRE_OK(march_field(&f, 1, 1.0 / f.side, &s));
        error[i][0] = fabs(phxt_volume_of(s.positions, s.indices, s.triangles) / volume - 1);
        error[i][1] = fabs(phxt_area_of(s.positions, s.indices, s.triangles) / area - 1);
        ENSURE(phxt_topology_of(s.indices, s.triangles, s.vertices, &t) && phxt_is_closed(&t));
        ENSURE(t.euler == euler || euler < 0);
        printf("%3d cells: volume %.2e, area %.2e, %d triangles, %d pieces, Euler %d\n", f.side, error[i][0],
               error[i][1], s.triangles, t.pieces, t.euler);
        free_surface(&s);
    }
    for (int k = 0; k < 2; ++k) {
        order[k] = log2(error[0][k] / error[2][k]) / 2;
    }
    printf("orders: volume %.2f, area %.2f\n", order[0], order[1]);
}

TEST(spheres_converge_with_second_order) {
    double order[2], r = 0.4;
    orders((field){sphere, 0, r, 0, 0, 0}, 4.0 / 3 * pi * r * r * r, 4 * pi * r * r, 2, order);
    ENSURE_NEAR(order[0], 2, 0.15);
    ENSURE_NEAR(order[1], 2, 0.15);
}

TEST(tori_converge_with_second_order) {
    double order[2], a = 0.3, b = 0.13;
    orders((field){torus, 0, a, b, 0, 0}, 2 * pi * pi * a * b * b, 4 * pi * pi * a * b, 0, order);
    ENSURE_NEAR(order[0], 2, 0.15);
    ENSURE_NEAR(order[1], 2, 0.15);
}

TEST(touching_spheres_converge) {
    double order[2], r = 0.23;
    orders((field){pair, 0, r, 0, 0, 0}, 8.0 / 3 * pi * r * r * r, 8 * pi * r * r, -1, order);
    ENSURE_NEAR(order[0], 2, 0.3);
    ENSURE(order[1] > 0.9); // the gap is narrower than a cell over an area of the order of a cell
}

TEST(every_failing_allocation_is_survived) {
    field f = {random_field, 17, 0, 0, 3, 0};
    phxt_heap counting;
    for (int64_t fail = 0;; ++fail) {
        phxt_heap_init(&counting, fail);
        phxi_heap heap;
        phxi_heap_init(&heap, &counting.allocator);
        phxi_place blocks[8];
        for (int i = 0; i < 8; ++i) {
            blocks[i] = (phxi_place){i & 1, i >> 1 & 1, i >> 2};
        }
        phxi_iso_source source = {sample_field, &f, blocks, 8, 0};
        phxi_iso iso;
        phx_result result = phxi_iso_build(&heap, NULL, &source, &iso);
        if (result == PHX_OK) {
            phxi_iso_destroy(&iso);
        } else {
            ENSURE(result == PHX_ERROR_MEMORY);
        }
        ENSURE(heap.live_bytes == 0);
        phxi_heap_destroy(&heap);
        ENSURE(counting.live == 0);
        if (result == PHX_OK) {
            break;
        }
    }
}
