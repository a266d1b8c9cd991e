// SPDX-License-Identifier: MIT
// A path begins at the eye and is followed from hit to hit; where it meets a surface one ray more asks a lamp directly
// (next-event estimation), and a path that runs into a lamp by itself counts with the weight that is left for it
// (multiple importance sampling by the power heuristic, Veach 1997). The dome is met by paths alone: it is so even that
// this is less noise than asking.
//
// Clear bodies: light is reflected or refracted at their faces, fades within by Beer's law and may be scattered. Rays
// to lamps pass them straight on, with what faces and colour leave of the light: shadows of jelly are red, and there
// are no caustics, which are noise at these numbers of samples.
//
// Translucent bodies (`subsurface`): light that enters walks at random beneath the surface until it comes out again;
// the albedo of a step is that whose walks give the colour (Chiang, Kutz and Burley 2016).
#include "render/path.h"

#include "render/bsdf.h"

enum { MOST_BOUNCES = 24, SURE_BOUNCES = 3, MOST_STEPS = 96, MOST_FACES = 8 };
static const float pi = 3.14159265f, far_away = 1e18f;
static const float most_indirect = 3, most_direct = 8; // of brightness: brighter paths are dimmed to this

typedef struct walker {
    const phxi_path_scene* scene;
    phxi_sampler* sampler;
    phxi_f3 origin, direction;
    phxi_f3 left;                    // of light that comes from here, what reaches the eye
    phxi_f3 found;                   // what has reached it
    const phxi_surface_look* medium; // the clear body it is in; NULL: air
    float density;                   // with which its direction was chosen; 0: a mirror's or a window's
    bool straight;                   // it has only passed windows since the eye
    int bounces;                     // at surfaces
    int steps;                       // within clouds
    phxi_path* seen;
} walker;

static phxi_f3 faded(const phxi_surface_look* look, float way) {
    const float* a = look->absorption;
    return (phxi_f3){expf(-a[0] * way), expf(-a[1] * way), expf(-a[2] * way)};
}

// ---------------------------------------------------------------------------------------------------------------- hits

typedef struct place {
    phxi_hit hit;
    bool floor;
    float distance;
    phxi_f3 point, normal, face;
} place;

static bool find(const phxi_path_scene* s, phxi_f3 origin, phxi_f3 direction, place* p) {
    const phxi_stage_light* l = s->light;
    const float from[3] = {origin.x, origin.y, origin.z}, to[3] = {direction.x, direction.y, direction.z};
    phxi_tracer_hit(s->tracer, from, to, &p->hit);
    p->distance = p->hit.distance;
    // from below the floor is not there: what stands on it has no gap
    float way =
        l->floor && direction.z < -1e-6f && origin.z > l->floor_z ? (l->floor_z - origin.z) / direction.z : INFINITY;
    p->floor = way < p->distance;
    p->distance = p->floor ? way : p->distance;
    if (!isfinite(p->distance)) {
        return false;
    }
    p->point = phxi_f3_along(origin, p->distance, direction);
    p->normal = p->floor ? (phxi_f3){0, 0, 1} : phxi_f3_of(p->hit.normal);
    p->face = p->floor ? p->normal : phxi_f3_of(p->hit.face);
    return true;
}

/// A start for rays that leave a face to the side of `towards`.
static phxi_f3 off(const phxi_path_scene* s, phxi_f3 point, phxi_f3 face, phxi_f3 towards) {
    float scale = fmaxf(fabsf(point.x), fmaxf(fabsf(point.y), fabsf(point.z)));
    float lift = fmaxf(s->lift, 4e-6f * scale);
    return phxi_f3_along(point, phxi_f3_dot(face, towards) >= 0 ? lift : -lift, face);
}

// -------------------------------------------------------------------------------------------------------------- lamps

/// What is left of a lamp's light at a place: 0 behind an opaque body, less behind clear ones.
static phxi_f3 left_of_lamp(const phxi_path_scene* s, phxi_f3 origin, phxi_f3 direction,
                            const phxi_surface_look* medium) {
    phxi_f3 left = {1, 1, 1};
    for (int face = 0; face < MOST_FACES; ++face) {
        place p;
        if (!find(s, origin, direction, &p)) {
            return medium ? (phxi_f3){0, 0, 0} : left; // an open mesh does not shine
        }
        const phxi_surface_look* look = p.floor ? NULL : p.hit.of->look;
        if (!look || look->transmission < 0.5f) {
            return (phxi_f3){0, 0, 0};
        }
        if (medium) {
            left = phxi_f3_mul(left, faded(medium, p.distance));
        }
        float cosine = fabsf(phxi_f3_dot(p.normal, direction)), refracted;
        // coming out it is as going in: light that bends arrives where straight rays are cut off
        left = phxi_f3_scale(1 - phxi_fresnel(cosine, 1 / look->ior, &refracted), left);
        medium = p.hit.from_outside ? look : NULL;
        origin = off(s, p.point, p.face, direction);
    }
    return (phxi_f3){0, 0, 0};
}

static float power_weight(float mine, float other) {
    return mine * mine / (mine * mine + other * other);
}

static void add_light(walker* w, phxi_f3 light) {
    float most = w->bounces == 0 ? most_direct : most_indirect, bright = phxi_f3_most(light);
    w->found = phxi_f3_add(w->found, bright > most ? phxi_f3_scale(most / bright, light) : light);
}

/// Asks a lamp at an opaque place (`coat`), or within a body that scatters to all sides alike (NULL).
static void ask_lamp(walker* w, phxi_f3 point, phxi_f3 face, const phxi_coat* coat, phxi_f3 out) {
    float choice, a, b, density, own;
    phxi_f3 in, light, f;
    choice = phxi_sampler_one(w->sampler);
    phxi_sampler_pair(w->sampler, &a, &b);
    int lamp = phxi_lamp_sample(w->scene->light, choice, a, b, &in, &density);
    if (coat) {
        f = phxi_coat_at(coat, out, in, &own);
        if (!(phxi_f3_most(f) > 0) || phxi_f3_dot(in, face) <= 0) {
            return;
        }
    } else {
        own = 1 / (4 * pi);
        f = phxi_f3_all(own);
    }
    light = phxi_f3_mul(w->scene->light->lamps[lamp].radiance,
                        left_of_lamp(w->scene, coat ? off(w->scene, point, face, in) : point, in, w->medium));
    f = phxi_f3_scale(power_weight(density, own) / density, f);
    add_light(w, phxi_f3_mul(w->left, phxi_f3_mul(f, light)));
}

/// A path that leaves everything behind.
static void escape(walker* w) {
    float density;
    phxi_f3 lamps = phxi_lamps_at(w->scene->light, w->direction, &density);
    phxi_f3 dome = w->straight ? phxi_behind(w->scene->light, w->direction) : phxi_dome(w->scene->light, w->direction);
    float weight = w->straight ? 0 : w->density > 0 ? power_weight(w->density, density) : 1;
    phxi_f3 light = phxi_f3_along(dome, density > 0 ? weight : 0, lamps);
    add_light(w, phxi_f3_mul(w->left, light));
}

// ----------------------------------------------------------------------------------------------------------- surfaces

static void go_on(walker* w, phxi_f3 point, phxi_f3 face, phxi_f3 direction, phxi_f3 weight, float density) {
    w->origin = off(w->scene, point, face, direction);
    w->direction = direction;
    w->left = phxi_f3_mul(w->left, weight);
    w->density = density;
    w->straight = false;
}

/// Opaque: asks a lamp, then goes on as the coat chooses.
static void scatter_from(walker* w, const phxi_coat* coat, phxi_f3 point, phxi_f3 face) {
    phxi_f3 out = phxi_f3_scale(-1, w->direction), in;
    float choice = phxi_sampler_one(w->sampler), a, b, density;
    ask_lamp(w, point, face, coat, out);
    phxi_sampler_pair(w->sampler, &a, &b);
    phxi_f3 weight = phxi_coat_sample(coat, out, choice, a, b, &in, &density);
    float up = phxi_f3_dot(in, face);
    in = up > 1e-4f ? in : phxi_f3_unit(phxi_f3_along(in, 1e-3f - up, face));
    go_on(w, point, face, in, weight, density);
}

/// Reflected or refracted at a facet of a clear body.
static void pass_face(walker* w, const place* p, const phxi_surface_look* look) {
    phxi_f3 out = phxi_f3_scale(-1, w->direction), normal = p->normal;
    float a, b, refracted, choice = phxi_sampler_one(w->sampler);
    phxi_sampler_pair(w->sampler, &a, &b);
    if (look->roughness > 0.02f) {
        normal = phxi_facet(normal, out, phxi_alpha(look->roughness), a, b);
    }
    float cosine = phxi_f3_dot(out, normal);
    if (cosine < 1e-4f) {
        normal = p->face;
        cosine = fmaxf(phxi_f3_dot(out, normal), 1e-4f);
    }
    float eta = p->hit.from_outside ? 1 / look->ior : look->ior;
    float reflected = phxi_fresnel(cosine, eta, &refracted);
    float often = w->bounces == 0 && reflected < 1 ? fminf(fmaxf(reflected, 0.25f), 0.75f) : reflected;
    bool was_straight = w->straight;
    if (choice < often) {
        phxi_f3 in = phxi_reflect(out, normal);
        float up = phxi_f3_dot(in, p->face);
        in = up > 1e-4f ? in : phxi_f3_unit(phxi_f3_along(in, 1e-3f - up, p->face));
        go_on(w, p->point, p->face, in, phxi_f3_all(reflected / often), 0);
        return;
    }
    phxi_f3 in = phxi_f3_along(phxi_f3_scale(-eta, out), eta * cosine - refracted, normal);
    float down = phxi_f3_dot(in, p->face);
    in = phxi_f3_unit(down < -1e-4f ? in : phxi_f3_along(in, -1e-3f - down, p->face));
    go_on(w, p->point, p->face, in, phxi_f3_all((1 - reflected) / (1 - often)), 0);
    w->straight = was_straight;
    w->medium = p->hit.from_outside ? look : NULL;
}

/// Beneath the surface until it comes out, at `p`; false: it does not.
static bool walk_within(walker* w, const phxi_surface_look* look, phxi_f3 color, place* p) {
    float mean = fminf((color.x + color.y + color.z) / 3, 0.99f);
    float scale = 1.9f - mean + 3.5f * (mean - 0.8f) * (mean - 0.8f), length = look->subsurface / scale, a, b;
    phxi_f3 albedo;
    float* to[3] = {&albedo.x, &albedo.y, &albedo.z};
    const float from[3] = {fminf(color.x, 0.99f), fminf(color.y, 0.99f), fminf(color.z, 0.99f)};
    for (int k = 0; k < 3; ++k) {
        *to[k] = 1 - expf(from[k] * (-5.09406f + from[k] * (2.61188f - 4.31805f * from[k])));
    }
    phxi_sampler_pair(w->sampler, &a, &b);
    phxi_f3 inward = phxi_f3_scale(-1, p->face), direction = phxi_cosine_direction(inward, a, b);
    phxi_f3 origin = off(w->scene, p->point, p->face, inward);
    for (int step = 0; step < MOST_STEPS; ++step) {
        place next;
        float way = -length * logf(fmaxf(1 - phxi_sampler_one(w->sampler), 1e-7f));
        if (!find(w->scene, origin, direction, &next)) {
            return false; // an open mesh
        }
        if (next.distance <= way) {
            *p = next;
            p->normal = phxi_f3_dot(next.normal, direction) > 0 ? next.normal : phxi_f3_scale(-1, next.normal);
            p->face = phxi_f3_dot(next.face, direction) > 0 ? next.face : phxi_f3_scale(-1, next.face);
            return true;
        }
        origin = phxi_f3_along(origin, way, direction);
        w->left = phxi_f3_mul(w->left, albedo);
        phxi_sampler_pair(w->sampler, &a, &b);
        float z = 1 - 2 * a, r = sqrtf(fmaxf(0, 1 - z * z)), angle = 2 * pi * b;
        direction = (phxi_f3){r * cosf(angle), r * sinf(angle), z};
        if (step > 8) {
            float stay = fminf(phxi_f3_most(w->left), 1);
            if (phxi_sampler_one(w->sampler) >= stay) {
                return false;
            }
            w->left = phxi_f3_scale(1 / stay, w->left);
        }
    }
    return true; // so long a walk in something so bright: it comes out where it went in
}

static bool meet_translucent(walker* w, place* p, const phxi_surface_look* look, phxi_f3 color) {
    phxi_f3 out = phxi_f3_scale(-1, w->direction);
    phxi_coat coat = phxi_coat_make(look, color, p->normal, out, w->bounces == 0);
    float choice = phxi_sampler_one(w->sampler);
    if (choice < coat.gloss) { // the layer alone
        coat.diffuse = 0;
        coat.color = (phxi_f3){0, 0, 0};
        w->left = phxi_f3_scale(1 / coat.gloss, w->left);
        coat.gloss = 1;
        scatter_from(w, &coat, p->point, p->face);
        return true;
    }
    w->left = phxi_f3_scale(coat.through / (1 - coat.gloss), w->left);
    if (!walk_within(w, look, color, p)) {
        return false;
    }
    static const phxi_surface_look chalk = {.ior = 1, .roughness = 1};
    phxi_coat exit = phxi_coat_make(&chalk, phxi_f3_all(1), p->normal, p->normal, false);
    w->direction = phxi_f3_scale(-1, p->normal); // Lambert's law does not ask where it goes
    scatter_from(w, &exit, p->point, p->face);
    return true;
}

static void note_first(walker* w, phxi_f3 albedo, phxi_f3 normal, float depth) {
    if (w->bounces == 0) {
        w->seen->albedo = albedo;
        w->seen->normal = normal;
        w->seen->depth = depth;
    }
}

static bool meet_floor(walker* w, const place* p) {
    float fade;
    phxi_f3 color = phxi_floor_color(w->scene->light, p->point, &fade);
    static const phxi_surface_look floor_look = {.ior = 1, .roughness = 1};
    add_light(w, phxi_f3_scale(fade, phxi_f3_mul(w->left, phxi_behind(w->scene->light, w->direction))));
    w->left = phxi_f3_scale(1 - fade, w->left);
    note_first(w, color, p->normal, p->distance);
    if (fade >= 1) {
        return false;
    }
    phxi_coat coat = phxi_coat_make(&floor_look, color, p->normal, phxi_f3_scale(-1, w->direction), w->bounces == 0);
    scatter_from(w, &coat, p->point, p->face);
    return true;
}

static bool meet_body(walker* w, place* p) {
    phxi_surface_look own = *p->hit.of->look;
    const phxi_surface_look* look = p->hit.of->look;
    const float* glow = p->hit.of->glow ? p->hit.of->glow + 3 * (size_t)p->hit.point : NULL;
    phxi_f3 color = phxi_f3_of(p->hit.color);
    bool clear =
        look->transmission > 0 && (look->transmission >= 1 || phxi_sampler_one(w->sampler) < look->transmission);
    note_first(w, clear ? phxi_f3_all(1) : color, p->normal, p->distance);
    if (glow) {
        add_light(w, phxi_f3_mul(w->left, phxi_f3_of(glow)));
    }
    if (clear) {
        pass_face(w, p, look);
        return true;
    }
    if (w->medium && !p->hit.from_outside) {
        w->medium = NULL;
    }
    if (p->hit.of->roughness) {
        own.roughness = p->hit.of->roughness[p->hit.point];
        look = &own;
    }
    if (look->subsurface > 0) {
        return meet_translucent(w, p, look, color);
    }
    phxi_coat coat = phxi_coat_make(look, color, p->normal, phxi_f3_scale(-1, w->direction), w->bounces == 0);
    scatter_from(w, &coat, p->point, p->face);
    return true;
}

/// Within a clear body that scatters: true if it happens before the next face.
static bool meet_cloud(walker* w, float distance) {
    if (!w->medium) {
        return false;
    }
    float a, b, rate = w->medium->scatter;
    float way = rate > 0 ? -logf(fmaxf(1 - phxi_sampler_one(w->sampler), 1e-7f)) / rate : INFINITY;
    w->left = phxi_f3_mul(w->left, faded(w->medium, fminf(way, distance)));
    if (way >= distance) {
        return false;
    }
    phxi_f3 at = phxi_f3_along(w->origin, way, w->direction);
    ask_lamp(w, at, (phxi_f3){0, 0, 1}, NULL, w->direction);
    phxi_sampler_pair(w->sampler, &a, &b);
    float z = 1 - 2 * a, r = sqrtf(fmaxf(0, 1 - z * z)), angle = 2 * pi * b;
    w->origin = at;
    w->direction = (phxi_f3){r * cosf(angle), r * sinf(angle), z};
    w->density = 1 / (4 * pi);
    w->straight = false;
    ++w->steps;
    return true;
}

/// Paths that carry little end by chance; those that go on carry what they did.
static bool survives(walker* w) {
    if (w->bounces + w->steps < SURE_BOUNCES) {
        return phxi_f3_most(w->left) > 0;
    }
    float stay = fminf(phxi_f3_most(w->left), 1);
    if (!(phxi_sampler_one(w->sampler) < stay)) {
        return false;
    }
    w->left = phxi_f3_scale(1 / stay, w->left);
    return true;
}

phxi_path phxi_path_trace(const phxi_path_scene* scene, phxi_f3 eye, phxi_f3 direction, phxi_sampler* sampler) {
    phxi_path seen = {.albedo = {1, 1, 1}, .normal = phxi_f3_scale(-1, direction), .depth = far_away};
    walker w = {.scene = scene,
                .sampler = sampler,
                .origin = eye,
                .direction = direction,
                .left = {1, 1, 1},
                .straight = true,
                .seen = &seen};
    while (w.bounces < MOST_BOUNCES && w.steps < MOST_STEPS && survives(&w)) {
        place p;
        bool hit = find(scene, w.origin, w.direction, &p);
        if (meet_cloud(&w, hit ? p.distance : far_away)) {
            continue;
        }
        if (!hit) {
            escape(&w);
            break;
        }
        if (!(p.floor ? meet_floor(&w, &p) : meet_body(&w, &p))) {
            break;
        }
        ++w.bounces;
    }
    seen.light = w.found;
    return seen;
}
