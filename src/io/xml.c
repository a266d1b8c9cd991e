// SPDX-License-Identifier: MIT
#include "io/xml.h"

#include "core/text.h"

#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == ':' || c == '.';
}

static void step(phxi_source* s) {
    s->line += *s->at++ == '\n';
}

static void skip_blanks(phxi_source* s) {
    while (s->at < s->end && is_blank(*s->at)) {
        step(s);
    }
}

static phxi_word take_name(phxi_source* s) {
    phxi_word word = {s->at, 0};
    while (s->at < s->end && is_name(*s->at)) {
        ++s->at;
    }
    word.length = (size_t)(s->at - word.text);
    return word;
}

static bool take(phxi_source* s, char c) {
    if (s->at < s->end && *s->at == c) {
        step(s);
        return true;
    }
    return false;
}

// Past the next `text`.
static bool skip_past(phxi_source* s, const char* text) {
    size_t length = strlen(text);
    for (; phxi_source_left(s) >= length; step(s)) {
        if (memcmp(s->at, text, length) == 0) {
            s->at += length;
            return true;
        }
    }
    return false;
}

static phx_result fail_end(const phxi_source* s) {
    return phxi_source_fail(s, "the file ends in the middle of its XML");
}

static phx_result read_attributes(phxi_source* s, phxi_tag* tag) {
    for (;;) {
        skip_blanks(s);
        if (s->at == s->end) {
            return fail_end(s);
        }
        if (take(s, '/')) {
            tag->empty = true;
            return take(s, '>') ? PHX_OK : phxi_source_fail(s, "'/' inside a tag, expected '/>'");
        }
        if (take(s, '>')) {
            return PHX_OK;
        }
        phxi_attribute a = {.name = take_name(s)};
        if (a.name.length == 0 || tag->attribute_count == PHXI_TAG_ATTRIBUTES) {
            return phxi_source_fail(s, "the tag '%s' cannot be read", phxi_word_quote(tag->name).text);
        }
        skip_blanks(s);
        bool equals = take(s, '=');
        skip_blanks(s);
        if (!equals || !take(s, '"')) {
            return phxi_source_fail(s, "attribute '%s' without a value in quotes", phxi_word_quote(a.name).text);
        }
        a.value.text = s->at;
        while (s->at < s->end && *s->at != '"' && *s->at != '<') {
            step(s);
        }
        a.value.length = (size_t)(s->at - a.value.text);
        if (!take(s, '"')) {
            return phxi_source_fail(s, "the value of attribute '%s' has no end", phxi_word_quote(a.name).text);
        }
        tag->attributes[tag->attribute_count++] = a;
    }
}

phx_result phxi_tag_next(phxi_source* s, phxi_tag* tag) {
    *tag = (phxi_tag){.before = {s->at, 0}};
    for (;;) {
        while (s->at < s->end && *s->at != '<') {
            step(s);
        }
        tag->before.length = (size_t)(s->at - tag->before.text);
        if (!take(s, '<') || s->at == s->end) {
            return fail_end(s);
        }
        bool question = *s->at == '?', comment = *s->at == '!';
        if (!question && !comment) {
            break;
        }
        if (!skip_past(s, question ? "?>" : "-->")) {
            return fail_end(s);
        }
        tag->before.text = s->at;
    }
    tag->closes = take(s, '/');
    tag->name = take_name(s);
    if (tag->name.length == 0) {
        return phxi_source_fail(s, "'<' without the name of a tag");
    }
    return read_attributes(s, tag);
}

bool phxi_tag_is(const phxi_tag* tag, const char* name) {
    return tag->closes == (name[0] == '/') && phxi_word_is(tag->name, name + (name[0] == '/'));
}

phx_result phxi_tag_expect(phxi_source* s, const char* name, phxi_tag* tag) {
    PHXI_TRY(phxi_tag_next(s, tag));
    if (!phxi_tag_is(tag, name)) {
        return phxi_source_fail(s, "<%s%s> where <%s> was expected, as phyxel writes it", tag->closes ? "/" : "",
                                phxi_word_quote(tag->name).text, name);
    }
    return PHX_OK;
}

bool phxi_tag_find(const phxi_tag* tag, const char* name, phxi_word* value) {
    for (int i = 0; i < tag->attribute_count; ++i) {
        if (phxi_word_is(tag->attributes[i].name, name)) {
            *value = tag->attributes[i].value;
            return true;
        }
    }
    return false;
}

phx_result phxi_tag_demand(const phxi_source* s, const phxi_tag* tag, const char* name, const char* value) {
    phxi_word found;
    if (!phxi_tag_find(tag, name, &found)) {
        return phxi_source_fail(s, "<%s> has no %s, expected \"%s\"", phxi_word_quote(tag->name).text, name, value);
    }
    if (!phxi_word_is(found, value)) {
        return phxi_source_fail(s, "%s is \"%s\", expected \"%s\" as phyxel writes it", name,
                                phxi_word_quote(found).text, value);
    }
    return PHX_OK;
}

phx_result phxi_tag_count(const phxi_source* s, const phxi_tag* tag, const char* name, int64_t high, int64_t* value) {
    phxi_word found;
    if (!phxi_tag_find(tag, name, &found)) {
        return phxi_source_fail(s, "<%s> has no %s", phxi_word_quote(tag->name).text, name);
    }
    if (!phxi_parse_int(found.text, found.length, value) || *value < 0 || *value > high) {
        return phxi_source_fail(s, "%s is \"%s\", expected 0 to %lld", name, phxi_word_quote(found).text,
                                (long long)high);
    }
    return PHX_OK;
}
