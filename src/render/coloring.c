// SPDX-License-Identifier: MIT
// Colours of points. Values that are not finite get the map's grey.
#include "render/coloring.h"

#include "surface/frame.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double field_value(const phx_frame_field* field, int i) {
    const float* v = field->values + (size_t)field->components * (size_t)i;
    double sum = 0;
    if (field->components == 1) {
        return isfinite(v[0]) ? (double)v[0] : NAN;
    }
    for (int k = 0; k < field->components; ++k) {
        sum += (double)v[k] * (double)v[k];
    }
    return isfinite(sum) ? sqrt(sum) : NAN;
}

static void find_range(const phx_frame* frame, const phx_render_def* def, const phx_frame_field* field,
                       phxi_coloring* c) {
    c->low = def->low, c->high = def->high;
    if (c->low < c->high) {
        return;
    }
    c->low = DBL_MAX, c->high = -DBL_MAX;
    for (int i = 0; i < frame->points; ++i) {
        double value = field_value(field, i);
        c->low = value < c->low ? value : c->low;
        c->high = value > c->high ? value : c->high;
    }
    if (c->low > c->high) { // not one finite value
        c->low = 0, c->high = 1;
    } else if (!(c->high - c->low > 1e-12 * fmax(fabs(c->low), fabs(c->high)))) {
        c->high = c->low + fmax(1e-3 * fabs(c->low), 1e-12);
    }
}

static int body_number(const phx_frame_field* body, int i) {
    float number = body ? body->values[(size_t)body->components * (size_t)i] : 0;
    return number > 0 && number < 1e6f ? (int)(number + 0.5f) : 0; // a file may say anything, a mean be off by a bit
}

phx_result phxi_color_frame(const phx_frame* frame, const phx_render_def* def, phxi_coloring* coloring, float* colors) {
    const phx_frame_field* field = def->field ? phx_frame_find(frame, def->field) : NULL;
    if (def->field && !field) {
        char names[256] = "";
        for (int i = 0; i < frame->fields.count; ++i) {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, " %s", frame->fields.items[i].name);
        }
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no field '%s' to colour by; the frame has:%s", def->field,
                         names[0] ? names : " none");
    }
    coloring->map = field ? phxi_color_map_find(def->map) : NULL;
    if (field && !coloring->map) {
        return PHX_ERROR_ARGUMENT;
    }
    if (field) {
        find_range(frame, def, field, coloring);
    }
    const phx_frame_field* body = phx_frame_find(frame, "body");
    for (int i = 0; i < frame->points; ++i) {
        if (field) {
            phxi_color_map_at(coloring->map, (field_value(field, i) - coloring->low) / (coloring->high - coloring->low),
                              colors + 3 * i);
        } else {
            phxi_color_of_body(body_number(body, i), colors + 3 * i);
        }
    }
    return PHX_OK;
}

phx_result phxi_color_part(const phx_part* part, const phx_render_def* def, bool by_body, phxi_coloring* coloring,
                           float* colors) {
    const phx_frame* f = part->frame;
    const phx_frame_field* own = phx_frame_find(f, "color");
    own = own && own->components == 3 ? own : NULL;
    if (def->field || (by_body && !own)) {
        return phxi_color_frame(f, def, coloring, colors);
    }
    const float plain[3] = {(float)part->look.color.x, (float)part->look.color.y, (float)part->look.color.z};
    for (int i = 0; i < 3 * f->points; ++i) {
        colors[i] = own ? own->values[i] : plain[i % 3];
    }
    return PHX_OK;
}

phxi_surface_look phxi_look_of_part(const phx_part* part, const phx_render_def* def) {
    return def->field ? (phxi_surface_look){.roughness = 0.5f, .ior = 1.5f}
                      : phxi_look_in_meters(&part->look, part->size);
}
