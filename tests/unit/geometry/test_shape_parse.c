// SPDX-License-Identifier: MIT
// Reading shapes: every form, every mistake with its column, the limits, memory that runs out.
#include "support/test.h"

#include "geometry/shape.h"

static void ensure_good(const char* text) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape = NULL;
    (void)phxt_result(__FILE__, __LINE__, text, phxi_shape_parse(&heap, text, &shape), PHX_OK);
    phxi_shape_destroy(&heap, shape);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

static void ensure_bad(const char* text, int column, const char* what) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape = (phxi_shape*)1;
    char place[32];
    snprintf(place, sizeof place, "column %d: ", column);
    (void)phxt_result(__FILE__, __LINE__, text, phxi_shape_parse(&heap, text, &shape), PHX_ERROR_FORMAT);
    if (strncmp(phx_error_message(), place, strlen(place)) != 0 || !strstr(phx_error_message(), what) ||
        !strstr(phx_error_message(), "expected")) {
        phxt_failed(__FILE__, __LINE__, "%s: \"%s\" should start with \"%s\" and say \"%s\" and \"expected\"", text,
                    phx_error_message(), place, what);
    }
    ENSURE(shape == NULL);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(every_form) {
    ensure_good("sphere()");
    ensure_good(" sphere ( ) ");
    ensure_good("sphere(\n\tcenter = ( 0 , 0 , 0 ) ,\r\n radius = 0.5 )\n");
    ensure_good("sphere((1,2,3), 4)");
    ensure_good("sphere(radius=4, (1,2,3))");
    ensure_good("sphere(radius=4, center=(-1,+2,.3e-1))");
    ensure_good("box((1,2,3), (4,5,6), 0.1)");
    ensure_good("box(round=0.1)");
    ensure_good("ellipsoid(radii=(1,2,3))");
    ensure_good("capsule((0,0,0), (0,0,0), 1)");
    ensure_good("cylinder((0,0,0), (0,0,1), 1)");
    ensure_good("cone((0,0,0), (0,0,1), 1, 0)");
    ensure_good("torus(major=1, minor=1)");
    ensure_good("plane()");
    ensure_good("all()");
    ensure_good("union(sphere())");
    ensure_good("union(sphere(), box(), all())");
    ensure_good("intersection(sphere(), box())");
    ensure_good("difference(sphere(), box(), box())");
    ensure_good("smooth_union(radius=0.1, sphere(), box())");
    ensure_good("smooth_union(0.1, sphere(), box())");
    ensure_good("smooth_union(sphere(), box(), radius=0.1)");
    ensure_good("move((1,0,0), sphere())");
    ensure_good("rotate(axis=(1,0,0), angle=30, sphere())");
    ensure_good("scale(2, sphere())");
}

TEST(wrong_names) {
    ensure_bad("", 1, "the end, expected a shape");
    ensure_bad("   ", 4, "the end, expected a shape");
    ensure_bad("(1,2,3)", 1, "'(', expected a shape");
    ensure_bad("sphre()", 1, "unknown shape 'sphre', did you mean 'sphere'?");
    ensure_bad("teapot()", 1, "unknown shape 'teapot', expected one of sphere, box,");
    ensure_bad("union(sphere(), qqqqqqqq())", 17, "unknown shape 'qqqqqqqq'");
    ensure_bad("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz()", 1, "more than 31 letters");
    ensure_bad("sphere", 7, "the end after the name of a shape, expected '('");
    ensure_bad("sphere radius", 8, "'r' after the name");
    ensure_bad("sphere(radius)", 8, "'radius', expected a shape or name=value");
    ensure_bad("sphere(radios=1)", 8, "sphere has no 'radios', did you mean 'radius'?");
    ensure_bad("union(radius=1, sphere())", 7, "union has no 'radius'");
    ensure_bad("sphere(\xC3\xA9=1)", 8, "\\xC3 in sphere");
}

TEST(wrong_structure) {
    ensure_bad("sphere(", 8, "the end in sphere, expected an argument or ')'");
    ensure_bad("sphere(radius=1", 16, "the end in sphere, expected ',' or ')'");
    ensure_bad("sphere(radius=1,)", 17, "')' in sphere, expected an argument");
    ensure_bad("sphere(,)", 8, "',' in sphere");
    ensure_bad("sphere(radius=1 2)", 17, "'2' in sphere, expected ',' or ')'");
    ensure_bad("sphere() sphere()", 10, "'s' after the shape, expected the end");
    ensure_bad("sphere())", 9, "')' after the shape");
    ensure_bad("sphere(sphere())", 8, "one shape too many in sphere");
    ensure_bad("move((1,0,0), sphere(), sphere())", 25, "one shape too many in move");
    ensure_bad("union()", 1, "union lacks a shape");
    ensure_bad("rotate((1,0,0), 30)", 1, "rotate lacks a shape");
    ensure_bad("union(sphere(), cone((0,0,0), (0,0,1)))", 17, "cone lacks radius1");
    ensure_bad("smooth_union(sphere(), box())", 1, "smooth_union lacks radius");
}

TEST(wrong_values) {
    ensure_bad("sphere(radius=)", 15, "')', expected a number");
    ensure_bad("sphere(radius=abc)", 15, "'a', expected a number");
    ensure_bad("sphere(radius=nan)", 15, "'n', expected a number");
    ensure_bad("sphere(radius=inf)", 15, "'i', expected a number");
    ensure_bad("sphere(radius=1e)", 15, "'1e', expected a number");
    ensure_bad("sphere(radius=1.2.3)", 15, "'1.2.3', expected a number");
    ensure_bad("sphere(radius=--1)", 15, "'--1', expected a number");
    ensure_bad("sphere(radius=1e400)", 15, "expected a number");
    ensure_bad("sphere(radius=1e16)", 15, "too large");
    ensure_bad("sphere(radius=(1,2,3))", 15, "'(' for radius, expected a number");
    ensure_bad("sphere(center=1)", 15, "'1' for center, expected (x, y, z)");
    ensure_bad("sphere(1)", 8, "'1' for center, expected (x, y, z)");
    ensure_bad("sphere(center=(1,2))", 19, "')' after a number of (x, y, z), expected ','");
    ensure_bad("sphere(center=(1,2,3,4))", 21, "',' after (x, y, z, expected ')'");
    ensure_bad("sphere(center=(1,,3))", 18, "',', expected a number");
    ensure_bad("sphere((0,0,0), 1, 2)", 20, "one value too many for sphere");
    ensure_bad("all(1)", 5, "one value too many for all");
    ensure_bad("sphere(radius=1, radius=2)", 18, "radius is given twice");
    ensure_bad("sphere(radius=0)", 15, "radius is 0, expected above 0");
    ensure_bad("sphere(radius=-1)", 15, "radius is -1, expected above 0");
    ensure_bad("box(size=(1,0,1))", 10, "size is 0, expected above 0");
    ensure_bad("box(round=-1)", 11, "round is -1, expected 0 or more");
    ensure_bad("box(round=0.6)", 1, "round is more than half");
    ensure_bad("cylinder((1,1,1), (1,1,1), 1)", 1, "from and to are the same point");
    ensure_bad("cone((0,0,0), (0,0,1), 0, 0)", 1, "both radii are 0");
    ensure_bad("torus(major=1, minor=2)", 1, "minor is above major");
    ensure_bad("torus(axis=(0,0,0), major=1, minor=1)", 12, "axis is (0, 0, 0), expected a direction");
    ensure_bad("scale(1e7, sphere())", 1, "factor is out of range");
}

static char* nested(int depth) {
    char* text = malloc((size_t)depth * 7 + 16);
    if (!text) {
        exit(1);
    }
    char* at = text;
    for (int i = 0; i < depth - 1; ++i) {
        at += sprintf(at, "union(");
    }
    at += sprintf(at, "all()");
    memset(at, ')', (size_t)depth - 1);
    at[depth - 1] = 0;
    return text;
}

TEST(limits) {
    char* good = nested(64);
    char* bad = nested(65);
    ensure_good(good);
    ensure_bad(bad, 64 * 6 + 1, "more than 64 deep");
    free(good);
    free(bad);

    size_t size = 65536;
    char* text = malloc(size + 2);
    REQUIRE(text);
    memset(text, ' ', size + 1);
    text[size + 1] = 0;
    memcpy(text, "all()", 5);
    ensure_bad(text, 65537, "at most 65536 bytes");
    text[size] = 0;
    ensure_good(text);

    char* at = text + sprintf(text, "union(all()");
    for (int i = 2; i < 4096; ++i) {
        at += sprintf(at, ",all()");
    }
    strcpy(at, ")");
    ensure_good(text);
    strcpy(at, ",all())");
    ensure_bad(text, (int)(at - text) + 2, "more than 4096 shapes");
    free(text);

    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape;
    ENSURE_RESULT(phxi_shape_parse(&heap, NULL, &shape), PHX_ERROR_ARGUMENT);
    phxi_heap_destroy(&heap);
}

TEST(every_prefix_is_refused) {
    const char* text = "smooth_union(radius=0.1, sphere((1,2,3), 0.5), move(offset=(1,0,0), box(size=(1,2,3))))";
    char cut[128];
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    for (size_t n = 0; n < strlen(text); ++n) {
        memcpy(cut, text, n);
        cut[n] = 0;
        phxi_shape* shape;
        ENSURE_RESULT(phxi_shape_parse(&heap, cut, &shape), PHX_ERROR_FORMAT);
        ENSURE(heap.live_bytes == 0);
    }
    phxi_heap_destroy(&heap);
}

TEST(every_allocation_may_fail) {
    const char* text =
        "union(sphere(), box(), all(), plane(), sphere(), sphere(), move((1,0,0), sphere()), sphere(), box())";
    for (int64_t n = 0;; ++n) {
        phxt_heap counted;
        phxt_heap_init(&counted, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &counted.allocator);
        phxi_shape* shape = NULL;
        phx_result result = phxi_shape_parse(&heap, text, &shape);
        if (result == PHX_OK) {
            result = phxi_shape_place(&heap, shape, 2, phxi_vec3(1, 2, 3), phxi_vec3(1, 2, 3));
        }
        phxi_shape_destroy(&heap, shape);
        ENSURE(counted.live == 0);
        phxi_heap_destroy(&heap);
        if (result == PHX_OK) {
            ENSURE(n > 2);
            break;
        }
        ENSURE(result == PHX_ERROR_MEMORY);
    }
}
