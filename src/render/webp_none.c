// SPDX-License-Identifier: MIT
// No WebP in this build.
#include "render/image.h"

#include "core/error.h"

phx_result phxi_image_save_webp(const phx_image* image, const char* path) {
    (void)image;
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "%s: built without libwebp, only .png", path);
}

bool phx_film_possible(void) {
    return false;
}

phx_result phx_film_begin(const char* path, int width, int height, double fps, phx_film** film) {
    (void)path, (void)width, (void)height, (void)fps, (void)film;
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "built without libwebp: no films");
}

phx_result phx_film_add(phx_film* film, phx_image* image) {
    (void)film, (void)image;
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "built without libwebp: no films");
}

phx_result phx_film_end(phx_film* film, bool keep) {
    (void)film, (void)keep;
    return PHX_OK;
}
