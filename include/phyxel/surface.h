// SPDX-License-Identifier: MIT
/// Surfaces of particles: reconstruction of anything, skinning of the mesh a solid was made from, cracks, splats.
#pragma once

#include <phyxel/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_surface_def {
    double spacing;   ///< m; distance between particles; 0: from the field "spacing" or the mean distance
    double radius;    ///< kernel radius, in spacings; 2
    double cell;      ///< edge of a cell of the grid, in spacings; 0.5
    double iso;       ///< level of the characteristic function; 0.5
    bool anisotropic; ///< smooth with kernels stretched along the surface (Yu and Turk); false
    int smoothing;    ///< rounds of smoothing of the mesh; 0
    int threads;      ///< 0: one per processor
    phx_allocator allocator;
    uint32_t stamp;
} phx_surface_def;
PHX_API phx_surface_def phx_surface_def_default(void);

typedef struct phx_surface_times { ///< s of one reconstruction, for the benchmark
    double density, sampling, triangulation, attributes, total;
    int cells;  ///< crossed by the surface
    int blocks; ///< of 15^3 cells, sampled
} phx_surface_times;

/// Triangles around the points of a frame, closed, with the field "normal" and all of its fields interpolated.
/// `times` may be NULL. No points: no triangles.
PHX_API phx_result phx_surface_reconstruct(const phx_frame* points, const phx_surface_def* def, phx_frame** surface,
                                           phx_surface_times* times);

typedef struct phx_plane {
    phx_vec3 point, normal; ///< m; unit, towards the free side
} phx_plane;

typedef struct phx_liquid_def {
    double spacing;          ///< m; distance between particles; 0: from the field "spacing" or the mean distance
    double cell;             ///< edge of a cell of the grid, in spacings, 0.25 to 1; 0.5
    double ball;             ///< radius of a lone particle, in spacings; 0.75 (phx_liquid_fit finds the right one)
    double close;            ///< gaps narrower than twice this are closed, in spacings, at most 4 cells; 0.75
    double volume;           ///< m^3, which the surface holds to about 2 %; 0: as it comes
    int smoothing;           ///< rounds of smoothing of the mesh; 12
    const phx_plane* planes; ///< that the liquid lies against and does not pass; NULL: none
    int plane_count;
    const phx_frame* solids; ///< closed triangles, likewise; NULL: none
    int threads;             ///< 0: one per processor
    phx_allocator allocator;
    uint32_t stamp;
} phx_liquid_def;
PHX_API phx_liquid_def phx_liquid_def_default(void);
/// The surface of a liquid: smooth and closed, without cavities between particles, flat where it touches solids.
/// Triangles with the field "normal" and all fields of the points interpolated. No points: no triangles.
PHX_API phx_result phx_liquid_surface(const phx_frame* points, const phx_liquid_def* def, phx_frame** surface);
/// The `ball` with which the surface encloses this volume (m^3) to 1 %. Fit one frame and keep it for the film.
PHX_API phx_result phx_liquid_fit(const phx_frame* points, const phx_liquid_def* def, double volume, double* ball);

/// A mesh bound to particles at rest.
typedef struct phx_skin phx_skin;
typedef enum phx_skin_kind { PHX_SKIN_MLS, PHX_SKIN_BARYCENTRIC } phx_skin_kind;
typedef struct phx_skin_def {
    const phx_mesh* mesh;       ///< where it was when the particles were made from it
    const phx_frame* particles; ///< with fields "rest" and "deformation"; any frame of the run
    int body;                   ///< only particles whose field "body" has this value; -1: all
    int kind;                   ///< phx_skin_kind; mls
    double radius;              ///< in spacings; 2
    phx_allocator allocator;
    uint32_t stamp;
} phx_skin_def;
PHX_API phx_skin_def phx_skin_def_default(void);
PHX_API phx_result phx_skin_create(const phx_skin_def* def, phx_skin** skin);
PHX_API void phx_skin_destroy(phx_skin* skin);
/// The mesh as carried by the particles of this frame: triangles with the field "normal" and all fields interpolated.
PHX_API phx_result phx_skin_apply(const phx_skin* skin, const phx_frame* particles, phx_frame** surface);

/// The surface of bodies that can break, with their cracks: the pieces of the bodies' own meshes and both sides of
/// every open crack. It is closed around every fragment and, before smoothing, encloses exactly its particles' volume.
typedef struct phx_crack_surface phx_crack_surface;
typedef struct phx_crack_surface_def {
    bool smooth;        ///< draw crack faces onto the planes of the cracks; true
    const char* fields; ///< of the world, space-separated, to be interpolated; NULL: none
    phx_allocator allocator;
    uint32_t stamp;
} phx_crack_surface_def;
PHX_API phx_crack_surface_def phx_crack_surface_def_default(void);
/// For all bodies of the world that can break; PHX_ERROR_UNSUPPORTED if there is none. The world must outlive it. What
/// depends on the cracks is kept from frame to frame and rebuilt only when they change.
PHX_API phx_result phx_crack_surface_create(const phx_world* world, const phx_crack_surface_def* def,
                                            phx_crack_surface** surface);
PHX_API void phx_crack_surface_destroy(phx_crack_surface* surface);
/// The surface as carried by the particles now: triangles with the fields "normal" (flat on cracks, smooth on the
/// mesh), "body", "fragment" (number within the body), "inner" (1 on cracks), and those of the definition.
PHX_API phx_result phx_crack_surface_frame(phx_crack_surface* surface, phx_frame** frame);

/// Oriented discs at the points near the surface: a frame of points with fields "normal" and "radius" added, without
/// the inner points.
PHX_API phx_result phx_surface_splats(const phx_frame* points, const phx_surface_def* def, phx_frame** splats);

#ifdef __cplusplus
}
#endif
