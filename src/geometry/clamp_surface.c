// SPDX-License-Identifier: MIT
#include "geometry/clamp_surface.h"

#define LINES  9     // through a box, along each side of its section
#define PARTS  2.5   // steps along a line in the least distance of two cuts
#define SQUARE 0.999 // cosine of what counts as a right angle
#define SAME   1e-6  // of that distance: cuts that are one

phx_result phxi_clamp_surface_create(phxi_heap* heap, const char* text, const phxi_mat3* turn, phx_vec3 shift,
                                     phxi_clamp_surface* clamp) {
    *clamp = (phxi_clamp_surface){.turn = *turn, .shift = shift};
    phx_result result = text && text[0] ? phxi_shape_parse(heap, text, &clamp->shape) : PHX_OK;
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "clamp");
}

void phxi_clamp_surface_destroy(phxi_heap* heap, phxi_clamp_surface* clamp) {
    phxi_shape_destroy(heap, clamp->shape);
    clamp->shape = NULL;
}

double phxi_clamp_distance(const phxi_clamp_surface* clamp, phx_vec3 point, phx_vec3* normal) {
    *normal = phxi_vec3(0, 0, 0);
    if (!clamp->shape) {
        return INFINITY;
    }
    phxi_mat3 back = phxi_mat3_transpose(&clamp->turn);
    phx_vec3 there = phxi_add(phxi_mat3_apply(&clamp->turn, point), clamp->shift), gradient;
    double distance = phxi_shape_distance_normal(clamp->shape, there, &gradient);
    *normal = phxi_mat3_apply(&back, gradient);
    return distance;
}

bool phxi_clamp_closest(const phxi_clamp_surface* clamp, phx_vec3 point, double most, phx_vec3* on) {
    enum { STEPS = 4 };
    phx_vec3 normal;
    double distance = phxi_clamp_distance(clamp, point, &normal);
    *on = point;
    if (!(fabs(distance) <= most)) {
        return false;
    }
    for (int k = 0; k < STEPS; ++k) {
        *on = phxi_add_scaled(*on, -distance, normal);
        distance = phxi_clamp_distance(clamp, *on, &normal);
    }
    return phxi_distance(*on, point) <= most && fabs(distance) <= 0.01 * most;
}

// ------------------------------------------------------------------------------------------------------------- cuts

typedef struct cut_line {
    const phxi_clamp_surface* clamp;
    phx_vec3 from;
    int axis;
} cut_line;

static double* component(phx_vec3* v, int axis) {
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static double distance_at(const cut_line* l, double along, phx_vec3* normal) {
    phx_vec3 p = l->from;
    *component(&p, l->axis) = along;
    return phxi_clamp_distance(l->clamp, p, normal);
}

/// The surface between two places on either side of it; false if it is not at right angles to the line.
static bool find_cut(const cut_line* l, double low, double high, double* cut) {
    phx_vec3 normal;
    bool inside = distance_at(l, low, &normal) < 0;
    for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        bool same = (distance_at(l, middle, &normal) < 0) == inside;
        *(same ? &low : &high) = middle;
    }
    *cut = 0.5 * (low + high);
    // on either side of the surface, where the gradient is known
    double aside = 1e-7 * fmax(1, fabs(*cut));
    distance_at(l, inside ? low - aside : high + aside, &normal);
    return fabs(*component(&normal, l->axis)) > SQUARE;
}

/// Puts a cut in order, unless it is there or there is no room for it.
static int add_cut(double cut, double same, int count, double cuts[PHXI_MOST_CUTS]) {
    int at = count;
    for (int k = 0; k < count; ++k) {
        if (fabs(cuts[k] - cut) <= same) {
            return count;
        }
    }
    if (count == PHXI_MOST_CUTS) {
        return count;
    }
    for (; at > 0 && cuts[at - 1] > cut; --at) {
        cuts[at] = cuts[at - 1];
    }
    cuts[at] = cut;
    return count + 1;
}

/// Cuts of one line through the box.
static int follow(const cut_line* l, double from, double to, double step, int count, double cuts[PHXI_MOST_CUTS]) {
    int steps = (int)fmax(1, ceil((to - from) / step));
    phx_vec3 normal;
    double last = distance_at(l, from, &normal), at = from;
    for (int k = 1; k <= steps; ++k) {
        double next = from + (to - from) * k / steps, distance = distance_at(l, next, &normal), cut;
        if ((distance < 0) != (last < 0) && find_cut(l, at, next, &cut)) {
            count = add_cut(cut, SAME * step, count, cuts);
        }
        last = distance;
        at = next;
    }
    return count;
}

int phxi_clamp_cuts(const phxi_clamp_surface* clamp, const phxi_box* box, int axis, double apart,
                    double cuts[PHXI_MOST_CUTS]) {
    phx_vec3 low = box->low, high = box->high;
    double from = *component(&low, axis), to = *component(&high, axis), last = from;
    int found = 0, kept = 0, across[2] = {(axis + 1) % 3, (axis + 2) % 3};
    cut_line l = {clamp, low, axis};
    for (int k = 0; clamp->shape && k < LINES * LINES; ++k) {
        for (int c = 0; c < 2; ++c) {
            double part = ((c ? k / LINES : k % LINES) + 0.5) / LINES;
            double a = *component(&low, across[c]), b = *component(&high, across[c]);
            *component(&l.from, across[c]) = a + part * (b - a);
        }
        found = follow(&l, from, to, apart / PARTS, found, cuts);
    }
    for (int k = 0; k < found; ++k) {
        if (cuts[k] - last >= apart && to - cuts[k] >= apart) {
            last = cuts[kept++] = cuts[k];
        }
    }
    return kept;
}
