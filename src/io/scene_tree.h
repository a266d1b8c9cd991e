// SPDX-License-Identifier: MIT
// A scene file as a small tree of texts, each with its place: what scene_events.c reads from YAML, scene_override.c
// changes by --set, and scene.c checks against the parameter tables.
#pragma once

#include "core/heap.h"

/// Where a text stands: in the file, or in an override ("--set run.fps").
typedef struct phxi_place {
    int line, column;    // from 1
    const char* setting; // not NULL: from the command line
} phxi_place;

typedef enum phxi_node_kind { PHXI_NODE_VALUE, PHXI_NODE_LIST, PHXI_NODE_MAP } phxi_node_kind;

typedef struct phxi_node {
    phxi_node_kind kind;
    bool quoted;     // a value in quotes: "" is a text, not a missing value
    int count;       // children
    const char* key; // in a map
    uint64_t key_hash;
    const char* text; // of a value; control characters never, line ends are blanks
    phxi_place key_place, place;
    struct phxi_node *first, *last, *next;
} phxi_node;

typedef struct phxi_tree {
    phxi_heap* heap;  // all nodes and texts; freed with it
    const char* name; // for messages
    phxi_node* root;  // a map
    int node_count;
} phxi_tree;

enum {
    PHXI_TREE_BYTES = 16 << 20,
    PHXI_TREE_DEPTH = 64,
    PHXI_TREE_NODES = 1 << 17,
    PHXI_TREE_KEYS = 4096, // in one map
    PHXI_TREE_KEY = 128,   // bytes of a key
    PHXI_TREE_VALUE = 64 << 10
};

/// Reads one YAML document whose root is a map. Refused with file:line:column: text that is not UTF-8, tabs as
/// indentation, duplicate keys, anchors, aliases, tags, several documents, anything above the limits.
phx_result phxi_tree_read(phxi_tree* tree, phxi_heap* heap, const char* name, const char* text, size_t size);
/// Applies "key.path=value". '*' stands for all items of a section.
phx_result phxi_tree_override(phxi_tree* tree, const char* setting);

/// A new node at the end of a list or map (NULL: the root); `key` is NULL or copied.
phx_result phxi_node_add(phxi_tree* tree, phxi_node* parent, phxi_node_kind kind, const char* key, phxi_place place,
                         phxi_node** result);
phxi_node* phxi_node_find(const phxi_node* map, const char* key);

/// PHX_ERROR_FORMAT with the place in front: "jelly.yaml:3:7: ..." or "--set run.fps: ...".
phx_result phxi_tree_fail(const phxi_tree* tree, phxi_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // as in core/error.h
#define phxi_tree_fail(tree, place, ...) (phxi_tree_fail(tree, place, __VA_ARGS__), PHX_ERROR_FORMAT)
#endif
/// The place in front of the message that is there.
phx_result phxi_place_within(phx_result result, const char* name, phxi_place place);
