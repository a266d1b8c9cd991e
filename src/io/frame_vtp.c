// SPDX-License-Identifier: MIT
// ParaView and VTK: .vtp (PolyData, one vertex cell a point, raw little-endian data behind the XML) and .pvd, the list
// of frames with their times. Raw appended data is the one form that is both compact and read without decoding; each
// array is preceded by its size in bytes as UInt64.
#include "io/frame.h"

#include "core/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

enum { BLOCK = 1024 };

static const char* type_name(phxi_field_type type) {
    return type == PHXI_FIELD_UINT64 ? "UInt64"
           : type == PHXI_FIELD_INT  ? "Int32"
           : sizeof(phx_real) == 8   ? "Float64"
                                     : "Float32";
}

// One array's line in the XML; moves `offset` past its data.
static void put_array(FILE* stream, const char* type, const char* name, int components, uint64_t bytes,
                      uint64_t* offset) {
    fprintf(stream,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
            type, name, components, (unsigned long long)*offset);
    *offset += sizeof bytes + bytes;
}

static void put_head(FILE* stream, const phxi_cloud* cloud) {
    uint64_t n = (uint64_t)cloud->count, offset = 0;
    char time[32];
    phxi_format_double(cloud->time, time);
    fprintf(
        stream,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "<PolyData>\n"
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>"
        "</FieldData>\n"
        "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
        "NumberOfPolys=\"0\">\n"
        "<PointData>\n",
        time, cloud->count, cloud->count);
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        put_array(stream, type_name(channel->type), channel->name, channel->components,
                  n * (uint64_t)channel->components * phxi_field_size(channel->type), &offset);
    }
    fputs("</PointData>\n<Points>\n", stream);
    put_array(stream, type_name(PHXI_FIELD_REAL), "Points", 3, n * 3 * sizeof(phx_real), &offset);
    fputs("</Points>\n<Verts>\n", stream);
    put_array(stream, "Int32", "connectivity", 1, n * sizeof(int32_t), &offset);
    put_array(stream, "Int32", "offsets", 1, n * sizeof(int32_t), &offset);
    fputs("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", stream);
}

static void put_size(FILE* stream, uint64_t size) {
    fwrite(&size, sizeof size, 1, stream);
}

static void put_points(FILE* stream, const phxi_cloud* cloud) {
    put_size(stream, (uint64_t)cloud->count * 3 * sizeof(phx_real));
    phx_real block[3 * BLOCK];
    for (int begin = 0; begin < cloud->count; begin += BLOCK) {
        int n = cloud->count - begin < BLOCK ? cloud->count - begin : BLOCK;
        for (int i = 0; i < n; ++i) {
            block[3 * i] = cloud->x[begin + i];
            block[3 * i + 1] = cloud->y[begin + i];
            block[3 * i + 2] = cloud->z[begin + i];
        }
        fwrite(block, 3 * sizeof *block, (size_t)n, stream);
    }
}

// first, first + 1, ...
static void put_counting(FILE* stream, int count, int first) {
    put_size(stream, (uint64_t)count * sizeof(int32_t));
    int32_t block[BLOCK];
    for (int begin = 0; begin < count; begin += BLOCK) {
        int n = count - begin < BLOCK ? count - begin : BLOCK;
        for (int i = 0; i < n; ++i) {
            block[i] = first + begin + i;
        }
        fwrite(block, sizeof *block, (size_t)n, stream);
    }
}

phx_result phxi_cloud_save_vtp(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    put_head(writer.stream, cloud);
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        size_t item = (size_t)channel->components * phxi_field_size(channel->type);
        put_size(writer.stream, (uint64_t)cloud->count * item);
        fwrite(channel->data, item, (size_t)cloud->count, writer.stream);
    }
    put_points(writer.stream, cloud);
    put_counting(writer.stream, cloud->count, 0);
    put_counting(writer.stream, cloud->count, 1);
    fputs("\n</AppendedData>\n</VTKFile>\n", writer.stream);
    return phxi_file_commit(&writer);
}

phx_result phxi_pvd_save(phxi_heap* heap, const char* path, int count,
                         void (*entry)(const void* context, int i, phxi_pvd_entry* entry), const void* context) {
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          writer.stream);
    for (int i = 0; i < count; ++i) {
        phxi_pvd_entry e;
        char time[32];
        entry(context, i, &e);
        phxi_format_double(e.time, time);
        fprintf(writer.stream, "<DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n", time, e.file);
    }
    fputs("</Collection>\n</VTKFile>\n", writer.stream);
    return phxi_file_commit(&writer);
}
