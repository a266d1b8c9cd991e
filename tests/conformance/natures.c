// SPDX-License-Identifier: MIT
// The one place where the suite knows methods by name: what no table of theirs says yet. A method that is not here is
// one of elastic solids that meets everybody.
#include "conformance.h"

static const struct {
    const char* method;
    material_kind kind;
} materials[] = {
    {"wcsph", FLUID},
    {"granular", GRAINS},
};

material_kind nature_material(const phxi_method* method) {
    for (size_t k = 0; k < sizeof materials / sizeof materials[0]; ++k) {
        if (strcmp(materials[k].method, method->name) == 0) {
            return materials[k].kind;
        }
    }
    return ELASTIC;
}

bool nature_runs_ahead(const phxi_method* method) {
    return strcmp(method->name, "mpm") != 0; // takes up forces on its grid, at once
}

/// A lattice of particles in a grid: all of them round alike, and in float what a substep rounds off adds up over the
/// substeps as it would for one particle. In double nothing of it is seen.
double nature_rounding(const phxi_method* method) {
    return sizeof(phx_real) == sizeof(float) && strcmp(method->name, "mpm") == 0 ? 2 : 0;
}

/// Of what fluids exchange: XSPH moves particles while others push them.
double nature_angular(const phxi_method* method) {
    return strcmp(method->name, "wcsph") == 0 ? 1e-5 : 0;
}

typedef struct couple {
    const char *a, *b; // names of variants or of methods; b NULL: a alone
    const char* reason;
} couple;

/// The world says no.
static const couple refused[] = {
    {"granular.explicit", "granular.implicit", "grains are one continuum: all of them take implicit steps, or none"},
    {"mpm.explicit", "mpm.implicit", "bodies of one grid share its substep"},
};

/// The world takes them, and nothing happens between them.
static const couple passing[] = {
    {"wall", "wall", "neither moves"},
    {"wall", "rigid.kinematic", "neither moves"},
    {"rigid.kinematic", "rigid.kinematic", "neither moves"},
};

static bool is(const variant* v, const char* name) {
    return (!v && !name) || (v && name && (strcmp(v->name, name) == 0 || strcmp(v->method->name, name) == 0));
}

static const char* find(const couple* list, size_t count, const variant* a, const variant* b) {
    for (size_t k = 0; k < count; ++k) {
        if ((is(a, list[k].a) && is(b, list[k].b)) || (is(b, list[k].a) && is(a, list[k].b))) {
            return list[k].reason;
        }
    }
    return NULL;
}

const char* nature_refusal(const variant* a, const variant* b) {
    return find(refused, sizeof refused / sizeof refused[0], a, b);
}

const char* nature_passes(const variant* a, const variant* b) {
    return find(passing, sizeof passing / sizeof passing[0], a, b);
}
