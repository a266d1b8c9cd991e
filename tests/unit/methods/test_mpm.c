// SPDX-License-Identifier: MIT
// The material point method: same bits at any thread count and after a checkpoint, steps without allocation, transfers
// of affine fields, colliders, drivers, what it refuses.
#include "core/hash.h"
#include "methods/mpm/mpm_internal.h"
#include "support/points.h"

static phx_result add(phx_world* world, const char* name, const char* shape, double spacing,
                      const phx_setting* settings, int count) {
    phx_body_def bd = phx_body_def_default();
    phx_material_def material = phx_material_def_default();
    phx_body_id body;
    material.law = PHX_LAW_NEO_HOOKEAN;
    PHXI_TRY(phx_material_create(world, &material, &bd.material));
    bd.name = name;
    bd.method = "mpm";
    bd.shape = shape;
    bd.spacing = spacing;
    bd.settings = settings;
    bd.setting_count = count;
    return phx_body_create(world, &bd, &body);
}

/// What bodies are made of: elastic, dough that creeps, sand, snow, a liquid, a paste, one that melts.
enum { STUFFS = 7 };
static const char* const stuffs[STUFFS] = {"jelly", "dough", "sand", "snow", "water", "toothpaste", "wax"};

static phx_result add_stuff(phx_world* world, const char* stuff, const char* name, const char* shape,
                            const phx_setting* setting) {
    phx_body_def bd = phx_body_def_default();
    const phx_preset* preset;
    phx_body_id body;
    PHXI_TRY(phx_preset_find(stuff, &preset));
    phx_material_def material = preset->def;
    material.young = fmin(material.young, 1e5);
    PHXI_TRY(phx_material_create(world, &material, &bd.material));
    bd.name = name, bd.method = "mpm", bd.shape = shape, bd.spacing = 0.025;
    bd.settings = setting, bd.setting_count = 1;
    return phx_body_create(world, &bd, &body);
}

static phx_world* empty_world(int threads, double gravity) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, gravity);
    return phx_world_create(&def, &world) == PHX_OK ? world : NULL;
}

static phx_result add_floor(phx_world* world, double friction) {
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    floor.friction = friction;
    return phx_collider_create(world, &floor, &id);
}

/// Two bodies fall onto each other and a floor; part of the lower one is turned by a driver.
static phx_world* heap(int threads, const char* kernel, const char* transfer) {
    const phx_setting settings[] = {{"kernel", kernel}, {"transfer", transfer}};
    phx_driver_def turn = phx_driver_def_default();
    phx_driver_id driver;
    turn.kind = PHX_DRIVER_SPIN;
    turn.region = "sphere(center=(0.1,0,0.12),radius=0.05)";
    turn.angle = 400;
    phx_world* world = empty_world(threads, -9.81);
    bool good = world && add_floor(world, 0.3) == PHX_OK &&
                add(world, "lower", "box(center=(0,0,0.11),size=(0.4,0.3,0.2))", 0.025, settings, 2) == PHX_OK &&
                add(world, "upper", "sphere(center=(0.02,0.01,0.36),radius=0.12)", 0.025, settings, 2) == PHX_OK &&
                phx_driver_create(world, &turn, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    for (int i = 0; good && i < world->particles.count; ++i) {
        world->particles.vz[i] = world->particles.body[i] == 1 ? -3 : -1;
    }
    return world;
}

TEST(same_bits_at_any_thread_count) {
    const char* const ways[4][2] = {{"cubic", "apic"}, {"quadratic", "apic"}, {"cubic", "flip"}, {"quadratic", "pic"}};
    for (int k = 0; k < 4; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = heap(threads, ways[k][0], ways[k][1]);
            REQUIRE(world);
            for (int n = 0; n < 25; ++n) {
                REQUIRE_OK(phx_world_substep(world, 1e-3));
            }
            uint64_t own = phx_world_hash(world);
            ENSURE(threads == 1 || own == hash);
            hash = own;
            phx_world_destroy(world);
        }
    }
}

#ifdef PHXI_AVX512
/// What a block gives and takes, by either width.
static uint64_t transfer(phxi_mpm* s, bool wide) {
    static phx_real tile[MPM_TILE_NUMBERS];
    static phxi_mpm_gift gifts[MPM_CHUNK];
    static phxi_mpm_take takes[MPM_CHUNK];
    static phxi_mpm_chunk chunk;
    phxi_mpm_open_chunk(s, &s->batches.items[s->batches.count / 2], 0, &chunk);
    phxi_mpm_weigh(s, &chunk);
    memset(tile, 0, sizeof tile);
    for (int k = 0; k < chunk.count; ++k) {
        gifts[k].base = chunk.base[k];
        for (int n = 0; n < MPM_ROW; ++n) {
            gifts[k].k[n] = (phx_real)(k + n), gifts[k].x[n] = (phx_real)0.1 * (phx_real)n,
            gifts[k].y[n] = (phx_real)1 / (phx_real)(n + 1);
        }
        for (int n = 0; n < 4; ++n) {
            gifts[k].wx[n] = chunk.w[0][n][k], gifts[k].wy[n] = chunk.w[1][n][k];
        }
    }
    wide ? phxi_mpm_scatter_avx512(tile, gifts, chunk.count, true) : phxi_mpm_scatter(tile, gifts, chunk.count, true);
    wide ? phxi_mpm_gather_avx512(tile, &chunk, 0, chunk.count, true, takes)
         : phxi_mpm_gather(tile, &chunk, 0, chunk.count, true, takes);
    return phxi_hash_bytes(takes, sizeof *takes * (size_t)chunk.count, phxi_hash_bytes(tile, sizeof tile, 0));
}
#endif

TEST(both_widths_give_the_same_bits) {
    phx_world* world = heap(1, "cubic", "apic");
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1e-3));
    phxi_step step = phxi_world_context(world, 0);
    phxi_mpm* s = world->solvers.items[0].state;
    phxi_mpm_bind(s, &step);
#ifdef PHXI_AVX512
    if (phxi_lanes_are_wide()) {
        ENSURE(transfer(s, false) == transfer(s, true));
    }
#endif
    phx_world_destroy(world);
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = heap(2, "cubic", "apic"), *twin = heap(1, "cubic", "apic");
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.03)); // blocks are some substeps old by then
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("points.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("points.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 0.03));
    REQUIRE_OK(phx_world_step(twin, 0.03));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(steps_allocate_nothing) {
    phx_world* world = heap(2, "cubic", "flip");
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

TEST(memory_follows_the_particles) {
    phx_world* world = empty_world(1, 0);
    REQUIRE(world);
    REQUIRE_OK(add(world, "near", "box(size=(0.2,0.2,0.2))", 0.025, NULL, 0));
    REQUIRE_OK(add(world, "far", "box(center=(500,-300,700),size=(0.2,0.2,0.2))", 0.025, NULL, 0));
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    const phxi_mpm* s = world->solvers.items[0].state;
    ENSURE(s->blocks.count <= 16 && s->nodes.count <= 54);
    phx_world_destroy(world);
}

/// An affine field of velocities goes to the grid and back as it was, for both kernels.
TEST(affine_velocities_pass_the_grid) {
    const char* const kernels[] = {"cubic", "quadratic"};
    for (int k = 0; k < 2; ++k) {
        const phx_setting settings[] = {{"kernel", kernels[k]}};
        phx_world* world = empty_world(1, 0);
        REQUIRE(world);
        REQUIRE_OK(add(world, "block", "box(size=(0.3,0.3,0.3))", 0.025, settings, 1));
        phxi_particles* p = &world->particles;
        const double c[9] = {0.1, -0.7, 0.2, 0.5, -0.3, 0.4, 0.6, 0.15, 0.2};
        static const char* const names[9] = {"mpm.c_xx", "mpm.c_xy", "mpm.c_xz", "mpm.c_yx", "mpm.c_yy",
                                             "mpm.c_yz", "mpm.c_zx", "mpm.c_zy", "mpm.c_zz"};
        phx_real* field[9];
        for (int n = 0; n < 9; ++n) {
            field[n] = phxi_particles_field(p, names[n]);
        }
        phx_real* const v[3] = {p->vx, p->vy, p->vz};
        for (int i = 0; i < p->count; ++i) {
            for (int n = 0; n < 9; ++n) {
                field[n][i] = (phx_real)c[n];
            }
            for (int row = 0; row < 3; ++row) {
                v[row][i] = (phx_real)(c[3 * row] * (double)p->x[i] + c[3 * row + 1] * (double)p->y[i] +
                                       c[3 * row + 2] * (double)p->z[i]);
            }
        }
        REQUIRE_OK(phx_world_substep(world, 1e-7));
        double worst = 0, worst_v = 0;
        for (int i = 0; i < p->count; ++i) {
            for (int n = 0; n < 9; ++n) {
                worst = fmax(worst, fabs((double)field[n][i] - c[n]));
            }
            for (int row = 0; row < 3; ++row) {
                double exact = c[3 * row] * (double)p->rest_x[i] + c[3 * row + 1] * (double)p->rest_y[i] +
                               c[3 * row + 2] * (double)p->rest_z[i];
                worst_v = fmax(worst_v, fabs((double)v[row][i] - exact));
            }
        }
        ENSURE((worst) < (sizeof(phx_real) == 8 ? 1e-12 : 5e-5));
        ENSURE((worst_v) < (sizeof(phx_real) == 8 ? 1e-6 : 2e-6));
        phx_world_destroy(world);
    }
}

static double mean(const phx_real* values, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += (double)values[i];
    }
    return sum / count;
}

/// A block that slides on a floor, by what the floor does.
static void slide(const char* boundary, double friction, double vz, double* along, double* up) {
    const phx_setting settings[] = {{"boundary", boundary}};
    phx_world* world = empty_world(1, -10);
    REQUIRE(world);
    REQUIRE_OK(add_floor(world, friction));
    REQUIRE_OK(add(world, "block", "box(center=(0,0,0.1),size=(0.4,0.4,0.2))", 0.05, settings, 1));
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = 2, p->vz[i] = (phx_real)vz;
    }
    REQUIRE_OK(phx_world_step(world, 0.2));
    *along = mean(p->vx, p->count);
    *up = mean(p->z, p->count);
    phx_world_destroy(world);
}

TEST(colliders_do_as_they_are_asked) {
    double along, up;
    slide("friction", 0.3, 0, &along, &up);
    ENSURE_NEAR(along, 2 - 0.3 * 10 * 0.2, 0.06); // Coulomb
    ENSURE_NEAR(up, 0.1, 0.01);
    slide("separate", 0.3, 0, &along, &up);
    ENSURE_NEAR(along, 2, 1e-3);
    slide("slip", 0.3, 1.5, &along, &up);
    ENSURE_NEAR(along, 2, 1e-3);
    ENSURE_NEAR(up, 0.1, 0.03); // is not let go
    slide("separate", 0.3, 1.5, &along, &up);
    ENSURE_NEAR(up, 0.1 + 1.5 * 0.2 - 0.5 * 10 * 0.04, 0.01);
    slide("sticky", 0, 0, &along, &up);
    ENSURE((fabs(along)) < (1.0));
    slide("mirror", 0, 1.5, &along, &up);
    ENSURE_NEAR(along, 2, 1e-3);
    ENSURE_NEAR(up, 0.1, 0.03);
}

/// A bar hangs on grips that stand: they bear its weight, and say so.
TEST(drivers_bear_what_hangs_on_them) {
    phx_world* world = empty_world(2, -10);
    REQUIRE(world);
    REQUIRE_OK(add(world, "bar", "box(size=(0.2,0.2,0.6))", 0.05, NULL, 0));
    phx_driver_def grip = phx_driver_def_default();
    grip.region = "plane(point=(0,0,0.19),normal=(0,0,-1))";
    phx_driver_id driver;
    REQUIRE_OK(phx_driver_create(world, &grip, &driver));
    double sum = 0;
    for (int k = 0; k < 60; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.02));
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        sum += k >= 16 ? totals.reaction.z / 44 : 0; // it swings with 0.22 s: four whole swings
    }
    ENSURE_NEAR(sum, 0.024 * 1000 * 10, 2);
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_z[i] > 0.19) {
            ENSURE(p->z[i] == p->rest_z[i] && p->vz[i] == 0);
        }
    }
    phx_world_destroy(world);
}

TEST(bad_bodies_are_refused) {
    phx_world* world = empty_world(1, 0);
    REQUIRE(world);
    REQUIRE_OK(add(world, "first", "box()", 0.25, NULL, 0));
    ENSURE_RESULT(add(world, "finer", "box(center=(2,0,0))", 0.2, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected cell 2.5");
    const phx_setting fits[] = {{"cell", "2.5"}}, pic[] = {{"transfer", "pic"}};
    REQUIRE_OK(add(world, "fits", "box(center=(2,0,0))", 0.2, fits, 1));
    ENSURE_RESULT(add(world, "other", "box(center=(4,0,0))", 0.25, pic, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("transfer differs from that of body 'first'");
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    phx_world_destroy(world);

    phx_world_def def = phx_world_def_default();
    def.period = phxi_vec3(1, 0, 0);
    REQUIRE_OK(phx_world_create(&def, &world));
    ENSURE_RESULT(add(world, "round", "box()", 0.25, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("period");
    phx_world_destroy(world);
}

TEST(mirrors_that_do_not_fit_are_refused) {
    phx_world* world = empty_world(1, 0);
    REQUIRE(world);
    const phx_setting mirror[] = {{"boundary", "mirror"}};
    phx_collider_def far = phx_collider_def_default();
    phx_collider_id id;
    far.shape = "plane(point=(0,0,1.3),normal=(0,0,-1))";
    REQUIRE_OK(add_floor(world, 0));
    REQUIRE_OK(phx_collider_create(world, &far, &id));
    REQUIRE_OK(add(world, "block", "box(center=(0,0,0.65),size=(1,1,1))", 0.25, mirror, 1));
    ENSURE_RESULT(phx_world_substep(world, 1e-4), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("whole number");
    phx_world_destroy(world);
}

TEST(a_state_that_is_not_finite_is_told) {
    phx_world* world = heap(2, "cubic", "apic");
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    phx_real* g = phxi_particles_field(&world->particles, "mpm.g_xy");
    g[5] = (phx_real)NAN;
    ENSURE_RESULT(phx_world_substep(world, 1e-4), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("mpm");
    phx_world_destroy(world);
    world = heap(2, "cubic", "apic");
    REQUIRE(world);
    world->particles.x[3] = (phx_real)INFINITY;
    ENSURE_RESULT(phx_world_substep(world, 1e-4), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("blocks of the grid");
    phx_world_destroy(world);
}

/// A heap of all stuffs under a plate that comes down.
static phx_world* pressed(int threads, const phx_setting* setting) {
    phx_world* world = empty_world(threads, -9.81);
    phx_collider_def plate = phx_collider_def_default();
    phx_driver_def press = phx_driver_def_default();
    phx_collider_id plate_id;
    phx_driver_id press_id;
    plate.name = press.collider = "plate";
    plate.shape = "box(center=(0,0,0.4),size=(2,1,0.1))";
    press.kind = PHX_DRIVER_VELOCITY;
    press.vector = phxi_vec3(0, 0, -4);
    bool good = world && add_floor(world, 0.5) == PHX_OK && phx_collider_create(world, &plate, &plate_id) == PHX_OK;
    for (int k = 0; good && k < STUFFS; ++k) {
        char shape[96];
        snprintf(shape, sizeof shape, "box(center=(%g,0,0.15),size=(0.1,0.1,0.28))", 0.15 * (k - 3));
        good = add_stuff(world, stuffs[k], stuffs[k], shape, setting) == PHX_OK;
    }
    if (!good || phx_driver_create(world, &press, &press_id) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static void compare_pressed(const char* name, const char* value) {
    const phx_setting setting = {name, value};
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world *world = pressed(threads, &setting), *twin = pressed(1, &setting);
        REQUIRE(world && twin);
        REQUIRE_OK(phx_world_step(world, 0.025));
        REQUIRE_OK(phx_checkpoint_save(world, phxt_path("flow.phx")));
        REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("flow.phx")));
        REQUIRE_OK(phx_world_step(world, 0.005));
        REQUIRE_OK(phx_world_step(twin, 0.005));
        ENSURE(phx_world_hash(world) == phx_world_hash(twin));
        ENSURE(threads == 1 || phx_world_hash(world) == hash);
        hash = phx_world_hash(world);
        const phx_real* amount = phxi_particles_field(&world->particles, "mpm.plastic");
        int flowed[STUFFS] = {0};
        for (int i = 0; i < world->particles.count; ++i) {
            flowed[world->particles.body[i]] += amount[i] > 0;
            ENSURE((double)world->particles.z[i] < 0.35 - 4 * 0.03 + 0.05); // below the plate
        }
        ENSURE(flowed[0] == 0 && flowed[1] > 20);
        phx_world_destroy(world);
        phx_world_destroy(twin);
    }
}

TEST(what_flows_has_the_same_bits_too) {
    compare_pressed("implicit", "0");
}

TEST(transfers_of_second_order_have_the_same_bits) {
    compare_pressed("order", "second");
}

TEST(implicit_steps_have_the_same_bits) {
    compare_pressed("implicit", "10");
}

TEST(implicit_viscosity_has_the_same_bits) {
    compare_pressed("viscous", "implicit");
}

static phx_result add_fluid(phx_world* world, const char* shape, double viscosity, const phx_setting* setting) {
    phx_material_def material = phx_material_def_default();
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    material.fluid = true, material.viscosity = viscosity;
    PHXI_TRY(phx_material_create(world, &material, &bd.material));
    bd.method = "mpm", bd.shape = shape, bd.spacing = 0.025, bd.settings = setting, bd.setting_count = 1;
    return phx_body_create(world, &bd, &body);
}

/// A free block whose upper half moves: viscosity takes energy, not momentum, without allocating.
TEST(implicit_viscosity_keeps_momentum) {
    const phx_setting setting = {"viscous", "implicit"};
    phx_world* world = empty_world(2, 0);
    REQUIRE(world);
    REQUIRE_OK(add_fluid(world, "box(size=(0.3,0.2,0.4))", 100, &setting));
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = p->z[i] > 0 ? 1 : 0;
    }
    REQUIRE_OK(phx_world_substep(world, 1e-4));
    const int64_t before = world->heap.allocations;
    for (int n = 0; n < 30; ++n) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    ENSURE(world->heap.allocations == before);
    phx_totals totals;
    double sum = 0, mass = 0;
    REQUIRE_OK(phx_world_measure(world, &totals));
    for (int i = 0; i < p->count; ++i) {
        sum += (double)p->mass[i] * (double)p->vx[i];
        mass += (double)p->mass[i];
    }
    ENSURE_NEAR(sum / mass, 0.5, sizeof(phx_real) == 8 ? 1e-12 : 1e-5);
    ENSURE(totals.kinetic < 0.2 * mass); // 0.25 at the start, 0.125 of the mean motion
    ENSURE(totals.max_stress > 1);       // which it does not carry, but tells
    phx_world_destroy(world);
}

/// Solves leave a node what its normals leave.
TEST(nodes_are_bound_by_their_normals) {
    _Alignas(4 * sizeof(phx_real)) phx_real bound[4] = {MPM_FREE, 0, 0, 0};
    phxi_mpm_bind_along(bound, phxi_vec3(1, 0, 0));
    ENSURE(bound[0] == MPM_NOT_ALONG && bound[1] == 1);
    phxi_mpm_bind_along(bound, phxi_vec3(-1, 0, 0));
    ENSURE(bound[0] == MPM_NOT_ALONG);
    phxi_mpm_bind_along(bound, phxi_vec3(0, 1, 0));
    ENSURE(bound[0] == MPM_ALONG && fabs((double)bound[3]) == 1);
    phxi_mpm_bind_along(bound, phxi_vec3(0, -1, 0));
    ENSURE(bound[0] == MPM_ALONG);
    phxi_mpm_bind_along(bound, phxi_vec3(0, 0, 1));
    ENSURE(bound[0] == MPM_HELD);
}

/// A block of fluid whose particles stand closer than J says gets room; one that is as it was made is left alone.
TEST(overfull_fluids_get_room) {
    static const double factors[2] = {1, 0.95};
    for (int k = 0; k < 2; ++k) {
        const phx_setting setting = {"sound_speed", "10"};
        phx_world* world = empty_world(1, 0);
        REQUIRE(world);
        REQUIRE_OK(add_fluid(world, "box(size=(0.4,0.4,0.4))", 1, &setting));
        phxi_particles* p = &world->particles;
        for (int i = 0; i < p->count; ++i) {
            p->x[i] *= (phx_real)factors[k], p->y[i] *= (phx_real)factors[k], p->z[i] *= (phx_real)factors[k];
        }
        for (int n = 0; n < 400; ++n) {
            REQUIRE_OK(phx_world_substep(world, 1e-3));
        }
        double most = 0;
        for (int i = 0; i < p->count; ++i) {
            most = fmax(most, (double)p->x[i]);
        }
        if (k == 0) {
            ENSURE_NEAR(most, 0.1875, 1e-5);
        } else {
            ENSURE(most > 0.95 * 0.1875 + 0.002);
        }
        phx_world_destroy(world);
    }
}

/// Water in a tank stays in it, along its edges too.
TEST(fluids_stay_out_of_colliders) {
    const phx_setting setting = {"boundary", "separate"};
    phx_world* world = empty_world(2, -9.81);
    phx_collider_def tank = phx_collider_def_default();
    phx_collider_id id;
    REQUIRE(world);
    tank.friction = 0;
    tank.shape = "difference(box(center=(0,0,0.2),size=(1,1,1)),box(center=(0,0,1),size=(0.4,0.4,2)))";
    REQUIRE_OK(phx_collider_create(world, &tank, &id));
    REQUIRE_OK(add_fluid(world, "box(center=(0,0,0.2),size=(0.4,0.4,0.4))", 1, &setting));
    REQUIRE_OK(phx_world_step(world, 0.5));
    double lowest = 0, widest = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        lowest = fmin(lowest, (double)world->particles.z[i]);
        widest = fmax(widest, fabs((double)world->particles.x[i]));
    }
    ENSURE(lowest > -0.05 * 0.05); // of a cell
    ENSURE(widest < 0.2 + 0.05 * 0.05);
    phx_world_destroy(world);
}

/// A stiff block falls on a floor: ten and a hundred times the explicit substep.
TEST(implicit_steps_may_be_long) {
    static const char* const longer[] = {"10", "100"};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = empty_world(2, -9.81);
        const phx_setting settings[] = {{"implicit", longer[k]}};
        REQUIRE(world);
        REQUIRE_OK(add_floor(world, 0.5));
        REQUIRE_OK(add(world, "block", "box(center=(0,0,0.22),size=(0.2,0.2,0.4))", 0.05, settings, 1));
        REQUIRE_OK(phx_world_step(world, 0.3));
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE_NEAR(totals.min_det, 1, 0.1);
        ENSURE(totals.max_speed < 0.3);
        phx_world_destroy(world);
    }
}

TEST(flow_that_it_does_not_have_is_refused) {
    phx_world* world = empty_world(1, 0);
    REQUIRE(world);
    phx_body_def bd = phx_body_def_default();
    phx_material_def material = phx_material_def_default();
    phx_body_id body;
    material.yield = 0.1;
    material.volumetric = true;
    REQUIRE_OK(phx_material_create(world, &material, &bd.material));
    bd.method = "mpm", bd.shape = "box()", bd.spacing = 0.25;
    ENSURE_RESULT(phx_body_create(world, &bd, &body), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("volumetric");
    phx_world_destroy(world);
}

static phx_result add_material(const phx_material_def* material, const phx_setting* settings, int count) {
    phx_world* world = empty_world(1, 0);
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    phx_result result = phx_material_create(world, material, &bd.material);
    bd.method = "mpm", bd.shape = "box()", bd.spacing = 0.25, bd.settings = settings, bd.setting_count = count;
    result = result == PHX_OK ? phx_body_create(world, &bd, &body) : result;
    phx_world_destroy(world);
    return result;
}

TEST(materials_that_contradict_themselves_are_refused) {
    phx_material_def material = phx_material_def_default();
    material.critical_compression = 0.02, material.yield = 0.1;
    ENSURE_RESULT(add_material(&material, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("yield and critical_compression are two ways to flow");
    material.yield = 0, material.cohesion = 10;
    ENSURE_RESULT(add_material(&material, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("cohesion and critical_compression are two ways to flow");
    material.cohesion = 0;
    ENSURE_OK(add_material(&material, NULL, 0));
    material.critical_compression = 0, material.packing = 10;
    ENSURE_RESULT(add_material(&material, NULL, 0), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("snow has all");
    const phx_setting fluid[] = {{"phase", "fluid"}}, fast[] = {{"sound_speed", "-1"}};
    material.packing = 0;
    ENSURE_OK(add_material(&material, fluid, 1));
    ENSURE_RESULT(add_material(&material, fast, 1), PHX_ERROR_ARGUMENT);
}
