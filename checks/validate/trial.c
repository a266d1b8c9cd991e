// SPDX-License-Identifier: MIT
// See trial.h.
#include "validate/trial.h"

#include "math/decompose3.h"

#include <stdio.h>

#define YOUNG    1e6
#define DENSITY  1000.0
#define STRENGTH (0.02 * YOUNG)
#define YIELD    0.02
#define LARGE    8 // particles of a fragment that is no dust

static const double PI = 3.14159265358979323846;

double phxi_trial_wave_speed(void) {
    return sqrt(YOUNG * 0.7 / (1.3 * 0.4) / DENSITY);
}

phx_result phxi_trial_create(phxi_validation* v, const phxi_trial_def* def, phxi_trial* t) {
    phx_world_def world = phx_world_def_default();
    world.gravity = (phx_vec3){0};
    world.threads = def->threads > 0 ? def->threads : v->threads;
    world.safety = def->safety > 0 ? def->safety : world.safety;
    *t = (phxi_trial){.v = v};
    PHXI_TRY(phx_world_create(&world, &t->world));
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.density = DENSITY;
    material.strength = def->ductile > 0 ? 0 : def->toughness > 0 ? YOUNG : STRENGTH;
    material.toughness = def->toughness;
    material.yield = def->ductile > 0 ? YIELD : 0;
    material.ductile_strain = def->ductile;
    phx_material_id id;
    PHXI_TRY(phx_material_create(t->world, &material, &id));
    phx_body_def body = phx_body_def_default();
    body.shape = def->shape;
    body.rotate = (phx_vec3){0, def->about_y, def->about_z};
    body.sampling = def->sampling;
    body.spacing = def->spacing > 0 ? def->spacing : def->sampling == PHX_SAMPLING_BCC ? 1.25 : 1; // layers 1 apart
    body.material = id;
    body.settings = &(phx_setting){"reset", def->reset};
    body.setting_count = def->reset != NULL;
    phxi_mat3 y = phxi_rotation(phxi_vec3(0, 1, 0), def->about_y * PI / 180);
    phxi_mat3 z = phxi_rotation(phxi_vec3(0, 0, 1), def->about_z * PI / 180);
    t->turn = phxi_mat3_mul(&z, &y);
    return phx_body_create(t->world, &body, &t->body);
}

phxi_efg* phxi_trial_efg(const phxi_trial* t) {
    return t->world->solvers.items[0].state;
}

const phxi_efg_fracture* phxi_trial_fracture(const phxi_trial* t) {
    return phxi_trial_efg(t)->slots.items[0].fracture;
}

phx_result phxi_trial_pull(phxi_trial* t, int axis, double half, double speed) {
    phx_vec3 along = {t->turn.m[0][axis], t->turn.m[1][axis], t->turn.m[2][axis]};
    for (int side = -1; side <= 1; side += 2) {
        phx_driver_def grip = phx_driver_def_default();
        char region[256];
        phx_vec3 at = phxi_scale(side * (half - 3), along), out = phxi_scale(-side, along);
        snprintf(region, sizeof region, "plane(point=(%.17g, %.17g, %.17g), normal=(%.17g, %.17g, %.17g))", at.x, at.y,
                 at.z, out.x, out.y, out.z);
        grip.name = side < 0 ? "left" : "right";
        grip.kind = PHX_DRIVER_VELOCITY;
        grip.region = region;
        grip.vector = phxi_scale(side * speed / 2, along);
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(t->world, &grip, &id));
    }
    phxi_particles* p = &t->world->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = phxi_dot(phxi_vec3(p->x[i], p->y[i], p->z[i]), along);
        p->vx[i] = (phx_real)(along.x * x / half * speed / 2);
        p->vy[i] = (phx_real)(along.y * x / half * speed / 2);
        p->vz[i] = (phx_real)(along.z * x / half * speed / 2);
    }
    return PHX_OK;
}

static phx_vec3 turned(const phxi_trial* t, double x, double y, double z) {
    return phxi_mat3_apply(&t->turn, phxi_vec3(x, y, z));
}

phx_result phxi_trial_notch(phxi_trial* t, double tip, double length) {
    phxi_step step = phxi_world_context(t->world, 0);
    phxi_blade blade = {turned(t, tip, 0, 0), turned(t, 0, 0, 1), turned(t, 1, 0, 0),
                        turned(t, 0, 1, 0),   INFINITY,           length};
    PHXI_TRY(phxi_efg_cut(phxi_trial_efg(t), &step, 0, &blade));
    t->notch = phxi_trial_fracture(t)->facets.count;
    return PHX_OK;
}

/// dt^2/8 sum m |a|^2: what leap-frog lacks of m v(-).v(+) / 2 where it is m v^2 / 2, with v(-), v(+) half a substep
/// before and after. The former is what it keeps exactly of linear oscillations; the latter swings.
static double swing(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    phx_real *const *a = p->acceleration, *const *e = p->external;
    double sum = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 rate = {(double)a[0][i] + (double)e[0][i], (double)a[1][i] + (double)e[1][i],
                         (double)a[2][i] + (double)e[2][i]};
        sum += p->fixed[i] ? 0 : (double)p->mass[i] * phxi_dot(rate, rate);
    }
    return world->last_dt * world->last_dt / 8 * sum;
}

phx_result phxi_trial_energy(phxi_trial* t, double* free, double* total) {
    phx_totals sums;
    PHXI_TRY(phx_world_measure(t->world, &sums));
    *total = sums.kinetic + sums.elastic + sums.contact - swing(t->world);
    *free = *total - sums.external_work;
    return PHX_OK;
}

static bool is_parted(const phxi_efg_fracture* f) {
    int large = 0;
    for (int k = 0; k < f->fragment_size.count; ++k) {
        large += f->fragment_size.items[k] >= LARGE;
    }
    return large > 1;
}

phx_result phxi_trial_part(phxi_trial* t, int most, int after, phxi_trial_watch* watch) {
    double last = 0, now, total;
    bool known = false;
    for (int k = 0; k < most && after > 0; ++k) {
        phx_dt_info info;
        if (k % 8 == 0) {
            PHXI_TRY(phx_world_dt(t->world, &info));
        }
        PHXI_TRY(phx_world_substep(t->world, info.dt));
        after -= is_parted(phxi_trial_fracture(t));
        if (watch && k % watch->every == 0 && phxi_trial_fracture(t)->bonds.count > 0) {
            PHXI_TRY(phxi_trial_energy(t, &now, &total));
            watch->rise = known ? fmax(watch->rise, (now - last) / total) : 0;
            known = true;
            last = now;
        }
    }
    return PHX_OK;
}

static void strike(phxi_trial* t, phxi_trial_ball* ball, double dt) {
    const double stiffness = YOUNG / 2; // of colliders, spacing 1
    phxi_particles* p = &t->world->particles;
    phx_vec3 gained = {0};
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 d = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), ball->center);
        double r = phxi_length(d), depth = ball->radius - r;
        if (depth > 0 && r > 0) {
            phx_vec3 push = phxi_scale(stiffness * depth * dt / r, d);
            p->vx[i] += (phx_real)(push.x / (double)p->mass[i]);
            p->vy[i] += (phx_real)(push.y / (double)p->mass[i]);
            p->vz[i] += (phx_real)(push.z / (double)p->mass[i]);
            gained = phxi_sub(gained, push);
        }
    }
    ball->velocity = phxi_add_scaled(ball->velocity, 1 / ball->mass, gained);
    ball->center = phxi_add_scaled(ball->center, dt, ball->velocity);
}

phx_result phxi_trial_strike(phxi_trial* t, phxi_trial_ball* ball, int substeps) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(t->world, &info));
    for (int k = 0; k < substeps; ++k) {
        strike(t, ball, info.dt);
        PHXI_TRY(phx_world_substep(t->world, info.dt));
    }
    return PHX_OK;
}

static phx_vec3 crossing_of(const phxi_efg_crack_stage* s, const phxi_efg_bond* bond) {
    phx_vec3 x = phxi_efg_rest_of(s, bond->i);
    return phxi_add_scaled(x, bond->crossing, phxi_sub(phxi_efg_rest_of(s, bond->j), x));
}

phxi_trial_split phxi_trial_split_of(const phxi_trial* t, int axis) {
    phxi_step step = phxi_world_context(t->world, 0);
    phxi_efg_crack_stage s = phxi_efg_crack_stage_of(phxi_trial_efg(t), &step, 0, 0);
    const phxi_efg_fracture* f = s.fracture;
    phxi_trial_split result = {0};
    for (int k = 0; k < f->fragment_size.count; ++k) {
        double size = f->fragment_size.items[k];
        result.large += size >= LARGE;
        result.dust += size < LARGE ? (int)size : 0;
        result.smaller = fmax(result.smaller, fmin(size, result.larger));
        result.larger = fmax(result.larger, size);
    }
    phx_vec3 mean = {0}, along = {t->turn.m[0][axis], t->turn.m[1][axis], t->turn.m[2][axis]};
    phx_vec3 across = turned(t, axis == 1, axis == 0, 0);
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        phxi_sym3 moment = {0};
        double slope = 0, spread = 0;
        count = 0;
        phx_vec3 sum = {0};
        for (int b = 0; b < f->bonds.count; ++b) {
            int facet = f->bonds.items[b].facet;
            if (f->fragment[f->bonds.items[b].i] == f->fragment[f->bonds.items[b].j] ||
                (facet >= 0 && facet < t->notch)) {
                continue;
            }
            phx_vec3 x = crossing_of(&s, &f->bonds.items[b]), d = phxi_sub(x, mean);
            sum = phxi_add(sum, x);
            moment.xx += d.x * d.x, moment.yy += d.y * d.y, moment.zz += d.z * d.z;
            moment.xy += d.x * d.y, moment.xz += d.x * d.z, moment.yz += d.y * d.z;
            slope += phxi_dot(d, along) * phxi_dot(d, across);
            spread += phxi_dot(d, across) * phxi_dot(d, across);
            ++count;
        }
        mean = phxi_scale(1.0 / (count > 0 ? count : 1), sum);
        double value[3];
        phxi_mat3 vectors;
        phxi_eigen_sym3(&moment, value, &vectors);
        phx_vec3 normal = {vectors.m[0][2], vectors.m[1][2], vectors.m[2][2]};
        result.rms = sqrt(fmax(0, value[2]) / (count > 0 ? count : 1));
        result.tilt = acos(fmin(1, fabs(phxi_dot(normal, along)))) * 180 / PI;
        result.path = atan(spread > 0 ? fabs(slope) / spread : 0) * 180 / PI;
    }
    result.place = count > 0 ? phxi_dot(mean, along) : INFINITY;
    return result;
}

void phxi_trial_explode(phx_world* world, double rate) {
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = (double)p->x[i], y = (double)p->y[i], z = (double)p->z[i];
        p->vx[i] = (phx_real)(rate * (x - 0.3 * y));
        p->vy[i] = (phx_real)(rate * (y + 0.3 * x));
        p->vz[i] = (phx_real)(rate * z);
    }
}

phx_vec3 phxi_trial_turning(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    phx_real *const *a = p->acceleration, *const *e = p->external;
    double half = world->last_dt / 2;
    phx_vec3 sum = {0};
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 v = {(double)p->vx[i] - half * ((double)a[0][i] + (double)e[0][i]),
                      (double)p->vy[i] - half * ((double)a[1][i] + (double)e[1][i]),
                      (double)p->vz[i] - half * ((double)a[2][i] + (double)e[2][i])};
        sum = phxi_add_scaled(sum, (double)p->mass[i], phxi_cross(phxi_vec3(p->x[i], p->y[i], p->z[i]), v));
    }
    return sum;
}

double phxi_trial_gross(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    for (int i = 0; i < p->count; ++i) {
        sum += (double)p->mass[i] * phxi_length(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
    }
    return sum;
}
