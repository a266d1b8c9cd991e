// SPDX-License-Identifier: MIT
// Frames from files: those that phyxel writes, checked to the last byte. Messages say name and line or byte.
#pragma once

#include <phyxel/frame.h>

/// From memory. All numbers of a field become floats; positions must be finite and triangles use existing points.
typedef phx_result phxi_frame_parser(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                     phx_frame** frame);
/// PLY and OBJ files of other programs are read as meshes.
phxi_frame_parser phxi_frame_parse_vtp, phxi_frame_parse_ply, phxi_frame_parse_obj;
/// The time a file says it is of, from its first bytes; NaN if it does not say.
double phxi_frame_peek_time(const char* bytes, size_t size);
/// The parser for a path's ending; NULL and an error naming the endings there are.
phxi_frame_parser* phxi_frame_parser_for(const char* path);

/// Any mesh file (OBJ, PLY, STL) as triangles at time 0.
phxi_frame_parser phxi_frame_parse_mesh;
