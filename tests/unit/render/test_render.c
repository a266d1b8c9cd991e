// SPDX-License-Identifier: MIT
// Pictures with known content: where things are, which colour they have, that rays and z-buffer agree, bad input.
#include "support/test.h"

#include <sys/stat.h>

static phx_frame* one_ball(double radius) {
    phx_frame* frame = NULL;
    if (phx_frame_create(1, 0, 0.25, NULL, &frame) != PHX_OK) {
        return NULL;
    }
    phx_frame_positions(frame)[2] = 1;
    float* spacing;
    float* value;
    phx_frame_add_field(frame, "spacing", 1, &spacing);
    phx_frame_add_field(frame, "value", 1, &value);
    spacing[0] = (float)(2 * radius);
    value[0] = 1;
    return frame;
}

static phx_render_def look_at(phx_vec3 low, phx_vec3 high) {
    phx_render_def def = phx_render_def_default();
    def.width = 160;
    def.height = 120;
    def.threads = 2;
    def.bar = false;
    def.camera = phx_camera_framing(low, high, (phx_vec3){0, -1, 0.2}, 160.0 / 120);
    return def;
}

static const unsigned char* pixel(phx_image* image, int x, int y) {
    return phx_image_pixels(image) + 3 * (y * phx_image_width(image) + x);
}

// Share of pixels that differ by more than `step` in some channel.
static double difference(phx_image* a, phx_image* b, int step) {
    int count = 0, pixels = phx_image_width(a) * phx_image_height(a);
    for (int i = 0; i < pixels; ++i) {
        bool differs = false;
        for (int k = 0; k < 3; ++k) {
            differs = differs || abs(phx_image_pixels(a)[3 * i + k] - phx_image_pixels(b)[3 * i + k]) > step;
        }
        count += differs;
    }
    return (double)count / pixels;
}

TEST(a_ball_is_where_it_should_be) {
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-0.5, -0.5, 0.5}, (phx_vec3){0.5, 0.5, 1.5});
    def.field = "value";
    def.low = 0;
    def.high = 1;
    def.floor = false;
    for (int engine = 0; engine < 2; ++engine) {
        phx_image* image = NULL;
        def.z_buffer = engine == 1;
        REQUIRE_OK(phx_render(frame, &def, &image));
        const unsigned char* middle = pixel(image, 80, 60);
        ENSURE(middle[0] > middle[2] + 60 && middle[1] > middle[2] + 60); // the yellow end of viridis
        const unsigned char* corner = pixel(image, 3, 3);
        ENSURE(abs(corner[0] - corner[2]) < 40 && corner[2] > 150); // background
        phx_image_destroy(image);
    }
    phx_frame_destroy(frame);
}

TEST(colliders_are_grey_and_in_front) {
    static const int indices[3] = {0, 1, 2};
    static const double corners[9] = {-1, -0.5, 0, 1, -0.5, 0, 0, -0.5, 3}; // before the ball
    phx_frame *frame = one_ball(0.3), *wall = NULL;
    REQUIRE(frame);
    REQUIRE_OK(phx_frame_create(3, 1, 0, NULL, &wall));
    memcpy(phx_frame_positions(wall), corners, sizeof corners);
    memcpy(phx_frame_indices(wall), indices, sizeof indices);
    phx_render_def def = look_at((phx_vec3){-0.5, -0.5, 0.5}, (phx_vec3){0.5, 0.5, 1.5});
    def.field = "value";
    def.low = 0;
    def.high = 1;
    def.floor = false;
    def.obstacles = wall;
    for (int engine = 0; engine < 2; ++engine) {
        phx_image* image = NULL;
        def.z_buffer = engine == 1;
        REQUIRE_OK(phx_render(frame, &def, &image));
        const unsigned char* middle = pixel(image, 80, 60);
        ENSURE(abs(middle[0] - middle[2]) < 25 && middle[0] > 40 && middle[0] < 220);
        phx_image_destroy(image);
    }
    phx_frame_indices(wall)[0] = 7;
    phx_image* image = NULL;
    ENSURE_RESULT(phx_render(frame, &def, &image), PHX_ERROR_FORMAT);
    phx_frame_destroy(frame);
    phx_frame_destroy(wall);
}

TEST(rays_and_z_buffer_see_the_same) {
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_frame_create(5, 2, 0, NULL, &frame));
    const double points[15] = {-1, 0, 0, 1, 0, 0, 1, 0.5, 1.5, -1, 0.5, 1.5, 9, 9, 9};
    const int indices[6] = {0, 1, 2, 0, 2, 3};
    memcpy(phx_frame_positions(frame), points, sizeof points);
    memcpy(phx_frame_indices(frame), indices, sizeof indices);
    phx_render_def def = look_at((phx_vec3){-1, 0, 0}, (phx_vec3){1, 0.5, 1.5});
    def.shadows = false;
    def.occlusion = 0;
    phx_image *rays = NULL, *buffer = NULL;
    REQUIRE_OK(phx_render(frame, &def, &rays));
    def.z_buffer = true;
    REQUIRE_OK(phx_render(frame, &def, &buffer));
    ENSURE(difference(rays, buffer, 8) < 0.02);
    // and something is there at all
    def.camera = phx_camera_framing((phx_vec3){50, 50, 50}, (phx_vec3){51, 51, 51}, (phx_vec3){0, -1, 0.2}, 1.3);
    phx_image* nothing = NULL;
    REQUIRE_OK(phx_render(frame, &def, &nothing));
    ENSURE(difference(rays, nothing, 8) > 0.1);
    phx_image_destroy(rays);
    phx_image_destroy(buffer);
    phx_image_destroy(nothing);
    phx_frame_destroy(frame);
}

TEST(same_picture_at_any_thread_count) {
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-0.5, -0.5, 0}, (phx_vec3){0.5, 0.5, 1.5});
    def.bar = true;
    phx_image* first = NULL;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_image* image = NULL;
        def.threads = threads;
        REQUIRE_OK(phx_render(frame, &def, &image));
        if (first) {
            ENSURE(difference(first, image, 0) == 0);
            phx_image_destroy(image);
        } else {
            first = image;
        }
    }
    phx_image_destroy(first);
    phx_frame_destroy(frame);
}

TEST(a_shadow_falls_on_the_floor) {
    if (strcmp(phx_render_engine(), "embree") != 0) {
        return;
    }
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-1, -1, 0}, (phx_vec3){1, 1, 1.5});
    phx_image *with = NULL, *without = NULL;
    REQUIRE_OK(phx_render(frame, &def, &with));
    def.shadows = false;
    REQUIRE_OK(phx_render(frame, &def, &without));
    ENSURE(difference(with, without, 30) > 0.005);
    phx_image_destroy(with);
    phx_image_destroy(without);
    phx_frame_destroy(frame);
}

// The view is that of a narrower picture, and the bar is beside it: at its foot the map's first colour, at its top the
// last one.
TEST(the_bar_hides_nothing) {
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-1, -1, 0}, (phx_vec3){1, 1, 2});
    def.width = 320, def.height = 200;
    def.field = "value", def.low = 0, def.high = 2;
    def.bar = true, def.caption = false;
    int width = phx_render_view_width(&def);
    ENSURE(width >= 160 && width < 320);
    phx_image *with = NULL, *alone = NULL, *beside = NULL;
    REQUIRE_OK(phx_render(frame, &def, &with));
    def.bar = false, def.width = width;
    ENSURE(phx_render_view_width(&def) == width);
    REQUIRE_OK(phx_render(frame, &def, &alone));
    REQUIRE_OK(phx_render_bar_beside(alone, &def, &beside));
    REQUIRE(phx_image_width(with) == 320 && phx_image_width(beside) == 320);
    int differ = 0;
    for (int y = 0; y < 200; ++y) {
        differ += memcmp(pixel(with, 0, y), pixel(alone, 0, y), 3 * (size_t)width) != 0;
        differ += memcmp(pixel(with, 0, y), pixel(beside, 0, y), 3 * 320) != 0;
    }
    ENSURE(differ == 0);
    const unsigned char *foot = pixel(with, width + 12, 200 / 5 + 119), *top = pixel(with, width + 12, 200 / 5);
    ENSURE(foot[2] > foot[1] && top[0] > 200 && top[2] < 100); // viridis: from violet to yellow
    def.width = 100;                                           // more than half of it would be the bar
    def.bar = true;
    ENSURE(phx_render_view_width(&def) == 100);
    def.high = 0;
    phx_image* none = NULL;
    ENSURE_RESULT(phx_render_bar_beside(alone, &def, &none), PHX_ERROR_ARGUMENT);
    phx_image_destroy(with);
    phx_image_destroy(alone);
    phx_image_destroy(beside);
    phx_frame_destroy(frame);
}

TEST(odd_frames_give_pictures) {
    phx_render_def def = look_at((phx_vec3){-1, -1, 0}, (phx_vec3){1, 1, 1});
    phx_image* image = NULL;
    phx_frame* empty = NULL;
    REQUIRE_OK(phx_frame_create(0, 0, 0, NULL, &empty));
    ENSURE_OK(phx_render(empty, &def, &image));
    phx_image_destroy(image);
    phx_frame_destroy(empty);
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    float* value;
    phx_frame_add_field(frame, "value", 1, &value);
    value[0] = NAN;
    def.field = "value";
    ENSURE_OK(phx_render(frame, &def, &image));
    phx_image_destroy(image);
    phx_frame_positions(frame)[0] = NAN;
    ENSURE_OK(phx_render(frame, &def, &image));
    phx_image_destroy(image);
    phx_frame_destroy(frame);
}

TEST(mistakes_are_told) {
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-1, -1, 0}, (phx_vec3){1, 1, 1});
    phx_image* image = NULL;
    def.field = "nothing";
    ENSURE_RESULT(phx_render(frame, &def, &image), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("spacing value");
    def.field = "value";
    def.map = "rainbow";
    ENSURE_RESULT(phx_render(frame, &def, &image), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("viridis");
    def.map = NULL;
    def.samples = 100;
    ENSURE_RESULT(phx_render(frame, &def, &image), PHX_ERROR_ARGUMENT);
    phx_render_def none = {0};
    ENSURE_RESULT(phx_render(frame, &none, &image), PHX_ERROR_ARGUMENT);
    def = phx_render_def_default();
    ENSURE_RESULT(phx_render(frame, &def, &image), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("camera");
    ENSURE(!image);
    phx_frame_destroy(frame);
}

TEST(png_files) {
    phx_image *image = NULL, *sheet = NULL;
    REQUIRE_OK(phx_image_create(40, 20, &image));
    const unsigned char white[3] = {255, 255, 255};
    phx_image_text(image, 2, 2, 8, "A1 !~\xff", white);
    ENSURE_OK(phx_image_save(image, phxt_path("a.png")));
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("a.png"), &size);
    REQUIRE(bytes);
    ENSURE(size > 50 && memcmp(bytes, "\x89PNG\r\n", 6) == 0);
    free(bytes);
    ENSURE_RESULT(phx_image_save(image, phxt_path("none/a.png")), PHX_ERROR_IO);
    ENSURE_MESSAGE("none/a.png");
    phx_image* images[3] = {image, image, image};
    REQUIRE_OK(phx_image_sheet(images, 3, 2, &sheet));
    ENSURE(phx_image_width(sheet) == 84 && phx_image_height(sheet) == 44);
    phx_image_destroy(sheet);
    ENSURE_RESULT(phx_image_create(0, 5, &sheet), PHX_ERROR_ARGUMENT);
    phx_image_destroy(image);
}

TEST(any_allocation_may_fail) {
    phx_frame* frame = one_ball(0.3);
    REQUIRE(frame);
    phx_render_def def = look_at((phx_vec3){-1, -1, 0}, (phx_vec3){1, 1, 1});
    def.width = def.height = 16;
    def.samples = 1;
    for (int engine = 0; engine < 2; ++engine) {
        def.z_buffer = engine == 1;
        phx_result result = PHX_ERROR_MEMORY;
        for (int n = 0; result != PHX_OK && n < 100; ++n) {
            phxt_heap heap;
            phxt_heap_init(&heap, n);
            def.allocator = heap.allocator;
            phx_image* image = NULL;
            result = phx_render(frame, &def, &image);
            ENSURE(result == PHX_OK || (result == PHX_ERROR_MEMORY && !image));
            phx_image_destroy(image);
            ENSURE(heap.live == 0);
        }
        ENSURE(result == PHX_OK);
    }
    phx_frame_destroy(frame);
}
