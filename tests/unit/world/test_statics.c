// SPDX-License-Identifier: MIT
// Static states: what is refused by name, what is left when none is found, contact, and what goes on from one.
#include "support/test.h"
#include "world/world.h"

typedef struct bar {
    const char *method, *name, *value; // and a parameter of it
    double young, yield;
    bool pinned, floor;
    int threads;
} bar;

static phx_world* make(const bar* b) {
    phx_world_def def = phx_world_def_default();
    def.threads = b->threads > 0 ? b->threads : 1;
    phx_world* world = NULL;
    ENSURE_OK(phx_world_create(&def, &world));
    phx_material_def material = phx_material_def_default();
    material.young = b->young > 0 ? b->young : 1e6;
    material.yield = b->yield;
    phx_material_id id;
    ENSURE_OK(phx_material_create(world, &material, &id));
    const phx_setting setting = {b->name, b->value};
    phx_body_def body = phx_body_def_default();
    body.name = "bar";
    body.shape = "box(center=(0.2,0,0.06), size=(0.4,0.1,0.1))";
    body.spacing = 0.025;
    body.material = id;
    body.method = b->method;
    body.settings = &setting;
    body.setting_count = b->name != NULL;
    phx_body_id body_id;
    ENSURE_OK(phx_body_create(world, &body, &body_id));
    if (b->pinned) {
        phx_driver_def pin = phx_driver_def_default();
        pin.region = "box(center=(0,0,0), size=(0.06,1,1))";
        phx_driver_id driver;
        ENSURE_OK(phx_driver_create(world, &pin, &driver));
    }
    if (b->floor) {
        phx_collider_def plane = phx_collider_def_default();
        phx_collider_id collider;
        ENSURE_OK(phx_collider_create(world, &plane, &collider));
    }
    return world;
}

static phx_result rest(phx_world* world, phx_static_report* report) {
    phx_static_def def = phx_static_def_default();
    return phx_world_static(world, &def, report);
}

TEST(what_has_no_static_state_is_named) {
    static const struct {
        bar bar;
        const char* says;
    } bad[] = {
        {{.method = "mpm", .pinned = true}, "method mpm has no tangent"},
        {{.method = "corotated_sph", .name = "mode", .value = "membership", .pinned = true}, "has mode membership"},
        {{.method = "corotated_sph", .name = "gradient", .value = "plain", .pinned = true}, "has gradient plain"},
        {{.method = "rigid", .pinned = true}, "method rigid has no tangent"},
        {{.method = "peridynamics", .pinned = true}, "set its integrator to implicit_euler"},
        {{.method = "efg", .yield = 0.01, .pinned = true}, "'bar' yields"},
        {{.method = "efg"}, "nothing holds body 'bar'"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        phx_world* world = make(&bad[k].bar);
        ENSURE(rest(world, NULL) == PHX_ERROR_UNSUPPORTED);
        ENSURE(strstr(phx_error_message(), bad[k].says));
        phx_world_destroy(world);
    }
}

TEST(drivers_that_never_rest_are_named) {
    bar b = {.method = "efg", .pinned = true};
    phx_driver_def def = phx_driver_def_default();
    def.name = "belt";
    def.kind = PHX_DRIVER_VELOCITY;
    def.vector = (phx_vec3){1, 0, 0};
    def.region = "box(center=(0.4,0,0), size=(0.06,1,1))";
    for (int k = 0; k < 2; ++k) {
        phx_world* world = make(&b);
        phx_driver_id id;
        ENSURE_OK(phx_driver_create(world, &def, &id));
        ENSURE(rest(world, NULL) == PHX_ERROR_UNSUPPORTED);
        ENSURE(strstr(phx_error_message(), k ? "driver 'belt' has a ramp" : "driver 'belt' never comes to rest"));
        def.kind = PHX_DRIVER_MOVE;
        def.ramp = 1;
        phx_world_destroy(world);
    }
}

TEST(loads_that_turn_and_curves_are_named) {
    bar b = {.method = "elastoplastic_sph", .pinned = true};
    static const char* const says[] = {"'load' turns with what it pushes", "'load' turns with what it pushes",
                                       "'load' has a profile"};
    for (int k = 0; k < 3; ++k) {
        phx_world* world = make(&b);
        phx_driver_def def = phx_driver_def_default();
        phx_driver_id id;
        def.name = "load";
        def.kind = k == 0 ? PHX_DRIVER_TORQUE : k == 1 ? PHX_DRIVER_PRESSURE : PHX_DRIVER_FORCE;
        def.torque = def.pressure = 1;
        def.vector = (phx_vec3){0, 0, 1};
        def.profile = k == 2 ? "sin(t)" : def.profile;
        ENSURE_OK(phx_driver_create(world, &def, &id));
        ENSURE(rest(world, NULL) == PHX_ERROR_UNSUPPORTED);
        ENSURE(strstr(phx_error_message(), says[k]));
        phx_world_destroy(world);
    }
}

/// Of the end of the bar, m.
static double sag_under(int kind, double size) {
    bar b = {.method = "elastoplastic_sph", .pinned = true};
    phx_world* world = make(&b);
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.kind = kind;
    def.face = kind == PHX_DRIVER_TRACTION ? "+x" : def.face;
    def.region = "box(center=(0.4,0,0), size=(0.01,1,1))";
    def.share = PHX_SHARE_AREA;
    def.vector = (phx_vec3){0, 0, -size};
    ENSURE_OK(phx_driver_create(world, &def, &id));
    ENSURE_OK(rest(world, NULL));
    double low = 1;
    for (int i = 0; i < world->particles.count; ++i) {
        low = fmin(low, (double)world->particles.z[i]);
    }
    phx_world_destroy(world);
    return 0.01 - low;
}

TEST(a_traction_bends_as_its_force_does) {
    double force = sag_under(PHX_DRIVER_FORCE, 1), none = sag_under(PHX_DRIVER_FORCE, 1e-6),
           traction = sag_under(PHX_DRIVER_TRACTION, 1 / 0.01);
    ENSURE(force > 1.05 * none);
    ENSURE_NEAR(traction - none, force - none, 0.1 * (force - none)); // which is shared by all areas of the layer
}

TEST(bad_definitions_are_refused) {
    bar b = {.method = "efg", .pinned = true};
    phx_world* world = make(&b);
    phx_static_def def = {.tolerance = 1e-4};
    ENSURE(phx_world_static(world, &def, NULL) == PHX_ERROR_ARGUMENT);
    def = phx_static_def_default();
    def.steps = -1;
    ENSURE(phx_world_static(world, &def, NULL) == PHX_ERROR_ARGUMENT);
    ENSURE(phx_world_static(NULL, &def, NULL) == PHX_ERROR_ARGUMENT);
    phx_world_destroy(world);
}

TEST(the_clock_stands_still_and_nothing_moves) {
    static const bar bars[] = {
        {.method = "efg", .pinned = true},
        {.method = "efg", .name = "integrator", .value = "bdf2", .pinned = true},
        {.method = "elastoplastic_sph", .pinned = true},
        {.method = "corotated_sph", .pinned = true},
        {.method = "corotated_sph", .name = "integrator", .value = "implicit_euler", .pinned = true},
        {.method = "fem", .pinned = true},
        {.method = "peridynamics", .name = "integrator", .value = "implicit_euler", .pinned = true}};
    for (size_t k = 0; k < sizeof bars / sizeof bars[0]; ++k) {
        phx_world* world = make(&bars[k]);
        phx_static_report report;
        phx_totals at_rest, later;
        ENSURE_OK(rest(world, &report));
        ENSURE(report.load == 1 && report.steps > 0 && report.left <= 1e-3);
        ENSURE(phx_world_time(world) == 0);
        ENSURE_OK(phx_world_measure(world, &at_rest));
        ENSURE(at_rest.kinetic == 0 && at_rest.elastic > 0);
        // and it stays when time goes on
        ENSURE_OK(phx_world_step(world, 0.1));
        ENSURE_OK(phx_world_measure(world, &later));
        ENSURE(later.kinetic < 1e-4 * at_rest.elastic);
        ENSURE_NEAR(later.elastic, at_rest.elastic, 0.01 * at_rest.elastic);
        phx_world_destroy(world);
    }
}

TEST(drivers_tell_what_they_bear) {
    bar b = {.method = "efg", .pinned = true};
    phx_world* world = make(&b);
    ENSURE_OK(rest(world, NULL));
    phx_totals totals;
    ENSURE_OK(phx_world_measure(world, &totals));
    const phxi_driver* pin = &world->drivers.items[0];
    double up = 0;
    for (int k = 0; k < pin->group.count; ++k) {
        up += (double)pin->reactions[3 * k + 2];
    }
    ENSURE_NEAR(up, totals.mass * 9.81, 1e-3 * totals.mass * 9.81);
    phx_world_destroy(world);
}

TEST(a_body_lies_on_the_floor) {
    static const char* const methods[] = {"efg", "fem", "corotated_sph"};
    for (int k = 0; k < 3; ++k) {
        bar b = {.method = methods[k], .floor = true};
        phx_world* world = make(&b);
        ENSURE_OK(rest(world, NULL));
        double low = 1;
        for (int i = 0; i < world->particles.count; ++i) {
            low = fmin(low, (double)world->particles.z[i]);
        }
        ENSURE_NEAR(low, 0, 0.001);
        phx_world_destroy(world);
    }
}

TEST(what_is_not_found_says_so_and_leaves_the_last_state) {
    bar b = {.method = "efg", .pinned = true};
    phx_world* world = make(&b);
    uint64_t before = phx_world_hash(world);
    phx_static_def def = phx_static_def_default();
    phx_static_report report;
    def.tolerance = 1e-30; // no number comes that close
    ENSURE(phx_world_static(world, &def, &report) == PHX_ERROR_UNSTABLE);
    ENSURE(strstr(phx_error_message(), "no equilibrium was found"));
    ENSURE(report.load == 0 && report.cuts == 7);
    ENSURE(phx_world_time(world) == 0 && world->def.gravity.z < -9);
    ENSURE(phx_world_hash(world) == before);
    phx_world_destroy(world);
}

TEST(same_bits_at_any_thread_count) {
    static const char* const methods[] = {"efg", "corotated_sph"};
    static const int threads[] = {1, 2, 3, 8};
    for (int m = 0; m < 2; ++m) {
        uint64_t hash = 0;
        for (int k = 0; k < 4; ++k) {
            bar b = {.method = methods[m], .pinned = true, .threads = threads[k]};
            phx_world* world = make(&b);
            ENSURE_OK(rest(world, NULL));
            ENSURE(k == 0 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            phx_world_destroy(world);
        }
    }
}

/// The column that `make` makes, pushed from its end; what it bears.
static phx_result push_over(const bar* b, double push, phx_static_report* report) {
    phx_world* world = make(b);
    phx_driver_def def = phx_driver_def_default();
    phx_static_def how = phx_static_def_default();
    phx_driver_id id;
    world->def.gravity = b->floor ? world->def.gravity : phxi_vec3(0, 0, 0);
    def.kind = PHX_DRIVER_FORCE;
    def.region = "box(center=(0.4,0,0), size=(0.03,1,1))";
    def.vector = (phx_vec3){-push, 0, 0};
    ENSURE_OK(phx_driver_create(world, &def, &id));
    how.buckling = true;
    phx_result result = phx_world_static(world, &how, report);
    phx_world_destroy(world);
    return result;
}

TEST(columns_tell_what_they_bear) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "corotated_sph", "fem"};
    static const int threads[] = {1, 2, 3, 8};
    for (int m = 0; m < 4; ++m) {
        phx_static_report light, heavy, pulled;
        bar b = {.method = methods[m], .pinned = true};
        double euler = 9.8696 / 4 * 1e6 * 1e-4 / 12 / (0.35 * 0.35); // free from 0.03 or 0.05 m on
        ENSURE_OK(push_over(&b, 0.1 * euler, &light));
        ENSURE_OK(push_over(&b, 0.5 * euler, &heavy));
        ENSURE_OK(push_over(&b, -0.1 * euler, &pulled));
        ENSURE(light.buckling > 6 && light.buckling < 13);
        ENSURE_NEAR(5 * heavy.buckling / light.buckling, 1, 0.05); // the column is shorter and thicker under it
        ENSURE(isinf(pulled.buckling));
        for (int k = 0; k < 4; ++k) {
            phx_static_report again;
            b.threads = threads[k];
            ENSURE_OK(push_over(&b, 0.1 * euler, &again));
            ENSURE(again.buckling == light.buckling);
        }
    }
}

TEST(what_has_no_buckling_load_is_named) {
    static const struct {
        bar bar;
        const char* says;
    } bad[] = {{{.method = "peridynamics", .name = "integrator", .value = "implicit_euler", .pinned = true},
                "tangent of stress"},
               {{.method = "efg", .name = "tangent", .value = "frozen", .pinned = true}, "tangent of stress"},
               {{.method = "corotated_sph", .name = "tangent", .value = "frozen", .pinned = true}, "tangent of stress"},
               {{.method = "fem", .pinned = true, .floor = true}, "something touches"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        ENSURE(push_over(&bad[k].bar, bad[k].bar.floor ? -1 : 1, NULL) == PHX_ERROR_UNSUPPORTED);
        ENSURE(strstr(phx_error_message(), bad[k].says));
    }
}

static bool stop_at_once(void* context, const phx_static_report* report) {
    *(int*)context = report->steps;
    return report->steps < 2;
}

TEST(load_steps_are_told_and_may_be_stopped) {
    bar b = {.method = "fem", .pinned = true};
    phx_world* world = make(&b);
    phx_static_def def = phx_static_def_default();
    phx_static_report report;
    int told = 0;
    def.steps = 4;
    def.progress = stop_at_once;
    def.context = &told;
    ENSURE(phx_world_static(world, &def, &report) == PHX_ERROR_CANCELLED);
    ENSURE(told == 2 && report.steps == 2);
    ENSURE_NEAR(report.load, 0.5, 1e-12);
    phx_world_destroy(world);
}
