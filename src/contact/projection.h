// SPDX-License-Identifier: MIT
// Contact without stiffness (docs/theory/contact.md (9), (10); pair_pushes.c, collider.c): the least speed at which two
// sides must separate.
#pragma once

#include <math.h>

/// Two sides about to touch, along their normal.
typedef struct phxi_gap {
    double depth;   // m; negative: a gap
    double parting; // m/s, separation speed without the current forces
    double load;    // m/s, by which all other forces change it within the substep
    double damping; // fraction of critical, of the equivalent spring
} phxi_gap;

/// Substeps, and seconds, over which a contact that is too deep is let out at least: faster would fling it out.
#define PHXI_RECOVERY_STEPS 5
#define PHXI_RECOVERY_TIME  0.01

/// m/s. At the end of the substep the gap is closed at most. Sides that approach separate with exp(-pi zeta / sqrt(1 -
/// zeta^2)) of their speed, as a spring and damper would. Where only the load presses them together, as at rest, they
/// do not bounce. With a compliance (m/N) the caller subtracts compliance push / dt.
static inline double phxi_gap_target(const phxi_gap* gap, double dt, double compliance) {
    double out = gap->depth < 0 ? dt : compliance > 0 ? dt : fmax(PHXI_RECOVERY_STEPS * dt, PHXI_RECOVERY_TIME);
    double target = gap->depth / out, came = -gap->parting - 2 * fabs(gap->load);
    if (gap->parting + gap->load < target && came > 0 && gap->damping < 1) {
        double left = exp(-3.14159265358979324 * gap->damping / sqrt(1 - gap->damping * gap->damping));
        target = fmax(target, left * came);
    }
    return target;
}
