// SPDX-License-Identifier: MIT
// The world: owns particles, bodies, solvers, colliders, drivers, probes; runs the step (step.c).
//
//   world.c    create, destroy, materials, colliders, ids      body.c     sampling, solvers, velocities
//   tables.c   parameter tables and defaults of definitions    group.c    particles by body and region
//   step.c     substeps and their size                         drivers.c  pins, pulls, twists; reaction and work
//   motion.c   rigid motions of drivers, their shares          profile.c  formulas and tables of their strength
//   loads.c    forces, tractions, torques                      pressure.c  pressure on surfaces
//   start_fields.c  velocities and temperatures from place to place
//   rollers.c  pins along some directions                      symmetry.c  one side of a mirrored body
//   clamps.c   who holds what: bodies end where a clamp begins
//   collider_drivers.c  drivers that move colliders
//   measure.c  totals       fields.c  named arrays             state.c    hash, snapshot, checkpoint items
//   grow.c     particles that methods add to bodies            contact.c  particles that touch
//   approach.c how fast bodies approach each other             rigid.c    rigid bodies, for contact
//   heat.c     when heat flows, and its sources                muscle.c   drivers that swim
//   overlap.c  bodies created inside others or colliders       implicit.c  the implicit step of all bodies at once
//   statics.c  equilibrium                                    expansion.c  bodies that grow by warmth
//   probes.c   what probes know of a collider
//   energy_guard.c  stops runs that gain energy from nowhere
//   definition.c    what everything was made with, as text
//
// A body is a range of particles. phx_body_create appends bodies at the end of the store. A body grows at the end of
// its range (grow.c), which moves everything behind it and updates all indices.
#pragma once

#include <phyxel/world.h>
#include "contact/collider.h"
#include "core/id_pool.h"
#include "core/record.h"
#include "geometry/sample.h"
#include "heat/heat.h"
#include "methods/method.h"
#include "world/profile.h"

extern const phx_param_table phxi_world_table, phxi_body_table, phxi_driver_table, phxi_probe_table;
#define PHXI_WORLD_STAMP  0x574f5231u
#define PHXI_BODY_STAMP   0x424f4431u
#define PHXI_DRIVER_STAMP 0x44524931u
#define PHXI_PROBE_STAMP  0x50524f31u

enum { PHXI_NAME_SIZE = 64 };
/// Words of phx_world_def.contact.
enum { PHXI_PENALTY, PHXI_PROJECTION };

/// One solver per method. Reactions and work of drivers and the field "force" need the acceleration by internal forces
/// (PHXI_MOTION_ACCELERATION); for methods that do not store it the internal force counts as zero.
typedef struct phxi_solver {
    const phxi_method* method;
    void* state;
    PHXI_ARRAY(int) own; // bodies
} phxi_solver;

/// Particles selected by body and region when the driver or probe is created. Bodies created later are not included.
typedef struct phxi_group {
    int* indices; // ascending
    int count;
} phxi_group;

/// The distance field of a mesh.
typedef struct phxi_mesh_field {
    uint64_t mesh;     // hash
    double resolution; // as requested, in the mesh's own units
    phxi_distance_field* field;
} phxi_mesh_field;

typedef enum phxi_window { PHXI_WINDOW_WAITING, PHXI_WINDOW_OPEN, PHXI_WINDOW_CLOSED } phxi_window;

/// A rigid placement: x = rotation X + shift.
typedef struct phxi_rigid_place {
    phxi_mat3 rotation;
    phx_vec3 shift;
} phxi_rigid_place;

typedef struct phxi_driver {
    phx_driver_def def; // strings are NULL; start is not before its creation
    char name[PHXI_NAME_SIZE];
    phxi_group group;
    phxi_profile profile;
    phx_vec3 face;                       // direction of the face that it acts on; 0: none
    bool slides;                         // it holds along `across` only
    phxi_mat3 across;                    // projector
    const int *rail_before, *rail_after; // of its particles, in this substep: without and with it
    double mass;                         // kg, of the group
    phx_real* start;     // 3 per particle: positions when the window opened; hold_temperature: degrees C first
    phx_real* reactions; // 3 per particle: N, exerted by the driver in the last substep
    int window;          // phxi_window
    double work;         // J so far
    phx_vec3 couple;     // N m, of rod frames that turn with its particles, at the end of the last substep
    bool moves_collider; // it moves collider number `collider`; the group is empty
    int collider;
    struct {
        phxi_rigid_place from; // when the window opened
        phx_vec3 reaction;     // N, exerted by the driver in the last substep
        double power, end;     // W, of its collider: phxi_collider_push.power and .last
    } held;
    bool used;
} phxi_driver;

typedef struct phxi_probe {
    char name[PHXI_NAME_SIZE];
    phxi_group group;
    uint8_t* selected; // one per particle that existed when it was created
    int selected_count;
    double every;
    int collider, body; // what it looks at; -1: none; -1: all bodies
    struct {
        phx_vec3 force, impulse; // N in the last substep, N s so far
    } contact;
} phxi_probe;

/// What limits the substep for contact with a body: the smallest mass that a contact moves (for rigid bodies more than
/// a particle), the largest width over mass against particles and against colliders (contact/reach.h), the smallest a,
/// the largest width; whether any particle stands on the surface.
typedef struct phxi_body_extremes {
    double mass, ratio, collider_ratio, spacing, stiffest; // kg, m/kg, m/kg, m, m
    double ball_ratio;                                     // m/kg, against particles of the body itself: balls
    bool surface;
    int count; // of the particles they are those of
} phxi_body_extremes;

/// A particle added during the simulation: a copy of particle `parent` of its body.
typedef struct phxi_birth {
    int body, parent;
} phxi_birth;

/// State of heat, see heat.c.
typedef struct phxi_world_heat {
    phxi_heat heat;
    phxi_near near;                    // neighbours of all bodies, if some of them have no reach
    PHXI_ARRAY(phxi_heat_body) bodies; // by body
    double coldest, hottest;           // degrees C, over all particles at their creation
    int births;                        // births of the world when `near` was built
    struct {
        double pending, travelled; // s since heat was advanced, and m the fastest particle has moved since
        phxi_heat_gain gain;       // J so far
        double expansion, stirred; // J that bodies have stored because warmth made them grow; the same, never lost
    } state;
} phxi_world_heat;

/// What there is to be turned into motion: energy_guard.c.
typedef struct phxi_energy_guard {
    bool known;             // false: to be measured before the next step
    bool blind;             // cannot be told
    bool overlapping;       // measured with what was put into each other taken off
    double kinetic, stored; // J when it was measured
    double potential, work; // J then: of gravity; done by drivers
    double driven, parting; // J since: most work done, to or fro; of bodies that were put into each other
    double floor;           // J that do not matter
} phxi_energy_guard;

/// A thing that the world was made with: its definition as text (definition.c).
typedef enum phxi_definition_kind {
    PHXI_OF_WORLD,
    PHXI_OF_MATERIAL,
    PHXI_OF_BODY,
    PHXI_OF_COLLIDER,
    PHXI_OF_DRIVER,
    PHXI_OF_PROBE,
    PHXI_DEFINITION_KINDS
} phxi_definition_kind;
typedef struct phxi_definition {
    phxi_definition_kind kind;
    int index;
    char* text;
} phxi_definition;

struct phx_world {
    phxi_heap heap;
    phxi_arena arena;
    phxi_pool* pool;
    phx_world_def def;
    phxi_particles particles;
    PHXI_ARRAY(phxi_definition) definitions; // of everything in it, as it was made
    PHXI_ARRAY(phx_material_def) materials;
    PHXI_ARRAY(phxi_body) bodies;
    PHXI_ARRAY(phxi_solver) solvers;
    PHXI_ARRAY(phxi_collider) colliders;
    PHXI_ARRAY(phxi_mesh_field) mesh_fields; // of colliders; colliders of the same mesh share one
    PHXI_ARRAY(phxi_driver) drivers;         // by id index; gaps are not `used`
    PHXI_ARRAY(phxi_probe) probes;
    PHXI_ARRAY(phx_field_info) fields;       // of the methods, besides those of the world
    PHXI_ARRAY(phxi_body_extremes) extremes; // by body
    PHXI_ARRAY(phxi_birth) births;           // in order, so that a new world of the same plan can repeat them
    phxi_pairs* pairs;                       // contact between particles
    phxi_pairs* implicit_pairs;              // the same between bodies with implicit steps
    phxi_friction_memory friction_memory;    // friction memory of particle pairs; each collider has its own
    const phxi_contact_scene* scene;         // of the implicit bodies, in this substep; NULL: they cannot touch
    const bool* has_explicit_contact;        // by body, in this substep: whether others touch it
    const phxi_boundary_view* boundaries;    // by body, in this substep
    PHXI_ARRAY(phxi_mat3) rails;             // of the particles, in this substep
    phxi_collider_push* pushes;              // by collider, in this substep; NULL: nobody asks
    phx_vec3* body_pushes;                   // N on each body (phxi_body_push), in this substep; NULL: no probe asks
    phxi_driver_hold* holds;                 // by driver, in this substep
    phx_real* late_force[3];                 // in this substep, see phxi_step; NULL: nothing
    phxi_rigid_grip** grips;                 // by rigid body: where colliders hold it; NULL: nowhere
    struct {
        int bodies, colliders; // already checked for overlap, see overlap.c
    } looked;
    bool overlapping;         // there may be particles with an `overlap`
    phx_real* still_overlaps; // in this substep, by particle, m: how deep the bodies were that it is in; NULL: none was
    bool watched;             // forces on walls are needed after this substep
    phxi_implicit_statics* statics; // an equilibrium is looked for: statics.c; NULL: none is
    phxi_near near;                 // neighbours in space, of bodies with a reach
    phxi_world_heat heat;
    uint8_t* snapshot; // the state at the start of a phx_world_step
    size_t snapshot_capacity;
    phxi_id_pool material_ids, body_ids, collider_ids, driver_ids, probe_ids;
    double time;
    int64_t substeps;
    double last_dt;
    struct {
        uint64_t held_by; // which drivers hold, when `grip` of the particles was found
        bool unknown;     // it has to be found again
        int changes;      // how often it was another
    } clamps;
    double past_work; // J done by drivers that were destroyed
    phxi_energy_guard energy;
};

/// What a solver is given; -1: what no solver in particular is given.
phxi_step phxi_world_context(phx_world* world, int solver);
/// Adds a solver of a method that need not be in the method table; phx_body_create then finds it by name.
phx_result phxi_world_add_solver(phx_world* world, const phxi_method* method);
/// Checks a name and copies it; `what` is "body", "driver", ...
phx_result phxi_name_copy(char copy[PHXI_NAME_SIZE], const char* what, const char* name);
/// Checks the stamp of a definition; `what` is "body", ...
phx_result phxi_stamp_check(uint32_t stamp, uint32_t wanted, const char* what);
/// state.c: velocities of a solver's bodies, or all of its state, were set from outside.
phx_result phxi_world_restore_solver(phx_world* world, int solver);
/// contact.c: who is bonded to whom in a body.
phxi_bond_view phxi_world_bonds(phx_world* world, int body);
/// A body by name; if there is none, NULL and an error that suggests similar names.
const phxi_body* phxi_world_find_body(const phx_world* world, const char* name);

/// Particles of `body` (NULL: all) whose position at creation is in `region` (NULL: everywhere) and on the face that
/// looks along `face` (NULL: also inside). None is an error.
phx_result phxi_group_init(phxi_group* group, phx_world* world, const char* body, const char* region, const char* face);
/// The direction of a face as text, zero for NULL and ""; the area of a particle of such a face (zero: of any).
phx_result phxi_face_parse(phxi_heap* heap, const char* text, phx_vec3* normal);
phx_vec3 phxi_face_area(const phxi_particles* particles, int i, phx_vec3 normal);
void phxi_group_destroy(phxi_group* group, phxi_heap* heap);

/// Implements phxi_step.grow. All or nothing.
phx_result phxi_world_grow(phx_world* world, int body, const int* parents, int count);
/// Makes the list of births equal to this one: reverts those that differ and repeats those that are missing.
/// PHX_ERROR_FORMAT if the list is impossible.
phx_result phxi_world_set_births(phx_world* world, const phxi_birth* births, int count);
/// Updates what limits contact with a body after its masses have changed.
void phxi_world_renew_extremes(phx_world* world, int body);

/// Before the solvers: opens and closes windows, puts fixed particles where they will be at the end of the substep,
/// adds forces. After the solvers: reactions and work.
phx_result phxi_drivers_begin(phx_world* world, double dt);
phx_result phxi_drivers_end(phx_world* world, double dt);
/// loads.c: whether a driver is a load; the force of each of its particles at full strength, N, in the arena.
/// Refuses loads that its particles cannot take.
bool phxi_driver_loads(const phx_driver_def* def);
phx_result phxi_load_check(phx_world* world, const phxi_driver* driver);
phx_result phxi_load_units(phx_world* world, const phxi_driver* driver, phx_vec3** units);
/// pressure.c: a load that stays across the surface as it turns and stretches.
phx_result phxi_pressure_units(phx_world* world, const phxi_driver* driver, phx_vec3* units);
/// muscle.c: writes the forces of muscle and water on each particle to the driver's reactions.
void phxi_muscle_forces(phx_world* world, phxi_driver* driver, double dt);
/// wind.c: writes the force of the wind on each particle to the driver's reactions.
phx_result phxi_wind_forces(phx_world* world, phxi_driver* driver, double dt);
/// Whether a driver holds or moves a kinematic body: its reaction and work then need the forces on it.
bool phxi_drivers_move_walls(const phx_world* world);

/// Whether a driver decides where its particles are, or some directions of it.
bool phxi_driver_fixes(const phx_driver_def* def);
/// clamps.c: `grip` of the particles, and the bodies that end at clamps, as the windows of drivers have them.
phx_result phxi_clamps_update(phx_world* world);
/// Logs where the clamps of a new driver begin, if that is not the surface of its region.
phx_result phxi_clamps_tell(phx_world* world, const phxi_driver* driver, const char* region, const char* face);

/// A substep belongs to a window if its middle does.
bool phxi_driver_active(const phx_driver_def* def, double time, double dt);
/// motion.c: the ramp s of a driver with its derivatives and integral; and the motion it prescribes,
/// x = center + rotation (X - center) + shift, with its rates.
typedef struct phxi_ramp {
    double value, rate, second, integral;
} phxi_ramp;
typedef struct phxi_motion {
    phx_vec3 center, shift, velocity, spin, acceleration, spin_rate;
    phxi_mat3 rotation;
} phxi_motion;
phxi_ramp phxi_driver_ramp(const phx_driver_def* def, double time);
phxi_motion phxi_driver_motion(const phxi_driver* driver, double time);
/// Displacement of a point (exactly zero for a pin, whatever the centre); velocity at `position`.
phx_vec3 phxi_motion_displacement(const phxi_motion* motion, phx_vec3 start);
phx_vec3 phxi_motion_velocity(const phxi_motion* motion, phx_vec3 position);

/// start_fields.c: adds the velocities of a formula; what a formula (NULL: none) adds to the temperature at a place.
phx_result phxi_start_velocities(phxi_heap* heap, phxi_particles* p, const phxi_body* body, const char* text);
phx_result phxi_start_temperature_parse(phxi_heap* heap, const char* text, phxi_expression** field);
double phxi_start_temperature(const phxi_expression* field, phx_vec3 position);
/// symmetry.c: whether a body can be one side of a mirrored one; holds it at its planes.
phx_result phxi_symmetry_check(const phx_body_def* def, const phxi_method* method, const phxi_samples* samples);
phx_result phxi_symmetry_hold(phx_world* world, const phx_body_def* def, int body);

// plane.c
/// The axis across a slice, -1 for what is none; refuses what its method or its shape cannot be.
phx_result phxi_plane_find(const phx_body_def* def, const phxi_method* method, const phxi_samples* samples, int* axis);
phx_result phxi_plane_hold(phx_world* world, const phx_body_def* def, int body, int axis);
/// rollers.c: drivers that hold particles along some directions only: which these are; before and after the solvers.
phx_result phxi_roller_init(phxi_driver* driver, phx_world* world, const phx_driver_def* def);
phx_result phxi_roller_begin(phx_world* world, phxi_driver* driver, const phxi_motion* before, const phxi_motion* after,
                             double dt);
phx_result phxi_roller_end(phx_world* world, phxi_driver* driver, const phxi_motion* before, const phxi_motion* after);

/// collider_drivers.c: builds or finds the distance field of a collider's mesh, and its hash; NULL and 0 without a
/// mesh.
phx_result phxi_world_collider_field(phx_world* world, const phx_collider_def* def, const phxi_distance_field** field,
                                     uint64_t* mesh);
/// Sets up a driver that moves a collider; poses before the solvers; reactions and work after them.
phx_result phxi_collider_driver_init(phxi_driver* driver, phx_world* world, const phx_driver_def* def);
phx_result phxi_collider_drivers_begin(phx_world* world, double dt);
void phxi_collider_drivers_end(phx_world* world, double dt);
/// probes.c: makes room for what probes ask of colliders in a substep, and notes it afterwards; what one knows of its
/// collider; which collider and body a definition means.
phx_result phxi_probes_begin(phx_world* world);
void phxi_probes_end(phx_world* world, double dt);
phx_result phxi_probe_contact(const phx_world* world, const phxi_probe* probe, phx_totals* totals);
phx_result phxi_probe_find_collider(phx_world* world, const phx_probe_def* def, phxi_probe* probe);

/// Whether it is a driver of heat (heat.c); its ramp times its profile at `time`; and the mean of these over a
/// substep, for a particle that started at `place`, 0 outside of its window.
bool phxi_driver_heats(const phx_driver_def* def);
double phxi_driver_share(const phxi_driver* driver, double time);
double phxi_driver_mean_share(const phxi_driver* driver, phx_vec3 place, double from, double to);
/// The part of a time that its window covers.
double phxi_driver_covered(const phx_driver_def* def, double from, double to);
/// How a driver pushes a particle by the forces of this substep: the part of their time that its window covers, the
/// mean share over that part, the mean over all of it, and how much more it is over this substep alone (bodies that
/// leap-frog). The same for all particles of a body unless its profile is local.
typedef struct phxi_push {
    double covered, share, mean, late;
} phxi_push;
phxi_push phxi_driver_push(phx_world* world, const phxi_driver* driver, int particle, double dt);

/// heat.c: thermal properties of a body; called when a body was added; lowers the substep for heat.
phxi_heat_body phxi_world_heat_body(const phxi_body* body);
void phxi_world_heat_added(phx_world* world, const phxi_body* body);
void phxi_world_limit_heat(const phx_world* world, phx_dt_info* info);
/// A substep of dt for heat, which may accumulate time and catch up later, unless `last`.
phx_result phxi_world_advance_heat(phx_world* world, double dt, bool last);
/// expansion.c: how much longer particles are by a share of their warmth; the same after heat has flowed, which notes
/// the energy that it takes.
void phxi_world_expand(phx_world* world, double share);
phx_result phxi_world_expand_by_heat(phx_world* world);
/// Finds neighbours in space: of all bodies, with a reach of at least `least` spacings; 0: only of bodies with a reach.
phx_result phxi_world_update_neighbors(phx_world* world, phxi_near* near, double least);
/// fields.c: a field of `fields`, for all particles; those without it get its value at rest. Volumes over those at
/// rest, likewise; false: no method knows them.
void phxi_world_derive(phx_world* world, const phx_field_info* info, phx_real* values);
bool phxi_world_volume_ratios(phx_world* world, phx_real* values);

/// Internal force on particle i (zero if its method does not store it); gravity and, unless its body is rigid, contact
/// with colliders at its current position. N.
phx_vec3 phxi_internal_force(const phx_world* world, int i);
phx_vec3 phxi_outer_force(const phx_world* world, int i);

/// rigid.c: whether a body is rigid; its description for contact, with gravity and these forces on it (NULL: none).
/// reach.c: sets how far the particles of a new body reach, from their areas.
phx_result phxi_world_find_reach(phx_world* world, const phxi_body* body);
bool phxi_world_is_rigid(const phx_world* world, int body);
phxi_contact_rigid phxi_world_rigid(phx_world* world, int body, phx_real* const loads[3]);
/// Adds pushes of colliders on all rigid bodies in a substep of dt; with `energy`, those of the current state and their
/// energy by particle. Then, once particle contact is known, friction.
phx_result phxi_world_collide_rigid(phx_world* world, double dt, phx_real* const force[3], double* energy);
void phxi_world_hold_rigid(phx_world* world, phx_real* const force[3]);

/// contact.c: adds contact forces between particles to `force`, for a substep of dt; prepares what implicit steps need
/// to find their contacts.
phx_result phxi_world_touch(phx_world* world, double dt, phx_real* const force[3]);
/// A zeroed force array for all particles, in the arena.
phx_result phxi_world_take_forces(phx_world* world, phx_real* force[3]);
/// The same for the current state, with forces of colliders on rigid bodies, and the stored energy: by particle, in the
/// arena. NULL where nothing can touch.
typedef struct phxi_pair_forces {
    phx_real* force[3]; // N
    double* energy;     // J
} phxi_pair_forces;
phx_result phxi_world_touch_now(phx_world* world, phxi_pair_forces* touch);
/// Whether anything could ever touch.
bool phxi_world_could_touch(const phx_world* world);
/// implicit.c: the implicit step of a body, s; 0: it has none. Lowers info->dt to it; takes it, for all bodies.
double phxi_world_implicit_dt(phx_world* world, int body);
/// Whether the forces of a substep act on a body for all of it. Those that leap-frog or are moved as one give them half
/// of this substep and half of the last one (motion/explicit.h).
bool phxi_world_kicks_plainly(phx_world* world, int body);
void phxi_world_limit_implicit(phx_world* world, phx_dt_info* info);
phx_result phxi_world_advance_implicit(phx_world* world, double dt);
/// step.c: the error that names what is not finite.
phx_result phxi_world_report(const phx_world* world, const phxi_trouble* trouble, double dt);
/// overlap.c: before contact, checks what was added to the world; afterwards, which particles are free again.
/// contact.c: the check between bodies.
phx_result phxi_world_find_overlap(phx_world* world);
void phxi_world_end_overlap(phx_world* world, double dt);
phx_result phxi_world_scan_overlap(phx_world* world, int first_new, phxi_overlap_report* report);
/// approach.c: lowers info->dt where bodies approach fast, and sets the reason.
phx_result phxi_world_limit_approach(phx_world* world, phx_dt_info* info);
/// Lowers info->stable to what is stable for contact between particles, and sets the reason. `inner`: the step that
/// methods allow.
void phxi_world_limit_touch(phx_world* world, phx_dt_info* info, double inner);
/// The stable step of a contact spring of rate k / m, 1/s^2, on a particle that its own body lets take `inner`. At
/// 1 / omega, half of what an explicit scheme can take, there is room for elastic forces. Springs of the surface are
/// too stiff to waste that: they take what elastic forces leave (squares of frequencies add up), and a quarter less.
double phxi_world_spring_dt(double rate, double inner, bool surface);

/// Measures what there is, unless it is known; then, after substeps: PHX_ERROR_UNSTABLE if there is more motion than
/// that and what was put in since. Whoever changes the state from outside sets world->energy.known to false.
phx_result phxi_energy_guard_begin(phx_world* world);
phx_result phxi_energy_guard_check(phx_world* world);

/// Saves the state (saved fields and the items below) in memory; restores it.
/// Steps of a search for an equilibrium are so long that inertia counts for nothing, s.
#define PHXI_STATICS_DT 1e6
/// Only what a static state depends on: world->statics is set. The world's clock goes on.
phx_result phxi_world_static_substep(phx_world* world, double dt);
phx_result phxi_snapshot_take(phx_world* world);
phx_result phxi_snapshot_restore(phx_world* world);

/// Named numbers of a checkpoint besides births, particle fields and packed state, in a fixed order: time, substeps,
/// solver words, state of drivers. io/checkpoint.c saves and restores through it.
/// What its numbers may be is for whoever reads them from a file.
typedef enum phxi_item_kind {
    PHXI_ITEM_NUMBERS, // double: finite
    PHXI_ITEM_REALS,   // phx_real: finite
    PHXI_ITEM_TIME,    // double: from 0, finite
    PHXI_ITEM_STEPS,   // int64_t: from 0
    PHXI_ITEM_COUNT,   // int: from 0 to `most`
} phxi_item_kind;
typedef struct phxi_state_item {
    char name[96];
    void* data;
    size_t size;
    phxi_item_kind kind;
    int most;
} phxi_state_item;
/// Item i of the world's state, false past the end.
bool phxi_world_state_item(phx_world* world, int i, phxi_state_item* item);
/// Friction memory: of particle pairs, then of each collider.
int phxi_world_friction_memories(const phx_world* world);
phxi_friction_memory* phxi_world_friction_memory(phx_world* world, int k);
/// Packed state in `phxi_world_packed_count` parts: of each solver, then friction memory. Its size (false: no such
/// part, or nothing to pack); packing; unpacking.
int phxi_world_packed_count(const phx_world* world);
bool phxi_world_packed_size(const phx_world* world, int s, size_t* size);
void phxi_world_pack(const phx_world* world, int s, uint8_t* bytes);
phx_result phxi_world_unpack(phx_world* world, int s, const uint8_t* bytes, size_t size);
/// Renews caches after a restore.
phx_result phxi_world_restored(phx_world* world);
/// definition.c: makes room for a definition; adds it (`text` is the world's from now on); takes it away; all of that
/// for the values of a table.
phx_result phxi_definition_reserve(phx_world* world);
void phxi_definition_add(phx_world* world, phxi_definition_kind kind, int index, char* text);
void phxi_definition_drop(phx_world* world, phxi_definition_kind kind, int index);
phx_result phxi_definition_table(phx_world* world, phxi_definition_kind kind, const char* section, const char* name,
                                 int index, const phx_param_table* table, const void* values);
/// The line of a mesh; NULL: there is none.
void phxi_record_mesh(phxi_record* record, const phx_mesh* mesh);
/// All definitions as one text in a block of `heap`, NULL when memory runs out; its hash. A checkpoint fits only a
/// world with the same text, but for what the rules let pass.
char* phxi_world_definition(const phx_world* world, phxi_heap* heap);
uint64_t phxi_world_plan(const phx_world* world);
extern const phxi_record_rule phxi_definition_rules[];
