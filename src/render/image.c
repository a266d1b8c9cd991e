// SPDX-License-Identifier: MIT
// Pictures: pixels, PNG files, sheets.
#include "render/image.h"

#include "core/file.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

phx_result phxi_image_new(const phx_allocator* allocator, int width, int height, phx_image** image) {
    *image = NULL;
    if (width < 1 || height < 1 || width > 32768 || height > 32768) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture of %d x %d pixels, expected 1 to 32768 each", width, height);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    phx_image* made = phxi_alloc_zero(&heap, 1, sizeof *made, "image");
    unsigned char* pixels = made ? phxi_alloc_zero(&heap, (size_t)width * (size_t)height, 3, "pixels") : NULL;
    if (!pixels) {
        phxi_heap_destroy(&heap);
        return PHX_ERROR_MEMORY;
    }
    *made = (phx_image){heap, width, height, pixels};
    *image = made;
    return PHX_OK;
}

phx_result phx_image_create(int width, int height, phx_image** image) {
    return image ? phxi_image_new(NULL, width, height, image)
                 : phxi_fail(PHX_ERROR_ARGUMENT, "no place for the picture");
}

void phx_image_destroy(phx_image* image) {
    if (image) {
        phxi_heap heap = image->heap; // the image is one of its blocks
        phxi_heap_destroy(&heap);
    }
}

int phx_image_width(const phx_image* image) {
    return image ? image->width : 0;
}

int phx_image_height(const phx_image* image) {
    return image ? image->height : 0;
}

unsigned char* phx_image_pixels(phx_image* image) {
    return image ? image->pixels : NULL;
}

void phxi_image_blend(phx_image* image, int x, int y, const unsigned char color[3], double share) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        return;
    }
    unsigned char* pixel = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    for (int k = 0; k < 3; ++k) {
        pixel[k] = (unsigned char)lrint(pixel[k] + share * (color[k] - pixel[k]));
    }
}

void phxi_image_fill(phx_image* image, int x, int y, int width, int height, const unsigned char color[3]) {
    for (int row = y; row < y + height; ++row) {
        for (int column = x; column < x + width; ++column) {
            phxi_image_blend(image, column, row, color, 1);
        }
    }
}

// libpng reports by these; the message is kept and control goes back to save_rows.
static void on_png_error(png_structp png, png_const_charp message) {
    char* text = png_get_error_ptr(png);
    snprintf(text, 128, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_png_warning(png_structp png, png_const_charp message) {
    (void)png, (void)message;
}

static bool save_rows(const phx_image* image, FILE* stream, char message[128]) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, on_png_error, on_png_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        snprintf(message, 128, "no memory");
        return false;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, stream);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < image->height; ++y) {
        png_write_row(png, image->pixels + 3 * (size_t)y * (size_t)image->width);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

static phx_result save_png(const phx_image* image, const char* path) {
    phxi_heap heap;
    phxi_heap_init(&heap, &image->heap.allocator);
    phxi_file_writer writer = {0};
    phx_result result = phxi_file_begin(&writer, &heap, path);
    char message[128] = "";
    if (result == PHX_OK && !save_rows(image, writer.stream, message)) {
        result = phxi_fail(PHX_ERROR_IO, "%s: cannot be written as PNG: %s", path, message);
    }
    if (result == PHX_OK) {
        result = phxi_file_commit(&writer);
    }
    phxi_file_abandon(&writer);
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phx_image_save(const phx_image* image, const char* path) {
    if (!image || !path) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture and a path are needed");
    }
    const char* dot = strrchr(path, '.');
    bool webp = dot && strcmp(dot, ".webp") == 0;
    if (!webp && !(dot && strcmp(dot, ".png") == 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%s: pictures end in .png or .webp", path);
    }
    return webp ? phxi_image_save_webp(image, path) : save_png(image, path);
}

phx_result phx_image_sheet(phx_image* const* images, int count, int columns, phx_image** sheet) {
    enum { GAP = 4 };
    if (!images || !sheet || count < 1 || columns < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a sheet of %d pictures in %d columns, expected at least 1 of each", count,
                         columns);
    }
    int width = 0, height = 0, rows = (count + columns - 1) / columns;
    for (int i = 0; i < count; ++i) {
        PHXI_NEED(images[i]);
        width = images[i]->width > width ? images[i]->width : width;
        height = images[i]->height > height ? images[i]->height : height;
    }
    int64_t all_width = (int64_t)columns * width + (int64_t)(columns - 1) * GAP;
    int64_t all_height = (int64_t)rows * height + (int64_t)(rows - 1) * GAP;
    if (all_width > 32768 || all_height > 32768) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the sheet would be %lld x %lld pixels, expected at most 32768 each",
                         (long long)all_width, (long long)all_height);
    }
    PHXI_TRY(phxi_image_new(&images[0]->heap.allocator, (int)all_width, (int)all_height, sheet));
    memset((*sheet)->pixels, 255, 3 * (size_t)all_width * (size_t)all_height);
    for (int i = 0; i < count; ++i) {
        size_t x = (size_t)(i % columns) * (size_t)(width + GAP), y = (size_t)(i / columns) * (size_t)(height + GAP);
        for (int row = 0; row < images[i]->height; ++row) {
            memcpy((*sheet)->pixels + 3 * ((y + (size_t)row) * (size_t)all_width + x),
                   images[i]->pixels + 3 * (size_t)row * (size_t)images[i]->width, 3 * (size_t)images[i]->width);
        }
    }
    return PHX_OK;
}
