// SPDX-License-Identifier: MIT
// Recursive descent into a program for a stack. Every number on the stack is a jet, so that what is differentiated and
// what is not share one set of rules.
#include "core/expression.h"

#include "core/array.h"
#include "core/scan.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_STEPS = 4096, STACK = 4 * MAX_DEPTH, MAX_VARIABLES = 32 };

typedef enum operation {
    OP_NUMBER,
    OP_VARIABLE,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_FUNCTION,
    OP_MIN,
    OP_MAX,
} operation;

/// A function of one number: its value and first two derivatives there.
typedef void function(double x, double f[3]);

typedef struct instruction {
    operation op;
    double number;
    int variable;
    function* function;
} instruction;

struct phxi_expression {
    PHXI_ARRAY(instruction) steps;
    unsigned used; // bit per variable
};

typedef struct parser {
    phxi_scan scan;
    phxi_heap* heap;
    phxi_expression* made;
    const char* const* names;
    int name_count, depth, height; // of brackets and functions; of the stack
} parser;

// ------------------------------------------------------------------------------------------------------------
// functions

#define FUNCTION(name, v, d, dd)                                                                                       \
    static void name##_of(double x, double f[3]) {                                                                     \
        f[0] = (v), f[1] = (d), f[2] = (dd);                                                                           \
    }
FUNCTION(sin, sin(x), cos(x), -sin(x))
FUNCTION(cos, cos(x), -sin(x), -cos(x))
FUNCTION(tan, tan(x), 1 + f[0] * f[0], 2 * f[0] * f[1])
FUNCTION(asin, asin(x), 1 / sqrt(1 - x * x), x* f[1] * f[1] * f[1])
FUNCTION(acos, acos(x), -1 / sqrt(1 - x * x), x* f[1] * f[1] * f[1])
FUNCTION(atan, atan(x), 1 / (1 + x * x), -2 * x * f[1] * f[1])
FUNCTION(sinh, sinh(x), cosh(x), f[0])
FUNCTION(cosh, cosh(x), sinh(x), f[0])
FUNCTION(tanh, tanh(x), 1 - f[0] * f[0], -2 * f[0] * f[1])
FUNCTION(exp, exp(x), f[0], f[0])
FUNCTION(log, log(x), 1 / x, -1 / (x * x))
FUNCTION(sqrt, sqrt(x), 0.5 / f[0], -0.5 * f[1] / x)
FUNCTION(abs, fabs(x), x < 0 ? -1 : 1, 0)
FUNCTION(sign, (x > 0) - (x < 0), 0, 0)
FUNCTION(step, x < 0 ? 0 : 1, 0, 0)
FUNCTION(floor, floor(x), 0, 0)
#undef FUNCTION

static const struct {
    const char* name;
    function* function; // or
    operation op;       // of two numbers
} functions[] = {
    {"sin", sin_of, OP_FUNCTION},     {"cos", cos_of, OP_FUNCTION},   {"tan", tan_of, OP_FUNCTION},
    {"asin", asin_of, OP_FUNCTION},   {"acos", acos_of, OP_FUNCTION}, {"atan", atan_of, OP_FUNCTION},
    {"sinh", sinh_of, OP_FUNCTION},   {"cosh", cosh_of, OP_FUNCTION}, {"tanh", tanh_of, OP_FUNCTION},
    {"exp", exp_of, OP_FUNCTION},     {"log", log_of, OP_FUNCTION},   {"sqrt", sqrt_of, OP_FUNCTION},
    {"abs", abs_of, OP_FUNCTION},     {"sign", sign_of, OP_FUNCTION}, {"step", step_of, OP_FUNCTION},
    {"floor", floor_of, OP_FUNCTION}, {"min", NULL, OP_MIN},          {"max", NULL, OP_MAX},
};
enum { FUNCTIONS = (int)(sizeof functions / sizeof *functions) };

/// f of a jet by the chain rule. Where nothing changes, no derivative matters: sqrt has none at 0.
static phxi_jet chain(const double f[3], phxi_jet x) {
    double rate = x.rate != 0 ? f[1] * x.rate : 0;
    double second = (x.rate != 0 ? f[2] * x.rate * x.rate : 0) + (x.second != 0 ? f[1] * x.second : 0);
    return (phxi_jet){f[0], rate, second};
}

static phxi_jet product(phxi_jet a, phxi_jet b) {
    return (phxi_jet){a.value * b.value, a.rate * b.value + a.value * b.rate,
                      a.second * b.value + 2 * a.rate * b.rate + a.value * b.second};
}

static phxi_jet power(phxi_jet a, phxi_jet b) {
    double n = b.value;
    if (b.rate == 0 && b.second == 0) {
        const double f[3] = {pow(a.value, n), n == 0 ? 0 : n * pow(a.value, n - 1),
                             n == 0 || n == 1 ? 0 : n * (n - 1) * pow(a.value, n - 2)};
        return chain(f, a);
    }
    double f[3], value = pow(a.value, n);
    log_of(a.value, f);
    phxi_jet exponent = product(b, chain(f, a));
    return chain((const double[3]){value, value, value}, exponent);
}

static phxi_jet combine(operation op, phxi_jet a, phxi_jet b) {
    switch (op) {
    case OP_ADD:
        return (phxi_jet){a.value + b.value, a.rate + b.rate, a.second + b.second};
    case OP_SUBTRACT:
        return (phxi_jet){a.value - b.value, a.rate - b.rate, a.second - b.second};
    case OP_MULTIPLY:
        return product(a, b);
    case OP_DIVIDE: {
        double inverse = 1 / b.value;
        const double f[3] = {inverse, -inverse * inverse, 2 * inverse * inverse * inverse};
        phxi_jet quotient = product(a, chain(f, b));
        quotient.value = a.value / b.value;
        return quotient;
    }
    case OP_POWER:
        return power(a, b);
    case OP_MIN:
        return a.value <= b.value ? a : b;
    default:
        return a.value >= b.value ? a : b;
    }
}

// --------------------------------------------------------------------------------------------------------------
// parsing

static phx_result emit(parser* p, instruction step, int change) {
    p->height += change;
    if (p->made->steps.count == MAX_STEPS || p->height > STACK) {
        return phxi_scan_fail(p->scan.at, "the expression is too long, expected at most %d terms", MAX_STEPS);
    }
    instruction* at = phxi_array_add(&p->made->steps, p->heap, "expression");
    if (!at) {
        return PHX_ERROR_MEMORY;
    }
    *at = step;
    return PHX_OK;
}

static phx_result emit_number(parser* p, double number) {
    return emit(p, (instruction){.op = OP_NUMBER, .number = number}, 1);
}

static phx_result parse_sum(parser* p);

static phx_result parse_call(parser* p, int f) {
    bool two = functions[f].op != OP_FUNCTION;
    ++p->scan.at; // the bracket
    PHXI_TRY(parse_sum(p));
    if (two) {
        PHXI_TRY(phxi_scan_expect(&p->scan, ',', "after the first number of min or max"));
        PHXI_TRY(parse_sum(p));
    }
    PHXI_TRY(phxi_scan_expect(&p->scan, ')', "in a function"));
    return emit(p, (instruction){.op = functions[f].op, .function = functions[f].function}, two ? -1 : 0);
}

/// All names that mean something: variables first.
static const char* known_name(const void* context, int i) {
    const parser* p = context;
    return i < p->name_count                ? p->names[i]
           : i < p->name_count + FUNCTIONS  ? functions[i - p->name_count].name
           : i == p->name_count + FUNCTIONS ? "pi"
                                            : "e";
}

static phx_result fail_name(const parser* p, const phxi_word* word) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < p->name_count && used < sizeof list; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", p->names[i]);
    }
    const char* near = phxi_did_you_mean(word->text, p->name_count + FUNCTIONS + 2, known_name, p);
    return phxi_scan_fail(word->at, "unknown name '%s'%s%s%s, expected one of %spi, e or a function such as sin",
                          word->text, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static phx_result parse_name(parser* p) {
    phxi_word word;
    PHXI_TRY(phxi_scan_word(&p->scan, &word));
    for (int f = 0; f < FUNCTIONS; ++f) {
        if (strcmp(word.text, functions[f].name) == 0) {
            char text[8];
            return phxi_scan_peek(&p->scan) == '(' ? parse_call(p, f)
                                                   : phxi_scan_fail(p->scan.at, "%s after %s, expected '('",
                                                                    phxi_scan_found(&p->scan, text), word.text);
        }
    }
    for (int i = 0; i < p->name_count; ++i) {
        if (strcmp(word.text, p->names[i]) == 0) {
            p->made->used |= 1u << i;
            return emit(p, (instruction){.op = OP_VARIABLE, .variable = i}, 1);
        }
    }
    if (strcmp(word.text, "pi") == 0) {
        return emit_number(p, 3.14159265358979323846);
    }
    return strcmp(word.text, "e") == 0 ? emit_number(p, 2.71828182845904523536) : fail_name(p, &word);
}

static phx_result parse_primary(parser* p) {
    char c = phxi_scan_peek(&p->scan), text[8];
    if (phxi_is_letter(c)) {
        return parse_name(p);
    }
    if (c == '(') {
        ++p->scan.at;
        PHXI_TRY(parse_sum(p));
        return phxi_scan_expect(&p->scan, ')', "in brackets");
    }
    if (!phxi_is_digit(c) && c != '.') {
        return phxi_scan_fail(p->scan.at, "%s, expected a number, a name or '('", phxi_scan_found(&p->scan, text));
    }
    double number;
    PHXI_TRY(phxi_scan_number(&p->scan, false, &number));
    return emit_number(p, number);
}

static phx_result parse_unary(parser* p) {
    char c = phxi_scan_peek(&p->scan);
    if (p->depth >= MAX_DEPTH) {
        return phxi_scan_fail(p->scan.at, "nested more than %d deep, expected at most that", MAX_DEPTH);
    }
    ++p->depth;
    if (c == '-' || c == '+') {
        ++p->scan.at;
        PHXI_TRY(parse_unary(p));
        PHXI_TRY(c == '-' ? emit(p, (instruction){.op = OP_NEGATE}, 0) : PHX_OK);
    } else {
        PHXI_TRY(parse_primary(p));
        if (phxi_scan_peek(&p->scan) == '^') {
            ++p->scan.at;
            PHXI_TRY(parse_unary(p));
            PHXI_TRY(emit(p, (instruction){.op = OP_POWER}, -1));
        }
    }
    --p->depth;
    return PHX_OK;
}

/// Operands of one level, joined from the left by one of two signs.
static phx_result parse_chain(parser* p, phx_result (*operand)(parser*), const char signs[2], const operation ops[2]) {
    PHXI_TRY(operand(p));
    for (char c; (c = phxi_scan_peek(&p->scan)) == signs[0] || c == signs[1];) {
        ++p->scan.at;
        PHXI_TRY(operand(p));
        PHXI_TRY(emit(p, (instruction){.op = ops[c == signs[1]]}, -1));
    }
    return PHX_OK;
}

static phx_result parse_product(parser* p) {
    return parse_chain(p, parse_unary, "*/", (const operation[2]){OP_MULTIPLY, OP_DIVIDE});
}

static phx_result parse_sum(parser* p) {
    return parse_chain(p, parse_product, "+-", (const operation[2]){OP_ADD, OP_SUBTRACT});
}

static phx_result parse_end(const parser* p, const char* after) {
    phxi_scan scan = p->scan;
    char text[8];
    return phxi_scan_peek(&scan) == 0
               ? PHX_OK
               : phxi_scan_fail(scan.at, "%s after %s, expected the end", phxi_scan_found(&scan, text), after);
}

/// Begins another expression in the same text.
static phx_result parse_next(parser* p, phxi_expression** made) {
    p->made = *made = phxi_alloc_zero(p->heap, 1, sizeof **made, "expression");
    p->depth = p->height = 0;
    return *made ? parse_sum(p) : PHX_ERROR_MEMORY;
}

static phx_result begin(parser* p, const char* text) {
    PHXI_ASSERT(p->name_count <= MAX_VARIABLES);
    return text ? phxi_scan_begin(text, &p->scan)
                : phxi_fail(PHX_ERROR_ARGUMENT, "no expression is given, expected one such as sin(2*pi*t)");
}

phx_result phxi_expression_parse(phxi_heap* heap, const char* text, const char* const* names, int count,
                                 phxi_expression** expression) {
    *expression = NULL;
    parser p = {.heap = heap, .names = names, .name_count = count};
    PHXI_TRY(begin(&p, text));
    phx_result result = parse_next(&p, expression);
    result = result == PHX_OK ? parse_end(&p, "the expression") : result;
    if (result != PHX_OK) {
        phxi_expression_destroy(heap, *expression);
        *expression = NULL;
    }
    return result;
}

static phx_result parse_three(parser* p, phxi_expression* expressions[3]) {
    PHXI_TRY(phxi_scan_expect(&p->scan, '(', "at the start of (x, y, z)"));
    for (int i = 0; i < 3; ++i) {
        PHXI_TRY(parse_next(p, &expressions[i]));
        PHXI_TRY(phxi_scan_expect(&p->scan, i < 2 ? ',' : ')', "after one of three expressions (x, y, z)"));
    }
    return parse_end(p, "(x, y, z)");
}

phx_result phxi_expression_parse_vector(phxi_heap* heap, const char* text, const char* const* names, int count,
                                        phxi_expression* expressions[3]) {
    memset(expressions, 0, 3 * sizeof *expressions);
    parser p = {.heap = heap, .names = names, .name_count = count};
    PHXI_TRY(begin(&p, text));
    phx_result result = parse_three(&p, expressions);
    for (int i = 0; i < 3 && result != PHX_OK; ++i) {
        phxi_expression_destroy(heap, expressions[i]);
        expressions[i] = NULL;
    }
    return result;
}

void phxi_expression_destroy(phxi_heap* heap, phxi_expression* expression) {
    if (expression) {
        phxi_array_destroy(&expression->steps, heap);
        phxi_free(heap, expression);
    }
}

// -----------------------------------------------------------------------------------------------------------
// evaluation

bool phxi_expression_uses(const phxi_expression* expression, int variable) {
    return expression->used >> variable & 1u;
}

phxi_jet phxi_expression_jet(const phxi_expression* expression, const double* variables, int by) {
    phxi_jet stack[STACK];
    int height = 0;
    for (int k = 0; k < expression->steps.count; ++k) {
        const instruction* step = &expression->steps.items[k];
        double f[3];
        switch (step->op) {
        case OP_NUMBER:
            stack[height++] = (phxi_jet){step->number, 0, 0};
            break;
        case OP_VARIABLE:
            stack[height++] = (phxi_jet){variables[step->variable], step->variable == by, 0};
            break;
        case OP_NEGATE: {
            phxi_jet* top = &stack[height - 1];
            *top = (phxi_jet){-top->value, -top->rate, -top->second};
            break;
        }
        case OP_FUNCTION:
            step->function(stack[height - 1].value, f);
            stack[height - 1] = chain(f, stack[height - 1]);
            break;
        default:
            stack[height - 2] = combine(step->op, stack[height - 2], stack[height - 1]);
            --height;
        }
    }
    return stack[0];
}

double phxi_expression_value(const phxi_expression* expression, const double* variables) {
    return phxi_expression_jet(expression, variables, -1).value;
}
