// SPDX-License-Identifier: MIT
// Which settings a method has is asked of its parameter table: every word of `integrator` that a body can be made with
// is tried, and the first explicit and the first implicit one are taken, the default before others; of methods without
// explicit steps the second implicit one too. A method that has a number `implicit` instead (how many times the
// explicit substep) is taken with 0 and 10, one that has a word `kinematic` without and with it. Methods whose bodies
// can have particles on their surface are taken with these and without.
#include "conformance.h"

/// Explicit, implicit or (-1) refused: what a world says of a body with this setting.
static int family_of(const phxi_method* method, const char* word) {
    variant v = {.method = method, .setting = {"integrator", word}, .sampling = PHX_SAMPLING_AUTO};
    test_cast alone = {{&v}, 1};
    test_scene small = {.places = {{.size = {0.1, 0.1, 0.1}}}};
    phx_world* world = scene_build(&small, &alone, 1);
    int family = !world ? -1 : phxi_world_implicit_dt(world, 0) > 0;
    phx_world_destroy(world);
    return family;
}

static const phx_param* param_of(const phxi_method* method, const char* name, phx_param_kind kind) {
    for (int k = 0; k < method->params->count; ++k) {
        const phx_param* param = &method->params->params[k];
        if (strcmp(param->name, name) == 0 && param->kind == kind) {
            return param;
        }
    }
    return NULL;
}

static void add(variant* list, int* count, const phxi_method* method, const char* suffix, const char* setting,
                const char* value) {
    if (*count < MAX_VARIANTS) {
        variant* v = &list[(*count)++];
        *v = (variant){.method = method, .setting = {setting, v->value}, .sampling = PHX_SAMPLING_AUTO};
        v->kinematic = strcmp(suffix, ".kinematic") == 0 || (method->touch && method->touch->kinematic);
        snprintf(v->name, sizeof v->name, "%s%s", method->name, suffix);
        snprintf(v->value, sizeof v->value, "%s", value);
    }
}

static void add_integrators(variant* list, int* count, const phxi_method* method, const phx_param* param) {
    const char *found[2] = {NULL, NULL}, *second = NULL;
    int by_default = family_of(method, param->initial);
    if (by_default >= 0) {
        found[by_default] = param->initial;
    }
    for (int w = 0; param->words[w]; ++w) {
        int family = family_of(method, param->words[w]);
        if (family >= 0 && !found[family]) {
            found[family] = param->words[w];
        } else if (family == 1 && !second && strcmp(param->words[w], found[1]) != 0) {
            second = param->words[w];
        }
    }
    static const char* const suffixes[2] = {".explicit", ".implicit"};
    for (int family = 0; family < 2; ++family) {
        if (found[family]) {
            add(list, count, method, suffixes[family], "integrator", found[family]);
        }
    }
    if (!found[0] && second) {
        char suffix[32];
        snprintf(suffix, sizeof suffix, ".%s", second);
        add(list, count, method, suffix, "integrator", second);
    }
}

/// Whether particles on the surface are a choice, and the default; 0: they are not.
static const char* other_sampling(const phxi_method* method, int* sampling) {
    variant v = {.method = method, .sampling = PHX_SAMPLING_CONFORMING};
    test_cast alone = {{&v}, 1};
    test_scene small = {.places = {{.size = {0.1, 0, 0}}}}; // a ball: boxes are regular lattices all the same
    const bool asks = method->sampling && !method->sampling->shell && method->touch && method->touch->bonds;
    phx_world* world = asks ? scene_build(&small, &alone, 1) : NULL;
    bool can = world && world->bodies.items[0].conforming, is_default = can && method->sampling->conforming;
    phx_world_destroy(world);
    *sampling = is_default ? PHX_SAMPLING_UNIFORM : PHX_SAMPLING_CONFORMING;
    return !can ? NULL : is_default ? ".uniform" : ".conforming";
}

/// The variants of a method, from `first` on, once more with the sampling that is not its default.
static void add_samplings(variant* list, int* count, int first) {
    int sampling, last = *count;
    const char* suffix = last > first ? other_sampling(list[first].method, &sampling) : NULL;
    for (int k = first; k < last && suffix && *count < MAX_VARIANTS; ++k) {
        variant* v = &list[(*count)++];
        *v = list[k];
        v->setting.value = v->value;
        v->sampling = sampling;
        strncat(v->name, suffix, sizeof v->name - strlen(v->name) - 1);
    }
}

int variants_find(variant list[MAX_VARIANTS]) {
    int count = 0;
    for (int m = 0; phxi_methods[m]; ++m) {
        const phxi_method* method = phxi_methods[m];
        int first = count;
        const phx_param* word = param_of(method, "integrator", PHX_PARAM_WORD);
        if (word) {
            add_integrators(list, &count, method, word);
        } else if (param_of(method, "implicit", PHX_PARAM_REAL)) {
            add(list, &count, method, ".explicit", "implicit", "0");
            add(list, &count, method, ".implicit", "implicit", "10");
        } else if (param_of(method, "kinematic", PHX_PARAM_BOOL)) {
            add(list, &count, method, "", NULL, "");
            add(list, &count, method, ".kinematic", "kinematic", "true");
        } else {
            add(list, &count, method, "", NULL, "");
        }
        add_samplings(list, &count, first);
    }
    return count;
}
