// SPDX-License-Identifier: MIT
// Times are whole numbers divided by a rate (frame k at k / fps), never sums, and what is due is decided by comparing
// such times with the world's clock within a tolerance of 1e-12 of the run: the clock is a sum of substeps and may be
// off by a few roundings.
//
// Probe files are appended line by line and flushed, so that a killed run leaves whole lines; a resume cuts those that
// are later than the checkpoint.
#include "io/run_output.h"

#include "core/file.h"
#include "core/text.h"
#include "io/frame.h"
#include "io/probe_line.h"
#include "io/run_folder.h"
#include "io/run_look.h"
#include "world/world.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// -------------------------------------------------------------------------------------------------------------- times

// k-th multiple of an interval, exact if the interval is one over a whole number (0.01 s: k / 100).
static double multiple(int64_t k, double every) {
    double rate = round(1 / every);
    return rate >= 1 && fabs(rate * every - 1) < 1e-12 ? (double)k / rate : (double)k * every;
}

static double frame_time(const phxi_outputs* outputs, int64_t k) {
    return (double)k / outputs->scene->run.fps;
}

static double probe_time(const phxi_outputs* outputs, const phxi_probe_file* probe, int64_t k) {
    return probe->every > 0 ? multiple(k, probe->every) : frame_time(outputs, k);
}

static double interval(const phxi_outputs* outputs, const phxi_probe_file* probe) {
    return probe && probe->every > 0 ? probe->every : 1 / outputs->scene->run.fps;
}

// The nearest multiple; true if that is now. `probe` NULL: frames.
static bool due(const phxi_outputs* outputs, const phxi_probe_file* probe, double* time, int64_t* k) {
    double now = phx_world_time(outputs->world);
    *k = (int64_t)llround(now / interval(outputs, probe));
    *time = probe ? probe_time(outputs, probe, *k) : frame_time(outputs, *k);
    return fabs(*time - now) <= outputs->tolerance;
}

static double next(const phxi_outputs* outputs, const phxi_probe_file* probe) {
    double now = phx_world_time(outputs->world);
    for (int64_t k = (int64_t)floor(now / interval(outputs, probe));; ++k) {
        double time = probe ? probe_time(outputs, probe, k) : frame_time(outputs, k);
        if (time > now + outputs->tolerance) {
            return time;
        }
    }
}

double phxi_outputs_next(const phxi_outputs* outputs) {
    double time = fmin(outputs->scene->run.duration, next(outputs, NULL));
    for (int i = 0; i < outputs->probe_count; ++i) {
        time = fmin(time, next(outputs, &outputs->probes[i]));
    }
    return time;
}

int phxi_outputs_frame_total(const phxi_outputs* outputs) {
    return (int)floor((outputs->scene->run.duration + outputs->tolerance) * outputs->scene->run.fps) + 1;
}

// ------------------------------------------------------------------------------------------------------------- frames

static char* path_in(const phxi_outputs* outputs, const char* format, const char* name) {
    char text[160];
    snprintf(text, sizeof text, format, name);
    return phxi_path_join(outputs->heap, outputs->folder, text);
}

// A file of each format.
static phx_result save_frame(phxi_outputs* outputs, const char* name) {
    const phxi_run_settings* run = &outputs->scene->run;
    char fields[2048];
    bool warm = phxi_looks_need_temperature(outputs->scene) && !(run->fields && strstr(run->fields, "temperature"));
    snprintf(fields, sizeof fields, "%s%s%s", run->fields ? run->fields : "", run->skin ? " " PHXI_SKIN_FIELDS : "",
             warm ? " temperature" : "");
    for (int i = 0; phxi_format_words[i]; ++i) {
        if (!run->formats || !strstr(run->formats, phxi_format_words[i])) {
            continue;
        }
        char file[96];
        snprintf(file, sizeof file, "%s.%s", name, phxi_format_words[i]);
        char* path = path_in(outputs, "frames/%s", file);
        phx_result result = path ? phx_frame_save(outputs->world, path, fields) : PHX_ERROR_MEMORY;
        phxi_free(outputs->heap, path);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

typedef struct pvd_list {
    const phxi_outputs* outputs;
    double last_good; // s; behind the frames, if there
} pvd_list;

static void pvd_entry(const void* context, int i, phxi_pvd_entry* entry) {
    const pvd_list* list = context;
    if (i < list->outputs->frames) {
        entry->time = frame_time(list->outputs, i);
        snprintf(entry->file, sizeof entry->file, "frames/frame_%05d.vtp", i);
    } else {
        entry->time = list->last_good;
        snprintf(entry->file, sizeof entry->file, "frames/last_good.vtp");
    }
}

static phx_result list_frames(const phxi_outputs* outputs) {
    pvd_list list = {outputs, 0};
    return outputs->pvd ? phxi_pvd_save(outputs->heap, outputs->pvd, outputs->frames, pvd_entry, &list) : PHX_OK;
}

static phx_result write_frame(phxi_outputs* outputs, int number) {
    char name[32];
    snprintf(name, sizeof name, "frame_%05d", number);
    PHXI_TRY(save_frame(outputs, name));
    PHXI_TRY(phxi_crack_output_write(&outputs->cracks, number, outputs->scene->run.fps));
    PHXI_TRY(phxi_collider_output_write(&outputs->colliders, number, outputs->scene->run.fps));
    outputs->frames = number + 1;
    return list_frames(outputs);
}

phx_result phxi_outputs_last_good(phxi_outputs* outputs) {
    PHXI_TRY(save_frame(outputs, "last_good"));
    pvd_list list = {outputs, phx_world_time(outputs->world)};
    bool later = outputs->frames == 0 || list.last_good > frame_time(outputs, outputs->frames - 1) + outputs->tolerance;
    return outputs->pvd ? phxi_pvd_save(outputs->heap, outputs->pvd, outputs->frames + later, pvd_entry, &list)
                        : PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- probes

static phx_result fail_write(const char* path) {
    char reason[128] = "unknown error";
    (void)!strerror_r(errno ? errno : EIO, reason, sizeof reason);
    return phxi_fail(PHX_ERROR_IO, "cannot write '%s': %s", path, reason);
}

static phx_result write_line(const phxi_outputs* outputs, const phxi_probe_file* probe, double time) {
    double numbers[PHXI_PROBE_COLUMNS];
    PHXI_TRY(phxi_probe_line(outputs->world, probe->id, time, numbers));
    errno = 0;
    for (int i = 0; i < PHXI_PROBE_COLUMNS; ++i) {
        char text[32];
        phxi_format_double(numbers[i], text);
        fprintf(probe->stream, "%s%c", text, i < PHXI_PROBE_COLUMNS - 1 ? ',' : '\n');
    }
    return fflush(probe->stream) == 0 && !ferror(probe->stream) ? PHX_OK : fail_write(probe->path);
}

// Bytes of an old file that a run up to `time` would have written: whole lines, none later.
static size_t lines_until(const char* text, size_t size, double time, double* last) {
    size_t kept = 0;
    if (size < strlen(phxi_probe_head) || memcmp(text, phxi_probe_head, strlen(phxi_probe_head)) != 0) {
        return 0;
    }
    for (kept = strlen(phxi_probe_head); kept < size;) {
        const char* line = text + kept;
        const char* end = memchr(line, '\n', size - kept);
        const char* comma = memchr(line, ',', size - kept);
        double when;
        if (!end || !comma || !phxi_parse_double(line, (size_t)(comma - line), false, &when) || when > time) {
            break;
        }
        kept += (size_t)(end - line) + 1;
        *last = when;
    }
    return kept;
}

// Puts the file into the state that it had at the checkpoint's time.
static phx_result cut_file(const phxi_outputs* outputs, const char* path, double* last) {
    FILE* there = fopen(path, "rb");
    if (!there) {
        return PHX_OK; // a new one is begun
    }
    fclose(there);
    char* text = NULL;
    size_t size = 0;
    PHXI_TRY(phxi_file_read(outputs->heap, path, 0, &text, &size));
    size_t kept = lines_until(text, size, phx_world_time(outputs->world) + outputs->tolerance, last);
    phxi_file_writer writer;
    phx_result result = phxi_file_begin(&writer, outputs->heap, path);
    if (result == PHX_OK) {
        fwrite(text, 1, kept, writer.stream);
        result = phxi_file_commit(&writer);
    }
    phxi_free(outputs->heap, text);
    return result;
}

static phx_result open_probe(phxi_outputs* outputs, int i, bool resume) {
    phxi_probe_file* probe = &outputs->probes[outputs->probe_count];
    const phxi_scene_probe* source = &outputs->scene->probes.items[i];
    // The scene's probes are the world's, in the same order.
    *probe = (phxi_probe_file){.id = phx_world_probe_id(outputs->world, i), .every = source->def.every, .last = -1};
    probe->path = path_in(outputs, "probes/%s.csv", source->def.name);
    if (!probe->path) {
        return PHX_ERROR_MEMORY;
    }
    if (resume) {
        PHXI_TRY(cut_file(outputs, probe->path, &probe->last));
    }
    errno = 0;
    probe->stream = fopen(probe->path, resume ? "ab" : "wb");
    if (!probe->stream) {
        return fail_write(probe->path);
    }
    ++outputs->probe_count;
    bool empty = fseek(probe->stream, 0, SEEK_END) == 0 && ftell(probe->stream) == 0;
    if (empty && (fputs(phxi_probe_head, probe->stream) < 0 || fflush(probe->stream) != 0)) {
        return fail_write(probe->path);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- all

static phx_result make_folders(const phxi_outputs* outputs) {
    const bool wanted[] = {outputs->scene->run.formats != NULL, outputs->scene->probes.count > 0};
    static const char* const names[] = {"frames", "probes"};
    PHXI_TRY(phxi_make_folder(outputs->folder));
    for (int i = 0; i < 2; ++i) {
        char* path = wanted[i] ? phxi_path_join(outputs->heap, outputs->folder, names[i]) : NULL;
        phx_result result = !wanted[i] ? PHX_OK : path ? phxi_make_folder(path) : PHX_ERROR_MEMORY;
        phxi_free(outputs->heap, path);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

phx_result phxi_outputs_check(const phxi_outputs* outputs) {
    const phx_scene* scene = outputs->scene;
    if (phxi_frame_check_fields(outputs->world, scene->run.fields) != PHX_OK) {
        phxi_fail_within(PHX_ERROR_FORMAT, "run.fields");
        bool given = scene->fields_place.line > 0 || scene->fields_place.setting;
        return given ? phxi_place_within(PHX_ERROR_FORMAT, scene->name, scene->fields_place) : PHX_ERROR_FORMAT;
    }
    return PHX_OK;
}

// Lists and files as they were when the checkpoint was written.
static phx_result rewind_frames(phxi_outputs* outputs) {
    double now = phx_world_time(outputs->world), fps = outputs->scene->run.fps;
    double frames = floor((now + outputs->tolerance) * fps) + 1;
    outputs->frames = (int)fmin(frames, INT_MAX - 1);
    PHXI_TRY(phxi_run_folder_rewind(outputs->folder, outputs->frames));
    outputs->frames = (int)fmin(frames, phxi_outputs_frame_total(outputs)); // the run may have been shortened
    PHXI_TRY(phxi_crack_output_list(&outputs->cracks, outputs->frames, fps));
    PHXI_TRY(phxi_collider_output_list(&outputs->colliders, outputs->frames, fps));
    return list_frames(outputs);
}

phx_result phxi_outputs_open(phxi_outputs* outputs, bool resume) {
    const phx_scene* scene = outputs->scene;
    outputs->tolerance = 1e-12 * scene->run.duration;
    PHXI_TRY(make_folders(outputs));
    if (scene->run.formats && strstr(scene->run.formats, "vtp")) {
        outputs->pvd = phxi_path_join(outputs->heap, outputs->folder, "frames.pvd");
        if (!outputs->pvd) {
            return PHX_ERROR_MEMORY;
        }
    }
    if (scene->run.formats) {
        PHXI_TRY(phxi_crack_output_open(&outputs->cracks, outputs->heap, outputs->world, outputs->folder,
                                        scene->run.fields));
        PHXI_TRY(phxi_collider_output_open(&outputs->colliders, scene, outputs->world, outputs->heap, outputs->folder));
    }
    if (resume) {
        PHXI_TRY(rewind_frames(outputs));
    }
    PHXI_NEW(outputs->probes, outputs->heap, scene->probes.count, "probe files");
    for (int i = 0; i < scene->probes.count; ++i) {
        PHXI_TRY(open_probe(outputs, i, resume));
    }
    return PHX_OK;
}

void phxi_outputs_close(phxi_outputs* outputs) {
    for (int i = 0; i < outputs->probe_count; ++i) {
        fclose(outputs->probes[i].stream);
    }
    outputs->probe_count = 0; // memory goes with the heap
    phxi_crack_output_close(&outputs->cracks);
    phxi_collider_output_close(&outputs->colliders);
}

phx_result phxi_outputs_write(phxi_outputs* outputs, bool* frame) {
    double time;
    int64_t k;
    *frame = due(outputs, NULL, &time, &k);
    if (*frame) {
        PHXI_TRY(write_frame(outputs, (int)k));
    }
    for (int i = 0; i < outputs->probe_count; ++i) {
        if (due(outputs, &outputs->probes[i], &time, &k)) {
            PHXI_TRY(write_line(outputs, &outputs->probes[i], time));
        }
    }
    return PHX_OK;
}

static bool has_frame(const phxi_outputs* outputs, int number) {
    bool there = true;
    for (int i = 0; there && phxi_format_words[i]; ++i) {
        char name[96];
        snprintf(name, sizeof name, "frames/frame_%05d.%s", number, phxi_format_words[i]);
        if (strstr(outputs->scene->run.formats, phxi_format_words[i])) {
            char* path = phxi_path_join(outputs->heap, outputs->folder, name);
            there = path && access(path, F_OK) == 0;
            phxi_free(outputs->heap, path);
        }
    }
    return there;
}

phx_result phxi_outputs_catch_up(phxi_outputs* outputs) {
    double time;
    int64_t k;
    bool wanted = outputs->scene->run.formats && due(outputs, NULL, &time, &k) && k < phxi_outputs_frame_total(outputs);
    if (wanted && !has_frame(outputs, (int)k)) {
        PHXI_TRY(write_frame(outputs, (int)k));
    }
    for (int i = 0; i < outputs->probe_count; ++i) {
        const phxi_probe_file* probe = &outputs->probes[i];
        if (due(outputs, probe, &time, &k) && probe->last < time - outputs->tolerance) {
            PHXI_TRY(write_line(outputs, probe, time));
        }
    }
    return PHX_OK;
}
