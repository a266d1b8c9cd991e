// SPDX-License-Identifier: MIT
// Materials with real values. One line of `source` for each says who measured or lists what, and which number is an
// assumption. Papers were read as abstracts; textbooks, standards and manuals as reproduced in tables of others (see
// docs/materials.md). Where not even that was at hand it says "commonly quoted" and gives the range.
//
// Poisson's ratios of nearly incompressible materials are kept at 0.48 or 0.49: the step of an explicit method shrinks
// with sqrt(1 - 2 nu), and the shape of a body hardly shows the difference. Anisotropic ones (wood, cork, muscle, bone)
// are stand-ins with one modulus.
#include "materials/material.h"

#include "core/error.h"
#include "core/text.h"

#include <phyxel/world.h>

#include <math.h>
#include <string.h>

// What no preset of a solid says: the defaults of the table in material.c (a test compares).
#define UNSAID                                                                                                         \
    .bound = 0.1, .mooney = 0.25, .plastic_limit = 10, .strength_noise = 0.05, .viscosity = 1, .consistency = 100,     \
    .flow_index = 0.5, .yield_stress = 100, .yield_stress_liquid = -1, .solid_viscosity = 1e5, .jump_solid = 2e4,      \
    .jump_scale = 1, .heat_capacity = 1000, .solidus = INFINITY, .liquidus = INFINITY, .stamp = PHXI_MATERIAL_STAMP
#define DEF(rho, e, nu, which)                                                                                         \
    { UNSAID, .density = rho, .young = e, .poisson = nu, .law = which }
#define PLASTIC(rho, e, nu, which, y, rate)                                                                            \
    { UNSAID, .density = rho, .young = e, .poisson = nu, .law = which, .yield = y, .creep = rate }

static const phx_preset presets[] = {
    {"rubber", "vulcanised natural rubber, uncompounded",
     "MatWeb, Natural Rubber, Vulcanized (NR): 950 kg/m^3, shear modulus 0.5 MPa, so E = 3 G = 1.5 MPa (stress at 100 "
     "% "
     "stretch 1.5 MPa as well). nu: Gere, Mechanics of Materials, 5th ed.: 0.45 to 0.5.",
     DEF(950, 1.5e6, 0.48, PHX_LAW_MOONEY_RIVLIN)},
    {"silicone", "cast silicone elastomer (PDMS, Sylgard 184)",
     "Johnston et al., Mechanical characterization of bulk Sylgard 184, J. Micromech. Microeng. 24 (2014): E = 1.32 to "
     "2.97 MPa by curing temperature. Density 1030 kg/m^3 commonly quoted from the maker's data sheet; nu assumed.",
     DEF(1030, 2.0e6, 0.48, PHX_LAW_NEO_HOOKEAN)},
    {"jelly", "soft pectin jelly that sags under its own weight",
     "Nielsen, Marr and Hvidt, Correlation between sagging and shear elasticity, Carbohydrate Polymers 45 (2001): "
     "standard 150 degree SAG gel, G' = 379 to 429 Pa, incompressible, so E = 3 G = 1.2 kPa. Density: of a 65 % sugar "
     "solution, about 1300 kg/m^3, commonly quoted.",
     DEF(1300, 1.2e3, 0.48, PHX_LAW_NEO_HOOKEAN_BOUNDED)},
    {"gelatin", "firm gelatin block, as soft tissue phantoms are made of",
     "Ngai and Hogaboom, Effect of gelatin concentration on phantom stiffness, Pre-Collegiate Global Health Review: "
     "25 kPa for the weakest of four mixtures; Farrer et al., J. Therapeutic Ultrasound 3 (2015): gelatin phantoms lie "
     "in the range of soft tissue. Density 1050 kg/m^3 commonly quoted; nu assumed.",
     DEF(1050, 2.5e4, 0.48, PHX_LAW_NEO_HOOKEAN_BOUNDED)},
    {"muscle", "relaxed skeletal muscle, direction ignored",
     "3-D rotational shear wave imaging of vastus lateralis (PMC8754054): shear moduli 5.77 kPa along and 1.93 kPa "
     "across "
     "the fibres; their mean 3.85 kPa gives E = 11.5 kPa. Density: Mendez and Keys, Metabolism 9 (1960): 1060 kg/m^3. "
     "nu assumed.",
     DEF(1060, 1.15e4, 0.48, PHX_LAW_NEO_HOOKEAN_BOUNDED)},
    {"dough", "wheat flour dough: springs within a second, flows within several",
     "Dough relaxes as a power law, a critical gel (Ng, McKinley and Padmanabhan, Linear to non-linear rheology of "
     "wheat "
     "flour dough, 2006). Shear modulus after 1 s: commonly quoted 5 to 20 kPa, 10 kPa taken, E = 3 G. Density 1200 "
     "kg/m^3 commonly quoted; nu assumed, below 0.5 for its air (Wang, Dai and Tanner, 2006). "
     "Yield and creep assumed: one relaxation time of 2 s above a strain of 1 % stands for the power law.",
     PLASTIC(1200, 3.0e4, 0.45, PHX_LAW_NEO_HOOKEAN_BOUNDED, 0.01, 0.5)},
    {"clay", "very soft wet clay, undrained",
     "US Army Corps of Engineers, EM 1110-1-1904 Settlement Analysis: very soft clay 5 to 50 tsf (0.5 to 4.8 MPa). nu: "
     "Lambe and Whitman, Soil Mechanics (1969): 0.4 to 0.5 undrained. Density 1700 kg/m^3 commonly quoted for soft "
     "clay. Yield: undrained shear strength of very soft clay below 12 kPa (Terzaghi and Peck, commonly quoted), over "
     "sqrt(2) mu: 0.012.",
     PLASTIC(1700, 2.0e6, 0.45, PHX_LAW_COROTATED, 0.012, 0)},
    {"wax", "paraffin wax at room temperature",
     "Range of several sources, 50 to 300 MPa by grade and temperature (commonly quoted, no original consulted); 100 "
     "MPa "
     "taken. Density 900 kg/m^3 commonly quoted; nu assumed.",
     DEF(900, 1.0e8, 0.4, PHX_LAW_COROTATED)},
    {"foam", "closed-cell polyethylene foam",
     "Data sheet of Plastazote LD33: 33 kg/m^3; 40 kPa at 25 % compression (EN ISO 3386-1), a secant modulus of 160 "
     "kPa. "
     "nu = 0 as Mills and Gilchrist took for flexible foam, cited in Widdle et al., Int. J. Eng. Sci. 46 (2008).",
     DEF(33, 1.6e5, 0.0, PHX_LAW_NEO_HOOKEAN_BOUNDED)},
    {"cork", "natural cork, direction ignored",
     "Density: Anjos, Pereira and Rosa, Holz Roh Werkst. 66 (2008): 120 to 200 kg/m^3. E commonly quoted after Gibson, "
     "Easterling and Ashby, Proc. R. Soc. A 377 (1981): 13 to 20 MPa by direction (original not consulted); nu near 0.",
     DEF(170, 1.5e7, 0.05, PHX_LAW_COROTATED)},
    {"wood", "Douglas fir with the modulus along its grain in every direction",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 525 kg/m^3, 13 GPa; Gere, Mechanics "
     "of "
     "Materials, 5th ed.: 11 to 13 GPa. nu 0.29 from a table of Triton College.",
     DEF(525, 1.3e10, 0.29, PHX_LAW_STVK)},
    {"ice", "polycrystalline ice at -16 C",
     "Gammon et al., Elastic constants of artificial and natural ice samples by Brillouin spectroscopy, J. Glaciology "
     "29 "
     "(1983): c11 13.929, c12 7.082, c13 5.765, c33 15.010, c44 3.014 GPa; their Voigt average is E = 9.3 GPa, nu = "
     "0.326. Density 917 kg/m^3, any handbook.",
     DEF(917, 9.3e9, 0.326, PHX_LAW_STVK)},
    {"glass", "soda-lime float glass",
     "EN 572-1, Glass in building, basic soda-lime silicate glass products: 2500 kg/m^3, E = 70 GPa, nu = 0.2.",
     DEF(2500, 7.0e10, 0.2, PHX_LAW_STVK)},
    {"concrete", "hardened concrete in compression",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1 (high strength): 2320 kg/m^3, 30 GPa; "
     "Gere, Mechanics of Materials, 5th ed.: 17 to 31 GPa, nu 0.1 to 0.2.",
     DEF(2320, 3.0e10, 0.15, PHX_LAW_STVK)},
    {"bone", "bone in compression, direction ignored",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 1900 kg/m^3, 9 GPa in compression. "
     "nu "
     "assumed.",
     DEF(1900, 9.0e9, 0.3, PHX_LAW_STVK)},
    {"lead", "soft lead at room temperature",
     "11340 kg/m^3, 16 GPa, nu 0.44 and a yield stress of 5 to "
     "18 "
     "MPa are commonly quoted, 12 MPa taken: times sqrt(2/3) (1 + nu) / E gives 0.00088. Its creep is left out.",
     PLASTIC(11340, 1.6e10, 0.44, PHX_LAW_STVK, 0.00088, 0)},
    {"aluminium", "aluminium alloy 6061-T6",
     "Gere, Mechanics of Materials, 5th ed.: 70 GPa, nu 0.33. Density: Halliday, Resnick and Walker, Fundamentals of "
     "Physics, 5th ed., table 13-1: 2710 kg/m^3.",
     DEF(2710, 7.0e10, 0.33, PHX_LAW_STVK)},
    {"steel", "structural steel (ASTM A36)",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 7860 kg/m^3, 200 GPa; Gere, "
     "Mechanics "
     "of Materials, 5th ed.: 190 to 210 GPa, nu 0.27 to 0.30.",
     DEF(7860, 2.0e11, 0.29, PHX_LAW_STVK)},
};

enum { COUNT = sizeof presets / sizeof presets[0] };

int phx_preset_count(void) {
    return COUNT;
}

const phx_preset* phx_preset_at(int i) {
    return i >= 0 && i < COUNT ? &presets[i] : NULL;
}

static const char* preset_name(const void* context, int i) {
    (void)context;
    return presets[i].name;
}

phx_result phx_preset_find(const char* name, const phx_preset** preset) {
    if (!preset) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "preset: nowhere to put the result");
    }
    *preset = NULL;
    if (!name) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "preset: no name, expected one such as 'rubber'");
    }
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(presets[i].name, name) == 0) {
            *preset = &presets[i];
            return PHX_OK;
        }
    }
    const char* near = phxi_did_you_mean(name, COUNT, preset_name, NULL);
    if (near) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "unknown material preset '%s', did you mean '%s'?", name, near);
    }
    return phxi_fail(PHX_ERROR_ARGUMENT, "unknown material preset '%s', expected one of %d, such as '%s' or '%s'", name,
                     COUNT, presets[0].name, presets[COUNT - 1].name);
}
