// SPDX-License-Identifier: MIT
#include "support/cracked.h"

#include "geometry/body_mesh.h"
#include "support/test.h"

#define REACH 1.8 // spacings

static bool bonded(const phxi_samples* s, int i, int j) {
    return phxi_distance(s->positions[i], s->positions[j]) < REACH * fmax(s->spacings[i], s->spacings[j]);
}

bool phxt_cracked_create(phxt_cracked* b, const phx_body_def* def) {
    *b = (phxt_cracked){0};
    phxi_heap_init(&b->heap, NULL);
    phx_result result = phxi_body_mesh(&b->heap, def, &b->mesh);
    result = result == PHX_OK ? phxi_sample_body(&b->heap, def, &b->samples, NULL) : result;
    result = result == PHX_OK ? phxi_cell_complex_create(&b->heap, b->mesh, b->samples.count, b->samples.positions,
                                                         b->samples.spacings, &b->cells)
                              : result;
    if (!phxt_result(__FILE__, __LINE__, "cracked body", result, PHX_OK)) {
        return false;
    }
    int n = b->samples.count;
    for (int pass = 0; pass < 2; ++pass) {
        b->bond_count = 0;
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) {
                if (bonded(&b->samples, i, j)) {
                    if (pass == 1) {
                        b->bonds[b->bond_count][0] = i;
                        b->bonds[b->bond_count][1] = j;
                    }
                    ++b->bond_count;
                }
            }
        }
        if (pass == 0) {
            size_t count = (size_t)b->bond_count;
            b->bonds = phxi_alloc(&b->heap, count, sizeof *b->bonds, "bonds");
            b->cut = phxi_alloc(&b->heap, count, sizeof *b->cut, "bonds");
            b->points = phxi_alloc(&b->heap, count, sizeof *b->points, "bonds");
            b->normals = phxi_alloc(&b->heap, count, sizeof *b->normals, "bonds");
            b->fragment = phxi_alloc(&b->heap, (size_t)n, sizeof *b->fragment, "bonds");
            b->root = phxi_alloc(&b->heap, (size_t)n, sizeof *b->root, "bonds");
        }
    }
    return b->root != NULL;
}

void phxt_cracked_destroy(phxt_cracked* b) {
    phx_mesh_destroy(b->mesh);
    phxi_heap_destroy(&b->heap);
}

static int find(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

void phxt_cracked_cut(phxt_cracked* b, phxt_cutter* is_cut, void* context) {
    int n = b->samples.count, count = 0, fragments = 0;
    for (int i = 0; i < n; ++i) {
        b->root[i] = i;
    }
    for (int k = 0; k < b->bond_count; ++k) {
        int i = b->bonds[k][0], j = b->bonds[k][1];
        b->points[count] = b->normals[count] = phxi_vec3(0, 0, 0);
        if (is_cut(b, i, j, &b->points[count], &b->normals[count], context)) {
            b->cut[count][0] = i;
            b->cut[count++][1] = j;
        } else {
            int p = find(b->root, i), q = find(b->root, j);
            b->root[p > q ? p : q] = p > q ? q : p;
        }
    }
    for (int i = 0; i < n; ++i) {
        int root = find(b->root, i); // the lowest, so it has its number already
        b->fragment[i] = root == i ? fragments++ : b->fragment[root];
    }
    b->cracks = (phxi_cracks){fragments, b->fragment, count, (const int(*)[2])(void*)b->cut, b->points, b->normals};
}

bool phxt_cut_planes(const phxt_cracked* b, int i, int j, phx_vec3* point, phx_vec3* normal, void* context) {
    const phxt_planes* planes = context;
    phx_vec3 p = b->samples.positions[i], q = b->samples.positions[j];
    for (int k = 0; k < planes->count; ++k) {
        double a = phxi_dot(planes->normal[k], phxi_sub(p, planes->point[k]));
        double c = phxi_dot(planes->normal[k], phxi_sub(q, planes->point[k]));
        if ((a < 0) != (c < 0) && p.z + (q.z - p.z) * a / (a - c) > planes->above) {
            *point = planes->point[k];
            *normal = planes->normal[k];
            return true;
        }
    }
    return false;
}

phxt_planes phxt_random_planes(int count, phx_vec3 low, phx_vec3 high, uint64_t seed) {
    phxt_planes planes = {.count = count, .above = -INFINITY};
    for (int k = 0; k < count; ++k) {
        phx_vec3 n;
        do {
            n = phxi_vec3(2 * phxt_random(&seed) - 1, 2 * phxt_random(&seed) - 1, 2 * phxt_random(&seed) - 1);
        } while (phxi_length(n) > 1 || phxi_length(n) < 0.1);
        planes.normal[k] = phxi_normalize(n, n);
        planes.point[k] = phxi_vec3(low.x + (0.3 + 0.4 * phxt_random(&seed)) * (high.x - low.x),
                                    low.y + (0.3 + 0.4 * phxt_random(&seed)) * (high.y - low.y),
                                    low.z + (0.3 + 0.4 * phxt_random(&seed)) * (high.z - low.z));
    }
    return planes;
}
