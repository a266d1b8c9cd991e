// SPDX-License-Identifier: MIT
// A run to look at: its frames one by one, each body as a part with its look.
#include "show/show.h"

#include <phyxel/io.h>
#include "core/file.h"
#include "math/vec3.h"
#include "render/look.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOW_STAMP = 0x53484f31 };

phx_show_def phx_show_def_default(void) {
    return (phx_show_def){.cell = 0.5, .stamp = SHOW_STAMP};
}

// --------------------------------------------------------------------------------------------------------------- open

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static phx_result find_folder(phx_show* show) {
    show->folder = is_folder(show->def.run) ? phxi_strdup(&show->heap, show->def.run, "show")
                                            : phxi_path_folder(&show->heap, show->def.run);
    return show->folder ? PHX_OK : PHX_ERROR_MEMORY;
}

/// A list of further frames beside those of the particles, if the run has it.
static phx_result open_beside(phx_show* show, const char* name, phx_frames** frames) {
    struct stat info;
    char* path = is_folder(show->def.run) ? phxi_path_join(&show->heap, show->folder, name) : NULL;
    phx_result result = path && stat(path, &info) == 0 ? phx_frames_open(path, frames) : PHX_OK;
    phxi_free(&show->heap, path);
    return result;
}

static phx_result hide(phx_show* show) {
    for (int i = 0; i < show->bodies.count && show->def.all; ++i) {
        show->bodies.items[i].hidden = false;
    }
    for (int k = 0; k < show->def.hide_count; ++k) {
        bool found = false;
        char names[256] = "";
        for (int i = 0; i < show->bodies.count; ++i) {
            phxi_shown_body* body = &show->bodies.items[i];
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, " %s", body->name);
            if (strcmp(body->name, show->def.hide[k]) == 0) {
                found = body->hidden = true;
            }
        }
        if (!found) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "%s has no body '%s' to hide; its bodies are:%s", show->def.run,
                             show->def.hide[k], names[0] ? names : " not known (no bodies.csv)");
        }
    }
    return PHX_OK;
}

static phx_result open_all(phx_show* show) {
    PHXI_TRY(find_folder(show));
    PHXI_TRY(phx_frames_open(show->def.run, &show->frames));
    if (phx_frames_count(show->frames) == 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "%s lists no frames", show->def.run);
    }
    PHXI_TRY(phxi_shown_bodies_read(&show->heap, show->folder, "bodies.csv", &show->bodies));
    PHXI_TRY(phxi_shown_bodies_read(&show->heap, show->folder, "obstacles.csv", &show->obstacles));
    PHXI_TRY(phxi_shown_walls_read(&show->heap, show->folder, &show->walls));
    PHXI_TRY(hide(show));
    PHXI_TRY(open_beside(show, "obstacles.pvd", &show->colliders));
    if (show->def.draw == PHX_DRAW_AUTO) {
        PHXI_TRY(open_beside(show, "surfaces.pvd", &show->cracks));
    }
    show->states = phxi_alloc_zero(&show->heap, (size_t)phxi_show_groups(show), sizeof *show->states, "show");
    return show->states ? PHX_OK : PHX_ERROR_MEMORY;
}

phx_result phx_show_open(const phx_show_def* def, phx_show** show) {
    if (!def || !def->run || !show || def->stamp != SHOW_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a show needs a definition from phx_show_def_default() with a run");
    }
    if (def->draw < PHX_DRAW_AUTO || def->draw > PHX_DRAW_POINTS) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "drawn as %d, expected one of phx_draw", def->draw);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_show* made = heap.allocator.alloc(heap.allocator.context, sizeof *made, "show");
    if (!made) {
        return phxi_fail_memory("show");
    }
    *made = (phx_show){.def = *def};
    phxi_heap_init(&made->heap, NULL);
    made->def.run = phxi_strdup(&made->heap, def->run, "show");
    phx_result result = made->def.run ? open_all(made) : PHX_ERROR_MEMORY;
    if (result != PHX_OK) {
        phx_show_close(made);
        return result;
    }
    *show = made;
    return PHX_OK;
}

static void drop_parts(phx_show* show) {
    for (int i = 0; i < show->owned.count; ++i) {
        phx_frame_destroy(show->owned.items[i]);
    }
    show->owned.count = show->parts.count = show->bodies_of.count = 0;
}

void phx_show_close(phx_show* show) {
    if (!show) {
        return;
    }
    drop_parts(show);
    for (int i = 0; show->states && i < phxi_show_groups(show); ++i) {
        phxi_rest_shape_destroy(&show->states[i].rest);
        phx_skin_destroy(show->states[i].skin);
        phx_mesh_destroy(show->states[i].mesh);
    }
    phx_frame_destroy(show->first);
    phx_frames_close(show->frames);
    phx_frames_close(show->cracks);
    phx_frames_close(show->colliders);
    phx_allocator allocator = show->heap.allocator;
    phxi_heap_destroy(&show->heap);
    allocator.free(allocator.context, show);
}

const char* phx_show_folder(const phx_show* show) {
    return show ? show->folder : NULL;
}
int phx_show_count(const phx_show* show) {
    return show ? phx_frames_count(show->frames) : 0;
}
double phx_show_time(const phx_show* show, int frame) {
    return phx_frames_time(show ? show->frames : NULL, frame);
}
int phx_show_body_count(const phx_show* show) {
    return show ? show->bodies.count : 0;
}
const char* phx_show_body_name(const phx_show* show, int body) {
    return body >= 0 && body < phx_show_body_count(show) ? show->bodies.items[body].name : NULL;
}
phx_draw phx_show_body_draw(const phx_show* show, int body) {
    return body >= 0 && body < phx_show_body_count(show) ? (phx_draw)show->bodies.items[body].draw : PHX_DRAW_LIQUID;
}

double phx_show_cloud_spacing(phx_show* show) {
    if (!show || (!show->first && phx_frames_read(show->frames, 0, &show->first) != PHX_OK)) {
        return 0;
    }
    return phxi_show_is_cloud(show) ? phxi_frame_spacing(show->first) : 0;
}

// ---------------------------------------------------------------------------------------------------------- particles

static int body_at(const phx_frame_field* body, int i) {
    return body && body->components == 1 ? (int)lrintf(body->values[i]) : -1;
}

static bool is_shown(const phx_show* show, int body) {
    return body < 0 || body >= show->bodies.count || !show->bodies.items[body].hidden;
}

static phx_result pick(phx_show* show, const phx_frame* all, int number, phx_frame** own) {
    const phx_frame_field* field = phx_frame_find(all, "body");
    bool* keep = phxi_alloc(&show->heap, (size_t)all->points, sizeof *keep, "show");
    if (!keep) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < all->points; ++i) {
        keep[i] = body_at(field, i) == number;
    }
    phx_result result = phx_frame_pick(all, keep, own);
    phxi_free(&show->heap, keep);
    return result;
}

phx_result phxi_show_pick(phx_show* show, const phx_frame* particles, int body, phx_frame** own) {
    return show->bodies.count > 0 ? pick(show, particles, body, own) : phxi_frame_copy(particles, own);
}

phx_result phx_show_particles(phx_show* show, int frame, phx_frame** particles) {
    PHXI_NEED(show && particles);
    phx_frame* all = NULL;
    PHXI_TRY(phx_frames_read(show->frames, frame, &all));
    const phx_frame_field* field = phx_frame_find(all, "body");
    bool any = false;
    bool* keep = phxi_alloc(&show->heap, (size_t)all->points, sizeof *keep, "show");
    for (int i = 0; keep && i < all->points; ++i) {
        keep[i] = is_shown(show, body_at(field, i));
        any = any || !keep[i];
    }
    phx_result result = !keep ? PHX_ERROR_MEMORY : any ? phx_frame_pick(all, keep, particles) : PHX_OK;
    phxi_free(&show->heap, keep);
    if (any || result != PHX_OK) {
        phx_frame_destroy(all);
        return result;
    }
    *particles = all;
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- parts

phx_result phxi_show_add(phx_show* show, int body, phx_frame* frame, const phx_look* look, double size) {
    phx_frame** owned = phxi_array_add(&show->owned, &show->heap, "show");
    if (!owned) {
        phx_frame_destroy(frame);
        return PHX_ERROR_MEMORY;
    }
    *owned = frame;
    phx_part* part = phxi_array_add(&show->parts, &show->heap, "show");
    int* number = phxi_array_add(&show->bodies_of, &show->heap, "show");
    if (!part || !number) {
        return PHX_ERROR_MEMORY;
    }
    *number = body;
    *part = (phx_part){.frame = frame, .look = *look, .size = size};
    return PHX_OK;
}

static int nearest(const phx_frames* frames, double time) {
    int best = 0;
    for (int i = 1; i < phx_frames_count(frames); ++i) {
        best = fabs(phx_frames_time(frames, i) - time) < fabs(phx_frames_time(frames, best) - time) ? i : best;
    }
    return best;
}

static bool has_body(const phx_frame* frame, int body) {
    const phx_frame_field* field = phx_frame_find(frame, "body");
    for (int i = 0; field && i < frame->points; ++i) {
        if (body_at(field, i) == body) {
            return true;
        }
    }
    return false;
}

/// A body as its cracks show it; false in `found`: they do not.
static phx_result add_cracks(phx_show* show, const phx_frame* cracks, int body, bool* found) {
    phx_frame* own = NULL;
    *found = cracks && has_body(cracks, body);
    if (!*found) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_show_know(show, body));
    PHXI_TRY(phxi_show_pick(show, cracks, body, &own));
    return phxi_show_add(show, body, own, &show->bodies.items[body].look, show->states[body].size);
}

static phx_result add_body(phx_show* show, int body, const phx_frame* particles, const phx_frame* solids,
                           const phx_frame* cracks) {
    bool found = false;
    phx_frame* own = NULL;
    if (show->bodies.count > 0) {
        PHXI_TRY(add_cracks(show, cracks, body, &found));
    }
    if (found) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_show_pick(show, particles, body, &own));
    phx_result result = own->points > 0 ? phxi_show_body(show, body, own, solids) : PHX_OK;
    phx_frame_destroy(own);
    return result;
}

static phx_result add_all(phx_show* show, phx_frame* particles, const phx_frame* solids, const phx_frame* cracks) {
    if (particles->triangles > 0) { // a surface already
        phx_look look = phx_look_of_number(0);
        phx_frame* copy = NULL;
        PHXI_TRY(phxi_frame_copy(particles, &copy));
        return phxi_show_add(show, 0, copy, &look, 0);
    }
    for (int body = 0; body < phxi_show_groups(show); ++body) {
        if (is_shown(show, body)) {
            PHXI_TRY(add_body(show, body, particles, solids, cracks));
        }
    }
    return PHX_OK;
}

static phx_vec3 point_of(const phx_frame* frame, int i) {
    const double* p = frame->positions + 3 * (size_t)i;
    return (phx_vec3){p[0], p[1], p[2]};
}

/// Does not change as an obstacle turns, m.
static double radius_of(const phx_frame* frame) {
    phx_vec3 middle = {0, 0, 0};
    double largest = 0;
    for (int i = 0; i < frame->points; ++i) {
        middle = phxi_add(middle, point_of(frame, i));
    }
    middle = phxi_scale(1.0 / frame->points, middle);
    for (int i = 0; i < frame->points; ++i) {
        largest = fmax(largest, phxi_length(phxi_sub(point_of(frame, i), middle)));
    }
    return largest;
}

/// Obstacles come last. Those of a run that says nothing about them have one look.
static phx_result add_obstacles(phx_show* show, phx_frame** obstacles) {
    if (!phx_frame_find(*obstacles, "body") || show->obstacles.count == 0) {
        phx_look look = phxi_look_of_obstacles();
        phx_frame* all = *obstacles;
        *obstacles = NULL;
        return phxi_show_add(show, -1, all, &look, 0);
    }
    for (int c = 0; c < show->obstacles.count; ++c) {
        phx_frame* own = NULL;
        PHXI_TRY(pick(show, *obstacles, c, &own));
        if (own->points == 0) {
            phx_frame_destroy(own);
        } else {
            PHXI_TRY(phxi_show_add(show, -1, own, &show->obstacles.items[c].look, radius_of(own)));
        }
    }
    return PHX_OK;
}

/// Two sets of triangles in one; takes both.
static phx_result join(phx_frame** all, phx_frame* more) {
    phx_frame* both = NULL;
    if (!*all || !more) {
        *all = *all ? *all : more;
        return PHX_OK;
    }
    phx_result result =
        phx_frame_create((*all)->points + more->points, (*all)->triangles + more->triangles, more->time, NULL, &both);
    result = result == PHX_OK ? phxi_frame_append(both, *all, 0, 0) : result;
    result = result == PHX_OK ? phxi_frame_append(both, more, (*all)->points, (*all)->triangles) : result;
    phx_frame_destroy(*all);
    phx_frame_destroy(more);
    *all = both;
    return result;
}

/// What liquids lie against: obstacles, and walls made of particles, also those that are not shown.
static phx_result find_solids(phx_show* show, const phx_frame* particles, const phx_frame* obstacles,
                              phx_frame** solids) {
    if (obstacles) {
        PHXI_TRY(phxi_frame_copy(obstacles, solids));
    }
    for (int body = 0; body < show->bodies.count && show->def.draw == PHX_DRAW_AUTO; ++body) {
        phx_frame *own = NULL, *skin = NULL;
        if (show->bodies.items[body].wall) {
            PHXI_TRY(phxi_show_pick(show, particles, body, &own));
            phx_result result = own->points > 0 ? phxi_show_skin(show, body, own, &skin) : PHX_OK;
            phx_frame_destroy(own);
            PHXI_TRY(result);
            PHXI_TRY(join(solids, skin));
        }
    }
    return PHX_OK;
}

typedef struct sources { // that a frame is drawn from
    phx_frame *particles, *obstacles, *cracks, *solids;
} sources;

static phx_result read_sources(phx_show* show, int frame, sources* s) {
    PHXI_TRY(phx_frames_read(show->frames, frame, &s->particles));
    double time = s->particles->time;
    if (!show->first) {
        PHXI_TRY(phx_frames_read(show->frames, 0, &show->first));
    }
    if (show->colliders) {
        PHXI_TRY(phx_frames_read(show->colliders, nearest(show->colliders, time), &s->obstacles));
    }
    if (show->cracks) {
        PHXI_TRY(phx_frames_read(show->cracks, nearest(show->cracks, time), &s->cracks));
    }
    return s->particles->triangles > 0 ? PHX_OK : find_solids(show, s->particles, s->obstacles, &s->solids);
}

static phx_result make_parts(phx_show* show, int frame, bool with_obstacles) {
    sources s = {0};
    drop_parts(show);
    phx_result result = read_sources(show, frame, &s);
    result = result == PHX_OK ? add_all(show, s.particles, s.solids, s.cracks) : result;
    if (result == PHX_OK && s.obstacles && with_obstacles) {
        result = add_obstacles(show, &s.obstacles);
    }
    phx_frame_destroy(s.particles);
    phx_frame_destroy(s.obstacles);
    phx_frame_destroy(s.cracks);
    phx_frame_destroy(s.solids);
    return result;
}

phx_result phx_show_parts(phx_show* show, int frame, const phx_part** parts, int* count) {
    if (!show || !parts || !count) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "parts need a show and places for the answer");
    }
    phx_result result = make_parts(show, frame, true);
    *parts = show->parts.items;
    *count = show->parts.count;
    return result;
}

const char* phx_show_part_name(const phx_show* show, int part) {
    if (!show || part < 0 || part >= show->bodies_of.count) {
        return NULL;
    }
    int body = show->bodies_of.items[part];
    return body < 0 ? "obstacles" : body < show->bodies.count ? show->bodies.items[body].name : "surface";
}

// -------------------------------------------------------------------------------------------------------- one surface

phx_result phx_show_surface(phx_show* show, int frame, phx_frame** surface) {
    if (!show || !surface) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a surface needs a show and a place for the answer");
    }
    int points = 0, triangles = 0;
    *surface = NULL;
    PHXI_TRY(make_parts(show, frame, false));
    for (int i = 0; i < show->parts.count; ++i) {
        points += show->parts.items[i].frame->points;
        triangles += show->parts.items[i].frame->triangles;
    }
    phx_result result = phx_frame_create(points, triangles, phx_frames_time(show->frames, frame), NULL, surface);
    points = triangles = 0;
    for (int i = 0; result == PHX_OK && i < show->parts.count; ++i) {
        const phx_frame* part = show->parts.items[i].frame;
        result = phxi_frame_append(*surface, part, points, triangles); // fields that it does not have are zero
        points += part->points;
        triangles += part->triangles;
    }
    if (result != PHX_OK) {
        phx_frame_destroy(*surface);
        *surface = NULL;
    }
    return result;
}
