// SPDX-License-Identifier: MIT
// OBJ: `v x y z` lines, then `p` lines so that viewers show points, or `vn` lines and faces. No fields: OBJ has none.
#include "io/frame.h"

#include "core/text.h"

static void put_vector(FILE* stream, const char* key, double x, double y, double z) {
    const double v[3] = {x, y, z};
    fputs(key, stream);
    for (int k = 0; k < 3; ++k) {
        char text[32];
        if ((double)(float)v[k] == v[k]) { // its digits as a float are fewer
            phxi_format_float((float)v[k], text);
        } else {
            phxi_format_double(v[k], text);
        }
        fprintf(stream, " %s", text);
    }
    fputc('\n', stream);
}

phx_result phxi_cloud_save_obj(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    FILE* out = writer.stream;
    char time[32];
    phxi_format_double(cloud->time, time);
    fprintf(out, "# phyxel, m\n# time %s\n", time);
    for (int i = 0; i < cloud->count; ++i) {
        const double* p = cloud->positions + 3 * i;
        put_vector(out, "v", p[0], p[1], p[2]);
    }
    for (int i = 0; !cloud->triangle_count && i < cloud->count; ++i) {
        fprintf(out, "p %d\n", i + 1);
    }
    const float* normals = cloud->triangle_count ? phxi_cloud_normals(cloud) : NULL;
    for (int i = 0; normals && i < cloud->count; ++i) {
        put_vector(out, "vn", (double)normals[3 * i], (double)normals[3 * i + 1], (double)normals[3 * i + 2]);
    }
    for (int i = 0; i < cloud->triangle_count; ++i) {
        const int* t = cloud->triangles + 3 * i;
        int a = t[0] + 1, b = t[1] + 1, c = t[2] + 1;
        if (normals) {
            fprintf(out, "f %d//%d %d//%d %d//%d\n", a, a, b, b, c, c);
        } else {
            fprintf(out, "f %d %d %d\n", a, b, c);
        }
    }
    return phxi_file_commit(&writer);
}
