// SPDX-License-Identifier: MIT
// Bars pulled and twisted until the kernels of a method lose their neighbours: docs/theory/corotated_sph.md section 7.
// 6 x 6 x 22 particles, two layers at each end gripped, E = 1e6 Pa, rho = 1000 kg/m^3, nu = 0.33, damping 50 /s. All
// moves along from the start, so that there is no shock. "Broken": what holds together no longer connects the grips.
#pragma once

#include "validate/validate.h"
#include "world/world.h"

enum { PHXI_BAR_SAID = 7 };

typedef struct phxi_bar phxi_bar;

/// A method whose bars are pulled.
typedef struct phxi_bar_kind {
    const char* method;
    const char* names[PHXI_BAR_SAID]; // of what is said of it
    phx_setting fixed;                // and what is said of all
    /// After rest positions were turned: rebuilds the neighbourhoods.
    phx_result (*renew)(phxi_bar* bar);
    /// Marks (phxi_bar_reach) all particles that particle i of the body holds on to.
    void (*go_on)(phxi_bar* bar, int i);
} phxi_bar_kind;

typedef struct phxi_bar_def {
    const char* name;
    const phxi_bar_kind* kind;
    const char* said[PHXI_BAR_SAID]; // of names; NULL: as by default
    double turned;                   // degrees about y: the bar and its rest axes
    bool twist;
    double pull; // m/s, of each grip
    double dt;   // s
    double most; // strain, or degrees, to give up at
} phxi_bar_def;

struct phxi_bar {
    phxi_validation* v;
    phx_world* world;
    const phxi_bar_kind* kind;
    phxi_mat3 turn;
    int* reached; // of a particle: whether it hangs on the lower grip
    int* queue;
    int tail;
};

/// State of the only solver of the world.
static inline void* phxi_bar_solver(const phxi_bar* bar) {
    return bar->world->solvers.items[bar->world->bodies.items[0].solver].state;
}
void phxi_bar_reach(phxi_bar* bar, int j);
/// Strain, or total angle in degrees, at which a bar breaks; `most` if it does not.
phx_result phxi_bar_break(phxi_validation* v, const phxi_bar_def* def, double* breaks);

/// A bar and what is expected of it.
typedef struct phxi_bar_row {
    phxi_bar_def bar;
    double strain, bound;
} phxi_bar_row;
phx_result phxi_bar_rows(phxi_validation* v, const phxi_bar_row* rows, int count, double* strains);
