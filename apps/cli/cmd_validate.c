// SPDX-License-Identifier: MIT
// phyxel validate: the table of measured against exact.
#include "cli.h"
#include "report.h"

#include <string.h>

typedef struct table {
    bool json;
    int checks, failed;
    cli_report* report; // NULL: none
} table;

static void print_check(void* context, const phx_check* check) {
    table* t = context;
    if (t->json) {
        printf("%s\n  {\"case\": ", t->checks ? "," : "");
        cli_json_text(stdout, check->name);
        printf(", \"quantity\": ");
        cli_json_text(stdout, check->quantity);
        const char* const names[] = {"measured", "exact", "error", "bound"};
        const double values[] = {check->measured, check->exact, check->error, check->bound};
        for (int i = 0; i < 4; ++i) {
            printf(", \"%s\": ", names[i]);
            cli_json_number(stdout, values[i]);
        }
        printf(", \"pass\": %s}", check->pass ? "true" : "false");
    } else {
        printf("%-22s %-46s %13.6g %13.6g %10.2e %10.2e  %s\n", check->name, check->quantity, check->measured,
               check->exact, check->error, check->bound, check->pass ? "yes" : "NO");
    }
    fflush(stdout);
    cli_report_add(t->report, check);
    ++t->checks;
    t->failed += !check->pass;
}

static const char* case_name(int i) {
    return phx_check_case_at(i)->name;
}

static bool selected(const char* name, int count, char** arguments) {
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(arguments[i]);
        if (strncmp(name, arguments[i], length) == 0 && (name[length] == 0 || name[length] == '.')) {
            return true;
        }
    }
    return count == 0;
}

// A name selects the case of that name, or all below a group ("efg"); slow ones must be named in full.
static bool runs(const phx_check_case* c, int count, char** arguments) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(c->name, arguments[i]) == 0) {
            return true;
        }
    }
    return !c->slow && selected(c->name, count, arguments);
}

static int list_cases(void) {
    for (int i = 0; i < phx_check_case_count(); ++i) {
        const phx_check_case* c = phx_check_case_at(i);
        printf("%-24s %s%s\n", c->name, c->summary, c->slow ? " (only when named)" : "");
    }
    return CLI_OK;
}

int cmd_validate(int count, char** arguments) {
    const cli_command* command = cli_find_command("validate");
    bool list = false;
    const char* folder = NULL;
    int threads = 0;
    table t = {0};
    const cli_option options[] = {
        {"--list", NULL, "only list the cases", CLI_FLAG, &list},
        {"--threads", "N", "0: one per processor", CLI_INT, &threads},
        {"--json", NULL, "print as JSON", CLI_FLAG, &t.json},
        {"--report", "DIR", "also write DIR/index.html: the table, and a plot of every case", CLI_TEXT, &folder},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (list) {
        return list_cases();
    }
    int cases = phx_check_case_count();
    for (int i = 0; i < count; ++i) {
        bool known = false;
        for (int k = 0; k < cases; ++k) {
            known = known || selected(case_name(k), 1, arguments + i);
        }
        if (!known) {
            return cli_usage(command, "there is no case '%s'%s", arguments[i],
                             cli_suggest(arguments[i], cases, case_name));
        }
    }
    if (folder && !(t.report = cli_report_begin(folder))) {
        return CLI_BAD_INPUT;
    }
    if (t.json) {
        printf("[");
    } else {
        printf("phyxel %s\n%-22s %-46s %13s %13s %10s %10s  %s\n", phx_version(), "case", "quantity", "measured",
               "exact", "error", "bound", "pass");
    }
    for (int k = 0; k < cases; ++k) {
        if (!runs(phx_check_case_at(k), count, arguments)) {
            continue;
        }
        cli_report_case(t.report, phx_check_case_at(k));
        phx_result result = phx_check_run(k, threads, print_check, &t);
        if (result != PHX_OK) {
            cli_report_end(t.report, false);
            return cli_fail(result);
        }
    }
    if (t.json) {
        printf("\n]\n");
    } else {
        printf("\n%d of %d quantities within their bounds\n", t.checks - t.failed, t.checks);
    }
    if (t.report && !cli_report_end(t.report, true)) {
        return CLI_BAD_INPUT;
    }
    return t.failed ? CLI_FAILED_CHECK : CLI_OK;
}
