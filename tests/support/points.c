// SPDX-License-Identifier: MIT
#include "support/points.h"

typedef struct points_params {
    double spring;
    const char* note;
} points_params;

static const phx_param points_table_params[] = {
    PHXI_REAL(points_params, spring, "N/m", "0", 0, 1e15, "from each particle to the next"),
    PHXI_TEXT(points_params, note, "plain", "any text"),
};
static const phx_param_table points_table = {"points", "mass points", points_table_params, 2, sizeof(points_params)};

static const phxi_derived_field points_derived[] = {{"det_f", "", "always 2 here", 1}, {"gap", "m", "to the next", 1}};

typedef struct points_state {
    double last_dt;
    double* lengths[16]; // rest length of each spring, by body
} points_state;

static phx_result points_create(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static void points_destroy(void* state, phxi_step* step) {
    points_state* s = state;
    for (int b = 0; b < 16; ++b) {
        phxi_free(step->heap, s->lengths[b]);
    }
}

static phx_vec3 at(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static double spring_of(const phxi_body* body) {
    return ((const points_params*)body->params)->spring;
}

static phx_result points_add_body(void* state, phxi_step* step, int body) {
    points_state* s = state;
    const phxi_body* b = &step->bodies[body];
    double* lengths = phxi_alloc_zero(step->heap, (size_t)b->count, sizeof(double), "points");
    if (!lengths) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k + 1 < b->count; ++k) {
        lengths[k] = phxi_distance(at(step->particles, b->begin + k), at(step->particles, b->begin + k + 1));
    }
    s->lengths[body] = lengths;
    return PHX_OK;
}

static double points_stable_dt(void* state, phxi_step* step, char reason[160]) {
    double stable = INFINITY;
    (void)state;
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        double dt = sqrt((double)step->particles->mass[body->begin] / spring_of(body));
        if (spring_of(body) > 0 && dt < stable) {
            stable = dt;
            snprintf(reason, 160, "springs of body '%s'", body->name);
        }
    }
    return stable;
}

static phx_vec3 pull(const points_state* s, const phxi_step* step, int body, int k) {
    const phxi_body* b = &step->bodies[body];
    if (k < 0 || k + 1 >= b->count || spring_of(b) == 0) {
        return phxi_vec3(0, 0, 0);
    }
    phx_vec3 arm = phxi_sub(at(step->particles, b->begin + k + 1), at(step->particles, b->begin + k));
    double length = phxi_length(arm);
    return phxi_scale(spring_of(b) * (length - s->lengths[body][k]) / length, arm);
}

static void accelerate(const points_state* s, const phxi_step* step, int body) {
    const phxi_body* b = &step->bodies[body];
    for (int k = 0; k < b->count && spring_of(b) > 0; ++k) {
        int i = b->begin + k;
        phx_vec3 force = phxi_sub(pull(s, step, body, k), pull(s, step, body, k - 1));
        force = phxi_scale(1 / (double)step->particles->mass[i], force);
        phxi_vector_set(step->particles->acceleration, i, force);
    }
}

static void drift(phx_real* x, phx_real* v, const phx_real* a, phx_real* e, double push, double g, double dt,
                  double last_dt) {
    *v = (phx_real)(*v + 0.5 * dt * (*a + g + push) + 0.5 * last_dt * (push - *e));
    *x = (phx_real)(*x + dt * *v);
    *e = (phx_real)push;
}

static phx_result points_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    points_state* s = state;
    phxi_particles* p = step->particles;
    phx_vec3 g = step->gravity;
    phx_real *const *a = p->acceleration, *const *e = p->external;
    for (int n = 0; n < step->own_count; ++n) {
        int body = step->own[n], begin = step->bodies[body].begin, end = begin + step->bodies[body].count;
        for (int i = begin; i < end; ++i) {
            double m = p->mass[i];
            if (!p->fixed[i]) {
                drift(&p->x[i], &p->vx[i], &a[0][i], &e[0][i], p->fx[i] / m, g.x, dt, s->last_dt);
                drift(&p->y[i], &p->vy[i], &a[1][i], &e[1][i], p->fy[i] / m, g.y, dt, s->last_dt);
                drift(&p->z[i], &p->vz[i], &a[2][i], &e[2][i], p->fz[i] / m, g.z, dt, s->last_dt);
            }
        }
        accelerate(s, step, body);
        for (int i = begin; i < end; ++i) {
            if (!p->fixed[i]) {
                p->vx[i] = (phx_real)(p->vx[i] + 0.5 * dt * (a[0][i] + g.x + e[0][i]));
                p->vy[i] = (phx_real)(p->vy[i] + 0.5 * dt * (a[1][i] + g.y + e[1][i]));
                p->vz[i] = (phx_real)(p->vz[i] + 0.5 * dt * (a[2][i] + g.z + e[2][i]));
            }
            if (trouble->particle < 0 && !isfinite(p->x[i] + p->y[i] + p->z[i])) {
                *trouble = (phxi_trouble){i, "springs"};
            }
        }
    }
    s->last_dt = dt;
    return PHX_OK;
}

static void points_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    points_state* s = state;
    const phxi_body* b = &step->bodies[body];
    for (int k = 0; k < b->count; ++k) {
        if (!selected || selected[k]) {
            totals->force = phxi_add(totals->force, phxi_sub(pull(s, step, body, k), pull(s, step, body, k - 1)));
        }
        if (!selected && spring_of(b) > 0 && k + 1 < b->count) {
            double force = phxi_length(pull(s, step, body, k));
            totals->elastic += 0.5 * force * force / spring_of(b);
        }
    }
}

static void points_derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    (void)state;
    const phxi_body* b = &step->bodies[body];
    for (int k = 0; k < b->count; ++k) {
        int i = b->begin + k, j = k + 1 < b->count ? i + 1 : i;
        values[k] = field == 0 ? 2 : (phx_real)phxi_distance(at(step->particles, i), at(step->particles, j));
    }
}

static phx_result points_restored(void* state, phxi_step* step) {
    (void)state, (void)step;
    return PHX_OK;
}

static double* points_words(void* state) {
    return &((points_state*)state)->last_dt;
}

static const phxi_display_table points_display = {
    .fields = points_derived, .count = 2, .derive = points_derive, .volume_ratio = "det_f"};
static const phxi_saving_table points_saving = {.word_count = 1, .words = points_words, .restored = points_restored};

const phxi_method phxt_points = {
    .laws = PHXI_LAW_ELASTIC,
    .name = "points",
    .summary = "mass points and springs",
    .state_version = 1,
    .motion = PHXI_MOTION_ACCELERATION | PHXI_MOTION_EXTERNAL,
    .params = &points_table,
    .state_size = sizeof(points_state),
    .create = points_create,
    .destroy = points_destroy,
    .add_body = points_add_body,
    .stable_dt = points_stable_dt,
    .substep = points_substep,
    .measure = points_measure,
    .display = &points_display,
    .saving = &points_saving,
};

phx_world* phxt_world(const phx_world_def* def, phx_material_id* material) {
    phx_world* world = NULL;
    phx_material_def stuff = phx_material_def_default();
    phx_result result = phx_world_create(def, &world);
    if (result == PHX_OK) {
        result = phxi_world_add_solver(world, &phxt_points);
    }
    if (result == PHX_OK) {
        result = phx_material_create(world, &stuff, material);
    }
    if (!phxt_result(__FILE__, __LINE__, "phxt_world", result, PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

phx_result phxt_body(phx_world* world, const char* name, const char* shape, double spacing, const char* spring,
                     phx_body_id* body) {
    phx_setting setting = {"spring", spring};
    phx_body_def def = phx_body_def_default();
    def.name = name;
    def.shape = shape;
    def.spacing = spacing;
    def.material = phx_world_material_id(world, 0); // the first one
    def.method = "points";
    def.settings = &setting;
    def.setting_count = spring != NULL;
    return phx_body_create(world, &def, body);
}
