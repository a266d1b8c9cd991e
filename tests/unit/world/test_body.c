// SPDX-License-Identifier: MIT
// Bodies: what comes of a definition, and that a refused one leaves no trace.
#include "support/points.h"

static phx_world* new_world(const phx_allocator* allocator) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    def.threads = 1;
    if (allocator) {
        def.allocator = *allocator;
    }
    return phxt_world(&def, &material);
}

TEST(particles_are_what_was_asked_for) {
    phx_world* world = new_world(NULL);
    REQUIRE(world);
    phx_body_id body, second;
    REQUIRE_OK(phxt_body(world, "cube", "box(size=(1,1,1))", 0.1, NULL, &body));
    REQUIRE_OK(phxt_body(world, "ball", "sphere(center=(3,0,0), radius=0.5)", 0.1, NULL, &second));
    int begin, count;
    REQUIRE_OK(phx_body_range(world, body, &begin, &count));
    ENSURE(begin == 0 && count == 1000);
    REQUIRE_OK(phx_body_range(world, second, &begin, &count));
    ENSURE(begin == 1000 && count > 400);
    ENSURE(phx_world_body_count(world) == 2);
    ENSURE(strcmp(phx_world_body_name(world, 1), "ball") == 0);
    ENSURE(strcmp(phx_world_body_method(world, 1), "points") == 0);

    const phxi_particles* p = &world->particles;
    double volume = 0, mass = 0;
    for (int i = 0; i < p->count; ++i) {
        ENSURE(p->body[i] == (i >= 1000));
        ENSURE(p->x[i] == p->rest_x[i] && p->y[i] == p->rest_y[i] && p->z[i] == p->rest_z[i]);
        ENSURE(p->vx[i] == 0 && p->spacing[i] > 0 && p->id[i] == p->id[0] + (uint64_t)i);
        volume += i < 1000 ? (double)p->volume[i] : 0;
        mass += i < 1000 ? (double)p->mass[i] : 0;
    }
    ENSURE_NEAR(volume, 1, 1e-5);
    ENSURE_NEAR(mass, 1000, 1e-2);
    phx_world_destroy(world);
}

TEST(neighbours_lie_near_in_memory) {
    phx_world* world = new_world(NULL);
    REQUIRE(world);
    phx_body_id body;
    REQUIRE_OK(phxt_body(world, "cube", "box(size=(1.6,1.6,1.6))", 0.1, NULL, &body));
    const phxi_particles* p = &world->particles;
    double jumps = 0;
    for (int i = 1; i < p->count; ++i) {
        jumps += phxi_distance(phxi_vec3(p->x[i], p->y[i], p->z[i]), phxi_vec3(p->x[i - 1], p->y[i - 1], p->z[i - 1]));
    }
    ENSURE(jumps / p->count < 0.25); // mean step along the order, 0.1 at best
    phx_world_destroy(world);
}

TEST(velocity_and_spin) {
    phx_world* world = new_world(NULL);
    REQUIRE(world);
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    def.shape = "box(center=(5,1,0), size=(0.4,0.2,0.2))";
    def.spacing = 0.1;
    def.material = phx_world_material_id(world, 0);
    def.method = "points";
    def.velocity = (phx_vec3){1, 2, 3};
    def.angular_velocity = (phx_vec3){0, 0, 10};
    REQUIRE_OK(phx_body_create(world, &def, &body));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR(p->vx[i], 1 - 10 * (p->y[i] - 1), 1e-4);
        ENSURE_NEAR(p->vy[i], 2 + 10 * (p->x[i] - 5), 1e-4);
        ENSURE_NEAR(p->vz[i], 3, 1e-6);
    }
    phx_totals t;
    REQUIRE_OK(phx_body_measure(world, body, &t));
    ENSURE_NEAR(t.momentum.y, 2 * t.mass, 1e-4);
    REQUIRE_OK(phx_body_set_velocity(world, body, (phx_vec3){0, 0, -1}, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_body_measure(world, body, &t));
    ENSURE_NEAR(t.momentum.y, 0, 1e-9);
    ENSURE_NEAR(t.momentum.z, -t.mass, 1e-6);
    ENSURE_RESULT(phx_body_set_velocity(world, body, (phx_vec3){NAN, 0, 0}, (phx_vec3){0, 0, 0}), PHX_ERROR_ARGUMENT);
    phx_world_destroy(world);
}

typedef struct refusal {
    const char* message;
    phx_result result;
    void (*change)(phx_body_def* def);
} refusal;

static const phx_setting bad_name = {"sprung", "1"}, bad_value = {"spring", "-1"}, bad_text = {"spring", "stiff"};
static void no_stamp(phx_body_def* def) {
    def->stamp = 0;
}
static void no_spacing(phx_body_def* def) {
    def->spacing = 0;
}
static void nan_spacing(phx_body_def* def) {
    def->spacing = NAN;
}
static void no_shape(phx_body_def* def) {
    def->shape = NULL;
}
static void bad_shape(phx_body_def* def) {
    def->shape = "box(size=(1,1,1)";
}
static void too_coarse(phx_body_def* def) {
    def->spacing = 100;
}
static void same_name(phx_body_def* def) {
    def->name = "first";
}
static void long_name(phx_body_def* def) {
    def->name = "a name that is far too long to be shown in any message without making it hard to read";
}
static void name_with_path(phx_body_def* def) {
    def->name = "../first";
}
static void name_with_line_end(phx_body_def* def) {
    def->name = "first\n";
}
static void empty_name(phx_body_def* def) {
    def->name = "";
}
static void too_far_to_tell_apart(phx_body_def* def) {
    def->translate.y = 1e14;
}
static void too_many_levels(phx_body_def* def) {
    def->levels = 7;
}
static void no_material(phx_body_def* def) {
    def->material = (phx_material_id){0, 0};
}
static void far_away(phx_body_def* def) {
    def->translate.x = 1e300;
}
static void other_method(phx_body_def* def) {
    def->method = "pionts";
}
static void method_of_sand(phx_body_def* def) {
    def->method = "granular";
}
static void setting_name(phx_body_def* def) {
    def->settings = &bad_name;
    def->setting_count = 1;
}
static void setting_value(phx_body_def* def) {
    def->settings = &bad_value;
    def->setting_count = 1;
}
static void setting_text(phx_body_def* def) {
    def->settings = &bad_text;
    def->setting_count = 1;
}
static void setting_null(phx_body_def* def) {
    def->setting_count = 1;
}

TEST(refused_definitions_leave_no_trace) {
    static const refusal refusals[] = {
        {"make it with phx_body_def_default()", PHX_ERROR_ARGUMENT, no_stamp},
        {"body 'next': spacing must be given", PHX_ERROR_ARGUMENT, no_spacing},
        {"spacing", PHX_ERROR_ARGUMENT, nan_spacing},
        {"neither mesh nor shape", PHX_ERROR_ARGUMENT, no_shape},
        {"body 'next'", -1, bad_shape},
        {"body 'next'", -1, too_coarse},
        {"there is a body of this name already", PHX_ERROR_ARGUMENT, same_name},
        {"a body needs a name of 1 to 63 bytes", PHX_ERROR_ARGUMENT, long_name},
        {"a body needs a name of 1 to 63 bytes", PHX_ERROR_ARGUMENT, empty_name},
        {"byte 0x2f in the name of a body, expected no '/'", PHX_ERROR_ARGUMENT, name_with_path},
        {"byte 0x0a in the name of a body", PHX_ERROR_ARGUMENT, name_with_line_end},
        {"too coarse for a spacing of 0.1 m", PHX_ERROR_ARGUMENT, too_far_to_tell_apart},
        {"levels is 7, expected at most 6", PHX_ERROR_ARGUMENT, too_many_levels},
        {"material", PHX_ERROR_STALE_ID, no_material},
        {"body 'next'", -1, far_away},
        {"pionts", PHX_ERROR_ARGUMENT, other_method},
        {"method granular ignores elasticity of its material", PHX_ERROR_UNSUPPORTED, method_of_sand},
        {"did you mean 'spring'", PHX_ERROR_ARGUMENT, setting_name},
        {"spring is -1 N/m", PHX_ERROR_ARGUMENT, setting_value},
        {"stiff", PHX_ERROR_ARGUMENT, setting_text},
        {"1 settings at NULL", PHX_ERROR_ARGUMENT, setting_null},
    };
    phx_world* world = new_world(NULL);
    REQUIRE(world);
    phx_body_id body;
    REQUIRE_OK(phxt_body(world, "first", "box(size=(0.2,0.2,0.2))", 0.1, NULL, &body));
    uint64_t hash = phx_world_hash(world);
    size_t memory = phx_world_memory(world, NULL, NULL);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
        phx_body_def def = phx_body_def_default();
        def.name = "next";
        def.shape = "box(size=(0.2,0.2,0.2))";
        def.spacing = 0.1;
        def.material = phx_world_material_id(world, 0);
        def.method = "points";
        refusals[i].change(&def);
        phx_result result = phx_body_create(world, &def, &body);
        ENSURE(result != PHX_OK && ((int)refusals[i].result == -1 || result == refusals[i].result));
        ENSURE_MESSAGE(refusals[i].message);
        ENSURE(phx_world_hash(world) == hash && phx_world_body_count(world) == 1);
    }
    // arrays may keep room for one more, nothing else stays
    ENSURE(phx_world_memory(world, NULL, NULL) < memory + 20000);
    ENSURE_OK(phx_world_step(world, 0.1));
    phx_world_destroy(world);
}

// A cube of 0.3 m as triangles: quicker to sample again and again than a shape, whose volume is integrated.
static phx_mesh* cube_mesh(void) {
    static const int triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = i & 1 ? 0.15 : -0.15;
        positions[3 * i + 1] = i & 2 ? 0.15 : -0.15;
        positions[3 * i + 2] = i & 4 ? 0.15 : -0.15;
    }
    phx_mesh* mesh = NULL;
    ENSURE_OK(phx_mesh_create(8, positions, 12, triangles, &mesh));
    return mesh;
}

static phx_result add_cube(phx_world* world, const char* name, const phx_mesh* mesh) {
    static const phx_setting settings[] = {{"spring", "10"}, {"note", "kept by the body"}};
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    def.name = name;
    def.mesh = mesh;
    def.spacing = 0.1;
    def.material = phx_world_material_id(world, 0);
    def.method = "points";
    def.settings = settings;
    def.setting_count = 2;
    return phx_body_create(world, &def, &body);
}

// Whatever allocation fails, the world is as before, still works, and in the end nothing is left.
static void fail_every_allocation(bool first_of_its_method) {
    int64_t needed = -1;
    phx_mesh* mesh = cube_mesh();
    for (int64_t n = 0; needed < 0; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        phx_world_def def = phx_world_def_default();
        def.threads = 1;
        def.allocator = heap.allocator;
        phx_material_id material;
        phx_material_def stuff = phx_material_def_default();
        phx_world* world = NULL;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phx_material_create(world, &stuff, &material));
        if (!first_of_its_method) {
            REQUIRE_OK(phxi_world_add_solver(world, &phxt_points));
            REQUIRE_OK(add_cube(world, "first", mesh));
        }
        uint64_t hash = phx_world_hash(world), plan = phxi_world_plan(world);
        int fields = world->particles.field_count;
        int64_t live = heap.live;
        heap.fail_at = heap.allocations + n;
        phx_result result =
            first_of_its_method ? phxi_world_add_solver(world, &phxt_points) : add_cube(world, "second", mesh);
        heap.fail_at = -1;
        if (result == PHX_OK) {
            needed = n;
        } else {
            ENSURE_RESULT(result, PHX_ERROR_MEMORY);
            ENSURE(phx_world_hash(world) == hash && phxi_world_plan(world) == plan);
            ENSURE(world->particles.field_count == fields);
            ENSURE(heap.live <= live + 8); // lists that have grown may keep their memory
            ENSURE_OK(phx_world_step(world, 0.01));
        }
        phx_world_destroy(world);
        ENSURE(heap.live == 0);
        REQUIRE(n < 1000);
    }
    ENSURE(needed > 3);
    phx_mesh_destroy(mesh);
}

TEST(every_failing_allocation_leaves_the_world_unchanged) {
    fail_every_allocation(false);
}

TEST(every_failing_allocation_of_a_new_solver_is_undone) {
    fail_every_allocation(true);
}

static void count_thin(void* context, phx_log_level level, const char* line) {
    *(int*)context += level == PHX_LOG_WARNING && strstr(line, "spacings thick") != NULL;
}

/// Solids of two layers are warned of, those of three and sheets of one are not.
TEST(thin_bodies_are_warned_of) {
    static const char* const shapes[] = {"box(size=(1,0.2,0.2))", "box(size=(1,0.3,0.3))", "box(size=(1,0.5,0.1))"};
    for (int k = 0; k < 3; ++k) {
        int warnings = 0;
        phx_world_def def = phx_world_def_default();
        def.log = (phx_log){count_thin, &warnings};
        phx_world* world = NULL;
        phx_material_def md = phx_material_def_default();
        phx_body_def bd = phx_body_def_default();
        phx_body_id body;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phx_material_create(world, &md, &bd.material));
        bd.shape = shapes[k], bd.spacing = 0.1, bd.sampling = PHX_SAMPLING_CONFORMING, bd.method = "efg";
        REQUIRE_OK(phx_body_create(world, &bd, &body));
        ENSURE(warnings == (k == 0));
        phx_world_destroy(world);
    }
}
