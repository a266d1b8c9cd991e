// SPDX-License-Identifier: MIT
// Implicit steps of efg bodies: the operator (docs/theory/implicit_steps.md S1), momenta, threads, restart, memory.
#include "support/efg_fixture.h"

#include "math/decompose3.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

static bool make(efg_fixture* f, int threads, double young, int integrator, int n) {
    if (fixture_init(f, NULL, threads) != PHX_OK) {
        return false;
    }
    f->material.young = young;
    f->material.law = PHX_LAW_COROTATED;
    f->params[0].integrator = integrator;
    return phxt_result(__FILE__, __LINE__, "fixture_add", fixture_add(f, CUBIC, n, n, n, phxi_vec3(0, 0, 0)), PHX_OK);
}

static void kick(efg_fixture* f, double speed, uint64_t seed) {
    for (int i = 0; i < f->particles.count; ++i) {
        f->particles.vx[i] += (phx_real)(speed * (2 * phxt_random(&seed) - 1));
        f->particles.vy[i] += (phx_real)(speed * (2 * phxt_random(&seed) - 1));
        f->particles.vz[i] += (phx_real)(speed * (2 * phxt_random(&seed) - 1));
    }
}

static phx_result run_steps(efg_fixture* f, int count) {
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(fixture_substep(f, 1.0 / 60));
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- operator

/// Which tangent.
typedef enum kind { FROZEN, PROJECTED, EXACT } kind;

/// K q of the tangent at the positions as they are, world axes; q and result by particle.
static void product(efg_fixture* f, kind tangent, const phx_vec3* q, phx_vec3* kq) {
    phxi_step step = fixture_step(f);
    phxi_efg* efg = fixture_efg(f);
    phxi_efg_slot* slot = &efg->slots.items[0];
    phxi_efg_refresh(efg, &step, 0);
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_stress(efg, &f->bodies[0].elastic, false, &efg->blocks.items[b]);
    }
    slot->projected = tangent != FROZEN;
    for (int b = 0; slot->projected && b < efg->blocks.count; ++b) {
        phxi_efg_project(efg, &f->bodies[0].elastic, tangent == EXACT, &efg->blocks.items[b]);
    }
    phxi_mat3 r = slot->frame.rotation, back = phxi_mat3_transpose(&r);
    int n = slot->count;
    phx_real* planes = calloc(3 * (size_t)n, sizeof *planes);
    for (int i = 0; i < n; ++i) {
        phx_vec3 u = phxi_mat3_apply(&back, q[i]);
        planes[i] = (phx_real)u.x, planes[n + i] = (phx_real)u.y, planes[2 * n + i] = (phx_real)u.z;
    }
    const phx_real* const in[3] = {planes, planes + n, planes + 2 * n};
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_fill_with(efg, in, &efg->blocks.items[b]);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_tangent(efg, &f->bodies[0].elastic, &efg->blocks.items[b]);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        _Alignas(64) phx_real force[3][EFG_BLOCK];
        const phxi_efg_block* block = &efg->blocks.items[b];
        phxi_efg_force(efg, block, force);
        for (int k = 0; k < block->count; ++k) {
            phx_vec3 at = phxi_vec3(-force[0][k], -force[1][k], -force[2][k]);
            kq[block->row - slot->row + k] = phxi_mat3_apply(&r, at);
        }
    }
    free(planes);
}

static double dot(const phx_vec3* a, const phx_vec3* b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += phxi_dot(a[i], b[i]);
    }
    return sum;
}

enum { MOST = 125 };

static void random_field(phx_vec3* q, int n, uint64_t* seed) {
    for (int i = 0; i < n; ++i) {
        q[i] = phxi_vec3(phxt_random(seed) - 0.5, phxt_random(seed) - 0.5, phxt_random(seed) - 0.5);
    }
}

TEST(tangent_is_symmetric_and_positive) {
    efg_fixture f;
    REQUIRE(make(&f, 1, 1e6, PHXI_BDF2, 5));
    REQUIRE_OK(run_steps(&f, 1)); // work space
    fixture_shake(&f, 0.1, 3);
    phx_vec3 a[MOST], b[MOST], ka[MOST], kb[MOST];
    uint64_t seed = 5;
    for (int k = 0; k < 20; ++k) {
        kind tangent = k % 2 ? PROJECTED : FROZEN;
        random_field(a, MOST, &seed);
        random_field(b, MOST, &seed);
        product(&f, tangent, a, ka);
        product(&f, tangent, b, kb);
        double size = sqrt(dot(ka, ka, MOST) * dot(b, b, MOST));
        ENSURE_NEAR((dot(a, kb, MOST) - dot(b, ka, MOST)) / size, 0, BOUND(1e-14, 1e-6));
        ENSURE(dot(a, ka, MOST) > 0);
    }
    fixture_destroy(&f);
}

TEST(rotation_is_in_the_null_space) {
    efg_fixture f;
    REQUIRE(make(&f, 1, 1e6, PHXI_BDF2, 5));
    REQUIRE_OK(run_steps(&f, 1));
    phx_vec3 q[MOST], kq[MOST], any[MOST], kany[MOST];
    uint64_t seed = 5;
    for (int i = 0; i < MOST; ++i) {
        q[i] = phxi_cross(phxi_vec3(1, 2, 3), phxi_vec3(f.particles.x[i], f.particles.y[i], f.particles.z[i]));
    }
    random_field(any, MOST, &seed);
    product(&f, FROZEN, q, kq);
    product(&f, FROZEN, any, kany);
    double scale = sqrt(dot(kany, kany, MOST) / dot(any, any, MOST) * dot(q, q, MOST));
    ENSURE_NEAR(sqrt(dot(kq, kq, MOST)) / scale, 0, BOUND(1e-14, 1e-6));
    fixture_destroy(&f);
}

#define STEP BOUND(1e-6, 1e-3) // m, of a difference

static phx_vec3 place_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

// At rest the frozen tangent is the exact one, for every law; elsewhere the exact one is.
TEST(tangent_is_the_derivative_of_forces) {
    for (int k = 0; k < 2 * PHX_LAW_COUNT; ++k) {
        int law = k / 2;
        kind tangent = k % 2 ? EXACT : FROZEN;
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.material.law = law;
        f.params[0].integrator = PHXI_BDF2;
        f.params[0].volume_stiffness = 1e5;
        REQUIRE_OK(fixture_add(&f, CUBIC, 4, 4, 4, phxi_vec3(0, 0, 0)));
        REQUIRE_OK(run_steps(&f, 1));
        phx_vec3 q[64], kq[64], up[64], down[64];
        uint64_t seed = 9;
        random_field(q, 64, &seed);
        if (tangent == EXACT) {
            fixture_shake(&f, 0.1, 3);
        }
        phx_vec3 base[64];
        for (int i = 0; i < 64; ++i) {
            base[i] = place_of(&f.particles, i);
        }
        product(&f, tangent, q, kq);
        phxi_step step = fixture_step(&f);
        for (int side = 0; side < 2; ++side) {
            double h = side ? -STEP : STEP;
            phxi_efg* efg = fixture_efg(&f);
            for (int i = 0; i < 64; ++i) {
                phxi_particles* p = &f.particles;
                p->x[i] = (phx_real)(base[i].x + h * q[i].x);
                p->y[i] = (phx_real)(base[i].y + h * q[i].y);
                p->z[i] = (phx_real)(base[i].z + h * q[i].z);
            }
            phxi_efg_refresh(efg, &step, 0);
            for (int b = 0; b < efg->blocks.count; ++b) {
                phxi_efg_stress(efg, &f.bodies[0].elastic, false, &efg->blocks.items[b]);
            }
            _Alignas(64) phx_real force[3][EFG_BLOCK];
            phxi_efg_force(efg, &efg->blocks.items[0], force);
            for (int i = 0; i < 64; ++i) {
                phx_vec3 at = phxi_vec3(force[0][i], force[1][i], force[2][i]);
                (side ? down : up)[i] = phxi_mat3_apply(&efg->slots.items[0].frame.rotation, at);
            }
        }
        double error = 0;
        for (int i = 0; i < 64; ++i) {
            phx_vec3 slope = phxi_scale(-0.5 / STEP, phxi_sub(up[i], down[i]));
            error += pow(phxi_distance(slope, kq[i]), 2);
        }
        ENSURE_NEAR(sqrt(error / dot(kq, kq, 64)), 0, BOUND(1e-6, 1e-2));
        fixture_destroy(&f);
    }
}

// -------------------------------------------------------------------------------------------------------- motion

TEST(free_bodies_keep_their_momenta) {
    for (int integrator = PHXI_BDF2; integrator <= PHXI_IMPLICIT_EULER; ++integrator) {
        efg_fixture f;
        REQUIRE(make(&f, 1, 1e7, integrator, 4));
        kick(&f, 0.3, 7);
        for (int i = 0; i < f.particles.count; ++i) {
            f.particles.vx[i] += (phx_real)(-2 * (double)f.particles.y[i]);
            f.particles.vy[i] += (phx_real)(2 * (double)f.particles.x[i]);
        }
        phx_totals before = fixture_measure(&f);
        REQUIRE_OK(run_steps(&f, 60));
        phx_totals after = fixture_measure(&f);
        double scale = phxi_length(before.momentum), turn = phxi_length(before.angular_momentum);
        ENSURE_NEAR(phxi_distance(after.momentum, before.momentum) / scale, 0, BOUND(1e-12, 1e-5));
        // about the origin: the arm of the momentum is only as exact as the linear solve
        ENSURE_NEAR(phxi_distance(after.angular_momentum, before.angular_momentum) / turn, 0, BOUND(1e-6, 2e-5));
        ENSURE(after.kinetic + after.elastic <= 1.0001 * (before.kinetic + before.elastic));
        fixture_destroy(&f);
    }
}

TEST(free_fall_is_exact) {
    efg_fixture f;
    REQUIRE(make(&f, 1, 1e8, PHXI_BDF2, 3));
    f.gravity = phxi_vec3(0, 0, -10);
    double start = (double)f.particles.z[0];
    REQUIRE_OK(run_steps(&f, 60));
    ENSURE_NEAR((double)f.particles.z[0] - start, -5, 1e-5);
    ENSURE_NEAR((double)f.particles.vz[0], -10, 1e-5);
    fixture_destroy(&f);
}

TEST(an_impulse_is_not_amplified) {
    efg_fixture f;
    REQUIRE(make(&f, 1, 1e6, PHXI_BDF2, 4));
    REQUIRE_OK(run_steps(&f, 3));
    kick(&f, 1, 3);
    phx_totals before = fixture_measure(&f);
    for (int k = 0; k < 30; ++k) {
        REQUIRE_OK(run_steps(&f, 1));
        phx_totals after = fixture_measure(&f);
        ENSURE(after.kinetic + after.elastic <= 1.0001 * (before.kinetic + before.elastic));
    }
    fixture_destroy(&f);
}

TEST(every_law_survives_a_squeeze) {
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        for (int integrator = PHXI_BDF2; integrator <= PHXI_IMPLICIT_EULER; ++integrator) {
            efg_fixture f;
            REQUIRE_OK(fixture_init(&f, NULL, 1));
            f.material.law = law;
            f.material.young = 1e7;
            f.params[0].integrator = integrator;
            REQUIRE_OK(fixture_add(&f, CUBIC, 4, 4, 4, phxi_vec3(0, 0, 0)));
            for (int i = 0; i < f.particles.count; ++i) {
                f.particles.z[i] *= (phx_real)0.5;
            }
            phx_totals before = fixture_measure(&f);
            REQUIRE_OK(run_steps(&f, 30));
            phx_totals after = fixture_measure(&f);
            ENSURE(after.kinetic + after.elastic <= 1.01 * before.elastic);
            fixture_destroy(&f);
        }
    }
}

TEST(auto_chooses_by_stiffness) {
    static const double youngs[] = {1e5, 1e11};
    static const int chosen[] = {PHXI_VELOCITY_VERLET, PHXI_BDF2};
    for (int k = 0; k < 2; ++k) {
        efg_fixture f;
        REQUIRE(make(&f, 1, youngs[k], PHXI_AUTOMATIC, 3));
        ENSURE(fixture_efg(&f)->slots.items[0].params.integrator == chosen[k]);
        phxi_step step = fixture_step(&f);
        char reason[160] = "";
        double dt = f.method->implicit->dt(f.state, &step, 0, reason);
        ENSURE((dt > 0) == (k == 1));
        ENSURE(k == 0 || strstr(reason, "auto"));
        fixture_destroy(&f);
    }
}

// -------------------------------------------------------------------------------------------------------- promises

TEST(same_bits_at_any_thread_count) {
    uint64_t hashes[3];
    for (int k = 0; k < 3; ++k) {
        efg_fixture f;
        REQUIRE(make(&f, k + 1, 1e7, PHXI_BDF2, 9));
        kick(&f, 5, 11);
        REQUIRE_OK(run_steps(&f, 8));
        hashes[k] = phxi_particles_hash(&f.particles);
        fixture_destroy(&f);
    }
    ENSURE(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

TEST(steps_allocate_nothing_after_the_first) {
    for (int integrator = PHXI_BDF2; integrator <= PHXI_IMPLICIT_EULER; ++integrator) {
        efg_fixture f;
        REQUIRE(make(&f, 2, 1e5, integrator, 4));
        kick(&f, 30, 2);
        REQUIRE_OK(run_steps(&f, 2));
        int64_t allocations = f.heap.allocations;
        REQUIRE_OK(run_steps(&f, 5));
        ENSURE(f.heap.allocations == allocations);
        fixture_destroy(&f);
    }
}

TEST(a_failed_allocation_is_reported) {
    for (int64_t n = 0; n < 200; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, n);
        efg_fixture f;
        phx_result result = fixture_init(&f, &heap.allocator, 1);
        f.params[0].integrator = PHXI_BDF2;
        if (result == PHX_OK) {
            result = fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(0, 0, 0));
        }
        if (result == PHX_OK) {
            result = run_steps(&f, 1);
        }
        fixture_destroy(&f);
        ENSURE(heap.live == 0);
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        if (result == PHX_OK) {
            ENSURE(n > 20);
            return;
        }
    }
    ENSURE(false); // never got through
}
