// SPDX-License-Identifier: MIT
// Bonds of a body for contact: plain arrays, made by the body's method once per substep and read in loops.
#pragma once

#include "particles/particles.h"

enum { PHXI_MAX_BONDS = 1024 }; // of one particle

/// Particles are those of the body, from 0; bonds of particle i are entries start[i] to start[i + 1] - 1. Bonds have
/// two sides: if j is there for i, i is there for j. Entries that lead to i itself are padding.
typedef struct phxi_bond_view {
    const int* start; // NULL: bonds are unknown; friction then has no neighbours to turn
    const int* other; // entry k leads to particle (other[k] >> shift) - first
    int shift, first;
    /// By entry from start[0] on: how far apart contact keeps the two particles of a broken bond, m; below 0: the bond
    /// is whole. NULL: all are whole.
    const phx_real* cut_distance;
    /// Particles of the body that share no bond touch at `layer` times half the sum of their spacings, or where they
    /// were at rest if that is nearer and `rest_nearer`. 0: they never touch, whatever the body's definition says.
    double layer;
    bool rest_nearer;
    /// The bonds that were cut last, pairs of particles of the body: there are as many of them as versions since
    /// `cuts_from`, each for the next one. With these, lists of what may touch can be kept up. NULL: unknown.
    const int (*cuts)[2];
    uint32_t cuts_from;
    uint32_t version; // changes whenever a bond breaks; 0: nothing is broken, and the body touches itself only if
                      // it is defined to
} phxi_bond_view;

static inline int phxi_bond_other(const phxi_bond_view* view, int entry) {
    return (view->other[entry] >> view->shift) - view->first;
}
/// Writes the particles that particle `own` of a body is bonded to, of the whole set, and returns how many; the body
/// begins at `begin`.
int phxi_bonds_of(const phxi_bond_view* view, int begin, int own, int neighbors[PHXI_MAX_BONDS]);
/// How far apart contact keeps particles i and j of the set, of one body that begins at `begin`, m; 0: they are bonded.
double phxi_bond_distance(const phxi_bond_view* view, const phxi_particles* particles, int begin, int i, int j);
