// SPDX-License-Identifier: MIT
#pragma once

/// The integrators every method offers by the word `integrator`: four explicit ones (explicit.h), three implicit
/// ones (implicit/implicit.h), and the choice between velocity_verlet and bdf2 by what a second costs.
typedef enum phxi_integrator {
    PHXI_VERLET,
    PHXI_DAMPED_VERLET,
    PHXI_LEAPFROG,
    PHXI_VELOCITY_VERLET,
    PHXI_BDF2,
    PHXI_IMPLICIT_EULER,
    PHXI_TRAPEZOID,
    PHXI_AUTOMATIC,
} phxi_integrator;
extern const char* const phxi_integrator_words[];
