// SPDX-License-Identifier: MIT
// WebP by libwebp: small, and browsers show it. Pictures, and films as animations; the encoded pictures of a film wait
// in memory, and its file is written when it is complete.
#include "render/image.h"

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

/// The pixels as libwebp wants them, with settings that suit pictures of one look: no grain, soft shades. The caller
/// frees the picture if this succeeds.
static bool take_pixels(const phx_image* image, WebPConfig* config, WebPPicture* picture) {
    if (!WebPConfigInit(config) || !WebPPictureInit(picture)) {
        return false;
    }
    config->quality = 82;
    config->method = 3;
    picture->use_argb = 1;
    picture->width = image->width;
    picture->height = image->height;
    return WebPPictureImportRGB(picture, image->pixels, 3 * image->width);
}

static phx_result write_bytes(phxi_heap* heap, const char* path, const void* bytes, size_t size) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fwrite(bytes, 1, size, writer.stream);
    return phxi_file_commit(&writer);
}

// ------------------------------------------------------------------------------------------------------------ pictures

phx_result phxi_image_save_webp(const phx_image* image, const char* path) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter bytes;
    if (image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%s: WebP takes up to %d pixels, this is %d x %d", path,
                         WEBP_MAX_DIMENSION, image->width, image->height);
    }
    if (!take_pixels(image, &config, &picture)) {
        return phxi_fail_memory("WebP");
    }
    config.method = 6; // slow and small
    WebPMemoryWriterInit(&bytes);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &bytes;
    phxi_heap heap;
    phxi_heap_init(&heap, &image->heap.allocator);
    phx_result result =
        WebPEncode(&config, &picture)
            ? write_bytes(&heap, path, bytes.mem, bytes.size)
            : phxi_fail(PHX_ERROR_MEMORY, "%s: cannot be encoded as WebP (%d)", path, (int)picture.error_code);
    WebPMemoryWriterClear(&bytes);
    WebPPictureFree(&picture);
    phxi_heap_destroy(&heap);
    return result;
}

// --------------------------------------------------------------------------------------------------------------- films

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
    bool good = take_pixels(image, &config, &picture);
    if (good) {
        good = WebPAnimEncoderAdd(film->encoder, &picture, when(film), &config);
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
    phx_result result = write_bytes(&film->heap, film->path, data.bytes, data.size);
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
