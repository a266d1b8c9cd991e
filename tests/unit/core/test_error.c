// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "core/error.h"
#include "core/log.h"

#include <pthread.h>

TEST(names_of_results) {
    ENSURE(strcmp(phx_result_name(PHX_OK), "PHX_OK") == 0);
    ENSURE(strcmp(phx_result_name(PHX_ERROR_CANCELLED), "PHX_ERROR_CANCELLED") == 0);
    for (int i = 0; i <= PHX_ERROR_CANCELLED; ++i) {
        ENSURE(strncmp(phx_result_name((phx_result)i), "PHX_", 4) == 0);
        ENSURE(!strchr(phx_result_name((phx_result)i), '?'));
    }
    ENSURE(strcmp(phx_result_name((phx_result)(PHX_ERROR_CANCELLED + 1)), "PHX_ERROR_?") == 0);
    ENSURE(strcmp(phx_result_name((phx_result)1000000), "PHX_ERROR_?") == 0);
}

TEST(version_names_the_precision) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%d.%d.%d (%s)", PHX_VERSION_MAJOR, PHX_VERSION_MINOR, PHX_VERSION_PATCH,
             sizeof(phx_real) == 4 ? "float" : "double");
    ENSURE(strcmp(phx_version(), wanted) == 0);
}

TEST(message_is_kept_and_nested) {
    ENSURE_RESULT(phxi_fail(PHX_ERROR_FORMAT, "line %d", 7), PHX_ERROR_FORMAT);
    ENSURE(strcmp(phx_error_message(), "line 7") == 0);
    ENSURE_RESULT(phxi_fail_within(PHX_ERROR_FORMAT, "file '%s'", "a"), PHX_ERROR_FORMAT);
    ENSURE(strcmp(phx_error_message(), "file 'a': line 7") == 0);
    ENSURE_RESULT(phxi_fail(PHX_ERROR_IO, "(%s)", phx_error_message()), PHX_ERROR_IO);
    ENSURE(strcmp(phx_error_message(), "(file 'a': line 7)") == 0);
    ENSURE_RESULT(phxi_fail_within(PHX_ERROR_IO, "%s", phx_error_message()), PHX_ERROR_IO);
    ENSURE(strcmp(phx_error_message(), "(file 'a': line 7): (file 'a': line 7)") == 0);
    ENSURE_RESULT(phxi_fail_memory("wheels"), PHX_ERROR_MEMORY);
    ENSURE_MESSAGE("wheels");
}

TEST(long_messages_are_cut) {
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    phxi_fail(PHX_ERROR_IO, "%s", text);
    ENSURE(strlen(phx_error_message()) == 1023);
    phxi_fail(PHX_ERROR_IO, "inner");
    phxi_fail_within(PHX_ERROR_IO, "%s", text);
    ENSURE(strlen(phx_error_message()) == 1023);
    phxi_fail(PHX_ERROR_IO, "%s", text);
    phxi_fail_within(PHX_ERROR_IO, "outer");
    ENSURE(strlen(phx_error_message()) == 1023);
    ENSURE(strncmp(phx_error_message(), "outer: xxx", 10) == 0);
}

static void* fail_elsewhere(void* context) {
    *(bool*)context = phx_error_message()[0] == 0;
    phxi_fail(PHX_ERROR_IO, "elsewhere");
    return NULL;
}

TEST(each_thread_has_its_own_message) {
    phxi_fail(PHX_ERROR_IO, "here");
    bool was_empty = false;
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, fail_elsewhere, &was_empty) == 0);
    pthread_join(thread, NULL);
    ENSURE(was_empty);
    ENSURE(strcmp(phx_error_message(), "here") == 0);
}

typedef struct log_capture {
    int lines;
    phx_log_level level;
    char last[2048];
} log_capture;

static void capture(void* context, phx_log_level level, const char* line) {
    log_capture* c = context;
    ++c->lines;
    c->level = level;
    snprintf(c->last, sizeof c->last, "%s", line);
}

TEST(log_reaches_the_hook) {
    log_capture got = {0};
    phx_log log = {capture, &got}, silent = {0};
    phxi_log(&log, PHX_LOG_WARNING, "%d %s", 3, "bodies");
    ENSURE(got.lines == 1 && got.level == PHX_LOG_WARNING && strcmp(got.last, "3 bodies") == 0);
    phxi_log(&silent, PHX_LOG_INFO, "nobody listens");
    phxi_log(NULL, PHX_LOG_INFO, "nobody listens");
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    phxi_log(&log, PHX_LOG_INFO, "%s", text);
    ENSURE(got.lines == 2 && strlen(got.last) == 1023);
}
