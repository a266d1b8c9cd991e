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
    double* positions;
    PHXI_NEW(positions, heap, 3 * count, "samples");
    for (size_t i = 0; i < count; ++i) {
        positions[3 * i] = samples->positions[i].x;
        positions[3 * i + 1] = samples->positions[i].y;
        positions[3 * i + 2] = samples->positions[i].z;
    }
    const phxi_channel channels[] = {{"volume", PHXI_CHANNEL_DOUBLE, 1, samples->volumes},
                                     {"spacing", PHXI_CHANNEL_DOUBLE, 1, samples->spacings}};
    phxi_cloud cloud = {.count = samples->count, .positions = positions, .channels = channels, .channel_count = 2};
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
