// SPDX-License-Identifier: MIT
// Finite elements: cells and volumes of bodies, same bits at any thread count and after a checkpoint, steps without
// allocation, energy and momenta, fields, what it refuses. Exact answers: phyxel validate fem.
#include "methods/fem/fem_internal.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

static phx_body_def body_of(const char* shape, double spacing, const phx_setting* element) {
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = spacing;
    body.method = "fem";
    body.settings = element;
    body.setting_count = element ? 1 : 0;
    return body;
}

/// A world with this body, spinning and swinging along z.
static phx_world* world_of_material(int threads, phx_body_def body, double pull, double poisson) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.poisson = poisson, material.density = 1000;
    body.angular_velocity = phxi_vec3(3, 5, 8);
    phx_body_id id;
    if (phx_world_create(&def, &world) != PHX_OK || phx_material_create(world, &material, &body.material) != PHX_OK ||
        phx_body_create(world, &body, &id) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    for (int i = 0; i < world->particles.count; ++i) {
        world->particles.vz[i] += (phx_real)(pull * (double)world->particles.z[i]);
    }
    return world;
}

static phx_world* world_of(int threads, phx_body_def body, double pull) {
    return world_of_material(threads, body, pull, 0.33);
}

static const phx_setting tetrahedra = {"element", "tetrahedra"};
#define BAR "box(size=(0.03,0.03,0.1))"

static const phxi_fem_slot* slot_of(const phx_world* world) {
    return &((const phxi_fem*)world->solvers.items[0].state)->slots.items[0];
}

TEST(cells_fill_the_body) {
    static const struct {
        const char* shape;
        double spacing;
        int nodes, cells; // 0: whatever
    } bodies[] = {{BAR, 0.005, 7 * 7 * 21, 6 * 6 * 20},
                  {"box(size=(0.1,0.1,0.01))", 0.01, 11 * 11 * 2, 100},
                  {"sphere(radius=0.1)", 0.02, 0, 0},
                  {"torus(major=0.1, minor=0.03)", 0.01, 0, 0}};
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; ++k) {
        phx_world* world = world_of(1, body_of(bodies[k].shape, bodies[k].spacing, NULL), 0);
        REQUIRE(world);
        const phxi_fem_slot* slot = slot_of(world);
        double cells = 0, nodes = 0;
        for (int c = 0; c < slot->cell_count; ++c) {
            cells += (double)slot->volume[c];
            for (int n = 0; n < FEM_CORNERS; ++n) {
                ENSURE(slot->around[slot->corner[c][n]][n] == c);
            }
        }
        for (int i = 0; i < slot->count; ++i) {
            nodes += (double)world->particles.volume[i];
        }
        ENSURE_NEAR(cells / nodes, 1, 1e-5);
        ENSURE(bodies[k].nodes == 0 || (slot->count == bodies[k].nodes && slot->cell_count == bodies[k].cells));
        phx_world_destroy(world);
    }
}

TEST(same_bits_at_any_thread_count) {
    for (int e = 0; e < 2; ++e) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = world_of(threads, body_of(BAR, 0.005, e ? &tetrahedra : NULL), 50);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.005));
            ENSURE(threads == 1 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            phx_world_destroy(world);
        }
    }
}

static const phx_setting integrators[] = {{"integrator", "velocity_verlet"},
                                          {"integrator", "bdf2"},
                                          {"integrator", "implicit_euler"},
                                          {"integrator", "trapezoid"}};

TEST(implicit_steps_have_the_same_bits_at_any_thread_count) {
    for (int k = 1; k < 4; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = world_of(threads, body_of(BAR, 0.005, &integrators[k]), 5);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.05));
            ENSURE(threads == 1 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            phx_world_destroy(world);
        }
    }
}

static void goes_on(const phx_setting* integrator) {
    phx_world *world = world_of(2, body_of(BAR, 0.01, integrator), 50),
              *twin = world_of(1, body_of(BAR, 0.01, integrator), 0);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.006));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("fem.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("fem.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 0.004));
    REQUIRE_OK(phx_world_step(twin, 0.004));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    for (int k = 0; k < 4; ++k) {
        goes_on(&integrators[k]);
    }
}

TEST(steps_allocate_nothing) {
    for (int n = 0; n < 4; ++n) {
        phx_world* world = world_of(2, body_of(BAR, 0.01, &integrators[n]), 20);
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

TEST(energy_and_momenta_stay) {
    for (int e = 0; e < 2; ++e) {
        phx_world* world = world_of(2, body_of(BAR, 0.005, e ? &tetrahedra : NULL), 10);
        REQUIRE(world);
        phx_totals first, last;
        REQUIRE_OK(phx_world_measure(world, &first));
        REQUIRE_OK(phx_world_step(world, 0.05));
        REQUIRE_OK(phx_world_measure(world, &last));
        ENSURE(last.elastic > 0.01 * first.kinetic); // it swings
        ENSURE_NEAR((last.kinetic + last.elastic) / (first.kinetic + first.elastic), 1, 0.01);
        double spin = phxi_length(first.angular_momentum), fine = sizeof(phx_real) == 4 ? 1e-3 : 1e-11;
        ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / spin, 0, fine);
        ENSURE_NEAR(phxi_length(phxi_sub(last.angular_momentum, first.angular_momentum)) / spin, 0, fine);
        phx_world_destroy(world);
    }
}

/// A uniform stretch is seen as such by every node; the energy of halves is that of the whole.
/// A surface across the lattice leaves corners lighter than an eighth of a cell: they set the step.
TEST(turned_bodies_take_stable_steps) {
    phx_body_def body = body_of("box(size=(0.087,0.111,0.078))", 0.02, NULL);
    body.rotate = phxi_vec3(132.29, -39.8, 94.29);
    phx_world* world = world_of_material(1, body, 0.01, 0);
    REQUIRE(world);
    phx_totals before, after;
    REQUIRE_OK(phx_world_measure(world, &before));
    for (int k = 0; k < 20; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.01));
        REQUIRE_OK(phx_world_measure(world, &after));
        ENSURE_NEAR((after.kinetic + after.elastic) / (before.kinetic + before.elastic), 1, 0.01);
    }
    phx_world_destroy(world);
}

TEST(fields_of_a_uniform_stretch) {
    phx_world* world = world_of(1, body_of(BAR, 0.01, NULL), 0);
    REQUIRE(world);
    phxi_particles* p = &world->particles;
    phx_real f[9 * 176];
    REQUIRE(p->count == 4 * 4 * 11);
    for (int i = 0; i < p->count; ++i) {
        p->x[i] = (phx_real)1.1 * p->rest_x[i];
    }
    REQUIRE_OK(phx_world_field(world, "deformation", f));
    for (int i = 0; i < p->count; ++i) {
        for (int n = 0; n < 9; ++n) {
            ENSURE_NEAR((double)f[9 * i + n], n == 0 ? 1.1 : n % 4 == 0, 1e-5);
        }
    }
    phx_probe_def probe = phx_probe_def_default();
    probe.region = "plane(point=(0,0,0.001), normal=(0,0,1))"; // six layers of nodes, five layers and a half of cells
    phx_probe_id id;
    phx_totals part, all;
    REQUIRE_OK(phx_probe_create(world, &probe, &id));
    REQUIRE_OK(phx_probe_measure(world, id, &part));
    REQUIRE_OK(phx_world_measure(world, &all));
    ENSURE_NEAR(part.elastic / all.elastic, 0.55, 1e-5);
    ENSURE(all.elastic > 0);
    phx_world_destroy(world);
}

static void ensure_refused(phx_body_def body, const char* says) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_body_id id;
    phx_material_def material = phx_material_def_default();
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(phx_material_create(world, &material, &body.material));
    ENSURE(phx_body_create(world, &body, &id) != PHX_OK);
    ENSURE(strstr(phx_error_message(), says) != NULL);
    phx_world_destroy(world);
}

TEST(bad_bodies_are_answered) {
    const phx_setting automatic = {"integrator", "auto"};
    phx_body_def body = body_of(BAR, 0.01, NULL);
    body.jitter = 0.2;
    ensure_refused(body, "without jitter");
    body = body_of(BAR, 0.01, NULL);
    body.sampling = PHX_SAMPLING_BCC;
    ensure_refused(body, "cubic lattice");
    ensure_refused(body_of(BAR, 0.01, &automatic), "explicit");
}

static phx_result run_within(phxt_heap* heap) {
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.allocator = heap->allocator;
    phx_world* world = NULL;
    phx_body_id id;
    phx_material_def material = phx_material_def_default();
    phx_body_def body = body_of("box(size=(0.02,0.02,0.04))", 0.01, NULL);
    phx_result result = phx_world_create(&def, &world);
    if (result == PHX_OK) {
        result = phx_material_create(world, &material, &body.material);
    }
    if (result == PHX_OK) {
        result = phx_body_create(world, &body, &id);
    }
    if (result == PHX_OK) {
        result = phx_world_step(world, 1e-3);
    }
    phx_world_destroy(world);
    return result;
}

TEST(every_allocation_may_fail) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    REQUIRE_OK(run_within(&heap));
    int64_t count = heap.allocations;
    ENSURE(heap.live == 0 && count > 20);
    for (int64_t n = 0; n < count; ++n) {
        phxt_heap_init(&heap, n);
        ENSURE_RESULT(run_within(&heap), PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
}
