// SPDX-License-Identifier: MIT
// ParaView and VTK: .vtp (PolyData: one vertex cell a point, or triangles; raw little-endian data behind the XML) and
// .pvd, the list of frames with their times. Raw appended data is the one form that is both compact and read without
// decoding; each array is preceded by its size in bytes as UInt64.
#include "io/frame.h"

#include "core/text.h"

#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

enum { BLOCK = 1024 };

static const char* const TYPE_NAMES[] = {"Float32", "Float64", "Int32", "UInt64"}; // as phxi_channel_type

// One array's line in the XML; moves `offset` past its data.
static void put_array(FILE* stream, const char* type, const char* name, int components, uint64_t bytes,
                      uint64_t* offset) {
    fprintf(stream,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
            type, name, components, (unsigned long long)*offset);
    *offset += sizeof bytes + bytes;
}

static void put_head(FILE* stream, const phxi_cloud* cloud, bool floats) {
    uint64_t n = (uint64_t)cloud->count, offset = 0;
    int triangles = cloud->triangle_count, verts = triangles ? 0 : cloud->count;
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
        "NumberOfPolys=\"%d\">\n"
        "<PointData%s>\n",
        time, cloud->count, verts, triangles, phxi_cloud_normals(cloud) ? " Normals=\"normal\"" : "");
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        put_array(stream, TYPE_NAMES[channel->type], channel->name, channel->components,
                  n * (uint64_t)channel->components * phxi_channel_size(channel->type), &offset);
    }
    fputs("</PointData>\n<Points>\n", stream);
    put_array(stream, floats ? "Float32" : "Float64", "Points", 3, n * 3 * (floats ? 4 : 8), &offset);
    uint64_t cells = (uint64_t)(triangles ? triangles : verts), corners = triangles ? 3 * cells : cells;
    const char* kind = triangles ? "Polys" : "Verts";
    fprintf(stream, "</Points>\n<%s>\n", kind);
    put_array(stream, "Int32", "connectivity", 1, corners * sizeof(int32_t), &offset);
    put_array(stream, "Int32", "offsets", 1, cells * sizeof(int32_t), &offset);
    fprintf(stream, "</%s>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", kind);
}

static void put_size(FILE* stream, uint64_t size) {
    fwrite(&size, sizeof size, 1, stream);
}

static void put_points(FILE* stream, const phxi_cloud* cloud, bool floats) {
    size_t n = 3 * (size_t)cloud->count;
    put_size(stream, n * (floats ? 4 : 8));
    if (!floats) {
        fwrite(cloud->positions, sizeof(double), n, stream);
        return;
    }
    float block[BLOCK];
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t count = n - begin < BLOCK ? n - begin : BLOCK;
        for (size_t i = 0; i < count; ++i) {
            block[i] = (float)cloud->positions[begin + i];
        }
        fwrite(block, sizeof *block, count, stream);
    }
}

// first, first + step, ...
static void put_counting(FILE* stream, int count, int first, int step) {
    put_size(stream, (uint64_t)count * sizeof(int32_t));
    int32_t block[BLOCK];
    for (int begin = 0; begin < count; begin += BLOCK) {
        int n = count - begin < BLOCK ? count - begin : BLOCK;
        for (int i = 0; i < n; ++i) {
            block[i] = first + step * (begin + i);
        }
        fwrite(block, sizeof *block, (size_t)n, stream);
    }
}

phx_result phxi_cloud_save_vtp(phxi_heap* heap, const phxi_cloud* cloud, const char* path) {
    if (cloud->triangle_count > INT32_MAX / 3) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED, "'%s': %d triangles are more than a .vtp file of ours can hold", path,
                         cloud->triangle_count);
    }
    phxi_file_writer writer;
    PHXI_TRY(phxi_file_begin(&writer, heap, path));
    bool floats = phxi_cloud_is_float(cloud);
    put_head(writer.stream, cloud, floats);
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        size_t item = (size_t)channel->components * phxi_channel_size(channel->type);
        put_size(writer.stream, (uint64_t)cloud->count * item);
        fwrite(channel->data, item, (size_t)cloud->count, writer.stream);
    }
    put_points(writer.stream, cloud, floats);
    if (cloud->triangle_count) {
        put_size(writer.stream, 3 * (uint64_t)cloud->triangle_count * sizeof(int32_t));
        fwrite(cloud->triangles, 3 * sizeof(int32_t), (size_t)cloud->triangle_count, writer.stream);
        put_counting(writer.stream, cloud->triangle_count, 3, 3);
    } else {
        put_counting(writer.stream, cloud->count, 0, 1);
        put_counting(writer.stream, cloud->count, 1, 1);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", writer.stream);
    return phxi_file_commit(&writer);
}

static bool is_there(const char* folder, const char* name) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path && access(path, F_OK) == 0;
}

phx_result phxi_pvd_save(phxi_heap* heap, const char* path, int count,
                         void (*entry)(const void* context, int i, phxi_pvd_entry* entry), const void* context) {
    phxi_file_writer writer;
    char* folder = phxi_path_folder(heap, path);
    if (!folder) {
        return PHX_ERROR_MEMORY;
    }
    phx_result result = phxi_file_begin(&writer, heap, path);
    if (result != PHX_OK) {
        phxi_free(heap, folder);
        return result;
    }
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          writer.stream);
    for (int i = 0; i < count; ++i) {
        phxi_pvd_entry e;
        char time[32];
        entry(context, i, &e);
        if (!is_there(folder, e.file)) {
            continue;
        }
        phxi_format_double(e.time, time);
        fprintf(writer.stream, "<DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n", time, e.file);
    }
    fputs("</Collection>\n</VTKFile>\n", writer.stream);
    phxi_free(heap, folder);
    return phxi_file_commit(&writer);
}
