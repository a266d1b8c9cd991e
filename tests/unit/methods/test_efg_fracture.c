// SPDX-License-Identifier: MIT
// Bodies that break: what must hold through it whatever breaks. Known answers are in `phyxel validate`.
#include "support/test.h"

#include "methods/efg/fracture/fracture.h"
#include "validate/trial.h"

typedef struct setup {
    phx_world* world;
    phx_body_id body;
} setup;

static const double YOUNG = 1e6;

static void setup_destroy(setup* s) {
    phx_world_destroy(s->world);
}

static phx_result make(setup* s, const char* shape, int threads, double strength, const phx_allocator* allocator) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = threads;
    if (allocator) {
        def.allocator = *allocator;
    }
    *s = (setup){0};
    PHXI_TRY(phx_world_create(&def, &s->world));
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.strength = strength;
    phx_material_id id;
    PHXI_TRY(phx_material_create(s->world, &material, &id));
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = 1;
    body.material = id;
    return phx_body_create(s->world, &body, &s->body);
}

static phxi_efg* efg_of(const setup* s) {
    return s->world->solvers.items[0].state;
}

static phxi_efg_fracture* fracture_of(const setup* s) {
    return efg_of(s)->slots.items[0].fracture;
}

static phx_result run(setup* s, int substeps) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(s->world, &info));
    for (int k = 0; k < substeps; ++k) {
        PHXI_TRY(phx_world_substep(s->world, info.dt));
    }
    return PHX_OK;
}

static const char* const block = "box(center=(0,0,0), size=(8,8,8))";

TEST(a_block_torn_apart_shatters_and_keeps_its_momenta) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0.02 * YOUNG, NULL));
    phxi_trial_explode(s.world, 3);
    phx_totals before, after;
    REQUIRE_OK(phx_world_measure(s.world, &before));
    phx_vec3 turning = phxi_trial_turning(s.world);
    REQUIRE_OK(run(&s, 150));
    REQUIRE_OK(phx_world_measure(s.world, &after));
    ENSURE(fracture_of(&s)->fragment_size.count > 4);
    ENSURE_NEAR(after.mass, before.mass, 0);
    double gross = phxi_trial_gross(s.world), tolerance = sizeof(phx_real) == 8 ? 1e-14 : 1e-6;
    ENSURE_NEAR(phxi_length(phxi_sub(after.momentum, before.momentum)), 0, tolerance * gross);
    ENSURE_NEAR(phxi_length(phxi_sub(phxi_trial_turning(s.world), turning)), 0, 8 * tolerance * gross);
    ENSURE(after.kinetic + after.elastic <= (1 + 1e-6) * (before.kinetic + before.elastic));
    setup_destroy(&s);
}

TEST(fragments_are_what_bonds_hold_together) {
    setup s;
    REQUIRE_OK(make(&s, block, 1, 0.02 * YOUNG, NULL));
    phxi_trial_explode(s.world, 3);
    REQUIRE_OK(run(&s, 100));
    phxi_step step = phxi_world_context(s.world, 0);
    phxi_efg_crack_stage stage = phxi_efg_crack_stage_of(efg_of(&s), &step, 0, 0);
    const phxi_efg_fracture* f = stage.fracture;
    int total = 0;
    for (int k = 0; k < f->fragment_size.count; ++k) {
        total += f->fragment_size.items[k];
    }
    ENSURE(total == f->count);
    for (int i = 0; i < f->count; ++i) {
        for (int pair = phxi_efg_pair_begin(&stage, i); pair < phxi_efg_pair_end(&stage, i); ++pair) {
            if (phxi_efg_pair_holds(f, pair)) {
                ENSURE(f->fragment[i] == f->fragment[phxi_efg_pair_other(&stage, pair)]);
            }
        }
    }
    // the number of pieces does not depend on the shortcut of skipping cuts that part nothing
    int count = f->fragment_size.count, none = 0;
    stage.fracture->split = true;
    ENSURE_OK(phxi_efg_find_fragments(&stage, NULL, &none));
    ENSURE(f->fragment_size.count == count);
    setup_destroy(&s);
}

TEST(the_pattern_does_not_depend_on_threads) {
    uint64_t hash[3];
    const int threads[3] = {1, 2, 8};
    for (int k = 0; k < 3; ++k) {
        setup s;
        REQUIRE_OK(make(&s, block, threads[k], 0.02 * YOUNG, NULL));
        phxi_trial_explode(s.world, 3);
        REQUIRE_OK(run(&s, 80));
        ENSURE(fracture_of(&s)->bonds.count > 100);
        hash[k] = phx_world_hash(s.world);
        setup_destroy(&s);
    }
    ENSURE(hash[0] == hash[1] && hash[0] == hash[2]);
}

TEST(going_back_and_on_gives_the_same_bits) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0.02 * YOUNG, NULL));
    phxi_trial_explode(s.world, 3);
    REQUIRE_OK(run(&s, 25)); // in the middle of it
    ENSURE(fracture_of(&s)->bonds.count > fracture_of(&s)->ramp_begin);
    uint64_t start = phx_world_hash(s.world);
    REQUIRE_OK(phxi_snapshot_take(s.world));
    REQUIRE_OK(run(&s, 40));
    uint64_t end = phx_world_hash(s.world);
    REQUIRE_OK(phxi_snapshot_restore(s.world));
    ENSURE(phx_world_hash(s.world) == start);
    REQUIRE_OK(run(&s, 40));
    ENSURE(phx_world_hash(s.world) == end);
    setup_destroy(&s);
}

TEST(a_checkpoint_goes_on_with_the_same_bits) {
    setup a, b;
    char path[512];
    snprintf(path, sizeof path, "%s", phxt_path("broken.phx"));
    REQUIRE_OK(make(&a, block, 2, 0.02 * YOUNG, NULL));
    phxi_trial_explode(a.world, 3);
    REQUIRE_OK(run(&a, 25));
    REQUIRE_OK(phx_checkpoint_save(a.world, path));
    REQUIRE_OK(make(&b, block, 1, 0.02 * YOUNG, NULL));
    REQUIRE_OK(phx_checkpoint_load(b.world, path));
    ENSURE(phx_world_hash(a.world) == phx_world_hash(b.world));
    REQUIRE_OK(run(&a, 30));
    REQUIRE_OK(run(&b, 30));
    ENSURE(phx_world_hash(a.world) == phx_world_hash(b.world));
    setup_destroy(&a);
    setup_destroy(&b);
}

TEST(damaged_states_are_refused_and_change_nothing) {
    setup s;
    REQUIRE_OK(make(&s, block, 1, 0.02 * YOUNG, NULL));
    phxi_trial_explode(s.world, 3);
    REQUIRE_OK(run(&s, 30));
    size_t size;
    REQUIRE(phxi_world_packed_size(s.world, 0, &size));
    uint8_t* bytes = malloc(size);
    phxi_world_pack(s.world, 0, bytes);
    uint64_t before = phx_world_hash(s.world), state = 7;
    ENSURE_RESULT(phxi_world_unpack(s.world, 0, bytes, size - 1), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phxi_world_unpack(s.world, 0, bytes, 3), PHX_ERROR_FORMAT);
    ENSURE(phx_world_hash(s.world) == before);
    // every other number wrong: refused, or taken without harm
    for (int k = 0; k < 300; ++k) {
        size_t at = (size_t)(phxt_random(&state) * (double)size);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(255 * phxt_random(&state));
        if (phxi_world_unpack(s.world, 0, bytes, size) == PHX_OK) {
            ENSURE_OK(phx_world_substep(s.world, 1e-6));
        }
        bytes[at] = old;
    }
    ENSURE_OK(phxi_world_unpack(s.world, 0, bytes, size));
    free(bytes);
    setup_destroy(&s);
}

TEST(a_body_without_strength_is_not_touched_by_any_of_this) {
    setup s;
    REQUIRE_OK(make(&s, block, 1, 0, NULL));
    ENSURE(fracture_of(&s) == NULL);
    size_t size;
    ENSURE(phxi_world_packed_size(s.world, 0, &size) && size == 0);
    setup_destroy(&s);
}

TEST(an_unloaded_body_with_strength_moves_as_one_without) {
    setup a, b;
    REQUIRE_OK(make(&a, block, 1, 0, NULL));
    REQUIRE_OK(make(&b, block, 1, 1e12, NULL));
    // particles are in another order, which energies do not know; volumes are those of cells, exact to 1e-10
    phxi_trial_explode(a.world, 0.1);
    phxi_trial_explode(b.world, 0.1);
    REQUIRE_OK(run(&a, 50));
    REQUIRE_OK(run(&b, 50));
    phx_totals x, y;
    REQUIRE_OK(phx_world_measure(a.world, &x));
    REQUIRE_OK(phx_world_measure(b.world, &y));
    ENSURE_NEAR(x.kinetic, y.kinetic, (sizeof(phx_real) == 8 ? 1e-9 : 1e-4) * x.kinetic);
    setup_destroy(&a);
    setup_destroy(&b);
}

static phx_result add_blade(setup* s, phx_vec3 velocity, double width) {
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_CUT;
    def.vector = velocity;
    def.center = (phx_vec3){0, 0.1, 5};
    def.axis = (phx_vec3){1, 0, 0};
    def.width = width;
    phx_driver_id id;
    return phx_driver_create(s->world, &def, &id);
}

TEST(a_whole_body_that_flies_is_calm_until_something_moves_within) {
    setup s;
    REQUIRE_OK(make(&s, block, 1, 0.02 * YOUNG, NULL));
    phxi_particles* p = &s.world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = 3, p->vy[i] = 2, p->vz[i] = -1;
    }
    ENSURE_OK(run(&s, 200));
    ENSURE(efg_of(&s)->slots.items[0].calm);
    bool same = true;
    for (int i = 0; i < p->count; ++i) {
        same = same && p->vx[i] == 3 && p->vy[i] == 2 && p->vz[i] == -1;
    }
    ENSURE(same);
    phx_totals before, after;
    p->vx[0] += (phx_real)0.01; // strains of a thousandth of what breaks it
    ENSURE_OK(phx_world_measure(s.world, &before));
    ENSURE_OK(run(&s, 20));
    ENSURE(!efg_of(&s)->slots.items[0].calm);
    ENSURE_OK(phx_world_measure(s.world, &after));
    ENSURE_NEAR(after.momentum.x, before.momentum.x, 1e-6 * before.momentum.x);
    ENSURE(p->vx[0] < 3.009f && p->vx[1] != 3); // its neighbours hold it
    setup_destroy(&s);
}

TEST(a_blade_cuts_a_body_without_strength_in_two) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0, NULL));
    REQUIRE_OK(add_blade(&s, (phx_vec3){0, 0, -50}, INFINITY));
    const phxi_efg_fracture* f = fracture_of(&s);
    REQUIRE(f);
    REQUIRE_OK(phx_world_step(s.world, 0.1)); // half way
    ENSURE(f->fragment_size.count == 1 && f->bonds.count > 100);
    REQUIRE_OK(phx_world_step(s.world, 0.3));
    REQUIRE(f->fragment_size.count == 2);
    ENSURE(f->fragment_size.items[0] == 5 * 81 && f->fragment_size.items[1] == 4 * 81); // of 9 layers
    // all cut bonds cross the plane, and all that cross it are cut: 81 columns times 9 pairs less those beyond the
    // faces
    ENSURE(f->bonds.count == 9 * 9 + 2 * 2 * 9 * 8 + 4 * 8 * 8);
    phxi_step step = phxi_world_context(s.world, 0);
    const phxi_cracks* cracks = phxi_efg_cracks_of(efg_of(&s), &step, 0);
    REQUIRE(cracks && cracks->cut_count == f->bonds.count && cracks->fragment_count == 2);
    for (int k = 0; k < cracks->cut_count; ++k) {
        ENSURE(cracks->cut[k][0] < cracks->cut[k][1]);
        ENSURE(k == 0 || cracks->cut[k - 1][0] < cracks->cut[k][0] ||
               (cracks->cut[k - 1][0] == cracks->cut[k][0] && cracks->cut[k - 1][1] < cracks->cut[k][1]));
        ENSURE_NEAR(fabs(cracks->plane_normal[k].y), 1, 1e-3);
        ENSURE_NEAR(cracks->plane_point[k].y, 0.1, 0.02);
    }
    setup_destroy(&s);
}

/// Momentum and angular momentum of a fragment.
static void momenta_of(const setup* s, int fragment, phx_vec3 out[2]) {
    const phxi_particles* p = &s->world->particles;
    out[0] = out[1] = (phx_vec3){0};
    for (int i = 0; i < p->count; ++i) {
        if (fracture_of(s)->fragment[i] == fragment) {
            phx_vec3 impulse = phxi_scale((double)p->mass[i], phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
            out[0] = phxi_add(out[0], impulse);
            out[1] = phxi_add(out[1], phxi_cross(phxi_vec3(p->x[i], p->y[i], p->z[i]), impulse));
        }
    }
}

TEST(damping_leaves_the_motion_of_each_fragment) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0, NULL));
    s.world->bodies.items[0].material.damping = 20;
    REQUIRE_OK(add_blade(&s, (phx_vec3){0, 0, -50}, INFINITY));
    REQUIRE_OK(phx_world_step(s.world, 0.4));
    REQUIRE(fracture_of(&s)->fragment_size.count == 2);
    // the halves part, one of them turns, and both shiver
    phxi_particles* p = &s.world->particles;
    for (int i = 0; i < p->count; ++i) {
        double side = fracture_of(&s)->fragment[i] == fracture_of(&s)->fragment[0] ? 0 : 1;
        p->vx[i] = (phx_real)(0.2 * sin(1.0 * i));
        p->vy[i] = (phx_real)((p->rest_y[i] > 0 ? 3 : -3) + side * 0.3 * (double)p->z[i]);
        p->vz[i] = (phx_real)(-side * 0.3 * (double)p->y[i]);
    }
    phx_vec3 before[2][2], after[2][2];
    double kinetic = 0;
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(s.world, &totals));
    kinetic = totals.kinetic;
    for (int k = 0; k < 2; ++k) {
        momenta_of(&s, k, before[k]);
    }
    REQUIRE_OK(run(&s, 200));
    REQUIRE_OK(phx_world_measure(s.world, &totals));
    ENSURE(totals.kinetic < kinetic); // shivers are gone
    for (int k = 0; k < 2; ++k) {
        momenta_of(&s, k, after[k]);
        double size = phxi_length(before[k][0]);
        ENSURE_NEAR(phxi_distance(after[k][0], before[k][0]) / size, 0, 1e-5);
        ENSURE_NEAR(phxi_distance(after[k][1], before[k][1]) / (4 * size), 0, 1e-4);
    }
    setup_destroy(&s);
}

TEST(a_narrow_blade_leaves_the_rest) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0, NULL));
    REQUIRE_OK(add_blade(&s, (phx_vec3){0, 0, -100}, 4));
    REQUIRE_OK(phx_world_step(s.world, 0.15));
    ENSURE(fracture_of(&s)->fragment_size.count == 1);
    ENSURE(fracture_of(&s)->bonds.count > 100);
    ENSURE_RESULT(add_blade(&s, (phx_vec3){1, 0, 0}, 4), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("no plane");
    setup_destroy(&s);
}

TEST(contact_hears_of_bonds) {
    setup s;
    REQUIRE_OK(make(&s, block, 2, 0, NULL));
    const phxi_particles* p = &s.world->particles;
    phxi_bond_view bonds = phxi_world_bonds(s.world, 0);
    ENSURE(bonds.version == 0);
    ENSURE(phxi_bond_distance(&bonds, p, 0, 0, 1) == 0);
    REQUIRE_OK(add_blade(&s, (phx_vec3){0, 0, -100}, INFINITY));
    REQUIRE_OK(phx_world_step(s.world, 0.15));
    bonds = phxi_world_bonds(s.world, 0);
    ENSURE(bonds.version != 0);
    const phxi_efg_fracture* f = fracture_of(&s);
    const phxi_efg_bond* bond = &f->bonds.items[0];
    double distance = phxi_bond_distance(&bonds, p, 0, bond->i, bond->j);
    ENSURE(distance > 0.5 && distance <= 1 && distance <= bond->distance);
    int neighbors[PHXI_MAX_BONDS], count = phxi_bonds_of(&bonds, 0, bond->i, neighbors);
    ENSURE(count > 3);
    for (int k = 0; k < count; ++k) {
        ENSURE(neighbors[k] != bond->j);
        ENSURE(f->fragment[neighbors[k]] == f->fragment[bond->i]);
        ENSURE(phxi_bond_distance(&bonds, p, 0, bond->i, neighbors[k]) == 0);
    }
    setup_destroy(&s);
}

TEST(implicit_steps_and_strength_do_not_go_together) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&def, &world));
    phx_material_def material = phx_material_def_default();
    material.strength = 100;
    phx_material_id id;
    REQUIRE_OK(phx_material_create(world, &material, &id));
    phx_body_def body = phx_body_def_default();
    phx_setting setting = {"integrator", "bdf2"};
    phx_body_id made;
    body.shape = block;
    body.spacing = 2;
    body.material = id;
    body.settings = &setting;
    body.setting_count = 1;
    ENSURE_RESULT(phx_body_create(world, &body, &made), PHX_ERROR_UNSUPPORTED);
    ENSURE_MESSAGE("bdf2");
    ENSURE(world->bodies.count == 0);
    setting.value = "auto";
    ENSURE_OK(phx_body_create(world, &body, &made));
    ENSURE_OK(phx_world_step(world, 1e-3));
    phx_world_destroy(world);
}

TEST(memory_may_run_out_anywhere) {
    for (int64_t fail = 0, done = 0; !done; fail += 1 + fail / 10) {
        phxt_heap heap;
        phxt_heap_init(&heap, fail);
        setup s;
        phx_result result = make(&s, "box(center=(0,0,0), size=(4,4,4))", 1, 0.02 * YOUNG, &heap.allocator);
        if (result == PHX_OK) {
            phxi_trial_explode(s.world, 6);
            result = run(&s, 40);
        }
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        done = result == PHX_OK;
        setup_destroy(&s);
        ENSURE(heap.live == 0);
    }
}
