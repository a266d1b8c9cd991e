// SPDX-License-Identifier: MIT
// Sites without a particle, around the body: without them the cells at its surface would have no end, and to find
// their far corners would take all other sites. They stand on a grid of the smallest spacing along the mesh, but not
// within 1.6 spacings of a particle, so that what is in the body is hardly ever nearer to a ghost.
#include "geometry/cell_cut.h"

enum { LAYERS = 3 };
#define CLEAR     1.6 // spacings
#define MOST      4e6
#define AXIS_BITS 20

typedef struct ghosts {
    phxi_heap* heap;
    double step;
    phx_vec3 low;
    phxi_key_table seen;    // grid nodes near the mesh
    phxi_key_table buckets; // first particle in each cube of `reach`
    int* next;              // in the same cube
    double reach;           // CLEAR times the largest spacing
    const double* spacings;
    phxi_site_list* sites;
    int particle_count;
} ghosts;

static uint64_t node_key(const int at[3]) {
    return (uint64_t)at[0] << 2 * AXIS_BITS | (uint64_t)at[1] << AXIS_BITS | (uint64_t)at[2];
}

static void cube_of(const ghosts* g, phx_vec3 p, int at[3]) {
    at[0] = (int)floor((p.x - g->low.x) / g->reach) + 1;
    at[1] = (int)floor((p.y - g->low.y) / g->reach) + 1;
    at[2] = (int)floor((p.z - g->low.z) / g->reach) + 1;
}

static phx_result sort_particles(ghosts* g) {
    PHXI_NEW(g->next, g->heap, g->particle_count, "ghost search");
    for (int i = 0; i < g->particle_count; ++i) {
        int at[3];
        cube_of(g, g->sites->items[i], at);
        int* slot = phxi_key_slot(&g->buckets, node_key(at));
        if (!slot) {
            return PHX_ERROR_MEMORY;
        }
        g->next[i] = *slot;
        *slot = i;
    }
    return PHX_OK;
}

static bool is_clear(const ghosts* g, phx_vec3 p) {
    int cube[3];
    cube_of(g, p, cube);
    for (int n = 0; n < 27; ++n) {
        const int at[3] = {cube[0] + n % 3 - 1, cube[1] + n / 3 % 3 - 1, cube[2] + n / 9 - 1};
        for (int i = phxi_key_find(&g->buckets, node_key(at)); i >= 0; i = g->next[i]) {
            if (phxi_distance(p, g->sites->items[i]) < CLEAR * g->spacings[i]) {
                return false;
            }
        }
    }
    return true;
}

static phx_result try_node(ghosts* g, const int at[3]) {
    int* slot = phxi_key_slot(&g->seen, node_key(at));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot >= 0) {
        return PHX_OK;
    }
    *slot = 0;
    phx_vec3 p = phxi_add_scaled(g->low, g->step, phxi_vec3(at[0], at[1], at[2]));
    if (is_clear(g, p)) {
        if (!phxi_array_reserve(g->sites, 1, g->heap, "ghost sites")) {
            return PHX_ERROR_MEMORY;
        }
        g->sites->items[g->sites->count++] = p;
    }
    return PHX_OK;
}

static phx_result try_around(ghosts* g, phx_vec3 p) {
    const int at[3] = {(int)round((p.x - g->low.x) / g->step), (int)round((p.y - g->low.y) / g->step),
                       (int)round((p.z - g->low.z) / g->step)};
    int* slot = phxi_key_slot(&g->seen, node_key(at) | 1ull << 63); // all around were tried
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot >= 0) {
        return PHX_OK;
    }
    *slot = 0;
    for (int x = -LAYERS; x <= LAYERS; ++x) {
        for (int y = -LAYERS; y <= LAYERS; ++y) {
            for (int z = -LAYERS; z <= LAYERS; ++z) {
                if (x * x + y * y + z * z <= LAYERS * LAYERS) {
                    PHXI_TRY(try_node(g, (const int[3]){at[0] + x, at[1] + y, at[2] + z}));
                }
            }
        }
    }
    return PHX_OK;
}

// Points all over a triangle, less than a step apart.
static phx_result walk_triangle(ghosts* g, phx_vec3 a, phx_vec3 b, phx_vec3 c) {
    phx_vec3 u = phxi_sub(b, a), v = phxi_sub(c, a);
    double longest = fmax(phxi_length(u), fmax(phxi_length(v), phxi_distance(b, c)));
    int n = 1 + (int)(longest / g->step);
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; i + j <= n; ++j) {
            phx_vec3 p = phxi_add_scaled(phxi_add_scaled(a, (double)i / n, u), (double)j / n, v);
            PHXI_TRY(try_around(g, p));
        }
    }
    return PHX_OK;
}

static phx_result walk_mesh(ghosts* g, const phx_mesh* mesh) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = mesh->triangles + 3 * (size_t)t;
        const phx_vec3* p = mesh->positions;
        PHXI_TRY(walk_triangle(g, p[corner[0]], p[corner[1]], p[corner[2]]));
    }
    return PHX_OK;
}

phx_result phxi_cut_add_ghosts(phxi_heap* heap, const phx_mesh* mesh, const double* spacings, phxi_site_list* sites) {
    ghosts g = {.heap = heap,
                .step = INFINITY,
                .seen = {.heap = heap},
                .buckets = {.heap = heap},
                .spacings = spacings,
                .sites = sites,
                .particle_count = sites->count};
    phxi_box box = phxi_mesh_box(mesh);
    for (int i = 0; i < sites->count; ++i) {
        g.step = fmin(g.step, spacings[i]);
        g.reach = fmax(g.reach, CLEAR * spacings[i]);
        box.low = phxi_min(box.low, sites->items[i]);
        box.high = phxi_max(box.high, sites->items[i]);
    }
    double margin = (LAYERS + 1) * g.step;
    g.low = phxi_sub(box.low, phxi_vec3(margin, margin, margin));
    phx_vec3 size = phxi_sub(box.high, g.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    double area = phxi_mesh_area(mesh), step2 = g.step * g.step;
    if (longest + margin > g.step * ((1 << AXIS_BITS) - 4) || !(area <= MOST * step2)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a surface of %g m^2 and %g m across is too much for cells of %g m, expected at most %g cells",
                         area, longest, g.step, MOST);
    }
    phx_result result = sort_particles(&g);
    if (result == PHX_OK) {
        result = walk_mesh(&g, mesh);
    }
    phxi_free(heap, g.next);
    phxi_key_destroy(&g.seen);
    phxi_key_destroy(&g.buckets);
    return result;
}
