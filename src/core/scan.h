// SPDX-License-Identifier: MIT
// Tokens of short texts (shapes, expressions): what stands next, and errors that name its column.
#pragma once

#include "core/error.h"

enum { PHXI_SCAN_WORD = 31, PHXI_SCAN_TEXT = 65536 };

typedef struct phxi_scan {
    const char* text;
    size_t at;
} phxi_scan;

typedef struct phxi_word {
    char text[PHXI_SCAN_WORD + 1];
    size_t at;
} phxi_word;

/// Fails with PHX_ERROR_FORMAT, "column 3: ..." in front.
__attribute__((format(printf, 2, 3))) phx_result phxi_scan_fail(size_t at, const char* format, ...);
/// Texts of more than PHXI_SCAN_TEXT bytes are refused.
phx_result phxi_scan_begin(const char* text, phxi_scan* scan);
bool phxi_is_letter(char c); ///< or an underscore
bool phxi_is_digit(char c);
/// The next character that is not blank; 0 at the end.
char phxi_scan_peek(phxi_scan* scan);
/// What stands at this place, for a message.
const char* phxi_scan_found(const phxi_scan* scan, char text[8]);
/// Takes this character; `where` follows what was found instead in the message.
phx_result phxi_scan_expect(phxi_scan* scan, char wanted, const char* where);
/// Letters, digits and underscores.
phx_result phxi_scan_word(phxi_scan* scan, phxi_word* word);
/// A number of at most 1e15; with its sign if that is part of it.
phx_result phxi_scan_number(phxi_scan* scan, bool with_sign, double* value);
