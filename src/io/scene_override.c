// SPDX-License-Identifier: MIT
// --set key.path=value: changes the tree of a scene before it is checked, so that a value from the command line passes
// the same checks as one from the file; its place is then "--set key.path" instead of a line.
//
// A path may go through maps that are not there yet (bodies.jelly.efg.hourglass on a body without an efg block), but
// never makes a new material, body, collider, driver or probe: that would turn a slip of the finger into an object.
#include "io/scene_tree.h"

#include "core/text.h"

#include <string.h>

enum { STEPS = 8 };

static const char* const ITEM_SECTIONS[] = {"materials", "bodies", "colliders", "drivers", "probes"};

typedef struct path {
    phxi_tree* tree;
    phxi_place place;
    const char* value;
    char* steps[STEPS];
    int count;
} path;

static bool has_items(const char* section) {
    for (size_t i = 0; i < sizeof ITEM_SECTIONS / sizeof *ITEM_SECTIONS; ++i) {
        if (strcmp(section, ITEM_SECTIONS[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char* child_key(const void* context, int i) {
    const phxi_node* node = ((const phxi_node*)context)->first;
    while (i-- > 0) {
        node = node->next;
    }
    return node->key;
}

static phx_result fail_no_item(const path* p, const phxi_node* section, const char* name) {
    int count = section->count < 64 ? section->count : 64;
    const char* near = phxi_did_you_mean(name, count, child_key, section);
    if (near) {
        return phxi_tree_fail(p->tree, p->place, "%s has no '%s', did you mean '%s'?", p->steps[0], name, near);
    }
    return phxi_tree_fail(p->tree, p->place, "%s has no '%s'", p->steps[0], name);
}

// A section that is written without a value ("probes:") counts as an empty map.
static bool as_map(phxi_node* node) {
    if (node->kind == PHXI_NODE_VALUE && !node->quoted && node->text[0] == 0) {
        node->kind = PHXI_NODE_MAP;
    }
    return node->kind == PHXI_NODE_MAP;
}

static phx_result put(const path* p, phxi_node* node, int step);

// The map `map` is what steps[0 .. step) lead to.
static phx_result descend(const path* p, phxi_node* map, int step) {
    const char* name = p->steps[step];
    bool items = step == 1 && has_items(p->steps[0]);
    if (strcmp(name, "*") == 0) {
        if (!items) {
            return phxi_tree_fail(p->tree, p->place,
                                  "'*' stands for all items of materials, bodies, colliders, drivers or probes");
        }
        if (map->count == 0) {
            return phxi_tree_fail(p->tree, p->place, "the scene has no %s", p->steps[0]);
        }
        for (phxi_node* node = map->first; node; node = node->next) {
            PHXI_TRY(put(p, node, step + 1));
        }
        return PHX_OK;
    }
    phxi_node* node = phxi_node_find(map, name);
    if (!node) {
        if (items) {
            return fail_no_item(p, map, name);
        }
        PHXI_TRY(phxi_node_add(p->tree, map, PHXI_NODE_MAP, name, p->place, &node));
    }
    return put(p, node, step + 1);
}

// The node that steps[0 .. step) lead to takes the value, or is gone through.
static phx_result put(const path* p, phxi_node* node, int step) {
    if (step < p->count) {
        if (!as_map(node)) {
            return phxi_tree_fail(p->tree, p->place, "'%s' is a value and has no keys", p->steps[step - 1]);
        }
        return descend(p, node, step);
    }
    char* text = phxi_strdup(p->tree->heap, p->value, "scene tree");
    if (!text) {
        return PHX_ERROR_MEMORY;
    }
    node->kind = PHXI_NODE_VALUE;
    node->first = node->last = NULL;
    node->count = 0;
    node->text = text;
    node->quoted = false;
    node->place = node->key_place = p->place;
    return PHX_OK;
}

static char* trim(char* text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = 0;
    }
    return text + strspn(text, " ");
}

phx_result phxi_tree_override(phxi_tree* tree, const char* setting) {
    static const char prefix[] = "--set ";
    const char* equals = strchr(setting, '=');
    if (!equals || strlen(setting) > PHXI_TREE_VALUE) {
        return phxi_fail(PHX_ERROR_FORMAT, "--set %.100s: expected key.path=value", setting);
    }
    for (const char* s = setting; *s; ++s) {
        if ((unsigned char)*s < 0x20 || *s == 0x7F) {
            return phxi_fail(PHX_ERROR_FORMAT, "--set: control character 0x%02x, expected key.path=value",
                             (unsigned char)*s);
        }
    }
    size_t length = (size_t)(equals - setting);
    char* label = phxi_alloc(tree->heap, sizeof prefix + length, 1, "scene tree");
    char* copy = phxi_strdup(tree->heap, setting, "scene tree");
    if (!label || !copy) {
        return PHX_ERROR_MEMORY;
    }
    memcpy(label, prefix, sizeof prefix - 1);
    memcpy(label + sizeof prefix - 1, setting, length);
    label[sizeof prefix - 1 + length] = 0;
    copy[length] = 0;
    path p = {.tree = tree, .place = {0, 0, trim(label)}, .value = trim(copy + length + 1)};
    char* step = trim(copy);
    do {
        char* dot = strchr(step, '.');
        if (p.count == STEPS || *step == 0 || *step == '.') {
            return phxi_tree_fail(tree, p.place, "expected a path of keys such as materials.wax.young");
        }
        p.steps[p.count] = step;
        if (dot) {
            *dot++ = 0;
        }
        if (strlen(step) > PHXI_TREE_KEY) {
            return phxi_tree_fail(tree, p.place, "a key of %zu bytes, expected at most %d", strlen(step),
                                  PHXI_TREE_KEY);
        }
        step = dot;
        ++p.count;
    } while (step);
    return descend(&p, tree->root, 0);
}
