// SPDX-License-Identifier: MIT
// Binary glTF: lengths that fit, parts with their looks, bad input.
#include "support/test.h"
#include "surface/frame.h"

#include <phyxel/render.h>

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
    phx_part parts[2] = {{triangle, phx_look_default(), 0.5}, {points, phx_look_default(), 0}};
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

TEST(bad_input) {
    phx_frame* none = NULL;
    static const char* const names[1] = {"none"};
    REQUIRE_OK(phx_frame_create(0, 0, 0, NULL, &none));
    phx_part part = {none, phx_look_default(), 0};
    ENSURE_RESULT(phx_gltf_write(phxt_path("b.glb"), &part, names, 1), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_gltf_write(phxt_path("b.glb"), NULL, names, 1), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(none);
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &none));
    part.frame = none;
    ENSURE_RESULT(phx_gltf_write(phxt_path("no/folder/b.glb"), &part, names, 1), PHX_ERROR_IO);
    phx_frame_destroy(none);
}
