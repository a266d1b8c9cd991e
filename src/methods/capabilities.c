// SPDX-License-Identifier: MIT
// What methods can do, read off their tables: nothing here names a method. `phyxel methods --matrix` prints it, and
// docs/guide/what-goes-together.md is that print.
#include <phyxel/world.h>
#include "methods/method.h"

#include <string.h>

static bool obeys(const phxi_method* m, uint32_t law) {
    return m->laws != PHXI_LAWS_SHAPE_KEPT && (m->laws & law) != 0;
}
static bool is_elastic(const phxi_method* m) {
    return obeys(m, PHXI_LAW_ELASTIC);
}
static bool yields(const phxi_method* m) {
    return obeys(m, PHXI_LAW_YIELD);
}
static bool is_grains(const phxi_method* m) {
    return obeys(m, PHXI_LAW_GRAINS);
}
static bool is_snow(const phxi_method* m) {
    return obeys(m, PHXI_LAW_SNOW);
}
static bool flows(const phxi_method* m) {
    return obeys(m, PHXI_LAW_FLUID);
}
static bool melts(const phxi_method* m) {
    return obeys(m, PHXI_LAW_MELT);
}
static bool breaks(const phxi_method* m) {
    return obeys(m, PHXI_LAW_STRENGTH);
}
static bool tears(const phxi_method* m) {
    return obeys(m, PHXI_LAW_DUCTILE);
}
static bool softens(const phxi_method* m) {
    return obeys(m, PHXI_LAW_SOFTEN);
}
static bool expands(const phxi_method* m) {
    return obeys(m, PHXI_LAW_EXPAND);
}
static bool is_damped(const phxi_method* m) {
    return obeys(m, PHXI_LAW_DAMPING);
}
static bool is_cut(const phxi_method* m) {
    return m->fracture && m->fracture->cut;
}
static bool shows_cracks(const phxi_method* m) {
    return m->fracture && m->fracture->cracks;
}
static bool is_skinned(const phxi_method* m) {
    bool found = false;
    for (int f = 0; m->display && f < m->display->count; ++f) {
        found = found || strcmp(m->display->fields[f].name, "deformation") == 0;
    }
    return found;
}
static bool is_moved_by_forces(const phxi_method* m) {
    return !m->touch || !m->touch->kinematic;
}
static bool steps_explicitly(const phxi_method* m) {
    return m->substep && is_moved_by_forces(m);
}
static bool steps_implicitly(const phxi_method* m) {
    return m->implicit;
}
static bool is_boundary(const phxi_method* m) {
    return m->boundary;
}
static bool is_sliced(const phxi_method* m) {
    return m->sheet_layers > 0;
}
/// Heat asks for particles alone.
static bool conducts(const phxi_method* m) {
    return m->add_body;
}

static const struct capability {
    const char *name, *help;
    bool (*has)(const phxi_method* method);
} capabilities[] = {
    {"elastic", "solids that spring back (`young`, `poisson`, `law`)", is_elastic},
    {"yields", "metals, clay, dough: flows above an elastic strain (`yield`)", yields},
    {"grains", "sand and slime: `friction_angle`, `cohesion`", is_grains},
    {"snow", "packs and parts (`snow`)", is_snow},
    {"flows", "fluids (`viscosity`, `flow`)", flows},
    {"melts", "becomes a fluid with heat (`solidus`, `liquidus`)", melts},
    {"breaks", "at a stress (`strength`, `toughness`)", breaks},
    {"tears", "at a plastic strain (`ductile_strain`)", tears},
    {"softens", "with heat (`soften_from`)", softens},
    {"expands", "with heat (`expansion`)", expands},
    {"damping", "vibrations fade (`damping`)", is_damped},
    {"conducts heat", "with every other body (`conductivity`, drivers of heat)", conducts},
    {"explicit steps", "small substeps whose size is chosen", steps_explicitly},
    {"implicit steps", "large steps, solved together with all other implicit bodies", steps_implicitly},
    {"moved by forces", "not by drivers alone", is_moved_by_forces},
    {"cut", "by a driver of kind `blade`", is_cut},
    {"crack surfaces", "closed surfaces of what is broken", shows_cracks},
    {"skinned", "the input mesh follows it (`skin`)", is_skinned},
    {"slices", "two-dimensional problems (`plane`)", is_sliced},
    {"boundary", "fluids flow along it (where it is `kinematic`, as walls are)", is_boundary},
};

int phx_capability_count(void) {
    return (int)(sizeof capabilities / sizeof capabilities[0]);
}

const char* phx_capability_name(int i, const char** help) {
    bool there = i >= 0 && i < phx_capability_count();
    if (help) {
        *help = there ? capabilities[i].help : NULL;
    }
    return there ? capabilities[i].name : NULL;
}

static const phxi_method* method_at(int i) {
    int count = 0;
    while (phxi_methods[count]) {
        ++count;
    }
    return i >= 0 && i < count ? phxi_methods[i] : NULL;
}

bool phx_method_can(int method, int capability) {
    const phxi_method* m = method_at(method);
    return m && phx_capability_name(capability, NULL) && capabilities[capability].has(m);
}

const char* phx_methods_meet(int a, int b) {
    const phxi_method *one = method_at(a), *two = method_at(b);
    if (!one || !two) {
        return NULL;
    }
    int family = one->touch ? one->touch->family : PHXI_FAMILY_NONE, other = two->touch ? two->touch->family : 0;
    if (!is_moved_by_forces(one) && !is_moved_by_forces(two)) {
        return "nothing";
    }
    if (family != PHXI_FAMILY_NONE && family == other) {
        return one->boundary || two->boundary ? "flow" : "one continuum";
    }
    return "contact";
}
