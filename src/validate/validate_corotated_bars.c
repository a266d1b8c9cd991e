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

/// What is said of the method, in this order; NULL: as by default.
enum { SAID = 7 };
static const char* const said_of[SAID] = {"mode", "kernel", "hourglass", "gradient", "full", "volumes", "pair_share"};

typedef struct bar_def {
    const char* name;
    const char* scheme[SAID];
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
    phx_setting settings[SAID + 1] = {{"rotation", "shape"}};
    int count = 1;
    for (int k = 0; k < SAID; ++k) {
        if (def->scheme[k]) {
            settings[count++] = (phx_setting){said_of[k], def->scheme[k]};
        }
    }
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", 6 * SPACING, 6 * SPACING, LAYERS * SPACING);
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = SPACING;
    body.material = stuff;
    body.method = "corotated_sph";
    body.settings = settings;
    body.setting_count = count;
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

/// Adds those of pair (i, j) that were not reached yet.
static void reach(const bar* b, int j, int* tail) {
    if (!b->group[j]) {
        b->group[j] = 1;
        b->queue[(*tail)++] = j;
    }
}

/// Goes on to all that particle i sees, or that see it.
static void go_on(const bar* b, const phxi_csph_slot* slot, int i, int* tail) {
    const phxi_csph_current* c = slot->current;
    for (int k = slot->start[i]; !c && k < slot->start[i + 1]; ++k) {
        if ((slot->seen[k] | slot->seen[slot->mirror[k]]) & CSPH_SEEN) {
            reach(b, slot->other[k], tail);
        }
    }
    for (int64_t k = c ? c->lists.start[i] : 0; c && k < c->lists.start[i + 1]; ++k) {
        if (c->sees[k] | c->sees[c->mirror[k]]) {
            reach(b, c->lists.items[k], tail);
        }
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
        go_on(b, slot, i, &tail);
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

/// A bar and what the specification has of it.
typedef struct bar_row {
    bar_def bar;
    double strain, bound;
} bar_row;

static phx_result stretch_rows(phxi_validation* v, const bar_row* rows, int count, double* strains) {
    for (int k = 0; k < count; ++k) {
        char quantity[96];
        PHXI_TRY(break_bar(v, &rows[k].bar, &strains[k]));
        snprintf(quantity, sizeof quantity, "strain at which it breaks, %s", rows[k].bar.name);
        phxi_validate(v, quantity, strains[k], rows[k].strain, rows[k].bound);
    }
    return PHX_OK;
}

static phx_result stretch(phxi_validation* v) {
    static const bar_row rows[] = {
        {{"isotropic", {"membership", "isotropic", "0.5"}, 0, false, 0.15, 7e-5, 2}, 0.35, 0.05},
        {{"isotropic, no hourglass control", {"membership", "isotropic", "0"}, 0, false, 0.15, 7e-5, 2}, 0.23, 0.05},
        {{"diagonal", {"membership", "diagonal", "0.5"}, 0, false, 0.15, 7e-5, 2}, 1.36, 0.14},
        {{"principal", {"membership", "principal", "0.5"}, 0, false, 0.25, 1e-4, 2}, 1.48, 0.14},
        {{"principal, rest axes at 45 degrees", {"membership", "principal", "0.5"}, 45, false, 0.25, 1e-4, 2},
         1.48,
         0.14},
    };
    double strains[5];
    PHXI_TRY(stretch_rows(v, rows, 5, strains));
    phxi_validate(v, "diagonal over isotropic, up to 2.5", fmin(2.5, strains[2] / strains[0]), 2.5, 0);
    phxi_validate(v, "principal over isotropic, up to 2.5", fmin(2.5, strains[3] / strains[0]), 2.5, 0);
    phxi_validate_relative(v, "principal at 45 degrees against 0", strains[4], strains[3], 0.02);
    return PHX_OK;
}

/// The other rows of the table; where two numbers are given the bounds are those that the specification names for such
/// runs, a tenth, or 0.05.
phx_result phxi_validate_corotated_stretch_full(phxi_validation* v) {
#define MEMBER(kernel, ...)                                                                                            \
    { "membership", kernel, __VA_ARGS__ }
    static const bar_row rows[] = {
        {{"reference", {"reference", "isotropic", "0.1"}, 0, false, 0.25, 4e-5, 3}, 3, 0},
        {{"isotropic, plain, alpha 0", MEMBER("isotropic", "0", "plain"), 0, false, 0.15, 7e-5, 2}, 0.22, 0.05},
        {{"isotropic, plain, alpha 0.5", MEMBER("isotropic", "0.5", "plain"), 0, false, 0.15, 7e-5, 2}, 0.39, 0.05},
        {{"diagonal, plain, alpha 0", MEMBER("diagonal", "0", "plain"), 0, false, 0.15, 7e-5, 2}, 0.93, 0.1},
        {{"diagonal, plain, alpha 0.5", MEMBER("diagonal", "0.5", "plain"), 0, false, 0.15, 7e-5, 2}, 1.23, 0.13},
        {{"diagonal, alpha 0", MEMBER("diagonal", "0"), 0, false, 0.15, 7e-5, 2}, 1.03, 0.11},
        {{"diagonal, full at 0.2", MEMBER("diagonal", "0.5", NULL, "0.2"), 0, false, 0.25, 1e-4, 2}, 1.43, 0.15},
        {{"diagonal, full at 1", MEMBER("diagonal", "0.5", NULL, "1"), 0, false, 0.25, 1e-4, 2}, 1.10, 0.11},
        {{"principal, full at 1", MEMBER("principal", "0.5", NULL, "1"), 0, false, 0.25, 1e-4, 2}, 1.40, 0.14},
        {{"diagonal at 45 degrees", MEMBER("diagonal", "0.5"), 45, false, 0.25, 1e-4, 2}, 1.32, 0.14},
        {{"diagonal at 45 degrees, full at 1", MEMBER("diagonal", "0.5", NULL, "1"), 45, false, 0.25, 1e-4, 2},
         0.60,
         0.06},
        {{"as published, isotropic", MEMBER("isotropic", "0", "plain", NULL, "density", "0.5"), 0, false, 0.25, 1e-4,
          2},
         0.25,
         0.05},
        {{"as published, diagonal", MEMBER("diagonal", "0", "plain", NULL, "density", "0.5"), 0, false, 0.25, 1e-4, 2},
         0.66,
         0.07},
    };
#undef MEMBER
    double strains[sizeof rows / sizeof rows[0]];
    PHXI_TRY(stretch_rows(v, rows, sizeof rows / sizeof rows[0], strains));
    phxi_validate(v, "as published, diagonal over isotropic, up to 2.5", fmin(2.5, strains[12] / strains[11]), 2.5, 0);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- twist

static phx_result twist(phxi_validation* v) {
    static const bar_def rows[] = {
        {"isotropic", {"membership", "isotropic", "0.5"}, 0, true, 0, 2e-5, 800},
        {"diagonal", {"membership", "diagonal", "0.5"}, 0, true, 0, 2e-5, 600},
        {"principal", {"membership", "principal", "0.5"}, 0, true, 0, 2e-5, 600},
    };
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

// ------------------------------------------------------------------------------------------------------------- current

/// Kernels on current positions (section 4, mode C): any pull opens gaps, whatever the kernels do. When the last pair
/// goes is left to chance, for the bar is in pieces long before: hence the bounds.
static phx_result current(phxi_validation* v) {
    static const bar_row rows[] = {
        {{"isotropic", {"current", "isotropic", "0", "plain"}, 0, false, 0.15, 7e-5, 1}, 0.08, 0.02},
        {{"diagonal", {"current", "diagonal", "0", "plain"}, 0, false, 0.15, 7e-5, 1}, 0.09, 0.02},
        {{"isotropic, alpha 0.5", {"current", "isotropic", "0.5", "plain"}, 0, false, 0.15, 7e-5, 1}, 0.08, 0.02},
        {{"diagonal, alpha 0.5", {"current", "diagonal", "0.5", "plain"}, 0, false, 0.15, 7e-5, 1}, 0.11, 0.02},
    };
    double strains[4];
    return stretch_rows(v, rows, 4, strains);
}

const phxi_validation_case phxi_cases_corotated_bars[] = {
    {"corotated.stretch", "bars pulled until kernels lose them", stretch},
    {"corotated.twist", "bars twisted until kernels lose them", twist},
    {"corotated.current", "bars pulled with kernels on current positions", current},
    {NULL, NULL, NULL},
};
