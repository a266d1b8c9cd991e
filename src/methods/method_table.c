// SPDX-License-Identifier: MIT
// The list of methods. A new one is a folder, a line here, and a page in docs/theory and docs/guide.
#include "methods/method.h"

#include "core/text.h"

#include <string.h>

// clang-format off
#define METHODS(METHOD) \
    METHOD(efg) \
    METHOD(corotated_sph) \
    METHOD(elastoplastic_sph) \
    METHOD(fem) \
    METHOD(peridynamics) \
    METHOD(mpm) \
    METHOD(granular) \
    METHOD(wcsph) \
    METHOD(wall) \
    METHOD(rigid)
// clang-format on
#define DECLARE(name) extern const phxi_method phxi_method_##name;
#define ADDRESS(name) &phxi_method_##name,
METHODS(DECLARE)
const phxi_method* const phxi_methods[] = {METHODS(ADDRESS) NULL};

static const char* name_at(const void* context, int i) {
    (void)context;
    return phxi_methods[i]->name;
}

const phxi_method* phxi_method_find(const char* name) {
    if (!name) {
        phxi_fail(PHX_ERROR_ARGUMENT, "no method is named, expected one of the list of methods");
        return NULL;
    }
    int count = 0;
    for (; phxi_methods[count]; ++count) {
        if (strcmp(phxi_methods[count]->name, name) == 0) {
            return phxi_methods[count];
        }
    }
    const char* meant = phxi_did_you_mean(name, count, name_at, NULL);
    if (meant) {
        phxi_fail(PHX_ERROR_ARGUMENT, "unknown method '%s', did you mean '%s'?", name, meant);
    } else {
        phxi_fail(PHX_ERROR_ARGUMENT, "unknown method '%s', the first of %d is '%s'", name, count, name_at(NULL, 0));
    }
    return NULL;
}
