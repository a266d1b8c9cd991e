// SPDX-License-Identifier: MIT
/// Ids, definitions, parameter tables and views. SI units throughout; the comment of every field gives its unit and
/// default.
///
/// Create a definition (`*_def`) with its `_default()` function and change what differs. It is read during the call it
/// is passed to and never kept, so strings in it need to live only that long.
#pragma once

#include <phyxel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_vec3 {
    double x, y, z;
} phx_vec3;

typedef struct phx_world phx_world; ///< owns bodies, colliders, drivers and everything else that is simulated
typedef struct phx_mesh phx_mesh;   ///< triangles

/// Ids stay valid until their object is destroyed; a stale one and one of another world give
/// PHX_ERROR_STALE_ID. {0} is never valid.
typedef struct phx_material_id {
    int index;
    uint32_t generation;
} phx_material_id;
typedef struct phx_body_id {
    int index;
    uint32_t generation;
} phx_body_id;
typedef struct phx_collider_id {
    int index;
    uint32_t generation;
} phx_collider_id;
typedef struct phx_driver_id {
    int index;
    uint32_t generation;
} phx_driver_id;
typedef struct phx_probe_id {
    int index;
    uint32_t generation;
} phx_probe_id;

// ---------------------------------------------------------------------------------------------- parameter tables
// Every parameter of every definition has one entry in a table. The scene reader, --set, help and the reference pages
// are generated from these tables.

typedef enum phx_param_kind {
    PHX_PARAM_REAL,  ///< double
    PHX_PARAM_INT,   ///< int
    PHX_PARAM_BOOL,  ///< bool
    PHX_PARAM_VEC3,  ///< phx_vec3
    PHX_PARAM_WORD,  ///< int: the index of one of `words`
    PHX_PARAM_TEXT,  ///< const char*; NULL when not given
    PHX_PARAM_SHAPE, ///< const char*: a shape expression, see docs/guide/scene-format.md
    PHX_PARAM_WORDS, ///< const char*: a list of words, stored joined by spaces
} phx_param_kind;

typedef struct phx_param {
    const char* name;
    phx_param_kind kind;
    size_t offset;            ///< of the value in its struct
    const char* unit;         ///< "Pa", "m/s"; "" for pure numbers and texts
    const char* help;         ///< one line
    const char* initial;      ///< the default, as written in a scene; NULL: required; "": empty
    double minimum, maximum;  ///< inclusive, for REAL and INT and the components of VEC3
    bool exclusive;           ///< the minimum itself is not allowed (density > 0)
    const char* const* words; ///< for WORD, NULL terminated
} phx_param;

typedef struct phx_param_table {
    const char* name;    ///< "material", "body", "efg"
    const char* summary; ///< one line
    const phx_param* params;
    int count;
    size_t size; ///< of the struct
} phx_param_table;

/// A parameter by name, with its value as written in a scene.
typedef struct phx_setting {
    const char* name;
    const char* value;
} phx_setting;

// ---------------------------------------------------------------------------------------------------- definitions

typedef struct phx_world_def {
    phx_vec3 gravity;        ///< m/s^2; (0, 0, -9.81)
    double dt;               ///< s; fixed substep, 0: chosen from the stable step
    bool force_dt;           ///< use `dt` even if it is above the stable step; false
    double safety;           ///< fraction of the stable step to use; 0.9
    int threads;             ///< 0: one per processor
    phx_vec3 period;         ///< m; length after which the world repeats along each axis, 0: it does not; 0
    double air_temperature;  ///< degrees C; of the air that bodies with `exchange` lose heat to; 20
    int search;              ///< how neighbours in space are found: 0 grid, 1 octree; grid
    int contact;             ///< 0 penalty: springs, 1 projection: pushes that leave no overlap; penalty
    double compliance;       ///< m/N; projection: how far two particles give way under a push; 0
    double overlap_time;     ///< s; bodies created inside each other are moved apart in this time; 0.2
    phx_allocator allocator; ///< zeroed: malloc and free
    phx_log log;             ///< zeroed: silent
    uint32_t stamp;          ///< set by phx_world_def_default
} phx_world_def;

typedef enum phx_law {
    PHX_LAW_COROTATED,
    PHX_LAW_STVK,
    PHX_LAW_NEO_HOOKEAN,         ///< lambda/2 (ln J)^2
    PHX_LAW_NEO_HOOKEAN_SQUARE,  ///< lambda/2 (J-1)^2
    PHX_LAW_NEO_HOOKEAN_BOUNDED, ///< finite and restoring through inversion
    PHX_LAW_NEO_HOOKEAN_GENERAL, ///< isochoric part of I1, kappa/2 (J-1)^2
    PHX_LAW_MOONEY_RIVLIN,
    PHX_LAW_HENCKY,
    PHX_LAW_COUNT
} phx_law;

/// How the stress of a fluid follows from its rate of deformation.
typedef enum phx_flow {
    PHX_FLOW_NEWTONIAN,
    PHX_FLOW_POWER_LAW,
    PHX_FLOW_BINGHAM,
    PHX_FLOW_HERSCHEL_BULKLEY,
    PHX_FLOW_JUMP, ///< generalised Newtonian with a jump number that falls with temperature: solids that melt
    PHX_FLOW_COUNT
} phx_flow;

/// How friction angle and cohesion of Mohr and Coulomb become a cone of Drucker and Prager.
typedef enum phx_cone {
    PHX_CONE_REPOSE,      ///< a bed flows on a slope of the friction angle
    PHX_CONE_PLANE,       ///< the same strength in plane strain
    PHX_CONE_COMPRESSION, ///< the same strength in a compression test
    PHX_CONE_EXTENSION,   ///< the same strength in an extension test
    PHX_CONE_COUNT
} phx_cone;

/// The strain measure in which a solid yields and flows.
typedef enum phx_plasticity {
    PHX_PLASTICITY_GREEN,  ///< Green's, of the elastic part
    PHX_PLASTICITY_HENCKY, ///< the logarithmic one: with the law hencky, a return to the von Mises surface
    PHX_PLASTICITY_COUNT
} phx_plasticity;

/// What of a body that is computed with slower sound is that of the real one.
typedef enum phx_slowed_for {
    PHX_SLOWED_FOR_WAVES, ///< stress of waves over strength: what is pulled, or hit by its whole face at once
    PHX_SLOWED_FOR_BLOWS, ///< force of a blow over strength: what falls on round parts, whose contact grows
    PHX_SLOWED_FOR_COUNT
} phx_slowed_for;

typedef struct phx_material_def {
    const char* name;     ///< for messages; NULL: it has none
    double density;       ///< kg/m^3; 1000
    double young;         ///< Pa; 1e5
    double poisson;       ///< 0.3
    int law;              ///< phx_law; stvk
    double bound;         ///< stretch below which neo_hookean_bounded is linear; 0.1
    double mooney;        ///< share mu2/mu of mooney_rivlin; 0.25
    double damping;       ///< 1/s; rate at which velocity relative to the body's rigid motion decays; 0
    double restitution;   ///< implicit steps: speed after a blow over that before; the smaller one of two bodies; 0
    double yield;         ///< elastic strain (Frobenius norm of its deviator) above which it flows; 0: never
    double creep;         ///< 1/s; rate of the flow above yield; 0: at once
    double hardening;     ///< growth of `yield` with the plastic strain accumulated so far; 0
    double plastic_limit; ///< largest plastic strain (norm); 10
    bool volumetric;      ///< changes of volume flow too; false
    int plasticity;       ///< phx_plasticity; green
    double flow_rate;     ///< hencky: share of the excess over yield that flows in a substep; 0: all of it
    double strength;      ///< Pa; largest principal stress it withstands, 0: it never breaks; 0
    double toughness; ///< J/m^2; energy to open a crack, limits the strength to 0.75 sqrt(E G / spacing); 0: not used
    double strength_noise; ///< random part of the strength of each particle; 0.05
    double ductile_strain; ///< materials that flow: accumulated plastic strain at which they break; 0: never
    double sound_limit; ///< m/s; what can break in explicit steps is computed as if sound were no faster; 0: as it is
    int slowed_for;     ///< phx_slowed_for; what slower sound leaves as it is; waves
    // sand and slime
    double friction_angle; ///< degrees; how shear strength grows with pressure; 0
    double cohesion;       ///< Pa; shear strength without pressure (sand: at a saturation of 0.1); 0
    int cone;              ///< phx_cone; repose
    double saturation;     ///< share of the pores filled with water; cohesion grows with it up to 0.1; 0.1
    double tension;    ///< Pa; largest tension; -1: the apex of the cone, or 2 cohesion without a friction angle; -1
    double relaxation; ///< s; time constant with which its shear stress relaxes; 0: never
    double stiffening; ///< growth of its stiffness with density: exp(stiffening (rho/rho_0 - 1)); 0
    double softening;  ///< loss of cohesion where it has opened: exp(-softening (1 - exp(-opening))); 0
    // snow
    double critical_compression; ///< elastic down to a stretch of 1 - this; above 0: the material is snow; 0
    double critical_stretch;     ///< elastic up to a stretch of 1 + this; 0
    double packing;              ///< growth of its stiffness when packed: exp(packing (1 - J_p)); 0
    // fluids
    bool fluid;                 ///< a fluid, also if its viscosity is 0; false
    int flow;                   ///< phx_flow; newtonian
    double viscosity;           ///< Pa s; newtonian: the viscosity; bingham: above the yield stress; 0
    double consistency;         ///< Pa s^n; power_law, herschel_bulkley, jump: K; 100
    double flow_index;          ///< n of the same; 0.5
    double yield_stress;        ///< Pa; bingham, herschel_bulkley, jump: below it they hardly flow; 100
    double yield_stress_liquid; ///< Pa; the same at `liquidus`, linear in between; -1: yield_stress
    double solid_viscosity;     ///< Pa s; largest viscosity, at rest; not of newtonian and jump; 1e5
    double jump_solid;  ///< jump: jump number J at `solidus` and below, viscosity at rest (J + 1) tau_0 / rate; 2e4
    double jump_liquid; ///< jump: J at `liquidus` and above; 0
    int jump_scale;     ///< jump: J between them is 0 linear, 1 logarithmic in temperature; logarithmic
    // heat
    double conductivity;  ///< W/(m K); 0: it does not conduct
    double heat_capacity; ///< J/(kg K); 1000
    double solidus;       ///< degrees C; where it begins to melt; infinity
    double liquidus;      ///< degrees C; where it is liquid; above solidus, or infinity
    double latent_heat;   ///< J/kg; heat that melting takes between the two; 0
    double soften_from;   ///< degrees C; where it begins to soften; infinity
    double soften_to;     ///< degrees C; where it is softest; above soften_from, or infinity
    double soften_left;   ///< share of its stiffness left there; 0.01
    double exchange;      ///< W/(m^2 K) between its free surface and the air; 0
    double expansion;     ///< 1/K; how much longer it gets by a kelvin; 0
    uint32_t stamp;
} phx_material_def;

typedef enum phx_sampling {
    PHX_SAMPLING_UNIFORM,    ///< in the middle of cubic cells
    PHX_SAMPLING_BCC,        ///< body-centred cubic lattice
    PHX_SAMPLING_OCTREE,     ///< cells refined at the surface
    PHX_SAMPLING_VERTICES,   ///< at the corners of cubic cells: a box gets particles on its faces
    PHX_SAMPLING_POINTS,     ///< one at each vertex of the mesh, which is not filled: curved sheets and rods
    PHX_SAMPLING_BLUE_NOISE, ///< evenly spaced, without a lattice
    PHX_SAMPLING_CONFORMING, ///< on the surface, and on a lattice that fits the body inside
    PHX_SAMPLING_AUTO,       ///< conforming for solids that have a rest shape, else uniform
} phx_sampling;

/// Which axis of a mesh file is up.
typedef enum phx_up {
    PHX_UP_AUTO, ///< as its format says: y of glTF, z of all others
    PHX_UP_X,
    PHX_UP_Y,
    PHX_UP_Z,
} phx_up;

/// How a body takes part in heat.
typedef enum phx_thermal {
    PHX_THERMAL_CONDUCTS,  ///< exchanges heat by its material's conductivity
    PHX_THERMAL_FIXED,     ///< keeps its temperature: a hot plate, ice water
    PHX_THERMAL_INSULATED, ///< no heat passes
} phx_thermal;

/// What a thin body is a slice of.
typedef enum phx_slice {
    PHX_SLICE_NONE,   ///< of nothing: it moves freely; one layer of particles is a sheet of free thickness
    PHX_SLICE_STRAIN, ///< of something long: nothing moves along its thin axis, and its thickness stays
    PHX_SLICE_STRESS, ///< of a plate: nothing moves along its thin axis, no stress across, the thickness is free
} phx_slice;

typedef struct phx_body_def {
    const char* name;     ///< used by messages, drivers and probes; "body"
    const phx_mesh* mesh; ///< a closed mesh, read during the call; or NULL and
    const char* shape;    ///< a shape expression, "sphere(radius=0.1)"
    double scale;         ///< applied first; 1
    phx_vec3 rotate;      ///< degrees about x, then y, then z; 0
    phx_vec3 translate;   ///< m; 0
    double spacing;       ///< m; distance between particles; required
    int sampling;         ///< phx_sampling; auto
    int levels;           ///< octree: how many times a cell at the surface may be halved; 1
    phx_material_id material;
    const char* method;          ///< "efg"; NULL: the one its material is made for, see phx_material_method
    const phx_setting* settings; ///< parameters of the method
    int setting_count;
    phx_vec3 velocity;             ///< m/s; 0
    phx_vec3 angular_velocity;     ///< rad/s about the centre of mass; 0
    const char* velocity_field;    ///< "(-y, x, 0)": m/s, formulas of where a particle starts, added; NULL: nothing
    double jitter;                 ///< random displacement of particles, fraction of the spacing; 0
    bool contact;                  ///< touches other bodies that have it set too; true
    bool self_contact;             ///< touches itself, if its method knows which particles are bonded; false
    double friction;               ///< Coulomb coefficient; a pair of bodies uses the geometric mean; 0.3
    double contact_damping;        ///< fraction of critical; a pair uses the mean; 0.1
    double contact_stiffness;      ///< N/m, of two such particles; 0: half of Young's modulus times the spacing
    double temperature;            ///< degrees C, initial; 20
    phx_vec3 temperature_gradient; ///< K/m, initial: times the position, added to `temperature`; 0
    const char* temperature_field; ///< degrees C, a formula of where a particle starts, added; NULL: nothing
    int thermal;                   ///< phx_thermal; conducts
    double reference_temperature;  ///< degrees C; where it has the size it is made with; infinity: `temperature`
    const char* clamp; ///< region whose surface gets particles of its own (sampling conforming): what holds the region
                       ///< then acts right there; scenes fill it in from their drivers; NULL: none
    const char* symmetry; ///< "y": it is half of a body, mirrored at the plane y = 0; "x y"; NULL: a whole one
    int plane;            ///< phx_slice: a slice of plane strain or plane stress; none
    uint32_t stamp;
} phx_body_def;

typedef struct phx_collider_def {
    const char* name;     ///< "collider"
    const char* shape;    ///< what is solid, a shape expression; "plane()": the half space z < 0
    const phx_mesh* mesh; ///< or a mesh, read during the call; a warning if it is not closed; NULL
    double resolution;    ///< m; cell of the distance field of a mesh; 0: 1/96 of its size, or what fits in 48 MB
    double scale;         ///< applied first; 1
    phx_vec3 rotate;      ///< degrees about x, then y, then z; 0
    phx_vec3 translate;   ///< m; 0
    bool inside;          ///< keep particles inside the shape instead of outside; false
    double stiffness; ///< N/m per particle; 0: E V / (2 a^2), half of Young's modulus times the spacing of a full cell
    double damping;   ///< fraction of critical; 0.1
    double friction;  ///< Coulomb coefficient; 0.3
    uint32_t stamp;
} phx_collider_def;

typedef enum phx_driver_kind {
    PHX_DRIVER_PIN,              ///< held where they are when the window opens
    PHX_DRIVER_MOVE,             ///< displaced by `vector` (m) over the ramp, then held
    PHX_DRIVER_TWIST,            ///< rotated by `angle` (degrees) about the axis over the ramp, then held
    PHX_DRIVER_FORCE,            ///< a total force `vector` (N), shared by `share`
    PHX_DRIVER_VELOCITY,         ///< moved with velocity `vector` (m/s)
    PHX_DRIVER_CUT,              ///< a blade that moves with velocity `vector` (m/s) cuts bodies
    PHX_DRIVER_HEAT,             ///< `power` (W), shared by mass
    PHX_DRIVER_HOLD_TEMPERATURE, ///< kept at `temperature`
    PHX_DRIVER_SPOT, ///< a beam of `power` (W) and `radius` along `axis`, through `center`, moving with `vector` (m/s)
    PHX_DRIVER_BALL, ///< particles in a moving ball of `radius` and `temperature` take heat by `exchange`
    PHX_DRIVER_SPIN, ///< turned by `angle` degrees a second about the axis
    PHX_DRIVER_MUSCLE,   ///< swims along the axis: a wave of force `vector` (N) runs from head to tail, water drags
    PHX_DRIVER_WIND,     ///< wind of velocity `vector` (m/s) and density `air`, with gusts along the axis
    PHX_DRIVER_TORQUE,   ///< a couple of `torque` (N m) about the axis, shared by mass
    PHX_DRIVER_TRACTION, ///< `vector` (N/m^2) times the area at rest of the face `face`
    PHX_DRIVER_PRESSURE, ///< `pressure` (Pa) on the surface as it turns and stretches
} phx_driver_kind;

/// How a force is shared out.
typedef enum phx_share {
    PHX_SHARE_MASS, ///< to all particles of the group
    PHX_SHARE_AREA, ///< to those on the surface
} phx_share;

typedef struct phx_driver_def {
    const char* name;     ///< "driver"
    int kind;             ///< phx_driver_kind; pin
    const char* body;     ///< only particles of this body; NULL: of all bodies
    const char* region;   ///< a shape expression: particles whose start position is inside; NULL: all
    const char* face;     ///< only what of the surface looks along this: "-x", "(1, 0, 1)"; NULL: all, also inside
    const char* axes;     ///< pin, move, velocity: "x", "x y": held along these only, free along the others; NULL: all
    phx_vec3 normal;      ///< the same along one direction of any length; 0: all
    const char* collider; ///< moves this collider instead of particles (pin, move, velocity, twist, spin); NULL
    phx_vec3 vector;      ///< m, N or m/s, by kind; 0
    phx_vec3 axis;        ///< of a twist; (0, 0, 1)
    phx_vec3 center;      ///< a point on the axis, m; 0
    double angle;         ///< degrees (spin: a second); 0
    double torque;        ///< N m; of a torque; 0
    double pressure;      ///< Pa; of a pressure, inward; 0
    int share;            ///< phx_share; mass
    const char* profile;  ///< formula of t, x, y, z, or path of a .csv of times and values: times the strength; NULL
    double width;         ///< m; of the edge of a blade, along `axis` about `center`; infinity
    double depth;         ///< m; of a blade behind its edge; infinity
    double power;         ///< W; of heat and spot; 0
    double temperature;   ///< degrees C; of hold_temperature and hot_ball; 20
    double radius;        ///< m; of spot (where the intensity is 1/e^2 of the peak) and of hot_ball; 0.01
    double exchange;      ///< W/(m^2 K); between hot_ball and the particles in it; 1000
    double air;           ///< kg/m^3; density of the air of a wind, times a drag coefficient; 1.2
    double gust;          ///< wind: amplitude of gusts along `axis`, as a share of its speed; 0
    double wavelength;    ///< m; of the wave of a muscle, and of gusts; 0.2
    double period;        ///< s; of the wave; 0.5
    double drag_along;    ///< 1/s; of the water about a muscle, along the body; 0
    double drag_across;   ///< 1/s; across it; 0
    double start, end;    ///< s; window; 0, infinity
    double ramp;          ///< s; the driver grows smoothly from 0 to full strength over this time; 0
    uint32_t stamp;
} phx_driver_def;

typedef struct phx_probe_def {
    const char* name;     ///< "probe"; also the name of its file
    const char* body;     ///< only this body; NULL: all
    const char* region;   ///< a shape expression: particles whose start position is inside; NULL: all
    const char* face;     ///< only what of the surface looks along this: "-x", "(1, 0, 1)"; NULL: all, also inside
    const char* collider; ///< looks at what this collider does to the body, or to all bodies; NULL: at none
    double every;         ///< s between lines; 0: every frame
    uint32_t stamp;
} phx_probe_def;

PHX_API phx_world_def phx_world_def_default(void);
PHX_API phx_material_def phx_material_def_default(void);
PHX_API phx_body_def phx_body_def_default(void);
PHX_API phx_collider_def phx_collider_def_default(void);
PHX_API phx_driver_def phx_driver_def_default(void);
PHX_API phx_probe_def phx_probe_def_default(void);

// ---------------------------------------------------------------------------------------------------------- views

/// Borrowed, read-only arrays of all particles, valid until the next non-const call on the world.
typedef struct phx_particle_view {
    int count;
    const uint64_t* id;           ///< permanent
    const int* body;              ///< index of the body
    const phx_real *x, *y, *z;    ///< m
    const phx_real *vx, *vy, *vz; ///< m/s
    const phx_real* mass;         ///< kg
    const phx_real* volume;       ///< m^3, at rest
} phx_particle_view;

/// How far a search for an equilibrium has come.
typedef struct phx_static_report {
    int steps;       ///< load steps so far
    int cuts;        ///< load steps that were taken again, half as long
    int newton;      ///< steps of Newton's method in all
    double load;     ///< share of the load that is on, 0 to 1
    double left;     ///< forces out of balance over loads and what holds them
    double buckling; ///< how many times the load the state bears before it buckles, if asked for; INFINITY: above 100
} phx_static_report;

/// phx_world_static.
typedef struct phx_static_def {
    int steps;        ///< load steps; 0: as many as it takes
    double tolerance; ///< of `left`; 1e-4
    bool buckling;    ///< look for the buckling load, too; false
    /// Called after each load step, with its equilibrium in the world; false stops. NULL: not wanted.
    bool (*progress)(void* context, const phx_static_report* report);
    void* context;
    uint32_t stamp;
} phx_static_def;
PHX_API phx_static_def phx_static_def_default(void);

/// The substep of the current state, and what limits it.
typedef struct phx_dt_info {
    double dt;        ///< s, the substep that will be taken
    double stable;    ///< s, the largest stable substep
    char reason[160]; ///< "limited by sound speed of body 'jelly'"
} phx_dt_info;

/// Sums over a group of particles, in double.
typedef struct phx_totals {
    int count;
    double mass;                                 ///< kg
    double kinetic, elastic, potential, contact; ///< J; potential: against gravity, from the origin
    double external_work;                        ///< J done by drivers so far (whole world only, else 0)
    phx_vec3 momentum;                           ///< kg m/s
    phx_vec3 angular_momentum;                   ///< kg m^2/s about the origin
    phx_vec3 mean_position;                      ///< m, by mass
    phx_vec3 lowest, highest;                    ///< m: the least and largest position along each axis
    phx_vec3 force;    ///< N: internal + contact + body forces on the group; drivers' reaction excluded
    phx_vec3 reaction; ///< N: what drivers exert on it to hold or move it
    double min_det;    ///< smallest det F (1 if no particle has one)
    double max_stress; ///< Pa, largest von Mises stress
    double max_speed;  ///< m/s
    double thermal;    ///< J: its heat relative to 0 degrees C, latent heat included
    double heat_driven, heat_air, heat_fixed; ///< J received so far from drivers, from the air and from bodies of fixed
                                              ///< temperature (whole world only, else 0)
    phx_vec3 contact_force;   ///< N: of the collider of the probe, mean over the last substep (probes that look at one)
    phx_vec3 contact_impulse; ///< N s: the same, over all time since the probe was made
    double gap;            ///< m: how far the nearest particle is from touching that collider, below 0 inside; else 0
    double expansion_work; ///< J that warmth has done so far by making bodies larger (whole world only, else 0)
    double mean_temperature, min_temperature, max_temperature; ///< degrees C; mean by mass
} phx_totals;

#ifdef __cplusplus
}
#endif
