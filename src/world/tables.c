// SPDX-License-Identifier: MIT
// The parameter tables of world, body, driver and probe, the definitions made from them, and the list of methods.
// The help lines are the reference: scene reader, program and pages print them as they stand.
#include "world/world.h"

#include "geometry/sample.h"
#include "methods/choose.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const char* const search_words[] = {"grid", "octree", NULL};
static const char* const contact_words[] = {"penalty", "projection", NULL};
static const phx_param world_params[] = {
    PHXI_VEC3(phx_world_def, gravity, "m/s^2", "(0, 0, -9.81)", "acceleration of everything"),
    PHXI_REAL(phx_world_def, dt, "s", "0", 0, 1e9, "fixed substep; 0: chosen from the stable one"),
    PHXI_BOOL(phx_world_def, force_dt, "false", "take dt even if it is above the stable substep"),
    {"safety", PHX_PARAM_REAL, offsetof(phx_world_def, safety), "",
     "fraction of the stable substep to take when dt is 0", "0.9", 0, 1, true, NULL},
    PHXI_INT(phx_world_def, threads, "0", 0, PHXI_MAX_THREADS,
             "threads; 0: one per processor; results do not depend on it"),
    PHXI_VEC3(phx_world_def, period, "m", "(0, 0, 0)",
              "length after which the world of fluids, walls and heat repeats along each axis, about the origin; 0: it "
              "does not"),
    PHXI_REAL(phx_world_def, air_temperature, "degrees C", "20", -273.15, 1e6,
              "of the air, which materials with exchange warm and are cooled by"),
    PHXI_WORD(phx_world_def, search, search_words, "grid", "how neighbours of fluids, walls and heat are found"),
    PHXI_WORD(
        phx_world_def, contact, contact_words, "penalty",
        "of explicit bodies; penalty: springs of a stiffness, which bounds the substep; projection: pushes that end "
        "the substep without overlap, whatever its size"),
    PHXI_REAL(
        phx_world_def, compliance, "m/N", "0", 0, 1e15,
        "contact by projection: how much two particles, or one and an obstacle, give under a push; 0: not at all"),
    PHXI_POSITIVE(phx_world_def, overlap_time, "s", "0.2", 1e9,
                  "in which bodies that were put into each other, or into obstacles, are moved apart"),
};
const phx_param_table phxi_world_table = {"world", "what holds for everything", world_params, COUNT(world_params),
                                          sizeof(phx_world_def)};

static const char* const plane_words[] = {"none", "strain", "stress", NULL};
static const char* const thermal_words[] = {"conducts", "fixed", "insulated", NULL};
static const char* const sampling_words[] = {"uniform",    "bcc",        "octree", "vertices", "points",
                                             "blue_noise", "conforming", "auto",   NULL};
static const phx_param body_params[] = {
    PHXI_TEXT(phx_body_def, name, "body", "for messages, drivers and probes; no two bodies share one"),
    PHXI_SHAPE(phx_body_def, shape, "", "what is filled with particles, unless a mesh says so"),
    PHXI_POSITIVE(phx_body_def, scale, "", "1", 1e15, "factor applied to mesh or shape first"),
    PHXI_VEC3(phx_body_def, rotate, "degrees", "(0, 0, 0)", "then rotation about x, then y, then z"),
    PHXI_VEC3(phx_body_def, translate, "m", "(0, 0, 0)", "then shift"),
    PHXI_POSITIVE(phx_body_def, spacing, "m", NULL, 1e15, "distance of particles; half of it: 8 times as many"),
    PHXI_WORD(
        phx_body_def, sampling, sampling_words, "auto",
        "auto: conforming for efg, elastoplastic_sph, corotated_sph and peridynamics (but for sheets and rods one "
        "spacing thick), else uniform; or the middles of cubic cells, body-centred "
        "cubic cells, cells refined at the surface, the corners of cubic cells, the "
        "vertices of the mesh, one spacing apart (a layer or a line of particles for curved sheets and rods), or "
        "no lattice at all, evenly apart, or particles on the true surface and on a lattice that fits inside "
        "(conforming)"),
    PHXI_INT(phx_body_def, levels, "1", 0, PHXI_MAX_LEVELS,
             "octree: how many times a cell at the surface may be halved"),
    PHXI_TEXT(phx_body_def, method, "",
              "how it is simulated; none: as its material is made for; parameters of the method may stand beside this "
              "key"),
    PHXI_VEC3(phx_body_def, velocity, "m/s", "(0, 0, 0)", "at the start"),
    PHXI_VEC3(phx_body_def, angular_velocity, "rad/s", "(0, 0, 0)", "at the start, about the centre of mass"),
    PHXI_TEXT(phx_body_def, velocity_field, "",
              "m/s at the start, added: three formulas of where a particle starts, \"(-2*y, 2*x, 0.1*sin(pi*z))\""),
    PHXI_REAL(phx_body_def, jitter, "", "0", 0, 0.5, "random shift of particles, fraction of the spacing"),
    PHXI_BOOL(phx_body_def, contact, "true", "touches other bodies that have contact too"),
    PHXI_BOOL(phx_body_def, self_contact, "false", "touches itself where it folds, if its method knows what is bonded"),
    PHXI_REAL(phx_body_def, friction, "", "0.3", 0, 1e3,
              "Coulomb coefficient between bodies, of which two take the geometric mean; 0: slippery"),
    PHXI_REAL(phx_body_def, contact_damping, "", "0.1", 0, 1,
              "damping of impacts between bodies, fraction of critical; two take the mean"),
    PHXI_REAL(phx_body_def, contact_stiffness, "N/m", "0", 0, 1e15,
              "of two particles of such bodies that touch; 0: half of Young's modulus times the spacing"),
    PHXI_REAL(phx_body_def, temperature, "degrees C", "20", -273.15, 1e6, "at the start"),
    PHXI_VEC3(phx_body_def, temperature_gradient, "K/m", "(0, 0, 0)",
              "at the start: adds its product with the position, so that one end is warmer"),
    PHXI_SHAPE(
        phx_body_def, clamp, "",
        "conforming: a region whose surface gets particles of its own where it cuts the body, so that what holds "
        "the region acts right there; none: the regions of all drivers of the scene that hold this body"),
    PHXI_WORDS(
        phx_body_def, symmetry, "",
        "it is one side of a body mirrored at these planes through the origin: [y] is the plane y = 0, on which its "
        "particles slide without friction and touch nothing"),
    PHXI_WORD(phx_body_def, plane, plane_words, "none",
              "a slice: its particles stay where they are along the axis along which it is thinnest. strain: of "
              "something long, its thickness stays; stress: one layer, of a plate without stress across"),
    PHXI_TEXT(phx_body_def, temperature_field, "",
              "degrees C at the start, added: a formula of where a particle starts, \"50*exp(-(x*x + y*y)/0.01)\""),
    PHXI_WORD(phx_body_def, thermal, thermal_words, "conducts",
              "conducts: by the material's conductivity; fixed: keeps its temperature; insulated: no heat passes"),
    PHXI_REAL(phx_body_def, reference_temperature, "degrees C", "inf", -273.15, INFINITY,
              "of materials with expansion: where it has the size it is made with; inf: temperature, without gradient "
              "and field"),
};
const phx_param_table phxi_body_table = {"body", "a thing made of particles: one material, one method", body_params,
                                         COUNT(body_params), sizeof(phx_body_def)};

static const char* const driver_words[] = {
    "pin",  "move",   "twist", "force",  "velocity", "cut",      "heat", "hold_temperature", "spot", "hot_ball",
    "spin", "muscle", "wind",  "torque", "traction", "pressure", NULL};
static const char* const share_words[] = {"mass", "area", NULL};
static const phx_param driver_params[] = {
    PHXI_TEXT(phx_driver_def, name, "driver", "for messages"),
    PHXI_WORD(
        phx_driver_def, kind, driver_words, "pin",
        "pin: hold; move: displace by vector; twist: turn by angle about axis; force: push with vector; velocity: "
        "carry along with vector; cut: a blade that moves with vector parts bodies; heat: power into all; "
        "hold_temperature: keep at temperature; spot: a beam that moves with vector heats what it lights; hot_ball: a "
        "ball that moves with vector heats what is in it; spin: turn by angle a second about axis; muscle: swim along "
        "axis by a wave of sideways force that "
        "neither pushes nor turns the whole, in water that drags; wind: air that streams with vector drags surfaces; "
        "torque: turn with torque about axis, without a push; traction: pull at a face with vector for each m^2; "
        "pressure: press on a surface as it moves, turns and stretches"),
    PHXI_TEXT(phx_driver_def, body, "", "only particles of this body; none: of all bodies"),
    PHXI_SHAPE(phx_driver_def, region, "", "only particles whose position at the start is inside; none: everywhere"),
    PHXI_TEXT(phx_driver_def, face, "",
              "of these only what of the surface looks along this direction, within 30 degrees: x, -x ... or "
              "\"(1, 0, 1)\"; none: also what is inside"),
    PHXI_WORDS(
        phx_driver_def, axes, "",
        "pin, move, velocity: holds along these axes only, [x] or [x, y]: a roller, without friction; none: all"),
    PHXI_VEC3(phx_driver_def, normal, "", "(0, 0, 0)",
              "pin, move, velocity: holds along this direction only; zero: along all"),
    PHXI_TEXT(phx_driver_def, collider, "",
              "moves this obstacle instead of particles: pin, move, velocity, twist or spin"),
    PHXI_VEC3(phx_driver_def, vector, "m, N, N/m^2 or m/s", "(0, 0, 0)",
              "move: displacement in m; force: all of it in N; traction: N/m^2 of the face at rest; velocity, cut, "
              "spot, hot_ball and wind: m/s; "
              "muscle: "
              "N, if all were pulled as the tail is"),
    PHXI_VEC3(phx_driver_def, axis, "", "(0, 0, 1)",
              "twist: direction of the axis; cut: of the blade's edge; spot: the way the beam goes; muscle: to the "
              "head; wind: of gusts; any "
              "length"),
    PHXI_VEC3(
        phx_driver_def, center, "m", "(0, 0, 0)",
        "twist: a point on the axis; cut: middle of the edge at the start; spot: a point of the beam at the start; "
        "hot_ball: its middle at the start"),
    PHXI_REAL(phx_driver_def, angle, "degrees", "0", -1e9, 1e9, "twist: how far, counter-clockwise about the axis"),
    PHXI_REAL(phx_driver_def, torque, "N m", "0", -1e15, 1e15,
              "torque: all of it, counter-clockwise about axis; a couple, which has no centre"),
    PHXI_REAL(phx_driver_def, pressure, "Pa", "0", -1e15, 1e15, "pressure: inward"),
    PHXI_WORD(phx_driver_def, share, share_words, "mass",
              "force: mass: each particle gets its share by mass; area: those on the surface by their area"),
    PHXI_TEXT(
        phx_driver_def, profile, "",
        "multiplies the strength: a formula such as sin(2*pi*t), for force, traction and pressure also of where a "
        "particle starts, x, y, z; or the name of a .csv file with columns time and value, straight in between; "
        "none: 1"),
    PHXI_POSITIVE(phx_driver_def, width, "m", "inf", INFINITY, "cut: length of the edge"),
    PHXI_POSITIVE(phx_driver_def, depth, "m", "inf", INFINITY, "cut: how far the blade reaches behind its edge"),
    PHXI_REAL(phx_driver_def, power, "W", "0", -1e15, 1e15, "heat: all of it, shared by mass; spot: of the beam"),
    PHXI_REAL(phx_driver_def, temperature, "degrees C", "20", -273.15, 1e6, "hold_temperature, hot_ball: of it"),
    PHXI_POSITIVE(phx_driver_def, radius, "m", "0.01", 1e15,
                  "spot: where its intensity is 1/e^2 of that of its middle; hot_ball: of the ball"),
    PHXI_REAL(phx_driver_def, exchange, "W/(m^2 K)", "1000", 0, 1e12,
              "hot_ball: heat it gives to what is in it, for each face of a particle"),
    PHXI_REAL(phx_driver_def, air, "kg/m^3", "1.2", 0, 1e6, "wind: density of the air, times a drag coefficient"),
    PHXI_REAL(phx_driver_def, gust, "", "0", 0, 10, "wind: share of its speed that blows to and fro along axis"),
    PHXI_POSITIVE(phx_driver_def, wavelength, "m", "0.2", 1e15,
                  "muscle: of the wave, from head to tail; wind: of gusts"),
    PHXI_POSITIVE(phx_driver_def, period, "s", "0.5", 1e15, "muscle: of the wave; wind: of gusts"),
    PHXI_REAL(phx_driver_def, drag_along, "1/s", "0", 0, 1e6,
              "muscle: of the water, along the middle line of the body"),
    PHXI_REAL(phx_driver_def, drag_across, "1/s", "0", 0, 1e6, "muscle: across it; more than along it drives the body"),
    PHXI_REAL(phx_driver_def, start, "s", "0", 0, 1e15, "when it begins; positions are taken then"),
    PHXI_REAL(phx_driver_def, end, "s", "inf", 0, INFINITY, "when it lets go"),
    PHXI_REAL(
        phx_driver_def, ramp, "s", "0", 0, 1e15,
        "grows from nothing to all over this time as 3 s^2 - 2 s^3 (hold_temperature: goes from what each particle has "
        "to temperature); 0: all at once"),
};
const phx_param_table phxi_driver_table = {
    "driver", "holds, moves, turns, pushes or heats a group of particles for a time, or moves an obstacle",
    driver_params, COUNT(driver_params), sizeof(phx_driver_def)};

static const phx_param probe_params[] = {
    PHXI_TEXT(phx_probe_def, name, "probe", "also the name of its file; no two probes share one"),
    PHXI_TEXT(phx_probe_def, body, "", "only particles of this body; none: of all bodies"),
    PHXI_SHAPE(phx_probe_def, region, "", "only particles whose position at the start is inside; none: everywhere"),
    PHXI_TEXT(phx_probe_def, face, "",
              "of these only what of the surface looks along this direction, within 30 degrees: x, -x ... or "
              "\"(1, 0, 1)\"; none: also what is inside"),
    PHXI_TEXT(
        phx_probe_def, collider, "",
        "looks at what this collider does to the body, or to all bodies: force, impulse and the smallest gap; none: "
        "at none"),
    PHXI_REAL(phx_probe_def, every, "s", "0", 0, 1e15, "time between lines; 0: one a frame"),
};
const phx_param_table phxi_probe_table = {"probe", "a time series of energies, momenta, forces of a group of particles",
                                          probe_params, COUNT(probe_params), sizeof(phx_probe_def)};

phx_world_def phx_world_def_default(void) {
    phx_world_def def = {0};
    phxi_params_defaults(&phxi_world_table, &def);
    def.stamp = PHXI_WORLD_STAMP;
    return def;
}

phx_body_def phx_body_def_default(void) {
    phx_body_def def = {0};
    phxi_params_defaults(&phxi_body_table, &def);
    def.stamp = PHXI_BODY_STAMP;
    return def;
}

phx_driver_def phx_driver_def_default(void) {
    phx_driver_def def = {0};
    phxi_params_defaults(&phxi_driver_table, &def);
    def.stamp = PHXI_DRIVER_STAMP;
    return def;
}

phx_probe_def phx_probe_def_default(void) {
    phx_probe_def def = {0};
    phxi_params_defaults(&phxi_probe_table, &def);
    def.stamp = PHXI_PROBE_STAMP;
    return def;
}

// ------------------------------------------------------------------------------------------------ what can be chosen

int phx_method_count(void) {
    int count = 0;
    while (phxi_methods[count]) {
        ++count;
    }
    return count;
}

static const phxi_method* method_at(int i) {
    return i >= 0 && i < phx_method_count() ? phxi_methods[i] : NULL;
}

const char* phx_method_name(int i) {
    const phxi_method* method = method_at(i);
    return method ? method->name : NULL;
}

const char* phx_method_summary(int i) {
    const phxi_method* method = method_at(i);
    return method ? method->summary : NULL;
}

const phx_param_table* phx_method_params(int i) {
    const phxi_method* method = method_at(i);
    return method ? method->params : NULL;
}

const char* phx_material_method(const phx_material_def* def, const char** property) {
    const phxi_method* method = NULL;
    const char* key = NULL;
    if (phxi_material_check(def) != PHX_OK || phxi_method_choose(def, &method, &key) != PHX_OK) {
        return NULL;
    }
    if (property) {
        *property = key;
    }
    return method->name;
}
