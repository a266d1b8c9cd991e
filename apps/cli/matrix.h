// SPDX-License-Identifier: MIT
#pragma once

#include "cli.h"

/// What methods can do and how they act on each other, as Markdown.
void print_matrix(void);
