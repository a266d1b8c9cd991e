// SPDX-License-Identifier: MIT
/// Runs to look at: every body drawn as what it is. Solids by their skin, liquids by a smooth surface, sand and snow as
/// grains, rods as tubes, cloth as sheets, broken bodies by their cracks.
#pragma once

#include <phyxel/render.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a body is drawn (scene key `draw`).
typedef enum phx_draw {
    PHX_DRAW_AUTO,   ///< as its material and method ask for
    PHX_DRAW_SKIN,   ///< the mesh or shape it was made of, carried by its particles
    PHX_DRAW_LIQUID, ///< a smooth surface around its particles
    PHX_DRAW_GRAINS, ///< stones
    PHX_DRAW_TUBE,   ///< a rod: a tube through its particles
    PHX_DRAW_SHEET,  ///< cloth: a sheet through its particles
    PHX_DRAW_POINTS, ///< its particles, as balls
} phx_draw;

/// A run of which pictures, surfaces or exports are made.
typedef struct phx_show phx_show;
typedef struct phx_show_def {
    const char* run;         ///< a run's folder, its frames.pvd, a folder of frames, or one file
    int draw;                ///< phx_draw of all bodies; auto: of each its own
    bool all;                ///< also bodies that the scene does not show
    const char* const* hide; ///< names of bodies to leave out
    int hide_count;
    int threads; ///< 0: one per processor
    bool bare;   ///< surfaces of liquids have no fields but those that looks need; faster
    double cell; ///< edge of the cells that surfaces of liquids are made of, in spacings, 0.25 to 1; 0.5
    uint32_t stamp;
} phx_show_def;
PHX_API phx_show_def phx_show_def_default(void);
PHX_API phx_result phx_show_open(const phx_show_def* def, phx_show** show);
PHX_API void phx_show_close(phx_show* show);               ///< NULL is fine
PHX_API const char* phx_show_folder(const phx_show* show); ///< of the run
PHX_API int phx_show_count(const phx_show* show);
PHX_API double phx_show_time(const phx_show* show, int frame); ///< s
PHX_API int phx_show_body_count(const phx_show* show);
PHX_API const char* phx_show_body_name(const phx_show* show, int body);
PHX_API phx_draw phx_show_body_draw(const phx_show* show, int body);
/// Points that another program made, in a file or folder that says nothing of bodies, are drawn as balls unless asked
/// otherwise: how far apart they are (the median distance to the nearest other one of the first frame), m. 0: no such.
PHX_API double phx_show_cloud_spacing(phx_show* show);

/// Particles of a frame, of the bodies that are shown. The caller destroys it.
PHX_API phx_result phx_show_particles(phx_show* show, int frame, phx_frame** particles);
/// What is drawn of a frame: parts of bodies, and what is in their way. They are valid until the next call.
PHX_API phx_result phx_show_parts(phx_show* show, int frame, const phx_part** parts, int* count);

/// Name of the body that part i of the last frame is of; "obstacles" for what is in their way.
PHX_API const char* phx_show_part_name(const phx_show* show, int part);
/// The bodies of a frame, all parts in one, with the fields of each. The caller destroys it.
PHX_API phx_result phx_show_surface(phx_show* show, int frame, phx_frame** surface);

/// Where pictures are taken, the same for all frames of a film.
typedef struct phx_stage {
    const char* name;            ///< "studio", "sky" or "dark", by what is drawn
    bool floor;                  ///< whether there is one
    double floor_height, radius; ///< m; of the action
    bool has_camera;             ///< the scene has one
    phx_camera camera;
} phx_stage;
/// `aspect`: width over height. `from`: look from this direction; NULL: as the scene says, or as usual. Looks at
/// `frames` of the run (NULL: all), all particles or, of liquids and grains, 98 in 100 of them.
PHX_API phx_result phx_show_stage(phx_show* show, const int* frames, int count, double aspect, const phx_vec3* from,
                                  phx_stage* stage);

#ifdef __cplusplus
}
#endif
