// SPDX-License-Identifier: MIT
// Other programs: found in PATH, started without a shell, fed through a pipe.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_process {
    long id;
    FILE* input; // its standard input; NULL: none
} cli_process;

bool cli_has_program(const char* name);
/// Starts a program (arguments end with NULL). What it prints is thrown away; its errors are shown unless `silent`.
/// A program that dies shows as failed writes, never as a signal.
bool cli_start(cli_process* process, const char* const* arguments, bool piped, bool silent);
/// Closes the pipe and waits. True if all was written and the program ended well.
bool cli_finish(cli_process* process);
