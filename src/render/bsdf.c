// SPDX-License-Identifier: MIT
#include "render/bsdf.h"

static const float pi = 3.14159265f;

phxi_f3 phxi_reflect(phxi_f3 out, phxi_f3 normal) {
    return phxi_f3_along(phxi_f3_scale(-1, out), 2 * phxi_f3_dot(out, normal), normal);
}

phxi_f3 phxi_cosine_direction(phxi_f3 normal, float a, float b) {
    float r = sqrtf(a), angle = 2 * pi * b;
    return phxi_f3_about(normal, r * cosf(angle), r * sinf(angle), sqrtf(fmaxf(0, 1 - a)));
}

float phxi_fresnel(float cosine, float eta, float* refracted) {
    float sine2 = eta * eta * (1 - cosine * cosine);
    if (sine2 >= 1) {
        *refracted = 0;
        return 1;
    }
    *refracted = sqrtf(1 - sine2);
    float across = (eta * cosine - *refracted) / (eta * cosine + *refracted);
    float along = (cosine - eta * *refracted) / (cosine + eta * *refracted);
    return 0.5f * (across * across + along * along);
}

static phxi_f3 schlick(phxi_f3 edge, float cosine) {
    float m = fminf(fmaxf(1 - cosine, 0), 1), m2 = m * m;
    return phxi_f3_along(edge, m2 * m2 * m, phxi_f3_sub(phxi_f3_all(1), edge));
}

phxi_f3 phxi_facet(phxi_f3 normal, phxi_f3 out, float alpha, float a, float b) {
    phxi_f3 x, y;
    phxi_f3_frame(normal, &x, &y);
    // the view, stretched so that the facets are those of a half sphere
    phxi_f3 v =
        phxi_f3_unit((phxi_f3){alpha * phxi_f3_dot(out, x), alpha * phxi_f3_dot(out, y), phxi_f3_dot(out, normal)});
    float flat = v.x * v.x + v.y * v.y;
    phxi_f3 t1 = flat > 0 ? phxi_f3_scale(1 / sqrtf(flat), (phxi_f3){-v.y, v.x, 0}) : (phxi_f3){1, 0, 0};
    phxi_f3 t2 = phxi_f3_cross(v, t1);
    float r = sqrtf(a), angle = 2 * pi * b, p1 = r * cosf(angle), p2 = r * sinf(angle), s = 0.5f * (1 + v.z);
    p2 = (1 - s) * sqrtf(fmaxf(0, 1 - p1 * p1)) + s * p2;
    float p3 = sqrtf(fmaxf(0, 1 - p1 * p1 - p2 * p2));
    phxi_f3 h = phxi_f3_along(phxi_f3_along(phxi_f3_scale(p1, t1), p2, t2), p3, v);
    return phxi_f3_unit(
        phxi_f3_along(phxi_f3_along(phxi_f3_scale(alpha * h.x, x), alpha * h.y, y), fmaxf(h.z, 1e-6f), normal));
}

/// Smith's shadowing: facets of a rough surface hide each other. Lambda of one direction.
static float hidden(float cosine, float alpha) {
    float c2 = cosine * cosine;
    return 0.5f * (sqrtf(1 + alpha * alpha * (1 - c2) / fmaxf(c2, 1e-8f)) - 1);
}

static float facet_density(float cosine, float alpha) {
    float a2 = alpha * alpha, d = cosine * cosine * (a2 - 1) + 1;
    return a2 / (pi * d * d);
}

phxi_coat phxi_coat_make(const phxi_surface_look* look, phxi_f3 color, phxi_f3 normal, phxi_f3 out, bool first) {
    float f0 = (look->ior - 1) / (look->ior + 1);
    phxi_f3 edge = phxi_f3_mix(phxi_f3_all(f0 * f0), color, look->metal);
    phxi_f3 seen = schlick(edge, phxi_f3_dot(normal, out));
    float bright = phxi_f3_most(seen), rest = (1 - look->metal) * (1 - bright) * phxi_f3_most(color);
    float gloss = bright + rest > 0 ? bright / (bright + rest) : 0;
    if (first && look->metal < 1 && gloss > 0) {
        gloss = fminf(fmaxf(gloss, 0.25f), 0.75f);
    }
    return (phxi_coat){normal, color, edge, phxi_alpha(look->roughness), 1 - look->metal, gloss, 1 - bright};
}

phxi_f3 phxi_coat_at(const phxi_coat* c, phxi_f3 out, phxi_f3 in, float* density) {
    float co = fmaxf(phxi_f3_dot(c->normal, out), 1e-4f), ci = phxi_f3_dot(c->normal, in);
    *density = 0;
    if (ci <= 0) {
        return (phxi_f3){0, 0, 0};
    }
    phxi_f3 half = phxi_f3_unit(phxi_f3_add(out, in));
    float d = facet_density(fmaxf(phxi_f3_dot(c->normal, half), 0), c->alpha), lo = hidden(co, c->alpha);
    float li = hidden(ci, c->alpha);
    phxi_f3 shine = phxi_f3_scale(d / (4 * co * (1 + lo + li)), schlick(c->edge, phxi_f3_dot(half, out)));
    *density = c->gloss * d / (4 * co * (1 + lo)) + (1 - c->gloss) * ci / pi;
    return phxi_f3_along(shine, c->diffuse * c->through * ci / pi, c->color);
}

phxi_f3 phxi_coat_sample(const phxi_coat* c, phxi_f3 out, float choice, float a, float b, phxi_f3* in, float* density) {
    *in = choice < c->gloss ? phxi_reflect(out, phxi_facet(c->normal, out, c->alpha, a, b))
                            : phxi_cosine_direction(c->normal, a, b);
    float up = phxi_f3_dot(*in, c->normal);
    if (up <= 1e-4f) { // lifted to the horizon: dropped it would leave black rims
        *in = phxi_f3_unit(phxi_f3_along(*in, 1e-3f - up, c->normal));
    }
    phxi_f3 f = phxi_coat_at(c, out, *in, density);
    return *density > 0 ? phxi_f3_scale(1 / *density, f) : (phxi_f3){0, 0, 0};
}
