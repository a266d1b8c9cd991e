// SPDX-License-Identifier: MIT
// Every parameter table of the library in one row: definitions, methods, scene and run.
#include "io/scene.h"
#include "render/look.h"
#include "world/world.h"

static const phx_param_table* const DEFINITIONS[] = {&phxi_world_table,    &phxi_material_table, &phxi_body_table,
                                                     &phxi_collider_table, &phxi_driver_table,   &phxi_probe_table};
static const phx_param_table* const SCENE[] = {&phxi_run_table,
                                               &phxi_static_table,
                                               &phxi_camera_table,
                                               &phxi_scene_table,
                                               &phxi_scene_material_table,
                                               &phxi_scene_body_table,
                                               &phxi_scene_collider_table,
                                               &phxi_look_table};

enum { DEFINITION_COUNT = sizeof DEFINITIONS / sizeof DEFINITIONS[0], SCENE_COUNT = sizeof SCENE / sizeof SCENE[0] };

const phx_param_table* phx_param_table_at(int i) {
    if (i < 0) {
        return NULL;
    }
    if (i < DEFINITION_COUNT) {
        return DEFINITIONS[i];
    }
    i -= DEFINITION_COUNT;
    if (i < phx_method_count()) {
        return phx_method_params(i);
    }
    i -= phx_method_count();
    return i < SCENE_COUNT ? SCENE[i] : NULL;
}
