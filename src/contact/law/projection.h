// SPDX-License-Identifier: MIT
// What a contact without stiffness asks for (pair_pushes.c, collider.c): how fast two sides are to part at least.
#pragma once

#include <math.h>

/// Two sides about to touch, along their normal.
typedef struct phxi_gap {
    double depth;   // m; negative: a gap
    double parting; // m/s, without the forces of now
    double load;    // m/s, by which all else that acts changes that within the substep
    double damping; // fraction of critical, of the spring that the contact stands for
} phxi_gap;

/// Substeps, and seconds, in which what is too deep is let out at least: at once it would be flung out.
#define PHXI_RECOVERY_STEPS 5
#define PHXI_RECOVERY_TIME  0.01

/// m/s. The gap is closed at the end of the substep at most; sides that come together part again with the part
/// exp(-pi zeta / sqrt(1 - zeta^2)) of their speed that a spring and damper would leave. What the load alone brings
/// together, as where things rest, does not bounce. With a compliance (m/N) the caller takes compliance push / dt off.
static inline double phxi_gap_target(const phxi_gap* gap, double dt, double compliance) {
    double out = gap->depth < 0 ? dt : compliance > 0 ? dt : fmax(PHXI_RECOVERY_STEPS * dt, PHXI_RECOVERY_TIME);
    double target = gap->depth / out, came = -gap->parting - 2 * fabs(gap->load);
    if (gap->parting + gap->load < target && came > 0 && gap->damping < 1) {
        double left = exp(-3.14159265358979324 * gap->damping / sqrt(1 - gap->damping * gap->damping));
        target = fmax(target, left * came);
    }
    return target;
}
