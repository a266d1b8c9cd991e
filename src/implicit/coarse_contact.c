// SPDX-License-Identifier: MIT
// Contact in the coarse part of the preconditioner: without it a stiff body on a floor is a rigid motion of little mass
// for Ac, and of enormous stiffness for the matrix; and two that touch are two.
//
// Let D = Z^T C Z = G G^T be the stiffness of contact between the modes of the bricks that touch, of all bodies, and E
// the columns of these bricks, S = E^T Ac^-1 E. Then
//   (Ac + E G G^T E^T)^-1 = Ac^-1 - Ac^-1 E G (I + G^T S G)^-1 G^T E^T Ac^-1   (Sherman, Morrison, Woodbury).
// Ac is one matrix a body, so S is zero between bodies; pairs couple them in D. Of more than MOST bricks that touch,
// only the first are seen; the others cost iterations.
#include "implicit/implicit_internal.h"

#include "solve/dense.h"

#include <string.h>

enum { MOST = PHXI_TOUCHING_BRICKS, AROUND = 16 };

/// The three rows of Z for a particle: translations, then turns e_c x arm.
static void rows_of(const phxi_implicit* s, int i, double z[3][6]) {
    double x = (double)s->arm[0][i], y = (double)s->arm[1][i], w = (double)s->arm[2][i];
    const double all[3][6] = {{1, 0, 0, 0, w, -y}, {0, 1, 0, -w, 0, x}, {0, 0, 1, y, -x, 0}};
    memcpy(z, all, sizeof all);
}

// ---------------------------------------------------------------------------------------------------- who touches

static bool presses(const phxi_implicit_work* w, int i) {
    for (int k = w->s->pair_begin[i]; w->paired && k < w->s->pair_end[i]; ++k) {
        if (w->system->pairs[w->system->entries[k].pair].matrix.along > 0) {
            return true;
        }
    }
    return false;
}

static bool brick_touches(const phxi_implicit_work* w, int brick) {
    const phxi_implicit* s = w->s;
    for (int k = s->brick_start[brick]; k < s->brick_start[brick + 1]; ++k) {
        int i = s->brick_items[k];
        if (!w->fixed[i] && ((w->touching && s->touched[i]) || presses(w, i))) {
            return true;
        }
    }
    return false;
}

/// Fills the list; a brick's place in it goes to `scratch` of its body, -1: not there.
static void list_bricks(phxi_implicit_system* y) {
    phxi_coarse_contact* t = y->coarse;
    t->count = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        for (int b = 0; b < w->s->brick_count; ++b) {
            bool here = (w->touching || w->paired) && t->count < MOST && brick_touches(w, b);
            w->s->scratch[b] = here ? t->count : -1;
            if (here) {
                t->work[t->count] = k;
                t->brick[t->count++] = b;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------ stiffness

/// to += z^T c, of two bricks.
static void add_product(double* to, int n, double z[3][6], double c[3][6]) {
    for (int m = 0; m < 36; ++m) {
        to[m / 6 * n + m % 6] += z[0][m / 6] * c[0][m % 6] + z[1][m / 6] * c[1][m % 6] + z[2][m / 6] * c[2][m % 6];
    }
}

/// Z^T C Z of the particles of a brick that touch colliders.
static void add_colliders(const phxi_implicit_work* w, int brick, double* d, int n) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const phxi_implicit* s = w->s;
    for (int k = s->brick_start[brick]; k < s->brick_start[brick + 1]; ++k) {
        int i = s->brick_items[k];
        if (!s->touched[i] || w->fixed[i]) {
            continue;
        }
        double z[3][6], c[3][6];
        rows_of(s, i, z);
        for (int a = 0; a < 3; ++a) {
            for (int m = 0; m < 6; ++m) {
                c[a][m] = (double)s->contact[at[a][0]][i] * z[0][m] + (double)s->contact[at[a][1]][i] * z[1][m] +
                          (double)s->contact[at[a][2]][i] * z[2][m];
            }
        }
        add_product(d, n, z, c);
    }
}

/// A brick that a pair moves: U by its six modes, world axes.
typedef struct moved_brick {
    int at; // in the list
    double u[3][6];
} moved_brick;

static int gather_bricks(const phxi_implicit_system* y, const phxi_implicit_pair* pair, moved_brick* moved) {
    int count = 0;
    for (int k = pair->begin; k < pair->end; ++k) {
        const phxi_implicit_member* m = &y->members[k];
        const phxi_implicit_work* w = &y->works[m->work];
        int at = w->fixed[m->particle] ? -1 : w->s->scratch[w->s->brick[m->particle]], b = 0;
        while (b < count && moved[b].at != at) {
            ++b;
        }
        if (at < 0 || b == AROUND) {
            continue;
        }
        if (b == count) {
            moved[count++] = (moved_brick){.at = at};
        }
        double z[3][6];
        rows_of(w->s, m->particle, z);
        for (int a = 0; a < 18; ++a) {
            const double* row = w->axes.m[a / 6];
            moved[b].u[a / 6][a % 6] +=
                m->coefficient * (row[0] * z[0][a % 6] + row[1] * z[1][a % 6] + row[2] * z[2][a % 6]);
        }
    }
    return count;
}

static void add_pair(const phxi_implicit_system* y, const phxi_implicit_pair* pair, double scale, double* d, int n) {
    moved_brick moved[AROUND];
    int count = gather_bricks(y, pair, moved);
    for (int b = 0; b < count; ++b) {
        double c[3][6];
        for (int m = 0; m < 6; ++m) {
            phx_vec3 u = phxi_vec3(moved[b].u[0][m], moved[b].u[1][m], moved[b].u[2][m]);
            phx_vec3 pull = phxi_scale(scale, phxi_contact_matrix_apply(&pair->matrix, u));
            c[0][m] = pull.x, c[1][m] = pull.y, c[2][m] = pull.z;
        }
        for (int a = 0; a < count; ++a) {
            add_product(d + 6 * moved[a].at * n + 6 * moved[b].at, n, moved[a].u, c);
        }
    }
}

// --------------------------------------------------------------------------------------------------------- factors

/// I + G^T S G, factored.
static void factor_all(phxi_implicit_system* y) {
    phxi_coarse_contact* t = y->coarse;
    int n = 6 * t->count;
    memset(t->half, 0, (size_t)n * (size_t)n * sizeof *t->half);
    memset(t->matrix, 0, (size_t)n * (size_t)n * sizeof *t->matrix);
    for (int i = 0; i < n; ++i) { // S G, by rows
        const phxi_implicit* s = y->works[t->work[i / 6]].s;
        const float* row = phxi_implicit_coarse_row(s, 6 * t->brick[i / 6] + i % 6);
        for (int k = 0; k < n; ++k) {
            if (t->work[k / 6] == t->work[i / 6]) {
                phxi_dense_subtract(t->half + i * n, t->g + k * n, -(double)row[6 * t->brick[k / 6] + k % 6], k + 1);
            }
        }
    }
    for (int k = 0; k < n; ++k) { // G^T of that: row i of the sum has G_ki times row k
        for (int i = 0; i <= k; ++i) {
            if (t->g[k * n + i] != 0) {
                phxi_dense_subtract(t->matrix + i * n, t->half + k * n, -t->g[k * n + i], i + 1);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        t->matrix[i * n + i] += 1;
    }
    phxi_dense_root(t->matrix, n);
}

void phxi_implicit_coarse_add_contact(phxi_implicit_system* y) {
    phxi_coarse_contact* t = y->coarse;
    if (!t) {
        return;
    }
    int contacts = 0;
    for (int k = 0; k < y->count; ++k) {
        contacts += y->works[k].s->report.contacts;
    }
    if (t->contacts == contacts) {
        return; // not quite what it was, and good enough for a preconditioner
    }
    t->contacts = contacts;
    t->count = 0;
    if (!y->touching) {
        return;
    }
    list_bricks(y);
    int n = 6 * t->count;
    memset(t->g, 0, (size_t)n * (size_t)n * sizeof *t->g);
    for (int b = 0; b < t->count; ++b) {
        const phxi_implicit_work* w = &y->works[t->work[b]];
        if (w->touching) {
            add_colliders(w, t->brick[b], t->g + 6 * b * n + 6 * b, n);
        }
    }
    for (int k = 0; k < y->pair_count; ++k) {
        if (y->pairs[k].matrix.along > 0) {
            add_pair(y, &y->pairs[k], y->works[0].s->s, t->g, n);
        }
    }
    if (t->count > 0) {
        phxi_dense_root(t->g, n);
        factor_all(y);
    }
}

/// Takes the share of contact off coarse_z.
void phxi_implicit_coarse_correct(phxi_implicit_system* y) {
    phxi_coarse_contact* t = y->coarse;
    double v[6 * MOST] = {0}, share[6 * MOST];
    int n = 6 * t->count;
    for (int k = 0; k < n; ++k) { // G^T E^T z
        double z = (double)y->works[t->work[k / 6]].s->coarse_z[6 * t->brick[k / 6] + k % 6];
        phxi_dense_subtract(v, t->g + k * n, -z, k + 1);
    }
    phxi_dense_solve(t->matrix, n, v);
    for (int k = 0; k < n; ++k) {
        share[k] = phxi_dense_dot(t->g + k * n, v, k + 1);
    }
    for (int k = 0; k < n; ++k) { // the inverse is symmetric: its rows are its columns
        phxi_implicit* s = y->works[t->work[k / 6]].s;
        const float* row = phxi_implicit_coarse_row(s, 6 * t->brick[k / 6] + k % 6);
        for (int m = 0; m < s->modes; ++m) {
            s->coarse_z[m] -= (float)share[k] * row[m];
        }
    }
}
