// SPDX-License-Identifier: MIT
// Clamps: who holds what, for methods whose bodies end where a clamp begins (methods/shared/clamp.h); and where that
// is.
//
// `grip` of the particles follows from the windows of the drivers alone, so it is no state: it is found again whenever
// a window opens or closes, and after a restore.
#include "world/world.h"

#include "core/hash.h"
#include "core/log.h"

#include <string.h>

/// Whether a driver holds all of its particles now.
static bool holds(const phxi_driver* driver) {
    return driver->used && phxi_driver_fixes(&driver->def) && !driver->slides && !driver->moves_collider &&
           driver->window == PHXI_WINDOW_OPEN;
}

static phx_result (*grip_of(const phx_world* world, const phxi_body* body))(void*, phxi_step*, int) {
    return body->conforming ? world->solvers.items[body->solver].method->grip : NULL;
}

/// Which drivers hold; 0: none does.
static uint64_t held_by(const phx_world* world) {
    uint64_t hash = 0;
    for (int d = 0; d < world->drivers.count; ++d) {
        if (holds(&world->drivers.items[d])) {
            hash = phxi_hash_pair(hash, phxi_hash_pair((uint64_t)d, phxi_id_generation(&world->driver_ids, d))) | 1;
        }
    }
    return hash;
}

static void mark(phx_world* world) {
    phxi_particles* p = &world->particles;
    memset(p->grip, 0, (size_t)p->count * sizeof *p->grip);
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        for (int k = 0; holds(driver) && k < driver->group.count; ++k) {
            int i = driver->group.indices[k];
            p->grip[i] = grip_of(world, &world->bodies.items[p->body[i]]) ? d + 1 : 0;
        }
    }
}

phx_result phxi_clamps_update(phx_world* world) {
    uint64_t now = held_by(world);
    if (now == world->clamps.held_by && !world->clamps.unknown) {
        return PHX_OK;
    }
    world->clamps.unknown = true; // until all went well
    mark(world);
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        if (grip_of(world, body)) {
            phxi_step step = phxi_world_context(world, body->solver);
            PHXI_TRY(grip_of(world, body)(world->solvers.items[body->solver].state, &step, b));
        }
    }
    world->clamps.unknown = false;
    world->clamps.held_by = now;
    ++world->clamps.changes;
    phxi_pairs_forget(world->pairs); // who is bonded to whom has changed
    phxi_pairs_forget(world->implicit_pairs);
    world->energy.known = false; // so has what is stored in what is held
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------ where it is

#define NEAR  1.75 // spacings: neighbours
#define LEVEL 0.05 // spacings that are not worth a word

/// The particles near the surface of a region: `held` of the first are inside.
typedef struct rim {
    phxi_heap* heap;
    phx_real* at[3];
    double* depth; // m below the surface
    int count, held;
} rim;

static bool is_near(const phxi_particles* p, int i, double distance) {
    double spacing = (double)p->spacing[i];
    return distance > -spacing && distance < NEAR * spacing && (distance < -LEVEL * spacing || distance > 0);
}

static void add(rim* r, const phxi_particles* p, int i, double distance) {
    r->at[0][r->count] = p->rest_x[i], r->at[1][r->count] = p->rest_y[i], r->at[2][r->count] = p->rest_z[i];
    r->depth[r->count++] = -distance;
}

static phx_result gather(rim* r, const phxi_particles* p, const phxi_body* body, const phxi_driver* driver,
                         const phxi_shape* region) {
    for (int k = 0; k < 3; ++k) {
        PHXI_NEW(r->at[k], r->heap, body->count, "clamps");
    }
    PHXI_NEW(r->depth, r->heap, body->count, "clamps");
    const int *next = driver->group.indices, *end = next + driver->group.count;
    for (int pass = 0; pass < 2; ++pass) { // what is held comes first
        const int* at = next;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            for (; at < end && *at < i; ++at) {
            }
            bool held = at < end && *at == i;
            double distance = phxi_shape_distance(
                region, phxi_vec3((double)p->rest_x[i], (double)p->rest_y[i], (double)p->rest_z[i]));
            if (held == (pass == 0) && is_near(p, i, distance)) {
                add(r, p, i, distance);
            }
        }
        r->held = pass == 0 ? r->count : r->held;
    }
    return PHX_OK;
}

/// How far inside of the region its outermost held particles are that have free neighbours beyond it, m.
static phx_result find_depth(phx_world* world, const rim* r, double spacing, double* depth) {
    phxi_search* search = NULL;
    phxi_lists lists = {0};
    *depth = 0;
    if (r->held == 0 || r->held == r->count) {
        return PHX_OK;
    }
    phx_result result = phxi_search_create(r->heap, PHXI_SEARCH_GRID, &search);
    if (result == PHX_OK) {
        phxi_points points = {r->at[0], r->at[1], r->at[2], r->count};
        result = phxi_search_pairs(search, world->pool, points, NULL, NEAR * spacing, &lists);
    }
    for (int i = 0; result == PHX_OK && i < r->held; ++i) {
        bool outermost = lists.start[i + 1] > lists.start[i] && lists.items[lists.start[i + 1] - 1] >= r->held;
        *depth = outermost ? fmax(*depth, r->depth[i]) : *depth;
    }
    phxi_lists_destroy(r->heap, &lists);
    phxi_search_destroy(search);
    return result;
}

static phx_result tell_of(phx_world* world, const phxi_driver* driver, const phxi_shape* region, int b) {
    const phxi_body* body = &world->bodies.items[b];
    double depth = 0, spacing = (double)world->particles.spacing[body->begin];
    rim r = {.heap = &world->heap};
    phx_result result = gather(&r, &world->particles, body, driver, region);
    if (result == PHX_OK) {
        result = find_depth(world, &r, spacing, &depth);
    }
    for (int k = 0; k < 3; ++k) {
        phxi_free(&world->heap, r.at[k]);
    }
    phxi_free(&world->heap, r.depth);
    if (depth > 0) {
        phxi_log(&world->def.log, PHX_LOG_INFO,
                 "driver '%s': its clamp on body '%s' begins at the outermost particles that it holds, up to %.3g m "
                 "(%.2g spacings) inside of its region; a region that is given to the body as `clamp` has particles on "
                 "its surface",
                 driver->name, body->name, depth, depth / spacing);
    }
    return result;
}

phx_result phxi_clamps_tell(phx_world* world, const phxi_driver* driver, const char* region, const char* face) {
    bool plain = region && region[0] && !(face && face[0]);
    if (!plain || !phxi_driver_fixes(&driver->def) || driver->slides) {
        return PHX_OK;
    }
    phxi_shape* shape;
    PHXI_TRY(phxi_shape_parse(&world->heap, region, &shape));
    phx_result result = PHX_OK;
    for (int k = 0, last = -1; k < driver->group.count && result == PHX_OK; ++k) {
        int b = world->particles.body[driver->group.indices[k]];
        if (b != last && grip_of(world, &world->bodies.items[b])) {
            result = tell_of(world, driver, shape, b);
        }
        last = b;
    }
    phxi_shape_destroy(&world->heap, shape);
    return result;
}
