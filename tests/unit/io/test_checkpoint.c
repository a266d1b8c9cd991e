// SPDX-License-Identifier: MIT
// Checkpoints: the state comes back bit for bit and goes on so; anything else is refused and changes nothing.
#include "support/test.h"
#include "unit/io/small_scene.h"

#include "io/chunk.h"
#include "world/world.h"

#include <signal.h>
#include <sys/resource.h>

static void substeps(phx_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        phx_dt_info info;
        REQUIRE_OK(phx_world_dt(world, &info));
        REQUIRE_OK(phx_world_substep(world, info.dt));
    }
}

TEST(resume_gives_the_same_bits) {
    phx_world *straight = small_world(NULL), *first = small_world(NULL), *second = small_world(NULL);
    REQUIRE(straight && first && second);
    substeps(straight, 500);
    substeps(first, 200);
    const char* path = phxt_path("a.phx");
    REQUIRE_OK(phx_checkpoint_save(first, path));
    REQUIRE_OK(phx_checkpoint_load(second, path));
    ENSURE(phx_world_hash(first) == phx_world_hash(second) && phx_world_time(first) == phx_world_time(second));
    ENSURE(phx_world_substeps(second) == 200);
    substeps(second, 300);
    ENSURE(phx_world_hash(straight) == phx_world_hash(second));
    ENSURE(phx_world_time(straight) == phx_world_time(second));
    // all windows of the drivers have opened and one has closed by then
    ENSURE(phx_world_time(straight) > 0.07);
    // a world that is elsewhere goes back as well
    REQUIRE_OK(phx_checkpoint_load(second, path));
    ENSURE(phx_world_hash(first) == phx_world_hash(second));
    phx_world_destroy(straight);
    phx_world_destroy(first);
    phx_world_destroy(second);
}

typedef struct refusal {
    phx_world* world;
    uint64_t hash;
    char* bytes;
    size_t size;
} refusal;

static bool begin(refusal* r) {
    *r = (refusal){.world = small_world(NULL)};
    phx_world* other = small_world(NULL);
    if (!r->world || !other) {
        return false;
    }
    substeps(other, 20);
    ENSURE_OK(phx_checkpoint_save(other, phxt_path("a.phx")));
    phx_world_destroy(other);
    r->bytes = phxt_read(phxt_path("a.phx"), &r->size);
    substeps(r->world, 3);
    r->hash = phx_world_hash(r->world);
    return r->bytes != NULL;
}

static void refuse(const refusal* r, size_t size) {
    const char* path = phxt_path("b.phx");
    remove(
        path); // a file that is truncated and rewritten is flushed to the disk by some file systems, which takes long
    phxt_write(path, r->bytes, size);
    ENSURE_RESULT(phx_checkpoint_load(r->world, path), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("b.phx: ");
    ENSURE(phx_world_hash(r->world) == r->hash);
}

static void finish(refusal* r) {
    ENSURE_OK(phx_checkpoint_load(r->world, phxt_path("a.phx"))); // it was the bytes
    ENSURE(phx_world_hash(r->world) != r->hash);
    phx_world_destroy(r->world);
    free(r->bytes);
}

TEST(every_length_is_refused) {
    refusal r;
    REQUIRE(begin(&r));
    for (size_t size = 0; size < r.size; size += size < 400 ? 1 : 3) {
        refuse(&r, size);
    }
    finish(&r);
}

TEST(every_third_byte_is_refused) {
    refusal r;
    REQUIRE(begin(&r));
    for (size_t i = 0; i < r.size; i += 3) {
        r.bytes[i] ^= (char)(1 << (i / 3 % 8));
        refuse(&r, r.size);
        r.bytes[i] ^= (char)(1 << (i / 3 % 8));
    }
    finish(&r);
}

TEST(other_worlds_are_refused) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("a.phx")));
    static const char* const changes[][2] = {
        {"bodies.ball.spacing=0.04", "bodies.ball.spacing: checkpoint 0.05, now 0.04; bodies.ball.particles: "},
        {"materials.soft.young=2e4", "materials.soft.young: checkpoint 10000, now 20000"},
        {"bodies.block.efg.hourglass=0.05", "bodies.block.hourglass: checkpoint "},
        {"bodies.ball.velocity=[0, 2, 0]", "bodies.ball.velocity: checkpoint 0 1 0, now 0 2 0"},
        {"bodies.block.rotate=[0, 0, 90]", "bodies.block.rotate: checkpoint 0 0 0, now 0 0 90"},
        {"bodies.block.shape=box(center=(0, 0, 0.2), size=(0.4, 0.4, 0.05))",
         "bodies.block.shape: checkpoint box(center=(0, 0, 0.12), size=(0.2, 0.2, 0.2)), now box("},
        {"bodies.ball.contact=false", "bodies.ball.contact: checkpoint true, now false"},
        {"world.gravity=[0, 0, -1]", "world.gravity: checkpoint 0 0 -9.81, now 0 0 -1"},
        {"colliders.floor.friction=0.5", "colliders.floor.friction: checkpoint 0.3, now 0.5"},
        {"drivers.push.vector=[0, 0.2, 0]", "drivers.push.vector: checkpoint 0 0.1 0, now 0 0.2 0"},
        {"probes.all.every=0.02", "probes.all.every: checkpoint 0.01, now 0.02"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        const char* settings[] = {changes[i][0], NULL};
        phx_world* other = small_world(settings);
        REQUIRE(other);
        uint64_t hash = phx_world_hash(other);
        ENSURE_RESULT(phx_checkpoint_load(other, phxt_path("a.phx")), PHX_ERROR_FORMAT);
        ENSURE_MESSAGE("a.phx: the checkpoint is of another world: ");
        ENSURE_MESSAGE(changes[i][1]);
        ENSURE(phx_world_hash(other) == hash);
        phx_world_destroy(other);
    }
    phx_world_destroy(world);
}

static phx_world* made_in_c(double speed, int probes) {
    phx_world_def def = phx_world_def_default();
    phx_material_def stuff = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_world* world = NULL;
    phx_body_id id;
    ENSURE_OK(phx_world_create(&def, &world));
    ENSURE_OK(phx_material_create(world, &stuff, &body.material));
    body.shape = "box(size=(1, 1, 1))";
    body.spacing = 0.5;
    body.velocity.z = speed;
    ENSURE_OK(phx_body_create(world, &body, &id));
    for (int i = 0; i < probes; ++i) {
        phx_probe_def probe = phx_probe_def_default();
        phx_probe_id probe_id;
        ENSURE_OK(phx_probe_create(world, &probe, &probe_id));
    }
    return world;
}

TEST(worlds_made_in_c_are_bound_too) {
    phx_world *a = made_in_c(1, 1), *faster = made_in_c(2, 1), *blind = made_in_c(1, 0), *same = made_in_c(1, 1);
    const char* path = phxt_path("a.phx");
    REQUIRE_OK(phx_checkpoint_save(a, path));
    ENSURE_RESULT(phx_checkpoint_load(faster, path), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("bodies.body.velocity: checkpoint 0 0 1, now 0 0 2");
    ENSURE_RESULT(phx_checkpoint_load(blind, path), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("probes.probe.name is only in the checkpoint");
    REQUIRE_OK(phx_checkpoint_save(blind, path));
    ENSURE_RESULT(phx_checkpoint_load(a, path), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("probes.probe.name is only in what it is loaded into");
    REQUIRE_OK(phx_checkpoint_save(a, path));
    ENSURE_OK(phx_checkpoint_load(same, path));
    phx_world_destroy(a);
    phx_world_destroy(faster);
    phx_world_destroy(blind);
    phx_world_destroy(same);
}

// A file that is sound as a container and wrong as a state.
static void refuse_made(phx_world* world, phxi_chunk_head head, const char* message) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_chunk_writer writer;
    REQUIRE_OK(phxi_chunks_begin(&writer, &heap, phxt_path("m.phx"), &head));
    REQUIRE_OK(phxi_chunks_add(&writer, "field id", "12345678", 8, 8));
    REQUIRE_OK(phxi_chunks_commit(&writer));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("m.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE(message);
    phxi_heap_destroy(&heap);
}

TEST(version_precision_and_contents) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    uint64_t hash = phx_world_hash(world);
    phxi_chunk_head head = {4, sizeof(phx_real)};
    phxi_chunk_head version = head, precision = head;
    version.version = 1;
    precision.real_size = 12 - head.real_size;
    refuse_made(world, version, "format version 1, expected 4");
    refuse_made(world, precision,
                sizeof(phx_real) == 4 ? "numbers of 8 bytes, this build has 4" : "numbers of 4 bytes");
    refuse_made(world, head, "expected 'definition'");
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}

TEST(values_are_checked) {
    // the same world, but one that went wrong before it was saved
    phx_world *world = small_world(NULL), *broken = small_world(NULL);
    REQUIRE(world && broken);
    uint64_t hash = phx_world_hash(world);
    broken->particles.x[3] = (phx_real)NAN;
    REQUIRE_OK(phx_checkpoint_save(broken, phxt_path("a.phx")));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("a.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("'field x' of particle 3 is not finite");
    broken->particles.x[3] = 0;
    int low = 0; // of the bottom layer, which no driver holds
    broken->particles.body[low] = 7;
    REQUIRE_OK(phx_checkpoint_save(broken, phxt_path("a.phx")));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("a.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("'field body' is of another world");
    broken->particles.body[low] = world->particles.body[low];
    broken->time = -1;
    REQUIRE_OK(phx_checkpoint_save(broken, phxt_path("a.phx")));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("a.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("'state time' is -1, expected");
    broken->time = 0;
    broken->last_dt = (double)NAN;
    REQUIRE_OK(phx_checkpoint_save(broken, phxt_path("a.phx")));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("a.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("'state last dt' is ");
    broken->last_dt = 0;
    broken->substeps = INT64_MAX; // one more would overflow
    REQUIRE_OK(phx_checkpoint_save(broken, phxt_path("a.phx")));
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("a.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("'state substeps' is 9223372036854775807, expected 0 to ");
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
    phx_world_destroy(broken);
}

TEST(files) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("none.phx")), PHX_ERROR_IO);
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_scratch()), PHX_ERROR_IO);
    ENSURE_RESULT(phx_checkpoint_save(world, phxt_path("no/folder.phx")), PHX_ERROR_IO);
    ENSURE_RESULT(phx_checkpoint_save(NULL, "a"), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_checkpoint_load(NULL, "a"), PHX_ERROR_ARGUMENT);
    phxt_write(phxt_path("text.phx"), "hello world", 11);
    ENSURE_RESULT(phx_checkpoint_load(world, phxt_path("text.phx")), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("not a checkpoint of phyxel");
    phx_world_destroy(world);
}

TEST(full_disk_keeps_the_old_one) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("a.phx")));
    uint64_t hash = phx_world_hash(world);
    substeps(world, 3);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1024;
    setrlimit(RLIMIT_FSIZE, &small);
    ENSURE_RESULT(phx_checkpoint_save(world, phxt_path("a.phx")), PHX_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    ENSURE_MESSAGE("a.phx");
    ENSURE_MESSAGE("File too large");
    REQUIRE_OK(phx_checkpoint_load(world, phxt_path("a.phx")));
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}

TEST(failing_allocation) {
    phx_scene* scene = small_scene(NULL);
    REQUIRE(scene);
    phxt_heap memory;
    phxt_heap_init(&memory, -1);
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.allocator = memory.allocator;
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_build(scene, &def, &world));
    const char* path = phxt_path("a.phx");
    REQUIRE_OK(phx_checkpoint_save(world, path));
    REQUIRE_OK(phx_checkpoint_load(world, path)); // the world keeps the room it needs for going back
    uint64_t hash = phx_world_hash(world);
    for (int kind = 0; kind < 2; ++kind) {
        for (int n = 0;; ++n) {
            int64_t live = memory.live;
            memory.fail_at = memory.allocations + n;
            phx_result result = kind ? phx_checkpoint_load(world, path) : phx_checkpoint_save(world, path);
            memory.fail_at = -1;
            ENSURE(memory.live == live);
            ENSURE(phx_world_hash(world) == hash);
            if (result == PHX_OK) {
                ENSURE(n > 2);
                break;
            }
            ENSURE(result == PHX_ERROR_MEMORY);
        }
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}

static void count_warnings(void* context, phx_log_level level, const char* line) {
    if (level == PHX_LOG_WARNING && strstr(line, "world.safety: checkpoint 0.9, now 0.5: from here on steps differ")) {
        ++*(int*)context;
    }
}

// Smaller steps are the way out of a run that blew up; threads do not matter.
TEST(steps_may_change_and_are_told) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("a.phx")));
    phx_scene* scene = small_scene((const char* const[]){"world.safety=0.5", "world.threads=3", NULL});
    phx_world_def def = phx_world_def_default();
    int warnings = 0;
    def.log = (phx_log){count_warnings, &warnings};
    phx_world* other = NULL;
    REQUIRE_OK(phx_scene_build(scene, &def, &other));
    ENSURE_OK(phx_checkpoint_load(other, phxt_path("a.phx")));
    ENSURE(warnings == 1 && phx_world_hash(other) == phx_world_hash(world));
    phx_world_destroy(other);
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}
