// SPDX-License-Identifier: MIT
// Our .obj files back into frames: v, vn, p, f lines. An OBJ file of another program is read as a mesh.
#include "io/frame_read.h"

#include "core/text.h"
#include "geometry/mesh_source.h"
#include "surface/frame.h"

#include <string.h>

static const char SIGN[] = "# phyxel, m\n# time ";

typedef struct obj {
    phxi_source source;
    phxi_heap heap;
    double time;
    PHXI_ARRAY(double) positions;
    PHXI_ARRAY(double) normals;
    PHXI_ARRAY(int) corners;
} obj;

static phx_result read_numbers(obj* o, double numbers[3]) {
    phxi_word word;
    for (int k = 0; k < 3; ++k) {
        if (!phxi_source_word(&o->source, &word) || !phxi_parse_double(word.text, word.length, true, &numbers[k])) {
            return phxi_source_fail(&o->source, "expected three numbers");
        }
    }
    return PHX_OK;
}

// "7" or "7//7".
static phx_result read_corner(obj* o, int* corner) {
    phxi_word word = {"", 0};
    phxi_source_word(&o->source, &word);
    const char* slash = word.length ? memchr(word.text, '/', word.length) : NULL;
    size_t length = slash ? (size_t)(slash - word.text) : word.length;
    int64_t index;
    if (!phxi_parse_int(word.text, length, &index) || index < 1 || index > INT32_MAX) {
        return phxi_source_fail(&o->source, "the corner '%s', expected the number of a vertex",
                                phxi_word_quote(word).text);
    }
    *corner = (int)(index - 1);
    return PHX_OK;
}

static phx_result read_line(obj* o, phxi_word key) {
    bool normal = phxi_word_is(key, "vn");
    if (normal || phxi_word_is(key, "v")) {
        double numbers[3];
        PHXI_TRY(read_numbers(o, numbers));
        if (!(normal ? phxi_array_reserve(&o->normals, 3, &o->heap, "obj normals")
                     : phxi_array_reserve(&o->positions, 3, &o->heap, "obj vertices"))) {
            return PHX_ERROR_MEMORY;
        }
        double* to = normal ? o->normals.items + o->normals.count : o->positions.items + o->positions.count;
        memcpy(to, numbers, sizeof numbers);
        *(normal ? &o->normals.count : &o->positions.count) += 3;
        return PHX_OK;
    }
    if (phxi_word_is(key, "f")) {
        for (int k = 0; k < 3; ++k) {
            int corner = 0;
            PHXI_TRY(read_corner(o, &corner));
            int* slot = phxi_array_add(&o->corners, &o->heap, "obj corners");
            if (!slot) {
                return PHX_ERROR_MEMORY;
            }
            *slot = corner;
        }
        return PHX_OK;
    }
    int point;
    return phxi_word_is(key, "p") ? read_corner(o, &point)
                                  : phxi_source_fail(&o->source, "'%s', expected v, vn, p or f as phyxel writes them",
                                                     phxi_word_quote(key).text);
}

static phx_result read_all(obj* o) {
    phxi_source* s = &o->source;
    phxi_word word;
    phxi_source_next_line(s);
    phxi_source_word(s, &word); // #
    phxi_source_word(s, &word); // time
    word = phxi_source_rest(s);
    if (!phxi_parse_double(word.text, word.length, false, &o->time)) {
        return phxi_source_fail(s, "the time is '%s', expected a number", phxi_word_quote(word).text);
    }
    while (phxi_source_next_line(s)) {
        if (!phxi_source_word(s, &word)) {
            return phxi_source_fail(s, "an empty line");
        }
        PHXI_TRY(read_line(o, word));
        if (phxi_source_word(s, &word)) {
            return phxi_source_fail(s, "'%s' at the end of the line", phxi_word_quote(word).text);
        }
    }
    if (s->at[-1] != '\n') {
        return phxi_source_fail(s, "the file is cut: its last line has no end");
    }
    if (o->normals.count && o->normals.count != o->positions.count) {
        return phxi_source_fail(s, "%d normals for %d vertices, expected one each", o->normals.count / 3,
                                o->positions.count / 3);
    }
    return PHX_OK;
}

static phx_result make_frame(const obj* o, const phx_allocator* allocator, phx_frame** frame) {
    phx_frame* made = NULL;
    PHXI_TRY(phx_frame_create(o->positions.count / 3, o->corners.count / 3, o->time, allocator, &made));
    for (int i = 0; i < o->positions.count; ++i) {
        made->positions[i] = o->positions.items[i];
    }
    for (int i = 0; i < o->corners.count; ++i) {
        made->indices[i] = o->corners.items[i];
    }
    float* normals = NULL;
    phx_result result = o->normals.count ? phx_frame_add_field(made, "normal", 3, &normals) : PHX_OK;
    for (int i = 0; normals && i < o->normals.count; ++i) {
        normals[i] = (float)o->normals.items[i];
    }
    if (result == PHX_OK && (result = phx_frame_check(made)) != PHX_OK) {
        phxi_fail_within(result, "%s", o->source.name);
    }
    if (result != PHX_OK) {
        phx_frame_destroy(made);
        return result;
    }
    *frame = made;
    return PHX_OK;
}

phx_result phxi_frame_parse_obj(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                phx_frame** frame) {
    if (size < sizeof SIGN - 1 || memcmp(bytes, SIGN, sizeof SIGN - 1) != 0) {
        return phxi_frame_parse_mesh(name, bytes, size, allocator, frame);
    }
    obj o = {.source = phxi_source_of(name, bytes, size)};
    phxi_heap_init(&o.heap, allocator);
    phx_result result = read_all(&o);
    if (result == PHX_OK) {
        result = make_frame(&o, allocator, frame);
    }
    phxi_heap_destroy(&o.heap);
    return result;
}
