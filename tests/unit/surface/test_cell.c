// SPDX-License-Identifier: MIT
// One cell: every one of Chernyaev's cases with its pieces and holes, compared with a fine sampling of the trilinear
// function; and the laws that make neighbouring cells fit.
#include "support/test.h"
#include "support/topology.h"
#include "surface/cell.h"

enum { MOST = 40 }; // fine cells a side

// A dense grid of n^3 cells, triangulated cell by cell; vertices are numbered by edge, unused numbers stay free.
typedef struct dense {
    int *indices, triangles, vertices;
} dense;

static dense march(const float* values, int n) {
    int nodes = n + 1, all = nodes * nodes * nodes, most = n * n * n;
    dense d = {malloc((size_t)most * PHXI_CELL_TRIANGLES * 3 * sizeof(int)), 0, 3 * all};
    for (int i = 0; d.indices && i < most; ++i) {
        int at[8];
        float v[8];
        for (int c = 0; c < 8; ++c) {
            int x = i % n + (c & 1), y = i / n % n + (c >> 1 & 1), z = i / n / n + (c >> 2);
            at[c] = (z * nodes + y) * nodes + x;
            v[c] = values[at[c]];
        }
        phxi_cell cell;
        phxi_cell_build(v, &cell);
        for (int k = 0; k < 3 * cell.triangle_count; ++k) {
            int code = cell.triangles[k / 3][k % 3];
            d.indices[3 * d.triangles + k] = code < PHXI_CELL_EDGES
                                                 ? all * (code >> 2) + at[phxi_cell_edge_corner(code)]
                                                 : d.vertices + code - PHXI_CELL_EDGES;
        }
        d.triangles += cell.triangle_count;
        d.vertices += cell.center_count;
    }
    return d;
}

static phxt_topology topology_of(const float* values, int n) {
    phxt_topology t = {0};
    dense d = march(values, n);
    ENSURE(d.indices && phxt_topology_of(d.indices, d.triangles, d.vertices, &t));
    free(d.indices);
    return t;
}

// The trilinear function of eight corner values, sampled.
static phxt_topology fine_topology(const float corners[8], int n) {
    static float values[(MOST + 1) * (MOST + 1) * (MOST + 1)];
    int i = 0;
    for (int z = 0; z <= n; ++z) {
        for (int y = 0; y <= n; ++y) {
            for (int x = 0; x <= n; ++x) {
                double sum = 0, u[3] = {(double)x / n, (double)y / n, (double)z / n};
                for (int c = 0; c < 8; ++c) {
                    sum += (double)corners[c] * (c & 1 ? u[0] : 1 - u[0]) * (c & 2 ? u[1] : 1 - u[1]) *
                           (c & 4 ? u[2] : 1 - u[2]);
                }
                values[i++] = (float)sum;
            }
        }
    }
    return topology_of(values, n);
}

static void random_corners(int mask, uint64_t* state, float corners[8]) {
    for (int c = 0; c < 8; ++c) {
        double size = exp(3 * phxt_random(state)) / 20;
        corners[c] = (float)(mask >> c & 1 ? size : -size);
    }
}

// Which corners, how many loops and whether two are joined tell the cases apart; pieces and the Euler characteristic
// of the surface in the cell follow. A tube (annulus) has 0, a disc 1.
typedef struct known {
    const char* name;
    int mask, loops;
    bool tunnel;
    int pieces, euler;
} known;

static const known cases[] = {
    {"0", 0x00, 0, false, 0, 0},      {"1", 0x01, 1, false, 1, 1},      {"2", 0x03, 1, false, 1, 1},
    {"3.1", 0x09, 2, false, 2, 2},    {"3.2", 0x09, 1, false, 1, 1},    {"4.1", 0x81, 2, false, 2, 2},
    {"4.2", 0x81, 2, true, 1, 0},     {"5", 0x0e, 1, false, 1, 1},      {"6.1.1", 0x83, 2, false, 2, 2},
    {"6.1.2", 0x83, 2, true, 1, 0},   {"6.2", 0x83, 1, false, 1, 1},    {"7.1", 0x16, 3, false, 3, 3},
    {"7.2", 0x16, 2, false, 2, 2},    {"7.3", 0x16, 1, false, 1, 1},    {"7.4.1", 0x16, 2, false, 2, 2},
    {"7.4.2", 0x16, 2, true, 1, 0},   {"8", 0x0f, 1, false, 1, 1},      {"9", 0x17, 1, false, 1, 1},
    {"10.1.1", 0xc3, 2, false, 2, 2}, {"10.1.2", 0xc3, 2, true, 1, 0},  {"10.2", 0xc3, 1, false, 1, 1},
    {"11", 0x47, 1, false, 1, 1},     {"12.1.1", 0x1e, 2, false, 2, 2}, {"12.1.2", 0x1e, 2, true, 1, 0},
    {"12.2", 0x1e, 1, false, 1, 1},   {"13.1", 0x69, 4, false, 4, 4},   {"13.2", 0x69, 3, false, 3, 3},
    {"13.3", 0x69, 2, false, 2, 2},   {"13.4", 0x69, 1, false, 1, 1},   {"13.5.1", 0x69, 3, false, 3, 3},
    {"13.5.2", 0x69, 3, true, 2, 1},  {"14", 0x2b, 1, false, 1, 1},     {"255", 0xff, 0, false, 0, 0},
};

TEST(all_33_cases_have_the_topology_of_the_trilinear_function) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const known* k = &cases[i];
        uint64_t state = 1;
        int found = 0;
        for (int attempt = 0; attempt < 20000 && found < 2; ++attempt) {
            float corners[8];
            random_corners(k->mask, &state, corners);
            phxi_cell cell;
            phxi_cell_build(corners, &cell);
            if (cell.loop_count != k->loops || cell.tunnel != k->tunnel) {
                continue;
            }
            // Only where the sampling is fine enough to agree with a coarser one.
            phxt_topology fine = fine_topology(corners, MOST), coarse = fine_topology(corners, MOST - 13);
            if (fine.pieces != coarse.pieces || fine.euler != coarse.euler) {
                continue;
            }
            ++found;
            phxt_topology own = topology_of(corners, 1);
            if (own.pieces != k->pieces || own.euler != k->euler || fine.pieces != k->pieces ||
                fine.euler != k->euler) {
                phxt_failed(__FILE__, __LINE__, "case %s: %d pieces, Euler %d; fine %d, %d; expected %d, %d", k->name,
                            own.pieces, own.euler, fine.pieces, fine.euler, k->pieces, k->euler);
            }
        }
        if (found == 0) {
            phxt_failed(__FILE__, __LINE__, "case %s was not met", k->name);
        }
    }
}

TEST(random_cells_have_the_topology_of_the_trilinear_function) {
    uint64_t state = 7;
    int compared = 0, different = 0;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        float corners[8];
        random_corners((int)(256 * phxt_random(&state)), &state, corners);
        phxt_topology own = topology_of(corners, 1), fine = fine_topology(corners, 16);
        if (own.pieces == fine.pieces && own.euler == fine.euler) {
            ++compared;
            continue;
        }
        // Narrow necks need a finer look.
        phxt_topology finer = fine_topology(corners, MOST);
        if (own.pieces == finer.pieces && own.euler == finer.euler) {
            ++compared;
        } else {
            ++different;
        }
    }
    printf("%d cells agree, %d do not at %d^3\n", compared, different, MOST);
    ENSURE(different <= 5);
}
