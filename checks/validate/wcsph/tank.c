// SPDX-License-Identifier: MIT
// Water at rest and water that falls (docs/theory/fluids.md W3, W4).
#include "validate/wcsph/fluid_trial.h"

#include <stdio.h>

#define SPACING 0.02

static phx_material_def water(void) {
    phx_material_def material = phx_material_def_default();
    material.viscosity = 1e-3;
    return material;
}

typedef struct tank_def {
    double column[3]; // m: the water, from the corner at the origin
    double inside[3]; // m: the tank; 0: it repeats with the column
    const char* const* settings;
    const char* const* walls; // NULL: full layers
    double thick;             // m
} tank_def;

static phx_result add_tank(phx_world* world, const tank_def* def) {
    char shape[400];
    phx_material_def stone = phx_material_def_default();
    const double *c = def->column, *in = def->inside, w = def->thick;
    if (in[0] > 0) {
        snprintf(shape, sizeof shape,
                 "difference(box(center=(%.17g,%.17g,%.17g),size=(%.17g,%.17g,%.17g)),"
                 "box(center=(%.17g,%.17g,%.17g),size=(%.17g,%.17g,%.17g)))",
                 in[0] / 2, in[1] / 2, (in[2] - w) / 2, in[0] + 2 * w, in[1] + 2 * w, in[2] + w, in[0] / 2, in[1] / 2,
                 in[2], in[0], in[1], 2 * in[2]);
        return phxi_fluid_trial_add(world, phxi_fluid_trial_body("tank", "wall", shape, SPACING), &stone, def->walls);
    }
    snprintf(shape, sizeof shape, "box(center=(%.17g,%.17g,%.17g),size=(%.17g,%.17g,%.17g))", c[0] / 2, c[1] / 2,
             -w / 2, c[0], c[1], w);
    return phxi_fluid_trial_add(world, phxi_fluid_trial_body("floor", "wall", shape, SPACING), &stone, def->walls);
}

static phx_result create(phxi_validation* v, const tank_def* def, phx_world** world) {
    char shape[240];
    const double* c = def->column;
    phx_material_def fluid = water();
    phx_world_def world_def = phx_world_def_default();
    world_def.threads = v->threads;
    *world = NULL;
    if (!(def->inside[0] > 0)) {
        world_def.period = phxi_vec3(c[0], c[1], 0);
    }
    PHXI_TRY(phx_world_create(&world_def, world));
    snprintf(shape, sizeof shape, "box(center=(%.17g,%.17g,%.17g),size=(%.17g,%.17g,%.17g))", c[0] / 2, c[1] / 2,
             c[2] / 2, c[0], c[1], c[2]);
    PHXI_TRY(
        phxi_fluid_trial_add(*world, phxi_fluid_trial_body("water", "wcsph", shape, SPACING), &fluid, def->settings));
    return add_tank(*world, def);
}

static double kinetic_of(phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    for (int i = 0; i < world->bodies.items[0].count; ++i) {
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        sum += 0.5 * (double)p->mass[i] * phxi_dot(v, v);
    }
    return sum;
}

/// What is known of the water: by its body.
typedef struct picture {
    double top, mean;      // m
    double compression[2]; // mean of the positive part, most
    double pressure_error; // largest |p - rho g depth| / (rho g H), two spacings and more from walls
    double floor_pressure; // mean of the lowest layer over rho g (H - spacing / 2)
    int outside;
} picture;

static picture look(const phx_world* world, const tank_def* def) {
    const phxi_particles* p = &world->particles;
    const phxi_wcsph* s = phxi_fluid_trial_state(world);
    const phx_real* compression = phxi_particles_field(p, "wcsph.compression");
    int count = world->bodies.items[0].count, lowest = 0;
    double far = 2 * SPACING, weight = 1000 * 9.81, floor = 0;
    picture r = {0};
    for (int i = 0; i < count; ++i) {
        r.top = fmax(r.top, (double)p->z[i] + SPACING / 2);
        r.mean += (double)p->z[i] / count;
    }
    for (int i = 0; i < count; ++i) {
        double x = (double)p->x[i], y = (double)p->y[i], z = (double)p->z[i], c = (double)compression[i];
        double pressure = phxi_wcsph_pressure(&s->bodies.items[0], c), depth = r.top - z;
        const double* in = def->inside;
        bool walled = in[0] > 0;
        bool inner = z > far && (!walled || (x > far && x < in[0] - far && y > far && y < in[1] - far));
        r.compression[0] += fmax(0, c) / count;
        r.compression[1] = fmax(r.compression[1], c);
        r.outside += !(z > 0) || (walled && !(x > 0 && x < in[0] && y > 0 && y < in[1]));
        if (inner && depth > far) {
            r.pressure_error = fmax(r.pressure_error, fabs(pressure - weight * depth) / (weight * r.top));
        }
        lowest += z < SPACING;
        floor += z < SPACING ? pressure : 0;
    }
    r.floor_pressure = floor / lowest / (weight * (r.top - SPACING / 2));
    return r;
}

// ---------------------------------------------------------------------------------------------------------- at rest

/// Sums of mass times acceleration by internal forces of a body, N.
static phx_vec3 force_on(const phx_world* world, int body) {
    const phxi_particles* p = &world->particles;
    const phxi_body* b = &world->bodies.items[body];
    double sum[3] = {0};
    for (int axis = 0; axis < 3; ++axis) {
        const phx_real* a = p->acceleration[axis];
        for (int i = b->begin; i < b->begin + b->count; ++i) {
            sum[axis] += (double)p->mass[i] * (double)a[i];
        }
    }
    return phxi_vec3(sum[0], sum[1], sum[2]);
}

/// What the walls feel of the water over time, and what is lacking of its opposite.
typedef struct scale {
    double down, lack; // N, mean and largest
    int count;
} scale;

static void weigh(const phx_world* world, scale* s) {
    phx_vec3 on_walls = force_on(world, 1), on_water = force_on(world, 0);
    s->down = (s->down * s->count - on_walls.z) / (s->count + 1);
    s->lack = fmax(s->lack, phxi_length(phxi_add(on_walls, on_water)));
    ++s->count;
}

/// Pressures of single particles are noise where density is summed: only their mean is looked at then. Its lattice
/// falls into disorder at some time in the first second, with a burst of motion; so energy is that at the end.
static phx_result rest_for(phxi_validation* v, const tank_def* def, double duration, bool summed) {
    phx_world* world;
    phx_result result = create(v, def, &world);
    double weight = 1000 * 9.81 * def->column[0] * def->column[1] * def->column[2], start = weight * def->column[2] / 2;
    double later = 0, floor = 0;
    const int looks = summed ? 800 : 80; // summed density rings, by 17 % at one moment: many looks make a mean
    scale s = {0};
    for (int k = 0; result == PHX_OK && k < looks; ++k) {
        result = phx_world_step(world, duration / looks);
        if (result == PHX_OK && k >= looks / 2) {
            later = k >= (summed ? looks - 1 : 0) ? fmax(later, kinetic_of(world)) : later;
            weigh(world, &s);
            floor += look(world, def).floor_pressure / (looks - looks / 2);
        }
    }
    if (result == PHX_OK) {
        picture r = look(world, def);
        if (!summed) {
            phxi_validate(v, "pressure of water at rest, largest error over rho g H", r.pressure_error, 0, 0.05);
        }
        phxi_validate(v,
                      summed ? "kinetic energy at the end over the weight's"
                             : "largest kinetic energy of the second half over the weight's",
                      later / start, 0, 0.005);
        phxi_validate_relative(v, "pressure of the lowest layer over rho g depth, mean of the second half", floor, 1,
                               0.02);
        phxi_validate_relative(v, "weight on the walls over rho g V, mean of the second half", s.down / weight, 1,
                               0.01);
        phxi_validate(v, "forces on water and walls together, over the weight", s.lack / weight, 0,
                      sizeof(phx_real) == 4 ? 1e-5 : 1e-12);
        phxi_validate_relative(v, "height of the water, m", r.top, def->column[2], 0.02);
        phxi_validate(v, "particles outside", r.outside, 0, 0);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result tank(phxi_validation* v) {
    const tank_def def = {{0.12, 0.12, 0.16}, {0.12, 0.12, 0.20}, NULL, NULL, 0.06};
    return rest_for(v, &def, 1.5, false);
}

phx_result phxi_validate_wcsph_tank_full(phxi_validation* v) {
    const tank_def def = {{0.2, 0.16, 0.24}, {0.2, 0.16, 0.36}, NULL, NULL, 0.06};
    return rest_for(v, &def, 5, false);
}

static phx_result summation(phxi_validation* v) {
    static const char* const settings[] = {"density", "summation", "kernel", "cubic", "alpha", "0.08", NULL};
    static const char* const walls[] = {"masses", "akinci", "layers", "1", "kernel", "cubic", NULL};
    const tank_def def = {{0.2, 0.16, 0.24}, {0.2, 0.16, 0.28}, settings, walls, 0.02};
    return rest_for(v, &def, 1, true);
}

// -------------------------------------------------------------------------------------------------------- dam break

static phx_result dam_break_for(phxi_validation* v, double duration, double height) {
    const tank_def def = {{0.2, 0.16, 0.24}, {0.48, 0.16, height}, NULL, NULL, 0.06};
    phx_world* world;
    phx_result result = create(v, &def, &world);
    double mean = 0, most = 0, start = 1000 * 9.81 * 0.2 * 0.16 * 0.24 * 0.12;
    int looks = 10;
    for (int k = 0; result == PHX_OK && k < looks; ++k) {
        result = phx_world_step(world, duration / looks);
        picture r = result == PHX_OK ? look(world, &def) : (picture){0};
        mean += r.compression[0] / looks;
        most = fmax(most, r.compression[1]);
    }
    if (result == PHX_OK) {
        picture r = look(world, &def);
        double ideal = 0.2 * 0.24 / 0.48 / 2;
        phxi_validate(v, "dam break: mean compression", mean, 0, 0.0015);
        phxi_validate(v, "dam break: largest compression", most, 0, 0.15);
        phxi_validate(v, "dam break: particles outside", r.outside, 0, 0);
        if (duration > 1) {
            phxi_validate_relative(v, "dam break: mean height over that of a level", r.mean / ideal, 1.03, 0.09);
            phxi_validate(v, "dam break: kinetic energy over that of the start", kinetic_of(world) / start, 0, 0.01);
        }
    }
    phx_world_destroy(world);
    return result;
}

static phx_result dam_break(phxi_validation* v) {
    return dam_break_for(v, 0.4, 0.3);
}

phx_result phxi_validate_wcsph_dam_break_full(phxi_validation* v) {
    return dam_break_for(v, 2.5, 0.8);
}

const phxi_validation_case phxi_cases_wcsph_tank[] = {
    {"wcsph.tank", "water at rest on a floor that repeats", tank},
    {"wcsph.summation", "the same with density by summation, cubic kernel, one layer of Akinci walls", summation},
    {"wcsph.dam_break", "a column of water collapses", dam_break},
    {0},
};
