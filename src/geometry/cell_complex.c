// SPDX-License-Identifier: MIT
// Checks, shifts and tries: the stages of cell_cut.h one after the other.
#include "geometry/cell_complex.h"

#include "core/hash.h"
#include "geometry/cell_cut.h"

#include <string.h>

enum { TRIES = 4 };

typedef struct making {
    phxi_heap* heap;
    const phx_mesh* mesh;
    const double* spacings;
    double least, most;   // of them
    phxi_site_list sites; // particles and ghosts
    phx_vec3* shifted;
    int particle_count;
} making;

static phx_result check(making* m, const phx_vec3* positions) {
    if (m->particle_count < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "cells of %d particles, expected at least one", m->particle_count);
    }
    m->least = INFINITY;
    for (int i = 0; i < m->particle_count; ++i) {
        double s = m->spacings[i];
        phx_vec3 x = positions[i];
        if (!phxi_finite(x) || !(s > 0) || !isfinite(s)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "particle %d at (%g, %g, %g) m with a spacing of %g m, expected finite positions and "
                             "positive spacings",
                             i, x.x, x.y, x.z, s);
        }
        m->least = fmin(m->least, s);
        m->most = fmax(m->most, s);
    }
    int open = phx_mesh_open_edges(m->mesh);
    if (open != 0) {
        return open < 0 ? PHX_ERROR_MEMORY
                        : phxi_fail(PHX_ERROR_ARGUMENT,
                                    "the mesh has %d open edges; a body that can break needs a closed one", open);
    }
    return PHX_OK;
}

static phx_result check_apart(const making* m, const phxi_voronoi* v) {
    for (int i = 0; i < m->particle_count; ++i) {
        if (phxi_voronoi_nearest(v, v->sites[i]) != i) {
            phx_vec3 x = m->sites.items[i];
            return phxi_fail(PHX_ERROR_ARGUMENT, "two particles at (%g, %g, %g) m, expected them apart", x.x, x.y, x.z);
        }
    }
    return PHX_OK;
}

static void destroy_cutting(phxi_cutting* cut) {
    phxi_voronoi_destroy(&cut->voronoi);
    phxi_free(cut->heap, cut->weld);
    phxi_free(cut->heap, cut->sheared);
    phxi_free(cut->heap, cut->mesh_edges);
    phxi_free(cut->heap, cut->triangle_edges);
    phxi_array_destroy(&cut->vertices, cut->heap);
    phxi_key_destroy(&cut->by_mesh_vertex);
    phxi_key_destroy(&cut->by_edge_face);
    phxi_key_destroy(&cut->by_triangle_edge);
    phxi_key_destroy(&cut->by_corner);
    phxi_array_destroy(&cut->pieces, cut->heap);
    phxi_array_destroy(&cut->piece_vertices, cut->heap);
    phxi_array_destroy(&cut->segments, cut->heap);
    phxi_array_destroy(&cut->crossings, cut->heap);
    phxi_array_destroy(&cut->walls, cut->heap);
    phxi_array_destroy(&cut->wall_triangles, cut->heap);
    phxi_array_destroy(&cut->wall_edges, cut->heap);
    phxi_ear_destroy(&cut->clipper);
}

/// Each site its own small shift, for those that lie in layers one like the other without being a lattice: there six
/// and more cells meet at a point, which the shear of voronoi.h takes apart for lattices alone.
static phx_vec3 wobble(int site, double reach) {
    double shift[3];
    for (int c = 0; c < 3; ++c) {
        shift[c] = reach * (2 * phxi_hash_unit(phxi_hash_pair((uint64_t)site, (uint64_t)c)) - 1);
    }
    return phxi_vec3(shift[0], shift[1], shift[2]);
}

// Sites relative to the middle of the mesh, shifted so that nothing touches: by other directions and lengths each time.
static void shift_sites(making* m, phx_vec3 center, int attempt) {
    static const double ways[TRIES][3] = {
        {0.9431, 0.5712, 0.2236}, {-0.3217, 0.8931, 0.6138}, {0.7321, -0.2917, 0.9173}, {0.4139, 0.8217, -0.9371}};
    static const double wobbles[TRIES] = {0, 0.003, 0.01, 0.03}; // well above the tolerance of voronoi.c
    double reach = ldexp(1e-5 * m->least, attempt);
    phx_vec3 shift = phxi_scale(reach, phxi_vec3(ways[attempt][0], ways[attempt][1], ways[attempt][2]));
    for (int i = 0; i < m->sites.count; ++i) {
        m->shifted[i] = phxi_add(phxi_sub(m->sites.items[i], center), shift);
        if (attempt > 0) {
            m->shifted[i] = phxi_add(m->shifted[i], wobble(i, wobbles[attempt] * m->least));
        }
    }
}

static phx_result cut_all(making* m, phxi_cutting* cut, phxi_cell_complex* complex) {
    double wall = 8 * m->most; // ghosts keep the cells that matter within half of it
    PHXI_TRY(phxi_voronoi_create(&cut->voronoi, m->heap, m->sites.count, m->shifted, m->least, wall));
    PHXI_TRY(check_apart(m, &cut->voronoi));
    for (int i = 0; i < m->particle_count; ++i) {
        phx_result result = phxi_voronoi_need(&cut->voronoi, i);
        cut->degenerate = cut->voronoi.degenerate;
        PHXI_TRY(result);
    }
    PHXI_TRY(phxi_cut_mesh(cut));
    PHXI_TRY(phxi_cut_faces(cut));
    return phxi_cut_owners(cut, complex);
}

static void clear_complex(phxi_cell_complex* c) {
    phxi_heap* heap = c->heap;
    void* const blocks[] = {c->volumes,        c->vertices,       c->kinds,         c->anchors,
                            c->pieces,         c->piece_particle, c->piece_source,  c->walls,
                            c->wall_triangles, c->mesh_vertices,  c->mesh_triangles};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
        phxi_free(heap, blocks[i]);
    }
    *c = (phxi_cell_complex){.heap = heap};
}

void phxi_cell_complex_destroy(phxi_cell_complex* complex) {
    if (complex) {
        phxi_heap* heap = complex->heap;
        clear_complex(complex);
        phxi_free(heap, complex);
    }
}

static phx_result try_all(making* m, phxi_cell_complex* complex) {
    phxi_box box = phxi_mesh_box(m->mesh);
    phx_vec3 center = phxi_scale(0.5, phxi_add(box.low, box.high));
    phx_result result = PHX_OK;
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        phxi_cutting cut = {.heap = m->heap,
                            .mesh = m->mesh,
                            .center = center,
                            .particle_count = m->particle_count,
                            .by_mesh_vertex = {.heap = m->heap},
                            .by_edge_face = {.heap = m->heap},
                            .by_triangle_edge = {.heap = m->heap},
                            .by_corner = {.heap = m->heap},
                            .clipper = {.heap = m->heap}};
        shift_sites(m, center, attempt);
        result = cut_all(m, &cut, complex);
        destroy_cutting(&cut);
        if (result == PHX_OK || !cut.degenerate) {
            break;
        }
        clear_complex(complex);
    }
    return result;
}

static phx_result keep_mesh(const phx_mesh* mesh, phxi_cell_complex* c) {
    c->mesh_vertex_count = mesh->vertex_count;
    c->mesh_triangle_count = mesh->triangle_count;
    PHXI_NEW(c->mesh_vertices, c->heap, mesh->vertex_count, "cell mesh");
    PHXI_NEW(c->mesh_triangles, c->heap, 3 * (size_t)mesh->triangle_count, "cell mesh");
    memcpy(c->mesh_vertices, mesh->positions, (size_t)mesh->vertex_count * sizeof *mesh->positions);
    memcpy(c->mesh_triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    return PHX_OK;
}

/// The mesh, or a copy that is turned inside out if that one is; welded.
static phx_result turned(phxi_heap* heap, const phx_mesh* mesh, phx_mesh** copy) {
    PHXI_TRY(phxi_mesh_new(&heap->allocator, mesh->vertex_count, mesh->triangle_count, copy));
    memcpy((*copy)->positions, mesh->positions, (size_t)mesh->vertex_count * sizeof *mesh->positions);
    bool back = phx_mesh_volume(mesh) < 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* from = mesh->triangles + 3 * (size_t)t;
        int* to = (*copy)->triangles + 3 * (size_t)t;
        to[0] = from[0], to[1] = from[back ? 2 : 1], to[2] = from[back ? 1 : 2];
    }
    return PHX_OK;
}

static phx_result make(making* m, const phx_vec3* positions, phxi_cell_complex* complex) {
    PHXI_TRY(check(m, positions));
    if (!phxi_array_reserve(&m->sites, m->particle_count, m->heap, "cell sites")) {
        return PHX_ERROR_MEMORY;
    }
    memcpy(m->sites.items, positions, (size_t)m->particle_count * sizeof *positions);
    m->sites.count = m->particle_count;
    PHXI_TRY(phxi_cut_add_ghosts(m->heap, m->mesh, m->spacings, &m->sites));
    PHXI_NEW(m->shifted, m->heap, m->sites.count, "cell sites");
    PHXI_TRY(try_all(m, complex));
    return keep_mesh(m->mesh, complex);
}

phx_result phxi_cell_complex_create(phxi_heap* heap, const phx_mesh* mesh, int count, const phx_vec3* positions,
                                    const double* spacings, phxi_cell_complex** complex) {
    *complex = NULL;
    phx_mesh* copy = NULL;
    PHXI_TRY(turned(heap, mesh, &copy));
    making m = {.heap = heap, .mesh = copy, .spacings = spacings, .particle_count = count};
    phxi_cell_complex* made = phxi_alloc_zero(heap, 1, sizeof *made, "cell complex");
    phx_result result = made ? PHX_OK : PHX_ERROR_MEMORY;
    if (made) {
        made->heap = heap;
        result = make(&m, positions, made);
    }
    phxi_array_destroy(&m.sites, heap);
    phxi_free(heap, m.shifted);
    phx_mesh_destroy(copy);
    if (result != PHX_OK) {
        phxi_cell_complex_destroy(made);
        return result;
    }
    *complex = made;
    return PHX_OK;
}
