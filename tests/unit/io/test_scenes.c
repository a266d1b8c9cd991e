// SPDX-License-Identifier: MIT
// The scenes that come with phyxel, and the one in the documentation, can be read, built and stepped, without warnings.
#include "support/test.h"

static void on_log(void* context, phx_log_level level, const char* line) {
    (void)context;
    if (level == PHX_LOG_WARNING) {
        phxt_failed(__FILE__, __LINE__, "warned: %s", line);
    }
}

static void build(phx_scene* scene, int least, int most) {
    phx_world_def def = phx_world_def_default();
    def.threads = 2;
    def.log.write = on_log;
    phx_world* world = NULL;
    ENSURE_OK(phx_scene_build(scene, &def, &world));
    if (world) {
        int count = phx_world_particles(world).count;
        if (count < least || count > most) {
            phxt_failed(__FILE__, __LINE__, "%d particles, expected %d to %d", count, least, most);
        }
        phx_dt_info info;
        ENSURE_OK(phx_world_dt(world, &info));
        ENSURE_OK(phx_world_substep(world, info.dt));
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}

static void load_and_build(const char* name, int least, int most) {
    char path[200];
    snprintf(path, sizeof path, "scenes/%s", name);
    phx_scene* scene = NULL;
    REQUIRE_OK(phx_scene_load(phxt_source(path), NULL, &scene));
    build(scene, least, most);
}

TEST(jelly_drop) {
    load_and_build("jelly-drop.yaml", 6000, 10000);
}
TEST(plant_shake) {
    load_and_build("plant-shake.yaml", 500, 20000);
}
TEST(stretch_bar) {
    load_and_build("stretch-bar.yaml", 500, 10000);
}
TEST(twist_bar) {
    load_and_build("twist-bar.yaml", 500, 10000);
}
TEST(cantilever) {
    load_and_build("cantilever.yaml", 500, 10000);
}
TEST(elastica) {
    load_and_build("elastica.yaml", 500, 10000);
}
TEST(bounce_ball) {
    load_and_build("bounce-ball.yaml", 500, 10000);
}

TEST(steel_in_sand) {
    load_and_build("steel-in-sand.yaml", 4000, 6000);
}
TEST(steel_bar) {
    load_and_build("steel-bar.yaml", 500, 10000);
}
TEST(rubber_drop) {
    load_and_build("rubber-drop.yaml", 500, 10000);
}

TEST(plastic_bars) {
    load_and_build("plastic-bars.yaml", 1000, 3000);
}
TEST(released_bar) {
    load_and_build("released-bar.yaml", 525, 525);
}
TEST(scenes_to_compare) {
    load_and_build("compare-bar.yaml", 300, 1100);
    load_and_build("compare-cantilever.yaml", 500, 1100);
    load_and_build("compare-column.yaml", 300, 1100);
    load_and_build("compare-drop.yaml", 500, 1100);
}

TEST(twisted_bars) {
    load_and_build("twisted-bars.yaml", 1584, 1584);
}
TEST(plant_pull) {
    load_and_build("plant-pull.yaml", 800, 9000);
}
TEST(fish_swim) {
    load_and_build("fish-swim.yaml", 800, 4200);
}
TEST(fish_drop) {
    load_and_build("fish-drop.yaml", 800, 4200);
}
TEST(figure_drop) {
    load_and_build("figure-drop.yaml", 800, 5200);
}

TEST(melting_hare) {
    load_and_build("melting-hare.yaml", 15000, 30000);
}
TEST(melting_logo) {
    load_and_build("melting-logo.yaml", 20000, 40000);
}
TEST(melting_chair) {
    load_and_build("melting-chair.yaml", 20000, 50000);
}
TEST(melting_gargoyle) {
    load_and_build("melting-gargoyle.yaml", 15000, 50000);
}
TEST(candle) {
    load_and_build("candle.yaml", 5000, 20000);
}
TEST(chocolate_hare) {
    load_and_build("chocolate-hare.yaml", 8000, 30000);
}
TEST(toothpaste) {
    load_and_build("toothpaste.yaml", 5000, 30000);
}
TEST(lava_slope) {
    load_and_build("lava-slope.yaml", 5000, 40000);
}

TEST(example_of_the_documentation) {
    char* page = phxt_read(phxt_source("docs/guide/scene-format.md"), NULL);
    REQUIRE(page);
    char* begin = strstr(page, "```yaml\n");
    REQUIRE(begin);
    begin += 8;
    char* end = strstr(begin, "```");
    REQUIRE(end);
    phx_scene* scene = NULL;
    REQUIRE_OK(phx_scene_parse("scene-format.md", begin, (size_t)(end - begin), NULL, NULL, &scene));
    build(scene, 500, 2000);
    // the changes that the page shows
    static const char* const settings[] = {"materials.pudding.young=1e6", "run.duration=1",
                                           "bodies.cube.efg.hourglass=0", "world.gravity=[0, 0, 0]",
                                           "bodies.*.method=efg",         NULL};
    REQUIRE_OK(phx_scene_parse("scene-format.md", begin, (size_t)(end - begin), NULL, settings, &scene));
    phx_scene_destroy(scene);
    free(page);
}
