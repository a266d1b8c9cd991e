// SPDX-License-Identifier: MIT
// Probes that look at a collider: what lies on it presses with its weight, the impulse is the change of momentum, the
// gap; the same after a restart; what cannot be told is refused.
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <string.h>

typedef struct setup {
    const char *method, *integrator;
    double high; // m above the floor
    double speed;
    double damping;
    int threads;
} setup;

#define G    9.81
#define MASS 1.0 // kg

static phx_world* make(const setup* s, phx_probe_id* floor, phx_probe_id* wall) {
    phx_world_def wd = phx_world_def_default();
    wd.threads = s->threads > 0 ? s->threads : 1;
    phx_world* world = NULL;
    ENSURE_OK(phx_world_create(&wd, &world));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6;
    material.damping = s->damping;
    phx_material_id id;
    ENSURE_OK(phx_material_create(world, &material, &id));
    const phx_setting setting = {"integrator", s->integrator};
    phx_body_def body = phx_body_def_default();
    body.name = "block";
    body.method = s->method;
    body.shape = "box(center=(0,0,0.05), size=(0.1,0.1,0.1))";
    body.translate.z = s->high;
    body.velocity.z = s->speed;
    body.spacing = 0.02;
    body.material = id;
    body.settings = &setting;
    body.setting_count = s->integrator != NULL;
    phx_body_id body_id;
    ENSURE_OK(phx_body_create(world, &body, &body_id));
    phx_collider_def collider = phx_collider_def_default();
    phx_collider_id collider_id;
    collider.name = "floor";
    ENSURE_OK(phx_collider_create(world, &collider, &collider_id));
    collider.name = "wall";
    collider.shape = "box(center=(1,0,0), size=(1,1,1))";
    ENSURE_OK(phx_collider_create(world, &collider, &collider_id));
    phx_probe_def probe = phx_probe_def_default();
    probe.name = "of_floor";
    probe.body = "block";
    probe.collider = "floor";
    ENSURE_OK(phx_probe_create(world, &probe, floor));
    probe.name = "of_wall";
    probe.body = NULL;
    probe.collider = "wall";
    ENSURE_OK(phx_probe_create(world, &probe, wall));
    return world;
}

static const char* const kinds[][2] = {{"efg", "velocity_verlet"},
                                       {"efg", "bdf2"},
                                       {"efg", "implicit_euler"},
                                       {"elastoplastic_sph", NULL},
                                       {"corotated_sph", NULL},
                                       {"fem", NULL},
                                       {"peridynamics", NULL},
                                       {"peridynamics", "bdf2"},
                                       {"rigid", NULL},
                                       {"mpm", NULL}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/// After a second it rests, and the floor bears its weight.
TEST(a_block_reads_its_weight) {
    for (int k = 0; k < KINDS; ++k) {
        setup s = {.method = kinds[k][0], .integrator = kinds[k][1], .damping = 60};
        phx_probe_id floor, wall;
        phx_world* world = make(&s, &floor, &wall);
        phx_totals before, a, b, w;
        ENSURE_OK(phx_probe_measure(world, floor, &before));
        for (int n = 0; n < 20; ++n) {
            ENSURE_OK(phx_world_step(world, 0.05));
        }
        ENSURE_OK(phx_probe_measure(world, floor, &a));
        for (int n = 0; n < 4; ++n) {
            ENSURE_OK(phx_world_step(world, 0.05));
        }
        ENSURE_OK(phx_probe_measure(world, floor, &b));
        ENSURE_OK(phx_probe_measure(world, wall, &w));
        double weight = a.mass * G, mean = (b.contact_impulse.z - a.contact_impulse.z) / 0.2;
        printf("%s %s: %.6g of %.6g N, mean %.6g, gap %.3g, wall %.3g m\n", s.method, s.integrator ? s.integrator : "",
               b.contact_force.z, weight, mean, b.gap, w.gap);
        ENSURE(fabs(b.contact_force.z / weight - 1) < 0.02);
        ENSURE(fabs(mean / weight - 1) < 0.01);
        ENSURE(fabs(b.contact_force.x) < 1e-2 * weight && fabs(b.contact_force.y) < 1e-2 * weight);
        ENSURE(b.gap < 0.02 * 0.02 && b.gap > -0.02);
        ENSURE(w.contact_force.x == 0 && w.contact_impulse.x == 0 && w.gap > 0.4 && w.gap < 0.5);
        phx_world_destroy(world);
    }
}

/// It falls, is stopped and comes to rest: the floor has given what gravity has.
TEST(impulse_is_the_change_of_momentum) {
    for (int k = 0; k < KINDS; ++k) {
        setup s = {.method = kinds[k][0], .integrator = kinds[k][1], .high = 0.03, .speed = -0.5, .damping = 60};
        phx_probe_id floor, wall;
        phx_world* world = make(&s, &floor, &wall);
        phx_totals before, after;
        ENSURE_OK(phx_probe_measure(world, floor, &before));
        ENSURE(before.gap > 0.015 && before.gap < 0.04);
        for (int n = 0; n < 30; ++n) {
            ENSURE_OK(phx_world_step(world, 0.05));
        }
        ENSURE_OK(phx_probe_measure(world, floor, &after));
        double exact = after.momentum.z - before.momentum.z + after.mass * G * 1.5;
        printf("%s %s: impulse %.6g of %.6g N s\n", s.method, s.integrator ? s.integrator : "", after.contact_impulse.z,
               exact);
        ENSURE(fabs(after.contact_impulse.z / exact - 1) < 0.01);
        phx_world_destroy(world);
    }
}

TEST(it_goes_on_after_a_restart_at_any_thread_count) {
    setup s = {.method = "efg", .integrator = "velocity_verlet", .high = 0.001, .damping = 20}, more = s;
    more.threads = 3;
    phx_probe_id floor, wall;
    phx_totals a, b;
    phx_world *whole = make(&s, &floor, &wall), *second = make(&more, &floor, &wall);
    ENSURE_OK(phx_world_step(whole, 0.05));
    ENSURE_OK(phx_checkpoint_save(whole, phxt_path("probes.phx")));
    ENSURE_OK(phx_checkpoint_load(second, phxt_path("probes.phx")));
    ENSURE_OK(phx_world_step(whole, 0.05));
    ENSURE_OK(phx_world_step(second, 0.05));
    ENSURE_OK(phx_probe_measure(whole, phx_world_probe_id(whole, 0), &a));
    ENSURE_OK(phx_probe_measure(second, phx_world_probe_id(second, 0), &b));
    ENSURE(a.contact_impulse.z > 0 && a.contact_impulse.z == b.contact_impulse.z);
    ENSURE(a.contact_force.z == b.contact_force.z && a.gap == b.gap);
    phx_world_destroy(whole);
    phx_world_destroy(second);
}

/// Nobody moves otherwise because a probe looks.
TEST(looking_changes_nothing) {
    for (int k = 0; k < KINDS; ++k) {
        setup s = {.method = kinds[k][0], .integrator = kinds[k][1], .high = 0.001};
        uint64_t hash[2];
        for (int n = 0; n < 2; ++n) {
            phx_probe_id floor, wall;
            phx_world* world = make(&s, &floor, &wall);
            for (int m = 0; n == 1 && m < world->probes.count; ++m) {
                world->probes.items[m].collider = -1;
            }
            ENSURE_OK(phx_world_step(world, 0.05));
            hash[n] = phxi_particles_hash(&world->particles);
            phx_world_destroy(world);
        }
        printf("%s %s\n", s.method, hash[0] == hash[1] ? "same" : "other");
        ENSURE(hash[0] == hash[1]);
    }
}

TEST(what_cannot_be_told_is_refused) {
    setup s = {.method = "mpm"};
    phx_probe_id floor, wall, id;
    phx_world* world = make(&s, &floor, &wall);
    phx_probe_def probe = phx_probe_def_default();
    probe.name = "of_nothing";
    probe.collider = "ceiling";
    ENSURE_RESULT(phx_probe_create(world, &probe, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("ceiling");
    probe.collider = "floor";
    probe.region = "sphere(radius=1)";
    ENSURE_RESULT(phx_probe_create(world, &probe, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("region");
    phx_body_def other = phx_body_def_default();
    phx_body_id body;
    other.name = "other";
    other.method = "mpm";
    other.shape = "sphere(radius=0.05)";
    other.translate.z = 1;
    other.spacing = 0.02;
    other.material = phx_world_material_id(world, 0);
    ENSURE_OK(phx_body_create(world, &other, &body));
    phx_totals totals;
    ENSURE_RESULT(phx_probe_measure(world, floor, &totals), PHX_ERROR_UNSUPPORTED);
    ENSURE_MESSAGE("share a grid");
    ENSURE_OK(phx_probe_measure(world, wall, &totals));
    phx_world_destroy(world);
}
