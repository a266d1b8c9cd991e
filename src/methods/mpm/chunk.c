// SPDX-License-Identifier: MIT
// A chunk of particles of one block, or of a few blocks of few particles, in planes: weights of the nodes they see, and
// their stress.
//
// B-splines, with f the way from the first node in cells:
//   cubic, d = f - 1:   (1-d)^3/6, 2/3 - d^2 + d^3/2, 2/3 - (1-d)^2 + (1-d)^3/2, d^3/6
//   quadratic:          (3/2-f)^2/2, 3/4 - (f-1)^2, (f-1/2)^2/2, 0
#include "methods/mpm/mpm_internal.h"

#include "materials/elastic_batch.h"

#include <string.h>

int phxi_mpm_batch_size(const phxi_mpm* s, const phxi_mpm_batch* batch) {
    const phxi_mpm_block *first = &s->blocks.items[batch->first], *last = first + batch->count - 1;
    return last->begin + last->count - first->begin;
}

void phxi_mpm_open_chunk(const phxi_mpm* s, const phxi_mpm_batch* batch, int from, phxi_mpm_chunk* chunk) {
    const phxi_mpm_block* first = &s->blocks.items[batch->first];
    const int left = phxi_mpm_batch_size(s, batch) - from;
    chunk->blocks = first;
    chunk->block_count = batch->count;
    chunk->turn = first->begin + from;
    chunk->at = s->order.items + chunk->turn;
    chunk->count = left < MPM_CHUNK ? left : MPM_CHUNK;
    int apart = 0;
    for (int k = 1; k < chunk->count; ++k) {
        apart |= chunk->at[k] - chunk->at[0] - k;
    }
    chunk->packed = apart == 0;
}

void phxi_mpm_load_plane(const phxi_mpm_chunk* chunk, const phx_real* from, phx_real* plane) {
    if (chunk->packed) {
        memcpy(plane, from + chunk->at[0], (size_t)chunk->count * sizeof *plane);
        return;
    }
    for (int k = 0; k < chunk->count; ++k) {
        plane[k] = from[chunk->at[k]];
    }
}

void phxi_mpm_store_plane(const phxi_mpm_chunk* chunk, const phx_real* plane, phx_real* to) {
    if (chunk->packed) {
        memcpy(to + chunk->at[0], plane, (size_t)chunk->count * sizeof *plane);
        return;
    }
    for (int k = 0; k < chunk->count; ++k) {
        to[chunk->at[k]] = plane[k];
    }
}

void phxi_mpm_part_of_block(const phxi_mpm_chunk* chunk, int b, int* begin, int* end) {
    const int first = chunk->blocks[b].begin - chunk->turn, last = first + chunk->blocks[b].count;
    *begin = first > 0 ? first : 0;
    *end = last < chunk->count ? last : chunk->count;
}

// ------------------------------------------------------------------------------------------------------------ weights

PHXI_INLINE void cubic_weights(const phx_real* f, int count, phx_real (*w)[MPM_STRIDE]) {
    PHXI_SIMD
    for (int k = 0; k < count; ++k) {
        const phx_real d = f[k] - 1, e = 1 - d, dd = d * d, ee = e * e;
        w[0][k] = (phx_real)(1.0 / 6) * (ee * e);
        w[2][k] = (phx_real)(2.0 / 3) - ee + (phx_real)0.5 * (ee * e);
        w[3][k] = (phx_real)(1.0 / 6) * (dd * d);
        w[1][k] =
            1 - (w[0][k] + w[3][k]) - w[2][k]; // 2/3 is no number: its rounding would take momentum, every substep
    }
}

PHXI_INLINE void quadratic_weights(const phx_real* f, int count, phx_real (*w)[MPM_STRIDE]) {
    PHXI_SIMD
    for (int k = 0; k < count; ++k) {
        const phx_real a = (phx_real)1.5 - f[k], b = f[k] - 1, c = f[k] - (phx_real)0.5;
        w[0][k] = (phx_real)0.5 * (a * a);
        w[1][k] = (phx_real)0.75 - b * b;
        w[2][k] = (phx_real)0.5 * (c * c);
        w[3][k] = 0;
    }
}

PHXI_INLINE void find_base(phx_real* restrict f, int count, phx_real reach, int stride, int* restrict base) {
    PHXI_SIMD
    for (int k = 0; k < count; ++k) {
        const int first = (int)(f[k] - reach); // not negative: the block holds it
        base[k] += stride * first;
        f[k] -= (phx_real)first;
    }
}

static PHXI_CLONES void phxi_mpm_find_base(phx_real* restrict f, int count, phx_real reach, int stride,
                                           int* restrict base) {
    find_base(f, count, reach, stride, base);
}

static PHXI_CLONES void phxi_mpm_weigh_axis(phx_real* restrict f, int count, phx_real reach, bool cubic, int stride,
                                            int* restrict base, phx_real (*restrict w)[MPM_STRIDE]) {
    find_base(f, count, reach, stride, base);
    if (cubic) {
        cubic_weights(f, count, w);
    } else {
        quadratic_weights(f, count, w);
    }
}

/// Where particles [begin, end) stand in the tile of their block, in cells along an axis.
static void find_way(const phxi_mpm* s, const phxi_mpm_block* block, int axis, phxi_mpm_chunk* chunk, int begin,
                     int end) {
    const phxi_particles* p = s->step->particles;
    const phx_real* const x[3] = {p->x, p->y, p->z};
    const double origin[3] = {s->origin.x, s->origin.y, s->origin.z};
    const phx_real per = (phx_real)(1 / s->h), from = (phx_real)(origin[axis] + s->h * block->at[axis]);
    if (chunk->packed) {
        const phx_real *high = x[axis] + chunk->at[0], *low = p->low[axis] + chunk->at[0];
        for (int k = begin; k < end; ++k) {
            chunk->f[axis][k] = ((high[k] - from) + low[k]) * per;
        }
        return;
    }
    for (int k = begin; k < end; ++k) {
        int i = chunk->at[k];
        chunk->f[axis][k] = ((x[axis][i] - from) + p->low[axis][i]) * per;
    }
}

static void find_ways(const phxi_mpm* s, int axis, phxi_mpm_chunk* chunk) {
    for (int b = 0; b < chunk->block_count; ++b) {
        int begin, end;
        phxi_mpm_part_of_block(chunk, b, &begin, &end);
        find_way(s, &chunk->blocks[b], axis, chunk, begin, end);
    }
}

static const int strides[3] = {MPM_ALONG_X, MPM_ALONG_Y, 4};

void phxi_mpm_find_bases(const phxi_mpm* s, phxi_mpm_chunk* chunk) {
    memset(chunk->base, 0, sizeof chunk->base);
    for (int axis = 0; axis < 3; ++axis) {
        find_ways(s, axis, chunk);
        phxi_mpm_find_base(chunk->f[axis], chunk->count, (phx_real)phxi_mpm_reach(s), strides[axis], chunk->base);
    }
}

void phxi_mpm_weigh(const phxi_mpm* s, phxi_mpm_chunk* chunk) {
    memset(chunk->base, 0, sizeof chunk->base);
    for (int axis = 0; axis < 3; ++axis) {
        find_ways(s, axis, chunk);
        phxi_mpm_weigh_axis(chunk->f[axis], chunk->count, (phx_real)phxi_mpm_reach(s), s->params->kernel == MPM_CUBIC,
                            strides[axis], chunk->base, chunk->w[axis]);
    }
}

// ------------------------------------------------------------------------------------------------------------- stress

/// tau = P F^T of particles [begin, end).
static PHXI_CLONES void phxi_mpm_kirchhoff(phxi_mpm_chunk* c, int begin, int end) {
    PHXI_SIMD
    for (int k = begin; k < end; ++k) {
        const phx_real f[9] = {1 + c->g[0][k], c->g[1][k], c->g[2][k], c->g[3][k],    1 + c->g[4][k],
                               c->g[5][k],     c->g[6][k], c->g[7][k], 1 + c->g[8][k]};
        c->tau[0][k] = c->p[0][k] * f[0] + c->p[1][k] * f[1] + c->p[2][k] * f[2];
        c->tau[1][k] = c->p[3][k] * f[3] + c->p[4][k] * f[4] + c->p[5][k] * f[5];
        c->tau[2][k] = c->p[6][k] * f[6] + c->p[7][k] * f[7] + c->p[8][k] * f[8];
        c->tau[3][k] = c->p[0][k] * f[3] + c->p[1][k] * f[4] + c->p[2][k] * f[5];
        c->tau[4][k] = c->p[0][k] * f[6] + c->p[1][k] * f[7] + c->p[2][k] * f[8];
        c->tau[5][k] = c->p[3][k] * f[6] + c->p[4][k] * f[7] + c->p[5][k] * f[8];
    }
}

/// Particles [begin, end) of one elastic body. Batches begin at aligned places: the few before are made again.
static void elastic_stress(const phxi_elastic* elastic, phxi_mpm_chunk* c, int begin, int end, bool energy) {
    int from = begin & ~15;
    phx_real kept[9][16], kept_energy[16];
    for (int k = 0; k < 9; ++k) {
        memcpy(kept[k], &c->p[k][from], (size_t)(begin - from) * sizeof(phx_real));
    }
    memcpy(kept_energy, &c->energy[from], (size_t)(begin - from) * sizeof(phx_real));
    phxi_elastic_batch(elastic, end - from, MPM_STRIDE, &c->g[0][from], &c->p[0][from],
                       energy ? &c->energy[from] : NULL);
    for (int k = 0; k < 9; ++k) {
        memcpy(&c->p[k][from], kept[k], (size_t)(begin - from) * sizeof(phx_real));
    }
    memcpy(&c->energy[from], kept_energy, (size_t)(begin - from) * sizeof(phx_real));
    phxi_mpm_kirchhoff(c, begin, end);
}

const phx_real* phxi_mpm_thermal(const phxi_mpm* s, const phxi_mpm_chunk* chunk, int begin, int end,
                                 phx_real thermal[MPM_STRIDE]) {
    const phx_real* of = s->step->particles->thermal;
    for (int k = begin; of && k < end; ++k) {
        thermal[k - begin] = of[chunk->at[k]];
    }
    return of ? thermal : NULL;
}

/// Stress where warmth has a part in the deformation, which stays as it is.
static void solid_stress(const phxi_mpm* s, const phxi_elastic* elastic, phxi_mpm_chunk* c, int begin, int end,
                         bool energy) {
    phx_real room[MPM_STRIDE];
    const phx_real* thermal = phxi_mpm_thermal(s, c, begin, end, room);
    phxi_thermal_take(thermal, end - begin, MPM_STRIDE, &c->g[0][begin]);
    elastic_stress(elastic, c, begin, end, energy);
    phxi_thermal_put(thermal, end - begin, MPM_STRIDE, &c->g[0][begin]);
    phxi_thermal_energy(thermal, end - begin, MPM_STRIDE, 6, &c->tau[0][begin]);
    phxi_thermal_energy(thermal, end - begin, MPM_STRIDE, energy, &c->energy[begin]);
}

/// Snow is stiffer where it is packed.
static void stiffen(const phxi_mpm* s, const phxi_snow* snow, phxi_mpm_chunk* c, int begin, int end, bool energy) {
    for (int k = begin; k < end; ++k) {
        const phx_real by = (phx_real)phxi_snow_stiffness(snow, (double)s->field[MPM_SWELL][c->at[k]]);
        for (int n = 0; n < 6; ++n) {
            c->tau[n][k] *= by;
        }
        if (energy) {
            c->energy[k] *= by;
        }
    }
}

int phxi_mpm_run(const phxi_mpm* s, const phxi_mpm_chunk* chunk, int begin, int* body) {
    const int* bodies = s->step->particles->body;
    int end = begin + 1;
    *body = bodies[chunk->at[begin]];
    while (end < chunk->count && bodies[chunk->at[end]] == *body) {
        ++end;
    }
    return end;
}

void phxi_mpm_stress(const phxi_mpm* s, phxi_mpm_chunk* chunk, bool energy) {
    for (int n = 0; n < 9; ++n) {
        phxi_mpm_load_plane(chunk, s->field[MPM_G + n], chunk->g[n]);
    }
    for (int begin = 0, end, body; begin < chunk->count; begin = end) {
        end = phxi_mpm_run(s, chunk, begin, &body);
        const phxi_mpm_material* material = &s->materials.items[body];
        if (material->kind == MPM_FLUID) {
            phxi_fluid_stress_batch(&material->fluid, end - begin, MPM_STRIDE, &chunk->g[0][begin],
                                    &chunk->tau[0][begin], energy ? &chunk->energy[begin] : NULL);
            continue;
        }
        solid_stress(s, &material->elastic, chunk, begin, end, energy);
        if (material->kind == MPM_SNOW) {
            stiffen(s, &material->snow, chunk, begin, end, energy);
        }
    }
}
