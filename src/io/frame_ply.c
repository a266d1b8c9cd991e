// SPDX-License-Identifier: MIT
// PLY, binary little endian: x y z, then every channel as `name`, `name_x name_y name_z` or `name_0 ...`, normals as
// nx ny nz, then the triangles. Reals are written as float in both builds, as most readers expect; ids are 64 bits
// wide, which PLY has no type for, and are left out (.vtp has them). The time stands in a comment.
#include "io/frame.h"

#include "core/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

static void put_properties(FILE* stream, const phxi_channel* channel, bool normal) {
    const char* type = channel->type == PHXI_CHANNEL_INT ? "int" : "float";
    for (int k = 0; k < channel->components; ++k) {
        char letter = (char)(channel->components == 3 ? 'x' + k : '0' + k);
        if (normal) {
            fprintf(stream, "property float n%c\n", letter);
        } else if (channel->components == 1) {
            fprintf(stream, "property %s %s\n", type, channel->name);
        } else {
            fprintf(stream, "property %s %s_%c\n", type, channel->name, letter);
        }
    }
}

static void put_head(FILE* stream, const phxi_cloud* cloud) {
    char time[32];
    phxi_format_double(cloud->time, time);
    fprintf(stream,
            "ply\nformat binary_little_endian 1.0\ncomment phyxel, SI units\ncomment time %s\nelement vertex %d\n"
            "property float x\nproperty float y\nproperty float z\n",
            time, cloud->count);
    const float* normals = phxi_cloud_normals(cloud);
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        if (channel->type != PHXI_CHANNEL_UINT64) {
            put_properties(stream, channel, channel->data == normals);
        }
    }
    if (cloud->triangle_count) {
        fprintf(stream, "element face %d\nproperty list uchar int vertex_indices\n", cloud->triangle_count);
    }
    fputs("end_header\n", stream);
}

static void put_float(FILE* stream, double value) {
    float number = (float)value;
    fwrite(&number, sizeof number, 1, stream);
}

static void put_values(FILE* stream, const phxi_channel* channel, int i) {
    size_t n = (size_t)channel->components, first = (size_t)i * n;
    switch (channel->type) {
    case PHXI_CHANNEL_FLOAT:
    case PHXI_CHANNEL_INT:
        fwrite((const char*)channel->data + 4 * first, 4, n, stream);
        break;
    case PHXI_CHANNEL_DOUBLE:
        for (size_t k = 0; k < n; ++k) {
            put_float(stream, ((const double*)channel->data)[first + k]);
        }
        break;
    case PHXI_CHANNEL_UINT64:
        break;
    }
}

phx_result phxi_cloud_save_ply(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    put_head(writer.stream, cloud);
    for (int i = 0; i < cloud->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            put_float(writer.stream, cloud->positions[3 * i + k]);
        }
        for (int c = 0; c < cloud->channel_count; ++c) {
            put_values(writer.stream, &cloud->channels[c], i);
        }
    }
    for (int i = 0; i < cloud->triangle_count; ++i) {
        fputc(3, writer.stream);
        fwrite(cloud->triangles + 3 * i, sizeof(int), 3, writer.stream);
    }
    return phxi_file_commit(&writer);
}
