// SPDX-License-Identifier: MIT
#include "methods/choose.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 256 };

static uint32_t lowest(uint32_t laws) {
    return laws & (~laws + 1);
}

static bool obeys(const phxi_method* method, uint32_t laws) {
    return method->laws != PHXI_LAWS_SHAPE_KEPT && (laws & ~method->laws) == 0;
}

/// "a, b and c": all methods that obey the laws; false if there is none.
static bool list_methods(uint32_t laws, char text[LIST_BYTES]) {
    int used = 0, left = 0;
    for (int i = 0; phxi_methods[i]; ++i) {
        left += obeys(phxi_methods[i], laws);
    }
    text[0] = 0;
    for (int i = 0, first = 1; phxi_methods[i]; ++i) {
        if (obeys(phxi_methods[i], laws) && used < LIST_BYTES) {
            --left;
            used += snprintf(text + used, (size_t)(LIST_BYTES - used), "%s%s",
                             first  ? ""
                             : left ? ", "
                                    : " and ",
                             phxi_methods[i]->name);
            first = 0;
        }
    }
    return used > 0;
}

static void name_material(const phx_material_def* material, char text[96]) {
    if (material->name) {
        snprintf(text, 96, "material '%.64s'", material->name);
    } else {
        snprintf(text, 96, "its material");
    }
}

/// That no method has all laws of a material: names two that do not go together.
static phx_result fail_none(const phx_material_def* material, uint32_t laws) {
    char name[96], list[LIST_BYTES];
    name_material(material, name);
    uint32_t together = 0, law = 0;
    for (uint32_t rest = laws; rest; rest &= ~law) { // as many as go together, from the first on
        law = lowest(rest);
        if (!list_methods(together | law, list)) {
            break;
        }
        together |= law;
    }
    list_methods(together, list);
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "no method has both %s and %s of %s; %s would do with %s",
                     phxi_law_key(material, lowest(laws)), phxi_law_key(material, law), name, list,
                     phxi_law_off(material, law));
}

phx_result phxi_method_choose(const phx_material_def* material, const phxi_method** method, const char** key) {
    const uint32_t laws = phxi_material_laws(material), what = lowest(laws);
    const phxi_method *made = NULL, *able = NULL;
    for (int i = 0; phxi_methods[i]; ++i) {
        bool all = obeys(phxi_methods[i], laws);
        able = !able && all ? phxi_methods[i] : able;
        made = !made && all && (phxi_methods[i]->made_for & what) ? phxi_methods[i] : made;
    }
    if (!made && !able) {
        return fail_none(material, laws);
    }
    *method = made ? made : able;
    *key = phxi_law_key(material, what);
    if (!made) { // what the usual one does not have
        for (int i = 0; phxi_methods[i]; ++i) {
            uint32_t missing = laws & ~phxi_methods[i]->laws;
            *key = (phxi_methods[i]->made_for & what) && missing ? phxi_law_key(material, lowest(missing)) : *key;
        }
    }
    return PHX_OK;
}

phx_result phxi_method_check(const phxi_method* method, const phx_material_def* material) {
    const uint32_t laws = phxi_material_laws(material), ignored = laws & ~method->laws;
    if (!ignored) {
        return PHX_OK;
    }
    const uint32_t law = lowest(ignored);
    char name[96], list[LIST_BYTES];
    name_material(material, name);
    // who has all laws of the material is a better answer than who has this one
    if (!list_methods(laws, list)) {
        list_methods(law, list);
    }
    const char* verb = strchr(list, ' ') ? "obey it" : "obeys it";
    if (law == PHXI_LAW_ELASTIC) { // which no key switches off: what would make it a material for this method?
        return phxi_fail(PHX_ERROR_UNSUPPORTED, "method %s ignores %s of %s; %s %s, and %s is for materials with %s",
                         method->name, phxi_law_key(material, law), name, list, verb, method->name,
                         phxi_law_given_by(lowest(method->laws)));
    }
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "method %s ignores %s of %s; %s %s, and %s leaves it out", method->name,
                     phxi_law_key(material, law), name, list, verb, phxi_law_off(material, law));
}
