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

// ------------------------------------------------------------------------------------------------------ implicit steps

static const phx_setting bdf2[] = {{"integrator", "bdf2"}, {"strain", "linear"}};

/// Forces at displacements u, or K u of the tangent (a word: "stress", "law", "frozen", "exact", "projected").
static void forces_of(const phx_world* world, const char* what, const phxi_elastic* law, const phxi_r4* u, double* f) {
    phxi_csph_slot* slot = (phxi_csph_slot*)slot_of(world);
    memcpy(slot->u, u, (size_t)slot->count * sizeof *u);
    for (int k = 0; k < phxi_csph_blocks(slot); ++k) {
        phxi_csph_block b;
        if (strcmp(what, "stress") == 0) {
            ENSURE(phxi_csph_stress(slot, law, NULL, k, &b));
        } else if (strcmp(what, "law") == 0) {
            ENSURE(phxi_csph_law_stress(slot, law, k, &b, NULL));
        } else {
            slot->projected = strcmp(what, "frozen") != 0;
            phxi_csph_tangent(slot, law, k);
        }
    }
    for (int k = 0; k < phxi_csph_blocks(slot); ++k) {
        _Alignas(64) phx_real force[3][CSPH_BLOCK];
        phxi_csph_force(slot, k, force);
        for (int i = 0; i < phxi_csph_count(slot, k); ++i) {
            for (int a = 0; a < 3; ++a) {
                f[3 * (k * CSPH_BLOCK + i) + a] = (double)force[a][i];
            }
        }
    }
}

static double norm_of(const double* a, const double* b, double scale, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += pow(a[i] - (b ? scale * b[i] : 0), 2);
    }
    return sqrt(sum);
}

typedef struct tangent_test {
    phx_world* world;
    int count;
    phxi_r4 *u, *q, *near;
    double *f, *up, *down, *kq;
    phx_real* warm;
} tangent_test;

/// A bar that was in an implicit step, shaken by a share of the spacing, and a direction.
static bool begin_tangent(tangent_test* t, const char* strain, double shake, bool warm) {
    const phx_setting settings[] = {bdf2[0], {"strain", strain}};
    t->world = bar(1, settings, 2, 0);
    t->count = t->world ? t->world->particles.count : 0;
    size_t room = (size_t)t->count + CSPH_BLOCK;
    t->u = calloc(room, sizeof *t->u), t->q = calloc(room, sizeof *t->q), t->near = calloc(room, sizeof *t->near);
    t->f = calloc(3 * room, sizeof(double)), t->up = calloc(3 * room, sizeof(double));
    t->down = calloc(3 * room, sizeof(double)), t->kq = calloc(3 * room, sizeof(double));
    t->warm = calloc(room, sizeof *t->warm);
    if (!t->world || phx_world_substep(t->world, 1e-4) != PHX_OK) {
        return false;
    }
    uint64_t seed = 11;
    for (int i = 0; i < t->count; ++i) {
        for (int a = 0; a < 3; ++a) {
            t->u[i][a] = (phx_real)(shake * 0.005 * (phxt_random(&seed) - 0.5));
            t->q[i][a] = (phx_real)(0.005 * (phxt_random(&seed) - 0.5));
        }
        t->warm[i] = (phx_real)(warm ? 0.05 * phxt_random(&seed) : 0);
    }
    ((phxi_csph_slot*)slot_of(t->world))->thermal = warm ? t->warm : NULL;
    return true;
}

static void end_tangent(tangent_test* t) {
    void* const all[] = {t->u, t->q, t->near, t->f, t->up, t->down, t->kq, t->warm};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        free(all[k]);
    }
    phx_world_destroy(t->world);
}

static void project_all(const phx_world* world, const phxi_elastic* law, const phxi_r4* u, bool exact) {
    phxi_csph_slot* slot = (phxi_csph_slot*)slot_of(world);
    memcpy(slot->u, u, (size_t)slot->count * sizeof *u);
    for (int k = 0; k < phxi_csph_blocks(slot); ++k) {
        phxi_csph_project(slot, law, exact, k);
    }
}

static double energy_at(const phx_world* world, const phxi_elastic* law, const phxi_r4* u) {
    phxi_csph_slot* slot = (phxi_csph_slot*)slot_of(world);
    double sum = 0;
    memcpy(slot->u, u, (size_t)slot->count * sizeof *u);
    for (int k = 0; k < phxi_csph_blocks(slot); ++k) {
        _Alignas(64) phx_real density[CSPH_BLOCK];
        phxi_csph_block b;
        ENSURE(phxi_csph_law_stress(slot, law, k, &b, density));
        for (int i = 0; i < phxi_csph_count(slot, k); ++i) {
            sum += (double)slot->volume[k * CSPH_BLOCK + i] * (double)density[i] +
                   phxi_csph_hourglass_energy(slot, &b, k * CSPH_BLOCK + i, i);
        }
    }
    return sum;
}

/// Forces of implicit steps are those of explicit ones and the slope of the energy, the exact tangent is the slope of
/// forces, at rest the frozen one is; with warmth and without.
TEST(tangents_are_slopes) {
    const double step = sizeof(phx_real) == 4 ? 1e-2 : 1e-5, near = sizeof(phx_real) == 4 ? 2e-2 : 1e-7;
    for (int k = 0; k < 8; ++k) {
        bool green = k & 1, exact = k & 2, warm = (k & 4) && exact;
        tangent_test t;
        REQUIRE(begin_tangent(&t, green ? "green" : "linear", exact ? 0.2 : 0, warm));
        phxi_elastic law = t.world->bodies.items[0].elastic;
        law.law = green ? PHX_LAW_STVK : PHX_LAW_COROTATED;
        forces_of(t.world, "stress", &law, t.u, t.up);
        forces_of(t.world, "law", &law, t.u, t.f);
        ENSURE(!exact || norm_of(t.up, t.f, 1, 3 * t.count) <
                             (sizeof(phx_real) == 4 ? 2e-5 : 1e-12) * norm_of(t.f, NULL, 0, 3 * t.count));
        project_all(t.world, &law, t.u, true);
        forces_of(t.world, exact ? "exact" : "frozen", &law, t.q, t.kq);
        double energy[2], work = 0;
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < t.count; ++i) {
                t.near[i] = t.u[i] + (phx_real)(side ? -step : step) * t.q[i];
            }
            forces_of(t.world, "law", &law, t.near, side ? t.down : t.up);
            energy[side] = energy_at(t.world, &law, t.near);
        }
        for (int i = 0; i < 3 * t.count; ++i) {
            t.up[i] = (t.up[i] - t.down[i]) / (2 * step);
            work -= t.f[i] * (double)t.q[i / 3][i % 3];
        }
        double size = norm_of(t.kq, NULL, 0, 3 * t.count);
        ENSURE_NEAR(norm_of(t.kq, t.up, 1, 3 * t.count) / size, 0, near);
        ENSURE(!exact || fabs((energy[0] - energy[1]) / (2 * step) / work - 1) < near);
        end_tangent(&t);
    }
}

TEST(tangents_are_symmetric_and_positive) {
    for (int k = 0; k < 4; ++k) {
        const char* what = k & 1 ? "projected" : "frozen";
        tangent_test t;
        REQUIRE(begin_tangent(&t, k & 2 ? "green" : "linear", 0.3, false));
        phxi_elastic law = t.world->bodies.items[0].elastic;
        law.law = k & 2 ? PHX_LAW_STVK : PHX_LAW_COROTATED;
        forces_of(t.world, "law", &law, t.u, t.f);
        project_all(t.world, &law, t.u, false);
        uint64_t seed = 3;
        for (int turn = 0; turn < 10; ++turn) {
            double ab = 0, ba = 0, aa = 0;
            for (int i = 0; i < 3 * t.count; ++i) {
                t.near[i / 3][i % 3] = (phx_real)(phxt_random(&seed) - 0.5);
                t.q[i / 3][i % 3] = (phx_real)(phxt_random(&seed) - 0.5);
            }
            forces_of(t.world, what, &law, t.near, t.up);
            forces_of(t.world, what, &law, t.q, t.down);
            for (int i = 0; i < 3 * t.count; ++i) {
                ab -= (double)t.near[i / 3][i % 3] * t.down[i];
                ba -= (double)t.q[i / 3][i % 3] * t.up[i];
                aa -= (double)t.near[i / 3][i % 3] * t.up[i];
            }
            ENSURE(aa > 0);
            ENSURE_NEAR((ab - ba) / aa, 0, sizeof(phx_real) == 4 ? 1e-6 : 1e-13);
        }
        end_tangent(&t);
    }
}

TEST(implicit_steps_have_the_same_bits_at_any_thread_count_and_after_a_checkpoint) {
    static const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 2; ++k) {
        const phx_setting settings[] = {{"integrator", k ? "implicit_euler" : "bdf2"}};
        uint64_t hash = 0;
        for (int n = 0; n < 4; ++n) {
            phx_world* world = bar(threads[n], settings, 1, 20);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.05));
            ENSURE(n == 0 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            if (n == 3) {
                phx_world* twin = bar(2, settings, 1, 0);
                REQUIRE(twin);
                REQUIRE_OK(phx_checkpoint_save(world, phxt_path("corotated-implicit.phx")));
                REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("corotated-implicit.phx")));
                REQUIRE_OK(phx_world_step(world, 0.05));
                REQUIRE_OK(phx_world_step(twin, 0.05));
                ENSURE(phx_world_hash(world) == phx_world_hash(twin));
                phx_world_destroy(twin);
            }
            phx_world_destroy(world);
        }
    }
}

TEST(implicit_steps_keep_momenta_and_gain_nothing) {
    static const char* const words[] = {"bdf2", "implicit_euler", "trapezoid"};
    const double exact = sizeof(phx_real) == 4 ? 1e-6 : 1e-12;
    for (int k = 0; k < 3; ++k) {
        const phx_setting settings[] = {{"integrator", words[k]}, {"implicit_dt", k == 2 ? "0.001" : "0"}};
        phx_world* world = bar(2, settings, 2, k == 2 ? 1 : 10); // a trapezoid takes what it can follow
        REQUIRE(world);
        phx_totals first, last;
        REQUIRE_OK(phx_world_measure(world, &first));
        double energy = first.kinetic + first.elastic, spin = phxi_length(first.angular_momentum);
        for (int step = 0; step < 30; ++step) {
            REQUIRE_OK(phx_world_step(world, 1.0 / 60));
            REQUIRE_OK(phx_world_measure(world, &last));
            ENSURE(last.kinetic + last.elastic <= energy * (k == 2 ? 1.01 : 1 + 1e-5));
            energy = k == 2 ? energy : last.kinetic + last.elastic;
        }
        ENSURE(last.kinetic > 0.05 * first.kinetic); // it still turns
        ENSURE_NEAR(phxi_length(phxi_sub(last.angular_momentum, first.angular_momentum)) / spin, 0, exact);
        ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / (spin / 0.1), 0, exact);
        phx_world_destroy(world);
    }
}

/// Backward Euler falls g dt^2 n (n + 1)/2 in n steps, whatever is left when Newton's method ends.
TEST(free_fall_is_that_of_the_scheme) {
    const phx_setting euler = {"integrator", "implicit_euler"};
    phx_world* world = bar(2, &euler, 1, 0);
    REQUIRE(world);
    phx_totals first, last;
    REQUIRE_OK(phx_world_measure(world, &first));
    world->def.gravity = phxi_vec3(0, 0, -9.81);
    for (int step = 0; step < 10; ++step) {
        REQUIRE_OK(phx_world_substep(world, 1.0 / 60));
    }
    REQUIRE_OK(phx_world_measure(world, &last));
    double fall = 9.81 / 3600 * 55;
    ENSURE_NEAR(first.mean_position.z - last.mean_position.z, fall, sizeof(phx_real) == 4 ? 1e-7 : 1e-14);
    phx_world_destroy(world);
}

TEST(implicit_steps_allocate_nothing_after_the_first) {
    phx_world* world = bar(2, bdf2, 1, 10);
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1.0 / 60));
    REQUIRE_OK(phx_world_substep(world, 1.0 / 60));
    int64_t before = world->heap.allocations;
    REQUIRE_OK(phx_world_substep(world, 1.0 / 60));
    ENSURE(world->heap.allocations == before);
    phx_world_destroy(world);
}

TEST(auto_chooses_by_stiffness) {
    static const struct {
        double young;
        const char* mode;
        int integrator;
    } bodies[] = {
        {1e6, "reference", PHXI_LEAPFROG}, {2e11, "reference", PHXI_BDF2}, {2e11, "membership", PHXI_LEAPFROG}};
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        phx_material_def material = phx_material_def_default();
        const phx_setting mode = {"mode", bodies[k].mode};
        phx_body_def body = phx_body_def_default();
        phx_body_id id;
        material.young = bodies[k].young;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phx_material_create(world, &material, &body.material));
        body.shape = SHAPE, body.spacing = 0.01, body.method = "corotated_sph";
        body.settings = &mode, body.setting_count = 1;
        REQUIRE_OK(phx_body_create(world, &body, &id));
        ENSURE(slot_of(world)->params.integrator == bodies[k].integrator);
        phx_world_destroy(world);
    }
}

TEST(bad_parameters_are_answered) {
    static const struct {
        phx_setting settings[2];
        const char* says;
    } bad[] = {{{{"integrator", "bdf2"}, {"mode", "membership"}}, "integrator is bdf2 with mode membership"},
               {{{"integrator", "bdf2"}, {"mode", "current"}}, "mode current"},
               {{{"integrator", "implicit_euler"}, {"gradient", "plain"}}, "gradient plain"},
               {{{"integrator", "bdf2"}, {"rotation", "shape"}}, "rotation shape"},
               {{{"integrator", "bdf2"}, {"pair_share", "0.5"}}, "pair_share"},
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
