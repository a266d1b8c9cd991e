// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "core/hash.h"
#include "core/text.h"

#include <float.h>
#include <locale.h>

static bool parse(const char* text, double* value) {
    return phxi_parse_double(text, strlen(text), false, value);
}

TEST(numbers_that_are_numbers) {
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-0", -0.0},
        {"1", 1},
        {"+1", 1},
        {"-12.5", -12.5},
        {".5", 0.5},
        {"5.", 5},
        {"1e5", 1e5},
        {"1E+5", 1e5},
        {"1e-5", 1e-5},
        {"0.1", 0.1},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000000000001", 9007199254740994.0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158079e308", DBL_MAX},
        {"4.9406564584124654e-324", 5e-324},
        {"2.4703282292062328e-324", 5e-324},
        {"2.4703282292062327e-324", 0},
        {"1e-400", 0},
        {"0e999999999999999999999", 0},
        {"0.000000000000000000000000000000000000000000001e45", 1},
        {"1000000000000000000000000000000000000000000000e-45", 1},
        {"1e-99999999999999999999999", 0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"6929495644600919.5", 6929495644600920.0},
        {"00000000000000000000000000000000000000017", 17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double value = NAN;
        ENSURE(parse(cases[i].text, &value));
        if (memcmp(&value, &cases[i].value, sizeof value) != 0) {
            phxt_failed(__FILE__, __LINE__, "%s read as %.17g", cases[i].text, value);
        }
    }
}

TEST(numbers_that_are_none) {
    static const char* const cases[] = {"",      " ",   " 1",    "1 ",       "1x",     "0x10",
                                        "0x1p3", "1e",  "e5",    ".",        "-",      "+",
                                        "+-1",   "--1", "1.2.3", "1,5",      "1e5.",   "1e+",
                                        "inf",   "nan", "-inf",  "1e309",    "-1e309", "1e99999999999999999999",
                                        "1_000", "1d5", "NaN",   "infinity", "\t1",    "1\n"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double value = 42;
        if (parse(cases[i], &value) || value != 42) {
            phxt_failed(__FILE__, __LINE__, "'%s' was taken for %g", cases[i], value);
        }
    }
    double value;
    ENSURE(!phxi_parse_double("12", 0, false, &value));
    ENSURE(phxi_parse_double("12", 1, false, &value) && value == 1); // no further than told
    ENSURE(!phxi_parse_double("1\0002", 3, false, &value));
}

TEST(special_numbers_when_allowed) {
    double value;
    ENSURE(phxi_parse_double("inf", 3, true, &value) && value == INFINITY);
    ENSURE(phxi_parse_double("+inf", 4, true, &value) && value == INFINITY);
    ENSURE(phxi_parse_double("-inf", 4, true, &value) && value == -INFINITY);
    ENSURE(phxi_parse_double("nan", 3, true, &value) && isnan(value));
    ENSURE(!phxi_parse_double("info", 4, true, &value));
    ENSURE(!phxi_parse_double("", 0, true, &value));
    ENSURE(!phxi_parse_double("-", 1, true, &value));
}

TEST(very_long_numbers_round_correctly) {
    // 2^53 + 1, a midpoint, with two thousand zeros behind the point, and then with one digit more
    static char text[4096];
    int length = sprintf(text, "9007199254740993.");
    memset(text + length, '0', 2000);
    double value = 0;
    ENSURE(phxi_parse_double(text, (size_t)length + 2000, false, &value) && value == 9007199254740992.0);
    text[length + 2000] = '1';
    ENSURE(phxi_parse_double(text, (size_t)length + 2001, false, &value) && value == 9007199254740994.0);
    memset(text, '9', sizeof text);
    ENSURE(!phxi_parse_double(text, sizeof text, false, &value));
    text[0] = '.';
    ENSURE(phxi_parse_double(text, sizeof text, false, &value) && value == 1);
}

TEST(parsing_agrees_with_strtod) {
    uint64_t state = 1;
    for (int i = 0; i < 100000; ++i) {
        char text[64];
        int digits = 1 + (int)(20 * phxt_random(&state)), exponent = (int)(640 * phxt_random(&state)) - 330;
        exponent = i % 2 ? exponent : exponent / 12;
        snprintf(text, sizeof text, "%.*fe%d", digits, 10 * phxt_random(&state), exponent);
        double wanted = strtod(text, NULL), got = 0;
        bool taken = parse(text, &got);
        ENSURE(taken == isfinite(wanted));
        ENSURE(!taken || got == wanted);
    }
}

TEST(whole_numbers) {
    int64_t value = 0;
    ENSURE(phxi_parse_int("0", 1, &value) && value == 0);
    ENSURE(phxi_parse_int("-17", 3, &value) && value == -17);
    ENSURE(phxi_parse_int("+17", 3, &value) && value == 17);
    ENSURE(phxi_parse_int("9223372036854775807", 19, &value) && value == INT64_MAX);
    ENSURE(phxi_parse_int("-9223372036854775808", 20, &value) && value == INT64_MIN);
    static const char* const bad[] = {"",
                                      "-",
                                      "+",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x5",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        ENSURE(!phxi_parse_int(bad[i], strlen(bad[i]), &value));
    }
}

static double random_bits(uint64_t* state) {
    uint64_t bits = (uint64_t)(phxt_random(state) * 0x1p32) << 32 | (uint64_t)(phxt_random(state) * 0x1p32);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void ensure_round_trips(void) {
    uint64_t state = 2;
    char text[32];
    for (int i = 0; i < 20000; ++i) {
        double value = random_bits(&state), back = 0;
        if (!isfinite(value)) {
            continue;
        }
        phxi_format_double(value, text);
        ENSURE(parse(text, &back) && back == value);
        float small = (float)(1e6 * phxt_random(&state));
        phxi_format_float(small, text);
        ENSURE(parse(text, &back) && (float)back == small && strlen(text) <= 14);
    }
}

TEST(formatted_numbers_read_back) {
    static const struct {
        double value;
        const char* text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {0.1, "0.1"},
                 {1e-5, "1e-05"},
                 {100000, "100000"},
                 {1e22, "1e+22"},
                 {NAN, "nan"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {-1.5, "-1.5"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        phxi_format_double(cases[i].value, text);
        if (strcmp(text, cases[i].text) != 0) {
            phxt_failed(__FILE__, __LINE__, "%s formatted as %s", cases[i].text, text);
        }
    }
    phxi_format_double(-DBL_MAX, text);
    ENSURE(strcmp(text, "-1.7976931348623157e+308") == 0);
    phxi_format_float(0.1f, text);
    ENSURE(strcmp(text, "0.1") == 0);
    phxi_format_float(1e-45f, text);
    ENSURE(strcmp(text, "1e-45") == 0);
    phxi_format_float(16777216.0f, text);
    ENSURE(strcmp(text, "16777216") == 0);
    phxi_format_float(-INFINITY, text);
    ENSURE(strcmp(text, "-inf") == 0);
    ensure_round_trips();
}

TEST(the_locale_has_no_say) {
    // Locales of our own, with decimal points of one byte and of two, where the system can make any.
    static const char* const points[] = {",", "<U066B>"};
    static const char* const charsets[] = {"ANSI_X3.4-1968", "UTF-8"};
    static const char* const names[] = {"point1", "point2"};
    setenv("LOCPATH", phxt_scratch(), 1);
    for (int i = 0; i < 2; ++i) {
        char source[256], command[4096];
        int size =
            snprintf(source, sizeof source,
                     "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", points[i]);
        phxt_write(phxt_path("source"), source, (size_t)size);
        snprintf(command, sizeof command, "localedef -c -i '%s' -f %s '%s' >/dev/null 2>&1", phxt_path("source"),
                 charsets[i], phxt_path(names[i]));
        if (system(command) < 0 || !setlocale(LC_NUMERIC, names[i])) {
            printf("no locale with decimal point %s: not tried\n", points[i]);
            continue;
        }
        double value = 0;
        char text[32];
        ENSURE(!strchr(localeconv()->decimal_point, '.'));
        ENSURE(parse("1.5", &value) && value == 1.5);
        ENSURE(parse("1.2345678901234567890123", &value) && value == 1.2345678901234567);
        ENSURE(!parse("1,5", &value));
        phxi_format_double(0.5, text);
        ENSURE(strcmp(text, "0.5") == 0);
        ensure_round_trips();
    }
    setlocale(LC_NUMERIC, "C");
}

TEST(edit_distances) {
    ENSURE(phxi_edit_distance("", "") == 0);
    ENSURE(phxi_edit_distance("abc", "") == 3);
    ENSURE(phxi_edit_distance("", "ab") == 2);
    ENSURE(phxi_edit_distance("young", "young") == 0);
    ENSURE(phxi_edit_distance("yung", "young") == 1);
    ENSURE(phxi_edit_distance("yuong", "young") == 1);
    ENSURE(phxi_edit_distance("yotng", "young") == 1);
    ENSURE(phxi_edit_distance("youngs", "young") == 1);
    ENSURE(phxi_edit_distance("kitten", "sitting") == 3);
    char long_a[200], long_b[200];
    memset(long_a, 'a', 199);
    memset(long_b, 'b', 199);
    long_a[199] = long_b[199] = 0;
    ENSURE(phxi_edit_distance(long_a, long_b) == 199);
    ENSURE(phxi_edit_distance(long_a, long_a) == 0);
}

static const char* word_of(const void* context, int i) {
    return ((const char* const*)context)[i];
}

TEST(slips_of_the_finger_are_guessed) {
    static const char* const words[] = {"young", "poisson", "density", "dt", "x", "damping"};
    static const char* const slips[][2] = {{"yung", "young"},       {"possion", "poisson"}, {"Density", "density"},
                                           {"densitie", "density"}, {"td", "dt"},           {"dumping", "damping"}};
    for (int i = 0; i < 6; ++i) {
        const char* guess = phxi_did_you_mean(slips[i][0], 6, word_of, words);
        ENSURE(guess && strcmp(guess, slips[i][1]) == 0);
    }
    static const char* const strange[] = {"", "q", "zz", "colour", "gravity", "youngsters are noisy"};
    for (int i = 0; i < 6; ++i) {
        ENSURE(phxi_did_you_mean(strange[i], 6, word_of, words) == NULL);
    }
    ENSURE(phxi_did_you_mean("young", 0, word_of, words) == NULL);
}

TEST(every_flipped_bit_shows_in_the_hash) {
    unsigned char bytes[67];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)(i * 37);
    }
    for (size_t size = 0; size <= sizeof bytes; ++size) {
        uint64_t hash = phxi_hash_bytes(bytes, size, 5);
        ENSURE(hash == phxi_hash_bytes(bytes, size, 5) && hash != phxi_hash_bytes(bytes, size, 6));
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            ENSURE(phxi_hash_bytes(bytes, size, 5) != hash);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
    static const unsigned char zeros[64];
    for (size_t size = 0; size < 64; ++size) { // the length counts too
        ENSURE(phxi_hash_bytes(zeros, size, 0) != phxi_hash_bytes(zeros, size + 1, 0));
    }
    ENSURE(phxi_hash_bytes(NULL, 0, 0) == phxi_hash_bytes(zeros, 0, 0));
    ENSURE(phxi_hash_bytes("phyxel", 6, 0) == UINT64_C(0x2BD5727D8B573020)); // the same on every machine
}

TEST(hashed_numbers_are_spread) {
    enum { N = 100000, BINS = 16 };
    int bins[BINS] = {0};
    double sum = 0, product = 0, last = 0.5;
    for (uint64_t i = 0; i < N; ++i) {
        double unit = phxi_hash_unit(phxi_hash_pair(i / 100, i % 100));
        ENSURE(unit >= 0 && unit < 1);
        ++bins[(int)(BINS * unit)];
        sum += unit;
        product += (unit - 0.5) * (last - 0.5);
        last = unit;
    }
    ENSURE_NEAR(sum / N, 0.5, 0.004); // four sigma
    ENSURE_NEAR(product / N, 0, 4.0 / 12 / sqrt(N));
    for (int i = 0; i < BINS; ++i) {
        ENSURE_NEAR(bins[i], N / BINS, 4 * sqrt(N / BINS));
    }
    ENSURE(phxi_hash_pair(1, 2) != phxi_hash_pair(2, 1));
    ENSURE(phxi_hash_pair(0, 0) != phxi_hash_pair(0, 1));
    ENSURE(phxi_hash_unit(UINT64_MAX) < 1);
}
