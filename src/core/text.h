// SPDX-License-Identifier: MIT
// Text helpers that do not depend on the locale: strict numbers, did-you-mean.
#pragma once

#include "core/heap.h"

/// A whole decimal number (optional sign, fraction, exponent; also "inf" and "nan" when `allow_special`), surrounded by
/// nothing. False if `text` of `length` bytes is anything else or overflows. Correctly rounded, '.' in every locale.
bool phxi_parse_double(const char* text, size_t length, bool allow_special, double* value);
bool phxi_parse_int(const char* text, size_t length, int64_t* value);

/// Shortest text that reads back as the same double ("0.1", "1e-05", "nan", "inf"); '.' in every locale.
void phxi_format_double(double value, char text[32]);
/// Likewise for a float's digits.
void phxi_format_float(float value, char text[32]);

/// Edits (insert, delete, replace, swap) from one text to the other.
int phxi_edit_distance(const char* a, const char* b);
/// The nearest word if it is near enough to be a slip of the finger, else NULL. `word(context, i)` gives the i-th.
const char* phxi_did_you_mean(const char* text, int count, const char* (*word)(const void* context, int i),
                              const void* context);
