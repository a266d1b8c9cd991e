// SPDX-License-Identifier: MIT
// Cracks with fronts in packed form: what a checkpoint holds, checked before it is believed.
#include "methods/efg/fracture/front_fracture.h"

#include <string.h>

#define MARGIN 16 // spacings around the body that cracks may be in

typedef struct head {
    int nodes, cracks, triangles, hits, tested, unused;
} head;

void phxi_efg_fronts_pack(const phxi_efg_fronts* f, phxi_sink* sink) {
    const phxi_crack_set* set = &f->set;
    head h = {set->nodes.count, set->parent.count, set->surface.triangles.count, f->hits.count, f->tested, set->unused};
    sink->put(sink, &h, sizeof h);
    sink->put(sink, set->nodes.items, (size_t)h.nodes * sizeof *set->nodes.items);
    sink->put(sink, set->parent.items, (size_t)h.cracks * sizeof *set->parent.items);
    sink->put(sink, set->surface.triangles.items, (size_t)h.triangles * sizeof *set->surface.triangles.items);
    sink->put(sink, f->hits.items, (size_t)h.hits * sizeof *f->hits.items);
}

static bool take(const uint8_t** at, const uint8_t* end, int count, size_t size, const uint8_t** taken) {
    if (count < 0 || (size_t)(end - *at) / size < (size_t)count) {
        return false;
    }
    *taken = *at;
    *at += (size_t)count * size;
    return true;
}

static phxi_crack_node node_at(const phxi_efg_packed_fronts* p, int k) {
    phxi_crack_node node;
    memcpy(&node, p->node + (size_t)k * sizeof node, sizeof node);
    return node;
}

static bool index_ok(int index, int count) {
    return index >= 0 && index < count;
}

static bool is_unit(phx_vec3 x) {
    return fabs(phxi_length(x) - 1) < 1e-6;
}

/// Links lead to nodes that lead back, unused ones along their list.
static bool nodes_ok(const phxi_efg_packed_fronts* p) {
    int unused = 0, listed = 0;
    for (int k = 0; k < p->nodes; ++k) {
        phxi_crack_node n = node_at(p, k);
        unused += n.state == PHXI_NODE_UNUSED;
        if (n.state == PHXI_NODE_UNUSED) {
            continue;
        }
        if (n.state < 0 || n.state > PHXI_NODE_COVERED || !index_ok(n.crack, p->cracks) || !is_unit(n.normal) ||
            !is_unit(n.ahead) || !(fabs(n.pending) < 1e9) ||
            (n.prev != -1 && !(index_ok(n.prev, p->nodes) && node_at(p, n.prev).next == k)) ||
            (n.next != -1 && !(index_ok(n.next, p->nodes) && node_at(p, n.next).prev == k))) {
            return false;
        }
    }
    for (int k = p->unused; k != -1; k = node_at(p, k).next) {
        if (!index_ok(k, p->nodes) || node_at(p, k).state != PHXI_NODE_UNUSED || ++listed > unused) {
            return false;
        }
    }
    return listed == unused;
}

static bool cracks_ok(const phxi_efg_packed_fronts* p) {
    for (int k = 0; k < p->cracks; ++k) {
        int parent;
        memcpy(&parent, p->parent + (size_t)k * sizeof parent, sizeof parent);
        if (parent < 0 || parent > k) {
            return false;
        }
    }
    for (int k = 0; k < p->triangles; ++k) {
        phxi_crack_triangle t;
        memcpy(&t, p->triangle + (size_t)k * sizeof t, sizeof t);
        if (!index_ok(t.crack, p->cracks) || !phxi_finite(t.corner[0]) || !phxi_finite(t.corner[1]) ||
            !phxi_finite(t.corner[2])) {
            return false;
        }
    }
    return true;
}

static bool hits_ok(const phxi_efg_packed_fronts* p, int bonds) {
    for (int k = 0; k < p->hits; ++k) {
        phxi_efg_hit hit;
        memcpy(&hit, p->hit + (size_t)k * sizeof hit, sizeof hit);
        if (!index_ok(hit.bond, bonds) || !index_ok(hit.crack, p->cracks) || !phxi_finite(hit.at)) {
            return false;
        }
    }
    return true;
}

bool phxi_efg_fronts_take(const uint8_t** at, const uint8_t* end, int bonds, phxi_efg_packed_fronts* p) {
    const uint8_t* first;
    head h;
    if (!take(at, end, 1, sizeof h, &first)) {
        return false;
    }
    memcpy(&h, first, sizeof h);
    *p = (phxi_efg_packed_fronts){h.nodes, h.cracks, h.triangles, h.hits, h.tested, h.unused, NULL, NULL, NULL, NULL};
    return take(at, end, h.nodes, sizeof(phxi_crack_node), &p->node) &&
           take(at, end, h.cracks, sizeof(int), &p->parent) &&
           take(at, end, h.triangles, sizeof(phxi_crack_triangle), &p->triangle) &&
           take(at, end, h.hits, sizeof(phxi_efg_hit), &p->hit) && h.tested >= 0 && h.tested <= h.triangles &&
           nodes_ok(p) && cracks_ok(p) && hits_ok(p, bonds);
}

static bool within(phx_vec3 x, phx_vec3 low, phx_vec3 high) {
    return x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y && x.z <= high.z;
}

// the grid of triangles is made for no more
bool phxi_efg_fronts_fit(const phxi_efg_fronts* f, const phxi_efg_packed_fronts* p) {
    double margin = MARGIN * f->set.spacing, cell = f->grid.cell;
    phx_vec3 size = {cell * f->grid.cells[0], cell * f->grid.cells[1], cell * f->grid.cells[2]};
    phx_vec3 edge = {margin, margin, margin}, low = phxi_sub(f->grid.low, edge);
    phx_vec3 high = phxi_add(phxi_add(f->grid.low, size), edge);
    bool good = true;
    for (int k = 0; k < p->nodes && good; ++k) {
        phxi_crack_node n = node_at(p, k);
        good = n.state == PHXI_NODE_UNUSED || (within(n.at, low, high) && within(n.from, low, high));
    }
    for (int k = 0; k < p->triangles && good; ++k) {
        phxi_crack_triangle t;
        memcpy(&t, p->triangle + (size_t)k * sizeof t, sizeof t);
        good = within(t.corner[0], low, high) && within(t.corner[1], low, high) && within(t.corner[2], low, high);
    }
    return good;
}

/// Arrays may be empty, and then nowhere.
static void copy(void* to, const uint8_t* from, int count, size_t size) {
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

phx_result phxi_efg_fronts_unpack(phxi_efg_fronts* f, phxi_heap* heap, const phxi_efg_packed_fronts* p) {
    phxi_crack_set* set = &f->set;
    phxi_efg_fronts_heal(f);
    if (p->nodes + p->cracks + p->triangles + p->hits == 0) {
        return PHX_OK;
    }
    if (!phxi_array_reserve(&set->nodes, p->nodes, heap, "efg cracks") ||
        !phxi_array_reserve(&set->parent, p->cracks, heap, "efg cracks") ||
        !phxi_array_reserve(&set->surface.triangles, p->triangles, heap, "efg cracks") ||
        !phxi_array_reserve(&f->hits, p->hits, heap, "efg cracks")) {
        return PHX_ERROR_MEMORY;
    }
    copy(set->nodes.items, p->node, p->nodes, sizeof *set->nodes.items);
    copy(set->parent.items, p->parent, p->cracks, sizeof *set->parent.items);
    copy(set->surface.triangles.items, p->triangle, p->triangles, sizeof *set->surface.triangles.items);
    copy(f->hits.items, p->hit, p->hits, sizeof *f->hits.items);
    set->nodes.count = p->nodes;
    set->parent.count = p->cracks;
    set->surface.triangles.count = p->triangles;
    f->hits.count = p->hits;
    f->tested = p->tested;
    set->unused = p->unused;
    return phxi_crack_surface_index(&set->surface, heap);
}
