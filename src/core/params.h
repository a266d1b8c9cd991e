// SPDX-License-Identifier: MIT
// Working with parameter tables (phx_param_table): defaults, values from text, range checks, did-you-mean.
// Messages say what is wrong and what was expected ("young is -3 Pa, expected above 0 Pa"); callers put the place in
// front with phxi_fail_within.
#pragma once

#include <phyxel/types.h>
#include "core/heap.h"

/// Fills a struct with its table's defaults (TEXT, SHAPE, WORDS: NULL, or the literal of the table). All of it: what is
/// not in the table, and what must be given, becomes zero.
void phxi_params_defaults(const phx_param_table* table, void* values);
/// Entry by name; NULL and an error with a did-you-mean ("unknown key 'yung' in material, did you mean 'young'?").
const phx_param* phxi_param_find(const phx_param_table* table, const char* name);
/// Reads `text` as the scene would write it into the struct. Texts are copied to `heap` (owned by the caller's heap).
/// VEC3 is "x, y, z" with optional brackets or parentheses; WORDS is "a b c" or "[a, b, c]"; an empty text is NULL.
/// The range is checked too; on failure the old value stands.
phx_result phxi_param_set(const phx_param_table* table, const phx_param* param, void* values, const char* text,
                          phxi_heap* heap);
/// The range of one value that is in the struct already, and of all; also that what must be given is. NaN is never
/// allowed; infinity only where the range ends in it.
phx_result phxi_param_check(const phx_param_table* table, const phx_param* param, const void* values);
phx_result phxi_params_check(const phx_param_table* table, const void* values);

/// Whether a value (a number or a word) is the same in two structs.
bool phxi_param_same(const phx_param* param, const void* a, const void* b);

/// Shorthands for the tables.
#define PHXI_REAL(type, field, unit, initial, low, high, help)                                                         \
    { #field, PHX_PARAM_REAL, offsetof(type, field), unit, help, initial, low, high, false, NULL }
#define PHXI_POSITIVE(type, field, unit, initial, high, help)                                                          \
    { #field, PHX_PARAM_REAL, offsetof(type, field), unit, help, initial, 0, high, true, NULL }
#define PHXI_INT(type, field, initial, low, high, help)                                                                \
    { #field, PHX_PARAM_INT, offsetof(type, field), "", help, initial, low, high, false, NULL }
#define PHXI_BOOL(type, field, initial, help)                                                                          \
    { #field, PHX_PARAM_BOOL, offsetof(type, field), "", help, initial, 0, 1, false, NULL }
#define PHXI_VEC3(type, field, unit, initial, help)                                                                    \
    { #field, PHX_PARAM_VEC3, offsetof(type, field), unit, help, initial, -1e15, 1e15, false, NULL }
#define PHXI_WORD(type, field, words, initial, help)                                                                   \
    { #field, PHX_PARAM_WORD, offsetof(type, field), "", help, initial, 0, 0, false, words }
#define PHXI_TEXT(type, field, initial, help)                                                                          \
    { #field, PHX_PARAM_TEXT, offsetof(type, field), "", help, initial, 0, 0, false, NULL }
#define PHXI_SHAPE(type, field, initial, help)                                                                         \
    { #field, PHX_PARAM_SHAPE, offsetof(type, field), "", help, initial, 0, 0, false, NULL }
#define PHXI_WORDS(type, field, initial, help)                                                                         \
    { #field, PHX_PARAM_WORDS, offsetof(type, field), "", help, initial, 0, 0, false, NULL }
