// SPDX-License-Identifier: MIT
// What a mesh has beside its triangles, in USD: texture coordinates (primvars:st) and groups (GeomSubsets).
#pragma once

#include <phyxel/io.h>

#include <stdbool.h>
#include <stdio.h>

enum { PHXI_USD_NAME = 64 };
/// Names in USD are identifiers.
void phxi_usd_identifier(const char* name, char out[PHXI_USD_NAME]);

/// Attributes of the Mesh prim.
void phxi_usd_put_uvs(FILE* out, const phx_mesh* mesh);
/// Prims below it.
void phxi_usd_put_groups(FILE* out, const phx_mesh* mesh);
