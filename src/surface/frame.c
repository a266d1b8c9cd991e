// SPDX-License-Identifier: MIT
// Frames: what flows from a run to surfaces, pictures and other programs.
#include "surface/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

phx_result phx_frame_create(int points, int triangles, double time, const phx_allocator* allocator, phx_frame** frame) {
    PHXI_NEED(frame);
    if (!frame || points < 0 || triangles < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "frame of %d points and %d triangles, expected 0 or more and a place for it", points,
                         triangles);
    }
    *frame = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    phx_frame* made = phxi_alloc_zero(&heap, 1, sizeof *made, "frame");
    double* positions = made ? phxi_alloc_zero(&heap, (size_t)points, 3 * sizeof *positions, "frame positions") : NULL;
    int* indices = positions ? phxi_alloc_zero(&heap, (size_t)triangles, 3 * sizeof *indices, "frame triangles") : NULL;
    if (!indices) {
        phxi_heap_destroy(&heap);
        return PHX_ERROR_MEMORY;
    }
    made->points = points;
    made->triangles = triangles;
    made->time = time;
    made->positions = positions;
    made->indices = indices;
    made->heap = heap;
    *frame = made;
    return PHX_OK;
}

void phx_frame_destroy(phx_frame* frame) {
    if (frame) {
        phxi_heap heap = frame->heap; // the frame is one of its blocks
        phxi_heap_destroy(&heap);
    }
}

int phx_frame_points(const phx_frame* frame) {
    return frame ? frame->points : 0;
}

int phx_frame_triangles(const phx_frame* frame) {
    return frame ? frame->triangles : 0;
}

double phx_frame_time(const phx_frame* frame) {
    return frame ? frame->time : 0;
}

double* phx_frame_positions(phx_frame* frame) {
    return frame ? frame->positions : NULL;
}

int* phx_frame_indices(phx_frame* frame) {
    return frame ? frame->indices : NULL;
}

const phx_frame_field* phx_frame_field_at(const phx_frame* frame, int i) {
    return frame && i >= 0 && i < frame->fields.count ? &frame->fields.items[i] : NULL;
}

const phx_frame_field* phx_frame_find(const phx_frame* frame, const char* name) {
    for (int i = 0; frame && name && i < frame->fields.count; ++i) {
        if (strcmp(frame->fields.items[i].name, name) == 0) {
            return &frame->fields.items[i];
        }
    }
    return NULL;
}

phx_result phx_frame_add_field(phx_frame* frame, const char* name, int components, float** values) {
    PHXI_NEED(frame && name && values);
    if (!frame || !name || !name[0] || components < 1 || components > 9) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "field '%s' with %d components, expected a frame, a name and 1 to 9",
                         name ? name : "", components);
    }
    const phx_frame_field* old = phx_frame_find(frame, name);
    if (old && old->components != components) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "field '%s' has %d components, not %d", name, old->components, components);
    }
    if (!old) {
        char* copy = phxi_strdup(&frame->heap, name, "field name");
        float* data =
            copy ? phxi_alloc_zero(&frame->heap, (size_t)frame->points * (size_t)components, sizeof *data, "field")
                 : NULL;
        phx_frame_field* slot = data ? phxi_array_add(&frame->fields, &frame->heap, "fields") : NULL;
        if (!slot) {
            phxi_free(&frame->heap, data);
            phxi_free(&frame->heap, copy);
            return PHX_ERROR_MEMORY;
        }
        *slot = (phx_frame_field){copy, components, data};
        old = slot;
    }
    if (values) {
        *values = (float*)(uintptr_t)old->values; // the frame's own memory, given out for writing
    }
    return PHX_OK;
}

void phxi_frame_drop(phx_frame* frame, const char* field) {
    for (int i = 0; i < frame->fields.count; ++i) {
        phx_frame_field* f = &frame->fields.items[i];
        if (strcmp(f->name, field) == 0) {
            phxi_free(&frame->heap, (void*)(uintptr_t)f->name);
            phxi_free(&frame->heap, (void*)(uintptr_t)f->values);
            memmove(f, f + 1, (size_t)(--frame->fields.count - i) * sizeof *f);
            return;
        }
    }
}

static bool whole(const int* triangle, const bool* keep) {
    return keep[triangle[0]] && keep[triangle[1]] && keep[triangle[2]];
}

static phx_result fill_picked(const phx_frame* frame, const bool* keep, phx_frame* picked) {
    int* number = phxi_alloc(&picked->heap, (size_t)frame->points + 1, sizeof *number, "numbers of points");
    if (!number) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0, to = 0; i < frame->points; ++i) {
        number[i] = to;
        if (keep[i]) {
            memcpy(picked->positions + 3 * (size_t)to++, frame->positions + 3 * (size_t)i, 3 * sizeof(double));
        }
    }
    int* corner = picked->indices;
    for (int t = 0; t < frame->triangles; ++t) {
        const int* from = frame->indices + 3 * (size_t)t;
        for (int k = 0; k < 3 && whole(from, keep); ++k) {
            *corner++ = number[from[k]];
        }
    }
    for (int f = 0; f < frame->fields.count; ++f) {
        const phx_frame_field* field = &frame->fields.items[f];
        size_t size = (size_t)field->components;
        float* values;
        PHXI_TRY(phx_frame_add_field(picked, field->name, field->components, &values));
        for (int i = 0; i < frame->points; ++i) {
            if (keep[i]) {
                memcpy(values + size * (size_t)number[i], field->values + size * (size_t)i, size * sizeof(float));
            }
        }
    }
    phxi_free(&picked->heap, number);
    return PHX_OK;
}

phx_result phx_frame_pick(const phx_frame* frame, const bool* keep, phx_frame** picked) {
    if (!frame || !keep || !picked) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "picking points needs a frame, a choice and a place for the answer");
    }
    *picked = NULL;
    PHXI_TRY(phx_frame_check(frame));
    int points = 0, triangles = 0;
    for (int i = 0; i < frame->points; ++i) {
        points += keep[i];
    }
    for (int t = 0; t < frame->triangles; ++t) {
        triangles += whole(frame->indices + 3 * (size_t)t, keep);
    }
    phx_frame* made = NULL;
    PHXI_TRY(phx_frame_create(points, triangles, frame->time, &frame->heap.allocator, &made));
    phx_result result = fill_picked(frame, keep, made);
    if (result != PHX_OK) {
        phx_frame_destroy(made);
        return result;
    }
    *picked = made;
    return PHX_OK;
}

phx_result phxi_frame_points_of(phxi_heap* heap, const double* positions, int count, phxi_points* points) {
    phx_real* all;
    PHXI_NEW(all, heap, 3 * (size_t)count, "points");
    for (int i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            all[k * (size_t)count + (size_t)i] = (phx_real)positions[3 * (size_t)i + k];
        }
    }
    *points = (phxi_points){all, all + count, all + 2 * (size_t)count, count};
    return PHX_OK;
}

phx_result phxi_frame_append(phx_frame* all, const phx_frame* part, int point, int triangle) {
    memcpy(all->positions + 3 * (size_t)point, part->positions, 3 * (size_t)part->points * sizeof(double));
    for (int i = 0; i < 3 * part->triangles; ++i) {
        all->indices[3 * (size_t)triangle + (size_t)i] = part->indices[i] + point;
    }
    for (int f = 0; f < part->fields.count; ++f) {
        const phx_frame_field* field = &part->fields.items[f];
        size_t components = (size_t)field->components;
        float* values;
        PHXI_TRY(phx_frame_add_field(all, field->name, field->components, &values));
        memcpy(values + (size_t)point * components, field->values, (size_t)part->points * components * sizeof *values);
    }
    return PHX_OK;
}

phx_result phxi_frame_copy(const phx_frame* frame, phx_frame** copy) {
    PHXI_TRY(phx_frame_create(frame->points, frame->triangles, frame->time, &frame->heap.allocator, copy));
    phx_result result = phxi_frame_append(*copy, frame, 0, 0);
    if (result != PHX_OK) {
        phx_frame_destroy(*copy);
        *copy = NULL;
    }
    return result;
}

phx_result phx_frame_check(const phx_frame* frame) {
    if (!frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "no frame");
    }
    for (int i = 0; i < 3 * frame->points; ++i) {
        if (!isfinite(frame->positions[i])) {
            return phxi_fail(PHX_ERROR_FORMAT, "point %d is at (%g, %g, %g), expected finite numbers", i / 3,
                             frame->positions[i / 3 * 3], frame->positions[i / 3 * 3 + 1],
                             frame->positions[i / 3 * 3 + 2]);
        }
    }
    for (int i = 0; i < 3 * frame->triangles; ++i) {
        if (frame->indices[i] < 0 || frame->indices[i] >= frame->points) {
            return phxi_fail(PHX_ERROR_FORMAT, "triangle %d uses point %d, expected 0 to %d", i / 3, frame->indices[i],
                             frame->points - 1);
        }
    }
    return PHX_OK;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double phxi_frame_spacing(const phx_frame* frame) {
    const phx_frame_field* field = phx_frame_find(frame, "spacing");
    if (field && field->components == 1 && frame->points > 0) {
        double sum = 0;
        for (int i = 0; i < frame->points; ++i) {
            sum += (double)field->values[i];
        }
        if (isfinite(sum) && sum > 0) {
            return sum / frame->points;
        }
    }
    // The nearest of all others, for a few points: exact and cheap enough (32 n).
    enum { SAMPLE = 32 };
    double nearest[SAMPLE];
    int used = 0;
    for (int k = 0; k < SAMPLE && k < frame->points; ++k) {
        int i = (int)((int64_t)k * frame->points / (frame->points < SAMPLE ? frame->points : SAMPLE));
        const double* p = frame->positions + 3 * i;
        double best = INFINITY;
        for (int j = 0; j < frame->points; ++j) {
            const double* q = frame->positions + 3 * j;
            double d = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
            best = d > 0 && d < best ? d : best;
        }
        if (isfinite(best)) {
            nearest[used++] = sqrt(best);
        }
    }
    if (used == 0) {
        return 1;
    }
    qsort(nearest, (size_t)used, sizeof nearest[0], compare_doubles);
    return nearest[used / 2];
}
