// SPDX-License-Identifier: MIT
// Samples as text, to look at or to read elsewhere: CSV and PLY. Numbers read back as the same doubles in any locale.
#include "geometry/sample.h"

#include "core/text.h"

static void write_rows(const phxi_samples* samples, FILE* stream, char separator) {
    for (int i = 0; i < samples->count; ++i) {
        const double values[5] = {samples->positions[i].x, samples->positions[i].y, samples->positions[i].z,
                                  samples->volumes[i], samples->spacings[i]};
        for (int c = 0; c < 5; ++c) {
            char text[32];
            phxi_format_double(values[c], text);
            fputs(text, stream);
            fputc(c < 4 ? separator : '\n', stream);
        }
    }
}

void phxi_samples_write_csv(const phxi_samples* samples, FILE* stream) {
    fputs("x,y,z,volume,spacing\n", stream);
    write_rows(samples, stream, ',');
}

void phxi_samples_write_ply(const phxi_samples* samples, FILE* stream) {
    fprintf(stream, "ply\nformat ascii 1.0\ncomment metres, cubic metres\nelement vertex %d\n", samples->count);
    static const char* const names[] = {"x", "y", "z", "volume", "spacing"};
    for (int c = 0; c < 5; ++c) {
        fprintf(stream, "property double %s\n", names[c]);
    }
    fputs("end_header\n", stream);
    write_rows(samples, stream, ' ');
}
