// SPDX-License-Identifier: MIT
// phx_sample: what phx_body_create would fill a mesh or shape with, as a report and a file of points.
#include <phyxel/io.h>

#include "core/text.h"
#include "geometry/sample.h"
#include "io/frame.h"
#include "world/world.h"

#include <string.h>

static phx_result save_csv(phxi_heap* heap, const phxi_samples* samples, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs("x[m],y[m],z[m],volume[m^3],spacing[m]\n", writer.stream);
    for (int i = 0; i < samples->count; ++i) {
        const double numbers[] = {samples->positions[i].x, samples->positions[i].y, samples->positions[i].z,
                                  samples->volumes[i], samples->spacings[i]};
        for (int k = 0; k < 5; ++k) {
            char text[32];
            phxi_format_double(numbers[k], text);
            fprintf(writer.stream, "%s%c", text, k < 4 ? ',' : '\n');
        }
    }
    return phxi_file_commit(&writer);
}

static phx_result save_cloud(phxi_heap* heap, const phxi_samples* samples, const char* path) {
    phxi_cloud_writer* write = phxi_cloud_writer_for(path);
    if (!write) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' has no known ending, expected .vtp, .ply, .obj or .csv", path);
    }
    size_t count = (size_t)samples->count;
    phx_real* values;
    PHXI_NEW(values, heap, 5 * count, "samples");
    phx_real *x = values, *y = x + count, *z = y + count, *volume = z + count, *spacing = volume + count;
    for (size_t i = 0; i < count; ++i) {
        x[i] = (phx_real)samples->positions[i].x;
        y[i] = (phx_real)samples->positions[i].y;
        z[i] = (phx_real)samples->positions[i].z;
        volume[i] = (phx_real)samples->volumes[i];
        spacing[i] = (phx_real)samples->spacings[i];
    }
    const phxi_channel channels[] = {{"volume", PHXI_FIELD_REAL, 1, volume}, {"spacing", PHXI_FIELD_REAL, 1, spacing}};
    phxi_cloud cloud = {samples->count, x, y, z, channels, 2, 0};
    return write(heap, &cloud, path);
}

phx_result phx_sample(const phx_body_def* def, const char* path, phx_sample_report* report) {
    if (!def || def->stamp != PHXI_BODY_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_sample needs a definition made by phx_body_def_default");
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_samples samples = {0};
    phx_sample_report made = {0};
    phx_result result = phxi_sample_body(&heap, def, &samples, &made);
    if (result == PHX_OK && path) {
        const char* dot = strrchr(path, '.');
        result = dot && strcmp(dot, ".csv") == 0 ? save_csv(&heap, &samples, path) : save_cloud(&heap, &samples, path);
    }
    phxi_heap_destroy(&heap);
    if (result == PHX_OK && report) {
        *report = made;
    }
    return result;
}
