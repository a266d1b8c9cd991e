// SPDX-License-Identifier: MIT
// JSON (RFC 8259) as a flat list of values that point into the text. Strict: what is not JSON is refused with its line.
#pragma once

#include "core/array.h"

typedef enum phxi_json_kind {
    PHXI_JSON_NULL,
    PHXI_JSON_FALSE,
    PHXI_JSON_TRUE,
    PHXI_JSON_NUMBER,
    PHXI_JSON_STRING,
    PHXI_JSON_ARRAY,
    PHXI_JSON_OBJECT,
} phxi_json_kind;

typedef struct phxi_json_value {
    phxi_json_kind kind;
    int first, next, count; // of arrays and objects: the first child, how many; the next one of the same parent; -1
    double number;
    const char *key, *text; // of a member; of a string: between its quotes, escapes as they stand
    size_t key_length, length;
} phxi_json_value;

typedef struct phxi_json {
    phxi_heap* heap;
    PHXI_ARRAY(phxi_json_value) values; // the first is the whole
} phxi_json;

/// Values point into `text`, which must stay. Messages begin with "name:line: ". Destroy it on failure, too.
phx_result phxi_json_parse(phxi_json* json, phxi_heap* heap, const char* name, const char* text, size_t size);
void phxi_json_destroy(phxi_json* json);

/// The member of an object, or the item of an array: -1 if there is none, or `parent` is something else or -1.
int phxi_json_member(const phxi_json* json, int parent, const char* key);
int phxi_json_item(const phxi_json* json, int parent, int i);
/// The first child of an array (-1: it has none, or is none); its `next` leads on.
int phxi_json_first(const phxi_json* json, int parent);
/// A whole number of [0, 2^31), or `otherwise` where there is nothing; -2: it is something else.
int phxi_json_index(const phxi_json* json, int value, int otherwise);
/// Whether it is a string, and this one.
bool phxi_json_is(const phxi_json* json, int value, const char* text);
