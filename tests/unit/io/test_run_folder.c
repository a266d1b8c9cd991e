// SPDX-License-Identifier: MIT
// The folder of a run: nothing of an earlier run is lost or mixed in, and a folder that goes away is noticed.
#include "support/test.h"
#include "unit/io/small_scene.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static phx_run_def run_def(const phx_scene* scene, const char* folder) {
    phx_run_def def = phx_run_def_default();
    def.scene = scene;
    def.folder = folder;
    def.threads = 1;
    return def;
}

static void keep_warning(void* context, phx_log_level level, const char* line) {
    if (level == PHX_LOG_WARNING) {
        snprintf(context, 1024, "%s", line);
    }
}

// The same text that many times.
static int count(const char* path, const char* text) {
    char* bytes = phxt_read(path, NULL);
    int found = 0;
    for (const char* at = bytes; at && (at = strstr(at, text)); ++at) {
        ++found;
    }
    free(bytes);
    return found;
}

TEST(a_new_run_moves_the_old_one_aside) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    char folder[512], warning[1024] = "";
    snprintf(folder, sizeof folder, "%s", phxt_path("again"));
    phx_run_def def = run_def(scene, folder);
    def.log = (phx_log){keep_warning, warning};
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(warning[0] == 0); // nothing was there
    phxt_write(phxt_path("again/notes.txt"), "mine", 4);
    phxt_write(phxt_path("again/frames/frame_00099.vtp"), "x", 1);
    static const char* const shorter[] = {"run.duration=0.05", NULL};
    phx_scene* other = small_scene(shorter);
    REQUIRE(other);
    def.scene = other;
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(strstr(warning, "an earlier run was in '") && strstr(warning, "again/earlier-1' (") &&
           strstr(warning, "checkpoint, from which --resume would have gone on"));
    ENSURE(exists(phxt_path("again/earlier-1/checkpoint.phx")) && exists(phxt_path("again/earlier-1/frames.pvd")) &&
           exists(phxt_path("again/earlier-1/frames/frame_00099.vtp")));
    ENSURE(exists(phxt_path("again/notes.txt")) && exists(phxt_path("again/frames/frame_00001.vtp")) &&
           !exists(phxt_path("again/frames/frame_00002.vtp")) && !exists(phxt_path("again/frames/frame_00099.vtp")));
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(exists(phxt_path("again/earlier-1/checkpoint.phx")) && exists(phxt_path("again/earlier-2/checkpoint.phx")));
    // a run that is refused moves nothing
    static const char* const wrong[] = {"run.fields=[velocty]", NULL};
    phx_scene* refused = small_scene(wrong);
    REQUIRE(refused);
    def.scene = refused;
    ENSURE_RESULT(phx_run(&def, NULL), PHX_ERROR_FORMAT);
    ENSURE(exists(phxt_path("again/checkpoint.phx")) && !exists(phxt_path("again/earlier-3")));
    // what is no run stays, whatever it is called
    mkdir(phxt_path("mine"), 0777);
    mkdir(phxt_path("mine/pictures"), 0777);
    def = run_def(other, phxt_path("mine"));
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(exists(phxt_path("mine/pictures")) && !exists(phxt_path("mine/earlier-1")));
    phx_scene_destroy(refused);
    phx_scene_destroy(other);
    phx_scene_destroy(scene);
}

TEST(a_resume_lists_only_what_is_there) {
    static const char* const points[] = {"run.formats=[ply]", NULL};
    phx_scene* scene = small_scene(points);
    REQUIRE(scene);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", phxt_path("list"));
    phx_run_def def = run_def(scene, folder);
    REQUIRE_OK(phx_run(&def, NULL));
    // other formats from here on, and a frame that somebody took away
    static const char* const both[] = {"run.formats=[vtp, ply]", "run.duration=0.2", NULL};
    phx_scene* longer = small_scene(both);
    REQUIRE(longer);
    def.scene = longer;
    def.resume = true;
    REQUIRE_OK(phx_run(&def, NULL)); // goes on from 0.1 s, frames 3 to 5 are left
    ENSURE(count(phxt_path("list/frames.pvd"), "<DataSet") == 3 &&
           count(phxt_path("list/frames.pvd"), "00003.vtp") == 1);
    remove(phxt_path("list/frames/frame_00004.vtp"));
    phxt_write(phxt_path("list/frames/frame_00006.vtp"), "x", 1); // later than the checkpoint: of a run that was killed
    phxt_write(phxt_path("list/frames/last_good.vtp"), "x", 1);
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(count(phxt_path("list/frames.pvd"), "<DataSet") == 2 && count(phxt_path("list/frames.pvd"), "00004") == 0);
    ENSURE(!exists(phxt_path("list/frames/frame_00006.vtp")) && !exists(phxt_path("list/frames/last_good.vtp")));
    // what could not be written before the run ended is written now
    remove(phxt_path("list/frames/frame_00005.vtp"));
    char* csv = phxt_read(phxt_path("list/probes/all.csv"), NULL);
    REQUIRE(csv);
    size_t length = strlen(csv) - 1;
    while (csv[length - 1] != '\n') {
        --length;
    }
    phxt_write(phxt_path("list/probes/all.csv"), csv, length);
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(exists(phxt_path("list/frames/frame_00005.vtp")) && count(phxt_path("list/frames.pvd"), "00005") == 1);
    char* again = phxt_read(phxt_path("list/probes/all.csv"), NULL);
    ENSURE(again && strcmp(csv, again) == 0);
    free(csv);
    free(again);
    phx_scene_destroy(longer);
    phx_scene_destroy(scene);
}

typedef struct mover {
    int calls;
    const char *folder, *to; // NULL: it is deleted
    bool replaced;           // something else of that name is there then
} mover;

static void delete_folder(const char* folder) {
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ENSURE(system(command) == 0);
}

static bool move_it(void* context, const phx_run_progress* progress) {
    mover* m = context;
    (void)progress;
    if (++m->calls == 2) {
        if (m->to) {
            ENSURE(rename(m->folder, m->to) == 0);
        } else {
            delete_folder(m->folder);
        }
        if (m->replaced) {
            char path[1024];
            mkdir(m->folder, 0777);
            snprintf(path, sizeof path, "%s/checkpoint.phx", m->folder);
            phxt_write(path, "of somebody else", 16);
        }
        nanosleep(&(struct timespec){.tv_nsec = 110000000}, NULL); // it is looked for ten times a second
    }
    return true;
}

// The state is saved, can be loaded, and stands at the time that the message gives.
static void ensure_saved(const phx_scene* scene, const phx_run_summary* summary) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_build(scene, &def, &world));
    ENSURE_OK(phx_checkpoint_load(world, summary->checkpoint));
    ENSURE(phx_world_time(world) == summary->simulated && summary->simulated > 0 && summary->simulated < 0.1);
    phx_world_destroy(world);
}

TEST(a_folder_that_goes_away_is_noticed) {
    static const char* const none[] = {"run.formats=[]", NULL}; // only open files: nobody else would notice
    phx_scene* scenes[2] = {small_scene(NULL), small_scene(none)};
    REQUIRE(scenes[0] && scenes[1]);
    for (int i = 0; i < 6; ++i) {
        char folder[512], to[512];
        snprintf(folder, sizeof folder, "%s-%d", phxt_path("gone"), i);
        snprintf(to, sizeof to, "%s-%d", phxt_path("there"), i);
        mover m = {0, folder, i / 2 == 0 ? to : NULL, i / 2 == 2};
        phx_run_def def = run_def(scenes[i % 2], folder);
        def.progress = move_it;
        def.context = &m;
        phx_run_summary summary;
        ENSURE_RESULT(phx_run(&def, &summary), PHX_ERROR_IO);
        ENSURE_MESSAGE("the state at t = ");
        ENSURE(strncmp(summary.checkpoint, m.to ? m.to : folder, strlen(m.to ? m.to : folder)) == 0);
        ensure_saved(scenes[i % 2], &summary);
        if (m.replaced) {
            ENSURE(count(phxt_path("gone-4/checkpoint.phx"), "of somebody else") == 1);
        }
    }
    phx_scene_destroy(scenes[0]);
    phx_scene_destroy(scenes[1]);
}

TEST(leftovers_of_dead_programs_go) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    char folder[512], dead[600], alive[600], other[600];
    snprintf(folder, sizeof folder, "%s", phxt_path("swept"));
    mkdir(folder, 0777);
    snprintf(dead, sizeof dead, "%s/frames", folder);
    mkdir(dead, 0777);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    snprintf(dead, sizeof dead, "%s/frames/frame_00001.vtp.%ld-7.tmp", folder, (long)child);
    snprintf(alive, sizeof alive, "%s/frames/frame_00001.vtp.%ld-7.tmp", folder, (long)getppid());
    snprintf(other, sizeof other, "%s/%ld.tmp", folder, (long)child);
    phxt_write(dead, "x", 1);
    phxt_write(alive, "x", 1);
    phxt_write(other, "x", 1);
    phx_run_def def = run_def(scene, folder);
    REQUIRE_OK(phx_run(&def, NULL));
    ENSURE(!exists(dead) && exists(other)); // that of the living one went with the frames it stood among
    ENSURE(exists(phxt_path("swept/frames/frame_00002.vtp")));
    phx_scene_destroy(scene);
}
