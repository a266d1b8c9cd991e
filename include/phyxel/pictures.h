// SPDX-License-Identifier: MIT
/// Pictures, contact sheets and films of runs: one stage, one camera and one range of colours for all of their frames.
#pragma once

#include <phyxel/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Pictures of a run, or of several side by side at the same instants.
typedef struct phx_pictures phx_pictures;
typedef struct phx_pictures_def {
    const char* const* runs; ///< each as phx_show_def.run
    int run_count;           ///< 1 to 16
    phx_show_def show;       ///< how their bodies are shown; `run` is not looked at
    phx_render_def render;   ///< 1280x720 of film quality. `stage` NULL, `low` = `high`: as the runs ask for
    bool own_camera;         ///< take `render.camera` (its field of view 0: the usual one); false: see the whole motion
    bool own_floor;          ///< take `render.floor` and its height; false: as the runs ask for
    const phx_vec3* from;    ///< look from this direction; NULL: as the scene says, or as usual

    // Which frames, of the run that has the most; of the others those nearest in time.
    int frame;           ///< only this one; -1: all
    int every;           ///< only every n-th; 1
    double first, last;  ///< only those from and up to these times, s; -HUGE_VAL, HUGE_VAL
    const double* times; ///< only those nearest to these, in this order; NULL
    int time_count;
    int most; ///< no more than this many, evenly spaced; 0: all

    /// Draws a run's picture in place of phx_render_parts, as wide as phx_render_view_width; false: it cannot. NULL:
    /// the library draws.
    bool (*draw)(void* user, const phx_part* parts, const char* const* names, int count, const phx_render_def* def,
                 phx_image** image);
    void* user;

    uint32_t stamp;
} phx_pictures_def;
PHX_API phx_pictures_def phx_pictures_def_default(void);
/// Reads what all pictures share. Runs and what they hold are checked here, single frames when they are drawn.
PHX_API phx_result phx_pictures_open(const phx_pictures_def* def, phx_pictures** pictures);
PHX_API void phx_pictures_close(phx_pictures* pictures); ///< NULL is fine

PHX_API int phx_pictures_count(const phx_pictures* pictures);
/// Number of the frame that picture i shows, in the run that has the most.
PHX_API int phx_pictures_frame(const phx_pictures* pictures, int picture);
PHX_API double phx_pictures_time(const phx_pictures* pictures, int picture); ///< s
/// Pictures a second at which a film runs as fast as it happened, within 1 to 60.
PHX_API double phx_pictures_rate(const phx_pictures* pictures);
/// The definition that pictures are drawn with: stage, camera and range of colours in it.
PHX_API const phx_render_def* phx_pictures_render(const phx_pictures* pictures);
PHX_API const char* phx_pictures_folder(const phx_pictures* pictures); ///< of the first run
/// What picture i shows of a run. Valid until the next call; names as phx_show_part_name of phx_pictures_show.
PHX_API phx_result phx_pictures_parts(phx_pictures* pictures, int run, int picture, const phx_part** parts, int* count);
PHX_API phx_show* phx_pictures_show(phx_pictures* pictures, int run);

/// Draws picture i, all runs side by side; a run whose frame cannot be read leaves an empty place, and the picture
/// fails (PHX_ERROR_FILE, PHX_ERROR_FORMAT) where none can. The caller destroys it.
PHX_API phx_result phx_pictures_draw(phx_pictures* pictures, int picture, phx_image** image);

/// What is made of all pictures in one pass. NULL is nothing of that kind.
typedef struct phx_pictures_out {
    const char* folder;  ///< frame_00012.png for each; exists
    const char* picture; ///< .png or .webp: the only one; an error if there are more
    const char* film;    ///< animated WebP
    double fps;          ///< of the film; 0: phx_pictures_rate
    const char* sheet;   ///< .png or .webp: pictures in a grid, evenly spaced in time
    int columns, rows;   ///< of the sheet
    bool bar_beside;     ///< one colour bar beside the sheet, none in its pictures
    /// After each picture. `image` NULL: it could not be drawn, `why` says it. False: stop, and keep what there is.
    bool (*seen)(void* user, int picture, phx_image* image, const char* why);
    void* user;
    uint32_t stamp;
} phx_pictures_out;
typedef struct phx_pictures_made {
    int drawn, left_out; ///< pictures
    int in_film, in_sheet;
    bool stopped; ///< by `seen`
} phx_pictures_made;
PHX_API phx_pictures_out phx_pictures_out_default(void);
/// Draws all pictures. One that cannot be drawn is left out; a film or sheet that cannot be written is an error after
/// the others are made. `made` may be NULL.
PHX_API phx_result phx_pictures_make(phx_pictures* pictures, const phx_pictures_out* out, phx_pictures_made* made);

#ifdef __cplusplus
}
#endif
