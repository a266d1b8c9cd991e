// SPDX-License-Identifier: MIT
// Clouds: the particles of a world with ids, bodies and the chosen fields, and the writer for each ending.
#include "io/frame.h"

#include <phyxel/io.h>
#include "core/text.h"
#include "world/world.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FIELDS = 32, NAME = 64 };

static const struct {
    const char* ending;
    phxi_cloud_writer* write;
} FORMATS[] = {{".vtp", phxi_cloud_save_vtp}, {".ply", phxi_cloud_save_ply}, {".obj", phxi_cloud_save_obj}};

phxi_cloud_writer* phxi_cloud_writer_for(const char* path) {
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof FORMATS / sizeof *FORMATS; ++i) {
        if (strcmp(dot, FORMATS[i].ending) == 0) {
            return FORMATS[i].write;
        }
    }
    phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' has no known ending, expected .vtp, .ply or .obj", path);
    return NULL;
}

bool phxi_cloud_is_float(const phxi_cloud* cloud) {
    for (size_t i = 0; i < 3 * (size_t)cloud->count; ++i) {
        double value = cloud->positions[i];
        if (!(fabs(value) <= (double)FLT_MAX) || (double)(float)value != value) {
            return false;
        }
    }
    return true;
}

const float* phxi_cloud_normals(const phxi_cloud* cloud) {
    for (int c = 0; c < cloud->channel_count; ++c) {
        const phxi_channel* channel = &cloud->channels[c];
        if (channel->type == PHXI_CHANNEL_FLOAT && channel->components == 3 && strcmp(channel->name, "normal") == 0) {
            return channel->data;
        }
    }
    return NULL;
}

// The next word of a list; false past the last.
static bool next_word(const char** list, char name[NAME]) {
    const char* word = *list + strspn(*list, " ");
    size_t length = strcspn(word, " ");
    *list = word + length;
    snprintf(name, NAME, "%.*s", length < NAME ? (int)length : NAME - 1, word);
    return length > 0;
}

static const char* field_name(const void* context, int i) {
    return phx_world_field_info(context, i)->name;
}

static phx_result find_field(const phx_world* world, const char* name, const phx_field_info** info) {
    int count = 0;
    for (; (*info = phx_world_field_info(world, count)); ++count) {
        if (strcmp((*info)->name, name) == 0) {
            return PHX_OK;
        }
    }
    char list[500] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list - NAME; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "", field_name(world, i));
    }
    const char* near = phxi_did_you_mean(name, count, field_name, world);
    return phxi_fail(PHX_ERROR_ARGUMENT, "unknown field '%s'%s%s%s, expected some of %s", name,
                     near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

phx_result phxi_frame_check_fields(const phx_world* world, const char* fields) {
    char name[NAME];
    int count = 0;
    const phx_field_info* info;
    for (const char* at = fields ? fields : ""; next_word(&at, name);) {
        PHXI_TRY(find_field(world, name, &info));
        if (++count > FIELDS) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "more than %d fields in a frame", FIELDS);
        }
    }
    return PHX_OK;
}

static bool has_channel(const phxi_cloud* cloud, const char* name) {
    for (int c = 0; c < cloud->channel_count; ++c) {
        if (strcmp(cloud->channels[c].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static phx_result save(phxi_heap* heap, const phx_world* world, const char* path, const char* fields) {
    phxi_cloud_writer* write = phxi_cloud_writer_for(path);
    if (!write) {
        return PHX_ERROR_ARGUMENT;
    }
    PHXI_TRY(phxi_frame_check_fields(world, fields));
    phx_particle_view view = phx_world_particles(world);
    double* positions;
    PHXI_NEW(positions, heap, 3 * (size_t)view.count, "frame");
    for (int i = 0; i < view.count; ++i) {
        positions[3 * i] = (double)view.x[i];
        positions[3 * i + 1] = (double)view.y[i];
        positions[3 * i + 2] = (double)view.z[i];
    }
    phxi_channel channels[FIELDS + 2] = {{"id", PHXI_CHANNEL_UINT64, 1, view.id},
                                         {"body", PHXI_CHANNEL_INT, 1, view.body}};
    phxi_cloud cloud = {.count = view.count,
                        .positions = positions,
                        .channels = channels,
                        .channel_count = 2,
                        .time = phx_world_time(world)};
    char name[NAME];
    for (const char* at = fields; next_word(&at, name);) {
        const phx_field_info* info;
        PHXI_TRY(find_field(world, name, &info));
        if (has_channel(&cloud, info->name)) {
            continue;
        }
        phx_real* values;
        PHXI_NEW(values, heap, (size_t)view.count * (size_t)info->components, "frame");
        PHXI_TRY(phx_world_field(world, info->name, values));
        channels[cloud.channel_count++] = (phxi_channel){info->name, PHXI_CHANNEL_REAL, info->components, values};
    }
    return write(heap, &cloud, path);
}

phx_result phx_frame_save(const phx_world* world, const char* path, const char* fields) {
    if (!world || !path) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_frame_save needs a world and a path");
    }
    phxi_heap heap;
    phxi_heap_init(&heap, &world->heap.allocator);
    phx_result result = save(&heap, world, path, fields ? fields : "velocity speed");
    phxi_heap_destroy(&heap);
    return result;
}
