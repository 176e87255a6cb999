/* Included by every test program: cmocka with its prerequisites, and checks that print a measured
   value with its bounds. */
#ifndef OOZE_TESTS_CHECK_H
#define OOZE_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ooze/status.h"

/* A call must succeed; prints the report when it does not. Uses a local `error`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        OozeError error;                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        OozeStatus check_status = (call);                                                          \
        if (check_status != OOZE_OK) {                                                             \
            fail_msg("%s: %s: %s (%s)", #call, ooze_status_name(check_status), error.message,      \
                     error.hint);                                                                  \
        }                                                                                          \
    } while (0)

/* A call must fail with this status and a message that contains `part`. */
#define CHECK_FAILS(call, expected, part)                                                          \
    do {                                                                                           \
        OozeError error;                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        OozeStatus check_status = (call);                                                          \
        if (check_status != (expected) || !strstr(error.message, (part))) {                        \
            fail_msg("%s: got %s: '%s'; expected %s: '...%s...'", #call,                           \
                     ooze_status_name(check_status), error.message, ooze_status_name(expected),    \
                     (part));                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
    do {                                                                                           \
        double check_value = (value), check_expected = (expected), check_bound = (tolerance);      \
        if (!(fabs(check_value - check_expected) <= check_bound)) {                                \
            fail_msg("%s = %.9g; expected %.9g within %.3g", #value, check_value, check_expected,  \
                     check_bound);                                                                 \
        }                                                                                          \
    } while (0)

/* Acceptance tests print their figure: MEASURED("range", x, low, high). */
#define MEASURED(what, value, low, high)                                                           \
    do {                                                                                           \
        double check_value = (value), check_low = (low), check_high = (high);                      \
        printf("  %s: %.6g (bound %.6g .. %.6g)\n", what, check_value, check_low, check_high);     \
        if (!(check_value >= check_low && check_value <= check_high)) {                            \
            fail_msg("%s = %.9g is outside %.9g .. %.9g", what, check_value, check_low,            \
                     check_high);                                                                  \
        }                                                                                          \
    } while (0)

/* True in `make test-full`, where sweeps run whole. */
static inline int full_sweep(void)
{
    const char *full = getenv("OOZE_FULL");
    return full && full[0] == '1';
}

/* True where every access to memory is watched, which takes ten to thirty times as long: what is
   looked for then shows in the first steps. */
static inline int sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 1;
#endif
#endif
    return 0;
}

/* main() of an acceptance program: runs the test named on the command line, or all. */
#define ACCEPTANCE_MAIN(...)                                                                       \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        if (argc > 1) {                                                                            \
            cmocka_set_test_filter(argv[1]);                                                       \
        }                                                                                          \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
