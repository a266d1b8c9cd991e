// SPDX-License-Identifier: MIT
// What bodies with particles on their surface can do besides being elastic: break, be cut, keep a dent, carry a skin.
#include "support/meshes.h"
#include "support/test.h"
#include "support/topology.h"

#include <phyxel/frame.h>
#include <phyxel/surface.h>
#include "geometry/mesh.h"
#include "world/world.h"

#include <string.h>

static phx_world* make(const char* method, const phx_material_def* stuff, const char* shape, const phx_mesh* mesh,
                       double spacing) {
    phx_world_def wd = phx_world_def_default();
    phx_world* world = NULL;
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    wd.gravity = phxi_vec3(0, 0, 0);
    bd.shape = shape, bd.mesh = mesh, bd.spacing = spacing, bd.method = method, bd.sampling = PHX_SAMPLING_CONFORMING;
    bool good = phxt_result(__FILE__, __LINE__, method, phx_world_create(&wd, &world), PHX_OK) &&
                phxt_result(__FILE__, __LINE__, method, phx_material_create(world, stuff, &bd.material), PHX_OK) &&
                phxt_result(__FILE__, __LINE__, method, phx_body_create(world, &bd, &body), PHX_OK);
    if (!good) {
        exit(1);
    }
    return world;
}

static void drive(phx_world* world, const phx_driver_def* def) {
    phx_driver_id id;
    if (!phxt_result(__FILE__, __LINE__, "driver", phx_driver_create(world, def, &id), PHX_OK)) {
        exit(1);
    }
}

/// Of a surface whose corners have a vertex for each of their normals.
static bool welded(phx_frame* frame, phxt_topology* t) {
    int points = phx_frame_points(frame), triangles = phx_frame_triangles(frame);
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_vec3* at = phxi_alloc(&heap, (size_t)points, sizeof *at, "test");
    int* map = phxi_alloc(&heap, (size_t)points, sizeof *map, "test");
    int* corners = phxi_alloc(&heap, 3 * (size_t)triangles, sizeof *corners, "test");
    bool good = at && map && corners;
    for (int i = 0; good && i < points; ++i) {
        const double* x = phx_frame_positions(frame) + 3 * i;
        at[i] = phxi_vec3(x[0], x[1], x[2]);
    }
    good = good && phxi_mesh_weld_map(&heap, at, points, map) == PHX_OK;
    for (int k = 0; good && k < 3 * triangles; ++k) {
        corners[k] = map[phx_frame_indices(frame)[k]];
    }
    good = good && phxt_topology_of(corners, triangles, points, t);
    phxi_heap_destroy(&heap);
    return good;
}

/// The surface of a broken body: closed around each piece, with all of its volume. Returns how many pieces there are.
static int ensure_closed(const phx_world* world, double volume) {
    phx_crack_surface_def def = phx_crack_surface_def_default();
    phx_crack_surface* surface = NULL;
    phx_frame* frame = NULL;
    phxt_topology t = {0};
    def.smooth = false;
    if (phxt_result(__FILE__, __LINE__, "surface", phx_crack_surface_create(world, &def, &surface), PHX_OK) &&
        phxt_result(__FILE__, __LINE__, "surface", phx_crack_surface_frame(surface, &frame), PHX_OK)) {
        ENSURE(welded(frame, &t));
        ENSURE(t.open == 0 && t.degenerate == 0); // edges that touch where pieces lie against each other are one
        double inside =
            phxt_volume_of(phx_frame_positions(frame), phx_frame_indices(frame), phx_frame_triangles(frame));
        ENSURE_NEAR(inside / volume, 1, 0.05); // stretched a little
    }
    phx_frame_destroy(frame);
    phx_crack_surface_destroy(surface);
    return t.pieces;
}

/// Sizes of the two largest fragments over all; the rest is dust.
static void fragments_of(const phx_world* world, double share[2]) {
    int count = world->particles.count;
    phx_real* fragment = malloc((size_t)count * sizeof *fragment);
    int* size = calloc((size_t)count, sizeof *size);
    share[0] = share[1] = 0;
    if (fragment && size && phx_world_field(world, "fragment", fragment) == PHX_OK) {
        for (int i = 0; i < count; ++i) {
            ++size[(int)fragment[i]];
        }
        for (int i = 0; i < count; ++i) {
            double part = (double)size[i] / count;
            share[1] = part > share[0] ? share[0] : fmax(share[1], part);
            share[0] = fmax(share[0], part);
        }
    }
    free(fragment);
    free(size);
}

/// A notched bar is pulled in two: two pieces, nothing else, a closed surface around each.
TEST(breaks_at_a_notch) {
    phx_material_def stuff = phx_material_def_default();
    stuff.young = 1e6, stuff.density = 1000, stuff.strength = 2e4;
    phx_world* world =
        make("efg", &stuff, "difference(box(size=(0.3,0.1,0.06)), box(center=(0,0.05,0), size=(0.02,0.06,0.1)))", NULL,
             0.0101);
    for (int side = -1; side <= 1; side += 2) {
        char region[64];
        phx_driver_def pull = phx_driver_def_default();
        snprintf(region, sizeof region, "box(center=(%g,0,0), size=(0.06,1,1))", side * 0.15);
        pull.kind = PHX_DRIVER_VELOCITY, pull.region = region, pull.vector = phxi_vec3(side * 0.03, 0, 0);
        pull.ramp = 0.05;
        drive(world, &pull);
    }
    double share[2], volume = 0.06 * (0.3 * 0.1 - 0.02 * 0.03);
    REQUIRE_OK(phx_world_step(world, 0.02));
    ENSURE(ensure_closed(world, volume) == 1);
    REQUIRE_OK(phx_world_step(world, 0.2));
    fragments_of(world, share);
    ENSURE(share[0] + share[1] == 1 && share[1] > 0.45);
    ENSURE(ensure_closed(world, volume) == 2);
    phx_world_destroy(world);
}

/// A blade goes through a ball.
TEST(is_cut) {
    phx_material_def stuff = phx_material_def_default();
    stuff.young = 1e5;
    phx_world* world = make("efg", &stuff, "sphere(radius=0.1)", NULL, 0.02);
    phx_driver_def blade = phx_driver_def_default();
    blade.kind = PHX_DRIVER_CUT, blade.vector = phxi_vec3(0, 0, -10), blade.center = phxi_vec3(0, 0.011, 0.3);
    blade.axis = phxi_vec3(1, 0, 0);
    drive(world, &blade);
    double share[2];
    REQUIRE_OK(phx_world_step(world, 0.06));
    fragments_of(world, share);
    ENSURE(share[0] + share[1] == 1 && share[1] > 0.3);
    phx_world_destroy(world);
}

static double height_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < p->count; ++i) {
        low = fmin(low, (double)p->z[i]), high = fmax(high, (double)p->z[i]);
    }
    return high - low;
}

/// A block is pressed to 0.7 of its height and let go: rubber comes back, clay does not.
TEST(keeps_a_dent) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "peridynamics"};
    for (int m = 0; m < 3; ++m) {
        double height[2];
        for (int clay = 0; clay < 2; ++clay) {
            phx_material_def stuff = phx_material_def_default();
            stuff.young = 1e5, stuff.damping = 20, stuff.poisson = 0.3;
            stuff.yield = clay ? 0.02 : 0, stuff.plastic_limit = 1000;
            phx_world* world =
                make(methods[m], &stuff, "cylinder(from=(0,0,0), to=(0,0,0.2), radius=0.1)", NULL, 0.033);
            phx_driver_def foot = phx_driver_def_default(), press = foot;
            foot.region = "box(size=(1,1,0.01))";
            press.kind = PHX_DRIVER_MOVE, press.region = "box(center=(0,0,0.2), size=(1,1,0.01))";
            press.vector = phxi_vec3(0, 0, -0.06), press.ramp = 0.2, press.end = 0.25;
            drive(world, &foot);
            drive(world, &press);
            REQUIRE_OK(phx_world_step(world, 0.6));
            height[clay] = height_of(world);
            phx_world_destroy(world);
        }
        ENSURE_NEAR(height[0], 0.2, 0.01);
        ENSURE(height[1] > 0.135 && height[1] < 0.165);
    }
}

/// The mesh that a body was made of goes with it: a ball that flies and spins.
TEST(carries_a_skin) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "corotated_sph"};
    phx_mesh* ball = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.1, 16, 24);
    for (int m = 0; m < 3 && ball; ++m) {
        phx_material_def stuff = phx_material_def_default();
        stuff.young = 1e6;
        phx_world* world = make(methods[m], &stuff, NULL, ball, 0.025);
        REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), phxi_vec3(1, 0, 0), phxi_vec3(0, 0, 5)));
        phx_frame *frame = NULL, *drawn = NULL;
        phx_skin* skin = NULL;
        phx_skin_def def = phx_skin_def_default();
        REQUIRE_OK(phx_frame_of_world(world, "rest deformation spacing body", &frame));
        def.mesh = ball, def.particles = frame, def.body = -1;
        REQUIRE_OK(phx_skin_create(&def, &skin));
        phx_frame_destroy(frame);
        REQUIRE_OK(phx_world_step(world, 0.2));
        REQUIRE_OK(phx_frame_of_world(world, "rest deformation spacing body", &frame));
        REQUIRE_OK(phx_skin_apply(skin, frame, &drawn));
        const double* x = phx_frame_positions(drawn);
        double least = INFINITY, most = 0;
        for (int i = 0; i < phx_frame_points(drawn); ++i) {
            double r = phxi_length(phxi_vec3(x[3 * i] - 0.2, x[3 * i + 1], x[3 * i + 2]));
            least = fmin(least, r), most = fmax(most, r);
        }
        ENSURE(least > 0.0985 && most < 0.1015);
        phx_frame_destroy(frame);
        phx_frame_destroy(drawn);
        phx_skin_destroy(skin);
        phx_world_destroy(world);
    }
    phx_mesh_destroy(ball);
}
