// SPDX-License-Identifier: MIT
// Closest points of triangles follow Ericson, Real-Time Collision Detection (2005), 5.1.5: the region of the triangle's
// plane that the point falls in is told by signs of dot products.
#include "geometry/solid.h"

static const char label[] = "solid";

struct phxi_solid {
    phxi_heap* heap;
    phxi_shape* shape; // or
    phx_mesh* mesh;
    phxi_winding winding;
};

static phx_result create_shape(phxi_solid* solid, const phx_body_def* def) {
    phx_result result = phxi_shape_parse(solid->heap, def->shape, &solid->shape);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "shape");
    }
    return phxi_shape_place(solid->heap, solid->shape, def->scale, def->rotate, def->translate);
}

static phx_result create_mesh(phxi_solid* solid, const phx_body_def* def) {
    PHXI_TRY(phxi_mesh_transformed(def->mesh, def->scale, def->rotate, def->translate, &solid->heap->allocator,
                                   &solid->mesh));
    return phxi_winding_create(solid->heap, solid->mesh, &solid->winding);
}

phx_result phxi_solid_create(phxi_heap* heap, const phx_body_def* def, phxi_solid** solid) {
    phxi_solid* made = phxi_alloc_zero(heap, 1, sizeof *made, label);
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    phx_result result = def->mesh ? create_mesh(made, def) : create_shape(made, def);
    if (result != PHX_OK) {
        phxi_solid_destroy(made);
        return result;
    }
    *solid = made;
    return PHX_OK;
}

void phxi_solid_destroy(phxi_solid* solid) {
    if (solid) {
        phxi_winding_destroy(solid->heap, &solid->winding);
        phx_mesh_destroy(solid->mesh);
        phxi_shape_destroy(solid->heap, solid->shape);
        phxi_free(solid->heap, solid);
    }
}

// ------------------------------------------------------------------------------------------------------------- meshes

static double box_square_distance(const phxi_box* box, phx_vec3 p) {
    phx_vec3 out = phxi_max(phxi_max(phxi_sub(box->low, p), phxi_sub(p, box->high)), phxi_vec3(0, 0, 0));
    return phxi_dot(out, out);
}

static phx_vec3 on_edge(phx_vec3 from, phx_vec3 edge, double part, double rest) {
    return phxi_add_scaled(from, part + rest > 0 ? part / (part + rest) : 0, edge);
}

static phx_vec3 closest_of_triangle(const phx_vec3 corner[3], phx_vec3 p) {
    phx_vec3 a = corner[0], b = corner[1], c = corner[2];
    phx_vec3 ab = phxi_sub(b, a), ac = phxi_sub(c, a);
    phx_vec3 ap = phxi_sub(p, a), bp = phxi_sub(p, b), cp = phxi_sub(p, c);
    double d1 = phxi_dot(ab, ap), d2 = phxi_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        return a;
    }
    double d3 = phxi_dot(ab, bp), d4 = phxi_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        return b;
    }
    double d5 = phxi_dot(ab, cp), d6 = phxi_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        return c;
    }
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return on_edge(a, ab, d1, -d3);
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return on_edge(a, ac, d2, -d6);
    }
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        return on_edge(b, phxi_sub(c, b), d4 - d3, d5 - d6);
    }
    double sum = va + vb + vc;
    return sum > 0 ? phxi_add_scaled(phxi_add_scaled(a, vb / sum, ab), vc / sum, ac) : a;
}

/// The closest point of the mesh that is nearer than `most`, and the unit normal of its triangle. False: there is none.
static bool find_closest(const phxi_solid* solid, phx_vec3 p, double most, phx_vec3* found, phx_vec3* face) {
    const phxi_tree* tree = &solid->winding.tree;
    const phx_mesh* mesh = solid->mesh;
    double best = most * most;
    bool any = false;
    *found = p;
    *face = phxi_vec3(0, 0, 1);
    for (int i = 0; i < tree->node_count;) {
        const phxi_tree_node* node = &tree->nodes[i];
        if (!(box_square_distance(&node->box, p) < best)) {
            i = node->next;
            continue;
        }
        for (int k = node->first; phxi_tree_is_leaf(tree, i) && k < node->first + node->count; ++k) {
            const int* triangle = &mesh->triangles[3 * (size_t)tree->order[k]];
            const phx_vec3 corner[3] = {mesh->positions[triangle[0]], mesh->positions[triangle[1]],
                                        mesh->positions[triangle[2]]};
            phx_vec3 point = closest_of_triangle(corner, p), away = phxi_sub(p, point);
            if (phxi_dot(away, away) < best) {
                best = phxi_dot(away, away);
                *found = point;
                any = true;
                *face =
                    phxi_normalize(phxi_cross(phxi_sub(corner[1], corner[0]), phxi_sub(corner[2], corner[0])), *face);
            }
        }
        ++i;
    }
    return any;
}

static phx_vec3 closest_of_mesh(const phxi_solid* solid, phx_vec3 p, double most, phx_vec3* face) {
    phx_vec3 found;
    find_closest(solid, p, most, &found, face);
    return found;
}

bool phxi_solid_near(const phxi_solid* solid, phx_vec3 point, double most, phx_vec3* on, phx_vec3* normal) {
    return find_closest(solid, point, most, on, normal);
}

static double winding_at(const phxi_solid* solid, phx_vec3 point) {
    double winding;
    phxi_winding_column(&solid->winding, point.x, 0, 1, point.y, point.z, &winding);
    return winding;
}

bool phxi_solid_inside(const phxi_solid* solid, phx_vec3 point) {
    return fabs(winding_at(solid, point)) > 0.5;
}

double phxi_solid_closest(const phxi_solid* solid, phx_vec3 point, double most, phx_vec3* away) {
    phx_vec3 face, way = phxi_sub(point, closest_of_mesh(solid, point, most, &face));
    double distance = phxi_length(way);
    *away = distance > 0 ? phxi_scale(1 / distance, way) : face;
    return distance;
}

const phx_mesh* phxi_solid_mesh(const phxi_solid* solid) {
    return solid->mesh;
}

static double mesh_distance(const phxi_solid* solid, phx_vec3 point, phx_vec3* normal) {
    double winding = winding_at(solid, point);
    phx_vec3 face, away = phxi_sub(point, closest_of_mesh(solid, point, INFINITY, &face));
    double distance = phxi_length(away), sign = fabs(winding) > 0.5 ? -1 : 1;
    if (normal) {
        face = winding < -0.5 ? phxi_scale(-1, face) : face; // turned inside out
        *normal = distance > 0 ? phxi_scale(sign / distance, away) : face;
    }
    return sign * distance;
}

double phxi_solid_distance(const phxi_solid* solid, phx_vec3 point, phx_vec3* normal) {
    if (solid->mesh) {
        return mesh_distance(solid, point, normal);
    }
    return normal ? phxi_shape_distance_normal(solid->shape, point, normal) : phxi_shape_distance(solid->shape, point);
}
