// SPDX-License-Identifier: MIT
// Frames of rods: chains, drivers that hold and turn them, the matrix, bonds that break, warmth, same bits at any
// thread count and after a checkpoint. Numbers: phyxel validate peridynamics.twist, spring, coil, greenhill.
#include "methods/peridynamics/twist.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

#define PI      3.14159265358979323846
#define SPACING 0.02
#define RADIUS  0.005
#define YOUNG   5e7

enum { MOST = 128 };

static phx_world* make_world(int threads) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    phx_world* world = NULL;
    if (phx_world_create(&def, &world) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static phx_material_def wire(void) {
    phx_material_def m = phx_material_def_default();
    m.young = YOUNG, m.poisson = 0.25, m.density = 1000;
    return m;
}

/// A rod through points.
static phx_result add_rod(phx_world* world, const char* name, const phx_vec3* at, int count, phx_material_def m) {
    int faces[MOST][3];
    for (int k = 0; k < count; ++k) {
        faces[k][0] = k, faces[k][1] = (k + 1) % count, faces[k][2] = (k + 2) % count;
    }
    const phx_setting radius = {"radius", "0.005"};
    phx_mesh* mesh = NULL;
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    body.name = name;
    body.sampling = PHX_SAMPLING_POINTS;
    body.spacing = SPACING;
    body.method = "peridynamics";
    body.settings = &radius;
    body.setting_count = 1;
    phx_result result = phx_mesh_create(count, &at[0].x, count, faces[0], &mesh);
    body.mesh = mesh;
    result = result == PHX_OK ? phx_material_create(world, &m, &body.material) : result;
    result = result == PHX_OK ? phx_body_create(world, &body, &id) : result;
    phx_mesh_destroy(mesh);
    return result;
}

static void line(phx_vec3* at, int count, phx_vec3 from) {
    for (int k = 0; k < count; ++k) {
        at[k] = phxi_add(from, phxi_vec3(SPACING * k, 0, 0));
    }
}

static void circle(phx_vec3* at, int count, phx_vec3 center) {
    double radius = SPACING / (2 * sin(PI / count));
    for (int k = 0; k < count; ++k) {
        double angle = 2 * PI * k / count;
        at[k] = phxi_add(center, phxi_vec3(radius * sin(angle), radius * cos(angle), 0));
    }
}

static void coil(phx_vec3* at, int count, phx_vec3 from) {
    double step = 2 * PI / 20, climb = 0.3 * step;
    double radius = SPACING / sqrt(4 * sin(step / 2) * sin(step / 2) + climb * climb);
    for (int k = 0; k < count; ++k) {
        at[k] = phxi_add(from, phxi_vec3(radius * cos(step * k), radius * sin(step * k), radius * climb * k));
    }
}

/// Holds or turns about x the two particles at `x` and a spacing on.
static phx_result hold(phx_world* world, const char* name, double x, int kind, double angle) {
    char region[96];
    snprintf(region, sizeof region, "box(center=(%g,0,0),size=(0.03,0.03,0.03))", x + SPACING / 2);
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.name = name;
    def.kind = kind;
    def.region = region;
    def.axis = phxi_vec3(1, 0, 0);
    def.angle = angle;
    def.ramp = 0.1;
    def.end = 1;
    return phx_driver_create(world, &def, &id);
}

/// Of 21 particles along x, one end held, the other turned by 90 degrees; weightless.
static phx_world* twisted(int threads, phx_material_def m, int kind) {
    phx_world* world = make_world(threads);
    phx_vec3 at[MOST];
    line(at, 21, phxi_vec3(0, 0, 0));
    world->def.gravity = phxi_vec3(0, 0, 0);
    if (add_rod(world, "rod", at, 21, m) != PHX_OK || hold(world, "begin", 0, PHX_DRIVER_PIN, 0) != PHX_OK ||
        hold(world, "end", 19 * SPACING, kind, 90) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static double wanted_couple(double angle) {
    double torsion = YOUNG / 2.5 * PI * RADIUS * RADIUS * RADIUS * RADIUS / 2;
    return torsion * angle / (19 * SPACING);
}

static struct phxi_peri_twist* twist_of(const phx_world* world, int body) {
    return phxi_peri_slot_of(world->solvers.items[0].state, body)->thin->twist;
}

// -------------------------------------------------------------------------------------------------------------- chains

TEST(chains_are_lines_and_loops) {
    phx_world* world = make_world(1);
    phx_vec3 at[MOST];
    circle(at, 24, phxi_vec3(0, 0, 0)); // a ring, two lines and a particle alone in one body
    line(at + 24, 7, phxi_vec3(1, 0, 0));
    line(at + 31, 2, phxi_vec3(2, 0, 0));
    line(at + 33, 1, phxi_vec3(3, 0, 0));
    REQUIRE_OK(add_rod(world, "many", at, 34, wire()));
    const struct phxi_peri_twist* twist = twist_of(world, 0);
    int closed = 0, particles = 0, lengths[4] = {0};
    REQUIRE(twist && twist->chain_count == 4);
    for (int c = 0; c < 4; ++c) {
        const phxi_peri_chain* chain = &twist->chains[c];
        lengths[c] = chain->end - chain->begin;
        particles += lengths[c];
        closed += chain->closed;
        ENSURE(chain->closed == (lengths[c] == 24) && chain->curved == chain->closed);
        for (int k = chain->begin; k + 1 < chain->end; ++k) {
            ENSURE(twist->segments[twist->order[k]].next == twist->order[k + 1]);
            ENSURE(twist->segments[twist->order[k + 1]].prev == twist->order[k]);
        }
    }
    ENSURE(closed == 1 && particles == 34);
    REQUIRE_OK(phx_world_step(world, 0.1));
    phx_world_destroy(world);
}

TEST(branches_are_refused) {
    phx_world* world = make_world(1);
    phx_vec3 at[MOST];
    line(at, 9, phxi_vec3(0, 0, 0));
    for (int k = 0; k < 4; ++k) {
        at[9 + k] = phxi_vec3(4 * SPACING, SPACING * (k + 1), 0);
    }
    ENSURE(add_rod(world, "tee", at, 13, wire()) == PHX_ERROR_ARGUMENT);
    ENSURE(strstr(phx_error_message(), "a sheet"));
    phx_world_destroy(world);
}

/// A ring whose frames wind once around it cannot get rid of that, however they turn.
TEST(loops_keep_their_turns) {
    static phx_vec3 x[MOST], f[MOST];
    phx_world* world = make_world(1);
    phx_vec3 at[MOST];
    circle(at, 40, phxi_vec3(0, 0, 0));
    REQUIRE_OK(add_rod(world, "ring", at, 40, wire()));
    const struct phxi_peri_twist* twist = twist_of(world, 0);
    phxi_particles* p = &world->particles;
    phx_real* const frame[3] = {phxi_particles_field(p, "peridynamics.frame_x"),
                                phxi_particles_field(p, "peridynamics.frame_y"),
                                phxi_particles_field(p, "peridynamics.frame_z")};
    for (int k = 0; k < 40; ++k) {
        int i = twist->order[k], n = twist->segments[i].next;
        phx_vec3 t = phxi_normalize(phxi_vec3(p->x[n] - p->x[i], p->y[n] - p->y[i], p->z[n] - p->z[i]), at[0]);
        phxi_mat3 turn = phxi_rotation(t, 2 * PI * (k + sin(k)) / 40); // not even
        phx_vec3 d = phxi_mat3_apply(&turn, phxi_vec3(frame[0][i], frame[1][i], frame[2][i]));
        frame[0][i] = (phx_real)d.x, frame[1][i] = (phx_real)d.y, frame[2][i] = (phx_real)d.z;
    }
    phxi_step step = phxi_world_context(world, 0);
    phxi_peri_binding binding = {.step = &step, .slot = phxi_peri_slot_of(world->solvers.items[0].state, 0)};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    double sum = 0, off = 0;
    phxi_peri_positions(&step, binding.slot, x);
    ENSURE(op.forces(op.context, x, f, &strain));
    for (int i = 0; i < 40; ++i) {
        sum += twist->segments[i].twist;
        off = fmax(off, fabs(twist->segments[i].turning) / twist->segments[i].stiff);
    }
    ENSURE_NEAR(fabs(sum), 2 * PI, 1e-5);
    ENSURE(off < 1e-6); // and no frame would turn further
    phx_world_destroy(world);
}

// ------------------------------------------------------------------------------------------------------------- drivers

TEST(drivers_turn_frames_of_particles_that_stay) {
    static const int kinds[] = {PHX_DRIVER_TWIST, PHX_DRIVER_SPIN};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = twisted(2, wire(), kinds[k]);
        REQUIRE_OK(phx_world_step(world, 0.5));
        double angle = kinds[k] == PHX_DRIVER_TWIST ? PI / 2 : PI / 2 * 0.45; // of spin a second, with its ramp
        const phxi_driver* drivers = world->drivers.items;
        ENSURE_NEAR(drivers[1].couple.x / wanted_couple(angle), -1, 1e-3);
        ENSURE_NEAR(drivers[0].couple.x / wanted_couple(angle), 1, 1e-3);
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE_NEAR(totals.elastic / (wanted_couple(angle) * angle / 2), 1, 1e-3);
        ENSURE_NEAR(totals.external_work / totals.elastic, 1, 1e-3);
        for (int i = 0; i < world->particles.count; ++i) {
            ENSURE(fabs((double)world->particles.y[i]) < 1e-9);
        }
        REQUIRE_OK(phx_world_step(world, 0.6)); // they let go at 1 s: it turns back at once
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE(totals.elastic < 1e-9 * wanted_couple(angle));
        ENSURE(drivers[0].couple.x == 0 && drivers[1].couple.x == 0);
        phx_world_destroy(world);
    }
}

TEST(warm_rods_resist_less) {
    phx_material_def m = wire();
    m.soften_from = 0, m.soften_to = 10, m.soften_left = 0.25; // bodies have 20 degrees
    phx_world* world = twisted(1, m, PHX_DRIVER_TWIST);
    REQUIRE_OK(phx_world_step(world, 0.3));
    ENSURE_NEAR(world->drivers.items[0].couple.x / wanted_couple(PI / 2), 0.25, 1e-3);
    phx_world_destroy(world);
}

TEST(broken_rods_lose_their_twist) {
    phx_material_def m = wire();
    m.strength = 0.01 * YOUNG, m.strength_noise = 0.1;
    phx_world *world = twisted(2, m, PHX_DRIVER_TWIST), *twin = twisted(1, m, PHX_DRIVER_TWIST);
    REQUIRE_OK(phx_world_step(world, 0.3));
    ENSURE(world->drivers.items[0].couple.x > 0.9 * wanted_couple(PI / 2));
    // the end, as it is held, jumps away by half the length
    phxi_driver* end = &world->drivers.items[1];
    for (int k = 0; k < end->group.count; ++k) {
        end->start[3 * k] += (phx_real)(10 * SPACING);
    }
    world->energy.known = world->energy.blind = true; // the jump does work that no driver tells of
    REQUIRE_OK(phx_world_step(world, 0.5));
    const struct phxi_peri_twist* twist = twist_of(world, 0);
    int whole = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        whole += twist->segments[i].whole;
    }
    ENSURE(whole < 20);
    ENSURE(fabs(world->drivers.items[0].couple.x) < 1e-6 * wanted_couple(PI / 2));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("broken.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("broken.phx")));
    REQUIRE_OK(phx_world_step(world, 0.1));
    REQUIRE_OK(phx_world_step(twin, 0.1));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

// ---------------------------------------------------------------------------------------------------------------- bits

/// A coil, a ring and a straight rod that is twisted while it falls on one side.
static phx_world* all_kinds(int threads) {
    phx_world* world = make_world(threads);
    phx_vec3 at[MOST];
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    floor.shape = "plane(normal=(0,0,1), point=(0,0,-0.1))";
    bool good = phx_collider_create(world, &floor, &id) == PHX_OK;
    coil(at, 50, phxi_vec3(0, 1, 0));
    good = good && add_rod(world, "coil", at, 50, wire()) == PHX_OK;
    circle(at, 24, phxi_vec3(0, 2, 0));
    good = good && add_rod(world, "ring", at, 24, wire()) == PHX_OK;
    line(at, 21, phxi_vec3(0, 0, 0));
    good = good && add_rod(world, "rod", at, 21, wire()) == PHX_OK;
    good = good && hold(world, "begin", 0, PHX_DRIVER_PIN, 0) == PHX_OK;
    good = good && hold(world, "end", 19 * SPACING, PHX_DRIVER_SPIN, 700) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(same_bits_at_any_thread_count_and_after_a_checkpoint) {
    phx_world *one = all_kinds(1), *three = all_kinds(3), *twin = all_kinds(2);
    REQUIRE_OK(phx_world_step(one, 0.2));
    REQUIRE_OK(phx_world_step(three, 0.2));
    ENSURE(phx_world_hash(one) == phx_world_hash(three));
    REQUIRE_OK(phx_checkpoint_save(three, phxt_path("twist.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("twist.phx")));
    phx_totals a, b;
    REQUIRE_OK(phx_world_measure(three, &a));
    REQUIRE_OK(phx_world_measure(twin, &b));
    ENSURE(a.elastic == b.elastic && a.elastic > 0);
    int64_t before = one->heap.allocations;
    REQUIRE_OK(phx_world_step(one, 0.1));
    REQUIRE_OK(phx_world_step(twin, 0.1));
    ENSURE(one->heap.allocations == before);
    ENSURE(phx_world_hash(one) == phx_world_hash(twin));
    phx_world_destroy(one);
    phx_world_destroy(three);
    phx_world_destroy(twin);
}

// -------------------------------------------------------------------------------------------------------------- matrix

/// A motion that stretches nothing: each segment turns, smoothly along the coil.
static void bend_along(const struct phxi_peri_twist* twist, const phx_vec3* x, int kind, phx_real q[3][MOST]) {
    phx_vec3 at = {0, 0, 0};
    for (int k = 0; k < 50; ++k) {
        int i = twist->order[k];
        q[0][i] = (phx_real)at.x, q[1][i] = (phx_real)at.y, q[2][i] = (phx_real)at.z;
        if (k + 1 < 50) {
            phx_vec3 turn = phxi_vec3(sin(0.3 * k + kind), cos((0.2 + 0.1 * kind) * k), sin(0.11 * k));
            at = phxi_add(at, phxi_cross(turn, phxi_sub(x[twist->order[k + 1]], x[i])));
        }
    }
}

/// At rest the matrix is what forces change by (but for stretching, whose targets stand still in it), and it is
/// symmetric whatever the state.
TEST(the_matrix_is_that_of_the_forces) {
    static phx_vec3 x[MOST], y[MOST], more[MOST], less[MOST];
    static phx_real q[2][3][MOST], kq[2][3][MOST];
    phx_world* world = make_world(1);
    phx_vec3 at[MOST];
    coil(at, 50, phxi_vec3(0, 0, 0));
    REQUIRE_OK(add_rod(world, "coil", at, 50, wire()));
    phxi_step step = phxi_world_context(world, 0);
    phxi_peri_binding binding = {.step = &step, .slot = phxi_peri_slot_of(world->solvers.items[0].state, 0)};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    const double h = 1e-5;
    for (int bent = 0; bent < 2; ++bent) {
        for (int i = 0; i < 50; ++i) {
            const phxi_particles* p = &world->particles;
            phx_vec3 rest = phxi_vec3(p->x[i], p->y[i], p->z[i]);
            x[i] = phxi_add(rest, phxi_vec3(bent * 2 * rest.z * rest.z, 0, bent * 0.2 * rest.z));
        }
        for (int k = 0; k < 2; ++k) {
            bend_along(binding.slot->thin->twist, x, k, q[k]);
        }
        for (int i = 0; i < 50; ++i) {
            y[i] = phxi_vec3(q[0][0][i], q[0][1][i], q[0][2][i]);
        }
        double dots[2] = {0}, size = 0, off = 0;
        ENSURE(op.forces(op.context, x, more, &strain));
        for (int k = 0; k < 2; ++k) {
            const phx_real* const from[3] = {q[k][0], q[k][1], q[k][2]};
            phx_real* const to[3] = {kq[k][0], kq[k][1], kq[k][2]};
            op.product(op.context, from, to);
        }
        for (int i = 0; i < 150; ++i) {
            dots[0] += (double)q[1][i / 50][i % 50] * (double)kq[0][i / 50][i % 50];
            dots[1] += (double)q[0][i / 50][i % 50] * (double)kq[1][i / 50][i % 50];
            size += fabs((double)q[1][i / 50][i % 50] * (double)kq[0][i / 50][i % 50]);
        }
        ENSURE(fabs(dots[0] - dots[1]) < 1e-5 * size);
        for (int i = 0; i < 50; ++i) {
            less[i] = phxi_add_scaled(x[i], -h, y[i]);
            x[i] = phxi_add_scaled(x[i], h, y[i]);
        }
        memcpy(y, less, sizeof y);
        ENSURE(op.forces(op.context, x, more, &strain));
        ENSURE(op.forces(op.context, y, less, &strain));
        size = 0;
        for (int i = 0; i < 50 && !bent; ++i) {
            phx_vec3 k = phxi_vec3(kq[0][0][i], kq[0][1][i], kq[0][2][i]);
            off = fmax(off, phxi_length(phxi_add_scaled(k, 1 / (2 * h), phxi_sub(more[i], less[i]))));
            size = fmax(size, phxi_length(k));
        }
        ENSURE(off <= 1e-3 * size);
    }
    phx_world_destroy(world);
}
