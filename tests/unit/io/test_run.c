// SPDX-License-Identifier: MIT
// Runs: what is written when, and that a stop anywhere leaves no trace in any file.
#include "support/test.h"
#include "unit/io/small_scene.h"

#include "core/file.h"
#include "io/scene.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static phx_run_def run_def(const phx_scene* scene, const char* folder) {
    phx_run_def def = phx_run_def_default();
    def.scene = scene;
    def.folder = folder;
    def.threads = 1;
    return def;
}

static bool exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static void ensure_same_file(const char* folder_a, const char* folder_b, const char* name) {
    char a[2048], b[2048];
    snprintf(a, sizeof a, "%s/%s", folder_a, name);
    snprintf(b, sizeof b, "%s/%s", folder_b, name);
    size_t size_a = 0, size_b = 0;
    char *bytes_a = phxt_read(a, &size_a), *bytes_b = phxt_read(b, &size_b);
    if (!bytes_a || !bytes_b || size_a != size_b || memcmp(bytes_a, bytes_b, size_a) != 0) {
        phxt_failed(__FILE__, __LINE__, "%s differs", name);
    }
    free(bytes_a);
    free(bytes_b);
}

static int line_count(const char* path) {
    char* bytes = phxt_read(path, NULL);
    int lines = 0;
    for (char* s = bytes; s && *s; ++s) {
        lines += *s == '\n';
    }
    free(bytes);
    return lines;
}

TEST(files_and_summary) {
    static const char* const settings[] = {"run.formats=[vtp, ply, obj]", NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("deep/out"));
    phx_run_summary summary;
    REQUIRE_OK(phx_run(&def, &summary));
    // 0, 0.04, 0.08 s; the run ends at 0.1 s
    ENSURE(summary.frames == 3 && summary.bodies == 2 && summary.particles > 64 && summary.threads == 1);
    ENSURE_NEAR(summary.simulated, 0.1, 1e-12);
    ENSURE(summary.substeps > 0 && summary.dt_min > 0 && summary.dt_min <= summary.dt_max && summary.dt_reason[0]);
    ENSURE(!summary.cancelled && summary.first.count == summary.last.count);
    ENSURE(strstr(summary.frames_file, "deep/out/frames.pvd") && strstr(summary.checkpoint, "deep/out/checkpoint.phx"));
    static const char* const files[] = {"frames/frame_00000.vtp", "frames/frame_00001.ply", "frames/frame_00002.obj",
                                        "probes/all.csv", "checkpoint.phx"};
    for (int i = 0; i < 5; ++i) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", def.folder, files[i]);
        ENSURE(exists(path));
    }
    ENSURE(!exists(phxt_path("deep/out/frames/frame_00003.vtp")));
    char* pvd = phxt_read(phxt_path("deep/out/frames.pvd"), NULL);
    ENSURE(pvd && strstr(pvd, "<DataSet timestep=\"0.04\" part=\"0\" file=\"frames/frame_00001.vtp\"/>") &&
           strstr(pvd, "timestep=\"0.08\" part=\"0\" file=\"frames/frame_00002.vtp\"") && !strstr(pvd, "frame_00003"));
    free(pvd);
    phx_scene_destroy(scene);
}

TEST(probe_lines) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("probe-out"));
    REQUIRE_OK(phx_run(&def, NULL));
    char* bytes = phxt_read(phxt_path("probe-out/probes/all.csv"), NULL);
    REQUIRE(bytes);
    ENSURE(strncmp(bytes, "time[s],dt[s],kinetic[J],elastic[J],potential[J],contact[J],work[J],px[kg m/s],", 75) == 0);
    int line_number = 0;
    char* rest = NULL;
    for (char* line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), ++line_number) {
        int columns = 1;
        for (char* s = line; *s; ++s) {
            columns += *s == ',';
        }
        ENSURE(columns == 46);
        if (line_number > 0) {
            // exact multiples, as short as they can be written
            char wanted[16];
            snprintf(wanted, sizeof wanted, "%g,", 0.01 * (line_number - 1));
            if (strncmp(line, wanted, strlen(wanted)) != 0) {
                phxt_failed(__FILE__, __LINE__, "line %d is \"%.20s\", expected \"%s\"", line_number, line, wanted);
            }
        }
    }
    ENSURE(line_number == 12);
    free(bytes);
    ENSURE(line_count(phxt_path("probe-out/probes/ball.csv")) == 4); // at frames
    phx_scene_destroy(scene);
}

// Stops after so many calls.
typedef struct stopper {
    int calls, stop_at;
    phx_run_progress last;
} stopper;

static bool count_call(void* context, const phx_run_progress* progress) {
    stopper* s = context;
    s->last = *progress;
    return ++s->calls < s->stop_at;
}

TEST(resume_leaves_no_trace) {
    static const char* const settings[] = {"run.formats=[vtp, ply]", NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    char straight[1024], stopped[1024];
    snprintf(straight, sizeof straight, "%s", phxt_path("resume-straight"));
    snprintf(stopped, sizeof stopped, "%s", phxt_path("resume-stopped"));
    phx_run_def def = run_def(scene, straight);
    REQUIRE_OK(phx_run(&def, NULL));

    stopper s = {.stop_at = 2};
    def = run_def(scene, stopped);
    def.progress = count_call;
    def.context = &s;
    phx_run_summary summary;
    ENSURE_RESULT(phx_run(&def, &summary), PHX_ERROR_CANCELLED);
    ENSURE(summary.cancelled && summary.simulated < 0.1 && exists(summary.checkpoint));
    ENSURE(s.last.frames == 3 && s.last.duration == 0.1);
    // lines that a killed run had written after its checkpoint, and half of one
    FILE* csv = fopen(phxt_path("resume-stopped/probes/all.csv"), "ab");
    REQUIRE(csv);
    fputs("0.09,1,2,3\n0.1,1,2", csv);
    fclose(csv);
    def.resume = true;
    s = (stopper){.stop_at = 1 << 30};
    REQUIRE_OK(phx_run(&def, &summary));
    ENSURE(!summary.cancelled && summary.frames == 3 && summary.substeps > 0);
    static const char* const files[] = {"frames.pvd",
                                        "frames/frame_00000.vtp",
                                        "frames/frame_00001.vtp",
                                        "frames/frame_00002.vtp",
                                        "frames/frame_00002.ply",
                                        "probes/all.csv",
                                        "probes/ball.csv",
                                        "checkpoint.phx"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        ensure_same_file(straight, stopped, files[i]);
    }
    // nothing is left to do, and nothing is done
    REQUIRE_OK(phx_run(&def, &summary));
    ENSURE(summary.substeps == 0);
    ensure_same_file(straight, stopped, "probes/all.csv");
    // with a longer duration it goes on
    static const char* const longer[] = {"run.duration=0.12", "run.formats=[vtp, ply]", NULL};
    phx_scene* more = small_scene(longer);
    REQUIRE(more);
    def.scene = more;
    REQUIRE_OK(phx_run(&def, &summary));
    ENSURE(summary.frames == 4 && exists(phxt_path("resume-stopped/frames/frame_00003.vtp")));
    phx_scene_destroy(more);
    phx_scene_destroy(scene);
}

TEST(stop_in_the_middle_of_a_frame) {
    // more substeps between frames than a piece has, and a stop at every call
    static const char* const settings[] = {"run.fps=10", "probes.all.every=0.1", "world.dt=1e-4",
                                           "probes.ball.every=0.05", NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    char straight[1024], stopped[1024];
    snprintf(straight, sizeof straight, "%s", phxt_path("stop-straight"));
    snprintf(stopped, sizeof stopped, "%s", phxt_path("stop-stopped"));
    phx_run_def def = run_def(scene, straight);
    REQUIRE_OK(phx_run(&def, NULL));
    def = run_def(scene, stopped);
    stopper s = {.stop_at = 1};
    def.progress = count_call;
    def.context = &s;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_CANCELLED);
    // the next runs stop at their first frame; the first call is at the start
    for (int i = 0; i < 100; ++i) {
        s = (stopper){.stop_at = 2};
        def.resume = true;
        phx_result result = phx_run(&def, NULL);
        if (result == PHX_OK) {
            break;
        }
        ENSURE(result == PHX_ERROR_CANCELLED);
    }
    ensure_same_file(straight, stopped, "checkpoint.phx");
    ensure_same_file(straight, stopped, "probes/ball.csv");
    phx_scene_destroy(scene);
}

TEST(checkpoints_by_the_clock) {
    static const char* const settings[] = {"run.checkpoint_every=1e-9", NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("checkpoints-out"));
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(exists(phxt_path("checkpoints-out/checkpoint.phx")));
    phx_scene_destroy(scene);
}

TEST(no_frames) {
    static const char* const settings[] = {"run.formats=[]", NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("no-out"));
    phx_run_summary summary;
    REQUIRE_OK(phx_run(&def, &summary));
    ENSURE(!exists(phxt_path("no-out/frames")) && !exists(phxt_path("no-out/frames.pvd")) &&
           summary.frames_file[0] == 0);
    ENSURE(line_count(phxt_path("no-out/probes/ball.csv")) == 4);
    phx_scene_destroy(scene);
}

TEST(unstable_keeps_the_last_good_state) {
    static const char* const settings[] = {"materials.soft.young=1e7",
                                           "world.dt=0.1",
                                           "world.force_dt=true",
                                           "run.duration=500",
                                           "run.fps=1",
                                           "probes.all.every=1",
                                           NULL};
    phx_scene* scene = small_scene(settings);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("unstable-out"));
    phx_run_summary summary;
    ENSURE_RESULT(phx_run(&def, &summary), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("; the last good state, at t = ");
    ENSURE(exists(phxt_path("unstable-out/frames/last_good.vtp")) && exists(summary.checkpoint));
    // the state is finite, and the checkpoint can be loaded
    phx_world_def world_def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_build(scene, &world_def, &world));
    REQUIRE_OK(phx_checkpoint_load(world, summary.checkpoint));
    ENSURE(phx_world_time(world) == summary.simulated);
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}

TEST(mistakes) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("mistakes-out"));
    def.resume = true;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO); // there is no checkpoint
    ENSURE_MESSAGE("checkpoint.phx");
    phxt_write(phxt_path("mistakes-file"), "x", 1);
    def = run_def(scene, phxt_path("mistakes-file/out"));
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO);
    def = run_def(scene, phxt_path("mistakes-file"));
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO);
    def = run_def(NULL, "x");
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_ARGUMENT);
    def = run_def(scene, NULL);
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_ARGUMENT);
    def = run_def(scene, phxt_path("mistakes-out"));
    def.stamp = 0;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_run(NULL, NULL), PHX_ERROR_ARGUMENT);
    phx_scene_destroy(scene);
    // a field that no world has, in the file and on the command line
    static const char* const settings[] = {"run.fields=[velocty]", NULL};
    scene = small_scene(settings);
    REQUIRE(scene);
    def = run_def(scene, phxt_path("mistakes-out"));
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("--set run.fields: run.fields: unknown field 'velocty', did you mean 'velocity'?");
    phx_scene_destroy(scene);
}

TEST(one_run_to_a_folder) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("shared-out"));
    REQUIRE_OK(phxi_make_folder(def.folder));
    int lock = -1;
    REQUIRE_OK(phxi_folder_lock(def.folder, &lock));
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO);
    ENSURE_MESSAGE("another run");
    ENSURE(!exists(phxt_path("shared-out/probes")));
    phxi_folder_unlock(lock);
    ENSURE_OK(phx_run(&def, NULL));
    ENSURE_OK(phx_run(&def, NULL));
    phx_scene_destroy(scene);
}

TEST(substeps_without_end_are_refused) {
    static const char* const settings[][2] = {{"world.safety=1e-300", NULL}, {"world.dt=1e-100", NULL}};
    for (int i = 0; i < 2; ++i) {
        phx_scene* scene = small_scene(settings[i]);
        REQUIRE(scene);
        phx_run_def def = run_def(scene, phxt_path("endless-out"));
        ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_ARGUMENT);
        ENSURE_MESSAGE("0.1 s would take ");
        phx_scene_destroy(scene);
    }
}

TEST(resume_refuses_what_is_not_its_own) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("foreign-out"));
    REQUIRE_OK(phx_run(&def, NULL));
    // of a run with another material
    static const char* const softer[] = {"materials.soft.young=5e3", NULL};
    phx_scene* other = small_scene(softer);
    REQUIRE(other);
    def.scene = other;
    def.resume = true;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("another world: materials.soft.young: checkpoint 10000, now 5000");
    phx_scene_destroy(other);
    // whose frames are numbered otherwise
    static const char* const faster[] = {"run.fps=50", NULL};
    other = small_scene(faster);
    REQUIRE(other);
    def.scene = other;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("another world: run.fps: checkpoint 25, now 50");
    phx_scene_destroy(other);
    // of a run that went further than this one is to go: nothing is done, and no frame is counted that is not asked for
    static const char* const shorter[] = {"run.duration=0.05", NULL};
    other = small_scene(shorter);
    REQUIRE(other);
    def.scene = other;
    phx_run_summary summary;
    REQUIRE_OK(phx_run(&def, &summary));
    ENSURE(summary.substeps == 0 && summary.frames == 2 && summary.simulated > 0.09);
    phx_scene_destroy(other);
    // cut in the middle
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("foreign-out/checkpoint.phx"), &size);
    REQUIRE(bytes);
    phxt_write(phxt_path("foreign-out/checkpoint.phx"), bytes, size / 2);
    free(bytes);
    def.scene = scene;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("checkpoint.phx");
    phx_scene_destroy(scene);
}

TEST(full_disk_stops_with_a_message) {
    static const char* const no_mesh[] = {"bodies.*.draw=points", NULL}; // the first file that does not fit is a frame
    phx_scene* scene = small_scene(no_mesh);
    REQUIRE(scene);
    phx_run_def def = run_def(scene, phxt_path("full-out"));
    REQUIRE_OK(phx_run(&def, NULL));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 900; // the probes' first lines fit, frames do not
    setrlimit(RLIMIT_FSIZE, &small);
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    ENSURE_MESSAGE("frame_00000.vtp");
    // the old frames and their list stand
    ENSURE(exists(phxt_path("full-out/earlier-1/frames/frame_00000.vtp")) &&
           exists(phxt_path("full-out/earlier-1/frames.pvd")));
    // without frames it is a probe that meets the end of the disk
    static const char* const settings[] = {"run.formats=[]", NULL};
    phx_scene* plain = small_scene(settings);
    REQUIRE(plain);
    def = run_def(plain, phxt_path("full-out2"));
    setrlimit(RLIMIT_FSIZE, &small);
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    ENSURE_MESSAGE("all.csv");
    phx_scene_destroy(plain);
    phx_scene_destroy(scene);
}
