// SPDX-License-Identifier: MIT
// What keeps breaking bodies stable at the step of whole ones, docs/theory/fracture.md section 4.
//
// Stiffness. A particle with few bonds left has a stiff row: its strain follows single particles. With d_j = A^+ y_ij
// and g = sum_j d_j the row's largest frequency goes with
//   q = lambda_max( (V rho / m_i) g g^T + sum_j (V rho / m_j) d_j d_j^T ),
// and theta = min(1, 1 / ((c_p dt)^2 q)) on its stress keeps it below what the step can take. Directions that are not
// trusted (phi) do not count, as they carry no stress.
//
// Energy. theta_d falls when weights change such that the energy of the row would rise (bonds.c), and returns slowly
// while the row is nearly unstrained.
//
// Noise. Cracks release waves as short as the spacing. Dashpots along the bonds, zeta sqrt(E a m) w, take them out
// without touching rigid motion of any fragment.
#include "methods/efg/fracture/fracture.h"

#include "math/decompose3.h"
#include "math/simd.h"

#define RELEASE   0.02 // of theta_d a substep
#define RELAXED   0.1  // strain over sigma_t / E below which it returns
#define ZETA      0.02 // dashpots along all bonds of a broken body
#define ZETA_RAMP 0.2  // and along those that are breaking
#define EVERY     8    // substeps between dashpots, and steps of the return: slow, both of them

static double trust(const phxi_efg_flat* flat, int k) {
    double phi = 0;
    for (int rank = k + 1; rank <= 3; ++rank) {
        phi += flat->share[rank];
    }
    return phi;
}

/// Phi A^+
static phxi_mat3 trusted_inverse(const phxi_efg_scar* scar, const phxi_mat3* inverse) {
    if (!scar->degenerate) {
        return *inverse;
    }
    phxi_mat3 phi = {0};
    for (int k = 0; k < 3; ++k) {
        double share = trust(&scar->flat, k);
        for (int b = 0; b < 9; ++b) {
            phi.m[b / 3][b % 3] += share * scar->flat.basis.m[b / 3][k] * scar->flat.basis.m[b % 3][k];
        }
    }
    return phxi_mat3_mul(&phi, inverse);
}

static void add_square(phxi_sym3* a, double s, phx_vec3 d) {
    a->xx += s * d.x * d.x, a->yy += s * d.y * d.y, a->zz += s * d.z * d.z;
    a->xy += s * d.x * d.y, a->xz += s * d.x * d.z, a->yz += s * d.y * d.z;
}

double phxi_efg_stiffness_bound(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar, const phxi_mat3* inverse) {
    const phxi_efg* efg = s->efg;
    const phxi_particles* p = s->step->particles;
    int row = s->slot->row + scar->particle, k = s->slot->begin + scar->particle;
    double mass = (double)p->volume[k] * s->fracture->density;
    phxi_mat3 map = trusted_inverse(scar, inverse);
    const phxi_r4* list = efg->gradient.items + efg->list.items[row];
    phxi_sym3 q = {0};
    phx_vec3 g = {0};
    for (int n = efg->start.items[row]; n < efg->start.items[row + 1]; ++n, ++list) {
        int other = efg->offset.items[n] / (int)sizeof(phxi_r4) - s->slot->row;
        phx_vec3 d = phxi_mat3_apply(&map, phxi_vec3((*list)[0], (*list)[1], (*list)[2]));
        add_square(&q, mass / (double)p->mass[s->slot->begin + other], d);
        g = phxi_add(g, d);
    }
    add_square(&q, mass / (double)p->mass[k], g);
    double value[3], step = s->fracture->wave_speed * s->fracture->dt;
    phxi_mat3 vectors;
    phxi_eigen_sym3(&q, value, &vectors);
    return value[0] * step * step > 1 ? 1 / (value[0] * step * step) : 1;
}

/// Directions that the row's neighbours hardly span, NULL: they span all.
static const phxi_efg_flat* flat_of(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar, bool rebuilt) {
    if (rebuilt) {
        return scar->degenerate ? &scar->flat : NULL;
    }
    const phxi_efg_block* block = &s->efg->blocks.items[s->slot->block_begin + scar->particle / EFG_BLOCK];
    return phxi_efg_find_flat(s->efg, block, s->slot->row + scar->particle);
}

double phxi_efg_scar_energy(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar, bool rebuilt) {
    int row = s->slot->row + scar->particle;
    phxi_efg_local at = phxi_efg_local_of(s->efg, s->slot, flat_of(s, scar, rebuilt), &s->body->elastic, row);
    return (double)s->efg->groups.items[row / EFG_LANES].volume[row % EFG_LANES] * at.energy + at.hourglass;
}

/// |eps|, elastic, of a row.
static double strain_of(const phxi_efg_crack_stage* s, const phxi_efg_scar* scar) {
    int row = s->slot->row + scar->particle;
    phxi_efg_local at = phxi_efg_local_stress(s->efg, s->slot, flat_of(s, scar, true), &s->body->elastic, row);
    phxi_mat3 turned = phxi_mat3_transpose(&at.elastic), c = phxi_mat3_mul(&turned, &at.elastic);
    double square = 0;
    for (int k = 0; k < 9; ++k) {
        double e = (c.m[k / 3][k % 3] - (k % 4 == 0)) / 2;
        square += e * e;
    }
    return sqrt(square);
}

void phxi_efg_release(phxi_efg_crack_stage* s, int* changed, int* count) {
    phxi_efg_fracture* f = s->fracture;
    double limit = RELAXED * (isfinite(f->strength) ? phxi_efg_strength_at(f, f->grid.cell / 3) / f->young : 0.01);
    for (int k = 0; k < f->scars.count && f->ticks % EVERY == 0; ++k) {
        phxi_efg_scar* scar = &f->scars.items[k];
        if (scar->held < 1 && strain_of(s, scar) < limit) {
            scar->held = fmin(1, scar->held + EVERY * RELEASE);
            phxi_efg_set_factors(s, scar);
            changed[(*count)++] = scar->particle;
        }
    }
}

// ------------------------------------------------------------------------------------------------------ dashpots

typedef struct dashpots {
    const phxi_efg_crack_stage* s;
    phx_vec3* change; // of velocities
} dashpots;

/// Impulses on a particle along the lines to others, so that momentum and angular momentum stay: eight at a time, as
/// wide as the machine is, and summed by lane.
enum { LANES = 8 };
typedef struct dashpot_lanes {
    double mass[LANES], spacing[LANES], weight[LANES]; // of the others; of the bond, 0: there is none
    double way[3][LANES], speed[3][LANES];
} dashpot_lanes;

/// rate w sqrt(m E a) (v.d) d/|d|^2 with the reduced mass m and the mean spacing a.
static PHXI_CLONES void dashpot_impulses(const dashpot_lanes* o, double mass, double spacing, double rate, double young,
                                         double sums[3][LANES]) {
    PHXI_SIMD
    for (int l = 0; l < LANES; ++l) {
        double reduced = mass * o->mass[l] / (mass + o->mass[l]);
        double size = sqrt(young * (spacing + o->spacing[l]) * reduced) * rate * o->weight[l];
        double x = o->way[0][l], y = o->way[1][l], z = o->way[2][l], square = x * x + y * y + z * z;
        double pull = size * (o->speed[0][l] * x + o->speed[1][l] * y + o->speed[2][l] * z) / (square > 0 ? square : 1);
        sums[0][l] += pull * x, sums[1][l] += pull * y, sums[2][l] += pull * z;
    }
}

static void set_lane(dashpot_lanes* o, int l, const phxi_particles* p, int i, int j, double weight) {
    o->mass[l] = p->mass[j], o->spacing[l] = p->spacing[j], o->weight[l] = weight;
    o->way[0][l] = p->x[j] - p->x[i], o->way[1][l] = p->y[j] - p->y[i], o->way[2][l] = p->z[j] - p->z[i];
    o->speed[0][l] = p->vx[j] - p->vx[i], o->speed[1][l] = p->vy[j] - p->vy[i], o->speed[2][l] = p->vz[j] - p->vz[i];
}

static phx_vec3 sum_of(double sums[3][LANES]) {
    double t[3];
    for (int k = 0; k < 3; ++k) {
        const double* l = sums[k];
        t[k] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    }
    return phxi_vec3(t[0], t[1], t[2]);
}

/// The impulse on particle i of a breaking bond.
static phx_vec3 impulse(const phxi_efg_crack_stage* s, int i, int j, double rate, double weight) {
    const phxi_particles* p = s->step->particles;
    double sums[3][LANES] = {{0}};
    dashpot_lanes o = {0};
    set_lane(&o, 0, p, i, j, weight);
    dashpot_impulses(&o, p->mass[i], p->spacing[i], rate, s->fracture->young, sums);
    return sum_of(sums);
}

static void dashpot_block(void* context, int begin, int end, int index) {
    (void)index;
    const dashpots* c = context;
    const phxi_efg_crack_stage* s = c->s;
    const phxi_particles* p = s->step->particles;
    double rate = ZETA * EVERY * s->dt / s->fracture->peak;
    for (int i = begin; i < end; ++i) {
        int k = s->slot->begin + i;
        double sums[3][LANES] = {{0}};
        for (int pair = phxi_efg_pair_begin(s, i), last = phxi_efg_pair_end(s, i); pair < last; pair += LANES) {
            dashpot_lanes o;
            for (int l = 0; l < LANES; ++l) { // what is beyond the end is the particle itself, without weight
                bool there = pair + l < last;
                int other = there ? s->slot->begin + phxi_efg_pair_other(s, pair + l) : k;
                set_lane(&o, l, p, k, other, there ? phxi_efg_pair_weight(s, i, pair + l) : 0);
            }
            dashpot_impulses(&o, p->mass[k], p->spacing[k], rate, s->fracture->young, sums);
        }
        c->change[i] = phxi_scale(p->fixed[k] ? 0 : 1 / (double)p->mass[k], sum_of(sums));
    }
}

static void push(phxi_particles* p, int i, phx_vec3 change) {
    p->vx[i] += (phx_real)change.x;
    p->vy[i] += (phx_real)change.y;
    p->vz[i] += (phx_real)change.z;
}

static void push_block(void* context, int begin, int end, int index) {
    (void)index;
    const dashpots* c = context;
    for (int i = begin; i < end; ++i) {
        push(c->s->step->particles, c->s->slot->begin + i, c->change[i]);
    }
}

phx_result phxi_efg_damp_bonds(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    phxi_particles* p = s->step->particles;
    for (int b = f->ramp_begin; b < f->bonds.count; ++b) {
        const phxi_efg_bond* bond = &f->bonds.items[b];
        int i = s->slot->begin + bond->i, j = s->slot->begin + bond->j;
        if (phxi_efg_bond_falls(bond) && !p->fixed[i] && !p->fixed[j]) {
            phx_vec3 pull =
                impulse(s, i, j, ZETA_RAMP * s->dt / f->peak, phxi_efg_pair_weight(s, bond->i, bond->pair[0]));
            push(p, i, phxi_scale(1 / (double)p->mass[i], pull));
            push(p, j, phxi_scale(-1 / (double)p->mass[j], pull));
        }
    }
    if (f->ticks % EVERY == 0) {
        dashpots c = {s, phxi_arena_take(s->step->arena, (size_t)f->count, sizeof *c.change)};
        if (!c.change) {
            return PHX_ERROR_MEMORY;
        }
        phxi_parallel_for(s->step->pool, f->count, EFG_BLOCK, dashpot_block, &c);
        phxi_parallel_for(s->step->pool, f->count, EFG_BLOCK, push_block, &c);
    }
    return PHX_OK;
}
