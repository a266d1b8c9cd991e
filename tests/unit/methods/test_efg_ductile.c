// SPDX-License-Identifier: MIT
// Bodies that flow and break: new references with cracks in them. Known answers: `phyxel validate
// efg.fracture_ductile`.
#include "support/test.h"

#include "methods/efg/fracture/fracture.h"
#include "methods/efg/plastic.h"
#include "phyxel/surface.h"
#include "validate/trial.h"

#ifdef PHX_DOUBLE
#define BOUND(in_double, in_float) (in_double)
#else
#define BOUND(in_double, in_float) (in_float)
#endif

typedef struct setup {
    phx_world* world;
    phx_body_id body;
} setup;

static phx_result make(setup* s, const char* shape, int threads, double ductile, const phx_allocator* allocator) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = threads;
    if (allocator) {
        def.allocator = *allocator;
    }
    *s = (setup){0};
    PHXI_TRY(phx_world_create(&def, &s->world));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6;
    material.yield = 0.02;
    material.ductile_strain = ductile;
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

/// Torn apart along x while it turns.
static void fling(setup* s, double rate) {
    phxi_particles* p = &s->world->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = (double)p->x[i], y = (double)p->y[i];
        p->vx[i] = (phx_real)(rate * x - 0.1 * y), p->vy[i] = (phx_real)(0.1 * x);
    }
}

static phx_result run(setup* s, int substeps) {
    phx_dt_info info;
    for (int k = 0; k < substeps; ++k) {
        if (k % 8 == 0) {
            PHXI_TRY(phx_world_dt(s->world, &info));
        }
        PHXI_TRY(phx_world_substep(s->world, info.dt));
    }
    return PHX_OK;
}

static phx_result reset(setup* s) {
    phxi_step step = phxi_world_context(s->world, 0);
    phx_result result = phxi_efg_reset(efg_of(s), &step, 0);
    phxi_arena_reset(&s->world->arena);
    return result == PHX_OK ? phxi_efg_show_bonds(efg_of(s), &s->world->heap) : result;
}

static void turn(setup* s, double angle) {
    phxi_particles* p = &s->world->particles;
    phxi_mat3 r = phxi_rotation(phxi_vec3(0.3, 0.7, -0.5), angle);
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 x = phxi_mat3_apply(&r, phxi_vec3(p->x[i], p->y[i], p->z[i]));
        p->x[i] = (phx_real)x.x, p->y[i] = (phx_real)x.y, p->z[i] = (phx_real)x.z;
    }
}

static const char* const bar = "box(center=(0,0,0), size=(14,4,4))";

/// A bar that has been torn and is cracked, in parts or not.
static phx_result make_cracked(setup* s, int threads, int substeps) {
    PHXI_TRY(make(s, bar, threads, 0.35, NULL));
    fling(s, 1.2);
    return run(s, substeps);
}

static phx_frame* surface_of(const setup* s) {
    phx_crack_surface_def def = phx_crack_surface_def_default();
    phx_crack_surface* surface = NULL;
    phx_frame* frame = NULL;
    if (phx_crack_surface_create(s->world, &def, &surface) == PHX_OK) {
        ENSURE_OK(phx_crack_surface_frame(surface, &frame));
    }
    phx_crack_surface_destroy(surface);
    return frame;
}

static phx_vec3 corner(phx_frame* frame, int triangle, int k) {
    const double* x = phx_frame_positions(frame) + 3 * phx_frame_indices(frame)[3 * triangle + k];
    return phxi_vec3(x[0], x[1], x[2]);
}

/// |sum of the areas as vectors| over the sum of their sizes: zero around what is closed, and so for each fragment.
static double openness(phx_frame* frame, int fragments) {
    const phx_frame_field* fragment = phx_frame_find(frame, "fragment");
    double worst = 0;
    for (int f = 0; f < fragments; ++f) {
        phx_vec3 sum = {0};
        double size = 0;
        for (int t = 0; t < phx_frame_triangles(frame); ++t) {
            if ((int)fragment->values[phx_frame_indices(frame)[3 * t]] == f) {
                phx_vec3 a = corner(frame, t, 0), b = corner(frame, t, 1), c = corner(frame, t, 2);
                phx_vec3 area = phxi_cross(phxi_sub(b, a), phxi_sub(c, a));
                sum = phxi_add(sum, area);
                size += phxi_length(area);
            }
        }
        worst = fmax(worst, size > 0 ? phxi_length(sum) / size : INFINITY);
    }
    return worst;
}

TEST(a_new_reference_after_a_turn_changes_nothing) {
    setup s;
    REQUIRE_OK(make_cracked(&s, 1, 150));
    REQUIRE_OK(reset(&s)); // from here on nothing but the turn
    turn(&s, 0.9);
    const phxi_efg_fracture* f = fracture_of(&s);
    int count = f->count, bonds = f->bonds.count, fragments = f->fragment_size.count, facets = f->facets.count;
    REQUIRE(bonds > 50 && facets > 3 && f->ramp_begin < bonds); // some of them are breaking
    phx_real* stress = malloc(2 * (size_t)count * sizeof *stress);
    int* fragment = malloc((size_t)count * sizeof *fragment);
    phxi_efg_bond* old = malloc((size_t)bonds * sizeof *old);
    memcpy(fragment, f->fragment, (size_t)count * sizeof *fragment);
    memcpy(old, f->bonds.items, (size_t)bonds * sizeof *old);
    REQUIRE_OK(phx_world_field(s.world, "von_mises", stress));
    phx_frame* before = surface_of(&s);
    phx_totals first, last;
    REQUIRE_OK(phx_world_measure(s.world, &first));
    REQUIRE_OK(reset(&s));
    REQUIRE_OK(phx_world_measure(s.world, &last));
    REQUIRE_OK(phx_world_field(s.world, "von_mises", stress + count));
    f = fracture_of(&s);
    ENSURE(f->bonds.count == bonds && f->facets.count == facets && f->fragment_size.count == fragments);
    ENSURE(memcmp(fragment, f->fragment, (size_t)count * sizeof *fragment) == 0);
    for (int b = 0; b < bonds; ++b) {
        const phxi_efg_bond* now = &f->bonds.items[b];
        ENSURE(now->i == old[b].i && now->j == old[b].j && now->state == old[b].state);
        ENSURE(now->integrity == old[b].integrity && now->steps == old[b].steps && now->facet == old[b].facet);
        ENSURE((now->pair[0] < 0) == (old[b].pair[0] < 0));
    }
    for (int i = 0; i < count; ++i) {
        ENSURE_NEAR((double)stress[count + i], (double)stress[i], BOUND(1e-7, 200)); // of 2e4 Pa
    }
    ENSURE_NEAR(last.elastic, first.elastic, BOUND(1e-11, 1e-3) * first.elastic);
    phx_frame* after = surface_of(&s);
    REQUIRE(before && after && phx_frame_points(after) == phx_frame_points(before));
    for (int k = 0; k < 3 * phx_frame_points(after); ++k) {
        ENSURE_NEAR(phx_frame_positions(after)[k], phx_frame_positions(before)[k], BOUND(1e-10, 1e-4));
    }
    phx_frame_destroy(before), phx_frame_destroy(after);
    free(stress), free(fragment), free(old);
    phx_world_destroy(s.world);
}

// References that change by themselves and by force, all the way through: parts never grow together, nothing is lost.
TEST(what_is_parted_stays_parted_through_new_references) {
    setup s;
    REQUIRE_OK(make(&s, bar, 2, 0.35, NULL));
    fling(&s, 1.2);
    phx_totals first, last;
    REQUIRE_OK(phx_world_measure(s.world, &first));
    phx_vec3 turning = first.angular_momentum;
    int count = fracture_of(&s)->count, resets = 0, cuts = 0, parts = 1;
    int* fragment = calloc((size_t)count, sizeof *fragment);
    double energy = first.kinetic + first.elastic;
    for (int k = 0; k < 40; ++k) {
        uint64_t rows = efg_of(&s)->slots.items[0].built_from;
        REQUIRE_OK(run(&s, 10));
        resets += efg_of(&s)->slots.items[0].built_from != rows;
        REQUIRE_OK(k % 3 == 2 ? reset(&s) : PHX_OK);
        const phxi_efg_fracture* f = fracture_of(&s);
        ENSURE(f->cuts >= cuts && f->fragment_size.count >= parts);
        for (int i = 0; i < count; ++i) {
            for (int j = i + 1; j < count && f->fragment[j] == f->fragment[i]; ++j) {
                ENSURE(fragment[i] == fragment[j]);
            }
        }
        memcpy(fragment, f->fragment, (size_t)count * sizeof *fragment);
        cuts = f->cuts, parts = f->fragment_size.count;
        REQUIRE_OK(phx_world_measure(s.world, &last));
        ENSURE(last.kinetic + last.elastic <= (1 + 1e-3) * energy);
        energy = fmin(energy, last.kinetic + last.elastic);
    }
    ENSURE(resets > 1 && parts > 1);
    double gross = phxi_trial_gross(s.world);
    ENSURE(last.mass == first.mass);
    ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)), 0, BOUND(1e-13, 1e-5) * gross);
    ENSURE_NEAR(phxi_length(phxi_sub(phxi_trial_turning(s.world), turning)), 0, BOUND(1e-12, 1e-5) * gross);
    phx_frame* surface = surface_of(&s);
    REQUIRE(surface);
    ENSURE_NEAR(openness(surface, parts), 0, 1e-6);
    phx_frame_destroy(surface);
    free(fragment);
    phx_world_destroy(s.world);
}

// All of the forces come from one energy, also in rows with broken bonds of a second reference.
TEST(force_is_minus_the_gradient_of_the_energy) {
    if (sizeof(phx_real) == 4) {
        return;
    }
    setup s;
    REQUIRE_OK(make_cracked(&s, 1, 150));
    REQUIRE_OK(reset(&s));
    phxi_step step = phxi_world_context(s.world, 0);
    phxi_efg* efg = efg_of(&s);
    const phxi_efg_slot* slot = &efg->slots.items[0];
    phxi_particles* p = &s.world->particles;
    const phxi_elastic* elastic = &step.bodies[0].elastic;
    phx_vec3* forces = malloc((size_t)p->count * sizeof *forces);
    double largest = 0;
    phxi_efg_refresh(efg, &step, 0);
    for (int b = 0; b < efg->blocks.count; ++b) {
        phxi_efg_stress(efg, elastic, false, &efg->blocks.items[b]);
    }
    for (int b = 0; b < efg->blocks.count; ++b) {
        const phxi_efg_block* block = &efg->blocks.items[b];
        _Alignas(64) phx_real force[3][EFG_BLOCK];
        phxi_efg_force(efg, block, force);
        for (int k = 0; k < block->count; ++k) {
            forces[block->row + k] =
                phxi_mat3_apply(&slot->frame.rotation, phxi_vec3(force[0][k], force[1][k], force[2][k]));
            largest = fmax(largest, phxi_length(forces[block->row + k]));
        }
    }
    const double h = 1e-6;
    for (int i = 0; i < p->count; i += 5) {
        phx_totals low, high;
        phx_real at = p->x[i];
        p->x[i] = (phx_real)((double)at + h);
        REQUIRE_OK(phx_world_measure(s.world, &high));
        p->x[i] = (phx_real)((double)at - h);
        REQUIRE_OK(phx_world_measure(s.world, &low));
        p->x[i] = at;
        ENSURE_NEAR((low.elastic - high.elastic) / (2 * h), forces[i].x, 1e-5 * largest);
    }
    free(forces);
    phx_world_destroy(s.world);
}

TEST(going_back_and_on_gives_the_same_bits) {
    setup s;
    REQUIRE_OK(make_cracked(&s, 2, 120));
    uint64_t rows = efg_of(&s)->slots.items[0].built_from, start = phx_world_hash(s.world);
    REQUIRE_OK(phxi_snapshot_take(s.world));
    REQUIRE_OK(run(&s, 50));
    REQUIRE_OK(reset(&s));
    REQUIRE_OK(run(&s, 50));
    ENSURE(efg_of(&s)->slots.items[0].built_from != rows);
    uint64_t end = phx_world_hash(s.world);
    REQUIRE_OK(phxi_snapshot_restore(s.world));
    ENSURE(phx_world_hash(s.world) == start && efg_of(&s)->slots.items[0].built_from == rows);
    REQUIRE_OK(run(&s, 50));
    REQUIRE_OK(reset(&s));
    REQUIRE_OK(run(&s, 50));
    ENSURE(phx_world_hash(s.world) == end);
    phx_world_destroy(s.world);
}

TEST(a_checkpoint_goes_on_with_the_same_bits) {
    setup a, b;
    char path[512];
    snprintf(path, sizeof path, "%s", phxt_path("drawn.phx"));
    REQUIRE_OK(make_cracked(&a, 2, 160));
    ENSURE(fracture_of(&a)->cuts > 0);
    REQUIRE_OK(phx_checkpoint_save(a.world, path));
    REQUIRE_OK(make(&b, bar, 1, 0.35, NULL));
    REQUIRE_OK(phx_checkpoint_load(b.world, path));
    ENSURE(phx_world_hash(a.world) == phx_world_hash(b.world));
    REQUIRE_OK(run(&a, 100));
    REQUIRE_OK(run(&b, 100));
    ENSURE(phx_world_hash(a.world) == phx_world_hash(b.world));
    phx_world_destroy(a.world);
    phx_world_destroy(b.world);
}

TEST(the_pattern_does_not_depend_on_threads) {
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        setup s;
        REQUIRE_OK(make_cracked(&s, 1 + 7 * k, 200));
        hash[k] = phx_world_hash(s.world);
        phx_world_destroy(s.world);
    }
    ENSURE(hash[0] == hash[1]);
}

// The body has no strength, and has been given a new reference before the blade comes.
TEST(a_blade_cuts_what_has_flowed) {
    setup s;
    REQUIRE_OK(make(&s, bar, 1, 0, NULL));
    phxi_particles* p = &s.world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->x[i] *= (phx_real)1.3, p->y[i] *= (phx_real)0.877, p->z[i] *= (phx_real)0.877;
    }
    REQUIRE_OK(run(&s, 5));
    REQUIRE_OK(reset(&s));
    phx_driver_def knife = phx_driver_def_default();
    knife.kind = PHX_DRIVER_CUT;
    knife.center = (phx_vec3){0, 0, 4};
    knife.axis = (phx_vec3){0, 1, 0};
    knife.vector = (phx_vec3){0, 0, -100};
    phx_driver_id id;
    REQUIRE_OK(phx_driver_create(s.world, &knife, &id));
    REQUIRE_OK(phx_world_step(s.world, 0.2));
    const phxi_efg_fracture* f = fracture_of(&s);
    REQUIRE(f && f->fragment_size.count == 2);
    ENSURE(abs(f->fragment_size.items[0] - f->fragment_size.items[1]) <= 32);
    phx_world_destroy(s.world);
}

TEST(memory_may_run_out_anywhere) {
    for (int64_t fail = 0, done = 0; !done; fail += 1 + fail / 8) {
        phxt_heap heap;
        phxt_heap_init(&heap, fail);
        setup s;
        phx_result result = make(&s, "box(center=(0,0,0), size=(6,2,2))", 1, 0.3, &heap.allocator);
        if (result == PHX_OK) {
            fling(&s, 8);
            result = run(&s, 30);
        }
        for (int k = 0; k < 3 && result == PHX_OK; ++k) {
            result = reset(&s);
            result = result == PHX_OK ? run(&s, 8) : result;
        }
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        done = result == PHX_OK;
        if (done) {
            ENSURE(fracture_of(&s)->cuts > 0);
        }
        phx_world_destroy(s.world);
        ENSURE(heap.live == 0);
    }
}
