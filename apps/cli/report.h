// SPDX-License-Identifier: MIT
// The validation as one page of HTML that needs nothing else: the table, and for every case a plot of where the
// measured values lie against the exact ones and their bounds.
#pragma once

#include <checks/check.h>

typedef struct cli_report cli_report;

/// Makes the folder; NULL, and a message, if the page cannot be written.
cli_report* cli_report_begin(const char* folder);
/// The checks that follow belong to this case. NULL reports are fine here and below.
void cli_report_case(cli_report* report, const phx_check_case* item);
void cli_report_add(cli_report* report, const phx_check* check);
/// Completes the page, which appears only now; `keep` false gives up. False, and a message, if it could not be written.
bool cli_report_end(cli_report* report, bool keep);
