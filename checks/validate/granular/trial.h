// SPDX-License-Identifier: MIT
// Worlds of sand and slime for cases with known answers (docs/theory/granular.md): columns that collapse, beds that are
// tilted, vertical cuts, balls that fall. Lengths in spacings of 1 cm.
#pragma once

#include "validate/validate.h"
#include "world/world.h"

#define PHXI_GRAIN_SPACING 0.01 // m

/// Sand of 1500 kg/m^3, nu = 0.3.
phx_material_def phxi_sand(double young, double friction_angle, double cohesion, int cone);

/// A world with one body of grains and a floor.
typedef struct phxi_grain_setup {
    const phx_material_def* material;
    const char* method; // NULL: granular
    const char* shape;
    const phx_setting* settings;
    int setting_count;
    double friction; // of the floor
    double floor;    // stiffness of the floor, N/m a particle; 0: as usual
    double dt_share; // of the stable step; 0: as usual
    double dt;       // s, of every step; 0: as usual
    double spacing;  // m; 0: PHXI_GRAIN_SPACING
    phx_vec3 gravity, period;
} phxi_grain_setup;
phx_result phxi_grain_world(phxi_validation* v, const phxi_grain_setup* s, phx_world** world);

typedef struct phxi_column_def {
    const char* method; // NULL: granular
    phx_material_def material;
    double radius, height; // spacings
    double friction;       // of the floor
    double floor;          // its stiffness, N/m a particle; 0: as usual
    double duration;       // s
    double dt_share;       // of the stable step; 0: as usual
    double dt, spacing;    // s, m; 0: as usual
    double ring;           // m, of the profile; 0: the spacing
    const phx_setting* settings;
    int setting_count;
} phxi_column_def;

typedef struct phxi_column {
    double runout;  // (r98 - r0) / r0: radius that 98 % of the grains are within
    double most;    // the same of 95 %: not that of a toe of less than one layer
    double front;   // the same of 99.7 %
    double edge;    // the same of where the deposit is half a ring deep, a mean over rings
    double height;  // of the middle over r0
    double kinetic; // over m g h0
} phxi_column;

phx_result phxi_column_run(phxi_validation* v, const phxi_column_def* def, phxi_column* out);

typedef struct phxi_bed_def {
    phx_material_def material;
    double depth; // spacings
    double rate;  // degrees a second
    double angle; // degrees, where the slope stays; above it flows
    double hold;  // s
    const phx_setting* settings;
    int setting_count;
} phxi_bed_def;

typedef struct phxi_bed {
    double onset; // degrees, where the surface has moved by a spacing; 0: it did not
    double slip;  // of the surface, spacings
    double speed; // of the surface at the end, spacings a second
    double creep; // the same, mean of the last quarter second: without what rings
} phxi_bed;

/// Tilted at a rate, as far as its surface has moved five spacings or until it has been held.
phx_result phxi_bed_run(phxi_validation* v, const phxi_bed_def* def, phxi_bed* out);

typedef struct phxi_cut_def {
    double friction_angle;
    int cone;
    double number;         // rho g H / c
    double height, length; // spacings
    double ramp, hold;     // s
} phxi_cut_def;

/// A block with a vertical face on a rough floor, plane strain: how far the grains have moved while it was held, most,
/// in spacings; and kinetic energy over m g H.
phx_result phxi_cut_run(phxi_validation* v, const phxi_cut_def* def, double* way, double* kinetic);

typedef struct phxi_ball_def {
    double cohesion, viscous_time, relaxation; // Pa, s, s
    double drop;                               // spacings
    double duration;                           // s
    double dt_share;
    double dt, spacing; // s, m; 0: as usual
    bool spring;
    const phx_setting* settings; // more of them, at most six
    int setting_count;
} phxi_ball_def;

typedef struct phxi_ball {
    double height, radius; // spacings
    double distance;       // mean of that to the nearest grain
    double mean;           // density, over that at rest
    double density;        // largest, over that at rest
    double kinetic;        // J
} phxi_ball;

/// Slime of 5 kPa and 200 kPa that falls on a floor.
phx_result phxi_ball_run(phxi_validation* v, const phxi_ball_def* def, phxi_ball* out);

typedef struct phxi_thread_def {
    const char* method;
    const phx_setting* settings;
    int setting_count;
    bool elastic;   // no yield
    double stretch; // of the part between the grips, at the end
    double speed;   // m/s
} phxi_thread_def;

/// A strand of slime (c = 100 Pa, t_v = 0.05 s), 6 x 6 x 16 spacings, is pulled at two layers of each end without
/// gravity. `whole`: the stretch up to which no gap along it is twice as wide as an even draw makes it.
phx_result phxi_thread_run(phxi_validation* v, const phxi_thread_def* def, double* whole);

typedef struct phxi_heap_shape {
    double slope;   // degrees, of the triangle of its volume
    double surface; // degrees, of a line through the highest grains
    double flank;   // degrees, of a line through the profile
    double kinetic; // over its weight and height
} phxi_heap_shape;

/// A plane heap, poured in 100 batches of 18 grains from half a spacing above it; a second after the last.
phx_result phxi_pour_run(phxi_validation* v, double friction_angle, phxi_heap_shape* out);

typedef struct phxi_rows {
    double energy;   // potential and kinetic over that of what was poured, at most
    double farthest; // spacings from the middle
} phxi_rows;

/// Single rows of grains, one every 17 ms, from half a spacing above the last: they meet in the air and below.
phx_result phxi_rows_run(phxi_validation* v, phxi_rows* out);

typedef struct phxi_wedge_def {
    const char* method; // NULL: granular
    double friction_angle;
    int cone;
    bool lattice; // grains start in one, not disordered
} phxi_wedge_def;
/// A plane wedge with flanks of 70 degrees, 30 spacings high, let go; after a second.
phx_result phxi_wedge_run(phxi_validation* v, const phxi_wedge_def* def, phxi_heap_shape* out);
