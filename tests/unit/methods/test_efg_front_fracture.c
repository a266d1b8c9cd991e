// SPDX-License-Identifier: MIT
// Bodies that break by cracks with fronts: what must hold through it. Known answers are in `phyxel validate`, the
// geometry of fronts in test_efg_crack_front.c.
#include "support/test.h"

#include "methods/efg/fracture/front_fracture.h"
#include "validate/trial.h"
#include "world/world.h"

static const double YOUNG = 1e6;
static const char* const block = "box(center=(0,0,0), size=(8,8,8))";

static phx_result make(phx_world** world, const char* shape, int sampling, int threads,
                       const phx_allocator* allocator) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = threads;
    if (allocator) {
        def.allocator = *allocator;
    }
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.strength = 0.02 * YOUNG;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_body_def body = phx_body_def_default();
    phx_setting setting = {"fracture", "front"};
    body.shape = shape;
    body.spacing = 1;
    body.sampling = sampling;
    body.material = id;
    // what fragments do to each other is not the subject; forces of contact are a substep old where velocities are
    // reported, so that angular momentum would show them
    body.contact_stiffness = 1e-9;
    body.settings = &setting;
    body.setting_count = 1;
    phx_body_id made;
    return phx_body_create(*world, &body, &made);
}

static phxi_efg_fracture* fracture_of(phx_world* world) {
    return ((phxi_efg*)world->solvers.items[0].state)->slots.items[0].fracture;
}

/// Velocities that tear it apart along x and turn it.
static void pull(phx_world* world, double rate) {
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = (double)p->x[i], y = (double)p->y[i], z = (double)p->z[i];
        p->vx[i] = (phx_real)(rate * (x - 0.3 * y));
        p->vy[i] = (phx_real)(rate * (0.3 * x + 0.2 * y));
        p->vz[i] = (phx_real)(rate * 0.1 * z);
    }
}

static phx_result run(phx_world* world, int substeps) {
    for (int k = 0; k < substeps; ++k) {
        phx_dt_info info; // falls when fragments touch
        PHXI_TRY(phx_world_dt(world, &info));
        PHXI_TRY(phx_world_substep(world, info.dt));
    }
    return PHX_OK;
}

/// `slack`: how far angular momentum may be off, over rounding of momenta: arms are several metres, 120 substeps round,
/// and rows whose neighbours all but miss a direction keep rotations to rounding over the smallest eigenvalue that
/// counts (1e-6 of a whole row's at worst).
static void break_up(const char* shape, int sampling, double rate, double slack) {
    phx_world* world;
    phx_totals before, after;
    REQUIRE_OK(make(&world, shape, sampling, 2, NULL));
    pull(world, rate);
    REQUIRE_OK(phx_world_measure(world, &before));
    phx_vec3 turning = phxi_trial_turning(world);
    REQUIRE_OK(run(world, 120));
    REQUIRE_OK(phx_world_measure(world, &after));
    ENSURE(fracture_of(world)->fragment_size.count > 1);
    double gross = 0, tolerance = sizeof(phx_real) == 8 ? 1e-14 : 1e-6;
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        gross += (double)p->mass[i] * phxi_length(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
    }
    ENSURE_NEAR(after.mass, before.mass, 0);
    ENSURE_NEAR(phxi_length(phxi_sub(after.momentum, before.momentum)), 0, tolerance * gross);
    ENSURE_NEAR(phxi_length(phxi_sub(phxi_trial_turning(world), turning)), 0,
                (sizeof(phx_real) == 8 ? slack : 20) * tolerance * gross);
    ENSURE(after.kinetic + after.elastic <= (1 + 1e-6) * (before.kinetic + before.elastic));
    phx_world_destroy(world);
}

TEST(bodies_break_and_keep_their_momenta) {
    break_up("box(center=(0,0,0), size=(14,6,6))", PHX_SAMPLING_UNIFORM, 0.5, 1e3);
}

TEST(lattices_with_particles_inside_cells) {
    break_up("box(center=(0,0,0), size=(10,5,5))", PHX_SAMPLING_BCC, 0.5, 1e3);
}

TEST(round_bodies) {
    break_up("sphere(center=(0,0,0), radius=4)", PHX_SAMPLING_UNIFORM, 1.6, 1e3);
}

TEST(bodies_sampled_by_an_octree) {
    break_up("box(center=(0,0,0), size=(6,3,3))", PHX_SAMPLING_OCTREE, 1.6, 1e4);
}

TEST(bonds_of_finished_cracks_are_cut) {
    phx_world* world;
    REQUIRE_OK(make(&world, block, PHX_SAMPLING_UNIFORM, 1, NULL));
    pull(world, 0.5);
    REQUIRE_OK(run(world, 100));
    const phxi_efg_fracture* f = fracture_of(world);
    const phxi_crack_set* set = &f->fronts->set;
    ENSURE(set->parent.count > 0 && f->bonds.count > 0);
    ENSURE(f->fronts->tested == set->surface.triangles.count);
    for (int k = 0; k < f->fronts->hits.count; ++k) {
        const phxi_efg_hit* hit = &f->fronts->hits.items[k];
        ENSURE(f->bonds.items[hit->bond].goal > 0);
        ENSURE(isfinite(phxi_cracks_distance(set, hit->crack, hit->at)));
    }
    for (int k = 0; k < f->bonds.count; ++k) {
        ENSURE(f->bonds.items[k].goal <= f->bonds.items[k].integrity);
        ENSURE((f->bonds.items[k].state == EFG_BOND_CUT) == (f->bonds.items[k].integrity == 0));
    }
    phx_world_destroy(world);
}

TEST(the_pattern_does_not_depend_on_threads) {
    uint64_t hash[3];
    const int threads[3] = {1, 2, 8};
    for (int k = 0; k < 3; ++k) {
        phx_world* world;
        REQUIRE_OK(make(&world, block, PHX_SAMPLING_UNIFORM, threads[k], NULL));
        pull(world, 0.5);
        REQUIRE_OK(run(world, 60));
        ENSURE(fracture_of(world)->bonds.count > 0);
        hash[k] = phx_world_hash(world);
        phx_world_destroy(world);
    }
    ENSURE(hash[0] == hash[1] && hash[0] == hash[2]);
}

/// Runs until fronts are about.
static phx_result run_into_it(phx_world* world) {
    pull(world, 0.5);
    for (int k = 0; k < 200 && phxi_cracks_live_nodes(&fracture_of(world)->fronts->set) < 8; ++k) {
        PHXI_TRY(run(world, 1));
    }
    return run(world, 3);
}

TEST(going_back_and_on_gives_the_same_bits) {
    phx_world* world;
    REQUIRE_OK(make(&world, block, PHX_SAMPLING_UNIFORM, 2, NULL));
    REQUIRE_OK(run_into_it(world));
    ENSURE(fracture_of(world)->fronts->hits.count > 0);
    uint64_t start = phx_world_hash(world);
    REQUIRE_OK(phxi_snapshot_take(world));
    REQUIRE_OK(run(world, 30));
    uint64_t end = phx_world_hash(world);
    REQUIRE_OK(phxi_snapshot_restore(world));
    ENSURE(phx_world_hash(world) == start);
    REQUIRE_OK(run(world, 30));
    ENSURE(phx_world_hash(world) == end);
    phx_world_destroy(world);
}

TEST(a_checkpoint_goes_on_with_the_same_bits) {
    phx_world *a, *b;
    char path[512];
    snprintf(path, sizeof path, "%s", phxt_path("fronts.phx"));
    REQUIRE_OK(make(&a, block, PHX_SAMPLING_UNIFORM, 2, NULL));
    REQUIRE_OK(run_into_it(a));
    REQUIRE_OK(phx_checkpoint_save(a, path));
    REQUIRE_OK(make(&b, block, PHX_SAMPLING_UNIFORM, 1, NULL));
    REQUIRE_OK(phx_checkpoint_load(b, path));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    REQUIRE_OK(run(a, 30));
    REQUIRE_OK(run(b, 30));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}

TEST(damaged_states_are_refused_and_change_nothing) {
    phx_world* world;
    REQUIRE_OK(make(&world, block, PHX_SAMPLING_UNIFORM, 1, NULL));
    REQUIRE_OK(run_into_it(world));
    size_t size;
    REQUIRE(phxi_world_packed_size(world, 0, &size));
    uint8_t* bytes = malloc(size);
    phxi_world_pack(world, 0, bytes);
    uint64_t before = phx_world_hash(world), state = 7;
    ENSURE_RESULT(phxi_world_unpack(world, 0, bytes, size - 1), PHX_ERROR_FORMAT);
    ENSURE(phx_world_hash(world) == before);
    // wrong bytes, most of them among the cracks at the end: refused, or taken without harm
    for (int k = 0; k < 150; ++k) {
        size_t at = (size_t)((k % 4 ? 0.5 + 0.5 * phxt_random(&state) : phxt_random(&state)) * (double)size);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(255 * phxt_random(&state));
        if (phxi_world_unpack(world, 0, bytes, size) == PHX_OK) {
            ENSURE_OK(phx_world_substep(world, 1e-6));
        }
        bytes[at] = old;
    }
    ENSURE_OK(phxi_world_unpack(world, 0, bytes, size));
    free(bytes);
    phx_world_destroy(world);
}

TEST(memory_may_run_out_anywhere) {
    bool done = false;
    for (int64_t n = 0; !done; n += 1 + n / 30) {
        phxt_heap failing;
        phxt_heap_init(&failing, n);
        phx_world* world;
        phx_result result =
            make(&world, "box(center=(0,0,0), size=(4,3,3))", PHX_SAMPLING_UNIFORM, 1, &failing.allocator);
        if (result == PHX_OK) {
            pull(world, 1);
            result = run(world, 60);
        }
        if (result == PHX_OK) {
            done = true;
            ENSURE(fracture_of(world)->bonds.count > 0);
        } else {
            ENSURE(result == PHX_ERROR_MEMORY);
        }
        phx_world_destroy(world);
        ENSURE(failing.live == 0);
    }
    ENSURE(done);
}
