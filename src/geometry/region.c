// SPDX-License-Identifier: MIT
// Shapes answer by their distance: a cube whose centre is farther from the surface than its corners is all inside or
// all outside, any other is halved, and at the bottom the surface is a plane whose cut of a cube is known in closed
// form (Scardovelli and Zaleski, J. Comput. Phys. 164, 2000). That is second order in the smallest cube, and exact for
// flat sides along the grid. Meshes answer by marks along columns.
#include "geometry/region.h"

#include <string.h>

enum { SUB = 4 }; // points a cell and axis, mesh

#define MAX_CELLS 50e6
#define MAX_CUBES 1e6

// ------------------------------------------------------------------------------------------------------------ creation

static bool is_placed(const phx_body_def* def) {
    const double moves[6] = {def->rotate.x,    def->rotate.y,    def->rotate.z,
                             def->translate.x, def->translate.y, def->translate.z};
    bool moved = def->scale != 1;
    for (int i = 0; i < 6; ++i) {
        moved = moved || moves[i] != 0;
    }
    return moved;
}

static phx_result create_shape(phxi_region* region, const phx_body_def* def) {
    phx_result result = phxi_shape_parse(region->heap, def->shape, &region->shape);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "shape");
    }
    PHXI_TRY(phxi_shape_place(region->heap, region->shape, def->scale, def->rotate, def->translate));
    region->closed = true;
    if (!phxi_shape_bounds(region->shape, &region->box)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the shape has no end, expected one that fits in a box");
    }
    return PHX_OK;
}

static phx_result create_mesh(phxi_region* region, const phx_body_def* def) {
    region->mesh = def->mesh;
    if (is_placed(def)) {
        PHXI_TRY(phxi_mesh_transformed(def->mesh, def->scale, def->rotate, def->translate, &region->heap->allocator,
                                       &region->placed));
        region->mesh = region->placed;
    }
    region->box = phxi_mesh_box(region->mesh);
    PHXI_TRY(phxi_inside_create(region->heap, region->mesh, &region->inside));
    region->closed = !phxi_inside_uses_winding_number(region->inside);
    region->volume = region->closed ? fabs(phx_mesh_volume(region->mesh)) : 0;
    return PHX_OK;
}

phx_result phxi_region_create(phxi_heap* heap, const phx_body_def* def, phxi_region* region) {
    *region = (phxi_region){.heap = heap};
    if (!def->mesh == !def->shape) {
        return phxi_fail(PHX_ERROR_ARGUMENT, def->mesh ? "both a mesh and a shape are given, expected one of them"
                                                       : "neither a mesh nor a shape is given, expected one of them");
    }
    phx_result result = def->shape ? create_shape(region, def) : create_mesh(region, def);
    if (result != PHX_OK) {
        phxi_region_destroy(region);
    }
    return result;
}

void phxi_region_peel(phxi_region* region, phxi_mat3* turn, phx_vec3* shift) {
    *turn = phxi_identity();
    *shift = phxi_vec3(0, 0, 0);
    if (region->shape) {
        phxi_shape_peel(region->shape, turn, shift);
        phxi_shape_bounds(region->shape, &region->box);
    }
}

void phxi_region_destroy(phxi_region* region) {
    if (region->heap) {
        phxi_free(region->heap, region->marks);
        phxi_inside_destroy(region->heap, region->inside);
        phx_mesh_destroy(region->placed);
        phxi_shape_destroy(region->heap, region->shape);
    }
    *region = (phxi_region){0};
}

static phx_result check_cells(double nx, double ny, double nz, double edge) {
    if (nx * ny * nz <= MAX_CELLS) {
        return PHX_OK;
    }
    return phxi_fail(PHX_ERROR_ARGUMENT,
                     "%.4g x %.4g x %.4g cells of %g m, expected at most 50 million: spacing is too small", nx, ny, nz,
                     edge);
}

phx_result phxi_region_grid(const phxi_region* region, double edge, phxi_grid* grid) {
    phx_vec3 low = region->box.low, size = phxi_sub(region->box.high, low);
    // A millionth of a cell is rounding, not another cell.
    double nx = fmax(1, ceil(size.x / edge - 1e-6)), ny = fmax(1, ceil(size.y / edge - 1e-6)),
           nz = fmax(1, ceil(size.z / edge - 1e-6));
    PHXI_TRY(check_cells(nx, ny, nz, edge));
    phx_vec3 over = {0.5 * (nx * edge - size.x), 0.5 * (ny * edge - size.y), 0.5 * (nz * edge - size.z)};
    *grid = (phxi_grid){phxi_sub(low, over), edge, (int)nx, (int)ny, (int)nz};
    return PHX_OK;
}

phx_result phxi_grid_refine(phxi_grid* grid, int levels) {
    double times = ldexp(1, levels), edge = grid->edge / times;
    PHXI_TRY(check_cells(grid->nx * times, grid->ny * times, grid->nz * times, edge));
    *grid = (phxi_grid){grid->origin, edge, grid->nx << levels, grid->ny << levels, grid->nz << levels};
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- shapes

/// Share of a unit cube below a plane at signed distance d from its centre (d < 0: the centre is below).
static double plane_fraction(double d, phx_vec3 normal) {
    double m1 = fabs(normal.x), m2 = fabs(normal.y), m3 = fabs(normal.z), swap;
    if (m1 > m2) {
        swap = m1, m1 = m2, m2 = swap;
    }
    if (m2 > m3) {
        swap = m2, m2 = m3, m3 = swap;
    }
    if (m1 > m2) {
        swap = m1, m1 = m2, m2 = swap;
    }
    double sum = m1 + m2 + m3, height = 0.5 - fabs(d) / sum; // of the smaller part, from its corner
    if (height <= 0) {
        return d < 0;
    }
    m1 /= sum, m2 /= sum, m3 /= sum;
    double h = height, m12 = m1 + m2, part;
    if (h < m1) {
        part = h * h * h / (6 * m1 * m2 * m3);
    } else if (h < m2) {
        part = h * (h - m1) / (2 * m2 * m3) + m1 * m1 / (6 * m2 * m3);
    } else if (h < fmin(m12, m3)) {
        part = (h * h * (3 * m12 - h) + m1 * m1 * (m1 - 3 * h) + m2 * m2 * (m2 - 3 * h)) / (6 * m1 * m2 * m3);
    } else if (m3 < m12) {
        part = (h * h * (3 - 2 * h) + m1 * m1 * (m1 - 3 * h) + m2 * m2 * (m2 - 3 * h) + m3 * m3 * (m3 - 3 * h)) /
               (6 * m1 * m2 * m3);
    } else {
        part = (2 * h - m12) / (2 * m3);
    }
    part = fmin(fmax(part, 0), 0.5);
    return d < 0 ? 1 - part : part;
}

/// Corner i of a cube.
static phx_vec3 cube_corner(phx_vec3 center, double half, int i) {
    return phxi_vec3(center.x + (i & 1 ? half : -half), center.y + (i & 2 ? half : -half),
                     center.z + (i & 4 ? half : -half));
}

/// Whether the surface in a cube is the plane that its centre sees: all corners are as far from it as from the shape.
static bool is_plane(const phxi_shape* shape, phx_vec3 center, double half, double d, phx_vec3 normal) {
    for (int i = 0; i < 8; ++i) {
        phx_vec3 corner = cube_corner(center, half, i);
        double expected = d + phxi_dot(normal, phxi_sub(corner, center));
        if (fabs(phxi_shape_distance(shape, corner) - expected) > 1e-9 * half) {
            return false;
        }
    }
    return true;
}

static double cube_fraction(const phxi_shape* shape, phx_vec3 center, double half, int depth) {
    double d = phxi_shape_distance(shape, center);
    if (fabs(d) >= sqrt(3.0) * half) {
        return d < 0; // before the normal is asked for, which costs more than the distance
    }
    phx_vec3 normal = phxi_shape_normal(shape, center);
    if (depth == 0 || is_plane(shape, center, half, d, normal)) {
        return plane_fraction(0.5 * d / half, normal);
    }
    double sum = 0, h = 0.5 * half;
    for (int i = 0; i < 8; ++i) {
        sum += cube_fraction(shape, cube_corner(center, h, i), h, depth - 1);
    }
    return sum / 8;
}

/// How often a cell is halved to be as small as the header promises. A sheet much thinner than a cell makes every
/// cell one at the surface, with four times the cubes at each halving: those are stopped before they take minutes.
static int cell_depth(const phxi_region* region, const phxi_grid* grid) {
    double edge = grid->edge, cubes = 16.0 * grid->nx * grid->ny * grid->nz; // after two halvings
    phx_vec3 size = phxi_sub(region->box.high, region->box.low);
    double longest = fmax(size.x, fmax(size.y, size.z)), thinnest = fmin(size.x, fmin(size.y, size.z));
    double smallest = fmin(edge / 4, fmin(longest / 128, thinnest / 4));
    int depth = 0;
    for (; depth < 8 && edge > smallest * (1 + 1e-9) && (depth < 2 || cubes < MAX_CUBES); edge *= 0.5) {
        cubes *= depth < 2 ? 1 : 4;
        ++depth;
    }
    return depth;
}

static void shape_fractions(const phxi_region* region, const phxi_grid* grid, int j, int k, float* fractions) {
    double edge = grid->edge, half = 0.5 * edge;
    int depth = cell_depth(region, grid);
    phx_vec3 center = {0, grid->origin.y + (j + 0.5) * edge, grid->origin.z + (k + 0.5) * edge};
    for (int i = 0; i < grid->nx; ++i) {
        center.x = grid->origin.x + (i + 0.5) * edge;
        double d = phxi_shape_distance(region->shape, center), clear = fabs(d) - sqrt(3.0) * half;
        if (clear < 0) {
            double f = cube_fraction(region->shape, center, half, depth);
            fractions[i] = f < 1e-6 ? 0.0f : f > 1 - 1e-6 ? 1.0f : (float)f;
            continue;
        }
        // The distance also clears the cells that follow within it.
        int last = (int)fmin(i + clear / edge, grid->nx - 1);
        for (int same = i; same <= last; ++same) {
            fractions[same] = d < 0 ? 1.0f : 0.0f;
        }
        i = last;
    }
}

// ------------------------------------------------------------------------------------------------------------- meshes

static phx_result mesh_fractions(phxi_region* region, const phxi_grid* grid, int j, int k, float* fractions) {
    if (region->mark_count < SUB * grid->nx) {
        phxi_free(region->heap, region->marks);
        region->mark_count = 0;
        PHXI_NEW(region->marks, region->heap, SUB * grid->nx, "column marks");
        region->mark_count = SUB * grid->nx;
    }
    memset(fractions, 0, (size_t)grid->nx * sizeof *fractions);
    double step = grid->edge / SUB, x0 = grid->origin.x + 0.5 * step;
    for (int column = 0; column < SUB * SUB; ++column) {
        const int row = j * SUB + column % SUB, layer = k * SUB + column / SUB;
        double y = grid->origin.y + (row + 0.5) * step, z = grid->origin.z + (layer + 0.5) * step;
        PHXI_TRY(phxi_inside_column(region->inside, x0, step, SUB * grid->nx, y, z, region->marks));
        for (int i = 0; i < SUB * grid->nx; ++i) {
            fractions[i / SUB] += (float)region->marks[i] * (1.0f / (SUB * SUB * SUB));
        }
    }
    return PHX_OK;
}

phx_result phxi_region_fractions(phxi_region* region, const phxi_grid* grid, int j, int k, float* fractions) {
    if (region->shape) {
        shape_fractions(region, grid, j, k, fractions);
        return PHX_OK;
    }
    return mesh_fractions(region, grid, j, k, fractions);
}

phx_result phxi_region_marks(phxi_region* region, double x0, double dx, int count, double y, double z, uint8_t* marks) {
    if (!region->shape) {
        return phxi_inside_column(region->inside, x0, dx, count, y, z, marks);
    }
    for (int i = 0; i < count; ++i) {
        double d = phxi_shape_distance(region->shape, phxi_vec3(x0 + i * dx, y, z));
        for (int last = (int)fmin(i + fabs(d) / dx * (1 - 1e-12), count - 1); i <= last; ++i) {
            marks[i] = d < 0;
        }
        --i;
    }
    return PHX_OK;
}
