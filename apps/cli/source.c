// SPDX-License-Identifier: MIT
// A run keeps for its pictures: bodies.csv (body,name,shown,mesh: whether the scene shows it, and the mesh it was made
// of, in place) and camera.txt.
#include "source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BODIES = 100000 };

struct cli_body {
    char name[80];  // "": the list does not have this one
    char path[300]; // of the mesh, seen from the run; "": none
    bool hidden;
    phx_mesh* mesh; // NULL until it is wanted
    phx_skin* skin; // made with the first frame that is read
};

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static FILE* open_in(const char* folder, const char* name) {
    char path[2100];
    snprintf(path, sizeof path, "%.1000s/%.1000s", folder, name);
    return fopen(path, "r");
}

// A line "body,name,shown,mesh"; mesh may be empty.
static bool read_line(char* line, int* number, struct cli_body* body) {
    int shown = 1, used = 0;
    *body = (struct cli_body){0};
    line[strcspn(line, "\r\n")] = 0;
    bool good = sscanf(line, "%d,%79[^,],%d,%n", number, body->name, &shown, &used) == 3 && used > 0;
    if (good) {
        snprintf(body->path, sizeof body->path, "%s", line + used);
        body->hidden = shown == 0;
    }
    return good && *number >= 0 && *number < BODIES;
}

bool cli_source_can_skin(const char* run) {
    FILE* list = open_in(run, "bodies.csv");
    char line[600];
    int number;
    struct cli_body body = {0};
    while (list && !body.path[0] && fgets(line, sizeof line, list)) {
        (void)read_line(line, &number, &body);
    }
    if (list) {
        fclose(list);
    }
    return body.path[0] != 0;
}

static bool has_list(const char* run, const char* name) {
    FILE* list = is_folder(run) ? open_in(run, name) : NULL;
    if (list) {
        fclose(list);
    }
    return list != NULL;
}

bool cli_source_has_cracks(const char* run) {
    return has_list(run, "surfaces.pvd");
}

static bool make_room(cli_source* source, int body) {
    if (body < source->body_count) {
        return true;
    }
    struct cli_body* grown = realloc(source->bodies, (size_t)(body + 1) * sizeof *grown);
    if (grown) {
        memset(grown + source->body_count, 0, (size_t)(body + 1 - source->body_count) * sizeof *grown);
        source->bodies = grown;
        source->body_count = body + 1;
    }
    return grown != NULL;
}

// The list of bodies, if there is one: a single frame, or the folder of another program, has none.
static int load_list(cli_source* source) {
    FILE* list = open_in(source->folder, "bodies.csv");
    char line[600];
    int code = CLI_OK;
    for (int number = 0; list && code == CLI_OK && fgets(line, sizeof line, list); ++number) {
        int index;
        struct cli_body body;
        if (number == 0) {
            continue;
        }
        if (!read_line(line, &index, &body) || !make_room(source, index) || source->bodies[index].name[0]) {
            fprintf(stderr, "phyxel: %s/bodies.csv:%d: expected 'body,name,shown,mesh'\n", source->folder, number + 1);
            code = CLI_BAD_INPUT;
        } else {
            source->bodies[index] = body;
        }
    }
    if (list) {
        fclose(list);
    }
    return code;
}

static int load_meshes(cli_source* source) {
    phx_result result = PHX_OK;
    int found = 0;
    for (int i = 0; result == PHX_OK && i < source->body_count; ++i) {
        struct cli_body* body = &source->bodies[i];
        char path[1400];
        if (body->path[0] && !body->hidden) {
            snprintf(path, sizeof path, "%.1000s/%s", source->folder, body->path);
            result = phx_mesh_load(path, &body->mesh);
            ++found;
        }
    }
    if (result == PHX_OK && found == 0) {
        fprintf(stderr, "phyxel: %s has no meshes: only a run with `run: {skin: true}` in its scene can be skinned\n",
                source->folder);
        return CLI_BAD_INPUT;
    }
    return result == PHX_OK ? CLI_OK : cli_fail(result);
}

static int choose(cli_source* source, const cli_choice* choice) {
    for (int i = 0; i < source->body_count; ++i) {
        source->bodies[i].hidden = source->bodies[i].hidden && !choice->all;
    }
    for (int k = 0; k < choice->hide.count; ++k) {
        int found = -1;
        for (int i = 0; i < source->body_count; ++i) {
            found = strcmp(source->bodies[i].name, choice->hide.items[k]) == 0 ? i : found;
        }
        if (found < 0) {
            fprintf(stderr, "phyxel: %s has no body '%s' to hide; its bodies are:", source->folder,
                    choice->hide.items[k]);
            for (int i = 0; i < source->body_count; ++i) {
                fprintf(stderr, " %s", source->bodies[i].name);
            }
            fputs(source->body_count ? "\n" : " not known (no bodies.csv)\n", stderr);
            return CLI_BAD_INPUT;
        }
        source->bodies[found].hidden = true;
    }
    return CLI_OK;
}

int cli_source_open(cli_source* source, const char* run, cli_form form, const phx_surface_def* surface,
                    const cli_choice* choice) {
    *source = (cli_source){.run = run, .form = form, .surface = *surface};
    const char* slash = strrchr(run, '/');
    if (is_folder(run)) {
        snprintf(source->folder, sizeof source->folder, "%.1000s", run);
    } else {
        snprintf(source->folder, sizeof source->folder, "%.*s", slash ? (int)(slash - run) : 1, slash ? run : ".");
    }
    phx_result result = phx_frames_open(run, &source->frames);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (phx_frames_count(source->frames) == 0) {
        fprintf(stderr, "phyxel: %s lists no frames\n", run);
        return CLI_BAD_INPUT;
    }
    int code = load_list(source);
    code = code == CLI_OK ? choose(source, choice) : code;
    if (code != CLI_OK) {
        return code;
    }
    char path[1100];
    if (has_list(run, "obstacles.pvd")) {
        snprintf(path, sizeof path, "%s/obstacles.pvd", source->folder);
        result = phx_frames_open(path, &source->colliders);
        code = result == PHX_OK ? CLI_OK : cli_fail(result);
    }
    if (code == CLI_OK && form == CLI_CRACKS) {
        snprintf(path, sizeof path, "%s/surfaces.pvd", source->folder);
        result = phx_frames_open(path, &source->cracks);
        return result == PHX_OK ? CLI_OK : cli_fail(result);
    }
    return code == CLI_OK && form == CLI_SKIN ? load_meshes(source) : code;
}

void cli_source_close(cli_source* source) {
    for (int i = 0; i < source->body_count; ++i) {
        phx_skin_destroy(source->bodies[i].skin);
        phx_mesh_destroy(source->bodies[i].mesh);
    }
    free(source->bodies);
    phx_frames_close(source->frames);
    phx_frames_close(source->cracks);
    phx_frames_close(source->colliders);
    *source = (cli_source){0};
}

static phx_result bind(cli_source* source, const phx_frame* particles) {
    for (int i = 0; i < source->body_count; ++i) {
        struct cli_body* skin = &source->bodies[i];
        if (!skin->mesh || skin->skin) {
            continue;
        }
        phx_skin_def def = phx_skin_def_default();
        def.mesh = skin->mesh;
        def.particles = particles;
        def.body = i;
        phx_result result = phx_skin_create(&def, &skin->skin);
        if (result != PHX_OK) {
            return result;
        }
    }
    source->bound = true;
    return PHX_OK;
}

// Appends the points, triangles and common fields of `part`, whose place begins at these numbers.
static phx_result append(phx_frame* all, phx_frame* part, int first_point, int first_triangle) {
    int points = phx_frame_points(part), triangles = phx_frame_triangles(part);
    memcpy(phx_frame_positions(all) + 3 * (size_t)first_point, phx_frame_positions(part),
           3 * (size_t)points * sizeof(double));
    for (int i = 0; i < 3 * triangles; ++i) {
        phx_frame_indices(all)[3 * first_triangle + i] = phx_frame_indices(part)[i] + first_point;
    }
    const phx_frame_field* field;
    for (int f = 0; (field = phx_frame_field_at(part, f)); ++f) {
        float* values;
        phx_result result = phx_frame_add_field(all, field->name, field->components, &values);
        if (result != PHX_OK) {
            return result;
        }
        memcpy(values + (size_t)first_point * (size_t)field->components, field->values,
               (size_t)points * (size_t)field->components * sizeof(float));
    }
    return PHX_OK;
}

static phx_result join(phx_frame* const* parts, int count, double time, phx_frame** all) {
    int points = 0, triangles = 0;
    for (int i = 0; i < count; ++i) {
        points += phx_frame_points(parts[i]);
        triangles += phx_frame_triangles(parts[i]);
    }
    phx_result result = phx_frame_create(points, triangles, time, NULL, all);
    points = triangles = 0;
    for (int i = 0; result == PHX_OK && i < count; ++i) {
        result = append(*all, parts[i], points, triangles);
        points += phx_frame_points(parts[i]);
        triangles += phx_frame_triangles(parts[i]);
    }
    return result;
}

static phx_result skin_all(cli_source* source, const phx_frame* particles, phx_frame** frame) {
    phx_frame** parts = calloc((size_t)source->body_count + 1, sizeof(phx_frame*));
    int count = 0;
    phx_result result = !parts ? PHX_ERROR_MEMORY : source->bound ? PHX_OK : bind(source, particles);
    for (int i = 0; result == PHX_OK && i < source->body_count; ++i) {
        if (source->bodies[i].skin) {
            result = phx_skin_apply(source->bodies[i].skin, particles, &parts[count++]);
        }
    }
    if (result == PHX_OK) {
        result = join(parts, count, phx_frame_time(particles), frame);
    }
    for (int i = 0; i < count; ++i) {
        phx_frame_destroy(parts[i]);
    }
    free(parts);
    return result;
}

// Points of bodies that are not `left`; bodies beyond `count` are kept.
static phx_result without(const phx_frame* particles, const bool* left, int count, phx_frame** rest) {
    const phx_frame_field* body = phx_frame_find(particles, "body");
    int points = phx_frame_points(particles);
    bool* keep = calloc((size_t)points + 1, sizeof *keep);
    if (!keep) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < points; ++i) {
        int b = body && body->components == 1 ? (int)body->values[i] : -1;
        keep[i] = b < 0 || b >= count || !left[b];
    }
    phx_result result = phx_frame_pick(particles, keep, rest);
    free(keep);
    return result;
}

// The points of bodies that `surface` does not show.
static phx_result others(const phx_frame* particles, const phx_frame* surface, phx_frame** rest) {
    const phx_frame_field* shown = phx_frame_find(surface, "body");
    bool seen[BODIES / 100] = {false};
    for (int i = 0; shown && i < phx_frame_points(surface); ++i) {
        int b = (int)shown->values[i];
        if (b >= 0 && b < BODIES / 100) {
            seen[b] = true;
        }
    }
    return without(particles, seen, BODIES / 100, rest);
}

// Replaces a frame by one without the bodies that are hidden.
static phx_result hide(const cli_source* source, phx_frame** frame) {
    bool any = false;
    bool* left = calloc((size_t)source->body_count + 1, sizeof *left);
    for (int i = 0; left && i < source->body_count; ++i) {
        left[i] = source->bodies[i].hidden;
        any = any || left[i];
    }
    phx_frame* rest = NULL;
    phx_result result = !left ? PHX_ERROR_MEMORY : any ? without(*frame, left, source->body_count, &rest) : PHX_OK;
    free(left);
    if (rest) {
        phx_frame_destroy(*frame);
        *frame = rest;
    }
    return result;
}

static int nearest(phx_frames* frames, double time) {
    int best = 0;
    for (int i = 1; i < phx_frames_count(frames); ++i) {
        best = fabs(phx_frames_time(frames, i) - time) < fabs(phx_frames_time(frames, best) - time) ? i : best;
    }
    return best;
}

phx_result cli_source_colliders(const cli_source* source, double time, phx_frame** frame) {
    *frame = NULL;
    return source->colliders ? phx_frames_read(source->colliders, nearest(source->colliders, time), frame) : PHX_OK;
}

// The surface of the same time, and a surface around the particles of bodies that cannot break.
static phx_result crack_all(cli_source* source, const phx_frame* particles, phx_frame** frame) {
    double time = phx_frame_time(particles);
    int best = nearest(source->cracks, time);
    phx_frame *rest = NULL, *parts[2] = {NULL, NULL};
    phx_result result = phx_frames_read(source->cracks, best, &parts[0]);
    if (result == PHX_OK) {
        result = others(particles, parts[0], &rest);
    }
    if (result == PHX_OK && phx_frame_points(rest) > 0) {
        result = phx_surface_reconstruct(rest, &source->surface, &parts[1], NULL);
    }
    if (result == PHX_OK) {
        result = join(parts, parts[1] ? 2 : 1, time, frame);
    }
    phx_frame_destroy(rest);
    phx_frame_destroy(parts[0]);
    phx_frame_destroy(parts[1]);
    return result;
}

phx_result cli_source_particles(const cli_source* source, int i, phx_frame** particles) {
    phx_result result = phx_frames_read(source->frames, i, particles);
    return result == PHX_OK ? hide(source, particles) : result;
}

phx_result cli_source_read(cli_source* source, int i, phx_frame** frame) {
    *frame = NULL;
    phx_frame* particles = NULL;
    phx_result result = cli_source_particles(source, i, &particles);
    // What has triangles already is shown as it is.
    if (result != PHX_OK || source->form == CLI_POINTS || phx_frame_triangles(particles) > 0) {
        *frame = particles;
        return result;
    }
    result = source->form == CLI_SKIN     ? skin_all(source, particles, frame)
             : source->form == CLI_CRACKS ? crack_all(source, particles, frame)
             : source->form == CLI_SPLATS ? phx_surface_splats(particles, &source->surface, frame)
                                          : phx_surface_reconstruct(particles, &source->surface, frame, NULL);
    phx_frame_destroy(particles);
    if (result != PHX_OK) {
        phx_frame_destroy(*frame);
        *frame = NULL;
    }
    return result;
}

bool cli_source_camera(const cli_source* source, phx_camera* camera) {
    FILE* file = open_in(source->folder, "camera.txt");
    if (!file) {
        return false;
    }
    phx_camera c;
    bool good =
        fscanf(file, "eye %lf %lf %lf target %lf %lf %lf up %lf %lf %lf field_of_view %lf", &c.eye.x, &c.eye.y,
               &c.eye.z, &c.target.x, &c.target.y, &c.target.z, &c.up.x, &c.up.y, &c.up.z, &c.field_of_view) == 10;
    fclose(file);
    if (good) {
        *camera = c;
    } else {
        fprintf(stderr, "phyxel: %s/camera.txt cannot be read; a camera is chosen\n", source->folder);
    }
    return good;
}
