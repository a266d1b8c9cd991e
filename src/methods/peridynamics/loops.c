// SPDX-License-Identifier: MIT
// The loops over bonds of docs/theory/peridynamics.md (4) to (10), many particles at a time; layout in pack.h.
// Differences come first (u_j - u_i, X_j - X_i), so small strains of a body that bends far keep their digits.
#include "methods/peridynamics/pack.h"

#include "math/gather.h"

#include <string.h>

/// What keeps quotients finite: of particles that came to one place, which have r but no |Y|, and of bonds of a
/// particle with itself, which have neither. They change no bit of others.
#define NEARLY_NOTHING ((phx_real)1e-12)
#define LEAST          ((phx_real)1e-37)

enum { ROW = sizeof(phxi_peri_row) / sizeof(phxi_r4), LANE_PARTS = PERI_GROUP / PHXI_LANE_COUNT };

PHXI_INLINE void load(const phx_real* from, phxi_lanes* to) {
    memcpy(to, from, sizeof *to);
}

PHXI_INLINE void store(const phxi_lanes* from, phx_real* to) {
    memcpy(to, from, sizeof *from);
}

PHXI_INLINE void dot(const phxi_lanes a[3], const phxi_lanes b[3], phxi_lanes* out) {
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// |X|^2, and |X + u|^2 - |X|^2 = u . (2 X + u) in which the small part is not lost.
PHXI_INLINE void squares(const phxi_lanes x[3], const phxi_lanes u[3], phxi_lanes* rest, phxi_lanes* more) {
    const phxi_lanes twice[3] = {2 * x[0] + u[0], 2 * x[1] + u[1], 2 * x[2] + u[2]};
    dot(x, x, rest);
    dot(u, twice, more);
}

/// Particles whose turn it is: `part` of a group.
typedef struct place {
    bool straight; // a constant, so that the compiler takes loops apart
    int group, part, first;
} place;

PHXI_INLINE place place_of(bool straight, int block, int k) {
    int group = block * PERI_GROUPS + k / LANE_PARTS, part = k % LANE_PARTS;
    return (place){straight, group, part, group * PERI_GROUP + part * PHXI_LANE_COUNT};
}

PHXI_INLINE size_t column_at(const place* p, int column) {
    return (size_t)column * PERI_GROUP + (size_t)(p->part * PHXI_LANE_COUNT);
}

/// Three planes of particles from `first` on.
PHXI_INLINE void load3(phx_real* const plane[3], ptrdiff_t first, phxi_lanes out[3]) {
    for (int c = 0; c < 3; ++c) {
        load(plane[c] + first, &out[c]);
    }
}

/// Neighbours that begin a new line, some columns ahead: memory is told early.
PHXI_INLINE void fetch_ahead(const struct phxi_peri_pack* pack, int planes, int column, int end) {
    enum { AHEAD = 8 };
    int next = column + AHEAD < end ? pack->base[column + AHEAD] : 0;
    if (column + AHEAD < end && next != pack->base[column + AHEAD - 1] + 1) {
        for (int k = 0; k < planes; ++k) {
            __builtin_prefetch(pack->plane[k] + next);
            __builtin_prefetch(pack->plane[k] + next + PERI_GROUP);
        }
    }
}

PHXI_INLINE void own_items(int first, int item[PHXI_LANE_COUNT]) {
    for (int k = 0; k < PHXI_LANE_COUNT; ++k) {
        item[k] = first + k;
    }
}

// -------------------------------------------------------------------------------------------------------------- pass 1

typedef struct sums {
    phxi_lanes s[9], su[3], pull[3], stretch;
} sums;

/// w (|Y| - r) / r and w (r / |Y|) Y / r^2 of a bond, for w / r^2. With p = r |Y| one root and one division serve:
/// r (|Y| - r) = (|Y|^2 - r^2) r^2 / (r^2 + p), r / |Y| = r^2 / p.
PHXI_INLINE void add_lengths(const phxi_lanes* w, const phxi_lanes x[3], const phxi_lanes u[3], sums* t) {
    phxi_lanes square, more, now, p;
    squares(x, u, &square, &more);
    now = square + more;
    phxi_lanes_positive(&now);
    now *= square;
    phxi_lanes_sqrt(&now, &p);
    p += NEARLY_NOTHING * square;
    phxi_lanes both = square + p, share = *w * square / (both * p + LEAST);
    t->stretch += share * p * more;
    share *= both;
    for (int a = 0; a < 3; ++a) {
        t->pull[a] += share * (x[a] + u[a]);
    }
}

/// u and X of particles, by their first or by their indices.
PHXI_INLINE void fetch_points(const phxi_peri_slot* slot, bool straight, ptrdiff_t first, const int* item,
                              phxi_lanes u[4], phxi_lanes x[4]) {
    if (straight) {
        load3(slot->pack->plane + PLANE_U, first, u);
        load3(slot->pack->plane + PLANE_X, first, x);
    } else {
        phxi_lanes_gather(slot->u, item, u);
        phxi_lanes_gather(slot->pack->rest, item, x);
    }
}

PHXI_INLINE void sums_lanes(const phxi_peri_slot* slot, bool lengths, place p, sums* t) {
    const struct phxi_peri_pack* pack = slot->pack;
    phxi_lanes own_u[4], own_x[4];
    int own[PHXI_LANE_COUNT];
    own_items(p.first, own);
    fetch_points(slot, p.straight, p.first, own, own_u, own_x);
    memset(t, 0, sizeof *t);
    for (int column = pack->column[p.group]; column < pack->column[p.group + 1]; ++column) {
        size_t at = column_at(&p, column);
        phxi_lanes u[4], x[4], w;
        if (p.straight && p.part == 0) {
            fetch_ahead(pack, PLANE_M, column, pack->column[p.group + 1]);
        }
        fetch_points(slot, p.straight, p.straight ? pack->base[column] + p.part * PHXI_LANE_COUNT : 0, pack->item + at,
                     u, x);
        load(pack->here + at, &w);
        for (int a = 0; a < 3; ++a) {
            u[a] -= own_u[a], x[a] -= own_x[a];
        }
        for (int b = 0; b < 3; ++b) {
            const phxi_lanes y = w * x[b];
            t->s[b] += u[0] * y, t->s[3 + b] += u[1] * y, t->s[6 + b] += u[2] * y;
            t->su[b] += w * u[b];
        }
        if (lengths) {
            add_lengths(&w, x, u, t);
        }
    }
}

PHXI_INLINE void sums_block(const phxi_peri_slot* slot, bool straight, bool lengths, int block, phxi_peri_block* b) {
    for (int k = 0; k < PERI_GROUPS * LANE_PARTS; ++k) {
        int at = k * PHXI_LANE_COUNT;
        sums t;
        sums_lanes(slot, lengths, place_of(straight, block, k), &t);
        for (int c = 0; c < 9; ++c) {
            store(&t.s[c], &b->s[c][at]);
        }
        for (int c = 0; c < 3; ++c) {
            store(&t.su[c], &b->su[c][at]);
            store(&t.pull[c], &b->pull[c][at]);
        }
        store(&t.stretch, &b->stretch[at]);
    }
}

static PHXI_LOOP_CLONES void peri_sums_plain(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    sums_block(slot, true, false, block, b);
}

static PHXI_LOOP_CLONES void peri_sums_plain_gathered(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    sums_block(slot, false, false, block, b);
}

static PHXI_LOOP_CLONES void peri_sums_state(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    sums_block(slot, true, true, block, b);
}

static PHXI_LOOP_CLONES void peri_sums_state_gathered(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    sums_block(slot, false, true, block, b);
}

void PHXI_LANES_NAME(phxi_peri_sums)(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    slot->pack->straight ? peri_sums_plain(slot, block, b) : peri_sums_plain_gathered(slot, block, b);
}

void PHXI_LANES_NAME(phxi_peri_state_sums)(const phxi_peri_slot* slot, int block, phxi_peri_block* b) {
    slot->pack->straight ? peri_sums_state(slot, block, b) : peri_sums_state_gathered(slot, block, b);
}

// -------------------------------------------------------------------------------------------------------------- pass 2

typedef enum pull_kind { PULL_TANGENT, PULL_STATE, PULL_BOND } pull_kind;

/// Rows of many particles: m[3 c + a] of their matrix, u, X, and the number behind it.
typedef struct rows {
    phxi_lanes m[9], u[3], x[3], last;
} rows;

PHXI_INLINE void fetch_rows(const phxi_peri_slot* slot, bool straight, ptrdiff_t first, const int* item, rows* r) {
    if (straight) {
        phx_real* const* plane = slot->pack->plane;
        for (int c = 0; c < 9; c += 3) {
            load3(plane + PLANE_M + c, first, &r->m[c]);
        }
        load3(plane + PLANE_U, first, r->u);
        load3(plane + PLANE_X, first, r->x);
        load(plane[PLANE_T] + first, &r->last);
        return;
    }
    const phxi_r4* all = slot->rows->part;
    for (int c = 0; c < 4; ++c) {
        phxi_lanes t[4];
        phxi_lanes_gather_every(all + c, ROW, item, t);
        for (int a = 0; a < 3; ++a) {
            *(c < 3 ? &r->m[3 * c + a] : &r->x[a]) = t[a];
        }
        *(c < 3 ? &r->u[c] : &r->last) = t[3];
    }
}

PHXI_INLINE void apply(const phxi_lanes m[9], const phxi_lanes x[3], phxi_lanes out[3]) {
    for (int c = 0; c < 3; ++c) {
        out[c] = m[3 * c] * x[0] + m[3 * c + 1] * x[1] + m[3 * c + 2] * x[2];
    }
}

/// there [a u + M X + t (r / |Y|) Y]
PHXI_INLINE void add_state(const rows* there, bool tension, phx_real a, const phxi_lanes* w, const phxi_lanes x[3],
                           const phxi_lanes u[3], phxi_lanes f[3]) {
    phxi_lanes turned[3];
    apply(there->m, x, turned);
    for (int c = 0; c < 3; ++c) {
        turned[c] += a * u[c];
    }
    if (tension) {
        phxi_lanes square, more, now, shrink;
        squares(x, u, &square, &more);
        now = square + more;
        phxi_lanes_positive(&now);
        shrink = square / (now + (NEARLY_NOTHING * square + LEAST));
        phxi_lanes_sqrt(&shrink, &shrink);
        shrink *= there->last;
        for (int c = 0; c < 3; ++c) {
            turned[c] += shrink * (x[c] + u[c]);
        }
    }
    for (int c = 0; c < 3; ++c) {
        f[c] += *w * turned[c];
    }
}

/// w [Y - r dir(F X)] = w [(u - v) + (1 - k) (X + v)], v = (F - I) X, k = r / |X + v|
PHXI_INLINE void add_direction(const phxi_lanes m[9], const phxi_lanes* w, const phxi_lanes* square,
                               const phxi_lanes x[3], const phxi_lanes u[3], phxi_lanes f[3]) {
    phxi_lanes v[3], z[3], now, k;
    apply(m, x, v);
    for (int c = 0; c < 3; ++c) {
        z[c] = x[c] + v[c];
    }
    dot((const phxi_lanes*)z, (const phxi_lanes*)z, &now);
    k = *square / (now + (NEARLY_NOTHING * *square + LEAST));
    phxi_lanes_sqrt(&k, &k);
    k = *w - *w * k;
    for (int c = 0; c < 3; ++c) {
        f[c] += *w * (u[c] - v[c]) + k * z[c];
    }
}

PHXI_INLINE void add_bond(const rows* own, const rows* there, const phxi_lanes* from_here, const phxi_lanes* from_there,
                          const phxi_lanes x[3], const phxi_lanes u[3], phxi_lanes f[3]) {
    phxi_lanes square, more, now, p;
    squares(x, u, &square, &more);
    add_direction(own->m, from_here, &square, x, u, f);
    add_direction(there->m, from_there, &square, x, u, f);
    now = square + more;
    phxi_lanes_positive(&now);
    p = now * square;
    phxi_lanes_sqrt(&p, &p);
    // 1 - r / |Y|
    phxi_lanes rest = more / (now + p + NEARLY_NOTHING * square + LEAST);
    rest *= *from_here * own->last + *from_there * there->last;
    for (int c = 0; c < 3; ++c) {
        f[c] += rest * (x[c] + u[c]);
    }
}

PHXI_INLINE void pulls_lanes(const phxi_peri_slot* slot, pull_kind kind, place p, phxi_lanes f[3]) {
    const struct phxi_peri_pack* pack = slot->pack;
    int item[PHXI_LANE_COUNT];
    rows own, there;
    own_items(p.first, item);
    fetch_rows(slot, p.straight, p.first, item, &own);
    phxi_lanes scale = {0};
    const phx_real hourglass = (phx_real)slot->params.hourglass;
    if (kind == PULL_BOND) {
        phxi_lanes volume;
        load(slot->constants[p.first / PERI_BLOCK].dev + p.first % PERI_BLOCK, &scale);
        load(slot->volume + p.first, &volume);
        scale *= volume;
    }
    for (int column = pack->column[p.group]; column < pack->column[p.group + 1]; ++column) {
        size_t at = column_at(&p, column);
        phxi_lanes w, x[3], u[3];
        if (p.straight && p.part == 0) {
            fetch_ahead(pack, PLANE_OWN, column, pack->column[p.group + 1]);
        }
        fetch_rows(slot, p.straight, p.straight ? pack->base[column] + p.part * PHXI_LANE_COUNT : 0, pack->item + at,
                   &there);
        load(pack->there + at, &w);
        for (int a = 0; a < 3; ++a) {
            u[a] = there.u[a] - own.u[a], x[a] = there.x[a] - own.x[a];
        }
        if (kind == PULL_BOND) {
            phxi_lanes here;
            load(pack->here + at, &here);
            here *= scale;
            add_bond(&own, &there, &here, &w, (const phxi_lanes*)x, (const phxi_lanes*)u, f);
        } else {
            add_state(&there, kind == PULL_STATE, hourglass, &w, (const phxi_lanes*)x, (const phxi_lanes*)u, f);
        }
    }
}

PHXI_INLINE void pulls_block(const phxi_peri_slot* slot, bool straight, pull_kind kind, int block,
                             phx_real out[3][PERI_BLOCK]) {
    for (int k = 0; k < PERI_GROUPS * LANE_PARTS; ++k) {
        phxi_lanes f[3] = {{0}, {0}, {0}};
        pulls_lanes(slot, kind, place_of(straight, block, k), f);
        for (int c = 0; c < 3; ++c) {
            store(&f[c], &out[c][k * PHXI_LANE_COUNT]);
        }
    }
}

#define PULLS(name, straight, kind)                                                                                    \
    static PHXI_LOOP_CLONES void name(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {            \
        pulls_block(slot, straight, kind, block, out);                                                                 \
    }
PULLS(peri_pulls_tangent, true, PULL_TANGENT)
PULLS(peri_pulls_tangent_gathered, false, PULL_TANGENT)
PULLS(peri_pulls_state, true, PULL_STATE)
PULLS(peri_pulls_state_gathered, false, PULL_STATE)
PULLS(peri_pulls_bond, true, PULL_BOND)
PULLS(peri_pulls_bond_gathered, false, PULL_BOND)

void PHXI_LANES_NAME(phxi_peri_tangent_pulls)(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {
    slot->pack->straight ? peri_pulls_tangent(slot, block, out) : peri_pulls_tangent_gathered(slot, block, out);
}

void PHXI_LANES_NAME(phxi_peri_state_pulls)(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {
    slot->pack->straight ? peri_pulls_state(slot, block, out) : peri_pulls_state_gathered(slot, block, out);
}

void PHXI_LANES_NAME(phxi_peri_bond_pulls)(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {
    slot->pack->straight ? peri_pulls_bond(slot, block, out) : peri_pulls_bond_gathered(slot, block, out);
}

// ------------------------------------------------------------------------------------------------------ scalar matrix

static PHXI_LOOP_CLONES void peri_pulls_link(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {
    const struct phxi_peri_pack* pack = slot->pack;
    for (int k = 0; k < PERI_GROUPS * LANE_PARTS; ++k) {
        const place p = place_of(true, block, k);
        phxi_lanes f[3] = {{0}, {0}, {0}};
        for (int column = pack->column[p.group]; column < pack->column[p.group + 1]; ++column) {
            phxi_lanes w, u[3];
            load(pack->link + column_at(&p, column), &w);
            load3(pack->plane + PLANE_U, pack->base[column] + p.part * PHXI_LANE_COUNT, u);
            f[0] += w * u[0], f[1] += w * u[1], f[2] += w * u[2];
        }
        for (int c = 0; c < 3; ++c) {
            store(&f[c], &out[c][k * PHXI_LANE_COUNT]);
        }
    }
}

void PHXI_LANES_NAME(phxi_peri_link_pulls)(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]) {
    peri_pulls_link(slot, block, out);
}
