// SPDX-License-Identifier: MIT
// Bodies: from a definition to particles in the hands of a solver.
//
// phx_body_create is all or nothing. What it has done so far is kept in a `making`, and every failure goes through
// undo(), which takes back what is there in the opposite order. The method is asked last, so that nothing can fail
// after it has taken the body in.
#include "world/world.h"

#include "contact/reach.h"
#include "core/log.h"
#include "geometry/sample.h"
#include "materials/expansion.h"
#include "methods/choose.h"
#include "world/cells.h"
#include "world/shell.h"
#include "world/slow_sound.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------- solvers

static int find_solver(const phx_world* world, const phxi_method* method) {
    for (int i = 0; i < world->solvers.count; ++i) {
        if (world->solvers.items[i].method == method) {
            return i;
        }
    }
    return -1;
}

static bool has_field(const phx_world* world, const char* name) {
    for (int i = 0; phx_world_field_info(world, i); ++i) {
        if (strcmp(phx_world_field_info(world, i)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static phx_result add_field_infos(phx_world* world, const phxi_method* method) {
    for (int i = 0; method->display && i < method->display->count; ++i) {
        const phxi_derived_field* field = &method->display->fields[i];
        if (has_field(world, field->name)) {
            continue;
        }
        phx_field_info* info = phxi_array_add(&world->fields, &world->heap, "fields");
        if (!info) {
            return PHX_ERROR_MEMORY;
        }
        *info = (phx_field_info){field->name, field->unit, field->help, field->components};
    }
    return PHX_OK;
}

// The solver at the end of the list goes away, with all that phxi_world_add_solver added.
static void drop_solver(phx_world* world, int field_count, int info_count) {
    int last = world->solvers.count - 1;
    phxi_solver* solver = &world->solvers.items[last];
    phxi_step step = phxi_world_context(world, last);
    if (solver->state) {
        solver->method->destroy(solver->state, &step);
    }
    phxi_free(&world->heap, solver->state);
    phxi_array_destroy(&solver->own, &world->heap);
    world->solvers.count = last;
    world->fields.count = info_count;
    phxi_particles_drop_fields(&world->particles, field_count);
}

static phx_result start_solver(phx_world* world, phxi_solver* solver) {
    const phxi_method* method = solver->method;
    PHXI_TRY(phxi_particles_add_motion(&world->particles, method->motion));
    for (int i = 0; i < method->field_count; ++i) {
        PHXI_TRY(phxi_particles_add_field(&world->particles, &method->fields[i]));
    }
    PHXI_TRY(add_field_infos(world, method));
    solver->state = phxi_alloc_zero(&world->heap, 1, method->state_size, method->name);
    if (!solver->state) {
        return PHX_ERROR_MEMORY;
    }
    phxi_step step = phxi_world_context(world, world->solvers.count - 1);
    return method->create(solver->state, &step);
}

phx_result phxi_world_add_solver(phx_world* world, const phxi_method* method) {
    int field_count = world->particles.field_count, info_count = world->fields.count;
    phxi_solver* solver = phxi_array_add(&world->solvers, &world->heap, "solvers");
    if (!solver) {
        return PHX_ERROR_MEMORY;
    }
    *solver = (phxi_solver){.method = method};
    phx_result result = start_solver(world, solver);
    if (result != PHX_OK) {
        drop_solver(world, field_count, info_count);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------------- parameters

// Texts in it are copies, but for those that still are the table's.
static void params_destroy(phxi_heap* heap, const phx_param_table* table, void* params) {
    for (int i = 0; params && i < table->count; ++i) {
        const phx_param* param = &table->params[i];
        if (param->kind == PHX_PARAM_TEXT || param->kind == PHX_PARAM_SHAPE || param->kind == PHX_PARAM_WORDS) {
            char* text;
            memcpy(&text, (char*)params + param->offset, sizeof text);
            if (text != param->initial) {
                phxi_free(heap, text);
            }
        }
    }
    phxi_free(heap, params);
}

static phx_result params_fill(phxi_heap* heap, const phx_param_table* table, void* params, const phx_body_def* def) {
    phxi_params_defaults(table, params);
    for (int i = 0; i < def->setting_count; ++i) {
        const phx_setting* setting = &def->settings[i];
        if (!setting->name || !setting->value) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "setting %d has no name or no value", i);
        }
        const phx_param* param = phxi_param_find(table, setting->name);
        if (!param) {
            return PHX_ERROR_ARGUMENT;
        }
        PHXI_TRY(phxi_param_set(table, param, params, setting->value, heap));
    }
    return phxi_params_check(table, params);
}

// ---------------------------------------------------------------------------------------------------- making a body

typedef struct making {
    phx_world* world;
    const phx_body_def* def;
    phxi_body body;
    int index; // of the body
    char* definition;
    phxi_samples samples;
    int* order;
    int field_count, info_count; // before
    int plane_axis;              // across a slice; -1: it is none
    bool new_solver, has_id, has_particles, listed;
} making;

static phx_result check_def(const phx_world* world, const phx_body_def* def) {
    PHXI_TRY(phxi_params_check(&phxi_body_table, def));
    if (!def->mesh && (!def->shape || !def->shape[0])) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "neither mesh nor shape, expected one of them");
    }
    if (def->setting_count < 0 || (def->setting_count > 0 && !def->settings)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%d settings at NULL", def->setting_count);
    }
    for (int i = 0; i < world->bodies.count; ++i) {
        if (strcmp(world->bodies.items[i].name, def->name) == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "there is a body of this name already");
        }
    }
    if (!phxi_id_valid(&world->material_ids, def->material.index, def->material.generation)) {
        return phxi_fail(PHX_ERROR_STALE_ID, "its material is not one of this world");
    }
    return PHX_OK;
}

static phx_result choose_method(making* m, const phxi_method** method) {
    if (!m->def->method || !m->def->method[0]) {
        return phxi_method_choose(&m->body.material, method, &m->body.chosen_for);
    }
    // a solver may be there of a method that is not on the list
    const phx_world* world = m->world;
    for (int i = 0; i < world->solvers.count && !*method; ++i) {
        const phxi_method* one = world->solvers.items[i].method;
        *method = strcmp(one->name, m->def->method) == 0 ? one : NULL;
    }
    *method = *method ? *method : phxi_method_find(m->def->method);
    return *method ? phxi_method_check(*method, &m->body.material) : PHX_ERROR_ARGUMENT;
}

static phx_result choose_solver(making* m) {
    phx_world* world = m->world;
    const phxi_method* method = NULL;
    PHXI_TRY(choose_method(m, &method));
    m->body.solver = find_solver(world, method);
    if (m->body.solver < 0) {
        PHXI_TRY(phxi_world_add_solver(world, method));
        m->body.solver = world->solvers.count - 1;
        m->new_solver = true;
    }
    const phx_param_table* table = world->solvers.items[m->body.solver].method->params;
    m->body.params = phxi_alloc_zero(&world->heap, 1, table->size, "body parameters");
    return m->body.params ? params_fill(&world->heap, table, m->body.params, m->def) : PHX_ERROR_MEMORY;
}

/// The sampling of those who leave it to the method.
static phx_result choose_sampling(phxi_heap* heap, const phxi_method* method, phx_body_def* def) {
    bool conforming = method->sampling && method->sampling->conforming, sheet = false;
    if (conforming) {
        PHXI_TRY(phxi_sample_is_sheet(heap, def, &sheet));
    }
    def->sampling = conforming && !sheet ? PHX_SAMPLING_CONFORMING : PHX_SAMPLING_UNIFORM;
    return PHX_OK;
}

/// Bodies of few layers bend as other ones, by 6 % and more at two. Sheets and rods of one layer are another matter.
static void warn_thin(const phx_world* world, const phx_body_def* def, double thickness) {
    enum { LAYERS = 3 };
    if (thickness > 0 && thickness < (LAYERS - 1e-3) * def->spacing) {
        phxi_log(&world->def.log, PHX_LOG_WARNING,
                 "body '%s': most of it is only %.2g spacings thick, where bending is off by several percent; "
                 "expected %d or more: take a spacing of %.3g m, or, for a sheet or rod of one layer, one of at "
                 "least %.3g m",
                 def->name, thickness / def->spacing, LAYERS, thickness / LAYERS, thickness);
    }
}

static phx_result sample(making* m) {
    phx_sample_report report;
    phx_world* world = m->world;
    const phxi_method* method = world->solvers.items[m->body.solver].method;
    phx_body_def def = *m->def;
    if (def.sampling == PHX_SAMPLING_AUTO) {
        PHXI_TRY(choose_sampling(&world->heap, method, &def));
    }
    if (method->sampling && method->sampling->corners && def.sampling == PHX_SAMPLING_UNIFORM) {
        def.sampling = PHX_SAMPLING_VERTICES;
    }
    PHXI_TRY(phxi_sample_body(&world->heap, &def, &m->samples, &report));
    m->body.conforming = def.sampling == PHX_SAMPLING_CONFORMING && m->samples.areas; // a sheet has none
    if (m->body.conforming) {
        warn_thin(world, &def, m->samples.thickness);
    }
    if (method->sampling && method->sampling->shell) {
        const char* surface = NULL;
        double layers = method->sampling->shell(&m->body, &surface);
        PHXI_TRY(phxi_body_make_shell(&world->heap, m->def, layers, surface, &m->samples, &m->body.solid));
    }
    PHXI_NEW(m->order, &world->heap, m->samples.count, "body order");
    PHXI_TRY(phxi_curve_order(&world->heap, m->samples.positions, m->samples.count, 4 * m->def->spacing, m->order));
    m->body.count = m->samples.count;
    m->body.begin = world->particles.count;
    if (method->fracture && method->fracture->needs_cells && method->fracture->needs_cells(&m->body)) {
        int open;
        PHXI_TRY(phxi_body_make_cells(&world->heap, m->def, m->order, &m->samples, &m->body.cells, &open));
        if (open > 0) {
            phxi_log(
                &world->def.log, PHX_LOG_WARNING,
                "body '%s': its mesh has %d open edges; to break it got a closed surface around where the mesh winds "
                "around a point by more than a half, with vertices %.3g m apart",
                m->def->name, open, 0.5 * m->def->spacing);
        }
    }
    return PHX_OK;
}

// What decides about the body: its definition, and the parameters of its method.
static phx_result describe(making* m) {
    phx_world* world = m->world;
    const phxi_method* method = world->solvers.items[m->body.solver].method;
    const phx_body_def* def = m->def;
    const char* material = world->materials.items[def->material.index].name;
    phx_body_def known = *def;
    known.method = method->name;
    phxi_record record = phxi_record_begin(&world->heap, "bodies", def->name, -1);
    phxi_record_table(&record, &phxi_body_table, &known);
    phxi_record_mesh(&record, def->mesh);
    phxi_record_line(&record, "material", "%s (%d)", material ? material : "", def->material.index);
    phxi_record_line(&record, "particles", "%d", m->body.count);
    phxi_record_line(&record, "version of its method", "%u", method->state_version);
    phxi_record_table(&record, method->params, m->body.params);
    return phxi_record_end(&record, &m->definition);
}

// Room in every list, so that nothing can fail behind the method's back.
static phx_result reserve(making* m) {
    phx_world* world = m->world;
    phxi_heap* heap = &world->heap;
    bool good = phxi_definition_reserve(world) == PHX_OK && phxi_array_reserve(&world->bodies, 1, heap, "bodies") &&
                phxi_array_reserve(&world->extremes, 1, heap, "bodies") &&
                phxi_array_reserve(&world->heat.bodies, 1, heap, "bodies") &&
                phxi_array_reserve(&world->solvers.items[m->body.solver].own, 1, heap, "bodies");
    if (!good) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_id_take(&world->body_ids, heap, "bodies", &m->index, &m->body.generation));
    m->has_id = true;
    PHXI_TRY(phxi_particles_add(&world->particles, m->body.count));
    m->has_particles = true;
    return PHX_OK;
}

static phx_result check_particle(const phxi_particles* p, int i, double mass) {
    const bool single = sizeof(phx_real) == sizeof(float);
    const char* word = single ? "float" : "double";
    double low = single ? (double)FLT_MIN : DBL_MIN, high = single ? (double)FLT_MAX : DBL_MAX;
    double epsilon = single ? (double)FLT_EPSILON : DBL_EPSILON;
    phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    double step = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) * epsilon; // from one number to the next
    if (phxi_finite(x) && step > p->spacing[i] / 32) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a particle at (%g, %g, %g) m: positions so far from the origin are %g m apart in %s "
                         "precision, too coarse for a spacing of %g m",
                         x.x, x.y, x.z, step, word, (double)p->spacing[i]);
    }
    if (!phxi_finite(x) || !(mass >= low && mass <= high) || !(p->volume[i] > 0) || !(p->spacing[i] > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a particle of %g kg at (%g, %g, %g) m cannot be held in %s precision; mind the units", mass,
                         x.x, x.y, x.z, word);
    }
    return PHX_OK;
}

static void set_velocity(phxi_particles* p, const phxi_body* body, phx_vec3 velocity, phx_vec3 spin) {
    double mass = 0;
    phx_vec3 center = {0, 0, 0};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        mass += p->mass[i];
        center = phxi_add_scaled(center, p->mass[i], phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    center = phxi_scale(1 / mass, center);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), center);
        phx_vec3 v = phxi_add(velocity, phxi_cross(spin, arm));
        p->vx[i] = (phx_real)v.x;
        p->vy[i] = (phx_real)v.y;
        p->vz[i] = (phx_real)v.z;
    }
}

static phx_result fill_all(making* m, const phxi_expression* warmth) {
    phxi_particles* p = &m->world->particles;
    phxi_heat_law law = phxi_heat_law_of(&m->body.material);
    for (int k = 0; k < m->body.count; ++k) {
        int i = m->body.begin + k, from = m->order[k];
        phx_vec3 position = m->samples.positions[from];
        double volume = m->samples.volumes[from], mass = m->body.material.density * volume;
        p->body[i] = m->index;
        p->x[i] = p->rest_x[i] = (phx_real)position.x;
        p->y[i] = p->rest_y[i] = (phx_real)position.y;
        p->z[i] = p->rest_z[i] = (phx_real)position.z;
        p->volume[i] = (phx_real)volume;
        p->mass[i] = (phx_real)mass;
        p->spacing[i] = (phx_real)m->samples.spacings[from];
        if (m->samples.areas) {
            p->area_x[i] = (phx_real)m->samples.areas[from].x;
            p->area_y[i] = (phx_real)m->samples.areas[from].y;
            p->area_z[i] = (phx_real)m->samples.areas[from].z;
            p->surface[i] = (phx_real)m->samples.sizes[from];
        }
        double temperature = m->def->temperature + phxi_dot(m->def->temperature_gradient, position);
        temperature += phxi_start_temperature(warmth, position);
        if (!(temperature >= -273.15 && temperature <= 1e9)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "temperature, temperature_gradient and temperature_field make %g degrees C at (%g, %g, "
                             "%g) m, expected no "
                             "less than absolute zero, -273.15",
                             temperature, position.x, position.y, position.z);
        }
        phxi_enthalpy_set(p, i, &law, phxi_enthalpy_at(&law, temperature));
        PHXI_TRY(check_particle(p, i, mass));
    }
    PHXI_TRY(phxi_world_find_reach(m->world, &m->body));
    m->body.first_id = p->id[m->body.begin];
    set_velocity(p, &m->body, m->def->velocity, m->def->angular_velocity);
    PHXI_TRY(phxi_start_velocities(&m->world->heap, p, &m->body, m->def->velocity_field));
    if (m->body.solid) {
        phxi_body_choose_marks(p, m->body.begin, m->body.count, m->body.mark);
    }
    return PHX_OK;
}

static phx_result fill_particles(making* m) {
    phxi_expression* warmth;
    PHXI_TRY(phxi_start_temperature_parse(&m->world->heap, m->def->temperature_field, &warmth));
    phx_result result = fill_all(m, warmth);
    phxi_expression_destroy(&m->world->heap, warmth);
    return result;
}

static phxi_body_extremes extremes_of(const phxi_particles* p, const phxi_body* body) {
    phxi_body_extremes e = {.mass = INFINITY, .spacing = INFINITY, .count = body->count};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        double mass = p->mass[i], spacing = p->spacing[i], width = phxi_contact_width(p, i);
        e.mass = fmin(e.mass, mass);
        e.spacing = fmin(e.spacing, spacing);
        e.ratio = fmax(e.ratio, width / mass);
        e.ball_ratio = fmax(e.ball_ratio, phxi_ball_width(p, i) / mass);
        e.collider_ratio = fmax(e.collider_ratio, phxi_collider_width(p, i) / mass);
        e.stiffest = fmax(e.stiffest, width);
        e.surface = e.surface || phxi_on_surface(p, i);
    }
    return e;
}

// What contact moves may be more than a particle.
static phxi_body_extremes contact_extremes(phx_world* world, int body) {
    const phxi_body* b = &world->bodies.items[body];
    const phxi_solver* solver = &world->solvers.items[b->solver];
    phxi_body_extremes e = extremes_of(&world->particles, b);
    const phxi_touch_table* touch = solver->method->touch;
    if (touch && touch->contact_mass) {
        phxi_step step = phxi_world_context(world, b->solver);
        e.mass = touch->contact_mass(solver->state, &step, body);
        e.ratio = e.ball_ratio = e.stiffest / e.mass;
        e.collider_ratio = 0.5 * e.ratio;
    }
    return e;
}

void phxi_world_renew_extremes(phx_world* world, int body) {
    world->extremes.items[body] = contact_extremes(world, body);
}

static phx_result hand_over(making* m) {
    phx_world* world = m->world;
    phxi_solver* solver = &world->solvers.items[m->body.solver];
    world->bodies.items[world->bodies.count++] = m->body;
    solver->own.items[solver->own.count++] = m->index;
    m->listed = true;
    phxi_step step = phxi_world_context(world, m->body.solver);
    PHXI_TRY(solver->method->add_body(solver->state, &step, m->index));
    const phxi_touch_table* touch = solver->method->touch;
    if (touch && touch->modulus) {
        world->bodies.items[m->index].modulus = touch->modulus(solver->state, &step, m->index);
    }
    // a method may have ideas of its own about volumes, so these come last
    world->extremes.items[world->extremes.count++] = contact_extremes(world, m->index);
    world->heat.bodies.items[world->heat.bodies.count++] = phxi_world_heat_body(&m->body);
    phxi_world_heat_added(world, &m->body);
    phxi_world_expand(world, 1);
    phxi_definition_add(world, PHXI_OF_BODY, m->index, m->definition);
    return PHX_OK;
}

/// What others take it for.
static void set_role(phxi_body* body, const phxi_method* method) {
    const phxi_touch_table* touch = method->touch;
    const phxi_space_table* space = method->space;
    body->kinematic = touch && (touch->kinematic || (touch->is_kinematic && touch->is_kinematic(body)));
    body->ignores_colliders = body->kinematic || (touch && touch->meets_colliders);
    body->contact.family = body->kinematic && method->boundary ? PHXI_FAMILY_FLUID
                           : touch                             ? touch->family
                                                               : PHXI_FAMILY_NONE;
    body->reach = space ? space->reach(body) : 0;
    body->list_radius = space && space->list_radius ? space->list_radius(body) : body->reach;
}

/// What is slowed is strained many times as far as its material where it breaks: what warmth strains it by would be
/// right for its size or for its strength, never for both.
static phx_result set_expansion(making* m, const phxi_method* method) {
    phxi_body* body = &m->body;
    body->expands = phxi_expands(&body->material) && method->laws != PHXI_LAWS_SHAPE_KEPT;
    body->made_at = isfinite(m->def->reference_temperature) ? m->def->reference_temperature : m->def->temperature;
    if (body->expands && body->slowing > 1) {
        return phxi_fail(
            PHX_ERROR_UNSUPPORTED,
            "its material has an expansion of %g 1/K and is computed as if sound were slower (sound_limit), "
            "which makes it too soft for the stress of warmth; expected sound_limit: 0, or expansion: 0",
            body->material.expansion);
    }
    return body->expands ? phxi_particles_add_thermal(&m->world->particles) : PHX_OK;
}

static phx_result make(making* m) {
    PHXI_TRY(check_def(m->world, m->def));
    phxi_body_set_material(&m->body, &m->world->materials.items[m->def->material.index]);
    m->body.contact = (phxi_contact_traits){.others = m->def->contact,
                                            .self = m->def->self_contact,
                                            .stiffness = m->def->contact_stiffness,
                                            .damping = m->def->contact_damping,
                                            .friction = m->def->friction};
    m->body.slack = 1;
    m->body.thermal = m->def->thermal;
    m->body.plane = m->def->plane;
    PHXI_TRY(choose_solver(m));
    const phxi_method* method = m->world->solvers.items[m->body.solver].method;
    phxi_body_slow_sound(&m->body, method->fracture);
    set_role(&m->body, method);
    PHXI_TRY(set_expansion(m, method));
    PHXI_TRY(m->body.kinematic && method->boundary ? phxi_particles_add_boundary(&m->world->particles) : PHX_OK);
    PHXI_TRY(sample(m));
    PHXI_TRY(phxi_symmetry_check(m->def, method, &m->samples));
    PHXI_TRY(phxi_plane_find(m->def, method, &m->samples, &m->plane_axis));
    PHXI_TRY(describe(m));
    PHXI_TRY(reserve(m));
    PHXI_TRY(fill_particles(m));
    PHXI_TRY(hand_over(m));
    phxi_body_warn_slow_sound(m->world, &m->body);
    return PHX_OK;
}

static void undo(making* m) {
    phx_world* world = m->world;
    if (m->listed) {
        --world->bodies.count;
        --world->solvers.items[m->body.solver].own.count;
    }
    if (m->has_particles) {
        phxi_particles_drop(&world->particles, m->body.count);
    }
    if (m->has_id) {
        phxi_id_give(&world->body_ids, m->index);
    }
    phxi_free(&world->heap, m->definition);
    phxi_cell_complex_destroy(m->body.cells);
    phxi_solid_destroy(m->body.solid);
    if (m->body.params) {
        params_destroy(&world->heap, world->solvers.items[m->body.solver].method->params, m->body.params);
    }
    if (m->new_solver) {
        drop_solver(world, m->field_count, m->info_count);
    } else {
        phxi_particles_drop_fields(&world->particles, m->field_count);
    }
}

phx_result phx_body_create(phx_world* world, const phx_body_def* def, phx_body_id* body) {
    if (!world || !def || !body) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_body_create needs a world, a definition and a place for the id");
    }
    PHXI_TRY(phxi_stamp_check(def->stamp, PHXI_BODY_STAMP, "body"));
    making m = {
        .world = world, .def = def, .field_count = world->particles.field_count, .info_count = world->fields.count};
    PHXI_TRY(phxi_name_copy(m.body.name, "body", def->name));
    phx_result result = make(&m);
    phxi_free(&world->heap, m.order);
    phxi_samples_destroy(&world->heap, &m.samples);
    if (result != PHX_OK) {
        undo(&m);
    }
    if (result != PHX_OK) {
        return phxi_fail_within(result, "body '%s'", def->name);
    }
    *body = (phx_body_id){m.index, m.body.generation};
    world->energy.known = false;
    PHXI_TRY(phxi_symmetry_hold(world, def, m.index));
    return phxi_plane_hold(world, def, m.index, m.plane_axis);
}

// ---------------------------------------------------------------------------------------------------- existing ones

static phx_result check_id(const phx_world* world, phx_body_id body) {
    if (!phxi_id_valid(&world->body_ids, body.index, body.generation)) {
        return phxi_fail(PHX_ERROR_STALE_ID, "body id %d.%u is not one of this world", body.index, body.generation);
    }
    return PHX_OK;
}

phx_result phx_body_set_velocity(phx_world* world, phx_body_id body, phx_vec3 velocity, phx_vec3 spin) {
    PHXI_NEED(world);
    PHXI_TRY(check_id(world, body));
    if (!phxi_finite(velocity) || !phxi_finite(spin)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "velocity or spin is not finite");
    }
    const phxi_body* b = &world->bodies.items[body.index];
    set_velocity(&world->particles, b, velocity, spin);
    world->energy.known = false;
    return phxi_world_restore_solver(world, b->solver);
}

phx_result phx_body_range(const phx_world* world, phx_body_id body, int* begin, int* count) {
    PHXI_NEED(world && begin && count);
    PHXI_TRY(check_id(world, body));
    *begin = world->bodies.items[body.index].begin;
    *count = world->bodies.items[body.index].count;
    return PHX_OK;
}

phx_body_id phx_world_body_id(const phx_world* world, int index) {
    return (phx_body_id){index, world ? phxi_id_generation(&world->body_ids, index) : 0};
}

int phx_world_body_count(const phx_world* world) {
    return world ? world->bodies.count : 0;
}

const char* phx_world_body_name(const phx_world* world, int index) {
    return world && index >= 0 && index < world->bodies.count ? world->bodies.items[index].name : NULL;
}

const char* phx_world_body_method(const phx_world* world, int index) {
    bool good = world && index >= 0 && index < world->bodies.count;
    return good ? world->solvers.items[world->bodies.items[index].solver].method->name : NULL;
}

const char* phx_world_body_chosen_for(const phx_world* world, int index) {
    return world && index >= 0 && index < world->bodies.count ? world->bodies.items[index].chosen_for : NULL;
}
