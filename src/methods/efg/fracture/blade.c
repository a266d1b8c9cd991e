// SPDX-License-Identifier: MIT
// A blade that moves through a body: a rectangle in space, and the bonds that cross it.
//
// Facets are made as cracks make them, in the reference frame: one for each particle that has bonds through the blade,
// at their mean crossing, with the normal F^T n. Labels keep particles on the side of the blade where they first were,
// so that it does not cut what slides along it into dust.
#include "methods/efg/fracture/fracture.h"

#define ZONE 0.7 // of the layers' distance: how near the blade labels count

/// Where a point is: along the edge, behind the edge, across the blade.
static phx_vec3 place(const phxi_blade* blade, phx_vec3 x) {
    phx_vec3 d = phxi_sub(x, blade->edge);
    return phxi_vec3(phxi_dot(d, blade->along), -phxi_dot(d, blade->forward), phxi_dot(d, blade->normal));
}

static bool within(const phxi_blade* blade, phx_vec3 at) {
    return fabs(at.x) <= blade->half_width && at.y >= 0 && at.y <= blade->depth;
}

/// The normal of the blade in the frame of creation at a particle.
static phx_vec3 rest_normal(const phxi_efg_crack_stage* s, const phxi_blade* blade, int i) {
    phxi_efg_local at = phxi_efg_local_stress(s->efg, s->slot, NULL, &s->body->elastic, s->slot->row + i);
    phxi_mat3 full = phxi_mat3_mul(&s->slot->frame.rotation, &at.f), back = phxi_mat3_transpose(&full);
    return phxi_normalize(phxi_mat3_apply(&back, blade->normal), blade->normal);
}

static phx_result label(phxi_efg_crack_stage* s, int i, phx_vec3 normal, int side) {
    phxi_efg_scar* scar = phxi_efg_add_scar(s, i);
    if (!scar) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < scar->labels; ++k) {
        if (fabs(phxi_dot(scar->label[k], normal)) > 0.7) {
            return PHX_OK;
        }
    }
    if (scar->labels < EFG_LABELS) {
        scar->label[scar->labels++] = phxi_scale(side, normal);
    }
    return PHX_OK;
}

/// Cuts the bonds of particle i with later ones that the blade crosses.
static phx_result cut_particle(phxi_efg_crack_stage* s, const phxi_blade* blade, int i, phx_vec3 at) {
    phxi_efg_fracture* f = s->fracture;
    double zone = ZONE * phxi_efg_layer_at(s, i);
    phx_vec3 normal = {0}, center = {0};
    int cut = 0, side = 0;
    for (int pair = phxi_efg_pair_begin(s, i); pair < phxi_efg_pair_end(s, i); ++pair) {
        int j = phxi_efg_pair_other(s, pair);
        if (j <= i || f->bond[pair] >= 0) {
            continue;
        }
        phx_vec3 to = place(blade, phxi_efg_position_of(s, j));
        double both = fabs(at.z) + fabs(to.z), t = both > 0 ? fabs(at.z) / both : 0.5;
        if (!within(blade, phxi_add_scaled(at, t, phxi_sub(to, at)))) {
            continue;
        }
        if (side == 0) {
            normal = rest_normal(s, blade, i);
            side = phxi_efg_side(f, i, normal, at.z, zone);
        }
        int other = phxi_efg_side(f, j, normal, to.z, zone);
        if (other != side) {
            phx_vec3 x = phxi_efg_rest_of(s, i);
            PHXI_TRY(phxi_efg_break_bond(s, i, pair, f->facets.count, t));
            PHXI_TRY(label(s, j, normal, other));
            center = phxi_add(center, phxi_add_scaled(x, t, phxi_sub(phxi_efg_rest_of(s, j), x)));
            ++cut;
        }
    }
    if (cut == 0) {
        return PHX_OK;
    }
    PHXI_TRY(label(s, i, normal, side));
    phxi_efg_facet facet = {phxi_scale(1.0 / cut, center), normal, phxi_efg_layer_at(s, i), f->time, 0};
    return phxi_efg_add_facet(s, &facet);
}

phx_result phxi_efg_cut(void* state, phxi_step* step, int body, const phxi_blade* blade) {
    phxi_efg* efg = state;
    int slot = (int)(phxi_efg_slot_of(efg, body) - efg->slots.items);
    PHXI_TRY(phxi_efg_fracture_create(efg, step, slot));
    if (!blade) {
        return PHX_OK;
    }
    phxi_efg_crack_stage s = phxi_efg_crack_stage_of(efg, step, slot, 0);
    double reach = 0; // bonds may be longer than at rest, but not by much before the blade has passed
    for (int i = 0; i < s.fracture->count; ++i) {
        reach = fmax(reach, 2 * s.slot->support * (double)step->particles->spacing[s.slot->begin + i]);
    }
    for (int i = 0; i < s.fracture->count; ++i) {
        phx_vec3 at = place(blade, phxi_efg_position_of(&s, i));
        if (fabs(at.z) < reach && fabs(at.x) < blade->half_width + reach && at.y > -reach &&
            at.y < blade->depth + reach) {
            PHXI_TRY(cut_particle(&s, blade, i, at));
        }
    }
    return PHX_OK;
}
