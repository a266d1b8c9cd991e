// SPDX-License-Identifier: MIT
#include "io/run_methods.h"

#include "world/slow_sound.h"

#include <stdio.h>
#include <string.h>

enum { PART = 512 };

static bool same_text(const char* a, const char* b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool alike(const phxi_body* a, const phxi_body* b) {
    return a->solver == b->solver && a->slowing == b->slowing && same_text(a->chosen_for, b->chosen_for) &&
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

/// "body 'hare'", "bodies 'hare' and 2 more"
static void name_bodies(const phxi_body* body, int count, char text[128]) {
    if (count > 1) {
        snprintf(text, 128, "bodies '%s' and %d more", body->name, count - 1);
    } else {
        snprintf(text, 128, "body '%s'", body->name);
    }
}

static void describe_method(const phx_world* world, int body, int count, char text[PART]) {
    const phxi_body* b = &world->bodies.items[body];
    const char* method = world->solvers.items[b->solver].method->name;
    char names[128], material[96] = "its material";
    name_bodies(b, count, names);
    if (b->material.name) {
        snprintf(material, sizeof material, "material '%.64s'", b->material.name);
    }
    if (b->chosen_for) {
        snprintf(text, PART, "%s: method %s, chosen for %s (%s)", names, method, material, b->chosen_for);
    } else {
        snprintf(text, PART, "%s: method %s", names, method);
    }
}

static void describe_softened(const phx_world* world, int body, int count, char text[PART]) {
    const phxi_body* b = &world->bodies.items[body];
    char names[128], change[192];
    text[0] = 0;
    if (b->slowing > 1) {
        name_bodies(b, count, names);
        phxi_body_describe_slow_sound(b, change, sizeof change);
        snprintf(text, PART,
                 "%s: can break, so takes explicit steps, with %s; sound_limit: 0 computes the real stiffness", names,
                 change);
    }
}

/// What `describe` says of bodies alike, "; " between them.
static void list(const phx_world* world, void (*describe)(const phx_world* world, int body, int count, char text[PART]),
                 char* text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        char part[PART] = "";
        int count = count_alike(world, b);
        if (count > 0) {
            describe(world, b, count, part);
        }
        if (!part[0]) {
            continue;
        }
        if (used + strlen(part) + sizeof "; ..." > size) {
            snprintf(text + used, size - used, "%s...", used ? "; " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", part);
    }
}

void phxi_run_methods(const phx_world* world, char* text, size_t size) {
    list(world, describe_method, text, size);
}

void phxi_run_softened(const phx_world* world, char* text, size_t size) {
    list(world, describe_softened, text, size);
}
