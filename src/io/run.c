// SPDX-License-Identifier: MIT
// A scene from start to end. The way is cut into pieces of a few substeps; between two pieces outputs are written, the
// caller is asked whether to go on, and checkpoints are taken.
//
// Where a piece ends depends on the state and the next output time alone, not on the clock on the wall nor on where
// the run was started: a run that is stopped anywhere and resumed takes the very same pieces, and so the same bits.
// When a checkpoint is written, everything due up to its time has been written.
#include "io/run_output.h"

#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "io/checkpoint.h"
#include "io/run_folder.h"
#include "io/run_look.h"
#include "io/run_methods.h"
#include "world/world.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUN_STAMP = 0x52554e31, PIECE_WORK = 1000000, PIECE_SUBSTEPS = 64 };
static const double PROGRESS_EVERY = 0.1; // s on the clock; also how often the folder is looked for
static const double MAX_SUBSTEPS = 1e11;

typedef struct run {
    const phx_run_def* def;
    phx_run_summary* summary;
    phxi_heap* heap;
    phx_world* world;
    phxi_outputs outputs;
    char* checkpoint;
    char bound[64];      // record of what a resume must not change, beside the world
    int lock;            // of the folder
    phx_result balanced; // of the last output of a load step
    int64_t substeps_before;
    double began, last_progress, last_checkpoint, last_look; // s on the clock
} run;

phx_run_def phx_run_def_default(void) {
    return (phx_run_def){.stamp = RUN_STAMP};
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static phx_result save_checkpoint(run* r) {
    PHXI_TRY(phxi_checkpoint_save(r->world, r->checkpoint, r->bound));
    snprintf(r->summary->checkpoint, sizeof r->summary->checkpoint, "%s", r->checkpoint);
    r->last_checkpoint = now();
    return PHX_OK;
}

// A few equal substeps towards `target`, or all that are left.
static phx_result take_piece(run* r, double target) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(r->world, &info));
    double now_at = phx_world_time(r->world), all = (r->def->scene->run.duration - now_at) / info.dt;
    if (!(all <= MAX_SUBSTEPS)) { // none of them would move the clock by more than the tolerance of the outputs
        return phxi_fail(PHX_ERROR_ARGUMENT, "%g s would take %g substeps of %g s, expected at most %g (%s)",
                         r->def->scene->run.duration, all, info.dt, MAX_SUBSTEPS, info.reason);
    }
    double left = target - now_at, count = fmax(1, ceil(left / info.dt - 1e-9));
    int particles = phx_world_particles(r->world).count;
    double most = fmax(1, fmin(PIECE_SUBSTEPS, (double)PIECE_WORK / fmax(particles, 1)));
    double length = count <= most ? left : floor(most) * (left / count);
    double start = now();
    phx_result result = phx_world_step(r->world, length);
    phx_run_summary* s = r->summary;
    s->elapsed += now() - start;
    if (result == PHX_OK) {
        s->dt_min = fmin(s->dt_min, r->world->last_dt);
        s->dt_max = fmax(s->dt_max, r->world->last_dt);
        memcpy(s->dt_reason, info.reason, sizeof s->dt_reason);
    }
    return result;
}

// False when the caller wants to stop.
static bool report_progress(run* r, bool frame) {
    double clock = now();
    if (!r->def->progress || (!frame && clock - r->last_progress < PROGRESS_EVERY)) {
        return true;
    }
    r->last_progress = clock;
    phx_run_progress progress = {
        .time = phx_world_time(r->world),
        .duration = r->def->scene->run.duration,
        .elapsed = clock - r->began,
        .frame = r->outputs.frames,
        .frames = phxi_outputs_frame_total(&r->outputs),
        .substeps = phx_world_substeps(r->world) - r->substeps_before,
        .dt = r->world->last_dt,
    };
    return r->def->progress(r->def->context, &progress);
}

// Nothing is written into a folder that has gone, unseen: an open file goes on in a deleted one.
static phx_result check_folder(run* r) {
    double clock = now();
    if (clock - r->last_look < PROGRESS_EVERY) {
        return PHX_OK;
    }
    r->last_look = clock;
    return phxi_run_folder_there(r->lock, r->def->folder)
               ? PHX_OK
               : phxi_fail(PHX_ERROR_IO, "the folder '%s' was moved or deleted during the run", r->def->folder);
}

static phx_result advance(run* r) {
    const phxi_run_settings* settings = &r->def->scene->run;
    while (phx_world_time(r->world) < settings->duration - r->outputs.tolerance) {
        double target = phxi_outputs_next(&r->outputs);
        PHXI_TRY(take_piece(r, target));
        PHXI_TRY(check_folder(r));
        bool frame = false;
        PHXI_TRY(phxi_outputs_write(&r->outputs, &frame));
        if (!report_progress(r, frame)) {
            r->summary->cancelled = true;
            return PHX_OK;
        }
        if (settings->checkpoint_every > 0 && now() - r->last_checkpoint >= settings->checkpoint_every) {
            PHXI_TRY(save_checkpoint(r));
        }
    }
    return PHX_OK;
}

// A frame and a line of each probe: load step k is at k / fps.
static bool write_load_step(void* context, const phx_static_report* report) {
    run* r = context;
    bool frame = false;
    double time = r->world->time;
    r->world->time = (double)report->steps / r->def->scene->run.fps;
    r->balanced = phxi_outputs_write(&r->outputs, &frame);
    bool go_on = r->balanced == PHX_OK && report_progress(r, frame);
    r->world->time = time;
    phxi_log(&r->def->log, PHX_LOG_INFO,
             "load step %d: %.4g of the load, %d steps of Newton's method so far, %.2g left", report->steps,
             report->load, report->newton, report->left);
    return go_on;
}

// An equilibrium; the clock then stands at its last frame.
static phx_result find_equilibrium(run* r) {
    phx_static_def def = r->def->scene->run.balance;
    phx_static_report found;
    def.progress = write_load_step;
    def.context = r;
    double start = now();
    phx_result result = phx_world_static(r->world, &def, &found);
    r->summary->elapsed += now() - start;
    if (result == PHX_OK && def.buckling) {
        r->summary->buckling = found.buckling;
    }
    r->world->time = found.steps / r->def->scene->run.fps;
    if (result == PHX_ERROR_CANCELLED) {
        r->summary->cancelled = r->balanced == PHX_OK;
        return r->balanced;
    }
    return result;
}

// Keeps the error that stopped the run and says where the state before it is.
static phx_result write_last_good(run* r, phx_result result) {
    char message[900];
    snprintf(message, sizeof message, "%s", phx_error_message());
    phx_result saved = phxi_outputs_last_good(&r->outputs);
    if (saved == PHX_OK) {
        saved = save_checkpoint(r);
    }
    if (saved != PHX_OK) {
        return phxi_fail(result, "%s; the last good state could not be written: %s", message, phx_error_message());
    }
    return phxi_fail(result, "%s; the last good state, at t = %g s, is in '%s'", message, phx_world_time(r->world),
                     r->def->folder);
}

// Where the state is saved when the folder can no longer be written to as it was.
static char* rescue_path(run* r) {
    char* folder = phxi_run_folder_there(r->lock, r->def->folder) ? NULL : phxi_run_folder_now(r->heap, r->lock);
    if (!folder && phxi_make_folder(r->def->folder) != PHX_OK) {
        return NULL;
    }
    bool own = folder || phxi_run_folder_there(r->lock, r->def->folder);
    char* path = phxi_path_join(r->heap, folder ? folder : r->def->folder, "checkpoint.phx");
    if (path && !own && access(path, F_OK) == 0) { // of somebody else, who made a folder of that name
        char name[64];
        snprintf(name, sizeof name, "checkpoint-%ld.phx", (long)getpid());
        path = phxi_path_join(r->heap, r->def->folder, name);
    }
    return path;
}

// A file could not be written, or the folder has gone. Keeps that error and says where the state is.
static phx_result rescue(run* r, phx_result result) {
    char message[600];
    snprintf(message, sizeof message, "%s", phx_error_message());
    char* path = rescue_path(r);
    if (path && phxi_checkpoint_save(r->world, path, r->bound) == PHX_OK) {
        snprintf(r->summary->checkpoint, sizeof r->summary->checkpoint, "%s", path);
        return phxi_fail(result, "%s; the state at t = %g s is in '%s'", message, phx_world_time(r->world), path);
    }
    return phxi_fail(result, "%s; the state could not be saved: %s", message, phx_error_message());
}

static phx_result start(run* r) {
    const phx_run_def* def = r->def;
    phx_world_def world_def = phx_world_def_default();
    world_def.threads = def->threads;
    world_def.log = def->log;
    PHXI_TRY(phx_scene_build(def->scene, &world_def, &r->world));
    PHXI_TRY(phxi_make_folder(def->folder));
    PHXI_TRY(phxi_folder_lock(def->folder, &r->lock));
    r->checkpoint = phxi_path_join(r->heap, def->folder, "checkpoint.phx");
    if (!r->checkpoint) {
        return PHX_ERROR_MEMORY;
    }
    char fps[32];
    phxi_format_double(def->scene->run.fps, fps);
    snprintf(r->bound, sizeof r->bound, "run.fps: %s\n", fps); // frames are numbered by it
    if (def->resume) {
        PHXI_TRY(phxi_checkpoint_load(r->world, r->checkpoint, r->bound));
    }
    r->substeps_before = phx_world_substeps(r->world);
    r->outputs = (phxi_outputs){.heap = r->heap, .scene = def->scene, .world = r->world, .folder = def->folder};
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(r->world, &info));
    PHXI_TRY(phxi_outputs_check(&r->outputs));
    phxi_run_folder_sweep(def->folder);
    PHXI_TRY(def->resume ? PHX_OK : phxi_run_folder_begin(def->folder, &def->log));
    PHXI_TRY(phxi_look_save(r->heap, def->scene, r->world, def->folder));
    PHXI_TRY(phxi_outputs_open(&r->outputs, def->resume));
    memcpy(r->summary->dt_reason, info.reason, sizeof info.reason);
    phxi_run_methods(r->world, r->summary->methods, sizeof r->summary->methods);
    phxi_log(&def->log, PHX_LOG_INFO, "%s", r->summary->methods);
    phxi_run_softened(r->world, r->summary->softened, sizeof r->summary->softened);
    if (r->summary->softened[0]) {
        phxi_log(&def->log, PHX_LOG_INFO, "%s", r->summary->softened);
    }
    phxi_log(&def->log, PHX_LOG_INFO, "%d particles in %d bodies, dt %.3g s, %s", phx_world_particles(r->world).count,
             phx_world_body_count(r->world), info.dt, info.reason);
    r->began = r->last_checkpoint = now();
    bool frame = false;
    return def->resume ? phxi_outputs_catch_up(&r->outputs) : phxi_outputs_write(&r->outputs, &frame);
}

static phx_result run_all(run* r) {
    PHXI_TRY(start(r));
    PHXI_TRY(phx_world_measure(r->world, &r->summary->first));
    phx_result result = PHX_OK;
    if (!report_progress(r, true)) {
        r->summary->cancelled = true;
    } else if (r->def->scene->run.statics && phx_world_time(r->world) == 0) {
        result = find_equilibrium(r);
    }
    if (result == PHX_OK && !r->summary->cancelled) {
        result = advance(r);
    }
    if (result == PHX_ERROR_UNSTABLE) {
        return write_last_good(r, result);
    }
    if (result == PHX_OK) {
        r->last_look = 0;
        result = check_folder(r);
    }
    if (result == PHX_OK) {
        result = save_checkpoint(r);
    }
    if (result == PHX_ERROR_IO) {
        return rescue(r, result);
    }
    PHXI_TRY(result);
    return r->summary->cancelled
               ? phxi_fail(PHX_ERROR_CANCELLED, "stopped at t = %g s of %g s, with a checkpoint in '%s'",
                           phx_world_time(r->world), r->def->scene->run.duration, r->def->folder)
               : PHX_OK;
}

// What is known, also of a run that failed.
static void summarize(run* r) {
    phx_run_summary* s = r->summary;
    if (!r->world) {
        return;
    }
    s->substeps = phx_world_substeps(r->world) - r->substeps_before;
    s->particles = phx_world_particles(r->world).count;
    s->bodies = phx_world_body_count(r->world);
    s->frames = r->outputs.frames;
    s->threads = phx_world_threads(r->world);
    s->simulated = phx_world_time(r->world);
    s->dt_min = s->dt_min <= s->dt_max ? s->dt_min : 0;
    (void)phx_world_measure(r->world, &s->last);
    if (r->outputs.pvd) {
        snprintf(s->frames_file, sizeof s->frames_file, "%s", r->outputs.pvd);
    }
}

phx_result phx_run(const phx_run_def* def, phx_run_summary* summary) {
    if (!def || def->stamp != RUN_STAMP || !def->scene || !def->folder) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "phx_run needs a definition made by phx_run_def_default, with a scene and a folder");
    }
    phx_run_summary own;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    run r = {.def = def, .summary = summary ? summary : &own, .heap = &heap, .lock = -1};
    *r.summary = (phx_run_summary){.dt_min = INFINITY};
    phx_result result = run_all(&r);
    summarize(&r);
    phxi_outputs_close(&r.outputs);
    phxi_folder_unlock(r.lock);
    phx_world_destroy(r.world);
    phxi_heap_destroy(&heap);
    return result;
}
