// SPDX-License-Identifier: MIT
// The surface of a liquid: smooth, without holes between particles, flat where it touches solids
// (docs/theory/surfaces.md (4)). With s the spacing and d(x) the distance to the nearest particle:
//
//   A = {d < ball + close}, its cavities filled         the particles grown until gaps are gone ...
//   phi = close - (distance to what is not in A)        ... and shrunk again: a morphological closing. Outside of A
//                                                       phi goes on as d - ball, which is equal on its border
//   phi = phi after a Gaussian                          levels the balls
//   phi = phi + shift                                   holds the volume, where much of what was closed was air
//   phi = min(phi, d - core)                            sheets and drops thinner than a ball survive it
//   phi = max(phi, -distance to solids)                 faces that lie on walls are those of the walls
//
// and the surface is where phi = 0; what it encloses of outside is filled. Particles near a solid have an image behind
// it: without them the surface would bend inward there. Lengths are in cells, of half a spacing.
#include "surface/reconstruct.h"

#include "geometry/distance_field.h"
#include "surface/attributes.h"
#include "surface/spray.h"
#include "surface/tile_field.h"

#include <math.h>
#include <string.h>

enum { LIQUID_STAMP = 0x4c495131, TILES_AT_ONCE = 4, POINTS_AT_ONCE = 4096, MARGIN = 4 };

static const double core = 0.35;           // in spacings
static const double deviation = 1.2;       // of the Gaussian, in cells
static const double image_depth = 2.5;     // particles nearer to a solid than this have an image, in spacings
static const double attribute_reach = 1.5; // in spacings
static const double fit_within = 0.01;     // of the volume
static const double hold_within = 0.01;    // of the volume: a film of calm water does not breathe
static const double most_shift = 0.5;      // in spacings
static const float least_depth = 1e-3f; // of a node behind a solid's face, in cells: on it would be a speck of no size

phx_liquid_def phx_liquid_def_default(void) {
    return (phx_liquid_def){.cell = 0.5, .ball = 0.75, .close = 0.75, .smoothing = 12, .stamp = LIQUID_STAMP};
}

typedef struct tile_sums {
    float volume, free_area; // in cells and faces of cells
} tile_sums;

typedef struct liquid {
    const phx_frame* points;
    const phx_liquid_def* def;
    phxi_heap heap; // of all scratch
    phxi_pool* pool;
    double spacing, cell; // m
    phxi_distance_field* solids;
    double* positions; // of particles, then of images
    int* source;       // of each image
    int images;
    phxi_cloud cloud;
    phxi_place* tiles;
    int tile_count;
    phxi_tile_field field; // phi
    float* nearest;        // d, at the nodes of the field
    uint8_t* outside;      // 1: a node that is not in A
    float ball, shift;     // in cells
    int shrink_reach;      // in cells
    tile_sums* sums;       // of phi as it was made last
    phxi_iso iso;
} liquid;

static phx_result check(const phx_frame* points, const phx_liquid_def* d, const void* out) {
    if (!points || !out || !d || d->stamp != LIQUID_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a liquid needs points and a definition from phx_liquid_def_default()");
    }
    if (!(d->spacing >= 0) || !isfinite(d->spacing)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "liquid: spacing %g m, expected 0 or more", d->spacing);
    }
    if (!(d->cell >= 0.25 && d->cell <= 1) || !(d->ball >= core && d->ball <= 1.5) ||
        !(d->close >= 0 && d->close <= 4 * d->cell)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "liquid: cell %g, ball %g and close %g, expected 0.25 to 1, %g to 1.5 and at most 4 cells",
                         d->cell, d->ball, d->close, core);
    }
    if (!(d->volume >= 0) || !isfinite(d->volume)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "liquid: a volume of %g m^3, expected 0 or more", d->volume);
    }
    if (d->smoothing < 0 || d->smoothing > 1000 || d->threads < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "liquid: smoothing %d and threads %d, expected 0 to 1000 rounds and 0 or more threads",
                         d->smoothing, d->threads);
    }
    return phx_frame_check(points);
}

// ------------------------------------------------------------------------------------------------------------- solids

static phx_result make_solids(liquid* l) {
    const phx_frame* f = l->def->solids;
    if (!f || f->triangles == 0) {
        return PHX_OK;
    }
    phx_mesh* mesh;
    PHXI_TRY(phxi_mesh_new(&l->def->allocator, f->points, f->triangles, &mesh));
    memcpy(mesh->positions, f->positions, 3 * (size_t)f->points * sizeof(double));
    memcpy(mesh->triangles, f->indices, 3 * (size_t)f->triangles * sizeof(int));
    phx_result result = phxi_distance_field_create(&l->heap, l->pool, mesh, 0, &l->solids);
    phx_mesh_destroy(mesh);
    return result;
}

/// How far a place is from the nearest solid, m, up to `limit`, and the direction away from it.
static double solid_distance(const liquid* l, phx_vec3 x, double limit, phx_vec3* normal) {
    double distance = limit;
    for (int k = 0; k < l->def->plane_count; ++k) {
        const phx_plane* plane = &l->def->planes[k];
        double d = phxi_dot(phxi_sub(x, plane->point), plane->normal);
        if (d < distance) {
            distance = d;
            *normal = plane->normal;
        }
    }
    if (l->solids && phxi_distance_field_far(l->solids, x) < distance) {
        phx_vec3 n;
        double d = phxi_distance_field_at(l->solids, x, &n);
        if (d < distance) {
            distance = d;
            *normal = n;
        }
    }
    return distance;
}

static bool has_solids(const liquid* l) {
    return l->solids || l->def->plane_count > 0;
}

// The image of a particle behind a solid, if that is near.
static void add_image(liquid* l, int i, double distance, phx_vec3 normal) {
    const double* p = l->positions + 3 * (size_t)i;
    if (distance > 0 && distance < image_depth * l->spacing) {
        double* image = l->positions + 3 * (size_t)(l->points->points + l->images);
        image[0] = p[0] - 2 * distance * normal.x;
        image[1] = p[1] - 2 * distance * normal.y;
        image[2] = p[2] - 2 * distance * normal.z;
        l->source[l->images++] = i;
    }
}

// Particles, and their images: one behind each plane and one behind the nearest of other solids.
static phx_result place_points(liquid* l) {
    int count = l->points->points, walls = l->def->plane_count + (l->solids != NULL);
    PHXI_NEW(l->positions, &l->heap, 3 * (size_t)(1 + walls) * (size_t)count, "surface points");
    PHXI_NEW(l->source, &l->heap, (size_t)walls * (size_t)count, "surface points");
    memcpy(l->positions, l->points->positions, 3 * (size_t)count * sizeof(double));
    for (int i = 0; i < count && walls; ++i) {
        const double* p = l->positions + 3 * (size_t)i;
        phx_vec3 x = {p[0], p[1], p[2]}, normal;
        for (int k = 0; k < l->def->plane_count; ++k) {
            const phx_plane* plane = &l->def->planes[k];
            add_image(l, i, phxi_dot(phxi_sub(x, plane->point), plane->normal), plane->normal);
        }
        if (l->solids && phxi_distance_field_far(l->solids, x) < image_depth * l->spacing) {
            double distance = phxi_distance_field_at(l->solids, x, &normal);
            add_image(l, i, distance, normal);
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- the nodes

/// An image has the attributes of its particle.
static void name_images(liquid* l) {
    for (int i = 0; i < l->cloud.count; ++i) {
        phxi_grain* g = &l->cloud.grains[i];
        g->index = g->index < l->points->points ? g->index : l->source[g->index - l->points->points];
        g->volume = 1;
    }
}

// All tiles that have a node of a block.
static phx_result list_tiles(liquid* l) {
    phxi_place* all;
    int count = 0;
    PHXI_NEW(all, &l->heap, 8 * (size_t)l->cloud.block_count, "surface tiles");
    for (int b = 0; b < l->cloud.block_count; ++b) {
        phxi_place at = l->cloud.blocks[b];
        for (int k = 0; k < 8; ++k) {
            int x = PHXI_BLOCK_CELLS * (at.x + (k & 1)), y = PHXI_BLOCK_CELLS * (at.y + (k >> 1 & 1));
            int z = PHXI_BLOCK_CELLS * (at.z + (k >> 2));
            all[count++] = (phxi_place){x / PHXI_TILE_NODES, y / PHXI_TILE_NODES, z / PHXI_TILE_NODES};
        }
    }
    phx_result result = phxi_places_unique(&l->heap, all, count, &l->tiles, &l->tile_count);
    phxi_free(&l->heap, all);
    return result;
}

/// The first.
static size_t node_of_tile(int tile) {
    return (size_t)tile * PHXI_TILE_VALUES;
}

static void find_nearest(void* context, int begin, int end, int piece) {
    const liquid* l = context;
    (void)piece;
    for (int t = begin; t < end; ++t) {
        phxi_place base = {PHXI_TILE_NODES * l->tiles[t].x, PHXI_TILE_NODES * l->tiles[t].y,
                           PHXI_TILE_NODES * l->tiles[t].z};
        phxi_cloud_nearest(&l->cloud, base, l->nearest + node_of_tile(t));
    }
}

static void for_tiles(liquid* l, phxi_loop_body* body) {
    phxi_parallel_for(l->pool, l->tile_count, TILES_AT_ONCE, body, l);
}

static phx_result make_nodes(liquid* l) {
    // the Gaussian looks from the surface to places where d is not cut yet
    double reach = (l->def->ball + l->def->close) / l->def->cell + 2;
    PHXI_TRY(
        phxi_cloud_create(&l->heap, l->pool, l->positions, l->points->points + l->images, l->cell, reach, &l->cloud));
    name_images(l);
    PHXI_TRY(list_tiles(l));
    PHXI_TRY(phxi_tile_field_create(&l->heap, l->pool, l->tiles, l->tile_count, &l->field));
    PHXI_NEW(l->nearest, &l->heap, node_of_tile(l->tile_count), "surface nodes");
    PHXI_NEW(l->outside, &l->heap, node_of_tile(l->tile_count), "surface nodes");
    PHXI_NEW(l->sums, &l->heap, (size_t)l->tile_count, "surface nodes");
    for_tiles(l, find_nearest);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- level set

// What is not in A and can be reached from far away is outside.
static phx_result find_outside(liquid* l) {
    float grown = l->ball + (float)(l->def->close / l->def->cell);
    for (size_t i = 0; i < node_of_tile(l->tile_count); ++i) {
        l->outside[i] = l->nearest[i] < grown ? 2 : 0;
    }
    return phxi_tile_field_flood(&l->field, l->outside);
}

static void mark_outside(void* context, int begin, int end, int piece) {
    liquid* l = context;
    float far = 3 * (float)(l->shrink_reach * l->shrink_reach);
    (void)piece;
    for (size_t i = node_of_tile(begin); i < node_of_tile(end); ++i) {
        l->field.values[i] = l->outside[i] == 1 ? 0 : far;
    }
}

static void set_closed(void* context, int begin, int end, int piece) {
    liquid* l = context;
    float close = (float)(l->def->close / l->def->cell), most = (float)l->shrink_reach;
    (void)piece;
    for (size_t i = node_of_tile(begin); i < node_of_tile(end); ++i) {
        float distance = sqrtf(l->field.values[i]);
        distance = distance < most ? distance : most;
        l->field.values[i] = l->outside[i] == 1 ? l->nearest[i] - l->ball : close - distance;
    }
}

static void shrink_again(liquid* l) {
    l->shrink_reach = (int)ceil(l->def->close / l->def->cell) + MARGIN;
    for_tiles(l, mark_outside);
    l->field.beyond = 0;
    phxi_tile_field_distance(&l->field, l->pool, l->shrink_reach);
    for_tiles(l, set_closed);
    l->field.beyond = l->cloud.reach - l->ball;
    phxi_tile_field_blur(&l->field, l->pool, deviation);
}

static double solid_depth(const liquid* l, int tile, int node) {
    phx_vec3 normal,
        at = {l->cloud.origin.x + l->cell * (PHXI_TILE_NODES * l->tiles[tile].x + node % PHXI_TILE_NODES),
              l->cloud.origin.y +
                  l->cell * (PHXI_TILE_NODES * l->tiles[tile].y + node / PHXI_TILE_NODES % PHXI_TILE_NODES),
              l->cloud.origin.z +
                  l->cell * (PHXI_TILE_NODES * l->tiles[tile].z + node / (PHXI_TILE_NODES * PHXI_TILE_NODES))};
    return -solid_distance(l, at, 4 * l->cell, &normal) / l->cell;
}

/// Whether all nodes of a tile are further from solids than solid_depth() looks.
static bool tile_is_free(const liquid* l, int tile) {
    double half = 0.5 * (PHXI_TILE_NODES - 1), beyond = (4 + sqrt(3) * half) * l->cell;
    const phxi_place* at = &l->tiles[tile];
    phx_vec3 normal, middle = {l->cloud.origin.x + l->cell * (PHXI_TILE_NODES * at->x + half),
                               l->cloud.origin.y + l->cell * (PHXI_TILE_NODES * at->y + half),
                               l->cloud.origin.z + l->cell * (PHXI_TILE_NODES * at->z + half)};
    return solid_distance(l, middle, 1.001 * beyond, &normal) > beyond;
}

/// Of the nodes of a tile. Each counts for the part of its cell that is inside, by its distance from the surface; and
/// for a face of a cell where the surface crosses it and would move by a shift: not at solids, not at sheets and drops.
static tile_sums sum_tile(const liquid* l, int tile) {
    size_t first = node_of_tile(tile);
    const float *smooth = l->field.values + first, *phi = l->field.next + first;
    tile_sums sums = {0, 0};
    for (int i = 0; i < PHXI_TILE_VALUES; ++i) {
        float inside = 0.5f - phi[i];
        inside = inside < 0 ? 0 : inside;
        sums.volume += inside > 1 ? 1 : inside;
        sums.free_area += fabsf(phi[i]) < 0.5f && phi[i] == smooth[i] + l->shift ? 1.0f : 0.0f;
    }
    return sums;
}

/// From the smooth phi in `values` to the final one in `next`.
static void end_tile(const liquid* l, int tile) {
    size_t first = node_of_tile(tile);
    const float *smooth = l->field.values + first, *nearest = l->nearest + first;
    float* phi = l->field.next + first;
    float least = (float)(core / l->def->cell);
    for (int i = 0; i < PHXI_TILE_VALUES; ++i) {
        float shifted = smooth[i] + l->shift;
        phi[i] = nearest[i] - least < shifted ? nearest[i] - least : shifted;
    }
    bool walls = has_solids(l), free = walls && tile_is_free(l, tile);
    for (int i = 0; walls && i < PHXI_TILE_VALUES; ++i) {
        // only what is inside, or about to be, can be cut off
        if (phi[i] <= 2) {
            float depth = free ? -4 : (float)solid_depth(l, tile, i);
            depth = fabsf(depth) < least_depth ? least_depth : depth;
            phi[i] = depth > phi[i] ? depth : phi[i];
        }
    }
    l->sums[tile] = sum_tile(l, tile);
}

static void end_tiles(void* context, int begin, int end, int piece) {
    (void)piece;
    for (int t = begin; t < end; ++t) {
        end_tile(context, t);
    }
}

static double volume_of(const liquid* l) {
    double sum = 0;
    for (int t = 0; t < l->tile_count; ++t) {
        sum += (double)l->sums[t].volume;
    }
    return sum * l->cell * l->cell * l->cell;
}

static double free_area(const liquid* l) {
    double sum = 0;
    for (int t = 0; t < l->tile_count; ++t) {
        sum += (double)l->sums[t].free_area;
    }
    return sum * l->cell * l->cell;
}

/// Air between drops and the water they fall into is closed as if it were a gap between particles. Where this is much,
/// the surface is moved until it holds the volume to within 2 %: by hundredths of a spacing from frame to frame.
static void hold_volume(liquid* l) {
    double wanted = l->def->volume, limit = most_shift / l->def->cell;
    for (int round = 0; round < 3; ++round) {
        double volume = volume_of(l), area = free_area(l);
        double nearest = fmin(fmax(volume, (1 - hold_within) * wanted), (1 + hold_within) * wanted);
        if (fabs(volume - nearest) < 0.002 * wanted || !(area > 0)) {
            return;
        }
        l->shift += (float)((volume - nearest) / (area * l->cell));
        l->shift = (float)fmin(fmax(l->shift, -limit), limit);
        for_tiles(l, end_tiles);
    }
}

static void mark_inside(void* context, int begin, int end, int piece) {
    liquid* l = context;
    (void)piece;
    for (size_t i = node_of_tile(begin); i < node_of_tile(end); ++i) {
        l->outside[i] = l->field.values[i] < 0 ? 2 : 0;
    }
}

static void fill_tiles(void* context, int begin, int end, int piece) {
    liquid* l = context;
    (void)piece;
    for (size_t i = node_of_tile(begin); i < node_of_tile(end); ++i) {
        l->field.values[i] = l->outside[i] == 0 ? -l->field.values[i] - 0.01f : l->field.values[i];
    }
}

/// What is outside but cannot be reached from there is a cavity that smoothing has closed off.
static phx_result fill_cavities(liquid* l) {
    for_tiles(l, mark_inside);
    PHXI_TRY(phxi_tile_field_flood(&l->field, l->outside));
    for_tiles(l, fill_tiles);
    return PHX_OK;
}

static phx_result make_level_set(liquid* l, double ball) {
    l->ball = (float)(ball / l->def->cell);
    l->shift = 0;
    PHXI_TRY(find_outside(l));
    shrink_again(l);
    for_tiles(l, end_tiles);
    if (l->def->volume > 0) {
        hold_volume(l);
    }
    float* smooth = l->field.values;
    l->field.values = l->field.next;
    l->field.next = smooth;
    return fill_cavities(l);
}

// --------------------------------------------------------------------------------------------------------- triangles

/// The part of a row of nodes of a block that lies in one tile.
static void copy_row(const liquid* l, int x, int y, int z, float* row) {
    for (int done = 0; done < PHXI_BLOCK_NODES;) {
        int at = (x + done) % PHXI_TILE_NODES, count = PHXI_TILE_NODES - at;
        count = count < PHXI_BLOCK_NODES - done ? count : PHXI_BLOCK_NODES - done;
        int tile = phxi_tile_find(&l->field,
                                  (phxi_place){(x + done) / PHXI_TILE_NODES, y / PHXI_TILE_NODES, z / PHXI_TILE_NODES});
        const float* from = tile < 0
                                ? NULL
                                : phxi_tile_values(&l->field, tile) + at +
                                      PHXI_TILE_NODES * (y % PHXI_TILE_NODES + PHXI_TILE_NODES * (z % PHXI_TILE_NODES));
        for (int i = 0; i < count; ++i) {
            row[done + i] = from ? -from[i] : -l->field.beyond;
        }
        done += count;
    }
}

static bool sample(void* context, phxi_place block, float* values) {
    const liquid* l = context;
    for (int z = 0; z < PHXI_BLOCK_NODES; ++z) {
        for (int y = 0; y < PHXI_BLOCK_NODES; ++y) {
            copy_row(l, PHXI_BLOCK_CELLS * block.x, PHXI_BLOCK_CELLS * block.y + y, PHXI_BLOCK_CELLS * block.z + z,
                     values + PHXI_BLOCK_NODES * (y + PHXI_BLOCK_NODES * z));
        }
    }
    return true;
}

typedef struct vertices {
    const liquid* liquid;
    double* positions;
} vertices;

// Smoothing rounds edges, on both sides: what is beyond a solid's face goes back to it.
static void push_out(void* context, int begin, int end, int piece) {
    const vertices* v = context;
    (void)piece;
    for (int i = begin; i < end; ++i) {
        double* p = v->positions + 3 * (size_t)i;
        phx_vec3 normal = {0, 0, 1};
        double depth = -solid_distance(v->liquid, (phx_vec3){p[0], p[1], p[2]}, v->liquid->cell, &normal);
        if (depth > 0 && depth < 2 * v->liquid->cell) {
            p[0] += depth * normal.x, p[1] += depth * normal.y, p[2] += depth * normal.z;
        }
    }
}

static phx_result make_surface(liquid* l, phx_frame** surface) {
    phxi_iso_source source = {sample, l, l->cloud.blocks, l->cloud.block_count, 0};
    PHXI_TRY(phxi_iso_build(&l->heap, l->pool, &source, &l->iso));
    PHXI_TRY(
        phx_frame_create(l->iso.vertex_count, l->iso.triangle_count, l->points->time, &l->def->allocator, surface));
    phxi_iso_fill(&l->iso, l->pool, l->cloud.origin, l->cell, (*surface)->positions, (*surface)->indices);
    phxi_cloud near = l->cloud; // fields are those of particles close by
    near.reach = (float)fmin(near.reach, attribute_reach / l->def->cell);
    if (l->points->fields.count > 0 || l->def->smoothing == 0) { // normals alone come with smoothing
        PHXI_TRY(phxi_surface_attributes(&near, l->pool, &l->iso, l->points, *surface));
    }
    PHXI_TRY(phxi_surface_smooth(&l->heap, l->pool, *surface, l->def->smoothing));
    phxi_parallel_for(l->pool, has_solids(l) ? (*surface)->points : 0, POINTS_AT_ONCE, push_out,
                      &(vertices){l, (*surface)->positions});
    return PHX_OK;
}

static phx_result begin(liquid* l, const phx_frame* points, const phx_liquid_def* def) {
    *l = (liquid){.points = points, .def = def};
    phxi_heap_init(&l->heap, &def->allocator);
    PHXI_TRY(phxi_pool_create(&l->heap, def->threads, &l->pool));
    l->spacing = def->spacing > 0 ? def->spacing : phxi_frame_spacing(points);
    l->cell = def->cell * l->spacing;
    PHXI_TRY(make_solids(l));
    PHXI_TRY(place_points(l));
    return make_nodes(l);
}

static void end(liquid* l) {
    phxi_distance_field_destroy(l->solids);
    phxi_pool_destroy(l->pool);
    phxi_heap_destroy(&l->heap); // and all that the stages left
}

/// Of what holds together.
static phx_result make_bulk(const phx_frame* points, const phx_liquid_def* def, phx_frame** surface) {
    if (points->points == 0) {
        return phx_frame_create(0, 0, points->time, &def->allocator, surface);
    }
    liquid l;
    phx_result result = begin(&l, points, def);
    result = result == PHX_OK ? make_level_set(&l, def->ball) : result;
    result = result == PHX_OK ? make_surface(&l, surface) : result;
    end(&l);
    return result;
}

static phx_result make_all(phxi_heap* heap, const phx_frame* points, const phx_liquid_def* def, phx_frame** surface) {
    phxi_spray spray;
    phx_liquid_def own = *def;
    own.spacing = def->spacing > 0 ? def->spacing : phxi_frame_spacing(points);
    PHXI_TRY(phxi_spray_find(heap, points, own.spacing, &spray));
    if (spray.count == 0) {
        return make_bulk(points, &own, surface);
    }
    phx_frame* bulk = NULL;
    PHXI_TRY(phx_frame_pick(points, spray.bulk, &bulk));
    own.volume *= (double)bulk->points / points->points; // drops have that of their particles
    phx_result result = make_bulk(bulk, &own, surface);
    phx_frame_destroy(bulk);
    return result == PHX_OK ? phxi_spray_add(&spray, points, surface) : result;
}

phx_result phx_liquid_surface(const phx_frame* points, const phx_liquid_def* def, phx_frame** surface) {
    PHXI_TRY(check(points, def, surface));
    phxi_heap heap;
    *surface = NULL;
    phxi_heap_init(&heap, &def->allocator);
    phx_result result = make_all(&heap, points, def, surface);
    phxi_heap_destroy(&heap);
    if (result != PHX_OK) {
        phx_frame_destroy(*surface);
        *surface = NULL;
    }
    return result;
}

// -------------------------------------------------------------------------------------------------------------- fit

phx_result phx_liquid_fit(const phx_frame* points, const phx_liquid_def* def, double volume, double* ball) {
    PHXI_TRY(check(points, def, ball));
    if (!(volume > 0) || points->points == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "liquid: a volume of %g m^3 of %d points, expected more than none", volume,
                         points->points);
    }
    liquid l;
    phx_liquid_def as_it_comes = *def;
    as_it_comes.volume = 0;
    phx_result result = begin(&l, points, &as_it_comes);
    double low = core, high = 1.2;
    for (int round = 0; result == PHX_OK && round < 8; ++round) {
        *ball = 0.5 * (low + high);
        result = make_level_set(&l, *ball);
        double error = volume_of(&l) / volume - 1;
        if (fabs(error) < fit_within) {
            break;
        }
        low = error < 0 ? *ball : low;
        high = error < 0 ? high : *ball;
    }
    end(&l);
    return result;
}
