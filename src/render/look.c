// SPDX-License-Identifier: MIT
// Looks of presets were judged by eye on bodies of 5 to 30 cm; none is measured.
#include "render/look.h"

#include "core/error.h"
#include "core/params.h"

#include <phyxel/world.h>

#include <math.h>
#include <string.h>

enum { LOOK_STAMP = 0x4c4f4f32 };

#define COLOR(field, initial, help)                                                                                    \
    { #field, PHX_PARAM_VEC3, offsetof(phx_look, field), "", help, initial, 0, 1, false, NULL }

static const phx_param params[] = {
    COLOR(color, "0.8, 0.8, 0.8", "linear red, green, blue of an opaque body, 0 to 1"),
    PHXI_REAL(phx_look, roughness, "", "0.45", 0, 1, "0: a mirror, 1: chalk"),
    PHXI_REAL(phx_look, metal, "", "0", 0, 1, "1: metal; between: a mixture"),
    PHXI_REAL(phx_look, transmission, "", "0", 0, 1, "1: clear, as glass and water are"),
    PHXI_REAL(phx_look, ior, "", "1.5", 1, 4, "index of refraction; 1: no gloss"),
    COLOR(tint, "1, 1, 1", "of clear bodies: what is left of white light after `depth`"),
    PHXI_REAL(phx_look, depth, "radii", "0", 0, 1e6,
              "way through a clear body after which its `tint` is left; 0: no tint"),
    PHXI_REAL(phx_look, scatter, "1/radius", "0", 0, 1e6, "how often light is scattered in a clear body: cloudiness"),
    PHXI_REAL(phx_look, subsurface, "radii", "0", 0, 1,
              "how far light goes beneath the surface of an opaque body, as in wax"),
    PHXI_INT(phx_look, grains, "0", 0, 1000, "of sand and snow: stones drawn for each particle; 0: 24"),
    PHXI_REAL(phx_look, vary, "", "0", 0, 1, "how much the colours of these stones differ"),
    PHXI_REAL(phx_look, glow_from, "C", "0", -300, 1e5, "temperature at which it begins to glow"),
    PHXI_REAL(phx_look, glow_full, "C", "0", -300, 1e5,
              "temperature at which it glows bright; not above glow_from: it does not"),
    PHXI_REAL(phx_look, wet_roughness, "", "0", 0, 1, "roughness of what is molten; 0: the same"),
};

const phx_param_table phxi_look_table = {"look",
                                         "what a body looks like in pictures (key `look` of a material or a body)",
                                         params, (int)(sizeof params / sizeof *params), sizeof(phx_look)};

phx_look phx_look_default(void) {
    phx_look look;
    phxi_params_defaults(&phxi_look_table, &look);
    look.stamp = LOOK_STAMP;
    return look;
}

phx_look phxi_look_of_obstacles(void) {
    phx_look look = phx_look_default();
    look.color = (phx_vec3){0.33, 0.33, 0.33};
    look.roughness = 0.6;
    return look;
}

phx_result phxi_look_check(const phx_look* look) {
    if (look->stamp != LOOK_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "expected a look from phx_look_default()");
    }
    return phxi_params_check(&phxi_look_table, look);
}

phxi_surface_look phxi_look_in_meters(const phx_look* look, double size) {
    double radius = size > 0 ? size : 1;
    phxi_surface_look in = {(float)look->roughness,
                            (float)look->metal,
                            (float)look->transmission,
                            (float)look->ior,
                            {0, 0, 0},
                            (float)(look->scatter / radius),
                            (float)(look->subsurface * radius)};
    const double tint[3] = {look->tint.x, look->tint.y, look->tint.z};
    for (int k = 0; k < 3 && look->depth > 0; ++k) {
        in.absorption[k] = (float)(-log(fmax(tint[k], 1e-4)) / (look->depth * radius));
    }
    return in;
}

// ------------------------------------------------------------------------------------------------------------- presets

typedef struct preset_look {
    const char* name;
    phx_look look;
} preset_look;

#define BASE                       .ior = 1.5, .tint = {1, 1, 1}, .stamp = LOOK_STAMP
#define OPAQUE(r, g, b, rough)     BASE, .color = {r, g, b}, .roughness = rough
#define SOFT(r, g, b, rough, deep) OPAQUE(r, g, b, rough), .subsurface = deep
#define METAL(r, g, b, rough)      OPAQUE(r, g, b, rough), .metal = 1
#define CLEAR(r, g, b, rough, index, deep)                                                                             \
    .ior = index, .tint = {r, g, b}, .stamp = LOOK_STAMP, .color = {r, g, b}, .roughness = rough, .transmission = 1,   \
    .depth = deep

static const preset_look looks[] = {
    {"rubber", {OPAQUE(0.035, 0.035, 0.04, 0.42)}},
    {"silicone", {SOFT(0.55, 0.57, 0.58, 0.35, 0.04)}},
    {"jelly", {CLEAR(0.92, 0.13, 0.06, 0.06, 1.36, 0.7), .scatter = 0.2}},
    {"gelatin", {CLEAR(0.95, 0.62, 0.20, 0.06, 1.36, 0.7), .scatter = 0.2}},
    {"muscle", {SOFT(0.45, 0.10, 0.08, 0.35, 0.03)}},
    {"dough", {SOFT(0.78, 0.66, 0.48, 0.6, 0.03)}},
    {"clay", {OPAQUE(0.42, 0.22, 0.14, 0.65)}},
    {"foam", {OPAQUE(0.75, 0.78, 0.80, 0.7)}},
    {"cork", {OPAQUE(0.40, 0.24, 0.12, 0.8)}},
    {"wood", {OPAQUE(0.42, 0.25, 0.12, 0.5)}},
    {"bone", {SOFT(0.78, 0.72, 0.60, 0.45, 0.03)}},
    {"aluminium", {METAL(0.86, 0.87, 0.88, 0.28)}},
    {"lead", {METAL(0.32, 0.33, 0.35, 0.45)}},
    {"steel", {METAL(0.56, 0.55, 0.54, 0.22)}},
    {"concrete", {OPAQUE(0.36, 0.355, 0.34, 0.85)}},
    {"plaster", {OPAQUE(0.80, 0.79, 0.76, 0.75)}},
    {"glass", {CLEAR(0.72, 0.92, 0.84, 0, 1.5, 1.1)}},
    {"ice", {CLEAR(0.70, 0.88, 0.95, 0.08, 1.31, 1.1)}},
    {"sand", {OPAQUE(0.62, 0.46, 0.29, 0.8), .grains = 24, .vary = 0.55}},
    {"wet_sand", {OPAQUE(0.30, 0.21, 0.13, 0.5), .grains = 24, .vary = 0.55}},
    {"snow", {OPAQUE(0.93, 0.95, 0.97, 0.7), .grains = 40, .vary = 0.05}},
    {"slime", {CLEAR(0.25, 0.80, 0.15, 0.08, 1.35, 0.45)}},
    {"water", {CLEAR(0.45, 0.80, 0.90, 0, 1.333, 1.9)}},
    {"honey", {CLEAR(0.92, 0.48, 0.06, 0.03, 1.49, 0.45)}},
    {"toothpaste", {SOFT(0.75, 0.88, 0.86, 0.2, 0.03)}},
    {"wax", {SOFT(0.88, 0.76, 0.55, 0.42, 0.05), .wet_roughness = 0.1}},
    {"chocolate", {SOFT(0.095, 0.033, 0.013, 0.42, 0.01), .wet_roughness = 0.1}},
    {"lava", {OPAQUE(0.03, 0.028, 0.027, 0.75), .glow_from = 960, .glow_full = 1200}},
};

phx_result phx_look_of_preset(const char* preset, phx_look* look) {
    const phx_preset* found;
    if (!preset || !look) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a look needs the name of a preset and a place");
    }
    PHXI_TRY(phx_preset_find(preset, &found));
    *look = phx_look_default();
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; ++i) {
        if (strcmp(looks[i].name, found->name) == 0) {
            *look = looks[i].look;
        }
    }
    return PHX_OK;
}

phx_look phx_look_of_number(int body) {
    static const double colors[6][3] = {{0.16, 0.34, 0.62}, {0.70, 0.24, 0.14}, {0.24, 0.46, 0.22},
                                        {0.74, 0.52, 0.16}, {0.42, 0.24, 0.50}, {0.20, 0.48, 0.50}};
    phx_look look = phx_look_default();
    const double* c = colors[body < 0 ? 0 : body % 6];
    look.color = (phx_vec3){c[0], c[1], c[2]};
    return look;
}
