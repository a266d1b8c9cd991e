// SPDX-License-Identifier: MIT
// YAML to tree, by libyaml's event interface: its document loader hangs on deep nesting, accepts duplicate keys and
// expands aliases without bound; here every one of these is refused where it stands. The parser keeps a stack of open
// nodes instead of recursing, so that depth is a number and not a matter of the C stack.
//
// The text is looked at once before libyaml sees it: UTF-8, control characters and tabs used as indentation are found
// with a place and words that libyaml does not give. libyaml itself allocates by malloc; its memory is bounded by the
// size of the text and gone when phxi_tree_read returns.
#include "io/scene_tree.h"

#include "core/hash.h"

#include <string.h>
#include <yaml.h>

enum { NAME_SHOWN = 200 };

// Only the end of a very long name is shown, so that the message behind it is not cut off.
static const char* shown(const char* name) {
    size_t length = strlen(name);
    return length > NAME_SHOWN ? name + (length - NAME_SHOWN) : name;
}

phx_result phxi_place_within(phx_result result, const char* name, phxi_place place) {
    if (place.setting) {
        return phxi_fail_within(result, "%.*s", NAME_SHOWN, place.setting);
    }
    return phxi_fail_within(result, "%s:%d:%d", shown(name), place.line, place.column);
}

phx_result(phxi_tree_fail)(const phxi_tree* tree, phxi_place place, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    phxi_fail_v(PHX_ERROR_FORMAT, format, arguments);
    va_end(arguments);
    return phxi_place_within(PHX_ERROR_FORMAT, tree->name, place);
}

// -------------------------------------------------------------------------------------------------------------- nodes

phxi_node* phxi_node_find(const phxi_node* map, const char* key) {
    uint64_t hash = phxi_hash_bytes(key, strlen(key), 0);
    for (phxi_node* node = map->first; node; node = node->next) {
        if (node->key_hash == hash && node->key && strcmp(node->key, key) == 0) {
            return node;
        }
    }
    return NULL;
}

phx_result phxi_node_add(phxi_tree* tree, phxi_node* parent, phxi_node_kind kind, const char* key, phxi_place place,
                         phxi_node** result) {
    if (tree->node_count >= PHXI_TREE_NODES) {
        return phxi_tree_fail(tree, place, "more than %d values, that is no scene", PHXI_TREE_NODES);
    }
    phxi_node* node = phxi_alloc_zero(tree->heap, 1, sizeof *node, "scene tree");
    if (!node) {
        return PHX_ERROR_MEMORY;
    }
    node->kind = kind;
    node->place = node->key_place = place;
    if (key) {
        node->key = phxi_strdup(tree->heap, key, "scene tree");
        node->key_hash = phxi_hash_bytes(key, strlen(key), 0);
        if (!node->key) {
            return PHX_ERROR_MEMORY;
        }
    }
    if (parent) {
        *(parent->last ? &parent->last->next : &parent->first) = node;
        parent->last = node;
        ++parent->count;
    }
    ++tree->node_count;
    *result = node;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------- the text, before libyaml

// Length of the UTF-8 sequence at `s`, 0 if it is none (overlong forms, surrogates and numbers above 10FFFF included).
static int utf8_length(const unsigned char* s, size_t left) {
    if (s[0] < 0x80) {
        return 1;
    }
    int length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || left < (size_t)length) {
        return 0;
    }
    for (int i = 1; i < length; ++i) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

static phx_result check_text(const phxi_tree* tree, const char* text, size_t size) {
    phxi_place place = {1, 1, NULL};
    if (size > PHXI_TREE_BYTES) {
        return phxi_tree_fail(tree, place, "the file has %zu bytes, expected a scene of at most 16 MiB", size);
    }
    bool indentation = true;
    for (size_t i = 0; i < size;) {
        const unsigned char* s = (const unsigned char*)text + i;
        int length = utf8_length(s, size - i);
        if (length == 0) {
            return phxi_tree_fail(tree, place, "byte 0x%02x is not UTF-8, expected a text file in UTF-8", s[0]);
        }
        if ((s[0] < 0x20 && s[0] != '\n' && s[0] != '\r' && s[0] != '\t') || s[0] == 0x7F) {
            return phxi_tree_fail(tree, place, "control character 0x%02x, expected a text file", s[0]);
        }
        if (s[0] == '\t' && indentation) {
            return phxi_tree_fail(tree, place, "a tab as indentation, expected blanks");
        }
        if (s[0] == '\n') {
            ++place.line;
            place.column = 0;
        }
        indentation = s[0] == '\n' || (indentation && s[0] == ' ');
        ++place.column;
        i += (size_t)length;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- events

typedef struct reader {
    phxi_tree* tree;
    phxi_node* open[PHXI_TREE_DEPTH];
    int depth;
    char key[PHXI_TREE_KEY + 1]; // of the value that comes next in a map
    phxi_place key_place;
    bool has_key;
} reader;

static phxi_place place_of(yaml_mark_t mark) {
    return (phxi_place){(int)mark.line + 1, (int)mark.column + 1, NULL};
}

static phx_result refuse_extras(const reader* r, phxi_place place, const void* anchor, const void* tag) {
    if (anchor) {
        return phxi_tree_fail(r->tree, place, "anchors (&name) are not used in scenes, expected the value itself");
    }
    if (tag) {
        return phxi_tree_fail(r->tree, place, "tags (!name) are not used in scenes, expected the value itself");
    }
    return PHX_OK;
}

static phx_result take_key(reader* r, const yaml_event_t* event, phxi_place place) {
    if (event->type != YAML_SCALAR_EVENT) {
        return phxi_tree_fail(r->tree, place, "a list or map as a key, expected a word");
    }
    const char* text = (const char*)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (length > PHXI_TREE_KEY || length == 0) {
        return phxi_tree_fail(r->tree, place, "a key of %zu bytes, expected 1 to %d", length, PHXI_TREE_KEY);
    }
    for (size_t i = 0; i < length; ++i) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) {
            return phxi_tree_fail(r->tree, place, "control character in a key, expected a word");
        }
    }
    memcpy(r->key, text, length + 1);
    const phxi_node* map = r->open[r->depth - 1];
    const phxi_node* twin = phxi_node_find(map, r->key);
    if (twin) {
        return phxi_tree_fail(r->tree, place, "duplicate key '%s', it stands at line %d already", r->key,
                              twin->key_place.line);
    }
    if (map->count >= PHXI_TREE_KEYS) {
        return phxi_tree_fail(r->tree, place, "more than %d keys in one map", PHXI_TREE_KEYS);
    }
    r->key_place = place;
    r->has_key = true;
    return PHX_OK;
}

static phx_result take_text(reader* r, const yaml_event_t* event, phxi_node* node) {
    size_t length = event->data.scalar.length;
    if (length > PHXI_TREE_VALUE) {
        return phxi_tree_fail(r->tree, node->place, "a value of %zu bytes, expected at most 64 KiB", length);
    }
    char* text = phxi_alloc(r->tree->heap, length + 1, 1, "scene tree");
    if (!text) {
        return PHX_ERROR_MEMORY;
    }
    memcpy(text, event->data.scalar.value, length + 1);
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
            text[i] = ' ';
        } else if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) {
            return phxi_tree_fail(r->tree, node->place, "control character in a value");
        }
    }
    while (length > 0 && text[length - 1] == ' ') { // a block scalar ends in a line end
        text[--length] = 0;
    }
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return PHX_OK;
}

// One scalar, or the start of a list or map.
static phx_result take_node(reader* r, const yaml_event_t* event, phxi_node_kind kind, const void* anchor,
                            const void* tag) {
    phxi_place place = place_of(event->start_mark);
    PHXI_TRY(refuse_extras(r, place, anchor, tag));
    phxi_node* parent = r->depth ? r->open[r->depth - 1] : NULL;
    bool in_map = parent && parent->kind == PHXI_NODE_MAP;
    if (in_map && !r->has_key) {
        return take_key(r, event, place);
    }
    if (!parent && kind != PHXI_NODE_MAP) {
        return phxi_tree_fail(r->tree, place, "expected a scene: keys such as 'bodies:' at the start of a line");
    }
    phxi_node* node = NULL;
    PHXI_TRY(phxi_node_add(r->tree, parent, kind, in_map ? r->key : NULL, place, &node));
    if (in_map) {
        node->key_place = r->key_place;
        r->has_key = false;
    }
    if (kind == PHXI_NODE_VALUE) {
        return take_text(r, event, node);
    }
    if (r->depth == PHXI_TREE_DEPTH) {
        return phxi_tree_fail(r->tree, place, "nested more than %d deep", PHXI_TREE_DEPTH);
    }
    r->open[r->depth++] = node;
    if (!parent) {
        r->tree->root = node;
    }
    return PHX_OK;
}

static phx_result take_event(reader* r, const yaml_event_t* event) {
    phxi_place place = place_of(event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->tree->root) {
            return phxi_tree_fail(r->tree, place, "a second document, expected one scene in a file");
        }
        return PHX_OK;
    case YAML_ALIAS_EVENT:
        return phxi_tree_fail(r->tree, place, "aliases (*name) are not used in scenes, expected the value itself");
    case YAML_SCALAR_EVENT: {
        // libyaml sets one of the two unless a tag was written
        bool implied = event->data.scalar.plain_implicit || event->data.scalar.quoted_implicit;
        return take_node(r, event, PHXI_NODE_VALUE, event->data.scalar.anchor, implied ? NULL : event);
    }
    case YAML_SEQUENCE_START_EVENT:
        return take_node(r, event, PHXI_NODE_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return take_node(r, event, PHXI_NODE_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --r->depth;
        return PHX_OK;
    default:
        return PHX_OK;
    }
}

static phx_result fail_parser(const phxi_tree* tree, const yaml_parser_t* parser) {
    if (parser->error == YAML_MEMORY_ERROR) {
        return phxi_fail_memory("YAML reader");
    }
    phxi_place place = place_of(parser->problem_mark);
    const char* problem = parser->problem ? parser->problem : "not YAML";
    if (parser->context) {
        return phxi_tree_fail(tree, place, "not valid YAML: %s (%s at line %d)", problem, parser->context,
                              (int)parser->context_mark.line + 1);
    }
    return phxi_tree_fail(tree, place, "not valid YAML: %s", problem);
}

phx_result phxi_tree_read(phxi_tree* tree, phxi_heap* heap, const char* name, const char* text, size_t size) {
    *tree = (phxi_tree){.heap = heap, .name = name};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { // a byte order mark, which libyaml counts as a column
        text += 3;
        size -= 3;
    }
    PHXI_TRY(check_text(tree, text, size));
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return phxi_fail_memory("YAML reader");
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char*)text, size);
    reader r = {.tree = tree};
    phx_result result = PHX_OK;
    for (bool done = false; result == PHX_OK && !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            result = fail_parser(tree, &parser);
            break;
        }
        result = take_event(&r, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (result == PHX_OK && !tree->root) {
        result = phxi_tree_fail(tree, (phxi_place){1, 1, NULL}, "the file is empty, expected a scene");
    }
    return result;
}
