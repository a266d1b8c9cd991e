// SPDX-License-Identifier: MIT
// How a surface sends light on. Opaque ones: Lambert's law under a layer that reflects by the microfacets of GGX
// (Walter et al. 2007), or microfacets of metal alone. Clear ones: the same microfacets, each a mirror or a window.
// Directions are unit vectors away from the surface; facets are chosen among those that can be seen (Heitz 2018).
#pragma once

#include "render/f3.h"
#include "render/look.h"

/// A place on an opaque surface.
typedef struct phxi_coat {
    phxi_f3 normal, color;
    phxi_f3 edge;  // reflection straight on (F0)
    float alpha;   // width of the microfacets
    float diffuse; // share of what is not metal
    float gloss;   // how often a sample reflects instead of scattering
    float through; // what passes the layer on the way in, seen from the eye
} phxi_coat;

/// `out`: towards the eye. `first`: what the eye sees directly is sampled more evenly.
phxi_coat phxi_coat_make(const phxi_surface_look* look, phxi_f3 color, phxi_f3 normal, phxi_f3 out, bool first);
/// Light from `in` that goes to `out`, times the cosine, and how likely phxi_coat_sample chooses it.
phxi_f3 phxi_coat_at(const phxi_coat* coat, phxi_f3 out, phxi_f3 in, float* density);
/// A direction to look for light, and what that light is multiplied by.
phxi_f3 phxi_coat_sample(const phxi_coat* coat, phxi_f3 out, float choice, float a, float b, phxi_f3* in,
                         float* density);

/// Share that is reflected where light meets a clear body at this cosine; eta: index outside over index inside.
/// `refracted`: cosine on the other side (0 where all is reflected).
float phxi_fresnel(float cosine, float eta, float* refracted);
/// The normal of a microfacet that is seen from `out`.
phxi_f3 phxi_facet(phxi_f3 normal, phxi_f3 out, float alpha, float a, float b);
phxi_f3 phxi_reflect(phxi_f3 out, phxi_f3 normal);
/// Around a normal, by the cosine.
phxi_f3 phxi_cosine_direction(phxi_f3 normal, float a, float b);

static inline float phxi_alpha(float roughness) {
    return fmaxf(roughness * roughness, 1e-3f);
}
