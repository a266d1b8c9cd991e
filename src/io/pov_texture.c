// SPDX-License-Identifier: MIT
// Looks as textures of POV-Ray, which has no rough reflections: what a rough surface reflects is shared out between
// sharp reflection, highlights of the lamps and diffuse light. Colours are told apart to 6 bits a channel, so a few
// hundred textures serve any number of points. What is translucent is drawn opaque.
#include "io/pov.h"

#include "render/image.h"

enum { COLOR_BITS = 6, GLOW_BITS = 6, ROUGHNESS_BITS = 4 };
static const float brightest_glow = 4;

static uint64_t bits_of(float value, int bits) {
    int levels = 1 << bits, level = (int)(fminf(fmaxf(value, 0), 1) * (float)(levels - 1) + 0.5f);
    return (uint64_t)level;
}

/// Points of one key look alike.
static uint64_t key_of(const phxi_pov_texture* t) {
    const float color[3] = {t->color.x, t->color.y, t->color.z}, glow[3] = {t->glow.x, t->glow.y, t->glow.z};
    uint64_t key = bits_of(t->roughness, ROUGHNESS_BITS);
    for (int k = 0; k < 3; ++k) {
        key = key << COLOR_BITS | (uint64_t)(phxi_srgb(color[k]) >> (8 - COLOR_BITS));
        key = key << GLOW_BITS | bits_of(sqrtf(fmaxf(glow[k], 0) / brightest_glow), GLOW_BITS);
    }
    return key;
}

phx_result phxi_pov_textures_find(phxi_heap* heap, int points, const float* colors, const float* glow,
                                  const float* roughness, const phxi_surface_look* look, phxi_pov_textures* textures) {
    phxi_key_table table = {.heap = heap};
    PHXI_NEW(textures->of_point, heap, points, "textures");
    phx_result result = PHX_OK;
    for (int i = 0; i < points && result == PHX_OK; ++i) {
        phxi_pov_texture t = {
            phxi_f3_of(colors + 3 * (size_t)i), {0, 0, 0}, roughness ? roughness[i] : look->roughness};
        t.glow = glow ? phxi_f3_of(glow + 3 * (size_t)i) : t.glow;
        int* slot = phxi_key_slot(&table, key_of(&t));
        if (slot && *slot < 0) { // the first of its kind speaks for all: one plain colour stays exact
            phxi_pov_texture* added = phxi_array_add(&textures->items, heap, "textures");
            if (added) {
                *added = t;
                *slot = textures->items.count - 1;
            }
        }
        result = slot && *slot >= 0 ? PHX_OK : PHX_ERROR_MEMORY;
        textures->of_point[i] = slot ? *slot : 0;
    }
    phxi_key_destroy(&table);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- texture

/// Blinn's exponent that is as wide as facets of this roughness, upside down as POV-Ray counts it.
static double highlight(float roughness) {
    double alpha = (double)roughness * (double)roughness;
    return fmin(fmax(0.5 * alpha * alpha, 0.0005), 1);
}

/// How much of what it reflects is sharp.
static double sharp(float roughness) {
    return pow(1 - (double)roughness, 3);
}

static void put_pair(FILE* out, const char* key, double value) {
    fprintf(out, " %s ", key);
    phxi_pov_number(out, value);
}

static void put_metal(FILE* out, const phxi_pov_texture* t) {
    double k = sharp(t->roughness);
    put_pair(out, "diffuse", 0.5 * (1 - k));
    put_pair(out, "specular albedo", 1 - k);
    fputs(" metallic 1", out);
    put_pair(out, "roughness", highlight(t->roughness));
    phxi_pov_color(out, " reflection {", phxi_f3_scale((float)k, t->color));
    fputs(" }", out);
}

static void put_opaque(FILE* out, const phxi_pov_texture* t, const phxi_surface_look* look) {
    double k = sharp(t->roughness), f0 = ((double)look->ior - 1) / ((double)look->ior + 1);
    put_pair(out, "diffuse", 1);
    put_pair(out, "specular albedo", (1 - k) * f0 * f0);
    put_pair(out, "roughness", highlight(t->roughness));
    if (k > 0.02) {
        put_pair(out, "reflection { 0,", k);
        fputs(" fresnel on } conserve_energy", out);
    }
}

void phxi_pov_put_textures(FILE* out, int part, const phxi_pov_textures* textures, const phxi_surface_look* look) {
    bool clear = look->transmission > 0.5f;
    for (int i = 0; i < textures->items.count; ++i) {
        const phxi_pov_texture* t = &textures->items.items[i];
        fprintf(out, "#declare T%d_%d = texture { pigment { ", part, i);
        if (clear) {
            fputs("rgbf 1 } finish { ambient 0 diffuse 0 reflection { 0, 1 fresnel on } conserve_energy", out);
        } else {
            phxi_pov_color(out, "", t->color);
            fputs(" } finish { ambient 0", out);
            look->metal > 0.5f ? put_metal(out, t) : put_opaque(out, t, look);
        }
        if (phxi_f3_most(t->glow) > 0 && !clear) { // POV-Ray multiplies it by the pigment
            phxi_f3 c = t->color;
            phxi_pov_color(
                out, " emission",
                (phxi_f3){t->glow.x / fmaxf(c.x, 1e-3f), t->glow.y / fmaxf(c.y, 1e-3f), t->glow.z / fmaxf(c.z, 1e-3f)});
        }
        fputs(" } }\n", out);
    }
}

void phxi_pov_put_interior(FILE* out, const phxi_surface_look* look) {
    const float* a = look->absorption;
    float most = fmaxf(a[0], fmaxf(a[1], a[2]));
    fputs("interior {", out);
    put_pair(out, "ior", (double)look->ior);
    if (look->transmission > 0.5f && most > 0) { // from 1000 on, fading is exp(-(1 - colour) way / distance)
        put_pair(out, "fade_power 1001 fade_distance", 1 / (double)most);
        phxi_pov_color(out, " fade_color", (phxi_f3){1 - a[0] / most, 1 - a[1] / most, 1 - a[2] / most});
    }
    fputs(" }\n", out);
}
