// SPDX-License-Identifier: MIT
// Groups: the particles of a body inside a region, by where they were created.
#include "world/world.h"

#include "core/text.h"

#include <float.h>
#include <string.h>

static const char* body_name(const void* context, int i) {
    const phx_world* world = context;
    return world->bodies.items[i].name;
}

const phxi_body* phxi_world_find_body(const phx_world* world, const char* name) {
    for (int i = 0; i < world->bodies.count; ++i) {
        if (strcmp(world->bodies.items[i].name, name) == 0) {
            return &world->bodies.items[i];
        }
    }
    const char* near = phxi_did_you_mean(name, world->bodies.count, body_name, world);
    if (near) {
        phxi_fail(PHX_ERROR_ARGUMENT, "there is no body '%s', did you mean '%s'?", name, near);
    } else {
        phxi_fail(PHX_ERROR_ARGUMENT, "there is no body '%s'", name);
    }
    return NULL;
}

// A particle on the surface of the region belongs to it, as far as its precision can tell.
static bool is_inside(const phxi_shape* shape, const phxi_particles* p, int i) {
    double precision = sizeof(phx_real) == sizeof(float) ? 4 * (double)FLT_EPSILON : 1e-9;
    phx_vec3 point = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
    return phxi_shape_distance(shape, point) <= precision * (fabs(point.x) + fabs(point.y) + fabs(point.z));
}

static phx_result select_particles(phxi_group* group, phx_world* world, int begin, int end, const phxi_shape* shape) {
    PHXI_NEW(group->indices, &world->heap, end - begin, "group");
    for (int i = begin; i < end; ++i) {
        if (!shape || is_inside(shape, &world->particles, i)) {
            group->indices[group->count++] = i;
        }
    }
    // what the region left out is given back; a refusal to shrink is no reason to fail
    int* shrunk = phxi_realloc(&world->heap, group->indices, (size_t)group->count, sizeof(int), "group");
    group->indices = shrunk ? shrunk : group->indices;
    return PHX_OK;
}

phx_result phxi_group_init(phxi_group* group, phx_world* world, const char* body, const char* region) {
    *group = (phxi_group){0};
    bool any_body = !body || !body[0], anywhere = !region || !region[0];
    int begin = 0, end = world->particles.count;
    if (!any_body) {
        const phxi_body* found = phxi_world_find_body(world, body);
        if (!found) {
            return PHX_ERROR_ARGUMENT;
        }
        begin = found->begin;
        end = begin + found->count;
    }
    phxi_shape* shape = NULL;
    if (!anywhere) {
        phx_result result = phxi_shape_parse(&world->heap, region, &shape);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "region");
        }
    }
    phx_result result = select_particles(group, world, begin, end, shape);
    phxi_shape_destroy(&world->heap, shape);
    if (result == PHX_OK && group->count == 0) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "no particle of %s%s%s starts inside region %s",
                           any_body ? "any body" : "body '", any_body ? "" : body, any_body ? "" : "'",
                           anywhere ? "all()" : region);
    }
    if (result != PHX_OK) {
        phxi_group_destroy(group, &world->heap);
    }
    return result;
}

void phxi_group_destroy(phxi_group* group, phxi_heap* heap) {
    phxi_free(heap, group->indices);
    *group = (phxi_group){0};
}
