// SPDX-License-Identifier: MIT
#include "validate/validate.h"

#include <math.h>

#define NAME_LIST(name) phxi_cases_##name,
static const phxi_validation_case* const lists[] = {PHXI_CASE_LISTS(NAME_LIST)};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

static const phxi_validation_case* case_at(int i) {
    for (int list = 0; list < LIST_COUNT && i >= 0; ++list) {
        for (const phxi_validation_case* item = lists[list]; item->name; ++item) {
            if (i-- == 0) {
                return item;
            }
        }
    }
    return NULL;
}

static bool is_slow(const phxi_validation_case* item) {
    for (const phxi_validation_case* slow = phxi_cases_slow; slow->name; ++slow) {
        if (slow == item) {
            return true;
        }
    }
    return false;
}

int phx_check_case_count(void) {
    int count = 0;
    while (case_at(count)) {
        ++count;
    }
    return count;
}

const phx_check_case* phx_check_case_at(int i) {
    const phxi_validation_case* found = case_at(i);
    if (!found) {
        return NULL;
    }
    static _Thread_local phx_check_case view;
    view = (phx_check_case){found->name, found->summary, is_slow(found)};
    return &view;
}

phx_result phx_check_run(int i, int threads, void (*report)(void* context, const phx_check* check), void* context) {
    const phxi_validation_case* item = case_at(i);
    if (!item || !report || threads < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "case %d, threads %d: expected a case from 0 to %d, a report function and 0 or more threads",
                         i, threads, phx_check_case_count() - 1);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_validation validation = {item->name, &heap, threads, report, context};
    phx_result result = item->run(&validation);
    phxi_heap_destroy(&heap);
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "case %s", item->name);
}

static void report(phxi_validation* v, const char* quantity, double measured, double exact, double error,
                   double bound) {
    // A NaN error is not within any bound.
    phx_check check = {v->name, quantity, measured, exact, error, bound, error <= bound};
    v->report(v->context, &check);
}

void phxi_validate(phxi_validation* v, const char* quantity, double measured, double exact, double bound) {
    report(v, quantity, measured, exact, fabs(measured - exact), bound);
}

void phxi_validate_relative(phxi_validation* v, const char* quantity, double measured, double exact, double bound) {
    report(v, quantity, measured, exact, fabs(measured - exact) / fabs(exact), bound);
}

void phxi_validate_between(phxi_validation* v, const char* quantity, double measured, double low, double high) {
    phxi_validate(v, quantity, measured, 0.5 * (low + high), 0.5 * (high - low));
}

double phxi_by_precision(double for_double, double for_float) {
    return sizeof(phx_real) == sizeof(double) ? for_double : for_float;
}
