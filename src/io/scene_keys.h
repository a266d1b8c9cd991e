// SPDX-License-Identifier: MIT
// From a map of a scene to a struct, by the parameter table of the struct.
#pragma once

#include "core/params.h"
#include "io/scene_tree.h"

/// What keys a map may have and where their values go. The table's `name` is not a key: items are named by theirs.
typedef struct phxi_keys {
    const char* what; // "body", for messages
    const phx_param_table* table;
    void* values;
    const phx_param_table* extra; // further keys, or NULL
    void* extra_values;
    bool methods;      // blocks named after methods may stand there, and are left alone
    bool look;         // a block `look` may
    const char* block; // another block that may, or NULL
} phxi_keys;

/// Sets what is given, checks ranges and shapes, misses what is required. Texts are copied to `heap`.
phx_result phxi_keys_read(const phxi_tree* tree, phxi_heap* heap, const phxi_node* map, const phxi_keys* keys);
/// A value as phxi_param_set takes it: a list is joined. In memory of the tree.
phx_result phxi_node_text(const phxi_tree* tree, const phxi_node* node, const phx_param* param, const char** text);
/// The node is a map, or written without any value.
phx_result phxi_node_expect_map(const phxi_tree* tree, const phxi_node* node, const char* what);
