// SPDX-License-Identifier: MIT
// Shapes: distances and gradients against other ways to get them, boxes, placement.
#include "support/test.h"

#include "geometry/shape.h"

static phxi_heap heap;

static phxi_shape* parse(const char* text) {
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape = NULL;
    if (!phxt_result(__FILE__, __LINE__, text, phxi_shape_parse(&heap, text, &shape), PHX_OK)) {
        exit(1);
    }
    return shape;
}

static void done(phxi_shape* shape) {
    phxi_shape_destroy(&heap, shape);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

static void ensure_distance(const char* text, phx_vec3 point, double distance) {
    phxi_shape* shape = parse(text);
    double got = phxi_shape_distance(shape, point);
    if (!(fabs(got - distance) <= 1e-12)) {
        phxt_failed(__FILE__, __LINE__, "%s at (%g, %g, %g): %.15g, expected %.15g", text, point.x, point.y, point.z,
                    got, distance);
    }
    done(shape);
}

static phx_vec3 random_point(uint64_t* state, double reach) {
    double x = phxt_random(state), y = phxt_random(state), z = phxt_random(state);
    return phxi_scale(reach, phxi_vec3(2 * x - 1, 2 * y - 1, 2 * z - 1));
}

static const char* const primitives[] = {
    "sphere()",
    "sphere(center=(0.1,0.2,-0.3), radius=0.7)",
    "box(size=(1,0.5,1.5))",
    "box(center=(0.2,0,0), size=(1,0.5,1.5), round=0.2)",
    "ellipsoid(radii=(0.9,0.3,0.5))",
    "ellipsoid(center=(0.1,0,0), radii=(0.5,0.5,0.1))",
    "ellipsoid(radii=(0.5,0.5,0.5))",
    "capsule(from=(-0.5,0,0), to=(0.3,0.4,0.5), radius=0.2)",
    "capsule(from=(0.1,0,0), to=(0.1,0,0), radius=0.2)",
    "cylinder(from=(-0.5,0,0), to=(0.3,0.4,0.5), radius=0.4)",
    "cone(from=(0,0,-0.5), to=(0,0,0.6), radius1=0.7, radius2=0.2)",
    "cone(from=(-0.2,0.1,-0.5), to=(0.1,0.3,0.6), radius1=0, radius2=0.5)",
    "torus(major=0.6, minor=0.2)",
    "torus(center=(0.1,0,0), axis=(1,2,3), major=0.5, minor=0.5)",
    "plane()",
    "plane(point=(0,0.1,0.2), normal=(1,-2,2))",
};
static const char* const combinations[] = {
    "union(sphere(radius=0.4), move(offset=(0.5,0,0), box(size=(0.5,0.5,0.5))))",
    "intersection(sphere(), box(size=(0.6,0.7,2)))",
    "difference(box(), sphere(center=(0.5,0.5,0.5), radius=0.4), cylinder(from=(0,0,-1), to=(0,0,1), radius=0.1))",
    "smooth_union(0.3, sphere((-0.4,0,0), 0.4), sphere((0.4,0,0), 0.3), box((0,0.4,0), (0.3,0.5,0.2)))",
    "rotate(axis=(1,1,0), angle=37, box(size=(1,0.4,0.7)))",
    "scale(factor=0.5, torus(major=1, minor=0.3))",
    "move(offset=(0.1,0.2,0.3), rotate(axis=(0,0,1), angle=45, scale(factor=2, ellipsoid(radii=(0.4,0.1,0.2)))))",
};

TEST(known_distances) {
    ensure_distance("sphere()", phxi_vec3(2, 0, 0), 1.5);
    ensure_distance("sphere()", phxi_vec3(0, 0, 0), -0.5);
    ensure_distance("box()", phxi_vec3(1.5, 0, 0), 1);
    ensure_distance("box()", phxi_vec3(3.5, 4.5, 0), 5);
    ensure_distance("box()", phxi_vec3(0.3, 0, 0.1), -0.2);
    ensure_distance("box(size=(2,2,2), round=0.5)", phxi_vec3(0, 0, 0), -1);
    ensure_distance("box(size=(2,2,2), round=0.5)", phxi_vec3(3.5, 4.5, 0), 4.5);
    ensure_distance("ellipsoid(radii=(3,2,1))", phxi_vec3(0, 0, 0), -1);
    ensure_distance("ellipsoid(radii=(3,2,1))", phxi_vec3(5, 0, 0), 2);
    ensure_distance("ellipsoid(radii=(3,2,1))", phxi_vec3(0, 0, -0.25), -0.75);
    ensure_distance("ellipsoid(radii=(3,2,1))", phxi_vec3(3, 0, 0), 0);
    ensure_distance("capsule(from=(0,0,0), to=(1,0,0), radius=0.5)", phxi_vec3(0.5, 2, 0), 1.5);
    ensure_distance("capsule(from=(0,0,0), to=(1,0,0), radius=0.5)", phxi_vec3(4, 4, 0), 4.5);
    ensure_distance("cylinder(from=(0,0,0), to=(0,0,2), radius=1)", phxi_vec3(0, 0, 1), -1);
    ensure_distance("cylinder(from=(0,0,0), to=(0,0,2), radius=1)", phxi_vec3(4, 0, 6), 5);
    ensure_distance("cylinder(from=(0,0,0), to=(0,0,2), radius=1)", phxi_vec3(0.1, 0, 1.9), -0.1);
    ensure_distance("cone(from=(0,0,0), to=(0,0,1), radius1=1, radius2=0)", phxi_vec3(0, 0, 2), 1);
    ensure_distance("cone(from=(0,0,0), to=(0,0,1), radius1=1, radius2=0)", phxi_vec3(1, 0, 1), sqrt(0.5));
    ensure_distance("cone(from=(0,0,0), to=(0,0,1), radius1=1, radius2=0)", phxi_vec3(0, 0, -3), 3);
    ensure_distance("torus(major=2, minor=0.5)", phxi_vec3(0, 0, 0), 1.5);
    ensure_distance("torus(major=2, minor=0.5)", phxi_vec3(0, 2, 0), -0.5);
    ensure_distance("plane()", phxi_vec3(5, 5, -2), -2);
    ensure_distance("plane((0,0,1), (0,0,-3))", phxi_vec3(5, 5, 0), 1);
    ensure_distance("all()", phxi_vec3(5, 5, 0), -1e30);
    ensure_distance("union(sphere(), sphere(center=(3,0,0)))", phxi_vec3(2, 0, 0), 0.5);
    ensure_distance("difference(all(), sphere())", phxi_vec3(2, 0, 0), -1.5);
    ensure_distance("intersection(sphere(radius=2), plane())", phxi_vec3(0, 0, 1), 1);
    ensure_distance("smooth_union(1, sphere(), sphere())", phxi_vec3(2, 0, 0), 1.25);
    ensure_distance("scale(3, sphere())", phxi_vec3(2, 0, 0), 0.5);
    ensure_distance("move((1,0,0), sphere())", phxi_vec3(2, 0, 0), 0.5);
    ensure_distance("rotate((0,0,1), 90, sphere(center=(1,0,0)))", phxi_vec3(0, 2, 0), 0.5);
}

/// A signed distance has a unit gradient wherever it has one, and walking along it by the distance ends on the surface.
TEST(primitives_are_exact) {
    uint64_t state = 1;
    for (size_t s = 0; s < sizeof primitives / sizeof primitives[0]; ++s) {
        phxi_shape* shape = parse(primitives[s]);
        for (int i = 0; i < 2000; ++i) {
            phx_vec3 p = random_point(&state, 1.5), n = phxi_shape_normal(shape, p);
            double d = phxi_shape_distance(shape, p);
            double left = phxi_shape_distance(shape, phxi_add_scaled(p, -d, n));
            if (!(fabs(left) <= 1e-9)) {
                phxt_failed(__FILE__, __LINE__, "%s: %g is left of %g at (%.17g, %.17g, %.17g)", primitives[s], left, d,
                            p.x, p.y, p.z);
                break;
            }
            ENSURE_NEAR(phxi_length(n), 1, 1e-12);
        }
        done(shape);
    }
}

static void ensure_gradient(const char* text) {
    uint64_t state = 2;
    phxi_shape* shape = parse(text);
    double h = 1e-6;
    int odd = 0;
    for (int i = 0; i < 500; ++i) {
        phx_vec3 p = random_point(&state, 1.5), n;
        double d = phxi_shape_distance_normal(shape, p, &n);
        ENSURE(d == phxi_shape_distance(shape, p));
        phx_vec3 g = {phxi_shape_distance(shape, phxi_vec3(p.x + h, p.y, p.z)) -
                          phxi_shape_distance(shape, phxi_vec3(p.x - h, p.y, p.z)),
                      phxi_shape_distance(shape, phxi_vec3(p.x, p.y + h, p.z)) -
                          phxi_shape_distance(shape, phxi_vec3(p.x, p.y - h, p.z)),
                      phxi_shape_distance(shape, phxi_vec3(p.x, p.y, p.z + h)) -
                          phxi_shape_distance(shape, phxi_vec3(p.x, p.y, p.z - h))};
        ENSURE(phxi_length(g) / (2 * h) < 1 + 1e-6); // the promise that skipping rests on
        odd += phxi_distance(phxi_normalize(g, n), n) > 1e-4;
    }
    if (odd > 2) { // a point may sit on a crease
        phxt_failed(__FILE__, __LINE__, "%s: %d of 500 normals differ from central differences", text, odd);
    }
    done(shape);
}

TEST(normals_are_gradients) {
    for (size_t s = 0; s < sizeof primitives / sizeof primitives[0]; ++s) {
        ensure_gradient(primitives[s]);
    }
    for (size_t s = 0; s < sizeof combinations / sizeof combinations[0]; ++s) {
        ensure_gradient(combinations[s]);
    }
}

TEST(normals_exist_everywhere) {
    const phx_vec3 points[] = {{0, 0, 0},   {0, 0, 0.5}, {0.5, 0.5, 0.5},
                               {0.6, 0, 0}, {0.1, 0, 0}, {1e300, -1e300, 1e300}};
    for (size_t s = 0; s < sizeof primitives / sizeof primitives[0]; ++s) {
        phxi_shape* shape = parse(primitives[s]);
        for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i) {
            ENSURE_NEAR(phxi_length(phxi_shape_normal(shape, points[i])), 1, 1e-9);
            ENSURE(!isnan(phxi_shape_distance(shape, points[i])));
        }
        done(shape);
    }
}

/// Nothing is inside beyond the box, and the box of a primitive touches the surface on every side.
static void ensure_box(const char* text, bool tight) {
    uint64_t state = 3;
    phxi_shape* shape = parse(text);
    phxi_box box;
    if (!phxi_shape_bounds(shape, &box)) {
        ENSURE(strstr(text, "plane"));
        done(shape);
        return;
    }
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (int i = 0; i < 6000; ++i) {
        // Points on the surface, or at least close to it.
        phx_vec3 p = random_point(&state, 1.5);
        for (int step = 0; step < 3; ++step) {
            p = phxi_add_scaled(p, -phxi_shape_distance(shape, p), phxi_shape_normal(shape, p));
        }
        if (phxi_shape_distance(shape, p) > 1e-9) {
            continue;
        }
        const double c[3] = {p.x, p.y, p.z};
        for (int a = 0; a < 3; ++a) {
            low[a] = fmin(low[a], c[a]);
            high[a] = fmax(high[a], c[a]);
        }
    }
    const double want_low[3] = {box.low.x, box.low.y, box.low.z}, want_high[3] = {box.high.x, box.high.y, box.high.z};
    for (int a = 0; a < 3; ++a) {
        bool in = low[a] >= want_low[a] - 2e-9 && high[a] <= want_high[a] + 2e-9;
        bool near = !tight || (low[a] < want_low[a] + 0.04 && high[a] > want_high[a] - 0.04);
        if (!in || !near) {
            phxt_failed(__FILE__, __LINE__, "%s: box %g..%g, surface %g..%g along %d", text, want_low[a], want_high[a],
                        low[a], high[a], a);
        }
    }
    done(shape);
}

TEST(boxes) {
    for (size_t s = 0; s < sizeof primitives / sizeof primitives[0]; ++s) {
        ensure_box(primitives[s], true);
    }
    for (size_t s = 0; s < sizeof combinations / sizeof combinations[0]; ++s) {
        ensure_box(combinations[s], false);
    }
}

static bool bounded(const char* text, phxi_box* box) {
    phxi_shape* shape = parse(text);
    bool is = phxi_shape_bounds(shape, box);
    done(shape);
    return is;
}

TEST(unbounded_and_empty_boxes) {
    phxi_box box;
    ENSURE(!bounded("all()", &box));
    ENSURE(!bounded("plane()", &box));
    ENSURE(!bounded("difference(all(), sphere())", &box));
    ENSURE(!bounded("rotate((1,0,0), 20, plane())", &box));
    ENSURE(!bounded("union(sphere(), plane())", &box));
    ENSURE(bounded("intersection(sphere(), plane(normal=(0,0,2)))", &box));
    ENSURE(box.high.z == 0 && box.low.z == -0.5);
    ENSURE(bounded("difference(sphere(), plane(normal=(0,0,1)))", &box));
    ENSURE(bounded("intersection(plane((0,0,1), (0,0,1)), plane((0,0,0), (0,0,-1)), box(size=(2,2,9)))", &box));
    ENSURE(box.low.z == 0 && box.high.z == 1);
    ENSURE(bounded("intersection(sphere(), sphere(center=(3,0,0)))", &box));
    ENSURE(box.low.x == 0 && box.high.x == 0);
    ENSURE(bounded("union(sphere(), rotate((1,0,0), 9, intersection(sphere(), sphere(center=(3,0,0)))))", &box));
    ENSURE(box.low.x == -0.5 && box.high.x == 0.5);
    // Two balls that do not meet, joined in between: the inside reaches over both boxes' sides.
    ENSURE(bounded("smooth_union(radius=1, intersection(sphere(), sphere(center=(1.1,0,0))))", &box));
    ENSURE(box.low.x == 0 && box.high.x == 0);
}

/// The same as the functions of the expression, in the stated order.
TEST(placing) {
    phxi_shape* placed = parse("box(center=(0.3,0.1,0), size=(1,0.5,0.2))");
    REQUIRE_OK(phxi_shape_place(&heap, placed, 2, phxi_vec3(30, -40, 110), phxi_vec3(1, 2, 3)));
    phxi_shape* written = NULL;
    REQUIRE_OK(phxi_shape_parse(&heap,
                                "move((1,2,3), rotate((0,0,1), 110, rotate((0,1,0), -40, rotate((1,0,0), 30, "
                                "scale(2, box(center=(0.3,0.1,0), size=(1,0.5,0.2)))))))",
                                &written));
    uint64_t state = 4;
    for (int i = 0; i < 100; ++i) {
        phx_vec3 p = random_point(&state, 4);
        ENSURE_NEAR(phxi_shape_distance(placed, p), phxi_shape_distance(written, p), 1e-14);
    }
    // x turned by 90 degrees about z is y.
    phxi_shape* ball = NULL;
    REQUIRE_OK(phxi_shape_parse(&heap, "sphere(center=(1,0,0))", &ball));
    REQUIRE_OK(phxi_shape_place(&heap, ball, 1, phxi_vec3(0, 0, 90), phxi_vec3(0, 0, 0)));
    ENSURE_NEAR(phxi_shape_distance(ball, phxi_vec3(0, 1, 0)), -0.5, 1e-14);
    ENSURE_RESULT(phxi_shape_place(&heap, ball, -1, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_shape_place(&heap, ball, NAN, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_shape_place(&heap, ball, 1, phxi_vec3(0, NAN, 0), phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    phxi_shape_destroy(&heap, ball);
    phxi_shape_destroy(&heap, written);
    done(placed);
}

TEST(extreme_numbers_stay_numbers) {
    const char* const texts[] = {
        "ellipsoid(radii=(1e15,1e-15,1))",
        "ellipsoid(center=(1e15,-1e15,1e15), radii=(1e-15,1,1e15))",
        "cone(from=(-1e15,0,0), to=(1e15,0,0), radius1=1e-15, radius2=1e15)",
        "torus(axis=(1e-15,0,0), major=1e15, minor=1e-15)",
        "plane(normal=(1e15,1e15,-1e15))",
        "smooth_union(radius=1e-15, all(), all(), plane())",
        "scale(1e-6, scale(1e-6, scale(1e-6, scale(1e-6, scale(1e-6, scale(1e-6, ellipsoid(radii=(1,2,3))))))))",
        "scale(1e6, scale(1e6, scale(1e6, scale(1e6, smooth_union(1, sphere(), plane(), all())))))",
    };
    const double values[] = {0, 1e-300, 1e-15, 1, 1e15, 1e150, 1.7e308, -1.7e308, INFINITY};
    for (size_t s = 0; s < sizeof texts / sizeof texts[0]; ++s) {
        phxi_shape* shape = parse(texts[s]);
        for (int i = 0; i < 729; ++i) {
            phx_vec3 p = {values[i % 9], values[i / 9 % 9], values[i / 81]}, n;
            double d = phxi_shape_distance_normal(shape, p, &n);
            if (isnan(d) || !(fabs(phxi_length(n) - 1) < 1e-9)) {
                phxt_failed(__FILE__, __LINE__, "%s at (%g, %g, %g): %g, normal (%g, %g, %g)", texts[s], p.x, p.y, p.z,
                            d, n.x, n.y, n.z);
            }
        }
        phxi_box box;
        phxi_shape_bounds(shape, &box);
        done(shape);
    }
}

TEST(help_lists_every_kind) {
    int count = 0;
    for (; phx_shape_help(count); ++count) {
        const char* bracket = strchr(phx_shape_help(count), '(');
        ENSURE(bracket && strstr(phx_shape_help(count), ")  "));
    }
    ENSURE(count == 16);
    ENSURE(!phx_shape_help(-1));
}
