// SPDX-License-Identifier: MIT
// The mesh a body was made of, carried by its particles from frame to frame.
#include "surface/skin.h"

#include "geometry/mesh.h"
#include "surface/attributes.h"

#include <string.h>

enum { SKIN_STAMP = 0x534b4e31 };

struct phx_skin {
    phxi_heap heap; // owns the skin itself, too
    phxi_binding binding;
    int* triangles;
    int triangle_count;
    int frame_points; // of the frame it was bound to
    int* particles;   // those that carry it, by number in the frame
    int particle_count;
    double* rest; // of these, 3 each
    phx_vec3 *points, *normals;
};

phx_skin_def phx_skin_def_default(void) {
    return (phx_skin_def){.body = -1, .kind = PHX_SKIN_MLS, .radius = 2, .stamp = SKIN_STAMP};
}

static phx_result check_def(const phx_skin_def* def) {
    if (!def || def->stamp != SKIN_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: expected a definition from phx_skin_def_default()");
    }
    if (!def->mesh || !def->particles) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: expected a mesh and a frame of particles");
    }
    if (!(def->radius > 0) || !(def->radius <= 1000)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: radius %g spacings, expected above 0 up to 1000", def->radius);
    }
    if (def->kind != PHX_SKIN_MLS && def->kind != PHX_SKIN_BARYCENTRIC) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: kind %d, expected PHX_SKIN_MLS or PHX_SKIN_BARYCENTRIC", def->kind);
    }
    return phx_frame_check(def->particles);
}

static phx_result find_field(const phx_frame* frame, const char* name, int components, const float** values) {
    const phx_frame_field* field = phx_frame_find(frame, name);
    if (!field || field->components != components) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "skin: the particles have no field \"%s\" of %d numbers; write it with the "
                         "frames",
                         name, components);
    }
    *values = field->values;
    return PHX_OK;
}

// The particles of the body, and where they were at rest.
static phx_result select_particles(phx_skin* skin, const phx_skin_def* def) {
    const phx_frame* frame = def->particles;
    const float *rest = NULL, *body = NULL;
    PHXI_TRY(find_field(frame, "rest", 3, &rest));
    if (def->body >= 0) {
        PHXI_TRY(find_field(frame, "body", 1, &body));
    }
    PHXI_NEW(skin->particles, &skin->heap, frame->points, "skin");
    PHXI_NEW(skin->rest, &skin->heap, 3 * (size_t)frame->points, "skin");
    for (int i = 0; i < frame->points; ++i) {
        if (body && body[i] != (float)def->body) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            double value = (double)rest[3 * i + k];
            if (!isfinite(value)) {
                return phxi_fail(PHX_ERROR_FORMAT, "skin: particle %d was at rest at %g, expected a finite number", i,
                                 value);
            }
            skin->rest[3 * skin->particle_count + k] = value;
        }
        skin->particles[skin->particle_count++] = i;
    }
    skin->frame_points = frame->points;
    return skin->particle_count > 0
               ? PHX_OK
               : phxi_fail(PHX_ERROR_ARGUMENT, "skin: the frame has no particles of body %d", def->body);
}

// Distance of the particles at rest: their field, or measured.
static phx_result rest_spacing(const phx_skin* skin, const phx_frame* frame, double* spacing) {
    phx_frame* at_rest;
    const phx_frame_field* field = phx_frame_find(frame, "spacing");
    PHXI_TRY(phx_frame_create(skin->particle_count, 0, 0, &skin->heap.allocator, &at_rest));
    memcpy(at_rest->positions, skin->rest, 3 * (size_t)skin->particle_count * sizeof *skin->rest);
    float* values;
    phx_result result = PHX_OK;
    if (field && field->components == 1) {
        result = phx_frame_add_field(at_rest, "spacing", 1, &values);
        for (int i = 0; i < skin->particle_count && result == PHX_OK; ++i) {
            values[i] = field->values[skin->particles[i]];
        }
    }
    if (result == PHX_OK) {
        *spacing = phxi_frame_spacing(at_rest);
    }
    phx_frame_destroy(at_rest);
    return result;
}

// Vertices and their normals: sums of the areas around them, over all vertices at one place.
static phx_result copy_mesh(phx_skin* skin, const phx_mesh* mesh) {
    phxi_heap* heap = &skin->heap;
    int vertices = mesh->vertex_count;
    int* same;
    PHXI_NEW(skin->points, heap, vertices, "skin");
    PHXI_NEW(skin->triangles, heap, 3 * (size_t)mesh->triangle_count, "skin");
    PHXI_NEW(same, heap, vertices, "skin");
    skin->normals = phxi_alloc_zero(heap, (size_t)vertices, sizeof *skin->normals, "skin");
    if (!skin->normals) {
        return PHX_ERROR_MEMORY;
    }
    skin->triangle_count = mesh->triangle_count;
    memcpy(skin->points, mesh->positions, (size_t)vertices * sizeof *skin->points);
    memcpy(skin->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *skin->triangles);
    PHXI_TRY(phxi_mesh_weld_map(heap, skin->points, vertices, same));
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* corner = skin->triangles + 3 * t;
        phx_vec3 a = skin->points[corner[0]];
        phx_vec3 area = phxi_cross(phxi_sub(skin->points[corner[1]], a), phxi_sub(skin->points[corner[2]], a));
        for (int k = 0; k < 3; ++k) {
            phx_vec3* sum = &skin->normals[same[corner[k]]];
            *sum = phxi_add(*sum, area);
        }
    }
    for (int i = 0; i < vertices; ++i) { // a vertex comes after the first one at its place
        skin->normals[i] =
            same[i] == i ? phxi_normalize(skin->normals[i], (phx_vec3){0, 0, 1}) : skin->normals[same[i]];
    }
    phxi_free(heap, same);
    return PHX_OK;
}

static phx_result build_skin(phx_skin* skin, const phx_skin_def* def) {
    double spacing;
    PHXI_TRY(select_particles(skin, def));
    PHXI_TRY(rest_spacing(skin, def->particles, &spacing));
    PHXI_TRY(copy_mesh(skin, def->mesh));
    skin->binding = (phxi_binding){
        .count = def->mesh->vertex_count, .points = skin->points, .normals = skin->normals, .rest = skin->rest};
    return phxi_skin_bind(&skin->heap, &skin->binding, skin->particle_count, def->radius * spacing,
                          (phx_skin_kind)def->kind);
}

phx_result phx_skin_create(const phx_skin_def* def, phx_skin** skin) {
    PHXI_TRY(check_def(def));
    if (!skin) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: expected a place for it");
    }
    *skin = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, &def->allocator);
    phx_skin* made = phxi_alloc_zero(&heap, 1, sizeof *made, "skin");
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    phx_result result = build_skin(made, def);
    if (result != PHX_OK) {
        phx_skin_destroy(made);
        return result;
    }
    *skin = made;
    return PHX_OK;
}

void phx_skin_destroy(phx_skin* skin) {
    if (skin) {
        phxi_heap heap = skin->heap; // the skin is one of its blocks
        phxi_heap_destroy(&heap);
    }
}

// ----------------------------------------------------------------------------------------------------------- applying

// What one application needs, on the heap of the surface it makes.
typedef struct applied {
    double *positions, *deformations, *points, *normals, *sums;
    phxi_carriage carriage;
} applied;

// The particles of this frame are those of the binding.
static phx_result check_frame(const phx_skin* skin, const phx_frame* frame) {
    PHXI_TRY(phx_frame_check(frame));
    if (frame->points != skin->frame_points) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: a frame of %d particles, expected the %d it was bound to",
                         frame->points, skin->frame_points);
    }
    const phx_frame_field* rest = phx_frame_find(frame, "rest");
    for (int i = 0; rest && rest->components == 3 && i < 3 * skin->particle_count; ++i) {
        int particle = skin->particles[i / 3];
        if ((double)rest->values[3 * particle + i % 3] != skin->rest[i]) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "skin: particle %d is not the one it was bound to (other place at rest)", particle);
        }
    }
    return PHX_OK;
}

static phx_result read_particles(const phx_skin* skin, const phx_frame* frame, applied* a) {
    const float* f = NULL;
    bool needed = false; // some point is not in a tetrahedron
    for (int i = 0; i < skin->binding.count; ++i) {
        needed = needed || !skin->binding.tetrahedron[i];
    }
    if (needed) {
        PHXI_TRY(find_field(frame, "deformation", 9, &f));
    }
    for (int i = 0; i < skin->particle_count; ++i) {
        size_t particle = (size_t)skin->particles[i];
        memcpy(a->positions + 3 * (size_t)i, frame->positions + 3 * particle, 3 * sizeof *a->positions);
        for (size_t k = 0; k < 9; ++k) {
            a->deformations[9 * (size_t)i + k] = needed ? (double)f[9 * particle + k] : 0;
        }
    }
    return PHX_OK;
}

static void write_point(const phx_skin* skin, const applied* a, int point, phx_frame* surface, float* normals) {
    const phxi_binding* b = &skin->binding;
    double total = 0, most = -1;
    int heaviest = -1;
    phxi_carriage_begin(&a->carriage, a->sums);
    for (int i = b->start[point]; i < b->start[point + 1]; ++i) {
        double weight = b->weights.items[i];
        int particle = skin->particles[b->items.items[i]];
        total += weight;
        heaviest = weight > most ? particle : heaviest;
        most = weight > most ? weight : most;
        phxi_carriage_add(&a->carriage, a->sums, particle, weight);
    }
    phxi_carriage_end(&a->carriage, a->sums, total, heaviest, point);
    for (int k = 0; k < 3; ++k) {
        surface->positions[3 * point + k] = a->points[3 * point + k];
        normals[3 * point + k] = (float)a->normals[3 * point + k];
    }
}

static phx_result apply(const phx_skin* skin, const phx_frame* frame, phxi_heap* scratch, phx_frame* surface) {
    applied a = {0};
    float* normals;
    size_t particles = (size_t)skin->particle_count, points = (size_t)skin->binding.count;
    PHXI_TRY(phx_frame_add_field(surface, "normal", 3, &normals));
    PHXI_TRY(phxi_carriage_create(scratch, frame, surface, &a.carriage));
    PHXI_NEW(a.positions, scratch, 3 * particles, "skin");
    PHXI_NEW(a.deformations, scratch, 9 * particles, "skin");
    PHXI_NEW(a.points, scratch, 3 * points, "skin");
    PHXI_NEW(a.normals, scratch, 3 * points, "skin");
    PHXI_NEW(a.sums, scratch, a.carriage.components, "skin");
    PHXI_TRY(read_particles(skin, frame, &a));
    phxi_skin_move(&skin->binding, a.positions, a.deformations, a.points, a.normals);
    for (int i = 0; i < skin->binding.count; ++i) {
        write_point(skin, &a, i, surface, normals);
    }
    memcpy(surface->indices, skin->triangles, 3 * (size_t)skin->triangle_count * sizeof *skin->triangles);
    return PHX_OK;
}

phx_result phx_skin_apply(const phx_skin* skin, const phx_frame* particles, phx_frame** surface) {
    if (!skin || !particles || !surface) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: expected a skin, a frame of particles and a place for the surface");
    }
    *surface = NULL;
    PHXI_TRY(check_frame(skin, particles));
    PHXI_TRY(
        phx_frame_create(skin->binding.count, skin->triangle_count, particles->time, &skin->heap.allocator, surface));
    phxi_heap scratch;
    phxi_heap_init(&scratch, &skin->heap.allocator);
    phx_result result = apply(skin, particles, &scratch, *surface);
    phxi_heap_destroy(&scratch);
    if (result != PHX_OK) {
        phx_frame_destroy(*surface);
        *surface = NULL;
    }
    return result;
}
