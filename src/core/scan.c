// SPDX-License-Identifier: MIT
#include "core/scan.h"

#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

phx_result phxi_scan_fail(size_t at, const char* format, ...) {
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return phxi_fail(PHX_ERROR_FORMAT, "column %zu: %s", at + 1, what);
}

phx_result phxi_scan_begin(const char* text, phxi_scan* scan) {
    *scan = (phxi_scan){.text = text};
    return strnlen(text, PHXI_SCAN_TEXT + 1) <= PHXI_SCAN_TEXT
               ? PHX_OK
               : phxi_scan_fail(PHXI_SCAN_TEXT, "the text goes on, expected at most %d bytes", PHXI_SCAN_TEXT);
}

bool phxi_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool phxi_is_digit(char c) {
    return c >= '0' && c <= '9';
}

char phxi_scan_peek(phxi_scan* scan) {
    while (strchr(" \t\r\n", scan->text[scan->at]) && scan->text[scan->at]) {
        ++scan->at;
    }
    return scan->text[scan->at];
}

const char* phxi_scan_found(const phxi_scan* scan, char text[8]) {
    unsigned char c = (unsigned char)scan->text[scan->at];
    if (c == 0) {
        return "the end";
    }
    snprintf(text, 8, c >= 32 && c < 127 ? "'%c'" : "\\x%02X", c);
    return text;
}

phx_result phxi_scan_expect(phxi_scan* scan, char wanted, const char* where) {
    char text[8];
    if (phxi_scan_peek(scan) != wanted) {
        return phxi_scan_fail(scan->at, "%s %s, expected '%c'", phxi_scan_found(scan, text), where, wanted);
    }
    ++scan->at;
    return PHX_OK;
}

phx_result phxi_scan_word(phxi_scan* scan, phxi_word* word) {
    word->at = scan->at;
    size_t length = 0;
    while (phxi_is_letter(scan->text[scan->at]) || phxi_is_digit(scan->text[scan->at])) {
        if (length == PHXI_SCAN_WORD) {
            return phxi_scan_fail(word->at, "a word of more than %d letters, expected a name", PHXI_SCAN_WORD);
        }
        word->text[length++] = scan->text[scan->at++];
    }
    word->text[length] = 0;
    return PHX_OK;
}

/// How many bytes look like a number: with its sign, signs may stand anywhere in it, so that "1-2" is one mistake;
/// without, only behind an exponent's e.
static size_t number_length(const char* start, bool with_sign) {
    size_t length = 0;
    for (bool power = false;; ++length) {
        char c = start[length];
        bool sign = (c == '+' || c == '-') && (with_sign || power);
        power = length > 0 && (c == 'e' || c == 'E');
        if (!phxi_is_digit(c) && c != '.' && !sign && !power) {
            return length;
        }
    }
}

phx_result phxi_scan_number(phxi_scan* scan, bool with_sign, double* value) {
    char text[8];
    phxi_scan_peek(scan);
    const char* start = scan->text + scan->at;
    size_t length = number_length(start, with_sign);
    if (length == 0) {
        return phxi_scan_fail(scan->at, "%s, expected a number", phxi_scan_found(scan, text));
    }
    if (!phxi_parse_double(start, length, false, value)) {
        return phxi_scan_fail(scan->at, "'%.*s', expected a number", length < 40 ? (int)length : 40, start);
    }
    if (fabs(*value) > 1e15) {
        return phxi_scan_fail(scan->at, "%g is too large, expected -1e+15 to 1e+15", *value);
    }
    scan->at += length;
    return PHX_OK;
}
