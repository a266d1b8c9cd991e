// SPDX-License-Identifier: MIT
// The world: owns particles, bodies, solvers, colliders, drivers, probes; runs the step (step.c).
//
//   world.c    create, destroy, materials, colliders, ids      body.c     sampling, solvers, velocities
//   tables.c   parameter tables and defaults of definitions    group.c    particles by body and region
//   step.c     substeps, their size, and what stops them       drivers.c  pins, pulls, twists; reaction and work
//   motion.c   rigid motions of drivers                        obstacles.c  drivers that move colliders
//   measure.c  totals       fields.c  named arrays             state.c    hash, plan, snapshot, checkpoint items
//   grow.c     particles that methods add to bodies on the way contact.c  particles that touch
//   approach.c how fast things come together                   rigid.c    bodies that move as one, for contact
//   heat.c     when heat flows, between whom and from where    muscle.c   drivers that swim
//   overlap.c  what was put into something else                implicit.c  the implicit step of all bodies at once
//
// A body is a range of particles. Bodies come at the end of the store, by phx_body_create; a body grows at the end of
// its range, by grow.c, which moves all that comes later and everything that points there.
#pragma once

#include <phyxel/world.h>
#include "contact/collider.h"
#include "core/id_pool.h"
#include "heat/heat.h"
#include "methods/method.h"

extern const phx_param_table phxi_world_table, phxi_body_table, phxi_driver_table, phxi_probe_table;
#define PHXI_WORLD_STAMP  0x574f5231u
#define PHXI_BODY_STAMP   0x424f4431u
#define PHXI_DRIVER_STAMP 0x44524931u
#define PHXI_PROBE_STAMP  0x50524f31u

enum { PHXI_NAME_SIZE = 64 };
/// Words of phx_world_def.contact.
enum { PHXI_PENALTY, PHXI_PROJECTION };

/// One solver a method. Methods that keep the acceleration by their internal forces (PHXI_MOTION_ACCELERATION) get
/// reactions and work of drivers and the field "force"; of others the internal force counts as zero there.
typedef struct phxi_solver {
    const phxi_method* method;
    void* state;
    PHXI_ARRAY(int) own; // bodies
} phxi_solver;

/// Particles chosen once, by body and region, when the driver or probe is made (bodies created later are not in it).
typedef struct phxi_group {
    int* indices; // ascending
    int count;
} phxi_group;

/// The distance of a mesh, by what it was made from.
typedef struct phxi_mesh_field {
    uint64_t mesh;     // hash
    double resolution; // asked for, in the mesh's own size
    phxi_distance_field* field;
} phxi_mesh_field;

typedef enum phxi_window { PHXI_WINDOW_WAITING, PHXI_WINDOW_OPEN, PHXI_WINDOW_CLOSED } phxi_window;

/// Of a rigid thing: x = rotation X + shift.
typedef struct phxi_rigid_place {
    phxi_mat3 rotation;
    phx_vec3 shift;
} phxi_rigid_place;

typedef struct phxi_driver {
    phx_driver_def def; // texts NULL; start is not before the time it was made
    char name[PHXI_NAME_SIZE];
    phxi_group group;
    double mass;         // kg, of the group
    phx_real* start;     // 3 a particle, when the window opened: where they were; of hold_temperature: degrees C first
    phx_real* reactions; // 3 a particle: N, what the driver exerted in the last substep
    int window;          // phxi_window
    double work;         // J so far
    phx_vec3 couple;     // N m, of frames that turn with its particles, on it, at the end of the last substep
    bool moves_collider; // number `collider`, and no particles: the group is empty
    int collider;
    struct {
        phxi_rigid_place from; // when the window opened
        phx_vec3 reaction;     // N, what the driver exerted in the last substep
        double power, end;     // W, of its collider: phxi_collider_push.power and .last of that
    } held;
    bool used;
} phxi_driver;

typedef struct phxi_probe {
    char name[PHXI_NAME_SIZE];
    phxi_group group;
    uint8_t* selected; // one a particle, for those that were there when it was made
    int selected_count;
    double every;
} phxi_probe;

/// What limits contact with a body's particles: mass of the lightest, and the largest V / (a^2 m); the smallest a; the
/// largest V / a^2. The mass is what a contact moves: of rigid bodies more than a particle.
typedef struct phxi_body_extremes {
    double mass, ratio, spacing, stiffest; // kg, m/kg, m, m
} phxi_body_extremes;

/// A particle that came while the world moved: a copy of particle `parent` of its body.
typedef struct phxi_birth {
    int body, parent;
} phxi_birth;

/// Heat's own: see heat.c.
typedef struct phxi_world_heat {
    phxi_heat heat;
    phxi_near near;                    // of all bodies, where not all of them look around in space
    PHXI_ARRAY(phxi_heat_body) bodies; // by body
    double coldest, hottest;           // degrees C, of all particles when they were made
    int births;                        // of the world, when `near` was made
    struct {
        double pending, travelled; // s since heat was advanced, and m that the fastest have gone
        phxi_heat_gain gain;       // J so far
    } state;
} phxi_world_heat;

struct phx_world {
    phxi_heap heap;
    phxi_arena arena;
    phxi_pool* pool;
    phx_world_def def;
    phxi_particles particles;
    PHXI_ARRAY(phx_material_def) materials;
    PHXI_ARRAY(phxi_body) bodies;
    PHXI_ARRAY(phxi_solver) solvers;
    PHXI_ARRAY(phxi_collider) colliders;
    PHXI_ARRAY(phxi_mesh_field) mesh_fields; // of colliders; two of the same mesh share one
    PHXI_ARRAY(phxi_driver) drivers;         // by id index; gaps are not `used`
    PHXI_ARRAY(phxi_probe) probes;
    PHXI_ARRAY(phx_field_info) fields;       // that methods add to those of the world
    PHXI_ARRAY(phxi_body_extremes) extremes; // by body
    PHXI_ARRAY(phxi_birth) births;           // in their order: what to repeat in a new world of the same plan
    phxi_pairs* pairs;                       // who may touch whom
    phxi_pairs* implicit_pairs;              // the same among bodies with implicit steps
    phxi_slips slips;                // of particles that touch: what friction remembers; colliders have their own
    const phxi_contact_scene* scene; // of these, in this substep; NULL: they cannot touch
    const bool* pushed;              // by body, in this substep: others touch it
    phxi_collider_push* pushes;      // by collider, in this substep; NULL: none is driven
    phxi_driver_hold* holds;         // by driver, in this substep
    phxi_rigid_grip** grips;         // by body that moves as one: where colliders hold it; NULL: nowhere
    struct {
        int bodies, colliders; // of the world, that were looked at when they came: see overlap.c
    } looked;
    bool overlapping; // there may be particles with an `overlap`
    uint8_t* deep;    // in this substep, by particle: still is in another body; NULL: none was
    bool watched;     // after this substep forces on walls are looked at
    phxi_near near;   // who is near whom in space, of bodies with a reach
    phxi_world_heat heat;
    uint8_t* snapshot; // the state at the start of a phx_world_step
    size_t snapshot_capacity;
    phxi_id_pool material_ids, body_ids, collider_ids, driver_ids, probe_ids;
    double time;
    int64_t substeps;
    double last_dt;
    double past_work; // J done by drivers that are gone
};

/// What a solver is given; -1: what no solver in particular is given.
phxi_step phxi_world_context(phx_world* world, int solver);
/// Adds a solver of a method that need not be in the table: phx_body_create finds it by the method's name.
phx_result phxi_world_add_solver(phx_world* world, const phxi_method* method);
/// Checks a name and copies it; `what` is "body", "driver", ...
phx_result phxi_name_copy(char copy[PHXI_NAME_SIZE], const char* what, const char* name);
/// The definition is stamped; `what` is "body", ...
phx_result phxi_stamp_check(uint32_t stamp, uint32_t wanted, const char* what);
/// Body by name, NULL and an error with a did-you-mean.
const phxi_body* phxi_world_find_body(const phx_world* world, const char* name);

/// Particles of `body` (NULL: all) whose position at creation is in `region` (NULL: everywhere). None is an error.
phx_result phxi_group_init(phxi_group* group, phx_world* world, const char* body, const char* region);
void phxi_group_destroy(phxi_group* group, phxi_heap* heap);

/// What a solver's step->grow does: see methods/method.h. All or nothing.
phx_result phxi_world_grow(phx_world* world, int body, const int* parents, int count);
/// Makes the births of the world these: takes back those that differ, repeats those that lack. PHX_ERROR_FORMAT if they
/// cannot have happened.
phx_result phxi_world_set_births(phx_world* world, const phxi_birth* births, int count);
/// Masses of a body have changed: renews what limits contact with it.
void phxi_world_renew_extremes(phx_world* world, int body);

/// Before the solvers: opens and closes windows, fixes particles at where they are to be at the end of the substep,
/// adds forces. After them: reactions and work.
phx_result phxi_drivers_begin(phx_world* world, double dt);
phx_result phxi_drivers_end(phx_world* world, double dt);
/// muscle.c: what a muscle does to each of its particles, and water, into the driver's reactions.
void phxi_muscle_forces(const phx_world* world, phxi_driver* driver);
/// wind.c: what wind does to each of its particles, into the driver's reactions.
phx_result phxi_wind_forces(phx_world* world, phxi_driver* driver, double dt);
/// Whether bodies that move by drivers alone are held or moved by one: its reaction and work need forces on them.
bool phxi_drivers_move_walls(const phx_world* world);

/// A substep belongs to a window if its middle does.
bool phxi_driver_active(const phx_driver_def* def, double time, double dt);
/// motion.c: how far a driver's ramp is, ds/dt, d2s/dt2 and the integral of s; and where it has moved things,
/// x = center + rotation (X - center) + shift, with its rates.
typedef struct phxi_ramp {
    double value, rate, second, integral;
} phxi_ramp;
typedef struct phxi_motion {
    phx_vec3 center, shift, velocity, spin, acceleration, spin_rate;
    phxi_mat3 rotation;
} phxi_motion;
phxi_ramp phxi_driver_ramp(const phx_driver_def* def, double time);
phxi_motion phxi_driver_motion(const phx_driver_def* def, double time);
/// Relative to where it was, exactly zero for a pin whatever the centre; and how fast it is at `position`.
phx_vec3 phxi_motion_displacement(const phxi_motion* motion, phx_vec3 start);
phx_vec3 phxi_motion_velocity(const phxi_motion* motion, phx_vec3 position);

/// obstacles.c: the distance of a collider's mesh, made or found, and the hash of the mesh; NULL, 0: it has none.
phx_result phxi_obstacle_field(phx_world* world, const phx_collider_def* def, const phxi_distance_field** field,
                               uint64_t* mesh);
/// A driver that moves a collider; before the solvers, and after: poses, reactions, work.
phx_result phxi_obstacle_init(phxi_driver* driver, phx_world* world, const phx_driver_def* def);
phx_result phxi_obstacles_begin(phx_world* world, double dt);
void phxi_obstacles_end(phx_world* world, double dt);

/// Whether it is a driver of heat, which heat.c asks for; its ramp at `time`, 0 to 1; and the integral of its ramp over
/// its window up to `time`, s.
bool phxi_driver_heats(const phx_driver_def* def);
double phxi_driver_share(const phx_driver_def* def, double time);
double phxi_driver_ramped(const phx_driver_def* def, double time);

/// heat.c: what heat knows of a body; a body has come, with its particles; the largest substep.
phxi_heat_body phxi_world_heat_body(const phxi_body* body);
void phxi_world_heat_added(phx_world* world, const phxi_body* body);
void phxi_world_limit_heat(const phx_world* world, phx_dt_info* info);
/// A substep of dt for heat, which may let time pass and catch up later; `last`: it must not.
phx_result phxi_world_advance_heat(phx_world* world, double dt, bool last);
/// Neighbours in space of all bodies, each with its reach but at least this one (spacings). 0: without those without.
phx_result phxi_world_look_around(phx_world* world, phxi_near* near, double least);
/// fields.c: a field of `fields`, for all particles; those without it get what they have at rest.
void phxi_world_derive(phx_world* world, const phx_field_info* info, phx_real* values);

/// What its method exerts on particle i (zero if the method does not tell); and gravity and, unless its body moves as
/// one, contact with colliders where it is now. N.
phx_vec3 phxi_internal_force(const phx_world* world, int i);
phx_vec3 phxi_outer_force(const phx_world* world, int i);

/// rigid.c: whether a body moves as one; and how, with gravity and these forces on it (NULL: none).
bool phxi_world_is_rigid(const phx_world* world, int body);
phxi_contact_rigid phxi_world_rigid(phx_world* world, int body, phx_real* const loads[3]);
/// Adds pushes of colliders on all that move as one, in a substep of dt; with `energy` as things are now, of which it
/// adds what is in it, by particle. Then, when contact of particles is known, friction.
phx_result phxi_world_collide_rigid(phx_world* world, double dt, phx_real* const force[3], double* energy);
void phxi_world_hold_rigid(phx_world* world, phx_real* const force[3]);

/// contact.c: adds what particles that touch exert on each other, for a substep of dt, to force; makes ready what
/// implicit steps need to find it out themselves.
phx_result phxi_world_touch(phx_world* world, double dt, phx_real* const force[3]);
/// Room for a force on every particle, zero, of the arena.
phx_result phxi_world_take_forces(phx_world* world, phx_real* force[3]);
/// The same where they are now, with what colliders exert on bodies that move as one, and the energy that is in it: by
/// particle, of the arena. NULL where nothing can touch.
typedef struct phxi_pair_forces {
    phx_real* force[3]; // N
    double* energy;     // J
} phxi_pair_forces;
phx_result phxi_world_touch_now(phx_world* world, phxi_pair_forces* touch);
/// Whether anything could touch, whatever it does.
bool phxi_world_could_touch(const phx_world* world);
/// implicit.c: the implicit step of a body, s; 0: it has none. Lowers info->dt to it; takes it, for all bodies.
double phxi_world_implicit_dt(phx_world* world, int body);
void phxi_world_limit_implicit(phx_world* world, phx_dt_info* info);
phx_result phxi_world_advance_implicit(phx_world* world, double dt);
/// step.c: the error that names what is not finite.
phx_result phxi_world_report(const phx_world* world, const phxi_trouble* trouble, double dt);
/// overlap.c: before contact, looks at what is new in the world; after it, who is out again. contact.c: at bodies.
phx_result phxi_world_find_overlap(phx_world* world);
void phxi_world_end_overlap(phx_world* world, double dt);
phx_result phxi_world_scan_overlap(phx_world* world, int first_new, phxi_overlap_report* report);
/// approach.c: lowers info->dt where things come together fast, and says why.
phx_result phxi_world_limit_approach(phx_world* world, phx_dt_info* info);
/// The largest substep that is stable for contact between particles; lowers info->stable and says why.
void phxi_world_limit_touch(phx_world* world, phx_dt_info* info);

/// Keeps the state (saved fields and items below); puts it back.
phx_result phxi_snapshot_take(phx_world* world);
phx_result phxi_snapshot_restore(phx_world* world);

/// What is in a checkpoint besides births, particle fields and what solvers pack: named numbers, in a fixed order.
/// Visits time, substeps, solver words, drivers' state. io/checkpoint.c saves and restores through it.
typedef struct phxi_state_item {
    char name[96];
    void* data;
    size_t size;
} phxi_state_item;
/// Item i of the world's state, false past the end.
bool phxi_world_state_item(phx_world* world, int i, phxi_state_item* item);
/// What friction remembers: of particles that touch, then of each collider.
int phxi_world_slips_count(const phx_world* world);
phxi_slips* phxi_world_slips(phx_world* world, int k);
/// What is packed, `phxi_world_packed_count` parts: by solver s, then what friction remembers. Its size; into memory.
/// False if there is no such part, or a solver packs nothing.
int phxi_world_packed_count(const phx_world* world);
bool phxi_world_packed_size(const phx_world* world, int s, size_t* size);
void phxi_world_pack(const phx_world* world, int s, uint8_t* bytes);
phx_result phxi_world_unpack(phx_world* world, int s, const uint8_t* bytes, size_t size);
/// After a restore: renew caches.
phx_result phxi_world_restored(phx_world* world);
/// A number over how the world was built (bodies, methods, materials, counts): a checkpoint fits only the same one.
uint64_t phxi_world_plan(const phx_world* world);
