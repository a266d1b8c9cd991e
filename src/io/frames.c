// SPDX-License-Identifier: MIT
// The frames of a run: a list of files with their times, from a .pvd, from the names in a folder, or of one file alone.
// Files are opened when they are read, so that a run can be drawn while it goes on, and one bad file costs one frame.
#include <phyxel/frame.h>

#include "core/array.h"
#include "core/file.h"
#include "core/text.h"
#include "io/frame_read.h"
#include "io/xml.h"
#include "surface/frame.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES = 1 << 30, HEAD_BYTES = 1024 };

typedef struct entry {
    double time;
    char* path;
} entry;

struct phx_frames {
    phxi_heap heap; // owns the list itself
    PHXI_ARRAY(entry) entries;
};

// ------------------------------------------------------------------------------------------------------------ parsers

static const struct {
    const char* ending;
    phxi_frame_parser* parse;
} FORMATS[] = {{".vtp", phxi_frame_parse_vtp}, {".ply", phxi_frame_parse_ply}, {".obj", phxi_frame_parse_obj}};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static bool has_ending(const char* path, const char* ending) {
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

phxi_frame_parser* phxi_frame_parser_for(const char* path) {
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        if (has_ending(path, FORMATS[i].ending)) {
            return FORMATS[i].parse;
        }
    }
    phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' is no frame, expected .vtp, .ply or .obj", path);
    return NULL;
}

phx_result phxi_frame_parse_mesh(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                 phx_frame** frame) {
    phx_mesh* mesh = NULL;
    bool ply = size >= 3 && memcmp(bytes, "ply", 3) == 0; // may be points alone
    PHXI_TRY(ply ? phxi_mesh_read_ply_cloud(name, bytes, size, allocator, &mesh)
                 : phx_mesh_parse(name, bytes, size, allocator, &mesh));
    phx_frame* made = NULL;
    phx_result result = phx_frame_create(mesh->vertex_count, mesh->triangle_count, 0, allocator, &made);
    for (int i = 0; made && i < mesh->vertex_count; ++i) {
        made->positions[3 * i] = mesh->positions[i].x;
        made->positions[3 * i + 1] = mesh->positions[i].y;
        made->positions[3 * i + 2] = mesh->positions[i].z;
    }
    if (made && mesh->triangle_count) {
        memcpy(made->indices, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *made->indices);
    }
    phx_mesh_destroy(mesh);
    *frame = made;
    return result;
}

double phxi_frame_peek_time(const char* bytes, size_t size) {
    static const char* const keys[] = {"Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">", "comment time ",
                                       "# time "};
    for (int k = 0; k < 3; ++k) {
        size_t length = strlen(keys[k]);
        for (size_t i = 0; i + length < size; ++i) {
            if (memcmp(bytes + i, keys[k], length) != 0) {
                continue;
            }
            size_t begin = i + length, end = begin;
            while (end < size && bytes[end] != '<' && bytes[end] != '\n') {
                ++end;
            }
            double time;
            return phxi_parse_double(bytes + begin, end - begin, false, &time) ? time : NAN;
        }
    }
    return NAN;
}

static double time_of_file(const char* path) {
    char head[HEAD_BYTES];
    FILE* stream = fopen(path, "rb");
    size_t size = stream ? fread(head, 1, sizeof head, stream) : 0;
    if (stream) {
        fclose(stream);
    }
    return phxi_frame_peek_time(head, size);
}

// --------------------------------------------------------------------------------------------------------------- lists

// Takes `path`, which is on the heap or NULL when there was no memory for it.
static phx_result add(phx_frames* frames, double time, char* path) {
    entry* slot = path ? phxi_array_add(&frames->entries, &frames->heap, "frames") : NULL;
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = (entry){time, path};
    return PHX_OK;
}

static phx_result parse_list(phx_frames* frames, phxi_source* s, const char* folder) {
    phxi_tag tag;
    PHXI_TRY(phxi_tag_expect(s, "VTKFile", &tag));
    PHXI_TRY(phxi_tag_demand(s, &tag, "type", "Collection"));
    PHXI_TRY(phxi_tag_expect(s, "Collection", &tag));
    PHXI_TRY(phxi_tag_next(s, &tag));
    while (!phxi_tag_is(&tag, "/Collection")) {
        phxi_word file, time;
        double when;
        char name[1024];
        if (!phxi_tag_is(&tag, "DataSet") || !tag.empty || !phxi_tag_find(&tag, "file", &file) || file.length == 0 ||
            file.length >= sizeof name) {
            return phxi_source_fail(s, "<%s> where <DataSet timestep=\"...\" file=\"...\"/> was expected",
                                    phxi_word_quote(tag.name).text);
        }
        if (!phxi_tag_find(&tag, "timestep", &time) || !phxi_parse_double(time.text, time.length, false, &when)) {
            return phxi_source_fail(s, "a frame without a timestep that is a number");
        }
        memcpy(name, file.text, file.length);
        name[file.length] = 0;
        PHXI_TRY(add(frames, when, phxi_path_join(&frames->heap, folder, name)));
        PHXI_TRY(phxi_tag_next(s, &tag));
    }
    return phxi_tag_expect(s, "/VTKFile", &tag);
}

static phx_result open_list(phx_frames* frames, const char* path) {
    char* text = NULL;
    size_t size = 0;
    PHXI_TRY(phxi_file_read(&frames->heap, path, LIST_BYTES, &text, &size));
    char* folder = phxi_path_folder(&frames->heap, path);
    phxi_source source = phxi_source_of(path, text, size);
    phx_result result = folder ? parse_list(frames, &source, folder) : PHX_ERROR_MEMORY;
    phxi_free(&frames->heap, text);
    return result;
}

static int by_path(const void* a, const void* b) {
    return strcmp(((const entry*)a)->path, ((const entry*)b)->path);
}

// Files frame_*<ending> of a folder, by name. Their times are what they say, or their place in the row.
static phx_result scan_folder(phx_frames* frames, const char* folder, const char* ending) {
    DIR* listing = opendir(folder);
    phx_result result = PHX_OK;
    for (struct dirent* item; listing && result == PHX_OK && (item = readdir(listing));) {
        if (strncmp(item->d_name, "frame_", 6) == 0 && has_ending(item->d_name, ending)) {
            result = add(frames, NAN, phxi_path_join(&frames->heap, folder, item->d_name));
        }
    }
    if (listing) {
        closedir(listing);
    }
    if (result != PHX_OK || frames->entries.count == 0) {
        return result;
    }
    qsort(frames->entries.items, (size_t)frames->entries.count, sizeof(entry), by_path);
    for (int i = 0; i < frames->entries.count; ++i) {
        double time = time_of_file(frames->entries.items[i].path);
        frames->entries.items[i].time = isnan(time) ? i : time;
    }
    return PHX_OK;
}

static phx_result open_folder(phx_frames* frames, const char* path) {
    char* list = phxi_path_join(&frames->heap, path, "frames.pvd");
    char* below = list ? phxi_path_join(&frames->heap, path, "frames") : NULL;
    if (!below) {
        return PHX_ERROR_MEMORY;
    }
    struct stat info;
    if (stat(list, &info) == 0) {
        return open_list(frames, list);
    }
    for (int i = 0; i < FORMAT_COUNT && frames->entries.count == 0; ++i) {
        PHXI_TRY(scan_folder(frames, below, FORMATS[i].ending));
        if (frames->entries.count == 0) {
            PHXI_TRY(scan_folder(frames, path, FORMATS[i].ending));
        }
    }
    return frames->entries.count ? PHX_OK
                                 : phxi_fail(PHX_ERROR_IO,
                                             "'%s' has no frames: neither frames.pvd nor frame_*.vtp, .ply or .obj in "
                                             "it or in its folder frames",
                                             path);
}

static phx_result open_any(phx_frames* frames, const char* path) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return open_folder(frames, path);
    }
    if (has_ending(path, ".pvd")) {
        return open_list(frames, path);
    }
    FILE* stream = fopen(path, "rb");
    if (!stream) {
        return phxi_fail(PHX_ERROR_IO, "there is no '%s', expected a run's folder, a .pvd list or a frame", path);
    }
    fclose(stream);
    if (!phxi_frame_parser_for(path)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s' is no run's folder, no .pvd list and no .vtp, .ply or .obj frame",
                         path);
    }
    double time = time_of_file(path);
    return add(frames, isnan(time) ? 0 : time, phxi_strdup(&frames->heap, path, "path"));
}

phx_result phx_frames_open(const char* path, phx_frames** frames) {
    if (!path || !frames) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_frames_open needs a path and a place for the frames");
    }
    *frames = NULL;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_frames* made = phxi_alloc_zero(&heap, 1, sizeof *made, "frames");
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    phx_result result = open_any(made, path);
    if (result != PHX_OK) {
        phx_frames_close(made);
        return result;
    }
    *frames = made;
    return PHX_OK;
}

void phx_frames_close(phx_frames* frames) {
    if (frames) {
        phxi_heap heap = frames->heap; // the list is one of its blocks
        phxi_heap_destroy(&heap);
    }
}

int phx_frames_count(const phx_frames* frames) {
    return frames ? frames->entries.count : 0;
}

double phx_frames_time(const phx_frames* frames, int i) {
    return i >= 0 && i < phx_frames_count(frames) ? frames->entries.items[i].time : NAN;
}

const char* phx_frames_path(const phx_frames* frames, int i) {
    return i >= 0 && i < phx_frames_count(frames) ? frames->entries.items[i].path : NULL;
}

phx_result phx_frames_read(const phx_frames* frames, int i, phx_frame** frame) {
    const char* path = phx_frames_path(frames, i);
    if (!path || !frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no frame %d, expected 0 to %d", i, phx_frames_count(frames) - 1);
    }
    *frame = NULL;
    phxi_frame_parser* parse = phxi_frame_parser_for(path);
    if (!parse) {
        return PHX_ERROR_ARGUMENT;
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    char* bytes = NULL;
    size_t size = 0;
    phx_result result = phxi_file_read(&heap, path, 0, &bytes, &size);
    if (result == PHX_OK) {
        result = parse(path, bytes, size, NULL, frame);
    }
    phxi_heap_destroy(&heap);
    return result;
}
