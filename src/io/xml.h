// SPDX-License-Identifier: MIT
// The tags of our own XML files (.vtp, .pvd), one after the other: no tree, no entities, no allocation. Anything that
// is no plain tag is refused with its line.
#pragma once

#include "geometry/mesh_source.h"

enum { PHXI_TAG_ATTRIBUTES = 12 };

typedef struct phxi_attribute {
    phxi_word name, value;
} phxi_attribute;

typedef struct phxi_tag {
    phxi_word name;
    bool closes; // </name>
    bool empty;  // <name ... />
    phxi_attribute attributes[PHXI_TAG_ATTRIBUTES];
    int attribute_count;
    phxi_word before; // text between the tag before and this one
} phxi_tag;

/// The next tag; <?...?> and comments are passed over. The end of the file is an error.
phx_result phxi_tag_next(phxi_source* source, phxi_tag* tag);
/// The next tag, which must have this name ("/name": close it).
phx_result phxi_tag_expect(phxi_source* source, const char* name, phxi_tag* tag);
bool phxi_tag_is(const phxi_tag* tag, const char* name);
/// The value of an attribute; false if there is none of that name.
bool phxi_tag_find(const phxi_tag* tag, const char* name, phxi_word* value);
/// The attribute must be there and have this value.
phx_result phxi_tag_demand(const phxi_source* source, const phxi_tag* tag, const char* name, const char* value);
/// The attribute as a whole number in [0, high].
phx_result phxi_tag_count(const phxi_source* source, const phxi_tag* tag, const char* name, int64_t high,
                          int64_t* value);
