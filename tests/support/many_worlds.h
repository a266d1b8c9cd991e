// SPDX-License-Identifier: MIT
// Small worlds of every method, with explicit and implicit steps, contact, heat, drivers, obstacles and cracks:
// whatever a checkpoint can hold. For the test and the fuzzer of damaged checkpoints.
#pragma once

#include <phyxel/io.h>

#include <string.h>

#define PHXT_FLOOR "colliders: {floor: {shape: 'plane(point=(0, 0, -0.5))'}}\n"
#define PHXT_TWO(method, more)                                                                                         \
    "bodies:\n"                                                                                                        \
    "  a: {shape: 'box(size=(1, 1, 1))', spacing: 0.34, material: m, method: " method ", velocity: [0, 0, -2]" more    \
    "}\n"                                                                                                              \
    "  b: {shape: 'box(center=(0, 0, 1.05), size=(1, 1, 1))', spacing: 0.34, material: m, method: " method             \
    ", temperature: 80, velocity: [0, 0, -3]" more "}\n"
#define PHXT_SOFT  "materials: {m: {young: 1e5, density: 1000, conductivity: 50, exchange: 10}}\n"
#define PHXT_BREAK "materials: {m: {young: 1e5, density: 1000, strength: 500, strength_noise: 0.05}}\n"
#define PHXT_FLUID "materials: {m: {fluid: true, viscosity: 1, density: 1000, conductivity: 1}}\n"
#define PHXT_SAND  "materials: {m: {law: hencky, friction_angle: 30, cohesion: 600, young: 1e5}}\n"
#define PHXT_PULL                                                                                                      \
    "drivers:\n"                                                                                                       \
    "  hold: {kind: pin, body: a, region: 'box(center=(0, 0, -0.4), size=(2, 2, 0.4))'}\n"                             \
    "  pull: {kind: move, body: b, region: 'box(center=(0, 0, 1.5), size=(2, 2, 0.4))', vector: [0, 0, 2], ramp: "     \
    "0.1}\n"

static const char* const phxt_many_worlds[] = {
    PHXT_SOFT PHXT_TWO("efg", "") PHXT_FLOOR
    "drivers:\n  warm: {kind: heat, body: a, power: 100}\n  push: {kind: force, body: b, vector: [1, 0, 0]}\n",
    PHXT_SOFT PHXT_TWO("efg", ", efg: {integrator: bdf2}") PHXT_FLOOR PHXT_PULL,
    "materials: {m: {young: 1e5, density: 1000, strength: 500}}\n"
    "bodies: {a: {shape: 'box(size=(1, 1, 2.5))', spacing: 0.34, material: m, method: efg, efg: {fracture: facets}}}\n"
    "drivers:\n"
    "  hold: {kind: pin, body: a, region: 'box(center=(0, 0, -1), size=(2, 2, 0.6))'}\n"
    "  pull: {kind: velocity, body: a, region: 'box(center=(0, 0, 1), size=(2, 2, 0.6))', vector: [0, 0, 3]}\n",
    "materials: {m: {young: 1e5, density: 1000, strength: 500, toughness: 20}}\n"
    "bodies: {a: {shape: 'box(size=(1, 1, 2.5))', spacing: 0.34, material: m, method: efg, efg: {fracture: front}}}\n"
    "drivers:\n"
    "  hold: {kind: pin, body: a, region: 'box(center=(0, 0, -1), size=(2, 2, 0.6))'}\n"
    "  pull: {kind: velocity, body: a, region: 'box(center=(0, 0, 1), size=(2, 2, 0.6))', vector: [0, 0, 3]}\n",
    "materials: {m: {young: 1e5, density: 1000}}\n"
    "bodies: {a: {shape: 'box(size=(1, 1, 2.5))', spacing: 0.34, material: m, method: efg,\n"
    "             efg: {adaptive: on, adaptive_stretch: 1.1}}}\n"
    "drivers:\n"
    "  hold: {kind: pin, body: a, region: 'box(center=(0, 0, -1), size=(2, 2, 0.6))'}\n"
    "  pull: {kind: velocity, body: a, region: 'box(center=(0, 0, 1), size=(2, 2, 0.6))', vector: [0, 0, 12]}\n",
    PHXT_SOFT PHXT_TWO("corotated_sph", "") PHXT_FLOOR PHXT_PULL,
    PHXT_SOFT PHXT_TWO("elastoplastic_sph", "") PHXT_FLOOR,
    PHXT_SOFT PHXT_TWO("elastoplastic_sph", ", elastoplastic_sph: {integrator: bdf2}") PHXT_FLOOR,
    PHXT_SOFT PHXT_TWO("fem", "") PHXT_FLOOR,
    PHXT_SOFT PHXT_TWO("fem", ", fem: {integrator: bdf2}") PHXT_FLOOR,
    PHXT_BREAK PHXT_TWO("peridynamics", "") PHXT_PULL,
    PHXT_SOFT PHXT_TWO("peridynamics", ", peridynamics: {integrator: bdf2}") PHXT_FLOOR,
    "materials: {m: {young: 1e5, density: 1000, yield: 0.01, creep: 10}}\n" PHXT_TWO("peridynamics", "") PHXT_FLOOR,
    PHXT_SAND PHXT_TWO("granular", "") PHXT_FLOOR,
    PHXT_SAND PHXT_TWO("granular", ", granular: {integrator: implicit}") PHXT_FLOOR,
    PHXT_SAND PHXT_TWO("mpm", "") PHXT_FLOOR,
    PHXT_SOFT PHXT_TWO("mpm", ", mpm: {implicit: 10}") PHXT_FLOOR,
    PHXT_FLUID PHXT_TWO("wcsph", "") PHXT_FLOOR,
    PHXT_FLUID PHXT_TWO("wcsph", ", wcsph: {viscosity: implicit}") PHXT_FLOOR,
    PHXT_SOFT PHXT_TWO("rigid", "") PHXT_FLOOR "drivers: {lift: {kind: spin, collider: floor, angle: 10}}\n",
    "materials: {m: {fluid: true, viscosity: 1, density: 1000}, stone: {young: 1e6}}\n"
    "bodies:\n"
    "  tank: {shape: 'box(center=(0, 0, -1), size=(2, 2, 1))', spacing: 0.34, material: stone, method: wall}\n"
    "  water: {shape: 'box(size=(1, 1, 1))', spacing: 0.34, material: m, method: wcsph}\n"
    "  ball: {shape: 'sphere(center=(0, 0, 1.2), radius=0.5)', spacing: 0.34, material: stone, method: rigid}\n"
    "  jelly: {shape: 'box(center=(3, 0, 0), size=(1, 1, 1))', spacing: 0.34, material: stone, method: efg,\n"
    "          efg: {integrator: implicit_euler}}\n"};
enum { PHXT_MANY_WORLDS = sizeof phxt_many_worlds / sizeof *phxt_many_worlds };

/// World k after some steps, in which things touch, break and split; NULL: it cannot be made.
static inline phx_world* phxt_many_world(int k) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    const char* text = phxt_many_worlds[k];
    phx_result result = phx_scene_parse("many.yaml", text, strlen(text), NULL, NULL, &scene);
    result = result == PHX_OK ? phx_scene_build(scene, &def, &world) : result;
    phx_scene_destroy(scene);
    result = result == PHX_OK ? phx_world_step(world, 0.05) : result;
    if (result != PHX_OK) {
        phx_world_destroy(world); // keeps the message
        return NULL;
    }
    return world;
}
