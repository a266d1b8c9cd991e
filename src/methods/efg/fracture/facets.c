// SPDX-License-Identifier: MIT
// Cracks as facets: which bonds break next, docs/theory/fracture.md section 2.
//
// A particle whose stress is above its strength puts a disc beside itself, at right angles to the largest principal
// stress; bonds through the disc break. There is no front: a crack goes on where a disc is put into line with earlier
// ones. Four rules keep it a surface and not a cloud:
//   continuation  a disc near older ones takes on half of their direction and their plane
//   shadow        beside a disc there is no second one, since stress there is about to fall
//   rate          a disc is not continued before the crack could have got there (0.6 of the speed of shear waves)
//   labels        a particle near a crack stays on the side it was found on, whatever later discs say
// A disc may not pass through its particle and steps aside; the crack's course does not (slip), so that layers of the
// lattice do not lead it. Where nothing tells the two sides of a layer apart, neighbours decide and not rounding.
// Lengths are in units of s, the distance of layers. Candidates are taken one by one, most loaded first, so the
// pattern does not depend on threads.
#include "methods/efg/fracture/fracture.h"

#include "math/decompose3.h"
#include "methods/efg/plastic.h"

#include <stdlib.h>
#include <string.h>

#define RADIUS       0.85
#define COMPATIBLE   0.7  // |cos| of the angle of two facets of one crack
#define CRACK_SPEED  0.6  // of shear waves
#define NEAREST      0.25 // plane to its own particle
#define FARTHEST     0.75
#define LABEL_ZONE   0.7
#define OVERLOAD     1.5  // stress over strength from which the rules give way
#define SPENT        2.0  // plastic strain over what it bears from which flanks of a crack break again
#define SAME_LAYER   0.1  // difference of heights of particles in one layer
#define EVEN         0.05 // difference of pulls of two sides, over their sum, that is noise
#define BROKEN_SHARE 0.5  // of broken particles in the mean stress
#define REACH        3.0  // of a particle for facets around it
#define MAX_NEAR     256
#define MAX_FACETS   3 // that begin at one particle

typedef struct candidate {
    double ratio; // load over strength
    int particle;
    bool flowed; // it is the plastic strain that is too large
} candidate;

enum { UNKNOWN, AROUND, LOADED }; // by particle: whether its stress is needed, and what for

typedef struct pass {
    phxi_efg_crack_stage* s;
    phxi_sym3* stress; // Cauchy, in the axes of the frame; of particles that are `known`
    phxi_mat3* gradient;
    double* amount; // plastic strain gathered so far
    uint8_t* known; // marks
    int wanted;     // the mark of those whose stress is found now
    candidate* candidates;
    int count;
    // particles around the disc, see gather
    int* around;
    uint8_t* seen;
    int around_count;
} pass;

// --------------------------------------------------------------------------------------------------------- stress

static bool degenerate(const pass* p, int i) {
    const phxi_efg_scar* scar = phxi_efg_scar_of(p->s->fracture, i);
    return scar && scar->broken > 0 && scar->degenerate;
}

/// Marks particles that may put a facet.
static void mark_loaded(pass* p) {
    const phxi_efg_fracture* f = p->s->fracture;
    for (int i = 0; i < f->count; ++i) {
        if (!f->alarm[i] || degenerate(p, i)) {
            continue;
        }
        const phxi_efg_scar* scar = phxi_efg_scar_of(f, i);
        bool can = phxi_efg_fragment_size(f, i) > EFG_TINY && !(scar && scar->facets >= MAX_FACETS);
        p->known[i] = can ? LOADED : UNKNOWN;
    }
}

/// Marks what candidates hold on to.
static void mark_around(pass* p) {
    const phxi_efg_crack_stage* s = p->s;
    for (int k = 0; k < p->count; ++k) {
        int i = p->candidates[k].particle;
        for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
            int j = phxi_efg_pair_other(s, pair);
            if (s->fracture->bond[pair] < 0 && p->known[j] == UNKNOWN) {
                p->known[j] = AROUND;
            }
        }
    }
}

static void stress_block(void* context, int begin, int end, int index) {
    (void)index;
    const pass* p = context;
    const phxi_efg_crack_stage* s = p->s;
    for (int i = begin; i < end; ++i) {
        if (p->known[i] != p->wanted) {
            continue;
        }
        p->stress[i] = (phxi_sym3){0};
        p->gradient[i] = phxi_identity();
        p->amount[i] = 0;
        if (degenerate(p, i)) {
            continue; // means nothing
        }
        phxi_efg_cauchy(s, i, &p->stress[i], &p->gradient[i], &p->amount[i]);
    }
}

static int compare_candidates(const void* a, const void* b) {
    const candidate *x = a, *y = b;
    return x->ratio != y->ratio ? (x->ratio < y->ratio) - (x->ratio > y->ratio) : (x->particle > y->particle) * 2 - 1;
}

static void find_candidates(pass* p) {
    const phxi_efg_crack_stage* s = p->s;
    const phxi_efg_fracture* f = s->fracture;
    for (int i = 0; i < f->count; ++i) {
        if (p->known[i] != LOADED) {
            continue;
        }
        double value[3];
        phxi_mat3 vectors;
        phxi_eigen_sym3(&p->stress[i], value, &vectors);
        double ratio = phxi_efg_load(s, i, value[0], p->amount[i]);
        if (ratio > 1) {
            p->candidates[p->count++] = (candidate){ratio, i, phxi_efg_load(s, i, value[0], 0) <= 1};
        }
    }
    qsort(p->candidates, (size_t)p->count, sizeof *p->candidates, compare_candidates);
}

static void add_stress(phxi_sym3* sum, double w, const phxi_sym3* a) {
    sum->xx += w * a->xx, sum->yy += w * a->yy, sum->zz += w * a->zz;
    sum->xy += w * a->xy, sum->xz += w * a->xz, sum->yz += w * a->yz;
}

static double share_in_mean(const phxi_efg_fracture* f, int i) {
    return phxi_efg_is_broken(f, i) ? BROKEN_SHARE : 1;
}

/// Direction of the largest stress around a particle (in the frame's axes), and the normal it gives at rest. The mean
/// has weights 1 - r^2/h^2, the cube root of those of bonds: stress beside a crack is that of half a neighbourhood and
/// turned towards planes of the lattice; the wider the mean, the less (5 degrees instead of 7), and the less so the
/// smaller the share of particles that have lost bonds.
static void find_normal(const pass* p, int i, phx_vec3* direction, phx_vec3* normal) {
    const phxi_efg_crack_stage* s = p->s;
    phxi_sym3 mean = {0};
    add_stress(&mean, share_in_mean(s->fracture, i), &p->stress[i]);
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        if (s->fracture->bond[pair] < 0) {
            int j = phxi_efg_pair_other(s, pair);
            double w = cbrt(phxi_efg_pair_weight(s, i, pair) / s->fracture->peak);
            add_stress(&mean, share_in_mean(s->fracture, j) * w, &p->stress[j]);
        }
    }
    double value[3];
    phxi_mat3 vectors;
    phxi_eigen_sym3(&mean, value, &vectors);
    *direction = phxi_vec3(vectors.m[0][0], vectors.m[1][0], vectors.m[2][0]);
    phxi_mat3 back = phxi_mat3_transpose(&p->gradient[i]);
    *normal = phxi_normalize(phxi_mat3_apply(&back, *direction), *direction);
}

// ------------------------------------------------------------------------------------------------------------ cut

int phxi_efg_side(const phxi_efg_fracture* f, int i, phx_vec3 normal, double d, double zone) {
    const phxi_efg_scar* scar = phxi_efg_scar_of(f, i);
    for (int k = 0; scar && fabs(d) < zone && k < scar->labels; ++k) {
        double along = phxi_dot(scar->label[k], normal);
        if (fabs(along) > COMPATIBLE) {
            return along > 0 ? 1 : -1;
        }
    }
    return d < 0 ? -1 : 1;
}

static bool has_label(const phxi_efg_scar* scar, phx_vec3 normal) {
    for (int k = 0; k < scar->labels; ++k) {
        if (fabs(phxi_dot(scar->label[k], normal)) > COMPATIBLE) {
            return true;
        }
    }
    return false;
}

/// Particles within `radius` of x, from particle i through its neighbours' neighbours.
static void gather(pass* p, int i, phx_vec3 x, double radius) {
    const phxi_efg_crack_stage* s = p->s;
    for (int k = 0; k < p->around_count; ++k) {
        p->seen[p->around[k]] = 0;
    }
    p->around_count = 0;
    p->around[p->around_count++] = i;
    p->seen[i] = 1;
    for (int ring = 0, begin = 0; ring < 3; ++ring) {
        int end = p->around_count;
        for (; begin < end; ++begin) {
            int at = p->around[begin];
            for (int pair = phxi_efg_pair_begin(s, at); pair < phxi_efg_pair_end(s, at); ++pair) {
                int j = phxi_efg_pair_other(s, pair);
                if (!p->seen[j] && phxi_distance(phxi_efg_rest_of(s, j), x) < radius) {
                    p->seen[j] = 1;
                    p->around[p->around_count++] = j;
                }
            }
        }
    }
}

double phxi_efg_crossing(const phxi_efg_crack_stage* s, const phxi_efg_facet* facet, int a, int b) {
    const double zone = LABEL_ZONE / RADIUS * facet->radius;
    phx_vec3 xa = phxi_sub(phxi_efg_rest_of(s, a), facet->center), xb = phxi_sub(phxi_efg_rest_of(s, b), facet->center);
    double da = phxi_dot(xa, facet->normal), db = phxi_dot(xb, facet->normal), both = fabs(da) + fabs(db);
    double t = both > 0 ? fabs(da) / both : 0.5;
    phx_vec3 at = phxi_add_scaled(xa, t, phxi_sub(xb, xa));
    at = phxi_add_scaled(at, -phxi_dot(at, facet->normal), facet->normal);
    bool parts = phxi_length(at) < facet->radius && phxi_efg_side(s->fracture, a, facet->normal, da, zone) !=
                                                        phxi_efg_side(s->fracture, b, facet->normal, db, zone);
    return parts ? t : -1;
}

/// Whether a particle can do without one more bond. Under a blunt load discs of many directions meet, and would cut
/// particles off one by one: dust. What holds on to few neighbours is left to the ligaments (tears).
static bool is_firm(const phxi_efg_crack_stage* s, int i) {
    int whole = 0;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i) && whole <= EFG_FIRM; ++pair) {
        whole += phxi_efg_pair_other(s, pair) != i && s->fracture->bond[pair] < 0;
    }
    return whole > EFG_FIRM;
}

/// Breaks the bonds through a disc near particle i and labels the particles beside it; how many into `cut`.
static phx_result cut_disc(pass* p, int i, const phxi_efg_facet* facet, int* cut) {
    phxi_efg_crack_stage* s = p->s;
    phxi_efg_fracture* f = s->fracture;
    double layer = phxi_efg_layer_at(s, i), zone = LABEL_ZONE * layer;
    double reach = s->slot->support * (double)s->step->particles->spacing[s->slot->begin + i];
    *cut = 0;
    gather(p, i, facet->center, facet->radius + reach);
    for (int k = 0; k < p->around_count; ++k) {
        int a = p->around[k];
        for (int pair = phxi_efg_pair_begin(s, a); pair < phxi_efg_pair_end(s, a); ++pair) {
            int b = phxi_efg_pair_other(s, pair);
            if (b <= a || f->bond[pair] >= 0 || phxi_efg_pair_weight(s, a, pair) == 0) {
                continue;
            }
            double t = phxi_efg_crossing(s, facet, a, b);
            if (t >= 0 && is_firm(s, a) && is_firm(s, b)) {
                PHXI_TRY(phxi_efg_break_bond(s, a, pair, f->facets.count, t));
                ++*cut;
            }
        }
    }
    for (int k = 0; k<p->around_count&& * cut> 0; ++k) {
        int a = p->around[k];
        phx_vec3 x = phxi_sub(phxi_efg_rest_of(s, a), facet->center);
        double d = phxi_dot(x, facet->normal);
        if (fabs(d) < zone && phxi_length(phxi_add_scaled(x, -d, facet->normal)) < facet->radius) {
            phxi_efg_scar* scar = phxi_efg_add_scar(s, a);
            if (!scar) {
                return PHX_ERROR_MEMORY;
            }
            if (scar->labels < EFG_LABELS && !has_label(scar, facet->normal)) {
                scar->label[scar->labels++] = phxi_scale(d < 0 ? -1 : 1, facet->normal);
            }
        }
    }
    return PHX_OK;
}

/// Puts a disc with this normal at `offset` from particle i if it cuts anything; `slip`: how far off the crack's course
/// that is.
static phx_result put_facet(pass* p, int i, phx_vec3 normal, double offset, double slip, bool* done) {
    phxi_efg_crack_stage* s = p->s;
    phx_vec3 center = phxi_add_scaled(phxi_efg_rest_of(s, i), offset, normal);
    phxi_efg_facet facet = {center, normal, RADIUS * phxi_efg_layer_at(s, i), s->fracture->time, slip};
    int cut;
    PHXI_TRY(cut_disc(p, i, &facet, &cut));
    *done = cut > 0;
    if (*done) {
        PHXI_TRY(phxi_efg_add_facet(s, &facet));
        phxi_efg_scar* scar = phxi_efg_add_scar(s, i);
        if (!scar) {
            return PHX_ERROR_MEMORY;
        }
        ++scar->facets;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------ decisions

/// How a facet lies to a particle that wants one with normal n. Lengths over s.
typedef struct relation {
    const phxi_efg_facet* facet;
    double along;        // n . n_g
    double height, side; // dn, dt
    double distance, age;
} relation;

static relation relate(const pass* p, int i, phx_vec3 n, int facet) {
    const phxi_efg_crack_stage* s = p->s;
    double layer = phxi_efg_layer_at(s, i);
    relation r = {.facet = &s->fracture->facets.items[facet]};
    phx_vec3 x = phxi_sub(phxi_efg_rest_of(s, i), r.facet->center);
    double dn = phxi_dot(x, r.facet->normal);
    phx_vec3 flat = phxi_add_scaled(x, -dn, r.facet->normal);
    r.along = phxi_dot(n, r.facet->normal);
    r.height = dn / layer;
    r.side = phxi_length(flat) / layer;
    r.distance = phxi_length(x) / layer;
    r.age = s->fracture->time - r.facet->time;
    return r;
}

static bool shadows(const relation* r) {
    double height = fabs(r->height);
    return fabs(r->along) > COMPATIBLE && ((r->side < 0.6 && height < 2) || (height >= 1.3 && r->side < 1.5));
}

static bool continues(const relation* r, double hold) {
    return fabs(r->along) > COMPATIBLE && r->side < 2 && fabs(r->height) < 1.3 && r->distance < 2.2 && r->age >= hold;
}

/// Whether a particle is too near to a facet for one across it as long as the facet is young: stress is about to fall.
static bool is_fresh(const relation* r, double hold) {
    return r->side < 0.6 && fabs(r->height) < 0.5 && r->age < 3 * hold;
}

/// The same of a particle that has flowed too far. Stress falls beside a crack, plastic strain stays: the facet is what
/// came of it, and the particle has to flow as far once more before it makes another one.
static bool is_spent(const relation* r, double ratio) {
    return r->side < 1 && fabs(r->height) < 1 && ratio < SPENT;
}

/// What facets around a particle say about the next one.
typedef struct advice {
    bool reject, young; // nothing here; nothing new here
    double weight;      // of facets to go on from
    phx_vec3 normal;    // sums
    int known[MAX_NEAR];
    int count;
} advice;

static phx_result ask_facets(pass* p, const candidate* c, phx_vec3 n, double hold, advice* a, bool* done) {
    bool shadow = false;
    for (int k = 0; k < a->count && !*done; ++k) {
        relation r = relate(p, c->particle, n, a->known[k]);
        bool compatible = fabs(r.along) > COMPATIBLE;
        a->young = a->young || r.age < hold;
        if (!compatible && (c->flowed ? is_spent(&r, c->ratio) : is_fresh(&r, hold))) {
            a->reject = true;
            return PHX_OK;
        }
        if (shadows(&r) && !(r.age > 4 * hold && c->ratio > OVERLOAD)) {
            shadow = true;
            if (fabs(r.height) < 1 && r.age > hold) {
                // closes gaps of the crack
                double offset = -r.height * phxi_efg_layer_at(p->s, c->particle);
                PHXI_TRY(put_facet(p, c->particle, r.facet->normal, offset, r.facet->slip, done));
            }
        } else if (continues(&r, hold)) {
            double w = 1 / (r.distance * r.distance * r.distance);
            a->weight += w;
            a->normal = phxi_add_scaled(a->normal, r.along > 0 ? w : -w, r.facet->normal);
        }
    }
    a->reject = shadow;
    return PHX_OK;
}

/// Where the course of older facets passes a particle, over s.
static double mean_offset(const pass* p, int i, phx_vec3 direction, phx_vec3 n, double hold, const advice* a) {
    double sum = 0, layer = phxi_efg_layer_at(p->s, i);
    for (int k = 0; k < a->count; ++k) {
        relation r = relate(p, i, direction, a->known[k]);
        if (!shadows(&r) && continues(&r, hold)) {
            double w = 1 / (r.distance * r.distance * r.distance) / a->weight;
            phx_vec3 course = phxi_add_scaled(r.facet->center, -r.facet->slip, r.facet->normal);
            sum += w * phxi_dot(n, phxi_sub(course, phxi_efg_rest_of(p->s, i))) / layer;
        }
    }
    return sum;
}

/// The side of a plane with normal n that a particle is on which it all but passes through, d its distance: the
/// particle's own, or that of its neighbours in the same layer.
static int side_in_layer(const pass* p, int i, phx_vec3 n, double d) {
    const phxi_efg_crack_stage* s = p->s;
    const phxi_efg_fracture* f = s->fracture;
    double votes = 0, thickness = SAME_LAYER * phxi_efg_layer_at(s, i);
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        const phxi_efg_scar* scar = phxi_efg_scar_of(f, j);
        double height = phxi_dot(n, phxi_sub(phxi_efg_rest_of(s, j), phxi_efg_rest_of(s, i)));
        if (scar && fabs(height) < thickness && has_label(scar, n)) {
            votes += phxi_efg_pair_weight(s, i, pair) * phxi_efg_side(f, j, n, 0, INFINITY);
        }
    }
    return phxi_efg_side(f, i, n, votes != 0 ? votes : d, INFINITY);
}

/// Where the first disc of a crack goes, over s from its particle: to the side with the larger pull across n, the
/// farther the larger. Sides that are pulled alike are chosen between in one way for the whole body, so that cracks
/// that begin at several places of a notch meet. Stress of what has flowed is all but the same everywhere: how much
/// larger it is on one side means nothing.
static double first_offset(const pass* p, const candidate* c, phx_vec3 direction, phx_vec3 n) {
    const phxi_efg_crack_stage* s = p->s;
    int i = c->particle;
    const phx_vec3 preferred = {1, 0.45, 0.17}; // not in a plane of a lattice
    double sum[2] = {0};
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        if (s->fracture->bond[pair] >= 0) {
            continue;
        }
        phxi_mat3 stress = phxi_sym3_full(&p->stress[j]);
        double pull = phxi_dot(direction, phxi_mat3_apply(&stress, direction));
        double d = phxi_dot(n, phxi_sub(phxi_efg_rest_of(s, j), phxi_efg_rest_of(s, i)));
        sum[d > 0] += d != 0 ? phxi_efg_pair_weight(s, i, pair) * pull : 0;
    }
    double both = fabs(sum[0]) + fabs(sum[1]), more = both > 0 ? (sum[1] - sum[0]) / both : 0;
    return copysign(0.5 + (c->flowed ? 0 : fmin(fabs(more), FARTHEST - 0.5)),
                    fabs(more) < EVEN ? phxi_dot(n, preferred) : more);
}

static phx_result consider(pass* p, const candidate* c) {
    phxi_efg_crack_stage* s = p->s;
    int i = c->particle;
    double layer = phxi_efg_layer_at(s, i), hold = layer / (CRACK_SPEED * s->fracture->shear_speed);
    phx_vec3 direction, n;
    bool done = false;
    advice a = {0};
    find_normal(p, i, &direction, &n);
    a.count = phxi_efg_near_facets(s->fracture, phxi_efg_rest_of(s, i), REACH * layer, a.known, MAX_NEAR);
    PHXI_TRY(ask_facets(p, c, n, hold, &a, &done));
    if (done || a.reject) {
        return PHX_OK;
    }
    double offset, slip = 0;
    if (a.weight > 0) {
        phx_vec3 older = phxi_normalize(a.normal, n);
        phx_vec3 blend = phxi_normalize(phxi_add(n, older), n);
        double course = mean_offset(p, i, n, blend, hold, &a);
        offset = course;
        n = blend;
        if (fabs(offset) > FARTHEST) {
            if (c->ratio <= OVERLOAD) {
                return PHX_OK;
            }
            offset = copysign(FARTHEST, offset);
        }
        if (fabs(offset) < NEAREST) {
            // the plane must not pass through a layer: it goes on the side that the particle is not on
            offset = -NEAREST * side_in_layer(p, i, n, -offset);
        }
        slip = offset - course;
    } else if (a.young) {
        return PHX_OK;
    } else {
        offset = first_offset(p, c, direction, n);
    }
    return put_facet(p, i, n, offset * layer, slip * layer, &done);
}

static bool pass_init(pass* p, phxi_efg_crack_stage* s) {
    phxi_arena* arena = s->step->arena;
    size_t count = (size_t)s->fracture->count;
    *p = (pass){.s = s};
    p->stress = phxi_arena_take(arena, count, sizeof *p->stress);
    p->gradient = phxi_arena_take(arena, count, sizeof *p->gradient);
    p->amount = phxi_arena_take(arena, count, sizeof *p->amount);
    p->known = phxi_arena_take(arena, count, 1);
    p->candidates = phxi_arena_take(arena, count, sizeof *p->candidates);
    p->around = phxi_arena_take(arena, count, sizeof *p->around);
    p->seen = phxi_arena_take(arena, count, 1);
    if (!p->stress || !p->gradient || !p->amount || !p->known || !p->candidates || !p->around || !p->seen) {
        return false;
    }
    memset(p->known, 0, count);
    memset(p->seen, 0, count);
    return true;
}

phx_result phxi_efg_grow_cracks(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    if (isfinite(f->ductile)) {
        const phx_real* amount = phxi_efg_plastic_field(s->efg, EFG_AMOUNT) + s->slot->begin;
        for (int i = 0; i < f->count; ++i) {
            f->alarm[i] |= (double)amount[i] > (1 - f->noise) * f->ductile;
        }
    }
    if (memchr(f->alarm, 1, (size_t)f->count)) {
        pass p;
        if (!pass_init(&p, s)) {
            return PHX_ERROR_MEMORY;
        }
        mark_loaded(&p);
        p.wanted = LOADED;
        phxi_parallel_for(s->step->pool, f->count, 32, stress_block, &p);
        find_candidates(&p);
        mark_around(&p);
        p.wanted = AROUND;
        phxi_parallel_for(s->step->pool, p.count > 0 ? f->count : 0, 32, stress_block, &p);
        for (int k = 0; k < p.count; ++k) {
            PHXI_TRY(consider(&p, &p.candidates[k]));
        }
    }
    return phxi_efg_tear_ligaments(s);
}
