// SPDX-License-Identifier: MIT
// Heat in a particle: specific enthalpy H = c T + L u(T), from 0 degrees C on, u the molten share from 0 at the solidus
// to 1 at the liquidus (docs/theory/melting.md (1)). H is the state, T follows by the inverse, which has three pieces.
//
// H is kept as two numbers of state precision whose sum it is: a part too small for a float is not lost.
#pragma once

#include "particles/particles.h"

typedef struct phxi_heat_law {
    double capacity, per_capacity; // J/(kg K), and its inverse
    double solidus, liquidus;      // degrees C, or infinite
    double solid, liquid;          // J/kg at these
    double per_melting;            // kg K/J between them
} phxi_heat_law;

phxi_heat_law phxi_heat_law_of(const phx_material_def* material);

static inline double phxi_enthalpy_at(const phxi_heat_law* law, double temperature) {
    if (!(temperature > law->solidus)) {
        return law->capacity * temperature;
    }
    return temperature < law->liquidus ? law->solid + (temperature - law->solidus) / law->per_melting
                                       : law->liquid + law->capacity * (temperature - law->liquidus);
}

static inline double phxi_temperature_at(const phxi_heat_law* law, double enthalpy) {
    if (!(enthalpy > law->solid)) {
        return enthalpy * law->per_capacity;
    }
    return enthalpy < law->liquid ? law->solidus + (enthalpy - law->solid) * law->per_melting
                                  : law->liquidus + (enthalpy - law->liquid) * law->per_capacity;
}

static inline double phxi_enthalpy_get(const phxi_particles* p, int i) {
    return (double)p->enthalpy[i] + (double)p->enthalpy_low[i];
}
/// Enthalpy and temperature of a particle.
static inline void phxi_enthalpy_set(phxi_particles* p, int i, const phxi_heat_law* law, double enthalpy) {
    p->enthalpy[i] = (phx_real)enthalpy;
    p->enthalpy_low[i] = (phx_real)(enthalpy - (double)p->enthalpy[i]);
    p->temperature[i] = (phx_real)phxi_temperature_at(law, enthalpy);
}
