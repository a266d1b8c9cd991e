// SPDX-License-Identifier: MIT
// Particles against particles in worlds: momentum, rest, restart, threads, memory, bodies that stop each other.
#include "contact/pairs.h"
#include "support/points.h"
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

typedef struct block {
    const char* name;
    const char* shape;
    phx_vec3 velocity;
    bool self;
} block;

static phx_result add_block(phx_world* world, const block* b, double young, double friction) {
    phx_material_def material = phx_material_def_default();
    material.young = young;
    phx_material_id id;
    phx_result result = phx_material_create(world, &material, &id);
    phx_body_def def = phx_body_def_default();
    def.name = b->name;
    def.shape = b->shape;
    def.spacing = 0.02;
    def.material = id;
    def.velocity = b->velocity;
    def.friction = friction;
    def.self_contact = b->self;
    phx_body_id body;
    return result == PHX_OK ? phx_body_create(world, &def, &body) : result;
}

static phx_world* make(int threads, phx_vec3 gravity, const block* blocks, int count) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = threads;
    def.gravity = gravity;
    ENSURE_OK(phx_world_create(&def, &world));
    for (int k = 0; world && k < count; ++k) {
        ENSURE_OK(add_block(world, &blocks[k], 1e6, 0.4));
    }
    return world;
}

static double norm(phx_vec3 a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static const block oblique[2] = {
    {"left", "box(center=(-0.06,0,0), size=(0.1,0.08,0.1))", {1, 0.4, 0}, false},
    {"right", "box(center=(0.05,0.033,0.02), size=(0.1,0.1,0.08), round=0.02)", {-1, 0, 0.3}, false},
};

TEST(momentum_through_a_frictional_collision) {
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    phx_totals before, after;
    double deepest = 0;
    ENSURE_OK(phx_world_measure(world, &before));
    for (int k = 0; k < 40; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.001));
        ENSURE_OK(phx_world_measure(world, &after));
        deepest = fmax(deepest, after.contact);
    }
    phx_vec3 p = {after.momentum.x - before.momentum.x, after.momentum.y - before.momentum.y,
                  after.momentum.z - before.momentum.z};
    phx_vec3 l = {after.angular_momentum.x - before.angular_momentum.x,
                  after.angular_momentum.y - before.angular_momentum.y,
                  after.angular_momentum.z - before.angular_momentum.z};
    double small = sizeof(phx_real) == sizeof(float) ? 1e-6 : 1e-13;
    ENSURE(deepest > 1e-3);
    ENSURE(after.contact == 0);
    ENSURE_NEAR(norm(p), 0, small);
    ENSURE_NEAR(norm(l), 0, small);
    phx_world_destroy(world);
}

TEST(pair_forces_cancel) {
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    for (int k = 0; k < 8; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.001));
    }
    phxi_pair_forces touch;
    REQUIRE_OK(phxi_world_touch_now(world, &touch));
    const phxi_particles* p = &world->particles;
    phx_vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
    double gross = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 f = phxi_vec3(touch.force[0][i], touch.force[1][i], touch.force[2][i]);
        sum = phxi_add(sum, f);
        turn = phxi_add(turn, phxi_cross(phxi_vec3(p->x[i], p->y[i], p->z[i]), f));
        gross += norm(f);
    }
    double small = sizeof(phx_real) == sizeof(float) ? 1e-7 : 1e-15;
    ENSURE(gross > 1);
    ENSURE_NEAR(norm(sum) / gross, 0, small);
    ENSURE_NEAR(norm(turn) / gross, 0, small);
    phx_world_destroy(world);
}

static phx_vec3 add_all(const phx_world* world) {
    phx_totals t;
    ENSURE_OK(phx_world_measure(world, &t));
    return phxi_vec3(t.contact, norm(t.force), 0);
}

TEST(nothing_touches_at_rest) {
    const block alone[1] = {{"a", "box(size=(0.1,0.1,0.1))", {0, 0, 0}, true}};
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, alone, 1);
    ENSURE(add_all(world).x == 0);
    phx_world_destroy(world);
    // side by side, at the distance of particles within: what is left is the rounding of positions
    const block beside[2] = {{"a", "box(center=(0.05,0,0), size=(0.1,0.1,0.1))", {0, 0, 0}, false},
                             {"b", "box(center=(0.15,0,0), size=(0.1,0.1,0.1))", {0, 0, 0}, false}};
    world = make(1, (phx_vec3){0, 0, 0}, beside, 2);
    double small = sizeof(phx_real) == sizeof(float) ? 1e-3 : 1e-11; // N; 400 N at a depth of a tenth of the spacing
    ENSURE(add_all(world).y < small);
    phx_world_destroy(world);
}

TEST(far_apart_makes_no_list) {
    const block apart[2] = {{"a", "box(center=(0,0,0), size=(0.1,0.1,0.1))", {0, 0, 0}, false},
                            {"b", "box(center=(1,0,0), size=(0.1,0.1,0.1))", {0, 0, 0}, false}};
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, apart, 2);
    REQUIRE_OK(phx_world_step(world, 0.01));
    ENSURE(phxi_pairs_candidates(world->pairs) == 0);
    ENSURE(phxi_pairs_builds(world->pairs) == 1);
    phx_world_destroy(world);
}

// Two blocks that touch and fly on together, through many skins of the list, keep it.
TEST(what_flies_as_one_keeps_its_list) {
    const block beside[2] = {{"a", "box(center=(0.05,0,0), size=(0.1,0.1,0.1))", {3, 2, 1}, false},
                             {"b", "box(center=(0.15,0,0), size=(0.1,0.1,0.1))", {3, 2, 1}, false}};
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, beside, 2);
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE(phxi_pairs_candidates(world->pairs) > 0);
    ENSURE(phxi_pairs_builds(world->pairs) == 1);
    phx_world_destroy(world);
}

TEST(contact_can_be_off) {
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    world->bodies.items[0].contact.others = false;
    for (int k = 0; k < 10; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.001));
    }
    ENSURE(add_all(world).x == 0);
    phx_world_destroy(world);
}

TEST(same_bits_at_any_thread_count) {
    const int threads[4] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; ++k) {
        phx_world* world = make(threads[k], (phx_vec3){0, 0, -9.81}, oblique, 2);
        REQUIRE_OK(phx_world_step(world, 0.02));
        uint64_t hash = phx_world_hash(world);
        first = k == 0 ? hash : first;
        ENSURE(hash == first);
        phx_world_destroy(world);
    }
}

TEST(restart_goes_on_with_the_same_bits) {
    phx_world* a = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    phx_world* b = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    REQUIRE_OK(phx_world_step(a, 0.012));
    ENSURE(add_all(a).x > 0); // in the middle of it
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("half.phx")));
    REQUIRE_OK(phx_world_step(a, 0.012));
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("half.phx")));
    REQUIRE_OK(phx_world_step(b, 0.012));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}

TEST(allocates_nothing_after_warm_up) {
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    REQUIRE_OK(phx_world_step(world, 0.04));
    int64_t before = phx_world_allocations(world);
    const phx_vec3 back = {-1, 0, 0}, there = {1, 0, 0};
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), there, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 1), back, (phx_vec3){0, 0, 0}));
    REQUIRE_OK(phx_world_step(world, 0.002));
    ENSURE(phx_world_allocations(world) == before);
    phx_world_destroy(world);
}

static phx_result collide_within(phxt_heap* heap, int64_t* made) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = 1;
    def.allocator = heap->allocator;
    phx_result result = phx_world_create(&def, &world);
    const block near[2] = {{"a", "box(center=(0,0,0), size=(0.04,0.04,0.04))", {0, 0, 0}, false},
                           {"b", "box(center=(0.038,0.01,0), size=(0.04,0.04,0.04))", {0, 0, 0}, false}};
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = add_block(world, &near[k], 1e6, 0.4);
    }
    *made = heap->allocations; // what comes before is tested elsewhere
    if (result == PHX_OK) {
        result = phx_world_substep(world, 1e-5);
    }
    phx_totals totals;
    if (result == PHX_OK) {
        result = phx_world_measure(world, &totals);
    }
    phx_world_destroy(world);
    return result;
}

TEST(every_failing_allocation) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    int64_t made;
    REQUIRE_OK(collide_within(&heap, &made));
    int64_t count = heap.allocations, first = made;
    ENSURE(count > first);
    ENSURE(heap.live == 0);
    for (int64_t n = first; n < count; ++n) {
        phxt_heap_init(&heap, n);
        ENSURE_RESULT(collide_within(&heap, &made), PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
}

// A strip bent on itself: the ends touch only if the body asks for it.
TEST(self_contact) {
    for (int self = 0; self < 2; ++self) {
        const block strip[1] = {{"strip", "box(center=(0,0,0), size=(0.4,0.04,0.04))", {0, 0, 0}, self == 1}};
        phx_world* world = make(1, (phx_vec3){0, 0, 0}, strip, 1);
        phxi_particles* p = &world->particles;
        for (int i = 0; i < p->count; ++i) { // a hairpin: the second half lies above the first
            if (p->x[i] > 0) {
                p->x[i] = -p->x[i];
                p->z[i] = (phx_real)(0.038 - p->z[i]);
            }
        }
        phxi_pair_forces touch;
        REQUIRE_OK(phxi_world_touch_now(world, &touch));
        double up = 0, down = 0;
        for (int i = 0; i < p->count; ++i) {
            up += fmax(0, touch.energy ? touch.force[2][i] : 0);
            down += fmin(0, touch.energy ? touch.force[2][i] : 0);
        }
        ENSURE(self ? up > 1 : up == 0);
        ENSURE_NEAR(up + down, 0, 1e-3 * up);
        phx_world_destroy(world);
    }
}

/// A bar of corotated_sph that loses neighbours for good, torn in two at x = 0 and 2 spacings wide open there.
static phx_world* torn_bar(void) {
    static const phx_setting settings[] = {{"mode", "membership"}, {"permanent", "true"}};
    phx_world_def def = phx_world_def_default();
    phx_material_def material = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    phx_world* world = NULL;
    def.threads = 1;
    def.gravity = (phx_vec3){0, 0, 0};
    material.young = 1e5;
    body.shape = "box(size=(0.14,0.06,0.06))"; // no layer in the middle
    body.spacing = 0.02;
    body.method = "corotated_sph";
    body.settings = settings;
    body.setting_count = 2;
    ENSURE_OK(phx_world_create(&def, &world));
    ENSURE_OK(phx_material_create(world, &material, &body.material));
    ENSURE_OK(phx_body_create(world, &body, &id));
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->x[i] += p->rest_x[i] > 0 ? (phx_real)0.04 : 0;
        p->vx[i] = p->rest_x[i] > 0 ? -1 : 1;
    }
    return world;
}

static double least_gap(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double left = -INFINITY, right = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        left = p->rest_x[i] < 0 ? fmax(left, (double)p->x[i]) : left;
        right = p->rest_x[i] > 0 ? fmin(right, (double)p->x[i]) : right;
    }
    return right - left;
}

// Pairs that were cut become pairs that touch: the halves come together, and part again.
TEST(broken_neighbours_of_corotated_sph_touch) {
    phx_world* world = torn_bar();
    REQUIRE_OK(phx_world_step(world, 1e-4));
    ENSURE(phxi_world_bonds(world, 0).version != 0);
    double least = INFINITY;
    for (int k = 0; k < 100; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.001));
        least = fmin(least, least_gap(world));
    }
    ENSURE(least > 0.4 * 0.02 && least < 0.021); // they met, and did not get into each other
    ENSURE(least_gap(world) > 0.03);
    phx_world_destroy(world);
}

TEST(broken_neighbours_restart_with_the_same_bits) {
    phx_world *a = torn_bar(), *b = torn_bar();
    REQUIRE_OK(phx_world_step(a, 0.015));
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("torn.phx")));
    REQUIRE_OK(phx_world_step(a, 0.015));
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("torn.phx")));
    REQUIRE_OK(phx_world_step(b, 0.015));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}

// Methods without bonds touch as balls do.
TEST(points_touch_too) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id a, b;
    def.threads = 1;
    def.gravity = (phx_vec3){0, 0, 0};
    phx_world* world = phxt_world(&def, &material);
    REQUIRE(world);
    REQUIRE_OK(phxt_body(world, "a", "box(center=(0,0,0), size=(0.02,0.02,0.02))", 0.02, NULL, &a));
    REQUIRE_OK(phxt_body(world, "b", "box(center=(0.021,0.002,0), size=(0.02,0.02,0.02))", 0.02, NULL, &b));
    REQUIRE_OK(phx_body_set_velocity(world, a, (phx_vec3){0.5, 0, 0}, (phx_vec3){0, 0, 0}));
    phx_totals before, after, of_b;
    ENSURE_OK(phx_world_measure(world, &before));
    REQUIRE_OK(phx_world_step(world, 0.05));
    ENSURE_OK(phx_world_measure(world, &after));
    ENSURE_OK(phx_body_measure(world, b, &of_b));
    ENSURE(of_b.momentum.x > 0.5 * before.momentum.x);
    ENSURE_NEAR(after.momentum.x, before.momentum.x, 1e-6 * before.momentum.x);
    ENSURE_NEAR(after.angular_momentum.z, before.angular_momentum.z, 1e-6 * fabs(before.momentum.x) * 0.02);
    phx_world_destroy(world);
}

// Random drops: who comes from above stays above.
TEST(nothing_passes_through) {
    uint64_t seed = 7;
    const block blocks[2] = {{"low", "box(center=(0,0,-0.03), size=(0.1,0.1,0.06))", {0, 0, 0}, false},
                             {"high", "box(center=(0,0,0.035), size=(0.06,0.06,0.06), round=0.01)", {0, 0, 0}, false}};
    phx_world* world = make(1, (phx_vec3){0, 0, -9.81}, blocks, 2);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("start.phx")));
    for (int k = 0; k < 20; ++k) {
        REQUIRE_OK(phx_checkpoint_load(world, phxt_path("start.phx")));
        phxi_particles* p = &world->particles;
        const phxi_body* high = &world->bodies.items[1];
        double dx = 0.03 * (phxt_random(&seed) - 0.5), dy = 0.03 * (phxt_random(&seed) - 0.5);
        for (int i = high->begin; i < high->begin + high->count; ++i) {
            p->x[i] += (phx_real)dx;
            p->y[i] += (phx_real)dy;
        }
        phx_vec3 velocity = {0, 0, -10 * phxt_random(&seed)}, spin = {10 * (phxt_random(&seed) - 0.5), 0, 0};
        REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 1), velocity, spin));
        phx_totals above, below;
        REQUIRE_OK(phx_world_step(world, 0.012));
        ENSURE_OK(phx_body_measure(world, phx_world_body_id(world, 0), &below));
        ENSURE_OK(phx_body_measure(world, phx_world_body_id(world, 1), &above));
        ENSURE(above.mean_position.z > below.mean_position.z + 0.03);
    }
    phx_world_destroy(world);
}

// Springs of wood at a substep that no spring bounds threw it off at 76 km/s.
TEST(a_rigid_box_lands_by_projection) {
    static const char* const shapes[3] = {"box(size=(0.12,0.12,0.12))", "box(size=(0.2,0.1,0.06))",
                                          "sphere(radius=0.08)"};
    for (int k = 0; k < 6; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        const phx_preset* wood;
        phx_body_def box = phx_body_def_default();
        phx_collider_def floor = phx_collider_def_default();
        phx_body_id body;
        phx_collider_id collider;
        def.threads = 1;
        def.contact = PHXI_PROJECTION;
        floor.shape = "plane()";
        box.shape = shapes[k % 3];
        box.rotate = k < 3 ? phxi_vec3(0, 0, 0) : phxi_vec3(10, 20, 30);
        box.translate.z = 0.3;
        box.spacing = 0.02;
        box.method = "rigid";
        REQUIRE_OK(phx_preset_find("wood", &wood));
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phx_material_create(world, &wood->def, &box.material));
        REQUIRE_OK(phx_collider_create(world, &floor, &collider));
        REQUIRE_OK(phx_body_create(world, &box, &body));
        phx_totals first, now;
        ENSURE_OK(phx_world_measure(world, &first));
        double least = INFINITY;
        for (int step = 0; step < 150; ++step) {
            REQUIRE_OK(phx_world_step(world, 0.01));
            ENSURE_OK(phx_world_measure(world, &now));
            // velocities are half a substep ahead of a push that was a blow: up to twice those after it
            ENSURE(now.potential <= (1 + 1e-5) * first.potential && now.kinetic <= 4 * first.potential);
            least = fmin(least, now.mean_position.z);
        }
        ENSURE(least > 0.028); // half its height, but for a tenth of a spacing
        ENSURE_NEAR(now.kinetic / first.potential, 0, 0.01);
        phx_world_destroy(world);
    }
}
