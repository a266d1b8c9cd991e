// SPDX-License-Identifier: MIT
#include "world/profile.h"

#include "core/array.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"

#include <string.h>

static const char* const names[] = {"t", "x", "y", "z"};
enum { NAMES = 4, MAX_BYTES = 64 << 20 };

// ----------------------------------------------------------------------------------------------------------------
// tables

typedef struct reading {
    PHXI_ARRAY(double) numbers; // time, value, time, value ...
} reading;

static size_t skip_blanks(const char* text) {
    return strspn(text, " \t\r");
}

/// A number and what parts it from the next: a comma, semicolon or blanks.
static bool take_number(const char** at, double* value) {
    *at += skip_blanks(*at);
    size_t length = strcspn(*at, ",; \t\r\n");
    if (!phxi_parse_double(*at, length, false, value)) {
        return false;
    }
    *at += length;
    *at += skip_blanks(*at);
    return true;
}

/// One line: two numbers. The first line may name the columns; empty ones and those that begin with # do not count.
static phx_result read_line(reading* r, phxi_heap* heap, const char* at, int line) {
    double time, value;
    at += skip_blanks(at);
    if (*at == '\n' || *at == 0 || *at == '#') {
        return PHX_OK;
    }
    bool good = take_number(&at, &time);
    at += good && (*at == ',' || *at == ';');
    good = good && take_number(&at, &value) && (*at == '\n' || *at == 0);
    if (!good) {
        return line == 1 ? PHX_OK : phxi_fail(PHX_ERROR_FORMAT, "line %d: expected two numbers, time and value", line);
    }
    int count = r->numbers.count;
    if (count > 0 && !(time > r->numbers.items[count - 2])) {
        return phxi_fail(PHX_ERROR_FORMAT, "line %d: time %g s does not come after %g s, expected times that grow",
                         line, time, r->numbers.items[count - 2]);
    }
    if (!phxi_array_reserve(&r->numbers, 2, heap, "profile")) {
        return PHX_ERROR_MEMORY;
    }
    r->numbers.items[count] = time, r->numbers.items[count + 1] = value;
    r->numbers.count += 2;
    return PHX_OK;
}

static phx_result read_lines(reading* r, phxi_heap* heap, const char* text) {
    int line = 1;
    for (const char* at = text; at; ++line) {
        PHXI_TRY(read_line(r, heap, at, line));
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return r->numbers.count > 0 ? PHX_OK : phxi_fail(PHX_ERROR_FORMAT, "no line has two numbers, time and value");
}

static phx_result read_table(phxi_profile* profile, phxi_heap* heap, const char* path) {
    char* text;
    size_t size;
    reading r = {0};
    PHXI_TRY(phxi_file_read(heap, path, MAX_BYTES, &text, &size));
    phx_result result = strlen(text) == size ? read_lines(&r, heap, text)
                                             : phxi_fail(PHX_ERROR_FORMAT, "a byte is zero, expected a text file");
    phxi_free(heap, text);
    int count = r.numbers.count / 2;
    profile->times = result == PHX_OK ? phxi_alloc(heap, (size_t)count, sizeof(double), "profile") : NULL;
    profile->values = result == PHX_OK ? phxi_alloc(heap, (size_t)count, sizeof(double), "profile") : NULL;
    if (result == PHX_OK && profile->times && profile->values) {
        for (profile->count = 0; profile->count < count; ++profile->count) {
            profile->times[profile->count] = r.numbers.items[2 * profile->count];
            profile->values[profile->count] = r.numbers.items[2 * profile->count + 1];
        }
        profile->plan = phxi_hash_bytes(r.numbers.items, 2 * (size_t)count * sizeof(double), 1);
    }
    phxi_array_destroy(&r.numbers, heap);
    return result != PHX_OK ? phxi_fail_within(result, "%s", path) : profile->count > 0 ? PHX_OK : PHX_ERROR_MEMORY;
}

/// The last line at or before this time; -1: the table begins later.
static int line_at(const phxi_profile* profile, double time) {
    int low = -1, high = profile->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(profile->times[middle] <= time ? &low : &high) = middle;
    }
    return low;
}

// --------------------------------------------------------------------------------------------------------------
// profiles

phx_result phxi_profile_init(phxi_profile* profile, phxi_heap* heap, const char* text) {
    *profile = (phxi_profile){0};
    size_t length = text ? strlen(text) : 0;
    if (length == 0) {
        return PHX_OK;
    }
    phx_result result;
    if (length > 4 && strcmp(text + length - 4, ".csv") == 0) {
        result = read_table(profile, heap, text);
    } else {
        result = phxi_expression_parse(heap, text, names, NAMES, &profile->expression);
        profile->plan = phxi_hash_bytes(text, length, 1);
    }
    for (int i = 1; i < NAMES && profile->expression; ++i) {
        profile->local = profile->local || phxi_expression_uses(profile->expression, i);
    }
    if (result != PHX_OK) {
        phxi_profile_destroy(profile, heap);
    }
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "profile");
}

void phxi_profile_destroy(phxi_profile* profile, phxi_heap* heap) {
    phxi_expression_destroy(heap, profile->expression);
    phxi_free(heap, profile->times);
    phxi_free(heap, profile->values);
    *profile = (phxi_profile){0};
}

phxi_jet phxi_profile_at(const phxi_profile* profile, double time, phx_vec3 place) {
    if (profile->expression) {
        const double variables[NAMES] = {time, place.x, place.y, place.z};
        return phxi_expression_jet(profile->expression, variables, 0);
    }
    if (profile->count == 0) {
        return (phxi_jet){1, 0, 0};
    }
    int k = line_at(profile, time);
    if (k < 0 || k == profile->count - 1) {
        return (phxi_jet){profile->values[k < 0 ? 0 : k], 0, 0};
    }
    double slope = (profile->values[k + 1] - profile->values[k]) / (profile->times[k + 1] - profile->times[k]);
    return (phxi_jet){profile->values[k] + slope * (time - profile->times[k]), slope, 0};
}

double phxi_profile_bend_after(const phxi_profile* profile, double time) {
    int k = line_at(profile, time) + 1;
    return k < profile->count ? profile->times[k] : INFINITY;
}
