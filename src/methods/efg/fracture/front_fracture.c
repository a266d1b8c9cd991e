// SPDX-License-Identifier: MIT
// Where cracks with fronts begin, what drives them, and what they do to bonds. See front_fracture.h.
//
// The published design opens a crack at a particle and splits the particle. Here a crack begins half a layer beside it,
// on the side that is pulled more, as facets do: particles are not split, and a surface through a layer of them would
// be ragged.
#include "methods/efg/fracture/front_fracture.h"

#include "math/decompose3.h"
#include "neighbors/kernel.h"

#include <stdlib.h>
#include <string.h>

#define NODES     6    // of a new crack
#define AHEAD     1.25 // spacings; a little more than the diagonal half of a cell and one layer
#define SHADOW    5.0  // spacings from a front where no other crack begins; with h, side cracks are many (docs)
#define CLEARANCE 3.0  // spacings beside a crack, likewise: stress there is about to fall
#define PARALLEL  0.5  // sine of the angle under which older surfaces count

// --------------------------------------------------------------------------------------------------------- create

phx_result phxi_efg_fronts_create(phxi_efg_crack_stage* s) {
    const phxi_particles* p = s->step->particles;
    phxi_efg_fronts* f = phxi_alloc_zero(s->step->heap, 1, sizeof *f, "efg cracks");
    if (!f) {
        return PHX_ERROR_MEMORY;
    }
    s->fracture->fronts = f;
    double spacing = 0;
    for (int i = 0; i < s->slot->count; ++i) {
        spacing += (double)p->spacing[s->slot->begin + i] / s->slot->count;
    }
    phxi_cracks_init(&f->set, s->fracture->layer * spacing);
    return phxi_rest_grid_create(&f->grid, s->step->heap, p, s->slot->begin, s->slot->count, 1.5 * spacing);
}

void phxi_efg_fronts_destroy(phxi_efg_fronts* f, phxi_heap* heap) {
    if (f) {
        phxi_cracks_destroy(&f->set, heap);
        phxi_rest_grid_destroy(&f->grid, heap);
        phxi_array_destroy(&f->hits, heap);
        phxi_free(heap, f);
    }
}

void phxi_efg_fronts_heal(phxi_efg_fronts* f) {
    f->set.nodes.count = f->set.parent.count = f->set.surface.triangles.count = 0;
    f->set.surface.entries.count = f->hits.count = f->tested = 0;
    f->set.unused = -1;
    if (f->set.surface.heads) {
        memset(f->set.surface.heads, -1, (size_t)f->set.surface.head_count * sizeof(int));
    }
}

// --------------------------------------------------------------------------------------------------------- stress

static bool degenerate(const phxi_efg_crack_stage* s, int i) {
    const phxi_efg_scar* scar = phxi_efg_scar_of(s->fracture, i);
    return scar && scar->broken > 0 && scar->degenerate;
}

/// Stress and gradient of a particle, found once a substep; false if they mean nothing.
static bool stress_of(const phxi_efg_crack_stage* s, int i) {
    phxi_efg_fronts* f = s->fracture->fronts;
    if (f->known[i] == 0) {
        f->known[i] = !degenerate(s, i) && phxi_efg_cauchy(s, i, &f->stress[i], &f->gradient[i], &f->amount[i]) ? 2 : 1;
    }
    return f->known[i] == 2;
}

static phx_result forget_stress(phxi_efg_crack_stage* s) {
    phxi_efg_fronts* f = s->fracture->fronts;
    size_t count = (size_t)s->fracture->count;
    f->stress = phxi_arena_take(s->step->arena, count, sizeof *f->stress);
    f->gradient = phxi_arena_take(s->step->arena, count, sizeof *f->gradient);
    f->amount = phxi_arena_take(s->step->arena, count, sizeof *f->amount);
    f->known = phxi_arena_take(s->step->arena, count, 1);
    if (!f->stress || !f->gradient || !f->amount || !f->known) {
        return PHX_ERROR_MEMORY;
    }
    memset(f->known, 0, count);
    return PHX_OK;
}

/// The mean around a point, of particles whose stress means something.
typedef struct mean {
    const phxi_efg_crack_stage* s;
    phx_vec3 at;
    double radius, weight, amount, nearest;
    int particle; // nearest
    bool alarm;
    phxi_sym3 stress;
    phxi_mat3 gradient;
} mean;

static bool find_alarm(void* context, int i) {
    mean* m = context;
    m->alarm = m->alarm || (m->s->fracture->alarm[i] && phxi_distance(phxi_efg_rest_of(m->s, i), m->at) < m->radius);
    return !m->alarm;
}

static void add_stress(phxi_sym3* sum, double w, const phxi_sym3* a) {
    sum->xx += w * a->xx, sum->yy += w * a->yy, sum->zz += w * a->zz;
    sum->xy += w * a->xy, sum->xz += w * a->xz, sum->yz += w * a->yz;
}

static bool add_to_mean(void* context, int i) {
    mean* m = context;
    double r = phxi_distance(phxi_efg_rest_of(m->s, i), m->at);
    if (r < m->radius && stress_of(m->s, i)) {
        const phxi_efg_fronts* f = m->s->fracture->fronts;
        double w = phxi_kernel_value(PHXI_KERNEL_POLY6, r / m->radius, 1);
        m->weight += w;
        m->amount += w * f->amount[i];
        if (r < m->nearest) {
            m->nearest = r;
            m->particle = i;
        }
        add_stress(&m->stress, w, &f->stress[i]);
        for (int k = 0; k < 9; ++k) {
            m->gradient.m[k / 3][k % 3] += w * f->gradient[i].m[k / 3][k % 3];
        }
    }
    return true;
}

static double radius_of(const phxi_efg_crack_stage* s) {
    return s->slot->support * s->fracture->fronts->set.spacing / s->fracture->layer;
}

static double tension(void* context, phx_vec3 at, phx_vec3* normal) {
    phxi_efg_crack_stage* s = context;
    const phxi_rest_grid* grid = &s->fracture->fronts->grid;
    mean m = {.s = s, .at = at, .radius = radius_of(s), .nearest = INFINITY};
    phx_vec3 reach = {m.radius, m.radius, m.radius}, low = phxi_sub(at, reach), high = phxi_add(at, reach);
    // a mean is not above its largest part
    phxi_rest_grid_visit(grid, low, high, find_alarm, &m);
    if (!m.alarm) {
        return 0;
    }
    phxi_rest_grid_visit(grid, low, high, add_to_mean, &m);
    if (!(m.weight > 0)) {
        return 0;
    }
    double value[3];
    phxi_mat3 vectors, back = phxi_mat3_transpose(&m.gradient);
    phxi_eigen_sym3(&m.stress, value, &vectors);
    phx_vec3 direction = phxi_vec3(vectors.m[0][0], vectors.m[1][0], vectors.m[2][0]);
    *normal = phxi_normalize(phxi_mat3_apply(&back, direction), direction);
    return phxi_efg_load(s, m.particle, value[0] / m.weight, m.amount / m.weight);
}

typedef struct probe {
    const phxi_efg_crack_stage* s;
    phx_vec3 at, ahead;
    bool found;
} probe;

static bool find_ahead(void* context, int i) {
    probe* p = context;
    phx_vec3 d = phxi_sub(phxi_efg_rest_of(p->s, i), p->at);
    p->found = phxi_dot(d, p->ahead) > 0 && phxi_length(d) < AHEAD * p->s->fracture->fronts->set.spacing;
    return !p->found;
}

static bool solid(void* context, phx_vec3 at, phx_vec3 ahead) {
    phxi_efg_crack_stage* s = context;
    double r = AHEAD * s->fracture->fronts->set.spacing;
    probe p = {s, at, ahead, false};
    phx_vec3 reach = {r, r, r};
    phxi_rest_grid_visit(&s->fracture->fronts->grid, phxi_sub(at, reach), phxi_add(at, reach), find_ahead, &p);
    return p.found;
}

// ------------------------------------------------------------------------------------------------------ nucleation

/// Half a layer to the side of a particle that is pulled more.
static phx_vec3 beside(const phxi_efg_crack_stage* s, int i, phx_vec3 direction, phx_vec3 normal) {
    const phxi_efg_fronts* f = s->fracture->fronts;
    double sum[2] = {0};
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        double d = phxi_dot(normal, phxi_sub(phxi_efg_rest_of(s, j), phxi_efg_rest_of(s, i)));
        if (d != 0 && s->fracture->bond[pair] < 0 && stress_of(s, j)) {
            phxi_mat3 stress = phxi_sym3_full(&f->stress[j]);
            sum[d > 0] += phxi_efg_pair_weight(s, i, pair) * phxi_dot(direction, phxi_mat3_apply(&stress, direction));
        }
    }
    double offset = 0.5 * phxi_efg_layer_at(s, i) * (sum[1] >= sum[0] ? 1 : -1);
    return phxi_add_scaled(phxi_efg_rest_of(s, i), offset, normal);
}

/// A particle where stress is above strength.
typedef struct candidate {
    double load; // stress over strength
    int particle;
    phx_vec3 direction, normal; // of the stress, and at rest
} candidate;

static int compare_candidates(const void* a, const void* b) {
    const candidate *x = a, *y = b;
    return x->load != y->load ? (x->load < y->load) - (x->load > y->load) : (x->particle > y->particle) * 2 - 1;
}

static bool weigh(const phxi_efg_crack_stage* s, int i, candidate* c) {
    const phxi_efg_fronts* f = s->fracture->fronts;
    if (!s->fracture->alarm[i] || phxi_efg_fragment_size(s->fracture, i) <= EFG_TINY || !stress_of(s, i)) {
        return false;
    }
    double value[3];
    phxi_mat3 vectors, back = phxi_mat3_transpose(&f->gradient[i]);
    phxi_eigen_sym3(&f->stress[i], value, &vectors);
    c->particle = i;
    c->load = phxi_efg_load(s, i, value[0], f->amount[i]);
    c->direction = phxi_vec3(vectors.m[0][0], vectors.m[1][0], vectors.m[2][0]);
    c->normal = phxi_normalize(phxi_mat3_apply(&back, c->direction), c->direction);
    return c->load > 1;
}

static double shadow_of(const phxi_efg_crack_stage* s) {
    return fmax(radius_of(s), SHADOW * s->fracture->fronts->set.spacing);
}

/// Marks particles near a front.
typedef struct shadow {
    const phxi_efg_crack_stage* s;
    uint8_t* near;
    int edge;
} shadow;

static bool mark_near(void* context, int i) {
    shadow* c = context;
    phx_vec3 x = phxi_efg_rest_of(c->s, i);
    double d = phxi_distance(x, phxi_cracks_nearest(&c->s->fracture->fronts->set, c->edge, x));
    c->near[i] = c->near[i] || d < shadow_of(c->s);
    return true;
}

static void mark_fronts(const phxi_efg_crack_stage* s, uint8_t* near) {
    const phxi_efg_fronts* f = s->fracture->fronts;
    double r = shadow_of(s);
    phx_vec3 reach = {r, r, r};
    for (int k = 0; k < f->set.nodes.count; ++k) {
        if (phxi_cracks_is_edge(&f->set, k)) {
            shadow c = {s, near, k};
            phx_vec3 p = f->set.nodes.items[k].at, q = f->set.nodes.items[f->set.nodes.items[k].next].at;
            phxi_rest_grid_visit(&f->grid, phxi_sub(phxi_min(p, q), reach), phxi_add(phxi_max(p, q), reach), mark_near,
                                 &c);
        }
    }
}

/// New cracks, one after the other, where load is largest; none near a front or beside a crack.
static phx_result nucleate(phxi_efg_crack_stage* s) {
    phxi_efg_fronts* f = s->fracture->fronts;
    size_t count = (size_t)s->fracture->count;
    uint8_t* near = phxi_arena_take(s->step->arena, count, 1);
    candidate* found = phxi_arena_take(s->step->arena, count, sizeof *found);
    if (!near || !found) {
        return PHX_ERROR_MEMORY;
    }
    memset(near, 0, count);
    mark_fronts(s, near);
    int candidates = 0;
    for (int i = 0; i < s->fracture->count; ++i) {
        candidates += !near[i] && weigh(s, i, &found[candidates]);
    }
    qsort(found, (size_t)candidates, sizeof *found, compare_candidates);
    for (int k = 0; k < candidates; ++k) {
        const candidate* c = &found[k];
        phx_vec3 x = phxi_efg_rest_of(s, c->particle);
        double clear = CLEARANCE * f->set.spacing, t;
        if (!near[c->particle] && phxi_crack_surface_cut(&f->set.surface, phxi_add_scaled(x, -clear, c->normal),
                                                         phxi_add_scaled(x, clear, c->normal), 0, PARALLEL, &t) < 0) {
            phx_vec3 center = beside(s, c->particle, c->direction, c->normal);
            PHXI_TRY(phxi_cracks_nucleate(&f->set, s->step->heap, center, c->normal, NODES));
            mark_fronts(s, near);
        }
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- bonds

typedef struct crossing {
    phxi_efg_crack_stage* s;
    const phxi_crack_triangle* triangle;
    phx_vec3 normal;
    int facet; // -1: none yet
    phx_result result;
} crossing;

/// The plane of a triangle, for the surface that is shown.
static phx_result add_plane(crossing* c) {
    const phx_vec3* x = c->triangle->corner;
    phx_vec3 center = phxi_scale(1.0 / 3, phxi_add(x[0], phxi_add(x[1], x[2])));
    phxi_efg_facet facet = {center, c->normal, c->s->fracture->fronts->set.spacing, c->s->fracture->time, 0};
    c->facet = c->s->fracture->facets.count;
    return phxi_efg_add_facet(c->s, &facet);
}

static bool is_known(const phxi_efg_fronts* f, int bond, int crack) {
    for (int k = 0; k < f->hits.count; ++k) {
        if (f->hits.items[k].bond == bond &&
            phxi_cracks_root(&f->set, f->hits.items[k].crack) == phxi_cracks_root(&f->set, crack)) {
            return true;
        }
    }
    return false;
}

static phx_result hit_pair(crossing* c, int i, int pair, double t) {
    phxi_efg_fracture* f = c->s->fracture;
    int j = phxi_efg_pair_other(c->s, pair);
    if (f->bond[pair] < 0) {
        if (c->facet < 0) {
            PHXI_TRY(add_plane(c));
        }
        PHXI_TRY(phxi_efg_break_bond(c->s, i, pair, c->facet, t));
        f->bonds.items[f->bond[pair]].goal = 1;
    }
    int bond = f->bond[pair];
    if (f->bonds.items[bond].goal == 0 || is_known(f->fronts, bond, c->triangle->crack)) {
        return PHX_OK;
    }
    phxi_efg_hit* hit = phxi_array_add(&f->fronts->hits, c->s->step->heap, "efg cracks");
    if (!hit) {
        return PHX_ERROR_MEMORY;
    }
    phx_vec3 x = phxi_efg_rest_of(c->s, i), y = phxi_efg_rest_of(c->s, j);
    *hit = (phxi_efg_hit){bond, c->triangle->crack, phxi_add_scaled(x, t, phxi_sub(y, x))};
    return PHX_OK;
}

static bool cross_particle(void* context, int i) {
    crossing* c = context;
    phxi_efg_crack_stage* s = c->s;
    phx_vec3 x = phxi_efg_rest_of(s, i);
    double side = phxi_dot(phxi_sub(x, c->triangle->corner[0]), c->normal), t;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i) && c->result == PHX_OK; ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        // most pairs lie on one side
        if (j > i && side * phxi_dot(phxi_sub(phxi_efg_rest_of(s, j), c->triangle->corner[0]), c->normal) <= 0 &&
            phxi_crack_triangle_cut(c->triangle, x, phxi_efg_rest_of(s, j), &t)) {
            c->result = hit_pair(c, i, pair, t);
        }
    }
    return c->result == PHX_OK;
}

/// New triangles against the bonds around them.
static phx_result cross_triangles(phxi_efg_crack_stage* s) {
    phxi_efg_fronts* f = s->fracture->fronts;
    double r = 1.5 * radius_of(s); // radii of sparse neighbourhoods may have grown
    phx_vec3 reach = {r, r, r};
    for (; f->tested < f->set.surface.triangles.count; ++f->tested) {
        const phxi_crack_triangle* t = &f->set.surface.triangles.items[f->tested];
        phx_vec3 low = phxi_min(t->corner[0], phxi_min(t->corner[1], t->corner[2]));
        phx_vec3 high = phxi_max(t->corner[0], phxi_max(t->corner[1], t->corner[2]));
        phx_vec3 normal = phxi_cross(phxi_sub(t->corner[1], t->corner[0]), phxi_sub(t->corner[2], t->corner[0]));
        crossing c = {s, t, phxi_normalize(normal, phxi_vec3(0, 0, 1)), -1, PHX_OK};
        phxi_rest_grid_visit(&f->grid, phxi_sub(low, reach), phxi_add(high, reach), cross_particle, &c);
        PHXI_TRY(c.result);
    }
    return PHX_OK;
}

/// w' over w of a bond of length r at a distance d from the front.
static double share_at(const phxi_efg_crack_stage* s, double r, double h, double d) {
    double kappa = s->slot->params.front_blur, q = fmin(r / h, 0.999);
    double behind = kappa > 0 ? 2 * d / (kappa * h) : INFINITY, longer = q + behind * behind;
    if (!(longer < 1)) {
        return 0;
    }
    double share = (1 - longer * longer) / (1 - q * q);
    share = share * share * share;
    return share < EFG_LEAST_INTEGRITY ? 0 : share;
}

/// Goals of all bonds that are not to be cut yet. Those that are leave the list.
static void set_goals(phxi_efg_crack_stage* s) {
    phxi_efg_fronts* f = s->fracture->fronts;
    const phx_real* spacing = s->step->particles->spacing + s->slot->begin;
    int kept = 0;
    for (int k = 0; k < f->hits.count; ++k) {
        phxi_efg_hit hit = f->hits.items[k];
        phxi_efg_bond* bond = &s->fracture->bonds.items[hit.bond];
        double h = s->slot->support * ((double)spacing[bond->i] + (double)spacing[bond->j]) / 2;
        double r = phxi_distance(phxi_efg_rest_of(s, bond->i), phxi_efg_rest_of(s, bond->j));
        bond->goal = fmin(bond->goal, share_at(s, r, h, phxi_cracks_distance(&f->set, hit.crack, hit.at)));
        if (bond->goal > 0) {
            f->hits.items[kept++] = hit;
        }
    }
    f->hits.count = kept;
}

phx_result phxi_efg_fronts_cross(phxi_efg_crack_stage* s) {
    PHXI_TRY(cross_triangles(s));
    set_goals(s);
    return PHX_OK;
}

phx_result phxi_efg_move_fronts(phxi_efg_crack_stage* s) {
    phxi_efg_fronts* f = s->fracture->fronts;
    int live = phxi_cracks_live_nodes(&f->set);
    phxi_crack_medium medium = {s, solid, tension, s->slot->params.front_speed * s->fracture->shear_speed};
    PHXI_TRY(forget_stress(s));
    PHXI_TRY(phxi_cracks_grow(&f->set, s->step->heap, &medium, s->dt));
    bool changed = f->tested < f->set.surface.triangles.count || live != phxi_cracks_live_nodes(&f->set);
    return changed ? phxi_efg_fronts_cross(s) : PHX_OK;
}

phx_result phxi_efg_grow_fronts(phxi_efg_crack_stage* s) {
    if (memchr(s->fracture->alarm, 1, (size_t)s->fracture->count)) {
        PHXI_TRY(forget_stress(s));
        PHXI_TRY(nucleate(s));
    }
    return phxi_efg_move_fronts(s);
}
