// SPDX-License-Identifier: MIT
// The cells of a body that can break (method.h: needs_cells).
#pragma once

#include "geometry/cell_complex.h"
#include "geometry/sample.h"

/// Cuts the body into cells. Cell k belongs to the particle made from sample order[k], which gets the volume of the
/// cell. An open mesh is closed first, with vertices half a spacing apart; `open_edges`: how many it had.
phx_result phxi_body_make_cells(phxi_heap* heap, const phx_body_def* def, const int* order, phxi_samples* samples,
                                phxi_cell_complex** cells, int* open_edges);
