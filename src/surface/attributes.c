// SPDX-License-Identifier: MIT
// Normals and fields at the vertices of a reconstructed surface, from the points themselves.
//
// Vertices come block by block. The points in reach of a block are staged once, bin by bin, so that the neighbours of
// a vertex are nine runs of three bins. Eight points at a time give weights and gradient; the few with a weight then
// add to the fields one by one.
#include "surface/attributes.h"

#include "surface/lanes.h"

#include <string.h>

enum { PARTS_AT_ONCE = 4, BINS = 9 }; // bins a side that a block can touch, see stage_around

phx_result phxi_carriage_create(phxi_heap* heap, const phx_frame* from, phx_frame* to, phxi_carriage* carriage) {
    *carriage = (phxi_carriage){0};
    PHXI_NEW(carriage->fields, heap, from->fields.count, "surface fields");
    for (int i = 0; i < from->fields.count; ++i) {
        const phx_frame_field* field = &from->fields.items[i];
        if (strcmp(field->name, "normal") == 0) {
            continue;
        }
        phxi_carried* carried = &carriage->fields[carriage->count];
        *carried = (phxi_carried){field->values, NULL, field->components,
                                  strcmp(field->name, "body") == 0 || strcmp(field->name, "id") == 0};
        phx_result result = phx_frame_add_field(to, field->name, field->components, &carried->to);
        if (result != PHX_OK) {
            phxi_free(heap, carriage->fields);
            return result;
        }
        ++carriage->count;
        carriage->components += field->components;
    }
    return PHX_OK;
}

void phxi_carriage_begin(const phxi_carriage* carriage, double* sums) {
    memset(sums, 0, (size_t)carriage->components * sizeof *sums);
}

void phxi_carriage_add(const phxi_carriage* carriage, double* sums, int point, double weight) {
    for (int f = 0; f < carriage->count; ++f) {
        const phxi_carried* field = &carriage->fields[f];
        const float* values = field->from + (size_t)field->components * (size_t)point;
        for (int k = 0; k < field->components; ++k) {
            *sums++ += weight * (double)values[k];
        }
    }
}

void phxi_carriage_end(const phxi_carriage* carriage, const double* sums, double total, int heaviest, int to) {
    for (int f = 0; f < carriage->count; ++f) {
        const phxi_carried* field = &carriage->fields[f];
        float* out = field->to + (size_t)field->components * (size_t)to;
        for (int k = 0; k < field->components; ++k, ++sums) {
            if (heaviest >= 0 && (field->nearest || total == 0)) {
                out[k] = field->from[(size_t)field->components * (size_t)heaviest + (size_t)k];
            } else {
                out[k] = heaviest >= 0 ? (float)(*sums / total) : 0;
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- gathering

typedef struct gathering {
    const phxi_cloud* cloud;
    const phxi_iso* iso;
    const double* positions;
    float* normals;
    phxi_carriage carriage;
    phx_result* results;
} gathering;

// The points around a block, and where each bin begins.
typedef struct around {
    phxi_stage stage;
    phxi_place base, low, high; // node; bins
    int start[BINS * BINS * BINS + 1];
} around;

static int bin_index(const around* a, int x, int y, int z) {
    return ((z - a->low.z) * (a->high.y - a->low.y + 1) + (y - a->low.y)) * (a->high.x - a->low.x + 1) + (x - a->low.x);
}

// A block with its surroundings is 15 + 2 ceil(h) + 1 nodes, a bin at least max(4, ceil(h)): at most 8 bins a side.
static phx_result stage_around(const phxi_cloud* cloud, phxi_place block, around* a) {
    a->base = (phxi_place){PHXI_BLOCK_CELLS * block.x, PHXI_BLOCK_CELLS * block.y, PHXI_BLOCK_CELLS * block.z};
    phxi_cloud_node_bins(cloud, a->base, &a->low, &a->high);
    a->stage.count = 0;
    for (int z = a->low.z; z <= a->high.z; ++z) {
        for (int y = a->low.y; y <= a->high.y; ++y) {
            phxi_grain_range row = phxi_cloud_row(cloud, y, z, a->low.x, a->high.x);
            int i = row.begin, first = a->stage.count;
            PHXI_TRY(phxi_stage_add(cloud, &a->stage, row, a->base));
            for (int x = a->low.x; x <= a->high.x; ++x) {
                a->start[bin_index(a, x, y, z)] = first + i - row.begin;
                while (i < row.end && cloud->grains[i].x / cloud->bin <= x) {
                    ++i;
                }
            }
        }
    }
    a->start[bin_index(a, a->high.x, a->high.y, a->high.z) + 1] = a->stage.count;
    return phxi_stage_pad(cloud, &a->stage);
}

typedef struct sums {
    phxi_f8 x, y, z, total; // of V W' along each axis, of V W
    float heaviest;
    int heaviest_point;
    double weight;
    double* fields;
} sums;

// Adds the weights of eight points to the fields.
static void add_fields(const gathering* g, const phxi_stage* stage, int first, const phxi_f8* weights, sums* s) {
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        float weight = (*weights)[lane];
        if (weight > 0) {
            int point = g->cloud->grains[stage->grain[first + lane]].index;
            s->weight += (double)weight;
            if (weight > s->heaviest) {
                s->heaviest = weight;
                s->heaviest_point = point;
            }
            phxi_carriage_add(&g->carriage, s->fields, point, (double)weight);
        }
    }
}

// Half the gradient of d^T S d of eight stretched kernels.
static void shape_gradient(const phxi_cloud* cloud, const int* grain, int count, const phxi_f8 d[3], phxi_f8 half[3]) {
    for (int lane = 0; lane < PHXI_LANES && lane < count; ++lane) {
        const float *m = cloud->shapes[grain[lane]], x = d[0][lane], y = d[1][lane], z = d[2][lane];
        half[0][lane] = m[0] * x + m[3] * y + m[4] * z;
        half[1][lane] = m[3] * x + m[1] * y + m[5] * z;
        half[2][lane] = m[4] * x + m[5] * y + m[2] * z;
    }
}

// Points [begin, end) of the stage seen from a place. Lanes behind the end get no weight.
PHXI_CLONES static void phxi_surface_gather(const gathering* g, const phxi_stage* stage, int begin, int end,
                                            const float at[3], sums* s) {
    const phxi_i8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    const phxi_cloud* cloud = g->cloud;
    const float h2 = cloud->reach * cloud->reach;
    for (int j = begin; j < end; j += PHXI_LANES) {
        const phxi_f8 d[3] = {at[0] - *(const phxi_f8u*)(stage->x + j), at[1] - *(const phxi_f8u*)(stage->y + j),
                              at[2] - *(const phxi_f8u*)(stage->z + j)};
        phxi_f8 rest = h2 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), half[3] = {d[0], d[1], d[2]};
        if (cloud->shapes) {
            shape_gradient(cloud, stage->grain + j, end - j, d, half);
            rest = 1 - (half[0] * d[0] + half[1] * d[1] + half[2] * d[2]);
        }
        rest = (phxi_f8)((phxi_i8)rest & (steps < end - j));
        const phxi_f8 weight = PHXI_F8_POSITIVE(rest), slope = *(const phxi_f8u*)(stage->volume + j) * weight * weight,
                      full = slope * weight;
        s->x += slope * half[0];
        s->y += slope * half[1];
        s->z += slope * half[2];
        s->total += full;
        if (g->carriage.count > 0 && phxi_f8_sum(&full) > 0) {
            add_fields(g, stage, j, &full, s);
        }
    }
}

// Where no point has weight (a level near 0), the nearest one serves.
static int nearest_point(const gathering* g, const around* a, const float at[3], float away[3]) {
    float least = INFINITY;
    int nearest = -1;
    for (int i = 0; i < a->stage.count; ++i) {
        float d[3] = {at[0] - a->stage.x[i], at[1] - a->stage.y[i], at[2] - a->stage.z[i]};
        float distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (distance < least) {
            least = distance;
            nearest = g->cloud->grains[a->stage.grain[i]].index;
            memcpy(away, d, sizeof d);
        }
    }
    return nearest;
}

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

static void gather_vertex(const gathering* g, const around* a, int vertex, double* fields) {
    const phxi_cloud* cloud = g->cloud;
    const double* p = g->positions + 3 * (size_t)vertex;
    double node[3] = {(p[0] - cloud->origin.x) / cloud->cell, (p[1] - cloud->origin.y) / cloud->cell,
                      (p[2] - cloud->origin.z) / cloud->cell};
    float at[3] = {(float)(node[0] - a->base.x), (float)(node[1] - a->base.y), (float)(node[2] - a->base.z)};
    int bin[3] = {(int)node[0] / cloud->bin, (int)node[1] / cloud->bin, (int)node[2] / cloud->bin};
    sums s = {.heaviest_point = -1, .fields = fields};
    phxi_carriage_begin(&g->carriage, fields);
    int low = clamp(bin[0] - 1, a->low.x, a->high.x), high = clamp(bin[0] + 1, a->low.x, a->high.x);
    for (int z = clamp(bin[2] - 1, a->low.z, a->high.z); z <= clamp(bin[2] + 1, a->low.z, a->high.z); ++z) {
        for (int y = clamp(bin[1] - 1, a->low.y, a->high.y); y <= clamp(bin[1] + 1, a->low.y, a->high.y); ++y) {
            phxi_surface_gather(g, &a->stage, a->start[bin_index(a, low, y, z)], a->start[bin_index(a, high, y, z) + 1],
                                at, &s);
        }
    }
    // chi falls along the offsets from the points: their weighted sum is -grad chi, times a number.
    float sum[3] = {phxi_f8_sum(&s.x), phxi_f8_sum(&s.y), phxi_f8_sum(&s.z)};
    if (!(phxi_f8_sum(&s.total) > 0)) {
        s.heaviest_point = nearest_point(g, a, at, sum);
    }
    phx_vec3 normal = phxi_normalize((phx_vec3){(double)sum[0], (double)sum[1], (double)sum[2]}, (phx_vec3){0, 0, 1});
    float* out = g->normals + 3 * (size_t)vertex;
    out[0] = (float)normal.x, out[1] = (float)normal.y, out[2] = (float)normal.z;
    phxi_carriage_end(&g->carriage, fields, s.weight, s.heaviest_point, vertex);
}

static phx_result gather_part(const gathering* g, const phxi_iso_part* part, around* a, double* fields) {
    PHXI_TRY(stage_around(g->cloud, part->place, a));
    for (int i = 0; i < part->vertex_count; ++i) {
        gather_vertex(g, a, part->first_vertex + i, fields);
    }
    return PHX_OK;
}

static void gather_parts(void* context, int begin, int end, int piece) {
    const gathering* g = context;
    around a;
    a.stage = (phxi_stage){0};
    phxi_heap* heap = g->cloud->heap;
    double* fields = phxi_alloc(heap, (size_t)g->carriage.components, sizeof *fields, "surface fields");
    phx_result result = fields ? PHX_OK : PHX_ERROR_MEMORY;
    for (int i = begin; i < end && result == PHX_OK; ++i) {
        if (g->iso->parts[i].vertex_count > 0) {
            result = gather_part(g, &g->iso->parts[i], &a, fields);
        }
    }
    phxi_stage_destroy(g->cloud, &a.stage);
    phxi_free(heap, fields);
    g->results[piece] = result;
}

phx_result phxi_surface_attributes(const phxi_cloud* cloud, phxi_pool* pool, const phxi_iso* iso,
                                   const phx_frame* points, phx_frame* surface) {
    phxi_heap* heap = cloud->heap;
    int pieces = phxi_block_count(iso->part_count, PARTS_AT_ONCE);
    gathering g = {.cloud = cloud, .iso = iso, .positions = surface->positions};
    PHXI_TRY(phx_frame_add_field(surface, "normal", 3, &g.normals));
    PHXI_TRY(phxi_carriage_create(heap, points, surface, &g.carriage));
    g.results = phxi_alloc(heap, (size_t)pieces, sizeof *g.results, "surface fields");
    phx_result result = g.results ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        phxi_parallel_for(pool, iso->part_count, PARTS_AT_ONCE, gather_parts, &g);
        for (int i = 0; i < pieces && result == PHX_OK; ++i) {
            result = g.results[i] == PHX_OK ? PHX_OK : phxi_fail_memory("surface fields");
        }
    }
    phxi_free(heap, g.results);
    phxi_free(heap, g.carriage.fields);
    return result;
}
