// SPDX-License-Identifier: MIT
// Presets: all usable, all with a source, found by name.
#include "materials/material.h"
#include "materials/rheology.h"
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

// A preset changes what it is about and leaves the rest as the table has it: solids say nothing of flow, and nobody
// speaks of what a body is to do with it.
static bool says(const phx_preset* preset, const char* name) {
    static const char* const everybody[] = {"density",     "young",        "poisson",       "law",      "yield",
                                            "creep",       "conductivity", "heat_capacity", "strength", "toughness",
                                            "restitution", "sound_limit",  "slowed_for",    "expansion"};
    static const char* const those_that_flow[] = {"flow",        "viscosity",           "consistency",  "flow_index",
                                                  "jump_solid",  "jump_liquid",         "solidus",      "liquidus",
                                                  "latent_heat", "yield_stress_liquid", "yield_stress", "fluid"};
    static const char* const of_grains[] = {"friction_angle",   "cohesion", "critical_compression",
                                            "critical_stretch", "packing",  "tension"};
    static const char* const grains[] = {"sand", "wet_sand", "slime", "snow"};
    static const char* const flowing[] = {"wax", "chocolate", "lava", "honey", "water", "toothpaste"};
    bool said = strcmp(preset->name, "dough") == 0 && strcmp(name, "damping") == 0, flows = false, granular = false;
    for (size_t i = 0; i < sizeof everybody / sizeof everybody[0]; ++i) {
        said |= strcmp(everybody[i], name) == 0;
    }
    for (size_t i = 0; i < sizeof flowing / sizeof flowing[0]; ++i) {
        flows |= strcmp(flowing[i], preset->name) == 0;
    }
    for (size_t i = 0; i < sizeof grains / sizeof grains[0]; ++i) {
        granular |= strcmp(grains[i], preset->name) == 0;
    }
    for (size_t i = 0; granular && i < sizeof of_grains / sizeof of_grains[0]; ++i) {
        said |= strcmp(of_grains[i], name) == 0;
    }
    for (size_t i = 0; flows && i < sizeof those_that_flow / sizeof those_that_flow[0]; ++i) {
        said |= strcmp(those_that_flow[i], name) == 0;
    }
    return said;
}

TEST(what_they_do_not_say_is_the_default) {
    const phx_material_def usual = phx_material_def_default();
    for (int i = 0; i < phx_preset_count(); ++i) {
        const phx_material_def* def = &phx_preset_at(i)->def;
        for (int k = 0; k < phxi_material_table.count; ++k) {
            const phx_param* param = &phxi_material_table.params[k];
            size_t size = param->kind == PHX_PARAM_REAL   ? sizeof(double)
                          : param->kind == PHX_PARAM_BOOL ? sizeof(bool)
                                                          : sizeof(int);
            ENSURE(says(phx_preset_at(i), param->name) ||
                   memcmp((const char*)def + param->offset, (const char*)&usual + param->offset, size) == 0);
        }
    }
}

// What flows is near what its source says of the liquid.
TEST(liquids) {
    static const struct {
        const char* name;
        double temperature, rate, viscosity;
    } liquids[] = {{"water", 20, 1, 1.002e-3},  {"honey", 20, 1, 10},     {"wax", 70, 1e4, 5e-3},
                   {"chocolate", 40, 4e3, 8.7}, {"lava", 1250, 1e3, 100}, {"toothpaste", 20, 1, 300}};
    for (size_t i = 0; i < sizeof liquids / sizeof liquids[0]; ++i) {
        const phx_preset* preset = NULL;
        REQUIRE_OK(phx_preset_find(liquids[i].name, &preset));
        phxi_rheology rheology = phxi_rheology_from(&preset->def);
        double eta = phxi_viscosity(&rheology, liquids[i].rate, liquids[i].temperature);
        ENSURE_NEAR(eta / liquids[i].viscosity, 1, 0.03);
    }
}

// A glass tears at a critical stress intensity of sqrt(E G) = 0.75 MPa m^1/2, and so on.
TEST(brittle) {
    static const struct {
        const char* name;
        double strength, intensity; // Pa, Pa m^1/2
    } brittle[] = {{"glass", 4.5e7, 7.5e5}, {"ice", 1.4e6, 1e5}, {"concrete", 4e7, 2.39e6}, {"plaster", 2e6, 1.4e5}};
    for (size_t i = 0; i < sizeof brittle / sizeof brittle[0]; ++i) {
        const phx_preset* preset = NULL;
        REQUIRE_OK(phx_preset_find(brittle[i].name, &preset));
        ENSURE_NEAR(preset->def.strength / brittle[i].strength, 1, 1e-9);
        ENSURE_NEAR(sqrt(preset->def.young * preset->def.toughness) / brittle[i].intensity, 1, 0.02);
    }
}

TEST(found_by_name) {
    static const char* const wanted[] = {"rubber",  "jelly",    "dough", "clay",       "wax",   "steel",    "aluminium",
                                         "gelatin", "silicone", "foam",  "ice",        "glass", "concrete", "chocolate",
                                         "lava",    "honey",    "water", "toothpaste", "sand",  "wet_sand", "slime"};
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
    char* page = phxt_read(phxt_source("docs/guide/materials.md"), &size);
    REQUIRE(page != NULL);
    const char* from = page;
    for (int i = 0; i < phx_preset_count(); ++i) {
        const phx_preset* preset = phx_preset_at(i);
        char row[128];
        snprintf(row, sizeof row, "| %s | %g | %g | %g | %s |", preset->name, preset->def.density, preset->def.young,
                 preset->def.poisson, phxi_law_words[preset->def.law]);
        const char* found = strstr(from, row);
        if (!found) {
            phxt_failed(__FILE__, __LINE__, "docs/guide/materials.md lacks the row \"%s\" (or has it out of order)",
                        row);
        } else {
            from = found;
        }
    }
    for (int flow = 0; flow < PHX_FLOW_COUNT; ++flow) {
        char mark[64];
        snprintf(mark, sizeof mark, "`%s`", phxi_flow_words[flow]);
        ENSURE(strstr(page, mark) != NULL);
    }
    for (int law = 0; law < PHX_LAW_COUNT; ++law) {
        char mark[64];
        snprintf(mark, sizeof mark, "`%s`", phxi_law_words[law]);
        ENSURE(strstr(page, mark) != NULL);
    }
    free(page);
}
