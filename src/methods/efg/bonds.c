// SPDX-License-Identifier: MIT
// What contact asks of the method (methods/method.h): who is bonded to whom. Bonds are the pairs of the rows, which
// stand in the rows of both particles.
#include "methods/efg/efg_internal.h"

/// Bodies of a solver come in the order in which they were made.
static const phxi_efg_slot* slot_of_particle(const phxi_efg* efg, const phxi_step* step, int i) {
    int body = step->particles->body[i], low = 0, high = efg->slots.count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (efg->slots.items[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &efg->slots.items[low];
}

/// A row too long for a list has no bonds that count, on either side.
static bool is_short(const phxi_efg* efg, int row) {
    return efg->start.items[row + 1] - efg->start.items[row] < PHXI_MAX_BONDS;
}

static int row_of_pair(const phxi_efg* efg, int pair) {
    return efg->offset.items[pair] / (int)sizeof(phxi_r4);
}

int phxi_efg_bonds(const void* state, const phxi_step* step, int i, int neighbors[PHXI_MAX_BONDS]) {
    const phxi_efg* efg = state;
    const phxi_efg_slot* slot = slot_of_particle(efg, step, i);
    int row = slot->row + i - slot->begin, count = 0;
    for (int k = efg->start.items[row]; is_short(efg, row) && k < efg->start.items[row + 1]; ++k) {
        int other = row_of_pair(efg, k);
        if (other != row && is_short(efg, other)) { // padding points at its own row
            neighbors[count++] = slot->begin + other - slot->row;
        }
    }
    return count;
}

double phxi_efg_contact_distance(const void* state, const phxi_step* step, int i, int j) {
    const phxi_efg* efg = state;
    const phxi_efg_slot* slot = slot_of_particle(efg, step, i);
    int row = slot->row + i - slot->begin, other = slot->row + j - slot->begin;
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
        if (row_of_pair(efg, k) == other) {
            return 0;
        }
    }
    return 0.5 * ((double)step->particles->spacing[i] + (double)step->particles->spacing[j]);
}
