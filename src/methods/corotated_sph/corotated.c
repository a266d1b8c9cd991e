// SPDX-License-Identifier: MIT
// Parameters, fields, bodies and the substep of the method, and its table.
#include "methods/corotated_sph/corotated_internal.h"

#include <string.h>

const phxi_field_def phxi_csph_fields[CSPH_FIELD_COUNT] = {
    {"corotated_sph.shape_xx", "1/m^2", "N of the kernel: whom the particle sees, x^T N x < 1", PHXI_FIELD_REAL, true},
    {"corotated_sph.shape_yy", "1/m^2", "N of the kernel", PHXI_FIELD_REAL, true},
    {"corotated_sph.shape_zz", "1/m^2", "N of the kernel", PHXI_FIELD_REAL, true},
    {"corotated_sph.shape_xy", "1/m^2", "N of the kernel", PHXI_FIELD_REAL, true},
    {"corotated_sph.shape_xz", "1/m^2", "N of the kernel", PHXI_FIELD_REAL, true},
    {"corotated_sph.shape_yz", "1/m^2", "N of the kernel", PHXI_FIELD_REAL, true},
};

static const char* const mode_words[] = {"reference", "membership", "current", NULL};
static const char* const gradient_words[] = {"corrected", "plain", NULL};
static const char* const rotation_words[] = {"gradient", "shape", NULL};
static const char* const strain_words[] = {"linear", "green", NULL};
static const char* const tangent_words[] = {"projected", "frozen", NULL};
static const char* const volume_words[] = {"geometric", "density", NULL};
static const char* const weight_words[] = {"balanced", "plain", NULL};

static const phx_param params[] = {
    PHXI_REAL(phxi_csph_params, support, "", "1.667", 1.01, 4, "radius of the kernel over the spacing"),
    PHXI_WORD(
        phxi_csph_params, mode, mode_words, "reference",
        "reference: neighbours at rest for ever; membership: of those the ones that the kernel reaches now; current: "
        "kernels on current positions, for study only: not stable in tension"),
    PHXI_WORD(phxi_csph_params, kernel, phxi_anisotropy_words, "isotropic",
              "of modes membership and current; diagonal: grows with the strain along the axes at rest, as published; "
              "principal: along "
              "the principal directions of the strain"),
    PHXI_REAL(phxi_csph_params, eta, "", "1", 0, 10, "how much longer than at rest an anisotropic kernel gets"),
    PHXI_POSITIVE(phxi_csph_params, full, "", "0.5", 100, "strain at which it is longest"),
    PHXI_BOOL(phxi_csph_params, permanent, "false", "neighbours that were lost stay lost: the body breaks"),
    PHXI_WORD(phxi_csph_params, gradient, gradient_words, "corrected",
              "corrected: exact for linear fields; plain: as published, soft"),
    PHXI_WORD(phxi_csph_params, rotation, rotation_words, "gradient",
              "gradient: of the deformation gradient, conserves angular momentum; shape: of the weighted sum of "
              "positions, as published"),
    PHXI_WORD(phxi_csph_params, strain, strain_words, "linear", "linear, or green's"),
    PHXI_WORD(phxi_csph_params, volumes, volume_words, "geometric",
              "geometric: of the cells; density: mass over the density that the kernel sees, as published"),
    PHXI_WORD(
        phxi_csph_params, weights, weight_words, "balanced",
        "of pairs in irregular bodies of mode reference; balanced: a uniform stress is at rest inside; plain: those "
        "of the kernel alone, too soft"),
    PHXI_POSITIVE(phxi_csph_params, pair_share, "", "1", 1, "of the force of a pair; 0.5: as published"),
    PHXI_REAL(phxi_csph_params, hourglass, "", "-1", -1, 10,
              "stiffness against motion that no gradient sees; below 0: 0.1, or 0.5 of modes membership and current"),
    PHXI_WORD(phxi_csph_params, integrator, phxi_integrator_words, "auto",
              "time integration; auto: leapfrog, or bdf2 for stiff bodies of mode reference"),
    PHXI_REAL(phxi_csph_params, implicit_dt, "s", "0", 0, 1e6, "step of implicit integrators; 0: 1/60 s"),
    PHXI_INT(phxi_csph_params, iterations, "0", 0, 10000, "of a linear solve, at most; 0: 6 (bdf2) or 60 (the others)"),
    PHXI_REAL(phxi_csph_params, tolerance, "", "0", 0, 1,
              "of linear solves, and of Newton's method; 0: 0.01 (bdf2) or 1e-4 (the others)"),
    PHXI_WORD(phxi_csph_params, tangent, tangent_words, "projected",
              "of Newton's method: the law's own at every particle, made positive, or that of rest turned along"),
};
static const phx_param_table table = {"corotated_sph", "corotated SPH with anisotropic kernels: elastic solids", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_csph_params)};

// -------------------------------------------------------------------------------------------------------------- bodies

static phx_result create(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_csph* csph = state;
    for (int k = 0; k < csph->slots.count; ++k) {
        phxi_csph_release(step->heap, &csph->slots.items[k]);
    }
    phxi_array_destroy(&csph->slots, step->heap);
}

// Slots are in the order of bodies. Contact asks for every particle, in worlds of many bodies.
phxi_csph_slot* phxi_csph_slot_of(phxi_csph* csph, int body) {
    int low = 0, high = csph->slots.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (csph->slots.items[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < csph->slots.count && csph->slots.items[low].body == body ? &csph->slots.items[low] : NULL;
}

static phx_result check(const phxi_body* body) {
    const phxi_csph_params* own = body->params;
    const char* what = phxi_csph_no_energy(own);
    if (phxi_implicit_is(own->integrator) && what) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "integrator is %s with %s; expected an explicit one, or mode reference with gradient "
                         "corrected, rotation gradient and pair_share 1",
                         phxi_integrator_words[own->integrator], what);
    }
    if (own->mode == CSPH_REFERENCE && own->kernel != PHXI_ISOTROPIC) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "kernel is %s, which does nothing in mode reference: no neighbour can be lost there; expected "
                         "mode membership",
                         phxi_anisotropy_words[own->kernel]);
    }
    if (own->mode != CSPH_MEMBERSHIP && own->permanent) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "permanent is true, but no neighbour can be lost for good in mode %s; "
                         "expected mode membership",
                         mode_words[own->mode]);
    }
    return PHX_OK;
}

void phxi_csph_shapes(const phxi_step* step, phx_real* shape[6]) {
    for (int k = 0; k < 6; ++k) {
        shape[k] = phxi_particles_field(step->particles, phxi_csph_fields[k].name);
    }
}

/// Kernels as they are at rest: not needed, unless their values are.
static void set_shapes(const phxi_step* step, const phxi_csph_slot* slot) {
    phx_real* shape[6];
    phxi_csph_shapes(step, shape);
    for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < slot->count; ++i) {
            shape[k][slot->begin + i] = slot->current && k < 3 ? 1 / (slot->radius[i] * slot->radius[i]) : 0;
        }
    }
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_csph* csph = state;
    PHXI_TRY(check(&step->bodies[index]));
    phxi_csph_slot slot;
    PHXI_TRY(phxi_csph_build(step, index, &slot));
    phx_result result = phxi_csph_set_rest_dt(step, &slot);
    phxi_csph_slot* place = result == PHX_OK ? phxi_array_add(&csph->slots, step->heap, "corotated bodies") : NULL;
    if (!place) {
        phxi_csph_release(step->heap, &slot);
        return PHX_ERROR_MEMORY;
    }
    *place = slot;
    phxi_csph_choose(place, step);
    set_shapes(step, place);
    return PHX_OK;
}

static void moved(void* state, phxi_step* step) {
    phxi_csph* csph = state;
    for (int k = 0; k < csph->slots.count; ++k) {
        csph->slots.items[k].begin = step->bodies[csph->slots.items[k].body].begin;
    }
}

// ------------------------------------------------------------------------------------------------------------- substep

typedef struct stage {
    phxi_csph* csph;
    phxi_step* step;
    phxi_csph_slot* slot;
    phxi_explicit scheme;
    phx_real* shape[6];
    bool damps;
} stage;

/// Particles [begin, end) of block `block`.
static void range_of(const phxi_csph_slot* slot, int block, int* begin, int* end) {
    int last = (block + 1) * CSPH_BLOCK < slot->count ? (block + 1) * CSPH_BLOCK : slot->count;
    *begin = slot->begin + block * CSPH_BLOCK;
    *end = slot->begin + last;
}

static void drift_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    int first, last;
    range_of(s->slot, begin, &first, &last);
    phxi_explicit_drift(&s->scheme, first, last);
    phxi_csph_fill(s->step, s->slot, begin);
}

static void stress_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_elastic* elastic = &s->step->bodies[s->slot->body].elastic;
    phxi_csph_block b;
    bool good = s->slot->current ? phxi_csph_current_stress(s->slot, elastic, s->shape, true, begin, &b)
                                 : phxi_csph_stress(s->slot, elastic, s->shape, begin, &b);
    s->slot->found[begin].bad = !good;
}

static void kick_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    int first, last;
    range_of(s->slot, begin, &first, &last);
    _Alignas(64) phx_real force[3][CSPH_BLOCK];
    if (s->slot->current) {
        phxi_csph_current_force(s->slot, begin, force);
    } else {
        phxi_csph_force(s->slot, begin, force);
    }
    phx_real* const* a = s->scheme.particles->acceleration;
    bool finite = phxi_frame_accelerate(
        &s->slot->frame.rotation, (const phx_real* const[3]){force[0], force[1], force[2]},
        s->step->particles->mass + first, last - first, (phx_real* const[3]){a[0] + first, a[1] + first, a[2] + first});
    phxi_explicit_kick(&s->scheme, first, last);
    s->slot->found[begin].bad |= !finite;
}

/// For contact: bonds that neither side will ever see again.
static void show_cuts(phxi_csph_slot* slot) {
    for (int k = 0; k < slot->pair_count; ++k) {
        bool cut = slot->seen[k] & slot->seen[slot->mirror[k]] & CSPH_CUT;
        slot->cut_distance[k] = cut ? (phx_real)INFINITY : -1;
    }
}

/// Adds up what the blocks have seen.
static void count_cuts(phxi_csph_slot* slot) {
    int cut = 0, parted = 0;
    for (int b = 0; b < phxi_csph_blocks(slot); ++b) {
        cut += slot->found[b].cut;
        parted += slot->found[b].parted;
    }
    if (cut != slot->broken) {
        ++slot->version;
        show_cuts(slot);
    }
    slot->broken = cut;
    slot->parted = parted > 0;
}

static void find_trouble(const stage* s, phxi_trouble* trouble) {
    for (int b = 0; b < phxi_csph_blocks(s->slot) && trouble->particle < 0; ++b) {
        if (!s->slot->found[b].bad) {
            continue;
        }
        int first, last, at;
        range_of(s->slot, b, &first, &last);
        for (at = first; at < last - 1; ++at) {
            phx_real* const* a = s->scheme.particles->acceleration;
            if (!phxi_finite(phxi_vec3(a[0][at], a[1][at], a[2][at]))) {
                break;
            }
        }
        *trouble = (phxi_trouble){at, "internal forces"};
    }
}

static phx_result advance(stage* s, phxi_trouble* trouble) {
    phxi_csph_slot* slot = s->slot;
    int blocks = phxi_csph_blocks(slot), lost = -1;
    slot->thermal = s->step->particles->thermal;
    phxi_csph_fit(s->step->particles, slot, s->scheme.dt);
    if (s->damps) {
        PHXI_TRY(phxi_rigid_damp_body(s->step->pool, s->step->arena, s->step->particles,
                                      exp(-s->scheme.damping * s->scheme.dt), slot->begin, slot->count));
    }
    phxi_parallel_for(s->step->pool, blocks, 1, drift_block, s);
    if (slot->current) {
        PHXI_TRY(phxi_csph_current_search(s->step, slot, &lost));
        if (lost >= 0) {
            *trouble = trouble->particle < 0 ? (phxi_trouble){slot->begin + lost, "positions"} : *trouble;
            return PHX_OK;
        }
    }
    phxi_parallel_for(s->step->pool, blocks, 1, stress_block, s);
    count_cuts(slot);
    phxi_parallel_for(s->step->pool, blocks, 1, kick_block, s);
    if (trouble->particle < 0) {
        find_trouble(s, trouble);
    }
    return PHX_OK;
}

static phx_result substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_csph* csph = state;
    *trouble = (phxi_trouble){.particle = -1};
    for (int k = 0; k < csph->slots.count; ++k) {
        phxi_csph_slot* slot = &csph->slots.items[k];
        double damping = step->bodies[slot->body].material.damping;
        if (phxi_csph_is_implicit(slot)) {
            continue;
        }
        stage s = {csph, step, slot, {.dt = dt, .last_dt = csph->words[CSPH_WORD_LAST_DT], .gravity = step->gravity},
                   {0},  false};
        s.scheme.particles = step->particles;
        phxi_csph_shapes(step, s.shape);
        slot->turn = (int)csph->words[CSPH_WORD_TURN];
        s.scheme.kind = (phxi_integrator)slot->params.integrator;
        s.scheme.damping = damping;
        s.damps = damping > 0 && slot->params.integrator != PHXI_DAMPED_VERLET;
        PHXI_TRY(advance(&s, trouble));
    }
    csph->words[CSPH_WORD_LAST_DT] = dt;
    csph->words[CSPH_WORD_TURN] = fmod(csph->words[CSPH_WORD_TURN] + 1, CSPH_TURNS);
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------- checkpoints, bonds

static phx_result restored(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static double* words(void* state) {
    return ((phxi_csph*)state)->words;
}

/// Of bodies that can lose pairs: who sees whom.
static size_t packed_size(const phxi_csph_slot* slot) {
    return phxi_csph_loses_pairs(slot) ? (size_t)slot->pair_count : 0;
}

static void pack(const void* state, phxi_sink* sink) {
    const phxi_csph* csph = state;
    for (int k = 0; k < csph->slots.count; ++k) {
        const phxi_csph_slot* slot = &csph->slots.items[k];
        sink->put(sink, slot->seen, packed_size(slot));
    }
}

/// What follows from who sees whom.
static void recount(phxi_csph_slot* slot) {
    for (int b = 0; b < phxi_csph_blocks(slot); ++b) {
        slot->found[b].parted = slot->found[b].cut = 0;
    }
    for (int i = 0; i < slot->count; ++i) {
        phxi_csph_found* found = &slot->found[i / CSPH_BLOCK];
        slot->whole[i] = 1;
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            slot->whole[i] &= slot->seen[k] & CSPH_SEEN;
            found->cut += (slot->seen[k] & CSPH_CUT) != 0;
        }
        found->parted += !slot->whole[i];
    }
    count_cuts(slot);
}

static phx_result unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    phxi_csph* csph = state;
    (void)step;
    size_t expected = 0;
    for (int k = 0; k < csph->slots.count; ++k) {
        expected += packed_size(&csph->slots.items[k]);
    }
    if (size != expected) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu bytes of pairs, expected %zu", size, expected);
    }
    const uint8_t* at = bytes;
    for (int k = 0; k < csph->slots.count; ++k) {
        const phxi_csph_slot* slot = &csph->slots.items[k];
        int most = slot->cut_distance ? CSPH_SEEN | CSPH_CUT : CSPH_SEEN; // pairs are cut only of bodies that break
        for (size_t pair = 0; pair < packed_size(slot); ++pair, ++at) {
            if (*at > most) {
                return phxi_fail(PHX_ERROR_FORMAT, "state of pair %zu is %d, expected 0 to %d", pair, *at, most);
            }
        }
    }
    for (int k = 0; k < csph->slots.count; ++k) {
        phxi_csph_slot* slot = &csph->slots.items[k];
        if (packed_size(slot) > 0) {
            memcpy(slot->seen, bytes, packed_size(slot));
            bytes += packed_size(slot);
            recount(slot);
        }
    }
    return PHX_OK;
}

/// Kernels only grow, so what they lost was at least their radius away, more than a spacing: how far is not to be
/// remembered.
static void bonds(const void* state, const phxi_step* step, int body, phxi_bond_view* view) {
    const phxi_csph_slot* slot = phxi_csph_slot_of((phxi_csph*)state, body);
    (void)step;
    *view = (phxi_bond_view){.start = slot->start,
                             .other = slot->other,
                             .cut_distance = slot->broken > 0 ? slot->cut_distance : NULL,
                             .layer = 1,
                             .version = slot->broken > 0 ? slot->version : 0};
}

static const phxi_display_table display = {
    .fields = phxi_csph_derived, .count = CSPH_DERIVED_COUNT, .derive = phxi_csph_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {
    .word_count = CSPH_WORD_COUNT, .words = words, .pack = pack, .unpack = unpack, .restored = restored};
static const phxi_touch_table touch = {.bonds = bonds};
static const phxi_sampling_table sampling = {.conforming = true};

extern const phxi_method phxi_method_corotated_sph;
const phxi_method phxi_method_corotated_sph = {
    .name = "corotated_sph",
    .summary = "corotated SPH with anisotropic kernels: elastic solids",
    .state_version = 4,
    .motion = PHXI_MOTION_EXPLICIT | PHXI_MOTION_IMPLICIT,
    .fields = phxi_csph_fields,
    .field_count = CSPH_FIELD_COUNT,
    .params = &table,
    .rails = true,
    .sheet_layers = 1,
    .laws = PHXI_LAW_ELASTIC | PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .cost = {1600, 270e-9, 0},
    .state_size = sizeof(phxi_csph),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = phxi_csph_stable_dt,
    .substep = substep,
    .moved = moved,
    .grip = phxi_csph_grip,
    .measure = phxi_csph_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .implicit = &phxi_csph_implicit,
    .sampling = &sampling,
};
