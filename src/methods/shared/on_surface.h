// SPDX-License-Identifier: MIT
// Whether a body has particles on its surface (`vertices`, `conforming`) or only within it: what radii and stabilisation
// are right for bending depends on it.
#pragma once

#include "particles/particles.h"

/// Of the particles of one body: area vectors say what they own of the surface.
static inline bool phxi_on_surface(const phxi_particles* p, int begin, int count) {
    for (int i = begin; i < begin + count; ++i) {
        if (p->area_x[i] != 0 || p->area_y[i] != 0 || p->area_z[i] != 0) {
            return true;
        }
    }
    return false;
}
