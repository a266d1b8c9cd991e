// SPDX-License-Identifier: MIT
#include "io/run_methods.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const char* a, const char* b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool alike(const phxi_body* a, const phxi_body* b) {
    return a->solver == b->solver && same_text(a->chosen_for, b->chosen_for) &&
           (!a->chosen_for || same_text(a->material.name, b->material.name));
}

/// How many are like this one, itself included; 0 if one before it is.
static int count_alike(const phx_world* world, int body) {
    const phxi_body* bodies = world->bodies.items;
    int count = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        bool one = alike(&bodies[body], &bodies[b]);
        if (one && b < body) {
            return 0;
        }
        count += one;
    }
    return count;
}

static void describe(const phx_world* world, int body, int count, char text[320]) {
    const phxi_body* b = &world->bodies.items[body];
    const char* method = world->solvers.items[b->solver].method->name;
    char more[32] = "", material[96] = "its material";
    if (count > 1) {
        snprintf(more, sizeof more, " and %d more", count - 1);
    }
    if (b->material.name) {
        snprintf(material, sizeof material, "material '%.64s'", b->material.name);
    }
    if (b->chosen_for) {
        snprintf(text, 320, "%s '%s'%s: method %s, chosen for %s (%s)", count > 1 ? "bodies" : "body", b->name, more,
                 method, material, b->chosen_for);
    } else {
        snprintf(text, 320, "%s '%s'%s: method %s", count > 1 ? "bodies" : "body", b->name, more, method);
    }
}

void phxi_run_methods(const phx_world* world, char* text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        char part[320];
        int count = count_alike(world, b);
        if (count == 0) {
            continue;
        }
        describe(world, b, count, part);
        if (used + strlen(part) + sizeof "; ..." > size) {
            snprintf(text + used, size - used, "%s...", used ? "; " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", part);
    }
}
