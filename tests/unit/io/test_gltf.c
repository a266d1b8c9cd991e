// SPDX-License-Identifier: MIT
// Binary glTF: lengths that fit, parts with their looks, bad input.
#include "support/test.h"
#include "surface/frame.h"

#include <phyxel/render.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number_at(const char* bytes, size_t at) {
    uint32_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

TEST(lengths_fit_and_looks_are_there) {
    phx_frame *triangle = NULL, *points = NULL;
    REQUIRE_OK(phx_frame_create(3, 1, 0, NULL, &triangle));
    REQUIRE_OK(phx_frame_create(5, 0, 0, NULL, &points));
    triangle->positions[3] = triangle->positions[7] = 1;
    triangle->indices[1] = 1, triangle->indices[2] = 2;
    phx_part parts[2] = {{.frame = triangle, .look = phx_look_default(), .size = 0.5},
                         {.frame = points, .look = phx_look_default(), .size = 0}};
    REQUIRE_OK(phx_look_of_preset("water", &parts[0].look));
    static const char* const names[2] = {"wa\"ter", "sand"};
    REQUIRE_OK(phx_gltf_write(phxt_path("a.glb"), parts, names, 2));
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("a.glb"), &size);
    REQUIRE(bytes && size > 28);
    uint32_t json = number_at(bytes, 12), binary = number_at(bytes, 20 + json);
    ENSURE(memcmp(bytes, "glTF", 4) == 0 && number_at(bytes, 4) == 2 && number_at(bytes, 8) == size);
    ENSURE(json % 4 == 0 && binary % 4 == 0 && 28 + json + binary == size);
    ENSURE(binary == (3 * 3 + 3 + 5 * 3) * 4);
    bytes[20 + json - 1] = 0; // a text from here on
    const char* text = bytes + 20;
    ENSURE(strstr(text, "KHR_materials_transmission") && strstr(text, "\"wa\\u0022ter\"") &&
           strstr(text, "\"mode\":0"));
    free(bytes);
    phx_frame_destroy(triangle);
    phx_frame_destroy(points);
}

/// A tetrahedron, turned, moved and stretched.
static phx_frame* tetrahedron(double time, double angle, double stretch) {
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    phx_frame* f = NULL;
    ENSURE_OK(phx_frame_create(4, 4, time, NULL, &f));
    memcpy(f->indices, faces, sizeof faces);
    for (int i = 0; i < 4; ++i) {
        const double* c = corners + 3 * i;
        f->positions[3 * i] = cos(angle) * c[0] - sin(angle) * c[1] + 2 * time;
        f->positions[3 * i + 1] = sin(angle) * c[0] + cos(angle) * c[1];
        f->positions[3 * i + 2] = stretch * c[2];
    }
    return f;
}

static phx_result write_film(const char* path, int frames, bool cut) {
    phx_gltf* film = NULL;
    static const char* const names[2] = {"ball", "jelly"};
    ENSURE_OK(phx_gltf_begin(path, &film));
    phx_result result = PHX_OK;
    for (int i = 0; i < frames && result == PHX_OK; ++i) {
        phx_frame *a = tetrahedron(0.1 * i, 0.3 * i, 1), *b = tetrahedron(0.1 * i, 0, 1 + 0.1 * i);
        b->triangles -= cut && i == 2;
        phx_part parts[2] = {{.frame = a, .look = phx_look_default()}, {.frame = b, .look = phx_look_default()}};
        result = phx_gltf_add_parts(film, parts, names, 2);
        b->triangles = 4;
        phx_frame_destroy(a);
        phx_frame_destroy(b);
    }
    phx_result ended = phx_gltf_end(film, result == PHX_OK);
    return result == PHX_OK ? ended : result;
}

TEST(films_move_nodes_or_morph) {
    REQUIRE_OK(write_film(phxt_path("film.glb"), 4, false));
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("film.glb"), &size);
    REQUIRE(bytes && size > 28);
    uint32_t json = number_at(bytes, 12), binary = number_at(bytes, 20 + json);
    ENSURE(28 + json + binary == size);
    // both: positions and indices; jelly: three targets, four by three weights; ball: four turns and places; four times
    ENSURE(binary == 4 * (2 * (12 + 12) + 3 * 12 + 4 * 3 + 4 * 4 + 4 * 3 + 4));
    bytes[20 + json - 1] = 0;
    const char* text = bytes + 20;
    ENSURE(strstr(text, "{\"node\":1,\"path\":\"rotation\"}") && strstr(text, "{\"node\":1,\"path\":\"translation\"}"));
    ENSURE(strstr(text, "{\"node\":2,\"path\":\"weights\"}") && strstr(text, "\"weights\":[0,0,0]"));
    ENSURE(!strstr(text, "{\"node\":1,\"path\":\"weights\"}"));
    free(bytes);
    REQUIRE_OK(write_film(phxt_path("still.glb"), 1, false));
    bytes = phxt_read(phxt_path("still.glb"), &size);
    bytes[20 + number_at(bytes, 12) - 1] = 0;
    ENSURE(!strstr(bytes + 20, "animations"));
    free(bytes);
}

TEST(films_that_gltf_cannot_have) {
    ENSURE_RESULT(write_film(phxt_path("cut.glb"), 4, true), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(write_film(phxt_path("long.glb"), 62, false), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("'jelly' changes its shape in 62 frames");
    ENSURE_OK(write_film(phxt_path("long.glb"), 61, false));
    ENSURE_RESULT(write_film(phxt_path("none.glb"), 0, false), PHX_ERROR_ARGUMENT);
    ENSURE_OK(phx_gltf_end(NULL, true));
}

TEST(bad_input) {
    phx_frame* none = NULL;
    static const char* const names[1] = {"none"};
    REQUIRE_OK(phx_frame_create(0, 0, 0, NULL, &none));
    phx_part part = {.frame = none, .look = phx_look_default(), .size = 0};
    ENSURE_RESULT(phx_gltf_write(phxt_path("b.glb"), &part, names, 1), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_gltf_write(phxt_path("b.glb"), NULL, names, 1), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(none);
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &none));
    part.frame = none;
    ENSURE_RESULT(phx_gltf_write(phxt_path("no/folder/b.glb"), &part, names, 1), PHX_ERROR_IO);
    phx_frame_destroy(none);
}

/// The first accessor behind a name of an attribute, as its floats in the binary chunk.
static const float* floats_of(const char* bytes, const char* attribute) {
    uint32_t json = number_at(bytes, 12);
    const char *text = bytes + 20, *at = strstr(text, attribute);
    if (!at) {
        return NULL;
    }
    int accessor = atoi(at + strlen(attribute));
    const char* view = strstr(text, "\"bufferViews\"");
    for (int i = 0; i <= accessor; ++i) { // one view each, in order
        view = strstr(view + 1, "\"byteOffset\":");
    }
    return (const float*)(const void*)(bytes + 28 + json + atoi(view + 13));
}

TEST(texture_coordinates_are_kept) {
    // a square of two triangles, whose edge in the middle is a seam: two of its vertices have two places each
    const char* square =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0.75 0.5\nvt 1 1\nvt 0 1\n"
        "f 1/1 2/2 3/3\nf 1/4 3/5 4/6\n";
    phxt_write(phxt_path("square.obj"), square, strlen(square));
    phx_mesh* mesh = NULL;
    phx_frame* f = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_path("square.obj"), &mesh));
    REQUIRE_OK(phx_frame_create(4, 2, 0, NULL, &f));
    memcpy(f->positions, phx_mesh_positions(mesh), 12 * sizeof(double));
    memcpy(f->indices, phx_mesh_triangles(mesh), 6 * sizeof(int));
    phx_part part = {.frame = f, .look = phx_look_default(), .mesh = mesh};
    static const char* const names[1] = {"square"};
    REQUIRE_OK(phx_gltf_write(phxt_path("a.glb"), &part, names, 1));
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("a.glb"), &size);
    REQUIRE(bytes && size > 28);
    const float *uvs = floats_of(bytes, "\"TEXCOORD_0\":"), *places = floats_of(bytes, "\"POSITION\":");
    REQUIRE(uvs && places);
    static const float wanted[6][4] = {// x, y, u, v: glTF has v down
                                       {0, 0, 0, 1},        {1, 0, 0.5f, 1}, {1, 1, 0.5f, 0.75f},
                                       {0, 0, 0.75f, 0.5f}, {1, 1, 1, 0},    {0, 1, 0, 0}};
    for (int i = 0; i < 6; ++i) {
        ENSURE(places[3 * i] == wanted[i][0] && places[3 * i + 1] == wanted[i][1]);
        ENSURE(uvs[2 * i] == wanted[i][2] && uvs[2 * i + 1] == wanted[i][3]);
    }
    free(bytes);
    phx_frame_destroy(f);
    phx_mesh_destroy(mesh);
}
