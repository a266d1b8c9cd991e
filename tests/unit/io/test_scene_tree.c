// SPDX-License-Identifier: MIT
// YAML to tree and --set, without any schema: places, limits, overrides.
#include "support/test.h"

#include "io/scene_tree.h"

typedef struct fixture {
    phxi_heap heap;
    phxi_tree tree;
} fixture;

static phx_result read(fixture* f, const char* text) {
    phxi_heap_init(&f->heap, NULL);
    return phxi_tree_read(&f->tree, &f->heap, "t.yaml", text, strlen(text));
}

static const phxi_node* at(const phxi_node* node, const char* path) {
    char copy[200];
    snprintf(copy, sizeof copy, "%s", path);
    char* rest = NULL;
    for (char* step = strtok_r(copy, ".", &rest); step && node; step = strtok_r(NULL, ".", &rest)) {
        node = phxi_node_find(node, step);
    }
    return node;
}

TEST(places_and_kinds) {
    fixture f;
    REQUIRE_OK(read(&f, "# comment\na: {b: [1, two, \"3\"]}\n\nlong:\n  x: >\n    box(a,\n    b)\n  y:\n"));
    const phxi_node* b = at(f.tree.root, "a.b");
    REQUIRE(b && b->kind == PHXI_NODE_LIST && b->count == 3);
    ENSURE(b->place.line == 2 && b->place.column == 8 && b->key_place.column == 5);
    ENSURE(strcmp(b->first->text, "1") == 0 && !b->first->quoted);
    ENSURE(strcmp(b->last->text, "3") == 0 && b->last->quoted);
    ENSURE(strcmp(at(f.tree.root, "long.x")->text, "box(a, b)") == 0);
    ENSURE(strcmp(at(f.tree.root, "long.y")->text, "") == 0);
    phxi_heap_destroy(&f.heap);
}

TEST(byte_order_mark_and_line_ends) {
    fixture f;
    REQUIRE_OK(read(&f, "\xEF\xBB\xBF"
                        "a: 1\r\nb: \xC3\xA9\r\n"));
    ENSURE(strcmp(at(f.tree.root, "b")->text, "\xC3\xA9") == 0);
    phxi_heap_destroy(&f.heap);
}

TEST(limits) {
    fixture f;
    size_t size = (16u << 20) + 1;
    char* text = malloc(size + 1);
    REQUIRE(text);
    memset(text, ' ', size);
    text[size] = 0;
    ENSURE_RESULT(read(&f, text), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("t.yaml:1:1: the file has 16777217 bytes");
    phxi_heap_destroy(&f.heap);

    // many values
    char* end = text;
    end += sprintf(end, "a: [");
    for (int i = 0; i < PHXI_TREE_NODES + 10; ++i) {
        end += sprintf(end, "1,");
    }
    strcpy(end, "]\n");
    ENSURE_RESULT(read(&f, text), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("more than 131072 values");
    phxi_heap_destroy(&f.heap);

    // many keys
    end = text;
    for (int i = 0; i < PHXI_TREE_KEYS + 1; ++i) {
        end += sprintf(end, "k%d: 1\n", i);
    }
    ENSURE_RESULT(read(&f, text), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("t.yaml:4097:1: more than 4096 keys");
    phxi_heap_destroy(&f.heap);
    free(text);
}

TEST(long_name_keeps_the_message) {
    char name[3000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_tree tree;
    ENSURE_RESULT(phxi_tree_read(&tree, &heap, name, "a: [", 4), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("n:2:1: not valid YAML");
    phxi_heap_destroy(&heap);
}

TEST(overrides_change_and_add) {
    fixture f;
    REQUIRE_OK(read(&f, "run: {fps: 3}\nbodies: {a: {method: x}, b: }\nprobes:\n"));
    ENSURE_OK(phxi_tree_override(&f.tree, "run.fps=4"));
    ENSURE_OK(phxi_tree_override(&f.tree, " run.duration = 1 "));
    ENSURE_OK(phxi_tree_override(&f.tree, "world.gravity=[0, 0, 1]"));
    ENSURE_OK(phxi_tree_override(&f.tree, "bodies.a.efg.hourglass=0"));
    ENSURE_OK(phxi_tree_override(&f.tree, "bodies.*.method=y=z"));
    ENSURE(strcmp(at(f.tree.root, "run.fps")->text, "4") == 0);
    ENSURE(strcmp(at(f.tree.root, "run.fps")->place.setting, "--set run.fps") == 0);
    ENSURE(strcmp(at(f.tree.root, "run.duration")->text, "1") == 0);
    ENSURE(strcmp(at(f.tree.root, "world.gravity")->text, "[0, 0, 1]") == 0);
    ENSURE(strcmp(at(f.tree.root, "bodies.a.efg.hourglass")->text, "0") == 0);
    ENSURE(strcmp(at(f.tree.root, "bodies.a.method")->text, "y=z") == 0);
    ENSURE(strcmp(at(f.tree.root, "bodies.b.method")->text, "y=z") == 0);
    phxi_heap_destroy(&f.heap);
}

TEST(bad_overrides) {
    static const struct {
        const char *setting, *message;
    } cases[] = {
        {"run.fps", "--set run.fps: expected key.path=value"},
        {"", "expected key.path=value"},
        {"=3", "expected a path of keys"},
        {"run.=3", "expected a path of keys"},
        {".run=3", "expected a path of keys"},
        {"run..fps=3", "expected a path of keys"},
        {"a.b.c.d.e.f.g.h.i=3", "expected a path of keys"},
        {"run.fps.x=3", "--set run.fps.x: 'fps' is a value and has no keys"},
        {"bodies.jely.method=x", "--set bodies.jely.method: bodies has no 'jely', did you mean 'jelly'?"},
        {"bodies.quark.method=x", "bodies has no 'quark'"},
        {"colliders.*.friction=1", "the scene has no colliders"},
        {"run.*=1", "'*' stands for all items"},
        {"*.fps=1", "'*' stands for all items"},
        {"run.fps=\x01", "control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        fixture f;
        REQUIRE_OK(read(&f, "run: {fps: 3}\nbodies: {jelly: {method: x}}\ncolliders:\n"));
        ENSURE_RESULT(phxi_tree_override(&f.tree, cases[i].setting), PHX_ERROR_FORMAT);
        ENSURE_MESSAGE(cases[i].message);
        phxi_heap_destroy(&f.heap);
    }
    char setting[600] = "";
    memset(setting, 'k', 300);
    strcpy(setting + 300, "=1");
    fixture f;
    REQUIRE_OK(read(&f, "run: {fps: 3}\n"));
    ENSURE_RESULT(phxi_tree_override(&f.tree, setting), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("a key of 300 bytes");
    phxi_heap_destroy(&f.heap);
}

TEST(failing_allocation) {
    for (int n = 0;; ++n) {
        phxt_heap memory;
        phxt_heap_init(&memory, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &memory.allocator);
        phxi_tree tree;
        static const char text[] = "a: {b: [1, 2], c: x}\nd: {}\n";
        phx_result result = phxi_tree_read(&tree, &heap, "t", text, sizeof text - 1);
        if (result == PHX_OK) {
            result = phxi_tree_override(&tree, "a.q.r=3");
        }
        phxi_heap_destroy(&heap);
        ENSURE(memory.live == 0);
        if (result == PHX_OK) {
            ENSURE(n > 5);
            break;
        }
        ENSURE(result == PHX_ERROR_MEMORY);
    }
}
