// SPDX-License-Identifier: MIT
// Two loops over all pairs, eight at a time. The first one makes M, n and C of every particle and leaves
//   q_ij = -2 V_i V_j (w'/r) r^2 / (r^2 + 0.01 h^2)
// where the conductances will be, which the second one makes of them.
#include "heat/network.h"

#include "math/decompose3.h"
#include "neighbors/kernel.h"
#include "neighbors/kernel_wide.h"
#include "neighbors/near_wide.h"
#include "boundary/mirror.h"

#include <string.h>

enum { LANES = 8, GRAIN = 512 };
#define SOFT ((phx_real)(0.01 / 9)) // 0.01 h^2 by the square of the support

static const char label[] = "heat";

// -------------------------------------------------------------------------------------------------------------- memory

void phxi_heat_network_init(phxi_heat_network* network, phxi_heap* heap) {
    *network = (phxi_heat_network){.heap = heap};
}

static void drop_places(phxi_heat_network* n) {
    void* arrays[] = {n->start, n->at,  n->trait,       n->gain,  n->mirror,
                      n->face,  n->sum, n->temperature, n->fixed, n->fixed_temperature};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        phxi_free(n->heap, arrays[i]);
    }
    phx_real* conductance = n->conductance;
    int64_t pair_capacity = n->pair_capacity;
    *n = (phxi_heat_network){.heap = n->heap, .conductance = conductance, .pair_capacity = pair_capacity};
}

void phxi_heat_network_destroy(phxi_heat_network* network) {
    drop_places(network);
    phxi_free(network->heap, network->conductance);
    network->conductance = NULL;
    network->pair_capacity = 0;
}

static phx_result reserve_places(phxi_heat_network* n, int count) {
    if (count <= n->capacity) {
        return PHX_OK;
    }
    drop_places(n);
    size_t wanted = (size_t)count + (size_t)count / 2;
    PHXI_NEW(n->start, n->heap, wanted + 1, label);
    PHXI_NEW(n->at, n->heap, wanted, label);
    PHXI_NEW(n->trait, n->heap, wanted, label);
    PHXI_NEW(n->gain, n->heap, wanted, label);
    PHXI_NEW(n->mirror, n->heap, wanted, label);
    PHXI_NEW(n->face, n->heap, wanted, label);
    PHXI_NEW(n->sum, n->heap, wanted, label);
    PHXI_NEW(n->temperature, n->heap, wanted, label);
    PHXI_NEW(n->fixed, n->heap, wanted, label);
    PHXI_NEW(n->fixed_temperature, n->heap, wanted, label);
    n->capacity = (int)wanted;
    return PHX_OK;
}

phx_result phxi_heat_network_reserve(phxi_heat_network* network, const phxi_near* near) {
    PHXI_TRY(reserve_places(network, near->count));
    network->near = near;
    network->count = near->count;
    int64_t pairs = 0;
    for (int i = 0; i < near->count; ++i) {
        network->start[i] = pairs;
        pairs += (near->lists.start[i + 1] - near->lists.start[i] + LANES - 1) / LANES * LANES;
    }
    if (pairs > network->pair_capacity) {
        phxi_free(network->heap, network->conductance);
        network->conductance = NULL;
        network->pair_capacity = 0;
        PHXI_NEW(network->conductance, network->heap, pairs + pairs / 4, label);
        network->pair_capacity = pairs + pairs / 4;
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- pairs

/// Eight neighbours of a row from `n` on. At its end places are filled up with the particle itself, at distance zero:
/// `valid` tells who counts.
PHXI_INLINE const int* items_of(const phxi_lists* lists, int i, int n, int length, int rest[LANES]) {
    const int* item = lists->items + lists->start[i] + n;
    if (n + LANES <= length) {
        return item;
    }
    for (int k = 0; k < LANES; ++k) {
        rest[k] = n + k < length ? item[k] : i;
    }
    return rest;
}

PHXI_INLINE void mask_of(int n, int length, phxi_lane_mask* valid) {
    const phxi_lane_mask lane = {0, 1, 2, 3, 4, 5, 6, 7};
    *valid = (phxi_lane_mask)(lane < length - n);
}

PHXI_INLINE void keep8(const phxi_lane_mask* mask, phxi_lanes* a) {
    *a = (phxi_lanes)(*mask & (phxi_lane_mask)*a);
}

/// What the first loop sums over the neighbours of one particle.
typedef struct surroundings {
    phxi_sym3 moment;  // M
    phx_vec3 gradient; // n, 1/m
    double share;      // C without itself
} surroundings;

PHXI_INLINE void measure_row(const phxi_heat_network* network, int i, bool periodic, surroundings* s) {
    const phxi_lists* lists = &network->near->lists;
    const phxi_r4 own = network->at[i];
    const phx_real volume = network->trait[i][0];
    const int length = (int)(lists->start[i + 1] - lists->start[i]);
    phx_real* out = network->conductance + network->start[i];
    phxi_lanes moment[6] = {{0}}, gradient[3] = {{0}}, filled = {0};
    for (int n = 0; n < length; n += LANES) {
        int rest[LANES];
        const int* item = items_of(lists, i, n, length, rest);
        phxi_lane_mask valid;
        phxi_lanes x[4], t[4], value, slope;
        mask_of(n, length, &valid);
        phxi_near_delta_lanes(network->near, network->at, &own, item, periodic, x);
        phxi_lanes_gather(network->trait, item, t);
        phxi_lanes square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        phxi_lanes support = (phx_real)0.5 * (own[3] + x[3]), inverse = 1 / support;
        phxi_quintic_lanes(&square, &inverse, &value, &slope);
        // volumes by the support's cube: numbers of order one, whatever the scale of length
        phxi_lanes cube = inverse * inverse * inverse, other = t[0] * cube;
        keep8(&valid, &other);
        filled += other * value;
        phxi_lanes pull = (volume * cube) * other * support * slope; // V_i V_j w'/r
        for (int a = 0; a < 3; ++a) {
            gradient[a] += pull * x[a];
        }
        phxi_lanes q = -2 * pull * square / (square + SOFT * (support * support));
        *(phxi_lanes*)(void*)(out + n) = q;
        phxi_lane_mask flows = (phxi_lane_mask)(t[1] < (phx_real)INFINITY);
        keep8(&flows, &q);
        for (int a = 0, k = 0; a < 3; ++a) {
            for (int b = a; b < 3; ++b) {
                moment[k++] += q * (x[a] * x[b]);
            }
        }
    }
    double m[6], n[3], by_volume = 1 / (double)volume;
    for (int k = 0; k < 6; ++k) {
        m[k] = 0.5 * by_volume * (double)phxi_sum8(&moment[k]);
    }
    for (int k = 0; k < 3; ++k) {
        n[k] = by_volume * (double)phxi_sum8(&gradient[k]);
    }
    s->moment = (phxi_sym3){.xx = m[0], .xy = m[1], .xz = m[2], .yy = m[3], .yz = m[4], .zz = m[5]};
    s->gradient = phxi_vec3(n[0], n[1], n[2]);
    s->share = (double)phxi_sum8(&filled);
}

static PHXI_CLONES void heat_measure_row(const phxi_heat_network* network, int i, bool periodic, surroundings* s) {
    periodic ? measure_row(network, i, true, s) : measure_row(network, i, false, s);
}

/// g from M, and n whose length does not matter; `surface` from 0 inside to 1. Few neighbours, as of drops, do not make
/// it large without end.
static double correction(const phxi_sym3* m, phx_vec3 n, double surface) {
    double square = phxi_dot(n, n), trace = m->xx + m->yy + m->zz, most = trace / 3;
    if (square > 0) {
        double across = m->xx * n.x * n.x + m->yy * n.y * n.y + m->zz * n.z * n.z +
                        2 * (m->xy * n.x * n.y + m->xz * n.x * n.z + m->yz * n.y * n.z);
        most = (trace - across / square) / 2;
    }
    if (surface > 0) {
        double values[3];
        phxi_mat3 vectors;
        phxi_eigen_sym3(m, values, &vectors);
        most += surface * (values[0] - most);
    }
    return most > 0.2 ? 1 / most : most > 0 ? 5 : 1;
}

/// How much a particle is of the free surface, from 0 to 1: `slope` |n| a and `share` C.
static double surface_of(double slope, double share) {
    return fmin(1, fmax(0, (slope - 0.15) / 0.1)) * fmin(1, fmax(0, (1 - share) / 0.05));
}

static void measure_block(void* context, int begin, int end, int block) {
    phxi_heat_network* network = context;
    const bool periodic = phxi_near_periodic(network->near);
    (void)block;
    for (int i = begin; i < end; ++i) {
        surroundings s;
        heat_measure_row(network, i, periodic, &s);
        double volume = (double)network->trait[i][0], side = cbrt(volume);
        double share = s.share + volume * phxi_kernel_value(PHXI_KERNEL_QUINTIC, 0, (double)network->at[i][3]);
        phx_vec3 normal = phxi_scale(-side, s.gradient);
        double slope = phxi_length(normal), surface = surface_of(slope, share);
        network->gain[i] = (phx_real)correction(&s.moment, s.gradient, surface);
        network->face[i] = (phxi_r4){(phx_real)normal.x, (phx_real)normal.y, (phx_real)normal.z,
                                     (phx_real)(side * side * surface * slope / sqrt(share))};
    }
}

static void share_block(void* context, int begin, int end, int block) {
    phxi_heat_network* network = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        network->trait[i][2] = network->gain[i];
    }
}

/// 1 + b against places with a mirror, 1 elsewhere.
PHXI_INLINE void mirror8(const phxi_heat_network* network, const int* item, const phxi_lanes x[4], phxi_lanes* factor) {
    phxi_lanes m[4];
    phxi_lanes_gather(network->mirror, item, m);
    phxi_lanes above = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] - m[3]; // d_i: how far i is from the surface
    phxi_lane_mask plain = (phxi_lane_mask)(m[3] < (phx_real)1.5 * above);
    phxi_lanes most = (phxi_lanes){0} + (phx_real)1.5, one = (phxi_lanes){0} + 1, by, quotient;
    phxi_lanes_select(&plain, &above, &one, &by);
    quotient = m[3] / by;
    phxi_lanes_select(&plain, &quotient, &most, factor);
    phxi_lane_mask none = (phxi_lane_mask)(m[0] * m[0] + m[1] * m[1] + m[2] * m[2] == 0);
    *factor = (phxi_lanes)(~none & (phxi_lane_mask)*factor) + 1;
}

/// Conductances against fixed places, which leave the row: their sum, and that of their products with temperatures.
PHXI_INLINE void part_fixed8(const phxi_heat_network* network, int i, const int* item, bool periodic,
                             const phxi_lane_mask* fixed, phxi_lanes* c, phxi_d8* sum, phxi_d8* warmth) {
    phxi_lanes x[4], factor, against = *c, temperature;
    phxi_near_delta_lanes(network->near, network->at, &network->at[i], item, periodic, x);
    mirror8(network, item, x, &factor);
    keep8(fixed, &against);
    against *= factor;
    for (int k = 0; k < LANES; ++k) {
        temperature[k] = network->temperature[item[k]];
    }
    phxi_d8 wide = __builtin_convertvector(against, phxi_d8);
    *sum += wide;
    *warmth += wide * __builtin_convertvector(temperature, phxi_d8);
    phxi_lane_mask inner = ~*fixed;
    keep8(&inner, c);
}

PHXI_INLINE void conduct_row(phxi_heat_network* network, int i, bool periodic, bool fixing) {
    const phxi_lists* lists = &network->near->lists;
    const phxi_r4 trait = network->trait[i];
    const int length = (int)(lists->start[i + 1] - lists->start[i]);
    phx_real* out = network->conductance + network->start[i];
    phxi_d8 sum = {0}, fixed = {0}, warmth = {0};
    for (int n = 0; n < length; n += LANES) {
        int rest[LANES];
        const int* item = items_of(lists, i, n, length, rest);
        phxi_lanes t[4];
        phxi_lanes_gather(network->trait, item, t);
        phxi_lanes resist = trait[1] + t[1], mean = trait[2] + t[2];
        phxi_lane_mask is_fixed = (phxi_lane_mask)(t[3] != PHXI_HEAT_FREE);
        if (fixing) {
            phxi_lanes twice = (phxi_lanes){0} + 2 * trait[1], alone = (phxi_lanes){0} + 2 * trait[2];
            phxi_lane_mask mirrored = (phxi_lane_mask)(t[3] == PHXI_HEAT_MIRROR);
            phxi_lanes_select(&mirrored, &twice, &resist, &resist);
            phxi_lanes_select(&is_fixed, &alone, &mean, &mean);
        }
        phxi_lanes c = *(const phxi_lanes*)(const void*)(out + n) * mean / resist;
        if (fixing) {
            part_fixed8(network, i, item, periodic, &is_fixed, &c, &fixed, &warmth);
        }
        *(phxi_lanes*)(void*)(out + n) = c;
        sum += __builtin_convertvector(c, phxi_d8);
    }
    double against = 0, heat = 0, total = 0;
    for (int k = 0; k < LANES; ++k) {
        total += sum[k];
        against += fixed[k];
        heat += warmth[k];
    }
    network->sum[i] = total;
    network->fixed[i] = (phx_real)against;
    network->fixed_temperature[i] = (phx_real)(against > 0 ? heat / against : 0);
}

static PHXI_CLONES void heat_conduct_row(phxi_heat_network* network, int i, bool periodic) {
    if (network->fixing) {
        periodic ? conduct_row(network, i, true, true) : conduct_row(network, i, false, true);
    } else {
        periodic ? conduct_row(network, i, true, false) : conduct_row(network, i, false, false);
    }
}

/// What is fixed takes whatever others find that it gives them.
static void close_row(phxi_heat_network* network, int i) {
    const int64_t* start = network->near->lists.start;
    memset(network->conductance + network->start[i], 0, (size_t)(start[i + 1] - start[i]) * sizeof(phx_real));
    network->sum[i] = network->fixed[i] = network->fixed_temperature[i] = 0;
}

static void conduct_block(void* context, int begin, int end, int block) {
    phxi_heat_network* network = context;
    const bool periodic = phxi_near_periodic(network->near);
    (void)block;
    for (int i = begin; i < end; ++i) {
        if (network->trait[i][3] == PHXI_HEAT_FREE) {
            heat_conduct_row(network, i, periodic);
        } else {
            close_row(network, i);
        }
    }
}

void phxi_heat_network_build(phxi_heat_network* network, phxi_pool* pool) {
    phxi_parallel_for(pool, network->count, GRAIN, measure_block, network);
    phxi_parallel_for(pool, network->count, GRAIN, share_block, network);
    phxi_parallel_for(pool, network->count, GRAIN, conduct_block, network);
}

// ---------------------------------------------------------------------------------------------------------------- flow

static PHXI_CLONES double heat_flow_row(const phxi_heat_network* network, int i) {
    const phxi_lists* lists = &network->near->lists;
    const int length = (int)(lists->start[i + 1] - lists->start[i]);
    const phx_real *conductance = network->conductance + network->start[i], *temperature = network->temperature;
    const phx_real own = temperature[i];
    phxi_d8 sum = {0};
    for (int n = 0; n < length; n += LANES) {
        int rest[LANES];
        const int* item = items_of(lists, i, n, length, rest);
        phxi_lanes t;
        for (int k = 0; k < LANES; ++k) {
            t[k] = temperature[item[k]];
        }
        t = *(const phxi_lanes*)(const void*)(conductance + n) * (t - own);
        sum += __builtin_convertvector(t, phxi_d8);
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

void phxi_heat_network_flow(const phxi_heat_network* network, int begin, int end, double* watt) {
    for (int i = begin; i < end; ++i) {
        watt[i - begin] = heat_flow_row(network, i);
    }
}

// ------------------------------------------------------------------------------------------------------------- surface

/// Surface of a particle `layer` cells below the face of a half space of unit cells, by f.
static double face_of_layer(double reach, int layer) {
    int far = (int)ceil(reach);
    double slope = 0, share = 0;
    for (int x = -(layer < far ? layer : far); x <= far; ++x) {
        for (int y = -far; y <= far; ++y) {
            for (int z = -far; z <= far; ++z) {
                double r = sqrt((double)(x * x + y * y + z * z));
                share += phxi_kernel_value(PHXI_KERNEL_QUINTIC, r, reach);
                slope += r > 0 ? phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r, reach) / r * x : 0;
            }
        }
    }
    return surface_of(fabs(slope), share) * fabs(slope) / sqrt(share);
}

double phxi_heat_face_factor(double reach) {
    double sum = 0;
    for (int layer = 0; layer < (int)ceil(reach); ++layer) {
        sum += face_of_layer(reach, layer);
    }
    return sum > 0 ? 1 / sum : 0;
}
