// SPDX-License-Identifier: MIT
// A body, drawn as what it is.
#include "show/show.h"

#include <phyxel/io.h>
#include "core/file.h"
#include "math/vec3.h"
#include "surface/stones.h"

#include <math.h>
#include <string.h>

enum { MOST_STONES = 2000000 };

static const phxi_shown_body no_body = {.name = "particles", .draw = PHX_DRAW_LIQUID};

static const phxi_shown_body* body_of(const phx_show* show, int body) {
    return show->bodies.count > 0 ? &show->bodies.items[body] : &no_body;
}

bool phxi_show_is_cloud(const phx_show* show) {
    const phx_frame* first = show->first;
    return show->bodies.count == 0 && first && first->points > 0 && first->triangles == 0 &&
           !phx_frame_find(first, "body");
}

static int draw_of(const phx_show* show, int body) {
    int own = phxi_show_is_cloud(show) ? PHX_DRAW_POINTS : body_of(show, body)->draw;
    bool can = show->def.draw != PHX_DRAW_SKIN || body_of(show, body)->mesh[0];
    return show->def.draw != PHX_DRAW_AUTO && can ? show->def.draw : own;
}

static phx_look look_of(const phx_show* show, int body) {
    return show->bodies.count > 0 ? show->bodies.items[body].look : phx_look_of_number(0);
}

// -------------------------------------------------------------------------------------------------------- first frame

phx_result phxi_show_know(phx_show* show, int body) {
    phxi_shown_state* state = &show->states[body];
    phx_frame* first = NULL;
    if (state->known) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_show_pick(show, show->first, body, &first));
    phx_vec3 low = {1, 1, 1}, high = {-1, -1, -1};
    state->size = phx_frame_bounds(first, &low, &high) ? 0.5 * phxi_distance(low, high) : 0;
    state->spacing = body_of(show, body)->spacing;
    if (!(state->spacing > 0) && first->points > 0) {
        state->spacing = phxi_frame_spacing(first);
    }
    double volume = body_of(show, body)->volume;
    state->volume = volume > 0 ? volume : pow(state->spacing, 3);
    int draw = draw_of(show, body);
    phx_result result = PHX_OK;
    if (first->points > 0 && (draw == PHX_DRAW_SKIN || draw == PHX_DRAW_TUBE || draw == PHX_DRAW_SHEET)) {
        result = phxi_rest_shape_create(&show->heap, first, state->spacing, &state->rest);
    }
    state->known = result == PHX_OK;
    phx_frame_destroy(first);
    return result;
}

// -------------------------------------------------------------------------------------------------------- by kind

static phx_result add_liquid(phx_show* show, int body, const phx_frame* particles, const phx_frame* solids,
                             phx_frame** surface) {
    phxi_shown_state* state = &show->states[body];
    phx_liquid_def def = phx_liquid_def_default();
    def.spacing = state->spacing;
    def.cell = show->def.cell;
    def.planes = show->walls.items;
    def.plane_count = show->walls.count;
    def.solids = solids;
    def.threads = show->def.threads;
    if (state->ball == 0) { // once, or the surface would breathe
        phx_frame* first = NULL;
        PHXI_TRY(phxi_show_pick(show, show->first, body, &first));
        phx_result result = first->points == 0
                                ? (state->ball = def.ball, PHX_OK)
                                : phx_liquid_fit(first, &def, state->volume * first->points, &state->ball);
        phx_frame_destroy(first);
        PHXI_TRY(result);
    }
    def.ball = state->ball;
    def.volume = state->volume * particles->points;
    return phx_liquid_surface(particles, &def, surface);
}

/// All but what looks are made of.
static void drop_fields(phx_frame* particles) {
    static const char* const kept[] = {"temperature", "color", "spacing"};
    for (int i = particles->fields.count - 1; i >= 0; --i) {
        const char* name = particles->fields.items[i].name;
        bool keep = false;
        for (int k = 0; k < 3; ++k) {
            keep = keep || strcmp(name, kept[k]) == 0;
        }
        if (!keep) {
            phxi_frame_drop(particles, name);
        }
    }
}

static phx_result make_skin(phx_show* show, int body, const phx_frame* carried) {
    phx_mesh** mesh = &show->states[body].mesh;
    char* path = phxi_path_join(&show->heap, show->folder, body_of(show, body)->mesh);
    phx_result result = path ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK && !*mesh) {
        result = phx_mesh_load(path, mesh);
    }
    phxi_free(&show->heap, path);
    if (result == PHX_OK) {
        phx_skin_def def = phx_skin_def_default();
        def.mesh = *mesh;
        def.particles = carried;
        result = phx_skin_create(&def, &show->states[body].skin);
    }
    return result;
}

/// By the fields of the frame where it has them, else by what its particles did since the first frame. NULL in
/// `surface`: it has flowed or is in pieces.
static phx_result add_skin(phx_show* show, int body, const phx_frame* particles, phx_frame** surface) {
    const phxi_shown_state* state = &show->states[body];
    phx_frame* carried = NULL;
    if (!body_of(show, body)->mesh[0] || phxi_rest_shape_torn(&state->rest, particles)) {
        return PHX_OK;
    }
    bool ready = phx_frame_find(particles, "rest") && phx_frame_find(particles, "deformation");
    if (!ready) {
        PHXI_TRY(phxi_rest_shape_carry(&state->rest, particles, &carried));
    }
    const phx_frame* from = ready ? particles : carried;
    phx_result result = state->skin ? PHX_OK : make_skin(show, body, from);
    result = result == PHX_OK ? phx_skin_apply(state->skin, from, surface) : result;
    static const char* const carriers[] = {"rest", "deformation", "spacing"};
    for (int i = 0; i < 3 && result == PHX_OK; ++i) { // of no use to others; where it is torn, it would lack them
        if (!phx_frame_find(particles, carriers[i])) {
            phxi_frame_drop(*surface, carriers[i]);
        }
    }
    phx_frame_destroy(carried);
    return result;
}

phx_result phxi_show_skin(phx_show* show, int body, const phx_frame* particles, phx_frame** skin) {
    *skin = NULL;
    PHXI_TRY(phxi_show_know(show, body));
    return show->states[body].rest.spacing > 0 ? add_skin(show, body, particles, skin) : PHX_OK;
}

static phx_result add_grains(phx_show* show, int body, const phx_frame* particles, phx_frame** stones) {
    phx_look look = look_of(show, body);
    double spacing = show->states[body].spacing;
    phxi_stones_def def = {.spacing = spacing > 0 ? spacing : phxi_frame_spacing(particles),
                           .stones = look.grains,
                           .color = {(float)look.color.x, (float)look.color.y, (float)look.color.z},
                           .vary = (float)look.vary,
                           .most = MOST_STONES};
    return phxi_stones(particles, &def, stones);
}

// --------------------------------------------------------------------------------------------------------- by warmth

static float step(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return (float)(t * t * (3 - 2 * t));
}

/// What is hot glows, and what is molten is smooth.
static phx_result add_warmth(const phxi_shown_body* body, phx_frame* surface) {
    const phx_frame_field* temperature = phx_frame_find(surface, "temperature");
    const phx_look* look = &body->look;
    bool glows = look->glow_full > look->glow_from, melts = look->wet_roughness > 0 && body->liquidus > body->solidus;
    if (!temperature || temperature->components != 1 || (!glows && !melts)) {
        return PHX_OK;
    }
    float *glow = NULL, *roughness = NULL;
    if (glows) {
        PHXI_TRY(phx_frame_add_field(surface, "glow", 3, &glow));
    }
    if (melts) {
        PHXI_TRY(phx_frame_add_field(surface, "roughness", 1, &roughness));
    }
    temperature = phx_frame_find(surface, "temperature");
    for (int i = 0; i < surface->points; ++i) {
        double t = (double)temperature->values[i];
        double hot = fmin(fmax((t - look->glow_from) / (look->glow_full - look->glow_from), 0), 1.3);
        if (glow) { // red first, yellow when it is bright
            glow[3 * i] = (float)(2.2 * hot * hot);
            glow[3 * i + 1] = (float)(0.62 * pow(hot, 3.5));
            glow[3 * i + 2] = (float)(0.05 * pow(hot, 8));
        }
        if (roughness) {
            float wet = step(body->solidus, body->liquidus, t);
            roughness[i] = (float)look->roughness + wet * (float)(look->wet_roughness - look->roughness);
        }
    }
    return PHX_OK;
}

phx_result phxi_show_body(phx_show* show, int body, phx_frame* particles, const phx_frame* solids) {
    phx_frame* surface = NULL;
    phx_look look = look_of(show, body);
    int draw = draw_of(show, body);
    bool made = false, skinned = false;
    PHXI_TRY(phxi_show_know(show, body));
    const phxi_shown_state* state = &show->states[body];
    double half = 0.5 * body_of(show, body)->thickness;
    if (draw == PHX_DRAW_TUBE) {
        PHXI_TRY(phxi_rest_shape_tubes(&state->rest, particles, half > 0 ? half : 0.25 * state->rest.spacing, &surface,
                                       &made));
    } else if (draw == PHX_DRAW_SHEET) {
        PHXI_TRY(phxi_rest_shape_sheet(&state->rest, particles, half > 0 ? 2 * half : 0.2 * state->rest.spacing,
                                       &surface, &made));
    } else if (draw == PHX_DRAW_SKIN) {
        PHXI_TRY(add_skin(show, body, particles, &surface));
        skinned = surface != NULL;
    } else if (draw == PHX_DRAW_GRAINS) {
        PHXI_TRY(add_grains(show, body, particles, &surface));
    } else if (draw == PHX_DRAW_POINTS) {
        PHXI_TRY(phxi_frame_copy(particles, &surface));
    }
    if (!surface) { // a liquid, or what has become like one
        if (show->def.bare) {
            drop_fields(particles);
        }
        PHXI_TRY(add_liquid(show, body, particles, solids, &surface));
    }
    phx_result result = show->bodies.count > 0 ? add_warmth(body_of(show, body), surface) : PHX_OK;
    if (result != PHX_OK) {
        phx_frame_destroy(surface);
        return result;
    }
    const phx_mesh* mesh = skinned ? state->mesh : NULL;
    PHXI_TRY(phxi_show_add(show, body, surface, &look, state->size));
    show->parts.items[show->parts.count - 1].mesh = mesh;
    return PHX_OK;
}
