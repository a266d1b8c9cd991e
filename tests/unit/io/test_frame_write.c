// SPDX-License-Identifier: MIT
// Frames to files: what other programs find in them, and what happens when they cannot be written.
#include "support/test.h"
#include "unit/io/frame_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const NAMES[] = {"a.vtp", "a.ply", "a.obj", "a.pov"};

static char* written(const phx_frame* frame, const char* name) {
    ENSURE_OK(phx_frame_write(frame, phxt_path(name)));
    return phxt_read(phxt_path(name), NULL);
}

static void has(const char* text, const char* part) {
    if (!text || !strstr(text, part)) {
        phxt_failed(__FILE__, __LINE__, "lacks \"%s\"", part);
    }
}

TEST(points_are_picked) {
    phx_frame *whole = small_frame(true, 0.5, NULL), *picked = NULL;
    const bool three[4] = {true, false, true, true}, none[4] = {false};
    ENSURE_OK(phx_frame_pick(whole, three, &picked));
    ENSURE(phx_frame_points(picked) == 3 && phx_frame_triangles(picked) == 1 && phx_frame_time(picked) == 0.5);
    ENSURE_OK(phx_frame_check(picked));
    const int corners[3] = {1, 0, 2}; // of the face 2 0 3
    ENSURE(memcmp(phx_frame_indices(picked), corners, sizeof corners) == 0);
    ENSURE(phx_frame_positions(picked)[8] == 2);
    const phx_frame_field *all = phx_frame_find(whole, "velocity"), *some = phx_frame_find(picked, "velocity");
    ENSURE(some && memcmp(some->values + 3, all->values + 6, 6 * sizeof(float)) == 0);
    phx_frame_destroy(picked);
    ENSURE_OK(phx_frame_pick(whole, none, &picked));
    ENSURE(phx_frame_points(picked) == 0 && phx_frame_triangles(picked) == 0 && phx_frame_find(picked, "normal"));
    phx_frame_destroy(picked);
    ENSURE(phx_frame_pick(whole, NULL, &picked) == PHX_ERROR_ARGUMENT);
    phx_frame_indices(whole)[4] = 9;
    ENSURE(phx_frame_pick(whole, three, &picked) == PHX_ERROR_FORMAT && !picked);
    phx_frame_destroy(whole);
}

TEST(what_is_in_them) {
    phx_frame* mesh = small_frame(true, 0.5, NULL);
    phx_frame* points = small_frame(false, 0.5, NULL);
    char* text = written(mesh, "m.ply");
    has(text, "comment time 0.5\nelement vertex 4\n");
    has(text, "property float nx\nproperty float ny\nproperty float nz\n");
    has(text, "property float deformation_8\n");
    has(text, "element face 4\nproperty list uchar int vertex_indices\n");
    free(text);
    text = written(mesh, "m.obj");
    has(text, "v 0.1 0.2 2\n");
    has(text, "\nvn ");
    has(text, "f 1//1 3//3 2//2\n");
    free(text);
    text = written(points, "p.obj");
    has(text, "p 4\n");
    free(text);
    text = written(mesh, "m.vtp");
    has(text, "NumberOfVerts=\"0\"");
    has(text, "NumberOfPolys=\"4\"");
    has(text, "<PointData Normals=\"normal\">");
    free(text);
    text = written(mesh, "m.pov");
    has(text, "camera {");
    has(text, "light_source {");
    has(text, "plane { z, ");
    has(text, "mesh2 {");
    has(text, "normal_vectors { 4");
    has(text, "texture_list { 2");
    has(text, "<0,2,1>,0,1,0");
    free(text);
    text = written(points, "p.pov");
    has(text, "union {");
    has(text, "sphere { <0,1.5,0>, ");
    free(text);
    phx_frame_destroy(mesh);
    phx_frame_destroy(points);
}

TEST(meshes_are_read_by_vtk) {
    if (system("/usr/bin/python3 -c 'import vtk' >/dev/null 2>&1") != 0) {
        printf("skipped: no VTK for /usr/bin/python3\n");
        return;
    }
    phx_frame* frame = small_frame(true, 0.5, NULL);
    REQUIRE_OK(phx_frame_write(frame, phxt_path("m.vtp")));
    REQUIRE_OK(phx_frame_write(frame, phxt_path("m.ply")));
    static const char script[] =
        "import sys, vtk\n"
        "for name, kind in (('m.vtp', vtk.vtkXMLPolyDataReader), ('m.ply', vtk.vtkPLYReader)):\n"
        "    reader = kind()\n"
        "    reader.SetFileName(sys.argv[1] + '/' + name)\n"
        "    reader.Update()\n"
        "    data = reader.GetOutput()\n"
        "    assert data.GetNumberOfPoints() == 4 and data.GetNumberOfPolys() == 4, name\n"
        "    assert abs(data.GetPoint(3)[2] - 2) < 1e-6\n"
        "    assert data.GetPointData().GetNormals() is not None, name\n";
    phxt_write(phxt_path("read.py"), script, sizeof script - 1);
    char command[4096];
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= /usr/bin/python3 '%s' '%s'", phxt_path("read.py"),
             phxt_scratch());
    ENSURE(system(command) == 0);
    phx_frame_destroy(frame);
}

TEST(drawn_by_povray) {
    if (system("command -v povray >/dev/null 2>&1") != 0) {
        printf("skipped: no povray\n");
        return;
    }
    for (int kind = 0; kind < 2; ++kind) {
        phx_frame* frame = small_frame(kind == 1, 0, NULL);
        REQUIRE_OK(phx_frame_write(frame, phxt_path("a.pov")));
        char command[4096];
        unlink(phxt_path("a.png"));
        snprintf(command, sizeof command, "povray '+I%s' '+O%s' +W32 +H24 -D -GA >/dev/null 2>&1", phxt_path("a.pov"),
                 phxt_path("a.png"));
        ENSURE(system(command) == 0);
        struct stat info;
        ENSURE(stat(phxt_path("a.png"), &info) == 0 && info.st_size > 100);
        phx_frame_destroy(frame);
    }
}

TEST(by_a_field) {
    phx_frame* frame = small_frame(true, 0, NULL);
    phx_render_def def = phx_render_def_default();
    def.camera = phx_camera_framing((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1}, (phx_vec3){0, -1, 0}, 1);
    def.field = "velocity";
    def.floor = false;
    REQUIRE_OK(phx_render_write_pov(frame, &def, phxt_path("a.pov")));
    char* text = phxt_read(phxt_path("a.pov"), NULL);
    has(text, "texture_list { 4");
    ENSURE(!strstr(text, "plane"));
    free(text);
    def.field = "nothing";
    ENSURE_RESULT(phx_render_write_pov(frame, &def, phxt_path("b.pov")), PHX_ERROR_ARGUMENT);
    ENSURE(access(phxt_path("b.pov"), F_OK) != 0);
    def.stamp = 0;
    ENSURE_RESULT(phx_render_write_pov(frame, &def, phxt_path("b.pov")), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(frame);
}

TEST(looks_for_povray) {
    phx_frame *mesh = small_frame(true, 0, NULL), *points = small_frame(false, 0, NULL);
    phx_part parts[3] = {{.frame = mesh, .look = phx_look_default(), .size = 0.5},
                         {.frame = points, .look = phx_look_default(), .size = 0},
                         {.frame = mesh, .look = phx_look_default(), .size = 0}};
    phx_render_def def = phx_render_def_default();
    def.camera = phx_camera_framing((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1}, (phx_vec3){0, -1, 0}, 1);
    float* glow = NULL;
    REQUIRE_OK(phx_frame_add_field(points, "glow", 3, &glow));
    glow[3] = 2; // one point of four
    REQUIRE_OK(phx_look_of_preset("water", &parts[0].look));
    REQUIRE_OK(phx_look_of_preset("lava", &parts[1].look));
    REQUIRE_OK(phx_look_of_preset("steel", &parts[2].look));
    REQUIRE_OK(phx_pov_write(phxt_path("l.pov"), parts, 3, &def));
    char* text = phxt_read(phxt_path("l.pov"), NULL);
    has(text, "#declare T0_0 = texture { pigment { rgbf 1 }");
    has(text, "ior 1.333 fade_power 1001 fade_distance 1.18"); // depth 1.9 of 0.5 m, red 0.45: 0.95 m / -ln 0.45
    has(text, "fade_color rgb <0,");
    has(text, "#declare T1_1 = texture");
    has(text, " emission rgb <66.66");
    ENSURE(!strstr(text, "T1_2"));
    has(text, "metallic 1");
    has(text, "no_image no_radiosity");
    free(text);
    if (system("command -v povray >/dev/null 2>&1") == 0) {
        char command[4096];
        snprintf(command, sizeof command, "povray '+I%s' '+O%s' +W32 +H24 -D -GA >/dev/null 2>&1", phxt_path("l.pov"),
                 phxt_path("l.png"));
        ENSURE(system(command) == 0);
    } else {
        printf("not drawn: no povray\n");
    }
    def.stage = "moon";
    ENSURE_RESULT(phx_pov_write(phxt_path("m.pov"), parts, 3, &def), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_pov_write(phxt_path("m.pov"), NULL, 0, &def), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(mesh);
    phx_frame_destroy(points);
}

TEST(empty_frames) {
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_frame_create(0, 0, 0, NULL, &frame));
    for (int i = 0; i < 4; ++i) {
        ENSURE_OK(phx_frame_write(frame, phxt_path(NAMES[i])));
    }
    phx_frame_destroy(frame);
}

TEST(mistakes) {
    phx_frame* frame = small_frame(true, 0, NULL);
    ENSURE_RESULT(phx_frame_write(frame, phxt_path("a.xyz")), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected .vtp, .ply, .obj or .pov");
    ENSURE_RESULT(phx_frame_write(frame, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_frame_write(NULL, "a.vtp"), PHX_ERROR_ARGUMENT);
    for (int i = 0; i < 4; ++i) {
        char path[64];
        snprintf(path, sizeof path, "no/folder/%s", NAMES[i]);
        ENSURE_RESULT(phx_frame_write(frame, phxt_path(path)), PHX_ERROR_IO);
        ENSURE_MESSAGE("no/folder");
    }
    phx_frame_indices(frame)[5] = 4;
    ENSURE_RESULT(phx_frame_write(frame, phxt_path("a.vtp")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("triangle 1 uses point 4");
    phx_frame_indices(frame)[5] = 0;
    phx_frame_positions(frame)[4] = INFINITY;
    ENSURE_RESULT(phx_frame_write(frame, phxt_path("a.vtp")), PHX_ERROR_FORMAT);
    phx_frame_destroy(frame);
}

TEST(full_disk_keeps_the_old_file) {
    phx_frame* frame = small_frame(true, 0, NULL);
    for (int i = 0; i < 4; ++i) {
        phxt_write(phxt_path(NAMES[i]), "old", 3);
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit before, small;
        getrlimit(RLIMIT_FSIZE, &before);
        small = before;
        small.rlim_cur = 64;
        setrlimit(RLIMIT_FSIZE, &small);
        ENSURE_RESULT(phx_frame_write(frame, phxt_path(NAMES[i])), PHX_ERROR_IO);
        setrlimit(RLIMIT_FSIZE, &before);
        ENSURE_MESSAGE(NAMES[i]);
        char* bytes = phxt_read(phxt_path(NAMES[i]), NULL);
        ENSURE(bytes && strcmp(bytes, "old") == 0);
        free(bytes);
    }
    phx_frame_destroy(frame);
}

TEST(no_memory) {
    for (int i = 0; i < 4; ++i) {
        bool done = false;
        for (int64_t n = 0; n < 200 && !done; ++n) {
            phxt_heap heap;
            phxt_heap_init(&heap, -1);
            phx_frame* frame = small_frame(true, 0, &heap.allocator);
            REQUIRE(frame);
            heap.fail_at = heap.allocations + n;
            phx_result result = phx_frame_write(frame, phxt_path(NAMES[i]));
            ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
            done = result == PHX_OK;
            phx_frame_destroy(frame);
            ENSURE(heap.live == 0);
        }
        ENSURE(done);
    }
}
