// SPDX-License-Identifier: MIT
// The method of fluids: same bits at any thread count and after a checkpoint, steps without allocation, free fall,
// kernels and Akinci walls on lattices, what it refuses and warns of.
#include "core/hash.h"
#include "methods/wcsph/wcsph_internal.h"
#include "neighbors/kernel_wide.h"
#include "support/points.h"

static phx_result add(phx_world* world, const char* name, const char* method, const char* shape, double spacing,
                      const phx_material_def* material, const phx_setting* settings, int count) {
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    PHXI_TRY(phx_material_create(world, material, &bd.material));
    bd.name = name;
    bd.method = method;
    bd.shape = shape;
    bd.spacing = spacing;
    bd.settings = settings;
    bd.setting_count = count;
    bd.temperature = 0;
    bd.temperature_gradient = phxi_vec3(0, 0, 10);
    return phx_body_create(world, &bd, &body);
}

static phx_material_def wax(void) {
    phx_material_def material = phx_material_def_default();
    material.flow = PHX_FLOW_JUMP;
    material.yield_stress = 500;
    material.solidus = 0.3;
    material.liquidus = 0.6;
    material.conductivity = 1;
    return material;
}

/// Wax between a floor and a stirring paddle; and water beside it.
static phx_world* stirred(int threads, const char* viscosity) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def fluid = wax(), water = phx_material_def_default(), stone = water;
    phx_driver_def turn = phx_driver_def_default();
    phx_driver_id driver;
    const phx_setting settings[] = {{"sound_speed", "10"}, {"viscosity", viscosity}};
    def.threads = threads;
    water.viscosity = 1e-3;
    water.density = 800;
    turn.kind = PHX_DRIVER_TWIST;
    turn.body = "paddle";
    turn.angle = 90;
    turn.ramp = 0.1;
    bool good =
        phx_world_create(&def, &world) == PHX_OK &&
        add(world, "wax", "wcsph", "box(center=(0,0,0.05),size=(0.08,0.08,0.1))", 0.01, &fluid, settings, 2) ==
            PHX_OK &&
        add(world, "floor", "wall", "box(center=(0,0,-0.03),size=(0.24,0.24,0.06))", 0.01, &stone, NULL, 0) == PHX_OK &&
        add(world, "water", "wcsph", "sphere(center=(0.1,0,0.05),radius=0.03)", 0.01, &water, settings, 2) == PHX_OK &&
        add(world, "paddle", "wall", "box(center=(0,0,0.13),size=(0.08,0.03,0.04))", 0.01, &stone, NULL, 0) == PHX_OK &&
        phx_driver_create(world, &turn, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(same_bits_at_any_thread_count) {
    const char* const ways[] = {"explicit", "implicit", "auto"};
    for (int k = 0; k < 3; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = stirred(threads, ways[k]);
            REQUIRE(world);
            for (int n = 0; n < 12; ++n) {
                REQUIRE_OK(phx_world_substep(world, 1e-4));
            }
            uint64_t own = phx_world_hash(world);
            ENSURE(threads == 1 || own == hash);
            hash = own;
            phx_world_destroy(world);
        }
    }
}

#ifdef PHXI_AVX512
/// What both loops leave, by either width.
static void run_loops(phxi_wcsph* s, bool wide, uint64_t* hash) {
    int count = s->near->count;
    wide ? phxi_wcsph_rates_avx512(s, 0, count) : phxi_wcsph_rates(s, 0, count);
    *hash = phxi_hash_bytes(s->acceleration, sizeof *s->acceleration * (size_t)count, 0);
    wide ? phxi_wcsph_forces_avx512(s, 0, count) : phxi_wcsph_forces(s, 0, count);
    *hash = phxi_hash_bytes(s->acceleration, sizeof *s->acceleration * (size_t)count, *hash);
    *hash = phxi_hash_bytes(s->drift, sizeof *s->drift * (size_t)count, *hash);
    wide ? phxi_wcsph_walls_avx512(s, 0, count) : phxi_wcsph_walls(s, 0, count);
    *hash = phxi_hash_bytes(s->acceleration, sizeof *s->acceleration * (size_t)count, *hash);
}
#endif

TEST(both_widths_give_the_same_bits) {
    phx_world* world = stirred(1, "explicit");
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1e-5));
    REQUIRE_OK(phx_world_substep(world, 1e-5));
    phxi_step step = phxi_world_context(world, 0);
    phxi_wcsph* s = world->solvers.items[0].state;
    s->step = &step;
#ifdef PHXI_AVX512
    uint64_t narrow, wide;
    if (phxi_lanes_are_wide()) {
        run_loops(s, false, &narrow);
        run_loops(s, true, &wide);
        ENSURE(narrow == wide);
        s->mixed[100] = !s->mixed[100]; // a wrong guess changes nothing
        s->mixed[200] = !s->mixed[200];
        run_loops(s, true, &wide);
        ENSURE(narrow == wide);
    }
#endif
    phx_world_destroy(world);
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = stirred(2, "auto"), *twin = stirred(1, "auto");
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 3e-3));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("fluid.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("fluid.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 3e-3));
    REQUIRE_OK(phx_world_step(twin, 3e-3));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(steps_allocate_nothing) {
    const char* const ways[] = {"explicit", "implicit"};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = stirred(2, ways[k]);
        REQUIRE(world);
        for (int n = 0; n < 4; ++n) {
            REQUIRE_OK(phx_world_substep(world, 1e-4));
        }
        int64_t before = world->heap.allocations;
        for (int n = 0; n < 10; ++n) {
            REQUIRE_OK(phx_world_substep(world, 1e-4));
        }
        ENSURE(world->heap.allocations == before);
        phx_world_destroy(world);
    }
}

TEST(free_fall_is_exact) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def water = phx_material_def_default();
    water.fluid = true;
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(add(world, "drop", "wcsph", "sphere(radius=0.1)", 0.02, &water, NULL, 0));
    REQUIRE_OK(phx_world_step(world, 0.1));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR(p->z[i], (double)p->rest_z[i] - 0.5 * 9.81 * 0.01, 2e-7);
        ENSURE_NEAR(p->vz[i], -0.981, 2e-6);
    }
    phx_world_destroy(world);
}

/// rho / rho_0 - 1 by summation of the first layer of fluid over one layer of wall.
static double layer_compression(const char* gamma, phx_real* inside) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def water = phx_material_def_default();
    water.fluid = true;
    const phx_setting fluid[] = {{"kernel", "cubic"}, {"density", "summation"}, {"floor", "0"}};
    const phx_setting wall[] = {{"kernel", "cubic"}, {"masses", "akinci"}, {"gamma", gamma}, {"layers", "1"}};
    def.gravity = phxi_vec3(0, 0, 0);
    def.period = phxi_vec3(0.5, 0.5, 0);
    bool good =
        phx_world_create(&def, &world) == PHX_OK &&
        add(world, "floor", "wall", "box(center=(0,0,-0.05),size=(0.5,0.5,0.1))", 0.1, &water, wall, 4) == PHX_OK &&
        add(world, "water", "wcsph", "box(center=(0,0,0.3),size=(0.5,0.5,0.6))", 0.1, &water, fluid, 3) == PHX_OK &&
        phx_world_substep(world, 1e-9) == PHX_OK;
    double result = 0;
    const phxi_particles* p = &world->particles;
    const phx_real* compression = phxi_particles_field(p, "wcsph.compression");
    for (int i = 0; good && i < p->count; ++i) {
        if (p->body[i] == 1 && p->z[i] < (phx_real)0.1) {
            result = (double)compression[i];
        } else if (p->body[i] == 1 && p->z[i] > (phx_real)0.2 && p->z[i] < (phx_real)0.4) {
            *inside = compression[i];
        }
    }
    phx_world_destroy(world);
    return good ? result : NAN;
}

TEST(fluid_beside_a_flat_wall_of_akinci_has_its_density) {
    phx_real inside = 1;
    ENSURE_NEAR(layer_compression("0.70", &inside), 0, 0.002);
    ENSURE_NEAR(inside, 0, sizeof(phx_real) == 4 ? 1e-6 : 1e-12);
    ENSURE_NEAR(layer_compression("1", &inside), 0.064, 0.002);
}

TEST(wide_kernels_agree_with_the_table) {
    for (int k = 0; k < 400; ++k) {
        double r = 0.00275 * k + 1e-4;
        phxi_r8 square = (phxi_r8){0} + (phx_real)(r * r), inverse = (phxi_r8){0} + 1, value, slope;
        phxi_cubic_lanes(&square, &inverse, &value, &slope);
        double tolerance = sizeof(phx_real) == 4 ? 2e-5 : 1e-12;
        ENSURE_NEAR(value[3], phxi_kernel_value(PHXI_KERNEL_CUBIC, r, 1), tolerance);
        ENSURE_NEAR(slope[5], phxi_kernel_slope(PHXI_KERNEL_CUBIC, r, 1) / r, 20 * tolerance);
    }
}

/// Water falls into a corner of colliders; honey on a ball that is a wall: nothing is inside them, ever.
TEST(nothing_gets_through) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def water = phx_material_def_default();
    phx_collider_def floor = phx_collider_def_default(), side = floor;
    phx_collider_id id;
    const phx_setting sound[] = {{"sound_speed", "15"}};
    def.threads = 2;
    water.viscosity = 1e-3;
    side.name = "side";
    side.shape = "plane(point=(-0.1,0,0),normal=(1,0,0))";
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(phx_collider_create(world, &floor, &id));
    REQUIRE_OK(phx_collider_create(world, &side, &id));
    REQUIRE_OK(add(world, "water", "wcsph", "box(center=(-0.04,0,0.1),size=(0.12,0.12,0.12))", 0.02, &water, sound, 1));
    REQUIRE_OK(add(world, "more", "wcsph", "box(center=(0.3,0,0.2),size=(0.08,0.08,0.08))", 0.02, &water, sound, 1));
    REQUIRE_OK(add(world, "ball", "wall", "sphere(center=(0.3,0,0.08),radius=0.06)", 0.02, &water, NULL, 0));
    const phxi_particles* p = &world->particles;
    int count = p->count - world->bodies.items[2].count;
    for (int k = 0; k < 10; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.03));
        for (int i = 0; i < count; ++i) {
            double x = (double)p->x[i], y = (double)p->y[i], z = (double)p->z[i];
            double above = sqrt((x - 0.3) * (x - 0.3) + y * y + (z - 0.08) * (z - 0.08)) - 0.06;
            ENSURE(z > 0.19 * 0.02 && x > -0.1 + 0.19 * 0.02 && above > 0.19 * 0.02);
        }
    }
    phx_world_destroy(world);
}

// --------------------------------------------------------------------------------------------------- what is refused

static char heard[512];
static void hear(void* context, phx_log_level level, const char* line) {
    (void)context;
    if (level == PHX_LOG_WARNING) {
        snprintf(heard, sizeof heard, "%s", line);
    }
}

/// Sums of what fluids get from each other and from walls, of what walls get, and of its sizes, N.
static void sum_forces(const phx_world* world, double fluids[3], double walls[3], double* size) {
    const phxi_particles* p = &world->particles;
    *size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        fluids[axis] = walls[axis] = 0;
        for (int i = 0; i < p->count; ++i) {
            bool still = world->bodies.items[p->body[i]].kinematic;
            double force = (double)p->mass[i] * (double)p->acceleration[axis][i];
            *(still ? &walls[axis] : &fluids[axis]) += force;
            *size += fabs(force);
        }
    }
}

/// Every form of friction, steps of either kind, both kernels, a floor that slips, worlds that repeat.
TEST(walls_get_what_fluids_give) {
    static const char* const kinds[][4] = {
        {"angular", "explicit", "quintic", "false"}, {"morris", "explicit", "quintic", "false"},
        {"stress", "explicit", "quintic", "false"},  {"angular", "implicit", "quintic", "false"},
        {"morris", "implicit", "cubic", "false"},    {"angular", "explicit", "cubic", "true"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        phx_material_def fluid = wax(), stone = phx_material_def_default();
        const phx_setting settings[] = {{"sound_speed", "10"},
                                        {"form", kinds[k][0]},
                                        {"viscosity", kinds[k][1]},
                                        {"kernel", kinds[k][2]},
                                        {"tolerance", "1e-6"}};
        const phx_setting walls[] = {{"kernel", kinds[k][2]}, {"slip", kinds[k][3]}};
        def.period = phxi_vec3(0, k % 2 ? 0.12 : 0, 0);
        bool implicit = kinds[k][1][0] == 'i';
        double dt = implicit ? 1e-4 : 2e-6, on_fluids[3], on_walls[3], size, lack = 0, seen = 0;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(
            add(world, "wax", "wcsph", "box(center=(0,0,0.03),size=(0.08,0.08,0.06))", 0.01, &fluid, settings, 5));
        REQUIRE_OK(
            add(world, "floor", "wall", "box(center=(0,0,-0.015),size=(0.12,0.12,0.03))", 0.01, &stone, walls, 2));
        for (int i = 0; i < world->bodies.items[0].count; ++i) {
            world->particles.vz[i] = (phx_real)-0.5;
            world->particles.vx[i] = (phx_real)0.3;
        }
        for (int n = 0; n < 5; ++n) {
            REQUIRE_OK(phx_world_substep(world, dt));
        }
        sum_forces(world, on_fluids, on_walls, &size);
        for (int axis = 0; axis < 3; ++axis) {
            lack = fmax(lack, fabs(on_fluids[axis] + on_walls[axis]));
            seen = fmax(seen, fabs(on_walls[axis]));
        }
        ENSURE(seen > 1e-3 * size);
        ENSURE_NEAR(lack / seen, 0, implicit ? 1e-4 : sizeof(phx_real) == 4 ? 1e-4 : 1e-11);
        phx_world_destroy(world);
    }
}

TEST(slow_sound_is_warned_of) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def water = phx_material_def_default();
    water.fluid = true;
    phx_dt_info info;
    const phx_setting slow[] = {{"sound_speed", "3"}}, fast[] = {{"sound_speed", "50"}};
    def.log.write = hear;
    heard[0] = 0;
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(add(world, "fast", "wcsph", "box(center=(2,0,0.5))", 0.1, &water, fast, 1));
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE(!heard[0]);
    REQUIRE_OK(add(world, "slow", "wcsph", "box(center=(0,0,0.5))", 0.1, &water, slow, 1));
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE(strstr(heard, "body 'slow'") && strstr(heard, "expected 29.7"));
    phx_world_destroy(world);
}

TEST(bad_fluids_are_refused) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&def, &world));
    phx_material_def good = wax(), bad = good;
    bad.jump_solid = -1;
    ENSURE(add(world, "a", "wcsph", "box()", 0.2, &bad, NULL, 0) != PHX_OK);
    ENSURE_MESSAGE("jump_solid");
    bad = good;
    bad.liquidus = bad.solidus;
    ENSURE(add(world, "b", "wcsph", "box()", 0.2, &bad, NULL, 0) != PHX_OK);
    ENSURE_MESSAGE("liquidus");
    bad = good;
    bad.viscosity = -1;
    ENSURE(add(world, "c", "wcsph", "box()", 0.2, &bad, NULL, 0) != PHX_OK);
    ENSURE_MESSAGE("viscosity");
    const phx_setting both[] = {{"form", "stress"}, {"viscosity", "implicit"}};
    ENSURE_RESULT(add(world, "d", "wcsph", "box()", 0.2, &good, both, 2), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("stress");
    REQUIRE_OK(add(world, "e", "wcsph", "box()", 0.2, &good, NULL, 0));
    const phx_setting other[] = {{"xsph", "0.1"}}, cubic[] = {{"kernel", "cubic"}};
    ENSURE_RESULT(add(world, "f", "wcsph", "box(center=(2,0,0))", 0.2, &good, other, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("xsph differs from that of body 'e'");
    REQUIRE_OK(add(world, "g", "wall", "box(center=(4,0,0))", 0.2, &good, cubic, 1));
    ENSURE_RESULT(phx_world_step(world, 1e-3), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("kernel of wall 'g'");
    phx_world_destroy(world);
}

TEST(a_state_that_is_not_finite_is_told) {
    phx_world* world = stirred(2, "auto");
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    phx_real* compression = phxi_particles_field(&world->particles, "wcsph.compression");
    compression[5] = (phx_real)NAN;
    ENSURE_RESULT(phx_world_substep(world, 1e-4), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("wcsph");
    phx_world_destroy(world);
}
