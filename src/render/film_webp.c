// SPDX-License-Identifier: MIT
// Films as animated WebP, by libwebp: small, and browsers play them. Encoded pictures wait in memory; the file is
// written when the film is complete.
#include <phyxel/render.h>

#include "core/file.h"

#include <math.h>
#include <webp/encode.h>
#include <webp/mux.h>

struct phx_film {
    phxi_heap heap; // owns the film itself, too
    char* path;
    int width, height, count;
    double fps;
    WebPAnimEncoder* encoder;
};

bool phx_film_possible(void) {
    return true;
}

static phx_result start(phx_film* film) {
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options)) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED, "libwebp is of another version than its headers");
    }
    options.anim_params.loop_count = 0; // for ever
    options.allow_mixed = 1;
    film->encoder = WebPAnimEncoderNew(film->width, film->height, &options);
    return film->encoder ? PHX_OK : phxi_fail_memory("film");
}

phx_result phx_film_begin(const char* path, int width, int height, double fps, phx_film** film) {
    if (!path || !film || width < 1 || height < 1 || width > 16383 || height > 16383 || !(fps > 0 && fps <= 1000)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a film needs a path, a size of 1 to 16383 pixels and a rate of up to 1000");
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_film* made = heap.allocator.alloc(heap.allocator.context, sizeof *made, "film");
    if (!made) {
        return phxi_fail_memory("film");
    }
    *made = (phx_film){.width = width, .height = height, .fps = fps};
    phxi_heap_init(&made->heap, NULL);
    made->path = phxi_strdup(&made->heap, path, "film");
    phx_result result = made->path ? start(made) : PHX_ERROR_MEMORY;
    if (result != PHX_OK) {
        (void)phx_film_end(made, false);
        return result;
    }
    *film = made;
    return PHX_OK;
}

static int when(const phx_film* film) {
    return (int)lround(1000 * film->count / film->fps);
}

phx_result phx_film_add(phx_film* film, phx_image* image) {
    if (!film || !image || phx_image_width(image) != film->width || phx_image_height(image) != film->height) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "pictures of a film have one size");
    }
    WebPConfig config;
    WebPPicture picture;
    bool good = WebPConfigInit(&config) && WebPPictureInit(&picture);
    if (good) {
        config.quality = 82;
        config.method = 3;
        picture.use_argb = 1;
        picture.width = film->width;
        picture.height = film->height;
        good = WebPPictureImportRGB(&picture, phx_image_pixels(image), 3 * film->width) &&
               WebPAnimEncoderAdd(film->encoder, &picture, when(film), &config);
        WebPPictureFree(&picture);
    }
    ++film->count;
    return good ? PHX_OK
                : phxi_fail(PHX_ERROR_MEMORY, "picture %d of the film could not be encoded: %s", film->count,
                            WebPAnimEncoderGetError(film->encoder));
}

static phx_result write_film(phx_film* film) {
    WebPData data = {NULL, 0};
    if (!WebPAnimEncoderAdd(film->encoder, NULL, when(film), NULL) || !WebPAnimEncoderAssemble(film->encoder, &data)) {
        return phxi_fail(PHX_ERROR_MEMORY, "the film '%s' could not be put together: %s", film->path,
                         WebPAnimEncoderGetError(film->encoder));
    }
    phxi_file_writer writer;
    phx_result result = phxi_file_begin(&writer, &film->heap, film->path);
    if (result == PHX_OK) {
        fwrite(data.bytes, 1, data.size, writer.stream);
        result = phxi_file_commit(&writer);
    }
    WebPDataClear(&data);
    return result;
}

phx_result phx_film_end(phx_film* film, bool keep) {
    if (!film) {
        return PHX_OK;
    }
    phx_result result = keep && film->count > 0 ? write_film(film) : PHX_OK;
    WebPAnimEncoderDelete(film->encoder);
    phx_allocator allocator = film->heap.allocator;
    phxi_heap_destroy(&film->heap);
    allocator.free(allocator.context, film);
    return result;
}
