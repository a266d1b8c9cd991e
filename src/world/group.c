// SPDX-License-Identifier: MIT
// Groups: the particles of a body inside a region, by where they were created; and of these the ones on a face.
//
// A face that looks along a direction n is made of the particles on the surface whose area A is within 30 degrees of n;
// and of those along its rim, whose area is shared with other faces: they stand level with one of the first that is
// near, and A . n is the part of their area that looks along n.
#include "world/world.h"

#include "core/expression.h"
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

// -----------------------------------------------------------------------------------------------------------------
// faces

#define WITHIN 0.86602540378443864676 // cosine of 30 degrees
#define NEAR   1.8                    // spacings between a particle along the rim and one of the face
#define LEVEL  0.25                   // spacings that it may be higher or lower than that one
#define PART   0.05                   // of its area that must look along the direction

static phx_vec3 area_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->area_x[i], p->area_y[i], p->area_z[i]);
}

static phx_vec3 rest_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

static bool looks_along(phx_vec3 area, phx_vec3 normal) {
    double size = phxi_length(area);
    return size > 0 && phxi_dot(area, normal) >= WITHIN * size;
}

phx_vec3 phxi_face_area(const phxi_particles* particles, int i, phx_vec3 normal) {
    phx_vec3 area = area_of(particles, i);
    bool whole = phxi_length(normal) == 0 || looks_along(area, normal);
    return whole ? area : phxi_scale(fmax(0, phxi_dot(area, normal)), normal);
}

phx_result phxi_face_parse(phxi_heap* heap, const char* text, phx_vec3* normal) {
    static const char* const words[] = {"-x", "x", "+x", "-y", "y", "+y", "-z", "z", "+z"};
    *normal = phxi_vec3(0, 0, 0);
    if (!text || !text[0]) {
        return PHX_OK;
    }
    for (int k = 0; k < 9; ++k) {
        double sign = k % 3 == 0 ? -1 : 1;
        if (strcmp(text, words[k]) == 0) {
            *normal = phxi_vec3(k / 3 == 0 ? sign : 0, k / 3 == 1 ? sign : 0, k / 3 == 2 ? sign : 0);
            return PHX_OK;
        }
    }
    phxi_expression* parts[3];
    double v[3];
    phx_result result = phxi_expression_parse_vector(heap, text, NULL, 0, parts);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "face '%s' is no direction, expected x, -y, z or \"(1, 0, 1)\"", text);
    }
    for (int k = 0; k < 3; ++k) {
        v[k] = phxi_expression_value(parts[k], NULL);
        phxi_expression_destroy(heap, parts[k]);
    }
    *normal = phxi_normalize(phxi_vec3(v[0], v[1], v[2]), phxi_vec3(0, 0, 0));
    return phxi_length(*normal) > 0.5 ? PHX_OK : phxi_fail(PHX_ERROR_ARGUMENT, "face '%s' is no direction", text);
}

/// Whether a particle is along the rim of a face of these others: one of them stands beside it, level with it.
static bool along_rim(const phxi_particles* p, int i, const int* others, int count, phx_vec3 normal) {
    phx_vec3 area = area_of(p, i), place = rest_of(p, i);
    double reach = NEAR * (double)p->spacing[i], level = LEVEL * (double)p->spacing[i];
    bool found = false, apt = phxi_dot(area, normal) > PART * phxi_length(area);
    for (int k = 0; k < count && apt && !found; ++k) {
        phx_vec3 way = phxi_sub(rest_of(p, others[k]), place);
        found = phxi_dot(way, way) <= reach * reach && fabs(phxi_dot(way, normal)) <= level &&
                p->body[others[k]] == p->body[i];
    }
    return found;
}

/// Leaves of a group what is on the face.
static phx_result select_face(phxi_group* group, phx_world* world, phx_vec3 normal) {
    const phxi_particles* p = &world->particles;
    int *face, plain = 0, count = 0;
    PHXI_NEW(face, &world->heap, group->count, "face");
    for (int k = 0; k < group->count; ++k) {
        face[plain] = group->indices[k];
        plain += looks_along(area_of(p, group->indices[k]), normal);
    }
    for (int k = 0; k < group->count; ++k) {
        int i = group->indices[k];
        group->indices[count] = i;
        count += looks_along(area_of(p, i), normal) || along_rim(p, i, face, plain, normal);
    }
    group->count = count;
    phxi_free(&world->heap, face);
    return PHX_OK;
}

static phx_result check_surface(const phx_world* world, const phxi_group* group, const char* face) {
    const phxi_particles* p = &world->particles;
    for (int k = 0; k < group->count; ++k) {
        if (phxi_length(area_of(p, group->indices[k])) > 0) {
            return PHX_OK;
        }
    }
    return phxi_fail(PHX_ERROR_ARGUMENT,
                     "face %s: no particle of body '%s' there stands on its surface; `sampling: conforming` puts them "
                     "there if it is more than one layer thick, else give a region",
                     face, world->bodies.items[p->body[group->indices[0]]].name);
}

// ----------------------------------------------------------------------------------------------------------------
// groups

static phx_result init(phxi_group* group, phx_world* world, const char* body, const char* region) {
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

phx_result phxi_group_init(phxi_group* group, phx_world* world, const char* body, const char* region,
                           const char* face) {
    phx_vec3 normal;
    *group = (phxi_group){0};
    PHXI_TRY(phxi_face_parse(&world->heap, face, &normal));
    PHXI_TRY(init(group, world, body, region));
    phx_result result = PHX_OK;
    if (phxi_length(normal) > 0) {
        result = check_surface(world, group, face);
        result = result == PHX_OK ? select_face(group, world, normal) : result;
        if (result == PHX_OK && group->count == 0) {
            result = phxi_fail(PHX_ERROR_ARGUMENT, "face %s: none of the surface there looks along it", face);
        }
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
