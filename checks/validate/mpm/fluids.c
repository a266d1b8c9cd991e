// SPDX-License-Identifier: MIT
// Fluids of the material point method: pressure at rest, an eddy that viscosity stops, columns that sink by
// their weight, thick ones and ones with a yield stress.
#include "validate/mpm/trial.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

static phx_material_def fluid(double viscosity) {
    phx_material_def def = phx_material_def_default();
    def.fluid = true;
    def.viscosity = viscosity;
    return def;
}

/// Planes of symmetry at both ends of a box along each axis; `high` of an axis 0: no upper one.
static phx_result add_mirrors(phx_world* world, phx_vec3 high, bool sides) {
    const double to[3] = {high.x, high.y, high.z};
    for (int axis = sides ? 0 : 2; axis < 3; ++axis) {
        double one[3] = {0, 0, 0}, point[3] = {0, 0, 0};
        one[axis] = 1;
        PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(0, 0, 0), phxi_vec3(one[0], one[1], one[2])));
        point[axis] = to[axis];
        if (to[axis] > 0) {
            PHXI_TRY(phxi_mpm_trial_plane(world, phxi_vec3(point[0], point[1], point[2]),
                                          phxi_vec3(-one[0], -one[1], -one[2])));
        }
    }
    return PHX_OK;
}

static const phx_setting mirror[] = {{"boundary", "mirror"}};

// ------------------------------------------------------------------------------------------------------------ pressure

#define DEPTH 0.2

/// rms of p - rho g (H - z) over rho g H, of particles more than a cell from the surface.
static phx_result pressure_error(phx_world* world, double* error) {
    const phxi_particles* p = &world->particles;
    phxi_step step = phxi_world_context(world, 0);
    phxi_mpm_bind(world->solvers.items[0].state, &step);
    const phx_real* const* field = (const phx_real* const*)((phxi_mpm*)world->solvers.items[0].state)->field;
    const double bulk = ((phxi_mpm*)world->solvers.items[0].state)->materials.items[0].fluid.bulk;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        double q = (double)field[MPM_G][i] + (double)field[MPM_G + 4][i] + (double)field[MPM_G + 8][i];
        double z = (double)p->z[i], exact = 1000 * 9.81 * (DEPTH - z);
        if (z < DEPTH - 0.02) {
            double own = -bulk * q / (1 + q) - exact;
            sum += own * own;
            ++count;
        }
    }
    *error = sqrt(sum / count) / (1000 * 9.81 * DEPTH);
    return PHX_OK;
}

static phx_result pressure(phxi_validation* v) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def water = fluid(1000); // or it swings for long
    def.threads = v->threads;
    double error = NAN;
    phx_totals totals;
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? add_mirrors(world, phxi_vec3(0.1, 0.1, 0), true) : result;
    result = result == PHX_OK
                 ? phxi_mpm_trial_body(world, &water, "box(center=(0.05,0.05,0.1),size=(0.1,0.1,0.2))", 0.01, mirror, 1)
                 : result;
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    result = result == PHX_OK ? pressure_error(world, &error) : result;
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    if (result == PHX_OK) {
        phxi_validate(v, "pressure at rest, rms error over that of the depth", error, 0, 0.01);
        phxi_validate(v, "kinetic over potential energy", totals.kinetic / totals.potential, 0, 1e-5);
    }
    phx_world_destroy(world);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------- eddy

#define SIDE 0.2

/// Velocity of the eddy and its gradient.
static void stir(phxi_particles* p, double speed) {
    static const char* const names[4] = {"mpm.c_xx", "mpm.c_xz", "mpm.c_zx", "mpm.c_zz"};
    const double k = PI / SIDE, turn = speed * k;
    phx_real* c[4];
    for (int n = 0; n < 4; ++n) {
        c[n] = phxi_particles_field(p, names[n]);
    }
    for (int i = 0; i < p->count; ++i) {
        double x = k * (double)p->x[i], z = k * (double)p->z[i];
        p->vx[i] = (phx_real)(speed * sin(x) * cos(z));
        p->vz[i] = (phx_real)(-speed * cos(x) * sin(z));
        c[0][i] = (phx_real)(turn * cos(x) * cos(z)), c[1][i] = (phx_real)(-turn * sin(x) * sin(z));
        c[2][i] = -c[1][i], c[3][i] = -c[0][i];
    }
}

typedef struct eddy_row {
    double viscosity; // Pa s
    const char *viscous, *transfer, *sound;
    double bounds[3]; // of the rate with 8 cells a side, with 16, and extrapolated
} eddy_row;

/// One eddy of Taylor and Green fills a box of symmetry planes: v = U (sin kx cos kz, 0, -cos kx sin kz), k = pi/L,
/// fades as exp(-2 nu k^2 t), whatever its pressure does. Tells the rate over that.
static phx_result eddy_rate(phxi_validation* v, const eddy_row* row, double spacing, double* rate) {
    const double k = PI / SIDE, expected = 2 * row->viscosity / 1000 * k * k;
    const phx_setting settings[] = {{"boundary", "mirror"},
                                    {"sound_speed", row->sound},
                                    {"transfer", row->transfer},
                                    {"blend", "1"},
                                    {"viscous", row->viscous}};
    phx_world* world = NULL;
    phx_material_def syrup = fluid(row->viscosity);
    phx_totals before = {0}, after = {0};
    phx_result result = phxi_mpm_trial_world(v, &world);
    result = result == PHX_OK ? add_mirrors(world, phxi_vec3(SIDE, 0.05, SIDE), true) : result;
    result = result == PHX_OK ? phxi_mpm_trial_body(world, &syrup, "box(center=(0.1,0.025,0.1),size=(0.2,0.05,0.2))",
                                                    spacing, settings, 5)
                              : result;
    if (result == PHX_OK) {
        stir(&world->particles, 0.01);
        result = phx_world_measure(world, &before);
    }
    result = result == PHX_OK ? phx_world_step(world, 0.5 / expected) : result;
    result = result == PHX_OK ? phx_world_measure(world, &after) : result;
    *rate = -log(after.kinetic / before.kinetic); // energy goes with the square: 2 x 0.5
    phx_world_destroy(world);
    return result;
}

/// Splines smooth what they carry, by (k h)^2: errors are of second order, and 4/3 of the finer result less 1/3
/// of the coarser one is what viscosity itself does.
static phx_result eddies(phxi_validation* v, const eddy_row* rows, int count) {
    static const char* const cells[3] = {"8 cells", "16 cells", "extrapolated"};
    for (int n = 0; n < count; ++n) {
        double rate[3];
        PHXI_TRY(eddy_rate(v, &rows[n], 0.0125, &rate[0]));
        PHXI_TRY(eddy_rate(v, &rows[n], 0.00625, &rate[1]));
        rate[2] = (4 * rate[1] - rate[0]) / 3;
        for (int k = 0; k < 3; ++k) {
            char quantity[128];
            snprintf(quantity, sizeof quantity, "rate of an eddy over 2 nu k^2, %s, %s, %g Pa s, %s", rows[n].viscous,
                     rows[n].transfer, rows[n].viscosity, cells[k]);
            phxi_validate(v, quantity, rate[k], 1, rows[n].bounds[k]);
        }
    }
    return PHX_OK;
}

static phx_result eddy(phxi_validation* v) {
    static const eddy_row rows[] = {
        {2, "strain", "flip", "2", {0.25, 0.06, 0.02}},    {5, "strain", "flip", "4", {0.25, 0.06, 0.02}},
        {50, "implicit", "flip", "2", {0.25, 0.06, 0.02}}, {500, "implicit", "flip", "2", {0.25, 0.06, 0.02}},
        {50, "implicit", "apic", "2", {0.1, 0.03, 0.02}},
    };
    return eddies(v, rows, sizeof rows / sizeof rows[0]);
}

static phx_result eddy_full(phxi_validation* v) {
    static const eddy_row rows[] = {
        {0.5, "strain", "flip", "2", {0.25, 0.06, 0.02}},
        {0.5, "implicit", "flip", "2", {0.25, 0.06, 0.02}},
        {5, "implicit", "flip", "2", {0.25, 0.06, 0.02}},
        {500, "implicit", "apic", "2", {0.1, 0.03, 0.02}},
    };
    return eddies(v, rows, sizeof rows / sizeof rows[0]);
}

// ------------------------------------------------------------------------------------------------------------- columns

#define HEIGHT 0.4

/// Height of a slender column on a smooth floor after a time. Its stress is uniaxial, rho g y s where y is what stood
/// above at rest and s the stretch; beyond sqrt3 tau_0 it flows, and 3 eta is Trouton's viscosity:
///     ds/dt = -s max(rho g y s - sqrt3 tau_0, 0) / (3 eta).
static double exact_height(double viscosity, double yield, double time) {
    enum { LAYERS = 200, STEPS = 2000 };
    double sum = 0;
    for (int layer = 0; layer < LAYERS; ++layer) {
        double y = (layer + 0.5) / LAYERS * HEIGHT, s = 1;
        for (int k = 0; k < STEPS; ++k) {
            s -= time / STEPS * s * fmax(1000 * 9.81 * y * s - sqrt(3) * yield, 0) / (3 * viscosity);
        }
        sum += s * HEIGHT / LAYERS;
    }
    return sum;
}

/// Mean height of the particles of the top layer, m.
static double top_of(const phxi_particles* p) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_z[i] > HEIGHT - (double)p->spacing[i]) {
            sum += (double)p->z[i];
            ++count;
        }
    }
    return sum / count;
}

/// How far it sinks from `from` to `to` seconds: what it has yielded elastically by then stays.
static phx_result sink(phxi_validation* v, const phx_material_def* material, const char* viscous, double from,
                       double to, double* way) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    const phx_setting settings[] = {{"boundary", "mirror"}, {"sound_speed", "20"}, {"viscous", viscous}};
    def.threads = v->threads;
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? add_mirrors(world, phxi_vec3(0, 0, 0), false) : result;
    result = result == PHX_OK
                 ? phxi_mpm_trial_body(world, material, "box(center=(0,0,0.2),size=(0.1,0.1,0.4))", 0.0125, settings, 3)
                 : result;
    result = result == PHX_OK ? phx_world_step(world, from) : result;
    double first = result == PHX_OK ? top_of(&world->particles) : 0;
    result = result == PHX_OK ? phx_world_step(world, to - from) : result;
    *way = result == PHX_OK ? first - top_of(&world->particles) : NAN;
    phx_world_destroy(world);
    return result;
}

static phx_result columns(phxi_validation* v) {
    static const char* const ways[2] = {"strain", "implicit"};
    double way;
    phx_material_def thick = fluid(1e4);
    for (int n = 0; n < 2; ++n) {
        char quantity[64];
        const double from = n == 0 ? 0.2 : 0.05, to = n == 0 ? 0.5 : 0.15; // only a strain has to settle
        PHXI_TRY(sink(v, &thick, ways[n], from, to, &way));
        snprintf(quantity, sizeof quantity, "a column of 10 kPa s sinks by, m, %s", ways[n]);
        phxi_validate_relative(v, quantity, way, exact_height(1e4, 0, from) - exact_height(1e4, 0, to), 0.05);
    }
    phx_material_def paste = fluid(5e3);
    paste.flow = PHX_FLOW_BINGHAM, paste.solid_viscosity = 1e8;
    paste.yield_stress = 1.3 * 1000 * 9.81 * HEIGHT / sqrt(3);
    PHXI_TRY(sink(v, &paste, "strain", 0.2, 0.5, &way));
    phxi_validate(v, "one with a yield stress that bears 1.3 times its weight sinks by, m", way, 0, 0.002 * HEIGHT);
    paste.yield_stress /= 2.6;
    PHXI_TRY(sink(v, &paste, "strain", 0.2, 0.5, &way));
    phxi_validate_relative(v, "one that bears half of it sinks by, m", way,
                           exact_height(5e3, paste.yield_stress, 0.2) - exact_height(5e3, paste.yield_stress, 0.5),
                           0.1);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------
// melting

/// A cube of soft wax, cold, hot or one below and the other above: its height after a while over that before, and the
/// change of its heat over that heat.
static phx_result melt_cube(phxi_validation* v, double temperature, double gradient, double* height, double* change) {
    phx_world_def def = phx_world_def_default();
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id floor_id;
    phx_body_id id;
    phx_body_def body = phx_body_def_default();
    phx_world* world = NULL;
    const phx_preset* preset;
    PHXI_TRY(phx_preset_find("wax", &preset));
    phx_material_def wax = preset->def;
    wax.young = 1e5, wax.yield_stress_liquid = 20, wax.consistency = 200, wax.conductivity = 240;
    def.threads = v->threads;
    body.shape = "box(center=(0,0,0.02),size=(0.04,0.04,0.04))", body.spacing = 0.004, body.method = "mpm";
    body.temperature = temperature, body.temperature_gradient = phxi_vec3(0, 0, gradient);
    phx_totals before = {0}, after = {0};
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? phx_collider_create(world, &floor, &floor_id) : result;
    result = result == PHX_OK ? phx_material_create(world, &wax, &body.material) : result;
    result = result == PHX_OK ? phx_body_create(world, &body, &id) : result;
    result = result == PHX_OK ? phx_world_measure(world, &before) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.3) : result;
    result = result == PHX_OK ? phx_world_measure(world, &after) : result;
    double top = 0;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        top = fmax(top, (double)world->particles.z[i]);
    }
    *height = (top + 0.002) / 0.04;
    *change = (after.thermal - before.thermal) / before.thermal;
    phx_world_destroy(world);
    return result;
}

static phx_result melting(phxi_validation* v) {
    double height, change;
    PHXI_TRY(melt_cube(v, 20, 0, &height, &change));
    phxi_validate(v, "height of a cold cube of wax over that before", height, 1, 0.02);
    PHXI_TRY(melt_cube(v, 80, 0, &height, &change));
    phxi_validate(v, "height of a molten one", height, 0.2, 0.15);
    PHXI_TRY(melt_cube(v, 100, -2000, &height, &change)); // 20 degrees above, 100 below
    phxi_validate(v, "height of one that is molten below and cools: it sinks and stands", height, 0.75, 0.2);
    phxi_validate(v, "change of its heat, over that", change, 0, 1e-12);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_mpm_fluids[] = {
    {"mpm.pressure", "a fluid at rest in a tank", pressure},
    {"mpm.eddy", "an eddy is stopped by viscosity", eddy},
    {"mpm.eddy_full", "thinner and thicker ones", eddy_full},
    {"mpm.columns", "columns of thick fluids and of pastes sink by their weight", columns},
    {"mpm.melting", "a cube of wax stands cold and runs hot; heat is conserved", melting},
    {NULL, NULL, NULL},
};
