// SPDX-License-Identifier: MIT
// Bodies that end where a clamp begins: what is deep in it takes no part, what is at its rim bears the load, and clamps
// may come, change and go.
#include "support/test.h"

#include <phyxel/io.h>
#include "world/world.h"

#include <string.h>

static const struct {
    const char *method, *integrator;
    double long_step; // s, of those that take them
} casts[] = {
    {"efg", "velocity_verlet", 0},
    {"efg", "leapfrog", 0},
    {"efg", "bdf2", 1.0 / 600},
    {"efg", "implicit_euler", 1.0 / 600},
    {"elastoplastic_sph", "leapfrog", 0},
    {"elastoplastic_sph", "bdf2", 1.0 / 600},
    {"corotated_sph", "leapfrog", 0},
    {"corotated_sph", "bdf2", 1.0 / 600},
    {"corotated_sph", "implicit_euler", 1.0 / 600},
    {"peridynamics", "projective", 1.0 / 600},
    {"peridynamics", "bdf2", 1.0 / 600},
};
enum { CASTS = (int)(sizeof casts / sizeof *casts) };

static const char bar[] = "box(center=(0.4,0,0), size=(0.8,0.2,0.2))";
static const char round_bar[] = "cylinder(from=(0,0,0), to=(0.8,0,0), radius=0.1)";
static const char left[] = "box(center=(0,0,0), size=(0.3,1,1))"; // three layers of 0.05 m and the end
static const char right[] = "box(center=(0.8,0,0), size=(0.3,1,1))";
static const double h = 0.05, pi = 3.14159265358979323846;

typedef struct told {
    int lines;
    char last[512];
} told;

static void listen(void* context, phx_log_level level, const char* message) {
    told* t = context;
    (void)level;
    if (strstr(message, "its clamp")) {
        ++t->lines;
        snprintf(t->last, sizeof t->last, "%s", message);
    }
}

static phx_world* make(int cast, const char* shape, const char* clamp, double gravity, double damping, int threads,
                       told* t) {
    phx_world_def wd = phx_world_def_default();
    phx_material_def md = phx_material_def_default();
    phx_body_def bd = phx_body_def_default();
    const phx_setting setting = {"integrator", casts[cast].integrator};
    phx_world* world = NULL;
    phx_body_id body;
    wd.gravity = phxi_vec3(0, 0, -gravity);
    wd.threads = threads;
    if (t) {
        wd.log = (phx_log){listen, t};
    }
    md.young = 1e6, md.density = 1000, md.damping = damping;
    bd.shape = shape, bd.spacing = h, bd.sampling = PHX_SAMPLING_CONFORMING;
    bd.clamp = clamp, bd.method = casts[cast].method, bd.settings = &setting, bd.setting_count = 1;
    bool good =
        phxt_result(__FILE__, __LINE__, casts[cast].method, phx_world_create(&wd, &world), PHX_OK) &&
        phxt_result(__FILE__, __LINE__, casts[cast].method, phx_material_create(world, &md, &bd.material), PHX_OK) &&
        phxt_result(__FILE__, __LINE__, casts[cast].method, phx_body_create(world, &bd, &body), PHX_OK);
    if (!good) {
        exit(1);
    }
    return world;
}

static phx_driver_id hold(phx_world* world, phx_driver_kind kind, const char* region, double start, double end,
                          phx_vec3 vector) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id = {0};
    def.kind = (int)kind, def.region = region, def.start = start, def.end = end, def.vector = vector;
    def.angle = 20, def.axis = phxi_vec3(1, 0, 0), def.ramp = kind == PHX_DRIVER_PIN ? 0 : 0.02;
    if (!phxt_result(__FILE__, __LINE__, region, phx_driver_create(world, &def, &id), PHX_OK)) {
        exit(1);
    }
    return id;
}

static phx_result step(phx_world* world, int cast, double duration) {
    double dt = casts[cast].long_step;
    int steps = dt > 0 ? (int)lround(duration / dt) : 1;
    phx_result result = PHX_OK;
    for (int k = 0; k < steps && result == PHX_OK; ++k) {
        result = phx_world_step(world, dt > 0 ? dt : duration);
    }
    return result;
}

static phx_vec3 reaction(const phx_world* world, int driver) {
    const phxi_driver* d = &world->drivers.items[driver];
    phx_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3 * d->group.count; k += 3) {
        sum = phxi_add(sum, phxi_vec3(d->reactions[k], d->reactions[k + 1], d->reactions[k + 2]));
    }
    return sum;
}

/// Particles that one driver holds and that have no strain although what is around them has.
static int still(phx_world* world) {
    int count = world->particles.count, found = 0;
    phx_real* stress = malloc((size_t)count * sizeof *stress);
    if (stress && phx_world_field(world, "von_mises", stress) == PHX_OK) {
        for (int i = 0; i < count; ++i) {
            found += fabs((double)stress[i]) < 1e-3;
        }
    }
    free(stress);
    return found;
}

/// A bar that is held at one end comes to rest under its weight: all of that is on its clamp, and two of the three
/// layers that it holds have no stress.
TEST(weight) {
    for (int cast = 0; cast < CASTS; ++cast) {
        phx_world* world = make(cast, bar, left, 0.1, 25, 1, NULL);
        hold(world, PHX_DRIVER_PIN, left, 0, INFINITY, phxi_vec3(0, 0, 0));
        REQUIRE_OK(step(world, cast, 0.8));
        double weight = 1000 * 0.8 * 0.04 * 0.1;
        phx_vec3 r = reaction(world, 0);
        ENSURE_NEAR(r.z, weight, 0.03 * weight);
        int layers = still(world) / 25;
        ENSURE(layers == 3);
        phx_world_destroy(world);
    }
}

/// Two clamps that meet hold two things: moved apart, they stretch what is between them.
TEST(clamps_that_meet) {
    for (int cast = 0; cast < CASTS; ++cast) {
        phx_world* world = make(cast, bar, NULL, 0, 0, 1, NULL);
        hold(world, PHX_DRIVER_PIN, "box(center=(0,0,0), size=(0.81,1,1))", 0, INFINITY, phxi_vec3(0, 0, 0));
        hold(world, PHX_DRIVER_MOVE, "box(center=(0.83,0,0), size=(0.81,1,1))", 0, INFINITY, phxi_vec3(1e-3, 0, 0));
        REQUIRE_OK(step(world, cast, 0.05));
        phx_vec3 a = reaction(world, 0), b = reaction(world, 1);
        double force = 1e6 * 0.04 * 1e-3 / h; // of a rod; its thickness is held, too
        ENSURE(b.x > 0.9 * force && b.x < 2.5 * force);
        ENSURE_NEAR(a.x, -b.x, 0.02 * force);
        phx_world_destroy(world);
    }
}

/// A hold that begins at rest and ends at rest leaves no trace.
TEST(begins_and_ends_at_rest) {
    for (int cast = 0; cast < CASTS; ++cast) {
        phx_world* world = make(cast, bar, left, 0, 0, 1, NULL);
        phx_totals t;
        hold(world, PHX_DRIVER_PIN, left, 0.01, 0.02, phxi_vec3(0, 0, 0));
        REQUIRE_OK(step(world, cast, 0.03));
        REQUIRE_OK(phx_world_measure(world, &t));
        ENSURE(t.kinetic < 1e-9 && t.elastic < 1e-9);
        for (int i = 0; i < world->particles.count; ++i) {
            ENSURE(world->particles.grip[i] == 0);
        }
        phx_world_destroy(world);
    }
}

/// What a hold that ends lets go of moves as if it had never been held: a bar that is pinned at both ends, bent by its
/// weight and let go at one of them.
TEST(lets_go) {
    for (int cast = 0; cast < CASTS; ++cast) {
        phx_world* both = make(cast, bar, left, 0.1, 25, 1, NULL);
        hold(both, PHX_DRIVER_PIN, left, 0, INFINITY, phxi_vec3(0, 0, 0));
        hold(both, PHX_DRIVER_PIN, right, 0, 0.1, phxi_vec3(0, 0, 0));
        REQUIRE_OK(step(both, cast, 0.9));
        phx_world* one = make(cast, bar, left, 0.1, 25, 1, NULL);
        hold(one, PHX_DRIVER_PIN, left, 0, INFINITY, phxi_vec3(0, 0, 0));
        REQUIRE_OK(step(one, cast, 0.8));
        double sunk[2] = {0, 0};
        const phx_world* const worlds[2] = {both, one};
        for (int k = 0; k < 2; ++k) {
            const phxi_particles* p = &worlds[k]->particles;
            for (int i = 0; i < p->count; ++i) {
                sunk[k] = fmax(sunk[k], (double)p->rest_z[i] - (double)p->z[i]);
            }
        }
        ENSURE_NEAR(sunk[0] / sunk[1], 1, 0.02);
        phx_world_destroy(both);
        phx_world_destroy(one);
    }
}

/// Clamps that begin, turn and end.
static phx_world* eventful(int cast, const char* shape, int threads) {
    phx_world* world = make(cast, shape, NULL, 1, 1, threads, NULL);
    hold(world, PHX_DRIVER_PIN, left, 0, 0.06, phxi_vec3(0, 0, 0));
    hold(world, PHX_DRIVER_TWIST, right, 0.02, 0.08, phxi_vec3(0, 0, 0));
    hold(world, PHX_DRIVER_VELOCITY, left, 0.06, INFINITY, phxi_vec3(0.1, 0, 0));
    return world;
}

/// The same bits at any number of threads, and when a run goes on from a checkpoint in the middle of it.
TEST(same_bits) {
    static const double stops[] = {0.01, 0.03, 0.07, 0.09};
    for (int cast = 0; cast < CASTS; ++cast) {
        const char* shape = cast % 2 ? round_bar : bar;
        phx_world *whole = eventful(cast, shape, 1), *wide = eventful(cast, shape, 3);
        double now = 0;
        for (int k = 0; k < 4; ++k) {
            REQUIRE_OK(step(whole, cast, stops[k] - now));
            REQUIRE_OK(step(wide, cast, stops[k] - now));
            now = stops[k];
            ENSURE(phx_world_hash(whole) == phx_world_hash(wide));
            phx_world* again = eventful(cast, shape, 2);
            REQUIRE_OK(phx_checkpoint_save(whole, phxt_path("clamps.phx")));
            REQUIRE_OK(phx_checkpoint_load(again, phxt_path("clamps.phx")));
            ENSURE(phx_world_hash(whole) == phx_world_hash(again));
            REQUIRE_OK(step(again, cast, 0.01));
            REQUIRE_OK(step(wide, cast, 0.01));
            ENSURE(phx_world_hash(wide) == phx_world_hash(again));
            REQUIRE_OK(phx_checkpoint_load(wide, phxt_path("clamps.phx"))); // back, whatever it holds by now
            phx_world_destroy(again);
        }
        phx_world_destroy(whole);
        phx_world_destroy(wide);
    }
}

/// What is deep in a clamp that turns has the fields of something that has turned.
TEST(fields_of_what_is_held) {
    for (int cast = 0; cast < CASTS; ++cast) {
        phx_world* world = make(cast, bar, right, 0, 0, 1, NULL);
        hold(world, PHX_DRIVER_TWIST, right, 0, INFINITY, phxi_vec3(0, 0, 0));
        REQUIRE_OK(step(world, cast, 0.04));
        int count = world->particles.count;
        phx_real* values = malloc(9 * (size_t)count * sizeof *values);
        REQUIRE(values);
        for (int f = 0; phx_world_field_info(world, f); ++f) {
            const phx_field_info* info = phx_world_field_info(world, f);
            REQUIRE_OK(phx_world_field(world, info->name, values));
            for (int i = 0; i < info->components * count; ++i) {
                ENSURE(isfinite((double)values[i]));
            }
            for (int i = 0; i < count; ++i) {
                bool end = (double)world->particles.rest_x[i] > 0.78;
                ENSURE(!end || strcmp(info->name, "det_f") != 0 || fabs((double)values[i] - 1) < 1e-6);
                ENSURE(!end || strcmp(info->name, "deformation") != 0 ||
                       (fabs((double)values[9 * i + 4] - cos(pi / 9)) < 1e-4 &&
                        fabs((double)values[9 * i + 7] - sin(pi / 9)) < 1e-4));
            }
        }
        free(values);
        phx_world_destroy(world);
    }
}

/// Nodes stand on the surface of a clamp that the body knows; of others the log says where they begin.
TEST(where_it_begins) {
    static const char odd[] = "box(center=(0,0,0), size=(0.34,1,1))",
                      ball[] = "sphere(center=(0.4,0,0.1), radius=0.13)";
    told t = {0};
    phx_world* world = make(0, bar, NULL, 0, 0, 1, &t);
    hold(world, PHX_DRIVER_PIN, odd, 0, INFINITY, phxi_vec3(0, 0, 0));
    ENSURE(t.lines == 1 && strstr(t.last, "up to 0.02 m (0.4 spacings)"));
    phx_world_destroy(world);

    t.lines = 0;
    world = make(0, bar, odd, 0, 0, 1, &t);
    hold(world, PHX_DRIVER_PIN, odd, 0, INFINITY, phxi_vec3(0, 0, 0));
    ENSURE(t.lines == 0);
    const phxi_particles* p = &world->particles;
    int on = 0;
    for (int i = 0; i < p->count; ++i) {
        on += fabs((double)p->rest_x[i] - 0.17) < 1e-6;
    }
    ENSURE(on == 25);
    phx_world_destroy(world);

    world = make(0, bar, ball, 0, 0, 1, NULL);
    p = &world->particles;
    on = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 way = {(double)p->rest_x[i] - 0.4, (double)p->rest_y[i], (double)p->rest_z[i] - 0.1};
        double d = phxi_length(way) - 0.13;
        on += fabs(d) < 1e-3;
    }
    ENSURE(on > 15);
    phx_world_destroy(world);
}
