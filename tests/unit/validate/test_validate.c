// SPDX-License-Identifier: MIT
// The runner itself, and the cases that take no time; `phyxel validate` runs all of them.
#include "support/test.h"

#include <checks/check.h>

static void count_checks(void* context, const phx_check* check) {
    int* counts = context;
    ++counts[0];
    counts[1] += check->pass;
    if (!check->pass) {
        phxt_failed(__FILE__, __LINE__, "%s, %s: %g, expected %g within %g", check->name, check->quantity,
                    check->measured, check->exact, check->bound);
    }
}

TEST(cases_have_names) {
    ENSURE(phx_check_case_count() >= 5);
    for (int i = 0; i < phx_check_case_count(); ++i) {
        const phx_check_case* item = phx_check_case_at(i);
        REQUIRE(item);
        ENSURE(item->name[0] && item->summary[0]);
    }
    ENSURE(!phx_check_case_at(-1));
    ENSURE(!phx_check_case_at(phx_check_case_count()));
}

TEST(quick_cases_pass) {
    int counts[2] = {0, 0}, cases = 0;
    for (int i = 0; i < phx_check_case_count(); ++i) {
        const char* name = phx_check_case_at(i)->name;
        if (strcmp(name, "kernels") == 0 || strncmp(name, "materials", 9) == 0 ||
            strcmp(name, "world.free_fall") == 0 || strcmp(name, "surface.skin") == 0) {
            ENSURE_OK(phx_check_run(i, 1, count_checks, counts));
            ++cases;
        }
    }
    ENSURE(cases == 8 && counts[0] > 20 && counts[0] == counts[1]);
}

TEST(bad_arguments_are_refused) {
    int counts[2] = {0, 0};
    ENSURE_RESULT(phx_check_run(-1, 1, count_checks, counts), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_check_run(0, -1, count_checks, counts), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_check_run(0, 1, NULL, NULL), PHX_ERROR_ARGUMENT);
}
