// SPDX-License-Identifier: MIT
// The material chooses the method: every preset, materials of one's own, and every refusal.
#include "methods/choose.h"
#include "support/test.h"

#include <phyxel/world.h>

#include <math.h>
#include <string.h>

static const struct {
    const char *preset, *method, *property;
} chosen[] = {
    {"rubber", "efg", "elasticity"},
    {"silicone", "efg", "elasticity"},
    {"jelly", "efg", "elasticity"},
    {"gelatin", "efg", "elasticity"},
    {"muscle", "efg", "elasticity"},
    {"dough", "efg", "yield"},
    {"clay", "efg", "yield"},
    {"wax", "wcsph", "solidus"},
    {"chocolate", "wcsph", "solidus"},
    {"lava", "wcsph", "solidus"},
    {"sand", "granular", "friction_angle"},
    {"wet_sand", "granular", "friction_angle"},
    {"slime", "granular", "cohesion"},
    {"snow", "mpm", "critical_compression"},
    {"honey", "wcsph", "fluid"},
    {"water", "wcsph", "fluid"},
    {"toothpaste", "wcsph", "fluid"},
    {"foam", "efg", "elasticity"},
    {"cork", "efg", "elasticity"},
    {"wood", "efg", "elasticity"},
    {"ice", "efg", "elasticity"},
    {"glass", "efg", "elasticity"},
    {"concrete", "efg", "elasticity"},
    {"plaster", "efg", "elasticity"},
    {"bone", "efg", "elasticity"},
    {"lead", "efg", "yield"},
    {"aluminium", "efg", "elasticity"},
    {"steel", "efg", "elasticity"},
};
enum { CHOSEN = sizeof chosen / sizeof chosen[0] };

TEST(every_preset_has_its_method) {
    ENSURE(phx_preset_count() == CHOSEN);
    for (int i = 0; i < CHOSEN; ++i) {
        const phx_preset* preset = NULL;
        const char* property = NULL;
        REQUIRE_OK(phx_preset_find(chosen[i].preset, &preset));
        const char* method = phx_material_method(&preset->def, &property);
        ENSURE(method && strcmp(method, chosen[i].method) == 0);
        ENSURE(method && strcmp(property, chosen[i].property) == 0);
    }
}

static const char* choose(const phx_material_def* def) {
    const char* method = phx_material_method(def, NULL);
    return method ? method : "none";
}

TEST(materials_of_ones_own) {
    phx_material_def def = phx_material_def_default();
    ENSURE(strcmp(choose(&def), "efg") == 0);
    def.viscosity = 5;
    ENSURE(strcmp(choose(&def), "wcsph") == 0);
    def = phx_material_def_default(), def.flow = PHX_FLOW_BINGHAM;
    ENSURE(strcmp(choose(&def), "wcsph") == 0);
    def = phx_material_def_default(), def.cohesion = 50;
    ENSURE(strcmp(choose(&def), "granular") == 0);
    def = phx_material_def_default(), def.yield = 0.1, def.ductile_strain = 1;
    ENSURE(strcmp(choose(&def), "efg") == 0);
}

// What the usual method does not have leads to one that has all.
TEST(another_method_if_the_usual_one_lacks_a_law) {
    const char* property = "";
    phx_material_def def = phx_material_def_default();
    def.soften_from = 50, def.soften_to = 90;
    ENSURE(strcmp(phx_material_method(&def, &property), "peridynamics") == 0 && strcmp(property, "soften_from") == 0);
    def = phx_material_def_default(), def.friction_angle = 30, def.strength = 1e5;
    ENSURE(strcmp(phx_material_method(&def, &property), "peridynamics") == 0 && strcmp(property, "strength") == 0);
    def = phx_material_def_default(), def.fluid = true, def.damping = 3;
    ENSURE(strcmp(phx_material_method(&def, &property), "mpm") == 0 && strcmp(property, "damping") == 0);
    def.strength = 10;
    ENSURE(!phx_material_method(&def, NULL));
    ENSURE_MESSAGE("no method has both fluid and strength of its material; mpm and wcsph would do with strength: 0");
}

static phx_result check(const char* method, const phx_material_def* def) {
    const phxi_method* found = phxi_method_find(method);
    return found ? phxi_method_check(found, def) : PHX_ERROR_ARGUMENT;
}

static phx_material_def of(const char* preset) {
    const phx_preset* found = NULL;
    phx_preset_find(preset, &found);
    phx_material_def def = found ? found->def : phx_material_def_default();
    def.name = preset;
    return def;
}

static bool has_word(const char* text, const char* word) {
    size_t size = strlen(word);
    for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
        char before = at == text ? ' ' : at[-1], after = at[size];
        if (before == ' ' && (after == ' ' || after == ',' || after == 0)) {
            return true;
        }
    }
    return false;
}

TEST(every_law_that_is_ignored_is_refused) {
    phx_material_def soft = of("rubber"), damped = of("water"), weak = of("lead");
    soft.soften_from = 50, soft.soften_to = 90;
    damped.damping = 1;
    weak.ductile_strain = 0.5;
    const struct {
        const char* methods; // that refuse it
        phx_material_def def;
        const char *key, *others, *off;
    } cases[] = {
        {"granular wcsph", of("rubber"), "elasticity of material 'rubber'",
         "efg, corotated_sph, elastoplastic_sph, fem, peridynamics and mpm obey it", "is for"},
        {"corotated_sph fem granular wcsph", of("clay"), "yield of material 'clay'",
         "efg, elastoplastic_sph, peridynamics and mpm obey it", "yield: 0"},
        {"efg corotated_sph elastoplastic_sph fem wcsph", of("sand"), "friction_angle of material 'sand'",
         "peridynamics, mpm and granular obey it", "friction_angle: 0"},
        {"efg corotated_sph elastoplastic_sph fem wcsph", of("slime"), "cohesion of material 'slime'",
         "peridynamics, mpm and granular obey it", "cohesion: 0"},
        {"efg corotated_sph elastoplastic_sph fem peridynamics granular wcsph", of("snow"),
         "critical_compression of material 'snow'", "; mpm obeys it", "critical_compression: 0"},
        {"efg corotated_sph elastoplastic_sph fem peridynamics granular", of("water"), "fluid of material 'water'",
         "mpm and wcsph obey it", "fluid: false"},
        {"efg corotated_sph elastoplastic_sph fem peridynamics granular", of("wax"), "solidus of material 'wax'",
         "mpm and wcsph obey it", "solidus: inf"},
        {"corotated_sph elastoplastic_sph fem mpm", of("glass"), "strength of material 'glass'",
         "efg and peridynamics obey it", "strength: 0"},
        {"elastoplastic_sph mpm", weak, "ductile_strain of material 'lead'", "efg and peridynamics obey it",
         "ductile_strain: 0"},
        {"efg corotated_sph elastoplastic_sph fem mpm", soft, "soften_from of material 'rubber'",
         "; peridynamics obeys it", "soften_from: inf"},
        {"wcsph", damped, "damping of material 'water'", "; mpm obeys it", "damping: 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        for (int i = 0; phxi_methods[i]; ++i) { // the others obey it, or refuse what comes before it
            const char* name = phxi_methods[i]->name;
            if (has_word(cases[k].methods, name)) {
                ENSURE_RESULT(check(name, &cases[k].def), PHX_ERROR_UNSUPPORTED);
                ENSURE_MESSAGE(name);
                ENSURE_MESSAGE(cases[k].key);
                ENSURE_MESSAGE(cases[k].others);
                ENSURE_MESSAGE(cases[k].off);
            } else if (has_word(cases[k].others, name)) {
                ENSURE_OK(check(name, &cases[k].def));
            }
        }
    }
}

// What the message says is enough: the preset with that one key is taken.
TEST(a_law_that_is_switched_off_is_not_asked_for) {
    phx_material_def def = of("sand");
    def.friction_angle = 0;
    ENSURE_OK(phxi_material_check(&def));
    ENSURE_OK(check("corotated_sph", &def));
    def = of("glass"), def.strength = 0;
    ENSURE_OK(check("fem", &def));
    def = of("wax"), def.solidus = INFINITY;
    ENSURE_OK(phxi_material_check(&def));
    ENSURE_OK(check("efg", &def));
    ENSURE(strcmp(choose(&def), "efg") == 0);
    def = of("snow"), def.critical_compression = 0;
    ENSURE_OK(check("fem", &def));
    def = of("clay"), def.yield = 0;
    ENSURE_OK(check("fem", &def));
    def = of("water"), def.fluid = false, def.viscosity = 0;
    ENSURE_OK(check("efg", &def));
}

TEST(two_ways_to_flow_are_refused) {
    phx_material_def def = of("clay");
    def.friction_angle = 30;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("yield and friction_angle are two ways to flow");
    ENSURE_MESSAGE("expected yield: 0, or friction_angle: 0");
    def = of("water"), def.critical_compression = 0.1;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("critical_compression and fluid");
    def = of("wax"), def.yield = 0.1;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("yield and solidus");
}

TEST(a_melting_temperature_that_changes_nothing_is_refused) {
    phx_material_def def = of("steel");
    def.solidus = 1400, def.liquidus = 1500;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("solidus is 1400 degrees C, but flow is newtonian");
    def.flow = PHX_FLOW_POWER_LAW;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("power_law");
    def = of("wax"), def.liquidus = INFINITY;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("liquidus");
}

TEST(bodies_say_what_chose_their_method) {
    phx_world_def wd = phx_world_def_default();
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&wd, &world));
    phx_material_def sand = of("sand");
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    REQUIRE_OK(phx_material_create(world, &sand, &bd.material));
    bd.name = "heap", bd.shape = "box()", bd.spacing = 0.25;
    REQUIRE_OK(phx_body_create(world, &bd, &body));
    bd.name = "named", bd.translate.x = 5, bd.method = "mpm";
    REQUIRE_OK(phx_body_create(world, &bd, &body));
    ENSURE(strcmp(phx_world_body_method(world, 0), "granular") == 0);
    ENSURE(strcmp(phx_world_body_chosen_for(world, 0), "friction_angle") == 0);
    ENSURE(strcmp(phx_world_body_method(world, 1), "mpm") == 0 && !phx_world_body_chosen_for(world, 1));
    bd.name = "wrong", bd.method = "efg";
    ENSURE_RESULT(phx_body_create(world, &bd, &body), PHX_ERROR_UNSUPPORTED);
    ENSURE_MESSAGE("body 'wrong': method efg ignores friction_angle of material 'sand'");
    ENSURE(phx_world_body_count(world) == 2 && !phx_world_body_chosen_for(world, 2));
    phx_world_destroy(world);
}
