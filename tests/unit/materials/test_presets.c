// SPDX-License-Identifier: MIT
// Presets: all usable, all with a source, found by name.
#include "materials/material.h"
#include "support/test.h"

TEST(all_are_sound) {
    ENSURE(phx_preset_count() >= 14);
    for (int i = 0; i < phx_preset_count(); ++i) {
        const phx_preset* preset = phx_preset_at(i);
        REQUIRE(preset != NULL);
        ENSURE_OK(phxi_material_check(&preset->def));
        ENSURE(strlen(preset->name) > 0 && strlen(preset->summary) > 0 && strlen(preset->source) > 40);
        // between the softest jelly (about 1 m/s in shear) and the stiffest metal
        double speed = phxi_sound_speed(&preset->def);
        ENSURE(speed > 1 && speed < 7000);
        for (int j = 0; j < i; ++j) {
            ENSURE(strcmp(phx_preset_at(j)->name, preset->name) != 0);
        }
    }
    ENSURE(phx_preset_at(-1) == NULL && phx_preset_at(phx_preset_count()) == NULL);
}

// A preset changes what it is about and leaves the rest as the table has it.
TEST(what_they_do_not_say_is_the_default) {
    const phx_material_def usual = phx_material_def_default();
    for (int i = 0; i < phx_preset_count(); ++i) {
        phx_material_def def = phx_preset_at(i)->def;
        def.density = usual.density;
        def.young = usual.young;
        def.poisson = usual.poisson;
        def.law = usual.law;
        def.yield = usual.yield;
        def.creep = usual.creep;
        for (int k = 0; k < phxi_material_table.count; ++k) {
            const phx_param* param = &phxi_material_table.params[k];
            size_t size = param->kind == PHX_PARAM_REAL   ? sizeof(double)
                          : param->kind == PHX_PARAM_BOOL ? sizeof(bool)
                                                          : sizeof(int);
            ENSURE(memcmp((char*)&def + param->offset, (const char*)&usual + param->offset, size) == 0);
        }
    }
}

TEST(found_by_name) {
    static const char* const wanted[] = {"rubber",  "jelly",    "dough", "clay", "wax",   "steel",   "aluminium",
                                         "gelatin", "silicone", "foam",  "ice",  "glass", "concrete"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        const phx_preset* preset = NULL;
        REQUIRE_OK(phx_preset_find(wanted[i], &preset));
        ENSURE(strcmp(preset->name, wanted[i]) == 0);
    }
}

TEST(unknown_names) {
    const phx_preset* preset = phx_preset_at(0);
    ENSURE_RESULT(phx_preset_find("ruber", &preset), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("did you mean 'rubber'");
    ENSURE(preset == NULL);
    ENSURE_RESULT(phx_preset_find("unobtainium", &preset), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("unobtainium");
    ENSURE_RESULT(phx_preset_find("", &preset), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_preset_find(NULL, &preset), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_preset_find("wax", NULL), PHX_ERROR_ARGUMENT);
}

// The page lists what the program has: the same names, in the same order, with the same numbers.
TEST(documented) {
    size_t size = 0;
    char* page = phxt_read(phxt_source("docs/materials.md"), &size);
    REQUIRE(page != NULL);
    const char* from = page;
    for (int i = 0; i < phx_preset_count(); ++i) {
        const phx_preset* preset = phx_preset_at(i);
        char row[128];
        snprintf(row, sizeof row, "| %s | %g | %g | %g | %s |", preset->name, preset->def.density, preset->def.young,
                 preset->def.poisson, phxi_law_words[preset->def.law]);
        const char* found = strstr(from, row);
        if (!found) {
            phxt_failed(__FILE__, __LINE__, "docs/materials.md lacks the row \"%s\" (or has it out of order)", row);
        } else {
            from = found;
        }
    }
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        char mark[64];
        snprintf(mark, sizeof mark, "`%s`", phxi_law_words[law]);
        ENSURE(strstr(page, mark) != NULL);
    }
    free(page);
}
