// SPDX-License-Identifier: MIT
// Numbers as text, without the locale. The reader checks the grammar itself and hands strtod nothing but an integer
// and an exponent ("15e-1"), in which no locale has a say; short numbers, which are nearly all, never get that far: a
// mantissa below 2^53 and a power of ten up to 22 are both exact doubles, so one operation rounds correctly (Clinger,
// How to read floating point numbers accurately, 1990).
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No double needs more than 767 digits to be told from its neighbours' midpoint; further ones only count as "more".
enum { MAX_DIGITS = 800, MAX_EXPONENT = 100000 };

typedef struct decimal {
    bool negative;
    char digits[MAX_DIGITS + 1];
    int count;
    int64_t exponent; // value = digits * 10^exponent
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void add_digit(decimal* number, char digit, bool fraction) {
    number->exponent -= fraction;
    if (number->count == 0 && digit == '0') {
        return;
    }
    if (number->count < MAX_DIGITS) {
        number->digits[number->count++] = digit;
        return;
    }
    ++number->exponent;
    if (digit != '0') {
        number->digits[MAX_DIGITS - 1] |= 1; // '0'..'9' stay digits; an odd last one is never an exact midpoint
    }
}

static bool scan_decimal(const char* at, const char* end, decimal* number) {
    number->count = 0;
    number->exponent = 0;
    number->negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    bool any = false;
    for (; at < end && is_digit(*at); ++at, any = true) {
        add_digit(number, *at, false);
    }
    if (at < end && *at == '.') {
        for (++at; at < end && is_digit(*at); ++at, any = true) {
            add_digit(number, *at, true);
        }
    }
    if (any && at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        bool negative = at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        int64_t exponent = 0;
        any = false;
        for (; at < end && is_digit(*at); ++at, any = true) {
            exponent = exponent < INT64_MAX / 20 ? 10 * exponent + (*at - '0') : exponent;
        }
        number->exponent += negative ? -exponent : exponent;
    }
    return any && at == end;
}

static double decimal_value(const decimal* number) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->count == 0) {
        return 0;
    }
    if (number->count <= 15 && number->exponent >= -22 && number->exponent <= 22) {
        int64_t mantissa = 0;
        for (int i = 0; i < number->count; ++i) {
            mantissa = 10 * mantissa + (number->digits[i] - '0');
        }
        double exact = (double)mantissa;
        return number->exponent < 0 ? exact / powers[-number->exponent] : exact * powers[number->exponent];
    }
    int64_t exponent = number->exponent;
    exponent = exponent > MAX_EXPONENT ? MAX_EXPONENT : exponent < -MAX_EXPONENT ? -MAX_EXPONENT : exponent;
    char text[MAX_DIGITS + 16];
    memcpy(text, number->digits, (size_t)number->count);
    snprintf(text + number->count, sizeof text - (size_t)number->count, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static bool parse_special(const char* text, size_t length, double* value) {
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        ++text;
        --length;
    }
    if (length != 3 || (memcmp(text, "inf", 3) != 0 && memcmp(text, "nan", 3) != 0)) {
        return false;
    }
    double magnitude = text[0] == 'i' ? HUGE_VAL : (double)NAN;
    *value = negative ? -magnitude : magnitude;
    return true;
}

bool phxi_parse_double(const char* text, size_t length, bool allow_special, double* value) {
    decimal number;
    if (!scan_decimal(text, text + length, &number)) {
        return allow_special && parse_special(text, length, value);
    }
    double magnitude = decimal_value(&number);
    if (isinf(magnitude)) {
        return false;
    }
    *value = number.negative ? -magnitude : magnitude;
    return true;
}

bool phxi_parse_int(const char* text, size_t length, int64_t* value) {
    const char *at = text, *end = text + length;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    int64_t sum = 0; // negative, as the negative range is the larger
    for (; at < end; ++at) {
        if (!is_digit(*at) || __builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *at - '0', &sum)) {
            return false;
        }
    }
    if (!negative && sum == INT64_MIN) {
        return false;
    }
    *value = negative ? sum : -sum;
    return true;
}

// printf with the locale's decimal point, which may be several bytes, turned into '.'.
static void print_digits(double value, int digits, char text[32]) {
    char local[48];
    snprintf(local, sizeof local, "%.*g", digits, value);
    size_t count = 0;
    for (const char* at = local; *at && count < 31; ++at) {
        if (is_digit(*at) || *at == '-' || *at == '+' || *at == 'e') {
            text[count++] = *at;
        } else if (count == 0 || text[count - 1] != '.') {
            text[count++] = '.';
        }
    }
    text[count] = 0;
}

// True if the value was one without digits.
static bool print_special(double value, char text[32]) {
    if (isfinite(value)) {
        return false;
    }
    snprintf(text, 32, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return true;
}

void phxi_format_double(double value, char text[32]) {
    if (print_special(value, text)) {
        return;
    }
    double back = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; ++digits) {
        print_digits(value, digits, text);
        if (phxi_parse_double(text, strlen(text), false, &back) && back == value) {
            return;
        }
    }
}

void phxi_format_float(float value, char text[32]) {
    if (print_special((double)value, text)) {
        return;
    }
    double back = 0;
    for (int digits = fabsf(value) < FLT_MIN ? 1 : FLT_DIG; digits <= FLT_DECIMAL_DIG; ++digits) {
        print_digits((double)value, digits, text);
        if (phxi_parse_double(text, strlen(text), false, &back) && (float)back == value) {
            return;
        }
    }
}

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

int phxi_edit_distance(const char* a, const char* b) {
    enum { LONGEST = 63 };
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) { // no name of ours is that long: nothing alike
        return strcmp(a, b) == 0 ? 0 : (int)(a_length > b_length ? a_length : b_length);
    }
    int rows[3][LONGEST + 1]; // of the table of distances between beginnings: this row and the two before
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= (int)b_length; ++j) {
        before[j] = last[j] = j;
    }
    for (int i = 1; i <= (int)a_length; ++i) {
        now[0] = i;
        for (int j = 1; j <= (int)b_length; ++j) {
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = min3(now[j], before[j - 2] + 1, now[j]);
            }
        }
        int* oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

const char* phxi_did_you_mean(const char* text, int count, const char* (*word)(const void* context, int i),
                              const void* context) {
    const char* nearest = NULL;
    int limit = ((int)strnlen(text, 64) + 2) / 3; // one slip in three letters
    for (int i = 0; i < count; ++i) {
        const char* candidate = word(context, i);
        int distance = phxi_edit_distance(text, candidate);
        if (distance <= limit && distance < (int)strlen(candidate)) {
            nearest = candidate;
            limit = distance - 1;
        }
    }
    return nearest;
}
