// SPDX-License-Identifier: MIT
#include "core/record.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 100, NAMED = 3 }; // bytes of a value in a message; differences in it

// ------------------------------------------------------------------------------------------------------------ writing

// Control characters would break the lines.
static void put(phxi_record* record, const char* text, size_t length) {
    if (record->failed || length > INT32_MAX ||
        !phxi_array_reserve(&record->text, (int)length, record->heap, "definition")) {
        record->failed = true;
        return;
    }
    for (size_t i = 0; i < length; ++i) {
        bool control = (unsigned char)text[i] < 0x20;
        record->text.items[record->text.count++] = (char)(control ? ' ' : text[i]);
    }
}

static void put_line(phxi_record* record, const char* key, const char* value) {
    put(record, record->prefix, strlen(record->prefix));
    put(record, key, strlen(key));
    put(record, ": ", 2);
    put(record, value, strlen(value));
    put(record, "", 0);
    if (!record->failed && phxi_array_reserve(&record->text, 1, record->heap, "definition")) {
        record->text.items[record->text.count++] = '\n';
    } else {
        record->failed = true;
    }
}

phxi_record phxi_record_begin(phxi_heap* heap, const char* section, const char* name, int index) {
    phxi_record record = {.heap = heap};
    if (name) {
        snprintf(record.prefix, sizeof record.prefix, "%s.%s.", section, name);
    } else if (index >= 0) {
        snprintf(record.prefix, sizeof record.prefix, "%s[%d].", section, index);
    } else {
        snprintf(record.prefix, sizeof record.prefix, "%s.", section);
    }
    return record;
}

void phxi_record_line(phxi_record* record, const char* key, const char* format, ...) {
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    put_line(record, key, value);
}

static void put_param(phxi_record* record, const phx_param* param, const void* value) {
    char text[3][32];
    const char* word = NULL;
    const phx_vec3* vector = value;
    switch (param->kind) {
    case PHX_PARAM_REAL:
        phxi_format_double(*(const double*)value, text[0]);
        put_line(record, param->name, text[0]);
        return;
    case PHX_PARAM_VEC3:
        phxi_format_double(vector->x, text[0]);
        phxi_format_double(vector->y, text[1]);
        phxi_format_double(vector->z, text[2]);
        phxi_record_line(record, param->name, "%s %s %s", text[0], text[1], text[2]);
        return;
    case PHX_PARAM_INT:
        phxi_record_line(record, param->name, "%d", *(const int*)value);
        return;
    case PHX_PARAM_WORD:
        put_line(record, param->name, param->words[*(const int*)value]);
        return;
    case PHX_PARAM_BOOL:
        put_line(record, param->name, *(const bool*)value ? "true" : "false");
        return;
    case PHX_PARAM_TEXT:
    case PHX_PARAM_SHAPE:
    case PHX_PARAM_WORDS:
        memcpy(&word, value, sizeof word);
        put_line(record, param->name, word ? word : "");
        return;
    }
}

void phxi_record_table(phxi_record* record, const phx_param_table* table, const void* values) {
    for (int i = 0; i < table->count; ++i) {
        put_param(record, &table->params[i], (const char*)values + table->params[i].offset);
    }
}

phx_result phxi_record_end(phxi_record* record, char** text) {
    *text = NULL;
    if (record->failed || !phxi_array_reserve(&record->text, 1, record->heap, "definition")) {
        phxi_array_destroy(&record->text, record->heap);
        return PHX_ERROR_MEMORY;
    }
    record->text.items[record->text.count] = 0;
    *text = record->text.items;
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- comparing

typedef struct line {
    const char *key, *value;
    size_t key_length, value_length;
} line;

typedef struct reader {
    const char *begin, *at, *end;
} reader;

// The line that stands next; false at the end. A line without a colon is all key.
static bool peek(const reader* r, line* l) {
    if (r->at == r->end) {
        return false;
    }
    size_t left = (size_t)(r->end - r->at);
    const char* stop = memchr(r->at, '\n', left);
    size_t length = stop ? (size_t)(stop - r->at) : left;
    *l = (line){.key = r->at, .key_length = length, .value = r->at + length};
    for (size_t i = 0; i + 1 < length; ++i) {
        if (r->at[i] == ':' && r->at[i + 1] == ' ') {
            *l = (line){r->at, r->at + i + 2, i, length - i - 2};
            break;
        }
    }
    return true;
}

static void pass(reader* r, const line* l) {
    r->at = l->value + l->value_length;
    r->at += r->at < r->end; // the line's end
}

static bool same(const char* a, size_t a_length, const char* b, size_t b_length) {
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool has_key(const reader* r, const line* wanted) {
    reader all = {r->begin, r->begin, r->end};
    for (line l; peek(&all, &l); pass(&all, &l)) {
        if (same(l.key, l.key_length, wanted->key, wanted->key_length)) {
            return true;
        }
    }
    return false;
}

// Of a long text the part from a little before the place where the two begin to differ.
static void quote(const line* l, const line* other, char text[VALUE]) {
    size_t differs = 0;
    while (differs < l->value_length && differs < other->value_length && l->value[differs] == other->value[differs]) {
        ++differs;
    }
    size_t from = l->value_length < VALUE - 8 || differs < 20 ? 0 : differs - 20;
    size_t length = l->value_length - from;
    bool cut = length > VALUE - 8;
    if (length == 0 && from == 0) {
        snprintf(text, VALUE, "nothing");
        return;
    }
    snprintf(text, VALUE, "%s%.*s%s", from ? "..." : "", (int)(cut ? VALUE - 8 : length), l->value + from,
             cut ? "..." : "");
}

static const phxi_record_rule* rule_of(const phxi_record_rule* rules, const line* l) {
    for (; rules && rules->key; ++rules) {
        if (same(l->key, l->key_length, rules->key, strlen(rules->key))) {
            return rules;
        }
    }
    return NULL;
}

static phx_result fail_alone(const line* l, const char* where) {
    return phxi_fail(PHX_ERROR_FORMAT, "%.*s is only %s", (int)(l->key_length < 200 ? l->key_length : 200), l->key,
                     where);
}

// Both have a line, and the keys are not the same.
static phx_result fail_keys(const reader* then, const line* old, const reader* now, const line* new) {
    if (!has_key(now, old)) {
        return fail_alone(old, "in the checkpoint");
    }
    if (!has_key(then, new)) {
        return fail_alone(new, "in what it is loaded into");
    }
    return phxi_fail(PHX_ERROR_FORMAT, "%.*s comes where the checkpoint has %.*s",
                     (int)(new->key_length < 200 ? new->key_length : 200), new->key,
                     (int)(old->key_length < 200 ? old->key_length : 200), old->key);
}

phx_result phxi_record_compare(const char* then, size_t then_size, const char* now, size_t now_size,
                               const phxi_record_rule* rules, const phx_log* log) {
    reader a = {then, then, then + then_size}, b = {now, now, now + now_size};
    char found[1000] = "";
    size_t used = 0;
    int count = 0;
    for (line old, new;;) {
        bool more = peek(&a, &old);
        if (more != peek(&b, &new)) {
            return count  ? phxi_fail(PHX_ERROR_FORMAT, "%s", found)
                   : more ? fail_alone(&old, "in the checkpoint")
                          : fail_alone(&new, "in what it is loaded into");
        }
        if (!more) {
            break;
        }
        if (!same(old.key, old.key_length, new.key, new.key_length)) {
            return count ? phxi_fail(PHX_ERROR_FORMAT, "%s", found) : fail_keys(&a, &old, &b, &new);
        }
        const phxi_record_rule* rule = rule_of(rules, &old);
        if (!same(old.value, old.value_length, new.value, new.value_length) && !(rule && !rule->told)) {
            char text[512], values[2][VALUE];
            quote(&old, &new, values[0]);
            quote(&new, &old, values[1]);
            snprintf(text, sizeof text, "%.*s: checkpoint %s, now %s",
                     (int)(old.key_length < 200 ? old.key_length : 200), old.key, values[0], values[1]);
            if (rule) {
                phxi_log(log, PHX_LOG_WARNING, "%s: %s", text, rule->told);
            } else if (count++ < NAMED && used < sizeof found) {
                used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", used ? "; " : "", text);
            }
        }
        pass(&a, &old);
        pass(&b, &new);
    }
    if (count > NAMED) {
        return phxi_fail(PHX_ERROR_FORMAT, "%.900s; and %d more", found, count - NAMED);
    }
    return count ? phxi_fail(PHX_ERROR_FORMAT, "%s", found) : PHX_OK;
}
