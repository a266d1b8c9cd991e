// SPDX-License-Identifier: MIT
// Colour maps from a few control points (sRGB, as the maps are published), and colours of bodies.
#include "render/image.h"

#include <math.h>
#include <string.h>

enum { POINTS = 9 };
struct phxi_color_map {
    const char* name;
    unsigned char points[POINTS][3];
};

static const phxi_color_map maps[] = {
    {"viridis",
     {{68, 1, 84},
      {71, 44, 122},
      {59, 81, 139},
      {44, 113, 142},
      {33, 144, 141},
      {39, 173, 129},
      {92, 200, 99},
      {170, 220, 50},
      {253, 231, 37}}},
    {"inferno",
     {{0, 0, 4},
      {31, 12, 72},
      {85, 15, 109},
      {136, 34, 106},
      {186, 54, 85},
      {227, 89, 51},
      {249, 140, 10},
      {249, 201, 50},
      {252, 255, 164}}},
    {"coolwarm",
     {{59, 76, 192},
      {98, 130, 234},
      {141, 176, 254},
      {184, 208, 249},
      {221, 221, 221},
      {245, 196, 173},
      {244, 154, 123},
      {222, 96, 77},
      {180, 4, 38}}},
    {"grey",
     {{40, 40, 40},
      {66, 66, 66},
      {92, 92, 92},
      {118, 118, 118},
      {144, 144, 144},
      {170, 170, 170},
      {196, 196, 196},
      {222, 222, 222},
      {248, 248, 248}}},
};
enum { MAP_COUNT = sizeof maps / sizeof maps[0] };

const phxi_color_map* phxi_color_map_find(const char* name) {
    for (int i = 0; i < MAP_COUNT; ++i) {
        if (!name || strcmp(maps[i].name, name) == 0) {
            return &maps[i];
        }
    }
    phxi_fail(PHX_ERROR_ARGUMENT, "there is no colour map '%s', expected viridis, inferno, coolwarm or grey", name);
    return NULL;
}

static float linear_of(double srgb) {
    return (float)(srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4));
}

unsigned char phxi_srgb(float linear) {
    double v = linear <= 0 ? 0 : linear >= 1 ? 1 : (double)linear;
    return (unsigned char)lrint(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055));
}

void phxi_color_map_at(const phxi_color_map* map, double t, float rgb[3]) {
    if (isnan(t)) { // no value: grey
        rgb[0] = rgb[1] = rgb[2] = linear_of(0.6);
        return;
    }
    double at = fmin(fmax(t, 0), 1) * (POINTS - 1);
    int i = at >= POINTS - 1 ? POINTS - 2 : (int)at;
    for (int k = 0; k < 3; ++k) {
        rgb[k] = linear_of((map->points[i][k] + (at - i) * (map->points[i + 1][k] - map->points[i][k])) / 255);
    }
}

void phxi_color_of_body(int i, float rgb[3]) {
    // Steps of the golden angle around the colour circle never come back to the same hue.
    double hue = fmod(0.56 + 0.61803398875 * i, 1) * 6, x = 1 - fabs(fmod(hue, 2) - 1);
    double full[6][3] = {{1, x, 0}, {x, 1, 0}, {0, 1, x}, {0, x, 1}, {x, 0, 1}, {1, 0, x}};
    for (int k = 0; k < 3; ++k) {
        rgb[k] = linear_of(0.32 + 0.5 * full[(int)hue % 6][k]);
    }
}
