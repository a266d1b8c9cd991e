// SPDX-License-Identifier: MIT
#include "heat/sources.h"

#include "core/error.h"

static const double PI = 3.14159265358979323846;

typedef struct loading {
    phxi_heat_load* load;
    phxi_arena* arena;
    const phxi_particles* particles;
    const phxi_heat_network* network;
    const int* place; // by particle; -1: takes no part
} loading;

static void share_power(const loading* l, const phxi_heat_source* source) {
    double mass = 0;
    for (int k = 0; k < source->count; ++k) {
        mass += l->place[source->particles[k]] >= 0 ? (double)l->particles->mass[source->particles[k]] : 0;
    }
    for (int k = 0; k < source->count; ++k) {
        int i = source->particles[k];
        if (l->place[i] >= 0) {
            l->load->power[l->place[i]] += source->power * (double)l->particles->mass[i] / mass;
        }
    }
}

static void hold(const loading* l, const phxi_heat_source* source) {
    for (int k = 0; k < source->count; ++k) {
        int place = l->place[source->particles[k]];
        if (place >= 0) {
            l->load->hold[place] = source->targets[k];
        }
    }
}

static phx_vec3 from_center(const loading* l, const phxi_heat_source* source, int place) {
    phxi_r4 at = l->network->at[place];
    phx_vec3 center = source->center;
    const phxi_near* near = l->network->near;
    return phxi_vec3(phxi_near_image(near, 0, (phx_real)((double)at[0] - center.x)),
                     phxi_near_image(near, 1, (phx_real)((double)at[1] - center.y)),
                     phxi_near_image(near, 2, (phx_real)((double)at[2] - center.z)));
}

/// Two balls in one place are one with the sum of their exchanges and the mean of their temperatures.
static void add_ball(const loading* l, const phxi_heat_source* source) {
    for (int k = 0; k < source->count; ++k) {
        int place = l->place[source->particles[k]];
        if (place < 0 || phxi_length(from_center(l, source, place)) > source->radius) {
            continue;
        }
        double volume = (double)l->network->trait[place][0], more = source->exchange * cbrt(volume * volume);
        double there = (double)l->load->exchange[place], all = there + more;
        if (all > 0) {
            double heat = there * (double)l->load->temperature[place] + more * source->temperature;
            l->load->exchange[place] = (phx_real)all;
            l->load->temperature[place] = (phx_real)(heat / all);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- spot

/// Columns along a beam, in a square about its axis.
typedef struct columns {
    phx_vec3 side[2];
    double width;  // m, of a column
    int size;      // columns along a side of the square
    double* front; // by column: how far along the beam the first particle is
} columns;

static int column_at(const columns* c, phx_vec3 from, double* depth, phx_vec3 axis) {
    double u = phxi_dot(from, c->side[0]) / c->width + 0.5 * c->size;
    double v = phxi_dot(from, c->side[1]) / c->width + 0.5 * c->size;
    *depth = phxi_dot(from, axis);
    bool in = u >= 0 && u < c->size && v >= 0 && v < c->size;
    return in ? (int)v * c->size + (int)u : -1;
}

static phx_result make_columns(const loading* l, const phxi_heat_source* source, columns* c) {
    double finest = INFINITY;
    for (int k = 0; k < source->count; ++k) {
        finest = fmin(finest, (double)l->particles->spacing[source->particles[k]]);
    }
    phx_vec3 across = fabs(source->axis.x) < 0.7 ? phxi_vec3(1, 0, 0) : phxi_vec3(0, 1, 0);
    c->side[0] = phxi_normalize(phxi_cross(source->axis, across), across);
    c->side[1] = phxi_cross(source->axis, c->side[0]);
    double span = 6 * source->radius + 4 * finest;
    c->width = fmax(finest, span / 512);
    c->size = (int)ceil(span / c->width);
    size_t all = (size_t)c->size * (size_t)c->size;
    c->front = phxi_arena_take(l->arena, all, sizeof *c->front);
    if (!c->front) {
        return PHX_ERROR_MEMORY;
    }
    for (size_t k = 0; k < all; ++k) {
        c->front[k] = INFINITY;
    }
    for (int k = 0; k < source->count; ++k) {
        int place = l->place[source->particles[k]];
        double depth;
        int column = place < 0 ? -1 : column_at(c, from_center(l, source, place), &depth, source->axis);
        if (column >= 0 && depth < c->front[column]) {
            c->front[column] = depth;
        }
    }
    return PHX_OK;
}

/// The share of the beam, m^2, that falls on a place.
static double lit(const loading* l, const phxi_heat_source* source, const columns* c, int place) {
    phxi_r4 face = l->network->face[place];
    phx_vec3 normal = phxi_vec3(face[0], face[1], face[2]), from = from_center(l, source, place);
    double depth, facing = -phxi_dot(normal, source->axis);
    int column = column_at(c, from, &depth, source->axis);
    if (column < 0 || !(face[3] > 0) || !(facing > 0) || depth > c->front[column] + 1.5 * c->width) {
        return 0;
    }
    double square = phxi_dot(from, from) - depth * depth, volume = (double)l->network->trait[place][0];
    return cbrt(volume * volume) * (facing / phxi_length(normal)) *
           exp(-2 * square / (source->radius * source->radius));
}

static phx_result add_spot(const loading* l, const phxi_heat_source* source) {
    columns c;
    PHXI_TRY(make_columns(l, source, &c));
    double all = 0, whole = 0.5 * PI * source->radius * source->radius;
    for (int k = 0; k < source->count; ++k) {
        int place = l->place[source->particles[k]];
        all += place >= 0 ? lit(l, source, &c, place) : 0;
    }
    for (int k = 0; k < source->count && all > 0; ++k) {
        int place = l->place[source->particles[k]];
        if (place >= 0) {
            l->load->power[place] += source->power * lit(l, source, &c, place) / fmax(all, whole);
        }
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------------- all

static phx_result prepare(loading* l) {
    size_t count = (size_t)l->network->count;
    int* place = phxi_arena_take(l->arena, (size_t)l->particles->count, sizeof *place);
    l->load->power = phxi_arena_take(l->arena, count, sizeof *l->load->power);
    l->load->exchange = phxi_arena_take(l->arena, count, sizeof *l->load->exchange);
    l->load->temperature = phxi_arena_take(l->arena, count, sizeof *l->load->temperature);
    l->load->hold = phxi_arena_take(l->arena, count, sizeof *l->load->hold);
    if (!place || !l->load->power || !l->load->exchange || !l->load->temperature || !l->load->hold) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < l->particles->count; ++i) {
        place[i] = -1;
    }
    for (int k = 0; k < l->network->count; ++k) {
        place[l->network->near->particle[k]] = k;
        l->load->power[k] = 0;
        l->load->exchange[k] = l->load->temperature[k] = 0;
        l->load->hold[k] = (phx_real)INFINITY;
    }
    l->place = place;
    return PHX_OK;
}

phx_result phxi_heat_load_make(phxi_heat_load* load, phxi_arena* arena, const phxi_particles* particles,
                               const phxi_heat_network* network, const phxi_heat_source* sources, int count) {
    loading l = {.load = load, .arena = arena, .particles = particles, .network = network};
    *load = (phxi_heat_load){0};
    if (count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(prepare(&l));
    for (int s = 0; s < count; ++s) {
        switch (sources[s].kind) {
        case PHXI_HEAT_POWER:
            share_power(&l, &sources[s]);
            break;
        case PHXI_HEAT_HOLD:
            hold(&l, &sources[s]);
            break;
        case PHXI_HEAT_SPOT:
            PHXI_TRY(add_spot(&l, &sources[s]));
            break;
        case PHXI_HEAT_BALL:
            add_ball(&l, &sources[s]);
            break;
        }
    }
    return PHX_OK;
}
