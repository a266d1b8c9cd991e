// SPDX-License-Identifier: MIT
#include "show/shown_bodies.h"

#include "core/file.h"
#include "core/params.h"
#include "core/text.h"
#include "io/run_look.h"
#include "render/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BODIES = 100000, COLUMNS = 16 };

/// The file's text; NULL and PHX_OK: there is none.
static phx_result read_text(phxi_heap* heap, const char* folder, const char* name, char** path, char** text) {
    struct stat info;
    size_t size = 0;
    *text = NULL;
    *path = phxi_path_join(heap, folder, name);
    if (!*path) {
        return PHX_ERROR_MEMORY;
    }
    return stat(*path, &info) == 0 ? phxi_file_read(heap, *path, 0, text, &size) : PHX_OK;
}

/// The next line, without its end; NULL behind the last.
static char* take_line(char** rest) {
    char* line = *rest;
    if (!line || !*line) {
        return NULL;
    }
    char* end = strchr(line, '\n');
    *rest = end ? end + 1 : line + strlen(line);
    if (end) {
        *end = 0;
    }
    line[strcspn(line, "\r")] = 0;
    return line;
}

/// Splits at commas; the last column keeps what is left.
static int split(char* line, char* columns[COLUMNS]) {
    int count = 0;
    for (char* at = line; at && count < COLUMNS; ++count) {
        columns[count] = at;
        at = strchr(at, ',');
        if (at) {
            *at++ = 0;
        }
    }
    return count;
}

// "key=value;key=value"
static phx_result read_look(phxi_heap* heap, char* text, phx_look* look) {
    char* rest = NULL;
    for (char* key = strtok_r(text, ";", &rest); key; key = strtok_r(NULL, ";", &rest)) {
        char* value = strchr(key, '=');
        if (!value) {
            return phxi_fail(PHX_ERROR_FORMAT, "'%s' in a look, expected key=value", key);
        }
        *value++ = 0;
        const phx_param* param = phxi_param_find(&phxi_look_table, key);
        if (!param) {
            return PHX_ERROR_FORMAT;
        }
        for (char* c = value; param->kind == PHX_PARAM_VEC3 && *c; ++c) {
            *c = *c == ' ' ? ',' : *c;
        }
        PHXI_TRY(phxi_param_set(&phxi_look_table, param, look, value, heap));
    }
    return phxi_look_check(look);
}

static int find_draw(const char* word) {
    for (int i = 0; phxi_draw_words[i]; ++i) {
        if (strcmp(phxi_draw_words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

/// A length, volume or temperature; one that never comes (inf) only of the latter.
static phx_result set_number(const char* name, const char* text, bool temperature, double* value) {
    char* end;
    *value = strtod(text, &end);
    bool good = temperature ? !isnan(*value) : *value >= 0 && isfinite(*value);
    if (end == text || *end || !good) {
        return phxi_fail(PHX_ERROR_FORMAT, "%.20s '%.40s', expected a number", name, text);
    }
    return PHX_OK;
}

/// One column of a line, by the name that the first line gives it.
static phx_result set_column(phxi_heap* heap, phxi_shown_body* body, const char* name, char* text) {
    if (strcmp(name, "name") == 0) {
        snprintf(body->name, sizeof body->name, "%s", text);
    } else if (strcmp(name, "shown") == 0) {
        body->hidden = strcmp(text, "0") == 0;
    } else if (strcmp(name, "mesh") == 0) {
        snprintf(body->mesh, sizeof body->mesh, "%s", text);
    } else if (strcmp(name, "draw") == 0) {
        body->draw = find_draw(text);
        if (body->draw <= PHX_DRAW_AUTO) {
            return phxi_fail(PHX_ERROR_FORMAT, "drawn as '%.40s', which is not known", text);
        }
    } else if (strcmp(name, "method") == 0) {
        body->wall = strcmp(text, "wall") == 0;
    } else if (strcmp(name, "spacing") == 0) {
        return set_number(name, text, false, &body->spacing);
    } else if (strcmp(name, "volume") == 0) {
        return set_number(name, text, false, &body->volume);
    } else if (strcmp(name, "thickness") == 0) {
        return set_number(name, text, false, &body->thickness);
    } else if (strcmp(name, "solidus") == 0) {
        return set_number(name, text, true, &body->solidus);
    } else if (strcmp(name, "liquidus") == 0) {
        return set_number(name, text, true, &body->liquidus);
    } else if (strcmp(name, "look") == 0) {
        return read_look(heap, text, &body->look);
    }
    return PHX_OK;
}

static phx_result read_body(phxi_heap* heap, char* const* names, int count, char* line, phxi_shown_bodies* bodies) {
    char *columns[COLUMNS], *end;
    int found = split(line, columns);
    long index = strtol(columns[0], &end, 10);
    if (found != count || end == columns[0] || *end || index < 0 || index >= BODIES) {
        return phxi_fail(PHX_ERROR_FORMAT, "%d columns, body '%.20s', expected %d columns and the number of a body",
                         found, columns[0], count);
    }
    while (bodies->count <= index) {
        phxi_shown_body* added = phxi_array_add(bodies, heap, "shown bodies");
        if (!added) {
            return PHX_ERROR_MEMORY;
        }
        *added = (phxi_shown_body){.draw = PHX_DRAW_LIQUID, .look = phx_look_of_number(bodies->count - 1)};
    }
    phxi_shown_body* body = &bodies->items[index];
    for (int k = 1; k < count; ++k) {
        PHXI_TRY(set_column(heap, body, names[k], columns[k]));
    }
    // a run of before 0.2.0 says nothing about how it is drawn: what it kept a mesh of is a solid
    bool told = false;
    for (int k = 1; k < count; ++k) {
        told = told || strcmp(names[k], "draw") == 0;
    }
    body->draw = told ? body->draw : body->mesh[0] ? PHX_DRAW_SKIN : PHX_DRAW_LIQUID;
    return PHX_OK;
}

phx_result phxi_shown_bodies_parse(phxi_heap* heap, const char* path, char* text, phxi_shown_bodies* bodies) {
    char* names[COLUMNS];
    char* head = take_line(&text);
    int count = head ? split(head, names) : 0;
    char* line;
    for (int number_of_line = 2; (line = take_line(&text)); ++number_of_line) {
        phx_result result = read_body(heap, names, count, line, bodies);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "%s:%d", path, number_of_line), result;
        }
    }
    return PHX_OK;
}

phx_result phxi_shown_bodies_read(phxi_heap* heap, const char* folder, const char* file, phxi_shown_bodies* bodies) {
    char *path, *text;
    PHXI_TRY(read_text(heap, folder, file, &path, &text));
    return phxi_shown_bodies_parse(heap, path, text, bodies);
}

phx_result phxi_shown_walls_read(phxi_heap* heap, const char* folder, phxi_shown_walls* walls) {
    char *path, *text, *line;
    PHXI_TRY(read_text(heap, folder, "walls.csv", &path, &text));
    (void)take_line(&text);
    for (int number_of_line = 2; (line = take_line(&text)); ++number_of_line) {
        phx_plane* plane = phxi_array_add(walls, heap, "shown walls");
        if (!plane) {
            return PHX_ERROR_MEMORY;
        }
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &plane->point.x, &plane->point.y, &plane->point.z, &plane->normal.x,
                   &plane->normal.y, &plane->normal.z) != 6) {
            return phxi_fail(PHX_ERROR_FORMAT, "%s:%d: expected six numbers", path, number_of_line);
        }
    }
    return PHX_OK;
}
