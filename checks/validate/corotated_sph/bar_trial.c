// SPDX-License-Identifier: MIT
// See bar_trial.h.
#include "validate/corotated_sph/bar_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACING 0.0048
#define LENGTH  (19 * SPACING) // between the inner rows of the grips
#define TWIST   30.0           // rad/s, of each grip
#define PI      3.14159265358979323846

enum { LAYERS = 22, LOOK_EVERY = 20 };

/// Height along the bar of a particle at rest, in spacings from its middle.
static double height(const phxi_bar* b, int i) {
    const phxi_particles* p = &b->world->particles;
    phxi_mat3 back = phxi_mat3_transpose(&b->turn);
    return phxi_mat3_apply(&back, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i])).z / SPACING;
}

static bool gripped(const phxi_bar* b, int i) {
    return fabs(height(b, i)) > LAYERS / 2 - 2;
}

/// Turns the rest shape itself, which lies along the axes.
static phx_result turn_rest(phxi_bar* b) {
    phxi_particles* p = &b->world->particles;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 r = phxi_mat3_apply(&b->turn, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
        p->rest_x[i] = p->x[i] = (phx_real)r.x;
        p->rest_y[i] = p->y[i] = (phx_real)r.y;
        p->rest_z[i] = p->z[i] = (phx_real)r.z;
    }
    return b->kind->renew(b);
}

static phx_result make_bar(const phxi_bar_def* def, phxi_bar* b) {
    phx_world_def world = phx_world_def_default();
    world.gravity = (phx_vec3){0, 0, 0};
    world.threads = b->v->threads;
    PHXI_TRY(phx_world_create(&world, &b->world));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.density = 1000, material.poisson = 0.33, material.damping = 50;
    phx_material_id stuff;
    PHXI_TRY(phx_material_create(b->world, &material, &stuff));
    phx_setting settings[PHXI_BAR_SAID + 1] = {def->kind->fixed};
    int count = 1;
    for (int k = 0; k < PHXI_BAR_SAID; ++k) {
        if (def->said[k]) {
            settings[count++] = (phx_setting){def->kind->names[k], def->said[k]};
        }
    }
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", 6 * SPACING, 6 * SPACING, LAYERS * SPACING);
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = SPACING;
    body.sampling = PHX_SAMPLING_UNIFORM; // as published: where kernels lose neighbours is a matter of the lattice
    body.material = stuff;
    body.method = def->kind->method;
    body.settings = settings;
    body.setting_count = count;
    phx_body_id id;
    PHXI_TRY(phx_body_create(b->world, &body, &id));
    b->turn = phxi_rotation((phx_vec3){0, 1, 0}, def->turned * PI / 180);
    if (def->turned != 0) {
        PHXI_TRY(turn_rest(b));
    }
    PHXI_NEW(b->reached, b->v->heap, b->world->particles.count, "bar");
    PHXI_NEW(b->queue, b->v->heap, b->world->particles.count, "bar");
    return PHX_OK;
}

/// Both grips, driven apart or round.
static phx_result drive(const phxi_bar* b, const phxi_bar_def* def) {
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
static void start(phxi_bar* b, const phxi_bar_def* def) {
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

void phxi_bar_reach(phxi_bar* b, int j) {
    if (!b->reached[j]) {
        b->reached[j] = 1;
        b->queue[b->tail++] = j;
    }
}

/// Whether what holds together still connects the grips.
static bool connected(phxi_bar* b) {
    int count = b->world->particles.count;
    b->tail = 0;
    memset(b->reached, 0, (size_t)count * sizeof *b->reached);
    for (int i = 0; i < count; ++i) {
        if (gripped(b, i) && height(b, i) < 0) {
            phxi_bar_reach(b, i);
        }
    }
    for (int head = 0; head < b->tail; ++head) {
        int i = b->queue[head];
        if (gripped(b, i) && height(b, i) > 0) {
            return true;
        }
        b->kind->go_on(b, i);
    }
    return false;
}

/// Strain or total angle in degrees at which the bar breaks; `most` if it does not.
static phx_result run_bar(phxi_bar* b, const phxi_bar_def* def, double* breaks) {
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

phx_result phxi_bar_break(phxi_validation* v, const phxi_bar_def* def, double* breaks) {
    phxi_bar b = {.v = v, .kind = def->kind};
    phx_result result = make_bar(def, &b);
    if (result == PHX_OK) {
        result = run_bar(&b, def, breaks);
    }
    phx_world_destroy(b.world);
    phxi_free(v->heap, b.reached);
    phxi_free(v->heap, b.queue);
    return result;
}

phx_result phxi_bar_rows(phxi_validation* v, const phxi_bar_row* rows, int count, double* strains) {
    for (int k = 0; k < count; ++k) {
        char quantity[96];
        PHXI_TRY(phxi_bar_break(v, &rows[k].bar, &strains[k]));
        snprintf(quantity, sizeof quantity, "strain at which it breaks, %s", rows[k].bar.name);
        phxi_validate(v, quantity, strains[k], rows[k].strain, rows[k].bound);
    }
    return PHX_OK;
}
