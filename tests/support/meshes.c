// SPDX-License-Identifier: MIT
#include "support/meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static phx_mesh* finish(int vertex_count, double* positions, int triangle_count, int* triangles) {
    phx_mesh* mesh = NULL;
    (void)phx_mesh_create(vertex_count, positions, triangle_count, triangles, &mesh);
    free(positions);
    free(triangles);
    return mesh;
}

phx_mesh* phxt_box_mesh(phx_vec3 low, phx_vec3 high) {
    double* p = malloc(24 * sizeof *p);
    int* t = malloc(36 * sizeof *t);
    for (int i = 0; i < 8; ++i) {
        p[3 * i] = i & 1 ? high.x : low.x;
        p[3 * i + 1] = i & 2 ? high.y : low.y;
        p[3 * i + 2] = i & 4 ? high.z : low.z;
    }
    static const int faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    memcpy(t, faces, sizeof faces);
    return finish(8, p, 12, t);
}

phx_mesh* phxt_sphere_mesh(phx_vec3 center, double radius, int bands, int sectors) {
    const int vertices = 2 + (bands - 1) * sectors;
    double* p = malloc((size_t)vertices * 3 * sizeof *p);
    int* t = malloc((size_t)(bands - 1) * (size_t)sectors * 6 * sizeof *t);
    int v = 0, count = 0;
    for (int b = 0; b <= bands; ++b) {
        for (int s = 0; s < (b == 0 || b == bands ? 1 : sectors); ++s) {
            const double theta = pi * b / bands, phi = 2 * pi * s / sectors;
            p[v++] = center.x + radius * sin(theta) * cos(phi);
            p[v++] = center.y + radius * sin(theta) * sin(phi);
            p[v++] = center.z + radius * cos(theta);
        }
    }
    for (int b = 0; b < bands; ++b) {
        for (int s = 0; s < sectors; ++s) {
            const int next = (s + 1) % sectors, upper = 1 + (b - 1) * sectors, lower = 1 + b * sectors;
            const int above = b == 0 ? 0 : upper + s, above_next = b == 0 ? 0 : upper + next;
            const int below = b == bands - 1 ? vertices - 1 : lower + s;
            const int below_next = b == bands - 1 ? vertices - 1 : lower + next;
            if (b > 0) {
                memcpy(t + count, (int[]){above, below, above_next}, 3 * sizeof *t);
                count += 3;
            }
            if (b < bands - 1) {
                memcpy(t + count, (int[]){above_next, below, below_next}, 3 * sizeof *t);
                count += 3;
            }
        }
    }
    return finish(vertices, p, count / 3, t);
}

phx_mesh* phxt_torus_mesh(double major, double minor, int rings, int sectors) {
    double* p = malloc((size_t)rings * (size_t)sectors * 3 * sizeof *p);
    int* t = malloc((size_t)rings * (size_t)sectors * 6 * sizeof *t);
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sectors; ++j) {
            const double u = 2 * pi * i / rings, w = 2 * pi * j / sectors;
            double* q = p + 3 * (i * sectors + j);
            q[0] = (major + minor * cos(w)) * cos(u);
            q[1] = (major + minor * cos(w)) * sin(u);
            q[2] = minor * sin(w);
            const int a = i * sectors + j, b = (i + 1) % rings * sectors + j;
            const int c = (i + 1) % rings * sectors + (j + 1) % sectors, d = i * sectors + (j + 1) % sectors;
            memcpy(t + 6 * a, (int[]){a, b, c, a, c, d}, 6 * sizeof *t);
        }
    }
    return finish(rings * sectors, p, 2 * rings * sectors, t);
}

static double* copy_positions(const phx_mesh* mesh, int extra) {
    const size_t size = (size_t)phx_mesh_vertex_count(mesh) * 3 * sizeof(double);
    double* p = malloc(size + (size_t)extra * 3 * sizeof(double));
    return memcpy(p, phx_mesh_positions(mesh), size);
}

static int* copy_triangles(const phx_mesh* mesh, int extra) {
    const size_t size = (size_t)phx_mesh_triangle_count(mesh) * 3 * sizeof(int);
    int* t = malloc(size + (size_t)extra * 3 * sizeof(int));
    return memcpy(t, phx_mesh_triangles(mesh), size);
}

phx_mesh* phxt_joined_mesh(phx_mesh* a, phx_mesh* b) {
    const int va = phx_mesh_vertex_count(a), vb = phx_mesh_vertex_count(b);
    const int ta = phx_mesh_triangle_count(a), tb = phx_mesh_triangle_count(b);
    double* p = copy_positions(a, vb);
    int* t = copy_triangles(a, tb);
    memcpy(p + 3 * va, phx_mesh_positions(b), (size_t)vb * 3 * sizeof *p);
    for (int i = 0; i < 3 * tb; ++i) {
        t[3 * ta + i] = va + phx_mesh_triangles(b)[i];
    }
    phx_mesh_destroy(a);
    phx_mesh_destroy(b);
    return finish(va + vb, p, ta + tb, t);
}

phx_mesh* phxt_inverted_mesh(phx_mesh* mesh) {
    const int vertices = phx_mesh_vertex_count(mesh), triangles = phx_mesh_triangle_count(mesh);
    double* p = copy_positions(mesh, 0);
    int* t = copy_triangles(mesh, 0);
    for (int i = 0; i < triangles; ++i) {
        const int swap = t[3 * i + 1];
        t[3 * i + 1] = t[3 * i + 2];
        t[3 * i + 2] = swap;
    }
    phx_mesh_destroy(mesh);
    return finish(vertices, p, triangles, t);
}

phx_mesh* phxt_cut_mesh(phx_mesh* mesh, double height) {
    const int vertices = phx_mesh_vertex_count(mesh), triangles = phx_mesh_triangle_count(mesh);
    double* p = copy_positions(mesh, 0);
    int* t = copy_triangles(mesh, 0);
    int kept = 0;
    for (int i = 0; i < triangles; ++i) {
        const int* c = t + 3 * i;
        if (p[3 * c[0] + 2] + p[3 * c[1] + 2] + p[3 * c[2] + 2] <= 3 * height) {
            memmove(t + 3 * kept++, c, 3 * sizeof *t);
        }
    }
    phx_mesh_destroy(mesh);
    return finish(vertices, p, kept, t);
}
