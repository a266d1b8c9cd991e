// SPDX-License-Identifier: MIT
// One pass, recursive to a limited depth; bytes are looked at only before the end, so texts need no zero behind them.
#include "core/json.h"

#include "core/text.h"

#include <limits.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct parser {
    phxi_json* json;
    const char *name, *at, *end;
    int line;
} parser;

static phx_result wrong(const parser* p, const char* expected) {
    if (p->at >= p->end) {
        return phxi_fail(PHX_ERROR_FORMAT, "%s:%d: the text ends, expected %s", p->name, p->line, expected);
    }
    const char c = *p->at >= ' ' && *p->at <= '~' ? *p->at : '?';
    return phxi_fail(PHX_ERROR_FORMAT, "%s:%d: '%c', expected %s", p->name, p->line, c, expected);
}

static char peek(parser* p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) {
        p->line += *p->at++ == '\n';
    }
    return p->at < p->end ? *p->at : 0;
}

static bool take(parser* p, char c) {
    if (peek(p) != c || p->at >= p->end) {
        return false;
    }
    ++p->at;
    return true;
}

static phx_result parse_string(parser* p, const char** text, size_t* length) {
    if (!take(p, '"')) {
        return wrong(p, "a text in quotes");
    }
    *text = p->at;
    while (p->at < p->end && *p->at != '"') {
        if ((unsigned char)*p->at < ' ') {
            return wrong(p, "no control characters within a text");
        }
        p->at += *p->at == '\\' && p->end - p->at > 1 ? 2 : 1;
    }
    if (p->at >= p->end) {
        return wrong(p, "the quote at the end of a text");
    }
    *length = (size_t)(p->at++ - *text);
    return PHX_OK;
}

static phx_result parse_number(parser* p, double* number) {
    const char* begin = p->at;
    while (p->at < p->end && strchr("+-.eE0123456789", *p->at) && *p->at) {
        ++p->at;
    }
    if (!phxi_parse_double(begin, (size_t)(p->at - begin), false, number)) {
        p->at = begin;
        return wrong(p, "a number that is finite");
    }
    return PHX_OK;
}

static phx_result parse_word(parser* p, phxi_json_kind* kind) {
    static const struct {
        const char* text;
        phxi_json_kind kind;
    } words[] = {{"null", PHXI_JSON_NULL}, {"true", PHXI_JSON_TRUE}, {"false", PHXI_JSON_FALSE}};
    for (int k = 0; k < 3; ++k) {
        const size_t length = strlen(words[k].text);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[k].text, length) == 0) {
            p->at += length;
            *kind = words[k].kind;
            return PHX_OK;
        }
    }
    return wrong(p, "a value: {, [, a text in quotes, a number, true, false or null");
}

static phx_result parse_value(parser* p, int depth, int* made);

/// Items of an array or members of an object, behind its bracket.
static phx_result parse_children(parser* p, int depth, int parent, bool members) {
    const char close = members ? '}' : ']';
    int last = -1, count = 0;
    if (take(p, close)) {
        return PHX_OK;
    }
    do {
        const char* key = NULL;
        size_t length = 0;
        int child;
        if (members) {
            PHXI_TRY(parse_string(p, &key, &length));
            if (!take(p, ':')) {
                return wrong(p, "a colon behind the name of a member");
            }
        }
        PHXI_TRY(parse_value(p, depth + 1, &child));
        phxi_json_value* values = p->json->values.items;
        values[child].key = key;
        values[child].key_length = length;
        *(last < 0 ? &values[parent].first : &values[last].next) = child;
        values[parent].count = ++count;
        last = child;
    } while (take(p, ','));
    return take(p, close) ? PHX_OK : wrong(p, members ? "a comma or }" : "a comma or ]");
}

static phx_result parse_value(parser* p, int depth, int* made) {
    if (depth > DEEPEST) {
        return wrong(p, "at most 64 brackets within each other");
    }
    phxi_json_value* value = phxi_array_add(&p->json->values, p->json->heap, "json");
    if (!value) {
        return PHX_ERROR_MEMORY;
    }
    *made = p->json->values.count - 1;
    *value = (phxi_json_value){.first = -1, .next = -1};
    const char c = peek(p);
    if (c == '{' || c == '[') {
        ++p->at;
        value->kind = c == '{' ? PHXI_JSON_OBJECT : PHXI_JSON_ARRAY;
        return parse_children(p, depth, *made, c == '{');
    }
    if (c == '"') {
        value->kind = PHXI_JSON_STRING;
        return parse_string(p, &value->text, &value->length);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        value->kind = PHXI_JSON_NUMBER;
        return parse_number(p, &value->number);
    }
    return parse_word(p, &value->kind);
}

phx_result phxi_json_parse(phxi_json* json, phxi_heap* heap, const char* name, const char* text, size_t size) {
    parser p = {json, name, text, text + size, 1};
    int whole;
    *json = (phxi_json){.heap = heap};
    PHXI_TRY(parse_value(&p, 0, &whole));
    peek(&p);
    return p.at == p.end ? PHX_OK : wrong(&p, "nothing behind the last bracket");
}

void phxi_json_destroy(phxi_json* json) {
    if (json->heap) {
        phxi_array_destroy(&json->values, json->heap);
    }
}

// -------------------------------------------------------------------------------------------------------------- asking

int phxi_json_member(const phxi_json* json, int parent, const char* key) {
    const phxi_json_value* values = json->values.items;
    if (parent < 0 || values[parent].kind != PHXI_JSON_OBJECT) {
        return -1;
    }
    const size_t length = strlen(key);
    for (int child = values[parent].first; child >= 0; child = values[child].next) {
        if (values[child].key_length == length && memcmp(values[child].key, key, length) == 0) {
            return child;
        }
    }
    return -1;
}

int phxi_json_first(const phxi_json* json, int parent) {
    return parent >= 0 && json->values.items[parent].kind == PHXI_JSON_ARRAY ? json->values.items[parent].first : -1;
}

int phxi_json_item(const phxi_json* json, int parent, int i) {
    int child = i < 0 ? -1 : phxi_json_first(json, parent);
    for (; i > 0 && child >= 0; --i) {
        child = json->values.items[child].next;
    }
    return child;
}

int phxi_json_index(const phxi_json* json, int value, int otherwise) {
    if (value < 0) {
        return otherwise;
    }
    const phxi_json_value* v = &json->values.items[value];
    const bool good =
        v->kind == PHXI_JSON_NUMBER && v->number >= 0 && v->number <= INT_MAX && v->number == (double)(int)v->number;
    return good ? (int)v->number : -2;
}

bool phxi_json_is(const phxi_json* json, int value, const char* text) {
    const phxi_json_value* v = value < 0 ? NULL : &json->values.items[value];
    return v && v->kind == PHXI_JSON_STRING && v->length == strlen(text) && memcmp(v->text, text, v->length) == 0;
}
