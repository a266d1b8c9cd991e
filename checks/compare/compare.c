// SPDX-License-Identifier: MIT
// One scene with several methods: phx_compare.
//
//   accuracy   the scene is built and run for every method and spacing; a column of a probe becomes one number
//   stability  short runs with forced substeps, longer and longer, then bisection: stable is what stays finite and not
//              ten times as fast as the run before
//   cost       processor time of the steps, by the clock of the process
#include <checks/compare.h>

#include "core/error.h"
#include "core/text.h"
#include "io/probe_line.h"
#include "io/scene.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STAMP      0x434f4d50u
#define SAMPLES    400 // of a run, if the probe does not say
#define SHORT      200 // substeps of a run that looks for stability
#define DOUBLINGS  6
#define BISECTIONS 6
#define RUNAWAY    10.0 // times the largest speed of the run with its own substeps

enum { MOST_OVERRIDES = 128, TEXT = 256 };

phx_compare_def phx_compare_def_default(void) {
    return (phx_compare_def){.column = "z", .exact = NAN, .stability = true, .threads = 1, .stamp = STAMP};
}

/// One run of it.
typedef struct trial {
    const phx_compare_def* def;
    const char* method;
    double spacing; // NaN: as in the scene
    int column, probe;
    double fastest; // m/s
} trial;

// ------------------------------------------------------------------------------------------------------------- scenes

typedef struct overrides {
    char texts[16][TEXT]; // of the method and the spacing
    const char* items[MOST_OVERRIDES + 1];
    int count;
} overrides;

static phx_result add_override(overrides* o, int* texts, const char* key, const char* value, int length) {
    if (*texts == 16 || o->count == MOST_OVERRIDES) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "too many settings, expected at most %d", MOST_OVERRIDES);
    }
    int size = snprintf(o->texts[*texts], TEXT, "%s%.*s", key, length, value);
    if (size >= TEXT) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%s%.*s' is longer than %d letters", key, length, value, TEXT - 1);
    }
    o->items[o->count++] = o->texts[(*texts)++];
    return PHX_OK;
}

/// "fem:integrator=bdf2" becomes bodies.*.method=fem and bodies.*.fem.integrator=bdf2.
static phx_result list_overrides(const trial* t, overrides* o) {
    int texts = 0, name = (int)strcspn(t->method, ":");
    o->count = 0;
    for (const char* const* item = t->def->overrides; item && *item; ++item) {
        if (o->count == MOST_OVERRIDES) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "too many settings, expected at most %d", MOST_OVERRIDES);
        }
        o->items[o->count++] = *item;
    }
    PHXI_TRY(add_override(o, &texts, "bodies.*.method=", t->method, name));
    char key[TEXT];
    snprintf(key, sizeof key, "bodies.*.%.*s.", name < 64 ? name : 64, t->method);
    for (const char* at = t->method + name; *at == ':';) {
        int length = (int)strcspn(++at, ":");
        PHXI_TRY(add_override(o, &texts, key, at, length));
        at += length;
    }
    if (!isnan(t->spacing)) {
        char value[32];
        phxi_format_double(t->spacing, value);
        PHXI_TRY(add_override(o, &texts, "bodies.*.spacing=", value, (int)strlen(value)));
    }
    o->items[o->count] = NULL;
    return PHX_OK;
}

static const char* probe_name(const void* context, int i) {
    return ((const phx_scene*)context)->probes.items[i].def.name;
}

static phx_result find_probe(const phx_scene* scene, const char* name, int* index) {
    if (scene->probes.count == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%s has no probe, expected one whose column is compared", scene->name);
    }
    for (*index = 0; *index < scene->probes.count && name; ++*index) {
        if (strcmp(probe_name(scene, *index), name) == 0) {
            return PHX_OK;
        }
    }
    if (!name) {
        return PHX_OK;
    }
    const char* meant = phxi_did_you_mean(name, scene->probes.count, probe_name, scene);
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s has no probe '%s', expected %s'%s'", scene->name, name,
                     meant ? "" : "for example ", meant ? meant : probe_name(scene, 0));
}

static phx_result open_trial(trial* t, phx_scene** scene, phx_world** world) {
    overrides o;
    phx_world_def def = phx_world_def_default();
    def.threads = t->def->threads;
    PHXI_TRY(list_overrides(t, &o));
    PHXI_TRY(phx_scene_load(t->def->scene, o.items, scene));
    PHXI_TRY(find_probe(*scene, t->def->probe, &t->probe));
    return phx_scene_build(*scene, &def, world);
}

// ----------------------------------------------------------------------------------------------------------- accuracy

/// What is kept of a column on its way.
typedef struct series {
    double first, last, most, least;
    double *time, *value;
    int count;
} series;

static phx_result sample(const trial* t, const phx_world* world, series* s) {
    double numbers[PHXI_PROBE_COLUMNS], now = phx_world_time(world);
    phx_probe_id probe = phx_world_probe_id(world, t->probe);
    PHXI_TRY(phxi_probe_line(world, probe, now, numbers));
    double value = numbers[t->column];
    s->first = s->count ? s->first : value;
    s->last = value;
    s->most = s->count ? fmax(s->most, value) : value;
    s->least = s->count ? fmin(s->least, value) : value;
    s->time[s->count] = now;
    s->value[s->count++] = value;
    if (t->def->curve) {
        t->def->curve(t->def->context, t->method, t->spacing, now, value);
    }
    return PHX_OK;
}

/// Between the first and the last passage upwards through the mean; NaN if there are not two.
static double period_of(const series* s) {
    double mean = 0, first = NAN, last = NAN;
    int passages = 0;
    for (int k = 0; k < s->count; ++k) {
        mean += s->value[k] / s->count;
    }
    for (int k = 1; k < s->count; ++k) {
        double a = s->value[k - 1] - mean, b = s->value[k] - mean;
        if (a < 0 && b >= 0) {
            last = s->time[k - 1] + (s->time[k] - s->time[k - 1]) * a / (a - b);
            first = passages++ == 0 ? last : first;
        }
    }
    return passages > 1 ? (last - first) / (passages - 1) : NAN;
}

static double quantity_of(int quantity, const series* s) {
    switch ((phx_compare_quantity)quantity) {
    case PHX_COMPARE_END:
        return s->last;
    case PHX_COMPARE_MOST:
        return s->most;
    case PHX_COMPARE_LEAST:
        return s->least;
    case PHX_COMPARE_PERIOD:
        return period_of(s);
    default:
        return s->last - s->first;
    }
}

static double processor_time(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static phx_result follow(trial* t, const phx_scene* scene, phx_world* world, series* s, phx_compare_row* row) {
    double every = scene->probes.items[t->probe].def.every, duration = scene->run.duration;
    int count = every > 0 ? (int)ceil(duration / every - 1e-9) : SAMPLES;
    PHXI_TRY(sample(t, world, s));
    for (int k = 1; k <= count; ++k) {
        phx_totals totals;
        double to = k == count ? duration : duration * k / count, start = processor_time();
        PHXI_TRY(phx_world_step(world, to - phx_world_time(world)));
        row->cpu += processor_time() - start;
        PHXI_TRY(phx_world_measure(world, &totals));
        t->fastest = fmax(t->fastest, totals.max_speed);
        PHXI_TRY(sample(t, world, s));
    }
    row->particles = phx_world_particles(world).count;
    row->substeps = phx_world_substeps(world);
    row->dt = row->substeps > 0 ? duration / (double)row->substeps : NAN;
    row->value = quantity_of(t->def->quantity, s);
    return PHX_OK;
}

static phx_result measure(trial* t, const phx_scene* scene, phx_world* world, phx_compare_row* row) {
    double every = scene->probes.items[t->probe].def.every, lines = scene->run.duration / every;
    if (every > 0 && !(lines < 1e7)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "probe '%s' says %g lines, expected less than 1e7",
                         scene->probes.items[t->probe].def.name, lines);
    }
    size_t most = (size_t)(every > 0 ? (int)ceil(lines) : SAMPLES) + 2;
    series s = {.time = phxi_alloc(&world->heap, 2 * most, sizeof(double), "comparison")};
    if (!s.time) {
        return PHX_ERROR_MEMORY;
    }
    s.value = s.time + most;
    phx_result result = follow(t, scene, world, &s, row);
    phxi_free(&world->heap, s.time);
    return result;
}

// ---------------------------------------------------------------------------------------------------------- stability

/// Whether substeps of this size keep quiet.
static phx_result try_dt(trial* t, double dt, bool* stable) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_result result = open_trial(t, &scene, &world);
    *stable = true;
    for (int k = 0; k < SHORT && result == PHX_OK && *stable; ++k) {
        phx_totals totals = {0};
        result = phx_world_substep(world, dt);
        if (result == PHX_ERROR_UNSTABLE) {
            *stable = false;
            result = PHX_OK;
        } else if (result == PHX_OK && k % 10 == 9) {
            result = phx_world_measure(world, &totals);
            *stable = totals.max_speed <= RUNAWAY * t->fastest;
        }
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
    return result;
}

static phx_result find_stable(trial* t, phx_compare_row* row) {
    double low = 0, high = row->own_dt;
    bool stable = true;
    for (int k = 0; k <= DOUBLINGS && stable; ++k) {
        PHXI_TRY(try_dt(t, high, &stable));
        low = stable ? high : low;
        high *= stable && k < DOUBLINGS ? 2 : 1;
    }
    for (int k = 0; k < BISECTIONS && !stable; ++k) {
        double middle = low > 0 ? 0.5 * (low + high) : 0.5 * high;
        bool good;
        PHXI_TRY(try_dt(t, middle, &good));
        *(good ? &low : &high) = middle;
    }
    row->stable_dt = low;
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- rows

static bool is_method_trouble(phx_result result) {
    return result != PHX_OK && result != PHX_ERROR_MEMORY;
}

/// One method at one spacing. What the method cannot do stands in its row.
static phx_result fill_row(trial* t, bool stability, phx_compare_row* row) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_dt_info info;
    *row = (phx_compare_row){.method = t->method, .spacing = t->spacing, .own_dt = NAN, .stable_dt = NAN};
    row->value = row->error = row->exact = row->dt = NAN;
    t->fastest = 0;
    phx_result result = open_trial(t, &scene, &world);
    result = result == PHX_OK ? phx_world_dt(world, &info) : result;
    if (result == PHX_OK) {
        row->own_dt = isfinite(info.stable) ? info.stable : info.dt;
        result = measure(t, scene, world, row);
    }
    phx_world_destroy(world);
    phx_scene_destroy(scene);
    if (result == PHX_OK && stability) {
        result = find_stable(t, row);
    }
    row->result = result;
    if (is_method_trouble(result)) {
        snprintf(row->trouble, sizeof row->trouble, "%s", phx_error_message());
        result = PHX_OK;
    }
    return result;
}

static phx_result check(const phx_compare_def* def, int* column, int* methods) {
    PHXI_TRY(phxi_stamp_check(def->stamp, STAMP, "compare"));
    for (*methods = 0; def->methods && def->methods[*methods]; ++*methods) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(def->methods[*methods], ":"), def->methods[*methods]);
        if (!phxi_method_find(name)) {
            return PHX_ERROR_ARGUMENT;
        }
    }
    *column = def->column ? phxi_probe_column(def->column) : -1;
    if (!def->scene || *methods == 0 || !def->row) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "nothing to compare: expected a scene, methods and a callback");
    }
    if (*column < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "no probe has a column '%s', expected one of %.*s",
                         def->column ? def->column : "", (int)strlen(phxi_probe_head) - 1, phxi_probe_head);
    }
    if (def->quantity < 0 || def->quantity >= PHX_COMPARE_COUNT || def->spacing_count < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "quantity %d of %d spacings, expected 0 to %d, and no less than 0",
                         def->quantity, def->spacing_count, PHX_COMPARE_COUNT - 1);
    }
    return PHX_OK;
}

/// The scene itself must be good: read once with the first method, before anything is run.
static phx_result check_scene(const phx_compare_def* def) {
    trial t = {def, def->methods[0], def->spacing_count ? def->spacings[0] : NAN, 0, 0, 0};
    overrides o;
    phx_scene* scene = NULL;
    PHXI_TRY(list_overrides(&t, &o));
    phx_result result = phx_scene_load(def->scene, o.items, &scene);
    result = result == PHX_OK ? find_probe(scene, def->probe, &t.probe) : result;
    phx_scene_destroy(scene);
    return result;
}

phx_result phx_compare(const phx_compare_def* def) {
    int column, methods, levels = def->spacing_count > 0 ? def->spacing_count : 1;
    PHXI_TRY(check(def, &column, &methods));
    PHXI_TRY(check_scene(def));
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_compare_row* rows = phxi_alloc_zero(&heap, (size_t)(methods * levels), sizeof *rows, "comparison");
    phx_result result = rows ? PHX_OK : PHX_ERROR_MEMORY;
    for (int k = 0; k < methods * levels && result == PHX_OK; ++k) {
        trial t = {.def = def, .method = def->methods[k / levels], .column = column};
        t.spacing = def->spacing_count > 0 ? def->spacings[k % levels] : NAN;
        result = fill_row(&t, def->stability && k % levels == 0, &rows[k]);
    }
    double exact = result == PHX_OK && isnan(def->exact) ? rows[levels - 1].value : def->exact;
    for (int k = 0; k < methods * levels && result == PHX_OK; ++k) {
        rows[k].exact = exact;
        rows[k].error = fabs(rows[k].value - exact) / fabs(exact);
        def->row(def->context, &rows[k]);
    }
    phxi_free(&heap, rows);
    phxi_heap_destroy(&heap);
    return result;
}

double phx_compare_cost(const phx_compare_row* rows, int count, double error) {
    double best = NAN;
    for (int k = 0; k < count; ++k) {
        const phx_compare_row *fine = &rows[k], *coarse = k > 0 ? &rows[k - 1] : NULL;
        if (!(fine->error <= error) || fine->result != PHX_OK) {
            continue;
        }
        double cost = fine->cpu;
        if (coarse && coarse->error > error && coarse->result == PHX_OK && fine->error > 0 && coarse->cpu > 0) {
            double share = log(error / coarse->error) / log(fine->error / coarse->error);
            cost = coarse->cpu * pow(fine->cpu / coarse->cpu, share);
        }
        best = isnan(best) ? cost : fmin(best, cost);
    }
    return best;
}
