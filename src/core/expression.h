// SPDX-License-Identifier: MIT
// Formulas as text: numbers, named variables, + - * / ^, brackets and functions, compiled once and evaluated without
// allocation. Evaluation gives the value and its first two derivatives by one of the variables, exactly.
//
//   sum     = product { ("+" | "-") product }          power   = primary [ "^" unary ]
//   product = unary { ("*" | "/") unary }              primary = number | name | name "(" sum { "," sum } ")" |
//   unary   = ("+" | "-") unary | power                          "(" sum ")"
//
// Constants: pi, e. Functions of one number: sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign step
// floor; of two: min max. step(x) is 0 below 0, else 1. Every mistake names its column, what is there and what was
// expected.
#pragma once

#include "core/heap.h"

typedef struct phxi_expression phxi_expression;

/// A number that depends on time, say, with its first two derivatives.
typedef struct phxi_jet {
    double value, rate, second;
} phxi_jet;

/// `names` of the variables, at most 32.
phx_result phxi_expression_parse(phxi_heap* heap, const char* text, const char* const* names, int count,
                                 phxi_expression** expression);
/// "(a, b, c)": three expressions of the same variables.
phx_result phxi_expression_parse_vector(phxi_heap* heap, const char* text, const char* const* names, int count,
                                        phxi_expression* expressions[3]);
/// Fine with NULL.
void phxi_expression_destroy(phxi_heap* heap, phxi_expression* expression);
/// Whether its value depends on this variable.
bool phxi_expression_uses(const phxi_expression* expression, int variable);
/// May be infinite or not a number (log(-1)).
double phxi_expression_value(const phxi_expression* expression, const double* variables);
/// With derivatives by variable `by`.
phxi_jet phxi_expression_jet(const phxi_expression* expression, const double* variables, int by);
