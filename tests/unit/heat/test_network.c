// SPDX-License-Identifier: MIT
// The wide loops of the network against plain ones in double, their symmetry, walls and free surfaces.
#include "core/hash.h"
#include "heat/heat.h"
#include "neighbors/kernel.h"
#include "boundary/mirror.h"
#include "support/test.h"

enum { SIDE = 9, COUNT = SIDE * SIDE * SIDE };

typedef struct fixture {
    phxi_heap heap;
    phxi_particles p;
    phxi_near near;
    phxi_heat_network network;
} fixture;

static double noise(int i, int k) {
    return phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k)) - 0.5;
}

/// A disordered block of unit cells, with random volumes, conductivities and temperatures; fixed below `floor`.
static bool make(fixture* f, double jitter, double period, int floor) {
    phxi_heap_init(&f->heap, NULL);
    phxi_near_init(&f->near, &f->heap);
    phxi_heat_network_init(&f->network, &f->heap);
    if (phxi_particles_init(&f->p, &f->heap) != PHX_OK || phxi_particles_add(&f->p, COUNT) != PHX_OK) {
        return false;
    }
    for (int i = 0; i < COUNT; ++i) {
        f->p.x[i] = (phx_real)(i % SIDE + jitter * noise(i, 0));
        f->p.y[i] = (phx_real)(i / SIDE % SIDE + jitter * noise(i, 1));
        f->p.z[i] = (phx_real)(i / SIDE / SIDE + 0.5 + jitter * noise(i, 2));
        f->p.spacing[i] = 1;
        f->p.volume[i] = (phx_real)(1 + jitter * noise(i, 3));
        f->p.temperature[i] = (phx_real)(20 + 100 * noise(i, 4));
    }
    phxi_near_range all = {0, COUNT, 3, false, 0};
    phx_vec3 wrap = {period, 0, 0};
    if (phxi_near_update(&f->near, NULL, PHXI_SEARCH_GRID, &f->p, &all, 1, wrap) != PHX_OK ||
        phxi_heat_network_reserve(&f->network, &f->near) != PHX_OK) {
        return false;
    }
    f->network.fixing = floor > 0;
    for (int k = 0; k < COUNT; ++k) {
        int i = f->near.particle[k];
        bool fixed = f->p.z[i] < floor;
        f->network.at[k] = (phxi_r4){f->near.x[k], f->near.y[k], f->near.z[k], f->near.reach[k]};
        f->network.trait[k] = (phxi_r4){f->p.volume[i],
                                        (phx_real)(fixed        ? 0
                                                   : i % 7 == 0 ? INFINITY
                                                                : 1 + i % 3),
                                        1, (phx_real)(fixed ? PHXI_HEAT_MIRROR : PHXI_HEAT_FREE)};
        f->network.mirror[k] = fixed ? (phxi_r4){0, 0, 1, (phx_real)floor - f->p.z[i]} : (phxi_r4){0};
        f->network.temperature[k] = f->p.temperature[i];
    }
    phxi_heat_network_build(&f->network, NULL);
    return true;
}

static void destroy(fixture* f) {
    phxi_heat_network_destroy(&f->network);
    phxi_near_destroy(&f->near);
    phxi_particles_destroy(&f->p);
    phxi_heap_destroy(&f->heap);
}

/// q_ij, by the definition.
static double plain(const fixture* f, int i, int j) {
    phx_vec3 x = phxi_near_delta(&f->near, i, j);
    double r = phxi_length(x), h = 0.5 * ((double)f->near.reach[i] + (double)f->near.reach[j]);
    return -2 * (double)f->network.trait[i][0] * (double)f->network.trait[j][0] *
           phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r, h) * r / (r * r + 0.01 * h * h / 9);
}

/// What flows into i against what the network says, W.
static void compare_row(const fixture* f, int i) {
    const phxi_heat_network* n = &f->network;
    double flow = 0, size = 0, fixed = 0, warmth = 0, resist = (double)n->trait[i][1], g = (double)n->trait[i][2];
    for (int64_t k = f->near.lists.start[i]; k < f->near.lists.start[i + 1]; ++k) {
        int j = f->near.lists.items[k];
        double difference = (double)n->temperature[j] - (double)n->temperature[i], q = plain(f, i, j);
        if (n->trait[j][3] == PHXI_HEAT_MIRROR) {
            double b = phxi_wall_mirror((double)n->mirror[j][3], phxi_near_delta(&f->near, i, j).z);
            fixed += q * g / resist * (1 + b);
            warmth += q * g / resist * (1 + b) * (double)n->temperature[j];
        } else {
            double c = q * (g + (double)n->trait[j][2]) / (resist + (double)n->trait[j][1]);
            flow += c * difference;
            size += fabs(c * difference);
        }
    }
    double watt;
    phxi_heat_network_flow(n, i, i + 1, &watt);
    ENSURE(fabs(watt - flow) <= 1e-5 * size);
    ENSURE_NEAR(n->fixed[i], fixed, 1e-5 * fixed + 1e-9);
    ENSURE(!(fixed > 0) || fabs((double)n->fixed_temperature[i] - warmth / fixed) < 1e-3);
}

TEST(wide_is_plain) {
    const struct {
        double jitter, period;
        int floor;
    } cases[] = {{0.3, 0, 0}, {0.3, SIDE, 0}, {0.3, 0, 3}, {0.2, SIDE, 3}};
    for (int k = 0; k < 4; ++k) {
        fixture f;
        REQUIRE(make(&f, cases[k].jitter, cases[k].period, cases[k].floor));
        for (int i = 0; i < COUNT; ++i) {
            if (f.network.trait[i][3] == PHXI_HEAT_FREE) {
                compare_row(&f, i);
            }
        }
        destroy(&f);
    }
}

static phx_real between(const fixture* f, int i, int j) {
    const int64_t* start = f->near.lists.start;
    for (int64_t k = start[i]; k < start[i + 1]; ++k) {
        if (f->near.lists.items[k] == j) {
            return f->network.conductance[f->network.start[i] + k - start[i]];
        }
    }
    return -1;
}

TEST(what_one_gives_the_other_takes) {
    fixture f;
    REQUIRE(make(&f, 0.3, SIDE, 0));
    int pairs = 0;
    for (int i = 0; i < COUNT; ++i) {
        for (int64_t k = f.near.lists.start[i]; k < f.near.lists.start[i + 1]; ++k, ++pairs) {
            int j = f.near.lists.items[k];
            phx_real here = between(&f, i, j), there = between(&f, j, i);
            ENSURE(here == there && here >= 0);
        }
    }
    ENSURE(pairs > 30 * COUNT);
    destroy(&f);
}

TEST(lattices_are_corrected_where_they_end) {
    fixture f;
    REQUIRE(make(&f, 0, 0, 0));
    double faces = 0;
    for (int k = 0; k < COUNT; ++k) {
        int i = f.near.particle[k], cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE}, edges = 0;
        for (int a = 0; a < 3; ++a) {
            edges += cell[a] == 0 || cell[a] == SIDE - 1;
        }
        ENSURE(edges == 0 ? f.network.face[k][3] == 0 : f.network.face[k][3] > 0);
        faces += edges == 1 ? (double)f.network.face[k][3] : 0;
    }
    // inner particles of faces are a cell's face each, but for those beside edges
    double wanted = 6 * (SIDE - 2) * (SIDE - 2);
    ENSURE_NEAR(faces * phxi_heat_face_factor(3), wanted, 0.05 * wanted);
    destroy(&f);
}
