// SPDX-License-Identifier: MIT
// A record of what something was made with: a line "section.name.key: value" for every parameter of a table. Two of
// them are compared line by line, so that the first difference can be named.
#pragma once

#include "core/array.h"
#include "core/log.h"
#include "core/params.h"

typedef PHXI_ARRAY(char) phxi_text;

typedef struct phxi_record {
    phxi_text text;
    phxi_heap* heap;
    bool failed; // out of memory on the way
    char prefix[160];
} phxi_record;

/// What follows is about section.name; without a name about section[index], below 0 about the section itself.
phxi_record phxi_record_begin(phxi_heap* heap, const char* section, const char* name, int index);
void phxi_record_table(phxi_record* record, const phx_param_table* table, const void* values);
/// Further lines. `key` may have dots.
void phxi_record_line(phxi_record* record, const char* key, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// The text, zero terminated, which the caller frees.
phx_result phxi_record_end(phxi_record* record, char** text);

/// A key that may differ; `told`: but not without a word, which ends with this.
typedef struct phxi_record_rule {
    const char* key;
    const char* told;
} phxi_record_rule;
/// PHX_ERROR_FORMAT with names and values of what differs, unless one of the rules (the last has no key) lets it pass.
/// Neither text needs an end.
phx_result phxi_record_compare(const char* then, size_t then_size, const char* now, size_t now_size,
                               const phxi_record_rule* rules, const phx_log* log);
