// SPDX-License-Identifier: MIT
// Floor, light and camera of a run, from all of its frames at once, so that nothing of it moves in a film.
#include "show/show.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { BINS = 4096, KEPT_POINTS = 4000000 }; // 96 MB

/// Where a share of all particles is, along three axes: a histogram over the box of the whole motion.
typedef struct extent {
    phx_vec3 low, high;
    int64_t* bins[3];
    int64_t count;
    phx_frame** kept; // frames that need not be read again
    int64_t kept_points;
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

static int bin_of(double x, double low, double high) {
    double at = high > low ? (x - low) / (high - low) * BINS : 0;
    return at < 0 ? 0 : at >= BINS ? BINS - 1 : (int)at;
}

static void add_to_bins(extent* e, const phx_frame* frame) {
    const double low[3] = {e->low.x, e->low.y, e->low.z}, high[3] = {e->high.x, e->high.y, e->high.z};
    for (int i = 0; i < frame->points; ++i) {
        const double* x = frame->positions + 3 * (size_t)i;
        if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) {
            for (int k = 0; k < 3; ++k) {
                ++e->bins[k][bin_of(x[k], low[k], high[k])];
            }
            ++e->count;
        }
    }
}

/// Drops and splinters that fly off do not move the camera: one in a hundred on each side is left out.
static void cut(extent* e) {
    double* low[3] = {&e->low.x, &e->low.y, &e->low.z};
    double* high[3] = {&e->high.x, &e->high.y, &e->high.z};
    for (int k = 0; k < 3; ++k) {
        int64_t below = 0, above = 0;
        int first = 0, last = BINS - 1;
        while (first < last && below + e->bins[k][first] < e->count / 100) {
            below += e->bins[k][first++];
        }
        while (last > first && above + e->bins[k][last] < e->count / 100) {
            above += e->bins[k][last--];
        }
        double width = (*high[k] - *low[k]) / BINS, from = *low[k];
        *low[k] = from + first * width;
        *high[k] = from + (last + 1) * width;
    }
}

/// For the second round, as long as they are small.
static bool keep(extent* e, int i, phx_frame* frame) {
    if (!e->kept || e->kept_points + frame->points > KEPT_POINTS) {
        return false;
    }
    while (frame->fields.count > 0) {
        phxi_frame_drop(frame, frame->fields.items[frame->fields.count - 1].name);
    }
    e->kept[i] = frame;
    e->kept_points += frame->points;
    return true;
}

/// Frames that cannot be read are passed over: whoever draws them says so.
static void visit_once(phx_show* show, const int* frames, int count, extent* e) {
    for (int i = 0; i < count; ++i) {
        phx_frame* frame = NULL;
        if (phx_show_particles(show, frames ? frames[i] : i, &frame) == PHX_OK) {
            phx_frame_bounds(frame, &e->low, &e->high);
            frame = keep(e, i, frame) ? NULL : frame;
        }
        phx_frame_destroy(frame);
    }
}

static void visit_again(phx_show* show, const int* frames, int count, extent* e) {
    for (int i = 0; i < count; ++i) {
        phx_frame* frame = e->kept[i];
        if (frame || phx_show_particles(show, frames ? frames[i] : i, &frame) == PHX_OK) {
            add_to_bins(e, frame);
        }
        e->kept[i] = NULL;
        phx_frame_destroy(frame);
    }
}

static phx_result find_extent(phx_show* show, const int* frames, int count, extent* e) {
    bool flowing = any_flows(show);
    if (flowing) {
        e->kept = phxi_alloc_zero(&show->heap, (size_t)count, sizeof *e->kept, "stage");
        if (!e->kept) {
            return PHX_ERROR_MEMORY;
        }
    }
    visit_once(show, frames, count, e);
    if (e->low.x > e->high.x) {
        e->low = e->high = (phx_vec3){0, 0, 0};
    }
    if (!flowing) {
        return PHX_OK;
    }
    visit_again(show, frames, count, e);
    if (e->count > 0) {
        cut(e);
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
    extent e = {.low = {1, 1, 1}, .high = {-1, -1, -1}};
    for (int k = 0; k < 3; ++k) {
        e.bins[k] = phxi_alloc_zero(&show->heap, BINS, sizeof *e.bins[k], "stage");
        if (!e.bins[k]) {
            return PHX_ERROR_MEMORY;
        }
    }
    PHXI_TRY(find_extent(show, frames, frames ? count : phx_show_count(show), &e));
    *stage = (phx_stage){.name = choose_light(show)};
    find_floor(show, &e, stage);
    stage->radius = fmax(0.5 * phxi_distance(e.low, e.high), 1e-6);
    add_obstacles(show, &e);
    stage->camera = phx_camera_framing(e.low, e.high, from ? *from : (phx_vec3){0.45, -0.75, 0.35}, aspect);
    stage->has_camera = !from && read_camera(show, &stage->camera);
    for (int k = 0; k < 3; ++k) {
        phxi_free(&show->heap, e.bins[k]);
    }
    phxi_free(&show->heap, e.kept);
    return PHX_OK;
}
