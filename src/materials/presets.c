// SPDX-License-Identifier: MIT
// Materials with real values. One line of `source` for each says who measured or lists what, and which number is an
// assumption. Papers were read as abstracts; textbooks, standards and manuals as reproduced in tables of others (see
// docs/guide/materials.md). Where not even that was at hand it says "commonly quoted" and gives the range.
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

// What presets do not say: the defaults of the table in material.c (a test compares).
#define UNSAID_BUT_TENSION                                                                                             \
    .bound = 0.1, .mooney = 0.25, .plastic_limit = 10, .strength_noise = 0.05, .solid_viscosity = 1e5,                 \
    .jump_scale = 1, .saturation = 0.1, .soften_from = INFINITY, .soften_to = INFINITY, .soften_left = 0.01,           \
    .stamp = PHXI_MATERIAL_STAMP
#define UNSAID     UNSAID_BUT_TENSION, .tension = -1
#define NO_FLOW    .consistency = 100, .flow_index = 0.5, .yield_stress = 100, .yield_stress_liquid = -1, .jump_solid = 2e4
#define NO_MELTING .solidus = INFINITY, .liquidus = INFINITY
#define NO_HEAT    .heat_capacity = 1000, NO_MELTING

#define SOLID(rho, e, nu, which) UNSAID, .density = rho, .young = e, .poisson = nu, .law = which
#define DEF(rho, e, nu, which)                                                                                         \
    { SOLID(rho, e, nu, which), NO_FLOW, NO_HEAT }
#define PLASTIC(rho, e, nu, which, y, rate)                                                                            \
    { SOLID(rho, e, nu, which), NO_FLOW, NO_HEAT, .yield = y, .creep = rate }
#define HEAT(k, c) .conductivity = k, .heat_capacity = c
// Strength and toughness G: cracks of bodies that can break grow at sqrt(E G). Sound of such bodies is slowed.
// `sound`: that they are computed with where they break, m/s; they then bear a strain of about a tenth at a spacing of
// 2 mm.
#define SLOWED                                                                                                         \
    " Softened where it breaks: at its own speed of sound it would take a million explicit steps a second, so sound "  \
    "is slowed k times (sound_limit), strength falls k^(4/5) times and toughness grows k^(2/5) times (slowed_for: "    \
    "blows): the force of a blow over what it bears is the same for falls at a few m/s on round parts, and weights "   \
    "far below the strength."
#define LINEAR                                                                                                         \
    " Its law is corotated: it does not stiffen where it is stretched, which the real one, at strains of a "           \
    "thousandth, has no room for either, so steps stay long when it lies in pieces."
#define BRITTLE(rho, e, nu, which, heat, pascals, g, sound)                                                            \
    {                                                                                                                  \
        SOLID(rho, e, nu, which), NO_FLOW, heat, NO_MELTING, .strength = pascals, .toughness = g,                      \
                                                             .sound_limit = sound, .slowed_for = PHX_SLOWED_FOR_BLOWS  \
    }
#define FLUID(rho) SOLID(rho, 1e5, 0.3, PHX_LAW_STVK), .fluid = true
// Flow jump with n = 1: yield stress of the solid and the liquid, rate g where the liquid's stress is twice that, jump
// numbers. The liquid has (J + 1) liquid / g at rest and liquid / g when it flows fast.
#define JUMP(solid, liquid, rate, j_solid, j_liquid)                                                                   \
    .flow = PHX_FLOW_JUMP, .yield_stress = solid, .yield_stress_liquid = liquid, .consistency = (solid) / (rate),      \
    .flow_index = 1, .jump_solid = j_solid, .jump_liquid = j_liquid
// Sand and slime: friction angle in degrees, cohesion in Pa (of wet sand at a saturation of 0.1).
#define GRAINS(rho, e, nu, phi, c)                                                                                     \
    { SOLID(rho, e, nu, PHX_LAW_HENCKY), NO_FLOW, NO_HEAT, .friction_angle = phi, .cohesion = c }
// Yield stress, what it tears at, and by how much a second stress beyond the yield stress falls.
#define SLIME(rho, e, nu, c, tears, rate)                                                                              \
    {                                                                                                                  \
        UNSAID_BUT_TENSION, .density = rho, .young = e, .poisson = nu, .law = PHX_LAW_HENCKY, NO_FLOW, NO_HEAT,        \
                            .cohesion = c, .tension = tears, .creep = rate                                             \
    }
#define MELTS(from, to, latent) .solidus = from, .liquidus = to, .latent_heat = latent

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
    {"dough",
     "wheat flour dough: springs for a moment, flows within a second",
     "Dough relaxes as a power law, a critical gel (Ng, McKinley and Padmanabhan, Linear to non-linear rheology of "
     "wheat "
     "flour dough, 2006). Shear modulus after 1 s: commonly quoted 5 to 20 kPa, 10 kPa taken, E = 3 G. Density 1200 "
     "kg/m^3 commonly quoted; nu assumed, below 0.5 for its air (Wang, Dai and Tanner, 2006). "
     "Yield and creep assumed: one relaxation time of 0.25 s above a strain of 1 % stands for the power law, so that "
     "what is dropped or pressed stays so. Damping 60/s: its loss tangent of 0.3 to 0.5 (commonly quoted) at the 25 Hz "
     "of a lump of 10 cm.",
     {SOLID(1200, 3.0e4, 0.45, PHX_LAW_NEO_HOOKEAN_BOUNDED), NO_FLOW, NO_HEAT, .yield = 0.01, .creep = 4,
      .damping = 60}},
    {"clay", "very soft wet clay, undrained",
     "US Army Corps of Engineers, EM 1110-1-1904 Settlement Analysis: very soft clay 5 to 50 tsf (0.5 to 4.8 MPa); 1 "
     "MPa taken, nearer its soft end, where explicit substeps are large enough to show how it is dented. nu: "
     "Lambe and Whitman, Soil Mechanics (1969): 0.4 to 0.5 undrained. Density 1700 kg/m^3 commonly quoted for soft "
     "clay. Yield: undrained shear strength of very soft clay below 12 kPa (Terzaghi and Peck, commonly quoted), over "
     "sqrt(2) mu: 0.025.",
     PLASTIC(1700, 1.0e6, 0.45, PHX_LAW_COROTATED, 0.025, 0)},
    {"wax",
     "paraffin wax: a solid that melts near 57 C to a thin liquid",
     "Young's modulus: range of several sources, 50 to 300 MPa by grade and temperature (commonly quoted, no original "
     "consulted); 100 MPa taken. Density 900 kg/m^3 commonly quoted; nu assumed. Heat: melts between 46 and 68 C by "
     "grade, 2.14 to 2.9 kJ/(kg K), heat of fusion 200 to 220 kJ/kg (encyclopedias; five technical waxes are measured "
     "in "
     "Ukrainczyk, Kurajica and Sipusic, Chem. Biochem. Eng. Q. 24 (2010)), 0.2 to 0.4 W/(m K) (a maker of waxes). "
     "Liquid: 5 mPa s commonly quoted. The solid's yield stress of 100 kPa and 10 MPa s at rest are assumed: enough "
     "to stand and to fall off a table, below a real solid's MPa.",
     {SOLID(900, 1.0e8, 0.4, PHX_LAW_COROTATED), JUMP(1e5, 1, 200, 2e4, 0), HEAT(0.24, 2400), MELTS(55, 60, 2.1e5)}},
    {"chocolate",
     "milk chocolate, tempered: melts in the hand",
     "Liquid: Bergemann, Heil, Smith and Juel, From elastic deformation to flow in tempered chocolate, J. Rheology 62 "
     "(2018): Bingham, 36.1 Pa and 8.7 Pa s (30 % fat). Heat: Beckett, Industrial Chocolate Manufacture and Use, 4th "
     "ed. "
     "(2009), useful physical constants: 0.26 W/(m K) at 35 C, 1590 J/(kg K) from 15 to 40 C, 44 kJ/kg. Melting from "
     "28 to 34 C and 1300 kg/m^3 commonly quoted. Young's modulus, nu, the solid's yield stress of 100 kPa and 24 MPa "
     "s at rest are assumed: enough to fall off a table.",
     {SOLID(1300, 1.0e8, 0.4, PHX_LAW_COROTATED), JUMP(1e5, 36.1, 4.15, 1000, 100), HEAT(0.26, 1590),
      MELTS(28, 34, 4.4e4)}},
    {"lava",
     "basaltic lava, as of Hawaii or Etna",
     "Viscosity of basalts 10 to 100 Pa s (Kilauea), 100 to 1000 Pa s (Stromboli): lectures of Vergniolle, Michigan "
     "Tech, "
     "2007; 100 Pa s taken. 2600 kg/m^3, 1150 J/(kg K), 350 kJ/kg, 1.5 W/(m K), solidus about 980 C and liquidus about "
     "1200 C commonly quoted. Young's modulus of the rock 50 GPa and nu 0.25 commonly quoted. Yield stress 100 Pa of "
     "the "
     "melt, 100 kPa of the rock and its 1 GPa s at rest are assumed: blocks up to several metres stand.",
     {SOLID(2600, 5.0e10, 0.25, PHX_LAW_STVK), JUMP(1e5, 100, 1, 1e4, 0), HEAT(1.5, 1150), MELTS(980, 1200, 3.5e5)}},
    {"sand", "dry loose quartz sand; stiffness softened 300 times",
     "Friction angle of loose sand 25 to 33 degrees and 1500 kg/m^3 commonly quoted; nu 0.25 to 0.35: Lambe and "
     "Whitman, "
     "Soil Mechanics (1969). Softened: loose sand has 10 to 28 MPa (Das, Principles of Foundation Engineering, as "
     "quoted "
     "in tables of others), which asks for 180 000 substeps a second of grains of 2 mm. Where it flows and rests "
     "stiffness "
     "hardly shows (run-out changes by 3 % from 0.2 to 1 MPa), so 60 kPa are taken: enough for heaps of some "
     "decimetres "
     "and speeds of 2 m/s; larger ones are warned of, with the modulus to give.",
     GRAINS(1500, 6.0e4, 0.3, 30, 0)},
    {"wet_sand", "the same sand with a little water: stands in cuts; softened as sand is",
     "As sand, with 3 % of water by weight. Richefeu, El Youssoufi and Radjai, Shear strength properties of wet "
     "granular materials, Phys. Rev. E 73 (2006): cohesion grows with water and then stays; its size, several hundred "
     "Pa for fine sand, is commonly quoted, 600 Pa taken. It stands in vertical cuts up to 0.27 m.",
     GRAINS(1550, 6.0e4, 0.3, 30, 600)},
    {"slime", "stiff slime that keeps its shape below a yield stress",
     "All assumed, of the order of gels that are made of glue and borax: shear modulus 5 kPa, yield stress 300 Pa, 20 "
     "Pa s beyond it (creep 250/s), 1000 kg/m^3; it tears at 3 kPa, far below a gel that cannot boil. Softened: a bulk "
     "modulus of 60 kPa instead of the 2 GPa of water, which asks for 180 times more substeps; what falls 10 cm is as "
     "high afterwards as with 200 kPa, to 3 %.",
     SLIME(1000, 14594.6, 0.459459, 300, 3000, 250)},
    {"snow",
     "fresh snow that can be packed",
     "Stomakhin, Schroeder, Chai, Teran and Selle, A material point method for snow simulation, ACM Trans. Graphics 32 "
     "(2013), table 2 and section 5: 400 kg/m^3, 100 kPa (there 48 to 140), nu 0.2, critical compression 0.025: chosen "
     "there for the look of it, far softer than snow of that density is. Critical stretch 0.002 (there 0.0075): what "
     "hits the ground at 6 "
     "m/s falls apart. Packing 5 (there 5 to 10): the stiffest particles, which bound the substep, "
     "become 7 times as "
     "stiff as fresh snow; at 7 it would be 16 times.",
     {SOLID(400, 1.0e5, 0.2, PHX_LAW_COROTATED), NO_FLOW, NO_HEAT, .critical_compression = 0.025,
      .critical_stretch = 0.002, .packing = 5}},
    {"honey",
     "runny honey at 20 C",
     "Newtonian. 7 Pa s at 30 C and 16 % water, 40 Pa s at 25 C and 14 % (encyclopedias); 10 Pa s at 20 C, 1420 kg/m^3 "
     "and 2.3 kJ/(kg K) commonly quoted for 18 %. 0.5 W/(m K) at 13 % water (encyclopedias). A fluid alone: its "
     "elastic "
     "constants mean nothing.",
     {FLUID(1420), .viscosity = 10, .consistency = 100, .flow_index = 0.5, .yield_stress = 100,
      .yield_stress_liquid = -1, .jump_solid = 2e4, HEAT(0.5, 2300), NO_MELTING}},
    {"water",
     "water at 20 C",
     "Any handbook: 998.2 kg/m^3, 1.002 mPa s, 0.598 W/(m K), 4182 J/(kg K). Freezing is left out. A fluid alone: its "
     "elastic constants mean nothing.",
     {FLUID(998.2), .viscosity = 1.002e-3, .consistency = 100, .flow_index = 0.5, .yield_stress = 100,
      .yield_stress_liquid = -1, .jump_solid = 2e4, HEAT(0.598, 4182), NO_MELTING}},
    {"toothpaste",
     "toothpaste: stands on the brush, flows when squeezed",
     "A Herschel-Bulkley fluid (Steffe, Rheological Methods in Food Process Engineering (1996), as cited in later "
     "work); "
     "yield stress 200 Pa, K = 100 Pa s^n, n = 0.4 and 1300 kg/m^3 are commonly quoted orders of magnitude and differ "
     "from brand to brand by a factor of two. Heat of half water, half glycerol assumed. A fluid alone: its elastic "
     "constants mean nothing.",
     {FLUID(1300), .flow = PHX_FLOW_HERSCHEL_BULKLEY, .consistency = 100, .flow_index = 0.4, .yield_stress = 200,
      .yield_stress_liquid = -1, .jump_solid = 2e4, HEAT(0.45, 3000), NO_MELTING}},
    {"foam", "closed-cell polyethylene foam",
     "Data sheet of Plastazote LD33: 33 kg/m^3; 40 kPa at 25 % compression (EN ISO 3386-1), a secant modulus of 160 "
     "kPa. "
     "nu = 0 as Mills and Gilchrist took for flexible foam, cited in Widdle et al., Int. J. Eng. Sci. 46 (2008).",
     DEF(33, 1.6e5, 0.0, PHX_LAW_NEO_HOOKEAN_BOUNDED)},
    {"cork",
     "natural cork, direction ignored",
     "Density: Anjos, Pereira and Rosa, Holz Roh Werkst. 66 (2008): 120 to 200 kg/m^3. E commonly quoted after Gibson, "
     "Easterling and Ashby, Proc. R. Soc. A 377 (1981): 13 to 20 MPa by direction (original not consulted); nu near 0. "
     "Restitution: what explicit steps show of a hare of 10 cm.",
     {SOLID(170, 1.5e7, 0.05, PHX_LAW_COROTATED), NO_FLOW, NO_HEAT, .restitution = 0.75}},
    {"wood",
     "Douglas fir with the modulus along its grain in every direction",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 525 kg/m^3, 13 GPa; Gere, Mechanics "
     "of "
     "Materials, 5th ed.: 11 to 13 GPa. nu 0.29 from a table of Triton College. "
     "Restitution 0.4 to 0.6 commonly quoted.",
     {SOLID(525, 1.3e10, 0.29, PHX_LAW_STVK), NO_FLOW, NO_HEAT, .restitution = 0.4}},
    {"ice", "polycrystalline ice at -16 C",
     "Gammon et al., Elastic constants of artificial and natural ice samples by Brillouin spectroscopy, J. Glaciology "
     "29 "
     "(1983): c11 13.929, c12 7.082, c13 5.765, c33 15.010, c44 3.014 GPa; their Voigt average is E = 9.3 GPa, nu = "
     "0.326. Density 917 kg/m^3, 2.2 W/(m K), 2050 J/(kg K), any handbook. Petrovic, Mechanical properties of ice and "
     "snow, J. Materials Science 38 (2003): tensile strength 0.7 to 3.1 MPa, K_Ic 50 to 150 kPa m^1/2; 1.4 MPa and 100 "
     "taken, G = K^2/E." SLOWED LINEAR,
     BRITTLE(917, 9.3e9, 0.326, PHX_LAW_COROTATED, HEAT(2.2, 2050), 1.4e6, 1.1, 20)},
    {"glass", "soda-lime float glass",
     "EN 572-1, Glass in building, basic soda-lime silicate glass products: 2500 kg/m^3, E = 70 GPa, nu = 0.2, "
     "1 W/(m K), 720 J/(kg K); characteristic bending strength 45 MPa (as quoted by Guardian, GlassTime). K_Ic 0.7 to "
     "0.8 MPa m^1/2 commonly quoted, 0.75 taken, G = K^2/E." SLOWED,
     BRITTLE(2500, 7.0e10, 0.2, PHX_LAW_STVK, HEAT(1, 720), 4.5e7, 8, 30)},
    {"concrete", "hardened concrete in compression",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1 (high strength): 2320 kg/m^3, 30 GPa; "
     "Gere, Mechanics of Materials, 5th ed.: 17 to 31 GPa, nu 0.1 to 0.2. fib Model Code 2010: G_F = 73 f_cm^0.18 N/m, "
     "140 J/m^2 for f_cm = 38 MPa (as commonly quoted). EN 1992-1-1 table 3.1, C30/37: 30 MPa in compression, 2.9 MPa "
     "in "
     "tension. The latter is what large bodies bear: cracks come to it over E G/f^2, half a metre, and in smaller ones "
     "their energy decides, which a strength of 2.9 MPa would understate a hundred times at a spacing of 2 mm. So the "
     "strength is that in compression, and toughness lowers it. Both are for blows, 1.34 times those of slow loads: "
     "fib "
     "Model Code 2010, 5.1.11.2, tension at 10/s, (10/1e-6)^0.018, which is the rate at which a fall of 20 cm strains "
     "10 "
     "cm of it (0.001 within 0.1 ms): 40 MPa, 190 J/m^2; at a spacing of 2 cm 12.7 MPa, 3.4 MPa at 0.28 m." SLOWED
         LINEAR,
     BRITTLE(2320, 3.0e10, 0.15, PHX_LAW_COROTATED, .heat_capacity = 1000, 4e7, 190, 75)},
    {"plaster", "cast gypsum, dry",
     "Mechanical properties of cast gypsum, part 3 (abstract, discovery.researcher.life): E about 1e5 kg/cm^2, dry "
     "compressive strength above 300 kg/cm^2, tensile strength 3 to 10 % of it; 9.8 GPa and 2 MPa taken. K_Ic 0.14 MPa "
     "m^1/2 and 1200 kg/m^3 commonly quoted (Vekinis, Ashby and Beaumont, J. Materials Science 28 (1993) have both by "
     "porosity), G = K^2/E; nu assumed." SLOWED LINEAR,
     BRITTLE(1200, 9.8e9, 0.2, PHX_LAW_COROTATED, .heat_capacity = 1000, 2e6, 2, 25)},
    {"bone",
     "bone in compression, direction ignored",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 1900 kg/m^3, 9 GPa in compression. "
     "nu and restitution assumed.",
     {SOLID(1900, 9.0e9, 0.3, PHX_LAW_STVK), NO_FLOW, NO_HEAT, .restitution = 0.4}},
    {"lead",
     "soft lead at room temperature",
     "11340 kg/m^3, 16 GPa, nu 0.44 and a yield stress of 5 to 18 MPa are commonly quoted, 12 MPa taken: times "
     "sqrt(2/3) (1 + nu) / E gives 0.00088. Its creep is left out. 29e-6/K: any handbook. Restitution assumed: it is "
     "dented.",
     {SOLID(11340, 1.6e10, 0.44, PHX_LAW_STVK), NO_FLOW, NO_HEAT, .expansion = 2.89e-5, .yield = 0.00088,
      .restitution = 0.05}},
    {"aluminium",
     "aluminium alloy 6061-T6",
     "Gere, Mechanics of Materials, 5th ed.: 70 GPa, nu 0.33. Density: Halliday, Resnick and Walker, Fundamentals of "
     "Physics, 5th ed., table 13-1: 2710 kg/m^3. 167 W/(m K) and 896 J/(kg K) commonly quoted. "
     "23.6e-6/K (20 to 100 C): ASM data sheet of 6061-T6. Restitution assumed.",
     {SOLID(2710, 7.0e10, 0.33, PHX_LAW_STVK), NO_FLOW, HEAT(167, 896), NO_MELTING, .expansion = 2.36e-5,
      .restitution = 0.5}},
    {"steel",
     "structural steel (ASTM A36)",
     "Halliday, Resnick and Walker, Fundamentals of Physics, 5th ed., table 13-1: 7860 kg/m^3, 200 GPa; Gere, "
     "Mechanics of Materials, 5th ed.: 190 to 210 GPa, nu 0.27 to 0.30. 50 W/(m K) and 490 J/(kg K) commonly quoted. "
     "11.7e-6/K: Gere, Mechanics of Materials, 5th ed., structural steel 12e-6; any data sheet of A36. "
     "Restitution 0.6 to 0.7 commonly quoted for blows of a few m/s that dent it a little.",
     {SOLID(7860, 2.0e11, 0.29, PHX_LAW_STVK), NO_FLOW, HEAT(50, 490), NO_MELTING, .expansion = 1.17e-5,
      .restitution = 0.6}},
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
