// SPDX-License-Identifier: MIT
// One reader for every kind of parameter. A value is parsed and checked beside the struct and written when it is good,
// so a failed call leaves the old one.
#include "core/params.h"
#include "core/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct span {
    const char* text;
    size_t length;
} span;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static span trim(const char* text, size_t length) {
    while (length > 0 && is_blank(text[0])) {
        ++text;
        --length;
    }
    while (length > 0 && is_blank(text[length - 1])) {
        --length;
    }
    return (span){text, length};
}

// Takes one pair of brackets or parentheses away, if the text stands in one.
static span unwrap(span s) {
    if (s.length >= 2 &&
        ((s.text[0] == '[' && s.text[s.length - 1] == ']') || (s.text[0] == '(' && s.text[s.length - 1] == ')'))) {
        return trim(s.text + 1, s.length - 2);
    }
    return s;
}

static bool is(span s, const char* word) {
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

static phx_result fail_kind(const phx_param* param, span s, const char* expected) {
    int length = s.length > 60 ? 60 : (int)s.length;
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s is '%.*s', expected %s", param->name, length, s.text, expected);
}

// ------------------------------------------------------------------------------------------------------- checking

static phx_result check_number(const phx_param* param, const char* component, double value) {
    bool low = param->exclusive ? !(value > param->minimum) : !(value >= param->minimum);
    bool high = !(value <= param->maximum);
    if (!low && !high) {
        return PHX_OK;
    }
    char number[32], minimum[32], maximum[32], expected[96];
    phxi_format_double(value, number);
    phxi_format_double(param->minimum, minimum);
    phxi_format_double(param->maximum, maximum);
    const char* gap = param->unit && param->unit[0] ? " " : "";
    const char* unit = param->unit ? param->unit : "";
    // Only the bound that is broken; both for NaN.
    snprintf(expected, sizeof expected, "%s%s%s%s%s",
             !low               ? ""
             : param->exclusive ? "above "
                                : "at least ",
             low ? minimum : "", low && high ? " and " : "", high ? "at most " : "", high ? maximum : "");
    if (!param->initial && value == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%s%s must be given, expected %s%s%s", param->name, component, expected,
                         gap, unit);
    }
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s%s is %s%s%s, expected %s%s%s", param->name, component, number, gap, unit,
                     expected, gap, unit);
}

static phx_result check_vec3(const phx_param* param, const phx_vec3* value) {
    PHXI_TRY(check_number(param, ".x", value->x));
    PHXI_TRY(check_number(param, ".y", value->y));
    return check_number(param, ".z", value->z);
}

static int word_count(const phx_param* param) {
    int count = 0;
    while (param->words && param->words[count]) {
        ++count;
    }
    return count;
}

phx_result phxi_param_check(const phx_param_table* table, const phx_param* param, const void* values) {
    (void)table;
    const void* value = (const char*)values + param->offset;
    switch (param->kind) {
    case PHX_PARAM_REAL:
        return check_number(param, "", *(const double*)value);
    case PHX_PARAM_INT:
        return check_number(param, "", *(const int*)value);
    case PHX_PARAM_VEC3:
        return check_vec3(param, value);
    case PHX_PARAM_WORD: {
        int word = *(const int*)value, count = word_count(param);
        return word >= 0 && word < count
                   ? PHX_OK
                   : phxi_fail(PHX_ERROR_ARGUMENT, "%s is number %d, expected 0 to %d", param->name, word, count - 1);
    }
    case PHX_PARAM_BOOL:
        break;
    case PHX_PARAM_TEXT:
    case PHX_PARAM_SHAPE:
    case PHX_PARAM_WORDS:
        if (!param->initial && !*(const char* const*)value) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "%s must be given", param->name);
        }
        break;
    }
    return PHX_OK;
}

phx_result phxi_params_check(const phx_param_table* table, const void* values) {
    for (int i = 0; i < table->count; ++i) {
        PHXI_TRY(phxi_param_check(table, &table->params[i], values));
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- setting

static phx_result set_real(const phx_param* param, void* value, span s) {
    double number;
    if (!phxi_parse_double(s.text, s.length, true, &number)) {
        return fail_kind(param, s, "a number");
    }
    PHXI_TRY(check_number(param, "", number));
    *(double*)value = number;
    return PHX_OK;
}

static phx_result set_int(const phx_param* param, void* value, span s) {
    int64_t number;
    if (!phxi_parse_int(s.text, s.length, &number)) {
        return fail_kind(param, s, "a whole number");
    }
    PHXI_TRY(check_number(param, "", (double)number));
    if (number < INT_MIN || number > INT_MAX) {
        return fail_kind(param, s, "a whole number of at most 2147483647");
    }
    *(int*)value = (int)number;
    return PHX_OK;
}

static phx_result set_bool(const phx_param* param, void* value, span s) {
    bool yes = is(s, "true") || is(s, "yes") || is(s, "on");
    if (!yes && !is(s, "false") && !is(s, "no") && !is(s, "off")) {
        return fail_kind(param, s, "true or false");
    }
    *(bool*)value = yes;
    return PHX_OK;
}

static phx_result set_vec3(const phx_param* param, void* value, span s) {
    span inner = unwrap(s);
    const char *at = inner.text, *end = inner.text + inner.length;
    double numbers[3];
    for (int i = 0; i < 3; ++i) {
        const char* comma = i < 2 ? memchr(at, ',', (size_t)(end - at)) : end;
        span part = comma ? trim(at, (size_t)(comma - at)) : (span){at, 0};
        if (!comma || !phxi_parse_double(part.text, part.length, true, &numbers[i])) {
            return fail_kind(param, s, "three numbers \"x, y, z\"");
        }
        at = comma + (i < 2);
    }
    phx_vec3 vector = {numbers[0], numbers[1], numbers[2]};
    PHXI_TRY(check_vec3(param, &vector));
    *(phx_vec3*)value = vector;
    return PHX_OK;
}

static const char* word_at(const void* context, int i) {
    return ((const phx_param*)context)->words[i];
}

static phx_result set_word(const phx_param* param, void* value, span s) {
    int count = word_count(param);
    for (int i = 0; i < count; ++i) {
        if (is(s, param->words[i])) {
            *(int*)value = i;
            return PHX_OK;
        }
    }
    char list[512] = "one of", text[64];
    size_t used = strlen(list);
    for (int i = 0; i < count && used < sizeof list; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s %s", i ? "," : "", param->words[i]);
    }
    snprintf(text, sizeof text, "%.*s", s.length > 63 ? 63 : (int)s.length, s.text);
    const char* near = phxi_did_you_mean(text, count, word_at, param);
    phx_result result = fail_kind(param, s, list);
    return near ? phxi_fail(result, "%s; did you mean '%s'?", phx_error_message(), near) : result;
}

static phx_result set_text(void* value, span s, phxi_heap* heap) {
    char* copy = NULL;
    if (s.length > 0) {
        copy = phxi_alloc(heap, s.length + 1, 1, "texts");
        if (!copy) {
            return PHX_ERROR_MEMORY;
        }
        memcpy(copy, s.text, s.length);
        copy[s.length] = 0;
    }
    *(const char**)value = copy;
    return PHX_OK;
}

// "[a, b, c]" or "a b c", kept as "a b c".
static phx_result set_words(const phx_param* param, void* value, span s, phxi_heap* heap) {
    span inner = unwrap(s);
    char* list = phxi_alloc(heap, inner.length + 1, 1, "texts");
    if (!list) {
        return PHX_ERROR_MEMORY;
    }
    size_t used = 0;
    bool comma = true; // one may not stand here
    for (size_t i = 0; i < inner.length;) {
        char c = inner.text[i];
        if (is_blank(c)) {
            ++i;
        } else if (c == ',') {
            if (comma) {
                phxi_free(heap, list);
                return fail_kind(param, s, "words, as in \"[a, b, c]\" or \"a b c\"");
            }
            comma = true;
            ++i;
        } else {
            if (used > 0) {
                list[used++] = ' ';
            }
            for (; i < inner.length && inner.text[i] != ',' && !is_blank(inner.text[i]); ++i) {
                list[used++] = inner.text[i];
            }
            comma = false;
        }
    }
    list[used] = 0;
    if (used == 0) {
        phxi_free(heap, list);
        list = NULL;
    }
    *(const char**)value = list;
    return PHX_OK;
}

phx_result phxi_param_set(const phx_param_table* table, const phx_param* param, void* values, const char* text,
                          phxi_heap* heap) {
    (void)table;
    void* value = (char*)values + param->offset;
    span s = trim(text, strlen(text));
    switch (param->kind) {
    case PHX_PARAM_REAL:
        return set_real(param, value, s);
    case PHX_PARAM_INT:
        return set_int(param, value, s);
    case PHX_PARAM_BOOL:
        return set_bool(param, value, s);
    case PHX_PARAM_VEC3:
        return set_vec3(param, value, s);
    case PHX_PARAM_WORD:
        return set_word(param, value, s);
    case PHX_PARAM_TEXT:
    case PHX_PARAM_SHAPE:
        return set_text(value, s, heap);
    case PHX_PARAM_WORDS:
        return set_words(param, value, s, heap);
    }
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s is of an unknown kind", param->name);
}

void phxi_params_defaults(const phx_param_table* table, void* values) {
    memset(values, 0, table->size);
    for (int i = 0; i < table->count; ++i) {
        const phx_param* param = &table->params[i];
        if (!param->initial || !param->initial[0]) {
            continue;
        }
        if (param->kind == PHX_PARAM_TEXT || param->kind == PHX_PARAM_SHAPE || param->kind == PHX_PARAM_WORDS) {
            *(const char**)(void*)((char*)values + param->offset) = param->initial;
            continue;
        }
        phx_result result = phxi_param_set(table, param, values, param->initial, NULL);
        PHXI_ASSERT(result == PHX_OK); // the table breaks its own rules
        (void)result;
    }
}

static const char* name_at(const void* context, int i) {
    return ((const phx_param_table*)context)->params[i].name;
}

const phx_param* phxi_param_find(const phx_param_table* table, const char* name) {
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->params[i].name, name) == 0) {
            return &table->params[i];
        }
    }
    const char* near = phxi_did_you_mean(name, table->count, name_at, table);
    if (near) {
        phxi_fail(PHX_ERROR_ARGUMENT, "unknown key '%.60s' in %s, did you mean '%s'?", name, table->name, near);
    } else {
        phxi_fail(PHX_ERROR_ARGUMENT, "unknown key '%.60s' in %s", name, table->name);
    }
    return NULL;
}

bool phxi_param_same(const phx_param* param, const void* a, const void* b) {
    size_t size = param->kind == PHX_PARAM_REAL   ? sizeof(double)
                  : param->kind == PHX_PARAM_BOOL ? sizeof(bool)
                  : param->kind == PHX_PARAM_VEC3 ? sizeof(phx_vec3)
                                                  : sizeof(int);
    return memcmp((const char*)a + param->offset, (const char*)b + param->offset, size) == 0;
}
