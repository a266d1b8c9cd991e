// SPDX-License-Identifier: MIT
// Every kind of shape: signed distance, gradient in closed form, box; and the table of them, on which parser and help
// rest.
//
// Primitives have exact distances and tight boxes. Cylinder and cone are one frustum, and with the torus they are
// figures of revolution: worked out in the half plane (rho, t) of distance from the axis and height along it. The
// ellipsoid needs the root of one equation.
#include "geometry/shape_node.h"

#include <limits.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- helpers

static phxi_box box_around(phx_vec3 center, phx_vec3 half, double margin) {
    phx_vec3 h = phxi_add(half, phxi_vec3(margin, margin, margin));
    return (phxi_box){phxi_sub(center, h), phxi_add(center, h)};
}

/// Half extents of a disc of unit radius with this unit normal.
static phx_vec3 disc_extent(phx_vec3 normal) {
    return phxi_vec3(sqrt(fmax(0, 1 - normal.x * normal.x)), sqrt(fmax(0, 1 - normal.y * normal.y)),
                     sqrt(fmax(0, 1 - normal.z * normal.z)));
}

/// A point in the half plane of a figure of revolution.
typedef struct revolved {
    double rho, t;
    phx_vec3 out; // unit, away from the axis
} revolved;

static revolved revolve(phx_vec3 point, phx_vec3 base, phx_vec3 axis, bool need_out) {
    phx_vec3 v = phxi_sub(point, base);
    revolved r = {.t = phxi_dot(v, axis)};
    phx_vec3 w = phxi_add_scaled(v, -r.t, axis);
    r.rho = phxi_length(w);
    if (need_out) {
        r.out = phxi_normalize(w, phxi_perpendicular(axis));
    }
    return r;
}

// ----------------------------------------------------------------------------------------------------- sphere, capsule

static double sphere_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    phx_vec3 v = phxi_sub(point, node->a);
    if (gradient) {
        *gradient = phxi_normalize(v, phxi_vec3(0, 0, 1));
    }
    return phxi_length(v) - node->r;
}

static phxi_box sphere_bounds(const phxi_shape_node* node, double margin) {
    return box_around(node->a, phxi_vec3(node->r, node->r, node->r), margin);
}

static const char* capsule_prepare(phxi_shape_node* node) {
    phx_vec3 d = phxi_sub(node->b, node->a);
    node->length = phxi_length(d);
    node->axis = phxi_normalize(d, phxi_vec3(0, 0, 1));
    return NULL;
}

static double capsule_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    double t = phxi_dot(phxi_sub(point, node->a), node->axis);
    phx_vec3 nearest = phxi_add_scaled(node->a, fmin(fmax(t, 0), node->length), node->axis);
    phx_vec3 v = phxi_sub(point, nearest);
    if (gradient) {
        *gradient = phxi_normalize(v, phxi_perpendicular(node->axis));
    }
    return phxi_length(v) - node->r;
}

static phxi_box capsule_bounds(const phxi_shape_node* node, double margin) {
    double r = node->r + margin;
    phx_vec3 reach = phxi_vec3(r, r, r);
    return (phxi_box){phxi_sub(phxi_min(node->a, node->b), reach), phxi_add(phxi_max(node->a, node->b), reach)};
}

// ----------------------------------------------------------------------------------------------------------------- box

static const char* box_prepare(phxi_shape_node* node) {
    double smallest = fmin(node->b.x, fmin(node->b.y, node->b.z));
    return node->r <= 0.5 * smallest ? NULL : "round is more than half the smallest size, expected at most half";
}

static double box_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    phx_vec3 v = phxi_sub(point, node->a);
    double r = node->r;
    phx_vec3 q = {fabs(v.x) - (0.5 * node->b.x - r), fabs(v.y) - (0.5 * node->b.y - r),
                  fabs(v.z) - (0.5 * node->b.z - r)};
    phx_vec3 outside = phxi_max(q, phxi_vec3(0, 0, 0));
    double deepest = fmax(q.x, fmax(q.y, q.z));
    if (gradient) {
        phx_vec3 face = q.x >= deepest ? phxi_vec3(1, 0, 0) : q.y >= deepest ? phxi_vec3(0, 1, 0) : phxi_vec3(0, 0, 1);
        phx_vec3 g = phxi_normalize(outside, face);
        *gradient = phxi_vec3(copysign(g.x, v.x), copysign(g.y, v.y), copysign(g.z, v.z));
    }
    return phxi_length(outside) + fmin(deepest, 0) - r;
}

static phxi_box box_bounds(const phxi_shape_node* node, double margin) {
    return box_around(node->a, phxi_scale(0.5, node->b), margin);
}

// ----------------------------------------------------------------------------------------------------------- ellipsoid

/// The tau > 0 with sum_i (r_i z_i / (tau + r_i - 1))^2 = 1, all z_i >= 0 and one of r_i = 1 with z_i > 0.
/// Newton on 1/|...|, which is nearly linear in tau (as in trust-region methods), kept in a bracket.
static double ellipsoid_root(const double r[3], const double z[3]) {
    double low = 0, high = 0;
    for (int i = 0; i < 3; ++i) {
        low = fmax(low, r[i] * z[i] - (r[i] - 1)); // one term alone reaches 1
        high += r[i] * z[i] * r[i] * z[i];         // no denominator is below tau
    }
    high = fmax(sqrt(high), low);
    double tau = low;
    for (int step = 0; step < 100 && high - low > 1e-15 * high; ++step) {
        double sum = 0, slope = 0;
        for (int i = 0; i < 3; ++i) {
            double d = tau + (r[i] - 1), q = r[i] * z[i] / d;
            sum += q * q;
            slope += q * q / d;
        }
        if (sum >= 1) {
            low = tau;
        } else {
            high = tau;
        }
        double next = tau + sum * (sqrt(sum) - 1) / slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (fabs(next - tau) <= 1e-16 * tau) {
            break;
        }
        tau = next;
    }
    return tau;
}

static double ellipsoid_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    phx_vec3 v = phxi_sub(point, node->a);
    double e[3] = {node->b.x, node->b.y, node->b.z}, y[3] = {fabs(v.x), fabs(v.y), fabs(v.z)};
    double smallest = fmin(e[0], fmin(e[1], e[2])), z[3], r[3], level = 0;
    for (int i = 0; i < 3; ++i) {
        double ratio = e[i] / smallest;
        r[i] = ratio * ratio;
        z[i] = y[i] / e[i];
        level += z[i] * z[i];
        // A point on the plane of the short axis has two nearest points: a shift far below rounding picks one.
        z[i] = e[i] == smallest ? fmax(z[i], 1e-40) : z[i];
    }
    double tau = ellipsoid_root(r, z), square = 0, n[3];
    for (int i = 0; i < 3; ++i) {
        double foot = r[i] * z[i] * e[i] / (tau + (r[i] - 1));
        square += (y[i] - foot) * (y[i] - foot);
        n[i] = foot / r[i];
    }
    if (gradient) {
        phx_vec3 g = {copysign(n[0], v.x), copysign(n[1], v.y), copysign(n[2], v.z)};
        *gradient = phxi_normalize(g, phxi_vec3(0, 0, 1));
    }
    return level < 1 ? -sqrt(square) : sqrt(square);
}

static phxi_box ellipsoid_bounds(const phxi_shape_node* node, double margin) {
    return box_around(node->a, node->b, margin);
}

// ------------------------------------------------------------------------------------------------------ cylinder, cone

static const char* cone_prepare(phxi_shape_node* node) {
    capsule_prepare(node);
    if (!(node->length >= 1e-15)) {
        return "from and to are the same point, expected two points";
    }
    return node->r > 0 || node->s > 0 ? NULL : "both radii are 0, expected one above 0";
}

static const char* cylinder_prepare(phxi_shape_node* node) {
    node->s = node->r;
    return cone_prepare(node);
}

/// Keeps the nearer of two candidates (x, y) for the foot of (rho, t); `normal` is used where the foot is inside a
/// face.
typedef struct foot {
    double square, dx, dy; // from the foot to the point
    double nx, ny;         // outward normal of its face
    bool face;             // the foot is not at an end of its segment
} foot;

static foot nearer(foot best, double dx, double dy, double nx, double ny, bool face) {
    double square = dx * dx + dy * dy;
    return square < best.square ? (foot){square, dx, dy, nx, ny, face} : best;
}

static double cone_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    revolved p = revolve(point, node->a, node->axis, gradient != NULL);
    double r1 = node->r, r2 = node->s, length = node->length, dr = r2 - r1, slant = sqrt(dr * dr + length * length);
    double along = ((p.rho - r1) * dr + p.t * length) / (slant * slant), u = fmin(fmax(along, 0), 1);
    foot best = {.square = INFINITY};
    best = nearer(best, p.rho - (r1 + u * dr), p.t - u * length, length / slant, -dr / slant, u > 0 && u < 1);
    best = nearer(best, fmax(p.rho - r1, 0), p.t, 0, -1, p.rho < r1);
    best = nearer(best, fmax(p.rho - r2, 0), p.t - length, 0, 1, p.rho < r2);
    if (gradient) {
        double size = sqrt(best.square);
        bool edge = !best.face && size > 0; // only points outside have their foot on an edge
        double gx = edge ? best.dx / size : best.nx, gy = edge ? best.dy / size : best.ny;
        *gradient = phxi_add(phxi_scale(gx, p.out), phxi_scale(gy, node->axis));
    }
    bool inside = p.t > 0 && p.t < length && p.rho < r1 + dr * (p.t / length);
    return inside ? -sqrt(best.square) : sqrt(best.square);
}

static phxi_box cone_bounds(const phxi_shape_node* node, double margin) {
    phx_vec3 disc = disc_extent(node->axis);
    phxi_box a = box_around(node->a, phxi_scale(node->r, disc), margin);
    phxi_box b = box_around(node->b, phxi_scale(node->s, disc), margin);
    return (phxi_box){phxi_min(a.low, b.low), phxi_max(a.high, b.high)};
}

// --------------------------------------------------------------------------------------------------- torus, all, plane

static const char* torus_prepare(phxi_shape_node* node) {
    node->axis = phxi_normalize(node->b, phxi_vec3(0, 0, 1));
    return node->s <= node->r ? NULL : "minor is above major, expected at most major";
}

static double torus_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    revolved p = revolve(point, node->a, node->axis, gradient != NULL);
    double x = p.rho - node->r, size = sqrt(x * x + p.t * p.t);
    if (gradient) {
        double gx = size > 0 ? x / size : 1, gy = size > 0 ? p.t / size : 0;
        *gradient = phxi_add(phxi_scale(gx, p.out), phxi_scale(gy, node->axis));
    }
    return size - node->s;
}

static phxi_box torus_bounds(const phxi_shape_node* node, double margin) {
    return box_around(node->a, phxi_scale(node->r, disc_extent(node->axis)), node->s + margin);
}

static double all_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    (void)node, (void)point;
    if (gradient) {
        *gradient = phxi_vec3(0, 0, 1);
    }
    return -1e30; // everywhere deep inside, and still a number to reckon with
}

static phxi_box all_bounds(const phxi_shape_node* node, double margin) {
    (void)node, (void)margin;
    return (phxi_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static const char* plane_prepare(phxi_shape_node* node) {
    node->axis = phxi_normalize(node->b, phxi_vec3(0, 0, 1));
    return NULL;
}

static double plane_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    if (gradient) {
        *gradient = node->axis;
    }
    return phxi_dot(phxi_sub(point, node->a), node->axis);
}

static phxi_box plane_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = all_bounds(node, margin);
    phx_vec3 n = node->axis, edge = phxi_add_scaled(node->a, margin, n);
    // Only a half space along an axis has a bounded side.
    const double normal[3] = {n.x, n.y, n.z}, at[3] = {edge.x, edge.y, edge.z};
    double* low[3] = {&box.low.x, &box.low.y, &box.low.z};
    double* high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int i = 0; i < 3; ++i) {
        if (normal[i] == 1) {
            *high[i] = at[i];
        } else if (normal[i] == -1) {
            *low[i] = at[i];
        }
    }
    return box;
}

// -------------------------------------------------------------------------------------------------------- combinations

static bool is_empty(phxi_box box) {
    return !(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z);
}

static phxi_box hull(phxi_box a, phxi_box b) {
    if (is_empty(a)) {
        return b;
    }
    return is_empty(b) ? a : (phxi_box){phxi_min(a.low, b.low), phxi_max(a.high, b.high)};
}

static double evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    return node->kind->evaluate(node, point, gradient);
}

static double union_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    double least = INFINITY;
    for (int i = 1; i < node->size; i += node[i].size) {
        phx_vec3 g;
        double d = evaluate(&node[i], point, gradient ? &g : NULL);
        if (d < least || i == 1) {
            least = d;
            if (gradient) {
                *gradient = g;
            }
        }
    }
    return least;
}

static phxi_box union_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = node[1].kind->bounds(&node[1], margin);
    for (int i = 1 + node[1].size; i < node->size; i += node[i].size) {
        box = hull(box, node[i].kind->bounds(&node[i], margin));
    }
    return box;
}

/// max(first, sign * others): the intersection for 1, the difference for -1.
static double cut(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient, double sign) {
    double most = evaluate(&node[1], point, gradient);
    for (int i = 1 + node[1].size; i < node->size; i += node[i].size) {
        phx_vec3 g;
        double d = sign * evaluate(&node[i], point, gradient ? &g : NULL);
        if (d > most) {
            most = d;
            if (gradient) {
                *gradient = phxi_scale(sign, g);
            }
        }
    }
    return most;
}

static double intersection_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    return cut(node, point, gradient, 1);
}

static phxi_box intersection_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = node[1].kind->bounds(&node[1], margin);
    for (int i = 1 + node[1].size; i < node->size; i += node[i].size) {
        phxi_box other = node[i].kind->bounds(&node[i], margin);
        box = (phxi_box){phxi_max(box.low, other.low), phxi_min(box.high, other.high)};
    }
    return box;
}

static double difference_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    return cut(node, point, gradient, -1);
}

static phxi_box difference_bounds(const phxi_shape_node* node, double margin) {
    return node[1].kind->bounds(&node[1], margin);
}

/// Two distances a, b closer than the radius k are joined by min(a,b) - k h^2/4 with h = 1 - |a-b|/k: once
/// differentiable, and its gradient is a mean of theirs. More than two are joined one after the other.
static double smooth_union_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    double joined = evaluate(&node[1], point, gradient);
    for (int i = 1 + node[1].size; i < node->size; i += node[i].size) {
        phx_vec3 g;
        double d = evaluate(&node[i], point, gradient ? &g : NULL);
        double h = fmax(1 - fabs(joined - d) / node->r, 0);
        if (gradient) {
            double share = d < joined ? 1 - 0.5 * h : 0.5 * h; // of the new one
            *gradient = phxi_add(phxi_scale(1 - share, *gradient), phxi_scale(share, g));
        }
        joined = fmin(joined, d) - 0.25 * node->r * h * h;
    }
    return joined;
}

static phxi_box smooth_union_bounds(const phxi_shape_node* node, double margin) {
    int children = 0;
    for (int i = 1; i < node->size; i += node[i].size) {
        ++children;
    }
    return union_bounds(node, margin + 0.25 * node->r * (children - 1)); // each joint takes off k/4 at most
}

// ---------------------------------------------------------------------------------------------------------- placements

static double move_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    return evaluate(&node[1], phxi_sub(point, node->a), gradient);
}

static phxi_box move_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = node[1].kind->bounds(&node[1], margin);
    return (phxi_box){phxi_add(box.low, node->a), phxi_add(box.high, node->a)};
}

static const char* rotate_prepare(phxi_shape_node* node) {
    node->rotation = phxi_rotation(node->a, node->r * (3.14159265358979323846 / 180));
    return NULL;
}

static double rotate_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    const double(*m)[3] = (const double(*)[3])node->rotation.m;
    phx_vec3 local = {m[0][0] * point.x + m[1][0] * point.y + m[2][0] * point.z,
                      m[0][1] * point.x + m[1][1] * point.y + m[2][1] * point.z,
                      m[0][2] * point.x + m[1][2] * point.y + m[2][2] * point.z};
    double d = evaluate(&node[1], local, gradient);
    if (gradient) {
        *gradient = phxi_mat3_apply(&node->rotation, *gradient);
    }
    return d;
}

static phxi_box rotate_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = node[1].kind->bounds(&node[1], margin);
    if (is_empty(box)) {
        return box;
    }
    if (!phxi_finite(box.low) || !phxi_finite(box.high)) {
        return all_bounds(node, margin);
    }
    phx_vec3 center = phxi_scale(0.5, phxi_add(box.low, box.high)), half = phxi_scale(0.5, phxi_sub(box.high, box.low));
    phxi_mat3 spread = node->rotation;
    for (int i = 0; i < 9; ++i) {
        spread.m[i / 3][i % 3] = fabs(spread.m[i / 3][i % 3]);
    }
    return box_around(phxi_mat3_apply(&node->rotation, center), phxi_mat3_apply(&spread, half), 0);
}

static const char* scale_prepare(phxi_shape_node* node) {
    return node->r >= 1e-6 && node->r <= 1e6 ? NULL : "factor is out of range, expected 1e-06 to 1e+06";
}

static double scale_evaluate(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient) {
    return node->r * evaluate(&node[1], phxi_shape_clamp(phxi_scale(1 / node->r, point)), gradient);
}

static phxi_box scale_bounds(const phxi_shape_node* node, double margin) {
    phxi_box box = node[1].kind->bounds(&node[1], margin / node->r);
    return (phxi_box){phxi_scale(node->r, box.low), phxi_scale(node->r, box.high)};
}

// --------------------------------------------------------------------------------------------------------------- table

#define ARGUMENT(name, field, vector, required, rule, ...)                                                             \
    {                                                                                                                  \
        name, offsetof(phxi_shape_node, field), vector, required, PHXI_SHAPE_##rule, {                                 \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define NUMBER(name, field, rule)             ARGUMENT(name, field, false, true, rule, 0, 0, 0)
#define NUMBER_OR(name, field, rule, value)   ARGUMENT(name, field, false, false, rule, value, 0, 0)
#define VECTOR(name, field, rule)             ARGUMENT(name, field, true, true, rule, 0, 0, 0)
#define VECTOR_OR(name, field, rule, x, y, z) ARGUMENT(name, field, true, false, rule, x, y, z)
#define CENTER                                VECTOR_OR("center", a, ANY, 0, 0, 0)
#define LINE                                  VECTOR("from", a, ANY), VECTOR("to", b, ANY)

#define KIND(name, help, least, most, prepare, distance, box, ...)                                                     \
    { name, help, {__VA_ARGS__}, least, most, prepare, distance, box }
#define PRIMITIVE(name, help, prepare, distance, box, ...) KIND(name, help, 0, 0, prepare, distance, box, __VA_ARGS__)

static const phxi_shape_kind kinds[] = {
    PRIMITIVE("sphere", "sphere(center=(0,0,0), radius=0.5)  a ball", NULL, sphere_evaluate, sphere_bounds, CENTER,
              NUMBER_OR("radius", r, POSITIVE, 0.5)),
    PRIMITIVE("box", "box(center=(0,0,0), size=(1,1,1), round=0)  edges rounded by this radius", box_prepare,
              box_evaluate, box_bounds, CENTER, VECTOR_OR("size", b, POSITIVE, 1, 1, 1),
              NUMBER_OR("round", r, NOT_NEGATIVE, 0)),
    PRIMITIVE("ellipsoid", "ellipsoid(center=(0,0,0), radii=)  half axes along x, y, z", NULL, ellipsoid_evaluate,
              ellipsoid_bounds, CENTER, VECTOR("radii", b, POSITIVE)),
    PRIMITIVE("capsule", "capsule(from=, to=, radius=)  all within a distance of a line", capsule_prepare,
              capsule_evaluate, capsule_bounds, LINE, NUMBER("radius", r, POSITIVE)),
    PRIMITIVE("cylinder", "cylinder(from=, to=, radius=)  with flat ends", cylinder_prepare, cone_evaluate, cone_bounds,
              LINE, NUMBER("radius", r, POSITIVE)),
    PRIMITIVE("cone", "cone(from=, to=, radius1=, radius2=)  with flat ends; one radius may be 0", cone_prepare,
              cone_evaluate, cone_bounds, LINE, NUMBER("radius1", r, NOT_NEGATIVE), NUMBER("radius2", s, NOT_NEGATIVE)),
    PRIMITIVE("torus", "torus(center=(0,0,0), axis=(0,0,1), major=, minor=)  a ring", torus_prepare, torus_evaluate,
              torus_bounds, CENTER, VECTOR_OR("axis", b, NOT_ZERO, 0, 0, 1), NUMBER("major", r, POSITIVE),
              NUMBER("minor", s, POSITIVE)),
    PRIMITIVE("plane", "plane(point=(0,0,0), normal=(0,0,1))  the half space below it, away from the normal",
              plane_prepare, plane_evaluate, plane_bounds, VECTOR_OR("point", a, ANY, 0, 0, 0),
              VECTOR_OR("normal", b, NOT_ZERO, 0, 0, 1)),
    PRIMITIVE("all", "all()  everything", NULL, all_evaluate, all_bounds, {0}),
    KIND("union", "union(a, b, ...)  what is in one of them", 1, INT_MAX, NULL, union_evaluate, union_bounds, {0}),
    KIND("intersection", "intersection(a, b, ...)  what is in all of them", 1, INT_MAX, NULL, intersection_evaluate,
         intersection_bounds, {0}),
    KIND("difference", "difference(a, b, ...)  what is in the first and in none of the others", 1, INT_MAX, NULL,
         difference_evaluate, difference_bounds, {0}),
    KIND("smooth_union", "smooth_union(radius=, a, b, ...)  a union with its grooves filled to about this radius", 1,
         INT_MAX, NULL, smooth_union_evaluate, smooth_union_bounds, NUMBER("radius", r, POSITIVE)),
    KIND("move", "move(offset=, a)  shifted", 1, 1, NULL, move_evaluate, move_bounds, VECTOR("offset", a, ANY)),
    KIND("rotate", "rotate(axis=, angle=, a)  turned about a line through the origin, in degrees", 1, 1, rotate_prepare,
         rotate_evaluate, rotate_bounds, VECTOR("axis", a, NOT_ZERO), NUMBER("angle", r, ANY)),
    KIND("scale", "scale(factor=, a)  made larger about the origin", 1, 1, scale_prepare, scale_evaluate, scale_bounds,
         NUMBER("factor", r, POSITIVE)),
};

const phxi_shape_kind* phxi_shape_kind_at(int i) {
    return i >= 0 && i < (int)(sizeof kinds / sizeof kinds[0]) ? &kinds[i] : NULL;
}

const phxi_shape_kind* phxi_shape_kind_find(const char* name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}
