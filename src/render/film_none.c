// SPDX-License-Identifier: MIT
// No films in this build.
#include <phyxel/render.h>

#include "core/error.h"

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
