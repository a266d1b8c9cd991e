// SPDX-License-Identifier: MIT
// Pictures by paths of light: energy, looks of every kind, the same bits at any thread count, bad input.
#include "support/test.h"
#include "parallel/parallel.h"
#include "render/expose.h"
#include "render/path.h"
#include "surface/frame.h"

#include <math.h>
#include <string.h>

static phx_frame* ball(double z) {
    phx_frame* frame = NULL;
    float* radius;
    if (phx_frame_create(1, 0, 0, NULL, &frame) != PHX_OK) {
        return NULL;
    }
    frame->positions[2] = z;
    phx_frame_add_field(frame, "radius", 1, &radius);
    radius[0] = 0.5f;
    return frame;
}

static phx_render_def settings(int quality) {
    phx_render_def def = phx_render_def_default();
    def.width = 48;
    def.height = 32;
    def.quality = quality;
    def.threads = 1;
    def.caption = false;
    def.stage_radius = 1;
    def.camera =
        phx_camera_framing((phx_vec3){-0.6, -0.6, 0}, (phx_vec3){0.6, 0.6, 1.1}, (phx_vec3){0.4, -1, 0.4}, 1.5);
    return def;
}

static phx_look look_of(int kind) {
    phx_look look = phx_look_default();
    look.metal = kind == 1;
    look.transmission = kind == 2 || kind == 3;
    look.scatter = kind == 3 ? 2 : 0;
    look.depth = kind == 3 ? 0.5 : 0;
    look.tint = (phx_vec3){0.9, 0.3, 0.2};
    look.subsurface = kind == 4 ? 0.1 : 0;
    return look;
}

// In an even light from all sides a body that swallows nothing cannot be seen: every path brings back 1.
TEST(a_white_ball_in_a_white_sky_is_white) {
    if (!phxi_tracer_name) {
        return;
    }
    float position[4] = {0, 0, 0, 1}, white[3] = {1, 1, 1};
    for (int kind = 0; kind < 5; ++kind) {
        phx_look look = look_of(kind);
        look.tint = (phx_vec3){1, 1, 1};
        look.roughness = kind == 1 ? 0.05 : kind == 2 || kind == 3 ? 0 : 1;
        look.ior = kind == 0 || kind == 4 ? 1 : 1.5;
        phxi_surface_look in_meters = phxi_look_in_meters(&look, 1);
        phxi_drawing drawing = {.points = 1, .positions = position, .colors = white, .look = &in_meters};
        phxi_stage_light light = {
            .low = {1, 1, 1}, .high = {1, 1, 1}, .behind_low = {1, 1, 1}, .behind_high = {1, 1, 1}};
        for (int k = 0; k < PHXI_LAMPS; ++k) {
            light.lamps[k] = (phxi_lamp){.direction = {0, 0, 1}, .cosine = 0.99f, .share = 0.5f};
        }
        phxi_heap heap;
        phxi_tracer* tracer = NULL;
        phxi_heap_init(&heap, NULL);
        REQUIRE_OK(phxi_tracer_create(&heap, &drawing, &tracer));
        phxi_path_scene scene = {tracer, &light, 1e-4f};
        double sum = 0;
        enum { PATHS = 20000 };
        for (uint32_t i = 0; i < PATHS; ++i) {
            phxi_sampler sampler = {7, i, 0};
            float a, b;
            phxi_sampler_pair(&sampler, &a, &b);
            phxi_f3 eye = {3, 1.6f * a - 0.8f, 1.1f * b - 0.55f};
            sum +=
                (double)phxi_f3_brightness(phxi_path_trace(&scene, eye, (phxi_f3){-1, 0, 0}, &sampler).light) / PATHS;
        }
        // beneath the surface nothing is whiter than 0.99
        ENSURE_NEAR(sum, 1, kind == 4 ? 0.02 : 0.01);
        phxi_tracer_destroy(&heap, tracer);
        phxi_heap_destroy(&heap);
    }
}

TEST(looks_of_every_kind_have_the_same_bits_at_any_thread_count) {
    phx_frame* frame = ball(0.5);
    static const int threads[] = {1, 2, 7};
    for (int kind = 0; kind < 5; ++kind) {
        phx_image* first = NULL;
        for (int k = 0; k < 3; ++k) {
            phx_image* image = NULL;
            phx_part part = {.frame = frame, .look = look_of(kind), .size = 0.5};
            phx_render_def def = settings(PHX_QUALITY_FILM);
            def.threads = threads[k];
            REQUIRE_OK(phx_render_parts(&part, 1, &def, &image));
            if (first) {
                ENSURE(memcmp(phx_image_pixels(first), phx_image_pixels(image), 3 * 48 * 32) == 0);
                phx_image_destroy(image);
            } else {
                first = image;
            }
        }
        phx_image_destroy(first);
    }
    phx_frame_destroy(frame);
}

static double brightness(phx_image* image, int x, int y) {
    const unsigned char* p = phx_image_pixels(image) + 3 * (y * phx_image_width(image) + x);
    return (p[0] + p[1] + p[2]) / 3.0;
}

TEST(every_stage_and_quality_draws_a_ball_with_a_shadow) {
    static const char* const stages[] = {"studio", "sky", "dark"};
    phx_frame* frame = ball(0.5);
    for (int k = 0; k < 3; ++k) {
        for (int quality = PHX_QUALITY_DRAFT; quality <= PHX_QUALITY_STILL; ++quality) {
            phx_image* image = NULL;
            phx_part part = {.frame = frame, .look = phx_look_default(), .size = 0.5};
            phx_render_def def = settings(quality);
            def.stage = stages[k];
            REQUIRE_OK(phx_render_parts(&part, 1, &def, &image));
            double least = 255, most = 0;
            for (int i = 0; i < 48 * 32; ++i) {
                least = fmin(least, brightness(image, i % 48, i / 48));
                most = fmax(most, brightness(image, i % 48, i / 48));
            }
            ENSURE(most > least + 20);
            phx_image_destroy(image);
        }
    }
    phx_frame_destroy(frame);
}

// What does not move does not change: the picture of a scene without the ball differs only where the ball is or shades.
TEST(backdrop_is_the_same_from_frame_to_frame) {
    phx_frame *low = ball(0.5), *high = ball(0.6);
    phx_image *a = NULL, *b = NULL;
    phx_part part = {.frame = low, .look = phx_look_default(), .size = 0.5};
    phx_render_def def = settings(PHX_QUALITY_FILM);
    REQUIRE_OK(phx_render_parts(&part, 1, &def, &a));
    part.frame = high;
    REQUIRE_OK(phx_render_parts(&part, 1, &def, &b));
    ENSURE(memcmp(phx_image_pixels(a), phx_image_pixels(b), 3 * 48) == 0); // the top row
    phx_image_destroy(a);
    phx_image_destroy(b);
    phx_frame_destroy(low);
    phx_frame_destroy(high);
}

TEST(bad_looks_and_stages_are_refused) {
    phx_frame* frame = ball(0.5);
    phx_image* image = NULL;
    phx_part part = {.frame = frame, .look = phx_look_default(), .size = 0.5};
    phx_render_def def = settings(PHX_QUALITY_FILM);
    part.look.color.x = 2;
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    part.look = (phx_look){0};
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    part.look = phx_look_default();
    part.look.roughness = NAN;
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    part.look = phx_look_default();
    def.stage = "moon";
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("studio, sky or dark");
    def.stage = NULL;
    def.quality = 9;
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    def.quality = PHX_QUALITY_FILM;
    part.frame = NULL;
    ENSURE_RESULT(phx_render_parts(&part, 1, &def, &image), PHX_ERROR_ARGUMENT);
    phx_look look;
    ENSURE_OK(phx_look_of_preset("jelly", &look));
    ENSURE(look.transmission == 1);
    ENSURE_RESULT(phx_look_of_preset("jely", &look), PHX_ERROR_ARGUMENT);
    phx_frame_destroy(frame);
}

TEST(every_preset_has_a_look_of_its_own) {
    const phx_look plain = phx_look_default();
    for (int i = 0; i < phx_preset_count(); ++i) {
        phx_look look;
        REQUIRE_OK(phx_look_of_preset(phx_preset_at(i)->name, &look));
        ENSURE_OK(phxi_look_check(&look));
        ENSURE(memcmp(&look, &plain, sizeof look) != 0);
    }
}

TEST(films_are_written_when_they_end) {
    phx_film* film = NULL;
    phx_image* image = NULL;
    if (!phx_film_possible()) {
        return;
    }
    REQUIRE_OK(phx_image_create(32, 24, &image));
    REQUIRE_OK(phx_film_begin(phxt_path("a.webp"), 32, 24, 10, &film));
    for (int k = 0; k < 3; ++k) {
        memset(phx_image_pixels(image), 80 * k, 32 * 24 * 3);
        REQUIRE_OK(phx_film_add(film, image));
    }
    REQUIRE_OK(phx_film_end(film, true));
    char head[4] = "";
    FILE* file = fopen(phxt_path("a.webp"), "rb");
    ENSURE(file && fread(head, 1, 4, file) == 4 && memcmp(head, "RIFF", 4) == 0);
    if (file) {
        fclose(file);
    }
    ENSURE_RESULT(phx_film_begin(phxt_path("b.webp"), 0, 24, 10, &film), PHX_ERROR_ARGUMENT);
    REQUIRE_OK(phx_film_begin(phxt_path("c.webp"), 16, 24, 10, &film));
    ENSURE_RESULT(phx_film_add(film, image), PHX_ERROR_ARGUMENT);
    REQUIRE_OK(phx_film_end(film, false));
    phx_image_destroy(image);
}

static double rms_difference(phx_image* a, phx_image* b) {
    double sum = 0;
    int count = 3 * phx_image_width(a) * phx_image_height(a);
    for (int i = 0; i < count; ++i) {
        double d = (double)phx_image_pixels(a)[i] - (double)phx_image_pixels(b)[i];
        sum += d * d;
    }
    return sqrt(sum / count);
}

// A picture of a film, of 8 to 64 paths a pixel, beside one of 256.
TEST(films_have_little_noise) {
    static const char* const presets[] = {"jelly", "water"};
    phx_frame* frame = ball(0.5);
    for (int k = 0; k < 2; ++k) {
        phx_image *film = NULL, *final = NULL;
        phx_part part = {frame, phx_look_default(), 0.5, NULL};
        REQUIRE_OK(phx_look_of_preset(presets[k], &part.look));
        phx_render_def def = settings(PHX_QUALITY_FILM);
        def.width = 96, def.height = 64;
        REQUIRE_OK(phx_render_parts(&part, 1, &def, &film));
        def.quality = PHX_QUALITY_FINAL;
        REQUIRE_OK(phx_render_parts(&part, 1, &def, &final));
        double noise = rms_difference(film, final);
        printf("      %s: %.2f of 255\n", presets[k], noise);
        ENSURE(noise <= 4);
        phx_image_destroy(film);
        phx_image_destroy(final);
    }
    phx_frame_destroy(frame);
}
