// SPDX-License-Identifier: MIT
// Which frames of runs become pictures.
#include "show/pictures.h"

#include <math.h>

static int nearest(const phx_show* show, double time) {
    int best = 0;
    for (int i = 1; i < phx_show_count(show); ++i) {
        if (fabs(phx_show_time(show, i) - time) < fabs(phx_show_time(show, best) - time)) {
            best = i;
        }
    }
    return best;
}

int phxi_pictures_frame_of(const phx_pictures* p, int run, int picture) {
    int base = p->chosen[picture];
    return run == p->base ? base : nearest(p->shows[run], phx_show_time(p->shows[p->base], base));
}

int phxi_evenly(int count, int cells, int k) {
    return cells >= count ? k : cells == 1 ? count - 1 : (int)((int64_t)k * (count - 1) / (cells - 1));
}

static bool is_chosen(const phx_pictures_def* def, int frame, double time) {
    bool whole = def->frame >= 0 ? frame == def->frame : frame % def->every == 0;
    return whole && time >= def->first && time <= def->last;
}

static phx_result check(const phx_pictures_def* def) {
    if (def->every < 1 || def->most < 0 || def->time_count < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "every %d-th frame, at most %d, at %d times: expected 1 or more, 0 or more", def->every,
                         def->most, def->time_count);
    }
    for (int i = 0; def->times && i < def->time_count; ++i) {
        if (!isfinite(def->times[i])) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "time %d of the pictures is not finite", i);
        }
    }
    return PHX_OK;
}

phx_result phxi_pictures_choose(phx_pictures* p, const phx_pictures_def* def) {
    PHXI_TRY(check(def));
    for (int r = 1; r < p->runs; ++r) {
        p->base = phx_show_count(p->shows[r]) > phx_show_count(p->shows[p->base]) ? r : p->base;
    }
    const phx_show* frames = p->shows[p->base];
    int total = phx_show_count(frames), times = def->times ? def->time_count : 0;
    p->chosen = phxi_alloc(&p->heap, (size_t)(total > times ? total : times), sizeof *p->chosen, "pictures");
    if (!p->chosen) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < times; ++i) {
        p->chosen[p->count++] = nearest(frames, def->times[i]);
    }
    for (int i = 0; i < total && times == 0; ++i) {
        if (is_chosen(def, i, phx_show_time(frames, i))) {
            p->chosen[p->count++] = i;
        }
    }
    if (p->count == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "none of the %d frames (0 to %d, %g to %g s) is chosen", total, total - 1,
                         phx_show_time(frames, 0), phx_show_time(frames, total - 1));
    }
    if (def->most > 0 && def->most < p->count) {
        for (int k = 0; k < def->most; ++k) {
            p->chosen[k] = p->chosen[phxi_evenly(p->count, def->most, k)];
        }
        p->count = def->most;
    }
    return PHX_OK;
}
