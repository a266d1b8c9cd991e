// SPDX-License-Identifier: MIT
// Rods of peridynamics that twist: a straight one against G J phi / L, coil springs against the theory of thin curved
// rods, a twisted rod that buckles (Greenhill), and what no twist may do: push, turn itself, make energy.
//
// Segments are held where drivers hold both their particles; a clamp acts in the middle of such a segment.
#include "validate/peridynamics/trial.h"

#include "methods/peridynamics/twist.h"

#include <stdio.h>

#define PI 3.14159265358979323846

enum { MOST = 400 };

#define YOUNG   PERI_TRIAL_YOUNG
#define SPACING PERI_TRIAL_SPACING

/// A round rod: its points, section and stiffness.
typedef struct rod {
    phx_vec3 at[MOST];
    int count;
    double poisson, radius;
    double bending, torsion, stretching; // E I, G J, N m^2; E A, N
    const char* outer;                   // text of the setting
    bool spin_fades;
} rod;

static void set_section(rod* r, double radius, double poisson) {
    r->radius = radius, r->poisson = poisson;
    r->bending = YOUNG * PI * radius * radius * radius * radius / 4;
    r->torsion = r->bending / (1 + poisson);
    r->stretching = YOUNG * PI * radius * radius;
}

static phx_result create(phxi_validation* v, const rod* r, phxi_block* block) {
    char radius[32];
    snprintf(radius, sizeof radius, "%.17g", r->radius);
    phx_setting settings[] = {{"radius", radius},
                              {"tolerance", "1e-6"},
                              {"iterations", "3000"},
                              {"outer", r->outer ? r->outer : "0"},
                              {"spin", r->spin_fades ? "fades" : "kept"}};
    phxi_block_def def = phxi_block_default(1, 1, 1);
    def.settings = settings;
    def.setting_count = 5;
    def.material.poisson = r->poisson;
    return phxi_peri_trial_points(v, r->at, r->count, &def, block);
}

/// A driver of points k and k + 1.
static phx_driver_def driver_of(const rod* r, int k, int kind, char region[128]) {
    phx_vec3 at = phxi_scale(0.5, phxi_add(r->at[k], r->at[k + 1]));
    snprintf(region, 128, "sphere(center=(%.17g,%.17g,%.17g), radius=%.17g)", at.x, at.y, at.z, 0.7 * SPACING);
    phx_driver_def def = phx_driver_def_default();
    def.name = k == 0 ? "begin" : "end";
    def.kind = kind;
    def.region = region;
    def.center = at;
    return def;
}

static phx_result drive(phxi_block* block, const phx_driver_def* def) {
    phx_driver_id id;
    return phx_driver_create(block->world, def, &id);
}

static phx_result pin(phxi_block* block, const rod* r, int k) {
    char region[128];
    phx_driver_def def = driver_of(r, k, PHX_DRIVER_PIN, region);
    return drive(block, &def);
}

/// What driver number `d` exerts, N.
static phx_vec3 reaction(const phxi_block* block, int d) {
    const phxi_driver* driver = &block->world->drivers.items[d];
    phx_vec3 sum = {0, 0, 0};
    for (int k = 0; k < driver->group.count; ++k) {
        const phx_real* f = driver->reactions + 3 * (size_t)k;
        sum = phxi_add(sum, phxi_vec3(f[0], f[1], f[2]));
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------ straight

static void make_straight(rod* r, int count) {
    r->count = count;
    for (int k = 0; k < count; ++k) {
        r->at[k] = phxi_vec3(k * SPACING, 0, 0);
    }
}

/// Turned by `angle` at one end over 20 steps: couples and energy.
static phx_result twist(phxi_validation* v) {
    static rod r;
    static const double angles[] = {0.5, 40};
    for (int k = 0; k < 2; ++k) {
        phxi_block block;
        char region[128], quantity[96];
        make_straight(&r, 33);
        set_section(&r, 0.3 * SPACING, 0.3);
        PHXI_TRY(create(v, &r, &block));
        PHXI_TRY(pin(&block, &r, 0));
        phx_driver_def end = driver_of(&r, 31, PHX_DRIVER_TWIST, region);
        end.axis = phxi_vec3(1, 0, 0);
        end.angle = angles[k] * 180 / PI;
        end.ramp = 0.2;
        PHXI_TRY(drive(&block, &end));
        for (int n = 0; n < 22; ++n) {
            PHXI_TRY(phx_world_substep(block.world, 0.01));
        }
        phx_totals totals;
        PHXI_TRY(phx_world_measure(block.world, &totals));
        const phxi_driver* drivers = block.world->drivers.items;
        double length = 31 * SPACING, couple = r.torsion * angles[k] / length;
        snprintf(quantity, sizeof quantity, "couple of a straight rod over GJ phi/L, phi = %g", angles[k]);
        phxi_validate_relative(v, quantity, -drivers[1].couple.x / couple, 1, phxi_by_precision(1e-9, 1e-5));
        snprintf(quantity, sizeof quantity, "couple where it is clamped over that, phi = %g", angles[k]);
        phxi_validate_relative(v, quantity, drivers[0].couple.x / couple, 1, phxi_by_precision(1e-9, 1e-5));
        snprintf(quantity, sizeof quantity, "energy over GJ phi^2/2L, phi = %g", angles[k]);
        phxi_validate_relative(v, quantity, totals.elastic / (couple * angles[k] / 2), 1,
                               phxi_by_precision(1e-9, 1e-5));
        snprintf(quantity, sizeof quantity, "work of the driver over that, phi = %g", angles[k]);
        phxi_validate_relative(v, quantity, totals.external_work / (couple * angles[k] / 2), 1,
                               phxi_by_precision(1e-9, 1e-5));
        phxi_block_destroy(&block);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- spring

typedef struct helix {
    double radius, pitch; // m, rad
    double begin, end;    // arc length where it is clamped, m
} helix;

static phx_vec3 helix_at(const helix* h, double s) {
    double angle = s * cos(h->pitch) / h->radius;
    return phxi_vec3(h->radius * cos(angle), h->radius * sin(angle), s * sin(h->pitch));
}

static helix make_helix(rod* r, int turn, double turns, double pitch) {
    double step = 2 * PI / turn, climb = tan(pitch) * step;
    helix h = {.pitch = pitch};
    h.radius = SPACING / sqrt(4 * sin(step / 2) * sin(step / 2) + climb * climb);
    double arc = h.radius * step / cos(pitch);
    r->count = (int)(turn * turns) + 2;
    for (int k = 0; k < r->count; ++k) {
        r->at[k] = helix_at(&h, k * arc);
    }
    h.begin = 0.5 * arc, h.end = (r->count - 1.5) * arc;
    return h;
}

static void eliminate(double a[6][7]) {
    for (int p = 0; p < 6; ++p) {
        for (int i = 0; i < 6; ++i) {
            double factor = i == p ? 0 : a[i][p] / a[p][p];
            for (int j = p; j < 7; ++j) {
                a[i][j] -= factor * a[p][j];
            }
        }
    }
}

/// How a rod that is clamped at its begin gives way to forces (0 to 2) and couples (3 to 5) at its end: both of them
/// bend and twist it by (P - r) x f + m.
static void compliance(const rod* r, const helix* h, double c[6][6]) {
    enum { PARTS = 20000 };
    phx_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, last = helix_at(h, h->end);
    double ds = (h->end - h->begin) / PARTS;
    for (int k = 0; k < 36; ++k) {
        c[k / 6][k % 6] = 0;
    }
    for (int n = 0; n < PARTS; ++n) {
        double s = h->begin + (n + 0.5) * ds;
        phx_vec3 t = phxi_normalize(phxi_sub(helix_at(h, s + ds), helix_at(h, s - ds)), axes[0]), m[6];
        for (int a = 0; a < 6; ++a) {
            m[a] = a < 3 ? phxi_cross(phxi_sub(last, helix_at(h, s)), axes[a]) : axes[a - 3];
        }
        for (int k = 0; k < 36; ++k) {
            int a = k / 6, b = k % 6;
            double along = phxi_dot(m[a], t) * phxi_dot(m[b], t), whole = phxi_dot(m[a], m[b]);
            double pulled = a < 3 && b < 3 ? phxi_dot(axes[a], t) * phxi_dot(axes[b], t) / r->stretching : 0;
            c[a][b] += ds * (along / r->torsion + (whole - along) / r->bending + pulled);
        }
    }
}

/// Force along the axis per displacement along it, both ends clamped, N/m.
static double clamped_stiffness(const rod* r, const helix* h) {
    double c[6][6], a[6][7];
    compliance(r, h, c);
    for (int k = 0; k < 42; ++k) {
        a[k / 7][k % 7] = k % 7 < 6 ? c[k / 7][k % 7] : k / 7 == 2;
    }
    eliminate(a);
    return a[2][6] / a[2][2];
}

/// That of a force on the axis that leaves the end free, 1 / (R^2 l (cos^2/GJ + sin^2/EI)).
static double free_stiffness(const rod* r, const helix* h) {
    double c = cos(h->pitch), s = sin(h->pitch);
    return 1 / (h->radius * h->radius * (h->end - h->begin) * (c * c / r->torsion + s * s / r->bending));
}

/// Its end is drawn along the axis, by a hundredth of the radius.
static phx_result draw(phxi_validation* v, const rod* r, const helix* h, bool loose, double* stiffness) {
    phxi_block block;
    char region[128];
    PHXI_TRY(create(v, r, &block));
    if (loose) { // as if there were no twist: its segments turn for nothing
        struct phxi_peri_twist* t = phxi_peri_trial_slot(&block)->thin->twist;
        for (int i = 0; i < block.count; ++i) {
            t->segments[i].stiff *= 1e-6;
        }
    }
    PHXI_TRY(pin(&block, r, 0));
    phx_driver_def end = driver_of(r, r->count - 2, PHX_DRIVER_MOVE, region);
    end.vector = phxi_vec3(0, 0, 0.01 * h->radius);
    PHXI_TRY(drive(&block, &end));
    phxi_settle_def settle = phxi_settle_default();
    settle.tolerance = 2e-9; // springs are soft: they are near their place long before they exert what they should
    phx_result result = phxi_settle(&block, &settle, NULL);
    *stiffness = reaction(&block, 1).z / end.vector.z;
    phxi_block_destroy(&block);
    return result;
}

typedef struct spring_row {
    int turn;                     // particles
    double turns, pitch, poisson; // pitch in degrees
    double bound;
} spring_row;

static phx_result compare(phxi_validation* v, const spring_row* row, bool loose) {
    static rod r;
    char quantity[128];
    helix h = make_helix(&r, row->turn, row->turns, row->pitch * PI / 180);
    set_section(&r, 0.6 * SPACING, row->poisson);
    double stiffness, wanted = clamped_stiffness(&r, &h);
    PHXI_TRY(draw(v, &r, &h, loose, &stiffness));
    snprintf(quantity, sizeof quantity, "spring, %d a turn, %g turns, %g degrees, over theory (free %.4f)", row->turn,
             row->turns, row->pitch, wanted / free_stiffness(&r, &h));
    if (loose) {
        phxi_validate(v, "the same without stiffness against twist", stiffness / wanted, 0, 0.12);
    } else {
        phxi_validate_relative(v, quantity, stiffness / wanted, 1, row->bound);
    }
    return PHX_OK;
}

static phx_result spring(phxi_validation* v) {
    static const spring_row rows[] = {{16, 3, 10, 0.3, 0.02}, {24, 3, 10, 0.3, 0.01}, {24, 2.5, 40, 0.4, 0.015}};
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(compare(v, &rows[k], false));
    }
    return compare(v, &rows[0], true);
}

phx_result phxi_validate_peridynamics_spring_full(phxi_validation* v) {
    static const spring_row rows[] = {{16, 4, 10, 0.3, 0.02},  {24, 4, 10, 0.3, 0.01},    {32, 4, 10, 0.3, 0.005},
                                      {48, 4, 10, 0.3, 0.003}, {32, 3.5, 40, 0.3, 0.006}, {32, 8, 10, 0.3, 0.005}};
    for (int k = 0; k < 6; ++k) {
        PHXI_TRY(compare(v, &rows[k], false));
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- forces

static double energy_at(phxi_block* block, const phx_vec3* x, phx_vec3* force) {
    phxi_step step = phxi_world_context(block->world, block->world->bodies.items[0].solver);
    phxi_peri_binding binding = {.step = &step, .slot = phxi_peri_trial_slot(block)};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    op.forces(op.context, x, force, &strain);
    return op.energy(op.context);
}

/// A coil that is bent and twisted: forces against differences of the energy, sums, and the same turned.
static phx_result balance(phxi_validation* v) {
    static rod r;
    static phx_vec3 x[MOST], f[MOST], g[MOST];
    phxi_block block;
    make_helix(&r, 20, 2, 0.3);
    set_section(&r, 0.4 * SPACING, 0.3);
    PHXI_TRY(create(v, &r, &block));
    for (int i = 0; i < block.count; ++i) {
        phx_vec3 at = block.rest[i];
        x[i] = phxi_vec3(1.05 * at.x + 0.05 * at.z * at.z, at.y - 0.1 * at.x * at.y, 1.1 * at.z + 0.1 * at.x * at.x);
    }
    energy_at(&block, x, f);
    double worst = 0, most = 0, h = 1e-6 * SPACING;
    for (int i = 0; i < block.count; i += 3) {
        double* const at[3] = {&x[i].x, &x[i].y, &x[i].z};
        const double force[3] = {f[i].x, f[i].y, f[i].z};
        for (int a = 0; a < 3; ++a) {
            double kept = *at[a];
            *at[a] = kept + h;
            double more = energy_at(&block, x, g);
            *at[a] = kept - h;
            double less = energy_at(&block, x, g);
            *at[a] = kept;
            worst = fmax(worst, fabs(force[a] + (more - less) / (2 * h)));
            most = fmax(most, fabs(force[a]));
        }
    }
    phxi_validate(v, "forces of a bent coil less differences of its energy, over the largest", worst / most, 0, 1e-6);
    phxi_peri_rigidity rigid;
    PHXI_TRY(phxi_peri_trial_rigidity(&block, 0.02 * SPACING, &rigid));
    phxi_block_destroy(&block);
    phxi_validate(v, "largest force / (E r^2) of a turned coil", rigid.largest / (YOUNG * r.radius * r.radius), 0,
                  phxi_by_precision(1e-10, 1e-5));
    phxi_validate(v, "sum of forces over sum of sizes, shaken coil", rigid.force, 0, phxi_by_precision(1e-12, 1e-6));
    phxi_validate(v, "sum of torques over sum of sizes, shaken coil", rigid.torque, 0, phxi_by_precision(1e-11, 1e-6));
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------
// buckling

/// Of the largest distance from the axis, after 100 s over before.
static phx_result grow(phxi_validation* v, const rod* r, double angle, double* growth) {
    static phx_vec3 x[MOST];
    phxi_block block;
    char region[128];
    PHXI_TRY(create(v, r, &block));
    PHXI_TRY(pin(&block, r, 0));
    phx_driver_def end = driver_of(r, r->count - 2, PHX_DRIVER_TWIST, region);
    end.axis = phxi_vec3(1, 0, 0);
    end.angle = angle * 180 / PI;
    end.ramp = 1;
    PHXI_TRY(drive(&block, &end));
    for (int n = 0; n < 10; ++n) {
        PHXI_TRY(phx_world_substep(block.world, 0.1));
    }
    double length = (r->count - 1) * SPACING, before = 1e-3 * SPACING, after = 0;
    for (int i = 0; i < block.count; ++i) {
        double share = block.rest[i].x / length, bow = before * sin(PI * share) * sin(PI * share);
        x[i] = phxi_add(block.rest[i], phxi_vec3(0, bow * cos(2 * PI * share), bow * sin(2 * PI * share)));
    }
    phxi_block_place(&block, x);
    for (int n = 0; n < 400; ++n) {
        PHXI_TRY(phx_world_substep(block.world, 0.25));
    }
    for (int i = 0; i < block.count; ++i) {
        phx_vec3 at = phxi_settle_place(&block, i);
        after = fmax(after, hypot(at.y, at.z));
    }
    *growth = after / before;
    phxi_block_destroy(&block);
    return PHX_OK;
}

/// Both ends clamped a rod stays straight below a couple of 8.987 E I / L (Greenhill).
static phx_result greenhill(phxi_validation* v) {
    static rod r;
    double growth;
    make_straight(&r, 33);
    set_section(&r, 0.3 * SPACING, 0.3);
    double critical = 8.9868 * r.bending / r.torsion;
    PHXI_TRY(grow(v, &r, 0.97 * critical, &growth));
    phxi_validate(v, "bow left of a rod twisted with 0.97 of 8.987 EI/L", growth, 0, 0.5);
    PHXI_TRY(grow(v, &r, 1.03 * critical, &growth));
    phxi_validate(v, "it grows with 1.03: 1 over", 1 / growth, 0, 0.02);
    return PHX_OK;
}

/// Makes a ring forget that it is curved at rest, and twists it evenly, by `angle` in all.
static void twist_ring(phxi_block* block, const rod* r, double angle) {
    const phxi_peri_slot* slot = phxi_peri_trial_slot(block);
    struct phxi_peri_twist* t = slot->thin->twist;
    phxi_particles* p = &block->world->particles;
    phx_real* const frame[3] = {phxi_particles_field(p, "peridynamics.frame_x"),
                                phxi_particles_field(p, "peridynamics.frame_y"),
                                phxi_particles_field(p, "peridynamics.frame_z")};
    t->chains[0].curved = false;
    for (int k = 0; k < block->count; ++k) {
        int i = t->order[k];
        phxi_peri_segment* s = &t->segments[i];
        slot->thin->weaves[i].curved = false;
        slot->thin->weaves[i].rest[0] = s->curve[0] = s->curve[1] = phxi_vec3(0, 0, 0);
        s->stiff = r->torsion / SPACING;
        s->twist_rest -= k == 0 ? angle : 0; // where the ring closes
        phx_vec3 along = phxi_normalize(phxi_sub(block->rest[s->next], block->rest[i]), phxi_vec3(1, 0, 0));
        phxi_mat3 turn = phxi_rotation(along, angle * k / block->count);
        phx_vec3 d = phxi_mat3_apply(&turn, phxi_vec3(frame[0][i], frame[1][i], frame[2][i]));
        frame[0][i] = (phx_real)d.x, frame[1][i] = (phx_real)d.y, frame[2][i] = (phx_real)d.z;
    }
}

/// A ring of a straight rod leaves its plane if it is twisted by more than 2 pi sqrt(3) E I / G J (Michell).
static phx_result michell(phxi_validation* v) {
    enum { COUNT = 48 };
    static rod r;
    static phx_vec3 x[MOST];
    r.count = COUNT;
    double radius = SPACING / (2 * sin(PI / COUNT)), start = 1e-3 * SPACING, growth[2] = {0, 0};
    for (int k = 0; k < COUNT; ++k) {
        r.at[k] = phxi_vec3(radius * cos(2 * PI * k / COUNT), radius * sin(2 * PI * k / COUNT), 0);
    }
    set_section(&r, 0.3 * SPACING, 0.3);
    for (int above = 0; above < 2; ++above) {
        phxi_block block;
        PHXI_TRY(create(v, &r, &block));
        twist_ring(&block, &r, (above ? 1.02 : 0.98) * 2 * PI * sqrt(3) * r.bending / r.torsion);
        for (int i = 0; i < block.count; ++i) {
            double angle = atan2(block.rest[i].y, block.rest[i].x);
            x[i] = phxi_add(block.rest[i], phxi_vec3(0, 0, start * cos(2 * angle)));
        }
        phxi_block_place(&block, x);
        // far out of its plane it passes through itself, which takes two turns each time, and is a ring again
        for (int n = 0; n < 600 && growth[above] < 100; ++n) {
            PHXI_TRY(phx_world_substep(block.world, 0.1));
            growth[above] = 0;
            for (int i = 0; i < block.count; ++i) {
                growth[above] = fmax(growth[above], fabs(phxi_settle_place(&block, i).z) / start);
            }
        }
        phxi_block_destroy(&block);
    }
    phxi_validate(v, "height left of a ring twisted with 0.98 of 2 pi sqrt(3) EI/GJ", growth[0], 0, 0.5);
    phxi_validate(v, "it grows with 1.02: 1 over", 1 / growth[1], 0, 0.02);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- free

/// A coil that was drawn and bent is let go in free fall: momentum stays zero, energy falls. So does angular momentum;
/// where it is left to backward Euler, but for what that makes of it, dt sum m v' x v, as no torque acts.
static phx_result leap_of(phxi_validation* v, bool spin_fades) {
    static rod r;
    static phx_vec3 x[MOST];
    phxi_block block;
    make_helix(&r, 20, 4, 0.2);
    r.spin_fades = spin_fades;
    set_section(&r, 0.4 * SPACING, 0.3);
    PHXI_TRY(create(v, &r, &block));
    for (int i = 0; i < block.count; ++i) {
        phx_vec3 at = block.rest[i];
        x[i] = phxi_vec3(at.x + 0.1 * at.z * at.z, at.y, 1.3 * at.z);
    }
    phxi_block_place(&block, x);
    phx_totals totals;
    PHXI_TRY(phx_world_measure(block.world, &totals));
    double last = totals.elastic, first = last, rise = 0, fast = 0, momentum = 0, spin = 0, largest = 0;
    const double dt = 1.0 / 60;
    phx_vec3 made = {0, 0, 0};
    for (int n = 0; n < 200; ++n) {
        const phxi_particles* p = &block.world->particles;
        for (int i = 0; i < block.count; ++i) {
            x[i] = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        }
        PHXI_TRY(phx_world_substep(block.world, dt));
        for (int i = 0; i < block.count; ++i) {
            phx_vec3 now = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            made = phxi_add_scaled(made, spin_fades ? dt * (double)p->mass[i] : 0, phxi_cross(now, x[i]));
        }
        PHXI_TRY(phx_world_measure(block.world, &totals));
        double now = totals.elastic + totals.kinetic;
        rise = fmax(rise, now - last);
        last = now;
        fast = fmax(fast, totals.kinetic);
        momentum = fmax(momentum, phxi_length(totals.momentum));
        spin = fmax(spin, phxi_length(phxi_sub(totals.angular_momentum, made)));
        largest = fmax(largest, sqrt(2 * totals.kinetic * totals.mass));
    }
    double size = (r.count - 1) * SPACING * sin(0.2);
    phxi_block_destroy(&block);
    phxi_validate(v, "coil in free flight: most of the energy that moves, over all", fast / first, 0.5, 0.49);
    phxi_validate(v, "largest rise of energy in a step over all", rise / first, 0, 1e-6);
    phxi_validate(v, "largest momentum over sqrt(2 m E)", momentum / largest, 0, 1e-6);
    phxi_validate(v,
                  spin_fades ? "angular momentum less that of backward Euler over length times that"
                             : "angular momentum, spin kept, over length times that",
                  spin / (largest * size), 0, 1e-5);
    return PHX_OK;
}

static phx_result leap(phxi_validation* v) {
    PHXI_TRY(leap_of(v, true));
    return leap_of(v, false);
}

const phxi_validation_case phxi_cases_peridynamics_twist[] = {
    {"peridynamics.twist", "a straight rod is twisted", twist},
    {"peridynamics.spring", "coil springs are drawn", spring},
    {"peridynamics.coil", "a coil: no force, no torque, forces of an energy", balance},
    {"peridynamics.greenhill", "a twisted rod buckles", greenhill},
    {"peridynamics.michell", "a twisted ring buckles", michell},
    {"peridynamics.leap", "a coil flies", leap},
    {NULL, NULL, NULL},
};
