// SPDX-License-Identifier: MIT
// A scene of a few dozen particles in which everything happens: two bodies, a fall on a floor, drivers whose windows
// open and close, probes. For tests of frames, checkpoints and runs.
#pragma once

#include "support/test.h"

static const char SMALL_SCENE[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "materials: {soft: {young: 1e4, density: 1000, poisson: 0.3}}\n"
    "bodies:\n"
    "  block: {shape: \"box(center=(0, 0, 0.12), size=(0.2, 0.2, 0.2))\", spacing: 0.05, material: soft}\n"
    "  ball: {shape: \"sphere(center=(0.5, 0, 0.2), radius=0.1)\", spacing: 0.05, material: soft, velocity: [0, 1, "
    "0]}\n"
    "colliders: {floor: {shape: plane()}}\n"
    "drivers:\n"
    "  pull: {kind: move, body: block, region: \"box(center=(0, 0, 0.2), size=(1, 1, 0.05))\", vector: [0.02, 0, 0],\n"
    "         ramp: 0.05, start: 0.01, end: 0.06}\n"
    "  push: {kind: force, body: ball, vector: [0, 0.1, 0], start: 0.02}\n"
    "probes:\n"
    "  all: {every: 0.01}\n"
    "  ball: {body: ball}\n"
    "run: {duration: 0.1, fps: 25, formats: [vtp], fields: [velocity, speed], checkpoint_every: 0}\n";

static inline phx_scene* small_scene(const char* const* overrides) {
    phx_scene* scene = NULL;
    ENSURE_OK(phx_scene_parse("small.yaml", SMALL_SCENE, sizeof SMALL_SCENE - 1, NULL, overrides, &scene));
    return scene;
}

static inline phx_world* small_world(const char* const* overrides) {
    phx_scene* scene = small_scene(overrides);
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    phx_world* world = NULL;
    if (scene) {
        ENSURE_OK(phx_scene_build(scene, &def, &world));
    }
    phx_scene_destroy(scene);
    return world;
}
