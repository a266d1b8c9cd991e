// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "core/params.h"

typedef struct sample {
    double young;
    double poisson;
    double end;
    double spacing;
    int levels;
    bool inside;
    phx_vec3 gravity;
    int law;
    const char* name;
    const char* shape;
    const char* fields;
    const char* target;
    int untouched;
} sample;

static const char* const laws[] = {"corotated", "stvk", "neo_hookean", NULL};
static const phx_param sample_params[] = {
    PHXI_POSITIVE(sample, young, "Pa", "1e5", 1e15, "stiffness"),
    PHXI_REAL(sample, poisson, "", "0.3", -0.99, 0.499, "contraction"),
    PHXI_REAL(sample, end, "s", "inf", 0, INFINITY, "end of the window"),
    PHXI_POSITIVE(sample, spacing, "m", NULL, 1e6, "distance"),
    PHXI_INT(sample, levels, "2", 0, 8, "levels"),
    PHXI_BOOL(sample, inside, "true", "inside out"),
    PHXI_VEC3(sample, gravity, "m/s^2", "0, 0, -9.81", "gravity"),
    PHXI_WORD(sample, law, laws, "stvk", "law"),
    PHXI_TEXT(sample, name, "body", "name"),
    PHXI_SHAPE(sample, shape, "", "shape"),
    PHXI_WORDS(sample, fields, "velocity stress", "fields"),
    PHXI_TEXT(sample, target, NULL, "must be given"),
};
static const phx_param_table table = {"material", "a sample", sample_params,
                                      sizeof sample_params / sizeof sample_params[0], sizeof(sample)};
static phxi_heap heap;

static phx_result set(sample* values, const char* name, const char* text) {
    const phx_param* param = phxi_param_find(&table, name);
    return param ? phxi_param_set(&table, param, values, text, &heap) : PHX_ERROR_ARGUMENT;
}

static sample begin(void) {
    sample values;
    memset(&values, 0x77, sizeof values);
    phxi_heap_init(&heap, NULL);
    phxi_params_defaults(&table, &values);
    return values;
}

// Setting fails, says this, and leaves the struct as it was.
static void ensure_refused(const char* name, const char* text, const char* message) {
    sample values = begin(), before = values;
    ENSURE_RESULT(set(&values, name, text), PHX_ERROR_ARGUMENT);
    if (strcmp(phx_error_message(), message) != 0) {
        phxt_failed(__FILE__, __LINE__, "%s = '%s' says \"%s\", expected \"%s\"", name, text, phx_error_message(),
                    message);
    }
    ENSURE(memcmp(&values, &before, sizeof values) == 0);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(defaults_fill_the_struct) {
    sample values = begin();
    ENSURE(values.young == 1e5 && values.poisson == 0.3 && values.end == INFINITY && values.spacing == 0);
    ENSURE(values.levels == 2 && values.inside && values.law == 1);
    ENSURE(values.gravity.x == 0 && values.gravity.y == 0 && values.gravity.z == -9.81);
    ENSURE(strcmp(values.name, "body") == 0 && !values.shape && !values.target);
    ENSURE(strcmp(values.fields, "velocity stress") == 0 && values.untouched == 0);
    ENSURE(heap.allocations == 0);
    phxi_heap_destroy(&heap);
}

TEST(every_kind_is_read) {
    sample values = begin();
    ENSURE_OK(set(&values, "young", " 2.5e6 "));
    ENSURE(values.young == 2.5e6);
    ENSURE_OK(set(&values, "end", "7"));
    ENSURE(values.end == 7);
    ENSURE_OK(set(&values, "end", "inf"));
    ENSURE(values.end == INFINITY);
    ENSURE_OK(set(&values, "poisson", "-0.99"));
    ENSURE_OK(set(&values, "levels", "8"));
    ENSURE(values.levels == 8);
    ENSURE_OK(set(&values, "law", "neo_hookean"));
    ENSURE(values.law == 2);
    static const char* const yes[] = {"true", "yes", "on"};
    static const char* const no[] = {"false", "no", "off"};
    for (int i = 0; i < 3; ++i) {
        ENSURE_OK(set(&values, "inside", no[i]));
        ENSURE(!values.inside);
        ENSURE_OK(set(&values, "inside", yes[i]));
        ENSURE(values.inside);
    }
    static const char* const vectors[] = {"1, -2, 3.5", "[1,-2,3.5]", "(1, -2, 3.5)", "  [ 1 , -2 , 3.5 ]  "};
    for (int i = 0; i < 4; ++i) {
        values.gravity = (phx_vec3){0};
        ENSURE_OK(set(&values, "gravity", vectors[i]));
        ENSURE(values.gravity.x == 1 && values.gravity.y == -2 && values.gravity.z == 3.5);
    }
    phxi_heap_destroy(&heap);
}

TEST(texts_are_copied) {
    sample values = begin();
    char text[] = "  a jelly, soft  ", shape[] = "sphere(radius=0.1)";
    ENSURE_OK(set(&values, "name", text));
    ENSURE_OK(set(&values, "shape", shape));
    text[2] = shape[0] = 'X';
    ENSURE(strcmp(values.name, "a jelly, soft") == 0 && strcmp(values.shape, "sphere(radius=0.1)") == 0);
    ENSURE_OK(set(&values, "name", ""));
    ENSURE(values.name == NULL);
    static const char* const lists[] = {"a bc d",   "[a, bc, d]",   " a,bc ,d",
                                        "[a bc d]", "  a   bc\td ", "[ a , bc,d, ]"};
    for (int i = 0; i < 6; ++i) {
        ENSURE_OK(set(&values, "fields", lists[i]));
        ENSURE(values.fields && strcmp(values.fields, "a bc d") == 0);
    }
    ENSURE_OK(set(&values, "fields", "[]"));
    ENSURE(values.fields == NULL);
    phxi_heap_destroy(&heap);
}

TEST(numbers_out_of_range) {
    ensure_refused("young", "-3", "young is -3 Pa, expected above 0 Pa");
    ensure_refused("young", "0", "young is 0 Pa, expected above 0 Pa");
    ensure_refused("young", "1e16", "young is 1e+16 Pa, expected at most 1e+15 Pa");
    ensure_refused("young", "inf", "young is inf Pa, expected at most 1e+15 Pa");
    ensure_refused("young", "nan", "young is nan Pa, expected above 0 and at most 1e+15 Pa");
    ensure_refused("poisson", "0.5", "poisson is 0.5, expected at most 0.499");
    ensure_refused("poisson", "-1", "poisson is -1, expected at least -0.99");
    ensure_refused("end", "-inf", "end is -inf s, expected at least 0 s");
    ensure_refused("levels", "9", "levels is 9, expected at most 8");
    ensure_refused("levels", "9999999999", "levels is 9999999999, expected at most 8");
    ensure_refused("gravity", "0, 1e20, 0", "gravity.y is 1e+20 m/s^2, expected at most 1e+15 m/s^2");
    ensure_refused("gravity", "0, 0, nan", "gravity.z is nan m/s^2, expected at least -1e+15 and at most 1e+15 m/s^2");
}

TEST(texts_that_are_no_values) {
    ensure_refused("young", "soft", "young is 'soft', expected a number");
    ensure_refused("young", "", "young is '', expected a number");
    ensure_refused("young", "1e5 Pa", "young is '1e5 Pa', expected a number");
    ensure_refused("young", "1e999", "young is '1e999', expected a number");
    ensure_refused("levels", "1.5", "levels is '1.5', expected a whole number");
    ensure_refused("inside", "maybe", "inside is 'maybe', expected true or false");
    ensure_refused("gravity", "1, 2", "gravity is '1, 2', expected three numbers \"x, y, z\"");
    ensure_refused("gravity", "1, 2, 3, 4", "gravity is '1, 2, 3, 4', expected three numbers \"x, y, z\"");
    ensure_refused("gravity", "[1, 2, 3", "gravity is '[1, 2, 3', expected three numbers \"x, y, z\"");
    ensure_refused("gravity", "(1, 2, 3]", "gravity is '(1, 2, 3]', expected three numbers \"x, y, z\"");
    ensure_refused("gravity", "", "gravity is '', expected three numbers \"x, y, z\"");
    ensure_refused("gravity", "9.81", "gravity is '9.81', expected three numbers \"x, y, z\"");
    ensure_refused("law", "stkv", "law is 'stkv', expected one of corotated, stvk, neo_hookean; did you mean 'stvk'?");
    ensure_refused("law", "rubber", "law is 'rubber', expected one of corotated, stvk, neo_hookean");
    ensure_refused("law", "", "law is '', expected one of corotated, stvk, neo_hookean");
    ensure_refused("fields", "[a,,b]", "fields is '[a,,b]', expected words, as in \"[a, b, c]\" or \"a b c\"");
}

TEST(long_texts_are_cut_in_messages) {
    static char text[5000];
    memset(text, 'z', sizeof text - 1);
    sample values = begin();
    static const char* const names[] = {"young", "levels", "inside", "gravity", "law"};
    for (int i = 0; i < 5; ++i) {
        ENSURE_RESULT(set(&values, names[i], text), PHX_ERROR_ARGUMENT);
        ENSURE_MESSAGE("expected");
    }
    ENSURE(phxi_param_find(&table, text) == NULL);
    ENSURE_MESSAGE("in material");
    phxi_heap_destroy(&heap);
}

TEST(unknown_keys_are_guessed) {
    ENSURE(phxi_param_find(&table, "young") == &sample_params[0]);
    ENSURE(phxi_param_find(&table, "yung") == NULL);
    ENSURE(strcmp(phx_error_message(), "unknown key 'yung' in material, did you mean 'young'?") == 0);
    ENSURE(phxi_param_find(&table, "temperature") == NULL);
    ENSURE(strcmp(phx_error_message(), "unknown key 'temperature' in material") == 0);
    ENSURE(phxi_param_find(&table, "") == NULL);
}

TEST(structs_are_checked) {
    sample good = begin();
    good.spacing = 0.1;
    good.target = "there";
    ENSURE_OK(phxi_params_check(&table, &good));
    sample bad = good;
    bad.spacing = 0;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    ENSURE(strcmp(phx_error_message(), "spacing must be given, expected above 0 m") == 0);
    bad = good;
    bad.target = NULL;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("target must be given");
    bad = good;
    bad.law = 3;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("law is number 3, expected 0 to 2");
    bad.law = -1;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    bad = good;
    bad.young = NAN;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("young is nan Pa");
    bad = good;
    bad.levels = -1;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    bad = good;
    bad.gravity.x = -INFINITY;
    ENSURE_RESULT(phxi_params_check(&table, &bad), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("gravity.x is -inf");
    phxi_heap_destroy(&heap);
}

TEST(survives_failing_allocation) {
    static const char* const names[] = {"name", "shape", "fields"};
    for (int i = 0; i < 3; ++i) {
        sample values = begin(), before = values;
        phxt_heap counting;
        phxt_heap_init(&counting, 0);
        phxi_heap_init(&heap, &counting.allocator);
        ENSURE_RESULT(set(&values, names[i], "a b"), PHX_ERROR_MEMORY);
        ENSURE(memcmp(&values, &before, sizeof values) == 0);
        phxi_heap_destroy(&heap);
    }
}
