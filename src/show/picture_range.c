// SPDX-License-Identifier: MIT
// One range of colours for all pictures of a film.
#include "show/pictures.h"

#include "core/array.h"
#include "surface/frame.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 20000 }; // values of a frame that are looked at

typedef PHXI_ARRAY(double) values;

static double length_at(const phx_frame_field* field, int i) {
    const float* v = field->values + (size_t)field->components * (size_t)i;
    double sum = 0;
    for (int k = 0; k < field->components; ++k) {
        sum += (double)v[k] * (double)v[k];
    }
    return field->components == 1 ? (double)v[0] : sqrt(sum);
}

static phx_result look_at(phxi_heap* heap, const phx_frame* frame, const char* name, values* all) {
    const phx_frame_field* field = phx_frame_find(frame, name);
    for (int i = 0, every = frame->points / SAMPLES + 1; field && i < frame->points; i += every) {
        double value = length_at(field, i);
        double* slot = isfinite(value) ? phxi_array_add(all, heap, "range of colours") : &value;
        if (!slot) {
            return PHX_ERROR_MEMORY;
        }
        *slot = value;
    }
    return PHX_OK;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

phx_result phxi_pictures_range(phx_pictures* p, const char* field, double* low, double* high) {
    values all = {0};
    phx_result result = PHX_OK;
    for (int i = 0; i < p->count * p->runs && result == PHX_OK; ++i) {
        phx_frame* frame = NULL;
        int run = i % p->runs;
        // What is wrong with a frame is told when it is drawn.
        if (phx_show_particles(p->shows[run], phxi_pictures_frame_of(p, run, i / p->runs), &frame) == PHX_OK) {
            result = look_at(&p->heap, frame, field, &all);
        }
        phx_frame_destroy(frame);
    }
    *low = *high = 0;
    if (all.count > 0) {
        qsort(all.items, (size_t)all.count, sizeof *all.items, ascending);
        *low = all.items[all.count / 100];
        *high = all.items[all.count - 1 - all.count / 100];
        *low = fabs(*low) < 1e-6 * fabs(*high) ? 0 : *low; // roundings are nothing
    }
    phxi_array_destroy(&all, &p->heap);
    return result;
}
