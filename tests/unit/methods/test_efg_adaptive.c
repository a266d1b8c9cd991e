// SPDX-License-Identifier: MIT
// Particles that split: limits, neighbours in memory, restart, threads, failing memory. What is conserved at a split is
// in validate_efg_adaptive.c.
#include "methods/efg/efg_internal.h"
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <string.h>

typedef struct plan {
    int threads;
    const phx_allocator* allocator;
    const char *limit, *path, *adaptive;
    bool held; // by a driver at its left end
    bool sheet;
} plan;

static phx_result add_bar(phx_world* world, const plan* p, const char* name, double z, phx_body_id* id) {
    phx_material_def stuff = phx_material_def_default();
    stuff.young = 2e4;
    stuff.density = 1000;
    stuff.law = PHX_LAW_NEO_HOOKEAN;
    phx_material_id material;
    PHXI_TRY(phx_material_create(world, &stuff, &material));
    char shape[128];
    snprintf(shape, sizeof shape, "box(center=(0,0,%g), size=(0.8,0.3,%s))", z, p->sheet ? "0.1" : "0.3");
    phx_setting settings[4] = {{"adaptive", p->adaptive ? p->adaptive : "on"},
                               {"adaptive_limit", p->limit ? p->limit : "4"},
                               {"adaptive_stretch", "1.5"},
                               {"path", p->path ? p->path : "auto"}};
    phx_body_def body = phx_body_def_default();
    body.name = name;
    body.shape = shape;
    body.spacing = 0.1;
    body.material = material;
    body.settings = settings;
    body.setting_count = 4;
    return phx_body_create(world, &body, id);
}

/// Three bars, each with its ends flying apart.
static phx_result make(const plan* p, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = p->threads ? p->threads : 1;
    if (p->allocator) {
        def.allocator = *p->allocator;
    }
    PHXI_TRY(phx_world_create(&def, world));
    const char* const names[3] = {"low", "middle", "high"};
    for (int k = 0; k < 3; ++k) {
        phx_body_id id;
        PHXI_TRY(add_bar(*world, p, names[k], k - 1, &id));
        PHXI_TRY(phx_body_set_velocity(*world, id, (phx_vec3){0, 0.1, 0}, (phx_vec3){0.5, 0, 0}));
    }
    if (p->held) {
        phx_driver_def pin = phx_driver_def_default();
        pin.region = "plane(point=(-0.25,0,0), normal=(1,0,0))";
        phx_driver_id id;
        PHXI_TRY(phx_driver_create(*world, &pin, &id));
    }
    phxi_particles* q = &(*world)->particles;
    for (int i = 0; i < q->count; ++i) {
        q->vx[i] += (phx_real)((10 + 4 * q->body[i]) * (double)q->rest_x[i]);
    }
    return PHX_OK;
}

static phxi_efg* solver_of(phx_world* world) {
    return world->solvers.items[world->bodies.items[0].solver].state;
}

static double mass_of(const phx_world* world) {
    double sum = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        sum += (double)world->particles.mass[i];
    }
    return sum;
}

/// Lists are symmetric, within their body, and as many as the particles are.
static void check_rows(phx_world* world) {
    const phxi_efg* efg = solver_of(world);
    for (int s = 0; s < efg->slots.count; ++s) {
        const phxi_efg_slot* slot = &efg->slots.items[s];
        const phxi_body* body = &world->bodies.items[slot->body];
        REQUIRE(slot->begin == body->begin && slot->count == body->count && slot->row % EFG_ROW_ALIGN == 0);
        for (int b = slot->block_begin; b < slot->block_end; ++b) {
            REQUIRE(efg->blocks.items[b].slot == s);
        }
        for (int r = slot->row; r < slot->row + slot->count; ++r) {
            const phxi_r4* y = efg->gradient.items + efg->list.items[r];
            for (int k = efg->start.items[r]; k < efg->start.items[r + 1]; ++k, ++y) {
                int j = efg->offset.items[k] / (int)sizeof(phxi_r4);
                REQUIRE(j >= slot->row && j < slot->row + slot->count);
                bool found = (*y)[3] == 0;
                const phxi_r4* z = efg->gradient.items + efg->list.items[j];
                for (int m = efg->start.items[j]; m < efg->start.items[j + 1] && !found; ++m, ++z) {
                    found = efg->offset.items[m] / (int)sizeof(phxi_r4) == r && (*z)[0] == -(*y)[0];
                }
                ENSURE(found);
            }
        }
    }
}

TEST(stretched_bars_split_and_keep_their_mass) {
    phx_world* world = NULL;
    REQUIRE_OK(make(&(plan){0}, &world));
    double mass = mass_of(world);
    int start = world->particles.count;
    for (int k = 0; k < 15; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.01));
    }
    check_rows(world);
    const phxi_particles* p = &world->particles;
    ENSURE(p->count > start + 50);
    ENSURE_NEAR(mass_of(world), mass, 0); // halves are exact, also in float
    for (int b = 0; b < 3; ++b) {
        ENSURE(world->bodies.items[b].grown > 0);
    }
    const int* splits = phxi_particles_field(p, "efg.splits");
    for (int i = 0; i < p->count; ++i) {
        // on faces a half, on edges a quarter, at corners an eighth
        double halvings = -log2((double)p->mass[i]) - splits[i];
        ENSURE_NEAR(halvings, round(halvings), 1e-5);
        ENSURE(halvings > -0.5 && halvings < 3.5);
        ENSURE_NEAR((double)p->spacing[i], 0.1 * pow(2, -splits[i] / 3.0), 1e-7);
        ENSURE(isfinite(p->x[i]));
    }
    phx_world_destroy(world);
}

TEST(off_means_off_and_limits_hold) {
    phx_world* world = NULL;
    REQUIRE_OK(make(&(plan){.adaptive = "off"}, &world));
    int start = world->particles.count;
    REQUIRE_OK(phx_world_step(world, 0.15));
    ENSURE(world->particles.count == start);
    phx_world_destroy(world);
    REQUIRE_OK(make(&(plan){.limit = "1.25"}, &world));
    REQUIRE_OK(phx_world_step(world, 0.15));
    ENSURE(world->particles.count == start + 3 * (start / 12));
    for (int b = 0; b < 3; ++b) {
        ENSURE(world->bodies.items[b].count == start / 3 + start / 12);
    }
    phx_world_destroy(world);
}

TEST(particles_that_drivers_hold_do_not_split) {
    phx_world* world = NULL;
    REQUIRE_OK(make(&(plan){.held = true}, &world));
    int held = world->drivers.items[0].group.count, start = world->particles.count;
    REQUIRE_OK(phx_world_step(world, 0.15));
    ENSURE(world->particles.count > start);
    ENSURE(world->drivers.items[0].group.count == held);
    phx_world_destroy(world);
}

TEST(stretched_sheets_split_within_their_plane) {
    phx_world* world = NULL;
    REQUIRE_OK(make(&(plan){.sheet = true}, &world));
    int start = world->particles.count;
    REQUIRE_OK(phx_world_step(world, 0.12));
    const phxi_particles* p = &world->particles;
    ENSURE(p->count > start);
    for (int i = 0; i < p->count; ++i) {
        double layer = (double)p->rest_z[i];
        ENSURE_NEAR(layer - round(layer), 0, 1e-5);
    }
    phx_world_destroy(world);
}

TEST(splitting_bodies_leave_the_lattice_path) {
    phx_world* world = NULL;
    ENSURE_RESULT(make(&(plan){.path = "lattice"}, &world), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("adaptive");
    phx_world_destroy(world);
}

TEST(threads_do_not_matter) {
    uint64_t hash[3];
    for (int n = 0; n < 3; ++n) {
        phx_world* world = NULL;
        REQUIRE_OK(make(&(plan){.threads = n + 1}, &world));
        REQUIRE_OK(phx_world_step(world, 0.15));
        ENSURE(world->births.count > 50);
        hash[n] = phx_world_hash(world);
        phx_world_destroy(world);
    }
    ENSURE(hash[0] == hash[1] && hash[0] == hash[2]);
}

TEST(a_restart_goes_on_with_the_same_bits) {
    phx_world *a = NULL, *b = NULL, *c = NULL;
    REQUIRE_OK(make(&(plan){0}, &a));
    REQUIRE_OK(make(&(plan){0}, &b));
    REQUIRE_OK(make(&(plan){0}, &c));
    for (int k = 0; a->births.count == 0; ++k) {
        REQUIRE(k < 30);
        REQUIRE_OK(phx_world_step(a, 0.01));
    }
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("a.phx")));
    for (int k = 0; c->births.count <= a->births.count; ++k) { // splits further
        REQUIRE(k < 30);
        REQUIRE_OK(phx_world_step(c, 0.01));
    }
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("a.phx")));
    REQUIRE_OK(phx_checkpoint_load(c, phxt_path("a.phx")));
    check_rows(b);
    check_rows(c);
    for (int k = 0; k < 4; ++k) {
        REQUIRE_OK(phx_world_step(a, 0.02));
        REQUIRE_OK(phx_world_step(b, 0.02));
        REQUIRE_OK(phx_world_step(c, 0.02));
        ENSURE(phx_world_hash(a) == phx_world_hash(b));
        ENSURE(phx_world_hash(a) == phx_world_hash(c));
    }
    phx_world_destroy(a);
    phx_world_destroy(b);
    phx_world_destroy(c);
}

TEST(failing_allocations_leave_the_world_as_before) {
    phxt_heap memory;
    phxt_heap_init(&memory, -1);
    phx_world *world = NULL, *other = NULL;
    REQUIRE_OK(make(&(plan){.allocator = &memory.allocator}, &world));
    REQUIRE_OK(make(&(plan){0}, &other));
    int steps = 0;
    for (; other->births.count == 0; ++steps) {
        REQUIRE(steps < 20);
        REQUIRE_OK(phx_world_step(other, 0.01));
    }
    for (int k = 1; k < steps; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.01));
    }
    int failures = 0;
    for (int n = 0; n < 1000; n += 1 + n / 25) {
        uint64_t hash = phx_world_hash(world);
        memory.fail_at = memory.allocations + n;
        phx_result result = phx_world_step(world, 0.01);
        memory.fail_at = -1;
        if (result == PHX_OK) {
            break;
        }
        ++failures;
        ENSURE(result == PHX_ERROR_MEMORY);
        ENSURE(phx_world_hash(world) == hash);
    }
    ENSURE(failures > 40);
    ENSURE(world->births.count > 0 && phx_world_hash(world) == phx_world_hash(other));
    phx_world_destroy(world);
    phx_world_destroy(other);
}
