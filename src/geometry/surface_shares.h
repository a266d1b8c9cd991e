// SPDX-License-Identifier: MIT
// Which particle owns which part of a body's surface: the points of it that are nearer to this particle than to any
// other (docs/theory/discretisation.md (1a)). These are the surface pieces of cell_complex.h without the cells.
#pragma once

#include "geometry/mesh.h"

/// areas[i] = outward area vector (m^2) of what particle i owns of the surface: zero for those inside. They sum to that
/// of the mesh, which is zero if it is closed. sizes[i] = how large that part is (m^2): more than the length of the
/// vector where it is not flat; all 0 if the particles do not stand there: at the corners of cells they may be farther
/// out or in, on average by more than a tenth of a spacing. `spacings`: local distance of particles (m). A mesh that is
/// inside out is turned.
phx_result phxi_surface_shares(phxi_heap* heap, const phx_mesh* mesh, int count, const phx_vec3* positions,
                               const double* spacings, phx_vec3* areas, double* sizes);
