// SPDX-License-Identifier: MIT
// test_conformance CASE: runs a case for every method and every pair of them (CONFORMANCE_PART=text: those with this
// text in their name; CONFORMANCE_EVERY=n: every n-th; CONFORMANCE_CONTACT=projection: with that contact), with a line
// for each. Fails if something is red that known_red.txt does not list, or is listed there and green.
#include "conformance.h"

#include <time.h>

enum { MAX_KNOWN = 4096 };

typedef struct tally {
    const char* part;           // of names, NULL: all
    int every, turn;            // one of so many is run
    char known[MAX_KNOWN][200]; // "head_on efg.implicit + fem.implicit"
    int known_count;
    int green, red, expected, turned, refused;
} tally;

static bool read_known(tally* t) {
    FILE* file = fopen(phxt_source("tests/conformance/known_red.txt"), "r");
    if (!file) {
        return true; // nothing is known to be red
    }
    char line[400];
    while (fgets(line, sizeof line, file) && t->known_count < MAX_KNOWN) {
        line[strcspn(line, "#\n")] = 0;
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ') {
            line[--length] = 0;
        }
        if (length > 0) {
            snprintf(t->known[t->known_count++], sizeof t->known[0], "%.199s", line);
        }
    }
    fclose(file);
    return t->known_count < MAX_KNOWN;
}

/// A line that begins with "float " or "double " is of builds of that precision only.
static bool is_known(const tally* t, const char* name) {
    const char* precision = sizeof(phx_real) == sizeof(float) ? "float " : "double ";
    bool found = false;
    for (int k = 0; k < t->known_count && !found; ++k) {
        const char* line = t->known[k];
        bool mine = strncmp(line, precision, strlen(precision)) == 0;
        found = strcmp(line + (mine ? strlen(precision) : 0), name) == 0;
    }
    return found;
}

/// Worlds that are to refuse their bodies must, and say why.
static bool check_refusal(const test_cast* cast, test_outcome* o) {
    const char* reason = nature_refusal(cast->bodies[0], cast->bodies[1]);
    if (!reason) {
        return false;
    }
    bool refused = strncmp(o->red, "refused:", 8) == 0;
    if (refused) {
        snprintf(o->numbers, sizeof o->numbers, " %s", reason);
        o->red[0] = 0;
    } else {
        snprintf(o->red, sizeof o->red, "is not refused: %s", reason);
    }
    return refused;
}

static void run_one(tally* t, const test_case* test, const test_cast* cast) {
    char name[200];
    const variant* second = cast->bodies[1];
    snprintf(name, sizeof name, "%s %s%s%s", test->name, cast->bodies[0]->name, second ? " + " : "",
             second ? second->name : "");
    if ((t->part && !strstr(name, t->part)) || t->turn++ % t->every != 0) {
        return;
    }
    test_outcome o = {"", ""};
    clock_t began = clock();
    test->run(cast, &o);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    bool refused = check_refusal(cast, &o), red = o.red[0] != 0, known = is_known(t, name);
    t->refused += refused;
    t->green += !red;
    t->expected += red && known;
    t->red += red && !known;
    t->turned += !red && known;
    printf("%-5s %4.0f ms %-62s%s%s%s\n",
           refused ? "no"
           : red   ? (known ? "known" : "RED")
           : known ? "GREEN"
                   : "ok",
           1e3 * seconds, name, o.numbers, red ? "  <- " : "", o.red);
    fflush(stdout);
}

static void run_case(tally* t, const test_case* test, const variant* list, int count) {
    for (int a = 0; a < count; ++a) {
        test_cast alone = {{&list[a], NULL}, 1};
        run_one(t, test, &alone);
        for (int b = test->both_orders ? 0 : a; b < count; ++b) {
            test_cast two = {{&list[a], &list[b]}, 2};
            run_one(t, test, &two);
        }
    }
}

static void run_matching(const char* name) {
    static tally t;
    static variant list[MAX_VARIANTS];
    REQUIRE(read_known(&t));
    const char* every = getenv("CONFORMANCE_EVERY");
    t.part = getenv("CONFORMANCE_PART");
    t.every = every && atoi(every) > 0 ? atoi(every) : 1;
    int count = variants_find(list);
    for (int c = 0; c < test_case_count; ++c) {
        if (strcmp(test_cases[c].name, name) == 0) {
            clock_t began = clock();
            run_case(&t, &test_cases[c], list, count);
            printf("%s: %d green (%d of them refused by name), %d known red, %d red, %d listed but green; %.1f s\n",
                   name, t.green, t.refused, t.expected, t.red, t.turned, (double)(clock() - began) / CLOCKS_PER_SEC);
        }
    }
    ENSURE(t.red == 0);
    ENSURE(t.turned == 0); // take it off tests/conformance/known_red.txt
}

TEST(rest) {
    run_matching("rest");
}
TEST(free_fall) {
    run_matching("free_fall");
}
TEST(thrown) {
    run_matching("thrown");
}
TEST(impulse) {
    run_matching("impulse");
}
TEST(rigid_motion) {
    run_matching("rigid_motion");
}
TEST(head_on) {
    run_matching("head_on");
}
TEST(oblique) {
    run_matching("oblique");
}
TEST(stack) {
    run_matching("stack");
}
TEST(restart) {
    run_matching("restart");
}
TEST(threads) {
    run_matching("threads");
}
TEST(warmth) {
    run_matching("warmth");
}
