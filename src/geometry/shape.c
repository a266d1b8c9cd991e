// SPDX-License-Identifier: MIT
// Using a shape: see shape_node.h for how it is kept and shape_kinds.c for the distances.
#include "geometry/shape.h"

#include "geometry/shape_node.h"

#include <string.h>

void phxi_shape_destroy(phxi_heap* heap, phxi_shape* shape) {
    if (shape) {
        phxi_array_destroy(&shape->nodes, heap);
        phxi_free(heap, shape);
    }
}

double phxi_shape_distance(const phxi_shape* shape, phx_vec3 point) {
    const phxi_shape_node* root = shape->nodes.items;
    return root->kind->evaluate(root, phxi_shape_clamp(point), NULL);
}

double phxi_shape_distance_normal(const phxi_shape* shape, phx_vec3 point, phx_vec3* normal) {
    const phxi_shape_node* root = shape->nodes.items;
    phx_vec3 gradient;
    double distance = root->kind->evaluate(root, phxi_shape_clamp(point), &gradient);
    *normal = phxi_normalize(gradient, phxi_vec3(0, 0, 1)); // a smooth union's gradient is shorter than 1
    return distance;
}

phx_vec3 phxi_shape_normal(const phxi_shape* shape, phx_vec3 point) {
    phx_vec3 normal;
    phxi_shape_distance_normal(shape, point, &normal);
    return normal;
}

bool phxi_shape_is_flat(const phxi_shape* shape) {
    const phxi_shape_node* node = shape->nodes.items;
    while (strcmp(node->kind->name, "move") == 0 || strcmp(node->kind->name, "rotate") == 0 ||
           strcmp(node->kind->name, "scale") == 0) {
        ++node; // the child stands behind its parent
    }
    return strcmp(node->kind->name, "plane") == 0;
}

bool phxi_shape_bounds(const phxi_shape* shape, phxi_box* box) {
    const phxi_shape_node* root = shape->nodes.items;
    phxi_box b = root->kind->bounds(root, 0);
    if (!(b.low.x <= b.high.x && b.low.y <= b.high.y && b.low.z <= b.high.z)) {
        *box = (phxi_box){{0, 0, 0}, {0, 0, 0}}; // nothing is inside
        return true;
    }
    *box = b;
    return phxi_finite(b.low) && phxi_finite(b.high);
}

/// A new node in front of all, which becomes their parent.
static phxi_shape_node* wrap(phxi_heap* heap, phxi_shape* shape, const char* kind) {
    if (!phxi_array_reserve(&shape->nodes, 1, heap, "shape")) {
        return NULL;
    }
    phxi_shape_node* nodes = shape->nodes.items;
    memmove(nodes + 1, nodes, (size_t)shape->nodes.count * sizeof *nodes);
    nodes[0] = (phxi_shape_node){.kind = phxi_shape_kind_find(kind), .size = ++shape->nodes.count};
    return nodes;
}

phx_result phxi_shape_place(phxi_heap* heap, phxi_shape* shape, double scale, phx_vec3 rotate, phx_vec3 translate) {
    phxi_shape_node* node;
    if (!(scale >= 1e-6 && scale <= 1e6)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "scale is %g, expected 1e-06 to 1e+06", scale);
    }
    if (!phxi_finite(rotate) || !phxi_finite(translate)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "rotate or translate is not finite, expected numbers");
    }
    if (scale != 1) {
        if (!(node = wrap(heap, shape, "scale"))) {
            return PHX_ERROR_MEMORY;
        }
        node->r = scale;
    }
    const phx_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double degrees[3] = {rotate.x, rotate.y, rotate.z};
    for (int i = 0; i < 3; ++i) {
        if (degrees[i] != 0) {
            if (!(node = wrap(heap, shape, "rotate"))) {
                return PHX_ERROR_MEMORY;
            }
            node->a = axes[i];
            node->r = degrees[i];
            node->kind->prepare(node);
        }
    }
    if (translate.x != 0 || translate.y != 0 || translate.z != 0) {
        if (!(node = wrap(heap, shape, "move"))) {
            return PHX_ERROR_MEMORY;
        }
        node->a = translate;
    }
    return PHX_OK;
}

void phxi_shape_peel(phxi_shape* shape, phxi_mat3* turn, phx_vec3* shift) {
    phxi_shape_node* nodes = shape->nodes.items;
    double factor = 1; // of all scalings so far
    int kept = 0;
    *turn = phxi_identity();
    *shift = phxi_vec3(0, 0, 0);
    int at = 0;
    for (;; ++at) { // a child stands behind its parent
        const char* kind = nodes[at].kind->name;
        if (strcmp(kind, "scale") == 0) {
            factor *= nodes[at].r;
            nodes[kept++] = nodes[at];
        } else if (strcmp(kind, "move") == 0) {
            *shift = phxi_add_scaled(*shift, factor, phxi_mat3_apply(turn, nodes[at].a));
        } else if (strcmp(kind, "rotate") == 0) {
            *turn = phxi_mat3_mul(turn, &nodes[at].rotation);
        } else {
            break;
        }
    }
    memmove(nodes + kept, nodes + at, (size_t)(shape->nodes.count - at) * sizeof *nodes);
    shape->nodes.count -= at - kept;
    for (int k = 0; k < kept; ++k) {
        nodes[k].size = shape->nodes.count - k;
    }
}

const char* phx_shape_help(int i) {
    const phxi_shape_kind* kind = phxi_shape_kind_at(i);
    return kind ? kind->help : NULL;
}
