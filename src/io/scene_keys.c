// SPDX-License-Identifier: MIT
// Tables to keys: nothing here knows what a body or a material is. A parameter that is added to a table can be written
// in a scene at once, with its range, unit and did-you-mean.
#include "io/scene_keys.h"

#include "geometry/shape.h"
#include "core/text.h"

#include <phyxel/world.h>

#include <stdio.h>
#include <string.h>

static bool hidden(const phx_param* param) {
    return strcmp(param->name, "name") == 0;
}

static const phx_param* find(const phx_param_table* table, const char* name) {
    for (int i = 0; table && i < table->count; ++i) {
        if (strcmp(table->params[i].name, name) == 0 && !hidden(&table->params[i])) {
            return &table->params[i];
        }
    }
    return NULL;
}

static bool is_method(const char* name) {
    for (int i = 0; i < phx_method_count(); ++i) {
        if (strcmp(phx_method_name(i), name) == 0) {
            return true;
        }
    }
    return false;
}

// All keys in one row: the table's, the further ones, the methods.
static const char* key_word(const void* context, int i) {
    const phxi_keys* keys = context;
    if (i < keys->table->count) {
        return hidden(&keys->table->params[i]) ? "" : keys->table->params[i].name;
    }
    i -= keys->table->count;
    if (keys->extra && i < keys->extra->count) {
        return keys->extra->params[i].name;
    }
    return phx_method_name(i - (keys->extra ? keys->extra->count : 0));
}

static int key_count(const phxi_keys* keys) {
    return keys->table->count + (keys->extra ? keys->extra->count : 0) + (keys->methods ? phx_method_count() : 0);
}

static phx_result fail_unknown(const phxi_tree* tree, const phxi_node* node, const phxi_keys* keys) {
    const char* near = phxi_did_you_mean(node->key, key_count(keys), key_word, keys);
    if (near && near[0]) {
        return phxi_tree_fail(tree, node->key_place, "unknown key '%s' in %s, did you mean '%s'?", node->key,
                              keys->what, near);
    }
    char list[600] = "";
    size_t used = 0;
    for (int i = 0; i < key_count(keys) && used < sizeof list - 80; ++i) {
        const char* word = key_word(keys, i);
        if (word[0]) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", used ? ", " : "", word);
        }
    }
    return phxi_tree_fail(tree, node->key_place, "unknown key '%s' in %s, expected one of %s", node->key, keys->what,
                          list);
}

static const char* expected(phx_param_kind kind) {
    switch (kind) {
    case PHX_PARAM_REAL:
        return "a number";
    case PHX_PARAM_INT:
        return "a whole number";
    case PHX_PARAM_BOOL:
        return "true or false";
    case PHX_PARAM_VEC3:
        return "three numbers [x, y, z]";
    case PHX_PARAM_WORD:
        return "a word";
    case PHX_PARAM_SHAPE:
        return "a shape such as sphere(radius=0.1)";
    case PHX_PARAM_WORDS:
        return "a list of words";
    case PHX_PARAM_TEXT:
        break;
    }
    return "a text";
}

phx_result phxi_node_expect_map(const phxi_tree* tree, const phxi_node* node, const char* what) {
    bool empty = node->kind == PHXI_NODE_VALUE && !node->quoted && node->text[0] == 0;
    if (node->kind == PHXI_NODE_MAP || empty) {
        return PHX_OK;
    }
    return phxi_tree_fail(tree, node->place, "'%s' is a %s, expected %s", node->key,
                          node->kind == PHXI_NODE_LIST ? "list" : "value", what);
}

static phx_result join_list(const phxi_tree* tree, const phxi_node* list, const phx_param* param, const char** text) {
    bool words = param->kind == PHX_PARAM_WORDS;
    size_t size = 3;
    for (const phxi_node* item = list->first; item; item = item->next) {
        if (item->kind != PHXI_NODE_VALUE || item->text[0] == 0) {
            return phxi_tree_fail(tree, item->place, "'%s' has an item that is no %s, expected %s", list->key,
                                  words ? "word" : "number", expected(param->kind));
        }
        if (words && strpbrk(item->text, " ,[]")) {
            return phxi_tree_fail(tree, item->place, "'%.64s' is not one word, expected %s", item->text,
                                  expected(param->kind));
        }
        size += strlen(item->text) + 2;
    }
    char* joined = phxi_alloc(tree->heap, size, 1, "scene tree");
    if (!joined) {
        return PHX_ERROR_MEMORY;
    }
    char* end = joined;
    *end = 0;
    for (const phxi_node* item = list->first; item; item = item->next) {
        const char* separator = item == list->first ? "" : words ? " " : ", ";
        end += snprintf(end, size - (size_t)(end - joined), "%s%s", separator, item->text);
    }
    *text = list->first ? joined : "[]";
    return PHX_OK;
}

phx_result phxi_node_text(const phxi_tree* tree, const phxi_node* node, const phx_param* param, const char** text) {
    if (node->kind == PHXI_NODE_VALUE) {
        if (node->text[strspn(node->text, " ")] == 0) {
            return phxi_tree_fail(tree, node->key_place, "'%s' has no value, expected %s", node->key,
                                  expected(param->kind));
        }
        *text = node->text;
        return PHX_OK;
    }
    if (node->kind == PHXI_NODE_LIST && (param->kind == PHX_PARAM_VEC3 || param->kind == PHX_PARAM_WORDS)) {
        return join_list(tree, node, param, text);
    }
    return phxi_tree_fail(tree, node->place, "'%s' is a %s, expected %s", node->key,
                          node->kind == PHXI_NODE_LIST ? "list" : "map", expected(param->kind));
}

// A shape is tried now, so that its mistakes are shown with their line. Inside { } YAML ends a plain text at the first
// comma, which leaves a parenthesis open.
static phx_result check_shape(const phxi_tree* tree, const phxi_node* node, const char* text) {
    phxi_shape* shape = NULL;
    phx_result result = phxi_shape_parse(tree->heap, text, &shape);
    phxi_shape_destroy(tree->heap, shape);
    if (result != PHX_ERROR_FORMAT && result != PHX_ERROR_ARGUMENT) {
        return result;
    }
    int open = 0;
    for (const char* s = text; *s; ++s) {
        open += (*s == '(') - (*s == ')');
    }
    if (open > 0 && !node->quoted && !node->place.setting) {
        return phxi_tree_fail(tree, node->place, "'%s' ends inside its parentheses, put the shape in \"quotes\"",
                              node->key);
    }
    phxi_fail_within(PHX_ERROR_FORMAT, "%s", node->key);
    return phxi_place_within(PHX_ERROR_FORMAT, tree->name, node->place);
}

static phx_result set(const phxi_tree* tree, phxi_heap* heap, const phxi_node* node, const phx_param_table* table,
                      const phx_param* param, void* values) {
    const char* text = NULL;
    PHXI_TRY(phxi_node_text(tree, node, param, &text));
    phx_result result = phxi_param_set(table, param, values, text, heap);
    if (result == PHX_OK) {
        result = phxi_param_check(table, param, values);
    }
    if (result == PHX_ERROR_MEMORY) {
        return result;
    }
    if (result != PHX_OK) {
        return phxi_place_within(PHX_ERROR_FORMAT, tree->name, node->place);
    }
    return param->kind == PHX_PARAM_SHAPE ? check_shape(tree, node, text) : PHX_OK;
}

static phx_result check_required(const phxi_tree* tree, const phxi_node* map, const phxi_keys* keys,
                                 const phx_param_table* table) {
    for (int i = 0; table && i < table->count; ++i) {
        const phx_param* param = &table->params[i];
        if (!param->initial && !hidden(param) && !phxi_node_find(map, param->name)) {
            return phxi_tree_fail(tree, map->key_place, "%s '%s' lacks '%s'%s%s%s: %s", keys->what, map->key,
                                  param->name, param->unit[0] ? " (" : "", param->unit, param->unit[0] ? ")" : "",
                                  param->help);
        }
    }
    return PHX_OK;
}

phx_result phxi_keys_read(const phxi_tree* tree, phxi_heap* heap, const phxi_node* map, const phxi_keys* keys) {
    PHXI_TRY(phxi_node_expect_map(tree, map, "a map of keys and values"));
    for (const phxi_node* node = map->first; node; node = node->next) {
        const phx_param* param = find(keys->table, node->key);
        const phx_param* further = param ? NULL : find(keys->extra, node->key);
        if (param) {
            PHXI_TRY(set(tree, heap, node, keys->table, param, keys->values));
        } else if (further) {
            PHXI_TRY(set(tree, heap, node, keys->extra, further, keys->extra_values));
        } else if (!(keys->methods && is_method(node->key)) && !(keys->look && strcmp(node->key, "look") == 0) &&
                   !(keys->block && strcmp(node->key, keys->block) == 0)) {
            return fail_unknown(tree, node, keys);
        }
    }
    PHXI_TRY(check_required(tree, map, keys, keys->table));
    return check_required(tree, map, keys, keys->extra);
}
