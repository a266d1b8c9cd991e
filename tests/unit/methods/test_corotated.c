// SPDX-License-Identifier: MIT
// Corotated SPH: same bits at any thread count and after a checkpoint, steps without allocation, rigid motion, energy,
// bonds that break for good, what it refuses. Known numbers: phyxel validate corotated.
#include "methods/corotated_sph/corotated_internal.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

#define SHAPE "box(size=(0.03,0.03,0.1))"

static phx_world* bar(int threads, const phx_setting* settings, int count, double pull) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.poisson = 0.33, material.density = 1000;
    phx_body_def body = phx_body_def_default();
    body.shape = SHAPE;
    body.spacing = 0.005;
    body.method = "corotated_sph";
    body.settings = settings;
    body.setting_count = count;
    body.angular_velocity = phxi_vec3(3, 5, 8);
    phx_body_id id;
    bool good = phx_world_create(&def, &world) == PHX_OK &&
                phx_material_create(world, &material, &body.material) == PHX_OK &&
                phx_body_create(world, &body, &id) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        return world;
    }
    for (int i = 0; i < world->particles.count; ++i) {
        world->particles.vz[i] += (phx_real)(pull * (double)world->particles.z[i]);
    }
    return world;
}

static const phx_setting breaking[] = {
    {"mode", "membership"}, {"kernel", "principal"}, {"full", "2"}, {"permanent", "true"}};

static const phx_setting current[] = {{"mode", "current"}, {"kernel", "principal"}};

static const phxi_csph_slot* slot_of(const phx_world* world) {
    return &((const phxi_csph*)world->solvers.items[0].state)->slots.items[0];
}

/// Whether a body at rest has the same pairs with weights of either kind.
static bool weighs_plainly(const char* shape, const char* mode) {
    phx_world* worlds[2] = {NULL, NULL};
    const phx_setting settings[2][2] = {{{"mode", mode}, {"weights", "plain"}},
                                        {{"mode", mode}, {"weights", "balanced"}}};
    bool same = true;
    for (int k = 0; k < 2; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_material_def material = phx_material_def_default();
        phx_body_def body = phx_body_def_default();
        body.shape = shape;
        body.spacing = 0.005;
        body.sampling = PHX_SAMPLING_CONFORMING;
        body.method = "corotated_sph";
        body.settings = settings[k];
        body.setting_count = 2;
        phx_body_id id;
        bool good = phx_world_create(&def, &worlds[k]) == PHX_OK &&
                    phx_material_create(worlds[k], &material, &body.material) == PHX_OK &&
                    phx_body_create(worlds[k], &body, &id) == PHX_OK;
        if (!good) {
            phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        }
    }
    if (worlds[0] && worlds[1]) {
        const phxi_csph_slot *a = slot_of(worlds[0]), *b = slot_of(worlds[1]);
        same = a->pair_count == b->pair_count && memcmp(a->near, b->near, (size_t)a->pair_count * sizeof *a->near) == 0;
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return same;
}

TEST(weights_are_balanced_where_there_is_no_lattice) {
    ENSURE(weighs_plainly("box(size=(0.03,0.03,0.03))", "reference"));
    ENSURE(!weighs_plainly("sphere(radius=0.02)", "reference"));
    ENSURE(weighs_plainly("sphere(radius=0.02)", "membership"));
}

TEST(same_bits_at_any_thread_count) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world* world = bar(threads, breaking, 4, 500);
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.01));
        ENSURE(threads == 1 || phx_world_hash(world) == hash);
        hash = phx_world_hash(world);
        ENSURE(slot_of(world)->broken > 0);
        phx_world_destroy(world);
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = bar(2, breaking, 4, 500), *twin = bar(1, breaking, 4, 0);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.006));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("corotated.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("corotated.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    ENSURE(slot_of(world)->broken == slot_of(twin)->broken);
    REQUIRE_OK(phx_world_step(world, 0.004));
    REQUIRE_OK(phx_world_step(twin, 0.004));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(kernels_on_current_positions_have_the_same_bits_at_any_thread_count_and_after_a_checkpoint) {
    phx_world *world = bar(1, current, 2, 100), *twin = bar(3, current, 2, 100);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.002));
    REQUIRE_OK(phx_world_step(twin, 0.002));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(twin);
    twin = bar(2, current, 2, 0);
    REQUIRE(twin);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("corotated_current.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("corotated_current.phx")));
    REQUIRE_OK(phx_world_step(world, 0.001));
    REQUIRE_OK(phx_world_step(twin, 0.001));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(kernels_on_current_positions_keep_momentum_and_feel_no_turn) {
    phx_world* world = bar(2, current, 2, 20);
    REQUIRE(world);
    phx_totals first, last;
    REQUIRE_OK(phx_world_measure(world, &first));
    ENSURE(first.elastic < 1e-9); // at rest
    REQUIRE_OK(phx_world_step(world, 0.002));
    REQUIRE_OK(phx_world_measure(world, &last));
    ENSURE(last.elastic > 0);
    double spin = phxi_length(first.angular_momentum);
    ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / spin, 0, sizeof(phx_real) == 4 ? 1e-3 : 1e-12);
    phx_world_destroy(world);
    // a turned bar at rest: the same energy, none
    world = bar(2, current, 2, 0);
    REQUIRE(world);
    phxi_mat3 turn = phxi_rotation((phx_vec3){1, -2, 0.5}, 2);
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 x = phxi_mat3_apply(&turn, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
        p->x[i] = (phx_real)x.x, p->y[i] = (phx_real)x.y, p->z[i] = (phx_real)x.z;
    }
    REQUIRE_OK(phx_world_measure(world, &last));
    ENSURE(last.elastic < 1e-9);
    phx_world_destroy(world);
}

TEST(what_is_broken_stays_so) {
    phx_world* world = bar(2, breaking, 4, 500);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.01));
    int broken = slot_of(world)->broken;
    ENSURE(broken > 0);
    for (int i = 0; i < world->particles.count; ++i) { // back to rest
        phxi_particles* p = &world->particles;
        p->x[i] = p->rest_x[i], p->y[i] = p->rest_y[i], p->z[i] = p->rest_z[i];
        p->vx[i] = p->vy[i] = p->vz[i] = 0;
    }
    REQUIRE_OK(phx_world_step(world, 1e-3));
    ENSURE(slot_of(world)->broken >= broken);
    phx_world_destroy(world);
}

TEST(steps_allocate_nothing) {
    for (int mode = 0; mode < 2; ++mode) {
        phx_world* world = bar(2, mode == 0 ? breaking : current, mode == 0 ? 4 : 2, 20);
        REQUIRE(world);
        REQUIRE_OK(phx_world_substep(world, 1e-5));
        int64_t before = world->heap.allocations;
        for (int k = 0; k < 5; ++k) {
            REQUIRE_OK(phx_world_substep(world, 1e-5));
        }
        ENSURE(world->heap.allocations == before);
        phx_world_destroy(world);
    }
}

/// Pairs that cannot be out of reach are not checked; the result is as if all had been checked.
TEST(who_is_not_looked_at_would_be_seen) {
    const phx_setting settings[] = {{"mode", "membership"}};
    phx_world* world = bar(2, settings, 1, 300);
    REQUIRE(world);
    int lost = 0;
    for (int step = 0; step < 40; ++step) {
        REQUIRE_OK(phx_world_substep(world, 5e-5));
        const phxi_csph_slot* slot = slot_of(world);
        for (int i = 0; i < slot->count; ++i) {
            for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
                phxi_r4 x = slot->rest[k] + (slot->u[slot->other[k]] - slot->u[i]);
                double distance = phxi_length(phxi_vec3(x[0], x[1], x[2])), h = (double)slot->radius[i];
                bool seen = slot->seen[k] & CSPH_SEEN;
                ENSURE(fabs(distance - h) < 1e-5 * h || seen == (distance < h));
                lost += !seen;
            }
        }
    }
    ENSURE(lost > 0);
    phx_world_destroy(world);
}

TEST(energy_and_momenta_stay) {
    const phx_setting green[] = {{"strain", "green"}};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = bar(2, green, k, 10);
        REQUIRE(world);
        phx_totals first, last;
        REQUIRE_OK(phx_world_measure(world, &first));
        REQUIRE_OK(phx_world_step(world, 0.05));
        REQUIRE_OK(phx_world_measure(world, &last));
        ENSURE(last.elastic > 0.01 * first.kinetic); // it swings
        ENSURE_NEAR((last.kinetic + last.elastic) / (first.kinetic + first.elastic), 1, 0.02);
        double spin = phxi_length(first.angular_momentum);
        ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / spin, 0,
                    sizeof(phx_real) == 4 ? 1e-3 : 1e-12);
        ENSURE_NEAR(phxi_length(phxi_sub(last.angular_momentum, first.angular_momentum)) / spin, 0,
                    sizeof(phx_real) == 4 ? 1e-4 : (k == 0 ? 1e-10 : 1e-6));
        phx_world_destroy(world);
    }
}

TEST(bad_parameters_are_answered) {
    static const struct {
        phx_setting settings[2];
        const char* says;
    } bad[] = {{{{"integrator", "bdf2"}, {"mode", "reference"}}, "explicit"},
               {{{"kernel", "principal"}, {"mode", "reference"}}, "membership"},
               {{{"permanent", "true"}, {"mode", "reference"}}, "membership"},
               {{{"permanent", "true"}, {"mode", "current"}}, "membership"},
               {{{"support", "0.5"}, {"mode", "reference"}}, "support"},
               {{{"full", "0"}, {"mode", "membership"}}, "full"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        REQUIRE_OK(phx_world_create(&def, &world));
        phx_material_def material = phx_material_def_default();
        phx_body_def body = phx_body_def_default();
        phx_body_id id;
        REQUIRE_OK(phx_material_create(world, &material, &body.material));
        body.shape = SHAPE;
        body.spacing = 0.01;
        body.method = "corotated_sph";
        body.settings = bad[k].settings;
        body.setting_count = 2;
        ENSURE_RESULT(phx_body_create(world, &body, &id), PHX_ERROR_ARGUMENT);
        ENSURE(strstr(phx_error_message(), bad[k].says) != NULL);
        phx_world_destroy(world);
    }
}
