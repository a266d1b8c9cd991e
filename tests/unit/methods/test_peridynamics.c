// SPDX-License-Identifier: MIT
// Projective peridynamics: same bits at any thread count and after a checkpoint, steps without allocation, contact with
// floors and with bodies of its own and other methods, what it refuses. Numbers: phyxel validate peridynamics.
#include "methods/peridynamics/peri_internal.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

#define LOWER "box(center=(0,0,0.061),size=(0.12,0.12,0.12))"
#define UPPER "box(center=(0.01,0,0.19),size=(0.08,0.08,0.12))"

typedef struct body_def {
    const char *shape, *method;
    phx_setting settings[2];
    int setting_count;
} body_def;

static bool add(phx_world* world, const body_def* d, phx_body_id* id) {
    phx_material_def material = phx_material_def_default();
    material.young = 2e5, material.poisson = 0.3, material.density = 1000, material.damping = 5;
    phx_body_def body = phx_body_def_default();
    body.name = strcmp(d->shape, LOWER) == 0 ? "lower" : "upper";
    body.shape = d->shape;
    body.spacing = 0.02;
    body.method = d->method;
    body.settings = d->settings;
    body.setting_count = d->setting_count;
    return phx_material_create(world, &material, &body.material) == PHX_OK &&
           phx_body_create(world, &body, id) == PHX_OK;
}

/// On a floor, all falling.
static phx_world* pile(int threads, const body_def* bodies, int count) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    phx_world* world = NULL;
    phx_collider_def floor = phx_collider_def_default();
    floor.shape = "plane()";
    phx_collider_id collider;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_collider_create(world, &floor, &collider) == PHX_OK;
    for (int k = 0; k < count && good; ++k) {
        phx_body_id id;
        good = add(world, &bodies[k], &id);
    }
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static const body_def two[] = {{LOWER, "peridynamics", {{NULL, NULL}}, 0}, {UPPER, "peridynamics", {{NULL, NULL}}, 0}};

TEST(same_bits_at_any_thread_count) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world* world = pile(threads, two, 2);
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.1));
        ENSURE(threads == 1 || phx_world_hash(world) == hash);
        hash = phx_world_hash(world);
        phx_world_destroy(world);
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    static const char* const integrators[] = {"projective", "bdf2", "implicit_euler"};
    for (int k = 0; k < 3; ++k) {
        body_def pair[2];
        memcpy(pair, two, sizeof pair);
        for (int b = 0; b < 2; ++b) {
            pair[b].settings[0] = (phx_setting){"integrator", integrators[k]};
            pair[b].setting_count = 1;
        }
        phx_world *world = pile(2, pair, 2), *twin = pile(1, pair, 2);
        REQUIRE(world && twin);
        REQUIRE_OK(phx_world_step(world, 0.07));
        REQUIRE_OK(phx_checkpoint_save(world, phxt_path("peridynamics.phx")));
        REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("peridynamics.phx")));
        ENSURE(phx_world_hash(world) == phx_world_hash(twin));
        REQUIRE_OK(phx_world_step(world, 0.05));
        REQUIRE_OK(phx_world_step(twin, 0.05));
        ENSURE(phx_world_hash(world) == phx_world_hash(twin));
        phx_world_destroy(world);
        phx_world_destroy(twin);
    }
}

TEST(steps_allocate_nothing) {
    phx_world* world = pile(2, two, 2);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.1));
    int64_t before = world->heap.allocations;
    REQUIRE_OK(phx_world_step(world, 0.05));
    ENSURE(world->heap.allocations == before);
    phx_world_destroy(world);
}

static double lowest(const phx_world* world, int body) {
    const phxi_body* b = &world->bodies.items[body];
    double low = INFINITY;
    for (int i = b->begin; i < b->begin + b->count; ++i) {
        low = fmin(low, (double)world->particles.z[i]);
    }
    return low;
}

TEST(bodies_rest_on_floors_and_on_each_other) {
    static const struct {
        const char* method;
        phx_setting setting;
    } upper[] = {
        {"peridynamics", {NULL, NULL}}, {"efg", {"integrator", "bdf2"}}, {"efg", {"integrator", "velocity_verlet"}}};
    for (int k = 0; k < 3; ++k) {
        body_def pair[2];
        memcpy(pair, two, sizeof pair);
        pair[1].method = upper[k].method;
        pair[1].settings[0] = upper[k].setting;
        pair[1].setting_count = upper[k].setting.name != NULL;
        phx_world* world = pile(2, pair, 2);
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.5));
        // on the floor and on each other, less what weight presses in
        ENSURE_NEAR(lowest(world, 0), 0, 0.001);
        ENSURE_NEAR(lowest(world, 1), 0.12, 0.002);
        phx_world_destroy(world);
    }
}

TEST(all_solvers_hold_a_body_together) {
    static const char* const solvers[] = {"pcg", "jacobi", "chebyshev"};
    for (int k = 0; k < 3; ++k) {
        body_def one = {LOWER, "peridynamics", {{"solver", solvers[k]}, {"start", "flat"}}, 2};
        phx_world* world = pile(1, &one, 1);
        REQUIRE(world);
        world->def.gravity = phxi_vec3(0, 0, 0);
        REQUIRE_OK(phx_world_step(world, 1)); // half a second by pcg, the others take longer
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE(totals.min_det > 0.9);
        phx_world_destroy(world);
    }
}

TEST(bad_parameters_are_answered) {
    static const struct {
        phx_setting settings[2];
        const char* says;
    } bad[] = {{{{"integrator", "bdf2"}, {"model", "bond"}}, "expected projective"},
               {{{"integrator", "bdf2"}, {"solver", "jacobi"}}, "expected pcg"},
               {{{"horizon", "0.5"}, {"model", "state"}}, "horizon"},
               {{{"solver", "cg"}, {"model", "state"}}, "solver"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        body_def one = {LOWER, "peridynamics", {bad[k].settings[0], bad[k].settings[1]}, 2};
        phx_world* world = pile(1, NULL, 0);
        REQUIRE(world);
        phx_body_id id;
        ENSURE(!add(world, &one, &id));
        ENSURE(strstr(phx_error_message(), bad[k].says));
        ENSURE(world->bodies.count == 0);
        phx_world_destroy(world);
    }
}

TEST(bodies_that_step_otherwise_rest_on_each_other) {
    body_def mixed[2] = {two[0], {UPPER, "peridynamics", {{"integrator", "bdf2"}}, 1}};
    phx_world* world = pile(1, mixed, 2);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 2));
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.max_speed < 0.02);
    ENSURE_NEAR(lowest(world, 1), 0.12, 0.002); // on the other
    phx_world_destroy(world);
}

#define SHEET "box(center=(0,0,0.16),size=(0.3,0.3,0.02))"
#define ROPE  "box(center=(0,0,0.16),size=(0.4,0.02,0.02))"

/// A sheet or rope that falls on a block.
static phx_world* drape(int threads, const char* shape) {
    const body_def pair[] = {{LOWER, "peridynamics", {{NULL, NULL}}, 0},
                             {shape, "peridynamics", {{"thickness", "0.002"}, {"start", "rest"}}, 2}};
    return pile(threads, pair, 2);
}

TEST(sheets_and_ropes_drape_over_blocks) {
    static const char* const shapes[] = {SHEET, ROPE};
    for (int k = 0; k < 2; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 2; ++threads) {
            phx_world* world = drape(threads, shapes[k]);
            REQUIRE(world);
            const phxi_body* body = &world->bodies.items[1];
            double mass = 0;
            for (int i = body->begin; i < body->begin + body->count; ++i) {
                mass += (double)world->particles.mass[i];
            }
            ENSURE_NEAR(mass, 1000 * (k == 0 ? 0.3 * 0.3 * 0.002 : 0.4 * 0.002 * 0.002), 1e-4 * mass);
            REQUIRE_OK(phx_world_step(world, 0.5));
            double high = 0;
            for (int i = body->begin; i < body->begin + body->count; ++i) {
                high = fmax(high, (double)world->particles.z[i]);
            }
            ENSURE_NEAR(high, 0.131, 0.02);  // its middle lies on the block,
            ENSURE(lowest(world, 1) < 0.09); // its ends hang down
            phx_totals totals;
            REQUIRE_OK(phx_world_measure(world, &totals));
            ENSURE(totals.elastic > 0 && isfinite(totals.elastic));
            ENSURE(threads == 1 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            phx_world_destroy(world);
        }
    }
}

TEST(a_checkpoint_of_a_sheet_goes_on_bit_for_bit) {
    phx_world *world = drape(2, SHEET), *twin = drape(1, SHEET);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.2));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("sheet.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("sheet.phx")));
    REQUIRE_OK(phx_world_step(world, 0.1));
    REQUIRE_OK(phx_world_step(twin, 0.1));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(sections_are_for_thin_bodies) {
    static const struct {
        const char* shape;
        phx_setting setting;
        const char* says;
    } bad[] = {{LOWER, {"thickness", "0.01"}, "more than one layer"},
               {LOWER, {"radius", "0.01"}, "more than one layer"},
               {SHEET, {"radius", "0.01"}, "a sheet"},
               {ROPE, {"integrator", "bdf2"}, "a sheet or rod"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        body_def one = {bad[k].shape, "peridynamics", {bad[k].setting}, 1};
        phx_world* world = pile(1, NULL, 0);
        REQUIRE(world);
        phx_body_id id;
        ENSURE(!add(world, &one, &id));
        ENSURE(strstr(phx_error_message(), bad[k].says));
        ENSURE(world->bodies.count == 0 && world->particles.count == 0);
        phx_world_destroy(world);
    }
}

/// A hoop of wire, upright, falling on the floor.
static phx_world* hoop(int threads) {
    enum { COUNT = 40 };
    phx_world* world = pile(threads, NULL, 0);
    double at[COUNT][3];
    int faces[COUNT][3];
    for (int k = 0; k < COUNT; ++k) {
        double angle = 2 * 3.14159265358979323846 * k / COUNT,
               radius = 0.02 / (2 * sin(3.14159265358979323846 / COUNT));
        at[k][0] = radius * sin(angle), at[k][1] = 0, at[k][2] = 0.15 - radius * cos(angle);
        faces[k][0] = k, faces[k][1] = (k + 1) % COUNT, faces[k][2] = (k + 2) % COUNT;
    }
    phx_mesh* mesh = NULL;
    phx_material_def wire = phx_material_def_default();
    wire.young = 5e7;
    const phx_setting radius = {"radius", "0.005"};
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    bool good = phx_mesh_create(COUNT, at[0], COUNT, faces[0], &mesh) == PHX_OK &&
                phx_material_create(world, &wire, &body.material) == PHX_OK;
    body.mesh = mesh;
    body.sampling = PHX_SAMPLING_POINTS;
    body.spacing = 0.02;
    body.method = "peridynamics";
    body.settings = &radius;
    body.setting_count = 1;
    good = good && phx_body_create(world, &body, &id) == PHX_OK;
    phx_mesh_destroy(mesh);
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(a_hoop_is_round_at_rest_and_the_same_at_any_thread_count) {
    phx_world *world = hoop(2), *twin = hoop(1);
    REQUIRE(world && twin);
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    double energy = 40 * 1000 * 0.02 * 3.14 * 0.005 * 0.005 * 9.81 * 0.15; // of its weight, J
    ENSURE(totals.elastic < 1e-9 * energy);
    REQUIRE_OK(phx_world_step(world, 0.15));
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.elastic > 1e-3 * energy && totals.elastic < energy); // it has touched down
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("hoop.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("hoop.phx")));
    REQUIRE_OK(phx_world_step(world, 0.1));
    REQUIRE_OK(phx_world_step(twin, 0.1));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(few_particles_are_no_trouble) {
    static const char* const shapes[] = {"box(size=(0.02,0.02,0.02))", "box(size=(0.04,0.02,0.02))",
                                         "box(size=(0.06,0.06,0.02))"};
    for (int k = 0; k < 3; ++k) {
        body_def one = {shapes[k], "peridynamics", {{NULL, NULL}}, 0};
        phx_world* world = pile(1, &one, 1);
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.3));
        ENSURE(isfinite((double)world->particles.z[0]));
        phx_world_destroy(world);
    }
}
