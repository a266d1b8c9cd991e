// SPDX-License-Identifier: MIT
// A run keeps for its pictures: bodies.csv (body,name,mesh: the meshes its bodies were made of, in place) and
// camera.txt.
#include "source.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BODIES = 100000 };

struct cli_skin {
    phx_mesh* mesh; // NULL: the list does not name this body
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

bool cli_source_can_skin(const char* run) {
    FILE* list = open_in(run, "bodies.csv");
    if (list) {
        fclose(list);
    }
    return list != NULL;
}

bool cli_source_has_cracks(const char* run) {
    FILE* list = is_folder(run) ? open_in(run, "surfaces.pvd") : NULL;
    if (list) {
        fclose(list);
    }
    return list != NULL;
}

static bool make_room(cli_source* source, int body) {
    if (body < source->bodies) {
        return true;
    }
    struct cli_skin* grown = realloc(source->skins, (size_t)(body + 1) * sizeof *grown);
    if (grown) {
        memset(grown + source->bodies, 0, (size_t)(body + 1 - source->bodies) * sizeof *grown);
        source->skins = grown;
        source->bodies = body + 1;
    }
    return grown != NULL;
}

// Lines "body,name,mesh" behind the head.
static int load_meshes(cli_source* source) {
    FILE* list = open_in(source->folder, "bodies.csv");
    if (!list) {
        fprintf(stderr,
                "phyxel: %s has no bodies.csv: only a run with `run: {skin: true}` in its scene can be skinned\n",
                source->folder);
        return CLI_BAD_INPUT;
    }
    char line[600];
    phx_result result = PHX_OK;
    for (int number = 0; result == PHX_OK && fgets(line, sizeof line, list); ++number) {
        int body = -1;
        char mesh[300], path[1400];
        if (number == 0) {
            continue;
        }
        if (sscanf(line, "%d,%*[^,],%299[^\n]", &body, mesh) != 2 || body < 0 || body >= BODIES ||
            !make_room(source, body) || source->skins[body].mesh) {
            fprintf(stderr, "phyxel: %s/bodies.csv:%d: expected 'body,name,mesh'\n", source->folder, number + 1);
            fclose(list);
            return CLI_BAD_INPUT;
        }
        snprintf(path, sizeof path, "%.1000s/%s", source->folder, mesh);
        result = phx_mesh_load(path, &source->skins[body].mesh);
    }
    fclose(list);
    return result == PHX_OK ? CLI_OK : cli_fail(result);
}

int cli_source_open(cli_source* source, const char* run, cli_form form, const phx_surface_def* surface) {
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
    if (form == CLI_CRACKS) {
        char path[1100];
        snprintf(path, sizeof path, "%s/surfaces.pvd", source->folder);
        result = phx_frames_open(path, &source->cracks);
        return result == PHX_OK ? CLI_OK : cli_fail(result);
    }
    return form == CLI_SKIN ? load_meshes(source) : CLI_OK;
}

void cli_source_close(cli_source* source) {
    for (int i = 0; i < source->bodies; ++i) {
        phx_skin_destroy(source->skins[i].skin);
        phx_mesh_destroy(source->skins[i].mesh);
    }
    free(source->skins);
    phx_frames_close(source->frames);
    phx_frames_close(source->cracks);
    *source = (cli_source){0};
}

static phx_result bind(cli_source* source, const phx_frame* particles) {
    for (int i = 0; i < source->bodies; ++i) {
        struct cli_skin* skin = &source->skins[i];
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
    phx_frame** parts = calloc((size_t)source->bodies + 1, sizeof(phx_frame*));
    int count = 0;
    phx_result result = !parts ? PHX_ERROR_MEMORY : source->bound ? PHX_OK : bind(source, particles);
    for (int i = 0; result == PHX_OK && i < source->bodies; ++i) {
        if (source->skins[i].skin) {
            result = phx_skin_apply(source->skins[i].skin, particles, &parts[count++]);
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

// The points of bodies that `surface` does not show.
static phx_result others(const phx_frame* particles, const phx_frame* surface, phx_frame** rest) {
    const phx_frame_field *body = phx_frame_find(particles, "body"), *shown = phx_frame_find(surface, "body");
    int count = 0, points = phx_frame_points(particles);
    bool* keep = calloc((size_t)points + 1, sizeof *keep);
    if (!keep) {
        return PHX_ERROR_MEMORY;
    }
    bool seen[BODIES / 100] = {false}; // bodies beyond are taken as shown
    for (int i = 0; shown && i < phx_frame_points(surface); ++i) {
        int b = (int)shown->values[i];
        if (b >= 0 && b < BODIES / 100) {
            seen[b] = true;
        }
    }
    for (int i = 0; body && body->components == 1 && i < points; ++i) {
        int b = (int)body->values[i];
        keep[i] = b >= 0 && b < BODIES / 100 && !seen[b];
        count += keep[i];
    }
    phx_result result = phx_frame_create(count, 0, phx_frame_time(particles), NULL, rest);
    const double* from = phx_frame_positions((phx_frame*)(uintptr_t)particles);
    const phx_frame_field* field;
    for (int i = 0, to = 0; result == PHX_OK && i < points; ++i) {
        if (keep[i]) {
            memcpy(phx_frame_positions(*rest) + 3 * to++, from + 3 * i, 3 * sizeof(double));
        }
    }
    for (int f = 0; result == PHX_OK && (field = phx_frame_field_at(particles, f)); ++f) {
        float* values;
        size_t size = (size_t)field->components;
        result = phx_frame_add_field(*rest, field->name, field->components, &values);
        for (int i = 0, to = 0; result == PHX_OK && i < points; ++i) {
            if (keep[i]) {
                memcpy(values + size * (size_t)to++, field->values + size * (size_t)i, size * sizeof(float));
            }
        }
    }
    free(keep);
    return result;
}

// The surface of the same time, and a surface around the particles of bodies that cannot break.
static phx_result crack_all(cli_source* source, const phx_frame* particles, phx_frame** frame) {
    int best = 0;
    double time = phx_frame_time(particles);
    for (int i = 1; i < phx_frames_count(source->cracks); ++i) {
        bool nearer =
            fabs(phx_frames_time(source->cracks, i) - time) < fabs(phx_frames_time(source->cracks, best) - time);
        best = nearer ? i : best;
    }
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

phx_result cli_source_read(cli_source* source, int i, phx_frame** frame) {
    *frame = NULL;
    phx_frame* particles = NULL;
    phx_result result = phx_frames_read(source->frames, i, &particles);
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
