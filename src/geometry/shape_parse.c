// SPDX-License-Identifier: MIT
// Reading a shape expression by recursive descent.
//
//   shape    = name "(" [ argument { "," argument } ] ")"
//   argument = shape | [ name "=" ] value
//   value    = number | "(" number "," number "," number ")"
//
// Values without a name go to the first argument of the kind that has none yet. What a kind takes stands in its table
// (shape_kinds.c). Every mistake names its column, what is there and what was expected.
#include "geometry/shape.h"

#include "core/scan.h"
#include "core/text.h"
#include "geometry/shape_node.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_NODES = 4096 };

typedef struct parser {
    phxi_scan scan;
    int depth;
    phxi_heap* heap;
    phxi_shape* shape;
} parser;

// ----------------------------------------------------------------------------------------------------------- arguments

static phx_result check_rule(const phxi_shape_argument* argument, const double v[3], size_t at) {
    int count = argument->vector ? 3 : 1;
    for (int i = 0; i < count; ++i) {
        if (argument->rule == PHXI_SHAPE_POSITIVE && !(v[i] >= 1e-15)) {
            return phxi_scan_fail(at, "%s is %g, expected above 0 (1e-15 or more)", argument->name, v[i]);
        }
        if (argument->rule == PHXI_SHAPE_NOT_NEGATIVE && !(v[i] >= 0)) {
            return phxi_scan_fail(at, "%s is %g, expected 0 or more", argument->name, v[i]);
        }
    }
    if (argument->rule == PHXI_SHAPE_NOT_ZERO && v[0] == 0 && v[1] == 0 && v[2] == 0) {
        return phxi_scan_fail(at, "%s is (0, 0, 0), expected a direction", argument->name);
    }
    return PHX_OK;
}

static void store(phxi_shape_node* node, const phxi_shape_argument* argument, const double v[3]) {
    char* place = (char*)node + argument->offset;
    memcpy(place, v, argument->vector ? 3 * sizeof(double) : sizeof(double));
}

static phx_result read_value(parser* p, int index, const phxi_shape_argument* argument) {
    double v[3] = {0};
    char c = phxi_scan_peek(&p->scan), text[8];
    size_t at = p->scan.at;
    if (argument->vector) {
        if (c != '(') {
            return phxi_scan_fail(at, "%s for %s, expected (x, y, z)", phxi_scan_found(&p->scan, text), argument->name);
        }
        ++p->scan.at;
        for (int i = 0; i < 3; ++i) {
            PHXI_TRY(phxi_scan_number(&p->scan, true, &v[i]));
            PHXI_TRY(phxi_scan_expect(&p->scan, i < 2 ? ',' : ')',
                                      i < 2 ? "after a number of (x, y, z)" : "after (x, y, z"));
        }
    } else if (c == '(') {
        return phxi_scan_fail(at, "'(' for %s, expected a number", argument->name);
    } else {
        PHXI_TRY(phxi_scan_number(&p->scan, true, &v[0]));
    }
    PHXI_TRY(check_rule(argument, v, at));
    store(&p->shape->nodes.items[index], argument, v);
    return PHX_OK;
}

static const char* argument_name(const void* context, int i) {
    return ((const phxi_shape_kind*)context)->arguments[i].name;
}

static int argument_count(const phxi_shape_kind* kind) {
    int count = 0;
    while (count < PHXI_SHAPE_ARGUMENTS && kind->arguments[count].name) {
        ++count;
    }
    return count;
}

/// The argument of this name, or the first without a value if `name` is NULL.
static phx_result find_argument(const phxi_shape_kind* kind, const phxi_word* name, size_t at, unsigned* given,
                                int* found_at) {
    int count = argument_count(kind);
    for (int i = 0; i < count; ++i) {
        unsigned bit = 1u << i;
        if (name ? strcmp(kind->arguments[i].name, name->text) == 0 : !(*given & bit)) {
            if (*given & bit) {
                return phxi_scan_fail(at, "%s is given twice, expected once", name->text);
            }
            *given |= bit;
            *found_at = i;
            return PHX_OK;
        }
    }
    if (!name) {
        return phxi_scan_fail(at, "one value too many for %s, expected %s", kind->name, kind->help);
    }
    const char* near = phxi_did_you_mean(name->text, count, argument_name, kind);
    return phxi_scan_fail(at, "%s has no '%s'%s%s%s, expected %s", kind->name, name->text,
                          near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", kind->help);
}

static phx_result parse_shape(parser* p);

/// One argument or child of the node.
static phx_result parse_argument(parser* p, int index, unsigned* given, int* children) {
    const phxi_shape_kind* kind = p->shape->nodes.items[index].kind;
    char c = phxi_scan_peek(&p->scan), text[8];
    size_t at = p->scan.at;
    int argument = 0;
    if (phxi_is_letter(c)) {
        phxi_word name;
        PHXI_TRY(phxi_scan_word(&p->scan, &name));
        c = phxi_scan_peek(&p->scan);
        if (c == '=') {
            ++p->scan.at;
            PHXI_TRY(find_argument(kind, &name, at, given, &argument));
            return read_value(p, index, &kind->arguments[argument]);
        }
        if (c != '(') {
            return phxi_scan_fail(at, "'%s', expected a shape or name=value", name.text);
        }
        if (*children == kind->max_children) {
            return phxi_scan_fail(at, "one shape too many in %s, expected %s", kind->name, kind->help);
        }
        p->scan.at = at;
        ++*children;
        return parse_shape(p);
    }
    if (phxi_is_digit(c) || c == '(' || c == '-' || c == '+' || c == '.') {
        PHXI_TRY(find_argument(kind, NULL, at, given, &argument));
        return read_value(p, index, &kind->arguments[argument]);
    }
    return phxi_scan_fail(at, "%s in %s, expected an argument or ')'", phxi_scan_found(&p->scan, text), kind->name);
}

// -------------------------------------------------------------------------------------------------------------- shapes

static const char* kind_name(const void* context, int i) {
    (void)context;
    return phxi_shape_kind_at(i)->name;
}

static phx_result find_kind(const phxi_word* name, const phxi_shape_kind** kind) {
    *kind = phxi_shape_kind_find(name->text);
    if (*kind) {
        return PHX_OK;
    }
    int count = 0;
    char list[256] = "";
    for (size_t used = 0; phxi_shape_kind_at(count); ++count) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", kind_name(NULL, count));
    }
    const char* near = phxi_did_you_mean(name->text, count, kind_name, NULL);
    return near ? phxi_scan_fail(name->at, "unknown shape '%s', did you mean '%s'? expected one of %s", name->text,
                                 near, list)
                : phxi_scan_fail(name->at, "unknown shape '%s', expected one of %s", name->text, list);
}

/// Everything between the brackets.
static phx_result parse_arguments(parser* p, int index, size_t at) {
    const phxi_shape_kind* kind = p->shape->nodes.items[index].kind;
    unsigned given = 0;
    int children = 0;
    char text[8];
    if (phxi_scan_peek(&p->scan) == ')') {
        ++p->scan.at;
    } else {
        for (;;) {
            PHXI_TRY(parse_argument(p, index, &given, &children));
            char c = phxi_scan_peek(&p->scan);
            if (c != ',' && c != ')') {
                return phxi_scan_fail(p->scan.at, "%s in %s, expected ',' or ')'", phxi_scan_found(&p->scan, text),
                                      kind->name);
            }
            ++p->scan.at;
            if (c == ')') {
                break;
            }
        }
    }
    for (int i = 0; i < argument_count(kind); ++i) {
        const phxi_shape_argument* argument = &kind->arguments[i];
        if (given & (1u << i)) {
            continue;
        }
        if (argument->required) {
            return phxi_scan_fail(at, "%s lacks %s, expected %s", kind->name, argument->name, kind->help);
        }
        const double initial[3] = {argument->initial.x, argument->initial.y, argument->initial.z};
        store(&p->shape->nodes.items[index], argument, initial);
    }
    if (children < kind->min_children) {
        return phxi_scan_fail(at, "%s lacks a shape, expected %s", kind->name, kind->help);
    }
    return PHX_OK;
}

static phx_result parse_shape(parser* p) {
    char text[8];
    if (!phxi_is_letter(phxi_scan_peek(&p->scan))) {
        return phxi_scan_fail(p->scan.at, "%s, expected a shape such as sphere(radius=0.1)",
                              phxi_scan_found(&p->scan, text));
    }
    phxi_word name;
    PHXI_TRY(phxi_scan_word(&p->scan, &name));
    const phxi_shape_kind* kind;
    PHXI_TRY(find_kind(&name, &kind));
    if (p->depth == MAX_DEPTH) {
        return phxi_scan_fail(name.at, "shapes nested more than %d deep, expected at most that", MAX_DEPTH);
    }
    int index = p->shape->nodes.count;
    if (index == MAX_NODES) {
        return phxi_scan_fail(name.at, "more than %d shapes, expected at most that", MAX_NODES);
    }
    PHXI_TRY(phxi_scan_expect(&p->scan, '(', "after the name of a shape"));
    phxi_shape_node* node = phxi_array_add(&p->shape->nodes, p->heap, "shape");
    if (!node) {
        return PHX_ERROR_MEMORY;
    }
    *node = (phxi_shape_node){.kind = kind};
    ++p->depth;
    PHXI_TRY(parse_arguments(p, index, name.at));
    --p->depth;
    node = &p->shape->nodes.items[index]; // the children may have moved it
    node->size = p->shape->nodes.count - index;
    const char* wrong = kind->prepare ? kind->prepare(node) : NULL;
    return wrong ? phxi_scan_fail(name.at, "%s: %s", kind->name, wrong) : PHX_OK;
}

static phx_result parse_all(parser* p) {
    PHXI_TRY(parse_shape(p));
    char text[8];
    if (phxi_scan_peek(&p->scan) != 0) {
        return phxi_scan_fail(p->scan.at, "%s after the shape, expected the end", phxi_scan_found(&p->scan, text));
    }
    return PHX_OK;
}

phx_result phxi_shape_parse(phxi_heap* heap, const char* text, phxi_shape** shape) {
    *shape = NULL;
    if (!text) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "no shape is given, expected one such as sphere(radius=0.1)");
    }
    phxi_scan scan;
    PHXI_TRY(phxi_scan_begin(text, &scan));
    parser p = {.scan = scan, .heap = heap, .shape = phxi_alloc_zero(heap, 1, sizeof(phxi_shape), "shape")};
    if (!p.shape) {
        return PHX_ERROR_MEMORY;
    }
    phx_result result = parse_all(&p);
    if (result != PHX_OK) {
        phxi_shape_destroy(heap, p.shape);
        return result;
    }
    *shape = p.shape;
    return PHX_OK;
}
