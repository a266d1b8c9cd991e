// SPDX-License-Identifier: MIT
// Command-line options from a table: --name value, --name=value, -- ends them. Help comes from the same table.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void cli_print_help(FILE* out, const cli_command* command, const cli_option* options) {
    fprintf(out, "usage: phyxel %s\n\n%s\n", command->usage, command->summary);
    if (command->details) {
        fprintf(out, "\n%s\n", command->details);
    }
    fprintf(out, "\noptions:\n");
    for (const cli_option* option = options; option && option->name; ++option) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(out, "  %-22s %s\n", left, option->help);
    }
    fprintf(out, "  %-22s %s\n\nexample:\n  phyxel %s\n", "--help", "this text", command->example);
}

int cli_usage(const cli_command* command, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "phyxel %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nusage: phyxel %s\nphyxel %s --help says more\n", command->usage, command->name);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_fail(phx_result result) {
    fprintf(stderr, "phyxel: %s\n", phx_error_message());
    switch (result) {
    case PHX_ERROR_UNSTABLE:
        return CLI_UNSTABLE;
    case PHX_ERROR_MEMORY:
        return CLI_MEMORY;
    case PHX_ERROR_CANCELLED:
        return CLI_INTERRUPTED;
    default:
        return CLI_BAD_INPUT;
    }
}

// Edit distance with short buffers: names are short, longer texts are never a slip of the finger.
static int distance(const char* a, const char* b) {
    enum { LIMIT = 40 };
    size_t m = strlen(a), n = strlen(b);
    if (m > LIMIT || n > LIMIT) {
        return INT_MAX;
    }
    int row[LIMIT + 1];
    for (size_t j = 0; j <= n; ++j) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= m; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; ++j) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
        }
    }
    return row[n];
}

const char* cli_suggest(const char* text, int count, const char* (*name)(int i)) {
    static char buffer[128];
    const char* best = NULL;
    int least = (int)strlen(text) / 3 + 1;
    for (int i = 0; i < count; ++i) {
        int d = distance(text, name(i));
        if (d <= least) {
            least = d;
            best = name(i);
        }
    }
    if (!best) {
        return "";
    }
    snprintf(buffer, sizeof buffer, ", did you mean '%s'?", best);
    return buffer;
}

static const cli_option* find_option(const cli_option* options, const char* name, size_t length) {
    for (const cli_option* option = options; option->name; ++option) {
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool store(const cli_option* option, const char* text) {
    char* end = NULL;
    errno = 0;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool*)option->target = true;
        return true;
    case CLI_TEXT:
        *(const char**)option->target = text;
        return true;
    case CLI_NUMBER: {
        double value = strtod(text, &end);
        *(double*)option->target = value;
        return end != text && !*end && isfinite(value);
    }
    case CLI_INT: {
        long value = strtol(text, &end, 10);
        *(int*)option->target = (int)value;
        return end != text && !*end && errno == 0 && value >= 0 && value <= INT_MAX;
    }
    case CLI_LIST: {
        cli_list* list = option->target;
        if (list->count == CLI_LIST_MAX) {
            return false;
        }
        list->items[list->count++] = text;
        return true;
    }
    }
    return false;
}

static const cli_option* suggest_from;
static const char* option_name(int i) {
    return suggest_from[i].name;
}

int cli_parse(const cli_command* command, const cli_option* options, int* count, char** arguments) {
    int kept = 0;
    bool operands_only = false;
    for (int i = 0; i < *count; ++i) {
        char* text = arguments[i];
        if (operands_only || text[0] != '-' || !text[1]) {
            arguments[kept++] = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            operands_only = true;
            continue;
        }
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            cli_print_help(stdout, command, options);
            return CLI_OK;
        }
        size_t length = strcspn(text, "=");
        const cli_option* option = find_option(options, text, length);
        if (!option) {
            int known = 0;
            while (options[known].name) {
                ++known;
            }
            suggest_from = options;
            return cli_usage(command, "there is no option '%.*s'%s", (int)length, text,
                             cli_suggest(text, known, option_name));
        }
        const char* value = text[length] == '=' ? text + length + 1 : NULL;
        if (option->kind == CLI_FLAG) {
            if (value) {
                return cli_usage(command, "%s takes no value", option->name);
            }
        } else if (!value) {
            if (i + 1 >= *count) {
                return cli_usage(command, "%s needs a value: %s %s", option->name, option->name, option->value);
            }
            value = arguments[++i];
        }
        if (!store(option, value)) {
            return cli_usage(command, "%s cannot take '%s', expected %s", option->name, value,
                             option->kind == CLI_INT      ? "a whole number, 0 or more"
                             : option->kind == CLI_NUMBER ? "a number"
                                                          : "at most 64 of them");
        }
    }
    *count = kept;
    return -1;
}

bool cli_is_terminal(FILE* stream) {
    return isatty(fileno(stream)) == 1;
}

double cli_memory(void) {
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

int cli_processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_json_text(FILE* out, const char* text) {
    fputc('"', out);
    for (const unsigned char* c = (const unsigned char*)text; *c; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

void cli_json_number(FILE* out, double value) {
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    } else {
        fputs("null", out);
    }
}
