// SPDX-License-Identifier: MIT
// A scene file to checked definitions. The sections are read in the order in which they refer to each other, whatever
// their order in the file: materials, bodies, colliders, drivers, probes, run. The first mistake ends the reading with
// "file:line:column: what is wrong, what was expected". All keys come from the parameter tables (scene_keys.c).
// The scene keeps the tree it was read from: names, texts and places point into it.
#include "io/scene.h"

#include "contact/collider.h"
#include "core/file.h"
#include "core/text.h"
#include "io/scene_keys.h"
#include "methods/choose.h"
#include "render/look.h"
#include "world/world.h"

#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 63, MAX_FRAMES = 10000000 };

typedef struct reader {
    phx_scene* scene;
    phxi_heap* heap; // of the scene
    phxi_tree* tree;
    const char* folder; // may be NULL
} reader;

static const char* const SECTIONS[] = {"title",   "world",  "materials", "bodies", "colliders",
                                       "drivers", "probes", "run",       "camera"};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

// ------------------------------------------------------------------------------------------------------------- names,
// references

// Names of items go into file names (probes), messages and --set paths.
static phx_result check_name(const reader* r, const phxi_node* item) {
    const char* name = item->key;
    size_t length = strlen(name);
    bool good = length <= NAME_BYTES && name[0] != '-';
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)name[i];
        good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                c >= 0x80;
    }
    if (!good) {
        return phxi_tree_fail(r->tree, item->key_place,
                              "'%s' cannot be a name, expected at most %d letters, digits, '_' and '-'", name,
                              NAME_BYTES);
    }
    return PHX_OK;
}

static const char* material_name(const void* context, int i) {
    return ((const phx_scene*)context)->materials.items[i].name;
}
static const char* material_or_preset_name(const void* context, int i) {
    const phx_scene* scene = context;
    int own = scene->materials.count;
    return i < own ? material_name(scene, i) : phx_preset_at(i - own)->name;
}
static const char* body_name(const void* context, int i) {
    return ((const phx_scene*)context)->bodies.items[i].def.name;
}
static const char* collider_name(const void* context, int i) {
    return ((const phx_scene*)context)->colliders.items[i].def.name;
}
static const char* section_name(const void* context, int i) {
    return ((const char* const*)context)[i];
}

// Index of a name, or -1.
static int index_of(const char* name, int count, const char* (*word)(const void* context, int i), const void* context) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(word(context, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static phx_result fail_reference(const reader* r, phxi_place place, const char* what, const char* name, int count,
                                 const char* (*word)(const void* context, int i), const void* context) {
    const char* near = phxi_did_you_mean(name, count, word, context);
    if (near) {
        return phxi_tree_fail(r->tree, place, "unknown %s '%.64s', did you mean '%s'?", what, name, near);
    }
    return phxi_tree_fail(r->tree, place, "unknown %s '%.64s', expected one of the scene", what, name);
}

static phxi_place value_place(const phxi_node* map, const char* key) {
    const phxi_node* node = phxi_node_find(map, key);
    return node ? node->place : map->key_place;
}

// ---------------------------------------------------------------------------------------------------------- materials

// The block `look`, over what is there already; a single word is the preset whose look it has.
static phx_result read_look(reader* r, const phxi_node* item, phx_look* look, bool* found) {
    const phxi_node* block = item->kind == PHXI_NODE_MAP ? phxi_node_find(item, "look") : NULL;
    phxi_keys keys = {.what = "look", .table = &phxi_look_table, .values = look};
    *found = block != NULL;
    if (block && block->kind == PHXI_NODE_VALUE && block->text[0]) {
        phx_result result = phx_look_of_preset(block->text, look);
        return result == PHX_OK ? PHX_OK : phxi_place_within(PHX_ERROR_FORMAT, r->tree->name, block->place);
    }
    return block ? phxi_keys_read(r->tree, r->heap, block, &keys) : PHX_OK;
}

/// A material that the scene calls steel, without a preset or a look, looks like steel.
static phx_result read_look_of_name(phxi_scene_material* material) {
    for (int i = 0; i < phx_preset_count() && !material->has_look; ++i) {
        material->has_look = strcmp(phx_preset_at(i)->name, material->name) == 0;
    }
    return material->has_look ? phx_look_of_preset(material->name, &material->look) : PHX_OK;
}

static phx_result read_material(reader* r, const phxi_node* item) {
    phxi_scene_material* material = phxi_array_add(&r->scene->materials, r->heap, "scene materials");
    if (!material) {
        return PHX_ERROR_MEMORY;
    }
    *material = (phxi_scene_material){
        .name = item->key, .place = item->key_place, .def = phx_material_def_default(), .look = phx_look_default()};
    // The preset first, whatever the order of the keys.
    const phxi_node* preset_node = item->kind == PHXI_NODE_MAP ? phxi_node_find(item, "preset") : NULL;
    if (preset_node && preset_node->kind == PHXI_NODE_VALUE && preset_node->text[0]) {
        const phx_preset* preset = NULL;
        if (phx_preset_find(preset_node->text, &preset) != PHX_OK) {
            return phxi_place_within(PHX_ERROR_FORMAT, r->tree->name, preset_node->place);
        }
        material->def = preset->def;
        material->def.stamp = PHXI_MATERIAL_STAMP;
        PHXI_TRY(phx_look_of_preset(preset->name, &material->look));
    }
    phxi_scene_extra extra = {0};
    phxi_keys keys = {"material", &phxi_material_table, &material->def, &phxi_scene_material_table,
                      &extra,     .look = true};
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, item, &keys));
    bool own = false;
    PHXI_TRY(read_look(r, item, &material->look, &own));
    material->has_look = own || extra.preset;
    if (!material->has_look) {
        PHXI_TRY(read_look_of_name(material));
    }
    material->def.name = item->key;
    phx_result result = phxi_material_check(&material->def);
    return result == PHX_OK ? PHX_OK : phxi_place_within(PHX_ERROR_FORMAT, r->tree->name, item->key_place);
}

// A material of the scene, or a preset that becomes one.
static phx_result find_material(reader* r, const char* name, phxi_place place, int* index) {
    phx_scene* scene = r->scene;
    *index = index_of(name, scene->materials.count, material_name, scene);
    if (*index >= 0) {
        return PHX_OK;
    }
    int total = scene->materials.count + phx_preset_count();
    int preset = index_of(name, total, material_or_preset_name, scene);
    if (preset < 0) {
        return fail_reference(r, place, "material", name, total, material_or_preset_name, scene);
    }
    const phx_preset* found = phx_preset_at(preset - scene->materials.count);
    phxi_scene_material* material = phxi_array_add(&scene->materials, r->heap, "scene materials");
    if (!material) {
        return PHX_ERROR_MEMORY;
    }
    *material = (phxi_scene_material){.name = found->name, .place = place, .def = found->def, .has_look = true};
    PHXI_TRY(phx_look_of_preset(found->name, &material->look));
    material->def.stamp = PHXI_MATERIAL_STAMP;
    material->def.name = found->name;
    *index = scene->materials.count - 1;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- bodies

static phx_result find_file(reader* r, const char* key, const char* name, phxi_place place, const char** path) {
    if (!r->folder) {
        return phxi_tree_fail(r->tree, place, "%s names the file '%.200s', but this scene has no folder to look in",
                              key, name);
    }
    *path = phxi_path_join(r->heap, r->folder, name);
    if (!*path) {
        return PHX_ERROR_MEMORY;
    }
    struct stat info;
    if (stat(*path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return phxi_tree_fail(r->tree, place, "there is no file '%.200s', seen from the scene's folder '%.200s'", name,
                              r->folder);
    }
    return PHX_OK;
}

// The method that is named, if the material goes with it, or the one that the material is made for.
static phx_result find_method(reader* r, const phxi_scene_body* body, const phxi_node* item,
                              const phxi_method** method) {
    const phx_material_def* material = &r->scene->materials.items[body->material].def;
    const char* key = "material";
    phx_result result;
    if (body->def.method && body->def.method[0]) {
        key = "method";
        *method = phxi_method_find(body->def.method);
        result = *method ? phxi_method_check(*method, material) : PHX_ERROR_ARGUMENT;
    } else {
        const char* property;
        result = phxi_method_choose(material, method, &property);
    }
    return result == PHX_OK ? PHX_OK : phxi_place_within(PHX_ERROR_FORMAT, r->tree->name, value_place(item, key));
}

// Every block that is named after a method is checked; the one of the chosen method is kept.
static phx_result read_settings(reader* r, phxi_scene_body* body, const phxi_node* item, const phxi_method* chosen) {
    for (int i = 0; i < phx_method_count(); ++i) {
        const phxi_node* block = phxi_node_find(item, phx_method_name(i));
        const phx_param_table* table = phx_method_params(i);
        if (!block) {
            continue;
        }
        void* values = phxi_alloc_zero(r->heap, 1, table->size, "scene settings");
        if (!values) {
            return PHX_ERROR_MEMORY;
        }
        phxi_params_defaults(table, values);
        phxi_keys keys = {.what = table->name, .table = table, .values = values};
        PHXI_TRY(phxi_keys_read(r->tree, r->heap, block, &keys));
        if (phxi_methods[i] != chosen) {
            continue;
        }
        for (const phxi_node* node = block->first; node; node = node->next) {
            const phx_param* param = phxi_param_find(table, node->key);
            phx_setting setting = {.name = param->name};
            PHXI_TRY(phxi_node_text(r->tree, node, param, &setting.value));
            phx_setting* slot = phxi_array_add(&body->settings, r->heap, "scene settings");
            if (!slot) {
                return PHX_ERROR_MEMORY;
            }
            *slot = setting;
        }
    }
    return PHX_OK;
}

static phx_result read_body(reader* r, const phxi_node* item) {
    phxi_scene_body* body = phxi_array_add(&r->scene->bodies, r->heap, "scene bodies");
    if (!body) {
        return PHX_ERROR_MEMORY;
    }
    *body = (phxi_scene_body){.def = phx_body_def_default(), .place = item->key_place};
    body->def.name = item->key;
    phxi_scene_extra extra = {.shown = true};
    phxi_keys keys = {"body", &phxi_body_table, &body->def, &phxi_scene_body_table, &extra, true, true, NULL};
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, item, &keys));
    if (extra.mesh && body->def.shape) {
        return phxi_tree_fail(r->tree, phxi_node_find(item, "shape")->key_place,
                              "body '%s' has both a mesh and a shape, expected one of them", item->key);
    }
    if (!extra.mesh && !body->def.shape) {
        return phxi_tree_fail(r->tree, item->key_place,
                              "body '%s' has neither a mesh nor a shape, expected one of them", item->key);
    }
    const phxi_method* method = NULL;
    PHXI_TRY(find_material(r, extra.material, value_place(item, "material"), &body->material));
    PHXI_TRY(find_method(r, body, item, &method));
    PHXI_TRY(read_settings(r, body, item, method));
    body->shown = extra.shown;
    body->draw = extra.draw;
    body->how = (phxi_mesh_place){extra.up, extra.place};
    const phxi_scene_material* material = &r->scene->materials.items[body->material];
    body->look = material->has_look ? material->look : phx_look_of_number(r->scene->bodies.count - 1);
    bool own;
    PHXI_TRY(read_look(r, item, &body->look, &own));
    if (extra.mesh) {
        body->mesh_place = value_place(item, "mesh");
        PHXI_TRY(find_file(r, "mesh", extra.mesh, body->mesh_place, &body->mesh));
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------- colliders, drivers, probes

static phx_result read_collider(reader* r, const phxi_node* item) {
    phxi_scene_collider* collider = phxi_array_add(&r->scene->colliders, r->heap, "scene colliders");
    if (!collider) {
        return PHX_ERROR_MEMORY;
    }
    *collider = (phxi_scene_collider){
        .def = phx_collider_def_default(), .place = item->key_place, .look = phxi_look_of_obstacles()};
    collider->def.name = item->key;
    phxi_scene_extra extra = {.shown = true};
    phxi_keys keys = {"collider", &phxi_collider_table, &collider->def, &phxi_scene_collider_table, &extra, false, true,
                      NULL};
    bool own;
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, item, &keys));
    PHXI_TRY(read_look(r, item, &collider->look, &own));
    const phxi_node* shape = item->kind == PHXI_NODE_MAP ? phxi_node_find(item, "shape") : NULL;
    if (extra.mesh && shape) {
        return phxi_tree_fail(r->tree, shape->key_place,
                              "collider '%s' has both a mesh and a shape, expected one of them", item->key);
    }
    collider->shown = extra.shown;
    collider->how = (phxi_mesh_place){extra.up, extra.place};
    collider->mesh_place = value_place(item, "mesh");
    return extra.mesh ? find_file(r, "mesh", extra.mesh, collider->mesh_place, &collider->mesh) : PHX_OK;
}

static phx_result check_body_reference(const reader* r, const phxi_node* item, const char* body) {
    const phx_scene* scene = r->scene;
    if (!body || index_of(body, scene->bodies.count, body_name, scene) >= 0) {
        return PHX_OK;
    }
    return fail_reference(r, value_place(item, "body"), "body", body, scene->bodies.count, body_name, scene);
}

static phx_result read_driver(reader* r, const phxi_node* item) {
    phxi_scene_driver* driver = phxi_array_add(&r->scene->drivers, r->heap, "scene drivers");
    if (!driver) {
        return PHX_ERROR_MEMORY;
    }
    *driver = (phxi_scene_driver){phx_driver_def_default(), item->key_place};
    driver->def.name = item->key;
    phxi_keys keys = {.what = "driver", .table = &phxi_driver_table, .values = &driver->def};
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, item, &keys));
    const char* profile = driver->def.profile;
    size_t length = profile ? strlen(profile) : 0;
    if (length > 4 && strcmp(profile + length - 4, ".csv") == 0) {
        PHXI_TRY(find_file(r, "profile", profile, value_place(item, "profile"), &driver->def.profile));
    }
    const phx_scene* scene = r->scene;
    const char* collider = driver->def.collider;
    if (collider && index_of(collider, scene->colliders.count, collider_name, scene) < 0) {
        return fail_reference(r, value_place(item, "collider"), "collider", collider, scene->colliders.count,
                              collider_name, scene);
    }
    const char* both = collider ? (driver->def.body ? "body" : driver->def.region ? "region" : NULL) : NULL;
    if (both) {
        return phxi_tree_fail(r->tree, value_place(item, both),
                              "driver '%s' has both a collider and a %s, expected either an obstacle or particles",
                              item->key, both);
    }
    return check_body_reference(r, item, driver->def.body);
}

static phx_result read_probe(reader* r, const phxi_node* item) {
    phxi_scene_probe* probe = phxi_array_add(&r->scene->probes, r->heap, "scene probes");
    if (!probe) {
        return PHX_ERROR_MEMORY;
    }
    *probe = (phxi_scene_probe){phx_probe_def_default(), item->key_place};
    probe->def.name = item->key;
    phxi_keys keys = {.what = "probe", .table = &phxi_probe_table, .values = &probe->def};
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, item, &keys));
    return check_body_reference(r, item, probe->def.body);
}

// ------------------------------------------------------------------------------------------------------- run, and all

static phx_result check_formats(const reader* r, const phxi_node* run) {
    for (const char* word = r->scene->run.formats; word && *word;) {
        size_t length = strcspn(word, " ");
        char name[32] = "";
        memcpy(name, word, length < sizeof name ? length : sizeof name - 1);
        if (index_of(name, 3, section_name, phxi_format_words) < 0) {
            return phxi_tree_fail(r->tree, value_place(run, "formats"), "unknown format '%s', expected vtp, ply or obj",
                                  name);
        }
        word += length + (word[length] == ' ');
    }
    return PHX_OK;
}

/// `static`: true, false, or a map of how.
static phx_result read_static(reader* r, const phxi_node* run) {
    phx_scene* scene = r->scene;
    const phxi_node* node = phxi_node_find(run, "static");
    if (!node) {
        return PHX_OK;
    }
    scene->run.statics = true;
    if (node->kind == PHXI_NODE_MAP) {
        const phxi_node* steps = phxi_node_find(node, "steps");
        phxi_keys keys = {.what = "static", .table = &phxi_static_table, .values = &scene->run.balance};
        if (steps && steps->kind == PHXI_NODE_VALUE && strcmp(steps->text, "auto") == 0) {
            ((phxi_node*)steps)->text = "0";
        }
        PHXI_TRY(phxi_keys_read(r->tree, r->heap, node, &keys));
    } else if (node->kind == PHXI_NODE_VALUE && strcmp(node->text, "false") == 0) {
        scene->run.statics = false;
    } else if (node->kind != PHXI_NODE_VALUE || strcmp(node->text, "true") != 0) {
        return phxi_tree_fail(r->tree, node->place,
                              "'static' is true, false, or a map such as {steps: auto, tolerance: 1e-4}");
    }
    if (scene->run.statics && !phxi_node_find(run, "duration")) {
        scene->run.duration = 0; // nothing follows
    }
    return PHX_OK;
}

static phx_result read_run(reader* r, const phxi_node* run) {
    phx_scene* scene = r->scene;
    phxi_keys keys = {.what = "run", .table = &phxi_run_table, .values = &scene->run, .block = "static"};
    if (run) {
        PHXI_TRY(phxi_keys_read(r->tree, r->heap, run, &keys));
        PHXI_TRY(read_static(r, run));
        PHXI_TRY(check_formats(r, run));
        if (scene->run.duration * scene->run.fps > MAX_FRAMES) {
            return phxi_tree_fail(r->tree, run->key_place,
                                  "%g s at %g frames a second are %g frames, expected at most %d", scene->run.duration,
                                  scene->run.fps, scene->run.duration * scene->run.fps, MAX_FRAMES);
        }
        const phxi_node* fields = phxi_node_find(run, "fields");
        if (fields) {
            scene->fields_place = fields->place;
        }
    }
    for (int i = 0; i < scene->probes.count; ++i) {
        const phxi_scene_probe* probe = &scene->probes.items[i];
        if (probe->def.every > 0 && scene->run.duration / probe->def.every > 1e9) {
            return phxi_tree_fail(r->tree, probe->place,
                                  "probe '%s' every %g s in %g s are too many lines, expected at most 1e9",
                                  probe->def.name, probe->def.every, scene->run.duration);
        }
    }
    return PHX_OK;
}

static phx_result read_camera(reader* r, const phxi_node* camera) {
    phx_scene* scene = r->scene;
    phxi_params_defaults(&phxi_camera_table, &scene->camera);
    if (!camera) {
        return PHX_OK;
    }
    phxi_keys keys = {.what = "camera", .table = &phxi_camera_table, .values = &scene->camera};
    PHXI_TRY(phxi_keys_read(r->tree, r->heap, camera, &keys));
    if (phxi_distance(scene->camera.eye, scene->camera.target) == 0) {
        return phxi_tree_fail(r->tree, camera->key_place, "eye and target of the camera are one point");
    }
    scene->has_camera = true;
    return PHX_OK;
}

static phx_result read_items(reader* r, const char* section, phx_result (*read)(reader* r, const phxi_node* item)) {
    const phxi_node* map = phxi_node_find(r->tree->root, section);
    if (!map) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_node_expect_map(r->tree, map, "names, each with a map of keys"));
    for (const phxi_node* item = map->first; item; item = item->next) {
        PHXI_TRY(check_name(r, item));
        PHXI_TRY(phxi_node_expect_map(r->tree, item, "a map of keys such as {shape: sphere(radius=0.1)}"));
        PHXI_TRY(read(r, item));
    }
    return PHX_OK;
}

static phx_result check_sections(const reader* r) {
    for (const phxi_node* node = r->tree->root->first; node; node = node->next) {
        if (index_of(node->key, SECTION_COUNT, section_name, SECTIONS) >= 0) {
            continue;
        }
        const char* near = phxi_did_you_mean(node->key, SECTION_COUNT, section_name, SECTIONS);
        if (near) {
            return phxi_tree_fail(r->tree, node->key_place, "unknown key '%s' in scene, did you mean '%s'?", node->key,
                                  near);
        }
        return phxi_tree_fail(
            r->tree, node->key_place,
            "unknown key '%s' in scene, expected title, world, materials, bodies, colliders, drivers, "
            "probes, run or camera",
            node->key);
    }
    return PHX_OK;
}

static phx_result read_scene(reader* r) {
    phx_scene* scene = r->scene;
    const phxi_node* root = r->tree->root;
    scene->world = phx_world_def_default();
    phxi_params_defaults(&phxi_run_table, &scene->run);
    scene->run.balance = phx_static_def_default();
    PHXI_TRY(check_sections(r));
    const phxi_node* title = phxi_node_find(root, "title");
    if (title) {
        PHXI_TRY(phxi_node_text(r->tree, title, &phxi_scene_table.params[0], &scene->title));
    }
    const phxi_node* world = phxi_node_find(root, "world");
    if (world) {
        phxi_keys keys = {.what = "world", .table = &phxi_world_table, .values = &scene->world};
        PHXI_TRY(phxi_keys_read(r->tree, r->heap, world, &keys));
    }
    PHXI_TRY(read_items(r, "materials", read_material));
    PHXI_TRY(read_items(r, "bodies", read_body));
    PHXI_TRY(read_items(r, "colliders", read_collider));
    PHXI_TRY(read_items(r, "drivers", read_driver));
    PHXI_TRY(read_items(r, "probes", read_probe));
    PHXI_TRY(read_run(r, phxi_node_find(root, "run")));
    PHXI_TRY(read_camera(r, phxi_node_find(root, "camera")));
    if (scene->bodies.count == 0) {
        const phxi_node* bodies = phxi_node_find(root, "bodies");
        return phxi_tree_fail(r->tree, bodies ? bodies->key_place : root->place,
                              "the scene has no bodies, expected at least one under 'bodies:'");
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- public

static phx_result fill(phx_scene* scene, const char* name, const char* text, size_t size, const char* folder,
                       const char* const* overrides) {
    scene->name = phxi_strdup(&scene->heap, name, "scene texts");
    if (!scene->name) {
        return PHX_ERROR_MEMORY;
    }
    phxi_tree tree;
    PHXI_TRY(phxi_tree_read(&tree, &scene->heap, scene->name, text, size));
    for (int i = 0; overrides && overrides[i]; ++i) {
        PHXI_TRY(phxi_tree_override(&tree, overrides[i]));
    }
    reader r = {scene, &scene->heap, &tree, folder};
    return read_scene(&r);
}

phx_result phxi_scene_read(const phx_allocator* allocator, const char* name, const char* text, size_t size,
                           const char* folder, const char* const* overrides, phx_scene** scene) {
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    phx_scene* made = heap.allocator.alloc(heap.allocator.context, sizeof *made, "scene");
    if (!made) {
        return phxi_fail_memory("scene");
    }
    memset(made, 0, sizeof *made);
    phxi_heap_init(&made->heap, allocator);
    phx_result result = fill(made, name, text, size, folder, overrides);
    if (result != PHX_OK) {
        phx_scene_destroy(made);
        return result;
    }
    *scene = made;
    return PHX_OK;
}

phx_result phx_scene_parse(const char* name, const char* text, size_t size, const char* folder,
                           const char* const* overrides, phx_scene** scene) {
    if (!name || !text || !scene) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_scene_parse needs a name, a text and a place for the scene");
    }
    return phxi_scene_read(NULL, name, text, size, folder, overrides, scene);
}

phx_result phx_scene_load(const char* path, const char* const* overrides, phx_scene** scene) {
    if (!path || !scene) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_scene_load needs a path and a place for the scene");
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    char* text = NULL;
    size_t size = 0;
    phx_result result = phxi_file_read(&heap, path, PHXI_TREE_BYTES, &text, &size);
    char* folder = result == PHX_OK ? phxi_path_folder(&heap, path) : NULL;
    if (result == PHX_OK) {
        result = folder ? phxi_scene_read(NULL, path, text, size, folder, overrides, scene) : PHX_ERROR_MEMORY;
    }
    phxi_heap_destroy(&heap);
    return result;
}

void phx_scene_destroy(phx_scene* scene) {
    if (scene) {
        phx_allocator allocator = scene->heap.allocator;
        phxi_heap_destroy(&scene->heap);
        allocator.free(allocator.context, scene);
    }
}
