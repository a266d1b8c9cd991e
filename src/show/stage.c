// SPDX-License-Identifier: MIT
// Floor, light and camera of a run, from all of its frames at once, so that nothing of it moves in a film.
#include "show/show.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BINS = 4096 };

/// Where the action is: of each frame the box without what flies off, all of them together.
typedef struct extent {
    phx_vec3 low, high;
    int* bins; // of the histogram along one axis
} extent;

static bool flows(const phx_show* show, int body) {
    int draw = show->bodies.items[body].draw;
    return draw == PHX_DRAW_LIQUID || draw == PHX_DRAW_GRAINS;
}

static bool any_flows(const phx_show* show) {
    bool any = show->bodies.count == 0;
    for (int i = 0; i < show->bodies.count; ++i) {
        any = any || (!show->bodies.items[i].hidden && flows(show, i));
    }
    return any;
}

static const char* choose_light(const phx_show* show) {
    bool grains = show->bodies.count > 0;
    for (int i = 0; i < show->bodies.count; ++i) {
        const phxi_shown_body* body = &show->bodies.items[i];
        if (!body->hidden && body->look.glow_full > body->look.glow_from) {
            return "dark";
        }
        grains = grains && (body->hidden || body->draw == PHX_DRAW_GRAINS);
    }
    return grains ? "sky" : "studio";
}

/// Takes one in a hundred of the points of a frame off each end of the range along an axis.
static void cut_axis(int* bins, const phx_frame* frame, int axis, double* low, double* high) {
    double width = (*high - *low) / BINS;
    if (!(width > 0)) {
        return;
    }
    memset(bins, 0, BINS * sizeof *bins);
    int count = 0;
    for (int i = 0; i < frame->points; ++i) {
        double at = (frame->positions[3 * (size_t)i + (size_t)axis] - *low) / width;
        if (at >= 0 && at <= BINS) { // false of what is not a number
            ++bins[at < BINS ? (int)at : BINS - 1];
            ++count;
        }
    }
    int first = 0, last = BINS - 1, left_out = count / 100;
    for (int below = bins[0]; first < last && below <= left_out; below += bins[first]) {
        ++first;
    }
    for (int above = bins[last]; last > first && above <= left_out; above += bins[last]) {
        --last;
    }
    *high = *low + (last + 1) * width;
    *low += first * width;
}

/// Drops and splinters that fly off do not move the camera: one in a hundred on each side of each frame is left out.
/// (One in a hundred of all frames together would cut off a jet that is there for a few of them.)
static void add_frame(extent* e, const phx_frame* frame, bool flowing) {
    phx_vec3 low = {1, 1, 1}, high = {-1, -1, -1};
    phx_frame_bounds(frame, &low, &high);
    if (low.x > high.x) {
        return;
    }
    if (flowing) {
        cut_axis(e->bins, frame, 0, &low.x, &high.x);
        cut_axis(e->bins, frame, 1, &low.y, &high.y);
        cut_axis(e->bins, frame, 2, &low.z, &high.z);
    }
    bool empty = e->low.x > e->high.x;
    e->low = empty ? low : phxi_min(e->low, low);
    e->high = empty ? high : phxi_max(e->high, high);
}

/// Frames that cannot be read are passed over: whoever draws them says so.
static phx_result find_extent(phx_show* show, const int* frames, int count, extent* e) {
    bool flowing = any_flows(show);
    *e = (extent){{1, 1, 1}, {-1, -1, -1}, phxi_alloc_zero(&show->heap, BINS, sizeof *e->bins, "stage")};
    if (!e->bins) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        phx_frame* frame = NULL;
        if (phx_show_particles(show, frames ? frames[i] : i, &frame) == PHX_OK) {
            add_frame(e, frame, flowing);
        }
        phx_frame_destroy(frame);
    }
    phxi_free(&show->heap, e->bins);
    if (e->low.x > e->high.x) {
        e->low = e->high = (phx_vec3){0, 0, 0};
    }
    return PHX_OK;
}

/// Obstacles belong to the picture, unless they are so large that the bodies would be lost among them.
static void add_obstacles(const phx_show* show, extent* e) {
    phx_frame* frame = NULL;
    phx_vec3 low = e->low, high = e->high;
    if (show->colliders && phx_frames_read(show->colliders, 0, &frame) == PHX_OK) {
        phx_frame_bounds(frame, &low, &high);
        if (phxi_distance(low, high) < 2.5 * phxi_distance(e->low, e->high)) {
            e->low = low;
            e->high = high;
        }
    }
    phx_frame_destroy(frame);
}

static void find_floor(const phx_show* show, const extent* e, phx_stage* stage) {
    double height = INFINITY;
    for (int i = 0; i < show->walls.count; ++i) {
        const phx_plane* wall = &show->walls.items[i];
        height = wall->normal.z > 0.999 ? fmin(height, wall->point.z) : height;
    }
    stage->floor = true;
    stage->floor_height = isfinite(height) ? height : e->low.z;
}

/// eye, target, up, field of view: what the scene says (io/run_look.h).
static bool read_camera(const phx_show* show, phx_camera* camera) {
    char path[2100];
    snprintf(path, sizeof path, "%.2000s/camera.txt", show->folder);
    FILE* file = fopen(path, "r");
    phx_camera c;
    bool good = file && fscanf(file, "eye %lf %lf %lf target %lf %lf %lf up %lf %lf %lf field_of_view %lf", &c.eye.x,
                               &c.eye.y, &c.eye.z, &c.target.x, &c.target.y, &c.target.z, &c.up.x, &c.up.y, &c.up.z,
                               &c.field_of_view) == 10;
    if (file) {
        fclose(file);
    }
    if (good) {
        *camera = c;
    }
    return good;
}

phx_result phx_show_stage(phx_show* show, const int* frames, int count, double aspect, const phx_vec3* from,
                          phx_stage* stage) {
    PHXI_NEED(show && stage);
    if (!show || !stage || !(aspect > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a stage needs a show, a place and a width over height above 0");
    }
    extent e;
    PHXI_TRY(find_extent(show, frames, frames ? count : phx_show_count(show), &e));
    *stage = (phx_stage){.name = choose_light(show)};
    find_floor(show, &e, stage);
    stage->radius = fmax(0.5 * phxi_distance(e.low, e.high), 1e-6);
    add_obstacles(show, &e);
    stage->camera = phx_camera_framing(e.low, e.high, from ? *from : (phx_vec3){0.45, -0.75, 0.35}, aspect);
    stage->has_camera = !from && read_camera(show, &stage->camera);
    return PHX_OK;
}
