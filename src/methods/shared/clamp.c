// SPDX-License-Identifier: MIT
#include "methods/shared/clamp.h"

#include "core/hash.h"

#define SAME 1e-4 // cosines of directions that are as near

static const char label[] = "clamps";

uint64_t phxi_clamp_hash(const phxi_particles* p, int begin, int count) {
    bool any = false;
    for (int i = begin; i < begin + count && !any; ++i) {
        any = p->grip[i] != 0;
    }
    return any ? phxi_hash_bytes(p->grip + begin, (size_t)count * sizeof *p->grip, 1) | 1 : 0;
}

/// Whether all neighbours of a particle are held by the driver that holds it.
static bool is_deep(const int* grip, const phxi_lists* lists, int i) {
    bool deep = grip[i] != 0;
    for (int64_t k = lists->start[i]; k < lists->start[i + 1] && deep; ++k) {
        deep = grip[lists->items[k]] == grip[i];
    }
    return deep;
}

/// Neighbours of a particle at the rim.
typedef struct around {
    const phxi_particles* p;
    const phxi_clamp* clamp;
    const phxi_lists* lists;
    int begin, i;
    phx_vec3 surface; // outward, zero inside of the body
} around;

static phx_vec3 way_to(const around* a, int j) {
    const phxi_particles* p = a->p;
    int from = a->begin + a->i, to = a->begin + j;
    return phxi_vec3((double)p->rest_x[to] - (double)p->rest_x[from], (double)p->rest_y[to] - (double)p->rest_y[from],
                     (double)p->rest_z[to] - (double)p->rest_z[from]);
}

/// How far the cell reaches in a direction; `part` of what is there is outside of the clamp: that is so where a free
/// neighbour is nearest to the direction, not where a deep one is, and half of it at other ones of the rim. Where
/// several are as near, the mean.
static double reach(const around* a, phx_vec3 direction, double* part) {
    const int* grip = a->p->grip + a->begin;
    double far = (double)a->p->spacing[a->begin + a->i], best = -1, sum = 0;
    int count = 0;
    for (int64_t k = a->lists->start[a->i]; k < a->lists->start[a->i + 1]; ++k) {
        int j = a->lists->items[k];
        phx_vec3 way = way_to(a, j);
        double square = phxi_dot(way, way), along = phxi_dot(way, direction), cosine = along / sqrt(square);
        if (along > 0) {
            far = fmin(far, square / (2 * along));
        }
        if (cosine > best + SAME) {
            best = cosine;
            sum = count = 0;
        }
        if (cosine > best - SAME) {
            sum += grip[j] != grip[a->i] ? 1 : a->clamp->deep[j] ? 0 : 0.5;
            ++count;
        }
    }
    *part = count > 0 ? sum / count : 1;
    return far;
}

/// The part of the cell of a particle at the rim that is outside of its clamp, by many directions: those through the
/// middles of equal squares on the faces of a cube.
static double outside(const around* a) {
    enum { SQUARES = 4 };
    double out = 0, all = 0;
    for (int n = 0; n < 3 * SQUARES * SQUARES * 8; ++n) {
        double u = (n / 8 % SQUARES + 0.5) / SQUARES, v = (n / 8 / SQUARES % SQUARES + 0.5) / SQUARES;
        int face = n / 8 / SQUARES / SQUARES;
        double x = face == 0   ? 1
                   : face == 1 ? v
                               : u,
               y = face == 0   ? u
                   : face == 1 ? 1
                               : v,
               z = face == 0   ? v
                   : face == 1 ? u
                               : 1;
        phx_vec3 direction = {n & 1 ? x : -x, n & 2 ? y : -y, n & 4 ? z : -z};
        double length = phxi_length(direction), part = 0;
        if (phxi_dot(direction, a->surface) > 0) {
            continue; // out of the body
        }
        double far = reach(a, phxi_scale(1 / length, direction), &part) / length;
        out += part * far * far * far;
        all += far * far * far;
    }
    return all > 0 ? out / all : 1;
}

/// The same, 1 without deep neighbours: the clamp is a layer then, and all of the cell is outside.
static double share_of(const phxi_clamp* clamp, const phxi_particles* p, int begin, const phxi_lists* lists, int i) {
    around a = {p, clamp, lists, begin, i, {p->area_x[begin + i], p->area_y[begin + i], p->area_z[begin + i]}};
    bool deep = false;
    for (int64_t k = lists->start[i]; k < lists->start[i + 1] && !deep; ++k) {
        deep = clamp->deep[lists->items[k]];
    }
    return deep ? outside(&a) : 1;
}

phx_result phxi_clamp_find(phxi_heap* heap, const phxi_particles* particles, int begin, int count,
                           const phxi_lists* lists, phxi_clamp* clamp) {
    const int* grip = particles->grip + begin;
    clamp->count = count;
    clamp->deeps = 0;
    PHXI_NEW(clamp->deep, heap, count, label);
    PHXI_NEW(clamp->share, heap, count, label);
    for (int i = 0; i < count; ++i) {
        clamp->deep[i] = is_deep(grip, lists, i);
        clamp->deeps += clamp->deep[i];
    }
    for (int i = 0; i < count; ++i) {
        bool rim = grip[i] != 0 && !clamp->deep[i];
        clamp->share[i] = (phx_real)(rim ? share_of(clamp, particles, begin, lists, i) : clamp->deep[i] ? 0 : 1);
    }
    return PHX_OK;
}

void phxi_clamp_filter(const phxi_clamp* clamp, phxi_lists* lists) {
    int64_t kept = 0;
    for (int i = 0; i < clamp->count; ++i) {
        int64_t k = lists->start[i], end = lists->start[i + 1];
        lists->start[i] = kept;
        for (; k < end && !clamp->deep[i]; ++k) {
            if (!clamp->deep[lists->items[k]]) {
                lists->items[kept++] = lists->items[k];
            }
        }
    }
    lists->start[clamp->count] = kept;
}

phxi_mat3 phxi_clamp_turn(const phxi_particles* p, int begin, int count, int grip) {
    phx_vec3 rest = {0, 0, 0}, now = {0, 0, 0};
    phxi_mat3 sum = {0};
    int held = 0;
    for (int i = begin; i < begin + count; ++i) {
        if (p->grip[i] == grip) {
            rest = phxi_add(rest, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
            now = phxi_add(now, phxi_vec3(p->x[i], p->y[i], p->z[i]));
            ++held;
        }
    }
    rest = phxi_scale(1.0 / held, rest), now = phxi_scale(1.0 / held, now);
    for (int i = begin; i < begin + count; ++i) {
        if (p->grip[i] == grip) {
            phx_vec3 a = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), now);
            phx_vec3 b = phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), rest);
            const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
            for (int k = 0; k < 9; ++k) {
                sum.m[k / 3][k % 3] += left[k / 3] * right[k % 3];
            }
        }
    }
    return phxi_polar_rotation(&sum);
}

void phxi_clamp_turn_deep(const phxi_particles* p, int begin, int count, const int* start, phx_real* gradients) {
    phxi_mat3 turn = phxi_identity();
    for (int i = 0, known = 0; i < count; ++i) {
        int grip = p->grip[begin + i];
        if (grip == 0 || start[i + 1] > start[i]) {
            continue;
        }
        turn = grip == known ? turn : phxi_clamp_turn(p, begin, count, grip);
        known = grip;
        for (int k = 0; k < 9; ++k) {
            gradients[9 * (size_t)i + (size_t)k] = (phx_real)turn.m[k / 3][k % 3];
        }
    }
}

void phxi_clamp_destroy(phxi_heap* heap, phxi_clamp* clamp) {
    phxi_free(heap, clamp->deep);
    phxi_free(heap, clamp->share);
    *clamp = (phxi_clamp){0};
}
