// SPDX-License-Identifier: MIT
#include "io/run_look.h"

#include "core/file.h"
#include "core/text.h"
#include "geometry/mesh.h"
#include "io/scene_place.h"
#include "materials/laws.h"
#include "render/look.h"
#include "world/world.h"

#include <math.h>
#include <string.h>
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
static phx_result make_mesh(const phx_scene* scene, const phxi_scene_body* body, phx_mesh** mesh) {
    phx_body_def def;
    phx_mesh* local = NULL;
    PHXI_TRY(phxi_scene_place_body(scene, body, NULL, &def, &local));
    phx_result result = local ? PHX_OK : phx_mesh_from_shape(def.shape, 0.5 * def.spacing / def.scale, &local);
    result = result == PHX_OK ? phxi_mesh_transformed(local, def.scale, def.rotate, def.translate, NULL, mesh) : result;
    phx_mesh_destroy(local);
    return result;
}

static phx_result save_mesh(phxi_heap* heap, const phx_scene* scene, const phxi_scene_body* body, const char* folder,
                            const char* name) {
    char* path = phxi_path_join(heap, folder, name);
    phx_mesh* mesh = NULL;
    phx_result result = path ? make_mesh(scene, body, &mesh) : PHX_ERROR_MEMORY;
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

// ------------------------------------------------------------------------------------------------------ how it is
// drawn

static double setting_of(const phx_world* world, const phxi_body* body, const char* name) {
    const phx_param_table* table = world->solvers.items[body->solver].method->params;
    for (int i = 0; table && i < table->count; ++i) {
        const phx_param* param = &table->params[i];
        if (param->kind == PHX_PARAM_REAL && strcmp(param->name, name) == 0) {
            double value;
            memcpy(&value, (const char*)body->params + param->offset, sizeof value);
            return value;
        }
    }
    return 0;
}

/// What its material and method ask for. (Bodies that break are drawn by their cracks, whatever this says.)
static int draw_of(const phx_world* world, const phxi_body* body) {
    bool rigid = world->solvers.items[body->solver].method->laws == PHXI_LAWS_SHAPE_KEPT;
    uint32_t laws = rigid ? 0 : phxi_material_laws(&body->material);
    if (laws & PHXI_LAW_SNOW || (laws & PHXI_LAW_GRAINS && body->material.friction_angle > 5)) {
        return PHX_DRAW_GRAINS;
    }
    if (laws & (PHXI_LAW_FLUID | PHXI_LAW_MELT | PHXI_LAW_GRAINS)) { // slime has cohesion and hardly an angle
        return PHX_DRAW_LIQUID;
    }
    return setting_of(world, body, "radius") > 0      ? PHX_DRAW_TUBE
           : setting_of(world, body, "thickness") > 0 ? PHX_DRAW_SHEET
                                                      : PHX_DRAW_SKIN;
}

static double thickness_of(const phx_world* world, const phxi_body* body) {
    double radius = setting_of(world, body, "radius");
    return radius > 0 ? 2 * radius : setting_of(world, body, "thickness");
}

/// Of one particle, m^3: the mean.
static double volume_of(const phx_world* world, const phxi_body* body) {
    double sum = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        sum += (double)world->particles.volume[i];
    }
    return body->count > 0 ? sum / body->count : 0;
}

static void put_look(FILE* stream, const phx_look* look) {
    for (int i = 0; i < phxi_look_table.count; ++i) {
        const phx_param* param = &phxi_look_table.params[i];
        const char* value = (const char*)look + param->offset;
        char text[3][32] = {"", "", ""};
        if (param->kind == PHX_PARAM_VEC3) {
            const phx_vec3* v = (const phx_vec3*)(const void*)value;
            phxi_format_double(v->x, text[0]);
            phxi_format_double(v->y, text[1]);
            phxi_format_double(v->z, text[2]);
            fprintf(stream, "%s%s=%s %s %s", i ? ";" : "", param->name, text[0], text[1], text[2]);
        } else if (param->kind == PHX_PARAM_INT) {
            fprintf(stream, "%s%s=%d", i ? ";" : "", param->name, *(const int*)(const void*)value);
        } else {
            phxi_format_double(*(const double*)(const void*)value, text[0]);
            fprintf(stream, "%s%s=%s", i ? ";" : "", param->name, text[0]);
        }
    }
}

static phx_result save_body(phxi_heap* heap, const phx_scene* scene, const phx_world* world, int i, const char* folder,
                            FILE* stream) {
    const phxi_scene_body* body = &scene->bodies.items[i];
    const phxi_body* made = &world->bodies.items[i]; // the scene's bodies are the world's, in the same order
    int draw = body->draw != PHX_DRAW_AUTO ? body->draw : draw_of(world, made);
    char mesh[100] = "", spacing[32], volume[32], thickness[32], solidus[32], liquidus[32];
    if (scene->run.formats && (scene->run.skin || draw == PHX_DRAW_SKIN)) { // without frames there are no pictures
        snprintf(mesh, sizeof mesh, "bodies/%s.obj", body->def.name);
        PHXI_TRY(save_mesh(heap, scene, body, folder, mesh));
    }
    phxi_format_double(body->def.spacing, spacing);
    phxi_format_double(volume_of(world, made), volume);
    phxi_format_double(thickness_of(world, made), thickness);
    phxi_format_double(made->material.solidus, solidus);
    phxi_format_double(made->material.liquidus, liquidus);
    fprintf(stream, "%d,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,", i, body->def.name, body->shown, mesh, phxi_draw_words[draw],
            made->kinematic ? "wall" : world->solvers.items[made->solver].method->name,
            scene->materials.items[body->material].name, spacing, volume, thickness, solidus, liquidus);
    put_look(stream, &body->look);
    fputc('\n', stream);
    return PHX_OK;
}

static phx_result save_bodies(phxi_heap* heap, const phx_scene* scene, const phx_world* world, const char* folder,
                              const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(make_folder(heap, folder));
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs(PHXI_BODIES_HEAD, writer.stream);
    phx_result result = PHX_OK;
    for (int i = 0; result == PHX_OK && i < scene->bodies.count; ++i) {
        result = save_body(heap, scene, world, i, folder, writer.stream);
    }
    if (result != PHX_OK) {
        phxi_file_abandon(&writer);
        return result;
    }
    return phxi_file_commit(&writer);
}

/// Looks of colliders, by the numbers in the frames of obstacles.
static phx_result save_obstacles(phxi_heap* heap, const phx_scene* scene, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs(PHXI_OBSTACLES_HEAD, writer.stream);
    for (int c = 0; c < scene->colliders.count; ++c) {
        fprintf(writer.stream, "%d,%s,", c, scene->colliders.items[c].def.name);
        put_look(writer.stream, &scene->colliders.items[c].look);
        fputc('\n', writer.stream);
    }
    return phxi_file_commit(&writer);
}

/// Whether a shape is a half space, however it was written: its distance is the same linear function everywhere.
static bool is_plane(const phxi_shape* shape, phx_vec3* point, phx_vec3* normal) {
    static const phx_vec3 places[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-3, -2, 5}, {7, -11, -2}};
    phxi_box box;
    double height = phxi_shape_distance_normal(shape, (phx_vec3){0, 0, 0}, normal);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        double expected = height + phxi_dot(places[i], *normal);
        if (!(fabs(phxi_shape_distance(shape, places[i]) - expected) < 1e-9 * (1 + fabs(expected)))) {
            return false;
        }
    }
    *point = phxi_scale(-height, *normal);
    return !phxi_shape_bounds(shape, &box);
}

/// Planes: half spaces that are where they were.
static phx_result save_walls(phxi_heap* heap, const phx_world* world, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs(PHXI_WALLS_HEAD, writer.stream);
    for (int c = 0; c < world->colliders.count; ++c) {
        const phxi_collider* collider = &world->colliders.items[c];
        phx_vec3 point, normal;
        if (!collider->driven && !collider->inside && collider->shape && is_plane(collider->shape, &point, &normal)) {
            point = phxi_pose_world(&collider->now, phxi_scale(collider->scale, point));
            normal = phxi_mat3_apply(&collider->now.rotation, normal);
            char text[6][32];
            const double numbers[6] = {point.x, point.y, point.z, normal.x, normal.y, normal.z};
            for (int k = 0; k < 6; ++k) {
                phxi_format_double(numbers[k], text[k]);
                fprintf(writer.stream, "%s%c", text[k], k < 5 ? ',' : '\n');
            }
        }
    }
    return phxi_file_commit(&writer);
}

phx_result phxi_look_save(phxi_heap* heap, const phx_scene* scene, const phx_world* world, const char* folder) {
    char *camera = phxi_path_join(heap, folder, "camera.txt"), *bodies = phxi_path_join(heap, folder, "bodies.csv"),
         *walls = phxi_path_join(heap, folder, "walls.csv"), *obstacles = phxi_path_join(heap, folder, "obstacles.csv");
    phx_result result = camera && bodies && walls && obstacles ? save_camera(heap, scene, camera) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = save_bodies(heap, scene, world, folder, bodies);
    }
    if (result == PHX_OK) {
        result = save_walls(heap, world, walls);
    }
    if (result == PHX_OK) {
        result = save_obstacles(heap, scene, obstacles);
    }
    phxi_free(heap, camera);
    phxi_free(heap, bodies);
    phxi_free(heap, walls);
    phxi_free(heap, obstacles);
    return result;
}

bool phxi_looks_need_temperature(const phx_scene* scene) {
    bool any = false;
    for (int i = 0; i < scene->bodies.count; ++i) {
        const phx_look* look = &scene->bodies.items[i].look;
        any = any || look->glow_full > look->glow_from || look->wet_roughness > 0;
    }
    return any;
}
