// SPDX-License-Identifier: MIT
// Loops over blocks of eight particles, one loop a law, each compiled for several instruction sets.
//
// A last, incomplete block is padded with rest states, and no lane looks at another, so a particle's result has the
// same bits at every place and count. Two rare branches, taken when any lane asks for them, keep the common path short:
//   far   |G| above FAR or not a number: G is scaled back to FAR (stress stays finite), NaN goes to all outputs;
//   hard  states that the wide form of a law cannot take (reversed, nearly flat): the scalar law, in double.
#include "materials/elastic_batch.h"

#include "materials/elastic_wide.h"
#include "math/decompose3.h"

/// Stretches beyond this belong to no material; powers of it up to the sixth, times a modulus, fit a float.
#define FAR 1000.0

// ----------------------------------------------------------------------------------------------------- scalar fallback

/// Hencky's law for every state: ln s goes on as its tangent below FLOOR.
static double hencky_everywhere(const phxi_elastic* elastic, const phxi_mat3* f, phxi_mat3* p) {
    phxi_mat3 u, v;
    double s[3], l[3], psi[3];
    phxi_svd3(f, &u, s, &v);
    for (int a = 0; a < 3; ++a) {
        l[a] = s[a] >= PHXI_ELASTIC_FLOOR ? log(s[a])
                                          : log(PHXI_ELASTIC_FLOOR) + (s[a] - PHXI_ELASTIC_FLOOR) / PHXI_ELASTIC_FLOOR;
    }
    double sum = l[0] + l[1] + l[2];
    for (int a = 0; a < 3; ++a) {
        psi[a] = (2 * elastic->mu * l[a] + elastic->lambda * sum) / fmax(s[a], PHXI_ELASTIC_FLOOR);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] =
                u.m[i][0] * psi[0] * v.m[j][0] + u.m[i][1] * psi[1] * v.m[j][1] + u.m[i][2] * psi[2] * v.m[j][2];
        }
    }
    return elastic->mu * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) + 0.5 * elastic->lambda * sum * sum;
}

static void redo_hard_lanes(const phxi_elastic* elastic, wide_block* b) {
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        if (!b->hard[lane]) {
            continue;
        }
        phxi_mat3 f = phxi_identity(), p;
        double energy;
        for (int k = 0; k < 9; ++k) {
            f.m[k / 3][k % 3] += (double)b->g[k][lane];
        }
        if (elastic->law == PHX_LAW_HENCKY) {
            energy = hencky_everywhere(elastic, &f, &p);
        } else {
            phxi_elastic_stress(elastic, &f, &p); // corotated and bounded: defined for every state
            energy = phxi_elastic_energy(elastic, &f);
        }
        for (int k = 0; k < 9; ++k) {
            b->p[k][lane] = (phx_real)p.m[k / 3][k % 3];
        }
        b->energy[lane] = (phx_real)energy;
    }
}

// -------------------------------------------------------------------------------------------------------- rare states

PHXI_INLINE void far_lanes(const wide_block* b, phxi_mw* far) {
    phxi_rw square = b->g[0] * b->g[0];
    for (int k = 1; k < 9; ++k) {
        square += b->g[k] * b->g[k];
    }
    *far = ~(phxi_mw)(square < PHXI_R(FAR * FAR));
}

/// Scales far lanes back; a lane with a NaN is put to rest meanwhile, so that no law has to think of it.
static void pull_back(wide_block* b, const phxi_mw* far, phxi_mw* nan) {
    *nan = (phxi_mw){0};
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        if (!(*far)[lane]) {
            continue;
        }
        double g[9], square = 0;
        for (int k = 0; k < 9; ++k) {
            g[k] = fmax(-1e30, fmin(1e30, (double)b->g[k][lane]));
            square += g[k] * g[k];
            if (isnan(b->g[k][lane])) {
                (*nan)[lane] = -1;
            }
        }
        double scale = (*nan)[lane] ? 0 : FAR / sqrt(square);
        for (int k = 0; k < 9; ++k) {
            b->g[k][lane] = (phx_real)(scale * g[k]);
        }
    }
}

static void spread_nan(wide_block* b, const phxi_mw* nan) {
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        if ((*nan)[lane]) {
            for (int k = 0; k < 9; ++k) {
                b->p[k][lane] = (phx_real)NAN;
            }
            b->energy[lane] = (phx_real)NAN;
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- loops

PHXI_INLINE void load_block(wide_block* b, int filled, int stride, const phx_real* g) {
    b->hard = (phxi_mw){0};
    b->energy = (phxi_rw){0};
    if (filled >= PHXI_LANES) {
        for (int k = 0; k < 9; ++k) {
            b->g[k] = *(const phxi_rw*)(const void*)(g + (ptrdiff_t)k * stride);
        }
        return;
    }
    for (int k = 0; k < 9; ++k) {
        b->g[k] = (phxi_rw){0};
        memcpy(&b->g[k], g + (ptrdiff_t)k * stride, (size_t)filled * sizeof(phx_real));
    }
}

PHXI_INLINE void store_block(const wide_block* b, int filled, int stride, phx_real* p, phx_real* energy) {
    if (filled >= PHXI_LANES) {
        for (int k = 0; k < 9; ++k) {
            *(phxi_rw*)(void*)(p + (ptrdiff_t)k * stride) = b->p[k];
        }
        if (energy) {
            memcpy(energy, &b->energy, sizeof b->energy);
        }
        return;
    }
    for (int k = 0; k < 9; ++k) {
        memcpy(p + (ptrdiff_t)k * stride, &b->p[k], (size_t)filled * sizeof(phx_real));
    }
    if (energy) {
        memcpy(energy, &b->energy, (size_t)filled * sizeof(phx_real));
    }
}

/// The loop of one law; `apply` works on `law` and `block`; the energy is left out where that saves time.
#define LOOP(name, apply)                                                                                              \
    PHXI_CLONES static void phxi_elastic_batch_##name(const phxi_elastic* elastic, const wide_law* law, int count,     \
                                                      int stride, const phx_real* g, phx_real* p, phx_real* energy) {  \
        for (int i = 0; i < count; i += PHXI_LANES) {                                                                  \
            wide_block block;                                                                                          \
            phxi_mw far, nan = {0};                                                                                    \
            load_block(&block, count - i, stride, g + i);                                                              \
            far_lanes(&block, &far);                                                                                   \
            const bool strange = phxi_wide_any(&far);                                                                  \
            if (strange) {                                                                                             \
                pull_back(&block, &far, &nan);                                                                         \
            }                                                                                                          \
            apply;                                                                                                     \
            if (phxi_wide_any(&block.hard)) {                                                                          \
                redo_hard_lanes(elastic, &block);                                                                      \
            }                                                                                                          \
            if (strange) {                                                                                             \
                spread_nan(&block, &nan);                                                                              \
            }                                                                                                          \
            store_block(&block, count - i, stride, p + i, energy ? energy + i : NULL);                                 \
        }                                                                                                              \
    }

LOOP(corotated, corotated_wide(law, &block, energy != NULL))
LOOP(stvk, stvk_wide(law, &block, energy != NULL))
LOOP(neo_hookean, neo_hookean_wide(law, &block, energy != NULL))
LOOP(neo_hookean_square, neo_hookean_square_wide(law, &block, energy != NULL))
LOOP(neo_hookean_bounded, neo_hookean_bounded_wide(law, &block, energy != NULL))
LOOP(neo_hookean_general, neo_hookean_general_wide(law, &block))
LOOP(mooney_rivlin, mooney_rivlin_wide(law, &block))
LOOP(hencky, hencky_wide(law, &block, energy != NULL))

void phxi_elastic_batch(const phxi_elastic* elastic, int count, int stride, const phx_real* g, phx_real* p,
                        phx_real* energy) {
    const wide_law law = {(phx_real)elastic->mu,  (phx_real)elastic->lambda, (phx_real)elastic->kappa,
                          (phx_real)elastic->mu1, (phx_real)elastic->mu2,    (phx_real)elastic->bound};
    switch (elastic->law) {
    case PHX_LAW_COROTATED:
        phxi_elastic_batch_corotated(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_NEO_HOOKEAN:
        phxi_elastic_batch_neo_hookean(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_NEO_HOOKEAN_SQUARE:
        phxi_elastic_batch_neo_hookean_square(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_NEO_HOOKEAN_BOUNDED:
        phxi_elastic_batch_neo_hookean_bounded(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_NEO_HOOKEAN_GENERAL:
        phxi_elastic_batch_neo_hookean_general(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_MOONEY_RIVLIN:
        phxi_elastic_batch_mooney_rivlin(elastic, &law, count, stride, g, p, energy);
        break;
    case PHX_LAW_HENCKY:
        phxi_elastic_batch_hencky(elastic, &law, count, stride, g, p, energy);
        break;
    default:
        phxi_elastic_batch_stvk(elastic, &law, count, stride, g, p, energy);
        break;
    }
}
