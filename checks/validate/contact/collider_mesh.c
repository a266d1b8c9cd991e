// SPDX-License-Identifier: MIT
// Colliders that are meshes: their distance fields against the exact distance, and bodies on them against bodies on
// shapes.
#include "validate/validate.h"

#include "core/hash.h"
#include "geometry/solid.h"
#include "world/world.h"

static const double DEGREE = 3.14159265358979323846 / 180;

/// Eight corners, outward.
static phx_result make_box(phx_vec3 low, phx_vec3 high, phx_mesh** mesh) {
    static const int triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double corners[24];
    for (int c = 0; c < 8; ++c) {
        corners[3 * c] = c & 1 ? high.x : low.x;
        corners[3 * c + 1] = c & 2 ? high.y : low.y;
        corners[3 * c + 2] = c & 4 ? high.z : low.z;
    }
    return phx_mesh_create(8, corners, 12, triangles, mesh);
}

// --------------------------------------------------------------------------------------------------------------- field

/// Largest errors over points up to two cells from the surface, and how much bounds exceed what they bound.
typedef struct field_errors {
    double value;                       // over the cell
    double smooth_value, smooth_normal; // of points whose surface is the only one around
    double radial;                      // rad, of the direction against that from the origin
    double bound;                       // m, at most 0 if bounds hold
} field_errors;

static phx_vec3 random_point(const phxi_box* box, double margin, uint64_t k) {
    double u[3];
    for (uint64_t a = 0; a < 3; ++a) {
        u[a] = phxi_hash_unit(phxi_hash_pair(7 + a, k));
    }
    phx_vec3 extent = phxi_sub(box->high, box->low);
    return phxi_vec3(box->low.x - margin + u[0] * (extent.x + 2 * margin),
                     box->low.y - margin + u[1] * (extent.y + 2 * margin),
                     box->low.z - margin + u[2] * (extent.z + 2 * margin));
}

/// Whether directions to the surface vary little within a cell: not beside an edge, nor halfway between two sides.
static bool is_smooth(const phxi_solid* solid, phx_vec3 point, phx_vec3 normal, double cell) {
    bool smooth = true;
    for (int k = 0; k < 6; ++k) {
        phx_vec3 n, p = point;
        double way = k & 1 ? 1.8 * cell : -1.8 * cell;
        p.x += k / 2 == 0 ? way : 0, p.y += k / 2 == 1 ? way : 0, p.z += k / 2 == 2 ? way : 0;
        phxi_solid_distance(solid, p, &n);
        smooth = smooth && phxi_dot(n, normal) > 0.95;
    }
    return smooth;
}

static void measure_point(const phxi_distance_field* field, const phxi_solid* solid, phx_vec3 p, field_errors* e) {
    double cell = phxi_distance_field_cell(field);
    phx_vec3 exact_normal, normal;
    double exact = phxi_solid_distance(solid, p, &exact_normal), value = phxi_distance_field_at(field, p, &normal);
    if (fabs(exact) < 2 * cell) {
        double error = fabs(value - exact) / cell, angle = acos(fmin(1, phxi_dot(normal, exact_normal)));
        phx_vec3 out = phxi_normalize(p, normal);
        e->value = fmax(e->value, error);
        e->radial = fmax(e->radial, acos(fmin(1, phxi_dot(normal, out))));
        if (is_smooth(solid, p, exact_normal, cell)) {
            e->smooth_value = fmax(e->smooth_value, error);
            e->smooth_normal = fmax(e->smooth_normal, angle);
        }
    }
}

static phx_result measure_field(phxi_validation* v, const phx_mesh* mesh, int points, field_errors* e) {
    phxi_distance_field* field = NULL;
    phxi_solid* solid = NULL;
    phx_body_def def = {.mesh = mesh, .scale = 1};
    *e = (field_errors){0};
    e->bound = -INFINITY;
    phx_result result = phxi_solid_create(v->heap, &def, &solid);
    result = result == PHX_OK ? phxi_distance_field_create(v->heap, NULL, mesh, 1.0 / 32, &field) : result;
    phxi_box box = phxi_mesh_box(mesh);
    for (int k = 0; result == PHX_OK && k < points; ++k) {
        phx_vec3 p = random_point(&box, 0.2, (uint64_t)k), q = random_point(&box, 0.5, (uint64_t)(k + points));
        measure_point(field, solid, p, e);
        double least = fabs(phxi_distance_field_bound(field, q)) - phxi_distance(p, q);
        e->bound = fmax(e->bound, least - fabs(phxi_distance_field_at(field, p, NULL)));
    }
    phxi_distance_field_destroy(field);
    phxi_solid_destroy(solid);
    return result;
}

static phx_result field(phxi_validation* v) {
    phx_mesh *ball = NULL, *box = NULL;
    field_errors e;
    PHXI_TRY(phx_mesh_from_shape("sphere(radius=0.5)", 0.025, &ball));
    phx_result result = measure_field(v, ball, 12000, &e);
    phx_mesh_destroy(ball);
    PHXI_TRY(result);
    phxi_validate(v, "ball of 32 cells: largest error of the distance, cells", e.value, 0, 0.02);
    phxi_validate(v, "ball: direction against that of a true ball, degrees", e.radial / DEGREE, 0, 1.5);
    phxi_validate(v, "ball: bounds exceed distances by, m", fmax(0, e.bound), 0, 0);
    PHXI_TRY(make_box((phx_vec3){-0.5, -0.5, -0.5}, (phx_vec3){0.5, 0.5, 0.5}, &box));
    result = measure_field(v, box, 12000, &e);
    phx_mesh_destroy(box);
    PHXI_TRY(result);
    phxi_validate(v, "box, faces: largest error of the distance, cells", e.smooth_value, 0, 0.005);
    phxi_validate(v, "box, faces: largest error of the direction, degrees", e.smooth_normal / DEGREE, 0, 0.3);
    phxi_validate(v, "box with edges: largest error of the distance, cells", e.value, 0, 0.25);
    phxi_validate(v, "box: bounds exceed distances by, m", fmax(0, e.bound), 0, 0);
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- bodies

/// A block of rubber, 2 cm apart, on the plane z = 0 as a plane, or the top of a box that was drawn turned and
/// elsewhere.
typedef struct ground {
    double friction, damping;
    bool mesh;
} ground;

static phx_result add_ground(phx_world* world, const ground* g) {
    phx_collider_def def = phx_collider_def_default();
    phx_collider_id id;
    phx_mesh *box = NULL, *turned = NULL;
    def.friction = g->friction;
    def.damping = g->damping;
    def.rotate.y = -25;
    if (!g->mesh) {
        def.shape = "rotate(axis=(0,1,0), angle=25, plane())";
        return phx_collider_create(world, &def, &id);
    }
    def.scale = 0.5; // comes out as x and y from -1 to 3, z from -0.5 to 0
    def.resolution = 0.1;
    PHXI_TRY(make_box((phx_vec3){-2, -2, -1}, (phx_vec3){6, 2, 0}, &box));
    phx_result result = phxi_mesh_transformed(box, 1, (phx_vec3){0, 25, 0}, (phx_vec3){0, 0, 0}, NULL, &turned);
    def.mesh = turned;
    result = result == PHX_OK ? phx_collider_create(world, &def, &id) : result;
    phx_mesh_destroy(turned);
    phx_mesh_destroy(box);
    return result;
}

static phx_result make_world(phxi_validation* v, phx_vec3 gravity, const char* shape, const ground* g,
                             phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = gravity;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_body_def block = phx_body_def_default();
    const phx_setting setting = {"integrator", "velocity_verlet"};
    block.shape = shape;
    block.spacing = 0.02;
    block.material = id;
    block.settings = &setting;
    block.setting_count = 1;
    phx_body_id body;
    PHXI_TRY(phx_body_create(*world, &block, &body));
    return add_ground(*world, g);
}

/// Gravity leans by an angle: mean acceleration along x over the second half second, and the height at the end.
static phx_result slide(phxi_validation* v, double angle, const ground* g, double* acceleration, double* height) {
    phx_world* world = NULL;
    phx_totals a = {0}, b = {0};
    phx_vec3 gravity = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    phx_result result = make_world(v, gravity, "box(center=(0,0,0.04), size=(0.12,0.12,0.08))", g, &world);
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    result = result == PHX_OK ? phx_world_measure(world, &a) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    result = result == PHX_OK ? phx_world_measure(world, &b) : result;
    phx_world_destroy(world);
    *acceleration = (b.momentum.x - a.momentum.x) / b.mass / 0.5;
    *height = b.mean_position.z;
    return result;
}

static phx_result slope(phxi_validation* v) {
    ground plane = {0.3, 1, false}, mesh = {0.3, 1, true};
    double measured = 0, height, other, exact = 9.81 * (sin(25 * DEGREE) - 0.3 * cos(25 * DEGREE));
    PHXI_TRY(slide(v, 25 * DEGREE, &plane, &measured, &height));
    phxi_validate_relative(v, "a turned plane of 25 deg, friction 0.3: acceleration, m/s^2", measured, exact, 0.02);
    PHXI_TRY(slide(v, 25 * DEGREE, &mesh, &measured, &height));
    phxi_validate_relative(v, "a turned and scaled mesh: acceleration, m/s^2", measured, exact, 0.02);
    PHXI_TRY(slide(v, 15 * DEGREE, &plane, &measured, &height));
    phxi_validate(v, "plane of 15 deg: it holds, m/s^2", measured, 0, 0.01);
    PHXI_TRY(slide(v, 15 * DEGREE, &mesh, &measured, &other));
    phxi_validate(v, "mesh of 15 deg: it holds, m/s^2", measured, 0, 0.01);
    phxi_validate(v, "height on the mesh less that on the plane, spacings", (other - height) / 0.02, 0, 1e-3);
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- bounce

/// A ball falls from a low height again and again, nothing damped: the largest change of energy from one look in the
/// air to the next, over the energy of the fall, and the number of bounces.
static phx_result bounce(phxi_validation* v, bool mesh, double* worst, int* bounces) {
    ground g = {0, 0, mesh};
    phx_world* world = NULL;
    phx_dt_info info;
    phx_result result = make_world(v, (phx_vec3){0, 0, -9.81}, "sphere(center=(0,0,0.09), radius=0.06)", &g, &world);
    result = result == PHX_OK ? phx_world_dt(world, &info) : result;
    double dt = 0.2 / 0.9 * info.dt, last = 0, fall = 0; // info.dt is 0.9 over the frequency of contact, or less
    bool touched = false;
    *worst = 0;
    *bounces = 0;
    for (int k = 0; result == PHX_OK && world->time < 0.7; ++k) {
        result = phx_world_substep(world, dt);
        phx_totals t;
        if (result != PHX_OK || k % 8 != 0 || (result = phx_world_measure(world, &t)) != PHX_OK) {
            continue;
        }
        double energy = t.kinetic + t.elastic + t.potential + t.contact;
        fall = fall > 0 ? fall : 9.81 * t.mass * 0.03;
        last = last > 0 ? last : energy;
        if (t.contact > 0) {
            touched = true;
        } else if (touched && t.momentum.z > 0) { // in the air again
            *worst = fmax(*worst, fabs(energy - last) / fall);
            last = energy;
            touched = false;
            ++*bounces;
        }
    }
    phx_world_destroy(world);
    return result;
}

static phx_result bouncing(phxi_validation* v) {
    double worst;
    int bounces;
    PHXI_TRY(bounce(v, false, &worst, &bounces));
    phxi_validate(v, "bounces on a plane, at least 3", fmin(bounces, 3), 3, 0);
    phxi_validate(v, "largest change of energy by one, over that of the fall", worst, 0, 0.01);
    PHXI_TRY(bounce(v, true, &worst, &bounces));
    phxi_validate(v, "bounces on a mesh, at least 3", fmin(bounces, 3), 3, 0);
    phxi_validate(v, "largest change of energy by one, over that of the fall", worst, 0, 0.01);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_collider_mesh[] = {
    {"collider.field", "distance fields of meshes against exact distances", field},
    {"collider.slope", "a block on planes and meshes slides with g (sin - mu cos), or holds", slope},
    {"collider.bounce", "an elastic ball keeps its energy bounce by bounce", bouncing},
    {NULL, NULL, NULL},
};
