// SPDX-License-Identifier: MIT
// Animated USD files: read by USD itself where it is installed, and whole or not there.
#include "support/test.h"
#include "unit/io/frame_fixture.h"

#include <phyxel/io.h>
#include <phyxel/render.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

static phx_result write_film(const char* path, bool triangles, int frames, bool keep) {
    phx_usd* usd = NULL;
    phx_result result = phx_usd_begin(path, 24, &usd);
    for (int i = 0; result == PHX_OK && i < frames; ++i) {
        phx_frame* frame = small_frame(triangles, i / 24.0, NULL);
        result = phx_usd_add(usd, frame);
        phx_frame_destroy(frame);
    }
    if (result != PHX_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", phx_error_message());
        (void)phx_usd_end(usd, false);
        printf("%s\n", message);
        return result;
    }
    return phx_usd_end(usd, keep);
}

// Temporary files that were left behind.
static int rests(void) {
    int count = 0;
    DIR* folder = opendir(phxt_scratch());
    for (struct dirent* item; folder && (item = readdir(folder));) {
        count += strstr(item->d_name, ".tmp") != NULL;
    }
    closedir(folder);
    return count;
}

TEST(text_of_a_mesh) {
    REQUIRE_OK(write_film(phxt_path("a.usda"), true, 3, true));
    char* text = phxt_read(phxt_path("a.usda"), NULL);
    static const char* const parts[] = {
        "#usda 1.0\n",
        "startTimeCode = 0\n",
        "endTimeCode = 2\n",
        "timeCodesPerSecond = 24\n",
        "upAxis = \"Z\"",
        "def Mesh \"surface\"",
        "point3f[] points.timeSamples = {\n            0: [(0, 0, 0), (1, 0, 0), ",
        "int[] faceVertexCounts.timeSamples = {\n            0: [3, 3, 3, 3],\n",
        "            0: [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],\n        }\n" /* held: it does not change */,
        "normal3f[] normals (\n            interpolation = \"vertex\"\n",
        "float[] primvars:body.timeSamples",
        "vector3f[] velocities.timeSamples",
        "elementSize = 9"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (!strstr(text, parts[i])) {
            phxt_failed(__FILE__, __LINE__, "lacks \"%s\"", parts[i]);
        }
    }
    free(text);
    ENSURE(rests() == 0);
}

TEST(read_by_usd) {
    const char* python = getenv("PHX_USD_PYTHON") ? getenv("PHX_USD_PYTHON") : "python3";
    char command[4096];
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= %s -c 'import pxr' >/dev/null 2>&1", python);
    if (system(command) != 0) {
        printf("skipped: no USD for %s (pip install usd-core)\n", python);
        return;
    }
    REQUIRE_OK(write_film(phxt_path("m.usda"), true, 3, true));
    REQUIRE_OK(write_film(phxt_path("p.usda"), false, 3, true));
    static const char script[] =
        "import sys\n"
        "from pxr import Usd, UsdGeom\n"
        "for name, path in (('m.usda', '/phyxel/surface'), ('p.usda', '/phyxel/particles')):\n"
        "    stage = Usd.Stage.Open(sys.argv[1] + '/' + name)\n"
        "    assert stage.GetEndTimeCode() == 2 and stage.GetTimeCodesPerSecond() == 24\n"
        "    assert UsdGeom.GetStageUpAxis(stage) == 'Z' and UsdGeom.GetStageMetersPerUnit(stage) == 1\n"
        "    prim = stage.GetPrimAtPath(path)\n"
        "    points = UsdGeom.PointBased(prim).GetPointsAttr()\n"
        "    assert points.GetTimeSamples() == [0, 1, 2]\n"
        "    assert len(points.Get(2)) == 4 and points.Get(2)[3][2] == 2\n"
        "    assert UsdGeom.PointBased(prim).GetVelocitiesAttr().Get(1)[3][2] == 7.75\n"
        "    deformation = UsdGeom.PrimvarsAPI(prim).GetPrimvar('deformation')\n"
        "    assert deformation.GetElementSize() == 9 and len(deformation.Get(1)) == 36\n"
        "    if name == 'm.usda':\n"
        "        mesh = UsdGeom.Mesh(prim)\n"
        "        good, why = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(1),\n"
        "                                                  mesh.GetFaceVertexCountsAttr().Get(1), 4)\n"
        "        assert good, why\n"
        "        assert mesh.GetNormalsInterpolation() == 'vertex' and len(mesh.GetNormalsAttr().Get(1)) == 4\n"
        "    else:\n"
        "        assert len(UsdGeom.Points(prim).GetWidthsAttr().Get(0)) == 4\n";
    phxt_write(phxt_path("read.py"), script, sizeof script - 1);
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= %s '%s' '%s'", python, phxt_path("read.py"),
             phxt_scratch());
    ENSURE(system(command) == 0);
}

// Every body as stones have it: widths of their own, colours and glow by the preview surface, no complaint by USD's own
// validators.
TEST(validators_of_usd) {
    phx_frame *mesh = small_frame(true, 0, NULL), *points = small_frame(false, 0, NULL);
    float *color = NULL, *radius = NULL, *glow = NULL, *roughness = NULL;
    REQUIRE_OK(phx_frame_add_field(points, "color", 3, &color));
    REQUIRE_OK(phx_frame_add_field(points, "radius", 1, &radius));
    REQUIRE_OK(phx_frame_add_field(mesh, "glow", 3, &glow));
    REQUIRE_OK(phx_frame_add_field(mesh, "roughness", 1, &roughness));
    static const char marked[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 0.5 0.25\nvt 1 1\n"
                                 "g side a\nf 1/1 3/3 2/2\nf 1/1 2/2 4/3\ng side:a\nf 2/1 3/2 4/3\nf 3/1 1/2 4/3\n";
    phx_mesh* marks = NULL;
    REQUIRE_OK(phx_mesh_parse("m.obj", marked, strlen(marked), NULL, &marks));
    color[4] = 0.5f, radius[1] = 0.25f, glow[0] = 2;
    phx_part parts[2] = {{.frame = mesh, .look = phx_look_default()}, {.frame = points, .look = phx_look_default()}};
    parts[0].mesh = marks;
    static const char* const names[2] = {"lava", "sand"};
    phx_usd* usd = NULL;
    REQUIRE_OK(phx_usd_begin(phxt_path("v.usda"), 24, &usd));
    REQUIRE_OK(phx_usd_add_parts(usd, parts, names, 2));
    REQUIRE_OK(phx_usd_end(usd, true));
    char* text = phxt_read(phxt_path("v.usda"), NULL);
    ENSURE(text && strstr(text, "color3f[] primvars:displayColor.timeSamples") && strstr(text, "0.5, 0), (0, 0, 0)"));
    ENSURE(text && strstr(text, "color3f inputs:diffuseColor.connect = </phyxel/looks/sand/color.outputs:result>"));
    ENSURE(text && strstr(text, "float inputs:roughness.connect = </phyxel/looks/lava/roughness.outputs:result>"));
    ENSURE(text && strstr(text, "0: [0, 0.5, 0, 0],\n")); // widths
    ENSURE(text &&
           strstr(text, "texCoord2f[] primvars:st = [(0, 0), (1, 1), (0.5, 0.25), (0, 0), (0.5, 0.25), (1, 1)"));
    ENSURE(text && strstr(text, "def GeomSubset \"side_a\"") && strstr(text, "def GeomSubset \"side_a_1\""));
    ENSURE(text && strstr(text, "indices = [2, 3]"));
    phx_mesh_destroy(marks);
    free(text);
    phx_frame_destroy(mesh);
    phx_frame_destroy(points);
    const char* python = getenv("PHX_USD_PYTHON") ? getenv("PHX_USD_PYTHON") : "python3";
    char command[4096];
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= %s -c 'from pxr import UsdValidation' >/dev/null 2>&1",
             python);
    if (system(command) != 0) {
        printf("skipped: no validators of USD for %s (pip install usd-core)\n", python);
        return;
    }
    static const char script[] =
        "import sys\n"
        "from pxr import Usd, UsdGeom, UsdShade, UsdValidation\n"
        "stage = Usd.Stage.Open(sys.argv[1])\n"
        "all = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()\n"
        "errors = UsdValidation.ValidationContext(all).Validate(stage)\n"
        "assert len(all) > 10 and not errors, [e.GetMessage() for e in errors]\n"
        "for name in ('lava', 'sand'):\n"
        "    prim = stage.GetPrimAtPath('/phyxel/' + name)\n"
        "    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()\n"
        "    assert material.GetPrim().GetName() == name\n"
        "mesh = UsdGeom.Mesh(stage.GetPrimAtPath('/phyxel/lava'))\n"
        "st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar('st')\n"
        "assert st.GetInterpolation() == 'faceVarying' and len(st.Get()) == 12 and st.Get()[2] == (0.5, 0.25)\n"
        "groups = UsdGeom.Subset.GetGeomSubsets(mesh, 'face', 'groups')\n"
        "assert [list(g.GetIndicesAttr().Get()) for g in groups] == [[0, 1], [2, 3]]\n"
        "assert UsdGeom.Subset.ValidateFamily(mesh, 'face', 'groups')[0]\n";
    phxt_write(phxt_path("validate.py"), script, sizeof script - 1);
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= %s '%s' '%s'", python, phxt_path("validate.py"),
             phxt_path("v.usda"));
    ENSURE(system(command) == 0);
}

// What melts or is torn has other triangles than it began with.
TEST(marks_go_where_triangles_change) {
    static const char marked[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\ng a\nf 1/1 3/1 2/1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    phx_mesh* marks = NULL;
    phx_usd* usd = NULL;
    phx_frame* frame = small_frame(true, 0, NULL);
    static const char* const names[1] = {"body"};
    REQUIRE_OK(phx_mesh_parse("m.obj", marked, strlen(marked), NULL, &marks));
    phx_part part = {.frame = frame, .look = phx_look_default(), .mesh = marks};
    REQUIRE_OK(phx_usd_begin(phxt_path("t.usda"), 24, &usd));
    REQUIRE_OK(phx_usd_add_parts(usd, &part, names, 1));
    part.mesh = NULL;
    REQUIRE_OK(phx_usd_add_parts(usd, &part, names, 1));
    REQUIRE_OK(phx_usd_end(usd, true));
    char* text = phxt_read(phxt_path("t.usda"), NULL);
    ENSURE(text && !strstr(text, "primvars:st") && !strstr(text, "GeomSubset"));
    free(text);
    phx_mesh_destroy(marks);
    phx_frame_destroy(frame);
}

TEST(given_up) {
    phxt_write(phxt_path("a.usda"), "old", 3);
    ENSURE_OK(write_film(phxt_path("a.usda"), true, 2, false));
    char* text = phxt_read(phxt_path("a.usda"), NULL);
    ENSURE(text && strcmp(text, "old") == 0 && rests() == 0);
    free(text);
    ENSURE_RESULT(write_film(phxt_path("a.usda"), true, 0, true), PHX_ERROR_ARGUMENT); // no frames
    ENSURE(rests() == 0);
}

TEST(mistakes) {
    phx_usd* usd = NULL;
    ENSURE_RESULT(phx_usd_begin(phxt_path("a.usd"), 24, &usd), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_usd_begin(phxt_path("a.usda"), 0, &usd), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_usd_begin(phxt_path("a.usda"), NAN, &usd), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_usd_begin(NULL, 24, &usd), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_usd_begin(phxt_path("no/folder/a.usda"), 24, &usd), PHX_ERROR_IO);
    ENSURE_MESSAGE("no/folder");
    ENSURE_OK(phx_usd_end(NULL, true));
    REQUIRE_OK(phx_usd_begin(phxt_path("a.usda"), 24, &usd));
    phx_frame *mesh = small_frame(true, 0, NULL), *points = small_frame(false, 1, NULL), *bare = NULL;
    REQUIRE_OK(phx_frame_create(3, 1, 0, NULL, &bare));
    ENSURE_OK(phx_usd_add(usd, mesh));
    ENSURE_RESULT(phx_usd_add(usd, points), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("has points, the first one had triangles");
    ENSURE_RESULT(phx_usd_add(usd, bare), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("has no field 'body'");
    ENSURE_OK(phx_usd_add(usd, mesh)); // the same time again takes the next step
    phx_frame_positions(mesh)[0] = NAN;
    ENSURE_RESULT(phx_usd_add(usd, mesh), PHX_ERROR_FORMAT);
    ENSURE_OK(phx_usd_end(usd, true));
    char* text = phxt_read(phxt_path("a.usda"), NULL);
    ENSURE(text && strstr(text, "endTimeCode = 1\n"));
    free(text);
    phx_frame_destroy(mesh);
    phx_frame_destroy(points);
    phx_frame_destroy(bare);
}

TEST(full_disk_keeps_the_old_file) {
    phxt_write(phxt_path("a.usda"), "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    for (rlim_t bytes = 32; bytes < 3000; bytes *= 3) {
        small = before;
        small.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &small);
        phx_result result = write_film(phxt_path("a.usda"), true, 8, true);
        setrlimit(RLIMIT_FSIZE, &before);
        ENSURE(result == PHX_ERROR_IO);
        char* text = phxt_read(phxt_path("a.usda"), NULL);
        ENSURE(text && strcmp(text, "old") == 0 && rests() == 0);
        free(text);
    }
}

TEST(every_body_has_a_name_of_its_own) {
    phx_usd* usd = NULL;
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &frame));
    phx_part parts[3];
    for (int i = 0; i < 3; ++i) {
        parts[i] = (phx_part){.frame = frame, .look = phx_look_default()};
    }
    static const char* const names[3] = {"a b", "a_b", "looks"};
    REQUIRE_OK(phx_usd_begin(phxt_path("names.usda"), 24, &usd));
    for (int i = 0; i < 2; ++i) {
        REQUIRE_OK(phx_usd_add_parts(usd, parts, names, 3));
    }
    REQUIRE_OK(phx_usd_end(usd, true));
    char* text = phxt_read(phxt_path("names.usda"), NULL);
    static const char* const prims[] = {"def Points \"a_b\"", "def Points \"a_b_1\"", "def Points \"looks_2\"",
                                        "def Scope \"looks\"", "</phyxel/looks/looks_2>"};
    for (size_t i = 0; i < sizeof prims / sizeof *prims; ++i) {
        const char* found = text ? strstr(text, prims[i]) : NULL;
        ENSURE(found && (i > 3 || !strstr(found + 1, prims[i]))); // once
    }
    free(text);
    phx_frame_destroy(frame);
}

TEST(bodies_have_prims_and_looks) {
    phx_usd* usd = NULL;
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &frame));
    phx_part parts[2] = {{.frame = frame, .look = phx_look_default(), .size = 1},
                         {.frame = frame, .look = phx_look_default(), .size = 1}};
    parts[1].look.metal = 1;
    static const char* const names[2] = {"a ball", "steel"};
    REQUIRE_OK(phx_usd_begin(phxt_path("looks.usda"), 24, &usd));
    REQUIRE_OK(phx_usd_add_parts(usd, parts, names, 2));
    ENSURE_RESULT(phx_usd_add_parts(usd, parts, NULL, 2), PHX_ERROR_ARGUMENT);
    REQUIRE_OK(phx_usd_end(usd, true));
    char* text = phxt_read(phxt_path("looks.usda"), NULL);
    ENSURE(strstr(text, "def Points \"a_ball\"") && strstr(text, "rel material:binding = </phyxel/looks/steel>"));
    ENSURE(strstr(text, "float inputs:metallic = 1") && strstr(text, "UsdPreviewSurface"));
    free(text);
    phx_frame_destroy(frame);
}
