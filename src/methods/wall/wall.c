// SPDX-License-Identifier: MIT
// The method of walls: no forces and no motion of their own; normals that turn along, and volumes as fluids see them.
#include "methods/wall/wall.h"

#include "geometry/solid.h"

enum {
    NORMAL,
    REST_NORMAL = 3,
    DEPTH = 6,
    VOLUME,
    FIELD_COUNT,
    GRAIN = 1024,
};

static const phxi_field_def fields[FIELD_COUNT] = {
    {PHXI_WALL_NORMAL_X, "", "unit normal of the surface above", PHXI_FIELD_REAL, false},
    {PHXI_WALL_NORMAL_Y, "", "unit normal of the surface above", PHXI_FIELD_REAL, false},
    {PHXI_WALL_NORMAL_Z, "", "unit normal of the surface above", PHXI_FIELD_REAL, false},
    {"wall.rest_normal_x", "", "the same before the body turned", PHXI_FIELD_REAL, false},
    {"wall.rest_normal_y", "", "the same before the body turned", PHXI_FIELD_REAL, false},
    {"wall.rest_normal_z", "", "the same before the body turned", PHXI_FIELD_REAL, false},
    {PHXI_WALL_DEPTH, "m", "how far below the surface", PHXI_FIELD_REAL, false},
    {PHXI_WALL_VOLUME, "m^3", "what fluids take for its volume", PHXI_FIELD_REAL, true},
};

const char* const phxi_sph_kernel_words[] = {"quintic", "cubic", NULL};
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

double phxi_sph_support(int kernel) {
    return kernel == PHXI_SPH_CUBIC ? 2 : 3;
}

double phxi_sph_sight(int kernel) {
    return phxi_sph_support(kernel) * (kernel == PHXI_SPH_QUINTIC && sizeof(phx_real) == 4 ? 0.99 : 1);
}

phxi_kernel phxi_sph_kernel_of(int kernel) {
    return kernel == PHXI_SPH_CUBIC ? PHXI_KERNEL_CUBIC : PHXI_KERNEL_QUINTIC;
}

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
    return phxi_sph_sight(params_of(body)->kernel);
}

/// Only volumes by Akinci ask for the walls around.
static bool ignores_own_kind(const phxi_body* body) {
    return params_of(body)->masses != PHXI_WALL_MASS_AKINCI;
}

static double shell(const phxi_body* body, const char** surface) {
    *surface = params_of(body)->surface;
    return params_of(body)->layers;
}

static void bind(const phxi_step* step, phx_real* data[FIELD_COUNT]) {
    for (int k = 0; k < FIELD_COUNT; ++k) {
        data[k] = phxi_particles_field(step->particles, fields[k].name);
    }
}

// ------------------------------------------------------------------------------------------------------------ normals

typedef struct turning {
    const phxi_body* body;
    phx_real* data[FIELD_COUNT];
    phxi_wall_pose pose;
} turning;

static void turn_part(void* context, int begin, int end, int block) {
    const turning* t = context;
    (void)block;
    for (int i = t->body->begin + begin; i < t->body->begin + end; ++i) {
        phx_real* const* from = &t->data[REST_NORMAL];
        phx_vec3 n = phxi_mat3_apply(&t->pose.rotation, phxi_vec3(from[0][i], from[1][i], from[2][i]));
        t->data[NORMAL][i] = (phx_real)n.x;
        t->data[NORMAL + 1][i] = (phx_real)n.y;
        t->data[NORMAL + 2][i] = (phx_real)n.z;
    }
}

static void turn_normals(phxi_step* step) {
    turning t = {0};
    bind(step, t.data);
    for (int k = 0; k < step->own_count; ++k) {
        t.body = &step->bodies[step->own[k]];
        t.pose = phxi_wall_pose_of(t.body, step->particles);
        phxi_parallel_for(step->pool, t.body->count, GRAIN, turn_part, &t);
    }
}

// ------------------------------------------------------------------------------------------------------------ volumes

typedef struct packing {
    const phxi_step* step;
    phx_real* volume;
} packing;

static const phxi_wall_params* wall_at(const phxi_step* step, int i) {
    const phxi_body* body = &step->bodies[step->particles->body[i]];
    return body->kinematic ? params_of(body) : NULL;
}

/// gamma / sum W over all walls around, itself too.
static void pack_part(void* context, int begin, int end, int block) {
    const packing* c = context;
    const phxi_near* near = c->step->near;
    (void)block;
    for (int a = begin; a < end; ++a) {
        const phxi_wall_params* own = wall_at(c->step, near->particle[a]);
        if (!own || own->masses != PHXI_WALL_MASS_AKINCI) {
            continue;
        }
        phxi_kernel kernel = phxi_sph_kernel_of(own->kernel);
        double sum = phxi_kernel_value(kernel, 0, (double)near->reach[a]);
        for (int64_t n = near->lists.start[a]; n < near->lists.start[a + 1]; ++n) {
            int b = near->lists.items[n];
            if (wall_at(c->step, near->particle[b])) {
                double support = 0.5 * ((double)near->reach[a] + (double)near->reach[b]);
                sum += phxi_kernel_value(kernel, phxi_length(phxi_near_delta(near, a, b)), support);
            }
        }
        c->volume[near->particle[a]] = (phx_real)(own->gamma / sum);
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
    packing c = {.step = step, .volume = phxi_particles_field(step->particles, PHXI_WALL_VOLUME)};
    phxi_parallel_for(step->pool, step->near->count, GRAIN, pack_part, &c);
    w->word = step->own_count;
}

// ------------------------------------------------------------------------------------------------------------- method

static phx_result add_body(void* state, phxi_step* step, int index) {
    const phxi_body* body = &step->bodies[index];
    phxi_particles* p = step->particles;
    phx_real* data[FIELD_COUNT];
    (void)state;
    bind(step, data);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->vx[i] != 0 || p->vy[i] != 0 || p->vz[i] != 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "a wall has no velocity of its own, expected a driver of kind velocity, move or twist");
        }
        phx_vec3 normal;
        double distance = phxi_solid_distance(body->solid, phxi_vec3(p->x[i], p->y[i], p->z[i]), &normal);
        data[DEPTH][i] = (phx_real)fmax(0, -distance); // particles of cells that stick out stand on the surface
        data[REST_NORMAL][i] = data[NORMAL][i] = (phx_real)normal.x;
        data[REST_NORMAL + 1][i] = data[NORMAL + 1][i] = (phx_real)normal.y;
        data[REST_NORMAL + 2][i] = data[NORMAL + 2][i] = (phx_real)normal.z;
        data[VOLUME][i] = p->volume[i];
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
    phx_real* data[FIELD_COUNT];
    const phxi_body* b = &step->bodies[body];
    (void)state;
    bind(step, data);
    for (int k = 0; k < b->count; ++k) {
        for (int c = 0; c < derived[field].components; ++c) {
            values[k * derived[field].components + c] = data[field == 0 ? NORMAL + c : DEPTH][b->begin + k];
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
    .field_count = FIELD_COUNT,
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
    .sampling = &sampling,
};
