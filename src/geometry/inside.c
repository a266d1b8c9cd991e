// SPDX-License-Identifier: MIT
// Columns through closed meshes; what is open goes to winding.c.
//
// Where the line (y, z) = const meets a triangle is decided in the (y, z) plane: from the point (y, z) a ray towards +y
// crosses none or two sides of the projected triangle, one up and one down; the line goes through the triangle if
// exactly one of the two crossings lies beyond the point. Which sides span the height z is an exact comparison (upper
// end above z, lower end not), and where one crosses is computed from its lower to its upper end, whichever triangle
// asks. So two triangles that share a side agree about it to the last bit, each line through a closed mesh meets as
// many exits as entries, and columns through corners and along faces need no special case. The jitter of 1e-7 of the
// box (docs/theory/discretisation.md section 1) only decides to which side grid-aligned faces fall.
//
// A point is inside where the sum of signed crossings before it is not 0: an inverted mesh is as good as an upright
// one, overlapping bodies are united, an inverted body within an upright one is a cavity.
#include "geometry/inside.h"
#include "core/array.h"
#include "geometry/winding.h"

#include <stdlib.h>

typedef struct crossing {
    double x;
    int turn; // +1 entering, -1 leaving
} crossing;

struct phxi_inside {
    phxi_heap* heap;
    const phx_mesh* mesh;
    bool open;
    phxi_tree tree;       // closed: split in y and z
    phxi_winding winding; // open
    PHXI_ARRAY(crossing) crossings;
    PHXI_ARRAY(double) numbers;
    double jitter_y, jitter_z;
};

// The fractions of 1e-7 are unrelated irrationals: no plane x = const, y = z or the like survives the shift.
static const double jitter_fraction_y = 0.7548776662466927e-7, jitter_fraction_z = 0.5698402909980532e-7;

phx_result phxi_inside_create(phxi_heap* heap, const phx_mesh* mesh, phxi_inside** inside) {
    *inside = NULL;
    const int open = phx_mesh_open_edges(mesh);
    if (open < 0) {
        return PHX_ERROR_MEMORY;
    }
    phxi_inside* made = phxi_alloc_zero(heap, 1, sizeof *made, "inside test");
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    const phxi_box box = phxi_mesh_box(mesh);
    made->heap = heap;
    made->mesh = mesh;
    made->open = open > 0;
    made->jitter_y = jitter_fraction_y * (box.high.y - box.low.y);
    made->jitter_z = jitter_fraction_z * (box.high.z - box.low.z);
    phx_result result = made->open ? phxi_winding_create(heap, mesh, &made->winding)
                                   : phxi_tree_create(heap, mesh, PHXI_TREE_Y | PHXI_TREE_Z, &made->tree);
    if (result != PHX_OK) {
        phxi_inside_destroy(heap, made);
        return result;
    }
    *inside = made;
    return PHX_OK;
}

void phxi_inside_destroy(phxi_heap* heap, phxi_inside* inside) {
    if (inside) {
        phxi_winding_destroy(heap, &inside->winding);
        phxi_tree_destroy(heap, &inside->tree);
        phxi_array_destroy(&inside->crossings, heap);
        phxi_array_destroy(&inside->numbers, heap);
        phxi_free(heap, inside);
    }
}

bool phxi_inside_uses_winding_number(const phxi_inside* inside) {
    return inside->open;
}

// Where the side from a to b passes the height z, if it does: its y and x there, and the sense (+1 up).
static int pass_height(phx_vec3 a, phx_vec3 b, double z, double* y, double* x) {
    const bool up = b.z > z;
    if ((a.z > z) == up) {
        return 0;
    }
    const phx_vec3 low = up ? a : b, high = up ? b : a;
    const double t = (z - low.z) / (high.z - low.z);
    // Clamped: a rounding beyond the ends would be seen by one triangle and culled with the box of the other.
    *y = fmax(fmin(low.y, high.y), fmin(fmax(low.y, high.y), low.y + t * (high.y - low.y)));
    *x = low.x + t * (high.x - low.x);
    return up ? 1 : -1;
}

// Signed crossing of the line with a triangle; 0: none. A triangle that is counter-clockwise in (y, z) looks towards
// +x: the line leaves there.
static int cross_triangle(const phx_vec3 corner[3], double y, double z, double* x) {
    double side_y[2] = {0}, side_x[2] = {0};
    int turn = 0, found = 0;
    for (int k = 0; k < 3 && found < 2; ++k) {
        const int sense = pass_height(corner[k], corner[(k + 1) % 3], z, &side_y[found], &side_x[found]);
        if (sense != 0) {
            turn -= side_y[found] > y ? sense : 0;
            ++found;
        }
    }
    if (turn != 0) {
        *x = side_x[0] + (y - side_y[0]) / (side_y[1] - side_y[0]) * (side_x[1] - side_x[0]);
    }
    return turn;
}

static int compare_crossings(const void* a, const void* b) {
    const double x = ((const crossing*)a)->x, y = ((const crossing*)b)->x;
    return (x > y) - (x < y);
}

static phx_result find_crossings(phxi_inside* inside, double y, double z) {
    const phxi_tree* tree = &inside->tree;
    inside->crossings.count = 0;
    for (int i = 0; i < tree->node_count;) {
        const phxi_tree_node* node = &tree->nodes[i];
        if (y < node->box.low.y || y > node->box.high.y || z < node->box.low.z || z > node->box.high.z) {
            i = node->next;
            continue;
        }
        if (phxi_tree_is_leaf(tree, i)) {
            for (int k = node->first; k < node->first + node->count; ++k) {
                const int* v = inside->mesh->triangles + 3 * (size_t)tree->order[k];
                const phx_vec3* p = inside->mesh->positions;
                crossing found;
                found.turn = cross_triangle((const phx_vec3[3]){p[v[0]], p[v[1]], p[v[2]]}, y, z, &found.x);
                if (found.turn != 0) {
                    crossing* slot = phxi_array_add(&inside->crossings, inside->heap, "inside test");
                    if (!slot) {
                        return PHX_ERROR_MEMORY;
                    }
                    *slot = found;
                }
            }
        }
        ++i;
    }
    if (inside->crossings.count > 1) {
        qsort(inside->crossings.items, (size_t)inside->crossings.count, sizeof(crossing), compare_crossings);
    }
    return PHX_OK;
}

static phx_result mark_by_crossings(phxi_inside* inside, double x0, double dx, int count, double y, double z,
                                    uint8_t* marks) {
    PHXI_TRY(find_crossings(inside, y + inside->jitter_y, z + inside->jitter_z));
    int next = 0, turns = 0;
    for (int i = 0; i < count; ++i) {
        const double x = x0 + i * dx;
        while (next < inside->crossings.count && inside->crossings.items[next].x <= x) {
            turns += inside->crossings.items[next++].turn;
        }
        marks[i] = turns != 0;
    }
    return PHX_OK;
}

// The sign is not looked at, as for closed meshes: an inverted open mesh has an inside too.
static phx_result mark_by_winding(phxi_inside* inside, double x0, double dx, int count, double y, double z,
                                  uint8_t* marks) {
    inside->numbers.count = 0;
    if (!phxi_array_reserve(&inside->numbers, count, inside->heap, "inside test")) {
        return PHX_ERROR_MEMORY;
    }
    phxi_winding_column(&inside->winding, x0, dx, count, y, z, inside->numbers.items);
    for (int i = 0; i < count; ++i) {
        marks[i] = fabs(inside->numbers.items[i]) > 0.5;
    }
    return PHX_OK;
}

phx_result phxi_inside_column(phxi_inside* inside, double x0, double dx, int count, double y, double z,
                              uint8_t* marks) {
    if (!isfinite(x0) || !isfinite(y) || !isfinite(z) || !isfinite(dx) || (count > 1 && !(dx > 0))) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a column from x = %g by %g at y = %g, z = %g, expected finite numbers and steps above 0", x0,
                         dx, y, z);
    }
    return (inside->open ? mark_by_winding : mark_by_crossings)(inside, x0, dx, count, y, z, marks);
}
