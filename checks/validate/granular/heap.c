// SPDX-License-Identifier: MIT
// Plane heaps of sand, poured or come down from a wedge: see granular_trial.h. Grains repeat along y; mpm, which
// cannot, is between walls without friction.
#include "validate/granular/trial.h"

#include <stdio.h>
#include <string.h>

static const double dx = PHXI_GRAIN_SPACING, degree = 3.14159265358979323846 / 180;
static const double disorder =
    0.2; // spacings: a lattice stands where sand does not. Bodies begin as much above the floor
enum { WIDE = 6, BINS = 256 };

/// That of the triangle of the same volume and the same mean of |x|, a third of half its base: no single grain, no toe
/// of one grain's height and no line fitted through a rough profile decides.
static double slope_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double mean = 0, area = 0; // of one flank
    for (int i = 0; i < p->count; ++i) {
        mean += fabs((double)p->x[i]) / p->count;
        area += 0.5 * (double)p->volume[i] / (WIDE * dx);
    }
    return atan(2 * area / (9 * mean * mean)) / degree;
}

/// That of a line through the depth, by volume in bins of two spacings, where it is between 0.2 and 0.8 of that in the
/// middle: what a flat top or a long foot do to the triangle is not seen here, but few bins are.
static double flank_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double depth[BINS] = {0}, n = 0, x = 0, z = 0, xx = 0, xz = 0;
    for (int i = 0; i < p->count; ++i) {
        int k = (int)(fabs((double)p->x[i]) / (2 * dx));
        depth[k < BINS ? k : BINS - 1] += (double)p->volume[i] / (4 * dx * WIDE * dx); // of both flanks
    }
    for (int k = 0; k < BINS; ++k) {
        double at = (2 * k + 1) * dx, d = depth[k];
        if (d >= 0.2 * depth[0] && d <= 0.8 * depth[0]) {
            n += 1, x += at, z += d, xx += at * at, xz += at * d;
        }
    }
    return n > 1 ? atan((x * z - n * xz) / (n * xx - x * x)) / degree : 90;
}

/// That of a line through the surface, where it is between 0.2 and 0.8 of what it is in the middle: the highest grain
/// in each column two spacings long and one wide, mean over both flanks and the width. No sand that is packed too
/// loosely or too densely inside is seen.
static double surface_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double top[2][BINS][WIDE] = {{{0}}}, first = 0, n = 0, x = 0, z = 0, xx = 0, xz = 0;
    for (int i = 0; i < p->count; ++i) {
        const double y = (double)p->y[i] / dx + 0.5 * WIDE;
        const int k = (int)(fabs((double)p->x[i]) / (2 * dx)), row = (int)(y - WIDE * floor(y / WIDE)) % WIDE;
        double* own = &top[p->x[i] > 0][k < BINS ? k : BINS - 1][row];
        *own = fmax(*own, (double)p->z[i] + 0.5 * dx);
    }
    for (int k = 0; k < BINS; ++k) {
        double at = (2 * k + 1) * dx, d = 0;
        for (int row = 0; row < 2 * WIDE; ++row) {
            d += top[row % 2][k][row / 2] / (2 * WIDE);
        }
        first = k == 0 ? d : first;
        if (d >= 0.2 * first && d <= 0.8 * first) {
            n += 1, x += at, z += d, xx += at * at, xz += at * d;
        }
    }
    return n > 1 ? atan((x * z - n * xz) / (n * xx - x * x)) / degree : 90;
}

static double top_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double top = 0;
    for (int i = 0; i < p->count; ++i) {
        top = fabs((double)p->x[i]) < 6 * dx ? fmax(top, (double)p->z[i]) : top;
    }
    return top;
}

static phxi_heap_shape shape_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double kinetic = 0, weight = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        kinetic += 0.5 * (double)p->mass[i] * phxi_dot(v, v);
        weight += 9.81 * (double)p->mass[i];
    }
    return (phxi_heap_shape){.slope = slope_of(world),
                             .surface = surface_of(world),
                             .flank = flank_of(world),
                             .kinetic = kinetic / (weight * top_of(world))};
}

static phx_result add_floor(phx_world* world, bool walls) {
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    char shape[96];
    floor.friction = 2;
    floor.damping = 0.5;
    PHXI_TRY(phx_collider_create(world, &floor, &collider));
    floor.friction = 0;
    for (int side = -1; walls && side <= 1; side += 2) {
        snprintf(shape, sizeof shape, "plane(point=(0,%.17g,0),normal=(0,%d,0))", 0.5 * side * WIDE * dx, -side);
        floor.name = side < 0 ? "left" : "right";
        floor.shape = shape;
        PHXI_TRY(phx_collider_create(world, &floor, &collider));
    }
    return PHX_OK;
}

static phx_result make_world(phxi_validation* v, bool walls, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = v->threads;
    def.period.y = walls ? 0 : WIDE * dx;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    return add_floor(*world, walls);
}

// ---------------------------------------------------------------------------------------------------------------
// poured

/// One more batch of grains, so many rows of six, half a spacing above what is there: much larger ones come down as a
/// slide, and leave a flat top between steep flanks.
static phx_result pour_batch(phx_world* world, phx_material_id material, int number, int rows) {
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    char name[32], shape[160];
    snprintf(name, sizeof name, "batch %d", number);
    double low = number == 0 ? disorder * dx : top_of(world) + dx;
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", low + 0.5 * dx, rows * dx,
             WIDE * dx, dx);
    body.name = name;
    body.method = "granular";
    body.shape = shape;
    body.spacing = dx;
    body.jitter = disorder;
    body.material = material;
    return phx_body_create(world, &body, &id);
}

phx_result phxi_pour_run(phxi_validation* v, double friction_angle, phxi_heap_shape* out) {
    enum { BATCHES = 100 };
    phx_material_def material = phxi_sand(2e5, friction_angle, 0, PHX_CONE_REPOSE);
    phx_material_id id;
    phx_world* world;
    phx_result result = make_world(v, false, &world);
    result = result == PHX_OK ? phx_material_create(world, &material, &id) : result;
    for (int k = 0; result == PHX_OK && k < BATCHES; ++k) {
        result = pour_batch(world, id, k, 3);
        result = result == PHX_OK ? phx_world_step(world, 0.05) : result;
    }
    result = result == PHX_OK ? phx_world_step(world, 1) : result;
    if (result == PHX_OK) {
        *out = shape_of(world);
    }
    phx_world_destroy(world);
    return result;
}

/// Energy over all that was poured, the most of it so far; how far the farthest grain lies.
static void look_at_rows(const phx_world* world, phxi_rows* out) {
    const phxi_particles* p = &world->particles;
    double now = 0, put = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        now += (double)p->mass[i] * ((double)p->z[i] + phxi_dot(v, v) / (2 * 9.81));
        put += (double)p->mass[i] * (double)p->rest_z[i];
        out->farthest = fmax(out->farthest, fabs((double)p->x[i]) / dx);
    }
    out->energy = fmax(out->energy, now / put);
}

phx_result phxi_rows_run(phxi_validation* v, phxi_rows* out) {
    enum { ROWS = 130 };
    phx_material_def material = phxi_sand(2e5, 30, 0, PHX_CONE_REPOSE);
    phx_material_id id;
    phx_world* world;
    *out = (phxi_rows){0};
    phx_result result = make_world(v, false, &world);
    result = result == PHX_OK ? phx_material_create(world, &material, &id) : result;
    for (int k = 0; result == PHX_OK && k < ROWS; ++k) {
        result = pour_batch(world, id, k, 1);
        result = result == PHX_OK ? phx_world_step(world, 0.017) : result;
        look_at_rows(world, out);
    }
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    look_at_rows(world, out);
    phx_world_destroy(world);
    return result;
}

// ----------------------------------------------------------------------------------------------------------------
// wedge

phx_result phxi_wedge_run(phxi_validation* v, const phxi_wedge_def* def, phxi_heap_shape* out) {
    const double low = disorder * dx, height = 30 * dx, top = low + height, x = sin(70 * degree), z = cos(70 * degree);
    bool points = def->method && strcmp(def->method, "mpm") == 0;
    phx_material_def material = phxi_sand(2e5, def->friction_angle, 0, def->cone);
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    phx_world* world;
    char shape[400];
    snprintf(
        shape, sizeof shape,
        "intersection(box(center=(0,0,%.17g),size=(1,%.17g,%.17g)), plane(point=(0,0,%.17g),normal=(%.17g,0,%.17g)),"
        " plane(point=(0,0,%.17g),normal=(%.17g,0,%.17g)))",
        low + 0.5 * height, WIDE * dx, height, top, x, z, top, -x, z);
    body.method = points ? "mpm" : "granular";
    body.shape = shape;
    body.spacing = points ? 0.5 * dx : dx; // cells as wide as grains are apart
    body.jitter = def->lattice ? 0 : disorder;
    phx_result result = make_world(v, points, &world);
    result = result == PHX_OK ? phx_material_create(world, &material, &body.material) : result;
    result = result == PHX_OK ? phx_body_create(world, &body, &id) : result;
    result = result == PHX_OK ? phx_world_step(world, 1) : result;
    if (result == PHX_OK) {
        *out = shape_of(world);
    }
    phx_world_destroy(world);
    return result;
}
