// SPDX-License-Identifier: MIT
#include "heat/heat.h"

#include "boundary/mirror.h"

#include <limits.h>

enum { GRAIN = 512, SHARE = 3 };

void phxi_heat_init(phxi_heat* heat, phxi_heap* heap) {
    phxi_heat_network_init(&heat->network, heap);
}

void phxi_heat_destroy(phxi_heat* heat) {
    phxi_heat_network_destroy(&heat->network);
}

double phxi_heat_body_dt(const phxi_heat_body* body, double density, double spacing) {
    // 3.35 / a^2 is the sum over a lattice's neighbours; three faces of a corner meet the air
    double per_volume = 3.35 * body->conductivity / (spacing * spacing) + 3 * body->exchange / spacing;
    bool flows = body->thermal == PHX_THERMAL_CONDUCTS && per_volume > 0;
    return flows ? density * body->law.capacity / (SHARE * per_volume) : INFINITY;
}

/// One flush of heat. Arrays by place.
typedef struct advance {
    const phxi_heat_input* in;
    phxi_heat_network* network;
    phxi_heat_load load;
    double* enthalpy;      // J/kg
    phx_real* next;        // degrees C, at the end of the step
    phx_real* air;         // W/K
    phxi_heat_gain* gains; // by block
    double* rates;         // by block, 1/s; at the end the first particle that is not finite
    double dt;
} advance;

// -------------------------------------------------------------------------------------------------------------- gather

static phx_result take_memory(advance* a) {
    phxi_arena* arena = a->in->arena;
    size_t count = (size_t)a->network->count, blocks = (size_t)phxi_block_count(a->network->count, GRAIN);
    a->enthalpy = phxi_arena_take(arena, count, sizeof *a->enthalpy);
    a->next = phxi_arena_take(arena, count, sizeof *a->next);
    a->air = phxi_arena_take(arena, count, sizeof *a->air);
    a->gains = phxi_arena_take(arena, blocks, sizeof *a->gains);
    a->rates = phxi_arena_take(arena, blocks, sizeof *a->rates);
    return a->enthalpy && a->next && a->air && a->gains && a->rates ? PHX_OK : PHX_ERROR_MEMORY;
}

static bool conducts(const phxi_heat_body* body) {
    return body->thermal == PHX_THERMAL_CONDUCTS && body->conductivity > 0;
}

/// What is squeezed flat or turned inside out has no volume to conduct with: zero would be divided by, and less would
/// let heat flow from cold to hot. Matter takes some room still.
static phx_real volume_of(const advance* a, int i) {
    const phx_real least = (phx_real)0.05, *volume = a->in->particles->volume;
    phx_real ratio = a->in->expansion ? a->in->expansion[i] : 1;
    return volume[i] * (ratio > least ? ratio : least);
}

static void gather_block(void* context, int begin, int end, int block) {
    const advance* a = context;
    const phxi_particles* p = a->in->particles;
    const phxi_near* near = a->in->near;
    phxi_heat_network* network = a->network;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = near->particle[k];
        const phxi_heat_body* body = &a->in->bodies[p->body[i]];
        bool fixed = body->thermal == PHX_THERMAL_FIXED;
        phxi_r4 mirror = {0};
        if (fixed && p->boundary_depth) {
            phx_real* const* n = p->boundary_normal;
            mirror = (phxi_r4){n[0][i], n[1][i], n[2][i], p->boundary_depth[i]};
        }
        bool mirrored = mirror[0] != 0 || mirror[1] != 0 || mirror[2] != 0;
        double resistivity = fixed ? 0 : conducts(body) ? 1 / body->conductivity : (double)INFINITY;
        network->at[k] = (phxi_r4){near->x[k], near->y[k], near->z[k], near->reach[k]};
        network->trait[k] = (phxi_r4){volume_of(a, i), (phx_real)resistivity, 1,
                                      (phx_real)(!fixed     ? PHXI_HEAT_FREE
                                                 : mirrored ? PHXI_HEAT_MIRROR
                                                            : PHXI_HEAT_FIXED)};
        network->mirror[k] = mirror;
    }
}

static void warm_block(void* context, int begin, int end, int block) {
    const advance* a = context;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = a->in->near->particle[k];
        a->network->temperature[k] = a->in->particles->temperature[i];
        a->enthalpy[k] = phxi_enthalpy_get(a->in->particles, i);
    }
}

/// Whether the conductances of the last advance are still valid.
static bool is_good(const advance* a) {
    bool good = a->in->same && a->network->built;
    for (int k = 0; good && k < a->network->count; ++k) {
        good = a->network->trait[k][0] == volume_of(a, a->in->near->particle[k]);
    }
    return good;
}

static void gather(advance* a) {
    phxi_parallel_for(a->in->pool, a->network->count, GRAIN, gather_block, a);
    a->network->fixing = false;
    for (int k = 0; k < a->network->count && !a->network->fixing; ++k) {
        a->network->fixing = a->network->trait[k][3] != PHXI_HEAT_FREE;
    }
}

// --------------------------------------------------------------------------------------------------------------- steps

/// What the surface gives to the air, and how fast each particle follows its surroundings.
static void rate_block(void* context, int begin, int end, int block) {
    const advance* a = context;
    const phxi_particles* p = a->in->particles;
    double most = 0;
    for (int k = begin; k < end; ++k) {
        int i = a->in->near->particle[k];
        const phxi_heat_body* body = &a->in->bodies[p->body[i]];
        double area = body->face * (double)a->network->face[k][3];
        a->air[k] = (phx_real)(body->thermal == PHX_THERMAL_CONDUCTS ? body->exchange * area : 0);
        double all = a->network->sum[k] + (double)a->network->fixed[k] + (double)a->air[k];
        all += a->load.exchange ? (double)a->load.exchange[k] : 0;
        double rate = all * body->law.per_capacity / (double)p->mass[i];
        most = rate > most || !(rate == rate) ? rate : most;
    }
    a->rates[block] = most;
}

/// Watts by source; returns their sum with what flows from neighbours.
static double add_up(const advance* a, int k, double flow, phxi_heat_gain* gain) {
    const phxi_heat_network* network = a->network;
    double own = (double)network->temperature[k];
    double fixed = (double)network->fixed[k] * ((double)network->fixed_temperature[k] - own);
    double air = (double)a->air[k] * (a->in->air_temperature - own);
    double driven = 0;
    if (a->load.power) {
        driven = a->load.power[k] + (double)a->load.exchange[k] * ((double)a->load.temperature[k] - own);
    }
    gain->fixed += fixed * a->dt;
    gain->air += air * a->dt;
    gain->driven += driven * a->dt;
    return flow + fixed + air + driven;
}

static void step_block(void* context, int begin, int end, int block) {
    const advance* a = context;
    const phxi_particles* p = a->in->particles;
    double watt[GRAIN];
    phxi_heat_gain gain = {0};
    phxi_heat_network_flow(a->network, begin, end, watt);
    for (int k = begin; k < end; ++k) {
        int i = a->in->near->particle[k];
        const phxi_heat_body* body = &a->in->bodies[p->body[i]];
        if (body->thermal == PHX_THERMAL_FIXED) {
            a->next[k] = a->network->temperature[k];
            continue;
        }
        double mass = (double)p->mass[i], watts = add_up(a, k, watt[k - begin], &gain);
        double enthalpy = a->enthalpy[k] + a->dt * watts / mass;
        if (a->load.hold && isfinite(a->load.hold[k])) {
            double held = phxi_enthalpy_at(&body->law, (double)a->load.hold[k]);
            gain.driven += mass * (held - enthalpy);
            enthalpy = held;
        }
        a->enthalpy[k] = enthalpy;
        a->next[k] = (phx_real)phxi_temperature_at(&body->law, enthalpy);
    }
    a->gains[block] = gain;
}

static void add_gains(const advance* a, phxi_heat_gain* gain) {
    for (int b = 0; b < phxi_block_count(a->network->count, GRAIN); ++b) {
        gain->driven += a->gains[b].driven;
        gain->air += a->gains[b].air;
        gain->fixed += a->gains[b].fixed;
    }
}

static phx_result step(advance* a, phxi_heat_gain* gain) {
    int count = a->network->count;
    double most = 0, duration = a->in->duration;
    phxi_parallel_for(a->in->pool, count, GRAIN, rate_block, a);
    for (int b = 0; b < phxi_block_count(count, GRAIN); ++b) {
        most = a->rates[b] > most || !(a->rates[b] == a->rates[b]) ? a->rates[b] : most;
    }
    double wanted = fmax(1, ceil(SHARE * duration * most));
    if (!(wanted <= 1e7)) {
        return phxi_fail(PHX_ERROR_UNSTABLE, "heat would take %g steps for %g s", wanted, duration);
    }
    a->dt = duration / wanted;
    for (int n = 0; n < (int)wanted; ++n) {
        phxi_parallel_for(a->in->pool, count, GRAIN, step_block, a);
        add_gains(a, gain);
        phx_real* old = a->network->temperature;
        a->network->temperature = a->next;
        a->next = old;
    }
    return PHX_OK;
}

static void scatter_block(void* context, int begin, int end, int block) {
    const advance* a = context;
    phxi_particles* p = a->in->particles;
    int wild = INT_MAX;
    for (int k = begin; k < end; ++k) {
        int i = a->in->near->particle[k];
        const phxi_heat_body* body = &a->in->bodies[p->body[i]];
        if (body->thermal != PHX_THERMAL_FIXED) {
            phxi_enthalpy_set(p, i, &body->law, a->enthalpy[k]);
        }
        wild = !isfinite(p->temperature[i]) && i < wild ? i : wild;
    }
    a->rates[block] = wild;
}

/// Temperatures and enthalpies go back to their particles, if they are numbers.
static phx_result scatter(advance* a) {
    double wild = INT_MAX;
    phxi_parallel_for(a->in->pool, a->network->count, GRAIN, scatter_block, a);
    for (int b = 0; b < phxi_block_count(a->network->count, GRAIN); ++b) {
        wild = fmin(wild, a->rates[b]);
    }
    if (wild < INT_MAX) {
        const phxi_particles* p = a->in->particles;
        return phxi_fail(PHX_ERROR_UNSTABLE, "particle %llu has a temperature of %g degrees C",
                         (unsigned long long)p->id[(int)wild], (double)p->temperature[(int)wild]);
    }
    return PHX_OK;
}

phx_result phxi_heat_advance(phxi_heat* heat, const phxi_heat_input* input, phxi_heat_gain* gain) {
    advance a = {.in = input, .network = &heat->network};
    bool kept = is_good(&a);
    a.network->built = false;
    PHXI_TRY(kept ? PHX_OK : phxi_heat_network_reserve(a.network, input->near));
    PHXI_TRY(take_memory(&a));
    phxi_parallel_for(input->pool, a.network->count, GRAIN, warm_block, &a);
    if (!kept) {
        gather(&a);
        phxi_heat_network_build(a.network, input->pool);
    }
    PHXI_TRY(
        phxi_heat_load_make(&a.load, input->arena, input->particles, a.network, input->sources, input->source_count));
    phx_real* own = a.network->temperature; // of the heap; the other one is of the arena
    phx_result result = step(&a, gain);
    a.network->temperature = own;
    PHXI_TRY(result);
    a.network->built = true;
    return scatter(&a);
}
