// SPDX-License-Identifier: MIT
// Bodies that flow: forces against energy, resets that change nothing, both ways to reset, restarts, threads, memory.
#include "methods/efg/plastic.h"
#include "support/efg_fixture.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

static const phx_vec3 nowhere = {0, 0, 0};

/// A fixture with one block that flows at 2 %.
static bool start(efg_fixture* f, phxt_heap* heap, int threads, int reset, int n) {
    if (fixture_init(f, heap ? &heap->allocator : NULL, threads) != PHX_OK) {
        return false;
    }
    f->material.yield = 0.02;
    for (int k = 0; k < 4; ++k) {
        f->params[k].reset = reset;
    }
    return fixture_add(f, CUBIC, n, n, n, nowhere) == PHX_OK;
}

static phx_vec3 apply(phx_vec3 x, void* context) {
    return phxi_mat3_apply(context, x);
}

static void deform(efg_fixture* f, phxi_mat3 map) {
    fixture_deform(f, apply, &map);
}

static phxi_mat3 squash(double s) {
    return (phxi_mat3){{{1 / sqrt(s), 0.1 * (1 - s), 0}, {0, 1 / sqrt(s), 0}, {0.05 * (1 - s), 0, s}}};
}

/// All plastic bodies flow where they are.
static void flow(efg_fixture* f) {
    phxi_efg* efg = fixture_efg(f);
    efg->flow_dt = 1;
    phx_vec3* forces = calloc((size_t)f->particles.count, sizeof *forces);
    fixture_forces(f, forces);
    efg->flow_dt = 0;
    free(forces);
}

static double elastic_energy(efg_fixture* f) {
    return fixture_measure(f).elastic;
}

static double largest_field(const efg_fixture* f, const char* name) {
    const phx_real* field = phxi_particles_field(&f->particles, name);
    double most = 0;
    for (int i = 0; field && i < f->particles.count; ++i) {
        most = fmax(most, fabs((double)field[i]));
    }
    return most;
}

/// Bent, flowed, reset and bent again: everything is in play.
static void prepare(efg_fixture* f) {
    deform(f, squash(0.8));
    fixture_shake(f, 0.05, 4);
    flow(f);
    phxi_step step = fixture_step(f);
    for (int k = 0; k < fixture_efg(f)->slots.count; ++k) {
        if (fixture_efg(f)->slots.items[k].plastic.yield > 0) {
            ENSURE_OK(phxi_efg_reset(fixture_efg(f), &step, k));
        }
    }
    deform(f, squash(0.95));
    fixture_shake(f, 0.03, 5);
}

// Also of sheets and rods one particle thick.
TEST(force_is_minus_the_gradient_of_the_energy) {
    if (sizeof(phx_real) == 4) {
        return;
    }
    static const int sizes[3][3] = {{4, 4, 4}, {6, 5, 1}, {20, 1, 1}};
    for (int kind = 0; kind < 6; ++kind) {
        const int* n = sizes[kind / 2];
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.yield = 0.02;
        f.params[0].reset = kind % 2 ? EFG_RESET_ABSORB : EFG_RESET_CARRY;
        REQUIRE_OK(fixture_add(&f, CUBIC, n[0], n[1], n[2], nowhere));
        prepare(&f);
        phx_vec3 forces[64];
        fixture_forces(&f, forces);
        double largest = 0;
        for (int i = 0; i < f.particles.count; ++i) {
            largest = fmax(largest, phxi_length(forces[i]));
        }
        for (int i = 0; i < f.particles.count; i += 7) {
            phx_real* const x[3] = {f.particles.x, f.particles.y, f.particles.z};
            const double expected[3] = {forces[i].x, forces[i].y, forces[i].z}, h = 1e-6;
            for (int axis = 0; axis < 3; ++axis) {
                phx_real at = x[axis][i];
                x[axis][i] = (phx_real)((double)at + h);
                double above = elastic_energy(&f);
                x[axis][i] = (phx_real)((double)at - h);
                double below = elastic_energy(&f);
                x[axis][i] = at;
                ENSURE_NEAR((below - above) / (2 * h), expected[axis], 1e-7 * largest);
            }
        }
        fixture_destroy(&f);
    }
}

TEST(forces_balance_before_and_after_a_reset) {
    efg_fixture f;
    REQUIRE(start(&f, NULL, 1, EFG_RESET_CARRY, 5));
    prepare(&f);
    phx_vec3 forces[125], sum = nowhere, torque = nowhere;
    double size = 0, moments = 0;
    fixture_forces(&f, forces);
    for (int i = 0; i < 125; ++i) {
        phx_vec3 x = {f.particles.x[i], f.particles.y[i], f.particles.z[i]};
        sum = phxi_add(sum, forces[i]);
        torque = phxi_add(torque, phxi_cross(x, forces[i]));
        size += phxi_length(forces[i]);
        moments += phxi_length(phxi_cross(x, forces[i]));
    }
    ENSURE_NEAR(phxi_length(sum) / size, 0, BOUND(1e-14, 1e-6));
    ENSURE_NEAR(phxi_length(torque) / moments, 0, BOUND(1e-13, 1e-5));
    fixture_destroy(&f);
}

// Energy of the law is the same before and after, whatever happened before; hourglass energy is left out.
TEST(a_reset_keeps_the_energy) {
    for (int reset = EFG_RESET_CARRY; reset <= EFG_RESET_ABSORB; ++reset) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.yield = 0.05;
        f.params[0].hourglass = 0;
        f.params[0].reset = reset;
        REQUIRE_OK(fixture_add(&f, CUBIC, 4, 4, 4, nowhere));
        prepare(&f);
        double before = elastic_energy(&f);
        phxi_step step = fixture_step(&f);
        ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 0));
        double after = elastic_energy(&f);
        ENSURE(before > 0);
        ENSURE_NEAR(after / before, 1, BOUND(1e-12, 1e-4));
        fixture_destroy(&f);
    }
}

// T11: a stressed block is turned by 90 degrees, with a reset at every degree.
TEST(turning_under_resets_keeps_the_stress) {
    for (int reset = EFG_RESET_CARRY; reset <= EFG_RESET_ABSORB; ++reset) {
        efg_fixture f;
        REQUIRE(start(&f, NULL, 1, reset, 4));
        deform(&f, squash(0.7));
        flow(&f);
        phx_real before[64], after[64];
        phxi_step step = fixture_step(&f);
        f.method->display->derive(f.state, &step, 0, 0, before);
        for (int k = 0; k < 90; ++k) {
            deform(&f, phxi_rotation(phxi_vec3(0.3, -0.5, 1), acos(-1.0) / 180));
            ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 0));
        }
        f.method->display->derive(f.state, &step, 0, 0, after);
        for (int i = 0; i < 64; ++i) {
            ENSURE(before[i] > 1000);
            ENSURE_NEAR(after[i] / before[i], 1, BOUND(1e-12, 1e-2));
        }
        fixture_destroy(&f);
    }
}

// Below yield, any way there and back under resets ends where it began.
// A sheet pulled in its plane by 20 % with free thickness stays longer and gets thinner.
TEST(sheets_flow) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.material.yield = 0.01;
    REQUIRE_OK(fixture_add(&f, CUBIC, 8, 6, 1, nowhere));
    phxi_step step = fixture_step(&f);
    for (int k = 0; k < 60; ++k) {
        double s = pow(1.2, 1.0 / 60);
        deform(&f, (phxi_mat3){{{s, 0, 0}, {0, 1 / sqrt(s), 0}, {0, 0, 1}}});
        flow(&f);
        if (k % 20 == 19) {
            ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 0));
        }
    }
    phx_real values[9 * 48];
    f.method->display->derive(f.state, &step, 0, 5, values);
    for (int i = 0; i < 48; ++i) {
        ENSURE_NEAR(values[i], log(1.2) - 0.01, 0.005);
    }
    f.method->display->derive(f.state, &step, 0, 4, values);
    for (int i = 0; i < 48; ++i) {
        ENSURE_NEAR(values[9 * i], 1.2, 1e-4);
        ENSURE_NEAR(values[9 * i + 8], 1 / sqrt(1.2), 0.005);
    }
    fixture_destroy(&f);
}

TEST(closed_paths_leave_nothing_behind) {
    for (int reset = EFG_RESET_CARRY; reset <= EFG_RESET_ABSORB; ++reset) {
        efg_fixture f;
        REQUIRE(start(&f, NULL, 1, reset, 4));
        fixture_efg(&f)->slots.items[0].plastic.yield = 9; // never reached, but the body is one that flows
        phxi_step step = fixture_step(&f);
        phxi_mat3 way[4] = {squash(0.8),
                            phxi_rotation(phxi_vec3(1, 0, 1), 1),
                            {{{1.1, 0.2, 0}, {0, 0.9, 0}, {0.1, 0, 1}}},
                            phxi_identity()};
        phxi_mat3 all = phxi_identity();
        for (int k = 0; k < 3; ++k) {
            all = phxi_mat3_mul(&way[k], &all);
        }
        phxi_mat3_inverse(&all, &way[3]);
        for (int k = 0; k < 4; ++k) {
            deform(&f, way[k]);
            ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 0));
        }
        phx_real von_mises[64];
        f.method->display->derive(f.state, &step, 0, 0, von_mises);
        for (int i = 0; i < 64; ++i) {
            ENSURE_NEAR(von_mises[i] / 1e6, 0, BOUND(2e-14, 2e-5));
        }
        fixture_destroy(&f);
    }
}

/// Pressed together by its own speed and let go.
static bool press(efg_fixture* f, int steps, double speed) {
    for (int i = 0; i < f->particles.count && speed > 0; ++i) {
        f->particles.vz[i] = (phx_real)(-speed * ((double)f->particles.z[i] - 0.2));
    }
    for (int k = 0; k < steps; ++k) {
        phxi_step step = fixture_step(f);
        if (fixture_substep(f, 4e-4) != PHX_OK || f->method->adapt(f->state, &step, 4e-4) != PHX_OK) {
            return false;
        }
    }
    return true;
}

// Without hourglass control: its stiffness goes with V, which only absorbing changes.
TEST(carry_and_absorb_move_alike) {
    efg_fixture f[2];
    for (int k = 0; k < 2; ++k) {
        REQUIRE_OK(fixture_init(&f[k], NULL, 1));
        f[k].material.yield = 0.02;
        f[k].params[0].hourglass = 0;
        f[k].params[0].reset = k ? EFG_RESET_ABSORB : EFG_RESET_CARRY;
        REQUIRE_OK(fixture_add(&f[k], CUBIC, 4, 4, 4, nowhere));
        ENSURE(press(&f[k], 150, 25));
        ENSURE(largest_field(&f[k], "efg.h_zz") > 0.1); // there was a reset
        ENSURE(largest_field(&f[k], "efg.plastic") > 0.2);
    }
    for (int i = 0; i < 64; ++i) {
        ENSURE_NEAR(f[0].particles.z[i], f[1].particles.z[i], BOUND(1e-9, 2e-4));
    }
    fixture_destroy(&f[0]);
    fixture_destroy(&f[1]);
}

static uint64_t hash_of(efg_fixture* f) {
    return phxi_particles_hash(&f->particles);
}

TEST(same_bits_at_any_thread_count_and_beside_others) {
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        efg_fixture f;
        REQUIRE(start(&f, NULL, threads, EFG_RESET_CARRY, 6));
        f.material.yield = 0;
        REQUIRE_OK(fixture_add(&f, BCC, 4, 4, 4, phxi_vec3(2, 0, 0)));
        f.material.yield = 0.03;
        f.material.creep = 50;
        REQUIRE_OK(fixture_add(&f, BCC, 4, 5, 4, phxi_vec3(4, 0, 0)));
        ENSURE(press(&f, 120, 20));
        ENSURE(largest_field(&f, "efg.h_zz") > 0.1);
        first = threads == 1 ? hash_of(&f) : first;
        ENSURE(hash_of(&f) == first);
        fixture_destroy(&f);
    }
}

// Rows that are put in place of others do not change those: an elastic body between two that flow.
TEST(neighbours_in_the_arrays_do_not_notice) {
    efg_fixture f;
    static phx_vec3 before[1000], after[1000];
    REQUIRE(start(&f, NULL, 1, EFG_RESET_CARRY, 4));
    f.material.yield = 0;
    f.params[1].path = EFG_PATH_ROWS;
    f.jitter = 0.2;
    REQUIRE_OK(fixture_add(&f, CUBIC, 4, 4, 3, phxi_vec3(2, 0, 0)));
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 1, phxi_vec3(3, 0, 0))); // a sheet
    f.material.yield = 0.02;
    REQUIRE_OK(fixture_add(&f, CUBIC, 4, 5, 1, phxi_vec3(4, 0, 0)));
    prepare(&f);
    fixture_forces(&f, before);
    phxi_step step = fixture_step(&f);
    ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 0));
    fixture_forces(&f, after);
    ENSURE(memcmp(before + 64, after + 64, (size_t)(f.particles.count - 64) * sizeof *after) == 0);
    ENSURE_OK(phxi_efg_reset(fixture_efg(&f), &step, 3));
    fixture_forces(&f, before);
    ENSURE(memcmp(before, after, (48 + 64 + 25) * sizeof *after) == 0);
    fixture_destroy(&f);
}

// Fields of an earlier time bring the rows of that time back.
TEST(restored_fields_bring_their_rows_back) {
    efg_fixture f, copy;
    REQUIRE(start(&f, NULL, 1, EFG_RESET_CARRY, 4));
    REQUIRE(start(&copy, NULL, 1, EFG_RESET_CARRY, 4));
    ENSURE(press(&f, 60, 25));
    ENSURE(largest_field(&f, "efg.h_zz") > 0.1);
    for (int k = 0; k < f.particles.field_count; ++k) {
        memcpy(copy.particles.fields[k].data, f.particles.fields[k].data,
               phxi_field_size(f.particles.fields[k].def.type) * 64);
    }
    memcpy(copy.method->saving->words(copy.state), f.method->saving->words(f.state),
           sizeof(double) * (size_t)f.method->saving->word_count);
    phxi_step step = fixture_step(&copy);
    ENSURE_OK(copy.method->saving->restored(copy.state, &step));
    ENSURE(fixture_stable_dt(&f) == fixture_stable_dt(&copy));
    ENSURE(press(&f, 60, 0) && press(&copy, 60, 0));
    ENSURE(hash_of(&f) == hash_of(&copy));
    fixture_destroy(&f);
    fixture_destroy(&copy);
}

// Nothing is added silently: free of load, what the law holds and what moves never grows, with resets on the way.
TEST(energy_never_grows_after_release) {
    for (int reset = EFG_RESET_CARRY; reset <= EFG_RESET_OFF; ++reset) {
        efg_fixture f;
        REQUIRE(start(&f, NULL, 1, reset, 4));
        REQUIRE(press(&f, 0, 25));
        phx_totals totals = fixture_measure(&f);
        double first = totals.kinetic + totals.elastic, least = first, worst = 0;
        for (int k = 0; k < 200; ++k) {
            REQUIRE(press(&f, 2, 0));
            totals = fixture_measure(&f);
            worst = fmax(worst, totals.kinetic + totals.elastic - least);
            least = fmin(least, totals.kinetic + totals.elastic);
        }
        ENSURE(least < 0.3 * first);
        // the energy that leap-frog shows swings about the one it keeps
        ENSURE(worst < 0.01 * first);
        fixture_destroy(&f);
    }
}

TEST(every_failing_allocation_is_survived) {
    bool done = false;
    for (int64_t n = 0; !done && n < 1000; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, &heap.allocator, 1));
        REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, nowhere));
        f.material.yield = 0.02;
        heap.fail_at = heap.allocations + n;
        phx_result result = fixture_add(&f, BCC, 3, 3, 3, phxi_vec3(1, 0, 0));
        if (result == PHX_OK) {
            deform(&f, squash(0.8));
            flow(&f);
            phxi_step step = fixture_step(&f);
            result = phxi_efg_reset(fixture_efg(&f), &step, 1);
            heap.fail_at = -1;
            done = result == PHX_OK;
            ENSURE_OK(fixture_substep(&f, 1e-6));
        } else {
            heap.fail_at = -1;
            ENSURE(f.body_count == 1 && fixture_efg(&f)->slots.count == 1);
            ENSURE_OK(fixture_add(&f, BCC, 3, 3, 3, phxi_vec3(1, 0, 0)));
        }
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        ENSURE_OK(fixture_substep(&f, 1e-6));
        fixture_destroy(&f);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
}

TEST(elastic_bodies_have_no_fields_of_it) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, nowhere));
    ENSURE(!phxi_particles_field(&f.particles, "efg.plastic"));
    f.material.yield = 0.1;
    REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(1, 0, 0)));
    ENSURE(phxi_particles_field(&f.particles, "efg.plastic"));
    f.params[2].path = EFG_PATH_LATTICE;
    ENSURE_RESULT(fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(2, 0, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("yield");
    fixture_destroy(&f);
}
