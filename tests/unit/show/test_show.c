// SPDX-License-Identifier: MIT
// Runs to look at: every body as what it is, skins without any field for them, bad folders.
#include "support/run_text.h"
#include "support/test.h"
#include "surface/frame.h"

#include <phyxel/io.h>
#include <phyxel/show.h>
#include <phyxel/surface.h>

#include <math.h>
#include <string.h>

static const char* const scene_text =
    "materials:\n"
    "  soft: {preset: jelly, young: 2000}\n"
    "  mine: {density: 1000, young: 1e5, look: {color: [0.1, 0.2, 0.3], roughness: 0.7}}\n"
    "bodies:\n"
    "  jelly: {shape: \"box(center=(0,0,0.05),size=(0.1,0.1,0.1))\", spacing: 0.0125, material: soft}\n"
    "  block: {shape: \"box(center=(0.2,0,0.05),size=(0.06,0.06,0.06))\", spacing: 0.01, material: mine, look: {metal: "
    "1}}\n"
    "  sand: {shape: \"box(center=(0,0.3,0.03),size=(0.06,0.06,0.06))\", spacing: 0.01, material: sand}\n"
    "  water: {shape: \"box(center=(0.3,0.3,0.03),size=(0.06,0.06,0.06))\", spacing: 0.01, material: water}\n"
    "  rope: {shape: \"box(center=(0,-0.3,0.1),size=(0.2,0.01,0.01))\", spacing: 0.01, material: mine,\n"
    "         method: peridynamics, peridynamics: {radius: 0.004}}\n"
    "  cloth: {shape: \"box(center=(0.3,-0.3,0.1),size=(0.1,0.1,0.01))\", spacing: 0.01, material: mine,\n"
    "          method: peridynamics, peridynamics: {thickness: 0.002}}\n"
    "colliders:\n"
    "  floor: {}\n"
    "run: {duration: 0.02, fps: 100}\n";

static phx_show* open_show(const char* folder, int draw) {
    phx_show* show = NULL;
    phx_show_def def = phx_show_def_default();
    def.run = folder;
    def.draw = draw;
    def.threads = 1;
    ENSURE_OK(phx_show_open(&def, &show));
    return show;
}

TEST(every_body_is_drawn_as_what_it_is) {
    REQUIRE_OK(phxt_run_text(scene_text, NULL, phxt_path("run")));
    phx_show* show = open_show(phxt_path("run"), PHX_DRAW_AUTO);
    REQUIRE(show);
    static const phx_draw expected[] = {PHX_DRAW_SKIN,   PHX_DRAW_SKIN, PHX_DRAW_GRAINS,
                                        PHX_DRAW_LIQUID, PHX_DRAW_TUBE, PHX_DRAW_SHEET};
    ENSURE(phx_show_body_count(show) == 6 && phx_show_count(show) == 3);
    for (int i = 0; i < 6; ++i) {
        ENSURE(phx_show_body_draw(show, i) == expected[i]);
    }
    for (int frame = 0; frame < 3; ++frame) {
        const phx_part* parts;
        int count;
        REQUIRE_OK(phx_show_parts(show, frame, &parts, &count));
        REQUIRE(count == 6);
        for (int i = 0; i < 6; ++i) {
            ENSURE_OK(phx_frame_check(parts[i].frame));
            ENSURE((parts[i].frame->triangles > 0) == (expected[i] != PHX_DRAW_GRAINS));
            ENSURE(parts[i].frame->points > 20 && parts[i].size > 0.02 && parts[i].size < 0.2);
        }
        ENSURE(parts[0].look.transmission == 1); // of the preset
        ENSURE(parts[1].look.color.z == 0.3 && parts[1].look.roughness == 0.7 && parts[1].look.metal == 1);
        ENSURE(parts[2].frame->points > 1000 && phx_frame_find(parts[2].frame, "velocity")); // as its particles
        ENSURE(parts[0].mesh && phx_mesh_triangle_count(parts[0].mesh) == parts[0].frame->triangles && !parts[3].mesh);
        ENSURE(!phx_frame_find(parts[0].frame, "rest")); // which carried it: others would miss it when it is torn
    }
    phx_stage stage;
    REQUIRE_OK(phx_show_stage(show, NULL, 0, 1.5, NULL, &stage));
    ENSURE(stage.floor && stage.floor_height == 0 && strcmp(stage.name, "studio") == 0 && !stage.has_camera);
    phx_show_close(show);
}

static double farthest(const phx_frame* a, const phx_frame* b) {
    double most = 0;
    ENSURE(a->points == b->points);
    for (int i = 0; i < 3 * a->points && a->points == b->points; ++i) {
        most = fmax(most, fabs(a->positions[i] - b->positions[i]));
    }
    return most;
}

// By the deformation that its method knows, and by what the frames show.
TEST(skins_need_no_fields) {
    static const char* const kept[] = {"run.skin=true",        "bodies.jelly.translate=[0, 0, 0.02]",
                                       "run.duration=0.2",     "run.fps=20",
                                       "bodies.*.shown=false", NULL};
    const char* const found[] = {kept[1], kept[2], kept[3], kept[4], NULL};
    REQUIRE_OK(phxt_run_text(scene_text, kept, phxt_path("kept")));
    REQUIRE_OK(phxt_run_text(scene_text, found, phxt_path("found")));
    phx_show* shows[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        phx_show_def def = phx_show_def_default();
        def.run = k ? phxt_path("found") : phxt_path("kept");
        def.all = true;
        def.threads = 1;
        static const char* const others[] = {"block", "sand", "water", "rope", "cloth"};
        def.hide = others;
        def.hide_count = 5;
        REQUIRE_OK(phx_show_open(&def, &shows[k]));
    }
    for (int frame = 0; frame < 5; ++frame) {
        const phx_part *a, *b;
        int count[2];
        REQUIRE_OK(phx_show_parts(shows[0], frame, &a, &count[0]));
        REQUIRE_OK(phx_show_parts(shows[1], frame, &b, &count[1]));
        REQUIRE(count[0] == 1 && count[1] == 1);
        ENSURE(farthest(a->frame, b->frame) < 0.1 * 0.0125);
    }
    phx_show_close(shows[0]);
    phx_show_close(shows[1]);
}

TEST(mistakes_are_told) {
    phx_show* show = NULL;
    phx_show_def def = phx_show_def_default();
    ENSURE_RESULT(phx_show_open(&def, &show), PHX_ERROR_ARGUMENT);
    def.run = phxt_path("nothing");
    ENSURE(phx_show_open(&def, &show) != PHX_OK);
    static const char* const settings[] = {"run.duration=0.001", NULL};
    REQUIRE_OK(phxt_run_text(scene_text, settings, phxt_path("run")));
    static const char* const hide[] = {"jely"};
    def.run = phxt_path("run");
    def.hide = hide;
    def.hide_count = 1;
    ENSURE_RESULT(phx_show_open(&def, &show), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("jelly block sand");
    def.hide_count = 0;
    FILE* list = fopen(phxt_path("run/bodies.csv"), "w");
    REQUIRE(list);
    fputs("body,name,shown,mesh,draw,look\n0,jelly,1,,liquid,color=1 1\n", list);
    fclose(list);
    ENSURE(phx_show_open(&def, &show) != PHX_OK);
    ENSURE_MESSAGE("bodies.csv:2");
    // a list of before 0.2.0
    list = fopen(phxt_path("run/bodies.csv"), "w");
    REQUIRE(list);
    fputs("body,name,shown,mesh\n0,jelly,1,bodies/jelly.obj\n1,block,0,\n", list);
    fclose(list);
    REQUIRE_OK(phx_show_open(&def, &show));
    ENSURE(phx_show_body_draw(show, 0) == PHX_DRAW_SKIN && phx_show_body_draw(show, 1) == PHX_DRAW_LIQUID);
    phx_show_close(show);
}

TEST(obstacles_have_looks_of_their_own) {
    static const char text[] = "bodies:\n"
                               "  ball: {shape: \"sphere(radius=0.1)\", spacing: 0.05, material: rubber}\n"
                               "colliders:\n"
                               "  floor: {}\n"
                               "  plain: {shape: \"box(center=(1,0,0),size=(0.4,0.2,0.2))\"}\n"
                               "  shiny: {shape: \"sphere(center=(-1,0,0),radius=0.3)\", look: steel}\n"
                               "run: {duration: 0.001}\n";
    REQUIRE_OK(phxt_run_text(text, NULL, phxt_path("run")));
    phx_show* show = open_show(phxt_path("run"), PHX_DRAW_AUTO);
    const phx_part* parts = NULL;
    int count = 0;
    REQUIRE_OK(phx_show_parts(show, 0, &parts, &count));
    REQUIRE(count == 3); // the floor has no end
    ENSURE(parts[1].look.metal == 0 && parts[2].look.metal == 1);
    ENSURE_NEAR(parts[2].size, 0.3, 0.01);
    phx_show_close(show);
}

// Lengths of a look are in radii of the body, also where it is drawn by the surfaces that the run wrote.
TEST(what_can_break_has_its_size) {
    static const char text[] = "bodies:\n"
                               "  ball: {shape: \"box(size=(0.1,0.1,0.1))\", spacing: 0.02, material: glass}\n"
                               "run: {duration: 0.0001}\n";
    REQUIRE_OK(phxt_run_text(text, NULL, phxt_path("run")));
    phx_show* show = open_show(phxt_path("run"), PHX_DRAW_AUTO);
    const phx_part* parts = NULL;
    int count = 0;
    REQUIRE_OK(phx_show_parts(show, 0, &parts, &count));
    REQUIRE(count == 1 && phx_frame_triangles(parts[0].frame) > 0);
    ENSURE_NEAR(parts[0].size, 0.07, 0.02);
    phx_show_close(show);
}

TEST(points_of_another_program_are_balls) {
    char text[20000] =
        "ply\nformat ascii 1.0\nelement vertex 216\nproperty float x\nproperty float y\nproperty float z\n"
        "end_header\n";
    for (int i = 0; i < 216; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%g %g %g\n", 0.1 * (i % 6), 0.1 * (i / 6 % 6), 0.1 * (i / 36));
    }
    phxt_write(phxt_path("cloud.ply"), text, strlen(text));
    const int draws[2] = {PHX_DRAW_AUTO, PHX_DRAW_LIQUID};
    for (int k = 0; k < 2; ++k) {
        phx_show_def def = phx_show_def_default();
        phx_show* show = NULL;
        const phx_part* parts = NULL;
        int count = 0;
        def.run = phxt_path("cloud.ply");
        def.draw = draws[k];
        REQUIRE_OK(phx_show_open(&def, &show));
        ENSURE(fabs(phx_show_cloud_spacing(show) - 0.1) < 1e-6);
        REQUIRE_OK(phx_show_parts(show, 0, &parts, &count));
        REQUIRE(count == 1);
        ENSURE(k == 0 ? parts[0].frame->points == 216 && parts[0].frame->triangles == 0
                      : parts[0].frame->triangles > 100);
        phx_show_close(show);
    }
}
