// SPDX-License-Identifier: MIT
// Pictures for other renderers: looks in metres, lamps, a file a part, bad input.
#include "support/test.h"
#include "unit/io/frame_fixture.h"

#include <phyxel/render.h>

#include <unistd.h>

static void has(const char* text, const char* part) {
    if (!text || !strstr(text, part)) {
        phxt_failed(__FILE__, __LINE__, "lacks \"%s\"", part);
    }
}

static phx_render_def a_definition(void) {
    phx_render_def def = phx_render_def_default();
    def.camera = phx_camera_framing((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1}, (phx_vec3){0, -1, 0}, 1);
    def.stage_radius = 2;
    return def;
}

TEST(what_is_in_it) {
    phx_frame *mesh = small_frame(true, 0.25, NULL), *points = small_frame(false, 0.25, NULL), *back = NULL;
    phx_part parts[2] = {{.frame = mesh, .look = phx_look_default(), .size = 0.5},
                         {.frame = points, .look = phx_look_default(), .size = 0}};
    static const char* const names[2] = {"wa\"ter", "stones"};
    phx_render_def def = a_definition();
    REQUIRE_OK(phx_look_of_preset("jelly", &parts[0].look));
    REQUIRE_OK(phx_stage_write(phxt_path("a.json"), parts, names, 2, &def));
    char* text = phxt_read(phxt_path("a.json"), NULL);
    has(text, "{\"phyxel\":1,\"time\":0.25,\n\"width\":640,\"height\":480,\n\"camera\":{\"eye\":[");
    has(text, "\"stage\":{\"name\":\"studio\"");
    has(text, "\"radius\":2,\"floor_color\":[");
    has(text, "\"floor\":0,");
    has(text, "\"lamps\":[{\"direction\":[");
    has(text, "{\"name\":\"wa\\u0022ter\",\"file\":\"a_0.ply\",\"points\":4,\"triangles\":4");
    has(text, "\"file\":\"a_1.ply\",\"points\":4,\"triangles\":0");
    has(text, "\"ior\":1.36"); // in float
    const char* scatter = text ? strstr(text, "\"scatter\":") : NULL;
    ENSURE(scatter && fabs(strtod(scatter + 10, NULL) - 0.4) < 1e-6); // 0.2 a radius of 0.5 m
    const char* red = text ? strstr(text, "\"absorption\":[") : NULL;
    ENSURE(red && fabs(strtod(red + 14, NULL) + log(0.92) / 0.35) < 1e-6);
    free(text);
    phx_frames* frames = NULL;
    REQUIRE_OK(phx_frames_open(phxt_path("a_0.ply"), &frames));
    REQUIRE_OK(phx_frames_read(frames, 0, &back));
    ENSURE(phx_frame_points(back) == 4 && phx_frame_triangles(back) == 4 && phx_frame_find(back, "velocity"));
    ENSURE(!phx_frame_find(back, "color"));
    phx_frame_destroy(back);
    phx_frames_close(frames);
    phx_frame_destroy(mesh);
    phx_frame_destroy(points);
}

TEST(by_a_field) {
    phx_frame *mesh = small_frame(true, 0, NULL), *back = NULL;
    phx_part part = {.frame = mesh, .look = phx_look_default(), .size = 0.5};
    static const char* const names[1] = {"body"};
    phx_render_def def = a_definition();
    phx_frames* frames = NULL;
    REQUIRE_OK(phx_look_of_preset("water", &part.look));
    def.field = "velocity";
    def.floor = false;
    REQUIRE_OK(phx_stage_write(phxt_path("f.json"), &part, names, 1, &def));
    char* text = phxt_read(phxt_path("f.json"), NULL);
    has(text, "\"floor\":null");
    has(text, "\"transmission\":0,"); // what it looks like is what its colours say
    free(text);
    REQUIRE_OK(phx_frames_open(phxt_path("f_0.ply"), &frames));
    REQUIRE_OK(phx_frames_read(frames, 0, &back));
    ENSURE(phx_frame_find(back, "color"));
    phx_frame_destroy(back);
    phx_frames_close(frames);
    phx_frame_destroy(mesh);
}

TEST(bad_input) {
    phx_frame* mesh = small_frame(true, 0, NULL);
    phx_part part = {.frame = mesh, .look = phx_look_default(), .size = 0.5};
    static const char* const names[1] = {"body"};
    phx_render_def def = a_definition();
    ENSURE_RESULT(phx_stage_write(phxt_path("b.txt"), &part, names, 1, &def), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_stage_write(phxt_path("b.json"), &part, names, 0, &def), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_stage_write(phxt_path("no/folder/b.json"), &part, names, 1, &def), PHX_ERROR_IO);
    def.stage = "moon";
    ENSURE_RESULT(phx_stage_write(phxt_path("b.json"), &part, names, 1, &def), PHX_ERROR_ARGUMENT);
    def.stage = NULL;
    phx_frame_positions(mesh)[0] = NAN;
    ENSURE(phx_stage_write(phxt_path("b.json"), &part, names, 1, &def) != PHX_OK);
    ENSURE(access(phxt_path("b.json"), F_OK) != 0); // only when it is whole
    def.stamp = 0;
    ENSURE_RESULT(phx_stage_write(phxt_path("b.json"), &part, names, 1, &def), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(mesh);
}
