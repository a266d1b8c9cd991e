// SPDX-License-Identifier: MIT
#include "io/run_look.h"

#include "core/file.h"
#include "core/text.h"
#include "geometry/mesh.h"

#include <unistd.h>

static void put_vector(FILE* stream, const char* key, phx_vec3 v) {
    char x[32], y[32], z[32];
    phxi_format_double(v.x, x);
    phxi_format_double(v.y, y);
    phxi_format_double(v.z, z);
    fprintf(stream, "%s %s %s %s\n", key, x, y, z);
}

static phx_result save_camera(phxi_heap* heap, const phx_scene* scene, const char* path) {
    if (!scene->has_camera) {
        unlink(path); // of an earlier run
        return PHX_OK;
    }
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    put_vector(writer.stream, "eye", scene->camera.eye);
    put_vector(writer.stream, "target", scene->camera.target);
    put_vector(writer.stream, "up", scene->camera.up);
    char degrees[32];
    phxi_format_double(scene->camera.field_of_view, degrees);
    fprintf(writer.stream, "field_of_view %s\n", degrees);
    return phxi_file_commit(&writer);
}

// The surface of a body before anything moved.
static phx_result make_mesh(const phxi_scene_body* body, phx_mesh** mesh) {
    const phx_body_def* def = &body->def;
    phx_mesh* local = NULL;
    PHXI_TRY(body->mesh ? phx_mesh_load(body->mesh, &local)
                        : phx_mesh_from_shape(def->shape, 0.5 * def->spacing / def->scale, &local));
    phx_result result = phxi_mesh_transformed(local, def->scale, def->rotate, def->translate, NULL, mesh);
    phx_mesh_destroy(local);
    return result;
}

static phx_result save_mesh(phxi_heap* heap, const phxi_scene_body* body, const char* folder, const char* name) {
    char* path = phxi_path_join(heap, folder, name);
    phx_mesh* mesh = NULL;
    phx_result result = path ? make_mesh(body, &mesh) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = phx_mesh_save(mesh, path);
    } else if (result != PHX_ERROR_MEMORY) {
        phxi_fail_within(result, "the skin of body '%s'", body->def.name);
    }
    phx_mesh_destroy(mesh);
    phxi_free(heap, path);
    return result;
}

static phx_result make_folder(phxi_heap* heap, const char* folder) {
    char* bodies = phxi_path_join(heap, folder, "bodies");
    phx_result result = bodies ? phxi_make_folder(bodies) : PHX_ERROR_MEMORY;
    phxi_free(heap, bodies);
    return result;
}

static phx_result save_bodies(phxi_heap* heap, const phx_scene* scene, const char* folder, const char* path) {
    bool skin = scene->run.skin;
    phx_result result = skin ? make_folder(heap, folder) : PHX_OK;
    PHXI_TRY(result);
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs("body,name,shown,mesh\n", writer.stream);
    for (int i = 0; result == PHX_OK && i < scene->bodies.count; ++i) {
        const phxi_scene_body* body = &scene->bodies.items[i];
        char mesh[100] = "";
        if (skin) {
            snprintf(mesh, sizeof mesh, "bodies/%s.obj", body->def.name);
            result = save_mesh(heap, body, folder, mesh);
        }
        fprintf(writer.stream, "%d,%s,%d,%s\n", i, body->def.name, body->shown, mesh);
    }
    if (result != PHX_OK) {
        phxi_file_abandon(&writer);
        return result;
    }
    return phxi_file_commit(&writer);
}

phx_result phxi_look_save(phxi_heap* heap, const phx_scene* scene, const char* folder) {
    char *camera = phxi_path_join(heap, folder, "camera.txt"), *bodies = phxi_path_join(heap, folder, "bodies.csv");
    phx_result result = camera && bodies ? save_camera(heap, scene, camera) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = save_bodies(heap, scene, folder, bodies);
    }
    phxi_free(heap, camera);
    phxi_free(heap, bodies);
    return result;
}
