// SPDX-License-Identifier: MIT
// Contact between particles, what must hold exactly or for long: momenta whatever the methods, nothing in a body at
// rest, bounces that keep their energy, bodies that were put into each other, contact by projection.
#include "validate/contact/contact.h"
#include "world/world.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;

static double energy(const phx_totals* t) {
    return t->kinetic + t->elastic + t->contact;
}

// ------------------------------------------------------------------------------------------------------------- momenta

/// Two balls meet aside, with spin and friction; worst errors of both momenta over p and p r.
static phx_result meet(phxi_validation* v, phx_world_def def, const char* left, const char* right, double worst[3]) {
    const phxi_contact_thing balls[2] = {
        {.name = "left",
         .shape = "sphere(center=(-0.105,-0.04,0.01), radius=0.1)",
         .spacing = 0.03,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 5e4,
         .velocity = {0.6, 0.3, 0},
         .spin = {2, 0, -3},
         .method = left},
        {.name = "right",
         .shape = "sphere(center=(0.105,0.04,0), radius=0.1)",
         .spacing = 0.03,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 5e4,
         .velocity = {-0.6, 0, 0.2},
         .method = right},
    };
    phx_world* world = NULL;
    phx_totals before = {0}, after = {0};
    double met = 0;
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    phx_result result = phx_world_create(&def, &world);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phxi_contact_add(world, &balls[k]);
    }
    result = result == PHX_OK ? phx_world_measure(world, &before) : result;
    for (int k = 0; k < 20 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.01);
        result = result == PHX_OK ? phx_world_measure(world, &after) : result;
        met = fmax(met, after.elastic);
    }
    double p = 0.5 * before.mass * 0.6;
    worst[0] = phxi_length(phxi_sub(after.momentum, before.momentum)) / p;
    worst[1] = phxi_length(phxi_sub(after.angular_momentum, before.angular_momentum)) / (p * 0.1);
    worst[2] = met / before.kinetic;
    phx_world_destroy(world);
    return result;
}

static phx_result methods(phxi_validation* v) {
    static const char* const words[3][2] = {
        {"corotated_sph", "corotated_sph"}, {"efg", "corotated_sph"}, {"corotated_sph", "efg"}};
    for (int k = 0; k < 3; ++k) {
        double worst[3];
        char quantity[128];
        PHXI_TRY(meet(v, phx_world_def_default(), words[k][0], words[k][1], worst));
        snprintf(quantity, sizeof quantity, "%s on %s: change of momentum", words[k][0], words[k][1]);
        phxi_validate(v, quantity, worst[0], 0, phxi_by_precision(1e-12, 1e-5));
        snprintf(quantity, sizeof quantity, "%s on %s: change of angular momentum", words[k][0], words[k][1]);
        phxi_validate(v, quantity, worst[1], 0, phxi_by_precision(1e-12, 1e-5));
        snprintf(quantity, sizeof quantity, "%s on %s: they met, elastic over all, 0.02 to 1", words[k][0],
                 words[k][1]);
        phxi_validate(v, quantity, worst[2], 0.51, 0.49);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- rest

/// Largest force of contact within a body that is turned and moved but not deformed, N.
static phx_result force_at_rest(phxi_validation* v, const char* method, const char* sampling, double strength,
                                const phx_setting* settings, double* most) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, &world));
    phx_material_def material = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    material.strength = strength;
    body.shape = "difference(box(size=(0.16,0.12,0.1)), sphere(center=(0.05,0.02,0.05), radius=0.04))";
    body.spacing = 0.02;
    body.method = method;
    body.sampling = sampling[0] == 'u' ? 0 : sampling[0] == 'b' ? 1 : 2;
    body.self_contact = true;
    body.settings = settings;
    body.setting_count = settings ? 2 : 0;
    phx_result result = phx_material_create(world, &material, &body.material);
    result = result == PHX_OK ? phx_body_create(world, &body, &id) : result;
    phxi_particles* p = &world->particles;
    phxi_mat3 turn = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}};
    for (int i = 0; result == PHX_OK && i < p->count; ++i) {
        phx_vec3 x = phxi_mat3_apply(&turn, phxi_vec3(p->x[i], p->y[i], p->z[i]));
        p->x[i] = (phx_real)x.x + 1, p->y[i] = (phx_real)x.y, p->z[i] = (phx_real)x.z;
    }
    phxi_pair_forces touch = {0};
    result = result == PHX_OK ? phxi_world_touch_now(world, &touch) : result;
    for (int i = 0; result == PHX_OK && touch.energy && i < p->count; ++i) {
        phx_vec3 f = phxi_vec3(touch.force[0][i], touch.force[1][i], touch.force[2][i]);
        *most = fmax(*most, phxi_length(f) + touch.energy[i]);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result rest(phxi_validation* v) {
    static const phx_setting breaks[] = {{"mode", "membership"}, {"permanent", "true"}};
    static const char* const samplings[3] = {"uniform", "bcc", "octree"};
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(force_at_rest(v, "efg", samplings[k], 0, NULL, &most));
        PHXI_TRY(force_at_rest(v, "efg", samplings[k], 1e4, NULL, &most));
        PHXI_TRY(force_at_rest(v, "corotated_sph", samplings[k], 0, breaks, &most));
    }
    phxi_validate(v, "largest force within bodies at rest, N", most, 0, 0);
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- bounce

/// Energy after a ball without damping has bounced off a body that is held, or off one of its kind, over that before;
/// substeps of 0.2 / omega, omega = sqrt(2 k / m) = c / a that of contact.
static phx_result bounce(phxi_validation* v, bool held, const char* method, double* ratio) {
    const phxi_contact_thing things[2] = {
        {.name = "ball",
         .shape = "sphere(center=(0,0,0.111), radius=0.1)",
         .spacing = 0.025,
         .velocity = {0, 0, held ? -0.5 : -0.25},
         .method = method},
        {.name = "other",
         .shape = held ? "box(center=(0,0,-0.025), size=(0.4,0.4,0.05))" : "sphere(center=(0,0,-0.111), radius=0.1)",
         .spacing = 0.025,
         .velocity = {0, 0, held ? 0 : 0.25},
         .pinned = held,
         .method = method},
    };
    phx_world* world = NULL;
    phx_totals before = {0}, after = {0};
    phx_material_def material = phx_material_def_default();
    phx_result result = phxi_contact_world(v, (phx_vec3){0, 0, 0}, things, 2, &world);
    result = result == PHX_OK ? phx_world_measure(world, &before) : result;
    if (result == PHX_OK) {
        world->def.dt = 0.2 * 0.025 / sqrt(material.young / material.density);
        result = phx_world_step(world, 0.25);
    }
    result = result == PHX_OK ? phx_world_measure(world, &after) : result;
    *ratio = after.contact > 0 ? NAN : energy(&after) / energy(&before);
    phx_world_destroy(world);
    return result;
}

static phx_result bounces(phxi_validation* v) {
    static const char* const words[2] = {"efg", "corotated_sph"};
    for (int k = 0; k < 4; ++k) {
        double ratio = 0;
        char quantity[96];
        PHXI_TRY(bounce(v, k % 2 == 0, words[k / 2], &ratio));
        snprintf(quantity, sizeof quantity, "%s on %s: energy after over before", words[k / 2],
                 k % 2 == 0 ? "a body that is held" : "its like");
        phxi_validate(v, quantity, ratio, 1, 0.01);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- overlap

static void count_line(void* context, phx_log_level level, const char* line) {
    (void)line;
    *(int*)context += level == PHX_LOG_WARNING;
}

/// Bodies that start in each other and in the floor, at rest: largest kinetic energy on the way over what springs hold.
static phx_result part_bodies(phxi_validation* v, const char* other, double* released, int* lines, double* left) {
    const phxi_contact_thing things[2] = {
        {.name = "low",
         .shape = "box(center=(0,0,0.045), size=(0.1,0.1,0.1))",
         .spacing = 0.02,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 1e5,
         .drag = 5},
        {.name = "high",
         .shape = other,
         .spacing = 0.02,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 1e5,
         .drag = 5},
    };
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_totals t = {0};
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    def.log = (phx_log){count_line, lines};
    phx_result result = phx_world_create(&def, &world);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phxi_contact_add(world, &things[k]);
    }
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    result = result == PHX_OK ? phx_collider_create(world, &floor, &id) : result;
    result = result == PHX_OK ? phx_world_measure(world, &t) : result;
    double held = t.contact, fastest = 0;
    for (int k = 0; k < 50 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.02);
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        fastest = fmax(fastest, t.kinetic + t.elastic);
    }
    *released = fastest / held;
    *left = t.contact / held;
    phx_world_destroy(world);
    return result;
}

static phx_result overlap(phxi_validation* v) {
    static const char* const shapes[3] = {"box(center=(0.004,0.002,0.135), size=(0.1,0.1,0.1))",
                                          "box(center=(0.003,-0.004,0.1), size=(0.08,0.08,0.1))",
                                          "sphere(center=(0.03,0.05,0.12), radius=0.05)"};
    static const char* const words[3] = {"half a spacing", "two spacings", "a ball in a corner"};
    for (int k = 0; k < 3; ++k) {
        double released = 0, left = 0;
        int lines = 0;
        char quantity[128];
        PHXI_TRY(part_bodies(v, shapes[k], &released, &lines, &left));
        snprintf(quantity, sizeof quantity, "%s: told once of each two", words[k]);
        phxi_validate(v, quantity, lines, 2, 0);
        snprintf(quantity, sizeof quantity, "%s: energy on the way over that of springs at the start", words[k]);
        phxi_validate(v, quantity, released, 0, 0.1);
        snprintf(quantity, sizeof quantity, "%s: left in springs after 1 s", words[k]);
        phxi_validate(v, quantity, left, 0, 0.01);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- projection

static phx_world_def projecting(const phxi_validation* v, phx_vec3 gravity) {
    phx_world_def def = phx_world_def_default();
    def.contact = PHXI_PROJECTION;
    def.gravity = gravity;
    def.threads = v->threads;
    return def;
}

/// A block on a body that is held, tilted: its acceleration in the second half second.
static phx_result slide(phxi_validation* v, double angle, double friction, double* acceleration) {
    const phxi_contact_thing things[2] = {
        {.name = "slope",
         .shape = "box(center=(0.6,0,-0.02), size=(1.6,0.28,0.04))",
         .spacing = 0.02,
         .friction = friction,
         .contact_damping = 1,
         .pinned = true},
        {.name = "block",
         .shape = "box(center=(-0.007,-0.003,0.04), size=(0.2,0.2,0.08))",
         .spacing = 0.02,
         .friction = friction,
         .contact_damping = 1},
    };
    phx_world* world = NULL;
    phx_totals t[2] = {{0}, {0}};
    phx_world_def def = projecting(v, (phx_vec3){9.81 * sin(angle), 0, -9.81 * cos(angle)});
    def.compliance = 1e-6;
    phx_result result = phx_world_create(&def, &world);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phxi_contact_add(world, &things[k]);
    }
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.5);
        result = result == PHX_OK ? phx_body_measure(world, phx_world_body_id(world, 1), &t[k]) : result;
    }
    *acceleration = (t[1].momentum.x - t[0].momentum.x) / t[1].mass / 0.5;
    phx_world_destroy(world);
    return result;
}

/// A ball falls on a block on the floor. Substep over what springs of a contact that is a thousand times stiffer than
/// the bodies would allow; speed, and depth in spacings, at the end; most energy over that at the start.
static phx_result land(phxi_validation* v, double compliance, double out[4]) {
    static const char* const shapes[2] = {"box(center=(0,0,0.05), size=(0.2,0.2,0.1))",
                                          "sphere(center=(0.01,0.005,0.19), radius=0.08)"};
    phx_world_def def = projecting(v, (phx_vec3){0, 0, -9.81});
    phx_world* world = NULL;
    phx_totals t = {0};
    def.compliance = compliance;
    phx_result result = phx_world_create(&def, &world);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        phxi_contact_thing thing = {.name = k == 0 ? "block" : "ball",
                                    .shape = shapes[k],
                                    .spacing = 0.02,
                                    .friction = 0.5,
                                    .contact_damping = 0.3,
                                    .young = 5e4,
                                    .drag = 4};
        result = phxi_contact_add(world, &thing);
    }
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    result = result == PHX_OK ? phx_collider_create(world, &floor, &id) : result;
    phx_dt_info soft = {0}, stiff = {0};
    result = result == PHX_OK ? phx_world_dt(world, &soft) : result;
    if (result == PHX_OK) {
        for (int b = 0; b < 2; ++b) {
            world->bodies.items[b].contact.stiffness = 1000 * 0.5 * 5e4 * 0.02;
        }
        world->def.contact = PHXI_PENALTY;
        result = phx_world_dt(world, &stiff);
        world->def.contact = PHXI_PROJECTION;
    }
    out[0] = soft.dt / stiff.stable;
    result = result == PHX_OK ? phx_world_measure(world, &t) : result;
    double start = energy(&t) + t.potential;
    out[3] = -INFINITY;
    for (int k = 0; k < 100 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.03);
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        out[3] = fmax(out[3], (energy(&t) + t.potential - start) / start);
    }
    out[1] = sqrt(2 * t.kinetic / t.mass);
    out[2] = 0;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        out[2] = fmax(out[2], -world->particles.z[i] / 0.02);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result projection(phxi_validation* v) {
    double worst[3], out[4], measured = 0;
    PHXI_TRY(meet(v, projecting(v, (phx_vec3){0, 0, 0}), "efg", "corotated_sph", worst));
    phxi_validate(v, "change of momentum over that of a ball", worst[0], 0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "change of angular momentum", worst[1], 0, phxi_by_precision(1e-12, 1e-5));
    for (int k = 0; k < 2; ++k) {
        PHXI_TRY(land(v, k == 0 ? 0 : 1e-5, out));
        phxi_validate(v, "substep over that of springs 1000 times as stiff, 10 to 100", out[0], 55, 45);
        phxi_validate(v, "speed after 3 s, m/s", out[1], 0, 1e-2);
        phxi_validate(v, "deepest in the floor, spacings", out[2], 0, 0.1);
        phxi_validate(v, "most energy gained over that at the start", fmax(0, out[3]), 0, 1e-3);
    }
    PHXI_TRY(slide(v, 30 * pi / 180, 0.3, &measured));
    phxi_validate_relative(v, "sliding at 30 deg, friction 0.3, m/s^2", measured,
                           9.81 * (sin(30 * pi / 180) - 0.3 * cos(30 * pi / 180)), 0.02);
    PHXI_TRY(slide(v, 10 * pi / 180, 0.3, &measured));
    phxi_validate(v, "resting at 10 deg, friction 0.3, m/s^2", measured, 0, 0.01);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_contact_proofs[] = {
    {"contact.methods", "two balls of all explicit methods collide aside: both momenta", methods},
    {"contact.rest", "no contact within bodies that touch themselves but are not deformed", rest},
    {"contact.bounce", "balls without damping bounce: energy, at substeps of 0.2 / omega", bounces},
    {"contact.overlap", "bodies that were put into each other and into the floor part without a bang", overlap},
    {"contact.projection", "contact without stiffness: momenta, rest, slope, energy at large substeps", projection},
    {NULL, NULL, NULL},
};
