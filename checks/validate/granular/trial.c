// SPDX-License-Identifier: MIT
// See granular_trial.h.
#include "validate/granular/trial.h"

#include "neighbors/kernel.h"

#include <stdio.h>
#include <stdlib.h>

static const double dx = PHXI_GRAIN_SPACING, gravity = 9.81, degree = 3.14159265358979323846 / 180;

phx_material_def phxi_sand(double young, double friction_angle, double cohesion, int cone) {
    phx_material_def material = phx_material_def_default();
    material.density = 1500;
    material.young = young;
    material.friction_angle = friction_angle;
    material.cohesion = cohesion;
    material.cone = cone;
    return material;
}

// ------------------------------------------------------------------------------------------------------------- common

static double spacing_of(double given) {
    return given > 0 ? given : dx;
}

phx_result phxi_grain_world(phxi_validation* v, const phxi_grain_setup* s, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_body_def body = phx_body_def_default();
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_body_id id;
    def.threads = v->threads;
    def.gravity = s->gravity;
    def.period = s->period;
    def.dt = s->dt;
    def.safety = s->dt_share > 0 ? s->dt_share : def.safety;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_material_create(*world, s->material, &body.material));
    body.name = "grains";
    body.method = s->method ? s->method : "granular";
    body.shape = s->shape;
    body.spacing = spacing_of(s->spacing);
    body.sampling = PHX_SAMPLING_UNIFORM; // grains, whatever the method
    body.settings = s->settings;
    body.setting_count = s->setting_count;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    floor.friction = s->friction;
    floor.stiffness = s->floor;
    floor.damping = 0.5;
    return phx_collider_create(*world, &floor, &collider);
}

static double mass_of(const phx_world* world) {
    double sum = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        sum += (double)world->particles.mass[i];
    }
    return sum;
}

static double kinetic_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 velocity = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        sum += 0.5 * (double)p->mass[i] * phxi_dot(velocity, velocity);
    }
    return sum;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// ------------------------------------------------------------------------------------------------------------- column

/// Radius at which a deposit falls below half a ring in depth; rings by volume, so no single grain decides.
static double edge_of(const phx_world* world, double ring) {
    enum { RINGS = 512 };
    const phxi_particles* p = &world->particles;
    double depth[RINGS] = {0}; // over the ring's width
    int last = -1;
    for (int i = 0; i < p->count; ++i) {
        int k = (int)(hypot((double)p->x[i], (double)p->y[i]) / ring);
        if (k < RINGS) {
            depth[k] += (double)p->volume[i] / (3.14159265358979323846 * (2 * k + 1) * ring * ring * ring);
        }
    }
    for (int k = 0; k < RINGS; ++k) {
        last = depth[k] >= 0.5 ? k : last;
    }
    bool inside = last >= 0 && last + 1 < RINGS;
    return inside ? (last + 0.5 + (depth[last] - 0.5) / (depth[last] - depth[last + 1])) * ring : 0;
}

static phx_result look_at_column(phxi_validation* v, const phx_world* world, const phxi_column_def* def,
                                 phxi_column* out) {
    const phxi_particles* p = &world->particles;
    double* radius = phxi_alloc(v->heap, (size_t)p->count, sizeof *radius, "column");
    if (!radius) {
        return PHX_ERROR_MEMORY;
    }
    double h = spacing_of(def->spacing), top = 0, start = def->radius * h;
    for (int i = 0; i < p->count; ++i) {
        radius[i] = hypot((double)p->x[i], (double)p->y[i]);
        top = radius[i] < 2 * h ? fmax(top, (double)p->z[i]) : top;
    }
    qsort(radius, (size_t)p->count, sizeof *radius, ascending);
    *out = (phxi_column){.runout = radius[(int)(0.98 * p->count)] / start - 1,
                         .most = radius[(int)(0.95 * p->count)] / start - 1,
                         .front = radius[(int)(0.997 * p->count)] / start - 1,
                         .edge = edge_of(world, def->ring > 0 ? def->ring : h) / start - 1,
                         .height = (top + 0.5 * h) / start,
                         .kinetic = kinetic_of(world) / (mass_of(world) * gravity * def->height * h)};
    phxi_free(v->heap, radius);
    return PHX_OK;
}

phx_result phxi_column_run(phxi_validation* v, const phxi_column_def* def, phxi_column* out) {
    const double h = spacing_of(def->spacing);
    char shape[160];
    snprintf(shape, sizeof shape, "cylinder(from=(0,0,0),to=(0,0,%.17g),radius=%.17g)", def->height * h,
             def->radius * h);
    phxi_grain_setup s = {.material = &def->material,
                          .method = def->method,
                          .settings = def->settings,
                          .setting_count = def->setting_count,
                          .shape = shape,
                          .friction = def->friction,
                          .floor = def->floor,
                          .dt_share = def->dt_share,
                          .dt = def->dt,
                          .spacing = def->spacing,
                          .gravity = phxi_vec3(0, 0, -gravity)};
    phx_world* world;
    phx_result result = phxi_grain_world(v, &s, &world);
    result = result == PHX_OK ? phx_world_step(world, def->duration) : result;
    result = result == PHX_OK ? look_at_column(v, world, def, out) : result;
    phx_world_destroy(world);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------- bed

enum { BED_LONG = 8, BED_WIDE = 6 };

/// Gravity leans: a force that all grains share does what is to be added.
static phx_result lean(phx_world* world, double mass, double angle, phx_driver_id* driver) {
    phx_driver_def def = phx_driver_def_default();
    if (driver->generation != 0) {
        PHXI_TRY(phx_driver_destroy(world, *driver));
    }
    def.kind = PHX_DRIVER_FORCE;
    def.vector = phxi_vec3(mass * gravity * sin(angle), 0, mass * gravity * (1 - cos(angle)));
    return phx_driver_create(world, &def, driver);
}

/// Mean place and speed of the highest layer, along the slope.
static void look_at_surface(const phx_world* world, double depth, double* place, double* speed) {
    const phxi_particles* p = &world->particles;
    int count = 0;
    *place = *speed = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_z[i] > (depth - 1) * dx) {
            *place += (double)p->x[i] / dx;
            *speed += (double)p->vx[i] / dx;
            ++count;
        }
    }
    *place /= count;
    *speed /= count;
}

static phx_result tilt(phx_world* world, const phxi_bed_def* def, phxi_bed* out) {
    const double step = 0.005, end = def->angle / def->rate + def->hold, last = 0.25; // s; a bed rings with 16 Hz
    phx_driver_id driver = {0, 0};
    double start, place, before = NAN, mass = mass_of(world);
    PHXI_TRY(phx_world_step(world, 0.2)); // settles
    look_at_surface(world, def->depth, &start, &out->speed);
    for (double time = 0; time < end && out->slip < 5; time += step) {
        double angle = fmin(def->rate * (time + 0.5 * step), def->angle);
        PHXI_TRY(lean(world, mass, angle * degree, &driver));
        PHXI_TRY(phx_world_step(world, step));
        look_at_surface(world, def->depth, &place, &out->speed);
        before = time <= end - last ? place : before;
        out->creep = (place - before) / last;
        out->slip = place - start;
        out->onset = out->onset == 0 && out->slip >= 1 ? angle : out->onset;
    }
    return PHX_OK;
}

phx_result phxi_bed_run(phxi_validation* v, const phxi_bed_def* def, phxi_bed* out) {
    char shape[160];
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", 0.5 * def->depth * dx,
             BED_LONG * dx, BED_WIDE * dx, def->depth * dx);
    phxi_grain_setup s = {.material = &def->material,
                          .shape = shape,
                          .settings = def->settings,
                          .setting_count = def->setting_count,
                          .friction = 2,
                          .gravity = phxi_vec3(0, 0, -gravity),
                          .period = phxi_vec3(BED_LONG * dx, BED_WIDE * dx, 0)};
    phx_world* world;
    *out = (phxi_bed){0};
    phx_result result = phxi_grain_world(v, &s, &world);
    result = result == PHX_OK ? tilt(world, def, out) : result;
    phx_world_destroy(world);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------- cut

static phx_result hold_cut(phxi_validation* v, phx_world* world, const phxi_cut_def* def, double weight, double* way) {
    const phxi_particles* p = &world->particles;
    phx_driver_def pull = phx_driver_def_default();
    phx_collider_def side = phx_collider_def_default();
    phx_driver_id driver;
    phx_collider_id collider;
    side.name = "side";
    side.shape = "plane(point=(0,0,0),normal=(1,0,0))";
    side.friction = 0;
    side.damping = 0.5;
    PHXI_TRY(phx_collider_create(world, &side, &collider));
    pull.kind = PHX_DRIVER_FORCE;
    pull.vector = phxi_vec3(0, 0, -weight);
    pull.ramp = def->ramp;
    PHXI_TRY(phx_driver_create(world, &pull, &driver));
    PHXI_TRY(phx_world_step(world, def->ramp));
    phx_vec3* start = phxi_alloc(v->heap, (size_t)p->count, sizeof *start, "cut");
    if (!start) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < p->count; ++i) {
        start[i] = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    }
    phx_result result = phx_world_step(world, def->hold);
    *way = 0;
    for (int i = 0; result == PHX_OK && i < p->count; ++i) {
        *way = fmax(*way, phxi_distance(start[i], phxi_vec3(p->x[i], p->y[i], p->z[i])) / dx);
    }
    phxi_free(v->heap, start);
    return result;
}

phx_result phxi_cut_run(phxi_validation* v, const phxi_cut_def* def, double* way, double* kinetic) {
    const double cohesion = 200;
    phx_material_def material = phxi_sand(2e5, def->friction_angle, cohesion, def->cone);
    double pull = def->number * cohesion / (material.density * def->height * dx); // m/s^2
    char shape[160], speed[32];
    material.damping = 5;
    snprintf(shape, sizeof shape, "box(center=(%.17g,0,%.17g),size=(%.17g,%.17g,%.17g))", 0.5 * def->length * dx,
             0.5 * def->height * dx, def->length * dx, BED_WIDE * dx, def->height * dx);
    snprintf(speed, sizeof speed, "%.17g", 4 * sqrt(pull * dx)); // what it chooses where gravity is that of the world
    phx_setting settings[] = {{"speed", speed}};
    phxi_grain_setup s = {.material = &material,
                          .shape = shape,
                          .settings = settings,
                          .setting_count = 1,
                          .friction = 2,
                          .period = phxi_vec3(0, BED_WIDE * dx, 0)};
    phx_world* world;
    phx_result result = phxi_grain_world(v, &s, &world);
    if (result == PHX_OK) {
        double weight = mass_of(world) * pull;
        result = hold_cut(v, world, def, weight, way);
        *kinetic = kinetic_of(world) / (weight * def->height * dx);
    }
    phx_world_destroy(world);
    return result;
}

// --------------------------------------------------------------------------------------------------------------- ball

static void look_at_ball(const phx_world* world, double h, phxi_ball* out) {
    const phxi_particles* p = &world->particles;
    phxi_ball now = {.kinetic = kinetic_of(world), .density = out->density};
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        double nearest = INFINITY, density = 0;
        for (int j = 0; j < p->count; ++j) {
            double way = phxi_distance(x, phxi_vec3(p->x[j], p->y[j], p->z[j]));
            nearest = j != i ? fmin(nearest, way) : nearest;
            density += (double)p->volume[j] * phxi_kernel_value(PHXI_KERNEL_CUBIC, way, 2 * h);
        }
        now.distance += nearest / (h * p->count);
        now.density = fmax(now.density, density);
        now.mean += density / p->count;
        now.height = fmax(now.height, x.z / h + 0.5);
        now.radius = fmax(now.radius, hypot(x.x, x.y) / h);
    }
    *out = now;
}

phx_result phxi_ball_run(phxi_validation* v, const phxi_ball_def* def, phxi_ball* out) {
    enum { LOOKS = 6, RADIUS = 5 };
    const double bulk = 2e5, shear = 5e3, h = spacing_of(def->spacing);
    phx_material_def material = phx_material_def_default();
    material.poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
    material.young = 2 * shear * (1 + material.poisson);
    material.cohesion = def->cohesion;
    material.creep = def->viscous_time > 0 ? 1 / def->viscous_time : 0;
    material.relaxation = def->relaxation;
    material.tension = fmax(600, 2 * def->cohesion); // the table's are 600 to 2000 Pa
    char shape[160];
    snprintf(shape, sizeof shape, "sphere(center=(0,0,%.17g),radius=%.17g)", (RADIUS + def->drop) * h, RADIUS * h);
    phx_setting settings[8] = {{"squeeze", "0.5"}, {"spring", def->spring ? "1.02" : "0"}};
    for (int k = 0; k < def->setting_count; ++k) {
        settings[2 + k] = def->settings[k];
    }
    phxi_grain_setup s = {.material = &material,
                          .shape = shape,
                          .settings = settings,
                          .setting_count = 2 + def->setting_count,
                          .friction = 0.7,
                          .dt_share = def->dt_share,
                          .dt = def->dt,
                          .spacing = def->spacing,
                          .gravity = phxi_vec3(0, 0, -gravity)};
    phx_world* world;
    *out = (phxi_ball){0};
    phx_result result = phxi_grain_world(v, &s, &world);
    for (int k = 0; result == PHX_OK && k < LOOKS; ++k) {
        result = phx_world_step(world, def->duration / LOOKS);
        look_at_ball(world, h, out);
    }
    phx_world_destroy(world);
    return result;
}
