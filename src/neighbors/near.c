// SPDX-License-Identifier: MIT
// Gathers the particles that take part and lists their neighbours. Images across a period are points of their own for
// the search, behind all others; afterwards their entries become those of the particles they are images of.
#include "neighbors/near.h"

#include "core/error.h"

#include <string.h>

void phxi_near_init(phxi_near* near, phxi_heap* heap) {
    *near = (phxi_near){.heap = heap};
}

static void drop_arrays(phxi_near* near) {
    void* arrays[] = {near->particle, near->x, near->y, near->z, near->reach};
    for (int i = 0; i < (int)(sizeof arrays / sizeof arrays[0]); ++i) {
        phxi_free(near->heap, arrays[i]);
    }
    near->particle = NULL;
    near->x = near->y = near->z = near->reach = NULL;
    near->capacity = near->count = 0;
}

void phxi_near_destroy(phxi_near* near) {
    drop_arrays(near);
    phxi_lists_destroy(near->heap, &near->lists);
    phxi_search_destroy(near->search);
    near->search = NULL;
}

// Keeps what is there; half as much again, so that a few more images do not matter.
static phx_result reserve(phxi_near* near, int count) {
    if (count <= near->capacity) {
        return PHX_OK;
    }
    int used = near->count, wanted = count + count / 2;
    phxi_near grown = *near;
    PHXI_NEW(grown.particle, near->heap, wanted, "near");
    grown.x = phxi_alloc(near->heap, (size_t)wanted, sizeof(phx_real), "near");
    grown.y = phxi_alloc(near->heap, (size_t)wanted, sizeof(phx_real), "near");
    grown.z = phxi_alloc(near->heap, (size_t)wanted, sizeof(phx_real), "near");
    grown.reach = phxi_alloc(near->heap, (size_t)wanted, sizeof(phx_real), "near");
    grown.capacity = wanted;
    if (!grown.x || !grown.y || !grown.z || !grown.reach) {
        drop_arrays(&grown);
        return PHX_ERROR_MEMORY;
    }
    if (used > 0) {
        memcpy(grown.particle, near->particle, (size_t)used * sizeof *near->particle);
        memcpy(grown.x, near->x, (size_t)used * sizeof *near->x);
        memcpy(grown.y, near->y, (size_t)used * sizeof *near->y);
        memcpy(grown.z, near->z, (size_t)used * sizeof *near->z);
        memcpy(grown.reach, near->reach, (size_t)used * sizeof *near->reach);
    }
    drop_arrays(near);
    *near = grown;
    near->count = used;
    return PHX_OK;
}

static phx_result choose_engine(phxi_near* near, phxi_search_engine engine) {
    if (near->search && near->engine == engine) {
        return PHX_OK;
    }
    phxi_search_destroy(near->search);
    near->search = NULL;
    near->engine = engine;
    return phxi_search_create(near->heap, engine, &near->search);
}

static phx_result gather(phxi_near* near, const phxi_particles* p, const phxi_near_range* ranges, int range_count) {
    int total = 0;
    for (int r = 0; r < range_count; ++r) {
        total += ranges[r].count;
    }
    PHXI_TRY(reserve(near, total));
    for (int r = 0; r < range_count; ++r) {
        for (int i = ranges[r].begin; i < ranges[r].begin + ranges[r].count; ++i) {
            int k = near->count++;
            near->particle[k] = i;
            near->x[k] = phxi_near_image(near, 0, p->x[i]);
            near->y[k] = phxi_near_image(near, 1, p->y[i]);
            near->z[k] = phxi_near_image(near, 2, p->z[i]);
            near->reach[k] = (phx_real)(ranges[r].reach * (double)p->spacing[i]);
        }
    }
    return PHX_OK;
}

static void set_period(phxi_near* near, phx_vec3 period) {
    double lengths[3] = {period.x, period.y, period.z};
    for (int axis = 0; axis < 3; ++axis) {
        near->period[axis] = (phx_real)lengths[axis];
        near->per_period[axis] = lengths[axis] > 0 ? (phx_real)(1 / lengths[axis]) : 0;
    }
}

static phx_result check_period(const phxi_near* near, double farthest) {
    for (int axis = 0; axis < 3; ++axis) {
        double length = (double)near->period[axis];
        if (length > 0 && !(length > 2 * farthest)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "the period along %c is %g m, expected more than %g m: twice as far as particles see",
                             "xyz"[axis], length, 2 * farthest);
        }
    }
    return PHX_OK;
}

static phx_real* coordinates(const phxi_near* near, int axis) {
    return axis == 0 ? near->x : axis == 1 ? near->y : near->z;
}

// Images of all that is near one side of the period, on the other, axis after axis, images of images as well: so edges
// and corners come of themselves. For an image `particle` is the place it is an image of.
static phx_result add_images(phxi_near* near, double farthest) {
    int real = near->count;
    for (int axis = 0; axis < 3; ++axis) {
        double length = (double)near->period[axis];
        for (int k = 0, there = near->count; length > 0 && k < there; ++k) {
            double at = (double)coordinates(near, axis)[k];
            double shift = at < farthest - length / 2 ? length : at > length / 2 - farthest ? -length : 0;
            if (shift == 0) {
                continue;
            }
            PHXI_TRY(reserve(near, near->count + 1));
            int made = near->count++;
            near->particle[made] = k < real ? k : near->particle[k];
            near->x[made] = near->x[k];
            near->y[made] = near->y[k];
            near->z[made] = near->z[k];
            near->reach[made] = near->reach[k];
            coordinates(near, axis)[made] = (phx_real)(at + shift);
        }
    }
    return PHX_OK;
}

// Rows of images go, entries that are images become what they are images of; rows ascend again.
static void fold_images(phxi_near* near, int real) {
    int64_t* start = near->lists.start;
    int* items = near->lists.items;
    for (int i = 0; i < real; ++i) {
        for (int64_t s = start[i]; s < start[i + 1]; ++s) {
            int item = items[s] < real ? items[s] : near->particle[items[s]];
            int64_t to = s;
            for (; to > start[i] && items[to - 1] > item; --to) {
                items[to] = items[to - 1];
            }
            items[to] = item;
        }
    }
    near->lists.count = real;
    near->count = real;
}

static phx_result find(phxi_near* near, phxi_pool* pool) {
    double farthest = 0;
    for (int k = 0; k < near->count; ++k) {
        farthest = fmax(farthest, (double)near->reach[k]);
    }
    PHXI_TRY(check_period(near, farthest));
    int real = near->count;
    PHXI_TRY(add_images(near, farthest));
    phxi_points points = {near->x, near->y, near->z, near->count};
    PHXI_TRY(phxi_search_pairs(near->search, pool, points, near->reach, 0, &near->lists));
    if (near->count > real) {
        fold_images(near, real);
    }
    return PHX_OK;
}

phx_result phxi_near_update(phxi_near* near, phxi_pool* pool, phxi_search_engine engine,
                            const phxi_particles* particles, const phxi_near_range* ranges, int range_count,
                            phx_vec3 period) {
    near->count = 0;
    set_period(near, period);
    phx_result result = choose_engine(near, engine);
    if (result == PHX_OK) {
        result = gather(near, particles, ranges, range_count);
    }
    if (result == PHX_OK) {
        result = find(near, pool);
    }
    if (result != PHX_OK) {
        near->count = near->lists.count = 0;
    }
    return result;
}
