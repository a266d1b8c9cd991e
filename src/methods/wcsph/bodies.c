// SPDX-License-Identifier: MIT
// What the bodies of the world are to the fluids: fluid, wall, or a stranger that only takes part in heat.
#include "methods/wcsph/wcsph_internal.h"

#include <string.h>

static int kind_of(const phxi_step* step, int b) {
    for (int k = 0; k < step->own_count; ++k) {
        if (step->own[k] == b) {
            return WCSPH_FLUID;
        }
    }
    return step->bodies[b].contact.family == PHXI_FAMILY_FLUID && step->bodies[b].kinematic ? WCSPH_WALL : WCSPH_OTHER;
}

/// Sum of w dx^3 over a lattice of spacing dx: what the kernel takes for one.
static double lattice_sum(int kernel) {
    double sum = 0, support = phxi_sph_support(kernel);
    for (int i = -3; i <= 3; ++i) {
        for (int j = -3; j <= 3; ++j) {
            for (int k = -3; k <= 3; ++k) {
                sum += phxi_kernel_value(phxi_sph_kernel_of(kernel), sqrt(i * i + j * j + k * k), support);
            }
        }
    }
    return sum;
}

static phx_result check_wall(const phxi_wcsph* s, const phxi_step* step, int b) {
    int kernel = step->boundaries[b].kernel;
    if (kernel != s->params->kernel) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "kernel of wall '%s' is %s, expected %s as that of the fluids",
                         step->bodies[b].name, phxi_sph_kernel_words[kernel], phxi_sph_kernel_words[s->params->kernel]);
    }
    return PHX_OK;
}

static phx_result describe(phxi_wcsph* s, phxi_step* step, int b) {
    const phxi_body* body = &step->bodies[b];
    phxi_wcsph_body* made = &s->bodies.items[b];
    *made = (phxi_wcsph_body){.kind = kind_of(step, b), .density = body->material.density};
    if (made->kind == WCSPH_WALL) {
        PHXI_TRY(check_wall(s, step, b));
        made->slip = step->boundaries[b].slip;
    } else if (made->kind == WCSPH_FLUID) {
        made->equation = phxi_wcsph_params_of(body)->equation;
        made->sound = phxi_wcsph_sound_of(s, body);
    }
    return PHX_OK;
}

/// Supports and masses of all particles.
static void survey(phxi_wcsph* s, const phxi_step* step) {
    const phxi_particles* p = step->particles;
    double most = 0, least = INFINITY, mass = 0;
    for (int b = 0; b < s->bodies.count; ++b) {
        const phxi_body* body = &step->bodies[b];
        int kind = s->bodies.items[b].kind;
        for (int i = body->begin; kind != WCSPH_OTHER && i < body->begin + body->count; ++i) {
            double reach = body->reach * (double)p->spacing[i];
            most = fmax(most, reach);
            least = fmin(least, reach);
            mass = kind == WCSPH_FLUID ? fmax(mass, (double)p->mass[i]) : mass;
        }
    }
    s->support = most;
    s->mass_unit = mass;
    s->uniform = most <= least * (1 + 1e-6);
    s->lattice = lattice_sum(s->params->kernel);
    s->known = p->count;
}

phx_result phxi_wcsph_update_bodies(phxi_wcsph* s, phxi_step* step) {
    int count = step->body_count;
    if (count > s->bodies.count && !phxi_array_reserve(&s->bodies, count - s->bodies.count, s->heap, "wcsph")) {
        return PHX_ERROR_MEMORY;
    }
    s->bodies.count = count;
    s->others = false;
    s->sound = 0;
    s->shear = s->params->form == WCSPH_STRESS;
    for (int b = 0; b < count; ++b) {
        PHXI_TRY(describe(s, step, b));
        phxi_wcsph_body* body = &s->bodies.items[b];
        s->others = s->others || (body->kind != WCSPH_FLUID && step->bodies[b].reach > 0);
        s->sound = fmax(s->sound, body->sound);
    }
    for (int f = 0; f < s->fluids.count; ++f) {
        s->shear = s->shear || s->fluids.items[f].thick;
    }
    s->rest_density = s->fluids.count > 0 ? s->bodies.items[s->fluids.items[0].body].density : 0;
    if (s->known != step->particles->count) {
        survey(s, step);
    }
    for (int k = 0; k < WCSPH_FIELD_COUNT; ++k) {
        s->field[k] = phxi_particles_field(step->particles, phxi_wcsph_fields[k].name);
    }
    return PHX_OK;
}
