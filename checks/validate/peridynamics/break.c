// SPDX-License-Identifier: MIT
// Projective peridynamics that breaks and that warmth softens.
//
// Griffith: a strip of height h between grips that are moved apart by eps h, with a crack half through it, is uniformly
// strained ahead of the crack and free behind it. Per area that the crack runs it gives up h E eps^2/(2 (1 - nu^2))
// (plane stress, held along the crack), whatever its length: the crack runs where this is G.
#include "validate/peridynamics/trial.h"

#include "materials/softening.h"
#include "methods/peridynamics/breaking.h"

#include <stdio.h>

enum { GRIP = 2 }; // layers

/// Moves a layer of the block for ever.
static phx_result grip(phxi_block* block, const char* name, int axis, double low, double high, double speed) {
    char region[160];
    double middle = (low + high) / 2, size = high - low;
    snprintf(region, sizeof region, "box(center=(%g,%g,0), size=(%g,%g,100))", axis == 0 ? middle : 0,
             axis == 1 ? middle : 0, axis == 0 ? size : 100, axis == 1 ? size : 100);
    phx_driver_def d = phx_driver_def_default();
    phx_driver_id id;
    d.name = name, d.kind = PHX_DRIVER_VELOCITY, d.region = region;
    d.vector = phxi_vec3(axis == 0 ? speed : 0, axis == 1 ? speed : 0, 0);
    return phx_driver_create(block->world, &d, &id);
}

static phx_result weak_block(phxi_validation* v, const int cells[3], const phx_material_def* material,
                             phxi_block* block) {
    phxi_block_def def = phxi_block_default(cells[0], cells[1], cells[2]);
    def.method = "peridynamics";
    def.material = *material;
    return phxi_block_create(v, &def, block);
}

// -------------------------------------------------------------------------------------------------------- strength

/// A bar that is pulled until it breaks: the largest force over its section and strength.
static phx_result strength(phxi_validation* v) {
    static const struct {
        const char* name;
        int cells[3];
    } rows[] = {{"bar", {16, 5, 5}}, {"sheet", {16, 6, 1}}, {"rod", {16, 1, 1}}};
    for (int r = 0; r < 3; ++r) {
        const int* cells = rows[r].cells;
        phx_material_def m = phx_material_def_default();
        m.young = PERI_TRIAL_YOUNG, m.poisson = 0.3, m.strength = 0.03 * m.young, m.strength_noise = 0, m.damping = 10;
        phxi_block block;
        double a = PERI_TRIAL_SPACING, length = cells[0] * a, most = 0, first = 0;
        PHXI_TRY(weak_block(v, cells, &m, &block));
        PHXI_TRY(grip(&block, "left", 0, 0, GRIP * a, -0.01));
        PHXI_TRY(grip(&block, "right", 0, length - GRIP * a, length, 0.01));
        const phxi_peri_slot* slot = phxi_peri_trial_slot(&block);
        for (int k = 0; k < 300 && (k < 20 || first > 0.2 * most); ++k) {
            PHXI_TRY(phx_world_substep(block.world, 1.0 / 60));
            first = 0;
            for (int i = 0; i < block.count; ++i) {
                bool held = block.rest[i].x > length - GRIP * a;
                first -= held ? (double)block.world->particles.mass[i] * (double)block.acceleration[0][i] : 0;
            }
            most = slot->breaking->broken == 0 ? fmax(most, first) : most;
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest stress over strength, %s", rows[r].name);
        // bonds at the grips, whose corners are sharp, are the first to break
        phxi_validate(v, quantity, most / (cells[1] * cells[2] * a * a * m.strength), 1, 0.1);
        snprintf(quantity, sizeof quantity, "stress left over the largest, %s", rows[r].name);
        phxi_validate(v, quantity, first / most, 0, 0.2);
        phxi_block_destroy(&block);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- griffith

/// Cuts what crosses y = middle left of x = tip.
static phx_result notch(phxi_block* block, double middle, double tip) {
    phxi_peri_slot* slot = phxi_peri_trial_slot(block);
    for (int i = 0; i < block->count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phx_vec3 a = block->rest[i], b = block->rest[slot->other[k]];
            double at = (middle - a.y) / (b.y - a.y);
            bool crosses = (a.y < middle) != (b.y < middle) && a.x + at * (b.x - a.x) < tip;
            slot->shrink[k] = crosses ? -1 : 1;
        }
    }
    phxi_peri_drop_bonds(slot);
    phxi_arena_reset(&block->world->arena);
    phxi_step step = phxi_world_context(block->world, block->world->bodies.items[0].solver);
    return phxi_peri_renew(&step, slot);
}

/// Where the crack through y = middle ends: the least x of bonds that cross it.
static double tip_of(const phxi_block* block, double middle) {
    const phxi_peri_slot* slot = phxi_peri_trial_slot(block);
    double tip = INFINITY;
    for (int i = 0; i < block->count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            phx_vec3 a = block->rest[i], b = block->rest[slot->other[k]];
            tip = (a.y < middle) != (b.y < middle) ? fmin(tip, (a.x + b.x) / 2) : tip;
        }
    }
    return tip;
}

/// Energy per area at which the crack has run to three quarters, over toughness.
static phx_result griffith_of(phxi_validation* v, const int cells[3], double poisson, double* ratio) {
    phx_material_def m = phx_material_def_default();
    m.young = PERI_TRIAL_YOUNG, m.poisson = poisson, m.damping = 20, m.strength_noise = 0;
    m.strength = 1e12, m.toughness = 150;
    phxi_block block;
    PHXI_TRY(weak_block(v, cells, &m, &block));
    double a = PERI_TRIAL_SPACING, high = cells[1] * a, length = cells[0] * a, free = (cells[1] - 2 * GRIP + 1) * a;
    double needed = sqrt(2 * m.toughness * (1 - m.poisson * m.poisson) / (m.young * free));
    double speed = 0.004 * needed * free * 60 / 2;
    PHXI_TRY(notch(&block, high / 2, length / 2));
    PHXI_TRY(grip(&block, "low", 1, 0, GRIP * a, -speed));
    PHXI_TRY(grip(&block, "high", 1, high - GRIP * a, high, speed));
    double strain = 0;
    for (int k = 0; k < 600 && !(tip_of(&block, high / 2) > 0.75 * length); ++k) {
        PHXI_TRY(phx_world_substep(block.world, 1.0 / 60));
        strain += 2 * speed / 60 / free;
    }
    *ratio = strain / needed * (strain / needed);
    phxi_block_destroy(&block);
    return PHX_OK;
}

static phx_result griffith_rows(phxi_validation* v, int first, int last) {
    static const struct {
        const char* name;
        int cells[3];
        double poisson;
    } rows[] = {{"sheet, nu 0.4", {36, 16, 1}, 0.4},
                {"plate, nu 0.33", {28, 14, 3}, 0.33},
                {"sheet, nu 0.25", {36, 16, 1}, 0.25},
                {"sheet of 24 layers, nu 0", {36, 24, 1}, 0},
                {"plate, nu 0", {28, 14, 3}, 0}};
    for (int r = first; r < last; ++r) {
        double ratio;
        char quantity[96];
        PHXI_TRY(griffith_of(v, rows[r].cells, rows[r].poisson, &ratio));
        snprintf(quantity, sizeof quantity, "energy that a running crack takes over toughness, %s", rows[r].name);
        phxi_validate(v, quantity, ratio, 1, 0.15);
    }
    return PHX_OK;
}

static phx_result griffith(phxi_validation* v) {
    return griffith_rows(v, 0, 2);
}

phx_result phxi_validate_peridynamics_griffith_full(phxi_validation* v) {
    return griffith_rows(v, 2, 5);
}

// ------------------------------------------------------------------------------------------------------- softening

/// A bar at one temperature that hangs on a force: E from its stretch, over that of the cold one.
static phx_result warm_bar(phxi_validation* v, const int cells[3], double temperature, double yield, double* ratio) {
    phx_material_def m = phx_material_def_default();
    m.young = PERI_TRIAL_YOUNG, m.poisson = 0.3, m.yield = yield;
    m.soften_from = 50, m.soften_to = 150, m.soften_left = 0.01;
    static const phx_setting settings[] = {{"tolerance", "1e-6"}, {"iterations", "1000"}};
    phxi_block_def def = phxi_block_default(cells[0], cells[1], cells[2]);
    def.method = "peridynamics";
    def.material = m;
    def.settings = settings, def.setting_count = 2;
    phxi_block block;
    PHXI_TRY(phxi_block_create(v, &def, &block));
    for (int i = 0; i < block.count; ++i) {
        block.world->particles.temperature[i] = (phx_real)temperature;
    }
    double a = PERI_TRIAL_SPACING, length = cells[0] * a, area = cells[1] * cells[2] * a * a;
    double force = 0.002 * m.young * phxi_stiffness_factor(&m, temperature) * area;
    PHXI_TRY(phxi_peri_trial_pin(&block, 0, 2 * a));
    PHXI_TRY(phxi_peri_trial_pull(&block, length - 2 * a, length + 1, phxi_vec3(force, 0, 0)));
    phxi_settle_def settle = phxi_settle_default();
    PHXI_TRY(phxi_settle(&block, &settle, NULL));
    double xx = 0, xu = 0, middle = length / 2;
    for (int i = 0; i < block.count; ++i) {
        double x = block.rest[i].x - middle;
        if (fabs(x) < length / 8) {
            xx += x * x, xu += x * (phxi_settle_place(&block, i).x - block.rest[i].x);
        }
    }
    *ratio = force / (area * xu / xx) / m.young;
    phxi_block_destroy(&block);
    return PHX_OK;
}

static phx_result warm(phxi_validation* v) {
    static const struct {
        const char* name;
        int cells[3];
        double temperature, yield;
    } rows[] = {{"bar", {16, 5, 5}, 20, 0},
                {"bar", {16, 5, 5}, 100, 0},
                {"bar", {16, 5, 5}, 200, 0},
                {"rod", {16, 1, 1}, 100, 0},
                {"bar that may yield", {16, 5, 5}, 100, 0.05}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        double ratio, t = rows[r].temperature, exact = t <= 50 ? 1 : t >= 150 ? 0.01 : pow(0.01, (t - 50) / 100);
        char quantity[96];
        PHXI_TRY(warm_bar(v, rows[r].cells, t, rows[r].yield, &ratio));
        snprintf(quantity, sizeof quantity, "E over that of the cold material, %s at %g degrees C", rows[r].name, t);
        phxi_validate_relative(v, quantity, ratio, exact, 0.02);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_peridynamics_break[] = {
    {"peridynamics.strength", "bars, sheets and rods break at their strength", strength},
    {"peridynamics.griffith", "a crack runs through a strip where it gives up its toughness", griffith},
    {"peridynamics.warm", "warm bars stretch as their modulus says", warm},
    {NULL, NULL, NULL},
};
