// SPDX-License-Identifier: MIT
// Bars of corotated SPH pulled and twisted until their kernels lose them: specs/corotated_sph_anisotropic.md section 6.
// What breaks is no material but the neighbourhood: on current positions a pair leaves the kernel, and kernels that
// grow with the strain keep it.
//
// 6 x 6 x 22 particles, two layers at each end gripped, E = 1e6 Pa, rho = 1000 kg/m^3, nu = 0.33, damping 50 /s. All
// moves along from the start, so that there is no shock. "Broken": pairs that are seen no longer connect the grips.
#include "validate/validate.h"

#include "methods/corotated_sph/corotated_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SPACING 0.0048
#define LENGTH  (19 * SPACING) // between the inner rows of the grips
#define TWIST   30.0           // rad/s, of each grip
#define PI      3.14159265358979323846

enum { LAYERS = 22, LOOK_EVERY = 20 };

typedef struct bar_def {
    const char *name, *mode, *kernel, *hourglass;
    double turned; // degrees about y: the bar and its rest axes
    bool twist;
    double pull; // m/s, of each grip
    double dt;   // s
    double most; // strain, or degrees, to give up at
} bar_def;

typedef struct bar {
    phxi_validation* v;
    phx_world* world;
    phxi_mat3 turn;
    int* group; // of a particle: -1 not reached, or reached from the lower grip
    int* queue;
} bar;

static phxi_csph_slot* slot_of(const bar* b) {
    phxi_csph* csph = b->world->solvers.items[b->world->bodies.items[0].solver].state;
    return &csph->slots.items[0];
}

/// Height along the bar of a particle at rest, in spacings from its middle.
static double height(const bar* b, int i) {
    const phxi_particles* p = &b->world->particles;
    phxi_mat3 back = phxi_mat3_transpose(&b->turn);
    return phxi_mat3_apply(&back, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i])).z / SPACING;
}

static bool gripped(const bar* b, int i) {
    return fabs(height(b, i)) > LAYERS / 2 - 2;
}

/// Turns the rest shape itself, which lies along the axes, and makes the neighbourhoods anew.
static phx_result turn_rest(bar* b) {
    phxi_particles* p = &b->world->particles;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 r = phxi_mat3_apply(&b->turn, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
        p->rest_x[i] = p->x[i] = (phx_real)r.x;
        p->rest_y[i] = p->y[i] = (phx_real)r.y;
        p->rest_z[i] = p->z[i] = (phx_real)r.z;
    }
    phxi_step step = phxi_world_context(b->world, b->world->bodies.items[0].solver);
    phxi_csph_slot* slot = slot_of(b);
    double rest_dt = slot->rest_dt;
    phxi_csph_slot made;
    PHXI_TRY(phxi_csph_build(&step, 0, &made));
    phxi_csph_release(step.heap, slot);
    *slot = made;
    slot->rest_dt = rest_dt;
    return PHX_OK;
}

static phx_result make_bar(const bar_def* def, bar* b) {
    phx_world_def world = phx_world_def_default();
    world.gravity = (phx_vec3){0, 0, 0};
    world.threads = b->v->threads;
    PHXI_TRY(phx_world_create(&world, &b->world));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.density = 1000, material.poisson = 0.33, material.damping = 50;
    phx_material_id stuff;
    PHXI_TRY(phx_material_create(b->world, &material, &stuff));
    phx_setting settings[] = {
        {"mode", def->mode}, {"kernel", def->kernel}, {"hourglass", def->hourglass}, {"rotation", "shape"}};
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", 6 * SPACING, 6 * SPACING, LAYERS * SPACING);
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = SPACING;
    body.material = stuff;
    body.method = "corotated_sph";
    body.settings = settings;
    body.setting_count = 4;
    phx_body_id id;
    PHXI_TRY(phx_body_create(b->world, &body, &id));
    b->turn = phxi_rotation((phx_vec3){0, 1, 0}, def->turned * PI / 180);
    if (def->turned != 0) {
        PHXI_TRY(turn_rest(b));
    }
    PHXI_NEW(b->group, b->v->heap, b->world->particles.count, "bar");
    PHXI_NEW(b->queue, b->v->heap, b->world->particles.count, "bar");
    return PHX_OK;
}

/// Both grips, driven apart or round.
static phx_result drive(const bar* b, const bar_def* def) {
    phx_vec3 axis = phxi_mat3_apply(&b->turn, (phx_vec3){0, 0, 1});
    for (int side = -1; side <= 1; side += 2) {
        char region[256];
        phx_vec3 point = phxi_scale(side * (LAYERS / 2 - 2) * SPACING, axis), out = phxi_scale(-side, axis);
        snprintf(region, sizeof region, "plane(point=(%.17g,%.17g,%.17g), normal=(%.17g,%.17g,%.17g))", point.x,
                 point.y, point.z, out.x, out.y, out.z);
        phx_driver_def grip = phx_driver_def_default();
        grip.kind = def->twist ? PHX_DRIVER_SPIN : PHX_DRIVER_VELOCITY;
        grip.region = region;
        grip.vector = phxi_scale(side * def->pull, axis);
        grip.axis = axis;
        grip.angle = side * TWIST * 180 / PI;
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(b->world, &grip, &id));
    }
    return PHX_OK;
}

/// All moves along with the grips at the start.
static void start(bar* b, const bar_def* def) {
    phxi_particles* p = &b->world->particles;
    phxi_mat3 back = phxi_mat3_transpose(&b->turn);
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 r = phxi_mat3_apply(&back, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
        double share = fmin(1, fmax(-1, r.z / (LENGTH / 2)));
        phx_vec3 v =
            def->twist ? phxi_vec3(-share * TWIST * r.y, share * TWIST * r.x, 0) : phxi_vec3(0, 0, share * def->pull);
        v = phxi_mat3_apply(&b->turn, v);
        p->vx[i] = (phx_real)v.x, p->vy[i] = (phx_real)v.y, p->vz[i] = (phx_real)v.z;
    }
}

/// Whether pairs that one of the two sees still connect the grips.
static bool connected(const bar* b) {
    const phxi_csph_slot* slot = slot_of(b);
    int head = 0, tail = 0;
    for (int i = 0; i < slot->count; ++i) {
        b->group[i] = gripped(b, slot->begin + i) && height(b, slot->begin + i) < 0;
        if (b->group[i]) {
            b->queue[tail++] = i;
        }
    }
    while (head < tail) {
        int i = b->queue[head++];
        if (gripped(b, slot->begin + i) && height(b, slot->begin + i) > 0) {
            return true;
        }
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int j = slot->other[k];
            if (!b->group[j] && ((slot->seen[k] | slot->seen[slot->mirror[k]]) & CSPH_SEEN)) {
                b->group[j] = 1;
                b->queue[tail++] = j;
            }
        }
    }
    return false;
}

/// Strain or total angle in degrees at which the bar breaks; `most` if it does not.
static phx_result run_bar(bar* b, const bar_def* def, double* breaks) {
    const double dt = def->dt, rate = def->twist ? 2 * TWIST * 180 / PI : 2 * def->pull / LENGTH;
    PHXI_TRY(drive(b, def));
    start(b, def);
    *breaks = def->most;
    for (int k = 1; rate * k * dt < def->most; ++k) {
        PHXI_TRY(phx_world_substep(b->world, dt));
        if (k % LOOK_EVERY == 0 && !connected(b)) {
            *breaks = rate * k * dt;
            break;
        }
    }
    return PHX_OK;
}

static phx_result break_bar(phxi_validation* v, const bar_def* def, double* breaks) {
    bar b = {.v = v};
    phx_result result = make_bar(def, &b);
    if (result == PHX_OK) {
        result = run_bar(&b, def, breaks);
    }
    phx_world_destroy(b.world);
    phxi_free(v->heap, b.group);
    phxi_free(v->heap, b.queue);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- stretch

static phx_result stretch(phxi_validation* v) {
    static const struct {
        bar_def bar;
        double strain, bound; // of the specification
    } rows[] = {
        {{"reference", "reference", "isotropic", "0.1", 0, false, 0.25, 4e-5, 3}, 3, 0},
        {{"isotropic", "membership", "isotropic", "0.5", 0, false, 0.15, 7e-5, 2}, 0.35, 0.05},
        {{"isotropic, no hourglass control", "membership", "isotropic", "0", 0, false, 0.15, 7e-5, 2}, 0.23, 0.05},
        {{"diagonal", "membership", "diagonal", "0.5", 0, false, 0.15, 7e-5, 2}, 1.36, 0.14},
        {{"principal", "membership", "principal", "0.5", 0, false, 0.25, 1e-4, 2}, 1.48, 0.14},
        {{"principal, rest axes at 45 degrees", "membership", "principal", "0.5", 45, false, 0.25, 1e-4, 2},
         1.48,
         0.14},
    };
    double strains[6];
    for (int k = 0; k < 6; ++k) {
        char quantity[96];
        PHXI_TRY(break_bar(v, &rows[k].bar, &strains[k]));
        snprintf(quantity, sizeof quantity, "strain at which it breaks, %s", rows[k].bar.name);
        phxi_validate(v, quantity, strains[k], rows[k].strain, rows[k].bound);
    }
    phxi_validate(v, "diagonal over isotropic, up to 2.5", fmin(2.5, strains[3] / strains[1]), 2.5, 0);
    phxi_validate(v, "principal over isotropic, up to 2.5", fmin(2.5, strains[4] / strains[1]), 2.5, 0);
    phxi_validate_relative(v, "principal at 45 degrees against 0", strains[5], strains[4], 0.02);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- twist

static phx_result twist(phxi_validation* v) {
    static const bar_def rows[] = {{"isotropic", "membership", "isotropic", "0.5", 0, true, 0, 2e-5, 800},
                                   {"diagonal", "membership", "diagonal", "0.5", 0, true, 0, 2e-5, 800},
                                   {"principal", "membership", "principal", "0.5", 0, true, 0, 2e-5, 800}};
    double measured[3];
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(break_bar(v, &rows[k], &measured[k]));
    }
    phxi_validate_relative(v, "angle at which it breaks, degrees, isotropic", measured[0], 447, 0.1);
    // kernels no longer are what fails: beyond the largest torque, at 518 degrees, bars collapse sooner or later
    phxi_validate(v, "diagonal less isotropic, degrees, up to 90", fmin(90, measured[1] - measured[0]), 90, 0);
    phxi_validate(v, "principal less isotropic, degrees, up to 90", fmin(90, measured[2] - measured[0]), 90, 0);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_corotated_bars[] = {
    {"corotated.stretch", "bars pulled until kernels lose them", stretch},
    {"corotated.twist", "bars twisted until kernels lose them", twist},
    {NULL, NULL, NULL},
};
