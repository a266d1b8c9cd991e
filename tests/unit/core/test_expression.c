// SPDX-License-Identifier: MIT
// Expressions: values and derivatives against C, and every mistake with its column.
#include "support/test.h"

#include "core/expression.h"

static const char* const names[] = {"t", "x", "y"};

static phxi_jet evaluate(const char* text, double t, double x, double y) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_expression* e = NULL;
    phxi_jet jet = {NAN, NAN, NAN};
    if (phxt_result(__FILE__, __LINE__, text, phxi_expression_parse(&heap, text, names, 3, &e), PHX_OK)) {
        jet = phxi_expression_jet(e, (const double[3]){t, x, y}, 0);
    }
    phxi_expression_destroy(&heap, e);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
    return jet;
}

TEST(values) {
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"1", 1},
        {" 1 + 2*3 ", 7},
        {"(1+2)*3", 9},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"8/4/2", 1},
        {"1-2-3", -4},
        {"1e-1*10", 1},
        {"1.5e+1", 15},
        {"--1", 1},
        {"2*-3", -6},
        {"min(x, y) + max(x, y)", 5},
        {"x*y - t", 5.5},
        {"step(x - 2) + step(x - 2.1)", 1},
        {"sign(-3) + abs(-3) + floor(2.7)", 4},
        {"sqrt(16) + log(exp(2))", 6},
        {"cos(pi) + log(e)", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double got = evaluate(cases[i].text, 0.5, 2, 3).value;
        if (!(fabs(got - cases[i].value) <= 1e-14)) {
            phxt_failed(__FILE__, __LINE__, "%s is %.17g, expected %.17g", cases[i].text, got, cases[i].value);
        }
    }
}

// Against differences of the values beside.
TEST(derivatives) {
    static const char* const texts[] = {
        "sin(2*pi*t)*x", "cos(t)/t",      "tan(t)",        "asin(t)",       "acos(t)",     "atan(3*t)",
        "sinh(t)",       "cosh(t)*t",     "tanh(2*t)",     "exp(-3*t)^2",   "log(1+t*t)",  "sqrt(t)+t^3",
        "t^2.5 + t^t",   "abs(t - 1)*t",  "min(t, x)*3*t", "max(t^3, t^2)", "1/(1 + t^2)", "-t^2/(x + sin(t))",
        "2^t",           "step(t)*t - t", "sign(t)*t^2",   "floor(t)+t"};
    const double t = 0.37, h = 1e-4;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        phxi_jet at = evaluate(texts[i], t, 2, 3);
        double low = evaluate(texts[i], t - h, 2, 3).value, high = evaluate(texts[i], t + h, 2, 3).value;
        double rate = (high - low) / (2 * h), second = (high - 2 * at.value + low) / (h * h);
        if (!(fabs(at.rate - rate) <= 1e-5 && fabs(at.second - second) <= 1e-4)) {
            phxt_failed(__FILE__, __LINE__, "%s changes by %.9g, %.9g, expected %.9g, %.9g", texts[i], at.rate,
                        at.second, rate, second);
        }
    }
    phxi_jet flat = evaluate("sqrt(x - 2) + x^0.5", 0.1, 2, 0); // nothing in it changes, though sqrt does at 0
    ENSURE(flat.rate == 0 && flat.second == 0);
}

TEST(mistakes) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "column 1: the end, expected a number, a name or '('"},
        {"1 +", "column 4: the end, expected a number, a name or '('"},
        {"(1", "column 3: the end in brackets, expected ')'"},
        {"1 2", "column 3: '2' after the expression, expected the end"},
        {"sinn(t)", "column 1: unknown name 'sinn', did you mean 'sin'?, expected one of t, x, y, pi, e or a function "
                    "such as sin"},
        {"q", "column 1: unknown name 'q', expected one of t, x, y, pi, e or a function such as sin"},
        {"sin t", "column 5: 't' after sin, expected '('"},
        {"min(1)", "column 6: ')' after the first number of min or max, expected ','"},
        {"1e", "column 1: '1e', expected a number"},
        {"2 $ 3", "column 3: '$' after the expression, expected the end"},
    };
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        phxi_expression* e = NULL;
        ENSURE(phxi_expression_parse(&heap, cases[i].text, names, 3, &e) == PHX_ERROR_FORMAT && !e);
        if (strcmp(phx_error_message(), cases[i].message) != 0) {
            phxt_failed(__FILE__, __LINE__, "'%s': %s", cases[i].text, phx_error_message());
        }
    }
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(long_texts_are_refused) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    static const char* const units[] = {"(", "-", "1+", "t^", "sin("};
    for (int u = 0; u < 5; ++u) {
        char text[60001] = "";
        size_t size = strlen(units[u]);
        for (size_t at = 0; at + size < sizeof text; at += size) {
            memcpy(text + at, units[u], size + 1);
        }
        phxi_expression* e = NULL;
        ENSURE(phxi_expression_parse(&heap, text, names, 3, &e) == PHX_ERROR_FORMAT && !e);
    }
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(vectors) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_expression* e[3];
    ENSURE(phxi_expression_parse_vector(&heap, "(-y, x*2, 3)", names, 3, e) == PHX_OK);
    const double at[3] = {0, 4, 5};
    ENSURE(phxi_expression_value(e[0], at) == -5 && phxi_expression_value(e[1], at) == 8 &&
           phxi_expression_value(e[2], at) == 3);
    ENSURE(phxi_expression_uses(e[0], 2) && !phxi_expression_uses(e[0], 1) && !phxi_expression_uses(e[2], 0));
    for (int i = 0; i < 3; ++i) {
        phxi_expression_destroy(&heap, e[i]);
    }
    ENSURE(phxi_expression_parse_vector(&heap, "(1, 2)", names, 3, e) == PHX_ERROR_FORMAT && !e[0]);
    ENSURE_MESSAGE("column 6: ')' after one of three expressions (x, y, z), expected ','");
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}
