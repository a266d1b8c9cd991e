// SPDX-License-Identifier: MIT
#include "validate/settle.h"

#include <math.h>
#include <string.h>

enum { MOST_WINDOW = 16 };

phxi_settle_def phxi_settle_default(void) {
    return (phxi_settle_def){.dt = 100, .tolerance = 1e-7, .most = 300, .window = 10};
}

phx_vec3 phxi_settle_place(const phxi_block* block, int i) {
    const phxi_particles* p = &block->world->particles;
    return phxi_vec3((double)p->x[i] + (double)block->low[0][i], (double)p->y[i] + (double)block->low[1][i],
                     (double)p->z[i] + (double)block->low[2][i]);
}

/// Anderson's acceleration of x -> g(x): the differences of the last steps span where the residual g - x is made small.
typedef struct mixing {
    int count, window, filled, next;
    phx_vec3 *x, *g, *f;                         // of this step
    phx_vec3 *last_g, *last_f;                   // of the step before
    phx_vec3 *dg[MOST_WINDOW], *df[MOST_WINDOW]; // differences, in a ring
    double matrix[MOST_WINDOW][MOST_WINDOW + 1]; // normal equations
} mixing;

static phx_result make_mixing(phxi_heap* heap, int count, int window, mixing* m) {
    *m = (mixing){.count = count, .window = window < MOST_WINDOW ? window : MOST_WINDOW};
    phx_vec3* all;
    PHXI_NEW(all, heap, (size_t)count * (size_t)(5 + 2 * m->window), "settling");
    phx_vec3** const first[5] = {&m->x, &m->g, &m->f, &m->last_g, &m->last_f};
    for (int k = 0; k < 5; ++k) {
        *first[k] = all + (size_t)k * (size_t)count;
    }
    for (int k = 0; k < m->window; ++k) {
        m->dg[k] = all + (size_t)(5 + 2 * k) * (size_t)count;
        m->df[k] = m->dg[k] + count;
    }
    return PHX_OK;
}

static double dot(const mixing* m, const phx_vec3* a, const phx_vec3* b) {
    double sum = 0;
    for (int i = 0; i < m->count; ++i) {
        sum += phxi_dot(a[i], b[i]);
    }
    return sum;
}

/// Solves the normal equations by elimination, a little regularised.
static void solve(mixing* m, double gamma[MOST_WINDOW]) {
    int n = m->filled;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            m->matrix[a][b] = dot(m, m->df[a], m->df[b]);
        }
        m->matrix[a][a] *= 1 + 1e-12;
        m->matrix[a][n] = dot(m, m->df[a], m->f);
    }
    for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
            double factor = m->matrix[a][a] > 0 ? m->matrix[b][a] / m->matrix[a][a] : 0;
            for (int c = a; c <= n; ++c) {
                m->matrix[b][c] -= factor * m->matrix[a][c];
            }
        }
    }
    for (int a = n - 1; a >= 0; --a) {
        double sum = m->matrix[a][n];
        for (int b = a + 1; b < n; ++b) {
            sum -= m->matrix[a][b] * gamma[b];
        }
        gamma[a] = m->matrix[a][a] > 0 ? sum / m->matrix[a][a] : 0;
    }
}

/// The next x, from g and f = g - x of this step.
static void mix(mixing* m, bool first) {
    size_t size = (size_t)m->count * sizeof *m->x;
    if (!first && m->window > 0) {
        for (int i = 0; i < m->count; ++i) {
            m->dg[m->next][i] = phxi_sub(m->g[i], m->last_g[i]);
            m->df[m->next][i] = phxi_sub(m->f[i], m->last_f[i]);
        }
        m->next = (m->next + 1) % m->window;
        m->filled = m->filled < m->window ? m->filled + 1 : m->window;
    }
    memcpy(m->last_g, m->g, size);
    memcpy(m->last_f, m->f, size);
    double gamma[MOST_WINDOW] = {0};
    solve(m, gamma);
    memcpy(m->x, m->g, size);
    for (int k = 0; k < m->filled; ++k) {
        for (int i = 0; i < m->count; ++i) {
            m->x[i] = phxi_add_scaled(m->x[i], -gamma[k], m->dg[k][i]);
        }
    }
}

static phx_result iterate(phxi_block* block, const phxi_settle_def* def, mixing* m, int* taken) {
    for (int i = 0; i < block->count; ++i) {
        m->x[i] = phxi_settle_place(block, i);
    }
    for (*taken = 0; *taken < def->most; ++*taken) {
        phxi_block_place(block, m->x);
        PHXI_TRY(phx_world_substep(block->world, def->dt));
        double largest = 0;
        for (int i = 0; i < block->count; ++i) {
            m->g[i] = phxi_settle_place(block, i);
            m->f[i] = phxi_sub(m->g[i], m->x[i]);
            largest = fmax(largest, phxi_length(m->f[i]));
        }
        if (largest <= def->tolerance * block->spacing) {
            break;
        }
        mix(m, *taken == 0);
    }
    return PHX_OK;
}

phx_result phxi_settle(phxi_block* block, const phxi_settle_def* def, int* steps) {
    mixing m;
    int taken = 0;
    PHXI_TRY(make_mixing(block->validation->heap, block->count, def->window, &m));
    phx_result result = iterate(block, def, &m, &taken);
    phxi_free(block->validation->heap, m.x);
    if (steps) {
        *steps = taken;
    }
    return result;
}
