// SPDX-License-Identifier: MIT
// Slices in plane strain and plane stress (docs/theory/loads.md section 4): a strip of one layer is stretched, its ends
// held along it alone. Stiffness E, or E/(1 - nu^2); contraction nu, or nu/(1 - nu).
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double young = 1e6, poisson = 0.3, spacing = 1.0 / 80, stretch = 1e-3;

typedef struct strip {
    const char *method, *integrator;
    int plane;
    double across; // spacings
} strip;

static bool has_nodes(const strip* s) {
    return strcmp(s->method, "fem") == 0;
}

/// Which puts particles at the corners of cells, two layers of them, unless it is asked for this.
static bool is_esph(const strip* s) {
    return strcmp(s->method, "elastoplastic_sph") == 0;
}

/// Particles stand on its faces.
static bool on_faces(const strip* s) {
    return has_nodes(s) || is_esph(s);
}

static bool has_statics(const strip* s) {
    return s->integrator || (strcmp(s->method, "corotated_sph") != 0 && strcmp(s->method, "peridynamics") != 0);
}

static phx_result hold(phx_world* world, double ramp, int kind, const char* region, const char* axes, phx_vec3 vector) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.name = region;
    def.kind = kind;
    def.region = region;
    def.axes = axes;
    def.vector = vector;
    def.ramp = kind == PHX_DRIVER_MOVE ? ramp : 0;
    return phx_driver_create(world, &def, &id);
}

static phx_result make(const phxi_validation* v, const strip* s, phx_world** world, phx_probe_id* probe) {
    phx_world_def wd = phx_world_def_default();
    wd.gravity = (phx_vec3){0, 0, 0};
    wd.threads = v->threads;
    PHXI_TRY(phx_world_create(&wd, world));
    phx_material_def m = phx_material_def_default();
    m.young = young;
    m.poisson = poisson;
    m.damping = has_statics(s) ? 0 : 100;
    phx_body_def def = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &m, &def.material));
    char shape[160];
    snprintf(shape, sizeof shape, "box(center=(0,0.125,0),size=(1,0.25,%.17g))", s->across * spacing);
    const phx_setting setting = {"integrator", s->integrator};
    def.name = "strip";
    def.shape = shape;
    def.spacing = spacing;
    def.sampling = has_nodes(s) ? PHX_SAMPLING_VERTICES : is_esph(s) ? PHX_SAMPLING_CONFORMING : PHX_SAMPLING_UNIFORM;
    def.method = s->method;
    def.settings = &setting;
    def.setting_count = s->integrator != NULL;
    def.plane = s->plane;
    phx_body_id body;
    PHXI_TRY(phx_body_create(*world, &def, &body));
    const double gauge = on_faces(s) ? 1 : 1 - spacing; // between the particles that are held
    PHXI_TRY(hold(*world, 0, PHX_DRIVER_PIN, "box(center=(-0.5,0,0),size=(0.015,1,1))", "x", (phx_vec3){0, 0, 0}));
    PHXI_TRY(hold(*world, has_statics(s) ? 0 : 0.2, PHX_DRIVER_MOVE, "box(center=(0.5,0,0),size=(0.015,1,1))", "x",
                  (phx_vec3){stretch * gauge, 0, 0}));
    PHXI_TRY(hold(*world, 0, PHX_DRIVER_PIN, "box(size=(2,0.015,1))", "y", (phx_vec3){0, 0, 0}));
    phx_probe_def look = phx_probe_def_default();
    look.region = "box(size=(0.6,1,1))";
    return phx_probe_create(*world, &look, probe);
}

/// du/dx (axis 0) or du_y/dy (1) away from the ends, by least squares.
static double strain_of(const phx_world* world, int axis) {
    const phxi_particles* p = &world->particles;
    const phx_real *x = axis == 0 ? p->x : p->y, *rest = axis == 0 ? p->rest_x : p->rest_y;
    double n = 0, a = 0, u = 0, aa = 0, au = 0;
    for (int i = 0; i < p->count; ++i) {
        double at = (double)rest[i], low = p->low[axis] ? (double)p->low[axis][i] : 0, way = (double)x[i] - at + low;
        if (fabs((double)p->rest_x[i]) < 0.3) {
            n += 1, a += at, u += way, aa += at * at, au += at * way;
        }
    }
    return (n * au - a * u) / (n * aa - a * a);
}

/// What has been stored in it, as a modulus, over E; and how much thinner it is over how much longer.
static phx_result stretched(const phxi_validation* v, const strip* s, double* stiffness, double* contraction) {
    phx_world* world = NULL;
    phx_static_def def = phx_static_def_default();
    phx_totals totals;
    phx_probe_id probe;
    phx_result result = make(v, s, &world, &probe);
    if (result == PHX_OK) {
        result = has_statics(s) ? phx_world_static(world, &def, NULL) : phx_world_step(world, 0.5);
    }
    if (result == PHX_OK) { // away from the ends, where cells do not belong to one particle
        result = has_nodes(s) ? phx_world_measure(world, &totals) : phx_probe_measure(world, probe, &totals);
    }
    if (result == PHX_OK) {
        double volume = 0;
        for (int i = 0; i < world->particles.count; ++i) {
            volume +=
                has_nodes(s) || fabs((double)world->particles.rest_x[i]) < 0.3 ? (double)world->particles.volume[i] : 0;
        }
        const double along = strain_of(world, 0);
        *stiffness = 2 * totals.elastic / (volume * along * along * young);
        *contraction = -strain_of(world, 1) / along;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result strips(phxi_validation* v) {
    static const strip all[] = {
        {"efg", NULL, PHX_SLICE_STRESS, 1},
        {"efg", NULL, PHX_SLICE_STRAIN, 1},
        {"efg", NULL, PHX_SLICE_NONE, 1},
        {"elastoplastic_sph", NULL, PHX_SLICE_STRESS, 1},
        {"elastoplastic_sph", NULL, PHX_SLICE_STRAIN, 1},
        {"corotated_sph", NULL, PHX_SLICE_STRESS, 1},
        {"corotated_sph", NULL, PHX_SLICE_STRAIN, 1},
        {"corotated_sph", NULL, PHX_SLICE_NONE, 1},
        {"corotated_sph", "bdf2", PHX_SLICE_STRESS, 1},
        {"corotated_sph", "bdf2", PHX_SLICE_STRAIN, 1},
        {"fem", NULL, PHX_SLICE_STRESS, 1},
        {"fem", NULL, PHX_SLICE_STRAIN, 1},
        {"peridynamics", NULL, PHX_SLICE_STRESS, 1},
        {"peridynamics", "implicit_euler", PHX_SLICE_STRAIN, 3},
    };
    static const char* const words[] = {"none", "strain", "stress"};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        const bool strain = all[k].plane == PHX_SLICE_STRAIN;
        double stiffness, contraction;
        char name[112];
        PHXI_TRY(stretched(v, &all[k], &stiffness, &contraction));
        snprintf(name, sizeof name, "%s, plane: %s: stiffness of a strip over E", all[k].method, words[all[k].plane]);
        phxi_validate_relative(v, name, stiffness, strain ? 1 / (1 - poisson * poisson) : 1, 0.01);
        snprintf(name, sizeof name, "%s, plane: %s: its contraction", all[k].method, words[all[k].plane]);
        phxi_validate_relative(v, name, contraction, strain ? poisson / (1 - poisson) : poisson, 0.01);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_plane[] = {
    {"world.plane", "strips of one layer in plane strain and plane stress", strips},
    {NULL, NULL, NULL},
};
