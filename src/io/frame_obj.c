// SPDX-License-Identifier: MIT
// OBJ points: one `v x y z` line a particle, and a `p` line each so that viewers show them. No fields: OBJ has none.
#include "io/frame.h"

#include "core/text.h"

static void format(phx_real value, char text[32]) {
    if (sizeof(phx_real) == sizeof(double)) {
        phxi_format_double((double)value, text);
    } else {
        phxi_format_float((float)value, text);
    }
}

phx_result phxi_cloud_save_obj(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs("# phyxel, points, m\n", writer.stream);
    for (int i = 0; i < cloud->count; ++i) {
        char x[32], y[32], z[32];
        format(cloud->x[i], x);
        format(cloud->y[i], y);
        format(cloud->z[i], z);
        fprintf(writer.stream, "v %s %s %s\n", x, y, z);
    }
    for (int i = 0; i < cloud->count; ++i) {
        fprintf(writer.stream, "p %d\n", i + 1);
    }
    return phxi_file_commit(&writer);
}
