// SPDX-License-Identifier: MIT
// What all that is in the list of who may touch has moved by since it was made (pairs.h). Distances do not change when
// all move together, so the list of a body that falls, or of its pieces as long as they fly as one, holds: what counts
// is how far particles have moved beside the shift. Any shift is right; the median by axis, of some of them, leaves the
// fewest that have moved, however far splinters have flown.
#include "contact/pairs_internal.h"

#include <stdlib.h>

enum { SAMPLE = 255 };

static int compare_moves(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

bool phxi_pairs_follow(phxi_pairs* pairs, const phxi_particles* particles) {
    const phx_real* const now[3] = {particles->x, particles->y, particles->z};
    int listed = pairs->listed.count, count = listed < SAMPLE ? listed : SAMPLE;
    double moves[SAMPLE], median[3] = {0};
    for (int axis = 0; axis < 3 && count > 0; ++axis) {
        const phx_real* place = pairs->place.items + (size_t)axis * (size_t)listed;
        for (int n = 0; n < count; ++n) {
            int k = (int)((int64_t)n * listed / count);
            moves[n] = (double)now[axis][pairs->listed.items[k]] - (double)place[k];
        }
        qsort(moves, (size_t)count, sizeof *moves, compare_moves);
        median[axis] = moves[count / 2];
    }
    phx_vec3 shift = {median[0], median[1], median[2]}, before = pairs->shift;
    pairs->shift = phxi_finite(shift) ? shift : before;
    return pairs->shift.x != before.x || pairs->shift.y != before.y || pairs->shift.z != before.z;
}
