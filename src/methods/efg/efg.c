// SPDX-License-Identifier: MIT
// The element-free Galerkin method after Mueller et al. 2004 and Stegmayr 2008, total-Lagrangian and elastic:
// parameters, the method's table, and the order of stages. Equations: docs/theory/efg.md.
//
//   substep   motion of damped bodies     sums over blocks
//             frames                      over bodies
//             damp, drift, displacements  over jobs (blocks of rows, or tiles of a lattice)
//             calm                        over bodies: those that fall whole have no stresses, nor forces
//             stresses                    over jobs, reads displacements of neighbours
//             forces, kick                over jobs, reads stresses of neighbours
#include "methods/shared/anisotropy.h"
#include "methods/efg/build/build.h"
#include "methods/efg/fracture/fracture.h"
#include "methods/efg/lattice/lattice.h"
#include "methods/efg/plastic.h"

#include <string.h>

static const char* const adaptive_words[] = {"off", "on", NULL};
static const char* const tangent_words[] = {"projected", "frozen", NULL};
static const char* const path_words[] = {"auto", "lattice", "rows", NULL};
static const char* const reset_words[] = {"carry", "absorb", "off", NULL};
static const char* const volume_words[] = {"geometric", "density_sum", NULL};
static const char* const fracture_words[] = {"none", "facets", "front", "kernel", NULL};

static const phx_param params[] = {
    PHXI_REAL(phxi_efg_params, support, "", "0", 0, 6,
              "radius of neighbourhoods over the spacing; 0: 1.999 of conforming samples, else 1.8, or "
              "1.2 on body-centred lattices"),
    PHXI_REAL(phxi_efg_params, hourglass, "", "0.1", 0, 10,
              "stiffness against zero-energy modes, fraction of Young's modulus"),
    PHXI_REAL(phxi_efg_params, volume_stiffness, "Pa", "0", 0, 1e15, "extra stiffness against change of volume"),
    PHXI_WORD(phxi_efg_params, integrator, phxi_integrator_words, "auto",
              "time integration; auto: velocity_verlet, or bdf2 for stiff bodies"),
    PHXI_REAL(phxi_efg_params, implicit_dt, "s", "0", 0, 1, "step of implicit integrators; 0: 1/60 s"),
    PHXI_INT(phxi_efg_params, iterations, "0", 0, 10000, "of a linear solve, at most; 0: 6 (bdf2) or 60 (the others)"),
    PHXI_REAL(phxi_efg_params, tolerance, "", "0", 0, 1,
              "of linear solves, and of Newton's method; 0: 0.01 (bdf2) or 1e-4 (the others)"),
    PHXI_WORD(phxi_efg_params, tangent, tangent_words, "projected",
              "of Newton's method: the law's own at every particle, made positive, or that of rest turned along"),
    PHXI_WORD(phxi_efg_params, volumes, volume_words, "geometric",
              "volumes of particles: as sampled, or from sums of masses (published, inflates surfaces)"),
    PHXI_WORD(phxi_efg_params, fracture, fracture_words, "facets",
              "how bodies break whose material has a strength: not at all, by small discs that cut bonds, or by cracks "
              "with fronts; kernel: whatever the material, where kernels no longer reach neighbours"),
    PHXI_WORD(phxi_efg_params, kernel, phxi_anisotropy_words, "isotropic",
              "of fracture kernel; diagonal: grows with the strain along the axes at rest; principal: along the "
              "principal directions of the strain"),
    PHXI_REAL(phxi_efg_params, kernel_eta, "", "1", 0, 10, "how much longer than at rest an anisotropic kernel gets"),
    PHXI_POSITIVE(phxi_efg_params, kernel_full, "", "0.5", 100, "strain at which it is longest"),
    PHXI_REAL(phxi_efg_params, front_speed, "", "0.6", 0, 10,
              "speed of crack fronts where stress is just the strength, over that of shear waves"),
    PHXI_REAL(phxi_efg_params, front_blur, "", "1", 0, 10,
              "how gradually bonds fade behind a crack front; 0: at once, as by visibility"),
    PHXI_WORD(phxi_efg_params, path, path_words, "auto",
              "how neighbours are summed: by the fast grid where particles lie on a lattice, or by lists"),
    PHXI_WORD(
        phxi_efg_params, reset, reset_words, "carry",
        "materials that flow: when their shape becomes the new reference it carries the old one along, absorbs it "
        "in the plastic strain, or never does"),
    PHXI_REAL(phxi_efg_params, reset_strain, "", "0", 0, 1000,
              "strain between shape and reference at which that happens; 0: 0.2, or 3 if hardening is 0.2 or more and "
              "the body cannot break"),
    PHXI_WORD(phxi_efg_params, adaptive, adaptive_words, "off",
              "particles split where the body is stretched far or neighbourhoods have become flat"),
    PHXI_REAL(phxi_efg_params, adaptive_limit, "", "2", 1, 64, "largest number of particles over that at creation"),
    PHXI_REAL(phxi_efg_params, adaptive_stretch, "", "2.5", 1.1, 100, "stretch at which a particle splits"),
};

static const phx_param_table table = {"efg", "element-free Galerkin, elastic solids", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_efg_params)};

const phxi_field_def phxi_efg_fields[EFG_FIELD_COUNT] = {EFG_FIELDS("efg")};
static const phxi_field_def plastic_fields[EFG_PLASTIC_FIELDS] = {EFG_PLASTIC_FIELD_DEFS("efg")};
static const phxi_efg_variant variant = {"efg", phxi_efg_fields, plastic_fields, PHXI_KERNEL_POLY6, 1.8};

static phx_result create(void* state, phxi_step* step) {
    (void)step;
    ((phxi_efg*)state)->variant = &variant;
    return PHX_OK;
}

void phxi_efg_destroy(void* state, phxi_step* step) {
    phxi_efg* efg = state;
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_fracture_destroy(efg->slots.items[k].fracture, step->heap);
        phxi_efg_implicit_destroy(&efg->slots.items[k], step->heap);
        phxi_lattice_destroy(step->heap, efg->slots.items[k].lattice);
        phxi_efg_forget_fit(&efg->slots.items[k], step->heap);
    }
    phxi_efg_destroy_rows(efg, step->heap);
}

/// Takes back rows, blocks and the slot that were added last.
static void drop_rows(phxi_efg* efg, const phxi_efg* before) {
    efg->start.count = before->start.count;
    efg->list.count = before->list.count;
    efg->gradient.count = before->gradient.count;
    efg->offset.count = before->offset.count;
    efg->groups.count = efg->lanes.count = before->groups.count;
    efg->u.count = efg->rows.count = before->u.count;
    efg->flats.count = before->flats.count;
    efg->blocks.count = efg->sums.count = before->blocks.count;
    efg->slots.count = before->slots.count;
    phxi_efg_list_jobs(efg);
}

static phx_result check_kernels(const phxi_body* body) {
    const phxi_efg_params* own = body->params;
    if (own->fracture == EFG_FRACTURE_KERNEL && (body->material.yield > 0 || own->adaptive)) {
        return phxi_fail(
            PHX_ERROR_UNSUPPORTED,
            "body '%s' is to break where kernels lose neighbours (fracture: kernel), which bodies %s cannot "
            "do; expected an elastic material whose particles stay",
            body->name, own->adaptive ? "whose particles split (adaptive)" : "that flow (yield)");
    }
    if (own->fracture != EFG_FRACTURE_KERNEL && own->kernel != PHXI_ISOTROPIC) {
        return phxi_fail(
            PHX_ERROR_ARGUMENT,
            "kernel is %s, which does nothing where no kernel can lose a neighbour; expected fracture kernel",
            phxi_anisotropy_words[own->kernel]);
    }
    return PHX_OK;
}

phx_result phxi_efg_add_body(void* state, phxi_step* step, int body) {
    phxi_efg *efg = state, before = *efg;
    PHXI_TRY(check_kernels(&step->bodies[body]));
    int fields = step->particles->field_count;
    PHXI_TRY(phxi_efg_add_rows(efg, step, body));
    if (phxi_efg_cracks(&step->bodies[body])) {
        phx_result result = phxi_efg_fracture_create(efg, step, efg->slots.count - 1);
        if (result != PHX_OK) {
            phxi_efg_implicit_destroy(&efg->slots.items[before.slots.count], step->heap);
            phxi_efg_forget_fit(&efg->slots.items[before.slots.count], step->heap);
            drop_rows(efg, &before);
            phxi_efg_plastic_undo(efg, step, fields);
            return result;
        }
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------- substep

typedef struct stage {
    phxi_efg* efg;
    phxi_step* step;
    phxi_explicit scheme; // kind and damping are the body's
} stage;

/// The integrator of one body.
static phxi_explicit scheme_of(const stage* s, const phxi_efg_slot* slot) {
    phxi_explicit scheme = s->scheme;
    scheme.kind = (phxi_integrator)slot->params.integrator;
    scheme.damping = s->step->bodies[slot->body].material.damping;
    return scheme;
}

/// Damped Verlet has its damping within; the others damp against the rigid motion before they drift.
static bool damps_apart(const stage* s, const phxi_efg_slot* slot) {
    return s->step->bodies[slot->body].material.damping > 0 && slot->params.integrator != PHXI_DAMPED_VERLET &&
           !phxi_efg_is_implicit(slot);
}

static int particle_of(const phxi_efg_slot* slot, int row) {
    return slot->begin + row - slot->row;
}

/// A point near the body, so that moments about it do not cancel.
static phx_vec3 origin_of(const stage* s, const phxi_efg_slot* slot) {
    const phxi_particles* p = s->step->particles;
    return phxi_vec3(p->x[slot->begin], p->y[slot->begin], p->z[slot->begin]);
}

static void motion_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_efg_block* block = &s->efg->blocks.items[begin];
    const phxi_efg_slot* slot = &s->efg->slots.items[block->slot];
    phxi_efg_sums* sums = &s->efg->sums.items[begin];
    sums->rigid[0] = sums->rigid[1] = (phxi_rigid_sums){0};
    if (damps_apart(s, slot)) {
        int first = particle_of(slot, block->row);
        phxi_rigid_add(sums->rigid, s->step->particles, origin_of(s, slot), first, first + block->count);
    }
}

/// Motions that damping leaves alone: of each body, or of each of its fragments.
static phx_result find_motions(stage* s) {
    bool any = false;
    for (int k = 0; k < s->efg->slots.count; ++k) {
        any = any || damps_apart(s, &s->efg->slots.items[k]);
        s->efg->slots.items[k].motions = NULL;
    }
    if (!any) {
        return PHX_OK;
    }
    phxi_parallel_for(s->step->pool, s->efg->blocks.count, 1, motion_block, s);
    for (int k = 0; k < s->efg->slots.count; ++k) {
        phxi_efg_slot* slot = &s->efg->slots.items[k];
        phxi_rigid_sums sums[2] = {0};
        for (int b = slot->block_begin; b < slot->block_end; ++b) {
            phxi_rigid_merge(&sums[0], &s->efg->sums.items[b].rigid[0]);
            phxi_rigid_merge(&sums[1], &s->efg->sums.items[b].rigid[1]);
        }
        slot->motion = phxi_rigid_solve(sums, origin_of(s, slot));
        if (damps_apart(s, slot) && slot->fracture && slot->fracture->fragment_size.count > 1) {
            phxi_efg_crack_stage broken = phxi_efg_crack_stage_of(s->efg, s->step, k, s->scheme.dt);
            slot->motions = phxi_efg_fragment_motions(&broken, origin_of(s, slot));
            if (!slot->motions) {
                return PHX_ERROR_MEMORY;
            }
        }
    }
    return PHX_OK;
}

static void frame_slots(void* context, int begin, int end, int index) {
    (void)index;
    const stage* s = context;
    for (int k = begin; k < end; ++k) {
        phxi_efg_fit_frame(&s->efg->slots.items[k], s->step->particles, s->scheme.dt);
    }
}

static void drift_job(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_efg_job* job = &s->efg->jobs.items[begin];
    const phxi_efg_slot* slot = &s->efg->slots.items[job->slot];
    if (phxi_efg_is_implicit(slot)) {
        return;
    }
    const phxi_lattice_tile* tile = slot->lattice ? &slot->lattice->tiles[job->part] : NULL;
    const phxi_efg_block* block = tile ? NULL : &s->efg->blocks.items[job->part];
    phxi_explicit scheme = scheme_of(s, slot);
    int first = tile ? slot->begin + tile->first : particle_of(slot, block->row);
    int last = first + (tile ? tile->count : block->count);
    double keep = slot->motions || damps_apart(s, slot) ? exp(-scheme.damping * scheme.dt) : 1;
    if (slot->motions) {
        phxi_efg_crack_stage broken = phxi_efg_crack_stage_of(s->efg, s->step, job->slot, scheme.dt);
        phxi_efg_damp_fragments(&broken, keep, first, last);
    } else if (damps_apart(s, slot)) {
        phxi_rigid_damp(&slot->motion, s->step->particles, keep, first, last);
    }
    phxi_explicit_drift(&scheme, first, last);
    if (tile) {
        phxi_lattice_fill(slot, s->step->particles, tile);
    } else {
        phxi_efg_fill(s->efg, s->step->particles, block);
    }
}

// A body that can break and is whole has no stress to speak of while it falls: its displacements are rounding. It is
// calm where they are below this share of what would break it from one particle to the next, or of a tenth, and
// then neither stresses nor forces are looked for, most of the work of a substep. What is left out is a hundred
// millionth of the energy that breaks it.
#define CALM 1e-4

static bool is_calm(const stage* s, const phxi_efg_slot* slot) {
    const phxi_efg_fracture* f = slot->fracture;
    if (!f || s->step->bodies[slot->body].expands || f->scars.count > 0 || slot->plastic.yield > 0 ||
        !isfinite(f->strength) || phxi_efg_is_implicit(slot)) {
        return false;
    }
    double strain = CALM * fmin(f->alarm_stress / f->young, 0.1), spacing = s->step->particles->spacing[slot->begin];
    for (int k = 0; k < 9; ++k) {
        if (!(fabs(slot->frame.stretch.m[k / 3][k % 3] - (k % 4 == 0)) < strain)) {
            return false;
        }
    }
    phx_real most = (phx_real)(strain * spacing * strain * spacing);
    for (int row = slot->row; row < slot->row + slot->count; ++row) {
        phxi_r4 square = s->efg->u.items[row] * s->efg->u.items[row];
        if (!(square[0] + square[1] + square[2] < most)) {
            return false;
        }
    }
    return true;
}

static void calm_slots(void* context, int begin, int end, int index) {
    (void)index;
    const stage* s = context;
    for (int k = begin; k < end; ++k) {
        s->efg->slots.items[k].calm = is_calm(s, &s->efg->slots.items[k]);
    }
}

static void stress_job(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_efg_job* job = &s->efg->jobs.items[begin];
    const phxi_efg_slot* slot = &s->efg->slots.items[job->slot];
    if (phxi_efg_is_implicit(slot)) {
        return;
    }
    const phxi_elastic* elastic = &s->step->bodies[slot->body].elastic;
    if (slot->calm) {
        const phxi_efg_block* block = &s->efg->blocks.items[job->part];
        memset(slot->fracture->alarm + block->row - slot->row, 0, (size_t)block->count);
        s->efg->sums.items[job->part].bad = false;
    } else if (slot->lattice) {
        phxi_lattice_tile* tile = &slot->lattice->tiles[job->part];
        tile->bad = !phxi_lattice_stress(slot, elastic, tile);
    } else {
        s->efg->sums.items[job->part].bad = !phxi_efg_stress(s->efg, elastic, false, &s->efg->blocks.items[job->part]);
    }
}

static void kick_job(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const stage* s = context;
    const phxi_efg_job* job = &s->efg->jobs.items[begin];
    const phxi_efg_slot* slot = &s->efg->slots.items[job->slot];
    if (phxi_efg_is_implicit(slot)) {
        return;
    }
    phxi_explicit scheme = scheme_of(s, slot);
    const phxi_mat3* rotation = &slot->frame.rotation;
    _Alignas(64) phx_real force[3][EFG_BLOCK];
    int first, count;
    bool* bad;
    if (slot->lattice) {
        phxi_lattice_tile* tile = &slot->lattice->tiles[job->part];
        phxi_lattice_force(slot, tile, force);
        rotation = &slot->lattice->frame.rotation;
        first = slot->begin + tile->first, count = tile->count, bad = &tile->bad;
    } else {
        const phxi_efg_block* block = &s->efg->blocks.items[job->part];
        if (slot->calm) {
            memset(force, 0, sizeof force);
        } else {
            phxi_efg_force(s->efg, block, force);
        }
        first = particle_of(slot, block->row), count = block->count, bad = &s->efg->sums.items[job->part].bad;
    }
    phx_real* const* a = s->step->particles->acceleration;
    phx_real* const acceleration[3] = {a[0] + first, a[1] + first, a[2] + first};
    bool finite = phxi_frame_accelerate(rotation, (const phx_real* const[3]){force[0], force[1], force[2]},
                                        s->step->particles->mass + first, count, acceleration);
    phxi_explicit_kick(&scheme, first, first + count);
    *bad |= !finite;
}

/// What is wrong with the particle of a row, NULL: nothing.
static const char* fault_of(const stage* s, const phxi_efg_block* block, int row) {
    const phxi_efg_slot* slot = &s->efg->slots.items[block->slot];
    int i = particle_of(slot, row);
    const phx_real* const* a = (const phx_real* const*)s->step->particles->acceleration;
    if (!phxi_finite(phxi_vec3(a[0][i], a[1][i], a[2][i]))) {
        return "internal forces";
    }
    const phxi_efg_flat* flat = phxi_efg_find_flat(s->efg, block, row);
    phxi_efg_law law = {&s->step->bodies[slot->body].elastic, slot->params.volume_stiffness};
    phxi_mat3 f = phxi_efg_gradient(s->efg, slot, row, NULL);
    f = flat ? phxi_efg_thin_gradient(flat, &law, &f) : f;
    double square = 0;
    for (int k = 0; k < 9; ++k) {
        square += f.m[k / 3][k % 3] * f.m[k / 3][k % 3];
    }
    return square < 0.99 * EFG_WILD * EFG_WILD ? NULL : "stretch beyond all bounds";
}

/// Blocks of bodies on lattices are bad if a tile is; their displacements are not in the rows yet.
static void blame_blocks(const stage* s, int index) {
    const phxi_efg_slot* slot = &s->efg->slots.items[index];
    bool bad = false;
    for (int t = 0; t < slot->lattice->tile_count; ++t) {
        bad = bad || slot->lattice->tiles[t].bad;
    }
    for (int b = slot->block_begin; b < slot->block_end; ++b) {
        s->efg->sums.items[b].bad = bad;
        if (bad) {
            phxi_efg_fill(s->efg, s->step->particles, &s->efg->blocks.items[b]);
        }
    }
}

/// The lowest particle of the bad blocks; bodies need not be in the order of their particles.
static void find_trouble(const stage* s, phxi_trouble* trouble) {
    *trouble = (phxi_trouble){.particle = -1};
    for (int k = 0; k < s->efg->slots.count; ++k) {
        if (s->efg->slots.items[k].lattice) {
            blame_blocks(s, k);
        }
    }
    for (int b = 0; b < s->efg->blocks.count; ++b) {
        const phxi_efg_block* block = &s->efg->blocks.items[b];
        if (phxi_efg_is_implicit(&s->efg->slots.items[block->slot]) || !s->efg->sums.items[b].bad) {
            continue;
        }
        for (int row = block->row; row < block->row + block->count; ++row) {
            const char* fault = fault_of(s, block, row);
            int i = particle_of(&s->efg->slots.items[block->slot], row);
            if (fault && (trouble->particle < 0 || i < trouble->particle)) {
                *trouble = (phxi_trouble){i, fault};
            }
        }
    }
}

phx_result phxi_efg_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_efg* efg = state;
    PHXI_TRY(phxi_efg_catch_up(efg, step));
    stage s = {efg, step, {.dt = dt, .last_dt = efg->words[EFG_WORD_LAST_DT], .gravity = step->gravity}};
    s.scheme.particles = step->particles;
    int jobs = efg->jobs.count;
    phxi_efg_use_level(efg, step->time);
    PHXI_TRY(find_motions(&s));
    phxi_parallel_for(step->pool, efg->slots.count, 16, frame_slots, &s);
    phxi_parallel_for(step->pool, jobs, 1, drift_job, &s);
    phxi_parallel_for(step->pool, efg->slots.count, 1, calm_slots, &s);
    efg->flow_dt = dt;
    phxi_parallel_for(step->pool, jobs, 1, stress_job, &s);
    efg->flow_dt = 0;
    phxi_parallel_for(step->pool, jobs, 1, kick_job, &s);
    find_trouble(&s, trouble);
    efg->words[EFG_WORD_LAST_DT] = dt;
    return PHX_OK;
}

/// Everything is rebuilt from saved fields each substep, except the rows of bodies that flow or split.
phx_result phxi_efg_restored(void* state, phxi_step* step) {
    PHXI_TRY(phxi_efg_rows_restored(state, step));
    return phxi_efg_show_bonds(state, step->heap);
}

phx_result phxi_efg_adapt(void* state, phxi_step* step, double dt) {
    PHXI_TRY(phxi_efg_fracture_adapt(state, step, dt));
    PHXI_TRY(phxi_efg_plastic_adapt(state, step));
    PHXI_TRY(phxi_efg_adaptive_adapt(state, step));
    return phxi_efg_show_bonds(state, step->heap);
}

void phxi_efg_moved(void* state, phxi_step* step) {
    phxi_efg* efg = state;
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_slot* slot = &efg->slots.items[k];
        slot->begin = step->bodies[slot->body].begin;
        slot->stale = slot->stale || slot->count != step->bodies[slot->body].count;
    }
}

double* phxi_efg_words(void* state) {
    return ((phxi_efg*)state)->words;
}

const phxi_touch_table phxi_efg_touch = {.bonds = phxi_efg_bonds};
static const phxi_display_table display = {
    .fields = phxi_efg_derived, .count = EFG_DERIVED_COUNT, .derive = phxi_efg_derive, .volume_ratio = "det_f"};
static const phxi_saving_table saving = {.word_count = EFG_WORD_COUNT,
                                         .words = phxi_efg_words,
                                         .pack = phxi_efg_pack,
                                         .unpack = phxi_efg_unpack,
                                         .restored = phxi_efg_restored};
static const phxi_fracture_table fracture = {.breaks_explicitly = phxi_efg_breaks,
                                             .needs_cells = phxi_efg_cracks,
                                             .cracks = phxi_efg_cracks_of,
                                             .fragments = phxi_efg_fragments_of,
                                             .cut = phxi_efg_cut};

static const phxi_sampling_table sampling = {.conforming = true};

extern const phxi_method phxi_method_efg;
const phxi_method phxi_method_efg = {
    .name = "efg",
    .summary = "element-free Galerkin: elastic solids, the reference method",
    .state_version = 4,
    .motion = PHXI_MOTION_EXPLICIT | PHXI_MOTION_IMPLICIT,
    .fields = phxi_efg_fields,
    .field_count = EFG_FIELD_COUNT,
    .params = &table,
    .rails = true,
    .sheet_layers = 1,
    .laws =
        PHXI_LAW_ELASTIC | PHXI_LAW_YIELD | PHXI_LAW_STRENGTH | PHXI_LAW_DUCTILE | PHXI_LAW_DAMPING | PHXI_LAW_EXPAND,
    .made_for = PHXI_LAW_ELASTIC | PHXI_LAW_YIELD,
    .cost = {800, 160e-9, 0},
    .state_size = sizeof(phxi_efg),
    .create = create,
    .destroy = phxi_efg_destroy,
    .add_body = phxi_efg_add_body,
    .stable_dt = phxi_efg_stable_dt,
    .substep = phxi_efg_substep,
    .adapt = phxi_efg_adapt,
    .moved = phxi_efg_moved,
    .grip = phxi_efg_grip,
    .measure = phxi_efg_measure,
    .display = &display,
    .saving = &saving,
    .touch = &phxi_efg_touch,
    .sampling = &sampling,
    .implicit = &phxi_efg_implicit,
    .fracture = &fracture,
};
