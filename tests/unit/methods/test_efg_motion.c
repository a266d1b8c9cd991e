// SPDX-License-Identifier: MIT
// Bodies in motion: momenta over 10 000 steps, docs/theory/efg.md T9, integrators, restart, threads, memory, stability.
#include "support/efg_fixture.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

static void spin(efg_fixture* f, phx_vec3 velocity, phx_vec3 omega) {
    phxi_particles* p = &f->particles;
    phx_vec3 center = {0};
    for (int i = 0; i < p->count; ++i) {
        center = phxi_add_scaled(center, 1.0 / p->count, phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), center);
        phx_vec3 v = phxi_add(velocity, phxi_cross(omega, r));
        p->vx[i] += (phx_real)v.x;
        p->vy[i] += (phx_real)v.y;
        p->vz[i] += (phx_real)v.z;
    }
}

static bool make(efg_fixture* f, int integrator, lattice kind, int n) {
    f->params[0].integrator = integrator;
    return phxt_result(__FILE__, __LINE__, "fixture_add", fixture_add(f, kind, n, n, n, phxi_vec3(0, 0, 0)), PHX_OK);
}

TEST(t9_spinning_block) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE(make(&f, integrator, CUBIC, 4));
        spin(&f, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 20));
        phx_totals before = fixture_measure(&f);
        double dt = 0.4 * 0.18 * sqrt(1e-3);
        for (int k = 0; k < 400; ++k) {
            REQUIRE_OK(fixture_substep(&f, dt));
        }
        phx_totals after = fixture_measure(&f);
        double drift = phxi_distance(after.angular_momentum, before.angular_momentum);
        ENSURE_NEAR(drift / phxi_length(before.angular_momentum), 0, BOUND(1e-13, 2e-5));
        ENSURE_NEAR((after.kinetic + after.elastic) / before.kinetic, 1, 1e-3);
        fixture_destroy(&f);
    }
}

TEST(free_bodies_keep_their_momenta_over_10000_steps) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE(make(&f, integrator, integrator % 2 ? BCC : CUBIC, 3));
        spin(&f, phxi_vec3(0.1, 0.2, -0.3), phxi_vec3(3, 4, 5));
        fixture_shake(&f, 0.05, 11);
        phx_totals before = fixture_measure(&f);
        double moments = 0, impulses = 0, dt = 0.9 * fixture_stable_dt(&f);
        for (int i = 0; i < f.particles.count; ++i) {
            phx_vec3 x = {f.particles.x[i], f.particles.y[i], f.particles.z[i]};
            phx_vec3 v = {f.particles.vx[i], f.particles.vy[i], f.particles.vz[i]};
            moments += (double)f.particles.mass[i] * phxi_length(phxi_cross(x, v));
            impulses += (double)f.particles.mass[i] * phxi_length(v);
        }
        double energy = before.kinetic + before.elastic, worst = 0;
        for (int k = 0; k < 10000; ++k) {
            REQUIRE_OK(fixture_substep(&f, dt));
            if (k % 500 == 0) {
                phx_totals now = fixture_measure(&f);
                worst = fmax(worst, fabs(now.kinetic + now.elastic - energy) / energy);
            }
        }
        phx_totals after = fixture_measure(&f);
        double linear = phxi_distance(after.momentum, before.momentum) / impulses;
        phx_vec3 turn = after.angular_momentum;
        double angular = phxi_distance(turn, before.angular_momentum) / moments;
        ENSURE_NEAR(linear, 0, BOUND(1e-12, 1e-3));
        ENSURE_NEAR(angular, 0, BOUND(1e-12, 1e-3));
        // velocities at the same time as positions: the energy of modes near the limit swings, and does not drift
        ENSURE_NEAR(worst, 0, 0.25);
        fixture_destroy(&f);
    }
}

TEST(free_fall_is_exact) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.gravity = phxi_vec3(0, 0, -10);
        REQUIRE(make(&f, integrator, CUBIC, 3));
        double z = (double)f.particles.z[0], time = 0;
        for (int k = 0; k < 200; ++k) {
            double dt = k % 7 == 0 ? 1e-3 : 5e-4; // steps of changing size
            REQUIRE_OK(fixture_substep(&f, dt));
            time += dt;
        }
        ENSURE_NEAR(f.particles.z[0], z - 5 * time * time, BOUND(1e-13, 1e-7));
        ENSURE_NEAR(f.particles.vz[0], -10 * time, BOUND(1e-13, 2e-6));
        fixture_destroy(&f);
    }
}

TEST(integrators_give_the_same_path) {
    double x[4], v[4];
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE(make(&f, integrator, CUBIC, 4));
        fixture_shake(&f, 0.05, 3);
        for (int i = 0; i < f.particles.count; ++i) {
            f.particles.fx[i] = (phx_real)(0.1 * (i % 5));
            f.particles.fixed[i] = i == 0;
        }
        for (int k = 0; k < 100; ++k) {
            REQUIRE_OK(fixture_substep(&f, k < 50 ? 1e-3 : 7e-4));
        }
        x[integrator] = (double)f.particles.x[17];
        v[integrator] = (double)f.particles.vx[17];
        fixture_destroy(&f);
    }
    for (int k = 0; k < 3; ++k) {
        ENSURE_NEAR(x[k], x[3], BOUND(1e-11, 1e-5));
        ENSURE_NEAR(v[k], v[3], BOUND(1e-9, 1e-3));
    }
}

TEST(tiny_steps_of_slow_bodies_are_not_lost) {
    // 1e-9 m per step at x = 100 m: far below what a float there can hold
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 2, 2, 2, phxi_vec3(100, 0, 0)));
    double x = (double)f.particles.x[0];
    for (int i = 0; i < f.particles.count; ++i) {
        f.particles.vx[i] = (phx_real)1e-3;
    }
    for (int k = 0; k < 20000; ++k) {
        REQUIRE_OK(fixture_substep(&f, 1e-6));
    }
    const phx_real* low = f.particles.low[0];
    ENSURE_NEAR((double)f.particles.x[0] + (double)low[0], x + 2e-5, 1e-9);
    fixture_destroy(&f);
}

TEST(fixed_particles_are_left_alone_and_let_go) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.gravity = phxi_vec3(0, 0, -10);
        REQUIRE(make(&f, integrator, CUBIC, 3));
        phxi_particles* p = &f.particles;
        double x0[27];
        for (int i = 0; i < p->count; ++i) {
            x0[i] = (double)p->x[i];
            p->fixed[i] = 1;
        }
        for (int k = 1; k <= 10; ++k) {
            for (int i = 0; i < p->count; ++i) {
                p->x[i] = (phx_real)(x0[i] + 1e-3 * k);
                p->vx[i] = 1;
            }
            REQUIRE_OK(fixture_substep(&f, 1e-3));
            ENSURE((double)p->x[3] == (double)(phx_real)(x0[3] + 1e-3 * k) && p->vz[3] == 0);
        }
        for (int i = 0; i < p->count; ++i) {
            p->fixed[i] = 0;
        }
        double z = (double)p->z[5], x = (double)p->x[5];
        for (int k = 0; k < 10; ++k) {
            REQUIRE_OK(fixture_substep(&f, 1e-3));
        }
        ENSURE_NEAR(p->x[5], x + 0.01, BOUND(1e-12, 1e-6));
        ENSURE_NEAR(p->z[5], z - 5e-4, BOUND(1e-12, 1e-6));
        ENSURE_NEAR(p->vx[5], 1, BOUND(1e-9, 1e-4));
        fixture_destroy(&f);
    }
}

TEST(velocities_set_from_outside_are_taken_over) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE(make(&f, integrator, CUBIC, 3));
        for (int k = 0; k < 5; ++k) {
            REQUIRE_OK(fixture_substep(&f, 1e-3));
        }
        for (int i = 0; i < f.particles.count; ++i) {
            f.particles.vy[i] = 2;
        }
        double y = (double)f.particles.y[4];
        for (int k = 0; k < 5; ++k) {
            REQUIRE_OK(fixture_substep(&f, 1e-3));
        }
        ENSURE_NEAR(f.particles.y[4], y + 0.01, BOUND(1e-13, 1e-6));
        fixture_destroy(&f);
    }
}

TEST(external_forces_are_those_of_leapfrog) {
    // a penalty spring on every particle, as contact gives it: energy must not grow
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE(make(&f, integrator, CUBIC, 2));
        double stiffness = 1e5, most = 0, late = 0; // omega dt = 0.32
        phxi_particles* p = &f.particles;
        double z0[8];
        for (int i = 0; i < 8; ++i) {
            z0[i] = (double)p->z[i];
            p->vz[i] = 1;
        }
        for (int k = 0; k < 4000; ++k) {
            double reach = 0;
            for (int i = 0; i < 8; ++i) {
                p->fz[i] = (phx_real)(-stiffness * ((double)p->z[i] - z0[i]));
                reach = fmax(reach, fabs((double)p->z[i] - z0[i]));
            }
            most = k < 400 ? fmax(most, reach) : most;
            late = k >= 3600 ? fmax(late, reach) : late;
            REQUIRE_OK(fixture_substep(&f, 1e-3));
        }
        ENSURE_NEAR(late / most, 1, 0.01);
        fixture_destroy(&f);
    }
}

TEST(damping_spares_rigid_motion) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.damping = 20;
        REQUIRE(make(&f, integrator, CUBIC, 4));
        spin(&f, phxi_vec3(1, 0, 0), phxi_vec3(0, 0, 2));
        phx_totals start = fixture_measure(&f);
        fixture_shake(&f, 0.05, 3);
        for (int k = 0; k < 600; ++k) {
            REQUIRE_OK(fixture_substep(&f, 1e-3));
        }
        phx_totals end = fixture_measure(&f);
        if (integrator == PHXI_DAMPED_VERLET) {
            ENSURE_NEAR(phxi_length(end.momentum) / phxi_length(start.momentum), exp(-12), 1e-6);
        } else {
            ENSURE_NEAR(phxi_distance(end.momentum, start.momentum) / phxi_length(start.momentum), 0,
                        BOUND(1e-12, 1e-4));
            ENSURE_NEAR((end.kinetic + end.elastic) / start.kinetic, 1, 0.01);
        }
        fixture_destroy(&f);
    }
}

TEST(damping_brings_clamped_bodies_to_rest) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.material.damping = 30;
    f.gravity = phxi_vec3(0, 0, -9.81);
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 3, 3, phxi_vec3(0, 0, 0)));
    for (int i = 0; i < f.particles.count; ++i) {
        f.particles.fixed[i] = f.particles.x[i] < (phx_real)0.1;
    }
    for (int k = 0; k < 2000; ++k) {
        REQUIRE_OK(fixture_substep(&f, 1e-3));
    }
    phx_totals t = fixture_measure(&f);
    ENSURE(t.elastic > 1e-2);
    ENSURE(t.max_speed < 1e-4);
    fixture_destroy(&f);
}

static void copy_state(efg_fixture* to, const efg_fixture* from) {
    for (int k = 0; k < from->particles.field_count; ++k) {
        const phxi_field* field = &from->particles.fields[k];
        if (field->def.saved) {
            memcpy(phxi_particles_field(&to->particles, field->def.name), field->data,
                   (size_t)from->particles.count * phxi_field_size(field->def.type));
        }
    }
    memcpy(to->method->saving->words(to->state), from->method->saving->words(from->state),
           (size_t)to->method->saving->word_count * sizeof(double));
    phxi_step step = fixture_step(to);
    ENSURE_OK(to->method->saving->restored(to->state, &step));
}

TEST(restart_gives_the_same_bits) {
    for (int integrator = 0; integrator < 4; ++integrator) {
        efg_fixture a, b;
        efg_fixture* const both[2] = {&a, &b};
        for (int k = 0; k < 2; ++k) {
            REQUIRE_OK(fixture_init(both[k], NULL, k + 1));
            both[k]->gravity = phxi_vec3(0, 1, -10);
            both[k]->material.damping = integrator % 2 ? 3 : 0;
            both[k]->params[1].integrator = PHXI_VELOCITY_VERLET;
            REQUIRE(make(both[k], integrator, CUBIC, 5));
            REQUIRE_OK(fixture_add(both[k], BCC, 4, 3, 3, phxi_vec3(2, 0, 0)));
        }
        fixture_shake(&a, 0.05, 4);
        spin(&a, phxi_vec3(0, 1, 0), phxi_vec3(2, 0, 0));
        for (int k = 0; k < 40; ++k) {
            for (int i = 0; i < a.particles.count; ++i) {
                a.particles.fx[i] = (phx_real)(k * 0.01 * (i % 3));
            }
            REQUIRE_OK(fixture_substep(&a, 1e-3 - 1e-5 * (k / 10)));
        }
        (void)fixture_stable_dt(&a);
        copy_state(&b, &a);
        ENSURE_NEAR(fixture_stable_dt(&b), fixture_stable_dt(&a), 0);
        for (int k = 0; k < 40; ++k) {
            REQUIRE_OK(fixture_substep(&a, 1e-3));
            if (k == 20) {
                (void)fixture_measure(&a); // looking does not change anything
            }
            memcpy(b.particles.fx, a.particles.fx, (size_t)a.particles.count * sizeof(phx_real));
            REQUIRE_OK(fixture_substep(&b, 1e-3));
        }
        ENSURE(phxi_particles_hash(&a.particles) == phxi_particles_hash(&b.particles));
        fixture_destroy(&a);
        fixture_destroy(&b);
    }
}

TEST(thread_counts_give_the_same_bits) {
    uint64_t first = 0;
    double energy = 0, dt = 0;
    const int threads[4] = {1, 2, 3, 8};
    for (int k = 0; k < 4; ++k) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, threads[k]));
        f.material.damping = 1;
        f.jitter = 0.2;
        REQUIRE(make(&f, PHXI_VELOCITY_VERLET, CUBIC, 9));
        for (int m = 0; m < 20; ++m) {
            REQUIRE_OK(fixture_add(&f, BCC, 3, 2, 2, phxi_vec3(2 + m, 0, 0)));
        }
        fixture_shake(&f, 0.05, 4);
        for (int n = 0; n < 20; ++n) {
            REQUIRE_OK(fixture_substep(&f, 5e-4));
        }
        uint64_t hash = phxi_particles_hash(&f.particles);
        double now = fixture_measure(&f).elastic, stable = fixture_stable_dt(&f);
        if (k == 0) {
            first = hash, energy = now, dt = stable;
        }
        ENSURE(hash == first);
        ENSURE_NEAR(now, energy, 0);
        ENSURE_NEAR(stable, dt, 0);
        fixture_destroy(&f);
    }
}

TEST(substeps_allocate_nothing) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, &heap.allocator, 2));
    f.material.damping = 1;
    REQUIRE(make(&f, PHXI_LEAPFROG, CUBIC, 6));
    int64_t before = heap.allocations;
    for (int k = 0; k < 5; ++k) {
        REQUIRE_OK(fixture_substep(&f, 1e-3));
        (void)fixture_stable_dt(&f);
        (void)fixture_measure(&f);
    }
    ENSURE(heap.allocations == before);
    fixture_destroy(&f);
    ENSURE(heap.live == 0);
}

TEST(trouble_names_the_lowest_particle) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 2));
    REQUIRE(make(&f, PHXI_VELOCITY_VERLET, CUBIC, 6));
    REQUIRE_OK(fixture_substep(&f, 1e-3));
    f.particles.vx[150] = (phx_real)NAN;
    phxi_step step = fixture_step(&f);
    phxi_trouble trouble;
    REQUIRE_OK(f.method->substep(f.state, &step, 1e-3, &trouble));
    ENSURE(trouble.particle >= 0 && trouble.particle <= 150);
    const phxi_efg* efg = f.state;
    int lowest = 150;
    for (int k = efg->start.items[150]; k < efg->start.items[151]; ++k) {
        int j = efg->offset.items[k] / (int)sizeof(phxi_r4);
        for (int m = efg->start.items[j]; m < efg->start.items[j + 1]; ++m) {
            int i = efg->offset.items[m] / (int)sizeof(phxi_r4);
            lowest = i < lowest ? i : lowest;
        }
    }
    ENSURE(trouble.particle == lowest);
    ENSURE(trouble.stage && trouble.stage[0]);
    fixture_destroy(&f);
}

static double max_speed(const efg_fixture* f) {
    double most = 0;
    for (int i = 0; i < f->particles.count; ++i) {
        most = fmax(most, fabs((double)f->particles.vx[i]));
    }
    return most;
}

TEST(a_blow_up_that_stays_finite_is_noticed) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.law = law;
        REQUIRE(make(&f, PHXI_VELOCITY_VERLET, CUBIC, 5));
        fixture_shake(&f, 0.01, 3);
        phx_result result = PHX_OK;
        for (int k = 0; k < 2000 && result == PHX_OK; ++k) {
            result = fixture_substep(&f, 0.02);
        }
        ENSURE(result == PHX_ERROR_UNSTABLE);
        fixture_destroy(&f);
    }
}

/// Growth of the speed of a slightly shaken block in `steps` steps.
static double growth(lattice kind, double support, double dt, int steps) {
    efg_fixture f;
    if (fixture_init(&f, NULL, 1) != PHX_OK) {
        return NAN;
    }
    f.params[0].support = support;
    if (fixture_add(&f, kind, 6, 6, 6, phxi_vec3(0, 0, 0)) != PHX_OK) {
        return NAN;
    }
    fixture_shake(&f, 1e-5, 3);
    double early = 0, late = 0;
    for (int k = 0; k < steps; ++k) {
        if (fixture_substep(&f, dt) != PHX_OK) {
            fixture_destroy(&f);
            return INFINITY;
        }
        double speed = max_speed(&f);
        early = k < 4 ? fmax(early, speed) : early;
        late = k >= steps * 7 / 8 ? fmax(late, speed) : late;
    }
    fixture_destroy(&f);
    return late / early;
}

TEST(t7_largest_stable_step) {
    const struct {
        lattice kind;
        double support, limit; // of docs/theory/efg.md T7, over h sqrt(rho/E)
    } cases[] = {{CUBIC, 1.5, 0.523}, {CUBIC, 1.8, 0.508}, {CUBIC, 2.1, 0.453}, {CUBIC, 2.6, 0.433},
                 {BCC, 1.05, 0.513},  {BCC, 1.2, 0.524},   {BCC, 1.5, 0.474},   {BCC, 2.0, 0.457}};
    for (int k = 0; k < 8; ++k) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.params[0].support = cases[k].support;
        REQUIRE_OK(fixture_add(&f, cases[k].kind, 6, 6, 6, phxi_vec3(0, 0, 0)));
        phxi_r4* scratch = phxi_alloc(&f.heap, (size_t)f.particles.count, sizeof *scratch, "test");
        phxi_step step = fixture_step(&f);
        double unit = cases[k].support * 0.1 * sqrt(1e-3);
        double limit = phxi_efg_spectral_dt(f.state, &step, 0, 300, scratch);
        ENSURE_NEAR(limit / unit, cases[k].limit, 0.006);
        double stable = fixture_stable_dt(&f);
        ENSURE(stable < limit);
        ENSURE(stable > 0.6 * limit);
        phxi_free(&f.heap, scratch);
        fixture_destroy(&f);
    }
}

TEST(the_stable_step_is_stable_and_a_little_above_the_limit_is_not) {
    const double supports[2] = {1.8, 1.2};
    const lattice kinds[2] = {CUBIC, BCC};
    const double limits[2] = {0.508, 0.524};
    for (int k = 0; k < 2; ++k) {
        double unit = supports[k] * 0.1 * sqrt(1e-3);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE_OK(fixture_add(&f, kinds[k], 6, 6, 6, phxi_vec3(0, 0, 0)));
        double stable = fixture_stable_dt(&f);
        fixture_destroy(&f);
        ENSURE(growth(kinds[k], 0, stable, 500) < 5);
        ENSURE(growth(kinds[k], 0, 0.97 * limits[k] * unit, 500) < 20);
        ENSURE(growth(kinds[k], 0, 1.03 * limits[k] * unit, 500) > 100);
    }
}

static phx_vec3 widen(phx_vec3 x, void* context) {
    return phxi_vec3(*(const double*)context * x.x, x.y, x.z);
}

static double stable_dt_at(efg_fixture* f, double time) {
    char reason[160];
    phxi_step step = fixture_step(f);
    step.time = time;
    return f->method->stable_dt(f->state, &step, reason);
}

// A blow that is over leaves no shorter step behind, but not at once: the step must not follow every swing.
TEST(a_step_that_is_not_needed_any_more_is_left_after_a_while) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 6, 6, phxi_vec3(0, 0, 0)));
    double rest = stable_dt_at(&f, 0), stretch = 1.04, back = 1 / stretch;
    fixture_deform(&f, widen, &stretch);
    double stretched = stable_dt_at(&f, 10 * rest);
    ENSURE(stretched < 0.9 * rest && stretched > 0.8 * rest); // a quarter octave
    fixture_deform(&f, widen, &back);
    ENSURE(stable_dt_at(&f, 20 * rest) == stretched);
    ENSURE(stable_dt_at(&f, 900 * rest) == stretched);
    ENSURE(stable_dt_at(&f, 1100 * rest) == rest);
    ENSURE(stable_dt_at(&f, 1100 * rest) == rest); // asking changes nothing
    fixture_destroy(&f);
}

TEST(light_particles_make_the_step_smaller) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 6, 6, phxi_vec3(0, 0, 0)));
    double whole = fixture_stable_dt(&f);
    // particles with a tenth of the mass and volume, as samplers make them at surfaces
    phxi_efg* efg = f.state;
    for (int i = 0; i < f.particles.count; ++i) {
        const phxi_particles* p = &f.particles;
        if (((int)(p->x[i] * 10) + 2 * (int)(p->y[i] * 10) + 3 * (int)(p->z[i] * 10)) % 5 == 0) {
            f.particles.mass[i] *= (phx_real)0.1;
            f.particles.volume[i] *= (phx_real)0.1;
        }
    }
    phxi_step step = fixture_step(&f);
    efg->slots.count = 0, efg->blocks.count = 0, efg->offset.count = efg->gradient.count = 0, efg->u.count = 0;
    efg->rows.count = 0, efg->groups.count = efg->lanes.count = 0, efg->flats.count = 0, efg->sums.count = 0;
    efg->start.count = 0;
    REQUIRE_OK(f.method->add_body(f.state, &step, 0));
    double light = fixture_stable_dt(&f);
    ENSURE(light < 0.8 * whole);
    fixture_shake(&f, 1e-3, 3);
    for (int k = 0; k < 1000; ++k) {
        REQUIRE_OK(fixture_substep(&f, light));
    }
    ENSURE(fixture_measure(&f).max_speed < 1);
    fixture_destroy(&f);
}

static phx_vec3 pull(phx_vec3 x, void* context) {
    return phxi_vec3(*(double*)context * x.x, x.y, x.z);
}

TEST(stretch_makes_the_step_smaller_in_few_levels) {
    double most = 0;
    for (int law = 0; law < 2; ++law) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.law = law ? PHX_LAW_NEO_HOOKEAN : PHX_LAW_STVK;
        REQUIRE(make(&f, PHXI_VELOCITY_VERLET, CUBIC, 4));
        double rest = fixture_stable_dt(&f), factor = 2;
        fixture_deform(&f, pull, &factor);
        double pulled = fixture_stable_dt(&f);
        if (law == 0) {
            ENSURE(pulled <= rest / sqrt(5.5) && pulled > 0.8 * rest / sqrt(5.5));
        } else {
            ENSURE_NEAR(pulled, rest, 0); // softens
        }
        // a little less changes nothing, a lot less does
        factor = 0.95;
        fixture_deform(&f, pull, &factor);
        ENSURE_NEAR(fixture_stable_dt(&f), pulled, 0);
        factor = 1 / 1.9;
        fixture_deform(&f, pull, &factor);
        ENSURE_NEAR(fixture_stable_dt(&f), rest, 0);
        factor = 0.4;
        fixture_deform(&f, pull, &factor);
        double pressed = fixture_stable_dt(&f);
        ENSURE(law == 0 ? pressed == rest : pressed < 0.6 * rest);
        most = fmax(most, pressed);
        fixture_destroy(&f);
    }
    ENSURE(most > 0);
}
