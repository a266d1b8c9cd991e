// SPDX-License-Identifier: MIT
#include <phyxel/phyxel.h>

#include <stdio.h>

int main(void) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_result result = phx_world_create(&def, &world);
    phx_material_def rubber = phx_material_def_default();
    phx_material_id material;
    phx_body_id body;
    if (result == PHX_OK) {
        result = phx_material_create(world, &rubber, &material);
    }
    if (result == PHX_OK) {
        phx_body_def cube = phx_body_def_default();
        cube.shape = "box(size=(0.1, 0.1, 0.1))";
        cube.spacing = 0.02;
        cube.material = material;
        result = phx_body_create(world, &cube, &body);
    }
    if (result == PHX_OK) {
        result = phx_world_step(world, 0.01);
    }
    printf("phyxel %s: %d particles at %g s: %s\n", phx_version(), world ? phx_world_particles(world).count : 0,
           world ? phx_world_time(world) : 0, result == PHX_OK ? "fine" : phx_error_message());
    phx_world_destroy(world);
    return result != PHX_OK;
}
