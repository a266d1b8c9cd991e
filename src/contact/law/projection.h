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
    double mass;    // kg, that a push between the two moves
} phxi_gap;

/// Substeps, and seconds, over which a contact that is too deep is let out at least: faster would fling it out.
#define PHXI_RECOVERY_STEPS 5
#define PHXI_RECOVERY_TIME  0.01

/// N/m, of the spring that a compliance (m/N) is in a substep; 0: there is none.
static inline double phxi_gap_stiffness(double compliance, double mass, double dt) {
    return compliance > 0 ? 1 / (compliance + dt * dt / mass) : 0;
}

/// Speeds at which two sides are to separate, m/s.
typedef struct phxi_gap_speeds {
    double target; // at least, less compliance push / dt (m/N, N) of the caller
    double most;   // that pushes may bring about
} phxi_gap_speeds;

/// At the end of the substep the gap is closed at most. Sides that approach separate with exp(-pi zeta / sqrt(1 -
/// zeta^2)) of their speed, as a spring and damper would. Where only the load presses them together, as at rest, they
/// do not bounce.
///
/// A compliance is a spring, which lets depth out as fast as it can; but one that is too stiff for the substep, dt^2 /
/// mass over the compliance, would fling it out within one, and may not bring about more than contacts without one.
static inline phxi_gap_speeds phxi_gap_find_speeds(const phxi_gap* gap, double dt, double compliance) {
    double spring = compliance / (compliance + dt * dt / gap->mass), fast = gap->depth / dt;
    double slow = gap->depth / fmax(PHXI_RECOVERY_STEPS * dt, PHXI_RECOVERY_TIME), came;
    phxi_gap_speeds speeds = {fast, fast};
    if (gap->depth > 0) {
        speeds.target = compliance > 0 ? fast : slow;
        speeds.most = slow + spring * (fast - slow);
    }
    came = -gap->parting - 2 * fabs(gap->load);
    if (gap->parting + gap->load < speeds.target && came > 0 && gap->damping < 1) {
        double left = exp(-3.14159265358979324 * gap->damping / sqrt(1 - gap->damping * gap->damping));
        speeds.target = fmax(speeds.target, left * came);
        speeds.most = fmax(speeds.most, left * came);
    }
    return speeds;
}
