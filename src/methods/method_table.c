// SPDX-License-Identifier: MIT
// The list of methods. A new one is a folder, a declaration and a line here, and a page in docs/methods/.
#include "methods/method.h"

#include "core/text.h"

#include <string.h>

extern const phxi_method phxi_method_corotated_sph, phxi_method_efg, phxi_method_fem, phxi_method_granular,
    phxi_method_mpm, phxi_method_peridynamics, phxi_method_rigid, phxi_method_wall, phxi_method_wcsph;

const phxi_method* const phxi_methods[] = {
    &phxi_method_efg,   &phxi_method_corotated_sph, &phxi_method_fem,  &phxi_method_mpm,   &phxi_method_peridynamics,
    &phxi_method_wcsph, &phxi_method_granular,      &phxi_method_wall, &phxi_method_rigid, NULL,
};

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
