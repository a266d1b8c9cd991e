// SPDX-License-Identifier: MIT
// phx_compare: rows of methods and spacings, what they are held against, costs at equal error, definitions that make no
// sense. The program around it: tests/cli.
#include "support/test.h"

#include <checks/compare.h>

#include <math.h>
#include <string.h>

typedef struct kept {
    phx_compare_row rows[8];
    int count, points;
} kept;

static void keep(void* context, const phx_compare_row* row) {
    kept* k = context;
    if (k->count < 8) {
        k->rows[k->count++] = *row;
    }
}

static void look(void* context, const char* method, double spacing, double time, double value) {
    (void)method, (void)spacing, (void)time, (void)value;
    ++((kept*)context)->points;
}

static const char* scene_path(void) {
    static const char text[] = "materials:\n  soft: {young: 1e5, poisson: 0, density: 1000, law: corotated}\n"
                               "bodies:\n  bar: {shape: \"box(center=(0.5,0.1,0.1), size=(1,0.2,0.2))\", spacing: 0.1, "
                               "material: soft}\n"
                               "drivers:\n  wall: {kind: pin, region: \"box(size=(0.25,9,9))\"}\n"
                               "probes:\n  all: {every: 0.01}\nworld: {gravity: [1, 0, 0]}\n"
                               "run: {duration: 0.1, fps: 10}\n";
    const char* path = phxt_path("compare.yaml");
    FILE* file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    return path;
}

TEST(rows_and_reference) {
    static const char* const methods[] = {"fem", "elastoplastic_sph:integrator=leapfrog", "efg:support=99", NULL};
    static const double spacings[] = {0.2, 0.1};
    kept k = {.count = 0};
    phx_compare_def def = phx_compare_def_default();
    def.scene = scene_path();
    def.methods = methods;
    def.spacings = spacings;
    def.spacing_count = 2;
    def.column = "x";
    def.row = keep;
    def.curve = look;
    def.context = &k;
    REQUIRE_OK(phx_compare(&def));
    REQUIRE(k.count == 6 && k.points == 4 * 11);
    ENSURE(k.rows[1].error == 0 && k.rows[1].value == k.rows[0].exact); // the first method at its finest
    for (int i = 0; i < 4; ++i) {
        ENSURE_OK(k.rows[i].result);
        ENSURE(k.rows[i].value > 0 && k.rows[i].error < 0.2 && k.rows[i].particles > 0);
        ENSURE(isnan(k.rows[i].stable_dt) == (i % 2 == 1)); // looked for at the first spacing
        ENSURE(i % 2 == 1 ||
               (k.rows[i].stable_dt > 0.9 * k.rows[i].own_dt && k.rows[i].stable_dt < 3 * k.rows[i].own_dt));
    }
    ENSURE(k.rows[4].result != PHX_OK && strstr(k.rows[4].trouble, "support") != NULL);
}

TEST(cost_lies_between_spacings) {
    phx_compare_row rows[3] = {{.error = 0.4, .cpu = 1}, {.error = 0.1, .cpu = 4}, {.error = 0.025, .cpu = 16}};
    ENSURE_NEAR(phx_compare_cost(rows, 3, 0.1), 4, 1e-12);
    ENSURE_NEAR(phx_compare_cost(rows, 3, 0.2), 2, 1e-12);
    ENSURE_NEAR(phx_compare_cost(rows, 3, 0.05), 8, 1e-12);
    ENSURE_NEAR(phx_compare_cost(rows, 3, 0.5), 1, 1e-12);
    ENSURE(isnan(phx_compare_cost(rows, 3, 0.01)));
    rows[2].result = PHX_ERROR_UNSTABLE;
    ENSURE(isnan(phx_compare_cost(rows, 3, 0.05)));
}

static void refused(phx_compare_def def, const char* says) {
    ENSURE(phx_compare(&def) != PHX_OK);
    ENSURE(strstr(phx_error_message(), says) != NULL);
}

TEST(bad_definitions_are_answered) {
    static const char* const methods[] = {"fem", NULL};
    static const char* const unknown[] = {"fen", NULL};
    kept k = {.count = 0};
    phx_compare_def good = phx_compare_def_default(), def;
    good.scene = scene_path();
    good.methods = methods;
    good.row = keep;
    good.context = &k;
    refused((phx_compare_def){0}, "phx_compare_def_default");
    def = good, def.methods = NULL;
    refused(def, "expected a scene");
    def = good, def.methods = unknown;
    refused(def, "did you mean 'fem'");
    def = good, def.column = "w";
    refused(def, "no probe has a column 'w'");
    def = good, def.probe = "al";
    refused(def, "expected 'all'");
    def = good, def.quantity = 99;
    refused(def, "quantity 99");
    def = good, def.scene = "/nowhere.yaml";
    refused(def, "nowhere.yaml");
    ENSURE(k.count == 0);
}
