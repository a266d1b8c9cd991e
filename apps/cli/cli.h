// SPDX-License-Identifier: MIT
// What the commands of the program share: the table of commands, options, output, exit codes.
#pragma once

#include <phyxel/phyxel.h>

#include <stdbool.h>
#include <stdio.h>

/// Exit codes, listed by `phyxel help exit-codes`.
typedef enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED_CHECK = 1, // validate: a quantity is out of its bound
    CLI_USAGE = 2,        // the command line makes no sense
    CLI_BAD_INPUT = 3,    // a scene, mesh, checkpoint or file cannot be used
    CLI_UNSTABLE = 4,     // the simulation blew up; the last good state was written
    CLI_MEMORY = 5,
    CLI_INCOMPLETE = 6,    // done, but something was left out: a damaged frame, a program that is not installed
    CLI_INTERRUPTED = 130, // Ctrl-C, SIGTERM, SIGHUP, a closed pipe; a checkpoint was written
} cli_exit;

typedef enum cli_option_kind {
    CLI_FLAG,   // bool
    CLI_TEXT,   // const char*
    CLI_NUMBER, // double
    CLI_INT,    // int
    CLI_LIST,   // cli_list: may be given several times
} cli_option_kind;

enum { CLI_LIST_MAX = 64 };
typedef struct cli_list {
    const char* items[CLI_LIST_MAX + 1]; // NULL terminated
    int count;
} cli_list;

/// Which bodies of a run are wanted, beyond what its scene says.
typedef struct cli_choice {
    cli_list hide; // names
    bool all;      // also those that the scene does not show
} cli_choice;

typedef struct cli_option {
    const char* name;  // "--threads"
    const char* value; // "N"; NULL for a flag
    const char* help;
    cli_option_kind kind;
    void* target;
} cli_option;

typedef struct cli_command {
    const char* name;
    const char* summary;
    const char* usage;                       // "run SCENE [options]"
    const char* example;                     // a line that runs from the top of the source tree
    const char* details;                     // further paragraphs; may be NULL
    int (*run)(int count, char** arguments); // arguments after the command's name
} cli_command;

extern const cli_command cli_commands[]; // ends with name NULL
const cli_command* cli_find_command(const char* name);

/// Reads options; what is left (operands) stays in arguments[0 .. *count). Answers --help itself.
/// Returns -1 to go on, else the exit code to leave with.
int cli_parse(const cli_command* command, const cli_option* options, int* count, char** arguments);
void cli_print_help(FILE* out, const cli_command* command, const cli_option* options);

/// Prints "phyxel: message" to stderr; returns CLI_USAGE.
int cli_usage(const cli_command* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Prints the library's last message and returns the exit code of this result.
int cli_fail(phx_result result);
/// The nearest name as ", did you mean 'x'?" or "".
const char* cli_suggest(const char* text, int count, const char* (*name)(int i));

bool cli_is_terminal(FILE* stream);
/// Of this machine: bytes of memory, processors.
double cli_memory(void);
int cli_processors(void);
/// Seconds of a clock that never jumps.
double cli_clock(void);

/// JSON on a stream, by hand: `cli_json_text` quotes and escapes; numbers that JSON lacks become null.
void cli_json_text(FILE* out, const char* text);
void cli_json_number(FILE* out, double value);

int cmd_run(int count, char** arguments);
int cmd_render(int count, char** arguments);
int cmd_surface(int count, char** arguments);
int cmd_plot(int count, char** arguments);
int cmd_compare(int count, char** arguments);
int cmd_sample(int count, char** arguments);
int cmd_validate(int count, char** arguments);
int cmd_bench(int count, char** arguments);
int cmd_methods(int count, char** arguments);
int cmd_materials(int count, char** arguments);
int cmd_help(int count, char** arguments);
