// SPDX-License-Identifier: MIT
// Surfaces of liquids: closed, without cavities, of the right volume, flat at walls; sheets and drops; odd input.
#include "support/test.h"
#include "support/topology.h"
#include "surface/frame.h"
#include "surface/tile_field.h"

#include <phyxel/surface.h>

#include <string.h>

/// A box of particles of spacing 1, shaken, from the origin on.
static phx_frame* box(int nx, int ny, int nz, double jitter) {
    phx_frame* frame = NULL;
    uint64_t state = 5;
    if (phx_frame_create(nx * ny * nz, 0, 2, NULL, &frame) != PHX_OK) {
        return NULL;
    }
    for (int i = 0; i < frame->points; ++i) {
        const int n[3] = {i % nx, i / nx % ny, i / nx / ny};
        for (int k = 0; k < 3; ++k) {
            frame->positions[3 * i + k] = n[k] + 0.5 + jitter * (phxt_random(&state) - 0.5);
        }
    }
    return frame;
}

static phx_liquid_def settings(void) {
    phx_liquid_def def = phx_liquid_def_default();
    def.spacing = 1;
    def.threads = 2;
    return def;
}

static double volume(const phx_frame* f) {
    return phxt_volume_of(f->positions, f->indices, f->triangles);
}

static phxt_topology topology(const phx_frame* f) {
    phxt_topology t = {.open = -1};
    ENSURE(phxt_topology_of(f->indices, f->triangles, f->points, &t));
    return t;
}

TEST(is_closed_and_has_the_volume_of_its_particles) {
    phx_frame *points = box(14, 12, 10, 0.6), *surface = NULL;
    phx_liquid_def def = settings();
    REQUIRE_OK(phx_liquid_fit(points, &def, points->points, &def.ball));
    REQUIRE_OK(phx_liquid_surface(points, &def, &surface));
    phxt_topology t = topology(surface);
    ENSURE(t.open == 0 && t.pieces == 1);
    ENSURE_NEAR(volume(surface) / points->points, 1, 0.03);
    ENSURE(phx_frame_find(surface, "normal") && surface->time == 2);
    phx_frame_destroy(surface);
    phx_frame_destroy(points);
}

// Every tenth particle is missing: holes of a spacing, which the density of particles shows as cavities.
TEST(gaps_between_particles_are_no_cavities) {
    phx_frame *all = box(16, 16, 16, 0.5), *points = NULL, *surface = NULL;
    bool keep[16 * 16 * 16];
    for (int i = 0; i < 16 * 16 * 16; ++i) {
        keep[i] = i % 10 != 3;
    }
    REQUIRE_OK(phx_frame_pick(all, keep, &points));
    phx_liquid_def def = settings();
    REQUIRE_OK(phx_liquid_surface(points, &def, &surface));
    ENSURE(topology(surface).pieces == 1 && topology(surface).open == 0);
    phx_frame_destroy(surface);
    phx_frame_destroy(points);
    phx_frame_destroy(all);
}

TEST(is_flat_at_walls_and_does_not_pass_them) {
    phx_frame *points = box(12, 12, 8, 0.4), *surface = NULL;
    const phx_plane walls[2] = {{{0, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}}};
    phx_liquid_def def = settings();
    def.planes = walls;
    def.plane_count = 2;
    REQUIRE_OK(phx_liquid_surface(points, &def, &surface));
    int on_floor = 0;
    for (int i = 0; i < surface->points; ++i) {
        const double* p = surface->positions + 3 * i;
        ENSURE(p[0] > -0.05 && p[2] > -0.05);
        bool middle = p[0] > 2 && p[0] < 10 && p[1] > 2 && p[1] < 10;
        if (middle && p[2] < 2) {
            ENSURE_NEAR(p[2], 0, 0.02);
            ++on_floor;
        }
    }
    ENSURE(on_floor > 100);
    phx_frame_destroy(surface);
    phx_frame_destroy(points);
}

TEST(solids_cut_as_walls_do) {
    phx_frame *points = box(8, 8, 8, 0.2), *surface = NULL, *solid = NULL;
    static const int faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    REQUIRE_OK(phx_frame_create(8, 12, 0, NULL, &solid));
    for (int i = 0; i < 8; ++i) { // below the particles, and wider
        solid->positions[3 * i] = i & 1 ? 12 : -4;
        solid->positions[3 * i + 1] = i & 2 ? 12 : -4;
        solid->positions[3 * i + 2] = i & 4 ? 0 : -6;
    }
    memcpy(solid->indices, faces, sizeof faces);
    phx_liquid_def def = settings();
    def.solids = solid;
    REQUIRE_OK(phx_liquid_surface(points, &def, &surface));
    for (int i = 0; i < surface->points; ++i) {
        ENSURE(surface->positions[3 * i + 2] > -0.06);
    }
    ENSURE(topology(surface).open == 0);
    phx_frame_destroy(surface);
    phx_frame_destroy(solid);
    phx_frame_destroy(points);
}

TEST(sheets_and_drops_survive) {
    phx_frame *sheet = box(16, 16, 2, 0.2), *drop = box(1, 1, 1, 0), *surface = NULL;
    phx_liquid_def def = settings();
    REQUIRE_OK(phx_liquid_surface(sheet, &def, &surface));
    ENSURE(topology(surface).pieces == 1 && topology(surface).open == 0);
    ENSURE(volume(surface) > 0.8 * sheet->points && volume(surface) < 1.6 * sheet->points);
    phx_frame_destroy(surface);
    REQUIRE_OK(phx_liquid_surface(drop, &def, &surface));
    phxt_topology t = topology(surface);
    ENSURE(phxt_is_closed(&t) && t.pieces == 1 && t.euler == 2);
    ENSURE_NEAR(volume(surface), 1, 0.2); // a ball of few faces
    phx_frame_destroy(surface);
    phx_frame_destroy(sheet);
    phx_frame_destroy(drop);
}

TEST(has_the_same_bits_at_any_thread_count) {
    phx_frame *points = box(20, 9, 11, 0.7), *first = NULL;
    static const int threads[] = {1, 2, 7};
    for (int k = 0; k < 3; ++k) {
        phx_frame* surface = NULL;
        phx_liquid_def def = settings();
        def.threads = threads[k];
        REQUIRE_OK(phx_liquid_surface(points, &def, &surface));
        if (first) {
            ENSURE(first->points == surface->points && first->triangles == surface->triangles);
            ENSURE(memcmp(first->positions, surface->positions, 3 * (size_t)first->points * sizeof(double)) == 0);
            phx_frame_destroy(surface);
        } else {
            first = surface;
        }
    }
    phx_frame_destroy(first);
    phx_frame_destroy(points);
}

TEST(odd_input) {
    phx_frame *none = NULL, *points = box(3, 3, 3, 0), *surface = NULL;
    phx_liquid_def def = settings(), bad = {0};
    double ball;
    REQUIRE_OK(phx_frame_create(0, 0, 0, NULL, &none));
    REQUIRE_OK(phx_liquid_surface(none, &def, &surface));
    ENSURE(surface->triangles == 0);
    phx_frame_destroy(surface);
    ENSURE_RESULT(phx_liquid_surface(points, &bad, &surface), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_liquid_surface(NULL, &def, &surface), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_liquid_fit(points, &def, -1, &ball), PHX_ERROR_ARGUMENT);
    def.cell = 0.01;
    ENSURE_RESULT(phx_liquid_surface(points, &def, &surface), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("0.25 to 1");
    points->positions[4] = NAN;
    def.cell = 0.5;
    ENSURE(phx_liquid_surface(points, &def, &surface) != PHX_OK);
    phx_frame_destroy(points);
    phx_frame_destroy(none);
}

// ------------------------------------------------------------------------------------------------------------- tiles

static phx_result make_tiles(phxi_heap* heap, phxi_tile_field* field, phxi_place tiles[8]) {
    for (int k = 0; k < 8; ++k) {
        tiles[k] = (phxi_place){k & 1, k >> 1 & 1, k >> 2};
    }
    phxi_heap_init(heap, NULL);
    return phxi_tile_field_create(heap, NULL, tiles, 8, field);
}

static float* node(const phxi_tile_field* f, int x, int y, int z) {
    int tile = phxi_tile_find(f, (phxi_place){x / 16, y / 16, z / 16});
    return phxi_tile_values(f, tile) + x % 16 + 16 * (y % 16 + 16 * (z % 16));
}

TEST(distances_cross_tiles) {
    phxi_heap heap;
    phxi_tile_field field;
    phxi_place tiles[8];
    REQUIRE_OK(make_tiles(&heap, &field, tiles));
    for (size_t i = 0; i < 8 * PHXI_TILE_VALUES; ++i) {
        field.values[i] = 300;
    }
    field.beyond = 300;
    *node(&field, 15, 16, 17) = 0;
    phxi_tile_field_distance(&field, NULL, 8);
    for (int z = 12; z < 22; ++z) {
        for (int y = 12; y < 22; ++y) {
            for (int x = 12; x < 22; ++x) {
                float exact = (float)((x - 15) * (x - 15) + (y - 16) * (y - 16) + (z - 17) * (z - 17));
                ENSURE(*node(&field, x, y, z) == exact);
            }
        }
    }
    ENSURE(*node(&field, 30, 30, 30) >= 192);
    phxi_heap_destroy(&heap);
}

TEST(floods_reach_what_is_open_and_no_more) {
    phxi_heap heap;
    phxi_tile_field field;
    phxi_place tiles[8];
    static uint8_t marks[8 * PHXI_TILE_VALUES];
    REQUIRE_OK(make_tiles(&heap, &field, tiles));
    // a hollow cube of wall across all tiles; a second one with a door
    memset(marks, 0, sizeof marks);
    for (int i = 0; i < 32 * 32 * 32; ++i) {
        int x = i % 32, y = i / 32 % 32, z = i / 1024;
        for (int k = 0; k < 2; ++k) {
            int low = k ? 4 : 12, high = k ? 10 : 22;
            bool within = x >= low && x <= high && y >= low && y <= high && z >= low && z <= high;
            bool wall = within && (x == low || x == high || y == low || y == high || z == low || z == high);
            bool door = k && x == low && y == 7 && z == 7;
            if (wall && !door) {
                marks[node(&field, x, y, z) - field.values] = 2;
            }
        }
    }
    REQUIRE_OK(phxi_tile_field_flood(&field, marks));
    ENSURE(marks[node(&field, 0, 0, 0) - field.values] == 1);
    ENSURE(marks[node(&field, 31, 31, 31) - field.values] == 1);
    ENSURE(marks[node(&field, 7, 7, 7) - field.values] == 1);    // through the door
    ENSURE(marks[node(&field, 17, 17, 17) - field.values] == 0); // closed
    ENSURE(marks[node(&field, 12, 15, 15) - field.values] == 2); // a wall stays one
    phxi_heap_destroy(&heap);
}
