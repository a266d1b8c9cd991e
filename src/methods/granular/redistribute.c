// SPDX-License-Identifier: MIT
// Particles of slime are moved, without their velocities, after a substep (docs/theory/granular.md (14)). With rho =
// sum V_j w of the cubic spline over the support h, lengths over h, and g = grad rho:
//   together   C = |g|^2, tau = C / (sum_l |2 V_l (Hess w) g|^2 + eps),  x_i += delta sum_j V_j (tau_i + tau_j)/2 grad
//   w:
//              thin surfaces are drawn together, as by surface tension
//   apart      x_i -= h g where rho > 0.9 (Fick; at surfaces g is no sign of a bad spacing): even spacing
// Steps are at most `redistribute` spacings a second: more scatters particles, which is why it is a speed and no
// length. Positions are those of the beginning of the substep, so that every place may be moved by itself.
#include "methods/granular/granular_internal.h"

#include "motion/explicit.h"
#include "neighbors/kernel.h"

#define SHARE   0.1                           // delta
#define LEAST   1e-6                          // eps
#define INSIDE  0.9                           // density of what has neighbours on all sides, over that at rest
#define CURVED  (96 / 3.14159265358979323846) // of the cubic spline, over h^5
#define TOUCHES 1e-9                          // over h

typedef struct neighbor {
    phx_vec3 way;           // x_i - x_j over h
    double distance, share; // over h; V_j / h^3
} neighbor;

static bool neighbor_of(const phxi_granular* s, int i, int j, neighbor* n) {
    if (s->ordinal[j] < 0) {
        return false;
    }
    double by = 2 / (double)(s->supports[i] + s->supports[j]); // in L, as the volumes of rows
    n->way = phxi_scale(by * s->scale, phxi_near_delta(s->near, i, j));
    n->distance = phxi_length(n->way);
    n->share = (double)s->x[j][3] * by * by * by;
    return n->distance < 1 && n->distance > TOUCHES;
}

static double slope(const neighbor* n) {
    return n->share * phxi_kernel_slope(PHXI_KERNEL_CUBIC, n->distance, 1) / n->distance;
}

static void gradient_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    const phxi_lists* lists = &s->near->lists;
    (void)block;
    for (int i = begin; i < end; ++i) {
        if (s->ordinal[i] < 0) {
            continue;
        }
        double own = 1 / (double)s->supports[i];
        double density = (double)s->x[i][3] * own * own * own * phxi_kernel_value(PHXI_KERNEL_CUBIC, 0, 1);
        phx_vec3 g = phxi_vec3(0, 0, 0);
        for (int64_t at = lists->start[i]; at < lists->start[i + 1]; ++at) {
            neighbor n;
            if (neighbor_of(s, i, lists->items[at], &n)) {
                density += n.share * phxi_kernel_value(PHXI_KERNEL_CUBIC, n.distance, 1);
                g = phxi_add_scaled(g, slope(&n), n.way);
            }
        }
        s->dense[i] = (phxi_r4){(phx_real)g.x, (phx_real)g.y, (phx_real)g.z, (phx_real)density};
    }
}

/// |2 V (Hess w) g|^2, Hess w = w'' n n + w'/r (1 - n n).
static double bend(const neighbor* n, phx_vec3 g) {
    double q = n->distance, along = phxi_dot(n->way, g) / (q * q);
    double second = n->share * CURVED * (q < 0.5 ? 3 * q - 1 : 1 - q), first = slope(n);
    phx_vec3 made = phxi_add_scaled(phxi_scale(first, g), (second - first) * along, n->way);
    return 4 * phxi_dot(made, made);
}

static phx_vec3 gradient_at(const phxi_granular* s, int i) {
    return phxi_vec3(s->dense[i][0], s->dense[i][1], s->dense[i][2]);
}

static double rate_of(const phxi_granular* s, int i) {
    return s->bodies.items[s->step->particles->body[s->near->particle[i]]].params->redistribute;
}

static void tau_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    const phxi_lists* lists = &s->near->lists;
    (void)block;
    for (int i = begin; i < end; ++i) {
        s->tau[i] = 0;
        if (s->ordinal[i] < 0 || rate_of(s, i) <= 0) {
            continue;
        }
        phx_vec3 g = gradient_at(s, i);
        double sum = LEAST;
        for (int64_t at = lists->start[i]; at < lists->start[i + 1]; ++at) {
            neighbor n;
            sum += neighbor_of(s, i, lists->items[at], &n) ? bend(&n, g) : 0;
        }
        s->tau[i] = (phx_real)(phxi_dot(g, g) / sum);
    }
}

static phx_vec3 way_together(const phxi_granular* s, int i) {
    const phxi_lists* lists = &s->near->lists;
    phx_vec3 way = phxi_vec3(0, 0, 0);
    for (int64_t at = lists->start[i]; at < lists->start[i + 1]; ++at) {
        neighbor n;
        if (neighbor_of(s, i, lists->items[at], &n)) {
            double both = 0.5 * (double)(s->tau[i] + s->tau[lists->items[at]]);
            way = phxi_add_scaled(way, SHARE * both * slope(&n), n.way);
        }
    }
    return way;
}

static void move_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    phxi_particles* p = s->step->particles;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = s->near->particle[k];
        double rate = s->ordinal[k] < 0 ? 0 : rate_of(s, k);
        if (rate == 0 || p->fixed[i]) {
            continue;
        }
        double most = fabs(rate) * (double)p->spacing[i] * s->dt, h = (double)s->supports[k] * s->unit;
        phx_vec3 way = rate > 0 ? way_together(s, k) : phxi_scale(-1, gradient_at(s, k));
        way = rate < 0 && (double)s->dense[k][3] < INSIDE ? phxi_vec3(0, 0, 0) : phxi_scale(h, way);
        // a density gradient of one over the support is as bad as it gets: Fick's step is the speed itself there
        double length = phxi_length(way), by = rate < 0 ? most / h : 1;
        by = length * by > most ? most / length : by;
        phxi_explicit_move(&p->x[i], &p->low[0][i], (phx_real)(by * way.x), false);
        phxi_explicit_move(&p->y[i], &p->low[1][i], (phx_real)(by * way.y), false);
        phxi_explicit_move(&p->z[i], &p->low[2][i], (phx_real)(by * way.z), false);
    }
}

void phxi_granular_redistribute(phxi_granular* s) {
    phxi_pool* pool = s->step->pool;
    phxi_parallel_for(pool, s->near->count, GRANULAR_GRAIN, gradient_part, s);
    phxi_parallel_for(pool, s->near->count, GRANULAR_GRAIN, tau_part, s);
    phxi_parallel_for(pool, s->near->count, GRANULAR_GRAIN, move_part, s);
}
