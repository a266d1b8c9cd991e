// SPDX-License-Identifier: MIT
// Surfaces of cracked bodies (docs/theory/fracture.md F7): closed around every fragment, with the volume of its
// particles. Cracks are made by hand: every bond, half of them at random, planes through the body, one plane half way.
// Bonded are particles whose cells touch.
#include "validate/validate.h"

#include "core/hash.h"
#include "geometry/body_mesh.h"
#include "geometry/sample.h"
#include "surface/crack_body.h"

#include <stdio.h>

typedef enum cutting { CUT_ALL, CUT_HALF, CUT_PLANES, CUT_PARTLY, CUT_ONCE, CUTTINGS } cutting;

typedef struct specimen {
    phxi_heap* heap;
    phx_mesh* mesh;
    phxi_samples samples;
    phxi_cell_complex* cells;
    phxi_crack_body body;
    int* fragment;
    int (*cut)[2];
    phx_vec3 *points, *normals;
    phxi_cracks cracks;
    double unmatched, fragment_error, total_error;
} specimen;

static int find(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static bool is_cut(const specimen* s, cutting how, int wall, phx_vec3* point, phx_vec3* normal) {
    static const phx_vec3 normals[3] = {{0.94, 0.34, 0.05}, {-0.2, 0.9, 0.4}, {0.1, -0.3, 0.95}};
    const int* pair = s->cells->walls[wall].particle;
    if (how == CUT_ALL || how == CUT_HALF) {
        return how == CUT_ALL || phxi_hash_unit(phxi_hash_pair(phxi_key_pair(pair[0], pair[1]), 3)) < 0.5;
    }
    phxi_box box = phxi_mesh_box(s->mesh);
    phx_vec3 middle = phxi_scale(0.5, phxi_add(box.low, box.high)), a = s->samples.positions[pair[0]],
             b = s->samples.positions[pair[1]];
    for (int k = 0; k < (how == CUT_PLANES ? 3 : 1); ++k) {
        bool aside = phxi_dot(normals[k], phxi_sub(a, middle)) < 0,
             other = phxi_dot(normals[k], phxi_sub(b, middle)) < 0;
        if (aside != other && (how != CUT_PARTLY || a.z + b.z > 2 * middle.z)) {
            *point = middle;
            *normal = normals[k];
            return true;
        }
    }
    return false;
}

static void cut(specimen* s, cutting how) {
    int count = 0, fragments = 0, n = s->samples.count;
    for (int i = 0; i < n; ++i) {
        s->fragment[i] = i;
    }
    for (int w = 0; w < s->cells->wall_count; ++w) {
        const int* pair = s->cells->walls[w].particle;
        s->points[count] = s->normals[count] = phxi_vec3(0, 0, 0);
        if (is_cut(s, how, w, &s->points[count], &s->normals[count])) {
            s->cut[count][0] = pair[0];
            s->cut[count++][1] = pair[1];
        } else {
            int p = find(s->fragment, pair[0]), q = find(s->fragment, pair[1]);
            s->fragment[p > q ? p : q] = p > q ? q : p;
        }
    }
    for (int i = 0; i < n; ++i) {
        s->fragment[i] = find(s->fragment, i); // the lowest of its particles
        fragments += s->fragment[i] == i;
    }
    s->cracks = (phxi_cracks){fragments, s->fragment, count, (const int(*)[2])(void*)s->cut, s->points, s->normals};
}

static phx_result count_unmatched(specimen* s) {
    const phxi_crack_body* b = &s->body;
    phxi_key_table keys = {.heap = s->heap};
    PHXI_ARRAY(int) balance = {0};
    phx_result result = PHX_OK;
    for (int i = 0; i < 3 * b->copy_triangles.count && result == PHX_OK; ++i) {
        const int* v = b->copy_triangles.items[i / 3].v;
        int from = v[i % 3], to = v[(i + 1) % 3];
        s->unmatched += b->copies.items[from].fragment != b->copies.items[to].fragment;
        int* slot = phxi_key_slot(&keys, from < to ? phxi_key_pair(from, to) : phxi_key_pair(to, from));
        if (!slot || !phxi_array_reserve(&balance, 1, s->heap, "sides")) {
            result = PHX_ERROR_MEMORY;
            break;
        }
        if (*slot < 0) {
            *slot = balance.count;
            balance.items[balance.count++] = 0;
        }
        balance.items[*slot] += from < to ? 1 : -1;
    }
    for (int i = 0; i < balance.count; ++i) {
        s->unmatched += balance.items[i] != 0;
    }
    phxi_key_destroy(&keys);
    phxi_array_destroy(&balance, s->heap);
    return result;
}

static phx_result compare_volumes(specimen* s) {
    const phxi_crack_body* b = &s->body;
    int n = s->samples.count;
    double *held = phxi_alloc_zero(s->heap, (size_t)n, sizeof *held, "volumes"),
           *wanted = phxi_alloc_zero(s->heap, (size_t)n, sizeof *wanted, "volumes"), all = 0, whole = 0;
    for (int t = 0; held && wanted && t < b->copy_triangles.count; ++t) {
        const int* v = b->copy_triangles.items[t].v;
        int fragment = b->copies.items[v[0]].fragment;
        phx_vec3 o = s->samples.positions[fragment], x[3]; // its lowest particle: nothing cancels
        for (int k = 0; k < 3; ++k) {
            x[k] = phxi_sub(b->positions[b->copies.items[v[k]].vertex], o);
        }
        held[fragment] += phxi_dot(x[0], phxi_cross(x[1], x[2])) / 6;
    }
    for (int i = 0; held && wanted && i < n; ++i) {
        wanted[s->fragment[i]] += s->cells->volumes[i];
    }
    for (int i = 0; held && wanted && i < n; ++i) {
        if (s->fragment[i] == i && wanted[i] > 0) {
            s->fragment_error = fmax(s->fragment_error, fabs(held[i] / wanted[i] - 1));
        }
        all += held[i];
        whole += wanted[i];
    }
    s->total_error = fmax(s->total_error, fabs(all / whole - 1));
    phx_result result = held && wanted ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_free(s->heap, held);
    phxi_free(s->heap, wanted);
    return result;
}

static phx_result measure(specimen* s, cutting how, bool smooth) {
    cut(s, how);
    PHXI_TRY(phxi_crack_body_update(&s->body, &s->cracks, smooth));
    PHXI_TRY(count_unmatched(s));
    return compare_volumes(s);
}

static phx_result create(specimen* s, const phx_body_def* def) {
    PHXI_TRY(phxi_body_mesh(s->heap, def, &s->mesh));
    PHXI_TRY(phxi_sample_body(s->heap, def, &s->samples, NULL));
    PHXI_TRY(phxi_cell_complex_create(s->heap, s->mesh, s->samples.count, s->samples.positions, s->samples.spacings,
                                      &s->cells));
    PHXI_NEW(s->fragment, s->heap, s->samples.count, "specimen");
    PHXI_NEW(s->cut, s->heap, s->cells->wall_count + 1, "specimen");
    PHXI_NEW(s->points, s->heap, s->cells->wall_count + 1, "specimen");
    PHXI_NEW(s->normals, s->heap, s->cells->wall_count + 1, "specimen");
    return phxi_crack_body_create(s->heap, s->cells, s->samples.positions, s->samples.spacings, &s->body);
}

static void destroy(specimen* s) {
    phxi_crack_body_destroy(&s->body);
    phxi_cell_complex_destroy(s->cells);
    phxi_samples_destroy(s->heap, &s->samples);
    phx_mesh_destroy(s->mesh);
    phxi_free(s->heap, s->fragment);
    phxi_free(s->heap, s->cut);
    phxi_free(s->heap, s->points);
    phxi_free(s->heap, s->normals);
}

static void report(phxi_validation* v, const specimen* s, const char* name, double fragment) {
    char quantity[96];
    snprintf(quantity, sizeof quantity, "unmatched edges, %s", name);
    phxi_validate(v, quantity, s->unmatched, 0, 0);
    snprintf(quantity, sizeof quantity, "volume of fragments, %s", name);
    phxi_validate(v, quantity, s->fragment_error, 0, fragment);
    snprintf(quantity, sizeof quantity, "volume of all, %s", name);
    phxi_validate(v, quantity, s->total_error, 0, 1e-12);
}

static phx_result closed(phxi_validation* v) {
    static const struct {
        const char *name, *shape;
        double spacing, jitter;
        int sampling;
    } bodies[] = {
        {"box, uniform", "box(size=(1,0.6,0.5))", 0.08, 0, PHX_SAMPLING_UNIFORM},
        {"sphere, bcc", "sphere(radius=0.5)", 0.13, 0, PHX_SAMPLING_BCC},
        {"torus, octree", "torus(major=0.5,minor=0.2)", 0.18, 0, PHX_SAMPLING_OCTREE},
        {"vase, jittered", "difference(sphere(radius=0.5),sphere(radius=0.4),box(center=(0,0,0.5),size=(1,1,0.5)))",
         0.1, 0.3, PHX_SAMPLING_UNIFORM},
    };
    phx_result result = PHX_OK;
    for (int i = 0; i < 4 && result == PHX_OK; ++i) {
        phx_body_def def = {.shape = bodies[i].shape,
                            .scale = 1,
                            .rotate = {0, 0, 20},
                            .spacing = bodies[i].spacing,
                            .jitter = bodies[i].jitter,
                            .sampling = bodies[i].sampling,
                            .levels = 1};
        specimen s = {.heap = v->heap};
        result = create(&s, &def);
        for (int how = 0; how < CUTTINGS && result == PHX_OK; ++how) {
            result = measure(&s, (cutting)how, false);
        }
        if (result == PHX_OK) {
            report(v, &s, bodies[i].name, 1e-13);
        }
        destroy(&s);
    }
    return result;
}

static phx_result smoothed(phxi_validation* v) {
    static const struct {
        const char *name, *shape;
        cutting how;
        double bound;
    } bodies[] = {{"bar", "box(size=(2,0.5,0.5))", CUT_ONCE, 0.005},
                  {"plate", "box(size=(2,1,0.2))", CUT_PLANES, 0.025}};
    phx_result result = PHX_OK;
    for (int i = 0; i < 4 && result == PHX_OK; ++i) {
        phx_body_def def = {.shape = bodies[i / 2].shape, .scale = 1, .rotate = {0, 0, 20}, .spacing = 0.05};
        specimen s = {.heap = v->heap};
        char name[32];
        result = create(&s, &def);
        if (result == PHX_OK) {
            result = measure(&s, bodies[i / 2].how, i % 2);
        }
        if (result == PHX_OK) {
            snprintf(name, sizeof name, "%s %s", bodies[i / 2].name, i % 2 ? "smoothed" : "raw");
            report(v, &s, name, i % 2 ? bodies[i / 2].bound : 1e-13);
        }
        destroy(&s);
    }
    return result;
}

const phxi_validation_case phxi_cases_cracks[] = {
    {"cracks.closed", "surfaces of fragments are closed and hold their particles' volume (fracture F7)", closed},
    {"cracks.smoothed", "so do smoothed ones, within bounds (fracture F7)", smoothed},
    {NULL, NULL, NULL},
};
