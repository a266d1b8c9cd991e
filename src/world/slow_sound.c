// SPDX-License-Identifier: MIT
#include "world/slow_sound.h"

#include "core/log.h"
#include "materials/sound.h"

#include <stdio.h>

#define HEAVY 0.1 // its own weight over its strength, and
#define FAST  0.1 // its speed over that of sound, from which a softer body is another body

void phxi_body_set_material(phxi_body* body, const phx_material_def* material) {
    body->material = *material;
    body->elastic = phxi_elastic_from(material);
    body->modulus = material->young;
}

void phxi_body_slow_sound(phxi_body* body, const phxi_fracture_table* fracture) {
    bool breaks = fracture && fracture->breaks_explicitly && fracture->breaks_explicitly(body);
    body->slowing = breaks ? phxi_material_slowing(&body->material) : 1;
    if (body->slowing > 1) {
        phx_material_def slowed = phxi_material_slowed(&body->material, body->slowing);
        phxi_body_set_material(body, &slowed);
    }
}

void phxi_body_describe_slow_sound(const phxi_body* body, char* text, size_t size) {
    const phx_material_def* m = &body->material;
    double k = body->slowing, sound = phxi_sound_speed(m), stronger = pow(k, phxi_slowed_strength_exponent(m));
    snprintf(text, size, "sound at %.4g m/s instead of %.4g: E %.3g -> %.3g Pa, strength %.3g -> %.3g Pa", sound,
             k * sound, k * k * m->young, m->young, stronger * m->strength, m->strength);
}

/// Weight of a column as high as the body, Pa; its largest speed, m/s.
static void find_loads(const phx_world* world, const phxi_body* body, double* weight, double* speed) {
    const phxi_particles* p = &world->particles;
    double low = INFINITY, high = -INFINITY, square = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        double height = phxi_dot(phxi_vec3(p->x[i], p->y[i], p->z[i]), world->def.gravity); // times g
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        low = fmin(low, height), high = fmax(high, height), square = fmax(square, phxi_dot(v, v));
    }
    *weight = body->material.density * (high - low);
    *speed = sqrt(square);
}

void phxi_body_warn_slow_sound(const phx_world* world, const phxi_body* body) {
    double weight, speed, sound = phxi_sound_speed(&body->material);
    if (!(body->slowing > 1)) {
        return;
    }
    find_loads(world, body, &weight, &speed);
    double heavier = weight / (HEAVY * body->material.strength);
    double more = fmax(pow(heavier, 1 / phxi_slowed_strength_exponent(&body->material)), speed / (FAST * sound));
    if (more > 1) {
        phxi_log(&world->def.log, PHX_LOG_WARNING,
                 "body '%s': %s, for which sound at %.4g m/s (sound_limit) makes it too soft; expected %.2g m/s or "
                 "more, or 0 for that of its material",
                 body->name, speed > FAST * sound ? "it is fast" : "it is high and its weight is near its strength",
                 sound, more * sound);
    }
}
