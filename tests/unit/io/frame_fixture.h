// SPDX-License-Identifier: MIT
// Small frames with everything a frame can have, and comparison of two.
#pragma once

#include "support/test.h"

/// A tetrahedron with fields of 1, 3 and 9 numbers and normals; points only if asked for.
static inline phx_frame* small_frame(bool triangles, double time, const phx_allocator* allocator) {
    static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {0.1, 0.2, 2}};
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    phx_frame* frame = NULL;
    float *body = NULL, *velocity = NULL, *deformation = NULL, *normal = NULL;
    if (phx_frame_create(4, triangles ? 4 : 0, time, allocator, &frame) != PHX_OK) {
        return NULL;
    }
    memcpy(phx_frame_positions(frame), corners, sizeof corners);
    if (triangles) {
        memcpy(phx_frame_indices(frame), faces, sizeof faces);
    }
    if (phx_frame_add_field(frame, "body", 1, &body) != PHX_OK ||
        phx_frame_add_field(frame, "velocity", 3, &velocity) != PHX_OK ||
        phx_frame_add_field(frame, "deformation", 9, &deformation) != PHX_OK ||
        phx_frame_add_field(frame, "normal", 3, &normal) != PHX_OK) {
        phx_frame_destroy(frame);
        return NULL;
    }
    for (int i = 0; i < 36; ++i) {
        deformation[i] = 0.1f * (float)i;
        if (i < 12) {
            velocity[i] = (float)i - 3.25f;
            normal[i] = i % 3 == i / 4 % 3 ? 1.0f : 0.0f;
        }
        if (i < 4) {
            body[i] = (float)(i / 2);
        }
    }
    return frame;
}

/// Equal but for fields (`fields` 0), or with them; positions to a relative 1e-7 (`exact` false) or bit by bit.
static inline bool same_frame(const phx_frame* a, const phx_frame* b, bool fields, bool exact) {
    phx_frame *wa = (phx_frame*)(uintptr_t)a, *wb = (phx_frame*)(uintptr_t)b;
    if (phx_frame_points(a) != phx_frame_points(b) || phx_frame_triangles(a) != phx_frame_triangles(b) ||
        phx_frame_time(a) != phx_frame_time(b)) {
        return false;
    }
    for (int i = 0; i < 3 * phx_frame_points(a); ++i) {
        double x = phx_frame_positions(wa)[i], y = phx_frame_positions(wb)[i];
        if (exact ? x != y : fabs(x - y) > 1e-7 * fabs(x)) {
            return false;
        }
    }
    for (int i = 0; i < 3 * phx_frame_triangles(a); ++i) {
        if (phx_frame_indices(wa)[i] != phx_frame_indices(wb)[i]) {
            return false;
        }
    }
    const phx_frame_field* field;
    for (int f = 0; fields && (field = phx_frame_field_at(a, f)); ++f) {
        const phx_frame_field* other = phx_frame_find(b, field->name);
        size_t bytes = (size_t)phx_frame_points(a) * (size_t)field->components * sizeof(float);
        if (!other || other->components != field->components || memcmp(field->values, other->values, bytes) != 0) {
            return false;
        }
    }
    return true;
}
