// SPDX-License-Identifier: MIT
// PLY points, binary little endian: x y z, then every channel as `name`, `name_x name_y name_z` or `name_0 ...`.
// Reals are written as float in both builds, as most readers expect; ids are 64 bits wide, which PLY has no type for,
// and are left out (.vtp has them).
#include "io/frame.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

static void put_head(FILE* stream, const phxi_cloud* cloud) {
    fprintf(stream, "ply\nformat binary_little_endian 1.0\ncomment phyxel, SI units\nelement vertex %d\n",
            cloud->count);
    fputs("property float x\nproperty float y\nproperty float z\n", stream);
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        const char* type = channel->type == PHXI_FIELD_INT ? "int" : "float";
        for (int k = 0; channel->type != PHXI_FIELD_UINT64 && k < channel->components; ++k) {
            if (channel->components == 1) {
                fprintf(stream, "property %s %s\n", type, channel->name);
            } else {
                fprintf(stream, "property %s %s_%c\n", type, channel->name,
                        channel->components == 3 ? 'x' + k : '0' + k);
            }
        }
    }
    fputs("end_header\n", stream);
}

static void put_real(FILE* stream, phx_real value) {
    float number = (float)value;
    fwrite(&number, sizeof number, 1, stream);
}

phx_result phxi_cloud_save_ply(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    put_head(writer.stream, cloud);
    for (int i = 0; i < cloud->count; ++i) {
        put_real(writer.stream, cloud->x[i]);
        put_real(writer.stream, cloud->y[i]);
        put_real(writer.stream, cloud->z[i]);
        for (int c = 0; c < cloud->channel_count; ++c) {
            const phxi_channel* channel = &cloud->channels[c];
            size_t first = (size_t)i * (size_t)channel->components;
            for (int k = 0; channel->type == PHXI_FIELD_REAL && k < channel->components; ++k) {
                put_real(writer.stream, ((const phx_real*)channel->data)[first + (size_t)k]);
            }
            if (channel->type == PHXI_FIELD_INT) {
                fwrite((const int*)channel->data + first, sizeof(int), (size_t)channel->components, writer.stream);
            }
        }
    }
    return phxi_file_commit(&writer);
}
