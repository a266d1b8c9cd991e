// SPDX-License-Identifier: MIT
// The method of walls: no forces and no motion of their own; normals that turn along, and volumes as fluids see them.
#include "methods/wall/wall.h"

#include "geometry/solid.h"

enum { REST_NORMAL_FIELDS = 3, GRAIN = 1024 };

static const phxi_field_def fields[REST_NORMAL_FIELDS] = {
    {"wall.rest_normal_x", "", "unit normal of the surface above before the body turned", PHXI_FIELD_REAL, false},
    {"wall.rest_normal_y", "", "unit normal of the surface above before the body turned", PHXI_FIELD_REAL, false},
    {"wall.rest_normal_z", "", "unit normal of the surface above before the body turned", PHXI_FIELD_REAL, false},
};

static const char* const mass_words[] = {"volume", "akinci", NULL};

static const phx_param params[] = {
    PHXI_WORD(phxi_wall_params, kernel, phxi_sph_kernel_words, "quintic", "the same as that of the fluids"),
    PHXI_POSITIVE(phxi_wall_params, layers, "", "3", 1e6,
                  "how much of the body is kept, in spacings below its surface; fluids see 3 (quintic) or 2 (cubic)"),
    PHXI_WORD(phxi_wall_params, masses, mass_words, "volume",
              "volume: full layers of fluid at rest; akinci: by how densely the walls are sampled, for one layer"),
    PHXI_POSITIVE(phxi_wall_params, gamma, "", "0.7", 10,
                  "akinci: factor; 0.7 gives fluid beside a flat layer its density at rest"),
    PHXI_BOOL(phxi_wall_params, slip, "false", "fluids glide along it without friction"),
    PHXI_SHAPE(phxi_wall_params, surface, "",
               "the solid whose surface fluids see, where that is more than the body: plane() for a floor that repeats "
               "with the world's period; none: the body's own"),
};
static const phx_param_table table = {"wall", "bodies that fluids flow along, moved by drivers alone", params,
                                      sizeof params / sizeof params[0], sizeof(phxi_wall_params)};

typedef struct walls {
    double word; // bodies whose volumes were made from the walls around them
} walls;

static phx_result create(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    (void)state, (void)step;
}

static const phxi_wall_params* params_of(const phxi_body* body) {
    return body->params;
}

static double reach(const phxi_body* body) {
    return phxi_sph_support(params_of(body)->kernel);
}

static double list_radius(const phxi_body* body) {
    return phxi_sph_list_radius(params_of(body)->kernel);
}

/// Only volumes by Akinci ask for the walls around.
static bool ignores_own_kind(const phxi_body* body) {
    return params_of(body)->masses != PHXI_WALL_MASS_AKINCI;
}

static double shell(const phxi_body* body, const char** surface) {
    *surface = params_of(body)->surface;
    return params_of(body)->layers;
}

static void find_rest_normals(const phxi_particles* p, phx_real* rest[3]) {
    for (int k = 0; k < 3; ++k) {
        rest[k] = phxi_particles_field(p, fields[k].name);
    }
}

// ------------------------------------------------------------------------------------------------------------ normals

typedef struct turning {
    const phxi_body* body;
    phxi_particles* particles;
    phx_real* rest[3];
    phxi_mat3 rotation;
} turning;

static void turn_part(void* context, int begin, int end, int block) {
    const turning* t = context;
    (void)block;
    for (int i = t->body->begin + begin; i < t->body->begin + end; ++i) {
        phx_vec3 n = phxi_mat3_apply(&t->rotation, phxi_vector_at(t->rest, i));
        phxi_vector_set(t->particles->boundary_normal, i, n);
    }
}

static void turn_normals(phxi_step* step) {
    turning t = {.particles = step->particles};
    find_rest_normals(step->particles, t.rest);
    for (int k = 0; k < step->own_count; ++k) {
        t.body = &step->bodies[step->own[k]];
        t.rotation = phxi_boundary_pose_of(step->particles, t.body->begin, t.body->mark).rotation;
        phxi_parallel_for(step->pool, t.body->count, GRAIN, turn_part, &t);
    }
}

// ------------------------------------------------------------------------------------------------------------ volumes

/// Of the wall that particle i belongs to; NULL: it is no wall.
static const phxi_wall_params* wall_at(const phxi_step* step, int i) {
    const phxi_body *body = &step->bodies[step->particles->body[i]], *own = &step->bodies[step->own[0]];
    return body->solver == own->solver ? params_of(body) : NULL;
}

/// gamma / sum W over all walls around, itself too.
static void pack_part(void* context, int begin, int end, int block) {
    const phxi_step* step = context;
    const phxi_near* near = step->near;
    (void)block;
    for (int a = begin; a < end; ++a) {
        const phxi_wall_params* own = wall_at(step, near->particle[a]);
        if (!own || own->masses != PHXI_WALL_MASS_AKINCI) {
            continue;
        }
        phxi_kernel kernel = phxi_sph_kernel_of(own->kernel);
        double sum = phxi_kernel_value(kernel, 0, (double)near->reach[a]);
        for (int64_t n = near->lists.start[a]; n < near->lists.start[a + 1]; ++n) {
            int b = near->lists.items[n];
            if (wall_at(step, near->particle[b])) {
                double support = 0.5 * ((double)near->reach[a] + (double)near->reach[b]);
                sum += phxi_kernel_value(kernel, phxi_length(phxi_near_delta(near, a, b)), support);
            }
        }
        step->particles->boundary_volume[near->particle[a]] = (phx_real)(own->gamma / sum);
    }
}

static bool is_moving(const phxi_step* step) {
    const phxi_particles* p = step->particles;
    bool moving = false;
    for (int k = 0; !moving && k < step->own_count; ++k) {
        int i = step->bodies[step->own[k]].begin;
        moving = p->vx[i] != 0 || p->vy[i] != 0 || p->vz[i] != 0;
    }
    return moving;
}

/// Only walls that move change each other's sums.
static void pack(walls* w, phxi_step* step) {
    if (w->word == step->own_count && !(step->own_count > 1 && is_moving(step))) {
        return;
    }
    phxi_parallel_for(step->pool, step->near->count, GRAIN, pack_part, step);
    w->word = step->own_count;
}

// ------------------------------------------------------------------------------------------------------------- method

static phx_result add_body(void* state, phxi_step* step, int index) {
    const phxi_body* body = &step->bodies[index];
    phxi_particles* p = step->particles;
    phx_real* rest[3];
    (void)state;
    find_rest_normals(p, rest);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->vx[i] != 0 || p->vy[i] != 0 || p->vz[i] != 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "a wall has no velocity of its own, expected a driver of kind velocity, move or twist");
        }
        phx_vec3 normal;
        double distance = phxi_solid_distance(body->solid, phxi_vec3(p->x[i], p->y[i], p->z[i]), &normal);
        p->boundary_depth[i] = (phx_real)fmax(0, -distance); // particles of cells that stick out stand on the surface
        phxi_vector_set(rest, i, normal);
        phxi_vector_set(p->boundary_normal, i, normal);
        p->boundary_volume[i] = p->volume[i];
    }
    return PHX_OK;
}

static double stable_dt(void* state, phxi_step* step, char reason[160]) {
    (void)state, (void)step, (void)reason;
    return INFINITY;
}

static phx_result substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    (void)dt, (void)trouble;
    turn_normals(step);
    pack(state, step);
    return PHX_OK;
}

static void measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    const phxi_body* b = &step->bodies[body];
    (void)state;
    for (int k = 0; k < b->count; ++k) {
        int i = b->begin + k;
        if (!selected || selected[k]) {
            phx_vec3 a = phxi_vector_at(step->particles->acceleration, i);
            totals->force = phxi_add_scaled(totals->force, (double)step->particles->mass[i], a);
        }
    }
}

static const phxi_derived_field derived[] = {
    {"wall_normal", "", "unit normal of a wall's surface above its particles", 3},
    {"wall_depth", "m", "of a wall's particles below its surface", 1},
};

static void derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    const phxi_body* b = &step->bodies[body];
    const phxi_particles* p = step->particles;
    (void)state;
    for (int k = 0; k < b->count; ++k) {
        for (int c = 0; c < derived[field].components; ++c) {
            const phx_real* from = field == 0 ? p->boundary_normal[c] : p->boundary_depth;
            values[k * derived[field].components + c] = from[b->begin + k];
        }
    }
}

static phx_result restored(void* state, phxi_step* step) {
    (void)state;
    turn_normals(step);
    return PHX_OK;
}

static double* words(void* state) {
    return &((walls*)state)->word;
}

static void view(const void* state, const phxi_step* step, int index, phxi_boundary_view* made) {
    const phxi_body* body = &step->bodies[index];
    (void)state;
    *made = (phxi_boundary_view){.present = true,
                                 .kernel = params_of(body)->kernel,
                                 .slip = params_of(body)->slip,
                                 .pose = phxi_boundary_pose_of(step->particles, body->begin, body->mark),
                                 .solid = body->solid};
}

static const phxi_boundary_table boundary = {.view = view};
static const phxi_display_table display = {
    .fields = derived, .count = sizeof derived / sizeof derived[0], .derive = derive};
static const phxi_saving_table saving = {.word_count = 1, .words = words, .restored = restored};
static const phxi_touch_table touch = {.family = PHXI_FAMILY_FLUID, .kinematic = true};
static const phxi_space_table space = {
    .reach = reach, .list_radius = list_radius, .ignores_own_kind = ignores_own_kind};
static const phxi_sampling_table sampling = {.shell = shell};

const phxi_method phxi_method_wall = {
    .name = "wall",
    .summary = "walls of fluids: any shape or mesh, moved by drivers alone",
    .state_version = 1,
    .motion = PHXI_MOTION_ACCELERATION, // force of fluids by mass
    .fields = fields,
    .field_count = REST_NORMAL_FIELDS,
    .params = &table,
    .state_size = sizeof(walls),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = stable_dt,
    .substep = substep,
    .measure = measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .space = &space,
    .boundary = &boundary,
    .sampling = &sampling,
};
