// SPDX-License-Identifier: MIT
// The method of sand and slime: same bits at any thread count, width and after a checkpoint; steps without allocation;
// free fall, rotation, momentum, uniform strain, what bonds remember, what it refuses.
#include "core/hash.h"
#include "granular_fixture.h"

typedef struct heap_kind {
    bool fine, frozen; // one sand is finer; the slime freezes weights
    phx_vec3 period;
} heap_kind;
static const heap_kind plain, fine_kind = {.fine = true}, periodic = {.period = {0, 0.07, 0}},
                              frozen = {.frozen = true};

/// Two sands on a floor, with a wall beside them and slime above.
static phx_world* heap_of(int threads, heap_kind kind) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_material_def dry = sand(30, 0), wet = sand(25, 100), slime = sand(0, 300), stone = phx_material_def_default();
    const phx_setting soft[] = {{"squeeze", "0.5"},
                                {"spring", kind.fine ? "0" : "1.02"},
                                {"freeze", kind.frozen ? "0.3" : "0"},
                                {"redistribute", kind.frozen         ? "0.5"
                                                 : kind.period.y > 0 ? "-0.5"
                                                                     : "0"}};
    wet.density = 1800;
    def.threads = threads;
    def.period = kind.period;
    const char* low = "box(center=(0,0,0.03),size=(0.08,0.06,0.06))";
    const char* high = "box(center=(0.0,0,0.09),size=(0.06,0.06,0.06))";
    bool good =
        phx_world_create(&def, &world) == PHX_OK && phx_collider_create(world, &floor, &collider) == PHX_OK &&
        add(world, "dry", "granular", low, 0.01, &dry, NULL, 0) == PHX_OK &&
        add(world, "stone", "wall", "box(center=(0.06,0,0.02),size=(0.04,0.06,0.04))", 0.01, &stone, NULL, 0) ==
            PHX_OK &&
        add(world, "wet", "granular", high, kind.fine ? 0.0075 : 0.01, &wet, NULL, 0) == PHX_OK &&
        add(world, "slime", "granular", "sphere(center=(0,0,0.155),radius=0.03)", 0.01, &slime, soft, 4) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(same_bits_at_any_thread_count) {
    const heap_kind kinds[] = {plain, fine_kind, periodic, frozen};
    for (int k = 0; k < 4; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = heap_of(threads, kinds[k]);
            REQUIRE(world);
            for (int n = 0; n < 12; ++n) {
                REQUIRE_OK(phx_world_substep(world, 2e-4));
            }
            uint64_t own = phx_world_hash(world);
            ENSURE(threads == 1 || own == hash);
            hash = own;
            phx_world_destroy(world);
        }
    }
}

#ifdef PHXI_AVX512
/// What both loops leave, by either width, from what bonds remembered before.
static uint64_t run_loops(phxi_granular* s, bool wide, phx_real* before, size_t size) {
    int count = s->near->count;
    memcpy(s->bonds.z, before, size);
    wide ? phxi_granular_rates_avx512(s, 0, count) : phxi_granular_rates(s, 0, count);
    uint64_t hash = phxi_hash_bytes(s->sums, sizeof *s->sums * (size_t)count, 0);
    wide ? phxi_granular_forces_avx512(s, 0, count) : phxi_granular_forces(s, 0, count);
    hash = phxi_hash_bytes(s->a, sizeof *s->a * (size_t)count, hash);
    return phxi_hash_bytes(s->bonds.z, size, hash);
}
#endif

TEST(both_widths_give_the_same_bits) {
    const heap_kind kinds[] = {plain, fine_kind, frozen};
    for (int k = 0; k < 3; ++k) {
        phx_world* world = heap_of(1, kinds[k]);
        REQUIRE(world);
        for (int n = 0; n < 3; ++n) {
            REQUIRE_OK(phx_world_substep(world, 2e-4));
        }
        phxi_granular* s = state_of(world);
        REQUIRE(s && s->memory && s->others);
#ifdef PHXI_AVX512
        if (phxi_lanes_are_wide()) {
            size_t size = (size_t)s->bonds.rows * (size_t)(s->bonds.planes * s->bonds.stride) * sizeof *s->bonds.z;
            phx_real* before = malloc(size);
            REQUIRE(before);
            memcpy(before, s->bonds.z, size);
            for (int i = 0; i < s->near->count; ++i) { // of places that are not summed
                memset(&s->a[i], 0, sizeof s->a[i]);
                memset(&s->sums[i], 0, sizeof s->sums[i]);
            }
            ENSURE(run_loops(s, false, before, size) == run_loops(s, true, before, size));
            free(before);
        }
#endif
        phx_world_destroy(world);
    }
}

static void go_on(heap_kind kind) {
    phx_world *world = heap_of(2, kind), *twin = heap_of(1, kind);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 4e-3));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("heap.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("heap.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 4e-3));
    REQUIRE_OK(phx_world_step(twin, 4e-3));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    go_on(plain);
    go_on(frozen);
}

static void step_on(heap_kind kind) {
    phx_world* world = heap_of(2, kind);
    REQUIRE(world);
    for (int n = 0; n < 4; ++n) {
        REQUIRE_OK(phx_world_substep(world, 2e-4));
    }
    int64_t before = world->heap.allocations;
    for (int n = 0; n < 10; ++n) {
        REQUIRE_OK(phx_world_substep(world, 2e-4));
    }
    ENSURE(world->heap.allocations == before);
    phx_world_destroy(world);
}

TEST(steps_allocate_nothing) {
    step_on(plain);
    step_on(frozen);
}

TEST(free_fall_is_exact) {
    phx_material_def wet = sand(30, 100);
    phx_world* world = lone(&wet, "sphere(radius=0.05)", phxi_vec3(0, 0, -9.81), NULL, 0);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR(p->z[i], (double)p->rest_z[i] - 0.5 * 9.81 * 0.01, 2e-7);
        ENSURE_NEAR(p->vz[i], -0.981, 2e-6);
    }
    phx_world_destroy(world);
}

// Wet sand that turns: no stress of it, but that of the centrifugal force.
TEST(rotation_is_free_of_stress) {
    phx_material_def wet = sand(30, 1e5);
    phx_world* world = lone(&wet, "sphere(radius=0.04)", phxi_vec3(0, 0, 0), NULL, 0);
    REQUIRE(world);
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 10)));
    phx_totals start, totals;
    REQUIRE_OK(phx_world_measure(world, &start));
    REQUIRE_OK(phx_world_step(world, 0.314159265));
    REQUIRE_OK(phx_world_measure(world, &totals));
    const phxi_particles* p = &world->particles;
    double worst = 0;
    for (int i = 0; i < p->count; ++i) { // half a turn
        worst = fmax(worst, hypot((double)(p->x[i] + p->rest_x[i]), (double)(p->y[i] + p->rest_y[i])));
    }
    ENSURE_NEAR(worst, 0, 1e-3);
    ENSURE(totals.max_stress < 0.5 * 1500 * 10 * 10 * 0.04 * 0.04 * 2); // rho (w r)^2
    ENSURE_NEAR(totals.angular_momentum.z / start.angular_momentum.z, 1, 1e-3);
    phx_world_destroy(world);
}

TEST(momentum_is_kept) {
    check_momentum(NULL, 0, 200, 2e-4);
}

// A linear velocity is seen exactly, also at the surface: strain dt D, no residual, the opening of what expands.
TEST(uniform_strain_is_exact) {
    phx_material_def wet = sand(30, 1e5);
    phx_world* world = lone(&wet, "box(size=(0.06,0.05,0.07))", phxi_vec3(0, 0, 0), NULL, 0);
    REQUIRE(world);
    phxi_particles* p = &world->particles;
    const double rate[3] = {-0.1, 0.3, -0.5};
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = (phx_real)(rate[0] * (double)p->x[i] + 0.2 * (double)p->y[i]);
        p->vy[i] = (phx_real)(rate[1] * (double)p->y[i] + 0.2 * (double)p->x[i]);
        p->vz[i] = (phx_real)(rate[2] * (double)p->z[i]);
    }
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    const phx_real* strain[6];
    static const char* const names[6] = {"granular.strain_xx", "granular.strain_yy", "granular.strain_zz",
                                         "granular.strain_xy", "granular.strain_xz", "granular.strain_yz"};
    const double exact[6] = {rate[0] * 1e-4, rate[1] * 1e-4, rate[2] * 1e-4, 0.2e-4, 0, 0};
    for (int k = 0; k < 6; ++k) {
        strain[k] = phxi_particles_field(p, names[k]);
        for (int i = 0; i < p->count; ++i) {
            ENSURE_NEAR((double)strain[k][i], exact[k], sizeof(phx_real) == sizeof(double) ? 1e-15 : 1e-10);
        }
    }
    const phxi_granular* s = state_of(world);
    double most = 0;
    for (size_t k = 0; k < (size_t)s->bonds.rows * (size_t)(s->bonds.planes * s->bonds.stride); ++k) {
        most = fmax(most, fabs((double)s->bonds.z[k]));
    }
    ENSURE_NEAR(most, 0, sizeof(phx_real) == sizeof(double) ? 1e-18 : 1e-11);
    phx_world_destroy(world);
}

// z of i with j is that of j with i turned around, whatever lists have done in between.
// A weight is the same from both sides.
static void check_pairs(heap_kind kind) {
    phx_world* world = heap_of(1, kind);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.03));
    const phxi_granular_bonds* b = &state_of(world)->bonds;
    int bonds = 0, loaded = 0;
    for (int i = 0; i < b->rows; ++i) {
        for (int k = 0; k < b->count[i]; ++k) {
            int j = b->key[(size_t)i * (size_t)b->stride + (size_t)k], back = -1;
            for (int n = 0; j >= 0 && n < b->count[j]; ++n) {
                back = b->key[(size_t)j * (size_t)b->stride + (size_t)n] == i ? n : back;
            }
            REQUIRE(j < 0 || back >= 0);
            for (int a = 0; j >= 0 && a < 3; ++a) {
                phx_real one = phxi_granular_bonds_of(b, i)[a * b->stride + k];
                phx_real two = phxi_granular_bonds_of(b, j)[a * b->stride + back];
                ENSURE(one == -two);
                loaded += one != 0;
            }
            for (int a = 3; j >= 0 && a < b->planes; ++a) {
                phx_real one = phxi_granular_bonds_of(b, i)[a * b->stride + k];
                ENSURE(one == phxi_granular_bonds_of(b, j)[a * b->stride + back] && one >= 0 && one <= 1);
            }
            ++bonds;
        }
    }
    ENSURE(bonds > 10000 && loaded > bonds);
    phx_world_destroy(world);
}

TEST(bonds_remember_in_pairs) {
    check_pairs(plain);
    check_pairs(frozen);
}

// Slime that is pulled apart within its yield keeps the weights of its bonds; what follows at once loses them.
TEST(frozen_weights_stay) {
    phx_material_def stiff = sand(0, 1e5);
    for (int k = 0; k < 2; ++k) {
        const phx_setting settings[] = {{"freeze", k == 0 ? "0.3" : "0"}};
        phx_world* world = lone(&stiff, "box(size=(0.06,0.06,0.06))", phxi_vec3(0, 0, 0), settings, 1);
        REQUIRE(world);
        phxi_particles* p = &world->particles;
        for (int i = 0; i < p->count; ++i) {
            p->vx[i] = 20 * p->x[i]; // 2 % in 1 ms
        }
        REQUIRE_OK(phx_world_substep(world, 1e-4));
        const phxi_granular* s = state_of(world);
        double first = (double)s->sums[0].r[1][2];
        for (int n = 0; n < 10; ++n) {
            REQUIRE_OK(phx_world_substep(world, 1e-4));
        }
        double change = (double)s->sums[0].r[1][2] / first - 1;
        ENSURE(k == 0 ? change >= 0 && change < 3e-3 : change < -5e-3);
        phx_world_destroy(world);
    }
}

TEST(damaged_bonds_are_refused) {
    phx_world* world = heap_of(1, plain);
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 2e-4));
    uint64_t hash = phx_world_hash(world);
    phxi_granular* s = state_of(world);
    const int32_t negative = -1, many = 100000, short_list[2] = {1, 5};
    ENSURE_RESULT(phxi_granular_unpack(s, NULL, (const uint8_t*)&negative, sizeof negative), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phxi_granular_unpack(s, NULL, (const uint8_t*)&many, sizeof many), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phxi_granular_unpack(s, NULL, (const uint8_t*)short_list, sizeof short_list), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phxi_granular_unpack(s, NULL, (const uint8_t*)&negative, 3), PHX_ERROR_FORMAT);
    const int32_t none = 0;
    ENSURE_RESULT(phxi_granular_unpack(s, NULL, (const uint8_t*)&none, sizeof none), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("bonds of 1 grains");
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}

/// Neighbours X_k with weights, moving by v(X) = G X: K and M.
static void gather(const phx_vec3* x, int count, const phxi_mat3* g, phxi_sym3* k, phxi_mat3* m) {
    *k = (phxi_sym3){0};
    *m = (phxi_mat3){0};
    for (int n = 0; n < count; ++n) {
        const phx_vec3 v = phxi_mat3_apply(g, x[n]);
        const double way[3] = {x[n].x, x[n].y, x[n].z}, speed[3] = {v.x, v.y, v.z};
        k->xx += x[n].x * x[n].x, k->yy += x[n].y * x[n].y, k->zz += x[n].z * x[n].z;
        k->xy += x[n].x * x[n].y, k->xz += x[n].x * x[n].z, k->yz += x[n].y * x[n].z;
        for (int c = 0; c < 9; ++c) {
            m->m[c / 3][c % 3] += speed[c / 3] * way[c % 3];
        }
    }
}

TEST(poor_neighbourhoods_turn_without_strain_and_see_little) {
    // nearly a plane; a rotation strains nothing, and where two directions are seen the spin is right
    const phx_vec3 x[] = {{1, 0, 0.06}, {-0.9, 0.1, -0.05}, {0.1, 1, 0.05}, {0, -1, 0.06}, {0.7, 0.7, 0}};
    const phxi_mat3 turn = {{{0, -3, 2}, {3, 0, -1}, {-2, 1, 0}}}, press = {{{0, 0, 0}, {0, 0, 0}, {0, 0, -5}}};
    phxi_granular_sight sight;
    phxi_sym3 k;
    phxi_mat3 m;
    gather(x, 5, &turn, &k, &m);
    phxi_granular_see_poorly(&k, &m, 0.1, &sight);
    for (int c = 0; c < 9; ++c) {
        ENSURE_NEAR(sight.strain.m[c / 3][c % 3], 0, 1e-10);
        ENSURE_NEAR(sight.spin.m[c / 3][c % 3], turn.m[c / 3][c % 3], 0.01);
    }
    gather(x, 5, &press, &k, &m); // across the plane it hardly counts: K_zz is 0.01
    phxi_granular_see_poorly(&k, &m, 0.1, &sight);
    ENSURE(fabs(sight.strain.m[2][2]) < 1);
    ENSURE_NEAR(sight.share.xx, 1, 0.01);
    ENSURE(sight.least < 0.15);
    phxi_granular_see_poorly(&k, &m, 5e-3, &sight); // and in full where that is enough
    ENSURE_NEAR(sight.strain.m[2][2], -5, 1e-6);
    ENSURE_NEAR(sight.least, 1, 1e-12);
}

TEST(what_it_refuses) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&def, &world));
    phx_material_def elastic = phx_material_def_default(), dry = sand(30, 0), slime = sand(0, 300);
    ENSURE_RESULT(add(world, "a", "granular", "box()", 0.2, &elastic, NULL, 0), PHX_ERROR_UNSUPPORTED);
    ENSURE_MESSAGE("a friction_angle or a cohesion");
    const phx_setting bad[] = {{"chi", "-1"}}, spring[] = {{"spring", "1.02"}};
    ENSURE_RESULT(add(world, "b", "granular", "box()", 0.2, &dry, bad, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("chi");
    ENSURE_RESULT(add(world, "c", "granular", "box()", 0.2, &dry, spring, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("knows no friction");
    REQUIRE_OK(add(world, "c", "granular", "box()", 0.2, &slime, spring, 1));
    REQUIRE_OK(add(world, "d", "granular", "box(center=(2,0,0))", 0.1, &dry, NULL, 0));
    ENSURE_RESULT(phx_world_step(world, 1e-3), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("spring");
    phx_world_destroy(world);
}

TEST(slime_in_disorder_begins_at_rest) {
    const phx_setting spring[] = {{"spring", "1.02"}};
    phx_material_def slime = sand(0, 300);
    phx_world* world = lone(&slime, "sphere(radius=0.06)", phxi_vec3(0, 0, 0), spring, 1);
    REQUIRE(world);
    phx_totals t;
    REQUIRE_OK(phx_world_step(world, 0.005));
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE(t.kinetic <= 1e-12); // J; of 1.4 kg that burst at 0.1 m/s: 0.007
    phx_world_destroy(world);
}

TEST(a_state_that_is_not_finite_is_told) {
    phx_world* world = heap_of(2, plain);
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 2e-4));
    phx_real* strain = phxi_particles_field(&world->particles, "granular.strain_xy");
    strain[5] = (phx_real)NAN;
    ENSURE_RESULT(phx_world_substep(world, 2e-4), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("granular");
    phx_world_destroy(world);
}

TEST(every_failing_allocation_is_survived) {
    check_allocations(NULL, 0, 2e-4);
}
