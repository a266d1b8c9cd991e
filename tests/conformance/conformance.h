// SPDX-License-Identifier: MIT
// The conformance suite: every method of the table, in each of its settings, alone and with every other, goes through
// the same scenes, and mass, both momenta and energy are held to the same bounds.
//
//   variants.c  what there is to try: methods times settings, found in the parameter tables
//   natures.c   what the suite must know of a method and cannot ask it: its material, whom it cannot meet
//   scenes.c    worlds of one body or two
//   cases.c     what is done with them and what must come out
//   test_conformance.c  the loop, the report, the list of what is known to be red
//
// A method enters by its line in method_table.c. Nothing here names one, but natures.c.
#pragma once

#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <stdarg.h>

/// A method in one of its settings.
typedef struct variant {
    const phxi_method* method;
    char name[64];       // "efg.implicit"; "rigid" if there is one setting only
    phx_setting setting; // name NULL: none
    char value[32];      // of the setting
    bool kinematic;      // moved by drivers alone: it stands
    int sampling;        // PHX_SAMPLING_AUTO, or another one than that is
} variant;

enum { MAX_VARIANTS = 64 };
/// All variants, in the order of the table of methods.
int variants_find(variant list[MAX_VARIANTS]);

/// What a material has to be for a method to make sense.
typedef enum material_kind { ELASTIC, FLUID, GRAINS } material_kind;
material_kind nature_material(const phxi_method* method);
/// Whether a body keeps its shape, so that a stack of it stands.
static inline bool nature_keeps_shape(const phxi_method* method) {
    return nature_material(method) == ELASTIC;
}
/// Roundings a substep that momenta may be off by, and what angular momentum is kept to where that is less than usual.
double nature_rounding(const phxi_method* method);
double nature_angular(const phxi_method* method);
/// Whether velocities of its explicit steps are half a substep ahead of the forces that others exert, which are known
/// at the beginning of a substep only: v(t + dt) = v(t + dt/2) + dt/2 f(t)/m.
bool nature_runs_ahead(const phxi_method* method);
/// Why two variants (b NULL: one alone) cannot be in one world, which refuses them; NULL: they can.
const char* nature_refusal(const variant* a, const variant* b);
/// Why two bodies pass through each other; NULL: they touch.
const char* nature_passes(const variant* a, const variant* b);

/// One or two bodies, in the order they are made.
typedef struct test_cast {
    const variant* bodies[2]; // second NULL: one alone
    int count;
} test_cast;

typedef struct placing {
    phx_vec3 size;              // m, of a block; x alone: the diameter of a ball
    phx_vec3 rotate, translate; // degrees, m
    phx_vec3 velocity, spin;    // m/s, rad/s
} placing;

typedef struct test_scene {
    placing places[2];
    phx_vec3 gravity;
    bool floor; // a collider, plane()
    double friction;
    double dt;     // s, of substeps; 0: chosen
    double warmth; // K by which "one" is warmer than where it was made; "two" is not, and heat flows; 0: there is none
} test_scene;

/// Spacing of all bodies, m; what bodies of solids are as stiff as, Pa.
#define SPACING 0.02
#define YOUNG   1e5
/// Of solids that expand, in scenes with warmth, 1/K.
#define EXPANSION 2e-4
static inline bool expands(const variant* v) {
    return v->method->laws != PHXI_LAWS_SHAPE_KEPT && (v->method->laws & PHXI_LAW_EXPAND);
}
/// NULL: phx_error_message tells why.
phx_world* scene_build(const test_scene* scene, const test_cast* cast, int threads);

/// What came out of a case: red if `red` is not empty; `numbers` are measured ones.
typedef struct test_outcome {
    char red[512], numbers[256];
} test_outcome;

typedef struct test_case {
    const char* name;
    const char* summary;
    void (*run)(const test_cast* cast, test_outcome* outcome);
    bool both_orders; // who stands on whom matters
} test_case;
extern const test_case test_cases[];
extern const int test_case_count;
