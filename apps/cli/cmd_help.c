// SPDX-License-Identifier: MIT
// phyxel help, methods, materials: everything from the tables that also drive the scene reader.
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char* kind_name(const phx_param* param) {
    switch (param->kind) {
    case PHX_PARAM_REAL:
        return "number";
    case PHX_PARAM_INT:
        return "whole number";
    case PHX_PARAM_BOOL:
        return "true or false";
    case PHX_PARAM_VEC3:
        return "[x, y, z]";
    case PHX_PARAM_WORD:
        return "one of";
    case PHX_PARAM_TEXT:
        return "text";
    case PHX_PARAM_SHAPE:
        return "shape";
    case PHX_PARAM_WORDS:
        return "list of words";
    }
    return "?";
}

// "above 0 Pa", "0 to 0.49", "one of: stvk, corotated"; `separator` between words.
static void print_allowed(FILE* out, const phx_param* p, const char* separator) {
    if (p->kind == PHX_PARAM_WORD) {
        for (const char* const* word = p->words; *word; ++word) {
            fprintf(out, "%s%s", word == p->words ? "" : separator, *word);
        }
        return;
    }
    fprintf(out, "%s", kind_name(p));
    if (p->kind != PHX_PARAM_REAL && p->kind != PHX_PARAM_INT) {
        return;
    }
    bool low = p->minimum > -1e14, high = p->maximum < 1e14;
    if (low) {
        fprintf(out, ", %s%g", p->exclusive ? "above " : high ? "" : "at least ", p->minimum);
    }
    if (high) {
        fprintf(out, "%s%g", low ? (p->exclusive ? " up to " : " to ") : ", at most ", p->maximum);
    }
}

static void print_initial(FILE* out, const phx_param* p) {
    fprintf(out, "%s", !p->initial ? "must be given" : p->initial[0] ? p->initial : "none");
}

static void print_params(const phx_param_table* table) {
    for (int i = 0; i < table->count; ++i) {
        const phx_param* p = &table->params[i];
        printf("  %-18s %s\n  %-18s ", p->name, p->help, "");
        print_allowed(stdout, p, " | ");
        printf("%s%s; default ", p->unit[0] ? ", " : "", p->unit);
        print_initial(stdout, p);
        printf("\n");
    }
}

static const phx_param_table* find_table(const char* name) {
    const phx_param_table* table;
    size_t length = strlen(name);
    for (int i = 0; (table = phx_param_table_at(i)); ++i) {
        size_t own = strlen(table->name);
        // "bodies" and "materials" find "body" and "material", as the sections of a scene are called
        bool plural = length > own && strncmp(name, table->name, own - 1) == 0 &&
                      (strcmp(name + own - 1, "ies") == 0 ||
                       (name[own - 1] == table->name[own - 1] && strcmp(name + own, "s") == 0));
        if (strcmp(table->name, name) == 0 || plural) {
            return table;
        }
    }
    return NULL;
}

// With what a scene adds to it: table "scene_body" has the further keys of "body".
static void print_table(const phx_param_table* table) {
    printf("%s: %s\n\n", table->name, table->summary);
    print_params(table);
    char name[64];
    snprintf(name, sizeof name, "scene_%s", table->name);
    const phx_param_table* more = find_table(name);
    if (more) {
        printf("\nand in a scene:\n\n");
        print_params(more);
    }
}

static int table_count(void) {
    int count = 0;
    while (phx_param_table_at(count)) {
        ++count;
    }
    return count;
}

static void print_overview(void) {
    printf("phyxel %s: particles that bend, stretch, flow, tear, crumble and melt\n\nusage: phyxel COMMAND ...\n\n",
           phx_version());
    for (const cli_command* command = cli_commands; command->name; ++command) {
        printf("  %-12s %s\n", command->name, command->summary);
    }
    printf("\nphyxel COMMAND --help explains a command; phyxel help TOPIC a section of a scene:\n  ");
    const phx_param_table* table;
    for (int i = 0; (table = phx_param_table_at(i)); ++i) {
        if (strncmp(table->name, "scene_", 6) != 0) { // shown with the table they add to
            printf("%s ", table->name);
        }
    }
    printf("\nand: shapes exit-codes\n");
}

static const char* const exit_codes =
    "0    done\n1    validate: a quantity is out of its bound\n2    the command line makes no sense\n"
    "3    a scene, mesh, checkpoint or file cannot be used, or makes a run so large that it wants --yes; the folder of "
    "a run was moved or deleted, or its disk is full\n"
    "4    the simulation blew up; the last good state was written\n5    not enough memory\n"
    "6    done, but something was left out: a damaged frame, a program that is not installed\n"
    "130  stopped by Ctrl-C, SIGTERM, SIGHUP (a closed terminal) or a closed pipe; a checkpoint was written\n";

// One Markdown page per table: docs/reference is made by this and a test compares.
static int write_page(const char* folder, const phx_param_table* table) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.md", folder, table->name);
    FILE* out = fopen(path, "w");
    if (!out) {
        perror(path);
        return CLI_BAD_INPUT;
    }
    fprintf(out,
            "# %s\n\n%s. Written by `phyxel help --markdown`; do not edit.\n\n| key | unit | allowed | default | "
            "meaning |\n|---|---|---|---|---|\n",
            table->name, table->summary);
    for (int i = 0; i < table->count; ++i) {
        const phx_param* p = &table->params[i];
        fprintf(out, "| `%s` | %s | ", p->name, p->unit);
        print_allowed(out, p, ", ");
        fprintf(out, " | ");
        print_initial(out, p);
        fprintf(out, " | %s |\n", p->help);
    }
    return fclose(out) == 0 ? CLI_OK : CLI_BAD_INPUT;
}

static int write_reference(const char* folder) {
    mkdir(folder, 0777);
    const phx_param_table* table;
    for (int i = 0; (table = phx_param_table_at(i)); ++i) {
        int code = write_page(folder, table);
        if (code != CLI_OK) {
            return code;
        }
    }
    printf("%d pages in %s\n", table_count(), folder);
    return CLI_OK;
}

static const char* table_name(int i) {
    return phx_param_table_at(i)->name;
}

int cmd_help(int count, char** arguments) {
    const cli_command* command = cli_find_command("help");
    const char* folder = NULL;
    const cli_option options[] = {
        {"--markdown", "DIR", "write a reference page per table", CLI_TEXT, &folder},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (folder) {
        return write_reference(folder);
    }
    if (count == 0) {
        print_overview();
        return CLI_OK;
    }
    const char* topic = arguments[0];
    const cli_command* about = cli_find_command(topic);
    const phx_param_table* table = find_table(topic);
    if (table) {
        print_table(table);
    } else if (about) {
        char help[] = "--help";
        char* asked[] = {help};
        return about->run(1, asked);
    } else if (strcmp(topic, "shapes") == 0) {
        for (int i = 0; phx_shape_help(i); ++i) {
            printf("%s\n", phx_shape_help(i));
        }
    } else if (strcmp(topic, "exit-codes") == 0) {
        printf("%s", exit_codes);
    } else {
        return cli_usage(command, "there is no topic '%s'%s", topic, cli_suggest(topic, table_count(), table_name));
    }
    return CLI_OK;
}

static const char* method_name(int i) {
    return phx_method_name(i);
}

int cmd_methods(int count, char** arguments) {
    const cli_command* command = cli_find_command("methods");
    bool matrix = false;
    const cli_option options[] = {
        {"--matrix", NULL, "what methods can do and how they act on each other, as Markdown", CLI_FLAG, &matrix},
        {NULL, NULL, NULL, CLI_FLAG, NULL}};
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (matrix) {
        print_matrix();
        return CLI_OK;
    }
    for (int i = 0; i < phx_method_count(); ++i) {
        if (count == 0) {
            printf("%-16s %s\n", phx_method_name(i), phx_method_summary(i));
        } else if (strcmp(arguments[0], phx_method_name(i)) == 0) {
            print_table(phx_method_params(i));
            return CLI_OK;
        }
    }
    if (count) {
        return cli_usage(command, "there is no method '%s'%s", arguments[0],
                         cli_suggest(arguments[0], phx_method_count(), method_name));
    }
    return CLI_OK;
}

int cmd_materials(int count, char** arguments) {
    const cli_command* command = cli_find_command("materials");
    const cli_option none[] = {{NULL, NULL, NULL, CLI_FLAG, NULL}};
    int code = cli_parse(command, none, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count == 0) {
        printf("%-14s %10s %12s %9s  %-9s %s\n", "preset", "kg/m^3", "Young, Pa", "Poisson", "method", "what it is");
        for (int i = 0; i < phx_preset_count(); ++i) {
            const phx_preset* p = phx_preset_at(i);
            const char* method = phx_material_method(&p->def, NULL);
            printf("%-14s %10g %12g %9g  %-9s %s\n", p->name, p->def.density, p->def.young, p->def.poisson,
                   method ? method : "none", p->summary);
        }
        return CLI_OK;
    }
    const phx_preset* preset = NULL;
    phx_result result = phx_preset_find(arguments[0], &preset);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    const phx_param_table* table = find_table("material");
    const char* property = "";
    const char* method = phx_material_method(&preset->def, &property);
    printf("%s: %s\nsource: %s\nmethod: %s (%s)\n\n", preset->name, preset->summary, preset->source,
           method ? method : "none", property);
    for (int i = 0; table && i < table->count; ++i) {
        const phx_param* p = &table->params[i];
        const char* at = (const char*)&preset->def + p->offset;
        if (p->kind == PHX_PARAM_REAL) {
            double value;
            memcpy(&value, at, sizeof value);
            printf("  %-12s %-10g %s\n", p->name, value, p->unit);
        } else if (p->kind == PHX_PARAM_WORD) {
            int value;
            memcpy(&value, at, sizeof value);
            printf("  %-12s %s\n", p->name, p->words[value]);
        }
    }
    return CLI_OK;
}
