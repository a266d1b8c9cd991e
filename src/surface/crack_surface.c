// SPDX-License-Identifier: MIT
// The crack surfaces of a world's bodies in one frame. Cells know their particles by id: methods reorder particles, and
// may add some, which have no cell and carry nothing.
#include "math/decompose3.h"
#include "surface/crack_body.h"
#include "surface/frame.h"
#include "world/world.h"

#include <phyxel/surface.h>

#include <string.h>

enum { CRACK_STAMP = 0x43524b31 };

typedef struct part {
    int body; // of the world
    phxi_crack_body cracks;
    phx_vec3* rest;
    double* spacings;
    int* particle; // by cell, in the world
    phx_vec3 *positions, *copies, *normals;
    phxi_mat3* deformations;
    int copy_capacity, point_capacity;
    // cracks with the numbers of cells
    int* fragment;
    PHXI_ARRAY(int) cuts;                // pairs
    PHXI_ARRAY(phx_vec3) points_normals; // a point, then a normal, for each pair
} part;

struct phx_crack_surface {
    phxi_heap heap; // owns the surface itself, too
    const phx_world* world;
    bool smooth;
    char* fields;
    part* parts;
    int part_count;
    phx_real* values; // of all particles
    size_t value_capacity;
};

phx_crack_surface_def phx_crack_surface_def_default(void) {
    return (phx_crack_surface_def){.smooth = true, .stamp = CRACK_STAMP};
}

// ------------------------------------------------------------------------------------------------------------ creation

/// Where the particle of each cell now is.
static phx_result find_particles(const phx_world* world, part* p) {
    const phxi_body* body = &world->bodies.items[p->body];
    int found = 0, cells = body->cells->particle_count;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        uint64_t cell = world->particles.id[i] - body->first_id;
        if (cell < (uint64_t)cells) {
            p->particle[cell] = i;
            ++found;
        }
    }
    return found == cells ? PHX_OK
                          : phxi_fail(PHX_ERROR_ARGUMENT, "body '%s' has %d of the %d particles that it was made of",
                                      body->name, found, cells);
}

static phx_result create_part(phx_crack_surface* s, int body) {
    part* p = &s->parts[s->part_count++];
    phxi_heap* heap = &s->heap;
    const phxi_cell_complex* cells = s->world->bodies.items[body].cells;
    int count = cells->particle_count;
    p->body = body;
    PHXI_NEW(p->rest, heap, count, "crack particles");
    PHXI_NEW(p->spacings, heap, count, "crack particles");
    PHXI_NEW(p->particle, heap, count, "crack particles");
    PHXI_NEW(p->positions, heap, count, "crack particles");
    PHXI_NEW(p->deformations, heap, count, "crack particles");
    PHXI_NEW(p->fragment, heap, count, "crack particles");
    PHXI_TRY(find_particles(s->world, p));
    const phxi_particles* from = &s->world->particles;
    for (int i = 0; i < count; ++i) {
        int k = p->particle[i];
        p->rest[i] = phxi_vec3(from->rest_x[k], from->rest_y[k], from->rest_z[k]);
        p->spacings[i] = from->spacing[k];
    }
    return phxi_crack_body_create(heap, cells, p->rest, p->spacings, &p->cracks);
}

static phx_result create(phx_crack_surface* s, const phx_crack_surface_def* def) {
    int bodies = s->world->bodies.count;
    s->smooth = def->smooth;
    s->fields = phxi_strdup(&s->heap, def->fields ? def->fields : "", "crack fields");
    s->parts = phxi_alloc_zero(&s->heap, (size_t)bodies, sizeof *s->parts, "crack bodies");
    if (!s->fields || !s->parts) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < bodies; ++i) {
        if (s->world->bodies.items[i].cells) {
            PHXI_TRY(create_part(s, i));
        }
    }
    return s->part_count > 0 ? PHX_OK
                             : phxi_fail(PHX_ERROR_UNSUPPORTED, "crack surface: no body of this world can break");
}

phx_result phx_crack_surface_create(const phx_world* world, const phx_crack_surface_def* def,
                                    phx_crack_surface** surface) {
    if (!world || !surface || !def || def->stamp != CRACK_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "crack surface: expected a world, a definition from "
                                             "phx_crack_surface_def_default() and a place for it");
    }
    *surface = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, &def->allocator);
    phx_crack_surface* made = phxi_alloc_zero(&heap, 1, sizeof *made, "crack surface");
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    made->world = world;
    phx_result result = create(made, def);
    if (result != PHX_OK) {
        phx_crack_surface_destroy(made);
        return result;
    }
    *surface = made;
    return PHX_OK;
}

void phx_crack_surface_destroy(phx_crack_surface* surface) {
    if (surface) {
        phxi_heap heap = surface->heap; // the surface is one of its blocks
        phxi_heap_destroy(&heap);
    }
}

// -------------------------------------------------------------------------------------------------------------- cracks

static phxi_step context_of(const phx_world* world, int solver) {
    return phxi_world_context((phx_world*)(uintptr_t)world, solver); // methods only read what they answer from
}

// The method's cracks with the numbers of cells; cuts of particles without a cell are left out.
static phx_result translate(phx_crack_surface* s, part* p, const phxi_cracks* from, phxi_cracks* to) {
    const phxi_body* body = &s->world->bodies.items[p->body];
    const uint64_t* id = s->world->particles.id + body->begin;
    const uint64_t cells = (uint64_t)body->cells->particle_count;
    for (int i = 0; i < body->count; ++i) {
        uint64_t cell = id[i] - body->first_id;
        if (cell < cells) {
            p->fragment[cell] = from->fragment[i];
        }
    }
    p->cuts.count = p->points_normals.count = 0;
    if (!phxi_array_reserve(&p->cuts, 2 * from->cut_count, &s->heap, "crack cuts") ||
        !phxi_array_reserve(&p->points_normals, 2 * from->cut_count, &s->heap, "crack cuts")) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0;
    phx_vec3 *points = p->points_normals.items, *normals = points ? points + from->cut_count : NULL;
    for (int k = 0; k < from->cut_count; ++k) {
        uint64_t a = id[from->cut[k][0]] - body->first_id, b = id[from->cut[k][1]] - body->first_id;
        if (a < cells && b < cells) {
            p->cuts.items[2 * count] = (int)a;
            p->cuts.items[2 * count + 1] = (int)b;
            points[count] = from->plane_point[k];
            normals[count++] = from->plane_normal[k];
        }
    }
    *to =
        (phxi_cracks){from->fragment_count, p->fragment, count, (const int(*)[2])(void*)p->cuts.items, points, normals};
    return PHX_OK;
}

static phx_result update_part(phx_crack_surface* s, part* p) {
    const phxi_body* body = &s->world->bodies.items[p->body];
    const phxi_solver* solver = &s->world->solvers.items[body->solver];
    phxi_step step = context_of(s->world, body->solver);
    const phxi_fracture_table* fracture = solver->method->fracture;
    const phxi_cracks* cracks = fracture && fracture->cracks ? fracture->cracks(solver->state, &step, p->body) : NULL;
    phxi_cracks translated;
    if (cracks) {
        PHXI_TRY(translate(s, p, cracks, &translated));
    }
    PHXI_TRY(phxi_crack_body_update(&p->cracks, cracks ? &translated : NULL, s->smooth));
    return find_particles(s->world, p);
}

// ------------------------------------------------------------------------------------------------------------- motion

static phx_result room(phx_crack_surface* s, part* p) {
    int copies = p->cracks.copies.count, points = p->cracks.points.count;
    if (copies > p->copy_capacity) {
        phx_vec3* wider = phxi_realloc(&s->heap, p->copies, (size_t)copies, sizeof *wider, "crack copies");
        if (!wider) {
            return PHX_ERROR_MEMORY;
        }
        p->copies = wider;
        p->copy_capacity = copies;
    }
    if (points > p->point_capacity) {
        phx_vec3* wider = phxi_realloc(&s->heap, p->normals, (size_t)points, sizeof *wider, "crack normals");
        if (!wider) {
            return PHX_ERROR_MEMORY;
        }
        p->normals = wider;
        p->point_capacity = points;
    }
    return PHX_OK;
}

static phx_result read_field(phx_crack_surface* s, const phx_field_info* info) {
    size_t size = (size_t)s->world->particles.count * (size_t)info->components;
    if (size > s->value_capacity) {
        phx_real* wider = phxi_realloc(&s->heap, s->values, size, sizeof *wider, "crack fields");
        if (!wider) {
            return PHX_ERROR_MEMORY;
        }
        s->values = wider;
        s->value_capacity = size;
    }
    return phx_world_field(s->world, info->name, s->values);
}

static const phx_field_info* find_info(const phx_world* world, const char* name, size_t length) {
    const phx_field_info* info;
    for (int i = 0; (info = phx_world_field_info(world, i)); ++i) {
        if (strlen(info->name) == length && strncmp(info->name, name, length) == 0) {
            return info;
        }
    }
    return NULL;
}

/// F, or if it is degenerate (a particle with too few bonds left) one that neither flattens nor inverts what it
/// carries.
static phxi_mat3 solid(const phxi_mat3* f) {
    double det = phxi_mat3_det(f), s[3];
    if (det > 0.2 && det < 5) {
        return *f;
    }
    phxi_mat3 u, v, scaled;
    phxi_svd3(f, &u, s, &v);
    for (int e = 0; e < 9; ++e) {
        double stretch = fabs(s[e % 3]);
        scaled.m[e / 3][e % 3] = u.m[e / 3][e % 3] * (stretch > 0.2 && stretch < 5 ? stretch : 1);
    }
    phxi_mat3 transposed = phxi_mat3_transpose(&v);
    return phxi_mat3_mul(&scaled, &transposed);
}

static phx_result move_parts(phx_crack_surface* s) {
    const phxi_particles* from = &s->world->particles;
    const phx_field_info* info = find_info(s->world, "deformation", strlen("deformation"));
    if (info) {
        PHXI_TRY(read_field(s, info));
    }
    for (int i = 0; i < s->part_count; ++i) {
        part* p = &s->parts[i];
        PHXI_TRY(room(s, p));
        for (int c = 0; c < p->cracks.cells->particle_count; ++c) {
            int k = p->particle[c];
            p->positions[c] = phxi_vec3(from->x[k], from->y[k], from->z[k]);
            p->deformations[c] = phxi_identity();
            for (int e = 0; e < 9 && info; ++e) {
                p->deformations[c].m[e / 3][e % 3] = s->values[9 * (size_t)k + (size_t)e];
            }
            p->deformations[c] = solid(&p->deformations[c]);
        }
        phxi_crack_body_move(&p->cracks, s->world->pool, p->positions, p->deformations, p->copies, p->normals);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- frames

static void fill_part(const part* p, phx_frame* frame, int first, int triangle, float* const own[4]) {
    const phxi_crack_body* b = &p->cracks;
    for (int i = 0; i < b->points.count; ++i) {
        const phxi_crack_point* point = &b->points.items[i];
        phx_vec3 x = p->copies[point->copy], n = p->normals[i];
        double* to = frame->positions + 3 * (size_t)(first + i);
        float* normal = own[0] + 3 * (size_t)(first + i);
        to[0] = x.x, to[1] = x.y, to[2] = x.z;
        normal[0] = (float)n.x, normal[1] = (float)n.y, normal[2] = (float)n.z;
        own[1][first + i] = (float)p->body;
        own[2][first + i] = (float)b->copies.items[point->copy].fragment;
        own[3][first + i] = point->wall >= 0;
    }
    for (int t = 0; t < b->triangles.count; ++t) {
        for (int k = 0; k < 3; ++k) {
            frame->indices[3 * (size_t)(triangle + t) + (size_t)k] = first + b->triangles.items[t].v[k];
        }
    }
}

static phx_result fill_field(phx_crack_surface* s, const phx_field_info* info, phx_frame* frame) {
    float* values;
    PHXI_TRY(phx_frame_add_field(frame, info->name, info->components, &values));
    PHXI_TRY(read_field(s, info));
    for (int i = 0, first = 0; i < s->part_count; first += s->parts[i++].cracks.points.count) {
        const part* p = &s->parts[i];
        const phxi_crack_body* b = &p->cracks;
        for (int n = 0; n < b->points.count; ++n) {
            const phxi_crack_copy* copy = &b->copies.items[b->points.items[n].copy];
            for (int e = 0; e < info->components; ++e) {
                double sum = 0;
                for (int k = copy->begin; k < copy->begin + copy->count; ++k) {
                    int at = p->particle[b->carriers.items[k]];
                    sum += b->weights.items[k] * s->values[(size_t)at * (size_t)info->components + (size_t)e];
                }
                values[(size_t)(first + n) * (size_t)info->components + (size_t)e] = (float)sum;
            }
        }
    }
    return PHX_OK;
}

static phx_result fill_frame(phx_crack_surface* s, phx_frame* frame) {
    static const struct {
        const char* name;
        int components;
    } own_fields[4] = {{"normal", 3}, {"body", 1}, {"fragment", 1}, {"inner", 1}};
    float* own[4];
    for (int i = 0; i < 4; ++i) {
        PHXI_TRY(phx_frame_add_field(frame, own_fields[i].name, own_fields[i].components, &own[i]));
    }
    for (int i = 0, first = 0, triangle = 0; i < s->part_count; ++i) {
        fill_part(&s->parts[i], frame, first, triangle, own);
        first += s->parts[i].cracks.points.count;
        triangle += s->parts[i].cracks.triangles.count;
    }
    for (const char* names = s->fields; *(names += strspn(names, " "));) {
        size_t length = strcspn(names, " ");
        const phx_field_info* info = find_info(s->world, names, length);
        if (!info) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "crack surface: the world has no field '%.*s'",
                             (int)(length < 64 ? length : 64), names);
        }
        if (!phx_frame_find(frame, info->name)) {
            PHXI_TRY(fill_field(s, info, frame));
        }
        names += length;
    }
    return PHX_OK;
}

phx_result phx_crack_surface_frame(phx_crack_surface* s, phx_frame** frame) {
    if (!s || !frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "crack surface: expected a surface and a place for the frame");
    }
    *frame = NULL;
    int points = 0, triangles = 0;
    for (int i = 0; i < s->part_count; ++i) {
        PHXI_TRY(update_part(s, &s->parts[i]));
        points += s->parts[i].cracks.points.count;
        triangles += s->parts[i].cracks.triangles.count;
    }
    PHXI_TRY(move_parts(s));
    PHXI_TRY(phx_frame_create(points, triangles, s->world->time, &s->heap.allocator, frame));
    phx_result result = fill_frame(s, *frame);
    if (result != PHX_OK) {
        phx_frame_destroy(*frame);
        *frame = NULL;
    }
    return result;
}
