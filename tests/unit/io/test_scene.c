// SPDX-License-Identifier: MIT
// Scenes: every mistake of tests/data/scene/bad is found at its place; good ones give the values that are written.
#include "support/test.h"

#include "io/scene.h"

static const char GOOD[] = "title: A test\n"
                           "world: {gravity: [0, 0, -1.5], safety: 0.5}\n"
                           "materials:\n"
                           "  soft: {young: 2e4, preset: jelly}\n"
                           "  plain: {}\n"
                           "bodies:\n"
                           "  a:\n"
                           "    shape: box(center=(0, 0, 1), size=(0.2, 0.2, 0.2))\n"
                           "    spacing: 0.05\n"
                           "    material: soft\n"
                           "    velocity: [1, 2, 3]\n"
                           "    efg: {hourglass: 0.2}\n"
                           "  b: {shape: sphere(radius=0.1), spacing: 0.05, material: rubber}\n"
                           "colliders:\n"
                           "  floor: {shape: plane(), friction: 0.5}\n"
                           "drivers:\n"
                           "  hold: {kind: pin, body: a, region: \"box(center=(0,0,1.1), size=(1,1,0.1))\"}\n"
                           "probes:\n"
                           "  all: {every: 0.01}\n"
                           "  b: {body: b}\n"
                           "run: {duration: 2, fps: 25, formats: [vtp, ply], fields: [velocity, von_mises]}\n";

static phx_result parse(const char* text, const char* const* overrides, phx_scene** scene) {
    return phx_scene_parse("t.yaml", text, strlen(text), NULL, overrides, scene);
}

TEST(values) {
    phx_scene* scene = NULL;
    REQUIRE_OK(parse(GOOD, NULL, &scene));
    ENSURE(strcmp(scene->title, "A test") == 0);
    ENSURE(scene->world.gravity.z == -1.5 && scene->world.safety == 0.5);
    REQUIRE(scene->materials.count == 3 && scene->bodies.count == 2);
    const phx_preset* jelly = NULL;
    REQUIRE_OK(phx_preset_find("jelly", &jelly));
    ENSURE(scene->materials.items[0].def.young == 2e4); // the preset comes first, whatever the order
    ENSURE(scene->materials.items[0].def.density == jelly->def.density);
    const phxi_scene_body* a = &scene->bodies.items[0];
    ENSURE(strcmp(a->def.name, "a") == 0 && a->def.spacing == 0.05 && a->def.velocity.z == 3);
    ENSURE(a->material == 0 && scene->bodies.items[1].material == 2);
    REQUIRE(a->settings.count == 1);
    ENSURE(strcmp(a->settings.items[0].name, "hourglass") == 0 && strcmp(a->settings.items[0].value, "0.2") == 0);
    ENSURE(scene->colliders.items[0].def.friction == 0.5);
    ENSURE(strcmp(scene->drivers.items[0].def.body, "a") == 0 && scene->drivers.items[0].def.kind == PHX_DRIVER_PIN);
    ENSURE(scene->probes.count == 2 && scene->probes.items[0].def.every == 0.01);
    ENSURE(scene->run.duration == 2 && scene->run.fps == 25 && scene->run.checkpoint_every == 60);
    ENSURE(strcmp(scene->run.formats, "vtp ply") == 0 && strcmp(scene->run.fields, "velocity von_mises") == 0);
    phx_scene_destroy(scene);
}

TEST(defaults) {
    phx_scene* scene = NULL;
    REQUIRE_OK(parse("bodies: {a: {shape: sphere(radius=1), spacing: 1, material: jelly}}\nrun: {formats: []}\n", NULL,
                     &scene));
    ENSURE(scene->world.gravity.z == -9.81 && scene->run.fps == 30 && scene->run.duration == 1);
    ENSURE(!scene->run.formats && strcmp(scene->run.fields, "velocity speed") == 0);
    ENSURE(!scene->bodies.items[0].def.method); // its material chooses
    phx_scene_destroy(scene);
    phx_scene_destroy(NULL);
}

TEST(overrides) {
    static const char* const settings[] = {"materials.soft.young=1e6",  "run.duration=1",
                                           "bodies.a.efg.hourglass=0",  "bodies.*.method=efg",
                                           "world.gravity=[0, 0, 0]",   "run.formats=[obj]",
                                           "drivers.hold.region=all()", "bodies.b.shape=box(size=(1,1,1))",
                                           "colliders.*.friction=0",    NULL};
    phx_scene* scene = NULL;
    REQUIRE_OK(parse(GOOD, settings, &scene));
    ENSURE(scene->materials.items[0].def.young == 1e6 && scene->run.duration == 1);
    ENSURE(strcmp(scene->bodies.items[0].settings.items[0].value, "0") == 0);
    ENSURE(scene->world.gravity.z == 0 && strcmp(scene->run.formats, "obj") == 0);
    ENSURE(strcmp(scene->drivers.items[0].def.region, "all()") == 0);
    ENSURE(scene->colliders.items[0].def.friction == 0);
    phx_scene_destroy(scene);
}

TEST(bad_overrides) {
    static const char* const cases[][2] = {
        {"run.fsp=1", "--set run.fsp: unknown key 'fsp' in run, did you mean 'fps'?"},
        {"run.fps=-1", "--set run.fps: fps is -1 1/s, expected above 0 1/s"},
        {"run.fps=", "--set run.fps: 'fps' has no value"},
        {"wrld.dt=1", "--set wrld.dt: unknown key 'wrld' in scene, did you mean 'world'?"},
        {"materials.sofd.young=1", "--set materials.sofd.young: materials has no 'sofd', did you mean 'soft'?"},
        {"bodies.*.method=efk", "--set bodies.*.method: "},
        {"bodies.a.material=sofd", "--set bodies.a.material: unknown material 'sofd', did you mean 'soft'?"},
        {"bodies.a.efg.hourglas=1", "--set bodies.a.efg.hourglas: unknown key"},
        {"bodies.a.mesh=x.obj", "both a mesh and a shape"},
        {"bodies.a=3", "--set bodies.a: 'a' is a value, expected a map"},
        {"drivers.hold.region=bx()", "--set drivers.hold.region: region: "},
        {"nothing", "--set nothing: expected key.path=value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char* settings[] = {cases[i][0], NULL};
        phx_scene* scene = NULL;
        ENSURE_RESULT(parse(GOOD, settings, &scene), PHX_ERROR_FORMAT);
        ENSURE_MESSAGE(cases[i][1]);
        phx_scene_destroy(scene);
    }
}

// A scene that can be read may still be impossible to build: its message has a place, too.
static phx_result read_and_build(const char* path) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    phx_result result = phx_scene_load(path, NULL, &scene);
    if (result == PHX_OK) {
        result = phx_scene_build(scene, &def, &world) == PHX_OK ? PHX_OK : PHX_ERROR_FORMAT;
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
    return result;
}

// expected.tsv: file, line:column, part of the message.
TEST(every_bad_scene_is_found_at_its_place) {
    const char* folder = phxt_source("tests/data/scene/bad");
    char path[2048];
    snprintf(path, sizeof path, "%s/expected.tsv", folder);
    char* list = phxt_read(path, NULL);
    REQUIRE(list);
    int count = 0;
    char* rest = NULL;
    for (char* line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char file[200], place[40], message[400], wanted[2600];
        REQUIRE(sscanf(line, "%199[^\t]\t%39[^\t]\t%399[^\n]", file, place, message) == 3);
        snprintf(path, sizeof path, "%s/%s", folder, file);
        phx_result result = read_and_build(path);
        snprintf(wanted, sizeof wanted, "%s:%s: ", file, place);
        const char* got = phx_error_message();
        if (result != PHX_ERROR_FORMAT || !strstr(got, wanted) || !strstr(got, message)) {
            phxt_failed(__FILE__, __LINE__, "%s gave %s \"%s\", expected \"...%s...%s\"", file, phx_result_name(result),
                        result == PHX_OK ? "" : got, wanted, message);
        }
        ++count;
    }
    ENSURE(count >= 60);
    free(list);
}

TEST(files_need_a_folder) {
    phx_scene* scene = NULL;
    static const char text[] = "bodies: {a: {mesh: x.obj, spacing: 1, material: jelly}}\n";
    ENSURE_RESULT(parse(text, NULL, &scene), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("t.yaml:1:20: mesh names the file 'x.obj', but this scene has no folder");
    phxt_write(phxt_path("x.obj"), "v 0 0 0\n", 8);
    phxt_write(phxt_path("s.yaml"), text, sizeof text - 1);
    REQUIRE_OK(phx_scene_load(phxt_path("s.yaml"), NULL, &scene));
    // that the mesh is none is found when the world is built, at the place of the mesh
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    ENSURE(phx_scene_build(scene, &def, &world) != PHX_OK);
    ENSURE_MESSAGE("s.yaml:1:20: bodies.a: ");
    ENSURE(!world);
    phx_scene_destroy(scene);
}

TEST(bad_arguments) {
    phx_scene* scene = NULL;
    ENSURE_RESULT(phx_scene_load(NULL, NULL, &scene), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_scene_parse(NULL, "", 0, NULL, NULL, &scene), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_scene_load(phxt_path("none.yaml"), NULL, &scene), PHX_ERROR_IO);
    ENSURE_RESULT(phx_scene_load(phxt_scratch(), NULL, &scene), PHX_ERROR_IO);
    phx_world* world = NULL;
    ENSURE_RESULT(phx_scene_build(NULL, NULL, &world), PHX_ERROR_ARGUMENT);
}

TEST(build) {
    phx_scene* scene = NULL;
    REQUIRE_OK(parse(GOOD, NULL, &scene));
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_build(scene, &def, &world));
    ENSURE(phx_world_body_count(world) == 2 && phx_world_threads(world) == 1);
    ENSURE(strcmp(phx_world_body_name(world, 1), "b") == 0);
    ENSURE(phx_world_particles(world).count > 64);
    ENSURE_OK(phx_world_step(world, 0.001));
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}

TEST(build_mistakes_have_their_place) {
    static const char* const cases[][2] = {
        {"drivers.hold.region=sphere(center=(9,9,9), radius=0.1)", "t.yaml:17:3: drivers.hold: "},
        {"bodies.b.spacing=5", "t.yaml:13:3: bodies.b: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char* settings[] = {cases[i][0], NULL};
        phx_scene* scene = NULL;
        REQUIRE_OK(parse(GOOD, settings, &scene));
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        ENSURE(phx_scene_build(scene, &def, &world) != PHX_OK);
        ENSURE_MESSAGE(cases[i][1]);
        phx_scene_destroy(scene);
    }
}

TEST(failing_allocation_while_reading) {
    static const char* const settings[] = {"run.fps=3", NULL};
    int n = 0;
    for (phx_result result = PHX_ERROR_MEMORY; result != PHX_OK; ++n) {
        phxt_heap memory;
        phxt_heap_init(&memory, n);
        phx_scene* scene = NULL;
        result = phxi_scene_read(&memory.allocator, "t.yaml", GOOD, sizeof GOOD - 1, NULL, settings, &scene);
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        phx_scene_destroy(scene);
        ENSURE(memory.live == 0);
    }
    ENSURE(n > 20);
}

// A mesh and not a shape: the volume of a shape is integrated, which is slow for so many turns.
TEST(failing_allocation_while_building) {
    static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    static const char text[] = "bodies: {a: {mesh: cube.obj, spacing: 0.25, material: jelly, efg: {hourglass: 0.1}}}\n"
                               "colliders: {floor: {shape: plane()}}\n"
                               "drivers: {d: {body: a, region: plane()}}\n"
                               "probes: {p: {region: all()}}\n";
    phxt_write(phxt_path("cube.obj"), cube, sizeof cube - 1);
    phx_scene* scene = NULL;
    static const char* const settings[] = {"drivers.d.region=plane(point=(0, 0, 0.3))", NULL};
    REQUIRE_OK(phx_scene_parse("t.yaml", text, sizeof text - 1, phxt_scratch(), settings, &scene));
    int n = 0;
    for (phx_result result = PHX_ERROR_MEMORY; result != PHX_OK; ++n) {
        phxt_heap memory;
        phxt_heap_init(&memory, n);
        phx_world_def def = phx_world_def_default();
        def.allocator = memory.allocator;
        def.threads = 1;
        phx_world* world = NULL;
        result = phx_scene_build(scene, &def, &world);
        phx_world_destroy(world);
        ENSURE(memory.live == 0);
        if (result != PHX_OK && result != PHX_ERROR_MEMORY) {
            phxt_failed(__FILE__, __LINE__, "allocation %d gave %s: %s", n, phx_result_name(result),
                        phx_error_message());
            break;
        }
    }
    ENSURE(n > 20);
    phx_scene_destroy(scene);
}

TEST(a_material_looks_like_the_preset_it_is_called_after) {
    phx_scene* scene = NULL;
    REQUIRE_OK(parse("materials:\n"
                     "  steel: {young: 2e11, density: 7850}\n"
                     "  sand: {young: 1e5, look: {color: [1, 0, 0]}}\n"
                     "  stuff: {young: 1e5}\n"
                     "bodies:\n"
                     "  a: {shape: sphere(radius=0.1), spacing: 0.05, material: steel}\n",
                     NULL, &scene));
    phx_look steel;
    REQUIRE_OK(phx_look_of_preset("steel", &steel));
    ENSURE(memcmp(&scene->bodies.items[0].look, &steel, sizeof steel) == 0 && steel.metal == 1);
    ENSURE(scene->materials.items[1].look.color.x == 1 && scene->materials.items[1].look.grains == 0);
    ENSURE(!scene->materials.items[2].has_look);
    phx_scene_destroy(scene);
}
